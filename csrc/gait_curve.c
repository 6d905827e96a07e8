/* Curves of the phase that the gait is built from. */
#include "gait_private.h"

turn turn_at(double phase) {
    turn t = {{1.0}, {0.0}};
    double s;
    double c;
    amble_sincos(2.0 * AMBLE_PI * (phase - floor(phase)), &s, &c);
    t.cosine[1] = c;
    t.sine[1] = s;
    /* Each of two before it that are there as early as can be: they need not wait for one another. */
    for (int n = 2, a = 1; n <= HUMAN_HARMONICS; n++) {
        a = n > 2 * a ? 2 * a : a;
        int b = n - a;
        t.cosine[n] = t.cosine[a] * t.cosine[b] - t.sine[a] * t.sine[b];
        t.sine[n] = t.sine[a] * t.cosine[b] + t.cosine[a] * t.sine[b];
    }
    return t;
}

double series_at(const series *curve, const turn *at) {
    double sum = 0.0;
    for (int n = 0; n <= HUMAN_HARMONICS; n++) {
        sum += curve->cosine[n] * at->cosine[n] + curve->sine[n] * at->sine[n];
    }
    return sum;
}

series human_at(const human_curves *from, human_curve curve, double vn) {
    int low = 0;
    while (low + 2 < from->speeds && !(vn < from->speed[low + 1])) {
        low++;
    }
    double share = (vn - from->speed[low]) / (from->speed[low + 1] - from->speed[low]);
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    series out;
    for (int n = 0; n <= HUMAN_HARMONICS; n++) {
        const double (*a)[HUMAN_HARMONICS + 1] = from->series[curve][low];
        const double (*b)[HUMAN_HARMONICS + 1] = from->series[curve][low + 1];
        out.cosine[n] = a[0][n] + share * (b[0][n] - a[0][n]);
        out.sine[n] = a[1][n] + share * (b[1][n] - a[1][n]);
    }
    return out;
}

double smooth_step(double s) {
    if (s <= 0.0) {
        return 0.0;
    }
    return s >= 1.0 ? 1.0 : s * s * s * (10.0 + s * (6.0 * s - 15.0));
}

double bump(double s) {
    double x = s <= 0.0 || s >= 1.0 ? 0.0 : 4.0 * s * (1.0 - s);
    return x * x * x;
}

double eased(double x, double ease) { return x > 0.0 ? x * x * x / (x * x + ease * ease) : 0.0; }

/* LDL^T without square roots. n is FADE_MOST at most. */
void solve_symmetric(int n, double a[FADE_MOST][FADE_MOST], double b[FADE_MOST]) {
    double pivot[FADE_MOST] = {0.0};
    double inverse[FADE_MOST] = {0.0}; /* of the pivots; 0 of those that vanish */
    for (int i = 0; i < n; i++) {
        double scaled[FADE_MOST] = {0.0}; /* the row of L times D */
        for (int j = 0; j < i; j++) {
            double sum = a[i][j];
            for (int k = 0; k < j; k++) {
                sum -= scaled[k] * a[j][k];
            }
            scaled[j] = inverse[j] > 0.0 ? sum : 0.0;
            a[i][j] = sum * inverse[j];
        }
        double sum = a[i][i];
        for (int k = 0; k < i; k++) {
            sum -= scaled[k] * a[i][k];
        }
        pivot[i] = sum > 1e-14 * fabs(a[i][i]) ? sum : 0.0;
        inverse[i] = pivot[i] > 0.0 ? 1.0 / pivot[i] : 0.0;
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            b[i] -= a[i][k] * b[k];
        }
    }
    for (int i = FADE_MOST - 1; i >= 0; i--) {
        if (i >= n) {
            continue;
        }
        b[i] = pivot[i] > 0.0 ? b[i] / pivot[i] : 0.0;
        for (int k = i + 1; k < n; k++) {
            b[i] -= a[k][i] * b[k];
        }
    }
}

/* Second derivative by s of bump(s) x^n, x = 2 s - 1. With y = 1 - x^2, bump is y^3; by x its derivatives are
 * -6 x y^2 and -6 y^2 + 24 x^2 y, and each derivative by s brings a factor of 2. */
static double inner_curve(double s, int n) {
    double x = 2.0 * s - 1.0;
    double y = 1.0 - x * x;
    double power[3] = {1.0, 0.0, 0.0}; /* x^n and its derivatives by x */
    for (int k = 0; k < n; k++) {
        power[2] = power[2] * x + 2.0 * power[1];
        power[1] = power[1] * x + power[0];
        power[0] = power[0] * x;
    }
    return 4.0 *
           ((24.0 * x * x * y - 6.0 * y * y) * power[0] - 12.0 * x * y * y * power[1] + y * y * y * power[2]);
}

static double quintic_at(const double q[6], double s) {
    return ((((q[5] * s + q[4]) * s + q[3]) * s + q[2]) * s + q[1]) * s + q[0];
}

/* The quintic with both jets: the first three coefficients are the jet at 0; what then lacks in value, slope
 * and curvature at 1 is made up by s^3, s^4, s^5, whose three equations there are solved by hand. */
fade fade_make(jet start, jet end, fade_kind kind) {
    fade f = {.quintic = {start.value, start.slope, 0.5 * start.curve}, .terms = kind.terms};
    double *q = f.quintic;
    double value = end.value - q[0] - q[1] - q[2];
    double slope = end.slope - q[1] - 2.0 * q[2];
    double curve = end.curve - 2.0 * q[2];
    q[3] = 10.0 * value - 4.0 * slope + 0.5 * curve;
    q[4] = -15.0 * value + 7.0 * slope - curve;
    q[5] = 6.0 * value - 3.0 * slope + 0.5 * curve;

    /* Least squares over samples of (weight * value) and (stiffness * second derivative). */
    enum { SAMPLES = 61 };
    double a[FADE_MOST][FADE_MOST] = {{0.0}};
    for (int i = 1; i < SAMPLES - 1; i++) {
        double s = (double)i / (SAMPLES - 1);
        double from_end = s < 0.5 ? s : 1.0 - s;
        double weight = from_end < kind.edge ? from_end / kind.edge : 1.0;
        weight = weight < 0.05 ? 0.05 : weight;
        double target = quintic_at(q, s) * weight;
        double bend = kind.stiffness * (2.0 * q[2] + s * (6.0 * q[3] + s * (12.0 * q[4] + s * 20.0 * q[5])));
        double value_row[FADE_MOST];
        double bend_row[FADE_MOST];
        double power = bump(s) * weight;
        for (int n = 0; n < kind.terms; n++, power *= 2.0 * s - 1.0) {
            value_row[n] = power;
            bend_row[n] = kind.stiffness * inner_curve(s, n);
        }
        for (int n = 0; n < kind.terms; n++) {
            for (int m = 0; m <= n; m++) {
                a[n][m] += value_row[n] * value_row[m] + bend_row[n] * bend_row[m];
            }
            f.inner[n] -= value_row[n] * target + bend_row[n] * bend;
        }
    }
    solve_symmetric(kind.terms, a, f.inner);
    return f;
}

double fade_at(const fade *f, double s) {
    double sum = 0.0;
    for (int n = f->terms - 1; n >= 0; n--) {
        sum = sum * (2.0 * s - 1.0) + f->inner[n];
    }
    return quintic_at(f->quintic, s) + bump(s) * sum;
}

/* One Bezier between two keys, as Blender draws it: a cubic in value and in time. */
#include "fit_private.h"

enum { NEWTON = 12, ROUNDS = 3 };
/* Handles are kept this long at least, so that time runs on at the ends, and together no longer than the
 * span, beyond which Blender shortens them. */
static const double shortest = 0.2;
static const double longest = 0.7;

/* The curve's parameter where its time is `share`: time 3 a t (1-t)^2 + 3 (1-b) t^2 (1-t) + t^3 rises in t,
 * so Newton's step is taken where it stays within what is known to hold the root, else that is halved. */
static double parameter(double a, double b, double share) {
    double low = 0.0;
    double high = 1.0;
    double t = share;
    for (int i = 0; i < NEWTON; i++) {
        double s = 1.0 - t;
        double off = 3.0 * t * s * (a * s + (1.0 - b) * t) + t * t * t - share;
        if (fabs(off) < 1e-9) {
            break;
        }
        if (off > 0.0) {
            high = t;
        } else {
            low = t;
        }
        double rate = 3.0 * (a * s * s + 2.0 * (1.0 - a - b) * s * t + b * t * t);
        double next = t - off / rate;
        t = next > low && next < high ? next : 0.5 * (low + high);
    }
    return t;
}

static double value_at(const segment *c, double t) {
    double s = 1.0 - t;
    double first = c->value[0] + c->slope[0] * c->handle[0];
    double second = c->value[1] - c->slope[1] * c->handle[1];
    return s * s * (c->value[0] * s + 3.0 * first * t) + t * t * (3.0 * second * s + c->value[1] * t);
}

static bool is_even(const segment *c) {
    return c->handle[0] == SEGMENT_THIRD && c->handle[1] == SEGMENT_THIRD;
}

double segment_at(const segment *s, double share) {
    return value_at(s, is_even(s) ? share : parameter(s->handle[0], s->handle[1], share));
}

bool segment_may_have(const double handle[2]) {
    return handle[0] >= shortest && handle[1] >= shortest && handle[0] + handle[1] <= 1.0;
}

static void bound(double handle[2]) {
    for (int i = 0; i < 2; i++) {
        handle[i] = handle[i] < shortest ? shortest : handle[i] > longest ? longest : handle[i];
    }
    double both = handle[0] + handle[1];
    if (both > 1.0) {
        handle[0] /= both;
        handle[1] /= both;
    }
}

/* One Gauss-Newton step for the two lengths. At a fixed time a handle moves the value by its own pull less
 * what the parameter's shift takes back: with dy/dx the curve's slope there, dy/da = 3 t s^2 (slope0 -
 * dy/dx),   dy/db = 3 t^2 s (dy/dx - slope1). Returns the sum of squared errors before the step. */
static double step(segment *c, int64_t count, const double *share, const float *wanted) {
    double aa = 0.0;
    double ab = 0.0;
    double bb = 0.0;
    double ae = 0.0;
    double be = 0.0;
    double sum = 0.0;
    double a = c->handle[0];
    double b = c->handle[1];
    double rise = c->value[1] - c->value[0] - c->slope[0] * a - c->slope[1] * b;
    for (int64_t i = 0; i < count; i++) {
        double t = is_even(c) ? share[i] : parameter(a, b, share[i]);
        double s = 1.0 - t;
        double rate = a * s * s + 2.0 * (1.0 - a - b) * s * t + b * t * t;
        double climb = c->slope[0] * a * s * s + 2.0 * rise * s * t + c->slope[1] * b * t * t;
        double along = climb / rate;
        double error = (double)wanted[i] - value_at(c, t);
        double da = 3.0 * t * s * s * (c->slope[0] - along);
        double db = 3.0 * t * t * s * (along - c->slope[1]);
        aa += da * da;
        ab += da * db;
        bb += db * db;
        ae += da * error;
        be += db * error;
        sum += error * error;
    }
    /* A little of the trace keeps lengths that do not matter where they are. */
    double damp = 1e-4 * (aa + bb);
    double determinant = (aa + damp) * (bb + damp) - ab * ab;
    if (determinant > 0.0) {
        c->handle[0] = a + ((bb + damp) * ae - ab * be) / determinant;
        c->handle[1] = b + ((aa + damp) * be - ab * ae) / determinant;
        bound(c->handle);
    }
    return sum;
}

void segment_handles(segment *s, int64_t count, const double *share, const float *wanted) {
    s->handle[0] = s->handle[1] = SEGMENT_THIRD;
    segment best = *s;
    double least = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        segment now = *s;
        double sum = step(s, count, share, wanted);
        if (!(sum < least)) {
            break;
        }
        least = sum;
        best = now;
    }
    *s = best;
}

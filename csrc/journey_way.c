/* The way as smooth curves of time, and the phase of the stride along it (requirements G1, G3, G9, G20).
 *
 * The phase is the integral of speed over stride length. A body that turns takes steps too: its feet go round
 * it. Where a body stands the phase waits, both feet on the ground.
 */
#include "check.h"
#include "journey_private.h"

#include <stdlib.h>
#include <string.h>

/* Below this effort (speed of sqrt(g L)) a body stands; for that long, where it is not at an end of the way.
 */
static const double still = 0.02, still_seconds = 0.25;
/* Phases, of half a stride, at which a stand begins and ends: after the last foot has come down flat, and a
 * little before the first heel rises. */
static const double stand_in = 0.1, stand_out = 0.45;
/* Feet go round a turning body as if they went at this distance (of leg length) times the rate of turning. */
static const double turn_arm = 0.7;
/* Strides sideways and back against those ahead. Feet that went as far sideways would cross. */
static const double side_stride = 0.5, back_stride = 0.85;

/* Second derivatives m of the natural cubic spline through evenly spaced values:
 * m[i-1] + 4 m[i] + m[i+1] = 6 (v[i+1] - 2 v[i] + v[i-1]) / step^2, m = 0 at the ends. Thomas's elimination;
 * `share` is scratch, (n,). */
static void spline_curve(int64_t n, const double *v, double step, double *m, double *share) {
    double scale = 6.0 / (step * step);
    m[0] = share[0] = 0.0;
    for (int64_t i = 1; i < n - 1; i++) {
        double pivot = 4.0 - share[i - 1];
        share[i] = 1.0 / pivot;
        m[i] = (scale * (v[i + 1] - 2.0 * v[i] + v[i - 1]) - m[i - 1]) / pivot;
    }
    m[n - 1] = 0.0;
    for (int64_t i = n - 2; i > 0; i--) {
        m[i] -= share[i] * m[i + 1];
    }
}

/* Value and slope of a spline at a place x (in samples), straight on beyond the ends. */
static void spline_at(const way *w, int k, double x, double *value, double *slope) {
    const double *v = w->value[k];
    const double *m = w->curve[k];
    double h = w->step;
    double last = (double)(w->samples - 1);
    double inside = x < 0.0 ? 0.0 : x > last ? last : x;
    int64_t i = (int64_t)inside;
    i = i > w->samples - 2 ? w->samples - 2 : i;
    double b = inside - (double)i;
    double a = 1.0 - b;
    *value = a * v[i] + b * v[i + 1] + ((a * a * a - a) * m[i] + (b * b * b - b) * m[i + 1]) * h * h / 6.0;
    *slope = (v[i + 1] - v[i]) / h + ((3.0 * b * b - 1.0) * m[i + 1] - (3.0 * a * a - 1.0) * m[i]) * h / 6.0;
    *value += (x - inside) * h * *slope;
}

moment way_at(const way *w, double time) {
    double x = (time - w->start) / w->step;
    moment m;
    spline_at(w, 0, x, &m.x, &m.vx);
    spline_at(w, 1, x, &m.y, &m.vy);
    spline_at(w, 2, x, &m.facing, &m.turning);
    return m;
}

static double arm_speed(const way *w, const moment *m) { return turn_arm * w->leg * m->turning; }

double effort_of(const way *w, const moment *m) {
    double arm = arm_speed(w, m);
    return sqrt(m->vx * m->vx + m->vy * m->vy + arm * arm) / w->unit;
}

/* Cosine of the angle from facing to travel; 0 where there is no travel. */
static double direction_of(const moment *m, double *speed) {
    double s;
    double c;
    amble_sincos(m->facing, &s, &c);
    *speed = sqrt(m->vx * m->vx + m->vy * m->vy);
    return *speed > 0.0 ? (m->vx * c + m->vy * s) / *speed : 0.0;
}

double ahead_of(const way *w, const moment *m) {
    double speed;
    double along = direction_of(m, &speed);
    return along * smooth_step(speed / (0.1 * w->unit));
}

const gait_kind *kind_at(const way *w, double effort) {
    bool runs = w->kind == GAIT_RUN || (w->kind == GAIT_KINDS && effort > gait_run_from);
    return &gait_kinds[runs ? GAIT_RUN : GAIT_WALK];
}

/* The stride at a speed. Where the gait changes with the speed, from the one's to the other's over a little
 * of it, so that the rate does not jump. */
static double chosen_stride(const way *w, double vn) {
    const double over = 0.08;
    if (w->kind != GAIT_KINDS) {
        return natural_stride(kind_at(w, vn), vn, w->leg);
    }
    double share = smooth_step((vn - gait_run_from) / over + 0.5);
    double walked = natural_stride(&gait_kinds[GAIT_WALK], vn, w->leg);
    return walked + share * (natural_stride(&gait_kinds[GAIT_RUN], vn, w->leg) - walked);
}

static double natural_rate(const way *w, const moment *m, double pace) {
    double effort = effort_of(w, m);
    if (effort <= 0.0) {
        return 0.0;
    }
    double speed;
    double along = direction_of(m, &speed);
    double travel = speed / (effort * w->unit);
    travel *= travel; /* the rest is turning, whose strides are as those ahead */
    double across = (1.0 - along * along) / (side_stride * side_stride);
    along = along < 0.0 ? along / back_stride : along;
    double shorter = sqrt(travel * (along * along + across) + (1.0 - travel));
    /* Strides do not shrink to nothing with the speed: below vn 0.2 they are those of 0.1 and more. */
    double vn = effort < 0.2 ? 0.1 + 2.5 * effort * effort : effort;
    return w->asked * pace * effort * w->unit * shorter / chosen_stride(w, vn);
}

double rate_at(const way *w, double time) {
    double x = (time - w->start) / w->step;
    double last = (double)(w->samples - 1);
    x = x < 0.0 ? 0.0 : x > last ? last : x;
    int64_t i = (int64_t)x;
    i = i > w->samples - 2 ? w->samples - 2 : i;
    double s = x - (double)i;
    double rise = (w->phase[i + 1] - w->phase[i]) / w->step;
    return 6.0 * s * (1.0 - s) * rise + (1.0 - s) * (1.0 - 3.0 * s) * w->rate[i] -
           s * (2.0 - 3.0 * s) * w->rate[i + 1];
}

/* Cubic Hermite between samples, at the end's rate beyond them. */
double phase_at(const way *w, double time) {
    double x = (time - w->start) / w->step;
    double last = (double)(w->samples - 1);
    double inside = x < 0.0 ? 0.0 : x > last ? last : x;
    int64_t i = (int64_t)inside;
    i = i > w->samples - 2 ? w->samples - 2 : i;
    double s = inside - (double)i;
    double h = w->step;
    double t = 1.0 - s;
    double value = w->phase[i] * t * t * (1.0 + 2.0 * s) + w->phase[i + 1] * s * s * (3.0 - 2.0 * s) +
                   h * s * t * (t * w->rate[i] - s * w->rate[i + 1]);
    double rate = x < 0.0 ? w->rate[0] : w->rate[w->samples - 1];
    return value + (x - inside) * h * rate;
}

/* From x, at slope 1, to `to`, at slope 0, as s goes from 0 to 1 over `span`. */
static double come_to(double x, double to, double s, double span) {
    double t = 1.0 - s;
    return x * t * t * (1.0 + 2.0 * s) + to * s * s * (3.0 - 2.0 * s) + span * s * t * t;
}

double settled(const way *w, double phase) {
    const double span = 0.5;
    int low = 0;
    int high = w->stands;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (w->stand[middle].out + span <= phase) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == w->stands || phase <= w->stand[low].in - span) {
        return phase;
    }
    const stand *s = &w->stand[low];
    double middle = isinf(s->in) ? s->out : isinf(s->out) ? s->in : 0.5 * (s->in + s->out);
    if (phase < s->in) {
        return come_to(s->in - span, middle, 1.0 - (s->in - phase) / span, span);
    }
    if (phase > s->out) {
        return -come_to(-(s->out + span), -middle, 1.0 - (phase - s->out) / span, span);
    }
    return middle;
}

double time_of(const way *w, double phase) {
    double end = w->start + w->step * (double)(w->samples - 1);
    if (phase <= w->phase[0]) {
        return w->rate[0] > 0.0 ? w->start + (phase - w->phase[0]) / w->rate[0] : w->start;
    }
    if (phase >= w->phase[w->samples - 1]) {
        double rate = w->rate[w->samples - 1];
        return rate > 0.0 ? end + (phase - w->phase[w->samples - 1]) / rate : end;
    }
    int64_t low = 0;
    int64_t high = w->samples - 1;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (w->phase[middle] < phase) {
            low = middle;
        } else {
            high = middle;
        }
    }
    double a = w->start + w->step * (double)low;
    double b = a + w->step;
    for (int i = 0; i < 50; i++) {
        double middle = 0.5 * (a + b);
        if (phase_at(w, middle) < phase) {
            a = middle;
        } else {
            b = middle;
        }
    }
    return 0.5 * (a + b);
}

/* Samples from..to (both counted) in which the body stands or moves. */
typedef struct stretch {
    int64_t from, to;
    bool stands;
} stretch;

/* Cuts the way into stretches that stand and such that move; returns how many. out: (samples + 1,). */
static int64_t cut(const way *w, stretch *out) {
    int64_t count = 0;
    int64_t least = (int64_t)ceil(still_seconds / w->step);
    for (int64_t i = 0; i < w->samples;) {
        moment m = way_at(w, w->start + w->step * (double)i);
        bool stands = effort_of(w, &m) < still;
        int64_t k = i;
        while (k + 1 < w->samples) {
            m = way_at(w, w->start + w->step * (double)(k + 1));
            if ((effort_of(w, &m) < still) != stands) {
                break;
            }
            k++;
        }
        bool at_end = i == 0 || k == w->samples - 1;
        stands = stands && (at_end || k - i >= least);
        if (count && out[count - 1].stands == stands) {
            out[count - 1].to = k;
        } else {
            out[count++] = (stretch){i, k, stands};
        }
        i = k + 1;
    }
    return count;
}

/* Phase over a stretch that moves, from phase[from]; Simpson's rule between samples. */
static void integrate(way *w, int64_t from, int64_t to) {
    for (int64_t i = from; i <= to; i++) {
        moment m = way_at(w, w->start + w->step * (double)i);
        w->rate[i] = natural_rate(w, &m, w->pace[i]);
        if (i > from) {
            m = way_at(w, w->start + w->step * ((double)i - 0.5));
            double middle = natural_rate(w, &m, 0.5 * (w->pace[i - 1] + w->pace[i]));
            w->phase[i] = w->phase[i - 1] + w->step * (w->rate[i - 1] + 4.0 * middle + w->rate[i]) / 6.0;
        }
    }
}

/* Strides are shorter next to a stand: the foot that the body leaves, or comes to, is under it there, and not
 * half a stance ahead. As much more rate as makes half of the way of a stance do for the whole of it. */
static void quicken(way *w, const stretch *stretches, int64_t count) {
    const double most = 1.3;
    double over = 0.7 * w->leg;
    for (int64_t n = 0; n < count; n++) {
        const stretch *s = &stretches[n];
        for (int side = 0; side < 2 && !s->stands; side++) {
            if (side ? n + 1 == count : n == 0) {
                continue;
            }
            double gone = 0.0;
            for (int64_t k = 0; k <= s->to - s->from && gone < over; k++) {
                int64_t i = side ? s->to - k : s->from + k;
                moment m = way_at(w, w->start + w->step * (double)i);
                gone += effort_of(w, &m) * w->unit * w->step;
                w->pace[i] *= 1.0 + most * (1.0 - smooth_step(gone / over));
            }
        }
    }
}

static void shift(way *w, int64_t from, int64_t to, double by) {
    for (int64_t i = from; i <= to; i++) {
        w->phase[i] += by;
    }
}

/* Lets the phase go on from `before` to `after` while the body stands. */
static void wait(way *w, int64_t from, int64_t to, double before, double after) {
    double span = (double)(to - from);
    for (int64_t i = from; i <= to; i++) {
        double s = span > 0.0 ? (double)(i - from) / span : 0.0;
        w->phase[i] = before + (after - before) * s * s * (3.0 - 2.0 * s);
        w->rate[i] = span > 0.0 ? (after - before) * 6.0 * s * (1.0 - s) / (span * w->step) : 0.0;
    }
}

/* Phases of all stretches. A stretch between two stands has a whole number of steps, at least two: its rate
 * is stretched to fit. One that ends in a stand, and begins with the way, begins at whatever phase fits. */
static void set_phases(way *w, const stretch *stretches, int64_t count, int first) {
    double phase = stretches[0].stands ? stand_out - 0.5 * first : 0.0;
    for (int64_t n = 0; n < count; n++) {
        const stretch *s = &stretches[n];
        double middle = w->start + w->step * 0.5 * (double)(s->from + s->to);
        if (s->stands) {
            bool begins = n == 0;
            bool ends = n == count - 1;
            double after = begins || ends ? phase : phase + stand_out - stand_in;
            double time = begins ? w->start : ends ? w->start + w->step * (double)s->to : middle;
            wait(w, s->from, s->to, phase, after);
            w->stand[w->stands++] = (stand){begins ? -INFINITY : phase, ends ? INFINITY : after, time};
            phase = after;
            continue;
        }
        /* The stretch is taken to begin and end where its neighbours do. */
        int64_t from = s->from > 0 ? s->from - 1 : s->from;
        int64_t to = s->to < w->samples - 1 ? s->to + 1 : s->to;
        double kept = w->rate[from];
        w->phase[from] = phase;
        integrate(w, from, to);
        if (from < s->from) {
            w->rate[from] = kept;
        }
        bool stops = n + 1 < count && to > 0;
        if (stops && n > 0) {
            double whole = w->phase[to] - phase;
            double steps = floor(2.0 * (whole - 0.5 - stand_in + stand_out) + 0.5);
            double wanted = 0.5 * (steps > 2.0 ? steps : 2.0) + 0.5 + stand_in - stand_out;
            double factor = whole > 0.0 ? wanted / whole : 1.0;
            for (int64_t i = s->from; i <= to; i++) {
                w->phase[i] = phase + (w->phase[i] - phase) * factor;
                w->rate[i] *= factor;
            }
        } else if (stops) {
            double end = w->phase[to];
            double steps = floor(2.0 * (end - stand_in) + 0.5);
            shift(w, from, to, 0.5 * steps + stand_in - end);
        }
        /* The analyzer does not see that stretches lie within the samples. */
        // NOLINTNEXTLINE(clang-analyzer-security.ArrayBound)
        phase = w->phase[to];
    }
    if (count == 1 && !stretches[0].stands) {
        shift(w, 0, w->samples - 1, -phase_at(w, 0.0));
    }
}

static amble_error check_way(const amble_way *from) {
    if (from->samples < 3 || from->samples > AMBLE_WAY_MOST) {
        return amble_fail(AMBLE_BAD_VALUE, "place has %lld samples, a way has 3 to %d",
                          (long long)from->samples, AMBLE_WAY_MOST);
    }
    AMBLE_TRY(amble_check_number("step", from->step, 1e-4, 1.0));
    AMBLE_TRY(amble_check_number("start", from->start, -1e9, 1e9));
    AMBLE_TRY(amble_check_values_double("place", from->place, 2 * from->samples, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("facing", from->facing, from->samples, 1e5));
    for (int64_t i = 0; i < from->samples; i++) {
        AMBLE_TRY(amble_check_number("pace", from->pace[i], 0.1, 10.0));
    }
    return AMBLE_SUCCESS;
}

void way_free(way *w) {
    for (int k = 0; k < 3; k++) {
        free(w->value[k]);
        free(w->curve[k]);
    }
    free(w->pace);
    free(w->phase);
    free(w->rate);
    free(w->stand);
    *w = (way){0};
}

amble_error way_make(way *w, const amble_way *from, const gait_plan *measured, const double *value,
                     int first) {
    AMBLE_TRY(check_way(from));
    size_t n = (size_t)from->samples;
    *w = (way){.samples = from->samples,
               .start = from->start,
               .step = from->step,
               .asked = 1.0 / value[AMBLE_GAIT_STEP_LENGTH]};
    w->kind = (int)value[AMBLE_GAIT_KIND];
    w->leg = measured->summary.leg_length;
    w->unit = sqrt(value[AMBLE_GAIT_GRAVITY] * w->leg);
    for (int k = 0; k < 3; k++) {
        w->value[k] = malloc(n * sizeof(double));
        w->curve[k] = malloc(n * sizeof(double));
    }
    w->pace = malloc(n * sizeof(double));
    w->phase = calloc(n, sizeof(double));
    w->rate = calloc(n, sizeof(double));
    stretch *stretches = malloc((n + 1) * sizeof *stretches);
    bool good = w->pace && w->phase && w->rate && stretches;
    for (int k = 0; k < 3; k++) {
        good = good && w->value[k] && w->curve[k];
    }
    if (!good) {
        free(stretches);
        return amble_fail(AMBLE_NO_MEMORY, "no memory for a way of %lld samples", (long long)from->samples);
    }
    memcpy(w->value[0], from->place, n * sizeof(double));
    memcpy(w->value[1], from->place + n, n * sizeof(double));
    memcpy(w->value[2], from->facing, n * sizeof(double));
    memcpy(w->pace, from->pace, n * sizeof(double));
    for (int k = 0; k < 3; k++) {
        spline_curve(from->samples, w->value[k], w->step, w->curve[k], w->phase);
    }
    if (value[AMBLE_GAIT_CYCLE] > 0.0) {
        double nominal = value[AMBLE_GAIT_SPEED] / chosen_stride(w, value[AMBLE_GAIT_SPEED] / w->unit);
        w->asked = 1.0 / (nominal * value[AMBLE_GAIT_CYCLE]);
    }
    int64_t count = cut(w, stretches);
    w->stand = malloc((size_t)count * sizeof *w->stand);
    if (!w->stand) {
        free(stretches);
        return amble_fail(AMBLE_NO_MEMORY, "no memory for %lld stretches of a way", (long long)count);
    }
    quicken(w, stretches, count);
    set_phases(w, stretches, count, first);
    free(stretches);
    return AMBLE_SUCCESS;
}

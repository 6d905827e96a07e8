/* Heights along the phase: of the ground under the body, and by how much the pelvis is lowered so that no leg
 * is drawn out.
 */
#include "check.h"
#include "journey_private.h"

#include <stdlib.h>
#include <string.h>

/* Largest distance of hip and ankle, of thigh + shin. */
static const double reach = 0.9975;
/* By how much less on slopes, and the slope at which all of it is taken: there legs must not straighten and
 * bend again at once. */
static const double slope_bend = 0.036, slope_most = 0.2;
/* The same next to steps that are not as the steady gait's: by how much, and the difference, of leg length.
 */
static const double step_bend = 0.012, step_most = 0.15, side_bend = 0.025, side_most = 0.5;

/* Weights of the four pieces of the uniform cubic B-spline that cover a place, s in 0 .. 1 of a knot. */
void bspline_weights(double s, double weight[4]) {
    double t = 1.0 - s;
    weight[0] = t * t * t / 6.0;
    weight[1] = (4.0 - 3.0 * s * s * (1.0 + t)) / 6.0;
    weight[2] = (4.0 - 3.0 * t * t * (1.0 + s)) / 6.0;
    weight[3] = s * s * s / 6.0;
}

/* The first of the four coefficients that count at x, kept inside. */
static int64_t place_in(const bspline *s, double x, double *share) {
    double at = (x - s->first) / s->step;
    double most = (double)(s->count - 4);
    double whole = floor(at);
    whole = whole < 0.0 ? 0.0 : whole > most ? most : whole;
    *share = at - whole;
    *share = *share < 0.0 ? 0.0 : *share > 1.0 ? 1.0 : *share;
    return (int64_t)whole;
}

double bspline_at(const bspline *s, double x) {
    double share;
    double weight[4];
    int64_t i = place_in(s, x, &share);
    bspline_weights(share, weight);
    double sum = 0.0;
    for (int k = 0; k < 4; k++) {
        sum += weight[k] * s->coefficient[i + k];
    }
    return sum;
}

static amble_error bspline_make(bspline *s, double first, double last, double step) {
    free(s->coefficient);
    *s = (bspline){.first = first, .step = step, .count = (int64_t)ceil((last - first) / step) + 4};
    s->coefficient = calloc((size_t)s->count, sizeof(double));
    return s->coefficient ? AMBLE_SUCCESS
                          : amble_fail(AMBLE_NO_MEMORY, "no memory for %lld knots", (long long)s->count);
}

void heights_free(amble_journey *j) {
    free(j->base.coefficient);
    free(j->lowered.coefficient);
}

/* The plant whose stance holds, or comes nearest to, a phase. */
static const plant *plant_at(const amble_journey *j, int leg, double phase) {
    const plant *found = j->plants[leg];
    for (int64_t low = 0, high = j->count[leg]; high - low > 1;) {
        int64_t middle = low + (high - low) / 2;
        if (j->plants[leg][middle].strike <= phase) {
            low = middle;
            found = &j->plants[leg][middle];
        } else {
            high = middle;
        }
    }
    return found;
}

/* Ground under the body: through the plants of both feet in turn. Averages over neighbours (1 2 1) take out
 * what differs from left to right, as on a slope across; straight slopes stay straight. */
static amble_error make_base(amble_journey *j) {
    const double middle = 0.3; /* of a stride after heel strike */
    double first = 0.5 * j->first_node;
    double last = first + 0.5 * (double)(j->nodes - 1);
    AMBLE_TRY(bspline_make(&j->base, first + middle, last + middle, 0.5));
    int64_t n = j->base.count;
    double *raw = malloc((size_t)n * sizeof *raw);
    if (!raw) {
        return amble_fail(AMBLE_NO_MEMORY, "no memory for %lld heights", (long long)n);
    }
    /* Coefficient i belongs to the knot before: first + (i - 1) step. */
    for (int64_t i = 0; i < n; i++) {
        double strike = first + 0.5 * (double)(i - 1);
        double off = strike - j->walker.plan.leg[0].phase;
        int leg = fabs(off - floor(off + 0.5)) < 0.125 ? 0 : 1;
        raw[i] = plant_at(j, leg, strike + 0.01)->place.z;
    }
    for (int64_t i = 0; i < n; i++) {
        double before = raw[i ? i - 1 : 0];
        double after = raw[i + 1 < n ? i + 1 : n - 1];
        j->base.coefficient[i] = 0.25 * (before + after) + 0.5 * raw[i];
    }
    free(raw);
    return AMBLE_SUCCESS;
}

/* Slope of the ground along the way at each node, for the lean of the trunk. */
static void make_slopes(amble_journey *j) {
    for (int64_t i = 0; i < j->nodes; i++) {
        double phase = 0.5 * (j->first_node + (double)i);
        moment a = way_at(&j->way, time_of(&j->way, phase - 0.5));
        moment b = way_at(&j->way, time_of(&j->way, phase + 0.5));
        double run = sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
        double rise = bspline_at(&j->base, phase + 0.5) - bspline_at(&j->base, phase - 0.5);
        double c = ahead_of(&j->way, &b);
        j->slope[i] = run > 0.1 * j->way.leg ? c * rise / run : 0.0;
    }
}

double slope_at(const amble_journey *j, double phase) {
    double at = 2.0 * phase - j->first_node;
    double last = (double)(j->nodes - 2);
    double whole = floor(at);
    whole = whole < 0.0 ? 0.0 : whole > last ? last : whole;
    const double *slope = j->slope + (int64_t)whole;
    return slope[0] + (slope[1] - slope[0]) * smooth_step(at - whole);
}

/* A moment at which a leg bounds the pelvis: by how much it may be raised at most. */
typedef struct bound {
    double phase, most, weight;
} bound;

/* How much more a leg is bent for the swings next to a phase, of its length: the further they go aside, or
 * otherwise than the steady gait. */
static double odd_bend(const amble_journey *j, int leg, double phase) {
    int64_t i = plant_at(j, leg, phase) - j->plants[leg];
    double most = 0.0;
    for (int64_t k = i > 0 ? i - 1 : 0; k <= i && k + 1 < j->count[leg]; k++) {
        const swing *s = &j->swings[leg][k];
        vec gone = vec_sub(s->end, s->start);
        double along = vec_dot(gone, s->heading);
        double aside = sqrt(gone.x * gone.x + gone.y * gone.y - along * along > 0.0
                                ? gone.x * gone.x + gone.y * gone.y - along * along
                                : 0.0);
        double bend = step_bend * smooth_step(fabs(along - s->steady) / (step_most * j->way.leg)) +
                      side_bend * smooth_step(aside / (side_most * j->way.leg));
        most = bend > most ? bend : most;
    }
    return most;
}

/* How steep the ground under a plant is, rise over run. */
static double tilt_of(const plant *p) {
    return sqrt(p->normal.x * p->normal.x + p->normal.y * p->normal.y) / p->normal.z;
}

static double bound_of(const amble_journey *j, const goals *g, int leg, double phase, double life) {
    const leg_plan *shape = &j->walker.plan.leg[leg];
    vec hip = vec_add(g->pelvis, quat_rotate(g->hips, shape->hip));
    vec ankle = foot_of(j, leg, phase).ankle;
    double slope = fabs(slope_at(j, phase));
    /* A slope across bends the upper leg by itself, and half as much is enough for the lower one. */
    double across = 0.5 * tilt_of(plant_at(j, leg, phase));
    slope = slope > across ? slope : across;
    double bend = slope_bend * smooth_step(slope / slope_most);
    double odd = life * odd_bend(j, leg, phase);
    double length = (reach - (odd > bend ? odd : bend)) * (shape->thigh + shape->shin);
    double dx = ankle.x - hip.x;
    double dy = ankle.y - hip.y;
    double tall = length * length - dx * dx - dy * dy;
    double least = 0.04 * length * length;
    return ankle.z + sqrt(tall > least ? tall : least) - hip.z;
}

/* Solves the normal equations, of half bandwidth 3, in place: rows of (diagonal, three above it). Cholesky.
 */
static void solve_banded(int64_t n, double (*a)[4], double *b) {
    for (int64_t i = 0; i < n; i++) {
        for (int k = 3; k >= 1; k--) {
            if (i < k) {
                continue;
            }
            double factor = a[i - k][k] / a[i - k][0];
            for (int m = 0; m + k < 4; m++) {
                a[i][m] -= factor * a[i - k][k + m];
            }
            b[i] -= factor * b[i - k];
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int k = 1; k < 4 && i + k < n; k++) {
            b[i] -= a[i][k] * b[i + k];
        }
        b[i] /= a[i][0];
    }
}

/* Lowers the pelvis as little and as smoothly as brings it under all bounds: least squares in which a bound
 * counts the more, the more often it was passed. */
static amble_error fit_lowered(amble_journey *j, bound *bounds, int64_t count) {
    bspline *s = &j->lowered;
    const double pull = 0.02; /* towards 0, a sample */
    const double stiff = 2.0; /* of the curvature */
    double scale = 0.002 * j->way.leg;
    double (*a)[4] = malloc((size_t)s->count * sizeof *a);
    double *b = malloc((size_t)s->count * sizeof *b);
    if (!a || !b) {
        free(a);
        free(b);
        return amble_fail(AMBLE_NO_MEMORY, "no memory for %lld knots", (long long)s->count);
    }
    for (int64_t i = 0; i < count; i++) {
        bounds[i].weight = bounds[i].most < 0.0 ? 1.0 : 0.0;
    }
    for (int pass = 0; pass < 60; pass++) {
        memset(a, 0, (size_t)s->count * sizeof *a);
        memset(b, 0, (size_t)s->count * sizeof *b);
        for (int64_t i = 0; i < s->count; i++) {
            a[i][0] += 1e-9;
            for (int k = 0; i + 2 < s->count && k < 3; k++) {
                static const double second[3] = {1.0, -2.0, 1.0};
                for (int m = k; m < 3; m++) {
                    a[i + k][m - k] += stiff * second[k] * second[m];
                }
            }
        }
        for (int64_t i = 0; i < count; i++) {
            double share;
            double weight[4];
            int64_t at = place_in(s, bounds[i].phase, &share);
            bspline_weights(share, weight);
            for (int k = 0; k < 4; k++) {
                for (int m = k; m < 4; m++) {
                    a[at + k][m - k] += (pull + bounds[i].weight) * weight[k] * weight[m];
                }
                b[at + k] += bounds[i].weight * weight[k] * bounds[i].most;
            }
        }
        solve_banded(s->count, a, b);
        memcpy(s->coefficient, b, (size_t)s->count * sizeof *b);
        bool over = false;
        for (int64_t i = 0; i < count; i++) {
            double above = (bspline_at(s, bounds[i].phase) - bounds[i].most) / scale;
            if (above > 0.25) {
                over = true;
                double more = bounds[i].weight > 1.0 ? bounds[i].weight : 1.0;
                bounds[i].weight = more * (1.0 + 0.6 * (above < 1.0 ? above : 1.0));
            }
        }
        if (!over) {
            break;
        }
    }
    free(a);
    free(b);
    return AMBLE_SUCCESS;
}

static amble_error make_lowered(amble_journey *j) {
    const way *w = &j->way;
    double first = floor(w->phase[0]) - 1.0;
    double last = w->phase[w->samples - 1] + 1.0;
    AMBLE_TRY(bspline_make(&j->lowered, first, last, 0.125));
    /* Even moments of the phase, so that a steady gait is bounded alike in every stride; a stand by its own.
     */
    const double every = 1.0 / 48.0;
    int64_t strides = (int64_t)((w->phase[w->samples - 1] - w->phase[0]) / every) + 1;
    int64_t moments = strides + w->stands;
    bound *bounds = malloc((size_t)(2 * moments) * sizeof *bounds);
    if (!bounds) {
        return amble_fail(AMBLE_NO_MEMORY, "no memory for %lld moments", (long long)moments);
    }
    int64_t count = 0;
    bool bounded = false;
    double start = ceil(w->phase[0] / every) * every;
    for (int64_t i = 0; i < moments; i++) {
        double time = i < strides ? time_of(w, start + every * (double)i) : w->stand[i - strides].time;
        double phase = i < strides ? start + every * (double)i : phase_at(w, time);
        goals g;
        body_of(j, time, phase, &g);
        moment m = way_at(w, time);
        double life = smooth_step(effort_of(w, &m) / lively);
        for (int leg = 0; leg < 2; leg++) {
            bounds[count] = (bound){.phase = phase, .most = bound_of(j, &g, leg, phase, life)};
            bounded = bounded || bounds[count].most < 0.0;
            count++;
        }
    }
    amble_error error = bounded ? fit_lowered(j, bounds, count) : AMBLE_SUCCESS;
    free(bounds);
    return error;
}

amble_error heights_make(amble_journey *j) {
    AMBLE_TRY(make_base(j));
    make_slopes(j);
    return make_lowered(j);
}

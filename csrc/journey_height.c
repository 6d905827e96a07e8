/* Splines over the phase; height and slope of the ground under the body. */
#include "check.h"
#include "journey_private.h"

#include <stdlib.h>

/* Weights of the four pieces of the uniform cubic B-spline that cover a place, s in 0 .. 1 of a knot. */
void bspline_weights(double s, double weight[4]) {
    double t = 1.0 - s;
    weight[0] = t * t * t / 6.0;
    weight[1] = (4.0 - 3.0 * s * s * (1.0 + t)) / 6.0;
    weight[2] = (4.0 - 3.0 * t * t * (1.0 + s)) / 6.0;
    weight[3] = s * s * s / 6.0;
}

int64_t bspline_place(const bspline *s, double x, double *share) {
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
    int64_t i = bspline_place(s, x, &share);
    bspline_weights(share, weight);
    double sum = 0.0;
    for (int k = 0; k < 4; k++) {
        sum += weight[k] * s->coefficient[i + k];
    }
    return sum;
}

amble_error bspline_make(bspline *s, double first, double last, double step) {
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

const plant *plant_at(const amble_journey *j, int leg, double phase) {
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

amble_error heights_make(amble_journey *j) {
    AMBLE_TRY(make_base(j));
    make_slopes(j);
    return lower_pelvis(j);
}

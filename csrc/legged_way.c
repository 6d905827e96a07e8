/* The way as it is sampled, the phase of the stride along it, and the footfalls. */
#include "check.h"
#include "legged_private.h"

#include <stdlib.h>

/* Cubic Hermite pieces with central differences for slopes, which keep straight rows straight. */
double sampled(const amble_legged_way *way, const double *row, double time) {
    double x = (time - way->start) / way->step;
    int64_t last = way->samples > 1 ? way->samples - 1 : 1;
    if (!(x > 0.0)) {
        return row[0] + (row[1] - row[0]) * x;
    }
    if (x >= (double)last) {
        return row[last] + (row[last] - row[last - 1]) * (x - (double)last);
    }
    int64_t i = (int64_t)x;
    double s = x - (double)i;
    double a = row[i];
    double b = row[i + 1];
    double before = i > 0 ? row[i - 1] : 2.0 * a - b;
    double after = i + 2 <= last ? row[i + 2] : 2.0 * b - a;
    double p = 0.5 * (b - before);
    double q = 0.5 * (after - a);
    double d = b - a;
    return a + s * (p + s * ((3.0 * d - 2.0 * p - q) + s * (p + q - 2.0 * d)));
}

/* The same held at its ends: of what does not go on growing. */
static double held(const amble_legged_way *way, const double *row, double time) {
    double end = way->start + way->step * (double)(way->samples - 1);
    return sampled(way, row, time < way->start ? way->start : time > end ? end : time);
}

legged_moment legged_moment_at(const legged *l, double time) {
    const amble_legged_way *way = l->way;
    const double *left = way->place + way->samples;
    double half = 0.5 * way->step;
    legged_moment m = {.place = {sampled(way, way->place, time), sampled(way, left, time), 0.0},
                       .facing = sampled(way, way->facing, time),
                       .phase = sampled(way, l->phase, time),
                       .rate = held(way, way->rate, time),
                       .flex = held(way, way->flex, time)};
    double x = sampled(way, way->place, time + half) - sampled(way, way->place, time - half);
    double y = sampled(way, left, time + half) - sampled(way, left, time - half);
    m.speed = sqrt(x * x + y * y) / way->step;
    for (int64_t i = 0; i < l->legs; i++) {
        m.offset[i] = held(way, way->offset + i * way->samples, time);
        m.duty[i] = held(way, way->duty + i * way->samples, time);
    }
    return m;
}

/* Strides from time 0: the trapezoids of the rate, less what they come to at 0. */
amble_error legged_phase(legged *l) {
    const amble_legged_way *way = l->way;
    l->phase = malloc((size_t)way->samples * sizeof *l->phase);
    if (!l->phase) {
        return amble_fail(AMBLE_NO_MEMORY, "no memory for %lld samples", (long long)way->samples);
    }
    l->phase[0] = 0.0;
    for (int64_t i = 1; i < way->samples; i++) {
        l->phase[i] = l->phase[i - 1] + 0.5 * (way->rate[i - 1] + way->rate[i]) * way->step;
    }
    double zero = sampled(way, l->phase, 0.0);
    for (int64_t i = 0; i < way->samples; i++) {
        l->phase[i] -= zero;
    }
    return AMBLE_SUCCESS;
}

/* A leg's own phase, 0 at its touch-down, less `share` of its duty factor. */
static double own_phase(const legged *l, int64_t leg, double time, double share) {
    const amble_legged_way *way = l->way;
    return sampled(way, l->phase, time) - held(way, way->offset + leg * way->samples, time) -
           share * held(way, way->duty + leg * way->samples, time);
}

/* The first moment at which that reaches a number, between the samples from `from` on; from: moved on to it.
 */
static double time_of_phase(const legged *l, int64_t leg, double number, double share, int64_t *from) {
    const amble_legged_way *way = l->way;
    while (*from < way->samples - 1 &&
           own_phase(l, leg, way->start + way->step * (double)(*from + 1), share) < number) {
        ++*from;
    }
    double low = way->start + way->step * (double)*from;
    double high = low + way->step;
    for (int i = 0; i < 50; i++) {
        double middle = 0.5 * (low + high);
        if (own_phase(l, leg, middle, share) < number) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

/* Share of the stance from which the heel rises. */
static const double heel_rises = 0.8;

/* A foot comes down where the place that it has under a standing body is in the middle of its stance, by
 * phase: half of the way is gone then, also where the body starts or stops. */
static amble_footfall footfall_of(const legged *l, int64_t leg, const double times[4]) {
    const limb *limb = &l->limb[leg];
    legged_moment m = legged_moment_at(l, times[3]);
    double s;
    double c;
    amble_sincos(m.facing, &s, &c);
    double y = limb->home.y * (limb->upright ? l->value[AMBLE_LEGGED_WIDTH] : 1.0);
    return (amble_footfall){
        .leg = (double)leg,
        .strike = times[0],
        .heel_off = times[1],
        .off = times[2],
        .place = {m.place.x + c * limb->home.x - s * y, m.place.y + s * limb->home.x + c * y, limb->home.z},
        .heading = m.facing,
        .normal = {0.0, 0.0, 1.0}};
}

/* Whether the body stands at a sample: its legs take hardly a stride in the time of ten swings. */
static bool stands(const legged *l, int64_t sample) {
    return l->way->rate[sample] < 0.08 * sqrt(l->value[AMBLE_LEGGED_GRAVITY] / l->size);
}

/* In less time no foot is brought from one place to another, beside a stand. */
static double shortest_swing(const legged *l) { return 0.5 * sqrt(l->size / l->value[AMBLE_LEGGED_GRAVITY]); }

/* Between two times the first stand that lasts: 1, and its beginning and end; 0 where there is none. */
static int stand_between(const legged *l, double from, double to, double *begin, double *end) {
    const amble_legged_way *way = l->way;
    int64_t last = way->samples - 1;
    int64_t first = (int64_t)((from - way->start) / way->step);
    for (int64_t i = first < 0 ? 0 : first; i <= last && way->start + way->step * (double)i < to;) {
        int64_t k = i;
        while (k <= last && stands(l, k)) {
            k++;
        }
        *begin = fmax(from, way->start + way->step * (double)i);
        *end = fmin(to, way->start + way->step * (double)(k - 1));
        if (k > i && *end - *begin > shortest_swing(l)) {
            return 1;
        }
        i = k + 1;
    }
    return 0;
}

/* Footfalls as they are listed: how many there are, and those for which there is room. */
typedef struct list {
    int64_t count, most;
    amble_footfall *out;
} list;

static void append(list *made, amble_footfall fall) {
    if (made->out && made->count < made->most) {
        made->out[made->count] = fall;
    }
    made->count++;
}

/* Where a leg would stand still in the air between two footfalls (NULL: there is none on that side), it comes
 * down for as long as the body stands: at a place of its own, then this returns true; or, where that leaves
 * no time to swing from the one before or to the one after, it stays or already is where those are. */
static bool stand_of(const legged *l, int64_t leg, amble_footfall *before, amble_footfall *after,
                     amble_footfall *stand) {
    const amble_legged_way *way = l->way;
    double from = before ? before->off : way->start;
    double to = after ? after->strike : way->start + way->step * (double)(way->samples - 1);
    double begin;
    double end;
    if (!stand_between(l, from, to, &begin, &end)) {
        return false;
    }
    bool stays = before && begin - from < shortest_swing(l);
    bool is_there = after && to - end < shortest_swing(l);
    if (stays && is_there) { /* a body so slow swings its legs all the while */
        return false;
    }
    if (stays) {
        before->heel_off = before->off = end;
    } else if (is_there) {
        after->strike = begin;
    } else {
        *stand = footfall_of(l, leg, (double[]){begin, end, end, 0.5 * (begin + end)});
        return true;
    }
    return false;
}

/* A footfall that what follows can no longer change, and the stand after it; NULL: there is none. */
static void append_both(list *made, const amble_footfall *fall, const amble_footfall *stand) {
    if (fall) {
        append(made, *fall);
    }
    if (stand) {
        append(made, *stand);
    }
}

/* The footfalls of one leg. */
static void list_falls(const legged *l, int64_t leg, list *made) {
    const amble_legged_way *way = l->way;
    double start = way->start;
    double end = start + way->step * (double)(way->samples - 1);
    double first = ceil(own_phase(l, leg, start, 0.0));
    double last = floor(own_phase(l, leg, end, 1.0));
    int64_t from[4] = {0, 0, 0, 0};
    const double share[4] = {0.0, l->limb[leg].upright ? heel_rises : 1.0, 1.0, 0.5};
    if (stands(l, 0) && own_phase(l, leg, start, 1.0) < first - 1.0) {
        first -= 1.0; /* a body that stands at first is on this one */
    }
    int64_t strides = (int64_t)(last - first) + 1;
    amble_footfall before = {0};
    amble_footfall stand;
    for (int64_t k = 0; k < strides; k++) {
        double times[4];
        for (int i = 0; i < 4; i++) {
            times[i] = time_of_phase(l, leg, first + (double)k, share[i], &from[i]);
        }
        amble_footfall fall = footfall_of(l, leg, times);
        bool stood = stand_of(l, leg, k > 0 ? &before : NULL, &fall, &stand);
        append_both(made, k > 0 ? &before : NULL, stood ? &stand : NULL);
        before = fall;
    }
    bool stood = stand_of(l, leg, strides > 0 ? &before : NULL, NULL, &stand);
    append_both(made, strides > 0 ? &before : NULL, stood ? &stand : NULL);
}

int64_t legged_footfalls(const legged *l, int64_t most, amble_footfall *out) {
    list made = {.most = most, .out = out};
    for (int64_t leg = 0; leg < l->legs; leg++) {
        list_falls(l, leg, &made);
    }
    return made.count;
}

amble_error legged_take(legged *l, int64_t count, const amble_footfall *footfall) {
    for (int64_t i = 0; i < count; i++) {
        const amble_footfall *f = &footfall[i];
        int64_t leg = (int64_t)f->leg;
        if (!(f->leg >= 0.0 && f->leg < (double)l->legs) || (double)leg != f->leg) {
            return amble_fail(AMBLE_BAD_VALUE, "footfalls[%lld] names leg %g of %lld", (long long)i, f->leg,
                              (long long)l->legs);
        }
        const amble_footfall *before = l->falls[leg] ? &l->fall[leg][l->falls[leg] - 1] : NULL;
        if ((before && before != f - 1) || (before && before->off > f->strike) ||
            !(f->strike <= f->heel_off) || !(f->heel_off <= f->off)) {
            return amble_fail(AMBLE_BAD_VALUE, "footfalls[%lld] is not in its order", (long long)i);
        }
        double square =
            f->normal[0] * f->normal[0] + f->normal[1] * f->normal[1] + f->normal[2] * f->normal[2];
        if (!(fabs(square - 1.0) < 1e-4 && f->normal[2] > 0.0)) {
            return amble_fail(AMBLE_BAD_VALUE, "footfalls[%lld] has a normal that is no unit vector upward",
                              (long long)i);
        }
        if (!before) {
            l->fall[leg] = f;
        }
        l->falls[leg]++;
    }
    for (int64_t leg = 0; leg < l->legs; leg++) {
        if (l->falls[leg] < 1) {
            return amble_fail(AMBLE_BAD_VALUE, "footfalls: leg %lld has none of them", (long long)leg);
        }
    }
    return AMBLE_SUCCESS;
}

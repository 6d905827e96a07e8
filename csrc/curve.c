/* F-curves and angles at any frame. See curve.h. */
#include "curve.h"

#include "check.h"
#include "quat.h"

#include <math.h>
#include <stdbool.h>

/* A frame this near to a key is on it: Blender's own threshold. */
static const double ON_KEY = 1e-4;
/* Values nearer to each other than this are one value: float32's epsilon, as in Blender. */
static const double FLAT = 1.1920929e-7;
enum { MOST_STEPS = 64 };

typedef struct point {
    double x, y;
} point;

/* One curve's keys. */
typedef struct run {
    int64_t count;
    const float *points, *left, *right;
    const int32_t *kinds;
    const int32_t *beyond;
    int64_t *near; /* the key that was found last: times mostly rise from key to key */
} run;

static point at(const float *pairs, int64_t key) { return (point){pairs[2 * key], pairs[2 * key + 1]}; }

/* ---- Between two keys ---- */

static double cubic(double a, double b, double c, double d, double t) {
    double s = 1.0 - t;
    return s * s * (s * a + 3.0 * t * b) + t * t * (3.0 * s * c + t * d);
}

/* The t with x(t) = x on a cubic that rises from a <= x to d >= x: Newton's step where it stays within the
 * bracket, else half of it. */
static double parameter_at(double x, double a, double b, double c, double d) {
    double low = 0.0;
    double high = 1.0;
    double t = (x - a) / (d - a);
    for (int step = 0; step < MOST_STEPS; step++) {
        double miss = cubic(a, b, c, d, t) - x;
        if (fabs(miss) <= 1e-15 * (d - a) || high - low < 1e-16) {
            break;
        }
        if (miss > 0.0) {
            high = t;
        } else {
            low = t;
        }
        double s = 1.0 - t;
        double slope = 3.0 * (s * s * (b - a) + 2.0 * s * t * (c - b) + t * t * (d - c));
        double next = slope > 0.0 ? t - miss / slope : low;
        t = next > low && next < high ? next : 0.5 * (low + high);
    }
    return t;
}

/* A handle that reaches past the other key would make the curve turn back in time: Blender shortens it until
 * it ends there, in its own direction. From a to its handle b, `length` being the way to the other key. */
static point within_reach(point a, point b, double length) {
    double reach = fabs(b.x - a.x);
    if (reach <= length) {
        return b;
    }
    double share = length / reach;
    return (point){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}

static double bezier_at(const run *r, int64_t key, double x) {
    point a = at(r->points, key);
    point b = at(r->right, key);
    point c = at(r->left, key + 1);
    point d = at(r->points, key + 1);
    if (fabs(a.y - d.y) < FLAT && fabs(b.y - c.y) < FLAT && fabs(c.y - d.y) < FLAT) {
        return a.y;
    }
    b = within_reach(a, b, d.x - a.x);
    c = within_reach(d, c, d.x - a.x);
    return cubic(a.y, b.y, c.y, d.y, parameter_at(x, a.x, b.x, c.x, d.x));
}

/* Whether a key is the last one at or before x, where the first is before it and the last after it. */
static bool is_before(const run *r, int64_t key, double x) {
    int64_t last = r->count - 2;
    return key <= last && at(r->points, key).x <= x && (key == last || at(r->points, key + 1).x > x);
}

static int64_t key_before(const run *r, double x) {
    for (int64_t key = *r->near; key < *r->near + 2; key++) {
        if (is_before(r, key, x)) {
            *r->near = key;
            return key;
        }
    }
    int64_t low = 0;
    int64_t high = r->count - 1;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (at(r->points, middle).x <= x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *r->near = low;
    return low;
}

static double between(const run *r, double x) {
    int64_t key = key_before(r, x);
    point a = at(r->points, key);
    point d = at(r->points, key + 1);
    if (x - a.x < ON_KEY) {
        return a.y;
    }
    if (d.x - x < ON_KEY) {
        return d.y;
    }
    switch (r->kinds[key]) {
    case AMBLE_KEY_LINEAR:
        return a.y + (d.y - a.y) * (x - a.x) / (d.x - a.x);
    case AMBLE_KEY_BEZIER:
        return bezier_at(r, key, x);
    default:
        return a.y;
    }
}

/* ---- Beyond the keys ---- */

/* Along the straight line on which the curve leaves its last key; `step` leads to the key's only neighbour.
 */
static double straight_on(const run *r, int64_t key, int64_t step, double x) {
    point end = at(r->points, key);
    point from;
    switch (r->kinds[key]) {
    case AMBLE_KEY_CONSTANT:
        return end.y;
    case AMBLE_KEY_LINEAR:
        if (r->count == 1) {
            return end.y;
        }
        from = at(r->points, key + step);
        break;
    default:
        from = step > 0 ? at(r->left, key) : at(r->right, key);
        break;
    }
    double length = end.x - from.x;
    return length == 0.0 ? end.y : end.y + (end.y - from.y) / length * (x - end.x);
}

/* The place within the keys that a repeating curve shows at x; `raised` is what its rounds have added up to.
 */
static double repeated(const run *r, double x, double *raised) {
    point first = at(r->points, 0);
    point last = at(r->points, r->count - 1);
    double length = last.x - first.x;
    bool before = x < first.x;
    *raised = 0.0;
    if ((!before && x <= last.x) || length == 0.0) {
        return x;
    }
    const int32_t *rule = r->beyond + (before ? 1 : 3);
    double past = x - (before ? first.x : last.x); /* below zero before the keys */
    double round = fabs(past) / length;
    if (rule[0] == AMBLE_REPEAT_NONE || (rule[1] > 0 && round > rule[1])) {
        return x;
    }
    if (rule[0] == AMBLE_REPEAT_OFFSET) {
        *raised = (before ? floor(past / length) : ceil(past / length)) * (last.y - first.y);
    }
    double within = fmod(past, length);
    bool odd = fmod(floor(round), 2.0) != 0.0;
    if (within == 0.0) {
        return before == (rule[0] == AMBLE_REPEAT_MIRROR && odd) ? last.x : first.x;
    }
    if (rule[0] == AMBLE_REPEAT_MIRROR && !odd) { /* the first round beyond the keys goes back */
        return before ? first.x - within : last.x - within;
    }
    return first.x + within + (before ? length : 0.0);
}

static double value_at(const run *r, double time) {
    if (r->count == 0) {
        return 0.0;
    }
    double raised;
    double x = (float)repeated(r, (float)time, &raised);
    int64_t last = r->count - 1;
    double value;
    if (x <= at(r->points, 0).x) {
        value = r->beyond[0] ? straight_on(r, 0, 1, x) : at(r->points, 0).y;
    } else if (x >= at(r->points, last).x) {
        value = r->beyond[0] ? straight_on(r, last, -1, x) : at(r->points, last).y;
    } else {
        value = between(r, x);
    }
    return value + raised;
}

/* ---- Slopes ---- */

/* Between two keys, at x within them. A Bezier's slope is that of value over that of time, by its parameter;
 * at an end both may vanish, with a handle of no length: then that of the handles' chord. */
static double slope_between(const run *r, int64_t key, double x) {
    point a = at(r->points, key);
    point d = at(r->points, key + 1);
    double length = d.x - a.x;
    if (r->kinds[key] == AMBLE_KEY_CONSTANT || length <= 0.0) {
        return 0.0;
    }
    if (r->kinds[key] == AMBLE_KEY_LINEAR) {
        return (d.y - a.y) / length;
    }
    point b = at(r->right, key);
    point c = at(r->left, key + 1);
    b = within_reach(a, b, length);
    c = within_reach(d, c, length);
    double t = x <= a.x ? 0.0 : x >= d.x ? 1.0 : parameter_at(x, a.x, b.x, c.x, d.x);
    double s = 1.0 - t;
    double time = s * s * (b.x - a.x) + 2.0 * s * t * (c.x - b.x) + t * t * (d.x - c.x);
    double rise = s * s * (b.y - a.y) + 2.0 * s * t * (c.y - b.y) + t * t * (d.y - c.y);
    if (time < 1e-9 * length) {
        time = c.x - b.x;
        rise = c.y - b.y;
    }
    return time > 1e-9 * length ? rise / time : (d.y - a.y) / length;
}

static double slope_of(const run *r, double time, bool leaving) {
    if (r->count == 0) {
        return 0.0;
    }
    double raised;
    double x = (float)repeated(r, (float)time, &raised);
    int64_t last = r->count - 1;
    double first_x = at(r->points, 0).x;
    double last_x = at(r->points, last).x;
    bool before = leaving ? x < first_x - ON_KEY : x <= first_x + ON_KEY;
    bool after = leaving ? x >= last_x - ON_KEY : x > last_x + ON_KEY;
    bool repeats = r->beyond[1] != AMBLE_REPEAT_NONE || r->beyond[3] != AMBLE_REPEAT_NONE;
    if (repeats && last > 0 && before && fabs(x - first_x) <= ON_KEY) {
        return slope_between(r, last - 1, last_x); /* a round begins where the one before it ended */
    }
    if (repeats && last > 0 && after && fabs(x - last_x) <= ON_KEY) {
        return slope_between(r, 0, first_x);
    }
    if (before || after) {
        /* One frame along the straight line, or none along a value that is held. */
        int64_t key = before ? 0 : last;
        double end = at(r->points, key).x;
        return r->beyond[0] ? straight_on(r, key, before ? 1 : -1, end + 1.0) - at(r->points, key).y : 0.0;
    }
    int64_t key = key_before(r, x);
    if (leaving && at(r->points, key + 1).x - x < ON_KEY) {
        key++;
    } else if (!leaving && x - at(r->points, key).x < ON_KEY) {
        key--;
    }
    return slope_between(r, key, x);
}

/* ---- Sets of curves ---- */

static amble_error check_curve(const amble_curves *curves, int64_t k) {
    int64_t begin = curves->starts[k];
    int64_t end = curves->starts[k + 1];
    if (begin < 0 || end < begin || end > curves->keys) {
        return amble_fail(AMBLE_BAD_VALUE,
                          "starts must rise from 0 to the number of keys, which %lld to %lld "
                          "at curve %lld does not",
                          (long long)begin, (long long)end, (long long)k);
    }
    for (int64_t key = begin; key < end; key++) {
        if (curves->kinds[key] < AMBLE_KEY_CONSTANT || curves->kinds[key] > AMBLE_KEY_BEZIER) {
            return amble_fail(AMBLE_BAD_VALUE, "kinds[%lld] is %d: no kind of key", (long long)key,
                              (int)curves->kinds[key]);
        }
        if (key > begin && curves->points[2 * key] < curves->points[2 * key - 2]) {
            return amble_fail(AMBLE_BAD_VALUE, "points[%lld] lies before the key that it follows",
                              (long long)key);
        }
    }
    const int32_t *beyond = curves->beyond + 5 * k;
    if (beyond[0] < 0 || beyond[0] > 1 || beyond[1] < 0 || beyond[1] > AMBLE_REPEAT_MIRROR || beyond[2] < 0 ||
        beyond[3] < 0 || beyond[3] > AMBLE_REPEAT_MIRROR || beyond[4] < 0) {
        return amble_fail(AMBLE_BAD_VALUE, "beyond[%lld] holds a rule unknown", (long long)k);
    }
    return AMBLE_SUCCESS;
}

amble_error amble_check_curves(const amble_curves *curves) {
    if (curves->starts[0] != 0 || curves->starts[curves->count] != curves->keys) {
        return amble_fail(AMBLE_BAD_VALUE, "starts must rise from 0 to the number of keys, %lld",
                          (long long)curves->keys);
    }
    for (int64_t k = 0; k < curves->count; k++) {
        AMBLE_TRY(check_curve(curves, k));
    }
    return AMBLE_SUCCESS;
}

/* near: room for the key found last, 0 at first. */
static run run_of(const amble_curves *curves, int64_t k, int64_t *near) {
    int64_t begin = curves->starts[k];
    return (run){
        .count = curves->starts[k + 1] - begin,
        .points = curves->points + 2 * begin,
        .left = curves->left + 2 * begin,
        .right = curves->right + 2 * begin,
        .kinds = curves->kinds + begin,
        .beyond = curves->beyond + 5 * k,
        .near = near,
    };
}

amble_error amble_sample_curves(const amble_curves *curves, int64_t frames, const double *time, float *out) {
    AMBLE_TRY(amble_check_curves(curves));
    AMBLE_TRY(amble_check_values_double("time", time, frames, AMBLE_LARGEST_FRAME));
    for (int64_t k = 0; k < curves->count; k++) {
        int64_t near = 0;
        run r = run_of(curves, k, &near);
        for (int64_t f = 0; f < frames; f++) {
            out[k * frames + f] = (float)value_at(&r, time[f]);
        }
    }
    return AMBLE_SUCCESS;
}

amble_error amble_slope_curves(const amble_curves *curves, int64_t frames, const double *time, int leaving,
                               float *out) {
    AMBLE_TRY(amble_check_curves(curves));
    AMBLE_TRY(amble_check_values_double("time", time, frames, AMBLE_LARGEST_FRAME));
    for (int64_t k = 0; k < curves->count; k++) {
        int64_t near = 0;
        run r = run_of(curves, k, &near);
        for (int64_t f = 0; f < frames; f++) {
            out[k * frames + f] = (float)slope_of(&r, time[f], leaving != 0);
        }
    }
    return AMBLE_SUCCESS;
}

/* ---- Angles ---- */

static void store(quat q, int64_t count, float *out) {
    out[0] = (float)q.w;
    out[count] = (float)q.x;
    out[2 * count] = (float)q.y;
    out[3 * count] = (float)q.z;
}

static quat turn_about(int axis, double angle) {
    double part[3] = {0.0, 0.0, 0.0};
    double cosine;
    amble_sincos(0.5 * angle, &part[axis], &cosine);
    return (quat){cosine, part[0], part[1], part[2]};
}

amble_error amble_quaternion_from_euler(const int32_t order[3], int64_t count, const float *angles,
                                        float *out) {
    if (order[0] < 0 || order[0] > 2 || order[1] < 0 || order[1] > 2 || order[2] < 0 || order[2] > 2 ||
        ((1U << order[0]) | (1U << order[1]) | (1U << order[2])) != 7U) {
        return amble_fail(AMBLE_BAD_VALUE, "order must hold 0, 1 and 2 once each");
    }
    AMBLE_TRY(amble_check_values("angles", angles, 3 * count, AMBLE_LARGEST_PHASE));
    for (int64_t i = 0; i < count; i++) {
        quat q = turn_about(order[0], angles[order[0] * count + i]);
        q = quat_multiply(turn_about(order[1], angles[order[1] * count + i]), q);
        q = quat_multiply(turn_about(order[2], angles[order[2] * count + i]), q);
        store(q, count, out + i);
    }
    return AMBLE_SUCCESS;
}

amble_error amble_quaternion_from_axis_angle(int64_t count, const float *turn, float *out) {
    AMBLE_TRY(amble_check_values("turn", turn, count, AMBLE_LARGEST_PHASE));
    for (int64_t i = 0; i < count; i++) {
        vec axis = vec_normalise((vec){turn[count + i], turn[2 * count + i], turn[3 * count + i]});
        double sine;
        double cosine;
        amble_sincos(0.5 * turn[i], &sine, &cosine);
        bool none = vec_dot(axis, axis) == 0.0;
        quat q = {cosine, sine * axis.x, sine * axis.y, sine * axis.z};
        store(none ? (quat){1.0, 0.0, 0.0, 0.0} : q, count, out + i);
    }
    return AMBLE_SUCCESS;
}

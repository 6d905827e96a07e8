/* Curves of a transition. See blend.h. */
#include "blend.h"

#include "check.h"
#include "turn.h"

#include <stdbool.h>

static const double LARGEST_TIME = 1e6;
enum { TURN = 3, SCALE = 7 };
static const int64_t ROWS = 10;

/* ---- Weights ---- */

/* The weight of B and what multiplies each part of an offset that dies away, at one time.
 *
 * The offset is the quintic x(u) over u = t / T with a given place and speed and no acceleration at 0, and
 * all three 0 at 1: x0 (1 - 10 u^3 + 15 u^4 - 6 u^5) + v0 T (u - 6 u^3 + 8 u^4 - 3 u^5), in which the
 * brackets are (1-u)^3 (1 + 3u + 6u^2) and u (1-u)^3 (1 + 3u). A's acceleration is not carried: as the second
 * difference of keys it is mostly their rounding. */
typedef struct share {
    double weight;
    double place, speed;
    bool over; /* B alone */
} share;

static share share_at(amble_curve_kind curve, double time, double begin, double length) {
    share s = {0.0, 0.0, 0.0, false};
    /* An offset that only begins to die later would stand still meanwhile, speed and all: it dies away over
     * the longer time instead. */
    double whole = curve == AMBLE_BLEND_INERTIAL ? begin + length : length;
    double since = curve == AMBLE_BLEND_INERTIAL ? time : time - begin;
    if (since >= whole) {
        s.weight = 1.0;
        s.over = true;
        return s;
    }
    double u = since > 0.0 ? since / whole : 0.0;
    double rest = 1.0 - u;
    double cube = rest * rest * rest;
    s.place = cube * (1.0 + 3.0 * u + 6.0 * u * u);
    s.speed = whole * u * cube * (1.0 + 3.0 * u);
    switch (curve) {
    case AMBLE_BLEND_LINEAR:
        s.weight = u;
        break;
    case AMBLE_BLEND_EASE:
        s.weight = u * u * (3.0 - 2.0 * u);
        break;
    default:
        s.weight = 1.0 - s.place;
        break;
    }
    return s;
}

/* An offset and its change per frame, from its values one frame apart. */
typedef struct offset {
    double place, speed;
} offset;

static offset offset_of(double before, double now, double after) {
    return (offset){now, 0.5 * (after - before)};
}

static double offset_at(offset o, share s) { return o.place * s.place + o.speed * s.speed; }

/* ---- Plain numbers ---- */

static double blend_number(amble_curve_kind curve, share s, double a, double b, offset o) {
    return curve == AMBLE_BLEND_INERTIAL ? b + offset_at(o, s) : a + (b - a) * s.weight;
}

/* A scale of the other sign cannot be reached through zero, which is a bone of no size: the size is blended
 * and the sign is A's, then B's. */
static double blend_scale(amble_curve_kind curve, share s, double a, double b, offset o) {
    if (a * b >= 0.0) {
        return blend_number(curve, s, a, b, o);
    }
    double size = fabs(a) + (fabs(b) - fabs(a)) * s.weight;
    return (s.weight < 0.5 ? a : b) < 0.0 ? -size : size;
}

typedef struct row {
    const float *from, *onto; /* (3,) */
    const float *a, *b;       /* (frames,); a NULL: A is frozen */
    float *out;
    bool is_scale;
} row;

static void blend_row(amble_curve_kind curve, const double *time, double begin, double length, int64_t frames,
                      row r) {
    offset o = offset_of((double)r.from[0] - r.onto[0], (double)r.from[1] - r.onto[1],
                         (double)r.from[2] - r.onto[2]);
    for (int64_t f = 0; f < frames; f++) {
        share s = share_at(curve, time[f], begin, length);
        double a = r.a ? r.a[f] : r.from[1];
        if (s.over) {
            r.out[f] = r.b[f];
        } else if (r.is_scale) {
            r.out[f] = (float)blend_scale(curve, s, a, r.b[f], o);
        } else {
            r.out[f] = (float)blend_number(curve, s, a, r.b[f], o);
        }
    }
}

/* ---- Rotations ---- */

/* The offset of A's rotation from B's as a rotation vector, in the parent's axes: A = exp(r) B. Its three
 * values lie next to each other, so that their differences are its speed. */
typedef struct turn_offset {
    offset x, y, z;
} turn_offset;

static vec log_near(quat q, vec near) {
    vec r = turn_log(q);
    double angle = vec_length(r);
    if (angle < 1e-9) {
        return r;
    }
    /* Half a turn about one axis is half a turn about its opposite: the same rotation the long way round,
     * where that is the nearer one. */
    vec long_way = vec_scale(r, 1.0 - 2.0 * AMBLE_PI / angle);
    vec one = vec_sub(r, near);
    vec other = vec_sub(long_way, near);
    return vec_dot(other, other) < vec_dot(one, one) ? long_way : r;
}

static quat quat_at(amble_rotation mode, const float *rows, int64_t stride) {
    return turn_to_quat(mode, turn_load(rows, stride));
}

static turn_offset turn_offset_of(amble_rotation mode, const float *from, const float *onto) {
    vec r[3];
    for (int k = 0; k < 3; k++) {
        static const int order[] = {1, 0, 2};
        int at = order[k];
        quat apart = quat_multiply(quat_at(mode, from + at, 3), quat_conjugate(quat_at(mode, onto + at, 3)));
        r[at] = k == 0 ? turn_log(apart) : log_near(apart, r[1]);
    }
    return (turn_offset){offset_of(r[0].x, r[1].x, r[2].x), offset_of(r[0].y, r[1].y, r[2].y),
                         offset_of(r[0].z, r[1].z, r[2].z)};
}

/* One bone's rotation rows. */
typedef struct rotation {
    amble_rotation mode;
    const float *from, *onto, *a, *b;
    float *out;
    double begin, length;
} rotation;

static quat blend_quat(amble_curve_kind curve, share s, quat a, quat b, const turn_offset *o) {
    if (curve == AMBLE_BLEND_INERTIAL) {
        vec r = {offset_at(o->x, s), offset_at(o->y, s), offset_at(o->z, s)};
        return quat_multiply(turn_exp(r), b);
    }
    quat apart = turn_canonical(quat_multiply(b, quat_conjugate(a)));
    return quat_multiply(turn_exp(vec_scale(turn_log(apart), s.weight)), a);
}

/* Quaternions as they are keyed, of whatever length between keys, the short way: as Blender mixes them. */
static quat blend_numbers(amble_rotation mode, share s, turn a, turn b) {
    if (mode != AMBLE_ROTATION_QUATERNION) {
        return quat_nlerp(turn_to_quat(mode, a), turn_to_quat(mode, b), s.weight);
    }
    quat p = {a.n[0], a.n[1], a.n[2], a.n[3]};
    quat q = {b.n[0], b.n[1], b.n[2], b.n[3]};
    double size = sqrt(quat_dot(p, p) * quat_dot(q, q));
    return size > 0.0 ? quat_nlerp(p, q, s.weight)
                      : quat_nlerp(turn_to_quat(mode, a), turn_to_quat(mode, b), s.weight);
}

static void blend_rotation(const amble_blend_plan *plan, rotation r) {
    int64_t n = plan->frames;
    bool numbers = plan->rotations == AMBLE_BLEND_NUMBERS && plan->curve != AMBLE_BLEND_INERTIAL;
    turn_offset o = turn_offset_of(r.mode, r.from, r.onto);
    quat frozen = quat_at(r.mode, r.from + 1, 3);
    turn near = turn_load(r.from + 1, 3);
    for (int64_t f = 0; f < n; f++) {
        share s = share_at(plan->curve, plan->time[f], r.begin, r.length);
        turn t = turn_load(r.b + f, n);
        if (!s.over) {
            turn given = r.a ? turn_load(r.a + f, n) : turn_load(r.from + 1, 3);
            quat a = r.a ? turn_to_quat(r.mode, given) : frozen;
            quat mixed = numbers ? blend_numbers(r.mode, s, given, t)
                                 : blend_quat(plan->curve, s, a, turn_to_quat(r.mode, t), &o);
            t = turn_from_quat(r.mode, mixed, near);
        }
        turn_store(t, r.out + f, n);
        near = t;
    }
}

/* Angle by angle. A's three stay as they are; B's are the ones next to them at its first frame, and from
 * there on next to its frame before, so that a B that turns on goes on turning. */
static void blend_angles(const amble_blend_plan *plan, rotation r) {
    int64_t n = plan->frames;
    bool own = r.mode >= AMBLE_ROTATION_XYZ;
    amble_rotation angles = own ? r.mode : AMBLE_ROTATION_XYZ;
    turn_order order = turn_order_of(angles);
    turn zero = {{0.0, 0.0, 0.0, 0.0}};
    turn near = turn_load(r.from + 1, 3);
    turn frozen = own ? near : turn_from_quat(angles, turn_to_quat(r.mode, near), zero);
    turn before_a = frozen;
    turn before_b = frozen;
    for (int64_t f = 0; f < n; f++) {
        share s = share_at(plan->curve, plan->time[f], r.begin, r.length);
        turn given = turn_load(r.b + f, n);
        turn a = frozen;
        if (r.a) {
            turn running = turn_load(r.a + f, n);
            a = own ? running : turn_from_quat(angles, turn_to_quat(r.mode, running), before_a);
            before_a = a = turn_euler_near(order, a, before_a);
        }
        turn b = own ? given : turn_from_quat(angles, turn_to_quat(r.mode, given), before_b);
        before_b = b = turn_euler_near(order, b, before_b);
        turn t = given;
        if (!s.over) {
            turn mixed = zero;
            for (int k = 1; k < 4; k++) {
                mixed.n[k] = a.n[k] + (b.n[k] - a.n[k]) * s.weight;
            }
            t = own ? mixed : turn_from_quat(r.mode, turn_to_quat(angles, mixed), near);
        }
        turn_store(t, r.out + f, n);
        near = t;
    }
}

/* ---- Entries ---- */

static amble_error check_times(int64_t frames, const double *time) {
    for (int64_t f = 0; f < frames; f++) {
        AMBLE_TRY(amble_check_number("time", time[f], 0.0, LARGEST_TIME));
    }
    return AMBLE_SUCCESS;
}

static amble_error check_curve(amble_curve_kind curve, const float *a) {
    if (curve < AMBLE_BLEND_LINEAR || curve > AMBLE_BLEND_OVERLAP) {
        return amble_fail(AMBLE_BAD_VALUE, "curve is %d: it must be 0 to 3", (int)curve);
    }
    if (curve == AMBLE_BLEND_OVERLAP && !a) {
        return amble_fail(AMBLE_BAD_VALUE, "a is missing: the curve overlap needs A's own frames");
    }
    return AMBLE_SUCCESS;
}

static amble_error check_modes(int64_t bones, const int32_t *modes) {
    for (int64_t k = 0; k < bones; k++) {
        if (!turn_is_mode(modes[k])) {
            return amble_fail(AMBLE_BAD_VALUE, "modes[%lld] is %d: it must be 0 to 7", (long long)k,
                              (int)modes[k]);
        }
    }
    return AMBLE_SUCCESS;
}

/* Angles are for the sine, whose argument has a largest value. */
static amble_error check_angles(const char *name, int64_t bones, int64_t frames, const int32_t *modes,
                                const float *channels) {
    for (int64_t k = 0; k < bones; k++) {
        if (modes[k] != AMBLE_ROTATION_QUATERNION) {
            const float *rows = channels + (k * ROWS + TURN) * frames;
            AMBLE_TRY(amble_check_values(name, rows, 4 * frames, AMBLE_LARGEST_PHASE));
        }
    }
    return AMBLE_SUCCESS;
}

static amble_error check_plan(const amble_blend_plan *plan, const float *from, const float *onto,
                              const float *a, const float *b) {
    AMBLE_TRY(check_times(plan->frames, plan->time));
    AMBLE_TRY(check_curve(plan->curve, a));
    if (plan->rotations < AMBLE_BLEND_SLERP || plan->rotations > AMBLE_BLEND_NUMBERS) {
        return amble_fail(AMBLE_BAD_VALUE, "rotations is %d: it must be 0 to 2", (int)plan->rotations);
    }
    AMBLE_TRY(check_modes(plan->bones, plan->modes));
    for (int64_t k = 0; k < plan->bones; k++) {
        AMBLE_TRY(amble_check_number("begin", plan->begin[k], 0.0, LARGEST_TIME));
        AMBLE_TRY(amble_check_number("length", plan->length[k], 0.0, LARGEST_TIME));
    }
    AMBLE_TRY(check_angles("from", plan->bones, 3, plan->modes, from));
    AMBLE_TRY(check_angles("onto", plan->bones, 3, plan->modes, onto));
    if (a) {
        AMBLE_TRY(check_angles("a", plan->bones, plan->frames, plan->modes, a));
    }
    return check_angles("b", plan->bones, plan->frames, plan->modes, b);
}

static const float *running(const amble_blend_plan *plan, const float *a) {
    return plan->curve == AMBLE_BLEND_OVERLAP ? a : NULL;
}

amble_error amble_blend(const amble_blend_plan *plan, const float *from, const float *onto, const float *a,
                        const float *b, float *out) {
    AMBLE_TRY(check_plan(plan, from, onto, running(plan, a), b));
    int64_t n = plan->frames;
    a = running(plan, a);
    for (int64_t bone = 0; bone < plan->bones; bone++) {
        int64_t edge = bone * ROWS * 3;
        int64_t run = bone * ROWS * n;
        for (int64_t k = 0; k < ROWS; k++) {
            if (k < TURN || k >= SCALE) {
                row r = {from + edge + k * 3, onto + edge + k * 3, a ? a + run + k * n : NULL,
                         b + run + k * n,     out + run + k * n,   k >= SCALE};
                blend_row(plan->curve, plan->time, plan->begin[bone], plan->length[bone], n, r);
            }
        }
        rotation r = {
            .mode = turn_mode(plan->modes[bone]),
            .from = from + edge + TURN * 3L,
            .onto = onto + edge + TURN * 3L,
            .a = a ? a + run + TURN * n : NULL,
            .b = b + run + TURN * n,
            .out = out + run + TURN * n,
            .begin = plan->begin[bone],
            .length = plan->length[bone],
        };
        bool angles = plan->rotations == AMBLE_BLEND_ANGLES ||
                      (plan->rotations == AMBLE_BLEND_NUMBERS && r.mode >= AMBLE_ROTATION_XYZ);
        if (angles && plan->curve != AMBLE_BLEND_INERTIAL) {
            blend_angles(plan, r);
        } else {
            blend_rotation(plan, r);
        }
    }
    return AMBLE_SUCCESS;
}

amble_error amble_blend_values(amble_curve_kind curve, double length, int64_t rows, int64_t frames,
                               const double *time, const float *from, const float *onto, const float *a,
                               const float *b, float *out) {
    AMBLE_TRY(check_times(frames, time));
    AMBLE_TRY(check_curve(curve, a));
    AMBLE_TRY(amble_check_number("length", length, 0.0, LARGEST_TIME));
    a = curve == AMBLE_BLEND_OVERLAP ? a : NULL;
    for (int64_t k = 0; k < rows; k++) {
        row r = {from + 3 * k,   onto + 3 * k,     a ? a + k * frames : NULL,
                 b + k * frames, out + k * frames, false};
        blend_row(curve, time, 0.0, length, frames, r);
    }
    return AMBLE_SUCCESS;
}

amble_error amble_settle_rotations(int64_t bones, int64_t frames, const int32_t *modes, float *channels) {
    AMBLE_TRY(check_modes(bones, modes));
    for (int64_t k = 0; k < bones; k++) {
        float *rows = channels + (k * ROWS + TURN) * frames;
        turn near = {{0.0, 0.0, 0.0, 0.0}};
        for (int64_t f = 0; f < frames; f++) {
            turn t = turn_load(rows + f, frames);
            if (f > 0) {
                t = turn_next_to(turn_mode(modes[k]), t, near);
            } else if (modes[k] == AMBLE_ROTATION_QUATERNION) {
                quat q = turn_canonical((quat){t.n[0], t.n[1], t.n[2], t.n[3]});
                t = (turn){{q.w, q.x, q.y, q.z}};
            }
            turn_store(t, rows + f, frames);
            near = t;
        }
    }
    return AMBLE_SUCCESS;
}

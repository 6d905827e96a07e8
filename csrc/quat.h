/* Quaternions (w, x, y, z), vectors and 3 by 3 matrices: one at a time in double, four at a time in float.
 *
 * Names: quat_* and vec_* are double; quatw_* and vecw_* are wide. Rotating quaternions are of unit length.
 */
#ifndef AMBLE_QUAT_H
#define AMBLE_QUAT_H

#include "maths.h"
#include "simd.h"

/* ---- Double ---- */

typedef struct vec {
    double x, y, z;
} vec;

typedef struct quat {
    double w, x, y, z;
} quat;

static inline vec vec_add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec vec_sub(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec vec_scale(vec a, double s) { return (vec){a.x * s, a.y * s, a.z * s}; }
static inline double vec_dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double vec_length(vec a) { return sqrt(vec_dot(a, a)); }
static inline vec vec_cross(vec a, vec b) {
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Unit length; 0 stays 0. */
static inline vec vec_normalise(vec a) {
    double length = vec_length(a);
    return length > 0.0 ? vec_scale(a, 1.0 / length) : a;
}

/* A unit vector square to the unit vector a, always the same one: made from the x axis, or from the y axis
 * where a runs near x. */
static inline vec vec_perpendicular(vec a) {
    vec axis = fabs(a.x) < 0.7 ? (vec){1.0, 0.0, 0.0} : (vec){0.0, 1.0, 0.0};
    return vec_normalise(vec_sub(axis, vec_scale(a, vec_dot(axis, a))));
}

static inline quat quat_multiply(quat a, quat b) {
    return (quat){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
    };
}

static inline quat quat_conjugate(quat q) { return (quat){q.w, -q.x, -q.y, -q.z}; }
static inline double quat_dot(quat a, quat b) { return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z; }
static inline quat quat_scale(quat q, double s) { return (quat){q.w * s, q.x * s, q.y * s, q.z * s}; }
static inline quat quat_add(quat a, quat b) { return (quat){a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z}; }

/* Unit length; 0 becomes the identity. */
static inline quat quat_normalise(quat q) {
    double length = sqrt(quat_dot(q, q));
    return length > 0.0 ? quat_scale(q, 1.0 / length) : (quat){1.0, 0.0, 0.0, 0.0};
}

/* v + 2 w (u x v) + 2 u x (u x v), with u the vector part. */
static inline vec quat_rotate(quat q, vec v) {
    vec u = {q.x, q.y, q.z};
    vec t = vec_scale(vec_cross(u, v), 2.0);
    return vec_add(vec_add(v, vec_scale(t, q.w)), vec_cross(u, t));
}

/* Turn by `angle` radians about a unit axis. */
static inline quat quat_from_axis(vec axis, double angle) {
    double s;
    double c;
    amble_sincos(0.5 * angle, &s, &c);
    return (quat){c, axis.x * s, axis.y * s, axis.z * s};
}

static inline quat quat_nlerp(quat a, quat b, double t) {
    double s = quat_dot(a, b) < 0.0 ? -t : t;
    return quat_normalise(quat_add(quat_scale(a, 1.0 - t), quat_scale(b, s)));
}

/* The short way at constant angular speed. The angle comes from the chord and the sum of the two, which stays
 * exact where it is small; under 1e-6 radians the chord itself is as good. */
static inline quat quat_slerp(quat a, quat b, double t) {
    if (quat_dot(a, b) < 0.0) {
        b = quat_scale(b, -1.0);
    }
    quat chord = quat_add(b, quat_scale(a, -1.0));
    quat sum = quat_add(a, b);
    double angle = 2.0 * amble_atan2(sqrt(quat_dot(chord, chord)), sqrt(quat_dot(sum, sum)));
    if (angle < 1e-6) {
        return quat_nlerp(a, b, t);
    }
    double whole;
    double begin;
    double end;
    double unused;
    amble_sincos(angle, &whole, &unused);
    amble_sincos((1.0 - t) * angle, &begin, &unused);
    amble_sincos(t * angle, &end, &unused);
    return quat_normalise(quat_add(quat_scale(a, begin / whole), quat_scale(b, end / whole)));
}

/* Shortest turn from one unit vector to another: half way between them lies (from + to), and the turn from
 * `from` to there, done twice, is the one wanted. */
static inline quat quat_between(vec from, vec to) {
    vec half = vec_add(from, to);
    double length = vec_length(half);
    if (length < 1e-7) {
        vec axis = vec_perpendicular(from);
        return (quat){0.0, axis.x, axis.y, axis.z};
    }
    half = vec_scale(half, 1.0 / length);
    vec axis = vec_cross(from, half);
    return quat_normalise((quat){vec_dot(from, half), axis.x, axis.y, axis.z});
}

/* Rows of a rotation matrix. */
static inline void quat_to_matrix(quat q, double m[3][3]) {
    m[0][0] = 1.0 - 2.0 * (q.y * q.y + q.z * q.z);
    m[0][1] = 2.0 * (q.x * q.y - q.w * q.z);
    m[0][2] = 2.0 * (q.x * q.z + q.w * q.y);
    m[1][0] = 2.0 * (q.x * q.y + q.w * q.z);
    m[1][1] = 1.0 - 2.0 * (q.x * q.x + q.z * q.z);
    m[1][2] = 2.0 * (q.y * q.z - q.w * q.x);
    m[2][0] = 2.0 * (q.x * q.z - q.w * q.y);
    m[2][1] = 2.0 * (q.y * q.z + q.w * q.x);
    m[2][2] = 1.0 - 2.0 * (q.x * q.x + q.y * q.y);
}

/* From the rows of a rotation matrix, w >= 0. Each of w, x, y, z squared is a sum of the diagonal; the
 * largest one is at least 1/4 and divides the others, so that nothing small is ever divided by. */
static inline quat quat_from_matrix(double m[3][3]) {
    double w = 1.0 + m[0][0] + m[1][1] + m[2][2];
    double x = 1.0 + m[0][0] - m[1][1] - m[2][2];
    double y = 1.0 - m[0][0] + m[1][1] - m[2][2];
    double z = 1.0 - m[0][0] - m[1][1] + m[2][2];
    double wx = m[2][1] - m[1][2];
    double wy = m[0][2] - m[2][0];
    double wz = m[1][0] - m[0][1];
    double xy = m[0][1] + m[1][0];
    double xz = m[0][2] + m[2][0];
    double yz = m[1][2] + m[2][1];
    quat q;
    if (w >= x && w >= y && w >= z) {
        q = (quat){w, wx, wy, wz};
    } else if (x >= y && x >= z) {
        q = (quat){wx, x, xy, xz};
    } else if (y >= z) {
        q = (quat){wy, xy, y, yz};
    } else {
        q = (quat){wz, xz, yz, z};
    }
    q = quat_normalise(q);
    return q.w < 0.0 ? quat_scale(q, -1.0) : q;
}

/* ---- Wide ---- */

typedef struct vecw {
    wf x, y, z;
} vecw;

typedef struct quatw {
    wf w, x, y, z;
} quatw;

/* a b + c d and a b - c d, in this order of rounding everywhere. */
static inline wf wf_madd2(wf a, wf b, wf c, wf d) { return wf_add(wf_mul(a, b), wf_mul(c, d)); }
static inline wf wf_msub2(wf a, wf b, wf c, wf d) { return wf_sub(wf_mul(a, b), wf_mul(c, d)); }
static inline wf wf_dot3(wf a, wf b, wf c, wf d, wf e, wf f) {
    return wf_add(wf_madd2(a, b, c, d), wf_mul(e, f));
}

static inline vecw vecw_set(float x, float y, float z) { return (vecw){wf_set(x), wf_set(y), wf_set(z)}; }
static inline vecw vecw_add(vecw a, vecw b) {
    return (vecw){wf_add(a.x, b.x), wf_add(a.y, b.y), wf_add(a.z, b.z)};
}
static inline vecw vecw_sub(vecw a, vecw b) {
    return (vecw){wf_sub(a.x, b.x), wf_sub(a.y, b.y), wf_sub(a.z, b.z)};
}
static inline vecw vecw_scale(vecw a, wf s) { return (vecw){wf_mul(a.x, s), wf_mul(a.y, s), wf_mul(a.z, s)}; }
static inline wf vecw_dot(vecw a, vecw b) { return wf_dot3(a.x, b.x, a.y, b.y, a.z, b.z); }
static inline vecw vecw_cross(vecw a, vecw b) {
    return (vecw){wf_msub2(a.y, b.z, a.z, b.y), wf_msub2(a.z, b.x, a.x, b.z), wf_msub2(a.x, b.y, a.y, b.x)};
}
static inline vecw vecw_select(wm m, vecw yes, vecw no) {
    return (vecw){wf_select(m, yes.x, no.x), wf_select(m, yes.y, no.y), wf_select(m, yes.z, no.z)};
}

/* Unit length, and the length that there was. Divided by the largest component first, so that neither large
 * nor small vectors lose their squares. 0 stays 0, with length 0. */
static inline vecw vecw_normalise(vecw a, wf *length) {
    wf largest = wf_max(wf_max(wf_abs(a.x), wf_abs(a.y)), wf_abs(a.z));
    wf divisor = wf_select(wf_eq(largest, wf_set(0.0F)), wf_set(1.0F), largest);
    vecw b = {wf_div(a.x, divisor), wf_div(a.y, divisor), wf_div(a.z, divisor)};
    wf norm = wf_sqrt(vecw_dot(b, b));
    *length = wf_mul(largest, norm);
    norm = wf_select(wf_eq(norm, wf_set(0.0F)), wf_set(1.0F), norm);
    return (vecw){wf_div(b.x, norm), wf_div(b.y, norm), wf_div(b.z, norm)};
}

/* As vec_perpendicular. */
static inline vecw vecw_perpendicular(vecw a) {
    vecw axis = vecw_select(wf_lt(wf_abs(a.x), wf_set(0.7F)), vecw_set(1, 0, 0), vecw_set(0, 1, 0));
    wf unused;
    return vecw_normalise(vecw_sub(axis, vecw_scale(a, vecw_dot(axis, a))), &unused);
}

static inline quatw quatw_load(const float *p, int64_t stride, int used) {
    return (quatw){
        wf_load_part(p, used),
        wf_load_part(p + stride, used),
        wf_load_part(p + 2 * stride, used),
        wf_load_part(p + 3 * stride, used),
    };
}
static inline void quatw_store(float *p, int64_t stride, quatw q, int used) {
    wf_store_part(p, q.w, used);
    wf_store_part(p + stride, q.x, used);
    wf_store_part(p + 2 * stride, q.y, used);
    wf_store_part(p + 3 * stride, q.z, used);
}
static inline vecw vecw_load(const float *p, int64_t stride, int used) {
    return (vecw){wf_load_part(p, used), wf_load_part(p + stride, used), wf_load_part(p + 2 * stride, used)};
}
static inline void vecw_store(float *p, int64_t stride, vecw v, int used) {
    wf_store_part(p, v.x, used);
    wf_store_part(p + stride, v.y, used);
    wf_store_part(p + 2 * stride, v.z, used);
}

static inline quatw quatw_conjugate(quatw q) { return (quatw){q.w, wf_neg(q.x), wf_neg(q.y), wf_neg(q.z)}; }
static inline wf quatw_dot(quatw a, quatw b) {
    return wf_add(wf_madd2(a.w, b.w, a.x, b.x), wf_madd2(a.y, b.y, a.z, b.z));
}
static inline quatw quatw_scale(quatw q, wf s) {
    return (quatw){wf_mul(q.w, s), wf_mul(q.x, s), wf_mul(q.y, s), wf_mul(q.z, s)};
}
static inline quatw quatw_select(wm m, quatw yes, quatw no) {
    return (quatw){
        wf_select(m, yes.w, no.w),
        wf_select(m, yes.x, no.x),
        wf_select(m, yes.y, no.y),
        wf_select(m, yes.z, no.z),
    };
}

static inline quatw quatw_multiply(quatw a, quatw b) {
    return (quatw){
        wf_sub(wf_msub2(a.w, b.w, a.x, b.x), wf_madd2(a.y, b.y, a.z, b.z)),
        wf_add(wf_madd2(a.w, b.x, a.x, b.w), wf_msub2(a.y, b.z, a.z, b.y)),
        wf_add(wf_madd2(a.w, b.y, a.y, b.w), wf_msub2(a.z, b.x, a.x, b.z)),
        wf_add(wf_madd2(a.w, b.z, a.z, b.w), wf_msub2(a.x, b.y, a.y, b.x)),
    };
}

/* Unit length; 0 becomes the identity. Scaled first, as vecw_normalise. */
static inline quatw quatw_normalise(quatw q) {
    wf largest = wf_max(wf_max(wf_abs(q.w), wf_abs(q.x)), wf_max(wf_abs(q.y), wf_abs(q.z)));
    wm none = wf_eq(largest, wf_set(0.0F));
    wf divisor = wf_select(none, wf_set(1.0F), largest);
    quatw b = {
        wf_select(none, wf_set(1.0F), wf_div(q.w, divisor)),
        wf_div(q.x, divisor),
        wf_div(q.y, divisor),
        wf_div(q.z, divisor),
    };
    wf norm = wf_sqrt(quatw_dot(b, b));
    return (quatw){wf_div(b.w, norm), wf_div(b.x, norm), wf_div(b.y, norm), wf_div(b.z, norm)};
}

static inline vecw quatw_rotate(quatw q, vecw v) {
    vecw u = {q.x, q.y, q.z};
    vecw t = vecw_scale(vecw_cross(u, v), wf_set(2.0F));
    return vecw_add(vecw_add(v, vecw_scale(t, q.w)), vecw_cross(u, t));
}

static inline quatw quatw_nlerp(quatw a, quatw b, wf t) {
    wf s = wf_select(wf_lt(quatw_dot(a, b), wf_set(0.0F)), wf_neg(t), t);
    wf r = wf_sub(wf_set(1.0F), t);
    return quatw_normalise((quatw){
        wf_madd2(a.w, r, b.w, s),
        wf_madd2(a.x, r, b.x, s),
        wf_madd2(a.y, r, b.y, s),
        wf_madd2(a.z, r, b.z, s),
    });
}

static inline void quatw_to_matrix(quatw q, wf m[9]) {
    const wf one = wf_set(1.0F);
    const wf two = wf_set(2.0F);
    m[0] = wf_sub(one, wf_mul(two, wf_madd2(q.y, q.y, q.z, q.z)));
    m[1] = wf_mul(two, wf_msub2(q.x, q.y, q.w, q.z));
    m[2] = wf_mul(two, wf_madd2(q.x, q.z, q.w, q.y));
    m[3] = wf_mul(two, wf_madd2(q.x, q.y, q.w, q.z));
    m[4] = wf_sub(one, wf_mul(two, wf_madd2(q.x, q.x, q.z, q.z)));
    m[5] = wf_mul(two, wf_msub2(q.y, q.z, q.w, q.x));
    m[6] = wf_mul(two, wf_msub2(q.x, q.z, q.w, q.y));
    m[7] = wf_mul(two, wf_madd2(q.y, q.z, q.w, q.x));
    m[8] = wf_sub(one, wf_mul(two, wf_madd2(q.x, q.x, q.y, q.y)));
}

/* As quat_from_matrix; all four cases are computed and the best one selected. */
static inline quatw quatw_from_matrix(const wf m[9]) {
    const wf one = wf_set(1.0F);
    const wf zero = wf_set(0.0F);
    wf w = wf_add(wf_add(one, m[0]), wf_add(m[4], m[8]));
    wf x = wf_sub(wf_add(one, m[0]), wf_add(m[4], m[8]));
    wf y = wf_add(wf_sub(one, m[0]), wf_sub(m[4], m[8]));
    wf z = wf_sub(wf_sub(one, m[0]), wf_sub(m[4], m[8]));
    wf wx = wf_sub(m[7], m[5]);
    wf wy = wf_sub(m[2], m[6]);
    wf wz = wf_sub(m[3], m[1]);
    wf xy = wf_add(m[1], m[3]);
    wf xz = wf_add(m[2], m[6]);
    wf yz = wf_add(m[5], m[7]);
    quatw q = {w, wx, wy, wz};
    wf best = w;
    q = quatw_select(wf_lt(best, x), (quatw){wx, x, xy, xz}, q);
    best = wf_max(best, x);
    q = quatw_select(wf_lt(best, y), (quatw){wy, xy, y, yz}, q);
    best = wf_max(best, y);
    q = quatw_select(wf_lt(best, z), (quatw){wz, xz, yz, z}, q);
    q = quatw_normalise(q);
    return quatw_scale(q, wf_select(wf_lt(q.w, zero), wf_set(-1.0F), one));
}

#endif

/* Rotations in the numbers that a bone is keyed in: quaternion, angle and axis, or three angles. In double.
 *
 * One rotation has many such numbers: both signs of a quaternion, whole turns of an angle, and for three
 * angles (a, b, c) also (a + pi, pi - b, c + pi). A curve must take the ones next to those of the frame
 * before, so whatever writes numbers here is given those.
 */
#ifndef AMBLE_TURN_H
#define AMBLE_TURN_H

#include "blend.h"
#include "quat.h"

#include <stdbool.h>

/* Four numbers as they lie in the rotation rows of a channel array: w x y z; angle and axis; or unused and
 * the angles about x, y, z. */
typedef struct turn {
    double n[4];
} turn;

/* Axes in the order in which a mode turns about them, and +1 where they are right-handed, else -1. */
typedef struct turn_order {
    int i, j, k;
    double hand;
} turn_order;

static inline bool turn_is_mode(int32_t mode) {
    return mode >= AMBLE_ROTATION_QUATERNION && mode <= AMBLE_ROTATION_ZYX;
}

/* A mode that has been checked. */
static inline amble_rotation turn_mode(int32_t mode) {
    return turn_is_mode(mode) ? (amble_rotation)mode : AMBLE_ROTATION_QUATERNION;
}

static inline turn_order turn_order_of(amble_rotation mode) {
    static const turn_order orders[] = {{0, 1, 2, 1.0}, {0, 2, 1, -1.0}, {1, 0, 2, -1.0},
                                        {1, 2, 0, 1.0}, {2, 0, 1, 1.0},  {2, 1, 0, -1.0}};
    return orders[mode >= AMBLE_ROTATION_XYZ && mode <= AMBLE_ROTATION_ZYX ? mode - AMBLE_ROTATION_XYZ : 0];
}

static inline turn turn_load(const float *rows, int64_t stride) {
    return (turn){{rows[0], rows[stride], rows[2 * stride], rows[3 * stride]}};
}

static inline void turn_store(turn t, float *rows, int64_t stride) {
    for (int k = 0; k < 4; k++) {
        rows[k * stride] = (float)t.n[k];
    }
}

static inline quat turn_about_axis(int axis, double angle) {
    double part[3] = {0.0, 0.0, 0.0};
    double cosine;
    amble_sincos(0.5 * angle, &part[axis], &cosine);
    return (quat){cosine, part[0], part[1], part[2]};
}

/* The unit quaternion of a mode's numbers; a quaternion or an axis of length 0 is no turn. */
static inline quat turn_to_quat(amble_rotation mode, turn t) {
    if (mode == AMBLE_ROTATION_QUATERNION) {
        return quat_normalise((quat){t.n[0], t.n[1], t.n[2], t.n[3]});
    }
    if (mode == AMBLE_ROTATION_AXIS_ANGLE) {
        vec axis = vec_normalise((vec){t.n[1], t.n[2], t.n[3]});
        return vec_dot(axis, axis) > 0.0 ? quat_from_axis(axis, t.n[0]) : (quat){1.0, 0.0, 0.0, 0.0};
    }
    turn_order o = turn_order_of(mode);
    quat first = quat_multiply(turn_about_axis(o.j, t.n[1 + o.j]), turn_about_axis(o.i, t.n[1 + o.i]));
    return quat_multiply(turn_about_axis(o.k, t.n[1 + o.k]), first);
}

/* `angle` plus the whole turns that bring it next to `near`. */
static inline double turn_near(double angle, double near) {
    return angle + 2.0 * AMBLE_PI * floor((near - angle) / (2.0 * AMBLE_PI) + 0.5);
}

/* The form of three angles that lies next to `near`: whole turns, and the other half of the ball. A form
 * that needs no change keeps its bits. */
static inline turn turn_euler_near(turn_order o, turn t, turn near) {
    turn same = t;
    turn other = t;
    double same_way = 0.0;
    double other_way = 0.0;
    other.n[1 + o.i] += AMBLE_PI;
    other.n[1 + o.j] = AMBLE_PI - other.n[1 + o.j];
    other.n[1 + o.k] += AMBLE_PI;
    for (int k = 1; k < 4; k++) {
        same.n[k] = turn_near(same.n[k], near.n[k]);
        other.n[k] = turn_near(other.n[k], near.n[k]);
        same_way += fabs(same.n[k] - near.n[k]);
        other_way += fabs(other.n[k] - near.n[k]);
    }
    /* Only where it is clearly nearer: rounding must not make a still bone change its form. */
    return other_way < same_way - 1e-4 ? other : same;
}

/* Three angles of a unit quaternion. R = Rk(c) Rj(b) Ri(a); its column i is (cos b cos c, h cos b sin c,
 * -h sin b) on the axes i, j, k, its row k (-h sin b, h cos b sin a, cos b cos a). Where cos b is lost in
 * rounding, c stays as in `near` and a follows from row j of Rk(-c) R, which is that of Ri(a). */
static inline turn turn_euler_from_quat(turn_order o, quat q, turn near) {
    double m[3][3];
    quat_to_matrix(q, m);
    double cosine = sqrt(m[o.i][o.i] * m[o.i][o.i] + m[o.j][o.i] * m[o.j][o.i]);
    turn t = {{0.0, 0.0, 0.0, 0.0}};
    t.n[1 + o.j] = amble_atan2(-o.hand * m[o.k][o.i], cosine);
    if (cosine > 1e-6) {
        t.n[1 + o.i] = amble_atan2(o.hand * m[o.k][o.j], m[o.k][o.k]);
        t.n[1 + o.k] = amble_atan2(o.hand * m[o.j][o.i], m[o.i][o.i]);
    } else {
        double s;
        double c;
        amble_sincos(near.n[1 + o.k], &s, &c);
        double jj = c * m[o.j][o.j] - o.hand * s * m[o.i][o.j];
        double jk = c * m[o.j][o.k] - o.hand * s * m[o.i][o.k];
        t.n[1 + o.k] = near.n[1 + o.k];
        t.n[1 + o.i] = amble_atan2(-o.hand * jk, jj);
    }
    return turn_euler_near(o, t, near);
}

/* Angle and axis next to `near`; at rest the axis is that of `near`. */
static inline turn turn_axis_from_quat(quat q, turn near) {
    vec axis = {q.x, q.y, q.z};
    double length = vec_length(axis);
    if (length < 1e-9) {
        return (turn){{turn_near(0.0, near.n[0]), near.n[1], near.n[2], near.n[3]}};
    }
    axis = vec_scale(axis, 1.0 / length);
    double angle = 2.0 * amble_atan2(length, q.w);
    if (axis.x * near.n[1] + axis.y * near.n[2] + axis.z * near.n[3] < 0.0) {
        axis = vec_scale(axis, -1.0);
        angle = -angle;
    }
    return (turn){{turn_near(angle, near.n[0]), axis.x, axis.y, axis.z}};
}

/* A mode's numbers for a unit quaternion, next to `near`. */
static inline turn turn_from_quat(amble_rotation mode, quat q, turn near) {
    if (mode == AMBLE_ROTATION_QUATERNION) {
        double along = q.w * near.n[0] + q.x * near.n[1] + q.y * near.n[2] + q.z * near.n[3];
        double sign = along < 0.0 ? -1.0 : 1.0;
        return (turn){{sign * q.w, sign * q.x, sign * q.y, sign * q.z}};
    }
    if (mode == AMBLE_ROTATION_AXIS_ANGLE) {
        return turn_axis_from_quat(q, near);
    }
    return turn_euler_from_quat(turn_order_of(mode), q, near);
}

/* The same rotation in the numbers next to `near`. What lies next to it already keeps its bits. */
static inline turn turn_next_to(amble_rotation mode, turn t, turn near) {
    if (mode >= AMBLE_ROTATION_XYZ) {
        return turn_euler_near(turn_order_of(mode), t, near);
    }
    int first = mode == AMBLE_ROTATION_QUATERNION ? 0 : 1;
    double along = 0.0;
    for (int k = first; k < 4; k++) {
        along += t.n[k] * near.n[k];
    }
    if (along < 0.0) {
        for (int k = 0; k < 4; k++) {
            t.n[k] = -t.n[k];
        }
    }
    if (mode == AMBLE_ROTATION_AXIS_ANGLE) {
        t.n[0] = turn_near(t.n[0], near.n[0]);
    }
    return t;
}

/* The quaternion's sign that does not depend on the one it came with: its first component that is not 0 is
 * positive. */
static inline quat turn_canonical(quat q) {
    double lead = q.w != 0.0 ? q.w : q.x != 0.0 ? q.x : q.y != 0.0 ? q.y : q.z;
    return lead < 0.0 ? quat_scale(q, -1.0) : q;
}

/* Rotation vector, angle times axis, of the short way of a unit quaternion, and back. */
static inline vec turn_log(quat q) {
    q = turn_canonical(q);
    vec v = {q.x, q.y, q.z};
    double length = vec_length(v);
    double factor = length < 1e-12 ? 2.0 : 2.0 * amble_atan2(length, q.w) / length;
    return vec_scale(v, factor);
}

static inline quat turn_exp(vec r) {
    double angle = vec_length(r);
    if (angle < 1e-12) {
        return quat_normalise((quat){1.0, 0.5 * r.x, 0.5 * r.y, 0.5 * r.z});
    }
    return quat_from_axis(vec_scale(r, 1.0 / angle), angle);
}

#endif

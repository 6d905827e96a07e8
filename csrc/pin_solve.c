/* A chain brought to a target: first its bend, so that it is as long as it has to be, then its swing.
 *
 * Let s0, s1 .. be the vectors from joint to joint in the given pose, and R1, R2 .. the joints' own turns
 * about their axes. The end seen from the root is w = s0 + R1 (s1 + R2 (s2 + ...)), and a swing about the
 * root then lays w on the target. All R are turns about axes of the given pose, as each carries all that
 * comes after it.
 */
#include "pin_private.h"

/* How much of the hint goes into the axis of a joint that is straight, and the sine of the bend at which the
 * hint has faded: the bend itself tells the axis from there on. */
static const double HINT = 0.02;
static const double BENT = 0.05;
/* Bends are spread in proportion to tan(bend / 2), and to this where a joint is straighter still. */
static const double STRAIGHT = 0.01;

typedef struct bending {
    int bones;
    vec segment[AMBLE_PIN_BONES];
    vec axis[AMBLE_PIN_BONES];    /* of joint i; [0] is unused */
    double bend[AMBLE_PIN_BONES]; /* tan of half the angle between segments, never 0 */
    double half[AMBLE_PIN_BONES]; /* that half angle */
    double turn[AMBLE_PIN_BONES]; /* the joints' turns, radians */
    vec end;                      /* w */
} bending;

static quat pin_turn(const bending *b, int joint) { return quat_from_axis(b->axis[joint], b->turn[joint]); }

/* Length of w with the turns as they are. */
static double extend(bending *b) {
    vec w = {0.0, 0.0, 0.0};
    for (int i = b->bones - 1; i >= 0 && i < AMBLE_PIN_BONES; i--) {
        if (i + 1 < b->bones) {
            w = quat_rotate(pin_turn(b, i + 1), w);
        }
        w = vec_add(b->segment[i], w);
    }
    b->end = w;
    return vec_length(w);
}

/* The axis of a joint between unit vectors u and v: their normal; the hint as far as they are in line. */
static vec joint_axis(vec u, vec v, vec hint, bool bound) {
    if (bound) {
        return vec_normalise(hint);
    }
    vec normal = vec_cross(u, v);
    double ratio = vec_dot(normal, normal) / (BENT * BENT);
    hint = vec_normalise(vec_sub(hint, vec_scale(u, vec_dot(u, hint))));
    vec axis = vec_add(normal, vec_scale(hint, HINT / (1.0 + ratio * ratio)));
    return vec_length(axis) > 1e-9 ? vec_normalise(axis) : vec_perpendicular(u);
}

static void set_up(bending *b, const pin_chain *chain) {
    b->bones = chain->bones;
    for (int i = 0; i < chain->bones; i++) {
        b->segment[i] = vec_sub(chain->head[i + 1], chain->head[i]);
        b->turn[i] = 0.0;
    }
    for (int i = 1; i < chain->bones; i++) {
        vec u = vec_normalise(b->segment[i - 1]);
        vec v = vec_normalise(b->segment[i]);
        b->axis[i] = joint_axis(u, v, chain->hinge[i], chain->bound[i]);
        /* tan(a / 2) = sin a / (1 + cos a). */
        double t = vec_length(vec_cross(u, v)) / (1.0 + fmax(vec_dot(u, v), -1.0 + 1e-6));
        b->bend[i] = sqrt(t * t + STRAIGHT * STRAIGHT);
        b->half[i] = amble_atan2(b->bend[i], 1.0);
    }
}

/* All bends scaled: tan of each half bend times exp(-open). open = 0 leaves the pose as it is. */
static double opened(bending *b, double factor) {
    for (int i = 1; i < b->bones; i++) {
        b->turn[i] = 2.0 * (amble_atan2(b->bend[i] * factor, 1.0) - b->half[i]);
    }
    return extend(b);
}

/* The length asked for, brought within what the chain can do: near both ends of `low` .. `high` it comes ever
 * slower. With x how far it is into the soft zone of width z, x z becomes z x / (1 + x), whose slope is 1 at
 * first. The zone begins beyond the given length, so that what the pose can do is never missed. */
static double softened(double asked, double given, double low, double high, double zone) {
    double top = fmax(high - zone, 0.5 * (given + high));
    double bottom = fmin(low + zone, 0.5 * (given + low));
    if (asked > top) {
        double z = high - top;
        return z > 0.0 ? top + z * (asked - top) / (z + asked - top) : high;
    }
    if (asked < bottom) {
        double z = bottom - low;
        return z > 0.0 ? bottom - z * (bottom - asked) / (z + bottom - asked) : low;
    }
    return asked;
}

/* One joint: with the part of s1 along the axis fixed, |s0 + R s1|^2 = |s0|^2 + |s1|^2 + 2 (p + q cos t + r
 * sin t), which is largest, and the chain straight, at t* = atan2(r, q). Positive turns beyond it bend. */
static void bend_one(bending *b, double asked, double soft) {
    vec s0 = b->segment[0];
    vec s1 = b->segment[1];
    vec a = b->axis[1];
    vec along = vec_scale(a, vec_dot(a, s1));
    double p = vec_dot(s0, along);
    double q = vec_dot(s0, vec_sub(s1, along));
    double r = vec_dot(s0, vec_cross(a, s1));
    double size = sqrt(q * q + r * r);
    double squares = vec_dot(s0, s0) + vec_dot(s1, s1) + 2.0 * p;
    if (size <= 0.0) {
        return;
    }
    double high = sqrt(fmax(squares + 2.0 * size, 0.0));
    double low = sqrt(fmax(squares - 2.0 * size, 0.0));
    double length = softened(asked, vec_length(vec_add(s0, s1)), low, high, soft * high);
    /* 1 - cos and 1 + cos of the turn from straight; no squares that nearly cancel are subtracted. */
    double less = fmax((high - length) * (high + length) / (2.0 * size), 0.0);
    double more = fmax((length - low) * (length + low) / (2.0 * size), 0.0);
    b->turn[1] = amble_atan2(r, q) + amble_atan2(sqrt(less * more), 0.5 * (more - less));
    /* Both angles are within half a turn, their sum within a whole one. */
    if (b->turn[1] > AMBLE_PI) {
        b->turn[1] -= 2.0 * AMBLE_PI;
    }
}

/* Several joints: the factor that gives the length, looked for from the given pose outwards, then closed in
 * on by the Illinois form of false position. Where the length goes back again before it is reached, the
 * farthest is taken. */
static void bend_all(bending *b, double asked, double soft) {
    double given = opened(b, 1.0);
    double high = opened(b, 0.0);
    double length = softened(asked, given, 0.0, high, soft * high);
    double step = length > given ? 0.6 : 1.0 / 0.6;
    double sign = length > given ? 1.0 : -1.0;
    double inner = 1.0;
    double inner_off = given - length;
    double outer = 1.0;
    double outer_off = inner_off;
    for (int i = 0; i < 24 && sign * outer_off < 0.0; i++) {
        double next = outer * step;
        double off = opened(b, next) - length;
        if (sign * (off - outer_off) <= 0.0) {
            break;
        }
        inner = outer;
        inner_off = outer_off;
        outer = next;
        outer_off = off;
    }
    if (sign * outer_off < 0.0) {
        opened(b, outer);
        return;
    }
    for (int i = 0; i < 80 && fabs(outer_off) > 1e-11 * high && inner_off != outer_off; i++) {
        double next = outer - outer_off * (outer - inner) / (outer_off - inner_off);
        double off = opened(b, next) - length;
        if ((off < 0.0) != (outer_off < 0.0)) {
            inner = outer;
            inner_off = outer_off;
        } else {
            inner_off *= 0.5;
        }
        outer = next;
        outer_off = off;
    }
    opened(b, outer);
}

/* Unit axes along `direction`, with the hinge as nearly square to it as can be: columns. */
static quat facing(vec direction, vec hinge) {
    vec across = vec_normalise(vec_cross(hinge, direction));
    vec third = vec_cross(direction, across);
    double m[3][3] = {
        {direction.x, across.x, third.x}, {direction.y, across.y, third.y}, {direction.z, across.z, third.z}};
    return quat_from_matrix(m);
}

/* The turn that lays direction `from` on `to` and keeps the hinge level: a swing in the plane that the chain
 * bends in, then one out of it. The shortest turn where there is no hinge, or the target lies on it. */
static quat swing(vec from, vec to, vec hinge) {
    if (vec_length(vec_cross(hinge, from)) < 1e-3 || vec_length(vec_cross(hinge, to)) < 1e-6) {
        return quat_between(from, to);
    }
    return quat_multiply(facing(to, hinge), quat_conjugate(facing(from, hinge)));
}

double pin_solve(const pin_chain *chain, vec target, quat turn[AMBLE_PIN_BONES]) {
    bending b;
    set_up(&b, chain);
    vec way = vec_sub(target, chain->head[0]);
    double asked = vec_length(way);
    if (b.bones == 2) {
        bend_one(&b, asked, chain->soft);
    } else if (b.bones > 2) {
        bend_all(&b, asked, chain->soft);
    }
    vec hinge = {0.0, 0.0, 0.0};
    for (int i = 1; i < b.bones; i++) {
        turn[i] = pin_turn(&b, i);
        hinge = vec_add(hinge, vec_dot(b.axis[i], b.axis[1]) < 0.0 ? vec_scale(b.axis[i], -1.0) : b.axis[i]);
    }
    double length = extend(&b);
    turn[0] = (quat){1.0, 0.0, 0.0, 0.0};
    if (asked > 0.0 && length > 0.0) {
        turn[0] = swing(vec_scale(b.end, 1.0 / length), vec_scale(way, 1.0 / asked), vec_normalise(hinge));
    }
    return length;
}

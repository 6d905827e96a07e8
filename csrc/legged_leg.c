/* A leg: its rest geometry, its foot on the ground and in the air, and how it folds between them. */
#include "check.h"
#include "legged_private.h"

/* A joint is taken to be bent by at least so much: one drawn straight bends as well. */
static const double least_bend = 14.0 * DEGREES;
/* Joints that bend by less than this in the rest pose do not tell to which side they bend ... */
static const double unsure_bend = 4.0 * DEGREES;
/* ... and where two bones make one segment, they do not bend at all. */
static const double cut_bend = 1.0 * DEGREES;
/* How much more the lower joints of a fore and a hind leg bend in the middle of a swing, and the foot. */
static const double tuck_fore = 42.0 * DEGREES, tuck_hind = 22.0 * DEGREES, flick = 48.0 * DEGREES;
/* Dimensionless speed under which feet are lifted less (requirement G12). */
static const double slow_speed = 0.12;
/* The same of a step, of the body's size. */
static const double slow_step = 0.1;
/* Furthest that a leg folds, in bends at rest. */
static const double most_fold = 8.0;

/* Share of the way to its joint by which a foot that stands out from the body is drawn in. */
static const double drawn_in = 0.12;

static vec place_of_head(const legged *l, int part) {
    const walker *w = &l->w;
    return frame_direction(&w->frame,
                           vec_sub(rest_head(l->body->skeleton, l->body->part[part].bone), w->frame.origin));
}

/* Which way each joint bends: as it is bent at rest; one that is straight, the other way than the one before
 * it, a knee forward, an elbow back. */
static void measure_bends(const legged *l, limb *leg) {
    bool fore = l->girdles > 1 && leg->girdle == l->girdles - 1;
    vec left = {0.0, 1.0, 0.0};
    double sense = fore ? 1.0 : -1.0; /* of the joint before the first */
    for (int k = 1; k < leg->joints; k++) {
        vec axis = vec_cross(leg->way[k - 1], leg->way[k]);
        double sine = vec_length(axis);
        double angle = amble_atan2(sine, vec_dot(leg->way[k - 1], leg->way[k]));
        leg->hinge[k] = sine > 0.0 ? vec_scale(axis, 1.0 / sine) : left;
        leg->bend[k] = angle;
        if (angle < cut_bend && leg->joints > 2) {
            leg->bend[k] = 0.0;
            continue;
        }
        if (angle < unsure_bend && leg->upright) {
            leg->hinge[k] = vec_scale(square_to(left, leg->way[k - 1]), -sense);
        }
        leg->bend[k] = angle < least_bend ? least_bend : angle;
        sense = leg->hinge[k].y > 0.0 ? 1.0 : -1.0;
        if (k >= 2 && leg->upright && sense > 0.0) {
            leg->tuck[k] = fore ? tuck_fore : tuck_hind;
        }
    }
}

amble_error limb_measure(legged *l, int index) {
    limb *leg = &l->limb[index];
    if (leg->joints < 1) {
        return amble_fail(AMBLE_BAD_VALUE, "parts: leg %d has no bone before its foot", index);
    }
    for (int k = 0; k <= leg->joints; k++) {
        leg->joint[k] = place_of_head(l, leg->part[k]);
    }
    leg->whole = 0.0;
    for (int k = 0; k < leg->joints; k++) {
        vec step = vec_sub(leg->joint[k + 1], leg->joint[k]);
        leg->length[k] = vec_length(step);
        if (!(leg->length[k] > 0.0)) {
            return amble_fail(AMBLE_BAD_VALUE, "parts: bone %ld of leg %d has no length",
                              (long)l->body->part[leg->part[k]].bone, index);
        }
        leg->way[k] = vec_normalise(step);
        leg->whole += leg->length[k];
    }
    const double *sole = l->body->sole + (size_t)index * 6;
    leg->heel = frame_point(&l->w.frame, sole);
    leg->tip = frame_point(&l->w.frame, sole + 3);
    leg->foot = vec_sub(leg->joint[leg->joints], leg->tip);
    vec hang = vec_sub(leg->joint[leg->joints], leg->joint[0]);
    double out = sqrt(hang.x * hang.x + hang.y * hang.y);
    leg->upright = -hang.z > out;
    leg->side = leg->tip.y > 0.02 * leg->whole ? 1.0 : leg->tip.y < -0.02 * leg->whole ? -1.0 : 0.0;
    vec sole_way = vec_sub(leg->tip, leg->heel);
    vec even = {sole_way.x, sole_way.y, 0.0};
    leg->level = (quat){1.0, 0.0, 0.0, 0.0};
    if (vec_length(even) > 1e-6 * leg->whole) {
        leg->level = quat_between(vec_normalise(sole_way), vec_normalise(even));
    }
    leg->home = (vec){leg->tip.x, leg->tip.y, 0.0};
    if (leg->upright) { /* rather under the joint than where the rest pose has it */
        leg->home.x = leg->tip.x + 0.6 * (leg->joint[0].x - leg->joint[leg->joints].x);
    } else { /* nearer, so that it reaches all round */
        leg->home.x -= drawn_in * hang.x;
        leg->home.y -= drawn_in * hang.y;
    }
    measure_bends(l, leg);
    return AMBLE_SUCCESS;
}

/* ---- The foot ---- */

/* The footfall that a leg is on or has left last. */
static int64_t fall_at(const legged *l, int leg, double time) {
    const amble_footfall *f = l->fall[leg];
    int64_t low = 0;
    int64_t high = l->falls[leg] - 1;
    while (low < high) { /* the last one with strike <= time */
        int64_t middle = low + (high - low + 1) / 2;
        if (f[middle].strike <= time) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* The flat foot on its patch of ground. */
static quat flat_foot(const amble_footfall *f) {
    quat yaw = quat_from_axis((vec){0.0, 0.0, 1.0}, f->heading);
    vec normal = {f->normal[0], f->normal[1], f->normal[2]};
    return quat_multiply(quat_between((vec){0.0, 0.0, 1.0}, normal), yaw);
}

static vec fall_place(const amble_footfall *f) { return (vec){f->place[0], f->place[1], f->place[2]}; }

/* How far the toes point down: from when the heel rises until nine tenths of the swing, most just after
 * lift-off. */
static double drooped(const amble_footfall *f, double next, double time) {
    double end = f->off + 0.9 * (next - f->off);
    double s = (time - f->heel_off) / (end - f->heel_off);
    if (!(s > 0.0 && s < 1.0)) {
        return 0.0;
    }
    double top = 0.4; /* s^2 (1 - s)^3 over its value at the top */
    double r = 1.0 - s;
    double t = 1.0 - top;
    return s * s * r * r * r / (top * top * t * t * t);
}

footing footing_at(const legged *l, int leg, double time, const legged_moment *m) {
    const limb *limb = &l->limb[leg];
    int64_t k = fall_at(l, leg, time);
    const amble_footfall *f = &l->fall[leg][k];
    const amble_footfall *g = k + 1 < l->falls[leg] ? f + 1 : f;
    double low = slow_speed * sqrt(l->value[AMBLE_LEGGED_GRAVITY] * l->size);
    /* A foot that goes somewhere is lifted, also under a body that only turns. */
    double x = g->place[0] - f->place[0], y = g->place[1] - f->place[1];
    double lively = fmin(fmax(m->speed / low, sqrt(x * x + y * y) / (slow_step * l->size)), 1.0);
    footing foot = {.tip = fall_place(f), .turned = flat_foot(f), .swing = -1.0};
    double droop = limb->upright ? flick * l->value[AMBLE_LEGGED_FOLD] * lively : 0.0;
    droop *= g != f ? drooped(f, g->strike, time) : 0.0; /* after the last one it stays */
    if (time >= f->off && g != f) {
        double s = (time - f->off) / (g->strike - f->off);
        double share = smooth_step(s);
        vec to = fall_place(g);
        foot.tip = vec_add(vec_scale(foot.tip, 1.0 - share), vec_scale(to, share));
        /* Highest a little before the middle; over a step up at once as high as that. */
        double r = 1.0 - s;
        double arch = s * s * r * r * (1.0 + 0.6 * (0.5 - s)) * 16.0;
        double step = fabs(to.z - f->place[2]);
        foot.tip.z += (l->value[AMBLE_LEGGED_LIFT] * l->size * lively + 0.6 * step) * arch;
        foot.turned = quat_slerp(foot.turned, flat_foot(g), share);
        foot.swing = s;
    }
    quat down = quat_from_axis((vec){0.0, 1.0, 0.0}, droop);
    foot.turned = quat_multiply(foot.turned, quat_multiply(down, limb->level));
    return foot;
}

vec foot_joint(const limb *leg, const footing *foot) {
    return vec_add(foot->tip, quat_rotate(foot->turned, leg->foot));
}

/* Cubic Hermite through the footfalls' heights in the middle of each stance: as straight as the ground. */
double ground_under(const legged *l, int leg, double time) {
    const amble_footfall *f = l->fall[leg];
    int64_t last = l->falls[leg] - 1;
    int64_t k = fall_at(l, leg, time);
    if (k > 0 && time < 0.5 * (f[k].strike + f[k].off)) {
        k--;
    }
    if (k >= last) {
        k = last - 1;
    }
    double t[4];
    double z[4];
    for (int i = 0; i < 4; i++) {
        int64_t n = k - 1 + i;
        n = n < 0 ? 0 : n > last ? last : n;
        t[i] = 0.5 * (f[n].strike + f[n].off);
        z[i] = f[n].place[2] - l->limb[leg].home.z;
    }
    double span = t[2] - t[1];
    double s = span > 0.0 ? (time - t[1]) / span : 0.0;
    s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
    double p = t[2] > t[0] ? (z[2] - z[0]) / (t[2] - t[0]) * span : 0.0;
    double q = t[3] > t[1] ? (z[3] - z[1]) / (t[3] - t[1]) * span : 0.0;
    double d = z[2] - z[1];
    return z[1] + s * (p + s * ((3.0 * d - 2.0 * p - q) + s * (p + q - 2.0 * d)));
}

/* ---- The fold ---- */

/* From the first joint to the foot's, in the leg's rest space, with every joint bent by `fold` of its bend
 * and tucked; turned: (joints,) turns of the bones there. */
static vec folded_chord(const limb *leg, double fold, double tuck, quat *turned) {
    quat sum = {1.0, 0.0, 0.0, 0.0};
    vec chord = {0.0, 0.0, 0.0};
    double rest = 0.0;
    for (int k = 0; k < leg->joints; k++) {
        if (k > 0 && leg->bend[k] > 0.0) {
            vec axis = vec_cross(leg->way[k - 1], leg->way[k]);
            rest = amble_atan2(vec_dot(axis, leg->hinge[k]), vec_dot(leg->way[k - 1], leg->way[k]));
            double more = fold * leg->bend[k] + tuck * leg->tuck[k] - rest;
            sum = quat_multiply(sum, quat_from_axis(leg->hinge[k], more));
        }
        turned[k] = sum;
        chord = vec_add(chord, quat_rotate(sum, vec_scale(leg->way[k], leg->length[k])));
    }
    return chord;
}

/* The more it is folded, the shorter the leg: the fold is found by halving. */
double fold_leg(const limb *leg, vec root, quat base, vec target, double swing, double folded, quat *turned) {
    vec line = vec_sub(target, root);
    double distance = vec_length(line);
    double tuck = swing > 0.0 && swing < 1.0 ? folded * bump(swing) : 0.0;
    double low = 0.0;
    double high = most_fold;
    vec chord = {0.0, 0.0, 0.0};
    /* Joints bend by no more than half a turn: the first fold at which the leg is short enough. */
    const double step = 0.25;
    for (int i = 1; i * step < most_fold; i++) {
        chord = folded_chord(leg, i * step, tuck, turned);
        if (vec_length(chord) <= distance) {
            low = (i - 1) * step;
            high = i * step;
            break;
        }
    }
    for (int i = 0; i < 48; i++) {
        double middle = 0.5 * (low + high);
        chord = folded_chord(leg, middle, tuck, turned);
        if (vec_length(chord) > distance) {
            low = middle;
        } else {
            high = middle;
        }
    }
    vec along = vec_normalise(chord);
    quat whole = distance > 0.0 ? aim(base, along, vec_scale(line, 1.0 / distance)) : base;
    for (int k = 0; k < leg->joints; k++) {
        turned[k] = quat_multiply(whole, turned[k]);
    }
    return fabs(distance - vec_length(chord));
}

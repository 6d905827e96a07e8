/* Legged gaits: what is given, checked; footfalls; motion over frames. */
#include "check.h"
#include "legged_private.h"

#include <stdlib.h>
#include <string.h>

static const amble_gait_option_info options[AMBLE_LEGGED_SETTINGS] = {
    [AMBLE_LEGGED_GRAVITY] = {"gravity", 9.81, 1e-9, 1e12},
    [AMBLE_LEGGED_BOUNCE] = {"bounce", 1.0, 0.0, 5.0},
    [AMBLE_LEGGED_SWAY] = {"sway", 1.0, 0.0, 5.0},
    [AMBLE_LEGGED_TURN] = {"turn", 1.0, 0.0, 5.0},
    [AMBLE_LEGGED_LIFT] = {"lift", 0.12, 0.0, 1.0},
    [AMBLE_LEGGED_FOLD] = {"fold", 1.0, 0.0, 2.0},
    [AMBLE_LEGGED_NOD] = {"nod", 1.0, 0.0, 5.0},
    [AMBLE_LEGGED_TAIL_SWING] = {"tail", 1.0, 0.0, 5.0},
    [AMBLE_LEGGED_WIDTH] = {"width", 0.85, 0.0, 5.0},
    [AMBLE_LEGGED_REACH] = {"reach", 0.985, 0.5, 0.9999},
    [AMBLE_LEGGED_LEAN] = {"lean", 0.0, -0.8, 0.8},
};

const amble_gait_option_info *amble_legged_option(int64_t index) {
    return index >= 0 && index < AMBLE_LEGGED_SETTINGS ? &options[index] : NULL;
}

/* Puts each part where it belongs: the bone's role, and a leg's place in it. */
static amble_error take_part(legged *l, casting *cast, int index) {
    const amble_legged_part *part = &l->body->part[index];
    if (part->bone < 0 || part->bone >= l->body->skeleton->bones) {
        return amble_fail(AMBLE_BAD_VALUE, "parts[%d] names bone %ld of %lld", index, (long)part->bone,
                          (long long)l->body->skeleton->bones);
    }
    if (part->kind < 0 || part->kind >= AMBLE_LEGGED_KINDS) {
        return amble_fail(AMBLE_BAD_VALUE, "parts[%d] is of kind %ld", index, (long)part->kind);
    }
    AMBLE_TRY(amble_check_number("weight", l->body->weight[index], 0.0, 100.0));
    AMBLE_TRY(cast_bone(cast, part->bone, PART_LEGGED, index, "parts"));
    bool of_leg = part->kind == AMBLE_LEGGED_LEG || part->kind == AMBLE_LEGGED_SHOULDER;
    if (of_leg && (part->which < 0 || part->which >= l->legs)) {
        return amble_fail(AMBLE_BAD_VALUE, "parts[%d] names leg %ld of %lld", index, (long)part->which,
                          (long long)l->legs);
    }
    if (part->kind == AMBLE_LEGGED_ROOT) {
        l->root = index;
    } else if (part->kind == AMBLE_LEGGED_PELVIS) {
        l->pelvis = index;
    } else if (part->kind == AMBLE_LEGGED_SHOULDER) {
        l->limb[part->which].shoulder = index;
    } else if (part->kind == AMBLE_LEGGED_LEG) {
        limb *leg = &l->limb[part->which];
        if (leg->joints + 1 >= JOINTS) {
            return amble_fail(AMBLE_BAD_VALUE, "parts: leg %ld has more than %d bones", (long)part->which,
                              JOINTS - 1);
        }
        if (leg->joints >= 0 && l->body->part[leg->part[leg->joints]].bone >= part->bone) {
            return amble_fail(AMBLE_BAD_VALUE, "parts: bone %ld of leg %ld comes before its parent",
                              (long)part->bone, (long)part->which);
        }
        leg->part[++leg->joints] = index;
    }
    return AMBLE_SUCCESS;
}

static amble_error take_parts(legged *l, casting *cast) {
    l->root = l->pelvis = -1;
    for (int i = 0; i < l->legs; i++) {
        l->limb[i].shoulder = -1;
        l->limb[i].joints = -1;
        int32_t girdle = l->body->girdle[i];
        if (girdle < 0 || girdle >= GIRDLES) {
            return amble_fail(AMBLE_BAD_VALUE, "girdles[%d] is %ld, not 0 to %d", i, (long)girdle,
                              GIRDLES - 1);
        }
        l->limb[i].girdle = girdle;
        l->girdles = girdle >= l->girdles ? girdle + 1 : l->girdles;
    }
    if (l->body->parts < 1 || l->body->parts > INT32_MAX) {
        return amble_fail(AMBLE_BAD_VALUE, "parts: %lld of them", (long long)l->body->parts);
    }
    for (int i = 0; i < l->body->parts; i++) {
        AMBLE_TRY(take_part(l, cast, i));
    }
    if (l->pelvis < 0) {
        return amble_fail(AMBLE_BAD_VALUE, "parts: there is no pelvis");
    }
    return cast_followers(&l->shell, cast);
}

static vec head_of_part(const legged *l, int part) {
    return rest_head(l->body->skeleton, l->body->part[part].bone);
}

/* The body's axes, origin, legs and girdles. */
static amble_error measure(legged *l) {
    const double *f = l->body->forward;
    const double *u = l->body->up;
    vec forward = {f[0], f[1], f[2]};
    vec up = {u[0], u[1], u[2]};
    vec hips = {0.0, 0.0, 0.0};
    for (int i = 0; i < l->legs; i++) {
        if (l->limb[i].joints < 1) {
            return amble_fail(AMBLE_BAD_VALUE, "parts: leg %d has no bone before its foot", i);
        }
        hips = vec_add(hips, vec_scale(head_of_part(l, l->limb[i].part[0]), 1.0 / (double)l->legs));
    }
    set_frame(&l->w, vec_dot(forward, head_of_part(l, l->pelvis)), vec_dot(vec_cross(up, forward), hips));
    int count[GIRDLES] = {0};
    for (int i = 0; i < l->legs; i++) {
        AMBLE_TRY(limb_measure(l, i));
        const limb *leg = &l->limb[i];
        l->girdle_x[leg->girdle] += leg->joint[0].x;
        l->girdle_z[leg->girdle] += leg->joint[0].z;
        count[leg->girdle]++;
        /* A leg that stands out from the body is as long as it reaches. */
        l->size += (leg->upright ? leg->joint[0].z : 0.5 * leg->whole) / (double)l->legs;
    }
    for (int g = 0; g < l->girdles; g++) {
        if (!count[g]) {
            return amble_fail(AMBLE_BAD_VALUE, "girdles: none of the legs is of girdle %d", g);
        }
        l->girdle_x[g] /= count[g];
        l->girdle_z[g] /= count[g];
        l->centre.x += l->girdle_x[g] / l->girdles;
        l->centre.z += l->girdle_z[g] / l->girdles;
    }
    if (!(l->size > 0.0)) {
        return amble_fail(AMBLE_BAD_VALUE, "ground: the legs' joints do not lie over it");
    }
    return AMBLE_SUCCESS;
}

static amble_error check_input(const amble_legged_body *body, const double *value) {
    AMBLE_TRY(amble_check_skeleton(body->skeleton));
    if (body->legs < 1 || body->legs > LEGS) {
        return amble_fail(AMBLE_BAD_VALUE, "girdles: %lld legs, not 1 to %d", (long long)body->legs, LEGS);
    }
    for (int i = 0; value && i < AMBLE_LEGGED_SETTINGS; i++) {
        AMBLE_TRY(amble_check_number(options[i].name, value[i], options[i].low, options[i].high));
    }
    return AMBLE_SUCCESS;
}

static void release_legged(legged *l) {
    release(&l->w);
    free(l->phase);
    free(l->low);
}

/* Checks and measures a body; what it allocates release_legged() gives back, also after an error. l: zeroed.
 */
static amble_error take_body(legged *l, const amble_legged_body *body, const double *value) {
    AMBLE_TRY(check_input(body, value));
    l->body = body;
    l->legs = body->legs;
    if (value) {
        memcpy(l->value, value, sizeof l->value);
    }
    l->shell = (amble_gait_body){.skeleton = body->skeleton,
                                 .followers = body->followers,
                                 .follower = body->follower,
                                 .mixed = body->mixed,
                                 .mix = body->mix,
                                 .share = body->share,
                                 .ground = body->ground};
    memcpy(l->shell.forward, body->forward, sizeof body->forward);
    memcpy(l->shell.up, body->up, sizeof body->up);
    l->w.body = &l->shell;
    AMBLE_TRY(check_axes(&l->shell));
    AMBLE_TRY(check_followers(&l->shell));
    casting *cast = new_casting(&l->shell);
    int32_t *slots = calloc((size_t)body->skeleton->bones + 1, sizeof *slots);
    amble_error error = AMBLE_SUCCESS;
    if (!cast || !slots) {
        error = amble_fail(AMBLE_NO_MEMORY, "no memory for %lld bones", (long long)body->skeleton->bones);
    }
    error = error.code == AMBLE_OK ? take_parts(l, cast) : error;
    error = error.code == AMBLE_OK ? measure(l) : error;
    error = error.code == AMBLE_OK ? fill_slots(&l->w, cast, slots) : error;
    free(cast);
    free(slots);
    return error;
}

static amble_error take_way(legged *l, const amble_legged_way *way) {
    if (way->samples < 4 || way->samples > AMBLE_LEGGED_MOST_SAMPLES) {
        return amble_fail(AMBLE_BAD_VALUE, "place: %lld samples, not 4 to %d", (long long)way->samples,
                          AMBLE_LEGGED_MOST_SAMPLES);
    }
    AMBLE_TRY(amble_check_number("start", way->start, -1e9, 1e9));
    AMBLE_TRY(amble_check_number("step", way->step, 1e-5, 10.0));
    for (int64_t i = 0; i < way->samples; i++) {
        AMBLE_TRY(amble_check_number("rate", way->rate[i], 0.0, 1e6));
        AMBLE_TRY(amble_check_number("flex", way->flex[i], -3.0, 3.0));
    }
    for (int64_t i = 0; i < l->legs * way->samples; i++) {
        AMBLE_TRY(amble_check_number("duty", way->duty[i], 0.05, 0.95));
        AMBLE_TRY(amble_check_number("offset", way->offset[i], -100.0, 100.0));
    }
    l->way = way;
    return legged_phase(l);
}

amble_error amble_legged_plan(const amble_legged_body *body, const double *value, const amble_legged_way *way,
                              int64_t most, amble_footfall *footfall, int64_t *count) {
    legged *l = calloc(1, sizeof *l);
    if (!l) {
        return amble_fail(AMBLE_NO_MEMORY, "no memory for a body");
    }
    amble_error error = take_body(l, body, value);
    error = error.code == AMBLE_OK ? take_way(l, way) : error;
    if (error.code == AMBLE_OK) {
        *count = legged_footfalls(l, most, footfall);
    }
    release_legged(l);
    free(l);
    return error;
}

amble_error amble_legged_count(const amble_legged_body *body, int64_t *moved) {
    legged *l = calloc(1, sizeof *l);
    if (!l) {
        return amble_fail(AMBLE_NO_MEMORY, "no memory for a body");
    }
    amble_error error = take_body(l, body, NULL);
    if (error.code == AMBLE_OK) {
        *moved = list_moved(&l->w, NULL);
    }
    release_legged(l);
    free(l);
    return error;
}

/* ---- Poses ---- */

/* Where a body that stays sees what is at a place of its way. */
static void bring_back(legged *l, const vec *base, double facing) {
    walker *w = &l->w;
    quat back = quat_from_axis((vec){0.0, 0.0, 1.0}, -facing);
    for (int i = 0; i < w->slots; i++) {
        w->place[i] = quat_rotate(back, vec_sub(w->place[i], *base));
        w->turned[i] = quat_multiply(back, w->turned[i]);
    }
}

/* The legs' bones, once the trunk is posed. Returns the greatest lack, of a leg's length. */
static double pose_legs(legged *l, double time, const legged_moment *m, const vec *hip, const quat *base,
                        quat turned[LEGS][JOINTS]) {
    double most = 0.0;
    for (int i = 0; i < (int)l->legs; i++) {
        const limb *leg = &l->limb[i];
        footing foot = footing_at(l, i, time, m);
        double lack = fold_leg(leg, hip[i], base[i], foot_joint(leg, &foot), foot.swing,
                               l->value[AMBLE_LEGGED_FOLD], turned[i]);
        turned[i][leg->joints] = foot.turned;
        most = fmax(most, lack / leg->whole);
    }
    return most;
}

static int joint_of(const limb *leg, int part) {
    int k = 0;
    while (k < leg->joints && leg->part[k] != part) {
        k++;
    }
    return k;
}

/* The whole body at a time. out: (moved,). */
static double pose_legged(legged *l, double time, int travel, channels *out, vec *base_place,
                          double *facing) {
    walker *w = &l->w;
    vec hip[LEGS];
    quat base[LEGS];
    quat turned[LEGS][JOINTS];
    legged_moment m = legged_moment_at(l, time);
    pose_trunk(l, time, &m, true, hip, base);
    double lack = pose_legs(l, time, &m, hip, base, turned);
    legged_trunk trunk = trunk_at(l, time, &m, true);
    for (int i = 0; i < w->slots; i++) {
        const slot *s = &w->slot[i];
        if (s->part == PART_FOLLOWER || s->part == PART_MIXED) {
            continue;
        }
        bool leg = s->part == PART_LEGGED && l->body->part[s->which].kind == AMBLE_LEGGED_LEG;
        bool free = s->part != PART_LEGGED || l->body->part[s->which].kind >= AMBLE_LEGGED_TRUNK;
        if (free) { /* hangs where its parent, which may be a leg's bone, has it */
            carried c = carried_at(w, s);
            w->place[i] = c.head;
            w->turned[i] = s->part == PART_LEGGED ? w->turned[i] : c.base;
        }
        if (leg) {
            int which = l->body->part[s->which].which;
            w->turned[i] = turned[which][joint_of(&l->limb[which], s->which)];
        }
    }
    *base_place = trunk.base;
    *facing = m.facing;
    if (!travel) {
        bring_back(l, &trunk.base, m.facing);
    }
    for (int i = 0; i < w->slots; i++) {
        const slot *s = &w->slot[i];
        if (s->out >= 0 && s->part != PART_FOLLOWER) {
            carried c = carried_at(w, s);
            out[s->out] = own_channels(w, s, &c, w->place[i], w->turned[i]);
        }
    }
    follow(w, out);
    return lack;
}

/* Small against the shortest detail of the curves, large against rounding, as the walk's. */
static const double slope_step = 1e-5;

static amble_error pose_frames(legged *l, int travel, int64_t frames, const double *time,
                               const amble_gait_result *result, double *track, double *lack) {
    int64_t moved = list_moved(&l->w, result->bones);
    channels *poses = malloc(3 * (size_t)(moved + 1) * sizeof *poses);
    if (!poses) {
        return amble_fail(AMBLE_NO_MEMORY, "no memory for %lld bones", (long long)moved);
    }
    double step = slope_step * sqrt(l->size / l->value[AMBLE_LEGGED_GRAVITY]) * 4.0;
    for (int64_t f = 0; f < frames; f++) {
        vec base;
        double facing;
        pose_legged(l, time[f] - step, travel, poses + moved, &base, &facing);
        pose_legged(l, time[f] + step, travel, poses + 2 * moved, &base, &facing);
        lack[f] = pose_legged(l, time[f], travel, poses, &base, &facing);
        write_frame(poses, moved, 2.0 * step, f, frames, result);
        track[f] = base.x;
        track[frames + f] = base.y;
        track[2 * frames + f] = base.z;
        track[3 * frames + f] = facing;
    }
    free(poses);
    return AMBLE_SUCCESS;
}

amble_error amble_legged_pose(const amble_legged_body *body, const double *value, const amble_legged_way *way,
                              int64_t count, const amble_footfall *footfall, int travel, int64_t frames,
                              const double *time, const amble_gait_result *result, double *track,
                              double *lack) {
    legged *l = calloc(1, sizeof *l);
    if (!l) {
        return amble_fail(AMBLE_NO_MEMORY, "no memory for a body");
    }
    amble_error error = take_body(l, body, value);
    error = error.code == AMBLE_OK ? take_way(l, way) : error;
    error = error.code == AMBLE_OK ? legged_take(l, count, footfall) : error;
    error = error.code == AMBLE_OK ? legged_lower(l) : error;
    if (error.code == AMBLE_OK) {
        error = pose_frames(l, travel, frames, time, result, track, lack);
    }
    release_legged(l);
    free(l);
    return error;
}

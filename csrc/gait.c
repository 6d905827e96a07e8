/* The body's pose at a phase, and the gait as motion over frames. */
#include "check.h"
#include "gait_private.h"

#include <stdlib.h>
#include <string.h>

static const amble_gait_option_info options[AMBLE_GAIT_SETTINGS] = {
    [AMBLE_GAIT_SPEED] = {"speed", 1.4, 1e-9, 1e9},
    [AMBLE_GAIT_GRAVITY] = {"gravity", 9.81, 1e-9, 1e12},
    [AMBLE_GAIT_CYCLE] = {"cycle", 0.0, 0.0, 1e6},
    [AMBLE_GAIT_DUTY] = {"duty", 0.0, 0.0, 0.8},
    [AMBLE_GAIT_STEP_WIDTH] = {"step_width", -1.0, -1.0, 1e9},
    [AMBLE_GAIT_ARM_SWING] = {"arm_swing", 1.0, 0.0, 3.0},
    [AMBLE_GAIT_PELVIS_SWAY] = {"pelvis_sway", 1.0, 0.0, 3.0},
    [AMBLE_GAIT_PELVIS_TURN] = {"pelvis_turn", 1.0, 0.0, 3.0},
    [AMBLE_GAIT_LEAN] = {"lean", 0.035, -0.8, 0.8},
};

const amble_gait_option_info *amble_gait_option(int64_t index) {
    return index >= 0 && index < AMBLE_GAIT_SETTINGS ? &options[index] : NULL;
}

/* ---- Set-up ---- */

typedef enum part {
    PART_NONE,
    PART_ROOT,
    PART_PELVIS,
    PART_SPINE,
    PART_NECK,
    PART_THIGH,
    PART_SHIN,
    PART_FOOT,
    PART_TOE,
    PART_UPPER_ARM,
    PART_FOREARM
} part;

/* A bone that is moved, or that one that is moved hangs from. Slots are in the bones' order, parents first.
 */
typedef struct slot {
    int32_t bone;
    int32_t parent; /* slot, -1: none */
    part part;
    int which;        /* left 0, right 1; or the place in spine or neck */
    bool free;        /* does not inherit the parent's rotation */
    bool parent_axes; /* location is along the parent's axes */
    vec head;         /* rest, body axes */
    quat rest;        /* rest orientation, from bone to body axes */
} slot;

typedef struct walker {
    const amble_gait_body *body;
    gait_plan plan;
    body_frame frame;
    quat armature; /* from armature to body axes */
    int slots;
    slot *slot;
    quat *turned; /* (slots,): rest to pose, body axes */
    vec *place;   /* (slots,): of the head */
    /* Rest directions of the limbs' bones. */
    vec thigh[2], shin[2], hinge[2], pole[2], upper[2], fore[2];
    double speed;
    int travel;
} walker;

static amble_error check_bone(const amble_gait_body *body, int32_t bone, bool optional, const char *name) {
    if ((optional && bone == -1) || (bone >= 0 && bone < body->skeleton->bones)) {
        return AMBLE_SUCCESS;
    }
    return amble_fail(AMBLE_BAD_VALUE, "%s names bone %ld of %lld", name, (long)bone,
                      (long long)body->skeleton->bones);
}

static amble_error check_body(const amble_gait_body *body) {
    AMBLE_TRY(check_bone(body, body->pelvis, false, "pelvis"));
    AMBLE_TRY(check_bone(body, body->root, true, "root"));
    if (body->spine_count < 0 || body->neck_count < 0 || body->spine_count > AMBLE_GAIT_MAX_TRUNK ||
        body->neck_count > AMBLE_GAIT_MAX_TRUNK) {
        return amble_fail(AMBLE_BAD_VALUE, "spine and neck may hold up to %d bones each",
                          AMBLE_GAIT_MAX_TRUNK);
    }
    for (int64_t i = 0; i < body->spine_count; i++) {
        AMBLE_TRY(check_bone(body, body->spine[i], false, "spine"));
    }
    for (int64_t i = 0; i < body->neck_count; i++) {
        AMBLE_TRY(check_bone(body, body->neck[i], false, "neck"));
    }
    for (int i = 0; i < 2; i++) {
        const amble_gait_leg *leg = &body->leg[i];
        AMBLE_TRY(check_bone(body, leg->thigh, false, "legs"));
        AMBLE_TRY(check_bone(body, leg->shin, false, "legs"));
        AMBLE_TRY(check_bone(body, leg->foot, false, "legs"));
        AMBLE_TRY(check_bone(body, leg->toe, true, "legs"));
        AMBLE_TRY(check_bone(body, body->arm[i].upper, true, "arms"));
        AMBLE_TRY(check_bone(body, body->arm[i].fore, body->arm[i].upper < 0, "arms"));
        AMBLE_TRY(amble_check_number("leg_phase", leg->phase, 0.0, 1.0));
    }
    double lengths = 0.0;
    double across = 0.0;
    for (int k = 0; k < 3; k++) {
        lengths += fabs(body->forward[k] * body->forward[k]) + fabs(body->up[k] * body->up[k]);
        across += body->forward[k] * body->up[k];
    }
    if (!(fabs(lengths - 2.0) < 1e-4 && fabs(across) < 1e-4)) {
        return amble_fail(AMBLE_BAD_VALUE, "forward and up must be unit vectors at right angles");
    }
    return AMBLE_SUCCESS;
}

static vec head_of(const walker *w, int32_t bone) {
    return frame_direction(&w->frame, vec_sub(rest_head(w->body->skeleton, bone), w->frame.origin));
}

static quat rest_turn(const walker *w, int32_t bone) {
    const double *m = w->body->skeleton->rest + (size_t)bone * 16;
    double rows[3][3];
    for (int c = 0; c < 3; c++) {
        vec v = vec_normalise(frame_direction(&w->frame, (vec){m[c], m[4 + c], m[8 + c]}));
        rows[0][c] = v.x;
        rows[1][c] = v.y;
        rows[2][c] = v.z;
    }
    return quat_normalise(quat_from_matrix(rows));
}

/* Marks which part every bone plays. parts, which: (bones,), zeroed. */
static void assign_parts(const amble_gait_body *body, uint8_t *parts, uint8_t *which) {
    if (body->root >= 0) {
        parts[body->root] = PART_ROOT;
    }
    for (int64_t i = 0; i < body->spine_count; i++) {
        parts[body->spine[i]] = PART_SPINE;
        which[body->spine[i]] = (uint8_t)i;
    }
    for (int64_t i = 0; i < body->neck_count; i++) {
        parts[body->neck[i]] = PART_NECK;
        which[body->neck[i]] = (uint8_t)i;
    }
    parts[body->pelvis] = PART_PELVIS;
    for (int i = 0; i < 2; i++) {
        const amble_gait_leg *leg = &body->leg[i];
        const int32_t bones[] = {leg->thigh,         leg->shin,
                                 leg->foot,          leg->toe,
                                 body->arm[i].upper, body->arm[i].upper < 0 ? -1 : body->arm[i].fore};
        static const uint8_t roles[] = {PART_THIGH, PART_SHIN,      PART_FOOT,
                                        PART_TOE,   PART_UPPER_ARM, PART_FOREARM};
        for (int k = 0; k < 6; k++) {
            if (bones[k] >= 0) {
                parts[bones[k]] = roles[k];
                which[bones[k]] = (uint8_t)i;
            }
        }
    }
}

amble_error amble_gait_count(const amble_gait_body *body, int64_t *moved) {
    AMBLE_TRY(check_body(body));
    size_t count = (size_t)body->skeleton->bones;
    uint8_t *parts = calloc(2 * count + 1, 1);
    if (!parts) {
        return amble_fail(AMBLE_NO_MEMORY, "no memory for %lld bones", (long long)body->skeleton->bones);
    }
    assign_parts(body, parts, parts + count);
    *moved = 0;
    for (size_t i = 0; i < count; i++) {
        *moved += parts[i] != PART_NONE;
    }
    free(parts);
    return AMBLE_SUCCESS;
}

static void release(walker *w) {
    free(w->slot);
    free(w->turned);
    free(w->place);
}

static amble_error make_slots(walker *w) {
    const amble_skeleton *skeleton = w->body->skeleton;
    size_t count = (size_t)skeleton->bones;
    /* parts, which, needed; then the slot of each bone. */
    uint8_t *parts = calloc(3 * count + 1, 1);
    int32_t *slots = malloc((count + 1) * sizeof *slots);
    if (!parts || !slots) {
        free(parts);
        free(slots);
        return amble_fail(AMBLE_NO_MEMORY, "no memory for %lld bones", (long long)skeleton->bones);
    }
    uint8_t *which = parts + count;
    uint8_t *needed = which + count;
    assign_parts(w->body, parts, which);
    int total = 0;
    for (size_t i = count; i-- > 0;) {
        if (parts[i] != PART_NONE || needed[i]) {
            needed[i] = 1;
            total++;
            if (skeleton->parents[i] >= 0) {
                needed[skeleton->parents[i]] = 1;
            }
        }
    }
    w->slot = malloc((size_t)total * sizeof *w->slot);
    w->turned = malloc((size_t)total * sizeof *w->turned);
    w->place = malloc((size_t)total * sizeof *w->place);
    if (!w->slot || !w->turned || !w->place) {
        free(parts);
        free(slots);
        release(w);
        return amble_fail(AMBLE_NO_MEMORY, "no memory for %d bones", total);
    }
    for (size_t i = 0; i < count; i++) {
        if (!needed[i]) {
            continue;
        }
        uint32_t flags = skeleton->flags ? skeleton->flags[i] : 0U;
        int32_t parent = skeleton->parents[i];
        w->slot[w->slots] = (slot){
            .bone = (int32_t)i,
            .parent = parent < 0 ? -1 : slots[parent],
            .part = (part)parts[i],
            .which = which[i],
            .free = flags & AMBLE_BONE_NO_ROTATION,
            .parent_axes = flags & AMBLE_BONE_NO_LOCAL_LOCATION,
            .head = head_of(w, (int32_t)i),
            .rest = rest_turn(w, (int32_t)i),
        };
        slots[i] = w->slots++;
    }
    free(parts);
    free(slots);
    return AMBLE_SUCCESS;
}

static vec square_to(vec v, vec axis) { return vec_normalise(vec_sub(v, vec_scale(axis, vec_dot(v, axis)))); }

static void measure_limbs(walker *w) {
    for (int i = 0; i < 2; i++) {
        const amble_gait_leg *leg = &w->body->leg[i];
        const amble_gait_arm *arm = &w->body->arm[i];
        vec hip = head_of(w, leg->thigh);
        vec knee = head_of(w, leg->shin);
        vec ankle = head_of(w, leg->foot);
        vec toes = w->plan.leg[i].ball;
        w->thigh[i] = vec_normalise(vec_sub(knee, hip));
        w->shin[i] = vec_normalise(vec_sub(ankle, knee));
        /* The knee points between the way the body faces and the way the foot does. */
        vec heading = vec_normalise((vec){toes.x, toes.y, 0.0});
        w->pole[i] = vec_normalise(vec_add(heading, (vec){1.0, 0.0, 0.0}));
        vec down = vec_normalise(vec_sub(ankle, hip));
        w->hinge[i] = vec_cross(square_to(w->pole[i], down), down);
        if (arm->upper >= 0) {
            vec shoulder = head_of(w, arm->upper);
            vec elbow = head_of(w, arm->fore);
            w->upper[i] = vec_normalise(vec_sub(elbow, shoulder));
            w->fore[i] = vec_normalise(vec_sub(frame_point(&w->frame, arm->hand), elbow));
        }
    }
}

static amble_error set_up(walker *w, const amble_gait_body *body, const double *value, int travel) {
    *w = (walker){.body = body, .speed = value[AMBLE_GAIT_SPEED], .travel = travel};
    AMBLE_TRY(check_body(body));
    for (int i = 0; i < AMBLE_GAIT_SETTINGS; i++) {
        AMBLE_TRY(amble_check_number(options[i].name, value[i], options[i].low, options[i].high));
    }
    body_frame *frame = &w->frame;
    frame->forward = (vec){body->forward[0], body->forward[1], body->forward[2]};
    frame->up = (vec){body->up[0], body->up[1], body->up[2]};
    frame->left = vec_cross(frame->up, frame->forward);
    double rows[3][3] = {{frame->forward.x, frame->forward.y, frame->forward.z},
                         {frame->left.x, frame->left.y, frame->left.z},
                         {frame->up.x, frame->up.y, frame->up.z}};
    w->armature = quat_normalise(quat_from_matrix(rows));
    /* The origin: under the pelvis forward, in the middle of the hips sideways, on the ground. */
    const amble_skeleton *skeleton = body->skeleton;
    vec hips = vec_add(rest_head(skeleton, body->leg[0].thigh), rest_head(skeleton, body->leg[1].thigh));
    double fore = vec_dot(frame->forward, rest_head(skeleton, body->pelvis));
    double aside = 0.5 * vec_dot(frame->left, hips);
    frame->origin = vec_add(vec_add(vec_scale(frame->forward, fore), vec_scale(frame->left, aside)),
                            vec_scale(frame->up, body->ground));
    AMBLE_TRY(gait_measure(body, frame, &w->plan));
    AMBLE_TRY(gait_make_plan(&w->plan, value));
    AMBLE_TRY(make_slots(w));
    measure_limbs(w);
    return AMBLE_SUCCESS;
}

/* ---- Pose ---- */

/* What is asked of the bones at one phase, as turns from rest in body axes. */
typedef struct goals {
    vec pelvis;
    quat hips, chest, thigh[2], shin[2];
    foot_pose foot[2];
    vec upper[2], fore[2]; /* directions */
} goals;

static goals goals_at(const walker *w, double phase) {
    const gait_plan *plan = &w->plan;
    goals g;
    pelvis_at(plan, phase, &g.pelvis, &g.hips);
    turn at = turn_at(phase - plan->leg[0].phase);
    double list = series_at(&plan->list, &at);
    /* The chest turns against the pelvis and takes over a fifth of its list, the other way. */
    quat yaw = quat_from_axis((vec){0.0, 0.0, 1.0}, -series_at(&plan->thorax, &at));
    quat lean = quat_from_axis((vec){0.0, 1.0, 0.0}, plan->lean);
    quat roll = quat_from_axis((vec){1.0, 0.0, 0.0}, -0.2 * list);
    g.chest = quat_multiply(yaw, quat_multiply(lean, roll));
    for (int i = 0; i < 2; i++) {
        g.foot[i] = foot_at(plan, &plan->leg[i], phase);
        turn side = turn_at(phase - plan->leg[i].phase);
        double swing = series_at(&plan->shoulder, &side);
        double elbow = series_at(&plan->elbow, &side);
        double outward = i ? -1.0 : 1.0;
        double s[2];
        double c[2];
        amble_sincos(swing, &s[0], &c[0]);
        amble_sincos(swing + elbow, &s[1], &c[1]);
        /* Hanging 8 degrees away from the body; the forearm comes inward as it comes up. */
        g.upper[i] = vec_normalise((vec){s[0], 0.14 * outward, -c[0]});
        g.fore[i] = vec_normalise((vec){s[1], (0.05 - 0.15 * s[1]) * outward, -c[1]});
    }
    return g;
}

/* The turn that brings one orthonormal pair of directions onto another. */
static quat turn_between(vec from, vec from_axis, vec to, vec to_axis) {
    vec from_side = vec_cross(from, from_axis);
    vec to_side = vec_cross(to, to_axis);
    double a[3][3] = {{from.x, from_axis.x, from_side.x},
                      {from.y, from_axis.y, from_side.y},
                      {from.z, from_axis.z, from_side.z}};
    double b[3][3] = {
        {to.x, to_axis.x, to_side.x}, {to.y, to_axis.y, to_side.y}, {to.z, to_axis.z, to_side.z}};
    return quat_multiply(quat_from_matrix(b), quat_conjugate(quat_from_matrix(a)));
}

/* Thigh and shin that put the ankle where it is asked for: the law of cosines gives how far along the line
 * from hip to ankle, and how far out of it, the knee lies. */
static void solve_leg(const walker *w, int i, vec hip, goals *g) {
    const leg_plan *leg = &w->plan.leg[i];
    vec line = vec_sub(g->foot[i].ankle, hip);
    double distance = vec_length(line);
    double most = leg->thigh + leg->shin;
    vec down = vec_scale(line, 1.0 / distance);
    distance = distance < most ? distance : most;
    vec out = square_to(w->pole[i], down);
    vec hinge = vec_cross(out, down);
    double along = (leg->thigh * leg->thigh - leg->shin * leg->shin + distance * distance) / (2.0 * distance);
    double aside = leg->thigh * leg->thigh - along * along;
    aside = aside > 0.0 ? sqrt(aside) : 0.0;
    vec thigh = vec_normalise(vec_add(vec_scale(down, along), vec_scale(out, aside)));
    vec shin = vec_normalise(vec_sub(vec_scale(down, distance), vec_scale(thigh, leg->thigh)));
    g->thigh[i] = turn_between(w->thigh[i], square_to(w->hinge[i], w->thigh[i]), thigh, hinge);
    g->shin[i] = turn_between(w->shin[i], square_to(w->hinge[i], w->shin[i]), shin, hinge);
}

/* `base` with as little more turn as brings its image of `rest` onto `direction`. */
static quat aim(quat base, vec rest, vec direction) {
    return quat_multiply(quat_between(quat_rotate(base, rest), direction), base);
}

static quat goal_of(const walker *w, const slot *s, quat base, vec head, goals *g) {
    const amble_gait_body *body = w->body;
    const leg_plan *leg = &w->plan.leg[s->which & 1];
    switch (s->part) {
    case PART_PELVIS:
        return g->hips;
    case PART_SPINE:
        return quat_nlerp(g->hips, g->chest, (double)(s->which + 1) / (double)body->spine_count);
    case PART_NECK: /* the head looks ahead, level */
        return quat_nlerp(g->chest, (quat){1.0, 0.0, 0.0, 0.0},
                          (double)(s->which + 1) / (double)body->neck_count);
    case PART_THIGH:
        solve_leg(w, s->which, head, g);
        return g->thigh[s->which];
    case PART_SHIN:
        return g->shin[s->which];
    case PART_FOOT:
        return quat_from_axis(leg->axis, -g->foot[s->which].pitch);
    case PART_TOE:
        return quat_from_axis(leg->axis, -g->foot[s->which].toe);
    case PART_UPPER_ARM:
        return aim(base, w->upper[s->which], g->upper[s->which]);
    case PART_FOREARM:
        return aim(base, w->fore[s->which], g->fore[s->which]);
    case PART_ROOT:
    case PART_NONE:
        break;
    }
    return base;
}

/* One bone's own channels: location and rotation on top of rest. */
typedef struct channels {
    vec location;
    quat rotation;
} channels;

/* The body at a phase and a time; out: one entry a moved bone, in the order of the slots. */
static void pose_at(const walker *w, double time, channels *out) {
    double phase = time / w->plan.summary.cycle;
    goals g = goals_at(w, phase);
    double travel = w->travel ? w->speed * time : 0.0;
    const quat none = {1.0, 0.0, 0.0, 0.0};
    double carried = 0.0; /* by the root, once it has been met */
    for (int i = 0; i < w->slots; i++) {
        const slot *s = &w->slot[i];
        quat parent = s->parent < 0 ? none : w->turned[s->parent];
        vec head = s->head;
        if (s->parent >= 0) {
            head =
                vec_add(w->place[s->parent], quat_rotate(parent, vec_sub(s->head, w->slot[s->parent].head)));
        }
        quat base = s->free ? none : parent;
        vec moved = {0.0, 0.0, 0.0};
        if (s->part == PART_ROOT) {
            moved.x = carried = travel;
        } else if (s->part == PART_PELVIS) {
            moved = g.pelvis;
            moved.x += carried == 0.0 && w->body->root < 0 ? travel : carried;
            moved = vec_sub(moved, head);
        }
        head = vec_add(head, moved);
        if (s->part == PART_THIGH) {
            g.foot[s->which].ankle.x += travel;
        }
        w->place[i] = head;
        w->turned[i] = goal_of(w, s, base, head, &g);
        if (s->part == PART_NONE) {
            continue;
        }
        /* The bone's basis: rest^-1 base^-1 turned rest, and the way it moved seen from its own or its
         * parent's axes. */
        quat local = quat_multiply(quat_conjugate(base), w->turned[i]);
        vec along = quat_rotate(quat_conjugate(parent), moved);
        quat seen = s->rest;
        if (s->parent_axes) {
            seen = s->parent < 0 ? w->armature : w->slot[s->parent].rest;
        }
        out->location = quat_rotate(quat_conjugate(seen), along);
        out->rotation = quat_normalise(quat_multiply(quat_conjugate(s->rest), quat_multiply(local, s->rest)));
        if (out->rotation.w < 0.0) {
            out->rotation = quat_scale(out->rotation, -1.0);
        }
        out++;
    }
}

static void store(const channels *c, double scale, float *out, int64_t frames) {
    const double values[10] = {c->location.x, c->location.y, c->location.z, c->rotation.w, c->rotation.x,
                               c->rotation.y, c->rotation.z, scale,         scale,         scale};
    for (int k = 0; k < 10; k++) {
        out[k * frames] = (float)values[k];
    }
}

/* Central difference of two poses a step apart, quaternions the short way. */
static channels slope_of(const channels *before, const channels *after, double step) {
    quat a = before->rotation;
    if (quat_dot(a, after->rotation) < 0.0) {
        a = quat_scale(a, -1.0);
    }
    return (channels){vec_scale(vec_sub(after->location, before->location), 1.0 / step),
                      quat_scale(quat_add(after->rotation, quat_scale(a, -1.0)), 1.0 / step)};
}

/* Largest hip-ankle distance of the stride as a share of the leg. */
static double largest_reach(const gait_plan *plan) {
    double most = 0.0;
    for (int i = 0; i < 64; i++) {
        vec place;
        quat turned;
        pelvis_at(plan, i / 64.0, &place, &turned);
        for (int l = 0; l < 2; l++) {
            const leg_plan *leg = &plan->leg[l];
            vec hip = vec_add(place, quat_rotate(turned, leg->hip));
            double reach =
                vec_length(vec_sub(foot_at(plan, leg, i / 64.0).ankle, hip)) / (leg->thigh + leg->shin);
            most = reach > most ? reach : most;
        }
    }
    return most;
}

amble_error amble_gait(const amble_gait_body *body, const double *value, int travel, int64_t frames,
                       const double *time, const amble_gait_result *result) {
    walker w;
    amble_error error = set_up(&w, body, value, travel);
    int moved = 0;
    for (int i = 0; error.code == AMBLE_OK && i < w.slots; i++) {
        if (w.slot[i].part != PART_NONE) {
            result->bones[moved++] = w.slot[i].bone;
        }
    }
    channels *poses = error.code == AMBLE_OK ? malloc(3 * (size_t)(moved + 1) * sizeof *poses) : NULL;
    if (error.code == AMBLE_OK && !poses) {
        error = amble_fail(AMBLE_NO_MEMORY, "no memory for %d bones", moved);
    }
    if (error.code != AMBLE_OK) {
        release(&w);
        return error;
    }
    channels *before = poses + moved;
    channels *after = before + moved;
    /* Small against the shortest detail of the curves, large against rounding: slopes hold to 1e-7. */
    double step = 1e-5 * w.plan.summary.cycle;
    for (int64_t f = 0; f < frames; f++) {
        pose_at(&w, time[f], poses);
        pose_at(&w, time[f] - step, before);
        pose_at(&w, time[f] + step, after);
        for (int i = 0; i < moved; i++) {
            channels d = slope_of(&before[i], &after[i], 2.0 * step);
            store(&poses[i], 1.0, result->motion + (int64_t)i * 10 * frames + f, frames);
            store(&d, 0.0, result->slope + (int64_t)i * 10 * frames + f, frames);
        }
    }
    w.plan.summary.reach = largest_reach(&w.plan);
    *result->summary = w.plan.summary;
    free(poses);
    release(&w);
    return AMBLE_SUCCESS;
}

/* The gait as motion over frames. */
#include "check.h"
#include "gait_private.h"

#include <stdlib.h>

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
    [AMBLE_GAIT_KIND] = {"gait", 0.0, 0.0, 2.0},
    [AMBLE_GAIT_STEP_LENGTH] = {"step_length", 1.0, 0.5, 1.5},
    [AMBLE_GAIT_CROUCH] = {"crouch", 0.0, 0.0, 0.8},
    [AMBLE_GAIT_BOUNCE] = {"bounce", 1.0, 0.0, 2.0},
    [AMBLE_GAIT_HUNCH] = {"hunch", 0.0, -0.8, 1.1},
    [AMBLE_GAIT_NOD] = {"nod", 0.0, -0.8, 1.1},
    [AMBLE_GAIT_ARM_RAISE] = {"arm_raise", 0.0, -0.8, 1.6},
    [AMBLE_GAIT_ELBOW_BEND] = {"elbow_bend", 0.0, -0.5, 2.3},
};

const amble_gait_option_info *amble_gait_option(int64_t index) {
    return index >= 0 && index < AMBLE_GAIT_SETTINGS ? &options[index] : NULL;
}

static void store(const channels *c, double scale, float *out, int64_t frames) {
    const double values[10] = {c->location.x, c->location.y, c->location.z, c->rotation.w, c->rotation.x,
                               c->rotation.y, c->rotation.z, scale,         scale,         scale};
    for (int k = 0; k < 10; k++) {
        out[k * frames] = (float)values[k];
    }
}

/* A quaternion, of q and -q the one beside another: which of them a pose has changes at half a turn. */
static quat beside(quat q, quat other) { return quat_dot(q, other) < 0.0 ? quat_scale(q, -1.0) : q; }

/* Central difference of the poses before and after one, a step apart. */
static channels slope_of(const channels *now, const channels *before, const channels *after, double step) {
    quat a = beside(before->rotation, now->rotation);
    quat b = beside(after->rotation, now->rotation);
    return (channels){vec_scale(vec_sub(after->location, before->location), 1.0 / step),
                      quat_scale(quat_add(b, quat_scale(a, -1.0)), 1.0 / step)};
}

/* The pose between two a step apart. It is off by half the square of half the step times the acceleration,
 * some hundreds a stride squared: 1e-8, less than float32 tells. */
static channels between(const channels *before, const channels *after) {
    return (channels){vec_scale(vec_add(before->location, after->location), 0.5),
                      quat_normalise(quat_add(before->rotation, beside(after->rotation, before->rotation)))};
}

/* Largest hip-ankle distance of the stride as a share of the leg. */
static double largest_reach(const gait_plan *plan) {
    double most = 0.0;
    if (plan->stilted) {
        return 1.0; /* no knee bends */
    }
    for (int i = 0; i < 64; i++) {
        vec place;
        quat turned;
        pelvis_at(plan, i / 64.0, &place, &turned);
        for (int l = 0; l < 2; l++) {
            const leg_plan *leg = &plan->leg[l];
            vec hip = vec_add(place, quat_rotate(turned, leg->hip));
            double reach = vec_length(vec_sub(foot_under(plan, leg, i / 64.0, hip).ankle, hip)) /
                           (leg->thigh + leg->shin);
            most = reach > most ? reach : most;
        }
    }
    return most;
}

void write_frame(const channels *poses, int64_t moved, double apart, int64_t f, int64_t frames,
                 const amble_gait_result *result) {
    for (int64_t i = 0; i < moved; i++) {
        channels d = slope_of(&poses[i], &poses[moved + i], &poses[2 * moved + i], apart);
        store(&poses[i], 1.0, result->motion + i * 10 * frames + f, frames);
        store(&d, 0.0, result->slope + i * 10 * frames + f, frames);
    }
}

int64_t list_moved(const walker *w, int32_t *bones) {
    int64_t moved = 0;
    for (int i = 0; i < w->slots; i++) {
        if (w->slot[i].out >= 0) {
            if (bones) {
                bones[moved] = w->slot[i].bone;
            }
            moved++;
        }
    }
    return moved;
}

static amble_error walk(walker *w, int64_t frames, const double *time, const amble_gait_result *result) {
    int64_t moved = list_moved(w, result->bones);
    channels *poses = malloc(3 * (size_t)(moved + 1) * sizeof *poses);
    if (!poses) {
        return amble_fail(AMBLE_NO_MEMORY, "no memory for %lld bones", (long long)moved);
    }
    /* Small against the shortest detail of the curves, large against rounding: slopes hold to 1e-7. */
    const double share = 1e-5;
    double step = share * w->plan.summary.cycle;
    for (int64_t f = 0; f < frames; f++) {
        /* Of the stride alone, so that every stride is the same to the last bit. */
        double phase = time[f] / w->plan.summary.cycle;
        phase -= floor(phase);
        pose_at(w, phase - share, time[f] - step, poses + moved);
        pose_at(w, phase + share, time[f] + step, poses + 2 * moved);
        for (int64_t i = 0; i < moved; i++) {
            poses[i] = between(&poses[moved + i], &poses[2 * moved + i]);
        }
        write_frame(poses, moved, 2.0 * step, f, frames, result);
    }
    free(poses);
    w->plan.summary.reach = largest_reach(&w->plan);
    *result->summary = w->plan.summary;
    return AMBLE_SUCCESS;
}

amble_error amble_gait(const amble_gait_body *body, const double *value, int travel, int64_t frames,
                       const double *time, const amble_gait_result *result) {
    walker w = {.speed = value[AMBLE_GAIT_SPEED], .travel = travel};
    if (frames == 0 && body->leg[0].shin >= 0) { /* without shins the whole plan is as quick */
        amble_error found = check_settings(value);
        found = found.code == AMBLE_OK ? set_up_body(&w, body) : found;
        found = found.code == AMBLE_OK ? gait_plan_times(&w.plan, value) : found;
        if (found.code == AMBLE_OK) {
            list_moved(&w, result->bones);
            *result->summary = w.plan.summary;
        }
        release(&w);
        return found;
    }
    amble_error error = set_up(&w, body, value, travel);
    if (error.code == AMBLE_OK) {
        error = walk(&w, frames, time, result);
    }
    release(&w);
    return error;
}

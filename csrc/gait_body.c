/* From an armature and its roles to what a pose needs: checks, the bones that move and those that they hang
 * from. */
#include "check.h"
#include "gait_private.h"

#include <stdlib.h>
#include <string.h>

static amble_error check_bone(const amble_gait_body *body, int32_t bone, bool optional, const char *name) {
    if ((optional && bone == -1) || (bone >= 0 && bone < body->skeleton->bones)) {
        return AMBLE_SUCCESS;
    }
    return amble_fail(AMBLE_BAD_VALUE, "%s names bone %ld of %lld", name, (long)bone,
                      (long long)body->skeleton->bones);
}

static amble_error check_bones(const amble_gait_body *body, const int32_t *bones, int64_t count,
                               const char *name) {
    for (int64_t i = 0; i < count; i++) {
        AMBLE_TRY(check_bone(body, bones[i], false, name));
    }
    return AMBLE_SUCCESS;
}

/* Whether `bone` hangs from `above`, however far down. The skeleton has been checked. */
static bool hangs_from(const amble_skeleton *skeleton, int32_t bone, int32_t above) {
    while (bone > above) {
        bone = skeleton->parents[bone];
    }
    return bone == above;
}

static amble_error check_chain(const amble_gait_body *body, const int32_t *bones, int count,
                               const char *name) {
    for (int i = 1; i < count; i++) {
        if (bones[i] == bones[i - 1] || !hangs_from(body->skeleton, bones[i], bones[i - 1])) {
            return amble_fail(AMBLE_BAD_VALUE, "%s: bone %ld does not hang from bone %ld, the one before it",
                              name, (long)bones[i], (long)bones[i - 1]);
        }
    }
    return AMBLE_SUCCESS;
}

static amble_error check_limbs(const amble_gait_body *body, int side) {
    const amble_gait_leg *leg = &body->leg[side];
    const amble_gait_arm *arm = &body->arm[side];
    bool stilt = leg->shin == -1 && leg->foot == -1 && leg->toe == -1;
    AMBLE_TRY(check_bones(body, (int32_t[]){leg->thigh, leg->shin, leg->foot}, stilt ? 1 : 3, "legs"));
    AMBLE_TRY(check_bone(body, leg->toe, true, "legs"));
    AMBLE_TRY(check_bone(body, arm->upper, true, "arms"));
    AMBLE_TRY(check_bone(body, arm->fore, arm->upper < 0, "arms"));
    AMBLE_TRY(check_chain(body, (int32_t[]){leg->thigh, leg->shin, leg->foot, leg->toe},
                          stilt          ? 1
                          : leg->toe < 0 ? 3
                                         : 4,
                          "legs"));
    AMBLE_TRY(check_chain(body, (int32_t[]){arm->upper, arm->fore}, arm->upper < 0 ? 1 : 2, "arms"));
    return amble_check_number("leg_phase", leg->phase, 0.0, 1.0);
}

amble_error check_axes(const amble_gait_body *body) {
    const double *f = body->forward;
    const double *u = body->up;
    double forward = f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
    double up = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    double across = f[0] * u[0] + f[1] * u[1] + f[2] * u[2];
    if (!(fabs(forward - 1.0) < 1e-4 && fabs(up - 1.0) < 1e-4 && fabs(across) < 1e-4)) {
        return amble_fail(AMBLE_BAD_VALUE, "forward and up must be unit vectors at right angles");
    }
    return amble_check_number("ground", body->ground, -AMBLE_LARGEST, AMBLE_LARGEST);
}

static amble_error check_mixed(const amble_gait_body *body) {
    if (body->mixed < 0 || body->mixed > INT64_MAX / 3) {
        return amble_fail(AMBLE_BAD_VALUE, "mixed: %lld is no number of bones", (long long)body->mixed);
    }
    for (int64_t i = 0; i < body->mixed; i++) {
        const int32_t *row = body->mix + 3 * i;
        AMBLE_TRY(check_bone(body, row[0], false, "mixed"));
        AMBLE_TRY(check_bone(body, row[1], true, "mixed"));
        AMBLE_TRY(check_bone(body, row[2], true, "mixed"));
        AMBLE_TRY(amble_check_number("share", body->share[i], 0.0, 1.0));
    }
    return AMBLE_SUCCESS;
}

static amble_error check_extras(const amble_gait_body *body) {
    if (body->extras < 0 || body->extras > body->skeleton->bones) {
        return amble_fail(AMBLE_BAD_VALUE, "extras: %lld is no number of bones", (long long)body->extras);
    }
    for (int64_t i = 0; i < body->extras; i++) {
        AMBLE_TRY(check_bone(body, body->extra[2 * i], false, "extras"));
        if (body->extra[2 * i + 1] != 0 && body->extra[2 * i + 1] != 1) {
            return amble_fail(AMBLE_BAD_VALUE, "extras: bone %ld must be placed (0) or aimed (1), not %ld",
                              (long)body->extra[2 * i], (long)body->extra[2 * i + 1]);
        }
    }
    return AMBLE_SUCCESS;
}

amble_error check_followers(const amble_gait_body *body) {
    if (body->followers < 0 || body->followers > INT64_MAX / 2) {
        return amble_fail(AMBLE_BAD_VALUE, "followers: %lld is no number of bones",
                          (long long)body->followers);
    }
    AMBLE_TRY(check_bones(body, body->follower, 2 * body->followers, "followers"));
    return check_mixed(body);
}

static amble_error check_body(const amble_gait_body *body) {
    AMBLE_TRY(amble_check_skeleton(body->skeleton));
    AMBLE_TRY(check_bone(body, body->pelvis, false, "pelvis"));
    AMBLE_TRY(check_bone(body, body->root, true, "root"));
    if (body->spine_count < 0 || body->neck_count < 0 || body->spine_count > AMBLE_GAIT_MAX_TRUNK ||
        body->neck_count > AMBLE_GAIT_MAX_TRUNK) {
        return amble_fail(AMBLE_BAD_VALUE, "spine and neck may hold up to %d bones each",
                          AMBLE_GAIT_MAX_TRUNK);
    }
    AMBLE_TRY(check_bones(body, body->spine, body->spine_count, "spine"));
    AMBLE_TRY(check_bones(body, body->neck, body->neck_count, "neck"));
    AMBLE_TRY(check_followers(body));
    AMBLE_TRY(check_extras(body));
    for (int i = 0; i < 2; i++) {
        AMBLE_TRY(check_limbs(body, i));
        if (body->leg[i].thigh == body->pelvis ||
            !hangs_from(body->skeleton, body->leg[i].thigh, body->pelvis)) {
            return amble_fail(AMBLE_BAD_VALUE, "pelvis: bone %ld does not carry the thigh, bone %ld",
                              (long)body->pelvis, (long)body->leg[i].thigh);
        }
    }
    if ((body->leg[0].shin < 0) != (body->leg[1].shin < 0)) {
        return amble_fail(AMBLE_BAD_VALUE, "legs: one of them has a shin and the other has none");
    }
    if (body->root >= 0 && hangs_from(body->skeleton, body->root, body->pelvis)) {
        return amble_fail(AMBLE_BAD_VALUE, "root: bone %ld is the pelvis or hangs from it", (long)body->root);
    }
    return check_axes(body);
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

amble_error cast_bone(casting *cast, int32_t bone, part part, int32_t which, const char *name) {
    if (bone < 0) {
        return AMBLE_SUCCESS;
    }
    if (cast[bone].part != PART_NONE) {
        return amble_fail(AMBLE_BAD_VALUE, "%s: bone %ld has another role already", name, (long)bone);
    }
    cast[bone].part = part;
    cast[bone].which = which;
    return AMBLE_SUCCESS;
}

static amble_error cast_trunk(const amble_gait_body *body, casting *cast) {
    AMBLE_TRY(cast_bone(cast, body->pelvis, PART_PELVIS, 0, "pelvis"));
    AMBLE_TRY(cast_bone(cast, body->root, PART_ROOT, 0, "root"));
    for (int32_t i = 0; i < body->spine_count; i++) {
        AMBLE_TRY(cast_bone(cast, body->spine[i], PART_SPINE, i, "spine"));
    }
    for (int32_t i = 0; i < body->neck_count; i++) {
        AMBLE_TRY(cast_bone(cast, body->neck[i], PART_NECK, i, "neck"));
    }
    return AMBLE_SUCCESS;
}

static amble_error cast_limbs(const amble_gait_body *body, casting *cast, int side) {
    const amble_gait_leg *leg = &body->leg[side];
    const amble_gait_arm *arm = &body->arm[side];
    AMBLE_TRY(cast_bone(cast, leg->thigh, PART_THIGH, side, "legs"));
    AMBLE_TRY(cast_bone(cast, leg->shin, PART_SHIN, side, "legs"));
    AMBLE_TRY(cast_bone(cast, leg->foot, PART_FOOT, side, "legs"));
    AMBLE_TRY(cast_bone(cast, leg->toe, PART_TOE, side, "legs"));
    AMBLE_TRY(cast_bone(cast, arm->upper, PART_UPPER_ARM, side, "arms"));
    return cast_bone(cast, arm->upper < 0 ? -1 : arm->fore, PART_FOREARM, side, "arms");
}

/* The extras take bones of the trunk over from the roles that they have. */
static amble_error cast_extras(const amble_gait_body *body, casting *cast) {
    for (int64_t i = 0; i < body->extras; i++) {
        const int32_t *extra = body->extra + 2 * i;
        part had = cast[extra[0]].part;
        if (had == PART_SPINE || had == PART_NECK) {
            cast[extra[0]].part = PART_NONE;
        }
        AMBLE_TRY(cast_bone(cast, extra[0], extra[1] ? PART_AIMED : PART_PLACED, (int32_t)i, "extras"));
    }
    return AMBLE_SUCCESS;
}

/* What every bone plays. cast: (bones,), zeroed. */
static amble_error cast_body(const amble_gait_body *body, casting *cast) {
    AMBLE_TRY(cast_limbs(body, cast, 0));
    AMBLE_TRY(cast_limbs(body, cast, 1));
    AMBLE_TRY(cast_trunk(body, cast));
    AMBLE_TRY(cast_extras(body, cast));
    return cast_followers(body, cast);
}

amble_error cast_followers(const amble_gait_body *body, casting *cast) {
    for (int64_t i = 0; i < body->followers; i++) {
        const int32_t *pair = body->follower + 2 * i;
        AMBLE_TRY(cast_bone(cast, pair[0], PART_FOLLOWER, pair[1], "followers"));
        cast[pair[1]].needed = true;
    }
    for (int64_t i = 0; i < body->mixed; i++) {
        const int32_t *row = body->mix + 3 * i;
        AMBLE_TRY(cast_bone(cast, row[0], PART_MIXED, (int32_t)i, "mixed"));
        for (int k = 1; k < 3; k++) {
            if (row[k] >= 0) {
                cast[row[k]].needed = true;
            }
        }
    }
    return AMBLE_SUCCESS;
}

/* Whether a bone gets channels. */
static bool is_moved(const casting *one) { return one->part != PART_NONE && one->part != PART_MIXED; }

/* Whether a bone's place is known only after those of the body's own bones. */
static bool is_late(const casting *one) { return one->part == PART_FOLLOWER || one->part == PART_MIXED; }

/* Checks that nothing depends on a bone whose own place comes later. */
static amble_error check_order(const amble_gait_body *body, const casting *cast) {
    const amble_skeleton *skeleton = body->skeleton;
    for (int32_t i = 0; i < skeleton->bones; i++) {
        bool follows = cast[i].part == PART_FOLLOWER;
        int32_t parent = skeleton->parents[i];
        /* A follower may hang from any bone, and follow any of the body's own. */
        int32_t on = follows ? cast[i].which : parent;
        if (cast[i].part != PART_MIXED && cast[i].needed && on >= 0 && is_late(&cast[on])) {
            return amble_fail(AMBLE_BAD_VALUE,
                              "followers: bone %ld depends on a bone that itself follows others", (long)i);
        }
    }
    for (int64_t i = 0; i < body->mixed; i++) {
        const int32_t *row = body->mix + 3 * i;
        if ((row[1] >= 0 && is_late(&cast[row[1]])) || (row[2] >= 0 && is_late(&cast[row[2]]))) {
            return amble_fail(AMBLE_BAD_VALUE,
                              "mixed: bone %ld is moved by a bone that itself follows others", (long)row[0]);
        }
    }
    return AMBLE_SUCCESS;
}

casting *new_casting(const amble_gait_body *body) {
    return calloc((size_t)body->skeleton->bones + 1, sizeof(casting));
}

amble_error amble_gait_count(const amble_gait_body *body, int64_t *moved) {
    AMBLE_TRY(check_body(body));
    casting *cast = new_casting(body);
    if (!cast) {
        return amble_fail(AMBLE_NO_MEMORY, "no memory for %lld bones", (long long)body->skeleton->bones);
    }
    amble_error error = cast_body(body, cast);
    *moved = 0;
    for (int64_t i = 0; i < body->skeleton->bones; i++) {
        *moved += is_moved(&cast[i]);
    }
    free(cast);
    return error;
}

void release(walker *w) {
    free(w->slot);
    free(w->turned);
    free(w->place);
}

amble_error fill_slots(walker *w, casting *cast, int32_t *slots) {
    const amble_skeleton *skeleton = w->body->skeleton;
    int total = 0;
    for (int64_t i = skeleton->bones; i-- > 0;) {
        cast[i].needed = cast[i].needed || cast[i].part != PART_NONE;
        total += cast[i].needed;
        if (cast[i].needed && skeleton->parents[i] >= 0) {
            cast[skeleton->parents[i]].needed = true;
        }
    }
    AMBLE_TRY(check_order(w->body, cast));
    w->slot = calloc((size_t)total + 1, sizeof *w->slot);
    w->turned = malloc((size_t)(total + 1) * sizeof *w->turned);
    w->place = malloc((size_t)(total + 1) * sizeof *w->place);
    if (!w->slot || !w->turned || !w->place) {
        return amble_fail(AMBLE_NO_MEMORY, "no memory for %d bones", total);
    }
    int out = 0;
    /* The analyzer does not see that as many slots are filled as were counted. */
    // NOLINTBEGIN(clang-analyzer-security.ArrayBound)
    for (int32_t i = 0; i < skeleton->bones; i++) {
        if (!cast[i].needed) {
            continue;
        }
        uint32_t flags = skeleton->flags ? skeleton->flags[i] : 0U;
        int32_t parent = skeleton->parents[i];
        w->slot[w->slots] = (slot){
            .bone = i,
            .parent = parent < 0 ? -1 : slots[parent],
            .part = cast[i].part,
            .which = cast[i].which,
            .out = is_moved(&cast[i]) ? out++ : -1,
            .free = flags & AMBLE_BONE_NO_ROTATION,
            .parent_axes = flags & AMBLE_BONE_NO_LOCAL_LOCATION,
            .head = head_of(w, i),
            .rest = rest_turn(w, i),
        };
        slots[i] = w->slots++;
    }
    for (slot *s = w->slot; s < w->slot + w->slots; s++) {
        if (s->part == PART_FOLLOWER) {
            s->which = slots[s->which];
        } else if (s->part == PART_MIXED) {
            const int32_t *row = w->body->mix + 3 * (int64_t)s->which;
            s->share = w->body->share[s->which];
            s->which = row[1] < 0 ? -1 : slots[row[1]];
            s->second = row[2] < 0 ? -1 : slots[row[2]];
        }
    }
    // NOLINTEND(clang-analyzer-security.ArrayBound)
    return AMBLE_SUCCESS;
}

static amble_error make_slots(walker *w) {
    casting *cast = new_casting(w->body);
    int32_t *slots = calloc((size_t)w->body->skeleton->bones + 1, sizeof *slots);
    amble_error error;
    if (!cast || !slots) {
        error = amble_fail(AMBLE_NO_MEMORY, "no memory for %lld bones", (long long)w->body->skeleton->bones);
    } else {
        error = cast_body(w->body, cast);
        error = error.code == AMBLE_OK ? fill_slots(w, cast, slots) : error;
    }
    free(cast);
    free(slots);
    return error;
}

/* Sine of the bend, 25 degrees backward, from which a knee is meant to point back. */
static const double backward_knee = -0.4226182617;

static void measure_legs(walker *w) {
    for (int i = 0; i < 2; i++) {
        const amble_gait_leg *leg = &w->body->leg[i];
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
        /* A bird's points back. A knee drawn nearly straight may be bent a little to either side. */
        if (vec_dot(vec_cross(w->thigh[i], w->shin[i]), w->hinge[i]) < backward_knee) {
            w->pole[i] = vec_scale(w->pole[i], -1.0);
            w->hinge[i] = vec_scale(w->hinge[i], -1.0);
        }
    }
}

static void measure_arms(walker *w) {
    for (int i = 0; i < 2; i++) {
        const amble_gait_arm *arm = &w->body->arm[i];
        if (arm->upper >= 0) {
            vec shoulder = head_of(w, arm->upper);
            vec elbow = head_of(w, arm->fore);
            w->upper[i] = vec_normalise(vec_sub(elbow, shoulder));
            vec fore = vec_sub(frame_point(&w->frame, arm->hand), elbow);
            w->fore[i] = vec_normalise(fore);
            w->arm_length[i][0] = vec_length(vec_sub(elbow, shoulder));
            w->arm_length[i][1] = vec_length(fore);
        }
    }
}

void set_frame(walker *w, double fore, double aside) {
    const amble_gait_body *body = w->body;
    body_frame *frame = &w->frame;
    frame->forward = (vec){body->forward[0], body->forward[1], body->forward[2]};
    frame->up = (vec){body->up[0], body->up[1], body->up[2]};
    frame->left = vec_cross(frame->up, frame->forward);
    double rows[3][3] = {{frame->forward.x, frame->forward.y, frame->forward.z},
                         {frame->left.x, frame->left.y, frame->left.z},
                         {frame->up.x, frame->up.y, frame->up.z}};
    w->armature = quat_normalise(quat_from_matrix(rows));
    frame->origin = vec_add(vec_add(vec_scale(frame->forward, fore), vec_scale(frame->left, aside)),
                            vec_scale(frame->up, body->ground));
}

/* Checks the body, finds its axes and fills the slots. */
static amble_error begin_body(walker *w, const amble_gait_body *body) {
    w->body = body;
    AMBLE_TRY(check_body(body));
    /* The origin: under the pelvis forward, in the middle of the hips sideways, on the ground. */
    const amble_skeleton *skeleton = body->skeleton;
    vec hips = vec_add(rest_head(skeleton, body->leg[0].thigh), rest_head(skeleton, body->leg[1].thigh));
    vec forward = {body->forward[0], body->forward[1], body->forward[2]};
    vec up = {body->up[0], body->up[1], body->up[2]};
    set_frame(w, vec_dot(forward, rest_head(skeleton, body->pelvis)),
              0.5 * vec_dot(vec_cross(up, forward), hips));
    measure_arms(w);
    return make_slots(w);
}

amble_error set_up_body(walker *w, const amble_gait_body *body) {
    AMBLE_TRY(begin_body(w, body));
    if (body->leg[0].shin < 0) {
        return amble_fail(AMBLE_BAD_VALUE,
                          "legs: without shins they only walk straight on over level ground");
    }
    AMBLE_TRY(gait_measure(body, &w->frame, &w->plan));
    measure_legs(w);
    return AMBLE_SUCCESS;
}

amble_error check_settings(const double *value) {
    for (int i = 0; i < AMBLE_GAIT_SETTINGS; i++) {
        const amble_gait_option_info *option = amble_gait_option(i);
        AMBLE_TRY(amble_check_number(option->name, value[i], option->low, option->high));
    }
    return AMBLE_SUCCESS;
}

amble_error set_up(walker *w, const amble_gait_body *body, const double *value, int travel) {
    *w = (walker){.speed = value[AMBLE_GAIT_SPEED], .travel = travel};
    AMBLE_TRY(check_settings(value));
    if (body->leg[0].shin < 0) {
        AMBLE_TRY(begin_body(w, body));
        return stilts_make_plan(w, value);
    }
    AMBLE_TRY(set_up_body(w, body));
    return gait_make_plan(&w->plan, value);
}

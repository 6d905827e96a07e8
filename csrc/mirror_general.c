/* Bones that hang on no partners, or inherit unlike them: their mirrored channels, frame by frame.
 *
 * The bone's mirrored pose P' = T S D S R' and that of the bone it hangs on follow from the poses of the
 * whole source. With the bone's channels at rest its parent's mirrored pose would carry it to [A | o]; so its
 * own are what is missing: A^-1 P' is its turn times its scale, and P' comes to lie where it should by a
 * location along the axes that this bone's locations are along.
 */
#include "bone.h"
#include "check.h"
#include "mirror_private.h"
#include "quat.h"

#include <math.h>
#include <stdlib.h>

/* Three rows of four of a pose at one frame. */
static void pose_at(const float *pose, int64_t frames, int64_t frame, double out[3][4]) {
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 4; c++) {
            out[r][c] = pose[(4 * r + c) * frames + frame];
        }
    }
}

static mat3 axes_of(double pose[3][4]) {
    mat3 out;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out.m[r][c] = pose[r][c];
        }
    }
    return out;
}

/* The mirrored pose of `bone` from the pose of its partner: axes T S P Y; the head goes where the partner's
 * deformation, mirrored, takes the head that the bone has at rest. */
static void image_of(const amble_skeleton *skeleton, const amble_mirror_plan *plan, const mirror_frame *frame,
                     int64_t bone, double partner_pose[3][4], double out[3][4]) {
    const double *rest = skeleton->rest + 16 * (int64_t)plan->partner[bone];
    mat3 world = mat3_multiply(frame->turn, frame->reflect);
    mat3 axes =
        mat3_multiply(mat3_multiply(world, axes_of(partner_pose)), mirror_axes(skeleton, plan, frame, bone));
    double head[3];
    double local[3];
    double moved[3];
    double image[3];
    for (int r = 0; r < 3; r++) {
        head[r] = skeleton->rest[16 * bone + (int64_t)4 * r + 3];
    }
    /* S, into the partner's own space, its pose, S and T. */
    mat3_apply(frame->reflect, head, image);
    mat3 partner_rest;
    for (int r = 0; r < 3; r++) {
        image[r] += frame->reflect_move[r] - rest[(int64_t)4 * r + 3];
        for (int c = 0; c < 3; c++) {
            partner_rest.m[r][c] = rest[(int64_t)4 * r + c];
        }
    }
    mat3_apply(mat3_inverse(partner_rest), image, local);
    mat3_apply(axes_of(partner_pose), local, moved);
    for (int r = 0; r < 3; r++) {
        moved[r] += partner_pose[r][3];
    }
    mat3_apply(frame->reflect, moved, image);
    for (int r = 0; r < 3; r++) {
        image[r] += frame->reflect_move[r];
    }
    mat3_apply(frame->turn, image, moved);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out[r][c] = axes.m[r][c];
        }
        out[r][3] = moved[r] + frame->turn_move[r];
    }
}

/* Lengths of the columns, which are made 1; one that is 0 stays. */
static vec take_lengths(mat3 *a) {
    double lengths[3];
    for (int c = 0; c < 3; c++) {
        lengths[c] = vec_length((vec){a->m[0][c], a->m[1][c], a->m[2][c]});
        for (int r = 0; r < 3; r++) {
            a->m[r][c] = lengths[c] > 0.0 ? a->m[r][c] / lengths[c] : a->m[r][c];
        }
    }
    return (vec){lengths[0], lengths[1], lengths[2]};
}

/* The channels (10) that bring a bone to a pose under its parent's. */
static void channels_to(const amble_bone *bone, double (*parent)[4], double wanted[3][4], double out[10]) {
    static const double rest[10] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0};
    double carried[3][4];
    amble_bone_pose(bone, rest, parent, carried);
    mat3 axes = axes_of(carried);
    vec own = {1.0, 1.0, 1.0};
    if (bone->scale == AMBLE_SCALE_ALIGNED) {
        own = take_lengths(&axes);
    }
    mat3 turn = mat3_multiply(mat3_inverse(axes), axes_of(wanted));
    vec scale = take_lengths(&turn);
    if (mat3_determinant(turn) < 0.0) { /* turned inside out: all three axes, which is no turn at all */
        scale = vec_scale(scale, -1.0);
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                turn.m[r][c] = -turn.m[r][c];
            }
        }
    }
    quat q = quat_from_matrix(turn.m);
    double away[3] = {wanted[0][3] - carried[0][3], wanted[1][3] - carried[1][3],
                      wanted[2][3] - carried[2][3]};
    double along[3];
    mat3 frame = parent ? axes_of(parent) : (mat3){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    if (!bone->no_local_location) {
        frame = mat3_multiply(frame, axes_of((double (*)[4])bone->offset));
    }
    mat3_apply(mat3_inverse(frame), away, along);
    for (int r = 0; r < 3; r++) {
        out[r] = bone->connected ? 0.0 : along[r];
    }
    out[3] = q.w, out[4] = q.x, out[5] = q.y, out[6] = q.z;
    out[7] = scale.x / own.x, out[8] = scale.y / own.y, out[9] = scale.z / own.z;
}

static void general_bone(const amble_skeleton *skeleton, const amble_mirror_plan *plan,
                         const mirror_frame *frame, const amble_bone *bone, int64_t index, int64_t frames,
                         const float *poses, float *out) {
    for (int64_t f = 0; f < frames; f++) {
        double source[3][4];
        double wanted[3][4];
        double parent[3][4];
        double channels[10];
        pose_at(poses + 12 * frames * plan->partner[index], frames, f, source);
        image_of(skeleton, plan, frame, index, source, wanted);
        if (bone->parent >= 0) {
            pose_at(poses + 12 * frames * plan->partner[bone->parent], frames, f, source);
            image_of(skeleton, plan, frame, bone->parent, source, parent);
        }
        channels_to(bone, bone->parent >= 0 ? parent : NULL, wanted, channels);
        for (int k = 0; k < 10; k++) {
            out[(10 * index + k) * frames + f] = (float)channels[k];
        }
    }
}

amble_error mirror_general(const amble_skeleton *skeleton, const amble_mirror_plan *plan,
                           const mirror_frame *frame, int64_t frames, const float *channels, float *out) {
    size_t count = (size_t)(skeleton->bones * 12 * frames);
    if (count == 0) {
        return AMBLE_SUCCESS;
    }
    float *poses = malloc(count * sizeof *poses);
    if (!poses) {
        return amble_fail(AMBLE_NO_MEMORY, "channels: no memory for the poses of %lld frames",
                          (long long)frames);
    }
    amble_error error = amble_forward_kinematics(skeleton, frames, channels, poses);
    for (int64_t i = 0; i < skeleton->bones && error.code == AMBLE_OK; i++) {
        mirror_map map;
        amble_bone bone;
        mirror_bone_map(skeleton, plan, frame, i, &map);
        if (map.general) {
            error = amble_bone_set_up(skeleton, i, &bone);
            if (error.code == AMBLE_OK) {
                general_bone(skeleton, plan, frame, &bone, i, frames, poses, out);
            }
        }
    }
    free(poses);
    return error;
}

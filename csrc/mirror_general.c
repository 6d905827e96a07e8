/* Bones that hang on no partners, or inherit unlike them: their mirrored channels, frame by frame.
 *
 * The bone's mirrored pose P' = T S D S R' and that of the bone it hangs on follow from the poses of the
 * whole source. With the bone's channels at rest its parent's mirrored pose would carry it to [A | o]; so its
 * own are what is missing: A^-1 P' is its turn times its scale. Its head is moved off the place where its own
 * skeleton has it by the image of how far the partner's head is moved, seen from the bone whose image the
 * parent is: u = Dq^-1 p - h, with h and p the partner's head at rest and posed.
 */
#include "bone.h"
#include "check.h"
#include "mirror_private.h"
#include "quat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void head_at_rest(const amble_skeleton *skeleton, int64_t bone, double head[3]) {
    for (int r = 0; r < 3; r++) {
        head[r] = skeleton->rest[16 * bone + (int64_t)4 * r + 3];
    }
}

static mat3 axes_at_rest(const amble_skeleton *skeleton, int64_t bone) {
    mat3 axes;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            axes.m[r][c] = skeleton->rest[16 * bone + (int64_t)4 * r + c];
        }
    }
    return axes;
}

/* A point of armature space taken along from one pose of a bone to another: to (from^-1 x). */
static void carry(mat3 from, const double from_head[3], mat3 to, const double to_head[3],
                  const double point[3], double out[3]) {
    double away[3] = {point[0] - from_head[0], point[1] - from_head[1], point[2] - from_head[2]};
    double local[3];
    mat3_apply(mat3_inverse(from), away, local);
    mat3_apply(to, local, out);
    for (int r = 0; r < 3; r++) {
        out[r] += to_head[r];
    }
}

/* The axes of the bone's mirrored pose, T S P Y, from the pose of its partner. */
static mat3 image_axes(const amble_skeleton *skeleton, const amble_mirror_plan *plan,
                       const mirror_frame *frame, int64_t bone, double partner_pose[3][4]) {
    mat3 world = mat3_multiply(frame->turn, frame->reflect);
    return mat3_multiply(mat3_multiply(world, axes_of(partner_pose)),
                         mirror_axes(skeleton, plan, frame, bone));
}

/* The head of the bone's mirrored pose as the parent at rest would have it, in armature space: where its own
 * skeleton has it, and S u. `above` is the pose of the parent's partner, NULL for a root. */
static void image_head(const amble_skeleton *skeleton, const amble_mirror_plan *plan,
                       const mirror_frame *frame, int64_t bone, double partner_pose[3][4], double (*above)[4],
                       double out[3]) {
    int64_t partner = plan->partner[bone];
    int64_t parent = skeleton->parents[bone];
    double posed[3] = {partner_pose[0][3], partner_pose[1][3], partner_pose[2][3]};
    double head[3];
    double moved[3];
    if (above) {
        int64_t carrier = plan->partner[parent];
        double above_head[3] = {above[0][3], above[1][3], above[2][3]};
        double seen[3];
        head_at_rest(skeleton, carrier, head);
        carry(axes_of(above), above_head, axes_at_rest(skeleton, carrier), head, posed, seen);
        memcpy(posed, seen, sizeof posed);
    }
    head_at_rest(skeleton, partner, head);
    for (int r = 0; r < 3; r++) {
        posed[r] -= head[r];
    }
    mat3_apply(frame->reflect, posed, moved);
    head_at_rest(skeleton, bone, out);
    for (int r = 0; r < 3; r++) {
        out[r] += moved[r];
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

static void set_pose(mat3 axes, const double head[3], double out[3][4]) {
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out[r][c] = axes.m[r][c];
        }
        out[r][3] = head[r];
    }
}

static void general_bone(const amble_skeleton *skeleton, const amble_mirror_plan *plan,
                         const mirror_frame *frame, const amble_bone *bone, int64_t index, int64_t frames,
                         const float *poses, float *out) {
    const double origin[3] = {0.0, 0.0, 0.0};
    for (int64_t f = 0; f < frames; f++) {
        double source[3][4];
        double above[3][4];
        double wanted[3][4];
        double parent[3][4];
        double image[3];
        double place[3];
        double channels[10];
        pose_at(poses + 12 * frames * plan->partner[index], frames, f, source);
        if (bone->parent >= 0) { /* the parent's place plays no part: it is put at the origin */
            pose_at(poses + 12 * frames * plan->partner[bone->parent], frames, f, above);
            mat3 axes = image_axes(skeleton, plan, frame, bone->parent, above);
            double rest_head[3];
            set_pose(axes, origin, parent);
            image_head(skeleton, plan, frame, index, source, above, image);
            head_at_rest(skeleton, bone->parent, rest_head);
            carry(axes_at_rest(skeleton, bone->parent), rest_head, axes, origin, image, place);
        } else {
            image_head(skeleton, plan, frame, index, source, NULL, image);
            mat3_apply(frame->turn, image, place);
            for (int r = 0; r < 3; r++) {
                place[r] += frame->turn_move[r];
            }
        }
        set_pose(image_axes(skeleton, plan, frame, index, source), place, wanted);
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

/* Forward kinematics: from each bone's own channels to matrices in armature space, as Blender evaluates a
 * pose. bone.c derives it; here plain bones run four frames at once, the others one by one.
 */
#include "bone.h"
#include "check.h"
#include "quat.h"

#include <stdlib.h>

/* ---- Plain bones: four frames at once ---- */

/* The rotation that a quaternion channel stands for. One of length 0 is half a turn about x in Blender. */
static quatw channel_rotation(quatw q) {
    const wf zero = wf_set(0.0F);
    wm none = wm_and(wm_and(wf_eq(q.w, zero), wf_eq(q.x, zero)), wm_and(wf_eq(q.y, zero), wf_eq(q.z, zero)));
    q.x = wf_select(none, wf_set(1.0F), q.x);
    return quatw_normalise(q);
}

/* L of the bone for four frames, three rows of four. */
static void local_matrix(const amble_bone *b, const wf offset[3][4], vecw location, quatw rotation,
                         vecw scale, wf local[3][4]) {
    wf turn[9];
    quatw_to_matrix(channel_rotation(rotation), turn);
    for (int r = 0; r < 3; r++) {
        const wf *o = offset[r];
        wf x = wf_dot3(o[0], turn[0], o[1], turn[3], o[2], turn[6]);
        wf y = wf_dot3(o[0], turn[1], o[1], turn[4], o[2], turn[7]);
        wf z = wf_dot3(o[0], turn[2], o[1], turn[5], o[2], turn[8]);
        local[r][0] = wf_mul(x, scale.x);
        local[r][1] = wf_mul(y, scale.y);
        local[r][2] = wf_mul(z, scale.z);
        local[r][3] = wf_dot3(o[0], location.x, o[1], location.y, o[2], location.z);
    }
    if (b->no_local_location) {
        local[0][3] = location.x;
        local[1][3] = location.y;
        local[2][3] = location.z;
    }
    for (int r = 0; r < 3; r++) {
        local[r][3] = wf_add(local[r][3], offset[r][3]);
    }
}

/* One row of P L, stored; `parent` and `out` point at the row's first entry. */
static void store_row(const float *restrict parent, wf local[3][4], int64_t frames, float *restrict out,
                      int used) {
    wf p[4];
    for (int k = 0; k < 4; k++) {
        p[k] = wf_load_part(parent + k * frames, used);
    }
    for (int c = 0; c < 3; c++) {
        wf value = wf_dot3(p[0], local[0][c], p[1], local[1][c], p[2], local[2][c]);
        wf_store_part(out + c * frames, value, used);
    }
    wf moved = wf_dot3(p[0], local[0][3], p[1], local[1][3], p[2], local[2][3]);
    wf_store_part(out + 3 * frames, wf_add(moved, p[3]), used);
}

static void plain_bone(const amble_bone *b, int64_t frames, const float *restrict channels,
                       const float *restrict parent_pose, float *restrict pose) {
    wf offset[3][4];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 4; c++) {
            offset[r][c] = wf_set((float)b->offset[r][c]);
        }
    }
    const int64_t row = 4 * frames;
    for (int64_t f = 0; f < frames; f += WF_LANES) {
        int used = wf_used(f, frames);
        const float *in = channels + f;
        vecw location = b->connected ? vecw_set(0, 0, 0) : vecw_load(in, frames, used);
        quatw rotation = quatw_load(in + 3 * frames, frames, used);
        vecw scale = vecw_load(in + 7 * frames, frames, used);
        wf local[3][4];
        local_matrix(b, offset, location, rotation, scale, local);
        for (int r = 0; r < 3; r++) {
            float *out = pose + r * row + f;
            if (parent_pose) {
                store_row(parent_pose + r * row + f, local, frames, out, used);
                continue;
            }
            for (int c = 0; c < 4; c++) {
                wf_store_part(out + c * frames, local[r][c], used);
            }
        }
    }
}

/* ---- Bones that change what they inherit: one frame at a time, in double ---- */

static void special_bone(const amble_bone *b, int64_t frames, const float *restrict channels,
                         const float *restrict parent_pose, float *restrict pose) {
    for (int64_t f = 0; f < frames; f++) {
        double in[10];
        double parent[3][4];
        double out[3][4];
        for (int k = 0; k < 10; k++) {
            in[k] = channels[k * frames + f];
        }
        for (int k = 0; k < 12; k++) {
            parent[k / 4][k % 4] = parent_pose[k * frames + f];
        }
        amble_bone_pose(b, in, parent, out);
        for (int k = 0; k < 12; k++) {
            pose[k * frames + f] = (float)out[k / 4][k % 4];
        }
    }
}

amble_error amble_check_skeleton(const amble_skeleton *skeleton) {
    for (int64_t i = 0; i < skeleton->bones; i++) {
        amble_bone checked;
        AMBLE_TRY(amble_bone_set_up(skeleton, i, &checked));
    }
    return AMBLE_SUCCESS;
}

amble_error amble_forward_kinematics(const amble_skeleton *skeleton, int64_t frames, const float *channels,
                                     float *pose) {
    if (skeleton->bones == 0) {
        return AMBLE_SUCCESS;
    }
    /* All bones are set up, and so checked, before the first value is written. The copy also means that no
     * later change of the caller's arrays can lead out of them. */
    amble_bone *bones = calloc((size_t)skeleton->bones, sizeof *bones);
    if (!bones) {
        return amble_fail(AMBLE_NO_MEMORY, "parents: no memory for %lld bones", (long long)skeleton->bones);
    }
    for (int64_t i = 0; i < skeleton->bones; i++) {
        amble_error error = amble_bone_set_up(skeleton, i, &bones[i]);
        if (error.code != AMBLE_OK) {
            free(bones);
            return error;
        }
    }
    for (int64_t i = 0; i < skeleton->bones; i++) {
        const amble_bone *b = &bones[i];
        const float *own_channels = &channels[i * 10 * frames];
        const float *parent_pose = b->parent < 0 ? NULL : &pose[b->parent * 12 * frames];
        if (!parent_pose || (!b->no_rotation && b->scale == AMBLE_SCALE_FULL)) {
            plain_bone(b, frames, own_channels, parent_pose, &pose[i * 12 * frames]);
        } else {
            special_bone(b, frames, own_channels, parent_pose, &pose[i * 12 * frames]);
        }
    }
    free(bones);
    return AMBLE_SUCCESS;
}

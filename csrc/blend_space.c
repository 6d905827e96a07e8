/* Orientations in world space and back, for blending there, and slopes of what comes out. See blend.h. */
#include "check.h"
#include "turn.h"

#include <stdbool.h>
#include <stdlib.h>

enum { ROWS = 10, TURN = 3 };

/* A bone's orientation at rest, in armature space: the rest matrix's axes, made square. */
static quat rest_turn(const double *rest) {
    vec x = vec_normalise((vec){rest[0], rest[4], rest[8]});
    vec y = (vec){rest[1], rest[5], rest[9]};
    y = vec_normalise(vec_sub(y, vec_scale(x, vec_dot(x, y))));
    vec z = vec_cross(x, y);
    double m[3][3] = {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
    return quat_from_matrix(m);
}

/* What a bone's own rotation is applied to: its parent's orientation carried from rest to pose, onto its own
 * rest; its rest alone where it has no parent or does not inherit. */
static quat carried(const amble_skeleton *skeleton, int64_t bone, const quat *rests, const quat *world) {
    int32_t parent = skeleton->parents[bone];
    bool apart = skeleton->flags && (skeleton->flags[bone] & AMBLE_BONE_NO_ROTATION);
    if (parent < 0 || apart) {
        return rests[bone];
    }
    return quat_multiply(quat_multiply(world[parent], quat_conjugate(rests[parent])), rests[bone]);
}

static amble_error check_bones(const amble_skeleton *skeleton, const int32_t *modes) {
    AMBLE_TRY(amble_check_skeleton(skeleton));
    for (int64_t k = 0; k < skeleton->bones; k++) {
        if (!turn_is_mode(modes[k])) {
            return amble_fail(AMBLE_BAD_VALUE, "modes[%lld] is %d: it must be 0 to 7", (long long)k,
                              (int)modes[k]);
        }
    }
    return AMBLE_SUCCESS;
}

/* Room for every bone's orientation at rest, filled, and after that for its orientation in the world. */
static quat *new_rests(const amble_skeleton *skeleton) {
    quat *rests = malloc((size_t)(2 * skeleton->bones + 1) * sizeof *rests);
    for (int64_t k = 0; rests && k < skeleton->bones; k++) {
        rests[k] = rest_turn(skeleton->rest + 16 * k);
    }
    return rests;
}

static amble_error no_memory(const amble_skeleton *skeleton) {
    return amble_fail(AMBLE_NO_MEMORY, "skeleton: no memory for %lld bones", (long long)skeleton->bones);
}

amble_error amble_rotations_to_world(const amble_skeleton *skeleton, const int32_t *modes, int64_t frames,
                                     float *channels) {
    AMBLE_TRY(check_bones(skeleton, modes));
    quat *rests = new_rests(skeleton);
    if (!rests) {
        return no_memory(skeleton);
    }
    quat *world = rests + skeleton->bones;
    for (int64_t f = 0; f < frames; f++) {
        for (int64_t k = 0; k < skeleton->bones; k++) {
            float *rows = channels + (k * ROWS + TURN) * frames + f;
            quat own = turn_to_quat(turn_mode(modes[k]), turn_load(rows, frames));
            world[k] = quat_normalise(quat_multiply(carried(skeleton, k, rests, world), own));
            turn_store((turn){{world[k].w, world[k].x, world[k].y, world[k].z}}, rows, frames);
        }
    }
    free(rests);
    return AMBLE_SUCCESS;
}

amble_error amble_rotations_from_world(const amble_skeleton *skeleton, const int32_t *modes, int64_t frames,
                                       const float *near, float *channels) {
    AMBLE_TRY(check_bones(skeleton, modes));
    quat *rests = new_rests(skeleton);
    if (!rests) {
        return no_memory(skeleton);
    }
    quat *world = rests + skeleton->bones;
    for (int64_t f = 0; f < frames; f++) {
        for (int64_t k = 0; k < skeleton->bones; k++) {
            float *rows = channels + (k * ROWS + TURN) * frames + f;
            world[k] = turn_to_quat(AMBLE_ROTATION_QUATERNION, turn_load(rows, frames));
            quat own = quat_multiply(quat_conjugate(carried(skeleton, k, rests, world)), world[k]);
            turn before = f ? turn_load(rows - 1, frames) : turn_load(near + k * ROWS + TURN, 1);
            turn_store(turn_from_quat(turn_mode(modes[k]), quat_normalise(own), before), rows, frames);
        }
    }
    free(rests);
    return AMBLE_SUCCESS;
}

/* ---- Slopes ---- */

/* By the parabola through three points: the slope at one of them is the mean of the secants to the others,
 * weighed by how far the other one is away. */
static double parabola(const double *t, const float *v, int at) {
    int p = at == 0 ? 1 : 0;
    int q = at == 2 ? 1 : 2;
    double hp = t[p] - t[at];
    double hq = t[q] - t[at];
    double sp = ((double)v[p] - v[at]) / hp;
    double sq = ((double)v[q] - v[at]) / hq;
    return (sp * hq - sq * hp) / (hq - hp);
}

static bool evenly(const double *t, int64_t count) {
    double h = t[1] - t[0];
    for (int64_t k = 2; k < count; k++) {
        if (fabs(t[k] - t[k - 1] - h) > 1e-6 * h) {
            return false;
        }
    }
    return true;
}

/* By the cubic through four even points, at the first of them or the second; `way` 1 counts them forward,
 * -1 backward from v. */
static double cubic_slope(const float *v, int64_t way, bool second, double h) {
    double v0 = v[0];
    double v1 = v[way];
    double v2 = v[2 * way];
    double v3 = v[3 * way];
    double slope =
        second ? -2.0 * v0 - 3.0 * v1 + 6.0 * v2 - v3 : -11.0 * v0 + 18.0 * v1 - 9.0 * v2 + 2.0 * v3;
    return slope * (double)way / (6.0 * h);
}

static double slope_at(int64_t frames, const double *t, const float *v, int64_t f) {
    if (frames == 2) {
        return ((double)v[1] - v[0]) / (t[1] - t[0]);
    }
    if (f >= 2 && f + 2 < frames && evenly(t + f - 2, 5)) {
        return (8.0 * ((double)v[f + 1] - v[f - 1]) - ((double)v[f + 2] - v[f - 2])) /
               (12.0 * (t[f + 1] - t[f]));
    }
    if (f < 2 && frames >= 4 && evenly(t, 4)) {
        return cubic_slope(v, 1, f == 1, t[1] - t[0]);
    }
    if (f + 2 >= frames && frames >= 4 && evenly(t + frames - 4, 4)) {
        return cubic_slope(v + frames - 1, -1, f + 2 == frames, t[frames - 1] - t[frames - 2]);
    }
    int64_t first = f == 0 ? 0 : f + 1 < frames ? f - 1 : f - 2;
    return parabola(t + first, v + first, (int)(f - first));
}

amble_error amble_slopes(int64_t rows, int64_t frames, const double *time, const float *values, float *out) {
    for (int64_t f = 1; f < frames; f++) {
        if (!(time[f] > time[f - 1])) {
            return amble_fail(AMBLE_BAD_VALUE, "time[%lld] must lie after the one before it", (long long)f);
        }
    }
    for (int64_t k = 0; k < rows; k++) {
        const float *v = values + k * frames;
        for (int64_t f = 0; f < frames; f++) {
            out[k * frames + f] = frames < 2 ? 0.0F : (float)slope_at(frames, time, v, f);
        }
    }
    return AMBLE_SUCCESS;
}

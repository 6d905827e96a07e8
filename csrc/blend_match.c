/* Distances of poses and lengths of transitions. See blend_match.h. */
#include "blend_match.h"

#include "check.h"
#include "turn.h"

#include <stdlib.h>

enum { POSE = 12 };

void amble_track_peaks(int64_t count, int64_t frames, const float *points, double out[3]) {
    out[0] = out[1] = out[2] = 0.0;
    for (int64_t k = 0; k < count; k++) {
        const float *p = points + 3 * k * frames;
        for (int64_t f = 1; f < frames; f++) {
            double sum[3] = {0.0, 0.0, 0.0};
            for (int c = 0; c < 3; c++) {
                const float *x = p + c * frames + f;
                double speed = (double)x[0] - x[-1];
                sum[0] += speed * speed;
                if (f >= 2) {
                    double bend = (double)x[0] - 2.0 * x[-1] + x[-2];
                    sum[1] += bend * bend;
                }
                if (f >= 3) {
                    double jerk = (double)x[0] - 3.0 * x[-1] + 3.0 * x[-2] - x[-3];
                    sum[2] += jerk * jerk;
                }
            }
            for (int c = 0; c < 3; c++) {
                out[c] = sum[c] > out[c] ? sum[c] : out[c];
            }
        }
    }
    for (int c = 0; c < 3; c++) {
        out[c] = sqrt(out[c]);
    }
}

/* ---- Features ---- */

static vec head_of(const float *pose, int64_t frames, int64_t bone, int64_t f) {
    const float *rows = pose + bone * POSE * frames + f;
    return (vec){rows[3 * frames], rows[7 * frames], rows[11 * frames]};
}

/* How far a pose is turned about `up` from the rest pose, as the turn back. */
static quat turned_back(const float *rows, int64_t frames, const double *rest, vec up) {
    double m[3][3];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            m[r][c] = 0.0;
            for (int k = 0; k < 3; k++) {
                m[r][c] += (double)rows[(r * 4 + k) * frames] * rest[c * 4 + k];
            }
        }
    }
    quat q = quat_from_matrix(m);
    double along = q.x * up.x + q.y * up.y + q.z * up.z;
    return quat_normalise((quat){q.w, -along * up.x, -along * up.y, -along * up.z});
}

static void store_vec(float *features, int64_t row, int64_t frames, int64_t f, vec v) {
    features[row * frames + f] = (float)v.x;
    features[(row + 1) * frames + f] = (float)v.y;
    features[(row + 2) * frames + f] = (float)v.z;
}

amble_error amble_pose_features(int64_t bones, int64_t frames, const float *pose, int64_t stand,
                                const double *rest, int64_t count, const int32_t *joints,
                                const double up_given[3], double reach, float *features) {
    if (stand < 0 || stand >= bones) {
        return amble_fail(AMBLE_BAD_VALUE, "stand is %lld: it must be one of %lld bones", (long long)stand,
                          (long long)bones);
    }
    for (int64_t k = 0; k < count; k++) {
        if (joints[k] < 0 || joints[k] >= bones) {
            return amble_fail(AMBLE_BAD_VALUE, "joints[%lld] is %d: it must be one of %lld bones",
                              (long long)k, (int)joints[k], (long long)bones);
        }
    }
    AMBLE_TRY(amble_check_number("reach", reach, 0.0, AMBLE_LARGEST));
    vec up = {up_given[0], up_given[1], up_given[2]};
    for (int64_t f = 0; f < frames; f++) {
        quat back = turned_back(pose + stand * POSE * frames + f, frames, rest, up);
        vec place = head_of(pose, frames, stand, f);
        place = vec_sub(place, vec_scale(up, vec_dot(up, place)));
        int64_t before = f > 0 ? f - 1 : f;
        int64_t after = f + 1 < frames ? f + 1 : f;
        double scale = after > before ? reach / (double)(after - before) : 0.0;
        for (int64_t k = 0; k < count; k++) {
            vec beside = vec_sub(head_of(pose, frames, joints[k], f), place);
            vec way =
                vec_sub(head_of(pose, frames, joints[k], after), head_of(pose, frames, joints[k], before));
            store_vec(features, 3 * k, frames, f, quat_rotate(back, beside));
            store_vec(features, 3 * (count + k), frames, f, quat_rotate(back, vec_scale(way, scale)));
        }
    }
    return AMBLE_SUCCESS;
}

/* ---- Distances ---- */

/* One row of the result: all columns of b against one of a, four at a time along b. */
static void distance_row(int64_t rows, const float *a, int64_t a_stride, int64_t b_frames, const float *b,
                         const float *weights, float share, float *out) {
    for (int64_t j = 0; j < b_frames; j += WF_LANES) {
        int used = wf_used(j, b_frames);
        wf sum = wf_set(0.0F);
        for (int64_t r = 0; r < rows; r++) {
            wf apart = wf_sub(wf_load_part(b + r * b_frames + j, used), wf_set(a[r * a_stride]));
            sum = wf_add(sum, wf_mul(wf_set(weights[r]), wf_mul(apart, apart)));
        }
        wf_store_part(out + j, wf_sqrt(wf_mul(sum, wf_set(share))), used);
    }
}

amble_error amble_pose_distances(int64_t rows, int64_t a_frames, const float *a, int64_t b_frames,
                                 const float *b, const double *weights, double share, float *out) {
    for (int64_t r = 0; r < rows; r++) {
        AMBLE_TRY(amble_check_number("weights", weights[r], 0.0, AMBLE_LARGEST));
    }
    AMBLE_TRY(amble_check_number("share", share, 1e-15, AMBLE_LARGEST));
    float *weighed = malloc((size_t)(rows + 1) * sizeof *weighed);
    if (!weighed) {
        return amble_fail(AMBLE_NO_MEMORY, "weights: no memory for %lld rows", (long long)rows);
    }
    for (int64_t r = 0; r < rows; r++) {
        weighed[r] = (float)weights[r];
    }
    for (int64_t i = 0; i < a_frames; i++) {
        distance_row(rows, a + i, a_frames, b_frames, b, weighed, (float)(1.0 / share), out + i * b_frames);
    }
    free(weighed);
    return AMBLE_SUCCESS;
}

/* ---- Length ---- */

static int holds(double x, double v, double time, double acceleration, double jerk) {
    double second = 5.7735026919 * x / (time * time) + 3.94 * v / time;
    double third = 60.0 * x / (time * time * time) + 36.0 * v / (time * time);
    return second <= acceleration && third <= jerk;
}

amble_error amble_blend_length(int64_t count, const double *sizes, const double *speeds, double acceleration,
                               double jerk, double *out) {
    AMBLE_TRY(amble_check_number("acceleration", acceleration, 1e-15, INFINITY));
    AMBLE_TRY(amble_check_number("jerk", jerk, 1e-15, INFINITY));
    double longest = 0.0;
    for (int64_t k = 0; k < count; k++) {
        AMBLE_TRY(amble_check_number("sizes", sizes[k], 0.0, AMBLE_LARGEST));
        AMBLE_TRY(amble_check_number("speeds", speeds[k], 0.0, AMBLE_LARGEST));
        if (longest > 0.0 && holds(sizes[k], speeds[k], longest, acceleration, jerk)) {
            continue;
        }
        double low = longest;
        double high = 1.0;
        while (high < 1e6 && !holds(sizes[k], speeds[k], high, acceleration, jerk)) {
            low = high;
            high *= 2.0;
        }
        for (int step = 0; step < 40; step++) {
            double middle = 0.5 * (low + high);
            if (middle > 0.0 && holds(sizes[k], speeds[k], middle, acceleration, jerk)) {
                high = middle;
            } else {
                low = middle;
            }
        }
        longest = high > longest ? high : longest;
    }
    *out = longest;
    return AMBLE_SUCCESS;
}

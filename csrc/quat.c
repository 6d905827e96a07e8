/* Quaternion operations over whole arrays: loops around quat.h. */
#include "quat.h"
#include "amble.h"

void amble_quaternion_multiply(int64_t count, const float *a, const float *b, float *out) {
    for (int64_t i = 0; i < count; i += WF_LANES) {
        int used = wf_used(i, count);
        quatw p = quatw_load(a + i, count, used);
        quatw q = quatw_load(b + i, count, used);
        quatw_store(out + i, count, quatw_multiply(p, q), used);
    }
}

void amble_quaternion_normalise(int64_t count, const float *q, float *out) {
    for (int64_t i = 0; i < count; i += WF_LANES) {
        int used = wf_used(i, count);
        quatw_store(out + i, count, quatw_normalise(quatw_load(q + i, count, used)), used);
    }
}

void amble_quaternion_rotate(int64_t count, const float *q, const float *vector, float *out) {
    for (int64_t i = 0; i < count; i += WF_LANES) {
        int used = wf_used(i, count);
        quatw turn = quatw_load(q + i, count, used);
        vecw_store(out + i, count, quatw_rotate(turn, vecw_load(vector + i, count, used)), used);
    }
}

void amble_quaternion_nlerp(int64_t count, const float *a, const float *b, const float *t, float *out) {
    for (int64_t i = 0; i < count; i += WF_LANES) {
        int used = wf_used(i, count);
        quatw p = quatw_load(a + i, count, used);
        quatw q = quatw_load(b + i, count, used);
        quatw_store(out + i, count, quatw_nlerp(p, q, wf_load_part(t + i, used)), used);
    }
}

/* The two below need the arc's trigonometry, which is in double, one at a time. */

static quat load_quat(const float *p, int64_t stride) {
    return (quat){p[0], p[stride], p[2 * stride], p[3 * stride]};
}

static void store_quat(float *p, int64_t stride, quat q) {
    p[0] = (float)q.w;
    p[stride] = (float)q.x;
    p[2 * stride] = (float)q.y;
    p[3 * stride] = (float)q.z;
}

void amble_quaternion_slerp(int64_t count, const float *a, const float *b, const float *t, float *out) {
    for (int64_t i = 0; i < count; i++) {
        store_quat(out + i, count, quat_slerp(load_quat(a + i, count), load_quat(b + i, count), t[i]));
    }
}

void amble_quaternion_between(int64_t count, const float *from, const float *to, float *out) {
    for (int64_t i = 0; i < count; i++) {
        vec a = vec_normalise((vec){from[i], from[i + count], from[i + 2 * count]});
        vec b = vec_normalise((vec){to[i], to[i + count], to[i + 2 * count]});
        store_quat(out + i, count, quat_between(a, b));
    }
}

void amble_quaternion_to_matrix(int64_t count, const float *q, float *out) {
    for (int64_t i = 0; i < count; i += WF_LANES) {
        int used = wf_used(i, count);
        wf m[9];
        quatw_to_matrix(quatw_load(q + i, count, used), m);
        for (int k = 0; k < 9; k++) {
            wf_store_part(out + k * count + i, m[k], used);
        }
    }
}

void amble_quaternion_from_matrix(int64_t count, const float *matrix, float *out) {
    for (int64_t i = 0; i < count; i += WF_LANES) {
        int used = wf_used(i, count);
        wf m[9];
        for (int k = 0; k < 9; k++) {
            m[k] = wf_load_part(matrix + k * count + i, used);
        }
        quatw_store(out + i, count, quatw_from_matrix(m), used);
    }
}

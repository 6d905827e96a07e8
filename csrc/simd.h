/* One wide float, four lanes, with SSE2, NEON and scalar back-ends. Kernels are written once, over it.
 *
 * Every operation here is one that IEEE 754 rounds exactly, or a pure selection of bits, so that results
 * agree bit for bit between the back-ends. No reciprocal estimates and no fused multiply-add: build with
 * -ffp-contract=off. Define AMBLE_SIMD_SCALAR to force the scalar back-end.
 *
 * Lanes stand for consecutive frames. A count that is no multiple of four ends in a part load, which repeats
 * the last value into the free lanes: they then compute something harmless, which the part store drops.
 */
#ifndef AMBLE_SIMD_H
#define AMBLE_SIMD_H

#include <stdint.h>
#include <string.h>

#ifdef AMBLE_SIMD_SCALAR
#define AMBLE_SIMD_NAME "scalar"
#elif defined(__SSE2__) || defined(_M_X64)
#define AMBLE_SIMD_SSE2 1
#define AMBLE_SIMD_NAME "sse2"
#include <emmintrin.h>
#elif defined(__aarch64__) || defined(_M_ARM64)
#define AMBLE_SIMD_NEON 1
#define AMBLE_SIMD_NAME "neon"
#include <arm_neon.h>
#else
#define AMBLE_SIMD_SCALAR 1
#define AMBLE_SIMD_NAME "scalar"
#endif

enum { WF_LANES = 4 };

/* wf: four floats. wm: four truth values, each lane all ones or all zeros. */
#ifdef AMBLE_SIMD_SSE2

typedef __m128 wf;
typedef __m128 wm;

static inline wf wf_load(const float *p) { return _mm_loadu_ps(p); }
static inline void wf_store(float *p, wf a) { _mm_storeu_ps(p, a); }
static inline wf wf_set(float a) { return _mm_set1_ps(a); }
static inline wf wf_add(wf a, wf b) { return _mm_add_ps(a, b); }
static inline wf wf_sub(wf a, wf b) { return _mm_sub_ps(a, b); }
static inline wf wf_mul(wf a, wf b) { return _mm_mul_ps(a, b); }
static inline wf wf_div(wf a, wf b) { return _mm_div_ps(a, b); }
static inline wf wf_sqrt(wf a) { return _mm_sqrt_ps(a); }
static inline wf wf_abs(wf a) { return _mm_andnot_ps(_mm_set1_ps(-0.0F), a); }
static inline wf wf_neg(wf a) { return _mm_xor_ps(_mm_set1_ps(-0.0F), a); }
static inline wm wf_lt(wf a, wf b) { return _mm_cmplt_ps(a, b); }
static inline wm wf_le(wf a, wf b) { return _mm_cmple_ps(a, b); }
static inline wm wf_eq(wf a, wf b) { return _mm_cmpeq_ps(a, b); }
static inline wm wm_and(wm a, wm b) { return _mm_and_ps(a, b); }
static inline wm wm_or(wm a, wm b) { return _mm_or_ps(a, b); }
static inline int wm_all(wm a) { return _mm_movemask_ps(a) == 15; }
static inline wf wf_select(wm m, wf yes, wf no) {
    return _mm_or_ps(_mm_and_ps(m, yes), _mm_andnot_ps(m, no));
}

/* Four rows become four columns. */
static inline void wf_transpose(wf *a, wf *b, wf *c, wf *d) { _MM_TRANSPOSE4_PS(*a, *b, *c, *d); }

#elif defined(AMBLE_SIMD_NEON)

typedef float32x4_t wf;
typedef uint32x4_t wm;

static inline wf wf_load(const float *p) { return vld1q_f32(p); }
static inline void wf_store(float *p, wf a) { vst1q_f32(p, a); }
static inline wf wf_set(float a) { return vdupq_n_f32(a); }
static inline wf wf_add(wf a, wf b) { return vaddq_f32(a, b); }
static inline wf wf_sub(wf a, wf b) { return vsubq_f32(a, b); }
static inline wf wf_mul(wf a, wf b) { return vmulq_f32(a, b); }
static inline wf wf_div(wf a, wf b) { return vdivq_f32(a, b); }
static inline wf wf_sqrt(wf a) { return vsqrtq_f32(a); }
static inline wf wf_abs(wf a) { return vabsq_f32(a); }
static inline wf wf_neg(wf a) { return vnegq_f32(a); }
static inline wm wf_lt(wf a, wf b) { return vcltq_f32(a, b); }
static inline wm wf_le(wf a, wf b) { return vcleq_f32(a, b); }
static inline wm wf_eq(wf a, wf b) { return vceqq_f32(a, b); }
static inline wm wm_and(wm a, wm b) { return vandq_u32(a, b); }
static inline wm wm_or(wm a, wm b) { return vorrq_u32(a, b); }
static inline int wm_all(wm a) { return vminvq_u32(a) != 0; }
static inline wf wf_select(wm m, wf yes, wf no) { return vbslq_f32(m, yes, no); }
/* Four rows become four columns. */
static inline void wf_transpose(wf *a, wf *b, wf *c, wf *d) {
    float32x4x2_t ab = vtrnq_f32(*a, *b);
    float32x4x2_t cd = vtrnq_f32(*c, *d);
    *a = vcombine_f32(vget_low_f32(ab.val[0]), vget_low_f32(cd.val[0]));
    *b = vcombine_f32(vget_low_f32(ab.val[1]), vget_low_f32(cd.val[1]));
    *c = vcombine_f32(vget_high_f32(ab.val[0]), vget_high_f32(cd.val[0]));
    *d = vcombine_f32(vget_high_f32(ab.val[1]), vget_high_f32(cd.val[1]));
}

#else

#include <math.h>

typedef struct wf {
    float lane[4];
} wf;
typedef struct wm {
    uint32_t lane[4];
} wm;

/* Spelled out per lane by one macro each: what the intrinsics do in one instruction. */
#define WF_EACH(type, expression)                                                                            \
    type r;                                                                                                  \
    for (int i = 0; i < WF_LANES; i++)                                                                       \
        r.lane[i] = (expression);                                                                            \
    return r

static inline wf wf_load(const float *p) { WF_EACH(wf, p[i]); }
static inline void wf_store(float *p, wf a) { memcpy(p, a.lane, sizeof a.lane); }
static inline wf wf_set(float a) { WF_EACH(wf, a); }
static inline wf wf_add(wf a, wf b) { WF_EACH(wf, a.lane[i] + b.lane[i]); }
static inline wf wf_sub(wf a, wf b) { WF_EACH(wf, a.lane[i] - b.lane[i]); }
static inline wf wf_mul(wf a, wf b) { WF_EACH(wf, a.lane[i] * b.lane[i]); }
static inline wf wf_div(wf a, wf b) { WF_EACH(wf, a.lane[i] / b.lane[i]); }
static inline wf wf_sqrt(wf a) { WF_EACH(wf, sqrtf(a.lane[i])); }
static inline wf wf_abs(wf a) { WF_EACH(wf, fabsf(a.lane[i])); }
static inline wf wf_neg(wf a) { WF_EACH(wf, -a.lane[i]); }
static inline wm wf_lt(wf a, wf b) { WF_EACH(wm, a.lane[i] < b.lane[i] ? UINT32_MAX : 0); }
static inline wm wf_le(wf a, wf b) { WF_EACH(wm, a.lane[i] <= b.lane[i] ? UINT32_MAX : 0); }
static inline wm wf_eq(wf a, wf b) { WF_EACH(wm, a.lane[i] == b.lane[i] ? UINT32_MAX : 0); }
static inline wm wm_and(wm a, wm b) { WF_EACH(wm, a.lane[i] & b.lane[i]); }
static inline wm wm_or(wm a, wm b) { WF_EACH(wm, a.lane[i] | b.lane[i]); }
static inline int wm_all(wm a) { return (a.lane[0] & a.lane[1] & a.lane[2] & a.lane[3]) != 0; }
static inline wf wf_select(wm m, wf yes, wf no) { WF_EACH(wf, m.lane[i] ? yes.lane[i] : no.lane[i]); }
/* Four rows become four columns. */
static inline void wf_transpose(wf *a, wf *b, wf *c, wf *d) {
    wf row[4] = {*a, *b, *c, *d};
    wf *out[4] = {a, b, c, d};
    for (int i = 0; i < WF_LANES; i++) {
        for (int k = 0; k < WF_LANES; k++) {
            out[i]->lane[k] = row[k].lane[i];
        }
    }
}

#endif

/* Smaller and larger. The second operand where either is NaN, and for two zeros: the processors' own min and
 * max disagree there, a compare and select does not. */
static inline wf wf_min(wf a, wf b) { return wf_select(wf_lt(a, b), a, b); }
static inline wf wf_max(wf a, wf b) { return wf_select(wf_lt(b, a), a, b); }

/* Lanes in use at frame f of `count`: four, or what is left. */
static inline int wf_used(int64_t f, int64_t count) {
    return count - f < WF_LANES ? (int)(count - f) : WF_LANES;
}

static inline wf wf_load_part(const float *p, int used) {
    if (used == WF_LANES) {
        return wf_load(p);
    }
    float buffer[WF_LANES];
    for (int i = 0; i < WF_LANES; i++) {
        buffer[i] = p[i < used ? i : used - 1];
    }
    return wf_load(buffer);
}

static inline void wf_store_part(float *p, wf a, int used) {
    if (used == WF_LANES) {
        wf_store(p, a);
        return;
    }
    float buffer[WF_LANES];
    wf_store(buffer, a);
    memcpy(p, buffer, (size_t)used * sizeof *p);
}

#endif

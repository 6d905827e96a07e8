/* Curves that are sums of other curves, key by key and handle by handle. See curve.h. */
#include "check.h"
#include "curve.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Keys and handles whose frames differ by less than this count as together: of a frame, which moves a value
 * by that much of its change per frame. */
static const float TOGETHER = 1e-4F;

static bool is_constant(const amble_curves *curves, int64_t k) {
    const float *points = curves->points;
    for (int64_t key = curves->starts[k]; key < curves->starts[k + 1]; key++) {
        float value = points[2 * curves->starts[k] + 1];
        if (points[2 * key + 1] != value || curves->left[2 * key + 1] != value ||
            curves->right[2 * key + 1] != value) {
            return false;
        }
    }
    return true;
}

/* Whether two curves can be added key by key: the same frames of keys and, where they are used, of handles,
 * and the same kinds. */
static bool fit(const amble_curves *curves, int64_t a, int64_t b) {
    int64_t count = curves->starts[a + 1] - curves->starts[a];
    if (curves->starts[b + 1] - curves->starts[b] != count) {
        return false;
    }
    for (int64_t n = 0; n < count; n++) {
        int64_t i = curves->starts[a] + n;
        int64_t j = curves->starts[b] + n;
        bool last = n == count - 1;
        bool before = n > 0 && curves->kinds[i - 1] == AMBLE_KEY_BEZIER;
        bool after = !last && curves->kinds[i] == AMBLE_KEY_BEZIER;
        if (!(fabsf(curves->points[2 * i] - curves->points[2 * j]) < TOGETHER) ||
            (!last && curves->kinds[i] != curves->kinds[j]) ||
            (before && !(fabsf(curves->left[2 * i] - curves->left[2 * j]) < TOGETHER)) ||
            (after && !(fabsf(curves->right[2 * i] - curves->right[2 * j]) < TOGETHER))) {
            return false;
        }
    }
    return true;
}

static amble_error check_sum(const amble_curves *curves, const amble_curve_sum *sums, int64_t k) {
    for (int t = 0; t < AMBLE_MOST_TERMS; t++) {
        int32_t term = sums->terms[AMBLE_MOST_TERMS * k + t];
        if (term < -1 || term >= curves->count || (t == 0 && term < 0)) {
            return amble_fail(AMBLE_BAD_VALUE, "terms[%lld] names curve %d, which is not there", (long long)k,
                              (int)term);
        }
    }
    return AMBLE_SUCCESS;
}

/* Sums of up to this many keys at a time are kept on the stack. */
enum { CHUNK = 256 };

static void sum_pairs(const amble_curves *curves, const float *pairs, const amble_curve_sum *sums, int64_t k,
                      const bool *flat, float *out) {
    const int32_t *terms = sums->terms + AMBLE_MOST_TERMS * k;
    const double *factors = sums->factors + AMBLE_MOST_TERMS * k;
    int64_t base = curves->starts[terms[0]];
    int64_t count = curves->starts[terms[0] + 1] - base;
    for (int64_t begin = 0; begin < count; begin += CHUNK) {
        int64_t used = count - begin < CHUNK ? count - begin : CHUNK;
        double sum[CHUNK];
        for (int64_t n = 0; n < used; n++) {
            sum[n] = sums->added[k];
        }
        for (int t = 0; t < AMBLE_MOST_TERMS && terms[t] >= 0; t++) {
            int64_t start = curves->starts[terms[t]];
            if (flat[t] && t > 0) {
                for (int64_t n = 0; n < used; n++) {
                    sum[n] += factors[t] * curves->points[2 * start + 1];
                }
            } else {
                for (int64_t n = 0; n < used; n++) {
                    sum[n] += factors[t] * pairs[2 * (start + begin + n) + 1];
                }
            }
        }
        for (int64_t n = 0; n < used; n++) {
            out[2 * (begin + n)] = pairs[2 * (base + begin + n)];
            out[2 * (begin + n) + 1] = (float)sum[n];
        }
    }
}

amble_error amble_combined_keys(const amble_curves *curves, const amble_curve_sum *sums, int64_t *keys) {
    AMBLE_TRY(amble_check_curves(curves));
    AMBLE_TRY(
        amble_check_values_double("factors", sums->factors, AMBLE_MOST_TERMS * sums->count, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("added", sums->added, sums->count, AMBLE_LARGEST));
    *keys = 0;
    for (int64_t k = 0; k < sums->count; k++) {
        AMBLE_TRY(check_sum(curves, sums, k));
        int64_t first = sums->terms[AMBLE_MOST_TERMS * k];
        *keys += curves->starts[first + 1] - curves->starts[first];
    }
    return AMBLE_SUCCESS;
}

amble_error amble_combine_curves(const amble_curves *curves, const amble_curve_sum *sums, float *points,
                                 float *left, float *right, int32_t *fits) {
    int64_t at;
    AMBLE_TRY(amble_combined_keys(curves, sums, &at));
    at = 0;
    for (int64_t k = 0; k < sums->count; k++) {
        const int32_t *terms = sums->terms + AMBLE_MOST_TERMS * k;
        bool flat[AMBLE_MOST_TERMS] = {false};
        fits[k] = 1;
        for (int t = 0; t < AMBLE_MOST_TERMS && terms[t] >= 0; t++) {
            flat[t] =
                curves->starts[terms[t]] < curves->starts[terms[t] + 1] && is_constant(curves, terms[t]);
            fits[k] = fits[k] && (t == 0 || flat[t] || fit(curves, terms[0], terms[t]));
        }
        int64_t count = curves->starts[terms[0] + 1] - curves->starts[terms[0]];
        if (fits[k]) {
            sum_pairs(curves, curves->points, sums, k, flat, points + 2 * at);
            sum_pairs(curves, curves->left, sums, k, flat, left + 2 * at);
            sum_pairs(curves, curves->right, sums, k, flat, right + 2 * at);
        } else {
            memset(points + 2 * at, 0, (size_t)(2 * count) * sizeof *points);
            memset(left + 2 * at, 0, (size_t)(2 * count) * sizeof *left);
            memset(right + 2 * at, 0, (size_t)(2 * count) * sizeof *right);
        }
        at += count;
    }
    return AMBLE_SUCCESS;
}

/* Error values, and the checks of plain values that every part of the core shares. */
#include "check.h"
#include "maths.h"
#include "simd.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const char *amble_simd_name(void) { return AMBLE_SIMD_NAME; }

amble_error amble_fail(amble_code code, const char *format, ...) {
    amble_error error = {.code = code};
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error.message, sizeof error.message, format, arguments);
    va_end(arguments);
    return error;
}

amble_error amble_check_number(const char *name, double value, double low, double high) {
    if (value >= low && value <= high) {
        return AMBLE_SUCCESS;
    }
    return amble_fail(AMBLE_BAD_VALUE, "%s must be a number from %g to %g, not %g", name, low, high, value);
}

static amble_error bad_value(const char *name, int64_t index, double value, double largest) {
    if (isfinite(value)) {
        return amble_fail(AMBLE_BAD_VALUE,
                          "%s holds %g at flat index %lld: the largest magnitude allowed is %g", name, value,
                          (long long)index, largest);
    }
    return amble_fail(AMBLE_BAD_VALUE, "%s holds NaN or infinity at flat index %lld", name, (long long)index);
}

/* The comparison is false for NaN, so one test catches all three cases. */
amble_error amble_check_values(const char *name, const float *values, int64_t count, double largest) {
    const wf limit = wf_set((float)largest);
    for (int64_t i = 0; i < count; i += WF_LANES) {
        int used = wf_used(i, count);
        if (wm_all(wf_le(wf_abs(wf_load_part(values + i, used)), limit))) {
            continue;
        }
        for (int lane = 0; lane < used; lane++) {
            if (!(fabsf(values[i + lane]) <= (float)largest)) {
                return bad_value(name, i + lane, values[i + lane], largest);
            }
        }
    }
    return AMBLE_SUCCESS;
}

amble_error amble_check_values_double(const char *name, const double *values, int64_t count, double largest) {
    for (int64_t i = 0; i < count; i++) {
        if (!(fabs(values[i]) <= largest)) {
            return bad_value(name, i, values[i], largest);
        }
    }
    return AMBLE_SUCCESS;
}

amble_error amble_sine_cosine(int64_t count, const double *angle, double *out) {
    AMBLE_TRY(amble_check_values_double("angle", angle, count, AMBLE_LARGEST_PHASE));
    for (int64_t i = 0; i < count; i++) {
        amble_sincos(angle[i], &out[i], &out[count + i]);
    }
    return AMBLE_SUCCESS;
}

/* How functions of the core make their error values. Private to the core. */
#ifndef AMBLE_CHECK_H
#define AMBLE_CHECK_H

#include "amble.h"

#define AMBLE_SUCCESS ((amble_error){.code = AMBLE_OK})

/* Returns from the calling function with the error of `call`, if it has one. */
#define AMBLE_TRY(call)                                                                                      \
    do {                                                                                                     \
        amble_error amble_try_error = (call);                                                                \
        if (amble_try_error.code != AMBLE_OK)                                                                \
            return amble_try_error;                                                                          \
    } while (0)

#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
amble_error amble_fail(amble_code code, const char *format, ...);

/* Fails unless low <= value <= high; NaN fails. */
amble_error amble_check_number(const char *name, double value, double low, double high);

#endif

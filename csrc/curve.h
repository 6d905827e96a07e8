/* Blender's F-curves at any frames: whole sets of curves in one call.
 *
 * A curve is a run of keys (frame, value) with two handles each. What lies between two keys follows the kind
 * of the earlier one; before the first and after the last key the curve holds its value, or goes on straight,
 * or repeats.
 */
#ifndef AMBLE_CURVE_H
#define AMBLE_CURVE_H

#include "amble.h"

/* How a key goes on to the next one. Other kinds that Blender has (bounce, elastic ...) are the caller's. */
typedef enum amble_key_kind {
    AMBLE_KEY_CONSTANT = 0,
    AMBLE_KEY_LINEAR = 1,
    AMBLE_KEY_BEZIER = 2,
} amble_key_kind;

/* How a curve repeats beyond its keys, by its Cycles modifier. */
typedef enum amble_repeat {
    AMBLE_REPEAT_NONE = 0,
    AMBLE_REPEAT = 1,        /* the same values again */
    AMBLE_REPEAT_OFFSET = 2, /* each round begins where the one before it ends */
    AMBLE_REPEAT_MIRROR = 3, /* there and back */
} amble_repeat;

typedef struct amble_curves {
    int64_t count;
    int64_t keys;          /* of all curves */
    const int64_t *starts; /* (count + 1,): curve k has the keys starts[k] .. starts[k + 1] - 1 */
    const float *points;   /* (keys, 2): frame and value; frames of a curve never fall */
    const float *left;     /* (keys, 2): handle before the key */
    const float *right;    /* (keys, 2): handle after it */
    const int32_t *kinds;  /* (keys,): amble_key_kind */
    const int32_t
        *beyond; /* (count, 5): 1 to go on straight beyond the keys, else 0; amble_repeat before the
                    first key, how many rounds of it (0: without end); the same two after the last */
} amble_curves;

/* Values of every curve at every frame, as Blender's own evaluation to float32 rounding.
 *
 * time: (frames,), in any order; as in Blender a frame is a float32, and one within 1e-4 of a key is that
 * key. out:  (count, frames). A curve without keys is 0. Errors: starts that are not rising from 0 to `keys`;
 * keys of a curve out of order; kinds or rules unknown; frames over AMBLE_LARGEST_FRAME or NaN. Keys and
 * handles must be finite. */
#define AMBLE_LARGEST_FRAME 1e7
amble_error amble_sample_curves(const amble_curves *curves, int64_t frames, const double *time, float *out);

/* Change per frame of every curve at every frame, as it comes to the frame, or as it leaves it.
 *
 * As amble_sample_curves(); leaving: not 0 for the slope after the frame, else that before it, which are two
 * at a key with a corner. A step has no slope. */
amble_error amble_slope_curves(const amble_curves *curves, int64_t frames, const double *time, int leaving,
                               float *out);

/* Fails where amble_sample_curves() would, but for its frames. */
amble_error amble_check_curves(const amble_curves *curves);

/* Curves that are sums of others: value and handles of each key are those of its terms times their factors,
 * plus a constant. What lies between the keys is then the sum as well, as a Bezier is linear in its values.
 */
enum { AMBLE_MOST_TERMS = 4 };

typedef struct amble_curve_sum {
    int64_t count;
    const int32_t *terms;  /* (count, 4): curves; the first lends its keys' frames. -1 ends the list */
    const double *factors; /* (count, 4) */
    const double *added;   /* (count,) */
} amble_curve_sum;

/* Keys that the sums have together. Errors: those of amble_combine_curves(). */
amble_error amble_combined_keys(const amble_curves *curves, const amble_curve_sum *sums, int64_t *keys);

/* points, left, right: (sum of the keys of the first terms, 2), one sum after the other.
 * fits: (count,): 0 where terms do not share their frames, handles and kinds with the first, and are not
 *       constant either: no such curve draws their sum, and its values are 0. Else 1.
 * Errors: those of the curves; terms that are not there; values over AMBLE_LARGEST or NaN. */
amble_error amble_combine_curves(const amble_curves *curves, const amble_curve_sum *sums, float *points,
                                 float *left, float *right, int32_t *fits);

/* Unit quaternions from angles about three axes, as Blender's rotation modes.
 *
 * order:  the axes, that turned about first being first: 0 1 2 for "XYZ".
 * angles: (3, count) by axis, whatever the order, radians, |angle| <= AMBLE_LARGEST_PHASE.
 * out:    (4, count). Continuous in the angles: a full turn changes the sign. */
amble_error amble_quaternion_from_euler(const int32_t order[3], int64_t count, const float *angles,
                                        float *out);

/* Unit quaternions from an angle and an axis of any length; an axis of length 0 is no turn.
 * turn: (4, count): angle in radians, then the axis. out: (4, count). */
amble_error amble_quaternion_from_axis_angle(int64_t count, const float *turn, float *out);

#endif

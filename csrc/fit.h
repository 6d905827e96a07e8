/* Key reduction: from motion that is known at many samples to the fewest Bezier keys that keep to it. Part of
 * the core's public interface.
 *
 * Keys lie on samples that may be keys, have the motion's own values and slopes there, and handles along the
 * slope whose lengths are chosen. Rows that move together share their keys: a bone's location, its rotation,
 * its scale, and the rotations of all bones of a chain (a leg). A chain is judged by points that it carries
 * (a foot's sole) in the space that it hangs in; everything else by its own location, rotation or scale.
 */
#ifndef AMBLE_FIT_H
#define AMBLE_FIT_H

#include "blend.h"

enum { AMBLE_FIT_ROWS = 10, AMBLE_FIT_CHAIN_BONES = 16, AMBLE_FIT_CHAIN_POINTS = 32 };

typedef struct amble_fit_motion {
    int64_t bones, samples; /* at least 2 samples, or 0 */
    const double *time;     /* (samples,): frames, rising */
    const int32_t *key;     /* (samples,): other than 0 where there may be a key; first and last must */
    const float *value;     /* (bones, 10, samples): location 3, rotation 4, scale 3 */
    const float *slope;     /* (bones, 10, samples): derivative a frame */
    const int32_t *keyed;   /* (bones, 10): other than 0 for rows that get keys */
    const int32_t *mode;    /* (bones,): amble_rotation */
    const float *tolerance; /* (bones, 3, samples): largest error of location (length), rotation (radians) and
                               scale (none), greater than 0 */
    const int32_t *chain;   /* (bones,): number of the chain, -1: none. Bones of one number lie together, each
                               hangs from the one before */
    const double *rest;     /* (bones, 4, 4): rest pose; of bones of chains it must be of unit scale */
    int64_t points;         /* that chains carry */
    const int32_t *carrier; /* (points,): the bone, of a chain */
    const double *place;    /* (points, 3): at rest */
    const float *point_tolerance; /* (points, samples): largest error, length, greater than 0 */
} amble_fit_motion;

/* What amble_fit() writes, all (bones, 10, samples). Where keep is 0 the others are 0. */
typedef struct amble_fit_keys {
    uint8_t *keep;         /* 1 for a key */
    float *slope;          /* of its handles, a frame */
    float *before, *after; /* length of its handles in frames, greater than 0 */
} amble_fit_keys;

/* Chooses keys so that at every sample between two of them the error is within the tolerance, as few as can
 * be found, and of those the ones with the smallest errors. Where even two neighbouring samples that may be
 * keys leave a greater error between them, both become keys. A row that keeps to one straight line has its
 * two ends only. Cost: in proportion to bones and samples. Errors: what the fields say; memory. */
amble_error amble_fit(const amble_fit_motion *motion, const amble_fit_keys *keys);

#endif

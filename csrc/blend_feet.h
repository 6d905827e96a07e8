/* Feet in a transition: when they are planted, and the way of one that must get from place to place. */
#ifndef AMBLE_BLEND_FEET_H
#define AMBLE_BLEND_FEET_H

#include "amble.h"

/* What makes a point of a foot planted, in frames and units of the points. */
typedef struct amble_planting {
    double speed;     /* per frame: slower than this to the frame before or to the one after */
    double height;    /* above the point's level */
    int64_t shortest; /* frames: shorter plants are none */
    int64_t gap;      /* frames: shorter gaps within a plant are none */
} amble_planting;

/* points: (count, 3, frames), evenly spaced. up: unit vector. levels: (count,), heights of the ground under
 * each point, along up. planted: (count, frames), 1 or 0.
 * Errors: speed or height not 0 to 1e15. A count of frames under 2 plants everything. */
amble_error amble_find_plants(const amble_planting *rule, int64_t count, int64_t frames, const float *points,
                              const double up[3], const double *levels, uint8_t *planted);

/* The way of one foot: as it is held where it is held, as it is free else, with what the two differ by at the
 * ends of each hold carried off and on by quintics without a jolt.
 *
 * free:  (7, frames): place 3 and orientation 4 (w, x, y, z) that the transition itself gives the foot. From
 *        the frame after the last on, and at the first, it is right as it is.
 * held:  (7, frames): place and orientation where it is held; read there only.
 * hold:  (frames,): 1 where it is held.
 * up, lift, highest: on its way from one hold to the next, and from the first frame to its first hold, the
 *        foot rises by `lift` of the way along the ground, at most `highest`, where it does not do so by
 *        itself: beyond the line between the two holds, or above the first hold.
 * out:   (7, frames). Frames that need no change keep their bits. Errors: lift or highest not 0 to 1e15. */
amble_error amble_foot_way(int64_t frames, const float *free, const float *held, const uint8_t *hold,
                           const double up[3], double lift, double highest, float *out);

#endif

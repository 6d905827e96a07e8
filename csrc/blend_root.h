/* Where a body stands and which way it faces, and setting B down where A stopped. */
#ifndef AMBLE_BLEND_ROOT_H
#define AMBLE_BLEND_ROOT_H

#include "amble.h"

/* Place and heading at one time, and their change per frame. The heading is how far the bone is turned about
 * `up` from its rest pose, radians. */
typedef struct amble_stand {
    double place[3];
    double heading;
    double speed[3];
    double spin;
} amble_stand;

/* The stand of a bone at the time `at`, from its pose at some frames around: the straight line that fits
 * best, so that a pelvis's sway and turns count for little over a window of a stride. One frame is a stand
 * without speed.
 * pose: (12, frames), one bone of amble_forward_kinematics(). rest: (4, 4). up: unit vector. time: (frames,).
 * exact: not 0: place and heading are those of the frame nearest to `at` and only the speeds are fitted.
 * Errors: no frames; times, or `at`, over 1e7 or NaN. */
amble_error amble_stand_of(int64_t frames, const float *pose, const double *rest, const double up[3],
                           const double *time, double at, int exact, amble_stand *out);

/* Moves what stands at `pivot` to `onto`, turned by `turn`; from time 0 on it also drifts on, at first at the
 * speeds `drift` and `spin` (per frame), which fade out over `length` frames by 1 - 3 u^2 + 2 u^3: so a B
 * that is faster than A gathers speed, and everything after stands where that has led. */
typedef struct amble_ground_move {
    double pivot[3], onto[3];
    double turn[4]; /* unit quaternion, w x y z */
    double up[3];   /* axis of spin */
    double drift[3];
    double spin;
    double length;
} amble_ground_move;

/* Applies it to the channels of bones without a parent, in place.
 * rest: (bones, 4, 4); flags: (bones,); modes: (bones,), amble_rotation; time: (frames,), since the cut;
 * channels: (bones, 10, frames). Where nothing moves, bits stay. Errors: unknown modes. */
amble_error amble_move_ground(const amble_ground_move *move, int64_t bones, const double *rest,
                              const uint32_t *flags, const int32_t *modes, int64_t frames, const double *time,
                              float *channels);

#endif

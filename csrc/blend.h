/* Out of any frame of motion A into motion B (JP4257764B2): the curves of a transition.
 *
 * Channel arrays hold, per bone, 3 location, 4 rotation and 3 scale rows in the numbers that the bone is
 * keyed in (amble_rotation): what goes in unchanged comes out with the same bits. Time counts frames since
 * the cut: A is last seen as it is at 0.
 */
#ifndef AMBLE_BLEND_H
#define AMBLE_BLEND_H

#include "amble.h"

/* What the four rotation rows hold. Angles use the last three of them, by axis; the order is that of
 * turning, first to last, as Blender names it. */
typedef enum amble_rotation {
    AMBLE_ROTATION_QUATERNION = 0,
    AMBLE_ROTATION_AXIS_ANGLE = 1,
    AMBLE_ROTATION_XYZ = 2,
    AMBLE_ROTATION_XZY = 3,
    AMBLE_ROTATION_YXZ = 4,
    AMBLE_ROTATION_YZX = 5,
    AMBLE_ROTATION_ZXY = 6,
    AMBLE_ROTATION_ZYX = 7,
} amble_rotation;

typedef enum amble_curve_kind {
    AMBLE_BLEND_LINEAR = 0,   /* A frozen, weight t / n against the running B (B3) */
    AMBLE_BLEND_EASE = 1,     /* as linear, the weight 3 u^2 - 2 u^3 of u = t / n */
    AMBLE_BLEND_INERTIAL = 2, /* B runs, and the offset that A has from it dies away, its speed carried */
    AMBLE_BLEND_OVERLAP = 3,  /* A and B both run, weight 6 u^5 - 15 u^4 + 10 u^3 */
} amble_curve_kind;

/* How rotations are blended, the short way each. */
typedef enum amble_rotation_blend {
    AMBLE_BLEND_SLERP = 0,  /* as quaternions, along the arc between the two at the weight's pace */
    AMBLE_BLEND_ANGLES = 1, /* angle by angle (B6): the bone's own, else those about x, y, z */
    AMBLE_BLEND_NUMBERS =
        2, /* number by number as the bone is keyed, as Blender's NLA does: quaternions along
              the chord, which is slower than the arc at its ends and faster in the middle */
} amble_rotation_blend;

typedef struct amble_blend_plan {
    int64_t bones;
    int64_t frames;
    const double *time;   /* (frames,): frames since the cut, 0 or more */
    const int32_t *modes; /* (bones,): amble_rotation */
    const double *begin;  /* (bones,): time at which the bone begins to leave A, 0 or more */
    const double *length; /* (bones,): n, frames from there until it is B's alone, 0 or more */
    amble_curve_kind curve;
    amble_rotation_blend rotations; /* of the curves but the inertial one, which always takes quaternions */
} amble_blend_plan;

/* The transition's frames.
 *
 * from: (bones, 10, 3): A one frame before the cut, at it, and one frame after it.
 * onto: (bones, 10, 3): B at the same three times. The inertial curve takes offset and speed of the offset
 *       from the two; the others only A at the cut.
 * a:    (bones, 10, frames): A running on, read by the curve overlap only, else NULL.
 * b:    (bones, 10, frames): B at the times asked for.
 * out:  (bones, 10, frames): once a bone's time is up, b's own bits. Rotations of one frame lie next to
 *       those of the frame before, of the first next to A's at the cut, until then.
 * A scale whose sign differs between A and B is blended by magnitude and changes its sign half way.
 * Errors: times or lengths below 0 or over 1e6, unknown modes; angles over AMBLE_LARGEST_PHASE. */
amble_error amble_blend(const amble_blend_plan *plan, const float *from, const float *onto, const float *a,
                        const float *b, float *out);

/* The same curve for plain numbers, each row by itself. from, onto: (rows, 3); a, b, out: (rows, frames). */
amble_error amble_blend_values(amble_curve_kind curve, double length, int64_t rows, int64_t frames,
                               const double *time, const float *from, const float *onto, const float *a,
                               const float *b, float *out);

/* Gives each frame's rotation the numbers next to the frame before's, and a first quaternion the sign that
 * makes its first component other than 0 positive; so q and -q give one result. What lies so already keeps
 * its bits. channels: (bones, 10, frames), in place. Errors: unknown modes. */
amble_error amble_settle_rotations(int64_t bones, int64_t frames, const int32_t *modes, float *channels);

/* Change per frame of each row at each of its frames, of fourth order where the frames are evenly spaced.
 * frames: (frames,), rising. rows: (rows, frames). out: likewise. A row that does not change has slope 0. */
amble_error amble_slopes(int64_t rows, int64_t frames, const double *time, const float *values, float *out);

/* Local to world orientation and back: the blend in world space (B5).
 *
 * What is blended there are the orientations alone: places follow from the bones' own lengths, so that limbs
 * keep theirs. amble_rotations_to_world() replaces the rotation rows of channels (bones, 10, frames), in
 * the modes given, by unit quaternions of orientation in the space above the first bones; `from_world` puts
 * numbers in the modes back, next to those in `near` (bones, 10) for the first frame. Scale is left out of
 * account. Both in place. Errors: as amble_check_skeleton; unknown modes. */
amble_error amble_rotations_to_world(const amble_skeleton *skeleton, const int32_t *modes, int64_t frames,
                                     float *channels);
amble_error amble_rotations_from_world(const amble_skeleton *skeleton, const int32_t *modes, int64_t frames,
                                       const float *near, float *channels);

#endif

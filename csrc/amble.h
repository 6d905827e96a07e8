/* The motion core as a plain C11 library: pointers and counts in, pointers out, no Python, no Blender.
 *
 * Rules that every function keeps
 *  - It reads and writes the caller's memory only, keeps no state, and gives the same bits whichever vector
 *    back-end it was built with, however many threads call it, and however the frames are cut into calls:
 *    frame n computed alone equals frame n of the whole.
 *  - Arrays are dense, in C order, FRAMES ON THE LAST AXIS: shape (4, frames) is four runs of `frames`
 * values.
 *  - Outputs must not overlap inputs or one another.
 *  - Counts are never negative; a count of 0 is legal and does nothing.
 *  - What cannot be is an error value naming the argument. Outputs are then unspecified but never overrun.
 *  - NaN and infinity: checked for only where a function says so. Elsewhere they spoil the frames they are in
 *    (and, in forward kinematics, the children's same frames) and nothing else. amble_check_values() is the
 *    one pass that keeps them out; the Python module runs it on every array that it is given.
 *
 * Lengths are in any one unit of the caller's, angles in radians, quaternions in the order w, x, y, z.
 * Axes are right-handed. A bone lies along its +Y.
 */
#ifndef AMBLE_H
#define AMBLE_H

#include <stdint.h>

#ifndef AMBLE_VERSION
#define AMBLE_VERSION "0.1.0"
#endif

/* Goes up with every change that callers of the core must follow; the Python part asks for one number. */
#define AMBLE_API 1

/* Largest magnitude that amble_check_values() lets through: squares of it stay far inside float32. */
#define AMBLE_LARGEST 1e15
/* Largest phase in radians: beyond it the period of the sine is no longer resolved to full precision. */
#define AMBLE_LARGEST_PHASE 1e6

/* ---- Errors ---- */

typedef enum amble_code {
    AMBLE_OK = 0,
    AMBLE_BAD_VALUE, /* an argument is out of its range or contradicts another */
    AMBLE_NO_MEMORY, /* scratch memory could not be had */
} amble_code;

/* A result by value: `message` begins with the argument's name, and is empty where code is AMBLE_OK. */
typedef struct amble_error {
    amble_code code;
    char message[188];
} amble_error;

/* Fails at the first value that is NaN, infinite or larger in magnitude than `largest`; the message holds
 * `name` and the flat index. values: (count,). */
amble_error amble_check_values(const char *name, const float *values, int64_t count, double largest);
amble_error amble_check_values_double(const char *name, const double *values, int64_t count, double largest);

/* Name of the vector back-end that was compiled in: "sse2", "neon" or "scalar". */
const char *amble_simd_name(void);

/* ---- Elementary functions ---- */

/* Sine and cosine, error below 4e-16, the same bits on every platform (a C library's are not).
 * angle: (count,), radians, |angle| <= AMBLE_LARGEST_PHASE, else an error; NaN is an error.
 * out: (2, count), sine then cosine. */
amble_error amble_sine_cosine(int64_t count, const double *angle, double *out);

/* ---- Skeleton and forward kinematics ---- */

/* Bits of amble_skeleton.flags. */
#define AMBLE_BONE_CONNECTED 1U   /* the head sits on the parent's tail: location channels are ignored */
#define AMBLE_BONE_NO_ROTATION 2U /* does not inherit the parent's rotation */
#define AMBLE_BONE_NO_LOCAL_LOCATION 4U /* location is along the parent's axes (armature's, for a root) */
#define AMBLE_BONE_SCALE_SHIFT 4U       /* three bits from here hold an amble_inherit_scale */
#define AMBLE_BONE_ALL 0x77U

typedef enum amble_inherit_scale {
    AMBLE_SCALE_FULL = 0,        /* scale and shear of the parent */
    AMBLE_SCALE_FIX_SHEAR = 1,   /* the parent's scale, the shear that comes of it removed, volume kept */
    AMBLE_SCALE_ALIGNED = 2,     /* the parent's x, y, z scale put on the bone's own x, y, z */
    AMBLE_SCALE_AVERAGE = 3,     /* one factor, the cube root of the parent's change of volume */
    AMBLE_SCALE_NONE = 4,        /* none */
    AMBLE_SCALE_NONE_LEGACY = 5, /* axes normalised one by one: scale goes, shear stays */
} amble_inherit_scale;

typedef struct amble_skeleton {
    int64_t bones;
    const int32_t *parents; /* (bones,): -1, or an index smaller than the bone's own */
    const double *rest;     /* (bones, 4, 4): rest pose in armature space, rows first, bottom row 0 0 0 1 */
    const uint32_t *flags;  /* (bones,): AMBLE_BONE_*, or NULL for all 0 */
} amble_skeleton;

/* Whether a skeleton is sound. Errors: those of amble_forward_kinematics(). */
amble_error amble_check_skeleton(const amble_skeleton *skeleton);

/* Pose matrices in armature space from each bone's own channels, as Blender evaluates a pose.
 *
 * channels: (bones, 10, frames): location 3, quaternion 4, scale 3 on top of the rest pose, in bone axes.
 *           Quaternions are normalised here; one of length 0 is half a turn about x, as
 *           in Blender.
 * pose:     (bones, 12, frames): the upper three rows of each 4 by 4 matrix, row by row.
 * Errors:   parents out of range, or not before their children (which includes cycles); rest matrices that
 *           cannot be inverted or hold NaN; unknown flags; memory.
 * Plain bones run in float32; bones that change what they inherit run in double, one frame at a time.
 * Values beyond float32's range become infinite. */
amble_error amble_forward_kinematics(const amble_skeleton *skeleton, int64_t frames, const float *channels,
                                     float *pose);

/* ---- Two-bone inverse kinematics ---- */

typedef struct amble_two_bone {
    double upper; /* length from root to joint, 1e-15 .. 1e15 */
    double lower; /* length from joint to end, same range, within a factor of 1000 of upper */
    double limit; /* 1e-6 .. 1: the chain is never drawn out beyond limit * (upper + lower) */
} amble_two_bone;

/* A thigh and a shin (or upper arm and forearm) that bring the chain's end to a target.
 *
 * root, target, pole: (3, frames). The pole is a DIRECTION, the side that the joint bends to; its length is
 *          of no account, but 0 is an error. One that is parallel to root->target (within 1e-4 radians) is
 *          replaced by an arbitrary, fixed perpendicular.
 * joint:   (3, frames): where the joint comes to lie.
 * upper, lower: (4, frames): each bone's orientation in the space of the inputs. Rotated by it, +Y runs along
 *          the bone, +X is the axis that the joint bends about, and +Z lies on the pole's side.
 * miss:    (frames,): 0, to rounding, where the end reaches the target; positive by how far the target is
 *          out of reach; negative by how far it is too near. The end is then on the line to the target at
 *          the nearest possible distance. The bend at the limit is 0 or as `limit` leaves it, never NaN.
 *          A target exactly at the root is taken as lying on a fixed perpendicular to the pole.
 * Errors:  lengths or limit out of range; a pole of length 0; |values| over AMBLE_LARGEST or NaN.
 * Precision: float32; positions hold to about 1e-6 of the largest input. Within 1e-6 of full
 *          reach the bend angle itself is known to about 1e-3 radians, as it goes with a square root there.
 */
amble_error amble_two_bone_ik(const amble_two_bone *chain, int64_t frames, const float *root,
                              const float *target, const float *pole, float *joint, float *upper,
                              float *lower, float *miss);

/* ---- Orbits ---- */

/* All orbits lie in a plane with coordinates (forward, upward), centred on 0. Phase 0 is the top, a quarter
 * turn later comes the front: forward over the top, back along the bottom (JP5486213B2, S30).
 * phase:    (count,), radians, |phase| <= AMBLE_LARGEST_PHASE; NaN is an error.
 * position: (2, count): forward, upward, in the unit of the sizes.
 * slope:    (2, count): derivative of position by phase. At a corner, that of the edge ahead.
 * tilt:     radians, positive turns the front end down. |tilt| <= AMBLE_LARGEST_PHASE. */
typedef enum amble_pace {
    AMBLE_PACE_ANGLE = 0, /* phase is the true angle at the centre, not the ellipse's eccentric one */
    AMBLE_PACE_EVEN = 1,  /* phase is the distance along the curve: constant speed, 2 pi a round */
} amble_pace;

#define AMBLE_LARGEST_RATIO 1e6
#define AMBLE_MOST_CORNERS 1000000

typedef struct amble_ellipse {
    double forward;   /* half axis, 0 .. AMBLE_LARGEST */
    double upward;    /* half axis, same range; equal to forward makes a circle */
    double auxiliary; /* only where one half axis is 0: the half axis put in its place, from whose ellipse
                         the perpendicular is dropped onto the line (S21); 0 means "as the other" */
    double tilt;
    amble_pace pace;
} amble_ellipse;

/* Ellipse, circle, line (one half axis 0) or point (both). Even pace on a line is to and fro at one speed,
 * the auxiliary ellipse then plays no part. Half axes other than 0 must be 1e-15 or more, and within a factor
 * of AMBLE_LARGEST_RATIO of each other. Even pace is good to 1e-7 of the length of the curve.
 * Errors: sizes or tilt out of range or NaN; phases. */
amble_error amble_orbit_ellipse(const amble_ellipse *ellipse, int64_t count, const double *phase,
                                float *position, float *slope);

typedef struct amble_polygon {
    int64_t corners;
    const double *vertices; /* (corners, 2): forward, upward; at least 2 of them, a closed line */
    double tilt;
    amble_pace pace;
} amble_polygon;

/* Closed polygon. With AMBLE_PACE_EVEN any one is good, phase 0 is its first corner and the corners' order is
 * the direction; two corners make a line. With AMBLE_PACE_ANGLE it must have at least 3 corners and each ray
 * from the centre must meet it once (the corners go round the centre once, in the direction of the phase).
 * Errors: too few corners, all corners in one place, NaN or over AMBLE_LARGEST, not once round; tilt; phases;
 * memory. */
amble_error amble_orbit_polygon(const amble_polygon *polygon, int64_t count, const double *phase,
                                float *position, float *slope);

/* ---- Quaternions in batches ---- */

/* All arrays are float32 with shape (4, count), (3, count), (9, count: rows of a matrix) or (count,).
 * NaN stays in its own element. Nothing is checked; there are no errors. */

/* out = a b: rotate by b first, then by a. Not normalised. */
void amble_quaternion_multiply(int64_t count, const float *a, const float *b, float *out);
/* Unit length; 0 becomes 1, 0, 0, 0. */
void amble_quaternion_normalise(int64_t count, const float *q, float *out);
/* vector (3, count) turned by the unit quaternion q. */
void amble_quaternion_rotate(int64_t count, const float *q, const float *vector, float *out);
/* Between unit quaternions the short way: straight line, then normalised. t (count,): 0 is a, 1 is b. */
void amble_quaternion_nlerp(int64_t count, const float *a, const float *b, const float *t, float *out);
/* Between unit quaternions the short way, at constant angular speed; t may be outside 0 .. 1. In double. */
void amble_quaternion_slerp(int64_t count, const float *a, const float *b, const float *t, float *out);
/* The shortest turn that brings direction `from` onto direction `to` (3, count), of any length but 0; where
 * they are opposite (within 1e-7 radians) or one is 0, about a fixed perpendicular of `from`. In double. */
void amble_quaternion_between(int64_t count, const float *from, const float *to, float *out);
/* Unit quaternions to rotation matrices (9, count), and back, with w >= 0. */
void amble_quaternion_to_matrix(int64_t count, const float *q, float *out);
void amble_quaternion_from_matrix(int64_t count, const float *matrix, float *out);

#endif

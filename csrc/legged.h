/* Legged: gaits of bodies on any number of legs, each a chain of any number of bones, along any way on any
 * ground. Part of the core's public interface.
 *
 * A gait is when each leg comes down (its offset, in strides) and how long it stands (its duty factor); both
 * may change with time, so that one gait goes over into another. From these and the way come the footfalls;
 * the caller may move them onto ground; then any frame can be had alone.
 *
 * Feet stand on the ground from touch-down to lift-off, heel and tip until the heel rises, then the tip. The
 * trunk is thrown by its legs: each girdle moves up and down as the forces of its own legs make it, which
 * gives the vault of a walk, the flight of a trot and the rocking of a gallop by one formula. It is lowered
 * just enough for every leg to reach its foot. Legs fold in all their joints at once, as the sinews along
 * them make animals' legs do.
 *
 * Places are in body axes: forward, left, up; the origin lies on the ground under the pelvis's rest place.
 */
#ifndef AMBLE_LEGGED_H
#define AMBLE_LEGGED_H

#include "gait.h"

enum { AMBLE_LEGGED_MOST_LEGS = 32, AMBLE_LEGGED_MOST_JOINTS = 16, AMBLE_LEGGED_MOST_GIRDLES = 16 };

/* What a bone is. */
typedef enum amble_legged_kind {
    AMBLE_LEGGED_ROOT,     /* travels; at most one */
    AMBLE_LEGGED_PELVIS,   /* carries the body; one */
    AMBLE_LEGGED_TRUNK,    /* weight: 0 turns with the hindmost girdle, 1 with the foremost */
    AMBLE_LEGGED_NECK,     /* weight: 0 turns with the foremost girdle, 1 is held level */
    AMBLE_LEGGED_TAIL,     /* weight: strides by which it follows the pelvis */
    AMBLE_LEGGED_SHOULDER, /* of leg `which`: swings with it by `weight` of the leg's angle */
    AMBLE_LEGGED_LEG,      /* of leg `which`, from the joint on, the last one its foot */
    AMBLE_LEGGED_KINDS
} amble_legged_kind;

typedef struct amble_legged_part {
    int32_t bone, kind, which;
} amble_legged_part;

/* The places of the settings; amble_legged_option() tells name, default and range of each. */
typedef enum amble_legged_setting {
    AMBLE_LEGGED_GRAVITY,    /* lengths a second squared */
    AMBLE_LEGGED_BOUNCE,     /* factor on the motion up and down */
    AMBLE_LEGGED_SWAY,       /* factor on the motion sideways */
    AMBLE_LEGGED_TURN,       /* factor on turn and list of the girdles */
    AMBLE_LEGGED_LIFT,       /* height of the feet in swing, of the leg's */
    AMBLE_LEGGED_FOLD,       /* factor on the fold of foot and lower joints in swing */
    AMBLE_LEGGED_NOD,        /* factor on the motion of the neck */
    AMBLE_LEGGED_TAIL_SWING, /* factor on the motion of the tail */
    AMBLE_LEGGED_WIDTH,      /* factor on the feet's distance from the middle */
    AMBLE_LEGGED_REACH,      /* most of its length that a leg is drawn out to */
    AMBLE_LEGGED_LEAN,       /* radians, the trunk forward */
    AMBLE_LEGGED_SETTINGS
} amble_legged_setting;

const amble_gait_option_info *amble_legged_option(int64_t index);

typedef struct amble_legged_body {
    const amble_skeleton *skeleton;
    int64_t parts;
    const amble_legged_part *part; /* (parts,): every leg's bones in their order */
    const double *weight;          /* (parts,) */
    int64_t legs;
    const int32_t *girdle; /* (legs,): 0 the hindmost, then each one further ahead */
    const double *sole;    /* (legs, 2, 3): heel and tip of each foot at rest, armature space */
    int64_t followers;     /* these as of amble_gait_body */
    const int32_t *follower;
    int64_t mixed;
    const int32_t *mix;
    const double *share;
    double forward[3], up[3], ground;
} amble_legged_body;

/* The way and the gait along it, in samples `step` seconds apart; beyond them all goes on as at the end. */
typedef struct amble_legged_way {
    int64_t samples; /* 4 .. AMBLE_LEGGED_MOST_SAMPLES */
    double start, step;
    const double *place;  /* (2, samples): forward, left */
    const double *facing; /* (samples,): radians to the left */
    const double *rate;   /* (samples,): strides a second, 0 or more; stride 0 begins at time 0 */
    const double *offset; /* (legs, samples): strides, of touch-down */
    const double *duty;   /* (legs, samples): 0.05 .. 0.95 */
    const double *flex;   /* (samples,): radians that the back bends, peak to peak, where the legs of a girdle
                             come down together */
} amble_legged_way;
enum { AMBLE_LEGGED_MOST_SAMPLES = 10000000 };

typedef struct amble_footfall {
    double leg;
    double strike, heel_off, off; /* seconds */
    double place[3];              /* of the foot's tip */
    double heading;               /* radians to the left */
    double normal[3];             /* of the ground */
} amble_footfall;
enum { AMBLE_FOOTFALL_FIELDS = sizeof(amble_footfall) / sizeof(double) };

/* Footfalls on level ground, by leg, then in time. footfall: (most,) or NULL to count only; count: how many
 * there are. Errors: bones, arrays or settings out of range; memory. */
amble_error amble_legged_plan(const amble_legged_body *body, const double *value, const amble_legged_way *way,
                              int64_t most, amble_footfall *footfall, int64_t *count);

/* How many bones amble_legged_pose() moves. */
amble_error amble_legged_count(const amble_legged_body *body, int64_t *moved);

/* Motion and slopes at times in seconds, in any order.
 * footfall: (count,), as planned, their places, headings and normals as the caller has them.
 * travel: 1: the root, or where there is none the pelvis, carries the body along the way; 0: it stays.
 * result: bones, motion and slope as of amble_gait(); summary is of no account.
 * track:  (4, frames): where the body is: forward, left, up, facing.
 * lack:   (frames,): how far, of its length, the leg that is furthest off misses its foot. */
amble_error amble_legged_pose(const amble_legged_body *body, const double *value, const amble_legged_way *way,
                              int64_t count, const amble_footfall *footfall, int travel, int64_t frames,
                              const double *time, const amble_gait_result *result, double *track,
                              double *lack);

#endif

/* Gait: a whole walking body from a skeleton, its roles and a speed. Part of the core's public interface.
 *
 * Feet are planted: from heel strike to toe-off the foot rolls over heel, sole, ball and toe, each fixed to
 * the ground in turn. In a run neither foot is down between two steps, and the body falls freely there.
 * Everything is closed form in the phase of the stride, so that any frame can be had
 * alone.
 *
 * The body's own axes are forward, left = up x forward, up; the origin lies on the ground under the pelvis's
 * rest place and, with travel, moves with the body. Phase counts strides: 0 is the heel strike of a leg whose
 * `phase` is 0.
 */
#ifndef AMBLE_GAIT_H
#define AMBLE_GAIT_H

#include "amble.h"

enum { AMBLE_GAIT_MAX_TRUNK = 64 };

/* The places of amble_gait_settings.value; amble_gait_option() tells name, default and range of each. */
typedef enum amble_gait_setting {
    AMBLE_GAIT_SPEED,       /* lengths a second */
    AMBLE_GAIT_GRAVITY,     /* lengths a second squared */
    AMBLE_GAIT_CYCLE,       /* seconds a stride; 0: from speed and leg length */
    AMBLE_GAIT_DUTY,        /* stance as a share of the stride; 0: from speed */
    AMBLE_GAIT_STEP_WIDTH,  /* lengths between the feet's lines; negative: from speed and hips */
    AMBLE_GAIT_ARM_SWING,   /* factor on the arms' swing */
    AMBLE_GAIT_PELVIS_SWAY, /* factor on the pelvis's sideways motion */
    AMBLE_GAIT_PELVIS_TURN, /* factor on the pelvis's turn and list and the chest's turn */
    AMBLE_GAIT_LEAN,        /* radians, the trunk forward, beside what people lean in such a gait */
    AMBLE_GAIT_KIND,        /* 0: walk; 1: run; 2: a run above the speed at which people run, else a walk */
    AMBLE_GAIT_STEP_LENGTH, /* factor on the length of people's strides, where the cycle comes from speed */
    AMBLE_GAIT_CROUCH,      /* radians that the knees stay bent by beyond people's in stance */
    AMBLE_GAIT_BOUNCE,      /* factor on the pelvis's rise and fall */
    AMBLE_GAIT_HUNCH,       /* radians, the spine bent forward from pelvis to chest, beside the lean */
    AMBLE_GAIT_NOD,         /* radians, the head down from level */
    AMBLE_GAIT_ARM_RAISE,   /* radians, the upper arms forward of where they hang */
    AMBLE_GAIT_ELBOW_BEND,  /* radians, the elbows bent beyond people's */
    AMBLE_GAIT_SETTINGS
} amble_gait_setting;

typedef struct amble_gait_option_info {
    const char *name;
    double initial, low, high;
} amble_gait_option_info;

/* What there is to know of a setting; NULL past the last one. */
const amble_gait_option_info *amble_gait_option(int64_t index);

typedef struct amble_gait_figure {
    const char *name;
    double value;
} amble_gait_figure;

/* The figures that no source gives, for checks of the gait; the name is NULL past the last one. */
amble_gait_figure amble_gait_tuning(int64_t index);

typedef struct amble_gait_leg {
    int32_t thigh, shin, foot; /* bones; thigh's head is the hip joint, shin's the knee, foot's the ankle;
                                  shin, foot and toe -1: the thigh is all of the leg, down to its sole */
    int32_t toe;               /* bone that stays flat while the foot rolls off over its head; -1: none */
    double phase;              /* of its heel strike, 0 .. 1 of a stride */
    double heel[3];            /* rest place, armature space, of what touches the ground at heel strike */
    double ball[3];            /* of what the foot rolls off over: the toe joint, or the sole's front */
    double tip[3];             /* of the toe's end on the sole */
} amble_gait_leg;

typedef struct amble_gait_arm {
    int32_t upper, fore; /* bones; upper -1: no arm. Left arm first */
    double hand[3];      /* rest place of the wrist */
} amble_gait_arm;

typedef struct amble_gait_body {
    const amble_skeleton *skeleton;
    int32_t pelvis;          /* bone that carries hips and trunk */
    int32_t root;            /* bone that travels, or -1: then travel is the caller's, or the pelvis's */
    int64_t spine_count;     /* bones from pelvis (not counted) to chest */
    const int32_t *spine;    /* (spine_count,) */
    int64_t neck_count;      /* bones from chest to head (counted), at most AMBLE_GAIT_MAX_TRUNK in all */
    const int32_t *neck;     /* (neck_count,) */
    amble_gait_leg leg[2];   /* left, right */
    amble_gait_arm arm[2];   /* left, right */
    int64_t followers;       /* bones that share another bone's motion from rest: controls of an IK rig */
    const int32_t *follower; /* (followers, 2): the bone, and the one that it follows, which is no follower.
                                Only followers may hang from a follower */
    int64_t mixed;        /* bones that are moved half by one bone and half by another, and carry followers */
    const int32_t *mix;   /* (mixed, 3): the bone, and the two that move it, neither a follower nor mixed;
                             -1: what stands still */
    const double *share;  /* (mixed,): of the second of them, 0 .. 1 */
    int64_t extras;       /* bones that amble_orbit_pose() moves besides; amble_gait() takes none */
    const int32_t *extra; /* (extras, 2): the bone, and an amble_extra */
    double forward[3], up[3]; /* unit, at right angles, in armature space */
    double ground;            /* coordinate along up of the ground under the rest pose */
} amble_gait_body;

/* What the gait turned out to be. Lengths in the armature's unit, seconds. */
typedef struct amble_gait_summary {
    double cycle;         /* seconds a stride */
    double stride;        /* length a stride */
    double duty;          /* stance as a share of a stride */
    double step_width;    /* between the lines of the ankles */
    double leg_length;    /* hip joint to ground, along the bones, mean of the legs */
    double vn;            /* speed / sqrt(gravity * leg_length) */
    double pelvis_height; /* mean height of the pelvis's head over the ground */
    double flat, heel_off, heel_lift,
        ball_off; /* shares of a stride after heel strike: sole flat, heel begins to
                        rise, is seen to, ball leaves; toe-off comes at `duty` */
    double reach; /* largest hip-ankle distance as a share of thigh + shin, over the stride */
    double gait;  /* 0: a walk, 1: a run */
} amble_gait_summary;

/* Checks the body and tells how many bones amble_gait() moves. */
amble_error amble_gait_count(const amble_gait_body *body, int64_t *moved);

/* What amble_gait() writes; moved as amble_gait_count() says. */
typedef struct amble_gait_result {
    int32_t *bones;              /* (moved,): which, parents first */
    float *motion;               /* (moved, 10, frames): location, quaternion (w >= 0), scale 1 */
    float *slope;                /* (moved, 10, frames): derivative of motion by time, a second */
    amble_gait_summary *summary; /* one */
} amble_gait_result;

/* A planted walk or run at constant speed on flat ground, a walk where legs have no shins (requirements G2 to
 * G5, G10, G13 to G15, planted feet).
 *
 * value:   (AMBLE_GAIT_SETTINGS,)
 * time:    (frames,) seconds; 0 is phase 0. Any values in any order. Without frames only gait, vn, cycle,
 * stride, duty factor and leg length of the summary are worked out, which takes no time. travel:  0 in place:
 * the ground runs backward under the body; 1: the root bone, or where there is none the pelvis, carries the
 * body forward by speed * time. Errors:  bones, places or settings out of range; legs that no such gait can
 * be laid on; memory. */
amble_error amble_gait(const amble_gait_body *body, const double *value, int travel, int64_t frames,
                       const double *time, const amble_gait_result *result);

#endif

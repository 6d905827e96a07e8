/* Orbit gait: body parts that ride closed curves laid out relative to a character, as in JP5486213B2. Part of
 * the core's public interface. G1 .. G24 and S1 .. S53 are the requirements and the patent's steps.
 *
 * Axes: forward, left, up; z is up. A character has a place, a level facing and a velocity in each frame,
 * each free of the others. How far a part has come along its orbit depends on the frames before, so that
 * frames are taken in order; what is carried from one to the next is a state in the caller's hands. A call
 * over n frames gives the same bits, in its results and its state, as n calls over one frame each: a take may
 * be made from arrays, or live, a step at a time (G23).
 *
 * The terrain is asked for between two calls: amble_orbit_ride() tells where the feet are seen from above,
 * amble_orbit_land() takes the ground there.
 *
 * A track is six doubles a frame, place and velocity: shape (6, frames).
 */
#ifndef AMBLE_ORBIT_GAIT_H
#define AMBLE_ORBIT_GAIT_H

#include "gait.h"

/* How a character moves against the way it faces: r = (v . f) / |v| (G1, S4, S31). */
typedef enum amble_going {
    AMBLE_GOING_FORWARD,  /* r >= 0.5 */
    AMBLE_GOING_BACKWARD, /* r <= -0.5 */
    AMBLE_GOING_SIDEWAYS, /* between */
    AMBLE_GOINGS
} amble_going;

typedef enum amble_orbit_curve {
    AMBLE_CURVE_ELLIPSE = 0, /* or circle, line, point; angle 0 on the upward axis, pi/2 in front (G5) */
    AMBLE_CURVE_POLYGON = 1, /* corners in units of its sizes */
    AMBLE_CURVE_ECHO = 2,    /* a share of another part's way from its orbit's centre (G15) */
} amble_orbit_curve;

/* Sizes of an orbit for one way of going at one speed; a place in amble_orbit_field, three doubles. */
enum { AMBLE_SIZE_LENGTH, AMBLE_SIZE_HEIGHT, AMBLE_SIZE_TILT, AMBLE_SIZES };

/* What there is to say of a part, by place in its row of doubles; whole numbers are whole doubles. */
typedef enum amble_orbit_field {
    AMBLE_ORBIT_CURVE, /* amble_orbit_curve */
    AMBLE_ORBIT_PACE,  /* amble_pace (G21) */
    AMBLE_ORBIT_ON,  /* part before this one whose place this one's is relative to; -1: the character (G24) */
    AMBLE_ORBIT_TOP, /* 1: the centre given is that of the orbit's highest point */
    AMBLE_ORBIT_SOURCE,  /* of an echo: a part before this one */
    AMBLE_ORBIT_CORNERS, /* of a polygon */
    AMBLE_ORBIT_LANDS,   /* 1: the terrain holds it up (G11, G12, G14) */
    AMBLE_ORBIT_CENTRE,  /* 3: from what it is on, in the character's axes */
    AMBLE_ORBIT_CENTRE_LEFT,
    AMBLE_ORBIT_CENTRE_UP,
    AMBLE_ORBIT_AHEAD, /* 3: its plane's axes in the character's axes, unit, ... */
    AMBLE_ORBIT_AHEAD_LEFT,
    AMBLE_ORBIT_AHEAD_UP,
    AMBLE_ORBIT_UPWARD, /* 3: ... at right angles */
    AMBLE_ORBIT_UPWARD_LEFT,
    AMBLE_ORBIT_UPWARD_UP,
    AMBLE_ORBIT_ECHO, /* 3: shares of the source's way: forward, left, up */
    AMBLE_ORBIT_ECHO_LEFT,
    AMBLE_ORBIT_ECHO_UP,
    AMBLE_ORBIT_AUXILIARY, /* of a line: axis of the ellipse it is read off; 0: a circle */
    AMBLE_ORBIT_RATE,  /* its angle for an angle of the travel; the waist's is 1, an ankle's 1/2 (G4, G19) */
    AMBLE_ORBIT_PHASE, /* its angle at the start, radians (G10) */
    AMBLE_ORBIT_SPIN,  /* its own angle a second, travel or none (G20) */
    AMBLE_ORBIT_CLEARANCE, /* of a part that lands: its height over its sole */
    AMBLE_ORBIT_TOE_OUT,   /* of a part that lands: direction of its foot from the facing, radians to the left
                            */
    AMBLE_ORBIT_SIZE,      /* AMBLE_GOINGS times slow, fast times AMBLE_SIZES: whole axes, tilt in radians,
                              positive: front end down (G6, G7) */
} amble_orbit_field;
enum { AMBLE_ORBIT_FIELDS = AMBLE_ORBIT_SIZE + AMBLE_GOINGS * 2 * AMBLE_SIZES };

/* How all parts ride. */
typedef enum amble_ride_setting {
    AMBLE_RIDE_SLOW,        /* speed at and under which orbits have their slow sizes */
    AMBLE_RIDE_FAST,        /* speed at and over which they have their fast ones; linear between (G6) */
    AMBLE_RIDE_RATE,        /* angle of the travel a length (k of G3); 0: by the leader */
    AMBLE_RIDE_LEADER,      /* part that goes round once ... */
    AMBLE_RIDE_AXES,        /* ... while the body goes this many lengths of its orbit */
    AMBLE_RIDE_THRESHOLD,   /* speed under which feet are let down (G12); 0: never */
    AMBLE_RIDE_GROWTH,      /* growth of the phase's increment for a direction reversed at once (G9) */
    AMBLE_RIDE_GROWTH_TIME, /* seconds over which a change of direction is an abrupt one */
    AMBLE_RIDE_REVERSE,     /* 1: phases run back while the body goes back (S34's option) */
    AMBLE_RIDE_EASE,        /* seconds over which sizes follow a change of going; 0: at once, as in S31 */
    AMBLE_RIDE_STEP,        /* radians a second at which a raised foot turns back level (G14, S52) */
    AMBLE_RIDE_DOWN,        /* height over ground under which a heel counts as down (S50) */
    AMBLE_RIDE_SETTINGS
} amble_ride_setting;

typedef struct amble_orbit_info {
    const char *name;
    double low, high;
} amble_orbit_info;

/* Name and range of a place in a part's row, and of a setting; NULL past the last one. */
const amble_orbit_info *amble_orbit_field_info(int64_t index);
const amble_orbit_info *amble_ride_setting_info(int64_t index);

typedef struct amble_orbits {
    int64_t parts;
    const double *part;     /* (parts, AMBLE_ORBIT_FIELDS) */
    int64_t corners;        /* of all polygons together */
    const double *vertices; /* (corners, 2): one polygon after the other, as in amble_polygon */
    const double *ride;     /* (AMBLE_RIDE_SETTINGS,) */
} amble_orbits;

/* Checks parts, polygons and settings. *lands: how many of the parts land. */
amble_error amble_check_orbits(const amble_orbits *orbits, int64_t *lands);

/* What is carried from frame to frame; all 0 at the start. */
typedef enum amble_ride_state {
    AMBLE_STATE_PHASE,     /* angle of the travel */
    AMBLE_STATE_TIME,      /* seconds */
    AMBLE_STATE_MOVED,     /* 1: there was a direction of travel, ... */
    AMBLE_STATE_DIRECTION, /* 2: ... which is, in the character's axes and followed with GROWTH_TIME */
    AMBLE_STATE_DIRECTION_LEFT,
    AMBLE_STATE_GOING, /* AMBLE_GOINGS: weight of each in the sizes */
    AMBLE_STATE_GOING_BACKWARD,
    AMBLE_STATE_GOING_SIDEWAYS,
    AMBLE_STATE_FACED,  /* 1: there was a facing, ... */
    AMBLE_STATE_FACING, /* 2: ... which was */
    AMBLE_STATE_FACING_LEFT,
    AMBLE_RIDE_STATE
} amble_ride_state;

/* Where the character goes, frame by frame. */
typedef struct amble_course {
    int64_t frames;
    const double *position; /* (3, frames) */
    const double *velocity; /* (3, frames) */
    const double *facing;   /* (3, frames): its level part counts, and must not be 0 */
    const double *dt;       /* (frames,): seconds since the frame before; 0 where there was none */
} amble_course;

/* What amble_orbit_ride() writes. */
typedef struct amble_ride {
    double *tracks;  /* (parts, 6, frames) */
    double *phase;   /* (parts, frames): angles on their orbits, radians */
    int32_t *going;  /* (frames,): amble_going; standing still it is the last one */
    double *turning; /* (frames,): radians a second that the facing turns to the left */
} amble_ride;

/* Places of the parts on their orbits, before the terrain is looked at (G1 .. G10, G15 .. G21, G24).
 *
 * The travel's angle grows by k |v| dt (1 + GROWTH d), d: how far the direction of travel, against the
 * facing, has changed: 0 not, 1 reversed. Each part's angle is PHASE + RATE times the travel's + SPIN times
 * the time. state: (AMBLE_RIDE_STATE,), read and written. Errors: those of amble_check_orbits(); NaN, values
 * over AMBLE_LARGEST; dt under 0; a facing without a level part; angles over AMBLE_LARGEST_PHASE. */
amble_error amble_orbit_ride(const amble_orbits *orbits, const amble_course *course, double *state,
                             const amble_ride *ride);

/* What the ground is like under the parts that land, in their order. */
typedef struct amble_orbit_ground {
    const double *height; /* (lands, frames): z of the ground under the part */
    const double *normal; /* (lands, 3, frames): of the ground there, any length, upward */
} amble_orbit_ground;

/* What amble_orbit_land() writes. */
typedef struct amble_landing {
    double *tracks; /* (lands, 6, frames): of those parts, as corrected */
    double *soles; /* (lands, 6, frames): unit vector out of the sole, upward, along the foot's own direction,
                      left and up; and its change a second */
    int32_t *down; /* (lands, frames): 1 where the heel counts as down (S50) */
} amble_landing;

/* Feet on the terrain (G11, G12, G14): out of the ground (S36, S37), let down when the body is slow (S38,
 * S39), the sole along the ground where the heel is down (S51), else turned towards level by a step (S52).
 *
 * tracks: (parts, 6, frames) of amble_orbit_ride(). state: (lands, 3), the soles' vectors, read and written;
 * 0, 0, 0 at the start stands for level.
 * Errors: as amble_orbit_ride(), and normals that do not point up. */
amble_error amble_orbit_land(const amble_orbits *orbits, const amble_course *course, const double *tracks,
                             const amble_orbit_ground *ground, double *state, const amble_landing *landing);

/* How an extra part's bone is moved. */
typedef enum amble_extra {
    AMBLE_EXTRA_PLACED = 0, /* its head is put on the orbit */
    AMBLE_EXTRA_AIMED = 1,  /* it turns so that it points at the orbit */
} amble_extra;

/* Tracks that a body is posed by. */
typedef struct amble_orbit_goals {
    int64_t frames;
    const double *course;  /* (6, frames): position and velocity of the character */
    const double *facing;  /* (3, frames) */
    const double *turning; /* (frames,) */
    const double *waist;   /* (6, frames): of the pelvis's head */
    const double *ankles;  /* (2, 6, frames) */
    const double *soles;   /* (2, 6, frames) */
    const double *toe_out; /* (2,): radians to the left of the facing */
    int64_t hands;         /* 2, or 0: the arms hang */
    const double *hand;    /* (hands, 6, frames): of the wrists */
    const double *extra;   /* (body->extras, 6, frames) */
    double lean;           /* radians, the trunk forward */
} amble_orbit_goals;

/* The body's bones for tracks of its parts (G13, G15, G22): legs and arms by the triangle of their bones,
 * knees half way between the facing and the foot's direction (S40 .. S42), trunk upright, head ahead.
 *
 * travel: 0: places are taken from the character's, who stays; 1: the root bone, or where there is none the
 * pelvis, carries the body.
 * result: as amble_gait() writes it, but for the summary, which is left alone. slope comes from the tracks'
 * velocities.
 * Errors: as amble_gait(); tracks out of range. */
amble_error amble_orbit_pose(const amble_gait_body *body, const amble_orbit_goals *goals, int travel,
                             const amble_gait_result *result);

#endif

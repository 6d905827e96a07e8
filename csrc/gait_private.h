/* What the files of the gait share: curves of the phase, the plan of a stride. Private to gait*.c. */
#ifndef AMBLE_GAIT_PRIVATE_H
#define AMBLE_GAIT_PRIVATE_H

#include "gait.h"
#include "gait_human.h"
#include "quat.h"

#include <stdbool.h>
#include <stddef.h>

#define DEGREES (AMBLE_PI / 180.0)

/* ---- gait_curve.c: functions of the phase ---- */

/* A closed curve over one stride as a Fourier series. */
typedef struct series {
    double cosine[HUMAN_HARMONICS + 1], sine[HUMAN_HARMONICS + 1];
} series;

/* The harmonics of one phase, shared by all curves that are wanted there. */
typedef struct turn {
    double cosine[HUMAN_HARMONICS + 1], sine[HUMAN_HARMONICS + 1];
} turn;

turn turn_at(double phase);
double series_at(const series *curve, const turn *at);
/* A measured curve at a speed: linear between the speeds measured, held outside them, as the scoring does. */
series human_at(const human_curves *from, human_curve curve, double vn);

/* 0 below 0, 1 above 1, between them 10 s^3 - 15 s^4 + 6 s^5: value, slope and curvature join without a step.
 */
double smooth_step(double s);
/* 64 s^3 (1 - s)^3: 1 in the middle, 0 at both ends together with slope and curvature. */
double bump(double s);
/* x^3 / (x^2 + ease^2) above 0, 0 below: lets go of 0 with slope and curvature, and goes on beside x. */
double eased(double x, double ease);

/* Value, slope and curvature of a function at a point. */
typedef struct jet {
    double value, slope, curve;
} jet;

/* A polynomial on 0 .. 1 with given jets at its ends which is otherwise as near to 0 as its stiffness lets
 * it: what is added to a measured curve so that it meets what comes before and after, and fades away from
 * there. */
enum { FADE_MOST = 9 };
typedef struct fade {
    double quintic[6]; /* rising powers; alone takes on both jets */
    int terms;
    double inner[FADE_MOST]; /* factors of bump(s) (2 s - 1)^n, which leave the ends as they are */
} fade;

/* edge: share at either end that counts less; stiffness: weight of the second derivative against the value.
 */
typedef struct fade_kind {
    int terms;
    double edge, stiffness;
} fade_kind;

fade fade_make(jet start, jet end, fade_kind kind);
double fade_at(const fade *f, double s);

/* Solves the symmetric positive definite system a x = b of n <= FADE_MOST unknowns in place (b becomes x). A
 * pivot that vanishes leaves its unknown at 0. */
void solve_symmetric(int n, double a[FADE_MOST][FADE_MOST], double b[FADE_MOST]);

/* ---- gait_tuning.c: what makes a gait a walk or a run ---- */

/* Found by search over human rigs for the curves nearest to measured ones at bounded speeds and accelerations
 * of the knee and bounded slide between keys. */
typedef struct gait_tuning {
    double stride_share; /* adults step shorter than the formula of the clips (1.48 L at vn 0.42 against 1.62
                            L) */
    double duty_share;   /* the same of the stance */
    double flat;         /* share of the stride until the sole lies flat, by the heel's lever over the leg */
    double early_hold;   /* how long the foot goes on falling at the rate it had at heel strike */
    double onset;        /* share of the stride over which the measured pitch sets in after heel-off */
    double strike;       /* pitch at heel strike against the measured one */
    double toe_bend;     /* pitch from which the toe's tip, not the ball, is the pivot ... */
    double toe_ease;     /* ... and how gradually */
    double knee_strike, knee_least, knee_load, knee_swing; /* bend kept at heel strike, in stance, while
                                                               loading, in swing, degrees */
    double short_heel; /* more of the bend at heel strike, degrees for each leg length that the heel's lever
                          is shorter than people's and each unit of dimensionless speed */
    double strike_width, strike_weight, strike_reach, end_weight; /* of the fit around heel strike */
    double reach;               /* hip to ankle, of thigh + shin, in stance */
    double fast_reach;          /* the same where people would run */
    double step_weight;         /* of the knee's speed against its bend, in the fit of the pelvis */
    double wave_cost;           /* of an acceleration of the pelvis's height, in the fit */
    double fore;                /* fore and aft motion of the pelvis against the measured */
    double lift_curve;          /* share of the stance's curvature that the swing takes over at toe-off ... */
    double land_curve;          /* ... and comes in with at heel strike */
    double toe_over, toe_clear; /* of leg length, how far the tip is kept over the ground once it has left it;
                                   share of the swing until it is */
    double toe_leave;           /* sine of the toe's pitch over the ground's by which it is eased off it */
    double toe_back;            /* share of the swing over which its bend goes */
    double toe_up;              /* raise of the toe in swing, degrees */
    double raise;               /* most that the foot is turned up to clear the ground, degrees */
    double late_most, early_most; /* scale of the pitch that a foot short for its leg may have */
    double own_pitch; /* share of the stride after toe-off over which the pitch's scale goes; 0: it stays */
    double clearance; /* of toe and heel in swing, of leg length */
    double landing;   /* share of the swing that the heel takes to come down from it */
    fade_kind pitch, swing; /* corrections of the foot's pitch, of knee and leg, in swing */
} gait_tuning;

/* A line over the dimensionless speed, kept within bounds: what measured people do. */
typedef struct formula {
    double constant, per_vn, from, low, high; /* constant + per_vn (vn - from) */
} formula;
double formula_at(const formula *f, double vn);

enum { HEEL_OFF_SPEEDS = 5 };

/* A kind of gait as data. Angles in degrees, times in strides, lengths in leg lengths. */
typedef struct gait_kind {
    const char *name;
    const human_curves *curves;
    const gait_tuning *tuned;
    double slowest, fastest;            /* dimensionless speeds that it is laid on */
    double stride_factor, stride_power; /* stride = factor vn^power */
    double longest;                     /* stride that legs can make */
    formula duty;
    double least_duty, most_duty;            /* that may be asked for; */
    double more_duty;                        /* by so much more than people's at most */
    double longest_flat;                     /* share of the stride until the sole lies flat */
    double heel_off[HEEL_OFF_SPEEDS][2];     /* speed, share of the stride */
    formula width;                           /* between the feet's lines; */
    double hips;                             /* at least this share of the hips' width */
    formula sway, fore;                      /* of the pelvis, peak to peak */
    formula shoulder, swing, straight, bent; /* upper arm's mean and swing; the elbow's least and most */
    double thorax;                           /* turn of the chest against the curve's */
    formula lean;                            /* of the trunk, beside what is asked for */
    /* Force of the ground on a leg, of weight, over its stance, where the body flies between two of them:
     * in proportion to sin(pi s) + skew sin(2 pi s) - peak sin(3 pi s). */
    bool flies;
    double skew, peak;
} gait_kind;

enum { GAIT_WALK, GAIT_RUN, GAIT_KINDS };
extern const gait_kind gait_kinds[GAIT_KINDS];

/* Dimensionless speed above which people run sooner than walk: Froude number 0.5. */
extern const double gait_run_from;

/* ---- gait_plan.c: the plan of a stride ---- */

typedef struct leg_plan {
    /* Rest geometry in body axes. */
    vec hip;             /* from the pelvis's head */
    vec heel, ball, tip; /* from the ankle, foot flat on the ground */
    vec axis;            /* the foot's pitch turns about it: level, square to the foot, to its left */
    double thigh, shin;  /* lengths */
    double height;       /* of the ankle over the ground, foot flat */
    double phase;        /* of heel strike */
    bool toe;            /* has a toe bone */
    const gait_tuning *tuned;
    /* The foot's course. */
    double ahead; /* flat ankle at heel strike, forward of the origin */
    double side;  /* the ankle's line, to the left of the origin */
    double strike_pitch, early_scale, late_scale;
    fade pitch; /* swing: correction of the measured pitch */
    double raise;
    fade knee, direction, sideways;     /* swing: corrections of the measured leg, and the ankle's line */
    double early_bend, late_bend;       /* of the knee, after toe-off and before heel strike */
    double early_lift, lift, late_lift; /* of the ankle in early, mid- and late swing */
} leg_plan;

/* A leg of one bone, upright at rest. */
typedef struct stilt {
    double length;     /* hip joint over the ground */
    double fore[2];    /* heel and tip forward of the hip joint ... */
    double outward[2]; /* ... and how far it is to the left of them */
} stilt;

enum { PELVIS_WAVES = 4, PELVIS_TERMS = 1 + 2 * PELVIS_WAVES };

typedef struct gait_plan {
    amble_gait_summary summary;
    const gait_kind *kind;
    series thigh_pitch, knee_flexion, foot_pitch;
    series list, turn, side, fore, thorax, shoulder, elbow; /* in their final units: radians, lengths */
    double later;                /* by which share of the stride toe-off comes later than people's */
    double height[PELVIS_TERMS]; /* pelvis over the ground: mean, then cosine and sine of 2, 4 .. turns */
    double rest_fore;            /* pelvis forward of the origin */
    double lean;
    double crouch, bounce;        /* as set, as the four below */
    double hunch, nod;            /* of the chest beside the lean, of the head */
    double arm_raise, elbow_bend; /* in the curves of shoulder and elbow already */
    leg_plan leg[2];
    /* On legs of one bone, of which `leg` holds only hip and phase. */
    bool stilted;
    stilt stilt[2];
    double share;  /* of a step that the pelvis's turn makes */
    double lift;   /* of the foot in swing */
    double level;  /* a hip no further than this ahead of or behind its foot has it (nearly) level */
    double apart;  /* a stride, at which the hips come apart sideways as a foot comes down */
    double middle; /* of the hips at rest, forward of the origin */
} gait_plan;

/* Where a leg's foot is. */
typedef struct foot_pose {
    vec ankle;         /* from the origin, which travels */
    double pitch, toe; /* radians, toes up positive; toe: of the toe bone */
} foot_pose;

/* Unit vector: v without its part along a unit axis. */
static inline vec square_to(vec v, vec axis) {
    return vec_normalise(vec_sub(v, vec_scale(axis, vec_dot(v, axis))));
}

/* The body's own axes: rows from armature space, and the origin in it. */
typedef struct body_frame {
    vec forward, left, up, origin;
} body_frame;

static inline vec frame_direction(const body_frame *frame, vec v) {
    return (vec){vec_dot(frame->forward, v), vec_dot(frame->left, v), vec_dot(frame->up, v)};
}

static inline vec frame_point(const body_frame *frame, const double place[3]) {
    return frame_direction(frame, vec_sub((vec){place[0], place[1], place[2]}, frame->origin));
}

/* Where a bone's head lies in the armature's rest pose. */
static inline vec rest_head(const amble_skeleton *skeleton, int32_t bone) {
    const double *m = skeleton->rest + (size_t)bone * 16;
    return (vec){m[3], m[7], m[11]};
}

/* Rest geometry that the plan starts from: fills hip .. toe, phase of the legs. */
amble_error gait_measure(const amble_gait_body *body, const body_frame *frame, gait_plan *plan);
/* Length of the stride that people with such legs choose at a dimensionless speed. */
double natural_stride(const gait_kind *kind, double vn, double leg_length);
/* The heel's lever about the ankle at heel strike, along the leg, over the leg's length. */
double heel_lever(const leg_plan *leg);
/* Chooses the kind of gait, and speed, stride and duty factor as it allows them: of the summary those, cycle
 * and leg length. */
amble_error gait_plan_times(gait_plan *plan, const double *value);
/* What pelvis, chest and arms do; times are planned. */
void gait_plan_body(gait_plan *plan, const double *value);
/* The kind of gait is that of the settings. */
amble_error gait_make_plan(gait_plan *plan, const double *value);

/* ---- gait_stance.c ---- */

/* Pitch of a foot on the ground before the sole is flat (u may be a little below 0), and from heel-off on. */
double early_pitch(const gait_plan *plan, const leg_plan *leg, double u);
double late_pitch(const gait_plan *plan, const leg_plan *leg, double u);
/* Pitch of the toe bone of a foot on the ground. */
double toe_pitch(const leg_plan *leg, double pitch);
/* v turned about the foot's axis, toes up for a positive angle. */
vec pitched(const leg_plan *leg, double angle, vec v);
/* Ankle against its place over the flat foot, for a pitch of the foot on the ground. */
vec rolled(const leg_plan *leg, double pitch);
foot_pose stance_at(const gait_plan *plan, const leg_plan *leg, double u);
vec hip_at(const gait_plan *plan, const leg_plan *leg, double phase);
/* Hip-ankle distance of a flexion of the knee. */
double leg_distance(const leg_plan *leg, double flexion);
/* Share of people's stride that the measured leg's curves are read at: toe-off falls on theirs, heel strike
 * stays. */
double delayed(double u, double later);
/* Hip to ankle in the plane of travel for measured angles, and the knee's flexion; at: of the curves. */
void measured_leg(const gait_plan *plan, const leg_plan *leg, const turn *at, double *x, double *z,
                  double *knee);

/* ---- gait_fit.c ---- */

void fit_pelvis(gait_plan *plan);

/* ---- gait_swing.c ---- */

void plan_pitch(gait_plan *plan, leg_plan *leg);
void plan_swing(gait_plan *plan, leg_plan *leg);
void plan_clearance(const gait_plan *plan, leg_plan *leg);
void plan_bend(const gait_plan *plan, leg_plan *leg);

/* Pelvis: place of its head and turn from rest, at a phase. */
void pelvis_at(const gait_plan *plan, double phase, vec *place, quat *turned);
foot_pose foot_at(const gait_plan *plan, const leg_plan *leg, double phase);
/* The same where it is known where the hip is. */
foot_pose foot_under(const gait_plan *plan, const leg_plan *leg, double phase, vec hip);

/* ---- gait_body.c ---- */

typedef enum part {
    PART_NONE,
    PART_ROOT,
    PART_PELVIS,
    PART_SPINE,
    PART_NECK,
    PART_THIGH,
    PART_SHIN,
    PART_FOOT,
    PART_TOE,
    PART_UPPER_ARM,
    PART_FOREARM,
    PART_PLACED, /* extras: the head is put somewhere, or the bone turned to something */
    PART_AIMED,
    PART_LEGGED, /* a bone of a body on any number of legs: legged.c turns it */
    PART_FOLLOWER,
    PART_MIXED /* moves as two others do, each in its share; of followers alone it is the parent */
} part;

/* A bone that is moved, or that one that is moved hangs from. Slots are in the bones' order, parents first.
 */
typedef struct slot {
    int32_t bone;
    int32_t parent; /* slot, -1: none */
    part part;
    int which;    /* left 0, right 1; the place in spine, neck or extras; the slot of the bone followed */
    int second;   /* of a mixed bone, of which `which` is the first: the slot of the other, -1: none ... */
    double share; /* ... and its share */
    int out;      /* place among the bones moved */
    bool free;    /* does not inherit the parent's rotation */
    bool parent_axes; /* location is along the parent's axes */
    vec head;         /* rest, body axes */
    quat rest;        /* rest orientation, from bone to body axes */
} slot;

typedef struct walker {
    const amble_gait_body *body;
    gait_plan plan;
    body_frame frame;
    quat armature; /* from armature to body axes */
    int slots;
    slot *slot;
    quat *turned; /* (slots,): rest to pose, body axes */
    vec *place;   /* (slots,): of the head */
    /* Rest directions of the limbs' bones. */
    vec thigh[2], shin[2], hinge[2], pole[2], upper[2], fore[2];
    double arm_length[2][2]; /* upper arm, forearm */
    double speed;
    int travel;
} walker;

/* What a bone is in the walk. */
typedef struct casting {
    part part;
    int32_t which; /* as slot.which; for a follower the bone that it follows, for a mixed one its row */
    bool needed;   /* moved, or one that is moved hangs from it or follows it */
} casting;

/* (bones,), zeroed, or NULL; the caller frees it. */
casting *new_casting(const amble_gait_body *body);
/* Gives a bone (-1: none) its part. One that has a part already makes an error that begins with `name`. */
amble_error cast_bone(casting *cast, int32_t bone, part part, int32_t which, const char *name);
/* Gives followers and mixed bones their parts. */
amble_error cast_followers(const amble_gait_body *body, casting *cast);
/* Fills the slots of the bones that are needed from skeleton, frame, followers and mixed bones. slots:
 * (bones,), becomes each bone's slot. */
amble_error fill_slots(walker *w, casting *cast, int32_t *slots);
/* Forward and up of the body, its followers and mixed bones: whether they are sound. */
amble_error check_axes(const amble_gait_body *body);
amble_error check_followers(const amble_gait_body *body);
/* Axes of the body in armature space; the origin on the ground, `fore` along forward and `aside` to the left
 * of the armature's. */
void set_frame(walker *w, double fore, double aside);
/* Checks the body, of legs with knees, measures it and fills the slots; what it allocates release() gives
 * back, also after an error. w: zeroed. */
amble_error set_up_body(walker *w, const amble_gait_body *body);
/* Whether every setting is in its range. */
amble_error check_settings(const double *value);
/* set_up_body(), and checks the settings and plans the stride. */
amble_error set_up(walker *w, const amble_gait_body *body, const double *value, int travel);
void release(walker *w);

/* ---- gait_pose.c ---- */

/* One bone's own channels: location and rotation on top of rest. */
typedef struct channels {
    vec location;
    quat rotation;
} channels;

/* Directions of two bones, and the axis that their joint bends about: unit vectors. */
typedef struct two_bones {
    vec upper, lower, hinge;
} two_bones;
/* Two bones of these lengths from root to end, drawn out where they are too short, bent to the pole's side.
 */
two_bones bend(double upper, double lower, vec root, vec end, vec pole);

/* The turn that brings one orthonormal pair of directions onto another. */
quat turn_between(vec from, vec from_axis, vec to, vec to_axis);
/* `base` with as little more turn as brings its image of `rest` onto `direction`. */
quat aim(quat base, vec rest, vec direction);

/* Where a bone would be if it did not move itself: carried by its parent, whose slot must be posed. */
typedef struct carried {
    quat parent, base; /* turn of the parent, and what of it the bone inherits */
    vec head;
} carried;
carried carried_at(const walker *w, const slot *s);
/* The bone's own channels for a place of its head and a turn from rest; its location is seen from its own
 * axes or its parent's. */
channels own_channels(const walker *w, const slot *s, const carried *c, vec place, quat turned);
/* The bones that are moved, in the order of the slots, or NULL; how many. */
int64_t list_moved(const walker *w, int32_t *bones);
/* Frame f of a result. poses: (3, moved), the pose, one a little before and one a little after, `apart`
 * seconds between the two. */
void write_frame(const channels *poses, int64_t moved, double apart, int64_t f, int64_t frames,
                 const amble_gait_result *result);
/* Once all other slots are posed: the followers. */
void follow(const walker *w, channels *out);

/* What is asked of the body, as turns from rest and places in body axes. `thigh` and `shin` are filled in by
 * assemble(). */
typedef struct goals {
    vec root;     /* where the origin at rest has been carried to, the root bone with it ... */
    quat heading; /* ... and how it has been turned */
    vec pelvis;
    quat hips, chest, head;
    vec ankle[2], pole[2]; /* pole: the side that the knee bends to */
    quat foot[2], toe[2], thigh[2], shin[2];
    vec upper[2], fore[2]; /* directions; where `reaches`, filled in by assemble() from ... */
    bool reaches;
    vec hand[2], elbow[2]; /* ... the wrist, and the side that the elbow bends to */
    const vec *extra;      /* (extras,): places */
} goals;

/* Chest and arms of the plan, for a body that faces forward. */
void upper_at(const gait_plan *plan, double phase, goals *g);
/* Channels that bring about what is asked; out: one entry a moved bone, in the order of the slots. */
void assemble(const walker *w, goals *g, channels *out);
/* The body of the steady walk at a phase, in strides, carried as far as it has come at a time. */
void pose_at(const walker *w, double phase, double time, channels *out);

/* ---- gait_stilt.c ---- */

/* Measures a body on legs of one bone and plans its stride; body, frame and slots are there. */
amble_error stilts_make_plan(walker *w, const double *value);
/* Pelvis and legs at a phase. */
void stilts_at(const gait_plan *plan, double phase, goals *g);

#endif

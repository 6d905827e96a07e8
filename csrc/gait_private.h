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
series human_at(human_curve curve, double vn);

/* 0 below 0, 1 above 1, between them 10 s^3 - 15 s^4 + 6 s^5: value, slope and curvature join without a step.
 */
double smooth_step(double s);
/* 64 s^3 (1 - s)^3: 1 in the middle, 0 at both ends together with slope and curvature. */
double bump(double s);

/* Value, slope and curvature of a function at a point. */
typedef struct jet {
    double value, slope, curve;
} jet;

/* A polynomial on 0 .. 1 with given jets at its ends which is otherwise as near to 0 as its stiffness lets
 * it: what is added to a measured curve so that it meets what comes before and after, and fades away from
 * there. */
enum { FADE_MOST = 8 };
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
    /* The foot's course. */
    double ahead; /* flat ankle at heel strike, forward of the origin */
    double side;  /* the ankle's line, to the left of the origin */
    double strike_pitch, early_scale, late_scale;
    fade pitch; /* swing: correction of the measured pitch */
    double raise;
    fade knee, direction, sideways; /* swing: corrections of the measured leg, and the ankle's line */
    double lift, late_lift;         /* of the ankle in mid-swing and in late swing */
} leg_plan;

typedef struct gait_plan {
    amble_gait_summary summary;
    series thigh_pitch, knee_flexion, foot_pitch;
    series list, turn, side, fore, thorax, shoulder, elbow; /* in their final units: radians, lengths */
    double
        height[7]; /* pelvis's head over the ground: mean, then cosine and sine of 2, 4, 6 turns a stride */
    double rest_fore; /* pelvis's head forward of the origin */
    double lean;
    leg_plan leg[2];
} gait_plan;

/* Where a leg's foot is. */
typedef struct foot_pose {
    vec ankle;         /* from the origin, which travels */
    double pitch, toe; /* radians, toes up positive; toe: of the toe bone */
} foot_pose;

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
amble_error gait_make_plan(gait_plan *plan, const double *value);

/* Pelvis: place of its head and turn from rest, at a phase. */
void pelvis_at(const gait_plan *plan, double phase, vec *place, quat *turned);
foot_pose foot_at(const gait_plan *plan, const leg_plan *leg, double phase);

#endif

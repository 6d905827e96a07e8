/* What the files of the journey share. Private to journey*.c. */
#ifndef AMBLE_JOURNEY_PRIVATE_H
#define AMBLE_JOURNEY_PRIVATE_H

#include "gait_private.h"
#include "journey.h"

/* ---- journey_way.c: the way, and the phase of the stride along it ---- */

/* Where the body does not move: the phase before and after (infinite at the ends of the way), and its place.
 */
typedef struct stand {
    double in, out, time;
} stand;

typedef struct way {
    int64_t samples;
    double start, step;
    double *value[3];     /* (samples,) forward, left, facing */
    double *curve[3];     /* second derivatives of the splines */
    int kind;             /* of gait that is asked for: as AMBLE_GAIT_KIND */
    double asked;         /* strides a second that are asked for, of the natural ones */
    double *pace;         /* (samples,) factor on the natural rate of strides */
    double *phase, *rate; /* (samples,) strides, strides a second */
    int stands;
    stand *stand;
    double unit; /* sqrt(gravity * leg length): the speed of vn 1 */
    double leg;  /* leg length */
} way;

/* Effort from which all of the plan's sway and bounce is there. */
static const double lively = 0.15;

/* A moment of the way. */
typedef struct moment {
    double x, y, facing, vx, vy, turning;
} moment;

amble_error way_make(way *w, const amble_way *from, const gait_plan *measured, const double *value,
                     int first);
void way_free(way *w);
moment way_at(const way *w, double time);
double phase_at(const way *w, double time);
/* The phase for all that must not change while the body stands: all of a stand is its middle, to which the
 * half stride before it comes, and from which that after it goes. */
double settled(const way *w, double phase);
/* Strides a second. */
double rate_at(const way *w, double time);
/* The moment at which a phase is reached: the first one. */
double time_of(const way *w, double phase);
/* The kind of gait at an effort. */
const gait_kind *kind_at(const way *w, double effort);
/* Speed that the legs feel, of `unit`: that of the way, and of feet about a turning body. */
double effort_of(const way *w, const moment *m);
/* Cosine of the angle from facing to travel: 1 ahead, -1 back; fades to 0 at rest. */
double ahead_of(const way *w, const moment *m);

/* ---- journey_steps.c: footfalls, feet ---- */

/* How much of the measured foot's pitch a swing has, as of walking ahead and back. */
typedef struct swing_kind {
    double ahead, back;
} swing_kind;

typedef struct plant {
    int leg;
    double strike, off;            /* phases, infinite for a foot that stands */
    const gait_plan *early, *late; /* plans at strike and at lift-off */
    double late_from;              /* phase before which the heel stays down */
    swing_kind before, after;
    double landing; /* factor on the pitch at heel strike, by the slope of the ground */
    vec place;
    double heading;
    vec normal;
    quat turned;
    double strike_time, off_time; /* seconds */
} plant;

enum { LIFTS = 3 };

/* A foot on its way from one plant to the next of the same leg. */
typedef struct swing {
    const plant *from, *to;
    swing_kind kind, landing; /* of its course and the foot that leaves; of the foot that comes down */
    double flat;              /* share of a foot that is just lifted */
    vec heading;              /* ahead: unit, level */
    double step;              /* height that the slopes of the ground do not account for, as of stairs */
    double stepping;          /* 0 .. 1: how much of a stair that is */
    bool blocked, tight;      /* something high is right before the foot; it is lifted first for that */
    double steady;            /* how far the steady gait would go along it */
    vec start, end;           /* ankle */
    double start_pitch, end_pitch, start_bend, end_bend;
    vec start_slope, end_slope; /* what the ends lack in speed, by the share of the swing */
    double pitch_slope[2], bend_slope[2], pitch_offset[2], bend_offset[2];
    double lift[LIFTS];
} swing;

/* A foot: its ankle, and how foot and toe are turned from rest. */
typedef struct foot_place {
    vec ankle;
    quat foot, toe, level; /* level: the flat foot */
} foot_place;

/* ---- journey_height.c ---- */

/* A cubic spline with evenly spaced knots: value(x) = sum of coefficient[i] B((x - first) / step - i). */
typedef struct bspline {
    int64_t count;
    double first, step;
    double *coefficient;
} bspline;

struct amble_journey {
    walker walker;
    /* Copies of what the caller gave. */
    amble_gait_body body;
    amble_skeleton skeleton;
    void *copies;
    double value[AMBLE_GAIT_SETTINGS];
    way way;
    int64_t nodes; /* plans of the stride, half a stride apart */
    double first_node;
    gait_plan *plan;  /* those that differ */
    gait_plan **node; /* (nodes,) */
    double *slope;    /* (nodes,) of the ground along the way */
    int64_t count[2]; /* plants of each leg */
    plant *plants[2];
    swing *swings[2]; /* (count - 1,) */
    bspline base;     /* height of the ground under the body, by phase */
    bspline lowered;  /* what the pelvis is over the plan's; by settled phase, as base */
};

amble_error steps_make(amble_journey *j);
amble_error steps_place(amble_journey *j);
/* Lifts feet first that something high is right before; whether there are any. */
bool steps_yield(amble_journey *j);
void steps_free(amble_journey *j);
const gait_plan *node_at(const amble_journey *j, int64_t index);
/* Phases from which and up to which heel, ball and tip of a plant's foot are on the ground. */
void plant_windows(const plant *p, double window[AMBLE_PROBE_POINTS][2]);
foot_place foot_of(const amble_journey *j, int leg, double phase);

static inline double duty_of(const gait_plan *plan) { return plan->summary.duty; }
/* Pitch of a foot that stands, bend of its toe against it, and where the ankle is. */
double pitch_of(const plant *p, double phase);
double bend_of(const leg_plan *leg, double pitch);
vec stance_ankle(const amble_journey *j, const plant *p, double pitch);
/* Rest geometry of a leg. */
const leg_plan *shape(const amble_journey *j, int leg);
/* A foot pitched and its toe bent, against the flat foot on its patch of ground. */
foot_place oriented(const leg_plan *leg, vec ankle, quat level, double pitch, double bend);

/* ---- journey_swing.c ---- */

/* What kind of swing leads from one plant to the next. */
void judge(const amble_journey *j, swing *w);
/* Once the plants' kinds are known: the ends, and what makes the foot leave and meet the ground at its speed.
 */
void swing_join(const amble_journey *j, swing *w);
foot_place swing_at(const amble_journey *j, const swing *w, double s, bool corrected);
/* Sole points at a share of a swing: heel, ball, tip. */
void swing_soles(const amble_journey *j, const swing *w, double share, vec points[AMBLE_PROBE_POINTS]);
/* Lifts the foot over ground of these heights: (AMBLE_PROBE_MOMENTS, AMBLE_PROBE_POINTS). */
void swing_clear(const amble_journey *j, swing *w, const double *height);

/* Slope of the ground along the way. */
double slope_at(const amble_journey *j, double phase);
/* Weights of the four pieces of the uniform cubic B-spline that cover a place, s in 0 .. 1 of a knot. */
void bspline_weights(double s, double weight[4]);
double bspline_at(const bspline *s, double x);
/* The first of the four coefficients that count at x, kept inside; share: of the knot that x lies in. */
int64_t bspline_place(const bspline *s, double x, double *share);
/* All coefficients 0. Frees those it had. */
amble_error bspline_make(bspline *s, double first, double last, double step);
/* The plant whose stance holds a phase, or the last one before it. */
const plant *plant_at(const amble_journey *j, int leg, double phase);
amble_error heights_make(amble_journey *j);
void heights_free(amble_journey *j);

/* ---- journey_pelvis.c ---- */

/* Fits `lowered`; all else is planned. */
amble_error lower_pelvis(amble_journey *j);

/* ---- journey.c ---- */

/* The body at a time but for the feet; with the pelvis as the plan has it, not yet lowered. */
void body_of(const amble_journey *j, double time, double phase, goals *g);

#endif

/* What the files of the legged gaits share. Private to legged*.c. */
#ifndef AMBLE_LEGGED_PRIVATE_H
#define AMBLE_LEGGED_PRIVATE_H

#include "gait_private.h"
#include "legged.h"

enum {
    LEGS = AMBLE_LEGGED_MOST_LEGS,
    JOINTS = AMBLE_LEGGED_MOST_JOINTS,
    GIRDLES = AMBLE_LEGGED_MOST_GIRDLES
};

/* A leg at rest, in body axes. */
typedef struct limb {
    int part[JOINTS];      /* its parts; the last is the foot */
    int joints;            /* bones before the foot */
    int shoulder;          /* part that swings with it, or -1 */
    vec joint[JOINTS];     /* heads of its bones; [joints] the foot's */
    vec way[JOINTS];       /* unit, from each joint to the next */
    double length[JOINTS]; /* between them */
    vec hinge[JOINTS];     /* [k]: axis that the joint k (1 ..) bends about; unit */
    double bend[JOINTS];   /* radians about it at fold 1 */
    double tuck[JOINTS];   /* radians more in the middle of a swing */
    double whole;          /* length drawn out */
    vec tip, heel;         /* of the sole */
    quat level;            /* turns the foot as it is at rest until its sole is level */
    vec foot;              /* head of the foot's bone from the tip */
    double side;           /* 1 left, -1 right, 0 in the middle */
    int girdle;
    bool upright; /* swings fore and aft under the body, not out from it */
    vec home;     /* where its tip stands under a body that stands */
} limb;

/* What the samples of a way are at a moment. */
typedef struct legged_moment {
    vec place;
    double facing, speed, phase, rate, flex;
    double offset[LEGS], duty[LEGS];
} legged_moment;

typedef struct legged {
    walker w;
    amble_gait_body shell; /* what of a gait's body the slots are made from */
    const amble_legged_body *body;
    const amble_legged_way *way;
    double value[AMBLE_LEGGED_SETTINGS];
    int root, pelvis; /* parts, -1: none */
    int64_t legs;
    limb limb[LEGS];
    int girdles;
    double girdle_x[GIRDLES]; /* middle of its joints at rest, forward */
    double girdle_z[GIRDLES]; /* and their height */
    vec centre;               /* of the girdles */
    double size;              /* mean height of the joints */
    double *phase;            /* (samples,) */
    const amble_footfall *fall[LEGS];
    int64_t falls[LEGS];
    int64_t knots; /* of `low` */
    double knot_step;
    double *low; /* (girdles, knots) how far each girdle is lowered */
} legged;

/* ---- legged_way.c ---- */

/* A row of samples at a time: cubic between them, as at the ends beyond. */
double sampled(const amble_legged_way *way, const double *row, double time);
legged_moment legged_moment_at(const legged *l, double time);
amble_error legged_phase(legged *l);
int64_t legged_footfalls(const legged *l, int64_t most, amble_footfall *out);
amble_error legged_take(legged *l, int64_t count, const amble_footfall *footfall);

/* ---- legged_leg.c ---- */

amble_error limb_measure(legged *l, int index);
/* Where a leg's foot is: its tip, how it is turned, how far through its swing (-1: it stands). */
typedef struct footing {
    vec tip;
    quat turned;
    double swing;
} footing;
footing footing_at(const legged *l, int leg, double time, const legged_moment *m);
vec foot_joint(const limb *leg, const footing *foot);
/* Height of the ground under a leg, over time. */
double ground_under(const legged *l, int leg, double time);
/* Turns of a leg's bones (joints,) that bring its foot's joint to a place; `base`: the turn that it hangs in.
 * Returns how far that is missed. */
double fold_leg(const limb *leg, vec root, quat base, vec target, double swing, double folded, quat *turned);

/* ---- legged_trunk.c ---- */

/* What girdles, neck and tail do at a moment. */
typedef struct legged_trunk {
    vec place;       /* of the pelvis's head */
    quat hind, fore; /* of the outer girdles */
    quat level;      /* the body's heading with the ground's slope */
    double nod;
    vec base; /* on the ground under the body */
} legged_trunk;
legged_trunk trunk_at(const legged *l, double time, const legged_moment *m, bool lowered);
/* Turn of the tail against the pelvis, so many strides ago. */
quat tail_turn(const legged *l, const legged_moment *m, double ago);
amble_error legged_lower(legged *l);
/* Poses all but the legs; hip: (legs,) their joints' places, base: (legs,) the turns that they hang in. */
void pose_trunk(legged *l, double time, const legged_moment *m, bool lowered, vec *hip, quat *base);

#endif

/* Journey: the planted gait along any way, at any speed, facing anywhere, on any ground. Part of the core's
 * public interface.
 *
 * A way tells where the body is and where it faces at every moment. From it come the phase of the stride (how
 * far the legs have come round, which grows with the distance travelled), the footfalls, and everything else.
 * The caller may move the footfalls (onto ground, off holes), and tells the height of the ground under the
 * feet that swing; then any frame can be had alone.
 *
 * Places are in body axes: forward, left, up, from the origin that gait.h states. A body at rest stands at 0
 * and faces 0; angles are to the left.
 */
#ifndef AMBLE_JOURNEY_H
#define AMBLE_JOURNEY_H

#include "gait.h"

/* Samples of a way, `step` seconds apart; between them it runs smoothly (natural cubic splines), beyond them
 * straight on. */
typedef struct amble_way {
    int64_t samples;      /* 3 .. AMBLE_WAY_MOST */
    double start, step;   /* seconds; step 1e-4 .. 1 */
    const double *place;  /* (2, samples): forward, left */
    const double *facing; /* (samples,): radians, without jumps by whole turns */
    const double *pace;   /* (samples,): factor on the rate of strides that the speed alone would have,
                             0.1 .. 10: shorter strides at the same speed where it is more than 1 */
} amble_way;
enum { AMBLE_WAY_MOST = 10000000 };

/* A foot on the ground, from touch-down to lift-off. Times are seconds; a foot that stands before all steps
 * has strike -AMBLE_NEVER, one that goes on standing off AMBLE_NEVER. */
typedef struct amble_plant {
    double leg; /* 0 left, 1 right */
    double strike, off;
    double heel[2], ball[2], tip[2]; /* from when to when each point of the sole is on the ground */
    double place[3];                 /* on the ground under the ankle of the flat foot */
    double heading;                  /* radians */
    double normal[3];                /* of the ground there: unit, up */
} amble_plant;
#define AMBLE_NEVER 1e9
enum { AMBLE_PLANT_FIELDS = sizeof(amble_plant) / sizeof(double) };

/* Points under a swinging foot whose ground is asked for: at so many moments of every swing, under heel, ball
 * and tip. */
enum { AMBLE_PROBE_MOMENTS = 31, AMBLE_PROBE_POINTS = 3 };

typedef struct amble_journey amble_journey;

/* Plans a journey over flat ground at height 0. It keeps copies of all that it is given.
 * value:  as for amble_gait(); `speed` is the speed at which `cycle` holds, the way tells the real one.
 * first:  leg (0, 1) that takes the first step from a stand.
 * Errors: those of amble_gait(); a way with too few samples, NaN, or speeds that no gait has; memory. */
amble_error amble_journey_new(const amble_gait_body *body, const double *value, const amble_way *way,
                              int first, amble_journey **journey);
void amble_journey_free(amble_journey *journey);

int64_t amble_journey_plants(const amble_journey *journey);
int64_t amble_journey_swings(const amble_journey *journey);
int64_t amble_journey_moved(const amble_journey *journey);

/* plants: (plants,), by leg, then in time. */
void amble_journey_get_plants(const amble_journey *journey, amble_plant *plants);
/* Takes places, headings and normals; legs and times must be as they were got. Heights of the ground that
 * swings cross are forgotten. Errors: NaN; normals that are no unit vectors or point down; memory. */
amble_error amble_journey_set_plants(amble_journey *journey, const amble_plant *plants);

/* place: (2, swings, AMBLE_PROBE_MOMENTS, AMBLE_PROBE_POINTS): forward, left. */
void amble_journey_get_probes(const amble_journey *journey, double *place);
/* height: (swings, AMBLE_PROBE_MOMENTS, AMBLE_PROBE_POINTS) of the ground at the probes. Feet are lifted to
 * clear it; those that begin right before a riser wait with going ahead, which moves their probes: while
 * probes move, their heights are to be told again. Errors: NaN; memory. */
amble_error amble_journey_set_heights(amble_journey *journey, const double *height);

/* Motion and slopes at times in seconds, in any order.
 * travel: 1: the root bone, or where there is none the pelvis, carries the body along the way; 0: it stays,
 *         and the ground moves under it.
 * track:  (4, frames): where the body is: forward, left, up, facing; track_slope: the same, a second.
 * Errors: times that are NaN; memory. */
amble_error amble_journey_pose(const amble_journey *journey, int travel, int64_t frames, const double *time,
                               const amble_gait_result *result, double *track, double *track_slope);

#endif

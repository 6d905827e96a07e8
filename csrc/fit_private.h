/* What the files of key reduction share. Private to fit*.c. */
#ifndef AMBLE_FIT_PRIVATE_H
#define AMBLE_FIT_PRIVATE_H

#include "fit.h"
#include "quat.h"

#include <stdbool.h>

/* ---- fit_segment.c: one Bezier between two keys ---- */

/* Values and slopes at both ends, and the handles' lengths, all with the span between the keys as the unit of
 * time. With both handles a third, time is even in the parameter and the curve is the cubic Hermite one. */
typedef struct segment {
    double value[2], slope[2], handle[2];
} segment;

#define SEGMENT_THIRD (1.0 / 3.0)

/* Value at a share of the span, 0 to 1. */
double segment_at(const segment *s, double share);
/* Whether handles may be this long. */
bool segment_may_have(const double handle[2]);
/* Chooses the handles that bring the curve nearest to `wanted` (count,) at `share` (count,), least squares.
 */
void segment_handles(segment *s, int64_t count, const double *share, const float *wanted);

/* ---- fit_measure.c: how far off a motion is ---- */

/* Rows that share their keys. */
enum { FIT_MOST_ROWS = 4 * AMBLE_FIT_CHAIN_BONES, FIT_MOST_POINTS = AMBLE_FIT_CHAIN_POINTS, FIT_BLOCK = 32 };
typedef enum fit_kind { FIT_LOCATION, FIT_ROTATION, FIT_SCALE, FIT_CHAIN } fit_kind;
typedef struct fit_group {
    fit_kind kind;
    int64_t first, bones; /* bones of the motion */
    int rows;
    int64_t row[FIT_MOST_ROWS];         /* in (bones, 10) */
    bool straight[FIT_MOST_ROWS];       /* one line from end to end */
    int part[AMBLE_FIT_CHAIN_BONES][4]; /* which of the rows each number of a bone's rotation is, -1: none */
    /* Chains: each bone's rest against the one before, and the points. */
    quat turn[AMBLE_FIT_CHAIN_BONES];
    vec shift[AMBLE_FIT_CHAIN_BONES];
    int64_t point_first, points;
    const vec *own;     /* (points of the motion,): places in the carriers' axes */
    const float *truth; /* (points of the motion, samples, 3): where they should be */
} fit_group;

/* A few samples in a row: values of the group's rows, as fitted. */
typedef struct fit_block {
    int64_t first, count; /* samples */
    double value[FIT_MOST_ROWS][FIT_BLOCK];
} fit_block;

/* The group's largest error in a block, tolerances as units; stops looking beyond `limit`. */
double fit_error(const amble_fit_motion *motion, const fit_group *group, const fit_block *block,
                 double limit);
/* Where the points of a chain are for the group's rows as given, at sample `at` of the block; place: (points
 * of the group,). */
void fit_points(const amble_fit_motion *motion, const fit_group *group, const fit_block *block, int at,
                vec *place);
/* ---- fit_way.c: which samples become keys ---- */

/* What is at hand for all groups. */
typedef struct fit_stage {
    const amble_fit_motion *motion;
    const amble_fit_keys *keys;
    int64_t candidates;
    int64_t *sample; /* (candidates,) */
    double *cost;    /* (candidates,): of the best way there */
    int64_t *from;   /* (candidates,) */
    float *handle;   /* (candidates, rows, 2): of its last piece, as shares of its span */
    vec *own;        /* (points,) */
    float *truth;    /* (points, samples, 3) */
    double *share;   /* (samples,): room for the times of one piece */
} fit_stage;

/* Value at a sample of the straight line from the first value of a row to its last. */
double fit_line_at(const amble_fit_motion *motion, int64_t row, int64_t sample);
/* Finds the way over the samples for the group's rows that are not straight. */
void fit_find_way(fit_stage *st, const fit_group *group);
/* Writes the keys of one of the group's rows. */
void fit_write_row(const fit_stage *st, const fit_group *group, int row);

#endif

/* Which samples become keys, for rows that share them.
 *
 * A piece between two keys depends on nothing but these two, as values and slopes at keys are the motion's
 * own. So the fewest keys are a shortest path over the samples that may be keys, found from left to right:
 * for each of them the best way to get there, over every piece that is within the tolerance.
 */
#include "fit_private.h"

/* A piece spans at most so many samples that may be keys, which keeps the cost in proportion to the frames
 * ... */
enum { LONGEST_PIECE = 32 };
/* ... and after so many pieces in a row, each longer than the last, that were beyond the tolerance, no longer
 * one is tried. */
enum { PATIENCE = 4 };
/* A Hermite piece that is off by more than so many tolerances is not mended by its handles. */
static const double hopeless = 60.0;
/* One that is off by more than so many is not worth a search; steps of it, as shares of the span; and the
 * error that is good enough. */
static const double searched = 15.0;
static const double search_step = 0.12;
enum { SEARCH_ROUNDS = 4 };
static const double search_enough = 0.8;
/* What an error of a whole tolerance costs against a key: of equally many keys the better fit is taken. */
static const double error_price = 1e-3;
typedef struct piece {
    int64_t start, end; /* samples */
    segment row[FIT_MOST_ROWS];
} piece;

/* ---- One piece ---- */

static void set_piece(const fit_stage *st, const fit_group *group, int64_t start, int64_t end, piece *p) {
    const amble_fit_motion *motion = st->motion;
    double span = motion->time[end] - motion->time[start];
    p->start = start;
    p->end = end;
    for (int i = 0; i < group->rows; i++) {
        const float *value = motion->value + group->row[i] * motion->samples;
        const float *slope = motion->slope + group->row[i] * motion->samples;
        p->row[i] = (segment){{value[start], value[end]},
                              {slope[start] * span, slope[end] * span},
                              {SEGMENT_THIRD, SEGMENT_THIRD}};
    }
}

double fit_line_at(const amble_fit_motion *motion, int64_t row, int64_t sample) {
    const float *value = motion->value + row * motion->samples;
    int64_t last = motion->samples - 1;
    double share = (motion->time[sample] - motion->time[0]) / (motion->time[last] - motion->time[0]);
    return value[0] + ((double)value[last] - value[0]) * share;
}

/* The piece's largest error between its ends, in tolerances; not looked for beyond `limit`. */
static double piece_error(const fit_stage *st, const fit_group *group, const piece *p, double limit) {
    double begin = st->motion->time[p->start];
    double span = st->motion->time[p->end] - begin;
    double worst = 0.0;
    fit_block block;
    for (int64_t first = p->start + 1; first < p->end && worst <= limit; first += FIT_BLOCK) {
        block.first = first;
        block.count = p->end - first < FIT_BLOCK ? p->end - first : FIT_BLOCK;
        for (int64_t at = 0; at < block.count; at++) {
            double share = (st->motion->time[first + at] - begin) / span;
            for (int i = 0; i < group->rows; i++) {
                block.value[i][at] = group->straight[i] ? fit_line_at(st->motion, group->row[i], first + at)
                                                        : segment_at(&p->row[i], share);
            }
        }
        double error = fit_error(st->motion, group, &block, limit);
        worst = error > worst ? error : worst;
    }
    return worst;
}

/* Chooses the handles of every row by itself. */
static void fit_handles(const fit_stage *st, const fit_group *group, piece *p) {
    int64_t count = p->end - p->start - 1;
    double begin = st->motion->time[p->start];
    double span = st->motion->time[p->end] - begin;
    for (int64_t i = 0; i < count; i++) {
        st->share[i] = (st->motion->time[p->start + 1 + i] - begin) / span;
    }
    for (int i = 0; i < group->rows; i++) {
        if (!group->straight[i]) {
            segment_handles(&p->row[i], count, st->share,
                            st->motion->value + group->row[i] * st->motion->samples + p->start + 1);
        }
    }
}

/* The same two lengths for every row, which keeps the rows of a chain making up for one another's errors:
 * tried around the best so far in ever smaller steps. */
static double search_handles(const fit_stage *st, const fit_group *group, piece *p, double error) {
    double best[2] = {SEGMENT_THIRD, SEGMENT_THIRD};
    static const double way[4][2] = {{1.0, 1.0}, {-1.0, -1.0}, {1.0, -1.0}, {-1.0, 1.0}};
    piece tried = *p;
    double step = search_step;
    for (int round = 0; round < SEARCH_ROUNDS && error > search_enough; round++, step *= 0.5) {
        for (int i = 0; i < 4; i++) {
            double handle[2];
            for (int j = 0; j < 2; j++) {
                handle[j] = best[j] + step * way[i][j];
            }
            if (!segment_may_have(handle)) {
                continue;
            }
            for (int row = 0; row < group->rows; row++) {
                tried.row[row].handle[0] = handle[0];
                tried.row[row].handle[1] = handle[1];
            }
            double found = piece_error(st, group, &tried, error);
            if (found < error) {
                error = found;
                best[0] = handle[0];
                best[1] = handle[1];
                *p = tried;
            }
        }
    }
    return error;
}

/* The best of three pieces: the Hermite one, the one whose rows are each as near as they can be, and for a
 * chain the one with the same handles in all rows. The first and the last piece of the motion stay Hermite,
 * so that a loop passes its seam as evenly as it did. Returns the error; at most 1 is good. */
static double best_piece(const fit_stage *st, const fit_group *group, int64_t start, int64_t end, piece *p) {
    set_piece(st, group, start, end, p);
    double even = piece_error(st, group, p, hopeless);
    bool outer = start == 0 || end == st->motion->samples - 1;
    if (outer || even > hopeless || even <= 1.0 || end - start < 2) {
        return even;
    }
    piece each = *p;
    fit_handles(st, group, &each);
    double error = piece_error(st, group, &each, even);
    if (group->kind == FIT_CHAIN && error > 1.0 && even < searched) {
        even = search_handles(st, group, p, even);
    }
    if (error < even) {
        *p = each;
        return error;
    }
    return even;
}

/* ---- The way over all pieces ---- */

static void take(fit_stage *st, const fit_group *group, int64_t to, int64_t from, double cost,
                 const piece *p) {
    st->cost[to] = cost;
    st->from[to] = from;
    for (int i = 0; i < group->rows; i++) {
        float *handle = st->handle + (to * group->rows + i) * 2;
        handle[0] = (float)p->row[i].handle[0];
        handle[1] = (float)p->row[i].handle[1];
    }
}

void fit_find_way(fit_stage *st, const fit_group *group) {
    piece p;
    int64_t last = st->candidates - 1;
    st->cost[0] = 0.0;
    double error = best_piece(st, group, st->sample[0], st->sample[last], &p);
    if (error <= 1.0) {
        take(st, group, last, 0, 1.0, &p);
        return;
    }
    for (int64_t to = 1; to <= last; to++) {
        st->cost[to] = INFINITY;
        int beyond = 0;
        for (int64_t from = to - 1; from >= 0 && to - from <= LONGEST_PIECE && beyond < PATIENCE; from--) {
            error = best_piece(st, group, st->sample[from], st->sample[to], &p);
            bool good = error <= 1.0;
            beyond = good ? 0 : beyond + 1;
            double cost = st->cost[from] + 1.0 + error_price * (good ? error : 1.0);
            if ((good || from == to - 1) && cost < st->cost[to]) {
                take(st, group, to, from, cost, &p);
            }
        }
    }
}

/* ---- Results ---- */

static void put(const fit_stage *st, int64_t row, int64_t sample, double slope, double before, double after) {
    int64_t at = row * st->motion->samples + sample;
    st->keys->keep[at] = 1;
    st->keys->slope[at] = (float)slope;
    if (before > 0.0) {
        st->keys->before[at] = (float)before;
    }
    if (after > 0.0) {
        st->keys->after[at] = (float)after;
    }
}

/* The outermost handles, which nothing reads, are as long as their inner neighbours. */
static void close_ends(const fit_stage *st, int64_t row) {
    const amble_fit_keys *keys = st->keys;
    int64_t first = row * st->motion->samples;
    int64_t last = first + st->motion->samples - 1;
    keys->before[first] = keys->after[first];
    keys->after[last] = keys->before[last];
}

static void write_straight(const fit_stage *st, int64_t row) {
    const amble_fit_motion *motion = st->motion;
    int64_t last = motion->samples - 1;
    double span = motion->time[last] - motion->time[0];
    const float *value = motion->value + row * motion->samples;
    double slope = ((double)value[last] - value[0]) / span;
    put(st, row, 0, slope, 0.0, span * SEGMENT_THIRD);
    put(st, row, last, slope, span * SEGMENT_THIRD, 0.0);
}

static void write_way(const fit_stage *st, const fit_group *group, int i) {
    const amble_fit_motion *motion = st->motion;
    int64_t row = group->row[i];
    const float *slope = motion->slope + row * motion->samples;
    for (int64_t to = st->candidates - 1; to > 0; to = st->from[to]) {
        int64_t start = st->sample[st->from[to]];
        int64_t end = st->sample[to];
        double span = motion->time[end] - motion->time[start];
        const float *handle = st->handle + (to * group->rows + i) * 2;
        put(st, row, start, slope[start], 0.0, handle[0] * span);
        put(st, row, end, slope[end], handle[1] * span, 0.0);
    }
}

void fit_write_row(const fit_stage *st, const fit_group *group, int row) {
    if (group->straight[row]) {
        write_straight(st, group->row[row]);
    } else {
        write_way(st, group, row);
    }
    close_ends(st, group->row[row]);
}

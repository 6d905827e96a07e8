/* Key reduction: the groups of rows that share their keys, and the entry. */
#include "fit_private.h"

#include "check.h"
#include "turn.h"

#include <stdlib.h>
#include <string.h>

/* A row is straight where it is off its line by this share of the tolerance; its error adds to that of
 * others. */
static const double straight_share = 0.05;

static double least(const float *value, int64_t count) {
    double found = INFINITY;
    for (int64_t i = 0; i < count; i++) {
        found = value[i] < found ? value[i] : found;
    }
    return found;
}

/* How far a row of the group may be off without it being seen: a rotation's numbers count up to twice, and
 * those of a chain move points that far from its beginning. */
static double slack(const fit_stage *st, const fit_group *group, int64_t bone) {
    const amble_fit_motion *motion = st->motion;
    int64_t kind = group->kind == FIT_CHAIN ? FIT_ROTATION : (int64_t)group->kind;
    double found = least(motion->tolerance + (bone * 3 + kind) * motion->samples, motion->samples);
    if (group->kind == FIT_CHAIN) {
        double reach = 0.0;
        for (int64_t i = 1; i < group->bones; i++) {
            reach += vec_length(group->shift[i]);
        }
        for (int64_t k = group->point_first; k < group->point_first + group->points; k++) {
            double far = reach + vec_length(st->own[k]);
            double near = least(motion->point_tolerance + k * motion->samples, motion->samples) / far;
            found = near < found ? near : found;
        }
    }
    return straight_share * (kind == FIT_ROTATION ? 0.5 * found : found);
}

static bool is_straight(const fit_stage *st, int64_t row, double room) {
    const float *value = st->motion->value + row * st->motion->samples;
    for (int64_t k = 0; k < st->motion->samples; k++) {
        if (!(fabs(value[k] - fit_line_at(st->motion, row, k)) <= room)) {
            return false;
        }
    }
    return true;
}

static void add_rows(const fit_stage *st, fit_group *group, int64_t bone, int first, int count) {
    for (int i = first; i < first + count; i++) {
        int64_t row = bone * AMBLE_FIT_ROWS + i;
        if (st->motion->keyed[row]) {
            if (first == 3) {
                group->part[bone - group->first][i - 3] = group->rows;
            }
            group->row[group->rows++] = row;
        }
    }
}

static quat rest_turn(const double *m) {
    double rows[3][3] = {{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}};
    return quat_normalise(quat_from_matrix(rows));
}

static vec rest_place(const double *m) { return (vec){m[3], m[7], m[11]}; }

/* Rest of each bone against the one before; of the first, as it stands. */
static void set_chain(const fit_stage *st, fit_group *group) {
    const amble_fit_motion *motion = st->motion;
    const double *before = NULL;
    for (int64_t i = 0; i < group->bones; i++) {
        const double *rest = motion->rest + (group->first + i) * 16;
        group->turn[i] = rest_turn(rest);
        group->shift[i] = rest_place(rest);
        if (before) {
            quat back = quat_conjugate(rest_turn(before));
            group->turn[i] = quat_multiply(back, group->turn[i]);
            group->shift[i] = quat_rotate(back, vec_sub(group->shift[i], rest_place(before)));
        }
        before = rest;
    }
    group->point_first = 0;
    group->points = 0;
    for (int64_t k = 0; k < motion->points; k++) {
        int64_t bone = motion->carrier[k];
        if (bone >= group->first && bone < group->first + group->bones) {
            group->point_first = group->points ? group->point_first : k;
            group->points = k + 1 - group->point_first;
        }
    }
    group->own = st->own;
    group->truth = st->truth;
}

/* Where the chain's points are in the motion itself. */
static void set_truth(const fit_stage *st, fit_group *group) {
    int rows = group->rows;
    vec place[FIT_MOST_POINTS];
    fit_block block = {.count = 1};
    for (int64_t k = 0; k < st->motion->samples; k++) {
        block.first = k;
        for (int i = 0; i < rows; i++) {
            block.value[i][0] = st->motion->value[group->row[i] * st->motion->samples + k];
        }
        fit_points(st->motion, group, &block, 0, place);
        for (int64_t j = 0; j < group->points; j++) {
            float *truth = st->truth + ((group->point_first + j) * st->motion->samples + k) * 3;
            truth[0] = (float)place[j].x;
            truth[1] = (float)place[j].y;
            truth[2] = (float)place[j].z;
        }
    }
}

static void reduce(fit_stage *st, fit_group *group) {
    bool any = false;
    for (int i = 0; i < group->rows; i++) {
        group->straight[i] = is_straight(st, group->row[i], slack(st, group, group->row[i] / AMBLE_FIT_ROWS));
        any = any || !group->straight[i];
    }
    if (any) {
        fit_find_way(st, group);
    }
    for (int i = 0; i < group->rows; i++) {
        fit_write_row(st, group, i);
    }
}

static void reduce_bone(fit_stage *st, fit_group *group, int64_t bone) {
    static const struct {
        fit_kind kind;
        int first, count;
    } parts[] = {{FIT_LOCATION, 0, 3}, {FIT_ROTATION, 3, 4}, {FIT_SCALE, 7, 3}};
    for (int i = 0; i < 3; i++) {
        if (parts[i].kind == FIT_ROTATION && st->motion->chain[bone] >= 0) {
            continue;
        }
        *group = (fit_group){.kind = parts[i].kind, .first = bone, .bones = 1};
        memset(group->part, -1, sizeof group->part);
        add_rows(st, group, bone, parts[i].first, parts[i].count);
        if (group->rows) {
            reduce(st, group);
        }
    }
}

static void reduce_chain(fit_stage *st, fit_group *group, int64_t first, int64_t bones) {
    *group = (fit_group){.kind = FIT_CHAIN, .first = first, .bones = bones};
    memset(group->part, -1, sizeof group->part);
    for (int64_t bone = first; bone < first + bones; bone++) {
        add_rows(st, group, bone, 3, 4);
    }
    set_chain(st, group);
    for (int64_t k = group->point_first; k < group->point_first + group->points; k++) {
        int64_t bone = st->motion->carrier[k];
        const double *rest = st->motion->rest + bone * 16;
        vec place = {st->motion->place[3 * k], st->motion->place[3 * k + 1], st->motion->place[3 * k + 2]};
        st->own[k] = quat_rotate(quat_conjugate(rest_turn(rest)), vec_sub(place, rest_place(rest)));
    }
    set_truth(st, group);
    if (group->rows) {
        reduce(st, group);
    }
}

static void reduce_all(fit_stage *st, fit_group *group) {
    const int32_t *chain = st->motion->chain;
    for (int64_t bone = 0; bone < st->motion->bones; bone++) {
        reduce_bone(st, group, bone);
        if (chain[bone] >= 0 && (bone == 0 || chain[bone - 1] != chain[bone])) {
            int64_t end = bone + 1;
            while (end < st->motion->bones && chain[end] == chain[bone]) {
                end++;
            }
            reduce_chain(st, group, bone, end - bone);
        }
    }
}

/* ---- The entry ---- */

static amble_error check_samples(const amble_fit_motion *motion) {
    int64_t last = motion->samples - 1;
    if (motion->samples < 2) {
        return amble_fail(AMBLE_BAD_VALUE, "time must hold at least 2 samples");
    }
    AMBLE_TRY(amble_check_values_double("time", motion->time, motion->samples, AMBLE_LARGEST));
    for (int64_t k = 1; k <= last; k++) {
        if (!(motion->time[k] > motion->time[k - 1])) {
            return amble_fail(AMBLE_BAD_VALUE, "time must rise: it does not at index %lld", (long long)k);
        }
    }
    if (!motion->key[0] || !motion->key[last]) {
        return amble_fail(AMBLE_BAD_VALUE, "key must allow the first and the last sample");
    }
    return AMBLE_SUCCESS;
}

static amble_error check_tolerance(const char *name, const float *tolerance, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        if (!(tolerance[i] > 0.0F)) {
            return amble_fail(AMBLE_BAD_VALUE, "%s must be greater than 0, not %g at flat index %lld", name,
                              (double)tolerance[i], (long long)i);
        }
    }
    return AMBLE_SUCCESS;
}

/* Bones of one chain lie together; no chain comes twice, as its number would. */
static amble_error check_chains(const amble_fit_motion *motion) {
    int64_t length = 0;
    for (int64_t bone = 0; bone < motion->bones; bone++) {
        if (!turn_is_mode(motion->mode[bone])) {
            return amble_fail(AMBLE_BAD_VALUE, "mode[%lld] is %d, which is no mode of rotation",
                              (long long)bone, motion->mode[bone]);
        }
        bool same = bone > 0 && motion->chain[bone] == motion->chain[bone - 1];
        length = same ? length + 1 : 1;
        if (motion->chain[bone] >= 0 && length > AMBLE_FIT_CHAIN_BONES) {
            return amble_fail(AMBLE_BAD_VALUE, "chain %d has more than %d bones", motion->chain[bone],
                              AMBLE_FIT_CHAIN_BONES);
        }
    }
    return amble_check_values_double("rest", motion->rest, motion->bones * 16, AMBLE_LARGEST);
}

static amble_error check_points(const amble_fit_motion *motion) {
    int64_t together = 0;
    for (int64_t k = 0; k < motion->points; k++) {
        int32_t bone = motion->carrier[k];
        if (bone < 0 || bone >= motion->bones || motion->chain[bone] < 0) {
            return amble_fail(AMBLE_BAD_VALUE, "carrier[%lld] is %d, which is no bone of a chain",
                              (long long)k, bone);
        }
        bool same = k > 0 && motion->chain[motion->carrier[k - 1]] == motion->chain[bone];
        together = same ? together + 1 : 1;
        if (together > AMBLE_FIT_CHAIN_POINTS) {
            return amble_fail(AMBLE_BAD_VALUE, "carrier: a chain has more than %d points",
                              AMBLE_FIT_CHAIN_POINTS);
        }
        for (int64_t j = 0; j + 1 < k && !same; j++) {
            if (motion->chain[motion->carrier[j]] == motion->chain[bone]) {
                return amble_fail(AMBLE_BAD_VALUE, "carrier: the points of chain %d do not lie together",
                                  motion->chain[bone]);
            }
        }
    }
    return amble_check_values_double("place", motion->place, motion->points * 3, AMBLE_LARGEST);
}

static amble_error check(const amble_fit_motion *motion) {
    AMBLE_TRY(check_samples(motion));
    AMBLE_TRY(check_chains(motion));
    AMBLE_TRY(check_points(motion));
    AMBLE_TRY(check_tolerance("tolerance", motion->tolerance, motion->bones * 3 * motion->samples));
    return check_tolerance("point_tolerance", motion->point_tolerance, motion->points * motion->samples);
}

static void release(fit_stage *st, fit_group *group) {
    free(st->sample);
    free(st->cost);
    free(st->from);
    free(st->handle);
    free(st->own);
    free(st->truth);
    free(st->share);
    free(group);
}

/* Rows of the longest chain, or of a bone. */
static int64_t most_rows(const amble_fit_motion *motion) {
    int64_t most = 1;
    int64_t length = 0;
    for (int64_t bone = 0; bone < motion->bones; bone++) {
        bool same = bone > 0 && motion->chain[bone] >= 0 && motion->chain[bone] == motion->chain[bone - 1];
        length = same ? length + 1 : 1;
        most = length > most ? length : most;
    }
    return 4 * most;
}

static size_t room(int64_t count, size_t size) { return (size_t)(count + 1) * size; }

amble_error amble_fit(const amble_fit_motion *motion, const amble_fit_keys *keys) {
    size_t all = (size_t)(motion->bones * AMBLE_FIT_ROWS * motion->samples);
    if (!all) {
        return AMBLE_SUCCESS;
    }
    AMBLE_TRY(check(motion));
    memset(keys->keep, 0, all);
    memset(keys->slope, 0, all * sizeof *keys->slope);
    memset(keys->before, 0, all * sizeof *keys->before);
    memset(keys->after, 0, all * sizeof *keys->after);
    fit_stage st = {.motion = motion, .keys = keys};
    st.sample = malloc(room(motion->samples, sizeof *st.sample));
    st.cost = malloc(room(motion->samples, sizeof *st.cost));
    st.from = malloc(room(motion->samples, sizeof *st.from));
    st.handle = malloc(room(motion->samples * most_rows(motion) * 2, sizeof *st.handle));
    st.own = malloc(room(motion->points, sizeof *st.own));
    st.truth = malloc(room(motion->points * motion->samples * 3, sizeof *st.truth));
    st.share = malloc(room(motion->samples, sizeof *st.share));
    fit_group *group = malloc(sizeof *group);
    bool had = st.sample && st.cost && st.from && st.handle && st.own && st.truth && st.share && group;
    if (had) {
        for (int64_t k = 0; k < motion->samples; k++) {
            if (motion->key[k]) {
                st.sample[st.candidates++] = k;
            }
        }
        reduce_all(&st, group);
    }
    release(&st, group);
    return had ? AMBLE_SUCCESS
               : amble_fail(AMBLE_NO_MEMORY, "no memory to fit %lld samples", (long long)motion->samples);
}

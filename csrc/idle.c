/* The idle kernel: samples of difference sets, mixed, made rotations, laid on held poses.
 *
 * A set's samples are turned about once, so that all rows of one sample lie side by side. One frame's change
 * is then a sum of at most four such rows a set, whose weights are the same for all bones. Four frames at a
 * time are turned back and go on as lanes.
 */
#include "idle.h"
#include "check.h"
#include "quat.h"

#include <stddef.h>
#include <stdlib.h>

/* Four samples and their shares: the cubic through the middle two, as a sum. */
typedef struct blend {
    int64_t sample[4];
    float share[4];
} blend;

typedef struct table {
    const amble_idle_set *set;
    double period;  /* of the time, once folded */
    int64_t stride; /* floats a sample */
    float *rows;    /* (samples, stride): 3 a turning bone, then 3 a moving one, then zeros */
} table;

/* ---- Time to samples ---- */

/* Sample `i` steps from a place, beyond the ends as the set goes on there; *time: its time. */
static int64_t neighbour(const table *t, int64_t i, double *time) {
    const amble_idle_set *set = t->set;
    int64_t last = set->samples - 1;
    double length = set->times[last];
    if (i >= 0 && i <= last) {
        *time = set->times[i];
        return i;
    }
    if (set->after == AMBLE_IDLE_AGAIN) {
        int64_t k = i < 0 ? i + last : i - last;
        *time = set->times[k] + (i < 0 ? -length : length);
        return k;
    }
    int64_t k = i < 0 ? -i : 2 * last - i;
    if (set->after == AMBLE_IDLE_STAY) {
        *time = i < 0 ? -set->times[k] : 2.0 * length - set->times[k];
        return i < 0 ? 0 : last;
    }
    *time = i < 0 ? -set->times[k] : 2.0 * length - set->times[k];
    return k;
}

/* The time brought within the samples. */
static double folded(const table *t, double time) {
    double length = t->set->times[t->set->samples - 1];
    if (t->set->after == AMBLE_IDLE_STAY) {
        return time < 0.0 ? 0.0 : (time > length ? length : time);
    }
    time -= t->period * floor(time / t->period);
    time = time < 0.0 ? 0.0 : time;
    if (t->set->after == AMBLE_IDLE_BACK && time > length) {
        time = t->period - time;
    }
    return time > length ? length : time;
}

/* The last sample that is not after the time, by halving. */
static int64_t sample_at(const amble_idle_set *set, double time) {
    int64_t low = 0;
    int64_t high = set->samples - 1;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (set->times[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* With x the share of the way from sample 1 to sample 2, h apart, and slopes (v2 - v0) / (t2 - t0) and
 * (v3 - v1) / (t3 - t1), the Hermite cubic is a sum of the four values. */
static blend blend_at(const table *t, double time) {
    const amble_idle_set *set = t->set;
    time = folded(t, time);
    int64_t i = sample_at(set, time);
    double at[4];
    blend b;
    for (int k = 0; k < 4; k++) {
        b.sample[k] = neighbour(t, i - 1 + k, &at[k]);
    }
    double h = at[2] - at[1];
    double x = (time - at[1]) / h;
    double share[4] = {0.0, 1.0 - x, x, 0.0};
    if (set->between == AMBLE_IDLE_SMOOTH) {
        double rest = 1.0 - x;
        double begin = x * rest * rest * h / (at[2] - at[0]);
        double end = -x * x * rest * h / (at[3] - at[1]);
        share[0] = -begin;
        share[1] = rest * rest * (1.0 + 2.0 * x) - end;
        share[2] = x * x * (3.0 - 2.0 * x) + begin;
        share[3] = end;
    }
    for (int k = 0; k < 4; k++) {
        b.share[k] = (float)share[k];
    }
    return b;
}

/* ---- Set-up ---- */

static amble_error check_set(const amble_idle_set *set, long long number) {
    if (set->samples < 2) {
        return amble_fail(AMBLE_BAD_VALUE, "times of set %lld must have 2 samples or more", number);
    }
    if ((unsigned)set->between > AMBLE_IDLE_SMOOTH || (unsigned)set->after > AMBLE_IDLE_STAY) {
        return amble_fail(AMBLE_BAD_VALUE, "rules of set %lld hold a value that there is not", number);
    }
    AMBLE_TRY(amble_check_values_double("times", set->times, set->samples, AMBLE_LARGEST));
    for (int64_t i = 1; i < set->samples; i++) {
        if (set->times[0] != 0.0 || !(set->times[i] > set->times[i - 1])) {
            return amble_fail(AMBLE_BAD_VALUE, "times of set %lld must rise from 0", number);
        }
    }
    return AMBLE_SUCCESS;
}

/* Rows in whole lanes. */
static int64_t padded(int64_t rows) { return (rows + WF_LANES - 1) / WF_LANES * WF_LANES; }

static amble_error make_table(const amble_idle_set *set, int64_t turning, int64_t moving, table *out) {
    int64_t rows = 3 * (turning + moving);
    *out = (table){.set = set, .stride = padded(rows)};
    double length = set->times[set->samples - 1];
    out->period = set->after == AMBLE_IDLE_BACK ? 2.0 * length : length;
    out->rows = calloc((size_t)(set->samples * out->stride) + 1, sizeof *out->rows);
    if (!out->rows) {
        return amble_fail(AMBLE_NO_MEMORY, "turns: no memory for %lld samples", (long long)set->samples);
    }
    for (int64_t r = 0; r < rows; r++) {
        const float *from =
            r < 3 * turning ? set->turns + r * set->stride : set->moves + (r - 3 * turning) * set->stride;
        for (int64_t k = 0; k < set->samples; k++) {
            out->rows[k * out->stride + r] = from[k];
        }
    }
    return AMBLE_SUCCESS;
}

/* ---- One character ---- */

typedef struct scratch {
    float *origin; /* (sets, stride) */
    float *lanes;  /* (stride, WF_LANES): the change of four frames, row by row */
} scratch;

/* Four rows of a set at one time, from row `r` on. */
static wf rows_at(const table *t, const blend *b, int64_t r) {
    const float *from = t->rows + r;
    wf value = wf_madd2(wf_load(from + b->sample[1] * t->stride), wf_set(b->share[1]),
                        wf_load(from + b->sample[2] * t->stride), wf_set(b->share[2]));
    if (t->set->between == AMBLE_IDLE_SMOOTH) {
        value = wf_add(value, wf_madd2(wf_load(from + b->sample[0] * t->stride), wf_set(b->share[0]),
                                       wf_load(from + b->sample[3] * t->stride), wf_set(b->share[3])));
    }
    return value;
}

/* lanes += weight * (set at the blends - origin), for four frames. */
static void add_set(const table *t, const blend b[WF_LANES], const float weight[WF_LANES],
                    const float *origin, float *lanes) {
    const wf w = wf_load(weight);
    for (int64_t r = 0; r < t->stride; r += WF_LANES) {
        wf from = wf_load(origin + r);
        wf frame[WF_LANES];
        for (int k = 0; k < WF_LANES; k++) {
            frame[k] = wf_sub(rows_at(t, &b[k], r), from);
        }
        wf_transpose(&frame[0], &frame[1], &frame[2], &frame[3]);
        for (int k = 0; k < WF_LANES; k++) {
            float *out = lanes + (r + k) * WF_LANES;
            wf_store(out, wf_add(wf_load(out), wf_mul(w, frame[k])));
        }
    }
}

/* The half-angle cosine and the factor on the vector of turns by v: cos(a / 2) and sin(a / 2) / a, a = |v|.
 * Both are series in y = (a / 2)^2, cut where the next term is under 1e-9 at a half turn, y = 2.47. */
static void half_turn(wf y, wf *cosine, wf *factor) {
    static const float c[] = {1.0F / 479001600.0F, -1.0F / 3628800, 1.0F / 40320, -1.0F / 720,
                              1.0F / 24,           -0.5F,           1.0F};
    static const float s[] = {0.5F / 6227020800.0F, -0.5F / 39916800.0F, 0.5F / 362880, -0.5F / 5040,
                              0.5F / 120,           -0.5F / 6,           0.5F};
    wf a = wf_set(-1.0F / 87178291200.0F);
    wf b = wf_set(-0.5F / 1307674368000.0F);
    for (int k = 0; k < 7; k++) {
        a = wf_add(wf_mul(a, y), wf_set(c[k]));
        b = wf_add(wf_mul(b, y), wf_set(s[k]));
    }
    *cosine = a;
    *factor = b;
}

/* The same for lanes beyond a half turn, one at a time in double. */
static void far_turn(wf y, wf *cosine, wf *factor) {
    float in[WF_LANES];
    float c[WF_LANES];
    float f[WF_LANES];
    wf_store(in, y);
    wf_store(c, *cosine);
    wf_store(f, *factor);
    for (int k = 0; k < WF_LANES; k++) {
        double half = sqrt((double)in[k]);
        if (in[k] > 2.4F && half <= AMBLE_LARGEST_PHASE) {
            double sine;
            double cos;
            amble_sincos(half, &sine, &cos);
            c[k] = (float)cos;
            f[k] = (float)(0.5 * sine / half);
        }
    }
    *cosine = wf_load(c);
    *factor = wf_load(f);
}

static quatw turn_by(vecw v) {
    wf y = wf_mul(wf_set(0.25F), vecw_dot(v, v));
    wf cosine;
    wf factor;
    half_turn(y, &cosine, &factor);
    if (!wm_all(wf_le(y, wf_set(2.4F)))) {
        far_turn(y, &cosine, &factor);
    }
    return (quatw){cosine, wf_mul(v.x, factor), wf_mul(v.y, factor), wf_mul(v.z, factor)};
}

/* Three rows of the change of four frames. */
static vecw change_of(const float *lanes, int64_t row, wf factor) {
    const float *own = lanes + row * WF_LANES;
    return vecw_scale((vecw){wf_load(own), wf_load(own + WF_LANES), wf_load(own + (ptrdiff_t)2 * WF_LANES)},
                      factor);
}

typedef struct job {
    int64_t turning, moving, sets, frames, stride;
    const table *tables;
    const amble_idle_characters *all;
} job;

/* The changes of up to four frames; lanes that are not used repeat the last one. */
static void fill_lanes(const job *j, int64_t who, int64_t frame, int used, const scratch *s) {
    memset(s->lanes, 0, (size_t)(WF_LANES * j->stride) * sizeof *s->lanes);
    for (int64_t i = 0; i < j->sets; i++) {
        int64_t at = (who * j->sets + i) * j->frames + frame;
        blend b[WF_LANES];
        float weight[WF_LANES];
        int any = 0;
        for (int k = 0; k < WF_LANES; k++) {
            int64_t one = at + (k < used ? k : used - 1);
            weight[k] = j->all->weights[one];
            any |= weight[k] != 0.0F;
            b[k] = blend_at(&j->tables[i], j->all->times[one]);
        }
        if (any) {
            add_set(&j->tables[i], b, weight, s->origin + i * j->stride, s->lanes);
        }
    }
}

static void character(const job *j, int64_t who, const scratch *s, float *turns, float *moves) {
    const float *coefficient = j->all->coefficients + who * (j->turning + j->moving);
    for (int64_t i = 0; i < j->sets; i++) {
        blend b = blend_at(&j->tables[i], j->all->origins[who * j->sets + i]);
        for (int64_t r = 0; r < j->stride; r += WF_LANES) {
            wf_store(s->origin + i * j->stride + r, rows_at(&j->tables[i], &b, r));
        }
    }
    for (int64_t f = 0; f < j->frames; f += WF_LANES) {
        int used = wf_used(f, j->frames);
        fill_lanes(j, who, f, used, s);
        for (int64_t b = 0; b < j->turning; b++) {
            const float *h = j->all->held_turns + (who * j->turning + b) * 4;
            quatw held = {wf_set(h[0]), wf_set(h[1]), wf_set(h[2]), wf_set(h[3])};
            quatw turn = turn_by(change_of(s->lanes, 3 * b, wf_set(coefficient[b])));
            float *out = turns + (who * j->turning + b) * 4 * j->frames + f;
            quatw_store(out, j->frames, quatw_multiply(held, turn), used);
        }
        for (int64_t b = 0; b < j->moving; b++) {
            const float *h = j->all->held_moves + (who * j->moving + b) * 3;
            wf factor = wf_set(coefficient[j->turning + b]);
            vecw move = change_of(s->lanes, 3 * (j->turning + b), factor);
            float *out = moves + (who * j->moving + b) * 3 * j->frames + f;
            vecw_store(out, j->frames, vecw_add(vecw_set(h[0], h[1], h[2]), move), used);
        }
    }
}

static amble_error check_characters(const job *j) {
    const amble_idle_characters *all = j->all;
    int64_t cells = all->count * j->sets;
    AMBLE_TRY(amble_check_values_double("times", all->times, cells * j->frames, AMBLE_LARGEST));
    return amble_check_values_double("origins", all->origins, cells, AMBLE_LARGEST);
}

amble_error amble_idle(int64_t turning, int64_t moving, int64_t sets, const amble_idle_set *set,
                       const amble_idle_characters *characters, int64_t frames, float *turns, float *moves) {
    size_t rows = (size_t)(3 * (turning + moving) + WF_LANES);
    table *tables = calloc((size_t)sets + 1, sizeof *tables);
    scratch s = {malloc(((size_t)sets + 1) * rows * sizeof(float)), malloc(WF_LANES * rows * sizeof(float))};
    amble_error error = AMBLE_SUCCESS;
    if (!tables || !s.origin || !s.lanes) {
        error = amble_fail(AMBLE_NO_MEMORY, "turns: no memory for %lld bones", (long long)turning);
    }
    for (int64_t i = 0; error.code == AMBLE_OK && i < sets; i++) {
        error = check_set(&set[i], (long long)i);
        if (error.code == AMBLE_OK) {
            error = make_table(&set[i], turning, moving, &tables[i]);
        }
    }
    job j = {turning, moving, sets, frames, padded(3 * (turning + moving)), tables, characters};
    if (error.code == AMBLE_OK) {
        error = check_characters(&j);
    }
    for (int64_t who = 0; error.code == AMBLE_OK && who < characters->count; who++) {
        character(&j, who, &s, turns, moves);
    }
    for (int64_t i = 0; tables && i < sets; i++) {
        free(tables[i].rows);
    }
    free(tables);
    free(s.origin);
    free(s.lanes);
    return error;
}

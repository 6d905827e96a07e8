/* Plants and steps of feet. See blend_feet.h. */
#include "blend_feet.h"

#include "check.h"
#include "turn.h"

#include <string.h>

/* ---- Plants ---- */

static double step_of(const float *p, int64_t frames, int64_t f) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double way = (double)p[k * frames + f + 1] - p[k * frames + f];
        sum += way * way;
    }
    return sqrt(sum);
}

static double height_of(const float *p, int64_t frames, int64_t f, const double up[3]) {
    return p[f] * up[0] + p[frames + f] * up[1] + p[2 * frames + f] * up[2];
}

/* Sets runs of `value` that are shorter than `least` to the other value; runs at either end of the frames
 * may go on beyond them and stay. */
static void drop_runs(uint8_t *flags, int64_t frames, uint8_t value, int64_t least) {
    for (int64_t f = 0; f < frames;) {
        int64_t end = f;
        while (end < frames && flags[end] == flags[f]) {
            end++;
        }
        if (flags[f] == value && end - f < least && f > 0 && end < frames) {
            memset(flags + f, !value, (size_t)(end - f));
        }
        f = end;
    }
}

static void find_plants_of(const amble_planting *rule, int64_t frames, const float *p, const double up[3],
                           double level, uint8_t *planted) {
    for (int64_t f = 0; f < frames; f++) {
        bool slow = frames < 2 || (f > 0 && step_of(p, frames, f - 1) <= rule->speed) ||
                    (f + 1 < frames && step_of(p, frames, f) <= rule->speed);
        planted[f] = slow && height_of(p, frames, f, up) <= level + rule->height;
    }
    drop_runs(planted, frames, 0, rule->gap);
    drop_runs(planted, frames, 1, rule->shortest);
}

amble_error amble_find_plants(const amble_planting *rule, int64_t count, int64_t frames, const float *points,
                              const double up[3], const double *levels, uint8_t *planted) {
    AMBLE_TRY(amble_check_number("speed", rule->speed, 0.0, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_number("height", rule->height, 0.0, AMBLE_LARGEST));
    for (int64_t k = 0; k < count && frames > 0; k++) {
        find_plants_of(rule, frames, points + 3 * k * frames, up, levels[k], planted + k * frames);
    }
    return AMBLE_SUCCESS;
}

/* ---- The way of a foot ---- */

/* What must be added to a free foot: a way, and a turn from the left as a rotation vector. */
typedef struct change {
    double n[6];
} change;

/* A change and how it changes per frame. */
typedef struct change_run {
    change value, rate;
} change_run;

static const change_run NOTHING = {{{0.0, 0.0, 0.0, 0.0, 0.0, 0.0}}, {{0.0, 0.0, 0.0, 0.0, 0.0, 0.0}}};

/* Whether a change is no more than the rounding of the places that it was found from: a leg that is nearly
 * straight would answer it with a bend. */
static bool is_none(change c, vec place) {
    double largest = 4e-6 * (1.0 + vec_length(place));
    for (int k = 0; k < 6; k++) {
        if (fabs(c.n[k]) > (k < 3 ? largest : 1e-5)) {
            return false;
        }
    }
    return true;
}

static quat quat_of(const float *rows, int64_t frames, int64_t f) {
    return (quat){rows[3 * frames + f], rows[4 * frames + f], rows[5 * frames + f], rows[6 * frames + f]};
}

static change change_at(int64_t frames, const float *free, const float *held, int64_t f) {
    quat turn = quat_multiply(quat_of(held, frames, f), quat_conjugate(quat_of(free, frames, f)));
    vec r = turn_log(quat_normalise(turn));
    change c = {{0.0, 0.0, 0.0, r.x, r.y, r.z}};
    for (int k = 0; k < 3; k++) {
        c.n[k] = (double)held[k * frames + f] - free[k * frames + f];
    }
    vec place = {free[f], free[frames + f], free[2 * frames + f]};
    return is_none(c, place) ? NOTHING.value : c;
}

/* At the end of a hold, or at its begin: `inner` is the frame next to it within the hold, or itself. */
static change_run run_at(int64_t frames, const float *free, const float *held, int64_t f, int64_t inner) {
    change_run run = {change_at(frames, free, held, f), NOTHING.rate};
    if (inner != f) {
        change next = change_at(frames, free, held, inner);
        for (int k = 0; k < 6; k++) {
            run.rate.n[k] = (next.n[k] - run.value.n[k]) / (double)(inner - f);
        }
    }
    return run;
}

/* The quintic between two places and speeds without acceleration at either end. With u from 0 to 1 over
 * `length`: a value goes by 1 - h and h = u^3 (10 - 15 u + 6 u^2), a speed by u (1-u)^3 (1 + 3u), and that
 * mirrored. */
static double between(double a, double a_rate, double b, double b_rate, double u, double length) {
    double v = 1.0 - u;
    double h = u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
    double leave = u * v * v * v * (1.0 + 3.0 * u);
    double arrive = -v * u * u * u * (1.0 + 3.0 * v);
    return a * (1.0 - h) + b * h + length * (a_rate * leave + b_rate * arrive);
}

static void put(int64_t frames, const float *free, change c, int64_t f, float *out) {
    quat turn = turn_exp((vec){c.n[3], c.n[4], c.n[5]});
    quat q = quat_normalise(quat_multiply(turn, quat_of(free, frames, f)));
    for (int k = 0; k < 3; k++) {
        out[k * frames + f] = (float)(free[k * frames + f] + c.n[k]);
    }
    out[3 * frames + f] = (float)q.w;
    out[4 * frames + f] = (float)q.x;
    out[5 * frames + f] = (float)q.y;
    out[6 * frames + f] = (float)q.z;
}

static vec place_of(const float *rows, int64_t frames, int64_t f) {
    return (vec){rows[f], rows[frames + f], rows[2 * frames + f]};
}

/* How far a step from frame `a` to frame `b` must rise beyond what it does by itself: above the line from one
 * to the other where both are on the ground; where the first is in the air, half way above the second. */
static double missing_lift(int64_t frames, const float *way, int64_t a, int64_t b, vec up, double lift,
                           double highest, bool from_air) {
    vec from = place_of(way, frames, a);
    vec along = vec_sub(place_of(way, frames, b), from);
    vec flat = vec_sub(along, vec_scale(up, vec_dot(up, along)));
    double wanted = lift * vec_length(flat);
    wanted = wanted < highest ? wanted : highest;
    double risen = 0.0;
    int64_t half = (a + b) / 2;
    for (int64_t f = from_air ? half : a + 1; f < (from_air ? half + 1 : b); f++) {
        double line = vec_dot(up, along) * (from_air ? 1.0 : (double)(f - a) / (double)(b - a));
        double above = vec_dot(up, vec_sub(place_of(way, frames, f), from)) - line;
        risen = above > risen ? above : risen;
    }
    return wanted > risen ? wanted - risen : 0.0;
}

/* From frame a, where the foot is held or is free as it should be, to frame b likewise. */
static void fill_gap(int64_t frames, const float *free, int64_t a, int64_t b, change_run leave,
                     change_run arrive, float *out) {
    double length = (double)(b - a);
    for (int64_t f = a + 1; f < b && f < frames; f++) {
        double u = (double)(f - a) / length;
        change c = NOTHING.value;
        bool any = false;
        for (int k = 0; k < 6; k++) {
            c.n[k] =
                between(leave.value.n[k], leave.rate.n[k], arrive.value.n[k], arrive.rate.n[k], u, length);
            any = any || c.n[k] != 0.0;
        }
        if (any) {
            put(frames, free, c, f, out);
        }
    }
}

static void lift_gap(int64_t frames, int64_t a, int64_t b, vec up, double lift, double highest, bool from_air,
                     float *out) {
    double rise = missing_lift(frames, out, a, b, up, lift, highest, from_air);
    double way[3] = {up.x, up.y, up.z};
    for (int64_t f = a + 1; rise > 0.0 && f < b; f++) {
        double u = (double)(f - a) / (double)(b - a);
        double bump = 64.0 * u * u * u * (1.0 - u) * (1.0 - u) * (1.0 - u); /* 1 half way */
        for (int k = 0; k < 3; k++) {
            out[k * frames + f] = (float)(out[k * frames + f] + way[k] * rise * bump);
        }
    }
}

amble_error amble_foot_way(int64_t frames, const float *free, const float *held, const uint8_t *hold,
                           const double up_given[3], double lift, double highest, float *out) {
    AMBLE_TRY(amble_check_number("lift", lift, 0.0, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_number("highest", highest, 0.0, AMBLE_LARGEST));
    vec up = {up_given[0], up_given[1], up_given[2]};
    memcpy(out, free, (size_t)(7 * frames) * sizeof *out);
    int64_t last = -1; /* last frame of the hold before */
    change_run leave = NOTHING;
    for (int64_t f = 0; f < frames; f++) {
        if (!hold[f]) {
            continue;
        }
        change c = change_at(frames, free, held, f);
        bool same = true;
        for (int k = 0; k < 6; k++) {
            same = same && c.n[k] == 0.0;
        }
        if (!same) {
            put(frames, free, c, f, out);
        }
        if (f > 0 && !hold[f - 1]) {
            bool goes_on = f + 1 < frames && hold[f + 1];
            change_run arrive = run_at(frames, free, held, f, goes_on ? f + 1 : f);
            int64_t from = last < 0 ? 0 : last;
            fill_gap(frames, free, from, f, leave, arrive, out);
            lift_gap(frames, from, f, up, lift, highest, last < 0, out);
        }
        if (f + 1 < frames && !hold[f + 1]) {
            last = f;
            leave = run_at(frames, free, held, f, f > 0 && hold[f - 1] ? f - 1 : f);
        }
    }
    if (last >= 0 && !hold[frames - 1]) {
        fill_gap(frames, free, last, frames - 1, leave, NOTHING, out);
    }
    return AMBLE_SUCCESS;
}

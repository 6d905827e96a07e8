/* The kinds of gait as data: figures of people, and those that no source gives. */
#include "gait_private.h"

#include <string.h>

static const gait_tuning walk_tuned = {
    .stride_share = 0.935,
    .duty_share = 1.0,
    .flat = 1.132,
    .early_hold = 0.08499,
    .onset = 0.1,
    .strike = 1.073,
    .toe_bend = 22.35,
    .toe_ease = 36.85,
    .knee_strike = 10.16,
    .knee_least = 2.591,
    .knee_load = 6.427,
    .knee_swing = 2.0,
    .short_heel = 0.0,
    .strike_width = 0.02632,
    .strike_weight = 8.0,
    .strike_reach = 0.02,
    .end_weight = 0.2432,
    .reach = 0.996,
    .fast_reach = 0.93,
    .step_weight = 0.07656,
    .wave_cost = 0.0003448,
    .fore = 0.0,
    .lift_curve = 0.0,
    .land_curve = 0.0,
    .toe_over = 0.002,
    .toe_clear = 0.2,
    .toe_leave = 0.1,
    .toe_back = 0.35,
    .toe_up = 35.0,
    .raise = 2.583,
    .late_most = 1.154,
    .early_most = 0.9,
    .own_pitch = 0.0,
    .clearance = 0.01972,
    .landing = 0.3726,
    .pitch = {.terms = 7, .edge = 0.337, .stiffness = 0.0002},
    .swing = {.terms = 3, .edge = 0.35, .stiffness = 0.005},
};

static const gait_tuning run_tuned = {
    .stride_share = 0.936,
    .duty_share = 0.872,
    .flat = 0.7297,
    .early_hold = 0.1969,
    .onset = 0.06,
    .strike = 1.2,
    .toe_bend = 6.241,
    .toe_ease = 8.637,
    .knee_strike = 10.92,
    .knee_least = 0.4,
    .knee_load = 2.031,
    .knee_swing = 3.524,
    .short_heel = 126.0,
    .strike_width = 0.05984,
    .strike_weight = 4.788,
    .strike_reach = 0.02,
    .end_weight = 0.2469,
    .reach = 0.99,
    .fast_reach = 0.99,
    .step_weight = 1.536,
    .wave_cost = 40.0,
    .fore = 0.0,
    .lift_curve = 0.03022,
    .land_curve = 0.0,
    .toe_over = 0.01316,
    .toe_clear = 0.1296,
    .toe_leave = 0.03,
    .toe_back = 0.5432,
    .toe_up = 35.0,
    .raise = 2.583,
    .late_most = 1.25,
    .early_most = 1.0,
    .own_pitch = 0.1178,
    .clearance = 0.015,
    .landing = 0.3667,
    .pitch = {.terms = 7, .edge = 0.08821, .stiffness = 1.975e-05},
    .swing = {.terms = 7, .edge = 0.1706, .stiffness = 0.008422},
};

const double gait_run_from = 0.7071067811865476;

/* Formulas: addon/data/walk_adult.json and run_adult.json, "scalars". */
const gait_kind gait_kinds[GAIT_KINDS] = {
    [GAIT_WALK] =
        {
            .name = "walk",
            .curves = &human_walk,
            .tuned = &walk_tuned,
            .slowest = 0.05,
            .fastest = 1.0,
            .stride_factor = 2.52,
            .stride_power = 0.51,
            .longest = 2.6,
            .duty = {0.663, -0.142, 0.0, 0.0, 1.0},
            .least_duty = 0.52,
            .most_duty = 0.8,
            .more_duty = 0.1,
            .longest_flat = 0.2,
            .heel_off = {{0.2, 0.40}, {0.3, 0.38}, {0.42, 0.33}, {0.56, 0.27}, {0.7, 0.24}},
            .width = {0.14, -0.2, 0.332, 0.085, 0.145}, /* measured 0.14 at slow, 0.089 at fast walking */
            .hips = 0.55,
            .sway = {0.130, -0.149, 0.0, 0.02, 0.1},
            .fore = {0.044, -0.023, 0.0, 0.0, 0.044},
            .shoulder = {-3.0, 0.0, 0.0, -3.0, -3.0}, /* a little behind the vertical at rest speed */
            .swing = {-8.0, 98.0, 0.0, 4.0, 70.0},
            .straight = {32.0, -38.0, 0.0, 8.0, 30.0},
            .bent = {14.0, 80.0, 0.0, 24.0, 80.0},
            .thorax = 1.0,
        },
    [GAIT_RUN] =
        {
            .name = "run",
            .curves = &human_run,
            .tuned = &run_tuned,
            .slowest = 0.5,
            .fastest = 1.8,
            .stride_factor = 2.43,
            .stride_power = 0.79,
            .longest = 4.6,
            .duty = {0.499, -0.114, 0.0, 0.28, 0.45},
            .least_duty = 0.22,
            .most_duty = 0.48,
            .more_duty = 0.1,
            .longest_flat = 0.12,
            .heel_off = {{0.55, 0.145}, {0.85, 0.115}, {1.17, 0.085}, {1.7, 0.055}, {2, 0.055}},
            .width = {0.06, 0.0, 0.0, 0.06, 0.06}, /* about none, but that the legs pass each other */
            .hips = 0.3,
            .sway = {0.02, 0.0, 0.0, 0.02, 0.02},
            .fore = {0.03, 0.0, 0.0, 0.03, 0.03},
            .shoulder = {-26.0, 0.0, 0.0, -26.0, -26.0},
            .swing = {48.0, 0.0, 0.0, 48.0, 48.0},
            .straight = {84.0, 0.0, 0.0, 84.0, 84.0},
            .bent = {115.0, 0.0, 0.0, 115.0, 115.0},
            .thorax = 2.0,
            .lean = {3.5, 0.0, 0.0, 3.5, 3.5},
            .flies = true,
            .skew = 0.15,
            .peak = 0.04,
        },
};

/* Names and places of the figures, those of the run with its name before them. */
#define FIGURE(place) {{#place, "run." #place}, offsetof(gait_tuning, place), false}
amble_gait_figure amble_gait_tuning(int64_t index) {
    static const struct {
        const char *name[GAIT_KINDS];
        size_t place;
        bool whole;
    } figures[] = {
        FIGURE(stride_share),
        FIGURE(duty_share),
        FIGURE(flat),
        FIGURE(early_hold),
        FIGURE(onset),
        FIGURE(strike),
        FIGURE(toe_bend),
        FIGURE(toe_ease),
        FIGURE(knee_strike),
        FIGURE(knee_least),
        FIGURE(knee_load),
        FIGURE(knee_swing),
        FIGURE(short_heel),
        FIGURE(strike_width),
        FIGURE(strike_weight),
        FIGURE(strike_reach),
        FIGURE(end_weight),
        FIGURE(reach),
        FIGURE(fast_reach),
        FIGURE(step_weight),
        FIGURE(wave_cost),
        FIGURE(fore),
        FIGURE(lift_curve),
        FIGURE(land_curve),
        FIGURE(toe_over),
        FIGURE(toe_clear),
        FIGURE(toe_leave),
        FIGURE(toe_back),
        FIGURE(toe_up),
        FIGURE(raise),
        FIGURE(late_most),
        FIGURE(early_most),
        FIGURE(own_pitch),
        FIGURE(clearance),
        FIGURE(landing),
        {{"pitch_terms", "run.pitch_terms"}, offsetof(gait_tuning, pitch.terms), true},
        {{"pitch_edge", "run.pitch_edge"}, offsetof(gait_tuning, pitch.edge), false},
        {{"pitch_stiffness", "run.pitch_stiffness"}, offsetof(gait_tuning, pitch.stiffness), false},
        {{"swing_terms", "run.swing_terms"}, offsetof(gait_tuning, swing.terms), true},
        {{"swing_edge", "run.swing_edge"}, offsetof(gait_tuning, swing.edge), false},
        {{"swing_stiffness", "run.swing_stiffness"}, offsetof(gait_tuning, swing.stiffness), false},
    };
    enum { COUNT = sizeof figures / sizeof *figures };
    _Static_assert(sizeof(gait_tuning) == COUNT * sizeof(double), "a name for every figure");
    if (index < 0 || index >= (int64_t)GAIT_KINDS * COUNT) {
        return (amble_gait_figure){NULL, 0.0};
    }
    int64_t kind = index / COUNT;
    int64_t which = index % COUNT;
    const char *from = (const char *)gait_kinds[kind].tuned + figures[which].place;
    double value = 0.0;
    if (figures[which].whole) {
        int whole = 0;
        memcpy(&whole, from, sizeof whole);
        value = whole;
    } else {
        memcpy(&value, from, sizeof value);
    }
    return (amble_gait_figure){figures[which].name[kind], value};
}

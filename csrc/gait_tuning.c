/* The figures of the gait that no source gives. */
#include "gait_private.h"

const gait_tuning gait_tuned = {
    .stride_share = 0.935,
    .flat = 0.1182,
    .onset = 0.1,
    .strike = 0.8448,
    .toe_bend = 20.36,
    .toe_ease = 31.99,
    .knee_strike = 12.48,
    .knee_least = 5.116,
    .knee_swing = 9.231,
    .strike_width = 0.04683,
    .strike_weight = 7.444,
    .strike_reach = 0.06395,
    .end_weight = 0.09051,
    .reach = 0.9964,
    .fore = 0.0,
    .lift_curve = 0.3,
    .toe_up = 35.0,
    .raise = 2.0,
    .late_most = 1.119,
    .early_most = 1.1,
    .clearance = 0.01654,
    .landing = 0.3423,
    .pitch = {.terms = 8, .edge = 0.05, .stiffness = 0.000372},
    .swing = {.terms = 3, .edge = 0.35, .stiffness = 0.005},
};

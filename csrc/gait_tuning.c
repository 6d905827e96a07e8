/* The figures of the gait that no source gives. */
#include "gait_private.h"

const gait_tuning gait_tuned = {
    .stride_share = 0.938,
    .flat = 0.15,
    .onset = 0.18,
    .strike = 0.95,
    .toe_bend = 15.0,
    .toe_ease = 25.0,
    .knee_strike = 13.5,
    .knee_least = 5.5,
    .knee_swing = 4.0,
    .strike_width = 0.035,
    .strike_weight = 4.0,
    .strike_reach = 0.05,
    .end_weight = 0.2,
    .reach = 0.9965,
    .fore = 0.4,
    .lift_curve = 0.95,
    .toe_up = 25.0,
    .raise = 5.0,
    .clearance = 0.014,
    .landing = 0.3,
    .pitch = {.terms = 6, .edge = 0.2, .stiffness = 1.8e-3},
    .swing = {.terms = 3, .edge = 0.2, .stiffness = 8e-4},
};

/* Walking on legs of one bone, without knee or ankle.
 *
 * A leg keeps its length and, with a sole as stiff as itself, can only roll over the sole's ends. So the hips
 * have to do what knees do elsewhere: the pelvis turns from one stance hip to the next, which brings the
 * other hip forward over a leg that stays upright (a share of the step, as much as the hips' width allows);
 * over the rest the leg tips over heel and tip, and the hip rides the arc (an inverted pendulum); and the
 * hips tilt, which clears the leg that swings.
 *
 * Everything follows from where the two feet are. A foot's place along the way, seen from the body and in
 * strides u after it came down, is
 *
 *     r(u) = S (1/4 - u + g(u)),    g = 0 in stance (u < 1/2), else smooth_step(2 u - 1),
 *
 * for strides of length S: fixed to the ground in stance. The hip goes along by `share` of that, and is ahead
 * of its foot by x = -(1 - share) r(u). Both hips' heights follow from the x of their legs, the pelvis's
 * place and turn from the hips; its place sideways keeps the standing hip over its foot, but for a little
 * that a sole longer in front than behind asks for. No leg turns about its own length. Both feet stand in the
 * one moment between two steps, and the pose goes on smoothly there.
 */
#include "check.h"
#include "gait_private.h"

enum { STEPS = 64 }; /* moments of a stride that are looked at */

/* Sine of the pelvis's turn either way that makes as much of the step as it can, at a factor of 1 ... */
static const double usual_turn = 0.31;
/* ... and the most that it may be. */
static const double most_turn = 0.5;
/* The foot's height in swing: a share of the leg, but no more than this sine of the pelvis's list. */
static const double usual_lift = 0.08, most_list = 0.1;
/* Part of the way from upright to the furthest tipped, over which a foot goes from its heel to its tip. */
static const double level_share = 0.1;
/* Furthest that a hip may be ahead of its foot, and most by which the legs may differ, of the leg. */
static const double most_tipped = 0.6, most_unlike = 0.01;

static double share_of_stride(const gait_plan *plan, int side, double phase) {
    double u = phase - plan->leg[side].phase;
    return u - floor(u);
}

/* The foot's place r(u). */
static double foot_along(const gait_plan *plan, double u) {
    double swing = u < 0.5 ? 0.0 : smooth_step(2.0 * u - 1.0);
    return plan->summary.stride * (0.25 - u + swing);
}

/* Height of the foot in swing, of the most: it leaves the ground and comes down without speed, and at once.
 */
static double lifted(double u) {
    double s = 2.0 * u - 1.0;
    return s > 0.0 ? 16.0 * s * s * (1.0 - s) * (1.0 - s) : 0.0;
}

/* Beside |x| outside +-ease, and goes over 0 with slope and curvature. */
static double rounded(double x, double ease) {
    double a = fabs(x);
    if (a >= ease) {
        return a;
    }
    double s = x / ease;
    return ease * (0.375 + s * s * (0.75 - 0.125 * s * s));
}

/* Where a leg is: its hip's height over the ground, and its turn from rest. */
typedef struct leg_pose {
    double height;
    quat turned;
} leg_pose;

/* For a hip that is x ahead of its foot and y to the left of where it is at rest.
 *
 * Tipped over a pivot that is p forward of the hip at rest (x < 0: the heel; x > 0: the tip), the leg's pivot
 * stays sqrt(p^2 + length^2) away and is p - x forward, so the height is h = sqrt(length^2 - x^2 + 2 p x).
 * Then it leans sideways over the same pivot, in the same way. Where one pivot takes over from the other the
 * height has a corner, from -2 |heel| x to 2 tip x: it is rounded off upward, and the foot, level there, is
 * lifted by that little. */
static leg_pose tipped(const gait_plan *plan, const stilt *leg, double x, double y) {
    double fore = leg->fore[x < 0.0 ? 0 : 1];
    double outward = leg->outward[x < 0.0 ? 0 : 1];
    double square = leg->length * leg->length - x * x;
    double height = sqrt(square + 2.0 * fore * x);
    double leaning = sqrt(height * height - y * y - 2.0 * outward * y);
    vec rest[2] = {{-fore, 0.0, leg->length}, {0.0, outward, height}};
    vec now[2] = {{x - fore, 0.0, height}, {0.0, outward + y, leaning}};
    quat pitch = quat_between(vec_normalise(rest[0]), vec_normalise(now[0]));
    quat roll = quat_between(vec_normalise(rest[1]), vec_normalise(now[1]));
    double even = (leg->fore[1] + leg->fore[0]) * x + (leg->fore[1] - leg->fore[0]) * rounded(x, plan->level);
    return (leg_pose){leaning + sqrt(square + even) - height, quat_multiply(roll, pitch)};
}

typedef struct stride_pose {
    double along[2], height[2]; /* of the hips, against the middle of their rest places, and the ground */
    quat leg[2];
} stride_pose;

/* How far a hip is to the left of its foot, against rest. As a foot comes down the hips come apart, or
 * together, at a rate: half of it is this leg's, at its own steps' beginning and end. */
static double leaning(const gait_plan *plan, int side, double u) {
    double sine;
    double cosine;
    amble_sincos(4.0 * AMBLE_PI * u, &sine, &cosine);
    return (side ? -0.5 : 0.5) * plan->apart * sine / (4.0 * AMBLE_PI);
}

static stride_pose hips_at(const gait_plan *plan, double phase) {
    stride_pose p;
    for (int i = 0; i < 2; i++) {
        double u = share_of_stride(plan, i, phase);
        double foot = foot_along(plan, u);
        p.along[i] = plan->share * foot;
        leg_pose leg = tipped(plan, &plan->stilt[i], (plan->share - 1.0) * foot, leaning(plan, i, u));
        p.height[i] = leg.height + plan->lift * lifted(u);
        p.leg[i] = leg.turned;
    }
    return p;
}

/* How far the left hip is to the left of the right one; negative if the hips are not wide enough. */
static double apart(const gait_plan *plan, const stride_pose *p) {
    vec rest = vec_sub(plan->leg[0].hip, plan->leg[1].hip);
    double along = p->along[0] - p->along[1];
    double rise = p->height[0] - p->height[1];
    double square = vec_dot(rest, rest) - along * along - rise * rise;
    return square > 0.0 ? sqrt(square) : -1.0;
}

void stilts_at(const gait_plan *plan, double phase, goals *g) {
    stride_pose p = hips_at(plan, phase);
    double width = apart(plan, &p);
    vec rest = vec_sub(plan->leg[0].hip, plan->leg[1].hip);
    vec now = {p.along[0] - p.along[1], width, p.height[0] - p.height[1]};
    g->hips = quat_between(vec_normalise(rest), vec_normalise(now));
    /* The standing hip keeps its distance from the middle; the other one comes and goes. */
    bool left = share_of_stride(plan, 0, phase) < 0.5;
    double aside = 0.5 * (left ? plan->summary.step_width - width : width - plan->summary.step_width);
    aside += leaning(plan, left ? 0 : 1, share_of_stride(plan, left ? 0 : 1, phase));
    vec middle = {plan->middle + 0.5 * (p.along[0] + p.along[1]), aside, 0.5 * (p.height[0] + p.height[1])};
    vec own = vec_scale(vec_add(plan->leg[0].hip, plan->leg[1].hip), 0.5);
    g->pelvis = vec_sub(middle, quat_rotate(g->hips, own));
    g->thigh[0] = p.leg[0];
    g->thigh[1] = p.leg[1];
}

/* ---- The plan ---- */

static amble_error measure(walker *w) {
    const amble_gait_body *body = w->body;
    gait_plan *plan = &w->plan;
    vec pelvis =
        frame_direction(&w->frame, vec_sub(rest_head(body->skeleton, body->pelvis), w->frame.origin));
    plan->stilted = true;
    plan->rest_fore = pelvis.x;
    for (int i = 0; i < 2; i++) {
        const amble_gait_leg *from = &body->leg[i];
        stilt *leg = &plan->stilt[i];
        vec hip =
            frame_direction(&w->frame, vec_sub(rest_head(body->skeleton, from->thigh), w->frame.origin));
        plan->leg[i].hip = vec_sub(hip, pelvis);
        plan->leg[i].phase = from->phase;
        leg->length = hip.z;
        vec heel = vec_sub(frame_point(&w->frame, from->heel), hip);
        vec tip = vec_sub(frame_point(&w->frame, from->tip), hip);
        leg->fore[0] = heel.x;
        leg->fore[1] = tip.x;
        leg->outward[0] = -heel.y;
        leg->outward[1] = -tip.y;
        plan->middle += 0.5 * hip.x;
        plan->summary.leg_length += 0.5 * hip.z;
        if (!(leg->length > 0.0)) {
            return amble_fail(AMBLE_BAD_VALUE, "legs[%d]: its hip joint lies %g over the ground", i,
                              leg->length);
        }
        if (!(leg->fore[0] <= 0.0 && leg->fore[1] >= 0.0)) {
            return amble_fail(AMBLE_BAD_VALUE,
                              "legs[%d]: its hip joint does not lie over its sole, on which it stands", i);
        }
    }
    const stilt *leg = plan->stilt;
    double unlike = fmax(fabs(leg[0].length - leg[1].length),
                         fmax(fabs(leg[0].fore[0] - leg[1].fore[0]), fabs(leg[0].fore[1] - leg[1].fore[1])));
    if (unlike > most_unlike * plan->summary.leg_length) {
        return amble_fail(AMBLE_BAD_VALUE, "legs: without shins they must be alike, and differ by %g",
                          unlike);
    }
    if (!(plan->leg[0].hip.y > plan->leg[1].hip.y)) {
        return amble_fail(AMBLE_BAD_VALUE, "legs: the left thigh does not lie to the left of the right one");
    }
    if (fabs(fabs(plan->leg[0].phase - plan->leg[1].phase) - 0.5) > 1e-9) {
        return amble_fail(AMBLE_BAD_VALUE, "leg_phase: legs without shins come down half a stride apart");
    }
    return AMBLE_SUCCESS;
}

/* What such legs leave no choice of. */
static amble_error check_choices(const double *value) {
    if (value[AMBLE_GAIT_KIND] == GAIT_RUN) {
        return amble_fail(AMBLE_BAD_VALUE, "gait is 1: legs without shins walk (0)");
    }
    double duty = value[AMBLE_GAIT_DUTY];
    if (!(duty == 0.0 || duty == 0.5)) {
        return amble_fail(AMBLE_BAD_VALUE, "duty is %g: legs without shins take turns, each stands for 0.5",
                          duty);
    }
    if (value[AMBLE_GAIT_STEP_WIDTH] >= 0.0) {
        return amble_fail(AMBLE_BAD_VALUE, "step_width is %g: legs without shins stand under their hips",
                          value[AMBLE_GAIT_STEP_WIDTH]);
    }
    return AMBLE_SUCCESS;
}

/* How much of the step the pelvis's turn makes, and what that leaves to the legs. */
static amble_error plan_step(gait_plan *plan, double factor) {
    amble_gait_summary *sum = &plan->summary;
    vec rest = vec_sub(plan->leg[0].hip, plan->leg[1].hip);
    double hips = sqrt(vec_dot(rest, rest));
    double sine = fmin(usual_turn * factor, most_turn);
    plan->share = fmin(2.0 * sine * hips / sum->stride, 1.0);
    double furthest = 0.25 * (1.0 - plan->share) * sum->stride;
    plan->level = level_share * furthest;
    plan->lift = fmin(usual_lift * sum->leg_length, most_list * hips);
    if (furthest > most_tipped * fmin(plan->stilt[0].length, plan->stilt[1].length)) {
        return amble_fail(
            AMBLE_BAD_VALUE,
            "cycle is %g, a stride of %.2f leg lengths at this speed: legs without shins cannot "
            "make that",
            sum->cycle, sum->stride / sum->leg_length);
    }
    const double step = 1e-4; /* strides */
    double strike = plan->leg[0].phase;
    stride_pose p[3] = {hips_at(plan, strike - step), hips_at(plan, strike), hips_at(plan, strike + step)};
    sum->step_width = apart(plan, &p[1]);
    plan->apart = (apart(plan, &p[2]) - apart(plan, &p[0])) / (2.0 * step);
    sum->pelvis_height = 0.0;
    for (int i = 0; i < STEPS; i++) {
        goals g;
        stride_pose at = hips_at(plan, (double)i / STEPS);
        if (apart(plan, &at) < 0.0) {
            return amble_fail(AMBLE_BAD_VALUE, "legs: the hips are %g apart, too near for such steps", hips);
        }
        stilts_at(plan, (double)i / STEPS, &g);
        sum->pelvis_height += g.pelvis.z / STEPS;
    }
    return AMBLE_SUCCESS;
}

/* When heel and tip are fixed to the ground: on legs that stay upright all the time, else one after the
 * other, but for the moment in which one takes over. */
static void plan_contacts(gait_plan *plan) {
    amble_gait_summary *sum = &plan->summary;
    double tips = (1.0 - plan->share) * sum->stride;
    sum->flat = tips > 0.0 ? 0.25 + plan->level / tips : 0.0;
    sum->heel_off = sum->heel_lift = tips > 0.0 ? 0.25 - plan->level / tips : sum->duty;
    sum->ball_off = sum->duty;
}

amble_error stilts_make_plan(walker *w, const double *value) {
    gait_plan *plan = &w->plan;
    AMBLE_TRY(measure(w));
    AMBLE_TRY(check_choices(value));
    double walk[AMBLE_GAIT_SETTINGS];
    for (int i = 0; i < AMBLE_GAIT_SETTINGS; i++) {
        walk[i] = value[i];
    }
    if (value[AMBLE_GAIT_KIND] == GAIT_KINDS) {
        walk[AMBLE_GAIT_KIND] = GAIT_WALK;
    }
    walk[AMBLE_GAIT_DUTY] = 0.0;
    AMBLE_TRY(gait_plan_times(plan, walk));
    plan->summary.duty = 0.5;
    gait_plan_body(plan, walk);
    AMBLE_TRY(plan_step(plan, walk[AMBLE_GAIT_PELVIS_TURN]));
    plan_contacts(plan);
    return AMBLE_SUCCESS;
}

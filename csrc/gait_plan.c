/* The plan of a stride: from rest geometry and speed to closed curves of the phase. */
#include "check.h"
#include "gait_private.h"

#include <string.h>

/* ---- Rest geometry ---- */

static vec head_of(const amble_gait_body *body, const body_frame *frame, int32_t bone) {
    return frame_direction(frame, vec_sub(rest_head(body->skeleton, bone), frame->origin));
}

amble_error gait_measure(const amble_gait_body *body, const body_frame *frame, gait_plan *plan) {
    vec pelvis = head_of(body, frame, body->pelvis);
    double length = 0.0;
    plan->rest_fore = pelvis.x;
    plan->summary.step_width = 0.0;
    for (int i = 0; i < 2; i++) {
        const amble_gait_leg *from = &body->leg[i];
        leg_plan *leg = &plan->leg[i];
        vec hip = head_of(body, frame, from->thigh);
        vec knee = head_of(body, frame, from->shin);
        vec ankle = head_of(body, frame, from->foot);
        leg->hip = vec_sub(hip, pelvis);
        leg->thigh = vec_length(vec_sub(knee, hip));
        leg->shin = vec_length(vec_sub(ankle, knee));
        leg->height = ankle.z;
        leg->heel = vec_sub(frame_point(frame, from->heel), ankle);
        leg->ball = vec_sub(frame_point(frame, from->ball), ankle);
        leg->tip = vec_sub(frame_point(frame, from->tip), ankle);
        leg->toe = from->toe >= 0;
        leg->phase = from->phase;
        double chain = leg->thigh + leg->shin;
        if (!(leg->thigh > 0.05 * chain && leg->shin > 0.05 * chain)) {
            return amble_fail(AMBLE_BAD_VALUE, "legs[%d] has a thigh or shin of (nearly) no length", i);
        }
        if (!(leg->height > 0.0 && leg->height < chain)) {
            return amble_fail(
                AMBLE_BAD_VALUE,
                "legs[%d]: its ankle lies %g over the ground, it must lie over it by less than the leg's "
                "length %g",
                i, leg->height, chain);
        }
        vec along = {leg->ball.x, leg->ball.y, 0.0};
        if (!(vec_length(along) > 0.02 * chain && along.x > 0.3 * vec_length(along))) {
            return amble_fail(AMBLE_BAD_VALUE, "legs[%d]: its foot must point forward from the ankle", i);
        }
        along = vec_normalise(along);
        leg->axis = (vec){-along.y, along.x, 0.0};
        length += 0.5 * (chain + leg->height);
        plan->summary.step_width += fabs(leg->hip.y);
    }
    if (!(plan->leg[0].hip.y > plan->leg[1].hip.y)) {
        return amble_fail(AMBLE_BAD_VALUE, "legs: the left thigh does not lie to the left of the right one");
    }
    plan->summary.leg_length = length;
    return AMBLE_SUCCESS;
}

/* ---- The plan ---- */

/* People's feet, of leg length: ball and heel forward and back of the ankle. The curves of pitch are theirs.
 */
static const double people_ball = 0.156, people_heel = 0.070;
/* A foot longer than theirs pitches less: by this much more than in proportion, for its ankle rises with it.
 */
static const double long_foot = 1.1;
/* Least scales of the pitch after heel-off and before flat: below them no roll would be left to see. */
static const double late_least = 0.68, early_least = 0.6;
/* Sine and cosine of the leg's angle to the vertical at heel strike. */
static const double strike_sine = 0.4, strike_cosine = 0.92;

static double between(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

double formula_at(const formula *f, double vn) {
    return between(f->constant + f->per_vn * (vn - f->from), f->low, f->high);
}

/* Heel-off as a share of the stride: earlier the faster, read off the measured pitch. */
static double heel_off_at(const gait_kind *kind, double vn) {
    const double (*at)[2] = kind->heel_off;
    for (int i = 1; i < HEEL_OFF_SPEEDS; i++) {
        if (vn < at[i][0]) {
            double share = between((vn - at[i - 1][0]) / (at[i][0] - at[i - 1][0]), 0.0, 1.0);
            return at[i - 1][1] + share * (at[i][1] - at[i - 1][1]);
        }
    }
    return at[HEEL_OFF_SPEEDS - 1][1];
}

double heel_lever(const leg_plan *leg) {
    return (strike_sine * leg->height - strike_cosine * leg->heel.x) / (leg->thigh + leg->shin + leg->height);
}

/* When the sole lies flat. At heel strike the hip comes nearer to the planted heel, by the sine of the leg's
 * direction times the speed; a foot that falls makes up for it by its rate times the heel's lever
 * along the leg. The shorter the lever, the faster the foot must fall for the knee not to give way at once.
 */
static double flat_at(const gait_plan *plan) {
    double lever = 0.5 * heel_lever(&plan->leg[0]) + 0.5 * heel_lever(&plan->leg[1]);
    return between(plan->kind->tuned->flat * lever, 0.05, plan->kind->longest_flat);
}

static series scaled(series s, double factor) {
    for (int n = 0; n <= HUMAN_HARMONICS; n++) {
        s.cosine[n] *= factor;
        s.sine[n] *= factor;
    }
    return s;
}

/* A curve of 0 .. 1 laid over low .. high. */
static series ranged(series s, double low, double high) {
    s = scaled(s, high - low);
    s.cosine[0] += low;
    return s;
}

void gait_plan_body(gait_plan *plan, const double *value) {
    const gait_kind *kind = plan->kind;
    const human_curves *from = kind->curves;
    double vn = plan->summary.vn;
    double leg = plan->summary.leg_length;
    double slow = between(vn / from->speed[0], 0.0, 1.0); /* below the slowest curves, all fades with speed */
    double turns = value[AMBLE_GAIT_PELVIS_TURN] * slow;
    double arms = value[AMBLE_GAIT_ARM_SWING];
    plan->list = scaled(human_at(from, HUMAN_PELVIS_LIST, vn), DEGREES * turns);
    plan->turn = scaled(human_at(from, HUMAN_PELVIS_TURN, vn), DEGREES * turns);
    plan->thorax = scaled(human_at(from, HUMAN_THORAX_TURN, vn), DEGREES * turns * kind->thorax);
    plan->side = scaled(human_at(from, HUMAN_PELVIS_SIDE, vn),
                        leg * value[AMBLE_GAIT_PELVIS_SWAY] * formula_at(&kind->sway, vn));
    plan->fore =
        scaled(human_at(from, HUMAN_PELVIS_FORE, vn), leg * kind->tuned->fore * formula_at(&kind->fore, vn));
    double middle = formula_at(&kind->shoulder, vn);
    double swing = arms * formula_at(&kind->swing, vn);
    plan->shoulder = scaled(
        ranged(human_at(from, HUMAN_SHOULDER, vn), middle - 0.5 * swing, middle + 0.5 * swing), DEGREES);
    double straight = formula_at(&kind->straight, vn);
    double bent = formula_at(&kind->bent, vn);
    plan->elbow = scaled(
        ranged(human_at(from, HUMAN_ELBOW, vn), straight, straight + arms * (bent - straight)), DEGREES);
    plan->lean = value[AMBLE_GAIT_LEAN] + DEGREES * formula_at(&kind->lean, vn);
    plan->crouch = value[AMBLE_GAIT_CROUCH];
    plan->bounce = value[AMBLE_GAIT_BOUNCE];
    plan->hunch = value[AMBLE_GAIT_HUNCH];
    plan->nod = value[AMBLE_GAIT_NOD];
    plan->arm_raise = value[AMBLE_GAIT_ARM_RAISE];
    plan->elbow_bend = value[AMBLE_GAIT_ELBOW_BEND];
    plan->shoulder.cosine[0] += plan->arm_raise;
    plan->elbow.cosine[0] += plan->elbow_bend;
}

/* x to the power 0 <= exponent < 1, from square roots alone, which round alike everywhere: the exponent's
 * binary digits tell which of x^(1/2), x^(1/4), ... are factors. */
static double power(double x, double exponent) {
    double result = 1.0;
    for (int digit = 0; digit < 50; digit++) {
        x = sqrt(x);
        exponent *= 2.0;
        if (exponent >= 1.0) {
            exponent -= 1.0;
            result *= x;
        }
    }
    return result;
}

double natural_stride(const gait_kind *kind, double vn, double leg_length) {
    return kind->tuned->stride_share * kind->stride_factor * power(vn, kind->stride_power) * leg_length;
}

/* How far heel (0) or ball (1) of a foot on the ground are over their places on it. */
static double over_ground(const gait_plan *plan, const leg_plan *leg, int ball, double u) {
    double pitch = late_pitch(plan, leg, u);
    vec part = ball ? leg->ball : leg->heel;
    return rolled(leg, pitch).z + pitched(leg, pitch, part).z - part.z;
}

/* The first of so many samples from heel-off to toe-off at which heel or ball are over the ground by more
 * than `seen`; the number of samples where there is none. Both rise for far longer than from one coarse
 * sample to the next, so that only what lies before the first of those is looked at closely. */
static int first_over(const gait_plan *plan, const leg_plan *leg, int ball, double seen, int samples) {
    enum { COARSE = 20 };
    double start = plan->summary.heel_off;
    double step = (plan->summary.duty - start) / samples;
    int from = COARSE;
    while (from < samples && !(over_ground(plan, leg, ball, start + step * from) > seen)) {
        from += COARSE;
    }
    for (int i = from - COARSE + 1; i < samples; i++) {
        if (over_ground(plan, leg, ball, start + step * i) > seen) {
            return i;
        }
    }
    return samples;
}

/* When heel and ball leave the ground by more than can be seen, as shares of the stride: the earlier of both
 * legs. */
static void plan_contacts(gait_plan *plan) {
    enum { STEPS = 400 };
    amble_gait_summary *sum = &plan->summary;
    double seen = 5e-4 * sum->leg_length;
    int heel = STEPS;
    int ball = STEPS;
    for (int l = 0; l < 2; l++) {
        const leg_plan *leg = &plan->leg[l];
        int first = first_over(plan, leg, 0, seen, STEPS);
        heel = first < heel ? first : heel;
        first = leg->toe ? first_over(plan, leg, 1, 0.1 * seen, STEPS) : STEPS;
        ball = first < ball ? first : ball;
    }
    sum->heel_lift = sum->heel_off + (sum->duty - sum->heel_off) * heel / STEPS;
    sum->ball_off = sum->heel_off + (sum->duty - sum->heel_off) * ball / STEPS;
}

/* Slower than anybody was measured, legs swing less in proportion to the stride: with the slowest curves'
 * swing a foot would go back and forth over its short step. */
static void shorten(gait_plan *plan) {
    const double slowest = 0.18;
    if (plan->kind == &gait_kinds[GAIT_WALK] && plan->summary.vn < slowest) {
        double share = power(plan->summary.vn / slowest, 0.51);
        double mean = plan->thigh_pitch.cosine[0];
        plan->thigh_pitch = scaled(plan->thigh_pitch, share);
        plan->thigh_pitch.cosine[0] = mean;
        plan->knee_flexion = scaled(plan->knee_flexion, share);
        plan->foot_pitch = scaled(plan->foot_pitch, share);
    }
}

amble_error gait_plan_times(gait_plan *plan, const double *value) {
    amble_gait_summary *sum = &plan->summary;
    double leg_length = sum->leg_length;
    double speed = value[AMBLE_GAIT_SPEED];
    double vn = speed / sqrt(value[AMBLE_GAIT_GRAVITY] * leg_length);
    double asked = value[AMBLE_GAIT_KIND];
    if (!(asked == GAIT_WALK || asked == GAIT_RUN || asked == GAIT_KINDS)) {
        return amble_fail(AMBLE_BAD_VALUE, "gait is %g: there are 0 (walk), 1 (run) and 2 (either, by speed)",
                          asked);
    }
    bool runs = asked == GAIT_RUN || (asked == GAIT_KINDS && vn > gait_run_from);
    const gait_kind *kind = plan->kind = &gait_kinds[runs ? GAIT_RUN : GAIT_WALK];
    if (!(vn >= kind->slowest && vn <= kind->fastest)) {
        return amble_fail(AMBLE_BAD_VALUE,
                          "speed is %g, which is %.2f of sqrt(gravity * leg length %g): a %s has %g to %g",
                          speed, vn, leg_length, kind->name, kind->slowest, kind->fastest);
    }
    sum->vn = vn;
    sum->gait = (double)(kind - gait_kinds);
    double stride = value[AMBLE_GAIT_STEP_LENGTH] * natural_stride(kind, vn, leg_length);
    sum->cycle = value[AMBLE_GAIT_CYCLE] > 0.0 ? value[AMBLE_GAIT_CYCLE] : stride / speed;
    sum->stride = sum->cycle * speed;
    if (!(sum->stride >= 0.02 * leg_length && sum->stride <= kind->longest * leg_length)) {
        return amble_fail(AMBLE_BAD_VALUE,
                          "cycle is %g, a stride of %.2f leg lengths at this speed: legs can make 0.02 to %g",
                          sum->cycle, sum->stride / leg_length, kind->longest);
    }
    double people_duty = kind->tuned->duty_share * formula_at(&kind->duty, vn);
    sum->duty = value[AMBLE_GAIT_DUTY] > 0.0 ? value[AMBLE_GAIT_DUTY] : people_duty;
    double most_duty = people_duty + kind->more_duty;
    most_duty = most_duty < kind->most_duty ? most_duty : kind->most_duty;
    if (!(sum->duty >= kind->least_duty && sum->duty <= most_duty)) {
        return amble_fail(AMBLE_BAD_VALUE,
                          "duty is %g: a %s of this speed has %.2f to %.2f, beyond which the legs would "
                          "have to swing too fast",
                          sum->duty, kind->name, kind->least_duty, most_duty);
    }
    return AMBLE_SUCCESS;
}

amble_error gait_make_plan(gait_plan *plan, const double *value) {
    AMBLE_TRY(gait_plan_times(plan, value));
    const gait_kind *kind = plan->kind;
    const gait_tuning *tuned = kind->tuned;
    amble_gait_summary *sum = &plan->summary;
    double vn = sum->vn;
    double leg_length = sum->leg_length;
    double people_duty = kind->tuned->duty_share * formula_at(&kind->duty, vn);
    plan->leg[0].tuned = plan->leg[1].tuned = tuned;
    sum->flat = flat_at(plan);
    sum->heel_off = heel_off_at(kind, vn);
    sum->heel_off = sum->heel_off > sum->flat ? sum->heel_off : sum->flat;
    double s;
    double c;
    amble_sincos(2.0 * AMBLE_PI * sum->duty, &s, &c);
    plan->later = (sum->duty - people_duty) / (0.5 * (1.0 - c));
    sum->heel_off += sum->heel_off - delayed(sum->heel_off, plan->later); /* to first order in `later` */
    double width = value[AMBLE_GAIT_STEP_WIDTH];
    if (width < 0.0) {
        /* Rigs with hips wide for their legs keep a share of that width, or their legs would cross. */
        double human = leg_length * formula_at(&kind->width, vn);
        double hips = kind->hips * sum->step_width;
        width = human > hips ? human : hips;
    }
    if (!(width <= leg_length)) {
        return amble_fail(AMBLE_BAD_VALUE, "step_width is %g: legs of length %g stand at most that far apart",
                          width, leg_length);
    }
    sum->step_width = width;

    plan->thigh_pitch = human_at(kind->curves, HUMAN_THIGH_PITCH, vn);
    plan->knee_flexion = human_at(kind->curves, HUMAN_KNEE_FLEXION, vn);
    plan->foot_pitch = human_at(kind->curves, HUMAN_FOOT_PITCH, vn);
    shorten(plan);
    gait_plan_body(plan, value);
    memset(plan->height, 0, sizeof plan->height);
    turn strike = turn_at(0.0);
    for (int i = 0; i < 2; i++) {
        leg_plan *leg = &plan->leg[i];
        double length = leg->thigh + leg->shin + leg->height;
        /* A foot long for its leg, pitched like a short one, would raise the ankle too far. */
        leg->late_scale = between(1.0 - long_foot * (1.0 - people_ball * length / leg->ball.x), late_least,
                                  tuned->late_most);
        leg->early_scale = between(people_heel * length / (leg->heel.x < 0.0 ? -leg->heel.x : 1e-9 * length),
                                   early_least, tuned->early_most);
        double slap =
            1.3 * people_ball * length / leg->ball.x; /* the longer, the harder its front comes down */
        leg->early_scale = slap < leg->early_scale ? slap : leg->early_scale;
        leg->strike_pitch =
            tuned->strike * leg->early_scale * DEGREES * series_at(&plan->foot_pitch, &strike);
        leg->side = (i ? -0.5 : 0.5) * width;
        leg->raise = leg->early_lift = leg->lift = leg->late_lift = 0.0;
        plan_pitch(plan, leg);
    }
    plan_contacts(plan);
    fit_pelvis(plan);
    for (int i = 0; i < 2; i++) {
        plan_swing(plan, &plan->leg[i]);
        plan_clearance(plan, &plan->leg[i]);
        plan_bend(plan, &plan->leg[i]);
    }
    sum->pelvis_height = plan->height[0];
    return AMBLE_SUCCESS;
}

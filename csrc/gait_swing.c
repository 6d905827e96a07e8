/* The foot in swing: the measured bend of the knee and direction of the leg, corrected so that the foot
 * leaves and meets the ground with the ground's own speed, and lifted so that it clears it.
 */
#include "gait_private.h"

typedef struct polar {
    double knee, direction, side;
} polar;

static polar polar_of(const leg_plan *leg, vec hip, vec ankle) {
    vec d = vec_sub(ankle, hip);
    double c =
        (vec_dot(d, d) - leg->thigh * leg->thigh - leg->shin * leg->shin) / (2.0 * leg->thigh * leg->shin);
    double most = 0.9999999; /* 0.03 degrees short of straight, where the slope is still finite */
    c = c > most ? most : c < -most ? -most : c;
    return (polar){amble_atan2(sqrt(1.0 - c * c), c), amble_atan2(d.x, -d.z), ankle.y};
}

/* The measured leg, its knee kept from straightening quite; at: of the curves. */
static polar measured_polar(const gait_plan *plan, const leg_plan *leg, const turn *at) {
    double x;
    double z;
    double knee;
    measured_leg(plan, leg, at, &x, &z, &knee);
    double least = leg->tuned->knee_swing * DEGREES;
    double ease = 4.0 * DEGREES;
    double over = knee - least;
    return (polar){least + 0.5 * (over + sqrt(over * over + ease * ease)), amble_atan2(x, -z), 0.0};
}

/* What the stance's leg differs from the measured one by. */
static polar stance_offset(const gait_plan *plan, const leg_plan *leg, double u) {
    double stance =
        u < 0.5 * (1.0 + plan->summary.duty) ? u : u - 1.0; /* before the next strike, or after lifting */
    polar here = polar_of(leg, hip_at(plan, leg, u + leg->phase), stance_at(plan, leg, stance).ankle);
    turn at = turn_at(delayed(u, plan->later));
    polar there = measured_polar(plan, leg, &at);
    return (polar){here.knee - there.knee, here.direction - there.direction, here.side};
}

/* Step of the central differences that jets are taken with, in strides. Slopes are good to 1e-8, curvatures
 * to 1e-7 where the knee is bent; next to a straight one both lose what its square root law takes. */
#define JET_STEP 1e-4

/* The jet by s of a function sampled at u - step, u, u + step, where s runs over `swing` of a stride. */
static jet jet_of(double before, double at, double after, double swing) {
    return (jet){at, (after - before) / (2.0 * JET_STEP) * swing,
                 (after - 2.0 * at + before) / (JET_STEP * JET_STEP) * swing * swing};
}

static double swing_share(const gait_plan *plan, double u) {
    return (u - plan->summary.duty) / (1.0 - plan->summary.duty);
}

/* Measured pitch on its way from the stance's scale at toe-off to that at heel strike. */
static double measured_pitch(const gait_plan *plan, const leg_plan *leg, double u, const turn *at) {
    double late = leg->late_scale;
    if (leg->tuned->own_pitch > 0.0) {
        late += (1.0 - late) * smooth_step((u - plan->summary.duty) / leg->tuned->own_pitch);
    }
    double scale = late + (leg->early_scale - late) * smooth_step((u - 0.75) / 0.2);
    return scale * DEGREES * series_at(&plan->foot_pitch, at);
}

static double swing_pitch(const gait_plan *plan, const leg_plan *leg, double u, const turn *at) {
    double s = swing_share(plan, u);
    return measured_pitch(plan, leg, u, at) + fade_at(&leg->pitch, s) + leg->raise * bump(s);
}

void plan_pitch(gait_plan *plan, leg_plan *leg) {
    double end[2] = {plan->summary.duty, 1.0};
    double swing = 1.0 - plan->summary.duty;
    jet jets[2];
    for (int i = 0; i < 2; i++) {
        double off[3];
        for (int k = 0; k < 3; k++) {
            double u = end[i] + (k - 1) * JET_STEP;
            turn at = turn_at(delayed(u, plan->later));
            off[k] = (i ? early_pitch(plan, leg, u - 1.0) : late_pitch(plan, leg, u)) -
                     measured_pitch(plan, leg, u, &at);
        }
        jets[i] = jet_of(off[0], off[1], off[2], swing);
    }
    leg->pitch = fade_make(jets[0], jets[1], leg->tuned->pitch);
}

/* 1 at a tenth, 0 at both ends with slope and curvature: s^3 (1 - s)^27 over its peak. */
static double first_bump(double s) {
    if (s <= 0.0 || s >= 1.0) {
        return 0.0;
    }
    double t = s / 0.1;
    double r = (1.0 - s) / 0.9;
    double ninth = r * r * r;
    ninth = ninth * ninth * ninth;
    return t * t * t * ninth * ninth * ninth;
}

void plan_swing(gait_plan *plan, leg_plan *leg) {
    double end[2] = {plan->summary.duty, 1.0};
    double swing = 1.0 - plan->summary.duty;
    jet knee[2];
    jet direction[2];
    jet side[2];
    for (int i = 0; i < 2; i++) {
        polar off[3];
        for (int k = 0; k < 3; k++) {
            off[k] = stance_offset(plan, leg, end[i] + (k - 1) * JET_STEP);
        }
        knee[i] = jet_of(off[0].knee, off[1].knee, off[2].knee, swing);
        direction[i] = jet_of(off[0].direction, off[1].direction, off[2].direction, swing);
        side[i] = jet_of(off[0].side, off[1].side, off[2].side, swing);
        double share = i ? leg->tuned->land_curve : leg->tuned->lift_curve;
        knee[i].curve *= share;
        direction[i].curve *= share;
    }
    leg->knee = fade_make(knee[0], knee[1], leg->tuned->swing);
    leg->direction = fade_make(direction[0], direction[1], leg->tuned->swing);
    leg->early_bend = leg->late_bend = 0.0;
    leg->sideways = fade_make(side[0], side[1], (fade_kind){.terms = 0});
}

/* 1 at three quarters, 0 at both ends with slope and curvature: s^9 (1 - s)^3 over its peak. */
static double late_bump(double s) {
    if (s <= 0.0 || s >= 1.0) {
        return 0.0;
    }
    double t = s / 0.75;
    double r = (1.0 - s) / 0.25;
    double cube = t * t * t;
    return cube * cube * cube * r * r * r;
}

/* Pitch that the toe would have in swing if there were no ground: the bend that it had at toe-off goes, and
 * it is raised. */
static double free_toe(const leg_plan *leg, double pitch, double s) {
    double bend = (toe_pitch(leg, pitch) - pitch) * (1.0 - smooth_step(s / leg->tuned->toe_back));
    return leg->toe ? pitch + (pitch < 0.0 ? bend : 0.0) + leg->tuned->toe_up * DEGREES * bump(s) : pitch;
}

/* Pitch of the toe in swing: as if free, as far as its tip stays over the ground. In sines of the pitch of
 * the line from ball to tip, the ground is at -height / length: at toe-off the toe is just there, and leaves
 * it smoothly. */
static double swing_toe(const gait_plan *plan, const leg_plan *leg, const foot_pose *foot, double s) {
    vec toe = vec_sub(leg->tip, leg->ball);
    double length = vec_length(toe);
    double rest = amble_atan2(toe.z, sqrt(toe.x * toe.x + toe.y * toe.y));
    double steepest = -1.48; /* nearly straight down, past which the sine would turn back */
    double angle = free_toe(leg, foot->pitch, s) + rest;
    double sine;
    double cosine;
    amble_sincos(angle > steepest ? angle : steepest, &sine, &cosine);
    /* A hair over the ground once it has left it, so that curves between keys do not dip in. */
    double over = leg->tuned->toe_over * plan->summary.leg_length * smooth_step(s / leg->tuned->toe_clear);
    double ground = (over - foot->ankle.z - pitched(leg, foot->pitch, leg->ball).z) / length;
    double ease = leg->tuned->toe_leave * (1.0 - s) * (1.0 - s); /* no trace of it at heel strike */
    double kept = ground + eased(sine - ground, ease);
    kept = kept > 1.0 ? 1.0 : kept < -1.0 ? -1.0 : kept;
    return amble_atan2(kept, sqrt(1.0 - kept * kept)) - rest;
}

foot_pose foot_at(const gait_plan *plan, const leg_plan *leg, double phase) {
    return foot_under(plan, leg, phase, hip_at(plan, leg, phase));
}

foot_pose foot_under(const gait_plan *plan, const leg_plan *leg, double phase, vec hip) {
    double u = phase - leg->phase;
    u -= floor(u);
    if (u < plan->summary.duty) {
        return stance_at(plan, leg, u);
    }
    double s = swing_share(plan, u);
    turn at = turn_at(delayed(u, plan->later));
    polar p = measured_polar(plan, leg, &at);
    double distance = leg_distance(leg, p.knee + fade_at(&leg->knee, s) + leg->early_bend * first_bump(s) +
                                            leg->late_bend * first_bump(1.0 - s));
    double sine;
    double cosine;
    amble_sincos(p.direction + fade_at(&leg->direction, s), &sine, &cosine);
    double side = fade_at(&leg->sideways, s);
    double level = distance * distance - (side - hip.y) * (side - hip.y);
    level = sqrt(level > 0.0 ? level : 0.0);
    foot_pose foot = {.ankle = {hip.x + level * sine, side,
                                hip.z - level * cosine + leg->early_lift * late_bump(1.0 - s) +
                                    leg->lift * bump(s) + leg->late_lift * late_bump(s)},
                      .pitch = swing_pitch(plan, leg, u, &at)};
    foot.toe = leg->toe ? swing_toe(plan, leg, &foot, s) : foot.pitch;
    return foot;
}

/* Heights over the ground, at a share of the swing, of the front of the sole (the lower of toe tip, as if the
 * ground did not hold it up, and ball) and of the heel. */
static void swing_heights(const gait_plan *plan, const leg_plan *leg, double s, double *front, double *heel) {
    double u = plan->summary.duty + s * (1.0 - plan->summary.duty);
    foot_pose foot = foot_at(plan, leg, u + leg->phase);
    double ball = foot.ankle.z + pitched(leg, foot.pitch, leg->ball).z;
    double tip = ball + pitched(leg, free_toe(leg, foot.pitch, s), vec_sub(leg->tip, leg->ball)).z;
    double under = ball - (leg->height + leg->ball.z); /* the sole below the joint, at its lowest */
    *front = tip < under ? tip : under;
    *heel = foot.ankle.z + pitched(leg, foot.pitch, leg->heel).z;
}

/* How far the front of the foot falls short of its clearance, which it must have from early swing to just
 * before the end. */
static double toe_lack(const gait_plan *plan, const leg_plan *leg, double s) {
    double front;
    double heel;
    swing_heights(plan, leg, s, &front, &heel);
    return leg->tuned->clearance * plan->summary.leg_length * smooth_step(2.0 * s) - front;
}

/* The same of the heel, which comes down to the ground in the last quarter, ever slower as it must land at
 * rest. */
static double heel_lack(const gait_plan *plan, const leg_plan *leg, double s) {
    double front;
    double heel;
    swing_heights(plan, leg, s, &front, &heel);
    double left = (1.0 - s) / leg->tuned->landing;
    double wanted = leg->tuned->clearance * plan->summary.leg_length * (left < 1.0 ? left * left : 1.0);
    /* A runner's foot comes from far behind and may still point down: its front must just not touch. */
    double touch = 0.1 * wanted - front;
    double lack = wanted - heel;
    return plan->kind->flies && touch > lack ? touch : lack;
}

/* The same, by half, of the sole of foot and toe under the ball, just after toe-off: people's is well over
 * it, that of a foot much longer than theirs would dip into the ground as the foot turns. */
static double ball_lack(const gait_plan *plan, const leg_plan *leg, double s) {
    double u = plan->summary.duty + s * (1.0 - plan->summary.duty);
    foot_pose foot = foot_at(plan, leg, u + leg->phase);
    vec under = {0.0, 0.0, -(leg->height + leg->ball.z)};
    double of_foot = pitched(leg, foot.pitch, under).z;
    double of_toe = pitched(leg, foot.toe, under).z;
    double ball =
        foot.ankle.z + pitched(leg, foot.pitch, leg->ball).z + (of_foot < of_toe ? of_foot : of_toe);
    return 0.5 * leg->tuned->clearance * plan->summary.leg_length * smooth_step(2.5 * s) - ball;
}

/* Turns the foot up and lifts it until the toe clears the ground in mid-swing, then the ball in early and the
 * heel in late swing. */
void plan_clearance(const gait_plan *plan, leg_plan *leg) {
    enum { SAMPLES = 24 };
    double first = 0.3;
    double step = 0.45 / (SAMPLES - 1);
    double need[2] = {-1e300, -1e300}; /* the most that is lacking; negative: to spare */
    /* The longer the foot for its leg, the more a turn of it lifts its front, and the less the knee need do.
     */
    double length = leg->ball.x / (0.15 * (leg->thigh + leg->shin + leg->height));
    double most = leg->tuned->raise * DEGREES * (1.0 + 7.0 * smooth_step((length - 1.2) / 0.3));
    leg->raise = leg->early_lift = leg->lift = leg->late_lift = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        leg->raise = pass ? most : 0.0;
        for (int i = 0; i < SAMPLES; i++) {
            double lack = toe_lack(plan, leg, first + step * i);
            need[pass] = lack > need[pass] ? lack : need[pass];
        }
    }
    double share = need[0] <= 0.0 ? 0.0 : need[1] < need[0] ? need[0] / (need[0] - need[1]) : 1.0;
    leg->raise *= share < 1.0 ? share : 1.0;
    double lift = 0.0;
    double early = 0.0;
    double late = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        double s = first + step * i;
        double lack = toe_lack(plan, leg, s) / bump(s);
        lift = lack > lift ? lack : lift;
    }
    leg->lift = lift;
    for (int i = 0; i < SAMPLES; i++) {
        double s = 0.03 + 0.3 * i / (SAMPLES - 1);
        double lack = ball_lack(plan, leg, s) / late_bump(1.0 - s);
        early = lack > early ? lack : early;
    }
    leg->early_lift = early;
    for (int i = 0; i < SAMPLES; i++) {
        double s = 0.55 + 0.4 * i / (SAMPLES - 1);
        double lack = heel_lack(plan, leg, s) / late_bump(s);
        late = lack > late ? lack : late;
    }
    leg->late_lift = late;
}

/* A leg that straightens as it leaves the ground may go on to do so in swing, or have done so before it comes
 * down: how far the knee must be bent more right after toe-off (end 0) or before heel strike (1), so that the
 * leg has at most 0.999 of its length. */
static double lacking_bend(const gait_plan *plan, const leg_plan *leg, int end) {
    enum { SAMPLES = 24 };
    double least = 5.3 * DEGREES;
    double bend = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        double from_end = 0.03 + 0.22 * i / (SAMPLES - 1);
        double s = end ? 1.0 - from_end : from_end;
        double u = plan->summary.duty + s * (1.0 - plan->summary.duty);
        double phase = u + leg->phase;
        double lack = least - polar_of(leg, hip_at(plan, leg, phase), foot_at(plan, leg, phase).ankle).knee;
        double more = lack / first_bump(from_end);
        bend = more > bend ? more : bend;
    }
    return bend;
}

void plan_bend(const gait_plan *plan, leg_plan *leg) {
    double early = lacking_bend(plan, leg, 0);
    double late = lacking_bend(plan, leg, 1);
    leg->early_bend = early;
    leg->late_bend = late;
}

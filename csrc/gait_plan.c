/* The plan of a stride: from rest geometry and speed to closed curves of the phase.
 *
 * In stance the foot's pitch is given and the foot rolls over heel, ball and tip, so that the ankle's course
 * is known. The pelvis's height is then fitted so that the knees bend as measured ones do, and no leg is
 * drawn out. In swing the measured bend of the knee and direction of the leg are followed, corrected so that
 * the foot leaves and meets the ground with the ground's own speed.
 */
#include "check.h"
#include "gait_private.h"

#include <string.h>

/* Figures found by search over human rigs for curves nearest the measured ones at bounded knee accelerations.
 */
static const struct {
    double stride_share; /* adults step shorter than the formula of the clips (1.48 L at vn 0.42 against 1.62
                            L) */
    double flat;         /* the sole lies flat from this share of the stride on */
    double onset;        /* share of the stride over which the measured pitch sets in after heel-off */
    double strike;       /* pitch at heel strike against the measured one */
    double toe_bend;     /* pitch from which the toe's tip, not the ball, is the pivot ... */
    double toe_ease;     /* ... and how gradually */
    double knee_strike, knee_least, knee_swing; /* bend kept at heel strike, in stance, in swing, degrees */
    double strike_width, strike_weight, strike_reach, end_weight; /* of the fit around heel strike */
    double reach;      /* hip to ankle, of thigh + shin, in stance */
    double fore;       /* fore and aft motion of the pelvis against the measured */
    double lift_curve; /* share of the curvature that the swing takes over at toe-off */
    double toe_up;     /* raise of the toe in swing, degrees */
    double raise;      /* most that the foot is turned up to clear the ground, degrees */
    double clearance;  /* of toe and heel in swing, of leg length */
    double landing;    /* share of the swing that the heel takes to come down from it */
} tuned = {
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
};
static const fade_kind pitch_fade = {.terms = 6, .edge = 0.2, .stiffness = 1.8e-3};
static const fade_kind swing_fade = {.terms = 3, .edge = 0.2, .stiffness = 8e-4};

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
    plan->summary.leg_length = length;
    return AMBLE_SUCCESS;
}

/* ---- Stance ---- */

static double smooth_negative(double x) {
    return 0.5 * (x - sqrt(x * x + 1.0)); /* degrees: rounded over one degree */
}

/* Pitch of the foot before the sole is flat; u may be a little below 0. A cubic ends without slope or
 * curvature and starts at the rate of a heel that rolls, which is what keeps the knee's speed low at heel
 * strike. */
static double early_pitch(const gait_plan *plan, const leg_plan *leg, double u) {
    double s = 1.0 - u / plan->summary.flat;
    return s > 0.0 ? leg->strike_pitch * s * s * s : 0.0;
}

static double late_pitch(const gait_plan *plan, const leg_plan *leg, double u) {
    double onset = smooth_step((u - plan->summary.heel_off) / tuned.onset);
    if (onset == 0.0) {
        return 0.0;
    }
    turn at = turn_at(u);
    return leg->late_scale * DEGREES * smooth_negative(series_at(&plan->foot_pitch, &at)) * onset;
}

/* x^3 / (x^2 + ease^2) above 0, 0 below: lets go of 0 with slope and curvature, and goes on beside x. */
static double eased(double x, double ease) { return x > 0.0 ? x * x * x / (x * x + ease * ease) : 0.0; }

/* Pitch of the toe bone while the foot, pitched down by more than toe_bend, rolls off over the toe's tip. */
static double toe_pitch(const leg_plan *leg, double pitch) {
    return leg->toe ? -eased(-pitch - tuned.toe_bend * DEGREES, tuned.toe_ease * DEGREES) : 0.0;
}

/* v turned about the foot's axis, toes up for a positive angle. */
static vec pitched(const leg_plan *leg, double angle, vec v) {
    return quat_rotate(quat_from_axis(leg->axis, -angle), v);
}

/* Ankle against its place over the flat foot, for a pitch of the foot on the ground. */
static vec rolled(const leg_plan *leg, double pitch) {
    if (pitch > 0.0) {
        return vec_sub(leg->heel, pitched(leg, pitch, leg->heel));
    }
    vec toe = vec_sub(leg->ball, leg->tip);
    vec ball = vec_add(leg->tip, pitched(leg, toe_pitch(leg, pitch), toe));
    return vec_sub(ball, pitched(leg, pitch, leg->ball));
}

static foot_pose stance_at(const gait_plan *plan, const leg_plan *leg, double u) {
    foot_pose foot = {.pitch = u < plan->summary.flat ? early_pitch(plan, leg, u) : late_pitch(plan, leg, u)};
    vec flat = {leg->ahead - plan->summary.stride * u, leg->side, leg->height};
    foot.ankle = vec_add(flat, rolled(leg, foot.pitch));
    foot.toe = foot.pitch > 0.0 ? foot.pitch : toe_pitch(leg, foot.pitch);
    return foot;
}

/* ---- Pelvis ---- */

void pelvis_at(const gait_plan *plan, double phase, vec *place, quat *turned) {
    double u = phase - plan->leg[0].phase;
    turn at = turn_at(u);
    double height = plan->height[0];
    for (int h = 1; h <= 3; h++) {
        height += plan->height[2 * h - 1] * at.cosine[2 * h] + plan->height[2 * h] * at.sine[2 * h];
    }
    *place = (vec){plan->rest_fore + series_at(&plan->fore, &at), series_at(&plan->side, &at), height};
    /* The left side forward is a turn to the right; the left side up, one about forward; the top forward
     * about left. */
    quat yaw = quat_from_axis((vec){0.0, 0.0, 1.0}, -series_at(&plan->turn, &at));
    quat lean = quat_from_axis((vec){0.0, 1.0, 0.0}, 0.3 * plan->lean);
    quat list = quat_from_axis((vec){1.0, 0.0, 0.0}, series_at(&plan->list, &at));
    *turned = quat_multiply(yaw, quat_multiply(lean, list));
}

static vec hip_at(const gait_plan *plan, const leg_plan *leg, double phase) {
    vec place;
    quat turned;
    pelvis_at(plan, phase, &place, &turned);
    return vec_add(place, quat_rotate(turned, leg->hip));
}

/* ---- Fit of the pelvis ---- */

enum { FIT_SAMPLES = 32, FIT_TERMS = 7 };

/* One sample of one leg's stance. */
typedef struct fit_row {
    double term[FIT_TERMS];
    double ankle_x, ankle_z, across; /* flat foot at the origin; across: square of the sideways distance */
    double hip_x, hip_z;             /* of the hip, from the pelvis's head and the origin's progress */
    double bent;                     /* square of the hip-ankle distance asked for */
    double measured_x;               /* ankle ahead of the hip, as measured people have it */
    double weight;
    double reach; /* square of the most */
} fit_row;

static double leg_distance(const leg_plan *leg, double flexion) {
    double s;
    double c;
    amble_sincos(flexion, &s, &c);
    return sqrt(leg->thigh * leg->thigh + leg->shin * leg->shin + 2.0 * leg->thigh * leg->shin * c);
}

/* Hip to ankle in the plane of travel for measured angles: thigh forward of straight down, and knee. */
static void measured_leg(const gait_plan *plan, const leg_plan *leg, double u, double *x, double *z,
                         double *knee) {
    turn at = turn_at(u);
    double thigh = DEGREES * series_at(&plan->thigh_pitch, &at);
    *knee = DEGREES * series_at(&plan->knee_flexion, &at);
    double s[2];
    double c[2];
    amble_sincos(thigh, &s[0], &c[0]);
    amble_sincos(thigh - *knee, &s[1], &c[1]);
    *x = leg->thigh * s[0] + leg->shin * s[1];
    *z = -(leg->thigh * c[0] + leg->shin * c[1]);
}

static void fill_row(const gait_plan *plan, const leg_plan *leg, double u, fit_row *row) {
    double phase = u + leg->phase;
    turn at = turn_at(phase - plan->leg[0].phase);
    double share = u / plan->summary.duty;
    double s;
    double c;
    row->term[0] = 1.0;
    for (int h = 1; h <= 3; h++) {
        row->term[2 * h - 1] = at.cosine[2 * h];
        row->term[2 * h] = at.sine[2 * h];
    }
    foot_pose foot = stance_at(plan, leg, u);
    vec hip = hip_at(plan, leg, phase); /* with the pelvis at height 0 and the foot's `ahead` 0 */
    row->ankle_x = foot.ankle.x;
    row->ankle_z = foot.ankle.z;
    row->across = (foot.ankle.y - hip.y) * (foot.ankle.y - hip.y);
    row->hip_x = hip.x;
    row->hip_z = hip.z;
    double z;
    double knee;
    measured_leg(plan, leg, u, &row->measured_x, &z, &knee);
    /* A knee bent a little more than people's: near straight, angles answer to the smallest change of
     * distance. */
    double strike = u / tuned.strike_width;
    double bend =
        (knee > 0.0 ? knee : 0.0) +
        DEGREES * (tuned.knee_least + (tuned.knee_strike - tuned.knee_least) / (1.0 + strike * strike));
    double distance = leg_distance(leg, bend);
    row->bent = distance * distance;
    distance = tuned.reach * (leg->thigh + leg->shin);
    row->reach = distance * distance;
    amble_sincos(AMBLE_PI * share, &s, &c);
    strike = u / tuned.strike_reach;
    row->weight = s + tuned.end_weight + tuned.strike_weight / (1.0 + strike * strike);
}

/* Fits the heights for feet that stand `ahead`; returns how far off they leave the knees (root mean square,
 * lengths). Rows where the pelvis would be out of the leg's reach gain weight until it is not. */
static double fit_heights(const fit_row *rows, int count, double ahead, double floor, double out[FIT_TERMS]) {
    double weight[2 * FIT_SAMPLES];
    double wanted[2 * FIT_SAMPLES];
    double most[2 * FIT_SAMPLES];
    double aside = 0.0;
    double off = 0.0;
    for (int i = 0; i < count; i++) {
        const fit_row *row = &rows[i];
        double x = ahead + row->ankle_x - row->hip_x;
        double level = x * x + row->across;
        double tall = row->bent - level;
        double top = row->reach - level;
        wanted[i] = row->ankle_z - row->hip_z + sqrt(tall > floor ? tall : floor);
        most[i] = row->ankle_z - row->hip_z + sqrt(top > floor ? top : floor);
        weight[i] = row->weight;
        aside += x - row->measured_x;
    }
    for (int pass = 0; pass < 15; pass++) {
        double a[FADE_MOST][FADE_MOST] = {{0.0}};
        double b[FADE_MOST] = {0.0};
        bool over = false;
        for (int i = 0; i < count; i++) {
            double w = weight[i] * weight[i];
            double target = wanted[i] < most[i] ? wanted[i] : most[i];
            for (int n = 0; n < FIT_TERMS; n++) {
                for (int m = 0; m <= n; m++) {
                    a[n][m] += w * rows[i].term[n] * rows[i].term[m];
                }
                b[n] += w * rows[i].term[n] * target;
            }
        }
        solve_symmetric(FIT_TERMS, a, b);
        off = 0.0;
        for (int i = 0; i < count; i++) {
            double height = 0.0;
            for (int n = 0; n < FIT_TERMS; n++) {
                height += b[n] * rows[i].term[n];
            }
            off += (height - wanted[i]) * (height - wanted[i]);
            if (height > most[i]) {
                over = true;
                weight[i] = weight[i] < 60.0 ? weight[i] * 1.6 : weight[i];
            }
        }
        memcpy(out, b, FIT_TERMS * sizeof *out);
        if (!over) {
            break;
        }
    }
    return sqrt(off / count) + 0.15 * fabs(aside / count);
}

/* Chooses where the feet are put down under the hips, and the pelvis's height. */
static void fit_pelvis(gait_plan *plan) {
    fit_row rows[2 * FIT_SAMPLES];
    int count = 0;
    double centre = 0.0;
    for (int l = 0; l < 2; l++) {
        plan->leg[l].ahead = 0.0;
        for (int i = 0; i < FIT_SAMPLES; i++) {
            fit_row *row = &rows[count++];
            fill_row(plan, &plan->leg[l], plan->summary.duty * i / (FIT_SAMPLES - 1), row);
            centre += row->measured_x + row->hip_x - row->ankle_x;
        }
    }
    centre /= count;
    double leg = plan->summary.leg_length;
    double floor = 0.01 * leg * leg;
    /* Golden section: the misfit has one valley over where the feet are put down. */
    const double golden = 0.6180339887498949;
    double heights[FIT_TERMS];
    double low = centre - 0.06 * leg;
    double high = centre + 0.04 * leg;
    double a = high - golden * (high - low);
    double b = low + golden * (high - low);
    double cost_a = fit_heights(rows, count, a, floor, heights);
    double cost_b = fit_heights(rows, count, b, floor, heights);
    for (int i = 0; i < 9; i++) {
        if (cost_a < cost_b) {
            high = b;
            b = a;
            cost_b = cost_a;
            a = high - golden * (high - low);
            cost_a = fit_heights(rows, count, a, floor, heights);
        } else {
            low = a;
            a = b;
            cost_a = cost_b;
            b = low + golden * (high - low);
            cost_b = fit_heights(rows, count, b, floor, heights);
        }
    }
    double ahead = 0.5 * (low + high);
    fit_heights(rows, count, ahead, floor, plan->height);
    /* What the weights did not manage: lower the whole. */
    double over = 0.0;
    for (int i = 0; i < count; i++) {
        double x = ahead + rows[i].ankle_x - rows[i].hip_x;
        double top = rows[i].reach - x * x - rows[i].across;
        double height = -(rows[i].ankle_z - rows[i].hip_z + sqrt(top > floor ? top : floor));
        for (int n = 0; n < FIT_TERMS; n++) {
            height += plan->height[n] * rows[i].term[n];
        }
        over = height > over ? height : over;
    }
    plan->height[0] -= over;
    plan->leg[0].ahead = plan->leg[1].ahead = ahead;
}

/* ---- Swing ---- */

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

/* The measured leg, its knee kept from straightening quite. */
static polar measured_polar(const gait_plan *plan, const leg_plan *leg, double u) {
    double x;
    double z;
    double knee;
    measured_leg(plan, leg, u, &x, &z, &knee);
    double least = tuned.knee_swing * DEGREES;
    double ease = 4.0 * DEGREES;
    double over = knee - least;
    return (polar){least + 0.5 * (over + sqrt(over * over + ease * ease)), amble_atan2(x, -z), 0.0};
}

/* What the stance's leg differs from the measured one by. */
static polar stance_offset(const gait_plan *plan, const leg_plan *leg, double u) {
    double stance =
        u < 0.5 * (1.0 + plan->summary.duty) ? u : u - 1.0; /* before the next strike, or after lifting */
    polar here = polar_of(leg, hip_at(plan, leg, u + leg->phase), stance_at(plan, leg, stance).ankle);
    polar there = measured_polar(plan, leg, u);
    return (polar){here.knee - there.knee, here.direction - there.direction, here.side};
}

/* Step of the central differences that jets are taken with, in strides: errors of 1e-8 in slope, 1e-7 in
 * curvature. */
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
static double measured_pitch(const gait_plan *plan, const leg_plan *leg, double u) {
    turn at = turn_at(u);
    double scale = leg->late_scale + (leg->early_scale - leg->late_scale) * smooth_step((u - 0.75) / 0.2);
    return scale * DEGREES * series_at(&plan->foot_pitch, &at);
}

static double swing_pitch(const gait_plan *plan, const leg_plan *leg, double u) {
    double s = swing_share(plan, u);
    return measured_pitch(plan, leg, u) + fade_at(&leg->pitch, s) + leg->raise * bump(s);
}

static void plan_pitch(gait_plan *plan, leg_plan *leg) {
    double end[2] = {plan->summary.duty, 1.0};
    double swing = 1.0 - plan->summary.duty;
    jet jets[2];
    for (int i = 0; i < 2; i++) {
        double off[3];
        for (int k = 0; k < 3; k++) {
            double u = end[i] + (k - 1) * JET_STEP;
            off[k] = (i ? early_pitch(plan, leg, u - 1.0) : late_pitch(plan, leg, u)) -
                     measured_pitch(plan, leg, u);
        }
        jets[i] = jet_of(off[0], off[1], off[2], swing);
    }
    leg->pitch = fade_make(jets[0], jets[1], pitch_fade);
}

static void plan_swing(gait_plan *plan, leg_plan *leg) {
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
        /* At heel strike only place and speed must meet: a foot that lands may do so at once. */
        double share = i ? 0.0 : tuned.lift_curve;
        knee[i].curve *= share;
        direction[i].curve *= share;
    }
    leg->knee = fade_make(knee[0], knee[1], swing_fade);
    leg->direction = fade_make(direction[0], direction[1], swing_fade);
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

/* Pitch of the toe in swing: the bend that it had at toe-off goes and it is raised, as far as its tip stays
 * over the ground. In sines of the pitch of the line from ball to tip, the ground is at -height / length: at
 * toe-off the toe is just there, and leaves it smoothly. */
static double swing_toe(const leg_plan *leg, const foot_pose *foot, double s) {
    vec toe = vec_sub(leg->tip, leg->ball);
    double length = vec_length(toe);
    double rest = amble_atan2(toe.z, sqrt(toe.x * toe.x + toe.y * toe.y));
    double bend = (toe_pitch(leg, foot->pitch) - foot->pitch) * (1.0 - smooth_step(s / 0.35));
    double free = foot->pitch + (foot->pitch < 0.0 ? bend : 0.0) + tuned.toe_up * DEGREES * bump(s);
    double steepest = -1.48; /* nearly straight down, past which the sine would turn back */
    double sine;
    double cosine;
    amble_sincos(free + rest > steepest ? free + rest : steepest, &sine, &cosine);
    double ground = -(foot->ankle.z + pitched(leg, foot->pitch, leg->ball).z) / length;
    double kept = ground + eased(sine - ground, 0.1 * (1.0 - s) * (1.0 - s)); /* no trace of it at heel strike */
    kept = kept > 1.0 ? 1.0 : kept < -1.0 ? -1.0 : kept;
    return amble_atan2(kept, sqrt(1.0 - kept * kept)) - rest;
}

foot_pose foot_at(const gait_plan *plan, const leg_plan *leg, double phase) {
    double u = phase - leg->phase;
    u -= floor(u);
    if (u < plan->summary.duty) {
        return stance_at(plan, leg, u);
    }
    double s = swing_share(plan, u);
    polar p = measured_polar(plan, leg, u);
    double distance = leg_distance(leg, p.knee + fade_at(&leg->knee, s));
    double sine;
    double cosine;
    amble_sincos(p.direction + fade_at(&leg->direction, s), &sine, &cosine);
    vec hip = hip_at(plan, leg, u + leg->phase);
    double side = fade_at(&leg->sideways, s);
    double level = distance * distance - (side - hip.y) * (side - hip.y);
    level = sqrt(level > 0.0 ? level : 0.0);
    foot_pose foot = {.ankle = {hip.x + level * sine, side,
                                hip.z - level * cosine + leg->lift * bump(s) + leg->late_lift * late_bump(s)},
                      .pitch = swing_pitch(plan, leg, u)};
    foot.toe = leg->toe ? swing_toe(leg, &foot, s) : foot.pitch;
    return foot;
}

/* Heights of the toe's tip and of the heel over the ground, at a share of the swing. */
static void swing_heights(const gait_plan *plan, const leg_plan *leg, double s, double *tip, double *heel) {
    double u = plan->summary.duty + s * (1.0 - plan->summary.duty);
    foot_pose foot = foot_at(plan, leg, u + leg->phase);
    *tip = foot.ankle.z + pitched(leg, foot.pitch, leg->ball).z +
           pitched(leg, foot.toe, vec_sub(leg->tip, leg->ball)).z;
    *heel = foot.ankle.z + pitched(leg, foot.pitch, leg->heel).z;
}

/* How far the toe falls short of its clearance, which it must have from early swing to just before the end.
 */
static double toe_lack(const gait_plan *plan, const leg_plan *leg, double s) {
    double tip;
    double heel;
    swing_heights(plan, leg, s, &tip, &heel);
    return tuned.clearance * plan->summary.leg_length * smooth_step(2.0 * s) - tip;
}

/* The same of the heel, which comes down to the ground in the last quarter, ever slower as it must land at
 * rest. */
static double heel_lack(const gait_plan *plan, const leg_plan *leg, double s) {
    double tip;
    double heel;
    swing_heights(plan, leg, s, &tip, &heel);
    double left = (1.0 - s) / tuned.landing;
    return tuned.clearance * plan->summary.leg_length * (left < 1.0 ? left * left : 1.0) - heel;
}

/* Turns the foot up and lifts it until the toe clears the ground in mid-swing, then until the heel does in
 * late swing. */
static void plan_clearance(const gait_plan *plan, leg_plan *leg) {
    enum { SAMPLES = 24 };
    double first = 0.3;
    double step = 0.45 / (SAMPLES - 1);
    double need[2] = {0.0, 0.0};
    leg->raise = leg->lift = leg->late_lift = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        leg->raise = pass ? tuned.raise * DEGREES : 0.0;
        for (int i = 0; i < SAMPLES; i++) {
            double lack = toe_lack(plan, leg, first + step * i);
            need[pass] = lack > need[pass] ? lack : need[pass];
        }
    }
    double share = need[1] < need[0] ? need[0] / (need[0] - need[1]) : need[0] > 0.0 ? 1.0 : 0.0;
    leg->raise *= share < 1.0 ? share : 1.0;
    double lift = 0.0;
    double late = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        double s = first + step * i;
        double lack = toe_lack(plan, leg, s) / bump(s);
        lift = lack > lift ? lack : lift;
    }
    leg->lift = lift;
    for (int i = 0; i < SAMPLES; i++) {
        double s = 0.55 + 0.4 * i / (SAMPLES - 1);
        double lack = heel_lack(plan, leg, s) / late_bump(s);
        late = lack > late ? lack : late;
    }
    leg->late_lift = late;
}

/* ---- All of it ---- */

static double between(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

/* Heel-off as a share of the stride: earlier the faster, read off the measured pitch. */
static double heel_off_at(double vn) {
    static const double at[][2] = {{0.2, 0.40}, {0.3, 0.38}, {0.42, 0.33}, {0.56, 0.27}, {0.7, 0.24}};
    enum { COUNT = sizeof at / sizeof *at };
    for (int i = 1; i < COUNT; i++) {
        if (vn < at[i][0]) {
            double share = between((vn - at[i - 1][0]) / (at[i][0] - at[i - 1][0]), 0.0, 1.0);
            return at[i - 1][1] + share * (at[i][1] - at[i - 1][1]);
        }
    }
    return at[COUNT - 1][1];
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

/* Formulas: addon/data/walk_adult.json, "scalars"; vn is the dimensionless speed. */
static void plan_body(gait_plan *plan, const double *value) {
    double vn = plan->summary.vn;
    double leg = plan->summary.leg_length;
    double slow = between(vn / human_speed[0], 0.0, 1.0); /* below the slowest curves, all fades with speed */
    double turns = value[AMBLE_GAIT_PELVIS_TURN] * slow;
    double arms = value[AMBLE_GAIT_ARM_SWING];
    plan->list = scaled(human_at(HUMAN_PELVIS_LIST, vn), DEGREES * turns);
    plan->turn = scaled(human_at(HUMAN_PELVIS_TURN, vn), DEGREES * turns);
    plan->thorax = scaled(human_at(HUMAN_THORAX_TURN, vn), DEGREES * turns);
    plan->side = scaled(human_at(HUMAN_PELVIS_SIDE, vn),
                        leg * value[AMBLE_GAIT_PELVIS_SWAY] * between(0.130 - 0.149 * vn, 0.02, 0.1));
    plan->fore =
        scaled(human_at(HUMAN_PELVIS_FORE, vn), leg * tuned.fore * between(0.044 - 0.023 * vn, 0.0, 0.044));
    /* Arms swing about a mean a little behind the vertical at rest speed. */
    double swing = arms * between(-8.0 + 98.0 * vn, 4.0, 70.0);
    plan->shoulder =
        scaled(ranged(human_at(HUMAN_SHOULDER, vn), -3.0 - 0.5 * swing, -3.0 + 0.5 * swing), DEGREES);
    double straight = between(32.0 - 38.0 * vn, 8.0, 30.0);
    double bent = between(14.0 + 80.0 * vn, 24.0, 80.0);
    plan->elbow =
        scaled(ranged(human_at(HUMAN_ELBOW, vn), straight, straight + arms * (bent - straight)), DEGREES);
    plan->lean = value[AMBLE_GAIT_LEAN];
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

/* When heel and ball leave the ground by more than can be seen, as shares of the stride. */
static void plan_contacts(gait_plan *plan) {
    amble_gait_summary *sum = &plan->summary;
    const leg_plan *leg = &plan->leg[0];
    double seen = 5e-4 * sum->leg_length;
    sum->ball_off = sum->duty;
    double start = sum->heel_off;
    for (double u = sum->duty; u > start; u -= 1e-3) {
        double pitch = late_pitch(plan, leg, u);
        vec ankle = rolled(leg, pitch);
        double heel = ankle.z + pitched(leg, pitch, leg->heel).z - leg->heel.z;
        double ball = ankle.z + pitched(leg, pitch, leg->ball).z - leg->ball.z;
        sum->heel_lift = heel > seen ? u : sum->heel_lift;
        sum->ball_off = leg->toe && ball > 0.1 * seen ? u : sum->ball_off;
    }
}

amble_error gait_make_plan(gait_plan *plan, const double *value) {
    amble_gait_summary *sum = &plan->summary;
    double leg_length = sum->leg_length;
    double speed = value[AMBLE_GAIT_SPEED];
    double vn = speed / sqrt(value[AMBLE_GAIT_GRAVITY] * leg_length);
    if (!(vn >= 0.05 && vn <= 1.0)) {
        return amble_fail(AMBLE_BAD_VALUE,
                          "speed is %g, which is %.2f of sqrt(gravity * leg length %g): a walk has 0.05 to 1",
                          speed, vn, leg_length);
    }
    sum->vn = vn;
    double stride = tuned.stride_share * 2.52 * power(vn, 0.51) * leg_length;
    sum->cycle = value[AMBLE_GAIT_CYCLE] > 0.0 ? value[AMBLE_GAIT_CYCLE] : stride / speed;
    sum->stride = sum->cycle * speed;
    sum->duty = value[AMBLE_GAIT_DUTY] > 0.0 ? value[AMBLE_GAIT_DUTY] : 0.663 - 0.142 * vn;
    sum->flat = tuned.flat;
    sum->heel_off = heel_off_at(vn);
    double width = value[AMBLE_GAIT_STEP_WIDTH];
    if (width < 0.0) {
        /* Between the measured 0.14 at slow and 0.089 at fast walking; rigs with hips wide for their legs
         * keep more than half of that width, or their legs would cross. */
        double human = leg_length * between(0.14 - 0.2 * (vn - 0.332), 0.085, 0.145);
        double hips = 0.55 * sum->step_width;
        width = human > hips ? human : hips;
    }
    sum->step_width = width;

    plan->thigh_pitch = human_at(HUMAN_THIGH_PITCH, vn);
    plan->knee_flexion = human_at(HUMAN_KNEE_FLEXION, vn);
    plan->foot_pitch = human_at(HUMAN_FOOT_PITCH, vn);
    plan_body(plan, value);
    memset(plan->height, 0, sizeof plan->height);
    turn strike = turn_at(0.0);
    for (int i = 0; i < 2; i++) {
        leg_plan *leg = &plan->leg[i];
        double length = leg->thigh + leg->shin + leg->height;
        /* A foot long for its leg, pitched like a short one, would raise the ankle too far: people's ball is
         * 0.15 and their heel 0.07 of the leg's length from the ankle. */
        leg->late_scale = between(0.150 * length / leg->ball.x, 0.68, 1.0);
        leg->early_scale =
            between(0.070 * length / (leg->heel.x < 0.0 ? -leg->heel.x : 1e-9 * length), 0.6, 1.0);
        leg->strike_pitch = tuned.strike * leg->early_scale * DEGREES * series_at(&plan->foot_pitch, &strike);
        leg->side = (i ? -0.5 : 0.5) * width;
        leg->raise = leg->lift = leg->late_lift = 0.0;
        plan_pitch(plan, leg);
    }
    plan_contacts(plan);
    fit_pelvis(plan);
    for (int i = 0; i < 2; i++) {
        plan_swing(plan, &plan->leg[i]);
        plan_clearance(plan, &plan->leg[i]);
    }
    sum->pelvis_height = plan->height[0];
    return AMBLE_SUCCESS;
}

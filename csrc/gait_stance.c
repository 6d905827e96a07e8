/* The foot in stance, the pelvis, and the measured leg that both are fitted to.
 *
 * In stance the foot's pitch is given and the foot rolls over heel, ball and tip, each fixed to the ground in
 * turn, so that the ankle's course is known.
 */
#include "gait_private.h"

/* By a wave that is 0 at heel strike and `later` at toe-off, nearly its top: no step in any derivative. */
double delayed(double u, double later) {
    double s;
    double c;
    amble_sincos(2.0 * AMBLE_PI * u, &s, &c);
    return u - 0.5 * later * (1.0 - c);
}

/* ---- Stance ---- */

static double smooth_negative(double x) {
    return 0.5 * (x - sqrt(x * x + 1.0)); /* degrees: rounded over one degree */
}

/* Pitch of the foot before the sole is flat; u may be a little below 0. A power of three or more ends without
 * slope or curvature and starts at the rate of a heel that rolls, which is what keeps the knee's speed low at
 * heel strike. */
double early_pitch(const gait_plan *plan, const leg_plan *leg, double u) {
    double s = 1.0 - u / plan->summary.flat;
    return s > 0.0 ? leg->strike_pitch * s * s * s * (1.0 + leg->tuned->early_hold * (1.0 - s)) : 0.0;
}

double late_pitch(const gait_plan *plan, const leg_plan *leg, double u) {
    double onset = smooth_step((u - plan->summary.heel_off) / plan->kind->tuned->onset);
    if (onset == 0.0) {
        return 0.0;
    }
    turn at = turn_at(delayed(u, plan->later));
    return leg->late_scale * DEGREES * smooth_negative(series_at(&plan->foot_pitch, &at)) * onset;
}

/* Pitch of the toe bone while the foot, pitched down by more than toe_bend, rolls off over the toe's tip. */
double toe_pitch(const leg_plan *leg, double pitch) {
    return leg->toe ? -eased(-pitch - leg->tuned->toe_bend * DEGREES, leg->tuned->toe_ease * DEGREES) : 0.0;
}

/* v turned about the foot's axis, toes up for a positive angle. */
vec pitched(const leg_plan *leg, double angle, vec v) {
    return quat_rotate(quat_from_axis(leg->axis, -angle), v);
}

/* Ankle against its place over the flat foot, for a pitch of the foot on the ground. */
vec rolled(const leg_plan *leg, double pitch) {
    if (pitch > 0.0) {
        return vec_sub(leg->heel, pitched(leg, pitch, leg->heel));
    }
    vec toe = vec_sub(leg->ball, leg->tip);
    vec ball = vec_add(leg->tip, pitched(leg, toe_pitch(leg, pitch), toe));
    return vec_sub(ball, pitched(leg, pitch, leg->ball));
}

foot_pose stance_at(const gait_plan *plan, const leg_plan *leg, double u) {
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
    for (size_t h = 1; h <= PELVIS_WAVES; h++) {
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

vec hip_at(const gait_plan *plan, const leg_plan *leg, double phase) {
    vec place;
    quat turned;
    pelvis_at(plan, phase, &place, &turned);
    return vec_add(place, quat_rotate(turned, leg->hip));
}
/* ---- Leg ---- */

double leg_distance(const leg_plan *leg, double flexion) {
    double s;
    double c;
    amble_sincos(flexion, &s, &c);
    return sqrt(leg->thigh * leg->thigh + leg->shin * leg->shin + 2.0 * leg->thigh * leg->shin * c);
}

/* Hip to ankle in the plane of travel for measured angles: thigh forward of straight down, and knee. */
void measured_leg(const gait_plan *plan, const leg_plan *leg, const turn *at, double *x, double *z,
                  double *knee) {
    double thigh = DEGREES * series_at(&plan->thigh_pitch, at);
    *knee = DEGREES * series_at(&plan->knee_flexion, at);
    double s[2];
    double c[2];
    amble_sincos(thigh, &s[0], &c[0]);
    amble_sincos(thigh - *knee, &s[1], &c[1]);
    *x = leg->thigh * s[0] + leg->shin * s[1];
    *z = -(leg->thigh * c[0] + leg->shin * c[1]);
}

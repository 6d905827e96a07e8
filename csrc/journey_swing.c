/* Feet on their way from one plant to the next: along the course that the steady gait of that speed would
 * have, laid from plant to plant, and over the ground between.
 *
 * A steady gait straight ahead comes out as gait_swing.c has it but for the ankle's way across, which goes
 * straight from plant to plant here: there, nothing is left to be corrected.
 */
#include "journey_private.h"

#include <string.h>

/* Rise of a flat foot that is just lifted, of leg length. */
static const double step_lift = 0.03;
/* By how much more a foot is lifted that steps back. */
static const double back_lift = 0.02;
/* Height, of leg length, up to which ground is but rough, and from which a step is that of a stair: the foot
 * is lifted straight up, or put out, first. */
static const double rough = 0.14, stair = 0.24;
/* Step, of the steady gait's, up to which a foot does not roll. */
static const double least_roll = 0.2;
/* What a foot lacks in height, of leg length, as it leaves the ground, from which something is right before
 * it.
 */
static const double blocking = 0.03;
/* Step of differences, in shares of a swing. */
static const double nudge = 1e-4;

/* ---- Swing ---- */

/* The steady gait's swing at a share of it: how far the ankle has gone ahead since lift-off, how high it is
 * over the line between its heights at lift-off and landing, and the foot. */
typedef struct course {
    double gone, lift, pitch, bend;
} course;

/* The ends are the stance's own: a share that rounds past them must not come round to the next stride. */
static foot_pose plan_foot(const gait_plan *plan, const leg_plan *leg, double s, double *gone) {
    double duty = duty_of(plan);
    double stride = plan->summary.stride;
    foot_pose foot;
    if (s <= 0.0 || s >= 1.0) {
        foot = stance_at(plan, leg, s <= 0.0 ? duty : 0.0);
        *gone = foot.ankle.x + (s <= 0.0 ? duty * stride : stride);
    } else {
        double u = duty + s * (1.0 - duty);
        foot = foot_at(plan, leg, u + leg->phase);
        *gone = foot.ankle.x + u * stride;
    }
    return foot;
}

static course plan_course(const gait_plan *plan, int index, double s) {
    const leg_plan *leg = &plan->leg[index];
    double from;
    double to;
    double here;
    double low = plan_foot(plan, leg, 0.0, &from).ankle.z;
    double high = plan_foot(plan, leg, 1.0, &to).ankle.z;
    foot_pose foot = plan_foot(plan, leg, s, &here);
    return (course){.gone = here - from,
                    .lift = foot.ankle.z - (low + (high - low) * smooth_step(s)),
                    .pitch = foot.pitch,
                    .bend = foot.toe - foot.pitch};
}

static course blend(course a, course b, double t) {
    return (course){a.gone + (b.gone - a.gone) * t, a.lift + (b.lift - a.lift) * t,
                    a.pitch + (b.pitch - a.pitch) * t, a.bend + (b.bend - a.bend) * t};
}

/* From the plan of lift-off to that of landing. */
static course course_between(const swing *w, double s) {
    int leg = w->from->leg;
    course a = plan_course(w->from->late, leg, s);
    return w->from->late == w->to->early ? a : blend(a, plan_course(w->to->early, leg, s), smooth_step(s));
}

/* 1 early, in the middle or late in a swing, 0 at its ends with slope and curvature: s^p (1 - s)^q over its
 * peak. */
static double lift_shape(int k, double s) {
    static const double peak[LIFTS] = {0.25, 0.5, 0.75};
    if (s <= 0.0 || s >= 1.0) {
        return 0.0;
    }
    if (k == 1) {
        return bump(s);
    }
    double a = s / peak[k];
    double b = (1.0 - s) / (1.0 - peak[k]);
    double cube = k == 0 ? a * a * a : b * b * b;
    double ninth = k == 0 ? b * b * b : a * a * a;
    return cube * ninth * ninth * ninth;
}

/* The course of this swing: ahead, back (the same with time reversed), or lifted flat. */
static course course_of(const amble_journey *j, const swing *w, double s) {
    course c = {.gone = 0.0};
    double lift = w->flat * step_lift * j->way.leg * bump(s);
    if (w->kind.ahead > 0.0) {
        course a = course_between(w, s);
        c.gone += w->kind.ahead * (1.0 - w->stepping) * a.gone;
        lift += w->kind.ahead * (1.0 - w->stepping) * a.lift;
        double up = a.pitch - (1.0 - w->to->landing * (1.0 - w->stepping)) * eased(a.pitch, 5.0 * DEGREES);
        c.pitch += w->kind.ahead * up;
        c.bend += w->kind.ahead * a.bend;
    }
    if (w->kind.back > 0.0) {
        course b = course_between(w, 1.0 - s);
        c.gone -= w->kind.back * (course_between(w, 1.0).gone - b.gone);
        /* People who walk back lift the foot over what they do not see; it comes down from there. */
        lift +=
            w->kind.back * (b.lift + back_lift * j->way.leg * (0.5 * lift_shape(0, s) + lift_shape(2, s)));
        c.pitch += w->kind.back * b.pitch;
        c.bend += w->kind.back * b.bend;
    }
    c.lift = lift;
    return c;
}

/* Quintics on 0 .. 1 that are 0 at both ends with curvature 0, and have slope 1 at the start (0 at the end),
 * or at the end (0 at the start). Holds: 1 at one end, 0 from some way off on. */
static double start_rise(double s) { return s * (1.0 - s * s * (6.0 - s * (8.0 - 3.0 * s))); }
static double end_rise(double s) { return -s * s * s * (4.0 - s * (7.0 - 3.0 * s)); }
static double start_hold(double s) { return 1.0 - smooth_step(s / 0.4); }
static double end_hold(double s) { return smooth_step((s - 0.6) / 0.4); }

static quat swing_level(const swing *w, double s) {
    return quat_slerp(w->from->turned, w->to->turned, smooth_step(s));
}

/* The foot in swing; corrected: with what makes it leave and meet the ground at the ground's own speed. */
foot_place swing_at(const amble_journey *j, const swing *w, double s, bool corrected) {
    course c = course_of(j, w, s);
    double step = smooth_step(s);
    /* Along the foot's heading as in the steady gait; what the plants lie further apart than there is gone
     * while the foot is well off the ground. */
    double up = w->step > 0.0 ? 1.0 : 0.0;
    double upward = up * w->stepping;
    double downward = (1.0 - up) * w->stepping;
    double wait = upward * (w->tight ? 0.4 : 0.2);
    double lifted = smooth_step((s - 0.05 - wait) / (0.9 - wait - 0.4 * downward));
    double climbed = smooth_step((s - 0.3 * downward) / (1.0 - 0.2 * upward - 0.3 * downward));
    vec lacks = vec_sub(vec_sub(w->end, w->start), vec_scale(w->heading, w->steady));
    vec over = vec_add(w->start, vec_add(vec_scale(w->heading, c.gone), vec_scale(lacks, lifted)));
    vec way = {w->end.x - w->start.x, w->end.y - w->start.y, 0.0};
    double far = vec_dot(way, way);
    double share = far > 1e-12 * j->way.leg * j->way.leg ? vec_dot(way, vec_sub(over, w->start)) / far : step;
    /* The ground's height goes along with the foot; what the foot's roll raised the ankle by, on its own. */
    double slope = w->to->place.z - w->from->place.z - w->stepping * w->step;
    double ground = w->from->place.z + slope * share + w->stepping * w->step * climbed;
    double raised[2] = {w->start.z - w->from->place.z, w->end.z - w->to->place.z};
    over.z = ground + raised[0] + (raised[1] - raised[0]) * step + c.lift;
    for (int k = 0; k < LIFTS; k++) {
        over.z += w->lift[k] * lift_shape(k, s);
    }
    if (corrected) {
        double a = start_rise(s);
        double b = end_rise(s);
        over = vec_add(over, vec_add(vec_scale(w->start_slope, a), vec_scale(w->end_slope, b)));
        c.pitch += w->pitch_slope[0] * a + w->pitch_slope[1] * b + w->pitch_offset[0] * start_hold(s) +
                   w->pitch_offset[1] * end_hold(s);
        c.bend += w->bend_slope[0] * a + w->bend_slope[1] * b + w->bend_offset[0] * start_hold(s) +
                  w->bend_offset[1] * end_hold(s);
    }
    const leg_plan *leg = shape(j, w->from->leg);
    foot_place foot = oriented(leg, over, swing_level(w, s), c.pitch, leg->toe ? c.bend : 0.0);
    return foot;
}

/* One-sided slope at an end of the swing, of ankle, pitch and bend of the bare course. */
static void course_slope(const amble_journey *j, const swing *w, int end, vec *ankle, double *pitch,
                         double *bend) {
    static const double weight[3] = {-1.5, 2.0, -0.5};
    double sign = end ? -1.0 : 1.0;
    *ankle = (vec){0.0, 0.0, 0.0};
    *pitch = *bend = 0.0;
    for (int k = 0; k < 3; k++) {
        double s = end ? 1.0 - k * nudge : k * nudge;
        double scale = sign * weight[k] / nudge;
        *ankle = vec_add(*ankle, vec_scale(swing_at(j, w, s, false).ankle, scale));
        course c = course_of(j, w, s);
        *pitch += scale * c.pitch;
        *bend += scale * c.bend;
    }
}

static void correct_end(const amble_journey *j, swing *w, int end) {
    const plant *p = end ? w->to : w->from;
    double phase = end ? p->strike : p->off;
    double length = w->to->strike - w->from->off;
    double pitch[2];
    vec ankle[2];
    double bend[2];
    const leg_plan *leg = &p->late->leg[p->leg];
    for (int k = 0; k < 2; k++) {
        pitch[k] = pitch_of(p, phase + (k ? nudge : -nudge));
        ankle[k] = stance_ankle(j, p, pitch[k]);
        bend[k] = bend_of(leg, pitch[k]);
    }
    double scale = length / (2.0 * nudge);
    vec own;
    double own_pitch;
    double own_bend;
    course_slope(j, w, end, &own, &own_pitch, &own_bend);
    vec lacks = vec_sub(vec_scale(vec_sub(ankle[1], ankle[0]), scale), own);
    if (end) {
        w->end_slope = lacks;
    } else {
        w->start_slope = lacks;
    }
    course c = course_of(j, w, (double)end);
    double here = pitch_of(p, phase);
    w->pitch_offset[end] = here - c.pitch;
    w->bend_offset[end] = bend_of(leg, here) - c.bend;
    w->pitch_slope[end] = (pitch[1] - pitch[0]) * scale - own_pitch;
    w->bend_slope[end] = (bend[1] - bend[0]) * scale - own_bend;
}

/* By how much the ground would rise from one plant to the next, by its slopes there. */
static double explained(const swing *w) {
    vec gone = vec_sub(w->to->place, w->from->place);
    double rise = 0.0;
    for (int i = 0; i < 2; i++) {
        vec normal = (i ? w->to : w->from)->normal;
        rise -= 0.5 * (normal.x * gone.x + normal.y * gone.y) / normal.z;
    }
    return rise;
}

/* What kind of swing leads from one plant to the next. */
void judge(const amble_journey *j, swing *w) {
    double s;
    double c;
    amble_sincos(0.5 * (w->from->heading + w->to->heading), &s, &c);
    vec gone = vec_sub(w->to->place, w->from->place);
    gone.z = 0.0;
    double far = vec_length(gone);
    double little = 0.05 * j->way.leg;
    double ahead = (gone.x * c + gone.y * s) / sqrt(far * far + little * little);
    ahead *= sqrt(1.0 + little * little / (far * far + 1e-12));
    ahead = far < little ? ahead * far / little : ahead;
    /* A step shorter than the steady gait's has as much less of all that it does, and a small one is a flat
     * foot put elsewhere. */
    double stride = 0.5 * (w->from->late->summary.stride + w->to->early->summary.stride);
    double size = (far / stride - least_roll) / (1.0 - least_roll);
    size = size < 0.0 ? 0.0 : size > 1.0 ? 1.0 : size;
    size *= smooth_step(fabs(ahead) / 0.7);
    w->step = w->to->place.z - w->from->place.z - explained(w);
    w->stepping = smooth_step((fabs(w->step) / j->way.leg - rough) / (stair - rough));
    double share = smooth_step(ahead + 0.5);
    /* Up a stair the foot leaves over its toes as on level ground, but where its tip is near the next riser;
     * all else about stairs is flat. */
    double landing = size * (1.0 - w->stepping);
    size = w->step > 0.0 && !w->tight ? size : landing;
    w->kind = (swing_kind){size * share, size * (1.0 - share)};
    w->landing = (swing_kind){landing * share, landing * (1.0 - share)};
    w->heading = (vec){c, s, 0.0};
    w->flat = 1.0 - size;
}

void swing_join(const amble_journey *j, swing *w) {
    w->start_pitch = pitch_of(w->from, w->from->off);
    w->end_pitch = pitch_of(w->to, w->to->strike);
    w->start = stance_ankle(j, w->from, w->start_pitch);
    w->end = stance_ankle(j, w->to, w->end_pitch);
    w->steady = course_of(j, w, 1.0).gone;
    correct_end(j, w, 0);
    correct_end(j, w, 1);
}

/* ---- Ground under swings ---- */

void swing_soles(const amble_journey *j, const swing *w, double share, vec points[AMBLE_PROBE_POINTS]) {
    const leg_plan *leg = shape(j, w->from->leg);
    foot_place foot = swing_at(j, w, share, true);
    vec ball = vec_add(foot.ankle, quat_rotate(foot.foot, leg->ball));
    vec under = {0.0, 0.0, -(leg->height + leg->ball.z)};
    points[0] = vec_add(foot.ankle, quat_rotate(foot.foot, leg->heel));
    points[1] = vec_add(ball, quat_rotate(foot.foot, under));
    points[2] = vec_add(ball, quat_rotate(foot.toe, vec_sub(leg->tip, leg->ball)));
}

static double hypot_of(double x, double y) { return sqrt(x * x + y * y); }

/* Lifts the foot until no sole point is nearer to the ground than half of the clearance of level walking,
 * less towards the ends. First each part of the swing for itself, then all together for what is still
 * lacking. */
void swing_clear(const amble_journey *j, swing *w, const double *height) {
    double margin = 0.5 * w->from->late->kind->tuned->clearance * j->way.leg;
    memset(w->lift, 0, sizeof w->lift);
    double lack[AMBLE_PROBE_MOMENTS];
    vec before[AMBLE_PROBE_POINTS] = {{0.0, 0.0, 0.0}};
    for (int i = 0; i < AMBLE_PROBE_MOMENTS; i++) {
        double s = (double)(i + 1) / (AMBLE_PROBE_MOMENTS + 1);
        vec points[AMBLE_PROBE_POINTS];
        swing_soles(j, w, s, points);
        double ends = 16.0 * s * s * (1.0 - s) * (1.0 - s);
        lack[i] = 0.0;
        for (int k = 0; k < AMBLE_PROBE_POINTS; k++) {
            double here = height[i * AMBLE_PROBE_POINTS + k];
            double need = here + margin * ends - points[k].z;
            lack[i] = need > lack[i] ? need : lack[i];
            /* Between two probes the ground may step up or down: both are over the higher side then. */
            double last = i ? height[(i - 1) * AMBLE_PROBE_POINTS + k] : here;
            double run = i ? hypot_of(points[k].x - before[k].x, points[k].y - before[k].y) : 0.0;
            if (here - last > run && i) {
                need = here + margin * ends - before[k].z;
                lack[i - 1] = need > lack[i - 1] ? need : lack[i - 1];
            } else if (last - here > run) {
                need = last + margin * ends - points[k].z;
                lack[i] = need > lack[i] ? need : lack[i];
            }
            before[k] = points[k];
        }
    }
    for (int i = 0; i < AMBLE_PROBE_MOMENTS / 5; i++) {
        w->blocked = w->blocked || (w->step > 0.0 && lack[i] > blocking * j->way.leg);
    }
    for (int pass = 0; pass < 40; pass++) {
        double worst = 0.0;
        for (int i = 0; i < AMBLE_PROBE_MOMENTS; i++) {
            double s = (double)(i + 1) / (AMBLE_PROBE_MOMENTS + 1);
            double shape_of[LIFTS];
            double have = 0.0;
            double sum = 0.0;
            for (int k = 0; k < LIFTS; k++) {
                shape_of[k] = lift_shape(k, s);
                have += w->lift[k] * shape_of[k];
                sum += shape_of[k] * shape_of[k];
            }
            double more = lack[i] - have;
            if (more > 0.0 && sum > 1e-6) {
                worst = more > worst ? more : worst;
                for (int k = 0; k < LIFTS; k++) {
                    w->lift[k] += more * shape_of[k] / sum;
                }
            }
        }
        if (worst < 1e-5 * j->way.leg) {
            break;
        }
    }
}

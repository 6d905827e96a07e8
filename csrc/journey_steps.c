/* Footfalls, and the feet between them.
 *
 * Where a foot stands, and how, is a function of the phase alone: in stance it rolls over heel, sole, ball
 * and tip on its own patch of ground (as in gait_stance.c); in swing it follows the course that the steady
 * gait of that speed would have, laid from plant to plant. A steady gait straight ahead comes out as
 * gait_swing.c has it: there, nothing is left to be corrected.
 */
#include "check.h"
#include "journey_private.h"

#include <stdlib.h>
#include <string.h>

/* Of sqrt(gravity * leg length): the slowest walk that a plan is made for. */
static const double slowest = 0.08;
/* Rise of a flat foot that is just lifted, of leg length. */
static const double step_lift = 0.03;
/* By how much more a foot is lifted that steps back. */
static const double back_lift = 0.02;
/* Height, of leg length, up to which ground is but rough, and from which a step is that of a stair: the foot
 * is lifted straight up, or put out, first. */
static const double rough = 0.06, stair = 0.14;
/* Step, of the steady gait's, up to which a foot does not roll. */
static const double least_roll = 0.2;
/* Step of differences, in strides. */
static const double nudge = 1e-4;

/* ---- Plans ---- */

const gait_plan *node_at(const amble_journey *j, int64_t index) {
    int64_t i = index - (int64_t)j->first_node;
    return j->node[i < 0 ? 0 : i >= j->nodes ? j->nodes - 1 : i];
}

/* The steady gait that makes strides as long as those that the way has around a phase. Feet are functions of
 * the phase alone, so that its speed does not matter: short strides are those of a slow gait, however quick.
 */
static void node_value(const amble_journey *j, double phase, double *value) {
    const way *w = &j->way;
    memcpy(value, j->value, sizeof j->value);
    double time = time_of(w, phase);
    moment m = way_at(w, time);
    double rate = rate_at(w, time) / w->asked;
    double stride = rate > 0.0 ? sqrt(m.vx * m.vx + m.vy * m.vy) / rate : 0.0;
    const gait_kind *kind = kind_at(w, effort_of(w, &m));
    double low = kind->slowest > slowest ? kind->slowest : slowest;
    double high = kind->fastest;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (natural_stride(kind, middle, w->leg) < stride) {
            low = middle;
        } else {
            high = middle;
        }
    }
    double vn = 0.5 * (low + high);
    value[AMBLE_GAIT_KIND] = (double)(kind - gait_kinds);
    value[AMBLE_GAIT_SPEED] = vn * w->unit;
    value[AMBLE_GAIT_CYCLE] =
        w->asked == 1.0 ? 0.0 : natural_stride(kind, vn, w->leg) / (vn * w->unit * w->asked);
}

static amble_error make_nodes(amble_journey *j) {
    const way *w = &j->way;
    double low = w->phase[0] - 2.0;
    double high = w->phase[w->samples - 1] + 2.0;
    j->first_node = floor(2.0 * low);
    j->nodes = (int64_t)(ceil(2.0 * high) - j->first_node) + 1;
    if (j->nodes > 4000000) {
        return amble_fail(AMBLE_BAD_VALUE, "place: the way takes more than a million strides");
    }
    j->plan = malloc((size_t)j->nodes * sizeof *j->plan);
    j->node = malloc((size_t)j->nodes * sizeof(gait_plan *));
    j->slope = calloc((size_t)j->nodes, sizeof *j->slope);
    if (!j->plan || !j->node || !j->slope) {
        return amble_fail(AMBLE_NO_MEMORY, "no memory for %lld steps", (long long)j->nodes);
    }
    double value[AMBLE_GAIT_SETTINGS];
    double before[AMBLE_GAIT_SETTINGS] = {0.0};
    gait_plan *next = j->plan;
    for (int64_t i = 0; i < j->nodes; i++) {
        node_value(j, 0.5 * (j->first_node + (double)i), value);
        bool same = i > 0;
        for (int k = 0; same && k < AMBLE_GAIT_SETTINGS; k++) {
            /* A steady speed is found again to rounding: the plan is the same then. */
            same = fabs(value[k] - before[k]) <= 1e-7 * fabs(value[k]);
        }
        if (!same) {
            *next = j->walker.plan;
            AMBLE_TRY(gait_make_plan(next, value));
            memcpy(before, value, sizeof before);
            next++;
        }
        j->node[i] = next - 1;
    }
    return AMBLE_SUCCESS;
}

/* ---- Footfalls ---- */

static double leg_phase(const amble_journey *j, int leg) { return j->walker.plan.leg[leg].phase; }

static const gait_plan *plan_of(const amble_journey *j, double strike) {
    return node_at(j, (int64_t)floor(2.0 * strike + 0.5));
}

/* The last strike of a leg at or before a phase. */
static double last_strike(const amble_journey *j, int leg, double phase) {
    double own = leg_phase(j, leg);
    return own + floor(phase - own + 1e-9);
}

/* The stand that holds a strike of this leg, or NULL: from the last one before it begins to the last one that
 * comes no later than just after it ends. */
static const stand *stand_of(const amble_journey *j, int leg, double strike, double *first, double *last) {
    const way *w = &j->way;
    for (int i = 0; i < w->stands; i++) {
        const stand *s = &w->stand[i];
        *first = isinf(s->in) ? -INFINITY : last_strike(j, leg, s->in - 0.05);
        *last = isinf(s->out) ? INFINITY : last_strike(j, leg, s->out + 0.1);
        if (strike >= *first - 1e-6 && strike <= *last + 1e-6) {
            return s;
        }
    }
    return NULL;
}

static double duty_of(const gait_plan *plan) { return plan->summary.duty; }

/* Where a plant lies and where it points: under where the hip is in the middle of its stance. */
static void aim_plant(const amble_journey *j, plant *p, const stand *stood) {
    const way *w = &j->way;
    const leg_plan *leg = &p->early->leg[p->leg];
    moment middle;
    vec across = {0.0, 0.0, 0.0};
    if (stood) {
        middle = way_at(w, stood->time);
    } else {
        moment a = way_at(w, p->strike_time);
        moment b = way_at(w, p->off_time);
        middle = way_at(w, time_of(w, 0.5 * (p->strike + p->off)));
        across = (vec){b.x - a.x, b.y - a.y, 0.0};
        middle.x = 0.25 * (a.x + b.x) + 0.5 * middle.x;
        middle.y = 0.25 * (a.y + b.y) + 0.5 * middle.y;
        middle.facing = 0.25 * (a.facing + b.facing) + 0.5 * middle.facing;
    }
    double s;
    double c;
    amble_sincos(middle.facing, &s, &c);
    vec ahead = {c, s, 0.0};
    vec left = {-s, c, 0.0};
    double gone = vec_length(across);
    vec way = gone > 1e-9 * w->leg ? vec_scale(across, 1.0 / gone) : ahead;
    /* Feet that go sideways must not cross: they stand wider by half of what they go. */
    double sideways = fabs(vec_dot(way, left));
    double stride = stood ? 0.0 : gone / (p->off - p->strike);
    double wider = 0.25 * stride * sideways * sideways;
    double side = leg->side + (leg->side > 0.0 ? wider : -wider);
    /* The ankle is behind the hip, as the foot reaches ahead of it; the more so, the further it swings. */
    double along = fabs(vec_dot(way, ahead)) * smooth_step(stride / (0.4 * p->early->summary.stride));
    double bias = (leg->ahead - 0.5 * p->early->summary.stride * duty_of(p->early)) * (0.4 + 0.6 * along);
    p->place =
        vec_add((vec){middle.x, middle.y, 0.0}, vec_add(vec_scale(left, side), vec_scale(ahead, bias)));
    p->heading = middle.facing;
    if (!stood) {
        /* The inner foot of a body that turns is put round ahead of it, the outer one comes after: put down
         * as the body faces in between, every other step would be toed in. Not for long steps ahead, whose
         * feet pass one another anyway. */
        double turned = 0.5 * (way_at(w, p->off_time).facing - way_at(w, p->strike_time).facing);
        double inner = leg->side * turned > 0.0 ? 1.0 : -1.0;
        p->heading += inner * 0.5 * turned * (1.0 - along);
    }
    p->normal = (vec){0.0, 0.0, 1.0};
}

/* Footfalls of a leg. out NULL: only counts them. */
static int64_t fall(const amble_journey *j, int leg, plant *out) {
    const way *w = &j->way;
    double end = w->phase[w->samples - 1] + 1.25;
    double strike = last_strike(j, leg, w->phase[0] - 1.25);
    int64_t count = 0;
    while (strike <= end) {
        double first = strike;
        double last = strike;
        const stand *stood = stand_of(j, leg, strike, &first, &last);
        if (!stood) {
            first = last = strike;
        }
        if (out) {
            plant *p = &out[count];
            *p = (plant){.leg = leg, .strike = first, .late_from = -INFINITY, .landing = 1.0};
            p->early = plan_of(j, isinf(first) ? last : first);
            p->late = plan_of(j, isinf(last) ? first : last);
            p->off = last + duty_of(p->late);
            p->late_from = stood && !isinf(last) ? stood->out : -INFINITY;
            p->strike_time = isinf(first) ? -INFINITY : time_of(w, first);
            p->off_time = isinf(last) ? INFINITY : time_of(w, p->off);
            aim_plant(j, p, stood);
        }
        count++;
        if (isinf(last)) {
            break;
        }
        strike = last + 1.0;
    }
    return count;
}

/* ---- Stance ---- */

/* Pitch of a foot on the ground: walking ahead it lands on the heel and leaves over the toe; walking back is
 * walking ahead with time reversed (Winter, Pluck, Yang 1989), landing on the toe. */
static double pitch_of(const plant *p, double phase) {
    double pitch = 0.0;
    if (!isinf(p->strike)) {
        const leg_plan *leg = &p->early->leg[p->leg];
        double u = phase - p->strike;
        pitch += p->before.ahead * p->landing * early_pitch(p->early, leg, u);
        if (p->before.back > 0.0) {
            pitch += p->before.back * late_pitch(p->early, leg, duty_of(p->early) - u);
        }
    }
    if (!isinf(p->off)) {
        const leg_plan *leg = &p->late->leg[p->leg];
        double u = duty_of(p->late) - (p->off - phase);
        double late = p->after.ahead * late_pitch(p->late, leg, u);
        if (p->after.back > 0.0) {
            late += p->after.back * early_pitch(p->late, leg, duty_of(p->late) - u);
        }
        pitch += isinf(p->late_from) ? late : late * smooth_step((phase - p->late_from) / 0.15);
    }
    return pitch;
}

static double bend_of(const leg_plan *leg, double pitch) {
    return pitch > 0.0 || !leg->toe ? 0.0 : toe_pitch(leg, pitch) - pitch;
}

/* Heights over the patch of ground of heel, ball and tip of a foot that stands pitched. */
static void stance_heights(const leg_plan *leg, double pitch, double height[3]) {
    vec ankle = rolled(leg, pitch);
    vec ball = vec_add(ankle, pitched(leg, pitch, leg->ball));
    vec tip = vec_add(ball, pitched(leg, pitch + bend_of(leg, pitch), vec_sub(leg->tip, leg->ball)));
    height[0] = ankle.z + pitched(leg, pitch, leg->heel).z - leg->heel.z;
    height[1] = ball.z - leg->ball.z;
    height[2] = tip.z - leg->tip.z;
}

void plant_windows(const plant *p, double window[3][2]) {
    enum { STEPS = 240 };
    const leg_plan *leg = &p->late->leg[p->leg];
    double seen = 5e-4 * p->late->summary.leg_length;
    const double least[3] = {seen, 0.1 * seen, 0.1 * seen};
    double start = isinf(p->strike) ? (isinf(p->off) ? 0.0 : fmin(p->late_from, p->off)) : p->strike;
    double end = isinf(p->off) ? start + 1.0 : p->off;
    /* The longest run of moments in which a point is down: a foot may rise a little and come down again. */
    double begun[3] = {INFINITY, INFINITY, INFINITY};
    for (int k = 0; k < 3; k++) {
        window[k][0] = INFINITY;
        window[k][1] = -INFINITY;
    }
    for (int i = 0; i <= STEPS; i++) {
        double phase = start + (end - start) * i / STEPS;
        double height[3];
        stance_heights(leg, pitch_of(p, phase), height);
        for (int k = 0; k < 3; k++) {
            if (height[k] > least[k]) {
                begun[k] = INFINITY;
                continue;
            }
            begun[k] = isinf(begun[k]) ? phase : begun[k];
            if (isinf(window[k][0]) || phase - begun[k] >= window[k][1] - window[k][0]) {
                window[k][0] = begun[k];
                window[k][1] = phase;
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        window[k][0] = isinf(p->strike) ? -INFINITY : window[k][0];
        window[k][1] = isinf(p->off) ? INFINITY : window[k][1];
    }
}

static const leg_plan *shape(const amble_journey *j, int leg) { return &j->walker.plan.leg[leg]; }

static vec stance_ankle(const amble_journey *j, const plant *p, double pitch) {
    const leg_plan *leg = &p->late->leg[p->leg];
    vec ankle = rolled(leg, pitch);
    ankle.z += shape(j, p->leg)->height;
    return vec_add(p->place, quat_rotate(p->turned, ankle));
}

static foot_place oriented(const leg_plan *leg, vec ankle, quat level, double pitch, double bend) {
    return (foot_place){.ankle = ankle,
                        .level = level,
                        .foot = quat_multiply(level, quat_from_axis(leg->axis, -pitch)),
                        .toe = quat_multiply(level, quat_from_axis(leg->axis, -(pitch + bend)))};
}

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
        c.gone += w->kind.ahead * a.gone;
        lift += w->kind.ahead * a.lift;
        double up = a.pitch - (1.0 - w->to->landing) * eased(a.pitch, 5.0 * DEGREES);
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
static foot_place swing_at(const amble_journey *j, const swing *w, double s, bool corrected) {
    course c = course_of(j, w, s);
    double step = smooth_step(s);
    /* Along the foot's heading as in the steady gait; what the plants lie further apart than there is gone
     * while the foot is well off the ground. */
    double up = w->step > 0.0 ? 1.0 : 0.0;
    double wait = 0.05 + w->stepping * (up > 0.0 ? 0.4 : 0.0);
    double lifted = smooth_step((s - wait) / (0.9 - 0.4 * w->stepping));
    double climbed = smooth_step((s - w->stepping * (1.0 - up) * 0.3) / (1.0 - 0.3 * w->stepping));
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
static void judge(const amble_journey *j, swing *w) {
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
    size *= 1.0 - w->stepping;
    double share = smooth_step(ahead + 0.5);
    w->kind = (swing_kind){size * share, size * (1.0 - share)};
    w->heading = (vec){c, s, 0.0};
    w->flat = 1.0 - size;
}

/* ---- Putting it together ---- */

/* Slope of the ground under a plant along its heading, rise over run. */
static double rise_of(const plant *p) {
    double s;
    double c;
    amble_sincos(p->heading, &s, &c);
    return -(p->normal.x * c + p->normal.y * s) / p->normal.z;
}

/* Everything that follows from where the plants lie. */
amble_error steps_place(amble_journey *j) {
    for (int l = 0; l < 2; l++) {
        for (int64_t i = 0; i < j->count[l]; i++) {
            plant *p = &j->plants[l][i];
            quat yaw = quat_from_axis((vec){0.0, 0.0, 1.0}, p->heading);
            p->turned = quat_multiply(quat_between((vec){0.0, 0.0, 1.0}, p->normal), yaw);
            double rise = rise_of(p);
            /* Downhill the whole sole comes down, uphill the foot already points up. */
            p->landing = rise < 0.0 ? 1.0 - smooth_step(-rise / 0.15) : 1.0 - 0.6 * smooth_step(rise / 0.4);
        }
        for (int64_t i = 0; i + 1 < j->count[l]; i++) {
            swing *w = &j->swings[l][i];
            *w = (swing){.from = &j->plants[l][i], .to = &j->plants[l][i + 1]};
            judge(j, w);
            j->plants[l][i].after = w->kind;
            j->plants[l][i + 1].before = w->kind;
        }
        for (int64_t i = 0; i + 1 < j->count[l]; i++) {
            swing *w = &j->swings[l][i];
            w->start_pitch = pitch_of(w->from, w->from->off);
            w->end_pitch = pitch_of(w->to, w->to->strike);
            w->start = stance_ankle(j, w->from, w->start_pitch);
            w->end = stance_ankle(j, w->to, w->end_pitch);
            w->steady = course_of(j, w, 1.0).gone;
            correct_end(j, w, 0);
            correct_end(j, w, 1);
        }
    }
    return heights_make(j);
}

void steps_free(amble_journey *j) {
    for (int l = 0; l < 2; l++) {
        free(j->plants[l]);
        free(j->swings[l]);
    }
    free(j->plan);
    free(j->node);
    free(j->slope);
}

amble_error steps_make(amble_journey *j) {
    AMBLE_TRY(make_nodes(j));
    for (int l = 0; l < 2; l++) {
        j->count[l] = fall(j, l, NULL);
        j->plants[l] = malloc((size_t)(j->count[l] + 1) * sizeof(plant));
        j->swings[l] = malloc((size_t)(j->count[l] + 1) * sizeof(swing));
        if (!j->plants[l] || !j->swings[l]) {
            return amble_fail(AMBLE_NO_MEMORY, "no memory for %lld footfalls", (long long)j->count[l]);
        }
        fall(j, l, j->plants[l]);
    }
    AMBLE_TRY(steps_place(j));
    static const double level[AMBLE_PROBE_MOMENTS * AMBLE_PROBE_POINTS] = {0.0};
    bool lifted = false;
    for (int l = 0; l < 2; l++) {
        for (int64_t i = 0; i + 1 < j->count[l]; i++) {
            swing *w = &j->swings[l][i];
            swing_clear(j, w, level);
            lifted = lifted || w->lift[0] > 0.0 || w->lift[1] > 0.0 || w->lift[2] > 0.0;
        }
    }
    return lifted ? heights_make(j) : AMBLE_SUCCESS;
}

foot_place foot_of(const amble_journey *j, int leg, double phase) {
    const plant *plants = j->plants[leg];
    int64_t low = 0;
    int64_t high = j->count[leg];
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (plants[middle].strike <= phase) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const plant *p = &plants[low];
    if (phase <= p->off || low + 1 >= j->count[leg]) {
        double pitch = pitch_of(p, phase);
        const leg_plan *own = &p->late->leg[leg];
        return oriented(own, stance_ankle(j, p, pitch), p->turned, pitch, bend_of(own, pitch));
    }
    const swing *w = &j->swings[leg][low];
    return swing_at(j, w, (phase - p->off) / (w->to->strike - p->off), true);
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

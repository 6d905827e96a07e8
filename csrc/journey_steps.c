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

/* By how much of the leg's length each foot is nearer to the body's middle where it goes straight aside: the
 * nearer feet close, the less wide they part. */
static const double narrow = 0.04;

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
    if (j->nodes < 1 || j->nodes > 4000000) {
        return amble_fail(AMBLE_BAD_VALUE, "place: the way takes more than a million strides");
    }
    j->plan = malloc((size_t)j->nodes * sizeof *j->plan);
    j->node = (gait_plan **)calloc((size_t)j->nodes, sizeof(gait_plan *));
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
    wider -= narrow * w->leg * smooth_step((sideways - 0.8) / 0.2) * smooth_step(stride / (0.2 * w->leg));
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
            /* The analyzer does not see that as many are filled as were counted. */
            // NOLINTNEXTLINE(clang-analyzer-security.ArrayBound)
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
double pitch_of(const plant *p, double phase) {
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

double bend_of(const leg_plan *leg, double pitch) {
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

const leg_plan *shape(const amble_journey *j, int leg) { return &j->walker.plan.leg[leg]; }

vec stance_ankle(const amble_journey *j, const plant *p, double pitch) {
    const leg_plan *leg = &p->late->leg[p->leg];
    vec ankle = rolled(leg, pitch);
    ankle.z += shape(j, p->leg)->height;
    return vec_add(p->place, quat_rotate(p->turned, ankle));
}

foot_place oriented(const leg_plan *leg, vec ankle, quat level, double pitch, double bend) {
    return (foot_place){.ankle = ankle,
                        .level = level,
                        .foot = quat_multiply(level, quat_from_axis(leg->axis, -pitch)),
                        .toe = quat_multiply(level, quat_from_axis(leg->axis, -(pitch + bend)))};
}

/* ---- Putting it together ---- */

/* Slope of the ground under a plant along its heading, rise over run. */
static double rise_of(const plant *p) {
    double s;
    double c;
    amble_sincos(p->heading, &s, &c);
    return -(p->normal.x * c + p->normal.y * s) / p->normal.z;
}

/* Feet on their way, for plants that lie. */
static void make_swings(amble_journey *j) {
    for (int l = 0; l < 2; l++) {
        for (int64_t i = 0; i + 1 < j->count[l]; i++) {
            swing *w = &j->swings[l][i];
            *w = (swing){.from = &j->plants[l][i], .to = &j->plants[l][i + 1], .tight = w->tight};
            judge(j, w);
            j->plants[l][i].after = w->kind;
            j->plants[l][i + 1].before = w->landing;
        }
        for (int64_t i = 0; i + 1 < j->count[l]; i++) {
            swing_join(j, &j->swings[l][i]);
        }
    }
}

bool steps_yield(amble_journey *j) {
    bool found = false;
    for (int l = 0; l < 2; l++) {
        for (int64_t i = 0; i + 1 < j->count[l]; i++) {
            swing *w = &j->swings[l][i];
            found = found || (w->blocked && !w->tight);
            w->tight = w->tight || w->blocked;
        }
    }
    if (found) {
        make_swings(j);
    }
    return found;
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
            j->swings[l][i].tight = false;
        }
    }
    make_swings(j);
    return heights_make(j);
}

void steps_free(amble_journey *j) {
    for (int l = 0; l < 2; l++) {
        free(j->plants[l]);
        free(j->swings[l]);
    }
    free(j->plan);
    free((void *)j->node);
    free(j->slope);
}

amble_error steps_make(amble_journey *j) {
    AMBLE_TRY(make_nodes(j));
    for (int l = 0; l < 2; l++) {
        j->count[l] = fall(j, l, NULL);
        j->plants[l] = calloc((size_t)j->count[l] + 1, sizeof(plant));
        j->swings[l] = calloc((size_t)j->count[l] + 1, sizeof(swing));
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

/* The pelvis over feet that go their own way: raised and lowered, as little and as smoothly as that no leg is
 * drawn out, no knee jerks, and none that stands bends deep without need.
 *
 * Everything else about the body and both feet is known at every phase, so that a leg's knee is a function of
 * the one height that is sought. With d the distance from hip to ankle and a, b thigh and shin, the flexion f
 * has d^2 = a^2 + b^2 + 2 a b cos f. The height is a spline over the phase; its coefficients are those of the
 * least sum of squares of
 *     the height itself, and its second differences;
 *     what a hip is higher than its leg reaches;
 *     what a knee's acceleration is more than that of people's knees at that speed;
 *     what a standing leg's knee is bent more than it need.
 * The last three count only where they are more than nothing; a steady gait on level ground that has none of
 * them is left as it is. Levenberg and Marquardt's steps lead there, each the solution of a banded system.
 */
#include "check.h"
#include "journey_private.h"

#include <stdlib.h>
#include <string.h>

/* Knots and moments in a stride; coefficients that three moments in a row depend on, most steps. */
enum { KNOTS = 16, MOMENTS = 64, BAND = 5, PASSES = 12 };

/* Largest distance of hip and ankle, of thigh + shin. */
static const double reach = 0.9975;
/* Acceleration of a knee, of people's largest, from which it counts: on level ground, and on ground as steep
 * as `uneven` (rise over run) or more. Below the dimensionless speed it is measured against that one's: there
 * a body but starts or stops. */
static const double acceleration_most = 1.15, acceleration_uneven = 1.65, uneven = 0.15,
                    acceleration_vn = 0.3;
/* Bend of a knee, radians, from which it counts: of a leg that stands alone, of any. */
static const double bend_most = 35.0 * DEGREES, deep = 100.0 * DEGREES;
/* What a moment of each costs: of the height (in leg lengths), of its second difference between knots, of
 * passing what a leg reaches, of acceleration (in people's largest), of bend (radians). */
static const double height_cost = 0.03, curve_cost = 32.0, reach_cost = 8000.0, acceleration_cost = 0.15,
                    bend_cost = 0.02;
/* Share of the cost by which a pass must better it for there to be another. */
static const double enough = 1e-3;

/* A leg at a moment: the ankle's level distance from the hip, squared, and how far the hip is above it while
 * the pelvis is where the plan has it. */
typedef struct leg_at {
    double level, above;
    double knee, slope; /* bend, and its change by height, at the last estimate */
    bool alone;         /* stands, and the other one does not */
} leg_at;

typedef struct pelvis_moment {
    double phase, time;
    double limit; /* of a knee's acceleration, radians a second squared */
    double height;
    int64_t place;    /* its first coefficient ... */
    double weight[4]; /* ... and the share of each */
    leg_at leg[2];
} pelvis_moment;

/* Normal equations of the coefficients: row i holds its diagonal and what is right of it. */
typedef struct normal {
    int64_t n;
    double (*a)[BAND];
    double *b;
} normal;

/* Bend of a knee, radians, and its change by height, where the pelvis is higher by so much. Past the leg's
 * reach both go on straight. */
static void bend_knee(const leg_plan *leg, double height, leg_at *at) {
    double a = leg->thigh;
    double b = leg->shin;
    double up = at->above + height;
    double distance = sqrt(at->level + up * up);
    double least = 0.3 * (a + b);
    distance = distance > least ? distance : least;
    double most = reach * (a + b);
    double inside = distance < most ? distance : most;
    double cosine = (inside * inside - a * a - b * b) / (2.0 * a * b);
    double sine = sqrt(1.0 - cosine * cosine > 1e-6 ? 1.0 - cosine * cosine : 1e-6);
    double by_distance = -inside / (a * b * sine);
    at->knee = amble_atan2(sine, cosine) + by_distance * (distance - inside);
    at->slope = by_distance * up / distance;
}

/* The largest acceleration of people's knees, radians a stride squared, at each speed measured. */
typedef struct peaks {
    double of[GAIT_KINDS][HUMAN_SPEEDS];
} peaks;

static peaks people_peaks(void) {
    peaks found = {{{0.0}}};
    for (int kind = 0; kind < GAIT_KINDS; kind++) {
        const human_curves *curves = gait_kinds[kind].curves;
        for (int v = 0; v < curves->speeds; v++) {
            series knee = human_at(curves, HUMAN_KNEE_FLEXION, curves->speed[v]);
            for (int i = 0; i < 100; i++) {
                turn at = turn_at(i / 100.0);
                double sum = 0.0;
                for (int h = 1; h <= HUMAN_HARMONICS; h++) {
                    double wave = 2.0 * AMBLE_PI * h;
                    sum += wave * wave * (knee.cosine[h] * at.cosine[h] + knee.sine[h] * at.sine[h]);
                }
                sum = fabs(DEGREES * sum);
                found.of[kind][v] = sum > found.of[kind][v] ? sum : found.of[kind][v];
            }
        }
    }
    return found;
}

/* The same a second squared, for legs as long as ours. */
static double people_peak(const way *w, const peaks *known, double effort) {
    effort = effort > acceleration_vn ? effort : acceleration_vn;
    const gait_kind *kind = kind_at(w, effort);
    const human_curves *curves = kind->curves;
    int low = 0;
    while (low + 2 < curves->speeds && effort > curves->speed[low + 1]) {
        low++;
    }
    double share = (effort - curves->speed[low]) / (curves->speed[low + 1] - curves->speed[low]);
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    const double *peak = known->of[kind - gait_kinds] + low;
    double rate = effort * w->unit / natural_stride(kind, effort, w->leg);
    rate *= w->asked > 1.0 ? w->asked : 1.0;
    return (peak[0] + share * (peak[1] - peak[0])) * rate * rate;
}

static bool stands(const amble_journey *j, int leg, double phase) {
    return phase <= plant_at(j, leg, phase)->off;
}

static leg_at leg_of(const amble_journey *j, const goals *g, int leg, double phase) {
    const leg_plan *shape = &j->walker.plan.leg[leg];
    vec hip = vec_add(g->pelvis, quat_rotate(g->hips, shape->hip));
    vec ankle = foot_of(j, leg, phase).ankle;
    double dx = ankle.x - hip.x;
    double dy = ankle.y - hip.y;
    return (leg_at){.level = dx * dx + dy * dy,
                    .above = hip.z - ankle.z,
                    .alone = stands(j, leg, phase) && !stands(j, 1 - leg, phase)};
}

/* Adds the equation factor * sum(row x) = target; eq NULL: not. */
static void add_row(normal *eq, int64_t place, const double *row, int terms, double factor, double target,
                    double cost) {
    /* The last moments have fewer coefficients than a band. */
    for (int k = 0; eq && k < terms && place + k < eq->n; k++) {
        for (int m = k; m < terms && place + m < eq->n; m++) {
            eq->a[place + k][m - k] += cost * factor * factor * row[k] * row[m];
        }
        eq->b[place + k] += cost * factor * row[k] * target;
    }
}

/* Cholesky's solution in place. */
static void solve_banded(normal *eq) {
    for (int64_t i = 0; i < eq->n; i++) {
        for (int k = BAND - 1; k >= 1; k--) {
            if (i < k) {
                continue;
            }
            double factor = eq->a[i - k][k] / eq->a[i - k][0];
            for (int m = 0; m + k < BAND; m++) {
                eq->a[i][m] -= factor * eq->a[i - k][k + m];
            }
            eq->b[i] -= factor * eq->b[i - k];
        }
    }
    for (int64_t i = eq->n - 1; i >= 0; i--) {
        for (int k = 1; k < BAND && i + k < eq->n; k++) {
            eq->b[i] -= eq->a[i][k] * eq->b[i + k];
        }
        eq->b[i] /= eq->a[i][0];
    }
}

/* What a knee's acceleration over three moments is more than it may be, in its limits; row: its change by the
 * heights of the three. */
static double over_acceleration(const pelvis_moment m[3], int leg, double row[3]) {
    double before = m[1].time - m[0].time;
    double after = m[2].time - m[1].time;
    if (!(before > 0.0 && after > 0.0)) {
        return 0.0;
    }
    double scale = 2.0 / ((before + after) * m[1].limit);
    double factor[3] = {scale / before, -scale / before - scale / after, scale / after};
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += factor[k] * m[k].leg[leg].knee;
        row[k] = factor[k] * m[k].leg[leg].slope;
    }
    double over = fabs(sum) - 1.0;
    return over <= 0.0 ? 0.0 : sum > 0.0 ? over : -over;
}

/* How far the pelvis is over what a leg reaches. */
static double over_reach(const leg_plan *leg, const pelvis_moment *m, const leg_at *at) {
    double longest = reach * (leg->thigh + leg->shin);
    double tall = longest * longest - at->level;
    double least = 0.04 * longest * longest;
    return m->height + at->above - sqrt(tall > least ? tall : least);
}

/* Adds what a moment asks for to the equations (NULL: not), in terms of the coefficients' change from those
 * that it was estimated with. Returns what it costs. */
static double add_moment(const amble_journey *j, const pelvis_moment *m, double jerks, normal *eq) {
    double size = j->way.leg;
    double height = m->height / size;
    double cost = height_cost * height * height;
    add_row(eq, m->place, m->weight, 4, 1.0 / size, -height, height_cost);
    for (int l = 0; l < 2; l++) {
        const leg_at *at = &m->leg[l];
        double over = over_reach(&j->walker.plan.leg[l], m, at) / size;
        if (over > 0.0) {
            cost += reach_cost * over * over;
            add_row(eq, m->place, m->weight, 4, 1.0 / size, -over, reach_cost);
        }
        over = at->knee - (at->alone ? bend_most : deep);
        if (over > 0.0) {
            cost += bend_cost * over * over;
            add_row(eq, m->place, m->weight, 4, at->slope, -over, bend_cost);
        }
        double factor[3] = {0.0};
        over = jerks > 0.0 ? over_acceleration(m - 1, l, factor) : 0.0;
        if (over != 0.0) {
            double row[BAND] = {0.0};
            cost += jerks * over * over;
            for (int k = 0; k < 3; k++) {
                int64_t shift = m[k - 1].place - m[-1].place;
                for (int n = 0; n < 4 && shift + n < BAND; n++) {
                    row[shift + n] += factor[k] * m[k - 1].weight[n];
                }
            }
            add_row(eq, m[-1].place, row, BAND, 1.0, -over, jerks);
        }
    }
    return cost;
}

/* Heights and knees for coefficients, and what they cost; eq: the equations of a better choice, or NULL. */
static double weigh(const amble_journey *j, const double *c, pelvis_moment *moments, int64_t count,
                    double jerks, normal *eq) {
    static const double second[3] = {1.0, -2.0, 1.0};
    double size = j->way.leg;
    double cost = 0.0;
    for (int64_t i = 0; i < count; i++) {
        pelvis_moment *m = &moments[i];
        m->height = 0.0;
        for (int k = 0; k < 4; k++) {
            m->height += m->weight[k] * c[m->place + k];
        }
        for (int l = 0; l < 2; l++) {
            bend_knee(&j->walker.plan.leg[l], m->height, &m->leg[l]);
        }
    }
    for (int64_t i = 0; i + 2 < j->lowered.count; i++) {
        double bent = (c[i] - 2.0 * c[i + 1] + c[i + 2]) / size;
        cost += curve_cost * bent * bent;
        add_row(eq, i, second, 3, 1.0 / size, -bent, curve_cost);
    }
    for (int64_t i = 0; i < count; i++) {
        cost += add_moment(j, &moments[i], i > 0 && i + 1 < count ? jerks : 0.0, eq);
    }
    return cost;
}

/* Levenberg and Marquardt's steps at one cost of acceleration: none is taken that costs more. */
static void better(amble_journey *j, pelvis_moment *moments, int64_t count, double jerks, normal *eq,
                   double *tried) {
    double *c = j->lowered.coefficient;
    double size = j->way.leg;
    double held = 1e-3;
    double cost = weigh(j, c, moments, count, jerks, NULL);
    for (int pass = 0; pass < PASSES && cost > 0.0; pass++) {
        memset(eq->a, 0, (size_t)eq->n * sizeof *eq->a);
        memset(eq->b, 0, (size_t)eq->n * sizeof *eq->b);
        weigh(j, c, moments, count, jerks, eq);
        for (int64_t i = 0; i < eq->n; i++) {
            eq->a[i][0] += (held + 1e-9) / (size * size);
        }
        solve_banded(eq);
        for (int64_t i = 0; i < eq->n; i++) {
            tried[i] = c[i] + eq->b[i];
        }
        double now = weigh(j, tried, moments, count, jerks, NULL);
        if (now < cost) {
            bool done = now > (1.0 - enough) * cost;
            memcpy(c, tried, (size_t)eq->n * sizeof *c);
            cost = now;
            held *= 0.3;
            if (done) {
                break;
            }
        } else {
            held *= 8.0;
        }
    }
}

/* First within reach, then with knees that jerk ever less: from far off, a body might squat to spare its
 * knees. */
static void fit(amble_journey *j, pelvis_moment *moments, int64_t count, normal *eq, double *tried) {
    static const double share[] = {0.0, 0.01, 0.1, 1.0};
    for (size_t i = 0; i < sizeof share / sizeof *share; i++) {
        better(j, moments, count, share[i] * acceleration_cost, eq, tried);
    }
}

/* How steep the ground under a plant is, rise over run. */
static double tilt_of(const plant *p) {
    return sqrt(p->normal.x * p->normal.x + p->normal.y * p->normal.y) / p->normal.z;
}

static pelvis_moment moment_of(const amble_journey *j, const peaks *known, double phase) {
    const way *w = &j->way;
    double time = time_of(w, phase);
    moment here = way_at(w, time);
    pelvis_moment m = {.phase = phase, .time = time};
    goals g;
    body_of(j, time, phase, &g);
    for (int leg = 0; leg < 2; leg++) {
        m.leg[leg] = leg_of(j, &g, leg, phase);
    }
    double steep = fabs(slope_at(j, settled(w, phase)));
    for (int leg = 0; leg < 2; leg++) {
        double tilt = tilt_of(plant_at(j, leg, phase));
        steep = tilt > steep ? tilt : steep;
    }
    double most = acceleration_most + (acceleration_uneven - acceleration_most) * smooth_step(steep / uneven);
    m.limit = most * people_peak(w, known, effort_of(w, &here));
    double share;
    m.place = bspline_place(&j->lowered, settled(w, phase), &share);
    bspline_weights(share, m.weight);
    return m;
}

amble_error lower_pelvis(amble_journey *j) {
    const way *w = &j->way;
    double first = floor(w->phase[0]) - 1.0;
    double last = w->phase[w->samples - 1] + 1.0;
    AMBLE_TRY(bspline_make(&j->lowered, first, last, 1.0 / KNOTS));
    /* Even moments of the phase, so that a steady gait has the same ones in every stride. */
    int64_t from = (int64_t)ceil(w->phase[0] * MOMENTS);
    int64_t count = (int64_t)floor(w->phase[w->samples - 1] * MOMENTS) - from + 1;
    count = count > 1 ? count : 1;
    peaks known = people_peaks();
    pelvis_moment *moments = malloc((size_t)count * sizeof *moments);
    normal eq = {.n = j->lowered.count};
    eq.a = malloc((size_t)eq.n * sizeof *eq.a);
    eq.b = malloc((size_t)eq.n * sizeof *eq.b);
    double *tried = malloc((size_t)eq.n * sizeof *tried);
    amble_error error = AMBLE_SUCCESS;
    if (moments && eq.a && eq.b && tried) {
        for (int64_t i = 0; i < count; i++) {
            moments[i] = moment_of(j, &known, (double)(from + i) / MOMENTS);
        }
        fit(j, moments, count, &eq, tried);
    } else {
        error = amble_fail(AMBLE_NO_MEMORY, "no memory for %lld moments of the pelvis", (long long)count);
    }
    free(moments);
    free(eq.a);
    free(eq.b);
    free(tried);
    return error;
}

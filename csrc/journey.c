/* The journey as motion over frames: the body on its way, over its feet. */
#include "check.h"
#include "journey_private.h"

#include <stdlib.h>
#include <string.h>

/* Accelerations are taken over this long either side, seconds: a body leans into what it will do. */
static const double lean_seconds = 0.35;
/* Of the angle at which a body would balance: how far it leans along and across its way. */
static const double lean_along = 0.4, lean_across = 0.7;
/* Of the ground's slope: how far the trunk leans up it, and down it. */
static const double lean_up = 0.5, lean_down = 0.15;
/* Seconds by which the head turns ahead of the body, and the most it does so, radians. */
static const double look_seconds = 0.35, look_most = 0.6;

static quat yaw_of(double angle) { return quat_from_axis((vec){0.0, 0.0, 1.0}, angle); }

/* Goes on beside x, but never past `most`. */
static double soft_limit(double x, double most) { return x / sqrt(1.0 + x * x / (most * most)); }

static vec mix(vec a, vec b, double t) { return vec_add(a, vec_scale(vec_sub(b, a), t)); }

/* Pelvis, chest and arms, as one plan has them. */
static void plan_body_at(const gait_plan *plan, double phase, goals *g) {
    pelvis_at(plan, phase, &g->pelvis, &g->hips);
    upper_at(plan, phase, g);
}

static void mix_body(goals *a, const goals *b, double t) {
    a->pelvis = mix(a->pelvis, b->pelvis, t);
    a->hips = quat_nlerp(a->hips, b->hips, t);
    a->chest = quat_nlerp(a->chest, b->chest, t);
    for (int i = 0; i < 2; i++) {
        a->upper[i] = vec_normalise(mix(a->upper[i], b->upper[i], t));
        a->fore[i] = vec_normalise(mix(a->fore[i], b->fore[i], t));
    }
}

/* The plan's body walking ahead (share 1), or back (0): ahead with time reversed. */
static void directed(const gait_plan *plan, double phase, double share, goals *g) {
    double back = plan->summary.duty - phase + 2.0 * plan->leg[0].phase;
    plan_body_at(plan, share > 0.0 ? phase : back, g);
    if (share > 0.0 && share < 1.0) {
        goals other;
        plan_body_at(plan, back, &other);
        mix_body(g, &other, 1.0 - share);
    }
}

/* A body that stands: the plan's without its motion. */
static goals still_of(const gait_plan *plan) {
    goals g;
    g.pelvis = (vec){plan->rest_fore, 0.0, plan->height[0]};
    g.hips = quat_from_axis((vec){0.0, 1.0, 0.0}, 0.3 * plan->lean);
    g.chest = quat_from_axis((vec){0.0, 1.0, 0.0}, plan->lean + plan->hunch);
    quat raised = quat_from_axis((vec){0.0, 1.0, 0.0}, -plan->arm_raise);
    quat bent = quat_from_axis((vec){0.0, 1.0, 0.0}, -plan->arm_raise - plan->elbow_bend);
    for (int i = 0; i < 2; i++) {
        double outward = i ? -1.0 : 1.0;
        g.upper[i] = quat_rotate(raised, vec_normalise((vec){-0.05, 0.14 * outward, -1.0}));
        g.fore[i] = quat_rotate(bent, vec_normalise((vec){0.2, 0.02 * outward, -1.0}));
    }
    return g;
}

/* The turn by which the body leans, against its facing, at a time. */
static quat lean_at(const amble_journey *j, const moment *m, double time, double life) {
    const way *w = &j->way;
    moment a = way_at(w, time - lean_seconds);
    moment b = way_at(w, time + lean_seconds);
    double over = lean_seconds * lean_seconds * j->value[AMBLE_GAIT_GRAVITY];
    double x = (b.x - 2.0 * m->x + a.x) / over;
    double y = (b.y - 2.0 * m->y + a.y) / over;
    double s;
    double c;
    amble_sincos(m->facing, &s, &c);
    double along = life * soft_limit(lean_along * (x * c + y * s), 0.2);
    double across = life * soft_limit(lean_across * (y * c - x * s), 0.4);
    return quat_multiply(quat_from_axis((vec){1.0, 0.0, 0.0}, -across),
                         quat_from_axis((vec){0.0, 1.0, 0.0}, along));
}

void body_of(const amble_journey *j, double time, double phase, goals *g) {
    const way *w = &j->way;
    moment m = way_at(w, time);
    double slow = settled(w, phase);
    double at = 2.0 * slow;
    double whole = floor(at);
    double along = ahead_of(w, &m);
    double share = smooth_step(along + 0.5);
    double effort = effort_of(w, &m);
    double life = smooth_step(effort / lively);
    double motion = life * (0.4 + 0.6 * along * along);

    *g = (goals){.heading = yaw_of(m.facing)};
    goals rest = {.heading = g->heading};
    /* Plans of four steps, so that a gait that changes does so over more than one; alike ones count together.
     */
    double weight[4];
    bspline_weights(at - whole, weight);
    double sum = 0.0;
    for (int k = 0; k < 4;) {
        const gait_plan *plan = node_at(j, (int64_t)whole - 1 + k);
        double own = 0.0;
        for (; k < 4 && node_at(j, (int64_t)whole - 1 + k) == plan; k++) {
            own += weight[k];
        }
        goals here = {.heading = g->heading};
        directed(plan, phase, share, &here);
        goals still = still_of(plan);
        if (sum == 0.0) {

            *g = here;
            rest = still;
        } else {
            mix_body(g, &here, own / (sum + own));
            mix_body(&rest, &still, own / (sum + own));
        }
        sum += own;
    }
    if (motion < 1.0) {
        double height = rest.pelvis.z + (g->pelvis.z - rest.pelvis.z) * life;
        goals moving = *g;
        *g = (goals){.heading = moving.heading};
        g->pelvis = rest.pelvis;
        g->hips = rest.hips;
        g->chest = rest.chest;
        memcpy(g->upper, rest.upper, sizeof rest.upper);
        memcpy(g->fore, rest.fore, sizeof rest.fore);
        mix_body(g, &moving, motion);
        g->pelvis.z = height;
    }
    double slope = slope_at(j, slow);
    quat lean = lean_at(j, &m, time, life);
    double up = slope > 0.0 ? lean_up * slope : lean_down * slope;
    quat trunk = quat_multiply(lean, quat_from_axis((vec){0.0, 1.0, 0.0}, soft_limit(up, 0.35)));
    g->root = (vec){m.x, m.y, bspline_at(&j->base, slow)};
    g->pelvis = vec_add(g->root, quat_rotate(g->heading, quat_rotate(lean, g->pelvis)));
    g->hips = quat_multiply(g->heading, quat_multiply(lean, g->hips));
    g->chest = quat_multiply(g->heading, quat_multiply(trunk, g->chest));
    double ahead = way_at(w, time + look_seconds).facing - m.facing;
    g->head = quat_multiply(yaw_of(m.facing + soft_limit(ahead, look_most) * life),
                            quat_from_axis((vec){0.0, 1.0, 0.0}, j->value[AMBLE_GAIT_NOD]));
    for (int k = 0; k < 2; k++) {
        g->upper[k] = quat_rotate(g->heading, g->upper[k]);
        g->fore[k] = quat_rotate(g->heading, g->fore[k]);
    }
}

static void pose_journey(const amble_journey *j, int travel, double time, channels *out, double track[4]) {
    const walker *w = &j->walker;
    double phase = phase_at(&j->way, time);
    goals g;
    body_of(j, time, phase, &g);
    track[0] = g.root.x;
    track[1] = g.root.y;
    track[2] = g.root.z;
    track[3] = way_at(&j->way, time).facing;
    g.pelvis.z += bspline_at(&j->lowered, settled(&j->way, phase));
    for (int i = 0; i < 2; i++) {
        foot_place foot = foot_of(j, i, phase);
        g.ankle[i] = foot.ankle;
        g.foot[i] = foot.foot;
        g.toe[i] = foot.toe;
        /* The knee points between the way the body faces and the way the foot does. */
        const leg_plan *leg = &w->plan.leg[i];
        vec heading = vec_normalise((vec){leg->ball.x, leg->ball.y, 0.0});
        double sign = w->pole[i].x < 0.0 ? -1.0 : 1.0;
        vec facing = quat_rotate(g.heading, (vec){1.0, 0.0, 0.0});
        g.pole[i] = vec_scale(vec_normalise(vec_add(quat_rotate(foot.level, heading), facing)), sign);
    }
    if (!travel) {
        /* Seen from the body on its way. */
        quat back = quat_conjugate(g.heading);
        vec root = g.root;
        g.pelvis = quat_rotate(back, vec_sub(g.pelvis, root));
        g.hips = quat_multiply(back, g.hips);
        g.chest = quat_multiply(back, g.chest);
        g.head = quat_multiply(back, g.head);
        for (int i = 0; i < 2; i++) {
            g.ankle[i] = quat_rotate(back, vec_sub(g.ankle[i], root));
            g.pole[i] = quat_rotate(back, g.pole[i]);
            g.foot[i] = quat_multiply(back, g.foot[i]);
            g.toe[i] = quat_multiply(back, g.toe[i]);
            g.upper[i] = quat_rotate(back, g.upper[i]);
            g.fore[i] = quat_rotate(back, g.fore[i]);
        }
        g.root = (vec){0.0, 0.0, 0.0};
        g.heading = (quat){1.0, 0.0, 0.0, 0.0};
    }
    assemble(w, &g, out);
}

amble_error amble_journey_pose(const amble_journey *j, int travel, int64_t frames, const double *time,
                               const amble_gait_result *result, double *track, double *track_slope) {
    AMBLE_TRY(amble_check_values_double("time", time, frames, 1e9));
    int64_t moved = list_moved(&j->walker, result->bones);
    channels *poses = malloc(3 * (size_t)(moved + 1) * sizeof *poses);
    walker copy = j->walker;
    copy.turned = malloc((size_t)(copy.slots + 1) * sizeof *copy.turned);
    copy.place = malloc((size_t)(copy.slots + 1) * sizeof *copy.place);
    amble_journey own = *j;
    own.walker = copy;
    amble_error error = AMBLE_SUCCESS;
    if (!poses || !copy.turned || !copy.place) {
        error = amble_fail(AMBLE_NO_MEMORY, "no memory for %lld bones", (long long)moved);
    }
    double step = 1e-5; /* seconds; see write_frames() of gait.c */
    for (int64_t f = 0; error.code == AMBLE_OK && f < frames; f++) {
        double at[4];
        double before[4];
        double after[4];
        pose_journey(&own, travel, time[f], poses, at);
        pose_journey(&own, travel, time[f] - step, poses + moved, before);
        pose_journey(&own, travel, time[f] + step, poses + 2 * moved, after);
        write_frame(poses, moved, 2.0 * step, f, frames, result);
        for (int k = 0; k < 4; k++) {
            track[k * frames + f] = at[k];
            track_slope[k * frames + f] = (after[k] - before[k]) / (2.0 * step);
        }
    }
    free(poses);
    free(copy.turned);
    free(copy.place);
    *result->summary = node_at(j, (int64_t)floor(2.0 * phase_at(&j->way, frames ? time[0] : 0.0)))->summary;
    return error;
}

/* ---- What the caller sees ---- */

int64_t amble_journey_plants(const amble_journey *j) { return j->count[0] + j->count[1]; }

int64_t amble_journey_swings(const amble_journey *j) {
    int64_t left = j->count[0] > 0 ? j->count[0] - 1 : 0;
    int64_t right = j->count[1] > 0 ? j->count[1] - 1 : 0;
    return left + right;
}

int64_t amble_journey_moved(const amble_journey *j) { return list_moved(&j->walker, NULL); }

static double seconds_of(const way *w, double phase) {
    if (isinf(phase)) {
        return phase < 0.0 ? -AMBLE_NEVER : AMBLE_NEVER;
    }
    return time_of(w, phase);
}

void amble_journey_get_plants(const amble_journey *j, amble_plant *plants) {
    const way *w = &j->way;
    for (int l = 0; l < 2; l++) {
        for (int64_t i = 0; i < j->count[l]; i++) {
            const plant *p = &j->plants[l][i];
            double window[3][2];
            double time[3][2];
            plant_windows(p, window);
            for (int k = 0; k < 6; k++) {
                time[k / 2][k % 2] = seconds_of(w, window[k / 2][k % 2]);
            }
            *plants++ = (amble_plant){
                .leg = l,
                .strike = seconds_of(w, p->strike),
                .off = seconds_of(w, p->off),
                .heel = {time[0][0], time[0][1]},
                .ball = {time[1][0], time[1][1]},
                .tip = {time[2][0], time[2][1]},
                .place = {p->place.x, p->place.y, p->place.z},
                .heading = p->heading,
                .normal = {p->normal.x, p->normal.y, p->normal.z},
            };
        }
    }
}

static void clear_lifts(amble_journey *j) {
    for (int l = 0; l < 2; l++) {
        for (int64_t i = 0; i + 1 < j->count[l]; i++) {
            memset(j->swings[l][i].lift, 0, sizeof j->swings[l][i].lift);
        }
    }
}

amble_error amble_journey_set_plants(amble_journey *j, const amble_plant *plants) {
    int64_t count = amble_journey_plants(j);
    for (int64_t i = 0; i < count; i++) {
        const amble_plant *p = &plants[i];
        AMBLE_TRY(amble_check_values_double("plants", p->place, 7, AMBLE_LARGEST));
        const double *n = p->normal;
        double length = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        if (!(fabs(length - 1.0) < 1e-3 && n[2] > 0.05)) {
            return amble_fail(AMBLE_BAD_VALUE, "plants: normal %lld is no unit vector that points up",
                              (long long)i);
        }
    }
    for (int l = 0; l < 2; l++) {
        for (int64_t i = 0; i < j->count[l]; i++, plants++) {
            plant *p = &j->plants[l][i];
            p->place = (vec){plants->place[0], plants->place[1], plants->place[2]};
            p->normal = vec_normalise((vec){plants->normal[0], plants->normal[1], plants->normal[2]});
            p->heading = plants->heading;
        }
    }
    clear_lifts(j);
    return steps_place(j);
}

static double probe_share(int i) { return (double)(i + 1) / (AMBLE_PROBE_MOMENTS + 1); }

void amble_journey_get_probes(const amble_journey *j, double *place) {
    int64_t total = amble_journey_swings(j) * AMBLE_PROBE_MOMENTS * AMBLE_PROBE_POINTS;
    for (int l = 0; l < 2; l++) {
        for (int64_t i = 0; i + 1 < j->count[l]; i++) {
            for (int k = 0; k < AMBLE_PROBE_MOMENTS; k++) {
                vec points[AMBLE_PROBE_POINTS];
                swing_soles(j, &j->swings[l][i], probe_share(k), points);
                for (int m = 0; m < AMBLE_PROBE_POINTS; m++, place++) {
                    place[0] = points[m].x;
                    place[total] = points[m].y;
                }
            }
        }
    }
}

amble_error amble_journey_set_heights(amble_journey *j, const double *height) {
    const int64_t each = (int64_t)AMBLE_PROBE_MOMENTS * AMBLE_PROBE_POINTS;
    AMBLE_TRY(amble_check_values_double("height", height, amble_journey_swings(j) * each, AMBLE_LARGEST));
    const double *here = height;
    for (int pass = 0; pass < 2; pass++) {
        here = height;
        for (int l = 0; l < 2; l++) {
            for (int64_t i = 0; i + 1 < j->count[l]; i++, here += each) {
                swing_clear(j, &j->swings[l][i], here);
            }
        }
        if (pass == 0 && !steps_yield(j)) {
            break;
        }
    }
    return heights_make(j);
}

/* ---- Making and freeing ---- */

/* Copies the body's arrays into one block. */
static amble_error copy_body(amble_journey *j, const amble_gait_body *from) {
    const amble_skeleton *s = from->skeleton;
    if (s->bones < 0 || from->spine_count < 0 || from->neck_count < 0 || from->followers < 0 ||
        from->mixed < 0) {
        return amble_fail(AMBLE_BAD_VALUE, "parents, spine, neck or followers, mixed: a count is negative");
    }
    size_t bones = (size_t)s->bones;
    size_t mixed = (size_t)from->mixed;
    size_t rest = bones * 16 * sizeof(double);
    size_t ints = (bones * 2 + (size_t)from->spine_count + (size_t)from->neck_count +
                   2 * (size_t)from->followers + 3 * mixed) *
                  sizeof(int32_t);
    char *block = malloc(rest + mixed * sizeof(double) + ints + 1);
    if (!block) {
        return amble_fail(AMBLE_NO_MEMORY, "no memory for %lld bones", (long long)s->bones);
    }
    j->copies = block;
    j->skeleton = *s;
    j->body = *from;
    j->body.skeleton = &j->skeleton;
    const struct {
        const void *from;
        size_t size;
        const void **to;
    } parts[] = {
        {s->rest, rest, (const void **)&j->skeleton.rest},
        {from->share, mixed * sizeof(double), (const void **)&j->body.share},
        {s->parents, bones * 4, (const void **)&j->skeleton.parents},
        {s->flags, s->flags ? bones * 4 : 0, s->flags ? (const void **)&j->skeleton.flags : NULL},
        {from->spine, (size_t)from->spine_count * 4, (const void **)&j->body.spine},
        {from->neck, (size_t)from->neck_count * 4, (const void **)&j->body.neck},
        {from->follower, (size_t)from->followers * 8, (const void **)&j->body.follower},
        {from->mix, mixed * 12, (const void **)&j->body.mix},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].to && parts[i].size) {
            memcpy(block, parts[i].from, parts[i].size);
            *parts[i].to = block;
            block += parts[i].size;
        }
    }
    return AMBLE_SUCCESS;
}

void amble_journey_free(amble_journey *j) {
    if (j) {
        heights_free(j);
        steps_free(j);
        way_free(&j->way);
        release(&j->walker);
        free(j->copies);
        free(j);
    }
}

static amble_error make(amble_journey *j, const amble_gait_body *body, const double *value,
                        const amble_way *from, int first) {
    AMBLE_TRY(check_settings(value));
    AMBLE_TRY(copy_body(j, body));
    memcpy(j->value, value, sizeof j->value);
    AMBLE_TRY(set_up_body(&j->walker, &j->body));
    AMBLE_TRY(way_make(&j->way, from, &j->walker.plan, value, first));
    return steps_make(j);
}

amble_error amble_journey_new(const amble_gait_body *body, const double *value, const amble_way *way,
                              int first, amble_journey **journey) {
    amble_journey *j = calloc(1, sizeof *j);
    *journey = NULL;
    if (!j) {
        return amble_fail(AMBLE_NO_MEMORY, "no memory for a journey");
    }
    amble_error error = make(j, body, value, way, first);
    if (error.code != AMBLE_OK) {
        amble_journey_free(j);
        return error;
    }
    *journey = j;
    return error;
}

/* The trunk: thrown by its legs, lowered until they reach, bent and turned with them; neck and tail. */
#include "check.h"
#include "legged_private.h"

#include <stdlib.h>
#include <string.h>

enum { WAVES = 4 };

/* Duty factors between which the force of a leg goes from one hump to two, and how deep the dip is. */
static const double one_hump = 0.45, two_humps = 0.62, dip = 0.35;
/* Turn and list of a girdle by its legs, radians; sway, of the body's size. */
static const double usual_turn = 4.5 * DEGREES, usual_list = 2.5 * DEGREES, usual_sway = 0.011;
/* Below this Froude number legs vault less than the formula says, which is for stiff ones. */
static const double slow = 0.15;
/* Most of the body's size by which a girdle is thrown, either way. */
static const double most_thrown = 0.16;
/* Turn of the neck, radians, by a girdle's rise of the body's size; the tail's, by the pelvis's turn. */
static const double usual_nod = 2.2, usual_wag = 1.6, usual_whip = 1.5;

/* A complex number. */
typedef struct wave {
    double re, im;
} wave;

static wave wave_mul(wave a, wave b) { return (wave){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

static wave wave_at(double turns) {
    wave w;
    amble_sincos(2.0 * AMBLE_PI * (turns - floor(turns)), &w.im, &w.re);
    return w;
}

/* integral of sin(k pi u / d) e^(-2 pi i n u) for u from 0 to d, k odd: with a = k pi / d, b = 2 pi n
 *     a (1 + e^(-i b d)) / (a^2 - b^2). */
static wave hump(int k, double d, int n) {
    double a = k * AMBLE_PI / d;
    double b = 2.0 * AMBLE_PI * n;
    double under = a * a - b * b;
    if (fabs(under) < 1e-4 * a * a) { /* there the formula is 0 / 0; a stance a hair longer is as good */
        d *= 1.0 + 1e-3;
        a = k * AMBLE_PI / d;
        under = a * a - b * b;
    }
    wave turn = wave_at(-n * d);
    double scale = a / under;
    return (wave){scale * (1.0 + turn.re), scale * turn.im};
}

/* Wave n of the force of a leg over a stride, from its touch-down on. */
static wave force(double duty, int n) {
    double share = dip * smooth_step((duty - one_hump) / (two_humps - one_hump));
    wave first = hump(1, duty, n);
    wave third = hump(3, duty, n);
    return (wave){first.re + share * third.re, first.im + share * third.im};
}

/* How high a girdle is over its mean, and how it turns and lists by its legs. `ago`: strides before. */
typedef struct girdle_pose {
    double rise, turn, list, sway;
} girdle_pose;

/* In strides u a girdle's height accelerates by G (F - 1), F the force of its legs in weights and G = gravity
 * / rate^2: its wave n is -G / (2 pi n)^2 that of the force. */
static girdle_pose girdle_at(const legged *l, const legged_moment *m, int girdle, double ago) {
    girdle_pose p = {0.0, 0.0, 0.0, 0.0};
    wave sum[WAVES + 1];
    memset(sum, 0, sizeof sum);
    double mean = 0.0;
    int count = 0;
    for (int64_t i = 0; i < l->legs; i++) {
        const limb *leg = &l->limb[i];
        if (leg->girdle != girdle) {
            continue;
        }
        count++;
        double own = m->phase - m->offset[i] - ago;
        mean += force(m->duty[i], 0).re;
        for (int n = 1; n <= WAVES; n++) {
            wave f = wave_mul(force(m->duty[i], n), wave_at(n * own));
            sum[n].re += f.re;
        }
        wave strike = wave_at(own);
        wave middle = wave_at(own - 0.5 * m->duty[i]);
        p.turn -= leg->side * strike.re;
        p.list += leg->side * middle.re;
        p.sway += leg->side * middle.re;
    }
    if (!count) {
        return p;
    }
    double froude = m->speed * m->speed / (l->value[AMBLE_LEGGED_GRAVITY] * l->size);
    double thrown = m->rate > 0.0 ? l->value[AMBLE_LEGGED_GRAVITY] / (m->rate * m->rate) : 0.0;
    thrown *= froude < slow ? froude / slow : 1.0;
    for (int n = 1; n <= WAVES; n++) {
        p.rise -= thrown / (4.0 * AMBLE_PI * AMBLE_PI * n * n) * 2.0 * sum[n].re / mean;
    }
    p.rise *= l->value[AMBLE_LEGGED_BOUNCE];
    double most = most_thrown * l->size;
    p.rise = most * p.rise / sqrt(most * most + p.rise * p.rise); /* never more than that, and smoothly */
    double lively = froude < slow ? sqrt(froude / slow) : 1.0;
    double each = lively / count;
    p.turn *= usual_turn * l->value[AMBLE_LEGGED_TURN] * each;
    p.list *= usual_list * l->value[AMBLE_LEGGED_TURN] * each;
    p.sway *= usual_sway * l->size * l->value[AMBLE_LEGGED_SWAY] * each;
    return p;
}

/* Bend of the back: most where the hind legs reach ahead together, least where they leave; none where they
 * take turns. */
static double flexed(const legged *l, const legged_moment *m) {
    wave sum = {0.0, 0.0};
    int count = 0;
    for (int64_t i = 0; i < l->legs; i++) {
        if (l->limb[i].girdle == 0) {
            wave w = wave_at(m->phase - m->offset[i] + 0.04);
            sum.re += w.re;
            sum.im += w.im;
            count++;
        }
    }
    return count ? 0.5 * m->flex * sum.re / count : 0.0;
}

static double lowered_at(const legged *l, int girdle, double time) {
    if (!l->low) {
        return 0.0;
    }
    amble_legged_way knots = {.samples = l->knots, .start = l->way->start, .step = l->knot_step};
    double end = knots.start + knots.step * (double)(knots.samples - 1);
    time = time < knots.start ? knots.start : time > end ? end : time;
    return sampled(&knots, l->low + (int64_t)girdle * l->knots, time);
}

/* Heave and pitch of a stiff trunk that comes nearest to its girdles' heights: the mean, and the slope of the
 * line through them. */
typedef struct heights {
    double mean, slope, ground, ground_slope;
} heights;

static heights fit_heights(const legged *l, double time, const legged_moment *m, bool lowered,
                           girdle_pose *pose) {
    heights h = {0.0, 0.0, 0.0, 0.0};
    double square = 0.0;
    for (int g = 0; g < l->girdles; g++) {
        double ground = 0.0;
        int count = 0;
        for (int64_t i = 0; i < l->legs; i++) {
            if (l->limb[i].girdle == g) {
                ground += ground_under(l, (int)i, time);
                count++;
            }
        }
        ground /= count;
        pose[g] = girdle_at(l, m, g, 0.0);
        double z = pose[g].rise + ground - (lowered ? lowered_at(l, g, time) : 0.0);
        double x = l->girdle_x[g] - l->centre.x;
        h.mean += z / l->girdles;
        h.ground += ground / l->girdles;
        h.slope += x * z;
        h.ground_slope += x * ground;
        square += x * x;
    }
    double far = 0.04 * l->size;
    if (l->girdles < 2 || square < far * far) {
        h.slope = h.ground_slope = 0.0;
    } else {
        h.slope /= square;
        h.ground_slope /= square;
    }
    return h;
}

/* Turn of the body's own axes: nose down by `pitch`, to the left by `yaw`, left side up by `roll`. */
static quat turned_by(double yaw, double pitch, double roll) {
    return quat_multiply(quat_from_axis((vec){0.0, 0.0, 1.0}, yaw),
                         quat_multiply(quat_from_axis((vec){0.0, 1.0, 0.0}, pitch),
                                       quat_from_axis((vec){1.0, 0.0, 0.0}, roll)));
}

legged_trunk trunk_at(const legged *l, double time, const legged_moment *m, bool lowered) {
    girdle_pose pose[GIRDLES] = {{0.0, 0.0, 0.0, 0.0}};
    heights h = fit_heights(l, time, m, lowered, pose);
    int last = l->girdles > 1 ? l->girdles - 1 : 0;
    double bent = flexed(l, m);
    double pitch = l->value[AMBLE_LEGGED_LEAN] - amble_atan2(h.slope, 1.0);
    double sway = 0.0;
    for (int g = 0; g < l->girdles; g++) {
        sway += pose[g].sway / l->girdles;
    }
    quat heading = quat_from_axis((vec){0.0, 0.0, 1.0}, m->facing);
    legged_trunk t;
    t.hind = quat_multiply(heading, turned_by(pose[0].turn, pitch - 0.5 * bent, pose[0].list));
    t.fore = quat_multiply(heading, turned_by(pose[last].turn, pitch + 0.5 * bent, pose[last].list));
    t.level = quat_multiply(heading, turned_by(0.0, -0.5 * amble_atan2(h.ground_slope, 1.0), 0.0));
    t.nod = l->value[AMBLE_LEGGED_NOD] * usual_nod * pose[last].rise / l->size;
    vec pelvis = frame_direction(
        &l->w.frame, vec_sub(rest_head(l->body->skeleton, l->body->part[l->pelvis].bone), l->w.frame.origin));
    /* Each girdle turns about its own middle; the line between them heaves and pitches. */
    vec hips = {l->girdle_x[0], 0.0, l->girdle_z[0]};
    quat pitched = quat_multiply(heading, turned_by(0.0, pitch, 0.0));
    vec ahead = quat_rotate(heading, (vec){l->centre.x, sway, l->centre.z + h.mean});
    vec middle = vec_add(m->place, ahead);
    t.place = vec_add(middle, vec_add(quat_rotate(pitched, vec_sub(hips, l->centre)),
                                      quat_rotate(t.hind, vec_sub(pelvis, hips))));
    t.base = (vec){m->place.x, m->place.y, h.ground};
    return t;
}

quat tail_turn(const legged *l, const legged_moment *m, double ago) {
    girdle_pose p = girdle_at(l, m, 0, ago);
    girdle_pose now = girdle_at(l, m, 0, 0.0);
    double factor = l->value[AMBLE_LEGGED_TAIL_SWING];
    double yaw = factor * usual_wag * (p.turn - now.turn);
    double pitch = factor * usual_whip * (now.rise - p.rise) / l->size;
    return turned_by(yaw, pitch, 0.0);
}

/* ---- All but the legs ---- */

/* How much a shoulder swings with its leg: by the angle of the line from its head to the foot. */
static quat shoulder_turn(const legged *l, const limb *leg, int index, double time, const legged_moment *m,
                          vec head, vec rest, quat base) {
    footing foot = footing_at(l, index, time, m);
    vec to = vec_normalise(vec_sub(foot_joint(leg, &foot), head));
    vec from = vec_normalise(vec_sub(leg->joint[leg->joints], rest));
    return quat_slerp(base, aim(base, from, to), l->body->weight[leg->shoulder]);
}

static quat part_turn(const legged *l, const slot *s, const legged_trunk *t, double time,
                      const legged_moment *m, vec head, quat base) {
    const amble_legged_part *part = &l->body->part[s->which];
    double weight = l->body->weight[s->which];
    switch ((amble_legged_kind)part->kind) {
    case AMBLE_LEGGED_ROOT:
        return quat_from_axis((vec){0.0, 0.0, 1.0}, m->facing);
    case AMBLE_LEGGED_PELVIS:
        return t->hind;
    case AMBLE_LEGGED_TRUNK:
        return quat_slerp(t->hind, t->fore, weight);
    case AMBLE_LEGGED_NECK: {
        double middle = 4.0 * weight * (1.0 - weight) + 0.25 * weight;
        quat nod = quat_from_axis((vec){0.0, 1.0, 0.0}, t->nod * middle);
        return quat_multiply(quat_slerp(t->fore, t->level, weight), nod);
    }
    case AMBLE_LEGGED_TAIL:
        return quat_multiply(base, tail_turn(l, m, weight));
    case AMBLE_LEGGED_SHOULDER:
        return shoulder_turn(l, &l->limb[part->which], part->which, time, m, head, s->head, base);
    case AMBLE_LEGGED_LEG:
    case AMBLE_LEGGED_KINDS:
        break;
    }
    return base;
}

void pose_trunk(legged *l, double time, const legged_moment *m, bool lowered, vec *hip, quat *base) {
    walker *w = &l->w;
    legged_trunk t = trunk_at(l, time, m, lowered);
    for (int i = 0; i < w->slots; i++) {
        const slot *s = &w->slot[i];
        if (s->part == PART_FOLLOWER || s->part == PART_MIXED) {
            continue;
        }
        carried c = carried_at(w, s);
        w->place[i] = c.head;
        w->turned[i] = c.base;
        if (s->part != PART_LEGGED) {
            continue;
        }
        const amble_legged_part *part = &l->body->part[s->which];
        if (part->kind == AMBLE_LEGGED_LEG) {
            if (s->which == l->limb[part->which].part[0]) {
                hip[part->which] = c.head;
                base[part->which] = c.base;
            }
            continue;
        }
        if (part->kind == AMBLE_LEGGED_PELVIS) {
            w->place[i] = t.place;
        } else if (part->kind == AMBLE_LEGGED_ROOT) {
            vec ahead = quat_rotate(quat_from_axis((vec){0.0, 0.0, 1.0}, m->facing), c.head);
            w->place[i] = vec_add(ahead, t.base);
        }
        w->turned[i] = part_turn(l, s, &t, time, m, w->place[i], c.base);
    }
}

/* ---- Lowering ---- */

/* How far each girdle has to come down for its legs to reach their feet: with the foot d away, of which v is
 * height, and the leg at most r long, the joint must sink by v - sqrt(r^2 - (d^2 - v^2)). */
static void need_at(legged *l, double time, double *need) {
    vec hip[LEGS];
    quat base[LEGS];
    legged_moment m = legged_moment_at(l, time);
    pose_trunk(l, time, &m, true, hip, base);
    for (int g = 0; g < l->girdles; g++) {
        need[g] = 0.0;
    }
    for (int i = 0; i < (int)l->legs; i++) {
        const limb *leg = &l->limb[i];
        footing foot = footing_at(l, i, time, &m);
        vec line = vec_sub(hip[i], foot_joint(leg, &foot));
        double most = l->value[AMBLE_LEGGED_REACH] * leg->whole;
        double level = most * most - line.x * line.x - line.y * line.y;
        double lack = line.z - sqrt(level > 0.0 ? level : 0.0);
        if (lack > need[leg->girdle]) {
            need[leg->girdle] = lack;
        }
    }
}

/* The greatest of the needs within `half` knots of each; a mean over no more of them is then never less than
 * what is needed there. */
static void widen(const double *need, double *out, int64_t knots, int64_t half) {
    for (int64_t i = 0; i < knots; i++) {
        double most = 0.0;
        for (int64_t k = i - half; k <= i + half; k++) {
            double one = need[k < 0 ? 0 : k >= knots ? knots - 1 : k];
            most = one > most ? one : most;
        }
        out[i] = most;
    }
}

static void average(const double *from, double *out, int64_t knots, int64_t half) {
    for (int64_t i = 0; i < knots; i++) {
        double sum = 0.0;
        for (int64_t k = i - half; k <= i + half; k++) {
            sum += from[k < 0 ? 0 : k >= knots ? knots - 1 : k];
        }
        out[i] = sum / (double)(2 * half + 1);
    }
}

/* Adds to `total` what is needed: the greatest within a stride, smoothed; reach: knots of it. */
static void lower_girdle(double *need, double *wide, double *total, int64_t knots, int64_t reach) {
    if (reach >= knots) {
        double most = 0.0;
        for (int64_t k = 0; k < knots; k++) {
            most = need[k] > most ? need[k] : most;
        }
        for (int64_t k = 0; k < knots; k++) {
            total[k] += most;
        }
        return;
    }
    widen(need, wide, knots, 2 * (reach / 2) + 2);
    average(wide, need, knots, reach / 2);
    average(need, wide, knots, reach / 2);
    for (int64_t k = 0; k < knots; k++) {
        total[k] += wide[k];
    }
}

/* Whether the same stride is made over and over: then the trunk is lowered once for all. */
static bool is_steady(const legged *l) {
    const amble_legged_way *way = l->way;
    for (int64_t i = 1; i < way->samples; i++) {
        if (way->rate[i] != way->rate[0] || way->flex[i] != way->flex[0]) {
            return false;
        }
        for (int64_t k = 0; k < l->legs; k++) {
            if (way->offset[k * way->samples + i] != way->offset[k * way->samples] ||
                way->duty[k * way->samples + i] != way->duty[k * way->samples]) {
                return false;
            }
        }
    }
    return true;
}

/* The times between which every leg has footfalls. */
static void footed(const legged *l, double *first, double *last) {
    *first = -HUGE_VAL;
    *last = HUGE_VAL;
    for (int64_t i = 0; i < l->legs; i++) {
        *first = fmax(*first, l->fall[i][0].strike);
        *last = fmin(*last, l->fall[i][l->falls[i] - 1].off);
    }
}

/* Knots a stride of the slowest kind; passes, as a pitched trunk moves its joints. */
enum { LOWER_PASSES = 3 };
static const double knots_in_size = 12.0; /* in sqrt(size / gravity) */

amble_error legged_lower(legged *l) {
    double step = sqrt(l->size / l->value[AMBLE_LEGGED_GRAVITY]) / knots_in_size;
    double length = l->way->step * (double)(l->way->samples - 1);
    int64_t knots = (int64_t)ceil(length / step) + 1;
    knots = knots < 4 ? 4 : knots;
    size_t cells = (size_t)(knots * l->girdles);
    double *need = malloc(cells * sizeof *need);
    double *wide = malloc(cells * sizeof *wide);
    double *total = calloc(cells, sizeof *total);
    if (!need || !wide || !total) {
        free(need);
        free(wide);
        free(total);
        return amble_fail(AMBLE_NO_MEMORY, "no memory for %lld knots", (long long)knots);
    }
    l->knots = knots;
    l->knot_step = length / (double)(knots - 1);
    l->low = total;
    /* A stride at the mean rate. */
    double strides = l->phase[l->way->samples - 1] - l->phase[0];
    int64_t reach = strides > 0.0 ? (int64_t)ceil(0.55 * (double)knots / strides) : 1;
    reach = is_steady(l) ? knots : reach > 64 ? 64 : reach;
    double first;
    double last;
    footed(l, &first, &last);
    for (int pass = 0; pass < LOWER_PASSES; pass++) {
        double each[GIRDLES];
        for (int64_t k = 0; k < knots; k++) {
            double time = l->way->start + l->knot_step * (double)k;
            need_at(l, fmax(first, fmin(time, last)), each);
            for (int g = 0; g < l->girdles; g++) {
                need[g * knots + k] = each[g];
            }
        }
        for (int g = 0; g < l->girdles; g++) {
            lower_girdle(need + g * knots, wide + g * knots, total + g * knots, knots, reach);
        }
    }
    free(need);
    free(wide);
    return AMBLE_SUCCESS;
}

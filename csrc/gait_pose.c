/* The body's pose: what is asked of its parts, and the channels of the bones that bring it about. */
#include "gait_private.h"

void upper_at(const gait_plan *plan, double phase, goals *g) {
    turn at = turn_at(phase - plan->leg[0].phase);
    double list = series_at(&plan->list, &at);
    /* The chest turns against the pelvis and takes over a fifth of its list, the other way. */
    quat yaw = quat_from_axis((vec){0.0, 0.0, 1.0}, -series_at(&plan->thorax, &at));
    quat lean = quat_from_axis((vec){0.0, 1.0, 0.0}, plan->lean + plan->hunch);
    quat roll = quat_from_axis((vec){1.0, 0.0, 0.0}, -0.2 * list);
    g->chest = quat_multiply(yaw, quat_multiply(lean, roll));
    for (int i = 0; i < 2; i++) {
        turn side = i ? turn_at(phase - plan->leg[i].phase) : at;
        double swing = series_at(&plan->shoulder, &side);
        double elbow = series_at(&plan->elbow, &side);
        double outward = i ? -1.0 : 1.0;
        double s[2];
        double c[2];
        amble_sincos(swing, &s[0], &c[0]);
        amble_sincos(swing + elbow, &s[1], &c[1]);
        /* Hanging 8 degrees away from the body; the forearm comes inward as it comes up. */
        g->upper[i] = vec_normalise((vec){s[0], 0.14 * outward, -c[0]});
        g->fore[i] = vec_normalise((vec){s[1], (0.05 - 0.15 * s[1]) * outward, -c[1]});
    }
}

static goals goals_at(const walker *w, double phase) {
    const gait_plan *plan = &w->plan;
    goals g = {.heading = {1.0, 0.0, 0.0, 0.0}, .head = quat_from_axis((vec){0.0, 1.0, 0.0}, plan->nod)};
    upper_at(plan, phase, &g);
    if (plan->stilted) {
        stilts_at(plan, phase, &g);
        return g;
    }
    pelvis_at(plan, phase, &g.pelvis, &g.hips);
    for (int i = 0; i < 2; i++) {
        const leg_plan *leg = &plan->leg[i];
        vec hip = vec_add(g.pelvis, quat_rotate(g.hips, leg->hip));
        foot_pose foot = foot_under(plan, leg, phase, hip);
        g.ankle[i] = foot.ankle;
        g.foot[i] = quat_from_axis(leg->axis, -foot.pitch);
        g.toe[i] = quat_from_axis(leg->axis, -foot.toe);
        g.pole[i] = w->pole[i];
    }
    return g;
}

/* The turn that brings one orthonormal pair of directions onto another. */
quat turn_between(vec from, vec from_axis, vec to, vec to_axis) {
    vec from_side = vec_cross(from, from_axis);
    vec to_side = vec_cross(to, to_axis);
    double a[3][3] = {{from.x, from_axis.x, from_side.x},
                      {from.y, from_axis.y, from_side.y},
                      {from.z, from_axis.z, from_side.z}};
    double b[3][3] = {
        {to.x, to_axis.x, to_side.x}, {to.y, to_axis.y, to_side.y}, {to.z, to_axis.z, to_side.z}};
    return quat_multiply(quat_from_matrix(b), quat_conjugate(quat_from_matrix(a)));
}

/* The law of cosines gives how far along the line from root to end, and how far out of it, the joint lies. */
two_bones bend(double upper, double lower, vec root, vec end, vec pole) {
    vec line = vec_sub(end, root);
    double distance = vec_length(line);
    double most = upper + lower;
    double least = fmax(fabs(upper - lower), 1e-6 * most);
    vec down = distance > 0.0 ? vec_scale(line, 1.0 / distance) : vec_perpendicular(pole);
    distance = fmax(fmin(distance, most), least);
    vec out = square_to(pole, down);
    double along = (upper * upper - lower * lower + distance * distance) / (2.0 * distance);
    double aside = upper * upper - along * along;
    aside = aside > 0.0 ? sqrt(aside) : 0.0;
    two_bones found;
    found.hinge = vec_cross(out, down);
    found.upper = vec_normalise(vec_add(vec_scale(down, along), vec_scale(out, aside)));
    found.lower = vec_normalise(vec_sub(vec_scale(down, distance), vec_scale(found.upper, upper)));
    return found;
}

/* Thigh and shin that put the ankle where it is asked for. */
static void solve_leg(const walker *w, int i, vec hip, goals *g) {
    const leg_plan *leg = &w->plan.leg[i];
    two_bones found = bend(leg->thigh, leg->shin, hip, g->ankle[i], g->pole[i]);
    g->thigh[i] = turn_between(w->thigh[i], square_to(w->hinge[i], w->thigh[i]), found.upper, found.hinge);
    g->shin[i] = turn_between(w->shin[i], square_to(w->hinge[i], w->shin[i]), found.lower, found.hinge);
}

/* Directions of upper arm and forearm that put the wrist where it is asked for. */
static void solve_arm(const walker *w, int i, vec shoulder, goals *g) {
    two_bones found = bend(w->arm_length[i][0], w->arm_length[i][1], shoulder, g->hand[i], g->elbow[i]);
    g->upper[i] = found.upper;
    g->fore[i] = found.lower;
}

quat aim(quat base, vec rest, vec direction) {
    return quat_multiply(quat_between(quat_rotate(base, rest), direction), base);
}

static quat goal_of(const walker *w, const slot *s, quat base, vec head, goals *g) {
    const amble_gait_body *body = w->body;
    switch (s->part) {
    case PART_ROOT:
        return g->heading;
    case PART_PELVIS:
        return g->hips;
    case PART_SPINE:
        return quat_nlerp(g->hips, g->chest, (double)(s->which + 1) / (double)body->spine_count);
    case PART_NECK:
        return quat_nlerp(g->chest, g->head, (double)(s->which + 1) / (double)body->neck_count);
    case PART_THIGH:
        if (!w->plan.stilted) {
            solve_leg(w, s->which, head, g);
        }
        return g->thigh[s->which];
    case PART_SHIN:
        return g->shin[s->which];
    case PART_FOOT:
        return g->foot[s->which];
    case PART_TOE:
        return g->toe[s->which];
    case PART_UPPER_ARM:
        if (g->reaches) {
            solve_arm(w, s->which, head, g);
        }
        return aim(base, w->upper[s->which], g->upper[s->which]);
    case PART_FOREARM:
        return aim(base, w->fore[s->which], g->fore[s->which]);
    case PART_AIMED: {
        vec line = vec_sub(g->extra[s->which], head);
        vec along = quat_rotate(s->rest, (vec){0.0, 1.0, 0.0});
        return vec_length(line) > 0.0 ? aim(base, along, vec_normalise(line)) : base;
    }
    case PART_PLACED:
    case PART_LEGGED:
    case PART_FOLLOWER:
    case PART_MIXED:
    case PART_NONE:
        break;
    }
    return base;
}

/* Where a bone takes a point of the rest pose; -1: nowhere else. */
static vec brought(const walker *w, int bone, vec point) {
    if (bone < 0) {
        return point;
    }
    return vec_add(w->place[bone], quat_rotate(w->turned[bone], vec_sub(point, w->slot[bone].head)));
}

static vec between(vec a, vec b, double share) {
    return vec_add(vec_scale(a, 1.0 - share), vec_scale(b, share));
}

/* Where a mixed bone takes a point: in its share between where the two that move it do. */
static vec mixed_brought(const walker *w, const slot *m, vec point) {
    return between(brought(w, m->which, point), brought(w, m->second, point), m->share);
}

static quat turn_of(const walker *w, int bone) {
    return bone < 0 ? (quat){1.0, 0.0, 0.0, 0.0} : w->turned[bone];
}

/* What a mixed bone takes to v. The mean of two turns shortens what lies across their axes; with its columns
 * a, b, c the inverse has the rows b x c, c x a, a x b, over their volume. */
static vec before_mixed(const walker *w, const slot *m, vec v) {
    quat first = turn_of(w, m->which);
    quat second = turn_of(w, m->second);
    vec column[3];
    for (int i = 0; i < 3; i++) {
        vec axis = {i == 0, i == 1, i == 2};
        column[i] = between(quat_rotate(first, axis), quat_rotate(second, axis), m->share);
    }
    vec across = vec_cross(column[1], column[2]);
    double volume = vec_dot(column[0], across);
    if (volume < 1e-6) { /* half a turn apart: no point is brought about where it is asked for */
        return quat_rotate(quat_conjugate(quat_nlerp(first, second, m->share)), v);
    }
    return vec_scale((vec){vec_dot(across, v), vec_dot(vec_cross(column[2], column[0]), v),
                           vec_dot(vec_cross(column[0], column[1]), v)},
                     1.0 / volume);
}

carried carried_at(const walker *w, const slot *s) {
    carried c = {{1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, s->head};
    if (s->parent >= 0) {
        const slot *parent = &w->slot[s->parent];
        c.parent = w->turned[s->parent];
        c.head =
            parent->part == PART_MIXED ? mixed_brought(w, parent, s->head) : brought(w, s->parent, s->head);
    }
    if (!s->free) {
        c.base = c.parent;
    }
    return c;
}

/* rest^-1 base^-1 turned rest, and how the head moved from where it was carried. */
channels own_channels(const walker *w, const slot *s, const carried *c, vec place, quat turned) {
    quat local = quat_multiply(quat_conjugate(c->base), turned);
    vec along = vec_sub(place, c->head);
    along = s->parent >= 0 && w->slot[s->parent].part == PART_MIXED
                ? before_mixed(w, &w->slot[s->parent], along)
                : quat_rotate(quat_conjugate(c->parent), along);
    quat seen = s->rest;
    if (s->parent_axes) {
        seen = s->parent < 0 ? w->armature : w->slot[s->parent].rest;
    }
    channels own = {quat_rotate(quat_conjugate(seen), along),
                    quat_normalise(quat_multiply(quat_conjugate(s->rest), quat_multiply(local, s->rest)))};
    if (own.rotation.w < 0.0) {
        own.rotation = quat_scale(own.rotation, -1.0);
    }
    return own;
}

void follow(const walker *w, channels *out) {
    for (int i = 0; i < w->slots; i++) {
        const slot *s = &w->slot[i];
        if (s->part == PART_MIXED) {
            w->turned[i] = quat_nlerp(turn_of(w, s->which), turn_of(w, s->second), s->share);
            w->place[i] = mixed_brought(w, s, s->head);
        }
        if (s->part != PART_FOLLOWER) {
            continue;
        }
        carried c = carried_at(w, s);
        w->turned[i] = w->turned[s->which];
        w->place[i] = brought(w, s->which, s->head);
        out[s->out] = own_channels(w, s, &c, w->place[i], w->turned[i]);
    }
}

void assemble(const walker *w, goals *g, channels *out) {
    for (int i = 0; i < w->slots; i++) {
        const slot *s = &w->slot[i];
        if (s->part == PART_FOLLOWER || s->part == PART_MIXED) {
            continue;
        }
        carried c = carried_at(w, s);
        vec place = c.head;
        if (s->part == PART_ROOT) {
            place = vec_add(g->root, quat_rotate(g->heading, place));
        } else if (s->part == PART_PELVIS) {
            place = g->pelvis;
        } else if (s->part == PART_PLACED) {
            place = g->extra[s->which];
        }
        w->place[i] = place;
        w->turned[i] = goal_of(w, s, c.base, place, g);
        if (s->out >= 0) {
            out[s->out] = own_channels(w, s, &c, place, w->turned[i]);
        }
    }
    follow(w, out);
}

void pose_at(const walker *w, double phase, double time, channels *out) {
    goals g = goals_at(w, phase);
    g.root.x = w->travel ? w->speed * time : 0.0;
    g.pelvis.x += g.root.x;
    g.ankle[0].x += g.root.x;
    g.ankle[1].x += g.root.x;
    assemble(w, &g, out);
}

/* The body's pose at a phase: what is asked of its parts, and the channels of the bones that bring it about.
 */
#include "gait_private.h"

/* What is asked of the bones at one phase, as turns from rest in body axes. */
typedef struct goals {
    vec pelvis;
    quat hips, chest, thigh[2], shin[2];
    foot_pose foot[2];
    vec upper[2], fore[2]; /* directions */
} goals;

static goals goals_at(const walker *w, double phase) {
    const gait_plan *plan = &w->plan;
    goals g;
    pelvis_at(plan, phase, &g.pelvis, &g.hips);
    turn at = turn_at(phase - plan->leg[0].phase);
    double list = series_at(&plan->list, &at);
    /* The chest turns against the pelvis and takes over a fifth of its list, the other way. */
    quat yaw = quat_from_axis((vec){0.0, 0.0, 1.0}, -series_at(&plan->thorax, &at));
    quat lean = quat_from_axis((vec){0.0, 1.0, 0.0}, plan->lean);
    quat roll = quat_from_axis((vec){1.0, 0.0, 0.0}, -0.2 * list);
    g.chest = quat_multiply(yaw, quat_multiply(lean, roll));
    for (int i = 0; i < 2; i++) {
        g.foot[i] = foot_at(plan, &plan->leg[i], phase);
        turn side = turn_at(phase - plan->leg[i].phase);
        double swing = series_at(&plan->shoulder, &side);
        double elbow = series_at(&plan->elbow, &side);
        double outward = i ? -1.0 : 1.0;
        double s[2];
        double c[2];
        amble_sincos(swing, &s[0], &c[0]);
        amble_sincos(swing + elbow, &s[1], &c[1]);
        /* Hanging 8 degrees away from the body; the forearm comes inward as it comes up. */
        g.upper[i] = vec_normalise((vec){s[0], 0.14 * outward, -c[0]});
        g.fore[i] = vec_normalise((vec){s[1], (0.05 - 0.15 * s[1]) * outward, -c[1]});
    }
    return g;
}

/* The turn that brings one orthonormal pair of directions onto another. */
static quat turn_between(vec from, vec from_axis, vec to, vec to_axis) {
    vec from_side = vec_cross(from, from_axis);
    vec to_side = vec_cross(to, to_axis);
    double a[3][3] = {{from.x, from_axis.x, from_side.x},
                      {from.y, from_axis.y, from_side.y},
                      {from.z, from_axis.z, from_side.z}};
    double b[3][3] = {
        {to.x, to_axis.x, to_side.x}, {to.y, to_axis.y, to_side.y}, {to.z, to_axis.z, to_side.z}};
    return quat_multiply(quat_from_matrix(b), quat_conjugate(quat_from_matrix(a)));
}

/* Thigh and shin that put the ankle where it is asked for: the law of cosines gives how far along the line
 * from hip to ankle, and how far out of it, the knee lies. */
static void solve_leg(const walker *w, int i, vec hip, goals *g) {
    const leg_plan *leg = &w->plan.leg[i];
    vec line = vec_sub(g->foot[i].ankle, hip);
    double distance = vec_length(line);
    double most = leg->thigh + leg->shin;
    vec down = vec_scale(line, 1.0 / distance);
    distance = distance < most ? distance : most;
    vec out = square_to(w->pole[i], down);
    vec hinge = vec_cross(out, down);
    double along = (leg->thigh * leg->thigh - leg->shin * leg->shin + distance * distance) / (2.0 * distance);
    double aside = leg->thigh * leg->thigh - along * along;
    aside = aside > 0.0 ? sqrt(aside) : 0.0;
    vec thigh = vec_normalise(vec_add(vec_scale(down, along), vec_scale(out, aside)));
    vec shin = vec_normalise(vec_sub(vec_scale(down, distance), vec_scale(thigh, leg->thigh)));
    g->thigh[i] = turn_between(w->thigh[i], square_to(w->hinge[i], w->thigh[i]), thigh, hinge);
    g->shin[i] = turn_between(w->shin[i], square_to(w->hinge[i], w->shin[i]), shin, hinge);
}

/* `base` with as little more turn as brings its image of `rest` onto `direction`. */
static quat aim(quat base, vec rest, vec direction) {
    return quat_multiply(quat_between(quat_rotate(base, rest), direction), base);
}

static quat goal_of(const walker *w, const slot *s, quat base, vec head, goals *g) {
    const amble_gait_body *body = w->body;
    const leg_plan *leg = &w->plan.leg[s->which & 1];
    switch (s->part) {
    case PART_PELVIS:
        return g->hips;
    case PART_SPINE:
        return quat_nlerp(g->hips, g->chest, (double)(s->which + 1) / (double)body->spine_count);
    case PART_NECK: /* the head looks ahead, level */
        return quat_nlerp(g->chest, (quat){1.0, 0.0, 0.0, 0.0},
                          (double)(s->which + 1) / (double)body->neck_count);
    case PART_THIGH:
        solve_leg(w, s->which, head, g);
        return g->thigh[s->which];
    case PART_SHIN:
        return g->shin[s->which];
    case PART_FOOT:
        return quat_from_axis(leg->axis, -g->foot[s->which].pitch);
    case PART_TOE:
        return quat_from_axis(leg->axis, -g->foot[s->which].toe);
    case PART_UPPER_ARM:
        return aim(base, w->upper[s->which], g->upper[s->which]);
    case PART_FOREARM:
        return aim(base, w->fore[s->which], g->fore[s->which]);
    case PART_ROOT:
    case PART_NONE:
        break;
    }
    return base;
}

/* The body at a phase and a time; out: one entry a moved bone, in the order of the slots. */
void pose_at(const walker *w, double time, channels *out) {
    double phase = time / w->plan.summary.cycle;
    goals g = goals_at(w, phase);
    double travel = w->travel ? w->speed * time : 0.0;
    const quat none = {1.0, 0.0, 0.0, 0.0};
    double carried = 0.0; /* by the root, once it has been met */
    for (int i = 0; i < w->slots; i++) {
        const slot *s = &w->slot[i];
        quat parent = s->parent < 0 ? none : w->turned[s->parent];
        vec head = s->head;
        if (s->parent >= 0) {
            head =
                vec_add(w->place[s->parent], quat_rotate(parent, vec_sub(s->head, w->slot[s->parent].head)));
        }
        quat base = s->free ? none : parent;
        vec moved = {0.0, 0.0, 0.0};
        if (s->part == PART_ROOT) {
            moved.x = carried = travel;
        } else if (s->part == PART_PELVIS) {
            moved = g.pelvis;
            moved.x += carried == 0.0 && w->body->root < 0 ? travel : carried;
            moved = vec_sub(moved, head);
        }
        head = vec_add(head, moved);
        if (s->part == PART_THIGH) {
            g.foot[s->which].ankle.x += travel;
        }
        w->place[i] = head;
        w->turned[i] = goal_of(w, s, base, head, &g);
        if (s->part == PART_NONE) {
            continue;
        }
        /* The bone's basis: rest^-1 base^-1 turned rest, and the way it moved seen from its own or its
         * parent's axes. */
        quat local = quat_multiply(quat_conjugate(base), w->turned[i]);
        vec along = quat_rotate(quat_conjugate(parent), moved);
        quat seen = s->rest;
        if (s->parent_axes) {
            seen = s->parent < 0 ? w->armature : w->slot[s->parent].rest;
        }
        out->location = quat_rotate(quat_conjugate(seen), along);
        out->rotation = quat_normalise(quat_multiply(quat_conjugate(s->rest), quat_multiply(local, s->rest)));
        if (out->rotation.w < 0.0) {
            out->rotation = quat_scale(out->rotation, -1.0);
        }
        out++;
    }
}

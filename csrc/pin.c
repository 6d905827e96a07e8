/* Pins on a skeleton: reads a chain from its channels, has it solved, and writes the turns back as channels.
 *
 * With A what a bone inherits, R its rotation and U the rotation that A R is (scale left out), a further turn
 * X of the bone in armature space makes it X A R = A R', so that R' = R (U^-1 X U): the turn seen from the
 * bone's own axes. A bone whose parent in the chain turns along has only the difference to make.
 */
#include "pin.h"
#include "bone.h"
#include "check.h"
#include "pin_private.h"

#include <stddef.h>
#include <stdlib.h>

enum { PASSES = 4 };
/* Of the size of the numbers, in which places are given in float32; and what channels in float32 can do. */
static const double CLOSE = 2e-7;
static const double GOOD = 1e-6;

/* A bone between the armature and an end. */
typedef struct step {
    int32_t index;
    amble_bone bone;
    bool turns; /* whether U is asked for: of bones that are turned, and of the end */
    double pose[3][4];
    quat turn; /* U */
} step;

/* The bones from the armature's to one bone, which is `steps[count - 1]`; count is 1 or more. */
typedef struct path {
    size_t count;
    step *steps;
} path;

/* The path to a bone of a sound skeleton; `steps` is NULL on an error. */
static amble_error make_path(const amble_skeleton *skeleton, int32_t bone, path *out) {
    size_t count = 1;
    for (int32_t b = skeleton->parents[bone]; b >= 0; b = skeleton->parents[b]) {
        count++;
    }
    *out = (path){count, calloc(count, sizeof *out->steps)};
    if (!out->steps) {
        return amble_fail(AMBLE_NO_MEMORY, "parents: no memory for a path of %lld bones", (long long)count);
    }
    out->steps[count - 1].turns = true;
    int32_t b = bone;
    for (size_t k = count; k-- > 0;) {
        out->steps[k].index = b;
        amble_error error = amble_bone_set_up(skeleton, b, &out->steps[k].bone);
        if (error.code != AMBLE_OK) {
            free(out->steps);
            out->steps = NULL;
            return error;
        }
        b = skeleton->parents[b];
    }
    return AMBLE_SUCCESS;
}

static step *end_of(const path *p) { return &p->steps[p->count - 1]; }

/* Place of a bone on the path; `count` where it is not on it. */
static size_t place_on(const path *p, int32_t bone) {
    size_t k = 0;
    while (k < p->count && p->steps[k].index != bone) {
        k++;
    }
    return k;
}

/* ---- One frame ---- */

static void load_channels(const float *channels, int64_t bone, int64_t frames, int64_t frame, double in[10]) {
    const float *own = channels + bone * 10 * frames + frame;
    for (int k = 0; k < 10; k++) {
        in[k] = own[k * frames];
    }
}

static vec axis_of(double m[3][4], int c) { return (vec){m[0][c], m[1][c], m[2][c]}; }
static vec head_of(double m[3][4]) { return axis_of(m, 3); }
static vec carry(double m[3][4], vec v) {
    return (vec){m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z, m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                 m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z};
}

/* The rotation of a pose without scale: its y axis, x as square to it as it can be. A mirrored one is turned
 * inside out first; what is conjugated by it does not mind. */
static quat rotation_of(double m[3][4]) {
    vec x = axis_of(m, 0);
    vec y = axis_of(m, 1);
    vec z = axis_of(m, 2);
    double sign = vec_dot(vec_cross(x, y), z) < 0.0 ? -1.0 : 1.0;
    y = vec_normalise(vec_scale(y, sign));
    x = vec_scale(x, sign);
    x = vec_normalise(vec_sub(x, vec_scale(y, vec_dot(x, y))));
    z = vec_cross(x, y);
    double turn[3][3] = {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
    return quat_from_matrix(turn);
}

/* Poses of the path's bones from number `from` on, and the U that are asked for. */
static void pose_path(path *p, size_t from, const float *channels, int64_t frames, int64_t frame) {
    for (size_t k = from; k < p->count; k++) {
        step *s = &p->steps[k];
        double in[10];
        double plain[3][4];
        load_channels(channels, s->index, frames, frame, in);
        double (*parent)[4] = k > 0 ? p->steps[k - 1].pose : NULL;
        amble_bone_pose(&s->bone, in, parent, s->pose);
        if (!s->turns) {
            continue;
        }
        if (in[7] == 1.0 && in[8] == 1.0 && in[9] == 1.0) {
            s->turn = rotation_of(s->pose);
            continue;
        }
        in[7] = in[8] = in[9] = 1.0; /* own scale may be mirrored, or 0 */
        amble_bone_pose(&s->bone, in, parent, plain);
        s->turn = rotation_of(plain);
    }
}

/* R' = R (U^-1 X U) into the channels. */
static void turn_bone(float *channels, const step *s, int64_t frames, int64_t frame, quat x) {
    double in[10];
    load_channels(channels, s->index, frames, frame, in);
    quat own = {in[3], in[4], in[5], in[6]};
    own = quat_dot(own, own) > 0.0 ? own : (quat){0.0, 1.0, 0.0, 0.0}; /* as Blender has it */
    quat seen = quat_multiply(quat_conjugate(s->turn), quat_multiply(x, s->turn));
    quat q = quat_normalise(quat_multiply(own, seen));
    /* Of the two quaternions of a rotation the one on the given one's side, so that signs do not flip. */
    q = quat_dot(q, own) < 0.0 ? quat_scale(q, -1.0) : q;
    float *out = channels + (int64_t)s->index * 10 * frames + frame;
    out[3 * frames] = (float)q.w;
    out[4 * frames] = (float)q.x;
    out[5 * frames] = (float)q.y;
    out[6 * frames] = (float)q.z;
}

/* ---- A pin on its path ---- */

typedef struct pinned {
    const amble_pin *pin;
    path path;
    size_t link[AMBLE_PIN_BONES];  /* place of each chain bone on the path */
    bool carried[AMBLE_PIN_BONES]; /* whether the turn of the one before it is inherited */
} pinned;

static bool inherits(const path *p, size_t after, size_t to) {
    for (size_t k = after + 1; k <= to; k++) {
        if (p->steps[k].bone.no_rotation) {
            return false;
        }
    }
    return true;
}

static amble_error check_pin(const amble_skeleton *skeleton, const amble_pin *pin, long long number) {
    if (pin->bones < 1 || pin->bones > AMBLE_PIN_BONES) {
        return amble_fail(AMBLE_BAD_VALUE, "chains[%lld] must have from 1 to %d bones", number,
                          AMBLE_PIN_BONES);
    }
    for (int64_t i = 0; i < pin->bones; i++) {
        if (pin->chain[i] < 0 || pin->chain[i] >= skeleton->bones) {
            return amble_fail(AMBLE_BAD_VALUE, "chains[%lld] holds %ld: there is no such bone", number,
                              (long)pin->chain[i]);
        }
    }
    if (pin->end < 0 || pin->end >= skeleton->bones) {
        return amble_fail(AMBLE_BAD_VALUE, "ends[%lld] is %ld: there is no such bone", number,
                          (long)pin->end);
    }
    return amble_check_number("soft", pin->soft, 0.0, 0.5);
}

/* Finds the chain on the path to the end, which is there already. */
static amble_error set_up_chain(const amble_pin *pin, long long number, pinned *out) {
    size_t before = 0;
    for (int64_t i = 0; i < pin->bones; i++) {
        size_t link = place_on(&out->path, pin->chain[i]);
        if (link == out->path.count || (i > 0 && link <= before)) {
            return amble_fail(AMBLE_BAD_VALUE,
                              "chains[%lld]: bone %ld is not between the bone before it and the end %ld",
                              number, (long)pin->chain[i], (long)pin->end);
        }
        out->link[i] = link;
        out->path.steps[link].turns = true;
        out->carried[i] = i > 0 && inherits(&out->path, before, link);
        before = link;
    }
    if (pin->turned && before == out->path.count - 1) {
        return amble_fail(AMBLE_BAD_VALUE,
                          "ends[%lld] is in its own chain, so that its orientation cannot be held", number);
    }
    return AMBLE_SUCCESS;
}

typedef struct place {
    vec point;
    quat turn;
} place;

static place load_place(const float *places, int64_t frames, int64_t frame) {
    const float *p = places + frame;
    return (place){{p[0], p[frames], p[2 * frames]},
                   quat_normalise((quat){p[3 * frames], p[4 * frames], p[5 * frames], p[6 * frames]})};
}

/* The end's point as posed, seen from its head. */
static vec arm_of(const pinned *p) {
    return carry(end_of(&p->path)->pose, (vec){p->pin->point[0], p->pin->point[1], p->pin->point[2]});
}

/* The chain as posed, and where its end is to be. Where the end is turned too, its head takes the point's
 * place, and the target is where that is once the end is turned. */
static vec read_chain(const pinned *p, const place *goal, pin_chain *chain) {
    const amble_pin *pin = p->pin;
    step *end = end_of(&p->path);
    chain->bones = (int)pin->bones;
    chain->soft = pin->soft;
    for (int i = 0; i < chain->bones; i++) {
        step *s = &p->path.steps[p->link[i]];
        const double *h = pin->hinges + (ptrdiff_t)3 * i;
        chain->head[i] = head_of(s->pose);
        chain->hinge[i] = quat_rotate(s->turn, (vec){h[0], h[1], h[2]});
        chain->bound[i] = pin->bound && pin->bound[i];
    }
    vec arm = arm_of(p);
    vec target = goal->point;
    if (pin->turned) {
        vec seen = quat_rotate(quat_conjugate(end->turn), arm);
        target = vec_sub(target, quat_rotate(goal->turn, seen));
        arm = (vec){0.0, 0.0, 0.0};
    }
    chain->head[chain->bones] = vec_add(head_of(end->pose), arm);
    return target;
}

/* How far the point is off its place. */
static double point_off(const pinned *p, const place *goal) {
    return vec_length(vec_sub(vec_add(head_of(end_of(&p->path)->pose), arm_of(p)), goal->point));
}

/* The sine of half the angle by which the end is turned otherwise than it is to be. */
static double turn_off(const pinned *p, const place *goal) {
    quat off = quat_multiply(quat_conjugate(end_of(&p->path)->turn), goal->turn);
    return p->pin->turned ? sqrt(off.x * off.x + off.y * off.y + off.z * off.z) : 0.0;
}

static double chain_length(const pin_chain *chain) {
    double length = 0.0;
    for (int i = 0; i < chain->bones; i++) {
        length += vec_length(vec_sub(chain->head[i + 1], chain->head[i]));
    }
    return length;
}

/* Turns the chain's bones, then the end. `whole`: the turn that each bone's descendants have had. */
static void write_turns(pinned *p, const place *goal, const quat *turn, int64_t frames, int64_t frame,
                        float *channels) {
    path *way = &p->path;
    quat whole = {1.0, 0.0, 0.0, 0.0};
    for (int64_t i = 0; i < p->pin->bones; i++) {
        whole = quat_multiply(whole, turn[i]);
        turn_bone(channels, &way->steps[p->link[i]], frames, frame, p->carried[i] ? turn[i] : whole);
    }
    pose_path(way, p->link[0], channels, frames, frame);
    if (p->pin->turned) {
        step *end = end_of(way);
        turn_bone(channels, end, frames, frame, quat_multiply(goal->turn, quat_conjugate(end->turn)));
        pose_path(way, way->count - 1, channels, frames, frame);
    }
}

/* Solves until the chain's end is at its target, or as far towards it as the first solution let it go; the
 * later ones mend what odd inheritance left over. */
static double hold_frame(pinned *p, const place *goal, int64_t frames, int64_t frame, float *channels) {
    pose_path(&p->path, 0, channels, frames, frame);
    pin_chain chain;
    vec target = read_chain(p, goal, &chain);
    double close = CLOSE * (chain_length(&chain) + vec_length(goal->point));
    double share = 1.0;
    for (int pass = 0; pass < PASSES; pass++) {
        vec way = vec_scale(vec_sub(target, chain.head[0]), share);
        vec aim = vec_add(chain.head[0], way);
        double off = vec_length(vec_sub(chain.head[chain.bones], aim));
        if (off <= (pass ? GOOD / CLOSE : 1.0) * close && turn_off(p, goal) <= (pass ? GOOD : CLOSE)) {
            break;
        }
        quat turns[AMBLE_PIN_BONES];
        double length = pin_solve(&chain, aim, turns);
        if (pass == 0 && vec_length(way) > 0.0) {
            share = length / vec_length(way);
        }
        write_turns(p, goal, turns, frames, frame, channels);
        target = read_chain(p, goal, &chain);
        chain.soft = 0.0;
    }
    return point_off(p, goal);
}

/* ---- The calls ---- */

amble_error amble_pin_hold(const amble_skeleton *skeleton, int64_t count, const amble_pin *pins,
                           int64_t frames, int64_t places_frames, const float *places, float *channels,
                           float *miss) {
    AMBLE_TRY(amble_check_skeleton(skeleton));
    for (int64_t i = 0; i < count; i++) {
        pinned p = {.pin = &pins[i]};
        AMBLE_TRY(check_pin(skeleton, &pins[i], (long long)i));
        AMBLE_TRY(make_path(skeleton, pins[i].end, &p.path));
        amble_error error = set_up_chain(&pins[i], (long long)i, &p);
        for (int64_t f = 0; error.code == AMBLE_OK && f < frames; f++) {
            int64_t place_frame = places_frames == 1 ? 0 : f;
            place goal = load_place(places + i * 7 * places_frames, places_frames, place_frame);
            miss[i * frames + f] = (float)hold_frame(&p, &goal, frames, f, channels);
        }
        free(p.path.steps);
        AMBLE_TRY(error);
    }
    return AMBLE_SUCCESS;
}

amble_error amble_pin_places(const amble_skeleton *skeleton, int64_t frames, const float *channels,
                             int64_t count, const int32_t *ends, const double *points, float *places) {
    AMBLE_TRY(amble_check_skeleton(skeleton));
    for (int64_t i = 0; i < count; i++) {
        path way;
        if (ends[i] < 0 || ends[i] >= skeleton->bones) {
            return amble_fail(AMBLE_BAD_VALUE, "ends[%lld] is %ld: there is no such bone", (long long)i,
                              (long)ends[i]);
        }
        AMBLE_TRY(make_path(skeleton, ends[i], &way));
        const vec point = {points[3 * i], points[3 * i + 1], points[3 * i + 2]};
        for (int64_t f = 0; f < frames; f++) {
            pose_path(&way, 0, channels, frames, f);
            step *end = end_of(&way);
            quat turn = end->turn;
            vec at = vec_add(head_of(end->pose), carry(end->pose, point));
            const double out[7] = {at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z};
            for (int k = 0; k < 7; k++) {
                places[(i * 7 + k) * frames + f] = (float)out[k];
            }
        }
        free(way.steps);
    }
    return AMBLE_SUCCESS;
}

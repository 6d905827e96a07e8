/* Stands and ground moves. See blend_root.h. */
#include "blend_root.h"

#include "check.h"
#include "turn.h"

#include <stdbool.h>

enum { ROWS = 10, TURN = 3 };

/* ---- Stand ---- */

/* How far the pose is turned about `up` from rest: the part about that axis of the rotation between them. */
static double heading_of(const float *pose, int64_t stride, const double *rest, const double up[3]) {
    double m[3][3];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            m[r][c] = 0.0;
            for (int k = 0; k < 3; k++) { /* pose times the transposed rest */
                m[r][c] += (double)pose[(r * 4 + k) * stride] * rest[c * 4 + k];
            }
        }
    }
    vec x = vec_normalise((vec){m[0][0], m[1][0], m[2][0]});
    vec y = {m[0][1], m[1][1], m[2][1]};
    y = vec_normalise(vec_sub(y, vec_scale(x, vec_dot(x, y))));
    vec z = vec_cross(x, y);
    double square[3][3] = {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
    quat q = quat_from_matrix(square);
    return 2.0 * amble_atan2(q.x * up[0] + q.y * up[1] + q.z * up[2], q.w);
}

/* Sums of a least squares line through (time - at, value). */
typedef struct line {
    double n, t, tt, v, tv;
} line;

static void line_add(line *l, double t, double v) {
    l->n += 1.0;
    l->t += t;
    l->tt += t * t;
    l->v += v;
    l->tv += t * v;
}

static double line_slope(const line *l) {
    double spread = l->n * l->tt - l->t * l->t;
    return spread > 1e-12 ? (l->n * l->tv - l->t * l->v) / spread : 0.0;
}

static double line_value(const line *l) { return (l->v - line_slope(l) * l->t) / l->n; }

amble_error amble_stand_of(int64_t frames, const float *pose, const double *rest, const double up[3],
                           const double *time, double at, int exact, amble_stand *out) {
    if (frames < 1) {
        return amble_fail(AMBLE_BAD_VALUE, "pose must hold a frame");
    }
    AMBLE_TRY(amble_check_values_double("time", time, frames, 1e7));
    AMBLE_TRY(amble_check_number("at", at, -1e7, 1e7));
    line lines[4] = {{0.0, 0.0, 0.0, 0.0, 0.0}};
    int64_t nearest = 0;
    double before = 0.0;
    double nearest_heading = 0.0;
    for (int64_t f = 0; f < frames; f++) {
        double heading = heading_of(pose + f, frames, rest, up);
        heading = f ? turn_near(heading, before) : heading;
        before = heading;
        if (f == 0 || fabs(time[f] - at) < fabs(time[nearest] - at)) {
            nearest = f;
            nearest_heading = heading;
        }
        for (int k = 0; k < 3; k++) {
            line_add(&lines[k], time[f] - at, pose[(4 * k + 3) * frames + f]);
        }
        line_add(&lines[3], time[f] - at, heading);
    }
    for (int k = 0; k < 3; k++) {
        out->place[k] = exact ? pose[(4 * k + 3) * frames + nearest] : line_value(&lines[k]);
        out->speed[k] = line_slope(&lines[k]);
    }
    out->heading = exact ? nearest_heading : line_value(&lines[3]);
    out->spin = line_slope(&lines[3]);
    return AMBLE_SUCCESS;
}

/* ---- Moving ---- */

/* Way gone at a speed of 1 that fades out over `length`: the integral of 1 - 3 u^2 + 2 u^3. */
static double faded(double time, double length) {
    if (time <= 0.0 || length <= 0.0) {
        return length > 0.0 ? time : 0.0;
    }
    double u = time < length ? time / length : 1.0;
    return length * (u - u * u * u + 0.5 * u * u * u * u);
}

static bool still(const amble_ground_move *move) {
    bool same = move->turn[1] == 0.0 && move->turn[2] == 0.0 && move->turn[3] == 0.0 && move->spin == 0.0;
    for (int k = 0; k < 3; k++) {
        same = same && move->pivot[k] == move->onto[k] && move->drift[k] == 0.0;
    }
    return same;
}

static vec vec_of(const double *v) { return (vec){v[0], v[1], v[2]}; }

/* The move as it is at one time: x -> turn (x - pivot) + onto. */
typedef struct rigid {
    quat turn;
    vec pivot, onto;
} rigid;

static rigid move_at(const amble_ground_move *move, double time) {
    double way = faded(time, move->length);
    quat turn = {move->turn[0], move->turn[1], move->turn[2], move->turn[3]};
    return (rigid){
        .turn = quat_multiply(quat_from_axis(vec_of(move->up), move->spin * way), turn),
        .pivot = vec_of(move->pivot),
        .onto = vec_add(vec_of(move->onto), vec_scale(vec_of(move->drift), way)),
    };
}

/* A bone at rest in armature space. */
typedef struct rest_place {
    quat turn;
    vec place;
    bool own_axes; /* location lies along the bone's axes, not the armature's */
} rest_place;

static rest_place rest_of(const double *rest, uint32_t flags) {
    double m[3][3] = {{rest[0], rest[1], rest[2]}, {rest[4], rest[5], rest[6]}, {rest[8], rest[9], rest[10]}};
    return (rest_place){
        quat_from_matrix(m), {rest[3], rest[7], rest[11]}, (flags & AMBLE_BONE_NO_LOCAL_LOCATION) == 0};
}

static void move_frame(rigid move, rest_place rest, amble_rotation mode, int64_t stride, float *rows) {
    vec location = {rows[0], rows[stride], rows[2 * stride]};
    vec place = vec_add(rest.place, rest.own_axes ? quat_rotate(rest.turn, location) : location);
    place = vec_add(quat_rotate(move.turn, vec_sub(place, move.pivot)), move.onto);
    location = vec_sub(place, rest.place);
    location = rest.own_axes ? quat_rotate(quat_conjugate(rest.turn), location) : location;
    rows[0] = (float)location.x;
    rows[stride] = (float)location.y;
    rows[2 * stride] = (float)location.z;
    quat about = quat_multiply(quat_multiply(quat_conjugate(rest.turn), move.turn), rest.turn);
    if (about.x == 0.0 && about.y == 0.0 && about.z == 0.0) {
        return;
    }
    turn own = turn_load(rows + TURN * stride, stride);
    quat turned = quat_normalise(quat_multiply(about, turn_to_quat(mode, own)));
    turn_store(turn_from_quat(mode, turned, own), rows + TURN * stride, stride);
}

amble_error amble_move_ground(const amble_ground_move *move, int64_t bones, const double *rest,
                              const uint32_t *flags, const int32_t *modes, int64_t frames, const double *time,
                              float *channels) {
    for (int64_t k = 0; k < bones; k++) {
        if (!turn_is_mode(modes[k])) {
            return amble_fail(AMBLE_BAD_VALUE, "modes[%lld] is %d: it must be 0 to 7", (long long)k,
                              (int)modes[k]);
        }
    }
    if (still(move)) {
        return AMBLE_SUCCESS;
    }
    for (int64_t f = 0; f < frames; f++) {
        rigid now = move_at(move, time[f]);
        for (int64_t k = 0; k < bones; k++) {
            move_frame(now, rest_of(rest + 16 * k, flags[k]), turn_mode(modes[k]), frames,
                       channels + k * ROWS * frames + f);
        }
    }
    return AMBLE_SUCCESS;
}

/* Constants of a mirror image, and mirrored clips. mirror.h derives both. */
#include "mirror.h"

#include "check.h"
#include "matrix.h"
#include "mirror_private.h"
#include "quat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rest poses come in float32, and Blender's have axes that are up to 1e-4 off square. Their true inverses are
 * used, so that what is so on both sides cancels; then the constants are squared up. Axes this near to those
 * of the other bone, sine, lie along them: then channels only change places and signs, and curves that are
 * mirrored twice are what they were to the bit. */
static const double SAME_AXIS = 4e-6;
/* Cosine of 20 degrees, within which a roll of a pose mirrored as a whole is one by quarter turns; and the
 * sine under which a bone is as good as the image of its partner and no roll is guessed. */
static const double QUARTER = 0.9396926207859084;
static const double IMAGE = 0.01;

/* ---- Set-up ---- */

static mat3 rest_axes(const amble_skeleton *skeleton, int64_t bone) {
    mat3 axes;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            axes.m[r][c] = skeleton->rest[16 * bone + (int64_t)4 * r + c];
        }
    }
    return axes;
}

static void rest_head(const amble_skeleton *skeleton, int64_t bone, double head[3]) {
    for (int r = 0; r < 3; r++) {
        head[r] = skeleton->rest[16 * bone + (int64_t)4 * r + 3];
    }
}

static amble_error check_rigid(mat3 axes, const char *name, long long index) {
    mat3 square = mat3_multiply(mat3_transpose(axes), axes);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            if (!(fabs(square.m[r][c] - (r == c)) < 1e-4)) {
                return amble_fail(AMBLE_BAD_VALUE,
                                  "%s[%lld] must have axes of length 1, square to each other", name, index);
            }
        }
    }
    return AMBLE_SUCCESS;
}

static amble_error check_partners(const int32_t *partner, int64_t bones) {
    for (int64_t i = 0; i < bones; i++) {
        int64_t other = partner[i];
        if (other < 0 || other >= bones || partner[other] != i) {
            return amble_fail(AMBLE_BAD_VALUE,
                              "partner[%lld] is %lld: each bone must be the partner of its partner, itself "
                              "where it has none",
                              (long long)i, (long long)other);
        }
    }
    return AMBLE_SUCCESS;
}

amble_error mirror_set_up(const amble_skeleton *skeleton, const amble_mirror_plan *plan, mirror_frame *out) {
    AMBLE_TRY(amble_check_skeleton(skeleton));
    AMBLE_TRY(check_partners(plan->partner, skeleton->bones));
    for (int64_t i = 0; i < skeleton->bones; i++) {
        AMBLE_TRY(check_rigid(rest_axes(skeleton, i), "rest", (long long)i));
    }
    AMBLE_TRY(amble_check_values_double("plane", plan->plane, 4, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("turn", plan->turn, 12, AMBLE_LARGEST));
    vec normal = {plan->plane[0], plan->plane[1], plan->plane[2]};
    double length = vec_length(normal);
    if (!(length > 1e-15)) {
        return amble_fail(AMBLE_BAD_VALUE, "plane must have a normal that is not 0");
    }
    const double n[3] = {normal.x / length, normal.y / length, normal.z / length};
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out->reflect.m[r][c] = (r == c) - 2.0 * n[r] * n[c];
            out->turn.m[r][c] = plan->turn[4 * r + c];
        }
        out->reflect_move[r] = 2.0 * plan->plane[3] / length * n[r];
        out->turn_move[r] = plan->turn[4 * r + 3];
    }
    AMBLE_TRY(check_rigid(out->turn, "turn", 0));
    vec x = {out->turn.m[0][0], out->turn.m[1][0], out->turn.m[2][0]};
    vec y = {out->turn.m[0][1], out->turn.m[1][1], out->turn.m[2][1]};
    vec z = {out->turn.m[0][2], out->turn.m[1][2], out->turn.m[2][2]};
    if (vec_dot(vec_cross(x, y), z) < 0.0) {
        return amble_fail(AMBLE_BAD_VALUE, "turn must be a rotation, not a reflection");
    }
    return AMBLE_SUCCESS;
}

/* ---- Constants ---- */

/* Entries that are 0 or 1 but for the rounding of float32 made so, where all are. */
static mat3 on_axes(mat3 a) {
    mat3 snapped;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            double whole = floor(a.m[r][c] + 0.5);
            if (fabs(a.m[r][c] - whole) > SAME_AXIS) {
                return a;
            }
            snapped.m[r][c] = whole;
        }
    }
    return snapped;
}

/* The reflection that keeps a bone's own direction y and comes nearest to `a` in its roll; where the rests
 * are far from images of each other, a roll near a quarter turn is taken to be meant as that. In the plane of
 * x and z a reflection is [-c s; s c], the angle being twice that of its line. */
static mat3 along_bone(mat3 a) {
    double c = 0.5 * (a.m[2][2] - a.m[0][0]);
    double s = 0.5 * (a.m[0][2] + a.m[2][0]);
    double length = sqrt(c * c + s * s);
    c = length > 1e-6 ? c / length : 1.0;
    s = length > 1e-6 ? s / length : 0.0;
    if (fabs(a.m[0][1]) + fabs(a.m[2][1]) > IMAGE || a.m[1][1] < 0.0) {
        if (fabs(c) > QUARTER) {
            c = c > 0.0 ? 1.0 : -1.0;
            s = 0.0;
        } else if (fabs(s) > QUARTER) {
            s = s > 0.0 ? 1.0 : -1.0;
            c = 0.0;
        }
    }
    return (mat3){{{-c, 0.0, s}, {0.0, 1.0, 0.0}, {s, 0.0, c}}};
}

mat3 mirror_axes(const amble_skeleton *skeleton, const amble_mirror_plan *plan, const mirror_frame *frame,
                 int64_t bone) {
    mat3 image = mat3_multiply(frame->reflect, rest_axes(skeleton, bone));
    mat3 axes = mat3_multiply(mat3_inverse(rest_axes(skeleton, plan->partner[bone])), image);
    return on_axes(mat3_squared_up(plan->whole_pose ? along_bone(axes) : axes));
}

/* The matrix of q -> a q b. Reflections x and y make the rotation (-x) R (-y), both of which are rotations.
 */
static void quaternion_map(mat3 x, mat3 y, double out[16]) {
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            x.m[r][c] = -x.m[r][c];
            y.m[r][c] = -y.m[r][c];
        }
    }
    quat left = quat_from_matrix(x.m);
    quat right = quat_from_matrix(y.m);
    double largest = 0.0;
    for (int column = 0; column < 4; column++) {
        quat unit = {column == 0, column == 1, column == 2, column == 3};
        quat image = quat_multiply(quat_multiply(left, unit), right);
        const double parts[4] = {image.w, image.x, image.y, image.z};
        for (int row = 0; row < 4; row++) {
            double whole = floor(parts[row] + 0.5);
            out[4 * row + column] = fabs(parts[row] - whole) < 1e-12 ? whole : parts[row];
        }
        if (column == 0) { /* the identity's image begins with its largest part positive */
            for (int row = 0; row < 4; row++) {
                largest = fabs(parts[row]) > fabs(largest) + 1e-9 ? parts[row] : largest;
            }
        }
    }
    for (int k = 0; k < 16; k++) {
        out[k] = largest < 0.0 ? -out[k] : out[k];
        out[k] += 0.0; /* no -0 */
    }
}

/* What a location is along: the bone's own axes or, with the flag, its parent's; a root's are the armature's.
 */
static mat3 location_axes(const amble_skeleton *skeleton, int64_t bone, mat3 own) {
    bool parents = skeleton->flags && (skeleton->flags[bone] & AMBLE_BONE_NO_LOCAL_LOCATION);
    if (!parents) {
        return own;
    }
    return (mat3){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
}

static bool connected(const amble_skeleton *skeleton, int64_t bone) {
    return skeleton->flags && (skeleton->flags[bone] & AMBLE_BONE_CONNECTED);
}

static void scale_map(mat3 y, double out[9]) {
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out[3 * r + c] = y.m[c][r] * y.m[c][r];
        }
    }
}

/* Of a root: its axes are the armature's, so that T is in them. Else its rest relative to its parent's. */
static mat3 offset_axes(const amble_skeleton *skeleton, int64_t bone) {
    int64_t parent = skeleton->parents[bone];
    mat3 own = rest_axes(skeleton, bone);
    return parent < 0 ? own : mat3_multiply(mat3_inverse(rest_axes(skeleton, parent)), own);
}

static void location_map(const amble_skeleton *skeleton, const mirror_frame *frame, int64_t bone,
                         int64_t source, mat3 carried, double out[12]) {
    mat3 to = location_axes(skeleton, bone, offset_axes(skeleton, bone));
    mat3 from = location_axes(skeleton, source, offset_axes(skeleton, source));
    mat3 map = on_axes(mat3_squared_up(mat3_multiply(mat3_inverse(to), mat3_multiply(carried, from))));
    double added[3] = {0.0, 0.0, 0.0};
    if (skeleton->parents[bone] < 0) { /* T carries the head of a root away from its rest */
        double head[3];
        double moved[3];
        rest_head(skeleton, bone, head);
        mat3_apply(frame->turn, head, moved);
        for (int r = 0; r < 3; r++) {
            moved[r] += frame->turn_move[r] - head[r];
        }
        mat3_apply(mat3_inverse(to), moved, added);
    }
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out[4 * r + c] = connected(skeleton, source) ? 0.0 : map.m[r][c];
        }
        out[4 * r + 3] = added[r];
    }
    if (connected(skeleton, bone)) {
        memset(out, 0, 12 * sizeof *out);
    }
}

static bool is_general(const amble_skeleton *skeleton, const int32_t *partner, int64_t bone) {
    int64_t source = partner[bone];
    int64_t parent = skeleton->parents[bone];
    int64_t other = skeleton->parents[source];
    if ((parent < 0) != (other < 0) || (parent >= 0 && partner[parent] != other)) {
        return true;
    }
    const uint32_t inherits = ~(AMBLE_BONE_CONNECTED | AMBLE_BONE_NO_LOCAL_LOCATION);
    return skeleton->flags && ((skeleton->flags[bone] ^ skeleton->flags[source]) & inherits);
}

void mirror_bone_map(const amble_skeleton *skeleton, const amble_mirror_plan *plan, const mirror_frame *frame,
                     int64_t bone, mirror_map *out) {
    int64_t source = plan->partner[bone];
    int64_t parent = skeleton->parents[bone];
    bool alone = parent < 0 || (skeleton->flags && (skeleton->flags[bone] & AMBLE_BONE_NO_ROTATION));
    mat3 own = rest_axes(skeleton, bone);
    mat3 y = mirror_axes(skeleton, plan, frame, bone);
    mat3 x = mat3_transpose(y);
    mat3 carried = mat3_multiply(frame->turn, frame->reflect);
    if (parent >= 0) {
        carried = mat3_transpose(mirror_axes(skeleton, plan, frame, parent));
    }
    if (!plan->whole_pose) {
        mat3 turned = mat3_multiply(mat3_inverse(own), mat3_multiply(frame->turn, own));
        x = alone ? mat3_multiply(on_axes(turned), x) : x;
    } else if (alone) {
        x = mat3_multiply(frame->reflect, rest_axes(skeleton, source));
        x = mat3_multiply(mat3_inverse(own), mat3_multiply(frame->turn, x));
    } else {
        x = mat3_multiply(carried, offset_axes(skeleton, source));
        x = mat3_multiply(mat3_inverse(offset_axes(skeleton, bone)), x);
    }
    out->general = is_general(skeleton, plan->partner, bone);
    quaternion_map(on_axes(mat3_squared_up(x)), y, out->rotation);
    location_map(skeleton, frame, bone, source, carried, out->location);
    scale_map(y, out->scale);
}

amble_error amble_mirror_maps(const amble_skeleton *skeleton, const amble_mirror_plan *plan, double *rotation,
                              double *location, double *scale, int32_t *general) {
    mirror_frame frame;
    AMBLE_TRY(mirror_set_up(skeleton, plan, &frame));
    for (int64_t i = 0; i < skeleton->bones; i++) {
        mirror_map map;
        mirror_bone_map(skeleton, plan, &frame, i, &map);
        memcpy(rotation + 16 * i, map.rotation, sizeof map.rotation);
        memcpy(location + 12 * i, map.location, sizeof map.location);
        memcpy(scale + 9 * i, map.scale, sizeof map.scale);
        general[i] = map.general;
    }
    return AMBLE_SUCCESS;
}

/* ---- Whole clips ---- */

/* rows of out = matrix times rows of in, plus what is added. */
static void map_rows(const double *matrix, int stride, int rows, const double *added, int64_t frames,
                     const float *in, float *out) {
    wf factor[4][4];
    wf offset[4];
    for (int r = 0; r < rows; r++) {
        offset[r] = wf_set(added ? (float)added[(int64_t)r * stride] : 0.0F);
        for (int c = 0; c < rows; c++) {
            factor[r][c] = wf_set((float)matrix[(int64_t)r * stride + c]);
        }
    }
    for (int64_t f = 0; f < frames; f += WF_LANES) {
        int used = wf_used(f, frames);
        wf value[4];
        for (int c = 0; c < rows; c++) {
            value[c] = wf_load_part(in + c * frames + f, used);
        }
        for (int r = 0; r < rows; r++) {
            wf sum = wf_mul(factor[r][0], value[0]);
            for (int c = 1; c < rows; c++) {
                sum = wf_add(sum, wf_mul(factor[r][c], value[c]));
            }
            wf_store_part(out + r * frames + f, wf_add(sum, offset[r]), used);
        }
    }
}

amble_error amble_mirror(const amble_skeleton *skeleton, const amble_mirror_plan *plan, int64_t frames,
                         const float *channels, float *out) {
    mirror_frame frame;
    AMBLE_TRY(mirror_set_up(skeleton, plan, &frame));
    bool any_general = false;
    for (int64_t i = 0; i < skeleton->bones; i++) {
        mirror_map map;
        mirror_bone_map(skeleton, plan, &frame, i, &map);
        const float *in = channels + 10 * frames * plan->partner[i];
        float *to = out + 10 * frames * i;
        map_rows(map.location, 4, 3, map.location + 3, frames, in, to);
        map_rows(map.rotation, 4, 4, NULL, frames, in + 3 * frames, to + 3 * frames);
        map_rows(map.scale, 3, 3, NULL, frames, in + 7 * frames, to + 7 * frames);
        any_general = any_general || map.general;
    }
    return any_general ? mirror_general(skeleton, plan, &frame, frames, channels, out) : AMBLE_SUCCESS;
}

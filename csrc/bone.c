/* A bone's set-up and its pose at one frame, as Blender evaluates it.
 *
 * With O the rest matrix relative to the parent's, (R, S, l) the channels and P the parent's pose, a plain
 * bone's pose is P L, where L = [O R S | o + O l]; o is O's translation. The flags change little of it:
 *  - connected: l is 0.
 *  - no local location: l is added along the parent's axes, o + l. A root's parent axes are the armature's.
 *  - no rotation, or an inherit-scale mode other than full: the place is still P's, but the 3 by 3 part is
 *    (T O) R S with a T that holds less than P does. See reduced_parent().
 */
#include "bone.h"
#include "check.h"
#include "quat.h"

#include <string.h>

/* ---- Set-up: from the skeleton to bones, with every check ---- */

static double determinant(double m[3][3]) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Inverse of a matrix with the given determinant, by cofactors. */
static void invert(double m[3][3], double det, double out[3][3]) {
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            int r1 = (r + 1) % 3;
            int r2 = (r + 2) % 3;
            int c1 = (c + 1) % 3;
            int c2 = (c + 2) % 3;
            out[c][r] = (m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]) / det;
        }
    }
}

static void multiply(double a[3][3], double b[3][3], double out[3][3]) {
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out[r][c] = a[r][0] * b[0][c] + a[r][1] * b[1][c] + a[r][2] * b[2][c];
        }
    }
}

static void split_rest(const double *rest, double axes[3][3], double place[3]) {
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            axes[r][c] = rest[r * 4 + c];
        }
        place[r] = rest[r * 4 + 3];
    }
}

static amble_error check_rest(const double *rest, int64_t index) {
    double axes[3][3];
    double place[3];
    double lengths = 1.0;
    for (int k = 0; k < 16; k++) {
        if (!(fabs(rest[k]) <= AMBLE_LARGEST)) {
            return amble_fail(AMBLE_BAD_VALUE, "rest[%lld] holds NaN, infinity or a value over %g",
                              (long long)index, AMBLE_LARGEST);
        }
    }
    if (rest[12] != 0.0 || rest[13] != 0.0 || rest[14] != 0.0 || rest[15] != 1.0) {
        return amble_fail(AMBLE_BAD_VALUE, "rest[%lld] must have 0, 0, 0, 1 as its bottom row",
                          (long long)index);
    }
    split_rest(rest, axes, place);
    for (int c = 0; c < 3; c++) {
        lengths *= sqrt(axes[0][c] * axes[0][c] + axes[1][c] * axes[1][c] + axes[2][c] * axes[2][c]);
    }
    /* Against the product of the axes' lengths, so that the test does not depend on the unit of length. */
    if (!(fabs(determinant(axes)) > 1e-9 * lengths)) {
        return amble_fail(AMBLE_BAD_VALUE, "rest[%lld] cannot be inverted: its axes lie in one plane",
                          (long long)index);
    }
    return AMBLE_SUCCESS;
}

amble_error amble_bone_set_up(const amble_skeleton *skeleton, int64_t index, amble_bone *out) {
    int64_t parent = skeleton->parents[index];
    uint32_t flags = skeleton->flags ? skeleton->flags[index] : 0U;
    uint32_t scale = flags >> AMBLE_BONE_SCALE_SHIFT;
    if (parent < -1 || parent >= skeleton->bones) {
        return amble_fail(AMBLE_BAD_VALUE,
                          "parents[%lld] is %lld: it must be -1 or the index of one of %lld bones",
                          (long long)index, (long long)parent, (long long)skeleton->bones);
    }
    if (parent >= index) {
        return amble_fail(AMBLE_BAD_VALUE, "parents[%lld] is %lld: a parent must come before its children",
                          (long long)index, (long long)parent);
    }
    if ((flags & ~AMBLE_BONE_ALL) || scale > AMBLE_SCALE_NONE_LEGACY) {
        return amble_fail(AMBLE_BAD_VALUE,
                          "flags[%lld] is %lu, which holds a bit or an inherit-scale mode unknown",
                          (long long)index, (unsigned long)flags);
    }
    AMBLE_TRY(check_rest(skeleton->rest + index * 16, index));

    *out = (amble_bone){
        .parent = parent,
        .connected = (flags & AMBLE_BONE_CONNECTED) != 0,
        .no_rotation = (flags & AMBLE_BONE_NO_ROTATION) != 0,
        .no_local_location = (flags & AMBLE_BONE_NO_LOCAL_LOCATION) != 0,
        .scale = (amble_inherit_scale)scale,
    };
    double axes[3][3];
    double place[3];
    double offset[3][3];
    split_rest(skeleton->rest + index * 16, axes, place);
    if (parent < 0) {
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                out->offset[r][c] = axes[r][c];
            }
            out->offset[r][3] = place[r];
        }
        return AMBLE_SUCCESS;
    }
    double parent_place[3];
    double inverse[3][3];
    split_rest(skeleton->rest + parent * 16, out->parent_rest, parent_place);
    invert(out->parent_rest, determinant(out->parent_rest), inverse);
    multiply(inverse, axes, offset);
    for (int r = 0; r < 3; r++) {
        out->offset[r][3] = 0.0;
        for (int c = 0; c < 3; c++) {
            out->offset[r][c] = offset[r][c];
            out->offset[r][3] += inverse[r][c] * (place[c] - parent_place[c]);
        }
    }
    return AMBLE_SUCCESS;
}

/* ---- What a bone inherits ---- */

static vec column(double m[3][3], int c) { return (vec){m[0][c], m[1][c], m[2][c]}; }

static void set_column(double m[3][3], int c, vec v) {
    m[0][c] = v.x;
    m[1][c] = v.y;
    m[2][c] = v.z;
}

static void scale_column(double m[3][3], int c, double factor) {
    set_column(m, c, vec_scale(column(m, c), factor));
}

/* Makes the axes square to one another. The bone's own direction y stays; x and z are projected off it, which
 * keeps the volume, then turned away from each other by equal angles, which does not prefer either. Their
 * lengths then shrink by the root of the sine that was between them, which keeps the area. With `unit`, all
 * axes get length 1.
 *
 * Blender leaves an angle within 1e-4 of square, or of flat, as it is; so must this to agree with it.
 * Let c and s be cosine and sine of the angle a between x and z. The new angle of x to z is half way from a
 * to a right angle, (a + pi/2) / 2, whose cosine is c / sqrt(2 (1 + s)) and sine sqrt((1 + s) / 2).
 */
static void square_axes(double m[3][3], bool unit) {
    vec y = column(m, 1);
    vec x = column(m, 0);
    vec z = column(m, 2);
    double yy = vec_dot(y, y);
    if (yy > 0.0) {
        x = vec_sub(x, vec_scale(y, vec_dot(x, y) / yy));
        z = vec_sub(z, vec_scale(y, vec_dot(z, y) / yy));
        if (unit) {
            y = vec_normalise(y);
        }
    }
    double x_length = vec_length(x);
    double z_length = vec_length(z);
    vec ux = vec_normalise(x);
    vec uz = vec_normalise(z);
    double c = vec_dot(ux, uz);
    if (fabs(c) > 1e-4 && fabs(c) < 1.0 - 1.2e-7) {
        double s = sqrt((1.0 - c) * (1.0 + c));
        vec across = vec_normalise(vec_sub(ux, vec_scale(uz, c)));
        ux = vec_add(vec_scale(across, sqrt(0.5 * (1.0 + s))), vec_scale(uz, c / sqrt(2.0 * (1.0 + s))));
        uz = vec_normalise(vec_sub(uz, vec_scale(ux, vec_dot(ux, uz))));
        x = vec_scale(ux, x_length * sqrt(s));
        z = vec_scale(uz, z_length * sqrt(s));
    }
    set_column(m, 0, unit ? ux : x);
    set_column(m, 1, y);
    set_column(m, 2, unit ? uz : z);
}

/* Lengths of the axes. With `volume`, scaled together so that their product is the matrix's volume. */
static vec axis_lengths(double m[3][3], bool volume) {
    vec lengths = {vec_length(column(m, 0)), vec_length(column(m, 1)), vec_length(column(m, 2))};
    double product = lengths.x * lengths.y * lengths.z;
    if (volume && product != 0.0) {
        lengths = vec_scale(lengths, amble_cbrt(fabs(determinant(m) / product)));
    }
    return lengths;
}

/* T: what is left of the parent's rotation and scale P once the flags have taken their share. `own_scale` is
 * what is put on the bone's own axes afterwards. */
static void reduced_parent(const amble_bone *b, double p[3][3], double t[3][3], vec *own_scale) {
    *own_scale = (vec){1.0, 1.0, 1.0};
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            t[r][c] = b->no_rotation ? b->parent_rest[r][c] : p[r][c];
        }
    }

    if (b->no_rotation) {
        vec lengths = axis_lengths(p, b->scale != AMBLE_SCALE_FULL);
        if (b->scale == AMBLE_SCALE_FULL || b->scale == AMBLE_SCALE_FIX_SHEAR) {
            scale_column(t, 0, lengths.x);
            scale_column(t, 1, lengths.y);
            scale_column(t, 2, lengths.z);
        } else if (b->scale == AMBLE_SCALE_ALIGNED) {
            *own_scale = lengths;
        }
    } else if (b->scale == AMBLE_SCALE_NONE || b->scale == AMBLE_SCALE_AVERAGE) {
        square_axes(t, true);
    } else if (b->scale == AMBLE_SCALE_ALIGNED) {
        square_axes(t, false);
        *own_scale = axis_lengths(t, false);
        for (int c = 0; c < 3; c++) {
            set_column(t, c, vec_normalise(column(t, c)));
        }
    } else if (b->scale == AMBLE_SCALE_NONE_LEGACY) {
        for (int c = 0; c < 3; c++) {
            set_column(t, c, vec_normalise(column(t, c)));
        }
    }

    if (b->scale == AMBLE_SCALE_AVERAGE) {
        double factor = amble_cbrt(fabs(determinant(p)));
        for (int c = 0; c < 3; c++) {
            scale_column(t, c, factor);
        }
    }
}

/* ---- Pose ---- */

void amble_bone_pose(const amble_bone *bone, const double channels[10], double (*parent)[4],
                     double out[3][4]) {
    const amble_bone *b = bone;
    const double *in = channels;
    double armature[3][4] = {{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}};
    double (*above)[4] = parent ? parent : armature;
    double offset[3][3];
    double p[3][3];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            offset[r][c] = b->offset[r][c];
            p[r][c] = above[r][c];
        }
    }
    double turn[3][3];
    double t[3][3];
    double axes[3][3];
    double turned[3][3];
    vec own_scale = {1.0, 1.0, 1.0};
    if (parent) {
        reduced_parent(b, p, t, &own_scale);
        multiply(t, offset, axes);
    } else {
        memcpy(axes, offset, sizeof axes);
    }
    if (parent && b->scale == AMBLE_SCALE_FIX_SHEAR) {
        square_axes(axes, false);
    }
    bool none = in[3] == 0.0 && in[4] == 0.0 && in[5] == 0.0 && in[6] == 0.0;
    quat_to_matrix(quat_normalise((quat){in[3], none ? 1.0 : in[4], in[5], in[6]}), turn);
    multiply(axes, turn, turned);
    scale_column(turned, 0, in[7] * own_scale.x);
    scale_column(turned, 1, in[8] * own_scale.y);
    scale_column(turned, 2, in[9] * own_scale.z);

    double local[3];
    for (int r = 0; r < 3; r++) {
        local[r] = b->offset[r][3];
        if (b->connected) {
            continue;
        }
        local[r] +=
            b->no_local_location ? in[r] : offset[r][0] * in[0] + offset[r][1] * in[1] + offset[r][2] * in[2];
    }
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out[r][c] = turned[r][c];
        }
        out[r][3] = p[r][0] * local[0] + p[r][1] * local[1] + p[r][2] * local[2] + above[r][3];
    }
}

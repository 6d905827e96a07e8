/* Parts of a body in the world, their reach, and their distance from planes. See reach.h. */
#include "reach.h"

#include "check.h"
#include "quat.h"

#include <math.h>

amble_error amble_part_tracks(int64_t bones, int64_t parts, int64_t frames, const float *pose,
                              const int32_t *bone, const double *axis, const double *world, double *track) {
    AMBLE_TRY(amble_check_values_double("axis", axis, 6 * parts, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("world", world, 12 * frames, AMBLE_LARGEST));
    for (int64_t p = 0; p < parts; p++) {
        if (bone[p] < 0 || bone[p] >= bones) {
            return amble_fail(AMBLE_BAD_VALUE, "bone[%lld] is %d: there are %lld bones", (long long)p,
                              (int)bone[p], (long long)bones);
        }
    }
    for (int64_t side = 0; side < 2; side++) {
        for (int64_t p = 0; p < parts; p++) {
            const float *own = pose + 12 * frames * bone[p];
            const double *local = axis + 6 * p + 3 * side;
            double *x = track + (3 * side * parts + p) * frames;
            double *y = x + parts * frames;
            double *z = y + parts * frames;
            for (int64_t f = 0; f < frames; f++) {
                double at[3];
                for (int r = 0; r < 3; r++) {
                    const float *row = own + (int64_t)4 * r * frames + f;
                    at[r] = row[0] * local[0] + row[frames] * local[1] + row[2 * frames] * local[2] +
                            row[3 * frames];
                }
                const double *w = world + f;
                x[f] = w[0] * at[0] + w[frames] * at[1] + w[2 * frames] * at[2] + w[3 * frames];
                w += 4 * frames;
                y[f] = w[0] * at[0] + w[frames] * at[1] + w[2 * frames] * at[2] + w[3 * frames];
                w += 4 * frames;
                z[f] = w[0] * at[0] + w[frames] * at[1] + w[2 * frames] * at[2] + w[3 * frames];
            }
        }
    }
    return AMBLE_SUCCESS;
}

amble_error amble_reach(int64_t parts, int64_t frames, const double *track, const double *radius,
                        const double point[3], const double up[3], double *distance, int32_t *part,
                        double *end, double *direction) {
    AMBLE_TRY(amble_check_values_double("track", track, 6 * parts * frames, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("radius", radius, parts, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("point", point, 3, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("up", up, 3, AMBLE_LARGEST));
    vec axis = vec_normalise((vec){up[0], up[1], up[2]});
    vec origin = {point[0], point[1], point[2]};
    if (vec_length(axis) == 0.0) {
        return amble_fail(AMBLE_BAD_VALUE, "up must not be 0");
    }
    for (int64_t f = 0; f < frames; f++) {
        vec best = {0.0, 0.0, 0.0};
        vec best_end = origin;
        distance[f] = parts > 0 ? -1.0 : 0.0;
        part[f] = -1;
        for (int64_t k = 0; k < 2 * parts; k++) {
            int64_t p = k / 2;
            const double *at = track + (3 * (k % 2) * parts + p) * frames + f;
            vec place = {at[0], at[parts * frames], at[2 * parts * frames]};
            vec away = vec_sub(place, origin);
            away = vec_sub(away, vec_scale(axis, vec_dot(away, axis)));
            double length = vec_length(away) + radius[p];
            if (length > distance[f]) {
                distance[f] = length;
                part[f] = (int32_t)p;
                best = vec_normalise(away);
                best_end = place;
            }
        }
        end[f] = best_end.x, end[frames + f] = best_end.y, end[2 * frames + f] = best_end.z;
        direction[f] = best.x, direction[frames + f] = best.y, direction[2 * frames + f] = best.z;
    }
    return AMBLE_SUCCESS;
}

static amble_error check_planes(int64_t faces, const double *planes) {
    AMBLE_TRY(amble_check_values_double("planes", planes, 4 * faces, AMBLE_LARGEST));
    for (int64_t k = 0; k < faces; k++) {
        double length = vec_length((vec){planes[4 * k], planes[4 * k + 1], planes[4 * k + 2]});
        if (!(fabs(length - 1.0) < 1e-6)) {
            return amble_fail(AMBLE_BAD_VALUE, "planes[%lld] must have a normal of length 1, not %g",
                              (long long)k, length);
        }
    }
    return AMBLE_SUCCESS;
}

/* The least distance of the four ends of a moving axis from a plane. */
static double from_plane(const double *plane, const double *start, const double *end, int64_t count) {
    double least = AMBLE_LARGEST;
    for (int64_t side = 0; side < 2; side++) {
        const double *at[2] = {start + 3 * side * count, end + 3 * side * count};
        for (int k = 0; k < 2; k++) {
            double far =
                plane[0] * at[k][0] + plane[1] * at[k][count] + plane[2] * at[k][2 * count] - plane[3];
            least = far < least ? far : least;
        }
    }
    return least;
}

amble_error amble_plane_clearance(int64_t count, const double *start, const double *end, const double *radius,
                                  int64_t faces, const double *planes, int all, double *clearance) {
    AMBLE_TRY(amble_check_values_double("start", start, 6 * count, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("end", end, 6 * count, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("radius", radius, count, AMBLE_LARGEST));
    AMBLE_TRY(check_planes(faces, planes));
    for (int64_t i = 0; i < count; i++) {
        if (radius[i] < 0.0) {
            return amble_fail(AMBLE_BAD_VALUE, "radius[%lld] is %g: below 0", (long long)i, radius[i]);
        }
        double found = all ? AMBLE_LARGEST : -AMBLE_LARGEST;
        for (int64_t k = 0; k < faces; k++) {
            double far = from_plane(planes + 4 * k, start + i, end + i, count);
            found = (all ? far < found : far > found) ? far : found;
        }
        clearance[i] = faces > 0 ? found - radius[i] : AMBLE_LARGEST;
    }
    return AMBLE_SUCCESS;
}

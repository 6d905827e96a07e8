/* Differences from a held pose, their angles multiplied.
 *
 * With d = (w, v) the unit difference and h half its angle, its logarithm is r = a v, a = h / sin h, and the
 * multiplied one is (cos |R|, c R), R = k r, c = sin |R| / |R|. With d' = (w', v') the change:
 *   a'  = (w a - 1) / (sin h)^2 w'       as dh = -w' / sin h and da / dh = (sin h - h cos h) / (sin h)^2,
 *   R'  = k (a v' + a' v),
 *   out = (-c (R . R'), c R' + (cos |R| - c) / |R|^2 (R . R') R).
 * The quotients are even in h and |R|; near 0 their first two terms are taken.
 */
#include "check.h"
#include "idle.h"
#include "quat.h"

/* Under this sine the series are exact to 1e-13 where the quotients are not. */
static const double SMALL = 1e-3;

static quat load(const float *from, int64_t stride) {
    return (quat){from[0], from[stride], from[2 * stride], from[3 * stride]};
}

static void store(quat q, float *to, int64_t stride) {
    to[0] = (float)q.w;
    to[stride] = (float)q.x;
    to[2 * stride] = (float)q.y;
    to[3 * stride] = (float)q.z;
}

/* Multiplies the angle of the unit d by k, and its change with it; returns the half angle before. */
static double multiply_angle(quat *d, quat *change, double k) {
    vec v = {d->x, d->y, d->z};
    vec dv = {change->x, change->y, change->z};
    double sine = vec_length(v);
    double half = amble_atan2(sine, d->w);
    double s2 = sine * sine;
    double a = sine > SMALL ? half / sine : 1.0 + s2 / 6.0;
    double da = (sine > SMALL ? (d->w * a - 1.0) / s2 : -1.0 / 3.0 - 2.0 * s2 / 15.0) * change->w;
    vec r = vec_scale(v, k * a);
    vec dr = vec_scale(vec_add(vec_scale(dv, a), vec_scale(v, da)), k);
    double wide = k * half;
    double s;
    double cosine;
    amble_sincos(wide, &s, &cosine);
    double c = wide > SMALL ? s / wide : 1.0 - wide * wide / 6.0;
    double dc = wide > SMALL ? (cosine - c) / (wide * wide) : -1.0 / 3.0 + wide * wide / 30.0;
    double along = vec_dot(r, dr);
    vec out = vec_scale(r, c);
    vec dout = vec_add(vec_scale(dr, c), vec_scale(r, dc * along));
    *d = (quat){cosine, out.x, out.y, out.z};
    *change = (quat){-c * along, dout.x, dout.y, dout.z};
    return half;
}

amble_error amble_idle_layer(int64_t count, int64_t frames, const float *held, const float *turns,
                             const float *slopes, double factor, float *differences, float *changes,
                             double *largest) {
    AMBLE_TRY(amble_check_number("factor", factor, 1e-6, 1e6));
    *largest = 0.0;
    for (int64_t b = 0; b < count; b++) {
        quat back = quat_conjugate(quat_normalise(load(held + 4 * b, 1)));
        for (int64_t f = 0; f < frames; f++) {
            int64_t at = 4 * b * frames + f;
            quat turn = load(turns + at, frames);
            double length = sqrt(quat_dot(turn, turn));
            quat d = quat_multiply(back, quat_normalise(turn));
            quat change = quat_multiply(back, load(slopes + at, frames));
            change = quat_scale(change, d.w < 0.0 ? -1.0 : 1.0);
            d = quat_scale(d, d.w < 0.0 ? -1.0 : 1.0);
            /* Of the change only what is square to the difference turns it. */
            change = quat_scale(quat_add(change, quat_scale(d, -quat_dot(d, change))),
                                length > 0.0 ? 1.0 / length : 0.0);
            double half = multiply_angle(&d, &change, factor);
            *largest = 2.0 * half > *largest ? 2.0 * half : *largest;
            store(d, differences + at, frames);
            store(change, changes + at, frames);
        }
    }
    return AMBLE_SUCCESS;
}

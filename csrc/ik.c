/* Analytic two-bone inverse kinematics, four frames at once.
 *
 * In the plane through root, target and pole let d be the unit vector to the target, p the unit vector square
 * to it on the pole's side, and D the distance, brought within what the chain can span. Lengths are taken in
 * units of a + b, so that a + b = 1, and with q = (a - b) / D, which is between -1 and 1, the cosine law and
 * Heron's formula put the joint at along * d + height * p with
 *     along  = (D + q) / 2
 *     height = sqrt((1 + D)(1 - D)) sqrt((1 + q)(1 - q)) / 2.
 * No squares are subtracted, so nothing is lost near full reach, where D comes to 1, nor folded up, where q
 * comes to 1; and D = 0, which needs a = b, is q = 0: the joint straight out on the pole's side.
 */
#include "check.h"
#include "quat.h"

/* Turn about the x axis whose cosine and sine are given, as half-angle cosine and sine. Both forms of the
 * half-angle formula are used, each where it does not cancel. `sine` >= 0. */
static void half_angle(wf cosine, wf sine, wf *half_cosine, wf *half_sine) {
    const wf half = wf_set(0.5F);
    wf large = wf_sqrt(wf_add(half, wf_mul(half, wf_abs(cosine))));
    wf small = wf_div(wf_mul(half, sine), large);
    wm acute = wf_le(wf_set(0.0F), cosine);
    *half_cosine = wf_select(acute, large, small);
    *half_sine = wf_select(acute, small, large);
}

/* The point (along, height) as cosine and sine of its angle. It is never 0: no bone has length 0. */
static void direction(wf along, wf height, wf *cosine, wf *sine) {
    wf length = wf_sqrt(wf_madd2(along, along, height, height));
    *cosine = wf_div(along, length);
    *sine = wf_div(height, length);
}

/* q times the turn (c, s, 0, 0). */
static quatw turn_about_x(quatw q, wf c, wf s) {
    return quatw_normalise((quatw){
        wf_msub2(q.w, c, q.x, s),
        wf_madd2(q.x, c, q.w, s),
        wf_madd2(q.y, c, q.z, s),
        wf_msub2(q.z, c, q.y, s),
    });
}

/* The part of the unit vector `pole` that is square to the unit vector d, of unit length. Projected twice:
 * the first difference of nearly parallel vectors is not yet square to d. */
static vecw side_of(vecw pole, vecw d) {
    wf sine;
    wf unused;
    vecw p = vecw_normalise(vecw_sub(pole, vecw_scale(d, vecw_dot(pole, d))), &sine);
    p = vecw_normalise(vecw_sub(p, vecw_scale(d, vecw_dot(p, d))), &unused);
    return vecw_select(wf_lt(sine, wf_set(1e-4F)), vecw_perpendicular(d), p);
}

amble_error amble_two_bone_ik(const amble_two_bone *chain, int64_t frames, const float *root,
                              const float *target, const float *pole, float *joint, float *upper,
                              float *lower, float *miss) {
    AMBLE_TRY(amble_check_number("upper", chain->upper, 1e-15, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_number("lower", chain->lower, 1e-15, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_number("limit", chain->limit, 1e-6, 1.0));
    AMBLE_TRY(amble_check_values("root", root, 3 * frames, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values("target", target, 3 * frames, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values("pole", pole, 3 * frames, AMBLE_LARGEST));

    if (chain->upper > 1e3 * chain->lower || chain->lower > 1e3 * chain->upper) {
        return amble_fail(AMBLE_BAD_VALUE, "lower must be within a factor of 1000 of upper, not %g to %g",
                          chain->lower, chain->upper);
    }
    double sum = chain->upper + chain->lower;
    double nearest = fabs(chain->upper - chain->lower);
    double farthest = chain->limit * sum;
    if (farthest < nearest) {
        return amble_fail(AMBLE_BAD_VALUE,
                          "limit must be at least %g: bones of %g and %g cannot fold further", nearest / sum,
                          chain->upper, chain->lower);
    }
    const wf zero = wf_set(0.0F);
    const wf one = wf_set(1.0F);
    const wf half = wf_set(0.5F);
    const wf unit = wf_set((float)sum);
    const wf low = wf_set((float)nearest);
    const wf high = wf_set((float)farthest);
    const wf difference = wf_set((float)((chain->upper - chain->lower) / sum));
    const wf shortest = wf_abs(difference);
    const wf longest = wf_set((float)chain->limit);
    const wf upper_length = wf_set((float)chain->upper);

    for (int64_t f = 0; f < frames; f += WF_LANES) {
        int used = wf_used(f, frames);
        vecw from = vecw_load(root + f, frames, used);
        wf pole_length;
        wf distance;
        vecw side = vecw_normalise(vecw_load(pole + f, frames, used), &pole_length);
        if (!wm_all(wf_lt(zero, pole_length))) {
            return amble_fail(AMBLE_BAD_VALUE, "pole has length 0 within frames %lld to %lld", (long long)f,
                              (long long)(f + used - 1));
        }

        vecw d = vecw_normalise(vecw_sub(vecw_load(target + f, frames, used), from), &distance);
        d = vecw_select(wf_eq(distance, zero), vecw_perpendicular(side), d);
        vecw p = side_of(side, d);

        wf too_far = wf_max(wf_sub(distance, high), zero);
        wf too_near = wf_min(wf_sub(distance, low), zero);
        wf_store_part(miss + f, wf_add(too_far, too_near), used);

        /* Brought within the span before the division, which so cannot overflow, and once more after it, so
         * that its rounding cannot put q or D beyond 1. */
        wf reach = wf_div(wf_min(wf_max(distance, low), high), unit);
        reach = wf_min(wf_max(reach, shortest), longest);
        wm folded = wf_eq(reach, zero);
        wf q = wf_select(folded, zero, wf_div(difference, wf_select(folded, one, reach)));
        wf along = wf_mul(half, wf_add(reach, q));
        wf height = wf_mul(half, wf_mul(wf_sqrt(wf_mul(wf_add(one, reach), wf_sub(one, reach))),
                                        wf_sqrt(wf_mul(wf_add(one, q), wf_sub(one, q)))));

        wf cosine;
        wf sine;
        wf low_cosine;
        wf low_sine;
        direction(along, height, &cosine, &sine);
        direction(wf_sub(reach, along), height, &low_cosine, &low_sine);
        vecw offset =
            vecw_add(vecw_scale(d, wf_mul(cosine, upper_length)), vecw_scale(p, wf_mul(sine, upper_length)));
        vecw_store(joint + f, frames, vecw_add(from, offset), used);

        /* Columns x = d x p, y = d, z = p; the upper bone is turned from y towards z, the lower one back. */
        vecw x = vecw_cross(d, p);
        const wf rows[9] = {x.x, d.x, p.x, x.y, d.y, p.y, x.z, d.z, p.z};
        quatw plane = quatw_from_matrix(rows);
        wf c;
        wf s;
        half_angle(cosine, sine, &c, &s);
        quatw_store(upper + f, frames, turn_about_x(plane, c, s), used);
        half_angle(low_cosine, low_sine, &c, &s);
        quatw_store(lower + f, frames, turn_about_x(plane, c, wf_neg(s)), used);
    }
    return AMBLE_SUCCESS;
}

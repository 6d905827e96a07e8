/* How far off a motion is: in its own location, rotation and scale, or at points that a chain carries. */
#include "fit_private.h"

#include "turn.h"

static quat true_rotation(const amble_fit_motion *motion, int64_t bone, int64_t sample) {
    const float *own = motion->value + (bone * AMBLE_FIT_ROWS + 3) * motion->samples + sample;
    return turn_to_quat(turn_mode(motion->mode[bone]), turn_load(own, motion->samples));
}

/* The rotation with the rows that the group has as they are fitted. bone: of the group. */
static quat rotation_at(const amble_fit_motion *motion, const fit_group *group, const fit_block *block,
                        int64_t bone, int at) {
    const float *own =
        motion->value + ((group->first + bone) * AMBLE_FIT_ROWS + 3) * motion->samples + block->first + at;
    turn fitted = turn_load(own, motion->samples);
    for (int i = 0; i < 4; i++) {
        int part = group->part[bone][i];
        fitted.n[i] = part >= 0 ? block->value[part][at] : fitted.n[i];
    }
    return turn_to_quat(turn_mode(motion->mode[group->first + bone]), fitted);
}

/* Radians between two rotations that are near each other: twice the chord of their quaternions. */
static double angle_between(quat a, quat b) {
    quat chord = quat_add(a, quat_scale(b, quat_dot(a, b) < 0.0 ? 1.0 : -1.0));
    return 2.0 * sqrt(quat_dot(chord, chord));
}

void fit_points(const amble_fit_motion *motion, const fit_group *group, const fit_block *block, int at,
                vec *place) {
    quat turned = {1.0, 0.0, 0.0, 0.0};
    vec head = {0.0, 0.0, 0.0};
    for (int64_t i = 0; i < group->bones; i++) {
        head = vec_add(head, quat_rotate(turned, group->shift[i]));
        turned = quat_multiply(turned, group->turn[i]);
        turned = quat_multiply(turned, rotation_at(motion, group, block, i, at));
        for (int64_t k = 0; k < group->points; k++) {
            int64_t point = group->point_first + k;
            if (motion->carrier[point] == group->first + i) {
                place[k] = vec_add(head, quat_rotate(turned, group->own[point]));
            }
        }
    }
}

static double chain_error(const amble_fit_motion *motion, const fit_group *group, const fit_block *block,
                          int at, vec *place) {
    double worst = 0.0;
    fit_points(motion, group, block, at, place);
    for (int64_t k = 0; k < group->points; k++) {
        int64_t sample = (group->point_first + k) * motion->samples + block->first + at;
        const float *truth = group->truth + sample * 3;
        vec off = vec_sub(place[k], (vec){truth[0], truth[1], truth[2]});
        double error = vec_length(off) / motion->point_tolerance[sample];
        worst = error > worst ? error : worst;
    }
    return worst;
}

static double tolerance_at(const amble_fit_motion *motion, int64_t bone, fit_kind kind, int64_t sample) {
    return motion->tolerance[(bone * 3 + (int64_t)kind) * motion->samples + sample];
}

/* Error of a bone's rotation. bone: of the group. */
static double turn_error(const amble_fit_motion *motion, const fit_group *group, const fit_block *block,
                         int64_t bone, int at) {
    int64_t sample = block->first + at;
    quat fitted = rotation_at(motion, group, block, bone, at);
    double angle = angle_between(fitted, true_rotation(motion, group->first + bone, sample));
    return angle / tolerance_at(motion, group->first + bone, FIT_ROTATION, sample);
}

/* Length of the difference of all rows: of a location or a scale. */
static double plain_error(const amble_fit_motion *motion, const fit_group *group, const fit_block *block,
                          int at) {
    double sum = 0.0;
    int64_t sample = block->first + at;
    for (int i = 0; i < group->rows; i++) {
        double off = block->value[i][at] - motion->value[group->row[i] * motion->samples + sample];
        sum += off * off;
    }
    return sqrt(sum) / tolerance_at(motion, group->first, group->kind, sample);
}

double fit_error(const amble_fit_motion *motion, const fit_group *group, const fit_block *block,
                 double limit) {
    vec place[FIT_MOST_POINTS];
    double worst = 0.0;
    for (int at = 0; at < block->count && worst <= limit; at++) {
        double error = 0.0;
        if (group->kind == FIT_LOCATION || group->kind == FIT_SCALE) {
            error = plain_error(motion, group, block, at);
        } else {
            error = group->kind == FIT_CHAIN ? chain_error(motion, group, block, at, place) : 0.0;
            for (int64_t i = 0; i < group->bones && error <= limit; i++) {
                double turn = turn_error(motion, group, block, i, at);
                error = turn > error ? turn : error;
            }
        }
        worst = error > worst ? error : worst;
    }
    return worst;
}

/* How far apart poses are, how fast joints move, and the frames that a transition needs. */
#ifndef AMBLE_BLEND_MATCH_H
#define AMBLE_BLEND_MATCH_H

#include "amble.h"

/* Largest speed, change of speed and change of that of any point: per frame, per frame squared and cubed.
 * points: (count, 3, frames), evenly spaced. out: the three. Fewer frames than each needs give 0. */
void amble_track_peaks(int64_t count, int64_t frames, const float *points, double out[3]);

/* What poses are compared by, so that the squared distance of two columns is a mean over the joints of
 * squared lengths.
 *
 * pose:     (bones, 12, frames), as amble_forward_kinematics() gives it, evenly spaced.
 * stand:    bone whose place on the ground and heading count for nothing; rest: (4, 4), its rest matrix.
 * joints:   (count,), bones whose heads are compared.
 * up:       unit vector. reach: frames by which a speed counts as a way, 0 to 1e15: 0 leaves speeds out.
 * features: (6 * count, frames): place of each joint beside the stand, turned back by its heading, then the
 *           way that it goes in `reach` frames. Errors: bones or reach out of range. */
amble_error amble_pose_features(int64_t bones, int64_t frames, const float *pose, int64_t stand,
                                const double *rest, int64_t count, const int32_t *joints, const double up[3],
                                double reach, float *features);

/* Root of the weighted mean squared distance between every column of a (rows, a_frames) and every one of b
 * (rows, b_frames). weights: (rows,), 0 or more; the mean is by `share`, which divides the sum.
 * out: (a_frames, b_frames). Errors: weights below 0, share not above 0. */
amble_error amble_pose_distances(int64_t rows, int64_t a_frames, const float *a, int64_t b_frames,
                                 const float *b, const double *weights, double share, float *out);

/* The fewest frames in which an offset of each size and speed dies away by the inertial curve without an
 * acceleration over `acceleration` or a jerk over `jerk`.
 *
 * For the quintic with no acceleration of its own these are at most 5.7735 x / T^2 + 3.94 v / T and
 * 60 x / T^3 + 36 v / T^2 (x^2 and up: at the ends and the turning points of its derivatives).
 * sizes, speeds: (count,), per frame; acceleration, jerk: per frame squared and cubed, 1e-15 or more,
 * infinite for no bound. out: a number of frames, 0 or more. Errors: bounds not above 0, sizes or speeds
 * below 0. */
amble_error amble_blend_length(int64_t count, const double *sizes, const double *speeds, double acceleration,
                               double jerk, double *out);

#endif

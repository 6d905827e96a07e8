/* Where the parts of a moving body are in the world, how far they reach, and how far they stay off planes
 * (JP4136341B2, M1 to M5). Meshes are asked in mesh.h.
 *
 * A part is a capsule: a piece of straight line that a bone carries, and a radius.
 */
#ifndef AMBLE_REACH_H
#define AMBLE_REACH_H

#include "amble.h"

/* Both ends of the axis of each part at each frame, in the world.
 *
 * pose:  (bones, 12, frames): as amble_forward_kinematics() gives it.
 * bone:  (parts,): index of the bone that carries the part.
 * axis:  (parts, 2, 3): ends of its axis in the bone's own space.
 * world: (12, frames): upper three rows, row by row, of what takes armature space to the world.
 * track: (2, 3, parts, frames): first and second end, x, y and z.
 * Errors: bones that are not there; values over AMBLE_LARGEST or NaN. */
amble_error amble_part_tracks(int64_t bones, int64_t parts, int64_t frames, const float *pose,
                              const int32_t *bone, const double *axis, const double *world, double *track);

/* How far the parts reach from a reference line (M2): per frame the largest distance of any part's end, its
 * radius included, from the line, which end of which part that is, and the direction.
 *
 * track, radius: (2, 3, parts, frames), (parts,). point, up: (3,), of the line; up of any length but 0.
 * distance:  (frames,). 0 without parts.
 * part:      (frames,): -1 without parts.
 * end:       (3, frames): the place of the end; direction: (3, frames): from the line to it, square to the
 * line, of length 1; 0 where it is on the line. Errors: an up of length 0; values over AMBLE_LARGEST or NaN.
 */
amble_error amble_reach(int64_t parts, int64_t frames, const double *track, const double *radius,
                        const double point[3], const double up[3], double *distance, int32_t *part,
                        double *end, double *direction);

/* How far each capsule stays on the outer side of planes: the least distance of its axis from any of them,
 * its radius taken off. An axis that moves in straight lines is nearest at one of its ends, at the beginning
 * or the end, so that is exact for moving capsules as well.
 *
 * count:     of capsules. start, end: (2, 3, count); radius: (count,).
 * planes:    (faces, 4): normal of length 1 and distance: the outer side is normal . x > distance.
 * all:       1: the capsule has to stay on the outer side of every plane, as within a region; 0: of one of
 * them at a time, as outside a convex body, whose faces look outward. clearance: (count,). AMBLE_LARGEST
 * without planes. Outside an edge or a corner of a convex body it is that to the farthest of the planes, so
 * never more than the true distance. Errors: normals that are not of length 1 within 1e-6; radii below 0;
 * values over AMBLE_LARGEST or NaN. */
amble_error amble_plane_clearance(int64_t count, const double *start, const double *end, const double *radius,
                                  int64_t faces, const double *planes, int all, double *clearance);

#endif

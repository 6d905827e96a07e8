/* Triangle meshes that are asked where they are: rays, nearest points, clearance of moving capsules.
 *
 * A mesh is built once and then only read, so any number of threads may ask it at the same time. Coordinates
 * are doubles throughout, within +-AMBLE_LARGEST, and results are exact to about 1e-14 of the largest
 * coordinate that takes part, or 1e-8 of the lengths of edges that touch within 1e-8 radians of parallel; the
 * float32 boxes of the tree only decide what need not be looked at. Each item of a call is worked out by
 * itself: the same bits however items are cut into calls.
 *
 * Triangles without area are kept: they have distances, as the segments or points that they are, but no ray
 * hits them. A mesh of no triangles is legal, and nothing is found there.
 *
 * Arrays of many vectors are (3, count): all x, then all y, then all z; only the mesh itself is given a
 * vertex at a time. "Not found" is triangle -1.
 */
#ifndef AMBLE_MESH_H
#define AMBLE_MESH_H

#include "amble.h"

#define AMBLE_MOST_TRIANGLES 268435456 /* 2^28, so that a leaf fits into an int32 */

typedef struct amble_mesh amble_mesh;

/* Builds the mesh's tree, in O(n log n) for n triangles, and sets *mesh. amble_mesh_free() it.
 *
 * vertices:  (vertex_count, 3), finite, within +-AMBLE_LARGEST.
 * triangles: (triangle_count, 3): indices of vertices. Their order decides which way a triangle faces:
 *            counterclockwise as seen from its front.
 * Errors:    values and indices out of range; more than AMBLE_MOST_TRIANGLES; memory. *mesh is then NULL. */
amble_error amble_mesh_build(int64_t vertex_count, const double *vertices, int64_t triangle_count,
                             const int32_t *triangles, amble_mesh **mesh);

/* Frees it; NULL is legal. */
void amble_mesh_free(amble_mesh *mesh);

/* The first triangle that each ray meets, from either side. Rays do not slip between triangles that share an
 * edge, and one that meets several at the same distance reports the one that was given first.
 *
 * origin:    (3, count). A triangle at the origin itself is met, at distance 0.
 * direction: (3, count), of any length but 0 (AMBLE_LARGEST at most, 1e-15 at least).
 * length:    0 .. AMBLE_LARGEST, how far rays go.
 * distance:  (count,): to the triangle, `length` where none is met.
 * normal:    (3, count): of unit length, on the side that the ray comes from; 0 where none is met.
 * triangle:  (count,): which one, -1 for none.
 * Errors:    values out of range; a direction of length 0. */
amble_error amble_mesh_rays(const amble_mesh *mesh, int64_t count, const double *origin,
                            const double *direction, double length, double *distance, double *normal,
                            int32_t *triangle);

/* Heights along a track over ground, Z up: at each place the highest surface that is at most `up` over and
 * `down` under the height of the place before. So a bridge overhead is no ground, and a bridge that the track
 * has climbed is.
 *
 * place:    (2, count): x and y, in the order in which they are passed.
 * start:    the height before the first place.
 * up, down: 0 .. AMBLE_LARGEST.
 * height:   (count,): where nothing is found, that of the place before.
 * normal:   (3, count): of unit length, upward; 0 where nothing is found.
 * triangle: (count,): which one, -1 where nothing is found.
 * Items depend on those before, so a track may be cut only by starting again at the last height.
 * Errors:   values out of range. */
amble_error amble_mesh_follow(const amble_mesh *mesh, int64_t count, const double *place, double start,
                              double up, double down, double *height, double *normal, int32_t *triangle);

/* The nearest point of the mesh to each point.
 *
 * point:    (3, count).
 * limit:    0 .. AMBLE_LARGEST: what is not nearer than this is not looked for.
 * distance: (count,): negative behind the triangle (inside, for a closed mesh that faces outward); `limit`
 * where nothing is found. At a point that several triangles share, the one that is seen least edge-on decides
 * the sign. nearest:  (3, count): the point of the mesh; the point itself where nothing is found. triangle:
 * (count,): which one, -1 for none. Errors:   values out of range. */
amble_error amble_mesh_nearest(const amble_mesh *mesh, int64_t count, const double *point, double limit,
                               double *distance, double *nearest, int32_t *triangle);

/* How far each moving capsule stays clear of the mesh: the distance of its axis, less its radius.
 *
 * start:     (2, 3, count): the axis' two ends at the beginning.
 * end:       (2, 3, count): the same at the end; between them both ends move in straight lines at constant
 *            speed. Equal to start for a capsule at rest; both ends in one place make a sphere.
 * radius:    (count,), 0 .. AMBLE_LARGEST.
 * limit:     0 .. AMBLE_LARGEST: what stays clear by this much is not looked at more closely.
 * tolerance: 1e-15 .. AMBLE_LARGEST: the surface that a moving axis sweeps is curved where the axis turns out
 *            of the plane that it moves in; strips of two triangles stand for it within this distance.
 * clearance: (count,): -radius where the axis goes through a triangle; `limit` where it stays clear. An axis
 *            that stays inside a closed mesh is as far from its surface as one outside.
 * nearest:   (3, count): point of the mesh; 0 where it stays clear.
 * triangle:  (count,): which one, -1 where it stays clear.
 * Errors:    values out of range; a tolerance that would need more than 4096 strips for an item. */
amble_error amble_mesh_clearance(const amble_mesh *mesh, int64_t count, const double *start,
                                 const double *end, const double *radius, double limit, double tolerance,
                                 double *clearance, double *nearest, int32_t *triangle);

#endif

/* Distances of small shapes from triangles: points, segments, triangles, and strips of two. Private to the
 * core. */
#ifndef AMBLE_MESH_SHAPE_H
#define AMBLE_MESH_SHAPE_H

#include "mesh_private.h"

/* A point (1 corner), a segment (2), a triangle (3), or two triangles that share the edge from corner 0 to
 * corner 2 (4, in the order in which one goes round them). Corners may coincide. */
typedef struct shape {
    int corners;
    vec corner[4];
    vec low, high; /* bounds, as shape_bound() sets them */
} shape;

/* Of two numbers, neither of them NaN, which fmin() and fmax() would look for. */
static inline double lesser(double a, double b) { return a < b ? a : b; }
static inline double greater(double a, double b) { return a > b ? a : b; }

static inline void shape_bound(shape *s) {
    s->low = s->high = s->corner[0];
    for (int i = 1; i < s->corners; i++) {
        vec c = s->corner[i];
        s->low = (vec){lesser(s->low.x, c.x), lesser(s->low.y, c.y), lesser(s->low.z, c.z)};
        s->high = (vec){greater(s->high.x, c.x), greater(s->high.y, c.y), greater(s->high.z, c.z)};
    }
}

/* The nearest point that was found so far, of any triangle. */
typedef struct nearest {
    double square; /* of the distance */
    double facing; /* for points: sine of the angle at which the triangle is seen, 0 edge-on .. 1 */
    vec point;     /* of the mesh */
    int64_t place; /* of the triangle in the order of the leaves, -1: none */
} nearest;

/* Takes the triangle's nearest point to the shape into *best, where it is nearer. */
void shape_triangle(const shape *s, const mesh_triangle *triangle, int64_t place, nearest *best);

/* The same for a point, where a triangle that is as near, to rounding, and seen less edge-on is taken. */
void point_triangle(vec point, const mesh_triangle *triangle, int64_t place, nearest *best);

#endif

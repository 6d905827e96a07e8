/* What a mesh is made of. Private to the core's mesh_*.c. */
#ifndef AMBLE_MESH_PRIVATE_H
#define AMBLE_MESH_PRIVATE_H

#include "check.h"
#include "mesh.h"
#include "quat.h"

enum {
    MESH_WIDTH = 4, /* children of a node: one vector of boxes */
    MESH_LEAF = 4,  /* most triangles of a leaf, 1 .. 4 */
    /* Most entries of a walk's stack: no path is longer than the splits of two that made it, 2 log2(n) + 8 by
     * area and log2(n) by halves, n up to 2^28, and each node leaves at most three others behind. */
    MESH_STACK = 3 * (3 * 28 + 8) + 4
};

/* Four boxes side by side, relative to the mesh's centre and rounded outward, so that one vector operation
 * tests all of them. 112 bytes. */
typedef struct mesh_node {
    float low[3][MESH_WIDTH];
    float high[3][MESH_WIDTH];
    int32_t child[MESH_WIDTH]; /* a node, or a leaf as mesh_leaf() makes it; MESH_NONE where there is none */
} mesh_node;

#define MESH_NONE INT32_MAX

/* A leaf of `count` triangles from `first`, as the number of a child: always negative. */
static inline int32_t mesh_leaf(int64_t first, int count) { return -1 - (int32_t)(first * 4 + count - 1); }
static inline int32_t mesh_leaf_first(int32_t child) { return (-1 - child) / 4; }
static inline int mesh_leaf_count(int32_t child) { return (-1 - child) % 4 + 1; }

typedef struct mesh_triangle {
    vec corner[3];
    int32_t index; /* as it was given */
} mesh_triangle;

/* Element i of an array (3, count). */
static inline vec vec_at(const double *p, int64_t count, int64_t i) {
    return (vec){p[i], p[count + i], p[2 * count + i]};
}

static inline void vec_put(double *p, int64_t count, int64_t i, vec a) {
    p[i] = a.x;
    p[count + i] = a.y;
    p[2 * count + i] = a.z;
}

static inline double vec_axis(vec a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }

/* A child that a walk has yet to look at, and how far off its box is. */
typedef struct mesh_visit {
    float away;
    int32_t child;
} mesh_visit;

/* Puts a child onto a stack of `waiting`, so that of those from `bottom` on the nearest is on top; returns
 * how many wait then. */
static inline int mesh_push(mesh_visit *stack, int bottom, int waiting, mesh_visit child) {
    int at = waiting;
    for (; at > bottom && stack[at - 1].away < child.away; at--) {
        stack[at] = stack[at - 1];
    }
    stack[at] = child;
    return waiting + 1;
}

struct amble_mesh {
    int64_t triangles;
    int32_t root;  /* a child, as above */
    double low[3]; /* bounds of all triangles */
    double high[3];
    double centre[3]; /* what the boxes are relative to */
    double extent;    /* largest half width of the bounds: float32 boxes are known to 2^-22 of it */
    mesh_node *node;
    mesh_triangle *triangle; /* in the order of the leaves */
};

#endif

/* The nearest point of a mesh to points and to moving capsules.
 *
 * The tree is walked from the nearest box to the farthest, and left alone where a box is farther off than the
 * best so far. Boxes are float32, rounded outward; the box of what is asked about is rounded outward too, so
 * that a gap between two of them is never longer than it is, but for the rounding of its square, 2^-21, for
 * which 2^-18 is allowed.
 */
#include "mesh_shape.h"

enum { MOST_STRIPS = 4096 };

/* The box of what is asked about, relative to the mesh's centre, each bound four times. */
typedef struct query {
    wf low[3], high[3];
} query;

static query query_of(const amble_mesh *mesh, const shape *s) {
    query q;
    for (int axis = 0; axis < 3; axis++) {
        double low = vec_axis(s->low, axis) - mesh->centre[axis];
        double high = vec_axis(s->high, axis) - mesh->centre[axis];
        q.low[axis] = wf_set((float)(low - 0x1p-22 * fabs(low)));
        q.high[axis] = wf_set((float)(high + 0x1p-22 * fabs(high)));
    }
    return q;
}

/* Squares of the gaps between the query's box and a node's four. */
static void gaps(const query *q, const mesh_node *node, float square[MESH_WIDTH]) {
    wf sum = wf_set(0.0F);
    for (int axis = 0; axis < 3; axis++) {
        wf after = wf_sub(wf_load(node->low[axis]), q->high[axis]);
        wf before = wf_sub(q->low[axis], wf_load(node->high[axis]));
        wf gap = wf_max(wf_max(after, before), wf_set(0.0F));
        sum = wf_add(sum, wf_mul(gap, gap));
    }
    wf_store(square, sum);
}

static void look_at_leaf(const amble_mesh *mesh, const shape *s, int32_t leaf, nearest *best) {
    int64_t first = mesh_leaf_first(leaf);
    for (int64_t i = first; i < first + mesh_leaf_count(leaf); i++) {
        if (s->corners == 1) {
            point_triangle(s->corner[0], &mesh->triangle[i], i, best);
        } else {
            shape_triangle(s, &mesh->triangle[i], i, best);
        }
    }
}

/* Brings *best up to date with what of the mesh is nearer to the shape. */
static void look(const amble_mesh *mesh, const shape *s, nearest *best) {
    query q = query_of(mesh, s);
    mesh_visit stack[MESH_STACK];
    stack[0] = (mesh_visit){0.0F, mesh->root};
    int waiting = mesh->triangles > 0;
    while (waiting > 0) {
        mesh_visit at = stack[--waiting];
        float limit = (float)(best->square * (1.0 + 0x1p-18));
        if (at.away > limit) {
            continue;
        }
        if (at.child < 0) {
            look_at_leaf(mesh, s, at.child, best);
            continue;
        }
        const mesh_node *node = &mesh->node[at.child];
        float square[MESH_WIDTH];
        gaps(&q, node, square);
        int bottom = waiting;
        for (int i = 0; i < MESH_WIDTH; i++) {
            if (node->child[i] != MESH_NONE && square[i] <= limit) {
                waiting = mesh_push(stack, bottom, waiting, (mesh_visit){square[i], node->child[i]});
            }
        }
    }
}

/* -1 behind the triangle that was found, else 1. */
static double side_of(const amble_mesh *mesh, const nearest *found, vec point) {
    const vec *corner = mesh->triangle[found->place].corner;
    vec normal = vec_cross(vec_sub(corner[1], corner[0]), vec_sub(corner[2], corner[0]));
    return vec_dot(vec_sub(point, corner[0]), normal) < 0.0 ? -1.0 : 1.0;
}

amble_error amble_mesh_nearest(const amble_mesh *mesh, int64_t count, const double *point, double limit,
                               double *distance, double *nearest_point, int32_t *triangle) {
    AMBLE_TRY(amble_check_values_double("point", point, 3 * count, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_number("limit", limit, 0.0, AMBLE_LARGEST));
    for (int64_t i = 0; i < count; i++) {
        shape s = {.corners = 1, .corner = {vec_at(point, count, i)}};
        shape_bound(&s);
        nearest best = {.square = limit * limit, .point = s.corner[0], .place = -1};
        look(mesh, &s, &best);
        int found = best.place >= 0;
        distance[i] = found ? side_of(mesh, &best, s.corner[0]) * sqrt(best.square) : limit;
        vec_put(nearest_point, count, i, best.point);
        triangle[i] = found ? mesh->triangle[best.place].index : -1;
    }
    return AMBLE_SUCCESS;
}

/* The axis of a capsule at the beginning, a to b, and at the end. */
typedef struct sweep {
    vec a0, b0, a1, b1;
} sweep;

static vec mix(vec a, vec b, double t) { return vec_add(a, vec_scale(vec_sub(b, a), t)); }
static int same(vec a, vec b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* Part k of `parts` equal ones in time. */
static sweep part_of(const sweep *w, int k, int parts) {
    double from = (double)k / parts;
    double to = (double)(k + 1) / parts;
    return (sweep){mix(w->a0, w->a1, from), mix(w->b0, w->b1, from), mix(w->a0, w->a1, to),
                   mix(w->b0, w->b1, to)};
}

/* How far two triangles are from the surface that they stand for, at most.
 *
 * At place u of the axis and t of the time that surface is off the triangles by t (1 - u) w or u (1 - t) w,
 * with w the change of the axis: by |w| / 4 at most. Where the four corners are convex, seen along any of
 * their normals, what part of w lies in the triangles' planes moves points within them, and only the part
 * square to them counts; a third of it, for a quarter and what the fold between the planes adds. */
static double deviation(const sweep *w) {
    if (same(w->a0, w->a1) || same(w->b0, w->b1)) {
        return 0.0; /* one triangle, exactly */
    }
    const vec corner[4] = {w->a0, w->b0, w->b1, w->a1};
    vec change = vec_sub(vec_sub(w->b1, w->a1), vec_sub(w->b0, w->a0));
    double most = 0.25 * vec_length(change);
    vec normal[4];
    for (int i = 0; i < 4; i++) {
        normal[i] =
            vec_cross(vec_sub(corner[(i + 1) % 4], corner[i]), vec_sub(corner[(i + 3) % 4], corner[i]));
        for (int j = 0; j < i; j++) {
            if (!(vec_dot(normal[i], normal[j]) > 0.0)) {
                return most;
            }
        }
    }
    double first = fabs(vec_dot(change, vec_normalise(normal[1])));  /* of a0, b0, b1 */
    double second = fabs(vec_dot(change, vec_normalise(normal[3]))); /* of a0, b1, a1 */
    return fmin(most, fmax(first, second) / 3.0);
}

/* Into how many parts the time is cut for a deviation within `tolerance`; 0: more than MOST_STRIPS. Each
 * part's change of the axis is its share of the whole one's, and so, nearly, is its deviation. */
static int strips_of(const sweep *w, double tolerance) {
    double share = ceil(deviation(w) / tolerance);
    int parts = share > 1.0 ? (int)lesser(share, MOST_STRIPS + 1) : 1;
    for (; parts <= MOST_STRIPS; parts += (parts + 3) / 4) {
        int k = 0;
        while (k < parts) {
            sweep piece = part_of(w, k, parts);
            if (deviation(&piece) > tolerance) {
                break;
            }
            k++;
        }
        if (k == parts) {
            return parts;
        }
    }
    return 0;
}

/* The simplest shape that the axis sweeps. */
static shape shape_of(const sweep *w) {
    int a_rests = same(w->a0, w->a1);
    int b_rests = same(w->b0, w->b1);
    if (same(w->a0, w->b0) && same(w->a1, w->b1)) {
        return (shape){.corners = 2, .corner = {w->a0, w->a1}};
    }
    if (a_rests && b_rests) {
        return (shape){.corners = 2, .corner = {w->a0, w->b0}};
    }
    if (a_rests || b_rests) {
        return (shape){.corners = 3, .corner = {w->a0, w->b0, a_rests ? w->b1 : w->a1}};
    }
    return (shape){.corners = 4, .corner = {w->a0, w->b0, w->b1, w->a1}};
}

/* Brings *best up to date for a moving capsule's axis. */
static void look_along(const amble_mesh *mesh, const sweep *w, int parts, nearest *best) {
    for (int k = 0; k < parts && best->square > 0.0; k++) {
        sweep piece = parts == 1 ? *w : part_of(w, k, parts);
        shape s = shape_of(&piece);
        shape_bound(&s);
        look(mesh, &s, best);
    }
}

amble_error amble_mesh_clearance(const amble_mesh *mesh, int64_t count, const double *start,
                                 const double *end, const double *radius, double limit, double tolerance,
                                 double *clearance, double *nearest_point, int32_t *triangle) {
    AMBLE_TRY(amble_check_values_double("start", start, 6 * count, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("end", end, 6 * count, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("radius", radius, count, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_number("limit", limit, 0.0, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_number("tolerance", tolerance, 1e-15, AMBLE_LARGEST));
    for (int64_t i = 0; i < count; i++) {
        if (radius[i] < 0.0) {
            return amble_fail(AMBLE_BAD_VALUE, "radius holds %g at flat index %lld: none may be negative",
                              radius[i], (long long)i);
        }
        sweep w = {vec_at(start, count, i), vec_at(start + 3 * count, count, i), vec_at(end, count, i),
                   vec_at(end + 3 * count, count, i)};
        int parts = strips_of(&w, tolerance);
        if (parts == 0) {
            return amble_fail(
                AMBLE_BAD_VALUE,
                "tolerance is too small for the turn of the axis at item %lld, which would take "
                "more than %d strips",
                (long long)i, MOST_STRIPS);
        }
        double reach = limit + radius[i];
        nearest best = {.square = reach * reach, .place = -1};
        look_along(mesh, &w, parts, &best);
        int found = best.place >= 0;
        clearance[i] = found ? sqrt(best.square) - radius[i] : limit;
        vec_put(nearest_point, count, i, best.point);
        triangle[i] = found ? mesh->triangle[best.place].index : -1;
    }
    return AMBLE_SUCCESS;
}

/* Rays against a mesh.
 *
 * The triangle test is that of Woop, Benthin and Wald (2013): seen along the ray, in coordinates sheared so
 * that the ray is the third axis, the signs of the three edge functions decide. Two triangles compute the
 * function of an edge that they share from the same products, equal or exactly opposite, and a value of 0
 * counts for either sign: no ray goes between them.
 *
 * Boxes are tested in float32, so the ray is first moved, in double, to where it enters the mesh's bounds,
 * and each box is taken a little larger than it is, by `slack`: more than the roundings of place (2^-24 of
 * the extent), direction (2^-24 of the way across, 3.5 extents) and products add up to.
 */
#include "mesh_private.h"

#include <string.h>

typedef struct ray {
    vec origin;
    vec direction; /* of unit length */
    int axis[3];   /* the last is the one along which the direction is longest */
    double shear[3];
} ray;

typedef struct hit {
    double distance;
    int64_t place; /* in the order of the leaves, -1: none */
} hit;

/* The same for the boxes: relative to the mesh's centre, from where the ray enters its bounds. */
typedef struct box_ray {
    int upward[3]; /* whether the direction is positive, so that `low` is met first */
    wf near[3], far[3], inverse[3];
    double entry; /* distance from the ray's origin */
} box_ray;

static ray ray_from(vec origin, vec direction) {
    ray r = {.origin = origin, .direction = direction};
    double x = fabs(direction.x);
    double y = fabs(direction.y);
    double z = fabs(direction.z);
    int last = x > y && x > z ? 0 : y > z ? 1 : 2;
    r.axis[0] = (last + 1) % 3;
    r.axis[1] = (last + 2) % 3;
    r.axis[2] = last;
    double along = vec_axis(direction, last);
    r.shear[0] = vec_axis(direction, r.axis[0]) / along;
    r.shear[1] = vec_axis(direction, r.axis[1]) / along;
    r.shear[2] = 1.0 / along;
    return r;
}

/* Distance to a triangle; -1 where it is not met, or seen edge-on. */
static double ray_triangle(const ray *r, const mesh_triangle *triangle) {
    double x[3];
    double y[3];
    double z[3];
    for (int i = 0; i < 3; i++) {
        vec p = vec_sub(triangle->corner[i], r->origin);
        double along = vec_axis(p, r->axis[2]);
        x[i] = vec_axis(p, r->axis[0]) - r->shear[0] * along;
        y[i] = vec_axis(p, r->axis[1]) - r->shear[1] * along;
        z[i] = r->shear[2] * along;
    }
    double u = x[2] * y[1] - y[2] * x[1];
    double v = x[0] * y[2] - y[0] * x[2];
    double w = x[1] * y[0] - y[1] * x[0];
    int negative = u < 0.0 || v < 0.0 || w < 0.0;
    int positive = u > 0.0 || v > 0.0 || w > 0.0;
    double area = u + v + w;
    if ((negative && positive) || area == 0.0) {
        return -1.0;
    }
    return (u * z[0] + v * z[1] + w * z[2]) / area;
}

/* Where the ray is inside the mesh's bounds, grown by slack. Returns whether it ever is. */
static int clip(const amble_mesh *mesh, const ray *r, double length, double slack, double *entry) {
    const double from[3] = {r->origin.x, r->origin.y, r->origin.z};
    const double along[3] = {r->direction.x, r->direction.y, r->direction.z};
    double first = 0.0;
    double last = length;
    for (int i = 0; i < 3; i++) {
        double low = mesh->low[i] - slack - from[i];
        double high = mesh->high[i] + slack - from[i];
        if (along[i] == 0.0) {
            if (low > 0.0 || high < 0.0) {
                return 0;
            }
            continue;
        }
        double a = low / along[i];
        double b = high / along[i];
        first = fmax(first, a < b ? a : b);
        last = fmin(last, a < b ? b : a);
    }
    *entry = first;
    return first <= last;
}

static double largest_of(vec a) { return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))); }

/* Returns whether the ray meets the mesh's bounds. */
static int set_box_ray(const amble_mesh *mesh, const ray *r, double length, box_ray *out) {
    double slack = 0x1p-19 * mesh->extent + 0x1p-46 * largest_of(r->origin);
    if (mesh->triangles == 0 || !clip(mesh, r, length, slack, &out->entry)) {
        return 0;
    }
    vec from = vec_add(r->origin, vec_scale(r->direction, out->entry));
    const double place[3] = {from.x, from.y, from.z};
    const double along[3] = {r->direction.x, r->direction.y, r->direction.z};
    for (int i = 0; i < 3; i++) {
        /* A direction nearly square to the axis moves by less than 1e-18 of its way along it. */
        double inverse = fabs(along[i]) > 1e-18 ? 1.0 / along[i] : 1e18;
        double at = place[i] - mesh->centre[i];
        out->upward[i] = inverse > 0.0;
        out->inverse[i] = wf_set((float)inverse);
        out->near[i] = wf_set((float)(inverse > 0.0 ? at + slack : at - slack));
        out->far[i] = wf_set((float)(inverse > 0.0 ? at - slack : at + slack));
    }
    return 1;
}

/* Distances, from the entry, at which a node's four boxes begin and end on the ray. */
static void meet_boxes(const box_ray *r, const mesh_node *node, float begin[MESH_WIDTH],
                       float end[MESH_WIDTH]) {
    wf first = wf_set(0.0F);
    wf last = wf_set(INFINITY);
    for (int i = 0; i < 3; i++) {
        wf low = wf_load(node->low[i]);
        wf high = wf_load(node->high[i]);
        wf near = r->upward[i] ? low : high;
        wf far = r->upward[i] ? high : low;
        first = wf_max(first, wf_mul(wf_sub(near, r->near[i]), r->inverse[i]));
        last = wf_min(last, wf_mul(wf_sub(far, r->far[i]), r->inverse[i]));
    }
    wf_store(begin, first);
    wf_store(end, last);
}

static void meet_leaf(const amble_mesh *mesh, const ray *r, int32_t leaf, hit *best) {
    int64_t first = mesh_leaf_first(leaf);
    for (int64_t i = first; i < first + mesh_leaf_count(leaf); i++) {
        double distance = ray_triangle(r, &mesh->triangle[i]);
        if (!(distance >= 0.0) || distance > best->distance) {
            continue;
        }
        if (distance < best->distance || best->place < 0 ||
            mesh->triangle[i].index < mesh->triangle[best->place].index) {
            *best = (hit){distance, i};
        }
    }
}

/* The first triangle within `length`. */
static hit cast(const amble_mesh *mesh, const ray *r, double length) {
    hit best = {length, -1};
    box_ray boxes;
    if (!set_box_ray(mesh, r, length, &boxes)) {
        return best;
    }
    mesh_visit stack[MESH_STACK];
    stack[0] = (mesh_visit){0.0F, mesh->root};
    int waiting = 1;
    while (waiting > 0) {
        mesh_visit at = stack[--waiting];
        /* Boxes that begin beyond the best are of no account; rounding is on the safe side. */
        float limit = (float)((best.distance - boxes.entry) * (1.0 + 0x1p-20));
        if (at.away > limit) {
            continue;
        }
        if (at.child < 0) {
            meet_leaf(mesh, r, at.child, &best);
            continue;
        }
        const mesh_node *node = &mesh->node[at.child];
        float begin[MESH_WIDTH];
        float end[MESH_WIDTH];
        meet_boxes(&boxes, node, begin, end);
        int bottom = waiting;
        for (int i = 0; i < MESH_WIDTH; i++) {
            if (node->child[i] != MESH_NONE && begin[i] <= end[i] && begin[i] <= limit) {
                waiting = mesh_push(stack, bottom, waiting, (mesh_visit){begin[i], node->child[i]});
            }
        }
    }
    return best;
}

/* Of unit length, on the side that the ray comes from. */
static vec normal_of(const amble_mesh *mesh, const hit *found, vec direction) {
    const vec *corner = mesh->triangle[found->place].corner;
    vec normal = vec_normalise(vec_cross(vec_sub(corner[1], corner[0]), vec_sub(corner[2], corner[0])));
    return vec_dot(normal, direction) > 0.0 ? vec_scale(normal, -1.0) : normal;
}

static void report(const amble_mesh *mesh, const hit *found, vec direction, int64_t count, int64_t i,
                   double *normal, int32_t *triangle) {
    const vec none = {0.0, 0.0, 0.0};
    triangle[i] = found->place < 0 ? -1 : mesh->triangle[found->place].index;
    vec_put(normal, count, i, found->place < 0 ? none : normal_of(mesh, found, direction));
}

amble_error amble_mesh_rays(const amble_mesh *mesh, int64_t count, const double *origin,
                            const double *direction, double length, double *distance, double *normal,
                            int32_t *triangle) {
    AMBLE_TRY(amble_check_values_double("origin", origin, 3 * count, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("direction", direction, 3 * count, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_number("length", length, 0.0, AMBLE_LARGEST));
    for (int64_t i = 0; i < count; i++) {
        vec along = vec_at(direction, count, i);
        if (!(largest_of(along) >= 1e-15)) {
            return amble_fail(AMBLE_BAD_VALUE, "direction has length 0 at item %lld", (long long)i);
        }
        along = vec_normalise(along);
        ray r = ray_from(vec_at(origin, count, i), along);
        hit found = cast(mesh, &r, length);
        distance[i] = found.distance;
        report(mesh, &found, along, count, i, normal, triangle);
    }
    return AMBLE_SUCCESS;
}

amble_error amble_mesh_follow(const amble_mesh *mesh, int64_t count, const double *place, double start,
                              double up, double down, double *height, double *normal, int32_t *triangle) {
    AMBLE_TRY(amble_check_values_double("place", place, 2 * count, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_number("start", start, -AMBLE_LARGEST, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_number("up", up, 0.0, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_number("down", down, 0.0, AMBLE_LARGEST));
    const vec along = {0.0, 0.0, -1.0};
    double last = start;
    for (int64_t i = 0; i < count; i++) {
        ray r = ray_from((vec){place[i], place[count + i], last + up}, along);
        hit found = cast(mesh, &r, up + down);
        if (found.place >= 0) {
            last = r.origin.z - found.distance;
        }
        height[i] = last;
        report(mesh, &found, along, count, i, normal, triangle);
    }
    return AMBLE_SUCCESS;
}

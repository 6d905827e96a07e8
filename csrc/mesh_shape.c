/* Distances of small shapes from triangles.
 *
 * Two polygons are nearest to each other either where they cross, or between an edge of one and an edge of
 * the other, or between a corner of one and the inside of the other (Ericson, Real-Time Collision
 * Detection, 5.1). All of these are tried; each gives a pair of points that are that far apart, so that the
 * least of them is the distance, and rounding in one of them can only give a distance that is too long by the
 * rounding.
 */
#include "mesh_shape.h"

typedef struct plane {
    vec corner[3];
    vec normal; /* twice the area long; 0 where the triangle has none */
    double square;
} plane;

static plane plane_of(vec a, vec b, vec c) {
    vec normal = vec_cross(vec_sub(b, a), vec_sub(c, a));
    return (plane){{a, b, c}, normal, vec_dot(normal, normal)};
}

static void offer(nearest *best, vec difference, vec point, int64_t place) {
    double square = vec_dot(difference, difference);
    if (square < best->square) {
        *best = (nearest){.square = square, .point = point, .place = place};
    }
}

static double unit(double t) { return t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t; }

static vec along(vec from, vec way, double t) { return vec_add(from, vec_scale(way, t)); }

/* The point of segment a .. b nearest to p. */
static vec point_segment(vec p, vec a, vec b) {
    vec way = vec_sub(b, a);
    double square = vec_dot(way, way);
    return square > 0.0 ? along(a, way, unit(vec_dot(vec_sub(p, a), way) / square)) : a;
}

/* Segment p .. q of the shape against edge a .. b of the mesh. The minimum of a convex function of the two
 * places s and t: where the lines are nearest, s is brought onto its segment, t follows, and s once more
 * where t had to be brought onto its own. Of lines within 1e-8 radians of parallel s is known only as far as
 * moving along it changes the distance: by 1e-8 of their lengths. */
static void segment_segment(vec p, vec q, vec a, vec b, int64_t place, nearest *best) {
    vec first = vec_sub(q, p);
    vec second = vec_sub(b, a);
    vec between = vec_sub(p, a);
    double aa = vec_dot(first, first);
    double bb = vec_dot(second, second);
    double ab = vec_dot(first, second);
    double at = vec_dot(first, between);
    double bt = vec_dot(second, between);
    double determinant = aa * bb - ab * ab;
    double s = determinant > 0.0 ? unit((ab * bt - at * bb) / determinant) : 0.0;
    double t = bb > 0.0 ? (ab * s + bt) / bb : 0.0;
    if (!(t >= 0.0 && t <= 1.0) || !(determinant > 0.0)) {
        t = unit(t);
        s = aa > 0.0 ? unit((ab * t - at) / aa) : 0.0;
    }
    vec point = along(a, second, t);
    offer(best, vec_sub(along(p, first, s), point), point, place);
}

/* Whether p, anywhere along the normal, is over the inside of the triangle. */
static int over(const plane *t, vec p) {
    for (int i = 0; i < 3; i++) {
        vec edge = vec_sub(t->corner[(i + 1) % 3], t->corner[i]);
        if (vec_dot(vec_cross(edge, vec_sub(p, t->corner[i])), t->normal) < 0.0) {
            return 0;
        }
    }
    return 1;
}

/* Height of p over the plane, times the length of the normal. */
static double height(const plane *t, vec p) { return vec_dot(vec_sub(p, t->corner[0]), t->normal); }

static vec foot(const plane *t, vec p, double its_height) {
    return along(p, t->normal, -its_height / t->square);
}

/* Where edge p .. q, with these heights of its ends, goes through the triangle. */
static void crossing(const plane *t, vec p, vec q, double from, double to, int64_t place, nearest *best) {
    if ((from < 0.0 && to > 0.0) || (from > 0.0 && to < 0.0)) {
        vec at = along(p, vec_sub(q, p), from / (from - to));
        if (over(t, at)) {
            *best = (nearest){.point = at, .place = place};
        }
    }
}

/* Edges of a shape by its number of corners: pairs, all of them from the front. */
static const int EDGE[5][2] = {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 0}};
static int edges_of(const shape *s) {
    static const int count[] = {0, 0, 1, 3, 5};
    return count[s->corners];
}

/* Length of the gap between range low .. high and that of three values; 0 where they meet. */
static double gap(double low, double high, double a, double b, double c) {
    double before = lesser(lesser(a, b), c) - high;
    double after = low - greater(greater(a, b), c);
    return greater(greater(before, after), 0.0);
}

/* Whether the boxes of a shape and of a triangle are further apart than the best. */
static int apart(const shape *s, const vec c[3], const nearest *best) {
    double x = gap(s->low.x, s->high.x, c[0].x, c[1].x, c[2].x);
    double y = gap(s->low.y, s->high.y, c[0].y, c[1].y, c[2].y);
    double z = gap(s->low.z, s->high.z, c[0].z, c[1].z, c[2].z);
    return x * x + y * y + z * z > best->square;
}

/* Edges of the shape against edges of the triangle. */
static void edges_edges(const shape *s, const plane *t, int64_t place, nearest *best) {
    for (int e = 0; e < edges_of(s); e++) {
        for (int i = 0; i < 3; i++) {
            segment_segment(s->corner[EDGE[e][0]], s->corner[EDGE[e][1]], t->corner[i],
                            t->corner[(i + 1) % 3], place, best);
        }
    }
}

/* Corners and edges of the shape against the inside of the triangle. Returns 0 where all of the shape is on
 * one side of its plane, further off than the best. */
static int inside_triangle(const shape *s, const plane *t, int64_t place, nearest *best) {
    double heights[4];
    double least = INFINITY;
    int sides = 0;
    for (int i = 0; i < s->corners; i++) {
        heights[i] = height(t, s->corner[i]);
        sides |= heights[i] > 0.0 ? 1 : heights[i] < 0.0 ? 2 : 3;
        least = lesser(least, fabs(heights[i]));
    }
    if (sides != 3 && least * least > best->square * t->square) {
        return 0;
    }
    for (int i = 0; i < s->corners; i++) {
        if (heights[i] * heights[i] < best->square * t->square && over(t, s->corner[i])) {
            vec point = foot(t, s->corner[i], heights[i]);
            offer(best, vec_sub(s->corner[i], point), point, place);
        }
    }
    for (int e = 0; sides == 3 && e < edges_of(s); e++) {
        int i = EDGE[e][0];
        int j = EDGE[e][1];
        crossing(t, s->corner[i], s->corner[j], heights[i], heights[j], place, best);
    }
    return 1;
}

/* Corners and edges of the triangle against the inside of a face of the shape. */
static void inside_face(const plane *face, const plane *t, int64_t place, nearest *best) {
    if (!(face->square > 0.0)) {
        return;
    }
    double heights[3];
    for (int i = 0; i < 3; i++) {
        heights[i] = height(face, t->corner[i]);
        if (heights[i] * heights[i] < best->square * face->square && over(face, t->corner[i])) {
            vec point = foot(face, t->corner[i], heights[i]);
            offer(best, vec_sub(t->corner[i], point), t->corner[i], place);
        }
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        crossing(face, t->corner[i], t->corner[j], heights[i], heights[j], place, best);
    }
}

void shape_triangle(const shape *s, const mesh_triangle *triangle, int64_t place, nearest *best) {
    if (apart(s, triangle->corner, best)) {
        return;
    }
    plane t = plane_of(triangle->corner[0], triangle->corner[1], triangle->corner[2]);
    if (t.square > 0.0 && !inside_triangle(s, &t, place, best)) {
        return;
    }
    edges_edges(s, &t, place, best);
    for (int i = 2; i < s->corners && best->square > 0.0; i++) {
        plane face = plane_of(s->corner[0], s->corner[i - 1], s->corner[i]);
        inside_face(&face, &t, place, best);
    }
}

void point_triangle(vec point, const mesh_triangle *triangle, int64_t place, nearest *best) {
    plane t = plane_of(triangle->corner[0], triangle->corner[1], triangle->corner[2]);
    nearest found = {.square = INFINITY, .place = place};
    double its_height = height(&t, point);
    if (t.square > 0.0 && over(&t, point)) {
        found.point = foot(&t, point, its_height);
        found.square = its_height * its_height / t.square;
    } else {
        for (int i = 0; i < 3; i++) {
            vec p = point_segment(point, t.corner[i], t.corner[(i + 1) % 3]);
            offer(&found, vec_sub(point, p), p, place);
        }
    }
    if (found.square > 0.0 && t.square > 0.0) {
        found.facing = fabs(its_height) / sqrt(t.square * found.square);
    }
    double rounding = 1e-12 * found.square;
    int nearer = found.square < best->square - rounding;
    int as_near = found.square <= best->square + rounding && best->place >= 0;
    if (nearer || (as_near && found.facing > best->facing)) {
        *best = found;
    }
}

/* Closed curves that body parts ride: position and its slope by phase, in double, out in float.
 *
 * Angles run from the top over the front: the ray at angle t is (sin t, cos t) in (forward, upward).
 */
#include "check.h"
#include "maths.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct point {
    double forward, upward;
} point;

/* What is written for one phase. */
typedef struct place {
    point position, slope;
} place;

/* Turned by the tilt, whose positive sense puts the front end down. */
static point tilted(point p, point tilt) {
    double s = tilt.forward;
    double c = tilt.upward;
    return (point){p.forward * c + p.upward * s, p.upward * c - p.forward * s};
}

static void store(place at, point tilt, int64_t i, int64_t count, float *position, float *slope) {
    point p = tilted(at.position, tilt);
    point s = tilted(at.slope, tilt);
    position[i] = (float)p.forward;
    position[count + i] = (float)p.upward;
    slope[i] = (float)s.forward;
    slope[count + i] = (float)s.upward;
}

/* The phase as a part of one round, 0 <= result < 1. Good to 1e-16 of the phase. */
static double turn_of(double phase) {
    double turn = phase / (2.0 * AMBLE_PI);
    turn -= floor(turn);
    return turn < 1.0 ? turn : 0.0;
}

/* ---- Ellipse ---- */

/* By the true angle t: the ray (sin t, cos t) meets the ellipse at r = a b / sqrt((b sin t)^2 + (a cos t)^2).
 * Divided through by the larger axis, so that no square of a size is ever formed. */
static place ellipse_by_angle(double a, double b, double t) {
    double s;
    double c;
    amble_sincos(t, &s, &c);
    double larger = a > b ? a : b;
    double ar = a / larger;
    double br = b / larger;
    double g = br * s * br * s + ar * c * ar * c;
    double root = sqrt(g);
    double r = larger * (ar * br / root);
    double dr = -r * (s * c * (br - ar) * (br + ar)) / g;
    return (place){{r * s, r * c}, {dr * s + r * c, dr * c - r * s}};
}

/* Length along an ellipse as a table over a quarter, from the top (eccentric angle 0) to the front (pi/2). */
enum { PANELS = 256 };
typedef struct quarter {
    double a, b;               /* half axes */
    double length[PANELS + 1]; /* from the top to the eccentric angle i (pi/2) / PANELS */
} quarter;

/* Length per radian of the eccentric angle e, where the point is (a sin e, b cos e). */
static double stretch(const quarter *q, double e) {
    double s;
    double c;
    amble_sincos(e, &s, &c);
    return sqrt(q->a * c * q->a * c + q->b * s * q->b * s);
}

/* Length between two near eccentric angles by Gauss's rule with three points. */
static double arc(const quarter *q, double from, double to) {
    double middle = 0.5 * (from + to);
    double half = 0.5 * (to - from);
    double node = 0.77459666924148337704 * half;
    return half *
           (5.0 * stretch(q, middle - node) + 8.0 * stretch(q, middle) + 5.0 * stretch(q, middle + node)) /
           9.0;
}

static const double panel_width = 0.5 * AMBLE_PI / PANELS;

static void measure_quarter(quarter *q) {
    q->length[0] = 0.0;
    for (int i = 0; i < PANELS; i++) {
        q->length[i + 1] = q->length[i] + arc(q, i * panel_width, (i + 1) * panel_width);
    }
}

/* Eccentric angle at `length` from the top: the panel by bisection, the place in it by Newton's iteration,
 * kept within the panel. */
static double angle_at(const quarter *q, double length) {
    int low = 0;
    int high = PANELS;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (q->length[middle] <= length) {
            low = middle;
        } else {
            high = middle;
        }
    }
    double begin = low * panel_width;
    double end = begin + panel_width;
    double e = begin;
    double panel = q->length[low + 1] - q->length[low];
    if (panel > 0.0) {
        e += panel_width * ((length - q->length[low]) / panel);
    }
    for (int i = 0; i < 4; i++) {
        double rate = stretch(q, e);
        if (!(rate > 0.0)) {
            break;
        }
        e -= (q->length[low] + arc(q, begin, e) - length) / rate;
        e = fmin(fmax(e, begin), end);
    }
    return e;
}

/* By the length along the curve. A quarter is solved; the other three mirror it. */
static place ellipse_by_length(const quarter *q, double phase) {
    double whole = q->length[PANELS];
    double quarters = 4.0 * turn_of(phase);
    int which = (int)quarters;
    double along = quarters - which;
    bool odd = which == 1 || which == 3; /* front to bottom, and back to top: run backwards */
    double e = angle_at(q, whole * (odd ? 1.0 - along : along));
    double s;
    double c;
    amble_sincos(e, &s, &c);
    point p = {q->a * s, q->b * c};
    point d = {q->a * c, -q->b * s};
    double length = sqrt(d.forward * d.forward + d.upward * d.upward);
    double speed = length > 0.0 ? whole / (0.5 * AMBLE_PI) / length : 0.0;
    double f = which >= 2 ? -1.0 : 1.0;
    double u = which == 1 || which == 2 ? -1.0 : 1.0;
    /* The mirror images' signs; where the quarter is run backwards its slope turns round as well. */
    double back = odd ? -1.0 : 1.0;
    return (place){
        {f * p.forward, u * p.upward},
        {f * back * speed * d.forward, u * back * speed * d.upward},
    };
}

/* To and fro on a line with half axis `half` at one speed: up to the end, back through the middle, as the
 * quarters of an ellipse squeezed flat would go. `level`: the line lies forward, else upward. */
static place line_by_length(double half, bool level, double phase) {
    double quarters = 4.0 * turn_of(phase) + (level ? 0.0 : 1.0);
    if (quarters >= 4.0) {
        quarters -= 4.0;
    }
    double speed = half / (0.5 * AMBLE_PI);
    double x;
    if (quarters < 1.0) {
        x = half * quarters;
    } else if (quarters < 3.0) {
        x = half * (2.0 - quarters);
        speed = -speed;
    } else {
        x = half * (quarters - 4.0);
    }
    return level ? (place){{x, 0.0}, {speed, 0.0}} : (place){{0.0, x}, {0.0, speed}};
}

static amble_error check_pace(amble_pace pace) {
    if (pace == AMBLE_PACE_ANGLE || pace == AMBLE_PACE_EVEN) {
        return AMBLE_SUCCESS;
    }
    return amble_fail(AMBLE_BAD_VALUE, "pace must be 0 (angle) or 1 (even), not %d", (int)pace);
}

static amble_error check_axis(const char *name, double size) {
    return size == 0.0 ? AMBLE_SUCCESS : amble_check_number(name, size, 1e-15, AMBLE_LARGEST);
}

static amble_error check_ellipse(const amble_ellipse *ellipse) {
    AMBLE_TRY(check_axis("forward", ellipse->forward));
    AMBLE_TRY(check_axis("upward", ellipse->upward));
    AMBLE_TRY(check_axis("auxiliary", ellipse->auxiliary));
    AMBLE_TRY(amble_check_number("tilt", ellipse->tilt, -AMBLE_LARGEST_PHASE, AMBLE_LARGEST_PHASE));
    return check_pace(ellipse->pace);
}

/* Fails unless the half axes of a proper ellipse are of comparable size. */
static amble_error check_ratio(const char *name, double a, double b) {
    if (a <= AMBLE_LARGEST_RATIO * b && b <= AMBLE_LARGEST_RATIO * a) {
        return AMBLE_SUCCESS;
    }
    return amble_fail(AMBLE_BAD_VALUE, "%s must be 0 or within a factor of %g of the other half axis", name,
                      AMBLE_LARGEST_RATIO);
}

/* A line: on its own at even pace, else under the ellipse from which the perpendicular is dropped. */
static place on_line(const amble_ellipse *ellipse, double auxiliary, double phase) {
    bool level = ellipse->upward == 0.0;
    double half = level ? ellipse->forward : ellipse->upward;
    if (ellipse->pace == AMBLE_PACE_EVEN) {
        return line_by_length(half, level, phase);
    }
    place at = level ? ellipse_by_angle(half, auxiliary, phase) : ellipse_by_angle(auxiliary, half, phase);
    if (level) {
        return (place){{at.position.forward, 0.0}, {at.slope.forward, 0.0}};
    }
    return (place){{0.0, at.position.upward}, {0.0, at.slope.upward}};
}

amble_error amble_orbit_ellipse(const amble_ellipse *ellipse, int64_t count, const double *phase,
                                float *position, float *slope) {
    AMBLE_TRY(check_ellipse(ellipse));
    AMBLE_TRY(amble_check_values_double("phase", phase, count, AMBLE_LARGEST_PHASE));
    double a = ellipse->forward;
    double b = ellipse->upward;
    double larger = fmax(a, b);
    double auxiliary = ellipse->auxiliary > 0.0 ? ellipse->auxiliary : larger;
    bool point_only = larger == 0.0;
    bool line = a == 0.0 || b == 0.0;
    if (!line) {
        AMBLE_TRY(check_ratio("upward", a, b));
    } else if (!point_only) {
        AMBLE_TRY(check_ratio("auxiliary", larger, auxiliary));
    }
    quarter table = {.a = a, .b = b};
    bool even = ellipse->pace == AMBLE_PACE_EVEN;
    if (even && !line) {
        measure_quarter(&table);
    }
    point tilt;
    amble_sincos(ellipse->tilt, &tilt.forward, &tilt.upward);
    for (int64_t i = 0; i < count; i++) {
        place at = {{0.0, 0.0}, {0.0, 0.0}};
        if (line && !point_only) {
            at = on_line(ellipse, auxiliary, phase[i]);
        } else if (!line) {
            at = even ? ellipse_by_length(&table, phase[i]) : ellipse_by_angle(a, b, phase[i]);
        }
        store(at, tilt, i, count, position, slope);
    }
    return AMBLE_SUCCESS;
}

/* ---- Polygon ---- */

static point corner(const double *vertices, int64_t i) {
    return (point){vertices[2 * i], vertices[2 * i + 1]};
}

static point minus(point a, point b) { return (point){a.forward - b.forward, a.upward - b.upward}; }

/* Twice the area of the triangle 0, a, b; positive where the phase's sense (top to front) leads from a to b.
 */
static double sweep(point a, point b) { return a.upward * b.forward - a.forward * b.upward; }

static double length_of(point p) { return sqrt(p.forward * p.forward + p.upward * p.upward); }

/* `marks`, rising from 0 to marks[corners]: at which corner each edge begins, in length or in radians from
 * the first corner. The edge that holds `value`. */
static int64_t edge_at(const double *marks, int64_t corners, double value) {
    int64_t low = 0;
    int64_t high = corners;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (marks[middle] <= value) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static amble_error mark_lengths(const double *vertices, int64_t corners, double *marks) {
    marks[0] = 0.0;
    for (int64_t i = 0; i < corners; i++) {
        marks[i + 1] = marks[i] + length_of(minus(corner(vertices, (i + 1) % corners), corner(vertices, i)));
    }
    if (!(marks[corners] >= 1e-15)) {
        return amble_fail(AMBLE_BAD_VALUE, "vertices are all in one place, to 1e-15");
    }
    return AMBLE_SUCCESS;
}

static amble_error mark_angles(const double *vertices, int64_t corners, double *marks) {
    if (corners < 3) {
        return amble_fail(AMBLE_BAD_VALUE, "vertices must be at least 3 for an orbit by angle");
    }
    marks[0] = 0.0;
    for (int64_t i = 0; i < corners; i++) {
        point a = corner(vertices, i);
        point b = corner(vertices, (i + 1) % corners);
        double turn = sweep(a, b);
        double size = length_of(a) * length_of(b);
        if (!(turn > 1e-12 * size)) {
            return amble_fail(
                AMBLE_BAD_VALUE,
                "vertices must go round the centre in the sense top, front, bottom; the edge from "
                "corner %lld does not",
                (long long)i);
        }
        marks[i + 1] = marks[i] + amble_atan2(turn, a.forward * b.forward + a.upward * b.upward);
    }
    if (fabs(marks[corners] - 2.0 * AMBLE_PI) > 1e-6) {
        return amble_fail(AMBLE_BAD_VALUE, "vertices must go round the centre once, not %.0f times",
                          marks[corners] / (2.0 * AMBLE_PI));
    }
    return AMBLE_SUCCESS;
}

/* The ray (s, c) meets the edge a + k (b - a) where the two are parallel: sweep(ray, a + k e) = 0. */
static place polygon_by_angle(const amble_polygon *polygon, const double *marks, double phase) {
    const double *vertices = polygon->vertices;
    point first = corner(vertices, 0);
    double from_first = 2.0 * AMBLE_PI * turn_of(phase - amble_atan2(first.forward, first.upward));
    int64_t i = edge_at(marks, polygon->corners, from_first);
    point a = corner(vertices, i);
    point edge = minus(corner(vertices, (i + 1) % polygon->corners), a);
    point ray;
    amble_sincos(phase, &ray.forward, &ray.upward);
    /* On the edge p = a + k e; across e both p and a lie equally far, which gives r. One radian a radian
     * means sweep(p, dp) = r^2, and with dp = dk e that dk = r^2 / sweep(a, e) = r / sweep(ray, e). */
    double across = sweep(ray, edge);
    double r = sweep(a, edge) / across;
    double rate = r / across;
    return (place){{r * ray.forward, r * ray.upward}, {rate * edge.forward, rate * edge.upward}};
}

static place polygon_by_length(const amble_polygon *polygon, const double *marks, double phase) {
    double whole = marks[polygon->corners];
    double length = turn_of(phase) * whole;
    int64_t i = edge_at(marks, polygon->corners, length);
    point a = corner(polygon->vertices, i);
    point edge = minus(corner(polygon->vertices, (i + 1) % polygon->corners), a);
    double own = marks[i + 1] - marks[i];
    double k = own > 0.0 ? (length - marks[i]) / own : 0.0;
    double rate = own > 0.0 ? whole / (2.0 * AMBLE_PI) / own : 0.0;
    return (place){
        {a.forward + k * edge.forward, a.upward + k * edge.upward},
        {rate * edge.forward, rate * edge.upward},
    };
}

amble_error amble_orbit_polygon(const amble_polygon *polygon, int64_t count, const double *phase,
                                float *position, float *slope) {
    if (polygon->corners < 2) {
        return amble_fail(AMBLE_BAD_VALUE, "vertices must be at least 2, not %lld",
                          (long long)polygon->corners);
    }
    if (polygon->corners > AMBLE_MOST_CORNERS) {
        return amble_fail(AMBLE_BAD_VALUE, "vertices must be at most %d", AMBLE_MOST_CORNERS);
    }
    AMBLE_TRY(amble_check_values_double("vertices", polygon->vertices, 2 * polygon->corners, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_number("tilt", polygon->tilt, -AMBLE_LARGEST_PHASE, AMBLE_LARGEST_PHASE));
    AMBLE_TRY(check_pace(polygon->pace));
    AMBLE_TRY(amble_check_values_double("phase", phase, count, AMBLE_LARGEST_PHASE));

    double *marks = calloc((size_t)polygon->corners + 1, sizeof *marks);
    if (!marks) {
        return amble_fail(AMBLE_NO_MEMORY, "vertices: no memory for %lld corners",
                          (long long)polygon->corners);
    }
    bool even = polygon->pace == AMBLE_PACE_EVEN;
    amble_error error = (even ? mark_lengths : mark_angles)(polygon->vertices, polygon->corners, marks);
    if (error.code == AMBLE_OK) {
        point tilt;
        amble_sincos(polygon->tilt, &tilt.forward, &tilt.upward);
        for (int64_t i = 0; i < count; i++) {
            store((even ? polygon_by_length : polygon_by_angle)(polygon, marks, phase[i]), tilt, i, count,
                  position, slope);
        }
    }
    free(marks);
    return error;
}

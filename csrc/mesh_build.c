/* Building the tree over a mesh's triangles: four boxes a node, split where the surface area of the halves,
 * times how many triangles they hold, is least (MacDonald and Booth 1990, binned after Wald 2007).
 *
 * Order of work: every split by area looks at each triangle of its range a fixed number of times, and a path
 * holds at most 2 log2(n) + 8 of them before ranges are cut in halves as they lie, so that even triangles
 * laid out to defeat the bins cost O(n log n).
 */
#include "mesh_private.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 16 };

/* A box as one reads it into two vectors; the fourth lanes are padding. */
typedef struct box {
    float low[4];
    float high[4];
} box;

/* A triangle's box on its way into a leaf. */
typedef struct item {
    box bounds;
    int32_t index;
} item;

/* Items first .. first + count of the order, reached by `depth` splits of two. */
typedef struct span {
    int64_t first, count;
    int depth;
} span;

/* A span whose box in its parent is to hold the node that is made of it; parent -1 is the mesh's root. */
typedef struct job {
    span items;
    int64_t parent;
    int lane;
} job;

typedef struct builder {
    amble_mesh *mesh;
    item *items;
    int64_t nodes;
    int most_by_area; /* depth from which on spans are cut in halves */
} builder;

static const box EMPTY_BOX = {{INFINITY, INFINITY, INFINITY, INFINITY},
                              {-INFINITY, -INFINITY, -INFINITY, -INFINITY}};

static void grow(box *a, const box *b) {
    wf_store(a->low, wf_min(wf_load(a->low), wf_load(b->low)));
    wf_store(a->high, wf_max(wf_load(a->high), wf_load(b->high)));
}

static box bounds_of(const builder *b, span s) {
    wf low = wf_load(EMPTY_BOX.low);
    wf high = wf_load(EMPTY_BOX.high);
    for (int64_t i = s.first; i < s.first + s.count; i++) {
        low = wf_min(low, wf_load(b->items[i].bounds.low));
        high = wf_max(high, wf_load(b->items[i].bounds.high));
    }
    box found;
    wf_store(found.low, low);
    wf_store(found.high, high);
    return found;
}

static double half_area(const box *a) {
    double x = (double)a->high[0] - a->low[0];
    double y = (double)a->high[1] - a->low[1];
    double z = (double)a->high[2] - a->low[2];
    return x * y + y * z + z * x;
}

/* Twice the middle of a box along an axis. */
static float middle(const item *a, int axis) { return a->bounds.low[axis] + a->bounds.high[axis]; }

/* How the middles of a span are put into bins, along the axis on which they are spread widest. */
typedef struct binning {
    int axis;
    float low, scale;
} binning;

static int bin_of(const binning *by, const item *a) {
    float place = (middle(a, by->axis) - by->low) * by->scale;
    return place < BINS - 1 ? (int)place : BINS - 1;
}

/* Returns whether the middles are far enough apart to be told from each other. */
static int set_binning(const builder *b, span s, binning *by) {
    wf low = wf_set(INFINITY);
    wf high = wf_set(-INFINITY);
    for (int64_t i = s.first; i < s.first + s.count; i++) {
        wf twice = wf_add(wf_load(b->items[i].bounds.low), wf_load(b->items[i].bounds.high));
        low = wf_min(low, twice);
        high = wf_max(high, twice);
    }
    float lows[4];
    float spread[4];
    wf_store(lows, low);
    wf_store(spread, wf_sub(high, low));
    int axis = spread[1] > spread[0] ? 1 : 0;
    axis = spread[2] > spread[axis] ? 2 : axis;
    *by = (binning){axis, lows[axis], BINS / spread[axis]};
    return spread[axis] > 0.0F && by->scale <= 1e30F;
}

/* The bin that is the last of the first half, by area; -1 where all are in one bin. */
static int best_bin(const builder *b, span s, const binning *by) {
    box boxes[BINS];
    int64_t counts[BINS] = {0};
    for (int i = 0; i < BINS; i++) {
        boxes[i] = EMPTY_BOX;
    }
    for (int64_t i = s.first; i < s.first + s.count; i++) {
        int bin = bin_of(by, &b->items[i]);
        grow(&boxes[bin], &b->items[i].bounds);
        counts[bin]++;
    }
    double above[BINS] = {0.0}; /* cost of what lies beyond each bin */
    box sum = EMPTY_BOX;
    int64_t count = 0;
    for (int i = BINS - 1; i > 0; i--) {
        grow(&sum, &boxes[i]);
        count += counts[i];
        above[i - 1] = count ? half_area(&sum) * (double)count : 0.0;
    }
    int best = -1;
    double least = INFINITY;
    sum = EMPTY_BOX;
    count = 0;
    for (int i = 0; i < BINS - 1; i++) {
        grow(&sum, &boxes[i]);
        count += counts[i];
        if (count == 0 || count == s.count) {
            continue;
        }
        double cost = half_area(&sum) * (double)count + above[i];
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

/* Puts items of bins up to `last` before the others; returns how many there are. */
static int64_t part(const builder *b, span s, const binning *by, int last) {
    int64_t i = s.first;
    int64_t j = s.first + s.count;
    while (i < j) {
        if (bin_of(by, &b->items[i]) <= last) {
            i++;
        } else {
            item other = b->items[--j];
            b->items[j] = b->items[i];
            b->items[i] = other;
        }
    }
    return i - s.first;
}

/* Cuts a span of two items or more in two, neither of them empty. */
static void split(const builder *b, span s, span *first, span *second) {
    binning by;
    int64_t count = s.count / 2;
    if (s.depth < b->most_by_area && set_binning(b, s, &by)) {
        int last = best_bin(b, s, &by);
        if (last >= 0) {
            count = part(b, s, &by, last);
        }
    }
    *first = (span){s.first, count, s.depth + 1};
    *second = (span){s.first + count, s.count - count, s.depth + 1};
}

/* Cuts a span in up to MESH_WIDTH, the largest first; returns how many. */
static int spread(const builder *b, span whole, span parts[MESH_WIDTH]) {
    int count = 1;
    parts[0] = whole;
    while (count < MESH_WIDTH) {
        int largest = 0;
        for (int i = 1; i < count; i++) {
            largest = parts[i].count > parts[largest].count ? i : largest;
        }
        if (parts[largest].count <= MESH_LEAF) {
            break;
        }
        split(b, parts[largest], &parts[largest], &parts[count]);
        count++;
    }
    return count;
}

static void set_child(const builder *b, const job *at, int32_t child) {
    if (at->parent < 0) {
        b->mesh->root = child;
    } else {
        b->mesh->node[at->parent].child[at->lane] = child;
    }
}

/* Makes a node of a job's items, and jobs of its children; returns how many. */
static int make_node(builder *b, const job *at, job next[MESH_WIDTH]) {
    span parts[MESH_WIDTH];
    int count = spread(b, at->items, parts);
    int64_t number = b->nodes++;
    mesh_node *node = &b->mesh->node[number];
    for (int lane = 0; lane < MESH_WIDTH; lane++) {
        box bounds = lane < count ? bounds_of(b, parts[lane]) : EMPTY_BOX;
        for (int axis = 0; axis < 3; axis++) {
            node->low[axis][lane] = bounds.low[axis];
            node->high[axis][lane] = bounds.high[axis];
        }
        node->child[lane] = MESH_NONE;
        if (lane < count) {
            next[lane] = (job){parts[lane], number, lane};
        }
    }
    set_child(b, at, (int32_t)number);
    return count;
}

static void make_nodes(builder *b) {
    job stack[MESH_STACK] = {{{0, b->mesh->triangles, 0}, -1, 0}};
    int waiting = 1;
    while (waiting > 0) {
        job at = stack[--waiting];
        if (at.items.count <= MESH_LEAF) {
            set_child(b, &at, mesh_leaf(at.items.first, (int)at.items.count));
        } else {
            waiting += make_node(b, &at, &stack[waiting]);
        }
    }
}

static amble_error check_triangles(int64_t vertex_count, int64_t triangle_count, const int32_t *triangles) {
    if (triangle_count > AMBLE_MOST_TRIANGLES) {
        return amble_fail(AMBLE_BAD_VALUE, "triangles holds %lld triangles: the most allowed is %d",
                          (long long)triangle_count, AMBLE_MOST_TRIANGLES);
    }
    for (int64_t i = 0; i < 3 * triangle_count; i++) {
        if (triangles[i] < 0 || triangles[i] >= vertex_count) {
            return amble_fail(AMBLE_BAD_VALUE,
                              "triangles holds vertex %d in triangle %lld, where there are %lld vertices",
                              (int)triangles[i], (long long)(i / 3), (long long)vertex_count);
        }
    }
    return AMBLE_SUCCESS;
}

/* Bounds, centre and extent of the vertices that triangles use. */
static void measure(amble_mesh *mesh, const double *vertices, const int32_t *triangles) {
    for (int axis = 0; axis < 3; axis++) {
        double low = mesh->triangles ? INFINITY : 0.0;
        double high = -low;
        for (int64_t i = 0; i < 3 * mesh->triangles; i++) {
            double value = vertices[3 * (int64_t)triangles[i] + axis];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        mesh->low[axis] = low;
        mesh->high[axis] = high;
        mesh->centre[axis] = 0.5 * low + 0.5 * high;
        mesh->extent = fmax(mesh->extent, 0.5 * high - 0.5 * low);
    }
}

/* The triangle's box, grown by more than its coordinates are rounded. */
static box box_of(const amble_mesh *mesh, const double *vertices, const int32_t *triangle) {
    box found = EMPTY_BOX;
    float margin = (float)(mesh->extent * 0x1p-22);
    for (int axis = 0; axis < 3; axis++) {
        double a = vertices[3 * (int64_t)triangle[0] + axis] - mesh->centre[axis];
        double b = vertices[3 * (int64_t)triangle[1] + axis] - mesh->centre[axis];
        double c = vertices[3 * (int64_t)triangle[2] + axis] - mesh->centre[axis];
        double low = a < b ? a : b;
        double high = a > b ? a : b;
        found.low[axis] = (float)(low < c ? low : c) - margin;
        found.high[axis] = (float)(high > c ? high : c) + margin;
    }
    found.low[3] = found.high[3] = 0.0F;
    return found;
}

static int log2_up(int64_t n) {
    int result = 0;
    while (((int64_t)1 << result) < n) {
        result++;
    }
    return result;
}

/* Memory of the mesh for its triangles and nodes: each node has two children or more, so there are fewer
 * nodes than triangles. Returns whether it could be had. */
static int reserve(amble_mesh *mesh) {
    size_t count = mesh->triangles ? (size_t)mesh->triangles : 1;
    mesh->node = malloc(count * sizeof *mesh->node);
    mesh->triangle = malloc(count * sizeof *mesh->triangle);
    return mesh->node && mesh->triangle;
}

/* The tree over a mesh whose bounds are known and whose memory is there. */
static amble_error make_tree(amble_mesh *mesh, const double *vertices, const int32_t *triangles) {
    int64_t count = mesh->triangles;
    item *items = malloc((size_t)(count ? count : 1) * sizeof *items);
    if (!items) {
        return amble_fail(AMBLE_NO_MEMORY, "triangles: no memory to sort %lld of them", (long long)count);
    }
    builder b = {.mesh = mesh, .items = items, .most_by_area = 2 * log2_up(count) + 8};
    for (int64_t i = 0; i < count; i++) {
        items[i] = (item){box_of(mesh, vertices, triangles + 3 * i), (int32_t)i};
    }
    mesh->root = MESH_NONE;
    if (count > 0) {
        make_nodes(&b);
    }
    for (int64_t i = 0; i < count; i++) {
        mesh->triangle[i].index = items[i].index;
        const int32_t *triangle = triangles + 3 * (int64_t)items[i].index;
        for (int corner = 0; corner < 3; corner++) {
            const double *v = vertices + 3 * (int64_t)triangle[corner];
            mesh->triangle[i].corner[corner] = (vec){v[0], v[1], v[2]};
        }
    }
    free(items);
    /* What was reserved for nodes was for the worst case. Where making it smaller fails, it stays. */
    mesh_node *fitting = realloc(mesh->node, (size_t)(b.nodes ? b.nodes : 1) * sizeof *fitting);
    mesh->node = fitting ? fitting : mesh->node;
    return AMBLE_SUCCESS;
}

amble_error amble_mesh_build(int64_t vertex_count, const double *vertices, int64_t triangle_count,
                             const int32_t *triangles, amble_mesh **mesh) {
    *mesh = NULL;
    AMBLE_TRY(amble_check_values_double("vertices", vertices, 3 * vertex_count, AMBLE_LARGEST));
    AMBLE_TRY(check_triangles(vertex_count, triangle_count, triangles));
    amble_mesh *made = calloc(1, sizeof *made);
    if (!made) {
        return amble_fail(AMBLE_NO_MEMORY, "triangles: no memory for a mesh");
    }
    made->triangles = triangle_count;
    amble_error error = AMBLE_SUCCESS;
    if (reserve(made)) {
        measure(made, vertices, triangles);
        error = make_tree(made, vertices, triangles);
    } else {
        error =
            amble_fail(AMBLE_NO_MEMORY, "triangles: no memory for %lld of them", (long long)triangle_count);
    }
    if (error.code != AMBLE_OK) {
        amble_mesh_free(made);
        return error;
    }
    *mesh = made;
    return AMBLE_SUCCESS;
}

void amble_mesh_free(amble_mesh *mesh) {
    if (mesh) {
        free(mesh->node);
        free(mesh->triangle);
        free(mesh);
    }
}

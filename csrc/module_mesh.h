/* The entries for triangle meshes. Private to module.c, which includes it. */
#ifndef AMBLE_MODULE_MESH_H
#define AMBLE_MODULE_MESH_H

#include "mesh.h"

#define MESH_CAPSULE "amble_core.mesh"

#define MESH_RULES                                                                                           \
    "mesh: what mesh_build returned. Arrays are float64, |values| up to 1e15, items on the last axis.\n"

static void mesh_destroy(PyObject *capsule) {
    amble_mesh_free((amble_mesh *)PyCapsule_GetPointer(capsule, MESH_CAPSULE));
}

/* The mesh in a capsule; NULL with an exception if the object is none. */
static const amble_mesh *mesh_in(PyObject *object) {
    if (!PyCapsule_IsValid(object, MESH_CAPSULE)) {
        PyErr_Format(PyExc_TypeError, "mesh must be what mesh_build returned, not %R",
                     (PyObject *)Py_TYPE(object));
        return NULL;
    }
    return (const amble_mesh *)PyCapsule_GetPointer(object, MESH_CAPSULE);
}

PyDoc_STRVAR(mesh_build_doc,
             "mesh_build(vertices, triangles)\n--\n\n"
             "A mesh to be asked by the other mesh functions; it holds copies, and is freed by itself.\n\n"
             "vertices: float64 (n, 3), |values| up to 1e15.\n"
             "triangles: int32 (m, 3), indices of vertices, counterclockwise as seen from the front.\n"
             "    Triangles without area are kept: they have distances, but no ray meets them.\n\n"
             "Returns an opaque object. Raises ValueError or TypeError naming the argument.");

static PyObject *mesh_build(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"vertices", "triangles", NULL};
    PyObject *objects[2];
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:mesh_build", names, &objects[0], &objects[1])) {
        return NULL;
    }
    PyArrayObject *vertices = array_in(objects[0], names[0], NPY_FLOAT64, 2, (npy_intp[]){ANY, 3});
    PyArrayObject *triangles =
        vertices ? array_in(objects[1], names[1], NPY_INT32, 2, (npy_intp[]){ANY, 3}) : NULL;
    if (!triangles) {
        return NULL;
    }
    amble_mesh *mesh = NULL;
    amble_error error;
    WITHOUT_GIL(error, amble_mesh_build(PyArray_DIM(vertices, 0), DATA(vertices), PyArray_DIM(triangles, 0),
                                        DATA(triangles), &mesh));
    if (raise_error(error) < 0) {
        return NULL;
    }
    PyObject *capsule = PyCapsule_New(mesh, MESH_CAPSULE, mesh_destroy);
    if (!capsule) {
        amble_mesh_free(mesh);
    }
    return capsule;
}

/* The three results of a question: numbers (n,), vectors (3, n), triangles (n,). -1 with an exception. */
static int mesh_results(const char *source, npy_intp count, PyArrayObject *out[3]) {
    out[0] = array_new(source, NPY_FLOAT64, 1, &count);
    out[1] = array_new(source, NPY_FLOAT64, 2, (npy_intp[]){3, count});
    out[2] = array_new(source, NPY_INT32, 1, &count);
    if (out[0] && out[1] && out[2]) {
        return 0;
    }
    release_all(out, 3);
    return -1;
}

PyDoc_STRVAR(
    mesh_rays_doc,
    "mesh_rays(mesh, origin, direction, *, length=1e15)\n--\n\n"
    "The first triangle that each ray meets, from either side; none slips between triangles that\n"
    "share an edge, and what is seen exactly edge-on is not met.\n\n" MESH_RULES
    "origin: (3, n). direction: (3, n), of any length but 0. length: 0 to 1e15, how far rays go.\n\n"
    "Returns (distance, normal, triangle): float64 (n,), `length` where nothing is met; float64\n"
    "(3, n), unit, on the side that the ray comes from, 0 where nothing is met; int32 (n,), -1 there.\n"
    "Raises ValueError or TypeError naming the argument.");

static PyObject *mesh_rays(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"mesh", "origin", "direction", "length", NULL};
    PyObject *objects[4] = {NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOO|$O:mesh_rays", names, &objects[0], &objects[1],
                                     &objects[2], &objects[3])) {
        return NULL;
    }
    const amble_mesh *mesh = mesh_in(objects[0]);
    PyArrayObject *origin =
        mesh ? array_in(objects[1], names[1], NPY_FLOAT64, 2, (npy_intp[]){3, ANY}) : NULL;
    if (!origin) {
        return NULL;
    }
    npy_intp count = PyArray_DIM(origin, 1);
    PyArrayObject *direction = array_in(objects[2], names[2], NPY_FLOAT64, 2, (npy_intp[]){3, count});
    double length = AMBLE_LARGEST;
    PyArrayObject *out[3];
    if (!direction || (objects[3] && number_in(objects[3], names[3], &length) < 0) ||
        mesh_results(names[1], count, out) < 0) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_mesh_rays(mesh, count, DATA(origin), DATA(direction), length, DATA(out[0]),
                                       DATA(out[1]), DATA(out[2])));
    if (raise_error(error) < 0) {
        return release_all(out, 3);
    }
    return tuple_of(out, 3);
}

PyDoc_STRVAR(mesh_follow_doc,
             "mesh_follow(mesh, place, start, up, down)\n--\n\n"
             "Heights along a track over ground, Z up: at each place the highest surface at most `up` over\n"
             "and `down` under the height of the place before.\n\n" MESH_RULES
             "place: (2, n), x and y in the order in which they are passed.\n"
             "start: the height before the first place. up, down: 0 to 1e15.\n\n"
             "Returns (height, normal, triangle): float64 (n,), where nothing is found that of the place\n"
             "before; float64 (3, n), unit, upward, 0 where nothing is found; int32 (n,), -1 there.\n"
             "Raises ValueError or TypeError naming the argument.");

static PyObject *mesh_follow(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"mesh", "place", "start", "up", "down", NULL};
    PyObject *objects[5];
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOO:mesh_follow", names, &objects[0], &objects[1],
                                     &objects[2], &objects[3], &objects[4])) {
        return NULL;
    }
    const amble_mesh *mesh = mesh_in(objects[0]);
    PyArrayObject *place = mesh ? array_in(objects[1], names[1], NPY_FLOAT64, 2, (npy_intp[]){2, ANY}) : NULL;
    double numbers[3];
    PyArrayObject *out[3];
    if (!place || number_in(objects[2], names[2], &numbers[0]) < 0 ||
        number_in(objects[3], names[3], &numbers[1]) < 0 ||
        number_in(objects[4], names[4], &numbers[2]) < 0 ||
        mesh_results(names[1], PyArray_DIM(place, 1), out) < 0) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_mesh_follow(mesh, PyArray_DIM(place, 1), DATA(place), numbers[0], numbers[1],
                                         numbers[2], DATA(out[0]), DATA(out[1]), DATA(out[2])));
    if (raise_error(error) < 0) {
        return release_all(out, 3);
    }
    return tuple_of(out, 3);
}

PyDoc_STRVAR(
    mesh_nearest_doc,
    "mesh_nearest(mesh, point, *, limit=1e15)\n--\n\n"
    "The nearest point of the mesh to each point.\n\n" MESH_RULES
    "point: (3, n). limit: 0 to 1e15, what is not nearer than this is not looked for.\n\n"
    "Returns (distance, nearest, triangle): float64 (n,), negative behind the triangle (inside, for\n"
    "a closed mesh that faces outward), `limit` where nothing is found; float64 (3, n), the point\n"
    "itself where nothing is found; int32 (n,), -1 there.\n"
    "Raises ValueError or TypeError naming the argument.");

static PyObject *mesh_nearest(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"mesh", "point", "limit", NULL};
    PyObject *objects[3] = {NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|$O:mesh_nearest", names, &objects[0], &objects[1],
                                     &objects[2])) {
        return NULL;
    }
    const amble_mesh *mesh = mesh_in(objects[0]);
    PyArrayObject *point = mesh ? array_in(objects[1], names[1], NPY_FLOAT64, 2, (npy_intp[]){3, ANY}) : NULL;
    double limit = AMBLE_LARGEST;
    PyArrayObject *out[3];
    if (!point || (objects[2] && number_in(objects[2], names[2], &limit) < 0) ||
        mesh_results(names[1], PyArray_DIM(point, 1), out) < 0) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_mesh_nearest(mesh, PyArray_DIM(point, 1), DATA(point), limit, DATA(out[0]),
                                          DATA(out[1]), DATA(out[2])));
    if (raise_error(error) < 0) {
        return release_all(out, 3);
    }
    return tuple_of(out, 3);
}

PyDoc_STRVAR(
    mesh_clearance_doc,
    "mesh_clearance(mesh, start, end, radius, *, limit, tolerance)\n--\n\n"
    "How far moving capsules stay clear of the mesh: the least distance of the axis, less its\n"
    "radius.\n\n" MESH_RULES
    "start: (2, 3, n), the axis' two ends at the beginning; end: (2, 3, n), at the end. Between them\n"
    "    they move in straight lines. Both ends in one place make a sphere.\n"
    "radius: (n,), 0 or more.\n"
    "limit: 0 to 1e15, what stays clear by this much is not looked at more closely.\n"
    "tolerance: 1e-15 to 1e15, how far strips of triangles may be off the curved surface that an\n"
    "    axis sweeps; a bone that turns in a plane sweeps a flat one, and takes none.\n\n"
    "Returns (clearance, nearest, triangle): float64 (n,), -radius where the axis goes through the\n"
    "mesh, `limit` where it stays clear; float64 (3, n), point of the mesh, 0 where it stays clear;\n"
    "int32 (n,), -1 there. An axis inside a closed mesh is as far from it as one outside: ask\n"
    "mesh_nearest which it is. Raises ValueError or TypeError naming the argument.");

static PyObject *mesh_clearance(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"mesh", "start", "end", "radius", "limit", "tolerance", NULL};
    PyObject *objects[6];
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOO$OO:mesh_clearance", names, &objects[0], &objects[1],
                                     &objects[2], &objects[3], &objects[4], &objects[5])) {
        return NULL;
    }
    const amble_mesh *mesh = mesh_in(objects[0]);
    PyArrayObject *start =
        mesh ? array_in(objects[1], names[1], NPY_FLOAT64, 3, (npy_intp[]){2, 3, ANY}) : NULL;
    if (!start) {
        return NULL;
    }
    npy_intp count = PyArray_DIM(start, 2);
    PyArrayObject *end = array_in(objects[2], names[2], NPY_FLOAT64, 3, (npy_intp[]){2, 3, count});
    PyArrayObject *radius = end ? array_in(objects[3], names[3], NPY_FLOAT64, 1, &count) : NULL;
    double limit;
    double tolerance;
    PyArrayObject *out[3];
    if (!radius || number_in(objects[4], names[4], &limit) < 0 ||
        number_in(objects[5], names[5], &tolerance) < 0 || mesh_results(names[1], count, out) < 0) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_mesh_clearance(mesh, count, DATA(start), DATA(end), DATA(radius), limit,
                                            tolerance, DATA(out[0]), DATA(out[1]), DATA(out[2])));
    if (raise_error(error) < 0) {
        return release_all(out, 3);
    }
    return tuple_of(out, 3);
}

#endif

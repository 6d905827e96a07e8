/* The boundary of reach.h; included by module.c. */
#ifndef AMBLE_MODULE_REACH_H
#define AMBLE_MODULE_REACH_H

#include "reach.h"

PyDoc_STRVAR(part_tracks_doc,
             "part_tracks(pose, bone, axis, world)\n--\n\n"
             "Both ends of each part of a body at each frame, in the world.\n\n"
             "pose: float32 (bones, 12, frames), from forward_kinematics.\n"
             "bone: int32 (parts,), the bone that carries each part.\n"
             "axis: float64 (parts, 2, 3), ends of its axis in the bone's own space.\n"
             "world: float64 (12, frames), armature space to the world, upper rows row by row.\n\n"
             "Returns float64 (2, 3, parts, frames). Raises ValueError or TypeError naming the argument.");

static PyObject *part_tracks(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"pose", "bone", "axis", "world", NULL};
    PyObject *o[4];
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOO:part_tracks", names, &o[0], &o[1], &o[2], &o[3])) {
        return NULL;
    }
    PyArrayObject *pose = floats_in(o[0], "pose", 3, (npy_intp[]){ANY, 12, ANY});
    PyArrayObject *bone = pose ? array_in(o[1], "bone", NPY_INT32, 1, (npy_intp[]){ANY}) : NULL;
    if (!bone) {
        return NULL;
    }
    npy_intp parts = PyArray_DIM(bone, 0);
    npy_intp frames = PyArray_DIM(pose, 2);
    PyArrayObject *axis = array_in(o[2], "axis", NPY_FLOAT64, 3, (npy_intp[]){parts, 2, 3});
    PyArrayObject *world = axis ? array_in(o[3], "world", NPY_FLOAT64, 2, (npy_intp[]){12, frames}) : NULL;
    PyArrayObject *out = world ? array_new("bone", NPY_FLOAT64, 4, (npy_intp[]){2, 3, parts, frames}) : NULL;
    if (!out) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_part_tracks(PyArray_DIM(pose, 0), parts, frames, DATA(pose), DATA(bone),
                                         DATA(axis), DATA(world), DATA(out)));
    if (raise_error(error) < 0) {
        return release_all(&out, 1);
    }
    return (PyObject *)out;
}

PyDoc_STRVAR(reach_doc,
             "reach(track, radius, point, up)\n--\n\n"
             "How far the parts of a body reach from a line (JP4136341B2, M2).\n\n"
             "track: float64 (2, 3, parts, frames), from part_tracks. radius: float64 (parts,).\n"
             "point, up: float64 (3,), of the reference line.\n\n"
             "Returns (distance, part, end, direction): float64 (frames,), the largest distance with the\n"
             "radius; int32 (frames,), whose it is; float64 (3, frames), where that end is; float64\n"
             "(3, frames), square to the line, unit.\n"
             "Raises ValueError or TypeError naming the argument.");

static PyObject *reach(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"track", "radius", "point", "up", NULL};
    PyObject *o[4];
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOO:reach", names, &o[0], &o[1], &o[2], &o[3])) {
        return NULL;
    }
    PyArrayObject *track = array_in(o[0], "track", NPY_FLOAT64, 4, (npy_intp[]){2, 3, ANY, ANY});
    if (!track) {
        return NULL;
    }
    npy_intp parts = PyArray_DIM(track, 2);
    npy_intp frames = PyArray_DIM(track, 3);
    PyArrayObject *radius = array_in(o[1], "radius", NPY_FLOAT64, 1, &parts);
    PyArrayObject *point = radius ? array_in(o[2], "point", NPY_FLOAT64, 1, (npy_intp[]){3}) : NULL;
    PyArrayObject *up = point ? array_in(o[3], "up", NPY_FLOAT64, 1, (npy_intp[]){3}) : NULL;
    if (!up) {
        return NULL;
    }
    PyArrayObject *out[4] = {
        array_new("track", NPY_FLOAT64, 1, &frames),
        array_new("track", NPY_INT32, 1, &frames),
        array_new("track", NPY_FLOAT64, 2, (npy_intp[]){3, frames}),
        array_new("track", NPY_FLOAT64, 2, (npy_intp[]){3, frames}),
    };
    if (!out[0] || !out[1] || !out[2] || !out[3]) {
        return release_all(out, 4);
    }
    amble_error error;
    WITHOUT_GIL(error, amble_reach(parts, frames, DATA(track), DATA(radius), DATA(point), DATA(up),
                                   DATA(out[0]), DATA(out[1]), DATA(out[2]), DATA(out[3])));
    if (raise_error(error) < 0) {
        return release_all(out, 4);
    }
    return tuple_of(out, 4);
}

PyDoc_STRVAR(
    plane_clearance_doc,
    "plane_clearance(start, end, radius, planes, *, inside=False)\n--\n\n"
    "How far moving capsules stay on the outer side of planes; below 0 by how far they do not.\n\n"
    "start, end: float64 (2, 3, n), both ends of each axis. radius: float64 (n,).\n"
    "planes: float64 (m, 4), unit normals and distances; the outer side is normal . x > distance.\n"
    "inside: true: on that of every plane, as within a region; false: of one at a time, as beside a\n"
    "    convex body whose faces look outward.\n\n"
    "Returns float64 (n,). Raises ValueError or TypeError naming the argument.");

static PyObject *plane_clearance(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"start", "end", "radius", "planes", "inside", NULL};
    PyObject *o[4];
    int inside = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOO|$p:plane_clearance", names, &o[0], &o[1], &o[2],
                                     &o[3], &inside)) {
        return NULL;
    }
    PyArrayObject *start = array_in(o[0], "start", NPY_FLOAT64, 3, (npy_intp[]){2, 3, ANY});
    if (!start) {
        return NULL;
    }
    npy_intp count = PyArray_DIM(start, 2);
    PyArrayObject *end = array_in(o[1], "end", NPY_FLOAT64, 3, (npy_intp[]){2, 3, count});
    PyArrayObject *radius = end ? array_in(o[2], "radius", NPY_FLOAT64, 1, &count) : NULL;
    PyArrayObject *planes = radius ? array_in(o[3], "planes", NPY_FLOAT64, 2, (npy_intp[]){ANY, 4}) : NULL;
    PyArrayObject *out = planes ? array_new("start", NPY_FLOAT64, 1, &count) : NULL;
    if (!out) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_plane_clearance(count, DATA(start), DATA(end), DATA(radius),
                                             PyArray_DIM(planes, 0), DATA(planes), inside, DATA(out)));
    if (raise_error(error) < 0) {
        return release_all(&out, 1);
    }
    return (PyObject *)out;
}

#endif

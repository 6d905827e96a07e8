/* The boundary of curve.h; included by module.c. */
#ifndef AMBLE_MODULE_CURVE_H
#define AMBLE_MODULE_CURVE_H

#include "curve.h"

PyDoc_STRVAR(
    sample_curves_doc,
    "sample_curves(starts, points, left, right, kinds, beyond, time)\n--\n\n"
    "Values of F-curves at any frames, as Blender evaluates them, to float32 rounding.\n\n"
    "starts: int64 (curves + 1,): curve k has the keys starts[k] to starts[k + 1] - 1.\n"
    "points, left, right: float32 (keys, 2): frame and value of each key and of its two handles.\n"
    "kinds: int32 (keys,): how a key goes on to the next: 0 constant, 1 linear, 2 Bezier.\n"
    "beyond: int32 (curves, 5): 1 where the curve goes on straight beyond its keys, else 0; how it repeats\n"
    "    before them (0 not, 1 repeat, 2 with offset, 3 mirrored) and how many rounds (0: all), and after.\n"
    "time: float64 (frames,), in any order, |frame| up to 1e7.\n\n"
    "Returns float32 (curves, frames); a curve without keys is 0.\n"
    "Raises ValueError or TypeError naming the argument.");

/* The arguments that say what the curves are. -1 with an exception. */
static int curves_in(PyObject *objects[6], amble_curves *out) {
    static const char *names[] = {"points", "left", "right"};
    PyArrayObject *starts = array_in(objects[0], "starts", NPY_INT64, 1, (npy_intp[]){ANY});
    if (!starts) {
        return -1;
    }
    npy_intp curves = PyArray_DIM(starts, 0) - 1;
    if (curves < 0) {
        PyErr_SetString(PyExc_ValueError, "starts must hold at least the number of keys");
        return -1;
    }
    PyArrayObject *points[3];
    npy_intp keys = ANY;
    for (int i = 0; i < 3; i++) {
        points[i] = floats_in(objects[i + 1], names[i], 2, (npy_intp[]){keys, 2});
        if (!points[i]) {
            return -1;
        }
        keys = PyArray_DIM(points[i], 0);
    }
    PyArrayObject *kinds = array_in(objects[4], "kinds", NPY_INT32, 1, &keys);
    PyArrayObject *beyond =
        kinds ? array_in(objects[5], "beyond", NPY_INT32, 2, (npy_intp[]){curves, 5}) : NULL;
    if (!beyond) {
        return -1;
    }
    *out = (amble_curves){
        .count = curves,
        .keys = keys,
        .starts = DATA(starts),
        .points = DATA(points[0]),
        .left = DATA(points[1]),
        .right = DATA(points[2]),
        .kinds = DATA(kinds),
        .beyond = DATA(beyond),
    };
    return 0;
}

/* Room for curves at times: *time is set. NULL with an exception. */
static PyArrayObject *curves_out(const amble_curves *curves, PyObject *object, PyArrayObject **time) {
    *time = array_in(object, "time", NPY_FLOAT64, 1, (npy_intp[]){ANY});
    return *time ? array_new("time", NPY_FLOAT32, 2, (npy_intp[]){curves->count, PyArray_DIM(*time, 0)})
                 : NULL;
}

static PyObject *sample_curves(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"starts", "points", "left", "right", "kinds", "beyond", "time", NULL};
    PyObject *objects[6];
    PyObject *time_object;
    amble_curves curves;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOOO:sample_curves", names, &objects[0], &objects[1],
                                     &objects[2], &objects[3], &objects[4], &objects[5], &time_object) ||
        curves_in(objects, &curves) < 0) {
        return NULL;
    }
    PyArrayObject *time;
    PyArrayObject *out = curves_out(&curves, time_object, &time);
    if (!out) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_sample_curves(&curves, PyArray_DIM(time, 0), DATA(time), DATA(out)));
    if (raise_error(error) < 0) {
        return release_all(&out, 1);
    }
    return (PyObject *)out;
}

PyDoc_STRVAR(
    slope_curves_doc,
    "slope_curves(starts, points, left, right, kinds, beyond, time, *, leaving)\n--\n\n"
    "Change per frame of F-curves at any frames, as they come to them or leave them.\n\n"
    "starts to time: as sample_curves takes them.\n"
    "leaving: whether it is the slope after the frame, which at a key may be another than before.\n\n"
    "Returns float32 (curves, frames). Raises ValueError or TypeError naming the argument.");

static PyObject *slope_curves(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"starts", "points", "left", "right", "kinds", "beyond", "time", "leaving", NULL};
    PyObject *objects[6];
    PyObject *time_object;
    int leaving;
    amble_curves curves;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOOO$p:slope_curves", names, &objects[0], &objects[1],
                                     &objects[2], &objects[3], &objects[4], &objects[5], &time_object,
                                     &leaving) ||
        curves_in(objects, &curves) < 0) {
        return NULL;
    }
    PyArrayObject *time;
    PyArrayObject *out = curves_out(&curves, time_object, &time);
    if (!out) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_slope_curves(&curves, PyArray_DIM(time, 0), DATA(time), leaving, DATA(out)));
    return raise_error(error) < 0 ? release_all(&out, 1) : (PyObject *)out;
}

PyDoc_STRVAR(
    combine_curves_doc,
    "combine_curves(starts, points, left, right, kinds, beyond, terms, factors, added)\n--\n\n"
    "Curves that are sums of others times factors, key by key and handle by handle.\n\n"
    "starts to beyond: curves as sample_curves takes them.\n"
    "terms: int32 (sums, 4): curves; the first lends its frames, -1 ends the list.\n"
    "factors: float64 (sums, 4); added: float64 (sums,).\n\n"
    "Returns (points, left, right, fits): float32 (keys of the first terms, 2) each, one sum after the\n"
    "other; int32 (sums,), 0 where a term is neither constant nor shares the first one's frames of keys\n"
    "and handles and its kinds, so that no such curve draws the sum.\n"
    "Raises ValueError or TypeError naming the argument.");

static PyObject *combine_curves(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"starts", "points", "left",    "right", "kinds",
                            "beyond", "terms",  "factors", "added", NULL};
    PyObject *objects[9];
    amble_curves curves;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOOOOO:combine_curves", names, &objects[0],
                                     &objects[1], &objects[2], &objects[3], &objects[4], &objects[5],
                                     &objects[6], &objects[7], &objects[8]) ||
        curves_in(objects, &curves) < 0) {
        return NULL;
    }
    PyArrayObject *terms = array_in(objects[6], "terms", NPY_INT32, 2, (npy_intp[]){ANY, AMBLE_MOST_TERMS});
    npy_intp count = terms ? PyArray_DIM(terms, 0) : 0;
    PyArrayObject *factors =
        terms ? array_in(objects[7], "factors", NPY_FLOAT64, 2, (npy_intp[]){count, AMBLE_MOST_TERMS}) : NULL;
    PyArrayObject *added = factors ? array_in(objects[8], "added", NPY_FLOAT64, 1, &count) : NULL;
    if (!added) {
        return NULL;
    }
    amble_curve_sum sums = {
        .count = count, .terms = DATA(terms), .factors = DATA(factors), .added = DATA(added)};
    int64_t keys;
    if (raise_error(amble_combined_keys(&curves, &sums, &keys)) < 0) {
        return NULL;
    }
    npy_intp shape[2] = {(npy_intp)keys, 2};
    PyArrayObject *out[4] = {
        array_new("terms", NPY_FLOAT32, 2, shape),
        array_new("terms", NPY_FLOAT32, 2, shape),
        array_new("terms", NPY_FLOAT32, 2, shape),
        array_new("terms", NPY_INT32, 1, &count),
    };
    if (!out[0] || !out[1] || !out[2] || !out[3]) {
        return release_all(out, 4);
    }
    amble_error error;
    WITHOUT_GIL(error,
                amble_combine_curves(&curves, &sums, DATA(out[0]), DATA(out[1]), DATA(out[2]), DATA(out[3])));
    if (raise_error(error) < 0) {
        return release_all(out, 4);
    }
    return tuple_of(out, 4);
}

PyDoc_STRVAR(quaternion_from_euler_doc,
             "quaternion_from_euler(angles, order)\n--\n\n"
             "Unit quaternions of Euler angles: (3, n), (3,) -> (4, n).\n\n"
             "angles: float32 (3, n), radians up to 1e6, by axis whatever the order.\n"
             "order: int32 (3,), the axes, the one turned about first being first: 0, 1, 2 for XYZ.\n"
             "Returns float32 (4, n), w x y z, continuous in the angles.\n"
             "Raises ValueError or TypeError naming the argument.");

static PyObject *quaternion_from_euler(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"angles", "order", NULL};
    PyObject *angles_object;
    PyObject *order_object;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:quaternion_from_euler", names, &angles_object,
                                     &order_object)) {
        return NULL;
    }
    PyArrayObject *angles = floats_in(angles_object, "angles", 2, (npy_intp[]){3, ANY});
    PyArrayObject *order = angles ? array_in(order_object, "order", NPY_INT32, 1, (npy_intp[]){3}) : NULL;
    if (!order) {
        return NULL;
    }
    npy_intp count = PyArray_DIM(angles, 1);
    PyArrayObject *out = array_new("angles", NPY_FLOAT32, 2, (npy_intp[]){4, count});
    if (!out) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_quaternion_from_euler(DATA(order), count, DATA(angles), DATA(out)));
    if (raise_error(error) < 0) {
        return release_all(&out, 1);
    }
    return (PyObject *)out;
}

PyDoc_STRVAR(
    quaternion_from_axis_angle_doc,
    "quaternion_from_axis_angle(turn)\n--\n\n"
    "Unit quaternions of an angle about an axis: (4, n) -> (4, n).\n\n"
    "turn: float32 (4, n), the angle in radians, up to 1e6, then the axis of any length; an axis of\n"
    "    length 0 is no turn.\n"
    "Returns float32 (4, n), w x y z. Raises ValueError or TypeError naming the argument.");

static PyObject *quaternion_from_axis_angle(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"turn", NULL};
    PyObject *object;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:quaternion_from_axis_angle", names, &object)) {
        return NULL;
    }
    PyArrayObject *turn = floats_in(object, "turn", 2, (npy_intp[]){4, ANY});
    if (!turn) {
        return NULL;
    }
    npy_intp count = PyArray_DIM(turn, 1);
    PyArrayObject *out = array_new("turn", NPY_FLOAT32, 2, (npy_intp[]){4, count});
    if (!out) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_quaternion_from_axis_angle(count, DATA(turn), DATA(out)));
    if (raise_error(error) < 0) {
        return release_all(&out, 1);
    }
    return (PyObject *)out;
}

#endif

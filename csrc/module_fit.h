/* The entry `fit_keys` of the module. Private to module.c, which includes it. */
#ifndef AMBLE_MODULE_FIT_H
#define AMBLE_MODULE_FIT_H

#include "fit.h"

PyDoc_STRVAR(
    fit_keys_doc,
    "fit_keys(time, key, value, slope, keyed, mode, tolerance, chain, rest, carrier, place,\n"
    "         point_tolerance)\n--\n\n"
    "The fewest Bezier keys that keep to a motion.\n\n"
    "time: float64 (samples,), frames, rising, at least 2. key: int32 (samples,), not 0 where there may be a "
    "key;\n"
    "    the first and the last must be.\n"
    "value, slope: float32 (bones, 10, samples): location 3, rotation 4, scale 3, and change a frame.\n"
    "keyed: int32 (bones, 10), not 0 for rows that get keys. mode: int32 (bones,), how the rotation is "
    "written:\n"
    "    0 quaternion (w, x, y, z), 1 angle and axis, 2 to 7 Euler XYZ, XZY, YXZ, YZX, ZXY, ZYX, angles by\n"
    "    axis in the last three of its four rows.\n"
    "tolerance: float32 (bones, 3, samples), largest error of location, rotation (radians), scale.\n"
    "chain: int32 (bones,), number of the chain, -1 for none; its bones lie together, each hangs from the\n"
    "    one before. The rotations of a chain share their keys, and it is judged by its points.\n"
    "rest: float64 (bones, 4, 4). carrier: int32 (points,), bone of a chain; place: float64 (points, 3), at\n"
    "    rest; point_tolerance: float32 (points, samples), length.\n\n"
    "Returns (keep, slope, before, after), each (bones, 10, samples): uint8, 1 for a key, and float32 slope\n"
    "of its handles a frame and their lengths in frames; 0 where there is no key.\n"
    "Raises ValueError or TypeError naming the argument.");

static PyObject *fit_keys(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    enum {
        TIME,
        KEY,
        VALUE,
        SLOPE,
        KEYED,
        MODE,
        TOLERANCE,
        CHAIN,
        REST,
        CARRIER,
        PLACE,
        POINT_TOLERANCE,
        ARGUMENTS
    };
    static char *names[] = {"time",  "key",  "value",   "slope", "keyed",           "mode", "tolerance",
                            "chain", "rest", "carrier", "place", "point_tolerance", NULL};
    PyObject *o[ARGUMENTS];
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOOOOOOOO:fit_keys", names, &o[TIME], &o[KEY],
                                     &o[VALUE], &o[SLOPE], &o[KEYED], &o[MODE], &o[TOLERANCE], &o[CHAIN],
                                     &o[REST], &o[CARRIER], &o[PLACE], &o[POINT_TOLERANCE])) {
        return NULL;
    }
    PyArrayObject *a[ARGUMENTS] = {NULL};
    a[TIME] = array_in(o[TIME], names[TIME], NPY_FLOAT64, 1, (npy_intp[]){ANY});
    a[MODE] = a[TIME] ? array_in(o[MODE], names[MODE], NPY_INT32, 1, (npy_intp[]){ANY}) : NULL;
    a[CARRIER] = a[MODE] ? array_in(o[CARRIER], names[CARRIER], NPY_INT32, 1, (npy_intp[]){ANY}) : NULL;
    if (!a[CARRIER]) {
        return NULL;
    }
    npy_intp samples = PyArray_DIM(a[TIME], 0);
    npy_intp bones = PyArray_DIM(a[MODE], 0);
    npy_intp points = PyArray_DIM(a[CARRIER], 0);
    const struct {
        int argument, type, dims;
        npy_intp shape[3];
    } wanted[] = {{KEY, NPY_INT32, 1, {samples}},
                  {VALUE, NPY_FLOAT32, 3, {bones, AMBLE_FIT_ROWS, samples}},
                  {SLOPE, NPY_FLOAT32, 3, {bones, AMBLE_FIT_ROWS, samples}},
                  {KEYED, NPY_INT32, 2, {bones, AMBLE_FIT_ROWS}},
                  {TOLERANCE, NPY_FLOAT32, 3, {bones, 3, samples}},
                  {CHAIN, NPY_INT32, 1, {bones}},
                  {REST, NPY_FLOAT64, 3, {bones, 4, 4}},
                  {PLACE, NPY_FLOAT64, 2, {points, 3}},
                  {POINT_TOLERANCE, NPY_FLOAT32, 2, {points, samples}}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        int k = wanted[i].argument;
        a[k] = wanted[i].type == NPY_FLOAT32
                   ? floats_in(o[k], names[k], wanted[i].dims, wanted[i].shape)
                   : array_in(o[k], names[k], wanted[i].type, wanted[i].dims, wanted[i].shape);
        if (!a[k]) {
            return NULL;
        }
    }
    const amble_fit_motion motion = {.bones = bones,
                                     .samples = samples,
                                     .time = DATA(a[TIME]),
                                     .key = DATA(a[KEY]),
                                     .value = DATA(a[VALUE]),
                                     .slope = DATA(a[SLOPE]),
                                     .keyed = DATA(a[KEYED]),
                                     .mode = DATA(a[MODE]),
                                     .tolerance = DATA(a[TOLERANCE]),
                                     .chain = DATA(a[CHAIN]),
                                     .rest = DATA(a[REST]),
                                     .points = points,
                                     .carrier = DATA(a[CARRIER]),
                                     .place = DATA(a[PLACE]),
                                     .point_tolerance = DATA(a[POINT_TOLERANCE])};
    PyArrayObject *out[4] = {NULL};
    npy_intp shape[3] = {bones, AMBLE_FIT_ROWS, samples};
    for (int i = 0; i < 4; i++) {
        out[i] = array_new(names[VALUE], i ? NPY_FLOAT32 : NPY_UINT8, 3, shape);
        if (!out[i]) {
            return release_all(out, 4);
        }
    }
    const amble_fit_keys keys = {
        .keep = DATA(out[0]), .slope = DATA(out[1]), .before = DATA(out[2]), .after = DATA(out[3])};
    amble_error error;
    WITHOUT_GIL(error, amble_fit(&motion, &keys));
    if (raise_error(error) < 0) {
        return release_all(out, 4);
    }
    return tuple_of(out, 4);
}

#endif

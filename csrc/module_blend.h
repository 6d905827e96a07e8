/* The entries that blend motions. Private to module.c, which includes it. */
#ifndef AMBLE_MODULE_BLEND_H
#define AMBLE_MODULE_BLEND_H

#include "blend.h"

#define BLEND_CURVES                                                                                         \
    "curve: 0 linear (A frozen, weight t / n), 1 ease, 2 inertial, 3 overlap (A runs on: a is read).\n"
#define BLEND_MODES                                                                                          \
    "modes: int32 (bones,), what the rotation rows of each bone hold: 0 quaternion w x y z, 1 angle and\n"   \
    "    axis, 2 to 7 angles about x, y, z in the last three rows, of the orders XYZ XZY YXZ YZX ZXY ZYX.\n"

PyDoc_STRVAR(
    blend_doc,
    "blend(modes, time, start, onto, b, begin, length, curve, *, rotations=0, a=None)\n--\n\n"
    "Frames of a transition out of motion A into motion B (JP4257764B2).\n\n" BLEND_MODES
    "time: float64 (frames,), frames since the cut, 0 to 1e6.\n"
    "start, onto: float32 (bones, 10, 3): A and B one frame before the cut, at it, one frame after.\n"
    "b, a: float32 (bones, 10, frames): both motions at the times.\n"
    "begin, length: float64 (bones,), frames after the cut at which a bone begins to leave A, and "
    "n.\n" BLEND_CURVES
    "rotations: 0 as quaternions along the arc, 1 angle by angle, 2 number by number; the inertial curve\n"
    "    always takes 0.\n\n"
    "Returns float32 (bones, 10, frames): b's own bits from begin + length on.\n"
    "Raises ValueError or TypeError naming the argument.");

static PyObject *blend(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"modes",  "time",  "start",     "onto", "b", "begin",
                            "length", "curve", "rotations", "a",    NULL};
    PyObject *o[8];
    PyObject *a_object = Py_None;
    int rotations = 0;
    int curve;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOOOO|$iO:blend", names, &o[0], &o[1], &o[2], &o[3],
                                     &o[4], &o[5], &o[6], &o[7], &rotations, &a_object)) {
        return NULL;
    }
    PyArrayObject *modes = array_in(o[0], "modes", NPY_INT32, 1, (npy_intp[]){ANY});
    PyArrayObject *time = modes ? doubles_in(o[1], "time", 1, (npy_intp[]){ANY}) : NULL;
    if (!time) {
        return NULL;
    }
    npy_intp bones = PyArray_DIM(modes, 0);
    npy_intp frames = PyArray_DIM(time, 0);
    PyArrayObject *start = floats_in(o[2], "start", 3, (npy_intp[]){bones, 10, 3});
    PyArrayObject *onto = start ? floats_in(o[3], "onto", 3, (npy_intp[]){bones, 10, 3}) : NULL;
    PyArrayObject *b = onto ? floats_in(o[4], "b", 3, (npy_intp[]){bones, 10, frames}) : NULL;
    PyArrayObject *begin = b ? doubles_in(o[5], "begin", 1, &bones) : NULL;
    PyArrayObject *length = begin ? doubles_in(o[6], "length", 1, &bones) : NULL;
    PyArrayObject *a;
    if (!length || int_in(o[7], "curve", &curve) < 0 ||
        floats_or_none(a_object, "a", 3, (npy_intp[]){bones, 10, frames}, &a) < 0) {
        return NULL;
    }
    PyArrayObject *out = array_new("b", NPY_FLOAT32, 3, (npy_intp[]){bones, 10, frames});
    if (!out) {
        return NULL;
    }
    amble_blend_plan plan = {
        .bones = bones,
        .frames = frames,
        .time = DATA(time),
        .modes = DATA(modes),
        .begin = DATA(begin),
        .length = DATA(length),
        .curve = (amble_curve_kind)curve,
        .rotations = (amble_rotation_blend)rotations,
    };
    amble_error error;
    WITHOUT_GIL(error, amble_blend(&plan, DATA(start), DATA(onto), a ? DATA(a) : NULL, DATA(b), DATA(out)));
    return raise_error(error) < 0 ? release_all(&out, 1) : (PyObject *)out;
}

PyDoc_STRVAR(blend_values_doc,
             "blend_values(time, start, onto, b, length, curve, *, a=None)\n--\n\n"
             "The same for plain numbers, each row by itself.\n\n"
             "time: float64 (frames,). start, onto: float32 (rows, 3). b, a: float32 (rows, frames).\n"
             "length: n, frames. " BLEND_CURVES "\nReturns float32 (rows, frames).\n"
             "Raises ValueError or TypeError naming the argument.");

static PyObject *blend_values(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"time", "start", "onto", "b", "length", "curve", "a", NULL};
    PyObject *o[6];
    PyObject *a_object = Py_None;
    double length;
    int curve;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOO|$O:blend_values", names, &o[0], &o[1], &o[2],
                                     &o[3], &o[4], &o[5], &a_object)) {
        return NULL;
    }
    PyArrayObject *time = doubles_in(o[0], "time", 1, (npy_intp[]){ANY});
    PyArrayObject *start = time ? floats_in(o[1], "start", 2, (npy_intp[]){ANY, 3}) : NULL;
    if (!start) {
        return NULL;
    }
    npy_intp rows = PyArray_DIM(start, 0);
    npy_intp frames = PyArray_DIM(time, 0);
    PyArrayObject *onto = floats_in(o[2], "onto", 2, (npy_intp[]){rows, 3});
    PyArrayObject *b = onto ? floats_in(o[3], "b", 2, (npy_intp[]){rows, frames}) : NULL;
    PyArrayObject *a;
    if (!b || number_in(o[4], "length", &length) < 0 || int_in(o[5], "curve", &curve) < 0 ||
        floats_or_none(a_object, "a", 2, (npy_intp[]){rows, frames}, &a) < 0) {
        return NULL;
    }
    PyArrayObject *out = array_new("b", NPY_FLOAT32, 2, (npy_intp[]){rows, frames});
    if (!out) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_blend_values((amble_curve_kind)curve, length, rows, frames, DATA(time),
                                          DATA(start), DATA(onto), a ? DATA(a) : NULL, DATA(b), DATA(out)));
    return raise_error(error) < 0 ? release_all(&out, 1) : (PyObject *)out;
}

PyDoc_STRVAR(settle_rotations_doc,
             "settle_rotations(modes, channels)\n--\n\n"
             "Each frame's rotation in the numbers next to the frame before's: signs of quaternions, whole\n"
             "turns and the two forms of three angles. q and -q give one result.\n\n" BLEND_MODES
             "channels: float32 (bones, 10, frames). Returns the same shape; what lies well keeps its bits.\n"
             "Raises ValueError or TypeError naming the argument.");

static PyObject *settle_rotations(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"modes", "channels", NULL};
    PyObject *o[2];
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:settle_rotations", names, &o[0], &o[1])) {
        return NULL;
    }
    PyArrayObject *modes = array_in(o[0], "modes", NPY_INT32, 1, (npy_intp[]){ANY});
    PyArrayObject *channels =
        modes ? floats_in(o[1], "channels", 3, (npy_intp[]){PyArray_DIM(modes, 0), 10, ANY}) : NULL;
    PyArrayObject *out = channels ? copy_of(channels) : NULL;
    if (!out) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error,
                amble_settle_rotations(PyArray_DIM(out, 0), PyArray_DIM(out, 2), DATA(modes), DATA(out)));
    return raise_error(error) < 0 ? release_all(&out, 1) : (PyObject *)out;
}

PyDoc_STRVAR(slopes_doc,
             "slopes(time, values)\n--\n\n"
             "Change per frame of each row at each frame, of fourth order where frames are even.\n\n"
             "time: float64 (frames,), rising. values: float32 (rows, frames).\n"
             "Returns float32 (rows, frames). Raises ValueError or TypeError naming the argument.");

static PyObject *slopes(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"time", "values", NULL};
    PyObject *o[2];
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:slopes", names, &o[0], &o[1])) {
        return NULL;
    }
    PyArrayObject *time = doubles_in(o[0], "time", 1, (npy_intp[]){ANY});
    PyArrayObject *values =
        time ? floats_in(o[1], "values", 2, (npy_intp[]){ANY, PyArray_DIM(time, 0)}) : NULL;
    PyArrayObject *out = values ? array_new("values", NPY_FLOAT32, 2, PyArray_DIMS(values)) : NULL;
    if (!out) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_slopes(PyArray_DIM(values, 0), PyArray_DIM(values, 1), DATA(time), DATA(values),
                                    DATA(out)));
    return raise_error(error) < 0 ? release_all(&out, 1) : (PyObject *)out;
}

/* Skeleton, modes and channels, as the two below take them. -1 with an exception. */
static int world_arguments(PyObject *const o[5], amble_skeleton *skeleton, PyArrayObject **modes,
                           PyArrayObject **channels) {
    if (skeleton_in(o[0], o[1], o[2], skeleton) < 0) {
        return -1;
    }
    npy_intp bones = skeleton->bones;
    *modes = array_in(o[3], "modes", NPY_INT32, 1, &bones);
    *channels = *modes ? floats_in(o[4], "channels", 3, (npy_intp[]){bones, 10, ANY}) : NULL;
    return *channels ? 0 : -1;
}

PyDoc_STRVAR(rotations_to_world_doc,
             "rotations_to_world(parents, rest, flags, modes, channels)\n--\n\n"
             "Rotation rows as unit quaternions of orientation in armature space, scale left out.\n\n"
             "parents, rest, flags: the skeleton, as in forward_kinematics.\n" BLEND_MODES
             "channels: float32 (bones, 10, frames). Returns the same shape, other rows unchanged.\n"
             "Raises ValueError or TypeError naming the argument.");

static PyObject *rotations_to_world(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"parents", "rest", "flags", "modes", "channels", NULL};
    PyObject *o[5];
    amble_skeleton skeleton;
    PyArrayObject *modes;
    PyArrayObject *channels;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOO:rotations_to_world", names, &o[0], &o[1], &o[2],
                                     &o[3], &o[4]) ||
        world_arguments(o, &skeleton, &modes, &channels) < 0) {
        return NULL;
    }
    PyArrayObject *out = copy_of(channels);
    if (!out) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_rotations_to_world(&skeleton, DATA(modes), PyArray_DIM(channels, 2), DATA(out)));
    return raise_error(error) < 0 ? release_all(&out, 1) : (PyObject *)out;
}

PyDoc_STRVAR(rotations_from_world_doc,
             "rotations_from_world(parents, rest, flags, modes, channels, near)\n--\n\n"
             "The way back: rotation rows in each bone's mode, the first frame's next to those in near.\n\n"
             "channels: float32 (bones, 10, frames) with orientations as rotations_to_world gives them.\n"
             "near: float32 (bones, 10). Returns float32 (bones, 10, frames).\n"
             "Raises ValueError or TypeError naming the argument.");

static PyObject *rotations_from_world(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"parents", "rest", "flags", "modes", "channels", "near", NULL};
    PyObject *o[5];
    PyObject *near_object;
    amble_skeleton skeleton;
    PyArrayObject *modes;
    PyArrayObject *channels;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOO:rotations_from_world", names, &o[0], &o[1], &o[2],
                                     &o[3], &o[4], &near_object) ||
        world_arguments(o, &skeleton, &modes, &channels) < 0) {
        return NULL;
    }
    PyArrayObject *near = floats_in(near_object, "near", 2, (npy_intp[]){skeleton.bones, 10});
    PyArrayObject *out = near ? copy_of(channels) : NULL;
    if (!out) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_rotations_from_world(&skeleton, DATA(modes), PyArray_DIM(channels, 2),
                                                  DATA(near), DATA(out)));
    return raise_error(error) < 0 ? release_all(&out, 1) : (PyObject *)out;
}

#endif

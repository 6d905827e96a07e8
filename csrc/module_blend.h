/* The entries of transitions. Private to module.c, which includes it. */
#ifndef AMBLE_MODULE_BLEND_H
#define AMBLE_MODULE_BLEND_H

#include "blend.h"
#include "blend_feet.h"
#include "blend_match.h"
#include "blend_root.h"
#include "module_pin.h"

#include <string.h>

#define BLEND_CURVES                                                                                         \
    "curve: 0 linear (A frozen, weight t / n), 1 ease, 2 inertial, 3 overlap (A runs on: a is read).\n"
#define BLEND_MODES                                                                                          \
    "modes: int32 (bones,), what the rotation rows of each bone hold: 0 quaternion w x y z, 1 angle and\n"   \
    "    axis, 2 to 7 angles about x, y, z in the last three rows, of the orders XYZ XZY YXZ YZX ZXY ZYX.\n"

/* A whole number within int. -1 with an exception if it is none. */
static int int_in(PyObject *object, const char *name, int *value) {
    long number = PyLong_AsLong(object);
    if (number == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s must be a whole number", name);
        return -1;
    }
    *value = number < INT_MIN || number > INT_MAX ? INT_MAX : (int)number;
    return 0;
}

/* array_in for an array that may be None: *array is then NULL. -1 with an exception. */
static int floats_or_none(PyObject *object, const char *name, int dims, const npy_intp *shape,
                          PyArrayObject **array) {
    *array = NULL;
    if (object == Py_None) {
        return 0;
    }
    *array = floats_in(object, name, dims, shape);
    return *array ? 0 : -1;
}

PyDoc_STRVAR(
    blend_doc,
    "blend(modes, time, start, onto, b, begin, length, curve, *, euler=False, a=None)\n--\n\n"
    "Frames of a transition out of motion A into motion B (JP4257764B2).\n\n" BLEND_MODES
    "time: float64 (frames,), frames since the cut, 0 to 1e6.\n"
    "start, onto: float32 (bones, 10, 3): A and B one frame before the cut, at it, one frame after.\n"
    "b, a: float32 (bones, 10, frames): both motions at the times.\n"
    "begin, length: float64 (bones,), frames after the cut at which a bone begins to leave A, and "
    "n.\n" BLEND_CURVES
    "euler: blend angle by angle instead of as quaternions; the inertial curve never does.\n\n"
    "Returns float32 (bones, 10, frames): b's own bits from begin + length on.\n"
    "Raises ValueError or TypeError naming the argument.");

static PyObject *blend(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"modes",  "time",  "start", "onto", "b", "begin",
                            "length", "curve", "euler", "a",    NULL};
    PyObject *o[8];
    PyObject *a_object = Py_None;
    int euler = 0;
    int curve;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOOOO|$pO:blend", names, &o[0], &o[1], &o[2], &o[3],
                                     &o[4], &o[5], &o[6], &o[7], &euler, &a_object)) {
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
        .euler = euler,
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

/* A new array with the same values. */
static PyArrayObject *copy_of(PyArrayObject *array) {
    return (PyArrayObject *)PyArray_NewCopy(array, NPY_CORDER);
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

/* So many doubles. NULL with an exception. */
static const double *vector_in(PyObject *object, const char *name, npy_intp size) {
    PyArrayObject *array = doubles_in(object, name, 1, &size);
    return array ? DATA(array) : NULL;
}

PyDoc_STRVAR(stand_doc,
             "stand(pose, rest, up, time, at, *, exact=False)\n--\n\n"
             "Where a bone stands, which way it faces, and how both change per frame, at the time `at`.\n\n"
             "pose: float32 (12, frames), one bone of forward_kinematics. rest: float64 (4, 4).\n"
             "up: float64 (3,), unit vector. time: float64 (frames,).\n"
             "exact: place and heading of the frame nearest to `at`; else of the line that fits best.\n\n"
             "Returns float64 (8,): place 3, heading (radians about up, from rest), speed 3, spin.\n"
             "Raises ValueError or TypeError naming the argument.");

static PyObject *stand(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"pose", "rest", "up", "time", "at", "exact", NULL};
    PyObject *o[5];
    int exact = 0;
    double at;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOO|$p:stand", names, &o[0], &o[1], &o[2], &o[3], &o[4],
                                     &exact)) {
        return NULL;
    }
    PyArrayObject *time = doubles_in(o[3], "time", 1, (npy_intp[]){ANY});
    PyArrayObject *pose = time ? floats_in(o[0], "pose", 2, (npy_intp[]){12, PyArray_DIM(time, 0)}) : NULL;
    PyArrayObject *rest = pose ? doubles_in(o[1], "rest", 2, (npy_intp[]){4, 4}) : NULL;
    const double *up = rest ? vector_in(o[2], "up", 3) : NULL;
    if (!up || number_in(o[4], "at", &at) < 0) {
        return NULL;
    }
    PyArrayObject *out = array_new("pose", NPY_FLOAT64, 1, (npy_intp[]){8});
    if (!out) {
        return NULL;
    }
    amble_error error;
    amble_stand found = {{0.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}, 0.0};
    WITHOUT_GIL(error, amble_stand_of(PyArray_DIM(time, 0), DATA(pose), DATA(rest), up, DATA(time), at, exact,
                                      &found));
    _Static_assert(sizeof found == 8 * sizeof(double), "a number for every field");
    memcpy(DATA(out), &found, sizeof found);
    return raise_error(error) < 0 ? release_all(&out, 1) : (PyObject *)out;
}

PyDoc_STRVAR(
    move_ground_doc,
    "move_ground(rest, flags, modes, channels, time, move)\n--\n\n"
    "Bones without a parent, moved together: what stands at the pivot goes to another place.\n\n"
    "rest: float64 (bones, 4, 4). flags: uint32 (bones,). time: float64 (frames,), since the "
    "cut.\n" BLEND_MODES "channels: float32 (bones, 10, frames).\n"
    "move: float64 (18,): pivot 3, its new place 3, turn 4 (w x y z), up 3, drift 3 and spin (per frame at\n"
    "    the cut, fading out), frames over which they fade.\n\n"
    "Returns float32 (bones, 10, frames). Raises ValueError or TypeError naming the argument.");

static PyObject *move_ground(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"rest", "flags", "modes", "channels", "time", "move", NULL};
    PyObject *o[6];
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOO:move_ground", names, &o[0], &o[1], &o[2], &o[3],
                                     &o[4], &o[5])) {
        return NULL;
    }
    PyArrayObject *modes = array_in(o[2], "modes", NPY_INT32, 1, (npy_intp[]){ANY});
    PyArrayObject *time = modes ? doubles_in(o[4], "time", 1, (npy_intp[]){ANY}) : NULL;
    if (!time) {
        return NULL;
    }
    npy_intp bones = PyArray_DIM(modes, 0);
    npy_intp frames = PyArray_DIM(time, 0);
    PyArrayObject *rest = doubles_in(o[0], "rest", 3, (npy_intp[]){bones, 4, 4});
    PyArrayObject *flags = rest ? array_in(o[1], "flags", NPY_UINT32, 1, &bones) : NULL;
    PyArrayObject *channels = flags ? floats_in(o[3], "channels", 3, (npy_intp[]){bones, 10, frames}) : NULL;
    amble_ground_move move;
    _Static_assert(sizeof move == 18 * sizeof(double), "a number for every field");
    const double *numbers = channels ? vector_in(o[5], "move", 18) : NULL;
    PyArrayObject *out = numbers ? copy_of(channels) : NULL;
    if (!out) {
        return NULL;
    }
    memcpy(&move, numbers, sizeof move);
    amble_error error;
    WITHOUT_GIL(error, amble_move_ground(&move, bones, DATA(rest), DATA(flags), DATA(modes), frames,
                                         DATA(time), DATA(out)));
    return raise_error(error) < 0 ? release_all(&out, 1) : (PyObject *)out;
}

PyDoc_STRVAR(
    track_peaks_doc,
    "track_peaks(points)\n--\n\n"
    "Largest speed, change of speed and change of that of any point, per frame, frame^2, frame^3.\n\n"
    "points: float32 (count, 3, frames), evenly spaced. Returns float64 (3,).\n"
    "Raises ValueError or TypeError naming the argument.");

static PyObject *track_peaks(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"points", NULL};
    PyObject *object;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:track_peaks", names, &object)) {
        return NULL;
    }
    PyArrayObject *points = floats_in(object, "points", 3, (npy_intp[]){ANY, 3, ANY});
    PyArrayObject *out = points ? array_new("points", NPY_FLOAT64, 1, (npy_intp[]){3}) : NULL;
    if (out) {
        Py_BEGIN_ALLOW_THREADS;
        amble_track_peaks(PyArray_DIM(points, 0), PyArray_DIM(points, 2), DATA(points), DATA(out));
        Py_END_ALLOW_THREADS;
    }
    return (PyObject *)out;
}

PyDoc_STRVAR(
    pose_features_doc,
    "pose_features(pose, stand, rest, joints, up, reach)\n--\n\n"
    "What poses are compared by: places of joints beside a stand, and the ways that they go.\n\n"
    "pose: float32 (bones, 12, frames) of forward_kinematics. stand: bone whose place on the ground\n"
    "    and heading count for nothing; rest: float64 (4, 4), its rest matrix.\n"
    "joints: int32 (count,), bones. up: float64 (3,). reach: frames of speed that count as a way.\n\n"
    "Returns float32 (6 * count, frames). Raises ValueError or TypeError naming the argument.");

static PyObject *pose_features(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"pose", "stand", "rest", "joints", "up", "reach", NULL};
    PyObject *o[6];
    int stand;
    double reach;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOO:pose_features", names, &o[0], &o[1], &o[2], &o[3],
                                     &o[4], &o[5])) {
        return NULL;
    }
    PyArrayObject *pose = floats_in(o[0], "pose", 3, (npy_intp[]){ANY, 12, ANY});
    PyArrayObject *rest = pose ? doubles_in(o[2], "rest", 2, (npy_intp[]){4, 4}) : NULL;
    PyArrayObject *joints = rest ? array_in(o[3], "joints", NPY_INT32, 1, (npy_intp[]){ANY}) : NULL;
    const double *up = joints ? vector_in(o[4], "up", 3) : NULL;
    if (!up || int_in(o[1], "stand", &stand) < 0 || number_in(o[5], "reach", &reach) < 0) {
        return NULL;
    }
    npy_intp count = PyArray_DIM(joints, 0);
    npy_intp frames = PyArray_DIM(pose, 2);
    PyArrayObject *out = array_new("joints", NPY_FLOAT32, 2, (npy_intp[]){6 * count, frames});
    if (!out) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_pose_features(PyArray_DIM(pose, 0), frames, DATA(pose), stand, DATA(rest), count,
                                           DATA(joints), up, reach, DATA(out)));
    return raise_error(error) < 0 ? release_all(&out, 1) : (PyObject *)out;
}

PyDoc_STRVAR(pose_distances_doc,
             "pose_distances(a, b, weights, share)\n--\n\n"
             "Root of the weighted mean squared distance of every column of a to every column of b.\n\n"
             "a: float32 (rows, n). b: float32 (rows, m). weights: float64 (rows,), 0 or more.\n"
             "share: what the sum is divided by. Returns float32 (n, m).\n"
             "Raises ValueError or TypeError naming the argument.");

static PyObject *pose_distances(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"a", "b", "weights", "share", NULL};
    PyObject *o[4];
    double share;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOO:pose_distances", names, &o[0], &o[1], &o[2],
                                     &o[3])) {
        return NULL;
    }
    PyArrayObject *a = floats_in(o[0], "a", 2, (npy_intp[]){ANY, ANY});
    npy_intp rows = a ? PyArray_DIM(a, 0) : 0;
    PyArrayObject *b = a ? floats_in(o[1], "b", 2, (npy_intp[]){rows, ANY}) : NULL;
    PyArrayObject *weights = b ? doubles_in(o[2], "weights", 1, &rows) : NULL;
    if (!weights || number_in(o[3], "share", &share) < 0) {
        return NULL;
    }
    PyArrayObject *out = array_new("a", NPY_FLOAT32, 2, (npy_intp[]){PyArray_DIM(a, 1), PyArray_DIM(b, 1)});
    if (!out) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_pose_distances(rows, PyArray_DIM(a, 1), DATA(a), PyArray_DIM(b, 1), DATA(b),
                                            DATA(weights), share, DATA(out)));
    return raise_error(error) < 0 ? release_all(&out, 1) : (PyObject *)out;
}

PyDoc_STRVAR(blend_length_doc,
             "blend_length(sizes, speeds, acceleration, jerk)\n--\n\n"
             "The fewest frames in which offsets die away by the inertial curve within two bounds.\n\n"
             "sizes, speeds: float64 (count,), 0 or more, of the offsets and their change per frame.\n"
             "acceleration, jerk: above 0, per frame squared and cubed. Returns a number of frames.\n"
             "Raises ValueError or TypeError naming the argument.");

static PyObject *blend_length(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"sizes", "speeds", "acceleration", "jerk", NULL};
    PyObject *o[4];
    double acceleration;
    double jerk;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOO:blend_length", names, &o[0], &o[1], &o[2], &o[3])) {
        return NULL;
    }
    PyArrayObject *sizes = doubles_in(o[0], "sizes", 1, (npy_intp[]){ANY});
    npy_intp count = sizes ? PyArray_DIM(sizes, 0) : 0;
    PyArrayObject *speeds = sizes ? doubles_in(o[1], "speeds", 1, &count) : NULL;
    if (!speeds || number_in(o[2], "acceleration", &acceleration) < 0 || number_in(o[3], "jerk", &jerk) < 0) {
        return NULL;
    }
    amble_error error;
    double found = 0.0;
    WITHOUT_GIL(error, amble_blend_length(count, DATA(sizes), DATA(speeds), acceleration, jerk, &found));
    return raise_error(error) < 0 ? NULL : PyFloat_FromDouble(found);
}

PyDoc_STRVAR(find_plants_doc,
             "find_plants(points, up, levels, speed, height, shortest, gap)\n--\n\n"
             "When points of feet are planted: slow, and near the ground.\n\n"
             "points: float32 (count, 3, frames), evenly spaced. up: float64 (3,).\n"
             "levels: float64 (count,), the ground under each, along up. speed: per frame.\n"
             "height: above the level. shortest, gap: frames; shorter plants, and gaps in them, are none.\n\n"
             "Returns uint8 (count, frames), 1 or 0. Raises ValueError or TypeError naming the argument.");

static PyObject *find_plants(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"points", "up", "levels", "speed", "height", "shortest", "gap", NULL};
    PyObject *o[7];
    amble_planting rule;
    int shortest;
    int gap;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOOO:find_plants", names, &o[0], &o[1], &o[2], &o[3],
                                     &o[4], &o[5], &o[6])) {
        return NULL;
    }
    PyArrayObject *points = floats_in(o[0], "points", 3, (npy_intp[]){ANY, 3, ANY});
    const double *up = points ? vector_in(o[1], "up", 3) : NULL;
    const double *levels = up ? vector_in(o[2], "levels", PyArray_DIM(points, 0)) : NULL;
    if (!levels || number_in(o[3], "speed", &rule.speed) < 0 || number_in(o[4], "height", &rule.height) < 0 ||
        int_in(o[5], "shortest", &shortest) < 0 || int_in(o[6], "gap", &gap) < 0) {
        return NULL;
    }
    rule.shortest = shortest;
    rule.gap = gap;
    npy_intp shape[2] = {PyArray_DIM(points, 0), PyArray_DIM(points, 2)};
    PyArrayObject *out = array_new("points", NPY_UINT8, 2, shape);
    if (!out) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_find_plants(&rule, shape[0], shape[1], DATA(points), up, levels, DATA(out)));
    return raise_error(error) < 0 ? release_all(&out, 1) : (PyObject *)out;
}

PyDoc_STRVAR(
    foot_way_doc,
    "foot_way(free, held, hold, up, lift, highest)\n--\n\n"
    "The way of a foot that is held in some frames and free in others, without a jolt between.\n\n"
    "free, held: float32 (7, frames), place 3 and orientation 4 (w x y z); held is read where hold is\n"
    "    not 0. hold: uint8 (frames,). up: float64 (3,).\n"
    "lift: rise, of the way along the ground, from one hold to the next; highest: the most.\n\n"
    "Returns float32 (7, frames). Raises ValueError or TypeError naming the argument.");

static PyObject *foot_way(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"free", "held", "hold", "up", "lift", "highest", NULL};
    PyObject *o[6];
    double lift;
    double highest;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOO:foot_way", names, &o[0], &o[1], &o[2], &o[3],
                                     &o[4], &o[5])) {
        return NULL;
    }
    PyArrayObject *loose = floats_in(o[0], "free", 2, (npy_intp[]){7, ANY});
    npy_intp frames = loose ? PyArray_DIM(loose, 1) : 0;
    PyArrayObject *held = loose ? floats_in(o[1], "held", 2, (npy_intp[]){7, frames}) : NULL;
    PyArrayObject *hold = held ? array_in(o[2], "hold", NPY_UINT8, 1, &frames) : NULL;
    const double *up = hold ? vector_in(o[3], "up", 3) : NULL;
    if (!up || number_in(o[4], "lift", &lift) < 0 || number_in(o[5], "highest", &highest) < 0) {
        return NULL;
    }
    PyArrayObject *out = array_new("free", NPY_FLOAT32, 2, (npy_intp[]){7, frames});
    if (!out) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error,
                amble_foot_way(frames, DATA(loose), DATA(held), DATA(hold), up, lift, highest, DATA(out)));
    return raise_error(error) < 0 ? release_all(&out, 1) : (PyObject *)out;
}

#endif

/* The entries that say where and when one motion can go over into another: stands, poses near one another,
 * planted feet. Private to module.c, which includes it.
 */
#ifndef AMBLE_MODULE_BLEND_MATCH_H
#define AMBLE_MODULE_BLEND_MATCH_H

#include "blend_feet.h"
#include "blend_match.h"
#include "blend_root.h"
#include "module_blend.h"

#include <string.h>

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
    "lift: rise, of the way along the ground, from one hold or the first frame to the next; highest:\n"
    "    the most.\n\n"
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

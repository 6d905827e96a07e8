/* The entries of idle in the module. Private to module.c, which includes it. */
#ifndef AMBLE_MODULE_IDLE_H
#define AMBLE_MODULE_IDLE_H

#include "idle.h"
#include "module_pin.h"

#include <stdlib.h>

PyDoc_STRVAR(
    idle_doc,
    "idle(samples, times, turns, moves, *, between, after, held_turns, held_moves, coefficients, set_times,\n"
    "     origins, weights, out=None)\n--\n\n"
    "Differences from base poses laid on held poses of many characters (JP5635161B2).\n\n"
    "samples: int32 (sets,), 2 or more each. times: float64 (all samples,), set after set; of each rising\n"
    "    from 0. turns: float32 (turning, 3, all samples), rotation vectors in radians in each bone's own\n"
    "    axes. moves: float32 (moving, 3, all samples), locations as channels have them.\n"
    "between: int32 (sets,): 0 straight lines, 1 smooth. after: int32 (sets,): what follows the last\n"
    "    sample: 0 the first again, 1 back to it, 2 nothing.\n"
    "held_turns: float32 (characters, turning, 4), w, x, y, z. held_moves: float32 (characters, moving, 3).\n"
    "coefficients: float32 (characters, turning + moving), factor on each bone's change.\n"
    "set_times: float64 (characters, sets, frames), where in each set. origins: float64 (characters, sets),\n"
    "    where a set changes nothing. weights: float32 (characters, sets, frames).\n"
    "out: float32 (characters, turning, 4, frames) to write the turns into, apart from held_turns.\n\n"
    "Returns (turns, moves): float32 (characters, turning, 4, frames), (characters, moving, 3, frames).\n"
    "Raises ValueError or TypeError naming the argument.");

/* The sets that the arrays describe. NULL with an exception. To be freed. */
static amble_idle_set *sets_of(PyArrayObject *samples, PyArrayObject *times, PyArrayObject *turns,
                               PyArrayObject *moves, PyArrayObject *between, PyArrayObject *after) {
    npy_intp count = PyArray_DIM(samples, 0);
    npy_intp total = PyArray_DIM(times, 0);
    const int32_t *sizes = DATA(samples);
    amble_idle_set *sets = malloc((size_t)(count + 1) * sizeof *sets);
    if (!sets) {
        PyErr_NoMemory();
        return NULL;
    }
    npy_intp first = 0;
    for (npy_intp i = 0; i < count; i++) {
        if (sizes[i] < 0 || sizes[i] > total - first) {
            first = -1;
            break;
        }
        sets[i] = (amble_idle_set){.samples = sizes[i],
                                   .times = (const double *)DATA(times) + first,
                                   .turns = (const float *)DATA(turns) + first,
                                   .moves = (const float *)DATA(moves) + first,
                                   .stride = total,
                                   .between = (amble_idle_between)((const int32_t *)DATA(between))[i],
                                   .after = (amble_idle_after)((const int32_t *)DATA(after))[i]};
        first += sizes[i];
    }
    if (first != total) {
        PyErr_Format(PyExc_ValueError, "samples must sum to the %zd times", total);
        free(sets);
        return NULL;
    }
    return sets;
}

static PyObject *idle(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"samples",    "times",      "turns",        "moves",     "between", "after",
                            "held_turns", "held_moves", "coefficients", "set_times", "origins", "weights",
                            "out",        NULL};
    enum { SAMPLES, TIMES, TURNS, MOVES, BETWEEN, AFTER, HELD, PLACES, FACTORS, WHEN, ORIGINS, WEIGHTS, IN };
    PyObject *o[IN];
    for (int i = 0; i < IN; i++) {
        o[i] = Py_None; /* what is missing is then no array, which is said */
    }
    PyObject *out_object = Py_None;
    PyArrayObject *a[IN] = {NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOO|$OOOOOOOOO:idle", names, &o[0], &o[1], &o[2], &o[3],
                                     &o[4], &o[5], &o[6], &o[7], &o[8], &o[9], &o[10], &o[11], &out_object)) {
        return NULL;
    }
    a[SAMPLES] = array_in(o[SAMPLES], "samples", NPY_INT32, 1, (npy_intp[]){ANY});
    a[TIMES] = a[SAMPLES] ? doubles_in(o[TIMES], "times", 1, (npy_intp[]){ANY}) : NULL;
    if (!a[TIMES]) {
        return NULL;
    }
    npy_intp sets = PyArray_DIM(a[SAMPLES], 0);
    npy_intp total = PyArray_DIM(a[TIMES], 0);
    a[TURNS] = floats_in(o[TURNS], "turns", 3, (npy_intp[]){ANY, 3, total});
    a[MOVES] = a[TURNS] ? floats_in(o[MOVES], "moves", 3, (npy_intp[]){ANY, 3, total}) : NULL;
    if (!a[MOVES]) {
        return NULL;
    }
    npy_intp turning = PyArray_DIM(a[TURNS], 0);
    npy_intp moving = PyArray_DIM(a[MOVES], 0);
    a[BETWEEN] = array_in(o[BETWEEN], "between", NPY_INT32, 1, &sets);
    a[AFTER] = a[BETWEEN] ? array_in(o[AFTER], "after", NPY_INT32, 1, &sets) : NULL;
    a[HELD] = a[AFTER] ? floats_in(o[HELD], "held_turns", 3, (npy_intp[]){ANY, turning, 4}) : NULL;
    if (!a[HELD]) {
        return NULL;
    }
    npy_intp count = PyArray_DIM(a[HELD], 0);
    a[PLACES] = floats_in(o[PLACES], "held_moves", 3, (npy_intp[]){count, moving, 3});
    a[FACTORS] =
        a[PLACES] ? floats_in(o[FACTORS], "coefficients", 2, (npy_intp[]){count, turning + moving}) : NULL;
    a[WHEN] = a[FACTORS] ? doubles_in(o[WHEN], "set_times", 3, (npy_intp[]){count, sets, ANY}) : NULL;
    if (!a[WHEN]) {
        return NULL;
    }
    npy_intp frames = PyArray_DIM(a[WHEN], 2);
    a[ORIGINS] = doubles_in(o[ORIGINS], "origins", 2, (npy_intp[]){count, sets});
    a[WEIGHTS] = a[ORIGINS] ? floats_in(o[WEIGHTS], "weights", 3, (npy_intp[]){count, sets, frames}) : NULL;
    if (!a[WEIGHTS]) {
        return NULL;
    }
    PyArrayObject *out[2] = {
        array_out(out_object, "held_turns", a[HELD], NPY_FLOAT32, 4, (npy_intp[]){count, turning, 4, frames}),
        NULL};
    out[1] = out[0] ? array_new("set_times", NPY_FLOAT32, 4, (npy_intp[]){count, moving, 3, frames}) : NULL;
    amble_idle_set *list =
        out[1] ? sets_of(a[SAMPLES], a[TIMES], a[TURNS], a[MOVES], a[BETWEEN], a[AFTER]) : NULL;
    if (!list) {
        return release_all(out, 2);
    }
    amble_idle_characters characters = {.count = count,
                                        .held_turns = DATA(a[HELD]),
                                        .held_moves = DATA(a[PLACES]),
                                        .coefficients = DATA(a[FACTORS]),
                                        .times = DATA(a[WHEN]),
                                        .origins = DATA(a[ORIGINS]),
                                        .weights = DATA(a[WEIGHTS])};
    amble_error error;
    WITHOUT_GIL(error,
                amble_idle(turning, moving, sets, list, &characters, frames, DATA(out[0]), DATA(out[1])));
    free(list);
    if (raise_error(error) < 0) {
        return release_all(out, 2);
    }
    return tuple_of(out, 2);
}

PyDoc_STRVAR(
    idle_coefficients_doc,
    "idle_coefficients(base, held, *, least, most)\n--\n\n"
    "How much farther joints are opened in a held pose than in the base pose: held / base.\n\n"
    "base, held: float64 (n,), angles, signs of no account. least: over 0, angles count as no smaller\n"
    "than this. most: 1 or more, the largest factor.\n\n"
    "Returns float64 (n,). Raises ValueError or TypeError naming the argument.");

static PyObject *idle_coefficients(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"base", "held", "least", "most", NULL};
    PyObject *o[4];
    double least = 0.0;
    double most = 0.0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO$OO:idle_coefficients", names, &o[0], &o[1], &o[2],
                                     &o[3])) {
        return NULL;
    }
    PyArrayObject *base = doubles_in(o[0], "base", 1, (npy_intp[]){ANY});
    PyArrayObject *held = base ? doubles_in(o[1], "held", 1, PyArray_DIMS(base)) : NULL;
    if (!held || number_in(o[2], "least", &least) < 0 || number_in(o[3], "most", &most) < 0) {
        return NULL;
    }
    PyArrayObject *out = array_new("base", NPY_FLOAT64, 1, PyArray_DIMS(base));
    if (out && raise_error(amble_idle_coefficients(PyArray_DIM(base, 0), DATA(base), DATA(held), least, most,
                                                   DATA(out))) < 0) {
        return release_all(&out, 1);
    }
    return (PyObject *)out;
}

PyDoc_STRVAR(
    joint_angles_doc,
    "joint_angles(parents, rest, flags, pose)\n--\n\n"
    "Angles between each bone's direction and its parent's: 0 where a joint is straight.\n\n"
    "parents, rest, flags: the skeleton, as in forward_kinematics. pose: float32 (bones, 12), rows of\n"
    "each matrix.\n\n"
    "Returns float64 (bones,), radians; 0 where there is no parent. Raises ValueError or TypeError\n"
    "naming the argument.");

static PyObject *joint_angles(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"parents", "rest", "flags", "pose", NULL};
    PyObject *o[4];
    amble_skeleton skeleton;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOO:joint_angles", names, &o[0], &o[1], &o[2], &o[3]) ||
        skeleton_in(o[0], o[1], o[2], &skeleton) < 0 || raise_error(amble_check_skeleton(&skeleton)) < 0) {
        return NULL;
    }
    PyArrayObject *pose = floats_in(o[3], "pose", 2, (npy_intp[]){skeleton.bones, 12});
    PyArrayObject *out = pose ? array_new("parents", NPY_FLOAT64, 1, (npy_intp[]){skeleton.bones}) : NULL;
    if (out) {
        amble_idle_joint_angles(&skeleton, DATA(pose), DATA(out));
    }
    return (PyObject *)out;
}

PyDoc_STRVAR(
    idle_clocks_doc,
    "idle_clocks(time, cycles, phase, variation, seeds)\n--\n\n"
    "Clocks that never tick quite alike, yet close after a whole number of cycles.\n\n"
    "time: float64 (frames,), 1 being the loop's length. cycles: float64 (n,), in that time; whole for a\n"
    "loop. phase: float64 (n,), cycles gone at time 0. variation: float64 (n,), 0 to 0.9, by what share\n"
    "cycles differ in time, and gains from 1. seeds: uint32 (n,).\n\n"
    "Returns (phases, gains): float64 (n, frames), cycles gone; float32 (n, frames), factors on strength.\n"
    "Raises ValueError or TypeError naming the argument.");

static PyObject *idle_clocks(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"time", "cycles", "phase", "variation", "seeds", NULL};
    PyObject *o[5];
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOO:idle_clocks", names, &o[0], &o[1], &o[2], &o[3],
                                     &o[4])) {
        return NULL;
    }
    PyArrayObject *time = doubles_in(o[0], "time", 1, (npy_intp[]){ANY});
    PyArrayObject *cycles = time ? doubles_in(o[1], "cycles", 1, (npy_intp[]){ANY}) : NULL;
    if (!cycles) {
        return NULL;
    }
    npy_intp count = PyArray_DIM(cycles, 0);
    PyArrayObject *phase = doubles_in(o[2], "phase", 1, &count);
    PyArrayObject *variation = phase ? doubles_in(o[3], "variation", 1, &count) : NULL;
    PyArrayObject *seeds = variation ? array_in(o[4], "seeds", NPY_UINT32, 1, &count) : NULL;
    if (!seeds) {
        return NULL;
    }
    const npy_intp shape[2] = {count, PyArray_DIM(time, 0)};
    PyArrayObject *out[2] = {array_new("time", NPY_FLOAT64, 2, shape),
                             array_new("time", NPY_FLOAT32, 2, shape)};
    amble_idle_clock *clocks = out[0] && out[1] ? malloc((size_t)(count + 1) * sizeof *clocks) : NULL;
    if (!clocks) {
        PyErr_NoMemory();
        return release_all(out, 2);
    }
    for (npy_intp i = 0; i < count; i++) {
        clocks[i] =
            (amble_idle_clock){((const double *)DATA(cycles))[i], ((const double *)DATA(phase))[i],
                               ((const double *)DATA(variation))[i], ((const uint32_t *)DATA(seeds))[i]};
    }
    amble_error error;
    WITHOUT_GIL(error, amble_idle_clocks(count, clocks, shape[1], DATA(time), DATA(out[0]), DATA(out[1])));
    free(clocks);
    if (raise_error(error) < 0) {
        return release_all(out, 2);
    }
    return tuple_of(out, 2);
}

PyDoc_STRVAR(
    idle_layer_doc,
    "idle_layer(held, turns, slopes, factor)\n--\n\n"
    "Differences from held rotations, rotation = held * difference, with factor times the angle: for a\n"
    "layer that is played at 1 / factor, where small angles are rounded.\n\n"
    "held: float32 (n, 4), w, x, y, z. turns, slopes: float32 (n, 4, frames), rotations near those, and\n"
    "their change per frame. factor: 1e-6 to 1e6.\n\n"
    "Returns (differences, changes, largest): float32 (n, 4, frames) twice, unit quaternions and their\n"
    "change per frame; the largest angle before the factor, radians.\n"
    "Raises ValueError or TypeError naming the argument.");

static PyObject *idle_layer(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"held", "turns", "slopes", "factor", NULL};
    PyObject *o[4];
    double factor = 1.0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOO:idle_layer", names, &o[0], &o[1], &o[2], &o[3])) {
        return NULL;
    }
    PyArrayObject *held = floats_in(o[0], "held", 2, (npy_intp[]){ANY, 4});
    PyArrayObject *turns =
        held ? floats_in(o[1], "turns", 3, (npy_intp[]){PyArray_DIM(held, 0), 4, ANY}) : NULL;
    PyArrayObject *slopes = turns ? floats_in(o[2], "slopes", 3, PyArray_DIMS(turns)) : NULL;
    if (!slopes || number_in(o[3], "factor", &factor) < 0) {
        return NULL;
    }
    PyArrayObject *out[2] = {array_new("turns", NPY_FLOAT32, 3, PyArray_DIMS(turns)), NULL};
    out[1] = out[0] ? array_new("turns", NPY_FLOAT32, 3, PyArray_DIMS(turns)) : NULL;
    if (!out[1]) {
        return release_all(out, 2);
    }
    double largest;
    amble_error error;
    WITHOUT_GIL(error, amble_idle_layer(PyArray_DIM(turns, 0), PyArray_DIM(turns, 2), DATA(held), DATA(turns),
                                        DATA(slopes), factor, DATA(out[0]), DATA(out[1]), &largest));
    if (raise_error(error) < 0) {
        return release_all(out, 2);
    }
    return Py_BuildValue("(NNd)", out[0], out[1], largest);
}

#endif

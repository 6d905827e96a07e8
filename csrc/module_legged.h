/* The entries of the module for gaits on any number of legs. Private to module.c, which includes it. */
#ifndef AMBLE_MODULE_LEGGED_H
#define AMBLE_MODULE_LEGGED_H

#include "legged.h"

#include <string.h>

static const char *const footfall_names[] = {"leg", "strike",  "heel_off", "off",      "x",       "y",
                                             "z",   "heading", "normal_x", "normal_y", "normal_z"};
_Static_assert(sizeof footfall_names / sizeof *footfall_names == AMBLE_FOOTFALL_FIELDS,
               "a name for every field");

/* In the order of amble_legged_kind. */
static const char *const legged_kind_names[] = {"root", "pelvis", "trunk", "neck", "tail", "shoulder", "leg"};
_Static_assert(sizeof legged_kind_names / sizeof *legged_kind_names == AMBLE_LEGGED_KINDS,
               "a name for every kind");

#define LEGGED_ARGUMENTS_DOC                                                                                 \
    "parents, rest, flags: the skeleton, as in forward_kinematics.\n"                                        \
    "parts: int32 (n, 3), bone, what it is (its place in LEGGED_KINDS), and of which leg; each leg's "       \
    "bones\n"                                                                                                \
    "    from its joint on, the foot last. weight: float64 (n,), as amble_legged_kind says of each kind.\n"  \
    "girdles: int32 (legs,), 0 the hindmost. soles: float64 (legs, 2, 3), heel and tip at rest.\n"           \
    "followers, mixed, share, forward, up, ground: as in gait.\n"                                            \
    "settings: float64 (len(LEGGED_SETTINGS),), in the order of LEGGED_SETTINGS (name, default, low, "       \
    "high).\n"                                                                                               \
    "start, step: seconds of the way's first sample, and between two. place: float64 (2, samples), "         \
    "forward\n"                                                                                              \
    "    and left. facing, rate, flex: float64 (samples,): radians to the left; strides a second; radians\n" \
    "    that the back bends. offset, duty: float64 (legs, samples), in strides.\n"

PyDoc_STRVAR(
    legged_plan_doc,
    "legged_plan(parents, rest, flags, *, parts, weight, girdles, soles, followers, mixed, share,\n"
    "            forward, up, ground, settings, start, step, place, facing, rate, offset, duty, flex)\n"
    "--\n\n"
    "The footfalls of a gait on any number of legs, over level ground.\n\n" LEGGED_ARGUMENTS_DOC
    "\nReturns float64 (footfalls, len(FOOTFALL)), by leg, then in time, columns as FOOTFALL names\n"
    "them: the times in seconds.\n"
    "Raises ValueError or TypeError naming the argument.");

PyDoc_STRVAR(
    legged_pose_doc,
    "legged_pose(parents, rest, flags, *, parts, weight, girdles, soles, followers, mixed, share,\n"
    "            forward, up, ground, settings, start, step, place, facing, rate, offset, duty, flex,\n"
    "            footfalls, travel, time)\n"
    "--\n\n"
    "Motion of a body on any number of legs.\n\n" LEGGED_ARGUMENTS_DOC
    "footfalls: as legged_plan gives them; places, headings and normals may be others.\n"
    "travel: true: the root bone, or where there is none the pelvis, moves along the way.\n"
    "time: float64 (frames,), seconds.\n\n"
    "Returns (bones, motion, slope, track, lack): as of gait(); float64 (4, frames), forward, left, up,\n"
    "facing of the body on its way; float64 (frames,), how far, of its length, a leg misses its foot.\n"
    "Raises ValueError or TypeError naming the argument.");

enum {
    L_PARENTS,
    L_REST,
    L_FLAGS,
    L_PARTS,
    L_WEIGHT,
    L_GIRDLES,
    L_SOLES,
    L_FOLLOWERS,
    L_MIXED,
    L_SHARE,
    L_FORWARD,
    L_UP,
    L_GROUND,
    L_SETTINGS,
    L_START,
    L_STEP,
    L_PLACE,
    L_FACING,
    L_RATE,
    L_OFFSET,
    L_DUTY,
    L_FLEX,
    L_ARGUMENTS
};
#define L_NAMES                                                                                              \
    "parents", "rest", "flags", "parts", "weight", "girdles", "soles", "followers", "mixed", "share",        \
        "forward", "up", "ground", "settings", "start", "step", "place", "facing", "rate", "offset", "duty", \
        "flex"
#define L_FORMAT "OOO$OOOOOOOOOOOOOOOOOOO"
#define L_POINTERS(o)                                                                                        \
    &(o)[L_PARENTS], &(o)[L_REST], &(o)[L_FLAGS], &(o)[L_PARTS], &(o)[L_WEIGHT], &(o)[L_GIRDLES],            \
        &(o)[L_SOLES], &(o)[L_FOLLOWERS], &(o)[L_MIXED], &(o)[L_SHARE], &(o)[L_FORWARD], &(o)[L_UP],         \
        &(o)[L_GROUND], &(o)[L_SETTINGS], &(o)[L_START], &(o)[L_STEP], &(o)[L_PLACE], &(o)[L_FACING],        \
        &(o)[L_RATE], &(o)[L_OFFSET], &(o)[L_DUTY], &(o)[L_FLEX]

/* What body, settings and way are told by. */
typedef struct legged_in {
    amble_skeleton skeleton;
    amble_legged_body body;
    amble_legged_way way;
    const double *value;
} legged_in;

/* Borrows from the first L_ARGUMENTS of o. -1 with an exception. */
static int legged_take_arguments(PyObject **o, char **names, legged_in *in) {
    PyArrayObject *a[L_ARGUMENTS] = {NULL};
    const int sized[][2] = {{L_PARENTS, NPY_INT32},
                            {L_GIRDLES, NPY_INT32},
                            {L_WEIGHT, NPY_FLOAT64},
                            {L_SHARE, NPY_FLOAT64},
                            {L_RATE, NPY_FLOAT64}};
    for (size_t i = 0; i < sizeof sized / sizeof *sized; i++) {
        int k = sized[i][0];
        a[k] = sized[i][1] == NPY_INT32 ? array_in(o[k], names[k], NPY_INT32, 1, (npy_intp[]){ANY})
                                        : doubles_in(o[k], names[k], 1, (npy_intp[]){ANY});
        if (!a[k]) {
            return -1;
        }
    }
    npy_intp bones = PyArray_DIM(a[L_PARENTS], 0);
    npy_intp legs = PyArray_DIM(a[L_GIRDLES], 0);
    npy_intp parts = PyArray_DIM(a[L_WEIGHT], 0);
    npy_intp mixed = PyArray_DIM(a[L_SHARE], 0);
    npy_intp samples = PyArray_DIM(a[L_RATE], 0);
    const struct {
        int argument, type, dims;
        npy_intp shape[3];
    } wanted[] = {{L_REST, NPY_FLOAT64, 3, {bones, 4, 4}},
                  {L_FLAGS, NPY_UINT32, 1, {bones}},
                  {L_PARTS, NPY_INT32, 2, {parts, 3}},
                  {L_SOLES, NPY_FLOAT64, 3, {legs, 2, 3}},
                  {L_FOLLOWERS, NPY_INT32, 2, {ANY, 2}},
                  {L_MIXED, NPY_INT32, 2, {mixed, 3}},
                  {L_FORWARD, NPY_FLOAT64, 1, {3}},
                  {L_UP, NPY_FLOAT64, 1, {3}},
                  {L_SETTINGS, NPY_FLOAT64, 1, {AMBLE_LEGGED_SETTINGS}},
                  {L_PLACE, NPY_FLOAT64, 2, {2, samples}},
                  {L_FACING, NPY_FLOAT64, 1, {samples}},
                  {L_OFFSET, NPY_FLOAT64, 2, {legs, samples}},
                  {L_DUTY, NPY_FLOAT64, 2, {legs, samples}},
                  {L_FLEX, NPY_FLOAT64, 1, {samples}}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        int k = wanted[i].argument;
        a[k] = wanted[i].type == NPY_FLOAT64
                   ? doubles_in(o[k], names[k], wanted[i].dims, wanted[i].shape)
                   : array_in(o[k], names[k], wanted[i].type, wanted[i].dims, wanted[i].shape);
        if (!a[k]) {
            return -1;
        }
    }
    in->skeleton = (amble_skeleton){
        .bones = bones, .parents = DATA(a[L_PARENTS]), .rest = DATA(a[L_REST]), .flags = DATA(a[L_FLAGS])};
    in->body = (amble_legged_body){.skeleton = &in->skeleton,
                                   .parts = parts,
                                   .part = DATA(a[L_PARTS]),
                                   .weight = DATA(a[L_WEIGHT]),
                                   .legs = legs,
                                   .girdle = DATA(a[L_GIRDLES]),
                                   .sole = DATA(a[L_SOLES]),
                                   .followers = PyArray_DIM(a[L_FOLLOWERS], 0),
                                   .follower = DATA(a[L_FOLLOWERS]),
                                   .mixed = mixed,
                                   .mix = DATA(a[L_MIXED]),
                                   .share = DATA(a[L_SHARE])};
    in->way = (amble_legged_way){.samples = samples,
                                 .place = DATA(a[L_PLACE]),
                                 .facing = DATA(a[L_FACING]),
                                 .rate = DATA(a[L_RATE]),
                                 .offset = DATA(a[L_OFFSET]),
                                 .duty = DATA(a[L_DUTY]),
                                 .flex = DATA(a[L_FLEX])};
    in->value = DATA(a[L_SETTINGS]);
    memcpy(in->body.forward, DATA(a[L_FORWARD]), sizeof in->body.forward);
    memcpy(in->body.up, DATA(a[L_UP]), sizeof in->body.up);
    if (number_in(o[L_GROUND], "ground", &in->body.ground) < 0 ||
        number_in(o[L_START], "start", &in->way.start) < 0 ||
        number_in(o[L_STEP], "step", &in->way.step) < 0) {
        return -1;
    }
    return 0;
}

static PyObject *legged_plan(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {L_NAMES, NULL};
    PyObject *o[L_ARGUMENTS];
    legged_in in;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, L_FORMAT ":legged_plan", names, L_POINTERS(o)) ||
        legged_take_arguments(o, names, &in) < 0) {
        return NULL;
    }
    int64_t count = 0;
    amble_error error;
    WITHOUT_GIL(error, amble_legged_plan(&in.body, in.value, &in.way, 0, NULL, &count));
    if (raise_error(error) < 0) {
        return NULL;
    }
    PyArrayObject *out = array_new("rate", NPY_FLOAT64, 2, (npy_intp[]){count, AMBLE_FOOTFALL_FIELDS});
    if (!out) {
        return NULL;
    }
    WITHOUT_GIL(error, amble_legged_plan(&in.body, in.value, &in.way, count, DATA(out), &count));
    if (raise_error(error) < 0) {
        return release_all(&out, 1);
    }
    return (PyObject *)out;
}

static PyObject *legged_pose(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    enum { FOOTFALLS = L_ARGUMENTS, TIME, ARGUMENTS };
    static char *names[] = {L_NAMES, "footfalls", "travel", "time", NULL};
    PyObject *o[ARGUMENTS];
    legged_in in;
    int travel = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, L_FORMAT "OpO:legged_pose", names, L_POINTERS(o),
                                     &o[FOOTFALLS], &travel, &o[TIME]) ||
        legged_take_arguments(o, names, &in) < 0) {
        return NULL;
    }
    PyArrayObject *falls = doubles_in(o[FOOTFALLS], "footfalls", 2, (npy_intp[]){ANY, AMBLE_FOOTFALL_FIELDS});
    PyArrayObject *time = falls ? doubles_in(o[TIME], "time", 1, (npy_intp[]){ANY}) : NULL;
    int64_t moved = 0;
    if (!time || raise_error(amble_legged_count(&in.body, &moved)) < 0) {
        return NULL;
    }
    npy_intp frames = PyArray_DIM(time, 0);
    PyArrayObject *out[5] = {array_new("parents", NPY_INT32, 1, (npy_intp[]){moved}),
                             array_new("time", NPY_FLOAT32, 3, (npy_intp[]){moved, 10, frames}),
                             array_new("time", NPY_FLOAT32, 3, (npy_intp[]){moved, 10, frames}),
                             array_new("time", NPY_FLOAT64, 2, (npy_intp[]){4, frames}),
                             array_new("time", NPY_FLOAT64, 1, &frames)};
    if (!out[0] || !out[1] || !out[2] || !out[3] || !out[4]) {
        return release_all(out, 5);
    }
    amble_gait_result result = {.bones = DATA(out[0]), .motion = DATA(out[1]), .slope = DATA(out[2])};
    amble_error error;
    WITHOUT_GIL(error, amble_legged_pose(&in.body, in.value, &in.way, PyArray_DIM(falls, 0), DATA(falls),
                                         travel, frames, DATA(time), &result, DATA(out[3]), DATA(out[4])));
    if (raise_error(error) < 0) {
        return release_all(out, 5);
    }
    return tuple_of(out, 5);
}

/* A tuple of names. A new reference. */
static PyObject *names_tuple(const char *const *names, size_t count) {
    PyObject *tuple = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; tuple && i < count; i++) {
        PyObject *item = PyUnicode_FromString(names[i]);
        if (!item || PyTuple_SetItem(tuple, (Py_ssize_t)i, item) < 0) {
            Py_CLEAR(tuple);
        }
    }
    return tuple;
}

/* LEGGED_SETTINGS, LEGGED_KINDS and FOOTFALL. -1 with an exception. */
static int add_legged_constants(PyObject *module) {
    PyObject *settings = PyTuple_New(AMBLE_LEGGED_SETTINGS);
    PyObject *kinds = names_tuple(legged_kind_names, sizeof legged_kind_names / sizeof *legged_kind_names);
    PyObject *footfall = names_tuple(footfall_names, sizeof footfall_names / sizeof *footfall_names);
    int good = settings && kinds && footfall;
    for (int i = 0; good && i < AMBLE_LEGGED_SETTINGS; i++) {
        const amble_gait_option_info *option = amble_legged_option(i);
        PyObject *item = Py_BuildValue("(sddd)", option->name, option->initial, option->low, option->high);
        good = item && PyTuple_SetItem(settings, i, item) == 0;
    }
    good = good && PyModule_AddObjectRef(module, "LEGGED_SETTINGS", settings) == 0 &&
           PyModule_AddObjectRef(module, "LEGGED_KINDS", kinds) == 0 &&
           PyModule_AddObjectRef(module, "FOOTFALL", footfall) == 0;
    Py_XDECREF(settings);
    Py_XDECREF(kinds);
    Py_XDECREF(footfall);
    return good ? 0 : -1;
}

#endif

/* The entry `gait` of the module and its constants. Private to module.c, which includes it. */
#ifndef AMBLE_MODULE_GAIT_H
#define AMBLE_MODULE_GAIT_H

#include "gait.h"

#include <string.h>

/* Fields of amble_gait_summary in the order in which they lie there: all of it is doubles. */
static const char *const gait_summary_names[] = {
    "cycle", "stride",   "duty",      "step_width", "leg_length", "vn",  "pelvis_height",
    "flat",  "heel_off", "heel_lift", "ball_off",   "reach",      "gait"};
enum { GAIT_SUMMARY = sizeof gait_summary_names / sizeof *gait_summary_names };
_Static_assert(sizeof(amble_gait_summary) == GAIT_SUMMARY * sizeof(double), "a name for every field");

PyDoc_STRVAR(
    gait_doc,
    "gait(parents, rest, flags, *, pelvis, root, spine, neck, legs, soles, leg_phase, arms, hands,\n"
    "     followers, mixed, share, forward, up, ground, settings, travel, time)\n--\n\n"
    "A planted walk or run at constant speed on flat ground, for a whole body.\n\n"
    "parents, rest, flags: the skeleton, as in forward_kinematics.\n"
    "pelvis: bone that carries hips and trunk. root: bone that travels, or -1.\n"
    "spine: int32 (n,), bones above the pelvis up to the chest. neck: int32 (n,), from there to the head.\n"
    "legs: int32 (2, 4), left and right: thigh, shin, foot, toe (-1: none); with shin, foot and toe -1 in\n"
    "    both the thigh is all of the leg, down to its sole, and the body walks without knees.\n"
    "soles: float64 (2, 3, 3), armature space: heel, ball and toe tip of each foot at rest.\n"
    "leg_phase: float64 (2,), heel strike of each leg, 0 to 1 of a stride.\n"
    "arms: int32 (2, 2), upper arm and forearm (-1, -1: none). hands: float64 (2, 3), the wrists at rest.\n"
    "followers: int32 (n, 2), bones that share another bone's motion from rest (controls of an IK rig),\n"
    "    and the bones that they follow; only followers may hang from a follower.\n"
    "mixed: int32 (n, 3), bones that two others move in shares (-1: what stands still), and those; only\n"
    "    followers may hang from them. share: float64 (n,), of the second of the two, 0 to 1.\n"
    "forward, up: float64 (3,), unit vectors in armature space. ground: coordinate along up.\n"
    "settings: float64 (len(GAIT_SETTINGS),), in the order of GAIT_SETTINGS (name, default, low, high).\n"
    "travel: false: in place; true: the root bone, else the pelvis, moves on.\n"
    "time: float64 (frames,), seconds.\n\n"
    "Returns (bones, motion, slope, summary): int32 (n,) bones that move, parents first; float32\n"
    "(n, 10, frames) location, quaternion (w, x, y, z), scale; their derivatives a second; float64\n"
    "(len(GAIT_SUMMARY),) named by GAIT_SUMMARY; without frames only its gait, vn, cycle, stride, duty and\n"
    "leg_length are worked out.\n"
    "Raises ValueError or TypeError naming the argument.");

static void copy_legs(amble_gait_body *body, const int32_t *legs, const double *soles, const double *phase,
                      const int32_t *arms, const double *hands) {
    for (int i = 0; i < 2; i++, legs += 4, soles += 9, arms += 2, hands += 3) {
        amble_gait_leg *leg = &body->leg[i];
        *leg = (amble_gait_leg){
            .thigh = legs[0], .shin = legs[1], .foot = legs[2], .toe = legs[3], .phase = phase[i]};
        memcpy(leg->heel, soles, sizeof leg->heel);
        memcpy(leg->ball, soles + 3, sizeof leg->ball);
        memcpy(leg->tip, soles + 6, sizeof leg->tip);
        body->arm[i] = (amble_gait_arm){.upper = arms[0], .fore = arms[1]};
        memcpy(body->arm[i].hand, hands, sizeof body->arm[i].hand);
    }
}

/* The arguments that a body is told by, in the order in which they are parsed. */
enum {
    PARENTS,
    REST,
    FLAGS,
    PELVIS,
    ROOT,
    SPINE,
    NECK,
    LEGS,
    SOLES,
    PHASE,
    ARMS,
    HANDS,
    FOLLOWERS,
    MIXED,
    SHARE,
    FORWARD,
    UP,
    GROUND,
    BODY_ARGUMENTS
};
#define BODY_NAMES                                                                                           \
    "parents", "rest", "flags", "pelvis", "root", "spine", "neck", "legs", "soles", "leg_phase", "arms",     \
        "hands", "followers", "mixed", "share", "forward", "up", "ground"
/* For PyArg_ParseTupleAndKeywords(): how they are parsed, and where to. */
#define BODY_FORMAT "OOO$OOOOOOOOOOOOOOO"
#define BODY_POINTERS(o)                                                                                     \
    &(o)[PARENTS], &(o)[REST], &(o)[FLAGS], &(o)[PELVIS], &(o)[ROOT], &(o)[SPINE], &(o)[NECK], &(o)[LEGS],   \
        &(o)[SOLES], &(o)[PHASE], &(o)[ARMS], &(o)[HANDS], &(o)[FOLLOWERS], &(o)[MIXED], &(o)[SHARE],        \
        &(o)[FORWARD], &(o)[UP], &(o)[GROUND]

/* The body that the first BODY_ARGUMENTS of o tell; it borrows from them. -1 with an exception. */
static int body_in(PyObject **o, char **names, amble_skeleton *skeleton, amble_gait_body *body) {
    PyArrayObject *a[BODY_ARGUMENTS] = {NULL};
    a[PARENTS] = array_in(o[PARENTS], names[PARENTS], NPY_INT32, 1, (npy_intp[]){ANY});
    npy_intp bones = a[PARENTS] ? PyArray_DIM(a[PARENTS], 0) : 0;
    a[MIXED] = array_in(o[MIXED], names[MIXED], NPY_INT32, 2, (npy_intp[]){ANY, 3});
    npy_intp mixed = a[MIXED] ? PyArray_DIM(a[MIXED], 0) : 0;
    /* What shape each of the others has, and whether it holds doubles or bones. */
    const struct {
        int argument, type, dims;
        npy_intp shape[3];
    } wanted[] = {{REST, NPY_FLOAT64, 3, {bones, 4, 4}},
                  {FLAGS, NPY_UINT32, 1, {bones}},
                  {SPINE, NPY_INT32, 1, {ANY}},
                  {NECK, NPY_INT32, 1, {ANY}},
                  {LEGS, NPY_INT32, 2, {2, 4}},
                  {SOLES, NPY_FLOAT64, 3, {2, 3, 3}},
                  {PHASE, NPY_FLOAT64, 1, {2}},
                  {ARMS, NPY_INT32, 2, {2, 2}},
                  {HANDS, NPY_FLOAT64, 2, {2, 3}},
                  {FOLLOWERS, NPY_INT32, 2, {ANY, 2}},
                  {SHARE, NPY_FLOAT64, 1, {mixed}},
                  {FORWARD, NPY_FLOAT64, 1, {3}},
                  {UP, NPY_FLOAT64, 1, {3}}};
    if (!a[PARENTS] || !a[MIXED]) {
        return -1;
    }
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        int k = wanted[i].argument;
        a[k] = wanted[i].type == NPY_FLOAT64
                   ? doubles_in(o[k], names[k], wanted[i].dims, wanted[i].shape)
                   : array_in(o[k], names[k], wanted[i].type, wanted[i].dims, wanted[i].shape);
        if (!a[k]) {
            return -1;
        }
    }
    *skeleton = (amble_skeleton){
        .bones = bones, .parents = DATA(a[PARENTS]), .rest = DATA(a[REST]), .flags = DATA(a[FLAGS])};
    *body = (amble_gait_body){.skeleton = skeleton,
                              .spine_count = PyArray_DIM(a[SPINE], 0),
                              .spine = DATA(a[SPINE]),
                              .neck_count = PyArray_DIM(a[NECK], 0),
                              .neck = DATA(a[NECK]),
                              .followers = PyArray_DIM(a[FOLLOWERS], 0),
                              .follower = DATA(a[FOLLOWERS]),
                              .mixed = mixed,
                              .mix = DATA(a[MIXED]),
                              .share = DATA(a[SHARE])};
    if (int_in(o[PELVIS], "pelvis", &body->pelvis) < 0 || int_in(o[ROOT], "root", &body->root) < 0 ||
        number_in(o[GROUND], "ground", &body->ground) < 0) {
        return -1;
    }
    copy_legs(body, DATA(a[LEGS]), DATA(a[SOLES]), DATA(a[PHASE]), DATA(a[ARMS]), DATA(a[HANDS]));
    memcpy(body->forward, DATA(a[FORWARD]), sizeof body->forward);
    memcpy(body->up, DATA(a[UP]), sizeof body->up);
    return 0;
}

static PyObject *gait(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    enum { SETTINGS = BODY_ARGUMENTS, TRAVEL, TIME, ARGUMENTS };
    static char *names[] = {BODY_NAMES, "settings", "travel", "time", NULL};
    PyObject *o[ARGUMENTS];
    int travel = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, BODY_FORMAT "OpO:gait", names, BODY_POINTERS(o),
                                     &o[SETTINGS], &travel, &o[TIME])) {
        return NULL;
    }
    amble_skeleton skeleton;
    amble_gait_body body;
    if (body_in(o, names, &skeleton, &body) < 0) {
        return NULL;
    }
    PyArrayObject *settings = doubles_in(o[SETTINGS], names[SETTINGS], 1, (npy_intp[]){AMBLE_GAIT_SETTINGS});
    PyArrayObject *time = settings ? doubles_in(o[TIME], names[TIME], 1, (npy_intp[]){ANY}) : NULL;
    if (!time) {
        return NULL;
    }

    int64_t moved = 0;
    amble_error error = amble_gait_count(&body, &moved);
    if (raise_error(error) < 0) {
        return NULL;
    }
    npy_intp frames = PyArray_DIM(time, 0);
    npy_intp summary_size = GAIT_SUMMARY;
    PyArrayObject *out[4] = {array_new("parents", NPY_INT32, 1, (npy_intp[]){moved}),
                             array_new("time", NPY_FLOAT32, 3, (npy_intp[]){moved, 10, frames}),
                             array_new("time", NPY_FLOAT32, 3, (npy_intp[]){moved, 10, frames}),
                             array_new("parents", NPY_FLOAT64, 1, &summary_size)};
    if (!out[0] || !out[1] || !out[2] || !out[3]) {
        return release_all(out, 4);
    }
    amble_gait_result result = {
        .bones = DATA(out[0]), .motion = DATA(out[1]), .slope = DATA(out[2]), .summary = DATA(out[3])};
    WITHOUT_GIL(error, amble_gait(&body, DATA(settings), travel, frames, DATA(time), &result));
    if (raise_error(error) < 0) {
        return release_all(out, 4);
    }
    return tuple_of(out, 4);
}

/* GAIT_TUNING: (name, value) of every figure that no source gives. A new reference. */
static PyObject *tuning_tuple(void) {
    Py_ssize_t count = 0;
    while (amble_gait_tuning(count).name) {
        count++;
    }
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple && i < count; i++) {
        amble_gait_figure figure = amble_gait_tuning(i);
        PyObject *item = Py_BuildValue("(sd)", figure.name, figure.value);
        if (!item || PyTuple_SetItem(tuple, i, item) < 0) {
            Py_CLEAR(tuple);
        }
    }
    return tuple;
}

/* GAIT_SETTINGS, GAIT_SUMMARY and GAIT_TUNING, so that Python need not repeat them. -1 with an exception. */
static int add_gait_constants(PyObject *module) {
    PyObject *settings = PyTuple_New(AMBLE_GAIT_SETTINGS);
    PyObject *summary = PyTuple_New(GAIT_SUMMARY);
    PyObject *tuning = tuning_tuple();
    int good = settings && summary && tuning;
    for (int i = 0; good && i < AMBLE_GAIT_SETTINGS; i++) {
        const amble_gait_option_info *option = amble_gait_option(i);
        PyObject *item = Py_BuildValue("(sddd)", option->name, option->initial, option->low, option->high);
        good = item && PyTuple_SetItem(settings, i, item) == 0;
    }
    for (int i = 0; good && i < GAIT_SUMMARY; i++) {
        PyObject *item = PyUnicode_FromString(gait_summary_names[i]);
        good = item && PyTuple_SetItem(summary, i, item) == 0;
    }
    good = good && PyModule_AddObjectRef(module, "GAIT_SETTINGS", settings) == 0 &&
           PyModule_AddObjectRef(module, "GAIT_SUMMARY", summary) == 0 &&
           PyModule_AddObjectRef(module, "GAIT_TUNING", tuning) == 0;
    Py_XDECREF(settings);
    Py_XDECREF(summary);
    Py_XDECREF(tuning);
    return good ? 0 : -1;
}

#endif

/* The entries of the module for journeys. Private to module.c, which includes it after module_gait.h.
 *
 * A journey lives in a capsule, which frees it. Its calls keep the GIL but for the making and the posing; one
 * that is being posed must not be changed, which `busy` sees to.
 */
#ifndef AMBLE_MODULE_JOURNEY_H
#define AMBLE_MODULE_JOURNEY_H

#include "journey.h"

typedef struct journey_holder {
    amble_journey *journey;
    int busy; /* how many calls are at it without the GIL */
} journey_holder;

#define JOURNEY_CAPSULE "amble_core.journey"

static void journey_free(PyObject *capsule) {
    journey_holder *holder = PyCapsule_GetPointer(capsule, JOURNEY_CAPSULE);
    if (holder) {
        amble_journey_free(holder->journey);
        PyMem_Free(holder);
    }
}

static journey_holder *journey_in(PyObject *object, int change) {
    if (!PyCapsule_IsValid(object, JOURNEY_CAPSULE)) {
        PyErr_Format(PyExc_TypeError, "journey must come from journey(), not %R",
                     (PyObject *)Py_TYPE(object));
        return NULL;
    }
    journey_holder *holder = PyCapsule_GetPointer(object, JOURNEY_CAPSULE);
    if (holder && change && holder->busy) {
        PyErr_SetString(PyExc_ValueError, "journey is in use by another thread");
        return NULL;
    }
    return holder;
}

PyDoc_STRVAR(
    journey_doc,
    "journey(parents, rest, flags, *, pelvis, root, spine, neck, legs, soles, leg_phase, arms,\n"
    "        hands, followers, mixed, share, forward, up, ground, settings, first, start, step, place,\n"
    "        facing, pace)\n"
    "--\n\n"
    "Plan planted steps along a way over flat ground, for a whole body.\n\n"
    "parents .. settings: as for gait(); speed is the one at which a cycle that is set holds.\n"
    "first: 0 or 1, the leg that takes the first step from a stand.\n"
    "start, step: seconds of the way's first sample, and from one to the next (1e-4 to 1).\n"
    "place: float64 (2, samples), forward and left, in body axes. facing: float64 (samples,),\n"
    "    radians to the left of forward. pace: float64 (samples,), 0.1 to 10, factor on the rate of\n"
    "    strides.\n\n"
    "Returns an object for the journey_* functions.\n"
    "Raises ValueError or TypeError naming the argument.");

static PyObject *journey(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    enum { SETTINGS = BODY_ARGUMENTS, START, STEP, PLACE, FACING, PACE, ARGUMENTS };
    static char *names[] = {BODY_NAMES, "settings", "start", "step", "place",
                            "facing",   "pace",     "first", NULL};
    PyObject *o[ARGUMENTS];
    int first = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, BODY_FORMAT "OOOOOOp:journey", names, BODY_POINTERS(o),
                                     &o[SETTINGS], &o[START], &o[STEP], &o[PLACE], &o[FACING], &o[PACE],
                                     &first)) {
        return NULL;
    }
    amble_skeleton skeleton;
    amble_gait_body body;
    amble_way way;
    if (body_in(o, names, &skeleton, &body) < 0 || number_in(o[START], "start", &way.start) < 0 ||
        number_in(o[STEP], "step", &way.step) < 0) {
        return NULL;
    }
    PyArrayObject *settings = doubles_in(o[SETTINGS], "settings", 1, (npy_intp[]){AMBLE_GAIT_SETTINGS});
    PyArrayObject *place = settings ? doubles_in(o[PLACE], "place", 2, (npy_intp[]){2, ANY}) : NULL;
    npy_intp samples = place ? PyArray_DIM(place, 1) : 0;
    PyArrayObject *facing = place ? doubles_in(o[FACING], "facing", 1, (npy_intp[]){samples}) : NULL;
    PyArrayObject *pace = facing ? doubles_in(o[PACE], "pace", 1, (npy_intp[]){samples}) : NULL;
    if (!pace) {
        return NULL;
    }
    way.samples = samples;
    way.place = DATA(place);
    way.facing = DATA(facing);
    way.pace = DATA(pace);
    journey_holder *holder = PyMem_Calloc(1, sizeof *holder);
    if (!holder) {
        return PyErr_NoMemory();
    }
    amble_error error;
    WITHOUT_GIL(error, amble_journey_new(&body, DATA(settings), &way, first, &holder->journey));
    if (raise_error(error) < 0) {
        PyMem_Free(holder);
        return NULL;
    }
    PyObject *capsule = PyCapsule_New(holder, JOURNEY_CAPSULE, journey_free);
    if (!capsule) {
        amble_journey_free(holder->journey);
        PyMem_Free(holder);
    }
    return capsule;
}

PyDoc_STRVAR(
    journey_plants_doc,
    "journey_plants(journey)\n--\n\n"
    "Footfalls, float64 (plants, 16), columns as named by JOURNEY_PLANT: leg; seconds of touch-down\n"
    "and lift-off (-1e9, 1e9: a foot that stands before, or after, all steps), and from when to\n"
    "when heel, ball and tip are on the ground; place on the ground under the ankle (forward,\n"
    "left, up), heading in radians, normal of the ground.\n"
    "Raises TypeError for what is no journey.");

static PyObject *journey_plants(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"journey", NULL};
    PyObject *capsule;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:journey_plants", names, &capsule)) {
        return NULL;
    }
    journey_holder *holder = journey_in(capsule, 0);
    if (!holder) {
        return NULL;
    }
    npy_intp shape[] = {amble_journey_plants(holder->journey), AMBLE_PLANT_FIELDS};
    PyArrayObject *out = array_new("journey", NPY_FLOAT64, 2, shape);
    if (out) {
        amble_journey_get_plants(holder->journey, DATA(out));
    }
    return (PyObject *)out;
}

PyDoc_STRVAR(journey_stand_doc,
             "journey_stand(journey, plants)\n--\n\n"
             "Give the footfalls other places, headings and normals: float64 (plants, 16), as from\n"
             "journey_plants(), whose other columns are of no account here.\n"
             "Raises ValueError or TypeError naming the argument.");

static PyObject *journey_stand(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"journey", "plants", NULL};
    PyObject *capsule;
    PyObject *given;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:journey_stand", names, &capsule, &given)) {
        return NULL;
    }
    journey_holder *holder = journey_in(capsule, 1);
    if (!holder) {
        return NULL;
    }
    npy_intp shape[] = {amble_journey_plants(holder->journey), AMBLE_PLANT_FIELDS};
    PyArrayObject *plants = doubles_in(given, "plants", 2, shape);
    if (!plants || raise_error(amble_journey_set_plants(holder->journey, DATA(plants))) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(journey_probes_doc,
             "journey_probes(journey)\n--\n\n"
             "Points under the feet that swing, at which the height of the ground matters: float64\n"
             "(2, swings, moments, 3), forward and left, under heel, ball and tip.\n"
             "Raises TypeError for what is no journey.");

static PyObject *journey_probes(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"journey", NULL};
    PyObject *capsule;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:journey_probes", names, &capsule)) {
        return NULL;
    }
    journey_holder *holder = journey_in(capsule, 0);
    if (!holder) {
        return NULL;
    }
    npy_intp shape[] = {2, amble_journey_swings(holder->journey), AMBLE_PROBE_MOMENTS, AMBLE_PROBE_POINTS};
    PyArrayObject *out = array_new("journey", NPY_FLOAT64, 4, shape);
    if (out) {
        amble_journey_get_probes(holder->journey, DATA(out));
    }
    return (PyObject *)out;
}

PyDoc_STRVAR(journey_heights_doc,
             "journey_heights(journey, height)\n--\n\n"
             "Tell the height of the ground at the probes, float64 (swings, moments, 3); feet are lifted\n"
             "to clear it. What the footfalls are given later makes it forget them.\n"
             "Raises ValueError or TypeError naming the argument.");

static PyObject *journey_heights(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"journey", "height", NULL};
    PyObject *capsule;
    PyObject *given;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:journey_heights", names, &capsule, &given)) {
        return NULL;
    }
    journey_holder *holder = journey_in(capsule, 1);
    if (!holder) {
        return NULL;
    }
    npy_intp shape[] = {amble_journey_swings(holder->journey), AMBLE_PROBE_MOMENTS, AMBLE_PROBE_POINTS};
    PyArrayObject *height = doubles_in(given, "height", 3, shape);
    if (!height || raise_error(amble_journey_set_heights(holder->journey, DATA(height))) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(journey_pose_doc,
             "journey_pose(journey, *, travel, time)\n--\n\n"
             "Motion at times in seconds, float64 (frames,), in any order.\n\n"
             "travel: true: the root bone, else the pelvis, carries the body along the way; false: it\n"
             "    stays, and the ground moves under it.\n\n"
             "Returns (bones, motion, slope, summary, track, track_slope): the first four as gait() does,\n"
             "the summary of the steady gait at the first time; float64 (4, frames): where the body is\n"
             "(forward, left, up) and faces (radians), and the same a second.\n"
             "Raises ValueError or TypeError naming the argument.");

static PyObject *journey_pose(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"journey", "travel", "time", NULL};
    PyObject *capsule;
    PyObject *given;
    int travel;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O$pO:journey_pose", names, &capsule, &travel, &given)) {
        return NULL;
    }
    journey_holder *holder = journey_in(capsule, 0);
    PyArrayObject *time = holder ? doubles_in(given, "time", 1, (npy_intp[]){ANY}) : NULL;
    if (!time) {
        return NULL;
    }
    npy_intp frames = PyArray_DIM(time, 0);
    npy_intp moved = amble_journey_moved(holder->journey);
    npy_intp summary_size = GAIT_SUMMARY;
    PyArrayObject *out[] = {array_new("journey", NPY_INT32, 1, &moved),
                            array_new("time", NPY_FLOAT32, 3, (npy_intp[]){moved, 10, frames}),
                            array_new("time", NPY_FLOAT32, 3, (npy_intp[]){moved, 10, frames}),
                            array_new("journey", NPY_FLOAT64, 1, &summary_size),
                            array_new("time", NPY_FLOAT64, 2, (npy_intp[]){4, frames}),
                            array_new("time", NPY_FLOAT64, 2, (npy_intp[]){4, frames})};
    enum { RESULTS = sizeof out / sizeof *out };
    for (int i = 0; i < RESULTS; i++) {
        if (!out[i]) {
            return release_all(out, RESULTS);
        }
    }
    amble_gait_result result = {
        .bones = DATA(out[0]), .motion = DATA(out[1]), .slope = DATA(out[2]), .summary = DATA(out[3])};
    amble_error error;
    holder->busy++;
    WITHOUT_GIL(error, amble_journey_pose(holder->journey, travel, frames, DATA(time), &result, DATA(out[4]),
                                          DATA(out[5])));
    holder->busy--;
    if (raise_error(error) < 0) {
        return release_all(out, RESULTS);
    }
    return tuple_of(out, RESULTS);
}

/* JOURNEY_PLANT: names of the columns of plants. -1 with an exception. */
static int add_journey_constants(PyObject *module) {
    static const char *const names[] = {"leg",      "strike",   "off",      "heel_on", "heel_off", "ball_on",
                                        "ball_off", "tip_on",   "tip_off",  "x",       "y",        "z",
                                        "heading",  "normal_x", "normal_y", "normal_z"};
    _Static_assert(sizeof names / sizeof *names == AMBLE_PLANT_FIELDS, "a name for every column");
    PyObject *tuple = PyTuple_New(AMBLE_PLANT_FIELDS);
    int good = tuple != NULL;
    for (int i = 0; good && i < AMBLE_PLANT_FIELDS; i++) {
        PyObject *item = PyUnicode_FromString(names[i]);
        good = item && PyTuple_SetItem(tuple, i, item) == 0;
    }
    good = good && PyModule_AddObjectRef(module, "JOURNEY_PLANT", tuple) == 0;
    Py_XDECREF(tuple);
    return good ? 0 : -1;
}

#endif

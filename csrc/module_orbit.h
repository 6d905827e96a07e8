/* The orbit gait's entries of the module and its constants. Private to module.c, which includes it after
 * module_gait.h. */
#ifndef AMBLE_MODULE_ORBIT_H
#define AMBLE_MODULE_ORBIT_H

#include "orbit_gait.h"

#define ORBITS_DOC                                                                                           \
    "orbits: float64 (parts, len(ORBIT_FIELDS)), one row a part, in the order of ORBIT_FIELDS (name, low,\n" \
    "    high). vertices: float64 (n, 2), the corners of all polygons. ride: float64\n"                      \
    "    (len(RIDE_SETTINGS),), in the order of RIDE_SETTINGS (name, low, high).\n"                          \
    "position, velocity, facing: float64 (3, frames), the character's, z up. dt: float64 (frames,), "        \
    "seconds\n"                                                                                              \
    "    since the frame before.\n"

PyDoc_STRVAR(
    orbit_ride_doc,
    "orbit_ride(orbits, vertices, ride, *, position, velocity, facing, dt, state)\n--\n\n"
    "Places of body parts on their orbits, before the terrain is looked at.\n\n" ORBITS_DOC
    "state: float64 (ORBIT_STATE,), from the frame before; all 0 at the start.\n\n"
    "Returns (tracks, phase, going, turning, state): float64 (parts, 6, frames) place and velocity; (parts,\n"
    "frames) radians; int32 (frames,) 0 forward, 1 backward, 2 sideways; float64 (frames,) radians a "
    "second;\n"
    "the state after the last frame. One call over n frames equals n calls over one each, to the bit.\n"
    "Raises ValueError or TypeError naming the argument.");

PyDoc_STRVAR(
    orbit_land_doc,
    "orbit_land(orbits, vertices, ride, *, position, velocity, facing, dt, tracks, height, normal, state)\n"
    "--\n\n"
    "Feet on the terrain, from what it is like under the places of orbit_ride.\n\n" ORBITS_DOC
    "tracks: of orbit_ride. height: float64 (lands, frames); normal: float64 (lands, 3, frames), upward.\n"
    "state: float64 (lands, 3), from the frame before; all 0 at the start.\n\n"
    "Returns (tracks, soles, down, state): float64 (lands, 6, frames) place and velocity; the same of a "
    "unit\n"
    "vector out of the sole, along the foot's direction, its left and up; int32 (lands, frames); the state.\n"
    "Raises ValueError or TypeError naming the argument.");

PyDoc_STRVAR(
    orbit_pose_doc,
    "orbit_pose(parents, rest, flags, *, pelvis, root, spine, neck, legs, soles, leg_phase, arms, hands,\n"
    "    followers, mixed, share, forward, up, ground, extras, travel, course, facing, turning, waist, "
    "ankles, "
    "sole_tracks,\n"
    "    toe_out, hand_tracks, extra_tracks, lean)\n--\n\n"
    "A body's bones for tracks of its parts.\n\n"
    "Up to ground as in gait. extras: int32 (n, 2), further bones, and 0 to put their heads on extra_tracks\n"
    "or 1 to turn them to those.\n"
    "travel: false: places are taken from the character's; true: the root bone, else the pelvis, moves on.\n"
    "course, waist: float64 (6, frames), place and velocity. ankles, sole_tracks: (2, 6, frames).\n"
    "facing: (3, frames). turning: (frames,). toe_out: (2,), radians to the left. hand_tracks: (2 or 0, 6,\n"
    "frames). extra_tracks: (n, 6, frames). lean: radians.\n\n"
    "Returns (bones, motion, slope) as gait does.\n"
    "Raises ValueError or TypeError naming the argument.");

/* Orbits and course from the arguments o: orbits, vertices, ride, position, velocity, facing, dt. */
enum { ORBITS, VERTICES, RIDE, POSITION, VELOCITY, FACING, DT, COURSE_ARGUMENTS };

static int course_in(PyObject **o, char **names, amble_orbits *orbits, amble_course *course, int64_t *lands) {
    PyArrayObject *part = doubles_in(o[ORBITS], names[ORBITS], 2, (npy_intp[]){ANY, AMBLE_ORBIT_FIELDS});
    PyArrayObject *vertices = part ? doubles_in(o[VERTICES], names[VERTICES], 2, (npy_intp[]){ANY, 2}) : NULL;
    PyArrayObject *ride =
        vertices ? doubles_in(o[RIDE], names[RIDE], 1, (npy_intp[]){AMBLE_RIDE_SETTINGS}) : NULL;
    PyArrayObject *dt = ride ? doubles_in(o[DT], names[DT], 1, (npy_intp[]){ANY}) : NULL;
    if (!dt) {
        return -1;
    }
    npy_intp frames = PyArray_DIM(dt, 0);
    PyArrayObject *rows[3];
    for (int i = 0; i < 3; i++) {
        rows[i] = doubles_in(o[POSITION + i], names[POSITION + i], 2, (npy_intp[]){3, frames});
        if (!rows[i]) {
            return -1;
        }
    }
    *orbits = (amble_orbits){.parts = PyArray_DIM(part, 0),
                             .part = DATA(part),
                             .corners = PyArray_DIM(vertices, 0),
                             .vertices = DATA(vertices),
                             .ride = DATA(ride)};
    *course = (amble_course){.frames = frames,
                             .position = DATA(rows[0]),
                             .velocity = DATA(rows[1]),
                             .facing = DATA(rows[2]),
                             .dt = DATA(dt)};
    return raise_error(amble_check_orbits(orbits, lands));
}

static PyObject *orbit_ride(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    enum { STATE = COURSE_ARGUMENTS, ARGUMENTS };
    static char *names[] = {"orbits", "vertices", "ride",  "position", "velocity",
                            "facing", "dt",       "state", NULL};
    PyObject *o[ARGUMENTS];
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOO$OOOOO:orbit_ride", names, &o[0], &o[1], &o[2], &o[3],
                                     &o[4], &o[5], &o[6], &o[7])) {
        return NULL;
    }
    amble_orbits orbits;
    amble_course course;
    int64_t lands = 0;
    if (course_in(o, names, &orbits, &course, &lands) < 0) {
        return NULL;
    }
    PyArrayObject *state = doubles_in(o[STATE], names[STATE], 1, (npy_intp[]){AMBLE_RIDE_STATE});
    if (!state) {
        return NULL;
    }
    npy_intp parts = orbits.parts;
    npy_intp frames = course.frames;
    PyArrayObject *out[] = {array_new("orbits", NPY_FLOAT64, 3, (npy_intp[]){parts, 6, frames}),
                            array_new("orbits", NPY_FLOAT64, 2, (npy_intp[]){parts, frames}),
                            array_new("dt", NPY_INT32, 1, &frames), array_new("dt", NPY_FLOAT64, 1, &frames),
                            copy_of(state)};
    if (!out[0] || !out[1] || !out[2] || !out[3] || !out[4]) {
        return release_all(out, 5);
    }
    const amble_ride ride = {
        .tracks = DATA(out[0]), .phase = DATA(out[1]), .going = DATA(out[2]), .turning = DATA(out[3])};
    amble_error error;
    WITHOUT_GIL(error, amble_orbit_ride(&orbits, &course, DATA(out[4]), &ride));
    return raise_error(error) < 0 ? release_all(out, 5) : tuple_of(out, 5);
}

static PyObject *orbit_land(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    enum { TRACKS = COURSE_ARGUMENTS, HEIGHT, NORMAL, STATE, ARGUMENTS };
    static char *names[] = {"orbits", "vertices", "ride",   "position", "velocity", "facing",
                            "dt",     "tracks",   "height", "normal",   "state",    NULL};
    PyObject *o[ARGUMENTS];
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOO$OOOOOOOO:orbit_land", names, &o[0], &o[1], &o[2],
                                     &o[3], &o[4], &o[5], &o[6], &o[7], &o[8], &o[9], &o[10])) {
        return NULL;
    }
    amble_orbits orbits;
    amble_course course;
    int64_t lands = 0;
    if (course_in(o, names, &orbits, &course, &lands) < 0) {
        return NULL;
    }
    npy_intp frames = course.frames;
    PyArrayObject *tracks = doubles_in(o[TRACKS], names[TRACKS], 3, (npy_intp[]){orbits.parts, 6, frames});
    PyArrayObject *height =
        tracks ? doubles_in(o[HEIGHT], names[HEIGHT], 2, (npy_intp[]){lands, frames}) : NULL;
    PyArrayObject *normal =
        height ? doubles_in(o[NORMAL], names[NORMAL], 3, (npy_intp[]){lands, 3, frames}) : NULL;
    PyArrayObject *state = normal ? doubles_in(o[STATE], names[STATE], 2, (npy_intp[]){lands, 3}) : NULL;
    if (!state) {
        return NULL;
    }
    PyArrayObject *out[] = {array_new("orbits", NPY_FLOAT64, 3, (npy_intp[]){lands, 6, frames}),
                            array_new("orbits", NPY_FLOAT64, 3, (npy_intp[]){lands, 6, frames}),
                            array_new("orbits", NPY_INT32, 2, (npy_intp[]){lands, frames}), copy_of(state)};
    if (!out[0] || !out[1] || !out[2] || !out[3]) {
        return release_all(out, 4);
    }
    const amble_orbit_ground ground = {.height = DATA(height), .normal = DATA(normal)};
    const amble_landing landing = {.tracks = DATA(out[0]), .soles = DATA(out[1]), .down = DATA(out[2])};
    amble_error error;
    WITHOUT_GIL(error, amble_orbit_land(&orbits, &course, DATA(tracks), &ground, DATA(out[3]), &landing));
    return raise_error(error) < 0 ? release_all(out, 4) : tuple_of(out, 4);
}

static PyObject *orbit_pose(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    enum {
        EXTRAS = BODY_ARGUMENTS,
        TRAVEL,
        COURSE,
        FACES,
        TURNING,
        WAIST,
        ANKLES,
        SOLE_TRACKS,
        TOE_OUT,
        HAND_TRACKS,
        EXTRA_TRACKS,
        LEAN,
        ARGUMENTS
    };
    static char *names[] = {BODY_NAMES,    "extras",       "travel", "course",      "facing",
                            "turning",     "waist",        "ankles", "sole_tracks", "toe_out",
                            "hand_tracks", "extra_tracks", "lean",   NULL};
    PyObject *o[ARGUMENTS];
    int travel = 0;
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "OOO$OOOOOOOOOOOOOOOOpOOOOOOOOOO:orbit_pose", names, &o[PARENTS], &o[REST],
            &o[FLAGS], &o[PELVIS], &o[ROOT], &o[SPINE], &o[NECK], &o[LEGS], &o[SOLES], &o[PHASE], &o[ARMS],
            &o[HANDS], &o[FOLLOWERS], &o[MIXED], &o[SHARE], &o[FORWARD], &o[UP], &o[GROUND], &o[EXTRAS],
            &travel, &o[COURSE], &o[FACES], &o[TURNING], &o[WAIST], &o[ANKLES], &o[SOLE_TRACKS], &o[TOE_OUT],
            &o[HAND_TRACKS], &o[EXTRA_TRACKS], &o[LEAN])) {
        return NULL;
    }
    amble_skeleton skeleton;
    amble_gait_body body;
    if (body_in(o, names, &skeleton, &body) < 0) {
        return NULL;
    }
    PyArrayObject *extras = array_in(o[EXTRAS], names[EXTRAS], NPY_INT32, 2, (npy_intp[]){ANY, 2});
    PyArrayObject *turning = extras ? doubles_in(o[TURNING], names[TURNING], 1, (npy_intp[]){ANY}) : NULL;
    if (!turning) {
        return NULL;
    }
    body.extras = PyArray_DIM(extras, 0);
    body.extra = DATA(extras);
    npy_intp frames = PyArray_DIM(turning, 0);
    const struct {
        int argument, dims;
        npy_intp shape[3];
    } wanted[] = {{COURSE, 2, {6, frames}},
                  {FACES, 2, {3, frames}},
                  {WAIST, 2, {6, frames}},
                  {ANKLES, 3, {2, 6, frames}},
                  {SOLE_TRACKS, 3, {2, 6, frames}},
                  {TOE_OUT, 1, {2}},
                  {HAND_TRACKS, 3, {ANY, 6, frames}},
                  {EXTRA_TRACKS, 3, {body.extras, 6, frames}}};
    PyArrayObject *a[ARGUMENTS] = {NULL};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        int k = wanted[i].argument;
        a[k] = doubles_in(o[k], names[k], wanted[i].dims, wanted[i].shape);
        if (!a[k]) {
            return NULL;
        }
    }
    amble_orbit_goals goals = {.frames = frames,
                               .course = DATA(a[COURSE]),
                               .facing = DATA(a[FACES]),
                               .turning = DATA(turning),
                               .waist = DATA(a[WAIST]),
                               .ankles = DATA(a[ANKLES]),
                               .soles = DATA(a[SOLE_TRACKS]),
                               .toe_out = DATA(a[TOE_OUT]),
                               .hands = PyArray_DIM(a[HAND_TRACKS], 0),
                               .hand = DATA(a[HAND_TRACKS]),
                               .extra = DATA(a[EXTRA_TRACKS])};
    int64_t moved = 0;
    if (number_in(o[LEAN], names[LEAN], &goals.lean) < 0 ||
        raise_error(amble_gait_count(&body, &moved)) < 0) {
        return NULL;
    }
    PyArrayObject *out[] = {array_new("parents", NPY_INT32, 1, (npy_intp[]){moved}),
                            array_new("turning", NPY_FLOAT32, 3, (npy_intp[]){moved, 10, frames}),
                            array_new("turning", NPY_FLOAT32, 3, (npy_intp[]){moved, 10, frames})};
    if (!out[0] || !out[1] || !out[2]) {
        return release_all(out, 3);
    }
    const amble_gait_result result = {.bones = DATA(out[0]), .motion = DATA(out[1]), .slope = DATA(out[2])};
    amble_error error;
    WITHOUT_GIL(error, amble_orbit_pose(&body, &goals, travel, &result));
    return raise_error(error) < 0 ? release_all(out, 3) : tuple_of(out, 3);
}

/* A tuple of (name, low, high). A new reference. */
static PyObject *info_tuple(const amble_orbit_info *(*info)(int64_t)) {
    Py_ssize_t count = 0;
    while (info(count)) {
        count++;
    }
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple && i < count; i++) {
        PyObject *item = Py_BuildValue("(sdd)", info(i)->name, info(i)->low, info(i)->high);
        if (!item || PyTuple_SetItem(tuple, i, item) < 0) {
            Py_CLEAR(tuple);
        }
    }
    return tuple;
}

/* ORBIT_FIELDS, RIDE_SETTINGS and ORBIT_STATE. -1 with an exception. */
static int add_orbit_constants(PyObject *module) {
    PyObject *fields = info_tuple(amble_orbit_field_info);
    PyObject *settings = info_tuple(amble_ride_setting_info);
    int good = fields && settings && PyModule_AddObjectRef(module, "ORBIT_FIELDS", fields) == 0 &&
               PyModule_AddObjectRef(module, "RIDE_SETTINGS", settings) == 0 &&
               PyModule_AddIntConstant(module, "ORBIT_STATE", AMBLE_RIDE_STATE) == 0;
    Py_XDECREF(fields);
    Py_XDECREF(settings);
    return good ? 0 : -1;
}

#endif

/* The entries `pin_places` and `pin_hold` of the module. Private to module.c, which includes it. */
#ifndef AMBLE_MODULE_PIN_H
#define AMBLE_MODULE_PIN_H

#include "pin.h"

#include <stdlib.h>
#include <string.h>

PyDoc_STRVAR(pin_places_doc,
             "pin_places(parents, rest, flags, channels, *, ends, points)\n--\n\n"
             "Where points of bones are and how the bones are turned: what pin_hold holds.\n\n"
             "parents, rest, flags, channels: as in forward_kinematics.\n"
             "ends: int32 (pins,), bones. points: float64 (pins, 3), in the axes of each.\n\n"
             "Returns float32 (pins, 7, frames): the point in armature space, then the bone's orientation\n"
             "(w, x, y, z) without scale. Raises ValueError or TypeError naming the argument.");

static PyObject *pin_places(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"parents", "rest", "flags", "channels", "ends", "points", NULL};
    PyObject *o[6];
    amble_skeleton skeleton;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOO$OO:pin_places", names, &o[0], &o[1], &o[2], &o[3],
                                     &o[4], &o[5]) ||
        skeleton_in(o[0], o[1], o[2], &skeleton) < 0) {
        return NULL;
    }
    PyArrayObject *channels = floats_in(o[3], "channels", 3, (npy_intp[]){skeleton.bones, 10, ANY});
    PyArrayObject *ends = channels ? array_in(o[4], "ends", NPY_INT32, 1, (npy_intp[]){ANY}) : NULL;
    if (!ends) {
        return NULL;
    }
    npy_intp count = PyArray_DIM(ends, 0);
    npy_intp frames = PyArray_DIM(channels, 2);
    PyArrayObject *points = doubles_in(o[5], "points", 2, (npy_intp[]){count, 3});
    PyArrayObject *places =
        points ? array_new("channels", NPY_FLOAT32, 3, (npy_intp[]){count, 7, frames}) : NULL;
    if (!places) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_pin_places(&skeleton, frames, DATA(channels), count, DATA(ends), DATA(points),
                                        DATA(places)));
    if (raise_error(error) < 0) {
        return release_all(&places, 1);
    }
    return (PyObject *)places;
}

PyDoc_STRVAR(
    pin_hold_doc,
    "pin_hold(parents, rest, flags, channels, *, chains, ends, points, turned, hinges, bound, soft, places)\n"
    "--\n\n"
    "Turns limbs so that their ends are where they are to be, with the least change of the pose.\n\n"
    "parents, rest, flags, channels: as in forward_kinematics.\n"
    "chains: int32 (pins, n): the bones that turn, root first, each an ancestor of the next; -1 after the\n"
    "    last. ends: int32 (pins,): the bones that are held, a chain's last or a descendant of it.\n"
    "points: float64 (pins, 3): what of each end is held, in its own axes.\n"
    "turned: int32 (pins,): 1 where the end's orientation is held too.\n"
    "hinges: float64 (pins, n, 3): the axis of each bone, in its own axes, that a positive turn about bends\n"
    "    it further, used where the pose is too straight to tell; 0 for none. bound: int32 (pins, n): 1\n"
    "    where it is the only axis that the bone may turn about.\n"
    "soft: float64 (pins,), 0 to 0.5: share of its length over which a chain slows down to full reach.\n"
    "places: float32 (pins, 7, frames), as of pin_places; or (pins, 7, 1) for places that stay.\n\n"
    "Returns (channels, miss): float32 (bones, 10, frames) with the rotations of chains and turned ends\n"
    "changed, float32 (pins, frames) how far each point is off its place in the end.\n"
    "Raises ValueError or TypeError naming the argument.");

/* The pins that the arrays describe; a chain ends at its first -1. `count` of them, to be freed. */
static amble_pin *pins_of(npy_intp count, npy_intp most, const int32_t *chains, const int32_t *ends,
                          const double *points, const int32_t *turned, const double *hinges,
                          const int32_t *bound, const double *soft) {
    amble_pin *pins = malloc((size_t)(count ? count : 1) * sizeof *pins);
    if (!pins) {
        PyErr_NoMemory();
        return NULL;
    }
    for (npy_intp i = 0; i < count; i++) {
        const int32_t *chain = chains + i * most;
        npy_intp bones = 0;
        while (bones < most && chain[bones] != -1) {
            bones++;
        }
        const double *point = points + 3 * i;
        pins[i] = (amble_pin){.bones = bones,
                              .chain = chain,
                              .end = ends[i],
                              .point = {point[0], point[1], point[2]},
                              .turned = turned[i],
                              .hinges = hinges + i * most * 3,
                              .bound = bound + i * most,
                              .soft = soft[i]};
    }
    return pins;
}

static PyObject *pin_hold(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"parents", "rest",   "flags", "channels", "chains", "ends", "points",
                            "turned",  "hinges", "bound", "soft",     "places", NULL};
    enum { CHANNELS = 3, CHAINS, ENDS, POINTS, TURNED, HINGES, BOUND, SOFT, PLACES, ARGUMENTS };
    PyObject *o[ARGUMENTS];
    PyArrayObject *a[ARGUMENTS] = {NULL};
    amble_skeleton skeleton;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOO$OOOOOOOO:pin_hold", names, &o[0], &o[1], &o[2],
                                     &o[CHANNELS], &o[CHAINS], &o[ENDS], &o[POINTS], &o[TURNED], &o[HINGES],
                                     &o[BOUND], &o[SOFT], &o[PLACES]) ||
        skeleton_in(o[0], o[1], o[2], &skeleton) < 0) {
        return NULL;
    }
    a[CHANNELS] = floats_in(o[CHANNELS], names[CHANNELS], 3, (npy_intp[]){skeleton.bones, 10, ANY});
    a[CHAINS] = a[CHANNELS] ? array_in(o[CHAINS], names[CHAINS], NPY_INT32, 2, (npy_intp[]){ANY, ANY}) : NULL;
    if (!a[CHAINS]) {
        return NULL;
    }
    npy_intp count = PyArray_DIM(a[CHAINS], 0);
    npy_intp most = PyArray_DIM(a[CHAINS], 1);
    npy_intp frames = PyArray_DIM(a[CHANNELS], 2);
    const npy_intp three[3] = {count, most, 3};
    a[ENDS] = array_in(o[ENDS], names[ENDS], NPY_INT32, 1, &count);
    a[POINTS] = a[ENDS] ? doubles_in(o[POINTS], names[POINTS], 2, (npy_intp[]){count, 3}) : NULL;
    a[TURNED] = a[POINTS] ? array_in(o[TURNED], names[TURNED], NPY_INT32, 1, &count) : NULL;
    a[HINGES] = a[TURNED] ? doubles_in(o[HINGES], names[HINGES], 3, three) : NULL;
    a[BOUND] = a[HINGES] ? array_in(o[BOUND], names[BOUND], NPY_INT32, 2, three) : NULL;
    a[SOFT] = a[BOUND] ? doubles_in(o[SOFT], names[SOFT], 1, &count) : NULL;
    a[PLACES] = a[SOFT] ? floats_in(o[PLACES], names[PLACES], 3, (npy_intp[]){count, 7, ANY}) : NULL;
    if (!a[PLACES]) {
        return NULL;
    }
    npy_intp places_frames = PyArray_DIM(a[PLACES], 2);
    if (places_frames != 1 && places_frames != frames) {
        PyErr_Format(PyExc_ValueError,
                     "places must have shape (%zd, 7, %zd) or (%zd, 7, 1), not (%zd, 7, %zd)", count, frames,
                     count, count, places_frames);
        return NULL;
    }
    PyArrayObject *out[2] = {array_new("channels", NPY_FLOAT32, 3, (npy_intp[]){skeleton.bones, 10, frames}),
                             array_new("channels", NPY_FLOAT32, 2, (npy_intp[]){count, frames})};
    amble_pin *pins = out[0] && out[1]
                          ? pins_of(count, most, DATA(a[CHAINS]), DATA(a[ENDS]), DATA(a[POINTS]),
                                    DATA(a[TURNED]), DATA(a[HINGES]), DATA(a[BOUND]), DATA(a[SOFT]))
                          : NULL;
    if (!pins) {
        return release_all(out, 2);
    }
    memcpy(DATA(out[0]), DATA(a[CHANNELS]), (size_t)PyArray_NBYTES(out[0]));
    amble_error error;
    WITHOUT_GIL(error, amble_pin_hold(&skeleton, count, pins, frames, places_frames, DATA(a[PLACES]),
                                      DATA(out[0]), DATA(out[1])));
    free(pins);
    if (raise_error(error) < 0) {
        return release_all(out, 2);
    }
    return tuple_of(out, 2);
}

#endif

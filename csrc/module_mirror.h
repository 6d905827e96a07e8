/* The boundary of mirror.h; included by module.c. */
#ifndef AMBLE_MODULE_MIRROR_H
#define AMBLE_MODULE_MIRROR_H

#include "mirror.h"
#include "module_pin.h"

#include <string.h>

#define MIRROR_RULES                                                                                         \
    "parents, rest, flags: a skeleton as forward_kinematics takes it; rest axes of unit length.\n"           \
    "partner: int32 (bones,): the bone on the other side, itself for one in the middle.\n"                   \
    "plane: float64 (4,): normal and distance of the body's own plane: normal . x = distance.\n"             \
    "turn: float64 (3, 4): rigid motion that follows the reflection, about a reference line.\n"              \
    "whole_pose: false: the rest pose is its own mirror image; true: poses are mirrored as they are seen.\n"

/* The arguments that both functions share. -1 with an exception. */
typedef struct mirror_arguments {
    amble_skeleton skeleton;
    amble_mirror_plan plan;
    npy_intp bones;
} mirror_arguments;

static int mirror_in(PyObject *objects[6], int whole_pose, mirror_arguments *out) {
    if (skeleton_in(objects[0], objects[1], objects[2], &out->skeleton) < 0) {
        return -1;
    }
    npy_intp bones = (npy_intp)out->skeleton.bones;
    PyArrayObject *partner = array_in(objects[3], "partner", NPY_INT32, 1, &bones);
    PyArrayObject *plane = partner ? array_in(objects[4], "plane", NPY_FLOAT64, 1, (npy_intp[]){4}) : NULL;
    PyArrayObject *turn = plane ? array_in(objects[5], "turn", NPY_FLOAT64, 2, (npy_intp[]){3, 4}) : NULL;
    if (!turn) {
        return -1;
    }
    out->bones = bones;
    out->plan = (amble_mirror_plan){.partner = DATA(partner), .whole_pose = whole_pose};
    memcpy(out->plan.plane, DATA(plane), sizeof out->plan.plane);
    memcpy(out->plan.turn, DATA(turn), sizeof out->plan.turn);
    return 0;
}

PyDoc_STRVAR(
    mirror_maps_doc,
    "mirror_maps(parents, rest, flags, partner, plane, turn, *, whole_pose=False)\n--\n\n"
    "Constants that turn the channels of each bone's partner into its mirrored ones.\n\n" MIRROR_RULES
    "\nReturns (rotation, location, scale, general): float64 (bones, 4, 4), times the partner's\n"
    "quaternion; (bones, 3, 4), three columns times its location and what is added; (bones, 3, 3),\n"
    "times its scale; int32 (bones,), 1 where there are no constants and `mirror` must be asked.\n"
    "Raises ValueError or TypeError naming the argument.");

static PyObject *mirror_maps(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"parents", "rest", "flags", "partner", "plane", "turn", "whole_pose", NULL};
    PyObject *objects[6];
    int whole_pose = 0;
    mirror_arguments in;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOO|$p:mirror_maps", names, &objects[0], &objects[1],
                                     &objects[2], &objects[3], &objects[4], &objects[5], &whole_pose) ||
        mirror_in(objects, whole_pose, &in) < 0) {
        return NULL;
    }
    PyArrayObject *out[4] = {
        array_new("parents", NPY_FLOAT64, 3, (npy_intp[]){in.bones, 4, 4}),
        array_new("parents", NPY_FLOAT64, 3, (npy_intp[]){in.bones, 3, 4}),
        array_new("parents", NPY_FLOAT64, 3, (npy_intp[]){in.bones, 3, 3}),
        array_new("parents", NPY_INT32, 1, &in.bones),
    };
    if (!out[0] || !out[1] || !out[2] || !out[3]) {
        return release_all(out, 4);
    }
    amble_error error;
    WITHOUT_GIL(error, amble_mirror_maps(&in.skeleton, &in.plan, DATA(out[0]), DATA(out[1]), DATA(out[2]),
                                         DATA(out[3])));
    if (raise_error(error) < 0) {
        return release_all(out, 4);
    }
    return tuple_of(out, 4);
}

PyDoc_STRVAR(
    mirror_doc,
    "mirror(parents, rest, flags, partner, plane, turn, channels, *, whole_pose=False)\n--\n\n"
    "Mirrored channels of a whole clip (JP4136341B2, M6).\n\n" MIRROR_RULES
    "channels: float32 (bones, 10, frames): location 3, quaternion 4, scale 3. |values| up to 1e15.\n\n"
    "Returns float32 (bones, 10, frames). Quaternions change sign only where the partner's do, but\n"
    "have w >= 0 for the bones that `mirror_maps` calls general.\n"
    "Raises ValueError or TypeError naming the argument.");

static PyObject *mirror(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"parents", "rest",     "flags",      "partner", "plane",
                            "turn",    "channels", "whole_pose", NULL};
    PyObject *objects[6];
    PyObject *channels_object;
    int whole_pose = 0;
    mirror_arguments in;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOOO|$p:mirror", names, &objects[0], &objects[1],
                                     &objects[2], &objects[3], &objects[4], &objects[5], &channels_object,
                                     &whole_pose) ||
        mirror_in(objects, whole_pose, &in) < 0) {
        return NULL;
    }
    PyArrayObject *channels = floats_in(channels_object, "channels", 3, (npy_intp[]){in.bones, 10, ANY});
    if (!channels) {
        return NULL;
    }
    npy_intp frames = PyArray_DIM(channels, 2);
    PyArrayObject *out = array_new("channels", NPY_FLOAT32, 3, (npy_intp[]){in.bones, 10, frames});
    if (!out) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_mirror(&in.skeleton, &in.plan, frames, DATA(channels), DATA(out)));
    if (raise_error(error) < 0) {
        return release_all(&out, 1);
    }
    return (PyObject *)out;
}

#endif

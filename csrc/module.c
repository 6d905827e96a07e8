/* The Python module amble_core: the only file that includes Python.h and NumPy.
 *
 * To add a function: write NAME_doc and static PyObject *NAME(self, args, kwargs) in the pattern that
 * module_check.h states, and put ENTRY(NAME) into `methods` at the end. No mathematics in this file.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#include <numpy/arrayobject.h>

#include <limits.h>

#include "amble.h"
#include "check.h"
#include "module_check.h"

/* ---- Forward kinematics ---- */

PyDoc_STRVAR(
    forward_kinematics_doc,
    "forward_kinematics(parents, rest, flags, channels, *, out=None)\n--\n\n"
    "Pose matrices in armature space, as Blender evaluates bones without constraints.\n\n"
    "parents: int32 (bones,), -1 for none, parents before children.\n"
    "rest: float64 (bones, 4, 4), each bone's rest matrix in armature space (Bone.matrix_local).\n"
    "flags: uint32 (bones,): 1 connected (location is ignored), 2 rotation not inherited, 4 location\n"
    "    along the parent's axes, bits 4 to 6 inherit scale: 0 full, 1 fix shear, 2 aligned, 3 average,\n"
    "    4 none, 5 none (legacy).\n"
    "channels: float32 (bones, 10, frames): location 3, quaternion 4 (w, x, y, z; of any length, 0\n"
    "    is half a turn about x), scale 3, on top of the rest pose. |values| up to 1e15.\n"
    "out: float32 (bones, 12, frames) to write into and return, apart from channels.\n\n"
    "Returns float32 (bones, 12, frames): the upper three rows of each matrix, row by row.\n"
    "Raises ValueError or TypeError naming the argument. Values beyond float32 become infinite.");

static PyObject *forward_kinematics(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"parents", "rest", "flags", "channels", "out", NULL};
    PyObject *o[4];
    PyObject *out_object = Py_None;
    amble_skeleton skeleton;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOO|$O:forward_kinematics", names, &o[0], &o[1], &o[2],
                                     &o[3], &out_object) ||
        skeleton_in(o[0], o[1], o[2], &skeleton) < 0) {
        return NULL;
    }
    npy_intp bones = skeleton.bones;
    PyArrayObject *channels = floats_in(o[3], "channels", 3, (npy_intp[]){bones, 10, ANY});
    if (!channels) {
        return NULL;
    }
    npy_intp frames = PyArray_DIM(channels, 2);
    PyArrayObject *pose =
        array_out(out_object, "channels", channels, NPY_FLOAT32, 3, (npy_intp[]){bones, 12, frames});
    if (!pose) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_forward_kinematics(&skeleton, frames, DATA(channels), DATA(pose)));
    if (raise_error(error) < 0) {
        return release_all(&pose, 1);
    }
    return (PyObject *)pose;
}

/* ---- Two-bone inverse kinematics ---- */

PyDoc_STRVAR(
    two_bone_ik_doc,
    "two_bone_ik(root, target, pole, upper, lower, *, limit=1.0)\n--\n\n"
    "Thigh and shin, or upper arm and forearm, that bring the chain's end to a target.\n\n"
    "root, target, pole: float32 (3, frames). The pole is a direction, the side that the joint bends\n"
    "    to, of any length but 0; parallel to the chain it is replaced by a fixed perpendicular.\n"
    "upper, lower: lengths, 1e-15 to 1e15, within a factor of 1000 of each other.\n"
    "limit: 1e-6 to 1, the chain is never drawn out beyond limit * (upper + lower).\n\n"
    "Returns (joint, upper_rotation, lower_rotation, miss):\n"
    "    joint float32 (3, frames), the place of the joint;\n"
    "    rotations float32 (4, frames), w x y z: turned by one, +Y runs along the bone, +X is the axis\n"
    "    of the joint and +Z lies on the pole's side;\n"
    "    miss float32 (frames,), 0 to rounding where the target is reached, positive by how far it is\n"
    "    out of reach, negative by how far it is too near. Never NaN.\n"
    "Raises ValueError or TypeError naming the argument.");

static PyObject *two_bone_ik(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"root", "target", "pole", "upper", "lower", "limit", NULL};
    PyObject *objects[6] = {NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOO|$O:two_bone_ik", names, &objects[0], &objects[1],
                                     &objects[2], &objects[3], &objects[4], &objects[5])) {
        return NULL;
    }
    npy_intp frames = ANY;
    PyArrayObject *in[3];
    PyArrayObject *out[4] = {NULL};
    for (int i = 0; i < 3; i++) {
        in[i] = array_in(objects[i], names[i], NPY_FLOAT32, 2, (npy_intp[]){3, frames});
        if (!in[i]) {
            return NULL;
        }
        frames = PyArray_DIM(in[i], 1);
    }
    amble_two_bone chain = {.limit = 1.0};
    if (number_in(objects[3], "upper", &chain.upper) < 0 ||
        number_in(objects[4], "lower", &chain.lower) < 0 ||
        (objects[5] && number_in(objects[5], "limit", &chain.limit) < 0)) {
        return NULL;
    }
    static const npy_intp rows[] = {3, 4, 4};
    for (int i = 0; i < 3; i++) {
        out[i] = array_new("root", NPY_FLOAT32, 2, (npy_intp[]){rows[i], frames});
    }
    out[3] = array_new("root", NPY_FLOAT32, 1, &frames);
    if (!out[0] || !out[1] || !out[2] || !out[3]) {
        return release_all(out, 4);
    }
    amble_error error;
    WITHOUT_GIL(error, amble_two_bone_ik(&chain, frames, DATA(in[0]), DATA(in[1]), DATA(in[2]), DATA(out[0]),
                                         DATA(out[1]), DATA(out[2]), DATA(out[3])));
    if (raise_error(error) < 0) {
        return release_all(out, 4);
    }
    return tuple_of(out, 4);
}

/* ---- Orbits ---- */

#define ORBIT_RULES                                                                                          \
    "phase: float64 (n,), radians, |phase| up to 1e6; phase 0 is the top, a quarter turn later comes the\n"  \
    "    front: forward over the top, back along the bottom (JP5486213B2).\n"                                \
    "tilt: radians, positive turns the front end down.\n"

#define ORBIT_RESULT                                                                                         \
    "\nReturns (position, slope), each float32 (2, n): forward and upward of the centre, in the unit of "    \
    "the\n"                                                                                                  \
    "sizes, and their derivative by phase. Raises ValueError or TypeError naming the argument."

/* The two results of an orbit, for `phase`. -1 with an exception if they cannot be had. */
static int orbit_results(PyArrayObject *phase, PyArrayObject *out[2]) {
    npy_intp shape[2] = {2, PyArray_DIM(phase, 0)};
    out[0] = array_new("phase", NPY_FLOAT32, 2, shape);
    out[1] = array_new("phase", NPY_FLOAT32, 2, shape);
    if (out[0] && out[1]) {
        return 0;
    }
    release_all(out, 2);
    return -1;
}

PyDoc_STRVAR(
    orbit_ellipse_doc,
    "orbit_ellipse(phase, forward, upward, *, auxiliary=0.0, tilt=0.0, even=False)\n--\n\n"
    "Places on an ellipse, circle, line (one half axis 0) or point (both 0).\n\n" ORBIT_RULES
    "forward, upward: half axes, 0 or 1e-15 to 1e15, within a factor of 1e6 of each other.\n"
    "auxiliary: for a line, the half axis that takes the place of the one that is 0: the place is the\n"
    "    foot of the perpendicular from that ellipse onto the line. 0 takes the other half axis.\n"
    "even: false: phase is the true angle at the centre; true: constant speed along the "
    "curve.\n" ORBIT_RESULT);

static PyObject *orbit_ellipse(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"phase", "forward", "upward", "auxiliary", "tilt", "even", NULL};
    PyObject *phase_object;
    PyObject *forward;
    PyObject *upward;
    PyObject *auxiliary = NULL;
    PyObject *tilt = NULL;
    int even = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOO|$OOp:orbit_ellipse", names, &phase_object, &forward,
                                     &upward, &auxiliary, &tilt, &even)) {
        return NULL;
    }
    PyArrayObject *phase = array_in(phase_object, "phase", NPY_FLOAT64, 1, (npy_intp[]){ANY});
    PyArrayObject *out[2];
    if (!phase) {
        return NULL;
    }
    amble_ellipse ellipse = {.pace = even ? AMBLE_PACE_EVEN : AMBLE_PACE_ANGLE};
    if (number_in(forward, "forward", &ellipse.forward) < 0 ||
        number_in(upward, "upward", &ellipse.upward) < 0 ||
        (auxiliary && number_in(auxiliary, "auxiliary", &ellipse.auxiliary) < 0) ||
        (tilt && number_in(tilt, "tilt", &ellipse.tilt) < 0) || orbit_results(phase, out) < 0) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(
        error, amble_orbit_ellipse(&ellipse, PyArray_DIM(phase, 0), DATA(phase), DATA(out[0]), DATA(out[1])));
    if (raise_error(error) < 0) {
        return release_all(out, 2);
    }
    return tuple_of(out, 2);
}

PyDoc_STRVAR(
    orbit_polygon_doc,
    "orbit_polygon(phase, vertices, *, tilt=0.0, even=False)\n--\n\n"
    "Places on a closed polygon.\n\n" ORBIT_RULES "vertices: float64 (corners, 2), forward and upward.\n"
    "even: false: phase is the true angle at the centre; the corners must go round it once, in the\n"
    "    sense of the phase, 3 or more. True: constant speed, phase 0 is the first corner and the order\n"
    "    of the corners the direction; any closed polygon of 2 or more corners.\n" ORBIT_RESULT);

static PyObject *orbit_polygon(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"phase", "vertices", "tilt", "even", NULL};
    PyObject *phase_object;
    PyObject *vertices_object;
    PyObject *tilt = NULL;
    int even = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|$Op:orbit_polygon", names, &phase_object,
                                     &vertices_object, &tilt, &even)) {
        return NULL;
    }
    PyArrayObject *phase = array_in(phase_object, "phase", NPY_FLOAT64, 1, (npy_intp[]){ANY});
    PyArrayObject *out[2];
    if (!phase) {
        return NULL;
    }
    PyArrayObject *vertices = array_in(vertices_object, "vertices", NPY_FLOAT64, 2, (npy_intp[]){ANY, 2});
    if (!vertices) {
        return NULL;
    }
    amble_polygon polygon = {
        .corners = PyArray_DIM(vertices, 0),
        .vertices = DATA(vertices),
        .pace = even ? AMBLE_PACE_EVEN : AMBLE_PACE_ANGLE,
    };
    if ((tilt && number_in(tilt, "tilt", &polygon.tilt) < 0) || orbit_results(phase, out) < 0) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(
        error, amble_orbit_polygon(&polygon, PyArray_DIM(phase, 0), DATA(phase), DATA(out[0]), DATA(out[1])));
    if (raise_error(error) < 0) {
        return release_all(out, 2);
    }
    return tuple_of(out, 2);
}

/* ---- Elementary functions ---- */

PyDoc_STRVAR(sine_cosine_doc, "sine_cosine(angle)\n--\n\n"
                              "Sine and cosine with the same bits on every platform, error below 4e-16.\n\n"
                              "angle: float64 (n,), radians, |angle| up to 1e6. Returns float64 (2, n).\n"
                              "Raises ValueError or TypeError naming the argument.");

static PyObject *sine_cosine(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"angle", NULL};
    PyObject *angle_object;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:sine_cosine", names, &angle_object)) {
        return NULL;
    }
    PyArrayObject *angle = array_in(angle_object, "angle", NPY_FLOAT64, 1, (npy_intp[]){ANY});
    if (!angle) {
        return NULL;
    }
    PyArrayObject *out = array_new("angle", NPY_FLOAT64, 2, (npy_intp[]){2, PyArray_DIM(angle, 0)});
    if (!out) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_sine_cosine(PyArray_DIM(angle, 0), DATA(angle), DATA(out)));
    if (raise_error(error) < 0) {
        return release_all(&out, 1);
    }
    return (PyObject *)out;
}

/* ---- The module ---- */

#include "module_blend.h"
#include "module_blend_match.h"
#include "module_curve.h"
#include "module_fit.h"
#include "module_gait.h"
#include "module_idle.h"
#include "module_journey.h"
#include "module_legged.h"
#include "module_mesh.h"
#include "module_mirror.h"
#include "module_orbit.h"
#include "module_pin.h"
#include "module_quaternion.h"
#include "module_reach.h"

static PyMethodDef methods[] = {
    ENTRY(forward_kinematics),
    ENTRY(two_bone_ik),
    ENTRY(orbit_ellipse),
    ENTRY(orbit_polygon),
    ENTRY(orbit_ride),
    ENTRY(orbit_land),
    ENTRY(orbit_pose),
    ENTRY(sine_cosine),
    ENTRY(quaternion_multiply),
    ENTRY(quaternion_normalise),
    ENTRY(quaternion_rotate),
    ENTRY(quaternion_nlerp),
    ENTRY(quaternion_slerp),
    ENTRY(quaternion_between),
    ENTRY(quaternion_to_matrix),
    ENTRY(quaternion_from_matrix),
    ENTRY(sample_curves),
    ENTRY(slope_curves),
    ENTRY(combine_curves),
    ENTRY(mirror_maps),
    ENTRY(mirror),
    ENTRY(part_tracks),
    ENTRY(reach),
    ENTRY(plane_clearance),
    ENTRY(quaternion_from_euler),
    ENTRY(quaternion_from_axis_angle),
    ENTRY(gait),
    ENTRY(pin_places),
    ENTRY(pin_hold),
    ENTRY(mesh_build),
    ENTRY(mesh_rays),
    ENTRY(mesh_follow),
    ENTRY(idle),
    ENTRY(idle_coefficients),
    ENTRY(idle_clocks),
    ENTRY(idle_layer),
    ENTRY(joint_angles),
    ENTRY(mesh_nearest),
    ENTRY(mesh_clearance),
    ENTRY(blend),
    ENTRY(blend_values),
    ENTRY(settle_rotations),
    ENTRY(slopes),
    ENTRY(rotations_to_world),
    ENTRY(rotations_from_world),
    ENTRY(stand),
    ENTRY(move_ground),
    ENTRY(track_peaks),
    ENTRY(pose_features),
    ENTRY(pose_distances),
    ENTRY(blend_length),
    ENTRY(journey),
    ENTRY(journey_plants),
    ENTRY(journey_stand),
    ENTRY(journey_probes),
    ENTRY(journey_heights),
    ENTRY(journey_pose),
    ENTRY(legged_plan),
    ENTRY(legged_pose),
    ENTRY(fit_keys),
    ENTRY(find_plants),
    ENTRY(foot_way),
    {NULL, NULL, 0, NULL},
};

static int module_exec(PyObject *module) {
    if (PyArray_ImportNumPyAPI() < 0) {
        return -1;
    }
    if (PyModule_AddStringConstant(module, "__version__", AMBLE_VERSION) < 0) {
        return -1;
    }
    if (PyModule_AddIntConstant(module, "api", AMBLE_API) < 0) {
        return -1;
    }
    if (PyModule_AddStringConstant(module, "simd", amble_simd_name()) < 0) {
        return -1;
    }
    if (add_gait_constants(module) < 0 || add_journey_constants(module) < 0 ||
        add_legged_constants(module) < 0) {
        return -1;
    }
    return add_orbit_constants(module);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)module_exec},
    {0, NULL},
};

PyDoc_STRVAR(module_doc,
             "Motion on flat NumPy arrays, frames on the last axis.\n\n"
             "Every function is pure: it returns new arrays, keeps no state, and releases the GIL.\n"
             "`simd` names the vector back-end; results do not depend on it.");

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "amble_core", .m_doc = module_doc,
    .m_methods = methods,  .m_slots = slots,
};

PyMODINIT_FUNC PyInit_amble_core(void) { return PyModuleDef_Init(&definition); }

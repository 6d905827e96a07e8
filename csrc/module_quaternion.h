/* The entries on arrays of quaternions. Private to module.c, which includes it. */
#ifndef AMBLE_MODULE_QUATERNION_H
#define AMBLE_MODULE_QUATERNION_H

#include "amble.h"

#define QUATERNION_RULES                                                                                     \
    "\nQuaternions are w, x, y, z. Arrays are float32, elements on the last axis, |values| up to 1e15.\n"    \
    "Raises ValueError or TypeError naming the argument."

/* All of these take one to three float32 arrays of equal count and give one. */
typedef struct quaternion_entry {
    const char *format;
    char *names[4];
    npy_intp rows[3]; /* of each argument; 0: no axis of rows, shape (count,) */
    npy_intp rows_out;
} quaternion_entry;

/* Parses and checks as `entry` says, fills `in`, and makes the result. NULL with an exception. */
static PyArrayObject *quaternion_arguments(const quaternion_entry *entry, PyObject *args, PyObject *kwargs,
                                           PyArrayObject *in[3], npy_intp *count) {
    PyObject *objects[3] = {NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, entry->format, (char **)entry->names, &objects[0],
                                     &objects[1], &objects[2])) {
        return NULL;
    }
    *count = ANY;
    for (int i = 0; i < 3 && entry->names[i]; i++) {
        npy_intp rows = entry->rows[i];
        in[i] = rows ? floats_in(objects[i], entry->names[i], 2, (npy_intp[]){rows, *count})
                     : floats_in(objects[i], entry->names[i], 1, count);
        if (!in[i]) {
            return NULL;
        }
        *count = PyArray_DIM(in[i], rows ? 1 : 0);
    }
    return array_new(entry->names[0], NPY_FLOAT32, 2, (npy_intp[]){entry->rows_out, *count});
}

/* Defines the entry `name`: its argument names and rows as in quaternion_entry, and the call, over in[],
 * count and out. */
#define LIST(...) {__VA_ARGS__}
#define QUATERNION_FUNCTION(name, objects, argument_names, rows, rows_out, call)                             \
    static PyObject *name(PyObject *self, PyObject *args, PyObject *kwargs) {                                \
        (void)self;                                                                                          \
        static const quaternion_entry entry = {objects ":" #name, argument_names, rows, rows_out};           \
        PyArrayObject *in[3] = {NULL};                                                                       \
        npy_intp count;                                                                                      \
        PyArrayObject *out = quaternion_arguments(&entry, args, kwargs, in, &count);                         \
        if (out) {                                                                                           \
            Py_BEGIN_ALLOW_THREADS;                                                                          \
            call;                                                                                            \
            Py_END_ALLOW_THREADS;                                                                            \
        }                                                                                                    \
        return (PyObject *)out;                                                                              \
    }

PyDoc_STRVAR(quaternion_multiply_doc,
             "quaternion_multiply(a, b)\n--\n\n"
             "Product a b, which turns by b first: (4, n), (4, n) -> (4, n).\n" QUATERNION_RULES);
QUATERNION_FUNCTION(quaternion_multiply, "OO", LIST("a", "b"), LIST(4, 4), 4,
                    amble_quaternion_multiply(count, DATA(in[0]), DATA(in[1]), DATA(out)))

PyDoc_STRVAR(quaternion_normalise_doc,
             "quaternion_normalise(q)\n--\n\n"
             "Unit length; 0 becomes the identity: (4, n) -> (4, n).\n" QUATERNION_RULES);
QUATERNION_FUNCTION(quaternion_normalise, "O", LIST("q"), LIST(4), 4,
                    amble_quaternion_normalise(count, DATA(in[0]), DATA(out)))

PyDoc_STRVAR(quaternion_rotate_doc,
             "quaternion_rotate(q, vector)\n--\n\n"
             "Vectors turned by unit quaternions: (4, n), (3, n) -> (3, n).\n" QUATERNION_RULES);
QUATERNION_FUNCTION(quaternion_rotate, "OO", LIST("q", "vector"), LIST(4, 3), 3,
                    amble_quaternion_rotate(count, DATA(in[0]), DATA(in[1]), DATA(out)))

PyDoc_STRVAR(quaternion_nlerp_doc,
             "quaternion_nlerp(a, b, t)\n--\n\n"
             "The short way between unit quaternions along the straight line, normalised;\n"
             "t = 0 gives a, 1 gives b: (4, n), (4, n), (n,) -> (4, n).\n" QUATERNION_RULES);
QUATERNION_FUNCTION(quaternion_nlerp, "OOO", LIST("a", "b", "t"), LIST(4, 4, 0), 4,
                    amble_quaternion_nlerp(count, DATA(in[0]), DATA(in[1]), DATA(in[2]), DATA(out)))

PyDoc_STRVAR(quaternion_slerp_doc,
             "quaternion_slerp(a, b, t)\n--\n\n"
             "The short way between unit quaternions at constant angular speed; t may lie\n"
             "outside 0 to 1, up to 1e5: (4, n), (4, n), (n,) -> (4, n).\n" QUATERNION_RULES);
QUATERNION_FUNCTION(quaternion_slerp, "OOO", LIST("a", "b", "t"), LIST(4, 4, 0), 4,
                    amble_quaternion_slerp(count, DATA(in[0]), DATA(in[1]), DATA(in[2]), DATA(out)))

PyDoc_STRVAR(quaternion_between_doc,
             "quaternion_between(start, end)\n--\n\n"
             "The shortest turn from one direction to another, of any lengths; about a\n"
             "fixed perpendicular where they are opposite: (3, n), (3, n) -> (4, n).\n" QUATERNION_RULES);
QUATERNION_FUNCTION(quaternion_between, "OO", LIST("start", "end"), LIST(3, 3), 4,
                    amble_quaternion_between(count, DATA(in[0]), DATA(in[1]), DATA(out)))

PyDoc_STRVAR(quaternion_to_matrix_doc,
             "quaternion_to_matrix(q)\n--\n\n"
             "Rotation matrices of unit quaternions, row by row: (4, n) -> (9, n).\n" QUATERNION_RULES);
QUATERNION_FUNCTION(quaternion_to_matrix, "O", LIST("q"), LIST(4), 9,
                    amble_quaternion_to_matrix(count, DATA(in[0]), DATA(out)))

PyDoc_STRVAR(quaternion_from_matrix_doc,
             "quaternion_from_matrix(matrix)\n--\n\n"
             "Unit quaternions, w >= 0, of rotation matrices: (9, n) -> (4, n).\n" QUATERNION_RULES);
QUATERNION_FUNCTION(quaternion_from_matrix, "O", LIST("matrix"), LIST(9), 4,
                    amble_quaternion_from_matrix(count, DATA(in[0]), DATA(out)))

#endif

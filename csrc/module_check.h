/* What module.c checks at the boundary, once per argument, so that the core sees sound memory only.
 * Private to module.c: it holds static functions over Python.h and NumPy.
 *
 * Pattern of every entry:
 *   parse to PyObject *; array_in() each array; number_in() each scalar; array_new() the results;
 *   WITHOUT_GIL(error, core call); raise_error(); return.
 * TypeError: wrong kind of object, dtype or byte order. ValueError: everything else. Each names the argument.
 */
#ifndef AMBLE_MODULE_CHECK_H
#define AMBLE_MODULE_CHECK_H

/* Evaluates a core call with the GIL released. */
#define WITHOUT_GIL(error, call)                                                                             \
    do {                                                                                                     \
        Py_BEGIN_ALLOW_THREADS;                                                                              \
        (error) = (call);                                                                                    \
        Py_END_ALLOW_THREADS;                                                                                \
    } while (0)

#define DATA(array) PyArray_DATA(array)

/* Any length, in an expected shape. */
enum { ANY = -1 };

/* Sets the exception for an error value: -1 if there was one, else 0. */
static int raise_error(amble_error error) {
    if (error.code == AMBLE_OK) {
        return 0;
    }
    PyErr_SetString(error.code == AMBLE_NO_MEMORY ? PyExc_MemoryError : PyExc_ValueError, error.message);
    return -1;
}

static const char *dtype_name(int type) {
    switch (type) {
    case NPY_FLOAT32:
        return "float32";
    case NPY_FLOAT64:
        return "float64";
    case NPY_INT32:
        return "int32";
    case NPY_UINT8:
        return "uint8";
    case NPY_INT64:
        return "int64";
    default:
        return "uint32";
    }
}

/* A shape as a tuple of ints, with "any" for ANY. A new reference. */
static PyObject *shape_tuple(int dims, const npy_intp *shape) {
    PyObject *tuple = PyTuple_New(dims);
    for (int i = 0; tuple && i < dims; i++) {
        PyObject *size = shape[i] == ANY ? PyUnicode_FromString("any") : PyLong_FromSsize_t(shape[i]);
        if (!size || PyTuple_SetItem(tuple, i, size) < 0) {
            Py_CLEAR(tuple);
        }
    }
    return tuple;
}

static void raise_shape(PyObject *object, const char *name, int dims, const npy_intp *shape) {
    PyObject *found = PyObject_GetAttrString(object, "shape");
    PyObject *expected = shape_tuple(dims, shape);
    if (found && expected) {
        PyErr_Format(PyExc_ValueError, "%s must have shape %S, not %S", name, expected, found);
    }
    Py_XDECREF(found);
    Py_XDECREF(expected);
}

/* The object as an array of exactly this dtype and shape, dense, aligned, in native byte order; NULL with an
 * exception if it is none. A borrowed reference: nothing is converted or copied. */
static PyArrayObject *array_in(PyObject *object, const char *name, int type, int dims,
                               const npy_intp *shape) {
    if (!PyArray_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s must be a NumPy array, not %R", name, (PyObject *)Py_TYPE(object));
        return NULL;
    }
    PyArrayObject *array = (PyArrayObject *)object;
    if (!PyArray_EquivTypenums(PyArray_TYPE(array), type)) {
        PyErr_Format(PyExc_TypeError, "%s must have dtype %s, not %S", name, dtype_name(type),
                     (PyObject *)PyArray_DESCR(array));
        return NULL;
    }
    if (!PyArray_ISNOTSWAPPED(array)) {
        PyErr_Format(PyExc_TypeError, "%s must be in the machine's byte order", name);
        return NULL;
    }
    int matches = PyArray_NDIM(array) == dims;
    for (int i = 0; matches && i < dims; i++) {
        matches = shape[i] == ANY || shape[i] == PyArray_DIM(array, i);
    }
    if (!matches) {
        raise_shape(object, name, dims, shape);
        return NULL;
    }
    if (!PyArray_IS_C_CONTIGUOUS(array)) {
        PyErr_Format(PyExc_ValueError, "%s must be C-contiguous; pass numpy.ascontiguousarray(%s)", name,
                     name);
        return NULL;
    }
    if (!PyArray_ISALIGNED(array)) {
        PyErr_Format(PyExc_ValueError, "%s must be aligned in memory; pass a copy", name);
        return NULL;
    }
    return array;
}

/* array_in for float32, with NaN, infinity and magnitudes over AMBLE_LARGEST refused. */
static PyArrayObject *floats_in(PyObject *object, const char *name, int dims, const npy_intp *shape) {
    PyArrayObject *array = array_in(object, name, NPY_FLOAT32, dims, shape);
    if (!array) {
        return NULL;
    }
    amble_error error;
    WITHOUT_GIL(error, amble_check_values(name, PyArray_DATA(array), PyArray_SIZE(array), AMBLE_LARGEST));
    return raise_error(error) < 0 ? NULL : array;
}

/* array_in for float64 with NaN and infinity refused. */
static PyArrayObject *doubles_in(PyObject *object, const char *name, int dims, const npy_intp *shape) {
    PyArrayObject *array = array_in(object, name, NPY_FLOAT64, dims, shape);
    return array && raise_error(amble_check_values_double(name, PyArray_DATA(array), PyArray_SIZE(array),
                                                          AMBLE_LARGEST)) < 0
               ? NULL
               : array;
}

/* So many doubles, as doubles_in checks them. NULL with an exception. */
static const double *vector_in(PyObject *object, const char *name, npy_intp size) {
    PyArrayObject *array = doubles_in(object, name, 1, &size);
    return array ? DATA(array) : NULL;
}

/* array_in for an array that may be None: *array is then NULL. -1 with an exception. */
static int floats_or_none(PyObject *object, const char *name, int dims, const npy_intp *shape,
                          PyArrayObject **array) {
    *array = NULL;
    if (object == Py_None) {
        return 0;
    }
    *array = floats_in(object, name, dims, shape);
    return *array ? 0 : -1;
}

/* A skeleton's arrays, checked. -1 with an exception. */
static int skeleton_in(PyObject *parents, PyObject *rest, PyObject *flags, amble_skeleton *out) {
    PyArrayObject *a = array_in(parents, "parents", NPY_INT32, 1, (npy_intp[]){ANY});
    if (!a) {
        return -1;
    }
    npy_intp bones = PyArray_DIM(a, 0);
    PyArrayObject *b = array_in(rest, "rest", NPY_FLOAT64, 3, (npy_intp[]){bones, 4, 4});
    PyArrayObject *c = b ? array_in(flags, "flags", NPY_UINT32, 1, (npy_intp[]){bones}) : NULL;
    if (!c) {
        return -1;
    }
    *out = (amble_skeleton){.bones = bones, .parents = DATA(a), .rest = DATA(b), .flags = DATA(c)};
    return 0;
}

/* A plain number; its range is for the core to check. Returns -1 with an exception if it is none. */
static int number_in(PyObject *object, const char *name, double *value) {
    *value = PyFloat_AsDouble(object);
    if (*value != -1.0 || !PyErr_Occurred()) {
        return 0;
    }
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s must be a number, not %R", name, (PyObject *)Py_TYPE(object));
    }
    return -1;
}

/* A whole number within int. -1 with an exception if it is none. */
static int int_in(PyObject *object, const char *name, int *value) {
    long number = PyLong_AsLong(object);
    if (number == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s must be a whole number", name);
        return -1;
    }
    *value = number < INT_MIN || number > INT_MAX ? INT_MAX : (int)number;
    return 0;
}

/* A new, uninitialised array. The product of its sizes is checked here, so that no count can wrap, empty
 * axes or not; `name` is the argument that the sizes came from. */
static PyArrayObject *array_new(const char *name, int type, int dims, const npy_intp *shape) {
    npy_intp room = NPY_MAX_INTP / (npy_intp)sizeof(double);
    for (int i = 0; i < dims; i++) {
        npy_intp size = shape[i] ? shape[i] : 1;
        if (size > room) {
            PyErr_Format(PyExc_ValueError, "%s is too large: the result would not fit in memory", name);
            return NULL;
        }
        room /= size;
    }
    return (PyArrayObject *)PyArray_SimpleNew(dims, shape, type);
}

/* A new array with the same values. */
static PyArrayObject *copy_of(PyArrayObject *array) {
    return (PyArrayObject *)PyArray_NewCopy(array, NPY_CORDER);
}

static int overlap(PyArrayObject *a, PyArrayObject *b) {
    const char *a_begin = PyArray_BYTES(a);
    const char *b_begin = PyArray_BYTES(b);
    return a_begin < b_begin + PyArray_NBYTES(b) && b_begin < a_begin + PyArray_NBYTES(a);
}

/* The caller's array `out` for a result, as a new reference: right dtype and shape, writable, apart from
 * `input`. None makes a new one. */
static PyArrayObject *array_out(PyObject *object, const char *source, PyArrayObject *input, int type,
                                int dims, const npy_intp *shape) {
    if (object == Py_None) {
        return array_new(source, type, dims, shape);
    }
    PyArrayObject *array = array_in(object, "out", type, dims, shape);
    if (!array) {
        return NULL;
    }
    if (!PyArray_ISWRITEABLE(array)) {
        PyErr_SetString(PyExc_ValueError, "out must be writable");
        return NULL;
    }
    if (overlap(array, input)) {
        PyErr_Format(PyExc_ValueError, "out must not share memory with %s", source);
        return NULL;
    }
    Py_INCREF((PyObject *)array);
    return array;
}

/* Drops results that are not to be returned, NULL among them or not. Returns NULL. */
static PyObject *release_all(PyArrayObject **arrays, int count) {
    for (int i = 0; i < count; i++) {
        Py_XDECREF((PyObject *)arrays[i]);
    }
    return NULL;
}

/* A tuple that takes over the references. */
static PyObject *tuple_of(PyArrayObject **arrays, int count) {
    PyObject *tuple = PyTuple_New(count);
    if (!tuple) {
        return release_all(arrays, count);
    }
    for (int i = 0; i < count; i++) {
        PyTuple_SetItem(tuple, i, (PyObject *)arrays[i]);
    }
    return tuple;
}

/* Entry of the method table. */
#define ENTRY(name) {#name, (PyCFunction)(void (*)(void))(name), METH_VARARGS | METH_KEYWORDS, name##_doc}

#endif

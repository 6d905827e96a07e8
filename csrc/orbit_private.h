/* What the files of the orbit gait share. Private to orbit_*.c. */
#ifndef AMBLE_ORBIT_PRIVATE_H
#define AMBLE_ORBIT_PRIVATE_H

#include "orbit_gait.h"
#include "quat.h"

#include <stdbool.h>

static const vec upright = {0.0, 0.0, 1.0};

/* Frame f of three rows (3, frames). */
static inline vec vec_of(const double *rows, int64_t frames, int64_t f) {
    return (vec){rows[f], rows[frames + f], rows[2 * frames + f]};
}

static inline void put_vec(double *rows, int64_t frames, int64_t f, vec v) {
    rows[f] = v.x;
    rows[frames + f] = v.y;
    rows[2 * frames + f] = v.z;
}

/* Level unit vector of a facing; 0 where it has no level part. */
static inline vec level_of(vec facing) { return vec_normalise((vec){facing.x, facing.y, 0.0}); }

static inline vec left_of(vec facing) { return (vec){-facing.y, facing.x, 0.0}; }

/* v from the axes of a level unit facing to those that it is given in. */
static inline vec turned_to(vec facing, vec v) {
    return (vec){facing.x * v.x - facing.y * v.y, facing.y * v.x + facing.x * v.y, v.z};
}

/* Fails where a frame of the course cannot be. */
amble_error check_course(const amble_course *course);

#endif

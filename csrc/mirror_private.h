/* What the parts of the mirror share. Private to the core. */
#ifndef AMBLE_MIRROR_PRIVATE_H
#define AMBLE_MIRROR_PRIVATE_H

#include "matrix.h"
#include "mirror.h"

#include <stdbool.h>

/* S and T of mirror.h, each a matrix and what it adds. */
typedef struct mirror_frame {
    mat3 reflect, turn;
    double reflect_move[3], turn_move[3];
} mirror_frame;

/* Constants of one bone, laid out as those of amble_mirror_maps(). */
typedef struct mirror_map {
    double rotation[16], location[12], scale[9];
    bool general;
} mirror_map;

/* Checks everything that a plan and its skeleton must be. */
amble_error mirror_set_up(const amble_skeleton *skeleton, const amble_mirror_plan *plan, mirror_frame *out);

void mirror_bone_map(const amble_skeleton *skeleton, const amble_mirror_plan *plan, const mirror_frame *frame,
                     int64_t bone, mirror_map *out);

/* Y of mirror.h: the bone's axes as its partner's axes see their reflection. */
mat3 mirror_axes(const amble_skeleton *skeleton, const amble_mirror_plan *plan, const mirror_frame *frame,
                 int64_t bone);

/* The channels in `out` of bones that have no constants, worked out from the poses of the whole clip. */
amble_error mirror_general(const amble_skeleton *skeleton, const amble_mirror_plan *plan,
                           const mirror_frame *frame, int64_t frames, const float *channels, float *out);

#endif

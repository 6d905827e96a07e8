/* A bone of a skeleton, set up once and then posed at any frame in double: what forward and inverse
 * kinematics share. Private to the core.
 */
#ifndef AMBLE_BONE_H
#define AMBLE_BONE_H

#include "amble.h"

#include <stdbool.h>

/* What is the same for all frames of a bone. */
typedef struct amble_bone {
    int64_t parent; /* -1: none */
    bool connected, no_rotation, no_local_location;
    amble_inherit_scale scale;
    double offset[3][4];      /* O: rest relative to the parent's rest, rows */
    double parent_rest[3][3]; /* the parent's rest rotation in armature space */
} amble_bone;

/* Sets up bone `index` of a skeleton, with every check. Errors: those of amble_forward_kinematics(). */
amble_error amble_bone_set_up(const amble_skeleton *skeleton, int64_t index, amble_bone *out);

/* Pose of the bone in armature space, three rows of four, from its channels (10) and its parent's pose; NULL
 * stands for the armature itself. Any flags. */
void amble_bone_pose(const amble_bone *bone, const double channels[10], double (*parent)[4],
                     double out[3][4]);

#endif

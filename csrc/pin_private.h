/* One chain at one frame: what pin.c reads from a pose and pin_solve.c turns. Private to the two. */
#ifndef AMBLE_PIN_PRIVATE_H
#define AMBLE_PIN_PRIVATE_H

#include "pin.h"
#include "quat.h"

#include <stdbool.h>

typedef struct pin_chain {
    int bones;
    vec head[AMBLE_PIN_BONES + 1]; /* joints, then the end */
    vec hinge[AMBLE_PIN_BONES];    /* hint of each joint's axis, armature space; 0 for none */
    bool bound[AMBLE_PIN_BONES];   /* the hint is the axis */
    double soft;
} pin_chain;

/* The turns, in armature space, that bring the chain's end to `target`: turn[0] about the first joint, then
 * each joint's own turn relative to the joint before. Returns how far from the first joint the end then is.
 */
double pin_solve(const pin_chain *chain, vec target, quat turn[AMBLE_PIN_BONES]);

#endif

/* Pins: inverse kinematics that holds feet and hands where they are, with the least change of a given pose.
 *
 * A chain of 1 .. n bones leads from a hip or shoulder to an end (foot, hand). Its bones are turned, and no
 * others, until a point of the end lies where it is to lie, and the end is turned as it is to be:
 *  - the bones after the first bend about the axes that they are bent about in the given pose, all in
 *    proportion, until the end is as far from the root as its target;
 *  - then the whole chain swings about its root towards the target, keeping the plane that it bends in.
 * Each frame's result depends on that frame's pose and target alone, and smoothly: the same pose gives the
 * same solution, whatever came before.
 */
#ifndef AMBLE_PIN_H
#define AMBLE_PIN_H

#include "amble.h"

/* Most bones of a chain. */
#define AMBLE_PIN_BONES 64

typedef struct amble_pin {
    int64_t bones;        /* 1 .. AMBLE_PIN_BONES */
    const int32_t *chain; /* (bones,): those that turn, root first, each an ancestor of the next; bones
                             between them (halves of a cut thigh, twist bones) keep their channels */
    int32_t end;          /* bone that is held: the last of the chain, or a descendant of it */
    double point[3];      /* what of it is held, in its own axes; 0, 0, 0 is its head */
    int32_t turned;       /* 1: its orientation is held too, by its own rotation; `end` is not in the chain */
    const double *hinges; /* (bones, 3), in each bone's own axes: the axis that a positive turn about bends it
                             further. Used as far as the given pose is too straight to tell (under some 3
                             degrees), 0 for none; the first bone's is of no account */
    const int32_t
        *bound;  /* (bones,): 1 where the hinge is the only axis that the bone may turn about; NULL: none */
    double soft; /* 0 .. 0.5: share of the full length over which the chain slows down towards full
                    reach (and towards folded up), so that it never stops with a jolt. What lies within
                    misses its target by up to half of that; but a target as far as the given pose is,
                    or nearer, is always met */
} amble_pin;

/* Where a bone's point is, and how the bone is turned.
 *
 * channels: (bones, 10, frames), as in amble_forward_kinematics(). ends: (count,) bones; points: (count, 3)
 * in their own axes. places: (count, 7, frames): the point in armature space, then the bone's orientation (w,
 * x, y, z), scale left out. Errors: those of the skeleton; bones that are not there; memory. */
amble_error amble_pin_places(const amble_skeleton *skeleton, int64_t frames, const float *channels,
                             int64_t count, const int32_t *ends, const double *points, float *places);

/* Turns the bones of each pin's chain in `channels`, in place, so that its end is where `places` has it.
 *
 * channels: (bones, 10, frames); only rotations of bones in chains and of turned ends change. Frames whose
 * end is at its place already, to float32's precision, stay as they are, to the bit. places:  (count, 7,
 * places_frames), as amble_pin_places() gives them; places_frames is `frames`, or 1 for places that stay.
 * miss:    (count, frames): how far the point is off its place in the end.
 * Pins are solved in turn, so that a chain on another's comes after it. Bones that inherit no rotation, or
 * scale in odd ways, are met by repeating the solution; up to 4 times.
 * Errors:  those of the skeleton; chains, ends, soft out of range; memory. |values| of channels and places up
 *          to AMBLE_LARGEST. */
amble_error amble_pin_hold(const amble_skeleton *skeleton, int64_t count, const amble_pin *pins,
                           int64_t frames, int64_t places_frames, const float *places, float *channels,
                           float *miss);

#endif

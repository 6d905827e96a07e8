/* The mirror image of a motion (JP4136341B2, M6): exact on any rest pose, worked out in armature space.
 *
 * With R a bone's rest and P its pose, D = P R^-1 is what the motion does to the body where the bone is. The
 * mirrored body does S D S there on the other side, S being the reflection about the body's own plane: the
 * partner's pose becomes P' = T S D S R'. T turns the whole about the reference line where another vertical
 * plane than the body's own is asked for: a reflection about a plane that is turned by an angle is the body's
 * own followed by a turn of twice the angle.
 *
 * From pose back to channels. Let M be a bone's own transform by its channels, so that in an unbroken tree
 * D = D_parent (R M R^-1). Then S D S = (S D_parent S) (S R M R^-1 S), and the partner's own transform is
 *
 *     M' = X M Y,   X = R'^-1 S R,   Y = X^-1 :
 *
 * the same two constants at every frame. So its quaternion is a constant 4 by 4 matrix times the bone's, its
 * location a 3 by 3 one, and curves map key by key and handle by handle, between the keys as on them. Bones
 * that turn with the armature instead of a parent (roots, and such as do not inherit rotation) have T in X.
 *
 * Where two rest poses are no mirror images of each other, joints stay where their own skeleton has them:
 * only what is turned, moved and scaled is mirrored.
 */
#ifndef AMBLE_MIRROR_H
#define AMBLE_MIRROR_H

#include "amble.h"

typedef struct amble_mirror_plan {
    const int32_t *partner; /* (bones,): the bone on the other side, itself for one in the middle */
    double plane[4]; /* the body's own: normal of any length but 0, and distance from the origin along it,
                        of that length: points x with normal . x = distance */
    double turn[12]; /* T, the upper three rows of a rigid motion */
    int whole_pose;  /* 0: deformations are mirrored, so that the rest pose stays. 1: poses are mirrored as
                        they are seen, for rest poses that differ only because somebody drew them so: each
                        bone's direction becomes the image of its partner's, whatever their rests */
} amble_mirror_plan;

/* Constants of every bone's mirror image, taken from its partner's channels.
 *
 * rotation: (bones, 4, 4): times the partner's quaternion; never changes its length.
 * location: (bones, 3, 4): three columns times the partner's location, and what is added.
 * scale:    (bones, 3, 3): times the partner's scale; exact where the partner's axes lie along the bone's or
 *           its scales are equal on those that do not.
 * general:  (bones,): 1 where there are no constants, as the two bones hang on bones that are no partners,
 *           or inherit unlike each other: amble_mirror() has to be asked then. Else 0.
 * Errors:   those of amble_forward_kinematics(); partners out of range or not of one another; a plane without
 *           normal; a turn that is no rigid motion. */
amble_error amble_mirror_maps(const amble_skeleton *skeleton, const amble_mirror_plan *plan, double *rotation,
                              double *location, double *scale, int32_t *general);

/* The mirrored channels of a whole clip; channels, out: (bones, 10, frames), as amble_forward_kinematics()
 * takes them. Every bone, any flags. Quaternions keep their lengths, and change sign only where the partner's
 * do; those of general bones are of unit length and continuous. Errors: as amble_mirror_maps(), and memory.
 */
amble_error amble_mirror(const amble_skeleton *skeleton, const amble_mirror_plan *plan, int64_t frames,
                         const float *channels, float *out);

#endif

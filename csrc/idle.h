/* Idle: changes from a base pose, laid on any held pose of many characters (JP5635161B2).
 *
 * A set holds, joint by joint, how a pose changes over a set's own time (I2): each bone's further rotation as
 * a rotation vector in its own axes (axis times angle), and for a few bones a further location. Sets are tied
 * to conditions (I5); a character mixes them by weights, each at a time of its own (I8):
 *
 *   change(f)   = coefficient * sum over sets of weight[f] * (set at time[f] - set at its origin)
 *   rotation(f) = held rotation * turn by change(f)
 *
 * Where all times are at their origins the change is 0 and the rotation the held one, to the bit (I7).
 * Negative weights take away (I10). The joints that are pinned are then put right by amble_pin_hold() (I6).
 */
#ifndef AMBLE_IDLE_H
#define AMBLE_IDLE_H

#include "amble.h"

/* What lies between two samples. */
typedef enum amble_idle_between {
    AMBLE_IDLE_LINEAR = 0,
    AMBLE_IDLE_SMOOTH = 1, /* cubics, as steep at a sample as the line between its neighbours */
} amble_idle_between;

/* What comes after the last sample. */
typedef enum amble_idle_after {
    AMBLE_IDLE_AGAIN =
        0, /* the first one again: the last sample's time is the period, its values the first's */
    AMBLE_IDLE_BACK = 1, /* back to the first, and again, for as long as the pose is held (I3) */
    AMBLE_IDLE_STAY = 2, /* nothing more; nor is there anything before the first */
} amble_idle_after;

typedef struct amble_idle_set {
    int64_t samples;     /* 2 or more */
    const double *times; /* (samples,): rising, the first one 0; in any unit */
    const float *turns;  /* (turning, 3, samples): rotation vectors, radians, in each bone's own axes */
    const float *moves;  /* (moving, 3, samples): locations, as channels have them */
    int64_t stride;      /* floats from a row of these two to the next: `samples`, or more */
    amble_idle_between between;
    amble_idle_after after;
} amble_idle_set;

typedef struct amble_idle_characters {
    int64_t count;
    const float *held_turns;   /* (count, turning, 4): w, x, y, z */
    const float *held_moves;   /* (count, moving, 3) */
    const float *coefficients; /* (count, turning + moving): factor on each bone's change */
    const double *times;       /* (count, sets, frames): where in each set, in the unit of its times */
    const double *origins;     /* (count, sets): the time at which a set changes nothing */
    const float *weights;      /* (count, sets, frames) */
} amble_idle_characters;

/* turns: (count, turning, 4, frames), moves: (count, moving, 3, frames).
 * Errors: samples under 2, times that do not rise from 0, enumerations; |times| and changes over
 * AMBLE_LARGEST or NaN; memory. Held rotations of any length keep it. Same bits however frames and characters
 * are cut into calls. */
amble_error amble_idle(int64_t turning, int64_t moving, int64_t sets, const amble_idle_set *set,
                       const amble_idle_characters *characters, int64_t frames, float *turns, float *moves);

/* The factor of I4: how much farther a joint is opened in the held pose than in the base pose.
 *
 * base, held: (count,), angles of a joint, radians; their signs are of no account, as the change has its own
 *          axis. With b and h the two magnitudes, none taken for less than `least`, the factor is h / b, and
 *          at most `most`. So it is exactly the ratio where both are over `least`; 1 where the angles are
 *          equal, also at 0; and continuous, rising in h and falling in b everywhere.
 * least:   over 0. most: 1 or more. Errors: out of range; NaN. */
amble_error amble_idle_coefficients(int64_t count, const double *base, const double *held, double least,
                                    double most, double *out);

/* Angles between each bone's direction and its parent's in a pose: 0 where a joint is straight.
 * pose: (bones, 12, 1) as of amble_forward_kinematics(). out: (bones,), radians; 0 for bones without parent.
 */
void amble_idle_joint_angles(const amble_skeleton *skeleton, const float *pose, double *out);

typedef struct amble_idle_clock {
    double cycles;    /* in the time from 0 to 1: whole for a loop */
    double phase;     /* cycles gone at time 0 */
    double variation; /* 0 .. 0.9: by what share cycles may differ in time, and gains from 1 */
    uint64_t seed;
} amble_idle_clock;

/* A clock that never ticks quite alike, yet closes: cycles differ in length and strength as sums of slow
 * waves, drawn by the seed, that all go round a whole number of times from 0 to 1.
 *
 * time:   (frames,), 1 being the loop's length.
 * phases: (count, frames): cycles gone, rising; phase at time 0, and phase + cycles at time 1.
 * gains:  (count, frames): factor on the strength, within variation of 1; at time 1 as at time 0.
 * A clock of less than two cycles is even. Errors: cycles outside 1e-6 .. 1e6, variation, |time| and phase
 * over 1e4; NaN. */
amble_error amble_idle_clocks(int64_t count, const amble_idle_clock *clocks, int64_t frames,
                              const double *time, double *phases, float *gains);

/* Differences from a held pose as a layer that multiplies them back on: rotation = held * difference.
 *
 * The angle of each difference is `factor` times as large, for a layer that is played at 1 / factor. Software
 * that takes a small angle from a float32's w alone, as Blender's NLA does, rounds it to steps of up to 0.04
 * degrees; of a large one it loses 1e-7 radians.
 *
 * held:   (count, 4), rotations of any length but 0, w, x, y, z; turns, slopes: (count, 4, frames), rotations
 *         near the held ones and their change per frame; factor: over 0, at most 1e6.
 * differences, changes: (count, 4, frames), unit quaternions and their change per frame; the sign is that of
 *         the short way. Where turns are the held ones, the difference is the identity.
 * largest: angle of the largest difference before the factor, radians.
 * Errors: factor; NaN and |values| over AMBLE_LARGEST. */
amble_error amble_idle_layer(int64_t count, int64_t frames, const float *held, const float *turns,
                             const float *slopes, double factor, float *differences, float *changes,
                             double *largest);

#endif

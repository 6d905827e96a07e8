/* Feet of an orbit gait on the terrain. */
#include "check.h"
#include "orbit_private.h"

/* One foot in one frame. */
typedef struct foot {
    vec place, velocity;
    vec sole, sole_velocity; /* unit vector out of the sole, in the foot's level axes */
    bool down;
} foot;

/* Out of the ground, and let down where the body is slow (S36 .. S39). standing: z of the part on the ground;
 * rise: how fast that changes under it. */
static void set_height(const double *ride, double speed, double standing, double rise, foot *at) {
    double above = at->place.z - standing;
    double threshold = ride[AMBLE_RIDE_THRESHOLD];
    if (above < 0.0) {
        at->place.z = standing;
        at->velocity.z = rise;
    } else if (speed < threshold) {
        double share = speed / threshold;
        at->place.z = standing + share * above;
        at->velocity.z = rise + share * (at->velocity.z - rise);
    }
}

/* A unit vector turned towards straight up by an angle, no farther. */
static vec raised(vec sole, double angle) {
    double across = sqrt(sole.x * sole.x + sole.y * sole.y);
    double from = amble_atan2(across, sole.z);
    if (!(angle < from)) {
        return upright;
    }
    double s;
    double c;
    amble_sincos(from - angle, &s, &c);
    return (vec){sole.x * s / across, sole.y * s / across, c};
}

/* A part's foot in one frame. normal: of the ground, unit; last: its sole in the frame before. */
static foot land(const double *ride, const double *row, vec facing, double speed, double dt, double height,
                 vec normal, vec last, foot at) {
    /* The sole lies in the ground's plane when the ankle is a clearance away along the normal, which is
     * clearance / normal.z straight up. */
    double standing = height + row[AMBLE_ORBIT_CLEARANCE] / normal.z;
    double rise = -(normal.x * at.velocity.x + normal.y * at.velocity.y) / normal.z;
    set_height(ride, speed, standing, rise, &at);
    at.down = at.place.z - standing < ride[AMBLE_RIDE_DOWN];
    double s;
    double c;
    amble_sincos(row[AMBLE_ORBIT_TOE_OUT], &s, &c);
    vec direction = turned_to(facing, (vec){c, s, 0.0});
    at.sole = at.down ? (vec){vec_dot(normal, direction), vec_dot(normal, left_of(direction)), normal.z}
                      : raised(last, ride[AMBLE_RIDE_STEP] * dt);
    at.sole_velocity = dt > 0.0 ? vec_scale(vec_sub(at.sole, last), 1.0 / dt) : (vec){0.0, 0.0, 0.0};
    return at;
}

static amble_error check_ground(const amble_orbit_ground *ground, int64_t lands, int64_t frames) {
    AMBLE_TRY(amble_check_values_double("height", ground->height, lands * frames, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("normal", ground->normal, 3 * lands * frames, AMBLE_LARGEST));
    for (int64_t i = 0; i < lands; i++) {
        for (int64_t f = 0; f < frames; f++) {
            vec normal = vec_of(ground->normal + 3 * i * frames, frames, f);
            if (!(normal.z > 1e-3 * vec_length(normal))) {
                return amble_fail(AMBLE_BAD_VALUE,
                                  "normal must point up; in row %lld, frame %lld it does not", (long long)i,
                                  (long long)f);
            }
        }
    }
    return AMBLE_SUCCESS;
}

/* All frames of one part. state: (3,); track, sole: (6, frames). */
static void land_part(const amble_orbits *orbits, const double *row, const amble_course *course,
                      const double *track, const double *height, const double *normal, double *state,
                      double *out, double *sole, int32_t *down) {
    int64_t frames = course->frames;
    vec last = {state[0], state[1], state[2]};
    if (vec_length(last) == 0.0) {
        last = upright;
    }
    for (int64_t f = 0; f < frames; f++) {
        foot at = {.place = vec_of(track, frames, f), .velocity = vec_of(track + 3 * frames, frames, f)};
        at = land(orbits->ride, row, level_of(vec_of(course->facing, frames, f)),
                  vec_length(vec_of(course->velocity, frames, f)), course->dt[f], height[f],
                  vec_normalise(vec_of(normal, frames, f)), last, at);
        put_vec(out, frames, f, at.place);
        put_vec(out + 3 * frames, frames, f, at.velocity);
        put_vec(sole, frames, f, at.sole);
        put_vec(sole + 3 * frames, frames, f, at.sole_velocity);
        down[f] = at.down;
        last = at.sole;
    }
    state[0] = last.x;
    state[1] = last.y;
    state[2] = last.z;
}

amble_error amble_orbit_land(const amble_orbits *orbits, const amble_course *course, const double *tracks,
                             const amble_orbit_ground *ground, double *state, const amble_landing *landing) {
    int64_t frames = course->frames;
    int64_t lands;
    AMBLE_TRY(amble_check_orbits(orbits, &lands));
    AMBLE_TRY(check_course(course));
    AMBLE_TRY(check_ground(ground, lands, frames));
    AMBLE_TRY(amble_check_values_double("tracks", tracks, 6 * orbits->parts * frames, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("state", state, 3 * lands, 1.001));
    int64_t n = 0;
    for (int64_t i = 0; i < orbits->parts; i++) {
        const double *row = orbits->part + i * AMBLE_ORBIT_FIELDS;
        if (row[AMBLE_ORBIT_LANDS] != 1.0) {
            continue;
        }
        land_part(orbits, row, course, tracks + i * 6 * frames, ground->height + n * frames,
                  ground->normal + 3 * n * frames, state + 3 * n, landing->tracks + 6 * n * frames,
                  landing->soles + 6 * n * frames, landing->down + n * frames);
        n++;
    }
    return AMBLE_SUCCESS;
}

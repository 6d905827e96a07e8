/* Names, ranges and checks of what an orbit gait is told. */
#include "check.h"
#include "orbit_private.h"

#define LARGE AMBLE_LARGEST
#define ANGLE AMBLE_LARGEST_PHASE
#define VECTOR(name, most)                                                                                   \
    {name "_forward", -(most), (most)}, {name "_left", -(most), (most)}, { name "_up", -(most), (most) }
#define SIZE(name)                                                                                           \
    {name "_length", 0.0, LARGE}, {name "_height", 0.0, LARGE}, { name "_tilt", -ANGLE, ANGLE }

static const amble_orbit_info fields[] = {
    {"curve", 0.0, 2.0},       {"pace", 0.0, 1.0},         {"on", -1.0, 1e6},
    {"top", 0.0, 1.0},         {"source", -1.0, 1e6},      {"corners", 0.0, AMBLE_MOST_CORNERS},
    {"lands", 0.0, 1.0},       VECTOR("centre", LARGE),    VECTOR("ahead", 1.001),
    VECTOR("upward", 1.001),   VECTOR("echo", 1e6),        {"auxiliary", 0.0, LARGE},
    {"rate", -1e6, 1e6},       {"phase", -ANGLE, ANGLE},   {"spin", -1e6, 1e6},
    {"clearance", 0.0, LARGE}, {"toe_out", -ANGLE, ANGLE}, SIZE("forward_slow"),
    SIZE("forward_fast"),      SIZE("backward_slow"),      SIZE("backward_fast"),
    SIZE("sideways_slow"),     SIZE("sideways_fast"),
};
_Static_assert(sizeof fields / sizeof *fields == AMBLE_ORBIT_FIELDS, "a name for every field");

static const amble_orbit_info settings[AMBLE_RIDE_SETTINGS] = {
    [AMBLE_RIDE_SLOW] = {"slow", 0.0, LARGE},     [AMBLE_RIDE_FAST] = {"fast", 0.0, LARGE},
    [AMBLE_RIDE_RATE] = {"rate", 0.0, LARGE},     [AMBLE_RIDE_LEADER] = {"leader", 0.0, 1e6},
    [AMBLE_RIDE_AXES] = {"axes", 1e-6, 1e6},      [AMBLE_RIDE_THRESHOLD] = {"threshold", 0.0, LARGE},
    [AMBLE_RIDE_GROWTH] = {"growth", 0.0, 1e6},   [AMBLE_RIDE_GROWTH_TIME] = {"growth_time", 0.0, 1e6},
    [AMBLE_RIDE_REVERSE] = {"reverse", 0.0, 1.0}, [AMBLE_RIDE_EASE] = {"ease", 0.0, 1e6},
    [AMBLE_RIDE_STEP] = {"step", 0.0, 1e6},       [AMBLE_RIDE_DOWN] = {"down", 0.0, LARGE},
};

const amble_orbit_info *amble_orbit_field_info(int64_t index) {
    return index >= 0 && index < AMBLE_ORBIT_FIELDS ? &fields[index] : NULL;
}

const amble_orbit_info *amble_ride_setting_info(int64_t index) {
    return index >= 0 && index < AMBLE_RIDE_SETTINGS ? &settings[index] : NULL;
}

static amble_error in_part(int64_t part, amble_error error) {
    return error.code == AMBLE_OK
               ? error
               : amble_fail(error.code, "orbits[%lld]: %s", (long long)part, error.message);
}

static amble_error check_whole(int place, double value) {
    return floor(value) == value
               ? AMBLE_SUCCESS
               : amble_fail(AMBLE_BAD_VALUE, "%s must be a whole number, not %g", fields[place].name, value);
}

/* Fails unless the part that a field names comes before this one. */
static amble_error check_before(int place, double value, int64_t part) {
    return value < (double)part ? AMBLE_SUCCESS
                                : amble_fail(AMBLE_BAD_VALUE, "%s must be a part before this one, not %g",
                                             fields[place].name, value);
}

static amble_error check_plane(const double *row) {
    vec ahead = {row[AMBLE_ORBIT_AHEAD], row[AMBLE_ORBIT_AHEAD + 1], row[AMBLE_ORBIT_AHEAD + 2]};
    vec upward = {row[AMBLE_ORBIT_UPWARD], row[AMBLE_ORBIT_UPWARD + 1], row[AMBLE_ORBIT_UPWARD + 2]};
    if (!(fabs(vec_dot(ahead, ahead) - 1.0) < 1e-6 && fabs(vec_dot(upward, upward) - 1.0) < 1e-6 &&
          fabs(vec_dot(ahead, upward)) < 1e-6)) {
        return amble_fail(AMBLE_BAD_VALUE, "ahead and upward must be unit vectors at right angles");
    }
    return AMBLE_SUCCESS;
}

static amble_error check_part(const double *row, int64_t part) {
    for (int i = 0; i < AMBLE_ORBIT_FIELDS; i++) {
        AMBLE_TRY(amble_check_number(fields[i].name, row[i], fields[i].low, fields[i].high));
    }
    static const int whole[] = {AMBLE_ORBIT_CURVE,  AMBLE_ORBIT_PACE,    AMBLE_ORBIT_ON,   AMBLE_ORBIT_TOP,
                                AMBLE_ORBIT_SOURCE, AMBLE_ORBIT_CORNERS, AMBLE_ORBIT_LANDS};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        AMBLE_TRY(check_whole(whole[i], row[whole[i]]));
    }
    AMBLE_TRY(check_before(AMBLE_ORBIT_ON, row[AMBLE_ORBIT_ON], part));
    AMBLE_TRY(check_before(AMBLE_ORBIT_SOURCE, row[AMBLE_ORBIT_SOURCE], part));
    if (row[AMBLE_ORBIT_CURVE] == AMBLE_CURVE_ECHO) {
        return amble_check_number("source", row[AMBLE_ORBIT_SOURCE], 0.0, 1e6);
    }
    if (row[AMBLE_ORBIT_CURVE] == AMBLE_CURVE_POLYGON) {
        AMBLE_TRY(amble_check_number("corners", row[AMBLE_ORBIT_CORNERS], 2.0, AMBLE_MOST_CORNERS));
    }
    return check_plane(row);
}

static amble_error check_ride(const amble_orbits *orbits) {
    const double *ride = orbits->ride;
    for (int i = 0; i < AMBLE_RIDE_SETTINGS; i++) {
        AMBLE_TRY(amble_check_number(settings[i].name, ride[i], settings[i].low, settings[i].high));
    }
    if (!(ride[AMBLE_RIDE_SLOW] < ride[AMBLE_RIDE_FAST])) {
        return amble_fail(AMBLE_BAD_VALUE, "fast must be more than slow, %g, not %g", ride[AMBLE_RIDE_SLOW],
                          ride[AMBLE_RIDE_FAST]);
    }
    double leader = ride[AMBLE_RIDE_LEADER];
    if (!(floor(leader) == leader && leader < (double)orbits->parts)) {
        return amble_fail(AMBLE_BAD_VALUE, "leader must be one of %lld parts, not %g",
                          (long long)orbits->parts, leader);
    }
    return AMBLE_SUCCESS;
}

amble_error amble_check_orbits(const amble_orbits *orbits, int64_t *lands) {
    if (orbits->parts < 1) {
        return amble_fail(AMBLE_BAD_VALUE, "orbits must hold at least one part");
    }
    int64_t corners = 0;
    *lands = 0;
    for (int64_t i = 0; i < orbits->parts; i++) {
        const double *row = orbits->part + i * AMBLE_ORBIT_FIELDS;
        AMBLE_TRY(in_part(i, check_part(row, i)));
        corners += row[AMBLE_ORBIT_CURVE] == AMBLE_CURVE_POLYGON ? (int64_t)row[AMBLE_ORBIT_CORNERS] : 0;
        *lands += row[AMBLE_ORBIT_LANDS] == 1.0;
    }
    if (corners != orbits->corners) {
        return amble_fail(AMBLE_BAD_VALUE, "vertices must be %lld, as many as the polygons have, not %lld",
                          (long long)corners, (long long)orbits->corners);
    }
    AMBLE_TRY(amble_check_values_double("vertices", orbits->vertices, 2 * corners, AMBLE_LARGEST));
    return check_ride(orbits);
}

amble_error check_course(const amble_course *course) {
    int64_t frames = course->frames;
    AMBLE_TRY(amble_check_values_double("position", course->position, 3 * frames, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("velocity", course->velocity, 3 * frames, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("facing", course->facing, 3 * frames, AMBLE_LARGEST));
    for (int64_t f = 0; f < frames; f++) {
        AMBLE_TRY(amble_check_number("dt", course->dt[f], 0.0, 1e6));
        vec facing = vec_of(course->facing, frames, f);
        if (!(fabs(facing.x) > 1e-9 || fabs(facing.y) > 1e-9)) {
            return amble_fail(AMBLE_BAD_VALUE, "facing must have a level part; in frame %lld it has none",
                              (long long)f);
        }
    }
    return AMBLE_SUCCESS;
}

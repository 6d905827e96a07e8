/* Parts on their orbits, frame by frame. */
#include "check.h"
#include "orbit_private.h"

#include <stdlib.h>

/* The character in one frame. */
typedef struct moment {
    vec position, velocity, facing;
    double dt, speed;
    double share;               /* of the fast sizes */
    double rate;                /* of the travel's angle, a second */
    double turning;             /* of the facing, a second */
    double going[AMBLE_GOINGS]; /* weights */
} moment;

/* A part in one frame. */
typedef struct riding {
    vec place, velocity;
    vec way, way_velocity; /* from its orbit's centre, in the character's axes */
    double phase;
} riding;

/* An orbit's sizes in one frame. */
typedef struct sizes {
    double length, height, tilt;
} sizes;

/* ---- The travel ---- */

static double clamped(double x) { return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x; }

/* A value that follows another in `time` seconds, as a step of dt takes it there: all of it where both are 0.
 */
static double follow_share(double dt, double time) { return time > 0.0 ? dt / (time + dt) : 1.0; }

/* How far the direction of travel in the character's axes has changed, 0 .. 1, and the state that remembers
 * it (G9). A change that takes long against GROWTH_TIME is followed, and counts for little. */
static double change_of_direction(const double *ride, double dt, vec direction, double *state) {
    double *memory = state + AMBLE_STATE_DIRECTION;
    double change = 0.0;
    double share = 1.0;
    if (state[AMBLE_STATE_MOVED] != 0.0) {
        double x = direction.x - memory[0];
        double y = direction.y - memory[1];
        change = clamped(0.5 * sqrt(x * x + y * y));
        share = follow_share(dt, ride[AMBLE_RIDE_GROWTH_TIME]);
    }
    state[AMBLE_STATE_MOVED] = 1.0;
    memory[0] += share * (direction.x - memory[0]);
    memory[1] += share * (direction.y - memory[1]);
    return change;
}

/* Weights of the ways of going in the sizes. Standing still is the last way that was gone, at first forward.
 */
static void weigh_going(const double *ride, const moment *now, double r, double *state) {
    double *weights = state + AMBLE_STATE_GOING;
    bool fresh = weights[0] + weights[1] + weights[2] == 0.0;
    if (now->speed == 0.0 && !fresh) {
        return;
    }
    int going = AMBLE_GOING_SIDEWAYS;
    if (now->speed == 0.0 || r >= 0.5) {
        going = AMBLE_GOING_FORWARD;
    } else if (r <= -0.5) {
        going = AMBLE_GOING_BACKWARD;
    }
    double share = fresh ? 1.0 : follow_share(now->dt, ride[AMBLE_RIDE_EASE]);
    for (int i = 0; i < AMBLE_GOINGS; i++) {
        double target = i == going ? 1.0 : 0.0;
        weights[i] = share == 1.0 ? target : weights[i] + share * (target - weights[i]);
    }
}

static amble_going going_of(const double *weights) {
    amble_going going = AMBLE_GOING_FORWARD;
    for (int i = 1; i < AMBLE_GOINGS; i++) {
        going = weights[i] > weights[going] ? (amble_going)i : going;
    }
    return going;
}

static double turn_since(double *state, vec facing, double dt) {
    double *last = state + AMBLE_STATE_FACING;
    double turning = 0.0;
    if (state[AMBLE_STATE_FACED] != 0.0 && dt > 0.0) {
        turning =
            amble_atan2(last[0] * facing.y - last[1] * facing.x, last[0] * facing.x + last[1] * facing.y) /
            dt;
    }
    state[AMBLE_STATE_FACED] = 1.0;
    last[0] = facing.x;
    last[1] = facing.y;
    return turning;
}

static double mixed(const double *row, int size, const moment *now) {
    double sum = 0.0;
    for (int i = 0; i < AMBLE_GOINGS; i++) {
        const double *slow = row + AMBLE_ORBIT_SIZE + (int64_t)i * 2 * AMBLE_SIZES + size;
        sum += now->going[i] * (slow[0] + now->share * (slow[AMBLE_SIZES] - slow[0]));
    }
    return sum;
}

/* Angle of the travel a length: given, or such that the leader goes round once while the body goes AXES
 * lengths of its orbit. */
static amble_error travel_rate(const amble_orbits *orbits, const moment *now, double *rate) {
    *rate = orbits->ride[AMBLE_RIDE_RATE];
    if (*rate > 0.0) {
        return AMBLE_SUCCESS;
    }
    const double *leader = orbits->part + (int64_t)orbits->ride[AMBLE_RIDE_LEADER] * AMBLE_ORBIT_FIELDS;
    double way = orbits->ride[AMBLE_RIDE_AXES] * mixed(leader, AMBLE_SIZE_LENGTH, now);
    if (!(way * leader[AMBLE_ORBIT_RATE] > 1e-12)) {
        return amble_fail(AMBLE_BAD_VALUE,
                          "leader must have a length and a rate over 0, or rate be given in its place");
    }
    *rate = 2.0 * AMBLE_PI / (way * leader[AMBLE_ORBIT_RATE]);
    return AMBLE_SUCCESS;
}

/* The character in frame f; the state goes on by it. */
static amble_error move_on(const amble_orbits *orbits, const amble_course *course, int64_t f, double *state,
                           moment *now) {
    const double *ride = orbits->ride;
    *now = (moment){.position = vec_of(course->position, course->frames, f),
                    .velocity = vec_of(course->velocity, course->frames, f),
                    .facing = level_of(vec_of(course->facing, course->frames, f)),
                    .dt = course->dt[f]};
    now->speed = vec_length(now->velocity);
    now->share =
        clamped((now->speed - ride[AMBLE_RIDE_SLOW]) / (ride[AMBLE_RIDE_FAST] - ride[AMBLE_RIDE_SLOW]));
    double r = 0.0;
    double growth = 1.0;
    if (now->speed > 0.0) {
        r = vec_dot(now->velocity, now->facing) / now->speed;
        vec direction = {r, vec_dot(now->velocity, left_of(now->facing)) / now->speed, 0.0};
        growth += ride[AMBLE_RIDE_GROWTH] * change_of_direction(ride, now->dt, direction, state);
    }
    weigh_going(ride, now, r, state);
    for (int i = 0; i < AMBLE_GOINGS; i++) {
        now->going[i] = state[AMBLE_STATE_GOING + i];
    }
    now->turning = turn_since(state, now->facing, now->dt);
    double k;
    AMBLE_TRY(travel_rate(orbits, now, &k));
    double sense = ride[AMBLE_RIDE_REVERSE] == 1.0 && r < 0.0 ? -1.0 : 1.0;
    now->rate = sense * k * now->speed * growth;
    state[AMBLE_STATE_PHASE] += now->rate * now->dt;
    state[AMBLE_STATE_TIME] += now->dt;
    return AMBLE_SUCCESS;
}

/* ---- The parts ---- */

static sizes sizes_of(const double *row, const moment *now) {
    return (sizes){mixed(row, AMBLE_SIZE_LENGTH, now), mixed(row, AMBLE_SIZE_HEIGHT, now),
                   mixed(row, AMBLE_SIZE_TILT, now)};
}

/* A point of the orbit's plane in the character's axes. */
static vec in_plane(const double *row, double ahead, double upward) {
    const double *a = row + AMBLE_ORBIT_AHEAD;
    const double *u = row + AMBLE_ORBIT_UPWARD;
    return (vec){ahead * a[0] + upward * u[0], ahead * a[1] + upward * u[1], ahead * a[2] + upward * u[2]};
}

/* A corner of a polygon in its plane, at its size, untilted and tilted. */
static void corner_of(const double *vertex, const sizes *size, double *flat, double *tilted) {
    double s;
    double c;
    amble_sincos(size->tilt, &s, &c);
    flat[0] = size->length * vertex[0];
    flat[1] = size->height * vertex[1];
    tilted[0] = flat[0] * c + flat[1] * s;
    tilted[1] = flat[1] * c - flat[0] * s;
}

/* How far the highest point of the orbit lies over its centre. Along up, a point of the ellipse at eccentric
 * angle e is p sin e + q cos e, at most the root of p^2 + q^2. */
static double top_of(const double *row, const double *vertices, const sizes *size) {
    double a = row[AMBLE_ORBIT_AHEAD + 2];
    double u = row[AMBLE_ORBIT_UPWARD + 2];
    if (row[AMBLE_ORBIT_CURVE] == AMBLE_CURVE_ELLIPSE) {
        double s;
        double c;
        amble_sincos(size->tilt, &s, &c);
        double p = 0.5 * size->length * (a * c - u * s);
        double q = 0.5 * size->height * (a * s + u * c);
        return sqrt(p * p + q * q);
    }
    double top = 0.0;
    for (int64_t i = 0; i < (int64_t)row[AMBLE_ORBIT_CORNERS]; i++) {
        double flat[2];
        double tilted[2];
        corner_of(vertices + 2 * i, size, flat, tilted);
        double z = a * tilted[0] + u * tilted[1];
        top = i == 0 || z > top ? z : top;
    }
    return top;
}

static amble_error ride_ellipse(const double *row, const sizes *size, double phase, float *at, float *slope) {
    const amble_ellipse ellipse = {.forward = 0.5 * size->length,
                                   .upward = 0.5 * size->height,
                                   .auxiliary = 0.5 * row[AMBLE_ORBIT_AUXILIARY],
                                   .tilt = size->tilt,
                                   .pace = row[AMBLE_ORBIT_PACE] == 1.0 ? AMBLE_PACE_EVEN : AMBLE_PACE_ANGLE};
    return amble_orbit_ellipse(&ellipse, 1, &phase, at, slope);
}

static amble_error ride_polygon(const double *row, const double *vertices, const sizes *size, double phase,
                                float *at, float *slope) {
    int64_t corners = (int64_t)row[AMBLE_ORBIT_CORNERS];
    double *sized = malloc((size_t)corners * 2 * sizeof *sized);
    if (!sized) {
        return amble_fail(AMBLE_NO_MEMORY, "no memory for %lld corners", (long long)corners);
    }
    for (int64_t i = 0; i < corners; i++) {
        double tilted[2];
        corner_of(vertices + 2 * i, size, sized + 2 * i, tilted);
    }
    const amble_polygon polygon = {.corners = corners,
                                   .vertices = sized,
                                   .tilt = size->tilt,
                                   .pace = row[AMBLE_ORBIT_PACE] == 1.0 ? AMBLE_PACE_EVEN : AMBLE_PACE_ANGLE};
    amble_error error = amble_orbit_polygon(&polygon, 1, &phase, at, slope);
    free(sized);
    return error;
}

/* The part's way from its orbit's centre, in the character's axes. before: the parts before it. */
static amble_error ride_curve(const double *row, const double *vertices, const moment *now,
                              const riding *before, riding *part, double *top) {
    *top = 0.0;
    if (row[AMBLE_ORBIT_CURVE] == AMBLE_CURVE_ECHO) {
        const riding *source = &before[(int64_t)row[AMBLE_ORBIT_SOURCE]];
        const double *share = row + AMBLE_ORBIT_ECHO;
        part->way = (vec){share[0] * source->way.x, share[1] * source->way.y, share[2] * source->way.z};
        part->way_velocity = (vec){share[0] * source->way_velocity.x, share[1] * source->way_velocity.y,
                                   share[2] * source->way_velocity.z};
        return AMBLE_SUCCESS;
    }
    float at[2] = {0.0F, 0.0F};
    float slope[2] = {0.0F, 0.0F};
    sizes size = sizes_of(row, now);
    if (row[AMBLE_ORBIT_CURVE] == AMBLE_CURVE_POLYGON) {
        AMBLE_TRY(ride_polygon(row, vertices, &size, part->phase, at, slope));
    } else {
        AMBLE_TRY(ride_ellipse(row, &size, part->phase, at, slope));
    }
    if (row[AMBLE_ORBIT_TOP] == 1.0) {
        *top = top_of(row, vertices, &size);
    }
    double rate = row[AMBLE_ORBIT_RATE] * now->rate + row[AMBLE_ORBIT_SPIN];
    part->way = in_plane(row, at[0], at[1]);
    part->way_velocity = vec_scale(in_plane(row, slope[0], slope[1]), rate);
    return AMBLE_SUCCESS;
}

/* Place and velocity: those of what it is on, and the way from there, which turns with the character. */
static amble_error ride_part(const double *row, const double *vertices, const moment *now,
                             const double *state, const riding *before, riding *part) {
    part->phase = row[AMBLE_ORBIT_PHASE] + row[AMBLE_ORBIT_RATE] * state[AMBLE_STATE_PHASE] +
                  row[AMBLE_ORBIT_SPIN] * state[AMBLE_STATE_TIME];
    double top;
    AMBLE_TRY(ride_curve(row, vertices, now, before, part, &top));
    const double *c = row + AMBLE_ORBIT_CENTRE;
    vec off = vec_add((vec){c[0], c[1], c[2] - top}, part->way);
    int64_t on = (int64_t)row[AMBLE_ORBIT_ON];
    vec base = on < 0 ? now->position : before[on].place;
    vec base_velocity = on < 0 ? now->velocity : before[on].velocity;
    vec turned = turned_to(now->facing, off);
    vec carried = vec_scale(left_of(turned), now->turning);
    part->place = vec_add(base, turned);
    part->velocity = vec_add(vec_add(base_velocity, carried), turned_to(now->facing, part->way_velocity));
    return AMBLE_SUCCESS;
}

static amble_error ride_frame(const amble_orbits *orbits, const amble_course *course, int64_t f,
                              double *state, riding *parts, const amble_ride *ride) {
    moment now;
    AMBLE_TRY(move_on(orbits, course, f, state, &now));
    int64_t frames = course->frames;
    const double *vertices = orbits->vertices;
    for (int64_t i = 0; i < orbits->parts; i++) {
        const double *row = orbits->part + i * AMBLE_ORBIT_FIELDS;
        amble_error error = ride_part(row, vertices, &now, state, parts, &parts[i]);
        if (error.code != AMBLE_OK) {
            return amble_fail(error.code, "orbits[%lld]: %s", (long long)i, error.message);
        }
        vertices += row[AMBLE_ORBIT_CURVE] == AMBLE_CURVE_POLYGON ? 2 * (int64_t)row[AMBLE_ORBIT_CORNERS] : 0;
        put_vec(ride->tracks + i * 6 * frames, frames, f, parts[i].place);
        put_vec(ride->tracks + (i * 6 + 3) * frames, frames, f, parts[i].velocity);
        ride->phase[i * frames + f] = parts[i].phase;
    }
    ride->going[f] = (int32_t)going_of(now.going);
    ride->turning[f] = now.turning;
    return AMBLE_SUCCESS;
}

amble_error amble_orbit_ride(const amble_orbits *orbits, const amble_course *course, double *state,
                             const amble_ride *ride) {
    int64_t lands;
    AMBLE_TRY(amble_check_orbits(orbits, &lands));
    AMBLE_TRY(check_course(course));
    AMBLE_TRY(amble_check_values_double("state", state, AMBLE_RIDE_STATE, AMBLE_LARGEST));
    riding *parts = calloc((size_t)orbits->parts, sizeof *parts);
    if (!parts) {
        return amble_fail(AMBLE_NO_MEMORY, "no memory for %lld parts", (long long)orbits->parts);
    }
    amble_error error = AMBLE_SUCCESS;
    for (int64_t f = 0; error.code == AMBLE_OK && f < course->frames; f++) {
        error = ride_frame(orbits, course, f, state, parts, ride);
    }
    free(parts);
    return error;
}

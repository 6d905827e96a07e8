/* A body's bones for parts that ride orbits. */
#include "check.h"
#include "gait_private.h"
#include "orbit_private.h"

#include <stdlib.h>

/* A track's place at a moment a little off a frame. */
static vec track_at(const double *track, int64_t frames, int64_t f, double shift) {
    return vec_add(vec_of(track, frames, f), vec_scale(vec_of(track + 3 * frames, frames, f), shift));
}

/* What is asked of the body `shift` seconds off frame f. extra: room for the extras' places. */
static goals orbit_goals_at(const walker *w, const amble_orbit_goals *from, int64_t f, double shift,
                            vec *extra) {
    int64_t frames = from->frames;
    const vec ahead = {1.0, 0.0, 0.0};
    goals g = {.reaches = from->hands > 0, .extra = extra};
    vec position = track_at(from->course, frames, f, shift);
    vec home = w->travel ? (vec){0.0, 0.0, 0.0} : position;
    vec facing = level_of(vec_of(from->facing, frames, f));
    double yaw = amble_atan2(facing.y, facing.x) + shift * from->turning[f];
    g.root = vec_sub(position, home);
    g.heading = g.hips = g.head = quat_from_axis(upright, yaw);
    g.chest = quat_multiply(g.heading, quat_from_axis((vec){0.0, 1.0, 0.0}, from->lean));
    g.pelvis = vec_sub(track_at(from->waist, frames, f, shift), home);
    for (int i = 0; i < 2; i++) {
        double outward = i ? -1.0 : 1.0;
        g.ankle[i] = vec_sub(track_at(from->ankles + (int64_t)6 * i * frames, frames, f, shift), home);
        quat aside = quat_from_axis(upright, yaw + from->toe_out[i]);
        vec sole = vec_normalise(track_at(from->soles + (int64_t)6 * i * frames, frames, f, shift));
        vec toes = w->plan.leg[i].ball;
        quat level = quat_from_axis(upright, yaw + from->toe_out[i] - amble_atan2(toes.y, toes.x));
        g.foot[i] = g.toe[i] = quat_multiply(quat_between(upright, quat_rotate(aside, sole)), level);
        /* Half way between the way the body faces and the way the foot points; a bird's, the other way. */
        vec out = vec_normalise(vec_add(quat_rotate(g.heading, ahead), quat_rotate(aside, ahead)));
        g.pole[i] = w->pole[i].x < 0.0 ? vec_scale(out, -1.0) : out;
        if (g.reaches) { /* elbows point back and a little out */
            g.hand[i] = vec_sub(track_at(from->hand + (int64_t)6 * i * frames, frames, f, shift), home);
            g.elbow[i] = quat_rotate(g.heading, (vec){-1.0, 0.3 * outward, 0.0});
        } else { /* hanging */
            g.upper[i] = quat_rotate(g.heading, vec_normalise((vec){0.0, 0.14 * outward, -1.0}));
            g.fore[i] = quat_rotate(g.heading, vec_normalise((vec){0.1, 0.05 * outward, -1.0}));
        }
    }
    for (int64_t i = 0; i < w->body->extras; i++) {
        extra[i] = vec_sub(track_at(from->extra + (int64_t)6 * i * frames, frames, f, shift), home);
    }
    return g;
}

static amble_error check_track(const char *name, const double *track, int64_t tracks, int64_t frames) {
    return amble_check_values_double(name, track, 6 * tracks * frames, AMBLE_LARGEST);
}

static amble_error check_goals(const amble_gait_body *body, const amble_orbit_goals *goals) {
    int64_t frames = goals->frames;
    AMBLE_TRY(check_track("course", goals->course, 1, frames));
    AMBLE_TRY(amble_check_values_double("facing", goals->facing, 3 * frames, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("turning", goals->turning, frames, AMBLE_LARGEST_PHASE));
    AMBLE_TRY(check_track("waist", goals->waist, 1, frames));
    AMBLE_TRY(check_track("ankles", goals->ankles, 2, frames));
    AMBLE_TRY(check_track("soles", goals->soles, 2, frames));
    AMBLE_TRY(amble_check_values_double("toe_out", goals->toe_out, 2, AMBLE_LARGEST_PHASE));
    if (goals->hands != 0 && goals->hands != 2) {
        return amble_fail(AMBLE_BAD_VALUE, "hand_tracks must be 2 or none, not %lld",
                          (long long)goals->hands);
    }
    AMBLE_TRY(check_track("hand_tracks", goals->hand, goals->hands, frames));
    AMBLE_TRY(check_track("extra_tracks", goals->extra, body->extras, frames));
    return amble_check_number("lean", goals->lean, -AMBLE_PI, AMBLE_PI);
}

/* All frames. poses: room for three poses; extra: for the extras' places. */
static void pose_frames(const walker *w, const amble_orbit_goals *from, int64_t moved, channels *poses,
                        vec *extra, const amble_gait_result *result) {
    /* Seconds: within them a track is straight; rounding of places of 1000 stays under 1e-7 of a speed. */
    const double step = 1e-5;
    const double shifts[3] = {0.0, -step, step};
    for (int64_t f = 0; f < from->frames; f++) {
        for (int i = 0; i < 3; i++) {
            goals g = orbit_goals_at(w, from, f, shifts[i], extra);
            assemble(w, &g, poses + i * moved);
        }
        write_frame(poses, moved, 2.0 * step, f, from->frames, result);
    }
}

static amble_error pose_body(const walker *w, const amble_orbit_goals *from,
                             const amble_gait_result *result) {
    int64_t moved = list_moved(w, result->bones);
    channels *poses = malloc(3 * (size_t)(moved + 1) * sizeof *poses);
    vec *extra = malloc((size_t)(w->body->extras + 1) * sizeof *extra);
    amble_error error = AMBLE_SUCCESS;
    if (poses && extra) {
        pose_frames(w, from, moved, poses, extra, result);
    } else {
        error = amble_fail(AMBLE_NO_MEMORY, "no memory for %lld bones", (long long)moved);
    }
    free(poses);
    free(extra);
    return error;
}

amble_error amble_orbit_pose(const amble_gait_body *body, const amble_orbit_goals *goals, int travel,
                             const amble_gait_result *result) {
    walker w = {.travel = travel};
    amble_error error = set_up_body(&w, body);
    error = error.code == AMBLE_OK ? check_goals(body, goals) : error;
    error = error.code == AMBLE_OK ? pose_body(&w, goals, result) : error;
    release(&w);
    return error;
}

/* How far a joint is opened, and clocks that do not tick alike. */
#include "check.h"
#include "idle.h"
#include "quat.h"

amble_error amble_idle_coefficients(int64_t count, const double *base, const double *held, double least,
                                    double most, double *out) {
    AMBLE_TRY(amble_check_number("least", least, 1e-9, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_number("most", most, 1.0, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("base", base, count, AMBLE_LARGEST));
    AMBLE_TRY(amble_check_values_double("held", held, count, AMBLE_LARGEST));
    for (int64_t i = 0; i < count; i++) {
        double b = fabs(base[i]) > least ? fabs(base[i]) : least;
        double h = fabs(held[i]) > least ? fabs(held[i]) : least;
        out[i] = h / b < most ? h / b : most;
    }
    return AMBLE_SUCCESS;
}

void amble_idle_joint_angles(const amble_skeleton *skeleton, const float *pose, double *out) {
    for (int64_t i = 0; i < skeleton->bones; i++) {
        int64_t parent = skeleton->parents[i];
        out[i] = 0.0;
        if (parent >= 0) {
            /* A bone's direction is its y axis: the second number of each row of four. */
            const float *own = pose + 12 * i;
            const float *above = pose + 12 * parent;
            vec a = {own[1], own[5], own[9]};
            vec b = {above[1], above[5], above[9]};
            out[i] = amble_atan2(vec_length(vec_cross(a, b)), vec_dot(a, b));
        }
    }
}

/* ---- Clocks ---- */

enum { WAVES = 7 };

/* A number from 0 up to 1 from a seed and a counter: SplitMix64. */
static double drawn(uint64_t seed, uint64_t counter) {
    uint64_t z = seed + (counter + 1U) * 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    z = z ^ (z >> 31U);
    return (double)(z >> 11U) * (1.0 / 9007199254740992.0);
}

/* Slow waves, fewer a loop than there are cycles, whose sum of sizes is 1. */
typedef struct waves {
    int count;
    double size[WAVES], start[WAVES];
    double at_zero; /* of the integral's antiderivative, at time 0 */
} waves;

static waves draw_waves(double cycles, uint64_t seed, uint64_t first) {
    waves w = {0};
    double sum = 0.0;
    while (w.count < WAVES && w.count + 1 < cycles - 0.5) {
        w.size[w.count] = 0.2 + drawn(seed, first++);
        w.start[w.count] = drawn(seed, first++);
        sum += w.size[w.count++];
    }
    for (int i = 0; i < w.count; i++) {
        double sine;
        double cosine;
        w.size[i] /= sum;
        amble_sincos(2.0 * AMBLE_PI * w.start[i], &sine, &cosine);
        w.at_zero += w.size[i] * sine / (2.0 * AMBLE_PI * (i + 1.0));
    }
    return w;
}

/* Sum of the waves at a time, *integral: of its integral from 0 on. Wave i goes round i + 1 times. */
static double waves_at(const waves *w, double time, double *integral) {
    double sum = 0.0;
    *integral = 0.0;
    for (int i = 0; i < w->count; i++) {
        double rounds = i + 1.0;
        double sine;
        double cosine;
        amble_sincos(2.0 * AMBLE_PI * (rounds * time + w->start[i]), &sine, &cosine);
        sum += w->size[i] * cosine;
        *integral += w->size[i] * sine / (2.0 * AMBLE_PI * rounds);
    }
    *integral -= w->at_zero; /* exactly 0 at time 0 */
    return sum;
}

amble_error amble_idle_clocks(int64_t count, const amble_idle_clock *clocks, int64_t frames,
                              const double *time, double *phases, float *gains) {
    AMBLE_TRY(amble_check_values_double("time", time, frames, 1e4));
    for (int64_t i = 0; i < count; i++) {
        AMBLE_TRY(amble_check_number("cycles", clocks[i].cycles, 1e-6, 1e6));
        AMBLE_TRY(amble_check_number("phase", clocks[i].phase, -1e4, 1e4));
        AMBLE_TRY(amble_check_number("variation", clocks[i].variation, 0.0, 0.9));
        waves pace = draw_waves(clocks[i].cycles, clocks[i].seed, 0);
        waves strength = draw_waves(clocks[i].cycles, clocks[i].seed, 1000);
        for (int64_t f = 0; f < frames; f++) {
            double gone;
            double unused;
            waves_at(&pace, time[f], &gone);
            double gain = 1.0 + clocks[i].variation * waves_at(&strength, time[f], &unused);
            phases[i * frames + f] =
                clocks[i].phase + clocks[i].cycles * (time[f] + clocks[i].variation * gone);
            gains[i * frames + f] = (float)gain;
        }
    }
    return AMBLE_SUCCESS;
}

/* Elementary functions in double that give the same bits on every platform, which a C library's do not.
 *
 * They use only what IEEE 754 rounds exactly: + - * / sqrt, and exact scaling by powers of two.
 */
#ifndef AMBLE_MATHS_H
#define AMBLE_MATHS_H

#include <math.h>
#include <stdint.h>

#define AMBLE_PI 3.14159265358979323846

/* Sine and cosine, |x| <= AMBLE_LARGEST_PHASE. Absolute error below 4e-16.
 *
 * x = k (pi/2) + r with |r| <= pi/4. pi/2 is split in three parts; the first two have 33 significant bits, so
 * that their products with k (up to 2^20) are exact and the cancellation loses nothing. The series in r^2 are
 * Taylor's, cut where the next term is below 2^-56 at pi/4.
 */
static inline void amble_sincos(double x, double *sine, double *cosine) {
    const double part1 = 1.57079632673412561417;
    const double part2 = 6.07710050630396597660e-11;
    const double part3 = 2.02226624879595063154e-21;
    double k = floor(x * (2.0 / AMBLE_PI) + 0.5);
    double r = ((x - k * part1) - k * part2) - k * part3;
    double z = r * r;
    double s = 1.0 / 355687428096000.0;
    s = s * z - 1.0 / 1307674368000.0;
    s = s * z + 1.0 / 6227020800.0;
    s = s * z - 1.0 / 39916800.0;
    s = s * z + 1.0 / 362880.0;
    s = s * z - 1.0 / 5040.0;
    s = s * z + 1.0 / 120.0;
    s = s * z - 1.0 / 6.0;
    s = r + r * z * s;
    double c = 1.0 / 20922789888000.0;
    c = c * z - 1.0 / 87178291200.0;
    c = c * z + 1.0 / 479001600.0;
    c = c * z - 1.0 / 3628800.0;
    c = c * z + 1.0 / 40320.0;
    c = c * z - 1.0 / 720.0;
    c = c * z + 1.0 / 24.0;
    c = c * z - 0.5;
    c = 1.0 + z * c;
    switch ((uint64_t)(int64_t)k & 3U) {
    case 0:
        *sine = s, *cosine = c;
        break;
    case 1:
        *sine = c, *cosine = -s;
        break;
    case 2:
        *sine = -s, *cosine = -c;
        break;
    default:
        *sine = -c, *cosine = s;
        break;
    }
}

/* Angle of the point (x, y) from the x axis, -pi .. pi; 0 for the origin. Absolute error below 2e-15.
 *
 * Three halvings by tan(a/2) = t / (1 + sqrt(1 + t^2)), in the form that needs no quotient of y and x, bring
 * the angle under pi/16, where atan's series ends after a few terms. |x|, |y| within 1e-150 .. 1e150, or 0.
 */
static inline double amble_atan2(double y, double x) {
    double length = sqrt(x * x + y * y);
    if (length == 0.0) {
        return 0.0;
    }
    /* tan of half the angle, taken on the side where nothing cancels. */
    double half = x >= 0.0 ? fabs(y) / (length + x) : fabs(y) / (length - x);
    double t = half / (1.0 + sqrt(1.0 + half * half));
    t = t / (1.0 + sqrt(1.0 + t * t));
    double z = t * t;
    double s = 0.0;
    for (int n = 23; n >= 1; n -= 2) {
        s = 1.0 / n - z * s;
    }
    double angle = 8.0 * t * s;
    if (x < 0.0) {
        angle = AMBLE_PI - angle;
    }
    return y < 0.0 ? -angle : angle;
}

/* Cube root of x >= 0, relative error below 1e-15. Newton's iteration on a mantissa within 1 .. 8. */
static inline double amble_cbrt(double x) {
    if (!(x > 0.0) || isinf(x)) {
        return x;
    }
    int exponent;
    double m = frexp(x, &exponent); /* 0.5 .. 1 */
    int third = (exponent - 1) / 3 - ((exponent - 1) % 3 < 0);
    m = ldexp(m, exponent - 3 * third); /* 1 .. 8 */
    double r = 0.8 + 0.16 * m;
    for (int i = 0; i < 6; i++) {
        r = (2.0 * r + m / (r * r)) * (1.0 / 3.0);
    }
    return ldexp(r, third);
}

#endif

/* 3 by 3 matrices in double, rows first. Private to the core. */
#ifndef AMBLE_MATRIX_H
#define AMBLE_MATRIX_H

typedef struct mat3 {
    double m[3][3];
} mat3;

static inline mat3 mat3_multiply(mat3 a, mat3 b) {
    mat3 out;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out.m[r][c] = a.m[r][0] * b.m[0][c] + a.m[r][1] * b.m[1][c] + a.m[r][2] * b.m[2][c];
        }
    }
    return out;
}

/* The inverse of a matrix whose columns are of unit length and square to each other. */
static inline mat3 mat3_transpose(mat3 a) {
    mat3 out;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out.m[r][c] = a.m[c][r];
        }
    }
    return out;
}

static inline double mat3_determinant(mat3 a) {
    return a.m[0][0] * (a.m[1][1] * a.m[2][2] - a.m[1][2] * a.m[2][1]) -
           a.m[0][1] * (a.m[1][0] * a.m[2][2] - a.m[1][2] * a.m[2][0]) +
           a.m[0][2] * (a.m[1][0] * a.m[2][1] - a.m[1][1] * a.m[2][0]);
}

/* By cofactors; of a matrix that has one. */
static inline mat3 mat3_inverse(mat3 a) {
    double det = mat3_determinant(a);
    mat3 out;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            int r1 = (r + 1) % 3;
            int r2 = (r + 2) % 3;
            int c1 = (c + 1) % 3;
            int c2 = (c + 2) % 3;
            out.m[c][r] = (a.m[r1][c1] * a.m[r2][c2] - a.m[r1][c2] * a.m[r2][c1]) / det;
        }
    }
    return out;
}

/* The rotation or reflection nearest to a matrix that is nearly one: each step takes the mean with the
 * transposed inverse, which doubles the number of right digits. */
static inline mat3 mat3_squared_up(mat3 a) {
    for (int step = 0; step < 4; step++) {
        mat3 other = mat3_transpose(mat3_inverse(a));
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                a.m[r][c] = 0.5 * (a.m[r][c] + other.m[r][c]);
            }
        }
    }
    return a;
}

static inline void mat3_apply(mat3 a, const double v[3], double out[3]) {
    for (int r = 0; r < 3; r++) {
        out[r] = a.m[r][0] * v[0] + a.m[r][1] * v[1] + a.m[r][2] * v[2];
    }
}

#endif

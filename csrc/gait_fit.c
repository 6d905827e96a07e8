/* Where the feet are put down under the hips, and the height of the pelvis over them: fitted so that the
 * knees bend as measured ones do and no leg is drawn out.
 */
#include "gait_private.h"

#include <string.h>

enum { FIT_SAMPLES = 32, FIT_TERMS = PELVIS_TERMS };

/* Dimensionless speeds at which the first people would sooner run, and over which all the others follow. */
static const double run_from = 0.56, run_over = 0.2;

/* The heel's lever of people, of leg length. */
static const double people_lever = 0.096;

/* One sample of one leg's stance. */
typedef struct fit_row {
    double term[FIT_TERMS];
    double ankle_x, ankle_z, across; /* flat foot at the origin; across: square of the sideways distance */
    double hip_x, hip_z;             /* of the hip, from the pelvis's head and the origin's progress */
    double bent;                     /* square of the hip-ankle distance asked for */
    double measured_x;               /* ankle ahead of the hip, as measured people have it */
    double weight;
    double reach; /* square of the most */
} fit_row;

static void fill_row(const gait_plan *plan, const leg_plan *leg, double u, fit_row *row) {
    const gait_tuning *tuned = plan->kind->tuned;
    double phase = u + leg->phase;
    turn at = turn_at(phase - plan->leg[0].phase);
    double share = u / plan->summary.duty;
    double s;
    double c;
    row->term[0] = 1.0;
    for (size_t h = 1; h <= PELVIS_WAVES; h++) {
        row->term[2 * h - 1] = at.cosine[2 * h];
        row->term[2 * h] = at.sine[2 * h];
    }
    foot_pose foot = stance_at(plan, leg, u);
    vec hip = hip_at(plan, leg, phase); /* with the pelvis at height 0 and the foot's `ahead` 0 */
    row->ankle_x = foot.ankle.x;
    row->ankle_z = foot.ankle.z;
    row->across = (foot.ankle.y - hip.y) * (foot.ankle.y - hip.y);
    row->hip_x = hip.x;
    row->hip_z = hip.z;
    double z;
    double knee;
    turn delay = turn_at(delayed(u, plan->later));
    measured_leg(plan, leg, &delay, &row->measured_x, &z, &knee);
    /* A knee bent a little more than people's: near straight, angles answer to the smallest change of
     * distance. More so at heel strike, and while the body comes over the leg, where it smooths the path from
     * arc to arc. */
    double strike = u / tuned->strike_width;
    double load = (u - 0.1) / 0.06;
    double bend = (knee > 0.0 ? knee : 0.0) +
                  DEGREES * (tuned->knee_least + tuned->knee_load / (1.0 + load * load) +
                             (tuned->knee_strike - tuned->knee_least) / (1.0 + strike * strike));
    bend += plan->crouch;
    double lack = people_lever - heel_lever(leg);
    bend +=
        DEGREES * tuned->short_heel * plan->summary.vn * (lack > 0.0 ? lack : 0.0) / (1.0 + strike * strike);
    double distance = leg_distance(leg, bend);
    row->bent = distance * distance;
    /* Beyond the speed at which people begin to run the knees stay bent: a straight leg would have to snap.
     */
    double fast = smooth_step((plan->summary.vn - run_from) / run_over);
    distance = (tuned->reach + fast * (tuned->fast_reach - tuned->reach)) * (leg->thigh + leg->shin);
    row->reach = distance * distance;
    amble_sincos(AMBLE_PI * share, &s, &c);
    strike = u / tuned->strike_reach;
    row->weight = s + tuned->end_weight + tuned->strike_weight / (1.0 + strike * strike);
}

/* Of all rows what does not depend on where the feet stand. The normal equations a x = b of
 * sum(term x) = target, of weight w, are sums of w term term' and w target term: the products are worked out
 * once, below the diagonal and with it, row by row. */
enum { FIT_ROWS = 2 * FIT_SAMPLES, FIT_PRODUCTS = FIT_TERMS * (FIT_TERMS + 1) / 2 };
typedef struct fit_table {
    fit_row row[FIT_ROWS];
    double product[FIT_ROWS][FIT_PRODUCTS];
    double term[FIT_TERMS][FIT_ROWS]; /* the rows' terms once more, one after another */
    double step[FIT_ROWS][FIT_TERMS]; /* of the terms to the leg's next sample; 0 for its last */
    double sum[FIT_PRODUCTS];         /* of the equations of all heights, at their first weights, and steps */
    double step_weight;
    double thrown[FIT_TERMS];
} fit_table;

static void add_products(const double *term, double weight, double sum[FIT_PRODUCTS]) {
    int k = 0;
    for (int n = 0; n < FIT_TERMS; n++) {
        for (int m = 0; m <= n; m++) {
            sum[k++] += weight * term[n] * term[m];
        }
    }
}

static void add_scaled(const double *block, double factor, int count, double *sum) {
    for (int k = 0; k < count; k++) {
        sum[k] += factor * block[k];
    }
}

/* Heights of a body that the ground's force throws from leg to leg, but for their mean.
 *
 * In strides u the height's acceleration is G (F - 1) with F in weights and G = gravity cycle^2, which is
 * stride^2 / (vn^2 leg). F is the same each half stride, so its wave of 2 h turns a stride,
 *     f = 4 integral of F(u) cos(4 pi h u) over half a stride (the same with the sine),
 * makes a wave -G f / (4 pi h)^2 of the height. The mean of F is 1: what a body in flight does not weigh, its
 * stance makes up for. Of a kind that does not fly all are 0. */
static void throw_heights(const gait_plan *plan, double out[FIT_TERMS]) {
    enum { SAMPLES = 96 };
    const gait_kind *kind = plan->kind;
    const amble_gait_summary *sum = &plan->summary;
    double wave[FIT_TERMS] = {0.0};
    double mean = 0.0;
    memset(out, 0, FIT_TERMS * sizeof *out);
    if (!kind->flies) {
        return;
    }
    /* By Simpson's rule; the force is 0 at both ends. */
    for (int i = 1; i < SAMPLES; i++) {
        double share = (double)i / SAMPLES;
        double s[3];
        double c[3];
        for (int k = 0; k < 3; k++) {
            amble_sincos((k + 1) * AMBLE_PI * share, &s[k], &c[k]);
        }
        double force = (i % 2 ? 4.0 : 2.0) * (s[0] + kind->skew * s[1] - kind->peak * s[2]);
        turn at = turn_at(sum->duty * share);
        mean += force;
        for (size_t h = 1; h <= PELVIS_WAVES; h++) {
            wave[2 * h - 1] += force * at.cosine[2 * h];
            wave[2 * h] += force * at.sine[2 * h];
        }
    }
    double thrown = sum->stride * sum->stride / (sum->vn * sum->vn * sum->leg_length);
    for (int n = 1; n < FIT_TERMS; n++) {
        int wave_number = (n + 1) / 2;
        double turns = 4.0 * AMBLE_PI * wave_number;
        out[n] = -thrown / (turns * turns) * 2.0 * wave[n] / mean;
    }
}

/* Fills the table for feet at the origin; returns how far ahead of it people's would stand. */
static double fill_table(gait_plan *plan, fit_table *table) {
    const gait_tuning *tuned = plan->kind->tuned;
    double centre = 0.0;
    memset(table, 0, sizeof *table);
    table->step_weight = tuned->step_weight * tuned->step_weight * FIT_SAMPLES * FIT_SAMPLES;
    for (int i = 0; i < FIT_ROWS; i++) {
        fit_row *row = &table->row[i];
        leg_plan *leg = &plan->leg[i / FIT_SAMPLES];
        leg->ahead = 0.0;
        fill_row(plan, leg, plan->summary.duty * (i % FIT_SAMPLES) / (FIT_SAMPLES - 1), row);
        centre += row->measured_x + row->hip_x - row->ankle_x;
        add_products(row->term, 1.0, table->product[i]);
        for (int n = 0; n < FIT_TERMS; n++) {
            table->term[n][i] = row->term[n];
        }
        add_scaled(table->product[i], row->weight * row->weight, FIT_PRODUCTS, table->sum);
    }
    /* Steps from sample to sample as well as heights: the knee's speed follows that of the knee asked for. */
    for (int i = 0; i + 1 < FIT_ROWS; i++) {
        if ((i + 1) % FIT_SAMPLES != 0) { /* else the next one is another leg's first */
            for (int n = 0; n < FIT_TERMS; n++) {
                table->step[i][n] = table->row[i + 1].term[n] - table->row[i].term[n];
            }
            add_products(table->step[i], table->step_weight, table->sum);
        }
    }
    throw_heights(plan, table->thrown);
    return centre / FIT_ROWS;
}

/* Solves the normal equations, with waves held to those of a body that is thrown. */
static void solve_heights(const gait_plan *plan, const fit_table *table, const double sum[FIT_PRODUCTS],
                          const double target[FIT_TERMS], double out[FIT_TERMS]) {
    double a[FADE_MOST][FADE_MOST] = {{0.0}};
    double b[FADE_MOST] = {0.0};
    int k = 0;
    for (int n = 0; n < FIT_TERMS; n++) {
        for (int m = 0; m <= n; m++) {
            a[n][m] = sum[k++];
        }
        b[n] = target[n];
    }
    for (int n = 1; n < FIT_TERMS; n++) {
        int number = (n + 1) / 2;
        double wave = number;
        double cost = plan->kind->tuned->wave_cost * a[0][0] * wave * wave * wave * wave;
        a[n][n] += cost;
        b[n] += cost * table->thrown[n];
    }
    solve_symmetric(FIT_TERMS, a, b);
    memcpy(out, b, FIT_TERMS * sizeof *out);
}

/* Fits the heights for feet that stand `ahead`; returns how far off they leave the knees (root mean square,
 * lengths). Rows where the pelvis would be out of the leg's reach gain weight until it is not. */
static double fit_heights(const gait_plan *plan, const fit_table *table, double ahead,
                          double out[FIT_TERMS]) {
    double scale = plan->summary.leg_length;
    double floor = 0.01 * scale * scale;
    double weight[FIT_ROWS];
    double wanted[FIT_ROWS];
    double most[FIT_ROWS];
    double sum[FIT_PRODUCTS];
    double target[FIT_TERMS] = {0.0};
    double aside = 0.0;
    double off = 0.0;
    memcpy(sum, table->sum, sizeof sum);
    for (int i = 0; i < FIT_ROWS; i++) {
        const fit_row *row = &table->row[i];
        double x = ahead + row->ankle_x - row->hip_x;
        double level = x * x + row->across;
        double tall = row->bent - level;
        double top = row->reach - level;
        wanted[i] = row->ankle_z - row->hip_z + sqrt(tall > floor ? tall : floor);
        most[i] = row->ankle_z - row->hip_z + sqrt(top > floor ? top : floor);
        weight[i] = row->weight;
        aside += x - row->measured_x;
        double height = wanted[i] < most[i] ? wanted[i] : most[i];
        add_scaled(row->term, weight[i] * weight[i] * height, FIT_TERMS, target);
    }
    for (int i = 0; i + 1 < FIT_ROWS; i++) {
        add_scaled(table->step[i], table->step_weight * (wanted[i + 1] - wanted[i]), FIT_TERMS, target);
    }
    for (int pass = 0; pass < 15; pass++) {
        solve_heights(plan, table, sum, target, out);
        double height[FIT_ROWS] = {0.0};
        for (int n = 0; n < FIT_TERMS; n++) {
            add_scaled(table->term[n], out[n], FIT_ROWS, height);
        }
        bool over = false;
        off = 0.0;
        for (int i = 0; i < FIT_ROWS; i++) {
            off += (height[i] - wanted[i]) * (height[i] - wanted[i]);
            if (height[i] > most[i]) {
                double above = (height[i] - most[i]) / (0.002 * scale);
                over = true;
                double former = weight[i] * weight[i];
                weight[i] *= 1.0 + 0.6 * (above < 1.0 ? above : 1.0);
                double more = weight[i] * weight[i] - former;
                add_scaled(table->product[i], more, FIT_PRODUCTS, sum);
                double reach = wanted[i] < most[i] ? wanted[i] : most[i];
                add_scaled(table->row[i].term, more * reach, FIT_TERMS, target);
            }
        }
        if (!over) {
            break;
        }
    }
    return sqrt(off / FIT_ROWS) + 0.15 * fabs(aside / FIT_ROWS);
}

/* Chooses where the feet are put down under the hips, and the pelvis's height. */
void fit_pelvis(gait_plan *plan) {
    fit_table table;
    double centre = fill_table(plan, &table);
    double leg = plan->summary.leg_length;
    /* Golden section: the misfit has one valley over where the feet are put down. */
    const double golden = 0.6180339887498949;
    double heights[FIT_TERMS];
    double low = centre - 0.06 * leg;
    double high = centre + 0.04 * leg;
    double a = high - golden * (high - low);
    double b = low + golden * (high - low);
    double cost_a = fit_heights(plan, &table, a, heights);
    double cost_b = fit_heights(plan, &table, b, heights);
    for (int i = 0; i < 18; i++) {
        if (cost_a < cost_b) {
            high = b;
            b = a;
            cost_b = cost_a;
            a = high - golden * (high - low);
            cost_a = fit_heights(plan, &table, a, heights);
        } else {
            low = a;
            a = b;
            cost_a = cost_b;
            b = low + golden * (high - low);
            cost_b = fit_heights(plan, &table, b, heights);
        }
    }
    double ahead = 0.5 * (low + high);
    fit_heights(plan, &table, ahead, plan->height);
    for (int n = 1; n < FIT_TERMS; n++) {
        plan->height[n] *= plan->bounce;
    }
    /* What the weights did not manage, and what a larger bounce is out of reach: lower the whole. */
    double floor = 0.01 * leg * leg;
    double over = 0.0;
    for (int i = 0; i < FIT_ROWS; i++) {
        const fit_row *row = &table.row[i];
        double x = ahead + row->ankle_x - row->hip_x;
        double top = row->reach - x * x - row->across;
        double height = -(row->ankle_z - row->hip_z + sqrt(top > floor ? top : floor));
        for (int n = 0; n < FIT_TERMS; n++) {
            height += plan->height[n] * row->term[n];
        }
        over = height > over ? height : over;
    }
    plan->height[0] -= over;
    plan->leg[0].ahead = plan->leg[1].ahead = ahead;
}

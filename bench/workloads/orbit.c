/* Simulates bodies that attract each other, in f64, with division and square root, by leapfrog
 * integration. Variables live in registers and in an array of structures; every result is inexact.
 */
#include "workload.h"

enum { BODIES = 6, STEPS = 400 };

struct body {
    double place[3], speed[3], mass;
};

static struct body bodies[BODIES];

static double square_root(double value)
{
    return __builtin_sqrt(value);
}

static void set_up(void)
{
    for (int i = 0; i < BODIES; i++) {
        double radius = i * 1.7, turn = (i & 1) ? -1.0 : 1.0;
        bodies[i] = (struct body){
            {radius * turn, radius * 0.25, i * 0.125}, {0, 0, 0}, i ? 1.0 / (3 * i + 1) : 30.0};
        if (i)
            bodies[i].speed[1] = turn * square_root(30.0 / radius);
    }
}

static void attract(struct body *a, struct body *b, double time)
{
    double away[3], square = 0.001;

    for (int i = 0; i < 3; i++) {
        away[i] = a->place[i] - b->place[i];
        square += away[i] * away[i];
    }
    double pull = time / (square * square_root(square));
    for (int i = 0; i < 3; i++) {
        a->speed[i] -= away[i] * b->mass * pull;
        b->speed[i] += away[i] * a->mass * pull;
    }
}

uint32_t workload(unsigned variant)
{
    (void)variant;
    set_up();
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < BODIES; i++)
            for (int j = i + 1; j < BODIES; j++)
                attract(&bodies[i], &bodies[j], 0.001);
        for (int i = 0; i < BODIES; i++)
            for (int k = 0; k < 3; k++)
                bodies[i].place[k] += bodies[i].speed[k] * 0.001;
    }
    uint32_t sum = floating_flags();
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++) {
            union {
                double value;
                uint64_t bits;
            } word = {bodies[i].place[k]};
            sum = mix(mix(sum, (uint32_t)word.bits), (uint32_t)(word.bits >> 32));
        }
    return sum;
}

/* The training of embedding bags of tests/kernels/embedding_bag.s in plain C.
 *
 * COMPARE: losses:16 f32 2^-20
 * COMPARE: out:192 f32 2^-20
 * COMPARE: users:6144 f32 2^-20
 * RUN: %python %tools/instruction_counts.py --build %build --check embedding_bag
 */
#include "scalar.h"

enum { WIDTH = 8, BAGS = 6, STEPS = 4, USERS = 64, ITEMS = 96, TAGS = 32 };

/* The three tables, and after them the targets. */
float users[USERS + ITEMS + TAGS + BAGS][WIDTH];
float losses[STEPS], out[BAGS][WIDTH];
static const struct bag {
    uint32_t first; /* of all elements */
    uint32_t count;
} bags[BAGS] = {{10, 3},  {USERS + 14, 20}, {USERS + ITEMS + 8, 1},
                {25, 30}, {USERS + 94, 2},  {USERS + ITEMS + 20, 7}};

static void forward(void)
{
    for (int b = 0; b < BAGS; b++)
        for (int j = 0; j < WIDTH; j++) {
            float sum = 0;
            for (uint32_t e = 0; e < bags[b].count; e++)
                sum += users[bags[b].first + e][j];
            out[b][j] = sum / (float)bags[b].count;
        }
}

/* Takes half of the error from each element of a bag. */
static float backward(const float (*targets)[WIDTH])
{
    float loss = 0;

    for (int b = 0; b < BAGS; b++)
        for (int j = 0; j < WIDTH; j++) {
            float error = out[b][j] - targets[b][j], step = error * 0.5f;
            loss += error * error;
            for (uint32_t e = 0; e < bags[b].count; e++)
                users[bags[b].first + e][j] -= step;
        }
    return loss;
}

FILL
{
    uint32_t state = 11;
    float *const all = users[0];

    for (int i = 0; i < (USERS + ITEMS + TAGS + BAGS) * WIDTH; i++)
        all[i] = (float)((int32_t)random_word(&state) >> 16) * 0x1p-15f;
}

static void kernel(void)
{
    fill();
    for (int step = 0; step < STEPS; step++) {
        forward();
        losses[step] = backward((const float(*)[WIDTH])users[USERS + ITEMS + TAGS]);
    }
    forward();
}

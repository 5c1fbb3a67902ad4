/* Elements of three tables as one vector, and twice that back to the tables, of
 * tests/kernels/sparse_example.s in plain C.
 *
 * COMPARE: dense:12036 bytes
 * COMPARE: doubled:12036 bytes
 * RUN: %python %tools/instruction_counts.py --build %build --check sparse_example
 */
#include "scalar.h"

enum { ELEMENT1 = 100 * 10, ELEMENT2 = 20 * 100, ELEMENT1000 = 3 * 3 };
enum { VALUES = ELEMENT1 + ELEMENT2 + ELEMENT1000 };

float dense[VALUES], doubled[VALUES];
static float tables[VALUES];
static const struct request {
    int first;
    int count;
} requests[3] = {{0, ELEMENT1}, {ELEMENT1, ELEMENT2}, {ELEMENT1 + ELEMENT2, ELEMENT1000}};

static void gather(float *to)
{
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < requests[r].count; i++)
            *to++ = tables[requests[r].first + i];
}

FILL
{
    for (int i = 0; i < VALUES; i++)
        tables[i] = (i + 1) % 3 == 0 ? 0 : (float)(i + 1);
}

static void kernel(void)
{
    fill();
    gather(dense);
    const float *from = dense;

    for (int r = 0; r < 3; r++)
        for (int i = 0; i < requests[r].count; i++)
            tables[requests[r].first + i] = 2 * *from++;
    gather(doubled);
}

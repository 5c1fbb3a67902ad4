/* Sums a tensor of three dimensions: with variant 1 through a row of the traversal unit, one load instruction an element, which also takes the
 * step; else through a pointer, in a loop of as many instructions. The tensor stays in the L2 cache. */
#include "unit.h"

enum { PLANES = 16, ROWS = 32, COLUMNS = 64, ELEMENTS = PLANES * ROWS * COLUMNS };

static uint32_t tensor[ELEMENTS];

static uint64_t sum_pointer(void)
{
    uint64_t sum = 0;
    const uint32_t *at = tensor;
    for (long i = 0; i < ELEMENTS; i++) {
        sum += *at++;
        __asm__("" : "+r"(sum));
    }
    return sum;
}

#ifdef __riscv
static void set_dimension(unsigned dimension, long bytes, long count)
{
    tensor_tset_init(1, dimension, 0);
    tensor_tset_step(1, dimension, (uint64_t)bytes);
    tensor_tset_end(1, dimension, (uint64_t)(bytes * count));
}

static uint64_t sum_row(void)
{
    uint64_t sum = 0;
    tensor_tclear(1);
    tensor_tbase(1, (uint64_t)tensor);
    set_dimension(0, sizeof tensor[0], COLUMNS);
    set_dimension(1, COLUMNS * sizeof tensor[0], ROWS);
    set_dimension(2, ROWS * COLUMNS * sizeof tensor[0], PLANES);
    tensor_tinit(1);
    for (long i = 0; i < ELEMENTS; i++)
        sum += tensor_tlwu(1);
    return sum;
}
#else
static uint64_t sum_row(void)
{
    return sum_pointer();
}
#endif

uint32_t workload(unsigned variant)
{
    static int ready;
    if (!ready++)
        for (unsigned i = 0; i < ELEMENTS; i++)
            tensor[i] = (uint32_t)unit_value(1, i);
    uint64_t sum = variant ? sum_row() : sum_pointer();
    return mix((uint32_t)sum, (uint32_t)(sum >> 32));
}

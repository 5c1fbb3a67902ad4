/* Sums a tensor of three dimensions, which stays in the L2 cache. With variant 1 it goes through a
 * row of the traversal unit, where one instruction loads an element and takes the step; with
 * variant 2 alternately through two rows, each with half of the tensor; else through a pointer, in
 * a loop of as many instructions as that of the row. */
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
static void set_dimension(unsigned row, unsigned dimension, long bytes, long count)
{
    tensor_tset_init(row, dimension, 0);
    tensor_tset_step(row, dimension, (uint64_t)bytes);
    tensor_tset_end(row, dimension, (uint64_t)(bytes * count));
}

static void set_row(unsigned row, const uint32_t *from, long planes)
{
    tensor_tclear(row);
    tensor_tbase(row, (uint64_t)from);
    set_dimension(row, 0, sizeof tensor[0], COLUMNS);
    set_dimension(row, 1, COLUMNS * sizeof tensor[0], ROWS);
    set_dimension(row, 2, ROWS * COLUMNS * sizeof tensor[0], planes);
    tensor_tinit(row);
}

static uint64_t sum_row(void)
{
    uint64_t sum = 0;

    set_row(1, tensor, PLANES);
    for (long i = 0; i < ELEMENTS; i++)
        sum += tensor_tlwu(1);
    return sum;
}

static uint64_t sum_rows(void)
{
    uint64_t sum = 0;

    set_row(1, tensor, PLANES / 2);
    set_row(2, tensor + ELEMENTS / 2, PLANES / 2);
    for (long i = 0; i < ELEMENTS / 2; i++) {
        sum += tensor_tlwu(1);
        sum += tensor_tlwu(2);
    }
    return sum;
}
#else
static uint64_t sum_row(void)
{
    return sum_pointer();
}

static uint64_t sum_rows(void)
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
    uint64_t sum = variant == 2 ? sum_rows() : variant ? sum_row() : sum_pointer();
    return mix((uint32_t)sum, (uint32_t)(sum >> 32));
}

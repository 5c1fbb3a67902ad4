/* The instructions of xhash.yaml from C. */
#include "tensor.h"

uint64_t hash(uint64_t value, const void *block);

uint64_t hash(uint64_t value, const void *block)
{
    tensor_h_load(1, (uint64_t)block);
    tensor_h_mix(0, 1, 3);
    tensor_b_bits(63, value);
    return tensor_h_find(value, 2) + tensor_b_get(5);
}

/* The C header has the functions and the code of a type that a file outside the tree adds. */
#include "tensor.h"

extern const uint8_t weights[4], vector[2];
float product[2];
uint8_t narrow[2];

int main_of_c(void)
{
    uint64_t scratchpad = 0x40000000;

    tensor_dma_ld(scratchpad, (uint64_t)weights, 4);
    tensor_dma_ld(scratchpad + 4, (uint64_t)vector, 2);
    tensor_mm_e3m4(scratchpad + 16, scratchpad, scratchpad + 4, 2, 2, 1);
    tensor_mms_e3m4(scratchpad + 32, scratchpad, 4, 2.0f);
    tensor_mcvt_e3m4_f32(scratchpad + 24, scratchpad + 16, 2);
    tensor_dma_st(scratchpad + 16, (uint64_t)product, 8);
    tensor_dma_st(scratchpad + 24, (uint64_t)narrow, 2);
    return TENSOR_E3M4;
}

__asm__(".globl _start\n_start: call main_of_c\nli a7, 93\necall\n");

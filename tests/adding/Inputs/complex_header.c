/* The C header has the types of a unit for complex numbers, and macros for its instructions. */
#include "tensor.h"

struct tensor_c64 numbers[2] = {{1, 1}, {1, -2}}, result;
struct tensor_c32 units[2] = {{0x3c00, 0}, {0, 0x4000}}, scaled[2];
struct tensor_s8x2 integers[2] = {{1, -2}, {-128, 127}};

int main_of_c(void)
{
    _Static_assert(sizeof numbers == 16 && _Alignof(struct tensor_c32) == 4, "layout");
    tensor_z_load(1, (uint64_t)&numbers[0]);
    tensor_z_load(2, (uint64_t)&numbers[1]);
    tensor_z_mac(0, 1, 2);
    tensor_z_read(3, 0);
    tensor_z_store(3, (uint64_t)&result);
    numbers[0] = (struct tensor_c64){2, 0};
    tensor_z_load(1, (uint64_t)&numbers[0]);
    tensor_z_scale((uint64_t)scaled, (uint64_t)units, 1, 2);
    return 0;
}

__asm__(".globl _start\n_start: call main_of_c\nli a7, 93\necall\n");

/* A supervisor and workers in C: instructions with immediates are macros of the C header, also with
 * groups of registers, and parameters have the order of the syntax, also where the description
 * lists the operands in another one (trunall). A worker has no stack; with optimization, gcc needs
 * none here.
 *
 * RUN: for level in 1 2 s; do %gcc -march=rv64gc -mabi=lp64d -O$level -ffreestanding -Wall -Wextra -Werror -I %build/gen -c -o %t.o %s && \
 * RUN:     %tld -o %t %t.o && echo 'barrel: {workers: 2}' > %t.yaml && %temu --machine %t.yaml --print results:f32 --print statuses:u64 --print sums:f32[2,4] --print products:f32 %t || exit 1; done | FileCheck %s
 * CHECK: results:f32[2] = [25, 27.5]
 * CHECK: statuses:u64[2] = [5, 6]
 * CHECK: sums:f32[2,4] =
 * CHECK-NEXT: {{\[\[}}48, 112, 176, 240],
 * CHECK-NEXT: [52, 120, 188, 256{{\]\]}}
 * CHECK: products:f32[2] = [102, 109]
 * CHECK: results:f32[2] = [25, 27.5]
 * CHECK: results:f32[2] = [25, 27.5]
 *
 * RUN: not %gcc -march=rv64gc -mabi=lp64d -O2 -ffreestanding -DBAD -I %build/gen -S -o %t.s %s 2>&1 | FileCheck --check-prefix=BAD %s
 * BAD: static assertion failed: "w: 8-bit index of weights, 0 to 255"
 */
#include "tensor.h"

static volatile float results[2];
static volatile uint64_t statuses[2];
static union {
    float values[4];
    uint32_t bits[4];
} vectors[2] = {{{1, 2, 3, 10}}, {{1, 2, 3, 11}}},
  sums[2] = {{{10, 10, 10, 10}}, {{11, 11, 11, 11}}};
static volatile float products[2];

static void work(uint64_t factor, uint64_t worker)
{
    results[worker] = tensor_wget(3) * (float)factor;
    products[worker] = tensor_f32v4wdot(vectors[worker].bits, 5);
    tensor_f32v4wmac(sums[worker].bits, vectors[worker].bits, 1);
    tensor_texit(worker + 5);
    __builtin_unreachable();
}

void _start(void)
{
#ifdef BAD
    tensor_wput(256, 1.0f);
#endif
    tensor_wput(3, 2.5f);
#define PUT_ROW(i)                                                                                 \
    tensor_wput(16 + 4 * (i), 4 * (i)), tensor_wput(17 + 4 * (i), 4 * (i) + 1),                    \
        tensor_wput(18 + 4 * (i), 4 * (i) + 2), tensor_wput(19 + 4 * (i), 4 * (i) + 3)
    PUT_ROW(0), PUT_ROW(1), PUT_ROW(2), PUT_ROW(3);
    tensor_trunall((uint64_t)work, 10, 1);
    tensor_tsync();
    for (uint64_t worker = 0; worker < 2; worker++)
        statuses[worker] = tensor_tstat(worker, 1);
    register long a0 __asm__("a0") = (long)tensor_tstat(0, 0), a7 __asm__("a7") = 93;
    __asm__ volatile("ecall" : : "r"(a0), "r"(a7));
    __builtin_unreachable();
}

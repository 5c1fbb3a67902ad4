/* The macros of tensor.h for registers that the compiler does not know: the program gives their
 * numbers. */
#include "tensor.h"

static uint64_t data[8] = {1, 2, 3, 4, 5, 6, 7, 0xffffffff80000000}, out[8];

static int failures(uint64_t value)
{
    int count = 0;

    tensor_acc_load(1, (uint64_t)data);
    tensor_acc_add(2, 1, 1);
    tensor_acc_swap(2);
    tensor_acc_store(3, (uint64_t)out);
    for (unsigned i = 0; i < 7; i++)
        count += out[i] != 2 * data[i] + i;
    count += out[7] != 0xfffffffe00000007;
#ifdef BAD
    tensor_q_set(5, value);
#endif
    tensor_q_set(4, value);
    count += tensor_q_get(4) != (value & 0xffffff);
    tensor_w_set(1, value, value + 1);
    count += tensor_w_get(1, 0) != value || tensor_w_get(1, 1) != value + 1;
    tensor_p_step(33);
    tensor_p_step(33);
    count += tensor_p_get(33) != 400 % 256;
    return count;
}

/* Several results, a result that is also read, and halves. Each pair of operands has another
 * register, as the constraints of x.divide require. */
static int results(uint64_t value)
{
    uint64_t quotient, rest, number = value;
    uint16_t one = 0x3c00, two = 0xc000;
    int count = 0;

    tensor_x_divide(&quotient, &rest, value, 1000);
    count += quotient != value / 1000 || rest != value % 1000;
    tensor_x_divide(&value, &rest, value, rest);
    count += value != number / (number % 1000) || rest != number % (number % 1000);
    tensor_x_count(&number, 34);
    count += number != 0x12345678a || tensor_p_get(34) != 0x8a;
    count += tensor_h_sign(one, two) != 0xbc00;
    tensor_h_swap(&one, &two);
    count += one != 0xc000 || two != 0x3c00;
    return count;
}

void _start(void)
{
    register long a0 __asm__("a0") = failures(0x123456789) + results(0x123456789),
                     a7 __asm__("a7") = 93;
    __asm__ volatile("ecall" : : "r"(a0), "r"(a7));
    __builtin_unreachable();
}

/* Sorts, searches, recurses, divides and computes in double, and prints a sum of it all. */
typedef unsigned long u64;
typedef unsigned int u32;

static u64 numbers[1000];
static double weights[1000];

static long call(long number, long a, long b, long c)
{
    register long a0 asm("a0") = a, a1 asm("a1") = b, a2 asm("a2") = c, a7 asm("a7") = number;
    asm volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

static void sort(u64 *from, u64 *to)
{
    if (to - from < 2)
        return;
    u64 pivot = from[(to - from) / 2], *low = from, *high = to - 1;
    while (low <= high) {
        while (*low < pivot)
            low++;
        while (*high > pivot)
            high--;
        if (low <= high) {
            u64 swap = *low;
            *low++ = *high;
            *high-- = swap;
        }
    }
    sort(from, high + 1);
    sort(low, to);
}

static u32 mix(u32 x, int kind)
{
    switch (kind) {
    case 0:
        return x << 13 ^ x >> 19;
    case 1:
        return x * 2654435761u;
    case 2:
        return (u32)((int)x >> 3) - 77;
    case 3:
        return x & 0xff0 ? x % 1000 : ~x;
    case 4:
        return x | 0x1001;
    default:
        return -x;
    }
}

void _start(void)
{
    u64 state = 88172645463325252ul, sum = 0;
    double total = 0;
    unsigned sorted = 1;

    for (int i = 0; i < 1000; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        numbers[i] = state >> (i % 40);
        weights[i] = (double)(long)mix((u32)state, i % 7) / (i + 1);
    }
    sort(numbers, numbers + 1000);
    for (int i = 1; i < 1000; i++)
        sorted += numbers[i - 1] <= numbers[i];
    for (int i = 0; i < 1000; i++) {
        total += weights[i] * (i & 1 ? 0.5 : -0.25);
        sum = sum * 31 + numbers[i] / (u64)(i + 3) + mix((u32)numbers[i], i % 6);
    }
    sum ^= (u64)(long)total;
    static char text[64];
    char *end = text;
    for (const char *c = "sorted "; *c; c++)
        *end++ = *c;
    for (unsigned place = 1000; place; place /= 10)
        *end++ = (char)('0' + sorted / place % 10);
    for (const char *c = ", sum 0x"; *c; c++)
        *end++ = *c;
    for (int shift = 60; shift >= 0; shift -= 4)
        *end++ = "0123456789abcdef"[sum >> shift & 15];
    *end++ = '\n';
    call(64, 1, (long)text, end - text);
    call(93, 0, 0, 0);
}

/* A program of 2 million instructions: fills an array, sums it, and swaps neighbors, again and
 * again. */
enum { COUNT = 4096, ROUNDS = 26 };

static int numbers[COUNT];

__attribute__((noinline)) static void fill(int seed)
{
    for (int i = 0; i < COUNT; i++)
        numbers[i] = (i * seed) ^ (i >> 3);
}

__attribute__((noinline)) static int sum(void)
{
    int total = 0;

    for (int i = 0; i < COUNT; i++)
        total += numbers[i] * (i & 7);
    return total;
}

__attribute__((noinline)) static void swap(void)
{
    for (int i = 1; i < COUNT; i++) {
        int left = numbers[i - 1];
        if (left > numbers[i]) {
            numbers[i - 1] = numbers[i];
            numbers[i] = left;
        }
    }
}

void _start(void)
{
    int total = 0;

    for (int round = 0; round < ROUNDS; round++) {
        fill(round + total);
        total += sum();
        swap();
    }
    register long status asm("a0") = total & 127;
    register long call asm("a7") = 93;
    asm volatile("ecall" : : "r"(status), "r"(call));
}

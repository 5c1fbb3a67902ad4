/* Work for the lock-step comparison: sorting, hashing, matrices, strings, floating point. Each part
 * prints what it found, so that a wrong result shows without a trace too. SIZE says how often, and
 * PART divides what each part works on. To be compiled with -fno-math-errno: there is no library.
 */
#include "guest.h"

#ifndef SIZE
#define SIZE 1
#endif
#ifndef PART
#define PART 1
#endif
enum { COUNT = 700 / PART, ORDER = 4 + 16 / PART, TEXT = 4000 / PART, TERMS = 1000 / PART };

static unsigned long random_state;
static unsigned long next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* ---- sorting ---- */
static long keys[COUNT];

static void sift(long *heap, long root, long end)
{
    for (long child; (child = 2 * root + 1) < end; root = child) {
        if (child + 1 < end && heap[child] < heap[child + 1])
            child++;
        if (heap[root] >= heap[child])
            return;
        long key = heap[root];
        heap[root] = heap[child];
        heap[child] = key;
    }
}

static void heap_sort(long *heap, long count)
{
    for (long i = count / 2; i-- > 0;)
        sift(heap, i, count);
    for (long end = count; --end > 0;) {
        long key = heap[0];
        heap[0] = heap[end];
        heap[end] = key;
        sift(heap, 0, end);
    }
}

static void quick_sort(int *low, int *high)
{
    while (low < high) {
        int pivot = low[(high - low) / 2], *i = low - 1, *j = high + 1;
        for (;;) {
            while (*++i < pivot)
                ;
            while (*--j > pivot)
                ;
            if (i >= j)
                break;
            int key = *i;
            *i = *j;
            *j = key;
        }
        quick_sort(low, j);
        low = j + 1;
    }
}

static void sort(void)
{
    static int small[COUNT];
    unsigned long sum = 0;

    for (long i = 0; i < COUNT; i++) {
        keys[i] = (long)next_random() >> 20;
        small[i] = (int)next_random() % 1000;
    }
    heap_sort(keys, COUNT);
    quick_sort(small, small + COUNT - 1);
    for (long i = 1; i < COUNT; i++) {
        if (keys[i - 1] > keys[i] || small[i - 1] > small[i])
            print("not sorted\n");
        sum = sum * 31 + keys[i] + small[i];
    }
    print_number("sorted", sum);
}

/* ---- hashing ---- */
static unsigned crc(const unsigned char *bytes, long length)
{
    unsigned remainder = ~0u;

    for (long i = 0; i < length; i++) {
        remainder ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            remainder = remainder >> 1 ^ (0xedb88320u & -(remainder & 1));
    }
    return ~remainder;
}

static unsigned long mix(unsigned long a, unsigned long b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    __int128 other = (__int128)(long)a * (long)b;

    return (unsigned long)product ^ (unsigned long)(product >> 64) ^ (unsigned long)(other >> 64);
}

static unsigned char text[TEXT];

static void hash(void)
{
    unsigned long fnv = 14695981039346656037ul, mixed = 88172645463325252ul;

    for (long i = 0; i < TEXT; i++)
        text[i] = "the quick brown fox jumps over the lazy dog "[next_random() % 44];
    for (long i = 0; i < TEXT; i++)
        fnv = (fnv ^ text[i]) * 1099511628211ul;
    for (long i = 0; i < TEXT; i++)
        mixed = mix(mixed + text[i], fnv + i) % 1000000007ul + (unsigned)mixed / (text[i] - 7u) +
                (long)mixed / -13;
    print_number("crc", crc(text, TEXT));
    print_number("fnv", fnv);
    print_number("mixed", mixed);
}

/* ---- strings ---- */
static void strings(void)
{
    static char words[TEXT + 1];
    long count = 0, longest = 0, length = 0, found = 0;
    short histogram[256] = {0};

    memcpy(words, text, TEXT);
    for (long i = 0; i <= TEXT; i++) {
        histogram[(unsigned char)words[i]]++;
        if (words[i] > ' ') {
            length++;
            words[i] = words[i] - 'a' + 'A';
            continue;
        }
        count += length > 0;
        longest = length > longest ? length : longest;
        length = 0;
    }
    for (long i = 0; i + 3 <= TEXT; i++)
        found += words[i] == 'O' && words[i + 1] == ' ' && words[i + 2] == 'T';
    for (long i = 0, j = TEXT - 1; i < j; i++, j--) {
        char c = words[i];
        words[i] = words[j];
        words[j] = c;
    }
    print_number("words", count);
    print_number("longest", longest);
    print_number("found", found);
    print_number("e", histogram['e']);
    print_number("reversed", crc((unsigned char *)words, TEXT));
}

/* ---- floating point ---- */
static double left[ORDER][ORDER], right[ORDER][ORDER], product[ORDER][ORDER];
static float narrow[ORDER * ORDER];

static long bits_of(double value)
{
    long bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void matrices(void)
{
    double trace = 0;
    float dot = 0, least = 1e9f, most = -1e9f;

    for (int i = 0; i < ORDER; i++)
        for (int j = 0; j < ORDER; j++) {
            left[i][j] = (double)(long)next_random() / 3e15;
            right[i][j] = 1.0 / (i + j + 1);
            narrow[i * ORDER + j] = (float)left[i][j] * 0.25f;
        }
    for (int i = 0; i < ORDER; i++)
        for (int j = 0; j < ORDER; j++) {
            double sum = 0;
            for (int k = 0; k < ORDER; k++)
                sum += left[i][k] * right[k][j];
            product[i][j] = sum;
        }
    for (int i = 0; i < ORDER; i++)
        trace += product[i][i] - left[i][0] / right[0][i];
    for (int i = 0; i < ORDER * ORDER; i++) {
        dot = __builtin_fmaf(narrow[i], narrow[ORDER * ORDER - 1 - i], dot);
        asm volatile("fmin.s %0,%0,%1" : "+f"(least) : "f"(narrow[i]));
        asm volatile("fmax.s %0,%0,%1" : "+f"(most) : "f"(narrow[i]));
    }
    print_number("trace", bits_of(trace));
    print_number("dot", bits_of(dot));
    print_number("range", bits_of(most - least));
}

/* Roots by iteration and by the instruction, series, conversions at their bounds, and the flags
 * that all this raised. */
static void series(void)
{
    double sum = 0, worst = 0;
    long integers = 0, flags;

    asm volatile("fsflags zero");
    for (int i = 1; i < TERMS; i++) {
        double x = (double)i * 1.37, root = x, exact = __builtin_sqrt(x);
        for (int step = 0; step < 12; step++)
            root = 0.5 * (root + x / root);
        double error = __builtin_fabs(root - exact) / exact;
        worst = error > worst ? error : worst;
        sum += (i & 1 ? 1.0 : -1.0) / (2 * i - 1);
        float single = (float)x * (float)(i & 3 ? 1e10 : -1e-3);
        volatile float nearly = __builtin_sqrtf(single * single) / 3.0f;
        integers += (long)(nearly * 1e3f) + (int)x + (unsigned)(int)single + (single < nearly) +
                    __builtin_signbit(single);
        integers ^= bits_of(__builtin_fma(x, root, -exact));
    }
    volatile double zero = 0, huge = 1e308, tiny = 5e-324;
    integers +=
        bits_of(1 / zero) ^ bits_of(huge * 10) ^ bits_of(tiny / 3) ^ (bits_of(zero / zero) & 0xfff);
    integers += (int)huge + (unsigned)-huge + (long)(zero / zero);
    asm volatile("frflags %0" : "=r"(flags));
    print_number("pi", bits_of(4 * sum));
    print_number("roots", worst < 1e-15);
    print_number("integers", integers);
    print_number("flags", flags);
}

__attribute__((used)) static void run(void)
{
    random_state = 0x9e3779b97f4a7c15ul;
    for (int round = 0; round < SIZE; round++) {
        sort();
        hash();
        strings();
        matrices();
        series();
    }
    CALL(EXIT, 42);
}

/* The stack at a fixed place. */
static char stack[65536] __attribute__((aligned(16), used));
__attribute__((naked)) void _start(void)
{
    asm volatile("la sp,stack\nli t0,65536\nadd sp,sp,t0\ncall run");
}

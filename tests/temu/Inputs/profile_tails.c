/* Functions that end with a jump to another one, which replaces them in the chain of calls. */
#define APART __attribute__((noinline, noclone))

typedef int step(int);

static APART int add(int value)
{
    return value + 3;
}

static APART int twice(int value)
{
    return value * 2;
}

static APART int both(int value)
{
    __asm__ volatile("");
    return add(value ^ 1);
}

static step *volatile const steps[] = {add, twice, both, twice};

static APART int choose(int number, int value)
{
    return steps[number & 3](value);
}

static APART int odd(unsigned n);
static APART int even(unsigned n)
{
    return n ? odd(n - 1) : 1;
}

static APART int odd(unsigned n)
{
    return n ? even(n - 1) : 0;
}

/* Faults at its first instruction in the end. */
static APART int last(const int *place)
{
    return *(const volatile int *)place;
}

static APART int go(const int *place)
{
    __asm__ volatile("");
    return last(place);
}

int main(void)
{
    int value = 1;

    for (int i = 0; i < 5000; i++)
        value = choose(i, value) + even((unsigned)i & 7) + go(&value);
    return go((const int *)16) + value;
}

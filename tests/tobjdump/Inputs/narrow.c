/* A program for RV32: loops, a table, a call, and arithmetic of 64 bits. */
struct item {
    int factor;
    long offset;
    char name[8];
};

int other(int value, struct item *item);
static int table[4] = {1, 2, 3, 4};

int sum(struct item *items, unsigned count)
{
    int result = 0;

    for (unsigned i = 0; i < count; i++) {
        result += items[i].factor * table[i & 3];
        if (items[i].offset < 0)
            result -= other(result, items + i);
    }
    return result;
}

unsigned long long scale(unsigned long long value, unsigned factor)
{
    return value * factor + (value >> factor);
}

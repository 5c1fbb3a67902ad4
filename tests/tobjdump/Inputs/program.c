/* A program with all that gcc emits: floats, jump tables, strings, thread-local and common data,
 * weak and hidden symbols. */
struct record {
    int count;
    double value;
    const char *name;
};

static const char *const names[] = {"one", "two", "three"};
extern int external;
extern int printf(const char *, ...);
__thread int thread_local_value = 5;
int common_value;
static int zeroes[100];
int large[5000];
__attribute__((weak)) int weak_function(void);
__attribute__((visibility("hidden"))) int hidden_function(int x)
{
    return x * 3;
}

double sum(const struct record *records, int count)
{
    double total = 0;

    for (int i = 0; i < count; i++)
        total += records[i].value / records[i].count + external;
    return total;
}

float choose(float x, float y)
{
    return x > y ? x / y : __builtin_fmaf(x, y, 1.0f);
}

unsigned long long mix(unsigned long long x)
{
    return x * 0x123456789abcdefULL % 1000003;
}

int table(int x)
{
    switch (x) {
    case 0:
        return 5;
    case 1:
        return 9;
    case 2:
        return 77;
    case 3:
        return -4;
    case 4:
        return 1000;
    case 5:
        return hidden_function(x);
    case 6:
        return thread_local_value;
    default:
        return (int)mix(x);
    }
}

int main(int argc, char **argv)
{
    struct record records[3] = {{1, 2.0, argv[0]}, {2, 3.5, names[1]}, {argc, 1e9, 0}};

    printf("%s %f %d\n", names[argc % 3], sum(records, 3) + choose(argc, 2),
           table(argc) + zeroes[argc] + large[argc] + (weak_function ? weak_function() : 0));
    zeroes[1] = argc;
    return common_value;
}

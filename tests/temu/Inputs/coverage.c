#include <stdio.h>

static int unused(int x)
{
    return x * 2;
}

static int classify(int x)
{
    if (x < 0)
        return -1;
    if (x > 100)
        return unused(x);
    switch (x % 3) {
    case 0:
        return 3;
    case 1:
        return 1;
    default:
        return 2;
    }
}

static int collatz(int n)
{
    int steps = 0;

    while (n != 1) {
        if (n % 2)
            n = 3 * n + 1;
        else
            n /= 2;
        steps++;
    }
    return steps;
}

int main(int argc, char **argv)
{
    int sum = 0;

    for (int i = 0; i < 10; i++)
        sum += classify(i);
    if (argc > 1) {
        printf("%s\n", argv[1]);
        return unused(argc);
    }
    printf("%d %d\n", sum, collatz(27));
    return 0;
}

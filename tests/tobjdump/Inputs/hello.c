/* A program that links a large part of the C library. */
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments)
{
    printf("hello %d %f\n", count, strtod(arguments[0], NULL));
    return 0;
}

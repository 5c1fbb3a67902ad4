/* Loops of lr and sc, and atomic operations, by several threads, with turns of all lengths: nothing
 * is lost, and every loop succeeds. The end of a turn of 64 instructions or more ends a
 * reservation.
 *
 * RUN: %gcc -O2 -static -pthread -w -I %S/Inputs -o %t %s
 * RUN: for quantum in 1 2 3 5 17 63 64 65 1000; do \
 * RUN:     printf "threads:\n  quantum: $quantum\n" >%t.yaml; \
 * RUN:     for tier in interp translate; do %temu --tier=$tier --machine %t.yaml %t | FileCheck %s --match-full-lines || exit 1; done; \
 * RUN: done
 * CHECK: 1500 1500 1500
 */
#include "threads.h"

enum { THREADS = 3, TIMES = 500 };

static long reserved, swapped, added;

static void increment(long *counter)
{
    long value, failed;

    asm volatile("1: lr.d.aqrl %0, (%2)\n"
                 "addi %0, %0, 1\n"
                 "sc.d.rl %1, %0, (%2)\n"
                 "bnez %1, 1b"
                 : "=&r"(value), "=&r"(failed)
                 : "r"(counter)
                 : "memory");
}

static void *count(void *argument)
{
    for (int i = 0; i < TIMES; i++) {
        increment(&reserved);
        long before = __atomic_load_n(&swapped, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(&swapped, &before, before + 1, 0, __ATOMIC_SEQ_CST,
                                            __ATOMIC_RELAXED))
            ;
        __atomic_add_fetch(&added, 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        threads[i] = start(count, NULL);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    printf("%ld %ld %ld\n", reserved, swapped, added);
    return 0;
}

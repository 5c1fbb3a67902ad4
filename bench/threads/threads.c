/* Work for several threads: `NAME THREADS REPEATS` sorts REPEATS arrays, which the threads share
 * out, and prints a checksum that does not depend on the number of threads. */
#include "../workloads/workload.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUMBERS = 4096, THREADS = 64 };

struct part {
    unsigned first, step, end; /* repeats */
    uint32_t sum;
    uint32_t numbers[NUMBERS];
};

static struct part parts[THREADS];

static void sift(uint32_t *heap, unsigned at, unsigned count)
{
    uint32_t moved = heap[at];

    for (unsigned child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1] > heap[child])
            child++;
        if (heap[child] <= moved)
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static void sort(uint32_t *numbers, unsigned count)
{
    for (unsigned i = count / 2; i-- > 0;)
        sift(numbers, i, count);
    while (count > 1) {
        uint32_t greatest = numbers[0];
        numbers[0] = numbers[--count];
        numbers[count] = greatest;
        sift(numbers, 0, count);
    }
}

static void *work(void *argument)
{
    struct part *part = argument;

    for (unsigned repeat = part->first; repeat < part->end; repeat += part->step) {
        uint32_t state = repeat, sum = 0;
        for (unsigned i = 0; i < NUMBERS; i++)
            part->numbers[i] = draw(&state);
        sort(part->numbers, NUMBERS);
        for (unsigned i = 0; i < NUMBERS; i++)
            sum = mix(sum, part->numbers[i]);
        part->sum ^= sum;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    unsigned repeats = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    pthread_t threads[THREADS];
    uint32_t sum = 0;

    if (count < 1 || count > THREADS)
        return 2;
    for (unsigned i = 0; i < count; i++) {
        parts[i].first = i;
        parts[i].step = count;
        parts[i].end = repeats;
    }
    for (unsigned i = 1; i < count; i++)
        if (pthread_create(&threads[i], NULL, work, &parts[i]))
            return 1;
    work(&parts[0]);
    for (unsigned i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < count; i++)
        sum ^= parts[i].sum;
    printf("%08x\n", (unsigned)sum);
    return 0;
}

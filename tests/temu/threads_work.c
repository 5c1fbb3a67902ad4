/* Programs as people write them with threads: a queue of work, a parallel sort, and a million
 * operations of a lock and two condition variables. The output is that of qemu-riscv64.
 *
 * RUN: %gcc -O2 -static -pthread -w -I %S/Inputs -o %t %s
 * RUN: %qemu %t 2000 20000 >%t.qemu && %temu %t 2000 20000 | diff %t.qemu -
 * RUN: for how in --tier=interp --tier=translate --reference --trace=/dev/null; do %temu $how %t 2000 20000 | diff %t.qemu - || exit 1; done
 *
 * RUN: %temu %t 1000000 1000 | FileCheck %s
 * CHECK: passed 1000000 through 8 places, sum 499999500000
 */
#include "threads.h"
#include <string.h>

enum { PLACES = 8, PRODUCERS = 3, CONSUMERS = 4, CUTOFF = 4000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- a lock and two condition variables ---- */

static pthread_cond_t is_free = PTHREAD_COND_INITIALIZER, is_full = PTHREAD_COND_INITIALIZER;
static long places[PLACES], head, tail, limit, next;

static void *produce(void *argument)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (tail - head == PLACES)
            pthread_cond_wait(&is_free, &lock);
        bool over = next == limit;
        if (!over)
            places[tail++ % PLACES] = next++;
        pthread_cond_signal(&is_full);
        pthread_mutex_unlock(&lock);
        if (over)
            return NULL;
    }
}

static void *consume(void *argument)
{
    long sum = 0;

    for (;;) {
        pthread_mutex_lock(&lock);
        while (tail == head && next < limit)
            pthread_cond_wait(&is_full, &lock);
        if (tail == head)
            break;
        sum += places[head++ % PLACES];
        pthread_cond_signal(&is_free);
        pthread_mutex_unlock(&lock);
    }
    pthread_cond_broadcast(&is_full);
    pthread_mutex_unlock(&lock);
    return (void *)sum;
}

static void test_places(long count)
{
    pthread_t producers[PRODUCERS], consumers[CONSUMERS];
    long sum = 0;

    limit = count;
    for (int i = 0; i < PRODUCERS; i++)
        producers[i] = start(produce, NULL);
    for (int i = 0; i < CONSUMERS; i++)
        consumers[i] = start(consume, NULL);
    for (int i = 0; i < PRODUCERS; i++)
        finish(producers[i]);
    for (int i = 0; i < CONSUMERS; i++)
        sum += finish(consumers[i]);
    printf("passed %ld through %d places, sum %ld\n", head, PLACES, sum);
}

/* ---- a queue of work ---- */

struct work {
    struct work *next;
    long number;
};

static struct work *first, **last = &first;
static pthread_cond_t has_work = PTHREAD_COND_INITIALIZER;
static bool closed;
static long primes;

static bool is_prime(long number)
{
    for (long i = 2; i * i <= number; i++)
        if (number % i == 0)
            return false;
    return number > 1;
}

static void *do_work(void *argument)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!first && !closed)
            pthread_cond_wait(&has_work, &lock);
        struct work *work = first;
        if (work && !(first = work->next))
            last = &first;
        pthread_mutex_unlock(&lock);
        if (!work)
            return NULL;
        if (is_prime(work->number))
            __atomic_add_fetch(&primes, 1, __ATOMIC_RELAXED);
        free(work);
    }
}

static void test_queue(long count)
{
    pthread_t workers[CONSUMERS];

    for (int i = 0; i < CONSUMERS; i++)
        workers[i] = start(do_work, NULL);
    for (long i = 0; i < count; i++) {
        struct work *work = malloc(sizeof *work);
        *work = (struct work){.number = i};
        pthread_mutex_lock(&lock);
        *last = work;
        last = &work->next;
        pthread_cond_signal(&has_work);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    closed = true;
    pthread_cond_broadcast(&has_work);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < CONSUMERS; i++)
        finish(workers[i]);
    printf("%ld primes below %ld\n", primes, count);
}

/* ---- a parallel sort ---- */

struct range {
    unsigned *numbers, *room;
    long count;
};

static void merge(const struct range *range)
{
    long half = range->count / 2, left = 0, right = half;

    for (long i = 0; i < range->count; i++) {
        bool takes_left =
            right == range->count || (left < half && range->numbers[left] <= range->numbers[right]);
        range->room[i] = range->numbers[takes_left ? left++ : right++];
    }
    memcpy(range->numbers, range->room, range->count * sizeof *range->numbers);
}

static void *sort(void *argument)
{
    const struct range *range = argument;
    long half = range->count / 2;
    struct range low = {range->numbers, range->room, half};
    struct range high = {range->numbers + half, range->room + half, range->count - half};

    if (range->count < 2)
        return NULL;
    if (range->count < CUTOFF) {
        sort(&low);
        sort(&high);
    } else {
        pthread_t thread = start(sort, &low);
        sort(&high);
        finish(thread);
    }
    merge(range);
    return NULL;
}

static void test_sort(long count)
{
    struct range all = {malloc(count * sizeof(unsigned)), malloc(count * sizeof(unsigned)), count};
    unsigned state = 1, sum = 0;
    long wrong = 0;

    for (long i = 0; i < count; i++)
        all.numbers[i] = state = state * 1664525 + 1013904223;
    sort(&all);
    for (long i = 0; i < count; i++) {
        wrong += i && all.numbers[i - 1] > all.numbers[i];
        sum = sum * 31 + all.numbers[i];
    }
    printf("sorted %ld, wrong %ld, sum %u\n", count, wrong, sum);
}

int main(int count, char **arguments)
{
    long passed = atol(arguments[1]), size = atol(arguments[2]);

    test_places(passed);
    test_queue(size);
    test_sort(size);
    return 0;
}

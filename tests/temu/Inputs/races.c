/* Programs with and without races, one for each line of `cases`. The arguments are such a line;
 * without arguments, the lines are printed. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3, TIMES = 200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t ready;
static atomic_int flag, number;
static atomic_flag taken = ATOMIC_FLAG_INIT;
static long data, sums[THREADS];
static char bytes[16], *block;
static __thread long own;

static pthread_t start(void *(*work)(void *), void *argument)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, work, argument))
        abort();
    return thread;
}

static void finish(pthread_t thread)
{
    if (pthread_join(thread, NULL))
        abort();
}

/* Runs the work in all threads. */
static void run_all(void *(*work)(void *))
{
    pthread_t threads[THREADS];

    for (long i = 0; i < THREADS; i++)
        threads[i] = start(work, (void *)i);
    for (long i = 0; i < THREADS; i++)
        finish(threads[i]);
}

/* Runs two threads. */
static void run_two(void *(*one)(void *), void *(*two)(void *))
{
    pthread_t first = start(one, NULL), second = start(two, NULL);

    finish(first);
    finish(second);
}

/* ---- counters ---- */

static void *count(void *argument)
{
    for (int i = 0; i < TIMES; i++)
        data++;
    return NULL;
}

static void race_counter(void)
{
    run_all(count);
}

static void *count_locked(void *argument)
{
    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&lock);
        data++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void sound_mutex(void)
{
    run_all(count_locked);
}

static void *count_other(void *argument)
{
    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&other);
        data++;
        pthread_mutex_unlock(&other);
    }
    return NULL;
}

static void race_two_locks(void)
{
    run_two(count_locked, count_other);
}

static void *count_recursive(void *argument)
{
    pthread_mutex_t *mutex = argument;

    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(mutex);
        pthread_mutex_lock(mutex);
        data++;
        pthread_mutex_unlock(mutex);
        pthread_mutex_unlock(mutex);
    }
    return NULL;
}

static void sound_recursive(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_t first = start(count_recursive, &mutex), second = start(count_recursive, &mutex);
    finish(first);
    finish(second);
}

static void *count_atomic(void *argument)
{
    for (int i = 0; i < TIMES; i++)
        atomic_fetch_add_explicit(&number, 1, memory_order_relaxed);
    return NULL;
}

static void *count_and_wait(void *argument)
{
    count_atomic(argument);
    while (atomic_load_explicit(&number, memory_order_relaxed) < THREADS * TIMES)
        sched_yield();
    return NULL;
}

static void sound_atomic(void)
{
    run_all(count_and_wait);
}

static void *count_plainly(void *argument)
{
    for (int i = 0; i < TIMES; i++)
        (*(volatile int *)&number)++;
    return NULL;
}

static void race_atomic_and_plain(void)
{
    run_two(count_atomic, count_plainly);
}

static void *count_try(void *argument)
{
    for (int i = 0; i < TIMES;)
        if (pthread_mutex_trylock(&lock) == 0) {
            data++, i++;
            pthread_mutex_unlock(&lock);
        } else {
            sched_yield();
        }
    return NULL;
}

static void sound_trylock(void)
{
    run_all(count_try);
}

static void *count_spin(void *argument)
{
    for (int i = 0; i < TIMES; i++) {
        pthread_spin_lock(&spin);
        data++;
        pthread_spin_unlock(&spin);
    }
    return NULL;
}

static void sound_spinlock(void)
{
    pthread_spin_init(&spin, 0);
    run_all(count_spin);
}

static void *count_flag(void *argument)
{
    for (int i = 0; i < TIMES; i++) {
        while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
            sched_yield();
        data++;
        atomic_flag_clear_explicit(&taken, memory_order_release);
    }
    return NULL;
}

static void sound_flag(void)
{
    run_all(count_flag);
}

static void *count_exchange(void *argument)
{
    for (int i = 0; i < TIMES; i++) {
        int expected = 0;
        while (!atomic_compare_exchange_strong(&flag, &expected, 1)) {
            expected = 0;
            sched_yield();
        }
        data++;
        atomic_store(&flag, 0);
    }
    return NULL;
}

static void sound_exchange(void)
{
    run_all(count_exchange);
}

static void *count_relaxed(void *argument)
{
    for (int i = 0; i < TIMES; i++) {
        while (atomic_exchange_explicit(&flag, 1, memory_order_relaxed))
            sched_yield();
        data++;
        atomic_exchange_explicit(&flag, 0, memory_order_relaxed);
    }
    return NULL;
}

static void race_relaxed(void)
{
    run_all(count_relaxed);
}

static void *count_shared(void *argument)
{
    long sum = 0;

    for (int i = 0; i < TIMES; i++) {
        pthread_rwlock_rdlock(&shared);
        sum += data;
        pthread_rwlock_unlock(&shared);
        pthread_rwlock_wrlock(&shared);
        data++;
        pthread_rwlock_unlock(&shared);
    }
    sums[(long)argument] = sum;
    return NULL;
}

static void sound_rwlock(void)
{
    run_all(count_shared);
}

static void *write_shared(void *argument)
{
    pthread_rwlock_rdlock(&shared);
    sched_yield(); /* so that all threads have the lock for reading at once */
    data++;
    pthread_rwlock_unlock(&shared);
    return NULL;
}

static void race_rwlock(void)
{
    run_all(write_shared);
}

/* ---- messages ---- */

static void *send_release(void *argument)
{
    data = 5;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return NULL;
}

static void *receive_acquire(void *argument)
{
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        sched_yield();
    return (void *)data;
}

static void sound_message(void)
{
    run_two(send_release, receive_acquire);
}

static void *send_strong(void *argument)
{
    data = 5;
    atomic_store(&flag, 1);
    return NULL;
}

static void *receive_strong(void *argument)
{
    while (!atomic_load(&flag))
        sched_yield();
    return (void *)data++;
}

static void sound_strong_message(void)
{
    run_two(send_strong, receive_strong);
}

static void *send_by_exchange(void *argument)
{
    data = 5;
    atomic_exchange_explicit(&flag, 1, memory_order_relaxed);
    return NULL;
}

static void *receive_relaxed(void *argument)
{
    while (!atomic_load_explicit(&flag, memory_order_relaxed))
        sched_yield();
    return (void *)data;
}

static void race_relaxed_message(void)
{
    run_two(send_by_exchange, receive_relaxed);
}

static void *send_late(void *argument)
{
    atomic_store_explicit(&flag, 1, memory_order_release);
    data = 5;
    return NULL;
}

static void race_late_message(void)
{
    run_two(send_late, receive_acquire);
}

static void *send_locked(void *argument)
{
    pthread_mutex_lock(&lock);
    data = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *receive_locked(void *argument)
{
    pthread_mutex_lock(&lock);
    while (!data)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return (void *)data;
}

static void sound_condition(void)
{
    run_two(receive_locked, send_locked);
}

static void *receive_unlocked(void *argument)
{
    while (!*(volatile long *)&data)
        sched_yield();
    return NULL;
}

static void race_condition(void)
{
    run_two(send_locked, receive_unlocked);
}

static void *post(void *argument)
{
    data = 5;
    sem_post(&ready);
    return NULL;
}

static void *await(void *argument)
{
    while (sem_wait(&ready))
        continue;
    return (void *)data;
}

static void sound_semaphore(void)
{
    sem_init(&ready, 0, 0);
    run_two(await, post);
}

/* ---- phases ---- */

static void *add_by_phases(void *argument)
{
    long number = (long)argument;

    for (int i = 0; i < 10; i++) {
        sums[number] += sums[(number + 1) % THREADS] >= 0;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void race_phases(void)
{
    pthread_barrier_init(&barrier, NULL, THREADS);
    run_all(add_by_phases);
}

static void *add_by_two_phases(void *argument)
{
    long number = (long)argument;

    for (int i = 0; i < 10; i++) {
        long next = sums[(number + 1) % THREADS];
        pthread_barrier_wait(&barrier);
        sums[number] += next >= 0;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void sound_phases(void)
{
    pthread_barrier_init(&barrier, NULL, THREADS);
    run_all(add_by_two_phases);
}

static void initialize(void)
{
    data = 5;
}

static void *use_once(void *argument)
{
    pthread_once(&once, initialize);
    return (void *)data;
}

static void sound_once(void)
{
    run_all(use_once);
}

/* ---- starts and ends ---- */

static void *read_data(void *argument)
{
    return (void *)data;
}

static void sound_start_and_end(void)
{
    for (int i = 0; i < 20; i++) {
        data = i;
        finish(start(count, NULL));
        data = 0;
    }
}

static void race_after_start(void)
{
    pthread_t thread = start(read_data, NULL);

    data = 1;
    finish(thread);
}

static void *start_another(void *argument)
{
    data = 1;
    return (void *)start(count, NULL);
}

static void sound_nested(void)
{
    void *inner;

    if (pthread_join(start(start_another, NULL), &inner))
        abort();
    finish((pthread_t)inner);
    data++;
}

static void race_without_join(void)
{
    void *inner;

    if (pthread_join(start(start_another, NULL), &inner))
        abort();
    data++;
    finish((pthread_t)inner);
}

static void *detach(void *argument)
{
    pthread_detach(pthread_self());
    pthread_mutex_lock(&lock);
    data++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void sound_detached(void)
{
    for (int i = 0; i < 8; i++) {
        start(detach, NULL);
        sched_yield();
    }
    pthread_mutex_lock(&lock);
    while (data < 8)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* ---- memory ---- */

static void *set_own_bytes(void *argument)
{
    for (int i = 0; i < TIMES; i++)
        bytes[(long)argument]++;
    return NULL;
}

static void sound_bytes(void)
{
    run_all(set_own_bytes);
}

static void *set_word(void *argument)
{
    *(volatile int *)&bytes[4] = 1;
    return NULL;
}

static void *set_byte(void *argument)
{
    ((volatile char *)bytes)[6] = 1;
    return NULL;
}

static void race_part(void)
{
    run_two(set_word, set_byte);
}

static void *count_own(void *argument)
{
    for (int i = 0; i < TIMES; i++)
        *(volatile long *)&own += 1;
    return NULL;
}

static void sound_own(void)
{
    run_all(count_own);
}

static void *allocate(void *argument)
{
    for (int i = 1; i < TIMES; i++) {
        char *some = malloc(i % 50 * 40 + 1);
        memset(some, i, i % 50 * 40 + 1);
        free(some);
    }
    return NULL;
}

static void sound_heap(void)
{
    run_all(allocate);
}

static void *fill_block(void *argument)
{
    memset(block, 1, 100);
    return NULL;
}

static void race_fill(void)
{
    block = malloc(100);
    run_two(fill_block, fill_block);
}

static void *copy_block(void *argument)
{
    char copy[100];

    memcpy(copy, block, sizeof copy);
    return (void *)(long)copy[*(volatile long *)&data];
}

static void sound_copies(void)
{
    block = calloc(1, 100);
    run_two(copy_block, copy_block);
}

static void *write_block(void *argument)
{
    if (write(1, block, 100) != 100)
        abort();
    return NULL;
}

static void race_system_call(void)
{
    block = memset(malloc(100), '\n', 100);
    run_two(write_block, fill_block);
}

static void *print(void *argument)
{
    for (int i = 0; i < 20; i++)
        printf("%ld %d\n", (long)argument, i);
    return NULL;
}

static void sound_output(void)
{
    run_all(print);
}

/* ---- the choice ---- */

#define CASE(how, name)                                                                            \
    {                                                                                              \
#how, #name, how##_##name                                                                  \
    }

static const struct {
    const char *how, *name;
    void (*run)(void);
} cases[] = {
    CASE(race, counter),
    CASE(sound, mutex),
    CASE(race, two_locks),
    CASE(sound, recursive),
    CASE(sound, atomic),
    CASE(race, atomic_and_plain),
    CASE(sound, trylock),
    CASE(sound, spinlock),
    CASE(sound, flag),
    CASE(sound, exchange),
    CASE(race, relaxed),
    CASE(sound, rwlock),
    CASE(race, rwlock),
    CASE(sound, message),
    CASE(sound, strong_message),
    CASE(race, relaxed_message),
    CASE(race, late_message),
    CASE(sound, condition),
    CASE(race, condition),
    CASE(sound, semaphore),
    CASE(race, phases),
    CASE(sound, phases),
    CASE(sound, once),
    CASE(sound, start_and_end),
    CASE(race, after_start),
    CASE(sound, nested),
    CASE(race, without_join),
    CASE(sound, detached),
    CASE(sound, bytes),
    CASE(race, part),
    CASE(sound, own),
    CASE(sound, heap),
    CASE(race, fill),
    CASE(sound, copies),
    CASE(race, system_call),
    CASE(sound, output),
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc < 2)
            printf("%s %s\n", cases[i].how, cases[i].name);
        else if (strcmp(argv[1], cases[i].how) == 0 && strcmp(argv[2], cases[i].name) == 0)
            cases[i].run();
    return 0;
}

/* Futexes, and the calls that make threads, by system calls without a library: the order in which
 * waiters are woken, sets of bits, moves, timeouts, operations, and errors. The output is that
 * of qemu-riscv64. The program waits by time until its threads wait: longer if the host was too
 * busy for them to do so under QEMU.
 *
 * RUN: %gcc -O1 -static -pthread -D_GNU_SOURCE -w -I %S/Inputs -o %t %s
 * RUN: for wait in 20 200 2000; do %qemu %t $wait >%t.qemu && FileCheck %s <%t.qemu && break; done
 * RUN: for tier in interp translate; do %temu --tier=$tier %t 20 | diff %t.qemu - || exit 1; done
 * RUN: %temu %t temu | FileCheck %s --check-prefix=TEMU
 * CHECK: order 0 1 2 3 4 5
 * CHECK: bits 1 0 1 1 1
 * CHECK: order of bits 3 1 0 2, results 0
 * CHECK: 2 1 1
 * CHECK: moved 2, woken 1 1 0, order 0 1 4 2 3, results 0
 * CHECK: operation 2 12, 0 0,
 *
 * What temu defines: ids, and a limit of 1,024 threads.
 * TEMU: ids 3 4 5
 * TEMU-NEXT: threads 1023, then EAGAIN
 * TEMU-NEXT: EINVAL EINVAL EINVAL
 * TEMU-NEXT: all over
 */
#include "threads.h"
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WAITERS = 6 };

static unsigned milliseconds; /* until a thread that was made waits */
static uint32_t word, second;
static int order[WAITERS], woken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long futex(uint32_t *address, int operation, unsigned long value, const void *timeout,
                  uint32_t *other, unsigned long last)
{
    long result = syscall(SYS_futex, address, operation, value, timeout, other, last);

    return result < 0 ? -errno : result;
}

static void settle(void)
{
    usleep(milliseconds * 1000);
}

struct waiter {
    int number;
    int operation;
    uint32_t bits;
};

static void *wait_and_note(void *argument)
{
    const struct waiter *waiter = argument;
    long result = futex(&word, waiter->operation, 0, NULL, NULL, waiter->bits);

    pthread_mutex_lock(&lock);
    order[woken++] = waiter->number;
    pthread_mutex_unlock(&lock);
    return (void *)result;
}

static void begin_waiters(pthread_t *threads, struct waiter *waiters, int count)
{
    woken = 0;
    for (int i = 0; i < count; i++) {
        waiters[i].number = i;
        threads[i] = start(wait_and_note, &waiters[i]);
        settle();
    }
}

static void end_waiters(pthread_t *threads, int count, const char *name)
{
    long sum = 0;

    for (int i = 0; i < count; i++)
        sum += finish(threads[i]);
    printf("%s", name);
    for (int i = 0; i < count; i++)
        printf(" %d", order[i]);
    printf(", results %ld\n", sum);
}

static void test_order(void)
{
    struct waiter waiters[WAITERS];
    pthread_t threads[WAITERS];

    for (int i = 0; i < WAITERS; i++)
        waiters[i] = (struct waiter){.operation = FUTEX_WAIT_PRIVATE};
    begin_waiters(threads, waiters, WAITERS);
    for (int i = 0; i < WAITERS; i++) {
        if (futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) != 1)
            printf("not woken\n");
        settle();
    }
    end_waiters(threads, WAITERS, "order");
    printf("nobody %ld\n", futex(&word, FUTEX_WAKE_PRIVATE, 100, NULL, NULL, 0));
}

static void test_bits(void)
{
    struct waiter waiters[4] = {{0, FUTEX_WAIT_BITSET_PRIVATE, 1},
                                {0, FUTEX_WAIT_BITSET_PRIVATE, 2},
                                {0, FUTEX_WAIT_BITSET_PRIVATE, 3},
                                {0, FUTEX_WAIT_BITSET_PRIVATE, 0x80000000}};
    pthread_t threads[4];

    begin_waiters(threads, waiters, 4);
    printf("bits %ld", futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 10, NULL, NULL, 0x80000000));
    settle();
    printf(" %ld", futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 10, NULL, NULL, 4));
    printf(" %ld", futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 2));
    settle();
    printf(" %ld", futex(&word, FUTEX_WAKE_PRIVATE, 0, NULL, NULL, 0));
    settle();
    printf(" %ld\n", futex(&word, FUTEX_WAKE_PRIVATE, 10, NULL, NULL, 0));
    end_waiters(threads, 4, "order of bits");
}

static void test_requeue(void)
{
    struct waiter waiters[5];
    pthread_t threads[5];

    for (int i = 0; i < 5; i++)
        waiters[i] = (struct waiter){.operation = FUTEX_WAIT_PRIVATE};
    begin_waiters(threads, waiters, 5);
    printf("%ld\n", futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 1, (void *)2, &second, 7));
    long first = futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 1, (void *)1, &second, 0);
    settle();
    long then = futex(&second, FUTEX_WAKE_PRIVATE, 5, NULL, NULL, 0);
    settle();
    long moved = futex(&word, FUTEX_REQUEUE_PRIVATE, 0, (void *)2, &second, 0);
    long last = futex(&word, FUTEX_WAKE_PRIVATE, 5, NULL, NULL, 0);
    settle();
    printf("%ld %ld %ld\n", first, then, last);
    printf("moved %ld, woken", moved);
    for (int i = 0; i < 3; i++) {
        printf(" %ld", futex(&second, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
        settle();
    }
    end_waiters(threads, 5, ", order");
}

static void *wait_for_second(void *argument)
{
    return (void *)futex(&second, FUTEX_WAIT_PRIVATE, 5, NULL, NULL, 0);
}

static void test_operations(void)
{
    struct waiter waiter = {.operation = FUTEX_WAIT_PRIVATE};
    pthread_t threads[2];

    second = 5;
    begin_waiters(threads, &waiter, 1);
    threads[1] = start(wait_for_second, NULL);
    settle();
    printf("operation %ld", futex(&word, FUTEX_WAKE_OP_PRIVATE, 1, (void *)1, &second,
                                  FUTEX_OP(FUTEX_OP_ADD, 7, FUTEX_OP_CMP_GT, 4)));
    printf(" %u, %ld %ld", second, finish(threads[0]), finish(threads[1]));
    static const int operations[][4] = {{FUTEX_OP_SET, 9, FUTEX_OP_CMP_EQ, 12},
                                        {FUTEX_OP_OR, 6, FUTEX_OP_CMP_NE, 9},
                                        {FUTEX_OP_ANDN, 3, FUTEX_OP_CMP_LT, 0},
                                        {FUTEX_OP_XOR, 0xfff, FUTEX_OP_CMP_LE, 12},
                                        {FUTEX_OP_ADD | 8, 4, FUTEX_OP_CMP_GE, -13}};
    for (int i = 0; i < 5; i++) {
        const int *operation = operations[i];
        long result = futex(&word, FUTEX_WAKE_OP_PRIVATE, 1, (void *)1, &second,
                            FUTEX_OP(operation[0], operation[1], operation[2], operation[3]));
        printf(", %ld %x", result, second);
    }
    printf("\n");
}

static void test_errors(void)
{
    struct timespec soon = {0, 1000000}, wrong = {0, 1000000000}, past = {0, 1};

    printf("%s", strerror(-futex(&word, FUTEX_WAIT, 1, NULL, NULL, 0)));
    printf(", %s", strerror(-futex(&word, FUTEX_WAIT, 0, &soon, NULL, 0)));
    printf(", %s", strerror(-futex(&word, FUTEX_WAIT_BITSET, 0, &past, NULL, ~0u)));
    printf(", %s", strerror(-futex(&word, FUTEX_WAIT, 0, &wrong, NULL, 0)));
    printf(", %s", strerror(-futex(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 0)));
    printf(", %s", strerror(-futex(&word, FUTEX_WAKE_BITSET, 1, NULL, NULL, 0)));
    printf(", %s", strerror(-futex((uint32_t *)((char *)&word + 1), FUTEX_WAKE, 1, NULL, NULL, 0)));
    printf(", %s\n", strerror(-futex((uint32_t *)16, FUTEX_WAIT, 1, NULL, NULL, 0)));
}

/* ---- what temu defines ---- */

static char stacks[1100][256] __attribute__((aligned(16)));
static uint32_t stop;

/* Makes a thread that waits for `stop` and ends, without a C library: its stack is small. */
static long clone_thread(unsigned long flags, void *stack)
{
    register long a0 asm("a0") = (long)flags, a1 asm("a1") = (long)stack, a2 asm("a2") = 0,
                     a3 asm("a3") = 0, a4 asm("a4") = 0, number asm("a7") = SYS_clone;

    asm volatile("ecall\n"
                 "bnez a0, 1f\n"
                 "2: mv a0, %[stop]\n"
                 "li a1, 0\n"
                 "li a2, 0\n"
                 "li a3, 0\n"
                 "li a7, 98\n"
                 "ecall\n"
                 "lw a0, (%[stop])\n"
                 "beqz a0, 2b\n"
                 "li a7, 93\n"
                 "ecall\n"
                 "1:"
                 : "+r"(a0)
                 : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(number), [stop] "r"(&stop)
                 : "memory");
    return a0;
}

static void test_limits(void)
{
    unsigned long flags =
        CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    int made = 0;
    long result;

    printf("ids");
    while ((result = clone_thread(flags, stacks[made + 1])) > 0) {
        made++;
        if (made <= 3)
            printf(" %ld", result);
    }
    printf("\nthreads %d, then %s\n", made, result == -EAGAIN ? "EAGAIN" : "another error");
    printf("%s", clone_thread(flags & ~CLONE_VM, stacks[0]) == -EINVAL ? "EINVAL" : "made");
    printf(" %s", clone_thread(flags & ~CLONE_SIGHAND, stacks[0]) == -EINVAL ? "EINVAL" : "made");
    printf(" %s\n", clone_thread(flags & ~CLONE_FILES, stacks[0]) == -EINVAL ? "EINVAL" : "made");
    stop = 1;
    while (futex(&stop, FUTEX_WAKE_PRIVATE, 2000, NULL, NULL, 0) > 0)
        ;
    usleep(1000);
    printf("%s\n", clone_thread(flags, stacks[1]) == made + 3 ? "all over" : "still there");
}

int main(int count, char **arguments)
{
    if (strcmp(arguments[1], "temu") == 0) {
        test_limits();
        return 0;
    }
    milliseconds = atoi(arguments[1]);
    test_order();
    test_bits();
    test_requeue();
    test_operations();
    test_errors();
    return 0;
}

/* A program in which no thread can ever go on ends with a list of what each waits for, and does not
 * hang: a lock that the only thread holds already, two locks that two threads take in different
 * orders, and waits of all kinds. A handler of a signal can still wake a thread.
 *
 * RUN: %gcc -O1 -g -static -pthread -w -o %t %s
 * RUN: %temu %t >%t.out 2>%t.err; test $? = 134 && FileCheck %s <%t.err
 * CHECK: {{^}}temu: {{.*}}: stopped: deadlock, no thread can ever go on{{$}}
 * CHECK-NEXT: {{^}}  t1, tid 2 (deadlock.c.tmp): waits for a futex, pc 0x{{[0-9a-f]+}} <{{.+}}>{{$}}
 * CHECK-NOT: {{.}}
 * RUN: grep -x "woken" %t.out
 *
 * RUN: for tier in interp translate; do %temu --tier=$tier %t locks 2>%t.err; test $? = 134 && FileCheck %s --check-prefix=LOCKS <%t.err || exit 1; done
 * RUN: %temu --trace=/dev/null %t locks 2>%t.err; test $? = 134 && FileCheck %s --check-prefix=LOCKS <%t.err
 * LOCKS: {{^}}temu: {{.*}}: stopped: deadlock, no thread can ever go on{{$}}
 * LOCKS-NEXT: {{^}}  t1, tid 2 (deadlock.c.tmp): waits for a futex at 0x{{[0-9a-f]+}}, pc 0x{{[0-9a-f]+}} <{{.+}}>{{$}}
 * LOCKS-NEXT: {{^}}  t2, tid 3 (second): waits for a futex at 0x{{[0-9a-f]+}}, pc 0x{{[0-9a-f]+}} <{{.+}}>{{$}}
 * LOCKS-NEXT: {{^}}  t3, tid 4 (deadlock.c.tmp): waits for a pipe or an event, pc 0x{{[0-9a-f]+}} <{{.+}}>{{$}}
 * LOCKS-NEXT: {{^}}  t4, tid 5 (deadlock.c.tmp): waits for a signal, pc 0x{{[0-9a-f]+}} <call+0x{{[0-9a-f]+}}> at {{.*}}deadlock.c:[[#]]{{$}}
 * LOCKS-NOT: {{.}}
 *
 * The report of a fault names the thread, if there are several.
 * RUN: %temu %t fault 2>%t.err; test $? = 139 && FileCheck %s --check-prefix=FAULT <%t.err
 * FAULT: load access fault
 * FAULT: {{^}}  thread       t2, tid 3 (deadlock.c.tmp)
 * FAULT-NEXT: {{^}}  pc           0x{{[0-9a-f]+}} <fail{{.*}}>
 *
 * A program cannot sleep for longer than time lasts, and then goes on.
 * RUN: %temu %t sleep
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void unlock(int signal)
{
    pthread_mutex_unlock(&lock);
}

static void *take_other_first(void *argument)
{
    pthread_setname_np(pthread_self(), "second");
    pthread_mutex_lock(&other);
    usleep(1000);
    pthread_mutex_lock(&lock);
    return argument;
}

static void *read_nothing(void *argument)
{
    int ends[2];
    char byte;

    pipe(ends);
    read(ends[0], &byte, 1);
    return argument;
}

/* rt_sigsuspend without a library function around it. */
__attribute__((noinline)) static long call(const unsigned long *mask)
{
    register long number asm("a7") = 133, result asm("a0") = (long)mask, size asm("a1") = 8;

    asm volatile("ecall" : "+r"(result) : "r"(number), "r"(size) : "memory");
    return result;
}

static void *wait_for_signal(void *argument)
{
    unsigned long none = ~0ul;

    call(&none);
    return argument;
}

static void lock_in_two_orders(void)
{
    pthread_t threads[3];

    pthread_mutex_lock(&lock);
    pthread_create(&threads[0], NULL, take_other_first, NULL);
    pthread_create(&threads[1], NULL, read_nothing, NULL);
    pthread_create(&threads[2], NULL, wait_for_signal, NULL);
    usleep(1000);
    pthread_mutex_lock(&other);
}

static void *fail(void *argument)
{
    return *(void *volatile *)argument;
}

static void *sleep_long(void *argument)
{
    for (int i = 0; i < 10; i++)
        sleep(1u << 31);
    return argument;
}

int main(int count, char **arguments)
{
    if (count > 1 && arguments[1][0] != 'l') {
        pthread_t thread;
        pthread_create(&thread, NULL, arguments[1][0] == 'f' ? fail : sleep_long, NULL);
        pthread_join(thread, NULL);
        return 0;
    }
    if (count > 1)
        lock_in_two_orders();
    signal(SIGALRM, unlock);
    alarm(1);
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    puts("woken");
    fflush(stdout);
    pthread_mutex_lock(&lock);
    puts("never");
    return 0;
}

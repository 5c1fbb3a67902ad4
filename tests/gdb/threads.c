/* Threads in gdb: their list, registers and backtraces of each, breakpoints that one of them meets,
 * steps of one thread while the others run or are held, an interrupt, and the end of a thread.
 *
 * RUN: %gcc -O0 -g -static -pthread -w -o %t %s
 * RUN: %python %tools/gdb_session.py %s %t -- %temu | FileCheck %s
 *
 * GDB: break work if number == 2
 * GDB: continue
 * CHECK: [Switching to Thread 3]
 * CHECK: Thread 3 hit Breakpoint 1, work (number=2)
 * GDB: info threads
 * CHECK: {{^}}  1    Thread 1 (threads.c.tmp, id 2: waits for a futex) {{.*}} in {{.*(futex|syscall_cancel)}}
 * CHECK-NEXT: {{^}}  2    Thread 2 (threads.c.tmp, id 3: runs) {{.*}}work (number=1)
 * CHECK-NEXT: {{^}}* 3    Thread 3 (threads.c.tmp, id 4: runs) {{.*}}work (number=2)
 * CHECK-NEXT: {{^}}  4    Thread 4 (threads.c.tmp, id 5: runs) {{.*}}clone
 * GDB: thread apply all -s backtrace
 * CHECK: Thread 3
 * CHECK-NEXT: #0 {{.*}}work (number=2)
 * CHECK-NEXT: #1 {{.*}}begin (argument=0x2)
 * CHECK: Thread 2
 * CHECK-NEXT: #0 {{.*}}work (number=1)
 * CHECK-NEXT: #1 {{.*}}begin (argument=0x1)
 * CHECK: Thread 1
 * CHECK: in main ()
 *
 * Registers of a thread that is not the one that stopped.
 * GDB: thread 2
 * GDB: set $s11 = 0x1234
 * GDB: thread 3
 * GDB: set $s11 = 0x5678
 * GDB: thread apply 2 3 print/x $s11
 * CHECK: {{^}}Thread 2 (
 * CHECK-NEXT: {{^}}$1 = 0x1234
 * CHECK: {{^}}Thread 3 (
 * CHECK-NEXT: {{^}}$2 = 0x5678
 *
 * While one thread takes steps, the others run in their turns, or are held.
 * GDB: set scheduler-locking on
 * GDB: print counts[1] > 0 && counts[1] < 1000
 * CHECK: $3 = 1
 * GDB: set $before = counts[1]
 * GDB: next
 * GDB: next
 * GDB: next
 * GDB: next
 * GDB: print counts
 * GDB: print $before == counts[1]
 * CHECK: $4 = {0, [[#]], 1, 0}
 * CHECK: $5 = 1
 * GDB: thread 2
 * GDB: next
 * GDB: next
 * GDB: next
 * GDB: print counts[1] > $before && counts[2] == 1
 * CHECK: $6 = 1
 * GDB: set scheduler-locking off
 * GDB: thread 3
 * GDB: until {line AFTER}
 * CHECK: return sum * number
 * GDB: print counts[1] == 1000 && counts[2] == 1000
 * CHECK: $7 = 1
 *
 * A thread that has ended is not listed.
 * GDB: delete
 * GDB: break {line JOINED}
 * GDB: continue
 * CHECK: Thread 1 hit Breakpoint 2, main ()
 * GDB: info threads
 * CHECK: {{^}}* 1    Thread 1
 * CHECK-NOT: Thread 2
 * GDB: delete
 * GDB: continue
 * CHECK: exited normally
 * CHECK: sum 3003000
 *
 * A signal to a thread, and steps over the end of a thread.
 * RUN: %python %tools/gdb_session.py --prefix ENDS %s %t -- %temu | FileCheck %s --check-prefix=ENDED
 * ENDS: break begin if argument == 3
 * ENDS: continue
 * ENDED: Thread 4 hit Breakpoint 1, begin
 * ENDS: break pthread_mutex_unlock thread 4
 * ENDS: continue
 * ENDED: Thread 4 hit Breakpoint 2
 * ENDS: delete
 * ENDS: finish
 * ENDS: next
 * ENDS: continue
 * ENDED: exited normally
 *
 * In a barrel, the threads are the supervisor and its workers.
 * RUN: printf 'barrel:\n  workers: 6\n' >%t.yaml
 * RUN: %python %tools/gdb_session.py --prefix BARREL %s %t -- %temu --machine %t.yaml | FileCheck %s --check-prefix=WORKERS
 * RUN: %python %tools/gdb_session.py --prefix ENDS %s %t -- %temu --machine %t.yaml | FileCheck %s --check-prefix=ENDED
 * BARREL: break work if number == 2
 * BARREL: continue
 * WORKERS: Thread 3 hit Breakpoint 1, work (number=2)
 * BARREL: info threads
 * WORKERS: {{^}}  1    Thread 1 (sup, threads.c.tmp, id 2: {{runs|waits for a futex}})
 * WORKERS-NEXT: {{^}}  2    Thread 2 (w0, threads.c.tmp, id 3: runs) {{.*}}work (number=1)
 * WORKERS-NEXT: {{^}}* 3    Thread 3 (w1, threads.c.tmp, id 4: runs) {{.*}}work (number=2)
 * BARREL: set scheduler-locking on
 * BARREL: next
 * BARREL: next
 * BARREL: next
 * BARREL: next
 * BARREL: print counts[1] < 1000 && counts[2] == 1
 * WORKERS: $1 = 1
 * BARREL: set scheduler-locking off
 * BARREL: delete
 * BARREL: break {line JOINED}
 * BARREL: continue
 * WORKERS: Thread 1 hit Breakpoint 2, main ()
 * BARREL: info threads
 * WORKERS: {{^}}* 1    Thread 1
 * WORKERS-NOT: Thread 2
 * BARREL: continue
 * WORKERS: exited normally
 * WORKERS: sum 3003000
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int counts[4];
static volatile int go_on = 1;

static long work(long number)
{
    long sum = 0;

    for (int i = 1; i <= 1000; i++) {
        sum += i;
        counts[number] = i;
    }
    return sum * number; // # AFTER
}

static void *begin(void *argument)
{
    long result = work((long)argument);

    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return (void *)result;
}

int main(void)
{
    pthread_t threads[3];
    long sum = 0;

    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, begin, (void *)(i + 1));
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += (long)result;
    }
    printf("sum %ld\n", sum); // # JOINED
    return 0;
}

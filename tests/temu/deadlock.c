/* A program that waits for ever for another thread ends with a message, and does not hang: a lock
 * that it holds already, and what programs do after they could not start a thread. A handler of a
 * signal can still wake it.
 *
 * RUN: %gcc -O1 -static -w -o %t %s
 * RUN: timeout 60 %temu %t >%t.out 2>%t.err; test $? = 123 && FileCheck %s <%t.err
 * CHECK: {{^}}temu: {{.*}}: stopped: waits for a thread that cannot come (futex), at 0x{{[0-9a-f]+}} <{{.+}}>{{$}}
 * RUN: grep -x "woken" %t.out
 * RUN: timeout 60 %temu --trace-syscalls %t clone 2>%t.err; test $? = 123 && FileCheck %s --check-prefix=CLONE <%t.err
 * CLONE: unsupported system call clone
 * CLONE: temu: {{.*}}: stopped: waits for a thread that cannot come (futex), at 0x{{[0-9a-f]+}} <{{.+}}>; it tried to start one before (clone), but temu runs one thread
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void unlock(int signal)
{
    pthread_mutex_unlock(&lock);
}

static void *start(void *argument)
{
    return argument;
}

int main(int count, char **arguments)
{
    pthread_t thread;

    if (count > 1)
        pthread_create(&thread, NULL, start, NULL);
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

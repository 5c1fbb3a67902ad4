#include <setjmp.h>
#include <signal.h>

static jmp_buf env;
static volatile int seen;

void deep(int n)
{
    if (n == 0)
        longjmp(env, 1);
    deep(n - 1);
    seen++;
}

void in_handler(void)
{
    seen++;
}

void on_signal(int number)
{
    seen += number;
    in_handler();
}

void after_jump(void)
{
    seen++;
}

void after_signal(void)
{
    seen++;
}

int main(void)
{
    if (!setjmp(env))
        deep(3);
    after_jump();
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    after_signal();
    return 0;
}

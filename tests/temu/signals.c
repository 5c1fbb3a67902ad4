/* Signals that the program sends to itself or that faults raise, with handlers, masks, the
 * alternate stack, and the frame that a handler can read and change. The output is that of
 * qemu-riscv64.
 *
 * RUN: %gcc -march=rv64imafd -mabi=lp64d -O1 -ffreestanding -nostdlib -static -Wl,--no-relax -I %S/Inputs -o %t %s
 * RUN: %temu %t >%t.out && FileCheck %s --match-full-lines <%t.out
 * RUN: %qemu %t >%t.expected && cmp %t.expected %t.out
 * RUN: %temu --stats %t 2>/dev/null >%t.watched; cmp %t.out %t.watched
 * RUN: %temu --trace=%t.trace %t >%t.watched && cmp %t.out %t.watched
 * RUN: FileCheck %s --check-prefix=TRACE <%t.trace
 *
 * In the trace, the effects of the call that raises the signal are the handler's registers and its
 * frame. The effects of the return from the handler are all registers that change.
 * TRACE: ecall {{.*}}write[0x{{[0-9a-f]+}}+0x440]{{.*}} ra=0x{{[0-9a-f]+}} sp=0x{{[0-9a-f]+}} a0=0xa a1=0x{{[0-9a-f]+}} a2=0x{{[0-9a-f]+}}
 * TRACE: li a7,139
 * TRACE-NEXT: ecall {{.*}} a0=0x0
 *
 * CHECK: no handler yet 0
 * CHECK-NEXT: signal 10 code -6 sender 1
 * CHECK-NEXT: result 0
 * CHECK-NEXT: float kept 7
 * CHECK-NEXT: blocked 0
 * CHECK-NEXT: pending 2560
 * CHECK-NEXT: signal 10 code 0 sender 1
 * CHECK-NEXT: signal 12 code 0 sender 1
 * CHECK-NEXT: unblocked 0
 * CHECK-NEXT: mask inside 2560
 * CHECK-NEXT: mask after 0
 * CHECK-NEXT: fault 11 code 1 at 64
 * CHECK-NEXT: fault 11 code 2 at here 1
 * CHECK-NEXT: fault 4 code 1 at pc 1
 * CHECK-NEXT: fault 5 code 1 at pc 1
 * CHECK-NEXT: rounding 2
 * CHECK-NEXT: a0 kept -512
 * CHECK-NEXT: a0 kept -513
 * CHECK-NEXT: a0 kept -514
 * CHECK-NEXT: a0 kept -85
 * CHECK-NEXT: on the stack 1
 * CHECK-NEXT: flags inside 1
 * CHECK-NEXT: change inside -1
 * CHECK-NEXT: flags after 0
 * CHECK-NEXT: overflow caught 11
 * CHECK-NEXT: reset 0
 * CHECK-NEXT: ignored 0
 * CHECK-NEXT: child 0
 * CHECK-NEXT: bad signal -22
 * CHECK-NEXT: handle KILL -22
 * CHECK-NEXT: bad size -22
 * CHECK-NEXT: bad action -14
 * CHECK-NEXT: bad old -14
 * CHECK-NEXT: bad set -14
 * CHECK-NEXT: bad how -22
 * CHECK-NEXT: bad stack -14
 * CHECK-NEXT: small stack -12
 * CHECK-NEXT: stack flags -22
 * CHECK-NEXT: signal 70 -22
 * CHECK-NEXT: signal 0 0
 * CHECK-NEXT: defaults 0
 *
 * Signals that end the program: by default, by a fault that is blocked, without room for the frame,
 * and with a frame that cannot be read.
 * RUN: sh -c '%temu %t kill 2>&1; test $? = 134' | FileCheck %s --check-prefix=KILL
 * KILL: ended by SIGABRT
 * RUN: sh -c '%temu %t xrealtime 2>&1; test $? = 162' | FileCheck %s --check-prefix=REALTIME
 * REALTIME: ended by signal 34
 * RUN: sh -c '%temu %t blocked 2>&1; test $? = 139' | FileCheck %s --check-prefix=BLOCKED
 * BLOCKED: load access fault
 * RUN: sh -c '%temu %t overflow 2>&1; test $? = 139' | FileCheck %s --check-prefix=OVERFLOW
 * RUN: sh -c '%temu %t again 2>&1; test $? = 139' | FileCheck %s --check-prefix=OVERFLOW
 * RUN: sh -c '%temu %t altstack 2>&1; test $? = 139' | FileCheck %s --check-prefix=OVERFLOW
 * OVERFLOW: SIGSEGV
 * RUN: sh -c '%temu %t return 2>&1; test $? = 139' | FileCheck %s --check-prefix=RETURN
 * RETURN: ended by SIGSEGV
 * RUN: sh -c '%temu %t nowhere 2>&1; test $? = 139' | FileCheck %s --check-prefix=NOWHERE
 * NOWHERE: instruction fetch fault
 */
#include "guest.h"

struct action {
    void *handler;
    unsigned long flags, mask;
    unsigned long
        mask_of_qemu; /* which expects the mask after a restorer, which RISC-V does not have */
};

struct stack {
    void *address;
    int flags;
    unsigned long size;
};

struct siginfo {
    int signal, error, code, pad;
    union {
        struct {
            int pid, uid;
        };
        unsigned long address;
    };
    unsigned long rest[13];
};

struct context {
    unsigned long flags;
    void *link;
    struct stack stack;
    unsigned long mask, unused[15], pad;
    unsigned long pc, x[31];
    double f[32];
    unsigned fcsr;
};

enum { SIGINFO = 4, ONSTACK = 0x08000000, NODEFER = 0x40000000 };

static long self;
static char alternate[16384] __attribute__((aligned(16)));

static long handle(int signal, void *handler, unsigned long flags, unsigned long mask)
{
    struct action action = {handler, flags | SIGINFO, mask, mask};

    return CALL(RT_SIGACTION, signal, &action, 0, 8);
}

static unsigned long mask_now(void)
{
    unsigned long mask = 0;

    CALL(RT_SIGPROCMASK, 0, 0, &mask, 8);
    return mask;
}

/* Prints on one line, while guest.h prints one line for each value. */
static void told(int signal, struct siginfo *info, struct context *context)
{
    char line[64];
    int at = 0;

    (void)context;
    register double ft0 asm("ft0") = 99.0;
    asm volatile("" : : "f"(ft0));
    for (const char *c = "signal "; *c; c++)
        line[at++] = *c;
    line[at++] = '0' + signal / 10;
    line[at++] = '0' + signal % 10;
    for (const char *c = info->code == -6 ? " code -6 sender " : " code 0 sender "; *c; c++)
        line[at++] = *c;
    line[at++] = '0' + (info->signal == signal && info->pid == self);
    line[at++] = '\n';
    CALL(WRITE, 1, line, at);
}

static unsigned long seen;
static void look(int signal, struct siginfo *info, struct context *context)
{
    (void)signal, (void)info, (void)context;
    seen = mask_now();
}

static struct siginfo fault;
static unsigned long fault_pc;
static void skip(int signal, struct siginfo *info, struct context *context)
{
    fault = *info;
    fault_pc = context->pc;
    context->pc += 4;
    if (signal == 5)
        context->fcsr = 2 << 5;
}

static void print_fault(const char *rest, long value)
{
    char line[64] = "fault 11 code 1 at ";

    if (fault.signal < 10) {
        for (int i = 7; i < 40; i++)
            line[i] = line[i + 1];
        line[6] = '0' + fault.signal;
    }
    int at = 0;
    while (line[at] != '1' || line[at - 1] != ' ' || line[at + 1] != ' ' || at < 8)
        at++;
    line[at] = '0' + fault.code;
    while (line[at])
        at++;
    while (*rest)
        line[at++] = *rest++;
    while (line[at - 1] == ' ')
        at--;
    line[at] = 0;
    print_number(line, value);
}

static int on_stack;
static struct stack inside;
static long inside_change;
static void look_at_stack(int signal, struct siginfo *info, struct context *context)
{
    char here;

    (void)signal, (void)info, (void)context;
    on_stack = &here >= alternate && &here < alternate + sizeof alternate;
    CALL(SIGALTSTACK, 0, &inside);
    inside_change = CALL(SIGALTSTACK, &inside, 0);
}

__attribute__((used)) static long recurse(long n)
{
    volatile char room[4096];

    room[0] = n;
    return recurse(n + room[0] + 1) + room[0];
}

__attribute__((used)) static unsigned long resume_sp, resume_pc;
static int caught;
static void leave(int signal, struct siginfo *info, struct context *context)
{
    (void)info;
    caught = signal;
    context->x[1] = resume_sp;
    context->pc = resume_pc;
}

/* Exhausts the stack; the handler leaves it. */
void overflow(void);
asm("overflow: addi sp,sp,-112\n"
    "sd ra,0(sp)\nsd s0,8(sp)\nsd s1,16(sp)\nsd s2,24(sp)\nsd s3,32(sp)\nsd s4,40(sp)\nsd "
    "s5,48(sp)\n"
    "sd s6,56(sp)\nsd s7,64(sp)\nsd s8,72(sp)\nsd s9,80(sp)\nsd s10,88(sp)\nsd s11,96(sp)\n"
    "la t0,resume_sp\nsd sp,0(t0)\nla t1,1f\nla t0,resume_pc\nsd t1,0(t0)\nli a0,0\ncall "
    "recurse\n1:"
    "ld ra,0(sp)\nld s0,8(sp)\nld s1,16(sp)\nld s2,24(sp)\nld s3,32(sp)\nld s4,40(sp)\nld "
    "s5,48(sp)\n"
    "ld s6,56(sp)\nld s7,64(sp)\nld s8,72(sp)\nld s9,80(sp)\nld s10,88(sp)\nld s11,96(sp)\n"
    "addi sp,sp,112\nret\n");

static void to_itself(void)
{
    register double kept asm("ft0");
    struct action old;
    CALL(RT_SIGACTION, 10, 0, &old, 8);
    print_number("no handler yet", (long)old.handler);
    handle(10, told, 0, 0);
    handle(12, told, 0, 1 << 9);
    kept = 7.0;
    asm volatile("" : "+f"(kept));
    long result = CALL(TKILL, CALL(GETTID, 0), 10);
    asm volatile("" : "+f"(kept));
    long number = kept;
    print_number("result", result);
    print_number("float kept", number);
    unsigned long set = 1 << 9 | 1 << 11, none = 0, pending;
    print_number("blocked", CALL(RT_SIGPROCMASK, 0, &set, 0, 8));
    CALL(KILL, self, 12);
    CALL(KILL, self, 10);
    CALL(RT_SIGPENDING, &pending, 8);
    print_number("pending", pending);
    /* One at a time, because the order in which several signals are delivered is not defined. */
    set = 1 << 9;
    CALL(RT_SIGPROCMASK, 1, &set, 0, 8);
    print_number("unblocked", CALL(RT_SIGPROCMASK, 2, &none, 0, 8));
    handle(10, look, 0, 1 << 11);
    CALL(KILL, self, 10);
    print_number("mask inside", seen);
    print_number("mask after", mask_now());
}

static const int constant = 5;
static const short internal[] = {-512, -513, -514, -85, 0};
static void by_faults(void)
{
    long rounding;

    handle(11, skip, 0, 0);
    handle(4, skip, 0, 0);
    handle(5, skip, 0, 0);
    asm volatile("li t0,64\nld t1,0(t0)" : : : "t0", "t1", "memory");
    print_fault("", fault.address);
    asm volatile("sw zero,0(%0)" : : "r"(&constant) : "memory");
    print_fault("here", fault.address == (unsigned long)&constant);
    asm volatile(".word 0xffffffff" : : : "memory");
    print_fault("pc", fault.address == fault_pc);
    asm volatile("ebreak" : : : "memory");
    print_fault("pc", fault.address == fault_pc);
    asm volatile("frrm %0" : "=r"(rounding));
    print_number("rounding", rounding);
    asm volatile("fsrm zero");
    /* Numbers that Linux or the emulator uses inside for calls that are interrupted or wait. */
    for (const short *number = internal; *number; number++) {
        register long a0 asm("a0") = *number;
        asm volatile("ebreak" : "+r"(a0) : : "memory");
        long kept = a0;
        asm volatile("fsrm zero");
        print_number("a0 kept", kept);
    }
}

static void on_alternate(void)
{
    struct stack stack = {alternate, 0, sizeof alternate}, now;

    CALL(SIGALTSTACK, &stack, 0);
    handle(10, look_at_stack, ONSTACK, 0);
    CALL(KILL, self, 10);
    print_number("on the stack", on_stack);
    print_number("flags inside", inside.flags);
    print_number("change inside", inside_change);
    CALL(SIGALTSTACK, 0, &now);
    print_number("flags after", now.flags);
    handle(11, leave, ONSTACK, 0);
    overflow();
    print_number("overflow caught", caught);
}

static void mistakes(void)
{
    struct action action, *nowhere = (struct action *)8;
    struct stack stack = {alternate, 0, 100};

    handle(10, look, 0x80000000, 0);
    CALL(KILL, self, 10);
    CALL(RT_SIGACTION, 10, 0, &action, 8);
    print_number("reset", (long)action.handler);
    handle(10, (void *)1, 0, 0);
    print_number("ignored", CALL(KILL, self, 10));
    print_number("child", CALL(KILL, self, 17));
    print_number("bad signal", handle(65, look, 0, 0));
    print_number("handle KILL", handle(9, look, 0, 0));
    print_number("bad size", CALL(RT_SIGACTION, 10, 0, 0, 16));
    print_number("bad action", CALL(RT_SIGACTION, 10, nowhere, 0, 8));
    print_number("bad old", CALL(RT_SIGACTION, 10, 0, nowhere, 8));
    print_number("bad set", CALL(RT_SIGPROCMASK, 0, nowhere, 0, 8));
    print_number("bad how", CALL(RT_SIGPROCMASK, 7, &action, 0, 8));
    print_number("bad stack", CALL(SIGALTSTACK, nowhere, 0));
    print_number("small stack", CALL(SIGALTSTACK, &stack, 0));
    stack.flags = 64;
    print_number("stack flags", CALL(SIGALTSTACK, &stack, 0));
    print_number("signal 70", CALL(KILL, self, 70));
    print_number("signal 0", CALL(KILL, self, 0));
}

/* A handler that raises a fault. */
static void fault_again(int signal, struct siginfo *info, struct context *context)
{
    (void)signal, (void)info, (void)context;
    *(volatile int *)64 = 0;
}

static void end(const char *how)
{
    struct stack stack = {alternate, 0, sizeof alternate};
    unsigned long set = -1;

    switch (how[0]) {
    case 'k':
        CALL(KILL, self, 6);
        break;
    case 'x':
        CALL(KILL, self, 34);
        break;
    case 'b':
        handle(11, skip, 0, 0);
        CALL(RT_SIGPROCMASK, 0, &set, 0, 8);
        asm volatile("ld t1,64(zero)" : : : "t1");
        break;
    case 'o':
        handle(11, skip, 0, 0);
        recurse(0);
        break;
    case 'a':
        if (how[1] == 'l')
            CALL(SIGALTSTACK, &stack, 0);
        handle(11, fault_again, how[1] == 'l' ? NODEFER | ONSTACK : NODEFER, 0);
        fault_again(0, 0, 0);
        break;
    case 'r':
        asm volatile("li sp,8\nli a7,139\necall");
        break;
    case 'n':
        handle(10, (void *)0x7f0000001238, 0, 0);
        CALL(KILL, self, 10);
        break;
    }
}

__attribute__((used)) static void run(long *stack)
{
    self = CALL(GETPID, 0);
    if (stack[0] > 1) {
        end((const char *)stack[2]);
        CALL(EXIT, 1);
    }
    to_itself();
    by_faults();
    on_alternate();
    mistakes();
    print_number("defaults", 0);
    CALL(EXIT, 0);
}

__attribute__((naked)) void _start(void)
{
    asm volatile("mv a0,sp\ncall run");
}

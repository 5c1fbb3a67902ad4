/* How the emulator enters native code and leaves it, on x86-64. The registers are those of
 * stencils/form.h. */
#include "emu/machine.h"

#include <stddef.h>

#define TEXT(number)  TEXT_(number)
#define TEXT_(number) #number

/* native_enter(hart, host, fast, enter, code) */
__asm__(".text\n"
        ".globl native_enter\n"
        ".type native_enter, @function\n"
        "native_enter:\n"
        "    push %rbx\n"
        "    push %rbp\n"
        "    push %r12\n"
        "    push %r13\n"
        "    push %r14\n"
        "    push %r15\n"
        "    mov %rdi, %rbp\n"
        "    mov %rsi, %r13\n"
        "    mov %rdx, %rsi\n"
        "    mov %r8, %rax\n"
        "    mov native_left_offset(%rip), %rdx\n"
        "    mov (%rbp,%rdx), %r12\n"
        "    jmp *%rcx\n"
        ".size native_enter, . - native_enter\n"
        ".globl native_leave\n"
        ".type native_leave, @function\n"
        "native_leave:\n"
        "    mov native_left_offset(%rip), %rdx\n"
        "    mov %r12, (%rbp,%rdx)\n"
        "    pop %r15\n"
        "    pop %r14\n"
        "    pop %r13\n"
        "    pop %r12\n"
        "    pop %rbp\n"
        "    pop %rbx\n"
        "    ret\n"
        ".size native_leave, . - native_leave\n");

extern const size_t native_left_offset;
const size_t native_left_offset = offsetof(struct hart, native_left);

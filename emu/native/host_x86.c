/* x86-64 as the host: see host.h. The registers are those of stencils/form_x86.h. */
#include "emu/machine.h"
#include "emu/native/host.h"

#include <cpuid.h>
#include <stddef.h>
#include <ucontext.h>

/* The registers that no stencil uses by itself. */
const uint8_t host_registers[HOST_PINS] = {3, 6, 7, 8, 9, 10, 11, 14, 15};

/* RCX and RDX: compilers prefer RAX. */
const uint8_t host_temporaries[HOST_TEMPORARIES + 1] = {1, 2};

const uint8_t host_float_registers[HOST_FLOAT_PINS + 1] = {4, 5, 6, 7, 12, 13, 14};

bool host_has_new_instructions(void)
{
#if defined __GNUC__ && __GNUC__ >= 12 && !defined __clang__
    return __builtin_cpu_supports("x86-64-v3");
#else
    unsigned a, b, basic, extended, d;

    /* Not all compilers know the names of LZCNT, MOVBE and F16C. */
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __get_cpuid(1, &a, &b, &basic, &d) && __get_cpuid(0x80000001, &a, &b, &extended, &d) &&
           extended & bit_LZCNT && basic & bit_MOVBE && basic & bit_F16C;
#endif
}

void host_write_modes(uint32_t modes[FLOAT_RMM])
{
    enum { NO_TRAPS = 0x1f80, MODE_SHIFT = 13 };
    static const uint32_t numbers[FLOAT_RMM] = {
        [FLOAT_RNE] = 0, [FLOAT_RTZ] = 3, [FLOAT_RDN] = 1, [FLOAT_RUP] = 2};

    for (int mode = 0; mode < FLOAT_RMM; mode++)
        modes[mode] = NO_TRAPS | numbers[mode] << MODE_SHIFT;
}

const char *const host_register_names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                           "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

/* Seven words: the return address, and the six registers that native_enter pushes. */
const unsigned char host_frame[] = {
    0xff, 0xff, 0xff, 0xff, 1,    0, /* a CIE of version 1, without augmentation */
    1,    0x78, 16,                  /* factors: code 1, data -8; the return address is 16 */
    0x0c, 7,    56,                  /* DW_CFA_def_cfa: rsp + 56 */
    0x90, 1,    0x83, 2,    0x86, 3,    0x8c, /* DW_CFA_offset: in the order of their places */
    4,    0x8d, 5,    0x8e, 6,    0x8f, 7,
};
const size_t host_frame_size = sizeof host_frame;

static const unsigned char load_rax[] = {0x48, 0xb8}, jump_rax[] = {0xff, 0xe0},
                           load_rdx[] = {0x48, 0xba}, call_rax[] = {0xff, 0xd0};

size_t host_write_entry(unsigned char bytes[HOST_FRAME_BYTES])
{
    memcpy(bytes, jump_rax, sizeof jump_rax);
    return sizeof jump_rax;
}

/* Writes how to go to the function: by the instruction with the address in RAX. */
static size_t write_far(unsigned char *bytes, void (*function)(void),
                        const unsigned char instruction[2])
{
    memcpy(bytes, load_rax, sizeof load_rax);
    memcpy(bytes + sizeof load_rax, &function, sizeof function);
    memcpy(bytes + sizeof load_rax + sizeof function, instruction, 2);
    return sizeof load_rax + sizeof function + 2;
}

size_t host_write_exit(unsigned char bytes[HOST_FRAME_BYTES])
{
    return write_far(bytes, native_leave, jump_rax);
}

size_t host_write_call(unsigned char bytes[HOST_FRAME_BYTES], native_function *function)
{
    size_t load = sizeof load_rdx + sizeof function;

    memcpy(bytes, load_rdx, sizeof load_rdx);
    memcpy(bytes + sizeof load_rdx, &function, sizeof function);
    return load + write_far(bytes + load, native_call_from, call_rax);
}

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
        "    mov %rsi, %r12\n"
        "    mov %r8, %rax\n"
        "    mov native_left_offset(%rip), %rdx\n"
        "    mov (%rbp,%rdx), %r13\n"
        "    pcmpeqd %xmm15, %xmm15\n"
        "    jmp *%rcx\n"
        ".size native_enter, . - native_enter\n"
        ".globl native_leave\n"
        ".type native_leave, @function\n"
        "native_leave:\n"
        "    mov native_left_offset(%rip), %rdx\n"
        "    mov %r13, (%rbp,%rdx)\n"
        "    pop %r15\n"
        "    pop %r14\n"
        "    pop %r13\n"
        "    pop %r12\n"
        "    pop %rbp\n"
        "    pop %rbx\n"
        "    ret\n"
        ".size native_leave, . - native_leave\n"
        ".globl native_call_from\n"
        ".type native_call_from, @function\n"
        "native_call_from:\n"
        "    .cfi_startproc\n"
        "    mov %rbp, %rdi\n"
        "    mov %r13, %rsi\n"
        "    call *%rdx\n"
        "    mov %rdx, %r13\n"
        "    pcmpeqd %xmm15, %xmm15\n"
        "    test %rax, %rax\n"
        "    jz 0f\n"
        "    ret\n"
        "0:  add $8, %rsp\n"
        "    jmp native_leave\n"
        "    .cfi_endproc\n"
        ".size native_call_from, . - native_call_from\n");

extern const size_t native_left_offset;
const size_t native_left_offset = offsetof(struct hart, native_left);

uintptr_t host_interrupted_at(const void *context)
{
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
}

void host_go_on_at(void *context, uintptr_t pc, int64_t more)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

    registers[REG_RIP] = (greg_t)pc;
    registers[REG_R13] += more;
}

int64_t host_take_left(void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    int64_t left = registers[REG_R13];

    registers[REG_R13] = 0;
    return left;
}

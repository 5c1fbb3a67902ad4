/* aarch64 as the host: see host.h. The registers are those of stencils/form_arm.h. */
#include "emu/machine.h"
#include "emu/native/host.h"

#include <stddef.h>
#include <ucontext.h>

/* The registers that no stencil uses by itself. */
const uint8_t host_registers[HOST_PINS] = {5,  6,  7,  8,  9,  10, 11, 12,
                                           13, 14, 15, 24, 25, 26, 27, 28};
const uint8_t host_temporaries[HOST_TEMPORARIES + 1] = {0};
const uint8_t host_float_registers[HOST_FLOAT_PINS + 1] = {8,  9,  10, 11, 12, 13, 14, 15,
                                                           16, 17, 18, 19, 20, 21, 22, 23};

void host_write_modes(uint32_t modes[FLOAT_RMM])
{
    (void)modes;
}

const char *const host_register_names[] = {"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",
                                           "x8",  "x9",  "x10", "x11", "x12", "x13", "x14", "x15",
                                           "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23",
                                           "x24", "x25", "x26", "x27", "x28", "x29", "x30"};

/* Twenty words: the registers that native_enter stores. */
const unsigned char host_frame[] = {
    0xff, 0xff, 0xff, 0xff, 1,    0, /* a CIE of version 1, without augmentation */
    4,    0x78, 30,                  /* factors: code 4, data -8; the return address is 30 */
    0x0c, 31,   0xa0, 1,             /* DW_CFA_def_cfa: sp + 160 */
    0x9d, 20,   0x9e, 19,   0x93, 18, 0x94, 17, /* DW_CFA_offset: in the order of their places */
    0x95, 16,   0x96, 15,   0x97, 14, 0x98, 13, 0x99, 12, 0x9a, 11, 0x9b, 10, 0x9c,
    9,    5,    72,   8,    5,    73, 7,    5,  74,   6,  5,    75, 5, /* the same of d8 to d15 */
    5,    76,   4,    5,    77,   3,  5,    78, 2,    5,  79,   1,
};
const size_t host_frame_size = sizeof host_frame;

/* Writes a function that returns the number, and calls it. */
static unsigned try_code(unsigned char *writable, const unsigned char *executable, unsigned number)
{
    uint32_t code[] = {/* MOV w0, number; RET */ 0x52800000 | number << 5, 0xd65f03c0};
    unsigned (*function)(void) = (unsigned (*)(void))(uintptr_t)executable;

    memcpy(writable, code, sizeof code);
    host_flush(writable, writable + sizeof code);
    host_flush(executable, executable + sizeof code);
    return function();
}

bool host_sees_changes(unsigned char *writable, const unsigned char *executable)
{
    return try_code(writable, executable, 1) == 1 && try_code(writable, executable, 2) == 2;
}

size_t host_write_entry(unsigned char bytes[HOST_FRAME_BYTES])
{
    static const uint32_t code = /* BR x17 */ 0xd61f0220;

    memcpy(bytes, &code, sizeof code);
    return sizeof code;
}

size_t host_write_exit(unsigned char bytes[HOST_FRAME_BYTES])
{
    static const uint32_t code[] = {/* LDR x17, .+8; BR x17 */ 0x58000051, 0xd61f0220};
    void (*leave)(void) = native_leave;

    memcpy(bytes, code, sizeof code);
    memcpy(bytes + sizeof code, &leave, sizeof leave);
    return sizeof code + sizeof leave;
}

size_t host_write_call(unsigned char bytes[HOST_FRAME_BYTES], native_function *function)
{
    static const uint32_t code[] = {/* LDR x17, .+16; LDR x16, .+20; BLR x17; B .+20 */ 0x58000091,
                                    0x580000b0, 0xd63f0220, 0x14000005};
    void (*call)(void) = native_call_from;

    memcpy(bytes, code, sizeof code);
    memcpy(bytes + sizeof code, &call, sizeof call);
    memcpy(bytes + sizeof code + sizeof call, &function, sizeof function);
    return sizeof code + sizeof call + sizeof function;
}

/* Stencils leave x17 alone while guest registers are loaded. */
__asm__(".text\n"
        ".globl native_enter\n"
        ".type native_enter, %function\n"
        "native_enter:\n"
        "    stp x29, x30, [sp, #-160]!\n"
        "    stp x19, x20, [sp, #16]\n"
        "    stp x21, x22, [sp, #32]\n"
        "    stp x23, x24, [sp, #48]\n"
        "    stp x25, x26, [sp, #64]\n"
        "    stp x27, x28, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x19, x0\n"
        "    mov x21, x1\n"
        "    mov x22, x2\n"
        "    mov x17, x4\n"
        "    mov x23, x5\n"
        "    adrp x0, native_left_offset\n"
        "    ldr x0, [x0, #:lo12:native_left_offset]\n"
        "    ldr x20, [x19, x0]\n"
        "    movi d28, #0xffffffff00000000\n"
        "    br x3\n"
        ".size native_enter, . - native_enter\n"
        ".globl native_leave\n"
        ".type native_leave, %function\n"
        "native_leave:\n"
        "    adrp x0, native_left_offset\n"
        "    ldr x0, [x0, #:lo12:native_left_offset]\n"
        "    str x20, [x19, x0]\n"
        "    ldp x19, x20, [sp, #16]\n"
        "    ldp x21, x22, [sp, #32]\n"
        "    ldp x23, x24, [sp, #48]\n"
        "    ldp x25, x26, [sp, #64]\n"
        "    ldp x27, x28, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    ldp x29, x30, [sp], #160\n"
        "    ret\n"
        ".size native_leave, . - native_leave\n"
        ".globl native_call_from\n"
        ".type native_call_from, %function\n"
        "native_call_from:\n"
        "    .cfi_startproc\n"
        "    stp x29, x30, [sp, #-16]!\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset 30, -8\n"
        "    .cfi_offset 29, -16\n"
        "    mov x0, x19\n"
        "    mov x1, x20\n"
        "    blr x16\n"
        "    mov x17, x0\n"
        "    mov x20, x1\n"
        "    movi d28, #0xffffffff00000000\n"
        "    ldp x29, x30, [sp], #16\n"
        "    .cfi_def_cfa_offset 0\n"
        "    cbz x17, native_leave\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size native_call_from, . - native_call_from\n");

extern const size_t native_left_offset;
const size_t native_left_offset = offsetof(struct hart, native_left);

uintptr_t host_interrupted_at(const void *context)
{
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.pc;
}

void host_go_on_at(void *context, uintptr_t pc, int64_t more)
{
    mcontext_t *registers = &((ucontext_t *)context)->uc_mcontext;

    registers->pc = pc;
    registers->regs[20] += (uint64_t)more;
}

int64_t host_take_left(void *context)
{
    mcontext_t *registers = &((ucontext_t *)context)->uc_mcontext;
    int64_t left = (int64_t)registers->regs[20];

    registers->regs[20] = 0;
    return left;
}

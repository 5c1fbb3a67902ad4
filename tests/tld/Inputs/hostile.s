# Something of everything that an object may have.
    .globl _start
    .cfi_startproc
_start:
    call other
    lla t0, datum
    lui t1, %hi(datum)
    lw t1, %lo(datum)(t1)
    beqz t1, 1f
    .p2align 4
1:  tail other
    .cfi_endproc
    .section .text.group, "axG", @progbits, group, comdat
    .weak in_group
in_group:
    .cfi_startproc
    nop
    .cfi_endproc
    .section .tdata, "awT", @progbits
thread_local:
    .dword 1
    .text
    lui a0, %tprel_hi(thread_local)
    add a0, a0, tp, %tprel_add(thread_local)
    addi a0, a0, %tprel_lo(thread_local)
    .option push
    .option norelax
    lla gp, __global_pointer$
    .option pop
    call chosen
    .weak nowhere
    lw a0, nowhere
    sw a0, datum, t1
    .type chosen, @gnu_indirect_function
chosen:
    ret
    .option pic
    la a0, datum
    .option nopic
    .data
datum:
    .dword in_group, other
    .word end - begin
begin:
    .skip 20
end:
    .bss
    .skip 100
    .comm common, 40, 16
    .section .spm, "aw", @progbits
    .dword datum
    .section .init_array.5, "aw", @init_array
    .dword _start
    .section .note.tensor.isa, "", @note
    .word 7, 16, 1
    .ascii "tensor\0\0"
    .ascii "0123456789abcdef"

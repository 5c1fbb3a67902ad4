# Changes an instruction of the block that runs, and one of a function, many times; then faults in the middle of a block.
    .option norvc
    .globl _start
_start:
    li s0, 1000
    la s1, here
    la s2, changed
    lw s3, addition
    lw s4, subtraction
again:
    sw s3, 0(s1)            # the block goes on with the new instruction
    addi s5, s5, 1
here:
    addi s6, s6, 1
    sw s4, 0(s1)
    addi s5, s5, 2
    jal changed
    sw s3, 0(s2)
    jal changed
    sw s4, 0(s2)
    addi s0, s0, -1
    bnez s0, again
    beqz zero, 1f           # to the next instruction, taken
1:  addi s5, s5, 3
    sd s5, 0(zero)
    addi s5, s5, 4
    .type changed, @function
changed:
    addi s6, s6, 1
    ret
    .align 2
addition:
    .word 0x001b0b13        # addi s6, s6, 1
subtraction:
    .word 0xfffb0b13        # addi s6, s6, -1

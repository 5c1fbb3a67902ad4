       { fadd.s ft0, ft0, ft1 ; fmul.s ft2, ft2, ft3 }
       { add a0, a0, a1 ; lw a2, 0(a0) }
       { bne a0, a1, loop ; fadd.s ft0, ft0, ft1 }
       { fadd.s ft0, ft0, ft1 ; csrr a0, fflags }
       { fence ; fadd.s ft0, ft0, ft1 }
       { fmv.x.w a0, ft0 ; addi a1, a0, 1 }
       { fmv.x.w a0, ft0 ; li a0, 1 }
       { fadd.s ft0, ft0, ft1 ; li a0, 0x12345678 }
       { fadd.s ft0, ft0, ft1 }
       { fadd.s ft0, ft0, ft1 ; .word 5 }
       { fadd.s ft0, ft0, ft1 ; dma.ld a0, a1, a2 }
loop:
       { tset.init 0, 1, a0 ; fadd.s ft0, ft0, ft1 }
       .macro pair
       .endm
       { pair ; fadd.s ft0, ft0, ft1 }
       { fadd.s ft0, ft0, ft1 ; nop

addi a0,a0,0
addi a0,a1,0
addi sp,sp,16
addi sp,sp,64
addi sp,sp,0
addi a0,sp,16
addi a0,sp,0
addi x0,x0,0
addi x0,x0,5
addi x0,a0,0
addi x0,a0,5
addi x0,x0,-5
addi a0,x0,0
addi a0,x0,5
addi sp,x0,5
li x0,5
mv x0,a0
mv a0,a0
add a0,x0,a1
add a0,a1,x0
add a0,x0,x0
add x0,x0,a0
add x0,a0,x0
add a0,a0,a1
add a0,a1,a0
add a0,a0,x0
add a0,a0,a0
add x0,x0,x0
add a0,x0,a0
and a0,a0,a1
and a0,a1,a0
and a0,a0,a0
sub a0,a0,a1
sub a0,a1,a0
addw a0,a1,a0
subw a0,a0,a1
addiw a0,a0,0
addiw a0,a1,0
addiw a0,a0,5
addiw x0,x0,5
sext.w a0,a0
sext.w x0,x0
slli a0,a0,0
slli a0,a0,5
slli a0,a0,63
slli x0,x0,5
slli s11,s11,5
srli a0,a0,0
srli a0,a0,5
srai a0,a0,5
srai a6,a6,5
sll a0,a0,5
srl a0,a0,5
andi a0,a0,5
andi a0,a0,0
andi a0,a0,-32
andi a0,a0,32
and a0,a0,5
add a0,a0,5
addw a0,a0,5
lui a0,1
lui a0,31
lui a0,32
lui a0,0xfffff
lui a0,0xfffe0
lui a0,0xfffdf
lui a0,0
lui sp,1
lui x0,1
lw a0,0(sp)
lw a0,0(a1)
lw x0,0(sp)
lw x0,4(a1)
lw s11,252(sp)
lw a0,252(sp)
lw a0,256(sp)
lw a0,124(a1)
lw a0,128(a1)
ld a0,504(sp)
sd x0,0(sp)
sd x0,0(a0)
sw a0,252(sp)
fld fa0,0(sp)
fld ft0,0(a0)
fsd fa0,0(a0)
fsd ft0,0(sp)
flw fa0,0(sp)
jalr a0
jr a0
ret
jalr x0,0(a0)
jalr x0,4(a0)
jalr ra,0(a0)
jalr ra,4(a0)
jalr t0,0(a0)
jr x0
jalr x0
ebreak
unimp
nop
neg a0,a0
not a0,a0
xori a0,a0,5
xor a0,a0,a1
xor a0,a1,a0
or a0,a1,a0
c.nop
c.nop 5
c.li x0,5
c.addi x0,5
c.addi a0,0
c.addi sp,16
c.addi x0,0
c.lui x0,5
c.lui a0,0xfffe1
c.mv x0,a0
c.add x0,a0
c.slli x0,5
c.slli64 a0
c.srli64 a0
c.srai64 a0
c.addi16sp sp,32
c.addi4spn a0,sp,32
c.unimp
c.jr a0
c.jalr a0
c.ebreak
c.lwsp a0,8(sp)
c.lwsp a0,(sp)
c.sw a0,(a1)
c.fsd fa0,(a1)
c.sub a0,a1
c.andi a0,-1
c.addiw a0,1
c.addw a0,a1
        .option push
        .option norvc
        addi    a0, a0, 1
        .balign 8
        .option pop
near:   addi    a0, a0, 1
        .balign 16
        j       near
        j       far
        beqz    a0, near
        bnez    a0, far
        bnez    a0, middle
        beq     a0, zero, middle
        bne     zero, a0, middle
        beqz    s2, near
        blt     a0, a1, far
        j       outside
        beqz    a0, outside
        bnez    s2, outside
        beqz    a0, outside_reach
        j       outside_reach
        .space  300
middle: c.j     middle
        c.j     far
        c.beqz  a0, near
        c.bnez  a0, far
        c.j     outside
        tail    outside
        call    middle
        la      a0, middle
        lui     a0, %hi(near)
        addi    a0, a0, %lo(near)
        lw      a0, %lo(near)(a0)
        add     a0, a0, tp, %tprel_add(thread)
        li      a0, 0x12345
        li      a1, 0x123456789abcdef
        li      a2, -1
        li      a3, 2048
        .space  2100
far:    ret
        .space  5000
outside_reach:
        nop
        .balign 4
        .section .text.other, "ax"
        nop
        .p2align 2
        add     a0, a0, a1
        .p2align 3
        beqz    a0, 1f
1:      ret
        .weak   weak
weak:   j       weak
        beqz    a0, weak
        sext.b  a0, a1
        sext.h  a2, a2
        zext.h  s3, s4
        zext.w  a5, a4
	unimp			# compressed, but not what it stands for
	csrrw zero, cycle, zero
	csrw cycle, zero

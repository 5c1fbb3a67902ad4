# Every call frame directive, and advances of every size.
	.text
	.globl f
f:
	.cfi_startproc
	addi sp,sp,-32
	.cfi_def_cfa_offset 32
	sd ra,24(sp)
	.cfi_offset 1, -8
	call g
	.cfi_remember_state
	ld ra,24(sp)
	.cfi_restore 1
	addi sp,sp,32
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	beqz a0,f
	.cfi_def_cfa_register 8
	la a0,g
	.cfi_undefined 9
	li a0,1
	.cfi_same_value 9
	.cfi_register 9,10
	lla a0,f
	.cfi_def_cfa 8,16
	.rept 20
	call g
	.endr
	.cfi_adjust_cfa_offset 16
	j f
	.cfi_rel_offset 9, 8
	.cfi_escape 0x16, 1, 2
	nop
	.cfi_val_offset 9,16
	.cfi_endproc
g:
	.cfi_startproc simple
	.cfi_signal_frame
	nop
	.cfi_endproc
h:
	.cfi_startproc
	.cfi_personality 0x9b, pp
	.cfi_lsda 0x1b, ll
	nop
	.cfi_return_column 5
	.cfi_offset 30,-8
	.cfi_restore 30
	.cfi_restore x9
	.cfi_offset f9, 8
	.cfi_endproc
far:
	.cfi_startproc
	.cfi_def_cfa x2, 0
	.cfi_escape 0x16, 2, 1, 3
	.rept 40000
	nop
	.endr
	call g
	.cfi_def_cfa_offset -16
	.cfi_val_offset ra, -8
	.cfi_endproc
	.cfi_startproc
	.cfi_personality 3, pp
	.cfi_personality 0xff
	.cfi_lsda 0, ll
	.cfi_undefined 1
	.cfi_remember_state
	.cfi_restore_state
	.cfi_endproc
	.cfi_startproc
	.cfi_endproc

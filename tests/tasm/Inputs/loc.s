	.file	"a.c"
	.file 1 "src/a.c"
	.file 2 "inc" "b.h"
f:
	.loc 1 3 1
	nop
	.loc 2 10 5 prologue_end
	nop
	.loc 1 2 0 basic_block isa 3
	nop
	.loc 1 200 0 epilogue_begin is_stmt 0
	call f
	nop
	.loc 1 3000 0 discriminator 300 view -0
	.loc 1 3001 0 view .LVU1
	nop
	.section .text.b, "ax"
	nop
	.loc 1 5
	nop
	.skip 60000
	.loc 1 6
	nop
	.section .debug_info, "", @progbits
	.uleb128 .LVU1

# Dollar labels and names in quotes are those of GNU as.
# RUN: %tasm -march=rv64gc %s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o
# A name in quotes is always a symbol, even if a register has that name.
# RUN: printf 'call "a0"\nj "s1+1"\n.quad "x" + 4, ("y")\nla t0, "with blank"\n' | %tasm -o %t.quoted.o -
# RUN: %greadelf -rW %t.quoted.o | FileCheck %s
# CHECK: R_RISCV_CALL_PLT {{.*}} a0 + 0
# CHECK: R_RISCV_JAL {{.*}} s1+1 + 0
# CHECK: R_RISCV_64 {{.*}} x + 4
# CHECK: R_RISCV_64 {{.*}} y + 0
# CHECK: R_RISCV_PCREL_HI20 {{.*}} with blank + 0

start:
1$:	nop
	j 1$
	beqz a0, 2$
.Lno_end:
2$:	j 1$
middle:
	j 1$
1$:	nop
2$:	.quad 1$, 2$
	.word 2$ - 1$
1:	j 1b
	.globl "x y"
	call "x y"
	.set "qr", 5
	.word "qr", "qr" + 1
"st.art":
	j "st.art"
	.size "st.art", . - "st.art"
	.type "st.art", @function
	la a0, "x y"
	.quad "x y" + 8
$dollar: j $dollar
_x.y$z:	j _x.y$z

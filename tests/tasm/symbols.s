# Binding, visibility, values and common storage are those of GNU as.
# RUN: %tasm %s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o

.globl foo
.weak bar
.hidden baz
.set q, 5
.set .Lx, 7
.globl q2
q2=q
.type fn,@function
.size fn, 4
.ifdef zz
.endif
fn: nop
.set fn2, fn
.globl fn2
 .weak w2
 .set w2, fn
call w2
call fn2
 .comm cc,10
.lcomm ll, 20
 .local lo
.comm lo,5,8
.data
.word cc, ll, lo
.hidden hid
hid: .word 1
.globl hid

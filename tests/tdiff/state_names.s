# State of units whose name has no point or index, as a weight of a barrel and the statuses of its workers, is state in text and in json, and
# --ignore tells it from CSRs. The name of a unit may begin as that of an access to memory does.
#
# RUN: echo 'barrel: {workers: 2}' >%t.yaml && %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --machine %t.yaml --trace=%t.text %t && %temu --machine %t.yaml --trace=%t.json %t
# RUN: grep -c 'weight3=\|exits=' %t.text | grep '^3$'
# RUN: %tdiff %t.text %t.json | count 0
# RUN: sed 's/weight3=0x3f/weight3=0x40/' %t.text >%t.other && not %tdiff %t.other %t.json | FileCheck %s
# CHECK: state weight3: 0x40800000 in {{.*}}.other, 0x3f800000 in {{.*}}.json
# RUN: not %tdiff --ignore=csr %t.other %t.text >/dev/null && %tdiff --ignore=state %t.other %t.text | count 0
# RUN: sed 's/ texits=0x1/ texits=0x0/' %t.text >%t.csr && not %tdiff --ignore=state %t.csr %t.text >/dev/null && %tdiff --ignore=csr %t.csr %t.text | count 0
# RUN: sed 's/weight3/loader.used/' %t.text >%t.load && sed 's/weight3=0x3f/loader.used=0x40/' %t.text >%t.load2
# RUN: not %tdiff %t.load %t.load2 | FileCheck --check-prefix=LOAD %s
# LOAD: state loader.used: 0x3f800000 in {{.*}}.load, 0x40800000 in {{.*}}.load2

	.globl	_start
_start:	li	t0, 0x3f800000
	fmv.w.x	fa0, t0
	wput	3, fa0
	csrwi	texits, 1
	la	t0, work
	trun	0, t0, t0
	tsync
	li	a0, 0
	li	a7, 93
	ecall
work:	wget	fa0, 3
	texit	a0

# Instructions of supervisor, hypervisor and debug mode, and names of CSRs that the machine does not have: they assemble as with GNU as, tobjdump prints them as objdump,
# and in temu they are illegal instructions.
# RUN: %tasm -march=rv64gc -mno-arch-attr %s -o %t.o && %gas -march=rv64gch -mno-arch-attr %sfence_vm %s -o %t.gas.o && %python %tools/compare_objects.py %t.o %t.gas.o
# RUN: %tobjdump -d %t.o | tail -n +4 | grep -v ':.104[05]0073' > %t.ours && %gas -march=rv64gch %sfence_vm %s -o %t.h.o && %gobjdump -d %t.h.o | tail -n +4 | grep -v ':.104[05]0073' | diff %t.ours -
# RUN: %tobjdump -d %t.o | FileCheck %s
# CHECK: 10400073          	sfence.vm{{$}}
# CHECK-NEXT: 10450073          	sfence.vm	a0
# RUN: for code in sret uret dret sfence.vm sfence.vma 'hfence.gvma a0, a1' 'hfence.vvma' 'csrr a0, satp' 'csrw stvec, a0'; do \
# RUN:   printf '.globl _start\n_start:\n%%s\n' "$code" | %tasm -o %t.run.o - && %tld -o %t.run %t.run.o && \
# RUN:   not %temu %t.run 2>&1 | grep -i 'illegal instruction' || exit 1; done
# All names that the description has, but those of version 1.9.1 only where GNU as has them.
# RUN: before=$(echo 'csrr a0, mbase' | %gas -o /dev/null - 2>/dev/null || echo 1.10); %python %S/Inputs/csr_names.py %root/isa/csr-names.yaml $before > %t.csrs.s && grep -c csrr %t.csrs.s | FileCheck --check-prefix=COUNT %s
# RUN: %tasm -march=rv64gc -mno-arch-attr %t.csrs.s -o %t.csrs.o && %gas -march=rv64gc -mno-arch-attr %t.csrs.s -o %t.gas.csrs.o && %python %tools/compare_objects.py %t.csrs.o %t.gas.csrs.o
# RUN: %tobjdump -d %t.csrs.o | tail -n +4 > %t.csrs.ours && %gobjdump -d -M priv-spec=1.12 %t.gas.csrs.o | tail -n +4 | diff %t.csrs.ours -
# COUNT: {{[3-9][0-9][0-9]}}

	sret
	uret
	dret
	sfence.vm
	sfence.vm a0
	sfence.vma
	sfence.vma a0
	sfence.vma a0, a1
	hfence.vvma
	hfence.vvma a0
	hfence.vvma a0, a1
	hfence.gvma
	hfence.gvma a0
	hfence.gvma a0, a1
	csrr a0, satp
	csrw stvec, a1
	csrs sie, 3
	csrr a0, vstimecmp

# Instructions that do not exist here, though a reader may look for them: a conversion to its own type, and one to i32.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s
# RUN: not test -e %t.o

	mcvt.f32.f32 a0, a1, 4
# CHECK: [[@LINE-1]]:2: error: unknown instruction 'mcvt.f32.f32'
	mcvt.i32.i8 a0, a1, 4
# CHECK: [[@LINE-1]]:2: error: unknown instruction 'mcvt.i32.i8'

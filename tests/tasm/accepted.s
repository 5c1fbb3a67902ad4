# Directives that compilers emit for debuggers and that have no effect, and directives that print messages.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
# RUN: sed '/\.err/d; /\.fail/d' %s > %t.s; %tasm %t.s -o %t.o | FileCheck --check-prefix=PRINTED %s

	.file 1 "program.c"
	.file "program.c"
	.loc 1 5 3 is_stmt 1 view .LVU3
	.cfi_sections .debug_frame
	.cfi_startproc
	.cfi_personality 0x9b,DW.ref.__gxx_personality_v0
	.cfi_escape 0x0f, 3, 0x72
	.cfi_endproc
	.title "a title"
	.print "shown"
# PRINTED: shown
	.warning
# CHECK: [[@LINE-1]]:2: warning: .warning
	.error "on purpose"
# CHECK: [[@LINE-1]]:2: error: on purpose
	.err
# CHECK: [[@LINE-1]]:2: error: .err
	.fail 499
# CHECK: [[@LINE-1]]:2: error: .fail 499
	.sleb128 later - now # the distance is known when the layout is
now:	.word 1
later:

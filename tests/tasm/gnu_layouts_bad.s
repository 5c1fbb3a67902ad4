# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s
	.struct -4
# CHECK: [[@LINE-1]]:10: error: '.struct' begins at 0 or above, not at -4
	.struct 0
a:	.word 1
# CHECK: [[@LINE-1]]:10: error: section '*ABS*' has no contents: only space can be reserved in it
	nop
# CHECK: [[@LINE-1]]:2: error: section '*ABS*' has no contents: only space can be reserved in it
a:	.zero 1
# CHECK: [[@LINE-1]]:1: error: symbol 'a' is already defined
	.text
	.section .b,"a",@progbits,unique,-1
# CHECK: [[@LINE-1]]:35: error: the number of a unique section is -1; expected 0..4294967294
	.section .b,"a",@progbits,unique
# CHECK: [[@LINE-1]]:28: error: unexpected argument of '.section'
	.attach_to_group ""
# CHECK: [[@LINE-1]]:19: error: '.attach_to_group' needs the name of a group
	.fail 499
# CHECK: [[@LINE-1]]:2: error: .fail 499
	.fail 500
# CHECK: [[@LINE-1]]:2: warning: .fail 500

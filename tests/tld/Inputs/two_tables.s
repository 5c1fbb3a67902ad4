	.data
	.word	place
	.section .other, "aw"
place:	.word	place

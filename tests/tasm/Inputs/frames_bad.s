# Errors in call frame directives, each at its place.
.cfi_def_cfa_offset 16
# CHECK: 2:1: error: '.cfi_def_cfa_offset' without a '.cfi_startproc' before it in section '.text'
.cfi_endproc
# CHECK: 4:1: error: '.cfi_endproc' without a '.cfi_startproc'
.cfi_startproc complicated
# CHECK: 6:16: error: expected 'simple' or nothing
.cfi_startproc
.cfi_startproc
# CHECK: 9:1: error: '.cfi_startproc' within another
# CHECK: 8:1: note: the other begins here
.cfi_offset ra, -7
# CHECK: 12:17: error: the offset -7 is not a multiple of 4
.cfi_offset nowhere, 8
# CHECK: 14:13: error: argument 1 of '.cfi_offset' must be a number
.cfi_undefined -1
# CHECK: 16:16: error: -1 is not a register number; expected 0..8191
.cfi_restore_state
# CHECK: 18:1: error: '.cfi_restore_state' without '.cfi_remember_state'
.cfi_escape 256
# CHECK: 20:13: error: 256 is not a byte
.cfi_personality 0x1c, p
# CHECK: 22:18: error: pointer encoding 0x1c has no relocation
.cfi_personality 0xff, p
# CHECK: 24:24: error: encoding 0xff means that there is no pointer
.cfi_lsda 0x1b
# CHECK: 26:15: error: argument 2 of '.cfi_lsda': expected an expression
.cfi_window_save
# CHECK: 28:1: error: '.cfi_window_save' is not supported for RISC-V
.cfi_sections .text
# CHECK: 30:15: error: call frames cannot go to '.text'
# CHECK: 8:1: error: '.cfi_startproc' without '.cfi_endproc'

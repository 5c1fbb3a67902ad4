# A CSR that does not exist, and a write to a read-only one, are illegal instructions; reading one with csrrs and x0 is not a write.
#
# RUN: %gas -march=rv64imafd_zicsr -o %t.absent.o %s && %gld -o %t.absent %t.absent.o
# RUN: not %temu %t.absent 2>&1 | FileCheck --check-prefix=ABSENT %s
# RUN: %gas -march=rv64imafd_zicsr --defsym WRITE=1 -o %t.write.o %s && %gld -o %t.write %t.write.o
# RUN: not %temu %t.write 2>&1 | FileCheck --check-prefix=WRITE %s
# ABSENT: illegal instruction
# ABSENT: csrr{{s?}}
# WRITE: illegal instruction

        .globl  _start
_start: csrrs   t0, instret, zero
        .ifdef  WRITE
        csrrw   zero, instret, t0
        .else
        csrrs   t0, 0x5ff, zero
        .endif
        li      a0, 0
        li      a7, 93
        ecall

# Traces that cannot be compared: exit status 2 and a message with the line.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --trace=%t.a %t && %temu --trace=%t.json --trace-format=json %t && %temu --trace=%t.spike --trace-format=spike %t
# RUN: echo 'TDIFF=$1; shift; "$TDIFF" "$@" 2>&1; echo "status $?"' > %t.sh

# RUN: head -1 %t.a > %t.b
# RUN: sh %t.sh %tdiff %t.b %t.b | FileCheck %s --check-prefix=NOTHING
# RUN: sh %t.sh %tdiff %t.a %t.b | FileCheck %s --check-prefix=NOTHING
# NOTHING: .b: error: has no instructions: nothing was compared
# NOTHING: status 2

# RUN: head -c 250 %t.a > %t.b
# RUN: sh %t.sh %tdiff %t.a %t.b | FileCheck %s --check-prefix=CUT
# CUT: .b:3: error: the file ends in the middle of this line: the trace is incomplete, write it again
# CUT: status 2

# RUN: sed '3s/ 0x0000/ 0y0000/' %t.a > %t.b
# RUN: sh %t.sh %tdiff %t.a %t.b | FileCheck %s --check-prefix=PC
# PC: .b:3:10: error: found '0y00{{[0-9a-f]+}}', expected a pc: 0x and 16 digits
# PC: status 2

# RUN: sed '3s/t0=/t0:/' %t.a > %t.b
# RUN: sh %t.sh %tdiff %t.a %t.b | FileCheck %s --check-prefix=EFFECT
# EFFECT: .b:3:{{[0-9]+}}: error: found 't0:0x3', expected an effect:
# EFFECT: status 2

# RUN: sed '3s/"effects"/effects/' %t.json > %t.b
# RUN: sh %t.sh %tdiff %t.a %t.b | FileCheck %s --check-prefix=JSON
# JSON: .b:3:{{[0-9]+}}: error: found 'effects:[{"regis', expected a string
# JSON: status 2

# RUN: sed '2s/(0x/(/' %t.spike > %t.b
# RUN: sh %t.sh %tdiff %t.spike %t.b | FileCheck %s --check-prefix=SPIKE
# SPIKE: .b:2:{{[0-9]+}}: error: found '{{.*}}', expected an encoding
# SPIKE: status 2

# RUN: sh %t.sh %tdiff %t.spike %t.json | FileCheck %s --check-prefix=FORMATS
# FORMATS: tdiff: error: {{.*}}.spike is Spike's commit log and {{.*}}.json is not{{.*}}--trace-format=spike
# FORMATS: status 2

# RUN: sed '1s/tensor-trace 1/tensor-trace 7/' %t.a > %t.b
# RUN: sh %t.sh %tdiff %t.a %t.b | FileCheck %s --check-prefix=VERSION
# VERSION: .b:1: error: this is version 7 of the trace format; this tdiff reads version 1
# VERSION: status 2

# RUN: sed '1s/isa=[0-9a-f]*/isa=0123456789abcdef/; 1s/machine=[0-9a-f]*/machine=0000000000000000/; 1s/program=[0-9a-f]*/program=0000000000000000/' %t.a > %t.b
# RUN: sh %t.sh %tdiff %t.a %t.b | FileCheck %s --check-prefix=WARNINGS
# WARNINGS: warning: {{.*}}different ISA descriptions
# WARNINGS: warning: {{.*}}different machine configurations
# WARNINGS: warning: {{.*}}different program files
# WARNINGS: status 0

# RUN: sh %t.sh %tdiff %t.a %s | FileCheck %s --check-prefix=OTHER
# OTHER: bad.s: error: is not a trace: expected '# tensor-trace' (text), '{' (json) or 'core ' (Spike's commit log) at the start
# OTHER: status 2
# RUN: sh %t.sh %tdiff %t.a /dev/null | FileCheck %s --check-prefix=EMPTY
# EMPTY: /dev/null: error: is empty: expected a trace
# EMPTY: status 2
# RUN: sh %t.sh %tdiff %t.a %t.absent | FileCheck %s --check-prefix=ABSENT
# ABSENT: .absent: error: cannot read: No such file or directory
# ABSENT: status 2
# RUN: sh %t.sh %tdiff %t.a | FileCheck %s --check-prefix=ONE
# ONE: tdiff: error: found 1 file, expected two traces: tdiff A B
# ONE: status 2
# RUN: sh %t.sh %tdiff --ignore=q7 %t.a %t.a | FileCheck %s --check-prefix=IGNORE
# IGNORE: tdiff: error: --ignore: 'q7' is not a register, a CSR, or one of encoding
# IGNORE: status 2
# RUN: sh %t.sh %tdiff -C many %t.a %t.a | FileCheck %s --check-prefix=CONTEXT
# CONTEXT: error: {{.*}}many
# CONTEXT: status 2
# RUN: sh %t.sh %tdiff --elf %s %t.a %t.a | FileCheck %s --check-prefix=ELF
# ELF: bad.s: error:
# ELF: status 2

# RUN: sed '3s/0x3/0x4/' %t.a > %t.b
# RUN: (%tdiff %t.a %t.b > /dev/full; echo "status $?") 2>&1 | FileCheck %s --check-prefix=FULL
# FULL: error: cannot write: No space left on device
# FULL: status 2

        .text
        .globl  _start
_start: li      a7, 93
        li      t0, 3
        li      a0, 0
        ecall

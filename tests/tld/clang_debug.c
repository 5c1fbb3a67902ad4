// The output of clang with debug information, DWARF 4 and 5, becomes a program whose faults have
// source lines.
// RUN: mkdir -p %t && cp %s %t/program.c && cd %t
// RUN: for options in "-gdwarf-5 -O1" "-gdwarf-4 -O0" "-gdwarf-5 -O2 -fpatchable-function-entry=2 -ffunction-sections"; do \
// RUN:   clang --target=riscv64-linux-gnu -march=rv64gc -ffreestanding $options -S program.c && %tasm -o program.o program.s && %tld -o program program.o && \
// RUN:   llvm-dwarfdump --verify --debug-info --debug-line program > verified && not %temu program 2>&1 | FileCheck %s || exit 1; \
// RUN: done
// CHECK: pc {{.*}} <load{{(\+0x[0-9a-f]+)?}}> at {{.*}}program.c:[[#@LINE + 3]]
__attribute__((noinline)) int load(volatile int *address)
{
    return *address;
}

void _start(void)
{
    load((int *)16);
    for (;;)
        ;
}

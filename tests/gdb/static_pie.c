/* A static position-independent program in gdb: symbols, breakpoints, frames and variables have the
 * addresses where the program is, which the debugger learns from qOffsets and the auxiliary vector.
 *
 * RUN: mkdir -p %t/bin && %gcc -O2 -fPIE -fno-stack-protector -c -o %t/rcrt1.o %S/../tld/Inputs/rcrt1.c && ln -sf %tld %t/bin/ld
 * RUN: %gcc -O1 -g -fPIE -static-pie -B%t/bin/ -B%t/ -o %t/ours %s
 * RUN: %gcc -O1 -g -fPIE -static-pie -B%t/ -Wl,-static,--no-dynamic-linker,-z,notext -o %t/theirs %s
 * RUN: %python %tools/gdb_session.py %s %t/ours -- %temu | FileCheck %s
 * RUN: %python %tools/gdb_session.py %s %t/theirs -- %temu | FileCheck %s
 *
 * GDB: info auxv
 * CHECK: AT_PHDR {{.*}} 0x10040
 * CHECK: AT_BASE {{.*}} 0x0
 * CHECK: AT_ENTRY {{.*}} 0x1
 * GDB: break inner
 * GDB: continue
 * CHECK: inner (x=6)
 * GDB: backtrace
 * CHECK: #0 {{.*}}inner (x=6)
 * CHECK: #1 {{.*}}outer (x={{.*}}3)
 * CHECK: #2 {{.*}}main ()
 * GDB: print pointer - table
 * CHECK: $1 = 2
 * GDB: print *pointer
 * CHECK: $2 = 3
 * GDB: info symbol $pc
 * CHECK: inner in section .text
 * GDB: info line main
 * CHECK: Line {{[0-9]+}} of "{{.*}}static_pie.c" starts at address 0x1
 * GDB: kill
 */
int table[4] = {1, 2, 3, 4};
int *pointer = &table[2];
__attribute__((noinline)) int inner(int x)
{
    return *pointer + x;
}
__attribute__((noinline)) int outer(int x)
{
    return inner(x + *pointer) + 1;
}
int main(void)
{
    return outer(3);
}

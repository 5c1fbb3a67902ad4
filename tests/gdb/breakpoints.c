/* Breakpoints do not keep the rest of the program from running as native code, and none is missed:
 * one in code that is native already, one in the middle of a block, some that come and go, and one
 * in a loop that gdb passes often.
 *
 * RUN: %gcc -O1 -g -static -o %t %s && %python %tools/gdb_session.py %s %t -- %temu --verbose > %t.out 2>&1; FileCheck %s < %t.out
 * RUN: for tier in interp translate optimize; do %python %tools/gdb_session.py %s %t -- %temu --tier=$tier > %t.$tier 2>&1; grep '^\$' %t.$tier > %t.$tier.values; grep '^\$' %t.out | cmp - %t.$tier.values || exit 1; done
 *
 * GDB: break second_phase
 * GDB: continue
 * GDB: print sum
 * CHECK: $1 = 2057117142
 * GDB: break step if value == 400
 * GDB: continue
 * GDB: print value
 * CHECK: $2 = 400
 * GDB: print sum
 * CHECK: $3 = 2057208513
 * GDB: delete 2
 * GDB: tbreak after
 * GDB: continue
 * GDB: print sum
 * CHECK: $4 = 7771331427
 * GDB: break step
 * GDB: ignore 4 199
 * GDB: continue
 * GDB: print value
 * CHECK: $5 = 199
 * GDB: delete
 * GDB: tbreak last_phase
 * GDB: continue
 * GDB: print sum
 * CHECK: $6 = 7773615712
 * GDB: continue
 * CHECK: native code, in {{[0-9]?[0-9]?[0-9]?[0-9]}} visits
 */
static unsigned long sum;

__attribute__((noinline)) static void step(unsigned long value)
{
    sum += value % 7 ? value : 2 * value;
    __asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) static void phase(unsigned long count)
{
    for (unsigned long i = 0; i < count; i++)
        step(i);
}

__attribute__((noinline)) static void second_phase(void)
{
    phase(100000);
}

__attribute__((noinline)) static void after(void)
{
    phase(2000);
}

__attribute__((noinline)) static void last_phase(void)
{
    sum++;
}

int main(void)
{
    phase(60000);
    second_phase();
    after();
    last_phase();
    return 0;
}

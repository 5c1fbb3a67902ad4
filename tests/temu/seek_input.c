/* Standard input can be read at a place where it is a file, and not where it is a pipe. The output
 * is that of qemu-riscv64.
 *
 * RUN: %gcc -O1 -static -o %t.elf %s
 * RUN: printf 'header 0123456789' >%t.in
 * RUN: %temu %t.elf <%t.in >%t.out
 * RUN: %qemu %t.elf <%t.in | diff %t.out -
 * RUN: FileCheck %s <%t.out
 * RUN: cat %t.in | %temu %t.elf >%t.out
 * RUN: cat %t.in | %qemu %t.elf | diff %t.out -
 * RUN: FileCheck --check-prefix=PIPE %s <%t.out
 * CHECK:      header 0 at 7
 * CHECK-NEXT: 9 at 17
 * CHECK-NEXT: header
 * CHECK-NEXT: after 17
 * PIPE:       header -1 at -1
 * PIPE-NEXT:  0 at -1
 * PIPE-NEXT:  -1
 * PIPE-NEXT:  after -1
 */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    char word[8], part[7] = "-1";

    scanf("%7s", word);
    int result = fseek(stdin, 1, SEEK_CUR);
    long place = ftell(stdin);
    printf("%s %d at %ld\n", word, result, result ? -1 : place);
    fseek(stdin, -1, SEEK_END);
    int last = getchar();
    while (last == ' ')
        last = getchar();
    printf("%c at %ld\n", last, ftell(stdin));
    pread(0, part, 6, 0);
    puts(part);
    printf("after %ld\n", (long)lseek(0, 0, SEEK_CUR));
    return 0;
}

/* /proc/self/exe leads to the program, by its path under --root if it is there.
 *
 * RUN: %gcc -O1 -static -D_GNU_SOURCE -o %t %s
 * RUN: rm -rf %t.root && mkdir -p %t.root/usr/bin && cp %t %t.root/usr/bin/program && ln -s usr/bin/program %t.root/link
 * RUN: %temu %t.root/usr/bin/program | FileCheck %s --check-prefixes=PRIVATE,OPEN
 * RUN: %temu --root=%t.root %t.root/usr/bin/program | FileCheck %s --check-prefixes=ROOT,OPEN
 * RUN: %temu --root=%t.root/usr/.. %t.root/link | FileCheck %s --check-prefixes=ROOT,OPEN
 * RUN: %temu --root=%t.root/usr %t.root/usr/bin/program | FileCheck %s --check-prefixes=USER,OPEN
 * RUN: %temu --root=%t.root %t | FileCheck %s --check-prefixes=ELSEWHERE
 *
 * PRIVATE: link: /program{{$}}
 * PRIVATE-NEXT: path: /program{{$}}
 * ROOT: link: /usr/bin/program{{$}}
 * ROOT-NEXT: path: /usr/bin/program{{$}}
 * USER: link: /bin/program{{$}}
 * USER-NEXT: path: /bin/program{{$}}
 * OPEN-NEXT: begins with ELF
 * ELSEWHERE: link: /program_path.c.tmp{{$}}
 * ELSEWHERE-NEXT: No such file or directory
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    char text[PATH_MAX] = "", head[4] = "";
    int file = open("/proc/self/exe", O_RDONLY);

    readlink("/proc/self/exe", text, sizeof text - 1);
    printf("link: %s\n", text);
    if (realpath("/proc/self/exe", text))
        printf("path: %s\n", text);
    if (file < 0)
        printf("%m\n");
    else if (read(file, head, sizeof head) == sizeof head)
        printf("begins with %.3s\n", head + 1);
    return 0;
}

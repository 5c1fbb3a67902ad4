/* A process on the host keeps exchanging a directory of the root with a link that leads out, while
 * the program opens, stats and lists its files. The program never sees files outside of the root.
 *
 * RUN: %gcc -O1 -static -D_GNU_SOURCE -w -o %t.elf %s
 * RUN: rm -rf %t && mkdir -p %t/root/x %t/outside && echo inside >%t/root/x/file && echo OUTSIDE-FILE >%t/outside/file && echo 1 >%t/outside/only
 * RUN: ln -s ../outside %t/root/y
 * RUN: printf '%%s\n' 'import ctypes, sys' 'c = ctypes.CDLL(None)' 'while True: c.renameat2(-100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2)' >%t/swap.py
 * RUN: sh -c '%python %t/swap.py %t/root/x %t/root/y & swap=$!; sleep 0.2; %temu --root %t/root %t.elf; kill $swap' >%t.out
 * RUN: FileCheck %s <%t.out
 *
 * The program has seen both: the directory, and the link in its place, which leads nowhere for the
 * program.
 * CHECK: inside {{[1-9][0-9]*}}
 * CHECK-NEXT: nowhere {{[1-9][0-9]*}}
 * CHECK-NEXT: outside 0
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    long inside = 0, nowhere = 0, outside = 0;
    char text[16] = "";
    struct stat status;

    for (int i = 0; i < 20000 || ((!inside || !nowhere) && i < 1000000); i++) {
        int file = open("x/file", O_RDONLY);
        if (file < 0)
            nowhere++;
        else if (read(file, text, sizeof text) == 7 && memcmp(text, "inside", 6) == 0)
            inside++;
        else
            outside++;
        close(file);
        outside += stat("x/file", &status) == 0 && status.st_size != 7;
        outside += access("x/only", F_OK) == 0;
        outside += open("x/only", O_RDWR) >= 0;
        outside += chmod("x/only", 0600) == 0;
        outside += truncate("x/only", 0) == 0;
    }
    printf("inside %ld\nnowhere %ld\noutside %ld\n", inside, nowhere, outside);
    return 0;
}

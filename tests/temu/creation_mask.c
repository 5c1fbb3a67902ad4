/* What a program makes has the mode that it asks for without the bits of its own mask, whatever
 * mask temu was started with. Linux on the host gives the same modes.
 *
 * RUN: rm -rf %t && mkdir -p %t/host %t/root && gcc -O1 -D_GNU_SOURCE -o %t/host/program %s
 * RUN: %gcc -O1 -static -D_GNU_SOURCE -o %t/root/program %s
 * RUN: cd %t/host && ./program >%t/expected && FileCheck %s --match-full-lines <%t/expected
 * RUN: cd %t && (umask 077; %temu --root=root root/program) | diff expected -
 * RUN: cd %t && (umask 0; %temu root/program) | diff expected -
 * CHECK: mask 0: directory 777 file 666 program 777 node 777 FIFO 777 socket 777
 * CHECK-NEXT: mask 27: directory 750 file 640 program 750 node 750 FIFO 750 socket 750
 *
 * The files of temu itself keep to the mask of the host.
 * RUN: cd %t && rm -f out && (umask 077; %temu --root=root --stats=out root/program) >again && test "$(stat -c %a out)" = 600
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void tell(const char *text, const char *name, int result)
{
    struct stat status;

    printf(" %s %o", text, result < 0 || stat(name, &status) ? 0 : status.st_mode & 07777);
}

static void make_all(mode_t mask)
{
    struct sockaddr_un address = {AF_UNIX, "made-socket"};

    umask(mask);
    printf("mask %o:", mask);
    tell("directory", "made-directory", mkdir("made-directory", 0777));
    tell("file", "made-file", open("made-file", O_CREAT | O_WRONLY, 0666));
    tell("program", "made-program", open("made-program", O_CREAT | O_EXCL | O_WRONLY, 0777));
    tell("node", "made-node", mknod("made-node", S_IFREG | 0777, 0));
    tell("FIFO", "made-fifo", mkfifo("made-fifo", 0777));
    tell("socket", "made-socket",
         bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address));
    printf("\n");
    rmdir("made-directory");
    unlink("made-file");
    unlink("made-program");
    unlink("made-node");
    unlink("made-fifo");
    unlink("made-socket");
}

int main(void)
{
    make_all(0);
    make_all(027);
    return 0;
}

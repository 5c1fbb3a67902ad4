/* What a program is called, and which file it is for itself: with --root, links are followed as the
 * program sees them, and argv[0] is the link, by which programs such as busybox know what to do.
 *
 * RUN: rm -rf %t && mkdir -p %t/root/bin %t/root/opt && %gcc -O1 -static -o %t/root/opt/real %s && cd %t
 * RUN: ln -s ../opt/real root/bin/near && ln -s /opt/real root/bin/far && ln -s far root/bin/twice && ln -s /bin root/dir && ln -s root/opt/real other && ln -s /nowhere root/bin/broken
 * RUN: for name in opt/real bin/near bin/far bin/twice dir/far /bin//near bin/../opt/real; do %temu --root=root root/$name || exit 1; done > out
 * RUN: %temu --root=root/ ./root/bin/far >> out; %temu --root=$PWD/root root/bin/far >> out; %temu --root=root other >> out; %temu --root=root/bin root/opt/real >> out
 * RUN: cd root/bin && %temu --root=.. near >> %t/out; %temu --root=../../root far >> %t/out; %temu near >> %t/out
 * RUN: FileCheck --match-full-lines %s < %t/out
 *
 * CHECK: /opt/real is /opt/real, real
 * CHECK-NEXT: /bin/near is /opt/real, near
 * CHECK-NEXT: /bin/far is /opt/real, far
 * CHECK-NEXT: /bin/twice is /opt/real, twice
 * CHECK-NEXT: /dir/far is /opt/real, far
 * CHECK-NEXT: //bin//near is /opt/real, near
 * CHECK-NEXT: /opt/real is /opt/real, real
 * CHECK-NEXT: /bin/far is /opt/real, far
 * CHECK-NEXT: /bin/far is /opt/real, far
 * CHECK-NEXT: /opt/real is /opt/real, real
 * CHECK-NEXT: real is /real, real
 * CHECK-NEXT: /bin/near is /opt/real, near
 * CHECK-NEXT: /bin/far is /opt/real, far
 * CHECK-NEXT: near is /near, near
 *
 * RUN: cd %t && not %temu --root=root root/bin/broken 2>&1 | FileCheck --check-prefix=BROKEN %s
 * BROKEN: root/bin/broken: error: cannot read: No such file or directory
 */
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    char target[4096] = "", name[16];

    (void)count;
    readlink("/proc/self/exe", target, sizeof target - 1);
    prctl(PR_GET_NAME, name);
    printf("%s is %s, %s\n", arguments[0], target, name);
    return 0;
}

/* Reports have source lines where the debugging information is compressed, also of a program that
 * is mapped from its file.
 *
 * RUN: for kind in zlib zlib-gnu; do %gcc -O1 -g -gz=$kind -static -Wl,--compress-debug-sections=$kind -o %t %s && %greadelf -SW %t | grep -q '[.]z\?debug_line' && \
 * RUN:     not %temu %t 2>&1 | FileCheck %s && not %temu --profile %t 2>&1 | FileCheck %s --check-prefix=PROFILE && %tobjdump -S -d %t | FileCheck %s --check-prefix=SOURCE || exit 1; done
 * CHECK: compressed_lines.c:[[@LINE+8]]
 * PROFILE: compressed_lines.c
 * SOURCE: *nowhere = value;
 */
static int *volatile nowhere;

__attribute__((noinline)) static void fail(int value)
{
    *nowhere = value;
}

int main(void)
{
    fail(1);
}

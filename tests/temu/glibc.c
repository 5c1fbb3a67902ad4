/* A program uses many parts of Debian's glibc. Output, errors and status are those of qemu-riscv64.
 *
 * RUN: %gcc -O2 -fstack-protector-all -static -D_GNU_SOURCE -w -o %t.elf %s -lm
 * RUN: rm -rf %t.a %t.b && mkdir -p %t.a/tmp %t.b/tmp
 * RUN: cd %t.a && sh -c '%temu --root . --setenv HOME=/home --setenv LANG=C %t.elf one "two three" <%s >%t.a.out 2>%t.a.err; echo $? >>%t.a.out'
 * RUN: cd %t.b && sh -c 'env -i HOME=/home LANG=C %qemu %t.elf one "two three" <%s >%t.b.out 2>%t.b.err; echo $? >>%t.b.out'
 * RUN: diff %t.a.out %t.b.out && diff %t.a.err %t.b.err && diff -r %t.a %t.b && FileCheck %s <%t.a.out
 * CHECK: arguments 3 one, two three
 * CHECK: handled 11
 * CHECK: at exit
 * CHECK-NEXT: {{^7$}}
 *
 * The ways in which it can end, as a shell reports them.
 * RUN: sh -c '%temu %t.elf abort; test $? = 134' && sh -c '%qemu %t.elf abort; test $? = 134'
 * RUN: sh -c '%temu %t.elf null; test $? = 139' && sh -c '%temu %t.elf overflow; test $? = 139'
 * RUN: sh -c '%temu %t.elf smash; test $? = 134' 2>&1 | FileCheck %s --check-prefix=SMASH
 * RUN: sh -c '%temu %t.elf double; test $? = 134' 2>&1 | FileCheck %s --check-prefix=DOUBLE
 * SMASH: stack smashing detected
 * DOUBLE: double free
 */
#include <complex.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <ftw.h>
#include <glob.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <regex.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

static __thread int of_this_thread = 5;
static __thread char not_initialized[100];
static sigjmp_buf jump;

static void formats(void)
{
    char text[100];
    int count;

    printf("%d %5i|%-5d|%05d %+d % d %u %x %X %#x %o %#o %c %s %10s|%-10s|%.2s %%\n", -1, 42, 42,
           42, 42, 42, -1, 255, 255, 255, 8, 8, 'c', "text", "right", "left", "cut");
    printf("%hhd %hd %ld %lld %zd %jd %td %p %p\n", 300, 70000, 1l << 40, -1ll << 50, (size_t)-1,
           (intmax_t)5, (ptrdiff_t)-5, (void *)0x1234, NULL);
    printf("%f %e %g %a %.0f %.10f %G %10.3f|%-10.3f|%+f\n", 3.14159, 1e100, 1e-5, 0.1, 0.5,
           1.0 / 3, 1e20, 2.5, 2.5, 0.0);
    printf("%g %g %g %g %.17g %Lf %La\n", INFINITY, -INFINITY, NAN, -0.0, 0.1, 1.0L / 3, 1.0L / 3);
    printf("%2$s %1$s %3$*4$d\n", "first", "second", 7, 5);
    printf("%s%n\n", "counted", &count);
    printf("%d %ls %lc\n", count, L"wide", L'w');
    printf("%d %s\n", snprintf(text, 5, "%s", "too long"), text);
    printf("%'d %m\n", 1234567);
    int a, b;
    float f;
    double d;
    char word[20], set[20];
    printf("%d: ", sscanf("12 0x1f 2.5 -1e3 word [abc] rest", "%d %i %f %lf %19s [%19[a-c]] %n", &a,
                          &b, &f, &d, word, set, &count));
    printf("%d %d %g %g %s %s %d\n", a, b, f, d, word, set, count);
}

static void numbers(void)
{
    static const char *texts[] = {"0",
                                  "1e400",
                                  "-1e-400",
                                  "0x1.8p3",
                                  "nan",
                                  "inf",
                                  "123456789012345678901234567890",
                                  "4.9e-324",
                                  "1e23",
                                  "9007199254740993",
                                  ".5e"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *end;
        errno = 0;
        double value = strtod(texts[i], &end);
        printf("%.17g %s %d %ld %.9g\n", value, end, errno, strtol(texts[i], &end, 0),
               strtof(texts[i], NULL));
    }
    for (double x = -3; x < 4; x += 0.7)
        printf("%.15g %.15g %.15g %.15g %.15g %.15g %.15g %.15g\n", sin(x), cos(x), tan(x), exp(x),
               log(fabs(x)), pow(fabs(x), x), atan2(x, 2), cbrt(x));
    printf("%.15g %.15g %.15g %.15g %.15g %.15g\n", tgamma(4.5), lgamma(0.5), erf(0.3), hypot(3, 4),
           fmod(7.5, 2), remainder(7.5, 2));
    printf("%g %g %g %g %g %ld %d\n", floor(-1.5), ceil(-1.5), trunc(-1.5), round(-1.5), rint(-1.5),
           lround(2.5), ilogb(1000));
    printf("%.15Lg %.15Lg\n", sinl(1.0L), expl(10.0L));
    const double complex z = csqrt(-1 + 2 * I);
    printf("%.12g %.12g\n", creal(z), cimag(z));
    feclearexcept(FE_ALL_EXCEPT);
    volatile double zero = 0, huge = 1e308;
    volatile double result = 1 / zero;
    printf("%d ", fetestexcept(FE_ALL_EXCEPT));
    result = huge * huge;
    printf("%d ", fetestexcept(FE_ALL_EXCEPT));
    fesetround(FE_UPWARD);
    result = 1 / (zero + 3);
    printf("%.20g %d\n", result, fegetround());
    fesetround(FE_TONEAREST);
    printf("%ld %d %lld\n", labs(-5), abs(-6), llabs(-7));
    const div_t parts = div(-17, 5);
    printf("%d %d %lu %s\n", parts.quot, parts.rem, strtoul("zz", NULL, 36),
           strtoull("-1", NULL, 0) == ~0ull ? "wraps" : "no");
    srand(1);
    srand48(1);
    srandom(5);
    printf("%d %d %.10f %ld\n", rand(), rand(), drand48(), random());
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void structures(void)
{
    const char *names[] = {"pear", "apple", "fig", "quince", "banana"}, *key = "fig";

    qsort(names, 5, sizeof *names, by_name);
    for (int i = 0; i < 5; i++)
        printf("%s ", names[i]);
    printf("%d\n", (int)((const char **)bsearch(&key, names, 5, sizeof *names, by_name) - names));
    static int values[5000];
    unsigned state = 1;
    for (int i = 0; i < 5000; i++)
        values[i] = (state = state * 1664525 + 1013904223) >> 8;
    int compare(const void *a, const void *b)
    {
        return *(int *)a - *(int *)b;
    }
    qsort(values, 5000, sizeof *values, compare);
    for (int i = 1; i < 5000; i++)
        if (values[i - 1] > values[i])
            printf("out of order %d\n", i);
    void *tree = NULL;
    for (int i = 0; i < 5; i++)
        tsearch(names[i], &tree, (int (*)(const void *, const void *))strcmp);
    printf("%s\n", *(char **)tfind("quince", &tree, (int (*)(const void *, const void *))strcmp));
    char *blocks[100] = {0};
    unsigned long sum = 0;
    for (int i = 0; i < 20000; i++) {
        int at = (state = state * 1664525 + 1013904223) >> 16 & 63;
        size_t size = (state >> 8) % (i % 50 ? 500 : 200000) + 1;
        blocks[at] = realloc(blocks[at], size);
        memset(blocks[at], i, size);
        sum += (unsigned char)blocks[at][size / 2];
        if (i % 7 == 0) {
            free(blocks[at]);
            blocks[at] = NULL;
        }
    }
    void *aligned = aligned_alloc(4096, 8192);
    printf("%lu %d %d\n", sum, (int)((uintptr_t)aligned % 4096), malloc(1ul << 62) == NULL);
    regex_t regex;
    regmatch_t match[3];
    regcomp(&regex, "([a-z]+)=([0-9]+)", REG_EXTENDED);
    printf("%d %d %d\n", regexec(&regex, "  key=123;", 3, match, 0), (int)match[1].rm_so,
           (int)match[2].rm_eo);
}

static void texts(void)
{
    wchar_t wide[50];
    char text[100];

    printf("%s %d\n", setlocale(LC_ALL, ""), MB_CUR_MAX);
    printf("%zu %zu %ls\n", mbstowcs(wide, "hello", 50), wcslen(wide), wide);
    printf("%d %d %d %lc\n", iswalpha(L'a'), wcscmp(L"a", L"b") < 0, (int)wcstol(L"123", NULL, 10),
           towupper(L'q'));
    swprintf(wide, 50, L"%d-%ls", 5, L"x");
    printf("%ls %d\n", wide, (int)wcstombs(text, wide, 100));
    printf("%d%d%d %c %s\n", !!isalpha('a'), !!isdigit('x'), !!isspace(' '), toupper('b'),
           strerror(ENOENT));
    strcpy(text, "a,b;;c");
    for (char *word = strtok(text, ",;"); word; word = strtok(NULL, ",;"))
        printf("<%s>", word);
    printf(" %s %s %zu %zu %s\n", strchr("find", 'n'), strrchr("a/b/c", '/'), strspn("aab", "a"),
           strcspn("abc", "c"), strsignal(SIGSEGV));
    time_t time = 1700000000;
    struct tm *parts = gmtime(&time);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %a %j %U", parts);
    printf("%s %ld %s", text, (long)mktime(parts), asctime(parts));
    struct timespec now;
    printf("%d %d\n", clock_gettime(CLOCK_MONOTONIC, &now), clock() >= 0);
}

static void files(void)
{
    char line[200];

    FILE *file = fopen("data", "w+");
    for (int i = 0; i < 2000; i++)
        fprintf(file, "line %d\n", i);
    printf("%ld ", ftell(file));
    fseek(file, -10, SEEK_END);
    printf("%s", fgets(line, sizeof line, file));
    rewind(file);
    int count = 0;
    while (fgets(line, sizeof line, file))
        count++;
    printf("%d %d %d\n", count, feof(file), ferror(file));
    fclose(file);
    printf("%p %s\n", fopen("none", "r"), strerror(errno));
    printf("%d %d %d %d\n", mkdir("made", 0755), rename("data", "made/data"),
           symlink("data", "made/link"), unlink("data"));
    FILE *append = fopen("made/link", "a");
    fputs("last\n", append);
    fclose(append);
    struct stat status;
    stat("made/link", &status);
    printf("%ld %o %d\n", (long)status.st_size, status.st_mode & 0777777, S_ISREG(status.st_mode));
    DIR *directory = opendir("made");
    int entries = 0;
    for (struct dirent *entry; (entry = readdir(directory));)
        entries += entry->d_type == DT_LNK ? 100 : entry->d_name[0] == '.' ? 10 : 1;
    closedir(directory);
    printf("%d\n", entries);
    glob_t found;
    printf("%d %zu %s\n", glob("made/d*", 0, NULL, &found), found.gl_pathc, found.gl_pathv[0]);
    int fd = open("made/data", O_RDONLY);
    char *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 4096);
    printf("%.20s|\n", map);
    munmap(map, 4096);
    printf("%d %ld %d\n", truncate("made/data", 10), lseek(fd, 0, SEEK_END), close(fd));
    FILE *temporary = tmpfile();
    fprintf(temporary, "temporary");
    rewind(temporary);
    printf("%s\n", fgets(line, sizeof line, temporary));
    fclose(temporary);
    char *memory;
    size_t size;
    FILE *stream = open_memstream(&memory, &size);
    fprintf(stream, "in memory %d", 5);
    fclose(stream);
    printf("%s %zu\n", memory, size);
    int ends[2];
    pipe(ends);
    FILE *in = fdopen(ends[0], "r"), *out = fdopen(ends[1], "w");
    fprintf(out, "through a pipe\n");
    fclose(out);
    printf("%s", fgets(line, sizeof line, in));
    printf("%s %d\n", fgets(line, sizeof line, in), feof(in));
    int saved = dup(1);
    freopen("made/redirected", "w", stdout);
    printf("redirected\n");
    fflush(stdout);
    dup2(saved, 1);
    printf("back %d\n", access("made/redirected", R_OK));
    printf("%s", fgets(line, sizeof line, stdin));
    printf("%d %d\n", chdir("made"), chdir(".."));
    setvbuf(stderr, NULL, _IONBF, 0);
    fprintf(stderr, "an error\n");
}

static void handler(int signal, siginfo_t *info, void *context)
{
    printf("handled %d %p\n", signal, info->si_addr);
    siglongjmp(jump, 1);
}

static int deep(int depth)
{
    volatile char room[100] = {depth};

    return depth ? deep(depth - 1) + room[0] - (char)depth : 1;
}

static void on_exit_(void)
{
    printf("at exit\n");
}

static ucontext_t outer, inner;
static void coroutine(void)
{
    printf("in a context\n");
    swapcontext(&inner, &outer);
    printf("again\n");
}

static void control(void)
{
    static char stack[16384];
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

    sigaction(SIGSEGV, &action, NULL);
    if (sigsetjmp(jump, 1) == 0)
        *(volatile int *)0x10 = 1;
    printf("%d %d\n", deep(20000), ++of_this_thread + not_initialized[50]);
    getcontext(&inner);
    inner.uc_stack.ss_sp = stack;
    inner.uc_stack.ss_size = sizeof stack;
    inner.uc_link = &outer;
    makecontext(&inner, coroutine, 0);
    swapcontext(&outer, &inner);
    swapcontext(&outer, &inner);
    printf("%ld %ld %d %s\n", getauxval(AT_PAGESZ), getauxval(AT_CLKTCK),
           (getauxval(AT_HWCAP) & 0x112d) == 0x112d, getauxval(AT_RANDOM) ? "random" : "none");
    printf("%ld %d\n", getauxval(AT_SECURE), getauxval(AT_EXECFN) != 0);
    printf("%s %s %d\n", getenv("HOME"), getenv("none"), setenv("none", "now", 1));
    printf("%s %ld\n", getenv("none"), sysconf(_SC_PAGESIZE));
    signal(SIGSEGV, SIG_DFL);
}

static void (*volatile release)(void *) = free;
static volatile int beyond = 64;

__attribute__((noinline)) static void smash(void)
{
    volatile char small[8];

    for (int i = 0; i < beyond; i++)
        small[i] = 'x';
}

int main(int count, char **arguments)
{
    char what = count == 2 ? arguments[1][0] : ' ';

    if (what == 'a')
        abort();
    if (what == 'n')
        return *(volatile int *)8;
    if (what == 'o')
        return deep(1 << 30);
    if (what == 'd') {
        char *block = malloc(100);
        release(block);
        release(block);
    }
    if (what == 's')
        smash();
    printf("arguments %d %s, %s\n", count, arguments[1], arguments[2]);
    atexit(on_exit_);
    formats();
    numbers();
    structures();
    texts();
    files();
    control();
    return 7;
}

/* What a freestanding guest program needs: system calls and a little output. */
static inline long call6(long number, long a, long b, long c, long d, long e, long f)
{
    register long a7 asm("a7") = number, a0 asm("a0") = a, a1 asm("a1") = b, a2 asm("a2") = c,
                     a3 asm("a3") = d, a4 asm("a4") = e, a5 asm("a5") = f;
    asm volatile("ecall"
                 : "+r"(a0)
                 : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7)
                 : "memory");
    return a0;
}
#define CALL(number, ...) CALL_(number, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define CALL_(number, a, b, c, d, e, f, ...)                                                       \
    call6(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

enum {
    GETCWD = 17,
    DUP = 23,
    DUP3 = 24,
    FCNTL = 25,
    IOCTL = 29,
    MKDIRAT = 34,
    UNLINKAT = 35,
    SYMLINKAT = 36,
    FTRUNCATE = 46,
    FACCESSAT = 48,
    CHDIR = 49,
    FCHDIR = 50,
    OPENAT = 56,
    CLOSE = 57,
    GETDENTS64 = 61,
    LSEEK = 62,
    READ = 63,
    WRITE = 64,
    READV = 65,
    WRITEV = 66,
    PREAD64 = 67,
    PWRITE64 = 68,
    PPOLL = 73,
    READLINKAT = 78,
    NEWFSTATAT = 79,
    FSTAT = 80,
    EXIT = 93,
    EXIT_GROUP = 94,
    FUTEX = 98,
    SET_ROBUST_LIST = 99,
    NANOSLEEP = 101,
    SETITIMER = 103,
    CLOCK_GETTIME = 113,
    CLOCK_GETRES = 114,
    CLOCK_NANOSLEEP = 115,
    SCHED_GETPARAM = 121,
    SCHED_GETAFFINITY = 123,
    SCHED_YIELD = 124,
    KILL = 129,
    TKILL = 130,
    TGKILL = 131,
    SIGALTSTACK = 132,
    RT_SIGACTION = 134,
    RT_SIGPROCMASK = 135,
    RT_SIGPENDING = 136,
    RT_SIGQUEUEINFO = 138,
    RT_SIGRETURN = 139,
    TIMES = 153,
    UNAME = 160,
    GETRUSAGE = 165,
    UMASK = 166,
    PRCTL = 167,
    GETPID = 172,
    GETTID = 178,
    SYSINFO = 179,
    BRK = 214,
    MUNMAP = 215,
    MREMAP = 216,
    CLONE = 220,
    MMAP = 222,
    MPROTECT = 226,
    MADVISE = 233,
    WAIT4 = 260,
    PRLIMIT64 = 261,
    RT_TGSIGQUEUEINFO = 240,
    RENAMEAT2 = 276,
    GETRANDOM = 278,
    STATX = 291,
    CLONE3 = 435,
    CLOSE_RANGE = 436
};

void *memcpy(void *to, const void *from, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++)
        ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memset(void *to, int c, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++)
        ((volatile char *)to)[i] = c;
    return to;
}

static inline void print(const char *text)
{
    long length = 0;

    while (text[length])
        length++;
    CALL(WRITE, 1, text, length);
}

static inline void print_in_base(const char *name, long value, unsigned base)
{
    char digits[24];
    int at = sizeof digits;
    unsigned long rest = value < 0 ? -(unsigned long)value : (unsigned long)value;

    digits[--at] = 0;
    do {
        digits[--at] = "0123456789abcdef"[rest % base];
    } while (rest /= base);
    if (value < 0)
        digits[--at] = '-';
    print(name);
    print(" ");
    print(digits + at);
    print("\n");
}

static inline void print_number(const char *name, long value)
{
    print_in_base(name, value, 10);
}

static inline void print_hexadecimal(const char *name, long value)
{
    print_in_base(name, value, 16);
}

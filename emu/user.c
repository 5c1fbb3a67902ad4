/* The user environment: start of a program, and the table of its system calls. See user.h. */
#include "emu/user.h"
#include "emu/load.h"
#include "emu/trace.h"
#include "emu/user_calls.h"
#include "isa_ids.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STACK_GUARD = 16 }; /* pages below the stack that mmap leaves alone */

void user_init(struct user *user)
{
    enum { STREAMS = STDERR_FILENO + 1, GUEST_O_RDWR = 2 };

    *user = (struct user){.root = -1, .creation_mask = 022, .working = strdup("/")};
    user->streams = calloc(STREAMS, sizeof *user->streams);
    if (!user->working || !user->streams)
        BUG("out of memory at the start");
    for (int i = 0; i < STREAMS; i++) {
        user->streams[i] = (struct user_file){
            .host = i, .references = 1, .flags = GUEST_O_RDWR, .is_stream = true};
        user->files[i] = fcntl(i, F_GETFD) >= 0 ? &user->streams[i] : NULL;
    }
    /* Descriptors are given out from the lowest. What is read-only cannot take output by mistake.
     */
    for (int i = 0; i < STREAMS; i++)
        if (!user->files[i] && open("/dev/null", O_RDONLY | O_CLOEXEC) != i)
            BUG("the descriptor of a closed standard stream could not be taken");
}

bool user_set_root(struct user *user, struct diag *diag, const char *directory)
{
    user->root = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (user->root >= 0)
        return true;
    const struct position at = {.name = directory};
    diag_error(diag, &at, "cannot use this as the --root directory: %s", strerror(errno));
    return false;
}

void user_free(struct user *user)
{
    user_close_all(user);
    free(user->streams);
    free(user->working);
    if (user->root >= 0)
        close(user->root);
}

/* ---- start ---- */

/* The stack while it is filled, from the top down. */
struct stack {
    struct memory *memory;
    uint64_t pointer, low;
    bool full;
};

static uint64_t push(struct stack *stack, const void *bytes, uint64_t length)
{
    if (stack->full || stack->pointer - stack->low < length + MEMORY_PAGE) {
        stack->full = true;
        return 0;
    }
    stack->pointer -= length;
    memory_poke(stack->memory, stack->pointer, bytes, length);
    return stack->pointer;
}

static uint64_t push_string(struct stack *stack, const char *string)
{
    return push(stack, string, strlen(string) + 1);
}

/* Bits of AT_HWCAP: the single-letter extensions. */
static uint64_t hardware_capabilities(void)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < isa_extension_count; i++) {
        const char *name = isa_extensions[i].name;
        if (name[0] >= 'a' && name[0] <= 'z' && name[1] == '\0')
            bits |= UINT64_C(1) << (name[0] - 'a');
    }
    return bits;
}

/* The strings of argv and envp, and where they are. */
struct strings {
    uint64_t *addresses;
    size_t count, variables; /* arguments; variables of the environment behind them */
};

static void push_vectors(struct stack *stack, struct arena *arena, const struct program *program,
                         const struct strings *strings, uint64_t random)
{
    const Elf64_Ehdr *header = &program->file.header;
    const uint64_t auxiliary[][2] = {
        {AT_PHDR, program->headers},
        {AT_PHENT, header->e_phentsize},
        {AT_PHNUM, header->e_phnum},
        {AT_PAGESZ, MEMORY_PAGE},
        {AT_BASE, 0},
        {AT_FLAGS, 0},
        {AT_ENTRY, program->entry},
        {AT_UID, GUEST_UID},
        {AT_EUID, GUEST_UID},
        {AT_GID, GUEST_UID},
        {AT_EGID, GUEST_UID},
        {AT_HWCAP, hardware_capabilities()},
        {AT_CLKTCK, 100},
        {AT_SECURE, 0},
        {AT_RANDOM, random},
        {AT_EXECFN, strings->addresses[0]},
        {AT_NULL, 0},
    };
    const size_t count = strings->count, variables = strings->variables;
    /* argc, argv…, NULL, envp…, NULL, auxiliary vector; sp is a multiple of 16 */
    const size_t words = 1 + count + 1 + variables + 1 + sizeof auxiliary / sizeof(uint64_t);
    uint64_t *block = arena_array(arena, words, sizeof *block);

    block[0] = count;
    memcpy(block + 1, strings->addresses, count * sizeof *block);
    memcpy(block + 1 + count + 1, strings->addresses + count, variables * sizeof *block);
    memcpy(block + 1 + count + 1 + variables + 1, auxiliary, sizeof auxiliary);
    stack->pointer =
        ((stack->pointer - words * sizeof *block) & ~(uint64_t)15) + words * sizeof *block;
    push(stack, block, words * sizeof *block);
}

bool user_start(struct machine *machine, struct diag *diag, const struct program *program,
                char *const *arguments, const char *const *variables, size_t variable_count)
{
    static const unsigned char random_bytes[16] = {0x9e, 0x37, 0x79, 0xb9, 0x7f, 0x4a, 0x7c, 0x15,
                                                   0xf3, 0x9c, 0xc0, 0x60, 0x5c, 0xed, 0xc8, 0x34};
    struct user *user = &machine->user;
    struct memory *memory = &machine->memory;
    const char *slash = strrchr(program->name, '/');
    const uint64_t size = machine->config.stack_size;
    const uint64_t low = memory_find_free(memory, MEMORY_PAGE, MEMORY_LIMIT - MEMORY_PAGE, size);
    size_t count = 1;

    if (!low || !memory_map(memory, low, size, PAGE_READ | PAGE_WRITE)) {
        diag_error(diag, NULL,
                   "no room for a stack of 0x%" PRIx64
                   " bytes beside the program; memory size and stack size are in "
                   "the machine file",
                   size);
        return false;
    }
    user->break_start = user->break_now = (program->end + MEMORY_PAGE - 1) & ~(MEMORY_PAGE - 1);
    user->map_low = MEMORY_PAGE * STACK_GUARD;
    user->map_high = low > STACK_GUARD * MEMORY_PAGE ? low - STACK_GUARD * MEMORY_PAGE : 0;

    while (arguments[count - 1])
        count++;
    struct stack stack = {.memory = memory, .pointer = low + size, .low = low};
    struct strings strings = {
        .addresses = arena_array(machine->arena, count + variable_count, sizeof(uint64_t)),
        .count = count,
        .variables = variable_count,
    };
    user->name = slash ? slash + 1 : program->name;
    for (size_t i = 0; i < count; i++)
        strings.addresses[i] = push_string(&stack, i ? arguments[i - 1] : user->name);
    for (size_t i = 0; i < variable_count; i++)
        strings.addresses[count + i] = push_string(&stack, variables[i]);
    const uint64_t random = push(&stack, random_bytes, sizeof random_bytes);
    push_vectors(&stack, machine->arena, program, &strings, random);
    if (stack.full) {
        diag_error(diag, NULL,
                   "the arguments and variables do not fit on the stack of 0x%" PRIx64 " bytes",
                   size);
        return false;
    }
    machine->hart.x[ABI_SP] = stack.pointer;
    return true;
}

/* ---- calls ---- */

static int64_t call_exit(struct machine *machine, const uint64_t *arguments)
{
    machine->user.exited = true;
    machine->user.status = arguments[0] & 0xff;
    return arguments[0];
}

static const struct call {
    uint16_t number; /* Linux, asm-generic/unistd.h */
    uint8_t arguments;
    const char *name;
    user_call_function *serve;
} calls[] = {
    {17, 2, "getcwd", user_getcwd},
    {23, 1, "dup", user_dup},
    {24, 3, "dup3", user_dup3},
    {25, 3, "fcntl", user_fcntl},
    {29, 3, "ioctl", user_ioctl},
    {34, 3, "mkdirat", user_mkdirat},
    {35, 3, "unlinkat", user_unlinkat},
    {36, 3, "symlinkat", user_symlinkat},
    {46, 2, "ftruncate", user_ftruncate},
    {48, 3, "faccessat", user_faccessat},
    {49, 1, "chdir", user_chdir},
    {50, 1, "fchdir", user_fchdir},
    {56, 4, "openat", user_openat},
    {57, 1, "close", user_close},
    {61, 3, "getdents64", user_getdents64},
    {62, 3, "lseek", user_lseek},
    {63, 3, "read", user_read},
    {64, 3, "write", user_write},
    {65, 3, "readv", user_readv},
    {66, 3, "writev", user_writev},
    {67, 4, "pread64", user_pread64},
    {68, 4, "pwrite64", user_pwrite64},
    {73, 5, "ppoll", user_ppoll},
    {78, 4, "readlinkat", user_readlinkat},
    {79, 4, "newfstatat", user_newfstatat},
    {80, 2, "fstat", user_fstat},
    {81, 0, "sync", user_zero},
    {82, 1, "fsync", user_fsync},
    {83, 1, "fdatasync", user_fsync},
    {93, 1, "exit", call_exit},
    {94, 1, "exit_group", call_exit},
    {96, 1, "set_tid_address", user_process_id},
    {98, 6, "futex", user_futex},
    {99, 2, "set_robust_list", user_set_robust_list},
    {101, 2, "nanosleep", user_nanosleep},
    {113, 2, "clock_gettime", user_clock_gettime},
    {114, 2, "clock_getres", user_clock_getres},
    {115, 4, "clock_nanosleep", user_clock_nanosleep},
    {118, 2, "sched_setparam", user_zero},
    {119, 3, "sched_setscheduler", user_zero},
    {120, 1, "sched_getscheduler", user_zero},
    {121, 2, "sched_getparam", user_sched_priority},
    {122, 3, "sched_setaffinity", user_zero},
    {123, 3, "sched_getaffinity", user_sched_getaffinity},
    {124, 0, "sched_yield", user_zero},
    {125, 1, "sched_get_priority_max", user_zero},
    {126, 1, "sched_get_priority_min", user_zero},
    {129, 2, "kill", user_kill},
    {130, 2, "tkill", user_tkill},
    {131, 3, "tgkill", user_tgkill},
    {132, 2, "sigaltstack", user_sigaltstack},
    {134, 4, "rt_sigaction", user_rt_sigaction},
    {135, 4, "rt_sigprocmask", user_rt_sigprocmask},
    {136, 2, "rt_sigpending", user_rt_sigpending},
    {139, 0, "rt_sigreturn", user_rt_sigreturn},
    {153, 1, "times", user_times},
    {155, 1, "getpgid", user_process_id},
    {156, 1, "getsid", user_process_id},
    {160, 1, "uname", user_uname},
    {163, 2, "getrlimit", user_getrlimit},
    {165, 2, "getrusage", user_getrusage},
    {166, 1, "umask", user_umask},
    {167, 5, "prctl", user_prctl},
    {168, 3, "getcpu", user_getcpu},
    {169, 2, "gettimeofday", user_gettimeofday},
    {172, 0, "getpid", user_process_id},
    {173, 0, "getppid", user_process_id},
    {174, 0, "getuid", user_user_id},
    {175, 0, "geteuid", user_user_id},
    {176, 0, "getgid", user_user_id},
    {177, 0, "getegid", user_user_id},
    {178, 0, "gettid", user_process_id},
    {179, 1, "sysinfo", user_sysinfo},
    {214, 1, "brk", user_brk},
    {215, 2, "munmap", user_munmap},
    {216, 5, "mremap", user_mremap},
    {222, 6, "mmap", user_mmap},
    {226, 3, "mprotect", user_mprotect},
    {227, 3, "msync", user_zero},
    {233, 3, "madvise", user_madvise},
    {259, 3, "riscv_flush_icache", user_zero},
    {260, 4, "wait4", user_no_child},
    {261, 4, "prlimit64", user_prlimit64},
    {276, 5, "renameat2", user_renameat2},
    {278, 3, "getrandom", user_getrandom},
    {291, 5, "statx", user_statx},
    {439, 4, "faccessat2", user_faccessat},
};

static const struct call *find_call(uint64_t number)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == number)
            return &calls[i];
    return NULL;
}

static void print_call(struct machine *machine, const struct call *call, uint64_t number,
                       const uint64_t *arguments, int64_t result)
{
    struct text line = TEXT_INIT;
    const unsigned count = call ? call->arguments : 6;

    if (call)
        text_format(&line, "temu: %s(", call->name);
    else
        text_format(&line, "temu: unknown system call %" PRIu64 "(", number);
    for (unsigned i = 0; i < count; i++)
        text_format(&line, "%s0x%" PRIx64, i ? ", " : "", arguments[i]);
    text_append(&line, ")");
    if (!machine->user.exited)
        text_format(&line,
                    result >= 0 && result < 4096 ? " = %" PRId64
                    : result >= 0                ? " = 0x%" PRIx64
                                                 : " = %" PRId64,
                    result);
    if (result < 0 && result > -4096)
        text_format(&line, " (%s)", strerror(-result));
    text_append_char(&line, '\n');
    if (machine->trace)
        trace_flush(machine->trace);
    fwrite(line.bytes, 1, line.length, stderr);
    text_free(&line);
}

/* An unknown call is told once. */
static bool is_worth_telling(struct user *user, const struct call *call, uint64_t number)
{
    if (call)
        return true;
    for (unsigned i = 0; i < user->unknown_count; i++)
        if (user->unknown[i] == number)
            return false;
    if (user->unknown_count == USER_UNKNOWN_CALLS)
        return false;
    user->unknown[user->unknown_count++] = number;
    return true;
}

static void record_register(struct machine *machine, enum effect_kind kind, unsigned number,
                            uint64_t value)
{
    struct effect *effect = recorder_add(machine->recorder, kind);

    effect->number = number;
    effect->value = value;
}

/* A call changes a0; where a handler begins or ends, all registers. */
static void record_registers(struct machine *machine, const struct hart *before)
{
    const struct hart *hart = &machine->hart;

    for (unsigned i = 1; i < 32; i++)
        if (i == ABI_A0 || hart->x[i] != before->x[i])
            record_register(machine, EFFECT_X, i, hart->x[i]);
    for (unsigned i = 0; i < 32; i++)
        if (hart->f[i] != before->f[i])
            record_register(machine, EFFECT_F, i, hart->f[i]);
    if (hart->fflags != before->fflags)
        record_register(machine, EFFECT_CSR, ISA_CSR_FFLAGS, hart->fflags);
    if (hart->frm != before->frm)
        record_register(machine, EFFECT_CSR, ISA_CSR_FRM, hart->frm);
}

bool user_call(struct machine *machine)
{
    struct hart *hart = &machine->hart;
    struct user *user = &machine->user;
    const uint64_t number = hart->x[ABI_A7];
    const struct call *call = find_call(number);
    const struct hart before = *hart;
    uint64_t arguments[6];

    memcpy(arguments, hart->x + ABI_A0, sizeof arguments);
    const int64_t result = call ? call->serve(machine, arguments) : -ENOSYS;
    if (result == -ERESTART || (machine->deadline && machine_expired(machine)))
        return false;
    if (!user->exited) {
        hart->x[ABI_A0] = result;
        user_signal_deliver(machine);
    }
    if (user->trace_calls && is_worth_telling(user, call, number))
        print_call(machine, call, number, arguments, result);
    if (user->exited)
        return false;
    if (machine->recorder)
        record_registers(machine, &before);
    return true;
}

/* The user environment: start of a program, and the table of its system calls. See user.h. */
#include "emu/user.h"
#include "emu/load.h"
#include "emu/trace.h"
#include "emu/user_calls.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum {
    GUEST_PID = 2,
    GUEST_UID = 1000,
    STACK_GUARD = 16, /* pages below the stack that mmap leaves alone */
};

void user_init(struct user *user)
{
    *user = (struct user){.root = -1};
    for (int i = 0; i < USER_FILES; i++)
        user->files[i] = i <= STDERR_FILENO && fcntl(i, F_GETFD) >= 0 ? i : -1;
    /* Descriptors are given out from the lowest. What is read-only cannot take output by mistake.
     */
    for (int i = 0; i <= STDERR_FILENO; i++)
        if (user->files[i] < 0 && open("/dev/null", O_RDONLY | O_CLOEXEC) != i)
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
    for (int i = 0; i < USER_FILES; i++)
        if (user->files[i] > STDERR_FILENO)
            close(user->files[i]);
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

static void push_vectors(struct stack *stack, struct arena *arena, const struct program *program,
                         const uint64_t *arguments, size_t count, uint64_t random)
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
        {AT_EXECFN, arguments[0]},
        {AT_NULL, 0},
    };
    /* argc, argv…, NULL, NULL (no environment), auxiliary vector; sp is a multiple of 16 */
    const size_t words = 1 + count + 1 + 1 + sizeof auxiliary / sizeof(uint64_t);
    uint64_t *block = arena_array(arena, words, sizeof *block);

    block[0] = count;
    memcpy(block + 1, arguments, count * sizeof *arguments);
    memcpy(block + 1 + count + 2, auxiliary, sizeof auxiliary);
    stack->pointer =
        ((stack->pointer - words * sizeof *block) & ~(uint64_t)15) + words * sizeof *block;
    push(stack, block, words * sizeof *block);
}

bool user_start(struct machine *machine, struct diag *diag, const struct program *program,
                char *const *arguments)
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
    uint64_t *addresses = arena_array(machine->arena, count, sizeof *addresses);
    const char *name = slash ? slash + 1 : program->name;
    addresses[0] = push(&stack, name, strlen(name) + 1);
    for (size_t i = 1; i < count; i++)
        addresses[i] = push(&stack, arguments[i - 1], strlen(arguments[i - 1]) + 1);
    const uint64_t random = push(&stack, random_bytes, sizeof random_bytes);
    push_vectors(&stack, machine->arena, program, addresses, count, random);
    if (stack.full) {
        diag_error(diag, NULL, "the arguments do not fit on the stack of 0x%" PRIx64 " bytes",
                   size);
        return false;
    }
    machine->hart.x[ABI_SP] = stack.pointer;
    return true;
}

/* ---- calls that are neither files nor memory ---- */

bool user_copy_out(struct machine *machine, uint64_t address, const void *bytes, uint64_t length)
{
    void *host = memory_range(&machine->memory, address, length, true);

    if (!host)
        return false;
    memcpy(host, bytes, length);
    port_record_write(&machine->port, address, length, host);
    return true;
}

static int64_t call_exit(struct machine *machine, const uint64_t *arguments)
{
    machine->user.exited = true;
    machine->user.status = arguments[0] & 0xff;
    return arguments[0];
}

/* kill(pid, sig), tkill(tid, sig): to itself, as abort and raise do. */
static int64_t send_signal(struct machine *machine, uint64_t to, uint64_t signal)
{
    if (to != GUEST_PID)
        return -ESRCH;
    if (signal > 64)
        return -EINVAL;
    machine->user.signal = signal;
    return 0;
}

static int64_t call_kill(struct machine *machine, const uint64_t *arguments)
{
    return send_signal(machine, arguments[0], arguments[1]);
}

static int64_t call_tgkill(struct machine *machine, const uint64_t *arguments)
{
    return send_signal(machine, arguments[1], arguments[2]);
}

/* Seconds and parts of a second since the program started. */
static int64_t put_time(struct machine *machine, uint64_t address, uint64_t parts_in_second)
{
    const uint64_t ticks = machine->hart.instret;
    const uint64_t time[2] = {ticks / USER_HERTZ,
                              ticks % USER_HERTZ / (USER_HERTZ / parts_in_second)};

    return user_copy_out(machine, address, time, sizeof time) ? 0 : -EFAULT;
}

static int64_t call_clock_gettime(struct machine *machine, const uint64_t *arguments)
{
    enum { CLOCKS = 12 };

    return arguments[0] < CLOCKS ? put_time(machine, arguments[1], 1000000000) : -EINVAL;
}

static int64_t call_gettimeofday(struct machine *machine, const uint64_t *arguments)
{
    return arguments[0] ? put_time(machine, arguments[0], 1000000) : 0;
}

static int64_t call_uname(struct machine *machine, const uint64_t *arguments)
{
    const char names[6][65] = {"Linux", "temu", "6.1.0", "#1", "riscv64", "(none)"};

    return user_copy_out(machine, arguments[0], names, sizeof names) ? 0 : -EFAULT;
}

static int64_t call_getrandom(struct machine *machine, const uint64_t *arguments)
{
    const uint64_t length = arguments[1] < 256 ? arguments[1] : 256;
    unsigned char bytes[256];
    uint64_t state = machine->hart.instret * 2 + 1;

    for (uint64_t i = 0; i < length; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bytes[i] = state >> 56;
    }
    return user_copy_out(machine, arguments[0], bytes, length) ? (int64_t)length : -EFAULT;
}

static int64_t call_process_id(struct machine *machine, const uint64_t *arguments)
{
    (void)machine, (void)arguments;
    return GUEST_PID;
}

static int64_t call_user_id(struct machine *machine, const uint64_t *arguments)
{
    (void)machine, (void)arguments;
    return GUEST_UID;
}

static const struct call {
    uint16_t number; /* Linux, asm-generic/unistd.h */
    uint8_t arguments;
    const char *name;
    int64_t (*serve)(struct machine *machine, const uint64_t *arguments);
} calls[] = {
    {17, 2, "getcwd", user_getcwd},
    {29, 3, "ioctl", user_ioctl},
    {56, 4, "openat", user_openat},
    {57, 1, "close", user_close},
    {62, 3, "lseek", user_lseek},
    {63, 3, "read", user_read},
    {64, 3, "write", user_write},
    {65, 3, "readv", user_readv},
    {66, 3, "writev", user_writev},
    {79, 4, "newfstatat", user_newfstatat},
    {80, 2, "fstat", user_fstat},
    {93, 1, "exit", call_exit},
    {94, 1, "exit_group", call_exit},
    {96, 1, "set_tid_address", call_process_id},
    {113, 2, "clock_gettime", call_clock_gettime},
    {129, 2, "kill", call_kill},
    {130, 2, "tkill", call_kill},
    {131, 3, "tgkill", call_tgkill},
    {160, 1, "uname", call_uname},
    {169, 2, "gettimeofday", call_gettimeofday},
    {172, 0, "getpid", call_process_id},
    {173, 0, "getppid", call_process_id},
    {174, 0, "getuid", call_user_id},
    {175, 0, "geteuid", call_user_id},
    {176, 0, "getgid", call_user_id},
    {177, 0, "getegid", call_user_id},
    {178, 0, "gettid", call_process_id},
    {214, 1, "brk", user_brk},
    {215, 2, "munmap", user_munmap},
    {222, 6, "mmap", user_mmap},
    {226, 3, "mprotect", user_mprotect},
    {278, 3, "getrandom", call_getrandom},
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

bool user_call(struct machine *machine)
{
    struct hart *hart = &machine->hart;
    struct user *user = &machine->user;
    const uint64_t number = hart->x[ABI_A7];
    const struct call *call = find_call(number);
    uint64_t arguments[6];

    memcpy(arguments, hart->x + ABI_A0, sizeof arguments);
    const int64_t result = call ? call->serve(machine, arguments) : -ENOSYS;
    if (result == -ERESTART || (machine->deadline && machine_expired(machine)))
        return false;
    if (user->signal)
        user->exited = true;
    if (user->trace_calls)
        print_call(machine, call, number, arguments, result);
    if (user->exited)
        return false;
    hart->x[ABI_A0] = result;
    if (machine->recorder) {
        struct effect *effect = recorder_add(machine->recorder, EFFECT_X);
        effect->number = ABI_A0;
        effect->value = result;
    }
    return true;
}

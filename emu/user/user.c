/* The user environment: the start of a program, and the steps before and after each system call.
 * See user.h. */
#include "emu/user/user.h"
#include "emu/load.h"
#include "emu/observe/observe.h"
#include "emu/races/races.h"
#include "emu/user/calls.h"
#include "emu/user/mapped.h"
#include "emu/user/storage.h"
#include "emu/user/thread.h"
#include "isa_ids.h"
#include "lib/text.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STACK_GUARD = 16 }; /* pages below the stack that mmap leaves alone */

void user_init(struct machine *machine)
{
    enum { STREAMS = STDERR_FILENO + 1 };
    struct user *user = &machine->user;

    *user = (struct user){.root = -1,
                          .creation_mask = 022,
                          .working = strdup("/"),
                          .random = 1,
                          .pass_at = UINT64_MAX,
                          .signal_at = UINT64_MAX};
    user->processes = user_open_processes(machine);
    user->process = user->processes->first;
    user->streams = calloc(STREAMS, sizeof *user->streams);
    if (!user->working || !user->streams || !user_make_main_thread(user))
        BUG("out of memory at the start");
    for (int i = 0; i < STREAMS; i++) {
        struct stat status = {0};
        user->files[i] = fstat(i, &status) == 0 ? &user->streams[i] : NULL;
        user->streams[i] = (struct user_file){.host = i,
                                              .host_device = status.st_dev,
                                              .host_inode = status.st_ino,
                                              .references = 1,
                                              .flags = GUEST_O_RDWR,
                                              .is_stream = true};
    }
    /* The kernel gives out the lowest free descriptor. One that is only a place, and not open for
     * reading or writing, cannot take output by mistake, not even by the name /dev/stdout. */
    for (int i = 0; i < STREAMS; i++)
        if (!user->files[i] && open("/", O_PATH | O_CLOEXEC) != i)
            BUG("cannot take the descriptor of a closed standard stream");
}

/* The host counts the files of all processes of the program as those of one. */
static void raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

bool user_set_root(struct user *user, struct diag *diag, const char *directory)
{
    const struct position at = {.name = *directory ? directory : "''"};

    user->root = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    user->root_device = user->root >= 0 ? storage_device(user->root) : 0;
    if (user->root_device) {
        raise_file_limit();
        user->root_path = realpath(directory, NULL);
        return true;
    }
    if (user->root >= 0) {
        diag_error(diag, &at,
                   "this directory cannot be the root: its files are interfaces of the host's "
                   "kernel; expected a directory of ordinary files");
        return false;
    }
    diag_error(diag, &at, "cannot use this as the --root directory: %s", strerror(errno));
    return false;
}

void user_leave(struct user *user)
{
    user_end_openings(user);
    user_close_all(user);
    free(user->working);
    free(user->program_path);
    free(user->name);
    user->working = user->program_path = user->name = NULL;
}

void user_free(struct user *user)
{
    user_leave(user);
    user_free_threads(user);
    user_free_segments(user->processes);
    user_close_processes(user->processes);
    free(user->streams);
    free(user->root_path);
    if (user->root >= 0)
        close(user->root);
}

/* ---- the private tree ---- */

/* Makes /dev/shm, which a program has with --root, too. */
static bool make_shared_memory(struct store *store, struct node **devices)
{
    store->root = node_new(store, S_IFDIR | 0755);
    return store->root && node_make(store->root, "dev", S_IFDIR | 0755, devices) == 0 &&
           node_make(*devices, "shm", S_IFDIR | 0777, &store->shared_memory) == 0;
}

/* Makes what else a program expects of a Linux system: /tmp, its own file, and the names of the
 * devices (open.c). None of this counts. */
static bool make_tree(struct user *user, const struct program *program, struct node *devices)
{
    struct node *processes, *self, *file;
    const struct place place = {.host = -1, .node = user->processes->store.root};
    char path[PATH_MAX];
    bool good = node_make(place.node, "tmp", S_IFDIR | 0777, NULL) == 0 &&
                node_make(place.node, "proc", S_IFDIR | 0755, &processes) == 0 &&
                node_make(processes, "self", S_IFDIR | 0755, &self) == 0;

    for (unsigned i = 0; good && user_device_name(i); i++)
        good = node_make(devices, strrchr(user_device_name(i), '/') + 1, S_IFCHR | 0666, NULL) == 0;
    snprintf(path, sizeof path, "/%s", user->name);
    const struct place own = {.host = -1, .node = self};
    if (!good || storage_make_link(&own, "exe", path) < 0)
        return false;
    devices->mode = processes->mode = self->mode = S_IFDIR | 0555;
    /* A program with one of these names is hidden by the directory. */
    if (node_make(place.node, user->name, S_IFREG | 0755, &file) < 0)
        return true;
    file->is_fixed = true;
    file->bytes = (unsigned char *)program->image.bytes;
    file->size = program->image.length;
    return true;
}

/* Prepares files in memory: a private tree, of which --root leaves /dev/shm only. */
static bool open_store(struct machine *machine, struct diag *diag, const struct program *program)
{
    struct user *user = &machine->user;
    struct store *store = &user->processes->store;

    struct node *devices;

    *store = (struct store){.memory = &machine->memory,
                            .limit = machine->config.memory_files,
                            .now = &user->processes->times.now,
                            .resized = mapped_resize,
                            .context = user->processes};
    if (!make_shared_memory(store, &devices) ||
        (user->root < 0 && !make_tree(user, program, devices))) {
        diag_error(diag, NULL, "no memory left for the files of the program");
        return false;
    }
    store->counts = true;
    return true;
}

/* ---- start ---- */

/* The stack of a new program, filled from the top down. */
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
static uint64_t hardware_capabilities(const struct machine *machine)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < isa_extension_count; i++) {
        const char *name = isa_extensions[i].name;
        if (machine->config.extensions >> i & 1 && name[0] >= 'a' && name[0] <= 'z' &&
            name[1] == '\0')
            bits |= UINT64_C(1) << (name[0] - 'a');
    }
    return bits;
}

/* The strings of argv and envp, and their addresses. */
struct string_addresses {
    uint64_t *addresses;
    size_t count, variables; /* number of arguments; of environment variables, which follow them */
    uint64_t path;           /* of the program */
};

static void push_vectors(struct stack *stack, struct machine *machine,
                         const struct program *program, const struct string_addresses *strings,
                         uint64_t random)
{
    const Elf64_Ehdr *header = &program->file.header;
    const uint64_t auxiliary[USER_AUXILIARY][2] = {
        {AT_PHDR, program->headers},
        {AT_PHENT, header->e_phentsize},
        {AT_PHNUM, header->e_phnum},
        {AT_PAGESZ, MEMORY_PAGE},
        {AT_BASE, program->linker ? program->linker->moved : 0},
        {AT_FLAGS, 0},
        {AT_ENTRY, program->entry},
        {AT_UID, GUEST_UID},
        {AT_EUID, GUEST_UID},
        {AT_GID, GUEST_UID},
        {AT_EGID, GUEST_UID},
        {AT_HWCAP, hardware_capabilities(machine)},
        {AT_CLKTCK, 100},
        {AT_SECURE, 0},
        {AT_RANDOM, random},
        {AT_EXECFN, strings->path},
        {AT_NULL, 0},
    };
    size_t count = strings->count, variables = strings->variables;
    /* argc, argv…, NULL, envp…, NULL, auxiliary vector; sp is a multiple of 16 */
    size_t words = 1 + count + 1 + variables + 1 + sizeof auxiliary / sizeof(uint64_t);
    uint64_t *block = arena_array(machine->arena, words, sizeof *block);

    block[0] = count;
    memcpy(block + 1, strings->addresses, count * sizeof *block);
    memcpy(block + 1 + count + 1, strings->addresses + count, variables * sizeof *block);
    memcpy(block + 1 + count + 1 + variables + 1, auxiliary, sizeof auxiliary);
    memcpy(machine->user.auxiliary, auxiliary, sizeof auxiliary);
    stack->pointer =
        ((stack->pointer - words * sizeof *block) & ~(uint64_t)15) + words * sizeof *block;
    push(stack, block, words * sizeof *block);
}

/* Reserves the stack, and the addresses for the heap and for mmap. Returns the lowest address of
 * the stack; 0: there is no place. */
static uint64_t place_stack(struct machine *machine, const struct program *program)
{
    struct user *user = &machine->user;
    struct memory *memory = &machine->memory;
    uint64_t size = machine->config.memory_stack;
    uint64_t low = memory_find_free(memory, MEMORY_PAGE, MEMORY_CODE_LIMIT - MEMORY_PAGE, size);
    unsigned execute = program_has_executable_stack(program) ? PAGE_EXECUTE : 0;

    if (!low || !memory_map(memory, low, size, PAGE_READ | PAGE_WRITE | execute))
        return 0;
    user->break_start = user->break_now = (program->end + MEMORY_PAGE - 1) & ~(MEMORY_PAGE - 1);
    user->stack_start = low;
    user->map_low = MEMORY_PAGE * STACK_GUARD;
    user->map_high = low > STACK_GUARD * MEMORY_PAGE ? low - STACK_GUARD * MEMORY_PAGE : 0;
    return low;
}

bool user_begin(struct machine *machine, struct diag *diag, const struct program *program,
                const struct user_execution *execution)
{
    static const unsigned char random_bytes[16] = {0x9e, 0x37, 0x79, 0xb9, 0x7f, 0x4a, 0x7c, 0x15,
                                                   0xf3, 0x9c, 0xc0, 0x60, 0x5c, 0xed, 0xc8, 0x34};
    struct user *user = &machine->user;
    uint64_t size = machine->config.memory_stack, low = place_stack(machine, program);
    size_t count = 1, variables = execution->variable_count;

    if (!low) {
        diag_error(diag, NULL,
                   "a stack of 0x%" PRIx64
                   " bytes does not fit into memory beside the program; the machine file sets the "
                   "sizes of memory and stack",
                   size);
        return false;
    }
    while (execution->arguments[count - 1])
        count++;
    struct stack stack = {.memory = &machine->memory, .pointer = low + size, .low = low};
    struct string_addresses strings = {
        .addresses = arena_array(machine->arena, count + variables, sizeof(uint64_t)),
        .count = count,
        .variables = variables,
    };
    user->busy[0] = file_identify(program->name);
    user->busy[1] = file_identify(program->linker ? program->linker->name : NULL);
    memset(user->thread->name, 0, sizeof user->thread->name);
    snprintf(user->thread->name, sizeof user->thread->name, "%s", user->name);
    /* As under Linux, the strings follow each other, those of the variables after the arguments. */
    if (strcmp(execution->given, execution->called) != 0)
        strings.path = push_string(&stack, execution->given);
    for (size_t i = variables; i-- > 0;)
        strings.addresses[count + i] = push_string(&stack, execution->variables[i]);
    for (size_t i = count; i-- > 0;)
        strings.addresses[i] =
            push_string(&stack, i ? execution->arguments[i - 1] : execution->called);
    if (!strings.path)
        strings.path = strings.addresses[0];
    uint64_t random = push(&stack, random_bytes, sizeof random_bytes);
    push_vectors(&stack, machine, program, &strings, random);
    if (stack.full) {
        diag_error(diag, NULL,
                   "the arguments and variables do not fit on the stack of 0x%" PRIx64 " bytes",
                   size);
        return false;
    }
    machine->hart.x[ISA_REGISTER_SP] = stack.pointer;
    return true;
}

bool user_start(struct machine *machine, struct diag *diag, const struct program *program,
                const struct user_execution *execution)
{
    struct user *user = &machine->user;
    const char *slash = strrchr(execution->given, '/');

    user->program_path = strdup(execution->path);
    user->name = strdup(slash ? slash + 1 : execution->given);
    if (!user->program_path || !user->name)
        BUG("out of memory at the start");
    return open_store(machine, diag, program) && user_begin(machine, diag, program, execution);
}

/* ---- calls ---- */

/* Records the registers that the call changed: a0, or all of them where a signal handler begins or
 * ends. */
static void record_registers(struct machine *machine, const struct hart *before)
{
    const struct hart *hart = &machine->hart;

    for (unsigned i = 1; i < ISA_X_REGISTERS; i++)
        if (i == ISA_REGISTER_A0 || hart->x[i] != before->x[i])
            observe_register(machine, ISA_FILE_X, i, hart->x[i]);
    for (unsigned i = 0; i < ISA_F_REGISTERS; i++)
        if (hart->f[i] != before->f[i])
            observe_register(machine, ISA_FILE_F, i, hart->f[i]);
    if (hart->fflags != before->fflags)
        observe_csr(machine, ISA_CSR_FFLAGS, hart->fflags);
    if (hart->frm != before->frm)
        observe_csr(machine, ISA_CSR_FRM, hart->frm);
}

/* Puts the result of the call into a0. When a signal interrupted the call and it or the handler
 * asks for a restart, the ecall is executed again. */
static void put_result(struct machine *machine, int64_t result)
{
    struct hart *hart = &machine->hart;

    if (result == USER_RESTART_ALWAYS || (result == USER_RESTART && user_signal_restarts(machine)))
        hart->pc = user_call_pc(machine);
    else if (result != USER_REGISTERS_SET)
        hart->x[ISA_REGISTER_A0] = result == USER_RESTART ? -EINTR : result;
}

/* Delivers signals. `before` are the registers at the call, if changes are recorded, or NULL. */
static void finish_call(struct machine *machine, const struct hart *before)
{
    user_timer_fire(machine);
    user_signal_deliver(machine);
    if (!user_signal_is_held(machine))
        user_signal_unmask(machine);
    if (before && !machine->user.exited)
        record_registers(machine, before);
}

bool user_call(struct machine *machine)
{
    struct hart *hart = &machine->hart;
    struct user *user = &machine->user;
    uint64_t number = hart->x[ISA_REGISTER_A7];
    struct user_thread *thread = user->thread;
    const struct user_call *call = user_find_call(number);
    struct hart registers;
    const struct hart *before = NULL;
    uint64_t arguments[6];

    if (machine->recorder) {
        registers = *hart;
        before = &registers;
    }
    memcpy(arguments, hart->x + ISA_REGISTER_A0, sizeof arguments);
    if (thread->wait.pc != user_call_pc(machine))
        thread->repeats = false; /* a debugger moved the thread away from its call */
    if (!thread->repeats && user_signal_is_ready(machine)) {
        /* It came before the call, which may end the thread or block the signal. */
        hart->pc = user_call_pc(machine);
        finish_call(machine, before);
        return !user->exited;
    }
    races_call(machine->races);
    user->processes->times.now = user_time(machine);
    int64_t result = call && call->serve ? call->serve(machine, arguments) : -ENOSYS;
    mapped_note_lengths(user->processes);
    if (result == -ERESTART || result == USER_WAITS || machine_expired(machine))
        return false;
    bool is_interrupted = result == USER_RESTART || result == USER_RESTART_ALWAYS;
    int64_t shown = is_interrupted                 ? -EINTR
                    : result == USER_REGISTERS_SET ? (int64_t)hart->x[ISA_REGISTER_A0]
                                                   : result;
    thread->repeats = false;
    if (thread->state == THREAD_WAITS && !user->exited)
        thread->state = THREAD_RUNS; /* the call did a part, and returns that */
    if (!user->exited && thread->state != THREAD_ENDED) {
        put_result(machine, result);
        finish_call(machine, before);
    }
    if (user->trace_calls)
        user_print_call(machine, call, number, arguments, shown);
    return !user->exited;
}

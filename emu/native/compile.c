/* See compile.h. */
#include "emu/native/compile.h"
#include "lib/map.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined __x86_64__
#include <cpuid.h>
#endif

extern char **environ;

enum {
    OBJECT_DESCRIPTOR = 3, /* number of the output file in the compiler's process */
    PATIENCE = 60,         /* time limit of a compiler, in seconds */
};

/* The optimization level of each effort. -O2 takes nearly twice as long as -O1, and its code is a
 * fifth faster (docs/design.md). */
static const char *const levels[] = {[EFFORT_QUICK] = "-O1", [EFFORT_FULL] = "-O2"};

/* Options for the host's processor that both gcc and clang accept. */
#if defined __aarch64__
#define FOR_THIS_HOST "-mcpu=native"
#else
#define FOR_THIS_HOST "-march=native"
#endif

/* Generic tuning, because the tunings of some processors spill to vector registers. */
enum { ARGUMENT_LEVEL = 1 };
static const char *const arguments[] = {"cc",
                                        [ARGUMENT_LEVEL] = "", /* one of levels */
                                        "-std=gnu11",
                                        FOR_THIS_HOST,
                                        "-mtune=generic",
                                        "-ffp-contract=off",
                                        "-fno-strict-aliasing",
                                        "-fno-math-errno",
                                        "-fPIC",
                                        "-shared",
                                        "-w",
                                        "-x",
                                        "c",
                                        "-o",
                                        "/dev/fd/3",
                                        "-",
                                        NULL};

/* ---- what an object depends on ---- */

static uint64_t hash_host(uint64_t seed)
{
    const uint64_t capabilities[] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};

    seed = hash_bytes(capabilities, sizeof capabilities, seed);
#if defined __x86_64__
    for (unsigned leaf = 0; leaf <= 7; leaf += leaf == 1 ? 6 : 1) {
        unsigned words[4] = {0};
        __get_cpuid_count(leaf, 0, &words[0], &words[1], &words[2], &words[3]);
        if (leaf == 1)
            words[1] = 0; /* holds the number of the current core */
        seed = hash_bytes(words, sizeof words, seed);
    }
#endif
    return seed;
}

static bool is_command(const char *file)
{
    struct stat status;

    return stat(file, &status) == 0 && S_ISREG(status.st_mode) && access(file, X_OK) == 0;
}

static const char *find_command(struct arena *arena, const char *name)
{
    const char *path = getenv("PATH");

    if (strchr(name, '/'))
        return is_command(name) ? name : NULL;
    for (; path; path = strchr(path, ':') ? strchr(path, ':') + 1 : NULL) {
        const char *file = arena_format(arena, "%.*s/%s", (int)strcspn(path, ":"), path, name);
        if (*path == '/' && is_command(file))
            return file;
    }
    return NULL;
}

bool compiler_check_options(struct arena *arena, struct diag *diag,
                            const struct translator_options *options)
{
    const char *cache = options->cache, *command = options->compiler;
    const char *refusal =
        cache && !object_cache_is_none(cache) ? object_cache_refuse(cache, options->root) : NULL;

    if (refusal)
        diag_error(diag, NULL,
                   "--tier-cache=%s: %s; expected a directory that only you may write to, or none",
                   cache, refusal);
    bool found = !command || find_command(arena, command);
    if (!found)
        diag_error(diag, NULL,
                   "--tier-compiler=%s: command not found; expected a C compiler, e.g. gcc or "
                   "clang",
                   command);
    return !refusal && found;
}

void compiler_init(struct compiler *compiler, struct arena *arena,
                   const struct translator_options *options)
{
    struct stat status = {0};

    *compiler = (struct compiler){.arena = arena, .verbose = options->verbose};
    compiler->path = find_command(arena, options->compiler ? options->compiler : TEMU_COMPILER);
    if (!compiler->path || stat(compiler->path, &status) != 0) {
        compiler->path = NULL;
        return;
    }
    signal(SIGCHLD, SIG_DFL); /* if it is ignored, as the parent of temu may have set it, no status
                                 is available */
    const uint64_t facts[] = {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                              status.st_ino};
    uint64_t identity = 0;
    for (size_t i = 0; arguments[i]; i++)
        identity = hash_bytes(arguments[i], strlen(arguments[i]) + 1, identity);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        identity = hash_bytes(levels[i], strlen(levels[i]) + 1, identity);
    compiler->identity = hash_host(hash_bytes(
        facts, sizeof facts, hash_bytes(compiler->path, strlen(compiler->path), identity)));
    compiler->cache = object_cache_find(arena, options->cache, options->root);
}

void compiler_free(struct compiler *compiler)
{
    if (!compiler->process)
        return;
    kill(-compiler->process, SIGTERM);
    close(compiler->object);
    compiler->process = 0;
}

struct object_key compiler_key(const struct compiler *compiler, const struct text *text,
                               enum effort effort)
{
    uint64_t length = text->length;
    struct object_key key = {.effort = effort};

    key.words[0] = hash_bytes(text->bytes, text->length, compiler->identity);
    key.words[1] = hash_bytes(&length, sizeof length, ~compiler->identity);
    key.words[1] = hash_bytes(text->bytes, text->length, key.words[1]);
    return key;
}

/* ---- objects ---- */

static int make_anonymous(const char *name, const void *bytes, size_t length)
{
    int file = memfd_create(name, MFD_CLOEXEC);

    for (size_t done = 0; file >= 0 && done < length;) {
        ssize_t count = write(file, (const char *)bytes + done, length - done);
        if (count <= 0) {
            close(file);
            return -1;
        }
        done += count;
    }
    return file;
}

/* Has the file all bytes that its headers speak of? The loader maps the segments as the headers say
 * and would raise SIGBUS after the end of the file. The section headers come last in the file, so
 * one that was cut short lacks them at least. */
static bool is_whole(int file)
{
    struct stat status;
    Elf64_Ehdr header;
    Elf64_Phdr segment;

    if (fstat(file, &status) != 0 || pread(file, &header, sizeof header, 0) != sizeof header ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_phentsize != sizeof segment || header.e_shnum == 0)
        return false;
    uint64_t size = status.st_size;
    uint64_t sections = (uint64_t)header.e_shnum * header.e_shentsize;
    if (header.e_shoff > size || sections > size - header.e_shoff)
        return false;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        if (pread(file, &segment, sizeof segment, header.e_phoff + i * sizeof segment) !=
                sizeof segment ||
            segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
            return false;
    }
    return true;
}

/* The file stays open, so that no other file gets its name. The loader identifies objects by name.
 */
static unit_function *load_object(int file)
{
    char name[64];

    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    void *const object = is_whole(file) ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
    unit_function *function = NULL;
    void *const symbol = object ? dlsym(object, "translated") : NULL;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

unit_function *compiler_cached(const struct compiler *compiler, const struct object_key *key)
{
    unit_function *function = NULL;
    size_t length;
    char *const bytes = compiler->cache ? object_cache_read(compiler->cache, key, &length) : NULL;
    int object = bytes ? make_anonymous("unit", bytes, length) : -1;

    if (object >= 0) {
        function = load_object(object);
        if (!function)
            close(object);
    }
    free(bytes);
    return function;
}

/* ---- the process ---- */

static pid_t spawn(const struct compiler *compiler, int source, int object)
{
    const char *command[sizeof arguments / sizeof *arguments];
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    pid_t process = 0;

    memcpy(command, arguments, sizeof command);
    command[ARGUMENT_LEVEL] = levels[compiler->key.effort];
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, source, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!compiler->verbose)
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, object, OBJECT_DESCRIPTOR);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (posix_spawn(&process, compiler->path, &files, &attributes, (char *const *)command,
                    environ) != 0)
        process = 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return process;
}

bool compiler_start(struct compiler *compiler, const struct text *text,
                    const struct object_key *key)
{
    int source = make_anonymous("source", text->bytes, text->length);

    compiler->object = make_anonymous("unit", NULL, 0);
    compiler->key = *key;
    if (source >= 0 && compiler->object >= 0 && lseek(source, 0, SEEK_SET) == 0)
        compiler->process = spawn(compiler, source, compiler->object);
    if (source >= 0)
        close(source);
    if (!compiler->process && compiler->object >= 0)
        close(compiler->object);
    return compiler->process != 0;
}

/* Waits until the process ends or the time limit is exceeded. */
static pid_t wait_patiently(pid_t process, int *status)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    pid_t ended;

    for (unsigned i = 0; (ended = waitpid(process, status, WNOHANG)) == 0; i++) {
        if (i == PATIENCE * 500) {
            kill(-process, SIGKILL);
            ended = waitpid(process, status, 0);
            break;
        }
        nanosleep(&pause, NULL);
    }
    return ended;
}

bool compiler_poll(struct compiler *compiler, bool wait, unit_function **function)
{
    int status = 0;
    pid_t ended = wait ? wait_patiently(compiler->process, &status)
                       : waitpid(compiler->process, &status, WNOHANG);

    if (ended == 0)
        return false;
    compiler->process = 0;
    *function = NULL;
    if (ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        *function = load_object(compiler->object);
        if (*function && compiler->cache)
            object_cache_keep(compiler->cache, &compiler->key, compiler->object);
    }
    if (!*function)
        close(compiler->object);
    return true;
}

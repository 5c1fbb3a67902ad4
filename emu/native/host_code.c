/* The disassembler is a child process. It reads a file in memory and writes into another one. See
 * host_code.h. */
#include "emu/native/host_code.h"
#include "emu/native/elf_image.h"

#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __aarch64__
#define MACHINE "aarch64"
#define CROSS   "aarch64-linux-gnu-objdump"
#else
#define MACHINE "i386:x86-64"
#define CROSS   "x86_64-linux-gnu-objdump"
#endif

/* What the child sees of its input, which is its descriptor 3. */
#define INPUT "/proc/self/fd/3"

enum { INPUT_DESCRIPTOR = 3, NEWEST_LLVM = 30, OLDEST_LLVM = 11 };

extern char **environ;

/* Makes a file in memory that has the text, for a child. Returns its descriptor, or -1. */
static int make_file(const struct text *contents)
{
    int made = memfd_create("native code", MFD_CLOEXEC);
    /* Above the descriptors that the child gets. */
    int file = made < 0 ? -1 : fcntl(made, F_DUPFD_CLOEXEC, INPUT_DESCRIPTOR + 1);

    if (made >= 0)
        close(made);
    if (file >= 0 && contents->length &&
        write(file, contents->bytes, contents->length) != (ssize_t)contents->length) {
        close(file);
        return -1;
    }
    return file;
}

static void read_file(int file, struct text *contents)
{
    char bytes[1 << 14];
    ssize_t length;

    for (off_t at = 0; (length = pread(file, bytes, sizeof bytes, at)) > 0; at += length)
        text_append_bytes(contents, bytes, (size_t)length);
}

/* Runs a program of PATH with the input. Returns whether it succeeded. */
static bool run(const char *const *arguments, const struct text *input, struct text *output)
{
    struct text empty = TEXT_INIT;
    int from = make_file(input), to = make_file(&empty), status = 1;
    posix_spawn_file_actions_t actions;
    pid_t child;

    if (from >= 0 && to >= 0 && posix_spawn_file_actions_init(&actions) == 0) {
        posix_spawn_file_actions_adddup2(&actions, from, INPUT_DESCRIPTOR);
        posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        if (posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *)arguments, environ) ==
                0 &&
            waitpid(child, &status, 0) != child)
            status = 1;
        posix_spawn_file_actions_destroy(&actions);
    }
    if (status == 0)
        read_file(to, output);
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return status == 0;
}

static void add_line(struct text *lines, uint64_t address, const char *instruction, size_t length)
{
    size_t start = lines->length;

    text_format(lines, "%" PRIx64 "\t", address);
    start = lines->length;
    text_append_bytes(lines, instruction, length);
    for (char *tab; (tab = strchr(lines->bytes + start, '\t')) != NULL;)
        *tab = ' ';
    while (lines->length > start && lines->bytes[lines->length - 1] == ' ')
        lines->length--;
    text_append(lines, "\n");
}

/* A line is `  40001000:<tab>mov    %rsp,%rbp`. LLVM adds ` <section+0x8>` after addresses. */
static void read_output(struct text *output, struct text *lines)
{
    char *rest, *end;

    for (char *line = strtok_r(output->bytes, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        uint64_t address = strtoull(line, &end, 16);
        if (end == line || *end != ':' || !(line = strchr(end, '\t')))
            continue;
        size_t length = strlen(++line);
        char *name = strstr(line, " <");
        if (name && line[length - 1] == '>')
            length = (size_t)(name - line);
        add_line(lines, address, line, length);
    }
}

static bool try(const char *const *arguments, const struct text *input, struct text *lines)
{
    struct text output = TEXT_INIT;

    if (run(arguments, input, &output) && output.length)
        read_output(&output, lines);
    text_free(&output);
    return lines->length > 0;
}

static bool try_binutils(const char *program, const struct text *code, uint64_t address,
                         struct text *lines)
{
    char base[40];
    const char *const arguments[] = {
        program, "-D",  "-z", "-w", "-b", "binary", "-m", MACHINE, "--no-show-raw-insn",
        base,    INPUT, NULL};

    snprintf(base, sizeof base, "--adjust-vma=0x%" PRIx64, address);
    return try(arguments, code, lines);
}

static bool try_llvm(const char *program, const struct text *code, uint64_t address,
                     struct text *lines)
{
    const char *const arguments[] = {program, "-d", "-z", "--no-show-raw-insn", INPUT, NULL};
    const struct elf_image_section section = {".text", address, code->length, code->bytes, true};
    struct text image = TEXT_INIT, names = TEXT_INIT;

    elf_image_append(&image, &section, 1, NULL, 0, &names);
    bool done = try(arguments, &image, lines);
    text_free(&image);
    return done;
}

bool host_code_disassemble(struct text *lines, const void *bytes, size_t size, uint64_t address)
{
    struct text code = TEXT_INIT;
    char name[32];

    text_append_bytes(&code, bytes, size);
    bool done = try_binutils("objdump", &code, address, lines) ||
                try_binutils(CROSS, &code, address, lines) ||
                try_llvm("llvm-objdump", &code, address, lines);
    for (unsigned version = NEWEST_LLVM; !done && version >= OLDEST_LLVM; version--) {
        snprintf(name, sizeof name, "llvm-objdump-%u", version);
        done = try_llvm(name, &code, address, lines);
    }
    text_free(&code);
    return done;
}

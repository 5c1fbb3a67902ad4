/* See jitdump.h. */
#include "emu/native/jitdump.h"
#include "emu/native/copy.h"
#include "emu/native/elf_image.h"
#include "lib/debug_info.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum record_kind { RECORD_LOAD = 0, RECORD_DEBUG_INFO = 2, RECORD_CLOSE = 3 };

enum { MAGIC = 0x4a695444, VERSION = 1, MARKED = 4096 };

struct header {
    uint32_t magic, version, size, machine, padding, process;
    uint64_t time, flags;
};

struct record {
    uint32_t kind, size;
    uint64_t time;
};

struct load {
    uint32_t process, thread;
    uint64_t address, code, size, index; /* the address is that of the code, too */
};

struct debug_head {
    uint64_t code, count;
};

struct debug_row {
    uint64_t code;
    uint32_t line, discriminator; /* then the name of the file, with its NUL */
};

struct jitdump {
    struct arena arena;
    struct diag *diag;
    const char *name;
    FILE *stream;
    int error;    /* of the first write that failed; or 0 */
    void *marker; /* the page that perf sees */
    const struct program *program;
    struct debug_info *debug;
    uint64_t index;
    const struct copier *copier;
    const struct native_map *map; /* of the call */
};

/* perf record -k mono has the same clock. */
static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Keeps the reason of the first failure, because later calls change errno. */
static void check(struct jitdump *jitdump, bool is_written)
{
    if (!is_written && !jitdump->error)
        jitdump->error = errno;
}

static void put(struct jitdump *jitdump, const void *bytes, size_t size)
{
    check(jitdump, fwrite(bytes, 1, size, jitdump->stream) == size);
}

static void put_record(struct jitdump *jitdump, enum record_kind kind, size_t size)
{
    const struct record record = {kind, (uint32_t)(sizeof record + size), now()};

    put(jitdump, &record, sizeof record);
}

static bool is_directory(const char *name)
{
    struct stat status;

    return stat(name, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool open_file(struct jitdump *jitdump)
{
    jitdump->stream = fopen(jitdump->name, "w+be");
    if (jitdump->stream)
        jitdump->marker =
            mmap(NULL, MARKED, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(jitdump->stream), 0);
    if (jitdump->stream && jitdump->marker != MAP_FAILED)
        return true;
    diag_error(jitdump->diag, &(struct position){.name = jitdump->name},
               jitdump->stream ? "cannot map for execution, by which perf finds the file: %s"
                               : "cannot write: %s",
               strerror(errno));
    if (jitdump->stream)
        fclose(jitdump->stream);
    return false;
}

struct jitdump *jitdump_open(struct diag *diag, const struct program *program, const char *name)
{
    struct arena arena = ARENA_INIT;
    struct jitdump *jitdump = arena_new(&arena, struct jitdump);

    jitdump->arena = arena;
    jitdump->diag = diag;
    jitdump->program = program;
    jitdump->name = name && !is_directory(name)
                        ? name
                        : arena_format(&jitdump->arena, "%s%sjit-%d.dump", name ? name : "",
                                       name ? "/" : "", (int)getpid());
    if (!open_file(jitdump)) {
        arena = jitdump->arena;
        arena_free(&arena);
        return NULL;
    }
    jitdump->debug = debug_open(&jitdump->arena, diag, &program->file);
    const struct header header = {.magic = MAGIC,
                                  .version = VERSION,
                                  .size = sizeof header,
                                  .machine = elf_image_machine(),
                                  .process = (uint32_t)getpid(),
                                  .time = now()};
    put(jitdump, &header, sizeof header);
    check(jitdump, fflush(jitdump->stream) == 0);
    return jitdump;
}

static struct debug_place find_place(const struct jitdump *jitdump, uint64_t pc)
{
    const struct elf_file *file = &jitdump->program->file;

    for (size_t i = 1; jitdump->debug && i < file->section_count; i++) {
        const Elf64_Shdr *header = &file->sections[i].header;
        if (header->sh_flags & SHF_EXECINSTR && pc - header->sh_addr < header->sh_size)
            return debug_find(jitdump->debug, &file->sections[i],
                              pc - header->sh_addr - jitdump->program->moved);
    }
    return (struct debug_place){0};
}

/* Writes the lines of the code, as far as they are known. */
static void put_lines(struct jitdump *jitdump, const struct native_range *range)
{
    uintptr_t executable = (uintptr_t)jitdump->copier->executable;
    struct debug_head head = {.code = executable + range->at};
    struct text rows = TEXT_INIT;
    uint64_t before = PIECE_NO_PC;

    for (size_t i = range->first; i < range->end; i++) {
        const struct native_piece *piece = &jitdump->map->pieces[i];
        if (!native_piece_size(piece, range->is_cold) || piece->pc == before)
            continue;
        before = piece->pc;
        struct debug_place place = find_place(jitdump, piece->pc);
        if (!place.file || !place.line)
            continue;
        const struct debug_row row = {executable + native_piece_at(piece, range->is_cold),
                                      place.line, place.discriminator};
        text_append_bytes(&rows, &row, sizeof row);
        text_append_bytes(&rows, place.file, strlen(place.file) + 1);
        head.count++;
    }
    if (head.count) {
        put_record(jitdump, RECORD_DEBUG_INFO, sizeof head + rows.length);
        put(jitdump, &head, sizeof head);
        put(jitdump, rows.bytes, rows.length);
    }
    text_free(&rows);
}

static void put_range(void *context, const struct native_range *range)
{
    struct jitdump *jitdump = context;
    uintptr_t code = (uintptr_t)jitdump->copier->executable + range->at;
    size_t name = strlen(range->name) + 1;
    const struct load load = {.process = (uint32_t)getpid(),
                              .thread = (uint32_t)syscall(SYS_gettid),
                              .address = code,
                              .code = code,
                              .size = range->size,
                              .index = jitdump->index++};

    put_lines(jitdump, range);
    put_record(jitdump, RECORD_LOAD, sizeof load + name + range->size);
    put(jitdump, &load, sizeof load);
    put(jitdump, range->name, name);
    put(jitdump, jitdump->copier->writable + range->at, range->size);
}

void jitdump_add(struct jitdump *jitdump, const struct copier *copier, const struct native_map *map,
                 size_t first, size_t end)
{
    jitdump->copier = copier;
    jitdump->map = map;
    native_map_ranges(map, first, end, &jitdump->program->symbols, put_range, jitdump);
    check(jitdump, fflush(jitdump->stream) == 0);
}

void jitdump_close(struct jitdump *jitdump)
{
    if (!jitdump)
        return;
    put_record(jitdump, RECORD_CLOSE, 0);
    check(jitdump, fclose(jitdump->stream) == 0);
    if (jitdump->error)
        diag_error(jitdump->diag, &(struct position){.name = jitdump->name},
                   "cannot write everything: %s", strerror(jitdump->error));
    munmap(jitdump->marker, MARKED);
    debug_close(jitdump->debug);
    struct arena arena = jitdump->arena;
    arena_free(&arena);
}

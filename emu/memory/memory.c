/* Guest memory: see memory.h. The host mapping is readable and writable everywhere, unless it
 * mirrors the guest's permissions, and its memory is not committed in advance. */
#include "emu/memory/memory.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STRETCHES = MEMORY_PAGES / MEMORY_STRETCH };

/* Maps addresses at this place if they are free there, or elsewhere. */
static void *map_reserved(void *place, size_t length, int protection)
{
    return mmap(place, length, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static void cannot_reserve(struct diag *diag, size_t length)
{
    diag_error(diag, NULL,
               "cannot reserve %zu MiB of address space for the guest: %s; check the address "
               "space limit "
               "(ulimit -v)",
               length >> 20, strerror(errno));
}

static void *reserve(struct diag *diag, size_t length)
{
    void *host = map_reserved(NULL, length, PROT_READ | PROT_WRITE);

    if (host == MAP_FAILED) {
        cannot_reserve(diag, length);
        return NULL;
    }
    return host;
}

/* Where the host has guest memory, if it can: always at one place, since an emulator of the host
 * may keep what it knows of each page that ever was. Sanitizers have other uses for lower ones. */
#define GUEST_PLACE ((void *)((uintptr_t)1 << 45))

/* Reserves the addresses of guest memory between two margins, as many as the host has. */
static void reserve_guest(struct memory *memory, struct diag *diag)
{
    static const struct {
        uint64_t end, margin;
    } sizes[] = {
        {MEMORY_LIMIT, MEMORY_IS_LARGE ? MEMORY_REACH : MEMORY_MARGIN},
        {MEMORY_LOW_LIMIT, MEMORY_MARGIN},
        {MEMORY_CODE_LIMIT, MEMORY_MARGIN},
    };

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t end = sizes[i].end, margin = sizes[i].margin;
        unsigned char *whole = map_reserved(GUEST_PLACE, end + 2 * margin, PROT_NONE);
        if (whole != MAP_FAILED && mprotect(whole + margin, end, PROT_READ | PROT_WRITE) == 0) {
            memory->host = whole + margin;
            memory->end = end;
            memory->margin = margin;
            return;
        }
        if (whole != MAP_FAILED)
            munmap(whole, end + 2 * margin);
    }
    cannot_reserve(diag, MEMORY_CODE_LIMIT);
}

bool memory_init(struct memory *memory, struct diag *diag, uint64_t limit)
{
    *memory = (struct memory){
        .limit = limit, .changes_allowed = UINT64_MAX, .writer = MEMORY_WRITER_NONE};
    reserve_guest(memory, diag);
    if (memory->host)
        memory->pages = reserve(diag, MEMORY_PAGES);
    if (memory->pages)
        memory->mapped_once = reserve(diag, 2 * STRETCHES * sizeof *memory->mapped_once);
    if (memory->mapped_once) {
        memory->used = memory->mapped_once + STRETCHES;
        memory->code = reserve(diag, MEMORY_CODE_PAGES * sizeof *memory->code);
    }
    bool good = memory->code;
    for (unsigned view = 0; good && view < VIEWS; view++)
        good = (memory->views[view] = reserve(diag, MEMORY_PAGES)) != NULL;
    memory->fast = memory->views[VIEW_MACHINE];
    if (!good)
        memory_free(memory);
    return good;
}

void memory_free(struct memory *memory)
{
    if (memory->host)
        munmap(memory->host - memory->margin, memory->end + 2 * memory->margin);
    if (memory->pages)
        munmap(memory->pages, MEMORY_PAGES);
    if (memory->mapped_once)
        munmap(memory->mapped_once, 2 * STRETCHES * sizeof *memory->mapped_once);
    if (memory->code)
        munmap(memory->code, MEMORY_CODE_PAGES * sizeof *memory->code);
    if (memory->writer >= 0)
        close(memory->writer);
    arena_free(&memory->code_arena);
    free(memory->shares);
    for (unsigned view = 0; view < VIEWS; view++)
        if (memory->views[view])
            munmap(memory->views[view], MEMORY_PAGES);
    *memory = (struct memory){.writer = MEMORY_WRITER_NONE};
}

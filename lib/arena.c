#include "lib/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The first block is small, because many arenas need no more. The second one is a mapping that is
 * populated piece by piece, not page by page: what pages cost is a tenth of the time of a run. All
 * others are huge pages where the host has them. One of these takes the time of more than a hundred
 * pages, so an arena that has needed as many is given the first one, or one that will need MUCH
 * (arena_expect). */
#define FIRST_BLOCK  ((size_t)4 * 1024)
#define SECOND_BLOCK ((size_t)512 * 1024)
#define HUGE_PAGE    ((size_t)2 * 1024 * 1024)
#define OTHER_BLOCKS HUGE_PAGE
#define MUCH         ((size_t)1024 * 1024)
/* Smaller blocks are not worth a mapping. */
#define SMALLEST_MAPPED ((size_t)16 * 1024)
/* What is populated at once of a block for many requests. It is more in the other blocks: for a
 * huge page, the first time populates all of it. */
#define PIECE       ((size_t)32 * 1024)
#define LARGE_PIECE ((size_t)256 * 1024)

struct arena_block {
    struct arena_block *older;
    size_t mapped; /* the length of its own mapping, or 0 */
    alignas(max_align_t) char bytes[];
};

static _Noreturn void out_of_memory(size_t size)
{
    fprintf(stderr, "error: the host has no memory left (%zu bytes asked for)\n", size);
    exit(1);
}

void arena_populate(void *memory, size_t size)
{
#ifdef MADV_POPULATE_WRITE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)memory & ~(page - 1),
              end = ((uintptr_t)memory + size + page - 1) & ~(page - 1);

    if (start < end) /* if this fails, pages come one by one */
        madvise((void *)start, end - start, MADV_POPULATE_WRITE);
#else
    (void)memory, (void)size;
#endif
}

/* Maps a large block of this size, in huge pages as far as there are any. Returns NULL if there is
 * no room. */
static struct arena_block *map_block(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), length = (size + page - 1) & ~(page - 1);
    char *start =
        mmap(NULL, length + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (start == MAP_FAILED)
        return NULL;
    size_t before = -(uintptr_t)start % HUGE_PAGE;
    struct arena_block *block = (struct arena_block *)(start + before);
    if (before)
        munmap(start, before);
    munmap(start + before + length, HUGE_PAGE - before);
    madvise(block, length, MADV_HUGEPAGE);
    block->mapped = length;
    return block;
}

/* Maps a block of this size. Returns NULL if there is no room. */
static struct arena_block *map_pages(size_t size)
{
    struct arena_block *block =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (block == MAP_FAILED)
        return NULL;
    block->mapped = size;
    return block;
}

/* Returns a block of this size, whose bytes are 0. */
static struct arena_block *new_block(size_t size)
{
    struct arena_block *block = ADDRESS_SANITIZER || size < SMALLEST_MAPPED ? NULL
                                : size >= OTHER_BLOCKS                      ? map_block(size)
                                                                            : map_pages(size);

    if (!block)
        block = calloc(1, size);
    if (!block)
        out_of_memory(size);
    return block;
}

/* Returns the size of the block after the newest one. */
static size_t next_size(const struct arena *arena)
{
    return !arena->block_size                 ? FIRST_BLOCK
           : arena->block_size < SECOND_BLOCK ? SECOND_BLOCK
                                              : OTHER_BLOCKS;
}

/* Makes a block of this size the newest one. */
static void use_block(struct arena *arena, size_t size)
{
    struct arena_block *block = new_block(size);

    block->older = arena->blocks;
    arena->blocks = block;
    arena->next = arena->end = block->bytes;
    arena->limit = (char *)block + size;
}

static void add_block(struct arena *arena, size_t least)
{
    size_t size = arena->block_size = next_size(arena);

    if (size - sizeof(struct arena_block) < least) /* one large request */
        size = sizeof(struct arena_block) + least;
    use_block(arena, size);
}

/* Makes room for the size in the newest block; false if it has not that much. */
static bool extend_room(struct arena *arena, size_t size)
{
    if ((size_t)(arena->limit - arena->next) < size || arena->end == arena->limit)
        return false;
    char *start = (char *)arena->blocks;
    size_t whole = (size_t)(arena->limit - start),
           piece = whole < OTHER_BLOCKS ? PIECE : LARGE_PIECE,
           needed = (size_t)(arena->next - start) + size + piece - 1;
    char *end = needed - needed % piece < whole ? start + (needed - needed % piece) : arena->limit;
    if (arena->blocks->mapped)
        arena_populate(arena->end, (size_t)(end - arena->end));
    arena->end = end;
    return true;
}

/* Inserts a block for one request after the newest block, whose rest stays in use. It is populated
 * at once: most such requests are arrays and tables that have grown, so that half of them is filled
 * at once. */
static void *add_large(struct arena *arena, size_t size)
{
    struct arena_block *block = new_block(sizeof *block + size);

    if (block->mapped && block->mapped < OTHER_BLOCKS)
        arena_populate(block, block->mapped);
    block->older = arena->blocks->older;
    arena->blocks->older = block;
    return block->bytes;
}

void *arena_alloc_block(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        out_of_memory(size);
    size_t padding = -(uintptr_t)arena->next & (alignof(max_align_t) - 1);
    if (!extend_room(arena, padding + size)) {
        if (arena->blocks && size > next_size(arena) / 4)
            return add_large(arena, size);
        add_block(arena, size);
        extend_room(arena, size);
        padding = 0;
    }
    void *memory = arena->next + padding;
    arena->next += padding + size;
    return memory;
}

void arena_expect(struct arena *arena, size_t size)
{
    if (arena->block_size > SECOND_BLOCK || size <= SECOND_BLOCK)
        return;
    if (size < MUCH) {
        arena->block_size = size;
        use_block(arena, size);
    } else {
        arena->block_size = SECOND_BLOCK;
        arena->limit = arena->end;
    }
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    size_t total;

    if (__builtin_mul_overflow(count, size, &total))
        out_of_memory(SIZE_MAX);
    return arena_alloc(arena, total);
}

char *arena_copy(struct arena *arena, const char *bytes, size_t length)
{
    char *copy = arena->next;

    if ((size_t)(arena->end - arena->next) > length)
        arena->next += length + 1;
    else
        copy = arena_alloc(arena, length + 1);
    if (length)
        memcpy(copy, bytes, length);
    return copy;
}

char *arena_string(struct arena *arena, const char *string)
{
    return arena_copy(arena, string, strlen(string));
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list arguments, again;

    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *string = arena_alloc(arena, (size_t)length + 1);
    vsnprintf(string, (size_t)length + 1, format, again);
    va_end(again);
    return string;
}

void arena_shorten(struct arena *arena, void *memory, size_t size, size_t used)
{
    if ((char *)memory + size == arena->next)
        arena->next -= size - used;
}

/* Extends the last allocation in place if there is room after it. */
static bool extend(struct arena *arena, const void *items, size_t size, size_t more)
{
    bool last = items && (const char *)items + size == arena->next;

    if (!last || ((size_t)(arena->end - arena->next) < more && !extend_room(arena, more)))
        return false;
    arena->next += more;
    return true;
}

void *arena_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    size_t larger = *capacity ? *capacity * 2 : 8;
    if (extend(arena, items, *capacity * size, (larger - *capacity) * size)) {
        *capacity = larger;
        return items;
    }
    void *copy = arena_array(arena, larger, size);
    if (count)
        memcpy(copy, items, count * size);
    *capacity = larger;
    return copy;
}

static void free_blocks(struct arena_block *newest)
{
    while (newest) {
        struct arena_block *older = newest->older;
        if (newest->mapped)
            munmap(newest, newest->mapped);
        else
            free(newest);
        newest = older;
    }
}

void arena_reset(struct arena *arena)
{
    struct arena_block *newest = arena->blocks;

    if (ADDRESS_SANITIZER || !newest) {
        arena_free(arena);
        return;
    }
    free_blocks(newest->older);
    newest->older = NULL;
    memset(newest->bytes, 0, (size_t)(arena->next - newest->bytes));
    arena->next = newest->bytes;
}

void arena_free(struct arena *arena)
{
    free_blocks(arena->blocks);
    *arena = (struct arena)ARENA_INIT;
}

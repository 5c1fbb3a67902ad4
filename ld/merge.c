/* A section that may be merged is split into pieces: strings with their NUL, or constants. All
 * distinct pieces, once each, become the contents of the first of the sections; the others become
 * empty. A string that is the end of another one is stored in that one.
 *
 * Pieces begin at multiples of the section's alignment and keep that alignment. A section with
 * anything but zeros between two strings is not merged. */
#include "ld/merge.h"

#include "ld/crew.h"
#include <stdlib.h>
#include <string.h>

/* The contents of one or more equal pieces. */
struct content {
    const unsigned char *bytes;
    uint64_t length;  /* without padding */
    uint64_t residue; /* the length modulo the alignment: only strings that share it can be ends of
                         each other */
    uint64_t place;   /* offset in the first section */
    const struct content *into; /* the longer string that they are the end of, or NULL */
};

/* Sections of one output section that are merged with each other, if they can be split. */
struct pool {
    struct output_section *output;
    uint64_t flags, entry_size, alignment;
    struct section **sections;
    size_t count, capacity;
    struct map map; /* bytes → struct content */
};

struct pools {
    struct pool *items;
    size_t count, capacity;
    uint64_t size; /* of all their sections */
};

static bool is_zero(const unsigned char *bytes, uint64_t count)
{
    while (count && !*bytes) {
        bytes++;
        count--;
    }
    return !count;
}

/* Returns the length of the string at `offset` with its NUL; 0: the NUL is missing. */
static uint64_t string_length(const struct section *section, uint64_t offset)
{
    uint64_t unit = section->entry_size;

    for (uint64_t end = offset; unit <= section->size - end; end += unit)
        if (is_zero(section->bytes + end, unit))
            return end + unit - offset;
    return 0;
}

/* Returns the length of the piece at `offset`, and where the next one begins. Returns 0 if the
 * section cannot be split. */
static uint64_t cut(const struct section *section, uint64_t offset, uint64_t *next)
{
    uint64_t length = section->entry_size;

    if (section->flags & SHF_STRINGS)
        length = string_length(section, offset);
    if (!length)
        return 0;
    uint64_t end = align_up(offset + length, section->alignment);
    *next = end < section->size ? end : section->size;
    return is_zero(section->bytes + offset + length, *next - offset - length) ? length : 0;
}

static bool may_merge(const struct section *section)
{
    uint64_t unit = section->entry_size;

    if (!(section->flags & SHF_MERGE) || !unit || !section->bytes || section->relocation_count ||
        section->deletion_count || section->flags & (SHF_WRITE | SHF_TLS) || section->size % unit)
        return false;
    return unit % section->alignment == 0 ||
           (section->flags & SHF_STRINGS && section->alignment % unit == 0);
}

static bool can_split(const struct section *section)
{
    uint64_t next;

    for (uint64_t offset = 0; section->flags & SHF_STRINGS && offset < section->size; offset = next)
        if (!cut(section, offset, &next))
            return false;
    return true;
}

static struct pool *pool_for(struct linker *linker, struct pools *pools,
                             const struct section *section)
{
    uint64_t kind = SHF_MERGE | SHF_STRINGS;

    for (size_t i = pools->count; i-- > 0 && pools->items[i].output == section->output;) {
        struct pool *pool = &pools->items[i];
        if (pool->flags == (section->flags & kind) && pool->entry_size == section->entry_size &&
            pool->alignment == section->alignment)
            return pool;
    }
    pools->items = arena_grow(&linker->arena, pools->items, pools->count, &pools->capacity,
                              sizeof *pools->items);
    pools->items[pools->count] = (struct pool){.output = section->output,
                                               .flags = section->flags & kind,
                                               .entry_size = section->entry_size,
                                               .alignment = section->alignment};
    return &pools->items[pools->count++];
}

static void add_pieces(struct linker *linker, struct pool *pool, struct section *section)
{
    size_t capacity = 0;
    uint64_t length, next;

    for (uint64_t offset = 0; offset < section->size; offset = next) {
        length = cut(section, offset, &next);
        struct map_entry *entry =
            map_entry(&pool->map, (const char *)section->bytes + offset, length);
        if (!entry->value) {
            struct content *content = arena_new(&linker->arena, struct content);
            *content = (struct content){.bytes = section->bytes + offset,
                                        .length = length,
                                        .residue = length % pool->alignment};
            entry->value = content;
        }
        section->pieces = arena_grow(&linker->arena, section->pieces, section->piece_count,
                                     &capacity, sizeof *section->pieces);
        section->pieces[section->piece_count++] =
            (struct piece){.offset = offset, .content = entry->value};
    }
}

/* ---- ends of strings ---- */

static int compare_reversed(const void *a, const void *b)
{
    const struct content *x = *(struct content *const *)a, *y = *(struct content *const *)b;

    if (x->residue != y->residue)
        return x->residue < y->residue ? -1 : 1;
    uint64_t shared = x->length < y->length ? x->length : y->length;
    for (uint64_t i = 1; i <= shared; i++)
        if (x->bytes[x->length - i] != y->bytes[y->length - i])
            return x->bytes[x->length - i] < y->bytes[y->length - i] ? -1 : 1;
    return x->length < y->length ? -1 : x->length > y->length;
}

static bool ends_with(const struct content *whole, const struct content *end)
{
    return whole->residue == end->residue && whole->length >= end->length &&
           memcmp(whole->bytes + (whole->length - end->length), end->bytes, end->length) == 0;
}

/* Orders strings by their reversed characters, so that a string comes right before those that end
 * with it. */
static void find_ends(struct linker *linker, struct pool *pool)
{
    size_t count = pool->map.count;
    struct content **all = arena_array(&linker->arena, count + 1, sizeof *all);

    for (size_t i = 0; i < count; i++)
        all[i] = pool->map.entries[i].value;
    if (count)
        qsort(all, count, sizeof *all, compare_reversed);
    for (size_t i = count; i-- > 1;) {
        const struct content *whole = all[i]->into ? all[i]->into : all[i];
        if (ends_with(whole, all[i - 1]))
            all[i - 1]->into = whole;
    }
}

/* ---- what stays ---- */

/* Moves all contents into the first section, in the order in which they were found. */
static void fill_first(struct linker *linker, struct pool *pool)
{
    uint64_t size = 0;

    for (size_t i = 0; i < pool->map.count; i++) {
        struct content *content = pool->map.entries[i].value;
        if (content->into)
            continue;
        content->place = align_up(size, pool->alignment);
        size = content->place + content->length;
    }
    unsigned char *bytes = arena_alloc(&linker->arena, size);
    for (size_t i = 0; i < pool->map.count; i++) {
        struct content *content = pool->map.entries[i].value;
        if (content->into)
            content->place = content->into->place + (content->into->length - content->length);
        else
            memcpy(bytes + content->place, content->bytes, content->length);
    }
    pool->sections[0]->bytes = bytes;
    pool->sections[0]->size = size;
}

static void settle(struct linker *linker, struct section *section, struct section *first)
{
    for (size_t i = 0; i < section->piece_count; i++)
        section->pieces[i].place = section->pieces[i].content->place;
    if (section == first)
        return;
    section_delete(linker, section, 0, section->size);
    section->alignment = 1; /* nothing is left that needs the alignment */
}

static void find_pools(struct linker *linker, struct pools *pools)
{
    for (size_t i = 0; i < linker->output_count; i++) {
        const struct output_section *output = linker->outputs[i];
        for (size_t j = 0; j < output->member_count; j++) {
            struct section *section = output->members[j];
            if (!may_merge(section))
                continue;
            struct pool *pool = pool_for(linker, pools, section);
            pool->sections = arena_grow(&linker->arena, pool->sections, pool->count,
                                        &pool->capacity, sizeof(struct section *));
            pool->sections[pool->count++] = section;
            pools->size += section->size;
        }
    }
}

static void merge_pool(struct linker *worker, void *context, size_t i)
{
    struct pool *pool = &((const struct pools *)context)->items[i];
    size_t kept = 0;

    map_init(&pool->map, &worker->arena);
    for (size_t j = 0; j < pool->count; j++)
        if (can_split(pool->sections[j]))
            pool->sections[kept++] = pool->sections[j];
    pool->count = kept;
    for (size_t j = 0; j < pool->count; j++) {
        struct section *section = pool->sections[j];
        section->merged = pool->sections[0];
        section->merged_size = section->size;
        add_pieces(worker, pool, section);
    }
    if (!pool->count)
        return;
    if (pool->flags & SHF_STRINGS)
        find_ends(worker, pool);
    fill_first(worker, pool);
    for (size_t j = 0; j < pool->count; j++)
        settle(worker, pool->sections[j], pool->sections[0]);
}

void merge_sections(struct linker *linker)
{
    enum { LARGE = 128 * 1024 };
    struct pools pools = {0};

    find_pools(linker, &pools);
    crew_run(linker, pools.count, pools.size >= LARGE, merge_pool, &pools);
}

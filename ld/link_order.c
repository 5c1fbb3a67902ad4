/* See link_order.h. The places of all sections that are followed are numbered first. */
#include "ld/link_order.h"

#include "ld/script/script.h"
#include <stdlib.h>

struct section *link_order_of(const struct section *section)
{
    const struct object *object = section->object;

    if (!(section->flags & SHF_LINK_ORDER) || !object)
        return NULL;
    uint32_t link = object->elf.sections[section->index].header.sh_link;
    return link && link < object->elf.section_count ? object->sections[link] : NULL;
}

/* A section that follows another one. */
struct follower {
    struct section *section;
    size_t followed, before; /* place of the section that it follows; its own before */
};

/* The sections that follow others in one output section, and where they are in an array. */
struct followers {
    struct linker *linker;
    const struct map *places; /* address of a section that is followed → its place */
    struct follower *items;
    struct section ***slots;
    size_t count, item_capacity, slot_capacity;
};

static int compare_followers(const void *a, const void *b)
{
    const struct follower *left = a, *right = b;

    if (left->followed != right->followed)
        return left->followed < right->followed ? -1 : 1;
    return left->before < right->before ? -1 : 1;
}

static void add_followers(struct followers *followers, struct section **members, size_t count)
{
    struct arena *arena = &followers->linker->arena;

    for (size_t i = 0; i < count; i++) {
        const struct section *followed = link_order_of(members[i]);
        if (!followed)
            continue;
        const size_t *place =
            map_get_bytes(followers->places, (const char *)&followed, sizeof followed);
        followers->items = arena_grow(arena, followers->items, followers->count,
                                      &followers->item_capacity, sizeof *followers->items);
        followers->slots = arena_grow(arena, followers->slots, followers->count,
                                      &followers->slot_capacity, sizeof(struct section **));
        followers->items[followers->count] =
            (struct follower){members[i], *place, followers->count};
        followers->slots[followers->count++] = &members[i];
    }
}

static void sort_followers(struct followers *followers)
{
    if (followers->count)
        qsort(followers->items, followers->count, sizeof *followers->items, compare_followers);
    for (size_t i = 0; i < followers->count; i++)
        *followers->slots[i] = followers->items[i].section;
    followers->count = 0;
}

/* Enters the sections that are followed, in any order. */
static void find_followed(struct linker *linker, struct map *places)
{
    struct section_walk walk = {0};

    map_init(places, &linker->arena);
    for (struct section *section; (section = section_next(linker, &walk));) {
        const struct section *followed = section->live ? link_order_of(section) : NULL;
        if (!followed)
            continue;
        struct map_entry *entry = map_entry(places, (const char *)&followed, sizeof followed);
        entry->value = entry->value ? entry->value : arena_new(&linker->arena, size_t);
    }
}

/* Numbers them in the order of the output. */
static void number_followed(const struct linker *linker, const struct map *places)
{
    size_t number = 0;

    for (size_t i = 0; i < linker->statement_count; i++) {
        const struct output_section *output =
            linker->statements[i].kind == STATEMENT_SECTION ? linker->statements[i].output : NULL;
        for (size_t j = 0; output && j < output->member_count; j++) {
            size_t *place =
                map_get_bytes(places, (const char *)&output->members[j], sizeof output->members[j]);
            if (place)
                *place = ++number;
        }
    }
}

void link_order_sort(struct linker *linker)
{
    struct map places;
    struct followers followers = {.linker = linker, .places = &places};

    find_followed(linker, &places);
    if (!places.count)
        return;
    number_followed(linker, &places);
    for (size_t i = 0; i < linker->output_count; i++) {
        add_followers(&followers, linker->outputs[i]->members, linker->outputs[i]->member_count);
        sort_followers(&followers);
    }
    for (struct script_statement *s = linker->script ? linker->script->statements.first : NULL; s;
         s = s->next) {
        if (s->kind != SCRIPT_OUTPUT)
            continue;
        for (struct script_statement *inner = s->output->body.first; inner; inner = inner->next)
            if (inner->kind == SCRIPT_INPUT)
                add_followers(&followers, inner->members, inner->member_count);
        sort_followers(&followers);
    }
}

/* See map.h. */
#include "emu/native/map.h"

#include "lib/text.h"
#include <inttypes.h>
#include <stdlib.h>

void native_map_add(struct native_map *map, const struct native_piece *piece)
{
    if (map->count == map->capacity) {
        size_t capacity = map->capacity ? 2 * map->capacity : 1024;
        struct native_piece *pieces = reallocarray(map->pieces, capacity, sizeof *pieces);
        if (!pieces) /* this one is not observed */
            return;
        map->pieces = pieces;
        map->capacity = capacity;
    }
    map->pieces[map->count++] = *piece;
}

void native_map_replace(struct native_map *map, size_t hot)
{
    for (size_t i = 0; i < map->count; i++)
        if (map->pieces[i].hot == hot && map->pieces[i].hot_size)
            map->pieces[i].id = PIECE_REPLACED;
}

void native_map_clear(struct native_map *map)
{
    map->count = map->closed = 0;
}

void native_map_free(struct native_map *map)
{
    free(map->pieces);
    *map = (struct native_map){0};
}

static const struct elf_symbol *find_symbol(const struct symbolizer *symbols,
                                            const struct native_piece *piece)
{
    return piece->pc == PIECE_NO_PC ? NULL : symbolizer_find(symbols, piece->pc);
}

/* Appends the name of the function that the piece is from. */
static void append_name(struct text *name, const struct symbolizer *symbols,
                        const struct native_piece *piece)
{
    const struct elf_symbol *symbol = find_symbol(symbols, piece);

    text_clear(name);
    if (symbol)
        text_append(name, symbol->name);
    else if (piece->pc == PIECE_NO_PC)
        text_append(name, "[temu: to and from native code]");
    else
        text_format(name, "0x%" PRIx64, piece->pc);
}

/* Returns the piece after the range that begins with the piece `first`. */
static size_t find_end(const struct native_map *map, size_t first, size_t end,
                       const struct symbolizer *symbols, bool is_cold)
{
    const struct native_piece *pieces = map->pieces;
    const struct elf_symbol *symbol = find_symbol(symbols, &pieces[first]);
    size_t next = native_piece_at(&pieces[first], is_cold);
    size_t i;

    for (i = first; i < end; i++) {
        const struct native_piece *piece = &pieces[i];
        if (!native_piece_size(piece, is_cold))
            continue;
        if (native_piece_at(piece, is_cold) != next || find_symbol(symbols, piece) != symbol ||
            (piece->pc == PIECE_NO_PC) != (pieces[first].pc == PIECE_NO_PC))
            break;
        next += native_piece_size(piece, is_cold);
    }
    return i;
}

void native_map_ranges(const struct native_map *map, size_t first, size_t end,
                       const struct symbolizer *symbols,
                       void (*take)(void *context, const struct native_range *range), void *context)
{
    struct text name = TEXT_INIT;

    for (unsigned cold = 0; cold < 2; cold++)
        for (size_t i = first; i < end;) {
            if (!native_piece_size(&map->pieces[i], cold)) {
                i++;
                continue;
            }
            struct native_range range = {.at = native_piece_at(&map->pieces[i], cold),
                                         .first = i,
                                         .end = find_end(map, i, end, symbols, cold),
                                         .is_cold = cold};
            for (; i < range.end; i++)
                range.size += native_piece_size(&map->pieces[i], cold);
            append_name(&name, symbols, &map->pieces[range.first]);
            range.name = name.bytes;
            take(context, &range);
        }
    text_free(&name);
}

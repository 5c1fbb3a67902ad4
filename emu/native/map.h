/* Which bytes of native code belong to which guest instruction: one piece for each stencil that was
 * copied. It is kept only for those who look at native code (observers.h). */
#ifndef EMU_NATIVE_MAP_H
#define EMU_NATIVE_MAP_H

#include "lib/elf_file.h"
#include <stddef.h>
#include <stdint.h>

enum {
    PIECE_BYTES = 0xffff,    /* id of a piece that is no stencil */
    PIECE_REPLACED = 0xfffe, /* id of one that is now a jump to better code */
    PIECE_NO_PC = 1,         /* pc of a piece that belongs to no instruction */
};

struct native_piece {
    uint64_t pc;        /* of the guest instruction; of a way out: where it leads */
    uint32_t hot, cold; /* offsets of its bytes in the code memory */
    uint16_t hot_size, cold_size;
    uint16_t id;        /* of the instruction, or STENCIL_GLUE… */
    uint16_t remaining; /* instructions to the end of the block */
    uint8_t number;     /* of the register that the stencil of glue is about */
    bool begins;        /* a run of blocks */
    uint64_t word;      /* of the instruction; only in what show.c keeps */
};

struct native_map {
    struct native_piece *pieces;
    size_t count, capacity;
    size_t closed; /* pieces before this one belong to runs that are complete */
};

/* Code of one guest function that is in one place. */
struct native_range {
    const char *name;  /* of the function; if it has none, the address in hexadecimal */
    size_t at, size;   /* offset in the code memory */
    size_t first, end; /* its pieces */
    bool is_cold;
};

void native_map_add(struct native_map *map, const struct native_piece *piece);
/* The stencil whose hot bytes begin there is now a jump to better code. */
void native_map_replace(struct native_map *map, size_t hot);
void native_map_clear(struct native_map *map);
void native_map_free(struct native_map *map);
/* Calls `take` for each range of the pieces from `first` to before `end`, in the order of the
 * addresses: first the hot bytes, then the cold ones. */
void native_map_ranges(const struct native_map *map, size_t first, size_t end,
                       const struct symbolizer *symbols,
                       void (*take)(void *context, const struct native_range *range),
                       void *context);

static inline size_t native_piece_at(const struct native_piece *piece, bool is_cold)
{
    return is_cold ? piece->cold : piece->hot;
}

static inline size_t native_piece_size(const struct native_piece *piece, bool is_cold)
{
    return is_cold ? piece->cold_size : piece->hot_size;
}

#endif

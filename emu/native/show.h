/* Native code beside the guest instructions that it was made of: --show-native. */
#ifndef EMU_NATIVE_SHOW_H
#define EMU_NATIVE_SHOW_H

#include "emu/load.h"
#include "emu/native/map.h"
#include "emu/native/parts.h"
#include "lib/text.h"
#include <stdio.h>

struct native;

/* Why a run had no native code at all. */
#define NATIVE_NOTHING_MADE                                                                        \
    "the whole run was interpreted (no code came often, or something observed each instruction)"

/* One --show-native, and what is kept to show: the last run of blocks that had code of the
 * address. */
struct native_show {
    const char *argument; /* as the user gave it */
    const struct program *program;
    uint64_t pc;    /* of it */
    uint64_t shown; /* the first address of the function that has code, if it begins at pc */
    struct native_piece *pieces;
    size_t count;
    struct text hot, cold; /* the bytes */
    uint64_t executable;   /* address of the code memory */
    size_t leave, call;    /* offsets of the code that leaves native code, or calls C */
    uint8_t host_of[PINNABLE];
    bool is_current; /* it was not forgotten */
};

/* Parses the argument. Returns false after a diagnostic. */
bool native_show_parse(struct native_show *show, const struct program *program, struct diag *diag,
                       const char *argument);
/* Keeps the run of blocks that has code of the address, if there is one in the map. If a function
 * begins at the address, that may be code of a later part of it, such as a loop in a function
 * that is called once; what was kept before stays if it begins earlier. */
void native_show_keep(struct native_show *show, const struct native *native,
                      const struct native_map *map);
/* Prints it, or says on standard error that there is none. */
void native_show_print(const struct native_show *show, const struct native *native,
                       const struct program *program, FILE *stream);
void native_show_free(struct native_show *show);

#endif

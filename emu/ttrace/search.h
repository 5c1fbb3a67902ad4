/* Finds records of a lossless trace: by number, by sequence number, and the last that wrote a
 * place. The indexes of segments say which of them need to be decoded. */
#ifndef EMU_TTRACE_SEARCH_H
#define EMU_TTRACE_SEARCH_H

#include "emu/ttrace/ttrace.h"

/* A register, or a range of memory. */
struct place {
    bool is_register;
    uint32_t file, number;
    uint32_t thread; /* whose register; 0: of any */
    uint64_t address, length;
};

#define NO_RECORD UINT64_MAX

/* Returns the number of the first record whose sequence number is not below `sequence`;
 * trace.record_count: there is none. The start counts as before all. */
uint64_t search_sequence(struct ttrace_tool *tool, uint64_t sequence);
/* Decodes record `number` into *record, valid until the next search. Returns false after a
 * diagnostic. */
bool search_record(struct ttrace_tool *tool, uint64_t number, struct ttrace_record *record);
/* Returns the number of the last record before record `end` that wrote a part of the place, or
 * NO_RECORD. */
uint64_t search_writer(struct ttrace_tool *tool, const struct place *place, uint64_t end);
/* Does the effect write, or read, a part of the place? */
bool effect_writes(const struct effect *effect, const struct place *place);
bool effect_reads(const struct effect *effect, const struct place *place);

#endif

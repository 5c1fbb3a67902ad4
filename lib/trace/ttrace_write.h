/* The encoder of the lossless trace. It collects a segment and hands its two blocks to `put`, which
 * compresses and writes them. */
#ifndef LIB_TRACE_TTRACE_WRITE_H
#define LIB_TRACE_TTRACE_WRITE_H

#include "lib/leb128.h"
#include "lib/text.h"
#include "lib/trace/log.h"
#include "lib/trace/ttrace.h"

struct ttrace_writer;

/* What the header says. */
struct ttrace_about {
    const char *isa;     /* fingerprint of the description */
    uint64_t machine;    /* fingerprint of the machine configuration */
    uint64_t moved;      /* what was added to the addresses of the program's file */
    const void *program; /* bytes of the program's file; NULL: none */
    size_t program_length;
    const struct text *sources; /* for each source: length of the name, name, length, bytes */
    uint64_t source_count;
    unsigned workers; /* of the barrel; 0: there is none */
};

/* Makes an encoder and hands the header to `put`. The block is the whole text, and `put` leaves it
 * empty. Out of memory ends the tool. */
struct ttrace_writer *ttrace_writer_new(const struct ttrace_about *about,
                                        void (*put)(void *context, struct text *block),
                                        void *context);
/* Appends a record. Returns its number. */
uint64_t ttrace_writer_add(struct ttrace_writer *writer, const struct ttrace_record *record);
/* Appends the records of the first `count` steps in the log, which have been learned, of a thread
 * (0: there is one only). `sequence` is the sequence number of the first one. */
void ttrace_writer_add_log(struct ttrace_writer *writer, const struct log_steps *steps,
                           unsigned thread, uint64_t sequence, uint64_t count, const uint64_t *log);
/* Appends the times of a record that was appended before. Records must come in their order, and
 * `names` must stay. */
void ttrace_writer_add_time(struct ttrace_writer *writer, const struct ttrace_time *time,
                            const struct ttrace_time_names *names);
/* Appends the turns of a barrel that passed after the last record. */
void ttrace_writer_add_passes(struct ttrace_writer *writer, const struct ttrace_pass *passes,
                              size_t count, const struct ttrace_time_names *names);
/* Writes the last segment and the end, and frees the encoder. */
void ttrace_writer_end(struct ttrace_writer *writer);
/* Appends a number in LEB128. */
static inline void ttrace_put_number(struct text *text, uint64_t value)
{
    char *room = text_room(text, LEB128_LIMIT);

    text_extend(text, room + leb128_put_unsigned((unsigned char *)room, value));
}

#endif

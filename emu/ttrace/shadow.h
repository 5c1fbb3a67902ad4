/* What is in memory, as far as the trace has it, and which record wrote each byte last. Of a range
 * that is very long only the start is kept. */
#ifndef EMU_TTRACE_SHADOW_H
#define EMU_TTRACE_SHADOW_H

#include "lib/text.h"
#include <stdbool.h>
#include <stdint.h>

/* Begins as 0. */
struct shadow {
    uint64_t *keys; /* of pages, plus 1; an open hash table */
    struct memory_page **pages;
    size_t count, capacity;
};

/* Returns the last writer of a part of the range; 0: nothing wrote it. */
uint32_t shadow_last_writer(struct shadow *shadow, uint64_t address, uint64_t length);
/* The writer has written the bytes, or bytes that are unknown (NULL). A writer of 0 is the
 * start. */
void shadow_write(struct shadow *shadow, uint64_t address, uint64_t length, uint32_t writer,
                  const unsigned char *bytes);
/* Appends what is in the range, 0 where nothing was written. Returns false if something is unknown.
 */
bool shadow_read(struct shadow *shadow, uint64_t address, uint64_t length, struct text *bytes);
void shadow_free(struct shadow *shadow);

#endif

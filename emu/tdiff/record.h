/* tdiff: a record, and the cursor that the parsers of the three formats move over its line. */
#ifndef EMU_TDIFF_RECORD_H
#define EMU_TDIFF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct isa_register_file;

/* What an instruction did, from any of the formats (docs/trace-format.md). */
enum change_kind {
    CHANGE_X,           /* register of the x file: name (ABI), value */
    CHANGE_F,           /* of the f file */
    CHANGE_CSR,         /* name, value */
    CHANGE_LOAD,        /* address, length, value; Spike has the address alone */
    CHANGE_STORE,       /* address, length, value */
    CHANGE_RANGE_READ,  /* address, length */
    CHANGE_RANGE_WRITE, /* address, length, value: digest */
    CHANGE_STATE,       /* name: "traversal.offset[0][1]", "sparse.hops", value */
    CHANGE_TRAP,        /* address: cause, or CAUSE_INTERRUPT_BIT and its number; value */
};

struct change {
    enum change_kind kind;
    char name[64];
    uint64_t address, length, value;
};

/* A line of a trace: its number from 1, its bytes without the newline. They are the window's, until
 * the trace is read on. */
struct trace_line {
    size_t number;
    const char *bytes;
    size_t length;
};

/* One instruction. Arrays are reused from record to record. */
struct record {
    struct trace_line line;
    uint64_t sequence; /* as the trace numbers it; Spike's: records before it */
    uint64_t pc, word;
    unsigned length;          /* bytes of the encoding; 0: none */
    unsigned hart, privilege; /* Spike only */
    char symbol[96];          /* "main+0x8", or empty */
    struct change *changes;
    size_t count, capacity;
};

struct change *record_add(struct record *record, enum change_kind kind);

enum change_kind change_of_file(const struct isa_register_file *file);
/* A change of the register or CSR of that name: any name of a register counts, the ABI name is
 * kept. */
struct change *record_add_named(struct record *record, const char *name);

/* Text under the parser's hand. Each taker returns false and leaves `at` where it is when the text
 * does not go on so. */
struct cursor {
    const char *at, *end;
    const char *expected; /* what was not found, for the message */
};

static inline bool cursor_skip(struct cursor *cursor, const char *literal)
{
    size_t length = strlen(literal);

    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, literal, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

void cursor_blanks(struct cursor *cursor);
bool cursor_decimal(struct cursor *cursor, uint64_t *value);
/* Digits without and with 0x; *digits receives their number, when not NULL. */
bool cursor_hex(struct cursor *cursor, uint64_t *value, unsigned *digits);
bool cursor_0x(struct cursor *cursor, uint64_t *value, unsigned *digits);
/* Fails with what was expected here. */
bool cursor_fail(struct cursor *cursor, const char *expected);
/* Copies to `end`, at most size - 1 bytes; false when there are more. */
bool cursor_copy(struct cursor *cursor, const char *end, char *target, size_t size);

/* `count` zeroed items, from malloc, or the tool ends. */
void *new_array(size_t count, size_t size);
_Noreturn void end_without_memory(void);

#endif

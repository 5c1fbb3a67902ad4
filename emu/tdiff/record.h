/* Records, which hold what one instruction did in any of the formats, and the cursor with which the
 * parsers of the formats read a line. Internal to tdiff. */
#ifndef EMU_TDIFF_RECORD_H
#define EMU_TDIFF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Kinds of changes, and the members of `struct change` that they use (docs/trace-format.md). */
enum change_kind {
    CHANGE_REGISTER,    /* file, name (ABI), value */
    CHANGE_CSR,         /* name, value */
    CHANGE_LOAD,        /* address, length, value; only the address in Spike's log */
    CHANGE_STORE,       /* address, length, value */
    CHANGE_RANGE_READ,  /* address, length */
    CHANGE_RANGE_WRITE, /* address, length, value: digest */
    CHANGE_STATE,       /* name: "traversal.offset[0][1]", "sparse.hops", value */
    CHANGE_TRAP,        /* address: cause, or CAUSE_INTERRUPT_BIT and its number; value */
};

struct change {
    enum change_kind kind;
    uint8_t file; /* index in isa_register_files */
    char name[64];
    uint64_t address, length, value;
    /* The hexadecimal digits of a value of more than 64 bits, without leading zeros, in the bytes
     * of
     * the record's line; `value` is its low part. NULL: `value` is all. */
    const char *digits;
    size_t digit_count;
};

/* A line of a trace: its number from 1, and its bytes without the newline. The bytes are valid
 * until the next read. */
struct trace_line {
    size_t number;
    const char *bytes;
    size_t length;
};

enum { THREAD_SIZE = 16 }; /* of the name of a thread, with its NUL */

/* The record of one instruction. The array of changes is reused for the next record. */
struct record {
    struct trace_line line;
    uint64_t sequence; /* number in the trace; in Spike's log, the number of records before it */
    uint64_t pc, word;
    unsigned length;          /* bytes of the encoding; 0: none */
    unsigned hart, privilege; /* Spike only */
    bool has_turn;            /* of a barrel */
    uint64_t turn;
    char thread[THREAD_SIZE]; /* name; empty: the trace has none */
    char symbol[96];          /* "main+0x8", or empty */
    struct change *changes;
    size_t count, capacity;
    size_t most;  /* changes that it may have, at least 1 */
    bool is_full; /* it would have more */
};

/* Adds a change. When the record has as many as it may have, its last one is overwritten. */
struct change *record_add(struct record *record, enum change_kind kind);

/* Adds a change of the register, CSR or state of a unit of that name. Any name of a register is
 * found; its ABI name is kept. */
struct change *record_add_named(struct record *record, const char *name);

/* The text that a parser reads. Functions that take something from it return false and leave `at`
 * unchanged when the text does not match. */
struct cursor {
    const char *at, *end;
    const char *expected; /* what should be at `at`, for the message */
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
/* Take hexadecimal digits, without and with 0x. *digits, unless NULL, receives their number. */
bool cursor_hex(struct cursor *cursor, uint64_t *value, unsigned *digits);
bool cursor_0x(struct cursor *cursor, uint64_t *value, unsigned *digits);
/* Takes 0x and the digits of a value of any width. */
bool cursor_digits(struct cursor *cursor, struct change *change);
/* Does the value fit into what has changed: 64 bits, or the width of the register? */
bool change_fits(const struct change *change);
/* Takes the value of a change whose kind and file are known. */
bool cursor_value(struct cursor *cursor, struct change *change);
/* Records what was expected here and returns false. */
bool cursor_fail(struct cursor *cursor, const char *expected);
/* Copies the text up to `end`, at most size - 1 bytes. Returns false when there are more. */
bool cursor_copy(struct cursor *cursor, const char *end, char *target, size_t size);

/* Returns `count` zeroed items from malloc. Out of memory ends the tool. */
void *new_array(size_t count, size_t size);
_Noreturn void end_without_memory(void);

#endif

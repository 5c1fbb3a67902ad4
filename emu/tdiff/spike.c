/* Reads Spike's commit log, as emu/trace/spike.c and Spike itself write it:
 *
 *     core   0: 0 0x0000000000010078 (0x00000513) x10 0x0000000000000000 mem 0x… 0x…
 *
 * Lines of Spike's execution log (disassembly, symbols, exceptions) may come between them and are
 * skipped. So is `cycle N` at the end of a line, for tdiff --cycles. */
#include "emu/tdiff/tdiff.h"

#include "isa_ids.h"
#include "lib/isa.h"

#include <stdio.h>
#include <string.h>

/* Parses cNUMBER_NAME 0xVALUE. */
static bool parse_csr(struct cursor *cursor, struct record *record)
{
    uint64_t number;
    const struct isa_csr *csr;
    struct change *change;

    if (!cursor_decimal(cursor, &number) || !cursor_skip(cursor, "_"))
        return cursor_fail(cursor, "cNUMBER_NAME");
    while (cursor->at < cursor->end && *cursor->at != ' ')
        cursor->at++;
    cursor_blanks(cursor);
    change = record_add(record, CHANGE_CSR);
    csr = number < ISA_CSR_LIMIT ? isa_csr_by_number((unsigned)number) : NULL;
    if (csr)
        snprintf(change->name, sizeof change->name, "%s", csr->name);
    else
        snprintf(change->name, sizeof change->name, "csr0x%x", (unsigned)number);
    return cursor_0x(cursor, &change->value, NULL) || cursor_fail(cursor, "the CSR's value: 0x…");
}

/* Parses NUMBER 0xVALUE, after the x or f of its file. */
static bool parse_register(struct cursor *cursor, struct record *record,
                           const struct isa_register_file *file)
{
    uint64_t number;
    struct change *change;

    if (!cursor_decimal(cursor, &number) || number >= file->count)
        return cursor_fail(cursor, "the number of a register");
    cursor_blanks(cursor);
    change = record_add_named(record, file->names[number]);
    return cursor_value(cursor, change) || cursor_fail(cursor, "the register's value: 0x…");
}

/* Parses the text after `mem`: 0xADDRESS is a load, 0xADDRESS 0xVALUE a store. The number of digits
 * of the value gives the size of the store. */
static bool parse_memory(struct cursor *cursor, struct record *record)
{
    struct change *change = record_add(record, CHANGE_LOAD);
    const char *end;
    unsigned digits;

    if (!cursor_0x(cursor, &change->address, NULL))
        return cursor_fail(cursor, "an address: 0x…");
    end = cursor->at;
    if (cursor_skip(cursor, " ") && cursor_0x(cursor, &change->value, &digits)) {
        change->kind = CHANGE_STORE;
        change->length = digits / 2;
    } else {
        cursor->at = end;
    }
    return true;
}

static bool parse_change(struct cursor *cursor, struct record *record)
{
    if (cursor_skip(cursor, "mem "))
        return parse_memory(cursor, record);
    for (size_t i = 0; i < isa_register_file_count; i++)
        if (isa_register_files[i].standard && cursor_skip(cursor, isa_register_files[i].numeric))
            return parse_register(cursor, record, &isa_register_files[i]);
    if (cursor_skip(cursor, "c"))
        return parse_csr(cursor, record);
    return cursor_fail(cursor, "xNUMBER, fNUMBER, cNUMBER_NAME, mem or cycle");
}

bool spike_parse(struct cursor *cursor, struct record *record, bool *skip)
{
    uint64_t hart, privilege;
    unsigned digits;

    *skip = false;
    if (!cursor_skip(cursor, "core"))
        return cursor_fail(cursor, "'core' at the start of the line");
    cursor_blanks(cursor);
    if (!cursor_decimal(cursor, &hart) || !cursor_skip(cursor, ": "))
        return cursor_fail(cursor, "a core number and ': '");
    if (cursor->at < cursor->end && (strchr(">e ", *cursor->at) || cursor_skip(cursor, "0x"))) {
        *skip = true;
        return true;
    }
    if (!cursor_decimal(cursor, &privilege) || !cursor_skip(cursor, " "))
        return cursor_fail(cursor, "a privilege level");
    record->hart = (unsigned)hart;
    record->privilege = (unsigned)privilege;
    if (!cursor_0x(cursor, &record->pc, NULL) || !cursor_skip(cursor, " ("))
        return cursor_fail(cursor, "a pc and the encoding in parentheses");
    if (!cursor_0x(cursor, &record->word, &digits) || digits % 2 || !cursor_skip(cursor, ")"))
        return cursor_fail(cursor, "an encoding, 0x and an even number of digits, and ')'");
    record->length = digits / 2;
    while (cursor_skip(cursor, " ")) {
        uint64_t cycle;
        if (cursor_skip(cursor, "cycle "))
            return (cursor_decimal(cursor, &cycle) && cursor->at == cursor->end) ||
                   cursor_fail(cursor, "the number of a cycle at the end of the line");
        if (!parse_change(cursor, record))
            return false;
    }
    return cursor->at == cursor->end || cursor_fail(cursor, "a blank");
}

/* Reads the text trace, which emu/trace/text.c writes.
 *
 *     SEQUENCE [[TURN] THREAD] PC <SYMBOL+OFFSET> ENCODING DISASSEMBLY | EFFECT EFFECT… */
#include "emu/tdiff/tdiff.h"

#include <ctype.h>
#include <string.h>

/* Skips `key=` of the header and copies the word after it. */
static bool header_word(struct cursor *cursor, const char *key, char *target, size_t size)
{
    const char *end;

    cursor_blanks(cursor);
    if (!cursor_skip(cursor, key))
        return cursor_fail(cursor, key);
    for (end = cursor->at; end < cursor->end && *end != ' ';)
        end++;
    return cursor_copy(cursor, end, target, size) || cursor_fail(cursor, "a shorter word");
}

bool text_parse_header(struct cursor *cursor, struct trace_header *header, uint64_t *version)
{
    if (!cursor_skip(cursor, "# tensor-trace ") || !cursor_decimal(cursor, version))
        return cursor_fail(cursor, "'# tensor-trace VERSION text'");
    if (*version != TRACE_VERSION)
        return true;
    if (!cursor_skip(cursor, " text"))
        return cursor_fail(cursor, "' text' after the version");
    if (!header_word(cursor, "program=", header->program, sizeof header->program))
        return false;
    if (!cursor_skip(cursor, " entry=") || !cursor_0x(cursor, &header->entry, NULL))
        return cursor_fail(cursor, "entry=0x…");
    return header_word(cursor, "isa=", header->isa, sizeof header->isa) &&
           header_word(cursor, "machine=", header->machine, sizeof header->machine);
}

static bool parse_symbol(struct cursor *cursor, struct record *record)
{
    const char *end;

    if (cursor_skip(cursor, "- "))
        return true;
    if (!cursor_skip(cursor, "<"))
        return cursor_fail(cursor, "<symbol> or - after the pc");
    for (end = cursor->at; end + 1 < cursor->end && !(end[0] == '>' && end[1] == ' ');)
        end++;
    if (end + 1 >= cursor->end)
        return cursor_fail(cursor, "'>' after the symbol");
    cursor_copy(cursor, end, record->symbol, sizeof record->symbol);
    cursor->at = end + 1;
    return true;
}

static bool parse_encoding(struct cursor *cursor, struct record *record)
{
    unsigned digits;

    if (cursor_skip(cursor, "-"))
        return true;
    if (!cursor_hex(cursor, &record->word, &digits) || digits % 2)
        return cursor_fail(cursor, "an encoding: 4, 8, 12 or 16 hexadecimal digits");
    record->length = digits / 2;
    return true;
}

/* Parses SIZE[0xADDRESS]=0xVALUE. */
static bool parse_access(struct cursor *cursor, struct record *record, enum change_kind kind)
{
    struct change *change = record_add(record, kind);

    return (cursor_decimal(cursor, &change->length) && cursor_skip(cursor, "[") &&
            cursor_0x(cursor, &change->address, NULL) && cursor_skip(cursor, "]=") &&
            cursor_0x(cursor, &change->value, NULL)) ||
           cursor_fail(cursor, "SIZE[0xADDRESS]=0xVALUE");
}

/* Parses 0xADDRESS+0xLENGTH], and #DIGEST for a write. */
static bool parse_range(struct cursor *cursor, struct record *record, enum change_kind kind)
{
    struct change *change = record_add(record, kind);

    if (!cursor_0x(cursor, &change->address, NULL) || !cursor_skip(cursor, "+") ||
        !cursor_0x(cursor, &change->length, NULL) || !cursor_skip(cursor, "]"))
        return cursor_fail(cursor, "0xADDRESS+0xLENGTH]");
    if (kind == CHANGE_RANGE_WRITE &&
        (!cursor_skip(cursor, "#") || !cursor_hex(cursor, &change->value, NULL)))
        return cursor_fail(cursor, "#DIGEST");
    return true;
}

/* Parses CAUSE:0xVALUE. */
static bool parse_trap(struct cursor *cursor, struct record *record)
{
    struct change *change = record_add(record, CHANGE_TRAP);

    return (cursor_decimal(cursor, &change->address) && cursor_skip(cursor, ":") &&
            cursor_0x(cursor, &change->value, NULL)) ||
           cursor_fail(cursor, "CAUSE:0xVALUE");
}

/* Parses 0xNUMBER. */
static bool parse_interrupt(struct cursor *cursor, struct record *record)
{
    uint64_t number;

    if (!cursor_0x(cursor, &number, NULL))
        return cursor_fail(cursor, "0xNUMBER");
    record_add(record, CHANGE_TRAP)->address = CAUSE_INTERRUPT_BIT | number;
    return true;
}

static bool parse_named(struct cursor *cursor, struct record *record)
{
    const char *end = memchr(cursor->at, '=', (size_t)(cursor->end - cursor->at));
    char name[sizeof record->changes->name];
    struct change *change;

    if (!end || end == cursor->at || !cursor_copy(cursor, end, name, sizeof name) ||
        strchr(name, ' '))
        return cursor_fail(
            cursor, "an effect: NAME=0xVALUE, load…, store…, read…, write…, trap… or interrupt…");
    cursor_skip(cursor, "=");
    change = record_add_named(record, name);
    return cursor_value(cursor, change) || cursor_fail(cursor, "0xVALUE");
}

/* Skips the word of an access to memory, unless it is the beginning of a name: `loader.used=0x1`.
 */
static bool skip_access(struct cursor *cursor, const char *word)
{
    struct cursor after = *cursor;

    if (!cursor_skip(&after, word) ||
        (after.at < after.end && (isalpha((unsigned char)*after.at) || strchr("_.", *after.at))))
        return false;
    cursor->at = after.at;
    return true;
}

static bool parse_effect(struct cursor *cursor, struct record *record)
{
    if (skip_access(cursor, "load"))
        return parse_access(cursor, record, CHANGE_LOAD);
    if (skip_access(cursor, "store"))
        return parse_access(cursor, record, CHANGE_STORE);
    if (cursor_skip(cursor, "read["))
        return parse_range(cursor, record, CHANGE_RANGE_READ);
    if (cursor_skip(cursor, "write["))
        return parse_range(cursor, record, CHANGE_RANGE_WRITE);
    if (cursor_skip(cursor, "trap="))
        return parse_trap(cursor, record);
    if (cursor_skip(cursor, "interrupt="))
        return parse_interrupt(cursor, record);
    return parse_named(cursor, record);
}

void text_parse_thread(struct cursor *cursor, struct record *record)
{
    struct cursor from = *cursor;
    const char *end;

    cursor_blanks(&from);
    for (end = from.at; end < from.end && *end >= '0' && *end <= '9';)
        end++;
    if (end < from.end && *end == ' ') {
        record->has_turn = cursor_decimal(&from, &record->turn);
        cursor_blanks(&from);
    }
    for (end = from.at; end < from.end && *end != ' ';)
        end++;
    if (end == from.at || *from.at < 'a' || *from.at > 'z' ||
        !cursor_copy(&from, end, record->thread, sizeof record->thread))
        return;
    cursor_blanks(&from);
    cursor->at = from.at;
}

bool text_parse(struct cursor *cursor, struct record *record)
{
    const char *bar;

    cursor_blanks(cursor);
    if (!cursor_decimal(cursor, &record->sequence) || !cursor_skip(cursor, " "))
        return cursor_fail(cursor, "a sequence number");
    text_parse_thread(cursor, record);
    if (!cursor_0x(cursor, &record->pc, NULL) || !cursor_skip(cursor, " "))
        return cursor_fail(cursor, "a pc: 0x and 16 digits");
    cursor_blanks(cursor);
    if (!parse_symbol(cursor, record))
        return false;
    cursor_blanks(cursor);
    if (!parse_encoding(cursor, record))
        return false;
    if (!cursor_skip(cursor, " "))
        return cursor_fail(cursor, "the disassembly");
    bar = memmem(cursor->at, (size_t)(cursor->end - cursor->at), " | ", 3);
    cursor->at = bar ? bar + 2 : cursor->end;
    while (cursor_skip(cursor, " "))
        if (!parse_effect(cursor, record))
            return false;
    return cursor->at == cursor->end || cursor_fail(cursor, "a space between effects");
}

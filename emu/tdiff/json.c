/* Reads the json trace, which emu/trace/json.c writes. Keys may come in any order. Unknown keys are
 * skipped: another producer (an RTL test bench) may add its own. */
#include "emu/tdiff/tdiff.h"
#include "lib/digits.h"

#include <stdio.h>
#include <string.h>

enum { KEY_SIZE = 32, DEPTH_LIMIT = 32 };

static void blanks(struct cursor *cursor)
{
    while (cursor->at < cursor->end &&
           (*cursor->at == ' ' || *cursor->at == '\t' || *cursor->at == '\r'))
        cursor->at++;
}

static bool token(struct cursor *cursor, const char *literal)
{
    blanks(cursor);
    return cursor_skip(cursor, literal);
}

/* Reads the four digits after \u. The character is kept if it fits into a byte; otherwise it
 * becomes '?'. */
static bool unicode_escape(struct cursor *cursor, char *c)
{
    struct cursor digits = {.at = cursor->at, .end = cursor->at + 4};
    uint64_t code;
    unsigned count;

    if (cursor->end - cursor->at < 4 || !cursor_hex(&digits, &code, &count) || count != 4)
        return cursor_fail(cursor, "four hexadecimal digits after \\u");
    cursor->at += 4;
    *c = code > 0 && code < 0x100 ? (char)code : '?';
    return true;
}

static bool escape(struct cursor *cursor, char *c)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *which;

    if (cursor_skip(cursor, "u"))
        return unicode_escape(cursor, c);
    which = cursor->at < cursor->end && *cursor->at ? strchr(from, *cursor->at) : NULL;
    if (!which)
        return cursor_fail(cursor, "a JSON escape after \\");
    *c = to[which - from];
    cursor->at++;
    return true;
}

/* Reads a string and cuts it off when it does not fit into the buffer. */
static bool string(struct cursor *cursor, char *buffer, size_t size)
{
    size_t length = 0;

    if (!token(cursor, "\""))
        return cursor_fail(cursor, "a string");
    for (;;) {
        char c;
        if (cursor->at == cursor->end || (unsigned char)*cursor->at < 0x20)
            return cursor_fail(cursor, "'\"' at the end of the string");
        c = *cursor->at++;
        if (c == '"')
            break;
        if (c == '\\' && !escape(cursor, &c))
            return false;
        if (length + 1 < size)
            buffer[length++] = c;
    }
    buffer[length] = 0;
    return true;
}

/* Reads a number: "0x…" in a string, or decimal. */
static bool number(struct cursor *cursor, uint64_t *value, unsigned *digits)
{
    blanks(cursor);
    if (cursor_skip(cursor, "\""))
        return (cursor_0x(cursor, value, digits) && cursor_skip(cursor, "\"")) ||
               cursor_fail(cursor, "\"0x…\"");
    return cursor_decimal(cursor, value) || cursor_fail(cursor, "a number");
}

static bool skip_value(struct cursor *cursor, unsigned depth);

/* Skips the rest of an object or array, after its opening bracket. */
static bool skip_members(struct cursor *cursor, bool object, unsigned depth)
{
    const char *close = object ? "}" : "]";
    char key[KEY_SIZE];

    if (depth == DEPTH_LIMIT)
        return cursor_fail(cursor, "brackets nested less deeply");
    if (token(cursor, close))
        return true;
    do {
        if (object && (!string(cursor, key, sizeof key) || !token(cursor, ":")))
            return cursor_fail(cursor, "\"key\":");
        if (!skip_value(cursor, depth + 1))
            return false;
    } while (token(cursor, ","));
    return token(cursor, close) || cursor_fail(cursor, "',' or a closing bracket");
}

static bool skip_value(struct cursor *cursor, unsigned depth)
{
    char text[KEY_SIZE];
    const char *start;

    blanks(cursor);
    if (cursor->at < cursor->end && *cursor->at == '"')
        return string(cursor, text, sizeof text);
    if (cursor_skip(cursor, "{"))
        return skip_members(cursor, true, depth);
    if (cursor_skip(cursor, "["))
        return skip_members(cursor, false, depth);
    start = cursor->at;
    while (cursor->at < cursor->end &&
           strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *cursor->at) && *cursor->at)
        cursor->at++;
    return cursor->at > start || cursor_fail(cursor, "a value");
}

/* ---- objects of the trace: `member` is called for each key, with the cursor at its value ---- */

/* Is the key the name? Most keys differ in the first letter. */
static bool is(const char *key, const char *name)
{
    return *key == *name && strcmp(key, name) == 0;
}

typedef bool member_function(struct cursor *cursor, const char *key, void *context);

static bool object(struct cursor *cursor, member_function *member, void *context)
{
    char key[KEY_SIZE];

    if (!token(cursor, "{"))
        return cursor_fail(cursor, "'{'");
    if (token(cursor, "}"))
        return true;
    do {
        if (!string(cursor, key, sizeof key))
            return false;
        if (!token(cursor, ":"))
            return cursor_fail(cursor, "':' after the key");
        if (!member(cursor, key, context))
            return false;
    } while (token(cursor, ","));
    return token(cursor, "}") || cursor_fail(cursor, "',' or '}'");
}

struct header_context {
    struct trace_header *header;
    uint64_t *version;
};

static bool header_member(struct cursor *cursor, const char *key, void *context)
{
    struct header_context *into = context;
    struct trace_header *header = into->header;

    if (is(key, "version"))
        return number(cursor, into->version, NULL);
    if (is(key, "program"))
        return string(cursor, header->program, sizeof header->program);
    if (is(key, "isa"))
        return string(cursor, header->isa, sizeof header->isa);
    if (is(key, "entry"))
        return number(cursor, &header->entry, NULL);
    if (is(key, "machine"))
        return string(cursor, header->machine, sizeof header->machine);
    return skip_value(cursor, 0);
}

bool json_parse_header(struct cursor *cursor, struct trace_header *header, uint64_t *version)
{
    struct header_context into = {header, version};

    return object(cursor, header_member, &into);
}

struct effect_context {
    struct change change;
    bool kind_known;
};

static bool address_of(struct cursor *cursor, struct effect_context *effect, enum change_kind kind)
{
    effect->change.kind = kind;
    effect->kind_known = true;
    return number(cursor, &effect->change.address, NULL);
}

static bool name_of(struct cursor *cursor, struct effect_context *effect, enum change_kind kind)
{
    effect->change.kind = kind;
    effect->kind_known = true;
    return string(cursor, effect->change.name, sizeof effect->change.name);
}

/* Reads an end of a link and appends it to the name, as the text trace writes it. */
static bool end_of(struct cursor *cursor, struct effect_context *effect, const char *sign)
{
    size_t length = strlen(effect->change.name);
    char place[KEY_SIZE];

    if (!string(cursor, place, sizeof place))
        return false;
    snprintf(effect->change.name + length, sizeof effect->change.name - length, "%s%s", sign,
             place);
    return true;
}

/* Reads a value, which a register of more than 64 bits may have. */
static bool value_of(struct cursor *cursor, struct effect_context *effect)
{
    blanks(cursor);
    if (!cursor_skip(cursor, "\""))
        return number(cursor, &effect->change.value, NULL);
    return (cursor_digits(cursor, &effect->change) && cursor_skip(cursor, "\"")) ||
           cursor_fail(cursor, "\"0x…\"");
}

static bool effect_member(struct cursor *cursor, const char *key, void *context)
{
    struct effect_context *effect = context;
    unsigned digits;

    if (is(key, "register"))
        return name_of(cursor, effect, CHANGE_REGISTER);
    if (is(key, "csr"))
        return name_of(cursor, effect, CHANGE_CSR);
    if (is(key, "state"))
        return name_of(cursor, effect, CHANGE_STATE);
    if (is(key, "hop"))
        return name_of(cursor, effect, CHANGE_STATE);
    if (is(key, "from"))
        return end_of(cursor, effect, ":");
    if (is(key, "to"))
        return end_of(cursor, effect, ">");
    if (is(key, "load"))
        return address_of(cursor, effect, CHANGE_LOAD);
    if (is(key, "store"))
        return address_of(cursor, effect, CHANGE_STORE);
    if (is(key, "read"))
        return address_of(cursor, effect, CHANGE_RANGE_READ);
    if (is(key, "write"))
        return address_of(cursor, effect, CHANGE_RANGE_WRITE);
    if (is(key, "size") || is(key, "length"))
        return number(cursor, &effect->change.length, NULL);
    if (is(key, "value"))
        return value_of(cursor, effect);
    if (is(key, "digest"))
        return (token(cursor, "\"") && cursor_hex(cursor, &effect->change.value, &digits) &&
                cursor_skip(cursor, "\"")) ||
               cursor_fail(cursor, "a digest");
    return skip_value(cursor, 0);
}

/* Adds the change. Its name says what it is, as in a text trace. */
static bool add_change(struct cursor *cursor, struct record *record, const struct change *from)
{
    bool is_named =
        from->kind == CHANGE_REGISTER || from->kind == CHANGE_CSR || from->kind == CHANGE_STATE;
    struct change *change =
        is_named ? record_add_named(record, from->name) : record_add(record, from->kind);

    if (is_named) {
        change->value = from->value;
        change->digits = from->digits;
        change->digit_count = from->digit_count;
    } else {
        *change = *from;
    }
    if (change_fits(change))
        return true;
    cursor->at = change->digits;
    return cursor_fail(cursor, "a value of at most 16 digits, or of the width of the register");
}

static bool effects(struct cursor *cursor, struct record *record)
{
    if (!token(cursor, "["))
        return cursor_fail(cursor, "'['");
    if (token(cursor, "]"))
        return true;
    do {
        struct effect_context effect = {0};
        if (!object(cursor, effect_member, &effect))
            return false;
        if (!effect.kind_known)
            return cursor_fail(cursor, "a key that names the effect: register, csr, load …");
        if (!add_change(cursor, record, &effect.change))
            return false;
    } while (token(cursor, ","));
    return token(cursor, "]") || cursor_fail(cursor, "',' or ']'");
}

static bool trap_member(struct cursor *cursor, const char *key, void *context)
{
    struct change *change = context;

    if (is(key, "cause"))
        return number(cursor, &change->address, NULL);
    if (is(key, "value"))
        return number(cursor, &change->value, NULL);
    return skip_value(cursor, 0);
}

static bool interrupt(struct cursor *cursor, struct record *record)
{
    uint64_t cause;

    if (!number(cursor, &cause, NULL))
        return false;
    record_add(record, CHANGE_TRAP)->address = CAUSE_INTERRUPT_BIT | cause;
    return true;
}

struct record_context {
    struct record *record;
    uint64_t offset;
    bool pc_known;
};

static bool encoding(struct cursor *cursor, struct record *record)
{
    unsigned digits = 0;

    if (!number(cursor, &record->word, &digits) || digits == 0 || digits % 2)
        return cursor_fail(cursor, "an encoding: \"0x and 4, 8, 12 or 16 digits\"");
    record->length = digits / 2;
    return true;
}

static bool record_member(struct cursor *cursor, const char *key, void *context)
{
    struct record_context *into = context;
    struct record *record = into->record;

    if (is(key, "pc")) {
        into->pc_known = true;
        return number(cursor, &record->pc, NULL);
    }
    if (is(key, "sequence"))
        return number(cursor, &record->sequence, NULL);
    if (is(key, "thread"))
        return string(cursor, record->thread, sizeof record->thread);
    if (is(key, "turn")) {
        record->has_turn = true;
        return number(cursor, &record->turn, NULL);
    }
    if (is(key, "encoding"))
        return encoding(cursor, record);
    if (is(key, "symbol"))
        return string(cursor, record->symbol, sizeof record->symbol);
    if (is(key, "offset"))
        return number(cursor, &into->offset, NULL);
    if (is(key, "effects"))
        return effects(cursor, record);
    if (is(key, "trap"))
        return object(cursor, trap_member, record_add(record, CHANGE_TRAP));
    if (is(key, "interrupt"))
        return interrupt(cursor, record);
    return skip_value(cursor, 0);
}

/* Appends an offset to the symbol and cuts it off when it does not fit. */
static void add_offset(struct record *record, uint64_t offset)
{
    char digits[1 + HEX_ROOM] = "+";
    const char *end = put_hex(digits + 1, offset, 1);
    size_t length = strlen(record->symbol), room = sizeof record->symbol - 1 - length;
    size_t more = (size_t)(end - digits) < room ? (size_t)(end - digits) : room;

    memcpy(record->symbol + length, digits, more);
    record->symbol[length + more] = 0;
}

bool json_parse(struct cursor *cursor, struct record *record)
{
    struct record_context into = {.record = record};

    if (!object(cursor, record_member, &into))
        return false;
    blanks(cursor);
    if (cursor->at != cursor->end)
        return cursor_fail(cursor, "the end of the line after the object");
    if (!into.pc_known)
        return cursor_fail(cursor, "the key \"pc\" in the object");
    if (record->symbol[0] && into.offset)
        add_offset(record, into.offset);
    return true;
}

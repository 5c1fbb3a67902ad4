/* See record.h. */
#include "emu/tdiff/record.h"
#include "lib/isa.h"
#include "lib/text.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- memory ---- */

_Noreturn void end_without_memory(void)
{
    fputs("tdiff: error: the host has no memory left\n", stderr);
    exit(2);
}

void *new_array(size_t count, size_t size)
{
    void *array = calloc(count + 1, size);

    if (!array)
        end_without_memory();
    return array;
}

/* ---- cursor ---- */

void cursor_blanks(struct cursor *cursor)
{
    while (cursor->at < cursor->end && *cursor->at == ' ')
        cursor->at++;
}

bool cursor_decimal(struct cursor *cursor, uint64_t *value)
{
    const char *at = cursor->at;
    uint64_t number = 0;

    for (; at < cursor->end && *at >= '0' && *at <= '9'; at++) {
        unsigned digit = (unsigned)(*at - '0');
        if (number > (UINT64_MAX - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    if (at == cursor->at)
        return false;
    cursor->at = at;
    *value = number;
    return true;
}

bool cursor_hex(struct cursor *cursor, uint64_t *value, unsigned *digits)
{
    const char *at = cursor->at;
    uint64_t number = 0;

    for (int digit; at < cursor->end && (digit = text_hex_digit(*at)) >= 0; at++) {
        if (at - cursor->at >= 16)
            return false;
        number = number << 4 | (unsigned)digit;
    }
    if (at == cursor->at)
        return false;
    if (digits)
        *digits = (unsigned)(at - cursor->at);
    cursor->at = at;
    *value = number;
    return true;
}

bool cursor_0x(struct cursor *cursor, uint64_t *value, unsigned *digits)
{
    struct cursor digits_at = *cursor;

    if (!cursor_skip(&digits_at, "0x") || !cursor_hex(&digits_at, value, digits))
        return false;
    cursor->at = digits_at.at;
    return true;
}

bool cursor_digits(struct cursor *cursor, struct change *change)
{
    struct cursor digits = *cursor;

    if (!cursor_skip(&digits, "0x"))
        return false;
    const char *first = digits.at;
    for (; digits.at < digits.end && text_hex_digit(*digits.at) >= 0; digits.at++)
        change->value = change->value << 4 | (unsigned)text_hex_digit(*digits.at);
    if (digits.at == first)
        return false;
    while (digits.at - first > 16 && *first == '0')
        first++;
    if (digits.at - first > 16) {
        change->digits = first;
        change->digit_count = (size_t)(digits.at - first);
    }
    cursor->at = digits.at;
    return true;
}

bool change_fits(const struct change *change)
{
    unsigned width = change->kind == CHANGE_REGISTER ? isa_register_files[change->file].width : 64;

    return !change->digits || 4 * change->digit_count <= width;
}

bool cursor_value(struct cursor *cursor, struct change *change)
{
    struct cursor after = *cursor;

    if (!cursor_digits(&after, change) || !change_fits(change))
        return false;
    cursor->at = after.at;
    return true;
}

bool cursor_fail(struct cursor *cursor, const char *expected)
{
    if (!cursor->expected)
        cursor->expected = expected;
    return false;
}

bool cursor_copy(struct cursor *cursor, const char *end, char *target, size_t size)
{
    size_t length = (size_t)(end - cursor->at);
    bool fits = length < size;

    if (!fits)
        length = size - 1;
    memcpy(target, cursor->at, length);
    target[length] = 0;
    cursor->at = end;
    return fits;
}

/* ---- records ---- */

struct change *record_add(struct record *record, enum change_kind kind)
{
    struct change *change;

    if (record->count == record->most) {
        record->is_full = true;
        record->count--;
    }
    if (record->count == record->capacity) {
        size_t capacity = record->capacity ? 2 * record->capacity : 16;
        struct change *changes = reallocarray(record->changes, capacity, sizeof *changes);
        if (!changes)
            end_without_memory();
        record->changes = changes;
        record->capacity = capacity;
    }
    change = &record->changes[record->count++];
    *change = (struct change){.kind = kind};
    return change;
}

/* Is it the name of a CSR, or of the privilege mode, which counts as one? What has another name is
 * state of a unit, which has a point or an index in most names. */
static bool is_csr(const char *name)
{
    if (strpbrk(name, ".["))
        return false;
    return isa_find_csr(name) || strncmp(name, "csr0x", 5) == 0 || strcmp(name, "priv") == 0;
}

struct change *record_add_named(struct record *record, const char *name)
{
    const struct isa_register_name *found = isa_find_register(name);
    struct change *change;

    if (found) {
        change = record_add(record, CHANGE_REGISTER);
        change->file = (uint8_t)(found->file - isa_register_files);
        name = found->file->names[found->number];
    } else {
        change = record_add(record, is_csr(name) ? CHANGE_CSR : CHANGE_STATE);
    }
    size_t length = strnlen(name, sizeof change->name - 1);
    memcpy(change->name, name, length);
    change->name[length] = 0;
    return change;
}

/* Compares records. Changes are compared by what they change and not by their order, because an RTL
 * simulation may report loads before registers. */
#include "emu/tdiff/tdiff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool change_is_named(enum change_kind kind)
{
    return kind == CHANGE_REGISTER || kind == CHANGE_CSR || kind == CHANGE_STATE;
}

static int order_of(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Orders changes by what they change. Returns 0 when they change the same thing. The length of a
 * range is part of its value. */
static int change_order(const struct change *a, const struct change *b)
{
    if (a->kind != b->kind)
        return order_of(a->kind, b->kind);
    if (a->file != b->file)
        return order_of(a->file, b->file);
    if (change_is_named(a->kind))
        return strcmp(a->name, b->name);
    if (a->kind == CHANGE_TRAP)
        return 0;
    if (a->address != b->address || a->kind == CHANGE_RANGE_READ || a->kind == CHANGE_RANGE_WRITE)
        return order_of(a->address, b->address);
    return order_of(a->length, b->length);
}

bool change_same_place(const struct change *a, const struct change *b)
{
    return change_order(a, b) == 0;
}

/* Have both values, of which the low 64 bits are the same, the same other bits? */
static bool same_digits(const struct change *a, const struct change *b)
{
    if (!a->digits || !b->digits)
        return a->digits == b->digits;
    return a->digit_count == b->digit_count &&
           strncasecmp(a->digits, b->digits, a->digit_count) == 0;
}

bool change_same_value(const struct change *a, const struct change *b)
{
    return a->value == b->value && a->length == b->length && a->address == b->address &&
           same_digits(a, b);
}

bool change_is_ignored(const struct tdiff *tdiff, const struct change *change)
{
    const struct strings *names = &tdiff->ignored_names;

    return tdiff->ignored_kinds >> change->kind & 1 ||
           (change->kind == CHANGE_REGISTER && tdiff->ignored_files >> change->file & 1) ||
           (change_is_named(change->kind) && strings_find(names, change->name) < names->count);
}

static int by_place(const void *left, const void *right)
{
    const struct change *a = *(const struct change *const *)left;
    const struct change *b = *(const struct change *const *)right;
    int order = change_order(a, b);

    return order ? order : order_of((uintptr_t)a, (uintptr_t)b); /* in the order of the record */
}

static const struct change **sorted(const struct record *record)
{
    const struct change **changes = new_array(record->count, sizeof *changes);

    for (size_t i = 0; i < record->count; i++)
        changes[i] = &record->changes[i];
    qsort(changes, record->count, sizeof *changes, by_place);
    return changes;
}

const struct change **changes_counterparts(const struct record *record, const struct record *other)
{
    const struct change **counterparts = new_array(record->count, sizeof *counterparts);
    const struct change **ours = sorted(record), **theirs = sorted(other);

    for (size_t i = 0, j = 0; i < record->count && j < other->count;) {
        int order = change_order(ours[i], theirs[j]);
        if (order == 0)
            counterparts[ours[i] - record->changes] = theirs[j];
        i += order <= 0;
        j += order >= 0;
    }
    free(ours);
    free(theirs);
    return counterparts;
}

/* Are the changes the same in the same order? This is the usual case. */
static bool changes_equal(const struct record *a, const struct record *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!change_same_place(&a->changes[i], &b->changes[i]) ||
            !change_same_value(&a->changes[i], &b->changes[i]))
            return false;
    return true;
}

static bool changes_matched(const struct tdiff *tdiff, const struct record *record,
                            const struct record *other)
{
    const struct change **counterparts = changes_counterparts(record, other);
    bool all = true;

    for (size_t i = 0; all && i < record->count; i++)
        all = change_is_ignored(tdiff, &record->changes[i]) ||
              (counterparts[i] && change_same_value(&record->changes[i], counterparts[i]));
    free(counterparts);
    return all;
}

bool encodings_equal(const struct tdiff *tdiff, const struct record *a, const struct record *b)
{
    return tdiff->ignore_encoding || (a->length == b->length && a->word == b->word);
}

/* Are turn and thread the same? With --by-thread, the interleaving does not matter. */
static bool turns_equal(const struct tdiff *tdiff, const struct record *a, const struct record *b)
{
    return tdiff->is_by_thread ||
           (strcmp(a->thread, b->thread) == 0 && a->has_turn == b->has_turn &&
            (!a->has_turn || a->turn == b->turn));
}

bool records_equal(const struct tdiff *tdiff, const struct record *a, const struct record *b)
{
    return turns_equal(tdiff, a, b) && a->pc == b->pc && a->hart == b->hart &&
           a->privilege == b->privilege && encodings_equal(tdiff, a, b) &&
           (changes_equal(a, b) || (changes_matched(tdiff, a, b) && changes_matched(tdiff, b, a)));
}

/* See ttrace_index.h. */
#include "lib/trace/ttrace_index.h"
#include "lib/trace/thread_name.h"
#include "lib/trace/ttrace_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *new_array(size_t count, size_t size)
{
    void *array = calloc(count, size);

    if (!array) {
        fputs("error: out of memory while the trace was written\n", stderr);
        exit(1);
    }
    return array;
}

void index_init(struct index *index)
{
    index->read.items = new_array(2 * TTRACE_GRANULES, sizeof(uint64_t));
    index->written.items = new_array(2 * TTRACE_GRANULES, sizeof(uint64_t));
    map_init(&index->states, &index->arena);
    map_init(&index->threads, &index->arena);
}

void index_free(struct index *index)
{
    free(index->read.items);
    free(index->written.items);
    arena_free(&index->arena);
}

/* ---- what is noted ---- */

static void granule_add(struct granules *granules, uint64_t granule)
{
    uint64_t at = granule * UINT64_C(0x9e3779b97f4a7c15) >> 50;

    if (granules->is_full)
        return;
    while (granules->items[at % (2 * TTRACE_GRANULES)]) {
        if (granules->items[at % (2 * TTRACE_GRANULES)] == granule + 1)
            return;
        at++;
    }
    granules->items[at % (2 * TTRACE_GRANULES)] = granule + 1;
    granules->is_full = ++granules->count == TTRACE_GRANULES;
}

static void granules_add(struct granules *granules, uint64_t address, uint64_t length)
{
    uint64_t first = address >> TTRACE_GRANULE_BITS;
    uint64_t last = (address + length - 1) >> TTRACE_GRANULE_BITS;

    if (length == 0)
        return;
    if (last - first >= TTRACE_GRANULES) {
        granules->is_full = true;
        return;
    }
    for (uint64_t i = first; i <= last; i++)
        granule_add(granules, i);
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t left, right;

    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return (left > right) - (left < right);
}

/* Appends the granules as runs: how many runs plus 1, then for each the distance to the run before
 * and the number of granules. 0 instead of the number of runs: there are too many granules. */
static void put_granules(struct text *text, struct granules *granules)
{
    uint64_t sorted[TTRACE_GRANULES], runs = 0, end = 0;
    unsigned count = 0;
    struct text list = TEXT_INIT;

    for (unsigned i = 0; i < 2 * TTRACE_GRANULES; i++)
        if (granules->items[i] && count < TTRACE_GRANULES)
            sorted[count++] = granules->items[i] - 1;
    qsort(sorted, count, sizeof *sorted, compare_numbers);
    for (unsigned i = 0; i < count && !granules->is_full;) {
        unsigned length = 1;
        while (i + length < count && sorted[i + length] == sorted[i] + length)
            length++;
        ttrace_put_number(&list, sorted[i] - end);
        ttrace_put_number(&list, length);
        end = sorted[i] + length;
        i += length;
        runs++;
    }
    ttrace_put_number(text, granules->is_full ? 0 : runs + 1);
    text_append_bytes(text, list.bytes, list.length);
    text_free(&list);
    memset(granules->items, 0, 2 * TTRACE_GRANULES * sizeof *granules->items);
    granules->count = 0;
    granules->is_full = false;
}

static void note_state(struct index *index, const struct effect *effect, uint64_t when)
{
    struct text name = TEXT_INIT;

    effect_append_state(&name, effect);
    struct map_entry *entry = map_entry(&index->states, name.bytes, name.length);
    struct known *known = entry->value;
    if (!known)
        entry->value = known = arena_new(&index->arena, struct known);
    known->words[0] = effect->value;
    known->when = when;
    text_free(&name);
}

void index_note_access(struct index *index, bool is_store, uint64_t address, unsigned size)
{
    granules_add(is_store ? &index->written : &index->read, address, size);
}

void index_note_csr(struct index *index, unsigned number, uint64_t value, uint64_t when)
{
    index->csrs[number % INDEX_CSRS] = value;
    index->csr_when[number % INDEX_CSRS] = when;
}

void index_note(struct index *index, const struct recorder *recorder, const struct effect *effect,
                uint64_t when)
{
    unsigned count;

    switch (effect->kind) {
    case EFFECT_REGISTER: {
        struct known *known = &index->registers[effect->file][effect->number];
        const uint64_t *words = recorder_words(recorder, effect, &count);
        memcpy(known->words, words, count * sizeof *words);
        known->when = when;
        break;
    }
    case EFFECT_CSR:
        index_note_csr(index, effect->number, effect->value, when);
        break;
    case EFFECT_PRIVILEGE:
    case EFFECT_HOP:
        break;
    case EFFECT_LOAD:
    case EFFECT_STORE:
        index_note_access(index, effect->kind == EFFECT_STORE, effect->address, effect->size);
        break;
    case EFFECT_RANGE_READ:
        granules_add(&index->read, effect->address, effect->length);
        break;
    case EFFECT_RANGE_WRITE:
        granules_add(&index->written, effect->address, effect->length);
        break;
    case EFFECT_STATE:
        note_state(index, effect, when);
        break;
    }
}

void index_note_register(struct index *index, unsigned file, unsigned number, uint64_t value,
                         uint64_t when)
{
    struct known *known = &index->registers[file][number];

    if (known->when > when)
        return;
    known->words[0] = value;
    known->when = when;
}

/* ---- threads ---- */

/* Returns where a register is among the values of a thread. */
static uint64_t *thread_register(const struct index_thread *thread, unsigned file, unsigned number)
{
    uint64_t *values = thread->values;

    for (unsigned i = 0; i < file; i++)
        values += isa_register_files[i].count * (isa_register_files[i].words + 1u);
    return values + number * (isa_register_files[file].words + 1u);
}

static struct index_thread *find_thread(struct index *index, uint32_t number)
{
    size_t words = 0;

    struct index_thread **recent = &index->recent[number % INDEX_RECENT];
    if (*recent && (*recent)->thread == number)
        return *recent;
    struct map_entry *entry = map_entry(&index->threads, (const char *)&number, sizeof number);
    if (!entry->value) {
        for (unsigned i = 0; i < isa_register_file_count; i++)
            words += isa_register_files[i].count * (isa_register_files[i].words + 1u);
        struct index_thread *thread = arena_new(&index->arena, struct index_thread);
        thread->thread = number;
        thread->values = arena_array(&index->arena, words, sizeof *thread->values);
        entry->value = thread;
    }
    return *recent = entry->value;
}

static void set_register(const struct index_thread *thread, unsigned file, unsigned number,
                         const uint64_t *words, unsigned count, uint64_t when)
{
    uint64_t *value = thread_register(thread, file, number);

    value[0] = when;
    memcpy(value + 1, words, count * sizeof *words);
}

void index_begin_threads(struct index *index)
{
    struct index_thread *first = find_thread(index, 1);

    first->is_active = true;
    for (unsigned file = 0; file < isa_register_file_count; file++) {
        for (unsigned number = 0; number < isa_register_files[file].count; number++) {
            const struct known *known = &index->registers[file][number];
            if (known->when)
                set_register(first, file, number, known->words, isa_register_files[file].words,
                             known->when);
        }
    }
}

/* Gives a thread what an effect of its start says. The first one stands for all registers: they are
 * 0, or in a thread that a call made those of the caller. */
static void start_thread(struct index *index, uint32_t number, const struct ttrace_record *record,
                         const struct effect *effect, uint64_t when)
{
    uint64_t first[ISA_WORDS_LIMIT] = {0};
    struct index_thread *thread = find_thread(index, number);
    const struct index_thread *caller =
        record->flags & TTRACE_TRAP ? find_thread(index, record->thread) : NULL;
    const struct isa_register_name *name = isa_find_register(effect->name);

    if (name)
        set_register(thread, (unsigned)(name->file - isa_register_files), name->number,
                     &effect->value, 1, when);
    if (!thread_begins(effect))
        return;
    thread->is_active = true;
    index_note_csr(index, ISA_CSR_FCSR, 0, when);
    for (unsigned file = 0; file < isa_register_file_count; file++) {
        const struct isa_register_file *kind = &isa_register_files[file];
        first[0] = thread_first_word(kind);
        for (unsigned i = kind->zero; i < kind->count; i++) {
            const uint64_t *before = caller ? thread_register(caller, file, i) : NULL;
            if (!before || before[0])
                set_register(thread, file, i, before ? before + 1 : first, kind->words, when);
        }
    }
}

void index_note_thread(struct index *index, const struct ttrace_record *record, uint64_t when)
{
    const struct recorder *recorder = record->recorder;
    struct index_thread *thread = find_thread(index, record->thread);
    unsigned count;

    thread->is_active = true;
    for (size_t i = 0; recorder && i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        uint32_t started = thread_started(effect);
        if (started)
            start_thread(index, started, record, effect, when);
        if (effect->kind != EFFECT_REGISTER)
            continue;
        const uint64_t *words = recorder_words(recorder, effect, &count);
        set_register(thread, effect->file, effect->number, words, count, when);
    }
}

/* ---- the block ---- */

static void put_registers(const struct index *index, struct text *text)
{
    struct text list = TEXT_INIT;
    uint64_t count = 0;

    for (unsigned file = 0; file < ISA_FILE_COUNT; file++) {
        for (unsigned number = 0; number < isa_register_files[file].count; number++) {
            const struct known *known = &index->registers[file][number];
            if (!known->when)
                continue;
            ttrace_put_number(&list, file);
            ttrace_put_number(&list, number);
            ttrace_put_number(&list, known->when - 1);
            for (unsigned i = 0; i < isa_register_files[file].words; i++)
                ttrace_put_number(&list, known->words[i]);
            count++;
        }
    }
    ttrace_put_number(text, count);
    text_append_bytes(text, list.bytes, list.length);
    text_free(&list);
}

static void put_csrs(const struct index *index, struct text *text)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < INDEX_CSRS; i++)
        count += index->csr_when[i] != 0;
    ttrace_put_number(text, count);
    for (unsigned i = 0; i < INDEX_CSRS; i++) {
        if (!index->csr_when[i])
            continue;
        ttrace_put_number(text, i);
        ttrace_put_number(text, index->csr_when[i] - 1);
        ttrace_put_number(text, index->csrs[i]);
    }
}

static void put_states(const struct index *index, struct text *text)
{
    ttrace_put_number(text, index->states.count);
    for (size_t i = 0; i < index->states.count; i++) {
        const struct map_entry *entry = &index->states.entries[i];
        const struct known *known = entry->value;
        ttrace_put_number(text, entry->key_length);
        text_append_bytes(text, entry->key, entry->key_length);
        ttrace_put_number(text, known->when - 1);
        ttrace_put_number(text, known->words[0]);
    }
}

static void put_thread_registers(const struct index_thread *thread, struct text *text)
{
    struct text list = TEXT_INIT;
    uint64_t count = 0;

    for (unsigned file = 0; file < isa_register_file_count; file++) {
        for (unsigned number = 0; number < isa_register_files[file].count; number++) {
            const uint64_t *value = thread_register(thread, file, number);
            if (!value[0])
                continue;
            ttrace_put_number(&list, file);
            ttrace_put_number(&list, number);
            ttrace_put_number(&list, value[0] - 1);
            for (unsigned i = 0; i < isa_register_files[file].words; i++)
                ttrace_put_number(&list, value[1 + i]);
            count++;
        }
    }
    ttrace_put_number(text, count);
    text_append_bytes(text, list.bytes, list.length);
    text_free(&list);
}

/* Appends the registers of the threads that the segment has records of. */
static void put_threads(const struct index *index, struct text *text)
{
    uint64_t active = 0;

    for (size_t i = 0; i < index->threads.count; i++)
        active += ((struct index_thread *)index->threads.entries[i].value)->is_active;
    ttrace_put_number(text, active);
    for (size_t i = 0; i < index->threads.count; i++) {
        struct index_thread *thread = index->threads.entries[i].value;
        if (!thread->is_active)
            continue;
        ttrace_put_number(text, thread->thread);
        put_thread_registers(thread, text);
        thread->is_active = false;
    }
}

void index_put(struct index *index, struct text *text)
{
    put_granules(text, &index->read);
    put_granules(text, &index->written);
    put_registers(index, text);
    put_csrs(index, text);
    put_states(index, text);
    put_threads(index, text);
}

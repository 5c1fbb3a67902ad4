/* ttrace who: the last writer of a place, the last writers of what that instruction has read, and
 * so on. */
#include "emu/ttrace/inputs.h"
#include "emu/ttrace/query.h"
#include "lib/trace/value_type.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a value that an instruction wrote or read. */
struct kind {
    const struct isa_element *type; /* of its elements; NULL: unknown */
    bool is_raw;                    /* no instruction says that it is an element: a bin, say */
};

/* Appends a0, or <symbol+0x8> and the number of bytes. */
static void append_place(struct ttrace_tool *tool, struct text *text, const struct place *place)
{
    const struct elf_symbol *symbol = tool->has_program && place->kind == PLACE_MEMORY
                                          ? symbolizer_find(&tool->symbols, place->address)
                                          : NULL;
    char name[THREAD_NAME_SIZE];

    if (place->kind != PLACE_MEMORY) {
        if (place->thread)
            text_format(text, "%s.", thread_name(name, tool->trace.workers != 0, place->thread));
        if (place->kind == PLACE_REGISTER)
            text_append(text, isa_register_files[place->file].names[place->number]);
        else if (place->kind == PLACE_CSR && isa_csr_by_number(place->number))
            text_append(text, isa_csr_by_number(place->number)->name);
        else if (place->kind == PLACE_CSR)
            text_format(text, "csr0x%" PRIx32, place->number);
        else
            text_append(text, place->state);
        return;
    }
    text_format(text, "0x%" PRIx64, place->address);
    if (symbol) {
        text_append(text, " <");
        disasm_name(text, symbol->name);
        if (place->address != symbol->raw.st_value)
            text_format(text, "+0x%" PRIx64, place->address - symbol->raw.st_value);
        text_append_char(text, '>');
    }
    text_format(text, " (%" PRIu64 " byte%s)", place->length, place->length == 1 ? "" : "s");
}

/* Appends what a write of a range left in the place: elements, or bytes in the order of memory if
 * the type is unknown (NULL). */
static void append_range(struct text *text, const struct recorder *recorder,
                         const struct effect *effect, const struct place *place,
                         const struct isa_element *type)
{
    enum { SHOWN = 16 };
    uint64_t at = place->address > effect->address ? place->address - effect->address : 0;

    if (effect->bytes_length != effect->length)
        return;
    text_append(text, " =");
    uint64_t left = effect->length - at < place->length ? effect->length - at : place->length;
    bool is_whole = type && left >= type->bytes && at % type->bytes == 0;
    uint64_t step = is_whole ? type->bytes : 1;
    for (uint64_t i = 0; i + step <= left; i += step) {
        const unsigned char *bytes = &recorder->bytes[effect->bytes_at + at + i];
        if (i + step > SHOWN) {
            text_append(text, " ...");
            return;
        }
        text_append_char(text, ' ');
        if (is_whole)
            element_append(text, type, type->print, bytes);
        else
            text_format(text, "%02x", *bytes);
    }
}

/* Appends the effects of the record that wrote the place, and the values in their types. */
static void append_writes(struct text *text, const struct ttrace_record *record,
                          const struct place *place, struct kind kind)
{
    const struct recorder *recorder = record->recorder;
    uint64_t word;
    const struct isa_instruction *instruction = record_instruction(record, &word);

    for (size_t i = 0; i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        if (!effect_writes(record, effect, place))
            continue;
        text_append(text, "  ");
        append_effect(text, recorder, effect);
        if (effect->kind == EFFECT_RANGE_WRITE) {
            const struct isa_element *of_effect = type_written(instruction, recorder);
            append_range(text, recorder, effect, place, of_effect ? of_effect : kind.type);
            continue;
        }
        append_typed(text, record, effect, kind.type, kind.is_raw);
    }
}

/* Returns the type of what the record read at the place, which may be that of what it wrote: `type`
 * is that of the place that it wrote, or NULL. */
static const struct isa_element *type_of_input(const struct ttrace_record *record,
                                               const struct isa_element *type,
                                               const struct place *place)
{
    uint64_t word;
    const struct isa_instruction *instruction = record_instruction(record, &word);
    const struct isa_element *read = type_read(instruction);

    if (place->kind != PLACE_MEMORY)
        return NULL;
    for (size_t i = 0; i < record->recorder->count; i++) {
        const struct effect *effect = &record->recorder->effects[i];
        if (effect->kind == EFFECT_REGISTER)
            read = type_of_register(instruction, word, effect->file, effect->number);
        else if (effect->kind == EFFECT_RANGE_WRITE && !type_written(instruction, record->recorder))
            read = type; /* it only moves bytes */
    }
    return read;
}

/* Does the record read raw bits from the place? So it does from what it also writes as raw bits, as
 * a count adds to a bin, and from where it moves them (is_raw). */
static bool is_raw_input(const struct ttrace_record *record, const struct place *place, bool is_raw)
{
    uint64_t word;
    const struct isa_instruction *instruction = record_instruction(record, &word);

    if (place->kind == PLACE_REGISTER &&
        register_is_raw(instruction, word, place->file, place->number))
        return true;
    return is_raw && place->kind == PLACE_MEMORY;
}

/* Finds what the record read, and what is known of it. */
static void find_inputs(struct ttrace_tool *tool, struct inputs *inputs, struct kind *kinds,
                        const struct ttrace_record *record, struct kind written, uint64_t number)
{
    inputs_find(inputs, record);
    for (unsigned i = 0; i < inputs->count; i++) {
        kinds[i].is_raw = is_raw_input(record, &inputs->places[i], written.is_raw);
        if (!kinds[i].is_raw)
            kinds[i].type = type_of_input(record, written.type, &inputs->places[i]);
    }
    inputs_find_state(inputs, tool, record, number);
}

/* Prints the last writer of the place before record `end`, and its inputs to the depth. */
static bool show_writer(struct ttrace_tool *tool, const struct place *place, struct kind kind,
                        uint64_t end, unsigned level)
{
    uint64_t number = search_writer(tool, place, end);
    struct text text = TEXT_INIT;
    struct ttrace_record record;
    struct inputs inputs = {.count = 0};
    struct kind kinds[MAXIMUM_INPUTS] = {{NULL, false}};

    if (tool->decoder.failed)
        return false;
    text_append_blanks(&text, (size_t)2 * level);
    append_place(tool, &text, place);
    text_append(&text, ": ");
    if (number == NO_RECORD) {
        text_append(&text, "not written");
    } else {
        kind.is_raw = kind.is_raw || search_is_raw(tool, number, place);
        if (!search_record(tool, number, &record))
            return false;
        append_record(tool, &text, &record);
        append_writes(&text, &record, place, kind);
        if (!(record.flags & TTRACE_START))
            find_inputs(tool, &inputs, kinds, &record, kind, number);
    }
    puts(text.bytes);
    text_free(&text);
    if (level == tool->depth)
        return true;
    for (unsigned i = 0; i < inputs.count; i++)
        if (!show_writer(tool, &inputs.places[i], kinds[i], number, level + 1))
            return false;
    if (inputs.omitted)
        printf("%*s%u more inputs\n", 2 * (int)level + 2, "", inputs.omitted);
    return true;
}

bool query_who(struct ttrace_tool *tool)
{
    struct question question;

    return question_read(tool, tool->words[2], &question) &&
           show_writer(tool, &question.place, (struct kind){question.array.type, false},
                       question.end, 0);
}

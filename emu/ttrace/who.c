/* ttrace who: the last writer of a place, the last writers of what that instruction has read, and
 * so on. */
#include "emu/ttrace/inputs.h"
#include "emu/ttrace/query.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* Appends what a write of a range left in the place, as bytes in the order of memory. */
static void append_bytes(struct text *text, const struct recorder *recorder,
                         const struct effect *effect, const struct place *place)
{
    enum { SHOWN = 16 };
    uint64_t at = place->address > effect->address ? place->address - effect->address : 0;

    if (effect->bytes_length != effect->length)
        return;
    text_append(text, " =");
    for (uint64_t i = at; i < effect->length && i - at < place->length; i++) {
        if (i - at == SHOWN) {
            text_append(text, " ...");
            return;
        }
        text_format(text, " %02x", recorder->bytes[effect->bytes_at + i]);
    }
}

/* Appends the effects of the record that wrote the place. */
static void append_writes(struct text *text, const struct ttrace_record *record,
                          const struct place *place)
{
    for (size_t i = 0; i < record->recorder->count; i++) {
        const struct effect *effect = &record->recorder->effects[i];
        if (!effect_writes(effect, place))
            continue;
        text_append(text, "  ");
        append_effect(text, record->recorder, effect);
        if (effect->kind == EFFECT_RANGE_WRITE)
            append_bytes(text, record->recorder, effect, place);
    }
}

static void find_inputs(struct ttrace_tool *tool, struct inputs *inputs,
                        const struct ttrace_record *record, uint64_t number)
{
    inputs_find(inputs, record);
    inputs_find_state(inputs, tool, record, number);
}

/* Prints the last writer of the place before record `end`, and its inputs to the depth. */
static bool show_writer(struct ttrace_tool *tool, const struct place *place, uint64_t end,
                        unsigned level)
{
    uint64_t number = search_writer(tool, place, end);
    struct text text = TEXT_INIT;
    struct ttrace_record record;
    struct inputs inputs = {.count = 0};

    if (tool->decoder.failed)
        return false;
    text_append_blanks(&text, (size_t)2 * level);
    append_place(tool, &text, place);
    text_append(&text, ": ");
    if (number == NO_RECORD) {
        text_append(&text, "not written");
    } else {
        if (!search_record(tool, number, &record))
            return false;
        append_record(tool, &text, &record);
        append_writes(&text, &record, place);
        if (!(record.flags & TTRACE_START))
            find_inputs(tool, &inputs, &record, number);
    }
    puts(text.bytes);
    text_free(&text);
    if (level == tool->depth)
        return true;
    for (unsigned i = 0; i < inputs.count; i++)
        if (!show_writer(tool, &inputs.places[i], number, level + 1))
            return false;
    if (inputs.omitted)
        printf("%*s%u more inputs\n", 2 * (int)level + 2, "", inputs.omitted);
    return true;
}

bool query_who(struct ttrace_tool *tool)
{
    struct question question;

    return question_read(tool, tool->words[2], &question) &&
           show_writer(tool, &question.place, question.end, 0);
}

/* One of two lossless traces: its records in order, its program, and how its instructions are
 * written. */
#include "emu/tdiff/lossless.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Opens the program that the trace has in it. */
static bool open_program(struct tdiff *tdiff, struct side *side)
{
    struct ttrace *trace = &side->trace;
    const struct diag_file image = {
        .name = trace->file.name, .bytes = trace->program, .length = trace->program_length};

    if (trace->program_length == 0)
        return true;
    if (!elf_open(&side->elf, &tdiff->arena, &tdiff->diag, trace->file.name, trace->program,
                  trace->program_length))
        return false;
    elf_move(&side->elf, trace->moved);
    symbolizer_init(&side->symbols, &side->elf);
    side->disasm.symbols = &side->symbols;
    side->source = source_open(&image, trace->moved);
    side->has_program = true;
    return true;
}

bool side_open(struct tdiff *tdiff, struct side *side, const char *name)
{
    struct position whole = {.name = name};

    side->name = name;
    side->tdiff = tdiff;
    side->codes = new_array(CODES, sizeof *side->codes);
    if (!ttrace_open(&side->trace, &tdiff->arena, &tdiff->diag, name) || !open_program(tdiff, side))
        return false;
    if (!side->trace.is_complete)
        diag_warning(&tdiff->diag, &whole,
                     "the run was interrupted, or is still writing: found %" PRIu64 " records",
                     side->trace.record_count);
    side->number = NO_NUMBER;
    if (side->trace.segment_count)
        return ttrace_load(&side->decoder, &side->trace, &side->trace.segments[0]) &&
               side_next(side);
    return true;
}

bool side_wants(const struct side *side, const struct ttrace_record *record)
{
    uint32_t thread = record->thread ? record->thread : 1;

    return !side->thread || record->flags & TTRACE_START || thread == side->thread;
}

bool side_next(struct side *side)
{
    struct ttrace *trace = &side->trace;

    for (;;) {
        side->number = side->decoder.number;
        if (ttrace_next(&side->decoder, &side->record)) {
            if (side_wants(side, &side->record))
                return true;
            continue;
        }
        side->number = NO_NUMBER;
        if (side->decoder.failed)
            return false;
        if (++side->segment >= trace->segment_count)
            return true;
        if (!ttrace_load(&side->decoder, trace, &trace->segments[side->segment]))
            return false;
    }
}

void side_close(struct side *side)
{
    ttrace_decoder_free(&side->decoder);
    source_close(side->source);
    free(side->codes);
}

bool side_record(struct side *side, struct ttrace_decoder *decoder, uint64_t number,
                 struct ttrace_record *record)
{
    struct ttrace *trace = &side->trace;
    size_t low = 0, high = trace->segment_count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (trace->segments[middle].first_record <= number)
            low = middle;
        else
            high = middle;
    }
    if (number >= trace->record_count)
        return false;
    if (decoder->segment != &trace->segments[low] || decoder->number > number)
        if (!ttrace_load(decoder, trace, &trace->segments[low]))
            return false;
    while (decoder->number <= number)
        if (!ttrace_next(decoder, record))
            return false;
    return true;
}

struct code *side_code(struct side *side, const struct ttrace_record *record)
{
    struct code *code = &side->codes[record->pc / 2 % CODES];

    if (code->pc == record->pc && code->key == record->word && code->instruction)
        return code;
    *code = (struct code){.pc = record->pc, .key = record->word, .word = record->word};
    if (record->length && record->length <= 8)
        code->instruction = isa_decode(record->word, record->length);
    if (code->instruction)
        code->instruction = isa_expand(code->instruction, &code->word);
    return code;
}

uint64_t side_stack_pointer(const struct side *side)
{
    const struct isa_register_name *name = isa_find_register("sp");

    return name ? side->values[name->file - isa_register_files][name->number] : 0;
}

const struct elf_section *side_section(const struct side *side, uint64_t address)
{
    const struct elf_section *ends = NULL;

    for (size_t i = 1; side->has_program && i < side->elf.section_count; i++) {
        const struct elf_section *section = &side->elf.sections[i];
        uint64_t offset = address - section->header.sh_addr;
        if (!(section->header.sh_flags & SHF_ALLOC) || section->header.sh_flags & SHF_TLS)
            continue;
        if (offset < section->header.sh_size)
            return section;
        if (offset == section->header.sh_size && !ends)
            ends = section;
    }
    return ends;
}

const struct elf_symbol *side_symbol(struct side *side, uint64_t address)
{
    const struct elf_symbol *symbol =
        side_section(side, address) ? symbolizer_find(&side->symbols, address) : NULL;

    /* The linker's own symbols, such as __DATA_BEGIN__, often have the address of another one. */
    for (size_t i = 1; symbol && strncmp(symbol->name, "__", 2) == 0 && i < side->elf.symbol_count;
         i++) {
        const struct elf_symbol *other = &side->elf.symbols[i];
        if (other->section == symbol->section && other->raw.st_value == symbol->raw.st_value &&
            *other->name && *other->name != '$' && strncmp(other->name, "__", 2) != 0)
            symbol = other;
    }
    return symbol;
}

void side_append_symbol(struct side *side, struct text *text, uint64_t address)
{
    const struct elf_symbol *symbol = side_symbol(side, address);

    if (!symbol)
        return;
    text_append(text, " <");
    disasm_name(text, symbol->name);
    if (address != symbol->raw.st_value)
        text_format(text, "+0x%" PRIx64, address - symbol->raw.st_value);
    text_append_char(text, '>');
}

const char *side_function(struct side *side, uint64_t pc)
{
    const struct elf_symbol *symbol =
        side->has_program ? symbolizer_find(&side->symbols, pc) : NULL;

    return symbol ? symbol->name : "";
}

void side_append_where(struct side *side, struct text *text, const struct ttrace_record *record)
{
    struct text source = TEXT_INIT;

    text_format(text, "pc 0x%" PRIx64, record->pc);
    side_append_symbol(side, text, record->pc);
    if (source_append(side->source, &source, record->pc)) {
        text_append(text, " at ");
        text_append_visible(text, source.bytes);
    }
    text_free(&source);
    text_append(text, ": ");
    size_t start = text->length;
    if (record->flags & TTRACE_INTERRUPT)
        text_append(text, "(interrupt)");
    else if (record->length == 0)
        text_append(text, "(no instruction)");
    else
        disasm_instruction(&side->disasm, text, record->pc, record->word, record->length);
    for (char *tab = text->bytes + start; (tab = strchr(tab, '\t'));)
        *tab = ' ';
}

void side_append_place(struct side *side, struct text *text, uint64_t pc)
{
    struct text source = TEXT_INIT;
    const char *function = side_function(side, pc);

    if (*function)
        disasm_name(text, function);
    else
        text_format(text, "0x%" PRIx64, pc);
    if (source_append(side->source, &source, pc)) {
        text_append(text, ", ");
        text_append_visible(text, source.bytes);
    }
    text_free(&source);
}

/* Returns line `number` of a source, and its length. */
static const char *find_line(const struct ttrace_source *source, unsigned long number,
                             size_t *length)
{
    const char *at = source->bytes, *end = at + source->length;

    while (number-- > 1) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at)
            return NULL;
        at++;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    *length = (size_t)((newline ? newline : end) - at);
    return at;
}

bool side_append_source(struct side *side, struct text *text, uint64_t pc)
{
    struct text place = TEXT_INIT;
    const char *colon, *line = NULL;
    size_t length = 0;

    if (source_append(side->source, &place, pc) && (colon = strrchr(place.bytes, ':')))
        for (size_t i = 0; !line && i < side->trace.source_count; i++) {
            const struct ttrace_source *source = &side->trace.sources[i];
            if (strncmp(source->name, place.bytes, (size_t)(colon - place.bytes)) == 0 &&
                source->name[colon - place.bytes] == '\0')
                line = find_line(source, strtoul(colon + 1, NULL, 10), &length);
        }
    text_free(&place);
    while (line && length && text_is_blank(*line)) {
        line++;
        length--;
    }
    for (size_t i = 0; line && i < length; i++) {
        if (line[i] == '\t')
            text_append_char(text, ' ');
        else
            text_append_visible_bytes(text, line + i, 1);
    }
    return line && length;
}

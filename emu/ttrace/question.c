/* Reads what a query asks for: a place and a time. */
#include "emu/ttrace/query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 8, DEFAULT_SIZE = 1, MOVES = 4 };

static const char expected[] = "expected REGISTER, THREAD.REGISTER, SYMBOL, "
                               "SYMBOL:TYPE[DIMENSIONS] or ADDRESS, perhaps with indices [i][j], "
                               "and perhaps @N";

/* Reads a number that ends where `end` points to. */
static bool read_number(const char **at, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(*at, &end, 0);
    bool good = end != *at && errno == 0 && **at >= '0' && **at <= '9';
    *at = end;
    return good;
}

/* Reads [3][4]…; commas and x separate numbers within a bracket, too. */
static bool read_brackets(const char **at, uint64_t *numbers, unsigned *count)
{
    *count = 0;
    while (**at == '[') {
        do {
            ++*at;
            if (*count == DIMENSIONS || !read_number(at, &numbers[(*count)++]))
                return false;
        } while (**at == ',' || **at == 'x');
        if (*(*at)++ != ']')
            return false;
    }
    return true;
}

static const struct elf_symbol *find_symbol(const struct ttrace_tool *tool, const char *name,
                                            size_t length)
{
    for (size_t i = 1; tool->has_program && i < tool->elf.symbol_count; i++) {
        const struct elf_symbol *symbol = &tool->elf.symbols[i];
        if (symbol->section != SHN_UNDEF && strlen(symbol->name) == length &&
            memcmp(symbol->name, name, length) == 0)
            return symbol;
    }
    return NULL;
}

/* Returns the size of the elements that the record writes at the place: that of a store, or of the
 * type at the end of the mnemonic. Returns 0 if the record only moves bytes; `place` is then where
 * they come from. */
static uint64_t size_written(const struct ttrace_record *record, struct place *place)
{
    const struct isa_instruction *instruction =
        record->length ? isa_decode(record->word, record->length) : NULL;
    const char *dot = instruction ? strrchr(instruction->mnemonic, '.') : NULL;
    const struct isa_element *type = dot ? isa_find_element(dot + 1) : NULL;
    struct place source = {.length = 0};

    for (size_t i = 0; i < record->recorder->count; i++) {
        const struct effect *effect = &record->recorder->effects[i];
        if (effect->kind == EFFECT_STORE && effect_writes(effect, place))
            return effect->size;
        if (effect->kind == EFFECT_RANGE_READ && !source.length)
            source = (struct place){.address = effect->address, .length = 1};
    }
    *place = source;
    return type ? type->bytes : 0;
}

/* Returns the size of the elements that were written at the address last, following moves of bytes;
 * 0: unknown. */
static uint64_t element_size(struct ttrace_tool *tool, uint64_t address, uint64_t end)
{
    struct place place = {.address = address, .length = 1};
    struct ttrace_record record;
    uint64_t size = 0;

    for (unsigned i = 0; i < MOVES && size == 0 && place.length; i++) {
        end = search_writer(tool, &place, end);
        if (end == NO_RECORD || !search_record(tool, end, &record) || record.flags & TTRACE_START)
            return 0;
        size = size_written(&record, &place);
    }
    return size;
}

/* Adds the indices to the address. `dimensions` may be unknown (0) if there is one index. */
static bool add_indices(struct place *place, uint64_t size, const uint64_t *dimensions,
                        unsigned dimension_count, const uint64_t *indices, unsigned index_count)
{
    uint64_t element = 0;

    if (index_count > 1 && index_count != dimension_count)
        return false;
    for (unsigned i = 0; i < index_count; i++) {
        if (dimension_count && index_count == dimension_count && indices[i] >= dimensions[i])
            return false;
        element = element * (i && dimension_count ? dimensions[i] : 1) + indices[i];
    }
    place->address += element * size;
    place->length = size;
    return true;
}

/* Reads the rest after the symbol or address: :TYPE[DIMENSIONS] and indices. `size` is that of the
 * symbol. */
static bool read_element(struct ttrace_tool *tool, const char *at, uint64_t size,
                         struct question *question)
{
    uint64_t numbers[DIMENSIONS], dimensions[DIMENSIONS];
    unsigned count = 0, dimension_count = 0;
    const struct isa_element *type = NULL;

    question->place.length = size ? size : DEFAULT_SIZE;
    if (*at == ':') {
        size_t length = strcspn(++at, "[");
        type = isa_find_element(arena_copy(&tool->arena, at, length));
        at += length;
        if (!type)
            return false;
    }
    if (!read_brackets(&at, numbers, &count) || *at)
        return false;
    if (count == 0)
        return true;
    if (type) { /* the dimensions come before as many indices, in brackets of their own */
        dimension_count = count > 1 && count % 2 == 0 ? count / 2 : count;
        memcpy(dimensions, numbers, sizeof dimensions);
        uint64_t bytes = type->bytes;
        for (unsigned i = 0; i < dimension_count; i++)
            bytes *= dimensions[i];
        question->place.length = bytes ? bytes : DEFAULT_SIZE;
        return dimension_count == count ||
               add_indices(&question->place, type->bytes, dimensions, dimension_count,
                           numbers + dimension_count, count - dimension_count);
    }
    size = element_size(tool, question->place.address, question->end);
    return size && add_indices(&question->place, size, NULL, 0, numbers, count);
}

bool question_read(struct ttrace_tool *tool, const char *word, struct question *question)
{
    const char *mark = strrchr(word, '@'), *number = mark ? mark + 1 : NULL;
    char *what = arena_copy(&tool->arena, word, mark ? (size_t)(mark - word) : strlen(word));
    const char *point = strchr(what, '.');
    uint32_t thread =
        point ? thread_by_name(what, (size_t)(point - what), tool->trace.workers != 0) : 0;
    const struct isa_register_name *name = isa_find_register(thread ? point + 1 : what);
    size_t length = strcspn(what, ":[");
    const struct elf_symbol *symbol = find_symbol(tool, what, length);
    const char *rest = what;
    uint64_t sequence;

    *question = (struct question){.end = tool->trace.record_count};
    if (number) {
        if (!read_number(&number, &sequence) || *number) {
            diag_error(&tool->diag, NULL, "'%s': expected the number of an instruction after @",
                       word);
            return false;
        }
        question->end = search_sequence(tool, sequence);
    }
    if (name) {
        question->place = (struct place){
            .is_register = true,
            .file = (uint32_t)(name->file - isa_register_files),
            .number = name->number,
            .thread = thread,
        };
        return true;
    }
    if (symbol) {
        question->place.address = symbol->raw.st_value;
        rest = what + length;
    } else if (!read_number(&rest, &question->place.address)) {
        diag_error(&tool->diag, NULL,
                   "'%s': the program has no such symbol, and it is not a register; %s", word,
                   expected);
        return false;
    }
    if (!read_element(tool, rest, symbol ? symbol->raw.st_size : 0, question)) {
        diag_error(&tool->diag, NULL,
                   "'%s': the type or the shape is unknown, or an index is not below its "
                   "dimension; %s",
                   word, expected);
        return false;
    }
    return true;
}

/* Reads what a query asks for: a place and a time. */
#include "emu/ttrace/query.h"
#include "lib/trace/value_type.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = ELEMENT_DIMENSIONS, DEFAULT_SIZE = 1, MOVES = 4 };

static const char expected[] =
    "expected REGISTER, CSR, STATE, THREAD.REGISTER, SYMBOL, "
    "SYMBOL+OFFSET, SYMBOL:TYPE[DIMENSIONS] or ADDRESS, perhaps with indices [i][j], "
    "with :hex, :hexfloat or :table, and with @N";

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

/* The numbers in brackets: [3][4], [3,4] or [3x4]. */
struct brackets {
    uint64_t numbers[2 * DIMENSIONS];
    unsigned count, in_first; /* of all, and of those in the first pair of brackets */
};

static bool read_brackets(const char **at, struct brackets *brackets)
{
    *brackets = (struct brackets){.count = 0};
    while (**at == '[') {
        bool is_first = brackets->count == 0;
        do {
            ++*at;
            if (brackets->count == 2 * DIMENSIONS ||
                !read_number(at, &brackets->numbers[brackets->count++]))
                return false;
        } while (**at == ',' || **at == 'x');
        if (*(*at)++ != ']')
            return false;
        if (is_first)
            brackets->in_first = brackets->count;
    }
    return true;
}

/* Returns how many of the numbers after a type are dimensions: those in the first pair of brackets,
 * if there are several; else one of [8][3], half of [2][3][1][2], and all of [2][3][4]. */
static unsigned count_dimensions(const struct brackets *brackets)
{
    if (brackets->in_first > 1)
        return brackets->in_first;
    if (brackets->count == 2)
        return 1;
    return brackets->count % 2 ? brackets->count : brackets->count / 2;
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

/* What SYMBOL or SYMBOL+OFFSET names. */
struct object {
    bool is_symbol; /* otherwise the rest is not set */
    uint64_t address;
    uint64_t size; /* from the address to the end of the symbol; 0: unknown */
};

static struct object find_object(const struct ttrace_tool *tool, const char *name)
{
    const struct elf_symbol *symbol = find_symbol(tool, name, strlen(name));
    const char *plus = symbol ? NULL : strrchr(name, '+'), *end = plus ? plus + 1 : NULL;
    uint64_t offset = 0;

    if (plus && read_number(&end, &offset) && !*end)
        symbol = find_symbol(tool, name, (size_t)(plus - name));
    if (!symbol)
        return (struct object){.is_symbol = false};
    return (struct object){
        .is_symbol = true,
        .address = symbol->raw.st_value + offset,
        .size = symbol->raw.st_size > offset ? symbol->raw.st_size - offset : 0,
    };
}

/* Returns `; did you mean 'product'` if a symbol is like the name, else nothing. */
static const char *like_symbol(struct ttrace_tool *tool, const char *name)
{
    struct suggestion suggestion;

    suggest_init(&suggestion, name);
    for (size_t i = 1; tool->has_program && i < tool->elf.symbol_count; i++)
        if (tool->elf.symbols[i].section != SHN_UNDEF && *tool->elf.symbols[i].name)
            suggest_add(&suggestion, tool->elf.symbols[i].name);
    const char *near = suggest_text(&suggestion);
    return near ? arena_format(&tool->arena, "; did you mean %s", near) : "";
}

/* What an instruction wrote at a place. */
struct written {
    uint64_t size;    /* of an element; 0: unknown */
    uint64_t address; /* of the array */
    uint64_t dimensions[ISA_SHAPE_LIMIT];
    unsigned count;                 /* of the dimensions; 0: a store wrote one element */
    const struct isa_element *type; /* of the elements; NULL: unknown */
    struct place source; /* where bytes come from that were only moved; length 0: they were not */
};

/* The instruction that record `number` executed. */
struct executed {
    const struct isa_instruction *instruction; /* NULL: none */
    uint64_t word, number;
    uint32_t thread;
};

/* Sets dimensions and size from the shape that the description gives the instruction. */
static void take_shape(struct ttrace_tool *tool, struct written *written,
                       const struct executed *executed, uint64_t bytes)
{
    const struct isa_instruction *instruction = executed->instruction;
    uint64_t elements = 1;

    for (unsigned i = 0; i < instruction->shape_count; i++) {
        written->dimensions[i] = search_operand(tool, &instruction->operands[instruction->shape[i]],
                                                executed->word, executed->number, executed->thread);
        if (__builtin_mul_overflow(elements, written->dimensions[i], &elements))
            return;
    }
    if (elements == 0 || bytes % elements)
        return;
    written->count = instruction->shape_count;
    written->size = bytes / elements;
    if (written->type && written->type->bytes != written->size)
        written->type = NULL;
}

/* Finds what record `number` wrote at the place. */
static struct written what_was_written(struct ttrace_tool *tool, uint64_t number,
                                       const struct place *place)
{
    struct written written = {.size = 0};
    const struct effect *range = NULL, *read = NULL;
    struct ttrace_record record;
    unsigned reads = 0;
    uint64_t word;

    bool is_raw = search_is_raw(tool, number, place);
    if (!search_record(tool, number, &record) || record.flags & TTRACE_START)
        return written;
    const struct isa_instruction *instruction = record_instruction(&record, &word);
    for (size_t i = 0; i < record.recorder->count; i++) {
        const struct effect *effect = &record.recorder->effects[i];
        if (effect->kind == EFFECT_RANGE_READ && reads++ == 0)
            read = effect;
        if (!effect_writes(&record, effect, place))
            continue;
        if (effect->kind == EFFECT_STORE)
            return (struct written){.size = effect->size,
                                    .address = effect->address,
                                    .type = is_raw ? NULL
                                                   : type_stored(instruction, word, effect->size)};
        range = effect;
    }
    if (!range)
        return written;
    const struct executed executed = {instruction, word, number, record.thread};
    uint64_t bytes = range->length;
    written.address = range->address;
    if (executed.instruction && executed.instruction->shape_count) {
        written.type = type_written(executed.instruction, record.recorder);
        take_shape(tool, &written, &executed, bytes);
    } else if (read) {
        bool is_whole = reads == 1 && read->length == bytes && range->bytes_length == bytes;
        written.source = (struct place){.address = read->address +
                                                   (is_whole ? place->address - range->address : 0),
                                        .length = 1,
                                        .only_ranges = place->only_ranges};
        if (!is_whole && place->only_ranges) /* a tile: its rows are not those of the array */
            written.source.length = 0;
    }
    return written;
}

/* Finds what was written at the place last before record `end`, following moves of bytes. `size` is
 * 0 in the result if that is unknown. */
static struct written last_written(struct ttrace_tool *tool, const struct place *at, uint64_t end)
{
    struct written written = {.size = 0};
    struct place place = *at;

    for (unsigned i = 0; i < MOVES && place.length; i++) {
        end = search_writer(tool, &place, end);
        if (end == NO_RECORD)
            break;
        written = what_was_written(tool, end, &place);
        if (written.size) {
            written.address += at->address - place.address;
            break;
        }
        place = written.source;
    }
    return written;
}

/* Sets the place of an element with `count` dimensions, or of the one with an index in an array
 * whose dimensions are unknown (NULL). Returns what is wrong, or NULL. */
static const char *set_element(struct ttrace_tool *tool, struct place *place, uint64_t size,
                               const uint64_t *dimensions, const uint64_t *indices, unsigned count)
{
    uint64_t element = 0;

    for (unsigned i = 0; i < count; i++) {
        if (dimensions && indices[i] >= dimensions[i])
            return arena_format(&tool->arena,
                                "the index %" PRIu64 " is not below its dimension, %" PRIu64,
                                indices[i], dimensions[i]);
        element = element * (dimensions ? dimensions[i] : 1) + indices[i];
    }
    place->address += element * size;
    place->length = size;
    return NULL;
}

/* The question is about an array of the type, or about an element of it, which has no dimensions.
 * The type may be unknown (NULL). */
static void set_type(struct question *question, const struct isa_element *type,
                     const uint64_t *dimensions, unsigned count)
{
    struct element_array *array = &question->array;

    if (!type)
        return;
    *array = (struct element_array){.type = type, .rank = count, .form = type->print};
    for (unsigned i = 0; i < count; i++)
        array->dimensions[i] = dimensions[i];
}

/* The question is about an element: appends its indices to the name, as in c[3,4]. */
static void name_element(struct ttrace_tool *tool, struct question *question,
                         const uint64_t *indices, unsigned count)
{
    struct text name = TEXT_INIT;

    text_append(&name, question->name);
    for (unsigned i = 0; i < count; i++)
        text_format(&name, "%c%" PRIu64, i ? ',' : '[', indices[i]);
    text_append_char(&name, ']');
    question->name = arena_string(&tool->arena, name.bytes);
    text_free(&name);
}

/* Sets the place of an array of the type, or of its element. `size` is that of the symbol. Returns
 * what is wrong, or NULL. */
static const char *set_array(struct ttrace_tool *tool, struct question *question, uint64_t size,
                             const struct isa_element *type, const struct brackets *brackets)
{
    struct place *place = &question->place;
    unsigned dimensions = count_dimensions(brackets), indices = brackets->count - dimensions;
    uint64_t bytes = type->bytes, count = size / type->bytes;

    for (unsigned i = 0; i < dimensions; i++)
        if (brackets->numbers[i] == 0 ||
            __builtin_mul_overflow(bytes, brackets->numbers[i], &bytes))
            return "its dimensions are not those of an array in memory";
    place->length = bytes;
    set_type(question, type, brackets->numbers, indices ? 0 : dimensions);
    if (dimensions == 0 && count > 1) {
        place->length = count * type->bytes;
        set_type(question, type, &count, 1);
    }
    if (indices == 0)
        return NULL;
    name_element(tool, question, brackets->numbers + dimensions, indices);
    if (indices != dimensions)
        return arena_format(&tool->arena, "found %u %s, expected %u, one for each dimension",
                            indices, indices == 1 ? "index" : "indices", dimensions);
    const char *wrong = set_element(tool, place, type->bytes, brackets->numbers,
                                    brackets->numbers + dimensions, dimensions);
    if (wrong && dimensions == 1)
        wrong = arena_format(&tool->arena,
                             "%s; several dimensions are written in one pair of brackets, [2,3]",
                             wrong);
    return wrong;
}

/* Sets the place of SYMBOL[i], whose size is that of the last write there, or of SYMBOL[i][j] in
 * the array that the last tensor instruction wrote. Returns what is wrong, or NULL. */
static const char *set_untyped(struct ttrace_tool *tool, struct question *question,
                               const struct brackets *brackets)
{
    struct place first = {
        .address = question->place.address, .length = 1, .only_ranges = brackets->count > 1};
    struct written written = last_written(tool, &first, question->end);

    if (brackets->count == 1 && written.size == 0)
        return "no store or tensor instruction wrote it before, so the size of its elements is "
               "unknown; add a type";
    set_type(question, written.type, NULL, 0);
    name_element(tool, question, brackets->numbers, brackets->count);
    if (brackets->count == 1)
        return set_element(tool, &question->place, written.size, NULL, brackets->numbers, 1);
    if (written.size == 0 || written.address != first.address || written.count != brackets->count)
        return arena_format(&tool->arena,
                            "no tensor instruction wrote an array of %u dimensions there; add its "
                            "type and dimensions",
                            brackets->count);
    return set_element(tool, &question->place, written.size, written.dimensions, brackets->numbers,
                       brackets->count);
}

/* Sets the shape of what the last tensor instruction, or a store, wrote at the symbol, if it is the
 * whole of it. `size` is that of the symbol; 0: unknown. */
static void set_whole(struct ttrace_tool *tool, struct question *question, uint64_t size)
{
    struct place first = {.address = question->place.address, .length = 1, .only_ranges = true};
    struct written written = last_written(tool, &first, question->end);
    uint64_t bytes = written.size;

    if (!written.size) {
        first.only_ranges = false;
        written = last_written(tool, &first, question->end);
        bytes = written.size;
    }
    for (unsigned i = 0; i < written.count; i++)
        bytes *= written.dimensions[i];
    if (!written.type || written.address != first.address || (size && size != bytes))
        return;
    question->place.length = bytes;
    set_type(question, written.type, written.dimensions, written.count);
}

static const char *unknown_type(struct ttrace_tool *tool, const char *name)
{
    struct text types = TEXT_INIT;

    element_append_types(&types);
    const char *wrong = arena_format(&tool->arena, "'%s' is not a type of elements, which are %s",
                                     name, types.bytes);
    text_free(&types);
    return wrong;
}

/* Reads the rest after the symbol or address: :TYPE[DIMENSIONS], indices and forms. Returns what is
 * wrong, or NULL. */
static const char *read_element(struct ttrace_tool *tool, const char *at,
                                const struct object *object, struct question *question)
{
    uint64_t size = object->size;
    const struct isa_element *type = NULL;
    struct brackets brackets;

    question->place.length = size ? size : DEFAULT_SIZE;
    if (*at == ':') {
        size_t length = strcspn(++at, "[:");
        const char *name = arena_copy(&tool->arena, at, length);
        type = isa_find_element(name);
        at += length;
        if (!type)
            return unknown_type(tool, name);
    }
    const char *wrong = NULL;
    if (!read_brackets(&at, &brackets) || (*at && *at != ':'))
        return arena_format(&tool->arena, "found '%s' where indices or the end should be", at);
    if (type)
        wrong = set_array(tool, question, size, type, &brackets);
    else if (brackets.count)
        wrong = set_untyped(tool, question, &brackets);
    else if (object->is_symbol)
        set_whole(tool, question, size);
    if (!wrong && object->is_symbol && !size && !brackets.count && !question->array.type)
        diag_warning(&tool->diag, NULL,
                     "'%s': the program does not say how many bytes it has, so the first is taken; "
                     "expected a type and dimensions, as in %s:i32[4]",
                     question->name, question->name);
    if (wrong || !*at)
        return wrong;
    if (!question->array.type)
        return arena_format(&tool->arena, "the type is unknown, so '%s' says nothing", at);
    if (element_read_forms(&question->array, at) || !element_has_form(&question->array))
        return arena_format(&tool->arena, "'%s' is not a form of the type", at);
    return NULL;
}

/* Is it the name of a state that the trace has? */
static bool is_state(const struct ttrace *trace, const char *name)
{
    const struct ttrace_segment *last =
        trace->segment_count ? &trace->segments[trace->segment_count - 1] : NULL;

    for (size_t i = 0; last && i < last->state_count; i++)
        if (strcmp(last->states[i].name, name) == 0)
            return true;
    return false;
}

/* Returns the thread of a record; 0: there is none, or it is not known. */
static uint32_t thread_at(struct ttrace_tool *tool, uint64_t number)
{
    struct ttrace_record record;

    if (number >= tool->trace.record_count || !search_record(tool, number, &record))
        return 0;
    return record.thread;
}

bool question_read(struct ttrace_tool *tool, const char *word, struct question *question)
{
    const char *mark = strrchr(word, '@'), *number = mark ? mark + 1 : NULL;
    char *what = arena_copy(&tool->arena, word, mark ? (size_t)(mark - word) : strlen(word));
    const char *point = strchr(what, '.');
    uint32_t thread =
        point ? thread_by_name(what, (size_t)(point - what), tool->trace.workers != 0) : 0;
    const char *in_thread = thread ? point + 1 : what;
    const struct isa_register_name *name = isa_find_register(in_thread);
    const struct isa_csr *csr = isa_find_csr(in_thread);
    size_t length = strcspn(what, ":[");
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
    if (!thread)
        thread = thread_at(tool, question->end);
    if (name) {
        question->place = (struct place){
            .kind = PLACE_REGISTER,
            .file = (uint32_t)(name->file - isa_register_files),
            .number = name->number,
            .thread = thread,
        };
        return true;
    }
    question->place.thread = thread;
    if (csr) {
        question->place.kind = PLACE_CSR;
        question->place.number = csr->number;
        if (in_thread == what)
            place_share(&question->place);
        return true;
    }
    if (is_state(&tool->trace, in_thread)) {
        question->place.kind = PLACE_STATE;
        question->place.state = in_thread;
        if (in_thread == what)
            place_share(&question->place);
        return true;
    }
    question->name = arena_copy(&tool->arena, what, length);
    struct object object = find_object(tool, question->name);
    if (object.is_symbol) {
        question->place.address = object.address;
        rest = what + length;
    } else if (!read_number(&rest, &question->place.address)) {
        diag_error(
            &tool->diag, NULL,
            "'%s': the program has no such symbol, and it is not a register, CSR or state%s; %s",
            word, like_symbol(tool, question->name), expected);
        return false;
    }
    const char *wrong = read_element(tool, rest, &object, question);
    if (wrong)
        diag_error(&tool->diag, NULL, "'%s': %s; %s", word, wrong, expected);
    return !wrong;
}

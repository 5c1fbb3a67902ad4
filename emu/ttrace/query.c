/* Prints records, and answers `reads`, `at` and `grep`. */
#include "emu/ttrace/query.h"
#include "emu/ttrace/follow.h"
#include "lib/map.h"
#include "lib/trace/value_type.h"

#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

void append_effect(struct text *text, const struct recorder *recorder, const struct effect *effect)
{
    const struct isa_csr *csr;
    unsigned count;

    switch (effect->kind) {
    case EFFECT_REGISTER: {
        const uint64_t *words = recorder_words(recorder, effect, &count);
        text_format(text, "%s=0x", isa_register_files[effect->file].names[effect->number]);
        while (count > 1 && words[count - 1] == 0)
            count--;
        text_format(text, "%" PRIx64, words[count - 1]);
        for (unsigned i = count - 1; i-- > 0;)
            text_format(text, "%016" PRIx64, words[i]);
        break;
    }
    case EFFECT_CSR:
        csr = isa_csr_by_number(effect->number);
        if (csr)
            text_format(text, "%s=0x%" PRIx64, csr->name, effect->value);
        else
            text_format(text, "csr0x%x=0x%" PRIx64, effect->number, effect->value);
        break;
    case EFFECT_PRIVILEGE:
        text_format(text, "priv=0x%" PRIx64, effect->value);
        break;
    case EFFECT_LOAD:
    case EFFECT_STORE:
        text_format(text, "%s%u[0x%" PRIx64 "]=0x%" PRIx64,
                    effect->kind == EFFECT_LOAD ? "load" : "store", effect->size, effect->address,
                    effect->value);
        break;
    case EFFECT_RANGE_READ:
    case EFFECT_RANGE_WRITE:
        text_format(text, "%s[0x%" PRIx64 "+0x%" PRIx64 "]",
                    effect->kind == EFFECT_RANGE_READ ? "read" : "write", effect->address,
                    effect->length);
        break;
    case EFFECT_STATE:
    case EFFECT_HOP:
        effect_append_state(text, effect);
        text_format(text, "=0x%" PRIx64, effect->value);
        break;
    }
}

void append_typed(struct text *text, const struct ttrace_record *record,
                  const struct effect *effect, const struct isa_element *type, bool is_raw)
{
    const struct isa_element *of_effect = NULL;
    uint64_t word;
    const struct isa_instruction *instruction = record_instruction(record, &word);

    if (effect->kind == EFFECT_STORE) {
        of_effect = is_raw ? NULL : type_stored(instruction, word, effect->size);
        if (!of_effect && type && type->bytes == effect->size)
            of_effect = type;
    } else if (effect->kind == EFFECT_REGISTER && !effect->is_wide && !is_raw) {
        of_effect = type_of_register(instruction, word, effect->file, effect->number);
    }
    if (!of_effect || record->flags & TTRACE_START)
        return;
    text_append(text, " = ");
    element_append(text, of_effect, of_effect->print, &effect->value);
}

void append_record(struct ttrace_tool *tool, struct text *text, const struct ttrace_record *record)
{
    const struct elf_symbol *symbol =
        tool->has_program ? symbolizer_find(&tool->symbols, record->pc) : NULL;
    char name[THREAD_NAME_SIZE];
    size_t start;

    if (record->flags & TTRACE_START) {
        text_append(text, "before the first instruction");
        return;
    }
    text_format(text, "%" PRIu64, record->sequence);
    if (record->thread)
        text_format(text, " %s", thread_name(name, tool->trace.workers != 0, record->thread));
    text_format(text, " 0x%" PRIx64, record->pc);
    if (symbol) {
        text_append(text, " <");
        disasm_name(text, symbol->name);
        if (record->pc != symbol->raw.st_value)
            text_format(text, "+0x%" PRIx64, record->pc - symbol->raw.st_value);
        text_append_char(text, '>');
    }
    text_append_char(text, ' ');
    start = text->length;
    if (record->flags & TTRACE_INTERRUPT)
        text_append(text, "(interrupt)");
    else if (record->length == 0)
        text_append(text, "(no instruction)");
    else
        disasm_instruction(&tool->disasm, text, record->pc, record->word, record->length);
    for (char *tab = text->bytes + start; (tab = strchr(tab, '\t'));)
        *tab = ' ';
    start = text->length;
    text_append(text, "  ");
    if (!source_append(tool->source, text, record->pc)) {
        text->length = start;
        text->bytes[start] = '\0';
    }
}

/* Says that the lines were not all, if that was not asked for. */
static void warn_of_limit(struct ttrace_tool *tool, unsigned left)
{
    if (left == 0 && !tool->has_limit)
        diag_warning(&tool->diag, NULL,
                     "stopped after %u lines, there may be more; --limit=N prints up to N",
                     tool->limit);
}

/* ---- reads ---- */

/* Prints the records of the segment that read the place. Returns false at the limit. */
static bool reads_in(struct ttrace_tool *tool, const struct question *question, unsigned *left)
{
    const struct place *place = &question->place;
    struct ttrace_decoder *decoder = &tool->decoder;
    struct ttrace_record record;

    while (decoder->number < question->end &&
           ttrace_next_access(decoder, place->address, place->length, &record) &&
           decoder->number <= question->end) {
        for (size_t i = 0; i < record.recorder->count; i++) {
            const struct effect *effect = &record.recorder->effects[i];
            struct text text = TEXT_INIT;
            if (!effect_reads(effect, place))
                continue;
            append_record(tool, &text, &record);
            text_append(&text, "  ");
            append_effect(&text, record.recorder, effect);
            puts(text.bytes);
            text_free(&text);
            if (--*left == 0)
                return false;
        }
    }
    return true;
}

bool query_reads(struct ttrace_tool *tool)
{
    struct question question;
    unsigned left = tool->limit;

    if (!question_read(tool, tool->words[2], &question))
        return false;
    if (question.place.kind != PLACE_MEMORY) {
        diag_error(&tool->diag, NULL, "'%s' is not in memory; reads finds accesses to memory",
                   tool->words[2]);
        return false;
    }
    for (size_t i = 0; i < tool->trace.segment_count; i++) {
        const struct ttrace_segment *segment = &tool->trace.segments[i];
        if (segment->first_record >= question.end ||
            !ttrace_runs_touch(&segment->read, question.place.address, question.place.length))
            continue;
        if (!ttrace_load(&tool->decoder, &tool->trace, segment) ||
            !reads_in(tool, &question, &left))
            break;
    }
    warn_of_limit(tool, left);
    return !tool->decoder.failed;
}

/* ---- grep ---- */

static void print_line(struct ttrace_tool *tool, const struct ttrace_record *record)
{
    struct text text = TEXT_INIT;

    append_record(tool, &text, record);
    text_append(&text, record->recorder->count ? "  |" : "");
    for (size_t i = 0; i < record->recorder->count; i++) {
        text_append_char(&text, ' ');
        append_effect(&text, record->recorder, &record->recorder->effects[i]);
    }
    puts(text.bytes);
    text_free(&text);
}

/* The pattern, and for each pc and encoding whether the instruction matches. */
struct grep {
    struct ttrace_tool *tool;
    regex_t pattern;
    struct map answers; /* the value points to `pattern` for yes, to `tool` for no */
    unsigned left;      /* lines that may be printed */
};

/* Does the instruction match, without its sequence number and its thread? */
static bool matches(struct grep *grep, const struct ttrace_record *record)
{
    const uint64_t key[] = {record->pc, record->word, record->flags};
    struct map_entry *entry = map_entry(&grep->answers, (const char *)key, sizeof key);
    struct text text = TEXT_INIT;

    if (!entry->value) {
        append_record(grep->tool, &text, record);
        const char *pc = strstr(text.bytes, " 0x");
        bool is_match = pc && regexec(&grep->pattern, pc + 1, 0, NULL, 0) == 0;
        entry->value = is_match ? (void *)&grep->pattern : (void *)grep->tool;
        text_free(&text);
    }
    return entry->value == &grep->pattern;
}

/* Prints the records of the segment that match. It is decoded only if one of its sites does. */
static bool grep_in(void *context, struct ttrace *trace, const struct ttrace_segment *segment)
{
    struct grep *grep = context;
    struct ttrace_decoder *decoder = &grep->tool->decoder;
    struct ttrace_record record;
    bool any = false;

    if (!ttrace_load(decoder, trace, segment))
        return false;
    bool *wanted = calloc(ttrace_site_count(decoder) + 1, sizeof *wanted);
    if (!wanted)
        return false;
    for (size_t i = 0; i < ttrace_site_count(decoder); i++) {
        ttrace_site(decoder, i, &record);
        wanted[i] = !(record.flags & TTRACE_START) && matches(grep, &record);
        any |= wanted[i];
    }
    while (any && grep->left && ttrace_next(decoder, &record)) {
        if (!wanted[decoder->site])
            continue;
        print_line(grep->tool, &record);
        grep->left--;
    }
    free(wanted);
    return !decoder->failed;
}

static bool grep_is_finished(const void *context)
{
    const struct grep *grep = context;

    return grep->left == 0 || ferror(stdout);
}

static void grep_flush(void *context)
{
    (void)context;
    fflush(stdout);
}

bool query_grep(struct ttrace_tool *tool)
{
    struct grep grep = {.tool = tool, .left = tool->limit};
    const struct reader reader = {&grep, grep_in, grep_is_finished, grep_flush};
    int error = regcomp(&grep.pattern, tool->words[2], REG_EXTENDED | REG_NOSUB);

    if (error) {
        char why[256];
        regerror(error, &grep.pattern, why, sizeof why);
        diag_error(&tool->diag, NULL, "'%s' is not a regular expression: %s", tool->words[2], why);
        return false;
    }
    map_init(&grep.answers, &tool->arena);
    bool good = follow(tool, &reader);
    regfree(&grep.pattern);
    warn_of_limit(tool, grep.left);
    return good;
}

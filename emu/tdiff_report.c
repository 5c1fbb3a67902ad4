/* What differs between two records, and where the values come from.
 *
 * Changes are compared by what they change, not by their order: an RTL simulation may report loads
 * before registers. The last writer of a value is found by walking the lines back from the
 * difference. */
#include "emu/tdiff.h"

#include "lib/disasm.h"
#include "lib/isa.h"
#include "lib/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGES_SHOWN = 32 }; /* of one instruction */

/* ---- comparison ---- */

static bool is_named(enum change_kind kind)
{
    return kind == CHANGE_X || kind == CHANGE_F || kind == CHANGE_CSR || kind == CHANGE_STATE;
}

static int order_of(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* An order of what is changed; 0 when they change the same thing. The length of a range belongs to
 * the value. */
static int compare_places(const struct change *a, const struct change *b)
{
    if (a->kind != b->kind)
        return order_of(a->kind, b->kind);
    if (is_named(a->kind))
        return strcmp(a->name, b->name);
    if (a->kind == CHANGE_TRAP)
        return 0;
    if (a->address != b->address || a->kind == CHANGE_RANGE_READ || a->kind == CHANGE_RANGE_WRITE)
        return order_of(a->address, b->address);
    return order_of(a->length, b->length);
}

static bool same_place(const struct change *a, const struct change *b)
{
    return compare_places(a, b) == 0;
}

static bool same_value(const struct change *a, const struct change *b)
{
    return a->value == b->value && a->length == b->length && a->address == b->address;
}

static bool is_ignored(const struct tdiff *tdiff, const struct change *change)
{
    if (tdiff->ignored_kinds >> change->kind & 1)
        return true;
    for (size_t i = 0; is_named(change->kind) && i < tdiff->ignored_count; i++)
        if (strcmp(tdiff->ignored_names[i], change->name) == 0)
            return true;
    return false;
}

static int by_place(const void *left, const void *right)
{
    const struct change *a = *(const struct change *const *)left;
    const struct change *b = *(const struct change *const *)right;
    int order = compare_places(a, b);

    return order ? order : order_of((uintptr_t)a, (uintptr_t)b); /* as they stand in the record */
}

static _Noreturn void end_without_memory(void)
{
    fputs("tdiff: error: the host has no memory left\n", stderr);
    exit(2);
}

static void *new_array(size_t count, size_t size)
{
    void *array = calloc(count + 1, size);

    if (!array)
        end_without_memory();
    return array;
}

static const struct change **sorted(const struct record *record)
{
    const struct change **changes = new_array(record->count, sizeof *changes);

    for (size_t i = 0; i < record->count; i++)
        changes[i] = &record->changes[i];
    qsort(changes, record->count, sizeof *changes, by_place);
    return changes;
}

/* For each change of `record` the one in `other` that answers it, or NULL: of several of the same
 * place, the one with the same number. A record may hold many: a nest fills a whole unit. */
static const struct change **answers_of(const struct record *record, const struct record *other)
{
    const struct change **answers = new_array(record->count, sizeof *answers);
    const struct change **ours = sorted(record), **theirs = sorted(other);

    for (size_t i = 0, j = 0; i < record->count && j < other->count;) {
        int order = compare_places(ours[i], theirs[j]);
        if (order == 0)
            answers[ours[i] - record->changes] = theirs[j];
        i += order <= 0;
        j += order >= 0;
    }
    free(ours);
    free(theirs);
    return answers;
}

/* The usual case: the same changes in the same order. */
static bool changes_equal(const struct record *a, const struct record *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!same_place(&a->changes[i], &b->changes[i]) ||
            !same_value(&a->changes[i], &b->changes[i]))
            return false;
    return true;
}

static bool changes_answered(const struct tdiff *tdiff, const struct record *record,
                             const struct record *other)
{
    const struct change **answers = answers_of(record, other);
    bool all = true;

    for (size_t i = 0; all && i < record->count; i++)
        all = is_ignored(tdiff, &record->changes[i]) ||
              (answers[i] && same_value(&record->changes[i], answers[i]));
    free(answers);
    return all;
}

static bool encodings_equal(const struct tdiff *tdiff, const struct record *a,
                            const struct record *b)
{
    return tdiff->ignore_encoding || (a->length == b->length && a->word == b->word);
}

bool records_equal(const struct tdiff *tdiff, const struct record *a, const struct record *b)
{
    return a->pc == b->pc && a->hart == b->hart && a->privilege == b->privilege &&
           encodings_equal(tdiff, a, b) &&
           (changes_equal(a, b) ||
            (changes_answered(tdiff, a, b) && changes_answered(tdiff, b, a)));
}

/* ---- the last writer ---- */

static bool overlaps(uint64_t a, uint64_t a_length, uint64_t b, uint64_t b_length)
{
    return a - b < (b_length ? b_length : 1) || b - a < (a_length ? a_length : 1);
}

/* Does `change` write what `place` stands for? */
static bool writes(const struct change *change, const struct change *place)
{
    if (is_named(place->kind))
        return same_place(change, place);
    return (change->kind == CHANGE_STORE || change->kind == CHANGE_RANGE_WRITE) &&
           overlaps(change->address, change->length, place->address, place->length);
}

static bool record_writes(const struct record *record, const struct change *place)
{
    for (size_t i = 0; i < record->count; i++)
        if (writes(&record->changes[i], place))
            return true;
    return false;
}

/* The line before the one that starts at `start`; false at the beginning. */
static bool previous_line(const struct trace_input *input, size_t *start, size_t *end)
{
    const char *newline;

    if (*start == 0)
        return false;
    *end = *start - 1;
    newline = *end ? memrchr(input->file.bytes, '\n', *end) : NULL;
    *start = newline ? (size_t)(newline - input->file.bytes) + 1 : 0;
    return true;
}

/* Something to tell of, and which line of each trace wrote it last. */
struct finding {
    struct change place;
    const struct change *answer; /* of what differs: how the other trace has it, or NULL */
    bool known[2];
    struct record writers[2]; /* where they stand; no changes */
};

struct findings {
    struct finding *list;
    size_t count, capacity;
};

static void findings_add(struct findings *findings, const struct change *place,
                         const struct change *answer)
{
    if (findings->count == findings->capacity) {
        findings->capacity = findings->capacity ? 2 * findings->capacity : 16;
        findings->list = reallocarray(findings->list, findings->capacity, sizeof *findings->list);
        if (!findings->list)
            end_without_memory();
    }
    findings->list[findings->count++] = (struct finding){.place = *place, .answer = answer};
}

static bool has_writer(const struct finding *finding)
{
    return finding->place.kind != CHANGE_TRAP;
}

/* The last records of trace `which` before `record` that wrote the places: one walk for all. */
static void find_writers(struct tdiff *tdiff, unsigned which, const struct record *record,
                         struct findings *findings)
{
    const struct trace_input *input = &tdiff->inputs[which];
    size_t start = record->start, line = record->line, end, left = 0;
    struct record earlier = {0};

    for (size_t i = 0; i < findings->count; i++)
        left += has_writer(&findings->list[i]);
    while (left && previous_line(input, &start, &end)) {
        trace_input_reread(input, --line, start, end, &earlier);
        for (size_t i = 0; i < findings->count; i++) {
            struct finding *finding = &findings->list[i];
            if (finding->known[which] || !has_writer(finding) ||
                !record_writes(&earlier, &finding->place))
                continue;
            finding->known[which] = true;
            finding->writers[which] =
                (struct record){.line = earlier.line, .start = earlier.start, .end = earlier.end};
            left--;
        }
    }
    free(earlier.changes);
}

static void find_all_writers(struct tdiff *tdiff, struct record *const *records,
                             struct findings *findings)
{
    for (unsigned which = 0; which < 2; which++)
        find_writers(tdiff, which, records[which], findings);
}

/* ---- text ---- */

static void print_place(const struct change *change)
{
    static const char *const names[] = {
        [CHANGE_X] = "register ",
        [CHANGE_F] = "register ",
        [CHANGE_CSR] = "CSR ",
        [CHANGE_LOAD] = "load",
        [CHANGE_STORE] = "store",
        [CHANGE_RANGE_READ] = "range read",
        [CHANGE_RANGE_WRITE] = "range written",
        [CHANGE_STATE] = "state ",
        [CHANGE_TRAP] = "trap",
    };

    fputs(names[change->kind], stdout);
    if (is_named(change->kind))
        fputs(change->name, stdout);
    else if ((change->kind == CHANGE_LOAD || change->kind == CHANGE_STORE) && change->length)
        printf(" of %" PRIu64 " bytes at 0x%" PRIx64, change->length, change->address);
    else if (change->kind != CHANGE_TRAP)
        printf(" at 0x%" PRIx64, change->address);
}

static void print_value(const struct change *change)
{
    switch (change->kind) {
    case CHANGE_RANGE_READ:
        printf("%" PRIu64 " bytes", change->length);
        break;
    case CHANGE_RANGE_WRITE:
        printf("%" PRIu64 " bytes with digest %016" PRIx64, change->length, change->value);
        break;
    case CHANGE_TRAP:
        if (change->address & CAUSE_INTERRUPT_BIT)
            printf("interrupt %" PRIu64, change->address & ~CAUSE_INTERRUPT_BIT);
        else
            printf("cause %" PRIu64 " with value 0x%" PRIx64, change->address, change->value);
        break;
    case CHANGE_LOAD:
        if (change->length == 0) { /* Spike's log: the address is all there is */
            fputs("one", stdout);
            break;
        }
        __attribute__((fallthrough));
    default:
        printf("0x%" PRIx64, change->value);
    }
}

static void print_line(const struct tdiff *tdiff, unsigned which, const struct record *record)
{
    printf("%s:%zu: %.*s\n", tdiff->names[which], record->line, (int)(record->end - record->start),
           tdiff->inputs[which].file.bytes + record->start);
}

static bool same_line(const struct tdiff *tdiff, const struct record *a, const struct record *b)
{
    return a->end - a->start == b->end - b->start &&
           memcmp(tdiff->inputs[0].file.bytes + a->start, tdiff->inputs[1].file.bytes + b->start,
                  a->end - a->start) == 0;
}

/* In either trace, who wrote the place before the difference. */
static void print_writers(struct tdiff *tdiff, const struct finding *finding)
{
    const bool *known = finding->known;
    const struct record *writers = finding->writers;

    if (!known[0] && !known[1]) {
        fputs("    not written before\n", stdout);
    } else if (known[0] && known[1] && same_line(tdiff, &writers[0], &writers[1])) {
        printf("    last written at %s:%zu and ", tdiff->names[0], writers[0].line);
        print_line(tdiff, 1, &writers[1]);
    } else {
        for (unsigned i = 0; i < 2; i++) {
            fputs(known[i] ? "    last written at " : "    not written before in ", stdout);
            if (known[i])
                print_line(tdiff, i, &writers[i]);
            else
                printf("%s\n", tdiff->names[i]);
        }
    }
}

static void print_disassembly(struct tdiff *tdiff, const struct record *record)
{
    struct disasm disasm = {.symbols = tdiff->elf_name ? &tdiff->symbols : NULL};
    struct text text = TEXT_INIT;
    char *tab;

    if (record->length != 2 && record->length != 4 && record->length != 6 && record->length != 8) {
        fputs("(no instruction)", stdout);
        return;
    }
    disasm_instruction(&disasm, &text, record->pc, record->word, (int)record->length);
    tab = strchr(text.bytes, '\t');
    if (tab)
        *tab = ' ';
    fputs(text.bytes, stdout);
    text_free(&text);
}

/* pc 0x10078 <main+0x8> at kernel.s:12: addi a0,a0,1 */
static void print_where(struct tdiff *tdiff, const struct record *record)
{
    const struct elf_symbol *symbol =
        tdiff->elf_name ? symbolizer_find(&tdiff->symbols, record->pc) : NULL;
    struct text source = TEXT_INIT;

    printf("pc 0x%" PRIx64, record->pc);
    if (record->symbol[0])
        printf(" <%s>", record->symbol);
    else if (symbol && symbol->raw.st_value == record->pc)
        printf(" <%s>", symbol->name);
    else if (symbol)
        printf(" <%s+0x%" PRIx64 ">", symbol->name, record->pc - symbol->raw.st_value);
    if (source_append(tdiff->source, &source, record->pc))
        printf(" at %s", source.bytes);
    text_free(&source);
    fputs(": ", stdout);
    print_disassembly(tdiff, record);
    putchar('\n');
}

/* ---- the report ---- */

static void print_change(struct tdiff *tdiff, const struct finding *finding, unsigned which)
{
    fputs("  ", stdout);
    print_place(&finding->place);
    fputs(": ", stdout);
    print_value(&finding->place);
    printf(" in %s, ", tdiff->names[which]);
    if (finding->answer)
        print_value(finding->answer);
    else
        fputs("nothing", stdout);
    printf(" in %s\n", tdiff->names[!which]);
    if (has_writer(finding))
        print_writers(tdiff, finding);
}

/* Differences seen from trace `which`; those with a counterpart are told only from the first. */
static void report_changes(struct tdiff *tdiff, struct record *const *records, unsigned which)
{
    const struct record *record = records[which];
    const struct change **answers = answers_of(record, records[!which]);
    struct findings findings = {0};
    size_t found = 0;

    for (size_t i = 0; i < record->count; i++) {
        const struct change *change = &record->changes[i], *answer = answers[i];
        if (is_ignored(tdiff, change) || (answer && (which == 1 || same_value(change, answer))))
            continue;
        if (found++ < CHANGES_SHOWN)
            findings_add(&findings, change, answer);
    }
    find_all_writers(tdiff, records, &findings);
    for (size_t i = 0; i < findings.count; i++)
        print_change(tdiff, &findings.list[i], which);
    if (found > CHANGES_SHOWN)
        printf("  and %zu more changes %s\n", found - CHANGES_SHOWN,
               which ? "that are not in the first trace" : "that differ");
    free(answers);
    free(findings.list);
}

static void print_source(struct tdiff *tdiff, const struct finding *finding)
{
    fputs("  reads ", stdout);
    if (is_named(finding->place.kind))
        print_place(&finding->place);
    else
        printf("memory at 0x%" PRIx64, finding->place.address);
    putchar('\n');
    print_writers(tdiff, finding);
}

/* The registers that an operand reads, from *first on; 0 when it reads none. */
static unsigned registers_read(const struct isa_operand *operand, uint64_t word, unsigned *first)
{
    const struct isa_operand_type *type = operand->type;

    *first = (unsigned)isa_extract(operand, word);
    if (type->kind == ISA_REGISTER_OR_IMMEDIATE) {
        bool immediate = isa_ri_is_immediate(type, *first);
        *first = isa_ri_value(type, *first);
        return immediate ? 0 : 1;
    }
    if (!(type->access & ISA_READ))
        return 0;
    return type->kind == ISA_REGISTER         ? 1
           : type->kind == ISA_REGISTER_GROUP ? type->group_count
                                              : 0;
}

/* Each register once, whatever the number of operands that read it. */
static void find_registers(struct findings *findings, const struct isa_instruction *instruction,
                           uint64_t word)
{
    bool(*told)[256] = new_array(isa_register_file_count, sizeof *told); /* by file and number */

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        const struct isa_register_file *file = operand->type->file;
        unsigned first, count = registers_read(operand, word, &first);
        for (unsigned number = first; number < first + count; number++) {
            bool *known = &told[file - isa_register_files][number];
            if ((file->zero && number == 0) || *known)
                continue;
            *known = true;
            struct change place = {.kind = change_of_file(file)};
            snprintf(place.name, sizeof place.name, "%s", file->names[number]);
            findings_add(findings, &place, NULL);
        }
    }
    free(told);
}

/* What the instruction reads, and who wrote it: registers, and memory where the trace has no value
 * for it (Spike's). A wrong result may come from there. */
static void report_sources(struct tdiff *tdiff, struct record *const *records)
{
    const struct record *record = records[0];
    struct findings findings = {0};
    uint64_t word = record->word;
    const struct isa_instruction *instruction =
        record->length <= 8 ? isa_decode(word, (int)record->length) : NULL;

    if (instruction) {
        const struct isa_instruction *base = isa_expand(instruction, &word);
        find_registers(&findings, base, word);
    }
    for (size_t i = 0; i < record->count; i++)
        if (record->changes[i].kind == CHANGE_LOAD && record->changes[i].length == 0)
            findings_add(&findings, &record->changes[i], NULL);
    find_all_writers(tdiff, records, &findings);
    for (size_t i = 0; i < findings.count; i++)
        print_source(tdiff, &findings.list[i]);
    free(findings.list);
}

static void report_encoding(struct tdiff *tdiff, struct record *const *records)
{
    const struct change place = {
        .kind = CHANGE_STORE, .address = records[0]->pc, .length = records[0]->length};
    struct findings findings = {0};

    printf("  encoding: %0*" PRIx64 " in %s, %0*" PRIx64 " in %s\n", (int)(2 * records[0]->length),
           records[0]->word, tdiff->names[0], (int)(2 * records[1]->length), records[1]->word,
           tdiff->names[1]);
    findings_add(&findings, &place, NULL);
    find_all_writers(tdiff, records, &findings);
    print_writers(tdiff, findings.list);
    free(findings.list);
}

static void report_records(struct tdiff *tdiff, struct record *const *records)
{
    const struct record *a = records[0], *b = records[1];

    if (a->pc != b->pc) {
        for (unsigned i = 0; i < 2; i++) {
            printf("  in %s: ", tdiff->names[i]);
            print_where(tdiff, records[i]);
        }
        return;
    }
    fputs("  ", stdout);
    print_where(tdiff, a);
    if (a->hart != b->hart || a->privilege != b->privilege)
        printf("  core and privilege: %u %u in %s, %u %u in %s\n", a->hart, a->privilege,
               tdiff->names[0], b->hart, b->privilege, tdiff->names[1]);
    if (!encodings_equal(tdiff, a, b))
        report_encoding(tdiff, records);
    report_changes(tdiff, records, 0);
    report_changes(tdiff, records, 1);
    report_sources(tdiff, records);
}

static void print_context(struct tdiff *tdiff, struct record *const *records)
{
    unsigned which = records[0] ? 0 : 1;
    const struct trace_input *input = &tdiff->inputs[which];
    size_t start = records[which]->start, end, stop = start;
    unsigned count = 0;

    while (count < tdiff->context && previous_line(input, &start, &end))
        count++;
    if (start == 0 && input->kind != TRACE_KIND_SPIKE) /* not the header */
        start = (size_t)((const char *)memchr(input->file.bytes, '\n', input->file.length) -
                         input->file.bytes) +
                1;
    while (start < stop) {
        const char *line = input->file.bytes + start;
        const char *newline = memchr(line, '\n', stop - start);
        printf("  %.*s\n", (int)(newline - line), line);
        start += (size_t)(newline - line) + 1;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (records[i])
            printf("%c %.*s\n", "-+"[i], (int)(records[i]->end - records[i]->start),
                   tdiff -> inputs[i].file.bytes + records[i]->start);
        else
            printf("%c (end of %s)\n", "-+"[i], tdiff -> names[i]);
    }
}

void report_difference(struct tdiff *tdiff, struct record *const *records)
{
    if (records[0] && records[1]) {
        printf("first difference at instruction %" PRIu64 ": %s:%zu, %s:%zu\n",
               records[0]->sequence, tdiff->names[0], records[0]->line, tdiff->names[1],
               records[1]->line);
        report_records(tdiff, records);
    } else {
        unsigned shorter = records[0] ? 1 : 0;
        printf("%s ends after %zu instructions, which are the same in %s; that one goes on at line "
               "%zu\n  ",
               tdiff->names[shorter], tdiff->inputs[shorter].records, tdiff->names[!shorter],
               records[!shorter]->line);
        print_where(tdiff, records[!shorter]);
    }
    print_context(tdiff, records);
}

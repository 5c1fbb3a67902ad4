/* The report: what differs between two records, and where the values come from. The findings are
 * collected first. Then the traces are read again to find the instructions that wrote the places
 * (past.c), and everything is printed. */
#include "emu/tdiff/past.h"

#include "lib/disasm.h"
#include "lib/isa.h"
#include "lib/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGES_SHOWN = 32 }; /* maximum number for an instruction */

static void print_place(const struct change *change)
{
    static const char *const names[] = {
        [CHANGE_REGISTER] = "register ",
        [CHANGE_CSR] = "CSR ",
        [CHANGE_LOAD] = "load",
        [CHANGE_STORE] = "store",
        [CHANGE_RANGE_READ] = "range read",
        [CHANGE_RANGE_WRITE] = "range written",
        [CHANGE_STATE] = "state ",
        [CHANGE_TRAP] = "trap",
    };

    fputs(names[change->kind], stdout);
    if (change_is_named(change->kind))
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
        if (change->length == 0) { /* Spike's log has nothing but the address */
            fputs("one", stdout);
            break;
        }
        __attribute__((fallthrough));
    default:
        if (change->digits)
            printf("0x%.*s", (int)change->digit_count, change->digits);
        else
            printf("0x%" PRIx64, change->value);
    }
}

/* Prints the bytes of a line of a trace, so that they cannot control a terminal. */
static void print_bytes(const struct trace_line *line)
{
    struct text text = TEXT_INIT;

    text_append_visible_bytes(&text, line->bytes, line->length);
    printf("%s\n", text.bytes ? text.bytes : "");
    text_free(&text);
}

static void print_line(const struct tdiff *tdiff, unsigned which, const struct trace_line *line)
{
    printf("%s:%zu: ", tdiff->names[which], line->number);
    print_bytes(line);
}

static bool same_line(const struct trace_line *a, const struct trace_line *b)
{
    return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

/* Prints for each trace which line wrote the place last before the difference. */
static void print_writers(struct tdiff *tdiff, const struct finding *finding)
{
    const struct trace_line *writers = finding->writers;

    if (!writers[0].bytes && !writers[1].bytes) {
        fputs("    not written before\n", stdout);
    } else if (writers[0].bytes && writers[1].bytes && same_line(&writers[0], &writers[1])) {
        printf("    last written at %s:%zu and ", tdiff->names[0], writers[0].number);
        print_line(tdiff, 1, &writers[1]);
    } else {
        for (unsigned i = 0; i < 2; i++) {
            fputs(writers[i].bytes ? "    last written at " : "    not written before in ", stdout);
            if (writers[i].bytes)
                print_line(tdiff, i, &writers[i]);
            else
                printf("%s\n", tdiff->names[i]);
        }
    }
}

static void print_disassembly(struct tdiff *tdiff, const struct record *record)
{
    struct disasm disasm = {.symbols = tdiff->image.length ? &tdiff->symbols : NULL};
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

/* Prints `pc 0x10078 <main+0x8> at kernel.s:12: addi a0,a0,1`. */
static void print_where(struct tdiff *tdiff, const struct record *record)
{
    const struct elf_symbol *symbol =
        tdiff->image.length ? symbolizer_find(&tdiff->symbols, record->pc) : NULL;
    struct text source = TEXT_INIT, name = TEXT_INIT;

    text_append_visible(&name, record->symbol[0] ? record->symbol : symbol ? symbol->name : "");
    printf("pc 0x%" PRIx64, record->pc);
    if (!record->symbol[0] && symbol && symbol->raw.st_value != record->pc)
        printf(" <%s+0x%" PRIx64 ">", name.bytes, record->pc - symbol->raw.st_value);
    else if (name.length)
        printf(" <%s>", name.bytes);
    text_free(&name);
    if (source_append(tdiff->source, &source, record->pc))
        printf(" at %s", source.bytes);
    text_free(&source);
    fputs(": ", stdout);
    print_disassembly(tdiff, record);
    putchar('\n');
}

/* ---- findings ---- */

/* Adds the changes of trace `which` that differ. A change with a counterpart is added only for the
 * first trace. Returns how many there are. */
static size_t find_changes(const struct tdiff *tdiff, struct past *past,
                           struct record *const *records, unsigned which)
{
    const struct record *record = records[which];
    const struct change **counterparts = changes_counterparts(record, records[!which]);
    size_t found = 0;

    for (size_t i = 0; i < record->count; i++) {
        const struct change *change = &record->changes[i], *counterpart = counterparts[i];
        if (change_is_ignored(tdiff, change) ||
            (counterpart && (which == 1 || change_same_value(change, counterpart))))
            continue;
        if (found++ < CHANGES_SHOWN)
            findings_add(&past->groups[which ? FINDING_SECOND : FINDING_FIRST], change,
                         counterpart);
    }
    free(counterparts);
    return found;
}

/* Adds the registers that the instruction reads, each once. */
static void find_registers(struct findings *findings, const struct isa_instruction *instruction,
                           uint64_t word)
{
    bool(*seen)[256] = new_array(isa_register_file_count, sizeof *seen); /* by file and number */

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        const struct isa_register_file *file = operand->type->file;
        unsigned first, count = isa_registers_read(operand, word, &first);
        for (unsigned number = first; number < first + count; number++) {
            bool *known = &seen[file - isa_register_files][number];
            if ((file->zero && number == 0) || *known)
                continue;
            *known = true;
            struct change place = {.kind = CHANGE_REGISTER,
                                   .file = (uint8_t)(file - isa_register_files)};
            snprintf(place.name, sizeof place.name, "%s", file->names[number]);
            findings_add(findings, &place, NULL);
        }
    }
    free(seen);
}

/* Adds what the instruction reads, since a wrong result may come from there: registers, and memory
 * where the trace has no value for it (in Spike's log). */
static void find_sources(struct findings *findings, const struct record *record)
{
    uint64_t word = record->word;
    const struct isa_instruction *instruction =
        record->length <= 8 ? isa_decode(word, (int)record->length) : NULL;

    if (instruction) {
        const struct isa_instruction *base = isa_expand(instruction, &word);
        find_registers(findings, base, word);
    }
    for (size_t i = 0; i < record->count; i++)
        if (record->changes[i].kind == CHANGE_LOAD && record->changes[i].length == 0)
            findings_add(findings, &record->changes[i], NULL);
}

/* Adds the differences of two records at the same pc, and counts those of each trace. */
static void find_differences(struct tdiff *tdiff, struct past *past, struct record *const *records,
                             size_t *found)
{
    const struct change code = {
        .kind = CHANGE_STORE, .address = records[0]->pc, .length = records[0]->length};

    if (!encodings_equal(tdiff, records[0], records[1]))
        findings_add(&past->groups[FINDING_ENCODING], &code, NULL);
    for (unsigned which = 0; which < 2; which++)
        found[which] = find_changes(tdiff, past, records, which);
    find_sources(&past->groups[FINDING_SOURCES], records[0]);
}

/* ---- the report ---- */

static void print_encodings(struct tdiff *tdiff, struct record *const *records,
                            const struct findings *findings)
{
    if (findings->count == 0)
        return;
    printf("  encoding: %0*" PRIx64 " in %s, %0*" PRIx64 " in %s\n", (int)(2 * records[0]->length),
           records[0]->word, tdiff->names[0], (int)(2 * records[1]->length), records[1]->word,
           tdiff->names[1]);
    print_writers(tdiff, findings->list);
}

static void print_change(struct tdiff *tdiff, const struct finding *finding, unsigned which)
{
    fputs("  ", stdout);
    print_place(&finding->place);
    fputs(": ", stdout);
    print_value(&finding->place);
    printf(" in %s, ", tdiff->names[which]);
    if (finding->counterpart)
        print_value(finding->counterpart);
    else
        fputs("nothing", stdout);
    printf(" in %s\n", tdiff->names[!which]);
    if (finding_has_writer(finding))
        print_writers(tdiff, finding);
}

static void print_changes(struct tdiff *tdiff, const struct findings *findings, unsigned which,
                          size_t found)
{
    for (size_t i = 0; i < findings->count; i++)
        print_change(tdiff, &findings->list[i], which);
    if (found > CHANGES_SHOWN)
        printf("  and %zu more changes %s\n", found - CHANGES_SHOWN,
               which ? "that are not in the first trace" : "that differ");
}

static void print_source(struct tdiff *tdiff, const struct finding *finding)
{
    fputs("  reads ", stdout);
    if (change_is_named(finding->place.kind))
        print_place(&finding->place);
    else
        printf("memory at 0x%" PRIx64, finding->place.address);
    putchar('\n');
    print_writers(tdiff, finding);
}

/* Prints which threads executed the instructions, and in which turns, where that differs. */
static void print_turns(const struct tdiff *tdiff, struct record *const *records)
{
    const struct record *a = records[0], *b = records[1];

    if (strcmp(a->thread, b->thread) != 0)
        printf("  thread: %s in %s, %s in %s%s\n", a->thread[0] ? a->thread : "none",
               tdiff->names[0], b->thread[0] ? b->thread : "none", tdiff->names[1],
               a->thread[0] && b->thread[0] ? "; " ADVICE_BY_THREAD : "");
    if (a->has_turn && b->has_turn && a->turn != b->turn)
        printf("  turn: %" PRIu64 " in %s, %" PRIu64 " in %s\n", a->turn, tdiff->names[0], b->turn,
               tdiff->names[1]);
}

/* Prints the differences of two records at the same pc. */
static void print_records(struct tdiff *tdiff, struct record *const *records,
                          const struct past *past, const size_t *found)
{
    const struct record *a = records[0], *b = records[1];

    fputs("  ", stdout);
    print_where(tdiff, a);
    if (a->hart != b->hart || a->privilege != b->privilege)
        printf("  core and privilege: %u %u in %s, %u %u in %s\n", a->hart, a->privilege,
               tdiff->names[0], b->hart, b->privilege, tdiff->names[1]);
    if (!tdiff->is_by_thread)
        print_turns(tdiff, records);
    print_encodings(tdiff, records, &past->groups[FINDING_ENCODING]);
    print_changes(tdiff, &past->groups[FINDING_FIRST], 0, found[0]);
    print_changes(tdiff, &past->groups[FINDING_SECOND], 1, found[1]);
    for (size_t i = 0; i < past->groups[FINDING_SOURCES].count; i++)
        print_source(tdiff, &past->groups[FINDING_SOURCES].list[i]);
}

static void print_pcs(struct tdiff *tdiff, struct record *const *records)
{
    for (unsigned i = 0; i < 2; i++) {
        printf("  in %s: ", tdiff->names[i]);
        print_where(tdiff, records[i]);
    }
    if (!tdiff->is_by_thread)
        print_turns(tdiff, records);
}

static void print_end(struct tdiff *tdiff, struct record *const *records, size_t instructions)
{
    unsigned shorter = records[0] ? 1 : 0;

    printf("%s ends after %zu instructions, which are the same in %s; that one goes on at line "
           "%zu\n  ",
           tdiff->names[shorter], instructions, tdiff->names[!shorter],
           records[!shorter]->line.number);
    print_where(tdiff, records[!shorter]);
}

static void print_context(struct tdiff *tdiff, struct record *const *records,
                          const struct past *past)
{
    for (size_t i = 0; i < past->context_count; i++) {
        printf("  ");
        print_bytes(&past->context[i]);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (records[i]) {
            printf("%c ", "-+"[i]);
            print_bytes(&records[i]->line);
        } else {
            printf("%c (end of %s)\n", "-+"[i], tdiff -> names[i]);
        }
    }
}

/* Copies the line of the record, whose bytes are valid only until the next read. */
static void keep_line(struct tdiff *tdiff, struct record *record)
{
    const char *old = record->line.bytes;

    record->line.bytes = arena_copy(&tdiff->arena, old, record->line.length);
    for (size_t i = 0; i < record->count; i++)
        if (record->changes[i].digits)
            record->changes[i].digits = record->line.bytes + (record->changes[i].digits - old);
}

bool report_difference(struct tdiff *tdiff, struct record *const *records)
{
    struct past past = {0};
    bool both = records[0] && records[1], same_pc = both && records[0]->pc == records[1]->pc;
    size_t instructions = tdiff->inputs[records[0] ? 1 : 0].records;
    size_t found[2] = {0};

    for (unsigned i = 0; i < 2; i++)
        if (records[i])
            keep_line(tdiff, records[i]);
    if (same_pc)
        find_differences(tdiff, &past, records, found);
    bool good = past_read(tdiff, &past, records);
    if (good) {
        if (tdiff->is_by_thread)
            printf("thread %s: ", tdiff->inputs[0].thread);
        if (both)
            printf("first difference at instruction %" PRIu64 ": %s:%zu, %s:%zu\n",
                   records[0]->sequence, tdiff->names[0], records[0]->line.number, tdiff->names[1],
                   records[1]->line.number);
        if (same_pc)
            print_records(tdiff, records, &past, found);
        else if (both)
            print_pcs(tdiff, records);
        else
            print_end(tdiff, records, instructions);
        print_context(tdiff, records, &past);
    }
    past_free(&past);
    return good;
}

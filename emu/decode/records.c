/* See records.h. */
#include "emu/decode/records.h"
#include "emu/decode/operands.h"
#include "standard_ids.h"
#include <stdlib.h>

/* What an instruction is in superinstructions. */
struct super_part {
    uint32_t own;   /* a bit, if it is the second instruction of one */
    uint32_t after; /* the bits of the second ones after it */
    uint16_t first; /* the first superinstruction that begins with it */
};

const struct superinstruction superinstructions[] = {
#define ROW(name, count, ...) {count, {__VA_ARGS__}},
    ISA_FOR_EACH_SUPERINSTRUCTION(ROW)
#undef ROW
        {0, {UINT16_MAX}}, /* the end: not an id */
};

struct super_part *records_find_super_parts(void)
{
    struct super_part *parts = calloc(isa_instruction_count, sizeof *parts);
    unsigned count = 0;

    for (unsigned i = ISA_SUPERINSTRUCTION_COUNT; parts && i-- > 0;) {
        struct super_part *first = &parts[superinstructions[i].ids[0]],
                          *second = &parts[superinstructions[i].ids[1]];
        if (!second->own)
            second->own = UINT32_C(1) << count++ % 32;
        first->after |= second->own;
        first->first = (uint16_t)i;
    }
    return parts;
}

/* Are sequences run as one? */
static bool has_sequences(const struct code *code)
{
    return code->executor->superinstructions && !code->is_defined;
}

static void make_pseudo(struct decoded *record, enum pseudo_body body, uint64_t pc,
                        int64_t immediate)
{
    record->id = body;
    record->pc = (uint32_t)pc;
    record->imm[0] = immediate;
}

/* Must mstatus.FS be checked before the instruction? While FS is off, before every instruction that
 * uses f registers. While FS is not dirty, before those that change them or raise flags, which
 * stores do not, except those of tensor elements (docs/decisions.md, dirty FS). */
static __attribute__((noinline)) bool is_guarded(const struct code *code,
                                                 const struct isa_instruction *instruction)
{
    if (code->floats == FLOATS_WATCHED && strcmp(instruction->timing->name, "store") == 0 &&
        !(instruction->effects & ISA_EFFECT_WALK))
        return false;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_register_file *file = instruction->operands[i].type->file;
        if (file && file->standard == ISA_STANDARD_FLOAT)
            return true;
    }
    return false;
}

/* Returns the last address in the page. */
static uint64_t page_last(uint64_t address)
{
    return address | (MEMORY_PAGE - 1);
}

/* Returns the address in the page of `pc` before which four bytes may be fetched without a further
 * check. */
static uint64_t simple_end(const struct memory *memory, uint64_t pc)
{
    bool is_simple = !memory->guard && pc < MEMORY_CODE_LIMIT &&
                     memory->pages[code_page_number(pc)] & PAGE_EXECUTE;

    return is_simple ? page_last(pc) + 2 - sizeof(uint32_t) : 0;
}

/* Fetches the instruction at the address. Returns false after a fault. *length: its bytes, or 0. */
static __attribute__((noinline)) bool fetch_carefully(const struct code *code, uint64_t pc,
                                                      uint64_t *word, int *length,
                                                      struct fault *fault)
{
    if (!memory_fetch(code->memory, pc, 2, word, fault))
        return false;
    *length = isa_length(*word);
    return *length <= 2 || memory_fetch(code->memory, pc, *length, word, fault);
}

/* Does the same; `simple` is the end of simple_end. Most instructions have two or four bytes. Hosts
 * cannot predict which of the two, so nothing branches by that. */
static inline bool fetch(const struct code *code, uint64_t pc, uint64_t simple, uint64_t *word,
                         int *length, struct fault *fault)
{
    uint32_t bytes;

    if (pc < simple) {
        memcpy(&bytes, code->memory->host + pc, sizeof bytes);
        bool is_short = isa_is_short((uint16_t)bytes);
        if (__builtin_expect(!isa_is_long((uint16_t)bytes), 1)) {
            *length = 4 - 2 * is_short;
            *word = bytes & (UINT16_MAX | ((uint32_t)is_short - 1));
            return true;
        }
    }
    return fetch_carefully(code, pc, word, length, fault);
}

/* Fills a record that is 0 with what raises the exception of an illegal word. */
static __attribute__((noinline)) void make_illegal(const struct code *code, struct decoded *record,
                                                   uint64_t pc, uint64_t word, int length)
{
    struct fault fault;
    uint64_t value = word;

    /* mtval holds the first 8 bytes of an encoding that is too long for any instruction. */
    if (!length && !memory_fetch(code->memory, pc, sizeof value, &value, &fault))
        value = word;
    make_pseudo(record, PSEUDO_ILLEGAL, pc, (int64_t)value);
    record->length = length ? (uint8_t)length : 2;
}

/* Returns the plan of the instruction at `pc`, by which the record, which is 0, can be filled from
 * *word. NULL: the record raises an exception instead. *length: that of the record. */
static inline __attribute__((always_inline)) const struct operand_plan *
find_plan(const struct code *code, struct decoded *record, uint64_t pc, uint64_t simple,
          uint64_t *word, int *length)
{
    struct fault fault;

    if (!fetch(code, pc, simple, word, length, &fault)) {
        make_pseudo(record, PSEUDO_FETCH, pc, (int64_t)fault.value);
        record->address = pc;
        *length = 0;
        return NULL;
    }
    const struct operand_plan *plan =
        *length ? operands_of_word(code->plans, *word, *length, code->extensions) : NULL;
    if (!plan) {
        make_illegal(code, record, pc, *word, *length);
        *length = record->length;
        return NULL;
    }
    record->pc = (uint32_t)pc;
    if (code->floats != FLOATS_FREE && is_guarded(code, &isa_instructions[plan->id])) {
        operands_fill(record, plan, *word);
        record->id = PSEUDO_FLOAT;
        return NULL;
    }
    return plan;
}

bool code_decode(const struct code *code, struct decoded *record, uint64_t pc)
{
    uint64_t word;
    int length;

    *record = (struct decoded){0};
    const struct operand_plan *plan =
        find_plan(code, record, pc, simple_end(code->memory, pc), &word, &length);
    if (plan)
        operands_fill(record, plan, word);
    return plan && !plan->is_flow;
}

/* Returns the longest superinstruction that begins at the record, or -1. The last record is not an
 * instruction. */
static int find_superinstruction(const struct super_part *part, const struct decoded *record)
{
    for (unsigned i = part->first; superinstructions[i].ids[0] == record->id; i++) {
        unsigned k = 1;
        while (k < superinstructions[i].count && record[k].id == superinstructions[i].ids[k])
            k++;
        if (k == superinstructions[i].count)
            return (int)i;
    }
    return -1;
}

/* Gives sequences of the instructions, up to a record that is none, the bodies of
 * superinstructions.
 */
static void assign_superinstructions(const struct code *code, struct decoded *records)
{
    const struct super_part *parts = code->supers;

    while (records[0].id < PSEUDO_FIRST && records[1].id < PSEUDO_FIRST) {
        const struct super_part *part = &parts[records[0].id];
        bool may_begin = part->after & parts[records[1].id].own;
        int super = may_begin ? find_superinstruction(part, records) : -1;
        if (super >= 0)
            records[0].body = code->executor->superinstructions[super];
        records += super >= 0 ? superinstructions[super].count : 1;
    }
}

void code_join(const struct code *code, struct decoded *entry)
{
    if (has_sequences(code))
        assign_superinstructions(code, entry + 1);
    entry->body = records_body(code, PSEUDO_ENTRY);
}

/* Completes the records of a block: those that are executed by their plans, perhaps one that raises
 * an exception, and the terminator. */
static void complete_records(const struct code *code, struct decoded *records, unsigned planned,
                             unsigned instructions)
{
    const struct executor *executor = code->executor;
    bool is_common = executor->pseudo_bodies && !executor->every && !code->is_defined;

    for (unsigned i = 0; i <= instructions; i++) {
        unsigned id = records[i].id;
        records[i].body = is_common && i < planned ? executor->bodies[id] : records_body(code, id);
        records[i].remaining = (uint8_t)(instructions - i);
    }
    if (has_sequences(code) && !executor->first_entry)
        assign_superinstructions(code, records);
}

/* Returns the end of the bytes that the record was decoded from. */
static uint64_t end_of(const struct code *code, const struct decoded *record)
{
    bool is_long = record->id == PSEUDO_ILLEGAL && !isa_length(code_word(code, record));
    uint64_t end = is_long ? record->pc + sizeof(uint64_t) : code_next_pc(record);

    return end < MEMORY_CODE_LIMIT ? end : MEMORY_CODE_LIMIT;
}

/* Instructions in a row. */
struct row {
    const struct operand_plan *plans[BLOCK_LIMIT]; /* by which `planned` records are filled */
    uint64_t words[BLOCK_LIMIT];
    unsigned planned;
    bool is_planned; /* the last one is; or else its record raises an exception */
    int length;      /* of the last one */
    uint64_t end;
};

/* Decodes the instructions from `pc` on into records, which are 0 unless `clears`, up to one after
 * which control may go elsewhere, to the end of the page, or `limit` of them. All plans are found
 * before one is used: each takes the host some accesses that depend on each other, and several such
 * chains overlap if little is between them. */
static inline __attribute__((always_inline)) void decode_row(const struct code *code,
                                                             struct decoded *records, uint64_t pc,
                                                             unsigned limit, bool clears,
                                                             struct row *row)
{
    uint64_t next = pc, simple = simple_end(code->memory, pc);
    bool open = true, is_planned = true;
    unsigned planned = 0;
    int length = 0;

    while (open && planned < limit && next <= page_last(pc)) {
        if (clears)
            records[planned] = (struct decoded){0};
        const struct operand_plan *plan =
            find_plan(code, &records[planned], next, simple, &row->words[planned], &length);
        next += (unsigned)length;
        is_planned = plan != NULL;
        open = is_planned && !plan->is_flow;
        row->plans[planned] = plan;
        planned += is_planned;
    }
    for (unsigned i = 0; i < planned; i++)
        operands_fill(&records[i], row->plans[i], row->words[i]);
    row->planned = planned;
    row->is_planned = is_planned;
    row->length = length;
    row->end = next;
}

unsigned code_decode_row(const struct code *code, struct decoded *records, uint64_t pc,
                         unsigned limit)
{
    struct row row;

    decode_row(code, records, pc, limit, true, &row);
    return row.planned + !row.is_planned;
}

/* Decodes the instructions of a block and its terminator. Returns the number of records. */
static unsigned decode_block(const struct code *code, struct decoded *records, uint64_t pc,
                             uint64_t *end)
{
    unsigned limit = code->executor->has_single_blocks ? 1 : BLOCK_LIMIT;
    struct row row;

    decode_row(code, records, pc, limit, false, &row);
    unsigned instructions = row.planned + !row.is_planned;
    if (!row.is_planned && !row.length && row.planned > 0)
        records[--instructions] = (struct decoded){0}; /* the fault gets its own block */
    make_pseudo(&records[instructions],
                row.end == MEMORY_CODE_LIMIT ? PSEUDO_NOWHERE : PSEUDO_NEXT_BLOCK, row.end, 0);
    complete_records(code, records, row.planned, instructions);
    *end = end_of(code, &records[instructions - 1]);
    return instructions + 1;
}

void records_make_entry(const struct code *code, struct decoded *entry)
{
    const struct decoded *first = entry + 1;

    make_pseudo(entry, PSEUDO_ENTRY, first->pc, 0);
    entry->remaining = first->remaining;
    entry->body = code->executor->first_entry ? code->executor->first_entry
                                              : records_body(code, PSEUDO_ENTRY);
}

struct decoded *records_decode(const struct code *code, struct decoded *records, uint64_t pc,
                               unsigned *count, uint64_t *end)
{
    unsigned entry = records_body(code, PSEUDO_ENTRY) != NULL;

    *count = entry + decode_block(code, records + entry, pc, end);
    if (records[entry].id == PSEUDO_FETCH) /* needs no entry */
        return records + entry;
    if (entry)
        records_make_entry(code, records);
    return records;
}

/* See blocks.h. Constants are propagated forward until nothing changes: a register is known at the
 * beginning of a block if it has the same value at the end of all blocks before it. Code is entered
 * at symbols of functions, at global symbols and where nothing else leads. */
#include "asm/tobjdump/blocks.h"

#include "lib/bytes.h"
#include "standard_ids.h"
#include <stdlib.h>
#include <string.h>

enum {
    SYMBOL_SHIFT = 40, /* values that stand for unknown ones are multiples of 2^40 */
    SHIFT = 4096,      /* a multiple of all alignments that a formula may depend on */
};

/* ---- registers ---- */

static uint64_t stand_in(struct block_registers *registers)
{
    return ++registers->fresh << SYMBOL_SHIFT;
}

static void forget(struct block_registers *registers, unsigned number)
{
    if (number == ISA_REGISTER_ZERO)
        return;
    registers->value[number] = stand_in(registers);
    registers->known &= ~(UINT64_C(1) << number);
}

static void forget_all(struct block_registers *registers)
{
    *registers = (struct block_registers){.known = 1};
    for (unsigned i = 1; i < ISA_X_REGISTERS; i++)
        forget(registers, i);
}

static void set_register(struct block_registers *registers, unsigned number, uint64_t value,
                         bool is_known)
{
    if (number == ISA_REGISTER_ZERO)
        return;
    registers->value[number] = value;
    registers->known &= ~(UINT64_C(1) << number);
    registers->known |= (uint64_t)is_known << number;
}

/* ---- an execution ---- */

static bool is_integer(const struct isa_operand_type *type)
{
    return type->file && type->file->standard == ISA_STANDARD_INTEGER;
}

/* Returns the value of an operand. */
static uint64_t operand_value(const struct block_registers *registers,
                              const struct isa_operand_type *type, int64_t field, bool *is_known)
{
    bool is_choice = type->kind == ISA_REGISTER_OR_IMMEDIATE;
    unsigned number = (unsigned)field;

    *is_known = true;
    if (is_choice && isa_ri_is_immediate(type, (uint64_t)field))
        return isa_ri_value(type, (uint64_t)field);
    if (is_choice)
        number = isa_ri_value(type, (uint64_t)field);
    else if (type->kind != ISA_REGISTER && type->kind != ISA_REGISTER_GROUP)
        return (uint64_t)field;
    if (!is_integer(type) || type->kind == ISA_REGISTER_GROUP) {
        *is_known = false;
        return 0;
    }
    *is_known = registers->known >> number & 1;
    return registers->value[number];
}

static bool has_same_lengths(const struct execution_value *a, const struct execution_value *b)
{
    if (a->range_count != b->range_count)
        return false;
    for (size_t i = 0; i < a->range_count; i++)
        if (a->ranges[i].length != b->ranges[i].length)
            return false;
    return true;
}

/* Gives unknown operands of an instruction of a unit values: one that moves ranges is an address
 * and keeps the value that stands for it; one that changes their length is a size. */
static void assume_sizes(struct block_execution *execution, uint64_t assumed)
{
    struct execution_value *value = &execution->value, probe = *value, other;
    unsigned id = execution->word.instruction->id;

    for (unsigned i = 0; i < execution->word.instruction->operand_count; i++)
        if (execution->unknown >> i & 1)
            probe.operands[i] = assumed;
    if (!execution_value(&probe, id))
        return;
    for (unsigned i = 0; i < execution->word.instruction->operand_count; i++) {
        if (!(execution->unknown >> i & 1))
            continue;
        other = probe;
        other.operands[i] += SHIFT;
        if (execution_value(&other, id) && has_same_lengths(&probe, &other))
            continue;
        value->operands[i] = assumed;
        execution->assumed |= 1u << i;
    }
}

/* Sets the registers that the instruction writes. */
static void write_registers(const struct block_execution *execution,
                            const struct block_instruction *instruction,
                            struct block_registers *registers, bool has_result)
{
    const struct isa_instruction *base = execution->word.instruction;
    const struct execution_value *value = &execution->value;

    for (unsigned i = 0; i < base->operand_count; i++) {
        const struct isa_operand_type *type = base->operands[i].type;
        unsigned number = (unsigned)execution->word.fields[i];
        if (type->kind != ISA_REGISTER || !(type->access & ISA_WRITE) || !is_integer(type))
            continue;
        bool is_result = has_result && value->has_result && value->operand == i;
        bool is_same = false; /* an unknown value, moved by a known distance */
        for (unsigned k = 0; k < base->operand_count; k++)
            is_same |= execution->unknown >> k & 1 && value->operands[k] >> SYMBOL_SHIFT &&
                       value->operands[k] >> SYMBOL_SHIFT == value->result >> SYMBOL_SHIFT;
        if (is_result && !instruction->is_relocated && (!execution->unknown || is_same))
            set_register(registers, number, value->result, !execution->unknown);
        else
            forget(registers, number);
    }
    if (base->id == ISA_ID_ECALL)
        forget(registers, ISA_REGISTER_A0);
}

void block_execute(const struct blocks *blocks, const struct block_instruction *instruction,
                   struct block_registers *registers, uint64_t assumed,
                   struct block_execution *execution)
{
    struct timed_word *word = &execution->word;
    struct execution_value *value = &execution->value;
    bool is_known;

    timed_word_init(word, blocks->config, instruction->word, instruction->length);
    value->config = blocks->config;
    value->pc = instruction->pc;
    value->range_count = 0;
    execution->unknown = execution->assumed = 0;
    if (!word->instruction)
        return;
    for (unsigned i = 0; i < word->instruction->operand_count; i++) {
        const struct isa_operand_type *type = word->instruction->operands[i].type;
        value->operands[i] = operand_value(registers, type, word->fields[i], &is_known);
        if (!is_known && (type->kind != ISA_REGISTER || type->access & ISA_READ))
            execution->unknown |= 1u << i;
    }
    if (execution->unknown && word->model.unit >= 0)
        assume_sizes(execution, assumed);
    bool has_result = execution_value(value, word->instruction->id);
    if (instruction->is_relocated)
        value->range_count = 0;
    write_registers(execution, instruction, registers, has_result);
}

/* ---- instructions ---- */

static void add_instructions(struct blocks *blocks, const struct elf_section *section,
                             uint64_t offset, uint64_t stop)
{
    struct arena *arena = &blocks->objdump->file_arena;

    while (stop - offset >= 2) {
        int length = isa_length((uint16_t)bytes_get(section->bytes + offset, 2));
        if (length == 0 || stop - offset < (uint64_t)length)
            length = 2;
        blocks->instructions =
            arena_grow(arena, blocks->instructions, blocks->instruction_count,
                       &blocks->instruction_capacity, sizeof *blocks->instructions);
        blocks->instructions[blocks->instruction_count++] = (struct block_instruction){
            .pc = section->header.sh_addr + offset,
            .word = bytes_get(section->bytes + offset, (unsigned)length),
            .length = (uint8_t)length,
        };
        offset += (uint64_t)length;
    }
}

/* Adds the instructions of the section, without data between them. */
static void find_instructions(struct blocks *blocks, const struct elf_section *section)
{
    const struct tobjdump *objdump = blocks->objdump;
    uint64_t start, stop, base = section->header.sh_addr;

    if (!section->bytes || !section_window(objdump, section, &start, &stop))
        return;
    for (size_t i = 0; i < objdump->mapping_count && start < stop; i++) {
        const struct mapping *mapping = &objdump->mappings[i];
        bool is_last = i + 1 == objdump->mapping_count || mapping[1].section != mapping->section;
        uint64_t end = is_last ? stop : mapping[1].address - base;
        if (mapping->section != section->index || end <= start)
            continue;
        if (mapping->address - base > start && mapping->address - base < stop) {
            add_instructions(blocks, section, start, mapping->address - base);
            start = mapping->address - base;
        }
        if (end > stop)
            end = stop;
        if (!mapping->data)
            add_instructions(blocks, section, start, end);
        start = end;
    }
    add_instructions(blocks, section, start, stop);
}

/* Returns the instruction at the address, or SIZE_MAX. */
static size_t find_instruction(const struct blocks *blocks, uint64_t pc)
{
    size_t low = 0, high = blocks->instruction_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (blocks->instructions[middle].pc < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < blocks->instruction_count && blocks->instructions[low].pc == pc ? low : SIZE_MAX;
}

/* ---- control ---- */

/* How control goes on after an instruction. */
struct flow {
    bool ends; /* the block */
    bool falls, calls;
    size_t target; /* instruction; SIZE_MAX: none, or not known */
};

/* `targets` has where the relocated branches of an object lead, by instruction. */
static struct flow flow_of(const struct blocks *blocks, const size_t *targets, size_t index)
{
    const struct block_instruction *instruction = &blocks->instructions[index];
    const struct isa_instruction *decoded = isa_decode(instruction->word, instruction->length);
    struct flow flow = {.target = SIZE_MAX};
    int64_t fields[ISA_OPERAND_LIMIT];
    bool has_target = false;

    if (!decoded)
        return (struct flow){.ends = true, .target = SIZE_MAX};
    decoded = isa_operands(decoded, instruction->word, fields);
    if (!(decoded->effects & ISA_EFFECT_FLOW) || !(decoded->effects & ISA_EFFECT_TRAP) ||
        decoded->id == ISA_ID_ECALL)
        return flow;
    flow.ends = true;
    flow.falls = true;
    for (unsigned i = 0; i < decoded->operand_count; i++) {
        const struct isa_operand_type *type = decoded->operands[i].type;
        if (type->kind == ISA_REGISTER && type->access & ISA_WRITE) {
            flow.calls = fields[i] != ISA_REGISTER_ZERO;
            flow.falls = flow.calls; /* a jump; only a call comes back */
        }
        if (type->kind == ISA_TARGET) {
            has_target = true;
            flow.target = instruction->is_relocated
                              ? targets[index]
                              : find_instruction(blocks, instruction->pc + (uint64_t)fields[i]);
        }
    }
    if (!has_target && !flow.calls && decoded->operand_count == 0)
        flow.falls = false; /* a return from a trap, a breakpoint */
    return flow;
}

static size_t *read_relocations(struct blocks *blocks, const struct elf_section *section)
{
    const struct elf_file *file = &blocks->objdump->file;
    size_t *targets =
        arena_array(&blocks->objdump->file_arena, blocks->instruction_count + 1, sizeof *targets);
    struct elf_relocation *relocations;
    size_t count;

    memset(targets, 0xff, blocks->instruction_count * sizeof *targets);
    if (!section_relocations(blocks->objdump, section, &relocations, &count))
        return targets;
    for (size_t i = 0; i < count; i++) {
        size_t at = find_instruction(blocks, section->header.sh_addr + relocations[i].offset);
        const struct isa_relocation *relocation = isa_relocation_by_number(relocations[i].type);
        if (at == SIZE_MAX || (relocation && (relocation->value == ISA_VALUE_RELAX ||
                                              relocation->value == ISA_VALUE_ALIGN)))
            continue;
        blocks->instructions[at].is_relocated = true;
        const struct elf_symbol *symbol = relocations[i].symbol < file->symbol_count
                                              ? &file->symbols[relocations[i].symbol]
                                              : NULL;
        if (symbol && symbol->section == section->index)
            targets[at] =
                find_instruction(blocks, symbol->raw.st_value + (uint64_t)relocations[i].addend);
    }
    return targets;
}

/* ---- blocks ---- */

enum { LEADER = 1, ENTRY = 2 };

/* Marks the instructions at symbols. */
static void mark_symbols(const struct blocks *blocks, const struct elf_section *section,
                         unsigned char *marks)
{
    const struct elf_file *file = &blocks->objdump->file;

    for (size_t i = 1; i < file->symbol_count; i++) {
        const struct elf_symbol *symbol = &file->symbols[i];
        int type = symbol_type(symbol);
        if (symbol->section != section->index || !symbol_is_presentable(symbol) ||
            (type != STT_NOTYPE && type != STT_FUNC))
            continue;
        size_t at = find_instruction(blocks, symbol->raw.st_value);
        bool is_entry = type == STT_FUNC || symbol_binding(symbol) != STB_LOCAL;
        if (at != SIZE_MAX)
            marks[at] |= LEADER | (is_entry ? ENTRY : 0);
    }
}

static void make_blocks(struct blocks *blocks, const unsigned char *marks, size_t *block_of)
{
    size_t capacity = 0;

    for (size_t i = 0; i < blocks->instruction_count; i++) {
        if (marks[i] & LEADER) {
            blocks->items = arena_grow(&blocks->objdump->file_arena, blocks->items, blocks->count,
                                       &capacity, sizeof *blocks->items);
            blocks->items[blocks->count++] =
                (struct block){.first = i, .is_entry = marks[i] & ENTRY, .successor = SIZE_MAX};
        }
        blocks->items[blocks->count - 1].count++;
        block_of[i] = blocks->count - 1;
    }
}

static void divide(struct blocks *blocks, const struct elf_section *section)
{
    struct arena *arena = &blocks->objdump->file_arena;
    size_t *targets = read_relocations(blocks, section);
    size_t count = blocks->instruction_count;
    unsigned char *marks = arena_array(arena, count + 1, 1);
    size_t *block_of = arena_array(arena, count + 1, sizeof *block_of);

    mark_symbols(blocks, section, marks);
    if (count)
        marks[0] |= LEADER;
    for (size_t i = 0; i < count; i++) {
        const struct block_instruction *instruction = &blocks->instructions[i];
        struct flow flow = flow_of(blocks, targets, i);
        bool is_next = i + 1 < count && instruction[1].pc == instruction->pc + instruction->length;
        if (flow.target != SIZE_MAX)
            marks[flow.target] |= LEADER;
        if ((flow.ends || !is_next) && i + 1 < count)
            marks[i + 1] |= LEADER;
    }
    make_blocks(blocks, marks, block_of);
    for (size_t i = 0; i < blocks->count; i++) {
        struct block *block = &blocks->items[i];
        size_t last = block->first + block->count - 1;
        const struct block_instruction *end = &blocks->instructions[last];
        struct flow flow = flow_of(blocks, targets, last);
        bool is_next = last + 1 < count && end[1].pc == end->pc + end->length;
        block->falls = is_next && (!flow.ends || flow.falls);
        block->calls = flow.calls;
        if (flow.target != SIZE_MAX && !flow.calls)
            block->successor = block_of[flow.target];
    }
}

/* ---- constants ---- */

/* Joins the registers at the end of a block with those at the beginning of the next. */
static void join(struct block *block, const struct block_registers *registers)
{
    if (!block->is_reached) {
        forget_all(&block->registers);
        for (unsigned i = 0; i < ISA_X_REGISTERS; i++)
            if (registers->known >> i & 1)
                set_register(&block->registers, i, registers->value[i], true);
        block->is_reached = block->is_scheduled = true;
        return;
    }
    for (unsigned i = 1; i < ISA_X_REGISTERS; i++) {
        bool is_same =
            registers->known >> i & 1 && registers->value[i] == block->registers.value[i];
        if (block->registers.known >> i & 1 && !is_same) {
            forget(&block->registers, i);
            block->is_scheduled = true;
        }
    }
}

static void pass(struct blocks *blocks, size_t index)
{
    struct block *block = &blocks->items[index];
    struct block_registers registers = block->registers, nothing;
    struct block_execution execution;

    block->is_scheduled = false;
    for (size_t i = 0; i < block->count; i++)
        block_execute(blocks, &blocks->instructions[block->first + i], &registers, 0, &execution);
    if (block->successor != SIZE_MAX)
        join(&blocks->items[block->successor], &registers);
    forget_all(&nothing);
    if (block->falls)
        join(&blocks->items[index + 1], block->calls ? &nothing : &registers);
}

static void propagate(struct blocks *blocks)
{
    struct block_registers nothing;
    bool has_changed = true;

    forget_all(&nothing);
    for (size_t i = 0; i < blocks->count; i++)
        if (i == 0 || blocks->items[i].is_entry)
            join(&blocks->items[i], &nothing);
    while (has_changed) {
        has_changed = false;
        for (size_t i = 0; i < blocks->count; i++) {
            if (!blocks->items[i].is_scheduled)
                continue;
            pass(blocks, i);
            has_changed = true;
        }
        /* Where nothing leads, code comes from elsewhere, e.g. by a table of addresses. */
        for (size_t i = 0; i < blocks->count && !has_changed; i++)
            if (!blocks->items[i].is_reached) {
                join(&blocks->items[i], &nothing);
                has_changed = true;
            }
    }
}

void blocks_find(struct blocks *blocks, struct tobjdump *objdump, const struct config *config,
                 const struct elf_section *section)
{
    *blocks = (struct blocks){.objdump = objdump, .config = config};
    find_instructions(blocks, section);
    divide(blocks, section);
    propagate(blocks);
}

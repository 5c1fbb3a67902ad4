/* See profile.h. */
#include "emu/profile/profile.h"
#include "emu/decode/access.h"
#include "emu/keeper.h"
#include "emu/profile/stats.h"
#include "emu/workers/workers.h"
#include "instruction_ids.h"
#include "isa_ids.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = PROFILE_PAGE / 2, /* instructions begin at even addresses */
    FIRST_NODES = 1024,
    FIRST_FRAMES = 64,
    LONGEST = 8,        /* bytes of an instruction */
    USUAL_FRAME = 2048, /* bytes of a function on the stack */
    SHORT = 8,          /* instructions: what is less is executed by blocks in the same time */
};

void profile_add(struct profile_cost *sum, const struct profile_cost *cost)
{
    sum->instructions += cost->instructions;
    sum->cycles += cost->cycles;
    sum->read += cost->read;
    sum->written += cost->written;
    sum->products += cost->products;
}

/* ---- functions ---- */

size_t profile_functions_up_to(const struct profile *profile, uint64_t address)
{
    size_t low = 0, high = profile->function_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (profile->functions[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t profile_function(const struct profile *profile, uint64_t address)
{
    size_t count = profile_functions_up_to(profile, address);

    return count ? profile->functions[count - 1] : 0;
}

static void append_function(struct profile *profile, uint64_t address)
{
    profile->functions = arena_grow(profile->arena, profile->functions, profile->function_count,
                                    &profile->function_capacity, sizeof *profile->functions);
    profile->functions[profile->function_count++] = address;
}

static int compare_addresses(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

/* Is it a symbol that a function begins at? A label of assembly has no type; it is one if other
 * files can see it. */
static bool is_function(const struct elf_file *file, const struct elf_symbol *symbol)
{
    unsigned type = ELF64_ST_TYPE(symbol->raw.st_info);
    bool is_code = symbol->section > 0 && symbol->section < file->section_count &&
                   file->sections[symbol->section].header.sh_flags & SHF_EXECINSTR;

    return is_code && (type == STT_FUNC || type == STT_GNU_IFUNC ||
                       (type == STT_NOTYPE && ELF64_ST_BIND(symbol->raw.st_info) != STB_LOCAL));
}

/* Finds where functions begin: at symbols, and at both ends of sections with code. */
static void find_functions(struct profile *profile)
{
    const struct elf_file *file = &profile->program->file;
    size_t count = 0;

    for (size_t i = 1; i < file->section_count; i++) {
        const Elf64_Shdr *header = &file->sections[i].header;
        if (!(header->sh_flags & SHF_EXECINSTR))
            continue;
        append_function(profile, header->sh_addr);
        append_function(profile, header->sh_addr + header->sh_size);
    }
    for (size_t i = 1; i < file->symbol_count; i++) {
        const struct elf_symbol symbol = elf_symbol_at(file, i);
        if (is_function(file, &symbol))
            append_function(profile, symbol.raw.st_value);
    }
    append_function(profile, profile->program->entry);
    qsort(profile->functions, profile->function_count, sizeof *profile->functions,
          compare_addresses);
    for (size_t i = 0; i < profile->function_count; i++)
        if (count == 0 || profile->functions[count - 1] != profile->functions[i])
            profile->functions[count++] = profile->functions[i];
    profile->function_count = count;
}

bool profile_knows_callee(const struct profile *profile, uint64_t target)
{
    if (profile_function(profile, target) == target)
        return true;
    const struct elf_symbol *symbol = symbolizer_find(&profile->program->symbols, target);
    return !symbol || symbol->raw.st_value != target;
}

/* A function begins where a call leads to a label. */
static void learn_function(struct profile *profile, uint64_t address)
{
    size_t place = profile_functions_up_to(profile, address);

    if (profile_knows_callee(profile, address))
        return;
    profile->learned++;
    append_function(profile, address);
    memmove(&profile->functions[place + 1], &profile->functions[place],
            (profile->function_count - 1 - place) * sizeof *profile->functions);
    profile->functions[place] = address;
    for (uint64_t at = 0; at < MEMORY_LIMIT / PROFILE_PAGE; at++)
        for (size_t i = 0; profile->pages[at] && i < SLOTS; i++)
            profile->pages[at][i].function = profile_function(profile, at * PROFILE_PAGE + i * 2);
}

/* ---- places ---- */

/* Is it an operand that is one of the registers that hold return addresses? */
static bool is_link(const struct isa_operand *operand, int64_t value)
{
    return operand->type->kind == ISA_REGISTER &&
           operand->type->file->standard == ISA_STANDARD_INTEGER &&
           (value == ISA_REGISTER_RA || value == ISA_REGISTER_T0);
}

/* Returns what the hints of the unprivileged ISA say about a jump. */
static enum profile_jump jump_of(const struct isa_instruction *instruction, const int64_t *values)
{
    int64_t written = 0, read = 0;

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (is_link(operand, values[i]))
            *(operand->type->access & ISA_WRITE ? &written : &read) = values[i];
    }
    if (written)
        return read && read != written ? PROFILE_SWAP : PROFILE_CALL;
    return read ? PROFILE_RETURN : PROFILE_JUMP;
}

enum profile_jump profile_jump_of(uint64_t word, unsigned length)
{
    const struct isa_instruction *instruction = isa_decode(word, (int)length);
    int64_t values[ISA_OPERAND_LIMIT];

    if (!instruction)
        return PROFILE_JUMP;
    instruction = isa_operands(instruction, word, values);
    return instruction->effects & ISA_EFFECT_FLOW && !instruction->inverse
               ? jump_of(instruction, values)
               : PROFILE_JUMP;
}

/* Does the instruction access a CSR of floating point? Unlike other CSRs, these only change what
 * instructions compute. */
static bool has_float_csr(const struct isa_instruction *instruction, const int64_t *values)
{
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].type->kind == ISA_CSR)
            return isa_is_float_csr((unsigned)values[i]);
    return false;
}

/* Is the cost of the instruction with these operands the same whenever it retires, and does it only
 * go on or jump? A conditional store, which may fail, is not one of those whose bytes are known; a
 * jump has an operand, unlike a call of the environment. */
static bool is_steady(const struct isa_instruction *instruction, const int64_t *values)
{
    enum {
        STEADY = ISA_EFFECT_LOAD | ISA_EFFECT_STORE | ISA_EFFECT_TRAP | ISA_EFFECT_FLOW |
                 ISA_EFFECT_FLOAT,
        ACCESSES = ISA_EFFECT_LOAD | ISA_EFFECT_STORE,
    };

    const struct access *access = access_of(instruction->id);
    unsigned steady = access->atomic ? STEADY | ISA_EFFECT_CODE : STEADY;

    return (!(instruction->effects & ~steady) || has_float_csr(instruction, values)) &&
           (!(instruction->effects & ACCESSES) || access->bytes || access->atomic) &&
           (!(instruction->effects & ISA_EFFECT_FLOW) || instruction->operand_count);
}

void profile_tell_places(struct profile *profile, uint64_t pc, uint64_t instructions,
                         uint64_t count)
{
    for (uint64_t i = 0; i < instructions; i++) {
        struct profile_place *place =
            &profile->pages[pc % MEMORY_LIMIT / PROFILE_PAGE][pc % PROFILE_PAGE / 2];
        place->cost.instructions += count;
        place->cost.read += count * place->read;
        place->cost.written += count * place->written;
        if (profile->stats)
            stats_count_steady(profile->stats, &isa_instructions[place->id], count, place->read,
                               place->written);
        pc += place->length;
    }
}

static void finish_run(struct profile *profile, struct profile_run *run)
{
    profile_tell_places(profile, run->pc, run->instructions, run->count);
    run->count = 0;
}

static void finish_runs(struct profile *profile)
{
    for (; profile->pending; profile->pending = profile->pending->next) {
        finish_run(profile, profile->pending);
        profile->pending->is_pending = false;
    }
}

static void describe(struct profile *profile, struct profile_place *place, uint64_t pc,
                     uint64_t word, unsigned length)
{
    const struct isa_instruction *instruction = isa_decode(word, (int)length);
    int64_t values[ISA_OPERAND_LIMIT];

    place->word = word;
    place->length = (uint8_t)length;
    place->is_known = true;
    place->is_steady = place->is_usual = false;
    place->function = profile_function(profile, pc);
    place->id = ISA_ID_COUNT;
    if (!instruction)
        return;
    instruction = isa_operands(instruction, word, values);
    place->id = instruction->id;
    place->is_branch = instruction->effects & ISA_EFFECT_FLOW && instruction->inverse;
    place->is_steady =
        is_steady(instruction, values) && !isa_is_idle_branch(instruction, values, length);
    const struct access *access = access_of(instruction->id);
    uint8_t bytes = access->atomic ? access->atomic : access->bytes;
    place->read = instruction->effects & ISA_EFFECT_LOAD ? bytes : 0;
    place->written = instruction->effects & ISA_EFFECT_STORE ? bytes : 0;
    place->is_unit = instruction->effects & ISA_EFFECT_UNIT;
    place->has_bins = operand_bins_has(instruction);
    place->jump = PROFILE_JUMP;
    place->has_register = false;
    /* A branch only compares its registers. */
    if (!profile->program || !(instruction->effects & ISA_EFFECT_FLOW) || instruction->inverse)
        return;
    place->jump = jump_of(instruction, values);
    for (unsigned i = 0; i < instruction->operand_count; i++)
        place->has_register |= instruction->operands[i].type->kind == ISA_REGISTER &&
                               instruction->operands[i].type->access & ISA_READ;
}

struct profile_place *profile_place(struct profile *profile, uint64_t pc, uint64_t word,
                                    unsigned length)
{
    struct profile_place **page = &profile->pages[pc % MEMORY_LIMIT / PROFILE_PAGE];

    if (__builtin_expect(!*page, 0))
        *page = profile_need(calloc(SLOTS, sizeof **page));
    struct profile_place *place = &(*page)[pc % PROFILE_PAGE / 2];
    if (__builtin_expect(!place->is_known || place->word != word, 0)) {
        finish_runs(profile); /* which may have the instruction that was there before */
        describe(profile, place, pc, word, length);
    }
    return place;
}

void profile_note_visit(const struct profile *profile, uint64_t pc, uint64_t instructions)
{
    struct profile_place *place =
        &profile->pages[pc % MEMORY_LIMIT / PROFILE_PAGE][pc % PROFILE_PAGE / 2];

    place->short_visits = instructions < SHORT ? place->short_visits + 1 : 0;
}

const struct profile_place *profile_next(const struct profile *profile, uint64_t *address)
{
    for (uint64_t at = *address; at < MEMORY_LIMIT; at += 2) {
        const struct profile_place *page = profile->pages[at / PROFILE_PAGE];
        if (!page) {
            at |= PROFILE_PAGE - 2;
        } else if (page[at % PROFILE_PAGE / 2].cost.instructions) {
            *address = at;
            return &page[at % PROFILE_PAGE / 2];
        }
    }
    return NULL;
}

/* ---- contexts ---- */

static size_t node_slot(const struct profile *profile, uint32_t parent, uint64_t site,
                        uint64_t function)
{
    uint64_t hash = (parent * UINT64_C(0x9e3779b97f4a7c15) ^ site) * UINT64_C(0xbf58476d1ce4e5b9);
    size_t slot = (size_t)((hash ^ function) * UINT64_C(0x94d049bb133111eb) >> 20);

    for (;; slot++) {
        uint32_t index = profile->table[slot & (profile->table_size - 1)];
        const struct profile_node *node = &profile->nodes[index];
        if (index == 0 ||
            (node->parent == parent && node->site == site && node->function == function))
            return slot & (profile->table_size - 1);
    }
}

static void grow_nodes(struct profile *profile)
{
    profile->node_capacity *= 2;
    profile->table_size *= 2;
    profile->nodes =
        profile_need(reallocarray(profile->nodes, profile->node_capacity, sizeof *profile->nodes));
    free(profile->table);
    profile->table = profile_need(calloc(profile->table_size, sizeof *profile->table));
    for (uint32_t i = 1; i < profile->node_count; i++) {
        const struct profile_node *node = &profile->nodes[i];
        profile->table[node_slot(profile, node->parent, node->site, node->function)] = i;
    }
}

/* Returns the slot of a node, which is made if there is none; without room for it, a free slot. */
static size_t make_node(struct profile *profile, uint32_t parent, uint64_t site, uint64_t function)
{
    size_t slot = node_slot(profile, parent, site, function);

    if (profile->table[slot] || profile->node_count == PROFILE_NODES)
        return slot;
    if (profile->node_count == profile->node_capacity) {
        grow_nodes(profile);
        slot = node_slot(profile, parent, site, function);
    }
    profile->table[slot] = (uint32_t)profile->node_count;
    profile->nodes[profile->node_count++] =
        (struct profile_node){.function = function, .site = site, .parent = parent};
    return slot;
}

/* Returns the innermost node of the function from this one outwards; 0: there is none. */
static uint32_t find_outer(const struct profile *profile, uint32_t node, uint64_t function)
{
    while (node && profile->nodes[node].function != function)
        node = profile->nodes[node].parent;
    return node;
}

bool profile_has_callee(const struct profile *profile, uint32_t parent, uint64_t site,
                        uint64_t function)
{
    if (profile->table[node_slot(profile, parent, site, function)])
        return true;
    return find_outer(profile, parent, function) &&
           profile->table[node_slot(profile, PROFILE_ARC, site, function)] &&
           profile->table[node_slot(profile, parent, 0, function)];
}

struct profile_callee profile_find_callee(struct profile *profile, uint32_t parent, uint64_t site,
                                          uint64_t function)
{
    size_t slot = node_slot(profile, parent, site, function);
    struct profile_callee callee = {.is_whole = true};

    if (profile->table[slot] == 0) {
        uint32_t outer = find_outer(profile, parent, function);
        if (outer) {
            size_t arc = make_node(profile, PROFILE_ARC, site, function); /* may move the table */
            callee.has_arc = true;
            callee.arc = profile->table[arc];
        }
        slot = make_node(profile, parent, outer ? 0 : site, function);
        callee.is_whole = profile->table[slot] != 0;
        callee.node = outer ? outer : parent;
    }
    if (callee.is_whole)
        callee.node = profile->table[slot];
    return callee;
}

/* Returns the node of the function when it is called there, and counts the call. When there are too
 * many nodes, this is that of the call that it is inside of, or the caller's. */
static uint32_t enter_node(struct profile *profile, uint32_t parent, uint64_t site,
                           uint64_t function)
{
    struct profile_callee callee = profile_find_callee(profile, parent, site, function);

    if (callee.has_arc)
        profile->nodes[callee.arc].calls++;
    profile->nodes[callee.node].calls += callee.is_whole;
    return callee.node;
}

/* ---- chains of calls ---- */

void profile_push(struct profile_thread *thread, struct profile_frame frame)
{
    if (thread->depth == thread->capacity) {
        thread->capacity = thread->capacity ? thread->capacity * 2 : FIRST_FRAMES;
        thread->frames =
            profile_need(reallocarray(thread->frames, thread->capacity, sizeof *thread->frames));
    }
    if (thread->depth && !frame.handler)
        frame.handler = profile_top(thread)->handler;
    thread->frames[thread->depth++] = frame;
}

/* Calls a function at `site`. */
static void call(struct profile *profile, struct profile_thread *thread, struct profile_frame frame,
                 uint64_t site)
{
    uint32_t parent = thread->depth ? profile_top(thread)->node : 0;

    if (thread->depth == PROFILE_DEPTH)
        return;
    frame.site = site;
    frame.node = enter_node(profile, parent, site, frame.function);
    profile_push(thread, frame);
}

/* The function at the top goes on as another one. */
static void replace(struct profile *profile, struct profile_thread *thread, uint64_t function)
{
    struct profile_frame *frame = profile_top(thread);
    const struct profile_node *node = &profile->nodes[frame->node];

    frame->function = function;
    frame->node = enter_node(profile, node->parent, frame->site, function);
}

bool profile_may_change_stack(const struct profile_thread *thread, uint64_t stack)
{
    const struct profile_frame *frame = profile_top(thread);

    return thread->depth > 1 && frame->handler + 1 != thread->depth &&
           frame->stack - stack > USUAL_FRAME;
}

/* Leaves the frames that a return to `target` ends. One that returns elsewhere (longjmp) ends the
 * functions that were called when the stack was smaller than now. */
static void leave(struct profile *profile, struct profile_thread *thread, uint64_t target,
                  uint64_t stack)
{
    size_t returned = profile_find_frame(thread, target, stack);
    uint64_t function = profile_function(profile, target);

    if (returned) {
        thread->depth = returned;
        return;
    }
    if (profile_may_change_stack(thread, stack) &&
        profile_change_stack(&profile->stacks, thread, function, target, stack))
        return;
    if (profile_top(thread)->back == target && profile_top(thread)->stack - stack <= USUAL_FRAME) {
        thread->depth -= thread->depth > 1; /* it has saved registers for its caller */
        return;
    }
    while (thread->depth > 1 && profile_top(thread)->function != function &&
           profile_top(thread)->stack <= stack)
        thread->depth--;
}

/* Leaves the handler of an interrupt, when control is at the instruction that it interrupted, after
 * the one that raised an exception, or elsewhere in the function that was interrupted. */
static bool leave_handler(const struct profile *profile, struct profile_thread *thread,
                          uint64_t target)
{
    uint32_t handler = thread->depth ? profile_top(thread)->handler : 0;

    if (handler == 0)
        return false;
    const struct profile_frame *frame = &thread->frames[handler];
    uint64_t function = profile_function(profile, target);
    if (target - frame->back > LONGEST &&
        (function != frame[-1].function || function == profile_top(thread)->function))
        return false;
    thread->depth = handler;
    return true;
}

struct profile_thread *profile_thread(struct profile *profile, const struct machine *machine)
{
    uint64_t id = machine->workers ? machine->workers->running : machine->user.running;
    struct profile_thread *thread = profile->thread;

    if (thread && thread->id == id)
        return thread;
    for (thread = profile->threads; thread && thread->id != id;)
        thread = thread->next;
    if (!thread) {
        thread = arena_array(profile->arena, 1, sizeof *thread);
        thread->id = id;
        thread->next = profile->threads;
        profile->threads = thread;
    }
    return profile->thread = thread;
}

/* Brings the chain of calls to the instruction at `pc`, which `place` is. */
static void arrive(struct profile *profile, struct profile_thread *thread,
                   const struct profile_place *place, const struct machine *machine, uint64_t pc)
{
    struct profile_frame frame = {.function = place->function,
                                  .back = thread->expected,
                                  .stack = machine->hart.x[ISA_REGISTER_SP]};

    if (thread->depth == 0) {
        call(profile, thread, frame, 0);
    } else if (pc != thread->expected && profile->program && !leave_handler(profile, thread, pc)) {
        frame.handler = (uint32_t)thread->depth;
        call(profile, thread, frame, thread->expected);
    }
    if (profile_top(thread)->function != place->function)
        replace(profile, thread, place->function);
}

/* Follows a jump that neither calls nor returns by ra or t0. */
static void jump(struct profile *profile, struct profile_thread *thread,
                 const struct profile_place *place, uint64_t target, uint64_t stack)
{
    uint64_t function = profile_function(profile, target);

    if (thread->depth > 1 && profile_top(thread)->back == target &&
        profile_top(thread)->stack == stack)
        thread->depth--; /* a return by another register */
    else if (place->has_register && profile_may_change_stack(thread, stack) &&
             function != profile_top(thread)->function)
        profile_change_stack(&profile->stacks, thread, function, target, stack);
}

/* Follows the jump of an instruction to `target`. */
static void follow(struct profile *profile, struct profile_thread *thread,
                   const struct profile_place *place, const struct machine *machine, uint64_t pc,
                   uint64_t target)
{
    struct profile_frame frame = {.back = pc + place->length,
                                  .stack = machine->hart.x[ISA_REGISTER_SP]};

    if (place->jump == PROFILE_RETURN || place->jump == PROFILE_SWAP)
        leave(profile, thread, target, frame.stack);
    else if (place->jump == PROFILE_JUMP && !leave_handler(profile, thread, target))
        jump(profile, thread, place, target, frame.stack);
    if (thread->depth == 0) {
        frame.function = profile_function(profile, target);
        call(profile, thread, frame, 0);
        return;
    }
    if (place->jump != PROFILE_CALL && place->jump != PROFILE_SWAP)
        return;
    learn_function(profile, target);
    frame.function = profile_function(profile, target);
    call(profile, thread, frame, pc);
}

/* ---- counting ---- */

static uint64_t count_products(const struct machine *machine)
{
    uint64_t products = 0;

    for (unsigned i = 0; i < ISA_ELEMENT_LIMIT; i++)
        products += machine->matrix.state.multiply_adds[i];
    return products;
}

/* Counts the operands of a tensor instruction. */
static void count_operands(struct profile *profile, struct machine *machine,
                           const struct profile_place *place, const struct recorder *recorder)
{
    struct operand_bins **bins = &profile->bins[place->id];

    if (!*bins)
        *bins = arena_new(profile->arena, struct operand_bins);
    operand_bins_count(*bins, &isa_instructions[place->id], place->word, machine, recorder,
                       profile->arena);
}

static struct profile_cost cost_of(struct profile *profile, const struct machine *machine,
                                   const struct profile_place *place,
                                   const struct recorder *recorder)
{
    struct profile_cost cost = {.instructions = 1};

    for (size_t i = 0; i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        if (effect->kind == EFFECT_LOAD || effect->kind == EFFECT_RANGE_READ)
            cost.read += effect->length;
        else if (effect->kind == EFFECT_STORE || effect->kind == EFFECT_RANGE_WRITE)
            cost.written += effect->length;
    }
    if (place->is_unit) {
        uint64_t products = count_products(machine);
        cost.products = products - profile->products;
        profile->products = products;
    }
    if (machine->keeper) {
        uint64_t clock = machine->keeper->clock(machine->keeper);
        cost.cycles = clock - profile->clock;
        profile->clock = clock;
    }
    return cost;
}

/* Did the steady instruction do nothing besides, e.g. an access of the environment? */
static bool is_usual(const struct profile_place *place, const struct recorder *recorder)
{
    unsigned accesses = 0;

    for (size_t i = 0; i < recorder->count; i++)
        accesses += recorder->effects[i].kind >= EFFECT_LOAD &&
                    recorder->effects[i].kind <= EFFECT_RANGE_WRITE;
    return place->is_steady && accesses == (unsigned)((place->read > 0) + (place->written > 0));
}

void profile_count(struct profile *profile, struct machine *machine,
                   const struct observed *observed, const struct recorder *recorder,
                   bool is_system_call)
{
    struct profile_thread *thread = profile_thread(profile, machine);
    struct profile_place *place =
        profile_place(profile, observed->record.pc, observed->record.word, observed->record.length);
    uint64_t next = observed->record.pc + observed->record.length;

    arrive(profile, thread, place, machine, observed->record.pc);
    struct profile_cost cost = cost_of(profile, machine, place, recorder);
    place->is_usual |= is_usual(place, recorder);
    if (place->has_bins && recorder->keeps_reads)
        count_operands(profile, machine, place, recorder);
    profile->last = place;
    profile->last_node = profile_top(thread)->node;
    profile_add(&place->cost, &cost);
    profile_add(&profile->nodes[profile->last_node].cost, &cost);
    if (is_system_call) {
        next = machine->hart.pc;
        leave_handler(profile, thread, next);
    } else if (observed->has_turned) {
        next = machine->execution.destination;
        place->turned++;
        follow(profile, thread, place, machine, observed->record.pc, next);
    }
    thread->expected = next;
}

/* ---- runs ---- */

/* Makes the run of the block, if all its instructions are steady, were observed before, and belong
 * to one function. */
static struct profile_run *make_run(struct profile *profile, struct profile_run *run,
                                    const struct machine *machine, const struct decoded *record)
{
    const struct decoded *end = record + record->remaining;

    *run = (struct profile_run){.pc = record->pc,
                                .drops = machine->code.drops,
                                .functions = profile->learned,
                                .is_pending = run->is_pending,
                                .next = run->next};
    for (const struct decoded *at = record; at < end; at++) {
        if (at->id >= PSEUDO_FIRST)
            return NULL;
        struct profile_place *place =
            profile_place(profile, at->pc, code_word(&machine->code, at), at->length);
        if (!place->is_usual)
            return NULL;
        if (at == record)
            run->function = place->function;
        if (place->function != run->function)
            return NULL;
        run->instructions++;
        run->read += place->read;
        run->written += place->written;
        run->length += place->length;
        run->last = place;
    }
    const struct isa_instruction *instruction = &isa_instructions[end[-1].id];
    run->has_jump = instruction->effects & ISA_EFFECT_FLOW;
    run->has_branch = run->last->is_branch;
    return run;
}

/* Are the instructions of the block still those of the run? */
static bool is_same(const struct profile *profile, const struct machine *machine,
                    const struct profile_run *run, const struct decoded *record)
{
    if (run->instructions != record->remaining || run->functions != profile->learned)
        return false;
    for (unsigned i = 0; i < run->instructions; i++) {
        uint64_t pc = record[i].pc;
        const struct profile_place *place =
            &profile->pages[pc % MEMORY_LIMIT / PROFILE_PAGE][pc % PROFILE_PAGE / 2];
        if (record[i].id >= PSEUDO_FIRST || place->word != code_word(&machine->code, &record[i]))
            return false;
    }
    return true;
}

struct profile_run *profile_find_run(struct profile *profile, const struct machine *machine,
                                     const struct decoded *record)
{
    struct profile_thread *thread = profile_thread(profile, machine);
    struct profile_place *page = profile->pages[code_pc(record) % MEMORY_LIMIT / PROFILE_PAGE];

    /* Only the first instruction tells the stack pointer of a handler or of a new thread. */
    if (!page || thread->depth == 0 || code_pc(record) != thread->expected)
        return NULL;
    struct profile_place *place = &page[record->pc % PROFILE_PAGE / 2];
    struct profile_run *run = place->run;
    if (run && run->instructions == record->remaining && run->functions == profile->learned &&
        run->drops == machine->code.drops)
        return run;
    if (run && run->instructions && is_same(profile, machine, run, record)) {
        run->drops = machine->code.drops;
        return run;
    }
    if (!run)
        place->run = run = arena_new(profile->arena, struct profile_run);
    finish_run(profile, run);
    if (make_run(profile, run, machine, record))
        return run;
    run->instructions = 0;
    return NULL;
}

void profile_count_run(struct profile *profile, const struct machine *machine,
                       struct profile_run *run, uint64_t executed)
{
    struct profile_thread *thread = profile->thread;
    struct profile_frame *frame = profile_top(thread);
    uint64_t next = machine->hart.pc;

    if (frame->function != run->function && executed) {
        replace(profile, thread, run->function);
        frame = profile_top(thread);
    }
    struct profile_cost *cost = &profile->nodes[frame->node].cost;
    if (__builtin_expect(executed < run->instructions, 0)) {
        uint64_t pc = run->pc;
        for (uint64_t i = 0; i < executed; i++) {
            struct profile_place *place =
                &profile->pages[pc % MEMORY_LIMIT / PROFILE_PAGE][pc % PROFILE_PAGE / 2];
            cost->instructions++;
            cost->read += place->read;
            cost->written += place->written;
            pc += place->length;
        }
        profile_tell_places(profile, run->pc, executed, 1);
        thread->expected = pc;
        return;
    }
    if (!run->is_pending) {
        run->is_pending = true;
        run->next = profile->pending;
        profile->pending = run;
    }
    run->count++;
    cost->instructions += run->instructions;
    cost->read += run->read;
    cost->written += run->written;
    profile->last = run->last;
    profile->last_node = frame->node;
    if (run->has_jump && (!run->has_branch || next != run->pc + run->length)) {
        run->last->turned++;
        if (!run->has_branch || thread->depth > 1)
            follow(profile, thread, run->last, machine, run->pc + run->length - run->last->length,
                   next);
    }
    thread->expected = next;
}

void profile_trap(struct profile *profile, const struct machine *machine, uint64_t pc)
{
    profile_thread(profile, machine)->expected = pc;
}

void profile_finish(struct profile *profile, uint64_t cycles)
{
    struct profile_cost rest = {.cycles = cycles - profile->clock};

    finish_runs(profile);
    if (!profile->last || cycles <= profile->clock)
        return;
    profile_add(&profile->last->cost, &rest);
    profile_add(&profile->nodes[profile->last_node].cost, &rest);
}

void profile_init(struct profile *profile, const struct program *program,
                  const struct machine *machine, struct arena *arena)
{
    *profile = (struct profile){.arena = arena,
                                .program = program,
                                .node_count = 1,
                                .node_capacity = FIRST_NODES,
                                .table_size = FIRST_NODES * 2,
                                .is_timed = machine->keeper != NULL,
                                .products = count_products(machine)};
    profile->pages = profile_need(calloc(MEMORY_LIMIT / PROFILE_PAGE, sizeof *profile->pages));
    profile->nodes = profile_need(calloc(profile->node_capacity, sizeof *profile->nodes));
    profile->table = profile_need(calloc(profile->table_size, sizeof *profile->table));
    profile->bins = arena_array(arena, isa_instruction_count, sizeof *profile->bins);
    if (program)
        find_functions(profile);
}

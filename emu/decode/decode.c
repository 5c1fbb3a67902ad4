/* Decoded code: see decode.h. Each page of code numbers the blocks that begin in it, and has a
 * table of their numbers, indexed by halfword, in parts, of which there are those that are needed.
 * A block whose last instruction runs into the next page is dropped with that one, too. */
#include "emu/decode/decode.h"
#include "emu/decode/operands.h"
#include "instruction_ids.h"
#include <stdlib.h>

enum {
    PART_ENTRIES = 64,
    PAGE_PARTS = (1 << MEMORY_PAGE_BITS) / 2 / PART_ENTRIES,
    FIRST_BYTES = 16 << 10, /* half of the first memory for blocks, where several have room */
    FEW_BYTES = 256 << 10,  /* after so many the next memory is a huge page, which costs less time
                               than the many small steps to it */
    HUGE_BYTES = 1 << 20,   /* half of it */
    CODE_BYTES_LIMIT =
        128 << 20, /* of blocks, including dropped ones, and pages, before all is freed */
};

/* The number of the block that begins at each halfword; 0: there was none. */
struct part {
    uint16_t blocks[PART_ENTRIES];
};

struct code_page {
    struct code_page *next;  /* in the list of all pages */
    uint64_t number;         /* of the page of memory */
    bool is_crossed;         /* blocks of the page before may end here */
    struct decoded **blocks; /* first records, by number; NULL: the block was dropped */
    size_t count, capacity;  /* of them; the first one is not used */
    struct part *parts[PAGE_PARTS];
};

/* What an instruction is in superinstructions. */
struct super_part {
    uint32_t own;   /* a bit, if it is the second instruction of one */
    uint32_t after; /* the bits of the second ones after it */
    uint16_t first; /* the first superinstruction that begins with it */
};

/* A part without a block, which is not written to. */
static struct part empty_part;

const struct superinstruction superinstructions[] = {
#define ROW(name, count, ...) {count, {__VA_ARGS__}},
    ISA_FOR_EACH_SUPERINSTRUCTION(ROW)
#undef ROW
        {0, {UINT16_MAX}}, /* the end: not an id */
};

/* Allocates memory that is freed when all code is forgotten. */
static void *allocate(struct code *code, size_t size)
{
    code->bytes += size;
    if (code->bytes > FEW_BYTES)
        code->arena.block_size = HUGE_BYTES;
    return arena_alloc(&code->arena, size);
}

static uint64_t page_number(uint64_t address)
{
    return address >> MEMORY_PAGE_BITS;
}

static body_function *body_of(const struct code *code, unsigned id)
{
    const struct executor *executor = code->executor;

    if (!executor->pseudo_bodies)
        return NULL;
    if (id >= PSEUDO_FIRST)
        return executor->pseudo_bodies[id - PSEUDO_FIRST];
    if (executor->every)
        return executor->every;
    return code->is_defined && code->is_defined(id) ? executor->whole : executor->bodies[id];
}

/* The operands of an instruction stay, since it may be running. After the end of memory nothing
 * changes. */
static void make_stale(const struct code *code, struct decoded *record)
{
    bool is_terminator = record->remaining == 0;

    if (is_terminator || code_is_entry(record))
        record->taken = record->chain = NULL;
    if (record->id == PSEUDO_NOWHERE)
        return;
    record->id = PSEUDO_STALE;
    record->body = body_of(code, record->id);
}

static struct part **part_of(struct code_page *page, uint64_t pc)
{
    return &page->parts[(pc & (MEMORY_PAGE - 1)) / 2 / PART_ENTRIES];
}

static uint16_t *number_of(struct part *part, uint64_t pc)
{
    return &part->blocks[pc / 2 % PART_ENTRIES];
}

/* Returns a new number for a block of the page. */
static uint16_t new_number(struct code *code, struct code_page *page)
{
    size_t capacity = page->capacity;

    page->blocks =
        arena_grow(&code->arena, page->blocks, page->count, &page->capacity, sizeof *page->blocks);
    code->bytes += (page->capacity - capacity) * sizeof *page->blocks;
    page->count += page->count == 0;
    return (uint16_t)page->count++;
}

/* Enters the block in the page that it begins in. A block that was dropped there before leaves its
 * number to it. */
static void add_block(struct code *code, struct code_page *page, struct decoded *first)
{
    struct part **part = part_of(page, first->pc);

    if (*part == &empty_part)
        *part = allocate(code, sizeof **part);
    uint16_t *number = number_of(*part, first->pc);
    if (!*number)
        *number = new_number(code, page);
    page->blocks[*number] = first;
}

/* Returns the terminator of the block that begins with the record. */
static struct decoded *terminator_of(struct decoded *first)
{
    first += code_is_entry(first);
    return first + first->remaining;
}

/* Returns the arrivals of control at the block that begins with the record. */
static int32_t *arrivals_of(struct decoded *first)
{
    return code_is_entry(first) ? &first->arrivals : &terminator_of(first)->arrivals;
}

static void drop_block(const struct code *code, struct decoded *first)
{
    const struct decoded *terminator = terminator_of(first);

    for (struct decoded *record = first; record <= terminator; record++)
        make_stale(code, record);
}

/* Drops the page's blocks that may depend on bytes from this address on. An illegal instruction
 * depends on 8 bytes. */
static void drop_blocks(const struct code *code, struct code_page *page, uint64_t from)
{
    for (size_t i = 1; i < page->count; i++) {
        struct decoded *first = page->blocks[i];
        if (!first || code_pc(terminator_of(first)) + sizeof(uint64_t) <= from)
            continue;
        page->blocks[i] = NULL;
        drop_block(code, first);
    }
}

static void drop_view(const struct code *code, enum memory_view view, uint64_t number)
{
    struct code_page *page = code->views[view][number];

    if (!page)
        return;
    drop_blocks(code, page, 0);
    if (page->is_crossed)
        drop_blocks(code, code->views[view][number - 1], number << MEMORY_PAGE_BITS);
    page->is_crossed = false;
}

/* Drops all code of the page, of which some changes. */
static void drop_page(void *context, uint64_t number)
{
    struct code *code = context;

    memory_unmark_code(code->memory, number);
    for (unsigned view = 0; view < VIEWS; view++)
        drop_view(code, view, number);
    code->drops++;
    if (code->dropped)
        code->dropped(code->dropped_context, number);
}

/* Notes which instructions superinstructions begin with. When there are more second instructions
 * than bits, some share one. */
static void find_super_parts(struct super_part *parts)
{
    unsigned count = 0;

    for (unsigned i = ISA_SUPERINSTRUCTION_COUNT; i-- > 0;) {
        struct super_part *first = &parts[superinstructions[i].ids[0]],
                          *second = &parts[superinstructions[i].ids[1]];
        if (!second->own)
            second->own = UINT32_C(1) << count++ % 32;
        first->after |= second->own;
        first->first = (uint16_t)i;
    }
}

bool code_init(struct code *code, struct diag *diag, struct memory *memory, isa_set extensions)
{
    *code =
        (struct code){.memory = memory, .extensions = extensions, .arena.block_size = FIRST_BYTES};
    code->supers = calloc(ISA_ID_COUNT, sizeof *code->supers);
    code->plans = operands_open();
    if (!code->supers || !code->plans) {
        diag_error(diag, NULL, "out of memory for decoded code");
        return false;
    }
    for (unsigned view = 0; view < VIEWS; view++) {
        code->views[view] = calloc(MEMORY_PAGES, sizeof *code->views[view]);
        if (!code->views[view]) {
            diag_error(diag, NULL, "out of memory for decoded code");
            return false;
        }
    }
    find_super_parts(code->supers);
    memory->code_changes = drop_page;
    memory->code_context = code;
    return true;
}

void code_forget(struct code *code)
{
    for (const struct code_page *page = code->pages; page; page = page->next) {
        /* The marks of its bytes stay: there may be native code of them. */
        memory_watch_code(code->memory, page->number, false);
        for (unsigned view = 0; view < VIEWS; view++)
            code->views[view][page->number] = NULL;
    }
    arena_free(&code->arena);
    code->arena.block_size = FIRST_BYTES;
    code->pages = NULL;
    code->bytes = 0;
    code->resets++;
    if (code->forgotten)
        code->forgotten(code->dropped_context);
}

void code_free(struct code *code)
{
    arena_free(&code->arena);
    free(code->supers);
    operands_close(code->plans);
    code->supers = NULL;
    code->plans = NULL;
    for (unsigned view = 0; view < VIEWS; view++) {
        free(code->views[view]);
        code->views[view] = NULL;
    }
}

void code_reset(struct code *code, const struct executor *executor)
{
    code_forget(code);
    code->executor = executor;
}

/* Are sequences run as one? */
static bool has_sequences(const struct code *code)
{
    return code->executor->superinstructions && !code->is_defined;
}

void code_cut(const struct code *code, struct decoded *record)
{
    struct decoded **link = code_link(record);

    if (link)
        *link = NULL;
    for (unsigned i = 1; i <= record->remaining; i++)
        make_stale(code, &record[i]);
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
    bool is_simple =
        !memory->guard && pc < MEMORY_LIMIT && memory->pages[page_number(pc)] & PAGE_EXECUTE;

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

static struct code_page *page_of(struct code *code, uint64_t address)
{
    struct code_page **page = &code->views[code->view][page_number(address)];

    if (*page)
        return *page;
    *page = allocate(code, sizeof **page);
    (*page)->number = page_number(address);
    (*page)->next = code->pages;
    code->pages = *page;
    for (unsigned i = 0; i < PAGE_PARTS; i++)
        (*page)->parts[i] = &empty_part;
    return *page;
}

/* Enters the block, decoded from [first->pc, end), in its pages. */
static void register_block(struct code *code, struct decoded *first, uint64_t end)
{
    uint64_t pc = first->pc;

    add_block(code, page_of(code, pc), first);
    if (page_number(end - 1) != page_number(pc))
        page_of(code, end - 1)->is_crossed = true;
    memory_mark_code(code->memory, pc, end - pc);
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
    entry->body = body_of(code, PSEUDO_ENTRY);
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
        records[i].body = is_common && i < planned ? executor->bodies[id] : body_of(code, id);
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

    return end < MEMORY_LIMIT ? end : MEMORY_LIMIT;
}

/* Decodes one block and its terminator into records that are 0. Returns the number of records, and
 * in *end the address after the bytes that it depends on. All plans are found before one is used:
 * each takes the host some accesses that depend on each other, and several such chains overlap if
 * little is between them. */
static unsigned decode_block(const struct code *code, struct decoded *records, uint64_t pc,
                             uint64_t *end)
{
    const struct operand_plan *plans[BLOCK_LIMIT];
    uint64_t words[BLOCK_LIMIT];
    unsigned planned = 0, limit = code->executor->has_single_blocks ? 1 : BLOCK_LIMIT;
    bool open = true, is_planned = true;
    uint64_t next = pc, simple = simple_end(code->memory, pc);
    int length = 0;

    while (open && planned < limit && next <= page_last(pc)) {
        const struct operand_plan *plan =
            find_plan(code, &records[planned], next, simple, &words[planned], &length);
        next += (unsigned)length;
        is_planned = plan != NULL;
        open = is_planned && !plan->is_flow;
        plans[planned] = plan;
        planned += is_planned;
    }
    unsigned instructions = planned + !is_planned;
    if (!is_planned && !length && planned > 0)
        records[--instructions] = (struct decoded){0}; /* the fault gets its own block */
    make_pseudo(&records[instructions], next == MEMORY_LIMIT ? PSEUDO_NOWHERE : PSEUDO_NEXT_BLOCK,
                next, 0);
    for (unsigned i = 0; i < planned; i++)
        operands_fill(&records[i], plans[i], words[i]);
    complete_records(code, records, planned, instructions);
    *end = end_of(code, &records[instructions - 1]);
    return instructions + 1;
}

/* Makes the entry of a block, for an executor that has one. */
static void add_entry(const struct code *code, struct decoded *entry)
{
    const struct decoded *first = entry + 1;

    make_pseudo(entry, PSEUDO_ENTRY, first->pc, 0);
    entry->remaining = first->remaining;
    entry->body =
        code->executor->first_entry ? code->executor->first_entry : body_of(code, PSEUDO_ENTRY);
}

/* Allocates a block, decodes into it, and gives back what is not used. Returns its first record. */
static struct decoded *decode_new_block(struct code *code, uint64_t pc, uint64_t *end)
{
    enum { MOST = (1 + BLOCK_LIMIT + 1) * sizeof(struct decoded) };
    struct decoded *first = allocate(code, MOST);
    unsigned entry = body_of(code, PSEUDO_ENTRY) != NULL,
             count = entry + decode_block(code, first + entry, pc, end);

    size_t used = count * sizeof *first;
    arena_shorten(&code->arena, first, MOST, used);
    code->bytes -= MOST - used;
    if (first[entry].id == PSEUDO_FETCH) /* needs no entry */
        first += entry;
    else if (entry)
        add_entry(code, first);
    *arrivals_of(first) = code->first_arrivals;
    return first;
}

/* A record that cannot be fetched is not kept, because the page may be mapped later. */
static struct decoded *make_block(struct code *code, uint64_t pc)
{
    uint64_t end;
    struct decoded *first = decode_new_block(code, pc, &end);

    if (first->id != PSEUDO_FETCH)
        register_block(code, first, end);
    return first;
}

/* Returns the first record of the block, or NULL. */
static struct decoded *find_block(const struct code *code, enum memory_view view, uint64_t pc)
{
    struct code_page *page = pc < MEMORY_LIMIT ? code->views[view][page_number(pc)] : NULL;
    unsigned number = page ? *number_of(*part_of(page, pc), pc) : 0;

    return number ? page->blocks[number] : NULL;
}

struct decoded *code_find(struct code *code, uint64_t pc)
{
    struct decoded *first = find_block(code, code->view, pc);

    return first ? first : make_block(code, pc);
}

const struct decoded *code_peek(const struct code *code, uint64_t pc)
{
    const struct decoded *first = find_block(code, code->view, pc);

    return first ? first + code_is_entry(first) : NULL;
}

struct decoded *code_find_plain(struct code *code, uint64_t pc)
{
    struct decoded *first = code_find(code, pc);

    return first->id == PSEUDO_TRANSLATED ? first + 1 : first;
}

int32_t code_count_arrivals(struct code *code, uint64_t pc, int32_t more)
{
    int32_t *arrivals = arrivals_of(code_find(code, pc));

    if (*arrivals < INT32_MAX / 2)
        *arrivals += more;
    return *arrivals;
}

bool code_is_translated(const struct code *code, uint64_t pc)
{
    const struct decoded *first = find_block(code, code->view, pc);

    return first && first->id == PSEUDO_TRANSLATED;
}

void code_translate(struct code *code, uint64_t pc)
{
    struct decoded *first = find_block(code, code->view, pc);

    if (!first || first->id != PSEUDO_ENTRY)
        return;
    first->id = PSEUDO_TRANSLATED;
    first->body = body_of(code, PSEUDO_TRANSLATED);
    first->remaining = 0;
}

void code_untranslate(struct code *code, enum memory_view view, uint64_t pc)
{
    struct decoded *first = find_block(code, view, pc);

    if (!first || first->id != PSEUDO_TRANSLATED)
        return;
    add_entry(code, first);
    first->arrivals = code->first_arrivals;
}

bool code_is_full(const struct code *code)
{
    return code->bytes > CODE_BYTES_LIMIT;
}

struct decoded *code_follow(struct code *code, struct decoded *from, uint64_t pc)
{
    if (code_is_full(code)) {
        code_forget(code);
        return code_find(code, pc);
    }
    struct decoded *first = code_find(code, pc), **link = from ? code_link(from) : NULL;
    if (link && first->id != PSEUDO_FETCH)
        *link = first;
    return first;
}

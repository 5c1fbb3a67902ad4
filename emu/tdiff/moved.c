/* Which addresses of two programs belong together. Code between the same symbols is aligned
 * instruction by instruction, so that an instruction that was added moves the others without making
 * them different. Data belong together by symbol and offset, the stack by its pointer. */
#include "emu/tdiff/lossless.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_CELLS = 1 << 26,
    SAME_OPERATION = 1,
    ALIKE = 4,
    SAME = 6,
    CALL = 24, /* to the same function: it tells more than how the arguments are made */
    GAP = 64,
    REACH = 1 << 13, /* of a part of an address; a pointer may be a row after its array */
    STACK = 1 << 23,
    TABLE = 1 << 12
};

/* ---- code ---- */

/* Instructions of a region, in order. `key` is that of target_key here. */
struct region {
    struct code *list;
    uint64_t *ends;
    size_t count, capacity;
};

static bool is_code(const struct elf_section *section)
{
    return section->header.sh_flags & SHF_EXECINSTR && section->header.sh_flags & SHF_ALLOC &&
           section->bytes;
}

static bool is_same_operand(const struct isa_operand *operand, uint64_t a, uint64_t b)
{
    return isa_extract(operand, a) == isa_extract(operand, b);
}

static bool is_register(const struct isa_operand *operand)
{
    return operand->type->kind != ISA_IMMEDIATE && operand->type->kind != ISA_TARGET;
}

bool codes_alike(const struct code *a, const struct code *b)
{
    if (a->instruction != b->instruction || !a->instruction)
        return a->instruction == b->instruction && a->word == b->word;
    for (unsigned i = 0; i < a->instruction->operand_count; i++) {
        const struct isa_operand *operand = &a->instruction->operands[i];
        if (is_register(operand) && !is_same_operand(operand, a->word, b->word))
            return false;
    }
    return true;
}

/* Returns how much it is worth that the two belong together; 0: they cannot. */
static unsigned worth(const struct code *a, const struct code *b)
{
    if (!codes_alike(a, b) || a->key != b->key)
        return a->instruction && a->instruction == b->instruction ? SAME_OPERATION : 0;
    for (unsigned i = 0; a->instruction && i < a->instruction->operand_count; i++) {
        const struct isa_operand *operand = &a->instruction->operands[i];
        if (operand->type->kind == ISA_IMMEDIATE && !is_same_operand(operand, a->word, b->word))
            return ALIKE;
    }
    return a->key ? CALL : SAME;
}

/* Returns a number for the name of the symbol that the instruction jumps to; 0: none. */
static uint64_t target_key(const struct side *side, const struct code *code)
{
    for (unsigned i = 0; code->instruction && i < code->instruction->operand_count; i++) {
        const struct isa_operand *operand = &code->instruction->operands[i];
        if (operand->type->kind != ISA_TARGET)
            continue;
        uint64_t target = code->pc + (uint64_t)isa_extract(operand, code->word);
        const struct elf_symbol *symbol = symbolizer_find(&side->symbols, target);
        if (symbol && symbol->raw.st_value == target)
            return hash_bytes(symbol->name, strlen(symbol->name), 0);
    }
    return 0;
}

static void region_read(struct side *side, struct region *region, uint64_t from, uint64_t to)
{
    const struct elf_section *section = side_section(side, from);

    region->count = 0;
    if (!section || !is_code(section))
        return;
    while (from + 2 <= to && from - section->header.sh_addr + 2 <= section->header.sh_size) {
        const unsigned char *bytes = section->bytes + (from - section->header.sh_addr);
        int length = isa_length((uint16_t)(bytes[0] | bytes[1] << 8));
        struct code code = {.pc = from};
        if (length == 0 ||
            from - section->header.sh_addr + (unsigned)length > section->header.sh_size)
            length = 2;
        memcpy(&code.word, bytes, (size_t)length);
        code.instruction = isa_decode(code.word, length);
        if (code.instruction)
            code.instruction = isa_expand(code.instruction, &code.word);
        code.key = target_key(side, &code);
        if (region->count == region->capacity) {
            region->capacity = region->capacity ? 2 * region->capacity : 1024;
            region->list = reallocarray(region->list, region->capacity, sizeof *region->list);
            region->ends = reallocarray(region->ends, region->capacity, sizeof *region->ends);
            if (!region->list || !region->ends)
                end_without_memory();
        }
        from += (unsigned)length;
        region->ends[region->count] = from;
        region->list[region->count++] = code;
    }
}

static void join(struct moved *moved, const struct region *regions, size_t i, size_t j)
{
    uint64_t pcs[2] = {regions[0].list[i].pc, regions[1].list[j].pc};
    uint64_t ends[2] = {regions[0].ends[i], regions[1].ends[j]};

    for (unsigned which = 0; which < 2; which++) {
        moved->to[which][(pcs[which] - moved->low[which]) / 2] = pcs[!which];
        moved->after[which][(ends[which] - moved->low[which]) / 2] = ends[!which];
    }
}

/* Joins instructions that have nothing in common, where as many were replaced as by others. */
static void join_replaced(struct moved *moved, const struct region *regions, size_t i, size_t j,
                          size_t end_i, size_t end_j)
{
    for (; end_i - i == end_j - j && i < end_i; i++, j++)
        join(moved, regions, i, j);
}

/* Aligns the instructions [first, ends) of both regions: most worth by dynamic programming. */
static void align_middle(struct moved *moved, const struct region *regions, size_t first,
                         const size_t *ends)
{
    size_t rows = ends[0] - first, columns = ends[1] - first, width = columns + 1;
    size_t i = 0, j = 0, last_i = 0, last_j = 0;

    if (rows == 0 || columns == 0)
        return;
    if (rows > MOST_CELLS / width) {
        join_replaced(moved, regions, first, first, ends[0], ends[1]);
        return;
    }
    uint32_t *best = new_array((rows + 1) * width, sizeof *best);
    for (size_t row = rows; row-- > 0;) {
        for (size_t column = columns; column-- > 0;) {
            uint32_t *cell = &best[row * width + column];
            unsigned pair = worth(&regions[0].list[first + row], &regions[1].list[first + column]);
            *cell = cell[1] > cell[width] ? cell[1] : cell[width];
            if (pair && cell[width + 1] + pair > *cell)
                *cell = cell[width + 1] + pair;
        }
    }
    while (i < rows && j < columns) {
        const uint32_t *cell = &best[i * width + j];
        unsigned pair = worth(&regions[0].list[first + i], &regions[1].list[first + j]);
        if (pair && *cell == cell[width + 1] + pair) {
            join_replaced(moved, regions, first + last_i, first + last_j, first + i, first + j);
            join(moved, regions, first + i++, first + j++);
            last_i = i;
            last_j = j;
        } else if (*cell == cell[width]) {
            i++;
        } else {
            j++;
        }
    }
    join_replaced(moved, regions, first + last_i, first + last_j, ends[0], ends[1]);
    free(best);
}

static void align(struct moved *moved, const struct region *regions)
{
    size_t first = 0, ends[2] = {regions[0].count, regions[1].count};

    while (first < ends[0] && first < ends[1] &&
           worth(&regions[0].list[first], &regions[1].list[first]) >= ALIKE) {
        join(moved, regions, first, first);
        first++;
    }
    while (ends[0] > first && ends[1] > first &&
           worth(&regions[0].list[ends[0] - 1], &regions[1].list[ends[1] - 1]) >= ALIKE) {
        ends[0]--;
        ends[1]--;
        join(moved, regions, ends[0], ends[1]);
    }
    align_middle(moved, regions, first, ends);
}

/* A symbol or section of code that both programs have. */
struct anchor {
    uint64_t at[2], end[2];
};

static int by_first(const void *left, const void *right)
{
    const struct anchor *a = left, *b = right;

    if (a->at[0] != b->at[0])
        return a->at[0] < b->at[0] ? -1 : 1;
    return a->end[1] < b->end[1] ? -1
                                 : a->end[1] > b->end[1]; /* of several, the same one is last */
}

static int by_second(const void *left, const void *right)
{
    const struct anchor *a = left, *b = right;

    if (a->at[1] != b->at[1])
        return a->at[1] < b->at[1] ? -1 : 1;
    return a->at[0] < b->at[0] ? -1 : a->at[0] > b->at[0];
}

/* Returns the symbol of code whose name comes `*seen` times before, which is counted. */
static const struct elf_symbol *next_of_name(const struct side *side, struct map *seen,
                                             const char *name)
{
    struct map_entry *entry = map_entry(seen, name, strlen(name));
    size_t i = (size_t)entry->value + 1;

    for (; i < side->elf.symbol_count; i++) {
        const struct elf_symbol *symbol = &side->elf.symbols[i];
        if (symbol->section < side->elf.section_count &&
            is_code(&side->elf.sections[symbol->section]) && strcmp(symbol->name, name) == 0)
            break;
    }
    entry->value = (void *)i;
    return i < side->elf.symbol_count ? &side->elf.symbols[i] : NULL;
}

static bool is_anchor(const struct side *side, const struct elf_symbol *symbol)
{
    unsigned type = ELF64_ST_TYPE(symbol->raw.st_info);

    return symbol->section && symbol->section < side->elf.section_count && *symbol->name &&
           *symbol->name != '$' && (type == STT_FUNC || type == STT_NOTYPE) &&
           is_code(&side->elf.sections[symbol->section]);
}

static const struct elf_section *find_section(const struct side *side, const char *name)
{
    for (size_t i = 1; i < side->elf.section_count; i++)
        if (strcmp(side->elf.sections[i].name, name) == 0)
            return &side->elf.sections[i];
    return NULL;
}

static size_t find_anchors(struct side *sides, struct anchor *anchors)
{
    struct map seen;
    size_t count = 0;

    map_init(&seen, &sides[0].tdiff->arena);
    for (size_t i = 1; i < sides[0].elf.symbol_count; i++) {
        const struct elf_symbol *symbol = &sides[0].elf.symbols[i], *other;
        if (is_anchor(&sides[0], symbol) && (other = next_of_name(&sides[1], &seen, symbol->name)))
            anchors[count++] = (struct anchor){{symbol->raw.st_value, other->raw.st_value}, {0}};
    }
    /* Code before the first symbol of its section: calls of indirect functions. */
    for (size_t i = 1; i < sides[0].elf.section_count; i++) {
        const struct elf_section *section = &sides[0].elf.sections[i], *other;
        if (is_code(section) && (other = find_section(&sides[1], section->name)) && is_code(other))
            anchors[count++] =
                (struct anchor){{section->header.sh_addr, other->header.sh_addr}, {0}};
    }
    qsort(anchors, count, sizeof *anchors, by_second);
    for (size_t i = 0; i < count; i++)
        anchors[i].end[1] = i + 1 < count ? anchors[i + 1].at[1] : UINT64_MAX;
    qsort(anchors, count, sizeof *anchors, by_first);
    for (size_t i = 0; i < count; i++)
        anchors[i].end[0] = i + 1 < count ? anchors[i + 1].at[0] : UINT64_MAX;
    return count;
}

static void find_bounds(struct moved *moved, const struct side *side, unsigned which)
{
    moved->low[which] = UINT64_MAX;
    for (size_t i = 1; i < side->elf.section_count; i++) {
        const struct elf_section *section = &side->elf.sections[i];
        if (!is_code(section))
            continue;
        uint64_t end = section->header.sh_addr + section->header.sh_size;
        if (section->header.sh_addr < moved->low[which])
            moved->low[which] = section->header.sh_addr;
        if (end > moved->high[which])
            moved->high[which] = end;
    }
    if (moved->low[which] > moved->high[which] || moved->high[which] - moved->low[which] > 1 << 28)
        moved->low[which] = moved->high[which] = 0;
    size_t count = (moved->high[which] - moved->low[which]) / 2 + 8;
    moved->to[which] = new_array(count, sizeof *moved->to[which]);
    moved->after[which] = new_array(count, sizeof *moved->after[which]);
}

void moved_find(struct moved *moved, struct side *sides)
{
    struct region regions[2] = {{0}, {0}};

    moved->is_on = sides[0].has_program && sides[1].has_program;
    if (!moved->is_on)
        return;
    find_bounds(moved, &sides[0], 0);
    find_bounds(moved, &sides[1], 1);
    struct anchor *anchors =
        new_array(sides[0].elf.symbol_count + sides[0].elf.section_count + 1, sizeof *anchors);
    size_t count = find_anchors(sides, anchors);
    for (size_t i = 0; i < count && moved->high[0] && moved->high[1]; i++) {
        for (unsigned which = 0; which < 2; which++)
            region_read(&sides[which], &regions[which], anchors[i].at[which],
                        anchors[i].end[which]);
        align(moved, regions);
    }
    free(anchors);
    for (unsigned which = 0; which < 2; which++) {
        free(regions[which].list);
        free(regions[which].ends);
    }
}

void moved_free(struct moved *moved)
{
    for (unsigned which = 0; which < 2; which++) {
        free(moved->to[which]);
        free(moved->after[which]);
    }
}

/* Returns the entry of an address, or 0. */
static uint64_t entry_of(const struct moved *moved, uint64_t *const *table, unsigned from,
                         uint64_t address)
{
    if (address < moved->low[from] || address > moved->high[from])
        return 0;
    return table[from][(address - moved->low[from]) / 2];
}

uint64_t moved_pc(const struct moved *moved, unsigned from, uint64_t pc)
{
    if (!moved->is_on)
        return pc;
    uint64_t to = entry_of(moved, moved->to, from, pc);
    return to ? to : NO_NUMBER;
}

/* ---- values ---- */

/* Finds the address of a symbol by its name. */
static bool find_named(struct side *side, const char *name, uint64_t *address)
{
    if (!side->names.arena) {
        map_init(&side->names, &side->tdiff->arena);
        for (size_t i = 1; i < side->elf.symbol_count; i++) {
            const struct elf_symbol *symbol = &side->elf.symbols[i];
            struct map_entry *entry =
                symbol->section && *symbol->name
                    ? map_entry(&side->names, symbol->name, strlen(symbol->name))
                    : NULL;
            if (entry && !entry->value)
                entry->value = (void *)symbol;
        }
    }
    const struct elf_symbol *found = map_get(&side->names, name);
    if (found)
        *address = found->raw.st_value;
    return found != NULL;
}

/* Has the other program a symbol of that name there? Several symbols may have the same address. */
static bool is_named(struct side *sides, unsigned from, uint64_t address, uint64_t other,
                     uint64_t before)
{
    const struct elf_symbol *symbol = symbolizer_find(&sides[from].symbols, address - before);
    uint64_t start;

    return symbol && find_named(&sides[!from], symbol->name, &start) &&
           other - start == address - symbol->raw.st_value;
}

static bool same_symbol(struct side *sides, uint64_t a, uint64_t b, uint64_t before)
{
    const struct elf_symbol *left = symbolizer_find(&sides[0].symbols, a - before);
    const struct elf_symbol *right = symbolizer_find(&sides[1].symbols, b - before);

    if (left && right && a - left->raw.st_value == b - right->raw.st_value &&
        strcmp(left->name, right->name) == 0)
        return true;
    return is_named(sides, 0, a, b, before) || is_named(sides, 1, b, a, before);
}

static bool is_stack(const struct side *side, uint64_t address)
{
    uint64_t sp = side_stack_pointer(side);

    return sp && address - (sp - STACK) < 2 * (uint64_t)STACK;
}

/* Returns the symbol before the one that has the address, if the address is near its end. There may
 * be a gap for alignment. */
static const struct elf_symbol *symbol_before(const struct side *side, uint64_t address)
{
    const struct elf_symbol *symbol = symbolizer_find(&side->symbols, address), *before = NULL;

    if (!symbol || address - symbol->raw.st_value >= REACH)
        return NULL;
    for (unsigned gap = 1; !before && gap <= GAP; gap++)
        before = symbolizer_find(&side->symbols, symbol->raw.st_value - gap);
    return before;
}

/* Are the addresses as far after the same array, which other ones follow? */
static bool same_after_symbol(const struct side *sides, uint64_t a, uint64_t b)
{
    const struct elf_symbol *left = symbol_before(&sides[0], a),
                            *right = symbol_before(&sides[1], b);

    return left && right && strcmp(left->name, right->name) == 0 &&
           a - left->raw.st_value == b - right->raw.st_value;
}

/* Is the section not written? */
static bool is_constant(const struct elf_section *section)
{
    return section && !(section->header.sh_flags & SHF_WRITE);
}

/* Are the addresses, which symbols do not tell, the same places of a section? Constants without a
 * symbol, such as strings, may be anywhere: what is read there is compared. */
static bool same_place(struct side *sides, const struct elf_section *left, uint64_t a,
                       const struct elf_section *right, uint64_t b)
{
    if (strcmp(left->name, right->name) != 0 || is_code(left))
        return false;
    if (is_constant(left) && is_constant(right) && !symbolizer_find(&sides[0].symbols, a) &&
        !symbolizer_find(&sides[1].symbols, b))
        return true;
    return a - left->header.sh_addr == b - right->header.sh_addr;
}

/* Returns the section that ends before the address and is the nearest; NULL: none is near. */
static const struct elf_section *section_before(const struct side *side, uint64_t address)
{
    const struct elf_section *found = NULL;
    uint64_t nearest = REACH;

    for (size_t i = 1; i < side->elf.section_count; i++) {
        const Elf64_Shdr *header = &side->elf.sections[i].header;
        uint64_t distance = address - header->sh_addr - header->sh_size;
        if (header->sh_flags & SHF_ALLOC && !(header->sh_flags & SHF_TLS) && distance < nearest) {
            found = &side->elf.sections[i];
            nearest = distance;
        }
    }
    return found;
}

/* Are the addresses as far after the ends of the same section? So are the limits of loops that go
 * through its last array by rows. */
static bool same_after(const struct side *sides, uint64_t a, uint64_t b)
{
    const struct elf_section *left = section_before(&sides[0], a),
                             *right = section_before(&sides[1], b);

    return left && right && strcmp(left->name, right->name) == 0 &&
           a - left->header.sh_addr - left->header.sh_size ==
               b - right->header.sh_addr - right->header.sh_size;
}

bool moved_same(const struct moved *moved, struct side *sides, uint64_t a, uint64_t b)
{
    if (a == b)
        return true;
    if (!moved->is_on)
        return false;
    if (entry_of(moved, moved->to, 0, a) == b || entry_of(moved, moved->after, 0, a) == b)
        return b != 0;
    const struct elf_section *left = side_section(&sides[0], a),
                             *right = side_section(&sides[1], b);
    if (left && right)
        return same_symbol(sides, a, b, 0) || same_symbol(sides, a, b, 1) ||
               same_after_symbol(sides, a, b) || same_place(sides, left, a, right, b);
    if (!left && !right && same_after(sides, a, b))
        return true;
    return is_stack(&sides[0], a) && is_stack(&sides[1], b) &&
           (a - b == side_stack_pointer(&sides[0]) - side_stack_pointer(&sides[1]) ||
            a - b == sides[0].first_sp - sides[1].first_sp);
}

/* Is the address in the program, or as near to it as `reach`? */
static bool is_loaded(const struct side *side, uint64_t address, uint64_t reach)
{
    for (size_t i = 0; i < side->elf.segment_count; i++) {
        const Elf64_Phdr *segment = &side->elf.segments[i];
        if (segment->p_type == PT_LOAD &&
            address + reach - segment->p_vaddr <= segment->p_memsz + 2 * reach)
            return true;
    }
    return false;
}

/* Is the address in the headers of the program's file, which are in memory, too? */
static bool is_header(const struct side *side, uint64_t address)
{
    return is_loaded(side, address, 0) && !side_section(side, address);
}

bool moved_layout(const struct moved *moved, struct side *sides, const uint64_t *addresses,
                  uint64_t a, uint64_t b, unsigned size)
{
    const struct elf_section *left = side_section(&sides[0], addresses[0]);

    if (moved->is_on && is_header(&sides[0], addresses[0]) && is_header(&sides[1], addresses[1]))
        return true;
    if (size != sizeof(int32_t) || !moved->is_on || !is_constant(left) ||
        !is_constant(side_section(&sides[1], addresses[1])))
        return false;
    for (unsigned back = 0; back < TABLE && addresses[0] - back >= left->header.sh_addr;
         back += sizeof(int32_t)) {
        uint64_t from = addresses[0] - back + (uint64_t)(int64_t)(int32_t)a;
        uint64_t to = addresses[1] - back + (uint64_t)(int64_t)(int32_t)b;
        if (to && entry_of(moved, moved->to, 0, from) == to)
            return true;
    }
    return false;
}

bool moved_near(struct side *sides, uint64_t a, uint64_t b)
{
    return is_loaded(&sides[0], a, REACH) && is_loaded(&sides[1], b, REACH);
}

uint64_t moved_data(const struct moved *moved, struct side *sides, unsigned from, uint64_t address)
{
    const struct side *side = &sides[from], *other = &sides[!from];

    if (!moved->is_on)
        return address;
    if (is_stack(side, address))
        return address + (side_stack_pointer(other) - side_stack_pointer(side));
    const struct elf_symbol *symbol =
        side_section(side, address) ? symbolizer_find(&side->symbols, address) : NULL;
    uint64_t start;
    return symbol && find_named(&sides[!from], symbol->name, &start)
               ? start + (address - symbol->raw.st_value)
               : address;
}

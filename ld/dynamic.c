/* A static position-independent program has no dynamic linker. Its start files find .dynamic by the
 * symbol _DYNAMIC and relocate the program themselves. The rest of .dynamic is what they and tools
 * expect of any program that moves.
 *
 * Nothing is left to look up by name: every symbol is defined in the program, so all relocations
 * are R_RISCV_RELATIVE or R_RISCV_IRELATIVE, and the symbol table is empty. Offsets from the thread
 * pointer do not depend on the place of the program; they are final in the file.
 *
 * The size of .rela.dyn has to be known before addresses are, but whether a symbol of --defsym or a
 * script moves is known only then. Room is made for all that may move; what is left of it is
 * R_RISCV_NONE at the end. */
#include "ld/dynamic.h"

#include "ld/symbol.h"
#include "lib/bytes.h"
#include <stdlib.h>
#include <string.h>

#define DYNAMIC_SYMBOL "_DYNAMIC" /* gABI, "Dynamic Section" */

enum { WORD = 8, ADDRESS_BITS = 64 };

struct dynamic {
    struct section *table, *symbols, *strings, *relocations;
    struct section *hash, *gnu_hash; /* NULL: not wanted */
    Elf64_Rela *items;
    size_t count, capacity;
    size_t address_count; /* those of the items that are R_RISCV_RELATIVE */
    bool unused;          /* nothing in the program names .dynamic */
};

/* ---- sections ---- */

static struct section *make_section(struct linker *linker, const char *name, uint32_t type,
                                    uint64_t flags, uint64_t entry_size)
{
    struct section *section =
        section_new(linker, name, type, SHF_ALLOC | flags, type == SHT_STRTAB ? 1 : WORD, NULL, 0);

    section->entry_size = entry_size;
    return section;
}

void dynamic_make(struct linker *linker)
{
    struct dynamic *dynamic = linker->dynamic = arena_new(&linker->arena, struct dynamic);
    const struct config *config = &linker->config;

    *dynamic = (struct dynamic){.count = 0};
    if (config->sysv_hash)
        dynamic->hash = make_section(linker, ".hash", SHT_HASH, 0, 4);
    if (config->gnu_hash)
        dynamic->gnu_hash = make_section(linker, ".gnu.hash", SHT_GNU_HASH, 0, 0);
    dynamic->symbols = make_section(linker, ".dynsym", SHT_DYNSYM, 0, sizeof(Elf64_Sym));
    dynamic->strings = make_section(linker, ".dynstr", SHT_STRTAB, 0, 0);
    dynamic->relocations = make_section(linker, ".rela.dyn", SHT_RELA, 0, sizeof(Elf64_Rela));
    dynamic->table = make_section(linker, ".dynamic", SHT_DYNAMIC, SHF_WRITE, sizeof(Elf64_Dyn));
    struct symbol *symbol = symbol_intern(linker, DYNAMIC_SYMBOL);
    dynamic->unused = !symbol->referenced;
    if (symbol->state != SYMBOL_UNDEFINED)
        return;
    symbol->state = SYMBOL_DEFINED;
    symbol->section = dynamic->table;
    symbol->binding = STB_GLOBAL;
    symbol->type = STT_OBJECT;
    symbol->visibility = STV_HIDDEN;
}

bool dynamic_has(const struct linker *linker, const struct section *section)
{
    const struct dynamic *dynamic = linker->dynamic;

    return dynamic && (section == dynamic->table || section == dynamic->symbols ||
                       section == dynamic->strings || section == dynamic->relocations ||
                       section == dynamic->hash || section == dynamic->gnu_hash);
}

uint32_t dynamic_link(const struct linker *linker, const struct output_section *output)
{
    const struct dynamic *dynamic = linker->dynamic;
    const struct section *linked = NULL;

    if (!dynamic)
        return 0;
    if (output->type == SHT_DYNAMIC || output->type == SHT_DYNSYM)
        linked = dynamic->strings;
    else if (output->type == SHT_HASH || output->type == SHT_GNU_HASH ||
             output == dynamic->relocations->output)
        linked = dynamic->symbols;
    return linked && linked->output ? linked->output->index : 0;
}

/* ---- sizes ---- */

static bool may_move(const struct symbol *symbol)
{
    return (symbol->state == SYMBOL_DEFINED && symbol->section) || symbol->state == SYMBOL_ASSIGNED;
}

static bool is_address(const struct relocation *relocation)
{
    const struct isa_relocation *type = relocation_type(relocation);

    return type->value == ISA_VALUE_S_A && type->place == ISA_PLACE_DATA &&
           type->data_bits == ADDRESS_BITS;
}

static size_t count_addresses(const struct linker *linker)
{
    struct section_walk walk = {0};
    size_t count = 0;

    for (const struct section *section; (section = section_next(linker, &walk));) {
        if (!section->live || !section->output || !(section->flags & SHF_ALLOC) ||
            !section_computes(section, ISA_VALUE_S_A))
            continue;
        for (size_t i = 0; i < section->relocation_count; i++)
            count +=
                is_address(&section->relocations[i]) && may_move(section->relocations[i].symbol);
    }
    for (size_t i = 0; i < linker->got_count; i++)
        count += linker->got_words[i].kind == GOT_ADDRESS && may_move(linker->got_words[i].symbol);
    return count;
}

static void set_size(struct linker *linker, struct section *section, uint64_t size)
{
    if (!section)
        return;
    section->size = size;
    section->patched = arena_alloc(&linker->arena, size);
    memset(section->patched, 0, size);
    section->bytes = section->patched;
}

/* Writes an entry of .dynamic, or only counts it if there is no room yet. */
static void put_entry(const struct section *table, size_t *count, int64_t tag, uint64_t value)
{
    unsigned char *at = table->patched ? table->patched + *count * sizeof(Elf64_Dyn) : NULL;

    ++*count;
    if (!at)
        return;
    bytes_put(at, (uint64_t)tag, WORD);
    bytes_put(at + WORD, value, WORD);
}

static void put_array(const struct linker *linker, size_t *count, const char *name,
                      int64_t address_tag, int64_t size_tag)
{
    const struct section *table = linker->dynamic->table;

    for (size_t i = 0; i < linker->output_count; i++) {
        const struct output_section *output = linker->outputs[i];
        if (strcmp(output->name, name) != 0 || !(output->flags & SHF_ALLOC) ||
            !output->member_count)
            continue;
        put_entry(table, count, address_tag, output->address);
        put_entry(table, count, size_tag, output->size);
    }
}

static void put_section(const struct section *table, size_t *count, int64_t tag,
                        const struct section *section)
{
    if (section)
        put_entry(table, count, tag, section_address(section, 0));
}

/* Writes .dynamic in the order of GNU ld, or counts its entries if there is no room yet. The count
 * does not depend on addresses. */
static size_t put_entries(const struct linker *linker)
{
    const struct dynamic *dynamic = linker->dynamic;
    const struct section *table = dynamic->table;
    uint64_t size = dynamic->relocations->size, now = linker->config.bind_now;
    size_t count = 0;

    put_array(linker, &count, ".preinit_array", DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ);
    put_array(linker, &count, ".init_array", DT_INIT_ARRAY, DT_INIT_ARRAYSZ);
    put_array(linker, &count, ".fini_array", DT_FINI_ARRAY, DT_FINI_ARRAYSZ);
    put_section(table, &count, DT_HASH, dynamic->hash);
    put_section(table, &count, DT_GNU_HASH, dynamic->gnu_hash);
    put_section(table, &count, DT_STRTAB, dynamic->strings);
    put_section(table, &count, DT_SYMTAB, dynamic->symbols);
    put_entry(table, &count, DT_STRSZ, dynamic->strings->size);
    put_entry(table, &count, DT_SYMENT, sizeof(Elf64_Sym));
    put_entry(table, &count, DT_DEBUG, 0);
    if (size) {
        put_section(table, &count, DT_RELA, dynamic->relocations);
        put_entry(table, &count, DT_RELASZ, size);
        put_entry(table, &count, DT_RELAENT, sizeof(Elf64_Rela));
    }
    if (now)
        put_entry(table, &count, DT_FLAGS, DF_BIND_NOW);
    put_entry(table, &count, DT_FLAGS_1, DF_1_PIE | (now ? DF_1_NOW : 0));
    if (size)
        put_entry(table, &count, DT_RELACOUNT, dynamic->address_count);
    put_entry(table, &count, DT_NULL, 0);
    return count;
}

/* The tables of symbols have no symbol. The one of GNU has a filter with one word, and one empty
 * bucket: "DT_GNU_HASH: better ELF hash table". */
static void fill_hash_tables(const struct dynamic *dynamic)
{
    enum { HALF = 4, ONE = 1 };

    if (dynamic->hash) {
        bytes_put(dynamic->hash->patched, ONE, HALF);        /* buckets */
        bytes_put(dynamic->hash->patched + HALF, ONE, HALF); /* symbols */
    }
    for (unsigned i = 0; dynamic->gnu_hash && i < 3; i++) /* buckets, first symbol, filter words */
        bytes_put(dynamic->gnu_hash->patched + (size_t)i * HALF, ONE, HALF);
}

void dynamic_size(struct linker *linker)
{
    struct dynamic *dynamic = linker->dynamic;
    size_t addresses = count_addresses(linker);

    set_size(linker, dynamic->hash, 16);
    set_size(linker, dynamic->gnu_hash, 28);
    set_size(linker, dynamic->symbols, sizeof(Elf64_Sym));
    set_size(linker, dynamic->strings, 1);
    set_size(linker, dynamic->relocations,
             (addresses + linker->indirect_count) * sizeof(Elf64_Rela));
    set_size(linker, dynamic->table, put_entries(linker) * sizeof(Elf64_Dyn));
    fill_hash_tables(dynamic);
}

/* ---- relocations ---- */

static void add(struct linker *linker, enum isa_value value, uint64_t place, uint64_t addend)
{
    struct dynamic *dynamic = linker->dynamic;
    const struct isa_relocation *type = isa_relocation_of(value, ISA_PLACE_NONE, 0);

    dynamic->items = arena_grow(&linker->arena, dynamic->items, dynamic->count, &dynamic->capacity,
                                sizeof *dynamic->items);
    dynamic->items[dynamic->count++] =
        (Elf64_Rela){.r_offset = place,
                     .r_info = ELF64_R_INFO(UINT64_C(0), (uint64_t)type->number),
                     .r_addend = (int64_t)addend};
}

void dynamic_add_address(struct linker *linker, uint64_t place, uint64_t address)
{
    add(linker, ISA_VALUE_REBASE, place, address);
    linker->dynamic->address_count++;
}

void dynamic_add_indirect(struct linker *linker, uint64_t place, uint64_t resolver)
{
    add(linker, ISA_VALUE_RESOLVE, place, resolver);
}

static bool refuse(const struct place *place, const char *why)
{
    place_fail(place, why);
    return false;
}

/* Handles a value that has to move with the program. */
static bool check_moving(const struct place *place)
{
    const struct section *section = place->section;
    const struct isa_relocation *type = relocation_type(place->relocation);

    if (!is_address(place->relocation)) {
        if (type->place == ISA_PLACE_DATA || type->place == ISA_PLACE_ULEB128)
            return refuse(place, "the address of a position-independent program is not known; "
                                 "store it in a 64-bit datum, or store a distance");
        return refuse(place, "absolute addresses cannot be used in the code of a "
                             "position-independent program; compile with -fPIE");
    }
    if (!(section->output->flags & SHF_WRITE))
        return refuse(place,
                      arena_format(&place->linker->arena,
                                   "the address must be relocated when the program starts, but "
                                   "section '%s' is read-only; compile with -fPIE, or put the "
                                   "datum in a writable section (.data.rel.ro)",
                                   section->output->name));
    dynamic_add_address(place->linker, place->p, place->s + (uint64_t)place->a);
    return true;
}

bool dynamic_check(const struct place *place)
{
    const struct relocation *relocation = place->relocation;
    const struct isa_relocation *type = relocation_type(relocation);
    bool moves = symbol_moves(place->linker, relocation->symbol);

    if (!(place->section->flags & SHF_ALLOC))
        return true;
    switch (type->value) {
    case ISA_VALUE_S_A:
    case ISA_VALUE_ADD:
        return !moves || place_subtraction(place) || check_moving(place);
    case ISA_VALUE_HI_S_A:
    case ISA_VALUE_LO_S_A:
        return !moves || check_moving(place);
    case ISA_VALUE_S_A_P:
        return moves || refuse(place, "the distance to an address that does not move with the "
                                      "position-independent program is not known; load the "
                                      "address from the GOT (la)");
    default:
        return true;
    }
}

/* Compares by type, then by place: R_RISCV_RELATIVE has a smaller number than R_RISCV_IRELATIVE, so
 * what resolvers read is relocated before they are called. */
static int compare_items(const void *a, const void *b)
{
    const Elf64_Rela *x = a, *y = b;

    if (x->r_info != y->r_info)
        return x->r_info < y->r_info ? -1 : 1;
    return x->r_offset < y->r_offset ? -1 : x->r_offset > y->r_offset;
}

static bool check_outputs(struct linker *linker)
{
    const struct dynamic *dynamic = linker->dynamic;
    const struct section *sections[] = {dynamic->table, dynamic->symbols, dynamic->strings,
                                        dynamic->relocations};

    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (!sections[i]->output) {
            diag_error(&linker->diag, NULL,
                       "the linker script discards %s, which a position-independent program needs; "
                       "give it a place",
                       sections[i]->name);
            return false;
        }
    for (size_t i = 0; i < linker->output_count; i++)
        if (linker->outputs[i]->region == REGION_SCRATCHPAD && linker->outputs[i]->size) {
            diag_error(&linker->diag, NULL,
                       "section '%s' is in the scratchpad, whose address is fixed, but a "
                       "position-independent program is loaded anywhere; link with -no-pie, or "
                       "copy the data to the scratchpad in the program",
                       linker->outputs[i]->name);
            return false;
        }
    return true;
}

void dynamic_fill(struct linker *linker)
{
    struct dynamic *dynamic = linker->dynamic;

    if (!check_outputs(linker) || diag_failed(&linker->diag))
        return;
    if (dynamic->count * sizeof *dynamic->items > dynamic->relocations->size)
        BUG("%zu relocations, but room for %llu bytes", dynamic->count,
            (unsigned long long)dynamic->relocations->size);
    if (dynamic->count)
        qsort(dynamic->items, dynamic->count, sizeof *dynamic->items, compare_items);
    for (size_t i = 0; i < dynamic->count; i++) {
        unsigned char *at = dynamic->relocations->patched + i * sizeof *dynamic->items;
        bytes_put(at, dynamic->items[i].r_offset, WORD);
        bytes_put(at + WORD, dynamic->items[i].r_info, WORD);
        bytes_put(at + 2 * WORD, (uint64_t)dynamic->items[i].r_addend, WORD);
    }
    put_entries(linker);
    if (dynamic->unused && dynamic->count)
        diag_warning(&linker->diag, NULL,
                     "the program has %zu addresses to relocate when it starts, but no object "
                     "names " DYNAMIC_SYMBOL ", so nothing relocates them; link with start files "
                     "for static position-independent programs (rcrt1.o)",
                     dynamic->count);
}

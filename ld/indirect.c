/* The code of an entry is not written here. It is taken from the ISA description: the expansion of
 * an address load through the GOT, with the register that a tail call uses, and the final jump of
 * the tail call. */
#include "ld/indirect.h"

#include "ld/dynamic.h"
#include "ld/eh_frame.h"
#include "ld/place.h"
#include "ld/symbol.h"
#include "lib/bytes.h"
#include <string.h>

#define INDIRECT_START "__rela_iplt_start"

enum { WORD = 8, OPERANDS = 8, ENTRY_ALIGNMENT = 16 };

/* The instructions of an entry, before relocation. */
struct entry_code {
    const struct isa_relocation *high,
        *low;          /* relocations of the first and the second instruction */
    uint64_t words[3]; /* load the high part, load the address, jump */
    unsigned lengths[3];
};

struct indirect {
    struct linker *linker;
    struct entry_code code;
    struct symbol **functions; /* the indirect functions, in the order of their entries */
    size_t count, capacity;
    struct map entries; /* struct symbol * → struct symbol *: the entry of the function */
};

/* ---- the code ---- */

/* Returns the relocation of the step's operator, or NULL. */
static const struct isa_relocation *step_relocation(const struct isa_step *step)
{
    for (unsigned i = 0; i < step->instruction->operand_count; i++)
        if (step->arguments[i].operator_name)
            return isa_relocation_for(step->arguments[i].operator_name,
                                      &step->instruction->operands[i]);
    return NULL;
}

/* Returns the constant register that the step writes; -1: none. */
static int64_t written_register(const struct isa_step *step)
{
    for (unsigned i = 0; i < step->instruction->operand_count; i++)
        if (step->instruction->operands[i].type->access == ISA_WRITE &&
            step->arguments[i].kind == ISA_ARGUMENT_CONSTANT)
            return step->arguments[i].constant;
    return -1;
}

/* Finds the alias with two steps whose first step has a relocation with this value. `tail`: it is a
 * jump without link through a register that the alias chooses. */
static const struct isa_form *find_alias(enum isa_value value, bool tail)
{
    for (size_t i = 0; i < isa_form_count; i++) {
        const struct isa_form *form = &isa_forms[i];
        if (form->step_count != 2 || form->expander != ISA_EXPAND_STEPS)
            continue;
        const struct isa_relocation *relocation = step_relocation(&form->steps[0]);
        if (relocation && relocation->value == value &&
            (!tail ||
             (written_register(&form->steps[0]) > 0 && written_register(&form->steps[1]) == 0)))
            return form;
    }
    return NULL;
}

/* Returns the word of a step: every operand of the alias is `registers`, and relocated operands are
 * 0. */
static uint64_t step_word(const struct isa_step *step, int64_t registers)
{
    int64_t values[OPERANDS] = {0};

    for (unsigned i = 0; i < step->instruction->operand_count; i++) {
        const struct isa_argument *argument = &step->arguments[i];
        values[i] = argument->kind == ISA_ARGUMENT_CONSTANT  ? argument->constant
                    : argument->kind == ISA_ARGUMENT_OPERAND ? registers
                                                             : 0;
    }
    return isa_encode(step->instruction, values);
}

static bool make_code(struct entry_code *code)
{
    const struct isa_form *load = find_alias(ISA_VALUE_HI_GOT_P, false),
                          *tail = find_alias(ISA_VALUE_PAIR_S_A_P, true);
    int64_t scratch = tail ? written_register(&tail->steps[0]) : -1;

    code->high = isa_relocation_of(ISA_VALUE_HI_S_A_P, ISA_PLACE_FIELD, 0);
    if (!load || scratch < 0 || !code->high)
        return false;
    const struct isa_step *steps[] = {&load->steps[0], &load->steps[1], &tail->steps[1]};
    for (size_t i = 0; i < 3; i++) {
        code->words[i] = step_word(steps[i], scratch);
        code->lengths[i] = steps[i]->instruction->length;
    }
    code->low = step_relocation(steps[1]);
    return code->low != NULL;
}

/* ---- entries ---- */

static bool is_indirect(const void *context, const struct symbol *symbol)
{
    (void)context;
    return symbol->type == STT_GNU_IFUNC && symbol->state == SYMBOL_DEFINED && symbol->section;
}

/* Makes the symbol of the function's entry; it gets its place in the section later. */
static struct symbol *entry_of(struct indirect *indirect, struct symbol *function)
{
    struct linker *linker = indirect->linker;
    struct map_entry *entry =
        map_entry(&indirect->entries, (const char *)&function, sizeof function);

    if (!entry->value) {
        struct symbol *symbol = arena_new(&linker->arena, struct symbol);
        *symbol = (struct symbol){.name = arena_format(&linker->arena, "%s@plt", function->name),
                                  .state = SYMBOL_DEFINED,
                                  .binding = STB_LOCAL,
                                  .type = STT_FUNC,
                                  .local = true};
        entry->value = symbol;
        indirect->functions = arena_grow(&linker->arena, indirect->functions, indirect->count,
                                         &indirect->capacity, sizeof(struct symbol *));
        indirect->functions[indirect->count++] = function;
    }
    return entry->value;
}

static void redirect(struct indirect *indirect)
{
    struct section_walk walk = {0};

    for (struct section *section;
         (section = section_next_naming(indirect->linker, &walk, is_indirect, NULL));)
        for (size_t i = 0;
             section->live && section->flags & SHF_ALLOC && i < section->relocation_count; i++)
            if (is_indirect(NULL, section->relocations[i].symbol))
                section->relocations[i].symbol = entry_of(indirect, section->relocations[i].symbol);
}

/* Writes the code, with a relocation of each high part to the word of the function and of each low
 * part to the entry. */
static void make_entries(struct indirect *indirect, const struct section *words)
{
    struct linker *linker = indirect->linker;
    const struct entry_code *code = &indirect->code;
    unsigned length = code->lengths[0] + code->lengths[1] + code->lengths[2];
    unsigned size = (length + ENTRY_ALIGNMENT - 1) / ENTRY_ALIGNMENT * ENTRY_ALIGNMENT;
    unsigned char *bytes = arena_alloc(&linker->arena, indirect->count * size);

    memset(bytes, 0,
           indirect->count * size); /* the gaps between entries are illegal instructions */
    struct section *section = section_new(linker, ".iplt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
                                          ENTRY_ALIGNMENT, bytes, indirect->count * size);
    linker->indirect_entries =
        arena_array(&linker->arena, indirect->count, sizeof *linker->indirect_entries);
    section->relocation_count = 2 * indirect->count;
    section->relocations =
        arena_array(&linker->arena, section->relocation_count, sizeof *section->relocations);
    for (size_t i = 0; i < indirect->count; i++) {
        uint64_t at = i * size;
        struct symbol *entry = entry_of(indirect, indirect->functions[i]);
        struct symbol *word = arena_new(&linker->arena, struct symbol);
        *word = *entry;
        word->type = STT_OBJECT;
        word->section = (struct section *)words;
        word->value = i * WORD;
        entry->section = section;
        entry->value = at;
        entry->size = length;
        linker->indirect_entries[i] = entry;
        section->relocations[2 * i] = (struct relocation){
            .offset = at, .type = (uint16_t)(code->high - isa_relocations), .symbol = word};
        section->relocations[2 * i + 1] =
            (struct relocation){.offset = at + code->lengths[0],
                                .type = (uint16_t)(code->low - isa_relocations),
                                .symbol = entry};
        for (unsigned j = 0; j < 3; at += code->lengths[j++])
            bytes_put(bytes + at, code->words[j], code->lengths[j]);
    }
}

void indirect_make(struct linker *linker)
{
    struct indirect indirect = {.linker = linker};

    map_init(&indirect.entries, &linker->arena);
    redirect(&indirect);
    if (!indirect.count)
        return;
    if (!make_code(&indirect.code))
        BUG("the ISA description has no code for indirect functions");
    linker->indirect_functions = indirect.functions;
    linker->indirect_count = indirect.count;
    uint64_t words = indirect.count * WORD, relocations = indirect.count * sizeof(Elf64_Rela);
    linker->indirect_words = section_new(linker, ".igot.plt", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE,
                                         WORD, arena_alloc(&linker->arena, words), words);
    if (!linker->dynamic) {
        linker->indirect_relocations =
            section_new(linker, ".rela.iplt", SHT_RELA, SHF_ALLOC, WORD,
                        arena_alloc(&linker->arena, relocations), relocations);
        linker->indirect_relocations->entry_size = sizeof(Elf64_Rela);
    }
    make_entries(&indirect, linker->indirect_words);
}

struct symbol *indirect_function(const struct linker *linker, struct symbol *symbol)
{
    const struct section *section = symbol->section;

    if (!linker->indirect_count || !section || section != linker->indirect_entries[0]->section)
        return symbol;
    return linker->indirect_functions[symbol->value / (section->size / linker->indirect_count)];
}

static void check_start(struct linker *linker)
{
    const struct symbol *start = symbol_find(linker, INDIRECT_START);

    if (!start || !start->referenced)
        diag_warning(&linker->diag, NULL,
                     "'%s' is an indirect function, but nothing resolves it: no object applies the "
                     "relocations at %s; link with a C library's start files",
                     linker->indirect_functions[0]->name, INDIRECT_START);
}

void indirect_fill(struct linker *linker)
{
    struct section *words = linker->indirect_words, *relocations = linker->indirect_relocations;
    const struct isa_relocation *type = isa_relocation_of(ISA_VALUE_RESOLVE, ISA_PLACE_NONE, 0);
    bool dynamic = linker->dynamic;

    if (!words->output || (!dynamic && !relocations->output)) {
        diag_error(&linker->diag, NULL,
                   "the linker script discards %s, which indirect functions need; give it a place",
                   words->output ? relocations->name : words->name);
        return;
    }
    for (size_t i = 0; dynamic && i < linker->indirect_count; i++)
        dynamic_add_indirect(linker, section_address(words, i * WORD),
                             symbol_address(linker->indirect_functions[i]));
    if (dynamic)
        return;
    check_start(linker);
    unsigned char *bytes = arena_alloc(&linker->arena, relocations->size);
    for (size_t i = 0; i < linker->indirect_count; i++) {
        unsigned char *at = bytes + i * sizeof(Elf64_Rela);
        bytes_put(at, section_address(words, i * WORD), WORD);
        bytes_put(at + WORD, ELF64_R_INFO(UINT64_C(0), (uint64_t)type->number), WORD);
        bytes_put(at + 2 * WORD, symbol_address(linker->indirect_functions[i]), WORD);
    }
    relocations->patched = bytes;
}

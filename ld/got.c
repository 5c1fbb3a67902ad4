/* A static executable needs no GOT, but position-independent code loads from one. All values in the
 * file are final: addresses (unless the program is position-independent), offsets from the thread
 * pointer, and for __tls_get_addr the module, which is always the first one, with the offset in its
 * block. */
#include "ld/got.h"

#include "ld/dynamic.h"
#include "ld/symbol.h"
#include "lib/bytes.h"

#define WORD       8
#define THE_MODULE 1 /* glibc and musl: the number of the executable */

bool got_kind_of(const struct relocation *relocation, enum got_kind *kind)
{
    switch (relocation_type(relocation)->value) {
    case ISA_VALUE_HI_GOT_P:
    case ISA_VALUE_GOT_P:
        *kind = GOT_ADDRESS;
        return true;
    case ISA_VALUE_HI_GOT_TPREL_P:
        *kind = GOT_THREAD_OFFSET;
        return true;
    case ISA_VALUE_HI_GOT_DTPREL_P:
        *kind = GOT_MODULE_OFFSET;
        return true;
    default:
        return false;
    }
}

static void add_word(struct linker *linker, struct got_word word)
{
    linker->got_words = arena_grow(&linker->arena, linker->got_words, linker->got_count,
                                   &linker->got_capacity, sizeof word);
    linker->got_words[linker->got_count++] = word;
}

static void add_entry(struct linker *linker, const struct relocation *relocation)
{
    struct symbol *symbol = relocation->symbol;
    enum got_kind kind;

    if (!got_kind_of(relocation, &kind))
        return;
    if (!symbol->got) {
        linker->got_entries =
            arena_grow(&linker->arena, linker->got_entries, linker->got_entry_count,
                       &linker->got_entry_capacity, sizeof *linker->got_entries);
        symbol->got = (uint32_t)++linker->got_entry_count;
    }
    uint32_t *first = &linker->got_entries[symbol->got - 1].words[kind];
    if (*first)
        return;
    *first = (uint32_t)linker->got_count + 1;
    if (kind == GOT_MODULE_OFFSET)
        add_word(linker, (struct got_word){.symbol = symbol, .kind = kind, .module = true});
    add_word(linker, (struct got_word){.symbol = symbol, .kind = kind});
}

static bool has_entries(const struct section *section)
{
    return section_computes(section, ISA_VALUE_HI_GOT_P) ||
           section_computes(section, ISA_VALUE_GOT_P) ||
           section_computes(section, ISA_VALUE_HI_GOT_TPREL_P) ||
           section_computes(section, ISA_VALUE_HI_GOT_DTPREL_P);
}

void got_make(struct linker *linker)
{
    struct section_walk walk = {0};

    for (struct section *section; (section = section_next(linker, &walk));) {
        size_t count = section->live && has_entries(section) ? section->relocation_count : 0;
        for (size_t i = 0; i < count; i++)
            add_entry(linker, &section->relocations[i]);
    }
    if (!linker->got_count)
        return;
    uint64_t size = linker->got_count * WORD;
    linker->got = section_new(linker, ".got", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, WORD,
                              arena_alloc(&linker->arena, size), size);
}

uint64_t got_address(const struct linker *linker, const struct symbol *symbol, enum got_kind kind)
{
    uint32_t first = linker->got_entries[symbol->got - 1].words[kind];

    return section_address(linker->got, (uint64_t)(first - 1) * WORD);
}

static uint64_t word_value(const struct linker *linker, const struct got_word *word)
{
    uint64_t address = symbol_address(word->symbol);

    if (word->module)
        return THE_MODULE;
    if (word->kind == GOT_ADDRESS)
        return address;
    if (word->symbol->state == SYMBOL_UNDEFINED) /* weak */
        return 0;
    return address - linker->tls_start - (word->kind == GOT_MODULE_OFFSET ? GOT_THREAD_BIAS : 0);
}

void got_fill(struct linker *linker)
{
    unsigned char *bytes = arena_alloc(&linker->arena, linker->got->size);

    if (!linker->got->output)
        diag_error(&linker->diag, NULL,
                   "the linker script discards .got, which the program needs; give it a place");
    for (size_t i = 0; i < linker->got_count; i++) {
        const struct got_word *word = &linker->got_words[i];
        uint64_t value = word_value(linker, word);
        bytes_put(bytes + i * WORD, value, WORD);
        if (word->kind == GOT_ADDRESS && symbol_moves(linker, word->symbol))
            dynamic_add_address(linker, section_address(linker->got, i * WORD), value);
    }
    linker->got->patched = bytes;
}

/* The default layout, as a table. It follows GNU ld's default script for elf64lriscv (`ld
 * --verbose`): the same output sections in the same order, the same symbols, the same order of
 * input sections. In addition there are the scratchpad sections, and read-only data has a separate
 * segment, so that it is not executable.
 *
 * All later phases work on the list of statements that is made here. A linker script replaces all
 * of this: ld/script/layout.c. */
#include "ld/layout.h"

#include "ld/glob.h"
#include "ld/output_section.h"
#include "ld/script/script.h"
#include "ld/symbol.h"
#include "lib/text.h"
#include <stdlib.h>
#include <string.h>

enum rule_kind {
    RULE_INPUT,
    RULE_SYMBOL,
    RULE_PROVIDE,
    RULE_SEGMENT,
    RULE_RELRO_START,
    RULE_RELRO_END,
    RULE_ALIGN,
    RULE_WINDOW
};

struct rule {
    enum rule_kind kind;
    const char *name; /* output section; symbol */
    const char *
        patterns; /* INPUT: names of input sections; each ends with a NUL, the list with another one */
    enum region region;
    bool keep;          /* root of --gc-sections */
    bool by_priority;   /* sorted by the number at the end of the name */
    bool with_contents; /* INPUT: only sections that are not SHT_NOBITS */
    bool fixed_only;    /* symbols: not in a position-independent program */
    bool hidden;        /* symbols: not visible outside the executable */
    const char *of;     /* symbols: the output section whose start or end the symbol is */
    enum anchor anchor;
    uint64_t alignment; /* ALIGN */
};

#define INPUT(output, region, patterns) RULE_INPUT, output, patterns, region, .keep = false
#define KEEP(output, region, patterns)  RULE_INPUT, output, patterns, region, .keep = true
#define SORTED(output, region, patterns)                                                           \
    RULE_INPUT, output, patterns, region, .keep = true, .by_priority = true
#define SYMBOL(name)               RULE_SYMBOL, name, .anchor = ANCHOR_HERE
#define PROVIDE(name)              RULE_PROVIDE, name, .anchor = ANCHOR_HERE
#define SYMBOL_START(name, output) RULE_SYMBOL, name, .of = output, .anchor = ANCHOR_START
#define PROVIDE_START(name, output)                                                                \
    RULE_PROVIDE, name, .hidden = true, .of = output, .anchor = ANCHOR_START
#define PROVIDE_END(name, output)                                                                  \
    RULE_PROVIDE, name, .hidden = true, .of = output, .anchor = ANCHOR_END
#define SEGMENT      RULE_SEGMENT, .name = NULL
#define ALIGN(bytes) RULE_ALIGN, NULL, .alignment = (bytes)

static const struct rule rules[] = {
    {INPUT(".interp", REGION_NOTE, ".interp\0")},
    {KEEP(".note.gnu.build-id", REGION_NOTE, ".note.gnu.build-id\0")},
    {INPUT(".hash", REGION_NOTE, ".hash\0")},
    {INPUT(".gnu.hash", REGION_NOTE, ".gnu.hash\0")},
    {INPUT(".dynsym", REGION_NOTE, ".dynsym\0")},
    {INPUT(".dynstr", REGION_NOTE, ".dynstr\0")},
    {INPUT(".rela.dyn", REGION_RODATA, ".rela.dyn\0")},
    {PROVIDE_START("__rela_iplt_start", ".rela.plt"), .fixed_only = true},
    {INPUT(".rela.plt", REGION_RODATA, ".rela.iplt\0")},
    {PROVIDE_END("__rela_iplt_end", ".rela.plt"), .fixed_only = true},
    {KEEP(".init", REGION_TEXT, ".init\0")},
    {INPUT(".plt", REGION_TEXT, ".iplt\0")},
    {INPUT(".text", REGION_TEXT, ".text.unlikely\0.text.*_unlikely\0.text.unlikely.*\0")},
    {INPUT(".text", REGION_TEXT, ".text.exit\0.text.exit.*\0")},
    {INPUT(".text", REGION_TEXT, ".text.startup\0.text.startup.*\0")},
    {INPUT(".text", REGION_TEXT, ".text.hot\0.text.hot.*\0")},
    {INPUT(".text", REGION_TEXT, ".text\0.stub\0.text.*\0.gnu.linkonce.t.*\0")},
    {KEEP(".fini", REGION_TEXT, ".fini\0")},
    {PROVIDE("__etext")},
    {PROVIDE("_etext")},
    {PROVIDE("etext")},
    {SEGMENT},
    {INPUT(".rodata", REGION_RODATA, ".rodata\0.rodata.*\0.gnu.linkonce.r.*\0")},
    {INPUT(".rodata1", REGION_RODATA, ".rodata1\0")},
    {INPUT(".sdata2", REGION_RODATA, ".sdata2\0.sdata2.*\0.gnu.linkonce.s2.*\0")},
    {KEEP(".eh_frame_hdr", REGION_RODATA, ".eh_frame_hdr\0")},
    {KEEP(".eh_frame", REGION_RODATA, ".eh_frame\0.eh_frame.*\0")},
    {INPUT(".gcc_except_table", REGION_RODATA, ".gcc_except_table\0.gcc_except_table.*\0")},
    {SEGMENT},
    {RULE_RELRO_START, .name = NULL},
    {PROVIDE_START("__tdata_start", ".tdata")},
    {INPUT(".tdata", REGION_TLS, ".tdata\0.tdata.*\0.gnu.linkonce.td.*\0")},
    {INPUT(".tbss", REGION_TLS, ".tbss\0.tbss.*\0.gnu.linkonce.tb.*\0.tcommon\0")},
    {PROVIDE_START("__preinit_array_start", ".preinit_array")},
    {KEEP(".preinit_array", REGION_DATA, ".preinit_array\0")},
    {PROVIDE_END("__preinit_array_end", ".preinit_array")},
    {PROVIDE_START("__init_array_start", ".init_array")},
    {SORTED(".init_array", REGION_DATA, ".init_array.*\0.ctors.*\0")},
    {KEEP(".init_array", REGION_DATA, ".init_array\0.ctors\0")},
    {PROVIDE_END("__init_array_end", ".init_array")},
    {PROVIDE_START("__fini_array_start", ".fini_array")},
    {SORTED(".fini_array", REGION_DATA, ".fini_array.*\0.dtors.*\0")},
    {KEEP(".fini_array", REGION_DATA, ".fini_array\0.dtors\0")},
    {PROVIDE_END("__fini_array_end", ".fini_array")},
    {KEEP(".jcr", REGION_DATA, ".jcr\0")},
    {INPUT(".data.rel.ro", REGION_DATA, ".data.rel.ro.local*\0.gnu.linkonce.d.rel.ro.local.*\0")},
    {INPUT(".data.rel.ro", REGION_DATA,
           ".data.rel.ro\0.data.rel.ro.*\0.gnu.linkonce.d.rel.ro.*\0")},
    {INPUT(".dynamic", REGION_DATA, ".dynamic\0")},
    {RULE_RELRO_END, .name = NULL},
    {SYMBOL_START("__DATA_BEGIN__", ".data")},
    {INPUT(".data", REGION_DATA, ".data\0.data.*\0.gnu.linkonce.d.*\0")},
    {INPUT(".data1", REGION_DATA, ".data1\0")},
    {PROVIDE_START("_GLOBAL_OFFSET_TABLE_", ".got")},
    {INPUT(".got", REGION_SMALL_DATA, ".got\0.got.plt\0.igot.plt\0")},
    {SYMBOL_START("__SDATA_BEGIN__", ".sdata")},
    {INPUT(".sdata", REGION_SMALL_DATA, ".srodata.cst16\0")},
    {INPUT(".sdata", REGION_SMALL_DATA, ".srodata.cst8\0")},
    {INPUT(".sdata", REGION_SMALL_DATA, ".srodata.cst4\0")},
    {INPUT(".sdata", REGION_SMALL_DATA, ".srodata.cst2\0")},
    {INPUT(".sdata", REGION_SMALL_DATA, ".srodata\0.srodata.*\0")},
    {INPUT(".sdata", REGION_SMALL_DATA, ".sdata\0.sdata.*\0.gnu.linkonce.s.*\0")},
    {SYMBOL("_edata")},
    {PROVIDE("edata")},
    {SYMBOL("__bss_start")},
    {INPUT(".sbss", REGION_BSS,
           ".sbss\0.sbss.*\0.gnu.linkonce.sb.*\0.scommon\0.sbss2\0.sbss2.*\0")},
    {INPUT(".bss", REGION_BSS, ".bss\0.bss.*\0.gnu.linkonce.b.*\0")},
    {INPUT(".bss", REGION_BSS, "COMMON\0")},
    {ALIGN(8)},
    {SYMBOL("__BSS_END__")},
    {SYMBOL("_end")},
    {PROVIDE("end")},
    {RULE_WINDOW, .name = NULL},
    {PROVIDE_START("__spm_start", ".spm")},
    {RULE_INPUT, ".spm", ".spm*\0", REGION_SCRATCHPAD, .with_contents = true},
    {INPUT(".spm.bss", REGION_SCRATCHPAD, ".spm*\0")},
    {PROVIDE("__spm_end")},
};

#define RULE_COUNT (sizeof rules / sizeof *rules)

static bool matches(const struct rule *rule, const char *name)
{
    for (const char *pattern = rule->patterns; *pattern; pattern += strlen(pattern) + 1)
        if (glob_matches(pattern, name))
            return true;
    return false;
}

static const struct rule *rule_for(const struct section *section)
{
    if (!(section->flags & SHF_ALLOC))
        return NULL;
    for (const struct rule *rule = rules; rule < rules + RULE_COUNT; rule++)
        if (rule->kind == RULE_INPUT && (!rule->with_contents || section->type != SHT_NOBITS) &&
            matches(rule, section->name))
            return rule;
    return NULL;
}

/* Sections have few different names. The rules of recent ones are kept. */
struct known_rule {
    const char *name; /* NULL: none is known */
    uint64_t allocated;
    bool without_contents;
    const struct rule *rule;
};

enum { KNOWN_RULES = 64 };

static const struct rule *known_rule_for(struct known_rule *known, const struct section *section)
{
    uint64_t allocated = section->flags & SHF_ALLOC;
    bool without_contents = section->type == SHT_NOBITS;
    uint64_t hash = hash_bytes(section->name, strlen(section->name), 0);

    known += hash % KNOWN_RULES;
    if (!known->name || known->allocated != allocated ||
        known->without_contents != without_contents || strcmp(known->name, section->name) != 0)
        *known = (struct known_rule){section->name, allocated, without_contents, rule_for(section)};
    return known->rule;
}

bool layout_keeps(const struct linker *linker, const struct section *section)
{
    if (section->type == SHT_NOTE)
        return true;
    if (linker->script)
        return script_keeps(linker, section);
    const struct rule *rule = rule_for(section);
    return (rule && rule->keep) || section->type == SHT_INIT_ARRAY ||
           section->type == SHT_FINI_ARRAY || section->type == SHT_PREINIT_ARRAY;
}

void layout_define_symbols(struct linker *linker)
{
    if (linker->script) {
        script_define_symbols(linker);
        return;
    }
    for (const struct rule *rule = rules; rule < rules + RULE_COUNT; rule++) {
        if (rule->kind != RULE_SYMBOL && rule->kind != RULE_PROVIDE)
            continue;
        if (rule->fixed_only && linker->config.pie)
            continue;
        struct symbol *symbol = symbol_find(linker, rule->name);
        if (!symbol && rule->kind == RULE_SYMBOL)
            symbol = symbol_intern(linker, rule->name);
        if (!symbol || symbol->state != SYMBOL_UNDEFINED)
            continue;
        symbol_assign(linker, symbol);
        if (rule->hidden)
            symbol->visibility = STV_HIDDEN;
    }
    static const char *const headers[] = {"__executable_start", HEADERS_SYMBOL};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct symbol *symbol = symbol_find(linker, headers[i]);
        if (!symbol || symbol->state != SYMBOL_UNDEFINED)
            continue;
        symbol_assign(linker, symbol);
        symbol->value = linker->config.text_segment;
    }
    struct symbol *global_pointer = symbol_intern(linker, GLOBAL_POINTER_SYMBOL);
    if (global_pointer->state == SYMBOL_UNDEFINED)
        symbol_assign(linker, global_pointer);
}

/* ---- output sections ---- */

/* The assignment of input sections to output sections. */
struct collector {
    struct linker *linker;
    struct map *by_name; /* "A.text": in memory; "-.comment": not */
    struct output_section
        *of_rules[RULE_COUNT]; /* the output section of each rule that has taken a section */
    struct text key;
    struct known_rule known[KNOWN_RULES];
};

static struct output_section *output_named(struct collector *collector, const char *name,
                                           bool loaded)
{
    /* Sections in memory and sections outside of it are never mixed, even if their names are
     * equal. */
    text_clear(&collector->key);
    text_append_char(&collector->key, loaded ? 'A' : '-');
    text_append(&collector->key, name);
    struct map_entry *entry =
        map_entry(collector->by_name, collector->key.bytes, collector->key.length);

    if (!entry->value)
        entry->value = output_section_new(collector->linker, name);
    return entry->value;
}

static struct output_section *output_for(struct collector *collector, const struct rule *rule,
                                         const struct section *section)
{
    if (!rule)
        return output_named(collector, section->name, section->flags & SHF_ALLOC);
    struct output_section **output = &collector->of_rules[rule - rules];
    if (!*output) /* rules with the same name share it; rules only take loaded sections */
        *output = output_named(collector, rule->name, true);
    return *output;
}

/* Compares two members by rule, then by priority, then by --sort-section. The sort below is stable.
 */
static int compare_members(enum sort_key key, const struct section *a, const struct section *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    if (key == SORT_KEY_NAME)
        return strcmp(a->name, b->name);
    if (key == SORT_KEY_ALIGNMENT) /* the largest first */
        return a->alignment > b->alignment ? -1 : a->alignment < b->alignment;
    return 0;
}

static void merge_sort(enum sort_key key, struct section **items, struct section **scratch,
                       size_t count)
{
    if (count < 2)
        return;
    size_t half = count / 2, left = 0, right = half;
    merge_sort(key, items, scratch, half);
    merge_sort(key, items + half, scratch, count - half);
    if (compare_members(key, items[half - 1], items[half]) <= 0)
        return; /* most sections are in order already */
    for (size_t i = 0; i < count; i++) {
        bool take_left =
            right == count || (left < half && compare_members(key, items[left], items[right]) <= 0);
        scratch[i] = items[take_left ? left++ : right++];
    }
    memcpy(items, scratch, count * sizeof *items);
}

static void sort_members(struct linker *linker, struct output_section *output)
{
    struct section **scratch =
        arena_array(&linker->arena, output->member_count, sizeof(struct section *));

    merge_sort(linker->config.sort_key, output->members, scratch, output->member_count);
}

static void collect(struct linker *linker, struct map *by_name)
{
    struct collector collector = {.linker = linker, .by_name = by_name};
    struct section_walk walk = {0};

    for (struct section *section; (section = section_next(linker, &walk));) {
        if (!section->live)
            continue;
        if (linker->config.strip != STRIP_NONE && section_is_debug(section))
            continue;
        const struct rule *rule = known_rule_for(collector.known, section);
        struct output_section *output = output_for(&collector, rule, section);
        section->rank = rule ? (unsigned)(rule - rules) : RULE_COUNT;
        section->priority = rule && rule->by_priority ? section_priority(section) : 0;
        if (output->member_count == 0)
            output->region = rule ? rule->region : section_region(section);
        output_section_add(linker, output, section);
    }
    text_free(&collector.key);
    for (size_t i = 0; i < linker->output_count; i++)
        sort_members(linker, linker->outputs[i]);
}

/* ---- statements ---- */

static void add_symbol_rule(struct linker *linker, struct map *by_name, const struct rule *rule)
{
    struct symbol *symbol = symbol_find(linker, rule->name);

    if (!symbol || symbol->state != SYMBOL_ASSIGNED || symbol_expression(symbol))
        return;
    struct output_section *of =
        rule->of ? map_get(by_name, arena_format(&linker->arena, "A%s", rule->of)) : NULL;
    statement_add(linker, (struct statement){.kind = STATEMENT_SYMBOL,
                                             .symbol = symbol,
                                             .output = of,
                                             .anchor = of ? rule->anchor : ANCHOR_HERE});
}

static void add_rules(struct linker *linker, struct map *by_name)
{
    const char *previous = "";

    for (const struct rule *rule = rules; rule < rules + RULE_COUNT; rule++) {
        switch (rule->kind) {
        case RULE_SYMBOL:
        case RULE_PROVIDE:
            add_symbol_rule(linker, by_name, rule);
            break;
        case RULE_SEGMENT:
            statement_add(linker, (struct statement){.kind = STATEMENT_SEGMENT});
            break;
        case RULE_RELRO_START:
        case RULE_RELRO_END:
            if (linker->config.relro)
                statement_add(linker, (struct statement){.kind = rule->kind == RULE_RELRO_START
                                                                     ? STATEMENT_RELRO_START
                                                                     : STATEMENT_RELRO_END});
            break;
        case RULE_WINDOW:
            statement_add(linker, (struct statement){.kind = STATEMENT_WINDOW});
            break;
        case RULE_ALIGN:
            statement_add(
                linker, (struct statement){.kind = STATEMENT_ALIGN, .alignment = rule->alignment});
            break;
        case RULE_INPUT:
            if (strcmp(previous, rule->name) == 0)
                break;
            previous = rule->name;
            struct output_section *output =
                map_get(by_name, arena_format(&linker->arena, "A%s", rule->name));
            if (output)
                output->placed = true;
            statement_add(linker, (struct statement){.kind = STATEMENT_SECTION,
                                                     .output = output,
                                                     .region = rule->region});
            break;
        }
    }
}

static void add_orphans_of(struct linker *linker, enum region region)
{
    for (size_t i = 0; i < linker->output_count; i++) {
        struct output_section *output = linker->outputs[i];
        if (output->region != region || output->placed)
            continue;
        output->placed = true;
        statement_add(linker, (struct statement){
                                  .kind = STATEMENT_SECTION, .output = output, .region = region});
    }
}

/* A section that no rule names follows the last rule of its region. A section that is not loaded
 * comes last. */
static void add_orphans(struct linker *linker)
{
    const struct statement *rules_only = linker->statements;
    size_t count = linker->statement_count, last[REGION_COUNT] = {0};

    for (size_t i = 0; i < count; i++)
        if (rules_only[i].kind == STATEMENT_SECTION)
            last[rules_only[i].region] = i;
    linker->statements = NULL;
    linker->statement_count = linker->statement_capacity = 0;
    for (size_t i = 0; i < count; i++) {
        statement_add(linker, rules_only[i]);
        if (rules_only[i].kind == STATEMENT_SECTION && last[rules_only[i].region] == i)
            add_orphans_of(linker, rules_only[i].region);
    }
    add_orphans_of(linker, REGION_UNLOADED);
}

void layout_sections(struct linker *linker)
{
    if (linker->script) {
        script_lay_out(linker);
        return;
    }
    struct map by_name; /* "A.text": in memory; "-.comment": not */
    map_init(&by_name, &linker->arena);
    collect(linker, &by_name);
    add_rules(linker, &by_name);
    add_orphans(linker);
    output_sections_define_bounds(linker, &by_name, "A");
    output_sections_fix_addresses(linker, &by_name, "A");
}

/* ---- the default layout as a linker script ---- */

/* Writes the patterns of the rule: `*(.a .b)`. */
static void write_patterns(struct text *text, const struct rule *rule)
{
    const char *separator = "";

    text_append(text, rule->keep ? " KEEP(*(" : " *(");
    for (const char *pattern = rule->patterns; *pattern; pattern += strlen(pattern) + 1) {
        text_format(text, rule->by_priority ? "%sSORT_BY_INIT_PRIORITY(%s)" : "%s%s", separator,
                    pattern);
        separator = " ";
    }
    text_append(text, rule->keep ? "))" : ")");
}

static void write_symbol(struct text *text, const struct rule *rule)
{
    const char *form = rule->kind == RULE_SYMBOL ? "  %s = "
                       : rule->hidden            ? "  PROVIDE_HIDDEN(%s = "
                                                 : "  PROVIDE(%s = ";

    text_format(text, form, rule->name);
    if (!rule->of)
        text_append_char(text, '.');
    else
        text_format(text, rule->anchor == ANCHOR_END ? "ADDR(%s) + SIZEOF(%s)" : "ADDR(%s)",
                    rule->of, rule->of);
    text_append(text, rule->kind == RULE_SYMBOL ? ";\n" : ");\n");
}

/* Writes the rule, and those after it for the same output section. Returns the last one. */
static const struct rule *write_rule(struct text *text, const struct rule *rule)
{
    const struct rule *end = rules + RULE_COUNT;

    switch (rule->kind) {
    case RULE_INPUT:
        text_format(text, "  %s : {", rule->name);
        write_patterns(text, rule);
        for (;
             rule + 1 < end && rule[1].kind == RULE_INPUT && strcmp(rule[1].name, rule->name) == 0;
             rule++)
            write_patterns(text, rule + 1);
        text_append(text, " }\n");
        break;
    case RULE_SYMBOL:
    case RULE_PROVIDE:
        write_symbol(text, rule);
        break;
    case RULE_SEGMENT:
        if (rule + 1 < end && rule[1].kind != RULE_RELRO_START)
            text_append(text, "  . = ALIGN(CONSTANT(MAXPAGESIZE)) + "
                              "(. & (CONSTANT(MAXPAGESIZE) - 1));\n");
        break;
    case RULE_RELRO_START:
        text_append(text, "  . = DATA_SEGMENT_ALIGN(CONSTANT(MAXPAGESIZE), "
                          "CONSTANT(COMMONPAGESIZE));\n");
        break;
    case RULE_RELRO_END:
        text_append(text, "  . = DATA_SEGMENT_RELRO_END(0, .);\n");
        break;
    case RULE_ALIGN:
        text_format(text, "  . = ALIGN(%llu);\n", (unsigned long long)rule->alignment);
        break;
    case RULE_WINDOW:
        break;
    }
    return rule;
}

void layout_write_script(struct text *text, const struct config *config)
{
    unsigned long long base = config->pie ? 0 : DEFAULT_TEXT_SEGMENT;

    text_format(text,
                "ENTRY(_start)\nSECTIONS\n{\n"
                "  PROVIDE(__executable_start = SEGMENT_START(\"text-segment\", 0x%llx));\n"
                "  . = SEGMENT_START(\"text-segment\", 0x%llx) + SIZEOF_HEADERS;\n",
                base, base);
    for (const struct rule *rule = rules; rule->kind != RULE_WINDOW; rule++)
        if (!rule->fixed_only || !config->pie)
            rule = write_rule(text, rule);
    text_append(text, "  " GLOBAL_POINTER_SYMBOL " = MIN(__SDATA_BEGIN__ + 0x800, "
                      "MAX(__DATA_BEGIN__ + 0x800, __BSS_END__ - 0x800));\n"
                      "  . = DATA_SEGMENT_END(.);\n"
                      "  /* Sections .spm* follow in the scratchpad window. */\n}\n");
}

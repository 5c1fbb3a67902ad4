/* tasm, the assembler: the command line, the phases, and executing statements. */
#include "asm/tasm.h"
#include "asm/attribute.h"
#include "asm/directive/directive.h"
#include "asm/expression.h"
#include "asm/instruction/instruction.h"
#include "asm/parse.h"
#include "asm/quick.h"
#include "asm/scan.h"
#include "lib/file.h"
#include "lib/options.h"
#include "lib/output.h"
#include <stdlib.h>
#include <string.h>

enum {
    OPT_OUTPUT = 1,
    OPT_LISTING,
    OPT_INCLUDE,
    OPT_DEFINE,
    OPT_DEFSYM,
    OPT_MARCH,
    OPT_MABI,
    OPT_DEBUG,
    OPT_FATAL_WARNINGS,
    OPT_NO_WARN,
    OPT_WARN,
    OPT_DEPENDENCIES,
    OPT_MACHINE,
    OPT_ISA_SPEC,
    OPT_PRIV_SPEC,
    OPT_ARCH_ATTR,
    OPT_NO_ARCH_ATTR,
    OPT_CSR_CHECK,
    OPT_NO_CSR_CHECK,
    OPT_CIE_VERSION,
    OPT_NO_EFFECT,
    OPT_PIC,
    OPT_NO_PIC
};

static const struct option_spec option_specs[] = {
    {'o', NULL, OPTION_REQUIRED, "FILE", "write the object to FILE (default a.out)", false,
     OPT_OUTPUT},
    {'a', NULL, OPTION_OPTIONAL, "cdglmns][=FILE", "list lines and bytes (l), symbols (s)…", false,
     OPT_LISTING},
    {'I', NULL, OPTION_REQUIRED, "DIR", "search DIR for .include and .incbin", false, OPT_INCLUDE},
    {'D', NULL, OPTION_REQUIRED, "NAME[=VALUE]", "define a symbol (value 1 if none is given)",
     false, OPT_DEFINE},
    {0, "defsym", OPTION_REQUIRED, "NAME=VALUE", "define a symbol", true, OPT_DEFSYM},
    {0, "march", OPTION_REQUIRED, "ARCH",
     "extensions to allow: rv64imafd_zicsr_xmat… (default: all)", SINGLE_DASH_LISTED, OPT_MARCH},
    {0, "mabi", OPTION_REQUIRED, "lp64|lp64f|lp64d", "ABI (default: by the architecture)",
     SINGLE_DASH_LISTED, OPT_MABI},
    {'m', NULL, OPTION_REQUIRED, "relax|no-relax",
     "let the linker relax the code (default), or not", false, OPT_MACHINE},
    {'g', NULL, OPTION_NONE, NULL, "write line numbers for debuggers", false, OPT_DEBUG},
    {0, "fpic", OPTION_NONE, NULL, "la takes addresses from the GOT, as after .option pic",
     SINGLE_DASH_LISTED, OPT_PIC},
    {0, "fPIC", OPTION_NONE, NULL, "the same", SINGLE_DASH_LISTED, OPT_PIC},
    {0, "fno-pic", OPTION_NONE, NULL, "la computes addresses (default)", SINGLE_DASH_LISTED,
     OPT_NO_PIC},
    {0, "gdwarf-2", OPTION_NONE, NULL, "the same as -g: lines are in DWARF 5", true, OPT_DEBUG},
    {0, "gdwarf2", OPTION_NONE, NULL, "the same", true, OPT_DEBUG},
    {0, "gdwarf-3", OPTION_NONE, NULL, "the same", true, OPT_DEBUG},
    {0, "gdwarf-4", OPTION_NONE, NULL, "the same", true, OPT_DEBUG},
    {0, "gdwarf-5", OPTION_NONE, NULL, "the same", true, OPT_DEBUG},
    {0, "gdwarf-cie-version", OPTION_REQUIRED, "N", "version of call frame records: 1, 3 or 4",
     true, OPT_CIE_VERSION},
    {0, "misa-spec", OPTION_REQUIRED, "SPEC",
     "20191213 (default), 20190608 or 2.2: versions of the extensions", SINGLE_DASH_LISTED,
     OPT_ISA_SPEC},
    {0, "mpriv-spec", OPTION_REQUIRED, "SPEC",
     "1.9.1, 1.10, 1.11 (default) or 1.12: version of the privileged architecture",
     SINGLE_DASH_LISTED, OPT_PRIV_SPEC},
    {0, "march-attr", OPTION_NONE, NULL, "write the architecture into the object (default)",
     SINGLE_DASH_LISTED, OPT_ARCH_ATTR},
    {0, "mno-arch-attr", OPTION_NONE, NULL, "do not, unless the source has .attribute",
     SINGLE_DASH_LISTED, OPT_NO_ARCH_ATTR},
    {0, "mcsr-check", OPTION_NONE, NULL,
     "warn of CSRs that the architecture does not have, and of writes to read-only ones",
     SINGLE_DASH_LISTED, OPT_CSR_CHECK},
    {0, "mno-csr-check", OPTION_NONE, NULL, "do not (default)", SINGLE_DASH_LISTED,
     OPT_NO_CSR_CHECK},
    {0, "mlittle-endian", OPTION_NONE, NULL, "accepted without effect: the only byte order",
     SINGLE_DASH_LISTED, OPT_NO_EFFECT},
    {0, "traditional-format", OPTION_NONE, NULL, "accepted without effect, as gcc passes it", true,
     OPT_NO_EFFECT},
    {0, "fatal-warnings", OPTION_NONE, NULL, "a warning makes the run fail", true,
     OPT_FATAL_WARNINGS},
    {'W', "no-warn", OPTION_NONE, NULL, "print no warnings", true, OPT_NO_WARN},
    {0, "warn", OPTION_NONE, NULL, "print warnings (default)", true, OPT_WARN},
    {0, "MD", OPTION_REQUIRED, "FILE", "write a make rule that lists the files read", true,
     OPT_DEPENDENCIES},
    {0},
};

static bool check_abi(struct assembler *as, const char *abi)
{
    if (strcmp(abi, "lp64") == 0 || strcmp(abi, "lp64f") == 0 || strcmp(abi, "lp64d") == 0)
        return true;
    diag_error(as->diag, NULL, "unknown ABI '%s'; expected lp64, lp64f or lp64d", abi);
    return false;
}

static bool set_cie_version(struct assembler *as, const char *version)
{
    bool known = strlen(version) == 1 && strchr("134", *version);

    if (known)
        as->options.cie_version = (unsigned char)(*version - '0');
    else
        diag_error(as->diag, NULL, "unknown version '%s' of call frame records; expected 1, 3 or 4",
                   version);
    return known;
}

static bool set_option(struct assembler *as, const struct options *options, int id)
{
    struct tasm_options *set = &as->options;
    const char *argument = options->argument;

    switch (id) {
    case OPT_OUTPUT:
        set->output = argument;
        return true;
    case OPT_LISTING:
        return listing_option(as, argument);
    case OPT_INCLUDE:
        strings_add(&set->include, as->arena, argument);
        return true;
    case OPT_DEFINE:
        strings_add(&set->definitions, as->arena,
                    strchr(argument, '=') ? argument : arena_format(as->arena, "%s=1", argument));
        return true;
    case OPT_DEFSYM:
        strings_add(&set->definitions, as->arena, argument);
        return true;
    case OPT_MARCH:
        set->march = argument;
        return true;
    case OPT_MABI:
        set->mabi = argument;
        return check_abi(as, argument);
    case OPT_MACHINE:
        set->relax = strcmp(argument, "relax") == 0;
        if (!set->relax && strcmp(argument, "no-relax")) {
            diag_error(
                as->diag, NULL,
                "unknown option '-m%s'; expected -mrelax, -mno-relax, -march=, -mabi= or another "
                "option of --help",
                argument);
            return false;
        }
        return true;
    case OPT_ISA_SPEC:
        return arch_set_specification(as, argument);
    case OPT_PRIV_SPEC:
        return attribute_set_privileged(as, argument);
    case OPT_ARCH_ATTR:
    case OPT_NO_ARCH_ATTR:
        set->no_attributes = id == OPT_NO_ARCH_ATTR;
        return true;
    case OPT_CSR_CHECK:
    case OPT_NO_CSR_CHECK:
        as->mode.csr_check = id == OPT_CSR_CHECK;
        return true;
    case OPT_CIE_VERSION:
        return set_cie_version(as, argument);
    case OPT_PIC:
    case OPT_NO_PIC:
        set->pic = id == OPT_PIC;
        return true;
    case OPT_DEBUG:
        set->debug_lines = true;
        return true;
    case OPT_FATAL_WARNINGS:
        as->diag->fatal_warnings = true;
        return true;
    case OPT_NO_WARN:
        as->diag->no_warnings = true;
        return true;
    case OPT_DEPENDENCIES:
        set->dependencies = argument;
        return true;
    }
    return true; /* accepted without effect */
}

/* Joins the arguments of the command line, for the listing. */
static const char *join_words(struct assembler *as, int argc, char **argv)
{
    struct text text = TEXT_INIT;

    for (int i = 1; i < argc; i++)
        text_format(&text, "%s%s", i > 1 ? " " : "", argv[i]);
    const char *copy = arena_string(as->arena, text.bytes ? text.bytes : "");
    text_free(&text);
    return copy;
}

/* Reads the command line. Returns whether to go on; if not, *status is the exit status. */
static bool configure(struct assembler *as, int argc, char **argv, int *status)
{
    struct options options = {
        .diag = as->diag,
        .usage = "[options] file.s…",
        .summary = "Assembles RISC-V code with tensor instructions into an ELF object.",
        .epilogue = "Several files are read as one; `-` is standard input. Syntax and directives "
                    "are GNU as's.",
        .specs = option_specs,
        .argc = argc,
        .argv = argv,
        .index = 1,
    };
    int id;

    while ((id = options_next(&options)) != OPTIONS_END) {
        if (id == OPTIONS_EXIT || id == OPTIONS_ERROR) {
            *status = output_finish_stdout(as->diag, id == OPTIONS_ERROR);
            return false;
        }
        if (id == OPTIONS_OPERAND)
            strings_add(&as->options.inputs, as->arena, options.argument);
        else if (!set_option(as, &options, id))
            *status = 1;
    }
    as->listing.command = join_words(as, argc, argv);
    if (!as->options.inputs.count) {
        diag_error(as->diag, NULL, "no input file; `-` is standard input (try tasm --help)");
        *status = 1;
    }
    return !*status;
}

/* ---- one statement ---- */

static void define_label(struct assembler *as, const struct parsed *parsed,
                         const struct label *label)
{
    struct position at = statement_place(parsed->statement, label->offset, label->length);

    if (label->word)
        symbol_define_label(as, symbol_of(as, label->word), &at);
    else if (label->dollar)
        symbol_define_dollar(as, label->number, &at);
    else
        symbol_define_local(as, label->number, &at);
}

static void assign(struct assembler *as, const struct parsed *parsed)
{
    struct position at = name_place(parsed);

    if (parsed->name[0] == '.' && !parsed->name[1]) {
        struct expression *target = expression_keep(as, parsed->value);
        section_variable(as, FRAGMENT_ORG, position_new(as, at))->expression = target;
        return;
    }
    if (parsed->lazy)
        symbol_assign_lazy(as, parsed->name, parsed->value, &at);
    else
        symbol_assign(as, parsed->name, parsed->value, &at, false);
}

static void report_unknown(struct assembler *as, const struct parsed *parsed)
{
    bool directive = parsed->name[0] == '.';
    struct suggestion suggestion;
    struct position at = name_place(parsed);

    if (!directive && directive_is_tensor_macro(as, parsed->name)) {
        diag_error(as->diag, &at,
                   "unknown instruction '%s'; it is a macro of tensor.inc: add .include "
                   "\"tensor.inc\"",
                   parsed->name);
        return;
    }
    suggest_init(&suggestion, parsed->name);
    if (directive) {
        directive_suggest(&suggestion);
    } else {
        for (size_t i = 0; i < isa_form_count; i++)
            if (!i || strcmp(isa_forms[i].mnemonic, isa_forms[i - 1].mnemonic))
                suggest_add(&suggestion, isa_forms[i].mnemonic);
        for (size_t i = 0; i < as->macros.map.count; i++)
            if (as->macros.map.entries[i].value)
                suggest_add(&suggestion, as->macros.map.entries[i].key);
    }
    const char *near = suggest_text(&suggestion);
    const char *undescribed = directive ? NULL : arch_undescribed(as);
    diag_error(as->diag, &at, "unknown %s '%s'%s%s%s", directive ? "directive" : "instruction",
               parsed->name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    if (undescribed)
        diag_note(as->diag, &at, "the ISA description has no instructions of extension '%s'",
                  undescribed);
}

/* Defines the labels of the statement, then executes its operation. */
static void execute(struct assembler *as, const struct parsed *parsed)
{
    as->at = parsed->statement->at;
    for (size_t i = 0; i < parsed->label_count; i++)
        define_label(as, parsed, &parsed->labels[i]);
    if (parsed->failed)
        return;
    if (parsed->kind == OPERATION_ASSIGNMENT) {
        assign(as, parsed);
        return;
    }
    if (parsed->kind == OPERATION_NONE)
        return;
    const struct meaning *meaning = parsed->word->meaning;
    if (meaning && meaning->directive)
        directive_run(as, parsed, meaning->directive);
    else if (meaning && meaning->forms)
        instruction_assemble(as, parsed);
    else
        report_unknown(as, parsed);
}

/* ---- read ---- */

/* Executes NAME=VALUE of the command line, as assignments before the first line of the source. */
static void define_symbols(struct assembler *as)
{
    for (size_t i = 0; i < as->options.definitions.count; i++) {
        const char *word = as->options.definitions.items[i], *equals = strchr(word, '=');
        if (!equals || equals == word) {
            diag_error(as->diag, NULL, "malformed definition '%s'; expected NAME=VALUE", word);
            continue;
        }
        struct diag_file *file = arena_new(as->arena, struct diag_file);
        *file = (struct diag_file){.name = "command line", .bytes = word, .length = strlen(word)};
        struct position *at = arena_new(as->arena, struct position);
        *at = (struct position){.file = file, .line = 1, .column = 1};
        struct statement statement = {.length = strlen(word), .at = at};
        statement.text = arena_alloc(as->arena, statement.length + 3);
        memcpy(statement.text, word, statement.length);
        struct parsed parsed;
        if (!parse_statement(as, &statement, &parsed))
            continue;
        if (parsed.kind != OPERATION_ASSIGNMENT)
            diag_error(as->diag, at, "malformed definition; expected NAME=VALUE");
        else
            execute(as, &parsed);
    }
}

/* Defines the labels before a macro or a directive that works on text. */
static void define_labels_before(struct assembler *as, const struct statement *statement,
                                 size_t offset)
{
    struct statement labels = {.length = offset, .at = statement->at};
    struct parsed parsed;

    labels.text = arena_alloc(as->scratch, offset + 3);
    memcpy(labels.text, statement->text, offset);
    if (parse_statement(as, &labels, &parsed))
        execute(as, &parsed);
}

static void read_statement(struct assembler *as, const struct statement *statement)
{
    size_t offset = statement->word_offset, length = statement->word_length;
    const struct meaning *meaning = statement->word ? statement->word->meaning : NULL;

    if (offset && condition_is_active(&as->conditions) && word_works_on_text(meaning))
        define_labels_before(as, statement, offset);
    if (condition_statement(as, statement, meaning, offset, length) ||
        (word_works_on_text(meaning) && macro_statement(as, statement, meaning, offset, length)))
        return;
    if (meaning && meaning->directive && directive_list(as, statement, meaning->directive))
        return;
    struct parsed parsed;
    parse_statement(as, statement, &parsed);
    execute(as, &parsed);
}

/* Announces the next statement to the tables where it will be searched, so that the processor reads
 * them while this one is being assembled. */
static void expect_next(struct assembler *as)
{
    size_t length;
    const char *text = source_peek(as->input.top, &length);

    if (length && text[length - 1] == ':')
        words_expect(&as->words, text, length - 1);
    else
        recall_expect(as, text, length);
}

static void read_statements(struct assembler *as)
{
    struct statement statement;

    while (quick_read(as), !as->ended && input_next(as, &statement)) {
        expect_next(as);
        const struct recalled *recalled =
            as->bundle.is_open ? NULL : recall_find(as, statement.text, statement.length);
        if (!recalled || as->listing.wanted)
            statement_own(as, &statement);
        if (!recalled)
            statement_prepare(as, &statement);
        listing_begin(as, &statement);
        if (recalled)
            recall_append(as, statement.at, recalled);
        else if (!condition_is_active(&as->conditions) || bundle_begin(as, &statement))
            read_statement(as, &statement);
        bundle_end(as);
        listing_end(as);
        as->at = as->input.at = NULL;
        arena_reset(as->scratch);
    }
}

void tasm_read(struct assembler *as)
{
    define_symbols(as);
    for (size_t i = 0; i < as->options.inputs.count && !as->ended; i++)
        if (input_push_file(as, as->options.inputs.items[i], as->options.inputs.items[i], NULL))
            read_statements(as);
    bundle_finish(as);
    section_order(as);
    lines_finish(as);
    frames_finish(as);
    section_finish(as);
    symbol_finish(as);
}

/* ---- main ---- */

/* Do the enabled extensions have the registers that the ABI passes values in? */
static bool check_convention(struct assembler *as)
{
    const char *abi = as->options.mabi, *lacks = abi ? arch_abi_lacks(as, abi) : NULL;

    if (lacks)
        diag_error(as->diag, NULL,
                   "the ABI '%s' needs extension '%s', which is not enabled (architecture %s); add "
                   "it to -march, or choose another -mabi",
                   abi, lacks, arch_text(as));
    return !lacks;
}

static bool set_up(struct assembler *as)
{
    instruction_init(as);
    as->relax = isa_relocation_of(ISA_VALUE_RELAX, ISA_PLACE_NONE, 0);
    as->align = isa_relocation_of(ISA_VALUE_ALIGN, ISA_PLACE_NONE, 0);
    words_init(&as->words, as->arena);
    as->used_instructions = arena_array(as->arena, isa_instruction_count, sizeof(bool));
    condition_init(as);
    macro_init(as);
    directive_init(as);
    symbol_init(as);
    section_init(as);
    arch_init(as);
    as->mode.relax = as->options.relax;
    as->mode.pic = as->options.pic;
    as->lines.now.flags = LINE_STATEMENT;
    if (as->options.march && !arch_set(as, as->options.march, NULL))
        return false;
    as->object_extensions = as->arch.extensions;
    if (!check_convention(as))
        return false;
    as->sections.first->alignment = arch_code_alignment(as);
    return true;
}

static bool assemble(struct assembler *as)
{
    tasm_read(as);
    /* The phases go on after errors in the source, so that one run reports all errors. */
    if (diag_full(as->diag) || !tasm_relax(as))
        return false;
    tasm_resolve(as);
    return !diag_failed(as->diag) && tasm_emit(as);
}

int main(int argc, char **argv)
{
    struct arena arena = ARENA_INIT, scratch = ARENA_INIT;
    struct diag diag = {.tool = "tasm"};
    struct assembler as = {.arena = &arena,
                           .scratch = &scratch,
                           .diag = &diag,
                           .options = {.output = "a.out", .relax = true}};
    int status = 0;

    output_init();
    if (configure(&as, argc, argv, &status))
        status = output_finish_stdout(&diag, !(set_up(&as) && assemble(&as)));
    exit(status); /* all memory goes with the process: to free it first takes longer */
}

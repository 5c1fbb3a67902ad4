/* Other directives: options, attributes, messages, includes, and directives of compilers that have
 * no effect. */
#include "asm/attribute.h"
#include "asm/directive/directive.h"
#include "asm/instruction/instruction.h"
#include "lib/file.h"
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Sets an option. Most of gcc's set what holds already, and change nothing. */
static void set_mode(struct assembler *as, bool *mode, bool value)
{
    if (*mode != value)
        words_change(&as->words);
    *mode = value;
}

static void pop_mode(struct assembler *as)
{
    const struct mode *saved = as->mode.pushed;

    set_mode(as, &as->mode.relax, saved->relax);
    set_mode(as, &as->mode.pic, saved->pic);
    set_mode(as, &as->mode.csr_check, saved->csr_check);
    if (as->arch.extensions != saved->arch.extensions)
        words_change(&as->words);
    as->mode = *saved;
    as->arch = as->mode.arch;
}

/* .option. Push and pop also save and restore the architecture. */
static void option(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    const char *word = argument_text(as, parsed, 0);
    struct position at = argument_place(parsed, 0);

    if (strcmp(word, "push") == 0) {
        struct mode *copy = arena_new(as->arena, struct mode);
        *copy = as->mode;
        copy->arch = as->arch;
        as->mode.pushed = copy;
    } else if (strcmp(word, "pop") == 0) {
        if (!as->mode.pushed) {
            diag_error(as->diag, &at, "'.option pop' without '.option push'");
            return;
        }
        pop_mode(as);
    } else if (strcmp(word, "relax") == 0 || strcmp(word, "norelax") == 0) {
        set_mode(as, &as->mode.relax, *word == 'r');
    } else if (strcmp(word, "pic") == 0 || strcmp(word, "nopic") == 0) {
        set_mode(as, &as->mode.pic, *word == 'p');
    } else if (strcmp(word, "arch") == 0 && parsed->argument_count > 1) {
        for (size_t i = 1; i < parsed->argument_count; i++) {
            const char *change = argument_text(as, parsed, i);
            at = argument_place(parsed, i);
            if (*change == 'r')
                arch_set(as, change, &at);
            else
                arch_change(as, change, &at);
        }
    } else if (strcmp(word, "rvc") == 0 || strcmp(word, "norvc") == 0) {
        const char *name = arch_compressed_name();
        if (name)
            arch_change(as, arena_format(as->arena, "%c%s", *word == 'r' ? '+' : '-', name), &at);
    } else if (strcmp(word, "arch") == 0) {
        diag_error(as->diag, &at,
                   "'.option arch' needs an architecture, or changes: +extension, -extension");
    } else if (strcmp(word, "csr-check") == 0 || strcmp(word, "no-csr-check") == 0) {
        set_mode(as, &as->mode.csr_check, *word == 'c');
    } else {
        diag_error(as->diag, &at,
                   "unknown option '%s'; expected push, pop, relax, norelax, arch, rvc, norvc, "
                   "pic, nopic, csr-check or no-csr-check",
                   word);
    }
}

/* .attribute TAG, VALUE */
static void attribute(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    const char *name = argument_text(as, parsed, 0), *string = NULL;
    uint64_t tag = attribute_tag(name);
    int64_t number = 0;
    size_t length;
    struct position at = argument_place(parsed, 0);

    if (!tag) {
        if (!argument_number(as, parsed, 0, &number))
            return;
        tag = (uint64_t)number;
        if (number < 1 || number > 1 << 20) {
            diag_error(as->diag, &at, "attribute tag %" PRId64 " is out of range; expected 1..%d",
                       number, 1 << 20);
            return;
        }
    }
    if (tag & 1 ? !argument_string(as, parsed, 1, &string, &length)
                : !argument_number(as, parsed, 1, &number))
        return;
    at = argument_place(parsed, 1);
    as->has_attributes = true;
    if (tag == ATTRIBUTE_ARCH && as->has_code)
        diag_error(as->diag, &at,
                   "the architecture of the object cannot change after its first instruction; "
                   "'.option arch' changes what is allowed from here on");
    else if (tag == ATTRIBUTE_ARCH && arch_set(as, string, &at))
        as->object_extensions = as->arch.extensions;
    else if (tag == ATTRIBUTE_ARCH)
        return;
    else
        attribute_set(as, tag, (uint64_t)number, string ? arena_string(as->arena, string) : NULL);
}

/* Returns the path of tensor.inc in the folder `include` beside the folder of tasm, where `make
 * install` puts it; NULL if it is not there. */
static const char *installed_file(struct assembler *as)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);

    if (length < 0 || length == sizeof path)
        return NULL;
    for (unsigned i = 0; i < 2; i++) /* removes the name of tasm, then that of its folder */
        while (length > 0 && path[--length] != '/')
            ;
    const char *found = arena_format(as->arena, "%.*s/include/tensor.inc", (int)length, path);
    return access(found, R_OK) == 0 ? found : NULL;
}

/* Returns the path of tensor.inc: in a folder of the includes, or where it is installed; or NULL.
 */
static const char *find_tensor_macros(struct assembler *as)
{
    const char *found = directive_find_file(as, "tensor.inc");

    return access(found, R_OK) == 0 ? found : installed_file(as);
}

/* Does the text define a macro of this name? */
static bool defines_macro(const char *text, const char *name)
{
    static const char directive[] = ".macro";
    size_t length = strlen(name);

    while ((text = strstr(text, directive))) {
        text += strlen(directive);
        const char *word = text + strspn(text, " \t");
        if (strcspn(word, " \t\r\n,") == length && memcmp(word, name, length) == 0)
            return true;
    }
    return false;
}

bool directive_is_tensor_macro(struct assembler *as, const char *name)
{
    const char *path = find_tensor_macros(as);
    struct arena arena = ARENA_INIT;
    struct diag_file file;
    bool is_macro =
        path && !file_load(&arena, path, &file, NULL) && defines_macro(file.bytes, name);

    arena_free(&arena);
    return is_macro;
}

static void include(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    const char *name;
    size_t length;

    if (!argument_string(as, parsed, 0, &name, &length))
        return;
    const struct position *at = position_new(as, argument_place(parsed, 0));
    const char *found = directive_find_file(as, arena_string(as->arena, name));
    const char *installed = NULL;
    if (strcmp(found, "tensor.inc") == 0 && access(found, F_OK) != 0)
        installed = installed_file(as);
    input_push_file(as, found, installed ? installed : found, at);
}

static void message(struct assembler *as, const struct parsed *parsed, int is_error)
{
    const char *text = parsed->argument_count ? NULL : parsed->name;
    size_t length;

    if (!text && !argument_string(as, parsed, 0, &text, &length))
        return;
    struct position at = name_place(parsed);
    if (is_error)
        diag_error(as->diag, &at, "%s", text);
    else
        diag_warning(as->diag, &at, "%s", text);
}

static void error_number(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    int64_t number;
    struct position at = name_place(parsed);

    if (!argument_number(as, parsed, 0, &number))
        return;
    if (number < 500)
        diag_error(as->diag, &at, ".fail %" PRId64, number);
    else
        diag_warning(as->diag, &at, ".fail %" PRId64, number);
}

static void print(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    const char *text;
    size_t length;

    if (!argument_string(as, parsed, 0, &text, &length))
        return;
    fwrite(text, 1, length, stdout);
    putchar('\n');
}

static void end(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)parsed;
    (void)unused;
    input_stop(as);
}

/* .file "NAME" names the source in the symbol table; .file NUMBER "NAME" is for the line table. */
static void file(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    const char *name;
    size_t length;
    const struct argument *argument = &parsed->arguments[0];

    if (parsed->argument_count == 1 && argument->count > 1 &&
        argument->items->kind == ITEM_EXPRESSION) {
        lines_file(as, parsed);
        return;
    }
    if (argument_string(as, parsed, 0, &name, &length))
        as->source_name = arena_string(as->arena, name);
}

/* .ident "TEXT" goes to .comment. As in GNU as, that begins with a NUL, and each text ends with
 * one. */
static void ident(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    const char *text;
    size_t length;

    if (!argument_string(as, parsed, 0, &text, &length))
        return;
    bool made;
    section_push(as);
    struct section *section = section_lookup(as, ".comment", NULL, &made);
    section_enter(as, section, 0);
    if (made) {
        section->flags = SHF_MERGE | SHF_STRINGS;
        section->entry_size = 1;
        section_append(as, 1, parsed->statement->at);
    }
    unsigned char *place = section_append(as, length + 1, parsed->statement->at);
    if (place)
        memcpy(place, text, length);
    section_pop(as);
}

/* Directives that are accepted without effect. */
static void ignore(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)as;
    (void)parsed;
    (void)unused;
}

/* .line N numbers the next line. */
static void line(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    int64_t number;

    if (!argument_number(as, parsed, 0, &number))
        return;
    if (number >= 0 && number <= INT32_MAX) {
        input_set_line(as, (unsigned)number);
        return;
    }
    struct position at = argument_place(parsed, 0);
    diag_error(as->diag, &at, "line %" PRId64 " does not exist; expected 0..%d", number, INT32_MAX);
}

/* .nop: one nop, compressed if the architecture allows it. */
static void nop(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    unsigned length = arch_code_alignment(as);
    section_content(as, CONTENT_CODE);
    lines_instruction(as, parsed->statement->at);
    unsigned char *place = section_append(as, length, parsed->statement->at);

    if (place)
        instruction_nops(as, place, length, arch_compresses(as));
}

/* Reports directives of GNU as that are not supported, with the reason. */
static void refuse(struct assembler *as, const struct parsed *parsed, int reason)
{
    static const char *const reasons[] = {
        "symbol versions are for shared objects, and programs are static",
        "RISC-V has its own '.attribute'",
        "stabs are not written; use '-g' or DWARF's '.file' and '.loc'",
        "RISC-V's nops have no lengths to choose from; use '.nop', '.balign' or '.rept'",
        "bundles are not aligned here; write one as '{ FIRST ; SECOND }'",
        "write a group: .section NAME, \"axG\", @progbits, GROUP, comdat",
        "write '.ident'",
    };
    struct position at = name_place(parsed);

    diag_error(as->diag, &at, "'%s' is not supported: %s", parsed->name, reasons[reason]);
}

const struct directive directives_misc[] = {
    {".nop", nop, 0, 0, 0},
    {".symver", refuse, 0, 0, 255},
    {".gnu_attribute", refuse, 1, 0, 255},
    {".stabs", refuse, 2, 0, 255},
    {".stabn", refuse, 2, 0, 255},
    {".stabd", refuse, 2, 0, 255},
    {".nops", refuse, 3, 0, 255},
    {".linkonce", refuse, 5, 0, 255},
    {".version", refuse, 6, 0, 255},
    {".abort", message, 1, 0, 0},
    {".line", line, 0, 1, 1},
    {".ln", line, 0, 1, 1},
    {".bundle_align_mode", refuse, 4, 0, 255},
    {".bundle_lock", refuse, 4, 0, 255},
    {".bundle_unlock", refuse, 4, 0, 255},
    {".option", option, 0, 1, 255},
    {".attribute", attribute, 0, 2, 2},
    {".include", include, 0, 1, 1},
    {".error", message, 1, 0, 1},
    {".err", message, 1, 0, 0},
    {".fail", error_number, 0, 1, 1},
    {".warning", message, 0, 0, 1},
    {".print", print, 0, 1, 1},
    {".end", end, 0, 0, 0},
    {".file", file, 0, 1, 2},
    {".ident", ident, 0, 1, 1},
    {".insn", directive_insn, 0, 1, 255},
    {".llen", ignore, 0, 0, 255},
    {".plen", ignore, 0, 0, 255},
    {".spc", ignore, 0, 0, 255},
    {".ttl", ignore, 0, 0, 255},
    {".addrsig", ignore, 0, 0, 255},
    {".addrsig_sym", ignore, 0, 0, 255},
    {0},
};

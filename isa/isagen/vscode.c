/*
 * An extension for Visual Studio Code: a TextMate grammar, whose names come from the YAML, and the
 * two files that tell the editor about it. Other editors read the grammar, too. As in vim.c, the
 * syntax of the GNU assembler is written here.
 */
#include "isa/isagen/emit.h"

#include "lib/options.h"
#include <string.h>

/* TextMate's names of kinds, which color themes know. */
static const char head[] =
    "{\n"
    "  \"name\": \"RISC-V assembly with tensor units\",\n"
    "  \"scopeName\": \"source.tensor\",\n"
    "  \"fileTypes\": [\"s\", \"S\", \"inc\"],\n"
    "  \"patterns\": [\n"
    "    {\"name\": \"comment.block.tensor\", \"begin\": \"/\\\\*\", \"end\": \"\\\\*/\"},\n"
    "    {\"name\": \"comment.line.tensor\", \"match\": \"(?:#|//).*$\"},\n"
    "    {\"name\": \"string.quoted.double.tensor\", \"begin\": \"\\\"\", \"end\": \"\\\"|$\", "
    "\"patterns\": [{\"name\": \"constant.character.escape.tensor\", \"match\": \"\\\\\\\\.\"}]},\n"
    "    {\"name\": \"entity.name.function.tensor\", \"match\": "
    "\"(?:^|(?<=;))\\\\s*(?:[A-Za-z_.$][\\\\w.$]*|[0-9]+):\"},\n"
    "    {\"name\": \"keyword.control.directive.tensor\", \"match\": "
    "\"(?<![\\\\w.$])\\\\.[a-z_][\\\\w]*\"},\n"
    "    {\"name\": \"constant.numeric.tensor\", \"match\": "
    "\"(?<![\\\\w.$])(?:0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+(?:\\\\.[0-9]*(?:[eE][-+]?[0-9]+)?)?)"
    "(?![\\\\w.$])\"}";

struct grammar {
    struct text *text;
    bool open; /* a pattern has begun */
};

/* Appends a name for a place in a regular expression in a JSON string. */
static void append_name(struct text *text, const char *name)
{
    for (; *name; name++) {
        if (*name == '.')
            text_append(text, "\\\\");
        text_append_char(text, *name);
    }
}

/* Adds a name to the pattern of a kind, which begins with the first name. */
static void add_name(struct grammar *grammar, const char *kind, const char *extension,
                     const char *before, const char *name)
{
    if (!grammar->open)
        text_format(grammar->text, ",\n    {\"name\": \"%s%s%s.tensor\", \"match\": \"%s(?:", kind,
                    *extension ? "." : "", extension, before);
    else
        text_append_char(grammar->text, '|');
    grammar->open = true;
    append_name(grammar->text, name);
}

static void end_pattern(struct grammar *grammar)
{
    if (grammar->open)
        text_append(grammar->text, ")(?![\\\\w.$])\"}");
    grammar->open = false;
}

static const char word[] = "(?<![\\\\w.$%])";

static void add_instructions(struct grammar *grammar, const struct spec *spec)
{
    for (size_t i = 0; i < spec->extensions.count; i++) {
        const struct spec_extension *extension =
            SPEC_AT(spec->extensions, i, struct spec_extension);
        for (size_t k = 0; k < spec->instructions.count; k++) {
            const struct spec_instruction *instruction =
                SPEC_AT(spec->instructions, k, struct spec_instruction);
            if (instruction->extension == extension)
                add_name(grammar, "keyword.operator.instruction", extension->name, word,
                         instruction->mnemonic);
        }
        end_pattern(grammar);
    }
    for (size_t i = 0; i < spec->form_count; i++)
        if (spec->forms[i].alias &&
            (!i || strcmp(spec->forms[i].mnemonic, spec->forms[i - 1].mnemonic) != 0))
            add_name(grammar, "keyword.operator.alias", "", word, spec->forms[i].mnemonic);
    end_pattern(grammar);
}

static void add_operators(struct grammar *grammar, const struct spec *spec)
{
    const char *const *operators = emit_operators(spec);

    for (; *operators; operators++)
        add_name(grammar, "support.function.relocation", "", "%", *operators);
    end_pattern(grammar);
}

void emit_grammar(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    struct grammar grammar = {.text = &emitter->text};

    text_append(&emitter->text, head);
    add_instructions(&grammar, spec);
    for (size_t i = 0; i < spec->names.count; i++)
        add_name(&grammar, "variable.language.register", "", word, spec->names.entries[i].key);
    end_pattern(&grammar);
    for (size_t i = 0; i < spec->csrs.count; i++)
        add_name(&grammar, "support.variable.csr", "", word, spec->csrs_by_number[i]->name);
    end_pattern(&grammar);
    add_operators(&grammar, spec);
    text_append(&emitter->text, "\n  ]\n}\n");
}

void emit_vscode_package(struct emitter *emitter)
{
    text_append(&emitter->text,
                "{\n"
                "  \"name\": \"tensor-assembly\",\n"
                "  \"displayName\": \"RISC-V assembly with tensor units\",\n"
                "  \"description\": \"Colors the instructions, registers and operators that tasm "
                "knows.\",\n"
                "  \"publisher\": \"tensor-toolchain\",\n"
                "  \"version\": \"" TOOL_VERSION "\",\n"
                "  \"license\": \"Apache-2.0\",\n"
                "  \"engines\": {\"vscode\": \"^1.50.0\"},\n"
                "  \"categories\": [\"Programming Languages\"],\n"
                "  \"contributes\": {\n"
                "    \"languages\": [{\"id\": \"tensor\", \"aliases\": [\"Tensor assembly\"], "
                "\"extensions\": [\".s\", \".S\", \".inc\"], "
                "\"configuration\": \"./language-configuration.json\"}],\n"
                "    \"grammars\": [{\"language\": \"tensor\", \"scopeName\": \"source.tensor\", "
                "\"path\": \"./tensor.tmLanguage.json\"}]\n"
                "  }\n"
                "}\n");
}

void emit_vscode_language(struct emitter *emitter)
{
    text_append(&emitter->text, "{\n"
                                "  \"comments\": {\"lineComment\": \"#\", \"blockComment\": "
                                "[\"/*\", \"*/\"]},\n"
                                "  \"brackets\": [[\"(\", \")\"], [\"[\", \"]\"]],\n"
                                "  \"autoClosingPairs\": [[\"(\", \")\"], [\"[\", \"]\"], "
                                "[\"\\\"\", \"\\\"\"]],\n"
                                "  \"wordPattern\": \"[%.]?[A-Za-z_$][\\\\w.$]*\"\n"
                                "}\n");
}

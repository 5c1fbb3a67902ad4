/*
 * tensor.vim: a syntax file for the vim editor, and tensor_detect.vim, which says for which files.
 * Mnemonics, registers, CSRs and relocation operators come from the YAML, with a group for each
 * extension. The syntax of the GNU assembler, which is not part of the ISA, is written here.
 */
#include "isa/isagen/emit.h"

#include <ctype.h>
#include <string.h>

static const char head[] =
    "\" Vim syntax file: RISC-V assembly with tensor units.\n"
    "\" Written by isagen. Do not edit.\n"
    "if exists('b:current_syntax')\n"
    "  finish\n"
    "endif\n"
    "syntax case match\n"
    "syntax iskeyword @,48-57,_,.\n"
    "\n"
    "syntax match tensorLabel /^\\s*[A-Za-z_.$][A-Za-z0-9_.$]*:/\n"
    "syntax match tensorLabel /^\\s*[0-9]\\+:/\n"
    "syntax match tensorDirective /\\(^\\|[ \\t:;]\\)\\@<=\\.[a-z_][a-z0-9_]*\\>/\n"
    "syntax match tensorNumber /\\<-\\?[0-9][0-9]*\\>/\n"
    "syntax match tensorNumber /\\<0[xX][0-9a-fA-F]\\+\\>/\n"
    "syntax match tensorNumber /\\<0[bB][01]\\+\\>/\n"
    "syntax match tensorNumber /\\<[0-9]\\+\\.[0-9]*\\([eE][-+]\\?[0-9]\\+\\)\\?\\>/\n"
    "syntax region tensorString start=/\"/ skip=/\\\\./ end=/\"/ oneline\n"
    "syntax region tensorComment start=/\\/\\*/ end=/\\*\\//\n"
    "syntax match tensorComment /#.*$/\n"
    "syntax match tensorComment /\\/\\/.*$/\n";

static const char tail[] = "\nhighlight default link tensorLabel Label\n"
                           "highlight default link tensorDirective PreProc\n"
                           "highlight default link tensorNumber Number\n"
                           "highlight default link tensorString String\n"
                           "highlight default link tensorComment Comment\n"
                           "highlight default link tensorRegister Identifier\n"
                           "highlight default link tensorCsr Special\n"
                           "highlight default link tensorOperator Operator\n"
                           "highlight default link tensorAlias Statement\n";

/* A name with a dot is one keyword because `syntax iskeyword` contains the dot. */
static void emit_keyword(struct emitter *emitter, const char *group, const char *name)
{
    text_format(&emitter->text, "syntax keyword %s %s\n", group, name);
}

static const char *group_of(struct emitter *emitter, const struct spec_extension *extension)
{
    char *name = arena_string(emitter->spec->arena, extension->name);

    name[0] = (char)toupper((unsigned char)name[0]);
    return arena_format(emitter->spec->arena, "tensorInstruction%s", name);
}

static void emit_instructions(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    for (size_t i = 0; i < spec->extensions.count; i++) {
        const struct spec_extension *extension =
            SPEC_AT(spec->extensions, i, struct spec_extension);
        const char *group = group_of(emitter, extension);
        text_format(&emitter->text, "\n\" %s: %s\n", extension->name, extension->summary);
        for (size_t k = 0; k < spec->instructions.count; k++) {
            const struct spec_instruction *instruction =
                SPEC_AT(spec->instructions, k, struct spec_instruction);
            if (instruction->extension == extension)
                emit_keyword(emitter, group, instruction->mnemonic);
        }
        text_format(&emitter->text, "highlight default link %s Statement\n", group);
    }
}

/* Writes each alias that is not the mnemonic of an instruction once: forms are sorted. */
static void emit_aliases(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    text_append(&emitter->text, "\n\" Aliases\n");
    for (size_t i = 0; i < spec->form_count; i++)
        if (spec->forms[i].alias &&
            (!i || strcmp(spec->forms[i].mnemonic, spec->forms[i - 1].mnemonic)))
            emit_keyword(emitter, "tensorAlias", spec->forms[i].mnemonic);
}

static void emit_names(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    const char *const *operators = emit_operators(spec);

    text_append(&emitter->text, "\n\" Registers\n");
    for (size_t i = 0; i < spec->names.count; i++)
        emit_keyword(emitter, "tensorRegister", spec->names.entries[i].key);
    text_append(&emitter->text, "\n\" Control and status registers\n");
    for (size_t i = 0; i < spec->csrs.count; i++)
        emit_keyword(emitter, "tensorCsr", spec->csrs_by_number[i]->name);
    text_append(&emitter->text, "\n\" Relocation operators\n");
    for (; *operators; operators++)
        text_format(&emitter->text, "syntax match tensorOperator /%%%s\\>/\n", *operators);
}

void emit_vim(struct emitter *emitter)
{
    text_append(&emitter->text, head);
    emit_instructions(emitter);
    emit_aliases(emitter);
    emit_names(emitter);
    text_append(&emitter->text, tail);
    text_append(&emitter->text, "\nlet b:current_syntax = 'tensor'\n");
}

/* ---- when a file is one of ours ---- */

/* vim calls every *.s `asm`. One that names an instruction of a tensor unit or includes tensor.inc
 * near its beginning is `tensor`; the extensions of the units are those whose names begin with x.
 */
static const char detect_head[] = "\" Vim file type detection: RISC-V assembly with tensor units.\n"
                                  "\" Written by isagen. Do not edit.\n"
                                  "let s:words = [\n";

static const char detect_tail[] =
    "      \\ ]\n"
    "let s:instruction = '\\C^\\s*\\%(\\k\\+:\\s*\\)\\=\\%(' . join(map(s:words, "
    "'escape(v:val, \".\")'), '\\|') . '\\)\\%(\\s\\|$\\)'\n"
    "let s:include = '^\\s*\\.include\\s\\+\"\\%([^\"]*/\\)\\=tensor\\.inc\"'\n"
    "\n"
    "function! s:Detect() abort\n"
    "  for line in getline(1, 500)\n"
    "    if line =~# s:instruction || line =~# s:include\n"
    "      set filetype=tensor\n"
    "      return\n"
    "    endif\n"
    "  endfor\n"
    "endfunction\n"
    "\n"
    "autocmd BufRead,BufNewFile *.s,*.S,*.inc call s:Detect()\n";

void emit_vim_detect(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    text_append(&emitter->text, detect_head);
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (emit_is_of_vendor(instruction))
            text_format(&emitter->text, "      \\ '%s',\n", instruction->mnemonic);
    }
    text_append(&emitter->text, detect_tail);
}

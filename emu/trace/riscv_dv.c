/* The CSV of riscv-dv, with its header and columns:
 *
 *     pc,instr,gpr,csr,binary,mode,instr_str,operand,pad
 *     0000000000010078,addi,a0:0000000000000005,,00500513,0,"li a0,5","a0,5",
 *
 * `gpr` has the written registers of both files in the order of the effects, with ; in between, and
 * `csr` the written CSRs. An instruction that traps has no line. There is no memory, and there are
 * no tensor units. */
#include "emu/trace/write.h"
#include "isa_ids.h"

#include <string.h>

static void put_header(struct trace *trace)
{
    text_append(&trace->buffer, "pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\n");
}

static void append_label(struct text *text, const struct isa_register_file *file, unsigned number)
{
    if (file->standard)
        text_format(text, "%s:", file->names[number]);
}

/* Appends what comes before the registers, and what comes after the CSRs. */
static size_t append_prefix(struct trace *trace, const struct trace_record *record,
                            struct text *text)
{
    const struct isa_instruction *instruction =
        isa_decode(record->word, record->length ? record->length : 2);
    const char *shown = trace_disassembly(trace, record);
    const char *operands = strchr(shown, ' ');
    size_t first;

    text_format(text, "%016llx,%s,", (unsigned long long)record->pc,
                instruction ? instruction->mnemonic : "unknown");
    first = text->length;
    text_format(text, ",%0*llx,%u,\"%s\",\"%s\",\n", 2 * record->length,
                (unsigned long long)record->word, record->privilege, shown,
                operands ? operands + 1 : "");
    return first;
}

/* Puts the registers or the CSRs that the instruction wrote. */
static char *put_written(struct trace *trace, char *at, const struct recorder *recorder,
                         enum effect_kind kind)
{
    bool is_first = true;

    for (size_t i = 0; recorder && i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        const struct isa_csr *csr = kind == EFFECT_CSR ? isa_csr_by_number(effect->number) : NULL;
        if (effect->kind != kind || !trace_shows(trace, effect) || (kind == EFFECT_CSR && !csr))
            continue;
        if (!is_first)
            *at++ = ';';
        is_first = false;
        if (csr)
            at = put_literal(put_string(at, csr->name), ":");
        else
            at = put_label(at, trace_label(trace, effect));
        at = put_digits(at, effect->value, 16);
    }
    return at;
}

static bool write_line(struct trace *trace, const struct trace_record *record)
{
    const struct recorder *recorder = record->recorder;

    if (record->trap)
        return false;
    const struct trace_prefix *prefix = trace_prefix(trace, record);
    char *at = trace_room(trace, recorder, prefix->complete);
    at = put_pieces(at, prefix->bytes, prefix->plain);
    at = put_written(trace, at, recorder, EFFECT_REGISTER);
    *at++ = ',';
    at = put_written(trace, at, recorder, EFFECT_CSR);
    at = put_pieces(at, prefix->bytes + prefix->plain, prefix->complete - prefix->plain);
    text_extend(&trace->buffer, at);
    return true;
}

const struct trace_syntax trace_riscv_dv_syntax = {
    .header = put_header,
    .label = append_label,
    .prefix = append_prefix,
    .line = write_line,
};

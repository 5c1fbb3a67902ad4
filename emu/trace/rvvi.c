/* RVVI-TEXT, the text form of the RISC-V Verification Interface (riscv-verification/RVVI, version
 * 0.1 of the format):
 *
 *     RET 10078 00500513 'li a0,5' MODE 0 X 10 5
 *
 * RET is an instruction that completed and TRAP one that did not; X, F and C (by number, in
 * hexadecimal) are the registers that it wrote, in the order of the effects. Disassembly and names
 * are comments. The CSRs that an interrupt writes are a line without RET, which belongs to the
 * next. What RISC-V does not have is in META elements, which name it: registers of other files,
 * state of tensor units, and the memory that these read and write. The format has no scalar memory.
 */
#include "emu/trace/write.h"
#include "isa_ids.h"

#include <inttypes.h>
#include <string.h>

enum {
    SHORT_BITS = 32,
    LONG_BITS = 64,
    REGISTER_BITS = 64,
};

/* Is an instruction of the section longer than 32 bits? */
static bool has_long(const struct elf_section *section)
{
    uint64_t size = section->bytes ? section->header.sh_size : 0;

    if (!(section->header.sh_flags & SHF_EXECINSTR))
        return false;
    for (uint64_t at = 0; at + 2 <= size;) {
        int length = isa_length((uint16_t)(section->bytes[at] | section->bytes[at + 1] << 8));
        if (8 * length > SHORT_BITS)
            return true;
        at += length ? (unsigned)length : 2;
    }
    return false;
}

/* Returns the length of the program's longest instructions. Many readers of the format know 32
 * bits only, which are enough for a program without tensor instructions. */
static unsigned longest_bits(const struct elf_file *file)
{
    if (!file || !file->section_count)
        return LONG_BITS;
    for (size_t i = 0; i < file->section_count; i++)
        if (has_long(&file->sections[i]))
            return LONG_BITS;
    return SHORT_BITS;
}

static void put_header(struct trace *trace)
{
    trace->harts = trace->program.workers + 1;
    text_format(&trace->buffer,
                "VERSION 0 1\nVENDOR temu %d 0\nPARAMS 6 ILEN %u XLEN %u FLEN %u VLEN 0 NHART %u "
                "RETIRE 1\n",
                TRACE_VERSION, longest_bits(trace->program.file), REGISTER_BITS, REGISTER_BITS,
                trace->harts);
}

static void append_label(struct text *text, const struct isa_register_file *file, unsigned number)
{
    if (file->standard)
        text_format(text, " %c %u ", file->standard == ISA_STANDARD_INTEGER ? 'X' : 'F', number);
    else
        text_format(text, " META 2 %s ", file->names[number]);
}

/* Appends the text as a comment, which has no quote in it. */
static void append_comment(struct text *text, const char *comment)
{
    text_append(text, " '");
    for (; *comment; comment++)
        text_append_char(text, *comment == '\'' ? '`' : *comment);
    text_append_char(text, '\'');
}

static size_t append_prefix(struct trace *trace, const struct trace_record *record,
                            struct text *text)
{
    if (record->is_interrupt) {
        text_append(text, "'interrupt'");
        return text->length;
    }
    text_format(text, "%" PRIx64 " %0*" PRIx64, record->pc, 2 * record->length, record->word);
    append_comment(text, trace_disassembly(trace, record));
    text_format(text, " MODE %u", record->privilege);
    return text->length;
}

/* Appends an element of several tokens: the name of the state, its indices, its value. */
static void append_state(struct text *text, const struct effect *effect)
{
    bool has_row = effect->number != EFFECT_NO_ROW, has_dimension = effect->dimension >= 0;

    text_format(text, " META %u %s%s%s", 2u + has_row + has_dimension, effect_unit(effect),
                effect->unit ? "_" : "", effect->name);
    if (has_row)
        text_format(text, " %u", effect->number);
    if (has_dimension)
        text_format(text, " %d", effect->dimension);
    text_format(text, " %" PRIx64, effect->value);
}

static char *put_range(char *at, const char *name, const struct effect *effect)
{
    at = put_value(put_string(at, name), effect->address);
    *at++ = ' ';
    return put_value(at, effect->length);
}

static char *put_effect(struct trace *trace, char *at, const struct effect *effect,
                        const struct recorder *recorder)
{
    switch (effect->kind) {
    case EFFECT_REGISTER:
        return put_register(put_label(at, trace_label(trace, effect)), effect, recorder);
    case EFFECT_CSR:
        at = put_value(put_literal(at, " C "), effect->number);
        *at++ = ' ';
        return put_value(at, effect->value);
    case EFFECT_RANGE_READ:
        return put_range(at, " META 3 READ ", effect);
    case EFFECT_RANGE_WRITE:
        at = put_range(at, " META 4 WRITE ", effect);
        *at++ = ' ';
        return put_digits(at, effect->value, 16);
    case EFFECT_STATE:
        text_extend(&trace->buffer, at);
        append_state(&trace->buffer, effect);
        return trace_room(trace, recorder, 0);
    case EFFECT_PRIVILEGE: /* of the next instruction, which tells it */
    case EFFECT_LOAD:
    case EFFECT_STORE:
    case EFFECT_HOP:
        break;
    }
    return at;
}

/* Names the hart of the lines that follow. A Linux program may have any number of threads. */
static void write_hart(struct trace *trace, unsigned hart)
{
    if (hart >= trace->harts) {
        trace->harts = hart + 1;
        text_format(&trace->buffer, "PARAMS 1 NHART %u\n", trace->harts);
    }
    text_format(&trace->buffer, "HART %u ", hart);
}

static bool write_line(struct trace *trace, const struct trace_record *record)
{
    const struct recorder *recorder = record->recorder;
    const struct trace_prefix *prefix = trace_prefix(trace, record);

    if (record->thread)
        write_hart(trace, record->thread - 1);
    char *at = trace_room(trace, recorder, prefix->complete);
    if (!record->is_interrupt)
        at = put_string(at, record->trap ? "TRAP " : "RET ");
    at = put_pieces(at, prefix->bytes, prefix->complete);
    for (size_t i = 0; recorder && i < recorder->count; i++)
        at = put_effect(trace, at, &recorder->effects[i], recorder);
    *at++ = '\n';
    text_extend(&trace->buffer, at);
    return true;
}

const struct trace_syntax trace_rvvi_syntax = {
    .header = put_header,
    .label = append_label,
    .prefix = append_prefix,
    .line = write_line,
};

/* Spike's commit log (riscv-isa-sim 1.1.1 and later, `spike --log-commits`):
 *
 *     core   0: 0 0x0000000000010078 (0x00000513) x10 0x0000000000000000
 *
 * Each committed instruction has a line: privilege, pc and encoding; then the written registers in
 * the order of Spike's map (by number, at one number x before f before CSRs, each once with its
 * last value); then loads, as addresses; then stores, with values as wide as the access. An
 * instruction that traps commits nothing. Spike has no ranges, no state of tensor units and no
 * registers of files that RISC-V does not have, so they are left out. */
#include "emu/trace/write.h"
#include "isa_ids.h"

#include <inttypes.h>
#include <string.h>

enum { KIND_X = 0, KIND_F = 1, KIND_CSR = 4, KIND_BITS = 4 };
enum { WRITES = 64 }; /* more registers than one instruction can write */

struct writes {
    unsigned count;
    struct {
        unsigned key;  /* number and kind, in the order of Spike's map */
        unsigned file; /* of a register */
        uint64_t value;
    } item[WRITES];
};

/* Adds a write in the order of keys. It replaces an earlier write of the same register. */
static void add_write(struct writes *writes, unsigned kind, unsigned file, unsigned number,
                      uint64_t value)
{
    unsigned key = number << KIND_BITS | kind, at = writes->count;

    for (unsigned i = 0; i < writes->count; i++) {
        if (writes->item[i].key == key) {
            writes->item[i].value = value;
            return;
        }
    }
    if (writes->count == WRITES)
        BUG("an instruction writes more than %d registers", WRITES);
    while (at > 0 && writes->item[at - 1].key > key)
        at--;
    memmove(&writes->item[at + 1], &writes->item[at],
            (writes->count - at) * sizeof writes->item[0]);
    writes->item[at].key = key;
    writes->item[at].file = file;
    writes->item[at].value = value;
    writes->count++;
}

/* Adds a write of a CSR. Spike logs a CSR that is made of others as writes of these. */
static void add_csr(struct writes *writes, unsigned number, uint64_t value)
{
    const struct isa_csr *csr = isa_csr_by_number(number);

    if (!csr || !csr->is_composed) {
        add_write(writes, KIND_CSR, 0, number, value);
        return;
    }
    for (unsigned i = 0; i < csr->field_count; i++) {
        const struct isa_csr_field *field = &csr->fields[i];
        add_write(writes, KIND_CSR, 0, field->csr,
                  value >> field->lsb & ((UINT64_C(1) << field->width) - 1));
    }
}

static unsigned kind_of_file(const struct isa_register_file *file)
{
    return file->standard == ISA_STANDARD_INTEGER ? KIND_X : KIND_F;
}

static void collect(struct trace *trace, const struct recorder *recorder, struct writes *writes)
{
    writes->count = 0;
    for (size_t i = 0; recorder && i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        if (!trace_shows(trace, effect))
            continue;
        if (effect->kind == EFFECT_REGISTER)
            add_write(writes, kind_of_file(&isa_register_files[effect->file]), effect->file,
                      effect->number, effect->value);
        else if (effect->kind == EFFECT_CSR)
            add_csr(writes, effect->number, effect->value);
    }
}

/* Appends ` x10 0x`; a number of one digit has a space after it. */
static void append_label(struct text *text, const struct isa_register_file *file, unsigned number)
{
    if (file->standard)
        text_format(text, " %s%-2u 0x", file->numeric, number);
}

/* Puts the register writes of an instruction that writes a CSR or more than one register. */
static char *put_writes(struct trace *trace, char *at, const struct recorder *recorder)
{
    struct writes writes;

    collect(trace, recorder, &writes);
    for (unsigned i = 0; i < writes.count; i++) {
        unsigned number = writes.item[i].key >> KIND_BITS;
        unsigned kind = writes.item[i].key & ((1 << KIND_BITS) - 1);
        if (kind == KIND_CSR) {
            const struct isa_csr *csr = isa_csr_by_number(number);
            at = put_decimal(put_literal(at, " c"), number);
            *at++ = '_';
            at = put_literal(put_string(at, csr ? csr->name : "unknown"), " 0x");
        } else {
            at = put_label(at, &trace->labels[writes.item[i].file][number]);
        }
        at = put_digits(at, writes.item[i].value, 16);
    }
    return at;
}

static char *put_registers(struct trace *trace, char *at, const struct recorder *recorder)
{
    const struct effect *only = NULL;

    for (size_t i = 0; i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        if (effect->kind == EFFECT_CSR || (trace_is_register(effect) && only))
            return put_writes(trace, at, recorder);
        if (trace_is_register(effect))
            only = effect;
    }
    if (only && trace_shows(trace, only))
        at = put_digits(put_label(at, trace_label(trace, only)), only->value, 16);
    return at;
}

static char *put_memory(char *at, const struct recorder *recorder, enum effect_kind kind)
{
    for (size_t i = 0; i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        if (effect->kind != kind)
            continue;
        at = put_digits(put_literal(at, " mem 0x"), effect->address, 16);
        if (kind == EFFECT_STORE)
            at = put_digits(put_literal(at, " 0x"), effect->value, 2u * effect->size);
    }
    return at;
}

static size_t append_prefix(struct trace *trace, const struct trace_record *record,
                            struct text *text)
{
    (void)trace;
    text_format(text, ": %1u ", record->privilege);
    trace_hex(text, record->pc, 16);
    text_append(text, " (");
    trace_hex(text, record->word, 2u * (unsigned)record->length);
    text_append_char(text, ')');
    return text->length;
}

/* Puts `core   0`. */
static char *put_core(char *at, unsigned core)
{
    at = put_literal(at, "core ");
    for (unsigned least = 100; least > 1 && core < least; least /= 10)
        *at++ = ' ';
    return put_decimal(at, core);
}

static bool write_line(struct trace *trace, const struct trace_record *record)
{
    const struct recorder *recorder = record->recorder;

    if (record->trap)
        return false;
    const struct trace_prefix *prefix = trace_prefix(trace, record);
    char *at = trace_room(trace, recorder, prefix->complete);
    at = put_core(at, record->thread ? record->thread - 1 : 0);
    at = put_pieces(at, prefix->bytes, prefix->complete);
    if (recorder) {
        at = put_registers(trace, at, recorder);
        at = put_memory(at, recorder, EFFECT_LOAD);
        at = put_memory(at, recorder, EFFECT_STORE);
    }
    *at++ = '\n';
    text_extend(&trace->buffer, at);
    return true;
}

const struct trace_syntax trace_spike_syntax = {
    .label = append_label,
    .prefix = append_prefix,
    .line = write_line,
};

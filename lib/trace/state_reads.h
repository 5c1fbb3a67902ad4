/* Which state of units an instruction reads, by its definition, and which CSR. tdiff and ttrace
 * follow values through them. */
#ifndef LIB_TRACE_STATE_READS_H
#define LIB_TRACE_STATE_READS_H

#include "lib/isa.h"
#include "lib/trace/recorder.h"

/* State of a unit. */
struct state_kind {
    const char *unit;
    const char *name;  /* as a trace has it, without indices: `systolic.cell` */
    int csr;           /* the CSR that is the state; -1: none */
    bool is_of_thread; /* each thread has its own */
};

/* A read of state, whose first index is not known, a number, or in the `number` rows from `number`
 * times the value of an operand on. */
struct state_read {
    unsigned state; /* index in state_kinds */
    enum { READ_ANY, READ_ROW, READ_PART } kind;
    uint32_t number;
    unsigned operand;
};

extern const struct state_kind state_kinds[];
extern const unsigned state_kind_count;

/* Returns the reads of an instruction, which is not compressed. */
const struct state_read *state_reads(unsigned id, size_t *count);
/* Returns the state that is the CSR; state_kind_count: none. */
unsigned state_of_csr(int64_t number);
/* Returns the state of which a trace has this name, with its indices; NULL: it is not state of a
 * unit, or of one that the tools do not know. */
const struct state_kind *state_by_name(const char *name);
/* Does each thread have its own of the CSR, of the state of this name with its indices? */
bool csr_is_of_thread(int64_t number);
bool state_is_of_thread(const char *name);
/* Does the effect set the state? Then *row is the first index, or EFFECT_NO_ROW. */
bool state_is_set_by(const struct state_kind *state, const struct effect *effect, uint32_t *row);

/* Returns the CSR that the instruction with these effects reads: the one that it names, or fflags
 * where it adds a flag; -1: none. */
int64_t csr_read_by(const struct isa_instruction *instruction, uint64_t word,
                    const struct recorder *recorder);
/* Do the CSRs have bits in common, as fcsr has with fflags and frm? */
bool csr_overlaps(uint32_t left, uint32_t right);

#endif

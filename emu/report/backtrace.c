/* See backtrace.h. Frame information (unwind.h) says for sure where a function came from, as far as
 * the program has it: compilers write it for all C, assembly has it where `.cfi_*` says so. Where
 * there is none, return addresses are guessed: from ra in the innermost function, then from the
 * frame chain that s0 begins (psABI, "Frame Pointer Convention"), and only those are believed that
 * stand behind a call. */
#include "emu/report/backtrace.h"
#include "emu/report/unwind.h"
#include "emu/user/calls.h"
#include "isa_ids.h"

struct trace_back {
    const struct machine *machine;
    const struct program *program;
    struct backtrace_frame *frames;
    unsigned count;
    struct unwind_frame at; /* the frame that was added last */
};

const struct elf_symbol *backtrace_function(const struct machine *machine,
                                            const struct program *program, uint64_t address)
{
    return memory_is(&machine->memory, address, 1, PAGE_MAPPED)
               ? symbolizer_find(&program->symbols, address)
               : NULL;
}

bool backtrace_fetch(const struct memory *memory, uint64_t pc, uint64_t *word, int *length)
{
    struct fault fault;

    if (!memory_fetch(memory, pc, 2, word, &fault))
        return false;
    *length = isa_length(*word) ? isa_length(*word) : 2;
    return memory_fetch(memory, pc, *length, word, &fault);
}

static bool add(struct trace_back *back, struct backtrace_frame frame)
{
    if (back->count == BACKTRACE_FRAMES)
        return false;
    back->frames[back->count++] = frame;
    return true;
}

/* ---- guesses ---- */

/* Does a call stand before this address: an instruction of some length that ends there, changes the
 * flow and writes ra? */
static bool is_behind_call(const struct machine *machine, uint64_t address)
{
    for (int length = 2; length <= 8; length += 2) {
        uint64_t word;
        int actual;
        if (address < (uint64_t)length ||
            !backtrace_fetch(&machine->memory, address - length, &word, &actual) ||
            actual != length)
            continue;
        const struct isa_instruction *instruction = isa_decode(word, length);
        if (instruction)
            instruction = isa_expand(instruction, &word);
        for (unsigned i = 0;
             instruction && instruction->ends_block && i < instruction->operand_count; i++) {
            const struct isa_operand *operand = &instruction->operands[i];
            if (operand->type->kind == ISA_REGISTER && operand->type->access & ISA_WRITE &&
                isa_extract(operand, word) == ISA_REGISTER_RA)
                return true;
        }
    }
    return false;
}

/* What a function saved at its frame: the caller's frame pointer and the return address. A leaf
 * saves only the former, in the place of the latter. False when nothing believable is there. */
static bool read_frame(const struct machine *machine, uint64_t frame, uint64_t *caller,
                       uint64_t *return_address)
{
    uint64_t pair[2];
    const void *saved = memory_peek(&machine->memory, frame - sizeof pair, sizeof pair);

    if (frame % 8 || !saved)
        return false;
    memcpy(pair, saved, sizeof pair);
    bool leaf = !is_behind_call(machine, pair[1]);
    *caller = pair[leaf ? 1 : 0];
    *return_address = leaf ? 0 : pair[1];
    return true;
}

/* ra belongs to the function at pc, or is left over from a call that it made. */
static bool is_link_outer(const struct trace_back *back)
{
    const struct unwind_frame *at = &back->at;
    const struct elf_symbol *function = backtrace_function(back->machine, back->program, at->pc);

    return at->known >> ISA_REGISTER_RA & 1 &&
           is_behind_call(back->machine, at->x[ISA_REGISTER_RA]) &&
           (!function ||
            backtrace_function(back->machine, back->program, at->x[ISA_REGISTER_RA]) != function);
}

static void guess(struct trace_back *back)
{
    uint64_t link = back->at.x[ISA_REGISTER_RA];
    uint64_t frame = back->at.x[ISA_REGISTER_S0], caller, address;
    bool outer = is_link_outer(back);

    if (outer)
        add(back, (struct backtrace_frame){.address = link, .is_return = true});
    if (!(back->at.known >> ISA_REGISTER_S0 & 1))
        return;
    for (bool innermost = true; back->count < BACKTRACE_FRAMES; innermost = false) {
        if (!read_frame(back->machine, frame, &caller, &address) || (!address && !innermost))
            break;
        if (address && !(innermost && outer && address == link))
            add(back, (struct backtrace_frame){.address = address, .is_return = true});
        if (caller <= frame)
            break;
        frame = caller;
    }
}

/* ---- for sure ---- */

/* Nothing is known of the innermost function, or pc is nowhere, as after a call through a wrong
 * pointer; but who called it is known: the call has changed nothing else. */
static bool step_by_link(struct trace_back *back, struct unwinder *unwinder)
{
    struct unwind_frame caller = back->at;

    if (!is_link_outer(back))
        return false;
    caller.pc = caller.x[ISA_REGISTER_RA];
    caller.known &= ~(UINT32_C(1) << ISA_REGISTER_RA);
    caller.is_return = true;
    if (!unwinder_knows(unwinder, &caller))
        return false;
    back->at = caller;
    return true;
}

/* From where a handler returns to what it interrupted. */
static bool step_over_signal(struct trace_back *back)
{
    struct unwind_frame frame = {.known = UINT32_MAX};

    if (!back->machine->user.signals.trampoline ||
        back->at.pc != back->machine->user.signals.trampoline ||
        !user_signal_frame(back->machine, back->at.x[ISA_REGISTER_SP], &frame.pc, frame.x))
        return false;
    back->frames[back->count - 1].is_trampoline = true;
    back->at = frame;
    return true;
}

unsigned backtrace(const struct machine *machine, const struct program *program,
                   struct backtrace_frame frames[BACKTRACE_FRAMES])
{
    const struct hart *hart = &machine->hart;
    struct trace_back back = {
        .machine = machine, .program = program, .frames = frames, .at.known = UINT32_MAX};
    struct unwinder *unwinder = unwinder_open(&program->image);

    back.at.pc = hart->pc;
    memcpy(back.at.x, hart->x, sizeof back.at.x);
    while (add(&back, (struct backtrace_frame){back.at.pc, back.at.is_return, false})) {
        if (step_over_signal(&back) || unwinder_step(unwinder, &machine->memory, &back.at))
            continue;
        if (unwinder_knows(unwinder, &back.at))
            break;
        if (!step_by_link(&back, unwinder)) {
            guess(&back);
            break;
        }
    }
    unwinder_close(unwinder);
    return back.count;
}

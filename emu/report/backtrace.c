/* See backtrace.h. Call frame information (unwind.h) gives the caller of a function reliably.
 * Compilers write it for all C code; assembly has it where it uses `.cfi_*`. Without it, return
 * addresses are guessed: first from ra in the innermost function, then from the chain of frames
 * that begins in s0 (psABI, "Frame Pointer Convention"). A guess counts only when a call comes
 * before the address. */
#include "emu/report/backtrace.h"
#include "emu/report/unwind.h"
#include "emu/user/calls.h"
#include "isa_ids.h"

struct trace_back {
    const struct machine *machine;
    const struct program *program;
    struct backtrace_frame *frames;
    unsigned count;
    struct unwind_frame at; /* the state of the last frame */
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

/* Does a call come before this address? It is an instruction of any length that ends there, changes
 * control flow and writes ra. */
static bool follows_call(const struct machine *machine, uint64_t address)
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
        for (unsigned i = 0; instruction && instruction->effects & ISA_EFFECT_FLOW &&
                             i < instruction->operand_count;
             i++) {
            const struct isa_operand *operand = &instruction->operands[i];
            if (operand->type->kind == ISA_REGISTER && operand->type->access & ISA_WRITE &&
                operand->type->file->standard == ISA_STANDARD_INTEGER &&
                isa_extract(operand, word) == ISA_REGISTER_RA)
                return true;
        }
    }
    return false;
}

/* Reads the two values that a function saved at its frame: the caller's frame pointer and the
 * return address. A leaf function saves only the frame pointer, in the slot of the return address.
 * Returns false when nothing plausible is there. */
static bool read_frame(const struct machine *machine, uint64_t frame, uint64_t *caller,
                       uint64_t *return_address)
{
    uint64_t pair[2];
    const void *saved = memory_peek(&machine->memory, frame - sizeof pair, sizeof pair);

    if (frame % 8 || !saved)
        return false;
    memcpy(pair, saved, sizeof pair);
    bool leaf = !follows_call(machine, pair[1]);
    *caller = pair[leaf ? 1 : 0];
    *return_address = leaf ? 0 : pair[1];
    return true;
}

/* Is ra the return address of the function at pc? Otherwise it is left over from a call that the
 * function made. */
static bool is_link_outer(const struct trace_back *back)
{
    const struct unwind_frame *at = &back->at;
    const struct elf_symbol *function = backtrace_function(back->machine, back->program, at->pc);

    return at->known >> ISA_REGISTER_RA & 1 &&
           follows_call(back->machine, at->x[ISA_REGISTER_RA]) &&
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

/* ---- by call frame information ---- */

/* Steps to the caller by ra when the innermost function has no frame information, or when pc is
 * outside of any function, as after a call through a wrong pointer. The caller must have frame
 * information: the call itself changed nothing but ra. */
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

/* Steps from the trampoline of a signal handler to the function that the signal interrupted. */
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
    struct unwinder *unwinder = unwinder_open(&program->image, program->moved);

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

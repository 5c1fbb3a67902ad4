/* See blocks.h. */
#include "emu/native/observers.h"
#include "emu/native/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The guest registers that compilers use most: a5 a4 a0 a3 sp s0 a1 a2 s1 a6 a7 ra s2 s3 t1 t3. */
static const uint8_t usual_pins[] = {15, 14, 10, 13, 2, 8, 11, 12, 9, 16, 17, 1, 18, 19, 6, 28};

/* fa5 fa4 fa3 fa2 fa0 fa1 ft0 ft1 ft2 ft3 ft4 ft5 fs0 fs1 fa6 fa7. */
static const uint8_t usual_float_pins[] = {15, 14, 13, 12, 10, 11, 0,  1, 2,
                                           3,  4,  5,  8,  9,  16, 17, 0};

/* ---- from and to the interpreter ---- */

/* Counts that control comes to the address, as so many arrivals. Has it come often, so that native
 * code is worth it? */
static bool is_warm(struct native *native, uint64_t pc, int32_t arrivals)
{
    return code_count_arrivals(&native->machine->code, pc, arrivals) > NATIVE_ARRIVALS;
}

/* Is there code at the address now, for the present mode? Makes it when control has come often. */
static bool make_first(struct native *native, uint64_t pc)
{
    if (!native_is_current(native)) {
        if (!native->at_once && ++native->strangers < STRANGERS)
            return false;
        native_forget_all(native);
    }
    if (!native->has_guard) {
        native_open_guard(native);
        native_forget_all(native);
    }
    return native_find_or_make(native, pc, (struct facts){0});
}

bool native_arrive(struct native *native, uint64_t pc)
{
    if (native_profile(native) ||
        (native_is_current(native) && code_is_translated(&native->machine->code, pc)) ||
        !native_may_make(pc))
        return true;
    if (!native_is_current(native) && !native->at_once && native->strangers + 1 < STRANGERS) {
        native->strangers++;
        return false;
    }
    if (make_first(native, pc))
        code_translate(&native->machine->code, pc);
    return true;
}

bool native_may_visit(struct native *native, uint64_t pc)
{
    const struct profile *profile = native_profile(native);
    uint8_t *short_visits = &native->short_visits[pc / 2 % VISIT_PLACES];

    if (profile && !profile_may_visit(profile, pc))
        return false;
    if (*short_visits >= SHORT_VISITS) {
        ++*short_visits; /* until it is tried again */
        return false;
    }
    if (profile && native->learned != profile->learned)
        native_forget_all(native);
    if (native_is_current(native) && native_find_entry(native, pc)->code)
        return true;
    return native_may_make(pc) && is_warm(native, pc, FROM_NATIVE) && make_first(native, pc);
}

void native_note_visit(struct native *native, uint64_t pc, uint64_t instructions)
{
    uint8_t *short_visits = &native->short_visits[pc / 2 % VISIT_PLACES];

    *short_visits = instructions < SHORT_VISIT ? *short_visits + 1 : 0;
}

/* The access of the instruction at the pc has faulted, where a walk has taken its step already. */
static void take_step_back(struct native *native)
{
    struct decoded record;

    code_decode(&native->machine->code, &record, native->machine->hart.pc);
    int row = native_row_of(&record);
    if (row >= 0) {
        struct traversal_streak *streak = &native->machine->traversal.own_streaks[row];
        streak->position -= streak->steps[0];
    }
}

/* Ends the mirror where it costs more than it spares, and says when it shall end by itself. */
static void weigh_mirror(const struct native *native, uint64_t retired)
{
    struct memory *memory = &native->machine->memory;

    memory->changes_allowed = CHANGES_LIMIT + retired / CHANGES_GAP;
    if (native->faults - native->forgiven > FAULTS_LIMIT + retired / FAULTS_GAP)
        memory_end_mirror(memory);
}

void native_run_ahead(struct native *native, uint64_t instructions)
{
    native->allowed = native->is_guarded ? instructions : 0;
    weigh_mirror(native, native->machine->hart.instret);
}

/* Returns how many instructions more than those that are left the visit may retire. */
static int64_t ahead_of(const struct native *native, int64_t left)
{
    uint64_t now = native->machine->execution.end_count - (uint64_t)left;
    uint64_t until_look = native->look_at > now ? native->look_at - now : 0;

    return (int64_t)(native->allowed < until_look ? native->allowed : until_look);
}

/* Finds out whether the instruction at the pc jumps to an address in a register. *is_itself: to
 * itself. */
static bool is_register_jump(struct native *native, bool *is_itself)
{
    const struct hart *hart = &native->machine->hart;
    struct decoded record;

    *is_itself = false;
    code_decode(&native->machine->code, &record, hart->pc);
    if (record.id >= PSEUDO_FIRST || !native_is_jump(&record))
        return false;
    const struct shape *shape = native_shape(native, record.id);
    if (shape->target >= 0 || !shape->reads)
        return false;
    uint64_t base = hart->x[record.r[__builtin_ctz(shape->reads)]];
    *is_itself = ((base + (uint64_t)record.imm[0]) & ~UINT64_C(1)) == hart->pc;
    return true;
}

/* Returns the code that the visit begins with. If that becomes better code later, it leads there.
 * 0: there is none. */
static size_t find_first(struct native *native, const struct visit *visit)
{
    struct decoded *entry = visit->entry;

    if (!native_is_current(native))
        return 0;
    if (entry && entry->id == PSEUDO_TRANSLATED && entry->imm[0])
        return (size_t)entry->imm[0];
    size_t code = native_find_or_make(native, visit->pc, (struct facts){0});
    if (entry && entry->id == PSEUDO_TRANSLATED) /* unless native code was forgotten */
        entry->imm[0] = (int64_t)code;
    return code;
}

void native_prepare_hart(struct native *native, struct hart *hart)
{
    hart->native_fast = native->machine->memory.fast;
    hart->native_limit = native->machine->memory.end;
    hart->native_counters = native->counters;
    host_write_modes(hart->native_modes);
    for (unsigned mode = 0; mode < ISA_VALUE_ROUNDING_MODE_DYN; mode++)
        hart->native_rounding[mode] = mode;
}

/* Begins a visit, whose native code may execute so many instructions. */
static void begin_visit(struct native *native, int64_t left)
{
    const struct machine *machine = native->machine;
    struct hart *hart = &native->machine->hart;

    native->strangers = 0;
    native_prepare_hart(native, hart);
    native->is_interrupted = false;
    native->ahead = ahead_of(native, left);
    hart->native_left = left + native->ahead;
    hart->native_count = machine->execution.end_count + (uint64_t)native->ahead;
}

/* Executes native code until it leaves. Returns whether that was by a fault of the host. */
static bool enter(struct native *native, size_t code)
{
    const struct memory *memory = &native->machine->memory;
    struct hart *hart = &native->machine->hart;
    const unsigned char *executable = native->copier.executable;
    unsigned faults = native->faults;

    hart->native_exit = EXIT_STEP;
    native_begin_times(native);
    native_enter(hart, memory->host, memory->fast, executable + native->enter, executable + code,
                 native->jumps);
    native_end_times(native);
    native_end_count(native);
    return native->faults != faults;
}

/* Links the exit that was just taken to the code, so that the next time native code jumps there
 * itself. */
static void link_exit(struct native *native, size_t code)
{
    const struct hart *hart = &native->machine->hart;

    if (hart->native_exit == EXIT_SITE) {
        const struct site *site = &native->sites[hart->native_site];
        native_link(native, &site->jump, site->is_back, hart->pc, code);
        copier_finish(&native->copier);
    } else {
        const unsigned char *executable = native->copier.executable;
        native->jumps[(hart->pc >> 1) % NATIVE_JUMPS] =
            (struct native_jump){hart->pc, (void (*)(void))(uintptr_t)(executable + code)};
    }
}

/* Returns the code of the pc at which native code left, where it goes on. 0: there is none, and
 * *end is how the visit ends. */
static size_t find_next(struct native *native, enum visit_end *end)
{
    const struct hart *hart = &native->machine->hart;
    bool is_site = hart->native_exit == EXIT_SITE, is_itself = false;

    *end = VISIT_AWAY;
    if (is_site && native->sites[hart->native_site].is_foreign)
        return 0;
    /* In the bare environment, the interpreter looks whether anything can end the loop of a jump to
     * itself. */
    bool stays_out = hart->native_exit == EXIT_JUMP && native->machine->bare.active &&
                     is_register_jump(native, &is_itself);
    if (is_itself)
        return 0;
    uint64_t generation = native->generation;
    if (!native_find_entry(native, hart->pc)->code && !is_warm(native, hart->pc, FROM_NATIVE))
        return 0;
    struct facts facts = is_site ? native->sites[hart->native_site].facts : (struct facts){0};
    size_t code = native_find_or_make(native, hart->pc, facts);
    if (!code && facts.arithmetic & ARITHMETIC_UNCOMMON)
        *end = VISIT_STUCK;
    /* Where making code has removed the code that left, there is nothing to link. */
    if (code && (is_site ? generation == native->generation : !stays_out))
        link_exit(native, code);
    return code;
}

enum visit_end native_visit(struct native *native, struct visit *visit)
{
    struct machine *machine = native->machine;
    const struct hart *hart = &machine->hart;
    enum visit_end end = VISIT_STUCK;

    native->visits++;
    weigh_mirror(native, machine->execution.end_count - (uint64_t)visit->left);
    if (native->is_mirror && !memory_mirrors(&machine->memory, native->view))
        native_forget_all(native);
    size_t code = find_first(native, visit);
    if (code)
        begin_visit(native, visit->left);
    while (code && native_is_current(native)) {
        if (!native_begin_count(native, visit->pc))
            return VISIT_AWAY;
        bool is_fault = enter(native, code);
        visit->pc = hart->pc;
        visit->left = hart->native_left - native->ahead;
        if (hart->native_exit == EXIT_CALL) {
            visit->called = native->called;
            visit->flow = native->flow;
            visit->is_interrupted = native->is_interrupted;
            return VISIT_CALL;
        }
        if (is_fault) {
            take_step_back(native);
            native_note_fault(native);
        }
        if (hart->native_exit == EXIT_LIMIT && (code = native_make_better(native, hart->pc)))
            continue;
        if (hart->native_exit == EXIT_LIMIT || native->is_interrupted)
            return VISIT_LIMIT;
        if (hart->native_exit == EXIT_STEP) {
            if (!is_fault)
                native_note_step(native);
            return VISIT_STUCK;
        }
        code = find_next(native, &end);
    }
    return end;
}

/* Counts the registers of the instructions from the pc on. */
static void sample(struct native *native, uint64_t pc)
{
    struct decoded record;

    for (unsigned i = 0; i < SAMPLED; i++, pc += record.length) {
        code_decode(&native->machine->code, &record, pc);
        if (record.id >= PSEUDO_FIRST)
            return;
        unsigned slots = native_shape(native, record.id)->integers;
        for (; slots; slots &= slots - 1) {
            unsigned number = record.r[__builtin_ctz(slots)];
            if (number > 0 && number < SINK)
                native->uses[number]++;
        }
        native_count_floats(native, &record);
        native_count_walk(native, &record);
        if (native_is_jump(&record))
            return;
    }
}

/* How often pins were used, and those that would be chosen now. */
struct choice {
    int32_t before, after;
    uint8_t pins[PINS + HOST_FLOAT_PINS];
};

/* Chooses those from `first` up to `end` that were used most. */
static struct choice choose_pins(const int32_t *all_uses, unsigned first, unsigned end,
                                 const uint8_t *pins, int count)
{
    int32_t uses[PINNABLE];
    struct choice choice = {0};

    memcpy(uses, all_uses, end * sizeof *uses);
    for (int i = 0; i < count; i++) {
        unsigned best = first;
        for (unsigned number = first + 1; number < end; number++)
            if (uses[number] > uses[best])
                best = number;
        choice.pins[i] = (uint8_t)best;
        choice.after += uses[best];
        choice.before += all_uses[pins[i]];
        uses[best] = INT32_MIN;
    }
    return choice;
}

static bool is_much_better(const struct choice *choice)
{
    return choice->after > choice->before * 5 / 4;
}

/* Has the program executed so many instructions for each one that was made since all was made
 * again? It may run as long as it has run by now, and what it would lose by doing that again should
 * be a small part of it. */
static bool has_run(const struct native *native, uint64_t instructions)
{
    return native->machine->hart.instret / instructions > native->made - native->made_before;
}

void native_look(struct native *native, uint64_t pc)
{
    if (native->machine->hart.instret < native->look_at)
        return;
    sample(native, pc);
    if (++native->samples < SAMPLES)
        return;
    struct choice choice =
                      choose_pins(native->uses, 1, native_pinnable(native), native->pins, PINS),
                  floats = choose_pins(native->float_uses, 0, ISA_F_REGISTERS, native->float_pins,
                                       HOST_FLOAT_PINS);
    /* Little use of floating point is not worth making all code again. */
    bool is_better = is_much_better(&choice) ||
                     (is_much_better(&floats) && floats.after - floats.before > choice.after / 16);
    if (is_better && has_run(native, BETTER)) {
        memcpy(native->pins, choice.pins, PINS);
        memcpy(native->float_pins, floats.pins, HOST_FLOAT_PINS);
        native_forget_all(native);
    } else if (has_run(native, AMORTIZED)) {
        /* New code is better: its jumps at the end of a slice were never taken (guard.c). */
        uint64_t made = native->made - native->made_before;
        native->is_best |= made > 0 && made <= FEW;
        native_forget_all(native);
    }
    native->samples = 0;
    native->look_at = native->machine->hart.instret + native->gap;
    native->gap *= 4;
    for (unsigned i = 0; i < PINNABLE; i++)
        native->uses[i] /= 2;
    for (unsigned i = 0; i < ISA_F_REGISTERS; i++)
        native->float_uses[i] /= 2;
}

/* All decoded code was forgotten: marks the pages of native code again. */
static void remark(void *context)
{
    const struct native *native = context;

    for (size_t i = native->first_page / 64 * sizeof(uint64_t); i * 8 < native->page_end;
         i += sizeof(uint64_t)) {
        uint64_t bits; /* the host is little-endian */
        memcpy(&bits, native->pages + i, sizeof bits);
        for (; bits; bits &= bits - 1)
            memory_watch_code(&native->machine->memory, i * 8 + (unsigned)__builtin_ctzll(bits),
                              true);
    }
}

/* The bytes, which are in one page, changed: forgets the native code that is from there. */
static void drop(void *context, uint64_t address, uint64_t end)
{
    struct native *native = context;
    uint64_t page = address >> MEMORY_PAGE_BITS;

    if (native->pages[page / 8] >> page % 8 & 1)
        native_forget(native, address, end);
}

struct native *native_open(struct machine *machine, enum tier tier)
{
    /* The shapes are after it. */
    size_t size = sizeof(struct native) + isa_instruction_count * sizeof(struct shape);
    struct native *native;

    if (tier == TIER_INTERPRET || machine->memory.aligned_only || !(native = calloc(1, size)))
        return NULL;
    if (!copier_open(&native->copier)) {
        free(native);
        return NULL;
    }
    native->machine = machine;
    native->shapes = (struct shape *)(native + 1);
    native->at_once = tier_is_at_once(tier);
    native->is_best = tier == TIER_OPTIMIZE;
    machine->code.first_arrivals = native->at_once ? NATIVE_ARRIVALS : 0;
    native->gap = SAMPLES_GAP;
    native->entry_room = FIRST_ENTRIES;
    native->jumps = mmap(NULL, NATIVE_JUMPS * sizeof *native->jumps, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | HOST_MAP, -1, 0);
    if (native->jumps == MAP_FAILED) {
        copier_close(&native->copier);
        free(native);
        return NULL;
    }
    native->copier.jumps = native->jumps;
    memcpy(native->pins, usual_pins, sizeof native->pins);
    memcpy(native->float_pins, usual_float_pins, sizeof native->float_pins);
    native_forget_all(native);
    machine->code.dropped = drop;
    machine->code.forgotten = remark;
    machine->code.dropped_context = native;
    return native;
}

void native_close(struct native *native)
{
    if (!native)
        return;
    native_observers_close(native->observers);
    native->machine->code.dropped = NULL;
    native->machine->code.forgotten = NULL;
    native_close_guard(native);
    copier_close(&native->copier);
    munmap(native->jumps, NATIVE_JUMPS * sizeof *native->jumps);
    free(native->paths);
    free(native);
}

void native_report(const struct native *native, const char *program)
{
    fprintf(stderr, "temu: %s: made %" PRIu64 " instructions native code, in %" PRIu64 " visits\n",
            program, native->made, native->visits);
}

bool native_observe(struct native *native, struct diag *diag, const struct native_view *view)
{
    native->observers = native_observers_open(native, diag, view);
    if (native->observers)
        native_forget_all(native); /* so that the map has all code from the first byte on */
    return native->observers != NULL;
}

void native_observe_end(const struct native *native, FILE *stream)
{
    if (native->observers)
        native_observers_end(native->observers, stream);
}

uint64_t native_visits(const struct native *native)
{
    return native->visits;
}

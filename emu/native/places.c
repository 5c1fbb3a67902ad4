/* Which guest registers the registers of the host hold, inside a run of blocks. Where control may
 * come from elsewhere, and at jumps, the places are as agreed: the pins are in their registers of
 * the host, all else is in memory, and registers that few stencils use may have copies of it. In a
 * block a place may hold another guest register that is used more until the next use of what it
 * held. Ways out lead over code that puts all back. See parts.h. */
#include "emu/native/parts.h"

enum { WORTH = 1 }; /* accesses of a register, more than its place costs */

static unsigned host_of_place(unsigned place)
{
    return place < PINS ? host_registers[place] : host_temporaries[place - PINS];
}

static bool is_home(const struct native *native, unsigned place)
{
    return place < PINS && native->places.holds[place] == native->pins[place];
}

static bool is_dirty(const struct native *native, unsigned place)
{
    return native->places.dirty >> place & 1;
}

static void hold(struct native *native, unsigned place, unsigned number)
{
    native->places.holds[place] = (uint8_t)number;
    native->host_of[number] = (uint8_t)host_of_place(place);
    native->place_of[number] = (uint8_t)place;
    native->placed |= UINT64_C(1) << number;
    native->way_out = 0;
}

void native_open_places(struct native *native)
{
    struct places *places = &native->places;

    memset(places, 0, sizeof *places);
    places->words = 1; /* zero */
    memset(native->host_of, NOT_PINNED, sizeof native->host_of);
    native->placed = 0;
    places->dirty = ((uint32_t)1 << PINS) - 1;
    for (unsigned i = 0; i < PINS; i++)
        hold(native, i, native->pins[i]);
}

void native_close_places(struct native *native)
{
    memset(&native->places, 0, sizeof native->places);
    memset(native->host_of, NOT_PINNED, sizeof native->host_of);
    memset(native->float_host_of, NOT_PINNED, sizeof native->float_host_of);
    native->placed = 0;
    native->way_out = 0;
}

static struct filling filling_of(const struct native *native, unsigned number, unsigned host)
{
    struct filling filling = {.registers = {(uint8_t)host}};

    filling.values[HOLE_OFFSET] = native_offset_of(native, number);
    filling.numbers[0] = (uint8_t)number;
    return filling;
}

static void move(struct native *native, unsigned id, unsigned number, unsigned host)
{
    struct filling filling = filling_of(native, number, host);

    copier_add(&native->copier, stencil_glue(id), &filling);
}

static void widen(struct native *native, unsigned place)
{
    if (!(native->places.narrow >> place & 1))
        return;
    move(native, STENCIL_glue_extend, native->places.holds[place], host_of_place(place));
    native->places.narrow &= ~((uint32_t)1 << place);
    native->way_out = 0;
}

bool native_is_narrow(const struct native *native, uint32_t registers)
{
    uint32_t narrow = native->places.narrow;

    for (; narrow; narrow &= narrow - 1)
        if (registers >> native->places.holds[__builtin_ctz(narrow)] & 1)
            return true;
    return false;
}

void native_widen(struct native *native, uint32_t registers)
{
    for (uint32_t narrow = native->places.narrow; narrow; narrow &= narrow - 1) {
        unsigned place = (unsigned)__builtin_ctz(narrow);
        if (registers >> native->places.holds[place] & 1)
            widen(native, place);
    }
}

/* Writes what the place holds to memory, if it is not there. */
static void clean(struct native *native, unsigned place)
{
    if (!is_dirty(native, place))
        return;
    widen(native, place);
    move(native, STENCIL_glue_spill, native->places.holds[place], host_of_place(place));
    native->places.dirty &= ~((uint32_t)1 << place);
    native->way_out = 0;
}

/* Empties the place. What it held is in memory. */
static void empty(struct native *native, unsigned place)
{
    unsigned number = native->places.holds[place];

    if (!number)
        return;
    clean(native, place);
    native->host_of[number] = NOT_PINNED;
    native->placed &= ~(UINT64_C(1) << number);
    native->places.holds[place] = 0;
    native->way_out = 0;
}

void native_move_pin(struct native *native, unsigned id, unsigned number)
{
    move(native, id, number, native->host_of[number]);
}

void native_clear(struct native *native, unsigned hosts)
{
    for (unsigned place = PINS; hosts && place < PLACES; place++)
        if (hosts >> host_of_place(place) & 1)
            empty(native, place);
}

/* Are the places other than where control may come from elsewhere? Leaving needs code then. */
static bool has_moved(struct native *native)
{
    if (!native->way_out && !(native->places.dirty >> PINS) && !native->places.narrow &&
        memcmp(native->places.holds, native->pins, PINS) == 0)
        native->way_out = native->copier.leave;
    return native->way_out != native->copier.leave;
}

void native_settle(struct native *native)
{
    native_widen(native, UINT32_MAX);
    if (!has_moved(native))
        return;
    for (unsigned place = 0; place < PLACES; place++)
        if (!is_home(native, place)) {
            clean(native, place);
            if (place < PINS)
                empty(native, place);
        }
    for (unsigned place = 0; place < PINS; place++) {
        unsigned number = native->pins[place];
        if (is_home(native, place))
            continue;
        if (native->host_of[number] != NOT_PINNED)
            empty(native, native->place_of[number]);
        hold(native, place, number);
        move(native, STENCIL_glue_fill, number, host_registers[place]);
    }
}

size_t native_find_way_out(struct native *native)
{
    struct copier *copier = &native->copier;
    struct filling filling = {0};

    if (!has_moved(native) || native->way_out)
        return native->way_out;
    copier_make_room(copier, 0, STENCIL_BYTES);
    native->way_out = copier->cold;
    for (uint32_t narrow = native->places.narrow; narrow; narrow &= narrow - 1) {
        unsigned place = (unsigned)__builtin_ctz(narrow);
        filling = filling_of(native, native->places.holds[place], host_of_place(place));
        copier_add_cold(copier, stencil_glue(STENCIL_glue_extend), &filling);
    }
    for (unsigned place = 0; place < PLACES; place++)
        if (!is_home(native, place) && is_dirty(native, place)) {
            filling = filling_of(native, native->places.holds[place], host_of_place(place));
            copier_add_cold(copier, stencil_glue(STENCIL_glue_spill), &filling);
        }
    for (unsigned place = 0; place < PINS; place++)
        if (!is_home(native, place)) {
            filling = filling_of(native, native->pins[place], host_registers[place]);
            copier_add_cold(copier, stencil_glue(STENCIL_glue_fill), &filling);
        }
    copier_add_cold(copier, stencil_glue(STENCIL_glue_goto), &filling);
    copier_link(copier, &copier->taken, copier->leave);
    return native->way_out;
}

void native_note_access(struct native *native)
{
    const struct decoded *record = native->unchecked;

    if (!record)
        return;
    uint32_t leave = (uint32_t)native_find_way_out(native);
    native->accesses[native->access_count++] =
        (struct unchecked){.code = (uint32_t)native->copier.hot,
                           .leave = leave,
                           .pc = (uint32_t)record->pc,
                           .remaining = record->remaining};
    native->unchecked = NULL;
}

void native_add(struct native *native, const struct stencil *stencil, const struct filling *filling)
{
    struct copier *copier = &native->copier;
    size_t leave = copier->leave;

    if (stencil->uses & HOST_TEMPORARY_BITS)
        native_clear(native, stencil->uses);
    native_note_access(native);
    if (stencil->leaves)
        copier->leave = native_find_way_out(native);
    copier_add(copier, stencil, filling);
    copier->leave = leave;
}

void native_add_common(struct native *native, const struct stencil *common,
                       const struct stencil *usual, bool is_first, const struct filling *filling)
{
    struct copier *copier = &native->copier;
    size_t leave = copier->leave;

    native_clear(native, common->uses | usual->uses);
    native_note_access(native);
    copier->leave = native_find_way_out(native);
    copier_add_common(copier, common, usual, is_first, filling);
    copier->leave = leave;
}

/* Returns how many accesses to memory it costs that the place holds something else from the
 * instruction on. Does the instruction `again`, if any, access what it holds? */
static int cost_of(const struct run *run, unsigned place, unsigned at, bool again)
{
    const struct native *native = run->native;
    unsigned number = native->places.holds[place];

    if (!number)
        return 0;
    return (is_dirty(native, place) && !(run->uses[at].dead >> number & 1)) +
           (place < PINS || again);
}

/* A place that may hold another register, and how many accesses to memory that saves. */
struct offer {
    int place, saved;
};

/* Returns the best place for a register that is not in one, from the instruction on. */
static struct offer find_place(const struct run *run, unsigned at, unsigned number)
{
    const struct native *native = run->native;
    const struct places *places = &native->places;
    uint32_t used = run->uses[at].reads | run->uses[at].writes, held = 0;
    struct offer best = {-1, 0};
    uint8_t place_of_register[ISA_X_REGISTERS];
    int count = 1;

    /* One that is free costs nothing, and saves this access at least. */
    for (unsigned place = PLACES; place-- > PINS;)
        if (!places->holds[place])
            return (struct offer){(int)place, count};
    for (unsigned place = 0; place < PLACES; place++) {
        unsigned content = places->holds[place];
        if (!content || content >= ISA_X_REGISTERS || used >> content & 1)
            continue;
        held |= (uint32_t)1 << content;
        place_of_register[content] = (uint8_t)place;
    }
    for (unsigned i = at + 1; held && i < run->record_count; i++) {
        const struct use *use = &run->uses[i];
        for (uint32_t seen = (use->reads | use->writes) & held; seen; seen &= seen - 1) {
            unsigned content = (unsigned)__builtin_ctz(seen), place = place_of_register[content];
            int saved = count - cost_of(run, place, at, use->reads >> content & 1);
            if (best.place < 0 || saved > best.saved)
                best = (struct offer){(int)place, saved};
            held &= ~((uint32_t)1 << content);
        }
        count += (use->reads | use->writes) >> number & 1;
    }
    for (; held; held &= held - 1) {
        unsigned place = place_of_register[__builtin_ctz(held)];
        int saved = count - cost_of(run, place, at, false);
        if (best.place < 0 || saved >= best.saved)
            best = (struct offer){(int)place, saved};
    }
    return best;
}

/* Returns how many accesses to memory of the register a place must save to be worth it. A base of
 * accesses is checked, too, and what the last instruction of a block writes is often read by the
 * next block. */
static int worth_of(const struct run *run, unsigned at, unsigned number, unsigned base)
{
    bool is_base = base == number,
         is_last = at + 1 == run->record_count && run->uses[at].writes >> number & 1;

    return WORTH - (is_base || is_last);
}

/* Finds a place that is worth it for the register, from the instruction on. Returns -1 if there is
 * none. */
static int find_good_place(const struct run *run, unsigned at, unsigned number, unsigned base)
{
    struct offer offer = find_place(run, at, number);
    bool is_good =
        offer.place >= 0 && offer.saved >= worth_of(run, at, number, base) +
                                               is_home(run->native, (unsigned)offer.place);

    return is_good ? offer.place : -1;
}

void native_hold_operands(struct run *run, const struct decoded *record, unsigned base)
{
    struct native *native = run->native;
    unsigned at = (unsigned)(record - run->records);
    const struct use *use = &run->uses[at];
    unsigned slots = use->shape->integers & STENCIL_SLOTS & ~(unsigned)use->shape->stored;

    for (; slots; slots &= slots - 1) {
        unsigned slot = (unsigned)__builtin_ctz(slots), number = record->r[slot];
        if (number == 0 || number >= SINK || native->host_of[number] != NOT_PINNED ||
            (use->writes >> number & 1 && slot > 0))
            continue;
        int found = find_good_place(run, at, number, base);
        if (found < 0)
            continue;
        unsigned place = (unsigned)found, held = native->places.holds[place];
        if (held && use->dead >> held & 1) {
            native->places.dirty &= ~((uint32_t)1 << place);
            native->places.narrow &= ~((uint32_t)1 << place);
        }
        empty(native, place);
        hold(native, place, number);
        if (use->reads >> number & 1)
            move(native, STENCIL_glue_fill, number, host_of_place(place));
    }
}

unsigned native_held_by(const struct run *run, const struct decoded *record)
{
    const struct use *use = native_use_of(run, record);
    unsigned hosts = 0;

    for (unsigned place = PINS; place < PLACES; place++)
        if ((use->reads | use->writes) >> run->native->places.holds[place] & 1)
            hosts |= 1u << host_of_place(place);
    return hosts;
}

void native_keep_results(struct run *run, const struct decoded *record)
{
    struct native *native = run->native;
    unsigned at = (unsigned)(record - run->records);

    for (uint32_t writes = run->uses[at].writes; writes; writes &= writes - 1) {
        unsigned number = (unsigned)__builtin_ctz(writes);
        if (native->host_of[number] == NOT_PINNED)
            continue;
        unsigned place = native->place_of[number];
        uint32_t mask = (uint32_t)1 << place, narrow = run->is_narrow ? mask : 0;
        if (!is_dirty(native, place) || (native->places.narrow & mask) != narrow)
            native->way_out = 0;
        native->places.dirty |= mask;
        native->places.narrow = (native->places.narrow & ~mask) | narrow;
        if (!is_home(native, place) && !(run->uses[at].later >> number & 1))
            clean(native, place);
    }
}

void native_forget_results(struct run *run, const struct decoded *record)
{
    struct native *native = run->native;
    uint32_t writes = native_use_of(run, record)->writes;

    for (unsigned place = 0; place < PLACES; place++)
        if (!is_home(native, place) && writes >> native->places.holds[place] & 1)
            empty(native, place);
}

void native_move_operands(struct native *native, const struct decoded *record, unsigned slots,
                          unsigned id)
{
    for (; slots; slots &= slots - 1) {
        unsigned number = record->r[__builtin_ctz(slots)];
        if (number < SINK && native->host_of[number] != NOT_PINNED)
            native_move_pin(native, id, number);
    }
}

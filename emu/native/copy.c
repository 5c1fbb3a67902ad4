/* See copy.h. */
#include "emu/native/copy.h"
#include "emu/native/host.h"
#include "emu/native/map.h"
#include "instruction_ids.h"
#include "lib/diag.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    AREA = COPIER_AREA,
    START = 64,
    FLUSH_PAGE = 1 << 16, /* the largest page of a host */
    READY = 1 << 16,      /* bytes of an area that get pages at once */
    ROOM =
        STENCIL_UNIT, /* bytes kept free in each area: for the jump to the next chunk, or a unit */
};

/* Of instructions, and of glue after them. */
enum { SPANS = ISA_ID_COUNT + STENCIL_GLUE_END - STENCIL_GLUE };

#define STENCIL_CODE            static const unsigned char all_code[] =
#define STENCIL_HOLES           static const struct stencil_hole all_holes[] =
#define STENCIL_FIELDS          static const struct stencil_field all_fields[] =
#define STENCIL_ROWS(library)   static const struct stencil library##_rows[] =
#define STENCIL_GROUPS(library) static const struct stencil_group library##_groups[] =
#define STENCIL_SPANS(library)  static const struct stencil_span library##_spans[SPANS] =
#include "stencils.inc"

struct library {
    const struct stencil *rows;
    const struct stencil_group *groups;
    const struct stencil_span *spans;
};

static const struct library any_library = {any_rows, any_groups, any_spans};

/* The library. On some hosts there is one more, if it has what is new. */
static const struct library *library = &any_library;

static void choose_library(void)
{
#if defined HOST_HAS_NEW && !defined ONE_LIBRARY
    static const struct library new_library = {new_rows, new_groups, new_spans};

    library = HOST_HAS_NEW() ? &new_library : &any_library;
#endif
}

/* ---- finding a stencil ---- */

const struct stencil *stencil_find(unsigned id, unsigned places, enum stencil_kind kind)
{
    const struct stencil_span *span =
        &library->spans[id < STENCIL_GLUE ? id : id - STENCIL_GLUE + ISA_ID_COUNT];
    unsigned number = span->groups[kind];
    uint64_t choice = UINT64_C(1) << places;

    if (!number)
        return NULL;
    const struct stencil_group *group = &library->groups[span->first + number - 1];
    if (!(group->choices & choice))
        return NULL;
    return &library->rows[group->first + __builtin_popcountll(group->choices & (choice - 1))];
}

/* All operands are in memory, which is the lowest choice. */
const struct stencil *stencil_glue(unsigned id)
{
    const struct stencil_span *span = &library->spans[id - STENCIL_GLUE + ISA_ID_COUNT];
    const struct stencil_group *group =
        &library->groups[span->first + span->groups[KIND_USUAL] - 1];

    return span->groups[KIND_USUAL] && group->choices & 1 ? &library->rows[group->first] : NULL;
}

/* ---- memory ---- */

static void begin_chunk(struct copier *copier, size_t at)
{
    copier->chunk = at;
    copier->hot = copier->clean_hot = at;
    copier->cold = copier->clean_cold = at + HOST_CHUNK_HOT;
    copier->hot_end = at + HOST_CHUNK_HOT - ROOM;
    copier->cold_end = at + HOST_CHUNK - ROOM;
}

void copier_reset(struct copier *copier)
{
    begin_chunk(copier, 0);
    copier->hot += START;
    copier->pc = PIECE_NO_PC;
}

bool copier_open(struct copier *copier)
{
    int file = memfd_create("native code", MFD_CLOEXEC);
    void *writable = MAP_FAILED, *executable = MAP_FAILED;

    *copier = (struct copier){0};
    if (file >= 0 && ftruncate(file, AREA) == 0) {
        writable = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        executable = mmap(NULL, AREA, PROT_READ | PROT_EXEC, MAP_SHARED | HOST_MAP, file, 0);
    }
    if (file >= 0)
        close(file);
    copier->writable = writable == MAP_FAILED ? NULL : writable;
    copier->executable = executable == MAP_FAILED ? NULL : executable;
    if (!copier->writable || !copier->executable) {
        copier_close(copier);
        return false;
    }
    choose_library();
    copier->ready_hot = READY; /* many programs do not need more */
    copier->ready_cold = HOST_CHUNK_HOT + READY;
    copier_reset(copier);
    copier->is_told = !host_sees_changes(copier->writable, copier->executable);
    return true;
}

void copier_close(struct copier *copier)
{
    if (copier->writable)
        munmap(copier->writable, AREA);
    if (copier->executable)
        munmap(copier->executable, AREA);
    *copier = (struct copier){0};
}

bool copier_has_room(const struct copier *copier, size_t bytes)
{
    /* More than are begun because one area is full, or the other one. */
    size_t chunks = bytes / (HOST_CHUNK_HOT - STENCIL_BYTES) +
                    bytes / (HOST_CHUNK - HOST_CHUNK_HOT - STENCIL_BYTES);

    if (chunks)
        return copier->chunk + (chunks + 3) * HOST_CHUNK <= AREA;
    return copier->hot + bytes < copier->chunk + HOST_CHUNK_HOT &&
           copier->cold + bytes < copier->chunk + HOST_CHUNK;
}

/* ---- copying ---- */

/* Makes the jump at `at` go to the offset `target`. */
static void fill_jump(struct copier *copier, size_t at, unsigned form, size_t target)
{
    host_fill(copier->writable + at, form, (int64_t)target - (int64_t)at);
}

/* Has the host execute what was written there. */
static void flush(const struct copier *copier, size_t from, size_t to)
{
    host_flush(copier->writable + from, copier->writable + to);
    host_flush(copier->executable + from, copier->executable + to);
    if (copier->is_told && from < to) {
        from &= ~(size_t)(FLUSH_PAGE - 1);
        mprotect(copier->executable + from, to - from, PROT_READ | PROT_WRITE);
        mprotect(copier->executable + from, to - from, PROT_READ | PROT_EXEC);
    }
}

void copier_link(struct copier *copier, const struct copier_jump *jump, size_t target)
{
    unsigned char *from = copier->writable + jump->from;

    fill_jump(copier, jump->hole, HOST_JUMP, target);
    flush(copier, jump->hole, jump->hole + HOST_JUMP_BYTES);
    if (!jump->from)
        return;
    if (!host_turn(from, (int64_t)target - (int64_t)jump->from))
        host_turn(from, (int64_t)jump->hole - (int64_t)jump->from);
    flush(copier, jump->from, jump->from + HOST_JUMP_BYTES);
}

struct copier_jump copier_add_jump(struct copier *copier, size_t at)
{
    host_write_jump(copier->writable + at, 0);
    flush(copier, at, at + HOST_JUMP_BYTES);
    return (struct copier_jump){.hole = at + HOST_JUMP_BYTES - HOST_HOLE};
}

void copier_replace(struct copier *copier, const struct stencil *stencil, size_t at, size_t target)
{
    size_t size = stencil->hot;

    host_write_jump(copier->writable + at, (int64_t)target - (int64_t)at);
    host_write_nothing(copier->writable + at + HOST_JUMP_BYTES, size - HOST_JUMP_BYTES);
    flush(copier, at, at + size);
    if (__builtin_expect(copier->map != NULL, 0))
        native_map_replace(copier->map, at);
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14; the C library may be older */
#endif

/* Gives the next part of the area its pages before code comes to `at`. Then a fault of the other
 * mapping finds several of them, instead of one fault for each page in both. If the host cannot do
 * it, pages come when they are needed. */
static void make_ready(const struct copier *copier, size_t at, size_t *ready)
{
    if (at + READY / 2 > *ready && *ready + READY <= AREA) {
        madvise(copier->writable + *ready, READY, MADV_POPULATE_WRITE);
        *ready += READY;
    }
}

void copier_finish(struct copier *copier)
{
    make_ready(copier, copier->hot, &copier->ready_hot);
    make_ready(copier, copier->cold, &copier->ready_cold);
    flush(copier, copier->clean_hot, copier->hot);
    flush(copier, copier->clean_cold, copier->cold);
    copier->clean_hot = copier->hot;
    copier->clean_cold = copier->cold;
}

static void begin_next_chunk(struct copier *copier)
{
    size_t next = copier->chunk + HOST_CHUNK;

    if (copier->hot + HOST_JUMP_BYTES > copier->chunk + HOST_CHUNK_HOT)
        BUG("no room for the jump to the next chunk of native code");
    host_write_jump(copier->writable + copier->hot, (int64_t)(next - copier->hot));
    copier->hot += HOST_JUMP_BYTES;
    copier_finish(copier);
    begin_chunk(copier, next);
}

static inline void make_room(struct copier *copier, size_t hot, size_t cold)
{
    if (__builtin_expect(
            copier->hot + hot > copier->hot_end || copier->cold + cold > copier->cold_end, 0))
        begin_next_chunk(copier);
}

void copier_make_room(struct copier *copier, size_t hot, size_t cold)
{
    make_room(copier, hot, cold);
}

/* Where the parts of a stencil go, what follows it, and the usual stencil of the instruction. */
struct addresses {
    size_t hot, cold, next, usual;
};

/* Returns what goes into a hole that is not an address of code. */
static inline int64_t value_of(const struct copier *copier, unsigned kind,
                               const struct filling *filling)
{
    if (kind <= HOLE_OFFSET)
        return filling->values[kind];
    if (kind < HOLE_NUMBER)
        return filling->numbers[kind - HOLE_OFFSET] * 8;
    if (kind < HOLE_MINUS_IMMEDIATE)
        return filling->numbers[kind - HOLE_NUMBER];
    if (kind == HOLE_MINUS_IMMEDIATE)
        return -filling->values[HOLE_IMMEDIATE];
    return (int64_t)(uintptr_t)(kind == HOLE_JUMPS ? (const void *)&copier->jumps->pc
                                                   : (const void *)&copier->jumps->code);
}

static inline __attribute__((always_inline)) void
fill_hole(struct copier *copier, const struct stencil_hole *hole, size_t at,
          const struct addresses *addresses, const struct stencil *stencil,
          const struct filling *filling)
{
    size_t target;

    if (hole->kind < HOLE_OWN) {
        host_fill(copier->writable + at, hole->form,
                  host_value(hole->form, value_of(copier, hole->kind, filling) + hole->addend,
                             copier->executable + at));
        return;
    }
    switch (hole->kind) {
    case HOLE_OWN:
        target = (size_t)hole->addend;
        target = target < stencil->hot ? addresses->hot + target
                                       : addresses->cold + target - stencil->hot;
        fill_jump(copier, at, hole->form, target);
        if (host_can_turn(hole->form))
            copier->turn = (struct copier_jump){target, at};
        return;
    case HOLE_NEXT:
    case HOLE_NEXT_RARELY:
        fill_jump(copier, at, hole->form, addresses->next);
        return;
    case HOLE_TAKEN:
    case HOLE_TAKEN_RARELY:
        copier->taken = (struct copier_jump){at, copier->turn.hole == at ? copier->turn.from : 0};
        return;
    case HOLE_LEAVE:
        fill_jump(copier, at, hole->form, copier->leave);
        return;
    case HOLE_CALL_RARELY:
    case HOLE_CALL:
        fill_jump(copier, at, hole->form, copier->call);
        return;
    case HOLE_USUAL:
        fill_jump(copier, at, hole->form, addresses->usual);
        return;
    }
}

_Static_assert((int)ROOM >= (int)HOST_JUMP_BYTES, "a jump fits into the room");

/* Copies the code, and at least a unit, which most stencils are not longer than. What follows is
 * written after the bytes that are too many. */
static inline void copy_code(unsigned char *to, const unsigned char *from, size_t size)
{
    memcpy(to, from, STENCIL_UNIT);
    if (__builtin_expect(size > STENCIL_UNIT, 0))
        memcpy(to + STENCIL_UNIT, from + STENCIL_UNIT, size - STENCIL_UNIT);
}

/* Is part of what calls it, as it is short and there is one for each instruction of the program.
 * The compiler does not know that the bytes which are written are not those of the tables, so what
 * is needed more than once is in variables. */
static inline __attribute__((always_inline)) void copy(struct copier *copier,
                                                       const struct stencil *stencil,
                                                       const struct filling *filling,
                                                       const struct addresses *addresses)
{
    const struct stencil_hole *hole = &all_holes[stencil->first_hole],
                              *holes_end = hole + stencil->holes;
    const struct stencil_field *field = &all_fields[stencil->first_field],
                               *fields_end = field + stencil->fields;
    const unsigned char *code = all_code + stencil->code;
    size_t size = stencil->hot, hot = addresses->hot, cold = addresses->cold - size;
    unsigned char *to = copier->writable;

    copy_code(to + hot, code, size);
    if (stencil->cold)
        copy_code(to + addresses->cold, code + size, stencil->cold);
    for (; field < fields_end; field++) {
        const struct stencil_field one = *field;
        host_set_register(to + (one.at < size ? hot : cold), &one, filling->registers[one.operand]);
    }
    copier->turn = (struct copier_jump){0};
    for (; hole < holes_end; hole++) {
        size_t at = (hole->at < size ? hot : cold) + hole->at;
        fill_hole(copier, hole, at, addresses, stencil, filling);
    }
}

/* Tells those who look at native code what is going to be copied. */
static void note(const struct copier *copier, const struct stencil *stencil,
                 const struct filling *filling, struct native_piece piece)
{
    piece.pc = copier->pc;
    piece.id = stencil->id;
    piece.number =
        (uint8_t)(filling->numbers[0] ? filling->numbers[0] : filling->values[HOLE_OFFSET] / 8);
    piece.remaining = (uint16_t)filling->values[HOLE_REMAINING];
    native_map_add(copier->map, &piece);
}

void copier_align(struct copier *copier)
{
    make_room(copier, HOST_LINE - 1, 0);
    copier->hot = (copier->hot + HOST_LINE - 1) & ~(size_t)(HOST_LINE - 1);
}

void copier_add(struct copier *copier, const struct stencil *stencil, const struct filling *filling)
{
    make_room(copier, stencil->hot, stencil->cold);
    if (__builtin_expect(copier->map != NULL, 0))
        note(copier, stencil, filling,
             (struct native_piece){.hot = (uint32_t)copier->hot,
                                   .cold = (uint32_t)copier->cold,
                                   .hot_size = stencil->hot,
                                   .cold_size = stencil->cold});
    copy(copier, stencil, filling,
         &(struct addresses){copier->hot, copier->cold, copier->hot + stencil->hot, 0});
    copier->hot += stencil->hot;
    copier->cold += stencil->cold;
}

void copier_add_common(struct copier *copier, const struct stencil *common,
                       const struct stencil *usual, bool is_first, const struct filling *filling)
{
    size_t cold = (size_t)common->cold + usual->hot + HOST_JUMP_BYTES + usual->cold;

    make_room(copier, common->hot, cold);
    size_t at = copier->cold + common->cold, end = at + usual->hot;
    size_t next = copier->hot + common->hot;
    if (__builtin_expect(copier->map != NULL, 0))
        note(copier, common, filling,
             (struct native_piece){.hot = (uint32_t)copier->hot,
                                   .cold = (uint32_t)copier->cold,
                                   .hot_size = common->hot,
                                   .cold_size = (uint16_t)cold});
    copy(copier, common, filling, &(struct addresses){copier->hot, copier->cold, next, at});
    size_t after = is_first ? copier->hot : next;
    copy(copier, usual, filling, &(struct addresses){at, end + HOST_JUMP_BYTES, after, 0});
    host_write_jump(copier->writable + end, (int64_t)after - (int64_t)end);
    copier->hot = next;
    copier->cold += cold;
}

size_t copier_add_cold(struct copier *copier, const struct stencil *stencil,
                       const struct filling *filling)
{
    make_room(copier, 0, (size_t)stencil->hot + stencil->cold);
    size_t at = copier->cold;

    if (__builtin_expect(copier->map != NULL, 0))
        note(copier, stencil, filling,
             (struct native_piece){.hot = (uint32_t)copier->hot,
                                   .cold = (uint32_t)at,
                                   .cold_size = (uint16_t)(stencil->hot + stencil->cold)});
    size_t end = at + stencil->hot;
    copy(copier, stencil, filling, &(struct addresses){at, end, end, 0});
    copier->cold += (size_t)stencil->hot + stencil->cold;
    return at;
}

void copier_add_bytes(struct copier *copier, const void *bytes, size_t size)
{
    make_room(copier, size, 0);
    if (__builtin_expect(copier->map != NULL, 0))
        native_map_add(copier->map, &(struct native_piece){.pc = copier->pc,
                                                           .hot = (uint32_t)copier->hot,
                                                           .cold = (uint32_t)copier->cold,
                                                           .hot_size = (uint16_t)size,
                                                           .id = PIECE_BYTES});
    memcpy(copier->writable + copier->hot, bytes, size);
    copier->hot += size;
}

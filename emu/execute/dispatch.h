/* How the plain executor goes from body to body. A body is a function whose arguments are the state
 * of the executor, so they stay in registers of the host, and it ends in a call of the next body.
 * With TAIL_CALLS (the Makefile defines it where the compiler optimizes) this call is a jump.
 * Otherwise a body returns the next record, whose body is called after that. The results are the
 * same.
 *
 * On entry to a block, `left` is reduced by the instructions of the block. An exit from the middle
 * of the block adds those that did not run (`remaining`).
 *
 * A record whose successor is fixed is linked to it after the first lookup: a terminator in its own
 * `chain`, an instruction by `taken` of the terminator after it. One that jumps to an address in a
 * register compares that address with the pc of its link. Records that
 * become stale are unlinked, so every change of code leads through the `stale` body or
 * dispatch_find. */
#ifndef EMU_EXECUTE_DISPATCH_H
#define EMU_EXECUTE_DISPATCH_H

#include "emu/machine.h"
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#undef TAIL_CALLS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#undef TAIL_CALLS
#endif
#endif

#if defined(__has_attribute)
#if __has_attribute(musttail)
#define TAIL_CALL __attribute__((musttail))
#endif
#endif
#ifndef TAIL_CALL
#define TAIL_CALL
#endif

/* The parameters of every body, and the arguments with which it calls another one. */
#define STATE_PARAMETERS                                                                           \
    struct decoded *record, int64_t left, struct hart *hart,                                       \
        uint64_t target __attribute__((unused)), unsigned char *host __attribute__((unused)),      \
        const unsigned char *fast __attribute__((unused))
#define STATE_WITH(target) record, left, hart, (target), host, fast
#define STATE              STATE_WITH(ANYTHING)

/* A value that nobody reads. It is what rcx holds, so that bodies may use this register, which has
 * two parts that hold a byte each, without saving it. */
#ifdef __x86_64__
#define ANYTHING                                                                                   \
    ({                                                                                             \
        uint64_t anything_;                                                                        \
        __asm__("" : "=c"(anything_));                                                             \
        anything_;                                                                                 \
    })
#else
#define ANYTHING target
#endif

#ifdef TAIL_CALLS
#define EXECUTE()   TAIL_CALL return record->body(STATE)
#define GO_TO(body) TAIL_CALL return (body)(STATE)
/* The thread of a barrel begins its turn at the record (turns.h). In the turn form, `target` is the
 * hart of the next turn. */
#define BEGIN_TURN()         BEGIN_TURN_BY(record->body)
#define BEGIN_TURN_BY(body_) TAIL_CALL return (body_)(STATE_WITH((uint64_t)hart->follower))
/* The next thread has the turn. The hart after that one comes from this one, so that the host need
 * not wait for the next one to find it. */
#define NEXT_TURN()                                                                                \
    do {                                                                                           \
        struct hart *next_ = (struct hart *)target;                                                \
        hart->next = record;                                                                       \
        target = (uint64_t)hart->second;                                                           \
        hart = next_;                                                                              \
        record = hart->next;                                                                       \
    } while (0)
/* The thread goes on at the record in its next turn. */
#define END_TURN()                                                                                 \
    do {                                                                                           \
        NEXT_TURN();                                                                               \
        TAIL_CALL return record->body(STATE_WITH(target));                                         \
    } while (0)
/* The same in a body, whose record is `own`. Threads that do the same work often stand at the same
 * record, for which a jump back is enough. A host predicts it better than a jump to a body, since
 * the history before each jump would be of as many turns as there are threads. The operands are
 * found by `own`, which the compiler must not replace by the equal `record`: the host would wait
 * for hart->next before it knows where the turn stores to, and for that before it loads the next
 * hart->next. */
#define END_OWN_TURN()                                                                             \
    do {                                                                                           \
        const struct decoded *same_;                                                               \
        __asm__("" : "=r"(same_) : "0"(own));                                                      \
        NEXT_TURN();                                                                               \
        if (record == same_) {                                                                     \
            record = (struct decoded *)own;                                                        \
            goto again;                                                                            \
        }                                                                                          \
        TAIL_CALL return record->body(STATE_WITH(target));                                         \
    } while (0)
#else
#define BEGIN_TURN()   EXECUTE()
#define BEGIN_TURN_BY  GO_TO
#define END_OWN_TURN() END_TURN()
#define EXECUTE()                                                                                  \
    return (struct step)                                                                           \
    {                                                                                              \
        record, left                                                                               \
    }
#define GO_TO(body) return (body)(STATE)
#define END_TURN()  return turns_end_turn(hart, record, left)
#endif

/* After a body of its turn form (body/turn.h), another thread goes on. In the recorded form
 * (recording.h), `target` is the end of the log. */
#ifdef TURN_FORM
#define GO_ON() END_OWN_TURN()
#define FIND    turns_find
#elif !defined(RECORDED_FORM)
#define GO_ON() EXECUTE()
#define FIND    dispatch_find
#endif
#ifndef RECORDED_FORM
#define BEGIN_BLOCK() ((void)0)
#define END_RUN()     ((void)0)
#endif

/* Begins the block that `record` is the first record of. */
#define ENTER()                                                                                    \
    do {                                                                                           \
        left -= record->remaining;                                                                 \
        if (__builtin_expect(left < 0, 0)) {                                                       \
            END_RUN();                                                                             \
            return dispatch_limit(hart, record, left);                                             \
        }                                                                                          \
        BEGIN_BLOCK();                                                                             \
        GO_ON();                                                                                   \
    } while (0)

/* Goes to the block at `address`, which is the same each time, so it is looked up only once. `link`
 * is code_link(record). */
#define LINK(link, address)                                                                        \
    do {                                                                                           \
        struct decoded *next_ = (link);                                                            \
        if (__builtin_expect(!next_, 0))                                                           \
            return FIND(STATE_WITH(address));                                                      \
        record = next_;                                                                            \
        ENTER();                                                                                   \
    } while (0)

/* Goes to the block at `address`, which is most likely the same as the last time. */
#define FOLLOW(link, address)                                                                      \
    do {                                                                                           \
        struct decoded *next_ = (link);                                                            \
        uint64_t target_ = (address);                                                              \
        if (__builtin_expect(!next_ || next_->pc != target_, 0))                                   \
            return FIND(STATE_WITH(target_));                                                      \
        record = next_;                                                                            \
        ENTER();                                                                                   \
    } while (0)

/* The bodies of records that are not instructions, in the order of enum pseudo_body. The last one
 * is that of records that raise an exception. */
#define PSEUDO_BODIES(translated, stale, next_block, entry, faulting)                              \
    {                                                                                              \
        [PSEUDO_TRANSLATED - PSEUDO_FIRST] = (translated),                                         \
                             [PSEUDO_STALE - PSEUDO_FIRST] = (stale),                              \
                             [PSEUDO_NEXT_BLOCK - PSEUDO_FIRST] = (next_block),                    \
                             [PSEUDO_NOWHERE - PSEUDO_FIRST] = (next_block),                       \
                             [PSEUDO_ENTRY - PSEUDO_FIRST] = (entry),                              \
                             [PSEUDO_ILLEGAL - PSEUDO_FIRST] = (faulting),                         \
                             [PSEUDO_FETCH - PSEUDO_FIRST] = (faulting),                           \
                             [PSEUDO_FLOAT - PSEUDO_FIRST] = (faulting),                           \
    }

/* The bodies of the plain executor, by id. */
extern body_function *const direct_bodies[];

typedef enum flow whole_function(struct machine *machine, struct decoded *record);
extern whole_function *const whole_bodies[]; /* by id */

/* Executes a record that is not an instruction, or one by its definition (reference.h). */
enum flow dispatch_rare(struct machine *machine, struct decoded *record);
/* Executes the record by the whole form of its body, or by its definition. */
static inline enum flow dispatch_flow(struct machine *machine, struct decoded *record)
{
    bool is_rare = record->id >= PSEUDO_FIRST || machine->code.is_defined != NULL;

    return __builtin_expect(is_rare, 0) ? dispatch_rare(machine, record)
                                        : whole_bodies[record->id](machine, record);
}
/* Does what is to be done after the record where control left it in another way than to a record.
 * Returns true when control goes on at execution.destination, else the run has ended. */
bool dispatch_settle(struct machine *machine, struct decoded *record, enum flow flow);

/* Executes the record by the whole form of its body, and goes on. */
struct step dispatch_whole(STATE_PARAMETERS);
/* Ends the run; the thread of a barrel stands before the record. */
struct step dispatch_stand(STATE_PARAMETERS);
/* Calls the body of the record. Nothing else calls one, since a body may change registers of the
 * host that functions save. */
struct step dispatch_call(STATE_PARAMETERS);
/* Goes to the block at `target`, and links the record to it. */
__attribute__((cold)) struct step dispatch_find(STATE_PARAMETERS);
/* The same in the turn of a thread, which it ends; and END_TURN without TAIL_CALLS (turns.c). */
__attribute__((cold)) struct step turns_find(STATE_PARAMETERS);
/* Executes the record by the whole form of its body in its turn (lend.h), and goes on. */
struct step turns_lend(STATE_PARAMETERS);
struct step turns_end_turn(struct hart *hart, struct decoded *record, int64_t left);
/* Ends the run before the record, for want of instructions left. */
__attribute__((cold)) struct step dispatch_limit(struct hart *hart, struct decoded *record,
                                                 int64_t left);
/* Ends the run before the instruction at `target`. */
__attribute__((cold)) struct step dispatch_leave(struct hart *hart, uint64_t target, int64_t left);

#endif

/* See htif.h. The user environment's calls serve reads and writes on the standard streams, so bare/
 * may use user/, and not the other way round. A command comes from the program and is not trusted.
 */
#include "emu/bare/htif.h"
#include "emu/load.h"
#include "emu/machine.h"
#include "emu/user/calls.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

enum {
    WORD = 8,
    DEVICE_CALLS = 0,
    DEVICE_CONSOLE = 1,
    CONSOLE_READ = 0,
    CONSOLE_WRITE = 1,
    CHARACTER = 0x100,     /* in the answer to a read: a character follows */
    END_OF_INPUT = 0xff,   /* the answer at the end of the input */
    STATUS_MAXIMUM = 0xff, /* largest status of a process on the host */
    CALL_WORDS = 8,        /* number, arguments */
    CALL_ARGUMENTS = 6,
};

/* Linux, asm-generic/unistd.h */
enum { CALL_READ = 63, CALL_WRITE = 64, CALL_EXIT = 93 };

static bool find_word(const struct machine *machine, struct diag *diag,
                      const struct program *program, const char *name, uint64_t *address)
{
    const struct position at = {.name = program->name};

    if (!program_symbol(program, name, address))
        return true;
    if (*address % WORD == 0 && ram_contains(machine, *address, WORD))
        return true;
    diag_error(diag, &at,
               "the symbol '%s' is 0x%" PRIx64
               "; expected the address of 8 bytes of RAM (0x%" PRIx64 " to 0x%" PRIx64
               "), aligned to 8",
               name, *address, BARE_RAM_BASE, BARE_RAM_BASE + machine->config.bare_ram - 1);
    return false;
}

bool htif_open(struct machine *machine, struct diag *diag, const struct program *program)
{
    struct htif *htif = &machine->bare.htif;

    return find_word(machine, diag, program, "tohost", &htif->tohost) &&
           find_word(machine, diag, program, "fromhost", &htif->fromhost);
}

bool htif_overlaps(const struct htif *htif, uint64_t address, size_t size)
{
    return htif->tohost && address < htif->tohost + WORD && address + size > htif->tohost;
}

static uint64_t read_word(const struct machine *machine, uint64_t address)
{
    uint64_t word;

    memcpy(&word, machine->memory.host + address, WORD);
    return word;
}

static void write_word(struct machine *machine, uint64_t address, uint64_t word)
{
    memory_poke(&machine->memory, address, &word, WORD);
    port_record_write(&machine->port, address, WORD, &word);
}

static void answer(struct machine *machine, uint64_t command, uint64_t payload)
{
    const struct htif *htif = &machine->bare.htif;

    if (htif->fromhost)
        write_word(machine, htif->fromhost, (command >> 48) << 48 | payload);
}

/* Makes a call of the user environment. A call that a debugger interrupts is made again, until the
 * deadline. */
static int64_t call(struct machine *machine, user_call_function *serve, const uint64_t *arguments)
{
    int64_t result;

    do
        result = serve(machine, arguments);
    while (result == -ERESTART && !machine_expired(machine));
    user_signal_deliver(machine);
    return result;
}

/* Ends the program. A status that is too large for the host becomes the largest one: it must not
 * count as success. */
static void finish(struct machine *machine, uint64_t status)
{
    machine->user.exited = true;
    machine->user.status = status < STATUS_MAXIMUM ? status : STATUS_MAXIMUM;
}

static void refuse(struct machine *machine, uint64_t command)
{
    machine->bare.htif.refused = command;
    machine->user.exited = true;
    machine->user.status = EXIT_FAILURE;
}

static void serve_call(struct machine *machine, uint64_t command, uint64_t block)
{
    uint64_t words[CALL_WORDS];
    int64_t result = -ENOSYS;

    if (!ram_contains(machine, block, sizeof words)) {
        refuse(machine, command);
        return;
    }
    memcpy(words, machine->memory.host + block, sizeof words);
    if (words[0] == CALL_EXIT) {
        finish(machine, words[1] & STATUS_MAXIMUM);
        return;
    }
    if (words[0] == CALL_READ || words[0] == CALL_WRITE)
        result = call(machine, words[0] == CALL_READ ? user_read : user_write, words + 1);
    if (machine->user.exited)
        return;
    write_word(machine, block, result);
    answer(machine, command, 1);
}

static void read_character(struct machine *machine, uint64_t command)
{
    uint64_t fromhost = machine->bare.htif.fromhost;
    const uint64_t arguments[CALL_ARGUMENTS] = {0, fromhost, 1};

    if (!fromhost)
        return;
    int64_t got = call(machine, user_read, arguments);
    answer(machine, command,
           got == 1 ? CHARACTER | (read_word(machine, fromhost) & 0xff) : END_OF_INPUT);
}

void htif_serve(struct machine *machine)
{
    uint64_t tohost = machine->bare.htif.tohost, command = read_word(machine, tohost),
             payload = command << 16 >> 16;
    unsigned device = command >> 56, number = command >> 48 & 0xff;
    const uint64_t character[CALL_ARGUMENTS] = {1, tohost, 1}; /* the lowest byte of the payload */

    if (command == 0)
        return;

    if (device == DEVICE_CALLS && number == 0 && payload & 1)
        finish(machine, payload >> 1);
    else if (device == DEVICE_CALLS && number == 0)
        serve_call(machine, command, payload);
    else if (device == DEVICE_CONSOLE && number == CONSOLE_WRITE)
        call(machine, user_write, character);
    else if (device == DEVICE_CONSOLE && number == CONSOLE_READ)
        read_character(machine, command);
    else
        refuse(machine, command);
    write_word(machine, tohost, 0);
}

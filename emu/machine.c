/* Building the machine of its configuration. */
#include "emu/machine.h"
#include "emu/watch.h"
#include <time.h>

/* The units see guest memory through this. */
static void *map_range(void *context, uint64_t address, uint64_t length, bool write)
{
    return memory_range(context, address, length, write);
}

static bool run_expired(void *clock)
{
    const struct machine *machine = clock;
    return machine->deadline && machine_expired(machine);
}

bool machine_init(struct machine *machine, struct arena *arena, struct diag *diag)
{
    const struct config *config = &machine->config;

    machine->arena = arena;
    if (!memory_init(&machine->memory, diag, config->memory_size + config->scratchpad_size) ||
        !code_init(&machine->code, diag, &machine->memory))
        return false;
    if (!memory_map(&machine->memory, config->scratchpad_base, config->scratchpad_size,
                    PAGE_READ | PAGE_WRITE)) {
        diag_error(diag, NULL, "the scratchpad at 0x%llx does not fit in the address space",
                   (unsigned long long)config->scratchpad_base);
        return false;
    }
    machine->port = (struct port){
        .context = &machine->memory,
        .map = map_range,
        .scratchpad_base = config->scratchpad_base,
        .scratchpad_size = config->scratchpad_size,
        .expired = run_expired,
        .clock = machine,
    };
    matrix_init(&machine->matrix, config, arena);
    traversal_init(&machine->traversal, config, arena);
    histogram_init(&machine->histogram, config, arena);
    return true;
}

void machine_free(struct machine *machine)
{
    user_free(&machine->user);
    code_free(&machine->code);
    memory_free(&machine->memory);
}

bool machine_expired(const struct machine *machine)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec >= machine->deadline;
}

bool machine_interrupted(const struct machine *machine)
{
    return (machine->deadline && machine_expired(machine)) ||
           (machine->watcher && watcher_interrupted(machine->watcher));
}

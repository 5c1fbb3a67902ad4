/* See deadline.h. */
#include "emu/deadline.h"
#include "emu/machine.h"
#include "emu/watch.h"
#include <time.h>

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void machine_set_deadline(struct machine *machine, uint64_t seconds)
{
    machine->deadline = seconds ? now() + seconds * 1000000000 : 0;
}

bool machine_expired(const struct machine *machine)
{
    return machine->deadline && now() >= machine->deadline;
}

bool machine_interrupted(const struct machine *machine)
{
    return machine_expired(machine) || (machine->watcher && watcher_interrupted(machine->watcher));
}

/* See deadline.h. */
#include "emu/deadline.h"
#include "emu/host_signal.h"
#include "emu/machine.h"
#include "emu/observe/watch.h"
#include "emu/progress.h"
#include "lib/clock.h"

void machine_set_deadline(struct machine *machine, uint64_t seconds)
{
    machine->deadline = seconds ? clock_now() + seconds * CLOCK_SECOND : 0;
}

bool machine_expired(const struct machine *machine)
{
    return host_signal_end() || (machine->deadline && clock_now() >= machine->deadline);
}

bool machine_interrupted(const struct machine *machine)
{
    if (machine->progress)
        machine->progress->look(machine->progress);
    return machine_expired(machine) || (machine->watcher && watcher_interrupted(machine->watcher));
}

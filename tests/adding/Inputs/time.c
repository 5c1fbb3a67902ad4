/* time MACHINE MNEMONIC OPERAND...: prints the cycles, the occupancy, the unit and the resources
 * of an instruction on a machine. */
#include "lib/timing/time.h"
#include "emu/machine.h"
#include "emu/timing/execution.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct machine *machine = calloc(1, sizeof *machine);
    struct arena arena = {0};
    struct diag diag = {.tool = "time"};
    uint64_t operands[16] = {0};
    struct timed timed = {.config = &machine->config, .operands = operands};

    config_default(&machine->config);
    if (argc < 3 || !config_read(&machine->config, &arena, &diag, argv[1]))
        return 1;
    const struct isa_instruction *instruction = isa_find_instruction(argv[2]);
    if (!instruction)
        return 1;
    const struct execution_state machine_state = execution_state(machine);
    timed.state = &machine_state.state;
    timed.id = instruction->id;
    for (int i = 3; i < argc && i < 19; i++)
        operands[i - 3] = strtoull(argv[i], NULL, 0);
    const struct time_unit *unit = time_unit_of(timed.id);
    printf("%" PRIu64 " cycles, %" PRIu64 " busy, %s, %" PRIu64 " at once\n", time_cycles(&timed),
           time_occupancy(&timed), unit ? unit->name : "scalar core",
           unit ? time_resources(unit, &machine->config) : 1);
    arena_free(&arena);
    free(machine);
    return 0;
}

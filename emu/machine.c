/* Puts the parts of the machine together as its configuration says. */
#include "emu/machine.h"
#include "emu/native/blocks.h"
#include "emu/reference/reference.h"
#include "emu/workers/workers.h"
#include "instruction_ids.h"

/* Gives the units a range of guest memory (struct port). */
static void *map_range(void *context, uint64_t address, uint64_t length, bool write)
{
    struct machine *machine = context;

    if (machine->bare.active && !bare_allows(machine, address, length, write))
        return NULL;
    return memory_range(&machine->memory, address, length, write);
}

static bool run_expired(void *clock)
{
    return machine_expired(clock);
}

bool machine_init(struct machine *machine, struct arena *arena, struct diag *diag)
{
    const struct config *config = &machine->config;

    uint64_t memory_size = machine->bare.active ? config->bare_ram : config->memory_size;

    /* Without workers there is no barrel, and its instructions are illegal. */
    if (!config->barrel_workers)
        machine->config.extensions &= ~isa_instructions[ISA_ID_TSYNC].needs.any[0];
    machine->arena = arena;
    machine->environment = machine->bare.active ? &bare_environment : &user_environment;
    if (!memory_init(&machine->memory, diag, memory_size + config->scratchpad_size) ||
        !code_init(&machine->code, diag, &machine->memory, config->extensions))
        return false;
    if (config->memory_misaligned == ISA_SETTING_MEMORY_MISALIGNED_TRAP)
        memory_align_only(&machine->memory);
    if (!memory_map(&machine->memory, config->scratchpad_base, config->scratchpad_size,
                    PAGE_READ | PAGE_WRITE)) {
        diag_error(diag, NULL, "the scratchpad at 0x%llx does not fit in the address space",
                   (unsigned long long)config->scratchpad_base);
        return false;
    }
    memory_expect(&machine->memory, config->scratchpad_base, config->scratchpad_size);
    machine->port = (struct port){
        .context = machine,
        .map = map_range,
        .scratchpad_base = config->scratchpad_base,
        .scratchpad_size = config->scratchpad_size,
        .expired = run_expired,
        .clock = machine,
    };
#define UNITS_INIT
#include "units.inc"
#undef UNITS_INIT
    workers_open(machine);
    return !machine->bare.active || bare_open(machine, diag);
}

void machine_free(struct machine *machine)
{
    user_free(&machine->user);
    machine_free_parts(machine);
}

void machine_free_parts(struct machine *machine)
{
    workers_free(machine);
    native_close(machine->native);
    reference_free(machine);
    sparse_free(&machine->sparse);
    code_free(&machine->code);
    memory_free(&machine->memory);
}

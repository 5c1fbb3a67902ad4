/* See word.h. The registers of all files are numbered in a row. */
#include "lib/timing/word.h"

#include "isa_ids.h"

static unsigned first_register(const struct isa_register_file *file)
{
    unsigned first = 0;

    for (const struct isa_register_file *at = isa_register_files; at < file; at++)
        first += at->count;
    return first;
}

static void add_registers(uint16_t *list, unsigned *count, const struct isa_register_file *file,
                          unsigned first, unsigned number)
{
    for (unsigned i = first; i < first + number && *count < PIPELINE_OPERANDS; i++)
        if (i > 0 || !file->zero)
            list[(*count)++] = (uint16_t)(first_register(file) + i);
}

static void add_operand(struct timed_word *timed, const struct isa_operand_type *type,
                        int64_t field)
{
    struct pipeline_instruction *model = &timed->model;
    bool is_group = type->kind == ISA_REGISTER_GROUP;
    unsigned count = is_group ? type->group_count : 1, number = (unsigned)field;

    if (type->kind == ISA_REGISTER_OR_IMMEDIATE && !isa_ri_is_immediate(type, (uint64_t)field))
        add_registers(timed->reads, &model->read_count, type->file,
                      isa_ri_value(type, (uint64_t)field), 1);
    if (type->kind == ISA_CSR)
        model->is_fence |= time_csr_waits((unsigned)field);
    if (type->kind != ISA_REGISTER && !is_group)
        return;
    if (type->access & ISA_READ)
        add_registers(timed->reads, &model->read_count, type->file, number, count);
    if (type->access & ISA_WRITE)
        add_registers(timed->writes, &model->write_count, type->file, number, count);
}

void timed_word_init(struct timed_word *timed, const struct config *config, uint64_t word,
                     int length)
{
    const struct isa_instruction *instruction = isa_decode(word, length);
    struct pipeline_instruction *model = &timed->model;

    *timed = (struct timed_word){.model = {.unit = -1, .cycles = 1, .occupancy = 1}};
    model->reads = timed->reads;
    model->writes = timed->writes;
    if (!instruction)
        return;
    instruction = timed->instruction = isa_operands(instruction, word, timed->fields);
    for (unsigned i = 0; i < instruction->operand_count; i++)
        add_operand(timed, instruction->operands[i].type, timed->fields[i]);
    const struct time_unit *unit = time_unit_of(instruction->id);
    model->unit = unit ? (int)(unit - time_units) : -1;
    model->class = (unsigned)(instruction->timing - isa_classes);
    model->is_fence |= time_waits(instruction->id);
    model->walk = time_walk(instruction->id, &timed->row);
    timed->is_fixed = time_is_fixed(instruction->id);
    if (timed->is_fixed) {
        const struct timed execution = {.config = config, .id = instruction->id};
        model->cycles = time_cycles(&execution);
        model->occupancy = time_occupancy(&execution);
    }
}

void timed_word_execute(const struct timed_word *timed, struct pipeline_instruction *instruction,
                        const struct timed *execution, uint64_t addresses)
{
    instruction->row = (unsigned)execution->operands[timed->row];
    if (!timed->is_fixed) {
        instruction->cycles = time_cycles(execution);
        instruction->occupancy = time_occupancy(execution);
    }
    if (instruction->walk == WALK_BEGIN) {
        /* Without cycles of its own, it begins the walk as a restart does. */
        instruction->walk_delay =
            timed->is_fixed ? 1 + execution->config->traversal_locate : instruction->cycles;
        instruction->walk_addresses = addresses;
        instruction->cycles = time_latency(execution->config, execution->id);
        instruction->occupancy = 1;
    }
}

void timed_word_call(struct pipeline_instruction *instruction)
{
    static const uint16_t reads[] = {ISA_REGISTER_A7, ISA_REGISTER_A0, ISA_REGISTER_A1,
                                     ISA_REGISTER_A2, ISA_REGISTER_A3, ISA_REGISTER_A4,
                                     ISA_REGISTER_A5};

    instruction->reads = reads;
    instruction->read_count = sizeof reads / sizeof *reads;
    instruction->writes = &reads[1];
    instruction->write_count = 1;
}

struct pipeline_settings timed_word_settings(const struct config *config)
{
    struct pipeline_settings settings = {
        .window = config->timing_window,
        .branch = config->timing_branch,
        .queue = config->timing_queue,
        .storage = config->timing_storage,
        .oldest = config->timing_order == ISA_SETTING_TIMING_ORDER_OLDEST,
        .granule = config->timing_granule,
        .unit_count = (unsigned)time_unit_count,
        .register_count = first_register(isa_register_files + isa_register_file_count),
        .class_count = (unsigned)isa_class_count,
        .walk = {config->traversal_ahead, config->traversal_locate,
                 (unsigned)config->traversal_rows},
    };

    for (size_t i = 0; i < time_unit_count; i++)
        settings.resources[i] = time_resources(&time_units[i], config);
    return settings;
}

/* See sites.h. */
#include "emu/timing/sites.h"
#include "instruction_ids.h"
#include "isa_ids.h"
#include "lib/isa.h"
#include <string.h>

static void describe(const struct config *config, struct site *site)
{
    struct timed_word *common = &site->common;

    timed_word_init(common, config, site->at.word, site->at.length);
    common->model.site = &site->counts;
    common->model.context = site;
    const struct isa_instruction *instruction = common->instruction;
    site->id = instruction ? instruction->id : ISA_ID_COUNT;
    if (!instruction)
        return;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        int64_t csr = common->fields[i];
        if (instruction->operands[i].type->kind != ISA_CSR)
            continue;
        site->is_region = csr == ISA_CSR_CYCLE || csr == ISA_CSR_MCYCLE;
        site->is_float_csr = isa_is_float_csr((unsigned)csr);
    }
    site->is_csr = instruction->effects & ISA_EFFECT_CSR && !site->is_float_csr;
    site->is_recorded = common->model.unit >= 0;
    site->has_memory = instruction->effects & (ISA_EFFECT_LOAD | ISA_EFFECT_STORE);
    site->is_prepared = site->is_recorded || common->model.walk || !common->is_fixed;
}

void sites_init(struct sites *sites, const struct config *config, const struct code *code,
                struct arena *arena)
{
    *sites = (struct sites){.arena = arena, .config = config, .code = code};
    map_init(&sites->all, arena);
}

struct site *sites_look_up(struct sites *sites, uint64_t pc, uint64_t word, uint8_t length)
{
    const uint64_t key[] = {pc, word};
    struct map_entry *entry = map_entry(&sites->all, (const char *)key, sizeof key);

    if (entry->value)
        return entry->value;
    struct site *site = entry->value = arena_array(sites->arena, 1, sizeof *site);
    site->at.pc = pc;
    site->at.word = word;
    site->at.length = length;
    describe(sites->config, site);
    return site;
}

bool sites_find_ranges(const struct sites *sites, const struct site *site, const uint64_t *operands,
                       struct execution_value *value)
{
    value->config = sites->config;
    value->pc = site->at.pc;
    memcpy(value->operands, operands, sizeof value->operands);
    return execution_value(value, site->id) && value->is_complete;
}

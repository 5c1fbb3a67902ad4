/* Counts instructions and the effects that the recorder holds. */
#include "emu/profile/stats.h"

void stats_init(struct stats *stats, const struct config *config, struct arena *arena)
{
    *stats = (struct stats){
        .instructions = arena_array(arena, isa_instruction_count, sizeof *stats->instructions),
        .traffic = arena_array(arena, isa_class_count, sizeof *stats->traffic),
        .scratchpad_base = config->scratchpad_base,
        .scratchpad_size = config->scratchpad_size,
    };
}

/* Returns how many bytes of the range are in the scratchpad; it may cross the end of the window. */
static uint64_t in_scratchpad(const struct stats *stats, uint64_t address, uint64_t length)
{
    uint64_t base = stats->scratchpad_base, end = base + stats->scratchpad_size,
             first = address > base ? address : base,
             last = address + length < end ? address + length : end;

    return first < last ? last - first : 0;
}

static void count_read(const struct stats *stats, struct traffic *traffic, uint64_t address,
                       uint64_t length)
{
    uint64_t inside = in_scratchpad(stats, address, length);

    traffic->scratchpad_read += inside;
    traffic->memory_read += length - inside;
}

static void count_written(const struct stats *stats, struct traffic *traffic, uint64_t address,
                          uint64_t length)
{
    uint64_t inside = in_scratchpad(stats, address, length);

    traffic->scratchpad_written += inside;
    traffic->memory_written += length - inside;
}

void stats_count_steady(struct stats *stats, const struct isa_instruction *instruction,
                        uint64_t count, unsigned read, unsigned written)
{
    struct traffic *traffic = &stats->traffic[instruction->timing - isa_classes];

    stats->instructions[instruction->id] += count;
    stats->loads += read ? count : 0;
    stats->stores += written ? count : 0;
    stats->load_bytes += count * read;
    stats->store_bytes += count * written;
    traffic->memory_read += count * read;
    traffic->memory_written += count * written;
}

void stats_look(struct stats *stats, const struct isa_instruction *instruction,
                const struct recorder *recorder)
{
    struct traffic *traffic = &stats->traffic[instruction->timing - isa_classes];

    for (size_t i = 0; i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        if (effect->kind != EFFECT_LOAD && effect->kind != EFFECT_STORE)
            continue;
        uint64_t inside = in_scratchpad(stats, effect->address, effect->size);
        bool is_load = effect->kind == EFFECT_LOAD;
        *(is_load ? &traffic->memory_read : &traffic->memory_written) -= inside;
        *(is_load ? &traffic->scratchpad_read : &traffic->scratchpad_written) += inside;
    }
}

void stats_count(struct stats *stats, const struct isa_instruction *instruction,
                 const struct recorder *recorder)
{
    stats->instructions[instruction->id]++;
    stats_count_effects(stats, instruction, recorder);
}

void stats_count_effects(struct stats *stats, const struct isa_instruction *instruction,
                         const struct recorder *recorder)
{
    struct traffic *traffic = &stats->traffic[instruction->timing - isa_classes];

    for (size_t i = 0; i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        switch (effect->kind) {
        case EFFECT_LOAD:
            stats->loads++;
            stats->load_bytes += effect->size;
            count_read(stats, traffic, effect->address, effect->size);
            break;
        case EFFECT_STORE:
            stats->stores++;
            stats->store_bytes += effect->size;
            count_written(stats, traffic, effect->address, effect->size);
            break;
        case EFFECT_RANGE_READ:
            stats->unit_read_bytes += effect->length;
            count_read(stats, traffic, effect->address, effect->length);
            break;
        case EFFECT_RANGE_WRITE:
            stats->unit_write_bytes += effect->length;
            count_written(stats, traffic, effect->address, effect->length);
            break;
        default:
            break;
        }
    }
}

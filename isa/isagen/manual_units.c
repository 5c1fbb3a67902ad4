/*
 * The chapter of the manual about the parts of a machine: what each one executes beside the scalar
 * core, its settings in a machine file, what must hold between these, its state and its counters.
 */
#include "isa/isagen/manual.h"

#include <ctype.h>

/* Writes a value as a machine file has it. */
static void put_value(struct text *text, const struct spec_setting *setting, uint64_t value)
{
    static const char suffixes[] = "KMG";
    int shifts = 0;

    if (setting->type == SPEC_SETTING_WORD) {
        text_append(text, setting->words[value]);
        return;
    }
    if (setting->type == SPEC_SETTING_ADDRESS) {
        text_format(text, "0x%llx", (unsigned long long)value);
        return;
    }
    while (setting->type == SPEC_SETTING_BYTES && shifts < 3 && value && value % 1024 == 0) {
        value /= 1024;
        shifts++;
    }
    text_format(text, "%llu", (unsigned long long)value);
    if (shifts)
        text_append_char(text, suffixes[shifts - 1]);
}

static void put_allowed(struct text *text, const struct spec_setting *setting)
{
    for (size_t i = 0; i < setting->word_count; i++)
        text_format(text, "%s`%s`", i ? ", " : "", setting->words[i]);
    if (setting->word_count)
        return;
    put_value(text, setting, setting->minimum);
    text_append(text, " to ");
    put_value(text, setting, setting->maximum);
    if (setting->is_power)
        text_append(text, ", a power of two");
    if (setting->multiple > 1) {
        text_append(text, ", in steps of ");
        put_value(text, setting, setting->multiple);
    }
}

static void emit_setting(struct text *text, const struct spec_setting *setting)
{
    text_format(text, "- `%s%s.%s`: %s; ", setting->is_timing ? SPEC_TIMING "." : "",
                setting->unit->name, setting->key, setting->summary);
    put_allowed(text, setting);
    text_append(text, "; the default is ");
    put_value(text, setting, setting->initial);
    text_append_char(text, '\n');
}

static void emit_state(struct text *text, const struct spec_state *state)
{
    text_format(text, "- `%s", state->name);
    for (size_t i = 0; i < state->index_count; i++)
        text_format(text, "[%s]", state->indices[i]);
    text_format(text, "`, %s: %s", state->type, state->summary);
    if (state->reset)
        text_format(text, "; at the start %llu", (unsigned long long)state->reset);
    text_append_char(text, '\n');
}

static void emit_counter(struct text *text, const struct spec_counter *counter)
{
    text_format(text, "- `%s`: %s", counter->name, counter->summary);
    if (counter->elements)
        text_append(text, ", for each element type");
    text_append_char(text, '\n');
}

/* Writes what the unit holds: state, with the indices, and counters. */
static void emit_contents(struct text *text, const struct spec_unit *unit)
{
    text_append(text, unit->states.count ? "State:\n\n" : "");
    for (size_t i = 0; i < unit->states.count; i++)
        emit_state(text, SPEC_AT(unit->states, i, struct spec_state));
    text_append(text, unit->states.count ? "\n" : "");
    text_append(text, unit->counters.count ? "Counters:\n\n" : "");
    for (size_t i = 0; i < unit->counters.count; i++)
        emit_counter(text, SPEC_AT(unit->counters, i, struct spec_counter));
    text_append(text, unit->counters.count ? "\n" : "");
}

static void emit_unit(struct emitter *emitter, const struct spec_unit *unit)
{
    struct text *text = &emitter->text;

    text_format(text, "### Unit %s\n\n%c%s.\n\n", unit->name,
                toupper((unsigned char)unit->summary[0]), unit->summary + 1);
    if (unit->resources.text && spec_is_statement(&unit->resources))
        text_format(text,
                    "Resources, the number of instructions that it executes at once beside the "
                    "scalar core:\n\n```c\n%s\n```\n\n",
                    unit->resources.text);
    else if (unit->resources.text)
        text_format(text,
                    "Resources: `%s`, the number of instructions that it executes at once beside "
                    "the scalar core.\n\n",
                    unit->resources.text);
    text_append(text, unit->settings.count ? "Settings:\n\n" : "");
    for (size_t i = 0; i < unit->settings.count; i++)
        emit_setting(text, SPEC_AT(unit->settings, i, struct spec_setting));
    text_append(text, unit->settings.count ? "\n" : "");
    for (size_t i = 0; i < unit->constraint_count; i++)
        text_format(text, "%s`%s`%s",
                    i ? ", " : "Between the settings: ", unit->constraints[i].require.text,
                    i + 1 == unit->constraint_count ? ".\n\n" : "");
    emit_contents(text, unit);
    if (unit->source)
        text_format(text, "Source: %s.\n\n", unit->source);
}

void emit_units_chapter(struct emitter *emitter)
{
    const struct map *units = &emitter->spec->units;

    text_append(&emitter->text,
                "## Units\n\nThe parts of a machine: their settings in a "
                "machine file (`temu --machine`), their state, and what they count.\n\n");
    for (size_t i = 0; i < units->count; i++)
        emit_unit(emitter, SPEC_AT(*units, i, struct spec_unit));
}

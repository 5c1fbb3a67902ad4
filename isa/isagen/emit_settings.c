/*
 * Writes settings.inc: the fields of struct config, and the table of settings with the constraints
 * between them. The emulator defines SETTINGS_FIELDS or SETTINGS_TABLE before it includes the file.
 */
#include "isa/isagen/emit.h"

#include <string.h>

/* Is it a setting of the pipeline of the core, which stands in the section itself? */
static bool is_pipeline(const struct spec_setting *setting)
{
    return strcmp(setting->unit->name, SPEC_TIMING) == 0;
}

static void emit_field(struct emitter *emitter, const struct spec_setting *setting)
{
    text_format(&emitter->text, "uint64_t %s_%s; /* %s */\n", setting->unit->name, setting->key,
                setting->summary);
}

/* The section of a timing setting is `timing`, and its key begins with the name of the unit. */
static void emit_setting(struct emitter *emitter, const struct spec_setting *setting)
{
    static const char *const kinds[] = {"NUMBER", "BYTES", "ADDRESS", "WORD"};
    const char *unit = setting->unit->name;

    text_format(&emitter->text, "{\"%s\", \"%s%s%s\", offsetof(struct config, %s_%s), SETTING_%s, ",
                setting->is_timing ? SPEC_TIMING : unit, setting->is_timing ? unit : "",
                setting->is_timing ? "." : "", setting->key, unit, setting->key,
                setting->is_power ? "POWER" : kinds[setting->type]);
    text_format(&emitter->text, "%lluu, %lluu, %lluu, %lluu, ",
                (unsigned long long)setting->minimum, (unsigned long long)setting->maximum,
                (unsigned long long)setting->multiple, (unsigned long long)setting->initial);
    emit_string(emitter, setting->summary);
    text_append(&emitter->text, ", (const char *const[]){");
    for (size_t i = 0; i < setting->word_count; i++) {
        emit_string(emitter, setting->words[i]);
        text_append(&emitter->text, ", ");
    }
    text_append(&emitter->text, "NULL}},\n");
}

/* The latency of a class is the timing setting `classes.CLASS`. */
static void emit_class(struct emitter *emitter, const struct spec_class *timing)
{
    text_format(&emitter->text,
                "{\"" SPEC_TIMING "\", \"" SPEC_CLASSES
                ".%s\", offsetof(struct config, " SPEC_CLASSES
                "_%s), SETTING_NUMBER, 1u, %uu, 1u, %lluu, ",
                timing->name, timing->name, UINT16_MAX, (unsigned long long)timing->latency);
    emit_string(emitter, arena_format(emitter->spec->arena, "latency (%s)", timing->summary));
    text_append(&emitter->text, ", (const char *const[]){NULL}},\n");
}

/* Writes a function that tells whether the constraint holds. */
static void emit_constraint(struct emitter *emitter, const struct spec_unit *unit, size_t index)
{
    text_format(&emitter->text, "static bool constraint_%s_%zu(const struct config *config)\n{\n",
                unit->name, index);
    for (size_t i = 0; i < unit->settings.count; i++)
        text_format(&emitter->text, "const uint64_t %s __attribute__((unused)) = config->%s_%s;\n",
                    unit->settings.entries[i].key, unit->name, unit->settings.entries[i].key);
    emit_code(emitter, "return (", &unit->constraints[index].require, ");");
    text_append(&emitter->text, "}\n");
}

/* Returns the message of a constraint with the default values in place of {KEY}. */
static const char *default_message(const struct emitter *emitter, const struct spec_unit *unit,
                                   const char *message)
{
    struct arena *arena = emitter->spec->arena;
    const char *text = "", *key;

    for (; (key = strchr(message, '{')); message = strchr(key, '}') + 1) {
        const struct spec_setting *setting =
            map_get_bytes(&unit->settings, key + 1, strcspn(key + 1, "}"));
        const char *value = setting->type == SPEC_SETTING_WORD
                                ? setting->words[setting->initial]
                                : arena_format(arena, "%llu", (unsigned long long)setting->initial);
        text = arena_format(arena, "%s%.*s%s", text, (int)(key - message), message, value);
    }
    return arena_format(arena, "%s%s", text, message);
}

void emit_default_check(struct emitter *emitter, const struct spec_unit *unit, size_t index)
{
    const struct spec_constraint *constraint = &unit->constraints[index];
    const struct spec_code head =
        spec_make_code(emitter->spec, &constraint->require.node->at, "_Static_assert((");
    const char *message = arena_format(emitter->spec->arena, SPEC_DEFAULTS "%s; change one of them",
                                       default_message(emitter, unit, constraint->message));

    for (size_t i = 0; i < unit->settings.count; i++) {
        const struct spec_setting *setting = SPEC_AT(unit->settings, i, struct spec_setting);
        text_format(&emitter->text,
                    "#pragma push_macro(\"%s\")\n#undef %s\n#define %s UINT64_C(%llu)\n",
                    setting->key, setting->key, setting->key, (unsigned long long)setting->initial);
    }
    emit_code(emitter, "", &head, ""); /* a compiler reports the place of this word */
    emit_code(emitter, "", &constraint->require, "),");
    emit_string(emitter, message);
    text_append(&emitter->text, ");\n");
    for (size_t i = 0; i < unit->settings.count; i++)
        text_format(&emitter->text, "#pragma pop_macro(\"%s\")\n", unit->settings.entries[i].key);
}

static void emit_constraints(struct emitter *emitter)
{
    const struct map *units = &emitter->spec->units;

    for (size_t i = 0; i < units->count; i++) {
        const struct spec_unit *unit = SPEC_AT(*units, i, struct spec_unit);
        for (size_t k = 0; k < unit->constraint_count; k++)
            emit_constraint(emitter, unit, k);
        for (size_t k = 0; k < unit->constraint_count; k++)
            emit_default_check(emitter, unit, k);
    }
    text_append(&emitter->text, "const struct setting_constraint config_constraints[] = {\n");
    for (size_t i = 0; i < units->count; i++) {
        const struct spec_unit *unit = SPEC_AT(*units, i, struct spec_unit);
        for (size_t k = 0; k < unit->constraint_count; k++) {
            text_format(&emitter->text, "{constraint_%s_%zu, \"%s\", ", unit->name, k, unit->name);
            emit_string(emitter, unit->constraints[k].message);
            text_append(&emitter->text, "},\n");
        }
    }
    text_append(&emitter->text, "{NULL, NULL, NULL}};\n");
}

/* Calls `emit` for each setting: those of a section are next to each other. */
static void each_setting(struct emitter *emitter,
                         void (*emit)(struct emitter *emitter, const struct spec_setting *setting))
{
    enum { OWN_SECTION, PIPELINE, TIMING, PASSES };
    const struct map *units = &emitter->spec->units;

    for (int pass = OWN_SECTION; pass < PASSES; pass++)
        for (size_t i = 0; i < units->count; i++) {
            const struct map *settings = &SPEC_AT(*units, i, struct spec_unit)->settings;
            for (size_t k = 0; k < settings->count; k++) {
                const struct spec_setting *setting = SPEC_AT(*settings, k, struct spec_setting);
                if (pass == (setting->is_timing     ? TIMING
                             : is_pipeline(setting) ? PIPELINE
                                                    : OWN_SECTION))
                    emit(emitter, setting);
            }
        }
}

/* Calls `emit` for each class with a latency. */
static void each_class(struct emitter *emitter,
                       void (*emit)(struct emitter *emitter, const struct spec_class *timing))
{
    const struct map *classes = &emitter->spec->classes;

    for (size_t i = 0; i < classes->count; i++)
        if (SPEC_AT(*classes, i, struct spec_class)->latency)
            emit(emitter, SPEC_AT(*classes, i, struct spec_class));
}

static void emit_class_field(struct emitter *emitter, const struct spec_class *timing)
{
    text_format(&emitter->text, "uint64_t " SPEC_CLASSES "_%s; /* latency: %s */\n", timing->name,
                timing->summary);
}

/* Writes an enum of the values; nothing for a number, since C has no empty enum. */
static void emit_words(struct emitter *emitter, const struct spec_setting *setting)
{
    text_append(&emitter->text, setting->word_count ? "enum {\n" : "");
    for (size_t i = 0; i < setting->word_count; i++)
        text_format(&emitter->text, "    %s = %zu,\n", spec_setting_word(emitter->spec, setting, i),
                    i);
    text_append(&emitter->text, setting->word_count ? "};\n" : "");
}

void emit_setting_words(struct emitter *emitter)
{
    each_setting(emitter, emit_words);
}

void emit_settings(struct emitter *emitter)
{
    emit_header(emitter, "The settings of a machine file.");
    text_append(&emitter->text, "#ifdef SETTINGS_FIELDS\n");
    each_setting(emitter, emit_field);
    each_class(emitter, emit_class_field);
    text_append(&emitter->text,
                "#endif\n#ifdef SETTINGS_TABLE\nconst struct setting config_settings[] = {\n");
    each_setting(emitter, emit_setting);
    each_class(emitter, emit_class);
    text_append(&emitter->text, "};\n");
    emit_constraints(emitter);
    text_append(&emitter->text, "#endif\n");
}

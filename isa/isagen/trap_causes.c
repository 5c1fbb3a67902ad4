/*
 * The `traps` section: the exceptions, with their causes, the signals of the user environment, and
 * what a report of a fault says; the reasons for them; and traps.inc, which the emulator has them
 * from.
 */
#include "isa/isagen/emit.h"

#include <string.h>

/* The causes that the standard leaves to vendors end here (RISC-V Privileged ISA, "mcause values").
 */
enum { CAUSE_MAXIMUM = 63 };

/* Signals that an exception may raise, by name: the host's numbers need not be Linux's. */
static const char *const signals[] = {"SIGBUS", "SIGFPE",  "SIGILL", "SIGSEGV",
                                      "SIGSYS", "SIGTRAP", NULL};

static void check_unique(struct spec *spec, const struct spec_trap *trap)
{
    for (size_t i = 0; i < spec->traps.count; i++) {
        const struct spec_trap *other = SPEC_AT(spec->traps, i, struct spec_trap);
        if (other->of_name || other->cause != trap->cause)
            continue;
        diag_error(spec->diag, &trap->at, "trap '%s' has cause %llu, as '%s'; choose another",
                   trap->name, (unsigned long long)trap->cause, other->name);
        diag_note(spec->diag, &other->at, "'%s' is here", other->name);
    }
}

/* {UNIT.KEY} in the explanation is a setting; {value}, or {address} in hexadecimal, is what the
 * exception's value register has. */
static void check_explain(struct spec *spec, const struct node *node, const char *explain)
{
    for (const char *at = strchr(explain, '{'); at; at = strchr(at + 1, '{')) {
        size_t length = strcspn(at + 1, "}"), unit_length = strcspn(at + 1, ".}");
        const struct spec_unit *unit = map_get_bytes(&spec->units, at + 1, unit_length);
        if (strncmp(at, "{value}", 7) == 0 || strncmp(at, "{address}", 9) == 0 ||
            (unit && unit_length < length &&
             map_get_bytes(&unit->settings, at + 2 + unit_length, length - unit_length - 1)))
            continue;
        diag_error(spec->diag, &node->at,
                   "'{%.*s}' is neither {value} nor {address} nor a setting of a unit, {UNIT.KEY}",
                   (int)length, at + 1);
    }
}

static void read_trap(struct spec *spec, struct spec_trap *trap, const struct node *node)
{
    const struct node *explain = node_get(node, "explain");

    trap->summary = node_text(&spec->context, node_get(node, "summary"), "summary");
    trap->value = node_text(&spec->context, node_get(node, "value"), "value");
    trap->explain = node_text(&spec->context, explain, "explain");
    if (!trap->summary) /* which is reported, and which others need */
        trap->summary = trap->name;
    if (trap->explain)
        check_explain(spec, explain, trap->explain);
    if (trap->of_name)
        return;
    int signal = node_word(&spec->context, node_get(node, "signal"), "signal", signals);
    trap->signal = signal < 0 ? NULL : signals[signal];
    if (node_unsigned(&spec->context, node_get(node, "cause"), "cause", CAUSE_MAXIMUM,
                      &trap->cause))
        check_unique(spec, trap);
}

void spec_read_traps(struct spec *spec, const struct node *section)
{
    static const char *const keys[] = {"cause!", "signal!", "summary!", "value", "explain", NULL},
                             *const reason_keys[] = {"of!", "summary!", "value", "explain!", NULL};

    for (size_t i = 0; i < section->count; i++) {
        const struct node *key = section->items[2 * i], *node = section->items[2 * i + 1],
                          *of = node->kind == NODE_MAPPING ? node_get(node, "of") : NULL;
        if (!node_is_name(key->text, false) || map_get(&spec->traps, key->text)) {
            diag_error(spec->diag, &key->at,
                       "'%s' is not a name for a trap: expected a C name that no other trap has",
                       key->text);
            continue;
        }
        if (!node_check_keys(&spec->context, node,
                             arena_format(spec->arena, "trap '%s'", key->text),
                             of ? reason_keys : keys))
            continue;
        struct spec_trap *trap = arena_new(spec->arena, struct spec_trap);
        *trap = (struct spec_trap){.name = key->text, .at = key->at, .of_name = of};
        read_trap(spec, trap, node);
        map_set(&spec->traps, trap->name, trap);
    }
}

void spec_resolve_traps(struct spec *spec)
{
    for (size_t i = 0; i < spec->traps.count; i++) {
        struct spec_trap *trap = SPEC_AT(spec->traps, i, struct spec_trap);
        const char *name = trap->of_name ? node_text(&spec->context, trap->of_name, "of") : NULL;
        if (!name)
            continue;
        trap->of = map_get(&spec->traps, name);
        if (!trap->of || trap->of->of_name)
            diag_error(spec->diag, &trap->of_name->at, "'%s' is not a trap with a cause%s", name,
                       trap->of ? "" : node_suggest(&spec->context, &spec->traps, name));
    }
}

/* Writes the enumerators of the exceptions, or of the reasons, which are made of those. */
static void emit_causes(struct emitter *emitter, bool of_reasons)
{
    const struct spec *spec = emitter->spec;
    unsigned reasons = 0;

    for (size_t i = 0; i < spec->traps.count; i++) {
        const struct spec_trap *trap = SPEC_AT(spec->traps, i, struct spec_trap);
        if ((trap->of != NULL) != of_reasons)
            continue;
        text_format(&emitter->text, "CAUSE_%s = ", emit_upper(spec->arena, trap->name));
        if (trap->of)
            text_format(&emitter->text, "CAUSE_%s | %u << CAUSE_BITS",
                        emit_upper(spec->arena, trap->of->name), ++reasons);
        else
            text_format(&emitter->text, "%llu", (unsigned long long)trap->cause);
        text_format(&emitter->text, ", /* %s%s%s */\n", trap->summary,
                    trap->value ? "; value: " : "", trap->value ? trap->value : "");
    }
}

void emit_trap_causes(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    emit_header(emitter, "Exceptions and the reasons for them: enumerators with TRAP_CAUSES, also "
                         "for the names that bodies use, rows of a table with TRAP_TABLE.");
    text_append(&emitter->text, "#ifdef TRAP_CAUSES\n");
    emit_causes(emitter, false);
    emit_causes(emitter, true);
    for (size_t i = 0; i < spec->traps.count; i++)
        text_format(&emitter->text, "TRAP_%s = CAUSE_%s,\n", spec->traps.entries[i].key,
                    emit_upper(spec->arena, spec->traps.entries[i].key));
    text_append(&emitter->text, "#endif\n#ifdef TRAP_TABLE\n");
    for (size_t i = 0; i < spec->traps.count; i++) {
        const struct spec_trap *trap = SPEC_AT(spec->traps, i, struct spec_trap);
        text_format(&emitter->text, "{CAUSE_%s, %s, ", emit_upper(spec->arena, trap->name),
                    trap->of ? trap->of->signal : trap->signal);
        emit_string(emitter, trap->summary);
        text_append(&emitter->text, ", ");
        emit_string(emitter, trap->explain);
        text_append(&emitter->text, "},\n");
    }
    text_append(&emitter->text, "#endif\n");
}

/*
 * The `state` section: the state of a unit besides registers and CSRs, as a debugger shows it. An
 * entry is one 64-bit value, or an array of them with one or two indices.
 */
#include "isa/isagen/spec.h"

#include <string.h>

static struct spec_code read_code(struct spec *spec, const struct node *node, const char *what,
                                  const char *name)
{
    const struct spec_code code = {.text = node_text(&spec->context, node, what), .node = node};

    if (code.text)
        spec_check_code(spec, &code, arena_format(spec->arena, "'%s' of state '%s'", what, name));
    return code;
}

static void read_indices(struct spec *spec, struct spec_state *state, const struct node *over)
{
    if (!over || !node_expect(&spec->context, over, NODE_MAPPING, "over"))
        return;
    if (over->count > SPEC_STATE_INDICES) {
        diag_error(spec->diag, &over->at, "state '%s' has %zu indices; expected at most %d",
                   state->name, over->count, SPEC_STATE_INDICES);
        return;
    }
    for (size_t i = 0; i < over->count; i++) {
        const struct node *key = over->items[2 * i];
        if (!node_is_name(key->text, false))
            diag_error(spec->diag, &key->at, "'%s' is not a name for an index", key->text);
        state->indices[i] = key->text;
        state->counts[i] = read_code(spec, over->items[2 * i + 1], "over", state->name);
    }
    state->index_count = over->count;
}

static void read_type(struct spec *spec, struct spec_state *state, const struct node *node)
{
    const char *text = node_text(&spec->context, node, "type");

    state->is_address = text && strcmp(text, "address") == 0;
    if (text && !state->is_address && strcmp(text, "integer"))
        diag_error(spec->diag, &node->at, "type is '%s'; expected integer or address", text);
}

void spec_read_state(struct spec *spec, const struct spec_file *file, const struct node *section)
{
    static const char *const keys[] = {"summary!", "read!", "write",    "set", "trace",
                                       "over",     "type",  "debugger", NULL};

    for (size_t i = 0; i < section->count; i++) {
        const struct node *key = section->items[2 * i], *node = section->items[2 * i + 1];
        const struct spec_state *other = map_get(&spec->states, key->text);
        if (other) {
            diag_error(spec->diag, &key->at, "a second state '%s'; rename or remove one",
                       key->text);
            diag_note(spec->diag, &other->at, "first here");
            continue;
        }
        if (!node_is_name(key->text, false)) {
            diag_error(spec->diag, &key->at, "'%s' is not a name for state", key->text);
            continue;
        }
        const char *what = arena_format(spec->arena, "state '%s'", key->text);
        if (!node_check_keys(&spec->context, node, what, keys))
            continue;
        struct spec_state *state = arena_new(spec->arena, struct spec_state);
        state->name = key->text;
        state->at = key->at;
        state->extension = file->extension;
        state->summary = node_text(&spec->context, node_get(node, "summary"), "summary");
        state->read = read_code(spec, node_get(node, "read"), "read", key->text);
        state->write = read_code(spec, node_get(node, "write"), "write", key->text);
        state->set = node_get(node, "set")
                         ? read_code(spec, node_get(node, "set"), "set", key->text)
                         : state->write;
        state->trace = node_text(&spec->context, node_get(node, "trace"), "trace");
        read_indices(spec, state, node_get(node, "over"));
        read_type(spec, state, node_get(node, "type"));
        state->hidden = !node_bool(&spec->context, node_get(node, "debugger"), "debugger", true);
        map_set(&spec->states, state->name, state);
    }
}

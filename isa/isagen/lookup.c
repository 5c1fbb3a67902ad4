/* Lists of texts in the YAML, and names, which are looked up among the declarations that
 * were read before: constants, operands, registers. */
#include "isa/isagen/spec.h"

#include <string.h>

bool spec_is_extension_name(const char *text)
{
    return *text >= 'a' && *text <= 'z' &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789")] == '\0';
}

bool spec_constant(struct spec *spec, const struct node *node, const char *what, uint64_t maximum,
                   uint64_t *value)
{
    const char *text = node_text(&spec->context, node, what);

    if (!text)
        return false;
    if (!node_is_name(text, false))
        return node_unsigned(&spec->context, node, what, maximum, value);
    const struct spec_constant *constant = map_get(&spec->constants, text);
    if (!constant) {
        diag_error(spec->diag, &node->at, "%s is '%s', which is not a constant%s", what, text,
                   node_suggest(&spec->context, &spec->constants, text));
        return false;
    }
    if (constant->value > maximum) {
        diag_error(spec->diag, &node->at, "%s is %s = %#llx; expected at most %#llx", what, text,
                   (unsigned long long)constant->value, (unsigned long long)maximum);
        diag_note(spec->diag, &constant->at, "the constant is declared here");
        return false;
    }
    *value = constant->value;
    return true;
}

int spec_operand_index(const struct spec_operands *operands, const char *name, size_t length)
{
    for (size_t i = 0; i < operands->count; i++)
        if (strlen(operands->items[i].name) == length &&
            memcmp(operands->items[i].name, name, length) == 0)
            return (int)i;
    return -1;
}

int spec_register_number(const struct spec_register_file *file, const char *name)
{
    for (size_t i = 0; i < file->count; i++)
        if (strcmp(file->names[i], name) == 0)
            return (int)i;
    size_t prefix = file->numeric ? strlen(file->numeric) : 0;
    uint64_t number;
    if (prefix && strncmp(name, file->numeric, prefix) == 0 &&
        node_parse_unsigned(name + prefix, &number) && number < file->count &&
        strspn(name + prefix, "0123456789") == strlen(name + prefix))
        return (int)number;
    const uint64_t *also = map_get(&file->also, name);
    return also ? (int)*also : -1;
}

/* Checks the parentheses of a text: in a list in brackets, a comma within parentheses splits an
 * unquoted text in two. */
static void check_parentheses(struct spec *spec, const struct node *node, const char *text)
{
    int open = 0;

    for (const char *c = text; *c && open >= 0; c++)
        open += (*c == '(') - (*c == ')');
    if (open)
        diag_error(spec->diag, &node->at,
                   "the parentheses of '%s' do not match; quote a text that holds a comma", text);
}

const char **spec_read_texts(struct spec *spec, const struct node *node, const char *what,
                             size_t *count)
{
    *count = 0;
    if (!node || !node_expect(&spec->context, node, NODE_SEQUENCE, what))
        return NULL;
    const char **texts = arena_array(spec->arena, node->count, sizeof *texts);
    for (size_t i = 0; i < node->count; i++) {
        const char *text = node_text(&spec->context, node->items[i], what);
        if (!text)
            continue;
        check_parentheses(spec, node->items[i], text);
        texts[(*count)++] = text;
    }
    return texts;
}

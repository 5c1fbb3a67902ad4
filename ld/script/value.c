/* Evaluates expressions of scripts: GNU ld's manual, "The Section of an Expression". A value is an
 * address in an output section, an absolute address or a plain number. Arithmetic on two values of
 * one section, or on such a value and a number, uses the offsets in the section; all other
 * arithmetic uses whole addresses. Numbers and absolute symbols are absolute outside of output
 * sections and plain inside.
 *
 * A value that is not known yet (an address further on) is that of the previous walk, 0 in the
 * first one: the script is walked until nothing changes. */
#include "ld/script/script.h"

#include "ld/symbol.h"

static void report(struct script_walk *walk, const struct expression *expression, const char *why,
                   const char *name)
{
    if (walk->reporting)
        diag_error(&walk->linker->diag, &expression->position, why, name);
}

static struct script_value number(const struct script_walk *walk, uint64_t value)
{
    return (struct script_value){.address = value, .plain = walk->output != NULL};
}

static uint64_t base(const struct script_value *value)
{
    return value->output ? value->output->address : 0;
}

static struct script_value symbol_value(struct script_walk *walk,
                                        const struct expression *expression)
{
    struct symbol *symbol = expression->symbol;

    if (symbol_before(symbol) && !symbol->walked) {
        symbol = symbol_before(symbol);
        expression_evaluate_symbol(walk->linker, symbol);
    }
    if (symbol->state == SYMBOL_UNDEFINED && walk->in_flags) {
        walk->undefined = true;
        if (!symbol->object)
            symbol->referenced = false; /* so that it does not get into the symbol table */
        if (walk->reporting)
            diag_warning(&walk->linker->diag, &expression->position,
                         "symbol '%s' is not defined, so the flags are 0, as in GNU ld; write them "
                         "as numbers: 4 readable, 2 writable, 1 executable",
                         symbol->name);
        return number(walk, 0);
    }
    if (symbol->state == SYMBOL_UNDEFINED) {
        if (symbol->binding != STB_WEAK)
            report(walk, expression,
                   "symbol '%s' is not defined; define it in an object, in the script or with "
                   "--defsym",
                   symbol->name);
        return number(walk, 0);
    }
    struct script_value value = {.address = symbol_address(symbol)};
    if (symbol->state == SYMBOL_ASSIGNED)
        value.output = symbol_output(symbol);
    else if (symbol->section)
        value.output = symbol->section->output;
    value.plain = walk->output && !value.output;
    return value;
}

static bool is_defined(const struct symbol *symbol)
{
    if (symbol_before(symbol))
        return true;
    if (symbol->state == SYMBOL_ASSIGNED && !symbol_expression(symbol))
        return symbol->walked;
    return symbol->state != SYMBOL_UNDEFINED;
}

/* Returns a property of the output section or region that the expression names. */
static struct script_value property(struct script_walk *walk, const struct expression *expression)
{
    const struct script_region *region;
    struct output_section *output;

    if (expression->operation == ORIGIN_OF || expression->operation == LENGTH_OF) {
        region = script_find_region(walk->script, expression->name);
        if (!region) {
            report(walk, expression, "there is no memory region '%s'", expression->name);
            return number(walk, 0);
        }
        if (expression->operation == LENGTH_OF)
            return number(walk, region->length);
        return (struct script_value){.address = region->origin, .output = walk->output};
    }
    output = map_get(&walk->script->outputs, expression->name);
    if (!output) {
        if (expression->operation == ADDRESS_OF || expression->operation == LOAD_ADDRESS_OF)
            report(walk, expression, "there is no output section '%s'", expression->name);
        return number(walk, 0);
    }
    switch (expression->operation) {
    case ADDRESS_OF:
        return (struct script_value){.address = output->address, .output = output};
    case LOAD_ADDRESS_OF:
        return (struct script_value){.address = output->load_address};
    case SIZE_OF:
        return number(walk, output->size);
    default:
        return number(walk, output->alignment);
    }
}

static struct script_value align(struct script_walk *walk, const struct expression *expression)
{
    struct script_value value = script_evaluate(walk, expression->left);
    uint64_t alignment = script_number(walk, expression->right);
    uint64_t from = expression->left->operation == HERE ? 0 : base(&value);

    if (alignment & (alignment - 1))
        report(walk, expression, "ALIGN%s: expected a power of two", "");
    else if (alignment > 1)
        value.address = align_up(value.address - from, alignment) + from;
    return value;
}

static uint64_t page_size(struct script_walk *walk, const struct expression *expression)
{
    uint64_t size = script_number(walk, expression);

    if (size && !(size & (size - 1)))
        return size;
    report(walk, expression, "DATA_SEGMENT_ALIGN: expected a power of two%s", "");
    return PAGE_SIZE;
}

/* DATA_SEGMENT_ALIGN: data begins on a new page, at the offset where the text ended, or such that
 * the part which is protected after the start (PT_GNU_RELRO) ends at the end of a page. */
static struct script_value data_align(struct script_walk *walk, const struct expression *expression)
{
    struct linker *linker = walk->linker;
    uint64_t largest = page_size(walk, expression->left);
    uint64_t start = align_up(walk->here, largest);

    page_size(walk,
              expression->right); /* only checked: GNU ld uses it to save a page of the file */
    walk->script->relro_page = largest;
    if (linker->config.relro)
        linker->relro_start = start += walk->script->relro_shift;
    else
        start += walk->here & (largest - 1);
    return (struct script_value){.address = start, .here = !walk->output};
}

/* Returns where the protected data must begin to end at `end`: goes back over its sections with
 * their alignments. */
static uint64_t relro_start_for(const struct script_walk *walk, uint64_t end)
{
    struct linker *linker = walk->linker;
    struct output_section **outputs =
        arena_array(&linker->arena, linker->output_count + 1, sizeof *outputs);
    size_t count = 0;

    for (const struct script_statement *s = walk->script->statements.first; s && s != walk->at;
         s = s->next)
        if (s->kind == SCRIPT_OUTPUT && s->output->output && s->output->output->flags & SHF_ALLOC &&
            s->output->output->address >= linker->relro_start)
            outputs[count++] = s->output->output;
    while (count--) {
        const struct output_section *output = outputs[count];
        bool none = output->flags & SHF_TLS && output->type == SHT_NOBITS; /* takes no memory */
        end = (end - (none ? 0 : output->size)) & -output->alignment;
    }
    return end;
}

static struct script_value data_relro_end(struct script_walk *walk,
                                          const struct expression *expression)
{
    struct linker *linker = walk->linker;
    struct script *script = walk->script;
    uint64_t beyond = script_number(walk, expression->left);
    struct script_value value = script_evaluate(walk, expression->right);
    uint64_t end = value.address + beyond, page = script->relro_page;

    if (!page || !linker->config.relro || end <= linker->relro_start)
        return value;
    value.address = align_up(end, page) - beyond;
    linker->relro_end = value.address + beyond;
    if (!script->relro_shifted && !walk->reporting) {
        script->relro_shifted = true;
        script->relro_shift =
            (relro_start_for(walk, value.address) - linker->relro_start) & (page - 1);
        walk->changed = true;
    }
    return value;
}

static bool gives_number(enum operation operation)
{
    return (operation >= LESS && operation <= NOT_EQUAL) || operation == LOGICAL_AND ||
           operation == LOGICAL_OR || operation == NOT;
}

static struct script_value binary(struct script_walk *walk, const struct expression *expression)
{
    enum operation operation = expression->operation;
    struct script_value a = script_evaluate(walk, expression->left);
    struct script_value b = script_evaluate(walk, expression->right);

    if (a.output != b.output && !a.plain && !b.plain)
        a.output = b.output = NULL;
    uint64_t x = a.address - base(&a), y = b.address - base(&b);
    if ((operation == DIVIDE || operation == REMAINDER) && y == 0) {
        report(walk, expression, "division by zero%s", "");
        return number(walk, 0);
    }
    uint64_t result = expression_apply(operation, x, y);
    if (gives_number(operation))
        return (struct script_value){.address = result, .plain = true};
    bool keeps = a.plain != b.plain || operation == MAXIMUM || operation == MINIMUM;
    if (!keeps)
        return (struct script_value){.address = result, .plain = walk->output || a.plain};
    struct script_value value = a.plain ? b : a;
    value.here = a.here || b.here;
    value.address = result + base(&value);
    return value;
}

static struct script_value unary(struct script_walk *walk, const struct expression *expression)
{
    struct script_value value = script_evaluate(walk, expression->left);
    uint64_t result = expression_apply(expression->operation, value.address - base(&value), 0);

    if (expression->operation == NOT || expression->operation == LOG2_CEIL)
        return (struct script_value){.address = result, .plain = true};
    value.address = result + base(&value);
    return value;
}

struct script_value script_evaluate(struct script_walk *walk, const struct expression *expression)
{
    struct script_value value;

    switch (expression->operation) {
    case NUMBER:
        return number(walk, expression->number);
    case SYMBOL:
        return symbol_value(walk, expression);
    case HERE:
        return (struct script_value){
            .address = walk->here, .output = walk->output, .here = !walk->output};
    case CONDITIONAL:
        value = script_evaluate(walk, expression->condition);
        return script_evaluate(walk,
                               value.address - base(&value) ? expression->left : expression->right);
    case ALIGN_UP:
        return align(walk, expression);
    case DATA_ALIGN:
        return data_align(walk, expression);
    case DATA_RELRO_END:
        return data_relro_end(walk, expression);
    case ABSOLUTE:
        value = script_evaluate(walk, expression->left);
        return (struct script_value){.address = value.address};
    case IS_DEFINED:
        return (struct script_value){.address = is_defined(expression->symbol), .plain = true};
    case ADDRESS_OF:
    case LOAD_ADDRESS_OF:
    case SIZE_OF:
    case ALIGNMENT_OF:
    case ORIGIN_OF:
    case LENGTH_OF:
        return property(walk, expression);
    case HEADERS_SIZE:
        return number(walk,
                      sizeof(Elf64_Ehdr) + walk->linker->reserved_headers * sizeof(Elf64_Phdr));
    case ASSERTION:
        value = script_evaluate(walk, expression->left);
        if (!(value.address - base(&value)))
            report(walk, expression, "assertion failed: %s", expression->name);
        return value;
    case NEGATE:
    case COMPLEMENT:
    case LOG2_CEIL:
    case NOT:
        return unary(walk, expression);
    default:
        return binary(walk, expression);
    }
}

uint64_t script_number(struct script_walk *walk, const struct expression *expression)
{
    struct script_value value = script_evaluate(walk, expression);

    return value.address - (value.plain ? 0 : base(&value));
}

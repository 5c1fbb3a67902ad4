/* See bundle.h. The classes say in which pipeline an instruction is, and the operands which
 * registers it reads and writes. */
#include "lib/bundle.h"

/* Registers that follow one another in a file. */
struct span {
    const struct isa_register_file *file;
    unsigned first, count;
};

/* Returns the registers of an operand if it accesses them so; count 0: none. */
static struct span registers_of(const struct isa_operand *operand, uint64_t word,
                                enum isa_access access)
{
    const struct isa_operand_type *type = operand->type;
    uint64_t value = (uint64_t)isa_extract(operand, word);

    switch (type->kind) {
    case ISA_REGISTER:
        return (struct span){type->file, (unsigned)value, !!(type->access & access)};
    case ISA_REGISTER_GROUP:
        return (struct span){type->file, (unsigned)value,
                             type->access & access ? type->group_count : 0};
    case ISA_REGISTER_OR_IMMEDIATE:
        return (struct span){type->file, isa_ri_value(type, value),
                             access == ISA_READ && !isa_ri_is_immediate(type, value)};
    default:
        return (struct span){0};
    }
}

/* Returns the name of the first register that is in both, other than a zero register; or NULL. */
static const char *find_common(const struct span *one, const struct span *other)
{
    if (!one->count || !other->count || one->file != other->file)
        return NULL;
    for (unsigned i = one->first; i < one->first + one->count; i++)
        if (i >= other->first && i < other->first + other->count && (i || !one->file->zero))
            return one->file->names[i];
    return NULL;
}

/* Returns the name of a register that the second instruction accesses so and the first one writes;
 * or NULL. */
static const char *find_conflict(const struct isa_instruction *first, uint64_t first_word,
                                 const struct isa_instruction *second, uint64_t second_word,
                                 enum isa_access access)
{
    for (unsigned i = 0; i < first->operand_count; i++) {
        struct span written = registers_of(&first->operands[i], first_word, ISA_WRITE);
        for (unsigned j = 0; written.count && j < second->operand_count; j++) {
            struct span accessed = registers_of(&second->operands[j], second_word, access);
            const char *name = find_common(&written, &accessed);
            if (name)
                return name;
        }
    }
    return NULL;
}

bool bundle_may_begin(const struct isa_instruction *instruction)
{
    enum isa_bundle bundle = instruction->timing->bundle;

    return bundle != ISA_BUNDLE_NONE && bundle != ISA_BUNDLE_LAST;
}

enum bundle_obstacle bundle_check(const struct isa_instruction *first, uint64_t first_word,
                                  const struct isa_instruction *second, uint64_t second_word,
                                  const char **name)
{
    const char *ignored;

    first = isa_expand(first, &first_word);
    second = isa_expand(second, &second_word);
    enum isa_bundle one = first->timing->bundle, other = second->timing->bundle;
    if (!name)
        name = &ignored;
    if (!bundle_may_begin(first))
        return BUNDLE_FIRST;
    if (other == ISA_BUNDLE_NONE)
        return BUNDLE_SECOND;
    if ((one == ISA_BUNDLE_AUXILIARY) == (other == ISA_BUNDLE_AUXILIARY))
        return one == ISA_BUNDLE_AUXILIARY ? BUNDLE_AUXILIARY : BUNDLE_MAIN;
    *name = find_conflict(first, first_word, second, second_word, ISA_READ);
    if (*name)
        return BUNDLE_READ;
    *name = find_conflict(first, first_word, second, second_word, ISA_WRITE);
    return *name ? BUNDLE_WRITE : BUNDLE_POSSIBLE;
}

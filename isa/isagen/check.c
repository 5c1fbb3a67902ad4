/*
 * The bodies as isagen --check compiles them (compile.c): against declarations of the accessors,
 * without code.
 */
#include "isa/isagen/emit.h"

#include <string.h>

/* How the bodies read and write their operands: any value comes from `isagen_place`. */
static const char prelude[] = "#include <stdbool.h>\n"
                              "#include <stddef.h>\n"
                              "#include <stdint.h>\n"
                              "extern volatile char isagen_place[];\n"
                              "#define CHECK_VALUE(type) (*(type volatile *)isagen_place)\n"
                              "#define REGISTER(slot) CHECK_VALUE(unsigned)\n"
                              "#define READ_U64(file, slot) CHECK_VALUE(uint64_t)\n"
                              "#define READ_F64(file, slot) CHECK_VALUE(uint64_t)\n"
                              "#define READ_F32(file, slot) CHECK_VALUE(uint32_t)\n"
                              "#define READ_RAW32(file, slot) CHECK_VALUE(uint32_t)\n"
                              "#define READ_F16(file, slot) CHECK_VALUE(uint16_t)\n"
                              "#define READ_RAW16(file, slot) CHECK_VALUE(uint16_t)\n"
                              "#define READ_OLD_U64(file, slot) CHECK_VALUE(uint64_t)\n"
                              "#define READ_OLD_F64(file, slot) CHECK_VALUE(uint64_t)\n"
                              "#define READ_OLD_F32(file, slot) CHECK_VALUE(uint32_t)\n"
                              "#define READ_OLD_RAW32(file, slot) CHECK_VALUE(uint32_t)\n"
                              "#define READ_OLD_F16(file, slot) CHECK_VALUE(uint16_t)\n"
                              "#define READ_OLD_RAW16(file, slot) CHECK_VALUE(uint16_t)\n"
                              "#define READ_RI(file, slot) CHECK_VALUE(uint64_t)\n"
                              "#define READ_GROUP(file, slot, array, count) isagen_read(array)\n"
                              "#define READ_OLD_GROUP(file, slot, array, count) "
                              "isagen_read(array)\n"
                              "#define WRITE_U64(file, slot, value) (void)(uint64_t)(value)\n"
                              "#define WRITE_F64(file, slot, value) (void)(uint64_t)(value)\n"
                              "#define WRITE_F32(file, slot, value) (void)(uint32_t)(value)\n"
                              "#define WRITE_RAW32(file, slot, value) (void)(uint32_t)(value)\n"
                              "#define WRITE_F16(file, slot, value) (void)(uint16_t)(value)\n"
                              "#define WRITE_RAW16(file, slot, value) (void)(uint16_t)(value)\n"
                              "#define WRITE_GROUP(file, slot, array, count) isagen_write(array)\n"
                              "#define GET_REGISTER(place) CHECK_VALUE(uint64_t)\n"
                              "#define GET_REGISTER_WORDS(place, array) isagen_get(array)\n"
                              "#define GET_REGISTER_OR_IMMEDIATE(place, slot) "
                              "CHECK_VALUE(uint64_t)\n"
                              "#define SET_REGISTER(file, number, place, value) "
                              "(void)(uint64_t)(value)\n"
                              "#define SET_REGISTER_WORDS(file, number, place, array) "
                              "isagen_set(array)\n"
                              "#define IMMEDIATE_R(slot) CHECK_VALUE(unsigned)\n"
                              "#define IMMEDIATE(slot) CHECK_VALUE(uint64_t)\n"
                              "#define SIGNED_IMMEDIATE(slot) CHECK_VALUE(int64_t)\n"
                              "#define TIME(key, id) uint64_t key##_##id(void); uint64_t "
                              "key##_##id(void)\n"
                              "#define RESOURCES(unit) TIME(resources, unit)\n"
                              "#define TIME_SCOPE\n"
                              "#define TIME_OPERAND(index) CHECK_VALUE(uint64_t)\n"
                              "void isagen_read(uint32_t *);\n"
                              "void isagen_write(const uint32_t *);\n"
                              "void isagen_get(void *);\n"
                              "void isagen_set(const void *);\n";

static bool has_type(const struct spec_accessor *accessor)
{
    for (size_t i = 0; i < accessor->argument_count; i++)
        if (accessor->arguments[i].kind != SPEC_VALUE)
            return true;
    return !accessor->returns;
}

/* Declares the function that takes the values among the arguments. */
static void declare_function(struct emitter *emitter, const struct spec_accessor *accessor,
                             const char *returns, const char *prefix)
{
    const char *separator = "";

    text_format(&emitter->text, "%s %s%s(", returns, prefix, accessor->name);
    for (size_t i = 0; i < accessor->argument_count; i++)
        if (accessor->arguments[i].kind == SPEC_VALUE) {
            text_format(&emitter->text, "%s%s", separator, accessor->arguments[i].c_type);
            separator = ", ";
        }
    text_format(&emitter->text, "%s);\n", *separator ? "" : "void");
}

/* Defines an accessor with arguments that no function can have. */
static void define_macro(struct emitter *emitter, const struct spec_accessor *accessor)
{
    const struct spec_argument *arguments = accessor->arguments;
    const char *separator = "";
    bool leaves = accessor->returns && strncmp(accessor->returns, "_Noreturn", 9) == 0,
         has_result = !accessor->returns || (!leaves && strcmp(accessor->returns, "void") != 0);

    declare_function(emitter, accessor, leaves ? accessor->returns : "void", "accessor_");
    text_format(&emitter->text, "#define %s(", accessor->name);
    for (size_t i = 0; i < accessor->argument_count; i++)
        if (arguments[i].kind == SPEC_VALUES)
            text_format(&emitter->text, "%s...", i ? ", " : "");
        else
            text_format(&emitter->text, "%s%s_", i ? ", " : "", arguments[i].name);
    text_append(&emitter->text, ") ({ ");
    for (size_t i = 0; i < accessor->argument_count; i++) {
        if (arguments[i].kind == SPEC_OF_TYPE)
            text_format(&emitter->text, "(void)(type_)(%s_); ", arguments[i].name);
        else if (arguments[i].kind == SPEC_OPERAND)
            text_format(&emitter->text, "(void)(%s_); ", arguments[i].name);
        else if (arguments[i].kind == SPEC_VALUES)
            text_append(&emitter->text, "(void)(const uint64_t[]){0 __VA_OPT__(, ) __VA_ARGS__}; ");
        else if (arguments[i].kind == SPEC_UPDATE)
            text_format(&emitter->text,
                        "type_ old = CHECK_VALUE(type_); (void)old; (void)(type_)(%s_); ",
                        arguments[i].name);
    }
    text_format(&emitter->text, "accessor_%s(", accessor->name);
    for (size_t i = 0; i < accessor->argument_count; i++)
        if (arguments[i].kind == SPEC_VALUE) {
            text_format(&emitter->text, "%s%s_", separator, arguments[i].name);
            separator = ", ";
        }
    text_append(&emitter->text, "); ");
    if (has_result && !leaves)
        text_format(&emitter->text, "CHECK_VALUE(%s); ",
                    !accessor->returns ? "type_" : accessor->returns);
    text_append(&emitter->text, "})\n");
}

static void declare_accessor(struct emitter *emitter, const struct spec_accessor *accessor)
{
    if (!accessor->is_called)
        text_format(&emitter->text, "extern %s const %s;\n", accessor->returns, accessor->name);
    else if (has_type(accessor))
        define_macro(emitter, accessor);
    else
        declare_function(emitter, accessor, accessor->returns, "");
}

/* Writes a function of definitions; its body only if `whole`. One that defines an accessor gets
 * another name. */
static void emit_function(struct emitter *emitter, const struct spec_function *function, bool whole)
{
    text_format(&emitter->text, "%s %s%s(", function->returns, function->accessor ? "define_" : "",
                function->name);
    for (size_t i = 0; i < function->argument_count; i++)
        text_format(&emitter->text, "%s%s const %s", i ? ", " : "", function->arguments[i].c_type,
                    function->arguments[i].name);
    text_format(&emitter->text, "%s)%s", function->argument_count ? "" : "void",
                whole ? "\n{\n" : ";\n");
    if (whole)
        emit_code(emitter, "", &function->semantics, "}");
}

/* Is the body the same text as that of an earlier instruction, which stands for it? */
static bool is_repeated(const struct spec *spec, size_t index)
{
    const struct spec_instruction *instruction =
        SPEC_AT(spec->instructions, index, struct spec_instruction);

    return index &&
           SPEC_AT(spec->instructions, index - 1, struct spec_instruction)->semantics.node ==
               instruction->semantics.node;
}

/* Writes the constraints between the settings of the unit as functions. */
static void emit_constraints(struct emitter *emitter, const struct spec_unit *unit)
{
    for (size_t i = 0; i < unit->constraint_count; i++) {
        text_format(&emitter->text, "bool require_%s_%zu(void);\nbool require_%s_%zu(void)\n{\n",
                    unit->name, i, unit->name, i);
        for (size_t k = 0; k < unit->settings.count; k++)
            text_format(&emitter->text,
                        "const uint64_t %s __attribute__((unused)) = CHECK_VALUE(uint64_t);\n",
                        unit->settings.entries[k].key);
        emit_code(emitter, "return (", &unit->constraints[i].require, ");");
        text_append(&emitter->text, "}\n");
        emit_default_check(emitter, unit, i);
    }
}

/* Writes the conditions over the operands of the instruction: its constraints, and that of a HINT.
 */
static void emit_conditions(struct emitter *emitter, const struct spec_instruction *instruction)
{
    for (size_t i = 0; i < instruction->constraint_count; i++)
        emit_condition(emitter,
                       arena_format(emitter->spec->arena, "__attribute__((unused)) require_%s_%zu",
                                    instruction->mangled, i),
                       instruction, &instruction->constraints[i].require);
    if (instruction->hint.text)
        emit_condition(emitter,
                       arena_format(emitter->spec->arena, "__attribute__((unused)) hint_%s",
                                    instruction->mangled),
                       instruction, &instruction->hint);
}

void emit_check(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    text_append(&emitter->text, prelude);
    emit_ids(emitter);
    for (size_t i = 0; i < spec->accessors.count; i++)
        declare_accessor(emitter, SPEC_AT(spec->accessors, i, struct spec_accessor));
    for (int whole = 0; whole < 2; whole++)
        for (size_t i = 0; i < spec->functions.count; i++)
            emit_function(emitter, SPEC_AT(spec->functions, i, struct spec_function), whole);
    for (size_t i = 0; i < spec->units.count; i++)
        emit_constraints(emitter, SPEC_AT(spec->units, i, struct spec_unit));
    emitter->as_definitions = true;
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        bool repeated = !instruction->compressed && is_repeated(spec, i);
        if (!repeated)
            emit_conditions(emitter, instruction);
        if (instruction->compressed || repeated)
            continue;
        text_format(&emitter->text, "void body_%s(void);\nvoid body_%s(void)\n",
                    instruction->mangled, instruction->mangled);
        emit_work(emitter, instruction);
    }
    emit_times(emitter, true);
}

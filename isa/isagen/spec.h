/*
 * The instruction set in isagen: the checked contents of the YAML, with the position of everything.
 *
 * Reading takes two passes over all files (spec_read): first the declarations that other sections
 * name (registers, constants, enums, ...), then the sections that use them, so that the order of
 * files and sections does not matter. Something wrong is reported, and then either left out or kept
 * in a harmless shape; nothing is generated after an error.
 */
#ifndef ISA_ISAGEN_SPEC_H
#define ISA_ISAGEN_SPEC_H

#include "isa/isagen/node.h"
#include "lib/isa.h"

/* A piece of C from the YAML. */
struct spec_code {
    const char *text;
    const struct node *node;
};

struct spec_constraint {
    struct spec_code require;
    const char *message;
};

/* One YAML file. */
struct spec_file {
    const char *name;
    struct node *root;
    struct spec_extension *extension; /* NULL: the file has none */
    struct isa_needs needs;           /* of what has no `needs` of its own */
    const char *source;               /* the source of entries that name none; or NULL */
};

struct spec_extension {
    const char *name, *version, *summary, *source, *description;
    struct position at;
    enum isa_default initial;
    unsigned index; /* its bit in an isa_set */
};

/* A name that may appear in an architecture string. */
struct spec_architecture_name {
    const char *name, *version;
    const struct spec_extension *extension; /* NULL: no file describes it */
    const struct node *implies;             /* a sequence of names; or NULL */
    const char *abi;                        /* the calling convention that it implies; or NULL */
    uint32_t elf_flags;                     /* e_flags of an object that uses it */
    struct position at;
    enum { VISIT_NONE, VISIT_OPEN, VISIT_DONE } visit; /* state of the check of `implies` */
};

/* A CSR that has a name, though the machine need not have it. */
struct spec_csr_name {
    const char *name;
    uint64_t number;
    unsigned since, before;       /* places in privileged_versions, from 1; 0: no limit */
    const char *extension, *also; /* that have it; or NULL */
    bool rv32;                    /* only machines of 32 bits have it */
    struct position at;
};

/* Versions of extensions in an older manual (-misa-spec). */
struct spec_specification {
    const char *name;
    const struct node *versions; /* extension -> version, or `none` */
};

struct spec_register_file {
    const char *name, *summary, *numeric;
    struct position at;
    const char **names;
    uint64_t count, width;
    enum isa_standard standard;
    uint64_t words, place; /* as in struct isa_register_file */
    bool zero;
    struct map also; /* further name -> node of its number */
    unsigned index;
};

struct spec_constant {
    uint64_t value;
    struct position at;
};

struct spec_enum {
    const char *name, *summary;
    struct position at;
    struct isa_named_value *values;
    size_t count;
    bool decodes_reserved;
    unsigned index;
};

/* Which encodings of a float are NaNs: those above infinity, the last one, or none. */
enum spec_nan { SPEC_NAN_IEEE, SPEC_NAN_LAST, SPEC_NAN_NONE };

/* A data directive of an element type. */
struct spec_directive {
    const char *name;
    bool block; /* takes a count and one value */
};

struct spec_element {
    const char *name, *summary;
    struct position at;
    const struct node *part_name;      /* of a pair: the key; else NULL */
    const struct spec_element *part;   /* of a pair: the type of its two numbers; else NULL */
    uint64_t bits, exponent, fraction; /* exponent 0: an integer, or a pair */
    uint64_t code;
    bool has_code, is_signed;
    int64_t bias;
    enum spec_nan nan;
    enum isa_print print;
    struct spec_directive *directives;
    size_t directive_count;
};

/* The encodings that divide those of positive numbers: the largest finite one, infinity, the
 * canonical NaN, and the bit that quiet NaNs have. What a type does not have is its last encoding,
 * or 0 for the bit. */
struct spec_float_layout {
    uint64_t largest, infinity, quiet_nan, quiet_bit;
};

/* Codes of element types are below this. */
enum { SPEC_CODE_LIMIT = 256 };

/* The largest number of bits of a number of a pair. */
enum { SPEC_PART_BITS = 32 };

/* The name for all floats with a code in the list of an instruction. */
#define SPEC_FLOATS "floats"

/* A name for an element type in one instruction: T is f16. */
struct spec_element_name {
    const char *name;
    const struct spec_element *element;
    bool mentioned; /* the body uses it */
};

struct spec_choice {
    struct spec_element_name *names;
    size_t count;
};

struct spec_choices {
    struct spec_choice *items;
    size_t count;
};

/* The section of a machine file with the timing settings, which is also the unit of those of the
 * core; and the group of it with the latencies of classes. */
#define SPEC_TIMING "timing"
/* How the message on defaults that break a constraint begins. */
#define SPEC_DEFAULTS "the defaults break this constraint: "
#define SPEC_CLASSES  "classes"
/* `unit: none`: the scalar core executes the instruction. */
#define SPEC_NO_UNIT "none"

struct spec_class {
    const char *name, *summary;
    struct position at;
    uint64_t latency;   /* 0: none, since each instruction of the class has cycles of its own */
    bool is_pipelined;  /* instructions of the class overlap */
    const char *bundle; /* name of its enum isa_bundle, in capitals */
    unsigned index;
};

/* What stands for an argument of an accessor: a value of a C type, the name of a C type, a value of
 * the type that is named, the name of an operand, another name, the name of a trap, of state or
 * of a counter, or the new value over `old`. */
enum spec_argument_kind {
    SPEC_VALUE,
    SPEC_TYPE,
    SPEC_OF_TYPE,
    SPEC_OPERAND,
    SPEC_NAME,
    SPEC_TRAP,
    SPEC_STATE_NAME,
    SPEC_COUNTER, /* after a SPEC_NAME, its unit */
    SPEC_UPDATE,
    SPEC_VALUES, /* any number of them; the last argument */
};
enum { SPEC_ACCESSOR_ARGUMENTS = 8 };

struct spec_argument {
    const char *name, *c_type; /* c_type: of a SPEC_VALUE */
    enum spec_argument_kind kind;
};

/* A trap that an accessor can raise. */
struct spec_raised {
    const struct spec_trap *trap;
    const char *note; /* what the manual adds, with a blank before it; or "" */
};

/* An accessor: something that bodies use besides their operands. */
struct spec_accessor {
    const char *name;
    struct position at;
    const char *returns; /* in C; NULL: the type that is named; "void"; "_Noreturn void" */
    struct spec_argument arguments[SPEC_ACCESSOR_ARGUMENTS];
    size_t argument_count;
    unsigned effects;    /* enum isa_effect */
    bool is_direct;      /* the direct forms of bodies may use it (emu/body/direct.h) */
    bool in_definitions; /* only definitions may use it */
    bool is_certain;     /* it reads, and writes if it stores, as much as its type says each time */
    bool in_csrs;        /* the code of CSRs may use it, too */
    bool defined;        /* a function defines it, or one of the accessors that it uses */
    bool is_called;      /* it has a list of arguments, maybe an empty one */
    enum { SPEC_TIMING_NONE, SPEC_TIMING_ALSO, SPEC_TIMING_ONLY } timing; /* in `cycles` */
    const struct node *uses;   /* further accessors that it is made of; or NULL */
    struct spec_raised *traps; /* of a body that names the accessor */
    size_t trap_count;
};

enum { SPEC_BODY_LINES = 40 };

/* A part of definitions. */
struct spec_function {
    const char *name, *summary;
    struct position at;
    const struct spec_accessor *accessor; /* that it defines; or NULL */
    const char *returns;                  /* a type of C */
    struct spec_argument *arguments;
    size_t argument_count;
    struct spec_code semantics;
    unsigned effects; /* enum isa_effect, of itself and what it calls */
    bool in_time;     /* `cycles`, `occupancy` or `resources` use it */
    bool in_meaning;  /* a body uses it */
    enum { FOLLOW_NONE, FOLLOW_OPEN, FOLLOW_DONE } visit;
};

enum spec_setting_type {
    SPEC_SETTING_NUMBER,
    SPEC_SETTING_BYTES,
    SPEC_SETTING_ADDRESS,
    SPEC_SETTING_WORD
};

/* A setting of the machine file. */
struct spec_setting {
    const char *key, *summary;
    struct position at;
    const struct spec_unit *unit;
    enum spec_setting_type type;
    bool is_timing; /* in the section `timing`, with the unit's name before the key */
    bool is_power;  /* a power of two */
    uint64_t minimum, maximum, multiple, initial;
    const char **words; /* SPEC_SETTING_WORD: names of the values 0, 1, ... */
    size_t word_count;
};

/* A part of the machine. */
struct spec_unit {
    const char *name, *summary, *source;
    struct position at;
    struct map settings;                 /* key -> struct spec_setting */
    struct spec_constraint *constraints; /* between the settings */
    size_t constraint_count;
    struct spec_code resources; /* how many instructions it executes at once; NULL text: it does
                                   not execute beside the scalar core */
    const char *header;         /* of its C code, which declares its struct; or NULL */
    struct position header_at;
    const char *traced;  /* what --trace-units shows of it; or NULL */
    const char *settle;  /* C function that brings state and counters up to date; or NULL */
    struct map states;   /* name -> struct spec_state */
    struct map counters; /* name -> struct spec_counter */
    struct map members;  /* names in its structs -> what they are */
};

/* An exception, or one of the reasons for an exception. */
struct spec_trap {
    const char *name, *signal, *summary, *value, *explain; /* the last two may be NULL */
    struct position at;
    const struct spec_trap *of; /* the exception whose reason this is; or NULL */
    const struct node *of_name;
    uint64_t cause;
};

/* A field of a layout: which bits of a value are at which bits of the word. */
struct spec_field {
    const char *layout, *name;
    struct position at;
    struct isa_piece *pieces;
    size_t piece_count;
    unsigned bits, lowest, length; /* as in struct isa_field */
    uint64_t value_mask;           /* bits of the value that are encoded */
    unsigned index;
};

/* A format, or the encoding string of one instruction. */
struct spec_layout {
    const char *name;
    struct position at;
    unsigned bits; /* 16, 32, 48 or 64 */
    uint64_t ones, fixed,
        reserved; /* fixed: bits that are 0 or 1; reserved: `/`; all others are fields and `-` */
    struct spec_field **fields; /* from the most significant end */
    size_t field_count, capacity;
};

struct spec_operand_type {
    const char *name, *summary;
    struct position at;
    enum isa_kind kind;
    enum isa_access access;
    enum isa_view view;
    uint64_t view_bits, view_count; /* ISA_VIEW_BITS: of an integer of a register, and their number
                                     */
    const struct spec_element *view_element; /* whose raw bits they are; or NULL */
    const struct spec_register_file *file;
    const struct spec_enum *values;
    const struct spec_relocation *relocation;
    uint64_t bits, group_count;
    uint64_t first, count, except, extends; /* as in struct isa_operand_type */
    bool is_signed, nonzero, also_negative, hex, has_default;
    bool generic; /* only for forms of .insn: an opcode, a register of any file */
    int64_t default_value;
    uint64_t register_mask, register_match, immediate_mask, immediate_match;
    unsigned register_bits, immediate_bits;
    unsigned index;
};

/* The type of the elements of an input, as the state of a unit says it (roles.c). */
struct spec_input_type {
    const struct node *node;
    const struct spec_state *state;
    int index;                         /* the operand that is the index of the state; -1: none */
    const struct spec_element **types; /* of the values 0, 1, …; NULL: by their codes */
    size_t count;
};

struct spec_operand {
    const char *name;
    struct position at;
    const struct spec_operand_type *type;
    const struct spec_field *field; /* NULL in aliases */
    enum isa_slot slot;
    unsigned slot_index;
    enum isa_role role; /* and its arguments, as in struct isa_operand */
    unsigned row;
    const char *element;
    struct spec_input_type *by_state;
    bool mentioned, index_mentioned; /* the body uses it, as NAME and as NAME_index */
};

struct spec_operands {
    struct spec_operand *items;
    size_t count, capacity;
};

struct spec_syntax {
    const char *text;
    struct isa_token *tokens;
    size_t count, capacity;
};

struct spec_instruction {
    const char *mnemonic, *mangled; /* add.w, add_w */
    struct position at;
    const struct spec_extension *extension;
    struct isa_needs needs;
    const struct spec_instruction *refines; /* the more general one of its encoding; or NULL */
    const char *summary, *description, *source, *example;
    const char **traps; /* that the definition can raise (traps.c) */
    size_t trap_count, trap_capacity;
    bool only_64; /* not in RV32 */
    const struct spec_layout *layout;
    uint64_t match, mask, reserved; /* as in struct isa_instruction */
    struct spec_operands operands;
    struct spec_syntax syntax;
    const struct spec_class *timing;
    struct spec_code semantics;
    struct spec_code cycles, occupancy; /* NULL text: by the class */
    unsigned walk;                      /* what it does to a walk: spec_walks, from 1; 0: nothing */
    bool has_row;                       /* an operand is a row of the unit: */
    size_t row;                         /* this one */
    bool waits;                         /* for all tensor instructions before it */
    unsigned sizes; /* a bit for each operand that is a number of elements, rows or bytes */
    unsigned shape[ISA_SHAPE_LIMIT], shape_count; /* as in struct isa_instruction */
    const char *fast; /* the C function that does the same as the semantics; or NULL */
    bool fast_is_inline;
    const char *unit;   /* whose state the function takes */
    bool defined;       /* the emulator has it as a definition, for --reference */
    bool by_definition; /* and nothing else: the executors run the definition */
    const struct node *ignores;
    bool broken; /* its operands are wrong: checks that need them would only repeat the error */
    unsigned effects;            /* enum isa_effect, from the accessors that the body names */
    unsigned definition_effects; /* of the definition, without those of calling the fast function */
    const struct spec_operand *distance; /* the operand that the body branches by; or NULL */
    struct spec_constraint *constraints;
    size_t constraint_count;
    const struct node *node, *relax;
    bool generic;    /* a form of .insn: no body, no class */
    bool privileged; /* objects state the version of the privileged architecture */
    bool compressed; /* an encoding of another instruction */
    struct spec_step
        *patterns; /* compressed: its expansion, then others that tasm may compress to it */
    size_t pattern_count;
    struct spec_code hint; /* compressed: the condition under which it is a HINT; or NULL text */
    bool always_hint, alias_only;
    const char **prints; /* compressed: mnemonics that print it in preference to the others */
    size_t print_count;
    struct spec_choice elements; /* names that stand for element types */
    const struct node *variant;  /* field values that replace those of `encoding`; or NULL */
    struct spec_instruction *inverse, *jump;
    unsigned index, form; /* id; index of its own form once forms are sorted */
};

struct spec_step {
    struct spec_instruction *instruction;
    struct isa_argument *arguments;
    struct position at;
};

struct spec_alias {
    const char *mnemonic, *text, *expansion, *summary;
    struct position at;
    const struct node *node, *types; /* the scalar of the alias; the mapping `operands` or NULL */
    const struct spec_extension *extension;
    struct isa_needs needs;
    struct spec_operands operands;
    struct spec_syntax syntax;
    struct spec_step *steps;
    size_t step_count;
    enum isa_expander expander;
    bool print, pic;
    bool fills; /* the assembler fills code with it */
    unsigned form;
};

struct spec_relocation {
    const char *name, *summary, *operator_name;
    struct position at;
    const struct node *node;
    uint64_t number;
    enum isa_value value;
    enum isa_place place;
    const struct spec_field *field, *second;
    const struct spec_field
        *base;   /* the field of the register that is added to a low part; or NULL */
    int pointer; /* register that may be the base; -1: only zero */
    unsigned data_bits;
    bool relaxable;
    const struct spec_relocation *relaxed; /* or NULL */
    unsigned index;                        /* in the order of numbers */
};

struct spec_csr {
    const char *name, *summary, *description, *source;
    struct position at;
    const struct spec_extension *extension;
    uint64_t number;
    bool writable;
    struct isa_csr_field *fields;
    size_t field_count;
    struct spec_code read, write; /* code over `value`, and `index` if it is indexed */
    bool indexed;                 /* it is one of a row of CSRs: */
    uint64_t index;
    const char *last; /* first of a row: the name of the last; else NULL */
    bool waits;       /* a read waits for all tensor instructions before it */
};

/* State of a unit: a value, or an array of values. */
enum { SPEC_STATE_INDICES = 2 };
struct spec_state {
    const char *name, *summary;
    struct position at;
    const struct spec_extension *extension;
    const struct spec_unit *unit;
    const char *indices[SPEC_STATE_INDICES];     /* names, outermost first */
    const char *sizes[SPEC_STATE_INDICES];       /* C expressions over `settings` */
    struct spec_code counts[SPEC_STATE_INDICES]; /* the same over `machine` */
    size_t index_count;
    const char *type, *c_type; /* as the description has it, and of C */
    uint64_t reset;
    struct spec_code read;  /* code over `machine` and the indices */
    struct spec_code set;   /* the same, for definitions; set.text NULL: these do not set it */
    struct spec_code write; /* the same, for a debugger; write.text NULL: read-only */
    const char *trace;      /* its name in traces; or NULL */
    bool is_address, is_computed;
    bool is_hidden; /* from debuggers */
};

/* Something that a unit counts, for --stats. */
struct spec_counter {
    const char *name, *stats, *summary;   /* stats: its name there */
    struct spec_code read;                /* code over `machine`; read.text NULL: it has storage */
    const struct spec_element **elements; /* it is an array over these types, by code; or NULL */
    size_t element_count;
};

/* A form of a mnemonic: the own form of an instruction, or an alias. Forms are sorted by mnemonic,
 * own forms first, then in the order of the files. */
struct spec_form {
    const char *mnemonic;
    struct spec_instruction *instruction; /* own form, or NULL */
    struct spec_alias *alias;             /* or this one */
    size_t order;
};

enum { SPEC_SUPERINSTRUCTION_PARTS = 4 };

/* Consecutive instructions that the emulator runs as one. */
struct spec_superinstruction {
    const char *name; /* ADD_BGEU */
    const struct node *node;
    const struct spec_instruction *parts[SPEC_SUPERINSTRUCTION_PARTS];
    size_t count;
};

/* The maps go from names to structs, in the order of the files. */
struct spec {
    struct node_context context;
    struct arena *arena;
    struct diag *diag;
    struct spec_file *files;
    size_t file_count;
    struct map extensions, register_files, constants, enums, elements, classes, accessors;
    struct map functions;
    struct map units;              /* name -> struct spec_unit */
    struct map traps;              /* name -> struct spec_trap */
    struct map element_directives; /* name -> element type */
    struct map layouts, operand_types, relocations, csrs, csr_names, states, instructions;
    struct map architecture_names; /* the extensions, and the names of the section `architecture` */
    const char *architecture_order;   /* canonical order of letters; or NULL */
    const char **privileged_versions; /* of the privileged architecture, in ascending order */
    size_t privileged_count;
    struct spec_specification *specifications;
    size_t specification_count;
    uint64_t register_words; /* of the files that are not standard */
    struct map reported;    /* places of code where a mistake was reported, as "file:line:column" */
    struct map names;       /* every register name -> struct position */
    struct map field_names; /* names of all fields and operands, which a body may only use if they
                               are its operands */
    struct spec_alias *aliases;
    size_t alias_count, alias_capacity;
    struct spec_relocation **relocations_by_number;
    struct spec_csr **csrs_by_number;
    struct spec_form *forms;
    size_t form_count;
    struct spec_form *insn_forms; /* forms of .insn, sorted as forms are */
    size_t insn_form_count, insn_form_capacity;
    struct spec_superinstruction
        *superinstructions; /* sorted by the id of the first part, longest first */
    size_t superinstruction_count, superinstruction_capacity;
    size_t field_count;          /* number of fields of all layouts, numbered by spec_field.index */
    struct spec_field *no_field; /* the field of operands that can have only one value; or NULL */
};

/* The i-th value of a map, as `type *`. */
#define SPEC_AT(map, i, type) ((type *)(map).entries[i].value)

/* Reads and checks all files. Errors are reported to spec->diag. */
void spec_read(struct spec *spec, char *const *names, size_t count);

/* Pass 1: declarations (declarations.c unless noted). */
void spec_read_extension(struct spec *spec, struct spec_file *file);
void spec_read_architecture(struct spec *spec, const struct node *section); /* architecture.c */
void spec_name_extension(struct spec *spec, const struct spec_extension *extension,
                         const struct node *node); /* architecture.c: an extension of a file */
void spec_read_registers(struct spec *spec, const struct node *section);
void spec_read_constants(struct spec *spec, const struct node *section);
void spec_read_enums(struct spec *spec, const struct node *section);
void spec_read_elements(struct spec *spec, const struct node *section); /* elements.c */
/* Returns the bytes of an element in memory: the smallest power of two that has its bits. */
unsigned spec_element_bytes(const struct spec_element *element);
/* Finds the types that pairs are made of, and with them the bits of pairs. */
void spec_resolve_pairs(struct spec *spec);
void spec_read_classes(struct spec *spec, const struct node *section);
void spec_read_accessors(struct spec *spec, const struct node *section); /* accessors.c */
void spec_read_traps(struct spec *spec, const struct node *section);     /* trap_causes.c */
void spec_read_units(struct spec *spec, const struct spec_file *file,
                     const struct node *section);                        /* units.c */
void spec_check_unit_names(struct spec *spec);                           /* unit_names.c */
void spec_read_functions(struct spec *spec, const struct node *section); /* functions.c */

/* Pass 2, called in this order. */
void spec_read_formats(struct spec *spec, const struct node *section);       /* encoding.c */
void spec_read_relocations(struct spec *spec, const struct node *section);   /* relocations.c */
void spec_read_operand_types(struct spec *spec, const struct node *section); /* operand_types.c */
void spec_read_csrs(struct spec *spec, const struct spec_file *file,
                    const struct node *section); /* csrs.c */
/* state.c */
void spec_read_state(struct spec *spec, const struct spec_file *file, struct spec_unit *unit,
                     const struct node *node);
/* Returns the struct with the unit's state and counters, as C over `machine`. */
const char *spec_unit_place(const struct spec *spec, const struct spec_unit *unit);
void spec_read_csr_names(struct spec *spec, const struct node *section); /* csr_names.c */
void spec_read_instructions(struct spec *spec, const struct spec_file *file,
                            const struct node *section); /* instructions.c */
/* Reads what the operands of an instruction are, after its operands and semantics (roles.c). */
void spec_read_roles(struct spec *spec, struct spec_instruction *instruction);
void spec_read_compressed(struct spec *spec, const struct spec_file *file,
                          const struct node *section); /* compressed.c */
void spec_read_aliases(struct spec *spec, const struct spec_file *file,
                       const struct node *section); /* aliases.c */
void spec_read_insn(struct spec *spec, const struct spec_file *file,
                    const struct node *section); /* insn.c */

/* Called after pass 2. */
void spec_resolve_relocations(
    struct spec *spec); /* relocations.c: sorts them by number and checks that numbers are unique */
void spec_check_architecture(struct spec *spec); /* architecture.c */
void spec_sort_csrs(struct spec *spec);          /* csrs.c */
void spec_check_relaxation(struct spec *spec);   /* instructions.c */
void spec_check_overlaps(struct spec *spec);     /* overlap.c */
void spec_resolve_accessors(struct spec *spec);  /* accessors.c, after the functions were read */
void spec_check_functions(struct spec *spec);    /* functions.c, before the bodies */
void spec_check_bodies(struct spec *spec);       /* semantics.c */
void spec_check_fast(struct spec *spec);         /* fast.c */
void spec_resolve_traps(struct spec *spec);      /* trap_causes.c */
void spec_check_time(struct spec *spec);         /* timing.c, after the bodies */
void spec_infer_traps(struct spec *spec);        /* traps.c */
void spec_resolve_aliases(struct spec *spec);    /* aliases.c */
void spec_resolve_compressed(struct spec *spec); /* compressed.c */
void spec_check_prints(struct spec *spec);       /* compressed.c, after spec_check_forms */
void spec_check_forms(
    struct spec *spec); /* forms.c: sorts them and checks that no two look the same */
/* superinstructions.c: called after bodies were checked. */
void spec_read_superinstructions(struct spec *spec, const struct node *section);
void spec_sort_superinstructions(struct spec *spec);

/* needs.c: sets the needs of a file after all extensions are known. */
void spec_read_file_needs(struct spec *spec, struct spec_file *file);
/* Returns what `needs` says (`node` may be NULL: what the file says). */
struct isa_needs spec_read_needs(struct spec *spec, const struct spec_file *file,
                                 const struct node *node);
/* Finds the instructions that others refine. */
void spec_resolve_refines(struct spec *spec); /* needs.c, before spec_check_overlaps */

/* Parses an encoding string. Returns NULL after an error. */
struct spec_layout *spec_parse_layout(struct spec *spec, const struct node *node, const char *name);
struct spec_field *spec_find_field(const struct spec_layout *layout, const char *name);

/* Reports at `node` that the format has no field `name`. */
void spec_report_no_field(struct spec *spec, const struct spec_layout *layout,
                          const struct node *node, const char *name);

/* Returns the bits that a field takes in the instruction word; returns the word with a value in the
 * field. */
uint64_t spec_field_mask(const struct spec_field *field);
uint64_t spec_field_insert(const struct spec_field *field, uint64_t value);

/* Reads a list of texts, which may be missing; returns them, and their number in *count. */
const char **spec_read_texts(struct spec *spec, const struct node *node, const char *what,
                             size_t *count);
/* declarations.c: checks the name of a declaration of the kind `what`. Returns false after an
 * error, also for a name that is in the map; `position` tells where that is declared, unless NULL.
 */
bool spec_declare(struct spec *spec, struct map *map, const struct node *key, const char *what,
                  const struct position *(*position)(const void *));
/* Is it a name that an architecture string can have? */
bool spec_is_extension_name(const char *text);
/* Reads an integer or the name of a constant, at most `maximum`. Returns false after an error. */
bool spec_constant(struct spec *spec, const struct node *node, const char *what, uint64_t maximum,
                   uint64_t *value);

/* elements.c: the encodings of a float. */
struct spec_float_layout spec_float_layout(const struct spec_element *element);

/* element_names.c: reads the `elements` of an instruction. Returns one choice for each instruction
 * to make; none after an error. `operands`: the mapping, whose names are taken; or NULL. */
struct spec_choices spec_read_element_names(struct spec *spec, const struct node *node,
                                            const struct node *operands);
/* Reads a list of element types, which messages call `what`; *count is 0 after an error. */
const struct spec_element **spec_read_element_list(struct spec *spec, const char *what,
                                                   const struct node *node, size_t *count);
/* Sorts element types by their codes. */
void spec_sort_elements(const struct spec_element **items, size_t count);
struct spec_element_name *spec_find_element_name(const struct spec_choice *choice, const char *name,
                                                 size_t length);
/* Returns the text with each name that is a separate word replaced by its type. Returns NULL for
 * NULL. */
const char *spec_name_elements(struct spec *spec, const struct spec_choice *choice,
                               const char *string);

/* instructions.c: reads what instructions and compressed ones have in common. Returns NULL after an
 * error. */
struct spec_instruction *spec_read_instruction(struct spec *spec, const struct spec_file *file,
                                               const struct node *key, const struct node *node);
/* Reads `operands`, without slots, and `syntax`, which names each of them once. */
void spec_read_operands(struct spec *spec, struct spec_instruction *instruction,
                        const struct node *node);
void spec_read_syntax(struct spec *spec, struct spec_instruction *instruction,
                      const struct node *node);

/* aliases.c: parses `instruction operands` of `node` over the operands of `owner` as its next step.
 * Returns false after an error. */
bool spec_resolve_pattern(struct spec *spec, struct spec_alias *owner, const struct node *node);

/* semantics.c: checks that the code only names operands of the instruction. */
void spec_check_condition(struct spec *spec, struct spec_instruction *instruction,
                          const struct spec_code *code, const char *what);

/* csrs.c: reads `csr: {NAME: NUMBER}` of a counter or of state, and adds this CSR, of which `csr` has
 * the summary and the code; csr.write.text NULL: it is read-only. */
void spec_read_own_csr(struct spec *spec, const struct spec_file *file, const struct node *node,
                       struct spec_csr csr);

/* timing.c: reads `cycles` and `occupancy` of an instruction, and `resources` of a unit. */
void spec_read_time(struct spec *spec, struct spec_instruction *instruction);
void spec_read_resources(struct spec *spec, struct spec_unit *unit, const struct node *node);
/* Is the code a body that returns a value, not an expression? */
bool spec_is_statement(const struct spec_code *code);
/* Returns the name of a value of a setting in bodies: ISA_SETTING_UNIT_KEY_WORD. */
#define SPEC_SETTING_PREFIX "ISA_SETTING_"
const char *spec_setting_word(const struct spec *spec, const struct spec_setting *setting,
                              size_t index);

/* Returns the next form, from *index on, that prints a compressed instruction with `mnemonic`. */
const struct spec_form *spec_next_print(const struct spec *spec,
                                        const struct spec_instruction *instruction,
                                        const char *mnemonic, size_t *index);

/* encoding.c: determines match, mask and the operands' fields of an instruction from its
 * `encoding`. */
void spec_read_encoding(struct spec *spec, struct spec_instruction *instruction,
                        const struct node *node);

/* syntax.c: parses text[offset..] of `node` into tokens over the operands. `declares`: an unknown
 * name becomes a new operand without a type (aliases); otherwise it is an error. Returns false
 * after an error. */
bool spec_parse_syntax(struct spec *spec, struct spec_syntax *syntax, const struct node *node,
                       size_t offset, struct spec_operands *operands, bool declares);

/* Returns the index of an operand, or -1 if there is none of this name. */
int spec_operand_index(const struct spec_operands *operands, const char *name, size_t length);

/* Finds a named value of an enum, or the letters of a set. Returns false if there is none. */
bool spec_enum_value(const struct spec_operand_type *type, const char *text, size_t length,
                     int64_t *value);

/* Returns the number of the register with any of the file's names, or -1. */
int spec_register_number(const struct spec_register_file *file, const char *name);

/* Describes what the operand holds, from its kind and width: "12-bit signed immediate". The text is
 * in the arena. */
const char *spec_describe_type(struct spec *spec, const struct spec_operand_type *type);

/* Computes the smallest and the largest value of an immediate or target. */
void spec_range(const struct spec_operand_type *type, int64_t *minimum, int64_t *maximum);

/* Reads the type of a value in `functions` and `accessors`. Returns it in C; after an error, the
 * type of a number (types.c). */
const char *spec_read_type(struct spec *spec, const struct node *node, const char *what);
/* Returns the accessor of this name, or NULL (accessors.c). */
const struct spec_accessor *spec_find_accessor(const struct spec *spec, const char *name,
                                               size_t length);
/* Returns an accessor that keeps the instruction's body from having a direct form, or NULL. */
const struct spec_accessor *spec_indirect_accessor(const struct spec *spec,
                                                   const struct spec_instruction *instruction);
/* Has the instruction a body in its direct form? An inline function that cannot trap has. */
bool spec_has_direct_form(const struct spec *spec, const struct spec_instruction *instruction);
/* functions.c: reports code with more than SPEC_BODY_LINES lines. */
void spec_check_length(struct spec *spec, const struct spec_code *code, const char *what);
/* functions.c: returns the functions that the code uses, directly or through others, each once. */
struct spec_used {
    const struct spec_function **items;
    size_t count, capacity;
};
struct spec_used spec_used_functions(const struct spec *spec, const struct spec_code *code);
void spec_check_state_uses(struct spec *spec); /* state_uses.c */
/* Is `name` a word of C, which nothing in generated code can have as its name (scope.c)? */
bool spec_is_c_word(const char *name);
/* Is `name` a word of C or an accessor (scope.c)? Then no operand may have it. */
bool spec_is_body_word(const struct spec *spec, const char *name);
/* Returns the effects as a C expression: "ISA_EFFECT_LOAD | ISA_EFFECT_TRAP", or "0". */
const char *spec_effects_text(const struct spec *spec, unsigned effects);

/* A token of C in a body, a constraint or the code of a CSR. */
enum code_kind { CODE_NAME, CODE_MEMBER /* after . or -> */, CODE_OTHER, CODE_END };
struct code_token {
    enum code_kind kind;
    size_t offset, length;
};

/* Returns the token at or after *offset and moves *offset past it. Skips blanks, comments, strings
 * and numbers. */
struct code_token spec_next_token(const char *text, size_t *offset);

/* Does a parenthesis follow the token? */
bool spec_is_called(const char *text, const struct code_token *token);
/* Returns the offset of the end of the `index`th argument of the call whose name ends at `offset`,
 * and stores where it begins. */
size_t spec_find_argument(const char *text, size_t offset, size_t index, size_t *begin);

/* The scan of a body for names, token by token (scope.c). */
struct scope {
    const struct spec *spec;
    struct map variables;          /* that the body declares */
    bool is_start;                 /* of a statement, where a type begins a declaration */
    bool after_for;                /* after the word `for` */
    bool in_declaration;           /* after the name of a type */
    bool in_value;                 /* after the `=` of a declaration */
    bool is_tag;                   /* after `struct` or `enum` */
    size_t depth;                  /* of brackets in the value */
    size_t names_begin, names_end; /* arguments that are names of something else */
};

void scope_init(struct scope *scope, const struct spec *spec);
/* Follows the next token. Returns whether it is no name, or a name that needs no declaration in the
 * YAML. */
bool scope_follow(struct scope *scope, const char *text, const struct code_token *token);
/* Does the code use the operand, element type or constant `name`? A unit, a setting or a variable
 * of the code may have the same name. */
bool spec_code_uses(const struct spec *spec, const struct spec_code *code, const char *name);
/* Reports a name that a body may not use. `what`: "the body of 'add'". */
void spec_report_name(struct spec *spec, const struct spec_code *code,
                      const struct code_token *token, const char *what);

/* Checks that brackets, strings and comments are closed and that there are no preprocessor lines.
 * Returns false after an error. `what`: "the body of 'add'". */
bool spec_check_code(struct spec *spec, const struct spec_code *code, const char *what);

/* Does the code name `name` (not as a member)? */
bool spec_code_names(const struct spec_code *code, const char *name);

/* Reports an error at `length` characters of the code from `offset` on. */
void spec_code_error(struct spec *spec, const struct spec_code *code, size_t offset, size_t length,
                     const char *message);
/* Makes code of isagen's own, which is reported at `at` if it is wrong. */
struct spec_code spec_make_code(const struct spec *spec, const struct position *at,
                                const char *text);
/* Notes that a mistake in code is reported at a place. Returns false if one was reported there
 * before: the same text is the body of several instructions. */
bool spec_report_once(struct spec *spec, const struct position *at);
/* Several instructions may come from one entry, by element types or variants. Mistakes of the entry
 * are reported of the first that has them: around the work on each, with `is_again` where one
 * before had mistakes. spec_begin_again returns what spec_end_again takes, which returns whether
 * this one, or one before, had mistakes. */
unsigned spec_begin_again(struct spec *spec, bool is_again);
bool spec_end_again(struct spec *spec, bool is_again, unsigned errors);

#endif

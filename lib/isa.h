/* The instruction set as data: the tables that isagen makes from the YAML files in isa/, and the
 * functions over them that all tools share.
 *
 * The tables are constant and generated (build/gen/isa_tables.c). This header declares their types,
 * and lib/isa.c has the functions. Instruction words of all lengths are held in a uint64_t, the
 * first halfword in the low bits. */
#ifndef LIB_ISA_H
#define LIB_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum isa_kind {
    ISA_REGISTER,
    ISA_REGISTER_GROUP,
    ISA_REGISTER_OR_IMMEDIATE,
    ISA_IMMEDIATE,
    ISA_TARGET, /* pc-relative address */
    ISA_ENUM,
    ISA_SET, /* letters, one bit each */
    ISA_CSR,
    ISA_SYMBOL, /* address expression; only an operand of an alias */
    ISA_VALUE,  /* 64-bit constant; only an operand of an alias */
    ISA_OPCODE, /* low bits of a word, which determine its length; only an operand of a form of
                   .insn */
};

enum isa_access { ISA_READ = 1, ISA_WRITE = 2, ISA_READ_WRITE = 3 };

enum isa_view {
    ISA_VIEW_U64,
    ISA_VIEW_F64,
    ISA_VIEW_F32,
    ISA_VIEW_RAW32,
    ISA_VIEW_F16,
    ISA_VIEW_RAW16,
    ISA_VIEW_BITS /* of a file that is not standard: one unsigned integer, or an array of them */
};

/* The files that RISC-V itself has, which gdb, compilers and Spike know. */
enum isa_standard { ISA_STANDARD_NONE, ISA_STANDARD_INTEGER, ISA_STANDARD_FLOAT };

/* A set of extensions: bit i stands for isa_extensions[i]. isagen accepts no more than 64. */
typedef uint64_t isa_set;
#define ISA_EVERY_EXTENSION UINT64_MAX

/* The extensions that an instruction needs: all of one of these sets. The unused ones are 0. */
enum { ISA_NEEDS = 2 };
struct isa_needs {
    isa_set any[ISA_NEEDS];
};

struct isa_register_file {
    const char *name; /* "x" */
    const char *summary;
    const char *const *names; /* ABI name of each register */
    const char *numeric;      /* prefix of the numeric names; "": there are none */
    enum isa_standard standard;
    uint8_t count;
    uint8_t words;  /* of 64 bits, that hold the value of a register */
    uint16_t width; /* bits */
    uint32_t place; /* of a file that is not standard: where its registers begin among the words
                       that the emulator has for such files (ISA_REGISTER_WORDS of isa_ids.h) */
    bool zero;      /* register 0 reads as 0 */
};

/* The most words of a register, in any description. */
enum { ISA_WORDS_LIMIT = 2048 / 64 };

/* A register name, for example `fp` for x8. isa_register_names holds all of them, ABI and numeric
 * ones too, sorted by strcmp. */
struct isa_register_name {
    const char *name;
    const struct isa_register_file *file;
    uint8_t number;
};

struct isa_named_value {
    const char *name;
    uint32_t value;
};

struct isa_enum {
    const char *name;
    const char *summary;
    const struct isa_named_value *values; /* in the order of the YAML */
    uint16_t count;
    bool decodes_reserved; /* values that are not listed decode, too */
};

struct isa_operand_type {
    const char *name;
    const char *summary; /* "12-bit signed immediate"; for "expected …" in diagnostics */
    enum isa_kind kind;
    enum isa_access access;               /* registers */
    enum isa_view view;                   /* registers */
    const struct isa_register_file *file; /* registers; NULL: a register of any file (.insn) */
    const struct isa_enum *values; /* enum, set: the named values; opcode: names of numbers */
    const struct isa_relocation *relocation; /* target: the relocation for a symbol; or NULL */
    uint8_t bits;                            /* of the value, or of the whole ri field */
    uint8_t group_count;                     /* registers of a group */
    uint8_t first, count; /* register: the numbers that it can be, count 0: all; field values count
                             from the first */
    uint64_t except;      /* register: a bit for each number that is not allowed */
    uint8_t extends; /* immediate: the (unsigned) value is the field, sign-extended to this many
                        bits; 0: not extended */
    bool is_signed;
    bool nonzero;
    bool also_negative; /* the assembler also accepts values from -2^(bits-1) up */
    bool hex;           /* the disassembler prints it in hexadecimal */
    bool has_default;
    int64_t default_value;
    /* reg-or-imm: a field value v is an immediate when (v & mask) == match, else a register */
    uint8_t ri_register_mask, ri_register_match;   /* fixed bits of the register pattern */
    uint8_t ri_immediate_mask, ri_immediate_match; /* fixed bits of the immediate pattern */
    uint8_t ri_register_bits, ri_immediate_bits; /* widths; both are at the low end of the field */
};

/* A run of consecutive bits: `width` bits of the value from bit `value_lsb` on are in the word from
 * bit `word_lsb` on. */
struct isa_piece {
    uint8_t value_lsb, word_lsb, width;
};

/* A field of a format, shared by all instructions of the format and named by relocations, or of the
 * encoding of one instruction. */
struct isa_field {
    const char *format; /* the name of the format, or the mnemonic */
    const char *name;
    const struct isa_piece *pieces;
    uint8_t piece_count;
    uint8_t bits;   /* of the value: highest encoded value bit + 1 */
    uint8_t lowest; /* lowest encoded value bit: the value is a multiple of 1 << lowest */
    uint8_t length; /* bytes of the instruction word that the field is in */
};

enum isa_slot {
    ISA_SLOT_R,
    ISA_SLOT_IMM
}; /* the array of a decoded record that holds the operand */

/* The sizes of these arrays, and so the largest number of operands of an instruction or alias.
 * isagen accepts no more. */
enum { ISA_R_SLOTS = 8, ISA_IMM_SLOTS = 2, ISA_OPERAND_LIMIT = ISA_R_SLOTS + ISA_IMM_SLOTS };

/* What an operand is the address or the distance of, as far as coverage counts it. */
enum isa_role { ISA_ROLE_NONE, ISA_ROLE_INPUT, ISA_ROLE_OUTPUT, ISA_ROLE_STRIDE, ISA_ROLE_STEP };

/* The type of the elements of an input, which the state of a unit says. */
struct isa_input_type {
    uint16_t state; /* its number among the state of all units */
    int8_t index;   /* the operand that is the index of the state, or an input whose first element
                       is; -1: the state has no index */
    const char *const *types; /* of the values 0, 1, …, ends with NULL; NULL: the value is the code
                                 of the type */
};

struct isa_operand {
    const char *name;
    const struct isa_operand_type *type;
    const struct isa_field *field; /* NULL for operands of aliases */
    enum isa_slot slot;
    uint8_t slot_index;
    enum isa_role role;  /* of a tensor instruction: */
    uint8_t row;         /* a stride: the operand that is the bytes of a row */
    const char *element; /* an input: the type of its elements; NULL: there is not one type, */
    const struct isa_input_type *by_state; /* but that of the state, or unknown if this is NULL */
};

enum isa_token_kind {
    ISA_TOKEN_LITERAL,
    ISA_TOKEN_OPERAND,
    ISA_TOKEN_OPTIONAL,
    ISA_TOKEN_END_OPTIONAL
};

/* The syntax after the mnemonic: `rd, [imm](rs1)` is OPERAND 0, ',', OPTIONAL, OPERAND 1,
 * END_OPTIONAL, '(', OPERAND 2, ')'. */
struct isa_token {
    enum isa_token_kind kind;
    char literal;
    uint8_t operand;
};

enum isa_argument_kind {
    ISA_ARGUMENT_OPERAND,   /* the alias's operand */
    ISA_ARGUMENT_CONSTANT,  /* number, register, CSR or enum value */
    ISA_ARGUMENT_RELOCATED, /* %operator(operand) */
    ISA_ARGUMENT_FIRST,     /* %operator(@0): address of the expansion's first instruction */
};

struct isa_argument {
    enum isa_argument_kind kind;
    uint8_t operand;           /* OPERAND, RELOCATED: index in the alias */
    const char *operator_name; /* RELOCATED, FIRST: "pcrel_hi" */
    int64_t constant;          /* CONSTANT */
};

/* One instruction of an expansion; arguments in the order of the instruction's operands. */
struct isa_step {
    const struct isa_instruction *instruction;
    const struct isa_argument *arguments;
};

enum isa_expander { ISA_EXPAND_STEPS, ISA_EXPAND_LOAD_IMMEDIATE };

/* A way to write a mnemonic: an instruction's own, or an alias. */
struct isa_form {
    const char *mnemonic;
    const struct isa_token *syntax;
    const struct isa_operand *operands;
    const struct isa_step *steps; /* NULL for the own form of an instruction */
    const struct isa_instruction
        *instruction; /* own form: the instruction; alias: that of its first step */
    const char *extension;
    struct isa_needs needs;
    uint8_t syntax_count, operand_count, step_count;
    enum isa_expander expander;
    bool print; /* the disassembler uses it */
    bool pic;   /* for position-independent code only */
    bool fills; /* what the assembler fills code with */
};

struct isa_constraint {
    bool (*holds)(const int64_t *values); /* values in operand order: register numbers, immediates;
                                             reg-or-imm: raw field */
    const char *message;
};

/* A way to write an instruction as a compressed one: `compressed` with operand values v means
 * `step` with the arguments that v gives it. */
struct isa_compression {
    const struct isa_instruction *compressed;
    struct isa_step step;
};

/* How an instruction of a class may be in a bundle (lib/bundle.h). */
enum isa_bundle {
    ISA_BUNDLE_NONE,      /* it goes alone */
    ISA_BUNDLE_MAIN,      /* in the main pipeline */
    ISA_BUNDLE_LAST,      /* the same, as the second one only */
    ISA_BUNDLE_AUXILIARY, /* in the auxiliary pipeline */
};

struct isa_class {
    const char *name, *summary;
    uint16_t latency; /* cycles; 0: each instruction has its own */
    enum isa_bundle bundle;
};

/* What the execution of an instruction may do. The effects follow from the accessors that its body
 * names (`accessors` in isa/common.yaml). Each is a bit. */
enum isa_effect {
    ISA_EFFECT_LOAD = 1,
    ISA_EFFECT_STORE = 2,
    ISA_EFFECT_TRAP = 4, /* raises an exception */
    ISA_EFFECT_FLOW =
        8, /* continues elsewhere than at the next instruction: it ends a basic block */
    ISA_EFFECT_CSR = 16,   /* reads or writes CSRs */
    ISA_EFFECT_FLOAT = 32, /* depends on the rounding mode, or raises floating-point flags */
    ISA_EFFECT_UNIT = 64,  /* uses the state of a tensor unit */
    ISA_EFFECT_WALK = 128, /* follows a walk of the traversal unit; the row is an operand */
    ISA_EFFECT_CODE = 256, /* may invalidate decoded instructions that follow */
};

#define ISA_DIGEST_BITS 24

/* The most dimensions of what an instruction writes. */
enum { ISA_SHAPE_LIMIT = 4 };

struct isa_instruction {
    const char *mnemonic;
    uint64_t match, mask;        /* fixed and reserved bits */
    uint64_t reserved;           /* the reserved ones among them */
    const struct isa_form *form; /* the instruction's own syntax */
    const struct isa_operand *operands;
    const struct isa_form *const *aliases; /* forms that print it, best first */
    const struct isa_constraint *constraints;
    const struct isa_class *timing;
    const char *extension;                        /* "i", "m", "xmat" */
    struct isa_needs needs;                       /* extensions that have the instruction */
    const struct isa_instruction *inverse, *jump; /* relaxation of a branch, or NULL */
    const struct isa_compression
        *expansion; /* compressed: the instruction that it stands for; else NULL */
    bool (*hint)(const int64_t *values); /* compressed: is it a HINT? NULL: never */
    const struct isa_form *const
        *prints; /* compressed: forms of the base that print it in preference to the others */
    const struct isa_compression
        *compressions; /* base: compressed encodings, to be tried in this order */
    uint8_t compression_count, print_count;
    const char *file; /* where it is described */
    uint32_t line;
    uint64_t digest;  /* of the mnemonic, then ISA_DIGEST_BITS of what the instruction means */
    uint16_t id;      /* enum isa_id of build/gen/isa_ids.h */
    uint16_t effects; /* enum isa_effect; compressed: 0, as the base is executed */
    uint8_t length;   /* bytes: 2, 4, 6 or 8 */
    uint8_t operand_count, alias_count, constraint_count;
    uint16_t
        checked;    /* a bit for each operand whose field can hold a value that isa_fits refuses */
    uint16_t sizes; /* a bit for each operand that is a number of elements, rows or bytes */
    uint8_t shape[ISA_SHAPE_LIMIT], shape_count; /* the operands that are the dimensions of what it
                                                    writes to memory, the outermost first */
    bool alias_only; /* compressed: chosen only where an alias of the base is written */
    bool generic;    /* a form of .insn: it has a layout only */
    bool only_64;    /* RV32 does not have it; that of a compressed one is in its expansion */
    bool privileged; /* an object that has it states its version of the privileged architecture */
};

enum isa_value {
    ISA_VALUE_NONE,
    ISA_VALUE_S_A,
    ISA_VALUE_S_A_P,
    ISA_VALUE_HI_S_A,
    ISA_VALUE_HI_S_A_P,
    ISA_VALUE_LO_S_A,
    ISA_VALUE_LO_PCREL,
    ISA_VALUE_PAIR_S_A_P,
    ISA_VALUE_ADD,
    ISA_VALUE_SUB,
    ISA_VALUE_HI_GOT_P,
    ISA_VALUE_HI_TPREL,
    ISA_VALUE_LO_TPREL,
    ISA_VALUE_TPREL_ADD,
    ISA_VALUE_ALIGN,
    ISA_VALUE_RELAX,
    ISA_VALUE_DYNAMIC,
    ISA_VALUE_HI_GOT_TPREL_P,
    ISA_VALUE_HI_GOT_DTPREL_P,
    ISA_VALUE_DTPREL,
    ISA_VALUE_RESOLVE,
    ISA_VALUE_REBASE,
    ISA_VALUE_GOT_P,
    ISA_VALUE_RELAXED, /* only relaxation makes it; programs keep it for --emit-relocs */
};

enum isa_place {
    ISA_PLACE_NONE,
    ISA_PLACE_FIELD,
    ISA_PLACE_PAIR,
    ISA_PLACE_DATA,
    ISA_PLACE_ULEB128
};

struct isa_relocation {
    const char *name; /* "R_RISCV_HI20" */
    const char *summary;
    const char *operator_name; /* "hi", or NULL */
    uint16_t number;
    enum isa_value value;
    enum isa_place place;
    const struct isa_field *field;  /* FIELD; first of a PAIR */
    const struct isa_field *second; /* PAIR: in the word that follows */
    const struct isa_field *base;   /* the register that is added to a low part; or NULL */
    int8_t pointer;                 /* register that a linker may use as the base; -1: only zero */
    uint8_t data_bits;              /* DATA: 6 8 16 32 64 */
    bool relaxable;
    const struct isa_relocation *relaxed; /* the type that describes the relaxed form; or NULL */
};

struct isa_csr_field {
    const char *name;
    uint8_t lsb, width;
    uint16_t csr; /* the number of the other CSR that has its name; 0: there is none */
};

struct isa_csr {
    const char *name, *summary, *extension;
    struct isa_needs needs;
    const struct isa_csr_field *fields;
    uint16_t number;
    uint8_t field_count;
    bool writable;
    bool is_composed; /* it is made of other CSRs, which all its fields are */
};

/* A name of a CSR that the standard defines; the machine need not have it. */
struct isa_csr_name {
    const char *name;
    const char *extension, *also; /* extensions that have it; or NULL */
    uint16_t number;
    uint8_t since, before; /* places in isa_privileged_versions, from 1: in those from `since`, up
                              to the one before `before`; 0: no limit */
    bool rv32;             /* only a machine of 32 bits has it */
};

/* The versions that extensions have in an older manual. */
struct isa_specification {
    const char *name; /* "2.2" */
    const struct isa_version {
        const char *name, *version; /* version NULL: the manual does not have the extension */
    } * changes;                    /* ends with an entry without a name */
};

/* Is the extension enabled where no architecture is written? */
enum isa_default {
    ISA_DEFAULT_ON,
    ISA_DEFAULT_USED, /* yes, but an object names it only if it uses its instructions */
    ISA_DEFAULT_OFF,
};

struct isa_extension {
    const char *name, *version, *summary;
    enum isa_default initial;
};

/* A name that an architecture string (rv64i2p1_m2p0) may contain: an extension, or a name that
 * implies others or is not described here. */
struct isa_architecture_name {
    const char *name;           /* "m", "zba" */
    const char *version;        /* "2.0"; NULL: the name only stands for those that it implies */
    const char *const *implies; /* names, ends with NULL */
    const char *abi; /* calling convention that compilers use with it; NULL: it changes nothing */
    uint32_t elf_flags; /* bits of e_flags that an object with it has */
    bool described;     /* the description has its instructions */
    bool compresses;    /* it has compressed encodings of other instructions */
};

/* How --print shows elements of a type, where it is not told. */
enum isa_print {
    ISA_PRINT_VALUE,   /* the shortest decimal that reads back as the same bits */
    ISA_PRINT_BITS,    /* 0x3f80 */
    ISA_PRINT_HEXFLOAT /* 0x1.8p+1; floats only */
};

/* A type of the elements of tensors, or of data. */
struct isa_element {
    const char *name, *summary;
    const char *const *directives; /* data directives, ends with NULL */
    const char *const *blocks;     /* directives that repeat one value; ends with NULL */
    uint8_t bits, bytes;           /* bytes: 1, 2, 4 or 8; the bits are the low ones */
    uint8_t exponent, fraction;    /* of a float; exponent 0: an integer */
    uint8_t format;                /* of a float: its enum float_format */
    bool is_signed;                /* integers */
    enum isa_print print;
    int16_t code; /* in instructions and descriptors; -1: tensor units do not have it */
    const struct isa_element *part; /* of a pair: the type of its two numbers; else NULL */
};

/* ---- the tables (build/gen/isa_tables.c) ---- */
extern const struct isa_instruction isa_instructions[]; /* in order of id */
extern const size_t isa_instruction_count;
extern const struct isa_form isa_forms[]; /* sorted by mnemonic (strcmp); forms of one mnemonic in
                                             the order of the YAML, own form first */
extern const size_t isa_form_count;
extern const struct isa_form isa_insn_forms[]; /* of .insn, sorted by their names */
extern const size_t isa_insn_form_count;
extern const struct isa_register_file isa_register_files[];
extern const size_t isa_register_file_count;
extern const struct isa_register_name isa_register_names[];
extern const size_t isa_register_name_count;
extern const struct isa_csr isa_csrs[]; /* sorted by number */
extern const size_t isa_csr_count;
extern const uint16_t isa_csr_places[]; /* by number: one more than the index; 0: none */
extern const struct isa_relocation isa_relocations[]; /* sorted by number */
extern const size_t isa_relocation_count;
extern const struct isa_csr_name isa_csr_names[];
extern const size_t isa_csr_name_count;
/* Versions of the privileged architecture, in ascending order; ends with NULL. */
extern const char *const isa_privileged_versions[];
extern const struct isa_specification isa_specifications[]; /* ends with an entry without a name */
extern const struct isa_extension isa_extensions[];
extern const size_t isa_extension_count;
extern const struct isa_architecture_name isa_architecture_names[];
extern const size_t isa_architecture_name_count;
/* Single letters, and the second letter of names that begin with z, in canonical order. */
extern const char isa_architecture_order[];
extern const struct isa_element isa_elements[];
extern const size_t isa_element_count;
extern const struct isa_class isa_classes[];
extern const size_t isa_class_count;
/* A digest of encodings, operands, syntax and semantics, in hexadecimal digits. */
#define ISA_FINGERPRINT_DIGITS 16
extern const char isa_fingerprint[ISA_FINGERPRINT_DIGITS + 1];

/* ---- functions (lib/isa.c) ---- */

/* Returns the length in bytes of the instruction whose first halfword is `low`, by RISC-V's length
 * rule: 2, 4, 6 or 8; 0 for the longer lengths, which are unused. */
int isa_length(uint16_t low);
/* Is this length 2? Is it more than 4, or none? */
static inline bool isa_is_short(uint16_t low)
{
    return (low & 0x03) != 0x03;
}
static inline bool isa_is_long(uint16_t low)
{
    return (low & 0x1f) == 0x1f;
}

/* Returns the instruction that `word` of `length` bytes encodes. NULL if it is illegal: there is no
 * such encoding, a reserved bit is set, an operand has a reserved value, or a constraint does not
 * hold. */
const struct isa_instruction *isa_decode(uint64_t word, int length);
/* Returns the same where only these extensions are there: the instruction that another one refines
 * in an extension that is not, or NULL. */
const struct isa_instruction *isa_decode_enabled(uint64_t word, int length, isa_set enabled);

/* Returns the base of a compressed instruction, and replaces *word by the encoding of the base. Any
 * other instruction is returned as it is. */
const struct isa_instruction *isa_expand(const struct isa_instruction *instruction, uint64_t *word);

/* Extracts the operand values of a word that isa_decode decoded as `instruction`. A compressed
 * instruction is expanded: the values are those of its base. Returns the instruction that the
 * values belong to. Does the work of isa_expand and isa_extract_all in one step. */
const struct isa_instruction *isa_operands(const struct isa_instruction *instruction, uint64_t word,
                                           int64_t *values);
/* Does a branch lead to the next instruction even when it is taken? A jump that leads there does
 * not: it is always taken. `values` are those of the operands, and `length` the bytes in the
 * program. */
bool isa_is_idle_branch(const struct isa_instruction *instruction, const int64_t *values,
                        unsigned length);

/* Returns the word of an instruction with these operand values: register numbers, immediates;
 * reg-or-imm: the raw field. */
uint64_t isa_encode(const struct isa_instruction *instruction, const int64_t *values);

/* An instruction that pads code. */
struct isa_nop {
    uint64_t word;
    unsigned length;
};

/* Returns the nop that pads code, or its compressed form if there is one; its length is 0 if the
 * instruction set has none. */
struct isa_nop isa_nop(bool compressed);

/* Does the set have what is needed? */
bool isa_has(isa_set set, const struct isa_needs *needs);

/* Returns the first compressed instruction of the `enabled` extensions that does what `instruction`
 * does with `values`, and its operand values. NULL if there is none. `open` is as for isa_compress.
 */
const struct isa_instruction *isa_find_compressed(const struct isa_instruction *instruction,
                                                  const int64_t *values, int open, isa_set enabled,
                                                  int64_t *compressed);

/* Computes the operand values of the compressed instruction that does what the base instruction
 * does with `values`. Returns false if there are none, or if the result would be a HINT. The value
 * of operand `open` (-1: none) is not known yet and may become anything. */
bool isa_compress(const struct isa_compression *compression, const int64_t *values, int open,
                  int64_t *compressed);

/* Says why isa_decode returned NULL ("reserved bits 0x… of fence are set", "no such encoding"). The
 * text is static or in `buffer`. */
const char *isa_explain(uint64_t word, int length, char *buffer, size_t size);

/* Returns the value of a field in a word, sign-extended where the operand type says so. */
int64_t isa_extract(const struct isa_operand *operand, uint64_t word);
/* Extracts the values of all operands of the instruction, in their order. */
void isa_extract_all(const struct isa_instruction *instruction, uint64_t word, int64_t *values);

/* Can the field of the operand hold `value`? Checks width, sign, alignment, group alignment and
 * enum membership. For reg-or-imm, `value` is the raw field. */
bool isa_fits(const struct isa_operand *operand, int64_t value);

/* Can an operand of this type be the register with this number? */
bool isa_is_register(const struct isa_operand_type *type, int64_t number);
/* Returns how many registers the operand of an instruction reads, from number *first on. */
unsigned isa_registers_read(const struct isa_operand *operand, uint64_t word, unsigned *first);

/* Returns `word` with the field set to `value`, which is truncated to the encoded bits. */
uint64_t isa_insert(const struct isa_field *field, uint64_t word, int64_t value);

/* Returns the raw field of a reg-or-imm operand. */
uint64_t isa_ri_register(const struct isa_operand_type *type, unsigned number);
uint64_t isa_ri_immediate(const struct isa_operand_type *type, uint64_t value);
bool isa_ri_is_immediate(const struct isa_operand_type *type, uint64_t raw);
unsigned isa_ri_value(const struct isa_operand_type *type,
                      uint64_t raw); /* register number or immediate */

/* Returns the smallest and the largest value of an immediate or target operand, and the distance
 * between neighboring values. */
void isa_range(const struct isa_operand *operand, int64_t *minimum, int64_t *maximum,
               int64_t *step);

/* Returns the first form of the mnemonic and, in *count, how many there are. NULL if there is
 * none. */
const struct isa_form *isa_find_forms(const char *mnemonic, size_t *count);
/* The same for the forms of .insn. */
const struct isa_form *isa_find_insn_forms(const char *name, size_t *count);
const struct isa_instruction *isa_find_instruction(const char *mnemonic);
/* Finds a register of any file by any of its names. */
const struct isa_register_name *isa_find_register(const char *name);
const struct isa_csr *isa_find_csr(const char *name);
const struct isa_csr *isa_csr_by_number(unsigned number);
/* Is the CSR part of the floating-point state that mstatus.FS describes? */
bool isa_is_float_csr(unsigned number);
/* Does the number say that the CSR is read-only? */
static inline bool isa_csr_is_read_only(uint64_t number)
{
    return (number >> 10 & 3) == 3;
}
/* Returns what the standard says about the name of a CSR, or NULL. */
const struct isa_csr_name *isa_find_csr_name(const char *name);
/* Returns the name of a CSR of the machine or of the present standard, or NULL. */
const char *isa_csr_name(unsigned number);
/* Finds the number of a CSR of the machine or of the standard. */
bool isa_csr_number(const char *name, unsigned *number);
const struct isa_relocation *isa_relocation_by_number(unsigned number);
/* Returns the relocation for `%operator_name(…)` in this operand, or NULL. */
const struct isa_relocation *isa_relocation_for(const char *operator_name,
                                                const struct isa_operand *operand);
/* Returns the relocation that computes this value for this place, for example 32-bit data with the
 * value S + A, or NULL. */
const struct isa_relocation *isa_relocation_of(enum isa_value value, enum isa_place place,
                                               unsigned data_bits);
const struct isa_element *isa_find_element(const char *name);
const struct isa_element *isa_element_by_code(uint32_t code);
/* The same for the numbers of enum isa_element_code: the code of a type, or, for one without a
 * code, ISA_ELEMENT_PLACES and its place in the table. No instruction or descriptor has the latter.
 */
const struct isa_element *isa_element_by_number(uint32_t number);

/* Returns a random legal word of the instruction, for tests: operand values are random, with each
 * bound now and then; ignored bits are 0. isa_decode of the result gives the instruction. `state`
 * is the generator's state (any seed); the same state gives the same word. */
uint64_t isa_random_word(const struct isa_instruction *instruction, uint64_t *state);

#endif

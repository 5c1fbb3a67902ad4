/* aarch64 as gather reads it: see reader.h. The encodings are those of "Arm Architecture Reference
 * Manual for A-profile architecture", C4. */
#include "emu/native/stencils/reader.h"

#include <elf.h>
#include <stdint.h>

/* Where instructions name registers: the lowest bits of the fields. */
enum { RD = 0, RN = 5, RA = 10, RM = 16 };

struct decoder {
    uint32_t word;
    struct stencil_field *fields;
    size_t count;
};

static uint32_t read_word(const unsigned char *code)
{
    return (uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
           (uint32_t)code[3] << 24;
}

static unsigned bits(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & ((2u << (high - low)) - 1);
}

static void add(struct decoder *decoder, unsigned shift)
{
    decoder->fields[decoder->count++] =
        (struct stencil_field){.shift = shift & 31, .operand = decoder->word >> shift & 31};
}

/* The functions below add the fields of a group. They return false for instructions that are not
 * known. */

static bool decode_immediate(struct decoder *decoder)
{
    unsigned group = bits(decoder->word, 25, 23);

    add(decoder, RD);
    if (group == 3) /* tags of memory */
        return false;
    if (group > 1 && group != 5) /* neither an address nor a move */
        add(decoder, RN);
    if (group == 7) /* EXTR */
        add(decoder, RM);
    return true;
}

static bool decode_branch(struct decoder *decoder)
{
    uint32_t word = decoder->word;

    if (bits(word, 30, 26) == 0x05 || bits(word, 31, 24) == 0x54 || word == 0xd503201f)
        return true;                  /* B, BL, B.cond, NOP */
    if (bits(word, 30, 26) == 0x0d) { /* CBZ, CBNZ, TBZ, TBNZ */
        add(decoder, RD);
        return true;
    }
    add(decoder, RN);
    return (word & 0xff9ffc1f) == 0xd61f0000; /* BR, BLR, RET */
}

static bool decode_access(struct decoder *decoder)
{
    uint32_t word = decoder->word;
    bool is_float = bits(word, 26, 26);
    unsigned group = bits(word, 29, 27);

    add(decoder, RD);
    add(decoder, RN);
    if (group == 5) { /* a pair */
        add(decoder, RA);
        return true;
    }
    if (group == 1 && !is_float && !bits(word, 24, 24)) { /* exclusive, or with an order */
        add(decoder, RA);
        add(decoder, RM);
        return true;
    }
    if (group != 7 || (!is_float && bits(word, 31, 30) == 3 && bits(word, 23, 22) == 2))
        return false; /* from a literal, a structure; or a prefetch, which has no RD */
    if (!bits(word, 24, 24) && bits(word, 21, 21)) {
        add(decoder, RM);
        return bits(word, 11, 10) == 2; /* not an atomic operation */
    }
    return true;
}

static bool decode_register(struct decoder *decoder)
{
    uint32_t word = decoder->word;
    unsigned group = bits(word, 28, 24), kind = bits(word, 23, 21);

    add(decoder, RN);
    if (group == 0x1a && kind == 2) { /* CCMP, CCMN */
        if (!bits(word, 11, 11))
            add(decoder, RM);
        return true;
    }
    add(decoder, RD);
    if (group == 0x1a && kind == 6 && bits(word, 30, 30)) /* of one operand */
        return true;
    add(decoder, RM);
    if (group == 0x1b) /* MADD and its kind */
        add(decoder, RA);
    return group == 0x0a || group == 0x0b || group == 0x1b || kind == 4 || kind == 6 ||
           (kind == 0 && bits(word, 15, 10) == 0);
}

/* The registers of integers and of floating point that stand for operands have the same numbers. */
static void add_all(struct decoder *decoder, bool has_second)
{
    add(decoder, RD);
    add(decoder, RN);
    if (has_second)
        add(decoder, RM);
}

/* Arithmetic of single numbers, their conversion, and moves from and to registers of integers. */
static bool decode_scalar(struct decoder *decoder)
{
    uint32_t word = decoder->word;
    unsigned kind = bits(word, 11, 10);
    bool is_compared = kind == 1 || bits(word, 13, 10) == 8; /* FCMP, FCCMP: no RD */

    if (bits(word, 24, 24)) { /* FMADD and its kind */
        add_all(decoder, true);
        add(decoder, RA);
    } else if (!bits(word, 21, 21)) { /* of fixed point */
        add_all(decoder, false);
    } else if (bits(word, 12, 10) == 4) { /* FMOV of an immediate */
        add(decoder, RD);
    } else if (is_compared) {
        add(decoder, RN);
        add(decoder, RM);
    } else {
        add_all(decoder, kind != 0); /* one operand: an opcode is there */
    }
    return true;
}

/* Arithmetic of vectors with an element or an immediate. */
static bool decode_vector_immediate(struct decoder *decoder)
{
    uint32_t word = decoder->word;

    if (!bits(word, 10, 10)) { /* an element: if of halves, its number is part of RM */
        add_all(decoder, true);
        return bits(word, 23, 22) >= 2;
    }
    add(decoder, RD);
    if (bits(word, 22, 19)) /* a shift, not MOVI and its kind */
        add(decoder, RN);
    return !bits(word, 23, 23);
}

static bool decode_vector(struct decoder *decoder)
{
    uint32_t word = decoder->word;

    if (bits(word, 24, 24))
        return decode_vector_immediate(decoder);
    bool is_usual = bits(word, 21, 21); /* else a permutation, or of halves */
    bool is_single = is_usual && bits(word, 11, 10) == 2;
    bool is_copy = bits(word, 23, 21) == 0 && bits(word, 10, 10); /* DUP, INS, UMOV */
    bool is_list = !bits(word, 29, 29) && bits(word, 11, 10) == 0 && bits(word, 14, 13); /* TBL */
    add_all(decoder, !is_single && !is_copy);
    return is_usual || (!bits(word, 15, 15) && !is_list);
}

static bool decode_float(struct decoder *decoder)
{
    bool is_scalar = bits(decoder->word, 30, 30) == 0 && bits(decoder->word, 28, 28);

    if (is_scalar)
        return !bits(decoder->word, 29, 29) && decode_scalar(decoder);
    return !bits(decoder->word, 31, 31) && decode_vector(decoder);
}

static size_t decode(const unsigned char *code, size_t length, struct stencil_field *fields,
                     size_t *field_count, unsigned *uses)
{
    struct decoder decoder = {.fields = fields};
    bool known = false;

    (void)uses; /* host_arm.h has no temporaries */
    *field_count = 0;
    if (length < 4)
        return 0;
    decoder.word = read_word(code);
    switch (bits(decoder.word, 28, 25)) {
    case 8:
    case 9:
        known = decode_immediate(&decoder);
        break;
    case 10:
    case 11:
        known = decode_branch(&decoder);
        break;
    case 4:
    case 6:
    case 12:
    case 14:
        known = decode_access(&decoder);
        break;
    case 5:
    case 13:
        known = decode_register(&decoder);
        break;
    case 7:
    case 15:
        known = decode_float(&decoder);
        break;
    default:
        break;
    }
    *field_count = decoder.count;
    return known ? 4 : 0;
}

static bool is_jump(const unsigned char *code)
{
    return bits(read_word(code), 31, 26) == 0x05;
}

static bool is_indirect_jump(const unsigned char *code)
{
    return (read_word(code) & 0xfffffc1f) == 0xd61f0000;
}

/* Sign-extends the field, and makes bytes of words. */
static int64_t distance_of(uint32_t word, unsigned high, unsigned low)
{
    int64_t words = bits(word, high, low);

    return (words - (words >> (high - low) << (high - low + 1))) * 4;
}

static bool find_branch(const unsigned char *code, int64_t *distance, enum hole_form *form)
{
    uint32_t word = read_word(code);

    if (is_jump(code)) {
        *form = FORM_ARM_JUMP;
        *distance = distance_of(word, 25, 0);
    } else if (bits(word, 31, 24) == 0x54 || bits(word, 30, 25) == 0x1a) {
        *form = FORM_ARM_BRANCH;
        *distance = distance_of(word, 23, 5);
    } else if (bits(word, 30, 25) == 0x1b) {
        *form = FORM_ARM_TEST;
        *distance = distance_of(word, 18, 5);
    } else {
        return false;
    }
    return true;
}

static bool find_form(unsigned type, int64_t *addend, enum hole_form *form)
{
    (void)addend;
    switch (type) {
    case R_AARCH64_JUMP26:
        *form = FORM_ARM_JUMP;
        return true;
    case R_AARCH64_MOVW_SABS_G1:
    case R_AARCH64_MOVW_UABS_G1:
        *form = FORM_ARM_HIGH;
        return true;
    case R_AARCH64_MOVW_UABS_G0_NC:
        *form = FORM_ARM_LOW;
        return true;
    case R_AARCH64_MOVW_SABS_G0:
        *form = FORM_ARM_SMALL;
        return true;
    case R_AARCH64_ADD_ABS_LO12_NC:
        *form = FORM_ARM_ADD;
        return true;
    case R_AARCH64_LDST64_ABS_LO12_NC:
        *form = FORM_ARM_OFFSET;
        return true;
    default:
        return false;
    }
}

static void clear(unsigned char *code, const struct stencil_field *field, unsigned number)
{
    for (unsigned i = 0; i < sizeof(uint32_t); i++)
        code[field->at + i] ^= (unsigned char)(number << field->shift >> 8 * i);
}

const struct reader arm_reader = {
    .machine = EM_AARCH64,
    .operand0 = 24,
    .jump_size = 4,
    .is_jump = is_jump,
    .decode = decode,
    .clear = clear,
    .find_form = find_form,
    .is_indirect_jump = is_indirect_jump,
    .find_branch = find_branch,
};

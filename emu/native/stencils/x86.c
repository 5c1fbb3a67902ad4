/* x86-64 as gather reads it: see reader.h. The lengths are those of "Intel 64 and IA-32
 * Architectures Software Developer's Manual", volume 2, appendix A. */
#include "emu/native/stencils/reader.h"

#include <elf.h>
#include <stdint.h>

enum { RCX = 1, RDX = 2 };

enum { REX_B = 0, REX_X = 1, REX_R = 2, REX_W = 3 };

struct decoder {
    const unsigned char *code;
    size_t length, at, rex;
    bool has_rex, is_short; /* prefix 66 */
    bool is_vex;            /* the bits of REX are inverted, in the byte `rex`, from bit 5 on */
    bool is_group;          /* ModRM has three bits of the opcode instead of a register */
    unsigned uses;          /* bits: registers below 8 */
    struct stencil_field *fields;
    size_t count;
};

/* Notes that a register below 8 is used; also of floating point, which is harmless. Without a REX,
 * 5 and 6 may be CH and DH. */
static void use(struct decoder *decoder, unsigned number)
{
    decoder->uses |= 1u << number;
    if (!decoder->has_rex && (number == 5 || number == 6))
        decoder->uses |= number == 5 ? 1u << RCX : 1u << RDX;
}

static void add_field(struct decoder *decoder, size_t at, unsigned shift, unsigned bit)
{
    unsigned prefix = decoder->code[decoder->rex], number = decoder->code[at] >> shift & 7u;

    if (decoder->is_vex) {
        bit += 5;
        prefix = ~prefix;
    }
    if (!decoder->has_rex || !(prefix >> bit & 1))
        use(decoder, number);
    else
        decoder->fields[decoder->count++] = (struct stencil_field){.at = at & (STENCIL_BYTES - 1),
                                                                   .shift = shift & 7,
                                                                   .back = (at - decoder->rex) & 15,
                                                                   .bit = bit & 7,
                                                                   .operand = (8 + number) & 15};
}

/* The operand of a VEX instruction that is in the prefix: four bits, inverted. */
static void add_vex_operand(struct decoder *decoder, size_t at)
{
    unsigned number = ~(unsigned)decoder->code[at] >> 3 & 15;

    if (number < 8)
        use(decoder, number);
    else
        decoder->fields[decoder->count++] = (struct stencil_field){
            .at = at & (STENCIL_BYTES - 1), .shift = 3, .bit = 6, .operand = number & 15};
}

static bool in(unsigned value, unsigned first, unsigned last)
{
    return value >= first && value <= last;
}

/* Reads ModRM, SIB and displacement. */
static void read_modrm(struct decoder *decoder)
{
    size_t at = decoder->at++;
    unsigned mode = decoder->code[at] >> 6, rm = decoder->code[at] & 7;

    if (!decoder->is_group)
        add_field(decoder, at, 3, REX_R);
    if (mode == 3) {
        add_field(decoder, at, 0, REX_B);
        return;
    }
    bool has_base = true;
    if (rm == 4) {
        size_t sib = decoder->at++;
        add_field(decoder, sib, 3, REX_X);
        has_base = mode != 0 || (decoder->code[sib] & 7) != 5;
        if (has_base)
            add_field(decoder, sib, 0, REX_B);
    } else {
        has_base = mode != 0 || rm != 5;
        if (has_base)
            add_field(decoder, at, 0, REX_B);
    }
    decoder->at += mode == 1 ? 1 : mode == 2 || !has_base ? 4 : 0;
}

/* Returns whether the opcode of one byte has a ModRM, and the bytes of its immediate; -1: not
 * known. */
static int one_byte(const struct decoder *decoder, unsigned opcode, bool *modrm)
{
    int full = decoder->is_short ? 2 : 4;
    bool is_wide = decoder->has_rex && decoder->code[decoder->rex] >> REX_W & 1;

    *modrm = false;
    if (opcode < 0x40) {
        *modrm = (opcode & 7) < 4;
        return (opcode & 7) < 4 ? 0 : (opcode & 7) == 4 ? 1 : (opcode & 7) == 5 ? full : -1;
    }
    if (in(opcode, 0x50, 0x5f) || in(opcode, 0x90, 0x99) || opcode == 0xc3)
        return 0;
    if (in(opcode, 0x70, 0x7f) || opcode == 0xeb || in(opcode, 0xb0, 0xb7) || opcode == 0xa8)
        return 1;
    if (opcode == 0xe8 || opcode == 0xe9)
        return 4;
    if (opcode == 0xa9)
        return full;
    if (in(opcode, 0xb8, 0xbf))
        return is_wide ? 8 : full;
    *modrm = true;
    if (opcode == 0x63 || in(opcode, 0x84, 0x8b) || opcode == 0x8d || in(opcode, 0xd0, 0xd3) ||
        opcode == 0xff || opcode == 0xfe)
        return 0;
    if (opcode == 0x80 || opcode == 0x83 || opcode == 0xc0 || opcode == 0xc1 || opcode == 0xc6 ||
        opcode == 0x6b)
        return 1;
    if (opcode == 0x81 || opcode == 0xc7 || opcode == 0x69)
        return full;
    if (opcode == 0xf6)
        return (decoder->code[decoder->at] >> 3 & 7) < 2 ? 1 : 0;
    if (opcode == 0xf7)
        return (decoder->code[decoder->at] >> 3 & 7) < 2 ? full : 0;
    return -1;
}

/* The same for those after 0f. */
static int two_bytes(unsigned opcode, bool *modrm)
{
    *modrm = true;
    if (in(opcode, 0x80, 0x8f)) {
        *modrm = false;
        return 4;
    }
    if (in(opcode, 0xc8, 0xcf)) {
        *modrm = false;
        return 0;
    }
    if (opcode == 0xa4 || opcode == 0xac || opcode == 0xba || opcode == 0xc2 || opcode == 0xc6 ||
        in(opcode, 0xc4, 0xc5) || opcode == 0x70 || in(opcode, 0x71, 0x73))
        return 1;
    if (in(opcode, 0x10, 0x17) || in(opcode, 0x28, 0x2f) || in(opcode, 0x40, 0x6f) ||
        in(opcode, 0x74, 0x76) || in(opcode, 0x7e, 0x7f) || in(opcode, 0x90, 0x9f) ||
        opcode == 0xa3 || opcode == 0xa5 || opcode == 0xab || opcode == 0xad || opcode == 0xaf ||
        opcode == 0xae || opcode == 0xb3 || in(opcode, 0xb6, 0xb8) || in(opcode, 0xbb, 0xbf) ||
        in(opcode, 0xd0, 0xff) || opcode == 0x1f)
        return 0;
    return -1;
}

static size_t decode_vex(struct decoder *decoder, size_t *field_count, unsigned *uses)
{
    bool is_long = decoder->code[decoder->at] == 0xc4, modrm;
    unsigned map = is_long ? decoder->code[decoder->at + 1] & 31 : 1;

    decoder->has_rex = decoder->is_vex = true;
    decoder->rex = decoder->at + 1;
    decoder->at += is_long ? 3 : 2;
    add_vex_operand(decoder, decoder->at - 1);
    int immediate = map == 1   ? two_bytes(decoder->code[decoder->at++], &modrm)
                    : map == 2 ? (decoder->at++, 0)
                    : map == 3 ? (decoder->at++, 1)
                               : -1;
    if (immediate < 0)
        return 0;
    if (!is_long) { /* has no bits for the base and the index, and R in bit 7 as the long one */
        size_t at = decoder->at;
        read_modrm(decoder);
        use(decoder, decoder->code[at] & 7u);
        if (decoder->code[at] >> 6 != 3 && (decoder->code[at] & 7) == 4) {
            use(decoder, decoder->code[at + 1] & 7u);
            use(decoder, decoder->code[at + 1] >> 3 & 7u);
        }
        size_t kept = 0;
        for (size_t i = 0; i < decoder->count; i++)
            if (decoder->fields[i].at < at ||
                (decoder->fields[i].at == at && decoder->fields[i].shift == 3))
                decoder->fields[kept++] = decoder->fields[i];
        decoder->count = kept;
    } else {
        read_modrm(decoder);
    }
    decoder->at += (size_t)immediate;
    *field_count = decoder->count;
    *uses |= decoder->uses;
    return decoder->at <= decoder->length ? decoder->at : 0;
}

/* Is the register of ModRM part of the opcode of one byte? */
static bool is_group(unsigned opcode)
{
    return in(opcode, 0x80, 0x83) || opcode == 0xc0 || opcode == 0xc1 || opcode == 0xc6 ||
           opcode == 0xc7 || in(opcode, 0xd0, 0xd3) || opcode == 0xf6 || opcode == 0xf7 ||
           opcode == 0xfe || opcode == 0xff;
}

/* Does the opcode of one byte change RDX without naming it: CQO, and products and quotients? */
static bool changes_rdx(const struct decoder *decoder, unsigned opcode)
{
    return opcode == 0x99 ||
           ((opcode == 0xf6 || opcode == 0xf7) && decoder->code[decoder->at] >> 5 & 1);
}

/* Is this a prefix: one of operand sizes and opcodes, or a segment, which long NOPs have? */
static bool is_prefix(unsigned byte)
{
    return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x3e;
}

static size_t decode(const unsigned char *code, size_t length, struct stencil_field *fields,
                     size_t *field_count, unsigned *uses)
{
    struct decoder decoder = {.code = code, .length = length, .fields = fields};
    bool modrm;

    *field_count = 0;
    while (decoder.at < length && is_prefix(code[decoder.at]))
        decoder.is_short |= code[decoder.at++] == 0x66;
    if (decoder.at < length && in(code[decoder.at], 0x40, 0x4f)) {
        decoder.has_rex = true;
        decoder.rex = decoder.at++;
    }
    if (decoder.at + 3 < length && (code[decoder.at] == 0xc4 || code[decoder.at] == 0xc5))
        return decode_vex(&decoder, field_count, uses);
    if (decoder.at + 1 > length)
        return 0;
    size_t opcode_at = decoder.at;
    unsigned opcode = code[decoder.at++];
    int immediate;
    if (opcode == 0x0f && decoder.at < length) {
        opcode_at = decoder.at;
        opcode = code[decoder.at++];
        if (opcode == 0x38 || opcode == 0x3a) {
            immediate = opcode == 0x3a;
            modrm = true;
            decoder.at++;
        } else {
            immediate = two_bytes(opcode, &modrm);
            decoder.is_group = opcode == 0xae; /* LDMXCSR and STMXCSR */
        }
        if (!modrm && in(opcode, 0xc8, 0xcf))
            add_field(&decoder, opcode_at, 0, REX_B);
    } else {
        immediate = one_byte(&decoder, opcode, &modrm);
        decoder.is_group = is_group(opcode);
        if (changes_rdx(&decoder, opcode))
            decoder.uses |= 1u << RDX;
        if (in(opcode, 0x50, 0x5f) || in(opcode, 0xb0, 0xbf) || in(opcode, 0x90, 0x97))
            add_field(&decoder, opcode_at, 0, REX_B);
    }
    if (immediate < 0)
        return 0;
    if (modrm)
        read_modrm(&decoder);
    decoder.at += (size_t)immediate;
    *field_count = decoder.count;
    *uses |= decoder.uses;
    return decoder.at <= length ? decoder.at : 0;
}

static bool is_jump(const unsigned char *code)
{
    return code[0] == 0xe9;
}

static bool find_form(unsigned type, int64_t *addend, enum hole_form *form)
{
    bool is_relative = type == R_X86_64_PC32 || type == R_X86_64_PLT32;

    *form = is_relative ? FORM_X86_RELATIVE : FORM_X86_ABSOLUTE;
    if (is_relative) /* from the end of the hole */
        *addend += 4;
    return is_relative || type == R_X86_64_32S || type == R_X86_64_32;
}

static void clear(unsigned char *code, const struct stencil_field *field, unsigned number)
{
    code[field->at] ^= (unsigned char)((number & 7) << field->shift);
    code[field->at - field->back] ^= (unsigned char)(number >> 3 << field->bit);
}

const struct reader x86_reader = {
    .machine = EM_X86_64,
    .operand0 = 8,
    .jump_size = 5,
    .jump_hole = 1,
    .is_jump = is_jump,
    .decode = decode,
    .clear = clear,
    .find_form = find_form,
};

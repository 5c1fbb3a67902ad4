/* Writing .eh_frame and .debug_frame.
 *
 * The contents of these sections depend on the layout of the code that they describe. Therefore
 * lengths and pointers are differences of labels, and an advance of the location that the linker
 * may change is a fragment (FRAGMENT_ADVANCE). The instructions of a function before its first
 * advance go to the CIE, which functions with the same initial instructions share. The other
 * instructions go to the FDE. */
#include "asm/frame.h"
#include "asm/expression.h"
#include "asm/generate.h"
#include "asm/tasm.h"
#include "lib/bytes.h"
#include <dwarf.h>
#include <string.h>

enum {
    CODE_ALIGNMENT = 1,
    CODE_POINTER = DW_EH_PE_pcrel | DW_EH_PE_sdata4,
    ENTRY_ALIGNMENT = 4,
    SECTION_ALIGNMENT = 8
};

struct cie {
    const struct frame *frame; /* the first function that uses it */
    struct symbol *start;
    struct cie *next;
};

/* The state of writing one of the two sections. */
struct writer {
    struct assembler *as;
    const struct position *at; /* of the function being written */
    bool eh_frame;             /* else .debug_frame */
    struct cie *first;
};

/* ---- advances ---- */

size_t frame_advance_size(uint64_t distance)
{
    if (distance < 1 << 6)
        return 1;
    return distance < 1 << 8 ? 2 : distance < 1 << 16 ? 3 : 5;
}

void frame_put_advance(unsigned char *place, size_t size, uint64_t distance)
{
    if (size == 1) {
        place[0] = (unsigned char)(DW_CFA_advance_loc | distance);
        return;
    }
    place[0] = (unsigned char)(size == 2   ? DW_CFA_advance_loc1
                               : size == 3 ? DW_CFA_advance_loc2
                                           : DW_CFA_advance_loc4);
    bytes_put(place + 1, distance, (unsigned)size - 1);
}

/* ---- parts of entries ---- */

static unsigned pointer_size(unsigned char encoding)
{
    return (encoding & 7) == DW_EH_PE_udata4 ? 4 : 8;
}

/* Appends a pointer in the encoding that a directive has chosen. */
static void put_pointer(struct writer *writer, unsigned char encoding,
                        struct expression *expression)
{
    struct assembler *as = writer->as;
    struct value value;

    if (!expression_evaluate(as, expression, false, &value))
        return;
    if (value.subtract || (!value.add && encoding & DW_EH_PE_pcrel)) {
        struct position at = expression_place(expression);
        diag_error(as->diag, &at, "expected an address, found a %s",
                   value.subtract ? "difference of addresses" : "number");
        return;
    }
    if (encoding & DW_EH_PE_pcrel)
        expression =
            generate_difference(as, writer->at, expression, generate_label(as, writer->at));
    generate_expression(as, writer->at, expression, pointer_size(encoding));
}

/* Appends the length of an entry; returns the label of its end, which finish_entry defines. */
static struct symbol *begin_entry(struct writer *writer, struct symbol **start)
{
    *start = symbol_here(writer->as, ".L0 ");
    return generate_length(writer->as, writer->at);
}

static void finish_entry(struct writer *writer, struct symbol *end, bool last)
{
    uint64_t alignment = writer->eh_frame && !last ? ENTRY_ALIGNMENT : SECTION_ALIGNMENT;
    struct fragment *fragment = section_variable(writer->as, FRAGMENT_ALIGN, writer->at);

    fragment->alignment = alignment;
    fragment->pattern_length = 1; /* DW_CFA_nop, which is 0 */
    generate_define(writer->as, end);
}

/* ---- common information entries ---- */

/* Returns the instructions that may go to the CIE; NULL if there are none. */
static const struct frame_piece *initial(const struct frame *frame)
{
    const struct frame_piece *piece = frame->first;

    return piece && !piece->to && !piece->stays ? piece : NULL;
}

static bool same_expression(struct assembler *as, const struct expression *a,
                            const struct expression *b)
{
    struct value first, second;

    if (!a || !b)
        return a == b;
    return expression_evaluate(as, a, true, &first) && expression_evaluate(as, b, true, &second) &&
           first.add == second.add && first.subtract == second.subtract &&
           first.constant == second.constant;
}

static size_t initial_length(const struct frame *frame)
{
    const struct frame_piece *piece = initial(frame);

    return piece ? piece->length : 0;
}

/* May b use the CIE made for a? Its instructions have to begin with those of the CIE. They are
 * compared as bytes, which is exact because no instruction is a prefix of another. */
static bool may_share(const struct writer *writer, const struct frame *a, const struct frame *b)
{
    size_t length = initial_length(a);

    return a->return_column == b->return_column && a->signal == b->signal &&
           (!writer->eh_frame || (a->personality_encoding == b->personality_encoding &&
                                  a->lsda_encoding == b->lsda_encoding &&
                                  same_expression(writer->as, a->personality, b->personality))) &&
           length <= initial_length(b) &&
           (!length || memcmp(initial(a)->bytes, initial(b)->bytes, length) == 0);
}

/* Appends the augmentation string and its data (LSB 5.0, 10.6.1.1.1). */
static void put_augmentation(struct writer *writer, const struct frame *frame)
{
    struct assembler *as = writer->as;
    bool has_personality = frame->personality_encoding != DW_EH_PE_omit;
    bool has_lsda = frame->lsda_encoding != DW_EH_PE_omit;

    if (!writer->eh_frame) {
        generate_bytes(as, writer->at, "S", frame->signal);
        generate_number(as, writer->at, 0, 1);
        return;
    }
    const char *text = arena_format(as->arena, "z%s%sR%s", has_personality ? "P" : "",
                                    has_lsda ? "L" : "", frame->signal ? "S" : "");
    generate_bytes(as, writer->at, text, strlen(text) + 1);
}

static void put_augmentation_data(struct writer *writer, const struct frame *frame)
{
    struct assembler *as = writer->as;
    bool has_personality = frame->personality_encoding != DW_EH_PE_omit;
    bool has_lsda = frame->lsda_encoding != DW_EH_PE_omit;
    unsigned length = 1;

    if (!writer->eh_frame)
        return;
    length += has_personality ? 1 + pointer_size(frame->personality_encoding) : 0;
    length += has_lsda;
    generate_unsigned(as, writer->at, length);
    if (has_personality) {
        generate_number(as, writer->at, frame->personality_encoding, 1);
        put_pointer(writer, frame->personality_encoding, frame->personality);
    }
    if (has_lsda)
        generate_number(as, writer->at, frame->lsda_encoding, 1);
    generate_number(as, writer->at, CODE_POINTER, 1);
}

static struct cie *find_cie(struct writer *writer, const struct frame *frame)
{
    struct assembler *as = writer->as;

    for (struct cie *cie = writer->first; cie; cie = cie->next)
        if (may_share(writer, cie->frame, frame))
            return cie;
    struct cie *cie = arena_new(as->arena, struct cie);
    cie->frame = frame;
    cie->next = writer->first;
    writer->first = cie;
    struct symbol *end = begin_entry(writer, &cie->start);
    generate_number(as, writer->at, writer->eh_frame ? 0 : UINT32_MAX, 4);
    unsigned version = as->options.cie_version ? as->options.cie_version : 3;
    generate_number(as, writer->at, version, 1);
    put_augmentation(writer, frame);
    if (version > 3) {
        generate_number(as, writer->at, 8, 1); /* size of an address */
        generate_number(as, writer->at, 0, 1); /* size of a segment selector */
    }
    generate_unsigned(as, writer->at, CODE_ALIGNMENT);
    generate_signed(as, writer->at, FRAME_DATA_ALIGNMENT);
    if (version == 1 && frame->return_column > UINT8_MAX)
        diag_error(as->diag, frame->at,
                   "the return column %u does not fit in version 1 of call frame records; "
                   "'--gdwarf-cie-version=3' has room for it",
                   frame->return_column);
    if (version == 1)
        generate_number(as, writer->at, frame->return_column & UINT8_MAX, 1);
    else
        generate_unsigned(as, writer->at, frame->return_column);
    put_augmentation_data(writer, frame);
    const struct frame_piece *piece = initial(frame);
    if (piece)
        generate_bytes(as, writer->at, piece->bytes, piece->length);
    finish_entry(writer, end, false);
    return cie;
}

/* ---- frame description entries ---- */

static void put_range(struct writer *writer, const struct frame *frame)
{
    struct assembler *as = writer->as;
    struct expression *start = expression_symbol(as, writer->at, frame->start);
    struct expression *end = expression_symbol(as, writer->at, frame->end);
    unsigned size = writer->eh_frame ? 4 : 8;

    if (writer->eh_frame)
        put_pointer(writer, CODE_POINTER, start);
    else
        generate_expression(as, writer->at, start, size);
    generate_expression(as, writer->at, generate_difference(as, writer->at, end, start), size);
    if (!writer->eh_frame)
        return;
    bool has_lsda = frame->lsda_encoding != DW_EH_PE_omit;
    generate_unsigned(as, writer->at, has_lsda ? pointer_size(frame->lsda_encoding) : 0);
    if (has_lsda)
        put_pointer(writer, frame->lsda_encoding, frame->lsda);
}

static void put_step(struct writer *writer, const struct frame_piece *piece)
{
    struct assembler *as = writer->as;

    if (piece->movable) {
        struct fragment *fragment = section_variable(as, FRAGMENT_ADVANCE, writer->at);
        fragment->from = piece->from;
        fragment->to = piece->to;
        return;
    }
    unsigned char bytes[FRAME_ADVANCE_LIMIT];
    uint64_t distance = piece->to->offset - piece->from->offset;
    size_t size = frame_advance_size(distance);
    frame_put_advance(bytes, size, distance);
    generate_bytes(as, writer->at, bytes, size);
}

static void write_frame(struct writer *writer, const struct frame *frame)
{
    struct assembler *as = writer->as;
    struct symbol *start, *end;

    writer->at = frame->at;
    const struct cie *cie = find_cie(writer, frame);
    struct expression *entry = expression_symbol(as, writer->at, cie->start);
    end = begin_entry(writer, &start);
    generate_expression(
        as, writer->at,
        writer->eh_frame
            ? generate_difference(as, writer->at, generate_label(as, writer->at), entry)
            : entry,
        4);
    put_range(writer, frame);
    size_t shared = initial_length(cie->frame);
    for (const struct frame_piece *piece = frame->first; piece; piece = piece->next) {
        if (piece->to)
            put_step(writer, piece);
        else
            generate_bytes(as, writer->at, piece->bytes + shared, piece->length - shared);
        shared = 0;
    }
    finish_entry(writer, end, !frame->next);
}

static void write_section(struct assembler *as, bool eh_frame)
{
    struct writer writer = {.as = as, .eh_frame = eh_frame};

    generate_section(as, eh_frame ? ".eh_frame" : ".debug_frame", eh_frame ? SHF_ALLOC : 0,
                     SECTION_ALIGNMENT);
    for (const struct frame *frame = as->frames.first; frame; frame = frame->next)
        write_frame(&writer, frame);
    section_pop(as);
}

void frames_finish(struct assembler *as)
{
    bool open = false;

    for (const struct frame *frame = as->frames.first; frame; frame = frame->next) {
        if (frame->end)
            continue;
        diag_error(as->diag, frame->at, "'.cfi_startproc' without '.cfi_endproc'");
        open = true;
    }
    if (open || !as->frames.first)
        return;
    if (!as->frames.no_eh_frame)
        write_section(as, true);
    if (as->frames.debug_frame)
        write_section(as, false);
}

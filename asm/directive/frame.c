/* The .cfi_* directives. Each is encoded when it is read.
 *
 * A subsection has at most one open frame, which the directives in it belong to. The pieces of a
 * frame are in the order of its code. */
#include "asm/frame.h"
#include "asm/directive/directive.h"
#include "isa_ids.h"
#include "lib/leb128.h"
#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

enum {
    CSR_COLUMN = 4096, /* psABI, "DWARF Register Numbers": of CSR 0 */
    REGISTER_LIMIT = 8191
};

/* ---- encoding ---- */

static void put_byte(struct assembler *as, struct frame_piece *piece, unsigned byte)
{
    piece->bytes = arena_grow(as->arena, piece->bytes, piece->length, &piece->capacity, 1);
    piece->bytes[piece->length++] = (unsigned char)byte;
}

static void put_bytes(struct assembler *as, struct frame_piece *piece, const unsigned char *bytes,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_byte(as, piece, bytes[i]);
}

static void put_unsigned(struct assembler *as, struct frame_piece *piece, uint64_t value)
{
    unsigned char bytes[LEB128_LIMIT];

    put_bytes(as, piece, bytes, leb128_put_unsigned(bytes, value));
}

static void put_signed(struct assembler *as, struct frame_piece *piece, int64_t value)
{
    unsigned char bytes[LEB128_LIMIT];

    put_bytes(as, piece, bytes, leb128_put_signed(bytes, value));
}

static struct frame_piece *add_piece(struct assembler *as, struct frame *frame)
{
    struct frame_piece *piece = arena_new(as->arena, struct frame_piece);

    if (frame->last)
        frame->last->next = piece;
    else
        frame->first = piece;
    return frame->last = piece;
}

/* Returns the run to encode into. With `stays` it is one that does not move to a CIE. */
static struct frame_piece *run(struct assembler *as, struct frame *frame, bool stays)
{
    struct frame_piece *last = frame->last;

    if (last && !last->to && (last->stays || !stays))
        return last;
    struct frame_piece *piece = add_piece(as, frame);
    piece->stays = stays;
    return piece;
}

/* ---- the open frame ---- */

bool frame_is_fixed(const struct symbol *from, const struct fixup *fixup, const struct symbol *to)
{
    if (from->fragment != to->fragment)
        return false;
    for (fixup = fixup ? fixup->next : symbol_section(from)->fixups; fixup; fixup = fixup->next) {
        const struct isa_relocation *relocation = fixup_relocation(fixup);
        if (fixup->fragment != from->fragment || fixup->offset < from->offset)
            continue;
        if (fixup->offset >= to->offset)
            break;
        if (!relocation && !fixup->is_address && fixup->operand &&
            fixup->operand->type->kind == ISA_TARGET)
            return false;
        if (relocation &&
            (relocation->value == ISA_VALUE_ALIGN || relocation->value == ISA_VALUE_HI_S_A ||
             relocation->value == ISA_VALUE_HI_S_A_P || relocation->value == ISA_VALUE_HI_TPREL ||
             relocation->value == ISA_VALUE_TPREL_ADD || relocation->value == ISA_VALUE_PAIR_S_A_P))
            return false;
    }
    return true;
}

/* Returns the open frame, or NULL after a diagnostic. */
static struct frame *open_frame(struct assembler *as, const struct parsed *parsed)
{
    struct frame *frame = as->sections.current.subsection->frame;
    struct position at = name_place(parsed);

    if (!frame)
        diag_error(as->diag, &at, "'%s' without a '.cfi_startproc' before it in section '%s'",
                   parsed->name, as->sections.current.section->name);
    return frame;
}

/* Returns the open frame after advancing its location to the current one; NULL after a
 * diagnostic. */
static struct frame *frame_here(struct assembler *as, const struct parsed *parsed)
{
    struct frame *frame = open_frame(as, parsed);

    if (!frame)
        return NULL;
    const struct fragment *fragment = section_fragment(as);
    if (frame->here->fragment == fragment && frame->here->offset == fragment->length)
        return frame;
    struct symbol *here = symbol_here(as, ".L0 ");
    struct frame_piece *step = add_piece(as, frame);
    step->from = frame->here;
    step->to = here;
    step->movable = !frame_is_fixed(frame->here, frame->fixup, here);
    frame->here = here;
    frame->fixup = symbol_section(here)->last_fixup;
    return frame;
}

/* ---- arguments ---- */

/* Reads a register: its name, or its DWARF number, which counts x, then f (psABI, "DWARF register
 * numbers"). */
static bool register_argument(struct assembler *as, const struct parsed *parsed, size_t index,
                              unsigned *number)
{
    struct expression *expression = argument_expression(as, parsed, index);

    if (!expression)
        return false;
    if (expression->kind == EXPRESSION_NAME) {
        const struct isa_register_name *name = expression_register(expression);
        unsigned first = 0;
        for (size_t i = 0; name && &isa_register_files[i] != name->file; i++)
            if (isa_register_files[i].standard)
                first += isa_register_files[i].count;
        unsigned csr;
        if (!name && isa_csr_number(expression->name, &csr)) {
            *number = CSR_COLUMN + csr;
            return true;
        }
        if (name && !name->file->standard) {
            struct position at = argument_place(parsed, index);
            diag_error(
                as->diag, &at,
                "register '%s' has no number in DWARF; expected a register of the files that "
                "RISC-V has, or a CSR",
                expression->name);
            return false;
        }
        if (name) {
            *number = first + name->number;
            return true;
        }
    }
    int64_t value;
    if (!argument_number(as, parsed, index, &value))
        return false;
    if (value < 0 || value > REGISTER_LIMIT) {
        struct position at = argument_place(parsed, index);
        diag_error(as->diag, &at, "%" PRId64 " is not a register number; expected 0..%d", value,
                   REGISTER_LIMIT);
        return false;
    }
    *number = (unsigned)value;
    return true;
}

static bool check_offset(struct assembler *as, const struct parsed *parsed, size_t index,
                         int64_t offset)
{
    if (offset % FRAME_DATA_ALIGNMENT == 0)
        return true;
    struct position at = argument_place(parsed, index);
    diag_error(as->diag, &at, "the offset %" PRId64 " is not a multiple of %d", offset,
               -FRAME_DATA_ALIGNMENT);
    return false;
}

/* ---- directives ---- */

static void sections(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    bool eh_frame = false, debug_frame = false;

    for (size_t i = 0; i < parsed->argument_count; i++) {
        const char *name = argument_text(as, parsed, i);
        struct position at = argument_place(parsed, i);
        if (strcmp(name, ".eh_frame") == 0)
            eh_frame = true;
        else if (strcmp(name, ".debug_frame") == 0)
            debug_frame = true;
        else
            diag_error(as->diag, &at,
                       "call frames cannot go to '%s'; expected .eh_frame or .debug_frame", name);
    }
    as->frames.no_eh_frame = !eh_frame;
    as->frames.debug_frame = debug_frame;
}

static void start(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    struct subsection *subsection = as->sections.current.subsection;
    struct position at = name_place(parsed);
    bool simple = false;

    if (parsed->argument_count && !argument_is_empty(parsed, 0)) {
        simple = strcmp(argument_text(as, parsed, 0), "simple") == 0;
        struct position argument = argument_place(parsed, 0);
        if (!simple) {
            diag_error(as->diag, &argument, "expected 'simple' or nothing after '%s'",
                       parsed->name);
            return;
        }
    }
    if (subsection->frame) {
        diag_error(as->diag, &at, "'.cfi_startproc' within another; '.cfi_endproc' is missing");
        diag_note(as->diag, subsection->frame->at, "the other begins here");
        return;
    }
    struct frame *frame = arena_new(as->arena, struct frame);
    frame->at = position_new(as, at);
    frame->start = frame->here = symbol_here(as, ".L0 ");
    frame->fixup = symbol_section(frame->start)->last_fixup;
    frame->return_column = ISA_REGISTER_RA;
    frame->personality_encoding = frame->lsda_encoding = DW_EH_PE_omit;
    if (as->frames.last)
        as->frames.last->next = frame;
    else
        as->frames.first = frame;
    as->frames.last = subsection->frame = frame;
    if (simple)
        return;
    put_byte(as, run(as, frame, false), DW_CFA_def_cfa);
    put_byte(as, frame->last, ISA_REGISTER_SP);
    put_byte(as, frame->last, 0);
}

static void finish(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    struct frame *frame = open_frame(as, parsed);

    if (!frame)
        return;
    frame->end = symbol_here(as, ".L0 ");
    as->sections.current.subsection->frame = NULL;
}

static void define_offset(struct assembler *as, struct frame *frame)
{
    struct frame_piece *piece = run(as, frame, false);

    if (frame->cfa_offset < 0) {
        put_byte(as, piece, DW_CFA_def_cfa_offset_sf);
        put_signed(as, piece, frame->cfa_offset / FRAME_DATA_ALIGNMENT);
    } else {
        put_byte(as, piece, DW_CFA_def_cfa_offset);
        put_unsigned(as, piece, (uint64_t)frame->cfa_offset);
    }
}

/* .cfi_def_cfa REGISTER, OFFSET */
static void define_cfa(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    unsigned number;
    int64_t offset;
    struct frame *frame = frame_here(as, parsed);

    if (!frame || !register_argument(as, parsed, 0, &number) ||
        !argument_number(as, parsed, 1, &offset) ||
        (offset < 0 && !check_offset(as, parsed, 1, offset)))
        return;
    struct frame_piece *piece = run(as, frame, false);
    put_byte(as, piece, offset < 0 ? DW_CFA_def_cfa_sf : DW_CFA_def_cfa);
    put_unsigned(as, piece, number);
    if (offset < 0)
        put_signed(as, piece, offset / FRAME_DATA_ALIGNMENT);
    else
        put_unsigned(as, piece, (uint64_t)offset);
    frame->cfa_offset = offset;
}

/* .cfi_def_cfa_offset OFFSET, .cfi_adjust_cfa_offset CHANGE */
static void define_cfa_offset(struct assembler *as, const struct parsed *parsed, int adjust)
{
    int64_t offset;
    struct frame *frame = frame_here(as, parsed);

    if (!frame || !argument_number(as, parsed, 0, &offset))
        return;
    if (adjust)
        offset = (int64_t)((uint64_t)offset + (uint64_t)frame->cfa_offset);
    if (offset < 0 && !check_offset(as, parsed, 0, offset))
        return;
    frame->cfa_offset = offset;
    define_offset(as, frame);
}

/* The place where a register was saved: .cfi_offset, .cfi_rel_offset, .cfi_val_offset. */
enum { SAVED, SAVED_RELATIVE, SAVED_VALUE };
static void saved(struct assembler *as, const struct parsed *parsed, int way)
{
    unsigned number;
    int64_t offset;
    struct frame *frame = frame_here(as, parsed);

    if (!frame || !register_argument(as, parsed, 0, &number) ||
        !argument_number(as, parsed, 1, &offset))
        return;
    if (way == SAVED_RELATIVE)
        offset = (int64_t)((uint64_t)offset - (uint64_t)frame->cfa_offset);
    if (!check_offset(as, parsed, 1, offset))
        return;
    int64_t factored = offset / FRAME_DATA_ALIGNMENT;
    struct frame_piece *piece = run(as, frame, false);
    if (way != SAVED_VALUE && factored >= 0 && number < 64) {
        put_byte(as, piece, DW_CFA_offset + number);
    } else {
        unsigned plain = way == SAVED_VALUE ? DW_CFA_val_offset : DW_CFA_offset_extended;
        unsigned with_sign = way == SAVED_VALUE ? DW_CFA_val_offset_sf : DW_CFA_offset_extended_sf;
        put_byte(as, piece, factored < 0 ? with_sign : plain);
        put_unsigned(as, piece, number);
    }
    if (factored < 0)
        put_signed(as, piece, factored);
    else
        put_unsigned(as, piece, (uint64_t)factored);
}

/* Directives whose arguments are registers: .cfi_register, .cfi_undefined … */
static void registers(struct assembler *as, const struct parsed *parsed, int opcode)
{
    unsigned number;
    struct frame *frame = frame_here(as, parsed);

    for (size_t i = 0; frame && i < parsed->argument_count; i++) {
        if (!register_argument(as, parsed, i, &number))
            return;
        struct frame_piece *piece = run(as, frame, false);
        if (opcode == DW_CFA_restore) {
            put_byte(as, piece, number < 64 ? DW_CFA_restore + number : DW_CFA_restore_extended);
            if (number < 64)
                continue;
        } else if (opcode != DW_CFA_register || !i) {
            put_byte(as, piece, (unsigned)opcode);
        }
        put_unsigned(as, piece, number);
    }
}

static void remember(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    struct frame *frame = frame_here(as, parsed);

    if (!frame)
        return;
    frame->remembered = arena_grow(as->arena, frame->remembered, frame->remembered_count,
                                   &frame->remembered_capacity, sizeof *frame->remembered);
    frame->remembered[frame->remembered_count++] = frame->cfa_offset;
    put_byte(as, run(as, frame, true), DW_CFA_remember_state);
}

static void restore(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    struct frame *frame = frame_here(as, parsed);
    struct position at = name_place(parsed);

    if (!frame)
        return;
    if (!frame->remembered_count) {
        diag_error(as->diag, &at, "'.cfi_restore_state' without '.cfi_remember_state'");
        return;
    }
    frame->cfa_offset = frame->remembered[--frame->remembered_count];
    put_byte(as, run(as, frame, false), DW_CFA_restore_state);
}

static void escape(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    int64_t byte;
    struct frame *frame = frame_here(as, parsed);

    for (size_t i = 0; frame && i < parsed->argument_count; i++) {
        if (!argument_number(as, parsed, i, &byte))
            return;
        if (byte < -128 || byte > 255) {
            struct position at = argument_place(parsed, i);
            diag_error(as->diag, &at, "%" PRId64 " is not a byte; expected -128..255", byte);
            return;
        }
        put_byte(as, run(as, frame, true), (unsigned)byte & 0xff);
    }
}

static void signal_frame(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    struct frame *frame = open_frame(as, parsed);

    if (frame)
        frame->signal = true;
}

static void return_column(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    struct frame *frame = open_frame(as, parsed);

    if (frame)
        register_argument(as, parsed, 0, &frame->return_column);
}

/* Checks that relocations can compute an encoding of pointers (LSB 10.5): absolute in 4 or 8 bytes,
 * or PC-relative in 4. */
static bool check_encoding(struct assembler *as, const struct parsed *parsed, int64_t encoding)
{
    if (encoding == DW_EH_PE_omit)
        return true;
    int64_t format = encoding & 0x0f, application = encoding & 0x70;
    int64_t size = format & ~DW_EH_PE_signed;
    bool four = size == DW_EH_PE_udata4, eight = size == DW_EH_PE_udata8 || !format;
    if (encoding >= 0 && encoding < DW_EH_PE_omit &&
        ((four && (!application || application == DW_EH_PE_pcrel)) || (eight && !application)))
        return true;
    struct position at = argument_place(parsed, 0);
    diag_error(as->diag, &at,
               "pointer encoding %#" PRIx64 " has no relocation; expected 0x03, 0x0b, 0x1b, 0x9b, "
               "0x00, 0x04, 0x0c or 0xff (none)",
               (uint64_t)encoding);
    return false;
}

/* .cfi_personality ENCODING[, SYMBOL]; .cfi_lsda likewise. */
static void pointer(struct assembler *as, const struct parsed *parsed, int is_lsda)
{
    int64_t encoding;
    struct expression *expression = NULL;
    struct frame *frame = open_frame(as, parsed);

    if (!frame || !argument_number(as, parsed, 0, &encoding) ||
        !check_encoding(as, parsed, encoding))
        return;
    if (encoding != DW_EH_PE_omit) {
        if (!(expression = argument_expression(as, parsed, 1)))
            return;
        expression = expression_keep(as, expression);
    } else if (parsed->argument_count > 1) {
        struct position at = argument_place(parsed, 1);
        diag_error(as->diag, &at,
                   "encoding 0xff means that there is no pointer; expected no symbol");
        return;
    }
    if (is_lsda) {
        frame->lsda = expression;
        frame->lsda_encoding = (unsigned char)encoding;
    } else {
        frame->personality = expression;
        frame->personality_encoding = (unsigned char)encoding;
    }
}

static void refuse(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    struct position at = name_place(parsed);
    diag_error(as->diag, &at, "'%s' is not supported for RISC-V", parsed->name);
}

const struct directive directives_frame[] = {
    {".cfi_sections", sections, 0, 0, 2},
    {".cfi_startproc", start, 0, 0, 1},
    {".cfi_endproc", finish, 0, 0, 0},
    {".cfi_personality", pointer, 0, 1, 2},
    {".cfi_lsda", pointer, 1, 1, 2},
    {".cfi_def_cfa", define_cfa, 0, 2, 2},
    {".cfi_def_cfa_register", registers, DW_CFA_def_cfa_register, 1, 1},
    {".cfi_def_cfa_offset", define_cfa_offset, 0, 1, 1},
    {".cfi_adjust_cfa_offset", define_cfa_offset, 1, 1, 1},
    {".cfi_offset", saved, SAVED, 2, 2},
    {".cfi_rel_offset", saved, SAVED_RELATIVE, 2, 2},
    {".cfi_val_offset", saved, SAVED_VALUE, 2, 2},
    {".cfi_register", registers, DW_CFA_register, 2, 2},
    {".cfi_restore", registers, DW_CFA_restore, 1, 255},
    {".cfi_undefined", registers, DW_CFA_undefined, 1, 255},
    {".cfi_same_value", registers, DW_CFA_same_value, 1, 255},
    {".cfi_remember_state", remember, 0, 0, 0},
    {".cfi_restore_state", restore, 0, 0, 0},
    {".cfi_return_column", return_column, 0, 1, 1},
    {".cfi_signal_frame", signal_frame, 0, 0, 0},
    {".cfi_escape", escape, 0, 1, 255},
    {".cfi_window_save", refuse, 0, 0, 255},
    {".cfi_inline_lsda", refuse, 0, 0, 255},
    {".cfi_fde_data", refuse, 0, 0, 255},
    {".cfi_personality_id", refuse, 0, 0, 255},
    {".cfi_val_encoded_addr", refuse, 0, 0, 255},
    {".cfi_label", refuse, 0, 0, 255},
    {0},
};

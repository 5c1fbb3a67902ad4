/*
 * Encoding diagrams of the manual: boxes from the most significant bit down, 32 bits a row. A box
 * is a run of bits with one meaning: a piece of an operand's field, or bits with fixed values (`/`
 * reserved, `-` ignored).
 */
#include "isa/isagen/manual.h"

#include <string.h>

enum { ROW_BITS = 32, ROW_BOXES = 32 };

struct box {
    unsigned high, low;
    const char *text;
    size_t width;
};

struct meaning {
    const struct spec_field *field; /* NULL: the bits do not belong to a field */
    const struct isa_piece *piece;
};

static struct meaning meaning_of(const struct spec_layout *layout, unsigned bit)
{
    for (size_t i = 0; i < layout->field_count; i++) {
        const struct spec_field *field = layout->fields[i];
        for (size_t k = 0; k < field->piece_count; k++)
            if (bit >= field->pieces[k].word_lsb &&
                bit < field->pieces[k].word_lsb + (unsigned)field->pieces[k].width)
                return (struct meaning){field, &field->pieces[k]};
    }
    return (struct meaning){NULL, NULL};
}

static const struct spec_operand *operand_of(const struct spec_instruction *instruction,
                                             const struct spec_field *field)
{
    for (size_t i = 0; field && i < instruction->operands.count; i++)
        if (instruction->operands.items[i].field == field)
            return &instruction->operands.items[i];
    return NULL;
}

static const char *fixed_text(struct arena *arena, const struct spec_instruction *instruction,
                              unsigned high, unsigned low)
{
    char *text = arena_alloc(arena, high - low + 2);

    for (unsigned bit = high + 1, i = 0; bit-- > low; i++) {
        uint64_t mask = UINT64_C(1) << bit;
        text[i] = instruction->reserved & mask  ? '/'
                  : !(instruction->mask & mask) ? '-'
                  : instruction->match & mask   ? '1'
                                                : '0';
    }
    return text;
}

static const char *box_text(struct arena *arena, const struct spec_instruction *instruction,
                            unsigned high, unsigned low)
{
    struct meaning meaning = meaning_of(instruction->layout, low);
    const struct spec_operand *operand = operand_of(instruction, meaning.field);

    if (!operand)
        return fixed_text(arena, instruction, high, low);
    unsigned value_low = meaning.piece->value_lsb + low - meaning.piece->word_lsb;
    unsigned value_high = value_low + high - low;
    if (meaning.field->piece_count == 1 && !meaning.field->lowest &&
        high - low + 1u == meaning.piece->width)
        return operand->name;
    return value_high == value_low
               ? arena_format(arena, "%s[%u]", operand->name, value_low)
               : arena_format(arena, "%s[%u:%u]", operand->name, value_high, value_low);
}

static void emit_row(struct emitter *emitter, const struct box *boxes, size_t count)
{
    struct text *text = &emitter->text;
    struct text rule = TEXT_INIT;

    for (size_t i = 0; i < count; i++) {
        text_append_char(&rule, '+');
        for (size_t k = 0; k < boxes[i].width; k++)
            text_append_char(&rule, '-');
    }
    text_append(&rule, "+\n");
    for (size_t i = 0; i < count; i++) {
        size_t start = text->length;
        text_format(text, " %u", boxes[i].high);
        size_t low_digits = boxes[i].low < 10 ? 1 : 2;
        while (boxes[i].high != boxes[i].low &&
               text->length - start + low_digits < boxes[i].width + 1)
            text_append_char(text, ' ');
        if (boxes[i].high != boxes[i].low)
            text_format(text, "%u", boxes[i].low);
        while (text->length - start < boxes[i].width + 1)
            text_append_char(text, ' ');
    }
    while (text->bytes[text->length - 1] == ' ')
        text->bytes[--text->length] = 0;
    text_format(text, "\n%s", rule.bytes);
    for (size_t i = 0; i < count; i++) {
        size_t blanks = boxes[i].width - strlen(boxes[i].text);
        text_format(text, "|%*s%s%*s", (int)(blanks / 2), "", boxes[i].text,
                    (int)(blanks - blanks / 2), "");
    }
    text_format(text, "|\n%s", rule.bytes);
    text_free(&rule);
}

static void emit_bits(struct emitter *emitter, const struct spec_instruction *instruction,
                      unsigned top, unsigned bottom)
{
    struct box boxes[ROW_BOXES];
    size_t count = 0;

    for (unsigned high = top + 1; high-- > bottom;) {
        struct meaning meaning = meaning_of(instruction->layout, high);
        unsigned low = high;
        while (low > bottom) {
            struct meaning next = meaning_of(instruction->layout, low - 1);
            if (next.field != meaning.field || next.piece != meaning.piece)
                break;
            low--;
        }
        struct box *box = &boxes[count++];
        *box = (struct box){high, low, box_text(emitter->spec->arena, instruction, high, low), 0};
        box->width = strlen(box->text) + 2;
        size_t numbers = high == low ? 2 : 6;
        if (box->width < numbers)
            box->width = numbers;
        high = low;
    }
    emit_row(emitter, boxes, count);
}

void emit_diagram(struct emitter *emitter, const struct spec_instruction *instruction)
{
    text_append(&emitter->text, "```\n");
    for (unsigned top = instruction->layout->bits; top;) {
        unsigned rest = top % ROW_BITS, bottom = top - (rest ? rest : ROW_BITS);
        emit_bits(emitter, instruction, top - 1, bottom);
        top = bottom;
    }
    text_append(&emitter->text, "```\n\n");
}

/* The elementwise instructions of the matrix unit: mms and mcvt (machine.md, 2).
 *
 * A type that the paths of matrix_path.h cannot widen is widened here, an element at a time. Its
 * products are those of f32 then.
 *
 * A product with a float scalar is one operation of the host's `float`, as in matrix_multiply.c,
 * and is then converted to the type. So mms.T is a product in f32 followed by mcvt.T.f32. The work
 * is done in blocks, which also bounds the time between two checks of the deadline. */
#include "emu/units/matrix_kernel.h"

#include "lib/arena.h"
#include <string.h>

enum { BLOCK = 256 /* elements */ };

static void scale_floats(uint32_t *words, size_t count, uint32_t scalar)
{
    float factor, value;

    memcpy(&factor, &scalar, sizeof factor);
    for (size_t i = 0; i < count; i++) {
        memcpy(&value, &words[i], sizeof value);
        value = value * factor;
        memcpy(&words[i], &value, sizeof value);
    }
}

static void scale_integers(uint32_t *words, size_t count, uint32_t scalar)
{
    for (size_t i = 0; i < count; i++)
        words[i] *= scalar;
}

/* Converts words of scaled elements to elements of the type: floats are rounded, integers wrap. */
static void narrow(const struct element_type *type, void *out, const uint32_t *words, size_t count)
{
    const struct element_type f32 = element_type(ISA_ELEMENT_F32);

    for (size_t i = 0; i < count; i++) {
        uint64_t bits = words[i];
        if (type->is_float)
            bits = type->format == FLOAT_F32 ? matrix_canonical(words[i])
                                             : element_convert(type, &f32, bits);
        element_store(type, out, i, bits);
    }
}

/* Widens floats of any type to f32. */
static void widen_general(const struct element_type *type, uint32_t *words, const void *in,
                          size_t count)
{
    const struct element_type f32 = element_type(ISA_ELEMENT_F32);

    for (size_t i = 0; i < count; i++)
        words[i] = (uint32_t)element_convert(&f32, type, element_load(type, in, i));
}

bool matrix_scale(struct matrix_unit *unit, const struct port *port, enum isa_element_code type,
                  void *out, const void *in, uint64_t size, uint64_t scalar)
{
    const struct element_type *element = &unit->types[type];
    struct patience patience = {.port = port};
    uint32_t words[BLOCK];

    for (uint64_t first = 0; first < size; first += BLOCK) {
        size_t count = size - first < BLOCK ? size - first : BLOCK;
        float_environment saved = float_environment_default();
        const unsigned char *from = (const unsigned char *)in + first * element->bytes;
        if (unit->widenings[type].is_general)
            widen_general(element, words, from, count);
        else
            unit->path->widen(&unit->widenings[type], words, from, count);
        if (element->is_float)
            scale_floats(words, count, (uint32_t)scalar);
        else
            scale_integers(words, count, (uint32_t)scalar);
        float_environment_restore(saved);
        narrow(element, (unsigned char *)out + first * element->bytes, words, count);
        if (!patience_lasts(&patience, count))
            return false;
    }
    return true;
}

bool matrix_convert(struct matrix_unit *unit, const struct port *port, enum isa_element_code to,
                    enum isa_element_code from, void *out, const void *in, uint64_t size)
{
    const struct element_type *target = &unit->types[to], *source = &unit->types[from];
    struct patience patience = {.port = port};

    for (uint64_t i = 0; i < size; i++) {
        element_store(target, out, i, element_convert(target, source, element_load(source, in, i)));
        if (!patience_lasts(&patience, 1))
            return false;
    }
    return true;
}

/* Returns the elements as f32, or NULL when the deadline passes first. */
static const uint32_t *widened(const struct element_type *type, struct patience *patience,
                               struct arena *arena, const void *in, uint64_t count)
{
    uint32_t *words = arena_array(arena, count, sizeof *words);

    for (uint64_t first = 0; first < count; first += BLOCK) {
        size_t block = count - first < BLOCK ? count - first : BLOCK;
        widen_general(type, words + first, (const unsigned char *)in + first * type->bytes, block);
        if (!patience_lasts(patience, block))
            return NULL;
    }
    return words;
}

bool matrix_multiply_general(struct matrix_unit *unit, const struct port *port,
                             const struct product *product)
{
    const struct element_type *type = &unit->types[product->type];
    struct product wide = *product;
    struct patience patience = {.port = port};
    struct arena arena = {0};

    wide.type = ISA_ELEMENT_F32;
    wide.a = widened(type, &patience, &arena, product->a, product->m * product->k);
    wide.b = widened(type, &patience, &arena, product->b, product->k * product->n);
    bool in_time = wide.a && wide.b && matrix_multiply(unit, port, &wide);
    arena_free(&arena);
    return in_time;
}

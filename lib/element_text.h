/* Elements of arrays as text that is the same on every host and loses nothing: a printed float
 * reads back as the same bits, by a strtod that rounds once into the type. */
#ifndef LIB_ELEMENT_TEXT_H
#define LIB_ELEMENT_TEXT_H

#include "lib/diag.h"
#include "lib/isa.h"
#include "lib/text.h"

enum { ELEMENT_DIMENSIONS = 8 };

/* An array, and how it is printed. */
struct element_array {
    const struct isa_element *type;
    unsigned rank; /* 0: one element */
    uint64_t dimensions[ELEMENT_DIMENSIONS];
    enum isa_print form;
    bool table; /* in columns, with long rows folded and blocks separated */
};

uint64_t element_count(const struct element_array *array); /* UINT64_MAX: too many */

/* Reads `:value`, `:hex` or `:hexfloat`, and `:table`, in any order, or nothing. Returns the place
 * in the text of what is none of these, or of the second of a kind; NULL if there is none. */
const char *element_read_forms(struct element_array *array, const char *text);
/* Adds the names of the forms, with their colons. */
void element_suggest_forms(struct suggestion *suggestion);
/* Has the type the form? Hexadecimal floats are for floats. */
bool element_has_form(const struct element_array *array);

/* Appends the names of all types of elements, with spaces between them. */
void element_append_types(struct text *text);

/* Appends an element, which has type->bytes bytes. A pair is 1.5-2i. */
void element_append(struct text *text, const struct isa_element *type, enum isa_print form,
                    const void *bytes);
/* Appends `NAME:TYPE[DIMENSIONS] =` and the elements as nested brackets, with one row of the innermost
 * dimension in a line. */
void element_append_array(struct text *text, const char *name, const struct element_array *array,
                          const void *bytes);

#endif

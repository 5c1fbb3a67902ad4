/* The order of extensions in an architecture string: single letters, then names with z, s and x,
 * those with z by the letter that follows. The order of letters comes from the ISA description. */
#include "lib/architecture.h"
#include <string.h>

const struct isa_architecture_name *architecture_find(const char *name)
{
    for (size_t i = 0; i < isa_architecture_name_count; i++)
        if (!strcmp(isa_architecture_names[i].name, name))
            return &isa_architecture_names[i];
    return NULL;
}

bool architecture_is_letter(char letter)
{
    return letter && strchr(isa_architecture_order, letter);
}

enum architecture_family architecture_family(const char *name)
{
    if (!name[1])
        return ARCHITECTURE_LETTER;
    return *name == 'z'   ? ARCHITECTURE_UNPRIVILEGED
           : *name == 's' ? ARCHITECTURE_PRIVILEGED
                          : ARCHITECTURE_VENDOR;
}

/* Letters of no known place come behind the others, in the order of the alphabet. */
static int letter_place(char letter)
{
    const char *place = letter ? strchr(isa_architecture_order, letter) : NULL;
    return place ? (int)(place - isa_architecture_order) : 256 + (unsigned char)letter;
}

int architecture_compare(const char *a, const char *b)
{
    enum architecture_family family = architecture_family(a);
    int order = (int)family - (int)architecture_family(b);
    if (order)
        return order;
    if (family == ARCHITECTURE_LETTER)
        return letter_place(*a) - letter_place(*b);
    order = family == ARCHITECTURE_UNPRIVILEGED ? letter_place(a[1]) - letter_place(b[1]) : 0;
    return order ? order : strcmp(a, b);
}

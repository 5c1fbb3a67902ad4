/* Names of extensions: what each brings along, and its version where the ISA description does not
 * have it.
 *
 * A name that is here but not in the description may stand in an architecture, as compilers write
 * it; its instructions are unknown. Versions are the ratified ones. Source: RISC-V Unprivileged
 * ISA, "ISA Extension Naming Conventions", and the chapters of the extensions; RISC-V Privileged
 * ISA. */
#include "asm/arch.h"
#include <string.h>

static const struct arch_name names[] = {
    {"g", NULL, "i m a f d zicsr zifencei"},
    {"m", NULL, "zmmul"},
    {"f", NULL, "zicsr"},
    {"d", NULL, "f"},
    {"q", "2p2", "d"},
    {"v", "1p0", "zve64d zvl128b"},
    {"h", "1p0", "zicsr"},
    {"zmmul", "1p0", NULL},
    {"zicbom", "1p0", NULL},
    {"zicbop", "1p0", NULL},
    {"zicboz", "1p0", NULL},
    {"zicntr", "2p0", "zicsr"},
    {"zihpm", "2p0", "zicsr"},
    {"zihintpause", "2p0", NULL},
    {"zawrs", "1p0", NULL},
    {"ztso", "0p1", NULL},
    {"zfinx", "1p0", "zicsr"},
    {"zdinx", "1p0", "zfinx"},
    {"zqinx", "1p0", "zdinx"},
    {"zhinxmin", "1p0", "zfinx"},
    {"zhinx", "1p0", "zhinxmin"},
    {"zfhmin", "1p0", "f"},
    {"zfh", "1p0", "zfhmin"},
    {"zba", "1p0", NULL},
    {"zbb", "1p0", NULL},
    {"zbc", "1p0", NULL},
    {"zbs", "1p0", NULL},
    {"zbkb", "1p0", NULL},
    {"zbkc", "1p0", NULL},
    {"zbkx", "1p0", NULL},
    {"zk", "1p0", "zkn zkr zkt"},
    {"zkn", "1p0", "zbkb zbkc zbkx zkne zknd zknh"},
    {"zknd", "1p0", NULL},
    {"zkne", "1p0", NULL},
    {"zknh", "1p0", NULL},
    {"zkr", "1p0", NULL},
    {"zks", "1p0", "zbkb zbkc zbkx zksed zksh"},
    {"zksed", "1p0", NULL},
    {"zksh", "1p0", NULL},
    {"zkt", "1p0", NULL},
    {"zve32x", "1p0", "zvl32b"},
    {"zve32f", "1p0", "f zve32x"},
    {"zve64x", "1p0", "zve32x zvl64b"},
    {"zve64f", "1p0", "zve32f zve64x"},
    {"zve64d", "1p0", "d zve64f"},
    {"zvl32b", "1p0", NULL},
    {"zvl64b", "1p0", "zvl32b"},
    {"zvl128b", "1p0", "zvl64b"},
    {"zvl256b", "1p0", "zvl128b"},
    {"zvl512b", "1p0", "zvl256b"},
    {"zvl1024b", "1p0", "zvl512b"},
    {"zvl2048b", "1p0", "zvl1024b"},
    {"zvl4096b", "1p0", "zvl2048b"},
    {"zvl8192b", "1p0", "zvl4096b"},
    {"zvl16384b", "1p0", "zvl8192b"},
    {"zvl32768b", "1p0", "zvl16384b"},
    {"zvl65536b", "1p0", "zvl32768b"},
    {"smaia", "1p0", "ssaia"},
    {"smepmp", "1p0", "zicsr"},
    {"smstateen", "1p0", "ssstateen"},
    {"ssaia", "1p0", "zicsr"},
    {"sscofpmf", "1p0", "zicsr"},
    {"ssstateen", "1p0", "zicsr"},
    {"sstc", "1p0", "zicsr"},
    {"svinval", "1p0", NULL},
    {"svnapot", "1p0", NULL},
    {"svpbmt", "1p0", NULL},
    {0},
};

/* Canonical order of single letters, and of the families that the second letter of z… names. */
static const char letter_order[] = "eigmafdqlcbkjtpvnh";

const struct arch_name *arch_names(void)
{
    return names;
}

const struct arch_name *arch_find_name(const char *name)
{
    for (const struct arch_name *known = names; known->name; known++)
        if (!strcmp(known->name, name))
            return known;
    return NULL;
}

bool arch_is_letter(char letter)
{
    return letter && strchr(letter_order, letter);
}

enum arch_family arch_family(const char *name)
{
    if (!name[1])
        return ARCH_LETTER;
    return *name == 'z' ? ARCH_UNPRIVILEGED : *name == 's' ? ARCH_PRIVILEGED : ARCH_VENDOR;
}

static int letter_place(char letter)
{
    const char *place = letter ? strchr(letter_order, letter) : NULL;
    return place ? (int)(place - letter_order) : (int)sizeof letter_order;
}

int arch_compare_names(const char *a, const char *b)
{
    enum arch_family family = arch_family(a);
    int order = (int)family - (int)arch_family(b);
    if (order)
        return order;
    if (family == ARCH_LETTER)
        return letter_place(*a) - letter_place(*b);
    order = family == ARCH_UNPRIVILEGED ? letter_place(a[1]) - letter_place(b[1]) : 0;
    return order ? order : strcmp(a, b);
}

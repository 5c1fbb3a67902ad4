/*
 * The `csrs` section. RISC-V Privileged ISA, 2.1: bits 11:10 of a CSR's number are 11 exactly if it
 * is read-only.
 */
#include "isa/isagen/spec.h"

#include <stdlib.h>
#include <string.h>

/* Parses "2:0" or "4". */
static bool parse_range(const char *text, uint64_t *high, uint64_t *low)
{
    size_t length = strcspn(text, ":");
    char first[4] = "";

    if (length >= sizeof first)
        return false;
    memcpy(first, text, length);
    if (!node_parse_unsigned(first, high))
        return false;
    *low = *high;
    if (text[length] && !node_parse_unsigned(text + length + 1, low))
        return false;
    return *high < 64 && *low <= *high;
}

static void read_fields(struct spec *spec, struct spec_csr *csr, const struct node *node)
{
    uint64_t used = 0;

    if (!node || !node_expect(&spec->context, node, NODE_MAPPING, "fields"))
        return;
    csr->fields = arena_array(spec->arena, node->count, sizeof *csr->fields);
    for (size_t i = 0; i < node->count; i++) {
        const struct node *key = node->items[2 * i], *range = node->items[2 * i + 1];
        uint64_t high, low;
        const char *text = node_text(&spec->context, range, "field");
        if (!text)
            continue;
        if (!node_is_name(key->text, false)) {
            diag_error(spec->diag, &key->at, "'%s' is not a name for a field of CSR '%s'",
                       key->text, csr->name);
            continue;
        }
        if (!parse_range(text, &high, &low)) {
            diag_error(spec->diag, &range->at,
                       "field '%s' is '%s'; expected its bits as \"high:low\" or \"bit\"",
                       key->text, text);
            continue;
        }
        uint64_t mask = UINT64_MAX >> (63 - high) & UINT64_MAX << low;
        if (used & mask)
            diag_error(spec->diag, &range->at, "bit %d of CSR '%s' belongs to two fields",
                       __builtin_ctzll(used & mask), csr->name);
        used |= mask;
        csr->fields[csr->field_count++] =
            (struct isa_csr_field){key->text, (uint8_t)low, (uint8_t)(high - low + 1), 0};
    }
}

static struct spec_code read_code(struct spec *spec, const struct node *node, const char *what)
{
    return (struct spec_code){.text = node_text(&spec->context, node, what), .node = node};
}

static void read_access(struct spec *spec, struct spec_csr *csr, const struct node *node)
{
    const struct node *access = node_get(node, "access"), *write = node_get(node, "write");
    const char *text = node_text(&spec->context, access, "access");

    if (!text)
        return;
    csr->writable = strcmp(text, "read-write") == 0;
    if (!csr->writable && strcmp(text, "read-only")) {
        diag_error(spec->diag, &access->at, "access is '%s'; expected read-only or read-write",
                   text);
        return;
    }
    if (csr->writable && !write)
        diag_error(spec->diag, &node->at, "CSR '%s' is read-write and has no 'write'; add it",
                   csr->name);
    if (!csr->writable && write)
        diag_error(spec->diag, &write->at,
                   "CSR '%s' is read-only and has a 'write'; remove it or make it read-write",
                   csr->name);
    bool number_says_writable = !isa_csr_is_read_only(csr->number);
    if (csr->writable != number_says_writable)
        diag_error(spec->diag, &access->at,
                   "CSR '%s' is %s, but bits 11:10 of its number 0x%03llx %s 11, which says %s",
                   csr->name, text, (unsigned long long)csr->number,
                   number_says_writable ? "are not" : "are",
                   number_says_writable ? "read-write" : "read-only");
}

/* Reads `indices: [3, 31]`: a row of CSRs with consecutive numbers. Returns false after an
 * error. */
static bool read_indices(struct spec *spec, const struct node *node, uint64_t ends[2])
{
    if (node->kind != NODE_SEQUENCE || node->count != 2) {
        diag_error(spec->diag, &node->at, "indices is not a pair; expected [first, last]");
        return false;
    }
    for (size_t i = 0; i < 2; i++)
        if (!node_unsigned(&spec->context, node->items[i], "indices", 0xfff, &ends[i]))
            return false;
    if (ends[0] >= ends[1])
        diag_error(spec->diag, &node->at, "indices %llu to %llu; expected the lower one first",
                   (unsigned long long)ends[0], (unsigned long long)ends[1]);
    return ends[0] < ends[1];
}

static void read_csr(struct spec *spec, const struct spec_file *file, struct spec_csr *csr,
                     const struct node *node)
{
    csr->extension = file->extension;
    csr->summary = node_text(&spec->context, node_get(node, "summary"), "summary");
    csr->description = node_text(&spec->context, node_get(node, "description"), "description");
    csr->source = node_text(&spec->context, node_get(node, "source"), "source");
    if (!csr->source)
        csr->source = file->source;
    csr->read = read_code(spec, node_get(node, "read"), "read");
    csr->write = read_code(spec, node_get(node, "write"), "write");
    csr->waits = node_bool(&spec->context, node_get(node, "waits"), "waits", false);
    read_fields(spec, csr, node_get(node, "fields"));
    if (node_unsigned(&spec->context, node_get(node, "number"), "number", 0xfff, &csr->number))
        read_access(spec, csr, node);
}

static void add_csr(struct spec *spec, struct spec_csr *csr)
{
    const struct spec_csr *known = map_get(&spec->csrs, csr->name);

    if (known) {
        diag_error(spec->diag, &csr->at, "a second CSR '%s'; rename or remove one", csr->name);
        diag_note(spec->diag, &known->at, "first here");
    } else if (map_get(&spec->names, csr->name)) {
        const struct node *name = map_get(&spec->names, csr->name);
        diag_error(spec->diag, &csr->at, "a CSR with the name of register '%s'; rename one",
                   csr->name);
        diag_note(spec->diag, &name->at, "the register is here");
    } else if (!node_is_name(csr->name, false)) {
        diag_error(spec->diag, &csr->at, "'%s' is not a name for a CSR", csr->name);
    } else if (csr->number > 0xfff) {
        diag_error(spec->diag, &csr->at, "CSR '%s' has the number 0x%llx; expected at most 0xfff",
                   csr->name, (unsigned long long)csr->number);
    } else {
        map_set(&spec->csrs, csr->name, csr);
    }
}

/* Adds a copy of the CSR for each index. */
static void add_row(struct spec *spec, const struct spec_csr *row, const uint64_t ends[2])
{
    const char *last = arena_format(spec->arena, "%s%llu", row->name, (unsigned long long)ends[1]);

    for (uint64_t index = ends[0]; index <= ends[1]; index++) {
        struct spec_csr *csr = arena_new(spec->arena, struct spec_csr);
        *csr = *row;
        csr->name = arena_format(spec->arena, "%s%llu", row->name, (unsigned long long)index);
        csr->number = row->number + (index - ends[0]);
        csr->indexed = true;
        csr->index = index;
        csr->last = index == ends[0] ? last : NULL;
        add_csr(spec, csr);
    }
}

void spec_read_own_csr(struct spec *spec, const struct spec_file *file, const struct node *node,
                       struct spec_csr csr)
{
    const struct node *key;

    if (!node || !node_expect(&spec->context, node, NODE_MAPPING, "csr"))
        return;
    if (node->count != 1) {
        diag_error(spec->diag, &node->at,
                   "csr has %zu names; expected one, as in csr: {name: 0xcc0}", node->count);
        return;
    }
    key = node->items[0];
    if (!node_unsigned(&spec->context, node->items[1], "number", 0xfff, &csr.number))
        return;
    csr.name = key->text;
    csr.at = key->at;
    csr.extension = file->extension;
    csr.writable = !isa_csr_is_read_only(csr.number);
    if (csr.writable && !csr.write.text) {
        diag_error(spec->diag, &node->items[1]->at,
                   "CSR '%s' is read-only, as its value is computed or a counter, but bits 11:10 "
                   "of its number 0x%03llx are not 11, which says read-write",
                   csr.name, (unsigned long long)csr.number);
        return;
    }
    struct spec_csr *own = arena_new(spec->arena, struct spec_csr);
    *own = csr;
    add_csr(spec, own);
}

void spec_read_csrs(struct spec *spec, const struct spec_file *file, const struct node *section)
{
    static const char *const keys[] = {"number!",     "access!", "summary!", "read!",
                                       "write",       "fields",  "indices",  "source",
                                       "description", "waits",   NULL};

    for (size_t i = 0; i < section->count; i++) {
        const struct node *key = section->items[2 * i], *node = section->items[2 * i + 1];
        const char *what = arena_format(spec->arena, "CSR '%s'", key->text);
        const struct node *indices = node_get(node, "indices");
        uint64_t ends[2];
        if (!node_check_keys(&spec->context, node, what, keys) ||
            (indices && !read_indices(spec, indices, ends)))
            continue;
        struct spec_csr *csr = arena_new(spec->arena, struct spec_csr);
        csr->name = key->text;
        csr->at = key->at;
        read_csr(spec, file, csr, node);
        if (indices)
            add_row(spec, csr, ends);
        else
            add_csr(spec, csr);
    }
}

static int by_number(const void *left, const void *right)
{
    const struct spec_csr *a = *(struct spec_csr *const *)left,
                          *b = *(struct spec_csr *const *)right;

    return (a->number > b->number) - (a->number < b->number);
}

void spec_sort_csrs(struct spec *spec)
{
    size_t count = spec->csrs.count;

    spec->csrs_by_number = arena_array(spec->arena, count, sizeof *spec->csrs_by_number);
    for (size_t i = 0; i < count; i++)
        spec->csrs_by_number[i] = SPEC_AT(spec->csrs, i, struct spec_csr);
    qsort(spec->csrs_by_number, count, sizeof *spec->csrs_by_number, by_number);
    for (size_t i = 1; i < count; i++) {
        const struct spec_csr *first = spec->csrs_by_number[i - 1], *csr = spec->csrs_by_number[i];
        if (first->number != csr->number)
            continue;
        diag_error(spec->diag, &csr->at,
                   "CSR '%s' has the number 0x%03llx of '%s'; numbers must differ", csr->name,
                   (unsigned long long)csr->number, first->name);
        diag_note(spec->diag, &first->at, "'%s' is here", first->name);
    }
}

/* Disassembly (-d, -D). A section is divided at its symbols. Each part consists of lines with
 * address, encoding and text. For -d, mapping symbols state which bytes are code ($x) and which are
 * data ($d); without them, and for -D, all bytes are code. Runs of zeros become `...`, as in
 * objdump. */
#include "asm/tobjdump/tobjdump.h"
#include "lib/architecture.h"
#include "lib/bytes.h"
#include "lib/digits.h"
#include "lib/leb128.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    LINE_BYTES = 8,         /* of an encoding on a line */
    SINGLE_LINE_BYTES = 6,  /* the same, if it is written byte by byte */
    FIRST_LINE_BYTES = 4,   /* the same, for a truncated one on the first line of its part */
    CUT_BYTES = 5,          /* taken for a truncated instruction */
    OBJECT_BYTES = 16,      /* of data in a code section, on a line */
    SKIP_ZEROES = 8,        /* a run of at least this many zeros is not shown */
    SKIP_ZEROES_AT_END = 3, /* nor one of fewer than this before the next symbol */
};

/* objdump prints this for a value without a name; it cannot be assembled again. */
#define UNNAMED "unknown"

/* The state of printing a section. Offsets are in bytes from its start. */
struct listing {
    struct tobjdump *objdump;
    const struct elf_section *section;
    const unsigned char *bytes;
    uint64_t size, address; /* of the section */
    uint64_t stop;          /* offset of the next symbol, or the size */
    unsigned line_bytes;    /* of the last line written, or FIRST_LINE_BYTES */
    struct disasm disasm;
    isa_set missing; /* extensions that the file does not have */
    struct hints *hints;
    const struct mapping *mappings; /* of the section, sorted by address */
    size_t mapping_count,
        mapping; /* mapping: number of those at or before the last address looked up */
    struct elf_relocation *relocations; /* sorted by offset; NULL without -r */
    size_t relocation_count, relocation;
    unsigned address_width; /* in digits; 0: all 16 digits, without blanks */
    struct text text;       /* of one line */
};

/* ---- architectures ---- */

/* Returns the architecture that the attributes of the file name (psABI, "Attributes"), or NULL. */
static const char *find_architecture(const struct elf_file *file)
{
    enum { HEADER = 1 + 4, LENGTH = 4, TAG_ARCH = 5 };
    const struct elf_section *section = elf_find_section(file, ".riscv.attributes");
    const unsigned char *at = section ? section->bytes : NULL;
    const unsigned char *end = at ? at + section->header.sh_size : NULL;
    uint64_t tag, ignored;

    if (!at || end - at <= HEADER || !memchr(at + HEADER, 0, (size_t)(end - at - HEADER)))
        return NULL;
    at = (const unsigned char *)memchr(at + HEADER, 0, (size_t)(end - at - HEADER)) + 1;
    if (end - at <= 1 + LENGTH) /* the tag of attributes of the whole file, and a length */
        return NULL;
    at += 1 + LENGTH;
    while (leb128_get_unsigned(&at, end, &tag)) {
        const unsigned char *nul = memchr(at, 0, (size_t)(end - at));
        if (tag % 2 == 0 ? !leb128_get_unsigned(&at, end, &ignored) : !nul)
            return NULL;
        if (tag == TAG_ARCH)
            return (const char *)at;
        if (tag % 2)
            at = nul + 1;
    }
    return NULL;
}

/* Returns the extensions whose instructions are shown as data: those that an object has to name,
 * and does not. As in objdump, a file without attributes may have any. */
static isa_set missing_extensions(const char *architecture)
{
    isa_set missing = 0;

    for (size_t i = 0; architecture && i < isa_extension_count; i++)
        if (isa_extensions[i].initial != ISA_DEFAULT_ON)
            missing |= (isa_set)1 << i;
    return architecture ? missing & ~architecture_set_of(architecture) : 0;
}

/* ---- mapping symbols ---- */

static int by_section_and_address(const void *left, const void *right)
{
    const struct mapping *a = left, *b = right;

    if (a->section != b->section)
        return a->section < b->section ? -1 : 1;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

void mappings_init(struct tobjdump *objdump)
{
    const struct elf_file *file = &objdump->file;

    objdump->mapping_count = 0;
    objdump->mappings = arena_array(file->arena, file->symbol_count + 1, sizeof *objdump->mappings);
    for (size_t i = 1; i < file->symbol_count; i++) {
        const struct elf_symbol *symbol = &file->symbols[i];
        if (symbol_is_mapping(symbol))
            objdump->mappings[objdump->mapping_count++] = (struct mapping){
                .section = symbol->section,
                .index = symbol->index,
                .address = symbol->raw.st_value,
                .data = symbol->name[1] == 'd',
                .architecture =
                    symbol->name[1] == 'x' && symbol->name[2] == 'r' ? symbol->name + 2 : NULL,
            };
    }
    qsort(objdump->mappings, objdump->mapping_count, sizeof *objdump->mappings,
          by_section_and_address);
}

static void find_mappings(struct listing *listing)
{
    const struct tobjdump *objdump = listing->objdump;
    size_t low = 0, high = objdump->mapping_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (objdump->mappings[middle].section < listing->section->index)
            low = middle + 1;
        else
            high = middle;
    }
    listing->mappings = objdump->mappings + low;
    while (low + listing->mapping_count < objdump->mapping_count &&
           listing->mappings[listing->mapping_count].section == listing->section->index)
        listing->mapping_count++;
}

/* Are the bytes at the offset data? Sets *length to their number up to the next mapping symbol or
 * the end of the section. */
static bool is_data(struct listing *listing, uint64_t offset, uint64_t *length)
{
    uint64_t address = listing->address + offset;
    size_t before = listing->mapping;
    bool data;

    if (listing->objdump->options.disassemble_all)
        return false;
    while (listing->mapping < listing->mapping_count &&
           listing->mappings[listing->mapping].address <= address)
        listing->mapping++;
    const struct mapping *mapping =
        listing->mapping > 0 ? &listing->mappings[listing->mapping - 1] : NULL;
    data = mapping && mapping->data;
    if (listing->mapping != before && !data)
        listing->disasm.missing =
            mapping->architecture ? missing_extensions(mapping->architecture) : listing->missing;
    *length = listing->size - offset;
    if (listing->mapping < listing->mapping_count &&
        listing->mappings[listing->mapping].address - address < *length)
        *length = listing->mappings[listing->mapping].address - address;
    return data;
}

/* ---- lines ---- */

/* Returns the width of addresses in digits: as many as the end of the section needs, in multiples
 * of four. */
static unsigned width_of_addresses(uint64_t end)
{
    unsigned width = 16;

    while (width > 4 && end >> (4 * (width - 5)) == 0)
        width -= 4;
    return width;
}

/* Returns the bytes at the offset. For a section without contents these are zeros, enough for one
 * line. */
static const unsigned char *bytes_at(const struct listing *listing, uint64_t offset)
{
    static const unsigned char zeroes[OBJECT_BYTES];

    return listing->bytes ? listing->bytes + offset : zeroes;
}

static void write_address(struct listing *listing, uint64_t offset)
{
    struct text *out = &listing->objdump->out;
    uint64_t address = listing->address + offset;
    unsigned digits = hex_length(address);

    profile_write_counts(listing->objdump, address);
    if (digits < listing->address_width)
        text_append_blanks(out, listing->address_width - digits);
    text_append_hex(out, address, digits);
    text_append(out, ":\t");
}

/* Writes the bytes of one line in chunks, each as a little-endian number. A chunk beyond the first
 * `limit` bytes, where the next part begins, stays blank. */
static void write_chunks(struct text *out, const unsigned char *bytes, unsigned count,
                         unsigned chunk, uint64_t limit)
{
    for (unsigned i = 0; i < count; i += chunk) {
        unsigned length = count - i < chunk ? count - i : chunk;
        if (i + chunk <= limit)
            text_append_hex(out, bytes_get(bytes + i, length), 2 * length);
        text_append_char(out, ' ');
    }
}

/* Writes `length` bytes at the offset with their meaning, on lines of listing->line_bytes bytes. */
static void write_lines(struct listing *listing, uint64_t offset, unsigned length, unsigned chunk,
                        const char *meaning)
{
    struct text *out = &listing->objdump->out;
    const unsigned char *bytes = bytes_at(listing, offset);
    bool raw = !listing->objdump->options.no_raw;
    unsigned width = listing->objdump->options.wide && length > listing->line_bytes
                         ? length
                         : listing->line_bytes;
    unsigned first = length < width ? length : width;
    uint64_t limit = listing->stop - offset;

    write_address(listing, offset);
    if (raw) {
        write_chunks(out, bytes, first, chunk, limit);
        for (unsigned at = first; at < width; at += chunk)
            text_append_blanks(out, 2 * chunk + 1);
        text_append_char(out, '\t');
    }
    text_append(out, meaning);
    text_append_char(out, '\n');
    for (unsigned at = first; raw && at < length; at += width) {
        write_address(listing, offset + at);
        write_chunks(out, bytes + at, length - at < width ? length - at : width, chunk,
                     limit > at ? limit - at : 0);
        text_append_char(out, '\n');
    }
}

static void write_line(struct listing *listing, uint64_t offset, unsigned length, unsigned chunk,
                       const char *meaning)
{
    listing->line_bytes = chunk == 1 ? SINGLE_LINE_BYTES : LINE_BYTES;
    write_lines(listing, offset, length, chunk, meaning);
}

/* Prints up to four bytes of data, but none beyond a mapping symbol; returns their number. */
static unsigned print_data(struct listing *listing, uint64_t offset, uint64_t available)
{
    unsigned length = available >= 4 ? 4 : available == 3 ? 2 : (unsigned)available;
    uint64_t value = bytes_get(bytes_at(listing, offset), length);

    text_clear(&listing->text);
    text_append(&listing->text, length == 4   ? ".word\t0x"
                                : length == 2 ? ".short\t0x"
                                              : ".byte\t0x");
    text_append_hex(&listing->text, value, 2 * length);
    write_line(listing, offset, length, length, listing->text.bytes);
    return length;
}

/* Returns the length of an instruction by the general rule of the unprivileged manual ("Expanded
 * Instruction-Length Encoding"); isa_length only has the lengths in use. An encoding that is
 * reserved by the rule has length 2. */
static unsigned instruction_length(unsigned low)
{
    int length = isa_length((uint16_t)low);

    if (length)
        return (unsigned)length;
    return (low & 0x7000) == 0x7000 ? 2 : 10 + (low >> 11 & 0xe);
}

/* Writes an encoding that is longer than any instruction. */
static void describe_bytes(struct text *text, const unsigned char *bytes, unsigned length)
{
    text_append(text, ".byte\t");
    for (unsigned i = 0; i < length; i++)
        text_format(text, "%s0x%02x", i ? ", " : "", bytes[i]);
}

static unsigned print_instruction(struct listing *listing, uint64_t offset)
{
    const unsigned char *bytes = bytes_at(listing, offset);
    uint64_t left = listing->size - offset, pc = listing->address + offset, target;
    unsigned length = left < 2 ? 2 : instruction_length(bytes[0] | bytes[1] << 8);

    text_clear(&listing->text);
    if (length > left) { /* the message and the number of bytes are objdump's */
        text_format(&listing->text, "Address 0x%" PRIx64 " is out of bounds.\n", pc);
        write_lines(listing, offset, CUT_BYTES, 1, listing->text.bytes);
        return left < CUT_BYTES ? (unsigned)left : CUT_BYTES;
    }
    if (length > 8) {
        describe_bytes(&listing->text, bytes, length);
    } else {
        uint64_t word = bytes_get(bytes, length);
        const struct isa_instruction *instruction =
            disasm_instruction(&listing->disasm, &listing->text, pc, word, (int)length);
        if (instruction && hints_address(listing->hints, pc, instruction, word,
                                         listing->disasm.no_aliases, &target)) {
            text_append(&listing->text, " # ");
            disasm_address(&listing->disasm, &listing->text, target);
        }
    }
    write_line(listing, offset, length, length % 4 ? 2 : 4, listing->text.bytes);
    return length;
}

/* Prints bytes of a data object (by the type of its symbol) in a code section: in hexadecimal and
 * as characters. */
static unsigned print_object(struct listing *listing, uint64_t offset, uint64_t stop)
{
    struct text *out = &listing->objdump->out;
    unsigned length = stop - offset < OBJECT_BYTES ? (unsigned)(stop - offset) : OBJECT_BYTES;
    const unsigned char *bytes = bytes_at(listing, offset);

    write_address(listing, offset);
    if (!listing->objdump->options.no_raw) {
        for (unsigned i = 0; i < OBJECT_BYTES; i++) {
            if (i < length)
                text_append_hex(out, bytes[i], 2);
            text_append(out, i < length ? " " : "   ");
        }
        text_append(out, "    ");
    }
    for (unsigned i = 0; i < length; i++)
        text_append_char(out, bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '.');
    text_append_char(out, '\n');
    return length;
}

static void print_relocations_before(struct listing *listing, uint64_t end)
{
    struct text *out = &listing->objdump->out;

    while (listing->relocation < listing->relocation_count &&
           listing->relocations[listing->relocation].offset < end) {
        const struct elf_relocation *relocation = &listing->relocations[listing->relocation++];
        text_append(out, "\t\t\t");
        text_append_hex(out, listing->address + relocation->offset, 1);
        text_append(out, ": ");
        write_relocation_type(out, relocation->type);
        text_append_char(out, '\t');
        write_relocation_value(&listing->objdump->file, out, relocation);
        text_append_char(out, '\n');
    }
}

/* Returns the number of zeros at the offset that are not shown; 0 if there are too few. */
static uint64_t zeroes_to_skip(const struct listing *listing, uint64_t offset, uint64_t stop)
{
    uint64_t end = offset;

    if (listing->objdump->options.zeroes && listing->bytes)
        return 0;
    if (!listing->bytes)
        end = stop;
    while (end < stop && listing->bytes[end] == 0)
        end++;
    if (end - offset < SKIP_ZEROES && !(end == stop && end - offset < SKIP_ZEROES_AT_END))
        return 0;
    return end == stop ? end - offset : (end - offset) / 4 * 4;
}

/* ---- parts and sections ---- */

static void print_part(struct listing *listing, uint64_t offset, uint64_t stop, bool code)
{
    const struct tobjdump_options *options = &listing->objdump->options;

    while (offset < stop) {
        uint64_t length = zeroes_to_skip(listing, offset, stop), available;
        if (!length && (options->source || options->line_numbers))
            print_source_of(listing->objdump, listing->section, offset);
        if (length) {
            text_append(&listing->objdump->out, "\t...\n");
        } else if (!code) {
            length = print_object(listing, offset, stop);
        } else if (is_data(listing, offset, &available)) {
            length = print_data(listing, offset, available);
        } else {
            length = print_instruction(listing, offset);
        }
        offset += length;
        print_relocations_before(listing, offset);
        tobjdump_flush_much(listing->objdump);
    }
}

/* Prints the part of a symbol from `offset` on; returns the offset of its end. */
static uint64_t print_symbol_part(struct listing *listing, uint64_t offset)
{
    struct tobjdump *objdump = listing->objdump;
    uint64_t address = listing->address + offset, stop = listing->size;
    const struct elf_symbol *symbol = names_find(&objdump->names, address, true);
    bool object = false;

    if (names_next(&objdump->names, address) > address)
        stop = names_next(&objdump->names, address) - listing->address;
    if (stop > listing->size || stop <= offset)
        stop = listing->size;
    if (symbol && !objdump->options.disassemble_all && symbol->section == listing->section->index &&
        symbol->raw.st_value <= address)
        object = ELF64_ST_TYPE(symbol->raw.st_info) == STT_OBJECT;
    text_append_char(&objdump->out, '\n');
    text_append_hex(&objdump->out, address, objdump->digits);
    names_write(&objdump->names, &objdump->out, symbol, address);
    text_append(&objdump->out, ":\n");
    profile_write_heading(objdump);
    listing->stop = stop;
    listing->line_bytes = FIRST_LINE_BYTES;
    print_part(listing, offset, stop, !object);
    return stop;
}

/* Writes the target of a branch: with objdump's symbol for it, or just the number in a file without
 * symbols. */
static void write_target(void *context, struct text *text, uint64_t address)
{
    const struct names *names = context;

    if (names->objdump->is_32)
        address = (uint32_t)address;
    if (!names->any)
        text_append(text, "0x");
    text_append_hex(text, address, 1);
    if (names->any)
        names_write(names, text, names_find(names, address, false), address);
}

/* A relocation and its index in the file, by which those at one offset are sorted. */
struct placed {
    struct elf_relocation relocation;
    size_t place;
};

static int by_offset(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;

    if (a->relocation.offset != b->relocation.offset)
        return a->relocation.offset < b->relocation.offset ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static void sort_relocations(struct arena *arena, struct elf_relocation *relocations, size_t count)
{
    struct placed *placed = arena_array(arena, count, sizeof *placed);

    for (size_t i = 0; i < count; i++)
        placed[i] = (struct placed){relocations[i], i};
    qsort(placed, count, sizeof *placed, by_offset);
    for (size_t i = 0; i < count; i++)
        relocations[i] = placed[i].relocation;
}

static void load_relocations(struct listing *listing)
{
    const struct elf_file *file = &listing->objdump->file;
    struct elf_relocation *relocations;
    size_t count;
    bool sorted = true;

    if (!listing->objdump->options.relocations ||
        !section_relocations(listing->objdump, listing->section, &relocations, &count))
        return;
    listing->relocations = relocations;
    listing->relocation_count = count;
    for (size_t i = 1; i < listing->relocation_count; i++)
        sorted &= listing->relocations[i - 1].offset <= listing->relocations[i].offset;
    if (!sorted)
        sort_relocations(file->arena, relocations, count);
}

/* May the file have compressed instructions? As in objdump, a file without attributes may; else the
 * flags decide. */
static bool has_compressed(const struct elf_file *file)
{
    return file->header.e_flags & EF_RISCV_RVC || !elf_find_section(file, ".riscv.attributes");
}

/* What the whole file lacks. It is found once: an object may have thousands of sections. */
struct lacks {
    bool compressed;
    isa_set extensions;
};

static void print_section(struct tobjdump *objdump, const struct elf_section *section,
                          struct hints *hints, const struct lacks *lacks)
{
    struct listing listing = {
        .objdump = objdump,
        .section = section,
        .bytes = section->bytes,
        .address = section->header.sh_addr,
        .hints = hints,
    };
    uint64_t offset;

    if (!section_window(objdump, section, &offset, &listing.size))
        return;
    names_enter(&objdump->names, section);
    listing.disasm.no_compressed = lacks->compressed;
    listing.missing = lacks->extensions;
    listing.disasm.missing = listing.missing;
    listing.disasm.no_aliases = objdump->options.no_aliases;
    listing.disasm.numeric = objdump->options.numeric;
    listing.disasm.is_32 = objdump->is_32;
    listing.disasm.unnamed = UNNAMED;
    listing.disasm.address = write_target;
    listing.disasm.context = &objdump->names;
    listing.address_width = width_of_addresses(listing.address + listing.size);
    find_mappings(&listing);
    load_relocations(&listing);
    while (listing.relocation < listing.relocation_count &&
           listing.relocations[listing.relocation].offset < offset)
        listing.relocation++;
    text_append(&objdump->out, "\nDisassembly of section ");
    disasm_name(&objdump->out, section->name);
    text_append(&objdump->out, ":\n");
    while (offset < listing.size)
        offset = print_symbol_part(&listing, offset);
    text_free(&listing.text);
    tobjdump_flush(objdump);
}

void print_disassembly(struct tobjdump *objdump)
{
    const struct elf_file *file = &objdump->file;
    const struct tobjdump_options *options = &objdump->options;
    struct hints *hints = hints_new(file->arena, file);
    const struct lacks lacks = {!has_compressed(file), missing_extensions(find_architecture(file))};

    if (options->source || options->line_numbers)
        objdump->debug = debug_open(file->arena, &objdump->diag, file);
    names_init(&objdump->names, objdump);
    mappings_init(objdump);
    for (size_t i = 1; i < file->section_count; i++) {
        const struct elf_section *section = &file->sections[i];
        unsigned flags = section_flags(objdump, section);
        bool selected = section_is_selected(objdump, section);
        bool wanted = objdump->options.disassemble_all || objdump->options.only.count > 0 ||
                      flags & SECTION_CODE;
        if (selected && wanted)
            print_section(objdump, section, hints, &lacks);
    }
    debug_close(objdump->debug);
    objdump->debug = NULL;
}

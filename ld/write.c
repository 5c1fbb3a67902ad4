/* The file is built in memory and written at once: headers, contents in the order of addresses,
 * what is not loaded, the symbol table, the section headers. libelf converts structures to the byte
 * order of the file. */
#include "ld/write.h"

#include "ld/attributes.h"
#include "ld/compress.h"
#include "ld/dynamic.h"
#include "ld/map_file.h"
#include "ld/segment.h"
#include "lib/output.h"
#include "lib/sha1.h"
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_BINARY (UINT64_C(1) << 31)

struct image {
    struct linker *linker;
    unsigned char *bytes;
    uint64_t size;
    struct symbol_table symbols;
    struct kept_relocations *kept; /* --emit-relocs */
    size_t kept_count;
    char *names; /* section names */
    size_t name_size;
    uint64_t symbols_offset, strings_offset, extension_offset, names_offset, headers_offset;
    size_t section_count;
};

/* ---- contents ---- */

void write_section(unsigned char *file, const struct section *section)
{
    const unsigned char *from = section->patched ? section->patched : section->bytes;
    unsigned char *to = file + section->output->file_offset + section->offset;
    uint64_t next = 0;

    for (size_t i = 0; i <= section->deletion_count; i++) {
        bool last = i == section->deletion_count;
        uint64_t end = last ? section->size : section->deletions[i].offset;
        memcpy(to, from + next, end - next);
        to += end - next;
        next = last ? end : end + section->deletions[i].count;
    }
}

/* Fills the gaps between the members. */
static void fill_output(unsigned char *bytes, const struct output_section *output)
{
    for (size_t i = 0; i < output->fill_count; i++) {
        const struct fill *fill = &output->fills[i];
        uint64_t end = i + 1 < output->fill_count ? fill[1].offset : output->size;
        for (uint64_t at = fill->offset; at < end; at++)
            bytes[at] = fill->pattern[(at - fill->offset) % fill->length];
    }
    for (size_t i = 0; i < output->member_count && output->fill_count; i++) {
        const struct section *section = output->members[i];
        if (section->type == SHT_NOBITS) /* its zeros are not written later */
            memset(bytes + section->offset, 0, section->size);
    }
}

void write_fills(const struct linker *linker, unsigned char *file)
{
    for (size_t i = 0; i < linker->output_count; i++) {
        const struct output_section *output = linker->outputs[i];
        if (output->type != SHT_NOBITS && strcmp(output->name, ".eh_frame") != 0)
            fill_output(file + output->file_offset, output);
    }
}

void write_sections(const struct linker *linker, unsigned char *file)
{
    for (size_t i = 0; i < linker->output_count; i++) {
        const struct output_section *output = linker->outputs[i];
        for (size_t j = 0; j < output->member_count && output->type != SHT_NOBITS; j++) {
            const struct section *section = output->members[j];
            if (section->bytes && !section->is_written)
                write_section(file, section);
        }
    }
}

/* ---- structures ---- */

void write_structures(unsigned char *to, Elf_Type type, const void *structures, size_t size)
{
    Elf_Data from = {
        .d_buf = (void *)structures, .d_type = type, .d_size = size, .d_version = EV_CURRENT};
    Elf_Data data = {.d_buf = to, .d_type = type, .d_size = size, .d_version = EV_CURRENT};
    if (elf_version(EV_CURRENT) == EV_NONE)
        BUG("libelf is too old");
    if (size && !elf64_xlatetof(&data, &from, ELFDATA2LSB))
        BUG("libelf: %s", elf_errmsg(-1));
}

/* Returns the OS ABI: indirect functions are an extension of GNU. */
static unsigned char osabi(const struct symbol_table *symbols)
{
    for (size_t i = 0; i < symbols->count; i++)
        if (ELF64_ST_TYPE(symbols->symbols[i].st_info) == STT_GNU_IFUNC)
            return ELFOSABI_GNU;
    return ELFOSABI_NONE;
}

Elf64_Ehdr write_file_header(const struct linker *linker, uint16_t type,
                             const struct symbol_table *symbols, size_t section_count)
{
    size_t last = section_count - 1;

    return (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                                    EV_CURRENT, osabi(symbols)},
                        .e_type = type,
                        .e_machine = EM_RISCV,
                        .e_version = EV_CURRENT,
                        .e_flags = linker->elf_flags,
                        .e_ehsize = sizeof(Elf64_Ehdr),
                        .e_shentsize = sizeof(Elf64_Shdr),
                        .e_shnum = section_count < SHN_LORESERVE ? (Elf64_Half)section_count : 0,
                        .e_shstrndx = last < SHN_LORESERVE ? (Elf64_Half)last : SHN_XINDEX};
}

Elf64_Shdr write_null_header(size_t section_count)
{
    size_t last = section_count - 1;

    return (Elf64_Shdr){.sh_size = section_count < SHN_LORESERVE ? 0 : section_count,
                        .sh_link = last < SHN_LORESERVE ? 0 : (Elf64_Word)last};
}

static void put_file_header(struct image *image)
{
    const struct linker *linker = image->linker;

    Elf64_Ehdr header = write_file_header(linker, linker->dynamic ? ET_DYN : ET_EXEC,
                                          &image->symbols, image->section_count);
    header.e_entry = linker->entry_address;
    header.e_phoff = sizeof(Elf64_Ehdr);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = (Elf64_Half)linker->segment_count;
    header.e_shoff = image->headers_offset;
    write_structures(image->bytes, ELF_T_EHDR, &header, sizeof header);
}

static void put_program_headers(struct image *image)
{
    const struct linker *linker = image->linker;

    Elf64_Phdr *headers =
        arena_array(&image->linker->arena, linker->segment_count, sizeof *headers);
    for (size_t i = 0; i < linker->segment_count; i++) {
        const struct segment *segment = &linker->segments[i];
        headers[i] = (Elf64_Phdr){.p_type = segment->type,
                                  .p_flags = segment->flags,
                                  .p_offset = segment->offset,
                                  .p_vaddr = segment->address,
                                  .p_paddr = segment->load_address,
                                  .p_filesz = segment->file_size,
                                  .p_memsz = segment->memory_size,
                                  .p_align = segment->alignment};
    }
    write_structures(image->bytes + sizeof(Elf64_Ehdr), ELF_T_PHDR, headers,
                     linker->segment_count * sizeof *headers);
}

static bool has_symbol_table(const struct image *image)
{
    return image->linker->config.strip != STRIP_ALL;
}

static const char extension_name[] = ".symtab_shndx", table_names[] = ".symtab\0.strtab\0.shstrtab";

/* Adds the headers from that of the symbol table on, the last. */
static void add_table_headers(const struct image *image, Elf64_Shdr *headers, size_t count)
{
    size_t symbols = count;
    uint32_t tail = (uint32_t)(image->name_size - sizeof table_names);

    if (has_symbol_table(image)) {
        headers[count++] = (Elf64_Shdr){.sh_name = tail,
                                        .sh_type = SHT_SYMTAB,
                                        .sh_offset = image->symbols_offset,
                                        .sh_size = image->symbols.count * sizeof(Elf64_Sym),
                                        .sh_link = (Elf64_Word)symbols + 1,
                                        .sh_info = (Elf64_Word)image->symbols.local_count,
                                        .sh_addralign = 8,
                                        .sh_entsize = sizeof(Elf64_Sym)};
        headers[count++] = (Elf64_Shdr){.sh_name = tail + sizeof ".symtab",
                                        .sh_type = SHT_STRTAB,
                                        .sh_offset = image->strings_offset,
                                        .sh_size = image->symbols.string_size,
                                        .sh_addralign = 1};
    }
    if (image->symbols.is_extended) {
        headers[count] = symbol_table_extension(&image->symbols, symbols, image->extension_offset);
        headers[count++].sh_name = tail - sizeof extension_name;
    }
    headers[count] = (Elf64_Shdr){.sh_name = tail + sizeof ".symtab" + sizeof ".strtab",
                                  .sh_type = SHT_STRTAB,
                                  .sh_offset = image->names_offset,
                                  .sh_size = image->name_size,
                                  .sh_addralign = 1};
}

static Elf64_Shdr output_header(const struct linker *linker, const struct output_section *output)
{
    return (Elf64_Shdr){.sh_name = output->name_offset,
                        .sh_type = output->type,
                        .sh_flags = output->flags,
                        .sh_addr = output->address,
                        .sh_offset = output->file_offset,
                        .sh_size = output->size,
                        .sh_link = dynamic_link(linker, output),
                        .sh_info = output->type == SHT_DYNSYM,
                        .sh_addralign = output->alignment,
                        .sh_entsize = output->entry_size};
}

static Elf64_Shdr relocations_header(const struct image *image, const struct kept_relocations *kept)
{
    size_t symbols = 1 + image->linker->output_count + image->kept_count; /* index of their table */

    return (Elf64_Shdr){.sh_name = kept->name_offset,
                        .sh_type = SHT_RELA,
                        .sh_flags = SHF_INFO_LINK,
                        .sh_offset = kept->offset,
                        .sh_size = kept->count * sizeof(Elf64_Rela),
                        .sh_link = (Elf64_Word)symbols,
                        .sh_info = kept->output->index,
                        .sh_addralign = 8,
                        .sh_entsize = sizeof(Elf64_Rela)};
}

static void put_section_headers(struct image *image)
{
    const struct linker *linker = image->linker;
    Elf64_Shdr *headers = arena_array(&image->linker->arena, image->section_count, sizeof *headers);
    size_t count = 0;

    headers[count++] = write_null_header(image->section_count);
    for (size_t i = 0; i < linker->output_count; i++)
        headers[count++] = output_header(linker, linker->outputs[i]);
    for (size_t i = 0; i < image->kept_count; i++)
        headers[count++] = relocations_header(image, &image->kept[i]);
    add_table_headers(image, headers, count);
    write_structures(image->bytes + image->headers_offset, ELF_T_SHDR, headers,
                     image->section_count * sizeof *headers);
}

/* Makes the table of section names, which ends with the names of the tables. */
static void build_names(struct image *image)
{
    struct linker *linker = image->linker;

    image->name_size = 1 + sizeof table_names;
    if (image->symbols.is_extended)
        image->name_size += sizeof extension_name;
    for (size_t i = 0; i < linker->output_count; i++)
        image->name_size += strlen(linker->outputs[i]->name) + 1;
    for (size_t i = 0; i < image->kept_count; i++)
        image->name_size += strlen(image->kept[i].name) + 1;
    image->names = arena_alloc(&linker->arena, image->name_size);
    size_t next = 1;
    for (size_t i = 0; i < linker->output_count; i++) {
        struct output_section *output = linker->outputs[i];
        size_t size = strlen(output->name) + 1;
        memcpy(image->names + next, output->name, size);
        output->name_offset = (uint32_t)next;
        next += size;
    }
    for (size_t i = 0; i < image->kept_count; i++) {
        struct kept_relocations *kept = &image->kept[i];
        size_t size = strlen(kept->name) + 1;
        memcpy(image->names + next, kept->name, size);
        kept->name_offset = (uint32_t)next;
        next += size;
    }
    if (image->symbols.is_extended) {
        memcpy(image->names + next, extension_name, sizeof extension_name);
        next += sizeof extension_name;
    }
    memcpy(image->names + next, table_names, sizeof table_names);
}

static uint64_t extension_size(const struct image *image)
{
    const struct symbol_table *symbols = &image->symbols;

    return symbols->is_extended ? symbols->count * sizeof *symbols->sections : 0;
}

static void plan(struct image *image, uint64_t contents_end)
{
    image->section_count = image->linker->output_count + 2; /* the null section, names */
    uint64_t end = align_up(contents_end, 8);

    if (image->linker->config.emit_relocations)
        emit_relocations_mark(image->linker);
    if (has_symbol_table(image)) {
        symbol_table_build(&image->symbols, image->linker);
        image->section_count += 2 + image->symbols.is_extended;
    }
    if (image->linker->config.emit_relocations)
        image->kept = emit_relocations_make(image->linker, &image->kept_count);
    image->section_count += image->kept_count;
    build_names(image);
    for (size_t i = 0; i < image->kept_count; i++) {
        image->kept[i].offset = end;
        end += image->kept[i].count * sizeof(Elf64_Rela);
    }
    if (has_symbol_table(image)) {
        image->symbols_offset = end;
        image->strings_offset = end + image->symbols.count * sizeof(Elf64_Sym);
        end = image->strings_offset + image->symbols.string_size;
    }
    if (image->symbols.is_extended) {
        image->extension_offset = align_up(end, sizeof *image->symbols.sections);
        end = image->extension_offset + extension_size(image);
    }
    image->names_offset = end;
    image->headers_offset = align_up(end + image->name_size, 8);
    image->size = image->headers_offset + image->section_count * sizeof(Elf64_Shdr);
}

static void fill(struct image *image)
{
    write_sections(image->linker, image->bytes);
    put_file_header(image);
    put_program_headers(image);
    put_section_headers(image);
    memcpy(image->bytes + image->names_offset, image->names, image->name_size);
    for (size_t i = 0; i < image->kept_count; i++)
        write_structures(image->bytes + image->kept[i].offset, ELF_T_RELA, image->kept[i].items,
                         image->kept[i].count * sizeof(Elf64_Rela));
    if (!has_symbol_table(image))
        return;
    write_structures(image->bytes + image->symbols_offset, ELF_T_SYM, image->symbols.symbols,
                     image->symbols.count * sizeof(Elf64_Sym));
    memcpy(image->bytes + image->strings_offset, image->symbols.strings,
           image->symbols.string_size);
    write_structures(image->bytes + image->extension_offset, ELF_T_WORD, image->symbols.sections,
                     extension_size(image));
}

/* The build ID is the digest of the file with zeros in place of the build ID. */
static void put_build_id(struct image *image)
{
    const struct section *note = image->linker->build_id;

    if (note && note->output && !image->linker->config.build_id_bytes)
        sha1(image->bytes, image->size,
             image->bytes + note->output->file_offset + note->offset + notes_build_id_offset());
}

/* The outputs of a run: the file, and the map in a file and on standard output. */
struct files {
    struct output outputs[3];
    size_t count;
};

static bool add_file(struct linker *linker, struct files *files, const char *name, unsigned mode,
                     const void *bytes, size_t size)
{
    struct output *output = &files->outputs[files->count];

    if (!output_open(output, &linker->diag, name, mode))
        return false;
    files->count++;
    if (fwrite(bytes, 1, size, output->stream) == size && fflush(output->stream) == 0)
        return true;
    output_commit(output); /* reports the failure */
    return false;
}

/* Writes all files or none. */
bool write_outputs(struct linker *linker, const void *bytes, size_t size, unsigned mode)
{
    const struct config *config = &linker->config;
    struct files files = {.count = 0};
    struct text map = TEXT_INIT;
    bool to_stdout = config->map_to_stdout || (config->cross_reference && !config->map_file);

    if (config->map_file || config->map_to_stdout)
        map_make(&map, linker);
    if (config->cross_reference)
        map_cross_reference(&map, linker);
    bool good = !output_is_terminal(config->output, &linker->diag) &&
                add_file(linker, &files, config->output, mode, bytes, size) &&
                (!config->map_file ||
                 add_file(linker, &files, config->map_file, 0666, map.bytes, map.length)) &&
                (!to_stdout || add_file(linker, &files, "-", 0666, map.bytes, map.length));
    good = output_commit_all(files.outputs, files.count, good);
    text_free(&map);
    return good;
}

void write_begin(struct linker *linker)
{
    struct image *image = linker->image = arena_new(&linker->arena, struct image);
    *image = (struct image){.linker = linker};
    plan(image, linker->contents_end);
    image->bytes = arena_alloc(&linker->arena, image->size);
    write_fills(linker, image->bytes);
}

void write_early(struct linker *linker, struct section *section)
{
    if (section->output->type != SHT_NOBITS)
        write_section(linker->image->bytes, section);
    section->is_written = true;
}

/* ---- compression ---- */

/* Appends the bytes at the next multiple of the alignment. Returns their offset. */
static uint64_t append(unsigned char *bytes, uint64_t *end, uint64_t alignment, const void *from,
                       uint64_t size)
{
    uint64_t offset = align_up(*end, alignment);

    memcpy(bytes + offset, from, size);
    *end = offset + size;
    return offset;
}

static uint64_t first_unloaded(const struct image *image)
{
    uint64_t first = image->kept_count       ? image->kept[0].offset
                     : image->symbols_offset ? image->symbols_offset
                                             : image->names_offset;

    for (size_t i = 0; i < image->linker->output_count; i++) {
        const struct output_section *output = image->linker->outputs[i];
        if (!(output->flags & SHF_ALLOC) && output->file_offset < first)
            first = output->file_offset;
    }
    return first;
}

/* Appends the contents of an output section that is not loaded, shorter if it is a debug section.
 */
static void append_unloaded(struct image *image, struct output_section *output,
                            unsigned char *bytes, uint64_t *end)
{
    unsigned char *from = image->bytes + output->file_offset, *shorter = NULL;
    uint64_t size = output->size;

    if (output->type != SHT_NOBITS && output->member_count && section_is_debug(output->members[0]))
        shorter = compress_contents(image->linker, output, from, &size);
    if (shorter) {
        output->size = size;
        output->alignment = alignof(Elf64_Chdr);
        output->flags |= SHF_COMPRESSED;
    }
    uint64_t alignment = output->alignment < PAGE_SIZE ? output->alignment : PAGE_SIZE;
    output->file_offset = append(bytes, end, alignment, shorter ? shorter : from,
                                 output->type == SHT_NOBITS ? 0 : output->size);
}

/* Appends the tables after the sections: relocations, symbols and names. */
static void append_tables(struct image *image, unsigned char *bytes, uint64_t *end)
{
    const unsigned char *old = image->bytes;

    for (size_t i = 0; i < image->kept_count; i++)
        image->kept[i].offset = append(bytes, end, 8, old + image->kept[i].offset,
                                       image->kept[i].count * sizeof(Elf64_Rela));
    if (has_symbol_table(image)) {
        image->symbols_offset = append(bytes, end, 8, old + image->symbols_offset,
                                       image->symbols.count * sizeof(Elf64_Sym));
        image->strings_offset =
            append(bytes, end, 1, old + image->strings_offset, image->symbols.string_size);
    }
    if (image->symbols.is_extended)
        image->extension_offset = append(bytes, end, sizeof *image->symbols.sections,
                                         old + image->extension_offset, extension_size(image));
    image->names_offset = append(bytes, end, has_symbol_table(image) ? 1 : 8,
                                 old + image->names_offset, image->name_size);
}

/* Sets the offsets of segments of sections that are not loaded. */
static void move_segments(const struct linker *linker)
{
    for (size_t i = 0; i < linker->segment_count; i++) {
        struct segment *segment = &linker->segments[i];
        if (segment->first && !(segment->first->flags & SHF_ALLOC))
            segment->offset = segment->first->file_offset;
    }
}

/* Compresses debug sections, and moves up everything after them in the file. All that is loaded
 * comes before them. */
static void compress_debug(struct image *image)
{
    struct linker *linker = image->linker;
    uint64_t slack = (linker->output_count + 1) * alignof(Elf64_Chdr); /* for alignment */
    unsigned char *bytes = arena_alloc(&linker->arena, image->size + slack);
    uint64_t end = first_unloaded(image);

    memcpy(bytes, image->bytes, end);
    for (size_t i = 0; i < linker->output_count; i++)
        if (!(linker->outputs[i]->flags & SHF_ALLOC))
            append_unloaded(image, linker->outputs[i], bytes, &end);
    append_tables(image, bytes, &end);
    image->headers_offset = align_up(end, 8);
    image->size = image->headers_offset + image->section_count * sizeof(Elf64_Shdr);
    image->bytes = bytes;
    move_segments(linker);
    put_file_header(image);
    put_program_headers(image);
    put_section_headers(image);
}

/* ---- --oformat=binary ---- */

/* Writes what would be loaded, from the lowest to the highest load address, with zeros in gaps. */
static bool write_binary(struct linker *linker)
{
    uint64_t start = UINT64_MAX, end = 0;

    for (size_t i = 0; i < linker->output_count; i++) {
        const struct output_section *output = linker->outputs[i];
        if (!segment_holds(output) || output->type == SHT_NOBITS)
            continue;
        uint64_t output_end = output->load_address + output->size;
        start = output->load_address < start ? output->load_address : start;
        end = output_end > end ? output_end : end;
    }
    uint64_t size = start < end ? end - start : 0;
    if (size > LARGEST_BINARY) {
        diag_error(
            &linker->diag, NULL,
            "--oformat=binary: the program is loaded from 0x%llx to 0x%llx, expected at most "
            "0x%llx bytes; move its sections closer together, or write an ELF file",
            (unsigned long long)start, (unsigned long long)end, (unsigned long long)LARGEST_BINARY);
        return false;
    }
    unsigned char *bytes = arena_alloc(&linker->arena, size + 1);
    memset(bytes, 0, size);
    for (size_t i = 0; i < linker->output_count; i++) {
        const struct output_section *output = linker->outputs[i];
        if (segment_holds(output) && output->type != SHT_NOBITS)
            memcpy(bytes + (output->load_address - start),
                   linker->image->bytes + output->file_offset, output->size);
    }
    return write_outputs(linker, bytes, size, 0777);
}

bool write_executable(struct linker *linker)
{
    struct image *image = linker->image;

    fill(image);
    if (linker->config.compression && !linker->config.binary)
        compress_debug(image);
    put_build_id(image);
    if (linker->config.binary)
        return write_binary(linker);
    return write_outputs(linker, image->bytes, image->size, 0777);
}

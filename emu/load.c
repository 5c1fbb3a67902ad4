/* Loading a program: see load.h. elf_open has checked that the file is consistent; the checks here
 * are about the machine. */
#include "emu/load.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

static bool refuse(struct diag *diag, const struct program *program, const char *what)
{
    const struct position at = {.name = program->name};

    diag_error(diag, &at, "%s", what);
    return false;
}

/* Finds an entry of the dynamic section by its tag. */
static bool find_dynamic(const struct elf_file *file, int64_t tag, Elf64_Dyn *entry)
{
    for (size_t i = 0; i < file->segment_count; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        if (segment->p_type != PT_DYNAMIC)
            continue;
        for (uint64_t at = 0; at + sizeof *entry <= segment->p_filesz; at += sizeof *entry) {
            memcpy(entry, file->bytes + segment->p_offset + at, sizeof *entry);
            if (entry->d_tag == tag)
                return true;
            if (entry->d_tag == DT_NULL)
                break;
        }
    }
    return false;
}

/* Finds the path of the dynamic linker that the program asks for. A static program asks for none,
 * and relocates itself if it is position-independent. */
static bool find_linker(struct program *program, struct diag *diag)
{
    const struct elf_file *file = &program->file;
    Elf64_Dyn entry;

    for (size_t i = 0; !program->linker_path && i < file->segment_count; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        const char *path = (const char *)file->bytes + segment->p_offset;
        if (segment->p_type != PT_INTERP)
            continue;
        if (!memchr(path, '\0', segment->p_filesz) || !path[0])
            return refuse(diag, program, "the path of the dynamic linker is empty or does not end");
        program->linker_path = path;
    }
    return program->linker_path || !find_dynamic(file, DT_NEEDED, &entry) ||
           refuse(diag, program,
                  "this program needs libraries, but names no dynamic linker; link with -static or "
                  "-static-pie");
}

/* Is the program a dynamic linker? It is the only shared object that can start and asks for no
 * other one. Linkers mark programs as such. */
static bool is_linker(const struct program *program)
{
    const struct elf_file *file = &program->file;
    Elf64_Dyn entry;

    return file->header.e_type == ET_DYN && !program->linker_path &&
           find_dynamic(file, DT_STRTAB, &entry) &&
           !(find_dynamic(file, DT_FLAGS_1, &entry) && entry.d_un.d_val & DF_1_PIE);
}

static bool check_header(struct program *program, struct diag *diag)
{
    const Elf64_Ehdr *header = &program->file.header;

    if (header->e_type == ET_REL)
        return refuse(diag, program, "this is an object file, not a program; link it first (tld)");
    if (header->e_type == ET_CORE)
        return refuse(diag, program, "this is a core dump, not a program");
    if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
        return refuse(diag, program, "this is not a program; expected type EXEC or DYN");
    if (header->e_flags & EF_RISCV_RVE)
        return refuse(diag, program,
                      "this program is for the RVE base with 16 registers; the machine is RV64I");
    if (program->file.segment_count < header->e_phnum)
        return refuse(diag, program, "the program headers extend past the end of the file");
    if (header->e_type == ET_DYN && !header->e_entry)
        return refuse(diag, program,
                      "this is a shared object, not a program; link with -static or -static-pie");
    return find_linker(program, diag);
}

/* Checks the program, whose bytes are there. */
static bool check_image(struct program *program, struct arena *arena, struct diag *diag)
{
    const char *name = program->name;

    if (!elf_is_elf(program->image.bytes, program->image.length))
        return refuse(diag, program, "this is not an ELF file; expected a linked RISC-V program");
    if (!elf_open_sections(&program->file, arena, diag, name, program->image.bytes,
                           program->image.length) ||
        !elf_check_symbols(&program->file, diag) || !check_header(program, diag))
        return false;
    symbolizer_init(&program->symbols, &program->file);
    program->entry = program->file.header.e_entry;
    return true;
}

bool program_read(struct program *program, struct arena *arena, struct diag *diag, const char *name)
{
    *program = (struct program){.name = name};
    return file_map(arena, diag, NULL, name, &program->image, &program->is_mapped) &&
           check_image(program, arena, diag);
}

bool program_read_bytes(struct program *program, struct arena *arena, struct diag *diag,
                        const char *name, const void *bytes, size_t length)
{
    unsigned char *copy = arena_alloc(arena, length);

    memcpy(copy, bytes, length);
    *program = (struct program){
        .name = name, .image = {.name = name, .bytes = (const char *)copy, .length = length}};
    return check_image(program, arena, diag);
}

bool program_refuse_dynamic(const struct program *program, struct diag *diag, const char *instead)
{
    const struct position at = {.name = program->name};

    if (program->linker_path)
        diag_error(diag, &at,
                   "this program is dynamically linked; link with -static or -static-pie%s",
                   instead);
    return !program->linker_path;
}

bool program_read_linker(struct program *program, struct program *linker, struct arena *arena,
                         struct diag *diag, const char *name)
{
    if (!program_read(linker, arena, diag, name))
        return false;
    if (!is_linker(linker))
        return refuse(diag, linker,
                      "this is not a dynamic linker; expected a shared object that can start");
    program->linker = linker;
    return true;
}

/* ---- segments ---- */

static bool overlaps(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a_size && b_size && a < b + b_size && b < a + a_size;
}

__attribute__((format(printf, 4, 5))) static bool
bad_segment(struct diag *diag, const struct program *program, size_t index, const char *format, ...)
{
    const Elf64_Phdr *segment = &program->file.segments[index];
    const struct position at = {.name = program->name};
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    diag_error(diag, &at, "segment %zu (0x%" PRIx64 " bytes at 0x%" PRIx64 ") %s", index,
               segment->p_memsz, segment->p_vaddr, text);
    return false;
}

static bool check_segment(const struct program *program, const struct machine *machine,
                          struct diag *diag, size_t index)
{
    const struct config *config = &machine->config;

    const Elf64_Phdr *segment = &program->file.segments[index];
    uint64_t address = segment->p_vaddr, size = segment->p_memsz;

    if (segment->p_filesz > size)
        return bad_segment(diag, program, index,
                           "has more bytes in the file (0x%" PRIx64 ") than in memory",
                           segment->p_filesz);
    if (size > MEMORY_CODE_LIMIT || address > MEMORY_CODE_LIMIT - size)
        return bad_segment(diag, program, index,
                           "ends beyond the address space of 0x%" PRIx64 " bytes",
                           MEMORY_CODE_LIMIT);
    if (size && address < MEMORY_PAGE)
        return bad_segment(diag, program, index,
                           "lies on the null page; link the program at 0x%" PRIx64 " or above",
                           MEMORY_PAGE);
    if (overlaps(address, size, config->scratchpad_base, config->scratchpad_size) &&
        (address < config->scratchpad_base ||
         address + size > config->scratchpad_base + config->scratchpad_size))
        return bad_segment(diag, program, index,
                           "crosses a bound of the scratchpad (0x%" PRIx64 " bytes at 0x%" PRIx64
                           ")",
                           config->scratchpad_size, config->scratchpad_base);
    for (size_t i = 0; i < index; i++) {
        const Elf64_Phdr *other = &program->file.segments[i];
        if (other->p_type == PT_LOAD && overlaps(address, size, other->p_vaddr, other->p_memsz))
            return bad_segment(diag, program, index, "overlaps segment %zu", i);
    }
    return true;
}

static unsigned segment_permissions(const Elf64_Phdr *segment)
{
    /* As under Linux, a page that is writable or executable is also readable. */
    unsigned permissions = 0;

    if (segment->p_flags & (PF_R | PF_W | PF_X))
        permissions |= PAGE_READ;
    if (segment->p_flags & PF_W)
        permissions |= PAGE_WRITE;
    if (segment->p_flags & PF_X)
        permissions |= PAGE_EXECUTE;
    return permissions;
}

static bool load_segment(struct program *program, struct machine *machine, struct diag *diag,
                         size_t index)
{
    const Elf64_Phdr *segment = &program->file.segments[index];
    const Elf64_Ehdr *header = &program->file.header;

    if (segment->p_memsz == 0)
        return true;
    if (!memory_map(&machine->memory, segment->p_vaddr, segment->p_memsz,
                    segment_permissions(segment)))
        return bad_segment(diag, program, index,
                           "does not fit in the machine's memory of 0x%" PRIx64
                           " bytes (memory size in the machine file)",
                           machine->config.memory_size);
    /* Programs write to most pages that they may write. */
    bool is_shared = program->is_mapped && !(segment->p_flags & PF_W);
    if (!(is_shared ? memory_fill : memory_poke)(&machine->memory, segment->p_vaddr,
                                                 program->image.bytes + segment->p_offset,
                                                 segment->p_filesz))
        BUG("segment %zu was mapped but cannot be filled", index);
    memory_expect(&machine->memory, segment->p_vaddr + segment->p_filesz,
                  segment->p_memsz - segment->p_filesz);
    if (header->e_phoff >= segment->p_offset &&
        header->e_phoff - segment->p_offset < segment->p_filesz)
        program->headers = segment->p_vaddr + (header->e_phoff - segment->p_offset);
    return true;
}

bool program_has_executable_stack(const struct program *program)
{
    for (size_t i = 0; i < program->file.segment_count; i++)
        if (program->file.segments[i].p_type == PT_GNU_STACK)
            return program->file.segments[i].p_flags & PF_X;
    return false;
}

/* ---- bare environment ---- */

/* Returns the bytes of memory that the segment takes at its physical address. A segment that runs
 * at another address is moved there by the program, which also clears its end. */
static uint64_t physical_size(const Elf64_Phdr *segment)
{
    return segment->p_paddr == segment->p_vaddr ? segment->p_memsz : segment->p_filesz;
}

static bool check_physical(const struct program *program, const struct machine *machine,
                           struct diag *diag, size_t index)
{
    const struct config *config = &machine->config;
    const struct position at = {.name = program->name};

    const Elf64_Phdr *segment = &program->file.segments[index];
    uint64_t address = segment->p_paddr, size = physical_size(segment);

    if (segment->p_filesz > segment->p_memsz)
        return bad_segment(diag, program, index,
                           "has more bytes in the file (0x%" PRIx64 ") than in memory",
                           segment->p_filesz);
    if (address > UINT64_MAX - size || !memory_is(&machine->memory, address, size, PAGE_WRITE)) {
        diag_error(diag, &at,
                   "segment %zu (0x%" PRIx64 " bytes at the physical address 0x%" PRIx64
                   ") is not in RAM (0x%" PRIx64 " to 0x%" PRIx64
                   "; bare.ram in the machine file) or the scratchpad (0x%" PRIx64 " to 0x%" PRIx64
                   "); a program of the bare environment must be there",
                   index, size, address, BARE_RAM_BASE, BARE_RAM_BASE + config->bare_ram - 1,
                   config->scratchpad_base, config->scratchpad_base + config->scratchpad_size - 1);
        return false;
    }
    for (size_t i = 0; i < index; i++) {
        const Elf64_Phdr *other = &program->file.segments[i];
        if (other->p_type == PT_LOAD &&
            overlaps(address, size, other->p_paddr, physical_size(other)))
            return bad_segment(diag, program, index, "overlaps segment %zu", i);
    }
    return true;
}

static void load_physical(struct program *program, struct machine *machine, size_t index)
{
    const Elf64_Phdr *segment = &program->file.segments[index];

    if (!memory_poke(&machine->memory, segment->p_paddr, program->image.bytes + segment->p_offset,
                     segment->p_filesz))
        BUG("segment %zu was checked but cannot be filled", index);
}

/* ---- program ---- */

static bool load_segments(struct program *program, struct machine *machine, struct diag *diag)
{
    bool bare = machine->bare.active;
    bool good = true, any = false;

    for (size_t i = 0; i < program->file.segment_count; i++)
        if (program->file.segments[i].p_type == PT_LOAD)
            good &= bare ? check_physical(program, machine, diag, i)
                         : check_segment(program, machine, diag, i);
    for (size_t i = 0; good && i < program->file.segment_count; i++) {
        if (program->file.segments[i].p_type != PT_LOAD)
            continue;
        any = true;
        if (bare)
            load_physical(program, machine, i);
        else
            good = load_segment(program, machine, diag, i);
    }
    return good && (any || refuse(diag, program, "this program has no segment to load"));
}

/* Returns where the heap starts: after the program. The heap cannot be in the scratchpad, so
 * segments above it only count if there are no others. */
static uint64_t find_end(const struct program *program, const struct config *config)
{
    uint64_t below = 0, all = MEMORY_PAGE;

    for (size_t i = 0; i < program->file.segment_count; i++) {
        const Elf64_Phdr *segment = &program->file.segments[i];
        uint64_t end = segment->p_vaddr + segment->p_memsz;
        if (segment->p_type != PT_LOAD || segment->p_memsz == 0)
            continue;
        if (end <= config->scratchpad_base && end > below)
            below = end;
        if (end > all)
            all = end;
    }
    return below ? below : all;
}

/* Returns the base for a dynamic linker of this size: LINKER_BASE, or where there is room if the
 * program is there, or the end of the address space. */
static uint64_t find_linker_base(const struct memory *memory, uint64_t size)
{
    uint64_t first = LINKER_BASE / MEMORY_PAGE, end = first + size / MEMORY_PAGE + 1;

    if (end > MEMORY_PAGES || memory_next_mapped(memory, first, end) == end)
        return LINKER_BASE;
    uint64_t base = memory_find_free(memory, MEMORY_PAGE, MEMORY_CODE_LIMIT - MEMORY_PAGE, size);
    return base ? base : MEMORY_CODE_LIMIT;
}

/* Gives a position-independent program its addresses. Like under Linux, its first segment goes to
 * the base, whatever the address in the file is. A dynamic linker leaves the addresses of programs
 * to the one that it loads. */
static void place(struct program *program, const struct machine *machine)
{
    struct elf_file *file = &program->file;
    uint64_t lowest = UINT64_MAX, end = 0, alignment = MEMORY_PAGE,
             base = machine->bare.active ? BARE_RAM_BASE : PROGRAM_BASE;

    for (size_t i = 0; i < file->segment_count; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        bool valid =
            segment->p_align < MEMORY_CODE_LIMIT && !(segment->p_align & (segment->p_align - 1));
        if (segment->p_type != PT_LOAD)
            continue;
        if (segment->p_vaddr < lowest)
            lowest = segment->p_vaddr;
        if (segment->p_vaddr + segment->p_memsz > end)
            end = segment->p_vaddr + segment->p_memsz;
        if (valid && segment->p_align > alignment)
            alignment = segment->p_align;
    }
    if (file->header.e_type != ET_DYN || lowest == UINT64_MAX)
        return;
    if (!machine->bare.active && is_linker(program))
        base = find_linker_base(&machine->memory, end - lowest + alignment);
    base = (base + alignment - 1) & -alignment;
    program->moved = base - (lowest & -alignment);
    elf_move(file, program->moved);
    program->entry += program->moved;
}

static bool load_file(struct program *program, struct machine *machine, struct diag *diag)
{
    const struct position at = {.name = program->name};

    if (!load_segments(program, machine, diag))
        return false;
    if (program->entry % ISA_CODE_ALIGNMENT != 0) {
        diag_error(diag, &at,
                   "the entry point 0x%" PRIx64 " is not aligned to an instruction (%u bytes)",
                   program->entry, ISA_CODE_ALIGNMENT);
        return false;
    }
    if (!memory_is(&machine->memory, program->entry, 2, PAGE_EXECUTE)) {
        diag_error(diag, &at, "the entry point 0x%" PRIx64 " is not in executable memory",
                   program->entry);
        return false;
    }
    program->end = find_end(program, &machine->config);
    machine->hart.pc = program->entry;
    return true;
}

bool program_load(struct program *program, struct machine *machine, struct diag *diag)
{
    struct program *linker = program->linker;

    place(program, machine);
    if (!load_file(program, machine, diag))
        return false;
    if (linker)
        place(linker, machine);
    return !linker || load_file(linker, machine, diag);
}

/* ---- symbols ---- */

static bool is_named(const struct elf_symbol *symbol)
{
    unsigned type = ELF64_ST_TYPE(symbol->raw.st_info);

    return symbol->raw.st_shndx != SHN_UNDEF && type != STT_SECTION && type != STT_FILE &&
           symbol->name[0];
}

static bool find_symbol(const struct program *program, const char *name, size_t length,
                        Elf64_Sym *found)
{
    bool any = false;

    for (size_t i = 1; i < program->file.symbol_count; i++) {
        const struct elf_symbol symbol = elf_symbol_at(&program->file, i);
        bool is_local = ELF64_ST_BIND(symbol.raw.st_info) == STB_LOCAL;
        if ((is_local && any) || !is_named(&symbol) || strncmp(symbol.name, name, length) != 0 ||
            symbol.name[length])
            continue;
        *found = symbol.raw;
        if (!is_local)
            return true;
        any = true;
    }
    return any;
}

bool program_symbol(const struct program *program, const char *name, uint64_t *address)
{
    Elf64_Sym symbol;

    if (!find_symbol(program, name, strlen(name), &symbol))
        return false;
    *address = symbol.st_value;
    return true;
}

/* Is the whole text a number, decimal or 0x…? */
static bool is_number(const char *text, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 0);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

bool program_address(const struct program *program, struct diag *diag, const char *text,
                     uint64_t *address, uint64_t *size)
{
    const char *plus = strrchr(text, '+');
    uint64_t offset = 0;
    Elf64_Sym symbol;

    if (find_symbol(program, text, strlen(text), &symbol) ||
        (plus && is_number(plus + 1, &offset) &&
         find_symbol(program, text, (size_t)(plus - text), &symbol))) {
        *address = symbol.st_value + offset;
        if (size)
            *size = symbol.st_size > offset ? symbol.st_size - offset : 0;
        return true;
    }
    if (size)
        *size = 0;
    if (is_number(text, address))
        return true;

    const struct position at = {.name = program->name};
    struct suggestion suggestion;
    suggest_init(&suggestion, text);
    for (size_t i = 1; i < program->file.symbol_count; i++) {
        const struct elf_symbol other = elf_symbol_at(&program->file, i);
        if (is_named(&other))
            suggest_add(&suggestion, other.name);
    }
    const char *near = suggest_text(&suggestion);
    diag_error(diag, &at, "'%s' is neither a symbol of the program nor an address%s%s%s", text,
               near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return false;
}

/* tobjdump prints the contents of RISC-V ELF files in the form of GNU objdump, and knows tensor
 * instructions. */
#include "asm/tobjdump/tobjdump.h"

#include "asm/tobjdump/widen.h"
#include "lib/archive.h"
#include "lib/file.h"
#include "lib/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Reports a file made with another ISA description: its instructions would be disassembled as
 * others. Returns false after an error. */
static bool check_note(struct tobjdump *objdump)
{
    const struct position at = {.name = objdump->file.name};
    const struct elf_section *section = elf_find_section(&objdump->file, ISA_NOTE_SECTION);
    uint64_t offset = 0;
    bool is_sound = true;
    struct isa_note note;

    while ((objdump->options.disassemble || objdump->options.timing) &&
           isa_note_next(section, &offset, &note))
        is_sound &= isa_note_check(&objdump->diag, &at, &note, "this tobjdump", true,
                                   objdump->options.isa_mismatch);
    return is_sound;
}

/* Prints the entry of a member in its archive, in the form of `ar tv`; times are UTC. */
static void print_entry(struct tobjdump *objdump, const struct archive_member *member)
{
    static const char letters[] = "rwxrwxrwx";
    time_t seconds = (time_t)member->date;
    struct tm date;
    char text[64];

    for (unsigned i = 0; i < 9; i++)
        text_append_char(&objdump->out, member->mode >> (8 - i) & 1 ? letters[i] : '-');
    if (!gmtime_r(&seconds, &date) || !strftime(text, sizeof text, "%b %e %H:%M %Y", &date))
        snprintf(text, sizeof text, "<time data corrupt>");
    text_format(&objdump->out, " %" PRIu64 "/%" PRIu64 " %6" PRIu64 " %s ", member->owner,
                member->group, member->length, text);
}

/* Prints one file, with its parts in objdump's order. `member` is NULL if it is not in an archive.
 */
static void print_file(struct tobjdump *objdump, const struct archive_member *member)
{
    const struct tobjdump_options *options = &objdump->options;

    sections_init(objdump);
    dynamic_init(objdump);
    text_append_char(&objdump->out, '\n');
    disasm_name(&objdump->out, objdump->title);
    text_format(&objdump->out, ":     file format elf%d-littleriscv\n", objdump->is_32 ? 32 : 64);
    if (options->archive_headers) {
        if (member)
            print_entry(objdump, member);
        disasm_name(&objdump->out, objdump->title);
        text_append_char(&objdump->out, '\n');
    }
    if (options->file_header)
        print_file_header(objdump);
    else
        text_append_char(&objdump->out, '\n');
    if (options->program_headers)
        print_program_headers(objdump);
    if (options->section_headers)
        print_section_headers(objdump);
    if (options->symbols)
        print_symbols(objdump);
    if (options->dynamic_symbols)
        print_dynamic_symbols(objdump);
    if (options->dynamic_relocations)
        print_dynamic_relocations(objdump);
    if (options->relocations && !options->disassemble)
        print_relocations(objdump);
    if (options->contents)
        print_contents(objdump);
    if (options->disassemble)
        print_disassembly(objdump);
    if (options->timing)
        print_timing(objdump);
    tobjdump_flush(objdump);
}

/* Prints an ELF file, or a member of an archive, and frees its memory. `name` is for messages. */
static void dump_elf(struct tobjdump *objdump, const char *name, const void *bytes, size_t length,
                     const struct archive_member *member)
{
    objdump->is_32 = widen_is_needed(bytes, length);
    objdump->digits = objdump->is_32 ? 8 : 16;
    objdump->shift = objdump->is_32 ? WIDEN_SHIFT : 0;
    if (objdump->is_32)
        bytes = widen(&objdump->file_arena, &objdump->diag, name, bytes, &length);
    if (bytes &&
        elf_open(&objdump->file, &objdump->file_arena, &objdump->diag, name, bytes, length)) {
        objdump->title = member ? member->own_name : name;
        if (check_note(objdump) && (member || profile_check(objdump)))
            print_file(objdump, member);
    }
    arena_free(&objdump->file_arena);
    objdump->file_arena = (struct arena)ARENA_INIT;
}

/* Prints all members of an archive. One that is not an ELF file is reported and skipped. */
static void dump_archive(struct tobjdump *objdump, struct arena *arena,
                         const struct diag_file *bytes)
{
    struct archive archive;
    struct archive_member member;

    if (!archive_open(&archive, arena, &objdump->diag, bytes->name, bytes->bytes, bytes->length))
        return;
    text_append(&objdump->out, "In archive ");
    disasm_name(&objdump->out, bytes->name);
    text_append(&objdump->out, ":\n");
    for (uint64_t at = archive.first_member; at < archive.length; at = member.next) {
        if (!archive_member(&archive, at, &member))
            break;
        dump_elf(objdump, member.name, member.bytes, member.length, &member);
    }
    tobjdump_flush(objdump);
}

static void dump_file(struct tobjdump *objdump, const char *name)
{
    struct arena arena = ARENA_INIT;
    struct diag_file bytes;
    bool mapped;

    if (file_map(&arena, &objdump->diag, NULL, name, &bytes, &mapped)) {
        if (elf_is_archive(bytes.bytes, bytes.length))
            dump_archive(objdump, &arena, &bytes);
        else
            dump_elf(objdump, bytes.name, bytes.bytes, bytes.length, NULL);
    }
    arena_free(&arena);
}

static void report_unseen_sections(struct tobjdump *objdump)
{
    for (size_t i = 0; i < objdump->options.only.count; i++)
        if (!objdump->only_seen[i])
            diag_error(&objdump->diag, NULL,
                       "section '%s' given with -j is not in any input file that was read",
                       objdump->options.only.items[i]);
}

int main(int argc, char **argv)
{
    struct tobjdump objdump = {.diag = {.tool = "tobjdump"}};
    size_t file_count = 0;
    const char **files = arena_array(&objdump.arena, (size_t)argc + 1, sizeof *files);
    int status;

    output_init_for_reader();
    status = read_options(&objdump, argc, argv, files, &file_count);
    if (status < 0) {
        objdump.source = source_state_new(&objdump.arena);
        objdump.only_seen =
            arena_array(&objdump.arena, objdump.options.only.count + 1, sizeof *objdump.only_seen);
        for (size_t i = 0; i < file_count; i++)
            dump_file(&objdump, files[i]);
        report_unseen_sections(&objdump);
        status = output_finish_stdout(&objdump.diag, diag_failed(&objdump.diag));
    }
    text_free(&objdump.out);
    arena_free(&objdump.arena);
    return status;
}

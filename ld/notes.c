/* The note that identifies the ISA description an object was made with: owner "tensor", type 1, 16
 * hexadecimal digits. If all objects have the same, the executable gets one note. Objects with
 * different descriptions can be linked (plain RISC-V code is the same in both), but the user gets a
 * warning. */
#include "ld/attributes.h"

#include "ld/object.h"
#include "ld/sha1.h"
#include "lib/elf_write.h"
#include <string.h>

static const struct elf_section *find_note(const struct object *object)
{
    for (size_t i = 1; i < object->elf.section_count; i++)
        if (strcmp(object->elf.sections[i].name, ISA_NOTE_SECTION) == 0)
            return &object->elf.sections[i];
    return NULL;
}

struct merger {
    struct linker *linker;
    const struct object *first; /* the object whose note is kept */
    const struct elf_section *section;
    const char *fingerprint;
};

static void merge_note(struct merger *merger, const struct object *object,
                       const struct elf_section *section)
{
    struct diag *diag = &merger->linker->diag;
    struct position at = object_position(object);
    const char *fingerprint = elf_isa_fingerprint(section);

    if (!fingerprint) {
        diag_warning(diag, &at, "section '%s' holds no ISA fingerprint", ISA_NOTE_SECTION);
        return;
    }
    bool warn = !merger->linker->config.no_warn_mismatch;
    if (!merger->first) {
        *merger = (struct merger){merger->linker, object, section, fingerprint};
        if (warn && memcmp(fingerprint, isa_fingerprint, ISA_FINGERPRINT_DIGITS) != 0)
            diag_warning(diag, &at,
                         "made with ISA description %.*s, this linker with %s; assemble it again "
                         "with the present tools",
                         ISA_FINGERPRINT_DIGITS, fingerprint, isa_fingerprint);
    } else if (warn && memcmp(fingerprint, merger->fingerprint, ISA_FINGERPRINT_DIGITS) != 0) {
        diag_warning(
            diag, &at,
            "made with ISA description %.*s, %s with %.*s; assemble both with the same tools",
            ISA_FINGERPRINT_DIGITS, fingerprint, merger->first->name, ISA_FINGERPRINT_DIGITS,
            merger->fingerprint);
    }
}

/* Makes a note section with one note. */
static struct section *make_note(struct linker *linker, const char *name, uint64_t flags,
                                 const char *owner, uint32_t type, const void *description,
                                 size_t size)
{
    struct text note = TEXT_INIT;

    elf_write_note(&note, owner, type, description, size);
    struct section *section =
        section_new(linker, name, SHT_NOTE, flags, 4,
                    arena_copy(&linker->arena, note.bytes, note.length), note.length);
    text_free(&note);
    return section;
}

void notes_merge(struct linker *linker)
{
    struct merger merger = {.linker = linker};

    for (size_t i = 0; i < linker->object_count; i++) {
        const struct elf_section *section = find_note(linker->objects[i]);
        if (section)
            merge_note(&merger, linker->objects[i], section);
    }
    if (merger.first)
        make_note(linker, ISA_NOTE_SECTION, merger.section->header.sh_flags & SHF_ALLOC,
                  ISA_NOTE_OWNER, ISA_NOTE_TYPE, merger.fingerprint, ISA_FINGERPRINT_DIGITS);
}

struct section *notes_add_build_id(struct linker *linker)
{
    static const unsigned char unknown[SHA1_SIZE];
    const struct config *config = &linker->config;

    if (config->build_id_bytes)
        return make_note(linker, ".note.gnu.build-id", SHF_ALLOC, "GNU", NT_GNU_BUILD_ID,
                         config->build_id_bytes, config->build_id_size);
    return make_note(linker, ".note.gnu.build-id", SHF_ALLOC, "GNU", NT_GNU_BUILD_ID, unknown,
                     sizeof unknown);
}

size_t notes_build_id_offset(void)
{
    return sizeof(Elf64_Nhdr) + sizeof "GNU";
}

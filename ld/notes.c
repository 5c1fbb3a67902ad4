/* The note about the instruction set that an object was made for (lib/isa_note.h). The executable
 * gets one note, with the instructions of all objects. Objects that mean different things by an
 * instruction cannot be linked, because one of them would not do what it was written for; where
 * only other parts of the descriptions differ, the user gets a warning. */
#include "ld/attributes.h"

#include "ld/object.h"
#include "lib/elf_write.h"
#include "lib/isa_note.h"
#include "lib/sha1.h"
#include <string.h>

static const struct elf_section *find_note(const struct object *object)
{
    for (size_t i = 1; i < object->elf.section_count; i++)
        if (strcmp(object->elf.sections[i].name, ISA_NOTE_SECTION) == 0)
            return &object->elf.sections[i];
    return NULL;
}

/* A digest, and the first object that has it. */
struct used {
    uint64_t digest;
    const struct object *object;
};

struct merger {
    struct linker *linker;
    const struct object *first; /* the object whose fingerprint is kept */
    const struct elf_section *section;
    struct isa_note note;
    bool is_mixed;     /* another object has another fingerprint */
    struct used *used; /* in ascending order */
    size_t count, capacity;
};

/* Reports an instruction that two objects describe differently. */
static void report_rivals(struct merger *merger, const struct object *object,
                          const struct used *other)
{
    struct diag *diag = &merger->linker->diag;
    const struct position at = object_position(object);
    const struct isa_instruction *instruction = isa_digest_instruction(other->digest);
    enum isa_mismatch mismatch = merger->linker->config.isa_mismatch;

    if (mismatch != ISA_MISMATCH_IGNORE)
        (mismatch == ISA_MISMATCH_ERROR ? diag_error : diag_warning)(
            diag, &at,
            "means another instruction by '%s' than %s; assemble both with the same tools%s",
            instruction ? instruction->mnemonic : "an unknown mnemonic", other->object->name,
            mismatch == ISA_MISMATCH_ERROR ? ", or pass --isa-mismatch=warn" : "");
}

/* Adds a digest of the object to those of the others. */
static void merge_digest(struct merger *merger, const struct object *object, uint64_t digest)
{
    size_t low = 0, high = merger->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (merger->used[middle].digest < digest)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < merger->count && merger->used[low].digest == digest)
        return;
    if (low && isa_digests_rival(merger->used[low - 1].digest, digest))
        report_rivals(merger, object, &merger->used[low - 1]);
    else if (low < merger->count && isa_digests_rival(merger->used[low].digest, digest))
        report_rivals(merger, object, &merger->used[low]);
    merger->used = arena_grow(&merger->linker->arena, merger->used, merger->count,
                              &merger->capacity, sizeof *merger->used);
    memmove(&merger->used[low + 1], &merger->used[low],
            (merger->count++ - low) * sizeof *merger->used);
    merger->used[low] = (struct used){digest, object};
}

static void merge_note(struct merger *merger, const struct object *object,
                       const struct elf_section *section, const struct isa_note *note)
{
    struct diag *diag = &merger->linker->diag;
    struct position at = object_position(object);
    enum isa_mismatch mismatch = merger->linker->config.isa_mismatch;

    if (!merger->first) {
        merger->first = object;
        merger->section = section;
        merger->note = *note;
        isa_note_check(diag, &at, note, "this linker", false, mismatch);
    } else if (memcmp(note->fingerprint, merger->note.fingerprint, ISA_FINGERPRINT_DIGITS) != 0) {
        merger->is_mixed = true;
        if (mismatch != ISA_MISMATCH_IGNORE)
            diag_warning(
                diag, &at,
                "made with ISA description %.*s, %s with %.*s; assemble both with the same tools",
                ISA_FINGERPRINT_DIGITS, note->fingerprint, merger->first->name,
                ISA_FINGERPRINT_DIGITS, merger->note.fingerprint);
    }
    for (size_t i = 0; i < note->count; i++)
        merge_digest(merger, object, isa_note_digest(note, i));
}

static void merge_notes(struct merger *merger, const struct object *object,
                        const struct elf_section *section)
{
    const struct position at = object_position(object);
    uint64_t offset = 0;
    struct isa_note note;

    while (isa_note_next(section, &offset, &note))
        merge_note(merger, object, section, &note);
    if (!offset)
        diag_warning(&merger->linker->diag, &at, "section '%s' holds no ISA fingerprint",
                     ISA_NOTE_SECTION);
}

/* Makes a note section of the text, and frees it. */
static struct section *make_section(struct linker *linker, const char *name, uint64_t flags,
                                    struct text *note)
{
    struct section *section =
        section_new(linker, name, SHT_NOTE, flags, 4,
                    arena_copy(&linker->arena, note->bytes, note->length), note->length);

    text_free(note);
    return section;
}

static void make_isa_note(struct merger *merger)
{
    struct linker *linker = merger->linker;
    static const char mixed[] = "0000000000000000";
    uint64_t *digests = arena_array(&linker->arena, merger->count, sizeof *digests);
    struct text note = TEXT_INIT;

    for (size_t i = 0; i < merger->count; i++)
        digests[i] = merger->used[i].digest;
    isa_note_write(&note, merger->is_mixed ? mixed : merger->note.fingerprint, digests,
                   merger->count);
    make_section(linker, ISA_NOTE_SECTION, merger->section->header.sh_flags & SHF_ALLOC, &note);
}

void notes_merge(struct linker *linker)
{
    struct merger merger = {.linker = linker};

    for (size_t i = 0; i < linker->object_count; i++) {
        const struct elf_section *section = find_note(linker->objects[i]);
        if (section)
            merge_notes(&merger, linker->objects[i], section);
    }
    if (merger.first)
        make_isa_note(&merger);
}

struct section *notes_add_build_id(struct linker *linker)
{
    static const unsigned char unknown[SHA1_SIZE];
    const struct config *config = &linker->config;

    struct text note = TEXT_INIT;
    const void *id = config->build_id_bytes ? config->build_id_bytes : (const void *)unknown;

    elf_write_note(&note, "GNU", NT_GNU_BUILD_ID, id,
                   config->build_id_bytes ? config->build_id_size : sizeof unknown);
    return make_section(linker, ".note.gnu.build-id", SHF_ALLOC, &note);
}

size_t notes_build_id_offset(void)
{
    return sizeof(Elf64_Nhdr) + sizeof "GNU";
}

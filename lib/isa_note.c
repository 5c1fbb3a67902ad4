/* See isa_note.h. */
#include "lib/isa_note.h"

#include "lib/elf_write.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_INSTRUCTIONS = 3 }; /* at most, in a message */

bool isa_mismatch_read(struct diag *diag, const char *word, enum isa_mismatch *mismatch)
{
    static const char *const words[] = {
        [ISA_MISMATCH_ERROR] = "error",
        [ISA_MISMATCH_WARN] = "warn",
        [ISA_MISMATCH_IGNORE] = "ignore",
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) {
            *mismatch = (enum isa_mismatch)i;
            return true;
        }
    diag_error(diag, NULL, "--isa-mismatch=%s: expected error, warn or ignore", word);
    return false;
}

bool isa_note_next(const struct elf_section *section, uint64_t *offset, struct isa_note *note)
{
    uint64_t size = section && section->bytes ? section->header.sh_size : 0;
    Elf64_Nhdr header;

    while (*offset < size && size - *offset >= sizeof header) {
        memcpy(&header, section->bytes + *offset, sizeof header);
        uint64_t name = *offset + sizeof header,
                 description = name + (((uint64_t)header.n_namesz + 3) & ~UINT64_C(3)),
                 end = description + (((uint64_t)header.n_descsz + 3) & ~UINT64_C(3));
        if (end > size)
            return false;
        *offset = end;
        if (header.n_type == ISA_NOTE_TYPE && header.n_namesz == sizeof ISA_NOTE_OWNER &&
            header.n_descsz >= ISA_FINGERPRINT_DIGITS &&
            memcmp(section->bytes + name, ISA_NOTE_OWNER, sizeof ISA_NOTE_OWNER) == 0) {
            const unsigned char *bytes = section->bytes + description;
            *note = (struct isa_note){
                .fingerprint = (const char *)bytes,
                .digests = bytes + ISA_FINGERPRINT_DIGITS,
                .count = (header.n_descsz - ISA_FINGERPRINT_DIGITS) / sizeof(uint64_t),
            };
            return true;
        }
    }
    return false;
}

uint64_t isa_note_digest(const struct isa_note *note, size_t index)
{
    uint64_t digest;

    memcpy(&digest, note->digests + index * sizeof digest, sizeof digest);
    return le64toh(digest);
}

bool isa_digests_rival(uint64_t a, uint64_t b)
{
    return a >> ISA_DIGEST_BITS == b >> ISA_DIGEST_BITS && a != b;
}

const struct isa_instruction *isa_digest_instruction(uint64_t digest)
{
    for (size_t i = 0; i < isa_instruction_count; i++)
        if (isa_instructions[i].digest >> ISA_DIGEST_BITS == digest >> ISA_DIGEST_BITS)
            return &isa_instructions[i];
    return NULL;
}

void isa_note_write(struct text *text, const char *fingerprint, const uint64_t *digests,
                    size_t count)
{
    struct text description = TEXT_INIT;

    text_append_bytes(&description, fingerprint, ISA_FINGERPRINT_DIGITS);
    for (size_t i = 0; i < count; i++) {
        uint64_t digest = htole64(digests[i]);
        text_append_bytes(&description, &digest, sizeof digest);
    }
    elf_write_note(text, ISA_NOTE_OWNER, ISA_NOTE_TYPE, description.bytes, description.length);
    text_free(&description);
}

static int compare_digests(const void *a, const void *b)
{
    uint64_t one, other;

    memcpy(&one, a, sizeof one);
    memcpy(&other, b, sizeof other);
    return (one > other) - (one < other);
}

void isa_note_sort(uint64_t *digests, size_t count)
{
    if (count)
        qsort(digests, count, sizeof *digests, compare_digests);
}

/* Collects the names of instructions for a message. */
struct listing {
    struct text names;
    size_t count;
};

static void list_name(struct listing *listing, const char *name)
{
    if (listing->count++ < NAMED_INSTRUCTIONS)
        text_format(&listing->names, "%s%s", listing->count > 1 ? ", " : "", name);
}

/* Reports the instructions of a listing. Returns false if that is an error. */
static bool report(struct diag *diag, const struct position *at, struct listing *listing,
                   const char *what, const char *tool, enum isa_mismatch mismatch)
{
    bool is_error = listing->count && mismatch == ISA_MISMATCH_ERROR;

    if (listing->count)
        (is_error ? diag_error : diag_warning)(
            diag, at, "uses %s that %s %s: %s%s; assemble it again with the present tools%s",
            listing->count > 1 ? "instructions" : "an instruction", tool, what,
            listing->names.bytes, listing->count > NAMED_INSTRUCTIONS ? ", …" : "",
            is_error ? ", or pass --isa-mismatch=warn" : "");
    text_free(&listing->names);
    return !is_error;
}

bool isa_note_check(struct diag *diag, const struct position *at, const struct isa_note *note,
                    const char *tool, bool needs_all, enum isa_mismatch mismatch)
{
    struct listing changed = {TEXT_INIT, 0}, missing = {TEXT_INIT, 0};

    if (mismatch == ISA_MISMATCH_IGNORE ||
        memcmp(note->fingerprint, isa_fingerprint, ISA_FINGERPRINT_DIGITS) == 0)
        return true;
    for (size_t i = 0; i < note->count; i++) {
        uint64_t digest = isa_note_digest(note, i);
        const struct isa_instruction *instruction = isa_digest_instruction(digest);
        char number[32];
        snprintf(number, sizeof number, "0x%" PRIx64, digest >> ISA_DIGEST_BITS);
        if (!instruction && needs_all)
            list_name(&missing, number);
        else if (instruction && instruction->digest != digest)
            list_name(&changed, instruction->mnemonic);
    }
    bool agrees = changed.count + missing.count == 0;
    bool sound = report(diag, at, &changed, "describes otherwise", tool, mismatch);
    sound &= report(diag, at, &missing, "does not have", tool, mismatch);
    if (agrees)
        diag_warning(diag, at,
                     "made with ISA description %.*s; %s has %s, in which the instructions that "
                     "it uses are the same",
                     ISA_FINGERPRINT_DIGITS, note->fingerprint, tool, isa_fingerprint);
    return sound;
}

/* The note of an object about the instruction set that it was assembled for: the fingerprint of the
 * description, and a digest of each instruction that the object uses. */
#ifndef LIB_ISA_NOTE_H
#define LIB_ISA_NOTE_H

#include "lib/diag.h"
#include "lib/elf_file.h"
#include "lib/isa.h"
#include "lib/text.h"

/* The section, and the ELF note in it. The description of the note is the fingerprint
 * (ISA_FINGERPRINT_DIGITS characters), then the digests as little-endian numbers of 64 bits in
 * ascending order. */
#define ISA_NOTE_SECTION ".note.tensor.isa"
#define ISA_NOTE_OWNER   "tensor"
#define ISA_NOTE_TYPE    1

struct isa_note {
    const char *fingerprint;      /* ISA_FINGERPRINT_DIGITS characters without NUL */
    const unsigned char *digests; /* of isa_instruction.digest; any alignment */
    size_t count;
};

/* How a tool treats an object that was made with another description. */
enum isa_mismatch { ISA_MISMATCH_ERROR, ISA_MISMATCH_WARN, ISA_MISMATCH_IGNORE };
#define ISA_MISMATCH_VALUES "error|warn|ignore"

/* Sets *mismatch to what the word of --isa-mismatch names. Returns false after a diagnostic. */
bool isa_mismatch_read(struct diag *diag, const char *word, enum isa_mismatch *mismatch);

/* Reads the next note from *offset of the section on, and moves *offset after it. GNU ld leaves the
 * notes of all objects in a program. Returns false if there is none; the section may be NULL. */
bool isa_note_next(const struct elf_section *section, uint64_t *offset, struct isa_note *note);
uint64_t isa_note_digest(const struct isa_note *note, size_t index);

/* Do two digests belong to one instruction, of which there are two descriptions? */
bool isa_digests_rival(uint64_t a, uint64_t b);
/* Returns the instruction of these tools that the digest belongs to, or NULL. */
const struct isa_instruction *isa_digest_instruction(uint64_t digest);

/* Writes the note. `digests` are in ascending order. */
void isa_note_write(struct text *text, const char *fingerprint, const uint64_t *digests,
                    size_t count);
/* Sorts digests in ascending order. */
void isa_note_sort(uint64_t *digests, size_t count);

/* Reports what in the note differs from the description of this tool. An instruction that is
 * described otherwise here is an error; so is one that does not exist here where the tool
 * `needs_all` of them. Another fingerprint alone is a warning. `mismatch` makes warnings of the
 * errors, or ignores everything. Returns false after an error. */
bool isa_note_check(struct diag *diag, const struct position *at, const struct isa_note *note,
                    const char *tool, bool needs_all, enum isa_mismatch mismatch);

#endif

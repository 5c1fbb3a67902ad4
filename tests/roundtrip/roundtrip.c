/* Commands of the round-trip test; the .test files beside it join them with the tools:
 *
 *     lines FILE.s [base]     every form of every mnemonic with all kinds and bounds of operands;
 * `base`: what GNU as knows, too check-lines FILE.o      the words of the assembled file against
 * those worked out from the tables check-gas FILE.o        the same for the base lines, as GNU as
 * assembled them words FILE.s            random words of every encoding, written as the
 * disassembler writes them check-words FILE.o      are these the words again? (but for ignored
 * bits) reassemble DISASSEMBLY FILE.s   `tobjdump -d` output as a source file same A.o B.o is the
 * code the same? beyond TASM DIRECTORY   one beyond each bound
 *
 * Each prints what it counted, and fails when that is nothing. */
#include "tests/roundtrip/roundtrip.h"

#include "lib/diag.h"
#include "lib/disasm.h"
#include "lib/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_WORDS = 40, REPORTED = 20 };

struct code {
    struct arena arena;
    struct diag diag;
    const unsigned char *bytes;
    size_t size;
};

static FILE *create(const char *name)
{
    FILE *stream = fopen(name, "w");

    if (!stream) {
        perror(name);
        exit(2);
    }
    return stream;
}

static void open_code(struct code *code, const char *name)
{
    struct diag_file file;
    struct elf_file elf;
    const struct elf_section *section;

    *code = (struct code){.diag = {.tool = "roundtrip"}};
    if (!file_read(&code->arena, &code->diag, NULL, name, &file) ||
        !elf_open(&elf, &code->arena, &code->diag, name, file.bytes, file.length))
        exit(2);
    section = elf_find_section(&elf, ".text");
    if (!section || !section->bytes) {
        fprintf(stderr, "%s: no code\n", name);
        exit(2);
    }
    code->bytes = section->bytes;
    code->size = section->header.sh_size;
}

static uint64_t word_at(const struct code *code, size_t offset, int length)
{
    uint64_t word = 0;

    for (int i = length; i-- > 0;)
        word = word << 8 | (offset + (size_t)i < code->size ? code->bytes[offset + (size_t)i] : 0);
    return word;
}

/* ---- lines ---- */

struct lines {
    FILE *stream;
    bool base;
    size_t count;
};

static void begin_source(FILE *stream)
{
    fputs(".option norelax\n.text\nhere:\n", stream);
}

/* Makes each line produce exactly its instruction: instructions are only compressed where a
 * compressed one is written. */
static void write_mode(FILE *stream, bool compressed)
{
    fputs(compressed ? ".option rvc\n" : ".option norvc\n", stream);
}

static void write_visited(const struct line *line, const struct word *words, unsigned word_count,
                          void *context)
{
    struct lines *lines = context;

    (void)words;
    (void)word_count;
    if (lines->base ? !is_base(line) : is_hidden(line->form))
        return;
    write_mode(lines->stream, line->form->instruction->expansion);
    write_line(lines->stream, line);
    lines->count++;
}

static int write_lines(const char *name, bool base)
{
    struct lines lines = {.stream = create(name), .base = base};

    begin_source(lines.stream);
    for_each_line(write_visited, &lines);
    fclose(lines.stream);
    printf("%zu lines, %zu forms of %zu instructions\n", lines.count, isa_form_count,
           isa_instruction_count);
    return lines.count == 0;
}

struct checked {
    struct code code;
    bool base;
    size_t offset, lines, words, failures;
};

static void check_visited(const struct line *line, const struct word *words, unsigned word_count,
                          void *context)
{
    struct checked *checked = context;

    if (checked->base ? !is_base(line) : is_hidden(line->form))
        return;
    checked->lines += word_count > 0;
    for (unsigned i = 0; i < word_count; i++) {
        const struct word *expected = &words[i];
        uint64_t found = word_at(&checked->code, checked->offset, expected->length);
        if ((found ^ expected->bits) & expected->mask && checked->failures++ < REPORTED) {
            printf("at 0x%zx: found %0*" PRIx64 ", expected %0*" PRIx64 " for: ", checked->offset,
                   2 * expected->length, found, 2 * expected->length, expected->bits);
            write_line(stdout, line);
        }
        checked->offset += (size_t)expected->length;
        checked->words++;
    }
}

static int check_lines(const char *name, bool base)
{
    struct checked checked = {.base = base};

    open_code(&checked.code, name);
    for_each_line(check_visited, &checked);
    if (checked.offset > checked.code.size) {
        printf("the code ends at 0x%zx, expected 0x%zx bytes at least\n", checked.code.size,
               checked.offset);
        checked.failures++;
    }
    printf("%zu lines, %zu words, %zu wrong\n", checked.lines, checked.words, checked.failures);
    arena_free(&checked.code.arena);
    return checked.failures > 0 || checked.words == 0;
}

/* Is the compressed word the one that the assembler writes for its meaning? HINTs and alternative
 * encodings are not. */
static bool is_chosen(const struct isa_instruction *instruction, uint64_t word)
{
    uint64_t base_word = word;
    const struct isa_instruction *base = isa_expand(instruction, &base_word);
    int64_t values[OPERANDS], compressed[OPERANDS] = {0};

    for (unsigned i = 0; i < base->operand_count; i++)
        values[i] = isa_extract(&base->operands[i], base_word);
    for (unsigned i = 0; i < base->compression_count; i++)
        if (isa_compress(&base->compressions[i], values, -1, compressed))
            return base->compressions[i].compressed == instruction;
    return false;
}

/* Turns the disassembly `text` of a word into a line that assembles to the word. Compressed words
 * are written like their bases, or as a number if that would make another word. Words with an
 * operand that tobjdump calls unknown are also written as numbers. */
static void write_code(FILE *stream, const struct isa_instruction *instruction, uint64_t word,
                       const char *text)
{
    bool compressed = instruction && instruction->expansion;

    write_mode(stream, compressed);
    if (compressed && strncmp(text, "c.", 2) != 0 && !is_chosen(instruction, word))
        fprintf(stream, ".insn 2, %" PRIu64 "\n", word);
    else if (instruction && strstr(text, "unknown"))
        fprintf(stream, ".insn %u, %" PRIu64 "\n", instruction->length, word);
    else
        fprintf(stream, "%s\n", text);
}

/* ---- random words ---- */

static uint64_t operand_bits(const struct isa_instruction *instruction)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < instruction->operand_count; i++)
        bits |= isa_insert(instruction->operands[i].field, 0, -1);
    return bits;
}

/* Returns the bits that do not matter for decoding. */
static uint64_t ignored_bits(const struct isa_instruction *instruction)
{
    uint64_t all =
        instruction->length == 8 ? ~UINT64_C(0) : (UINT64_C(1) << 8 * instruction->length) - 1;

    return all & ~(instruction->mask | operand_bits(instruction));
}

/* Random numbers, the same on every run. */
static uint64_t next_word(const struct isa_instruction *instruction, uint64_t *state)
{
    uint64_t word = isa_random_word(instruction, state);

    return word | (*state * UINT64_C(0x9e3779b97f4a7c15) & ignored_bits(instruction));
}

/* Writes a target as an expression with the location counter, which assembles to the same
 * distance. */
static void write_target(void *context, struct text *text, uint64_t address)
{
    (void)context;
    text_format(text, ". + %" PRId64, (int64_t)address);
}

static int write_words(const char *name)
{
    struct disasm disasm = {.address = write_target};
    struct text text = TEXT_INIT;

    FILE *stream = create(name);
    uint64_t state = 1;

    begin_source(stream);
    for (size_t i = 0; i < isa_instruction_count; i++) {
        for (unsigned j = 0; j < RANDOM_WORDS; j++) {
            uint64_t word = next_word(&isa_instructions[i], &state);
            text_clear(&text);
            disasm.no_aliases = j % 4 == 1;
            disasm.numeric = j % 4 == 2;
            disasm_instruction(&disasm, &text, 0, word, isa_instructions[i].length);
            write_code(stream, &isa_instructions[i], word, text.bytes);
        }
    }
    fclose(stream);
    text_free(&text);
    return 0;
}

static int check_words(const char *name)
{
    struct code code;
    uint64_t state = 1;
    size_t offset = 0, failures = 0, count = 0;

    open_code(&code, name);
    for (size_t i = 0; i < isa_instruction_count; i++) {
        const struct isa_instruction *instruction = &isa_instructions[i];
        for (unsigned j = 0; j < RANDOM_WORDS; j++, count++) {
            uint64_t word = next_word(instruction, &state) & ~ignored_bits(instruction);
            uint64_t found = word_at(&code, offset, instruction->length);
            if (found != word && failures++ < REPORTED)
                printf("%s at 0x%zx: found %" PRIx64 ", expected %" PRIx64 "\n",
                       instruction->mnemonic, offset, found, word);
            offset += instruction->length;
        }
    }
    printf("%zu words, %zu wrong, %zu of %zu bytes\n", count, failures, offset, code.size);
    failures += offset != code.size;
    arena_free(&code.arena);
    return failures > 0 || count == 0;
}

/* ---- disassembly as source ---- */

static bool has_target(const struct isa_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].type->kind == ISA_TARGET)
            return true;
    return false;
}

/* The bytes between the tabs: chunks of little-endian numbers. */
static uint64_t read_encoding(const char *text, int *length)
{
    uint64_t word = 0;
    char *end;

    *length = 0;
    while (*(text += strspn(text, " ")) != '\t') {
        uint64_t chunk = strtoull(text, &end, 16);
        if (end == text || *length >= 8)
            return 0;
        word |= chunk << 8 * *length;
        *length += (int)(end - text) / 2;
        text = end;
    }
    return word;
}

/* Parses `  1c:\t00b50063          \tbeq\ta0,a1,20 <.L1>`. Returns false for other lines. */
static bool reassemble_line(FILE *stream, char *line)
{
    char *end, *encoding, *text, *target;
    uint64_t pc = strtoull(line, &end, 16), word;
    const struct isa_instruction *instruction;
    int length;

    if (end == line || end[0] != ':' || end[1] != '\t')
        return false;
    encoding = end + 2;
    text = strchr(encoding, '\t');
    if (!text)
        return false;
    word = read_encoding(encoding, &length);
    instruction = length ? isa_decode(word, length) : NULL;
    text++;
    text[strcspn(text, "\n")] = 0;
    target = strstr(text, " # ");
    if (target)
        *target = 0;
    if (!instruction || !has_target(instruction)) {
        write_code(stream, instruction, word, text);
        return true;
    }
    write_mode(stream, instruction->expansion);
    target = strrchr(text, ',');
    target = target ? target + 1 : strchr(text, '\t') + 1;
    fprintf(stream, "%.*s. + %" PRId64 "\n", (int)(target - text), text,
            (int64_t)(strtoull(target, NULL, 16) - pc));
    return true;
}

static int reassemble(const char *disassembly, const char *name)
{
    FILE *input = fopen(disassembly, "r"), *stream = create(name);
    char line[1024];
    size_t count = 0;

    if (!input) {
        perror(disassembly);
        exit(2);
    }
    begin_source(stream);
    while (fgets(line, sizeof line, input))
        count += reassemble_line(stream, line);
    fclose(input);
    fclose(stream);
    printf("%zu lines of disassembly\n", count);
    return count == 0;
}

static int same(const char *a_name, const char *b_name)
{
    struct code a, b;
    size_t at = 0;
    bool equal;

    open_code(&a, a_name);
    open_code(&b, b_name);
    while (at < a.size && at < b.size && a.bytes[at] == b.bytes[at])
        at++;
    equal = at == a.size && at == b.size;
    if (equal)
        printf("%zu bytes of code are the same\n", a.size);
    else
        printf("the code differs at 0x%zx: %08" PRIx64 " and %08" PRIx64 " (%zu and %zu bytes)\n",
               at & ~(size_t)3, word_at(&a, at & ~(size_t)3, 4), word_at(&b, at & ~(size_t)3, 4),
               a.size, b.size);
    arena_free(&a.arena);
    arena_free(&b.arena);
    return !equal || a.size == 0;
}

int main(int argc, char **argv)
{
    const char *command = argc > 2 ? argv[1] : "";

    if (strcmp(command, "lines") == 0)
        return write_lines(argv[2], argc > 3 && strcmp(argv[3], "base") == 0);
    if (strcmp(command, "check-lines") == 0)
        return check_lines(argv[2], false);
    if (strcmp(command, "check-gas") == 0)
        return check_lines(argv[2], true);
    if (strcmp(command, "words") == 0)
        return write_words(argv[2]);
    if (strcmp(command, "check-words") == 0)
        return check_words(argv[2]);
    if (strcmp(command, "reassemble") == 0 && argc == 4)
        return reassemble(argv[2], argv[3]);
    if (strcmp(command, "same") == 0 && argc == 4)
        return same(argv[2], argv[3]);
    if (strcmp(command, "beyond") == 0 && argc == 4)
        return check_beyond(argv[2], argv[3]);
    fputs("usage: see the head of roundtrip.c\n", stderr);
    return 2;
}

/* The System V archive format as ar(5) describes it, with GNU's long names ("/123" into the member
 * "//") and 64-bit symbol table ("/SYM64/").
 *
 * A member is a header of 60 bytes in ASCII (name 16, date 12, owner 6, group 6, mode 8, size 10,
 * "`\n") and its bytes, padded to an even offset. A thin archive contains the bytes of the tables
 * only; its members are named as files, relative to the directory of the archive. "/123:456" is the
 * member of another archive, 123, whose header is there at offset 456. Nothing in an archive is
 * trusted: every number is checked against the file before it is used. */
#include "lib/archive.h"

#include "lib/elf_file.h"
#include "lib/file.h"
#include <string.h>

#define MAGIC_LENGTH   8
#define HEADER_LENGTH  60
#define NAME_LENGTH    16
#define DATE_OFFSET    16
#define DATE_LENGTH    12
#define OWNER_OFFSET   28
#define GROUP_OFFSET   34
#define OWNER_LENGTH   6
#define MODE_OFFSET    40
#define MODE_LENGTH    8
#define SIZE_OFFSET    48
#define SIZE_LENGTH    10
#define TRAILER_OFFSET 58

struct header {
    const char *name; /* NAME_LENGTH bytes, padded with blanks */
    uint64_t content, size;
    bool is_file; /* of a thin archive: `size` bytes of another file */
};

#define FAIL(...)                                                                                  \
    (diag_error(archive->diag, &(struct position){.name = archive->name}, __VA_ARGS__), false)

static bool named(const struct header *header, const char *name)
{
    size_t length = strlen(name);

    return memcmp(header->name, name, length) == 0 &&
           (length == NAME_LENGTH || header->name[length] == ' ');
}

static bool is_table(const struct header *header)
{
    return named(header, "/") || named(header, "//") || named(header, "/SYM64/");
}

static bool read_header(const struct archive *archive, uint64_t offset, struct header *header)
{
    if (offset > archive->length || archive->length - offset < HEADER_LENGTH)
        return FAIL(
            "truncated archive: a member header at offset 0x%llx does not fit in %llu bytes",
            (unsigned long long)offset, (unsigned long long)archive->length);
    const unsigned char *bytes = archive->bytes + offset;
    if (memcmp(bytes + TRAILER_OFFSET, "`\n", 2) != 0)
        return FAIL("damaged archive: there is no member header at offset 0x%llx",
                    (unsigned long long)offset);
    header->name = (const char *)bytes;
    header->content = offset + HEADER_LENGTH;
    header->size = 0;
    header->is_file = archive->is_thin && !is_table(header);
    size_t digits = 0;
    for (; digits < SIZE_LENGTH && bytes[SIZE_OFFSET + digits] >= '0' &&
           bytes[SIZE_OFFSET + digits] <= '9';
         digits++)
        header->size = header->size * 10 + (bytes[SIZE_OFFSET + digits] - '0');
    if (!digits || (!header->is_file && header->size > archive->length - header->content))
        return FAIL(
            "damaged archive: the member at offset 0x%llx has size '%.*s'; %llu bytes are left",
            (unsigned long long)offset, SIZE_LENGTH, (const char *)bytes + SIZE_OFFSET,
            (unsigned long long)(archive->length - header->content));
    return true;
}

static uint64_t next_header(const struct header *header)
{
    return header->content + (header->is_file ? 0 : header->size + (header->size & 1));
}

static uint64_t big_endian(const unsigned char *bytes, unsigned width)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < width; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* Reads the symbol table: a count, that many offsets, that many NUL-terminated names. `width`:
 * bytes of each number. */
static bool read_symbols(struct archive *archive, const struct header *table, unsigned width)
{
    const unsigned char *bytes = archive->bytes + table->content;

    if (table->size < width)
        return FAIL("damaged archive: a symbol table of %llu bytes; run ranlib",
                    (unsigned long long)table->size);
    uint64_t count = big_endian(bytes, width);
    if (count > (table->size - width) / (width + 1))
        return FAIL("damaged archive: %llu symbols in a symbol table of %llu bytes; run ranlib",
                    (unsigned long long)count, (unsigned long long)table->size);
    archive->symbols = arena_array(archive->arena, count + 1, sizeof *archive->symbols);
    const char *names = (const char *)bytes + width + count * width;
    const char *end = (const char *)bytes + table->size;
    for (uint64_t i = 0; i < count; i++) {
        const char *nul = memchr(names, 0, (size_t)(end - names));
        if (!nul)
            return FAIL("damaged archive: the names of its symbol table end early; run ranlib");
        archive->symbols[i] = (struct archive_symbol){
            .name = names, .member = big_endian(bytes + width + i * width, width)};
        struct header member;
        if (!read_header(archive, archive->symbols[i].member, &member))
            return false;
        names = nul + 1;
    }
    archive->symbol_count = count;
    archive->has_symbol_table = true;
    return true;
}

bool archive_open(struct archive *archive, struct arena *arena, struct diag *diag, const char *name,
                  const void *bytes, size_t length)
{
    *archive = (struct archive){
        .arena = arena, .diag = diag, .name = name, .bytes = bytes, .length = length};
    archive->nested = arena_new(arena, struct nested_archive *);
    archive->is_thin = memcmp(bytes, "!<thin>", 7) == 0;
    uint64_t offset = MAGIC_LENGTH;

    while (offset < length) {
        struct header header;
        if (!read_header(archive, offset, &header))
            return false;
        if (named(&header, "/") || named(&header, "/SYM64/")) {
            if (!read_symbols(archive, &header, named(&header, "/") ? 4 : 8))
                return false;
        } else if (named(&header, "//")) {
            archive->long_names = (const char *)bytes + header.content;
            archive->long_names_length = header.size;
        } else {
            break;
        }
        offset = next_header(&header);
    }
    archive->first_member = offset;
    return true;
}

/* Reads the name of a member: "a.o/", or "/123" for the line at that offset of the long names. */
static bool member_name(const struct archive *archive, const struct header *header,
                        const char **name, size_t *length)
{
    *name = header->name;
    *length = NAME_LENGTH;
    if (header->name[0] == '/' && header->name[1] >= '0' && header->name[1] <= '9') {
        uint64_t offset = 0;
        for (size_t i = 1; i < NAME_LENGTH && header->name[i] >= '0' && header->name[i] <= '9'; i++)
            offset = offset * 10 + (uint64_t)(header->name[i] - '0');
        if (!archive->long_names || offset >= archive->long_names_length)
            return FAIL("damaged archive: member name '%.*s' is not in the table of long names",
                        NAME_LENGTH, header->name);
        *name = archive->long_names + offset;
        const char *newline = memchr(*name, '\n', archive->long_names_length - offset);
        *length = newline ? (size_t)(newline - *name) : archive->long_names_length - offset;
        if (*length && (*name)[*length - 1] == '/')
            --*length;
        return true;
    }
    const char *slash = memchr(*name, '/', *length);
    if (slash)
        *length = (size_t)(slash - *name);
    while (*length && (*name)[*length - 1] == ' ')
        --*length;
    return true;
}

/* Reads a number of the header that nothing depends on; 0 if there is none. */
static uint64_t read_number(const char *digits, size_t length, unsigned base)
{
    uint64_t value = 0;

    for (size_t i = 0; i < length && digits[i] >= '0' && digits[i] < (char)('0' + base); i++)
        value = value * base + (uint64_t)(digits[i] - '0');
    return value;
}

struct nested_archive {
    struct archive archive;
    struct nested_archive *next;
};

/* Returns the archive that members of this one are in, opened once; NULL after an error. */
static const struct archive *open_nested(const struct archive *archive, const char *name)
{
    enum { DEEPEST = 10 };
    struct nested_archive *nested = *archive->nested;
    struct diag_file file;

    for (; nested; nested = nested->next)
        if (strcmp(nested->archive.name, name) == 0)
            return &nested->archive;
    if (archive->depth == DEEPEST) {
        (void)FAIL("more than %d archives name members of one another", DEEPEST);
        return NULL;
    }
    if (!file_read(archive->arena, archive->diag, NULL, name, &file))
        return NULL;
    if (!elf_is_archive(file.bytes, file.length)) {
        (void)FAIL("members are in '%s', which is not an archive; make the archive again", name);
        return NULL;
    }
    nested = arena_new(archive->arena, struct nested_archive);
    if (!archive_open(&nested->archive, archive->arena, archive->diag, name, file.bytes,
                      file.length))
        return NULL;
    nested->archive.depth = archive->depth + 1;
    nested->next = *archive->nested;
    *archive->nested = nested;
    return &nested->archive;
}

/* Reads the member of another archive whose header is at `origin` there. */
static bool read_nested_member(const struct archive *archive, const struct header *header,
                               const char *name, uint64_t origin, struct archive_member *member)
{
    const struct archive *nested = open_nested(archive, name);
    struct archive_member inner;

    if (!nested || !archive_member(nested, origin, &inner))
        return false;
    if (inner.length != header->size)
        return FAIL("member '%s' had %llu bytes when the archive was made, now it has %llu; make "
                    "the archive again",
                    inner.name, (unsigned long long)header->size, (unsigned long long)inner.length);
    member->name = arena_format(archive->arena, "%s(%s)", archive->name, inner.own_name);
    member->own_name = inner.own_name;
    member->bytes = inner.bytes;
    return true;
}

static bool read_member_file(const struct archive *archive, const struct header *header,
                             struct archive_member *member)
{
    const char *slash = strrchr(archive->name, '/'), *name = member->own_name;
    const char *colon = memchr(header->name, ':', NAME_LENGTH);
    struct diag_file file;

    if (slash && *name != '/')
        name = arena_format(archive->arena, "%.*s%s", (int)(slash + 1 - archive->name),
                            archive->name, name);
    if (colon) {
        size_t left = (size_t)(header->name + NAME_LENGTH - colon - 1);
        return read_nested_member(archive, header, name, read_number(colon + 1, left, 10), member);
    }
    if (!file_read(archive->arena, archive->diag, NULL, name, &file))
        return FAIL("its member '%s' is the file '%s'; make that file, or make the archive again",
                    member->own_name, name);
    if (file.length != header->size)
        return FAIL("member '%s' had %llu bytes when the archive was made, the file '%s' has %zu; "
                    "make the archive again",
                    member->own_name, (unsigned long long)header->size, name, file.length);
    member->own_name = name;
    member->bytes = (const unsigned char *)file.bytes;
    return true;
}

bool archive_member(const struct archive *archive, uint64_t offset, struct archive_member *member)
{
    struct header header;
    const char *name;
    size_t length;

    if (!read_header(archive, offset, &header) || !member_name(archive, &header, &name, &length))
        return false;
    member->own_name = arena_format(archive->arena, "%.*s", (int)length, name);
    member->name = arena_format(archive->arena, "%s(%s)", archive->name, member->own_name);
    member->bytes = archive->bytes + header.content;
    member->length = header.size;
    member->next = next_header(&header);
    member->date = read_number(header.name + DATE_OFFSET, DATE_LENGTH, 10);
    member->owner = read_number(header.name + OWNER_OFFSET, OWNER_LENGTH, 10);
    member->group = read_number(header.name + GROUP_OFFSET, OWNER_LENGTH, 10);
    member->mode = read_number(header.name + MODE_OFFSET, MODE_LENGTH, 8);
    return !header.is_file || read_member_file(archive, &header, member);
}

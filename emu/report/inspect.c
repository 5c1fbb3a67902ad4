/* See inspect.h. */
#include "emu/report/inspect.h"
#include "lib/output.h"
#include "lib/text.h"
#include <inttypes.h>
#include <stdlib.h>

/* ---- arguments of the options ---- */

/* Parses a number, decimal or 0x…, that must be followed by one of the characters of `ends`, or by
 * the end of the text when `ends` is empty. */
static bool parse_number(const char **text, const char *ends, uint64_t *value)
{
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    *value = strtoull(*text, &end, 0);
    if (*ends ? !*end || !strchr(ends, *end) : *end != '\0')
        return false;
    *text = end;
    return true;
}

/* Parses `[2,3]` or `[2][3]`, or nothing, and moves *text past it. */
static bool parse_shape(struct print_request *request, const char **text)
{
    while (**text == '[') {
        do {
            ++*text;
            if (request->array.rank == ELEMENT_DIMENSIONS ||
                !parse_number(text, ",]", &request->array.dimensions[request->array.rank]) ||
                request->array.dimensions[request->array.rank] == 0)
                return false;
            request->array.rank++;
        } while (**text == ',');
        ++*text;
    }
    return true;
}

/* Parses the text after the type: a shape, then forms; or nothing. */
static bool parse_layout(struct print_request *request, struct diag *diag, const char *option,
                         const char *text)
{
    const char *after = text;
    struct suggestion suggestion;

    if (!parse_shape(request, &after)) {
        diag_error(diag, NULL,
                   "--print=%s: '%.*s' is not a shape; expected [2,3] (1 to %d dimensions of at "
                   "least 1)",
                   option, (int)strcspn(text, ":"), text, ELEMENT_DIMENSIONS);
        return false;
    }
    const char *wrong = element_read_forms(&request->array, after);
    if (wrong) {
        suggest_init(&suggestion, wrong);
        element_suggest_forms(&suggestion);
        bool is_second = suggestion.count && suggestion.distance[0] == 0;
        const char *near = is_second ? NULL : suggest_text(&suggestion);
        diag_error(diag, NULL,
                   "--print=%s: found '%s'; expected the end, or :value, :hex or :hexfloat, and "
                   ":table%s%s%s",
                   option, wrong, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
    return !wrong;
}

static const struct isa_element *find_type(const char *text, size_t length)
{
    for (size_t i = 0; i < isa_element_count; i++)
        if (strlen(isa_elements[i].name) == length &&
            strncmp(isa_elements[i].name, text, length) == 0)
            return &isa_elements[i];
    return NULL;
}

static void bad_type(struct diag *diag, const char *option, const char *word)
{
    struct suggestion suggestion;
    struct text all = TEXT_INIT;

    suggest_init(&suggestion, word);
    element_append_types(&all);
    for (size_t i = 0; i < isa_element_count; i++)
        suggest_add(&suggestion, isa_elements[i].name);
    const char *near = suggest_text(&suggestion);
    diag_error(diag, NULL, "--print=%s: unknown type '%s'%s%s%s; expected one of: %s", option, word,
               near ? " (did you mean " : "", near ? near : "", near ? "?)" : "", all.bytes);
    text_free(&all);
}

bool print_parse(struct print_request *request, const struct program *program, struct arena *arena,
                 struct diag *diag, const char *text)
{
    const char *colon = strchr(text, ':');
    uint64_t size;

    *request = (struct print_request){0};
    if (!colon || colon == text) {
        diag_error(diag, NULL,
                   "--print=%s: expected SYMBOL:TYPE[DIMENSIONS], such as result:f32[2,3]", text);
        return false;
    }
    request->name = arena_copy(arena, text, colon - text);
    size_t length = strcspn(colon + 1, "[:");
    request->array.type = find_type(colon + 1, length);
    if (!request->array.type) {
        bad_type(diag, text, arena_copy(arena, colon + 1, length));
        return false;
    }
    request->array.form = request->array.type->print;
    if (!parse_layout(request, diag, text, colon + 1 + length))
        return false;
    if (!element_has_form(&request->array)) {
        diag_error(diag, NULL, "--print=%s: :hexfloat is for floats; :hex prints the bits of '%s'",
                   text, request->array.type->name);
        return false;
    }
    if (!program_symbol(program, request->name, &request->address))
        request->reg = isa_find_register(request->name);
    if (request->reg)
        size = request->reg->file->width / 8u;
    else if (!program_address(program, diag, request->name, &request->address, &size))
        return false;
    if (request->array.rank == 0 && size / request->array.type->bytes > 1) {
        request->array.dimensions[0] = size / request->array.type->bytes;
        request->array.rank = 1;
    }
    if (element_count(&request->array) > MEMORY_LIMIT / request->array.type->bytes) {
        diag_error(diag, NULL, "--print=%s: the array is larger than the address space", text);
        return false;
    }
    if (request->reg && element_count(&request->array) * request->array.type->bytes >
                            8u * request->reg->file->words) {
        diag_error(
            diag, NULL, "--print=%s: an array of %" PRIu64 " bytes; register '%s' has %" PRIu64,
            text, element_count(&request->array) * request->array.type->bytes, request->name, size);
        return false;
    }
    return true;
}

/* Splits `NAME…=FILE`. Returns the part before the `=`, or NULL after a diagnostic. */
static char *split_file(struct arena *arena, struct diag *diag, const char *option,
                        const char *text, const char **file)
{
    const char *equals = strchr(text, '=');

    if (!equals || equals == text || equals[1] == '\0') {
        diag_error(diag, NULL, "--%s=%s: expected %s", option, text,
                   strcmp(option, "load") == 0 ? "SYMBOL-or-ADDRESS=FILE"
                                               : "SYMBOL-or-ADDRESS:LENGTH=FILE");
        return NULL;
    }
    *file = arena_string(arena, equals + 1);
    return arena_copy(arena, text, equals - text);
}

bool dump_parse(struct dump_request *request, const struct program *program, struct arena *arena,
                struct diag *diag, const char *text)
{
    char *name = split_file(arena, diag, "dump", text, &request->file);
    uint64_t given = 0;

    if (!name)
        return false;
    char *colon = strchr(name, ':');
    if (colon) {
        const char *number = colon + 1;
        if (!parse_number(&number, "", &given)) {
            diag_error(diag, NULL, "--dump=%s: '%s' is not a length in bytes", text, colon + 1);
            return false;
        }
        *colon = '\0';
    }
    if (!program_address(program, diag, name, &request->address, &request->length))
        return false;
    if (colon)
        request->length = given;
    if (!colon && !request->length) {
        diag_error(diag, NULL, "--dump=%s: the length is unknown; write %s:LENGTH=FILE", text,
                   name);
        return false;
    }
    return true;
}

bool load_parse(struct load_request *request, const struct program *program, struct arena *arena,
                struct diag *diag, const char *text)
{
    const char *name = split_file(arena, diag, "load", text, &request->file);

    request->argument = text;
    return name && program_address(program, diag, name, &request->address, &request->room);
}

/* ---- raw data ---- */

bool dump_run(const struct dump_request *request, const struct memory *memory, struct diag *diag)
{
    const void *bytes = memory_peek(memory, request->address, request->length);

    if (!bytes) {
        diag_error(diag, NULL, "--dump: 0x%" PRIx64 " bytes at 0x%" PRIx64 " are not all mapped",
                   request->length, request->address);
        return false;
    }
    return !output_is_terminal(request->file, diag) &&
           output_file(diag, request->file, 0666, bytes, request->length);
}

bool load_run(const struct load_request *request, struct memory *memory, struct arena *arena,
              struct diag *diag)
{
    struct diag_file file;

    if (!file_read(arena, diag, NULL, request->file, &file))
        return false;
    if (request->room && file.length > request->room)
        diag_warning(diag, NULL,
                     "--load=%s: found %zu bytes, but the symbol has %" PRIu64
                     "; the others replace what follows it",
                     request->argument, file.length, request->room);
    if (memory_poke(memory, request->address, file.bytes, file.length))
        return true;
    diag_error(diag, NULL, "--load: the 0x%zx bytes of %s at 0x%" PRIx64 " are not all mapped",
               file.length, request->file, request->address);
    return false;
}

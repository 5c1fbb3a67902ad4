/* See inspect.h. */
#include "emu/inspect.h"
#include "lib/float_text.h"
#include "lib/output.h"
#include "lib/text.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum print_kind { PRINT_SIGNED, PRINT_UNSIGNED, PRINT_FLOAT };

struct print_type {
    const char *name;
    enum print_kind kind;
    uint8_t bytes;
    enum float_format format;
};

static const struct print_type types[] = {
    {"i8", PRINT_SIGNED, 1, 0},           {"u8", PRINT_UNSIGNED, 1, 0},
    {"i16", PRINT_SIGNED, 2, 0},          {"u16", PRINT_UNSIGNED, 2, 0},
    {"i32", PRINT_SIGNED, 4, 0},          {"u32", PRINT_UNSIGNED, 4, 0},
    {"i64", PRINT_SIGNED, 8, 0},          {"u64", PRINT_UNSIGNED, 8, 0},
    {"f16", PRINT_FLOAT, 2, FLOAT_F16},   {"bf16", PRINT_FLOAT, 2, FLOAT_BF16},
    {"e4m3", PRINT_FLOAT, 1, FLOAT_E4M3}, {"e5m2", PRINT_FLOAT, 1, FLOAT_E5M2},
    {"f32", PRINT_FLOAT, 4, FLOAT_F32},   {"f64", PRINT_FLOAT, 8, FLOAT_F64},
};
enum {
    TYPES = sizeof types / sizeof *types,
    SMALL_INTEGER = 1 << 24, /* floats that are integers below this are printed without exponent */
};

/* ---- reading the options' arguments ---- */

/* A whole number, decimal or 0x…, that ends at one of the characters of `ends`, or, where there are
 * none, with the text. */
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

/* Behind the type: `[2,3]`, `[2][3]`, then `:hex`, or nothing. */
static bool parse_shape(struct print_request *request, const char *text)
{
    while (*text == '[') {
        do {
            text++;
            if (request->rank == PRINT_DIMENSIONS ||
                !parse_number(&text, ",]", &request->dimensions[request->rank]) ||
                request->dimensions[request->rank] == 0)
                return false;
            request->rank++;
        } while (*text == ',');
        text++;
    }
    if (strcmp(text, ":hex") == 0) {
        request->hex = true;
        return true;
    }
    return *text == '\0';
}

static const struct print_type *find_type(const char *text, size_t length)
{
    for (size_t i = 0; i < TYPES; i++)
        if (strlen(types[i].name) == length && strncmp(types[i].name, text, length) == 0)
            return &types[i];
    return NULL;
}

static void bad_type(struct diag *diag, const char *option, const char *word)
{
    struct suggestion suggestion;
    struct text all = TEXT_INIT;

    suggest_init(&suggestion, word);
    for (size_t i = 0; i < TYPES; i++) {
        suggest_add(&suggestion, types[i].name);
        text_format(&all, "%s%s", i ? " " : "", types[i].name);
    }
    const char *near = suggest_text(&suggestion);
    diag_error(diag, NULL, "--print=%s: no type '%s'%s%s%s; there are: %s", option, word,
               near ? " (did you mean " : "", near ? near : "", near ? "?)" : "", all.bytes);
    text_free(&all);
}

static uint64_t count_elements(const struct print_request *request)
{
    uint64_t count = 1;

    for (unsigned i = 0; i < request->rank; i++)
        if (__builtin_mul_overflow(count, request->dimensions[i], &count))
            return UINT64_MAX;
    return count;
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
    const size_t length = strcspn(colon + 1, "[:");
    request->type = find_type(colon + 1, length);
    if (!request->type) {
        bad_type(diag, text, arena_copy(arena, colon + 1, length));
        return false;
    }
    if (!parse_shape(request, colon + 1 + length)) {
        diag_error(diag, NULL,
                   "--print=%s: '%s' is no shape; expected [2,3] (1 to %d dimensions of at least "
                   "1), then perhaps :hex",
                   text, colon + 1 + length, PRINT_DIMENSIONS);
        return false;
    }
    if (!program_address(program, diag, request->name, &request->address, &size))
        return false;
    if (request->rank == 0 && size / request->type->bytes > 1) {
        request->dimensions[0] = size / request->type->bytes;
        request->rank = 1;
    }
    if (count_elements(request) > MEMORY_LIMIT / request->type->bytes) {
        diag_error(diag, NULL, "--print=%s: the array is larger than the address space", text);
        return false;
    }
    return true;
}

/* `NAME…=FILE` in two. */
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
            diag_error(diag, NULL, "--dump=%s: '%s' is no length in bytes", text, colon + 1);
            return false;
        }
        *colon = '\0';
    }
    if (!program_address(program, diag, name, &request->address, &request->length))
        return false;
    if (colon)
        request->length = given;
    if (!colon && !request->length) {
        diag_error(diag, NULL, "--dump=%s: the length is not known; write %s:LENGTH=FILE", text,
                   name);
        return false;
    }
    return true;
}

bool load_parse(struct load_request *request, const struct program *program, struct arena *arena,
                struct diag *diag, const char *text)
{
    const char *name = split_file(arena, diag, "load", text, &request->file);

    return name && program_address(program, diag, name, &request->address, NULL);
}

/* ---- printing ---- */

/* Small integers as such; else the shortest decimal that reads back as the same bits. */
static void append_float(struct text *text, enum float_format format, uint64_t bits)
{
    const struct float_value value = float_unpack(format, bits);
    const double magnitude = ldexp((double)value.significand, value.exponent - 63);
    const double number = value.sign ? -magnitude : magnitude;
    char decimal[64];

    switch (value.kind) {
    case FLOAT_QUIET_NAN:
    case FLOAT_SIGNALLING_NAN:
        if (bits == float_quiet_nan(format))
            text_append(text, "nan");
        else
            text_format(text, "nan:0x%" PRIx64, bits);
        return;
    case FLOAT_INFINITE:
        text_append(text, value.sign ? "-inf" : "inf");
        return;
    case FLOAT_ZERO:
        text_append(text, value.sign ? "-0" : "0");
        return;
    case FLOAT_FINITE:
        break;
    }
    if (magnitude < SMALL_INTEGER && number == trunc(number)) {
        text_format(text, "%.0f", number);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        uint64_t back;
        unsigned flags = 0;
        snprintf(decimal, sizeof decimal, "%.*g", digits, number);
        if (float_parse(format, decimal, &back, &flags) && back == bits)
            break;
    }
    text_append(text, decimal);
}

static void append_element(struct text *text, const struct print_request *request,
                           const unsigned char *bytes)
{
    const struct print_type *type = request->type;
    const unsigned unused = 64 - 8 * type->bytes;
    uint64_t value = 0;

    memcpy(&value, bytes, type->bytes);
    if (request->hex)
        text_format(text, "0x%0*" PRIx64, 2 * type->bytes, value);
    else if (type->kind == PRINT_FLOAT)
        append_float(text, type->format, value);
    else if (type->kind == PRINT_SIGNED)
        text_format(text, "%" PRId64, (int64_t)(value << unused) >> unused);
    else
        text_format(text, "%" PRIu64, value);
}

/* One line for each row of the innermost dimension. */
static void append_array(struct text *text, const struct print_request *request, unsigned dimension,
                         const unsigned char **bytes)
{
    if (dimension == request->rank) {
        append_element(text, request, *bytes);
        *bytes += request->type->bytes;
        return;
    }
    const bool innermost = dimension + 1 == request->rank;
    text_append_char(text, '[');
    for (uint64_t i = 0; i < request->dimensions[dimension]; i++) {
        if (i && innermost)
            text_append(text, ", ");
        else if (i)
            text_format(text, ",\n%*s", (int)dimension + 1, "");
        append_array(text, request, dimension + 1, bytes);
    }
    text_append_char(text, ']');
}

bool print_run(const struct print_request *request, const struct memory *memory, struct diag *diag,
               FILE *stream)
{
    const uint64_t length = count_elements(request) * request->type->bytes;
    const unsigned char *bytes = memory_peek(memory, request->address, length);
    struct text text = TEXT_INIT;

    if (!bytes) {
        diag_error(diag, NULL,
                   "--print: '%s' has 0x%" PRIx64 " bytes at 0x%" PRIx64
                   ", which are not all mapped",
                   request->name, length, request->address);
        return false;
    }
    text_format(&text, "%s:%s", request->name, request->type->name);
    for (unsigned i = 0; i < request->rank; i++)
        text_format(&text, "%c%" PRIu64, i ? ',' : '[', request->dimensions[i]);
    text_append(&text, request->rank ? "] =" : " =");
    text_append_char(&text, request->rank > 1 ? '\n' : ' ');
    append_array(&text, request, 0, &bytes);
    text_append_char(&text, '\n');
    fwrite(text.bytes, 1, text.length, stream);
    text_free(&text);
    return true;
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
    return output_file(diag, request->file, 0666, bytes, request->length);
}

bool load_run(const struct load_request *request, struct memory *memory, struct arena *arena,
              struct diag *diag)
{
    struct diag_file file;

    if (!file_read(arena, diag, NULL, request->file, &file))
        return false;
    if (memory_poke(memory, request->address, file.bytes, file.length))
        return true;
    diag_error(diag, NULL, "--load: the 0x%zx bytes of %s at 0x%" PRIx64 " are not all mapped",
               file.length, request->file, request->address);
    return false;
}

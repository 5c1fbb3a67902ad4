/* Shared modules whose behavior the tests of the tools do not cover: containers, suggestions,
 * carets, options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "lib/arena.h"
#include "lib/bytes.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/leb128.h"
#include "lib/map.h"
#include "lib/options.h"
#include "lib/output.h"
#include "lib/quote.h"
#include "lib/sha1.h"
#include "lib/strings.h"
#include "lib/text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static void map_keeps_order_and_values(void **state)
{
    (void)state;
    struct arena arena = ARENA_INIT;
    struct map map;
    map_init(&map, &arena);
    char key[16];
    int values[1000];

    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof key, "key%d", i * 7 % 1000);
        map_set(&map, key, &values[i]);
    }
    assert_int_equal(map.count, 1000);
    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof key, "key%d", i * 7 % 1000);
        assert_ptr_equal(map_get(&map, key), &values[i]);
        assert_string_equal(map.entries[i].key, key);
    }
    assert_null(map_get(&map, "key1000"));
    arena_free(&arena);
}

static void arena_memory_is_zero_and_aligned(void **state)
{
    (void)state;
    struct arena arena = ARENA_INIT;

    assert_non_null(arena_alloc(&arena, 0)); /* of an arena without a block yet */
    for (size_t size = 1; size < 200000; size = size * 3 + 1) {
        if (size > 1000)
            arena_expect(&arena, size * 16);
        unsigned char *bytes = arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)bytes % sizeof(void *), 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(bytes[i], 0);
        memset(bytes, 0xff, size);
    }
    arena_free(&arena);
}

/* Blocks that are mapped on their own, of many sizes, are zero and apart from each other, also when
 * the newest is used again. */
static void large_arena_memory_is_zero(void **state)
{
    enum { SIZES = 12 };
    struct arena arena = ARENA_INIT;
    unsigned char *all[SIZES];

    (void)state;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < SIZES; i++) {
            size_t size = i * 300001;
            all[i] = arena_alloc(&arena, size + 1);
            for (size_t at = 0; at <= size; at++)
                assert_int_equal(all[i][at], 0);
            memset(all[i], (int)i + 1, size + 1);
        }
        for (size_t i = 0; i < SIZES; i++)
            assert_true(all[i][0] == i + 1 && all[i][i * 300001] == i + 1);
        arena_reset(&arena);
    }
    arena_free(&arena);
}

static void suggestions_are_the_nearest(void **state)
{
    (void)state;
    struct suggestion near;
    suggest_init(&near, "addd");
    for (const char **word = (const char *[]){"lui", "addw", "sub", "add", "addi", "and", NULL};
         *word; word++)
        suggest_add(&near, *word);
    assert_string_equal(suggest_text(&near), "'addw', 'add' or 'addi'");
    suggest_init(&near, "ned");
    suggest_add(&near, "end");
    assert_string_equal(suggest_text(&near), "'end'");
    suggest_init(&near, "xyzzy");
    suggest_add(&near, "add");
    assert_null(suggest_text(&near));
    char mangled[400];
    memset(mangled, 'x', sizeof mangled - 1);
    mangled[sizeof mangled - 1] = 0;
    suggest_init(&near, mangled); /* words that are too long to compare give no suggestion */
    suggest_add(&near, "add");
    assert_null(suggest_text(&near));
}

/* Returns what diag_error prints for the position. */
static char *printed(const struct position *at, const char *message)
{
    char *bytes = NULL;
    size_t length = 0;
    struct diag diag = {.tool = "tool", .stream = open_memstream(&bytes, &length)};

    diag_error(&diag, at, "%s", message);
    fclose(diag.stream);
    return bytes;
}

static void a_caret_is_as_wide_as_the_token(void **state)
{
    (void)state;
    const char source[] = "one\n\tadd a0, 5\nthree";
    struct diag_file file = {.name = "f.s", .bytes = source, .length = strlen(source)};
    struct position outer = {.file = &file, .line = 3, .column = 1, .length = 5};
    struct position at = {.file = &file,
                          .line = 2,
                          .column = 6,
                          .length = 2,
                          .from = &outer,
                          .from_what = "in expansion of macro 'm'"};
    char *text = printed(&at, "no");
    assert_string_equal(text, "f.s:2:6: error: no\n    \tadd a0, 5\n    \t    ^~\n"
                              "f.s:3:1: note: in expansion of macro 'm'\n");
    free(text);
    text = printed(NULL, "no");
    assert_string_equal(text, "tool: error: no\n");
    free(text);
}

static void a_long_chain_of_origins_is_cut(void **state)
{
    (void)state;
    struct position chain[20];

    for (unsigned i = 0; i < 20; i++)
        chain[i] =
            (struct position){.name = "f.s", .line = 20 - i, .from = i ? &chain[i - 1] : NULL};
    char *text = printed(&chain[19], "no");
    unsigned lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 1 + 8 + 1);
    assert_non_null(strstr(text, "\ntool: note: 11 more of these\nf.s:20: note: from here\n"));
    free(text);
}

static void errors_stop_at_the_limit(void **state)
{
    (void)state;
    char *bytes = NULL;
    size_t length = 0;
    struct diag diag = {.tool = "tool", .stream = open_memstream(&bytes, &length), .limit = 3};

    for (int i = 0; i < 10; i++)
        diag_error(&diag, NULL, "error %d", i);
    fclose(diag.stream);
    assert_true(diag_full(&diag));
    assert_string_equal(bytes, "tool: error: error 0\ntool: error: error 1\ntool: error: error 2\n"
                               "tool: error: more than 3 errors; the rest is not shown\n");
    free(bytes);
}

static void notes_are_shown_with_what_they_follow(void **state)
{
    (void)state;
    char *bytes = NULL;
    size_t length = 0;
    struct diag diag = {
        .tool = "tool", .stream = open_memstream(&bytes, &length), .no_warnings = true};
    diag_warning(&diag, NULL, "hidden");
    diag_note(&diag, NULL, "hidden too");
    diag_error(&diag, NULL, "shown");
    diag_note(&diag, NULL, "as well");
    fclose(diag.stream);
    assert_string_equal(bytes, "tool: error: shown\ntool: note: as well\n");
    free(bytes);
}

static void options_take_every_spelling(void **state)
{
    (void)state;
    static const struct option_spec specs[] = {
        {.letter = 'o', .argument = OPTION_REQUIRED, .value = "FILE", .help = "output", .id = 1},
        {.name = "trace", .argument = OPTION_OPTIONAL, .value = "FILE", .help = "trace", .id = 2},
        {.name = "Ttext",
         .argument = OPTION_REQUIRED,
         .single_dash = true,
         .help = "text",
         .id = 3},
        {.letter = 'v', .name = "verbose", .help = "talk", .id = 4},
        {0}};
    char *words[] = {"tool",   "-ofile", "-o",  "file2", "--trace", "--trace=x", "-Ttext=5",
                     "-Ttext", "6",      "-vo", "file3", "-",       "--",        "-o"};
    struct diag diag = {.tool = "tool", .stream = tmpfile()};
    struct options options = {.diag = &diag, .specs = specs, .argc = 14, .argv = words, .index = 1};
    const struct {
        int id;
        const char *argument;
    } expected[] = {{1, "file"},
                    {1, "file2"},
                    {2, NULL},
                    {2, "x"},
                    {3, "5"},
                    {3, "6"},
                    {4, NULL},
                    {1, "file3"},
                    {OPTIONS_OPERAND, "-"},
                    {OPTIONS_OPERAND, "-o"},
                    {OPTIONS_END, NULL}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(options_next(&options), expected[i].id);
        if (expected[i].argument)
            assert_string_equal(options.argument, expected[i].argument);
        else
            assert_null(options.argument);
    }
    char *bad[] = {"tool", "--trce"};
    options = (struct options){.diag = &diag, .specs = specs, .argc = 2, .argv = bad, .index = 1};
    assert_int_equal(options_next(&options), OPTIONS_ERROR);
    assert_int_equal(diag.errors, 1);
    fclose(diag.stream);
}

static void an_abandoned_output_leaves_the_old_file(void **state)
{
    (void)state;
    char name[] = "/tmp/output_test.XXXXXX", line[16] = "";
    int descriptor = mkstemp(name);
    assert_int_equal(write(descriptor, "old\n", 4), 4);
    close(descriptor);
    struct diag diag = {.tool = "tool"};
    struct output output;
    assert_true(output_open(&output, &diag, name, 0666));
    fputs("new\n", output.stream);
    output_abandon(&output);
    FILE *file = fopen(name, "r");
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_string_equal(line, "old\n");
    assert_true(output_open(&output, &diag, name, 0666));
    fputs("new\n", output.stream);
    assert_true(output_commit(&output));
    file = fopen(name, "r");
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    unlink(name);
    assert_string_equal(line, "new\n");
}

/* The new file only takes the name: other links keep the old file. The directory can only be
 * removed if nothing else is left in it. */
static void a_committed_output_replaces_one_name(void **state)
{
    (void)state;
    char directory[] = "/tmp/output_test.XXXXXX", name[64], other[64], line[16] = "";
    struct diag diag = {.tool = "tool"};
    assert_non_null(mkdtemp(directory));
    snprintf(name, sizeof name, "%s/file", directory);
    snprintf(other, sizeof other, "%s/other", directory);
    assert_true(output_file(&diag, name, 0666, "old\n", 4));
    assert_int_equal(link(name, other), 0);
    assert_true(output_file(&diag, name, 0666, "new\n", 4));
    for (unsigned i = 0; i < 2; i++) {
        FILE *file = fopen(i ? other : name, "r");
        assert_non_null(fgets(line, sizeof line, file));
        fclose(file);
        assert_string_equal(line, i ? "old\n" : "new\n");
    }
    unlink(name);
    unlink(other);
    assert_int_equal(rmdir(directory), 0);
}

/* Uses a new directory, which can only be removed if it is empty. */
static void an_exit_leaves_no_temporary_file(void **state)
{
    (void)state;
    char directory[] = "/tmp/output_test.XXXXXX", name[64];
    int status;
    assert_non_null(mkdtemp(directory));
    snprintf(name, sizeof name, "%s/file", directory);
    pid_t child = fork();

    if (child == 0) {
        struct diag diag = {.tool = "tool"};
        struct output output;
        output_init();
        if (output_open(&output, &diag, name, 0666))
            arena_array(&(struct arena)ARENA_INIT, SIZE_MAX / 2, 2); /* ends the tool */
        _exit(3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_int_equal(rmdir(directory), 0);
}

static void numbers_are_written_as_printf_writes_them(void **state)
{
    (void)state;
    struct text text = TEXT_INIT, wanted = TEXT_INIT;

    for (unsigned i = 0; i < 64 * 64; i++) {
        uint64_t value = (UINT64_C(1) << i % 64) - (i / 64 % 3) + i / 64;
        unsigned digits = i / 64 % 17;
        text_append_hex(&text, value, digits);
        text_append_blanks(&text, i / 64);
        text_append_decimal(&text, (int64_t)value);
        text_append_decimal(&text, (int64_t)-value);
        text_format(&wanted, "%0*" PRIx64 "%*s", (int)digits, value, (int)(i / 64), "");
        text_format(&wanted, "%" PRId64 "%" PRId64, (int64_t)value, (int64_t)-value);
    }
    assert_string_equal(text.bytes, wanted.bytes);
    assert_int_equal(text.length, strlen(text.bytes));
    text_free(&text);
    text_free(&wanted);
}

static void bytes_are_little_endian(void **state)
{
    unsigned char bytes[10];

    (void)state;
    for (unsigned size = 0; size <= 8; size++) {
        uint64_t value = UINT64_C(0xfedcba9876543210);
        memset(bytes, 0x5a, sizeof bytes);
        bytes_put(bytes + 1, value, size);
        for (unsigned i = 0; i < size; i++)
            assert_int_equal(bytes[i + 1], value >> 8 * i & 0xff);
        assert_int_equal(bytes[0], 0x5a);
        assert_int_equal(bytes[size + 1], 0x5a);
        assert_int_equal(bytes_get(bytes + 1, size),
                         size == 8 ? value : value & ((UINT64_C(1) << 8 * size) - 1));
    }
}

/* Checks the digest of these bytes. */
static void assert_sha1(const void *bytes, size_t length, const char *expected)
{
    unsigned char digest[SHA1_SIZE];
    char text[2 * SHA1_SIZE + 1];

    sha1(bytes, length, digest);
    for (size_t i = 0; i < SHA1_SIZE; i++)
        sprintf(text + 2 * i, "%02x", digest[i]);
    assert_string_equal(text, expected);
}

/* Examples of FIPS 180-4, and the digest of digests of all lengths up to three blocks, which is
 * from Python. */
static void sha1_is_as_fips_180_has_it(void **state)
{
    (void)state;
    unsigned char bytes[200], digests[200][SHA1_SIZE];

    assert_sha1("abc", 3, "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert_sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(7 * i);
    for (size_t length = 0; length < sizeof bytes; length++)
        sha1(bytes, length, digests[length]);
    assert_sha1(digests, sizeof digests, "887d03886aa473ff04d2370f0f86577637baf55d");
}

/* The examples of DWARF 5, tables 7.7 and 7.8, and the bounds. */
static void leb128_is_as_dwarf_has_it(void **state)
{
    static const struct {
        uint64_t value;
        bool is_signed;
        unsigned char bytes[LEB128_LIMIT];
        size_t size;
    } examples[] = {
        {0, false, {0}, 1},
        {127, false, {0x7f}, 1},
        {128, false, {0x80, 1}, 2},
        {12857, false, {0xb9, 0x64}, 2},
        {UINT64_MAX, false, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, 10},
        {0, true, {0}, 1},
        {(uint64_t)-2, true, {0x7e}, 1},
        {127, true, {0xff, 0}, 2},
        {(uint64_t)-127, true, {0x81, 0x7f}, 2},
        {(uint64_t)-128, true, {0x80, 0x7f}, 2},
        {(uint64_t)INT64_MIN,
         true,
         {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f},
         10},
    };

    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        unsigned char bytes[LEB128_LIMIT] = {0};
        uint64_t value = examples[i].value, read;
        size_t size = examples[i].is_signed ? leb128_put_signed(bytes, (int64_t)value)
                                            : leb128_put_unsigned(bytes, value);
        const unsigned char *next = bytes;
        assert_int_equal(size, examples[i].size);
        assert_memory_equal(bytes, examples[i].bytes, sizeof bytes);
        assert_int_equal(leb128_length(bytes, bytes + size), size);
        assert_int_equal(leb128_length(bytes, bytes + size - 1), 0);
        if (examples[i].is_signed)
            continue;
        assert_true(leb128_get_unsigned(&next, bytes + size, &read));
        assert_ptr_equal(next, bytes + size);
        assert_int_equal(read, value);
    }
}

static void leb128_may_be_longer_than_needed_but_not_wider_than_64_bits(void **state)
{
    static const unsigned char wide[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2};
    unsigned char bytes[16];
    const unsigned char *next = bytes;
    uint64_t read;

    (void)state;
    leb128_fill_unsigned(bytes, sizeof bytes, 300);
    assert_int_equal(bytes[2], 0x80);
    assert_true(leb128_get_unsigned(&next, bytes + sizeof bytes, &read));
    assert_int_equal(read, 300);
    leb128_fill_signed(bytes, 3, -1);
    assert_memory_equal(bytes, "\xff\xff\x7f", 3);
    next = wide;
    assert_false(leb128_get_unsigned(&next, wide + sizeof wide, &read));
    assert_false(leb128_get_unsigned(&next, wide + 3, &read));
    assert_ptr_equal(next, wide);
}

static void strings_are_found_in_order(void **state)
{
    struct arena arena = ARENA_INIT;
    struct strings strings = {0};

    (void)state;
    assert_int_equal(strings_find(&strings, "a"), 0);
    for (const char *name = "zyxwvutsrqponmlkjihgfedcba"; *name; name++)
        strings_add(&strings, &arena, name);
    assert_int_equal(strings.count, 26);
    assert_int_equal(strings_find(&strings, "cba"), 23);
    assert_int_equal(strings_find(&strings, "c"), 26);
    arena_free(&arena);
}

static void the_clock_moves_forward(void **state)
{
    uint64_t before = clock_now();

    (void)state;
    usleep(1000);
    assert_in_range(clock_now() - before, CLOCK_SECOND / 1000, UINT64_MAX);
}

static void names_are_quoted_as_utf_8(void **state)
{
    static const struct {
        const char *string, *json, *xml;
    } cases[] = {
        {"", "\"\"", ""},
        {"a<b>&\"\\", "\"a<b>&\\\"\\\\\"", "a&lt;b>&amp;&quot;\\"},
        {"\001\t\177", "\"\\u0001\\u0009\\u007f\"", "\uFFFD\t\177"},
        {"\u00e9\u20ac\U0001f600", "\"\u00e9\u20ac\U0001f600\"", "\u00e9\u20ac\U0001f600"},
        /* bytes alone, too many, too few, half of a pair, above the last character */
        {"\xc3", "\"\uFFFD\"", "\uFFFD"},
        {"\x80z", "\"\uFFFDz\"", "\uFFFDz"},
        {"\xc0\xaf", "\"\uFFFD\uFFFD\"", "\uFFFD\uFFFD"},
        {"\xe2\x82z", "\"\uFFFD\uFFFDz\"", "\uFFFD\uFFFDz"},
        {"\xed\xa0\x80", "\"\uFFFD\uFFFD\uFFFD\"", "\uFFFD\uFFFD\uFFFD"},
        {"\xf4\x90\x80\x80", "\"\uFFFD\uFFFD\uFFFD\uFFFD\"", "\uFFFD\uFFFD\uFFFD\uFFFD"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text json = TEXT_INIT, xml = TEXT_INIT;
        quote_json(&json, cases[i].string);
        quote_xml(&xml, cases[i].string, SIZE_MAX);
        assert_string_equal(json.bytes, cases[i].json);
        assert_string_equal(xml.bytes ? xml.bytes : "", cases[i].xml);
        text_free(&json);
        text_free(&xml);
    }
    assert_int_equal(quote_whole("a\u00e9b", 2), 1);
    assert_int_equal(quote_whole("a\u00e9b", 3), 3);
    assert_int_equal(quote_whole("a", 9), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_keeps_order_and_values),
        cmocka_unit_test(arena_memory_is_zero_and_aligned),
        cmocka_unit_test(large_arena_memory_is_zero),
        cmocka_unit_test(numbers_are_written_as_printf_writes_them),
        cmocka_unit_test(bytes_are_little_endian),
        cmocka_unit_test(sha1_is_as_fips_180_has_it),
        cmocka_unit_test(leb128_is_as_dwarf_has_it),
        cmocka_unit_test(leb128_may_be_longer_than_needed_but_not_wider_than_64_bits),
        cmocka_unit_test(strings_are_found_in_order),
        cmocka_unit_test(the_clock_moves_forward),
        cmocka_unit_test(names_are_quoted_as_utf_8),
        cmocka_unit_test(suggestions_are_the_nearest),
        cmocka_unit_test(a_caret_is_as_wide_as_the_token),
        cmocka_unit_test(a_long_chain_of_origins_is_cut),
        cmocka_unit_test(errors_stop_at_the_limit),
        cmocka_unit_test(notes_are_shown_with_what_they_follow),
        cmocka_unit_test(options_take_every_spelling),
        cmocka_unit_test(an_abandoned_output_leaves_the_old_file),
        cmocka_unit_test(a_committed_output_replaces_one_name),
        cmocka_unit_test(an_exit_leaves_no_temporary_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

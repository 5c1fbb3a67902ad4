/* Compares two lossless traces. */
#include "emu/tdiff/lossless.h"
#include "lib/trace/thread_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

bool lossless_is(const char *name)
{
    static const char ending[] = ".ttrace";
    size_t length = strlen(name);
    static unsigned char raw[1 << 18]; /* more than a block of Zstandard */
    char first = '\0';
    struct stat status;

    if (length >= sizeof ending && strcmp(name + length - sizeof ending + 1, ending) == 0)
        return true;
    FILE *file = stat(name, &status) == 0 && S_ISREG(status.st_mode) ? fopen(name, "rb") : NULL;
    if (!file)
        return false;
    ZSTD_DCtx *context = ZSTD_createDCtx();
    ZSTD_inBuffer in = {.src = raw, .size = fread(raw, 1, sizeof raw, file)};
    ZSTD_outBuffer out = {.dst = &first, .size = 1};
    size_t result = context ? ZSTD_decompressStream(context, &out, &in) : 0;
    ZSTD_freeDCtx(context);
    fclose(file);
    return !ZSTD_isError(result) && out.pos == 1 && first == TTRACE_HEADER;
}

struct threads {
    uint32_t *numbers;
    size_t count, capacity;
};

static void add_thread(struct tdiff *tdiff, struct threads *threads, uint32_t number)
{
    for (size_t i = threads->count; i-- > 0;)
        if (threads->numbers[i] == number)
            return;
    threads->numbers = arena_grow(&tdiff->arena, threads->numbers, threads->count,
                                  &threads->capacity, sizeof number);
    threads->numbers[threads->count++] = number;
}

static void warn(struct tdiff *tdiff, const struct side *sides)
{
    if (strcmp(sides[0].trace.isa, sides[1].trace.isa) != 0)
        diag_warning(&tdiff->diag, NULL,
                     "the traces come from tools with different ISA descriptions: %s and %s",
                     sides[0].trace.isa, sides[1].trace.isa);
    if (sides[0].trace.machine != sides[1].trace.machine)
        diag_warning(&tdiff->diag, NULL,
                     "the traces come from different machine configurations: %016llx and %016llx",
                     (unsigned long long)sides[0].trace.machine,
                     (unsigned long long)sides[1].trace.machine);
    if (!tdiff->has_moved &&
        (sides[0].trace.program_length != sides[1].trace.program_length ||
         memcmp(sides[0].trace.program, sides[1].trace.program, sides[0].trace.program_length)))
        diag_warning(&tdiff->diag, NULL,
                     "the traces are of different programs; --moved compares them by symbol");
}

static bool open_sides(struct lossless *walk)
{
    struct tdiff *tdiff = walk->tdiff;

    for (unsigned i = 0; i < 2; i++) {
        const struct position whole = {.name = tdiff->names[i]};
        if (!side_open(tdiff, &walk->sides[i], tdiff->names[i]))
            return false;
        if (walk->sides[i].trace.record_count == 0) {
            diag_error(&tdiff->diag, &whole, "has no instructions: nothing was compared");
            return false;
        }
        if (tdiff->has_moved && !walk->sides[i].has_program) {
            diag_error(&tdiff->diag, &whole,
                       "has no program; expected one for --moved, which compares by symbol");
            return false;
        }
    }
    return true;
}

static void print_thread(const struct ttrace *trace, uint32_t thread)
{
    char name[THREAD_NAME_SIZE];

    printf("thread %s: ", thread_name(name, trace->workers != 0, thread));
}

static int report(struct lossless *walk, uint32_t thread)
{
    struct tdiff *tdiff = walk->tdiff;

    if (thread && walk->count)
        print_thread(&walk->sides[0].trace, thread);
    explain(walk);
    if (tdiff->page && !page_write(walk, tdiff->page))
        return 2;
    return walk->count ? 1 : 0;
}

/* What a comparison found that does not print it: the sequence number of the first difference, and
 * how many were left out. */
struct findings {
    uint64_t when, left_out;
};

/* Compares the records of a thread; 0: all. Warns of different programs only if it is the first
 * comparison. `findings` NULL: prints what it found. */
static int compare(struct tdiff *tdiff, uint32_t thread, bool is_first, struct findings *findings)
{
    const uint64_t nothing[2] = {0, 0};
    const uint32_t none[2] = {0, 0};
    struct lossless walk = {.tdiff = tdiff};
    int status = 2;

    map_init(&walk.places, &tdiff->arena);
    map_init(&walk.functions, &tdiff->arena);
    event_add(&walk, nothing, nothing, none); /* number 0 is not used */
    walk.sides[0].thread = walk.sides[1].thread = thread;
    if (open_sides(&walk)) {
        if (is_first)
            warn(tdiff, walk.sides);
        registers_select(&walk, 0);
        registers_select(&walk, 1);
        if (tdiff->has_moved)
            moved_find(&walk.moved, walk.sides);
        data_compare(&walk);
        if (walk_traces(&walk))
            status = !findings ? report(&walk, thread) : walk.count ? 1 : 0;
        if (findings && walk.count) {
            const struct difference *first = walk.differences[0];
            findings->when = first->sequence[first->numbers[0] == NO_NUMBER];
        }
        if (findings)
            findings->left_out = walk.left_out;
    }
    for (unsigned i = 0; i < 2; i++) {
        side_close(&walk.sides[i]);
        ttrace_decoder_free(&walk.ahead[i].decoder);
        free(walk.ahead[i].pcs);
    }
    moved_free(&walk.moved);
    shadow_free(&walk.shadow);
    free(walk.events);
    registers_free(&walk);
    return status;
}

/* Finds the threads of a trace, in the order of their first instructions. Returns false after a
 * diagnostic. */
static bool find_threads(struct tdiff *tdiff, const char *name, struct threads *threads)
{
    struct ttrace trace;
    struct ttrace_decoder decoder = {0};
    struct ttrace_record record;
    bool good = ttrace_open(&trace, &tdiff->arena, &tdiff->diag, name);

    for (size_t i = 0; good && i < trace.segment_count; i++) {
        good = ttrace_load(&decoder, &trace, &trace.segments[i]);
        while (good && ttrace_next(&decoder, &record))
            if (!(record.flags & TTRACE_START))
                add_thread(tdiff, threads, record.thread ? record.thread : 1);
        good = good && !decoder.failed;
    }
    ttrace_decoder_free(&decoder);
    return good;
}

/* Compares each thread with itself. Prints all differences with --all, otherwise those of the
 * thread that was the first to do something else: the others may only see what it wrote. */
static int compare_threads(struct tdiff *tdiff)
{
    struct threads threads = {0};
    uint64_t least = UINT64_MAX, left_out = 0;
    uint32_t first = 0;
    int status = 0;

    if (!find_threads(tdiff, tdiff->names[0], &threads) ||
        !find_threads(tdiff, tdiff->names[1], &threads))
        return 2;
    for (size_t i = 0; i < threads.count && status < 2; i++) {
        struct findings findings = {0};
        int found = compare(tdiff, threads.numbers[i], i == 0, tdiff->has_all ? NULL : &findings);
        status = found > status ? found : status;
        left_out += findings.left_out;
        if (found != 1 || findings.when >= least)
            continue;
        least = findings.when;
        first = threads.numbers[i];
    }
    if (status == 0)
        print_left_out(left_out, "");
    return status == 1 && !tdiff->has_all ? compare(tdiff, first, false, NULL) : status;
}

int lossless_compare(struct tdiff *tdiff)
{
    return tdiff->is_by_thread ? compare_threads(tdiff) : compare(tdiff, 0, true, NULL);
}

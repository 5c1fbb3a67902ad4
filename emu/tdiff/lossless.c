/* Compares two lossless traces. */
#include "emu/tdiff/lossless.h"

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

int lossless_compare(struct tdiff *tdiff)
{
    const uint64_t nothing[2] = {0, 0};
    const uint32_t none[2] = {0, 0};
    struct lossless walk = {.tdiff = tdiff};
    int status = 2;

    map_init(&walk.places, &tdiff->arena);
    map_init(&walk.functions, &tdiff->arena);
    event_add(&walk, nothing, nothing, none); /* number 0 is not used */
    walk.register_events = new_array(isa_register_file_count, sizeof *walk.register_events);
    walk.register_writers = new_array(isa_register_file_count, sizeof *walk.register_writers);
    walk.register_types = new_array(isa_register_file_count, sizeof *walk.register_types);
    if (open_sides(&walk)) {
        warn(tdiff, walk.sides);
        if (tdiff->has_moved)
            moved_find(&walk.moved, walk.sides);
        data_compare(&walk);
        if (walk_traces(&walk)) {
            explain(&walk);
            status = walk.count ? 1 : 0;
            if (tdiff->page && !page_write(&walk, tdiff->page))
                status = 2;
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        side_close(&walk.sides[i]);
        ttrace_decoder_free(&walk.ahead[i].decoder);
        free(walk.ahead[i].pcs);
    }
    moved_free(&walk.moved);
    shadow_free(&walk.shadow);
    free(walk.events);
    free(walk.register_events);
    free(walk.register_writers);
    free(walk.register_types);
    return status;
}

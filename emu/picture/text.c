/* The pipeline as a table: a line for each instruction, with the cycles in which it entered each
 * stage and what it waited for. tdiff --cycles reads it. */
#include "emu/picture/picture.h"

#include <inttypes.h>

static void begin(struct picture *picture)
{
    fprintf(picture->stream,
            "# sequence pc encoding %s%-40s | %8s %8s %8s %8s %8s %8s %8s %8s %8s | waits\n",
            picture->program.threads ? "thread " : "", "instruction", "F", "D", "Q", "P", "S", "X",
            "M", "E", "C");
}

/* Puts a cycle after a blank, to the right of 8 columns if it has no more digits. */
static void put_cycle(FILE *stream, uint64_t cycle)
{
    enum { COLUMNS = 8 };
    char text[24], *end = text + sizeof text, *start = end;
    uint64_t rest = cycle;

    if (cycle == PIPELINE_NEVER)
        *--start = '-';
    else
        do
            *--start = (char)('0' + rest % 10);
        while (rest /= 10);
    while (end - start < COLUMNS)
        *--start = ' ';
    *--start = ' ';
    fwrite_unlocked(start, 1, (size_t)(end - start), stream);
}

static void instruction(struct picture *picture, const struct pipeline_record *record)
{
    const struct picture_site *site = record->context;
    const uint64_t cycles[] = {record->f, record->d, record->q, record->p, record->s,
                               record->x, record->m, record->e, record->c};
    FILE *stream = picture->stream;

    fprintf(stream, "%6" PRIu64 " %8" PRIx64 " %0*" PRIx64, record->sequence, site->pc,
            2 * site->length, site->word);
    if (picture->program.threads)
        fprintf(stream, " %-3s", picture_thread(picture, record->thread));
    fprintf(stream, " %-40s |", picture_code(picture, site));
    for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++)
        put_cycle(stream, cycles[i]);
    const char *cause = picture_cause(picture, record);
    if (*cause)
        fprintf(stream, " | %s", cause);
    fputc('\n', stream);
}

static void bubble(struct picture *picture, const struct pipeline_record *record)
{
    fprintf(picture->stream, "# turn %" PRIu64 " of %s passes: %s\n", record->x,
            picture_thread(picture, record->thread), pipeline_stall_names[record->stall]);
}

const struct picture_writer picture_text = {"text", begin, instruction, NULL, bubble};

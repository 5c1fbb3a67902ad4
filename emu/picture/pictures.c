/* Opens and closes a picture of the pipeline, and selects the instructions that it shows. */
#include "emu/picture/picture.h"

#include <stdlib.h>
#include <string.h>

static const struct picture_writer *const writers[PICTURE_FORMATS] = {
    &picture_text, &picture_kanata, &picture_perfetto, &picture_vcd, &picture_svg, &picture_html};

bool picture_format_by_name(const char *name, enum picture_format *format)
{
    for (unsigned i = 0; i < PICTURE_FORMATS; i++)
        if (strcmp(name, writers[i]->name) == 0) {
            *format = (enum picture_format)i;
            return true;
        }
    return false;
}

void picture_format_by_ending(const char *file, enum picture_format *format)
{
    const char *ending = strrchr(file, '.');

    if (!ending || !picture_format_by_name(ending + 1, format))
        *format = PICTURE_TEXT;
}

/* Is the instruction selected? Also turns the picture on and off at `from` and `to`. */
static bool is_wanted(struct picture *picture, uint64_t pc)
{
    const struct picture_options *options = &picture->options;

    if (options->limit && picture->shown >= options->limit)
        return false;
    if (options->has_from && pc == options->from)
        picture->on = true;
    bool wanted = picture->on;
    if (options->has_to && pc == options->to)
        picture->on = false;
    return wanted;
}

void picture_observe(void *context, const struct pipeline_record *record)
{
    struct picture *picture = context;
    const struct picture_site *site = record->context;

    if (record->is_bubble) {
        bool is_over = picture->options.limit && picture->shown >= picture->options.limit;
        if (picture->on && !is_over)
            picture->writer->bubble(picture, record);
        return;
    }
    if (!is_wanted(picture, site->pc))
        return;
    picture->writer->instruction(picture, record);
    picture->shown++;
}

bool picture_open(struct picture *picture, struct diag *diag, const struct picture_options *options,
                  const struct picture_program *program)
{
    picture->options = *options;
    picture->writer = writers[options->format];
    picture->program = *program;
    picture->on = !options->has_from;
    if (!output_open(&picture->output, diag, options->file, 0666))
        return false;
    picture->stream = picture->output.stream;
    picture->source = program->image ? source_open(program->image, program->moved) : NULL;
    if (picture->writer->begin)
        picture->writer->begin(picture);
    return true;
}

bool picture_close(struct picture *picture)
{
    if (picture->writer->end)
        picture->writer->end(picture);
    bool good = output_commit(&picture->output);
    source_close(picture->source);
    text_free(&picture->text);
    text_free(&picture->label);
    free(picture->events);
    free(picture->kept);
    free(picture->state);
    return good;
}

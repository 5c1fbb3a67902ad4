/* PHDRS: the program headers are those that the script lists, in its order, with the sections that
 * it assigns to each (`:NAME`). See GNU ld's manual, "PHDRS". The only other one is that of the
 * psABI's attributes.
 *
 * A PT_LOAD is a run of sections with ascending addresses. The distance from address to load
 * address is the same for all of them that have contents. */
#include "ld/segment.h"
#include "ld/script/script.h"
#include <string.h>

static bool is_named(const struct script_words *words, const char *name)
{
    for (; words; words = words->next)
        if (strcmp(words->word, name) == 0)
            return true;
    return false;
}

static const struct script_words *first_named(const struct script_statement *s)
{
    for (; s; s = s->next)
        if (s->kind == SCRIPT_OUTPUT && s->output->output && s->output->segments)
            return s->output->segments;
    return NULL;
}

static void check_names(struct linker *linker, const struct script_output *output)
{
    for (const struct script_words *words = output->segments; words; words = words->next) {
        const struct script_segment *segment = linker->script->segments;
        struct suggestion near;
        suggest_init(&near, words->word);
        for (; segment && strcmp(segment->name, words->word) != 0; segment = segment->next)
            suggest_add(&near, segment->name);
        if (segment || strcmp(words->word, "NONE") == 0)
            continue;
        const char *text = suggest_text(&near);
        diag_error(&linker->diag, &output->at, "section '%s' is given to segment '%s'%s%s%s",
                   output->name, words->word,
                   text ? ", which PHDRS does not have; did you mean "
                        : ", expected one of those in PHDRS",
                   text ? text : "", text ? "?" : "");
    }
}

void script_spread_segments(struct linker *linker)
{
    const struct script_words *last = NULL;

    for (struct script_statement *s = linker->script->statements.first; s; s = s->next) {
        struct script_output *output = s->kind == SCRIPT_OUTPUT ? s->output : NULL;
        if (!output || !output->output)
            continue;
        if (output->segments_given) {
            check_names(linker, output);
            last = output->segments;
        } else if (output->output->flags & SHF_ALLOC && output->type == SCRIPT_LOADED) {
            output->segments = (struct script_words *)(last ? last : first_named(s));
        }
    }
}

/* ---- program headers ---- */

static bool belongs(const struct script_output *output, const struct script_segment *segment)
{
    return output->output && output->output->size && is_named(output->segments, segment->name) &&
           (output->segments_given || segment->type != PT_INTERP);
}

/* Sections between sections with contents are in the file. */
static void fill_before(struct linker *linker, const struct script_segment *asked,
                        const struct script_output *last)
{
    for (struct script_statement *s = linker->script->statements.first; s; s = s->next) {
        if (s->kind != SCRIPT_OUTPUT || !belongs(s->output, asked))
            continue;
        if (s->output == last)
            return;
        if (s->output->output->type == SHT_NOBITS && segment_holds(s->output->output))
            s->output->output->fills_file = true;
    }
}

static void add_output(struct linker *linker, struct segment *segment,
                       struct output_section *output)
{
    bool loads = segment->type == PT_LOAD;

    if (!segment->scripted->flags_value)
        segment->flags |= segment_permissions(output);
    if (output->flags & SHF_ALLOC && output->alignment > segment->alignment)
        segment->alignment = output->alignment;
    if (loads && !segment_holds(output)) /* .tbss: each thread allocates room for it */
        return;
    if (!segment->first) {
        segment->first = output;
        segment->address = output->address;
        segment->load_address = segment->scripted->load_address_value
                                    ? segment->scripted->load_address
                                    : output->load_address;
    }
    if (loads)
        output->segment = linker->segment_count;
    uint64_t end = output->address - segment->address + output->size;
    if (output->flags & SHF_ALLOC && end > segment->memory_size)
        segment->memory_size = end;
    if (segment_has_contents(output))
        segment->file_size = end;
}

static void add_scripted(struct linker *linker, const struct script_segment *asked)
{
    struct segment *segment = segment_add(linker, asked->type, (uint32_t)asked->flags);

    segment->scripted = asked;
    segment->alignment = asked->type == PT_LOAD ? PAGE_SIZE : 1;
    const struct script_output *last = NULL; /* the last section that is in the file */
    for (struct script_statement *s = linker->script->statements.first; s; s = s->next) {
        if (s->kind != SCRIPT_OUTPUT || !belongs(s->output, asked))
            continue;
        add_output(linker, segment, s->output->output);
        if (segment_has_contents(s->output->output))
            last = s->output;
    }
    if (asked->type == PT_LOAD && last)
        fill_before(linker, asked, last);
    if ((asked->file_header || asked->program_headers) && !asked->flags_value)
        segment->flags |= PF_R;
    if (asked->type != PT_LOAD && !segment->first)
        segment->alignment = 8;
}

/* Adds the psABI's segment for .riscv.attributes if the script does not have one. */
static void add_attributes(struct linker *linker)
{
    for (size_t i = 0; i < linker->output_count; i++) {
        const struct output_section *output = linker->outputs[i];
        if (output->type != SHT_RISCV_ATTRIBUTES || !output->size)
            continue;
        struct segment *segment = segment_add(linker, PT_RISCV_ATTRIBUTES, PF_R);
        segment->alignment = output->alignment;
        segment->first = output;
        segment->file_size = output->size;
    }
}

static bool lists_attributes(const struct script *script)
{
    const struct script_segment *segment = script->segments;

    while (segment && segment->type != PT_RISCV_ATTRIBUTES)
        segment = segment->next;
    return segment;
}

void segments_build_scripted(struct linker *linker)
{
    bool attributes = lists_attributes(linker->script);

    segments_clear(linker);
    for (const struct script_segment *s = linker->script->segments; s; s = s->next) {
        if (!attributes && s->type != PT_PHDR && s->type != PT_INTERP) {
            add_attributes(linker);
            attributes = true;
        }
        add_scripted(linker, s);
    }
    if (!attributes)
        add_attributes(linker);
}

/* ---- at the end ---- */

static void check_run(struct linker *linker, const struct segment *segment)
{
    const struct script_segment *asked = segment->scripted;
    const struct output_section *before = NULL, *loaded = NULL;

    for (struct script_statement *s = linker->script->statements.first; s; s = s->next) {
        if (s->kind != SCRIPT_OUTPUT || !belongs(s->output, asked) ||
            !segment_holds(s->output->output))
            continue;
        struct output_section *output = s->output->output;
        if (before && output->address < before->address)
            diag_error(&linker->diag, &s->output->at,
                       "segment '%s': section '%s' is at 0x%llx, before '%s' at 0x%llx, which "
                       "comes first in the script; give it its own segment, or change their order",
                       asked->name, output->name, (unsigned long long)output->address, before->name,
                       (unsigned long long)before->address);
        uint64_t distance = output->load_address - output->address;
        if (loaded && segment_has_contents(output) &&
            distance != loaded->load_address - loaded->address)
            diag_error(&linker->diag, &s->output->at,
                       "segment '%s': section '%s' is loaded 0x%llx bytes from its address, '%s' "
                       "0x%llx; give it its own segment",
                       asked->name, output->name, (unsigned long long)distance, loaded->name,
                       (unsigned long long)(loaded->load_address - loaded->address));
        before = output;
        loaded = segment_has_contents(output) ? output : loaded;
    }
}

void segments_check_scripted(struct linker *linker)
{
    for (size_t i = 0; i < linker->segment_count; i++)
        if (linker->segments[i].scripted && linker->segments[i].type == PT_LOAD)
            check_run(linker, &linker->segments[i]);
    for (size_t i = 0; i < linker->output_count; i++) {
        struct output_section *output = linker->outputs[i];
        if (!output->segment && segment_holds(output) && segment_has_contents(output))
            diag_warning(&linker->diag, NULL,
                         "section '%s' is in no segment that is loaded; give it one with "
                         "':SEGMENT' after its '}'",
                         output->name);
        const struct segment *segment =
            output->segment ? &linker->segments[output->segment - 1] : NULL;
        if (segment && segment->scripted && segment->scripted->load_address_value)
            output->load_address = segment->load_address + (output->address - segment->address);
    }
}

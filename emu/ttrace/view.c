/* ttrace view: decodes the trace once, and writes the page. */
#include "emu/ttrace/view.h"
#include "emu/ttrace/query.h"
#include "lib/float_format.h"
#include "lib/output.h"
#include "lib/trace/thread_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { RECORDS_LIMIT = 1 << 24 }; /* of a page */

static const char page_text[] =
#include "view_page.inc"
    ;
static const char mark[] = "<!-- the parts -->\n";

/* Appends what the page needs of the ISA description: names, and the formats of elements. */
static void put_isa(struct text *json)
{
    text_append(json, ",\n\"files\":[");
    for (size_t file = 0; file < isa_register_file_count; file++) {
        text_append(json, file ? ",[" : "[");
        for (unsigned i = 0; i < isa_register_files[file].count; i++)
            text_format(json, "%s\"%s\"", i ? "," : "", isa_register_files[file].names[i]);
        text_append_char(json, ']');
    }
    /* Those of integers have a register that is always zero. */
    text_append(json, "],\n\"floats\":[");
    for (size_t file = 0; file < isa_register_file_count; file++)
        text_format(json, "%s%d", file ? "," : "",
                    !isa_register_files[file].zero && isa_register_files[file].width == 64);
    text_append(json, "],\n\"first\":[");
    for (size_t file = 0; file < isa_register_file_count; file++)
        text_format(json, "%s\"%" PRIu64 "\"", file ? "," : "",
                    thread_first_word(&isa_register_files[file]));
    text_append(json, "],\n\"csrs\":{");
    for (unsigned number = 0, first = 1; number < 4096; number++) {
        const struct isa_csr *csr = isa_csr_by_number(number);
        if (!csr)
            continue;
        text_format(json, "%s\"%u\":\"%s\"", first ? "" : ",", number, csr->name);
        first = 0;
    }
    text_append(json, "},\n\"elements\":[");
    for (size_t i = 0; i < isa_element_count; i++) {
        const struct isa_element *element = &isa_elements[i];
        bool is_float = element->exponent != 0;
        const struct float_layout *layout = &float_layouts[is_float ? element->format : 0];
        text_format(json,
                    "%s{\"name\":\"%s\",\"bits\":%u,\"bytes\":%u,\"exponent\":%u,\"fraction\":%u,"
                    "\"signed\":%d,\"bias\":%d,\"largest\":\"%" PRIx64 "\",\"infinity\":\"%" PRIx64
                    "\",\"pair\":%s%s%s}",
                    i ? "," : "", element->name, element->bits, element->bytes, element->exponent,
                    element->fraction, element->is_signed, is_float ? layout->bias : 0,
                    is_float ? layout->largest : 0, is_float ? layout->infinity : 0,
                    element->part ? "\"" : "", element->part ? element->part->name : "null",
                    element->part ? "\"" : "");
    }
    text_append_char(json, ']');
}

/* What is made of the records. */
struct parts {
    struct view_records *records;
    struct view_time *time;
    struct view_cycles *cycles; /* or NULL */
    struct ttrace_clock clock;
    struct ttrace_time next; /* that the clock has read */
    bool has_next;
};

/* Reads times up to those of record `number`. Returns whether it has times. */
static bool find_time(struct ttrace_tool *tool, struct parts *parts, uint64_t number)
{
    while (!parts->has_next || parts->next.record < number) {
        parts->has_next = ttrace_clock_next(&parts->clock, &tool->trace, &parts->next);
        if (!parts->has_next)
            break;
    }
    return parts->has_next && parts->next.record == number;
}

/* Decodes the records and adds them to the parts. */
static bool add_records(struct ttrace_tool *tool, struct parts *parts)
{
    const struct ttrace *trace = &tool->trace;
    struct ttrace_record record;
    uint64_t number = 0;

    for (size_t i = 0; number < RECORDS_LIMIT && i < trace->segment_count; i++) {
        if (!ttrace_load(&tool->decoder, &tool->trace, &trace->segments[i]))
            return false;
        for (; number < RECORDS_LIMIT && ttrace_next(&tool->decoder, &record); number++) {
            uint32_t site = view_records_add(parts->records, &record);
            if (record.flags & TTRACE_START)
                continue;
            view_time_add(parts->time, &record, view_function(parts->records, site),
                          view_unit(parts->records, site));
            if (parts->cycles)
                view_cycles_add(parts->cycles, find_time(tool, parts, number) ? &parts->next : NULL,
                                record.thread);
        }
        if (tool->decoder.failed || parts->clock.failed)
            return false;
    }
    if (parts->cycles && number == trace->record_count && find_time(tool, parts, number))
        view_cycles_pass(parts->cycles, &parts->next);
    return !parts->clock.failed;
}

/* Writes the page to the stream. */
static bool write_page(struct ttrace_tool *tool, FILE *page)
{
    const struct ttrace *trace = &tool->trace;
    uint64_t count = trace->record_count < RECORDS_LIMIT ? trace->record_count : RECORDS_LIMIT;
    const char *parts = strstr(page_text, mark);
    struct parts made = {
        .records = view_records_new(tool, page),
        .time = view_time_new(count),
        .cycles = trace->timed_count ? view_cycles_new(page, trace->workers) : NULL,
    };
    struct text json = TEXT_INIT;
    bool good;

    fwrite(page_text, 1, (size_t)(parts - page_text), page);
    good = add_records(tool, &made);
    text_append(&json, "{\"trace\":");
    view_string(&json, tool->words[1], strlen(tool->words[1]));
    text_format(&json, ",\"complete\":%s,\"records\":%" PRIu64,
                trace->is_complete ? "true" : "false", trace->record_count);
    view_records_end(made.records, &json);
    view_time_end(made.time, page, &json);
    if (made.cycles)
        view_cycles_end(made.cycles, &trace->time_names, &json);
    ttrace_clock_free(&made.clock);
    put_isa(&json);
    text_append_char(&json, '}');
    view_part(page, "about", &json);
    fputs(parts + strlen(mark), page);
    text_free(&json);
    return good;
}

bool query_view(struct ttrace_tool *tool)
{
    struct output output;

    if (!output_open(&output, &tool->diag, tool->output, 0666))
        return false;
    if (write_page(tool, output.stream))
        return output_commit(&output);
    output_abandon(&output);
    return false;
}

/* See print.h. */
#include "emu/report/print.h"
#include "lib/text.h"
#include <inttypes.h>

/* Returns the bytes of the array, or NULL if they are not all mapped. */
static const unsigned char *find_bytes(const struct print_request *request,
                                       const struct machine *machine, uint64_t length)
{
    const struct isa_register_name *reg = request->reg;

    return reg ? (const unsigned char *)hart_register(&machine->hart, reg->file, reg->number)
               : memory_peek(&machine->memory, request->address, length);
}

bool print_run(const struct print_request *request, const struct machine *machine,
               struct diag *diag, FILE *stream)
{
    const struct element_array *array = &request->array;
    uint64_t length = element_count(array) * array->type->bytes;
    const unsigned char *bytes = find_bytes(request, machine, length);
    struct text text = TEXT_INIT;

    if (!bytes) {
        diag_error(diag, NULL,
                   "--print: '%s' has 0x%" PRIx64 " bytes at 0x%" PRIx64
                   ", which are not all mapped",
                   request->name, length, request->address);
        return false;
    }
    element_append_array(&text, request->name, array, bytes);
    fwrite(text.bytes, 1, text.length, stream);
    text_free(&text);
    return true;
}

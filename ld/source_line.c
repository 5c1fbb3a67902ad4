#include "ld/source_line.h"

#include "lib/debug_info.h"
#include "lib/file.h"

/* The bytes of a small object are not in memory any more, and are read again. */
static void read_debug_information(struct linker *linker, struct object *object)
{
    struct diag_file file = {.bytes = (const char *)object->elf.bytes,
                             .length = object->elf.length};
    struct elf_file elf;

    object->debug_read = true;
    if (!file.bytes && file_load(&linker->arena, object->name, &file, NULL))
        return;
    if (elf_open(&elf, &linker->arena, &linker->diag, object->name, file.bytes, file.length))
        object->debug = debug_open(&linker->arena, &linker->diag, &elf);
}

bool source_line_find(struct linker *linker, const struct section *section, uint64_t offset,
                      struct position *line)
{
    struct object *object = section->object;

    if (!object || !section->index)
        return false;
    if (!object->debug_read)
        read_debug_information(linker, object);
    struct debug_place place =
        debug_find(object->debug, &object->elf.sections[section->index], offset);

    *line = (struct position){.name = place.file, .line = place.line};
    return place.file && place.line;
}

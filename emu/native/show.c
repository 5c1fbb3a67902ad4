/* The listing has two columns: what the code is for, and the code. Pieces that the map has without
 * bytes, such as a `nop` of the guest, have the first column only. See show.h. */
#include "emu/native/show.h"
#include "emu/native/host_code.h"
#include "emu/native/parts.h"
#include "lib/disasm.h"

#include <inttypes.h>
#include <stdlib.h>

enum { COLUMN = 46, HEX_BYTES = 8 };

bool native_show_parse(struct native_show *show, const struct program *program, struct diag *diag,
                       const char *argument)
{
    *show = (struct native_show){.argument = argument, .program = program};
    return program_address(program, diag, argument, &show->pc, NULL);
}

void native_show_free(struct native_show *show)
{
    free(show->pieces);
    text_free(&show->hot);
    text_free(&show->cold);
}

/* ---- keeping ---- */

/* Returns how good it is to begin there. */
static int rank_of(const struct native_piece *piece)
{
    return piece->begins * 2 + (piece->id == STENCIL_glue_count);
}

static bool begins_block(const struct native_piece *piece)
{
    return piece->id == STENCIL_glue_count || piece->id == STENCIL_glue_count_simple ||
           piece->id == PIECE_REPLACED;
}

/* Is the piece the first one of a block? */
static bool heads_block(const struct native_show *show, size_t i)
{
    return show->pieces[i].id == STENCIL_glue_check_common ||
           (begins_block(&show->pieces[i]) &&
            (i == 0 || show->pieces[i - 1].id != STENCIL_glue_check_common));
}

/* Returns the piece of the instruction at the address, if possible one where a run begins, which is
 * better not of simple code, or else a block. SIZE_MAX: none. */
static size_t find_piece(const struct native_map *map, uint64_t pc)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < map->closed; i++) {
        const struct native_piece *piece = &map->pieces[i];
        if (piece->pc != pc || piece->id == STENCIL_glue_site)
            continue;
        if (found == SIZE_MAX || rank_of(piece) >= rank_of(&map->pieces[found]))
            found = i;
    }
    return found;
}

/* Is the address one of a function that begins at `start`? */
static bool is_of_function(const struct program *program, uint64_t start, uint64_t address)
{
    const struct elf_symbol *symbol = symbolizer_find(&program->symbols, address);

    return address >= start && symbol && symbol->raw.st_value == start;
}

/* Returns the lowest address from `pc` on in the function that begins there of which the map has
 * code; `pc` if there is none. */
static uint64_t first_of_function(const struct native_show *show, const struct native_map *map)
{
    uint64_t first = UINT64_MAX;

    for (size_t i = 0; i < map->closed; i++)
        if (map->pieces[i].id != STENCIL_glue_site && map->pieces[i].pc < first &&
            is_of_function(show->program, show->pc, map->pieces[i].pc))
            first = map->pieces[i].pc;
    return first == UINT64_MAX ? show->pc : first;
}

static uint64_t fetch(const struct memory *memory, uint64_t pc)
{
    const unsigned char *bytes = memory_peek(memory, pc, 2);
    uint64_t word = 0;

    if (!bytes)
        return 0;
    memcpy(&word, bytes, 2);
    int length = isa_length((uint16_t)word);
    bytes = length > 2 ? memory_peek(memory, pc, (uint64_t)length) : NULL;
    if (bytes)
        memcpy(&word, bytes, (size_t)length);
    return word;
}

void native_show_keep(struct native_show *show, const struct native *native,
                      const struct native_map *map)
{
    uint64_t shown = first_of_function(show, map);
    size_t first = find_piece(map, shown), end;

    show->is_current = first != SIZE_MAX && (!show->count || show->shown >= shown);
    if (!show->is_current)
        return;
    show->shown = shown;
    while (!map->pieces[first].begins)
        first--;
    for (end = first + 1; end < map->closed && !map->pieces[end].begins; end++)
        ;
    native_show_free(show);
    show->hot = show->cold = (struct text){0};
    show->count = end - first;
    show->pieces = reallocarray(NULL, show->count, sizeof *show->pieces);
    if (!show->pieces) {
        show->count = 0;
        return;
    }
    memcpy(show->pieces, &map->pieces[first], show->count * sizeof *show->pieces);
    show->executable = (uintptr_t)native->copier.executable;
    show->leave = native->copier.leave;
    show->call = native->copier.call;
    memcpy(show->host_of, native->host_of, sizeof show->host_of);
    for (size_t i = 0; i < show->count; i++) {
        struct native_piece *piece = &show->pieces[i];
        piece->word = fetch(&native->machine->memory, piece->pc);
        text_append_bytes(&show->hot, native->copier.writable + piece->hot, piece->hot_size);
        text_append_bytes(&show->cold, native->copier.writable + piece->cold, piece->cold_size);
    }
}

/* ---- the first column ---- */

struct listing {
    const struct native_show *show;
    const struct native *native;
    const struct program *program;
    FILE *stream;
    struct text text;
    bool is_path; /* of turns (rounds.c), which has all registers in memory */
};

static void append_address(struct listing *listing, uint64_t address)
{
    const struct elf_symbol *symbol = symbolizer_find(&listing->program->symbols, address);

    text_format(&listing->text, "%" PRIx64, address);
    if (!symbol)
        return;
    text_append(&listing->text, " <");
    disasm_name(&listing->text, symbol->name);
    if (address != symbol->raw.st_value)
        text_format(&listing->text, "+0x%" PRIx64, address - symbol->raw.st_value);
    text_append(&listing->text, ">");
}

static void append_instruction(struct listing *listing, const struct native_piece *piece)
{
    const struct disasm disasm = {.symbols = &listing->program->symbols};
    size_t start;

    text_format(&listing->text, "  %" PRIx64 "  ", piece->pc);
    start = listing->text.length;
    disasm_instruction(&disasm, &listing->text, piece->pc, piece->word,
                       isa_length((uint16_t)piece->word));
    for (char *tab; (tab = strchr(listing->text.bytes + start, '\t')) != NULL;)
        *tab = ' ';
}

static const char *register_name(unsigned number)
{
    for (size_t i = 0; i < isa_register_file_count; i++)
        if (isa_register_files[i].standard == ISA_STANDARD_INTEGER && number < ISA_X_REGISTERS)
            return isa_register_files[i].names[number];
    return "nowhere";
}

/* Appends the name of what may be pinned. */
static void append_pinnable(struct text *text, unsigned number)
{
    if (number < FIRST_WALK)
        text_append(text, register_name(number));
    else if (number < FIRST_STEP)
        text_format(text, "row %u", number - FIRST_WALK);
    else
        text_format(text, "step of row %u", number - FIRST_STEP);
}

static const char *float_name(unsigned number)
{
    for (size_t i = 0; i < isa_register_file_count; i++)
        if (isa_register_files[i].standard == ISA_STANDARD_FLOAT && number < ISA_F_REGISTERS)
            return isa_register_files[i].names[number];
    return "nowhere";
}

/* Says what the piece is for. */
static void append_purpose(struct listing *listing, const struct native_piece *piece)
{
    struct text *text = &listing->text;
    const char *name = register_name(piece->number);

    switch (piece->id) {
    case STENCIL_glue_count:
        text_format(text, "  [count: %u instruction%s]", piece->remaining,
                    piece->remaining == 1 ? "" : "s");
        break;
    case STENCIL_glue_count_simple:
        text_format(text, "  [count: %u instruction%s, and how often]", piece->remaining,
                    piece->remaining == 1 ? "" : "s");
        break;
    case PIECE_REPLACED:
        text_append(text, "  [jump: to better code]");
        break;
    case STENCIL_glue_time:
    case STENCIL_glue_time_profiled:
        text_append(text, "  [time: the entry to the block]");
        break;
    case STENCIL_glue_tally:
        text_append(text, "  [counter: control comes here]");
        break;
    case STENCIL_glue_tally_call:
    case STENCIL_glue_tally_call_register:
        text_append(text, "  [profile: a call]");
        break;
    case STENCIL_glue_tally_return:
        text_append(text, "  [profile: a return]");
        break;
    case STENCIL_glue_tally_jump:
    case STENCIL_glue_tally_back:
        text_append(text, "  [profile: is the jump a return?]");
        break;
    case STENCIL_glue_fill:
        text_append(text, "  [fill: ");
        append_pinnable(text, piece->number);
        text_append(text, " from memory]");
        break;
    case STENCIL_glue_spill:
        text_append(text, "  [spill: ");
        append_pinnable(text, piece->number);
        text_append(text, " to memory]");
        break;
    case STENCIL_glue_extend:
        text_append(text, "  [extend: ");
        append_pinnable(text, piece->number);
        text_append(text, ", a word]");
        break;
    case STENCIL_glue_fill_float:
        text_format(text, "  [fill: %s from memory]", float_name(piece->number));
        break;
    case STENCIL_glue_spill_float:
        text_format(text, "  [spill: %s to memory]", float_name(piece->number));
        break;
    case STENCIL_glue_goto:
        text_append(text, "  [jump: to code that was made before]");
        break;
    case STENCIL_glue_step:
        text_append(text, "  [interpreter: on at ");
        append_address(listing, piece->pc);
        text_append(text, "]");
        break;
    case STENCIL_glue_site:
        text_append(text, "  [way out to ");
        append_address(listing, piece->pc);
        text_append(text, "]");
        break;
    case STENCIL_glue_call:
        append_instruction(listing, piece);
        text_append(text, " [call of its function]");
        break;
    case STENCIL_glue_rarely:
        text_append(text, "  [rare case of ");
        append_address(listing, piece->pc);
        text_append(text, ": call of its function]");
        break;
    case STENCIL_glue_constant_m:
        if (piece->number == SINK) {
            text_append(text, "  [immediate to memory]");
            break;
        }
        __attribute__((fallthrough));
    case STENCIL_glue_constant_r:
    case STENCIL_glue_address_r:
    case STENCIL_glue_address_m:
    case STENCIL_glue_constant_high:
    case STENCIL_glue_constant_boxed:
        append_instruction(listing, piece);
        text_append(text, " [constant]");
        break;
    case STENCIL_glue_check_read_r:
    case STENCIL_glue_check_read_m:
    case STENCIL_glue_check_write_r:
    case STENCIL_glue_check_write_m:
    case STENCIL_glue_check_both_r:
    case STENCIL_glue_check_both_m:
        text_format(text, "  [check: the pages of the accesses by %s]", name);
        break;
    case STENCIL_glue_check_base_r:
    case STENCIL_glue_check_base_m:
        text_format(text, "  [check: %s is an address]", name);
        break;
    case STENCIL_glue_next_hart:
        text_append(text, "  [turn: of the next thread]");
        break;
    case STENCIL_glue_give_back:
        text_format(text, "  [count: %u turn%s not taken]", piece->remaining,
                    piece->remaining == 1 ? "" : "s");
        break;
    case STENCIL_glue_way_out:
        text_append(text, "  [way out: all threads stand where this says]");
        break;
    case STENCIL_glue_check_target:
        append_instruction(listing, piece);
        text_append(text, " [check: the target]");
        break;
    case STENCIL_glue_return_address:
        text_append(text, "  [return address to memory]");
        break;
    case STENCIL_glue_check_common:
        text_append(text, "  [check: inexact flag and rounding mode]");
        break;
    default:
        if (piece->id < STENCIL_GLUE ||
            (piece->id >= STENCIL_glue_read_fflags && piece->id <= STENCIL_glue_read_time))
            append_instruction(listing, piece);
        else
            text_append(text, "  [glue]");
    }
}

/* Is the piece one of those that lead out of the code? */
static bool leads_out(const struct listing *listing, const struct native_piece *piece)
{
    return piece->id == STENCIL_glue_site ||
           (listing->is_path && piece->id >= STENCIL_GLUE && !piece->hot_size);
}

/* Was the piece not needed in the end? */
static bool is_left_out(const struct native_piece *piece)
{
    return !piece->hot_size && (piece->id == STENCIL_glue_goto || piece->id == STENCIL_glue_spill ||
                                piece->id == STENCIL_glue_spill_float);
}

/* What the rarely executed part of the piece is for. */
static void append_rare_purpose(struct listing *listing, const struct native_piece *piece)
{
    if (leads_out(listing, piece)) {
        append_purpose(listing, piece);
    } else if (begins_block(piece)) {
        text_append(&listing->text, "  [limit: out at ");
        append_address(listing, piece->pc);
        text_append(&listing->text, "]");
    } else {
        text_append(&listing->text, "  [rare case of ");
        append_address(listing, piece->pc);
        text_append(&listing->text, "]");
    }
}

/* ---- the second column ---- */

/* If the address is in native code, appends what is there. */
static void append_target(struct listing *listing, uint64_t address)
{
    const struct native_show *show = listing->show;
    const struct native_map *map = listing->native->copier.map;
    size_t at = address - show->executable;

    if (at == show->leave || at == show->call) {
        text_append(&listing->text, at == show->leave ? "  -> leave" : "  -> call");
        return;
    }
    for (unsigned part = 0; part < (show->is_current ? 2 : 1); part++) {
        const struct native_piece *pieces = part ? map->pieces : show->pieces;
        size_t count = part ? map->closed : show->count;
        for (size_t i = 0; i < count; i++) {
            bool is_cold = at - pieces[i].cold < pieces[i].cold_size;
            if (!is_cold && pieces[i].hot != at)
                continue;
            if (pieces[i].pc == PIECE_NO_PC) {
                text_append(&listing->text, "  -> leave");
                return;
            }
            text_append(&listing->text, pieces[i].id == STENCIL_glue_site ? "  -> way out to "
                                        : is_cold                         ? "  -> rare case of "
                                                                          : "  -> ");
            append_address(listing, pieces[i].pc);
            return;
        }
    }
}

/* Appends a line of the host's disassembler. A jump is followed by what it leads to. */
static void append_code(struct listing *listing, const char *line, size_t length)
{
    const char *instruction = memchr(line, '\t', length), *number = NULL;

    text_append_bytes(&listing->text, line, (size_t)(instruction - line));
    text_append(&listing->text, "  ");
    instruction++;
    size_t size = length - (size_t)(instruction - line);
    text_append_bytes(&listing->text, instruction, size);
    for (const char *c = instruction; c + 1 < instruction + size; c++)
        if (c[0] == '0' && c[1] == 'x')
            number = c;
    if (number && (number == instruction || strchr(" ,", number[-1])) &&
        strchr("jbct", instruction[0]))
        append_target(listing, strtoull(number, NULL, 16));
}

static void end_line(struct listing *listing)
{
    text_append(&listing->text, "\n");
    fputs(listing->text.bytes, listing->stream);
    text_clear(&listing->text);
}

/* Lists bytes without a disassembler. */
static void list_bytes(struct listing *listing, const unsigned char *bytes, size_t size,
                       uint64_t address)
{
    for (size_t i = 0; i < size; i++) {
        if (i % HEX_BYTES == 0) {
            text_pad(&listing->text, COLUMN);
            text_format(&listing->text, "  %" PRIx64 " ", address + i);
        }
        text_format(&listing->text, " %02x", bytes[i]);
        if (i % HEX_BYTES == HEX_BYTES - 1 && i + 1 < size)
            end_line(listing);
    }
    end_line(listing);
}

/* Lists the lines of the disassembler before the address `end`. Returns those that are left. */
static const char *list_lines(struct listing *listing, const char *lines, uint64_t end)
{
    bool first = true;

    for (; *lines && strtoull(lines, NULL, 16) < end; first = false) {
        size_t length = strcspn(lines, "\n");
        text_pad(&listing->text, COLUMN);
        text_append(&listing->text, "  ");
        append_code(listing, lines, length);
        end_line(listing);
        lines += length + 1;
    }
    if (first)
        end_line(listing);
    return lines;
}

/* ---- the listing ---- */

/* Lists all hot bytes, or all cold ones. */
static void list_part(struct listing *listing, bool is_cold)
{
    const struct native_show *show = listing->show;
    const struct text *bytes = is_cold ? &show->cold : &show->hot;
    struct text disassembled = TEXT_INIT;
    uint64_t base = show->executable + native_piece_at(&show->pieces[0], is_cold);
    bool readable =
        bytes->length && host_code_disassemble(&disassembled, bytes->bytes, bytes->length, base);
    const char *lines = readable ? disassembled.bytes : NULL;
    size_t at = 0;

    for (size_t i = 0; i < show->count; i++) {
        const struct native_piece *piece = &show->pieces[i];
        size_t size = native_piece_size(piece, is_cold);
        if (!is_cold && heads_block(show, i)) {
            append_address(listing, piece->pc);
            text_append(&listing->text, ":");
            end_line(listing);
        }
        if (is_cold && !size)
            continue;
        if (!is_cold && (leads_out(listing, piece) || is_left_out(piece)))
            continue;
        is_cold ? append_rare_purpose(listing, piece) : append_purpose(listing, piece);
        if (lines)
            lines = list_lines(listing, lines, base + at + size);
        else
            list_bytes(listing, (const unsigned char *)bytes->bytes + at, size, base + at);
        at += size;
    }
    text_free(&disassembled);
}

static void list_registers(struct listing *listing)
{
    text_append(&listing->text, "  registers:");
    for (unsigned i = 0; i < PINNABLE; i++) {
        if (listing->show->host_of[i] == NOT_PINNED)
            continue;
        text_append(&listing->text, " ");
        append_pinnable(&listing->text, i);
        text_format(&listing->text, " in %s,", host_register_names[listing->show->host_of[i]]);
    }
    text_append(&listing->text, " others in memory");
    end_line(listing);
}

/* Says why there is no code. */
static void print_none(const struct native_show *show, const struct native *native,
                       const struct program *program)
{
    bool is_nothing = native->made == 0;

    fprintf(stderr, "temu: %s: --show-native=%s: no native code was made of 0x%" PRIx64 ": %s\n",
            program->name, show->argument, show->pc,
            is_nothing ? NATIVE_NOTHING_MADE
                       : "control did not come to it often (--tier=translate makes native code "
                         "at once)");
}

static bool has_turns(const struct native_show *show)
{
    for (size_t i = 0; i < show->count; i++)
        if (show->pieces[i].id == STENCIL_glue_next_hart)
            return true;
    return false;
}

void native_show_print(const struct native_show *show, const struct native *native,
                       const struct program *program, FILE *stream)
{
    struct listing listing = {show, native, program, stream, TEXT_INIT, has_turns(show)};
    unsigned instructions = 0;

    if (!show->count) {
        print_none(show, native, program);
        return;
    }
    for (size_t i = 0; i < show->count; i++)
        if (begins_block(&show->pieces[i]))
            instructions += show->pieces[i].remaining;
    text_append(&listing.text, "native code of ");
    append_address(&listing, show->pc);
    if (show->shown != show->pc) {
        text_append(&listing.text, ", only from ");
        append_address(&listing, show->shown);
        text_append(&listing.text, " on");
    }
    text_format(&listing.text, ": %s from %" PRIx64 " on, %u instruction%s, %zu bytes%s",
                listing.is_path ? "turns of threads" : "a run of blocks", show->pieces[0].pc,
                instructions, instructions == 1 ? "" : "s", show->hot.length + show->cold.length,
                show->is_current ? "" : "; it was forgotten before the end");
    end_line(&listing);
    if (!listing.is_path)
        list_registers(&listing);
    list_part(&listing, false);
    if (show->cold.length) {
        fputs("rarely executed:\n", stream);
        list_part(&listing, true);
    }
    text_free(&listing.text);
}

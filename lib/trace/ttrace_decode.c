/* The records of a lossless trace: the part of its reader (ttrace_read.h) that decodes a segment.
 */
#include "lib/map.h"
#include "lib/trace/ttrace_block.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum {
    SITE_SIZE = 5,          /* least bytes of a site */
    EFFECTS_LIMIT = 1 << 24 /* of a record */
};

/* What a slot of a site has: the size of the access whose address it is, or 0; or of a register the
 * size of the last load before it, or 0, and the slot with what was loaded. */
struct slot {
    uint8_t access, load, loaded;
};

/* What is needed for each record comes first, so that it is in few lines of the cache. */
struct site {
    int64_t next;
    uint8_t flags, count, slot_count;
    struct slot slots[TTRACE_SLOTS];
    struct {
        uint64_t last, stride;
    } values[TTRACE_SLOTS];
    uint64_t pc, word, trap_cause;
    uint8_t length, privilege;
    uint64_t shapes[TTRACE_SHORT];
};

struct content {
    const unsigned char *bytes;
    size_t length;
    uint64_t hash;
};

struct ttrace_cursors {
    unsigned char *block;
    size_t block_capacity;
    struct bytes columns[TTRACE_COLUMNS];
    struct site *sites;
    size_t site_count;
    bool has_long; /* one of the sites is of long records */
    int64_t last;
    uint64_t run;   /* sites still to be predicted before `after` */
    uint64_t after; /* the site after these */
    bool has_after;
    uint64_t left, sequence, index;
    uint64_t break_index, break_distance, break_thread, break_turn;
    bool has_break;
    struct ttrace_turns turns;
    struct content *contents;
    size_t content_count, content_capacity;
    struct arena arena;
    char **names;
    size_t name_count, name_capacity;
};

static const char impossible_effects[] = "the effects of a record are impossible";

/* ---- segments ---- */

static bool fail(struct ttrace_decoder *decoder, const char *why)
{
    decoder->failed = true;
    return block_damaged(decoder->trace, decoder->segment->bytes, why);
}

static bool read_columns(struct ttrace_cursors *cursors, struct bytes *contents,
                         const struct ttrace_segment *segment)
{
    uint64_t count, sites, lengths[TTRACE_COLUMNS];

    if (!get(contents, &count) || count != segment->record_count ||
        !get(contents, &cursors->sequence) || !get(contents, &sites))
        return false;
    for (unsigned i = 0; i < TTRACE_COLUMNS; i++)
        if (!get(contents, &lengths[i]))
            return false;
    for (unsigned i = 0; i < TTRACE_COLUMNS; i++) {
        const unsigned char *column = take(contents, lengths[i]);
        if (!column)
            return false;
        cursors->columns[i] = (struct bytes){column, column + lengths[i]};
    }
    cursors->left = count;
    cursors->sequence--;
    cursors->site_count = sites;
    return left_in(contents) == 0 && sites <= lengths[TTRACE_SITES] / SITE_SIZE;
}

static bool read_site(struct bytes *bytes, struct site *site)
{
    if (!get(bytes, &site->pc) || !get(bytes, &site->word) || !get_byte(bytes, &site->length) ||
        !get_byte(bytes, &site->privilege) || !get_byte(bytes, &site->flags))
        return false;
    if (site->flags & (TTRACE_TRAP | TTRACE_INTERRUPT) && !get(bytes, &site->trap_cause))
        return false;
    site->next = -1;
    if (site->length > 8 || site->length % 2)
        return false;
    if (site->flags & TTRACE_LONG)
        return true;
    if (!get_byte(bytes, &site->count) || site->count > TTRACE_SHORT)
        return false;
    for (unsigned i = 0; i < site->count; i++)
        if (!get(bytes, &site->shapes[i]))
            return false;
    return true;
}

/* Can an effect of a short record have this shape? */
static bool is_shape(uint64_t shape)
{
    unsigned kind = shape & 0xff, size = shape >> 8 & 0xff, file = shape >> 16 & 0xff;
    uint64_t number = shape >> 32;

    if (shape >> 24 & 0xff) /* is_wide */
        return false;
    if (kind == EFFECT_REGISTER)
        return file < isa_register_file_count && number < isa_register_files[file].count;
    if (kind == EFFECT_LOAD || kind == EFFECT_STORE)
        return size >= 1 && size <= 8;
    return kind == EFFECT_CSR || kind == EFFECT_PRIVILEGE;
}

/* Finds out what the slots of a site of short records are. */
static void lay_out(struct site *site)
{
    struct slot load = {0};

    for (unsigned i = 0; i < site->count; i++) {
        unsigned kind = ttrace_shape_kind(site->shapes[i]);
        uint8_t size = (uint8_t)(site->shapes[i] >> 8);
        if (ttrace_has_address(kind))
            site->slots[site->slot_count++].access = size;
        if (kind == EFFECT_REGISTER)
            site->slots[site->slot_count] = load;
        else if (kind == EFFECT_LOAD)
            load = (struct slot){.load = size, .loaded = site->slot_count};
        site->slot_count++;
    }
    site->slot_count += (site->flags & TTRACE_TRAP) != 0;
}

static bool read_sites(struct ttrace_cursors *cursors)
{
    cursors->sites = block_resize(cursors->sites, cursors->site_count, sizeof *cursors->sites);
    cursors->has_long = false;
    for (size_t i = 0; i < cursors->site_count; i++) {
        struct site *site = &cursors->sites[i];
        memset(site, 0, sizeof *site);
        if (!read_site(&cursors->columns[TTRACE_SITES], site))
            return false;
        for (unsigned shape = 0; shape < site->count; shape++)
            if (!is_shape(site->shapes[shape]))
                return false;
        lay_out(site);
        cursors->has_long |= (site->flags & TTRACE_LONG) != 0;
    }
    return true;
}

/* Reads where the next break is. */
static void next_break(struct ttrace_cursors *cursors)
{
    struct bytes *bytes = &cursors->columns[TTRACE_BREAKS];

    cursors->has_break = get(bytes, &cursors->break_index) &&
                         get(bytes, &cursors->break_distance) &&
                         get(bytes, &cursors->break_thread) &&
                         (!cursors->turns.workers || get(bytes, &cursors->break_turn));
}

/* Reads how many sites are predicted, and which comes then. */
static void next_order(struct ttrace_cursors *cursors)
{
    struct bytes *bytes = &cursors->columns[TTRACE_ORDER];

    cursors->has_after = get(bytes, &cursors->run) && get(bytes, &cursors->after);
}

bool ttrace_load(struct ttrace_decoder *decoder, struct ttrace *trace,
                 const struct ttrace_segment *segment)
{
    struct bytes contents;

    decoder->trace = trace;
    decoder->segment = segment;
    decoder->number = segment->first_record;
    decoder->failed = false;
    if (!decoder->cursors) {
        decoder->cursors = block_resize(NULL, 1, sizeof *decoder->cursors);
        memset(decoder->cursors, 0, sizeof *decoder->cursors);
    }
    struct ttrace_cursors *cursors = decoder->cursors;
    size_t size = (size_t)ZSTD_getFrameContentSize(segment->bytes, segment->length);
    if (size > cursors->block_capacity) {
        cursors->block = block_resize(cursors->block, size, 1);
        cursors->block_capacity = size;
    }
    cursors->content_count = cursors->name_count = 0;
    cursors->last = -1;
    cursors->index = 0;
    cursors->turns.workers = trace->workers;
    ttrace_turns_begin(&cursors->turns);
    arena_reset(&cursors->arena);
    cursors->names = NULL;
    cursors->name_capacity = 0;
    if (!block_unpack(trace, segment->bytes, segment->length, cursors->block, size, TTRACE_RECORDS,
                      &contents)) {
        decoder->failed = true;
        return false;
    }
    if (!read_columns(cursors, &contents, segment) || !read_sites(cursors))
        return fail(decoder, "a segment has impossible columns");
    next_break(cursors);
    next_order(cursors);
    return true;
}

size_t ttrace_site_count(const struct ttrace_decoder *decoder)
{
    return decoder->cursors->site_count;
}

void ttrace_site(const struct ttrace_decoder *decoder, size_t number, struct ttrace_record *record)
{
    const struct site *site = &decoder->cursors->sites[number];

    *record = (struct ttrace_record){.pc = site->pc,
                                     .word = site->word,
                                     .length = site->length,
                                     .privilege = site->privilege,
                                     .flags = site->flags & (uint8_t)~TTRACE_LONG,
                                     .trap_cause = site->trap_cause};
}

void ttrace_decoder_free(struct ttrace_decoder *decoder)
{
    if (decoder->cursors) {
        free(decoder->cursors->block);
        free(decoder->cursors->sites);
        free(decoder->cursors->contents);
        arena_free(&decoder->cursors->arena);
        free(decoder->cursors);
    }
    recorder_free(&decoder->recorder);
    *decoder = (struct ttrace_decoder){0};
}

/* ---- long records ---- */

static const char *read_name(struct ttrace_cursors *cursors, struct bytes *bytes)
{
    uint64_t number, length;

    if (!get(bytes, &number) || number > cursors->name_count)
        return NULL;
    if (number)
        return cursors->names[number - 1];
    const unsigned char *name = take_string(bytes, &length);
    if (!name)
        return NULL;
    cursors->names = arena_grow(&cursors->arena, cursors->names, cursors->name_count,
                                &cursors->name_capacity, sizeof *cursors->names);
    return cursors->names[cursors->name_count++] =
               arena_copy(&cursors->arena, (const char *)name, length);
}

/* Reads which bytes were written, and their digest. */
static bool read_content(struct ttrace_decoder *decoder, struct bytes *bytes, struct effect *effect)
{
    struct ttrace_cursors *cursors = decoder->cursors;
    uint64_t length, number;

    if (!get(bytes, &length))
        return false;
    if (length == 0) {
        effect->value = hash_bytes(NULL, 0, 0);
        return true;
    }
    if (!get(bytes, &number) || number > cursors->content_count)
        return false;
    if (number == 0) {
        const unsigned char *fresh = take(&cursors->columns[TTRACE_BYTES], length);
        if (!fresh)
            return false;
        if (cursors->content_count == cursors->content_capacity) {
            cursors->content_capacity = 2 * cursors->content_capacity + 64;
            cursors->contents = block_resize(cursors->contents, cursors->content_capacity,
                                             sizeof *cursors->contents);
        }
        cursors->contents[cursors->content_count++] =
            (struct content){fresh, length, hash_bytes(fresh, length, 0)};
        number = cursors->content_count;
    }
    const struct content *content = &cursors->contents[number - 1];
    if (content->length != length)
        return false;
    effect->value = content->hash;
    recorder_keep_bytes(&decoder->recorder, effect, content->bytes, length);
    return true;
}

static bool read_number(struct bytes *bytes, uint32_t *number)
{
    uint64_t value;

    if (!get(bytes, &value) || value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    return true;
}

static bool read_register(struct ttrace_decoder *decoder, struct bytes *bytes)
{
    uint64_t file, number, count, words[ISA_WORDS_LIMIT];

    if (!get(bytes, &file) || !get(bytes, &number) || !get(bytes, &count) ||
        file >= isa_register_file_count || number >= isa_register_files[file].count ||
        count > isa_register_files[file].words)
        return false;
    for (unsigned i = 0; i < (count ? count : 1); i++)
        if (!get(bytes, &words[i]))
            return false;
    if (count)
        recorder_add_words(&decoder->recorder, (unsigned)file, (unsigned)number, words,
                           (unsigned)count);
    else
        recorder_add_register(&decoder->recorder, (unsigned)file, (unsigned)number, words[0]);
    return true;
}

static bool read_state(struct ttrace_cursors *cursors, struct bytes *bytes, struct effect *effect)
{
    uint64_t number, dimension;

    effect->unit = read_name(cursors, bytes);
    effect->name = effect->unit ? read_name(cursors, bytes) : NULL;
    if (!effect->name || !get(bytes, &number) || !get(bytes, &dimension))
        return false;
    if (!*effect->unit)
        effect->unit = NULL;
    effect->number = (uint32_t)number - (effect->kind == EFFECT_STATE);
    effect->dimension = (int32_t)dimension - 1;
    if (effect->kind == EFFECT_HOP &&
        (!get(bytes, &effect->address) || !get(bytes, &effect->length)))
        return false;
    return get(bytes, &effect->value);
}

static bool read_effect(struct ttrace_decoder *decoder, struct bytes *bytes)
{
    uint8_t kind;

    if (!get_byte(bytes, &kind) || kind > EFFECT_HOP)
        return false;
    if (kind == EFFECT_REGISTER)
        return read_register(decoder, bytes);
    struct effect *effect = recorder_add(&decoder->recorder, (enum effect_kind)kind);
    switch (effect->kind) {
    case EFFECT_CSR:
        return read_number(bytes, &effect->number) && get(bytes, &effect->value);
    case EFFECT_PRIVILEGE:
        return get(bytes, &effect->value);
    case EFFECT_LOAD:
    case EFFECT_STORE:
        if (!get_byte(bytes, &effect->size) || effect->size < 1 || effect->size > 8)
            return false;
        effect->length = effect->size;
        return get(bytes, &effect->address) && get(bytes, &effect->value);
    case EFFECT_RANGE_READ:
        return get(bytes, &effect->address) && get(bytes, &effect->length);
    case EFFECT_RANGE_WRITE:
        return get(bytes, &effect->address) && get(bytes, &effect->length) &&
               read_content(decoder, bytes, effect);
    default:
        return read_state(decoder->cursors, bytes, effect);
    }
}

static bool read_long(struct ttrace_decoder *decoder, struct ttrace_record *record)
{
    struct bytes *bytes = &decoder->cursors->columns[TTRACE_EFFECTS];
    uint64_t count;

    if (!get(bytes, &count) || count > EFFECTS_LIMIT)
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (!read_effect(decoder, bytes))
            return false;
    return !(record->flags & TTRACE_TRAP) || get(bytes, &record->trap_value);
}

/* ---- short records ---- */

/* Takes a difference of `size` bytes (1 to 8). */
static bool take_difference(struct bytes *bytes, unsigned size, uint64_t *difference)
{
    const unsigned char *at = bytes->at;

    if (left_in(bytes) >= sizeof *difference) /* one load is faster than one of a variable length */
        *difference = bytes_get(at, sizeof *difference) << (64 - 8 * size) >> (64 - 8 * size);
    else if (left_in(bytes) >= size)
        *difference = bytes_get(at, size);
    else
        return false;
    bytes->at = at + size;
    *difference = ttrace_unzigzag(*difference);
    return true;
}

/* Reads the values of a short record into site->values. */
static bool read_values(struct ttrace_cursors *cursors, struct site *site)
{
    const unsigned char *tags = take(&cursors->columns[TTRACE_TAGS], site->slot_count);

    for (unsigned i = 0; tags && i < site->slot_count; i++) {
        unsigned tag = tags[i];
        if (tag == TAG_SAME)
            continue;
        if (tag - TAG_SIGNED <= TAG_BOXED - TAG_SIGNED) {
            const struct slot *slot = &site->slots[i];
            if (!slot->load)
                return false;
            site->values[i].last = ttrace_extend(tag, site->values[slot->loaded].last, slot->load);
            continue;
        }
        if (tag > 8 || (tag != TAG_STRIDE && !take_difference(&cursors->columns[TTRACE_VALUES], tag,
                                                              &site->values[i].stride)))
            return false;
        site->values[i].last += site->values[i].stride;
    }
    return tags;
}

/* Returns whether a load or store of the short record, whose values have been read, touches the
 * range. */
static bool accesses(const struct site *site, uint64_t address, uint64_t length)
{
    for (unsigned i = 0; i < site->slot_count; i++) {
        uint64_t first = site->values[i].last, size = site->slots[i].access;
        if (size && (first - address < length || address - first < size))
            return true;
    }
    return false;
}

/* Adds the effects of the short record whose values have been read. */
static void add_effects(struct recorder *recorder, const struct site *site)
{
    for (unsigned i = 0, slot = 0; i < site->count; i++) {
        struct effect *effect = recorder_add_shape(recorder, site->shapes[i]);
        if (ttrace_has_address(effect->kind)) {
            effect->length = effect->size;
            effect->address = site->values[slot++].last;
        }
        effect->value = site->values[slot++].last;
    }
}

/* Returns the site of the next record, or NULL. */
static struct site *next_site(struct ttrace_cursors *cursors)
{
    int64_t next;

    if (cursors->run || !cursors->has_after) {
        next = cursors->last < 0 ? -1 : cursors->sites[cursors->last].next;
        cursors->run -= cursors->run != 0;
    } else {
        if (cursors->after >= cursors->site_count)
            return NULL;
        next = (int64_t)cursors->after;
        if (cursors->last >= 0)
            cursors->sites[cursors->last].next = next;
        next_order(cursors);
    }
    cursors->last = next;
    return next < 0 ? NULL : &cursors->sites[next];
}

/* Goes on to the next record. Returns its site; NULL: the segment ends, or the decoder has failed. */
static struct site *go_on(struct ttrace_decoder *decoder)
{
    struct ttrace_cursors *cursors = decoder->cursors;

    if (decoder->failed || cursors->left == 0)
        return NULL;
    struct site *site = next_site(cursors);
    if (!site) {
        fail(decoder, "a record has no instruction");
        return NULL;
    }
    decoder->site = (size_t)(site - cursors->sites);
    uint64_t turn = cursors->turns.turn;
    cursors->sequence++;
    ttrace_turns_go_on(&cursors->turns);
    if (cursors->has_break && cursors->break_index == cursors->index) {
        cursors->sequence += ttrace_unzigzag(cursors->break_distance) - 1;
        ttrace_turns_set(&cursors->turns, (uint32_t)cursors->break_thread,
                         turn + ttrace_unzigzag(cursors->break_turn));
        next_break(cursors);
    }
    if (cursors->turns.workers && cursors->turns.thread - 1 > cursors->turns.workers &&
        !(site->flags & TTRACE_START)) {
        fail(decoder, "a record is of a thread that the barrel does not have");
        return NULL;
    }
    cursors->left--;
    cursors->index++;
    decoder->number++;
    return site;
}

/* Gives the record of the site. If it is short, its values have been read. */
static bool give(struct ttrace_decoder *decoder, const struct site *site,
                 struct ttrace_record *record)
{
    const struct ttrace_cursors *cursors = decoder->cursors;

    recorder_clear(&decoder->recorder);
    decoder->recorder.keeps_bytes = true;
    *record = (struct ttrace_record){.sequence = cursors->sequence,
                                     .pc = site->pc,
                                     .word = site->word,
                                     .length = site->length,
                                     .privilege = site->privilege,
                                     .flags = site->flags & (uint8_t)~TTRACE_LONG,
                                     .thread = cursors->turns.thread,
                                     .turn = cursors->turns.turn,
                                     .trap_cause = site->trap_cause,
                                     .recorder = &decoder->recorder};
    if (site->flags & TTRACE_LONG)
        return read_long(decoder, record) || fail(decoder, impossible_effects);
    add_effects(&decoder->recorder, site);
    if (site->flags & TTRACE_TRAP)
        record->trap_value = site->values[site->slot_count - 1].last;
    return true;
}

bool ttrace_next(struct ttrace_decoder *decoder, struct ttrace_record *record)
{
    struct site *site = go_on(decoder);

    if (!site)
        return false;
    if (!(site->flags & TTRACE_LONG) && !read_values(decoder->cursors, site))
        return fail(decoder, impossible_effects);
    return give(decoder, site, record);
}

bool ttrace_next_access(struct ttrace_decoder *decoder, uint64_t address, uint64_t length,
                        struct ttrace_record *record)
{
    for (struct site *site; (site = go_on(decoder));) {
        if (site->flags & TTRACE_LONG)
            return give(decoder, site, record);
        if (!read_values(decoder->cursors, site))
            return fail(decoder, impossible_effects);
        if (accesses(site, address, length))
            return give(decoder, site, record);
    }
    return false;
}

bool ttrace_has_long(const struct ttrace_decoder *decoder)
{
    return decoder->cursors->has_long;
}

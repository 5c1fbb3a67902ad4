/* Transfers between main memory and the scratchpad. All ranges are checked before any byte is
 * moved.
 *
 * A 1-D transfer is a tile of one row. The two memories never overlap, because a memory range that
 * touches the scratchpad window is refused, so the order of the moves matters only between the rows
 * of one store. */
#include "emu/units/dma.h"

#include <string.h>

enum { ROWS_BETWEEN_LOOKS = 1 << 14 }; /* checks of the deadline: a tile may have 2^30 rows */

struct tile {
    uint64_t spm, mem;
    uint64_t rows, row_bytes, stride;
    uint64_t bytes; /* rows × row_bytes */
    bool store;     /* scratchpad to memory */
};

static uint64_t row_address(const struct tile *tile, uint64_t row)
{
    return tile->mem + row * tile->stride;
}

/* Returns a range of main memory, or NULL after a fault. */
static void *main_memory(struct port *port, uint64_t address, uint64_t bytes, bool write,
                         struct fault *fault)
{
    uint64_t from_base = address - port->scratchpad_base; /* modulo 2^64: huge below the window */
    bool touches = from_base < port->scratchpad_size ||
                   (address < port->scratchpad_base && -from_base < bytes);

    if (touches) {
        fault_set(fault, CAUSE_TENSOR_ACCESS, address);
        return NULL;
    }
    return write ? port_write(port, address, bytes, 1, 1, fault)
                 : (void *)port_read(port, address, bytes, 1, 1, fault);
}

static bool is_contiguous(const struct tile *tile)
{
    return tile->stride == tile->row_bytes || tile->rows == 1;
}

/* Records the rows of memory as one effect each, or, if they are too many, as one range from the
 * lowest byte to the highest. */
static void record_rows(struct port *port, const struct tile *tile, const char *scratchpad)
{
    bool whole = is_contiguous(tile), many = tile->rows > DMA_ROWS_RECORDED;
    bool down = (int64_t)tile->stride < 0;
    uint64_t rows = whole || many ? 1 : tile->rows;
    uint64_t bytes = whole || many ? tile->bytes : tile->row_bytes;
    uint64_t distance = (tile->rows - 1) * (down ? -tile->stride : tile->stride);
    uint64_t span = whole ? bytes : many ? distance + tile->row_bytes : bytes;

    for (uint64_t row = 0; row < rows; row++) {
        uint64_t address = row_address(tile, row) - (many && !whole && down ? distance : 0);
        if (tile->store)
            port_record_scattered(port, address, span, scratchpad + row * bytes, bytes);
        else
            port_record_read(port, address, span);
    }
}

static void record(struct port *port, const struct tile *tile, const char *scratchpad)
{
    if (!port->recorder)
        return;
    if (tile->store)
        port_record_read(port, tile->spm, tile->bytes);
    record_rows(port, tile, scratchpad);
    if (!tile->store)
        port_record_write(port, tile->spm, tile->bytes, scratchpad);
}

/* Has the deadline passed before this row? */
static bool is_late(const struct port *port, uint64_t row, struct fault *fault)
{
    if (row % ROWS_BETWEEN_LOOKS != ROWS_BETWEEN_LOOKS - 1 || !port->expired ||
        !port->expired(port->clock))
        return false;
    fault_set(fault, CAUSE_DEADLINE, 0);
    return true;
}

/* Checks that all rows are in main memory. */
static bool check_rows(struct port *port, const struct tile *tile, struct fault *fault)
{
    if (is_contiguous(tile) && main_memory(port, tile->mem, tile->bytes, tile->store, fault))
        return true;
    for (uint64_t row = 0; row < tile->rows; row++)
        if (is_late(port, row, fault) ||
            !main_memory(port, row_address(tile, row), tile->row_bytes, tile->store, fault))
            return false;
    return true;
}

static bool move_rows(struct port *port, const struct tile *tile, char *scratchpad,
                      struct fault *fault)
{
    uint64_t rows = is_contiguous(tile) ? 1 : tile->rows, bytes = tile->bytes / rows;

    for (uint64_t row = 0; row < rows; row++) {
        if (is_late(port, row, fault))
            return false;
        char *memory = main_memory(port, row_address(tile, row), bytes, tile->store, fault);
        char *packed = scratchpad + row * bytes;
        memcpy(tile->store ? memory : packed, tile->store ? packed : memory, bytes);
    }
    return true;
}

static bool transfer(struct dma_unit *unit, struct port *port, struct tile *tile,
                     struct fault *fault)
{
    if (tile->rows == 0 || tile->row_bytes == 0)
        return true;
    if (__builtin_mul_overflow(tile->rows, tile->row_bytes, &tile->bytes))
        return fault_set(fault, CAUSE_TILE_SIZE,
                         tile->rows > tile->row_bytes ? tile->rows : tile->row_bytes);
    char *scratchpad = tile->store
                           ? (char *)port_read_scratchpad(port, tile->spm, tile->bytes, 1, fault)
                           : port_write_scratchpad(port, tile->spm, tile->bytes, 1, fault);
    if (!scratchpad || !check_rows(port, tile, fault) || !move_rows(port, tile, scratchpad, fault))
        return false;
    record(port, tile, scratchpad);
    unit->transfers++;
    *(tile->store ? &unit->bytes_stored : &unit->bytes_loaded) += tile->bytes;
    return true;
}

bool dma_load(struct dma_unit *unit, struct port *port, uint64_t spm, uint64_t mem, uint64_t bytes,
              struct fault *fault)
{
    struct tile tile = {.spm = spm, .mem = mem, .rows = 1, .row_bytes = bytes};

    return transfer(unit, port, &tile, fault);
}

bool dma_store(struct dma_unit *unit, struct port *port, uint64_t spm, uint64_t mem, uint64_t bytes,
               struct fault *fault)
{
    struct tile tile = {.spm = spm, .mem = mem, .rows = 1, .row_bytes = bytes, .store = true};

    return transfer(unit, port, &tile, fault);
}

bool dma_load_tile(struct dma_unit *unit, struct port *port, uint64_t spm, uint64_t mem,
                   uint64_t rows, uint64_t row_bytes, uint64_t stride, struct fault *fault)
{
    struct tile tile = {
        .spm = spm, .mem = mem, .rows = rows, .row_bytes = row_bytes, .stride = stride};

    return transfer(unit, port, &tile, fault);
}

bool dma_store_tile(struct dma_unit *unit, struct port *port, uint64_t spm, uint64_t mem,
                    uint64_t rows, uint64_t row_bytes, uint64_t stride, struct fault *fault)
{
    struct tile tile = {.spm = spm,
                        .mem = mem,
                        .rows = rows,
                        .row_bytes = row_bytes,
                        .stride = stride,
                        .store = true};

    return transfer(unit, port, &tile, fault);
}

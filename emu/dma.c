/* Transfers between main memory and the scratchpad: check every range, then move.
 *
 * A 1-D transfer is a tile of one row. The two memories never overlap, because a memory range that
 * touches the scratchpad window is refused, so the order of the moves matters only between the rows
 * of one store. */
#include "emu/dma.h"

#include <string.h>

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

/* A range of main memory; NULL after a fault. */
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

static void record(struct port *port, const struct tile *tile, const void *scratchpad)
{
    bool contiguous = tile->stride == tile->row_bytes || tile->rows == 1;
    uint64_t rows = contiguous ? 1 : tile->rows;
    uint64_t row_bytes = contiguous ? tile->bytes : tile->row_bytes;
    struct fault ignored;

    if (!port->recorder)
        return;
    if (tile->store)
        port_record_read(port, tile->spm, tile->bytes);
    for (uint64_t row = 0; row < rows; row++) {
        uint64_t address = row_address(tile, row);
        if (tile->store)
            port_record_write(port, address, row_bytes,
                              main_memory(port, address, row_bytes, true, &ignored));
        else
            port_record_read(port, address, row_bytes);
    }
    if (!tile->store)
        port_record_write(port, tile->spm, tile->bytes, scratchpad);
}

static bool transfer(struct dma_unit *unit, struct port *port, struct tile *tile,
                     struct fault *fault)
{
    if (tile->rows == 0 || tile->row_bytes == 0)
        return true;
    if (__builtin_mul_overflow(tile->rows, tile->row_bytes, &tile->bytes))
        return fault_set(fault, CAUSE_TENSOR_CONFIGURATION,
                         tile->rows > tile->row_bytes ? tile->rows : tile->row_bytes);
    char *scratchpad = tile->store
                           ? (char *)port_read_scratchpad(port, tile->spm, tile->bytes, 1, fault)
                           : port_write_scratchpad(port, tile->spm, tile->bytes, 1, fault);
    if (!scratchpad)
        return false;
    for (uint64_t row = 0; row < tile->rows; row++) {
        if (!main_memory(port, row_address(tile, row), tile->row_bytes, tile->store, fault))
            return false;
    }
    for (uint64_t row = 0; row < tile->rows; row++) {
        char *memory =
            main_memory(port, row_address(tile, row), tile->row_bytes, tile->store, fault);
        char *packed = scratchpad + row * tile->row_bytes;
        memcpy(tile->store ? memory : packed, tile->store ? packed : memory, tile->row_bytes);
    }
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

size_t dma_activity(const struct dma_unit *unit, struct activity *list)
{
    size_t count = 0;

    list[count++] = (struct activity){"dma", "transfers", unit->transfers};
    list[count++] = (struct activity){"dma", "bytes loaded", unit->bytes_loaded};
    list[count++] = (struct activity){"dma", "bytes stored", unit->bytes_stored};
    return count;
}

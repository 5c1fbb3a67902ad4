/*
 * A world with a sparse-to-dense unit, descriptors for it, and a direct model of machine.md, 5,
 * which handles one unit, one element and one value at a time.
 */
#ifndef TESTS_UNIT_SPARSE_FIXTURE_H
#define TESTS_UNIT_SPARSE_FIXTURE_H

#include "tensor_world.h"

#include <math.h>

#include "emu/units/sparse.h"

#define MAIN          WORLD_MAIN_BASE
#define MAIN_END      (MAIN + WORLD_MAIN_SIZE)
#define SPM           WORLD_SPM_BASE
#define ACCESS        CAUSE_TENSOR_ACCESS
#define CONFIGURATION CAUSE_TENSOR_CONFIGURATION
#define DESCRIPTOR    (MAIN + 1) /* any alignment */
#define REQUESTS      (MAIN + 0x3000)
#define TABLES        (MAIN + 0x4000)
#define TABLES_END    (MAIN + 0xb000)
#define DENSE         (MAIN + 0xb000)

enum { MODEL_TABLES = 8, MODEL_UNITS = 9, MODEL_REQUESTS = 8 };
enum { F32, F16, BF16, E4M3, E5M2, I8, I32, TYPES };

struct model_table {
    uint64_t base;
    uint32_t rows, cols, type, elements;
    uint32_t col_first[MODEL_UNITS + 1];
};

struct model_request {
    uint32_t table, first, count, reserved;
};

struct model {
    unsigned topology, way, m, n, k;
    uint32_t tables, reserved_word;
    uint32_t row_first[MODEL_UNITS + 1];
    struct model_table table[MODEL_TABLES];
    uint64_t shops, scycles, sbytes, szbytes;
};

struct fixture {
    struct world *world;
    struct sparse_unit unit;
    struct model model;
    struct model_request request[MODEL_REQUESTS];
    unsigned requests;
};

static const unsigned type_bytes[TYPES] = {4, 2, 2, 1, 1, 1, 4};

/* ---- the descriptor ---- */

struct bytes {
    unsigned char data[32768];
    size_t length;
};

static inline void put(struct bytes *bytes, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes->data[bytes->length++] = (unsigned char)(value >> 8 * i);
}

static inline void pad(struct bytes *bytes)
{
    while (bytes->length % 8)
        put(bytes, 0xee, 1);
}

static inline struct bytes describe(const struct model *model)
{
    struct bytes bytes = {.length = 0};

    put(&bytes, model->topology, 1);
    put(&bytes, model->way, 1);
    put(&bytes, model->m, 2);
    put(&bytes, model->n, 2);
    put(&bytes, model->k, 2);
    put(&bytes, model->tables, 4);
    put(&bytes, model->reserved_word, 4);
    for (unsigned r = 0; r <= model->m && r <= MODEL_UNITS; r++)
        put(&bytes, model->row_first[r], 4);
    pad(&bytes);
    for (unsigned t = 0; t < model->tables && t < MODEL_TABLES; t++) {
        const struct model_table *table = &model->table[t];
        put(&bytes, table->base, 8);
        put(&bytes, table->rows, 4);
        put(&bytes, table->cols, 4);
        put(&bytes, table->type, 4);
        put(&bytes, table->elements, 4);
        for (unsigned c = 0; c <= model->n && c <= MODEL_UNITS; c++)
            put(&bytes, table->col_first[c], 4);
        pad(&bytes);
    }
    return bytes;
}

/* ---- the fixture ---- */

static inline struct fixture *fixture_new(uint64_t seed)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    const struct config config = world_config(16);

    assert_non_null(fixture);
    fixture->world = world_new(seed);
    sparse_init(&fixture->unit, config.sparse_rows, config.sparse_columns, config.sparse_tables,
                config.sparse_seed);
    return fixture;
}

static inline void fixture_free(struct fixture *fixture)
{
    sparse_free(&fixture->unit);
    world_free(fixture->world);
    free(fixture);
}

static inline uint64_t below(struct fixture *fixture, uint64_t limit)
{
    return world_random(fixture->world) % limit;
}

static inline bool configure_at(struct fixture *fixture, uint64_t address)
{
    struct world *world = fixture->world;
    const struct bytes bytes = describe(&fixture->model);

    memcpy(world_map(world, address, bytes.length, true), bytes.data, bytes.length);
    world_remember(world);
    return sparse_configure(&fixture->unit, &world->port, address, &world->fault);
}

static inline bool configure(struct fixture *fixture)
{
    return configure_at(fixture, DESCRIPTOR);
}

static inline void write_requests(struct fixture *fixture, uint64_t address)
{
    for (unsigned i = 0; i < fixture->requests; i++)
        memcpy(world_map(fixture->world, address + 16 * i, 16, true), &fixture->request[i], 16);
}

/* ---- the model: values ---- */

/* Returns a value by its definition, unless it is a NaN. */
static inline double model_float(unsigned type, uint32_t bits)
{
    static const int exponents[] = {8, 5, 8, 4, 5}, fractions[] = {23, 10, 7, 3, 2};
    int e = exponents[type], f = fractions[type], bias = (1 << (e - 1)) - 1;
    uint32_t fraction = bits % (1u << f), exponent = bits / (1u << f) % (1u << e);
    double sign = bits / (1u << f) / (1u << e) ? -1.0 : 1.0;

    if (type == E4M3 && exponent == 15 && fraction == 7)
        return NAN;
    if (type != E4M3 && exponent == (1u << e) - 1)
        return fraction ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - f);
    return sign * ldexp(fraction + (double)(1u << f), (int)exponent - bias - f);
}

static inline uint32_t model_bits(double value)
{
    float single = (float)value;
    uint32_t bits;

    memcpy(&bits, &single, sizeof bits);
    return isnan(value) ? 0x7fc00000 : bits;
}

static inline uint32_t read_value(unsigned type, const unsigned char *at)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < type_bytes[type]; i++)
        bits |= (uint32_t)at[i] << 8 * i;
    return bits;
}

static inline int32_t model_integer(unsigned type, uint32_t bits)
{
    return type == I8 ? (int8_t)bits : (int32_t)bits;
}

/* a is better than b */
static inline bool model_prefers(enum sparse_reduction reduction, double a, double b)
{
    if (a == b)
        return reduction == SPARSE_MAX ? signbit(b) && !signbit(a) : signbit(a) && !signbit(b);
    return reduction == SPARSE_MAX ? a > b : a < b;
}

/* Value `position` of `count` elements reduced; `at` is the first element. */
static inline uint32_t model_reduce(enum sparse_reduction reduction,
                                    const struct model_table *table, const unsigned char *at,
                                    uint32_t count, uint64_t position)
{
    uint64_t shape = (uint64_t)table->rows * table->cols;
    double result = 0;
    int64_t integer = 0;

    for (uint32_t e = 0; e < count; e++) {
        uint32_t bits =
            read_value(table->type, at + (e * shape + position) * type_bytes[table->type]);
        if (table->type >= I8) {
            int32_t next = model_integer(table->type, bits);
            if (reduction == SPARSE_SUM || reduction == SPARSE_MEAN)
                integer = (int32_t)(uint32_t)(integer + next);
            else if (e == 0 || (reduction == SPARSE_MAX ? next > integer : next < integer))
                integer = next;
            continue;
        }
        double next = model_float(table->type, bits);
        if (reduction == SPARSE_SUM || reduction == SPARSE_MEAN)
            result = (float)(result + next);
        else if (e == 0 || isnan(next) ||
                 (!isnan(result) && model_prefers(reduction, next, result)))
            result = next;
    }
    if (table->type >= I8)
        return (uint32_t)(reduction == SPARSE_MEAN && count ? integer / (int64_t)count : integer);
    if (reduction == SPARSE_MEAN && count)
        result = result / (double)(float)count;
    return model_bits(result);
}

/* ---- the model: network ---- */

static inline uint64_t model_leg(const struct model *model, unsigned to, unsigned size)
{
    unsigned direct = to, round = size - to;

    return model->topology == 1 && round < direct ? round : direct;
}

/* Unit (r, c), from 0. */
static inline uint64_t model_d(const struct model *model, unsigned r, unsigned c)
{
    return model_leg(model, r, model->m) + model_leg(model, c, model->n);
}

static inline bool model_serves(const struct model *model, unsigned r, unsigned c, uint32_t table,
                                uint32_t element)
{
    return model->row_first[r] <= table && table < model->row_first[r + 1] &&
           model->table[table].col_first[c] <= element &&
           element < model->table[table].col_first[c + 1];
}

struct model_packet {
    uint64_t elements, values, plain, nonzero;
};

static inline uint64_t model_packet_bytes(const struct model_packet *packet)
{
    uint64_t zipped = (packet->values + 7) / 8 + packet->nonzero;

    return zipped < packet->plain ? zipped : packet->plain;
}

static inline void model_pack(struct model_packet *packet, uint32_t bits, unsigned bytes)
{
    packet->values++;
    packet->plain += bytes;
    packet->nonzero += bits ? bytes : 0;
}

static inline unsigned char *element_at(struct fixture *fixture, uint32_t table, uint64_t element)
{
    const struct model_table *t = &fixture->model.table[table];
    uint64_t bytes = (uint64_t)t->rows * t->cols * type_bytes[t->type];

    return world_map(fixture->world, t->base + element * bytes, bytes, false);
}

/* Computes the answer of unit (r, c) to one request, with the elements that are in memory now. */
static inline void model_answer(struct fixture *fixture, unsigned r, unsigned c,
                                enum sparse_reduction reduction,
                                const struct model_request *request, struct model_packet *packet)
{
    const struct model_table *table = &fixture->model.table[request->table];
    uint64_t shape = (uint64_t)table->rows * table->cols;
    uint32_t served = 0;

    for (uint32_t e = 0; e < request->count; e++)
        served += model_serves(&fixture->model, r, c, request->table, request->first + e);
    packet->elements += served;
    if (served == 0)
        return;
    if (reduction != SPARSE_NONE && served == request->count) {
        for (uint64_t i = 0; i < shape; i++)
            model_pack(packet,
                       model_reduce(reduction, table,
                                    element_at(fixture, request->table, request->first), served, i),
                       4);
        return;
    }
    for (uint32_t e = request->first; e < request->first + request->count; e++)
        for (uint64_t i = 0; model_serves(&fixture->model, r, c, request->table, e) && i < shape;
             i++)
            model_pack(packet,
                       read_value(table->type, element_at(fixture, request->table, e) +
                                                   i * type_bytes[table->type]),
                       type_bytes[table->type]);
}

/* Does the way of unit (r, c) to the first one lead through (row, column)? */
static inline bool model_passes(const struct model *model, unsigned r, unsigned c, unsigned row,
                                unsigned column)
{
    while (r != row || c != column) {
        if (r == 0 && c == 0)
            return false;
        unsigned *at = c > 0 ? &c : &r, size = c > 0 ? model->n : model->m;
        bool direct = model_leg(model, *at, size) == *at;
        *at = direct ? *at - 1 : (*at + 1) % size;
    }
    return true;
}

static inline uint64_t model_fragment_cycles(const struct model_packet *packet)
{
    return 1 + (model_packet_bytes(packet) + 63) / 64;
}

/* Returns when the unit is ready for a gather with fragments. */
static inline uint64_t model_ready(const struct model *model,
                                   struct model_packet own[MODEL_UNITS][MODEL_UNITS],
                                   struct model_packet fragment[MODEL_UNITS][MODEL_UNITS],
                                   unsigned row, unsigned column)
{
    uint64_t d = model_d(model, row, column), ready = 0;

    if (own[row][column].elements > 0)
        ready = d + (own[row][column].elements + model->k - 1) / model->k;
    for (unsigned r = 0; r < model->m; r++)
        for (unsigned c = 0; c < model->n; c++)
            if (model_d(model, r, c) == d + 1 && model_passes(model, r, c, row, column) &&
                fragment[r][c].values > 0) {
                uint64_t arrival = model_ready(model, own, fragment, r, c) +
                                   model_fragment_cycles(&fragment[r][c]);
                ready = arrival > ready ? arrival : ready;
            }
    return ready;
}

/* Returns when an update with fragments has the unit's acknowledgment. */
static inline uint64_t model_acknowledged(const struct model *model, const struct model_packet *own,
                                          struct model_packet fragment[MODEL_UNITS][MODEL_UNITS],
                                          unsigned row, unsigned column)
{
    uint64_t time = model_d(model, row, column) + (own->elements + model->k - 1) / model->k;

    for (unsigned r = 0; r < model->m; r++)
        for (unsigned c = 0; c < model->n; c++)
            if ((r > 0 || c > 0) && model_passes(model, row, column, r, c))
                time += model_fragment_cycles(&fragment[r][c]);
    return time;
}

/* Adds one gather, or the update that has just been done, to the counters. */
static inline void model_count_way(struct fixture *fixture, enum sparse_reduction reduction,
                                   bool away)
{
    struct model *model = &fixture->model;
    struct model_packet own[MODEL_UNITS][MODEL_UNITS] = {0},
                        fragment[MODEL_UNITS][MODEL_UNITS] = {0};
    uint64_t longest = 0;

    model->shops += model->m * model->n - 1;
    for (unsigned r = 0; r < model->m; r++) {
        for (unsigned c = 0; c < model->n; c++) {
            struct model_packet *packet = &own[r][c];
            for (unsigned i = 0; i < fixture->requests; i++)
                model_answer(fixture, r, c, reduction, &fixture->request[i], packet);
            for (unsigned row = 0; row < model->m; row++)
                for (unsigned column = 0; column < model->n; column++)
                    if (model_passes(model, r, c, row, column)) {
                        fragment[row][column].values += packet->values;
                        fragment[row][column].plain += packet->plain;
                        fragment[row][column].nonzero += packet->nonzero;
                    }
        }
    }
    for (unsigned r = 0; r < model->m; r++) {
        for (unsigned c = 0; c < model->n; c++) {
            const struct model_packet *packet = model->way ? &fragment[r][c] : &own[r][c];
            uint64_t d = model_d(model, r, c), bytes = model_packet_bytes(packet), cycles;
            uint64_t links = model->way ? d > 0 : d;
            if (packet->values == 0)
                continue;
            model->shops += links;
            model->sbytes += links * packet->plain;
            model->szbytes += links * bytes;
            if (!model->way)
                cycles =
                    2 * d + (packet->elements + model->k - 1) / model->k + d * ((bytes + 63) / 64);
            else if (!away)
                cycles = d ? 0 : model_ready(model, own, fragment, 0, 0);
            else
                cycles =
                    own[r][c].elements ? model_acknowledged(model, &own[r][c], fragment, r, c) : 0;
            longest = cycles > longest ? cycles : longest;
        }
    }
    model->scycles += longest;
}

static inline void model_count(struct fixture *fixture, enum sparse_reduction reduction)
{
    model_count_way(fixture, reduction, false);
}

static inline void check_counters(const struct fixture *fixture)
{
    assert_int_equal(fixture->unit.hops, fixture->model.shops);
    assert_int_equal(fixture->unit.cycles, fixture->model.scycles);
    assert_int_equal(fixture->unit.bytes, fixture->model.sbytes);
    assert_int_equal(fixture->unit.compressed_bytes, fixture->model.szbytes);
}

/* Computes the dense vector. Returns its number of values; *value_bytes is the size of one. */
static inline uint64_t model_gather(struct fixture *fixture, enum sparse_reduction reduction,
                                    struct bytes *dense, unsigned *value_bytes)
{
    uint64_t values = 0;

    dense->length = 0;
    *value_bytes = 1;
    for (unsigned q = 0; q < fixture->requests; q++) {
        const struct model_request *request = &fixture->request[q];
        const struct model_table *table = &fixture->model.table[request->table];
        uint64_t shape = table->elements ? (uint64_t)table->rows * table->cols : 0;
        const unsigned char *at =
            request->count ? element_at(fixture, request->table, request->first) : NULL;
        uint64_t here = reduction == SPARSE_NONE ? request->count * shape : shape;
        *value_bytes = reduction == SPARSE_NONE ? type_bytes[table->type] : 4;
        for (uint64_t i = 0; i < here; i++)
            put(dense,
                reduction == SPARSE_NONE ? read_value(table->type, at + i * *value_bytes)
                                         : model_reduce(reduction, table, at, request->count, i),
                *value_bytes);
        values += here;
    }
    return values;
}

/* ---- random partitions ---- */

/* Draws a partition: first[0] = 0, first[parts] = total, ascending in between. */
static inline void random_partition(struct fixture *fixture, uint32_t *first, unsigned parts,
                                    uint32_t total)
{
    first[0] = 0;
    first[parts] = total;
    for (unsigned i = 1; i < parts; i++)
        first[i] = first[i - 1] + (uint32_t)below(fixture, total - first[i - 1] + 1);
}

/* Tables of one type, some of them not in use, one after the other with gaps. */
static inline void random_model(struct fixture *fixture, unsigned type)
{
    struct model *model = &fixture->model;
    uint64_t next = below(fixture, 3) ? TABLES : SPM;

    *model = (struct model){
        .topology = (unsigned)below(fixture, 2),
        .way = (unsigned)below(fixture, 2),
    };
    model->m = 1 + (unsigned)below(fixture, 6);
    model->n = 1 + (unsigned)below(fixture, 6);
    model->k = 1 + (unsigned)below(fixture, 5);
    model->tables = 1 + (uint32_t)below(fixture, MODEL_TABLES);
    random_partition(fixture, model->row_first, model->m, model->tables);
    for (unsigned t = 0; t < model->tables; t++) {
        struct model_table *table = &model->table[t];
        *table = (struct model_table){.rows = 1 + (uint32_t)below(fixture, 4),
                                      .cols = 1 + (uint32_t)below(fixture, 4),
                                      .type = type,
                                      .elements = (uint32_t)below(fixture, 13)};
        random_partition(fixture, table->col_first, model->n, table->elements);
        table->base = next;
        next += (uint64_t)table->rows * table->cols * table->elements * type_bytes[type];
        next += 4 * below(fixture, 3);
        next = (next + 3) / 4 * 4;
        if (table->elements == 0)
            table->base = world_random(fixture->world);
    }
}

/* Sets about half of the values in the tables to zero. */
static inline void thin_out(struct fixture *fixture)
{
    for (unsigned t = 0; t < fixture->model.tables; t++) {
        const struct model_table *table = &fixture->model.table[t];
        uint64_t values = (uint64_t)table->rows * table->cols * table->elements;
        for (uint64_t i = 0; i < values; i++)
            if (below(fixture, 2))
                memset(element_at(fixture, t, 0) + i * type_bytes[table->type], 0,
                       type_bytes[table->type]);
    }
}

static inline void random_requests(struct fixture *fixture)
{
    fixture->requests = 1 + (unsigned)below(fixture, MODEL_REQUESTS);
    for (unsigned i = 0; i < fixture->requests; i++) {
        struct model_request *request = &fixture->request[i];
        request->table = (uint32_t)below(fixture, fixture->model.tables);
        uint32_t elements = fixture->model.table[request->table].elements;
        request->first = (uint32_t)below(fixture, elements + 1);
        request->count = (uint32_t)below(fixture, elements - request->first + 1);
        request->reserved = 0;
    }
}

#endif

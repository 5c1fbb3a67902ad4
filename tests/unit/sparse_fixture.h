/*
 * A world with a sparse-to-dense unit, descriptors for it, and random networks, tables and
 * requests.
 */
#ifndef TESTS_UNIT_SPARSE_FIXTURE_H
#define TESTS_UNIT_SPARSE_FIXTURE_H

#include "tensor_world.h"

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
enum sparse_reduction {
    SPARSE_NONE = ISA_VALUE_REDUCTION_NONE,
    SPARSE_SUM = ISA_VALUE_REDUCTION_SUM,
    SPARSE_MAX = ISA_VALUE_REDUCTION_MAX,
    SPARSE_MIN = ISA_VALUE_REDUCTION_MIN,
    SPARSE_MEAN = ISA_VALUE_REDUCTION_MEAN,
};

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
    sparse_init(&fixture->unit,
                &(struct sparse_settings){config.sparse_rows, config.sparse_columns,
                                          config.sparse_tables, config.sparse_seed},
                &fixture->world->arena);
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

static inline bool gather_at(struct fixture *fixture, enum sparse_reduction reduction, uint64_t dst,
                             uint64_t requests, uint64_t count, uint64_t *values)
{
    static __typeof__(sparse_gather) *const functions[] = {
        [SPARSE_NONE] = sparse_gather,      [SPARSE_SUM] = sparse_gather_sum,
        [SPARSE_MAX] = sparse_gather_max,   [SPARSE_MIN] = sparse_gather_min,
        [SPARSE_MEAN] = sparse_gather_mean,
    };

    return functions[reduction](&fixture->unit, &fixture->world->port, dst, requests, count, values,
                                &fixture->world->fault);
}

static inline void write_requests(struct fixture *fixture, uint64_t address)
{
    for (unsigned i = 0; i < fixture->requests; i++)
        memcpy(world_map(fixture->world, address + 16 * i, 16, true), &fixture->request[i], 16);
}

/* ---- the network ---- */

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

static inline unsigned char *element_at(struct fixture *fixture, uint32_t table, uint64_t element)
{
    const struct model_table *t = &fixture->model.table[table];
    uint64_t bytes = (uint64_t)t->rows * t->cols * type_bytes[t->type];

    return world_map(fixture->world, t->base + element * bytes, bytes, false);
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

/* Executes an instruction with the fixture's requests, which are at REQUESTS. */
static inline bool gather(struct fixture *fixture, enum sparse_reduction reduction, uint64_t dst,
                          uint64_t *values)
{
    struct world *world = fixture->world;

    world_remember(world);
    *values = 0x5555;
    return gather_at(fixture, reduction, dst, REQUESTS, fixture->requests, values);
}

static inline bool update(struct fixture *fixture, uint64_t src)
{
    struct world *world = fixture->world;

    world_remember(world);
    return sparse_update(&fixture->unit, &world->port, src, REQUESTS, fixture->requests,
                         &world->fault);
}

/* Three tables, two of which have one type, and two requests. */
static inline struct fixture *small_fixture(uint64_t seed)
{
    struct fixture *fixture = fixture_new(seed);

    fixture->model = (struct model){
        .m = 2,
        .n = 2,
        .k = 2,
        .tables = 3,
        .row_first = {0, 2, 3},
        .table = {{TABLES, 2, 2, F32, 5, {0, 2, 5}},
                  {TABLES + 0x100, 1, 1, I8, 7, {0, 0, 7}},
                  {TABLES_END - 8, 1, 1, F32, 2, {0, 1, 2}}},
    };
    assert_true(configure(fixture));
    fixture->requests = 2;
    fixture->request[0] = (struct model_request){0, 0, 5, 0};
    fixture->request[1] = (struct model_request){2, 1, 1, 0};
    write_requests(fixture, REQUESTS);
    return fixture;
}

#endif

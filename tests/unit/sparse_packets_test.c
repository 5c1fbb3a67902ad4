/*
 * The packets of the sparse-to-dense unit: their form, and that the values in them are what
 * arrives.
 */
#include "sparse_fixture.h"

#include "emu/units/sparse_parts.h"

/* Changes one bit of the packet of one unit. */
struct damage {
    uint32_t unit;
    uint64_t bit;   /* in the packet */
    uint64_t bytes; /* of that packet; 0 if there was none */
};

static void harm(void *disturber, uint32_t unit, unsigned char *packet, uint64_t bytes)
{
    struct damage *damage = disturber;

    if (unit != damage->unit)
        return;
    damage->bytes = bytes;
    damage->bit %= 8 * bytes;
    packet[damage->bit / 8] ^= (unsigned char)(1 << damage->bit % 8);
}

/* One table of 40 bytes for each of the rows, all of it in unit (r, 2). Half of the values are 0 if
 * `sparse`. */
static struct fixture *harmed_fixture(struct damage *damage, unsigned way, bool sparse)
{
    struct fixture *fixture = fixture_new(18);

    fixture->model = (struct model){
        .way = way,
        .m = 3,
        .n = 2,
        .k = 2,
        .tables = 3,
        .row_first = {0, 1, 2, 3},
        .table = {{TABLES, 1, 8, I8, 5, {0, 0, 5}},
                  {TABLES + 40, 1, 8, I8, 5, {0, 0, 5}},
                  {TABLES + 80, 1, 8, I8, 5, {0, 0, 5}}},
    };
    for (unsigned i = 0; i < 120; i++)
        element_at(fixture, 0, 0)[i] = sparse && i % 2 == 0 ? 0 : (unsigned char)(i + 1);
    assert_true(configure(fixture));
    fixture->requests = 3;
    for (unsigned i = 0; i < 3; i++)
        fixture->request[i] = (struct model_request){i, 0, 5, 0};
    write_requests(fixture, REQUESTS);
    fixture->unit.disturb = harm;
    fixture->unit.disturber = damage;
    return fixture;
}

/* Returns whether bytes [40·table, 40·table + 40) differ. */
static bool table_differs(const unsigned char *a, const unsigned char *b, unsigned table)
{
    return memcmp(a + (size_t)40 * table, b + (size_t)40 * table, 40) != 0;
}

/* Keeps the packets in the order in which they are sent. */
struct journal {
    unsigned char bytes[64];
    size_t length;
};

static void keep(void *disturber, uint32_t unit, unsigned char *packet, uint64_t bytes)
{
    struct journal *journal = disturber;

    journal->bytes[journal->length++] = (unsigned char)unit;
    memcpy(journal->bytes + journal->length, packet, bytes);
    journal->length += bytes;
}

/* A row of three units; the second and the third serve an element each. */
static struct fixture *row_of_three(struct journal *journal, unsigned way)
{
    struct fixture *fixture = fixture_new(21);

    fixture->model = (struct model){
        .way = way,
        .m = 1,
        .n = 3,
        .k = 1,
        .tables = 1,
        .row_first = {0, 1},
        .table = {{TABLES, 1, 4, I8, 2, {0, 0, 1, 2}}},
    };
    memcpy(element_at(fixture, 0, 0), (unsigned char[]){0, 0, 0, 1, 0, 2, 0, 0}, 8);
    assert_true(configure(fixture));
    fixture->requests = 1;
    fixture->request[0] = (struct model_request){0, 0, 2, 0};
    write_requests(fixture, REQUESTS);
    fixture->unit.disturb = keep;
    fixture->unit.disturber = journal;
    return fixture;
}

static void check_journal(struct fixture *fixture, struct journal *journal, bool away,
                          const unsigned char *expected, size_t length)
{
    uint64_t values;

    journal->length = 0;
    assert_true(away ? update(fixture, DENSE) : gather(fixture, SPARSE_NONE, DENSE, &values));
    assert_int_equal(journal->length, length);
    assert_memory_equal(journal->bytes, expected, length);
    assert_memory_equal(world_map(fixture->world, DENSE, 8, false), element_at(fixture, 0, 0), 8);
}

/* JP7187635B2, claim 7: each element access unit has a unit that compresses its elements, and the
 * output is based on that. Here are the packets, after the numbers of their units. */
static void test_claim_7(void **state)
{
    struct journal journal = {.length = 0};
    struct fixture *fixture = row_of_three(&journal, SPARSE_PACKETS);
    const unsigned char packets[] = {1, 0x08, 1, 2, 0x02, 2};

    (void)state;
    check_journal(fixture, &journal, false, packets, sizeof packets);
    check_journal(fixture, &journal, true, packets, sizeof packets);
    fixture_free(fixture);
}

/* Claim 14, the method, with the text on unit 310: a unit also decompresses what it has received,
 * concatenates it with its own elements, and compresses the whole. */
static void test_claim_14(void **state)
{
    struct journal journal = {.length = 0};
    struct fixture *fixture = row_of_three(&journal, SPARSE_MERGE);
    const unsigned char fragments[] = {2, 0x02, 2, 1, 0x28, 1, 2},
                        parts[] = {1, 0x28, 1, 2, 2, 0x02, 2};

    (void)state;
    check_journal(fixture, &journal, false, fragments, sizeof fragments);
    check_journal(fixture, &journal, true, parts, sizeof parts);
    fixture_free(fixture);
}

/* JP7187635B2, claims 7 and 14: the output is generated from what the compression unit of an
 * element access unit has compressed. So each bit of a packet decides about the result, and only
 * about the values in it: with packets those of its own unit, with fragments those of all units
 * that sent theirs through it. */
static void test_damaged_packets(void **state)
{
    (void)state;
    for (unsigned choice = 0; choice < 8; choice++) {
        unsigned way = choice & 1;
        bool away = choice & 2;
        struct damage damage = {0};
        struct fixture *fixture = harmed_fixture(&damage, way, choice & 4);
        struct world *world = fixture->world;
        unsigned char good[120];
        memcpy(good, element_at(fixture, 0, 0), sizeof good);
        for (uint32_t unit = 0; unit < 6; unit++) {
            uint64_t bits = 1;
            for (uint64_t bit = 0; bit < bits; bit++) {
                uint64_t values;
                damage = (struct damage){unit, bit, 0};
                memcpy(world_map(world, DENSE, 120, true), good, 120);
                const unsigned char *result = element_at(fixture, 0, 0);
                if (away) {
                    memset(element_at(fixture, 0, 0), 0x55, 120);
                    assert_true(update(fixture, DENSE));
                } else {
                    memcpy(element_at(fixture, 0, 0), good, 120);
                    assert_true(gather(fixture, SPARSE_NONE, DENSE, &values));
                    result = world_map(world, DENSE, 120, false);
                }
                bits = 8 * damage.bytes;
                /* units 1, 3 and 5 serve the tables; units 2 and 4 forward those below */
                bool sends = unit % 2 == 1 || (way == 1 && unit > 0);
                assert_true((bits > 0) == sends);
                bool any = false;
                for (unsigned table = 0; table < 3; table++) {
                    bool differs = table_differs(good, result, table);
                    bool travels = unit % 2 == 1 ? unit == 2 * table + 1 : unit <= 2 * table;
                    assert_true(!differs || (sends && travels));
                    any |= differs;
                }
                assert_true(any == sends);
            }
        }
        fixture_free(fixture);
    }
}

/* Any bytes of a packet are unpacked within its values. */
static void wreck(void *disturber, uint32_t unit, unsigned char *packet, uint64_t bytes)
{
    struct fixture *fixture = disturber;

    (void)unit;
    for (uint64_t i = 0; i < bytes; i++)
        packet[i] = (unsigned char)(below(fixture, 2) ? 0xff : world_random(fixture->world));
}

static void test_wrecked_packets(void **state)
{
    struct fixture *fixture = fixture_new(19);

    (void)state;
    fixture->unit.disturb = wreck;
    fixture->unit.disturber = fixture;
    for (int round = 0; round < 300; round++) {
        uint64_t values;
        unsigned size = type_bytes[round % TYPES];
        random_model(fixture, round % TYPES);
        thin_out(fixture);
        assert_true(configure(fixture));
        random_requests(fixture);
        write_requests(fixture, REQUESTS);
        assert_true(gather(fixture, (enum sparse_reduction)(round % 5), DENSE, &values));
        world_unchanged_but(fixture->world, DENSE, values * (round % 5 == SPARSE_NONE ? size : 4));
        assert_true(update(fixture, DENSE));
    }
    fixture_free(fixture);
}

/* Packs runs of two sizes at every position in a byte, and finds the values again. */
static void test_packets(void **state)
{
    struct fixture *fixture = fixture_new(20);

    (void)state;
    for (int round = 0; round < 4000; round++) {
        const unsigned sizes[] = {1, 2, 4, 8};
        unsigned char values[2][512], packet[2048];
        struct sparse_run runs[2];
        uint64_t bytes = 0, nonzero = 0, count = 0;
        for (unsigned i = 0; i < 2; i++) {
            unsigned size = sizes[below(fixture, 4)];
            uint64_t density = below(fixture, 5);
            runs[i] = (struct sparse_run){values[i], below(fixture, 50), size};
            for (uint64_t v = 0; v < runs[i].count; v++) {
                uint64_t value = below(fixture, 4) < density ? 1 + below(fixture, 255) : 0;
                value <<= 8 * below(fixture, size);
                memcpy(values[i] + v * size, &value, size);
                nonzero += value ? size : 0;
            }
            bytes += runs[i].count * size;
            count += runs[i].count;
        }
        uint64_t packed = (count + 7) / 8 + nonzero;
        assert_true(sparse_packet_limit(count, bytes) <= sizeof packet);
        uint64_t found = sparse_pack(packet, runs, 2, bytes);
        assert_int_equal(found, packed < bytes ? packed : bytes);
        unsigned char again[2][512];
        memset(again, 0xee, sizeof again);
        struct sparse_run to[] = {{again[0], runs[0].count, runs[0].size},
                                  {again[1], runs[1].count, runs[1].size}};
        sparse_unpack(packet, found, to, 2, bytes);
        for (unsigned i = 0; i < 2; i++) {
            size_t length = runs[i].count * runs[i].size;
            assert_memory_equal(again[i], values[i], length);
            assert_int_equal(again[i][length], 0xee);
        }
    }
    fixture_free(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damaged_packets), cmocka_unit_test(test_claim_7),
        cmocka_unit_test(test_claim_14),        cmocka_unit_test(test_wrecked_packets),
        cmocka_unit_test(test_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

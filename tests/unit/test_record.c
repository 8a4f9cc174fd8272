/* Records as kernel/events/core.c writes them, whole and cut. */
#include "ring_fixture.h"

#include "pmu/sampling/record.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MISC_BUILD_ID = 1 << 14 };

static const struct record_format all = {
    PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |
        PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |
        PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC,
    PERF_SAMPLE_BRANCH_HW_INDEX, true};
static const struct record_format few = {PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, 0,
                                         true};

static void put_id(struct draft *d) {
    draft_u32(d, 42);
    draft_u32(d, 43);
    draft_u64(d, 1000);
    draft_u32(d, 3);
    draft_u32(d, 0);
}

static void put_sample(struct draft *d) {
    draft_begin(d, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP);
    draft_u64(d, 0x401000); /* ip */
    draft_u32(d, 42);
    draft_u32(d, 43);
    draft_u64(d, 1000);
    draft_u64(d, 0x7f00); /* addr */
    draft_u32(d, 3);      /* cpu */
    draft_u32(d, 0);
    draft_u64(d, 2000); /* period */
    draft_u64(d, 3);    /* chain */
    draft_u64(d, (uint64_t)PERF_CONTEXT_USER);
    draft_u64(d, 0x401000);
    draft_u64(d, 0x402000);
    draft_u32(d, 12); /* raw, with its own size up to 8 bytes */
    draft_bytes(d, "0123456789ab", 12);
    draft_u64(d, 1);  /* branches */
    draft_u64(d, 77); /* hw_idx */
    const struct perf_branch_entry branch = {.from = 5, .to = 6, .mispred = 1};
    draft_bytes(d, &branch, sizeof(branch));
    draft_u64(d, 30); /* weight */
    draft_u64(d, 0x55);
}

static void a_sample_has_all_its_fields(void **state) {
    (void)state;
    struct draft d;
    struct record r;
    put_sample(&d);
    assert_int_equal(record_read(draft_end(&d), &all, &r), 0);
    assert_int_equal(r.kind, RECORD_SAMPLE);
    assert_int_equal(r.pid, 42);
    assert_int_equal(r.tid, 43);
    assert_int_equal(r.time, 1000);
    assert_int_equal(r.cpu, 3);
    assert_int_equal(r.sample.ip, 0x401000);
    assert_int_equal(r.sample.mode, MODE_USER);
    assert_true(r.sample.exact);
    assert_int_equal(r.sample.addr, 0x7f00);
    assert_int_equal(r.sample.period, 2000);
    assert_int_equal(r.sample.n_chain, 3);
    assert_int_equal(r.sample.chain[2], 0x402000);
    assert_int_equal(r.sample.n_branch, 1);
    assert_int_equal(r.sample.branch[0].to, 6);
    assert_int_equal(r.sample.weight, 30);
    assert_int_equal(r.sample.data_src, 0x55);
}

/* No byte behind the record is read: it is malloc'ed to its size, for sanitizers. */
static int read_cut(const struct draft *d, size_t size, const struct record_format *f,
                    struct record *r) {
    struct perf_event_header *own = malloc(size);
    assert_non_null(own);
    memcpy(own, d->byte, size);
    own->size = (uint16_t)size;
    const int rc = record_read(own, f, r);
    free(own);
    return rc;
}

static void what_is_cut_is_refused(void **state) {
    (void)state;
    struct draft d;
    struct record r;
    put_sample(&d);
    for (size_t size = sizeof(struct perf_event_header); size < d.n; size += 8) {
        assert_int_equal(read_cut(&d, size, &all, &r), -EBADMSG);
        assert_int_equal(r.kind, RECORD_OTHER);
        assert_null(r.sample.chain);
    }
}

static void lists_that_are_longer_than_the_record_are_refused(void **state) {
    (void)state;
    static const uint64_t lengths[] = {2, 1ull << 32, 1ull << 61, (1ull << 61) + 1, UINT64_MAX};
    const struct record_format f = {PERF_SAMPLE_CALLCHAIN, 0, true};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        struct draft d;
        struct record r;
        draft_begin(&d, PERF_RECORD_SAMPLE, 0);
        draft_u64(&d, lengths[i]);
        draft_u64(&d, 1);
        assert_int_equal(record_read(draft_end(&d), &f, &r), -EBADMSG);
    }
}

/* The kernel pads raw data up to 8 bytes with its size (perf_prepare_sample). */
static void lists_that_are_not_aligned_are_refused(void **state) {
    (void)state;
    const struct record_format f = {PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK, 0, true};
    const struct perf_branch_entry branch = {.from = 5};
    for (uint32_t n = 0; n < 16; n++) {
        struct draft d;
        struct record r;
        draft_begin(&d, PERF_RECORD_SAMPLE, 0);
        draft_u32(&d, n);
        draft_bytes(&d, "0123456789abcdef", n);
        draft_u64(&d, 1);
        draft_bytes(&d, &branch, sizeof(branch));
        draft_u64(&d, 0);
        assert_int_equal(record_read(draft_end(&d), &f, &r), n % 8 == 4 ? 0 : -EBADMSG);
    }
}

static void fields_that_are_not_known_are_refused(void **state) {
    (void)state;
    const struct record_format f = {PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER, 0, true};
    struct draft d;
    struct record r;
    draft_begin(&d, PERF_RECORD_SAMPLE, 0);
    for (int i = 0; i < 10; i++)
        draft_u64(&d, 1);
    assert_int_equal(record_read(draft_end(&d), &f, &r), -EBADMSG);
}

static void put_mmap2(struct draft *d, uint16_t misc, const char *path) {
    draft_begin(d, PERF_RECORD_MMAP2, misc);
    draft_u32(d, 42);
    draft_u32(d, 43);
    draft_u64(d, 0x10000);
    draft_u64(d, 0x2000);
    draft_u64(d, 0x3000);
    if (misc & MISC_BUILD_ID) {
        draft_bytes(d, (const uint8_t[4]){20}, 4);
        for (uint8_t i = 0; i < 20; i++)
            draft_bytes(d, &i, 1);
    } else {
        draft_u32(d, 8);
        draft_u32(d, 1);
        draft_u64(d, 1234);
        draft_u64(d, 5);
    }
    draft_u32(d, PROT_READ | PROT_EXEC);
    draft_u32(d, MAP_PRIVATE);
    draft_text(d, path);
    put_id(d);
}

static void mappings_have_a_file_or_a_build_id(void **state) {
    (void)state;
    struct draft d;
    struct record r;
    put_mmap2(&d, PERF_RECORD_MISC_USER, "/lib/x.so");
    assert_int_equal(record_read(draft_end(&d), &few, &r), 0);
    assert_int_equal(r.kind, RECORD_MMAP);
    assert_int_equal(r.time, 1000);
    assert_int_equal(r.mmap.start, 0x10000);
    assert_int_equal(r.mmap.len, 0x2000);
    assert_int_equal(r.mmap.pgoff, 0x3000);
    assert_int_equal(r.mmap.dev_major, 8);
    assert_int_equal(r.mmap.ino, 1234);
    assert_int_equal(r.mmap.ino_generation, 5);
    assert_true(r.mmap.executable);
    assert_string_equal(r.mmap.path, "/lib/x.so");
    put_mmap2(&d, MISC_BUILD_ID, "/lib/x.so");
    assert_int_equal(record_read(draft_end(&d), &few, &r), 0);
    assert_int_equal(r.mmap.n_build_id, 20);
    assert_int_equal(r.mmap.build_id[19], 19);
    assert_int_equal(r.mmap.ino, 0);
}

static void text_without_an_end_is_refused(void **state) {
    (void)state;
    struct draft d;
    struct record r;
    draft_begin(&d, PERF_RECORD_COMM, 0);
    draft_u32(&d, 42);
    draft_u32(&d, 43);
    draft_bytes(&d, "sixteen letters!", 16);
    put_id(&d);
    assert_int_equal(record_read(draft_end(&d), &few, &r), -EBADMSG);
}

static void other_records(void **state) {
    (void)state;
    struct draft d;
    struct record r;
    draft_begin(&d, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
    draft_u32(&d, 42);
    draft_u32(&d, 43);
    draft_text(&d, "redis");
    put_id(&d);
    assert_int_equal(record_read(draft_end(&d), &few, &r), 0);
    assert_true(r.kind == RECORD_COMM && r.comm.exec && strcmp(r.comm.name, "redis") == 0);

    draft_begin(&d, PERF_RECORD_FORK, 0);
    for (uint32_t i = 1; i <= 4; i++) /* pid, ppid, tid, ptid */
        draft_u32(&d, i);
    draft_u64(&d, 999);
    put_id(&d); /* of who forks: not what is asked for */
    assert_int_equal(record_read(draft_end(&d), &few, &r), 0);
    assert_int_equal(r.kind, RECORD_FORK);
    assert_int_equal(r.pid, 1);
    assert_int_equal(r.fork.ppid, 2);
    assert_int_equal(r.tid, 3);
    assert_int_equal(r.fork.ptid, 4);
    assert_int_equal(r.time, 999);

    draft_begin(&d, PERF_RECORD_LOST, 0);
    draft_u64(&d, 7);
    draft_u64(&d, 12);
    put_id(&d);
    assert_int_equal(record_read(draft_end(&d), &few, &r), 0);
    assert_true(r.kind == RECORD_LOST && r.n_lost == 12);

    draft_begin(&d, PERF_RECORD_LOST_SAMPLES, 0);
    draft_u64(&d, 3);
    put_id(&d);
    assert_int_equal(record_read(draft_end(&d), &few, &r), 0);
    assert_true(r.kind == RECORD_LOST && r.n_lost == 3);

    draft_begin(&d, PERF_RECORD_KSYMBOL, 0);
    draft_u64(&d, 0xffffffffc0000000);
    draft_u32(&d, 64);
    draft_bytes(&d, (const uint16_t[]){PERF_RECORD_KSYMBOL_TYPE_BPF, 1}, 4);
    draft_text(&d, "bpf_prog_1");
    put_id(&d);
    assert_int_equal(record_read(draft_end(&d), &few, &r), 0);
    assert_true(r.kind == RECORD_KSYMBOL && r.ksymbol.bpf && r.ksymbol.gone);
    assert_int_equal(r.ksymbol.len, 64);
    assert_string_equal(r.ksymbol.name, "bpf_prog_1");

    draft_begin(&d, 9999, 0);
    put_id(&d);
    assert_int_equal(record_read(draft_end(&d), &few, &r), 0);
    assert_int_equal(r.kind, RECORD_OTHER);
}

/* perf_event_switch(): of the thread itself, also where others' are told (CPU_WIDE). */
static void switches_are_of_their_thread(void **state) {
    (void)state;
    static const struct {
        uint16_t misc;
        bool out, runnable;
    } is[] = {{0, false, false},
              {PERF_RECORD_MISC_SWITCH_OUT, true, false},
              {PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, true, true}};
    for (size_t i = 0; i < COUNT_OF(is); i++)
        for (int wide = 0; wide < 2; wide++) {
            struct draft d;
            struct record r;
            draft_begin(&d, wide ? PERF_RECORD_SWITCH_CPU_WIDE : PERF_RECORD_SWITCH, is[i].misc);
            for (int k = 0; k < 2 * wide; k++)
                draft_u32(&d, 99); /* the other thread */
            put_id(&d);
            assert_int_equal(record_read(draft_end(&d), &few, &r), 0);
            assert_int_equal(r.kind, RECORD_SWITCH);
            assert_int_equal(r.tid, 43);
            assert_int_equal(r.time, 1000);
            assert_int_equal(r.change.out, is[i].out);
            assert_int_equal(r.change.runnable, is[i].runnable);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_has_all_its_fields),
        cmocka_unit_test(what_is_cut_is_refused),
        cmocka_unit_test(lists_that_are_longer_than_the_record_are_refused),
        cmocka_unit_test(lists_that_are_not_aligned_are_refused),
        cmocka_unit_test(fields_that_are_not_known_are_refused),
        cmocka_unit_test(mappings_have_a_file_or_a_build_id),
        cmocka_unit_test(text_without_an_end_is_refused),
        cmocka_unit_test(other_records),
        cmocka_unit_test(switches_are_of_their_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

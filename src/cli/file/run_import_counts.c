/* What was counted: events, the slots of the groups, and the intervals of docs/STORE.md, "Run as
 * JSON". */
#include "cli/file/run_read.h"
#include "db/store_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void read_events(struct reader *rd, const json_t *list, struct run *r) {
    const json_t *e;
    for (size_t i = 0; (e = run_read_item(rd, list, "events", i)); i++) {
        const int state = store_count_state_find(run_read_peek(rd, e, "state"));
        if (state < 0)
            run_read_wrong(rd, "state", "no state of a count has this name");
        r->event[i] = run_read_text(rd, e, "name");
        r->layout.missing[i] = (uint8_t)(state < 0 ? COUNT_ABSENT : state);
    }
}

static void read_slots(struct reader *rd, const json_t *list, struct layout *l) {
    const json_t *s;
    for (size_t i = 0; (s = run_read_item(rd, list, "slots", i)); i++) {
        const bool none = json_is_null(json_object_get(s, "event"));
        const int64_t e = none ? SLOT_NO_EVENT : run_read_int(rd, s, "event", 0, UINT16_MAX - 1);
        if (!none && e >= l->n_event)
            run_read_wrong(rd, "event", "there are fewer events");
        l->slot[i].event = (uint16_t)e;
        l->slot[i].group = (uint16_t)run_read_int(rd, s, "group", 0, UINT16_MAX);
        if (l->slot[i].group >= l->n_group)
            run_read_wrong(rd, "group", "there are fewer groups");
    }
}

static void read_layout(struct reader *rd, const json_t *o, struct run *r) {
    const json_t *event = run_read_list(rd, o, "events", UINT16_MAX - 1);
    const json_t *slot = run_read_list(rd, o, "slots", UINT16_MAX);
    const uint32_t n_event = (uint32_t)json_array_size(event);
    const uint32_t n_slot = (uint32_t)json_array_size(slot);
    const uint32_t n_group = (uint32_t)run_read_int(rd, o, "n_group", 0, UINT16_MAX);
    if (rd->rc < 0)
        return;
    r->event = calloc(n_event + 1u, sizeof(*r->event));
    if (!r->event || layout_init(&r->layout, n_event, COUNT_ABSENT, n_slot) < 0) {
        run_read_no_memory(rd);
        return;
    }
    r->layout.n_slot = n_slot;
    r->layout.n_group = n_group;
    if (json_object_get(o, "n_pinned")) /* the first exports did not say it */
        r->layout.n_pinned = (uint16_t)run_read_int(rd, o, "n_pinned", 0, n_group);
    r->layout.no_perf_metrics = run_read_bool(rd, o, "no_perf_metrics");
    read_events(rd, event, r);
    read_slots(rd, slot, &r->layout);
}

static uint64_t time_at(struct reader *rd, const json_t *list, size_t i, const char *key) {
    const json_t *v = json_array_get(list, i);
    const json_int_t ns = json_integer_value(v);
    if (!json_is_integer(v) || ns < 0 || ns > RUN_READ_NS_MAX)
        run_read_wrong(rd, key, "times of 0 or more are wanted, not too large");
    return (uint64_t)ns;
}

/* The part is left out where it is the whole. */
static uint8_t part_at(struct reader *rd, const json_t *list) {
    const json_t *v = json_array_get(list, 3);
    const json_int_t part = v ? json_integer_value(v) : 0;
    if ((v && !json_is_integer(v)) || part < 0 || part > 100)
        run_read_wrong(rd, "counts", "a part is 1 to 100 percent");
    return (uint8_t)part;
}

/* A number, the name of a state, or [either, enabled, running, part]. */
static void read_count(struct reader *rd, const json_t *v, const json_t *group, struct count *c) {
    const bool own = json_is_array(v);
    const json_t *what = own ? json_array_get(v, 0) : v;
    const json_t *times = own ? v : group;
    const char *name = json_string_value(what);
    const int state = name ? store_count_state_find(name) : COUNT_OK;
    if (state < 0 || (!name && !json_is_number(what)))
        run_read_wrong(rd, "counts", "numbers and states of counts are wanted");
    *c = (struct count){.value = name ? NAN : json_number_value(what),
                        .enabled_ns = time_at(rd, times, own ? 1 : 0, "counts"),
                        .running_ns = time_at(rd, times, own ? 2 : 1, "counts"),
                        .state = (uint8_t)state,
                        .part = own ? part_at(rd, v) : 0};
    if (c->running_ns > c->enabled_ns)
        run_read_wrong(rd, "counts", "a counter cannot have run for longer than it was enabled");
}

static void read_interval(struct reader *rd, const json_t *o, const struct layout *l,
                          struct sample *s) {
    const json_t *counts = run_read_list(rd, o, "counts", l->n_slot);
    const json_t *groups = run_read_list(rd, o, "groups", l->n_group);
    const uint64_t before = s->t1_ns;
    s->t0_ns = run_read_ns(rd, o, "t0_ns");
    s->t1_ns = run_read_ns(rd, o, "t1_ns");
    s->target_threads = (uint32_t)run_read_int(rd, o, "threads", 0, UINT32_MAX);
    s->busy_ns = json_object_get(o, "busy_ns") ? run_read_ns(rd, o, "busy_ns") : 0;
    s->resident_ns = json_object_get(o, "here_ns") ? run_read_ns(rd, o, "here_ns") : 0;
    if (s->t0_ns > s->t1_ns || s->t1_ns < before)
        run_read_wrong(rd, "t1_ns", "intervals in order of time are wanted");
    if (json_array_size(counts) != l->n_slot || json_array_size(groups) != l->n_group)
        run_read_wrong(rd, "counts", "a count of each slot and the times of each group are wanted");
    for (uint32_t i = 0; i < l->n_slot && rd->rc == 0; i++)
        read_count(rd, json_array_get(counts, i), json_array_get(groups, l->slot[i].group),
                   &s->at[i]);
}

static void read_intervals(struct reader *rd, const json_t *o, struct run *r) {
    const json_t *list = run_read_list(rd, o, "intervals", SIZE_MAX), *v;
    struct sample row = {0};
    if (rd->rc < 0)
        return;
    if (series_init(&r->series, &r->layout, 0) < 0 || sample_init(&row, r->layout.n_slot) < 0)
        run_read_no_memory(rd);
    for (size_t i = 0; (v = run_read_item(rd, list, "intervals", i)); i++) {
        read_interval(rd, v, &r->layout, &row);
        if (rd->rc == 0 && series_push(&r->series, &row) < 0)
            run_read_no_memory(rd);
    }
    sample_destroy(&row);
}

void run_read_counts(struct reader *rd, const json_t *o, struct run *r) {
    if (!json_object_get(o, "slots"))
        return; /* values without counts */
    read_layout(rd, o, r);
    if (rd->rc == 0)
        read_intervals(rd, o, r);
}

/*
 * profile.proto of github.com/google/pprof, by hand: a message is fields of (number << 3 | kind),
 * kind 0 a varint, kind 2 a length and so many bytes.
 */
#include "model/hot/hot_export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct message {
    ARRAY(uint8_t) bytes;
    bool lacks;
};

static void put_byte(struct message *m, uint8_t b) {
    m->lacks |= array_push(&m->bytes, b) < 0;
}

static void put_varint(struct message *m, uint64_t v) {
    for (; v >= 0x80; v >>= 7)
        put_byte(m, (uint8_t)(v | 0x80));
    put_byte(m, (uint8_t)v);
}

static void put_number(struct message *m, unsigned field, uint64_t v) {
    put_varint(m, field << 3);
    put_varint(m, v);
}

static void put_bytes(struct message *m, unsigned field, const void *at, size_t n) {
    put_varint(m, field << 3 | 2);
    put_varint(m, n);
    for (size_t i = 0; i < n; i++)
        put_byte(m, ((const uint8_t *)at)[i]);
}

/* Puts a message into another, and empties it. */
static void put_message(struct message *m, unsigned field, struct message *inner) {
    put_bytes(m, field, inner->bytes.at, inner->bytes.n);
    m->lacks |= inner->lacks;
    inner->bytes.n = 0;
}

struct profile {
    const struct hot *h;
    struct message all, one, two, text; /* text: the string table, whose number 0 is "" */
    uint64_t n_text;
};

static uint64_t text(struct profile *p, const char *t) {
    if (!t[0])
        return 0;
    put_bytes(&p->text, 6, t, strlen(t));
    return ++p->n_text;
}

enum { SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION };

static void put_type(struct profile *p, unsigned field, const char *type, const char *unit) {
    put_number(&p->one, 1, text(p, type));
    put_number(&p->one, 2, text(p, unit));
    put_message(&p->all, field, &p->one);
}

static void put_mappings(struct profile *p) {
    for (uint32_t i = 0; i < p->h->module.n; i++) {
        const struct hot_module *m = &p->h->module.at[i];
        uint64_t first = UINT64_MAX, last = 0;
        for (size_t k = 0; k < p->h->function.n; k++) {
            const struct hot_function *f = &p->h->function.at[k];
            first = f->module == i && f->start < first ? f->start : first;
            last = f->module == i && f->start > last ? f->start : last;
        }
        put_number(&p->one, 1, i + 1);
        put_number(&p->one, 2, first == UINT64_MAX ? 0 : first);
        put_number(&p->one, 3, last + 1);
        put_number(&p->one, 5, text(p, m->path));
        put_number(&p->one, 6, text(p, m->build_id));
        put_number(&p->one, 7, 1);
        put_message(&p->all, MAPPING, &p->one);
    }
}

/* Each function is a location. */
static void put_functions(struct profile *p) {
    for (uint32_t i = 0; i < p->h->function.n; i++) {
        const struct hot_function *f = &p->h->function.at[i];
        const uint64_t name = text(p, f->name);
        put_number(&p->one, 1, i + 1);
        put_number(&p->one, 2, name);
        put_number(&p->one, 3, name);
        put_number(&p->one, 4, text(p, f->file));
        put_message(&p->all, FUNCTION, &p->one);
        put_number(&p->one, 1, i + 1);
        put_number(&p->one, 2, f->module + 1);
        put_number(&p->one, 3, f->start);
        put_number(&p->two, 1, i + 1);
        put_number(&p->two, 2, f->line);
        put_message(&p->one, 4, &p->two);
        put_message(&p->all, LOCATION, &p->one);
    }
}

static void put_samples(struct profile *p) {
    const struct hot *h = p->h;
    const uint64_t key = text(p, "process"), key_pid = text(p, "pid");
    char name[HOT_NAME];
    for (uint32_t i = 0; i < h->node.n; i++) {
        const struct hot_count *c = &h->node.at[i].count;
        uint32_t at = i;
        if (!c->n)
            continue;
        for (; h->node.at[at].parent != HOT_NONE; at = h->node.at[at].parent)
            put_number(&p->one, 1, h->node.at[at].function + 1);
        put_number(&p->one, 2, c->n);
        put_number(&p->one, 2, (uint64_t)c->weight);
        put_number(&p->two, 1, key);
        put_number(&p->two, 2, text(p, hot_name(h, at, name, sizeof(name))));
        put_message(&p->one, 3, &p->two);
        put_number(&p->two, 1, key_pid);
        put_number(&p->two, 3, (uint64_t)h->thread.at[h->node.at[at].thread].pid);
        put_message(&p->one, 3, &p->two);
        put_message(&p->all, SAMPLE, &p->one);
    }
}

int hot_pprof(const struct hot *h, FILE *out) {
    struct profile p = {.h = h};
    const bool clock = h->event.n && h->event.at[0].clock;
    const char *event = h->event.n ? h->event.at[0].name : "samples";
    put_bytes(&p.text, 6, "", 0);
    put_type(&p, SAMPLE_TYPE, "samples", "count");
    put_type(&p, SAMPLE_TYPE, event, clock ? "nanoseconds" : "count");
    put_samples(&p);
    put_mappings(&p);
    put_functions(&p);
    put_number(&p.all, 9, (uint64_t)h->begun_ns);
    put_number(&p.all, 10, (uint64_t)(h->seconds * 1e9));
    put_type(&p, 11, event, clock ? "nanoseconds" : "count");
    put_number(&p.all, 12, h->all.n ? (uint64_t)(h->all.weight / (double)h->all.n) : 0);
    const bool lacks = p.all.lacks || p.text.lacks || p.one.lacks || p.two.lacks;
    if (!lacks) {
        fwrite(p.all.bytes.at, 1, p.all.bytes.n, out);
        fwrite(p.text.bytes.at, 1, p.text.bytes.n, out);
    }
    array_free(&p.all.bytes);
    array_free(&p.text.bytes);
    array_free(&p.one.bytes);
    array_free(&p.two.bytes);
    return lacks ? -ENOMEM : 0;
}

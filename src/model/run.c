/* What a run is made of: its life, its labels, and a part of it. */
#include "model/run.h"

#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { KEY_MAX_LEN = 64, VALUE_MAX_LEN = 4096 };

/* ---- life ---- */

void run_node_free(struct run_node *n) {
    free(n->name);
    free(n->path);
    free(n->unit);
    free(n->reason);
}

static void values_free(struct run *r) {
    for (size_t i = 0; i < r->node.n; i++)
        run_node_free(&r->node.at[i]);
    array_free(&r->node);
    free(r->bottleneck);
    r->bottleneck = NULL;
}

static void texts_free(struct run *r) {
    char *const text[] = {r->process, r->target, r->command, r->source,     r->version,
                          r->note,    r->parent, r->model,   r->model_text, r->doubt};
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
        free(text[i]);
}

static void lists_free(struct run *r) {
    for (size_t i = 0; i < r->label.n; i++) {
        free(r->label.at[i].key);
        free(r->label.at[i].value);
    }
    for (size_t i = 0; i < r->fact.n; i++) {
        free(r->fact.at[i].key);
        free(r->fact.at[i].value);
    }
    for (size_t i = 0; i < r->mark.n; i++)
        free(r->mark.at[i].name);
    array_free(&r->label);
    array_free(&r->fact);
    array_free(&r->mark);
}

void run_free(struct run *r) {
    for (uint32_t i = 0; r->event && i < r->layout.n_event; i++)
        free(r->event[i]);
    free(r->event);
    free(r->latency);
    texts_free(r);
    lists_free(r);
    values_free(r);
    series_destroy(&r->series);
    layout_destroy(&r->layout);
    *r = (struct run){0};
}

void run_new_id(char id[RUN_ID_LEN + 1]) {
    uint64_t bits = 0;
    while (getrandom(&bits, sizeof(bits), 0) != (ssize_t)sizeof(bits))
        ; /* only a signal can interrupt so short a read */
    snprintf(id, RUN_ID_LEN + 1, "%016llx", (unsigned long long)bits);
}

int run_set_consts(struct run *r, const struct consts *c) {
    struct latency_setting *latency = calloc(c->n_latency + 1u, sizeof(*latency));
    if (!latency)
        return -ENOMEM;
    if (c->n_latency)
        memcpy(latency, c->latency, c->n_latency * sizeof(*latency));
    free(r->latency);
    r->latency = latency;
    r->consts = *c;
    r->consts.latency = latency;
    return 0;
}

/* ---- labels ---- */

static struct run_label *label_find(const struct run *r, const char *key) {
    for (size_t i = 0; i < r->label.n; i++)
        if (!strcmp(r->label.at[i].key, key))
            return &r->label.at[i];
    return NULL;
}

const char *run_label_get(const struct run *r, const char *key) {
    const struct run_label *l = label_find(r, key);
    return l ? l->value : NULL;
}

static bool is_key(const char *key) {
    const size_t n = strlen(key);
    for (const char *c = key; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_.-/:", *c))
            return false;
    return n > 0 && n <= KEY_MAX_LEN;
}

/* The first byte of text that is no UTF-8, or NULL. */
static const char *find_broken(const char *text) {
    for (size_t used; *text; text += used)
        if (str_decode(text, &used) == 0xfffd && used == 1)
            return text;
    return NULL;
}

static int key_check(const char *key, struct err *err) {
    char safe[KEY_MAX_LEN + 1];
    if (is_key(key))
        return 0;
    if (!*key)
        return err_set(err, -EINVAL, "label: the key is empty; write key=value");
    return err_set(err, -EINVAL,
                   "label '%s%s': a key has at most %d letters, digits and _ . - / : only; choose "
                   "another key",
                   str_safe(safe, sizeof(safe), key), strlen(key) > KEY_MAX_LEN ? "..." : "",
                   KEY_MAX_LEN);
}

int run_label_check(const char *key, const char *value, struct err *err) {
    int rc = key_check(key, err);
    if (rc < 0)
        return rc;
    const size_t n = strlen(value);
    if (n > VALUE_MAX_LEN)
        return err_set(err, -EINVAL,
                       "label %s: its value has %zu bytes, and %d is the most; shorten it, or put "
                       "it into the note",
                       key, n, VALUE_MAX_LEN);
    const char *broken = find_broken(value);
    if (broken)
        return err_set(err, -EINVAL,
                       "label %s: its value is not UTF-8 (byte %zu is 0x%02x); convert it, iconv "
                       "does",
                       key, (size_t)(broken - value) + 1, (unsigned)(unsigned char)*broken);
    return 0;
}

static void label_remove(struct run *r, struct run_label *l) {
    if (!l)
        return;
    free(l->key);
    free(l->value);
    const size_t behind = r->label.n - (size_t)(l - r->label.at) - 1;
    memmove(l, l + 1, behind * sizeof(*l));
    r->label.n--;
}

static int label_add(struct run *r, const char *key, char *value, bool automatic) {
    char *own = strdup(key);
    int rc = own ? array_push(&r->label, (struct run_label){own, value, automatic}) : -ENOMEM;
    if (rc < 0)
        free(own);
    return rc;
}

int run_label_set(struct run *r, const char *key, const char *value, bool automatic,
                  struct err *err) {
    struct run_label *l = label_find(r, key);
    if (!value) {
        label_remove(r, l);
        return 0;
    }
    int rc = run_label_check(key, value, err);
    if (rc < 0)
        return rc;
    char *own = strdup(value);
    if (own && l) {
        free(l->value);
        l->value = own;
        l->automatic = automatic;
        return 0;
    }
    rc = own ? label_add(r, key, own, automatic) : -ENOMEM;
    if (rc == 0)
        return 0;
    free(own);
    return err_set(err, rc, "label %s: out of memory", key);
}

int run_label_split(const char *text, char **key, const char **value, struct err *err) {
    char safe[KEY_MAX_LEN + 1];
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return err_set(err, -EINVAL, "label '%s': no %s; write key=value",
                       str_safe(safe, sizeof(safe), text), equals ? "key" : "'='");
    *key = strndup(text, (size_t)(equals - text));
    *value = equals + 1;
    return *key ? 0 : err_set(err, -ENOMEM, "label: out of memory");
}

/* ---- a part of it ---- */

struct part {
    uint64_t t0_ns, t1_ns, measured_ns;
    struct series series;
    struct sample row; /* scratch */
};

static int copy_rows(const struct series *from, struct part *p) {
    struct series_reader reader;
    int rc = series_reader_init(&reader, from);
    if (rc < 0)
        return rc;
    series_reader_seek(&reader, p->t0_ns);
    while (rc == 0 && series_reader_next(&reader, &p->row) && p->row.t1_ns <= p->t1_ns) {
        rc = series_push(&p->series, &p->row);
        p->measured_ns += p->row.t1_ns - p->row.t0_ns;
    }
    series_reader_destroy(&reader);
    return rc;
}

static int cut_series(const struct run *r, struct part *p) {
    int rc = series_init(&p->series, &r->layout, 0);
    if (rc == 0)
        rc = sample_init(&p->row, r->layout.n_slot);
    if (rc == 0)
        rc = copy_rows(&r->series, p);
    sample_destroy(&p->row);
    if (rc == 0 && series_rows(&p->series) == 0)
        rc = -ENODATA;
    if (rc < 0)
        series_destroy(&p->series);
    return rc;
}

static void cut_marks(struct run *r) {
    size_t n = 0;
    for (size_t i = 0; i < r->mark.n; i++) {
        const struct run_mark mark = r->mark.at[i];
        if (mark.t_ns >= r->t0_ns && mark.t_ns <= r->t1_ns)
            r->mark.at[n++] = mark;
        else
            free(mark.name);
    }
    r->mark.n = n;
}

/* The times of day follow those of the session. */
static void cut_times(struct run *r) {
    const uint64_t t0_ns = series_begin_ns(&r->series), t1_ns = series_end_ns(&r->series);
    const int64_t midnight_ns = r->begun_ns - (int64_t)r->t0_ns; /* session time 0 */
    r->t0_ns = t0_ns;
    r->t1_ns = t1_ns;
    r->begun_ns = midnight_ns + (int64_t)t0_ns;
    r->ended_ns = midnight_ns + (int64_t)t1_ns;
}

int run_cut(struct run *r, uint64_t t0_ns, uint64_t t1_ns, struct err *err) {
    struct part part = {.t0_ns = t0_ns, .t1_ns = t1_ns};
    int rc = cut_series(r, &part);
    if (rc == -ENODATA)
        return err_set(
            err, rc, "run %s: nothing was measured in that span; choose one from %.1f s to %.1f s",
            r->id, (double)series_begin_ns(&r->series) / 1e9,
            (double)series_end_ns(&r->series) / 1e9);
    if (rc < 0)
        return err_set(err, rc, "run %s: out of memory", r->id);
    series_destroy(&r->series);
    r->series = part.series;
    r->measured_ns = part.measured_ns;
    cut_times(r);
    cut_marks(r);
    values_free(r);
    return 0;
}

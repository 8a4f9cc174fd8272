/* What a run is made of: its life, its labels, and a part of it. */
#include "model/run/run.h"

#include "base/str.h"
#include "model/load/direction.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

enum { KEY_MAX_LEN = 64, VALUE_MAX_LEN = 4096, NOTE_MAX_LEN = 65536 };

/* ---- life ---- */

void run_node_free(struct run_node *n) {
    free(n->name);
    free(n->path);
    free(n->unit);
    free(n->reason);
}

int run_node_copy(struct run_node *to, const struct run_node *from) {
    *to = *from;
    to->name = strdup(from->name);
    to->path = strdup(from->path);
    to->unit = strdup(from->unit);
    to->reason = strdup(from->reason);
    if (to->name && to->path && to->unit && to->reason)
        return 0;
    run_node_free(to);
    *to = (struct run_node){0};
    return -ENOMEM;
}

/* A sum is as many times the mean of the intervals as there are intervals. */
static bool seems_total(const struct run_node *n) {
    enum { ENOUGH = 4 }; /* for the two to be told apart */
    const double times = n->value.v / n->m.mean, many = (double)n->m.n;
    return !n->share && n->m.n >= ENOUGH && times > (many + 1.0) / 2.0;
}

void run_node_guess(struct run_node *n) {
    n->total = seems_total(n);
    n->better =
        n->good_up
            ? 1
            : (signed char)direction_find(&(struct direction_of){n->path, n->level, n->total});
}

bool run_is_elapsed(const char *metric) {
    return strcasecmp(metric, RUN_ELAPSED) == 0;
}

bool run_node_is_known(const struct run_node *n) {
    return n && isfinite(n->value.v);
}

double run_mean_err(const struct run_node *n) {
    const double times = n->total && n->m.mean != 0 ? n->value.v / n->m.mean : 1.0;
    return n->m.dof > 0 ? student_quantile(0.95, n->m.dof) * n->m.se * times : NAN;
}

int run_set_text(char **at, const char *text) {
    char *copy = strdup(text ? text : "");
    if (!copy)
        return -ENOMEM;
    free(*at);
    *at = copy;
    return 0;
}

static void clean(char *text, const char *keep) {
    if (text)
        str_clean(text, keep);
}

static void clean_lists(struct run *r) {
    for (size_t i = 0; i < r->label.n; i++) {
        clean(r->label.at[i].key, "");
        clean(r->label.at[i].value, "\n\t");
        clean(r->label.at[i].covered, "\n\t");
    }
    for (size_t i = 0; i < r->fact.n; i++) {
        clean(r->fact.at[i].key, "");
        clean(r->fact.at[i].value, "");
    }
    for (size_t i = 0; i < r->mark.n; i++)
        clean(r->mark.at[i].name, "");
    for (size_t i = 0; i < r->node.n; i++) {
        char *const text[] = {r->node.at[i].name, r->node.at[i].path, r->node.at[i].unit,
                              r->node.at[i].reason};
        for (size_t k = 0; k < sizeof(text) / sizeof(text[0]); k++)
            clean(text[k], "");
    }
    for (uint32_t i = 0; r->event && i < r->layout.n_event; i++)
        clean(r->event[i], "");
    for (uint32_t i = 0; i < r->consts.n_latency && r->latency; i++)
        clean(r->latency[i].event, "");
}

void run_clean(struct run *r) {
    char *const text[] = {r->process, r->target, r->command, r->source,    r->version,
                          r->parent,  r->model,  r->warning, r->bottleneck};
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
        clean(text[i], "");
    clean(r->note, "\n\t");
    clean_lists(r);
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
                          r->note,    r->parent, r->model,   r->model_text, r->warning};
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
        free(text[i]);
}

static void label_free(struct run_label *l) {
    free(l->key);
    free(l->value);
    free(l->covered);
}

static void lists_free(struct run *r) {
    for (size_t i = 0; i < r->label.n; i++)
        label_free(&r->label.at[i]);
    for (size_t i = 0; i < r->fact.n; i++) {
        free(r->fact.at[i].key);
        free(r->fact.at[i].value);
    }
    for (size_t i = 0; i < r->mark.n; i++)
        free(r->mark.at[i].name);
    for (size_t i = 0; i < r->hot.n; i++)
        hot_free(&r->hot.at[i]);
    array_free(&r->label);
    array_free(&r->fact);
    array_free(&r->mark);
    array_free(&r->hot);
}

int run_take_samples(struct run *to, struct run *from) {
    while (from->hot.n) {
        if (array_push(&to->hot, from->hot.at[0]) < 0)
            return -ENOMEM;
        memmove(from->hot.at, from->hot.at + 1, --from->hot.n * sizeof(*from->hot.at));
    }
    return 0;
}

const struct hot *run_samples(const struct run *r, const char *what, const struct hot *after) {
    for (size_t i = after ? (size_t)(after - r->hot.at) + 1 : 0; i < r->hot.n; i++) {
        const struct hot *h = &r->hot.at[i];
        bool is = !what || strcasecmp(h->asked, what) == 0;
        for (size_t k = 0; !is && k < h->event.n; k++)
            is = strcasecmp(h->event.at[k].name, what) == 0;
        if (is)
            return h;
    }
    return NULL;
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

/* Newline and tab are text; other control characters could command the terminal that shows it. */
static bool is_control(uint32_t cp) {
    return (cp < 0x20 && cp != '\n' && cp != '\t') || (cp >= 0x7f && cp < 0xa0);
}

/* The first byte of text that is no UTF-8, or begins a control character; or NULL. */
static const char *find_bad(const char *text, uint32_t *cp) {
    for (size_t used; *text; text += used) {
        *cp = str_decode(text, &used);
        if ((*cp == 0xfffd && used == 1) || is_control(*cp))
            return text;
    }
    return NULL;
}

static const char *control_name(uint32_t cp) {
    static const struct {
        uint32_t cp;
        const char *name;
    } names[] = {{'\a', " (BEL)"}, {'\b', " (backspace)"}, {'\r', " (carriage return)"},
                 {0x1b, " (ESC)"}, {0x7f, " (DEL)"},       {0x9b, " (CSI)"}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].cp == cp)
            return names[i].name;
    return "";
}

/* what: "label branch: its value"; remedy: where a longer text goes. */
static int text_check(const char *what, const char *text, size_t most, const char *remedy,
                      struct err *err) {
    const size_t n = strlen(text);
    uint32_t cp = 0;
    if (n > most)
        return err_set(err, -EINVAL, "%s has %zu bytes, and %zu is the most; %s", what, n, most,
                       remedy);
    const char *bad = find_bad(text, &cp);
    if (!bad)
        return 0;
    const size_t at = (size_t)(bad - text) + 1;
    if (is_control(cp))
        return err_set(err, -EINVAL,
                       "%s has a control character: byte %zu is 0x%02x%s; take it out (newline and "
                       "tab may stay)",
                       what, at, (unsigned)(unsigned char)*bad, control_name(cp));
    return err_set(err, -EINVAL, "%s is not UTF-8 (byte %zu is 0x%02x); convert it, iconv does",
                   what, at, (unsigned)(unsigned char)*bad);
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
    char what[KEY_MAX_LEN + 32];
    snprintf(what, sizeof(what), "label %s: its value", key);
    return text_check(what, value, VALUE_MAX_LEN, "shorten it, or put it into the note", err);
}

int run_note_check(const char *note, struct err *err) {
    return text_check("the note", note, NOTE_MAX_LEN, "shorten it, or name a file in it", err);
}

/* The user's is gone: what it covered is back, or nothing is left of it. */
static void label_remove(struct run *r, struct run_label *l) {
    if (!l)
        return;
    if (l->covered) {
        free(l->value);
        l->value = l->covered;
        l->covered = NULL;
        l->automatic = true;
        return;
    }
    label_free(l);
    const size_t behind = r->label.n - (size_t)(l - r->label.at) - 1;
    memmove(l, l + 1, behind * sizeof(*l));
    r->label.n--;
}

static int label_add(struct run *r, const char *key, char *value, bool automatic) {
    struct run_label l = {.key = strdup(key), .value = value, .automatic = automatic};
    const int rc = l.key ? array_push(&r->label, l) : -ENOMEM;
    if (rc < 0)
        free(l.key);
    return rc;
}

/* There is one already. Takes value over. */
static void label_change(struct run_label *l, char *value, bool automatic) {
    char **place = automatic && !l->automatic ? &l->covered : &l->value;
    if (!automatic && l->automatic) { /* it is covered from now on */
        l->covered = l->value;
        l->automatic = false;
    } else {
        free(*place);
    }
    *place = value;
}

/* What tdtop found itself is kept as far as it may be; the user is told. malloc'ed. */
static int own_value(const char *key, const char *value, bool automatic, char **own,
                     struct err *err) {
    char safe[VALUE_MAX_LEN + 1];
    int rc = run_label_check(key, automatic ? "" : value, err);
    if (rc < 0)
        return rc;
    if (automatic && run_label_check(key, value, NULL) < 0)
        value = str_safe(safe, sizeof(safe), value);
    *own = strdup(value);
    return *own ? 0 : err_set(err, -ENOMEM, "label %s: out of memory", key);
}

int run_label_set(struct run *r, const char *key, const char *value, bool automatic,
                  struct err *err) {
    struct run_label *l = label_find(r, key);
    char *own = NULL;
    if (!value) {
        label_remove(r, l);
        return 0;
    }
    const int rc = own_value(key, value, automatic, &own, err);
    if (rc < 0)
        return rc;
    if (l)
        label_change(l, own, automatic);
    else if (label_add(r, key, own, automatic) < 0) {
        free(own);
        return err_set(err, -ENOMEM, "label %s: out of memory", key);
    }
    return 0;
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

int run_label_set_text(struct run *r, const char *text, struct err *err) {
    char *key = NULL;
    const char *value;
    int rc = run_label_split(text, &key, &value, err);
    if (rc == 0)
        rc = run_label_set(r, key, value, false, err);
    free(key);
    return rc;
}

int run_label_check_text(const char *text, struct err *err) {
    char *key = NULL;
    const char *value;
    int rc = run_label_split(text, &key, &value, err);
    if (rc == 0)
        rc = run_label_check(key, value, err);
    free(key);
    return rc;
}

/* ---- what a command took as a whole ---- */

/* The product of the metrics, the factor and the time. Not const, because the texts of a run's node
 * are not: it owns them elsewhere. */
static struct {
    char name[20], unit[4], none[1];
    const char *of[3];
    double factor;
    signed char better;
} work[RUN_WORK_N] = {
    {RUN_ELAPSED, "s", "", {NULL}, 1, -1},
    {RUN_CPU_TIME, "s", "", {"CPUs_Utilized"}, 1, -1},
    {"instructions", "", "", {"IPC", "GHz", "CPUs_Utilized"}, 1e9, -1},
    {"context_switches", "", "", {"Context_Switches_Per_S"}, 1, 0},
};

struct run_node *run_node_find(const struct run *r, const char *path) {
    for (size_t i = 0; i < r->node.n; i++)
        if (!strcmp(r->node.at[i].path, path))
            return &r->node.at[i];
    return NULL;
}

double run_node_value(const struct run *r, const char *path) {
    const struct run_node *n = run_node_find(r, path);
    return n ? n->value.v : NAN;
}

int run_work(const struct run *r, struct run_node out[RUN_WORK_N]) {
    int n = 0;
    for (size_t i = 0; i < RUN_WORK_N && r->ran_through; i++) {
        double v = work[i].factor * (double)r->measured_ns / 1e9;
        for (size_t k = 0; k < 3 && work[i].of[k]; k++)
            v *= run_node_value(r, work[i].of[k]);
        if (!isfinite(v))
            continue;
        out[n++] = (struct run_node){.name = work[i].name,
                                     .path = work[i].name,
                                     .unit = work[i].unit,
                                     .reason = work[i].none,
                                     .better = work[i].better,
                                     .value = {.v = v, .err = NAN, .duty = 1}};
    }
    return n;
}

bool run_is_work(const struct run_node *n) {
    for (size_t i = 0; i < RUN_WORK_N; i++)
        if (n->level == 0 && !strcmp(n->path, work[i].name))
            return true;
    return false;
}

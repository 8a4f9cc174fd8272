#include "serve/exposition.h"

#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the text. */
enum family {
    MODEL_INFO,
    UP,
    INTERVALS,
    MEASURED,
    SLOTS,
    EVENTS,
    ENABLED,
    RUNNING,
    SHARE,
    BOTTLENECK,
    VITAL,
    FAMILIES,
    GAUGES = SHARE, /* from here on: of the newest interval */
};

static const struct {
    const char *name, *unit, *help;
    bool counter;
} families[FAMILIES] = {
    [MODEL_INFO] = {"model_info", NULL, "Which model of which core the values are of; 1.", false},
    [UP] = {"target_up", NULL, "1: what is measured is there.", false},
    [INTERVALS] = {"intervals", NULL, "Intervals that were measured.", true},
    [MEASURED] = {"measured_seconds", "seconds", "Time that was measured.", true},
    [SLOTS] = {"slots", NULL, "Pipeline slots by category of level 1; add them up, then divide.",
               true},
    [EVENTS] = {"events", NULL, "Counts of events, scaled for multiplexing.", true},
    [ENABLED] = {"event_enabled_seconds", "seconds",
                 "Time that an event was wanted, of all threads or CPUs.", true},
    [RUNNING] = {"event_running_seconds", "seconds", "Time that it was on a counter.", true},
    [SHARE] = {"share_ratio", "ratio",
               "Share of a node of the top-down tree in the newest interval, of what `of` says.",
               false},
    [BOTTLENECK] = {"bottleneck_ratio", "ratio",
                    "The node at the end of the bottleneck path in the newest interval; absent "
                    "without one.",
                    false},
    [VITAL] = {"vital_sign", NULL, "IPC, GHz and others, of the newest interval.", false},
};

struct line {       /* of a catalog: a series */
    uint32_t label; /* in its text: ",event=\"...\"" */
    uint32_t index; /* of the event or metric */
};

/* What series a model has, and their own labels: of all entries that are measured by it. */
struct catalog {
    struct catalog *next;
    unsigned users; /* guarded by the table's lock */
    struct line *line;
    uint32_t first[FAMILIES + 1]; /* a family's lines end where those of the next begin */
    char *text;
    size_t size;
};

struct exposed {
    struct exposed *next;
    char *labels;            /* target="...",...: in front of those of a series; owned */
    struct catalog *catalog; /* NULL: it was never there */
    double up;               /* as the next: NAN is absent */
    double *v; /* [lines of the catalog, then events: seconds that are missing]; owned */
};

/* ---- labels ---- */

static size_t name_length(const char *text) {
    return strcspn(text, "=");
}

static bool is_own(const char *text) {
    static const char *const own[] = {"target",  "simulated", "core_type", "cgroup", "model",
                                      "version", "category",  "event",     "node",   "path",
                                      "level",   "of",        "metric"};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (strlen(own[i]) == name_length(text) && str_starts(text, own[i]))
            return true;
    return false;
}

const char *exposition_label_fault(const char *text) {
    const size_t n = name_length(text);
    bool good = n > 0 && text[n] && !isdigit((unsigned char)text[0]) && !str_starts(text, "__");
    for (size_t i = 0; i < n; i++)
        good = good && (isalnum((unsigned char)text[i]) || text[i] == '_');
    if (!good)
        return "give NAME=VALUE, NAME of letters, digits and _, as Prometheus wants it";
    return is_own(text) ? "tdtop gives that label itself; another name" : NULL;
}

/* \, " and newlines are escaped. */
static void put_value(FILE *out, const char *value) {
    fputc('"', out);
    for (; *value; value++) {
        if (*value == '\n')
            fputs("\\n", out);
        else if (*value == '"' || *value == '\\')
            fprintf(out, "\\%c", *value);
        else
            fputc(*value, out);
    }
    fputc('"', out);
}

static void put_label(FILE *out, const char *name, const char *value) {
    fprintf(out, ",%s=", name);
    put_value(out, value);
}

static bool is_said_again(const struct exposition_who *who, int i) {
    const size_t n = name_length(who->label[i]) + 1;
    for (int k = i + 1; k < who->n; k++)
        if (strncmp(who->label[i], who->label[k], n) == 0)
            return true;
    return false;
}

static char *labels_of(const struct session *s, const struct exposition_who *who) {
    char *text = NULL, target[256], path[sizeof(s->source.cgroup)], value[1024];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("target=", out);
    put_value(out, str_safe(target, sizeof(target), who->target));
    if (s->source.simulated)
        put_label(out, "simulated", "true");
    if (s->core_type[0])
        put_label(out, "core_type", s->core_type);
    if (s->source.cgroup[0])
        put_label(out, "cgroup", str_safe(path, sizeof(path), s->source.cgroup));
    for (int i = 0; i < who->n; i++) {
        const int n = (int)name_length(who->label[i]);
        if (exposition_label_fault(who->label[i]) || is_said_again(who, i))
            continue;
        fprintf(out, ",%.*s=", n, who->label[i]);
        put_value(out, str_safe(value, sizeof(value), who->label[i] + n + 1));
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* ---- catalogs ---- */

static void catalog_free(struct catalog *c) {
    if (!c)
        return;
    free(c->line);
    free(c->text);
    free(c);
}

/* With pairs of a name and a value, NULL at the end. */
static void put_line(struct catalog *c, enum family f, uint32_t index, FILE *out, ...) {
    va_list ap;
    c->line[c->first[f + 1]++] = (struct line){(uint32_t)ftello(out), index};
    va_start(ap, out);
    for (const char *name; (name = va_arg(ap, const char *));)
        put_label(out, name, va_arg(ap, const char *));
    va_end(ap);
    fputc('\0', out);
}

/* "Frontend_Bound" is frontend_bound. */
static const char *lower(const char *name, char *buf, size_t cap) {
    str_copy(buf, cap, name);
    for (char *p = buf; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return buf;
}

static void put_node(struct catalog *c, enum family f, const struct model *m, uint32_t k,
                     FILE *out) {
    const struct metric *x = &m->metric[k];
    char level[16], name[64];
    if (f == SLOTS && x->level == 1)
        put_line(c, f, k, out, "category", lower(x->name, name, sizeof(name)), NULL);
    if (f == BOTTLENECK)
        put_line(c, f, k, out, "node", x->name, NULL);
    if (f != SHARE || !x->share || x->level == 0)
        return;
    snprintf(level, sizeof(level), "%d", x->level);
    put_line(c, f, k, out, "node", x->name, "path", x->path, "level", level, "of",
             lower(x->domain ? x->domain : model_whole(m), name, sizeof(name)), NULL);
}

static void put_family(struct catalog *c, enum family f, const struct session *s, FILE *out) {
    const struct model *m = &s->model;
    const bool of_events = f >= EVENTS && f <= RUNNING;
    if (f == MODEL_INFO)
        put_line(c, f, 0, out, "model", m->name, "version", TDTOP_VERSION, NULL);
    if (f == INTERVALS || f == MEASURED)
        put_line(c, f, 0, out, NULL);
    for (uint32_t k = 0; of_events && k < s->source.layout.n_event; k++)
        put_line(c, f, k, out, "event", m->event[k].name, NULL);
    for (uint32_t k = 0; k < m->n_tree; k++)
        put_node(c, f, m, k, out);
    for (uint32_t k = 0; f == VITAL && k < m->n_metric; k++)
        if (m->metric[k].vital)
            put_line(c, f, k, out, "metric", m->metric[k].name, NULL);
}

/* Of a model and what is counted for it. NULL: out of memory. */
static struct catalog *catalog_make(const struct session *s) {
    struct catalog *c = calloc(1, sizeof(*c));
    const size_t most = 3 + 3u * s->source.layout.n_event + 4u * s->model.n_metric;
    FILE *out = c ? open_memstream(&c->text, &c->size) : NULL;
    if (out && (c->line = calloc(most, sizeof(*c->line))))
        for (int f = 0; f < FAMILIES; f++) {
            c->first[f + 1] = c->first[f];
            put_family(c, (enum family)f, s, out);
        }
    if (out && fclose(out) == 0 && c->line)
        return c;
    catalog_free(c);
    return NULL;
}

static bool catalog_same(const struct catalog *a, const struct catalog *b) {
    return a->size == b->size && memcmp(a->first, b->first, sizeof(a->first)) == 0 &&
           memcmp(a->text, b->text, a->size) == 0 &&
           memcmp(a->line, b->line, a->first[FAMILIES] * sizeof(*a->line)) == 0;
}

/* Takes c over, and returns it or the one that is there already; used once more. */
static struct catalog *catalog_share(struct exposition *e, struct catalog *c) {
    struct catalog *is = c ? e->catalogs : NULL;
    while (is && !catalog_same(is, c))
        is = is->next;
    if (is) {
        catalog_free(c);
    } else if (c) {
        c->next = e->catalogs;
        e->catalogs = is = c;
    }
    if (is)
        is->users++;
    return is;
}

static void catalog_release(struct exposition *e, struct catalog *c) {
    if (!c || --c->users)
        return;
    struct catalog **at = &e->catalogs;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    catalog_free(c);
}

/* ---- entries ---- */

void exposition_init(struct exposition *e) {
    *e = (struct exposition){0};
    pthread_mutex_init(&e->lock, NULL);
}

static void entry_free(struct exposition *e, struct exposed *x) {
    catalog_release(e, x->catalog);
    free(x->labels);
    free(x->v);
    free(x);
}

void exposition_destroy(struct exposition *e) {
    while (e->first) {
        struct exposed *next = e->first->next;
        entry_free(e, e->first);
        e->first = next;
    }
    pthread_mutex_destroy(&e->lock);
}

/* Labels and catalog are taken over, also where it fails: NULL. */
static struct exposed *entry_make(struct exposition *e, char *labels, struct catalog *c) {
    struct exposed *x = calloc(1, sizeof(*x));
    const uint32_t n = c ? c->first[FAMILIES] : 0;
    const uint32_t events = c ? c->first[ENABLED] - c->first[EVENTS] : 0;
    double *v = calloc((size_t)n + events + 1u, sizeof(*v));
    if (!x || !v || !labels) {
        catalog_release(e, c);
        free(labels);
        free(v);
        free(x);
        return NULL;
    }
    for (uint32_t i = c ? c->first[SLOTS] : 0; i < n; i++)
        v[i] = NAN;
    if (c)
        v[c->first[MODEL_INFO]] = 1;
    *x = (struct exposed){.labels = labels, .catalog = c, .v = v};
    return x;
}

static void take_out(struct exposition *e, struct exposed *x) {
    struct exposed **at = &e->first;
    while (x && *at != x)
        at = &(*at)->next;
    if (x) {
        *at = x->next;
        entry_free(e, x);
    }
}

static void put_in(struct exposition *e, struct exposed *x) {
    struct exposed **at = &e->first;
    while (*at)
        at = &(*at)->next;
    *at = x;
}

static bool entry_goes_on(const struct exposed *x, const char *labels, const struct catalog *c) {
    return x && x->catalog == c && strcmp(x->labels, labels) == 0;
}

int exposition_enter(struct exposition *e, struct exposed **x, const struct session *s,
                     const struct exposition_who *who, bool absent) {
    if (absent && *x) {
        exposition_rest(e, *x, 0);
        return 0;
    }
    char *labels = labels_of(s, who);
    struct catalog *c = absent || !labels ? NULL : catalog_make(s);
    if (!labels || (!absent && !c)) {
        free(labels);
        return -ENOMEM;
    }
    pthread_mutex_lock(&e->lock);
    c = catalog_share(e, c);
    struct exposed *is = *x;
    if (entry_goes_on(is, labels, c)) {
        catalog_release(e, c);
        free(labels);
    } else if ((is = entry_make(e, labels, c))) {
        take_out(e, *x);
        put_in(e, is);
        *x = is;
    }
    if (is)
        is->up = !absent;
    e->change++;
    pthread_mutex_unlock(&e->lock);
    return is ? 0 : -ENOMEM;
}

void exposition_drop(struct exposition *e, struct exposed **x) {
    if (!*x)
        return;
    pthread_mutex_lock(&e->lock);
    take_out(e, *x);
    e->change++;
    pthread_mutex_unlock(&e->lock);
    *x = NULL;
}

/* ---- sums ---- */

/* An event in several groups was counted several times: that which was on a counter longest is it.
 * NULL: it was not to be counted. */
static const struct count *count_of(const struct session *s, uint32_t event) {
    const struct layout *l = &s->source.layout;
    const struct count *best = NULL;
    for (uint32_t i = 0; i < l->n_slot && i < s->sample.n_slot; i++)
        if (l->slot[i].event == event && (!best || s->sample.at[i].running_ns > best->running_ns))
            best = &s->sample.at[i];
    return best;
}

static double event_count(const struct session *s, const char *name) {
    const int event = model_find_event(&s->model, name);
    const struct count *c = event >= 0 ? count_of(s, (uint32_t)event) : NULL;
    return c && c->state == COUNT_OK ? c->value : (double)NAN;
}

/* Of the newest interval: as the model counts them, else cycles times what the core can start in
 * one. NAN: its shares are not of slots, or it is not known. */
static double slots_of(const struct session *s) {
    static const char *const metrics[] = {"Info_Thread_SLOTS", "total_dispatch_slots"};
    static const char *const cycles[] = {"CPU_CYCLES", "CPU_CLK_UNHALTED.CORE",
                                         "CPU_CLK_UNHALTED.THREAD", "cycles"};
    if (!model_tells_slots(&s->model) || s->model.slots_per_cycle == 0)
        return NAN;
    for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
        const int at = model_find(&s->model, metrics[i]);
        if (at != METRIC_NONE)
            return s->frame.at[at].v;
    }
    for (size_t i = 0; i < sizeof(cycles) / sizeof(cycles[0]); i++) {
        const double n = event_count(s, cycles[i]);
        if (!isnan(n))
            return n * s->model.slots_per_cycle;
    }
    return NAN;
}

/* To what may be absent. */
static void plus(double *sum, double v) {
    *sum = (isnan(*sum) ? 0 : *sum) + v;
}

/* All of level 1, or nothing: rates of its parts are divided by that of the whole. */
static void add_slots(struct exposed *x, const struct session *s) {
    const struct catalog *c = x->catalog;
    const double slots = slots_of(s);
    if (!(slots > 0) || isnan(s->frame.root_sum))
        return;
    for (uint32_t i = c->first[SLOTS]; i < c->first[SLOTS + 1]; i++) {
        const double share = s->frame.at[c->line[i].index].v;
        plus(&x->v[i], share > 0 ? share * slots : 0);
    }
}

/* Those of software have no times. */
/* What was wanted and on no counter for whole intervals is taken to be like the next that is known:
 * elsewhere a rate would be too low. */
static void add_event(struct exposed *x, const struct session *s, uint32_t event) {
    const uint32_t *first = x->catalog->first;
    const struct count *best = count_of(s, event);
    if (!best)
        return;
    double *missing = &x->v[first[FAMILIES] + event];
    const double wanted = (double)best->enabled_ns / 1e9;
    if (best->state == COUNT_OK) {
        plus(&x->v[first[EVENTS] + event],
             wanted > 0 ? best->value * (1 + *missing / wanted) : best->value);
        *missing = 0;
    } else {
        *missing += wanted;
    }
    if (!best->enabled_ns)
        return;
    plus(&x->v[first[ENABLED] + event], wanted);
    plus(&x->v[first[RUNNING] + event], (double)best->running_ns / 1e9);
}

static void add_sums(struct exposed *x, const struct session *s) {
    const uint32_t *first = x->catalog->first;
    x->v[first[INTERVALS]]++;
    x->v[first[MEASURED]] += (double)(s->frame.t1_ns - s->frame.t0_ns) / 1e9;
    for (uint32_t i = 0; i < first[EVENTS + 1] - first[EVENTS]; i++)
        add_event(x, s, i);
    add_slots(x, s);
}

/* s NULL: nothing is measured. */
static void set_gauges(struct exposed *x, const struct session *s) {
    const struct catalog *c = x->catalog;
    const struct bottleneck *b = s ? &s->frame.bottleneck : NULL;
    for (uint32_t i = c ? c->first[GAUGES] : 0; c && i < c->first[FAMILIES]; i++) {
        const uint32_t at = c->line[i].index;
        const bool of_path = i >= c->first[BOTTLENECK] && i < c->first[BOTTLENECK + 1];
        const bool none = !s || (of_path && (b->n == 0 || b->at[b->n - 1] != (int)at));
        x->v[i] = none ? (double)NAN : s->frame.at[at].v;
    }
}

void exposition_add(struct exposition *e, struct exposed *x, const struct session *s) {
    if (!x)
        return;
    pthread_mutex_lock(&e->lock);
    x->up = !s->sample.away;
    set_gauges(x, s->sample.away ? NULL : s);
    if (!s->sample.away && !s->sample.early) /* else its rest brings all of it */
        add_sums(x, s);
    e->change++;
    pthread_mutex_unlock(&e->lock);
}

void exposition_rest(struct exposition *e, struct exposed *x, double up) {
    if (!x)
        return;
    pthread_mutex_lock(&e->lock);
    x->up = up;
    set_gauges(x, NULL);
    e->change++;
    pthread_mutex_unlock(&e->lock);
}

unsigned long long exposition_change(struct exposition *e) {
    pthread_mutex_lock(&e->lock);
    const unsigned long long change = e->change;
    pthread_mutex_unlock(&e->lock);
    return change;
}

/* ---- text ---- */

static struct exposed *entry_copy(struct exposition *e, const struct exposed *x) {
    struct catalog *c = x->catalog;
    char *labels = strdup(x->labels);
    if (c)
        c->users++;
    struct exposed *copy = entry_make(e, labels, c);
    if (!copy)
        return NULL;
    copy->up = x->up;
    if (c)
        memcpy(copy->v, x->v, c->first[FAMILIES] * sizeof(*x->v));
    return copy;
}

/* false: out of memory; what there is of it is to be freed, too. */
static bool copy_all(struct exposition *e, struct exposed **first) {
    struct exposed **end = first;
    *first = NULL;
    pthread_mutex_lock(&e->lock);
    const struct exposed *x = e->first;
    for (; x && (*end = entry_copy(e, x)); x = x->next)
        end = &(*end)->next;
    pthread_mutex_unlock(&e->lock);
    return !x;
}

static void free_all(struct exposition *e, struct exposed *x) {
    pthread_mutex_lock(&e->lock);
    for (struct exposed *next; x; x = next) {
        next = x->next;
        entry_free(e, x);
    }
    pthread_mutex_unlock(&e->lock);
}

/* Its help, type and unit. In OpenMetrics its name has no _total. */
static void put_head(FILE *out, enum family f, bool open) {
    const char *name = families[f].name, *total = families[f].counter && !open ? "_total" : "";
    fprintf(out, "# HELP tdtop_%s%s %s\n# TYPE tdtop_%s%s %s\n", name, total, families[f].help,
            name, total, families[f].counter ? "counter" : "gauge");
    if (open && families[f].unit)
        fprintf(out, "# UNIT tdtop_%s %s\n", name, families[f].unit);
}

static void put_series(FILE *out, enum family f, const struct exposed *x, const char *own,
                       double v) {
    if (!isnan(v))
        fprintf(out, "tdtop_%s%s{%s%s} %.17g\n", families[f].name,
                families[f].counter ? "_total" : "", x->labels, own, v);
}

static void put_text(FILE *out, const struct exposed *all, bool open) {
    for (int f = 0; f < FAMILIES; f++) {
        put_head(out, (enum family)f, open);
        for (const struct exposed *x = all; x; x = x->next) {
            const struct catalog *c = x->catalog;
            if (f == UP)
                put_series(out, UP, x, "", x->up);
            for (uint32_t i = c ? c->first[f] : 0; c && i < c->first[f + 1]; i++)
                put_series(out, (enum family)f, x, c->text + c->line[i].label, x->v[i]);
        }
    }
    if (open)
        fputs("# EOF\n", out);
}

char *exposition_text(struct exposition *e, bool open, size_t *n) {
    struct exposed *all;
    char *text = NULL;
    FILE *out = copy_all(e, &all) ? open_memstream(&text, n) : NULL;
    if (out)
        put_text(out, all, open);
    free_all(e, all);
    if (out && fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

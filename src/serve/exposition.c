#include "serve/exposition.h"

#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- labels ---- */

bool exposition_label_is_good(const char *name) {
    if (!name[0] || isdigit((unsigned char)name[0]) || strncmp(name, "__", 2) == 0)
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

/* name="value", with \, " and newlines escaped. */
static void put_label(FILE *out, const char *name, const char *value) {
    fprintf(out, "%s=\"", name);
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

static char *labels_of(const struct session *s, const struct exposition_label *label, int n) {
    char *text = NULL, target[256];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    put_label(out, "target", str_safe(target, sizeof(target), s->names.process));
    if (s->source.simulated)
        fputs(",simulated=\"true\"", out);
    if (s->core_type[0]) {
        fputc(',', out);
        put_label(out, "core_type", s->core_type);
    }
    for (int i = 0; i < n; i++) {
        fputc(',', out);
        put_label(out, label[i].name, label[i].value);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- sums ---- */

int exposition_init(struct exposition *e, struct session *const *s, int n,
                    const struct exposition_label *label, int n_label) {
    *e = (struct exposition){.at = calloc((size_t)n, sizeof(*e->at))};
    if (!e->at)
        return -ENOMEM;
    for (e->n = 0; e->n < n; e->n++) {
        struct exposed *x = &e->at[e->n];
        x->s = s[e->n];
        const size_t events = x->s->source.layout.n_event + 1u;
        x->labels = labels_of(x->s, label, n_label);
        x->event = calloc(events, sizeof(*x->event));
        x->enabled_s = calloc(events, sizeof(*x->enabled_s));
        x->running_s = calloc(events, sizeof(*x->running_s));
        x->category = calloc(x->s->model.n_metric + 1u, sizeof(*x->category));
        if (!x->labels || !x->event || !x->enabled_s || !x->running_s || !x->category) {
            e->n++;
            return -ENOMEM;
        }
    }
    return 0;
}

void exposition_free(struct exposition *e) {
    for (int i = 0; i < e->n; i++) {
        free(e->at[i].labels);
        free(e->at[i].event);
        free(e->at[i].enabled_s);
        free(e->at[i].running_s);
        free(e->at[i].category);
    }
    free(e->at);
    *e = (struct exposition){0};
}

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

/* All of level 1, or nothing: rates of its parts are divided by that of the whole. */
static void add_slots(struct exposed *x) {
    const struct session *s = x->s;
    const double slots = slots_of(s);
    if (!(slots > 0) || isnan(s->frame.root_sum))
        return;
    x->slots += slots;
    for (uint32_t i = 0; i < s->model.n_tree; i++)
        if (s->model.metric[i].level == 1 && s->frame.at[i].v > 0)
            x->category[i] += s->frame.at[i].v * slots;
}

static void add_event(struct exposed *x, uint32_t event) {
    const struct count *best = count_of(x->s, event);
    if (!best)
        return;
    if (best->state == COUNT_OK && best->value > 0)
        x->event[event] += best->value;
    x->enabled_s[event] += (double)best->enabled_ns / 1e9;
    x->running_s[event] += (double)best->running_ns / 1e9;
}

void exposition_add(struct exposition *e, int which) {
    struct exposed *x = &e->at[which];
    const struct session *s = x->s;
    if (s->sample.away || s->sample.early) /* nothing was counted; its rest brings all of it */
        return;
    x->n_interval++;
    x->measured_s += (double)(s->frame.t1_ns - s->frame.t0_ns) / 1e9;
    for (uint32_t i = 0; i < s->source.layout.n_event; i++)
        add_event(x, i);
    add_slots(x);
}

/* ---- text ---- */

struct writing {
    const struct exposition *e;
    bool open;
    FILE *out;
};

/* A family: its help, type and unit. In OpenMetrics its name has no _total. */
static void family(const struct writing *w, const char *name, const char *type, const char *unit,
                   const char *help) {
    const bool counter = strcmp(type, "counter") == 0;
    const char *total = counter && !w->open ? "_total" : "";
    fprintf(w->out, "# HELP tdtop_%s%s %s\n# TYPE tdtop_%s%s %s\n", name, total, help, name, total,
            type);
    if (w->open && unit)
        fprintf(w->out, "# UNIT tdtop_%s %s\n", name, unit);
}

/* tdtop_NAME{target="...",EXTRA} VALUE; extra: pairs of a name and a value, NULL at the end. */
static void series(const struct writing *w, const struct exposed *x, const char *name, double v,
                   ...) {
    va_list ap;
    fprintf(w->out, "tdtop_%s{%s", name, x->labels);
    va_start(ap, v);
    for (const char *label; (label = va_arg(ap, const char *));) {
        fputc(',', w->out);
        put_label(w->out, label, va_arg(ap, const char *));
    }
    va_end(ap);
    fprintf(w->out, "} %.17g\n", v);
}

static void put_target(const struct writing *w) {
    family(w, "model_info", "gauge", NULL, "Which model of which core the values are of; 1.");
    for (int i = 0; i < w->e->n; i++)
        series(w, &w->e->at[i], "model_info", 1, "model", w->e->at[i].s->model.name, "version",
               TDTOP_VERSION, NULL);
    family(w, "target_up", "gauge", NULL, "1: what is measured is there.");
    for (int i = 0; i < w->e->n; i++)
        series(w, &w->e->at[i], "target_up",
               w->e->at[i].s->state == STREAM_LIVE && !w->e->at[i].s->sample.away, NULL);
    family(w, "intervals", "counter", NULL, "Intervals that were measured.");
    for (int i = 0; i < w->e->n; i++)
        series(w, &w->e->at[i], "intervals_total", (double)w->e->at[i].n_interval, NULL);
    family(w, "measured_seconds", "counter", "seconds", "Time that was measured.");
    for (int i = 0; i < w->e->n; i++)
        series(w, &w->e->at[i], "measured_seconds_total", w->e->at[i].measured_s, NULL);
}

/* "Frontend_Bound" is frontend_bound. */
static const char *lower(const char *name, char *buf, size_t cap) {
    str_copy(buf, cap, name);
    for (char *p = buf; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return buf;
}

static void put_slots(const struct writing *w) {
    char name[64];
    family(w, "slots", "counter", NULL,
           "Pipeline slots by category of level 1; add them up, then divide.");
    for (int i = 0; i < w->e->n; i++) {
        const struct exposed *x = &w->e->at[i];
        for (uint32_t k = 0; x->slots > 0 && k < x->s->model.n_tree; k++)
            if (x->s->model.metric[k].level == 1)
                series(w, x, "slots_total", x->category[k], "category",
                       lower(x->s->model.metric[k].name, name, sizeof(name)), NULL);
    }
}

/* One family of all counters of events. */
static void put_events(const struct writing *w, const char *name, const char *unit,
                       const char *help, size_t offset) {
    char total[64];
    snprintf(total, sizeof(total), "%s_total", name);
    family(w, name, "counter", unit, help);
    for (int i = 0; i < w->e->n; i++) {
        const struct exposed *x = &w->e->at[i];
        const double *sum = *(double *const *)(const void *)((const char *)x + offset);
        for (uint32_t k = 0; k < x->s->source.layout.n_event; k++)
            if (x->enabled_s[k] > 0 ||
                (sum == x->event && sum[k] > 0)) /* software's have no times */
                series(w, x, total, sum[k], "event", x->s->model.event[k].name, NULL);
    }
}

/* Of the newest interval: what is known. */
static void put_shares(const struct writing *w) {
    char level[16];
    family(w, "share_ratio", "gauge", "ratio",
           "Share of a node of the top-down tree in the newest interval, of what `of` says.");
    for (int i = 0; i < w->e->n; i++) {
        const struct session *s = w->e->at[i].s;
        for (uint32_t k = 0; s->n_frames && k < s->model.n_tree; k++) {
            const struct metric *m = &s->model.metric[k];
            char of[48];
            if (!m->share || isnan(s->frame.at[k].v) || m->level == 0)
                continue;
            snprintf(level, sizeof(level), "%d", m->level);
            series(w, &w->e->at[i], "share_ratio", s->frame.at[k].v, "node", m->name, "path",
                   m->path, "level", level, "of",
                   lower(m->domain ? m->domain : model_whole(&s->model), of, sizeof(of)), NULL);
        }
    }
    family(
        w, "bottleneck_ratio", "gauge", "ratio",
        "The node at the end of the bottleneck path in the newest interval; absent without one.");
    for (int i = 0; i < w->e->n; i++) {
        const struct session *s = w->e->at[i].s;
        const struct bottleneck *b = &s->frame.bottleneck;
        if (s->n_frames && b->n)
            series(w, &w->e->at[i], "bottleneck_ratio", s->frame.at[b->at[b->n - 1]].v, "node",
                   s->model.metric[b->at[b->n - 1]].name, NULL);
    }
}

static void put_vital(const struct writing *w) {
    family(w, "vital_sign", "gauge", NULL, "IPC, GHz and others, of the newest interval.");
    for (int i = 0; i < w->e->n; i++) {
        const struct session *s = w->e->at[i].s;
        for (uint32_t k = 0; s->n_frames && k < s->model.n_metric; k++)
            if (s->model.metric[k].vital && !isnan(s->frame.at[k].v))
                series(w, &w->e->at[i], "vital_sign", s->frame.at[k].v, "metric",
                       s->model.metric[k].name, NULL);
    }
}

void exposition_write(const struct exposition *e, bool open, FILE *out) {
    const struct writing w = {e, open, out};
    put_target(&w);
    put_slots(&w);
    put_events(&w, "events", NULL, "Counts of events, scaled for multiplexing.",
               offsetof(struct exposed, event));
    put_events(&w, "event_enabled_seconds", "seconds",
               "Time that an event was wanted, of all threads or CPUs.",
               offsetof(struct exposed, enabled_s));
    put_events(&w, "event_running_seconds", "seconds", "Time that it was on a counter.",
               offsetof(struct exposed, running_s));
    put_shares(&w);
    put_vital(&w);
    if (open)
        fputs("# EOF\n", out);
}

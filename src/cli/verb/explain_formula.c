/* What the chosen model counts for a metric: its formula, its rule, its events. */
#include "base/str.h"
#include "cli/out/wrap.h"
#include "cli/verb/explain_view.h"
#include "cli/verb/models.h"
#include "model/load/model_text.h"

#include <stdlib.h>
#include <string.h>

enum { LABEL_W = 14, EVENT_W = 44 };

struct numbers {
    FILE *out;
    int width;
};

static void put_pair(const struct numbers *n, const char *label, const char *text) {
    if (!text || !text[0])
        return;
    fprintf(n->out, "  %-*s", LABEL_W, label);
    wrap_put(n->out, n->width, 2 + LABEL_W, text);
}

static void put_locate(const struct numbers *n, const struct metric *x) {
    char text[1024], name[128];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    if (!x->locate || !x->locate[0])
        return;
    for (size_t i = 0; x->locate[i]; i++)
        strbuf_add(&sb, "%s%s", i ? ", " : "", model_sample_text(x->locate[i], name, sizeof(name)));
    put_pair(n, "to sample", text);
    sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "perf record -e %s -p PID, then perf annotate",
               model_sample_text(x->locate[0], name, sizeof(name)));
    put_pair(n, "with perf", text);
}

/* Behind its label; what perf calls it is below the name where a line has no room for both. */
static void put_event(const struct numbers *n, const char *name, const char *text) {
    const int at = 2 + LABEL_W;
    const bool fits = at + EVENT_W + 1 + str_width(text) <= n->width;
    if (fits && str_width(name) <= EVENT_W)
        fprintf(n->out, "%-*s %s\n", EVENT_W, name, text);
    else if (text[0])
        fprintf(n->out, "%s\n%*s%s\n", name, at + 2, "", text);
    else
        fprintf(n->out, "%s\n", name);
}

static void put_events(const struct numbers *n, const struct model *m, int metric) {
    bool *done = calloc(m->n_metric + 1, sizeof(*done)),
         *seen = calloc(m->n_event + 1, sizeof(*seen));
    if (!done || !seen)
        cli_lack();
    char text[256];
    if (done && seen)
        models_events_of(m, metric, done, seen);
    const char *label = "events";
    for (uint32_t i = 0; done && seen && i < m->n_event; i++) {
        if (!seen[i])
            continue;
        fprintf(n->out, "  %-*s", LABEL_W, label);
        put_event(n, m->event[i].name, model_event_text(m, &m->event[i], text, sizeof(text)));
        label = "";
    }
    free(done);
    free(seen);
}

void explain_formula(const struct explain_view *v, const struct explain_entry *e, int width,
                     FILE *out) {
    const struct numbers n = {out, width};
    const int metric = explain_view_metric(v, e);
    if (metric == METRIC_NONE)
        return;
    const struct metric *x = &v->chosen->metric[metric];
    fprintf(out, "\nIn the model %s (%s)\n", v->chosen->name, v->chosen->title);
    put_pair(&n, "path", strcmp(x->path, x->name) != 0 ? x->path : NULL);
    put_pair(&n, "vendor's name", x->vendor);
    put_pair(&n, "formula", x->formula);
    put_pair(&n, "counts when", x->threshold_text);
    put_pair(&n, "approximate", x->approximate);
    put_pair(&n, "not available", x->unavailable);
    put_events(&n, v->chosen, metric);
    put_locate(&n, x);
}

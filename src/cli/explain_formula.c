/* What the chosen model counts for a metric: its formula, its rule, its events. */
#include "base/str.h"
#include "cli/explain_view.h"
#include "cli/models.h"
#include "cli/wrap.h"
#include "model/model_text.h"

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
    char text[1024];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (size_t i = 0; x->locate && x->locate[i]; i++)
        strbuf_add(&sb, "%s%s", i ? ", " : "", x->locate[i]);
    put_pair(n, "to sample", text);
}

static void put_events(const struct numbers *n, const struct model *m, int metric) {
    bool *done = calloc(m->n_metric + 1, sizeof(*done)),
         *seen = calloc(m->n_event + 1, sizeof(*seen));
    char text[256];
    if (done && seen)
        models_events_of(m, metric, done, seen);
    const char *label = "events";
    for (uint32_t i = 0; done && seen && i < m->n_event; i++) {
        if (!seen[i])
            continue;
        fprintf(n->out, "  %-*s%-*s %s\n", LABEL_W, label, EVENT_W, m->event[i].name,
                model_event_text(m, &m->event[i], text, sizeof(text)));
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

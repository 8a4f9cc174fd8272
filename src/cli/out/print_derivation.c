/* --explain-value: an account of one value (model/eval/derivation.h), as lines or as an object.
 */
#include "cli/out/print.h"

#include "model/load/model_text.h"

#include <math.h>
#include <string.h>

static void make(const struct printer *p, const struct session *s, const struct frame *f,
                 bool summary) {
    const struct derivation_of of = {
        .model = &s->model,
        .layout = &s->source.layout,
        .eval = &s->eval,
        .sample = summary ? window_sample(&s->window) : &s->sample,
        .frame = f,
        .window = &s->window,
        .sum = summary,
    };
    derivation_make(p->derivation, &of, p->explained);
}

/* ---- lines ---- */

static void put_line(void *user, const struct derivation_line *line) {
    FILE *out = user;
    if (line->style == DERIVATION_STRONG)
        fprintf(out, "\n%s\n", line->text);
    else if (line->style == DERIVATION_HEADING)
        fprintf(out, "  %s\n", line->text);
    else if (line->label)
        fprintf(out, "    %-40s %s\n", line->label, line->text);
    else
        fprintf(out, "    %s\n", line->text);
}

void print_derivation(const struct printer *p, const struct session *s, const struct frame *f,
                      bool summary) {
    make(p, s, f, summary);
    derivation_lines(p->derivation, put_line, p->out);
}

/* ---- an object ---- */

static void put_text(struct json_put *w, const char *key, const char *text) {
    if (text[0])
        json_put_text(w, key, text);
    else
        json_put_null(w, key);
}

static void put_formula(struct json_put *w, const struct derivation *ac) {
    static const char *const kinds[] = {
        [DERIVATION_NONE] = "none",
        [DERIVATION_MAIN] = "main",
        [DERIVATION_ALT] = "alternative",
        [DERIVATION_FALLBACK] = "fallback",
    };
    char text[DERIVATION_TEXT_MAX];
    json_put_begin(w, "formula", '{');
    json_put_text(w, "kind", kinds[ac->kind]);
    if (ac->kind != DERIVATION_MAIN)
        json_put_text(w, "why", derivation_kind_text(ac, text, sizeof(text)));
    put_text(w, "text", derivation_formula_text(ac, text, sizeof(text)));
    put_text(w, "filled", derivation_filled(ac, text, sizeof(text)));
    json_put_number(w, "result", derivation_value(ac));
    json_put_integer(w, "group", ac->group);
    json_put_end(w, '}');
}

static void put_count(struct json_put *w, const struct derivation *ac, int slot) {
    const struct count *c = &ac->of.sample->at[slot];
    const bool known = c->state == COUNT_OK;
    json_put_number(w, "count", known ? c->value : NAN);
    json_put_number(w, "counted", derivation_counted(c));
    json_put_number(w, "enabled_ms", (double)c->enabled_ns / 1e6);
    json_put_number(w, "running_ms", (double)c->running_ns / 1e6);
    json_put_number(w, "duty", known ? count_duty(c) : NAN);
    json_put_integer(w, "group", ac->of.layout->slot[slot].group);
    if (!known)
        json_put_text(w, "reason", count_state_text((enum count_state)c->state));
}

static void put_events(struct json_put *w, const struct derivation *ac) {
    json_put_begin(w, "events", '[');
    for (uint32_t i = 0; i < ac->n_event; i++) {
        const struct derivation_event *e = &ac->event[i];
        json_put_begin(w, NULL, '{');
        json_put_text(w, "event", ac->of.model->event[e->event].name);
        json_put_bool(w, "own", e->own);
        if (e->slot >= 0)
            put_count(w, ac, e->slot);
        else
            json_put_text(w, "reason",
                          count_state_text((enum count_state)ac->of.layout->missing[e->event]));
        json_put_end(w, '}');
    }
    json_put_end(w, ']');
}

static void put_metrics(struct json_put *w, const struct derivation *ac) {
    json_put_begin(w, "metrics", '[');
    for (uint32_t i = 0; i < ac->n_named; i++) {
        const int metric = ac->named[i];
        json_put_begin(w, NULL, '{');
        json_put_text(w, "metric", ac->of.model->metric[metric].name);
        json_put_number(w, "value", derivation_named(ac, metric));
        json_put_bool(w, "inlined", ac->of.model->metric[metric].inlined);
        json_put_end(w, '}');
    }
    json_put_end(w, ']');
}

static void put_constants(struct json_put *w, const struct derivation *ac) {
    json_put_begin(w, "constants", '[');
    for (uint32_t i = 0; i < ac->n_constant; i++) {
        const int index = ac->constant[i].index;
        char name[128];
        model_const_text(ac->of.model, index, name, sizeof(name));
        json_put_begin(w, NULL, '{');
        json_put_text(w, "constant", name);
        json_put_number(w, "value", derivation_constant(ac, index));
        json_put_text(w, "origin", derivation_origin(ac, index));
        json_put_bool(w, "decides", ac->constant[i].decides);
        json_put_end(w, '}');
    }
    json_put_end(w, ']');
}

static void put_threshold(struct json_put *w, const struct derivation *ac) {
    const struct metric *mt = &ac->of.model->metric[ac->metric];
    char text[DERIVATION_TEXT_MAX];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    if (!mt->threshold) {
        json_put_null(w, "threshold");
        return;
    }
    model_expr_text(ac->of.model, mt->threshold, &sb);
    json_put_begin(w, "threshold", '{');
    json_put_text(w, "text", text);
    json_put_text(w, "filled", derivation_threshold(ac, text, sizeof(text)));
    json_put_bool(w, "over", ac->of.frame->at[ac->metric].over);
    json_put_end(w, '}');
}

static void put_err(struct json_put *w, const struct derivation *ac) {
    const struct value *v = &ac->of.frame->at[ac->metric];
    const struct spread_parts p = window_err(ac->of.window, ac->metric, v, ac->of.sum);
    char text[512];
    json_put_begin(w, "error", '{');
    json_put_number(w, "err", p.err);
    json_put_integer(w, "values", p.n);
    json_put_number(w, "t", p.t);
    json_put_number(w, "deviation", p.sd);
    json_put_number(w, "unseen", p.unseen);
    json_put_number(w, "intervals", p.intervals);
    json_put_number(w, "resolution", p.resolution);
    put_text(w, "text", derivation_err(ac, text, sizeof(text)));
    json_put_end(w, '}');
}

void print_derivation_json(struct json_put *w, const char *key, const struct printer *p,
                           const struct session *s, const struct frame *f, bool summary) {
    const struct derivation *ac = p->derivation;
    const struct value *v = &f->at[p->explained];
    char reason[DERIVATION_TEXT_MAX];
    make(p, s, f, summary);
    json_put_begin(w, key, '{');
    json_put_text(w, "metric", s->model.metric[p->explained].name);
    json_put_number(w, "value", v->v);
    json_put_text(w, "state", value_state_name((enum value_state)v->state));
    put_text(w, "reason", derivation_reason(ac, reason, sizeof(reason)));
    put_text(w, "parts", derivation_parts(ac, reason, sizeof(reason)));
    put_formula(w, ac);
    put_events(w, ac);
    put_metrics(w, ac);
    put_constants(w, ac);
    put_threshold(w, ac);
    put_err(w, ac);
    json_put_end(w, '}');
}

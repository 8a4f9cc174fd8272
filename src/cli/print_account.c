/* --explain-value: an account of one value (model/eval_account.h), as lines or as an object. */
#include "cli/print.h"

#include "model/model_text.h"

#include <math.h>
#include <string.h>

static void make(const struct printer *p, const struct session *s, const struct frame *f,
                 bool summary) {
    const struct account_of of = {
        .model = &s->model,
        .layout = &s->source.layout,
        .eval = &s->eval,
        .sample = summary ? window_sample(&s->window) : &s->sample,
        .frame = f,
        .window = &s->window,
        .sum = summary,
    };
    account_make(p->account, &of, p->explained);
}

/* ---- lines ---- */

static void put_line(void *user, const struct account_line *line) {
    FILE *out = user;
    if (line->style == ACCOUNT_STRONG)
        fprintf(out, "\n%s\n", line->text);
    else if (line->style == ACCOUNT_HEADING)
        fprintf(out, "  %s\n", line->text);
    else if (line->label)
        fprintf(out, "    %-40s %s\n", line->label, line->text);
    else
        fprintf(out, "    %s\n", line->text);
}

void print_account(const struct printer *p, const struct session *s, const struct frame *f,
                   bool summary) {
    make(p, s, f, summary);
    account_lines(p->account, put_line, p->out);
}

/* ---- an object ---- */

static json_t *text_or_null(const char *text) {
    return text[0] ? json_string(text) : json_null();
}

static json_t *milliseconds(uint64_t ns) {
    return json_real((double)ns / 1e6);
}

static json_t *formula_object(const struct account *ac) {
    static const char *const kinds[] = {
        [ACCOUNT_NONE] = "none",
        [ACCOUNT_MAIN] = "main",
        [ACCOUNT_ALT] = "alternative",
        [ACCOUNT_FALLBACK] = "fallback",
    };
    char text[ACCOUNT_TEXT_MAX];
    json_t *o = json_object();
    json_object_set_new(o, "kind", json_string(kinds[ac->kind]));
    if (ac->kind != ACCOUNT_MAIN)
        json_object_set_new(o, "why", json_string(account_kind_text(ac, text, sizeof(text))));
    json_object_set_new(o, "text", text_or_null(account_formula_text(ac, text, sizeof(text))));
    json_object_set_new(o, "filled", text_or_null(account_filled(ac, text, sizeof(text))));
    json_object_set_new(o, "result", print_number(account_value(ac)));
    json_object_set_new(o, "group", json_integer(ac->group));
    return o;
}

static void set_count(json_t *o, const struct account *ac, int slot) {
    const struct count *c = &ac->of.sample->at[slot];
    const bool known = c->state == COUNT_OK;
    json_object_set_new(o, "count", known ? print_number(c->value) : json_null());
    json_object_set_new(o, "counted", print_number(account_counted(c)));
    json_object_set_new(o, "enabled_ms", milliseconds(c->enabled_ns));
    json_object_set_new(o, "running_ms", milliseconds(c->running_ns));
    json_object_set_new(o, "duty", known ? json_real(count_duty(c)) : json_null());
    json_object_set_new(o, "group", json_integer(ac->of.layout->slot[slot].group));
    if (!known)
        json_object_set_new(o, "reason", json_string(count_state_text((enum count_state)c->state)));
}

static json_t *events_list(const struct account *ac) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < ac->n_event; i++) {
        const struct account_event *e = &ac->event[i];
        json_t *o = json_object();
        json_object_set_new(o, "event", json_string(ac->of.model->event[e->event].name));
        json_object_set_new(o, "own", json_boolean(e->own));
        if (e->slot >= 0)
            set_count(o, ac, e->slot);
        else
            json_object_set_new(
                o, "reason",
                json_string(count_state_text((enum count_state)ac->of.layout->missing[e->event])));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *metrics_list(const struct account *ac) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < ac->n_named; i++) {
        const int metric = ac->named[i];
        json_t *o = json_object();
        json_object_set_new(o, "metric", json_string(ac->of.model->metric[metric].name));
        json_object_set_new(o, "value", print_number(account_named(ac, metric)));
        json_object_set_new(o, "inlined", json_boolean(ac->of.model->metric[metric].inlined));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *constants_list(const struct account *ac) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < ac->n_constant; i++) {
        const int index = ac->constant[i].index;
        char name[128];
        json_t *o = json_object();
        model_const_text(ac->of.model, index, name, sizeof(name));
        json_object_set_new(o, "constant", json_string(name));
        json_object_set_new(o, "value", print_number(account_constant(ac, index)));
        json_object_set_new(o, "origin", json_string(account_origin(ac, index)));
        json_object_set_new(o, "decides", json_boolean(ac->constant[i].decides));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *threshold_object(const struct account *ac) {
    const struct metric *mt = &ac->of.model->metric[ac->metric];
    char text[ACCOUNT_TEXT_MAX];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    if (!mt->threshold)
        return json_null();
    json_t *o = json_object();
    model_expr_text(ac->of.model, mt->threshold, &sb);
    json_object_set_new(o, "text", json_string(text));
    json_object_set_new(o, "filled", json_string(account_threshold(ac, text, sizeof(text))));
    json_object_set_new(o, "over", json_boolean(ac->of.frame->at[ac->metric].over));
    return o;
}

static json_t *err_object(const struct account *ac) {
    const struct value *v = &ac->of.frame->at[ac->metric];
    const struct spread_parts p = window_err(ac->of.window, ac->metric, v, ac->of.sum);
    char text[512];
    json_t *o = json_object();
    json_object_set_new(o, "err", print_number(p.err));
    json_object_set_new(o, "values", json_integer(p.n));
    json_object_set_new(o, "t", print_number(p.t));
    json_object_set_new(o, "deviation", print_number(p.sd));
    json_object_set_new(o, "unseen", print_number(p.unseen));
    json_object_set_new(o, "intervals", json_real(p.intervals));
    json_object_set_new(o, "resolution", print_number(p.resolution));
    json_object_set_new(o, "text", text_or_null(account_err(ac, text, sizeof(text))));
    return o;
}

json_t *print_account_json(const struct printer *p, const struct session *s, const struct frame *f,
                           bool summary) {
    const struct account *ac = p->account;
    const struct value *v = &f->at[p->explained];
    char reason[ACCOUNT_TEXT_MAX];
    json_t *o = json_object();
    make(p, s, f, summary);
    json_object_set_new(o, "metric", json_string(s->model.metric[p->explained].name));
    json_object_set_new(o, "value", print_number(v->v));
    json_object_set_new(o, "state", json_string(value_state_name((enum value_state)v->state)));
    json_object_set_new(o, "reason", text_or_null(account_reason(ac, reason, sizeof(reason))));
    json_object_set_new(o, "parts", text_or_null(account_parts(ac, reason, sizeof(reason))));
    json_object_set_new(o, "formula", formula_object(ac));
    json_object_set_new(o, "events", events_list(ac));
    json_object_set_new(o, "metrics", metrics_list(ac));
    json_object_set_new(o, "constants", constants_list(ac));
    json_object_set_new(o, "threshold", threshold_object(ac));
    json_object_set_new(o, "error", err_object(ac));
    return o;
}

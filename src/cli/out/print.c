#include "cli/out/print.h"

#include "base/str.h"
#include "cli/out/print_units.h"
#include "model/eval/bottleneck.h"
#include "model/load/time_parts.h"
#include "session/hybrid.h"

#include <math.h>
#include <string.h>

const char *print_unit(const struct metric *m) {
    return m->share ? "share" : m->unit ? m->unit : "";
}

const char *print_value(const struct metric *m, const struct value *v, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    if (isnan(v->v))
        strbuf_add(&sb, "%s", value_state_name((enum value_state)v->state));
    else if (m->share)
        strbuf_add(&sb, "%.1f %%", v->v * 100);
    else if (fabs(v->v) < 1e6)
        strbuf_add(&sb, fabs(v->v) < 10 ? "%.3f %s" : "%.1f %s", v->v, m->unit ? m->unit : "");
    else
        strbuf_add(&sb, "%.4g %s", v->v, m->unit ? m->unit : "");
    while (sb.n && buf[sb.n - 1] == ' ')
        buf[--sb.n] = '\0';
    return buf;
}

bool print_has_row(const struct printer *p, const struct session *s, const struct frame *f, int i,
                   bool summary) {
    if (!p->absent || summary)
        return true;
    enum printer_said *said = &p->absent[i];
    if (!isnan(f->at[i].v))
        *said = SAID_A_VALUE;
    if (*said != SAID_NOTHING)
        return *said == SAID_A_VALUE;
    if (eval_is_absent(&s->source.layout, &f->at[i]))
        *said = SAID_ABSENT;
    return true;
}

static bool on_path(const struct bottleneck *b, int metric) {
    for (int i = 0; i < b->n; i++)
        if (b->at[i] == metric)
            return true;
    return b->tie[0] == metric || b->tie[1] == metric;
}

static bool shown(const struct printer *p, const struct session *s, const struct frame *f, int i) {
    const struct metric *m = &s->model.metric[i];
    if (p->verbose)
        return true;
    if (s->source.opt.wanted) /* --nodes */
        return s->source.opt.wanted[i];
    if (m->kind != METRIC_TREE)
        return m->vital || m->own;
    int level = p->level ? p->level : 2;
    return m->level <= level || f->at[i].over || on_path(&f->bottleneck, i);
}

/* Half of the 95 % interval, seven columns wide: in percent of a share, else in the value's unit.
 */
static const char *err_text(const struct metric *m, const struct value *v, char *buf, size_t cap) {
    char si[16];
    if (isnan(v->v) || isnan(v->err))
        snprintf(buf, cap, "%7s", "");
    else if (m->share)
        snprintf(buf, cap, "± %-5.1f", v->err * 100);
    else
        snprintf(buf, cap, "± %-5s", str_si(si, sizeof(si), v->err));
    return buf;
}

static void text_row(const struct printer *p, const struct session *s, const struct frame *f,
                     int i) {
    const struct metric *m = &s->model.metric[i];
    const struct value *v = &f->at[i];
    const char *of = metric_share_of(&s->model, m);
    char name[96], value[48], err[32], why[256];
    struct strbuf sb = strbuf_on(name, sizeof(name));
    strbuf_add(&sb, "%*s%s", m->kind == METRIC_TREE ? 2 * (m->level - 1) : 0, "", m->name);
    fprintf(p->out, "  %-34s %14s", name, print_value(m, v, value, sizeof(value)));
    fprintf(p->out, "  %s", err_text(m, v, err, sizeof(err)));
    if (!isnan(v->v))
        fprintf(p->out, " %4.0f %%  %s%s%s%s%s", (double)v->duty * 100, v->over ? "over " : "",
                v->approx ? "approx " : "", v->state == VALUE_ODD ? "odd " : "", of ? "of " : "",
                of ? of : "");
    const struct bottleneck *b = &f->bottleneck;
    if (b->n && b->at[b->n - 1] == i)
        fprintf(p->out, "%s<==", of ? " " : "");
    if (v->split)
        fputs(" " DERIVATION_PARTED, p->out);
    if (isnan(v->v) || (v->approx && !p->doubted[i]))
        fprintf(p->out, " %s", why_text(&s->model, v->why, why, sizeof(why)));
    p->doubted[i] |= v->approx && !isnan(v->v);
    fputc('\n', p->out);
}

/* "  P-cores, 62.0 % of the CPU time", on a CPU with several core types. Returns buf. */
static const char *type_words(const struct session *s, const struct frame *f, char *buf,
                              size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    if (session_type(s)[0])
        strbuf_add(&sb, "  %s", session_cores(s));
    if (session_type(s)[0] && !isnan(f->here))
        strbuf_add(&sb, ", %.1f %% of the CPU time", f->here * 100);
    return buf;
}

static void text_frame(const struct printer *p, const struct session *s, const struct frame *f,
                       double dt, bool summary) {
    char path[1024], warning[128], cores[64];
    struct time_parts time;
    fprintf(p->out, "%s%.3f s  %s  %s%s%s%s", summary ? "# the whole run, " : "# ",
            summary ? dt : (double)f->t1_ns / 1e9, s->model.name, s->source.ops->name,
            s->source.simulated ? "  SIMULATED" : "", type_words(s, f, cores, sizeof(cores)),
            s->phase[0] ? "  " : "");
    fputs(s->phase, p->out);
    if (s->sample.merged && !summary)
        fprintf(p->out, "  %u intervals, %.3f s: read too slowly", s->sample.merged + 1, dt);
    fprintf(p->out, "\n# %s\n", bottleneck_text(&s->model, f, &f->bottleneck, path, sizeof(path)));
    if (time_parts_of(&s->model, f, &time) && time_parts_words(&time, path, sizeof(path))[0])
        fprintf(p->out, "# %s\n", path);
    if (session_warning(s, f, warning, sizeof(warning))[0])
        fprintf(p->out, "# note: %s\n", warning);
    for (uint32_t i = 0; i < s->model.n_metric; i++)
        if (shown(p, s, f, (int)i) && print_has_row(p, s, f, (int)i, summary))
            text_row(p, s, f, (int)i);
    if (p->units && !summary)
        print_units_text(p, s);
    if (p->derivation)
        print_derivation(p, s, f, summary);
    fputc('\n', p->out);
    fflush(p->out);
}

static void text_begin(const struct printer *p, const struct session *s) {
    fprintf(p->out, "# tdtop: %s%s%s\n# model %s: %s%s%s; %s\n", s->source.target_text,
            session_type(s)[0] ? "; " : "", session_cores(s), s->model.name, s->model.title,
            s->model.tma[0] ? ", TMA " : "", s->model.tma, s->why_model);
    if (s->source.note[0])
        fprintf(p->out, "# note: %s\n", s->source.note);
    fprintf(p->out, "# %-34s %14s  %7s %6s\n", "metric", "value", "95 %", "duty");
}

const struct print_ops print_text = {text_begin, true, text_frame};

/*
 * The report: what was measured, how far it can be trusted, what it means, what to try, and how to
 * tell whether that helped. What a profiler of code would add (hot spots, lines) is not known here
 * and not in it.
 */
#include "cli/report.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/when.h"
#include "cli/run_json.h"
#include "model/explain.h"
#include "model/explain_fit.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct report {
    const struct run *r;
    FILE *out;
    struct model model;
    bool has_model;
    bool has_thresholds; /* its model's, or the tool's that it was imported from */
    struct explain explain;
};

/* ---- words ---- */

void report_text(FILE *out, const char *text) {
    const size_t cap = strlen(text) + 1;
    char *safe = malloc(cap);
    str_safe(safe ? safe : (char[1]){0}, safe ? cap : 1, text);
    char before = ' ';
    for (const char *c = safe ? safe : ""; *c; before = *c++) {
        const bool in_word = *c == '_' && isalnum((unsigned char)before); /* no emphasis there */
        if (strchr("\\`*_[]<|", *c) && !in_word)
            fputc('\\', out);
        fputc(*c, out);
    }
    free(safe);
}

static void cell(FILE *out, const char *text) {
    fputs(" ", out);
    report_text(out, text);
    fputs(" |", out);
}

static const struct metric *metric_of(const struct report *rp, const struct run_node *n) {
    const int i = rp->has_model ? model_find(&rp->model, n->path) : METRIC_NONE;
    return i == METRIC_NONE ? NULL : &rp->model.metric[i];
}

static const char *value(const struct run_node *n, char *buf, size_t cap) {
    return run_value_text(n->share, n->unit, n->value.v, buf, cap);
}

static const char *err_text(const struct run_node *n, char *buf, size_t cap) {
    char half[32];
    run_err_text(n, half, sizeof(half));
    snprintf(buf, cap, "%s%s", half[0] ? "± " : "", half[0] ? half : "not known");
    return buf;
}

static const struct run_node *find_path(const struct run *r, const char *path, size_t n) {
    for (size_t i = 0; i < r->node.n; i++)
        if (strlen(r->node.at[i].path) == n && !strncmp(r->node.at[i].path, path, n))
            return &r->node.at[i];
    return NULL;
}

static const struct run_node *bottleneck(const struct run *r) {
    return r->bottleneck[0] ? find_path(r, r->bottleneck, strlen(r->bottleneck)) : NULL;
}

static bool any_over(const struct run *r) {
    for (size_t i = 0; i < r->node.n; i++)
        if (r->node.at[i].value.over)
            return true;
    return false;
}

/* ---- what it is of ---- */

static void put_title(const struct report *rp) {
    const struct run *r = rp->r;
    const struct run_node *n = bottleneck(r);
    char text[32], when[32], took[32];
    fputs("# ", rp->out);
    report_text(rp->out, r->target[0] ? r->target : r->process);
    fputs(r->simulated ? " (SIMULATED)\n\n" : "\n\n", rp->out);
    if (n) {
        fputs("**Limited by ", rp->out);
        report_text(rp->out, n->name);
        fprintf(rp->out, ": %s.** ", value(n, text, sizeof(text)));
    } else if (rp->has_thresholds) {
        fputs("**No node is over its threshold.** ", rp->out);
    } else {
        fputs("**What limits it is not known: it came without thresholds.** ", rp->out);
    }
    fprintf(rp->out, "Run `%s` of %s: %s measured", r->id,
            when_text(r->begun_ns, when, sizeof(when)),
            when_duration(r->measured_ns, took, sizeof(took)));
    if (series_rows(&r->series))
        fprintf(rp->out, " in %llu interval%s", (unsigned long long)series_rows(&r->series),
                series_rows(&r->series) == 1 ? "" : "s");
    fputs(".\n\n", rp->out);
    if (r->note[0]) {
        fputs("> ", rp->out);
        report_text(rp->out, r->note);
        fputs("\n\n", rp->out);
    }
    if (r->doubt[0]) {
        fputs("**Doubt:** ", rp->out);
        report_text(rp->out, r->doubt);
        fputs("\n\n", rp->out);
    }
}

static void put_pair(const struct report *rp, const char *key, const char *text) {
    if (!text || !text[0])
        return;
    fputs("|", rp->out);
    cell(rp->out, key);
    cell(rp->out, text);
    fputc('\n', rp->out);
}

static void put_environment(const struct report *rp) {
    const struct run *r = rp->r;
    char model[200];
    fputs("## Environment\n\n| | |\n|---|---|\n", rp->out);
    put_pair(rp, "process", r->process);
    put_pair(rp, "command", r->command);
    if (rp->has_model)
        snprintf(model, sizeof(model), "%s: %s%s%s", r->model, rp->model.title,
                 rp->model.tma[0] ? ", TMA " : "", rp->model.tma);
    put_pair(rp, "model", rp->has_model ? model : r->model);
    put_pair(rp, "counts from", r->source);
    put_pair(rp, "measured by", r->version);
    for (size_t i = 0; i < r->fact.n; i++)
        put_pair(rp, r->fact.at[i].key, r->fact.at[i].value);
    for (size_t i = 0; i < r->label.n; i++)
        put_pair(rp, r->label.at[i].key, r->label.at[i].value);
    fputc('\n', rp->out);
}

/* ---- where the time went ---- */

static void put_assessment(const struct report *rp, const struct run_node *n) {
    const struct metric *mt = metric_of(rp, n);
    char text[400];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    if (isnan(n->value.v)) {
        strbuf_add(&sb, "not known: %s", n->reason);
    } else {
        strbuf_add(&sb, "%s",
                   n->value.over        ? "**over**"
                   : rp->has_thresholds ? "below"
                                        : "not known");
        if (n->value.approx || n->value.state == VALUE_ODD)
            strbuf_add(&sb, "; %s", n->value.approx ? "approximate" : "odd");
    }
    if (n->value.over)
        fprintf(rp->out, " %s |", text);
    else
        cell(rp->out, text);
    cell(rp->out, mt && mt->threshold_text ? mt->threshold_text : "");
}

static void put_node(const struct report *rp, const struct run_node *n) {
    char text[64], duty[16] = "";
    fputs("|", rp->out);
    cell(rp->out, n->name);
    cell(rp->out, value(n, text, sizeof(text)));
    cell(rp->out, isnan(n->value.v) ? "" : err_text(n, text, sizeof(text)));
    cell(rp->out, run_sd_text(n, text, sizeof(text)));
    if (!isnan(n->value.v))
        snprintf(duty, sizeof(duty), "%.0f %%", (double)n->value.duty * 100);
    cell(rp->out, duty);
    put_assessment(rp, n);
    fputc('\n', rp->out);
}

static void put_table_head(const struct report *rp, const char *title) {
    fprintf(rp->out,
            "## %s\n\n| node | value | ± | sd | duty | threshold | over when |\n"
            "|---|--:|--:|--:|--:|---|---|\n",
            title);
}

static void put_level_1(const struct report *rp) {
    put_table_head(rp, "Level 1");
    for (size_t i = 0; i < rp->r->node.n; i++)
        if (rp->r->node.at[i].level == 1)
            put_node(rp, &rp->r->node.at[i]);
    fputc('\n', rp->out);
}

/* From the root down. */
static void put_path(const struct report *rp) {
    const char *path = rp->r->bottleneck;
    if (!bottleneck(rp->r))
        return;
    put_table_head(rp, "The way to the bottleneck");
    for (size_t n = 0; path[n]; n += path[n] == '.') {
        n += strcspn(path + n, ".");
        const struct run_node *node = find_path(rp->r, path, n);
        if (node)
            put_node(rp, node);
    }
    fputc('\n', rp->out);
}

/* ---- what it means ---- */

static void put_list(const struct report *rp, const char *title, const char **list) {
    if (!list || !list[0])
        return;
    fprintf(rp->out, "%s\n\n", title);
    for (; *list; list++) {
        fputs("- ", rp->out);
        report_text(rp->out, *list);
        fputc('\n', rp->out);
    }
    fputc('\n', rp->out);
}

static void put_diagnosis(const struct report *rp) {
    const struct run_node *n = bottleneck(rp->r);
    const struct explain_entry *e = n ? explain_find(&rp->explain, n->name) : NULL;
    if (!e)
        return;
    fputs("## Diagnosis\n\n**", rp->out);
    report_text(rp->out, n->name);
    fputs(".** ", rp->out);
    report_text(rp->out, e->description ? e->description : e->summary);
    fputs("\n\n", rp->out);
    put_list(rp, "What is often behind it (the counters do not say which it is):", e->causes);
    put_list(rp, "How to make sure:", e->confirm);
    const struct metric *mt = metric_of(rp, n);
    put_list(rp, "Events to sample, which point at code:", mt ? mt->locate : NULL);
    put_list(rp, "## Recommendations\n\nGeneral remedies for this bottleneck; none was tried here:",
             e->hints);
}

static void put_validation(const struct report *rp) {
    const struct run_node *n = bottleneck(rp->r);
    char seconds[32];
    const double s = (double)rp->r->measured_ns / (double)NS_PER_S;
    snprintf(seconds, sizeof(seconds), "%.0fs", fmax(ceil(s), 10));
    fprintf(rp->out,
            "## Validation plan\n\nMake one change, put the same load on it, measure for as long, "
            "compare:\n\n```sh\ntdtop collect %s -d %s -L step=after\ntdtop compare %.8s @0%s%s%s\n"
            "```\n\n",
            rp->r->system_wide ? "-a" : "-P NAME", seconds, rp->r->id,
            n && n->share ? " --fail-on '" : "", n && n->share ? n->name : "",
            n && n->share ? ":+1'" : "");
    fputs("`regressed` and `improved` are said only where chance is unlikely to have made the "
          "difference. Repeat both sides at least three times (`-r 3`) to see what differs from "
          "run to run.\n\n",
          rp->out);
}

/* ---- the rest ---- */

static bool is_vital(const struct report *rp, const struct run_node *n) {
    const struct metric *mt = metric_of(rp, n);
    return n->level == 0 && !isnan(n->value.v) && (!mt || mt->vital);
}

static void put_vitals(const struct report *rp) {
    char text[64];
    bool any = false;
    for (size_t i = 0; i < rp->r->node.n; i++) {
        const struct run_node *n = &rp->r->node.at[i];
        if (!is_vital(rp, n))
            continue;
        if (!any)
            fputs("## Vital signs\n\n| metric | value | ± | sd |\n|---|--:|--:|--:|\n", rp->out);
        any = true;
        fputs("|", rp->out);
        cell(rp->out, n->name);
        cell(rp->out, value(n, text, sizeof(text)));
        cell(rp->out, err_text(n, text, sizeof(text)));
        cell(rp->out, run_sd_text(n, text, sizeof(text)));
        fputc('\n', rp->out);
    }
    fputs(any ? "\n" : "", rp->out);
}

/* "UNC_CHA_CLOCKTICKS: outside the core": the cause without the event, which the node's own reason
 * has. */
static const char *cause_of(const struct run_node *n) {
    const char *colon = strstr(n->reason, ": ");
    return colon ? colon + 2 : n->reason[0] ? n->reason : "no reason was kept";
}

/* Of the first node with this cause, all nodes that it concerns; of the others nothing. */
static void put_cause(const struct report *rp, size_t first, bool *any) {
    const struct run *r = rp->r;
    const char *cause = cause_of(&r->node.at[first]);
    for (size_t i = 0; i < first; i++)
        if (isnan(r->node.at[i].value.v) && !strcmp(cause_of(&r->node.at[i]), cause))
            return;
    fputs(*any ? "- " : "## Not known\n\n- ", rp->out);
    report_text(rp->out, cause);
    for (size_t i = first; i < r->node.n; i++) {
        if (!isnan(r->node.at[i].value.v) || strcmp(cause_of(&r->node.at[i]), cause) != 0)
            continue;
        fputs(i > first ? ", " : ": ", rp->out);
        report_text(rp->out, r->node.at[i].name);
    }
    fputc('\n', rp->out);
    *any = true;
}

static void put_unknown(const struct report *rp) {
    bool any = false;
    for (size_t i = 0; i < rp->r->node.n; i++)
        if (isnan(rp->r->node.at[i].value.v))
            put_cause(rp, i, &any);
}

/* As on the screen. */
static void put_legend(const struct report *rp) {
    fputs("±: half width of the 95 % interval of how far the value may be off in this run, because "
          "its events did not count all the time, or count in coarse steps. sd: standard deviation "
          "from interval to interval.\n\n",
          rp->out);
}

/* What is said of this model, or of all where the run has none. */
static int load_knowledge(struct report *rp, struct err *err) {
    if (!rp->r->model_text[0])
        return explain_load(&rp->explain, err);
    const int rc = explain_load_for(&rp->explain, &rp->model, err);
    return rc < 0 ? rc : explain_fit(&rp->explain, &rp->model);
}

int report_markdown(const struct run *r, FILE *out, struct err *err) {
    struct report rp = {.r = r, .out = out};
    int rc = 0;
    if (r->model_text[0])
        rc = model_load(&rp.model, r->model_text, strlen(r->model_text), r->model, err);
    if (rc == 0)
        rc = load_knowledge(&rp, err);
    rp.has_model = rc == 0 && r->model_text[0];
    rp.has_thresholds = rp.has_model || any_over(r);
    if (rc == 0) {
        put_title(&rp);
        put_environment(&rp);
        put_level_1(&rp);
        put_path(&rp);
        put_diagnosis(&rp);
        put_vitals(&rp);
        put_legend(&rp);
        put_validation(&rp);
        put_unknown(&rp);
    }
    model_free(&rp.model);
    explain_free(&rp.explain);
    return rc;
}

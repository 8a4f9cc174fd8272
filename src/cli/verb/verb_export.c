/* `tdtop export`: a run as a file of tdtop's own (run_export.h), its values per interval, or a
 * report in Markdown. */
#include "base/clock.h"
#include "base/door.h"
#include "base/str.h"
#include "base/when.h"
#include "cli/file/output.h"
#include "cli/file/run_export.h"
#include "cli/file/run_json.h"
#include "cli/file/run_pick.h"
#include "cli/out/plain.h"
#include "cli/out/print.h"
#include "cli/verb/where_view.h"
#include "model/hot/hot_export.h"
#include "model/knowledge/explain.h"
#include "model/run/run.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * ---- the report ----
 *
 * What was measured, how far it can be trusted, what it means, what to try, and how to tell whether
 * that helped.
 */

struct report {
    const struct run *r;
    FILE *out;
    struct model model;
    bool has_model;
    bool has_thresholds; /* its model's, or the tool's that it was imported from */
    struct explain explain;
};

/* ---- the report: words ---- */

static void cell(FILE *out, const char *text) {
    fputs(" ", out);
    markdown_put(out, text);
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

/* ---- the report: what it is of ---- */

static void put_title(const struct report *rp) {
    const struct run *r = rp->r;
    const struct run_node *n = bottleneck(r);
    char text[32], when[32], took[32];
    fputs("# ", rp->out);
    markdown_put(rp->out, r->target[0] ? r->target : r->process);
    fputs(r->simulated ? " (SIMULATED)\n\n" : "\n\n", rp->out);
    if (n) {
        fputs("**Limited by ", rp->out);
        markdown_put(rp->out, n->name);
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
        markdown_put(rp->out, r->note);
        fputs("\n\n", rp->out);
    }
    if (r->warning[0]) {
        fputs("**Doubt:** ", rp->out);
        markdown_put(rp->out, r->warning);
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

static bool has_fact(const struct run *r, const char *key) {
    for (size_t i = 0; i < r->fact.n; i++)
        if (!strcmp(r->fact.at[i].key, key))
            return true;
    return false;
}

/* Automatic labels that repeat what is said already, under their own or another name. */
static bool is_said(const struct run *r, const struct run_label *l) {
    static const struct {
        const char *label, *fact; /* NULL: of the run itself */
    } same[] = {{"comm", NULL},
                {"cmdline", NULL},
                {"model", NULL},
                {"collector", NULL},
                {"tdtop_version", NULL},
                {"kernel_version", "kernel"},
                {"paranoid", "perf_event_paranoid"}};
    if (!l->automatic)
        return false;
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        if (!strcmp(l->key, same[i].label))
            return !same[i].fact || has_fact(r, same[i].fact);
    return has_fact(r, l->key);
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
        if (!is_said(r, &r->label.at[i]))
            put_pair(rp, r->label.at[i].key, r->label.at[i].value);
    fputc('\n', rp->out);
}

/* ---- the report: where the time went ---- */

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
        snprintf(duty, sizeof(duty), "%.0f%%", (double)n->value.duty * 100);
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

/* ---- the report: what it means ---- */

static void put_list(const struct report *rp, const char *title, const char **list) {
    if (!list || !list[0])
        return;
    fprintf(rp->out, "%s\n\n", title);
    for (; *list; list++) {
        fputs("- ", rp->out);
        markdown_put(rp->out, *list);
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
    markdown_put(rp->out, n->name);
    fputs(".** ", rp->out);
    markdown_put(rp->out, e->description ? e->description : e->summary);
    fputs("\n\n", rp->out);
    put_list(rp, "What is often behind it (the counters do not say which it is):", e->causes);
    put_list(rp, "How to make sure:", e->confirm);
    const struct metric *mt = metric_of(rp, n);
    put_list(rp, "Events to sample, which point at code:", mt ? mt->locate : NULL);
    put_list(rp, "## Recommendations\n\nGeneral remedies for this bottleneck; none was tried here:",
             e->hints);
}

static void put_share(FILE *out, double share, const struct binomial *in) {
    if (isnan(share))
        fputs(" - | |", out);
    else
        fprintf(out, " %.1f%% | %.1f - %.1f |", 100 * share, 100 * in->low, 100 * in->high);
}

/* The branches that were mispredicted most. */
static void put_branches(const struct report *rp, const struct hot *h) {
    enum { SITES = 5 };
    char text[HOT_NAME + 32];
    for (size_t i = 0; i < h->branch.n && i < SITES; i++) {
        const struct hot_branch *b = &h->branch.at[i];
        struct binomial in;
        const double share = hot_missed_share(&b->count, &h->taken, &in);
        if (!(share >= 0.01))
            break;
        if (i == 0)
            fprintf(rp->out,
                    "Branches, by their records in %llu samples: %llu taken, %llu of them "
                    "mispredicted.\n\n"
                    "| of mispredicted | 95%% interval | of taken | 95%% interval | from | to | "
                    "source |\n|--:|--:|--:|--:|---|---|---|\n",
                    (unsigned long long)h->n_recorded, (unsigned long long)h->taken.n,
                    (unsigned long long)h->taken.n_missed);
        fputc('|', rp->out);
        put_share(rp->out, share, &in);
        const double rate = hot_missed_rate(&b->count, &in);
        put_share(rp->out, rate, &in);
        cell(rp->out, hot_branch_place(h, b->from, b->from_offset, text, sizeof(text)));
        cell(rp->out, hot_branch_place(h, b->to, b->to_offset, text, sizeof(text)));
        cell(rp->out, hot_branch_source(b, text, sizeof(text)));
        fputc('\n', rp->out);
    }
    if (h->branch.n)
        fputc('\n', rp->out);
}

/* Cache lines that threads take from each other. */
static void put_false_sharing(const struct report *rp, const struct hot *h) {
    enum { LINES = 5 };
    struct access_line *line;
    size_t n, said = 0;
    if (!h->access.n || hot_access_lines(h, &line, &n) < 0)
        return;
    for (size_t i = 0; i < n && said < LINES; i++) {
        const struct access_line *l = &line[i];
        if (l->sharing != LINE_FALSE_SHARED || l->sum.all.count.n < HOT_LEAST)
            continue;
        if (said++ == 0)
            fprintf(rp->out,
                    "False sharing, of %llu samples with an address: threads use other "
                    "bytes of one cache line.\n\n"
                    "| share | threads | cache line | function |\n|--:|--:|---|---|\n",
                    (unsigned long long)h->data.n);
        fprintf(rp->out, "| %.1f%% | %u | 0x%llx |", 100 * l->sum.all.count.weight / h->data.weight,
                l->n_thread, (unsigned long long)l->line * CACHE_LINE);
        cell(rp->out, h->function.at[l->function].name);
        fputc('\n', rp->out);
    }
    if (said)
        fputc('\n', rp->out);
    free(line);
}

/* The functions of most samples, of each event that was sampled. */
static void put_hot_spots(const struct report *rp, const struct hot *h) {
    enum { SPOTS = 5 };
    struct hot_row *row;
    size_t n;
    char source[HOT_NAME], amount[96];
    if (!h->all.n || hot_rows(h, &row, &n) < 0)
        return;
    fputs("## Hot spots: ", rp->out);
    markdown_put(rp->out, h->event.n ? h->event.at[0].name : h->asked);
    fprintf(rp->out, "\n\n%s", hot_amount(h, amount, sizeof(amount)));
    if (h->event.n) {
        fprintf(rp->out, " (%s); a share is one of ", h->event.at[0].precision);
        markdown_put(rp->out, h->event.at[0].of);
    }
    fputs(".\n\n| share | 95% interval | function | source | file |\n|--:|--:|---|---|---|\n",
          rp->out);
    for (size_t i = 0; i < n && i < SPOTS; i++) {
        const struct hot_function *f = &h->function.at[row[i].function];
        struct binomial in;
        const double share = hot_share(h, &row[i].count, &in);
        if (!(share >= 0.01))
            break;
        fputc('|', rp->out);
        put_share(rp->out, share, &in);
        cell(rp->out, f->name);
        cell(rp->out, hot_source(f, source, sizeof(source)));
        cell(rp->out, h->module.at[f->module].path);
        fputc('\n', rp->out);
    }
    fputc('\n', rp->out);
    free(row);
    put_branches(rp, h);
    put_false_sharing(rp, h);
}

/* One word of a command line, for a shell. */
static void put_word(const struct report *rp, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./:,+-@%=";
    char safe[256];
    str_safe(safe, sizeof(safe), word);
    if (safe[0] && strspn(safe, plain) == strlen(safe)) {
        fputs(safe, rp->out);
        return;
    }
    fputc('\'', rp->out);
    for (const char *c = safe; *c; c++)
        fputs(*c == '\'' ? "'\\''" : (char[2]){*c}, rp->out);
    fputc('\'', rp->out);
}

/* Where its words end is not known: only where no shell would see more in it than words and spaces
 * can it be typed again. */
static bool is_plain(const char *command) {
    return command[0] && !strpbrk(command, "\\\"'`$&|;<>()[]{}*?~#!\n\t") && !strstr(command, "  ");
}

/* How the same is measured again. */
static void put_collect(const struct report *rp) {
    const struct run *r = rp->r;
    static const char cpus[] = "CPUs ";
    char seconds[32];
    if (r->ran_through) {
        fputs("tdtop collect -L step=after -- ", rp->out);
        if (is_plain(r->command))
            fputs(r->command, rp->out);
        else
            put_word(rp, r->process);
        fputs(is_plain(r->command) ? "\n" : " ARGUMENTS\n", rp->out);
        return;
    }
    fputs("tdtop collect ", rp->out);
    if (r->simulated) {
        fputs("--demo", rp->out);
    } else if (r->system_wide) {
        fputs("-a", rp->out);
    } else if (run_label_get(r, "pid")) {
        fputs("-P ", rp->out);
        put_word(rp, r->process);
    } else if (str_starts(r->process, cpus)) {
        fputs("-C ", rp->out);
        put_word(rp, r->process + strlen(cpus));
    } else if (str_starts(r->target, "cgroup ")) {
        fputs("-G ", rp->out);
        put_word(rp, r->process);
    } else {
        fputs("-P NAME", rp->out); /* a recording does not say what it is of */
    }
    snprintf(seconds, sizeof(seconds), "%.0fs",
             fmax(ceil((double)r->measured_ns / (double)NS_PER_S), 10));
    fprintf(rp->out, " -d %s -L step=after\n", seconds);
}

static void put_validation(const struct report *rp) {
    const struct run_node *n = bottleneck(rp->r);
    char gate[128];
    fputs("## Validation plan\n\nMake one change, put the same load on it, measure for as long, "
          "compare:\n\n```sh\n",
          rp->out);
    put_collect(rp);
    fprintf(rp->out, "tdtop compare %.8s @0", rp->r->id);
    if (n && n->share) {
        snprintf(gate, sizeof(gate), "%s:+1", n->name);
        fputs(" --fail-on ", rp->out);
        put_word(rp, gate);
    }
    fputs("\n```\n\n", rp->out);
    fputs("`regressed` and `improved` are said only where chance is unlikely to have made the "
          "difference. Repeat both sides at least three times (`-r 3`) to see what differs from "
          "run to run.\n\n",
          rp->out);
}

/* ---- the report: the rest ---- */

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

/* Of the first node with this cause, how many it concerns, or their names where they are few; of
 * the others nothing. */
static void put_cause(const struct report *rp, size_t first, bool *any) {
    enum { FEW = 3 };
    const struct run *r = rp->r;
    const char *cause = cause_of(&r->node.at[first]), *few[FEW];
    int n = 0;
    for (size_t i = 0; i < r->node.n; i++) {
        if (!isnan(r->node.at[i].value.v) || strcmp(cause_of(&r->node.at[i]), cause) != 0)
            continue;
        if (i < first)
            return;
        if (n < FEW)
            few[n] = r->node.at[i].name;
        n++;
    }
    fputs(*any ? "- " : "## Not known\n\n- ", rp->out);
    markdown_put(rp->out, cause);
    *any = true;
    if (n > FEW) {
        fprintf(rp->out, ": %d metrics\n", n);
        return;
    }
    for (int i = 0; i < n; i++) {
        fputs(i ? ", " : ": ", rp->out);
        markdown_put(rp->out, few[i]);
    }
    fputc('\n', rp->out);
}

static void put_unknown(const struct report *rp) {
    bool any = false;
    for (size_t i = 0; i < rp->r->node.n; i++)
        if (isnan(rp->r->node.at[i].value.v))
            put_cause(rp, i, &any);
}

/* As on the screen. */
static void put_legend(const struct report *rp) {
    fputs("±: half width of the 95% interval of how far the value may be off in this run, because "
          "its events did not count all the time, or count in coarse steps. sd: standard deviation "
          "from interval to interval.\n\n",
          rp->out);
}

/* What is said of this model, or of all where the run has none. */
static int load_knowledge(struct report *rp, struct err *err) {
    if (!rp->r->model_text[0])
        return explain_load(&rp->explain, err);
    return explain_load_for(&rp->explain, &rp->model, err);
}

/*
 * Environment, level 1 against its thresholds, the bottleneck and what the knowledge base says of
 * it, vital signs, what is not known and why, and how to find out whether a change helped. 0,
 * -ENOMEM, or -EINVAL with words if the model that was kept cannot be read.
 */
static int report_markdown(const struct run *r, FILE *out, struct err *err) {
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
        for (size_t i = 0; i < r->hot.n; i++)
            put_hot_spots(&rp, &r->hot.at[i]);
        put_vitals(&rp);
        put_legend(&rp);
        put_validation(&rp);
        put_unknown(&rp);
    }
    model_free(&rp.model);
    explain_free(&rp.explain);
    return rc;
}

/* ---- values per interval ---- */

struct sheet {
    struct session s; /* only its model and the name of its source, for the printer */
    struct source_ops ops;
    struct layout bound;
    struct eval ev;
    struct frame frame;
    struct sample row;
    bool *only; /* [n_metric] or NULL */
};

static int choose_metrics(struct sheet *t, const struct args *a, struct err *err) {
    const struct model *m = &t->s.model;
    if (a->metrics.n == 0)
        return 0;
    t->only = calloc(m->n_metric + 1u, sizeof(*t->only));
    if (!t->only)
        return err_set(err, -ENOMEM, "export: out of memory");
    for (int i = 0; i < a->metrics.n; i++) {
        const int k = model_find(m, a->metrics.at[i]);
        if (k == METRIC_NONE)
            return err_set(err, -EINVAL,
                           "--metric %s: model %s has no such metric; tdtop models %s lists them",
                           a->metrics.at[i], m->name, m->name);
        t->only[k] = true;
    }
    return 0;
}

static int sheet_open(struct sheet *t, const struct run *r, const struct args *a, struct err *err) {
    int rc = run_bind(r, NULL, &t->s.model, &t->bound, &t->ev, err);
    if (rc == -ENODATA)
        err_set(err, rc,
                "run %.8s: it holds values but no counts of intervals; --json or --markdown give "
                "what it has",
                r->id);
    if (rc < 0)
        return rc;
    t->ops.name = r->source;
    str_copy(t->s.source.target_text, sizeof(t->s.source.target_text), r->target);
    t->s.source.ops = &t->ops;
    t->s.source.simulated = r->simulated;
    if (frame_init(&t->frame, t->s.model.n_metric) < 0 ||
        sample_init(&t->row, r->layout.n_slot) < 0)
        return err_set(err, -ENOMEM, "export: out of memory");
    return choose_metrics(t, a, err);
}

static void sheet_close(struct sheet *t) {
    eval_destroy(&t->ev);
    layout_destroy(&t->bound);
    frame_destroy(&t->frame);
    sample_destroy(&t->row);
    model_free(&t->s.model);
    free(t->only);
    free(t);
}

static int write_rows(struct sheet *t, const struct run *r, const struct print_ops *ops, FILE *out,
                      struct err *err) {
    struct json_put line = {0};
    const struct printer p = {.out = out, .separator = ",", .only = t->only, .json = &line};
    const uint64_t begin_ns = series_begin_ns(&r->series);
    struct series_reader reader;
    if (series_reader_init(&reader, &r->series) < 0)
        return err_set(err, -ENOMEM, "export: out of memory");
    if (ops->begin)
        ops->begin(&p, &t->s);
    while (series_reader_next(&reader, &t->row)) {
        eval_run(&t->ev, &t->row, &t->frame);
        t->frame.t0_ns -= begin_ns;
        t->frame.t1_ns -= begin_ns;
        ops->frame(&p, &t->s, &t->frame, (double)(t->frame.t1_ns - t->frame.t0_ns) / 1e9, false);
    }
    series_reader_destroy(&reader);
    json_put_free(&line);
    return 0;
}

static int export_rows(const struct run *r, const struct args *a, const struct print_ops *ops,
                       FILE *out, struct err *err) {
    struct sheet *t = calloc(1, sizeof(*t));
    int rc = t ? sheet_open(t, r, a, err) : err_set(err, -ENOMEM, "export: out of memory");
    if (rc == 0)
        rc = write_rows(t, r, ops, out, err);
    if (t)
        sheet_close(t);
    return rc;
}

static int export_csv(const struct run *r, const struct args *a, FILE *out, struct err *err) {
    return export_rows(r, a, &print_csv, out, err);
}

/* A line for each interval, as `--batch -j` has them. */
static int export_jsonl(const struct run *r, const struct args *a, FILE *out, struct err *err) {
    if (a->metrics.n)
        return err_set(err, -EINVAL, "--metric goes with --csv; a line of JSON has all metrics");
    return export_rows(r, a, &print_json, out, err);
}

static int export_json(const struct run *r, const struct args *a, FILE *out, struct err *err) {
    if (a->metrics.n)
        return err_set(err, -EINVAL,
                       "--metric goes with --csv: JSON is the whole run, to be imported again");
    return run_export_json(r, out, err);
}

static int export_markdown(const struct run *r, const struct args *a, FILE *out, struct err *err) {
    if (a->metrics.n)
        return err_set(err, -EINVAL, "--metric goes with --csv; the report is of the whole run");
    return report_markdown(r, out, err);
}

/* ---- which format ---- */

struct format {
    const char *ending;
    int (*write)(const struct run *r, const struct args *a, FILE *out, struct err *err);
};
static const struct format json = {".json", export_json}, csv = {".csv", export_csv},
                           jsonl = {".jsonl", export_jsonl}, markdown = {".md", export_markdown};

/* What was said; else what the ending says. Standard output, pipes and devices have none. */
static int choose_format(const struct args *a, const char *path, const struct format **f,
                         struct err *err) {
    static const struct format *const all[] = {&json, &jsonl, &csv, &markdown};
    struct stat st;
    *f = a->csv ? &csv : a->markdown ? &markdown : a->jsonl ? &jsonl : &json;
    if (a->json || a->csv || a->markdown || a->jsonl || !path)
        return 0;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (str_ends(path, all[i]->ending)) {
            *f = all[i];
            return 0;
        }
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return 0;
    const char *dot = strrchr(str_base_name(path), '.');
    return err_set(
        err, -EINVAL,
        "%s: %s%s says no format; end the name in .json (the whole run), .csv or "
        ".jsonl (its intervals) or .md (a report); of samples in .svg, .folded, .speedscope.json "
        "or .pprof",
        path, dot ? "the ending " : "a name without an ending", dot ? dot : "");
}

static int export_to(const struct run *r, const struct args *a, const char *path,
                     const struct format *f, struct err *err) {
    struct output o = {0};
    const int rc = output_open(&o, path, 0666, err);
    return rc < 0 ? rc : output_close(&o, f->write(r, a, o.out, err), err);
}

static int export_file(const struct run *r, const char *path, mode_t mode, struct err *err) {
    static const struct args none;
    const struct format *f;
    struct output o = {0};
    int rc = choose_format(&none, path, &f, err);
    if (rc == 0)
        rc = output_open(&o, path, mode, err);
    if (rc < 0)
        return rc;
    rc = f->write(r, &none, o.out, err);
    if (rc < 0)
        err_prefix(err, "%s", path);
    return output_close(&o, rc, err);
}

int run_export_file(const struct run *r, const char *path, struct err *err) {
    return export_file(r, path, 0666, err);
}

int run_export_rescue(const struct run *r, const char *path, struct err *err) {
    return export_file(r, path, 0600, err);
}

/* ---- samples ---- */

static int export_samples(const struct args *a) {
    struct run r = {0};
    struct err err = {0};
    const struct hot *h = NULL;
    int rc = where_load(a, a->word[0], a->where, &r, &h, &err);
    if (rc == 0)
        rc = where_export(h, hot_format_of(a->output), a->output, &err);
    run_free(&r);
    return rc < 0 ? run_pick_exit(&err) : EXIT_OK;
}

/* ---- the verb ---- */

int verb_export(const struct args *a) {
    struct run_pick p = {0};
    struct run r = {0};
    struct err err = {0};
    const struct format *f = NULL;
    if (!a->json && !a->csv && !a->markdown && !a->jsonl && hot_format_of(a->output))
        return export_samples(a);
    int rc = choose_format(a, a->output, &f, &err);
    if (rc == 0)
        rc = run_pick_open(&p, a, STORE_READ, &err);
    if (rc == 0)
        rc = run_pick_load(&p, a->word[0], RUN_ALL, &r, &err);
    run_pick_close(&p);
    if (rc == 0)
        rc = export_to(&r, a, a->output, f, &err);
    run_free(&r);
    return rc < 0 ? run_pick_exit(&err) : EXIT_OK;
}

/* A comparison as text and Markdown: sentences (work done, slots lost, conditions), then tables,
 * what changed for sure first. */
#include "cli/verb/compare_view.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/when.h"
#include "cli/file/run_json.h"
#include "cli/out/plain.h"
#include "cli/out/table.h"
#include "cli/out/wrap.h"
#include "model/compare/pool.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- sentences ---- */

const struct run_node *compare_node(const struct compare_row *r) {
    return r->a ? r->a : r->b;
}

const char *compare_direction(const struct compare_row *r) {
    static const char *const words[VERDICTS] = {[VERDICT_REGRESSED] = "regressed",
                                                [VERDICT_IMPROVED] = "improved",
                                                [VERDICT_CHANGED] = "changed"};
    return words[r->verdict] ? words[r->verdict] : "unchanged";
}

static const char *gate_state_name(enum gate_state s) {
    static const char *const names[] = {"ok", "FAILED", "unclear", "skipped"};
    return names[s];
}

/* ---- one change ---- */

static int decimals(double of) {
    return fabs(of) < 10 ? 3 : 1;
}

/* A difference in the metric's own unit: of what was 0 there is no percentage. */
static void add_plain(struct strbuf *sb, const struct run_node *n, double v, bool sign) {
    char si[16];
    const char *plus = sign && v > 0 ? "+" : "";
    if (v != 0 && fabs(v) < 0.005)
        strbuf_add(sb, "%s%.2g", plus, v);
    else if (fabs(v) < 1e5)
        strbuf_add(sb, "%s%.*f", plus, decimals(n->value.v), v);
    else
        strbuf_add(sb, "%s%s", plus, str_si(si, sizeof(si), v));
}

static const char *difference(const struct compare_row *r, double v, bool sign, char *buf,
                              size_t cap) {
    const struct run_node *n = compare_node(r);
    struct strbuf sb = strbuf_on(buf, cap);
    if (isnan(v))
        return buf;
    if (compare_point(n) > 0)
        strbuf_add(&sb, sign ? "%+.1f points" : "%.1f points", v / compare_point(n));
    else if (r->a && r->a->value.v != 0)
        strbuf_add(&sb, sign ? "%+.1f%%" : "%.1f%%", v / fabs(r->a->value.v) * 100);
    else
        add_plain(&sb, n, v, sign);
    return buf;
}

const char *compare_delta_words(const struct compare_row *r, char *buf, size_t cap) {
    return difference(r, r->delta, true, buf, cap);
}

const char *compare_err_words(const struct compare_row *r, char *buf, size_t cap) {
    return difference(r, r->err, false, buf, cap);
}

/* ---- how much more ---- */

/* How long that many samples of a side take, in s; NAN: not known. */
static double compare_needed_s(const struct side *s, double needed) {
    if (s->kind == SIDE_RUNS || s->n_interval == 0)
        return NAN;
    return needed * (double)s->run.measured_ns / 1e9 / (double)s->n_interval;
}

/* 37 is 40, 1234 is 1300: more would be made up. */
static double rounded_up(double v) {
    const double unit = v < 20 ? 1 : pow(10, floor(log10(v)) - 1);
    return ceil(v / unit) * unit;
}

static uint64_t samples_of(const struct side *s) {
    return s->kind == SIDE_RUNS ? s->n_run : s->n_interval;
}

/* Runs on one side, intervals on the other. */
static const char *mixed_words(const struct compare_view *v, char *buf, size_t cap) {
    const bool a_runs = v->side[0].kind == SIDE_RUNS;
    const struct side *runs = &v->side[!a_runs], *few = &v->side[a_runs];
    snprintf(buf, cap,
             "%s has %zu runs as samples, %s only the %llu intervals of %zu run%s: with %d runs "
             "there, too, runs are compared with runs",
             a_runs ? "A" : "B", runs->n_run, a_runs ? "B" : "A",
             (unsigned long long)few->n_interval, few->n_run, few->n_run == 1 ? "" : "s",
             POOL_LEAST);
    return buf;
}

const char *compare_needed_words(const struct compare_view *v, char *buf, size_t cap) {
    const struct side *a = &v->side[0], *b = &v->side[1];
    const bool runs = a->kind == SIDE_RUNS;
    const struct compare_row *r = compare_largest_unsure(&v->c);
    char took[32];
    struct strbuf sb = strbuf_on(buf, cap);
    if (!r)
        return buf;
    if (runs != (b->kind == SIDE_RUNS))
        return mixed_words(v, buf, cap);
    const double needed = rounded_up(r->needed);
    strbuf_add(&sb, "the samples are %s, A has %llu and B %llu; ", runs ? "runs" : "intervals",
               (unsigned long long)samples_of(a), (unsigned long long)samples_of(b));
    if (!compare_more_would_do(r)) {
        strbuf_add(&sb, "too few to tell about %s", compare_node(r)->name);
        return buf;
    }
    strbuf_add(&sb, "about %.0f on each side", needed);
    const double s = fmax(compare_needed_s(a, needed), compare_needed_s(b, needed));
    if (s > 0)
        strbuf_add(&sb, " (%s)", when_duration(clock_ns_of(s), took, sizeof(took)));
    strbuf_add(&sb, " would do for %s", compare_node(r)->name);
    return buf;
}

/* ---- why a ± is wide ---- */

enum { WIDE = 5 }; /* least changes */

static const struct compare_row *widest_share(const struct compare_view *v) {
    const struct compare_row *widest = NULL;
    for (size_t i = 0; i < v->n_row; i++) {
        const struct compare_row *r = v->row[i];
        if (r->a && r->b && r->a->share && r->err > (widest ? widest->err : 0))
            widest = r;
    }
    return widest && widest->err > WIDE * v->opt.least_points ? widest : NULL;
}

/* "A's 15 intervals are worth 4 independent ones". */
static void add_worth(struct strbuf *sb, const struct side *s, char name,
                      const struct run_node *n) {
    const char *what = s->kind == SIDE_RUNS ? "run" : "interval";
    const double worth = fmax(floor(n->m.effective_n), 1);
    strbuf_add(sb, "%c's %llu %s%s", name, (unsigned long long)n->m.n, what,
               n->m.n == 1 ? "" : "s");
    if (2 * worth <= (double)n->m.n)
        strbuf_add(sb, " (worth %.0f: neighbours are alike)", worth);
}

/* Why the widest ± of a share is so wide, where it is more than a few least changes. */
static const char *compare_wide_words(const struct compare_view *v, char *buf, size_t cap) {
    const struct compare_row *r = widest_share(v);
    char margin[64];
    struct strbuf sb = strbuf_on(buf, cap);
    if (!r)
        return buf;
    strbuf_add(&sb, "%s %s: ", compare_node(r)->name, compare_err_words(r, margin, sizeof(margin)));
    add_worth(&sb, &v->side[0], 'A', r->a);
    strbuf_add(&sb, ", ");
    add_worth(&sb, &v->side[1], 'B', r->b);
    strbuf_add(&sb, "; 4 times as %s halves it", v->side[0].kind == SIDE_RUNS ? "many" : "long");
    return buf;
}

/* ---- work: cycles per second = instructions per second x cycles per instruction ---- */

static const char *more(double a, double b, char *buf, size_t cap) {
    const double by = (b - a) / a * 100;
    if (fabs(by) < 0.05)
        snprintf(buf, cap, "as many");
    else
        snprintf(buf, cap, "%.1f%% %s", fabs(by), by > 0 ? "more" : "fewer");
    return buf;
}

static bool both_known(double a, double b) {
    return isfinite(a) && isfinite(b) && a > 0;
}

const char *compare_work_words(const struct compare_view *v, char *buf, size_t cap) {
    const struct compare_counts *k = &v->c.counts;
    char by[48], a[16], b[16];
    struct strbuf sb = strbuf_on(buf, cap);
    const bool instructions = both_known(k->instructions_a, k->instructions_b);
    const bool cpi = both_known(k->cpi_a, k->cpi_b);
    const struct compare_row *ipc = compare_find(&v->c, "IPC");
    const char *work_sure = compare_work_is_sure(&v->c) ? "" : "; not sure",
               *cpi_sure = ipc && compare_is_sure(ipc) ? "" : "; not sure";
    if (instructions)
        strbuf_add(&sb, "B runs %s instructions per second (%s, A %s%s)",
                   more(k->instructions_a, k->instructions_b, by, sizeof(by)),
                   str_si(b, sizeof(b), k->instructions_b), str_si(a, sizeof(a), k->instructions_a),
                   work_sure);
    if (cpi)
        strbuf_add(&sb, "%s %s cycles per instruction (%.3f, A %.3f%s)",
                   instructions ? " and needs" : "B needs",
                   more(k->cpi_a, k->cpi_b, by, sizeof(by)), k->cpi_b, k->cpi_a, cpi_sure);
    if (instructions && cpi)
        strbuf_add(
            &sb, ": %s cycles per second",
            more(k->instructions_a * k->cpi_a, k->instructions_b * k->cpi_b, by, sizeof(by)));
    if (!instructions && !cpi && v->a->verbose)
        strbuf_add(&sb, "how much work was done is not known: it takes IPC, GHz and CPUs_Utilized "
                        "on both sides");
    else if (cpi && !instructions)
        strbuf_add(&sb, "; instructions per second are not known on both sides");
    return buf;
}

/* Of a node of level 1 or 2, how many slots it takes. */
static const char *compare_slot_words(const struct comparison *c, const struct compare_row *r,
                                      char *buf, size_t cap) {
    const struct compare_counts *k = &c->counts;
    char a[16], b[16], by[16];
    struct strbuf sb = strbuf_on(buf, cap);
    if (!compare_is_of_slots(c, r))
        return buf;
    strbuf_add(&sb, "%s: %.1f%% -> %.1f%%", r->a->name, r->a->value.v * 100, r->b->value.v * 100);
    const double slots_a = r->a->value.v * k->slots_a, slots_b = r->b->value.v * k->slots_b;
    strbuf_add(&sb, " is %s -> %s slots per second, %s%s", str_si(a, sizeof(a), slots_a),
               str_si(b, sizeof(b), slots_b), slots_b > slots_a ? "+" : "",
               str_si(by, sizeof(by), slots_b - slots_a));
    return buf;
}

/* ---- conditions ---- */

static const char *compare_result_words(const struct compare_view *v, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    const int *n = v->n_gate;
    const int judged = n[GATE_OK] + n[GATE_FAILED];
    if (v->gate.n == 0)
        return buf;
    if (n[GATE_FAILED])
        strbuf_add(&sb, "regressed: %d of %d condition%s failed", n[GATE_FAILED],
                   judged + n[GATE_UNCLEAR], judged + n[GATE_UNCLEAR] == 1 ? "" : "s");
    else if (n[GATE_UNCLEAR] || !judged)
        strbuf_add(&sb, "unclear: %d of %d conditions cannot be judged",
                   n[GATE_UNCLEAR] + (judged ? 0 : n[GATE_SKIPPED]), (int)v->gate.n);
    else
        strbuf_add(&sb, "ok: %d condition%s hold%s", judged, judged == 1 ? "" : "s",
                   judged == 1 ? "s" : "");
    if (judged && n[GATE_SKIPPED])
        strbuf_add(&sb, "; %d skipped", n[GATE_SKIPPED]);
    return buf;
}

/* What the samples of a side are, where that is not plain; "" else. Constant. */
static const char *compare_samples_words(const struct compare_view *v, int side) {
    return v->ab ? "pairs of neighbouring runs are the samples; the ± holds at whichever it stops"
                 : side_samples(&v->side[side]);
}

/* ---- as text and Markdown ---- */

enum { WIDTH = 100, LABEL_W = 11 };
enum { FEW_ROWS = 12, FEW_NAMES = 4 }; /* of what is not sure, or one side has; without -v */

static const enum verdict order[] = {VERDICT_REGRESSED, VERDICT_IMPROVED, VERDICT_CHANGED,
                                     VERDICT_UNSURE, VERDICT_NOISE};
enum { N_ORDER = sizeof(order) / sizeof(order[0]) };

static void put_pair(const char *label, const char *text) {
    wrap_pair(stdout, WIDTH, 0, LABEL_W, label, text);
}

static size_t count_of(const struct compare_view *v, enum verdict verdict) {
    size_t n = 0;
    for (size_t i = 0; i < v->n_row; i++)
        n += v->row[i]->verdict == verdict;
    return n;
}

static bool is_sure(enum verdict v) {
    return v == VERDICT_REGRESSED || v == VERDICT_IMPROVED || v == VERDICT_CHANGED;
}

/* How many rows of a verdict are shown. */
static size_t room_for(const struct compare_view *v, enum verdict verdict) {
    if (is_sure(verdict) || v->a->verbose || v->a->metrics.n)
        return SIZE_MAX;
    return verdict == VERDICT_UNSURE ? FEW_ROWS : 0;
}

/* What noise is said to be. */
static void least_words(const struct compare_view *v, char *buf, size_t cap) {
    const double points = v->opt.least_points * 100;
    snprintf(buf, cap,
             "no change that is sure at %g%%, or less than %g point%s of a share or %g%% "
             "of anything else",
             v->opt.confidence * 100, points, points == 1 ? "" : "s", v->opt.least_relative * 100);
}

/* ---- the table ---- */

static void add_row(struct table *t, const struct compare_row *r) {
    const struct run_node *n = compare_node(r);
    char text[64];
    table_addf(t, "%s %s", r->leads ? "▸" : " ", n->name);
    table_add(t, run_value_text(n->share, n->unit, r->a->value.v, text, sizeof(text)));
    table_add(t, run_value_text(n->share, n->unit, r->b->value.v, text, sizeof(text)));
    table_add(t, compare_delta_words(r, text, sizeof(text)));
    table_add(t, compare_err_words(r, text, sizeof(text)));
    table_add(t, r->total ? "B as if measured for as long as A" : "");
}

static void add_group(struct table *t, const struct compare_view *v, enum verdict verdict) {
    const size_t n = count_of(v, verdict), room = room_for(v, verdict);
    char title[64];
    size_t shown = 0;
    if (n == 0 || room == 0)
        return;
    snprintf(title, sizeof(title), "%s (%zu)", verdict_name(verdict), n);
    table_heading(t, title);
    for (size_t i = 0; i < v->n_row && shown < room; i++)
        if (v->row[i]->verdict == verdict) {
            add_row(t, v->row[i]);
            shown++;
        }
    if (shown < n) {
        snprintf(title, sizeof(title), "  ... and %zu more; -v shows them", n - shown);
        table_heading(t, title);
    }
}

static int print_table(const struct compare_view *v) {
    static const struct table_column columns[] = {{"  metric", false, 20}, {"A", true, 0},
                                                  {"B", true, 0},          {"change", true, 0},
                                                  {"±", true, 0},          {"", false, 8}};
    struct table t;
    table_init(&t, columns, sizeof(columns) / sizeof(columns[0]));
    for (int i = 0; i < N_ORDER; i++)
        add_group(&t, v, order[i]);
    const int rc = table_rows(&t) ? table_print(&t, stdout) : 0;
    table_free(&t);
    return rc;
}

/* ---- what is not in it ---- */

/* How large a change of them may be all the same. */
static void print_hidden(const struct compare_view *v) {
    const double hidden = 2 * v->opt.least_points;
    size_t n = 0, n_hides = 0;
    for (size_t i = 0; i < v->n_row; i++)
        if (v->row[i]->verdict == VERDICT_NOISE && compare_node(v->row[i])->share) {
            n++;
            n_hides += fabs(v->row[i]->delta) + v->row[i]->err > hidden;
        }
    if (n_hides)
        printf("; of %zu shares %zu could still hide %g points", n, n_hides, hidden * 100);
}

static void print_noise(const struct compare_view *v) {
    char least[160];
    const size_t n = count_of(v, VERDICT_NOISE);
    least_words(v, least, sizeof(least));
    if (n == 0 || room_for(v, VERDICT_NOISE) > 0)
        return;
    printf("noise (%zu): %s", n, least);
    print_hidden(v);
    printf("; -v lists them\n");
}

static bool same_reason(const struct compare_row *a, const struct compare_row *b) {
    return a->verdict == b->verdict && !strcmp(a->reason, b->reason);
}

/* Why the other side lacks it; of what it was not measured deep enough for, that. */
static void add_reason(const struct compare_view *v, const struct compare_row *r,
                       struct strbuf *sb) {
    const int level = v->side[r->a ? 1 : 0].run.level;
    const char other = r->a ? 'B' : 'A';
    if (*r->reason)
        strbuf_add(sb, "%s%c: %s", sb->n ? "; " : "", other, r->reason);
    else if (level > 0)
        strbuf_add(sb, "%s%c was measured to level %d", sb->n ? "; " : "", other, level);
}

static size_t count_reason(const struct compare_view *v, const struct compare_row *of) {
    size_t n = 0;
    for (size_t i = 0; i < v->n_row; i++)
        n += same_reason(v->row[i], of);
    return n;
}

/* Of the first with this reason, all that have it; of the others nothing. */
static void print_reason(const struct compare_view *v, size_t first) {
    const struct compare_row *of = v->row[first];
    for (size_t i = 0; i < first; i++)
        if (same_reason(v->row[i], of))
            return;
    const size_t n = count_reason(v, of), cap = 64 * n + strlen(of->reason) + 48;
    char head[32], *names = calloc(cap, 1);
    if (!names) {
        cli_lack();
        return;
    }
    struct strbuf sb = strbuf_on(names, cap);
    for (size_t i = first; i < v->n_row; i++)
        if (same_reason(v->row[i], of))
            strbuf_add(&sb, "%s%.60s", sb.n ? ", " : "", compare_node(v->row[i])->name);
    add_reason(v, of, &sb);
    snprintf(head, sizeof(head), "%s (%zu):", verdict_name(of->verdict), n);
    put_pair(head, names);
    free(names);
}

/* Many on one line: how many, and the reason that most have. */
static void print_many(const struct compare_view *v, enum verdict verdict, size_t n) {
    const struct compare_row *most = NULL;
    size_t n_most = 0;
    for (size_t i = 0; i < v->n_row; i++) {
        const size_t k = v->row[i]->verdict == verdict ? count_reason(v, v->row[i]) : 0;
        if (k > n_most) {
            n_most = k;
            most = v->row[i];
        }
    }
    char head[32], words[256];
    struct strbuf sb = strbuf_on(words, sizeof(words));
    add_reason(v, most, &sb);
    if (sb.n && n_most < n)
        strbuf_add(&sb, " (%zu of them)", n_most);
    strbuf_add(&sb, "%s-v names them", sb.n ? "; " : "");
    snprintf(head, sizeof(head), "%s (%zu):", verdict_name(verdict), n);
    put_pair(head, words);
}

static void print_one_side(const struct compare_view *v, enum verdict verdict) {
    const size_t n = count_of(v, verdict);
    if (n > FEW_NAMES && !v->a->verbose && !v->a->metrics.n) {
        print_many(v, verdict, n);
        return;
    }
    for (size_t i = 0; i < v->n_row; i++)
        if (v->row[i]->verdict == verdict)
            print_reason(v, i);
}

static void print_wide(const struct compare_view *v) {
    char words[256];
    if (compare_wide_words(v, words, sizeof(words))[0])
        put_pair("wide ±:", words);
}

static void print_needed(const struct compare_view *v) {
    char words[256];
    if (compare_needed_words(v, words, sizeof(words))[0])
        put_pair("unsure:", words);
}

static void print_sides(const struct compare_view *v) {
    char words[512];
    const bool alike = v->side[0].kind == v->side[1].kind;
    for (int i = 0; i < 2; i++) {
        const struct side *s = &v->side[i];
        printf("%c  %s\n", 'A' + i, side_words(s, words, sizeof(words)));
        if (compare_samples_words(v, i)[0] && (i || !alike)) /* once for both */
            printf("   %s\n", compare_samples_words(v, i));
        if (s->run.warning && s->run.warning[0])
            printf("   warning: %s\n", str_safe(words, sizeof(words), s->run.warning));
    }
    if (v->c.shared[0])
        put_pair("note:", v->c.shared);
    putchar('\n');
}

static void print_meaning(const struct compare_view *v) {
    char words[512];
    if (compare_work_words(v, words, sizeof(words))[0]) {
        printf("\n");
        put_pair("work:", words);
    }
    for (size_t i = 0; i < v->n_row; i++)
        if (is_sure(v->row[i]->verdict) &&
            compare_slot_words(&v->c, v->row[i], words, sizeof(words))[0])
            put_pair("slots:", words);
}

static void print_gates(const struct compare_view *v) {
    char words[512];
    if (v->gate.n)
        putchar('\n');
    for (size_t i = 0; i < v->gate.n; i++)
        put_pair(gate_state_name(v->gate.at[i].state), v->gate.at[i].result.words);
    if (v->gate.n)
        printf("%s\n", compare_result_words(v, words, sizeof(words)));
}

/* What `tdtop ab` was asked. */
static void print_answer(const struct compare_view *v) {
    const struct ab_result *r = v->ab;
    char again[128];
    if (!r)
        return;
    putchar('\n');
    put_pair("result:", r->words);
    snprintf(again, sizeof(again), "tdtop compare -L ab_id=%s ab=A ab=B", r->id);
    put_pair("again:", again);
}

int compare_print_text(const struct compare_view *v) {
    print_sides(v);
    if (print_table(v) < 0) {
        cli_note("compare: out of memory; close other programs");
        return EXIT_USAGE;
    }
    print_noise(v);
    print_needed(v);
    print_wide(v);
    print_one_side(v, VERDICT_ONLY_A);
    print_one_side(v, VERDICT_ONLY_B);
    print_meaning(v);
    print_answer(v);
    print_gates(v);
    return EXIT_OK;
}

/* ---- the same as Markdown, for a comment on a change ---- */

static void cell(const char *text) {
    fputs(" ", stdout);
    markdown_put(stdout, text);
    fputs(" |", stdout);
}

static void markdown_row(const struct compare_row *r) {
    const struct run_node *n = compare_node(r);
    char text[64];
    fputs("|", stdout);
    cell(n->name);
    cell(r->a ? run_value_text(n->share, n->unit, r->a->value.v, text, sizeof(text)) : "");
    cell(r->b ? run_value_text(n->share, n->unit, r->b->value.v, text, sizeof(text)) : "");
    cell(compare_delta_words(r, text, sizeof(text)));
    cell(compare_err_words(r, text, sizeof(text)));
    printf(" %s%s%s", verdict_name(r->verdict), r->leads ? ", look here first" : "",
           r->total ? "; B as if measured for as long as A" : "");
    if (*r->reason) {
        printf("; %s: ", r->a ? "B" : "A");
        markdown_put(stdout, r->reason);
    }
    printf(" |\n");
}

static void markdown_sides(const struct compare_view *v) {
    char words[512];
    for (int i = 0; i < 2; i++) {
        printf("- **%c**: ", 'A' + i);
        markdown_put(stdout, side_words(&v->side[i], words, sizeof(words)));
        printf("%s%s\n", compare_samples_words(v, i)[0] ? "; " : "", compare_samples_words(v, i));
    }
    if (v->c.shared[0]) {
        fputs("- ", stdout);
        markdown_put(stdout, v->c.shared);
        putchar('\n');
    }
}

int compare_print_markdown(const struct compare_view *v) {
    char words[512];
    markdown_sides(v);
    printf("\n| metric | A | B | change | ± | verdict |\n|---|--:|--:|--:|--:|---|\n");
    for (size_t i = 0; i < v->n_row; i++)
        if (v->row[i]->verdict != VERDICT_NOISE || v->a->verbose)
            markdown_row(v->row[i]);
    if (count_of(v, VERDICT_NOISE)) {
        least_words(v, words, sizeof(words));
        printf("\n%zu more are noise: %s.\n", count_of(v, VERDICT_NOISE), words);
    }
    if (compare_needed_words(v, words, sizeof(words))[0])
        printf("\nNot enough data: %s.\n", words);
    if (v->ab)
        printf("\n%s.\n", v->ab->words);
    if (compare_work_words(v, words, sizeof(words))[0])
        printf("\n%s.\n", words);
    for (size_t i = 0; i < v->gate.n; i++) {
        printf("%s- **%s** ", i ? "" : "\n", gate_state_name(v->gate.at[i].state));
        markdown_put(stdout, v->gate.at[i].result.words);
        putchar('\n');
    }
    if (v->gate.n)
        printf("\n**%s**\n", compare_result_words(v, words, sizeof(words)));
    return EXIT_OK;
}

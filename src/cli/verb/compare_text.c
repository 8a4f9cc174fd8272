/* A comparison for people: what changed for sure first, what it means, what a script would be told.
 */
#include "cli/verb/compare_view.h"

#include "base/str.h"
#include "cli/file/run_json.h"
#include "cli/out/table.h"
#include "cli/out/wrap.h"
#include "cli/verb/report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

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
             "no change that is sure at %g %%, or less than %g point%s of a share or %g %% "
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
            printf("   doubt: %s\n", str_safe(words, sizeof(words), s->run.warning));
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
    report_text(stdout, text);
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
        report_text(stdout, r->reason);
    }
    printf(" |\n");
}

static void markdown_sides(const struct compare_view *v) {
    char words[512];
    for (int i = 0; i < 2; i++) {
        printf("- **%c**: ", 'A' + i);
        report_text(stdout, side_words(&v->side[i], words, sizeof(words)));
        printf("%s%s\n", compare_samples_words(v, i)[0] ? "; " : "", compare_samples_words(v, i));
    }
    if (v->c.shared[0]) {
        fputs("- ", stdout);
        report_text(stdout, v->c.shared);
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
        report_text(stdout, v->gate.at[i].result.words);
        putchar('\n');
    }
    if (v->gate.n)
        printf("\n**%s**\n", compare_result_words(v, words, sizeof(words)));
    return EXIT_OK;
}

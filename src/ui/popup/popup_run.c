/* A stored run without its counts: whose, when, by what; its note, labels, environment, marks and
 * values. */
#include "base/str.h"
#include "base/when.h"
#include "ui/draw/words.h"
#include "ui/popup/popup.h"
#include "ui/runs/runs_open.h"
#include "ui/runs/runs_view.h"
#include "ui/screen/screen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 100, NAME_W = 26 };

static const struct run *run_of(const struct screen *sc) {
    return sc->opened ? &sc->opened->run : &sc->runs->about;
}

static void line(struct page *p, const char *name, const char *value) {
    char a[96], b[512];
    if (value && *value)
        page_pair(p, NAME_W, STYLE_LABEL, str_safe(a, sizeof(a), name), STYLE_VALUE,
                  str_safe(b, sizeof(b), value));
}

static void page_times(struct page *p, const struct run *r) {
    char text[160], begun[48], length[32], interval[16];
    const uint64_t rows = series_rows(&r->series);
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%s, %s", when_text(r->begun_ns, begun, sizeof(begun)),
               when_duration(r->t1_ns - r->t0_ns, length, sizeof(length)));
    if (rows)
        strbuf_add(&sb, ", %llu intervals", (unsigned long long)rows);
    if (r->interval_ns)
        strbuf_add(&sb, "%s of %s", rows ? "" : ", intervals",
                   words_interval(interval, sizeof(interval), r->interval_ns));
    line(p, "measured", text);
}

static void page_head(struct page *p, const struct run *r) {
    char text[160];
    if (r->simulated)
        page_pair(p, NAME_W, STYLE_SIMULATED, "SIMULATED", STYLE_TEXT, "");
    line(p, "process", r->process);
    line(p, "target", r->target);
    line(p, "command", r->command);
    page_times(p, r);
    line(p, "model", r->model);
    snprintf(text, sizeof(text), "%s, tdtop %s", r->source ? r->source : "",
             r->version ? r->version : "");
    line(p, "source", text);
    line(p, "made from run", r->parent);
    line(p, "bottleneck", r->bottleneck);
    line(p, "warning", r->warning);
}

static void page_labels(struct page *p, const struct run *r, bool automatic, const char *title) {
    bool any = false;
    for (size_t i = 0; i < r->label.n; i++) {
        if (r->label.at[i].automatic != automatic)
            continue;
        if (!any)
            page_heading(p, title);
        any = true;
        line(p, r->label.at[i].key, r->label.at[i].value);
    }
}

static void page_facts(struct page *p, const struct run *r) {
    if (r->fact.n)
        page_heading(p, "Environment");
    for (size_t i = 0; i < r->fact.n; i++)
        line(p, r->fact.at[i].key, r->fact.at[i].value);
}

static void page_marks(struct page *p, const struct run *r) {
    char at[16];
    if (r->mark.n)
        page_heading(p, "Marks");
    for (size_t i = 0; i < r->mark.n; i++)
        line(p, words_clock(at, sizeof(at), r->mark.at[i].t_ns - r->t0_ns), r->mark.at[i].name);
}

/* A node a line, indented as in the tree. */
static void page_values(struct page *p, const struct run *r) {
    char name[96], text[320], value[48], safe[256];
    if (r->node.n)
        page_heading(p, "Values of the whole");
    for (size_t i = 0; i < r->node.n; i++) {
        const struct run_node *n = &r->node.at[i];
        const struct metric mt = {.name = n->name, .share = n->share, .unit = n->unit};
        snprintf(name, sizeof(name), "%*s%.60s", n->level > 1 ? 2 * (n->level - 1) : 0, "",
                 str_safe(safe, sizeof(safe), n->name));
        snprintf(text, sizeof(text), "%s%s%s%s", n->value.approx && !isnan(n->value.v) ? "~" : "",
                 words_value(value, sizeof(value), &mt, n->value.v), n->reason[0] ? "  " : "",
                 n->reason[0] ? str_safe(safe, sizeof(safe), n->reason) : "");
        page_pair(p, NAME_W + 6, STYLE_POPUP, name,
                  isnan(n->value.v) ? STYLE_DIM
                  : n->value.over   ? STYLE_BOTTLENECK
                                    : STYLE_VALUE,
                  text);
    }
}

/* It may have lines of its own; what is no text in it is made safe. */
static void page_note(struct page *p, const struct run *r) {
    char plain[4096], safe[4096];
    if (!r->note || !r->note[0])
        return;
    str_copy(plain, sizeof(plain), r->note);
    for (char *c = plain; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    page_heading(p, "Note");
    page_text(p, STYLE_POPUP, 0, NULL, str_safe(safe, sizeof(safe), plain));
}

static void fill(struct screen *sc, struct page *p) {
    const struct run *r = run_of(sc);
    page_head(p, r);
    page_note(p, r);
    page_labels(p, r, false, "Labels");
    page_facts(p, r);
    page_marks(p, r);
    page_labels(p, r, true, "Automatic labels");
    page_values(p, r);
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    char title[64];
    snprintf(title, sizeof(title), "Run %s", run_of(sc)->id);
    popup_page(sc, c, r, WIDTH, title, fill);
}

const struct overlay popup_run = {.name = "run", .draw = draw, .mouse = popup_mouse};

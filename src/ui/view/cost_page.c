/* What tdtop itself costs: for the doctor, and for a pop-up that is refreshed with every frame. */
#include "base/str.h"
#include "ui/scene/scene.h"
#include "ui/view/doctor_page.h"

#include <math.h>
#include <stdio.h>

enum { NAME_W = 34, SHORT_NAME_W = 18, NUMBER_W = 12 };

/* Where there is no room for all, names give way: numbers are never cut. */
static int name_w(const struct page *p) {
    int least = p->r.w - 2 * NUMBER_W - 2;
    return least < NAME_W ? least > SHORT_NAME_W - 8 ? least : SHORT_NAME_W - 8 : NAME_W;
}

static void percent(char *buf, size_t cap, double share) {
    if (isnan(share))
        str_copy(buf, cap, "–");
    else
        snprintf(buf, cap, "%.2f %%", share * 100);
}

static void number(char *buf, size_t cap, double v) {
    char si[16];
    if (isnan(v))
        str_copy(buf, cap, "–");
    else if (v < 1000)
        snprintf(buf, cap, "%.1f", v);
    else
        str_copy(buf, cap, str_si(si, sizeof(si), v));
}

/* Columns, not bytes: "–" has three of these. */
static void pair(struct page *p, const char *name, const char *a, const char *b) {
    char text[96];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%*s%s  ", NUMBER_W - str_width(a), "", a);
    strbuf_add(&sb, "%*s%s", NUMBER_W - str_width(b), "", b);
    page_pair(p, name_w(p), STYLE_POPUP, name, STYLE_VALUE, text);
}

static void page_rates(struct page *p, const struct cost *c) {
    const struct cost_rate all = cost_since_start(c), late = cost_lately(c);
    const struct {
        const char *name;
        void (*text)(char *, size_t, double);
        double all, late;
    } rows[] = {
        {"CPU (100 % = one CPU)", percent, all.cpu, late.cpu},
        {"  drawing the screen", percent, all.screen, late.screen},
        {"  sampling and the rest", percent, all.cpu - all.screen, late.cpu - late.screen},
        {"wake-ups a second", number, all.wakes, late.wakes},
        {"samples a second", number, all.samples, late.samples},
        {"frames drawn a second", number, all.frames, late.frames},
        {"terminal bytes a second", number, all.bytes, late.bytes},
    };
    char a[32], b[32] = "lately";
    if (!isnan(late.seconds))
        snprintf(b, sizeof(b), "last %.0f s", late.seconds);
    pair(p, "", "since start", b);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        rows[i].text(a, sizeof(a), rows[i].all);
        rows[i].text(b, sizeof(b), rows[i].late);
        pair(p, rows[i].name, a, b);
    }
}

static void line(struct page *p, const char *name, const char *text) {
    page_pair(p, name_w(p), STYLE_POPUP, name, STYLE_VALUE, text);
}

static int groups_on(const struct session *s) {
    int n = 0;
    for (uint32_t g = 0; g < s->source.layout.n_group; g++)
        n += group_set_has(&s->control.groups, g);
    return n;
}

static void page_state(const struct scene *sc, struct page *p) {
    const struct session *s = sc->s;
    const struct cost *c = &sc->cost;
    char text[96];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    page_heading(p, "Now");
    strbuf_add(&sb, c->descriptors < 0 ? "n/a" : "%lld", (long long)c->descriptors);
    if (c->descriptors_max >= 0)
        strbuf_add(&sb, " of %lld", (long long)c->descriptors_max);
    line(p, "descriptors open", text);
    if (c->resident_bytes < 0)
        str_copy(text, sizeof(text), "n/a");
    else
        snprintf(text, sizeof(text), "%.1f MB", (double)c->resident_bytes / 1e6);
    line(p, "memory in use", text);
    snprintf(text, sizeof(text), "%llu, %llu merged", (unsigned long long)s->n_frames,
             (unsigned long long)s->merged);
    line(p, "samples", text);
    snprintf(text, sizeof(text), "%d of %u", groups_on(s), s->source.layout.n_group);
    line(p, "event groups in focus", text);
}

void doctor_cost_lines(const struct scene *sc, struct page *p) {
    page_rates(p, &sc->cost);
    page_state(sc, p);
    page_blank(p);
    page_text(p, STYLE_LABEL, 0, NULL,
              "What the counters cost the target, at each change of its threads, is not in this.");
}

void doctor_cost(const struct scene *sc, struct page *p) {
    page_heading(p, "What tdtop itself costs");
    doctor_cost_lines(sc, p);
}

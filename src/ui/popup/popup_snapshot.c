/* The form of a snapshot, over the live screen; and, where a run could not be saved, the question
 * where else to. */
#include "base/str.h"
#include "ui/app/keys.h"
#include "ui/app/screen.h"
#include "ui/draw/widget.h"
#include "ui/popup/popup.h"
#include "ui/popup/snapshot_offer.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 76, NAME_W = 9 };

/* A line of the form: its name, and the place for what is typed. */
static struct rect line(struct page *p, const struct snapshots *sn, enum snapshot_line which,
                        const char *name) {
    struct rect r = {p->r.x + NAME_W, p->r.y + p->line - p->skip, p->r.w - NAME_W, 1};
    bool here = sn->line == which;
    char text[32];
    snprintf(text, sizeof(text), "%s%s", here ? "▸ " : "  ", name);
    page_pair(p, NAME_W, here ? STYLE_KEY : STYLE_LABEL, text, STYLE_POPUP, "");
    return r;
}

static void text_line(struct page *p, const struct snapshots *sn, enum snapshot_line which,
                      const char *name, const struct form_text *text) {
    struct rect r = line(p, sn, which, name);
    if (r.y >= p->r.y && r.y < p->r.y + p->r.h)
        form_draw(text, p->c, r, r.x, r.y, r.w, STYLE_VALUE, sn->line == which);
}

/* "(*) since the start, 42s" */
static void page_spans(struct screen *sc, struct page *p) {
    const struct snapshots *sn = sc->snapshot;
    const char *name = sn->line == SNAPSHOT_SPAN ? "▸ span" : "  span";
    char words[96], text[128];
    for (int i = 0; i < SPANS; i++) {
        bool chosen = (int)sn->span == i;
        if (!snapshot_has_span(sc, (enum snapshot_span)i))
            continue;
        snprintf(text, sizeof(text), "(%s) %s", chosen ? "•" : " ",
                 snapshot_span_words(sc, (enum snapshot_span)i, words, sizeof(words)));
        page_pair(p, NAME_W, sn->line == SNAPSHOT_SPAN ? STYLE_KEY : STYLE_LABEL, name,
                  chosen ? STYLE_VALUE : STYLE_LABEL, text);
        name = "";
    }
}

static void page_offers(struct page *p, const struct snapshots *sn) {
    char text[OFFERS_MAX * (OFFER_LEN + 2) + 16] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    if (sn->n_offer == 0 || sn->line != SNAPSHOT_LABELS) {
        page_blank(p);
        return;
    }
    char key[24];
    keys_name_of("form-complete", key, sizeof(key));
    strbuf_add(&sb, "%s:", offer_is_meant(sn) ? key : "recent");
    for (int i = 0; i < sn->n_offer; i++)
        strbuf_add(&sb, i == sn->offered ? "  [%s]" : "  %s", sn->offer[i]);
    page_pair(p, NAME_W, STYLE_LABEL, "", STYLE_LABEL, text);
}

static void page_automatic(struct page *p, const struct snapshots *sn) {
    char text[2048] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (size_t i = 0; i < sn->automatic.label.n; i++) {
        const struct run_label *l = &sn->automatic.label.at[i];
        if (l->automatic)
            strbuf_add(&sb, "%s%s=%.48s", sb.n ? "  " : "", l->key, l->value);
    }
    char safe[2048];
    page_text(p, STYLE_DIM, NAME_W, NULL, str_safe(safe, sizeof(safe), text));
}

static void page_form(struct screen *sc, struct page *p) {
    const struct snapshots *sn = sc->snapshot;
    page_spans(sc, p);
    page_blank(p);
    text_line(p, sn, SNAPSHOT_LABELS, "labels", &sn->labels);
    page_offers(p, sn);
    text_line(p, sn, SNAPSHOT_NOTE, "note", &sn->note);
    page_blank(p);
    if (sn->problem[0]) {
        page_text(p, STYLE_ERROR, 0, NULL, sn->problem);
        page_blank(p);
    }
    page_text(p, STYLE_LABEL, 0, NULL, "These labels come by themselves; yours win:");
    page_automatic(p, sn);
}

static void page_failed(struct screen *sc, struct page *p) {
    const struct snapshots *sn = sc->snapshot;
    page_text(p, STYLE_ERROR, 0, NULL, sn->problem);
    page_blank(p);
    char words[160];
    page_text(
        p, STYLE_POPUP, 0, NULL,
        keys_in_words("Nothing is lost: the run is in memory. {form-accept} saves it into this "
                      "file, {form-close} keeps it for later.",
                      words, sizeof(words)));
    page_blank(p);
    text_line(p, sn, SNAPSHOT_PATH, "file", &sn->path);
}

static void prepare(struct screen *sc, struct rect r) {
    (void)r;
    offer_settle(sc->snapshot);
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    bool failed = sc->snapshot->line == SNAPSHOT_PATH;
    void (*page)(struct screen *, struct page *) = failed ? page_failed : page_form;
    int w = WIDTH + 4 < r.w ? WIDTH : r.w - 4;
    struct page measure = page_on(c, (struct rect){0, 0, w, 0}, 0);
    page(sc, &measure);
    struct page p =
        popup_begin(sc, c, r, w, measure.line, failed ? "Snapshot: not saved" : "Snapshot");
    page(sc, &p);
    popup_end(sc, &p);
}

const struct overlay popup_snapshot = {
    .name = "snapshot", .prepare = prepare, .draw = draw, .mouse = popup_mouse};

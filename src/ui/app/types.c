#include "ui/app/types.h"

#include "base/str.h"
#include "model/knowledge/advice.h"
#include "ui/app/actions.h"
#include "ui/app/borders.h"
#include "ui/app/screen.h"
#include "ui/app/settings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int types_add(struct types *t, struct session *s, const struct types_options *opt,
              struct err *err) {
    struct screen *sc = calloc(1, sizeof(*sc));
    if (!sc)
        return err_set(err, -ENOMEM, "screen: out of memory");
    int rc = screen_init(sc, s, opt->level, err);
    if (rc == 0 && opt->advice && opt->advice[0] && strcmp(opt->advice, ADVICE_DEFAULT) != 0)
        rc = sentence_load(&sc->sentence, opt->advice, err);
    if (rc == 0 && opt->layout)
        rc = borders_parse(opt->layout, &sc->splits, err);
    sc->hint = opt->hint;
    sc->focus_policy.mode = (enum focus_mode)opt->focus;
    sc->type = t->n;
    sc->types = t;
    sc->snapshot = opt->snapshots;
    sc->runs = opt->runs;
    sc->settings = opt->settings;
    if (sc->settings)
        settings_apply_style(sc);
    t->at[t->n++] = sc;
    return rc;
}

void types_destroy(struct types *t) {
    for (int i = 0; i < t->n; i++) {
        screen_destroy(t->at[i]);
        free(t->at[i]);
    }
    t->n = 0;
}

void types_layout(struct screen *sc, int w, int h) {
    if (!types_many(sc->types))
        return;
    sc->beside = layout_beside(w, h, sc->types->n, sc->type, &sc->splits, &sc->panes);
    if (!sc->beside)
        layout_strip(&sc->panes, sc->types->n - 1);
    layout_strip(&sc->row_panes, sc->types->n - 1);
    layout_strip(&sc->list_panes, sc->types->n - 1);
}

int types_all(struct screen *sc, struct screen **out) {
    const bool many = types_many(sc->types) && !sc->opened;
    const int n = many ? sc->types->n : 1;
    for (int i = 0; i < n; i++)
        out[i] = many ? sc->types->at[i] : sc;
    return n;
}

bool types_beside(const struct screen *sc) {
    return sc->beside && sc->view == VIEW_TREE;
}

bool types_active(const struct screen *sc) {
    return !types_many(sc->types) || sc->types->at[sc->types->active] == sc;
}

/* The one that is left keeps its tree, but has nothing on top of it, and no rows. */
static void hand_over(struct screen *from, struct screen *to) {
    enum main_view view = from->view;
    to->popup = from->popup;
    to->scroll = to->scroll_max = 0;
    to->cost = from->cost;
    to->message[0] = '\0';
    from->popup = NULL;
    search_end(from);
    if (view != VIEW_TREE)
        screen_view(from, VIEW_TREE);
    if (view != to->view)
        screen_view(to, view);
}

void types_switch(struct screen *sc, int by) {
    struct types *t = sc->types;
    if (!types_many(t))
        return;
    int next = (t->active + by + t->n) % t->n;
    if (next == t->active)
        return;
    hand_over(t->at[t->active], t->at[next]);
    t->active = next;
}

static bool holds(struct rect r, const struct mouse *m) {
    return m->x >= r.x && m->x < r.x + r.w && m->y >= r.y && m->y < r.y + r.h;
}

struct screen *types_under(struct screen *sc, const struct mouse *m) {
    static const enum pane own[] = {PANE_TYPE, PANE_CLOCK, PANE_FUNNEL, PANE_VITALS,
                                    PANE_TREE, PANE_STACK, PANE_PLOT};
    for (int i = 0; types_beside(sc) && i < sc->types->n; i++)
        for (size_t k = 0; k < sizeof(own) / sizeof(own[0]); k++)
            if (holds(sc->types->at[i]->panes.at[own[k]], m))
                return sc->types->at[i];
    return sc;
}

static void follow(const struct screen *sc, struct screen *to) {
    struct session *s = to->s;
    if (to->frozen != sc->frozen)
        action_freeze(to);
    if (s->control.interval_ns != sc->s->control.interval_ns && s->state == STREAM_LIVE)
        session_request(s, sc->s->control.interval_ns, to->frozen);
    if (to->focus_policy.mode != sc->focus_policy.mode) {
        to->focus_policy.mode = sc->focus_policy.mode;
        to->focus_policy.asked = 0;
        focus_policy_tell(to);
    }
    to->split = sc->split;
}

void types_follow(struct screen *sc) {
    if (!types_many(sc->types) || !types_active(sc))
        return;
    for (int i = 0; i < sc->types->n; i++)
        if (sc->types->at[i] != sc && sc->types->at[i]->connected)
            follow(sc, sc->types->at[i]);
}

const char *types_words(const struct screen *sc, bool brief, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    if (!session_type(sc->s)[0])
        return buf;
    const char *cores = session_cores(sc->s);
    strbuf_add(&sb, "%s", cores[0] ? cores : session_type(sc->s));
    if (sc->frame && !isnan(sc->frame->here))
        strbuf_add(&sb, " %.0f%%%s", sc->frame->here * 100, brief ? "" : " of the CPU time");
    return buf;
}

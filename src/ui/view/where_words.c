/* What is said above the functions: of what, how sure, and what is not as one would think. */
#include "base/clock.h"
#include "base/str.h"
#include "ui/draw/page.h"
#include "ui/draw/widget.h"
#include "ui/term/term.h"
#include "ui/view/where_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *where_share(double share, char *buf, size_t cap) {
    if (isnan(share))
        return str_copy(buf, cap, "-");
    snprintf(buf, cap, "%.1f%%", share * 100);
    return buf;
}

void where_frame(struct canvas *c, struct rect r, bool strong, const char *title,
                 const char *right) {
    widget_box(c, r);
    const int w = str_width(right);
    int x = r.x + 2;
    x += widget_text(c, r, x, r.y, r.w - 4, STYLE_TEXT, " ");
    x += widget_text(c, r, x, r.y, r.w - 6, strong ? STYLE_TITLE : STYLE_LABEL, title);
    canvas_put(c, r, x++, r.y, STYLE_TEXT, ' ');
    if (w == 0 || r.x + r.w - x < w + 4)
        return;
    canvas_printf(c, r, r.x + r.w - w - 4, r.y, STYLE_LABEL, " %s ", right);
}

const struct sampling_event *where_event(const struct where_state *w) {
    return w->live.info.n_event ? &w->live.info.event[0] : NULL;
}

/* "DRAM_Bound › MEM_Latency"; of an event that is of no node what it counts: "CPU time". */
static void path_words(const struct scene *sc, char *buf, size_t cap) {
    const struct model *m = scene_model(sc);
    const int node = where_state_of(sc)->live.node;
    const struct sampling_event *e = where_event(where_state_of(sc));
    if (node == METRIC_NONE || (e && e->node == METRIC_NONE)) {
        str_copy(buf, cap, e ? e->of : "Where");
        return;
    }
    const int parent = m->metric[node].parent;
    snprintf(buf, cap, "%s%s%s", parent == METRIC_NONE ? "" : m->metric[parent].name,
             parent == METRIC_NONE ? "" : " › ", m->metric[node].name);
}

/* Of the samples that are shown. */
static double seconds(const struct where_live *l) {
    uint64_t from = l->info.begin_ns, to = l->now_ns;
    if (l->span.to && !l->stored) {
        from = l->span.from * NS_PER_S > from ? l->span.from * NS_PER_S : from;
        to = l->span.to < to / NS_PER_S ? l->span.to * NS_PER_S : to;
    }
    return to > from ? (double)(to - from) / 1e9 : 0;
}

/* "precise · 812 samples · 4 s · 203/s"; of the past "precise · 812 samples · 12s ago". */
static void figures(const struct scene *sc, char *buf, size_t cap) {
    const struct where_state *w = where_state_of(sc);
    const struct where_live *l = &w->live;
    const struct sampling_event *e = where_event(w);
    struct strbuf sb = strbuf_on(buf, cap);
    char when[64];
    buf[0] = '\0';
    if (!e)
        return;
    const double s = seconds(l);
    strbuf_add(&sb, "%s · %llu %s", e->precision, (unsigned long long)l->total.all.n,
               e->off_cpu ? "waits" : "samples");
    if (sc->cursor.shows != CURSOR_LIVE && !l->stored) {
        strbuf_add(&sb, " · %s", cursor_words(sc, when, sizeof(when)));
        return;
    }
    strbuf_add(&sb, " · %.0f s", s);
    if (s >= 1)
        strbuf_add(&sb, " · %.0f/s", (double)l->total.all.n / s);
}

/* What it is compared with, or why it is not. */
static void base_words(const struct scene *sc, struct strbuf *sb) {
    const struct where_live *l = &where_state_of(sc)->live;
    if (l->base)
        strbuf_add(sb, " · Δ: against %s", sc->base.name);
    else if (sc->base.on && sc->base.run.hot.n)
        strbuf_add(sb, " · the baseline has samples of %s",
                   sc->base.run.hot.at[0].event.n ? sc->base.run.hot.at[0].event.at[0].name
                                                  : sc->base.run.hot.at[0].asked);
}

const char *where_notes(const struct scene *sc, char *buf, size_t cap) {
    const struct where_state *w = where_state_of(sc);
    const struct sampling_info *i = &w->live.info;
    const struct sampling_event *e = where_event(w);
    struct strbuf sb = strbuf_on(buf, cap);
    buf[0] = '\0';
    base_words(sc, &sb);
    if (e && e->why[0] && (e->node != w->live.node || w->live.node == METRIC_NONE))
        strbuf_add(&sb, " · %s", e->why);
    if (i->user_only)
        strbuf_add(&sb, " · user space only: root, cap_perfmon or kernel.perf_event_paranoid=1 "
                        "show the kernel, too");
    if (i->n_lost)
        strbuf_add(&sb, " · %llu samples lost", (unsigned long long)i->n_lost);
    if (i->no_counter > SAMPLING_NO_COUNTER)
        strbuf_add(&sb, " · on a counter %.0f%% of the time", 100 * (1 - i->no_counter));
    if (i->n_throttled)
        strbuf_add(&sb, " · throttled %llu times", (unsigned long long)i->n_throttled);
    if (sampling_broken(i) > 0)
        strbuf_add(&sb, " · stacks of %.0f%% are broken: built without frame pointers",
                   100 * sampling_broken(i));
    if (i->n_left_out)
        strbuf_add(&sb, " · %u threads left out: raise ulimit -n", i->n_left_out);
    if (i->n_unreadable)
        strbuf_add(&sb, " · mappings of %llu processes cannot be read",
                   (unsigned long long)i->n_unreadable);
    if (where_is_records(w) && w->live.span.to && !w->live.stored)
        strbuf_add(&sb, " · %s are of all samples",
                   w->live.by == WHERE_BY_BRANCH ? "branches" : "cache lines");
    if (w->live.by == WHERE_BY_BRANCH && w->live.total.n_no_branch)
        strbuf_add(&sb, " · no room for %llu branch records",
                   (unsigned long long)w->live.total.n_no_branch);
    if (w->live.by == WHERE_BY_ACCESS && w->live.total.n_no_line)
        strbuf_add(&sb, " · no room for the cache lines of %llu accesses",
                   (unsigned long long)w->live.total.n_no_line);
    if (w->live.total.n_no_leaf || i->n_evicted)
        strbuf_add(&sb, " · no room for %llu places",
                   (unsigned long long)(w->live.total.n_no_leaf + i->n_evicted));
    memmove(buf, buf + (sb.n ? 4 : 0), strlen(buf) + 1 - (sb.n ? 4 : 0)); /* " · " */
    return buf;
}

void where_head_draw(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct where_state *w = where_state_of(sc);
    const struct sampling_event *e = where_event(w);
    char path[160], right[192], of[192] = "";
    path_words(sc, path, sizeof(path));
    figures(sc, right, sizeof(right));
    if (w->live.by == WHERE_BY_BRANCH)
        str_copy(of, sizeof(of), "shares of mispredicted branches, rates of taken");
    else if (w->live.by == WHERE_BY_ACCESS)
        str_copy(of, sizeof(of), "a share is one of samples that say an address");
    else if (e)
        snprintf(of, sizeof(of), "a share is one of %s", e->of);
    const int wide = str_width(right), room = r.w - 2 - (wide ? wide + 2 : 0);
    const int x = r.x + 1 + widget_text(c, r, r.x + 1, r.y, room, STYLE_TITLE, path) + 3;
    if (r.x + 1 + room - x >= str_width(of))
        widget_text(c, r, x, r.y, r.x + 1 + room - x, STYLE_LABEL, of);
    widget_right(c, r, r.x, r.y, r.w - 1, STYLE_LABEL, right);
}

bool where_lacks_records(const struct where_state *w) {
    return where_is_records(w) && w->live.n_row == 0;
}

bool where_is_idle(const struct where_state *w) {
    return !w->live.lack[0] && w->live.total.all.n == 0;
}

/* Why there is none of a kind. */
static const char *lack_words(const struct where_live *l, char *buf, size_t cap) {
    const bool branches = l->by == WHERE_BY_BRANCH;
    const char *why = branches ? l->info.no_branches : l->no_accesses;
    const bool asked = branches ? l->info.branches : l->info.accesses;
    const char *what = branches ? "branch records" : "addresses";
    const bool clock = !l->stored && l->info.n_event && l->info.event[0].clock;
    if (why[0])
        snprintf(buf, cap, "no %s: %s", what, why);
    else if (l->off_cpu)
        snprintf(buf, cap, "no %s: waits have none", what);
    else if (clock)
        snprintf(buf, cap, "no %s: a clock has none, only an event of the PMU", what);
    else if (asked)
        snprintf(buf, cap,
                 branches ? "no branch record so far" : "no sample says an address so far");
    else
        snprintf(buf, cap, "these samples were taken without %s", what);
    return buf;
}

void where_nothing_draw(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct where_state *w = where_state_of(sc);
    struct page p = page_on(c, (struct rect){r.x + 1, r.y, r.w - 2, r.h}, 0);
    const double s = seconds(&w->live);
    char text[160];
    if (w->live.lack[0]) {
        page_text(&p, STYLE_WARN, 0, NULL, w->live.lack);
    } else if (where_is_idle(w)) {
        if (sc->cursor.shows != CURSOR_LIVE)
            snprintf(text, sizeof(text), "no sample then: this view was not open, or no CPU used");
        else if (s < 1)
            snprintf(text, sizeof(text), "sampling ...");
        else
            snprintf(text, sizeof(text),
                     w->live.off_cpu ? "no wait in %.0f s"
                                     : "no sample in %.0f s: the target has used no CPU, or the "
                                       "event has not happened",
                     s);
        page_text(&p, STYLE_DIM, 0, NULL, text);
    } else if (where_lacks_records(w)) {
        page_text(&p, STYLE_DIM, 0, NULL, lack_words(&w->live, text, sizeof(text)));
    }
}

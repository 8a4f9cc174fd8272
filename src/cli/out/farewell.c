#include "cli/out/farewell.h"

#include "base/clock.h"
#include "base/str.h"
#include "model/eval/bottleneck.h"
#include "session/hybrid.h"

#include <math.h>
#include <stdio.h>

static void print_level_1(const struct model *m, const struct frame *f) {
    char text[512] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (uint32_t i = 0; i < m->n_tree; i++) {
        if (m->metric[i].level != 1 || !m->metric[i].share)
            continue;
        strbuf_add(&sb, sb.n ? ", %s " : "%s ", m->metric[i].name);
        if (isnan(f->at[i].v))
            strbuf_add(&sb, "n/a");
        else
            strbuf_add(&sb, "%s%.1f%%", f->at[i].approx ? "~" : "", f->at[i].v * 100);
    }
    if (text[0])
        printf("  level 1     %s\n", text);
}

static void print_bottleneck(const struct model *m, const struct frame *f) {
    const struct bottleneck *b = &f->bottleneck;
    const int end = b->n ? b->at[b->n - 1] : METRIC_NONE;
    struct bottleneck_words words;
    bottleneck_words(m, f, b, 0, &words);
    printf("  bottleneck  %s%s", words.way, words.end);
    if (end != METRIC_NONE && b->tie[0] == METRIC_NONE && m->metric[end].share &&
        f->at[end].err >= 0.0005) /* less prints as 0; and unknown */
        printf(" ± %.1f", f->at[end].err * 100);
    printf("%s%s\n", words.rest, words.note);
}

/* "0:00 Frontend_Bound, 0:50 DRAM_Bound, ...": the newest, from two on. False: there are none. */
static bool print_phases(struct session *s) {
    enum { SHOWN = 6 };
    struct session_phase p[BREAKS_MOST];
    int n = 0, n_all = session_phases(s, p, BREAKS_MOST);
    for (int i = 0; i < n_all; i++) /* another level of the same is not told again */
        if (n == 0 || p[n - 1].main != p[i].main)
            p[n++] = p[i];
    const int first = n > SHOWN ? n - SHOWN : 0;
    if (n < 2)
        return false;
    printf("  phases      %s", first ? "... " : "");
    for (int i = first; i < n; i++) {
        const unsigned at = (unsigned)(p[i].t0_ns / NS_PER_S);
        printf("%s%u:%02u %s", i > first ? ", " : "", at / 60, at % 60,
               p[i].main == METRIC_NONE ? "idle" : s->model.metric[p[i].main].name);
    }
    printf("\n");
    return true;
}

static void print_session(struct session *s) {
    const struct model *m = &s->model;
    const unsigned seconds = (unsigned)lround(s->window.covered_s + s->before.covered_s);
    struct frame f = {0};
    if (!s->opened || s->window.n + s->before.n == 0 || frame_init(&f, m->n_metric) < 0)
        return;
    session_whole(s, &f, NULL);
    printf("tdtop: %s · %02u:%02u:%02u · %s%s\n", s->source.target_text, seconds / 3600,
           seconds / 60 % 60, seconds % 60, m->title, s->source.simulated ? " · SIMULATED" : "");
    print_bottleneck(m, &f);
    if (!print_phases(s))
        print_level_1(m, &f);
    frame_destroy(&f);
}

void farewell(const struct sessions *all, int n_kept, const char *last_id, bool asked) {
    for (int i = 0; i < all->n; i++)
        print_session(all->at[i]);
    if (n_kept > 0)
        printf("  kept        %d run%s, the newest is %.8s: tdtop query %.8s\n", n_kept,
               n_kept == 1 ? "" : "s", last_id, last_id);
    if (asked)
        printf("  not kept    a snapshot: its form was still open\n");
}

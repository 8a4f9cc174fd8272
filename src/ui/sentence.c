#include "ui/sentence.h"

#include "base/clock.h"
#include "ui/keys.h"
#include "ui/screen.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define HOLD_NS  (5 * NS_PER_S)
#define EVERY_NS (20 * NS_PER_S) /* between frames that are kept */
#define AGO_NS   (50 * NS_PER_S) /* "a minute ago" is at least so long ago */

int sentence_load(struct sentence *se, const char *source, struct err *err) {
    struct advice next;
    int rc = advice_load(&next, source, err);
    if (rc < 0)
        return rc;
    if (se->loaded)
        advice_free(&se->advice);
    se->advice = next;
    se->loaded = true;
    se->made = false;
    return 0;
}

static void drop_past(struct sentence *se) {
    for (int i = 0; i < SENTENCE_PAST; i++)
        frame_destroy(&se->past[i]);
    se->n_past = 0;
}

int sentence_init(struct sentence *se, const struct model *m) {
    drop_past(se);
    se->made = false;
    for (int i = 0; i < SENTENCE_PAST; i++)
        if (frame_init(&se->past[i], m->n_metric) < 0)
            return -ENOMEM;
    return 0;
}

void sentence_destroy(struct sentence *se) {
    drop_past(se);
    if (se->loaded)
        advice_free(&se->advice);
    *se = (struct sentence){0};
}

/* --- a minute ago --- */

void sentence_note(struct screen *sc) {
    struct sentence *se = &sc->sentence;
    const struct frame *now = sc->newest;
    if (!now || !se->past[0].at)
        return;
    if (se->n_past > 0 && now->t1_ns < se->past[se->newest_past].t1_ns + EVERY_NS)
        return;
    se->newest_past = se->n_past ? (se->newest_past + 1) % SENTENCE_PAST : 0;
    frame_copy(&se->past[se->newest_past], now);
    if (se->n_past < SENTENCE_PAST)
        se->n_past++;
}

/* The newest frame that is a minute old, or NULL. */
static struct frame *minute_ago(struct sentence *se, uint64_t now_ns) {
    struct frame *best = NULL;
    for (int i = 0; i < se->n_past; i++) {
        struct frame *f = &se->past[i];
        if (f->t1_ns + AGO_NS <= now_ns && (!best || f->t1_ns > best->t1_ns))
            best = f;
    }
    return best;
}

/* --- the sentence --- */

static bool baseline_value(void *user, int metric, double *v, double *err) {
    const struct compare_row *row = baseline_row(user, metric);
    if (!row || !row->a)
        return false;
    *v = row->a->value.v;
    *err = row->a->value.err;
    return !isnan(*v);
}

static void make(struct screen *sc, struct advice_text *out) {
    struct sentence *se = &sc->sentence;
    char name[3][16];
    const struct advice_keys at = {keys_name_of("open-close", name[0], sizeof(name[0])),
                                   keys_name_of("explain", name[1], sizeof(name[1])),
                                   keys_name_of("doctor", name[2], sizeof(name[2]))};
    struct advice_input in = {
        .model = screen_model(sc), .frame = sc->frame, .explain = &sc->explain, .keys = &at};
    if (sc->base.on)
        in.baseline = (struct advice_past){baseline_value, &sc->base, "since the baseline"};
    struct frame *ago = sc->frame == sc->newest ? minute_ago(se, sc->frame->t1_ns) : NULL;
    if (ago)
        in.ago = (struct advice_past){advice_past_frame, ago, "in the last minute"};
    advice_make(&se->advice, &in, out);
}

static bool says_another(const struct advice_text *a, const struct advice_text *b) {
    return a->node != b->node || a->certainty != b->certainty;
}

void sentence_follow(struct screen *sc) {
    struct sentence *se = &sc->sentence;
    enum { HOLD_INTERVALS = 2 };
    if (!sc->frame || !se->loaded)
        return;
    uint64_t now_ns = sc->frame->t1_ns;
    bool same = se->made && se->of == sc->frame;
    if (same && now_ns == se->seen_ns)
        return;
    bool jumped = !same || now_ns < se->seen_ns || sc->frame != sc->newest;
    se->seen_ns = now_ns;
    se->of = sc->frame;
    make(sc, &se->next_);
    se->differs = says_another(&se->next_, &se->text) ? se->differs + 1 : 0;
    if (!jumped && se->differs < HOLD_INTERVALS && now_ns < se->made_ns + HOLD_NS)
        return;
    se->text = se->next_;
    se->made = true;
    se->made_ns = now_ns;
    se->differs = 0;
}

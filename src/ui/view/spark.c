#include "ui/view/spark.h"

#include "base/clock.h"
#include "model/load/model_text.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"

#include <math.h>
#include <stdio.h>

enum {
    LEVELS = 7,      /* never a full block: rows stay apart */
    LOWEST = 0x2581, /* the block of an eighth; those of more follow */
    DOT = 0xb7,
};

/* Buckets in w cells: a minute of whole ones, or as many as there is room for. */
static int buckets_in(const struct scene *sc, int w) {
    const struct trend *t = &sc->trends.spark;
    const int minute = (int)((60 * NS_PER_S + t->bucket_ns - 1) / t->bucket_ns);
    const int held = t->n - 1; /* the newest is not whole */
    int n = w < held ? w : held;
    if (n > minute && minute > 1)
        n = minute;
    return n > 0 ? n : 0;
}

static int level_of(const struct metric *mt, double v, double top) {
    const int level = (int)((mt->share ? sqrt(v) : v / top) * LEVELS);
    return level < LEVELS ? level : LEVELS - 1;
}

/* Of a metric: once for all cells of its row. */
struct looks {
    enum style alarm, over;
    double limit; /* over which it has its hue */
};

static struct looks looks_of(const struct model *m, int metric) {
    const struct metric *mt = &m->metric[metric];
    const double limit = model_threshold(m, metric);
    return (struct looks){.alarm = mt->role == ROLE_RETIRING ? STYLE_GOOD : STYLE_ERROR,
                          .over = words_hue(m, metric),
                          .limit = mt->level == 1 && !mt->threshold ? 0 : limit};
}

/* What is not a share fills the height with its greatest value. */
static double top_of(const struct trend *t, int metric, int n) {
    double top = 0;
    for (int i = 0; i < n; i++) {
        const double v = trend_at(t, metric, t->n - 1 - n + i);
        top = v > top ? v : top;
    }
    return widget_nice_top(top);
}

void spark_draw(const struct scene *sc, struct canvas *c, struct rect r, int x, int w, int metric) {
    const struct trend *t = &sc->trends.spark;
    const struct metric *mt = &scene_model(sc)->metric[metric];
    if (!sc->trends.has_spark || !sc->frame)
        return;
    const int n = buckets_in(sc, w);
    const double top = mt->share ? 1 : top_of(t, metric, n);
    const struct looks looks = looks_of(scene_model(sc), metric);
    const uint64_t held = t->newest - trend_oldest(t);
    x += w - n;
    for (int i = 0; i < n; i++) {
        const int bucket = t->n - 1 - n + i;
        if ((uint64_t)(n - i) > held)
            continue;
        const double v = trend_at(t, metric, bucket);
        if (v > 0)
            canvas_put(c, r, x + i, r.y,
                       trend_end(t, bucket) == metric ? looks.alarm
                       : v > looks.limit              ? looks.over
                                                      : STYLE_BORDER,
                       LOWEST + (uint32_t)level_of(mt, v, top));
        else if (isnan(v))
            canvas_put(c, r, x + i, r.y, STYLE_BORDER, DOT);
    }
}

const char *spark_words(const struct scene *sc, int w, char *buf, size_t cap) {
    char span[16];
    words_span(span, sizeof(span), sc->trends.spark.bucket_ns * (uint64_t)buckets_in(sc, w));
    snprintf(buf, cap, "last %s", span);
    return buf;
}

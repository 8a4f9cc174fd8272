/* Formats of text: folded stacks, speedscope; and which format a name means. */
#include "base/json_put.h"
#include "base/str.h"
#include "model/hot/hot_export.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

const struct hot_format *hot_format_of(const char *path) {
    static const struct hot_format formats[] = {{".folded", hot_folded, false},
                                                {".svg", hot_svg, false},
                                                {".speedscope.json", hot_speedscope, false},
                                                {".pprof", hot_pprof, true}};
    for (size_t i = 0; path && i < sizeof(formats) / sizeof(formats[0]); i++)
        if (str_ends(path, formats[i].ending))
            return &formats[i];
    return NULL;
}

/* ---- folded ---- */

/* What separates frames and counts is in no name. */
static void put_frame(FILE *out, const char *name) {
    for (; *name; name++)
        fputc(*name == ';' || *name == '\n' ? ':' : *name, out);
}

/* The way from the root down to a node, its own number last: how many. */
static size_t way_to(const struct hot *h, uint32_t node, uint32_t *way) {
    size_t n = 0;
    for (uint32_t i = node; i != HOT_NONE; i = h->node.at[i].parent)
        n++;
    for (size_t k = n; k-- > 0; node = h->node.at[node].parent)
        way[k] = node;
    return n;
}

int hot_folded(const struct hot *h, FILE *out) {
    char name[HOT_NAME];
    const bool waits = hot_is_off_cpu(h); /* in us */
    uint32_t *way = calloc(h->node.n + 1, sizeof(*way));
    if (!way)
        return -ENOMEM;
    for (uint32_t i = 0; i < h->node.n; i++) {
        if (!h->node.at[i].count.n)
            continue;
        const size_t n = way_to(h, i, way);
        for (size_t k = 0; k < n; k++) {
            if (k)
                fputc(';', out);
            put_frame(out, hot_name(h, way[k], name, sizeof(name)));
        }
        const struct hot_count *c = &h->node.at[i].count;
        fprintf(out, " %.0f\n", waits ? ceil(c->weight / 1e3) : (double)c->n);
    }
    free(way);
    return 0;
}

/* ---- speedscope ---- */

/* Frames are the functions, then the threads that stand for processes. */
static void put_frames(struct json_put *p, const struct hot *h) {
    char name[HOT_NAME];
    json_put_begin(p, "frames", '[');
    for (size_t i = 0; i < h->function.n; i++) {
        const struct hot_function *f = &h->function.at[i];
        json_put_begin(p, NULL, '{');
        json_put_text(p, "name", f->name);
        json_put_text(p, "file", f->file[0] ? f->file : h->module.at[f->module].path);
        if (f->file[0])
            json_put_integer(p, "line", f->line);
        json_put_end(p, '}');
    }
    for (uint32_t i = 0; i < h->thread.n; i++) {
        json_put_begin(p, NULL, '{');
        json_put_text(p, "name", hot_process(h, i, name, sizeof(name)));
        json_put_end(p, '}');
    }
    json_put_end(p, ']');
}

static void put_samples(struct json_put *p, const struct hot *h, uint32_t *way) {
    json_put_begin(p, "samples", '[');
    for (uint32_t i = 0; i < h->node.n; i++) {
        if (!h->node.at[i].count.n)
            continue;
        const size_t n = way_to(h, i, way);
        json_put_begin(p, NULL, '[');
        for (size_t k = 0; k < n; k++) {
            const struct hot_node *at = &h->node.at[way[k]];
            json_put_integer(p, NULL,
                             at->function == HOT_NONE ? (int64_t)h->function.n + at->thread
                                                      : (int64_t)at->function);
        }
        json_put_end(p, ']');
    }
    json_put_end(p, ']');
}

int hot_speedscope(const struct hot *h, FILE *out) {
    const bool clock = h->event.n && h->event.at[0].clock;
    const char *event = h->event.n ? h->event.at[0].name : "samples";
    struct json_put p = {0};
    double sum = 0;
    uint32_t *way = calloc(h->node.n + 1, sizeof(*way));
    if (!way)
        return -ENOMEM;
    json_put_begin(&p, NULL, '{');
    json_put_text(&p, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_put_text(&p, "name", h->target);
    json_put_text(&p, "exporter", "tdtop");
    json_put_integer(&p, "activeProfileIndex", 0);
    json_put_begin(&p, "shared", '{');
    put_frames(&p, h);
    json_put_end(&p, '}');
    json_put_begin(&p, "profiles", '[');
    json_put_begin(&p, NULL, '{');
    json_put_text(&p, "type", "sampled");
    json_put_text(&p, "name", event);
    json_put_text(&p, "unit", clock ? "nanoseconds" : "none");
    put_samples(&p, h, way);
    json_put_begin(&p, "weights", '[');
    for (uint32_t i = 0; i < h->node.n; i++)
        if (h->node.at[i].count.n) {
            json_put_number(&p, NULL, h->node.at[i].count.weight);
            sum += h->node.at[i].count.weight;
        }
    json_put_end(&p, ']');
    json_put_integer(&p, "startValue", 0);
    json_put_number(&p, "endValue", sum);
    json_put_end(&p, '}');
    json_put_end(&p, ']');
    json_put_end(&p, '}');
    const int rc = json_put_line(&p, out);
    json_put_free(&p);
    free(way);
    return rc;
}

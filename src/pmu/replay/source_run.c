/* A stored run as a source: its intervals come again, as they were counted, from time 0 on. */
#include "base/str.h"
#include "model/run/run.h"
#include "pmu/source.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

struct replayed {
    struct series_reader reader;
    uint64_t begin_ns;
};

static void write_texts(struct source *src) {
    const struct run *r = src->opt.run;
    char when[32], target[128];
    time_t t = (time_t)(r->begun_ns / 1000000000);
    struct tm tm;
    localtime_r(&t, &tm);
    strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
    struct strbuf sb = strbuf_on(src->target_text, sizeof(src->target_text));
    strbuf_add(&sb, "run %.8s · %s · %s", r->id, str_safe(target, sizeof(target), r->target), when);
    str_copy(src->note, sizeof(src->note), r->warning ? r->warning : "");
}

static int run_open(struct source *src, struct err *err) {
    const struct run *r = src->opt.run;
    if (series_rows(&r->series) == 0)
        return err_set(err, -ENODATA,
                       "run %.8s: it holds values but no counts, so it cannot be replayed; `tdtop "
                       "query --run %.8s` shows its values",
                       r->id, r->id);
    struct replayed *p = calloc(1, sizeof(*p));
    src->priv = p;
    if (!p || run_layout(r, src->model, &src->layout) < 0 ||
        series_reader_init(&p->reader, &r->series) < 0)
        return err_set(err, -ENOMEM, "run %.8s: out of memory", r->id);
    p->begin_ns = series_begin_ns(&r->series);
    src->consts = r->consts;
    src->simulated = r->simulated;
    write_texts(src);
    return 0;
}

static int run_read(struct source *src, struct sample *out, struct err *err) {
    struct replayed *p = src->priv;
    if (!series_reader_next(&p->reader, out))
        return err_set(err, -ENODATA, "run %.8s: its end", src->opt.run->id);
    out->t0_ns -= p->begin_ns;
    out->t1_ns -= p->begin_ns;
    return 0;
}

static void run_close(struct source *src) {
    struct replayed *p = src->priv;
    if (p)
        series_reader_destroy(&p->reader);
    free(p);
    src->priv = NULL;
}

const struct source_ops source_run = {
    .name = "run", .open = run_open, .read = run_read, .close = run_close};

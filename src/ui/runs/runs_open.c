#include "ui/runs/runs_open.h"

#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int load_model(struct runs_open *o, struct err *err) {
    const struct run *r = &o->run;
    if (!r->model_text || !r->model_text[0])
        return err_set(err, -ENODATA,
                       "run %.8s: its model was not kept; {runs-about} shows its values", r->id);
    return model_load(&o->s.model, r->model_text, strlen(r->model_text), r->model, err);
}

static int start(struct runs_open *o, struct err *err) {
    const struct source_options opt = {
        .run = &o->run, .interval_ns = o->run.interval_ns, .level = o->run.level};
    int rc = session_open(&o->s, &source_run, &opt, err);
    if (rc == 0 && (frame_init(&o->whole, o->s.model.n_metric) < 0 ||
                    sample_init(&o->whole_sample, o->s.source.layout.n_slot) < 0))
        rc = err_set(err, -ENOMEM, "run %.8s: out of memory; close other programs", o->run.id);
    return rc == 0 ? session_start(&o->s, err) : rc;
}

static int make_screen(struct runs_open *o, struct screen *from, struct err *err) {
    struct screen *sc = &o->sc;
    int rc = screen_init(sc, &o->s, from->level, err);
    if (rc < 0)
        return rc;
    sc->runs = from->runs;
    sc->snapshot = from->snapshot;
    sc->settings = from->settings;
    sc->opened = o;
    sc->scene.stored = &o->run;
    if (screen_resize(sc, from->canvas.w, from->canvas.h) < 0)
        return err_set(err, -ENOMEM, "screen: out of memory");
    return screen_attach(sc, err);
}

int runs_open_new(struct screen *from, struct run *r, struct runs_open **out, struct err *err) {
    struct runs_open *o = calloc(1, sizeof(*o));
    *out = NULL;
    if (!o) {
        run_free(r);
        return err_set(err, -ENOMEM, "run: out of memory; close other programs");
    }
    o->run = *r;
    *r = (struct run){0};
    o->s.exit_code = -1;
    int rc = load_model(o, err);
    if (rc == 0)
        rc = start(o, err);
    if (rc == 0)
        rc = make_screen(o, from, err);
    if (rc < 0)
        runs_open_free(o);
    else
        *out = o;
    return rc;
}

void runs_open_free(struct runs_open *o) {
    if (!o)
        return;
    if (o->sc.scene.s)
        screen_destroy(&o->sc);
    session_close(&o->s);
    frame_destroy(&o->whole);
    sample_destroy(&o->whole_sample);
    run_free(&o->run);
    free(o);
}

void runs_open_complete(struct runs_open *o) {
    if (o->complete || o->s.n_frames == 0)
        return;
    window_frame(&o->s.window, &o->s.eval, &o->whole);
    sample_copy(&o->whole_sample, window_sample(&o->s.window));
    o->complete = true;
    o->sc.run_frame = &o->whole;
    o->sc.run_sample = &o->whole_sample;
}

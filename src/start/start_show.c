/* The screen, or a picture of it, on one target after the other. */
#include "start/start_impl.h"

#include "base/str.h"
#include "cli/out/farewell.h"
#include "ui/app/picture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Of the command, which the first session runs. */
int start_exit_code(const struct app *app) {
    return app->all.n ? app->all.at[0]->exit_code : -1;
}

/* Called by the screen after its first frame, so that opening counters delays nothing. */
static int connect_session(void *user, struct err *err) {
    struct app *app = user;
    int rc = measure_open(&app->measure, &app->all, err);
    for (int i = 0; i < app->all.n && rc == 0; i++) /* --at plays faster than a screen can ask */
        session_units(app->all.at[i], app->all.at[i]->source.simulated);
    return rc ? rc : sessions_start(&app->all, err);
}

static int run_screen(struct app *app, const struct args *a, const struct config *cfg,
                      struct err *err) {
    struct ui_options opt = start_options(a, cfg, &app->kept);
    opt.level = 2;
    opt.focus = app->measure.focus;
    opt.duration_ns = a->duration_ns;
    opt.control = a->control;
    opt.baseline = a->baseline;
    opt.advice = cfg->advice;
    opt.layout = cfg->layout;
    opt.view = app->unscoped ? "threads" : cfg->view;
    opt.connect = connect_session;
    opt.user = app;
    for (int i = 0; i < app->all.n; i++)
        app->measure.opt[i].early = true;
    struct ui_left left = {0}, *sum = &app->left;
    opt.left = &left;
    opt.returns = app->picked || app->thread[0];
    opt.scopes = app->scopes;
    int rc = ui_run(&app->all, &opt, err);
    if (rc < 0)
        return rc;
    app->returned = left.returned;
    snprintf(app->thread, sizeof(app->thread), "%.*d", left.thread > 0, (int)left.thread);
    sum->n_kept += left.n_kept;
    sum->asked |= left.asked;
    if (left.last_id[0])
        str_copy(sum->last_id, sizeof(sum->last_id), left.last_id);
    if (!a->quiet && !left.returned)
        farewell(&app->all, sum->n_kept, sum->last_id, sum->asked);
    return start_exit_code(app) > 0 ? start_exit_code(app) : EXIT_OK;
}

/* A picture of the screen instead of the screen. */
static int save_picture(struct app *app, const struct args *a, const struct config *cfg,
                        struct err *err) {
    struct picture_options opt = {.theme = cfg->theme, .ascii = cfg->ascii, .w = 120, .h = 40};
    opt.colors = cfg->colors < 0 ? 256 : cfg->colors;
    opt.level = 2;
    opt.press = a->press;
    opt.db = a->db;
    opt.baseline = a->baseline;
    opt.layout = cfg->layout;
    opt.advice = cfg->advice;
    opt.settings = start_settings(&app->kept, a, cfg);
    opt.path = a->save;
    opt.connect = connect_session;
    opt.user = app;
    int rc = a->screen ? picture_size(a->screen, &opt.w, &opt.h, err) : 0;
    return rc < 0 ? rc : picture_save(&app->all, &opt, err);
}

static int show(struct app *app, struct args *a, struct config *cfg, struct err *err) {
    const int rc = measure_prepare(&app->measure, &app->all, a, true, err);
    if (rc < 0)
        return rc;
    return a->save ? save_picture(app, a, cfg, err) : run_screen(app, a, cfg, err);
}

static bool has_target(const struct args *a) {
    return a->verb != VERB_LIVE || a->pids || a->name || a->tids || a->cgroup || a->all ||
           a->cpus || a->command;
}

/* It has ended meanwhile, or is another user's: one can choose again. */
static bool is_of_process(int rc) {
    return rc == -ESRCH || rc == -EACCES || rc == -EPERM;
}

/* What was asked for, one after the other from a list, or a thread of it, until the user quits. */
int start_show(struct app *app, struct args *a, struct config *cfg, struct err *err) {
    const bool listed = !has_target(a);
    struct args whole = *a;
    for (;;) {
        const bool alone = app->thread[0], back = app->unscoped;
        int rc = alone || back ? 0 : start_choose(app, a, cfg, listed, err);
        if (rc)
            return rc < 0 ? rc : EXIT_OK;
        if (!alone)
            whole = *a;
        else
            a->pids = a->name = a->cgroup = a->cpus = NULL, a->all = false, a->tids = app->thread;
        app->scopes = a->verb == VERB_LIVE && !a->command && !a->tids;
        rc = show(app, a, cfg, err);
        str_copy(cfg->note, sizeof(cfg->note), rc < 0 ? err->text : "");
        if (rc < 0) {
            app->thread[0] = '\0';
            app->returned = alone || (app->picked && is_of_process(rc));
        }
        if (!app->returned)
            return rc;
        sessions_close(&app->all);
        measure_destroy(&app->measure);
        start_keep_looks(&app->kept.set, cfg);
        app->unscoped = alone;
        if (alone)
            *a = whole;
    }
}

#include "start/start.h"

#include "start/start_impl.h"

#include "base/log.h"
#include "cli/out/speak.h"
#include "cli/verb/batch.h"
#include "cli/verb/serve.h"
#include "ui/term/term.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

/* Rows: what -P waits for is a part of -d. */
static int open_rows(struct app *app, struct args *a, struct err *err) {
    int rc;
    while ((rc = measure_open(&app->measure, &app->all, err)) == MEASURE_WAITS)
        if ((rc = measure_wait(&app->measure, a->duration_ns, -1, err)) < 0)
            return rc;
    const uint64_t waited = app->measure.waited_ns;
    if (a->duration_ns)
        a->duration_ns = a->duration_ns > waited ? a->duration_ns - waited : 1;
    return rc;
}

static bool wants_rows(const struct args *a) {
    return a->rows || a->count || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO);
}

/* What only rows can do is not left out without a word, either. */
static int check_speak(struct args *a, struct err *err) {
    const char *only = a->save ? "save" : a->rows;
    a->speed_given = true; /* at the pace of who listens */
    if (!only)
        return 0;
    return err_set(err, -EINVAL, "--speak and --%s exclude each other; leave one out", only);
}

/* What only the screen can do is not left out without a word. */
static int check_rows(const struct args *a, struct err *err) {
    const char *only = a->control ? "--control" : a->baseline ? "--baseline" : NULL;
    if (a->every_ns && !a->speak)
        return err_set(err, -EINVAL, "--every: it is for --speak and for collect; leave it out");
    if (!only)
        return 0;
    return err_set(err, -EINVAL,
                   "%s: it is for the screen, and rows are printed here; leave it out, or see "
                   "`tdtop help collect` and `tdtop help compare`",
                   only);
}

/* A missing target is a usage error, like a missing argument; a command that cannot be run has a
 * shell's code. */
static int error_exit(const struct app *app, const struct err *err) {
    term_close(); /* it may still show the list */
    cli_error(err);
    if (cli_is_usage(err))
        return EXIT_USAGE;
    return start_exit_code(app) > 0 ? start_exit_code(app) : EXIT_ERROR;
}

int start_measure(struct args *a) {
    struct app *app = calloc(1, sizeof(*app));
    struct config cfg;
    struct err err = {0};
    if (!app) {
        cli_note("out of memory; close other programs");
        return EXIT_ERROR;
    }
    a->speed_given |= a->verb == VERB_SERVE; /* the simulated core, too, in real time */
    bool rows = a->verb == VERB_SERVE || a->speak || (!a->save && wants_rows(a));
    /* A screen stays for hours: its large blocks are the kernel's own pages, of which untouched
     * ones cost nothing. By itself glibc raises the limit with the first that is freed
     * (mallopt(3)). */
    if (!rows)
        mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    int rc = config_for(&cfg, a, &err);
    if (rc == 0)
        rc = cfg.log[0] ? log_open(cfg.log, &err) : 0;
    if (rc == 0 && !rows)
        rc = start_keys(&cfg, &err);
    if (rc == 0 && !rows)
        rc = start_check(&cfg, &err);
    if (rc == 0 && a->speak)
        rc = check_speak(a, &err);
    if (rc == 0 && rows)
        rc = check_rows(a, &err);
    if (rc == 0 && rows) {
        rc = measure_prepare(&app->measure, &app->all, a, false, &err);
        if (rc == 0)
            rc = open_rows(app, a, &err);
        if (rc == 0)
            rc = a->verb == VERB_SERVE ? serve_run(&app->all, a)
                 : a->speak            ? cli_finish(speak_run(&app->all, a, cfg.advice))
                                       : batch_run(&app->all, a);
    } else if (rc == 0) {
        rc = start_show(app, a, &cfg, &err);
    }
    if (rc < 0)
        rc = error_exit(app, &err);
    sessions_close(&app->all);
    measure_destroy(&app->measure);
    replay_parts_free(&app->parts);
    config_free(&cfg);
    log_close();
    free(app);
    return rc;
}

/* The stored runs without a session. */
int start_runs(struct args *a) {
    struct sessions all = {.n = 0};
    struct kept *kept = NULL;
    struct config cfg;
    struct err err = {0};
    if (a->json || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)) {
        cli_note("runs: it is a screen, and needs a terminal; tdtop list prints the runs");
        return EXIT_USAGE;
    }
    int rc = config_for(&cfg, a, &err);
    if (rc == 0)
        rc = cfg.log[0] ? log_open(cfg.log, &err) : 0;
    if (rc == 0)
        rc = start_check_theme(&cfg, &err);
    if (rc == 0)
        rc = start_keys(&cfg, &err);
    if (rc == 0 && !sessions_add(&all))
        rc = err_set(&err, -ENOMEM, "runs: out of memory; close other programs");
    if (rc == 0) {
        kept = calloc(1, sizeof(*kept)); /* without them the runs are shown nevertheless */
        struct ui_options opt = start_options(a, &cfg, kept);
        opt.runs = true;
        rc = ui_run(&all, &opt, &err);
    }
    if (rc < 0)
        cli_error(&err);
    sessions_close(&all);
    config_free(&cfg);
    log_close();
    free(kept);
    return rc < 0 ? EXIT_ERROR : EXIT_OK;
}

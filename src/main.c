/* Picks the verb; the only file that knows every folder. */
#include "base/log.h"
#include "base/str.h"
#include "cli/batch.h"
#include "cli/cli.h"
#include "cli/config.h"
#include "cli/measure.h"
#include "cli/run_export.h"
#include "pmu/processes.h"
#include "ui/picker.h"
#include "ui/picture.h"
#include "ui/term.h"
#include "ui/ui.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct app {
    struct sessions all;
    struct measure measure;
    char pid[16]; /* that was picked from the list; args point to it */
    bool picked;  /* the terminal is ours already */
};

/* Of the command, which the first session runs. */
static int exit_code(const struct app *app) {
    return app->all.n ? app->all.at[0]->exit_code : -1;
}

/* Called by the screen after its first frame, so that opening counters delays nothing. */
static int connect_session(void *user, struct err *err) {
    struct app *app = user;
    int rc = sessions_open(&app->all, app->measure.ops, app->measure.opt, err);
    return rc < 0 ? rc : sessions_start(&app->all, err);
}

static int run_screen(struct app *app, const struct args *a, const struct config *cfg,
                      struct err *err) {
    struct ui_options opt = {.theme = cfg->theme, .mouse = cfg->mouse, .ascii = cfg->ascii};
    opt.colors = cfg->colors;
    opt.level = 2;
    opt.focus = app->measure.focus;
    opt.duration_ns = a->duration_ns;
    opt.db = a->db;
    opt.export_run = run_export_file;
    opt.control = a->control;
    opt.baseline = a->baseline;
    opt.taken = app->picked;
    opt.connect = connect_session;
    opt.user = app;
    int rc = ui_run(&app->all, &opt, err);
    if (rc < 0)
        return rc;
    return exit_code(app) > 0 ? exit_code(app) : EXIT_OK;
}

/* A picture of the screen instead of the screen. */
static int save_picture(struct app *app, const struct args *a, const struct config *cfg,
                        struct err *err) {
    struct picture_options opt = {.theme = cfg->theme, .ascii = cfg->ascii, .w = 120, .h = 40};
    opt.colors = cfg->colors < 0 ? 256 : cfg->colors;
    opt.level = 2;
    opt.press = a->press;
    opt.path = a->save;
    opt.connect = connect_session;
    opt.user = app;
    int rc = a->screen ? picture_size(a->screen, &opt.w, &opt.h, err) : 0;
    return rc < 0 ? rc : picture_save(&app->all, &opt, err);
}

/* --- no target: a list to choose from --- */

static int read_processes(void *user) {
    return processes_read(user);
}

static int read_command(void *user, struct process_row *row) {
    return processes_detail(user, row);
}

/* Sets the target that the user chooses. 1 if he chose none. */
static int pick_target(struct app *app, struct args *a, const struct config *cfg, struct err *err) {
    struct processes ps;
    enum picker_choice choice;
    pid_t pid;
    int rc = processes_open(&ps, "/proc", err);
    if (rc < 0)
        return rc;
    struct picker_options opt = {.theme = cfg->theme, .mouse = cfg->mouse, .ascii = cfg->ascii};
    opt.colors = cfg->colors;
    opt.table = &ps.table;
    opt.read = read_processes;
    opt.detail = read_command;
    opt.user = &ps;
    rc = picker_run(&opt, &choice, &pid, err);
    processes_close(&ps);
    if (rc < 0)
        return rc;
    snprintf(app->pid, sizeof(app->pid), "%d", (int)pid);
    a->pids = choice == PICK_PROCESS ? app->pid : NULL;
    a->all = choice == PICK_ALL;
    app->picked = choice != PICK_NOTHING;
    return choice == PICK_NOTHING;
}

static bool has_target(const struct args *a) {
    return a->verb != VERB_LIVE || a->pids || a->name || a->tids || a->cgroup || a->all ||
           a->cpus || a->command;
}

static bool wants_rows(const struct args *a) {
    return a->batch || a->json || a->separator || a->output || a->summary || a->count ||
           a->explain || a->per_thread || a->per_cpu || !isatty(STDOUT_FILENO) ||
           !isatty(STDIN_FILENO);
}

/* What only the screen can do is not left out without a word. */
static int check_rows(const struct args *a, struct err *err) {
    const char *only = a->control ? "--control" : a->baseline ? "--baseline" : NULL;
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
    return exit_code(app) > 0 ? exit_code(app) : EXIT_ERROR;
}

static int verb_measure(struct args *a) {
    struct app *app = calloc(1, sizeof(*app));
    struct config cfg;
    struct err err = {0};
    if (!app)
        return EXIT_ERROR;
    bool rows = !a->save && wants_rows(a);
    int rc = config_for(&cfg, a, &err);
    if (rc == 0)
        rc = cfg.log[0] ? log_open(cfg.log, &err) : 0;
    if (rc == 0 && rows)
        rc = check_rows(a, &err);
    if (rc == 0 && !rows && !has_target(a))
        rc = pick_target(app, a, &cfg, &err);
    if (rc == 0)
        rc = measure_prepare(&app->measure, &app->all, a, !rows, &err);
    if (rc == 0 && rows) {
        rc = sessions_open(&app->all, app->measure.ops, app->measure.opt, &err);
        if (rc == 0)
            rc = batch_run(&app->all, a);
    } else if (rc == 0) {
        rc = a->save ? save_picture(app, a, &cfg, &err) : run_screen(app, a, &cfg, &err);
    } else if (rc > 0) {
        rc = EXIT_OK; /* nothing was chosen */
    }
    if (rc < 0)
        rc = error_exit(app, &err);
    sessions_close(&app->all);
    measure_destroy(&app->measure);
    config_free(&cfg);
    log_close();
    free(app);
    return rc;
}

/* The stored runs without a session. */
static int verb_runs(struct args *a) {
    struct sessions all = {.n = 0};
    struct config cfg;
    struct err err = {0};
    if (a->json || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)) {
        cli_note("runs: it is a screen, and needs a terminal; tdtop list prints the runs");
        return EXIT_USAGE;
    }
    int rc = config_for(&cfg, a, &err);
    if (rc == 0)
        rc = cfg.log[0] ? log_open(cfg.log, &err) : 0;
    if (rc == 0 && !sessions_add(&all))
        rc = err_set(&err, -ENOMEM, "runs: out of memory; close other programs");
    if (rc == 0) {
        struct ui_options opt = {.theme = cfg.theme, .mouse = cfg.mouse, .ascii = cfg.ascii};
        opt.colors = cfg.colors;
        opt.db = a->db;
        opt.runs = true;
        opt.export_run = run_export_file;
        rc = ui_run(&all, &opt, &err);
    }
    if (rc < 0)
        cli_error(&err);
    sessions_close(&all);
    config_free(&cfg);
    log_close();
    return rc < 0 ? EXIT_ERROR : EXIT_OK;
}

/* Those that need no screen; the others are verb_measure. */
static int (*const verbs[VERB_N])(const struct args *) = {
    [VERB_COLLECT] = verb_collect, [VERB_LIST] = verb_list,
    [VERB_QUERY] = verb_query,     [VERB_COMPARE] = verb_compare,
    [VERB_HISTORY] = verb_history, [VERB_EXPORT] = verb_export,
    [VERB_IMPORT] = verb_import,   [VERB_LABEL] = verb_label,
    [VERB_RM] = verb_rm,           [VERB_REEVAL] = verb_reeval,
    [VERB_DB] = verb_db,           [VERB_MODELS] = verb_models,
    [VERB_DOCTOR] = verb_doctor,   [VERB_SELFTEST] = verb_selftest,
    [VERB_PLAN] = verb_plan,       [VERB_VERSION] = verb_version,
};

int main(int argc, char **argv) {
    struct args a;
    struct err err = {0};
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C"); /* numbers in files and rows have a point, whatever the language */
    if (cli_parse(&a, argc, argv, &err) < 0) {
        cli_error(&err);
        return EXIT_USAGE;
    }
    if (a.help || a.verb == VERB_HELP) {
        cli_help(&a);
        return EXIT_OK;
    }
    if (a.version)
        return verb_version(&a);
    if (a.verb == VERB_RUNS)
        return verb_runs(&a);
    return verbs[a.verb] ? verbs[a.verb](&a) : verb_measure(&a);
}

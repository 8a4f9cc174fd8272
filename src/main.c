/* Picks the verb; the only file that knows every folder. */
#include "base/log.h"
#include "base/str.h"
#include "cli/batch.h"
#include "cli/cli.h"
#include "cli/config.h"
#include "cli/measure.h"
#include "pmu/processes.h"
#include "ui/picker.h"
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
    opt.taken = app->picked;
    opt.connect = connect_session;
    opt.user = app;
    int rc = ui_run(&app->all, &opt, err);
    if (rc < 0)
        return rc;
    return exit_code(app) > 0 ? exit_code(app) : EXIT_OK;
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

/* A command that cannot be run has a
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
    bool rows = wants_rows(a);
    int rc = config_for(&cfg, a, &err);
    if (rc == 0)
        rc = cfg.log[0] ? log_open(cfg.log, &err) : 0;
    if (rc == 0 && !rows && !has_target(a))
        rc = pick_target(app, a, &cfg, &err);
    if (rc == 0)
        rc = measure_prepare(&app->measure, &app->all, a, !rows, &err);
    if (rc == 0 && rows) {
        rc = sessions_open(&app->all, app->measure.ops, app->measure.opt, &err);
        if (rc == 0)
            rc = batch_run(&app->all, a);
    } else if (rc == 0) {
        rc = run_screen(app, a, &cfg, &err);
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
    switch (a.verb) {
    case VERB_MODELS:
        return verb_models(&a);
    case VERB_DOCTOR:
        return verb_doctor(&a);
    case VERB_SELFTEST:
        return verb_selftest(&a);
    case VERB_PLAN:
        return verb_plan(&a);
    case VERB_VERSION:
        return verb_version(&a);
    default:
        return verb_measure(&a);
    }
}

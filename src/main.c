/* Picks the verb; the only file that knows every folder. */
#include "base/caps.h"
#include "base/door.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/config/config.h"
#include "cli/config/config_save.h"
#include "cli/file/json_out.h"
#include "cli/file/run_export.h"
#include "cli/measure.h"
#include "cli/out/farewell.h"
#include "cli/out/speak.h"
#include "cli/verb/batch.h"
#include "pmu/host/processes.h"
#include "pmu/replay/replay_parts.h"
#include "pmu/source.h"
#include "session/busiest.h"
#include "ui/app/picture.h"
#include "ui/app/ui.h"
#include "ui/popup/picker.h"
#include "ui/screen/borders.h"
#include "ui/screen/keys.h"
#include "ui/screen/settings.h"
#include "ui/screen/views.h"
#include "ui/term/term.h"
#include "ui/term/theme.h"

#include <errno.h>
#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The settings as the screen has them, and where they are kept. */
struct kept {
    struct settings set;
    char path[4096];
};

struct app {
    struct sessions all;
    struct measure measure;
    char pid[16];              /* that was picked from the list; args point to it */
    struct replay_parts parts; /* of the recording, where there is a choice; so does args.only */
    pid_t part;                /* 1 + place of that one */
    bool picked;               /* the terminal is ours already */
    bool returned;             /* the user wants the list again */
    char thread[16];           /* that is measured alone; args point to it; "" */
    bool scopes, unscoped;     /* one can be; was, and now all are again */
    struct ui_left left;       /* of all that was picked so far */
    struct kept kept;
};

/* --- settings: the screen has rows, the command line the table and the file --- */

static int check_setting(const char *key, const char *value, struct err *err) {
    char out[2 * SETTING_CAP];
    return config_toml(key, value, out, sizeof(out), err);
}

static int save_settings(void *user, const struct setting_change *at, int n, struct err *err) {
    struct config_change ch[SETTINGS_MAX];
    const struct kept *k = user;
    for (int i = 0; i < n; i++)
        ch[i] = (struct config_change){at[i].key, at[i].value};
    return config_save(k->path, ch, n, err);
}

/* Of its type; settings_begin adds those that the screen has. */
static void add_choices(const struct setting *s, struct setting_row *r) {
    static const struct choice flags[] = {{"true", 1}, {"false", 0}, {NULL, 0}};
    const struct choice *c = s->type == SETTING_BOOL ? flags : s->choices;
    for (int n = 0; c && c[n].name && n < SETTING_CHOICES - 1; n++)
        r->choice[n] = c[n].name;
}

/* Rows of the table, with what the command line says for this run. */
static struct settings *keep_settings(struct kept *k, const struct args *a,
                                      const struct config *cfg) {
    struct config now = *cfg, plain;
    struct settings *set = &k->set;
    config_defaults(&plain);
    now.interval_ns = a->interval_ns;
    now.level = a->level;
    now.focus = a->focus_mode;
    if (set->n) /* back from the list: as they are now */
        return set;
    for (size_t i = 0; i < config_n_settings && set->n < SETTINGS_MAX; i++) {
        const struct setting *s = &config_settings[i];
        struct setting_row *r = &set->row[set->n++];
        r->key = s->key;
        r->help = s->help;
        add_choices(s, r);
        config_value(&plain, s, r->preset, sizeof(r->preset));
        config_value(&now, s, r->value, sizeof(r->value));
        str_copy(r->kept, sizeof(r->kept), r->value);
    }
    if (a->config)
        str_copy(k->path, sizeof(k->path), a->config);
    else
        config_path(k->path, sizeof(k->path));
    set->path = k->path;
    set->check = check_setting;
    set->save = save_settings;
    set->user = k;
    set->mouse = cfg->mouse;
    set->ascii = cfg->ascii;
    set->colors = cfg->colors;
    set->plot = cfg->plot;
    return set;
}

/* Of the command, which the first session runs. */
static int exit_code(const struct app *app) {
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

/* One entry of [keys]: a key or a list of them. */
static int map_keys(const struct config *cfg, const struct toml *v, struct err *err) {
    enum { MANY = 16 };
    const char *key[MANY];
    struct err why = {0};
    int n = 0;
    if (v->type == TOML_STRING)
        key[n++] = v->string;
    for (const struct toml *k = v->first; v->type == TOML_ARRAY && k && n < MANY; k = k->next)
        key[n++] = k->string;
    int rc = keys_map(v->key, key, n, &why);
    return rc < 0 ? config_err(cfg, v, rc, why.text, err) : 0;
}

/* The user's own keys. What clashes is told of the entry that one of the two is from. */
static int take_keys(const struct config *cfg, struct err *err) {
    struct keys_clash clash;
    char words[256];
    int rc = 0;
    for (const struct toml *v = cfg->keys ? cfg->keys->first : NULL; v && rc == 0; v = v->next)
        rc = map_keys(cfg, v, err);
    if (rc < 0 || !cfg->keys || !keys_map_clash(&clash))
        return rc;
    const struct toml *at = cfg->keys->first;
    while (at->next && strcmp(at->key, clash.a->name) != 0 && strcmp(at->key, clash.b->name) != 0)
        at = at->next;
    return config_err(cfg, at, -EINVAL, keys_clash_words(&clash, words, sizeof(words)), err);
}

/* Of the file: one of the command line names its option. */
static int check_theme(const struct config *cfg, struct err *err) {
    const struct toml *v = config_entry(cfg, "theme");
    struct theme theme;
    struct err why = {0};
    int rc = v && v->string == cfg->theme ? theme_load(&theme, cfg->theme, &why) : 0;
    return rc < 0 ? config_err(cfg, v, rc, why.text, err) : 0;
}

/* What only the screen knows the values of. */
static int check_screen(const struct config *cfg, struct err *err) {
    const struct view *v = views_find(cfg->view);
    struct splits sp;
    struct err why = {0};
    char words[256];
    if (!v || v == &view_runs || v == &view_bench) {
        snprintf(words, sizeof(words), "found \"%s\" for 'view'; expected %s", cfg->view,
                 config_setting("view")->help);
        return config_err(cfg, config_entry(cfg, "view"), -EINVAL, words, err);
    }
    int rc = check_theme(cfg, err);
    if (rc < 0)
        return rc;
    rc = borders_parse(cfg->layout, &sp, &why);
    return rc < 0 ? config_err(cfg, config_entry(cfg, "layout"), rc, why.text, err) : 0;
}

/* Nobody chose one. */
static bool is_any_theme(const struct args *a, const struct config *cfg) {
    return !a->theme && !config_entry(cfg, "theme");
}

static int run_screen(struct app *app, const struct args *a, const struct config *cfg,
                      struct err *err) {
    struct ui_options opt = {.theme = cfg->theme, .mouse = cfg->mouse, .ascii = cfg->ascii};
    opt.any_theme = is_any_theme(a, cfg);
    opt.colors = cfg->colors;
    opt.level = 2;
    opt.focus = app->measure.focus;
    opt.duration_ns = a->duration_ns;
    opt.db = a->db;
    opt.export_run = run_export_file;
    opt.rescue_run = run_export_rescue;
    opt.control = a->control;
    opt.baseline = a->baseline;
    opt.advice = cfg->advice;
    opt.layout = cfg->layout;
    opt.view = app->unscoped ? "threads" : cfg->view;
    opt.note = cfg->note;
    opt.settings = keep_settings(&app->kept, a, cfg);
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
    return exit_code(app) > 0 ? exit_code(app) : EXIT_OK;
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
    opt.settings = keep_settings(&app->kept, a, cfg);
    opt.path = a->save;
    opt.connect = connect_session;
    opt.user = app;
    int rc = a->screen ? picture_size(a->screen, &opt.w, &opt.h, err) : 0;
    return rc < 0 ? rc : picture_save(&app->all, &opt, err);
}

/* --- no target: a list to choose from --- */

struct listed {
    struct processes all;
    struct busiest busiest;
};

static int read_processes(void *user) {
    struct listed *l = user;
    int rc = processes_read(&l->all);
    busiest_read(&l->busiest, &l->all.table);
    return rc;
}

static int read_command(void *user, struct process_row *row) {
    struct listed *l = user;
    return processes_detail(&l->all, row);
}

static int open_list(struct listed *l, const struct args *a, struct err *err) {
    int rc = processes_open(&l->all, "/proc", err);
    if (rc == 0 && busiest_open(&l->busiest, &source_perf, NULL, &a->places) < 0)
        rc = err_set(err, -ENOMEM, "out of memory for the list of processes");
    return rc;
}

static struct picker_options list_options(const struct args *a, const struct config *cfg) {
    struct picker_options opt = {.theme = cfg->theme, .mouse = cfg->mouse, .ascii = cfg->ascii};
    opt.colors = cfg->colors;
    opt.any_theme = is_any_theme(a, cfg);
    return opt;
}

/* 1 if none was chosen. */
static int note_picked(struct app *app, struct config *cfg, const struct picked *picked) {
    if (picked->light)
        cfg->theme = "light";
    app->picked = picked->choice != PICK_NOTHING;
    return !app->picked;
}

/* Sets the target that the user chooses. 1 if none was chosen. */
static int pick_target(struct app *app, struct args *a, struct config *cfg, struct err *err) {
    struct listed listed = {0};
    struct picked picked = {.choice = PICK_NOTHING};
    int rc = open_list(&listed, a, err);
    struct picker_options opt = list_options(a, cfg);
    opt.table = &listed.all.table;
    opt.read = read_processes;
    opt.detail = read_command;
    opt.user = &listed;
    opt.select = app->returned ? (pid_t)atoi(app->pid) : 0;
    if (rc == 0)
        rc = picker_run(&opt, &picked, err);
    busiest_close(&listed.busiest);
    processes_close(&listed.all);
    if (rc < 0)
        return rc;
    snprintf(app->pid, sizeof(app->pid), "%d", (int)picked.pid);
    a->pids = picked.choice == PICK_PROCESS ? app->pid : NULL;
    a->all = picked.choice == PICK_ALL;
    return note_picked(app, cfg, &picked);
}

/* --- several cgroups or threads in a recording: a list to choose from --- */

static int read_nothing(void *user) {
    (void)user;
    return 0;
}

static int command_is_there(void *user, struct process_row *row) {
    (void)user;
    (void)row;
    return 0;
}

/* Asks which of them; a->only is set. 1 if none was chosen. */
static int pick_name(struct app *app, struct args *a, struct config *cfg, struct err *err) {
    struct process_table t = {.n = app->parts.n, .cap = app->parts.n};
    struct picked picked;
    t.row = calloc(t.n, sizeof(*t.row));
    if (!t.row)
        return err_set(err, -ENOMEM, "replay: out of memory");
    for (uint32_t i = 0; i < t.n; i++) {
        char safe[256];
        str_safe(safe, sizeof(safe), app->parts.name[i]);
        t.row[i] = (struct process_row){.pid = (pid_t)i + 1, .command = strdup(safe)};
    }
    struct picker_options opt = list_options(a, cfg);
    opt.table = &t;
    opt.read = read_nothing;
    opt.detail = command_is_there;
    opt.question = app->parts.threads ? "Which thread?" : "Which cgroup?";
    opt.whole = app->parts.threads;
    opt.select = app->returned ? app->part : 0;
    const int rc = picker_run(&opt, &picked, err);
    for (uint32_t i = 0; i < t.n; i++)
        free(t.row[i].command);
    free(t.row);
    if (rc < 0)
        return rc;
    app->part = picked.pid;
    a->only = picked.choice == PICK_PROCESS ? app->parts.name[picked.pid - 1] : NULL;
    return note_picked(app, cfg, &picked);
}

/* A file that cannot be read tells why when it is opened. */
static int pick_part(struct app *app, struct args *a, struct config *cfg, struct err *err) {
    struct err none;
    struct stat st;
    if (app->parts.n)
        return pick_name(app, a, cfg, err);
    if (a->verb != VERB_REPLAY || a->only || a->save || a->control || stat(a->word[0], &st) < 0 ||
        !S_ISREG(st.st_mode) || replay_parts_read(a->word[0], &app->parts, &none) < 0)
        return 0;
    return app->parts.n ? pick_name(app, a, cfg, err) : 0;
}

/* What the settings made of the looks, for the list that is shown again. */
static void keep_looks(struct settings *set, struct config *cfg) {
    const struct setting_row *theme = settings_find(set, "theme");
    if (theme && theme->value[0])
        cfg->theme = theme->value;
    cfg->mouse = set->mouse;
    cfg->ascii = set->ascii;
    cfg->colors = set->colors;
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

/* Chooses from a list where there is a choice. 1: nothing was chosen. */
static int choose(struct app *app, struct args *a, struct config *cfg, bool listed,
                  struct err *err) {
    const int rc = (listed ? pick_target : pick_part)(app, a, cfg, err);
    if (rc > 0 && !a->quiet) /* what was kept before */
        farewell(&app->all, app->left.n_kept, app->left.last_id, app->left.asked);
    return rc;
}

/* What was asked for, one after the other from a list, or a thread of it, until the user quits. */
static int show_all(struct app *app, struct args *a, struct config *cfg, struct err *err) {
    const bool listed = !has_target(a);
    struct args whole = *a;
    for (;;) {
        const bool alone = app->thread[0], back = app->unscoped;
        int rc = alone || back ? 0 : choose(app, a, cfg, listed, err);
        if (rc)
            return rc < 0 ? rc : EXIT_OK;
        if (!alone)
            whole = *a;
        else
            a->pids = a->name = a->cgroup = a->cpus = NULL, a->all = false, a->tids = app->thread;
        app->scopes = a->verb == VERB_LIVE && !a->command && !a->tids;
        rc = show(app, a, cfg, err);
        str_copy(cfg->note, sizeof(cfg->note), alone && rc < 0 ? err->text : "");
        if (rc < 0)
            app->thread[0] = '\0';
        if (rc < 0 ? !alone : !app->returned) /* one that has ended meanwhile ends nothing */
            return rc;
        sessions_close(&app->all);
        measure_destroy(&app->measure);
        keep_looks(&app->kept.set, cfg);
        app->unscoped = alone;
        if (alone)
            *a = whole;
    }
}

static bool wants_rows(const struct args *a) {
    return a->batch || a->json || a->separator || a->output || a->summary || a->count ||
           a->explain || a->per_thread || a->per_cpu || !isatty(STDOUT_FILENO) ||
           !isatty(STDIN_FILENO);
}

/* What only rows can do is not left out without a word, either. */
static int check_speak(struct args *a, struct err *err) {
    const char *only = a->json         ? "--json"
                       : a->batch      ? "--batch"
                       : a->separator  ? "--separator"
                       : a->output     ? "--output"
                       : a->save       ? "--save"
                       : a->explain    ? "--explain-value"
                       : a->summary    ? "--summary"
                       : a->per_thread ? "--per-thread"
                       : a->per_cpu    ? "--per-cpu"
                                       : NULL;
    a->speed_given = true; /* at the pace of who listens */
    if (!only)
        return 0;
    return err_set(err, -EINVAL, "--speak and %s exclude each other; leave one out", only);
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
    return exit_code(app) > 0 ? exit_code(app) : EXIT_ERROR;
}

static int verb_measure(struct args *a) {
    struct app *app = calloc(1, sizeof(*app));
    struct config cfg;
    struct err err = {0};
    if (!app) {
        cli_note("out of memory; close other programs");
        return EXIT_ERROR;
    }
    bool rows = a->speak || (!a->save && wants_rows(a));
    /* A screen stays for hours: its large blocks are the kernel's own pages, of which untouched
     * ones cost nothing. By itself glibc raises the limit with the first that is freed
     * (mallopt(3)). */
    if (!rows)
        mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    int rc = config_for(&cfg, a, &err);
    if (rc == 0)
        rc = cfg.log[0] ? log_open(cfg.log, &err) : 0;
    if (rc == 0 && !rows)
        rc = take_keys(&cfg, &err);
    if (rc == 0 && !rows)
        rc = check_screen(&cfg, &err);
    if (rc == 0 && a->speak)
        rc = check_speak(a, &err);
    if (rc == 0 && rows)
        rc = check_rows(a, &err);
    if (rc == 0 && rows) {
        rc = measure_prepare(&app->measure, &app->all, a, false, &err);
        if (rc == 0)
            rc = open_rows(app, a, &err);
        if (rc == 0)
            rc = a->speak ? cli_finish(speak_run(&app->all, a, cfg.advice))
                          : batch_run(&app->all, a);
    } else if (rc == 0) {
        rc = show_all(app, a, &cfg, &err);
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
static int verb_runs(struct args *a) {
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
        rc = check_theme(&cfg, &err);
    if (rc == 0)
        rc = take_keys(&cfg, &err);
    if (rc == 0 && !sessions_add(&all))
        rc = err_set(&err, -ENOMEM, "runs: out of memory; close other programs");
    if (rc == 0) {
        kept = calloc(1, sizeof(*kept)); /* without them the runs are shown nevertheless */
        struct ui_options opt = {.theme = cfg.theme, .mouse = cfg.mouse, .ascii = cfg.ascii};
        opt.any_theme = is_any_theme(a, &cfg);
        opt.colors = cfg.colors;
        opt.db = a->db;
        opt.runs = true;
        opt.note = cfg.note;
        opt.settings = kept ? keep_settings(kept, a, &cfg) : NULL;
        opt.export_run = run_export_file;
        opt.rescue_run = run_export_rescue;
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

/* Those that need no screen; the others are verb_measure. */
static int (*const verbs[VERB_N])(const struct args *) = {
    [VERB_COLLECT] = verb_collect,   [VERB_AB] = verb_ab,
    [VERB_WHERE] = verb_where,       [VERB_ANNOTATE] = verb_annotate,
    [VERB_LIST] = verb_list,         [VERB_QUERY] = verb_query,
    [VERB_COMPARE] = verb_compare,   [VERB_HISTORY] = verb_history,
    [VERB_EXPORT] = verb_export,     [VERB_IMPORT] = verb_import,
    [VERB_LABEL] = verb_label,       [VERB_RM] = verb_rm,
    [VERB_REEVAL] = verb_reeval,     [VERB_DB] = verb_db,
    [VERB_MODELS] = verb_models,     [VERB_DOCTOR] = verb_doctor,
    [VERB_SELFTEST] = verb_selftest, [VERB_PLAN] = verb_plan,
    [VERB_EXPLAIN] = verb_explain,   [VERB_GUIDE] = verb_guide,
    [VERB_VERSION] = verb_version,
};

/* Who failed has told of it. */
static int printed(int code) {
    return code == EXIT_OK || cli_lacks() ? cli_finish(code) : code;
}

int main(int argc, char **argv) {
    struct args a;
    struct err err = {0};
    if (door_init() < 0) {
        cli_note("out of memory; close other programs");
        return EXIT_ERROR;
    }
    if (caps_init(&err) < 0) {
        cli_error(&err);
        return EXIT_ERROR;
    }
    json_watch();
    setlocale(LC_CTYPE, ""); /* numbers in files and rows have a point, whatever the language */
    if (cli_parse(&a, argc, argv, &err) < 0) {
        cli_error(&err);
        return EXIT_USAGE;
    }
    if (a.help || a.verb == VERB_HELP) {
        cli_help(&a);
        return cli_finish(EXIT_OK);
    }
    if (a.version)
        return printed(verb_version(&a));
    if (a.verb == VERB_RUNS)
        return verb_runs(&a);
    return verbs[a.verb] ? printed(verbs[a.verb](&a)) : verb_measure(&a);
}

/* The table of settings, the file of settings that is read by it, and the command line, which goes
 * over them. */
#include "cli/config/config.h"

#include "base/clock.h"
#include "base/folder.h"
#include "base/str.h"
#include "cli/cli.h"
#include "session/session.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the table: one row a setting, in the order of config.example.toml ---- */

static const struct choice colors[] = {
    {"auto", -1},           {"mono", 0}, {"8", 8}, {"16", 16}, {"256", 256},
    {"truecolor", 1 << 24}, {NULL, 0},
};

static const struct choice focus_modes[] = {
    {"auto", FOCUS_AUTO}, {"open", FOCUS_OPEN}, {"off", FOCUS_OFF}, {NULL, 0}};

/* The values are those of enum chart_glyph (ui/draw/chart.h). */
static const struct choice plots[] = {
    {"auto", -1}, {"braille", 0}, {"blocks", 1}, {"ascii", 2}, {NULL, 0}};

#define AT(field) offsetof(struct config, field)

/* Below 20 ms reading the counters would itself be the load. */
#define INTERVAL_MIN_NS (20 * NS_PER_MS)
#define INTERVAL_MAX_NS (3600 * NS_PER_S)

const struct setting config_settings[] = {
    {.key = "interval",
     .type = SETTING_DURATION,
     .at = AT(interval_ns),
     .text = "1s",
     .min = INTERVAL_MIN_NS,
     .max = INTERVAL_MAX_NS,
     .help = "time between samples: 20ms to 1h"},
    {.key = "level",
     .type = SETTING_INT,
     .at = AT(level),
     .max = 6,
     .help = "deepest level of the tree to measure, 1 to 6; 0 = everything"},
    {.key = "focus",
     .type = SETTING_CHOICE,
     .at = AT(focus),
     .text = "auto",
     .choices = focus_modes,
     .help = "auto, open or off"},
    {.key = "theme",
     .type = SETTING_TEXT,
     .at = AT(theme),
     .text = "default",
     .help = "name of a theme, or a theme file"},
    {.key = "mouse",
     .type = SETTING_BOOL,
     .at = AT(mouse),
     .number = 1,
     .help = "take clicks and the wheel; false leaves the mouse to the terminal"},
    {.key = "ascii",
     .type = SETTING_BOOL,
     .at = AT(ascii),
     .help = "draw with ASCII characters only"},
    {.key = "color",
     .type = SETTING_CHOICE,
     .at = AT(colors),
     .text = "auto",
     .choices = colors,
     .help = "auto, mono, 8, 16, 256 or truecolor"},
    {.key = "model_dir",
     .type = SETTING_TEXT,
     .at = AT(model_dir),
     .text = "",
     .help = "models in this folder replace the built-in ones"},
    {.key = "model",
     .type = SETTING_TEXT,
     .at = AT(model),
     .text = "",
     .help = "model for live measurements; empty = the best that this machine can count"},
    {.key = "metrics_dir",
     .type = SETTING_TEXT,
     .at = AT(metrics_dir),
     .text = "",
     .help = "folder of your own metrics; empty = metrics.d beside the settings"},
    {.key = "cputype",
     .type = SETTING_TEXT,
     .at = AT(cputype),
     .text = "",
     .help = "of several kinds of core this one: core, atom, lowpower; empty = the biggest"},
    {.key = "speed",
     .type = SETTING_REAL,
     .at = AT(speed),
     .number = 1,
     .max = 1e9,
     .help = "speed of demo and replay on the screen; 0 = as fast as possible"},
    {.key = "log",
     .type = SETTING_TEXT,
     .at = AT(log),
     .text = "",
     .help = "file for the developers' log; empty = none"},
    {.key = "plot",
     .type = SETTING_CHOICE,
     .at = AT(plot),
     .text = "auto",
     .choices = plots,
     .help = "what plots are drawn with: auto, braille, blocks or ascii"},
    {.key = "advice",
     .type = SETTING_TEXT,
     .at = AT(advice),
     .text = "toplev",
     .help = "source of the sentence that says what to do next"},
    {.key = "clipboard",
     .type = SETTING_BOOL,
     .at = AT(clipboard),
     .help = "key C copies through the terminal (OSC 52)"},
    {.key = "layout",
     .type = SETTING_TEXT,
     .at = AT(layout),
     .text = "home",
     .help = "home, tree, plots, words, bare; or what panes take: \"side 30%, plot none\""},
    {.key = "view",
     .type = SETTING_TEXT,
     .at = AT(view),
     .text = "tree",
     .help = "the view at start: tree, funnel, history, threads, cpus, metrics, doctor"},
};
const size_t config_n_settings = sizeof(config_settings) / sizeof(config_settings[0]);

const struct setting *config_setting(const char *key) {
    for (size_t i = 0; i < config_n_settings; i++)
        if (strcmp(config_settings[i].key, key) == 0)
            return &config_settings[i];
    return NULL;
}

static void *field_of(struct config *c, const struct setting *s) {
    return (char *)c + s->at;
}

/* ---- values of each type ---- */

static int set_choice(const struct setting *s, const char *name, int *out) {
    for (const struct choice *ch = s->choices; ch->name; ch++) {
        if (strcmp(ch->name, name) == 0) {
            *out = ch->value;
            return 0;
        }
    }
    return -EINVAL;
}

static const char *type_words(const struct setting *s) {
    static const char *const words[] = {
        [SETTING_DURATION] = "a duration in quotes, such as \"250ms\" or \"1s\"",
        [SETTING_INT] = "an integer",
        [SETTING_REAL] = "a number",
        [SETTING_BOOL] = "true or false",
        [SETTING_TEXT] = "a string in quotes",
        [SETTING_CHOICE] = "a string in quotes",
    };
    return words[s->type];
}

static int wrong_type(const struct toml_doc *doc, const struct toml *v, const struct setting *s,
                      struct err *err) {
    return toml_err(doc, v, err, -EINVAL, "found %s for '%s'; expected %s (%s)",
                    toml_type_name(v->type), s->key, type_words(s), s->help);
}

static int out_of_range(const struct toml_doc *doc, const struct toml *v, const struct setting *s,
                        struct err *err) {
    if (s->type == SETTING_DURATION)
        return toml_err(doc, v, err, -EINVAL, "found \"%s\" for '%s'; expected %gms to %gs",
                        v->string, s->key, s->min / (double)NS_PER_MS, s->max / (double)NS_PER_S);
    return toml_err(doc, v, err, -EINVAL, "found %g for '%s'; expected %g to %g (%s)",
                    v->type == TOML_INTEGER ? (double)v->integer : v->real, s->key, s->min, s->max,
                    s->help);
}

static bool in_range(const struct setting *s, double v) {
    return v >= s->min && v <= s->max; /* false for NAN */
}

static int take_duration(const struct toml_doc *doc, const struct toml *v, const struct setting *s,
                         void *out, struct err *err) {
    struct err why = {0};
    uint64_t ns;
    if (v->type != TOML_STRING)
        return wrong_type(doc, v, s, err);
    if (str_duration(v->string, 0, &ns, &why) < 0)
        return toml_err(doc, v, err, -EINVAL, "%s: %s", s->key, why.text);
    if (!in_range(s, (double)ns))
        return out_of_range(doc, v, s, err);
    *(uint64_t *)out = ns;
    return 0;
}

static int take_int(const struct toml_doc *doc, const struct toml *v, const struct setting *s,
                    void *out, struct err *err) {
    if (v->type != TOML_INTEGER)
        return wrong_type(doc, v, s, err);
    if (!in_range(s, (double)v->integer))
        return out_of_range(doc, v, s, err);
    *(int64_t *)out = v->integer;
    return 0;
}

static int take_real(const struct toml_doc *doc, const struct toml *v, const struct setting *s,
                     void *out, struct err *err) {
    if (v->type != TOML_FLOAT && v->type != TOML_INTEGER)
        return wrong_type(doc, v, s, err);
    const double real = v->type == TOML_FLOAT ? v->real : (double)v->integer;
    if (!in_range(s, real))
        return out_of_range(doc, v, s, err);
    *(double *)out = real;
    return 0;
}

static int take_bool(const struct toml_doc *doc, const struct toml *v, const struct setting *s,
                     void *out, struct err *err) {
    if (v->type != TOML_BOOLEAN)
        return wrong_type(doc, v, s, err);
    *(bool *)out = v->boolean;
    return 0;
}

static int take_text(const struct toml_doc *doc, const struct toml *v, const struct setting *s,
                     void *out, struct err *err) {
    if (v->type != TOML_STRING)
        return wrong_type(doc, v, s, err);
    *(const char **)out = v->string;
    return 0;
}

static int take_choice(const struct toml_doc *doc, const struct toml *v, const struct setting *s,
                       void *out, struct err *err) {
    if (v->type != TOML_STRING)
        return wrong_type(doc, v, s, err);
    if (set_choice(s, v->string, out) < 0)
        return toml_err(doc, v, err, -EINVAL, "found \"%s\" for '%s'; expected %s", v->string,
                        s->key, s->help);
    return 0;
}

static int take(struct config *c, const struct toml *v, const struct setting *s, struct err *err) {
    static int (*const takes[])(const struct toml_doc *, const struct toml *,
                                const struct setting *, void *, struct err *) = {
        [SETTING_DURATION] = take_duration, [SETTING_INT] = take_int,
        [SETTING_REAL] = take_real,         [SETTING_BOOL] = take_bool,
        [SETTING_TEXT] = take_text,         [SETTING_CHOICE] = take_choice,
    };
    return takes[s->type](&c->doc_, v, s, field_of(c, s), err);
}

static void set_default(struct config *c, const struct setting *s) {
    void *out = field_of(c, s);
    switch (s->type) {
    case SETTING_DURATION:
        str_duration(s->text, 0, out, NULL);
        return;
    case SETTING_INT:
        *(int64_t *)out = (int64_t)s->number;
        return;
    case SETTING_REAL:
        *(double *)out = s->number;
        return;
    case SETTING_BOOL:
        *(bool *)out = s->number != 0;
        return;
    case SETTING_TEXT:
        *(const char **)out = s->text;
        return;
    case SETTING_CHOICE:
        set_choice(s, s->text, out);
        return;
    }
}

/* ---- the file ---- */

static const char *choice_name(const struct setting *s, int value) {
    const struct choice *ch = s->choices;
    while (ch->name && ch->value != value)
        ch++;
    return ch->name ? ch->name : "";
}

const char *config_value(const struct config *c, const struct setting *s, char *buf, size_t cap) {
    const void *at = (const char *)c + s->at;
    struct strbuf sb = strbuf_on(buf, cap);
    switch (s->type) {
    case SETTING_DURATION:
        str_duration_text(buf, cap, *(const uint64_t *)at);
        break;
    case SETTING_INT:
        strbuf_add(&sb, "%lld", (long long)*(const int64_t *)at);
        break;
    case SETTING_REAL:
        strbuf_add(&sb, "%g", *(const double *)at);
        break;
    case SETTING_BOOL:
        strbuf_add(&sb, "%s", *(const bool *)at ? "true" : "false");
        break;
    case SETTING_TEXT:
        strbuf_add(&sb, "%s", *(const char *const *)at);
        break;
    case SETTING_CHOICE:
        strbuf_add(&sb, "%s", choice_name(s, *(const int *)at));
        break;
    }
    return buf;
}

/* The known key that looks most like it, or NULL. */
static const char *nearest_key(const char *key) {
    struct str_nearest near = {.to = key, .below = 3};
    for (int i = 0; i < (int)config_n_settings; i++)
        str_nearest(&near, config_settings[i].key);
    return near.best;
}

static void warn_unknown(const struct config *c, const struct toml *v, config_warn_fn *warn,
                         void *user) {
    char line[512], key[64];
    const char *nearest = nearest_key(v->key);
    struct strbuf sb = strbuf_on(line, sizeof(line));
    strbuf_add(&sb, "%s:%d: unknown setting '%s' is ignored; ", c->doc_.name, v->line,
               str_safe(key, sizeof(key), v->key));
    if (nearest)
        strbuf_add(&sb, "did you mean '%s'?", nearest);
    else
        strbuf_add(&sb, "config.example.toml lists what there is");
    warn(user, line);
}

/* What each entry means the screen says, which knows the actions: here only its shape counts. */
static int take_keys(struct config *c, const struct toml *v, struct err *err) {
    if (v->type != TOML_TABLE)
        return toml_err(&c->doc_, v, err, -EINVAL,
                        "found %s for 'keys'; expected a table [keys] of lines such as "
                        "snapshot = \"K\"",
                        toml_type_name(v->type));
    for (const struct toml *k = v->first; k; k = k->next) {
        bool right = k->type == TOML_STRING || k->type == TOML_ARRAY;
        for (const struct toml *each = k->first; each && k->type == TOML_ARRAY; each = each->next)
            right &= each->type == TOML_STRING;
        if (!right)
            return toml_err(&c->doc_, k, err, -EINVAL,
                            "keys.%s: expected a key in quotes, or a list of them: \"K\", "
                            "[\"K\", \"F5\"]",
                            k->key);
    }
    c->keys = v;
    return 0;
}

static int take_file(struct config *c, config_warn_fn *warn, void *user, struct err *err) {
    c->has_file = true;
    for (const struct toml *v = c->doc_.root->first; v; v = v->next) {
        const struct setting *s = config_setting(v->key);
        const bool keys = strcmp(v->key, "keys") == 0;
        if (!s && !keys && warn)
            warn_unknown(c, v, warn, user);
        const int rc = keys ? take_keys(c, v, err) : s ? take(c, v, s, err) : 0;
        if (rc < 0)
            return rc;
    }
    return 0;
}

const struct toml *config_entry(const struct config *c, const char *key) {
    const struct toml *v = c->doc_.root ? c->doc_.root->first : NULL;
    while (v && strcmp(v->key, key) != 0)
        v = v->next;
    return v;
}

int config_err(const struct config *c, const struct toml *v, int rc, const char *words,
               struct err *err) {
    return toml_err(&c->doc_, v, err, rc, "%s", words);
}

void config_defaults(struct config *c) {
    *c = (struct config){0};
    for (size_t i = 0; i < config_n_settings; i++)
        set_default(c, &config_settings[i]);
}

int config_check(const char *text, size_t len, const char *name, struct err *err) {
    struct config c;
    config_defaults(&c);
    int rc = toml_parse(&c.doc_, text, len, name, err);
    if (rc == 0)
        rc = take_file(&c, NULL, NULL, err);
    config_free(&c);
    return rc;
}

char *config_path(char *buf, size_t cap) {
    return folder_config("tdtop/config.toml", buf, cap);
}

char *config_metrics_dir(char *buf, size_t cap) {
    return folder_config("tdtop/metrics.d", buf, cap);
}

int config_load(struct config *c, const char *path, config_warn_fn *warn, void *user,
                struct err *err) {
    char place[4096];
    config_defaults(c);
    const bool may_miss = !path;
    if (!path)
        path = config_path(place, sizeof(place));
    if (!path[0])
        return may_miss ? 0 : err_set(err, -EINVAL, "--config: empty; give the path of a file");
    int rc = toml_parse_file(&c->doc_, path, err);
    if (may_miss && (rc == -ENOENT || rc == -ENOTDIR || rc == -EACCES)) {
        if (rc == -EACCES &&
            warn) /* another user's home, as under sudo -u: not this user's settings */
            warn(user, err ? err->text : path);
        if (err)
            *err = (struct err){0};
        return 0;
    }
    if (rc == 0)
        rc = take_file(c, warn, user, err);
    if (rc < 0)
        config_free(c);
    return rc;
}

void config_free(struct config *c) {
    toml_free(&c->doc_);
    config_defaults(c);
}

static int choose(const char *key, const char *name, int *out, struct err *err) {
    const struct setting *s = config_setting(key);
    if (set_choice(s, name, out) < 0)
        return err_set(err, -EINVAL, "found '%s'; expected %s", name, s->help);
    return 0;
}

/* "auto", "mono", "8" ... to struct config.colors. 0, or -EINVAL with words. */
static int config_color(const char *name, int *out, struct err *err) {
    return choose("color", name, out, err);
}

/* "auto", "open" or "off" to enum focus_mode. 0, or -EINVAL with words. */
static int config_focus(const char *name, int *out, struct err *err) {
    return choose("focus", name, out, err);
}

/* ---- with the command line ---- */

/* The screen hides what is printed before it: it shows the first one as a message. There the name
 * of the file stands without its folder. */
static void print_warning(void *user, const char *line) {
    struct config *c = user;
    const char *from = line;
    for (const char *p = line; *p && strncmp(p, ": ", 2) != 0; p++)
        if (*p == '/')
            from = p + 1;
    if (!c->note[0])
        str_copy(c->note, sizeof(c->note), from);
    cli_note("%s", line);
}

/* Options that the rest of the program reads from args. */
static void fill_args(const struct config *c, struct args *a) {
    a->focus_mode = c->focus;
    if (!a->interval_ns)
        a->interval_ns = c->interval_ns;
    a->level_given = a->level >= 0;
    if (a->level < 0)
        a->level = c->level;
    if (!a->speed_given)
        a->speed = c->speed;
    if (!a->places.models && c->model_dir[0])
        a->places.models = c->model_dir;
    /* Not for demo and replay: whose counts those are, a setting of this machine cannot know. */
    bool this_machine = a->verb == VERB_LIVE || (a->verb == VERB_COLLECT && !a->demo) ||
                        a->verb == VERB_DOCTOR || a->here;
    if (!a->model && c->model[0] && this_machine)
        a->model = c->model;
    if (!a->core_type && c->cputype[0] && this_machine)
        a->core_type = c->cputype;
}

/*
 * The folder of the user's metrics: named ones must be there, the one that needs no naming may be
 * missing.
 */
static int find_metrics(struct config *c, struct args *a, struct err *err) {
    const char *by = a->places.metrics ? "--metrics-dir" : "metrics_dir";
    if (!a->places.metrics && c->metrics_dir[0])
        a->places.metrics = c->metrics_dir;
    if (!a->places.metrics) {
        config_metrics_dir(c->metrics_, sizeof(c->metrics_));
        a->places.metrics =
            c->metrics_[0] && access(c->metrics_, R_OK | X_OK) == 0 ? c->metrics_ : NULL;
        return 0;
    }
    struct stat st;
    int rc = stat(a->places.metrics, &st) < 0 ? -errno : S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
    return rc == 0 ? 0
                   : err_set(err, rc, "%s %s: %s; give a folder that holds .toml files of metrics",
                             by, a->places.metrics, strerror(-rc));
}

/* Options that the rest of the program reads from the settings. */
static int fill_config(struct config *c, const struct args *a, struct err *err) {
    const char *log = a->log ? a->log : getenv("TDTOP_LOG");
    if (log)
        c->log = log;
    if (a->theme)
        c->theme = a->theme;
    if (a->advice)
        c->advice = a->advice;
    if (a->ascii)
        c->ascii = true;
    if (a->no_mouse)
        c->mouse = false;
    const int rc = a->color ? config_color(a->color, &c->colors, err) : 0;
    if (rc < 0)
        err_prefix(err, "--color");
    return rc;
}

static int take_focus(struct args *a, struct err *err) {
    const int rc = a->focus ? config_focus(a->focus, &a->focus_mode, err) : 0;
    if (rc < 0)
        err_prefix(err, "--focus");
    return rc;
}

int config_for(struct config *c, struct args *a, struct err *err) {
    int rc = config_load(c, a->config, print_warning, c, err);
    if (rc < 0)
        return rc;
    fill_args(c, a);
    rc = find_metrics(c, a, err);
    if (rc == 0)
        rc = take_focus(a, err);
    return rc < 0 ? rc : fill_config(c, a, err);
}

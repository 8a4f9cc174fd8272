/* The settings as the screen has them, the user's keys and looks: from the command line and the
 * file to the screen, and back. */
#include "start/start_impl.h"

#include "base/str.h"
#include "cli/config/config_save.h"
#include "cli/file/run_export.h"
#include "ui/screen/borders.h"
#include "ui/screen/keys.h"
#include "ui/screen/views.h"
#include "ui/term/theme.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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
struct settings *start_settings(struct kept *k, const struct args *a, const struct config *cfg) {
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
    set->colors = cfg->colors;
    set->plot = cfg->plot;
    return set;
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
int start_keys(const struct config *cfg, struct err *err) {
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
int start_check_theme(const struct config *cfg, struct err *err) {
    const struct toml *v = config_entry(cfg, "theme");
    struct theme theme;
    struct err why = {0};
    int rc = v && v->string == cfg->theme ? theme_load(&theme, cfg->theme, &why) : 0;
    return rc < 0 ? config_err(cfg, v, rc, why.text, err) : 0;
}

/* What only the screen knows the values of. */
int start_check(const struct config *cfg, struct err *err) {
    const struct view *v = views_find(cfg->view);
    struct splits sp;
    struct err why = {0};
    char words[256];
    if (!v || !views_can_begin(v)) {
        snprintf(words, sizeof(words), "found \"%s\" for 'view'; expected %s", cfg->view,
                 config_setting("view")->help);
        return config_err(cfg, config_entry(cfg, "view"), -EINVAL, words, err);
    }
    int rc = start_check_theme(cfg, err);
    if (rc < 0)
        return rc;
    rc = borders_parse(cfg->layout, &sp, &why);
    return rc < 0 ? config_err(cfg, config_entry(cfg, "layout"), rc, why.text, err) : 0;
}

/* Nobody chose one. */
bool start_any_theme(const struct args *a, const struct config *cfg) {
    return !a->theme && !config_entry(cfg, "theme");
}

/* What the settings made of the looks, for the list that is shown again. */
void start_keep_looks(struct settings *set, struct config *cfg) {
    const struct setting_row *theme = settings_find(set, "theme");
    if (theme && theme->value[0])
        cfg->theme = theme->value;
    cfg->mouse = set->mouse;
    cfg->ascii = set->ascii;
    cfg->colors = set->colors;
}

struct ui_options start_options(const struct args *a, const struct config *cfg, struct kept *k) {
    struct ui_options opt = {.theme = cfg->theme, .mouse = cfg->mouse, .ascii = cfg->ascii};
    opt.any_theme = start_any_theme(a, cfg);
    opt.colors = cfg->colors;
    opt.db = a->db;
    opt.note = cfg->note;
    opt.settings = k ? start_settings(k, a, cfg) : NULL;
    opt.export_run = run_export_file;
    opt.rescue_run = run_export_rescue;
    return opt;
}

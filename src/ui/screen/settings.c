#include "ui/screen/settings.h"

#include "base/str.h"
#include "ui/draw/chart.h"
#include "ui/draw/words.h"
#include "ui/screen/borders.h"
#include "ui/screen/screen.h"
#include "ui/screen/types.h"
#include "ui/screen/views.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- what a change does, setting by setting ---- */

static struct settings *of(struct screen *sc) {
    return sc->settings;
}

/* Every screen of a session that is live: a recording keeps its intervals. */
static int set_interval(struct screen *sc, const char *value, struct err *err) {
    struct session *s = sc->scene.s;
    uint64_t ns;
    char text[16];
    int rc = str_duration(value, 0, &ns, err);
    if (rc < 0)
        return rc;
    if (!sc->scene.connected || s->state != STREAM_LIVE)
        return err_set(err, -ENOTCONN, "interval: nothing is measured any more");
    if (!s->source.live && !s->source.simulated)
        return err_set(err, -EOPNOTSUPP,
                       "interval: a recording keeps the intervals it was made with");
    session_request(s, ns, sc->scene.frozen);
    screen_say(sc, "interval %s", words_interval(text, sizeof(text), s->control.interval_ns));
    return 0;
}

static int set_level(struct screen *sc, const char *value, struct err *err) {
    (void)err;
    int level = atoi(value);
    sc->scene.touched = true;
    outline_level(&sc->scene.tree, level ? level : 99);
    if (level)
        screen_say(sc, "open down to level %d; what is counted follows at the next start", level);
    else
        screen_say(sc, "every level is open");
    return 0;
}

static int set_focus(struct screen *sc, const char *value, struct err *err) {
    if (!sc->scene.connected || !session_can_focus(sc->scene.s))
        return err_set(err, -EOPNOTSUPP, "focus: this source always gives all that it has");
    for (int mode = FOCUS_AUTO; mode <= FOCUS_OFF; mode++)
        if (strcmp(scene_focus_word((enum focus_mode)mode), value) == 0)
            sc->scene.focus = (enum focus_mode)mode;
    sc->focus_policy.asked = 0; /* a wish is answered at once */
    screen_say(sc, "focus %s", value);
    return 0;
}

static int set_theme(struct screen *sc, const char *value, struct err *err) {
    struct theme t;
    int rc = theme_load(&t, value, err);
    if (rc < 0)
        return rc;
    of(sc)->theme = t;
    of(sc)->restyle = true;
    screen_say(sc, "theme %s", t.name);
    return 0;
}

static int plot_of(const char *value) {
    static const char *const words[] = {
        [CHART_BRAILLE] = "braille", [CHART_BLOCKS] = "blocks", [CHART_ASCII] = "ascii"};
    for (int i = 0; i < (int)COUNT(words); i++)
        if (strcmp(words[i], value) == 0)
            return i;
    return -1;
}

static int set_color(struct screen *sc, const char *value, struct err *err) {
    (void)err;
    of(sc)->colors = strcmp(value, "auto") == 0        ? -1
                     : strcmp(value, "truecolor") == 0 ? 1 << 24
                                                       : atoi(value); /* mono: 0 */
    of(sc)->restyle = true;
    screen_say(sc, "colours: %s", value);
    return 0;
}

void settings_prepare(struct screen *sc) {
    const struct settings *set = of(sc);
    struct screen *all[SESSIONS_MAX];
    const int n = set ? types_all(sc, all) : 0;
    for (int i = 0; i < n; i++)
        all[i]->scene.plot_glyph = set->plot >= 0 ? (enum chart_glyph)set->plot
                                   : set->ascii   ? CHART_ASCII
                                                  : CHART_BLOCKS;
}

static int set_plot(struct screen *sc, const char *value, struct err *err) {
    (void)err;
    of(sc)->plot = plot_of(value);
    screen_say(sc, "plots: %s", value);
    return 0;
}

static int set_advice(struct screen *sc, const char *value, struct err *err) {
    struct screen *all[SESSIONS_MAX];
    int n = types_all(sc, all), rc = 0;
    for (int i = 0; i < n && rc == 0; i++)
        rc = sentence_load(&all[i]->scene.sentence, value, err);
    if (rc == 0)
        screen_say(sc, "advice by %s: %s", value, sc->scene.sentence.advice.title);
    return rc;
}

static int set_view(struct screen *sc, const char *value, struct err *err) {
    const struct view *v = views_find(value);
    if (!v || !views_can_begin(v))
        return err_set(err, -ENOENT, "view: \"%s\" is none that tdtop could begin with", value);
    views_go(sc, v);
    return 0;
}

static int set_layout(struct screen *sc, const char *value, struct err *err) {
    struct splits to = {0};
    int rc = borders_parse(value, &to, err);
    if (rc == 0)
        rc = borders_put(sc, &to);
    if (rc == 0)
        screen_say(sc, "layout %s", value[0] ? value : "home");
    return rc;
}

/* ---- what a setting is offered with, beside the choices of its type ---- */

/* Of the keys that change it, too. */
static const char *const intervals[] = {"20ms", "50ms", "100ms", "200ms", "500ms",
                                        "1s",   "2s",   "5s",    "10s",   NULL};
static const char *const levels[] = {"0", "1", "2", "3", "4", "5", "6", NULL};

uint64_t settings_next_interval(uint64_t now_ns, int by) {
    uint64_t next = 0, ns = 0;
    for (int i = 0; intervals[i] && str_duration(intervals[i], 0, &ns, NULL) == 0; i++)
        if (by < 0 ? ns < now_ns : ns > now_ns && !next)
            next = ns;
    return next;
}

static int offer_views(struct settings *set, const char **out, int cap) {
    int n = 0;
    (void)set;
    for (int i = 0; i < n_views && n < cap; i++)
        if (views_can_begin(views[i]))
            out[n++] = views[i]->id;
    return n;
}

static int offer_layouts(struct settings *set, const char **out, int cap) {
    int n = 0, all;
    const struct layout_preset *l = layout_presets(&all);
    (void)set;
    while (n < all && n < cap) {
        out[n] = l[n].name;
        n++;
    }
    return n;
}

static int offer_sources(struct settings *set, const char **out, int cap) {
    const int n = advice_sources(set->source, cap);
    for (int i = 0; i < n && i < cap; i++)
        out[i] = set->source[i].name;
    return n < cap ? n : cap;
}

/* ---- the table: what the screen knows of a setting that the config table does not ---- */

#define FLAG(field) offsetof(struct settings, field)

static const struct known {
    const char *key;
    int (*set)(struct screen *sc, const char *value, struct err *err); /* NULL: at the next start */
    const char *cost;         /* what it costs, and when a change is seen */
    const char *const *usual; /* what it is offered with, or `offer` lists it; NULL ends */
    int (*offer)(struct settings *set, const char **out, int cap); /* returns how many */
    bool open;                                                     /* others count, too */
    /* Of one that is true or false, in the place of `set`: its field, and what is said then. */
    size_t flag;
    const char *if_true, *if_false;
} known[] = {
    {.key = "interval",
     .set = set_interval,
     .usual = intervals,
     .open = true,
     .cost = "Each sample costs CPU time of tdtop ({cost} shows how much) and one look at every "
             "counter; long intervals are smoother, short ones show bursts. Seen at once."},
    {.key = "level",
     .set = set_level,
     .usual = levels,
     .cost = "Every level is more events than the core has counters for, so each is counted for "
             "less of the time and its ± grows. The tree opens at once; what is counted changes "
             "at the next start."},
    {.key = "focus",
     .set = set_focus,
     .cost = "Counting only what is looked at gives those events the counters for themselves: "
             "narrower ±, and less time of the program for each thread that it starts. What was "
             "not in focus is a gap in the past. Seen at once."},
    {.key = "theme",
     .set = set_theme,
     .cost = "Colours alone. {settings-change} shows them all, as `themes` in the palette does."},
    {.key = "mouse",
     .flag = FLAG(mouse),
     .if_true = "mouse on; with Shift the terminal selects text",
     .if_false = "mouse off: the terminal selects text",
     .cost = "With it, selecting text needs Shift. Seen at once."},
    {.key = "ascii",
     .flag = FLAG(ascii),
     .if_true = "drawn in ASCII",
     .if_false = "drawn in UTF-8 where the locale has it",
     .cost = "Bars and plots are coarser. Seen at once."},
    {.key = "color",
     .set = set_color,
     .cost = "More colours are a few bytes more a frame. Seen at once."},
    {.key = "plot",
     .set = set_plot,
     .cost =
         "Braille has eight dots a cell, blocks are bolder, ASCII goes everywhere. Seen at once."},
    {.key = "view",
     .set = set_view,
     .offer = offer_views,
     .cost = "What is shown first; here it goes there at once. It costs nothing."},
    {.key = "layout",
     .set = set_layout,
     .offer = offer_layouts,
     .open = true,
     .cost = "A name, or what you drag borders to; a key goes through the names. "
             "{settings-write} keeps it. Seen at once."},
    {.key = "clipboard",
     .flag = FLAG(clipboard),
     .if_true = "C copies through the terminal",
     .if_false = "nothing is copied",
     .cost = "Off, because what a terminal lets programs write into the clipboard is a matter of "
             "trust. Seen at once."},
    {.key = "advice",
     .set = set_advice,
     .offer = offer_sources,
     .cost =
         "Sources disagree about limits; one is used at a time, and it is named. Seen at once."},
    {.key = "model_dir", .cost = "Read at the start only."},
    {.key = "model",
     .cost = "Another model counts other events: a new measurement, at the next start."},
    {.key = "metrics_dir",
     .cost = "Each metric of yours may need counters of its own. At the next start."},
    {.key = "cputype",
     .cost = "One kind of core alone is half of the descriptors. At the next start."},
    {.key = "speed",
     .cost = "Of demo and replay alone; fast ones use more CPU time. At the next start."},
    {.key = "log", .cost = "A line for what happens, not for every sample. At the next start."},
};

static const struct known *known_of(const char *key) {
    for (size_t i = 0; i < COUNT(known); i++)
        if (strcmp(known[i].key, key) == 0)
            return &known[i];
    return NULL;
}

static void take_flag(struct settings *set, const struct known *k, const char *value) {
    *(bool *)((char *)set + k->flag) = strcmp(value, "true") == 0;
}

const char *settings_cost(const char *key) {
    const struct known *k = known_of(key);
    return k ? k->cost : "A change is seen at the next start.";
}

/* ---- rows ---- */

struct setting_row *settings_find(struct settings *set, const char *key) {
    for (int i = 0; i < set->n; i++)
        if (strcmp(set->row[i].key, key) == 0)
            return &set->row[i];
    return NULL;
}

static const char *value_of(struct settings *set, const char *key) {
    const struct setting_row *r = settings_find(set, key);
    return r ? r->value : "";
}

/* A row that has choices keeps them. */
static void add_choices(struct settings *set, struct setting_row *r) {
    const struct known *k = known_of(r->key);
    if (!k)
        return;
    r->open |= k->open;
    if (r->choice[0])
        return;
    if (k->offer)
        k->offer(set, r->choice, SETTING_CHOICES - 1);
    for (int i = 0; k->usual && k->usual[i] && i < SETTING_CHOICES - 1; i++)
        r->choice[i] = k->usual[i];
}

int settings_begin(struct settings *set, struct err *err) {
    for (int i = 0; i < set->n; i++) {
        const struct known *k = known_of(set->row[i].key);
        add_choices(set, &set->row[i]);
        if (k && k->if_true)
            take_flag(set, k, set->row[i].value);
    }
    set->clip_way = clip_way_of(getenv("TERM"), getenv("TMUX"), getenv("STY"));
    const char *theme = value_of(set, "theme");
    return theme_load(&set->theme, *theme ? theme : "default", err);
}

void settings_look(struct screen *sc) {
    struct settings *set = of(sc);
    struct setting_row *interval = settings_find(set, "interval");
    struct setting_row *focus = settings_find(set, "focus");
    uint64_t ns = sc->scene.s->control.interval_ns, was = 0;
    bool asked =
        sc->scene.connected && (sc->scene.s->source.live || sc->scene.s->source.simulated) && ns;
    if (interval && asked && (str_duration(interval->value, 0, &was, NULL) < 0 || was != ns))
        str_duration_text(interval->value, SETTING_CAP, ns);
    struct setting_row *layout = settings_find(set, "layout");
    struct splits was_at;
    if (layout && (borders_parse(layout->value, &was_at, NULL) < 0 ||
                   memcmp(&was_at, &sc->splits, sizeof(was_at)) != 0))
        borders_text(&sc->splits, layout->value, SETTING_CAP);
    if (focus && sc->scene.connected && session_can_focus(sc->scene.s))
        str_copy(focus->value, SETTING_CAP, scene_focus_word(sc->scene.focus));
}

bool settings_changed(const struct setting_row *r) {
    return strcmp(r->value, r->kept) != 0;
}

int settings_n_changed(const struct settings *set) {
    int n = 0;
    for (int i = 0; i < set->n; i++)
        n += settings_changed(&set->row[i]);
    return n;
}

/* ---- changing ---- */

static int no_such(struct settings *set, const char *key, struct err *err) {
    struct str_nearest near = {.to = key, .below = 4};
    for (int i = 0; i < set->n; i++)
        str_nearest(&near, set->row[i].key);
    return err_set(err, -ENOENT, "there is no setting \"%s\"%s%s%s", key,
                   near.best ? "; did you mean " : "; {settings} lists them",
                   near.best ? near.best : "", near.best ? "?" : "");
}

static int change(struct screen *sc, const char *key, const char *value, struct err *err) {
    struct settings *set = of(sc);
    struct setting_row *r = settings_find(set, key);
    const struct known *k = known_of(key);
    if (!r)
        return no_such(set, key, err);
    int rc = set->check ? set->check(key, value, err) : 0;
    if (rc < 0)
        return rc;
    if (strlen(value) >= SETTING_CAP)
        return err_set(err, -E2BIG, "%s: too long for a screen; write it into the file", key);
    if (k && k->set) {
        rc = k->set(sc, value, err);
    } else if (k && k->if_true) {
        take_flag(set, k, value);
        set->restyle = true;
        screen_say(sc, "%s", strcmp(value, "true") == 0 ? k->if_true : k->if_false);
    } else {
        screen_say(sc,
                   "%s %s: at the next start, if it is saved ({settings}, then {settings-write})",
                   key, *value ? value : "\"\"");
    }
    if (rc == 0)
        str_copy(r->value, SETTING_CAP, value);
    return rc;
}

bool settings_are_here(struct screen *sc) {
    if (!sc->settings)
        screen_say(sc, "there are no settings here");
    return sc->settings != NULL;
}

int settings_set(struct screen *sc, const char *key, const char *value) {
    struct err err = {0};
    if (!settings_are_here(sc))
        return -EOPNOTSUPP;
    int rc = change(sc, key, value, &err);
    if (rc < 0)
        screen_say(sc, "%s", err.text);
    return rc;
}

void settings_save(struct screen *sc) {
    struct setting_change ch[SETTINGS_MAX];
    struct err err = {0};
    struct settings *set = of(sc);
    int n = 0;
    for (int i = 0; i < set->n; i++)
        if (settings_changed(&set->row[i]))
            ch[n++] = (struct setting_change){set->row[i].key, set->row[i].value};
    if (n == 0) {
        screen_say(sc, "nothing was changed: there is nothing to save");
        return;
    }
    if (!set->save) {
        screen_say(sc, "settings cannot be saved here");
        return;
    }
    if (set->save(set->user, ch, n, &err) < 0) {
        screen_say(sc, "%s", err.text);
        return;
    }
    for (int i = 0; i < set->n; i++)
        str_copy(set->row[i].kept, SETTING_CAP, set->row[i].value);
    screen_say(sc, "%d setting%s saved in %s", n, n == 1 ? "" : "s", set->path ? set->path : "?");
}

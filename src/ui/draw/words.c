#include "ui/draw/words.h"

#include "base/clock.h"
#include "base/str.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Order of the hues for models whose roots have no role. */
static const enum metric_role turns[] = {ROLE_BAD_SPECULATION, ROLE_FRONTEND, ROLE_BACKEND};

/* A root without a role among some that have one is neither lost nor useful: it has no hue. */
static bool has_roles(const struct model *m) {
    for (uint32_t i = 0; i < m->n_tree; i++)
        if (m->metric[i].level == 1 && m->metric[i].role != ROLE_NONE)
            return true;
    return false;
}

static enum metric_role role_of(const struct model *m, int metric) {
    if (m->metric[metric].role != ROLE_NONE)
        return m->metric[metric].role;
    int root = metric, nth = 0;
    while (m->metric[root].parent != METRIC_NONE)
        root = m->metric[root].parent;
    if (m->metric[root].good_up)
        return ROLE_RETIRING; /* the hue only: green is what one wants more of */
    if (has_roles(m))         /* a threshold: it may be a loss, and no other has this hue */
        return m->metric[root].threshold ? ROLE_BAD_SPECULATION : ROLE_NONE;
    for (int i = 0; i < root; i++)
        nth += m->metric[i].level == 1;
    return turns[nth % 3];
}

enum style words_hue(const struct model *m, int metric) {
    if (m->metric[metric].kind != METRIC_TREE)
        return STYLE_PLOT;
    static const enum style hue[] = {[ROLE_NONE] = STYLE_LABEL,
                                     [ROLE_FRONTEND] = STYLE_FRONTEND,
                                     [ROLE_BAD_SPECULATION] = STYLE_BADSPEC,
                                     [ROLE_BACKEND] = STYLE_BACKEND,
                                     [ROLE_RETIRING] = STYLE_RETIRING};
    return hue[role_of(m, metric)];
}

enum style words_fill(const struct model *m, int metric) {
    static const enum style fill[] = {[ROLE_NONE] = STYLE_TEXT,
                                      [ROLE_FRONTEND] = STYLE_FRONTEND_FILL,
                                      [ROLE_BAD_SPECULATION] = STYLE_BADSPEC_FILL,
                                      [ROLE_BACKEND] = STYLE_BACKEND_FILL,
                                      [ROLE_RETIRING] = STYLE_RETIRING_FILL};
    return fill[role_of(m, metric)];
}

enum style words_quiet(enum style fill) {
    return fill == STYLE_TEXT ? fill : fill - STYLE_FRONTEND_FILL + STYLE_FRONTEND_QUIET;
}

enum style words_sure(enum style fill) {
    return fill == STYLE_TEXT ? fill : fill - STYLE_FRONTEND_FILL + STYLE_FRONTEND_SURE;
}

enum style words_grey(enum style fill) {
    return fill == STYLE_TEXT ? fill : fill - STYLE_FRONTEND_FILL + STYLE_FRONTEND_GREY;
}

const char *words_name(const struct metric *mt) {
    bool info = mt->kind == METRIC_INFO && str_starts(mt->name, "Info_") && mt->name[5];
    return info ? mt->name + strlen("Info_") : mt->name;
}

const char *words_short(char *buf, size_t cap, const struct metric *mt) {
    str_copy(buf, cap, mt->name);
    if (str_ends(buf, "_Bound"))
        buf[strlen(buf) - strlen("_Bound")] = '\0';
    for (char *p = buf; *p; p++)
        if (*p == '_')
            *p = ' ';
    return buf;
}

/* What the method calls the roots. B of Backend and Bad speculation clash: K stands for the
 * backend. A model without slots gives roots a role for its hue, but other names. */
static const struct {
    const char *brief;
    char letter;
} usual[] = {[ROLE_FRONTEND] = {"Front", 'F'},
             [ROLE_BAD_SPECULATION] = {"Bad", 'B'},
             [ROLE_BACKEND] = {"Back", 'K'},
             [ROLE_RETIRING] = {"Ret", 'R'}};

static bool is_usual(const struct metric *mt) {
    return mt->level == 1 && mt->role != ROLE_NONE && str_starts(mt->name, usual[mt->role].brief);
}

const char *words_brief(char *buf, size_t cap, const struct metric *mt) {
    if (is_usual(mt))
        return str_copy(buf, cap, usual[mt->role].brief);
    words_short(buf, cap, mt);
    return words_cut(buf);
}

/* The first letter of a text, in capitals, that is not among those used; 0: all are. */
static char free_letter(const char *text, const char *used) {
    for (; *text; text++)
        if (isalnum((unsigned char)*text) && !strchr(used, toupper((unsigned char)*text)))
            return (char)toupper((unsigned char)*text);
    return 0;
}

static char letter_beside(const struct metric *mt, const char *used) {
    char word[64];
    const char by_word = free_letter(words_brief(word, sizeof(word), mt), used);
    const char by_name = by_word ? by_word : free_letter(mt->name, used);
    return by_name ? by_name : mt->name[0];
}

char words_letter(const struct model *m, int metric) {
    char used[64] = "";
    size_t n = 0;
    while (m->metric[metric].parent != METRIC_NONE)
        metric = m->metric[metric].parent;
    if (is_usual(&m->metric[metric]))
        return usual[m->metric[metric].role].letter;
    for (uint32_t i = 0; i < m->n_tree && n + 1 < sizeof(used); i++)
        if (is_usual(&m->metric[i]))
            used[n++] = usual[m->metric[i].role].letter;
    for (int i = 0; i < metric && n + 1 < sizeof(used); i++)
        if (m->metric[i].level == 1 && !is_usual(&m->metric[i]))
            used[n++] = letter_beside(&m->metric[i], used);
    return letter_beside(&m->metric[metric], used);
}

char *words_cut(char *name) {
    static const char wait[] = " Wait"; /* "Run" of "Run Queue Wait" would say its contrary */
    if (str_ends(name, wait))
        memmove(name, name + strlen(name) - strlen(wait) + 1, strlen(wait));
    else
        name[strcspn(name, " ")] = '\0';
    return name;
}

const char *words_unknown_roots(char *buf, size_t cap, const struct model *m,
                                const struct frame *f) {
    struct strbuf sb = strbuf_on(buf, cap);
    for (uint32_t i = 0; i < m->n_tree; i++) {
        char name[64];
        if (m->metric[i].level == 1 && m->metric[i].share && isnan(f->at[i].v))
            strbuf_add(&sb, "%s%s", sb.n ? ", " : "",
                       words_short(name, sizeof(name), &m->metric[i]));
    }
    return buf;
}

bool words_useful(const struct metric *mt, bool *known) {
    *known = mt->role != ROLE_NONE;
    return mt->role == ROLE_RETIRING;
}

/* By how it is counted: things are whole, and of so many a second two decimals say nothing. */
static int decimals_below_100(const struct metric *mt) {
    static const struct {
        const char *unit;
        int decimals;
    } units[] = {{"threads", 0}, {"/s", 1}, {"per second", 1}};
    for (size_t i = 0; mt->unit && i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(mt->unit, units[i].unit) == 0)
            return units[i].decimals;
    return 2;
}

const char *words_number(char *buf, size_t cap, const struct metric *mt, double v) {
    if (isnan(v))
        return str_copy(buf, cap, "n/a");
    double size = fabs(v);
    if (mt->share)
        str_fixed(buf, cap, v * 100, 1);
    else if (size < 10000)
        str_fixed(buf, cap, v, size < 100 ? decimals_below_100(mt) : 0);
    else
        str_si(buf, cap, v);
    if (buf[0] == '-' && strspn(buf, "-0.") == strlen(buf)) /* "-0.0" is noise */
        memmove(buf, buf + 1, strlen(buf));
    return buf;
}

/* Ratios of rare things, misses per access and the like, would be 0.00 with two decimals. */
static bool is_rare(const struct metric *mt, double v) {
    double size = fabs(v);
    return !mt->share && size >= 0.00005 && size < 0.1 && decimals_below_100(mt) == 2;
}

static const char *value_number(char *buf, size_t cap, const struct metric *mt, double v) {
    if (!is_rare(mt, v))
        return words_number(buf, cap, mt, v);
    return str_fixed(buf, cap, v, 4);
}

static int decimals_of(const struct metric *mt, double v) {
    return mt->share ? 1 : is_rare(mt, v) ? 4 : fabs(v) < 100 ? decimals_below_100(mt) : 0;
}

const char *words_err(char *buf, size_t cap, const struct metric *mt, double v, double err) {
    static const char *const less[] = {"<1", "<0.1", "<0.01", "<0.001", "<0.0001"};
    static const double half[] = {0.5, 0.05, 0.005, 0.0005, 0.00005};
    if (isnan(err))
        return str_copy(buf, cap, "n/a");
    if (err <= 0)
        return str_copy(buf, cap, "0");
    if (!mt->share && (err >= 10000 || (err >= 1000 && fabs(v) >= 10000)))
        return str_si(buf, cap, err);
    const double shown = mt->share ? err * 100 : err;
    const int decimals = mt->share || shown < 100 ? decimals_of(mt, v) : 0;
    if (shown < half[decimals])
        return str_copy(buf, cap, less[decimals]);
    return str_fixed(buf, cap, shown, decimals);
}

static bool is_percent(const struct metric *mt) {
    return mt->share ||
           (mt->unit && (strcmp(mt->unit, "%") == 0 || strcmp(mt->unit, "percent") == 0));
}

const char *words_value(char *buf, size_t cap, const struct metric *mt, double v) {
    value_number(buf, cap, mt, v);
    size_t n = strlen(buf);
    if (isnan(v))
        return buf;
    if (is_percent(mt))
        snprintf(buf + n, cap - n, "%%");
    else if (mt->unit && mt->unit[0])
        snprintf(buf + n, cap - n, "%s%s", mt->unit[0] == '/' ? "" : " ", mt->unit);
    return buf;
}

const char *words_mark(char *buf, size_t cap, const struct metric *mt, double v) {
    if (mt->share)
        snprintf(buf, cap, "%.4g%%", v * 100);
    else
        snprintf(buf, cap, "%.4g", v);
    return buf;
}

const char *words_cell(char *buf, size_t cap, const struct metric *mt, const struct value *v) {
    if (v->state == VALUE_STALE && isnan(v->v))
        return str_copy(buf, cap, "stale");
    if (isnan(v->v))
        return str_copy(buf, cap, "n/a");
    char number[32];
    value_number(number, sizeof(number), mt, v->v);
    const char *end = v->state == VALUE_ODD ? "?" : mt->share ? "%" : "";
    snprintf(buf, cap, "%s%s%s", v->approx ? "~" : "", number, end);
    return buf;
}

enum style words_duty(char *buf, size_t cap, float duty, bool split) {
    snprintf(buf, cap, split ? "÷%2.0f%%" : "%.0f%%", (double)duty * 100);
    return duty < 0.01F ? STYLE_WARN : duty < 0.995F ? STYLE_LABEL : STYLE_DIM;
}

const char *words_interval(char *buf, size_t cap, uint64_t ns) {
    double s = (double)ns / (double)NS_PER_S;
    if (ns < NS_PER_S)
        snprintf(buf, cap, "%.0fms", s * 1000);
    else
        snprintf(buf, cap, s < 9.95 ? "%.1fs" : "%.0fs", s);
    return buf;
}

const char *words_clock(char *buf, size_t cap, uint64_t ns) {
    uint64_t s = ns / NS_PER_S;
    snprintf(buf, cap, "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60, s % 60);
    return buf;
}

const char *words_span(char *buf, size_t cap, uint64_t ns) {
    uint64_t s = ns / NS_PER_S;
    if (ns % NS_PER_S && s < 10)
        snprintf(buf, cap, "%.1fs", (double)ns / (double)NS_PER_S);
    else if (s < 120)
        snprintf(buf, cap, "%" PRIu64 "s", s);
    else if (s < 7200)
        snprintf(buf, cap, s % 60 ? "%" PRIu64 "m%02" PRIu64 "s" : "%" PRIu64 "min", s / 60,
                 s % 60);
    else
        snprintf(buf, cap, s / 60 % 60 ? "%" PRIu64 "h%02" PRIu64 "m" : "%" PRIu64 "h", s / 3600,
                 s / 60 % 60);
    return buf;
}

/* The sentence: its clauses, what both rules share, and the same words with other numbers. */
#include "model/knowledge/advice.h"

#include "model/eval/steady.h"
#include "model/knowledge/advice_impl.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- clauses: what is worth least goes first where room is scarce --- */

enum {
    MOST = 2 * ADVICE_CLAUSES,
    LINE = 2048,
    ROOM_LEAST = 24, /* columns for the words, before who says them is named */
};

void draft_init(struct draft *d, int pid) {
    d->pid = pid;
    d->sb = strbuf_on(d->text, sizeof(d->text));
    d->n = 0;
}

void draft_add(struct draft *d, int keep, unsigned flags, const char *fmt, ...) {
    char text[1024], told[1024], pid[16];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    const size_t before = d->sb.n;
    if (d->n == ADVICE_CLAUSES || !text[0])
        return;
    snprintf(pid, sizeof(pid), "%d", d->pid);
    strbuf_add(&d->sb, "%s",
               d->pid > 0 ? str_put_word(told, sizeof(told), text, "PID", pid) : text);
    d->c[d->n++] = (struct advice_clause){.at = (uint16_t)before,
                                          .len = (uint16_t)(d->sb.n - before),
                                          .keep = (uint8_t)keep,
                                          .flags = (uint8_t)flags};
}

/* One or two parts, of which some clauses are chosen. */
struct line {
    const char *text[2];
    const struct advice_clause *c[2];
    int n[2];
    bool in[2][ADVICE_CLAUSES];
};

/* A clause without the punctuation that joins it to the one before. */
static const char *bare(const char *text, size_t *len) {
    const size_t skip = strspn(text, " ,;:");
    const size_t cut = skip < *len ? skip : *len;
    *len -= cut;
    return text + cut;
}

static void add_first(struct strbuf *sb, const char *text, size_t len, bool name) {
    text = bare(text, &len);
    if (!len)
        return;
    const char first = name ? text[0] : (char)toupper((unsigned char)text[0]);
    strbuf_add(sb, "%s%c%.*s", sb->n ? ". " : "", first, (int)len - 1, text + 1);
}

static void line_render(const struct line *l, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    for (int p = 0; p < 2; p++) {
        bool any = false;
        for (int i = 0; i < l->n[p]; i++) {
            const struct advice_clause *c = &l->c[p][i];
            if (!l->in[p][i])
                continue;
            if (any)
                strbuf_add(&sb, "%.*s", (int)c->len, l->text[p] + c->at);
            else
                add_first(&sb, l->text[p] + c->at, c->len, c->flags & CLAUSE_NAME);
            any = true;
        }
    }
}

/* Its width in columns; bytes where room is that of a buffer. */
static size_t line_size(const struct line *l, bool bytes) {
    char buf[LINE];
    line_render(l, buf, sizeof(buf));
    return bytes ? strlen(buf) : (size_t)str_width(buf);
}

/* The clause to be tried next: the most telling one that was not. False at the end. */
static bool line_next(const struct line *l, bool tried[2][ADVICE_CLAUSES], int *part, int *at) {
    int best = -1;
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < l->n[p]; i++)
            if (!tried[p][i] && l->c[p][i].keep > best) {
                best = l->c[p][i].keep;
                *part = p;
                *at = i;
            }
    return best >= 0;
}

/* A tied clause goes with the nearest one before it that is not. */
static bool anchored(const struct line *l, int part, int at) {
    if (!(l->c[part][at].flags & CLAUSE_TIED))
        return true;
    while (at > 0 && (l->c[part][at].flags & CLAUSE_TIED))
        at--;
    return l->in[part][at];
}

static bool line_choose(struct line *l, size_t room, bool bytes) {
    bool tried[2][ADVICE_CLAUSES] = {{false}}, any = false;
    int p = 0, i = 0;
    while (line_next(l, tried, &p, &i)) {
        tried[p][i] = true;
        if (!anchored(l, p, i))
            continue;
        l->in[p][i] = true;
        l->in[p][i] = line_size(l, bytes) <= room;
        any = any || l->in[p][i];
    }
    return any;
}

/* The most telling clause alone, cut behind a whole word. */
static void line_cut(struct line *l, size_t room, bool bytes, char *buf, size_t cap) {
    bool tried[2][ADVICE_CLAUSES] = {{false}};
    int p = 0, i = 0;
    buf[0] = '\0';
    if (!line_next(l, tried, &p, &i))
        return;
    l->in[p][i] = true;
    line_render(l, buf, cap);
    const size_t dots = bytes ? strlen("…") : 1;
    for (size_t n = strlen(buf); n > 0; n--) {
        if (buf[n] && buf[n] != ' ')
            continue;
        buf[n] = '\0';
        if ((bytes ? n : (size_t)str_width(buf)) + dots <= room && n + strlen("…") < cap) {
            memcpy(buf + n, "…", sizeof("…"));
            return;
        }
    }
    buf[0] = '\0';
}

static void line_fit(struct line *l, size_t room, bool bytes, char *buf, size_t cap) {
    if (line_choose(l, room, bytes))
        line_render(l, buf, cap);
    else
        line_cut(l, room, bytes, buf, cap);
}

/* Clauses as they stand in the settled text, so that it can be fitted again. */
uint8_t draft_settle(const struct draft *d, char *text, size_t cap, struct advice_clause *c) {
    struct line l = {.text = {d->text}, .c = {d->c}, .n = {d->n}};
    uint8_t n = 0;
    line_fit(&l, cap - 1, true, text, cap);
    size_t at = 0;
    for (int i = 0; i < d->n; i++) {
        size_t len = d->c[i].len;
        if (!l.in[0][i])
            continue;
        if (n == 0)
            bare(d->text + d->c[i].at, &len);
        if (at + len > strlen(text)) /* it was cut */
            len = strlen(text) - at;
        c[n] = d->c[i];
        c[n].at = (uint16_t)at;
        c[n].len = (uint16_t)len;
        at += len;
        n++;
    }
    if (n == 0 && text[0]) { /* a cut one: the words that are left are one clause */
        c[0] = (struct advice_clause){
            .len = (uint16_t)strlen(text), .keep = KEEP_VALUE, .flags = CLAUSE_NAME};
        n = 1;
    }
    return n;
}

const char *advice_fit(const struct advice_text *t, enum advice_part part, int columns, char *buf,
                       size_t cap) {
    struct line l = {
        .text = {t->seen, t->next},
        .c = {t->seen_, t->next_},
        .n = {part & ADVICE_SEEN ? t->n_seen_ : 0, part & ADVICE_NEXT ? t->n_next_ : 0}};
    const size_t n = part & ADVICE_SEEN ? strlen(t->who) : 0;
    const int room = columns - str_width(t->who);
    buf[0] = '\0';
    if (n == 0 || n >= cap || room < ROOM_LEAST) {
        if (columns > 0)
            line_fit(&l, (size_t)columns, false, buf, cap);
        return buf;
    }
    line_fit(&l, (size_t)room, false, buf + n, cap - n);
    if (buf[n])
        memcpy(buf, t->who, n);
    return buf;
}

static const struct advice_keys keys_default = {"Enter", "9", "B", ""};

bool advice_past_frame(void *frame, int metric, double *v, double *err) {
    const struct frame *f = frame;
    if (metric < 0 || (uint32_t)metric >= f->n_metric || isnan(f->at[metric].v))
        return false;
    *v = f->at[metric].v;
    *err = f->at[metric].err;
    return true;
}

/* --- numbers --- */

const char *advice_number(char *buf, size_t cap, double v, bool share) {
    if (share)
        snprintf(buf, cap, fabs(v) < 0.01 && v != 0 ? "%.2f%%" : "%.1f%%", 100 * v);
    else if (fabs(v) < 1000)
        snprintf(buf, cap, "%.2f", v);
    else
        str_si(buf, cap, v);
    return buf;
}

void advice_add_err(struct draft *d, const struct reading *r) {
    const double err = r->share ? 100 * r->err : r->err;
    const bool fine = r->share ? fabs(r->v) < 0.01 : true, coarse = err >= 9.95;
    if (err >= (fine ? 0.005 : 0.05)) /* false for NAN */
        draft_add(d, KEEP_ERR, CLAUSE_TIED, " ± %.*f", coarse ? 0 : fine ? 2 : 1, err);
}

/* How much of it is more than noise; what is not known of the noise is taken as none, but then and
 * always it takes a point, or a twentieth of what is no share. */
static bool changed(const struct reading *now, const struct reading *then) {
    const double a = isnan(now->err) ? 0 : now->err, b = isnan(then->err) ? 0 : then->err;
    const double change = fabs(now->v - then->v);
    return change > sqrt(a * a + b * b) && change >= (now->share ? 0.01 : 0.05 * fabs(then->v));
}

void advice_add_change(struct work *w, const struct reading *now, const struct reading *then,
                       const struct advice_past *past, int node) {
    struct advice_change c = {.delta = now->v - then->v, .sure = changed(now, then)};
    c.relative = then->v != 0 ? c.delta / fabs(then->v) : NAN;
    if (past->judge && (node == METRIC_NONE || !past->judge(past->user, node, &c) || !c.sure))
        return;
    const char *way = c.delta > 0 ? "up" : "down";
    const int keep = past->judge ? KEEP_SINCE : KEEP_CHANGE;
    if (!c.sure)
        draft_add(&w->seen, KEEP_SAME, CLAUSE_TIED, ", no clear change %s", past->since);
    else if (now->share)
        draft_add(&w->seen, keep, CLAUSE_TIED, ", %s %.1f points %s", way, 100 * fabs(c.delta),
                  past->since);
    else if (!isnan(c.relative))
        draft_add(&w->seen, keep, CLAUSE_TIED, ", %s %.0f%% %s", way, 100 * fabs(c.relative),
                  past->since);
    else
        return;
    w->compared = true;
}

static void add_by(struct strbuf *sb, const struct metric *mt, const struct advice_change *c) {
    const double points = 100 * fabs(c->delta), percent = 100 * fabs(c->relative);
    const char *by = c->better ? " by" : "";
    if (mt->share)
        strbuf_add(sb, "%s %.1f points", by, points);
    else if (percent < 1000) /* false for NAN */
        strbuf_add(sb, "%s %.*f%%", by, percent < 9.95 ? 1 : 0, percent);
}

/* A comparison that is shown beside the words is in them, too: where it is sure of nothing of what
 * they name, by its largest change. */
static void add_compared(struct work *w) {
    const struct advice_past *p = &w->in->baseline;
    struct advice_change c;
    char by[48] = "";
    struct strbuf sb = strbuf_on(by, sizeof(by));
    if (w->compared || !p->judge || !p->largest)
        return;
    const int node = p->largest(p->user);
    if (node == METRIC_NONE || !p->judge(p->user, node, &c)) {
        draft_add(&w->seen, KEEP_SINCE, 0, "; no clear change %s", p->since);
        return;
    }
    const char *way = c.better ? c.better > 0 ? "better" : "worse" : c.delta > 0 ? "up" : "down";
    add_by(&sb, &w->m->metric[node], &c);
    draft_add(&w->seen, KEEP_SINCE, CLAUSE_NAME, "; %s %s%s %s", w->m->metric[node].name, way, by,
              p->since);
}

/* --- lists and names --- */

const char *advice_plain(const struct advice *a, const struct metric *mt, bool first, char *buf,
                         size_t cap) {
    const struct toml *t = a->words_ ? toml_get(a->words_, mt->name) : NULL;
    str_copy(buf, cap, t ? t->string : mt->name);
    for (char *p = buf; !t && *p; p++)
        *p = *p == '_' ? ' ' : *p;
    const unsigned char *p = (unsigned char *)buf;
    if (!first && isupper(p[0]) && islower(p[1])) /* not DRAM, not L3 */
        buf[0] = (char)tolower(p[0]);
    return buf;
}

void advice_list_names(char *buf, size_t cap, const char *const *names, int n, int most) {
    struct strbuf sb = strbuf_on(buf, cap);
    const int shown = n <= most ? n : most - 1;
    buf[0] = '\0';
    for (int i = 0; i < shown; i++)
        strbuf_add(&sb, "%s%s", i == 0 ? "" : i == n - 1 ? " and " : ", ", names[i]);
    if (shown < n)
        strbuf_add(&sb, " and %d more", n - shown);
}

void advice_add_beside(struct work *w, const char **names) {
    int n = 0;
    for (const char **name = names; name && *name && n < 2; name++) {
        const int i = model_find(w->m, *name);
        char number[32];
        if (i == METRIC_NONE || isnan(w->f->at[i].v))
            continue;
        const struct metric *mt = &w->m->metric[i];
        const bool unit = mt->unit && mt->unit[0] == '/';
        const double v = w->f->at[i].v;
        if (!mt->share && fabs(v) < 1000 &&
            (unit || v == round(v))) /* a rate, a number of things */
            snprintf(number, sizeof(number), "%.0f", v);
        else
            advice_number(number, sizeof(number), v, mt->share);
        draft_add(&w->seen, KEEP_BESIDE, CLAUSE_NAME | (n ? CLAUSE_TIED : 0), "%s%s %s%s",
                  n ? ", " : "; ", mt->name, number, unit ? mt->unit : "");
        n++;
    }
}

void advice_add_command(struct work *w, const struct advice_row *row) {
    const char *command = row ? advice_row_command(w->m, row) : NULL;
    if (command)
        draft_add(&w->next, KEEP_COMMAND, 0, "; run %s", command);
}

void advice_add_sample(struct work *w, const char *event) {
    if (event && !advice_shows_code(w))
        draft_add(&w->next, KEEP_SAMPLE, 0, "; sample %s", event);
}

static const char *hint_of(const struct work *w, int node, char *buf, size_t cap) {
    const char *hint = NULL;
    for (; w->in->explain && node != METRIC_NONE && !hint; node = w->m->metric[node].parent)
        hint = explain_hint(w->in->explain, w->m->metric[node].name, buf, cap);
    return hint;
}

/* Bytes of the part of a hint that says something alone. */
static size_t first_part(const char *hint) {
    enum { LEAST = 24 }; /* bytes before a comma */
    static const char *const joint[] = {": ", "; ", " (", ", "};
    size_t n = strlen(hint);
    for (size_t i = 0; i < sizeof(joint) / sizeof(joint[0]); i++) {
        const char *at = strstr(hint, joint[i]);
        while (at && joint[i][0] == ',' && at < hint + LEAST)
            at = strstr(at + 1, joint[i]);
        if (at && (size_t)(at - hint) < n)
            n = (size_t)(at - hint);
    }
    return n;
}

void advice_add_hint(struct work *w, int node, int keep) {
    char text[512];
    const char *hint = hint_of(w, node, text, sizeof(text));
    if (!hint)
        return;
    const int n = (int)first_part(hint);
    draft_add(&w->next, keep, 0, "; %.*s", n, hint);
    draft_add(&w->next, keep - 1, CLAUSE_TIED, "%s", hint + n);
}

bool advice_add_idle(struct work *w) {
    const int i = model_find(w->m, "CPUs_Utilized");
    if (i == METRIC_NONE || !(w->f->at[i].v < STEADY_IDLE_CPUS)) /* unknown is not idle */
        return false;
    const double v = w->f->at[i].v;
    draft_add(&w->seen, KEEP_IDLE, 0,
              v < 0.01 ? "; mostly idle: under %.2f CPUs busy" : "; mostly idle: %.2f CPUs busy",
              fmax(v, 0.01));
    if (w->out->certainty == ADVICE_SURE)
        w->out->certainty = ADVICE_UNSURE;
    draft_add(&w->next, KEEP_STEP, 0, "; first see what it waits for");
    draft_add(&w->next, KEEP_DETAIL, CLAUSE_TIED, ": load, locks or input");
    return true;
}

/* --- thresholds --- */

static bool limit_here(const struct ast *a, int metric, double *limit) {
    if ((a->op != AST_GT && a->op != AST_GE && a->op != AST_LT && a->op != AST_LE) ||
        a->kid[0]->op != AST_METRIC || a->kid[0]->index != metric || a->kid[1]->op != AST_NUMBER)
        return false;
    *limit = a->kid[1]->number;
    return true;
}

static bool limit_in(const struct ast *a, int metric, double *limit) {
    if (!a)
        return false;
    if (a->op == AST_AND || a->op == AST_OR)
        return limit_in(a->kid[0], metric, limit) || limit_in(a->kid[1], metric, limit);
    return limit_here(a, metric, limit);
}

bool advice_own_limit(const struct model *m, int metric, double *limit) {
    return limit_in(m->metric[metric].threshold, metric, limit);
}

/* --- the whole --- */

static bool is_for(const struct advice *a, const struct model *m) {
    return !a->vendor || !m->vendor[0] || !strcmp(a->vendor, m->vendor);
}

static void words_for_others(struct work *w) {
    w->out->certainty = ADVICE_UNKNOWN;
    draft_add(&w->seen, KEEP_VALUE, CLAUSE_NAME, "%s is for %s cores", w->a->name, w->a->vendor);
    draft_add(&w->seen, KEEP_LACK, 0, ", this one is by %s", w->m->vendor);
    draft_add(&w->next, KEEP_STEP, 0, "choose another source of advice");
    draft_add(&w->next, KEEP_DETAIL, CLAUSE_TIED, ": %s fits every model", ADVICE_DEFAULT);
    str_copy(w->out->source, sizeof(w->out->source), w->a->name);
}

void advice_make(const struct advice *a, const struct advice_input *in, struct advice_text *out) {
    struct work w = {.a = a,
                     .in = in,
                     .m = in->model,
                     .f = in->frame,
                     .keys = in->keys ? *in->keys : keys_default,
                     .out = out};
    *out = (struct advice_text){.node = METRIC_NONE, .certainty = ADVICE_UNKNOWN};
    draft_init(&w.seen, in->pid);
    draft_init(&w.next, in->pid);
    if (!is_for(a, in->model))
        words_for_others(&w);
    else if (a->tree)
        advice_by_tree(&w);
    else
        advice_by_table(&w);
    if (is_for(a, in->model))
        add_compared(&w);
    out->n_seen_ = draft_settle(&w.seen, out->seen, sizeof(out->seen), out->seen_);
    out->n_next_ = draft_settle(&w.next, out->next, sizeof(out->next), out->next_);
}

/* --- refresh --- */

/*
 * The same words with other numbers. A number is what begins with a digit behind a blank; digits in
 * names (L3_Bound) are words.
 */

/* The clauses of one part of a text. */
struct part {
    const char *text;
    const struct advice_clause *c;
    int n;
};

/* A clause without the punctuation that joins it to the one before. */
struct span {
    const char *at;
    size_t n, joint;
};

static struct span span_of(const struct part *p, int i) {
    const char *at = p->text + p->c[i].at;
    size_t joint = strspn(at, " ,;:");
    joint = joint < p->c[i].len ? joint : p->c[i].len;
    return (struct span){at + joint, p->c[i].len - joint, joint};
}

/* Bytes of the number that begins at i, or 0. */
static size_t number_at(struct span s, size_t i) {
    size_t n = i + 1 < s.n && s.at[i] == '-' ? 1 : 0;
    if ((i > 0 && s.at[i - 1] != ' ') || i + n >= s.n || !isdigit((unsigned char)s.at[i + n]))
        return 0;
    while (i + n < s.n && (isdigit((unsigned char)s.at[i + n]) || s.at[i + n] == '.'))
        n++;
    return n;
}

static bool has_number(struct span s) {
    for (size_t i = 0; i < s.n; i++)
        if (number_at(s, i))
            return true;
    return false;
}

/* But for numbers; where one is the first of its text its first letter is a capital. */
static bool same_words(struct span a, struct span b) {
    size_t i = 0, k = 0;
    while (i < a.n && k < b.n) {
        const size_t n = number_at(a, i), m = number_at(b, k);
        const bool same = i == 0 && k == 0
                              ? tolower((unsigned char)a.at[0]) == tolower((unsigned char)b.at[0])
                              : a.at[i] == b.at[k];
        if (!n != !m || (!n && !same))
            return false;
        i += n ? n : 1;
        k += m ? m : 1;
    }
    return i == a.n && k == b.n;
}

static int find(const struct part *now, const struct part *was, int i) {
    for (int k = 0; k < now->n; k++)
        if (now->c[k].keep == was->c[i].keep && same_words(span_of(was, i), span_of(now, k)))
            return k;
    return -1;
}

static bool is_tied(const struct part *p, int i) {
    return p->c[i].flags & CLAUSE_TIED;
}

/* What the part is about: the clause that would be kept to the last. */
static int subject(const struct part *p) {
    int best = -1;
    for (int i = 0; i < p->n; i++)
        if (best < 0 || p->c[i].keep > p->c[best].keep)
            best = i;
    return best;
}

/* Adds clause i of `was`, from `now` where it has it (k >= 0). False if there is no room. */
static bool add(struct strbuf *sb, const struct part *was, int i, const struct part *now, int k,
                struct advice_clause *out) {
    const struct span old = span_of(was, i), s = k < 0 ? old : span_of(now, k);
    const size_t joint = sb->n ? old.joint : 0, from = sb->n;
    if (!s.n || from + joint + s.n >= sb->cap)
        return false;
    const bool capital = !from && !(was->c[i].flags & CLAUSE_NAME);
    const char first = capital ? (char)toupper((unsigned char)old.at[0]) : old.at[0];
    strbuf_add(sb, "%.*s%c%.*s", (int)joint, old.at - old.joint, number_at(s, 0) ? s.at[0] : first,
               (int)s.n - 1, s.at + 1);
    *out = was->c[i];
    out->at = (uint16_t)from;
    out->len = (uint16_t)(sb->n - from);
    return true;
}

static bool refresh(const struct part *was, const struct part *now, char *text, size_t cap,
                    struct advice_clause *c, uint8_t *n) {
    struct strbuf sb = strbuf_on(text, cap);
    bool anchor = true;
    text[0] = '\0';
    *n = 0;
    for (int i = 0; i < was->n; i++) {
        const int k = find(now, was, i);
        bool stays = (k >= 0 || !has_number(span_of(was, i))) && (anchor || !is_tied(was, i));
        stays = stays && add(&sb, was, i, now, k, &c[*n]);
        *n = (uint8_t)(*n + stays);
        if (!is_tied(was, i))
            anchor = stays;
        if (!stays && i == subject(was))
            return false;
    }
    return true;
}

bool advice_refresh(struct advice_text *t, const struct advice_text *now) {
    struct advice_text out = *t;
    const struct part seen = {t->seen, t->seen_, t->n_seen_},
                      next = {t->next, t->next_, t->n_next_};
    const struct part seen_now = {now->seen, now->seen_, now->n_seen_};
    const struct part next_now = {now->next, now->next_, now->n_next_};
    if (!refresh(&seen, &seen_now, out.seen, sizeof(out.seen), out.seen_, &out.n_seen_) ||
        !refresh(&next, &next_now, out.next, sizeof(out.next), out.next_, &out.n_next_))
        return false;
    *t = out;
    return true;
}

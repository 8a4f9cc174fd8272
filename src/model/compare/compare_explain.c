/* What a comparison means: where to look first, how much work was done. */
#include "model/compare/compare_impl.h"

#include "base/str.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const struct run_node *find_node(const struct compare_side *s, const char *name, size_t n) {
    for (size_t i = 0; i < s->n_node; i++)
        if (!strncasecmp(s->node[i].path, name, n) && s->node[i].path[n] == '\0')
            return &s->node[i];
    return NULL;
}

/* ---- where to look first ---- */

static const char *path_of(const struct compare_row *r) {
    return r->a ? r->a->path : r->b->path;
}

/* The row of the path of n characters: rows are in order of their paths. */
static struct compare_row *find_row(struct comparison *c, const char *path, size_t n) {
    size_t low = 0, high = c->n_row;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        const char *at = path_of(&c->row[mid]);
        int order = strncasecmp(at, path, n);
        order = order ? order : at[n] != '\0';
        if (order == 0)
            return &c->row[mid];
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

/* A child that has half of its parent's change, the same way, leads in its place. */
static void take_lead(struct comparison *c, const struct compare_row *child) {
    const char *path = path_of(child), *dot = strrchr(path, '.');
    struct compare_row *parent = dot ? find_row(c, path, (size_t)(dot - path)) : NULL;
    if (parent && child->delta / parent->delta >= 0.5)
        parent->leads = false;
}

/* What is better neither way says how, not what. */
static bool is_stronger(const struct compare_row *r, const struct compare_row *than) {
    const bool has_way = r->verdict != VERDICT_CHANGED;
    if (than && has_way != (than->verdict != VERDICT_CHANGED))
        return has_way;
    return !than || r->effect > than->effect;
}

/* Many places to look first are none. */
static void keep_strongest(struct comparison *c) {
    struct compare_row *kept[COMPARE_LEADS] = {NULL};
    for (size_t i = 0; i < c->n_row; i++) {
        struct compare_row *r = &c->row[i], *weaker;
        for (int k = 0; k < COMPARE_LEADS && r && r->leads; k++)
            if (is_stronger(r, kept[k])) {
                weaker = kept[k];
                kept[k] = r;
                r = weaker;
            }
        if (r)
            r->leads = false;
    }
}

static void find_leads(struct comparison *c) {
    for (size_t i = 0; i < c->n_row; i++)
        c->row[i].leads = compare_in_tree(&c->row[i]) && compare_is_sure(&c->row[i]);
    for (size_t i = 0; i < c->n_row; i++)
        if (compare_in_tree(&c->row[i]) && compare_is_sure(&c->row[i]))
            take_lead(c, &c->row[i]);
    keep_strongest(c);
}

/* ---- how much work was done ---- */

static double value_of(const struct compare_side *s, const char *name) {
    const struct run_node *n = find_node(s, name, strlen(name));
    return n ? n->value.v : NAN;
}

static double instructions_per_s(const struct compare_side *s) {
    return value_of(s, "IPC") * value_of(s, "GHz") * 1e9 * value_of(s, "CPUs_Utilized");
}

/* Instructions are IPC * GHz * CPUs_Utilized: if each is in its interval, so is the product,
 * whatever they have to do with each other. */
bool compare_work_is_sure(const struct comparison *c) {
    static const char *const factor[] = {"IPC", "GHz", "CPUs_Utilized"};
    double low = 1, high = 1;
    bool sure = false;
    for (size_t i = 0; i < sizeof(factor) / sizeof(factor[0]); i++) {
        const struct compare_row *r = compare_find(c, factor[i]);
        if (!r || !r->a || !r->b || !(r->a->value.v > 0))
            return false;
        low *= fmax(r->b->value.v - r->err, 0) / r->a->value.v;
        high *= (r->b->value.v + r->err) / r->a->value.v;
        sure |= compare_is_sure(r);
    }
    return sure && (low > 1 || high < 1);
}

/* By the names that vendors give to all slots of the time. What does not add up with time is not
 * all of them, and nothing per second. */
static double slots_per_s(const struct compare_side *s) {
    static const char *const names[] = {"Info_Thread_SLOTS", "total_dispatch_slots"};
    const struct run_node *n;
    double v = NAN;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && isnan(v); i++)
        if ((n = find_node(s, names[i], strlen(names[i]))) && n->total)
            v = n->value.v;
    return s->measured_s > 0 ? v / s->measured_s : NAN;
}

static double cpi(const struct compare_side *s) {
    const double ipc = value_of(s, "IPC");
    return ipc > 0 ? 1.0 / ipc : NAN;
}

/* ---- what different models share ---- */

static int on_both(const struct comparison *c, int level) {
    int n = 0;
    for (size_t i = 0; i < c->n_row; i++)
        n += c->row[i].a && c->row[i].b && c->row[i].a->level == level;
    return n;
}

static void shared_words(const struct comparison *c, const struct sides *s, struct strbuf *sb) {
    enum { LEVELS = 12 };
    strbuf_add(sb, "the models differ (%s, %s): ", s->a->model, s->b->model);
    const size_t begin = sb->n;
    for (int level = 1; level <= LEVELS; level++) {
        const int n = on_both(c, level);
        if (n)
            strbuf_add(sb, "%slevel %d (%d node%s)", sb->n > begin ? ", " : "compared are ", level,
                       n, n == 1 ? "" : "s");
    }
    const int beside = on_both(c, 0);
    if (beside)
        strbuf_add(sb, "%s%d metric%s beside the tree", sb->n > begin ? ", " : "compared are ",
                   beside, beside == 1 ? "" : "s");
    strbuf_add(sb, sb->n > begin ? "; the same name need not be the same formula"
                                 : "they share no metric that both know");
}

bool compare_is_of_slots(const struct comparison *c, const struct compare_row *r) {
    const bool counted = c->counts.slots_a > 0 && c->counts.slots_b > 0;
    return counted && r->a && r->b && r->a->share && r->a->level >= 1 && r->a->level <= 2;
}

void compare_explain(struct comparison *c, const struct sides *s) {
    struct strbuf sb = strbuf_on(c->shared, sizeof(c->shared));
    find_leads(c);
    c->counts = (struct compare_counts){
        .instructions_a = instructions_per_s(s->a),
        .instructions_b = instructions_per_s(s->b),
        .cpi_a = cpi(s->a),
        .cpi_b = cpi(s->b),
        .slots_a = slots_per_s(s->a),
        .slots_b = slots_per_s(s->b),
    };
    if (strcasecmp(s->a->model, s->b->model) != 0)
        shared_words(c, s, &sb);
}

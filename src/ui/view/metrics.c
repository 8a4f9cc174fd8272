#include "ui/view/metrics.h"

#include "base/str.h"
#include "model/eval/sample.h"
#include "model/load/model_text.h"
#include "ui/scene/app.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const by_state[COUNT_STATES] = {
    [COUNT_STALE] =
        "a longer interval ({slower}), or less in focus ({focus}), gives its counters a turn",
    [COUNT_NOT_COUNTED] = "it is counted as soon as the target runs while its counters are on",
    [COUNT_NOT_SUPPORTED] =
        "a newer kernel, or the machine itself instead of a guest, may have it: see Doctor",
    [COUNT_NOT_PERMITTED] =
        "root, CAP_PERFMON or sysctl kernel.perf_event_paranoid=0 would permit it: see Doctor",
    [COUNT_NO_EVENT] = "a newer kernel or libpfm4 may know the event: see Doctor",
    [COUNT_ABSENT] = "a new recording with this event: perf stat -e takes what {explain} shows",
    [COUNT_UNCORE] = "tdtop -a, as root, counts what is outside the core",
    [COUNT_NOT_PLANNED] = "start without --level, or name it: --nodes +NAME",
    [COUNT_NOT_FOCUSED] = "focus off ({focus}) counts everything in turn",
    [COUNT_NO_FDS] = "a higher limit (ulimit -n), or fewer threads at a time",
    [COUNT_LOST] = "start tdtop anew: its counter went away while it was read",
    [COUNT_NOT_SIMULATED] = "a real machine: tdtop -a, as root",
    [COUNT_ELSEWHERE] = "{next-core-type} shows the other core type",
    [COUNT_HELD] = "end the other user of the counters: see Doctor",
    [COUNT_UNSEEN] = "a shorter interval ({faster}) misses fewer of them",
};

const char *metrics_remedy(struct why why, bool asked, char *buf, size_t cap) {
    const char *words = NULL;
    if (why.kind == WHY_EVENT && why.code < COUNT_STATES)
        words = why.code == COUNT_NOT_FOCUSED && asked ? "asked for now: the next interval has it"
                                                       : by_state[why.code];
    else if (why.kind == WHY_DIV_ZERO)
        words = "it is known as soon as that happens";
    else if (why.kind == WHY_UNAVAILABLE)
        words = "nothing: this model cannot have it here";
    else if (why.kind == WHY_PART)
        words = by_state[COUNT_NO_FDS];
    return keys_in_words(words ? words : "", buf, cap);
}

#include "ui/view/metrics.h"

#include "base/str.h"
#include "model/load/model_text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An order by values holds for so long. */
#define HOLD_NS UINT64_C(3000000000)

static const char *const order_words[METRICS_ORDERS] = {"group", "name", "value", "duty"};

const char *metrics_order_word(enum metrics_order order) {
    return order_words[order];
}

/* The vendors' groups have names for those who know them. */
static const struct {
    const char *name, *words;
} group_words[] = {
    {"Bad", "bad speculation"},
    {"BadSpec", "bad speculation"},
    {"BrMispredicts", "mispredicted branches"},
    {"Branches", "branches and their kinds"},
    {"CacheHits", "where loads find their data"},
    {"Compute", "computation"},
    {"Cor", "bound by the core"},
    {"DSB", "cache of decoded instructions"},
    {"DSBmiss", "misses of the cache of decoded instructions"},
    {"Fed", "feeding the pipeline"},
    {"FetchBW", "bandwidth of fetch"},
    {"FetchLat", "latency of fetch"},
    {"Flops", "floating point"},
    {"HPC", "numerical programs"},
    {"IcMiss", "misses of the instruction cache"},
    {"InsType", "kinds of instructions"},
    {"IoBW", "bandwidth of devices"},
    {"LockCont", "contended locks"},
    {"Mem", "memory, as the core sees it"},
    {"MemoryBW", "bandwidth of memory"},
    {"MemoryLat", "latency of memory"},
    {"MemoryTLB", "translation of addresses"},
    {"Offcore", "requests that leave the core"},
    {"OS", "the kernel"},
    {"Pipeline", "the pipeline"},
    {"PortsUtil", "use of the execution ports"},
    {"Power", "power and frequency"},
    {"Ret", "retiring"},
    {"SMT", "two threads on a core"},
    {"Server", "what servers have"},
    {"SoC", "the chip around the cores"},
    {"Summary", "the whole in short"},
};

static const char *words_of(const char *group) {
    for (size_t i = 0; i < sizeof(group_words) / sizeof(group_words[0]); i++)
        if (strcmp(group_words[i].name, group) == 0)
            return group_words[i].words;
    return NULL;
}

/* --- groups --- */

static int group_find(const struct metrics *mt, const char *name, size_t len) {
    for (int i = 0; i < mt->n_group; i++)
        if (strlen(mt->group[i].name) == len && strncasecmp(mt->group[i].name, name, len) == 0)
            return i;
    return -1;
}

static int group_take(struct metrics *mt, const char *name, size_t len, bool tree) {
    if (len >= sizeof(mt->group[0].name))
        len = sizeof(mt->group[0].name) - 1;
    int at = group_find(mt, name, len);
    if (at >= 0)
        return at;
    struct metrics_group *g = &mt->group[mt->n_group];
    *g = (struct metrics_group){.tree = tree};
    str_copy(g->name, len + 1, name);
    g->words = tree ? NULL : words_of(g->name);
    return mt->n_group++;
}

static int members(const struct model *m, const char *name, size_t len) {
    char word[96];
    int n = 0;
    str_copy(word, len + 1 < sizeof(word) ? len + 1 : sizeof(word), name);
    for (uint32_t i = m->n_tree; i < m->n_metric; i++)
        n += model_in_group(&m->metric[i], word);
    return n;
}

/* The largest of its groups; the user's own metrics, and those of no group, have one of theirs. */
static int home_of(struct metrics *mt, const struct metric *metric) {
    const char *list = metric->groups, *name, *best = NULL;
    size_t len, best_len = 0;
    int most = 0;
    while (model_group_next(&list, &name, &len)) {
        int n = members(mt->model, name, len);
        if (n > most) {
            most = n;
            best = name;
            best_len = len;
        }
    }
    if (!best)
        best = metric->own                         ? "Your own"
               : metric->kind == METRIC_BOTTLENECK ? "Bottlenecks"
               : metric->vital                     ? "Vital signs"
                                                   : "Others";
    return group_take(mt, best, best_len ? best_len : strlen(best), false);
}

static int root_of(const struct model *m, int metric) {
    while (m->metric[metric].parent != METRIC_NONE)
        metric = m->metric[metric].parent;
    return metric;
}

static void find_homes(struct metrics *mt) {
    const struct model *m = mt->model;
    for (int i = 0; i < (int)m->n_metric; i++) {
        const char *root = m->metric[root_of(m, i)].name;
        bool tree = i < (int)m->n_tree;
        mt->home[i] = tree ? group_take(mt, root, strlen(root), true) : home_of(mt, &m->metric[i]);
        mt->group[mt->home[i]].n++;
    }
    static const char name[] = "Without a value";
    mt->lacking = group_take(mt, name, strlen(name), false);
    mt->group[mt->lacking].words = "events that are not to be had here";
    mt->group[mt->lacking].closed = true;
}

static bool cannot_have(const struct model *m, const struct frame *f, int metric) {
    const struct why why = f->at[metric].why;
    return isnan(f->at[metric].v) &&
           (m->metric[metric].unavailable ||
            (why.kind == WHY_EVENT && !count_waits((enum count_state)why.code)));
}

bool metrics_is_in(const struct metrics *mt, int metric, int group) {
    return group == mt->lacking ? mt->lacks[metric]
                                : mt->home[metric] == group && !mt->lacks[metric];
}

int metrics_init(struct metrics *mt, const struct model *m, const struct explain *ex) {
    metrics_destroy(mt);
    size_t n = m->n_metric + 1u;
    mt->model = m;
    mt->group = calloc(n, sizeof(*mt->group));
    mt->home = calloc(n, sizeof(*mt->home));
    mt->lacks = calloc(n, sizeof(*mt->lacks));
    mt->row = calloc(2 * n, sizeof(*mt->row));
    mt->sorted = calloc(n, sizeof(*mt->sorted));
    if (!mt->group || !mt->home || !mt->lacks || !mt->row || !mt->sorted) {
        metrics_destroy(mt);
        return -ENOMEM;
    }
    mt->explain = ex;
    find_homes(mt);
    metrics_make(mt, NULL);
    return 0;
}

void metrics_destroy(struct metrics *mt) {
    free(mt->group);
    free(mt->home);
    free(mt->lacks);
    free(mt->row);
    free(mt->sorted);
    *mt = (struct metrics){0};
}

/* --- the filter --- */

const char *metrics_summary(const struct metrics *mt, int metric, char *buf, size_t cap) {
    const struct metric *x = &mt->model->metric[metric];
    if (!explain_summary(mt->explain, x->name, buf, cap))
        str_copy(buf, cap, x->summary ? x->summary : "");
    return buf;
}

static bool has(const char *text, const char *word) {
    return text && strcasestr(text, word);
}

static bool word_hits(const struct metrics *mt, int metric, const char *word) {
    const struct metric *x = &mt->model->metric[metric];
    const struct metrics_group *g = &mt->group[mt->home[metric]];
    char summary[512];
    return has(x->name, word) || has(x->vendor, word) || has(x->groups, word) ||
           has(g->name, word) || has(g->words, word) || has(x->unit, word) ||
           has(metrics_summary(mt, metric, summary, sizeof(summary)), word);
}

/* True if every word of the filter is in its name, its groups, its unit or what it is. */
static bool metrics_hit(const struct metrics *mt, int metric, const char *filter) {
    char word[64];
    while (*filter) {
        size_t len = strcspn(filter, " ");
        str_copy(word, len + 1 < sizeof(word) ? len + 1 : sizeof(word), filter);
        if (len && !word_hits(mt, metric, word))
            return false;
        filter += len;
        filter += strspn(filter, " ");
    }
    return true;
}

/* --- rows --- */

static void put(struct metrics *mt, struct metrics_row row) {
    mt->row[mt->list.n++] = row;
}

/* Puts the heading of a group of n hits, and, unless it is closed, its hits. */
static void put_group(struct metrics *mt, int group, const char *filter) {
    const struct metrics_group *g = &mt->group[group];
    int heading = mt->list.n, n = 0;
    put(mt, (struct metrics_row){METRIC_NONE, group, g->name, 0});
    for (int i = 0; i < (int)mt->model->n_metric; i++) {
        if (!metrics_is_in(mt, i, group) || !metrics_hit(mt, i, filter))
            continue;
        n++;
        if (!g->closed || filter[0]) /* what is looked for is shown */
            put(mt, (struct metrics_row){i, group, NULL, 0});
    }
    mt->row[heading].n = n;
    mt->n_hit += n;
    if (n == 0)
        mt->list.n = heading;
}

static int compare_names(const struct metrics *mt, int a, int b) {
    return strcasecmp(mt->model->metric[a].name, mt->model->metric[b].name);
}

static const char *unit_of(const struct metric *x) {
    return x->share ? "percent" : x->unit && x->unit[0] ? x->unit : "numbers without a unit";
}

/* What is known goes before what is not, whichever way round it is sorted. */
static int compare_numbers(double a, double b) {
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return a < b ? -1 : a > b;
}

/* < 0: a goes before b. */
static int compare(const struct metrics *mt, const struct frame *f, int a, int b) {
    const struct metric *x = &mt->model->metric[a], *y = &mt->model->metric[b];
    int rc = 0, way = mt->inverted ? -1 : 1;
    if (mt->order == METRICS_BY_NAME)
        return way * compare_names(mt, a, b);
    if (mt->order == METRICS_BY_VALUE && (rc = strcasecmp(unit_of(x), unit_of(y))) != 0)
        return rc;
    if (f && mt->order == METRICS_BY_VALUE) {
        double va = f->at[a].v, vb = f->at[b].v;
        rc = compare_numbers(way > 0 ? -va : va, way > 0 ? -vb : vb);
    } else if (f) {
        double da = isnan(f->at[a].v) ? (double)NAN : (double)f->at[a].duty;
        double db = isnan(f->at[b].v) ? (double)NAN : (double)f->at[b].duty;
        rc = compare_numbers(way * da, way * db);
    }
    return rc ? rc : compare_names(mt, a, b);
}

/* By insertion: some hundreds, nearly in order already, and equal ones stay as they are. */
static int sort_hits(struct metrics *mt, const char *filter, const struct frame *f) {
    int n = 0;
    for (int i = 0; i < (int)mt->model->n_metric; i++) {
        if ((!mt->tree && i < (int)mt->model->n_tree) || !metrics_hit(mt, i, filter))
            continue;
        int at = n++;
        for (; at > 0 && compare(mt, f, i, mt->sorted[at - 1]) < 0; at--)
            mt->sorted[at] = mt->sorted[at - 1];
        mt->sorted[at] = i;
    }
    return n;
}

static void put_sorted(struct metrics *mt, const char *filter, const struct frame *f) {
    const char *unit = NULL;
    int n = sort_hits(mt, filter, f), heading = 0;
    mt->n_hit = n;
    for (int i = 0; i < n; i++) {
        const char *mine = unit_of(&mt->model->metric[mt->sorted[i]]);
        if (mt->order == METRICS_BY_VALUE && (!unit || strcasecmp(unit, mine) != 0)) {
            heading = mt->list.n;
            put(mt, (struct metrics_row){METRIC_NONE, -1, mine, 0});
            unit = mine;
        }
        if (unit)
            mt->row[heading].n++;
        put(mt, (struct metrics_row){mt->sorted[i], mt->home[mt->sorted[i]], NULL, 0});
    }
}

/* Headings are the same that say the same: those of units belong to no group. */
static bool is_same(const struct metrics_row *a, const struct metrics_row *b) {
    if (a->metric != METRIC_NONE || b->metric != METRIC_NONE)
        return a->metric == b->metric;
    return a->group == b->group && a->heading && b->heading && strcmp(a->heading, b->heading) == 0;
}

/* The same metric, the heading of its group where that is closed, or what is there instead. */
static int row_again(const struct metrics *mt, const struct metrics_row *was) {
    int home = -1;
    for (int i = 0; was && i < mt->list.n; i++) {
        if (is_same(&mt->row[i], was))
            return i;
        if (was->group >= 0 && mt->row[i].group == was->group && mt->row[i].metric == METRIC_NONE)
            home = i;
    }
    return home;
}

void metrics_make(struct metrics *mt, const struct frame *f) {
    const char *filter = mt->filter.text;
    const bool had = mt->list.n > 0;
    const struct metrics_row was = mt->row[mt->list.at];
    mt->list.n = mt->n_hit = 0;
    for (int i = 0; f && i < (int)mt->model->n_metric; i++)
        mt->lacks[i] = i >= (int)mt->model->n_tree && cannot_have(mt->model, f, i);
    if (mt->order != METRICS_BY_GROUP)
        put_sorted(mt, filter, f);
    for (int g = 0; mt->order == METRICS_BY_GROUP && g < mt->n_group; g++)
        if (mt->tree || !mt->group[g].tree)
            put_group(mt, g, filter);
    mt->made_ns = f ? f->t1_ns : 0;
    mt->list.chosen = true;
    list_follow(&mt->list, mt->list.n, row_again(mt, had ? &was : NULL));
}

void metrics_follow(struct metrics *mt, const struct frame *f) {
    bool by_values = mt->order == METRICS_BY_VALUE || mt->order == METRICS_BY_DUTY;
    if (!f || !by_values)
        return;
    if (f->t1_ns >= mt->made_ns && f->t1_ns - mt->made_ns < HOLD_NS && mt->made_ns)
        return;
    metrics_make(mt, f);
}

/* --- the selection --- */

void metrics_begin(struct metrics *mt, const struct frame *f) {
    if (mt->entered || !f)
        return;
    mt->entered = true;
    for (int i = 0; i < mt->list.n; i++)
        if (mt->row[i].metric != METRIC_NONE) { /* what cannot have a value is folded, at the end */
            list_select(&mt->list, i);
            return;
        }
}

int metrics_metric(const struct metrics *mt) {
    return mt->list.n ? mt->row[mt->list.at].metric : METRIC_NONE;
}

void metrics_fit(struct metrics *mt, int h) {
    list_fit(&mt->list, h);
    const int at = mt->list.at;
    if (at > 0 && at == mt->list.top && h > 1 && mt->row[at - 1].metric == METRIC_NONE)
        mt->list.top--; /* with its heading, coming from below */
}

void metrics_want(const struct metrics *mt, bool *wanted) {
    for (int i = mt->list.top - mt->list.lines; i <= mt->list.top + 2 * mt->list.lines; i++)
        if (i >= 0 && i < mt->list.n && mt->row[i].metric != METRIC_NONE)
            wanted[mt->row[i].metric] = true;
}

bool metrics_toggle(struct metrics *mt) {
    if (mt->list.n == 0 || metrics_metric(mt) != METRIC_NONE)
        return false;
    int group = mt->row[mt->list.at].group;
    if (group >= 0)
        mt->group[group].closed = !mt->group[group].closed;
    return true;
}

void metrics_fold(struct metrics *mt, bool open) {
    if (mt->order == METRICS_BY_GROUP && mt->list.n > 0)
        mt->group[mt->row[mt->list.at].group].closed = !open;
}

void metrics_toggle_all(struct metrics *mt) {
    bool closed = false;
    for (int g = 0; g < mt->n_group; g++)
        closed |= g != mt->lacking && mt->group[g].closed;
    for (int g = 0; g < mt->n_group; g++)
        mt->group[g].closed = !closed || g == mt->lacking;
}

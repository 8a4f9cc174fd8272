#include "pmu/plan/plan_pack.h"

#include "pmu/plan/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t NOWHERE = UINT32_MAX;
enum { NO_ROOM = -1, WORTH_NONE = INT16_MIN };

struct packer {
    const struct fit *fit;
    struct pack_item *item;
    uint32_t n_item;
    struct event_set *group; /* [n_item] of its items; n_group of them in use */
    struct fit_taken *taken; /* [n_item] what the groups take of the counters; see taken_by */
    bool *stale;             /* [n_item] it is not known */
    uint32_t *kept;          /* [n_item] size of the groups before an attempt; numbers at the end */
    uint32_t *leaving;       /* [n_item] items that it is to move */
    uint32_t *moved;         /* [n_item] those that it has moved */
    uint32_t n_group;
    bool *covered;  /* [n_item] another item has all its events */
    int16_t *worth; /* [n_item][n_item] of an item of the branch in a group; WORTH_NONE */
    uint32_t *best; /* [n_item] the first of the groups where it is worth most, if any */
    int room;       /* fit_room: saves most of the matching */
};

/* Of a group, when it is asked about. */
static struct fit_taken *taken_by(const struct packer *pk, uint32_t group) {
    if (pk->stale[group]) {
        fit_begin(pk->fit, &pk->taken[group]);
        fit_add(pk->fit, &pk->taken[group], &pk->group[group]);
        pk->stale[group] = false;
    }
    return &pk->taken[group];
}

static void enter(struct packer *pk, uint32_t item, uint32_t group) {
    pk->item[item].group = group;
    set_add_all(&pk->group[group], &pk->item[item].events);
    if (!pk->stale[group])
        fit_add(pk->fit, &pk->taken[group], &pk->item[item].events);
}

static uint32_t count_shared(const struct event_set *a, const struct event_set *b) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->n; i++)
        n += set_has(b, a->at[i]);
    return n;
}

static int events_added(const struct packer *pk, uint32_t item, uint32_t group) {
    const struct event_set *set = &pk->item[item].events, *to = &pk->group[group];
    int left = pk->room - (int)to->n;
    for (uint64_t fresh = set->filter & ~to->filter; fresh; fresh &= fresh - 1)
        if (left-- <= 0)
            return NO_ROOM;
    int n = (int)(set->n - count_shared(set, to));
    if (n == 0)
        return 0;
    return (int)to->n + n <= pk->room && fit_has_room(pk->fit, taken_by(pk, group), set) ? n
                                                                                         : NO_ROOM;
}

/* ---- which items matter ---- */

/* Of two with the same events the first stays. Later branches do not count. */
static bool is_covered(const struct packer *pk, const struct pack_item *it) {
    const struct pack_item *end = pk->item + pk->n_item;
    for (const struct pack_item *by = pk->item; by < end && by->branch <= it->branch; by++)
        if (by->events.n + (by < it) > it->events.n && set_has_all(&by->events, &it->events))
            return true;
    return false;
}

static bool is_placed(const struct packer *pk, uint32_t item) {
    return pk->covered[item] || pk->item[item].group != NOWHERE;
}

/* ---- placing ---- */

/* What shares much, big ones early, in the emptier group: of 8 such sums the one that gave the
 * fewest groups over all built-in models (1367 to 1381 of them: it matters little). */
static int16_t worth(const struct packer *pk, uint32_t item, uint32_t group) {
    int events = (int)pk->item[item].events.n, adds = events_added(pk, item, group);
    if (adds == NO_ROOM || adds == 0)
        return adds == 0 ? INT16_MAX : WORTH_NONE;
    return (int16_t)(30 * (events - adds) + 20 * events - (int)pk->group[group].n);
}

static void find_best(struct packer *pk, uint32_t item) {
    const int16_t *w = pk->worth + (size_t)item * pk->n_item, *best = w;
    for (const int16_t *g = w + 1; g < w + pk->n_group; g++)
        if (*g > *best)
            best = g;
    pk->best[item] = (uint32_t)(best - w);
}

static void look_around(struct packer *pk, uint32_t item) {
    for (uint32_t g = 0; g < pk->n_group && !is_placed(pk, item); g++)
        pk->worth[(size_t)item * pk->n_item + g] = worth(pk, item, g);
    find_best(pk, item);
}

/* A group has changed: what it is now to those of items first to end (excluded) that are still to
 * be placed. */
static void look_at(struct packer *pk, uint32_t first, uint32_t end, uint32_t group) {
    for (uint32_t i = first; i < end; i++) {
        if (is_placed(pk, i))
            continue;
        int16_t *w = pk->worth + (size_t)i * pk->n_item;
        const uint32_t best = pk->best[i];
        const int16_t before = w[group];
        w[group] = worth(pk, i, group);
        if (best == group && w[group] < before)
            find_best(pk, i);
        else if (w[group] > w[best] || (w[group] == w[best] && group < best))
            pk->best[i] = group;
    }
}

struct choice {
    uint32_t item, group;
    int worth;
};

/* The next one of items first to end (excluded); the group is a new one if none has room. */
static bool choose(const struct packer *pk, uint32_t first, uint32_t end, struct choice *best) {
    uint32_t biggest = NOWHERE;
    *best = (struct choice){.worth = WORTH_NONE};
    for (uint32_t i = first; i < end; i++) {
        if (is_placed(pk, i))
            continue;
        if (biggest == NOWHERE || pk->item[i].events.n > pk->item[biggest].events.n)
            biggest = i;
        const int w = pk->n_group ? pk->worth[(size_t)i * pk->n_item + pk->best[i]] : WORTH_NONE;
        if (w > best->worth)
            *best = (struct choice){i, pk->best[i], w};
    }
    if (best->worth == WORTH_NONE)
        *best = (struct choice){.item = biggest, .group = pk->n_group};
    return biggest != NOWHERE;
}

static void place_branch(struct packer *pk, uint32_t first, uint32_t end) {
    struct choice c;
    for (uint32_t i = first; i < end; i++)
        look_around(pk, i);
    while (choose(pk, first, end, &c)) {
        pk->n_group += c.group == pk->n_group;
        enter(pk, c.item, c.group);
        look_at(pk, first, end, c.group);
    }
}

static void place_all(struct packer *pk) {
    for (uint32_t first = 0, end; first < pk->n_item; first = end) {
        for (end = first + 1; end < pk->n_item && pk->item[end].branch == pk->item[first].branch;)
            end++;
        place_branch(pk, first, end);
    }
}

/* ---- giving groups up ---- */

static void gather(struct packer *pk, uint32_t group) {
    set_cut(&pk->group[group], 0);
    pk->stale[group] = true;
    for (uint32_t i = 0; i < pk->n_item; i++)
        if (pk->item[i].group == group)
            set_add_all(&pk->group[group], &pk->item[i].events);
}

/* Does the group serve the item's branch? Then it costs a focus on that nothing. */
static bool has_branch(const struct packer *pk, uint32_t group, uint32_t branch) {
    for (uint32_t i = 0; i < pk->n_item; i++)
        if (pk->item[i].group == group && pk->item[i].branch == branch)
            return true;
    return false;
}

/* What is always in focus must not bring more groups there. */
static bool may_stand_in(const struct packer *pk, uint32_t item, uint32_t group) {
    bool welcome = !pk->item[item].top;
    for (uint32_t i = 0; i < pk->n_item && !welcome; i++)
        welcome = pk->item[i].group == group && pk->item[i].top;
    return welcome;
}

static uint32_t find_refuge(const struct packer *pk, uint32_t item, uint32_t from) {
    uint32_t best = NOWHERE;
    int least = INT32_MAX;
    for (uint32_t g = 0; g < pk->n_group; g++) {
        int adds = g != from ? events_added(pk, item, g) : NO_ROOM;
        if (adds == NO_ROOM || adds * 2 >= least || !may_stand_in(pk, item, g))
            continue;
        int cost = adds * 2 + !has_branch(pk, g, pk->item[item].branch);
        if (cost < least) {
            least = cost;
            best = g;
        }
    }
    return best;
}

/* Items that others have whole may stand there: what only they needed is then free. */
static void drop_doubles(struct packer *pk) {
    for (uint32_t i = 0; i < pk->n_item; i++) {
        uint32_t own = pk->item[i].group;
        for (uint32_t g = 0; own != NOWHERE && g < pk->n_group; g++) {
            if (g == own || pk->group[g].n < pk->group[own].n ||
                !set_has_all(&pk->group[g], &pk->item[i].events) || !may_stand_in(pk, i, g))
                continue;
            pk->item[i].group = g;
            gather(pk, own);
            break;
        }
    }
}

/* Everything elsewhere, the biggest first; false leaves half of it done. */
static bool move_out(struct packer *pk, uint32_t from, uint32_t *n_moved) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < pk->n_item; i++)
        if (pk->item[i].group == from)
            pk->leaving[n++] = i;
    for (uint32_t size = pk->group[from].n; size > 0; size--)
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t item = pk->leaving[i];
            if (pk->item[item].events.n != size)
                continue;
            uint32_t to = find_refuge(pk, item, from);
            if (to == NOWHERE)
                return false;
            enter(pk, item, to);
            pk->moved[(*n_moved)++] = item;
        }
    return true;
}

static void move_back(struct packer *pk, uint32_t group, uint32_t n_moved) {
    for (uint32_t i = 0; i < n_moved; i++) {
        const uint32_t to = pk->item[pk->moved[i]].group;
        if (pk->group[to].n > pk->kept[to]) {
            set_cut(&pk->group[to], pk->kept[to]);
            pk->stale[to] = true;
        }
        pk->item[pk->moved[i]].group = group;
    }
}

static bool give_up(struct packer *pk, uint32_t group) {
    uint32_t n_moved = 0;
    for (uint32_t g = 0; g < pk->n_group; g++)
        pk->kept[g] = pk->group[g].n;
    if (!move_out(pk, group, &n_moved)) {
        move_back(pk, group, n_moved);
        return false;
    }
    uint32_t last = --pk->n_group;
    pk->group[group] = pk->group[last];
    pk->stale[group] = true;
    for (uint32_t i = 0; i < pk->n_item; i++)
        if (pk->item[i].group == last)
            pk->item[i].group = group;
    return true;
}

static void improve(struct packer *pk) {
    for (bool any = true; any;) {
        any = false;
        drop_doubles(pk);
        for (uint32_t g = 0; g < pk->n_group;) {
            bool gone = give_up(pk, g);
            any |= gone;
            g += !gone;
        }
    }
}

/* ---- the answer ---- */

static void place_covered(struct packer *pk) {
    for (uint32_t i = 0; i < pk->n_item; i++)
        for (uint32_t g = 0; g < pk->n_group && pk->item[i].group == NOWHERE; g++)
            if (set_has_all(&pk->group[g], &pk->item[i].events))
                pk->item[i].group = g;
}

/* In the order of the items: what level 1 needs comes first. */
static void number_groups(struct packer *pk, uint32_t *number) {
    uint32_t n = 0;
    for (uint32_t g = 0; g < pk->n_group; g++)
        number[g] = NOWHERE;
    for (uint32_t i = 0; i < pk->n_item; i++) {
        uint32_t *own = &number[pk->item[i].group];
        if (*own == NOWHERE)
            *own = n++;
        pk->item[i].group = *own;
    }
    pk->n_group = n;
}

static bool packer_alloc(struct packer *pk) {
    size_t n = pk->n_item + 1u;
    pk->group = calloc(n, sizeof(*pk->group));
    pk->taken = calloc(n, sizeof(*pk->taken));
    pk->stale = malloc(n * sizeof(*pk->stale));
    pk->kept = calloc(n, sizeof(*pk->kept));
    pk->leaving = calloc(n, sizeof(*pk->leaving));
    pk->moved = calloc(n, sizeof(*pk->moved));
    pk->covered = calloc(n, sizeof(*pk->covered));
    pk->worth = calloc(n, n * sizeof(*pk->worth));
    pk->best = calloc(n, sizeof(*pk->best));
    if (pk->stale)
        memset(pk->stale, true, n * sizeof(*pk->stale));
    return pk->group && pk->taken && pk->stale && pk->kept && pk->leaving && pk->moved &&
           pk->covered && pk->worth && pk->best;
}

static void packer_free(struct packer *pk) {
    free(pk->group);
    free(pk->taken);
    free(pk->stale);
    free(pk->kept);
    free(pk->leaving);
    free(pk->moved);
    free(pk->covered);
    free(pk->worth);
    free(pk->best);
}

int pack_items(const struct fit *fit, struct pack_item *item, uint32_t n_item, uint32_t *n_group) {
    struct packer pk = {.fit = fit, .item = item, .n_item = n_item, .room = fit_room(fit)};
    bool ok = packer_alloc(&pk);
    for (uint32_t i = 0; i < n_item; i++)
        item[i].group = NOWHERE;
    if (ok) {
        for (uint32_t i = 0; i < n_item; i++)
            pk.covered[i] = is_covered(&pk, &item[i]);
        place_all(&pk);
        improve(&pk);
        place_covered(&pk);
        number_groups(&pk, pk.kept);
    }
    *n_group = ok ? pk.n_group : 0;
    packer_free(&pk);
    return ok ? 0 : -ENOMEM;
}

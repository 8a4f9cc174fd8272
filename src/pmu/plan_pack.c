#include "pmu/plan_pack.h"

#include "pmu/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t NOWHERE = UINT32_MAX;
enum { NO_ROOM = -1 };

struct packer {
    const struct fit *fit;
    struct pack_item *item;
    uint32_t n_item;
    struct event_set *group; /* [n_item] of its items; n_group of them in use */
    struct event_set *kept;  /* [n_item] groups before an attempt */
    uint32_t *kept_in;       /* [n_item] where the items were then */
    uint32_t n_group;
    bool *covered;  /* [n_item] another item has all its events */
    int8_t *adding; /* [n_item][n_item] events that an item would add to a group, or NO_ROOM */
    int room;       /* fit_room: saves most of the matching */
};

static uint32_t count_shared(const struct event_set *a, const struct event_set *b) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->n; i++)
        n += set_has(b, a->at[i]);
    return n;
}

static int events_added(const struct packer *pk, uint32_t item, uint32_t group) {
    const struct event_set *set = &pk->item[item].events, *to = &pk->group[group];
    int n = (int)(set->n - count_shared(set, to));
    if (n == 0)
        return 0;
    return (int)to->n + n <= pk->room && fit_together(pk->fit, to, set) ? n : NO_ROOM;
}

/* ---- which items matter ---- */

/* Of two with the same events the first stays. */
static bool covers(const struct pack_item *a, const struct pack_item *b, bool a_first) {
    if (a->branch > b->branch || a->events.n < b->events.n)
        return false;
    return (a->events.n > b->events.n || a_first) && set_has_all(&a->events, &b->events);
}

static void find_covered(struct packer *pk) {
    for (uint32_t i = 0; i < pk->n_item; i++)
        for (uint32_t k = 0; k < pk->n_item && !pk->covered[i]; k++)
            pk->covered[i] = k != i && covers(&pk->item[k], &pk->item[i], k < i);
}

static bool is_placed(const struct packer *pk, uint32_t item) {
    return pk->covered[item] || pk->item[item].group != NOWHERE;
}

/* ---- placing ---- */

static void put(struct packer *pk, uint32_t item, uint32_t group) {
    pk->item[item].group = group;
    set_add_all(&pk->group[group], &pk->item[item].events);
    for (uint32_t i = 0; i < pk->n_item; i++)
        if (!is_placed(pk, i))
            pk->adding[i * pk->n_item + group] = (int8_t)events_added(pk, i, group);
}

/* What shares much, big ones early, in the emptier group: of 8 such sums the one that gave the
 * fewest groups over all built-in models (1367 to 1381 of them: it matters little). */
static int worth(const struct packer *pk, uint32_t item, uint32_t group, int adds) {
    int events = (int)pk->item[item].events.n, shares = events - adds;
    return adds == 0 ? INT32_MAX : 30 * shares + 20 * events - (int)pk->group[group].n;
}

struct choice {
    uint32_t item, group;
    int worth;
};

static void choose_group(const struct packer *pk, uint32_t item, struct choice *best) {
    for (uint32_t g = 0; g < pk->n_group; g++) {
        int adds = pk->adding[item * pk->n_item + g];
        int w = adds == NO_ROOM ? INT32_MIN : worth(pk, item, g, adds);
        if (w > best->worth)
            *best = (struct choice){item, g, w};
    }
}

/* The next one of items first to end (excluded); the group is a new one if none has room. */
static bool choose(const struct packer *pk, uint32_t first, uint32_t end, struct choice *best) {
    uint32_t biggest = NOWHERE;
    *best = (struct choice){.worth = INT32_MIN};
    for (uint32_t i = first; i < end; i++) {
        if (is_placed(pk, i))
            continue;
        if (biggest == NOWHERE || pk->item[i].events.n > pk->item[biggest].events.n)
            biggest = i;
        choose_group(pk, i, best);
    }
    if (best->worth == INT32_MIN)
        *best = (struct choice){.item = biggest, .group = pk->n_group};
    return biggest != NOWHERE;
}

static void place_branch(struct packer *pk, uint32_t first, uint32_t end) {
    struct choice c;
    while (choose(pk, first, end, &c)) {
        pk->n_group += c.group == pk->n_group;
        put(pk, c.item, c.group);
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
    pk->group[group].n = 0;
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
        bool other = g != from && may_stand_in(pk, item, g);
        int adds = other ? events_added(pk, item, g) : NO_ROOM;
        if (adds == NO_ROOM)
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
static bool move_out(struct packer *pk, uint32_t from) {
    for (uint32_t size = pk->group[from].n; size > 0; size--)
        for (uint32_t i = 0; i < pk->n_item; i++) {
            if (pk->item[i].group != from || pk->item[i].events.n != size)
                continue;
            uint32_t to = find_refuge(pk, i, from);
            if (to == NOWHERE)
                return false;
            pk->item[i].group = to;
            set_add_all(&pk->group[to], &pk->item[i].events);
        }
    return true;
}

static bool give_up(struct packer *pk, uint32_t group) {
    memcpy(pk->kept, pk->group, pk->n_group * sizeof(*pk->kept));
    for (uint32_t i = 0; i < pk->n_item; i++)
        pk->kept_in[i] = pk->item[i].group;
    if (!move_out(pk, group)) {
        memcpy(pk->group, pk->kept, pk->n_group * sizeof(*pk->kept));
        for (uint32_t i = 0; i < pk->n_item; i++)
            pk->item[i].group = pk->kept_in[i];
        return false;
    }
    uint32_t last = --pk->n_group;
    pk->group[group] = pk->group[last];
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
    pk->kept = calloc(n, sizeof(*pk->kept));
    pk->kept_in = calloc(n, sizeof(*pk->kept_in));
    pk->covered = calloc(n, sizeof(*pk->covered));
    pk->adding = calloc(n, n * sizeof(*pk->adding));
    return pk->group && pk->kept && pk->kept_in && pk->covered && pk->adding;
}

static void packer_free(struct packer *pk) {
    free(pk->group);
    free(pk->kept);
    free(pk->kept_in);
    free(pk->covered);
    free(pk->adding);
}

int pack_items(const struct fit *fit, struct pack_item *item, uint32_t n_item, uint32_t *n_group) {
    struct packer pk = {.fit = fit, .item = item, .n_item = n_item, .room = fit_room(fit)};
    bool ok = packer_alloc(&pk);
    for (uint32_t i = 0; i < n_item; i++)
        item[i].group = NOWHERE;
    if (ok) {
        find_covered(&pk);
        place_all(&pk);
        improve(&pk);
        place_covered(&pk);
        number_groups(&pk, pk.kept_in);
    }
    *n_group = ok ? pk.n_group : 0;
    packer_free(&pk);
    return ok ? 0 : -ENOMEM;
}

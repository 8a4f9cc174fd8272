#include "ui/popup/snapshot_when.h"

#include "base/str.h"
#include "model/load/model_text.h"
#include "ui/popup/snapshot.h"
#include "ui/screen/screen.h"

#include <math.h>
#include <stdio.h>

/* The sessions of all core types. */
static struct sessions sessions_of(struct screen *sc) {
    struct screen *all[SESSIONS_MAX];
    struct sessions of = {.n = types_all(sc, all)};
    for (int i = 0; i < of.n; i++)
        of.at[i] = all[i]->scene.s;
    return of;
}

void snapshot_when_set(struct screen *sc, const char *rule) {
    const struct sessions all = sessions_of(sc);
    struct err err = {0};
    struct flight fl = {0};
    if (!sc->snapshot || !sc->scene.connected || sc->opened)
        return;
    if (!rule[0]) {
        sc->snapshot->flight.n_rule = 0;
        screen_say(sc, "no rule is watched any more");
        return;
    }
    const struct run *base = sc->scene.base.on ? &sc->scene.base.run : NULL;
    if (flight_add(&fl, rule, &all, base, &err) < 0) {
        screen_say(sc, "%s", err.text);
        return;
    }
    snapshot_when_end(sc);
    sc->snapshot->flight = fl;
    screen_say(sc, "%s: the minute before and the one behind it will be stored",
               sc->snapshot->flight.rule[0].text);
}

/* The rule there is; else the selected node at its threshold. */
static void offer(const struct screen *sc, char *text, size_t cap) {
    const struct flight *fl = &sc->snapshot->flight;
    const struct model *m = scene_model(&sc->scene);
    const int at = scene_selected(&sc->scene);
    const double limit = at == METRIC_NONE ? NAN : model_threshold(m, at);
    text[0] = '\0';
    if (fl->n_rule)
        str_copy(text, cap, fl->rule[0].text);
    else if (!isnan(limit) && m->metric[at].share)
        snprintf(text, cap, "%s > %.0f%% for 2s", m->metric[at].name, limit * 100);
}

void snapshot_when_ask(struct screen *sc) {
    char text[RULE_TEXT];
    if (!sc->scene.connected || !sc->snapshot || sc->opened)
        return;
    offer(sc, text, sizeof(text));
    ask_begin(sc, "store what is around:", text, snapshot_when_set);
}

/* ---- interval after interval ---- */

static void fired(void *user, const struct flight_kept *k) {
    struct screen *sc = user;
    if (k->id[0])
        screen_say(sc, "%s: stored in %.0f s as run %.8s", k->found,
                   (double)(k->t1_ns - k->t_ns) / 1e9, k->id);
    else
        screen_say(sc, "%s: not stored: too many are waited for", k->found);
}

static void store(struct screen *sc, const struct sessions *all, const struct flight_kept *k) {
    struct session_draft draft[SESSIONS_MAX];
    struct snapshots *sn = sc->snapshot;
    struct err err = {0};
    int n = 0, rc = 0;
    for (int i = 0; i < all->n; i++) {
        rc = flight_draft(k, all->at[i], n == 0, &draft[n], &err);
        n += rc == 0;
    }
    rc = n ? saver_add(&sn->saver, draft, n, sn->db, "", &err) : rc;
    if (rc < 0)
        screen_say(sc, "%s: %s", k->rule_text, err.text);
}

void snapshot_when_sample(struct screen *sc) {
    const struct sessions all = sessions_of(sc);
    struct flight_kept k;
    if (!sc->snapshot || sc->opened)
        return;
    flight_take(&sc->snapshot->flight, &all, sc->scene.type, fired, sc);
    while (flight_due(&sc->snapshot->flight, &all, false, &k))
        store(sc, &all, &k);
}

void snapshot_when_end(struct screen *sc) {
    const struct sessions all = sessions_of(sc);
    struct flight_kept k;
    while (sc->snapshot && flight_due(&sc->snapshot->flight, &all, true, &k))
        store(sc, &all, &k);
}

#include "ui/diff.h"

#include "base/str.h"
#include "ui/screen.h"

#include <string.h>

void diff_destroy(struct diff *d) {
    compare_free(&d->c);
    run_free(&d->a);
    run_free(&d->b);
    *d = (struct diff){0};
}

bool diff_open(struct screen *sc) {
    if (!sc->base.on) {
        screen_say(sc,
                   "nothing to compare with: {baseline} pins what is shown now as the baseline");
        return false;
    }
    diff_destroy(&sc->diff);
    screen_view(sc, VIEW_DIFF);
    return true;
}

int diff_open_runs(struct screen *sc, struct run *a, struct run *b, struct err *err) {
    struct diff next = {.stored = true, .a = *a, .b = *b};
    *a = *b = (struct run){0};
    struct compare_options opt = compare_defaults();
    struct compare_side side[2] = {compare_side_of(&next.a), compare_side_of(&next.b)};
    int rc = compare_sides(&side[0], &side[1], &opt, &next.c, err);
    if (rc < 0) {
        diff_destroy(&next);
        return rc;
    }
    diff_destroy(&sc->diff);
    sc->diff = next;
    screen_view(sc, VIEW_DIFF);
    return 0;
}

const struct comparison *diff_shown(const struct screen *sc) {
    return sc->diff.stored ? &sc->diff.c : &sc->base.c;
}

/* compare_sides puts them between what there is too little data for, and noise. */
const struct compare_row *diff_row(const struct comparison *c, int row) {
    const int *n = c->n_verdict;
    int alone = n[VERDICT_ONLY_A] + n[VERDICT_ONLY_B];
    int first = (int)c->n_row - n[VERDICT_NOISE] - alone, noise_end = (int)c->n_row - alone;
    if (row >= first)
        row = row < noise_end ? row + alone : row - noise_end + first;
    return &c->row[row];
}

/* Rows change places as verdicts do: the selection stays with its metric. */
static const struct run_node *node_at(const struct comparison *c, int row) {
    const struct compare_row *r = diff_row(c, row);
    return r->b ? r->b : r->a;
}

int diff_selected(const struct screen *sc) {
    const struct comparison *c = diff_shown(sc);
    for (size_t i = 0; sc->diff.selected[0] && i < c->n_row; i++)
        if (strcmp(node_at(c, (int)i)->path, sc->diff.selected) == 0)
            return (int)i;
    return c->n_row ? 0 : -1;
}

static void select_row(struct screen *sc, int row) {
    const struct comparison *c = diff_shown(sc);
    if (c->n_row == 0)
        return;
    int last = (int)c->n_row - 1;
    row = row < 0 ? 0 : row > last ? last : row;
    str_copy(sc->diff.selected, sizeof(sc->diff.selected), node_at(c, row)->path);
}

void diff_move(struct screen *sc, int rows) {
    select_row(sc, diff_selected(sc) + rows);
}

void diff_first(struct screen *sc) {
    select_row(sc, 0);
}

void diff_last(struct screen *sc) {
    select_row(sc, (int)diff_shown(sc)->n_row - 1);
}

void diff_enter(struct screen *sc) {
    const struct comparison *c = diff_shown(sc);
    int row = diff_selected(sc);
    if (row < 0)
        return;
    const struct run_node *n = node_at(c, row);
    for (int i = 0; i < (int)screen_model(sc)->n_metric; i++)
        if (strcmp(screen_model(sc)->metric[i].path, n->path) == 0) {
            screen_view(sc, VIEW_TREE);
            sc->touched = true;
            outline_go(&sc->tree, i);
            return;
        }
    if (!sc->connected)
        screen_say(sc, "%s: there is no tree to go to here; {back}, then {runs-open} opens a run",
                   n->name);
    else
        screen_say(sc, "model %s has no %s", screen_model(sc)->name, n->name);
}

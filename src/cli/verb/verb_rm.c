/* `tdtop rm RUN...`: removes runs, by their ids or by a filter. A removed run is only marked, and
 * --undo brings it back, until `tdtop db prune`. */
#include "base/str.h"
#include "base/when.h"
#include "cli/file/json_out.h"
#include "cli/file/run_json.h"
#include "cli/out/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct removal {
    const struct args *a;
    struct run_pick pick;
    char (*id)[RUN_ID_LEN + 1];
    size_t n;
};

/* ---- which ---- */

/* All are found before the first goes; one that is named twice goes once. */
static int find_words(struct removal *r, struct err *err) {
    r->id = calloc((size_t)r->a->n_word + 1, sizeof(*r->id));
    if (!r->id)
        return err_set(err, -ENOMEM, "rm: out of memory; close other programs");
    for (int i = 0; i < r->a->n_word; i++) {
        const int rc = r->a->undo
                           ? run_pick_find_removed(&r->pick, r->a->words[i], r->id[r->n], err)
                           : run_pick_find(&r->pick, r->a->words[i], r->id[r->n], err);
        if (rc < 0)
            return rc;
        size_t k = 0;
        while (strcmp(r->id[k], r->id[r->n]) != 0)
            k++;
        r->n += k == r->n;
    }
    return 0;
}

static int find_matches(struct removal *r, struct err *err) {
    static const char *no_keys[] = {NULL};
    struct run_list list = {0};
    r->pick.query.keys = no_keys;
    r->pick.query.without_top = true;
    r->pick.query.removed = r->a->undo;
    int rc = store_list(&r->pick.store, &r->pick.query, &list, err);
    r->id = rc == 0 ? calloc(list.n + 1, sizeof(*r->id)) : NULL;
    if (rc == 0 && !r->id)
        rc = err_set(err, -ENOMEM, "rm: out of memory; close other programs");
    for (; rc == 0 && r->n < list.n; r->n++)
        str_copy(r->id[r->n], sizeof(r->id[0]), list.row[r->n].id);
    run_list_free(&list);
    return rc;
}

static int print_json(const struct removal *r) {
    json_t *o = json_object(), *ids = json_array();
    for (size_t i = 0; i < r->n; i++)
        json_array_append_new(ids, json_string(r->id[i]));
    json_object_set_new(o, r->a->undo ? "restored" : "removed", ids);
    json_object_set_new(o, "dry_run", json_boolean(r->a->dry_run));
    return json_print(o, JSON_COMPACT);
}

static int none_matches(const struct removal *r, struct err *err) {
    if (r->a->json)
        print_json(r);
    return err_set(err, -ENOENT, "%s: no %srun matches; tdtop list%s shows which there are",
                   r->pick.store.path, r->a->undo ? "removed " : "",
                   r->a->undo ? " --removed" : "");
}

/* ---- ask, do, say ---- */

/* A filter may match more than was thought of. */
static bool may(const struct removal *r) {
    if (!run_pick_has_conditions(r->a) || r->a->yes || r->n == 0)
        return true;
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
        cli_note("rm: %zu run%s match%s; --dry-run shows %s, --yes %s", r->n, r->n == 1 ? "" : "s",
                 r->n == 1 ? "es" : "", r->n == 1 ? "it" : "them",
                 r->a->undo ? "brings them back" : "removes them");
        return false;
    }
    fprintf(stderr, "tdtop: %s %zu run%s? [y/N] ", r->a->undo ? "bring back" : "remove", r->n,
            r->n == 1 ? "" : "s");
    const int c = getchar();
    return c == 'y' || c == 'Y';
}

/* All of them, or none. */
static int change_all(struct removal *r, struct err *err) {
    int rc = store_batch_begin(&r->pick.store, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < r->n && rc == 0; i++)
        rc = (r->a->undo ? store_undelete : store_delete)(&r->pick.store, r->id[i], err);
    return store_batch_end(&r->pick.store, rc, err);
}

static int print_text(const struct removal *r) {
    for (size_t i = 0; i < r->n; i++)
        puts(r->id[i]);
    fflush(stdout);
    cli_note("%zu run%s %s%s%s", r->n, r->n == 1 ? "" : "s", r->a->dry_run ? "would be " : "",
             r->a->undo ? "brought back" : "removed",
             r->a->undo || r->a->dry_run || r->n == 0
                 ? ""
                 : "; tdtop rm --undo RUN brings one back, until tdtop db prune");
    return EXIT_OK;
}

static int check(const struct args *a, struct err *err) {
    if (a->n_word == 0 && !run_pick_has_conditions(a))
        return err_set(err, -EINVAL,
                       a->undo
                           ? "rm --undo needs RUN: the first digits of its id, or @0 for the one "
                             "removed last; or --filter EXPR; tdtop list --removed shows which"
                           : "rm needs RUN: the first digits of its id; or --filter EXPR");
    if (run_pick_has_conditions(a) && a->n_word)
        return err_set(err, -EINVAL, "rm: %s and a filter exclude each other; give one of them",
                       a->words[0]);
    return 0;
}

int verb_rm(const struct args *a) {
    struct removal r = {.a = a};
    struct err err = {0};
    int rc = check(a, &err);
    if (rc == 0)
        rc = run_pick_open(&r.pick, a, STORE_CHANGE, &err);
    if (rc == 0)
        rc = (run_pick_has_conditions(a) ? find_matches : find_words)(&r, &err);
    if (rc == 0 && r.n == 0)
        rc = none_matches(&r, &err);
    const bool go = rc == 0 && (a->dry_run || may(&r));
    if (go && !a->dry_run)
        rc = change_all(&r, &err);
    int code = EXIT_ERROR;
    if (rc < 0)
        code = run_pick_exit(&err);
    else if (go)
        code = (a->json ? print_json : print_text)(&r);
    free(r.id);
    run_pick_close(&r.pick);
    return cli_finish(code);
}

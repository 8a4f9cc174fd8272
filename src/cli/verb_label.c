/* `tdtop label RUN KEY=VALUE... KEY-...`: sets labels, takes them off; without any it shows them.
 */
#include "base/str.h"
#include "cli/run_json.h"
#include "cli/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct change {
    char *key;
    const char *value; /* NULL: the label goes */
};

/* "key=value", or "key-". */
static int parse(const char *word, struct change *c, struct err *err) {
    const size_t n = strlen(word);
    *c = (struct change){0};
    if (strchr(word, '=')) {
        const int rc = run_label_split(word, &c->key, &c->value, err);
        return rc < 0 ? rc : run_label_check(c->key, c->value, err);
    }
    if (n < 2 || word[n - 1] != '-')
        return err_set(err, -EINVAL, "label '%s': neither KEY=VALUE nor KEY-", word);
    c->key = strndup(word, n - 1);
    if (!c->key)
        return err_set(err, -ENOMEM, "label: out of memory; close other programs");
    return run_label_check(c->key, "", err);
}

static int change_all(struct run_pick *p, const struct args *a, const char *id, bool dry,
                      struct err *err) {
    int rc = 0;
    for (int i = 1; i < a->n_word && rc == 0; i++) {
        struct change c;
        rc = parse(a->words[i], &c, err);
        if (rc == 0 && !dry)
            rc = store_label(&p->store, id, c.key, c.value, err);
        free(c.key);
    }
    if (rc == 0 && a->note && !dry)
        rc = store_note(&p->store, id, a->note, err);
    return rc;
}

static int print_text(const struct run *r) {
    static const struct table_column columns[] = {
        {"label", false, 0}, {"value", false, 16}, {"", false, 0}};
    struct table t;
    table_init(&t, columns, 3);
    for (size_t i = 0; i < r->label.n; i++) {
        table_add(&t, r->label.at[i].key);
        table_add(&t, r->label.at[i].value);
        table_add(&t, r->label.at[i].automatic ? "automatic" : "");
    }
    if (r->note[0]) {
        table_add(&t, "(note)");
        table_add(&t, r->note);
        table_add(&t, "");
    }
    const int rc = table_rows(&t) ? table_print(&t, stdout) : 0;
    table_free(&t);
    return rc < 0 ? EXIT_ERROR : EXIT_OK;
}

static int print_json(const struct run *r) {
    json_t *o = json_object();
    json_object_set_new(o, "run_id", run_json_text(r->id));
    json_object_set_new(o, "labels", run_json_labels(r->label.at, r->label.n));
    json_object_set_new(o, "note", run_json_text(r->note));
    return run_json_print(o, JSON_COMPACT);
}

int verb_label(const struct args *a) {
    struct run_pick p;
    struct run r = {0};
    struct err err = {0};
    char id[RUN_ID_LEN + 1] = "";
    const bool changes = a->n_word > 1 || a->note;
    /* Slips of the pen before anything is changed. */
    int rc = change_all(NULL, a, "", true, &err);
    if (rc < 0)
        return run_pick_exit(&err);
    rc = run_pick_open(&p, a, changes ? STORE_WRITE : STORE_READ, &err);
    if (rc == 0)
        rc = run_pick_find(&p, a->words[0], id, &err);
    if (rc == 0)
        rc = change_all(&p, a, id, false, &err);
    if (rc == 0)
        rc = store_load(&p.store, id, RUN_HEAD, &r, &err);
    int code = EXIT_OK;
    if (rc < 0)
        code = run_pick_exit(&err);
    else if (a->json)
        code = print_json(&r);
    else if (!changes || a->verbose)
        code = print_text(&r);
    run_free(&r);
    run_pick_close(&p);
    return run_pick_finish(code);
}

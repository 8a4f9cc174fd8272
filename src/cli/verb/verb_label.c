/* `tdtop label RUN KEY=VALUE... KEY-...`: sets labels, takes them off; without any it shows them.
 */
#include "base/str.h"
#include "cli/file/json_out.h"
#include "cli/file/run_json.h"
#include "cli/out/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "key=value", or "key-". The key is the caller's to free. */
static int parse(const char *word, char **key, struct label_change *c, struct err *err) {
    char safe[80];
    const size_t n = strlen(word);
    int rc = 0;
    *key = NULL;
    *c = (struct label_change){0};
    if (strchr(word, '='))
        rc = run_label_split(word, key, &c->value, err);
    else if (n < 2 || word[n - 1] != '-')
        return err_set(err, -EINVAL, "label '%s': neither KEY=VALUE nor KEY-",
                       str_safe(safe, sizeof(safe), word));
    else if (!(*key = strndup(word, n - 1)))
        return err_set(err, -ENOMEM, "label: out of memory; close other programs");
    c->key = *key;
    return rc < 0 ? rc : run_label_check(c->key, c->value ? c->value : "", err);
}

struct changes {
    char *key[TEXTS_MAX * 4]; /* owned */
    struct label_change at[TEXTS_MAX * 4];
    size_t n;
};

/* Slips of the pen are found before anything is changed, and all is changed at once. */
static int parse_all(const struct args *a, struct changes *out, struct err *err) {
    int rc = 0;
    for (int i = 1; i < a->n_word && rc == 0; i++) {
        if (out->n == sizeof(out->at) / sizeof(out->at[0]))
            return err_set(err, -EINVAL, "label: more than %zu changes at once", out->n);
        rc = parse(a->words[i], &out->key[out->n], &out->at[out->n], err);
        out->n++;
    }
    return rc == 0 && a->note ? run_note_check(a->note, err) : rc;
}

static void forget(struct changes *c) {
    for (size_t i = 0; i < c->n; i++)
        free(c->key[i]);
    c->n = 0;
}

/* What would be back if the label were taken off. */
static const char *covered_text(const struct run_label *l, char *text, size_t cap) {
    struct strbuf sb = strbuf_on(text, cap);
    if (l->covered)
        strbuf_add(&sb, "over the automatic %s", l->covered);
    return text;
}

static int print_text(const struct run *r) {
    char text[128] = "";
    static const struct table_column columns[] = {
        {"label", false, 0}, {"value", false, 16}, {"", false, 0}};
    struct table t;
    table_init(&t, columns, 3);
    for (size_t i = 0; i < r->label.n; i++) {
        table_add(&t, r->label.at[i].key);
        table_add(&t, r->label.at[i].value);
        table_addf(&t, "%s%s", r->label.at[i].automatic ? "automatic" : "",
                   covered_text(&r->label.at[i], text, sizeof(text)));
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
    return json_print(o, JSON_COMPACT);
}

int verb_label(const struct args *a) {
    struct run_pick p = {0};
    struct run r = {0};
    struct err err = {0};
    char id[RUN_ID_LEN + 1] = "";
    const bool changes = a->n_word > 1 || a->note;
    struct changes c = {.n = 0};
    int rc = parse_all(a, &c, &err);
    if (rc == 0)
        rc = run_pick_open(&p, a, changes ? STORE_CHANGE : STORE_READ, &err);
    if (rc == 0)
        rc = run_pick_find(&p, a->words[0], id, &err);
    if (rc == 0 && changes)
        rc = store_edit(&p.store, id, c.at, c.n, a->note, &err);
    if (rc == 0)
        rc = store_load(&p.store, id, RUN_HEAD, &r, &err);
    int code = EXIT_OK;
    if (rc < 0)
        code = run_pick_exit(&err);
    else if (a->json)
        code = print_json(&r);
    else if (!changes || a->verbose)
        code = print_text(&r);
    forget(&c);
    run_free(&r);
    run_pick_close(&p);
    return cli_finish(code);
}

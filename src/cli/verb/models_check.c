#include "base/str.h"
#include "base/toml.h"
#include "cli/verb/models.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void print_problem(void *user, const char *text) {
    (void)user;
    char safe[1024];
    puts(str_safe(safe, sizeof(safe), text));
}

static void add_problem(void *user, const char *text) {
    json_array_append_new(user, json_string(text));
}

/* What a sound file of metrics adds, and to what. */
static void metrics_words(const char *path, struct strbuf *sb) {
    struct toml_doc doc = {0};
    struct err err = {0};
    unsigned n = 0;
    if (toml_parse_file(&doc, path, &err) < 0)
        return;
    const struct toml *metrics = toml_get(doc.root, "metric"), *models = toml_get(doc.root, "for");
    for (const struct toml *v = metrics && metrics->type == TOML_TABLE ? metrics->first : NULL; v;
         v = v->next)
        n++;
    strbuf_add(sb, "%u metric%s for ", n, n == 1 ? "" : "s");
    if (!models || models->type != TOML_ARRAY)
        strbuf_add(sb, "every model");
    else
        for (const struct toml *p = models->first; p; p = p->next)
            strbuf_add(sb, "%s%s", p == models->first ? "" : ", ",
                       p->type == TOML_STRING ? p->string : "?");
    toml_free(&doc);
}

/* What a sound file holds. */
static void ok_words(const char *path, char *buf, size_t cap) {
    struct model m = {0};
    struct err err = {0};
    struct strbuf sb = strbuf_on(buf, cap);
    if (model_load_file(&m, path, &err) == 0)
        strbuf_add(&sb, "model %s: %u nodes, %u metrics, %u events", m.name, m.n_tree,
                   m.n_metric - m.n_tree, m.n_event);
    else
        metrics_words(path, &sb);
    model_free(&m);
}

static void print_words(const char *path, int n) {
    char words[512];
    if (n > 0) {
        printf("%s: %d problem%s\n", path, n, n == 1 ? "" : "s");
        return;
    }
    ok_words(path, words, sizeof(words));
    printf("%s: ok (%s)\n", path, words);
}

int models_check(const struct args *a) {
    struct err err = {0};
    json_t *problems = a->json ? json_array() : NULL;
    int n = model_check(a->check, problems ? add_problem : print_problem, problems, &err);
    if (n < 0) {
        json_decref(problems);
        cli_error(&err);
        return EXIT_ERROR;
    }
    if (problems)
        models_print_json(json_pack("{sssiso}", "file", a->check, "n", n, "problems", problems));
    else
        print_words(a->check, n);
    return n ? EXIT_ERROR : EXIT_OK;
}

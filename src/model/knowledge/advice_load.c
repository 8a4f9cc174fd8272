/*
 * Sources of advice as files. A file of src/model/advice:
 *
 *   name = "perf-topdown"     the name of the file
 *   title, origin             for people; where the facts are from
 *   rule = "tree" or "table"  see advice.h
 *   vendor = "Arm"            it is for these cores only; may be left out
 *   [words]                   rule "tree": what nodes are called in a sentence
 *   [row.ID]                  in the order in which they are tried; struct advice_row has the keys
 *
 * A limit is "> 5%", ">= 3.0", "< 0.3" ..., or "model": the threshold that the model has.
 */
#include "base/str.h"
#include "model/knowledge/advice_impl.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum field_type { FIELD_TEXT, FIELD_LIST, FIELD_LIMIT, FIELD_RANK, FIELD_COMMAND };

static const struct field {
    const char *key;
    enum field_type type;
    size_t at;     /* in struct advice_row */
    bool required; /* where the rule is "table" */
} fields[] = {
    {"section", FIELD_TEXT, offsetof(struct advice_row, section), true},
    {"label", FIELD_TEXT, offsetof(struct advice_row, label), true},
    {"metric", FIELD_LIST, offsetof(struct advice_row, metric), true},
    {"ok", FIELD_LIMIT, offsetof(struct advice_row, ok), false},
    {"bad", FIELD_LIMIT, offsetof(struct advice_row, bad), false},
    {"good", FIELD_LIMIT, offsetof(struct advice_row, good), false},
    {"also", FIELD_LIST, offsetof(struct advice_row, also), false},
    {"rank", FIELD_RANK, offsetof(struct advice_row, rank), true},
    {"says", FIELD_TEXT, offsetof(struct advice_row, says), true},
    {"fine", FIELD_TEXT, offsetof(struct advice_row, fine), false},
    {"next", FIELD_TEXT, offsetof(struct advice_row, next), true},
    {"node", FIELD_LIST, offsetof(struct advice_row, node), false},
    {"group", FIELD_LIST, offsetof(struct advice_row, group), false},
    {"event", FIELD_LIST, offsetof(struct advice_row, event), false},
    {"beside", FIELD_LIST, offsetof(struct advice_row, beside), false},
    {"command", FIELD_COMMAND, offsetof(struct advice_row, command), false},
};
enum { N_FIELDS = sizeof(fields) / sizeof(fields[0]) };

static const char *const vendors[ADVICE_VENDORS] = {"any", "Intel", "AMD", "Arm"};

static int take_list(const struct toml_doc *doc, const struct toml *value, const char ***out,
                     struct err *err) {
    if (value->type == TOML_ARRAY && value->n == 0)
        return toml_err(doc, value, err, -EINVAL,
                        "found nothing for '%s'; expected array of strings", value->key);
    return toml_strings(doc, value, out, err);
}

bool advice_limit_parse(const char *s, struct advice_limit *out) {
    char *end;
    *out = (struct advice_limit){.op = s[0], .text = s};
    if (!strcmp(s, "model"))
        return true;
    if (s[0] != '<' && s[0] != '>')
        return false;
    out->equal = s[1] == '=';
    s += out->equal ? 2 : 1;
    s += strspn(s, " ");
    out->text = s;
    out->value = strtod(s, &end);
    out->percent = !strcmp(end, "%");
    if (out->percent)
        out->value /= 100;
    return end != s && (out->percent || !*end);
}

static int take_limit(const struct toml_doc *doc, const struct toml *value,
                      struct advice_limit *out, struct err *err) {
    if (value->type == TOML_STRING && advice_limit_parse(value->string, out))
        return 0;
    return toml_err(doc, value, err, -EINVAL,
                    "found no limit for '%s'; expected \"> 5%%\" or \"model\"", value->key);
}

static int take_command(const struct toml_doc *doc, const struct toml *value, const char **out,
                        struct err *err) {
    if (value->type == TOML_STRING) {
        out[ADVICE_ANY] = value->string;
        return 0;
    }
    if (value->type != TOML_TABLE)
        return toml_err(doc, value, err, -EINVAL,
                        "found %s for 'command'; expected string or table",
                        toml_type_name(value->type));
    for (const struct toml *t = value->first; t; t = t->next) {
        int i = 0;
        while (i < ADVICE_VENDORS && strcmp(vendors[i], t->key) != 0)
            i++;
        if (i == ADVICE_VENDORS || t->type != TOML_STRING)
            return toml_err(doc, t, err, -EINVAL,
                            "found '%s'; expected a string for any, Intel, AMD or Arm", t->key);
        out[i] = t->string;
    }
    return 0;
}

static int take_field(const struct toml_doc *doc, const struct toml *table, const struct field *f,
                      struct advice_row *row, struct err *err) {
    const struct toml *value = toml_get(table, f->key);
    void *to = (char *)row + f->at;
    int64_t rank = 0;
    if (!value)
        return 0;
    switch (f->type) {
    case FIELD_TEXT:
        return toml_take_string(doc, table, f->key, to, err);
    case FIELD_LIST:
        return take_list(doc, value, to, err);
    case FIELD_LIMIT:
        return take_limit(doc, value, to, err);
    case FIELD_COMMAND:
        return take_command(doc, value, to, err);
    case FIELD_RANK:
        break;
    }
    const int rc = toml_take_int(doc, table, f->key, 1, 9, &rank, err);
    *(int *)to = (int)rank;
    return rc;
}

/* "A|B < 10%": names, a sign, a limit; what advice_table.c reads. */
static bool is_condition(const char *s) {
    struct advice_limit limit;
    const size_t names = strcspn(s, "<>");
    return strspn(s, "| ") < names && s[names] && advice_limit_parse(s + names, &limit);
}

static int check_conditions(const struct toml_doc *doc, const struct toml *table, struct err *err) {
    const struct toml *also = toml_get(table, "also");
    for (const struct toml *t = also ? also->first : NULL; t; t = t->next)
        if (!is_condition(t->string))
            return toml_err(doc, t, err, -EINVAL,
                            "found no condition in 'also'; expected \"Name < 10%%\"");
    return 0;
}

/* A limit of the model's is one metric's, and tells bad from all else. */
static int check_own_limits(const struct toml_doc *doc, const struct toml *table,
                            const struct advice_row *row, struct err *err) {
    bool product = false;
    for (const char **m = row->metric; m && *m; m++)
        product = product || strchr(*m, ' ');
    const char *key = row->ok.op == 'm'               ? "ok"
                      : row->good.op == 'm'           ? "good"
                      : row->bad.op == 'm' && product ? "bad"
                                                      : NULL;
    if (!key)
        return 0;
    return toml_err(doc, toml_get(table, key), err, -EINVAL,
                    "found 'model' for '%s'; expected a number%s", key,
                    product ? ": a product of metrics has no threshold in the model" : "");
}

static int check_whole(const struct advice *a, const struct toml *table,
                       const struct advice_row *row, struct err *err) {
    for (int i = 0; i < N_FIELDS && !a->tree; i++)
        if (fields[i].required && !toml_get(table, fields[i].key))
            return toml_err(&a->doc_, table, err, -EINVAL,
                            "found no '%s' in row '%s'; expected one", fields[i].key, table->key);
    if (!a->tree && !row->ok.op && !row->bad.op && !row->good.op)
        return toml_err(&a->doc_, table, err, -EINVAL,
                        "found no limit in row '%s'; expected ok, bad or good", table->key);
    const int rc = check_conditions(&a->doc_, table, err);
    return rc < 0 ? rc : check_own_limits(&a->doc_, table, row, err);
}

static int take_row(struct advice *a, const struct toml *table, struct err *err) {
    struct advice_row *row = &a->row[a->n_row++];
    *row = (struct advice_row){.id = table->key};
    if (table->type != TOML_TABLE)
        return toml_err(&a->doc_, table, err, -EINVAL, "found %s for '%s'; expected table",
                        toml_type_name(table->type), table->key);
    int rc = toml_check_keys(&a->doc_, table, fields, N_FIELDS, sizeof(fields[0]),
                             "a key of a row of advice", err);
    for (int i = 0; rc == 0 && i < N_FIELDS; i++)
        rc = take_field(&a->doc_, table, &fields[i], row, err);
    return rc < 0 ? rc : check_whole(a, table, row, err);
}

static int take_words(struct advice *a, struct err *err) {
    const struct toml *words = toml_get(a->doc_.root, "words");
    if (words && words->type != TOML_TABLE)
        return toml_err(&a->doc_, words, err, -EINVAL, "found %s for 'words'; expected table",
                        toml_type_name(words->type));
    a->words_ = words;
    return words ? toml_check_strings(&a->doc_, words, err) : 0;
}

static int take_rows(struct advice *a, struct err *err) {
    const struct toml *rows = toml_get(a->doc_.root, "row");
    if (!rows)
        return 0;
    if (rows->type != TOML_TABLE)
        return toml_err(&a->doc_, rows, err, -EINVAL,
                        "found %s for 'row'; expected tables [row.ID]", toml_type_name(rows->type));
    a->row = calloc(rows->n + 1, sizeof(*a->row));
    if (!a->row)
        return err_set(err, -ENOMEM, "%s: out of memory; free some", a->doc_.name);
    int rc = 0;
    for (const struct toml *t = rows->first; t && rc == 0; t = t->next)
        rc = take_row(a, t, err);
    return rc;
}

static int take_rule(struct advice *a, struct err *err) {
    const char *rule = "";
    const struct toml *value = toml_get(a->doc_.root, "rule");
    const int rc = toml_take_string(&a->doc_, a->doc_.root, "rule", &rule, err);
    a->tree = !strcmp(rule, "tree");
    if (rc == 0 && !a->tree && strcmp(rule, "table") != 0)
        return toml_err(&a->doc_, value ? value : a->doc_.root, err, -EINVAL,
                        "found rule '%s'; expected \"tree\" or \"table\"", rule);
    return rc;
}

static int take_head(struct advice *a, struct err *err) {
    static const char *const keys[] = {"name", "title", "origin", "vendor", "rule", "words", "row"};
    const char **const at[] = {&a->name, &a->title, &a->origin, &a->vendor};
    int rc = toml_check_keys(&a->doc_, a->doc_.root, keys, sizeof(keys) / sizeof(keys[0]),
                             sizeof(keys[0]), "a key of advice", err);
    for (int i = 0; rc == 0 && i < 4; i++)
        rc = toml_take_string(&a->doc_, a->doc_.root, keys[i], at[i], err);
    if (rc == 0 && (!a->name || !a->title || !a->origin))
        rc = toml_err(&a->doc_, a->doc_.root, err, -EINVAL,
                      "found no name, title or origin; expected all three");
    return rc == 0 ? take_rule(a, err) : rc;
}

int advice_load_text(struct advice *a, const char *text, size_t len, const char *name,
                     struct err *err) {
    *a = (struct advice){0};
    int rc = toml_parse(&a->doc_, text, len, name, err);
    if (rc < 0)
        return rc;
    rc = take_head(a, err);
    if (rc == 0)
        rc = take_words(a, err);
    if (rc == 0)
        rc = take_rows(a, err);
    if (rc < 0)
        advice_free(a);
    return rc;
}

static int not_there(const char *source, struct err *err) {
    char names[256] = "";
    struct strbuf sb = strbuf_on(names, sizeof(names));
    for (const struct embedded *f = embedded_advice; f->name; f++)
        strbuf_add(&sb, "%s%s", f == embedded_advice ? "" : ", ", f->name);
    return err_set(err, -ENOENT, "advice '%s': there is no such source; there are %s", source,
                   names);
}

int advice_load(struct advice *a, const char *source, struct err *err) {
    char name[128];
    struct strbuf sb = strbuf_on(name, sizeof(name));
    *a = (struct advice){0};
    for (const struct embedded *f = embedded_advice; f->name; f++)
        if (str_same_name(f->name, source)) {
            strbuf_add(&sb, "advice/%s.toml", f->name);
            return advice_load_text(a, f->text, f->len, name, err);
        }
    return not_there(source, err);
}

static void free_row(struct advice_row *row) {
    for (int i = 0; i < N_FIELDS; i++)
        if (fields[i].type == FIELD_LIST)
            free(*(const char ***)(void *)((char *)row + fields[i].at));
}

void advice_free(struct advice *a) {
    for (size_t i = 0; i < a->n_row; i++)
        free_row(&a->row[i]);
    free(a->row);
    toml_free(&a->doc_);
    *a = (struct advice){0};
}

/* Reads the keys before the first table: a start asks for the names of all, and uses one. */
static bool source_take(const struct embedded *f, struct advice_source *out) {
    struct advice a;
    const char *table = strstr(f->text, "\n[");
    const size_t len = table ? (size_t)(table + 1 - f->text) : f->len;
    if (advice_load_text(&a, f->text, len, f->name, NULL) < 0)
        return false;
    str_copy(out->name, sizeof(out->name), a.name);
    str_copy(out->title, sizeof(out->title), a.title);
    str_copy(out->origin, sizeof(out->origin), a.origin);
    advice_free(&a);
    return true;
}

int advice_sources(struct advice_source *out, int cap) {
    int n = 0;
    for (int first = 1; first >= 0; first--)
        for (const struct embedded *f = embedded_advice; f->name && n < cap; f++)
            if ((strcmp(f->name, ADVICE_DEFAULT) == 0) == first && source_take(f, &out[n]))
                n++;
    return n;
}

/* --- what a row means on a model --- */

const char *advice_row_event(const struct model *m, const struct advice_row *row) {
    for (const char **e = row->event; e && *e; e++)
        if (model_find_event(m, *e) >= 0)
            return *e;
    return NULL;
}

int advice_row_node(const struct model *m, const struct advice_row *row) {
    for (const char **name = row->node; name && *name; name++) {
        const int node = model_find(m, *name);
        if (node != METRIC_NONE && !m->metric[node].unavailable)
            return node;
    }
    return METRIC_NONE;
}

const char *advice_row_command(const struct model *m, const struct advice_row *row) {
    for (int i = ADVICE_ANY + 1; i < ADVICE_VENDORS; i++)
        if (row->command[i] && !strcmp(m->vendor, vendors[i]))
            return row->command[i];
    return row->command[ADVICE_ANY];
}

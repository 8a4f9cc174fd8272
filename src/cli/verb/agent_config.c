#include "cli/verb/agent_config.h"

#include "base/clock.h"
#include "base/folder.h"
#include "base/str.h"
#include "base/when.h"
#include "base/words.h"
#include "cli/cli_table.h"
#include "cli/verb/collect.h"
#include "db/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char example[] = "a line [[target]], and below it one line each for process = "
                              "\"redis-server\", every = \"5m\" and duration = \"30s\"";

/* ---- from tables to what `tdtop collect` is told ---- */

/* Options of the command line, as keys of the file: without "collect" and dashes. */
static void as_keys(char *text) {
    const char *from = text + (str_starts(text, "collect ") ? strlen("collect ") : 0);
    char before = ' ';
    while (*from) {
        if (strchr(" '(`", before) && str_starts(from, "--") && from[2] >= 'a' && from[2] <= 'z')
            from += 2;
        before = *from;
        *text++ = *from++;
    }
    *text = '\0';
}

static const struct cli_option *option_of(const char *key) {
    /* What has to do with how `tdtop collect` talks, or with who starts it, is no target's. */
    static const char *const others[] = {"json", "help",   "config", "db",
                                         "log",  "repeat", "verbose"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strcmp(key, others[i]) == 0)
            return NULL;
    for (int i = 0; i < cli_n_options; i++)
        if ((cli_options[i].verbs & BIT(VERB_COLLECT)) && strcmp(cli_options[i].name, key) == 0)
            return &cli_options[i];
    return NULL;
}

static int add_value(const struct toml_doc *doc, const char *key, const struct toml *v,
                     struct words *w, struct err *err) {
    switch (v->type) {
    case TOML_STRING:
        return words_add(w, "--%s=%s", key, v->string);
    case TOML_INTEGER:
        return words_add(w, "--%s=%" PRId64, key, v->integer);
    case TOML_FLOAT:
        return words_add(w, "--%s=%.17g", key, v->real);
    case TOML_BOOLEAN:
        return v->boolean ? words_add(w, "--%s", key) : 0;
    default:
        return toml_err(doc, v, err, -EINVAL, "%s: found %s; give a text, a number or true", key,
                        toml_type_name(v->type));
    }
}

static int add_option(const struct toml_doc *doc, const struct toml *v, struct words *w,
                      struct err *err) {
    if (strcmp(v->key, "name") == 0)
        return v->type == TOML_STRING ? 0 : toml_err(doc, v, err, -EINVAL, "name: give a text");
    const struct cli_option *o = option_of(v->key);
    if (!o)
        return toml_err(doc, v, err, -EINVAL,
                        "'%.60s' is nothing that a target has; `tdtop help collect` lists what it "
                        "may have, there with --",
                        v->key);
    if (v->type != TOML_ARRAY)
        return add_value(doc, v->key, v, w, err);
    if (o->type != OPT_LIST && o->type != OPT_IDS)
        return toml_err(doc, v, err, -EINVAL, "%s: give one value, not an array", v->key);
    int rc = 0;
    for (const struct toml *one = v->first; one && rc == 0; one = one->next)
        rc = add_value(doc, v->key, one, w, err);
    return rc;
}

/* Lists of both go together; else a target's own value counts. */
static int add_all(const struct toml_doc *doc, const struct toml *of, const struct toml *own,
                   struct words *w, struct err *err) {
    int rc = 0;
    for (const struct toml *v = of ? of->first : NULL; v && rc == 0; v = v->next) {
        const struct cli_option *o = option_of(v->key);
        if (own && toml_get(own, v->key) && (!o || o->type != OPT_LIST))
            continue;
        rc = add_option(doc, v, w, err);
    }
    return rc;
}

static void name_it(struct agent_target *t, const struct toml *table) {
    const struct toml *name = toml_get(table, "name");
    const struct args *a = &t->args;
    const char *is = name        ? name->string
                     : a->name   ? a->name
                     : a->cgroup ? a->cgroup
                     : a->pids   ? a->pids
                     : a->cpus   ? "CPUs"
                     : a->tids   ? "threads"
                     : a->demo   ? "demo"
                                 : "system";
    str_safe(t->name, sizeof(t->name), is);
    if (!name && (a->cpus || a->tids)) {
        const size_t n = strlen(t->name);
        snprintf(t->name + n, sizeof(t->name) - n, " %s", a->cpus ? a->cpus : a->tids);
    }
}

/* What would be found only when it is measured. */
static int check(const struct args *a, struct err *err) {
    if (!a->pids && !a->name && !a->tids && !a->cgroup && !a->all && !a->cpus && !a->demo)
        return err_set(err, -EINVAL,
                       "no target: give process, pid, tid, cgroup, cpus, or all = true");
    return collect_check(a, true, err);
}

/* Does an error quote it, or one of its values? */
static bool is_quoted(const struct toml *v, const char *text) {
    for (const struct toml *one = v->type == TOML_ARRAY ? v->first : NULL; one; one = one->next)
        if (is_quoted(one, text))
            return true;
    return v->type == TOML_STRING && *v->string && strstr(text, v->string);
}

/* What an error is about: the key that it begins with, here or in [default], rather where it is
 * quoted; else the table. */
static const struct toml *blame(const struct toml_doc *doc, const struct toml *table,
                                const char *text) {
    const struct toml *of[] = {table, toml_get(doc->root, "default")};
    const struct toml *found = NULL;
    char key[32];
    str_copy(key, sizeof(key), text);
    key[strcspn(key, " :=")] = '\0';
    for (int i = 0; i < 2; i++) {
        const struct toml *v =
            of[i] ? toml_get(of[i], strcmp(key, "rule") == 0 ? "when" : key) : NULL;
        if (v && is_quoted(v, text))
            return v;
        found = found ? found : v;
    }
    return found ? found : table;
}

/* Without a time and without rules it is measured all the time, in runs of an hour. */
static int read_target(struct agent_config *c, const struct toml *table, struct agent_target *t,
                       struct err *err) {
    const struct toml_doc *doc = &c->doc_;
    struct err why = {0};
    struct words w = {0};
    int rc = words_add(&w, "tdtop");
    rc = rc ? rc : words_add(&w, "collect");
    if (rc == 0 && c->db)
        rc = words_add(&w, "--db=%s", c->db);
    if (rc == 0)
        rc = add_all(doc, toml_get(doc->root, "default"), table, &w, err);
    if (rc == 0)
        rc = add_all(doc, table, NULL, &w, err);
    t->words = w;
    if (rc == -ENOMEM)
        return err_set(err, rc, "out of memory for the targets");
    if (rc < 0)
        return rc;
    if (cli_parse(&t->args, (int)w.list.n, w.list.at, &why) < 0 || check(&t->args, &why) < 0) {
        as_keys(why.text);
        return toml_err(doc, blame(doc, table, why.text), err, -EINVAL, "%s", why.text);
    }
    name_it(t, table);
    struct args *a = &t->args;
    a->speed = 1; /* the simulated core, too, in real time */
    a->speed_given = true;
    if (a->whens.n == 0 && a->duration_ns == 0 && a->count == 0)
        a->duration_ns = 3600 * NS_PER_S;
    return 0;
}

/* ---- the rest ---- */

/* "2GB", "500 MiB", "1e9": bytes. */
static int read_size(const char *text, uint64_t *bytes) {
    static const struct {
        const char *unit;
        double times;
    } units[] = {{"", 1},
                 {"B", 1},
                 {"kB", 1e3},
                 {"KB", 1e3},
                 {"MB", 1e6},
                 {"GB", 1e9},
                 {"TB", 1e12},
                 {"KiB", 1024.0},
                 {"MiB", 1048576.0},
                 {"GiB", 1073741824.0},
                 {"TiB", 1099511627776.0}};
    char *end;
    const double v = strtod(text, &end);
    end += strspn(end, " ");
    for (size_t i = 0; end > text && i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(end, units[i].unit) == 0 && v * units[i].times >= 1e6 &&
            v * units[i].times < 1e15) {
            *bytes = (uint64_t)(v * units[i].times);
            return 0;
        }
    return -EINVAL;
}

/* Whether it can be listened there, and the folder is one, turns out when the agent starts. */
static int read_publish(struct agent_config *c, struct err *err) {
    const struct toml_doc *doc = &c->doc_;
    const struct toml *insecure = toml_get(doc->root, "insecure_listen");
    struct publish_to *to = &c->publish;
    struct err why = {0};
    int rc = toml_take_string(doc, doc->root, "listen", &to->listen, err);
    if (rc == 0)
        rc = toml_take_string(doc, doc->root, "textfile", &to->textfile, err);
    if (rc == 0 && insecure && insecure->type != TOML_BOOLEAN)
        return toml_err(doc, insecure, err, -EINVAL, "insecure_listen: give true or false");
    to->insecure = insecure && insecure->boolean;
    if (rc == 0 && to->listen && metrics_page_check(to->listen, to->insecure, &why) < 0) {
        as_keys(why.text);
        return toml_err(doc, toml_get(doc->root, "listen"), err, -EINVAL, "%s", why.text);
    }
    return rc;
}

static int read_head(struct agent_config *c, struct err *err) {
    static const char *const known[] = {
        "db", "keep", "keep_size", "listen", "textfile", "insecure_listen", "default", "target"};
    const struct toml_doc *doc = &c->doc_;
    const char *keep = NULL, *size = NULL;
    struct err why = {0};
    int rc =
        toml_check_keys(doc, doc->root, known, sizeof(known) / sizeof(known[0]), sizeof(known[0]),
                        "db, keep, keep_size, listen, textfile, insecure_listen, [default] or "
                        "[[target]]",
                        err);
    if (rc == 0)
        rc = read_publish(c, err);
    if (rc == 0)
        rc = toml_take_string(doc, doc->root, "db", &c->db, err);
    if (rc == 0)
        rc = toml_take_string(doc, doc->root, "keep", &keep, err);
    if (rc == 0)
        rc = toml_take_string(doc, doc->root, "keep_size", &size, err);
    if (rc == 0 && keep && (when_span(keep, &c->keep_ns, &why) < 0 || c->keep_ns == 0))
        rc = toml_err(doc, toml_get(doc->root, "keep"), err, -EINVAL,
                      "keep: '%s' is no span of time; write 90d or 12w", keep);
    if (rc == 0 && size && read_size(size, &c->keep_bytes) < 0)
        rc = toml_err(doc, toml_get(doc->root, "keep_size"), err, -EINVAL,
                      "keep_size: '%s' is no size of at least 1 MB; write 500MB or 2GB", size);
    if (rc == 0 && c->db && store_is_server(c->db) && (keep || size))
        rc = toml_err(doc, toml_get(doc->root, keep ? "keep" : "keep_size"), err, -EINVAL,
                      "%s: the runs of all hosts are on the server; there `tdtop db prune --keep "
                      "%s --yes` does it, once a day",
                      keep ? "keep" : "keep_size", keep ? keep : "90d");
    const struct toml *def = toml_get(doc->root, "default");
    if (rc == 0 && def && def->type != TOML_TABLE)
        rc = toml_err(doc, def, err, -EINVAL, "default: write [default], and options below it");
    return rc;
}

/* Series of two targets are told apart by their names. */
static int check_name(const struct agent_config *c, const struct toml *table, struct err *err) {
    const struct agent_target *t = &c->target[c->n_target - 1];
    for (int i = 0; (c->publish.listen || c->publish.textfile) && i < c->n_target - 1; i++)
        if (strcmp(c->target[i].name, t->name) == 0)
            return toml_err(&c->doc_, table, err, -EEXIST,
                            "there is a target called '%s' already, and series are told apart by "
                            "it; give this one another: name = \"...\"",
                            t->name);
    return 0;
}

static int read_targets(struct agent_config *c, struct err *err) {
    const struct toml_doc *doc = &c->doc_;
    const struct toml *all = toml_get(doc->root, "target");
    if (!all || all->type != TOML_ARRAY || all->n == 0)
        return err_set(err, -EINVAL, "%s: it has no [[target]]; write %s", c->path, example);
    if (all->n > AGENT_TARGETS)
        return toml_err(doc, all, err, -E2BIG, "more than %d targets; measure a cgroup, or all",
                        AGENT_TARGETS);
    c->target = calloc(all->n, sizeof(*c->target));
    if (!c->target)
        return err_set(err, -ENOMEM, "out of memory for the targets");
    int rc = 0;
    for (const struct toml *t = all->first; t && rc == 0; t = t->next) {
        rc = t->type == TOML_TABLE
                 ? read_target(c, t, &c->target[c->n_target++], err)
                 : toml_err(doc, t, err, -EINVAL, "target: write [[target]], and options below it");
        rc = rc < 0 ? rc : check_name(c, t, err);
    }
    return rc;
}

/* The user's, if it is there. */
static void find_file(struct agent_config *c, const char *path) {
    if (path)
        str_copy(c->path, sizeof(c->path), path);
    else if (access(folder_config("tdtop/agent.toml", c->path, sizeof(c->path)), F_OK) < 0)
        str_copy(c->path, sizeof(c->path), "/etc/tdtop/agent.toml");
}

int agent_config_read(struct agent_config *c, const char *path, struct err *err) {
    *c = (struct agent_config){0};
    find_file(c, path);
    int rc = toml_parse_file(&c->doc_, c->path, err);
    if (rc == -ENOENT && !path)
        err_set(err, rc,
                "%s: there is no such file; it says what an agent measures: for example %s",
                c->path, example);
    if (rc == 0)
        rc = read_head(c, err);
    if (rc == 0)
        rc = read_targets(c, err);
    if (rc < 0)
        agent_config_free(c);
    return rc;
}

void agent_config_free(struct agent_config *c) {
    for (int i = 0; i < c->n_target; i++)
        words_free(&c->target[i].words);
    free(c->target);
    toml_free(&c->doc_);
    *c = (struct agent_config){0};
}

/* Where the store is, and what may be asked of it: the same for any kind of store. */
#include "db/store.h"

#include "base/folder.h"
#include "base/str.h"
#include "db/store_ops.h"
#include "model/load/arena.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool store_is_server(const char *address) {
    return str_starts(address, "postgresql://") || str_starts(address, "postgres://");
}

/* What is set first counts; the XDG Base Directory Specification says that a relative
 * XDG_DATA_HOME is ignored. */
int store_file(char *out, size_t cap, struct err *err) {
    const char *file = getenv("TDTOP_DB"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    struct strbuf sb = strbuf_on(out, cap);
    if (file && *file && !store_is_server(file))
        strbuf_add(&sb, "%s", file);
    else if (data && *data == '/')
        strbuf_add(&sb, "%s/tdtop/runs.db", data);
    else if (home && *home)
        strbuf_add(&sb, "%s/.local/share/tdtop/runs.db", home);
    else
        return err_set(err, -ENOENT,
                       "the store of runs: neither TDTOP_DB, XDG_DATA_HOME nor HOME is set; name "
                       "the file with --db FILE");
    return 0;
}

/* The server that is meant, or NULL: TOPDOWN_BACKEND and TOPDOWN_DSN are topdown-profiler's. */
static const char *server_of(const char *path) {
    const char *set = getenv("TDTOP_DB"), *backend = getenv("TOPDOWN_BACKEND");
    if (path || (set && *set))
        return store_is_server(path ? path : set) ? path ? path : set : NULL;
    const char *dsn = backend && str_starts(backend, "postgres") ? getenv("TOPDOWN_DSN") : NULL;
    return dsn && *dsn ? dsn : NULL;
}

static int open_server(struct store *st, const char *dsn, enum store_mode mode, struct err *err) {
    st->ops = &store_postgres;
    int rc = store_server_name(dsn, st->path, sizeof(st->path), err);
    return rc < 0 ? rc : st->ops->open(&st->impl, dsn, st->path, mode, NULL, NULL, err);
}

/* "mysql://host/x": no file is meant. */
static bool is_other_server(const char *path) {
    const size_t n = strspn(path, "abcdefghijklmnopqrstuvwxyz");
    return n > 1 && str_starts(path + n, "://");
}

static int find_path(struct store *st, const char *path, struct err *err) {
    const int rc = path ? 0 : store_file(st->path, sizeof(st->path), err);
    char named[sizeof(st->path)];
    str_copy(named, sizeof(named), path ? path : st->path);
    if (rc == 0 && is_other_server(named))
        return err_set(err, -EINVAL,
                       "%.20s...: no store is there; --db takes a file, or "
                       "postgresql://user@host/database",
                       named);
    /* To SQLite, names that begin so are no files. */
    const bool odd = named[0] == ':' || str_starts(named, "file:");
    struct strbuf sb = strbuf_on(st->path, sizeof(st->path));
    strbuf_add(&sb, "%s%s", odd ? "./" : "", named);
    if (rc == 0 && (!st->path[0] || strlen(path ? path : st->path) >= sizeof(st->path) - 8))
        return err_set(err, -EINVAL,
                       "the store of runs: its path is %s; name a file with --db FILE",
                       st->path[0] ? "too long" : "empty");
    return rc;
}

/* What is measured is its owner's business. */
static int make_folder(const char *path, struct err *err) {
    char folder[4096];
    const int rc = folder_make(path, folder, sizeof(folder));
    if (rc == 0)
        return 0;
    return err_set(err, rc,
                   "%s: the folder of the store cannot be made: %s; make it by hand, or "
                   "name another file with --db FILE",
                   folder, strerror(-rc));
}

static int check_path(const char *path, enum store_mode mode, struct err *err) {
    struct stat s;
    if (stat(path, &s) < 0) {
        if (errno == ENOENT && (mode == STORE_WRITE || mode == STORE_KEEP))
            return make_folder(path, err);
        if (errno == ENOENT)
            return err_set(err, -ENOENT,
                           "%s: there is no store of runs yet; tdtop collect makes "
                           "one, --db FILE names another",
                           path);
        return err_set(err, -errno,
                       "%s: the store cannot be reached: %s; see the permissions of "
                       "its folders, or name another file with --db FILE",
                       path, strerror(errno));
    }
    if (S_ISREG(s.st_mode))
        return 0;
    return err_set(err, S_ISDIR(s.st_mode) ? -EISDIR : -EINVAL,
                   "%s: %s, not a store; name a file with --db FILE", path,
                   S_ISDIR(s.st_mode) ? "a folder" : "not a regular file");
}

int store_open(struct store *st, const char *path, enum store_mode mode, struct err *err) {
    return store_open_waiting(st, path, mode, NULL, NULL, err);
}

int store_open_waiting(struct store *st, const char *path, enum store_mode mode,
                       bool (*wait)(void *user, double waited_s), void *user, struct err *err) {
    *st = (struct store){.ops = &store_sqlite, .read_only = mode == STORE_READ};
    const char *dsn = server_of(path);
    if (dsn)
        return open_server(st, dsn, mode, err);
    int rc = find_path(st, path, err);
    if (rc == 0)
        rc = check_path(st->path, mode, err);
    if (rc == 0)
        rc = st->ops->open(&st->impl, st->path, st->path,
                           mode == STORE_READ ? STORE_READ : STORE_WRITE, wait, user, err);
    return rc;
}

void store_close(struct store *st) {
    if (st->impl)
        st->ops->close(st->impl);
    *st = (struct store){0};
}

void store_on_wait(struct store *st, bool (*wait)(void *user, double waited_s), void *user) {
    st->ops->on_wait(st->impl, wait, user);
}

static int may_write(const struct store *st, struct err *err) {
    if (!st->read_only)
        return 0;
    return err_set(err, -EROFS, "%s: opened for reading only; nothing was changed", st->path);
}

static int check_run(const struct store *st, const struct run *r, struct err *err) {
    int rc = may_write(st, err);
    if (rc == 0 && (strspn(r->id, "0123456789abcdef") != RUN_ID_LEN || r->id[RUN_ID_LEN]))
        rc = err_set(err, -EINVAL, "a run without an id cannot be saved: %d digits and a to f",
                     RUN_ID_LEN);
    for (size_t i = 0; rc == 0 && i < r->label.n; i++)
        rc = run_label_check(r->label.at[i].key, r->label.at[i].value, err);
    return rc;
}

int store_save(struct store *st, const struct run *r, struct err *err) {
    const int rc = check_run(st, r, err);
    return rc < 0 ? rc : st->ops->save(st->impl, r, err);
}

int store_grow(struct store *st, const struct run *r, enum store_grow how, struct store_growth *g,
               struct err *err) {
    const int rc = check_run(st, r, err);
    return rc < 0 ? rc : st->ops->grow(st->impl, r, how, g, err);
}

void store_growth_free(struct store_growth *g) {
    free(g->total_);
    *g = (struct store_growth){0};
}

static int list(struct store *st, const struct run_query *q, run_each *each, void *user,
                struct run_list *out, struct err *err) {
    *out = (struct run_list){0};
    if (q->order == BY_METRIC && !q->metric && !q->by)
        return err_set(err, -EINVAL, "a list by a metric: which metric is not said");
    const int rc = st->ops->list(st->impl, q, each, user, out, err);
    if (rc < 0)
        run_list_free(out);
    return rc;
}

int store_list(struct store *st, const struct run_query *q, struct run_list *out, struct err *err) {
    return list(st, q, NULL, NULL, out, err);
}

int store_list_each(struct store *st, const struct run_query *q, run_each *each, void *user,
                    struct err *err) {
    struct run_list none;
    const int rc = list(st, q, each, user, &none, err);
    run_list_free(&none);
    return rc;
}

void run_list_free(struct run_list *l) {
    if (l->arena_)
        arena_free(l->arena_);
    free(l->arena_);
    free(l->row);
    *l = (struct run_list){0};
}

static int by_value(const void *a, const void *b) {
    const struct run_group *x = a, *y = b;
    const int versions = strverscmp(x->value, y->value);
    return versions ? versions : strcmp(x->value, y->value);
}

int store_groups(struct store *st, const struct run_query *q, const char *key,
                 struct run_group_list *out, struct err *err) {
    *out = (struct run_group_list){0};
    const int rc = st->ops->groups(st->impl, q, key, out, err);
    uint64_t labelled = 0;
    if (rc < 0) {
        run_group_list_free(out);
        return rc;
    }
    for (size_t i = 0; i < out->n; i++)
        labelled += out->group[i].n;
    if (out->n)
        qsort(out->group, out->n, sizeof(*out->group), by_value);
    if (out->total > labelled) /* each kind leaves room for it */
        out->group[out->n++] = (struct run_group){NULL, out->total - labelled};
    return 0;
}

void run_group_list_free(struct run_group_list *l) {
    if (l->arena_)
        arena_free(l->arena_);
    free(l->arena_);
    free(l->group);
    *l = (struct run_group_list){0};
}

int store_place(struct store *st, const struct run_query *q, const char *id, uint64_t *place,
                struct err *err) {
    return st->ops->place(st->impl, q, id, place, err);
}

int store_find(struct store *st, const char *prefix, char id[RUN_ID_LEN + 1], struct err *err) {
    return st->ops->find(st->impl, prefix, false, id, err);
}

int store_find_deleted(struct store *st, const char *prefix, char id[RUN_ID_LEN + 1],
                       struct err *err) {
    return st->ops->find(st->impl, prefix, true, id, err);
}

int store_load(struct store *st, const char *id, unsigned parts, struct run *out, struct err *err) {
    *out = (struct run){0};
    const int rc = st->ops->load(st->impl, id, parts, out, err);
    if (rc < 0)
        run_free(out);
    else
        run_clean(out); /* the file may be anybody's */
    return rc;
}

int store_batch_begin(struct store *st, struct err *err) {
    const int rc = may_write(st, err);
    return rc < 0 ? rc : st->ops->batch_begin(st->impl, err);
}

int store_batch_end(struct store *st, int rc, struct err *err) {
    return st->ops->batch_end(st->impl, rc, err);
}

int store_edit(struct store *st, const char *id, const struct label_change *change, size_t n,
               const char *note, struct err *err) {
    int rc = may_write(st, err);
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = run_label_check(change[i].key, change[i].value ? change[i].value : "", err);
    if (rc == 0 && note)
        rc = run_note_check(note, err);
    return rc < 0 ? rc : st->ops->edit(st->impl, id, change, n, note, err);
}

const char *run_row_label(const struct run_row *row, const char *key) {
    for (size_t i = 0; i < row->n_label; i++)
        if (strcmp(row->label[i].key, key) == 0)
            return row->label[i].value;
    return NULL;
}

int store_note(struct store *st, const char *id, const char *note, struct err *err) {
    return store_edit(st, id, NULL, 0, note, err);
}

int store_delete(struct store *st, const char *id, struct err *err) {
    const int rc = may_write(st, err);
    return rc < 0 ? rc : st->ops->mark_deleted(st->impl, id, true, err);
}

int store_undelete(struct store *st, const char *id, struct err *err) {
    const int rc = may_write(st, err);
    return rc < 0 ? rc : st->ops->mark_deleted(st->impl, id, false, err);
}

int store_words(struct store *st, const char *key, const char *prefix, size_t limit, char ***words,
                struct err *err) {
    *words = NULL;
    return st->ops->words(st->impl, key, prefix ? prefix : "", limit, words, err);
}

void store_words_free(char **words) {
    for (char **w = words; w && *w; w++)
        free(*w);
    free(words);
}

int store_sql(struct store *st, const char *sql, const struct store_rows *to, struct err *err) {
    return st->ops->sql(st->impl, sql, to, err);
}

int store_send(struct store *st, struct err *err) {
    return st->ops->send ? st->ops->send(st->impl, err) : 0;
}

void store_outbox(struct store *st, struct store_outbox *out) {
    *out = (struct store_outbox){0};
    if (st->impl && st->ops->outbox)
        st->ops->outbox(st->impl, out);
}

bool store_is_file(const struct store *st) {
    return st->ops && !st->ops->stamp;
}

int store_stamp(struct store *st, int64_t *stamp, struct err *err) {
    return st->ops->stamp(st->impl, stamp, err);
}

int store_stats(struct store *st, struct store_stats *out, struct err *err) {
    *out = (struct store_stats){0};
    return st->ops->stats(st->impl, out, err);
}

int store_check(struct store *st, void (*problem)(void *user, const char *text), void *user,
                struct err *err) {
    return st->ops->check(st->impl, problem, user, err);
}

int store_vacuum(struct store *st, struct err *err) {
    const int rc = may_write(st, err);
    return rc < 0 ? rc : st->ops->vacuum(st->impl, err);
}

int store_prune(struct store *st, int64_t older_than_ns, bool dry_run, struct store_prune *out,
                struct err *err) {
    *out = (struct store_prune){0};
    const int rc = dry_run ? 0 : may_write(st, err);
    return rc < 0 ? rc : st->ops->prune(st->impl, older_than_ns, dry_run, out, err);
}

/* --- conditions on labels, from text --- */

/* The longer spelling of two that begin alike comes first. */
static const struct {
    const char *sign;
    enum label_op op;
} signs[] = {{"!=", LABEL_IS_NOT}, {"=", LABEL_IS}, {"~", LABEL_HAS}};

/* Keys hold none of the characters of the signs, so the first sign is the one that is meant. */
static size_t find_sign(const char *text, enum label_op *op, size_t *len) {
    const size_t at = strcspn(text, "!=~");
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        if (strncmp(text + at, signs[i].sign, strlen(signs[i].sign)) == 0) {
            *op = signs[i].op;
            *len = strlen(signs[i].sign);
            return at;
        }
    *op = LABEL_EXISTS;
    *len = 0;
    return strlen(text);
}

int label_filter_parse(const char *text, struct label_filter *f, struct err *err) {
    *f = (struct label_filter){0};
    enum label_op op;
    size_t len;
    const char *key = text[0] == '!' ? text + 1 : text;
    const size_t n = find_sign(key, &op, &len);
    if (text[0] == '!' && op != LABEL_EXISTS)
        return err_set(err, -EINVAL,
                       "%s: a filter begins with a key; '!' before it asks for runs "
                       "without the label and takes no value",
                       text);
    f->op = text[0] == '!' ? LABEL_MISSING : op;
    f->key = strndup(key, n);
    f->value = strdup(key + n + len);
    if (!f->key || !f->value) {
        label_filter_free(f);
        return err_set(err, -ENOMEM, "%s: out of memory", text);
    }
    const int rc = run_label_check(f->key, f->value, err);
    if (rc < 0) {
        err_prefix(err, "filter %s: key=value, key!=value, key~text, key or !key", text);
        label_filter_free(f);
    }
    return rc;
}

void label_filter_free(struct label_filter *f) {
    free(f->key);
    free(f->value);
    *f = (struct label_filter){0};
}

/* --- runs that were evaluated again --- */

static const char *parent_of(const struct run_row *row) {
    for (size_t i = 0; i < row->n_label; i++)
        if (!strcmp(row->label[i].key, RUN_REEVAL_OF))
            return row->label[i].value;
    return NULL;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

long run_latest(struct run_list *list) {
    const char **parent = calloc(list->n + 1, sizeof(*parent));
    size_t n_parent = 0, kept = 0;
    if (!parent)
        return -ENOMEM;
    for (size_t i = 0; i < list->n; i++)
        if (parent_of(&list->row[i]))
            parent[n_parent++] = parent_of(&list->row[i]);
    qsort(parent, n_parent, sizeof(*parent), by_text);
    for (size_t i = 0; i < list->n; i++) {
        const char *id = list->row[i].id;
        if (n_parent == 0 || !bsearch(&id, parent, n_parent, sizeof(*parent), by_text))
            list->row[kept++] = list->row[i];
    }
    const long gone = (long)(list->n - kept);
    list->n = kept;
    free(parent);
    return gone;
}

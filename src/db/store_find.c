#include "db/store_find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const store_tops[STORE_TOPS] = {"Frontend_Bound", "Bad_Speculation", "Backend_Bound",
                                            "Retiring"};

const char *store_order(const struct run_query *q) {
    static const char *const columns[] = {
        [BY_TIME] = "begun_ns, run",
        [BY_DURATION] = "duration_ns, run",
        [BY_PROCESS] = "process, begun_ns, run",
        [BY_MODEL] = "model, begun_ns, run",
        [BY_METRIC] = "begun_ns, run",
    };
    return q->removed && q->order == BY_TIME ? "deleted_ns, run" : columns[q->order];
}

char *store_pattern(const char *text) {
    char *out = malloc(2 * strlen(text) + 3);
    if (!out)
        return NULL;
    char *at = out;
    *at++ = '%';
    for (; *text; text++) {
        if (strchr("%_\\", *text))
            *at++ = '\\';
        *at++ = *text;
    }
    *at++ = '%';
    *at = '\0';
    return out;
}

/* Lower case; false if it cannot be the begin of an id. */
static bool is_prefix(const char *text, char out[RUN_ID_LEN + 1]) {
    const size_t n = strlen(text);
    if (n == 0 || n > RUN_ID_LEN || strspn(text, "0123456789abcdefABCDEF") != n)
        return false;
    for (size_t i = 0; i <= n; i++)
        out[i] = (char)(text[i] >= 'A' && text[i] <= 'F' ? text[i] | 0x20 : text[i]);
    return true;
}

int store_find_word(const char *word, struct store_word *out, struct err *err) {
    char safe[64], *end;
    *out = (struct store_word){0};
    if (word[0] != '@')
        return is_prefix(word, out->prefix)
                   ? 0
                   : err_set(err, -EINVAL,
                             "run '%s': not an id; write the first digits of one, as tdtop list "
                             "shows them, or @0 for the newest",
                             str_safe(safe, sizeof(safe), word));
    errno = 0;
    const unsigned long long n = strtoull(word + 1, &end, 10);
    out->newest = n;
    if (word[1] < '0' || word[1] > '9' || *end || errno || n > INT64_MAX)
        return err_set(err, -EINVAL,
                       "run %.40s: @ and a number: @0 is the run measured last, @1 the one before",
                       word);
    return 0;
}

int store_find_too_few(const char *path, const char *word, bool deleted, struct err *err) {
    return err_set(err, -ENOENT, "run %s: there are not so many %sruns in %s", word,
                   deleted ? "deleted " : "", path);
}

int store_find_no_run(const char *path, const char *id, struct err *err) {
    return err_set(err, -ENOENT, "run %.40s: no such run in %s; tdtop list shows which there are",
                   id, path);
}

int store_find_no_place(const char *id, struct err *err) {
    return err_set(err, -ENOENT, "run %.40s: not in this list", id);
}

void store_find_add(struct store_found *f, const char *id, bool deleted) {
    if (deleted != f->deleted) {
        f->n_other++;
        return;
    }
    struct strbuf sb = {f->names, strlen(f->names), sizeof(f->names)};
    if (f->n++ == 0)
        str_copy(f->first, sizeof(f->first), id);
    if (f->n <= STORE_NAMED)
        strbuf_add(&sb, "%s%s", f->n > 1 ? ", " : "", id);
}

int store_find_judge(const struct store_found *f, char id[RUN_ID_LEN + 1], struct err *err) {
    if (f->n == 1) {
        str_copy(id, RUN_ID_LEN + 1, f->first);
        return 0;
    }
    if (f->n > 1)
        return err_set(err, -EINVAL, "run %s: more than one id begins so: %s%s; write more of it",
                       f->prefix, f->names, f->n > STORE_NAMED ? " ..." : "");
    if (!f->deleted && f->n_other == 1)
        return err_set(err, -ENOENT, "run %s: it was removed; tdtop rm --undo %s brings it back",
                       f->prefix, f->prefix);
    return f->deleted
               ? err_set(
                     err, -ENOENT,
                     "run %s: no deleted run in %s has an id that begins so; what was pruned is "
                     "gone",
                     f->prefix, f->path)
               : err_set(err, -ENOENT,
                         "run %s: no run in %s has an id that begins so; tdtop list shows which "
                         "there are",
                         f->prefix, f->path);
}

/* `tdtop db`: care for the store. */
#include "base/clock.h"
#include "base/str.h"
#include "base/when.h"
#include "cli/file/json_out.h"
#include "cli/file/run_json.h"
#include "cli/verb/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct care {
    const struct args *a;
    struct run_pick pick;
    json_t *out; /* with --json */
    int problems;
    bool refused; /* the answer was no */
};

static void put_number(struct care *c, const char *key, uint64_t v) {
    json_object_set_new(c->out, key, json_integer((json_int_t)v));
}

/* ---- each returns 0 or negative errno with words ---- */

static void show_outbox(void *user, const char *folder, const char *server, size_t n) {
    struct care *c = user;
    char safe[512];
    json_t *o = json_object();
    json_set(o, "runs", json_integer((json_int_t)n));
    json_set(o, "server", run_json_text(server));
    json_set(o, "folder", run_json_text(folder));
    json_array_append_new(json_object_get(c->out, "waiting"), o);
    if (!c->a->json)
        printf("waiting    %zu run%s for %s, in %s (db copy FOLDER TO brings them elsewhere)\n", n,
               n == 1 ? "" : "s", str_safe(safe, sizeof(safe), server), folder);
}

/* What waits on this host for any server. */
static void show_outboxes(struct care *c) {
    json_object_set_new(c->out, "waiting", json_array());
    store_outboxes(show_outbox, c);
}

static int show_stats(struct care *c, struct err *err) {
    struct store_stats s;
    const char *path = c->pick.store.path;
    const int rc = store_stats(&c->pick.store, &s, err);
    if (rc < 0)
        return rc;
    put_number(c, "runs", s.n_run);
    put_number(c, "removed", s.n_deleted);
    put_number(c, "intervals", s.n_interval);
    json_object_set_new(c->out, "intervals_estimated", json_boolean(s.about));
    put_number(c, "models", s.n_model);
    put_number(c, "bytes", s.bytes);
    put_number(c, "free_bytes", s.free_bytes);
    put_number(c, "version", (uint64_t)s.version);
    if (c->a->json) {
        show_outboxes(c);
        return 0;
    }
    char safe[512];
    printf("file       %s (version %d)\n", str_safe(safe, sizeof(safe), path), s.version);
    printf("runs       %llu\n", (unsigned long long)s.n_run);
    printf("removed    %llu%s\n", (unsigned long long)s.n_deleted,
           s.n_deleted ? " (db prune removes them for good)" : "");
    printf("intervals  %s%llu\n", s.about ? "about " : "", (unsigned long long)s.n_interval);
    printf("models     %llu\n", (unsigned long long)s.n_model);
    printf("size       %.1f MB, %.1f MB of it free%s\n", (double)s.bytes / 1e6,
           (double)s.free_bytes / 1e6, s.free_bytes > s.bytes / 4 ? " (db vacuum)" : "");
    show_outboxes(c);
    return 0;
}

/* Opening has made it. */
static int make(struct care *c, struct err *err) {
    struct store_outbox o;
    store_send(&c->pick.store, NULL); /* `why` says it */
    store_outbox(&c->pick.store, &o);
    put_number(c, "sent", o.sent);
    if (!c->a->json && !o.why.text[0])
        printf("%s is there\n", c->pick.store.path);
    if (!c->a->json && o.sent)
        printf("%zu run%s that had waited %s sent\n", o.sent, o.sent == 1 ? "" : "s",
               o.sent == 1 ? "was" : "were");
    show_outboxes(c);
    return o.why.text[0] ? err_set(err, o.why.code, "%s", o.why.text) : 0;
}

static void take_problem(void *user, const char *text) {
    struct care *c = user;
    char safe[512];
    c->problems++;
    if (c->a->json)
        json_array_append_new(json_object_get(c->out, "problems"), run_json_text(text));
    else
        printf("%s\n", str_safe(safe, sizeof(safe), text));
}

static int check(struct care *c, struct err *err) {
    json_object_set_new(c->out, "problems", json_array());
    const int n = store_check(&c->pick.store, take_problem, c, err);
    if (n < 0)
        return n;
    json_object_set_new(c->out, "ok", json_boolean(n == 0));
    if (n == 0 && !c->a->json)
        printf("ok\n");
    else if (n)
        cli_note("%s: %d problem%s; a copy from before it was damaged is the cure, and "
                 "`tdtop export` saves what can still be read",
                 c->pick.store.path, n, n == 1 ? "" : "s");
    return 0;
}

static int vacuum(struct care *c, struct err *err) {
    struct store_stats before, after;
    int rc = store_stats(&c->pick.store, &before, err);
    if (rc == 0)
        rc = store_vacuum(&c->pick.store, err);
    if (rc == 0)
        rc = store_stats(&c->pick.store, &after, err);
    if (rc < 0)
        return rc;
    put_number(c, "bytes_before", before.bytes);
    put_number(c, "bytes", after.bytes);
    if (!c->a->json)
        printf("%.1f MB before, %.1f MB now\n", (double)before.bytes / 1e6,
               (double)after.bytes / 1e6);
    return 0;
}

/* "12 runs would be removed for good, begun from 2026-01-02 10:00:00 to ..., 3 of them removed by
 * rm": before and behind the number, then where from. */
static void describe(const struct store_prune *p, const char *before, const char *behind,
                     char *text, size_t cap) {
    char oldest[32], newest[32];
    struct strbuf sb = strbuf_on(text, cap);
    strbuf_add(&sb, "%s%llu run%s %s", before, (unsigned long long)p->n, p->n == 1 ? "" : "s",
               behind);
    if (p->n)
        strbuf_add(&sb, ", begun %s%s%s%s", p->n == 1 ? "" : "from ",
                   when_text(p->oldest_ns, oldest, sizeof(oldest)), p->n == 1 ? "" : " to ",
                   p->n == 1 ? "" : when_text(p->newest_ns, newest, sizeof(newest)));
    if (p->n_removed)
        strbuf_add(&sb, ", %llu of them removed by rm", (unsigned long long)p->n_removed);
}

/* As of rm: what cannot be undone is asked for, or said by --yes. */
static bool may_prune(const struct care *c, const struct store_prune *p) {
    char text[192];
    if (c->a->yes || c->a->dry_run || p->n == 0)
        return true;
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
        describe(p, "", "would be removed for good", text, sizeof(text));
        cli_note("db prune: %s; --yes removes %s", text, p->n == 1 ? "it" : "them");
        return false;
    }
    describe(p, "remove ", "for good", text, sizeof(text));
    fprintf(stderr, "tdtop: %s? [y/N] ", text);
    const int answer = getchar();
    if (answer == 'y' || answer == 'Y')
        return true;
    cli_note("nothing was removed; db prune --dry-run shows what would be");
    return false;
}

static void say_pruned(struct care *c, const struct store_prune *p) {
    char text[192], when[64];
    put_number(c, c->a->dry_run ? "would_remove" : "removed", p->n);
    put_number(c, "removed_before", p->n_removed);
    json_object_set_new(c->out, "oldest",
                        p->n ? run_json_text(when_iso(p->oldest_ns, when, sizeof(when)))
                             : json_null());
    json_object_set_new(c->out, "newest",
                        p->n ? run_json_text(when_iso(p->newest_ns, when, sizeof(when)))
                             : json_null());
    if (c->a->json)
        return;
    describe(p, "", c->a->dry_run ? "would be removed for good" : "removed for good", text,
             sizeof(text));
    printf("%s%s\n", text,
           p->n && !c->a->dry_run && store_is_file(&c->pick.store)
               ? "; db vacuum gives the room back"
               : "");
}

/* Without --keep only what was removed already goes. */
static int prune(struct care *c, struct err *err) {
    struct store_prune p;
    const int64_t before = c->a->keep_ns ? (int64_t)(clock_wall_ns() - c->a->keep_ns) : 0;
    int rc = store_prune(&c->pick.store, before, true, &p, err);
    if (rc < 0)
        return rc;
    if (!may_prune(c, &p)) {
        c->refused = true;
        return 0;
    }
    if (!c->a->dry_run)
        rc = store_prune(&c->pick.store, before, false, &p, err);
    if (rc == 0)
        say_pruned(c, &p);
    return rc;
}

static const struct {
    const char *name;
    enum store_mode mode;
    int (*run)(struct care *c, struct err *err);
    bool tells_waiting; /* also where it fails: that may be why they wait */
} actions[] = {{"init", STORE_WRITE, make, false},
               {"stats", STORE_READ, show_stats, true},
               {"check", STORE_READ, check, false},
               {"vacuum", STORE_CHANGE, vacuum, false},
               {"prune", STORE_CHANGE, prune, false}};
enum { N_ACTION = sizeof(actions) / sizeof(actions[0]) };

static int unknown(const char *word, struct err *err) {
    return err_set(err, -EINVAL,
                   "db %s: it takes one of init, stats, path, check, vacuum, prune, copy", word);
}

/* ---- from one store into another ---- */

struct copy {
    struct store from, to;
    struct run_list list;
    uint64_t n, n_there; /* copied; there already */
    uint64_t n_measured; /* left out: they grow */
};

/* It is stored each minute; one that was killed does not grow any more. */
static bool is_measured(const struct run_row *row) {
    return row->unfinished && row->begun_ns + (int64_t)row->duration_ns >
                                  (int64_t)clock_wall_ns() - 300 * (int64_t)NS_PER_S;
}

/* A run as it is, but one that was there stays. */
static int copy_run(struct copy *cp, const char *id, bool dry_run, struct err *err) {
    struct run r = {0};
    char found[RUN_ID_LEN + 1];
    struct err why = {0};
    const int there = store_find(&cp->to, id, found, &why);
    if (there == 0 || dry_run) {
        cp->n_there += there == 0;
        cp->n += there != 0;
        return 0;
    }
    int rc = store_load(&cp->from, id, RUN_ALL, &r, err);
    if (rc == 0)
        rc = store_save(&cp->to, &r, err);
    run_free(&r);
    if (rc == -EEXIST) { /* somebody removed it there, and may bring it back */
        cp->n_there++;
        return 0;
    }
    cp->n += rc == 0;
    return rc;
}

/* Runs that wait for a server that they will not come to: they go to another. */
static int move_outbox(struct copy *cp, const struct args *a, struct err *err) {
    if (a->dry_run)
        return err_set(err, -EINVAL, "db copy: of a folder of waiting runs --dry-run is not known");
    int rc = store_open(&cp->to, a->words[2], STORE_WRITE, err);
    return rc < 0 ? rc : store_outbox_move(a->words[1], &cp->to, &cp->n, err);
}

static int copy_all(struct copy *cp, const struct args *a, struct err *err) {
    const struct run_query oldest_first = {.ascending = true, .without_top = true};
    if (store_is_outbox(a->words[1]))
        return move_outbox(cp, a, err);
    int rc = store_open(&cp->from, a->words[1], STORE_READ, err);
    if (rc == 0)
        rc = store_open(&cp->to, a->words[2], STORE_WRITE, err);
    if (rc == 0 && strcmp(cp->from.path, cp->to.path) == 0)
        rc = err_set(err, -EINVAL, "db copy: both are %s", cp->to.path);
    if (rc == 0)
        rc = store_list(&cp->from, &oldest_first, &cp->list, err);
    struct progress p;
    progress_begin(&p, 0, 1, a);
    for (size_t i = 0; i < cp->list.n && rc == 0; i++) {
        if (is_measured(&cp->list.row[i]))
            cp->n_measured++;
        else
            rc = copy_run(cp, cp->list.row[i].id, a->dry_run, err);
        progress_runs(&p, i + 1, cp->list.n);
    }
    progress_clear(&p);
    return rc;
}

static int copy(const struct args *a) {
    struct copy cp = {0};
    struct err err = {0};
    const int rc = a->n_word == 3 ? copy_all(&cp, a, &err)
                                  : err_set(&err, -EINVAL, "db copy: give two stores, FROM and TO");
    int code = rc < 0 ? run_pick_exit(&err) : EXIT_OK;
    if (a->json && a->n_word == 3) {
        json_t *o = json_object();
        json_object_set_new(o, a->dry_run ? "would_copy" : "copied",
                            json_integer((json_int_t)cp.n));
        json_object_set_new(o, "there_already", json_integer((json_int_t)cp.n_there));
        json_object_set_new(o, "still_measured", json_integer((json_int_t)cp.n_measured));
        code = json_print(o, JSON_COMPACT) ? EXIT_ERROR : code;
    } else if (rc == 0 || cp.n) {
        printf("%llu run%s %s, %llu there already", (unsigned long long)cp.n, cp.n == 1 ? "" : "s",
               a->dry_run ? "would be copied" : "copied", (unsigned long long)cp.n_there);
        if (cp.n_measured)
            printf(", %llu left out as still measured", (unsigned long long)cp.n_measured);
        printf("\n");
    }
    size_t said = 0;
    store_say_outbox(&cp.to, &said);
    run_list_free(&cp.list);
    store_close(&cp.from);
    store_close(&cp.to);
    return code;
}

/* Where the file is, or would be. */
static int show_path(const struct args *a) {
    struct store st;
    struct err err = {0};
    const int rc = store_open(&st, a->db, STORE_READ, &err);
    int code = EXIT_OK;
    if (!st.path[0]) {
        code = run_pick_exit(&err);
    } else if (a->json) {
        json_t *o = json_object();
        json_object_set_new(o, "path", run_json_text(st.path));
        json_object_set_new(o, "opens", json_boolean(rc == 0));
        code = json_print(o, JSON_COMPACT);
    } else {
        puts(st.path);
    }
    store_close(&st);
    return code;
}

static int run_action(struct care *c, int i) {
    struct err err = {0};
    int rc = run_pick_open(&c->pick, c->a, actions[i].mode, &err);
    c->out = json_object();
    if (rc == 0)
        rc = actions[i].run(c, &err);
    if (rc < 0 && actions[i].tells_waiting)
        show_outboxes(c);
    int code = c->problems || c->refused ? EXIT_ERROR : EXIT_OK;
    if (rc < 0)
        code = run_pick_exit(&err);
    if ((rc == 0 || actions[i].tells_waiting) && c->a->json && !c->refused &&
        json_print(json_incref(c->out), JSON_COMPACT))
        code = EXIT_ERROR;
    json_decref(c->out);
    run_pick_close(&c->pick);
    return code;
}

int verb_db(const struct args *a) {
    struct care c = {.a = a};
    struct err err = {0};
    const char *word = a->words[0];
    int i = 0;
    while (i < N_ACTION && strcmp(word, actions[i].name) != 0)
        i++;
    const bool is_path = !strcmp(word, "path"), is_prune = !strcmp(word, "prune");
    const bool is_copy = !strcmp(word, "copy");
    int rc = i == N_ACTION && !is_path && !is_copy ? unknown(word, &err) : 0;
    if (rc == 0 && !is_copy && a->n_word > 1)
        rc = err_set(&err, -EINVAL, "db %s: '%s' is one word too many", word, a->words[1]);
    if (rc == 0 && !is_prune && (a->keep_ns || (a->dry_run && !is_copy) || a->yes))
        rc = err_set(&err, -EINVAL, "db %s: --%s goes with prune only", word,
                     a->keep_ns   ? "keep"
                     : a->dry_run ? "dry-run"
                                  : "yes");
    if (rc < 0)
        return run_pick_exit(&err);
    return cli_finish(is_copy ? copy(a) : is_path ? show_path(a) : run_action(&c, i));
}

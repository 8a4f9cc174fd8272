/*
 * `tdtop serve`: counters and shares of a target for Prometheus, at an address or in a file for
 * node_exporter's textfile collector.
 */
#include "base/clock.h"
#include "base/door.h"
#include "base/str.h"
#include "cli/stop.h"
#include "cli/verb/serve.h"
#include "serve/exposition.h"
#include "serve/metrics_page.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char default_listen[] = "127.0.0.1:9464";

struct serving {
    const struct args *a;
    struct sessions *all;
    struct exposition e;
    struct metrics_page *page; /* NULL: not asked for */
    char path[4096];           /* of --textfile; "" */
    char temporary[4096 + 16]; /* beside it */
    bool lacks;                /* the file could not be written, which was said */
    bool wrote;                /* it is ours */
};

/* ---- what is asked for ---- */

/* Labels that series have by themselves. */
static bool is_own(const char *name) {
    static const char *const own[] = {"target",  "simulated", "core_type", "model",
                                      "version", "category",  "event",     "node",
                                      "path",    "level",     "of",        "metric"};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (strcmp(name, own[i]) == 0)
            return true;
    return false;
}

/* KEY=VALUE of -L; texts are cut in place, in copies. 0 or negative errno with words. */
static int split_labels(char **text, struct exposition_label *to, int n, struct err *err) {
    for (int i = 0; i < n; i++) {
        char *is = strchr(text[i], '=');
        if (is)
            *is = '\0';
        if (!is || !exposition_label_is_good(text[i]))
            return err_set(err, -EINVAL,
                           "-L %s: give NAME=VALUE, NAME of letters, digits and _, as Prometheus "
                           "wants it",
                           text[i]);
        if (is_own(text[i]))
            return err_set(err, -EINVAL, "-L %s: tdtop gives that label itself; another name",
                           text[i]);
        for (int k = 0; k < i; k++)
            if (strcmp(to[k].name, text[i]) == 0)
                return err_set(err, -EINVAL, "-L %s: given twice; leave one out", text[i]);
        to[i] = (struct exposition_label){text[i], is + 1};
    }
    return 0;
}

static int begin_exposition(struct serving *sv, struct err *err) {
    const struct text_list *l = &sv->a->labels;
    struct exposition_label label[TEXTS_MAX];
    char *text[TEXTS_MAX] = {0};
    int rc = 0;
    for (int i = 0; rc == 0 && i < l->n; i++)
        rc = (text[i] = strdup(l->at[i])) ? 0 : err_set(err, -ENOMEM, "out of memory");
    if (rc == 0)
        rc = split_labels(text, label, l->n, err);
    if (rc == 0 && exposition_init(&sv->e, sv->all->at, sv->all->n, label, l->n) < 0)
        rc = err_set(err, -ENOMEM, "out of memory for the metrics");
    for (int i = 0; i < l->n; i++)
        free(text[i]);
    return rc;
}

/* DIR/tdtop-redis-server.prom: as many targets as there are names go into one folder. */
static int choose_file(struct serving *sv, struct err *err) {
    char name[96];
    struct stat st;
    const char *dir = sv->a->textfile;
    if (stat(dir, &st) < 0 || !S_ISDIR(st.st_mode))
        return err_set(err, -ENOTDIR,
                       "--textfile %s: it is no folder; give that of node_exporter's "
                       "--collector.textfile.directory",
                       dir);
    str_copy(name, sizeof(name), sv->all->at[0]->names.process);
    for (char *p = name; *p; p++)
        *p = isalnum((unsigned char)*p) ? *p : '-';
    const size_t room = sizeof(sv->path) - sizeof(name) - sizeof("/tdtop-.prom");
    if (strlen(dir) > room)
        return err_set(err, -ENAMETOOLONG, "--textfile: the name of the folder is too long");
    snprintf(sv->path, sizeof(sv->path), "%s/tdtop-%s.prom", dir, name);
    snprintf(sv->temporary, sizeof(sv->temporary), "%s.%d", sv->path, (int)getpid());
    return 0;
}

static int open_all(struct serving *sv, struct err *err) {
    const struct args *a = sv->a;
    int rc = begin_exposition(sv, err);
    if (rc == 0 && a->textfile)
        rc = choose_file(sv, err);
    if (rc == 0 && (a->listen || !a->textfile)) {
        const char *listen = a->listen ? a->listen : default_listen;
        rc = metrics_page_open(&sv->page, listen, a->insecure_listen, err);
        if (rc == 0)
            cli_note("http://%.*s:%d/metrics", (int)(strrchr(listen, ':') - listen), listen,
                     metrics_page_port(sv->page));
    }
    return rc;
}

/* ---- each interval ---- */

/* Readers see the old file or the new one. */
static void write_file(struct serving *sv, const char *text, size_t n) {
    FILE *out = door_create(sv->temporary);
    bool ok = out && fwrite(text, 1, n, out) == n;
    ok = out && fclose(out) == 0 && ok;
    ok = ok && rename(sv->temporary, sv->path) == 0;
    if (!ok && !sv->lacks)
        cli_note("--textfile %s: %s; tried again with the next interval", sv->path,
                 strerror(errno));
    if (!ok)
        unlink(sv->temporary);
    if (ok && sv->lacks)
        cli_note("--textfile %s: written again", sv->path);
    sv->lacks = !ok;
    sv->wrote |= ok;
}

static char *text_of(const struct serving *sv, bool open, size_t *n) {
    char *text = NULL;
    FILE *out = open_memstream(&text, n);
    if (!out)
        return NULL;
    exposition_write(&sv->e, open, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static void publish(struct serving *sv) {
    size_t n = 0, n_open = 0;
    char *text = text_of(sv, false, &n);
    if (text && sv->path[0])
        write_file(sv, text, n);
    if (!sv->page) {
        free(text);
        return;
    }
    char *open = text_of(sv, true, &n_open);
    metrics_page_publish(sv->page, text, n, open, n_open);
}

static bool take_all(struct serving *sv) {
    bool took = false;
    for (int i = 0; i < sv->all->n; i++)
        while (session_take(sv->all->at[i])) {
            exposition_add(&sv->e, i);
            took = true;
        }
    return took;
}

static bool is_over(const struct serving *sv) {
    bool live = false;
    for (int i = 0; i < sv->all->n; i++)
        live |= sv->all->at[i]->state == STREAM_LIVE;
    const struct frame *f = &sv->all->at[0]->frame;
    const bool enough = (sv->a->duration_ns && f->t1_ns + NS_PER_MS >= sv->a->duration_ns) ||
                        (sv->a->count && sv->e.at[0].n_interval >= (uint64_t)sv->a->count);
    return !live || enough;
}

static void loop(struct serving *sv, int signal_fd) {
    struct pollfd fd[CORE_TYPES_MAX + 1] = {{.fd = signal_fd, .events = POLLIN}};
    for (;;) {
        if (take_all(sv))
            publish(sv);
        if (is_over(sv))
            return;
        for (int i = 0; i < sv->all->n; i++)
            fd[i + 1] = (struct pollfd){.fd = session_fd(sv->all->at[i]), .events = POLLIN};
        poll(fd, (nfds_t)sv->all->n + 1, -1);
        if (stop_came(signal_fd))
            return;
    }
}

static int code_of(const struct sessions *all) {
    const struct session *s = all->at[0];
    if (s->state == STREAM_FAILED) {
        cli_error(&s->last);
        return EXIT_ERROR;
    }
    if (s->state == STREAM_GONE && s->exit_code < 0)
        cli_note("%s", s->last.text);
    return s->exit_code >= 0 ? s->exit_code : EXIT_OK;
}

int serve_run(struct sessions *all, const struct args *a) {
    struct serving sv = {.a = a, .all = all};
    struct err err = {0};
    for (int i = 0; i < all->n; i++)
        all->at[i]->passes = true;
    int rc = open_all(&sv, &err);
    const int signal_fd = stop_open();
    if (rc == 0)
        rc = sessions_start(all, &err);
    if (rc == 0) {
        loop(&sv, signal_fd);
        rc = code_of(all);
    } else {
        cli_error(&err);
        rc = cli_is_usage(&err) ? EXIT_USAGE : EXIT_ERROR;
    }
    stop_close(signal_fd);
    metrics_page_close(sv.page);
    if (sv.wrote) /* what is not measured any more is not to be scraped */
        unlink(sv.path);
    exposition_free(&sv.e);
    return rc;
}

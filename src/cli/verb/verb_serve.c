/*
 * `tdtop serve`: counters and shares of a target for Prometheus, at an address or in a file for
 * node_exporter's textfile collector.
 */
#include "base/clock.h"
#include "cli/stop.h"
#include "cli/verb/publish.h"
#include "cli/verb/serve.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

static const char default_listen[] = "127.0.0.1:9464";

struct serving {
    const struct args *a;
    struct sessions *all;
    struct exposition e;
    struct exposed *x[SESSIONS_MAX];
    struct publish publish;
    uint64_t n_interval; /* of the first */
};

/* ---- what is asked for ---- */

static int check_labels(const struct text_list *l, struct err *err) {
    for (int i = 0; i < l->n; i++) {
        const char *fault = exposition_label_fault(l->at[i]);
        if (fault)
            return err_set(err, -EINVAL, "-L %s: %s", l->at[i], fault);
        for (int k = 0; k < i; k++)
            if (strncmp(l->at[k], l->at[i], strcspn(l->at[i], "=") + 1) == 0)
                return err_set(err, -EINVAL, "-L %s: given twice; leave one out", l->at[i]);
    }
    return 0;
}

static int open_all(struct serving *sv, struct err *err) {
    const struct args *a = sv->a;
    const char *name = sv->all->at[0]->names.process;
    int rc = check_labels(&a->labels, err);
    for (int i = 0; i < sv->all->n && rc == 0; i++) {
        const struct session *s = sv->all->at[i];
        const struct exposition_who who = {s->names.process, a->labels.at, a->labels.n};
        if (exposition_enter(&sv->e, &sv->x[i], s, &who, false) < 0)
            rc = err_set(err, -ENOMEM, "out of memory for the metrics");
    }
    const struct publish_to to = {.listen = a->listen || a->textfile ? a->listen : default_listen,
                                  .textfile = a->textfile,
                                  .insecure = a->insecure_listen};
    return rc < 0 ? rc : publish_open(&sv->publish, &sv->e, &to, name, err);
}

/* ---- each interval ---- */

static void take_all(struct serving *sv) {
    for (int i = 0; i < sv->all->n; i++)
        while (session_take(sv->all->at[i])) {
            const struct sample *sample = &sv->all->at[i]->sample;
            exposition_add(&sv->e, sv->x[i], sv->all->at[i]);
            sv->n_interval += i == 0 && !sample->early && !sample->away;
        }
}

static bool is_over(const struct serving *sv) {
    bool live = false;
    for (int i = 0; i < sv->all->n; i++)
        live |= sv->all->at[i]->state == STREAM_LIVE;
    const struct frame *f = &sv->all->at[0]->frame;
    const bool enough = (sv->a->duration_ns && f->t1_ns + NS_PER_MS >= sv->a->duration_ns) ||
                        (sv->a->count && sv->n_interval >= (uint64_t)sv->a->count);
    return !live || enough;
}

static void loop(struct serving *sv, int signal_fd) {
    struct pollfd fd[CORE_TYPES_MAX + 1] = {{.fd = signal_fd, .events = POLLIN}};
    for (;;) {
        take_all(sv);
        const int ms = publish_turn(&sv->publish);
        if (is_over(sv))
            return;
        for (int i = 0; i < sv->all->n; i++)
            fd[i + 1] = (struct pollfd){.fd = session_fd(sv->all->at[i]), .events = POLLIN};
        poll(fd, (nfds_t)sv->all->n + 1, ms);
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
    exposition_init(&sv.e);
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
    publish_close(&sv.publish);
    exposition_destroy(&sv.e);
    return rc;
}

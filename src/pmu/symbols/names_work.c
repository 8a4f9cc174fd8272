/* The threads that read files for the screen's. */
#include "base/str.h"
#include "base/thread.h"
#include "pmu/symbols/names_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool same_wish(const struct wish *a, const struct wish *b) {
    return a->offset == b->offset && memcmp(&a->key, &b->key, sizeof(a->key)) == 0;
}

static int copy_wish(struct wish *w, const struct module *m, uint64_t offset) {
    *w = (struct wish){.m = *m, .offset = offset};
    module_key_init(&w->key, m);
    w->m.path = m->path ? strdup(m->path) : NULL;
    return m->path && !w->m.path ? -ENOMEM : 0;
}

static void free_wish(struct wish *w) {
    free((void *)(uintptr_t)w->m.path);
    w->m.path = NULL;
}

/* Until something is asked. Questions come together: all of them are waited for, which wakes nobody
 * for each. */
static void wait_for_wishes(struct names *n) {
    static const struct timespec moment = {.tv_nsec = 2000000};
    pthread_cond_wait(&n->finder.wake, &n->lock);
    pthread_mutex_unlock(&n->lock);
    nanosleep(&moment, NULL);
    pthread_mutex_lock(&n->lock);
}

static void *find_names(void *user) {
    struct names *n = user;
    pthread_mutex_lock(&n->lock);
    while (!n->stop) {
        if (n->n_wish == 0) {
            wait_for_wishes(n);
            continue;
        }
        struct wish w = n->wish[n->first_wish % WISHES];
        n->first_wish++;
        n->n_wish--;
        pthread_mutex_unlock(&n->lock);
        struct function f;
        names_function(n, &w.m, w.offset, &f);
        free_wish(&w);
        pthread_mutex_lock(&n->lock);
    }
    pthread_mutex_unlock(&n->lock);
    return NULL;
}

static void *open_functions(void *user) {
    struct names *n = user;
    pthread_mutex_lock(&n->lock);
    while (!n->stop) {
        if (!n->asked) {
            pthread_cond_wait(&n->opener.wake, &n->lock);
            continue;
        }
        struct wish w = n->open;
        const uint64_t question = n->question;
        n->open = (struct wish){0};
        n->asked = false;
        pthread_mutex_unlock(&n->lock);
        struct listing *l = NULL;
        const int rc = names_listing(n, &w.m, w.offset, &l, NULL);
        free_wish(&w);
        pthread_mutex_lock(&n->lock);
        if (question != n->question) {
            listing_free(l); /* another one is wanted now */
            continue;
        }
        n->answer = l;
        n->answer_rc = rc;
        n->answered = true;
    }
    pthread_mutex_unlock(&n->lock);
    return NULL;
}

static void *find_lines(void *user) {
    struct names *n = user;
    struct line_wish *l = &n->line;
    pthread_mutex_lock(&n->lock);
    while (!n->stop) {
        if (!l->asked || l->answered) {
            pthread_cond_wait(&n->liner.wake, &n->lock);
            continue;
        }
        pthread_mutex_unlock(&n->lock); /* what was asked stays as it is until it is answered */
        l->rc = names_lines(n, &l->of.m, l->offset, l->n, &l->answer, NULL);
        pthread_mutex_lock(&n->lock);
        l->answered = true;
    }
    pthread_mutex_unlock(&n->lock);
    return NULL;
}

static int start(struct names *n, struct worker *w, const char *name, void *(*run)(void *)) {
    if (w->started)
        return 0;
    const int rc = thread_start(&w->thread, name, run, n);
    w->started = rc == 0;
    return rc;
}

void names_stop(struct names *n) {
    pthread_mutex_lock(&n->lock);
    n->stop = true;
    pthread_mutex_unlock(&n->lock);
    struct worker *const workers[] = {&n->finder, &n->opener, &n->liner};
    for (size_t i = 0; i < sizeof(workers) / sizeof(workers[0]); i++)
        pthread_cond_signal(&workers[i]->wake);
    for (size_t i = 0; i < sizeof(workers) / sizeof(workers[0]); i++)
        if (workers[i]->started)
            pthread_join(workers[i]->thread, NULL);
    for (; n->n_wish > 0; n->n_wish--)
        free_wish(&n->wish[n->first_wish++ % WISHES]);
    free_wish(&n->open);
    listing_free(n->answer);
    free_wish(&n->line.of);
    free(n->line.offset);
    line_table_destroy(&n->line.answer);
}

int names_wish(struct names *n, const struct module *m, uint64_t offset) {
    struct wish w;
    module_key_init(&w.key, m);
    w.offset = offset;
    for (unsigned i = 0; i < n->n_wish; i++)
        if (same_wish(&n->wish[(n->first_wish + i) % WISHES], &w))
            return 0;
    if (n->n_wish == WISHES)
        return 0; /* it is asked again */
    int rc = start(n, &n->finder, "names", find_names);
    if (rc == 0)
        rc = copy_wish(&w, m, offset);
    if (rc < 0)
        return rc;
    n->wish[(n->first_wish + n->n_wish++) % WISHES] = w;
    pthread_cond_signal(&n->finder.wake);
    return 0;
}

int names_ask(struct names *n, const struct module *m, uint64_t offset) {
    struct wish w;
    int rc = copy_wish(&w, m, offset);
    if (rc < 0)
        return rc;
    pthread_mutex_lock(&n->lock);
    rc = start(n, &n->opener, "listing", open_functions);
    if (rc == 0) {
        free_wish(&n->open);
        listing_free(n->answer);
        n->open = w;
        n->answer = NULL;
        n->asked = true;
        n->answered = false;
        n->question++;
        pthread_cond_signal(&n->opener.wake);
    } else
        free_wish(&w);
    pthread_mutex_unlock(&n->lock);
    return rc;
}

struct listing *names_take(struct names *n, int *rc) {
    pthread_mutex_lock(&n->lock);
    struct listing *l = n->answered ? n->answer : NULL;
    *rc = n->answered ? n->answer_rc : -EAGAIN;
    if (l) {
        n->answer = NULL;
        n->answered = false;
    }
    pthread_mutex_unlock(&n->lock);
    return l;
}

int names_ask_lines(struct names *n, const struct module *m, const uint64_t *offset,
                    size_t n_offset) {
    struct line_wish *l = &n->line;
    pthread_mutex_lock(&n->lock);
    int rc = l->asked ? -EBUSY : start(n, &n->liner, "lines", find_lines);
    if (rc == 0) {
        l->offset = malloc((n_offset + 1) * sizeof(*offset));
        rc = l->offset ? copy_wish(&l->of, m, 0) : -ENOMEM;
        if (rc < 0) {
            free(l->offset);
            l->offset = NULL;
        }
    }
    if (rc == 0) {
        memcpy(l->offset, offset, n_offset * sizeof(*offset));
        l->n = n_offset;
        l->asked = true;
        pthread_cond_signal(&n->liner.wake);
    }
    pthread_mutex_unlock(&n->lock);
    return rc;
}

int names_take_lines(struct names *n, struct line_table *out) {
    struct line_wish *l = &n->line;
    *out = (struct line_table){0};
    pthread_mutex_lock(&n->lock);
    const int rc = l->answered ? l->rc : -EAGAIN;
    if (l->answered) {
        *out = l->answer;
        free_wish(&l->of);
        free(l->offset);
        *l = (struct line_wish){0};
    }
    pthread_mutex_unlock(&n->lock);
    return rc;
}

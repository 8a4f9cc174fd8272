#include "cli/measure_replay.h"

#include "base/str.h"
#include "db/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- recordings ---- */

/*
 * Whose events are these? A full model must be named, because a formula of the wrong core gives
 * wrong numbers silently. The general models fit every core: of these, and of the one that has the
 * common events of the CPU's architecture, the one that knows more of the recording.
 */
static int guess_model(struct measure *m, struct session *s, const struct args *a,
                       const struct pick *of, struct err *err) {
    const char *const general[] = {"generic", "software", of->name};
    const char *best = NULL;
    uint32_t most = 0;
    struct err first = {0};
    for (size_t i = 0; i < sizeof(general) / sizeof(general[0]) && general[i][0]; i++) {
        struct model model = {0};
        struct source src = {0};
        struct err why = {0};
        int rc = model_open(&model, general[i], &a->places, err);
        if (rc < 0)
            return rc;
        rc = source_open(&src, m->ops, &model, m->opt, &why);
        if (rc == 0) {
            if (src.layout.n_slot > most) {
                most = src.layout.n_slot;
                best = general[i];
            }
            source_close(&src);
        } else if (!first.code) {
            first = why;
        }
        model_free(&model);
    }
    if (!best) {
        *err = first;
        return first.code;
    }
    struct strbuf sb = strbuf_on(s->why_model, sizeof(s->why_model));
    strbuf_add(&sb, "only what every core %shas; ",
               best == of->name ? "of this architecture " : "");
    if (of->id[0])
        strbuf_add(&sb, "there is no model for %s, %s",
                   a->cpuid ? "that CPU" : "the recording's CPU", of->id);
    else
        strbuf_add(&sb, "--model NAME gives more (tdtop models lists them)");
    return model_open(&s->model, best, &a->places, err);
}

/* ---- stored runs ---- */

/* What is no file, and begins the id of a run, or is "@N". */
static bool names_run(const char *word) {
    if (access(word, F_OK) == 0 || !strcmp(word, "-"))
        return false;
    const char *digits = word[0] == '@' ? "0123456789" : "0123456789abcdefABCDEF";
    const size_t begin = word[0] == '@', n = strlen(word) - begin;
    return n > 0 && n <= RUN_ID_LEN && strspn(word + begin, digits) == n;
}

static int load_run(struct measure *m, const struct args *a, struct err *err) {
    struct store store;
    char id[RUN_ID_LEN + 1];
    m->run = calloc(1, sizeof(*m->run));
    if (!m->run)
        return err_set(err, -ENOMEM, "replay: out of memory; close other programs");
    int rc = store_open(&store, a->db, STORE_READ, err);
    if (rc == 0)
        rc = store_find(&store, a->word[0], id, err);
    if (rc == 0)
        rc = store_load(&store, id, RUN_ALL, m->run, err);
    store_close(&store);
    if (rc < 0)
        err_prefix(err, "replay %s: it is no file", a->word[0]);
    return rc;
}

/* By the model that it was evaluated with then, whatever became of it since; or by --model. */
static int prepare_run(struct measure *m, struct session *s, const struct args *a,
                       const struct pick *want, struct err *err) {
    struct strbuf sb = strbuf_on(s->why_model, sizeof(s->why_model));
    int rc = a->only ? err_set(err, -EINVAL, "--only is for recordings; a stored run is one thing")
                     : load_run(m, a, err);
    if (rc < 0)
        return rc;
    m->ops = &source_run;
    m->opt[0].run = m->run;
    if (want->name[0]) {
        strbuf_add(&sb, "as --%s says", a->cpuid ? "cpuid" : "model");
        return model_open(&s->model, want->name, &a->places, err);
    }
    if (!m->run->model_text[0])
        return err_set(err, -ENODATA,
                       "run %.8s: it holds values but no counts, so it cannot be replayed; tdtop "
                       "query %.8s shows its values",
                       m->run->id, m->run->id);
    strbuf_add(&sb, "the text that was stored with the run");
    return model_load(&s->model, m->run->model_text, strlen(m->run->model_text), m->run->model,
                      err);
}

/* ---- either ---- */

static bool can_be_read_once(const char *file) {
    struct stat st;
    return !strcmp(file, "-") ||
           (stat(file, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

int measure_replay(struct measure *m, struct sessions *all, const struct args *a,
                   const struct pick *want, struct err *err) {
    struct session *s = all->at[0];
    struct pick recorded;
    if (a->verb == VERB_REPLAY && names_run(a->word[0]))
        return prepare_run(m, s, a, want, err);
    struct strbuf sb = strbuf_on(s->why_model, sizeof(s->why_model));
    m->ops = &source_replay;
    m->opt[0].file = a->word[0];
    m->opt[0].only = a->only;
    const bool piped = can_be_read_once(m->opt[0].file);
    if (want->name[0] && (!want->lower || piped)) {
        strbuf_add(&sb, "as --%s says", a->cpuid ? "cpuid" : "model");
        pick_say(&sb, want, ": ");
        int rc = model_open(&s->model, want->name, &a->places, err);
        return rc == 0 && !want->id[0] ? pick_check_kind(a, &s->model, err) : rc;
    }
    if (want->lower)
        return guess_model(m, s, a, want, err);
    if (piped)
        return err_set(err, -EINVAL,
                       "replay %s: %s can be read once, so give --model NAME (tdtop models lists "
                       "them)",
                       m->opt[0].file,
                       strcmp(m->opt[0].file, "-") == 0 ? "standard input" : "a pipe or a device");
    int rc = pick_recorded(&recorded, a, m->opt[0].file, err);
    if (rc < 0)
        return rc;
    if (a->core_type && !recorded.id[0])
        return err_set(err, -EINVAL,
                       "--cputype %s: the recording does not say what CPU it was made on; give "
                       "--cpuid, or --model NAME alone",
                       a->core_type);
    if (!recorded.name[0] || recorded.lower)
        return guess_model(m, s, a, &recorded, err);
    strbuf_add(&sb, "as the recording says: it was made on %s", recorded.id);
    return model_open(&s->model, recorded.name, &a->places, err);
}

#include "cli/file/import_values.h"

#include "base/clock.h"
#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { LONGEST_S = 1000000000 };

int import_values_open(struct import_values *iv, struct importer *im, struct err *err) {
    *iv = (struct import_values){.im = im, .begin_s = NAN, .end_s = NAN};
    return replay_lines_open(&iv->in, im->path, err);
}

void import_values_close(struct import_values *iv) {
    run_values_free(&iv->values);
    replay_lines_close(&iv->in);
}

int import_values_split(char *line, char separator, char **field, int max) {
    int n = 0;
    char *from = line, *to;
    while (n < max) {
        bool quoted = *from == '"';
        from += quoted;
        field[n++] = to = from;
        for (; *from && (quoted || *from != separator); from++) {
            if (quoted && *from == '"') {
                quoted = from[1] == '"';
                from += quoted;
                if (!quoted)
                    continue;
            }
            *to++ = *from;
        }
        const bool more = *from != '\0';
        *to = '\0';
        if (!more)
            return n;
        from++;
    }
    return n;
}

bool import_values_choose(struct import_values *iv, const char *cpu) {
    const char *only = iv->im->a->only;
    if (!iv->cpu[0])
        str_copy(iv->cpu, sizeof(iv->cpu), only ? only : cpu);
    if (!strcmp(iv->cpu, cpu))
        return true;
    if (!iv->other[0])
        str_copy(iv->other, sizeof(iv->other), cpu);
    return false;
}

bool import_values_time(struct import_values *iv, double seconds) {
    if (seconds < 0 || seconds > LONGEST_S) /* not NAN: there is no column */
        return false;
    iv->begin_s = isnan(iv->begin_s) ? seconds : iv->begin_s;
    iv->end_s = isnan(seconds) ? iv->end_s : seconds;
    return true;
}

int import_values_bad(const struct import_values *iv, const char *what, struct err *err) {
    return err_set(err, -EINVAL, "%s:%llu: %s; is the file complete?", iv->im->path,
                   (unsigned long long)iv->in.number, what);
}

/* Times are those of the ends of intervals, and begin at 0. */
static void set_times(const struct import_values *iv, struct run *r) {
    r->measured_ns = clock_ns_of(iv->end_s);
    r->t1_ns = r->measured_ns;
    r->interval_ns = clock_ns_of(iv->begin_s);
    const int64_t begun = import_time_ns(iv->im->path) - (int64_t)r->measured_ns;
    r->begun_ns = iv->begun_ns ? iv->begun_ns : begun;
    r->ended_ns = r->begun_ns + (int64_t)r->measured_ns;
}

static int deepest(const struct run *r) {
    int level = 0;
    for (size_t i = 0; i < r->node.n; i++)
        level = r->node.at[i].level > level ? r->node.at[i].level : level;
    return level;
}

static int make_run(struct import_values *iv, struct run *r, struct err *err) {
    char target[224], file[128], cpu[64];
    struct strbuf sb = strbuf_on(target, sizeof(target));
    str_safe(file, sizeof(file), str_base_name(iv->im->path));
    strbuf_add(&sb, "%s%s%s", file, iv->cpu[0] ? " · " : "", str_safe(cpu, sizeof(cpu), iv->cpu));
    run_new_id(r->id);
    set_times(iv, r);
    int rc = run_set_text(&r->process, file);
    if (rc == 0)
        rc = run_set_text(&r->target, target);
    if (rc == 0)
        rc = run_set_text(&r->source, "import");
    if (rc == 0)
        rc = run_set_text(&r->version, iv->version[0] ? iv->version : iv->collector);
    if (rc == 0)
        rc = run_label_set(r, "collector", iv->collector, true, err);
    if (rc == 0)
        rc = run_set_text(&r->model, iv->im->a->model ? iv->im->a->model : iv->model);
    if (rc == 0)
        rc = run_values_finish(&iv->values, iv->reason, r, err);
    r->level = deepest(r);
    return rc;
}

static int check(const struct import_values *iv, struct err *err) {
    const char *only = iv->im->a->only;
    char cpu[64], other[64];
    if (iv->other[0] && !only)
        return err_set(err, -EINVAL,
                       "%s: it has values of several CPUs (%s, %s ...), which cannot be put "
                       "together without their counts; choose one: --only %s",
                       iv->im->path, str_safe(cpu, sizeof(cpu), iv->cpu),
                       str_safe(other, sizeof(other), iv->other), cpu);
    if (iv->n_row == 0)
        return err_set(err, -ENODATA, "%s: there are no values%s%s in it", iv->im->path,
                       only ? " of " : "", only ? only : "");
    return 0;
}

int import_values_take(struct import_values *iv, struct err *err) {
    struct run r = {0};
    int rc = check(iv, err);
    if (rc == 0)
        rc = make_run(iv, &r, err);
    if (rc == 0)
        rc = import_take(iv->im, &r, err);
    run_free(&r);
    return rc;
}

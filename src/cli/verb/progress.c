#include "cli/verb/progress.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/when.h"
#include "cli/out/table.h"
#include "model/eval/bottleneck.h"

#include <stdio.h>
#include <unistd.h>

void progress_begin(struct progress *p, int64_t done, int64_t n, const struct args *a) {
    *p = (struct progress){.on = isatty(STDERR_FILENO)};
    p->whole_ns = a->duration_ns;
    p->whole_count = a->count;
    struct strbuf sb = strbuf_on(p->which, sizeof(p->which));
    if (n > 1)
        strbuf_add(&sb, "run %lld of %lld, ", (long long)done + 1, (long long)n);
    else if (n == 0)
        strbuf_add(&sb, "run %lld, ", (long long)done + 1);
}

/* Text in at most as many columns as the terminal has, over what stood there. */
static void write_line(struct progress *p, const char *text) {
    const int room = table_terminal(stderr) - 1;
    int width = 0;
    size_t n = 0, used;
    char safe[512];
    str_safe(safe, sizeof(safe), text);
    for (; safe[n]; n += used) {
        const int w = str_cp_width(str_decode(safe + n, &used));
        if (width + w > room)
            break;
        width += w;
    }
    /* Not through stderr, which lets no carriage return out: base/door.h. */
    dprintf(STDERR_FILENO, "\r%.*s%*s\r", (int)n, safe, p->shown > width ? p->shown - width : 0,
            "");
    p->shown = width;
}

static bool is_due(struct progress *p) {
    const uint64_t now = clock_now_ns();
    if (!p->on || now - p->last_ns < 100 * NS_PER_MS)
        return false;
    p->last_ns = now;
    return true;
}

void progress_show(struct progress *p, const struct session *s) {
    char line[512], at[32], of[32], path[256];
    if (!is_due(p))
        return;
    struct strbuf sb = strbuf_on(line, sizeof(line));
    strbuf_add(&sb, "%s%s", p->which, when_duration(s->sample.t1_ns, at, sizeof(at)));
    if (p->whole_ns)
        strbuf_add(&sb, " of %s", when_duration(p->whole_ns, of, sizeof(of)));
    strbuf_add(&sb, ", %llu", (unsigned long long)s->n_frames);
    if (p->whole_count)
        strbuf_add(&sb, " of %lld", (long long)p->whole_count);
    strbuf_add(&sb, " interval%s  %s%s", s->n_frames == 1 && !p->whole_count ? "" : "s",
               bottleneck_text(&s->model, &s->frame, &s->frame.bottleneck, path, sizeof(path)),
               s->source.simulated ? "  SIMULATED" : "");
    write_line(p, line);
}

void progress_say(struct progress *p, const char *text) {
    if (p->on)
        write_line(p, text);
}

void progress_runs(struct progress *p, size_t n, size_t all) {
    char line[64];
    if (!is_due(p))
        return;
    snprintf(line, sizeof(line), "%zu of %zu runs", n, all);
    write_line(p, line);
}

void progress_wait(struct progress *p, uint64_t left_ns) {
    char line[96], left[32];
    if (!p->on)
        return;
    snprintf(line, sizeof(line), "the next run begins in %s",
             when_duration(left_ns, left, sizeof(left)));
    write_line(p, line);
}

void progress_clear(struct progress *p) {
    if (p->on && p->shown)
        write_line(p, "");
}

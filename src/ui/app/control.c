#include "ui/app/control.h"

#include "base/str.h"
#include "ui/popup/snapshot.h"
#include "ui/screen/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what the commands do ---- */

/* Each core type's session. */
static void for_all(struct screen *sc, void (*act)(struct session *s, const char *rest),
                    const char *rest) {
    int n = types_many(sc->types) ? sc->types->n : 1;
    for (int i = 0; i < n; i++)
        act(n > 1 ? sc->types->at[i]->scene.s : sc->scene.s, rest);
}

static void put_mark(struct session *s, const char *rest) {
    session_mark(s, rest);
}

static void do_pause(struct session *s, const char *rest) {
    (void)rest;
    session_pause(s, true);
}

static void do_resume(struct session *s, const char *rest) {
    (void)rest;
    session_pause(s, false);
}

static void do_reset(struct session *s, const char *rest) {
    (void)rest;
    session_reset(s);
}

static int mark(struct screen *sc, const char *rest, struct err *err) {
    char name[64];
    (void)err;
    for_all(sc, put_mark, rest);
    screen_say(sc, "control: marked %s", str_safe(name, sizeof(name), rest));
    return 0;
}

static int snapshot(struct screen *sc, const char *rest, struct err *err) {
    int rc = snapshot_take(sc, rest, err);
    if (rc == 0)
        screen_say(sc, "control: saving ...");
    return rc;
}

static int pause_all(struct screen *sc, const char *rest, struct err *err) {
    (void)err;
    for_all(sc, do_pause, rest);
    screen_say(sc, "control: paused; what is counted now is left out");
    return 0;
}

static int resume_all(struct screen *sc, const char *rest, struct err *err) {
    (void)err;
    for_all(sc, do_resume, rest);
    screen_say(sc, "control: goes on");
    return 0;
}

static int reset_all(struct screen *sc, const char *rest, struct err *err) {
    (void)err;
    for_all(sc, do_reset, rest);
    screen_say(sc, "control: sums start anew");
    return 0;
}

static int quit(struct screen *sc, const char *rest, struct err *err) {
    (void)rest;
    (void)err;
    sc->quit = true; /* what is being saved is waited for */
    return 0;
}

/* ---- the table ---- */

static const struct {
    const char *word;
    bool needs_rest, takes_rest;
    int (*act)(struct screen *sc, const char *rest, struct err *err);
} verbs[CONTROL_VERBS] = {
    [CONTROL_MARK] = {.word = "mark", .needs_rest = true, .takes_rest = true, .act = mark},
    [CONTROL_SNAPSHOT] = {.word = "snapshot", .takes_rest = true, .act = snapshot},
    [CONTROL_PAUSE] = {.word = "pause", .act = pause_all},
    [CONTROL_RESUME] = {.word = "resume", .act = resume_all},
    [CONTROL_RESET] = {.word = "reset", .act = reset_all},
    [CONTROL_QUIT] = {.word = "quit", .act = quit},
};
static const char known[] = "mark NAME, snapshot [KEY=VALUE ...], pause, resume, reset, quit";

/* ---- the FIFO ---- */

enum { AT_ONCE = 1024 }; /* bytes that are read in a turn: who never stops writing has to wait */

/* Opened for writing, too: else each writer that goes would leave an end of file behind. */
static int open_fifo(struct control_fifo *cf, struct err *err) {
    struct stat st;
    cf->fd = open(cf->path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (cf->fd < 0)
        return err_set(err, -errno, "--control %s: %s; name a FIFO that you may read and write",
                       cf->path, strerror(errno));
    if (fstat(cf->fd, &st) == 0 && S_ISFIFO(st.st_mode))
        return 0;
    return err_set(err, -EINVAL, "--control %s: it is there, but no FIFO; name another place",
                   cf->path);
}

int control_fifo_open(struct control_fifo *cf, const char *path, struct err *err) {
    *cf = (struct control_fifo){.fd = -1};
    if (strlen(path) >= sizeof(cf->path))
        return err_set(err, -ENAMETOOLONG, "--control: the path is too long; name another place");
    str_copy(cf->path, sizeof(cf->path), path);
    cf->made = mkfifo(path, 0600) == 0;
    if (!cf->made && errno != EEXIST)
        return err_set(err, -errno, "--control %s: %s; name a place where a FIFO can be made", path,
                       strerror(errno));
    int rc = open_fifo(cf, err);
    if (rc < 0)
        control_fifo_close(cf);
    return rc;
}

void control_fifo_close(struct control_fifo *cf) {
    if (cf->fd >= 0 && cf->path[0])
        close(cf->fd);
    if (cf->made)
        unlink(cf->path);
    *cf = (struct control_fifo){.fd = -1};
}

/* ---- lines ---- */

/* Takes the first line off the buffer. False: it has none that is over. */
static bool take_line(struct control_fifo *cf, char *out) {
    char *end = memchr(cf->line, '\n', cf->n);
    if (!end)
        return false;
    size_t len = (size_t)(end - cf->line);
    memcpy(out, cf->line, len);
    out[len] = '\0';
    if (len > 0 && out[len - 1] == '\r')
        out[len - 1] = '\0';
    cf->n -= len + 1;
    memmove(cf->line, end + 1, cf->n);
    return true;
}

/* More bytes, once in a turn; or 0: there are none now, or this turn is over. */
static int fill(struct control_fifo *cf) {
    if (cf->n == sizeof(cf->line) - 1) { /* no end of line in all of it */
        cf->too_long = true;
        cf->n = 0;
    }
    const size_t room = sizeof(cf->line) - 1 - cf->n;
    cf->has_read = !cf->has_read;
    if (!cf->has_read)
        return 0;
    ssize_t n = read(cf->fd, cf->line + cf->n, room < AT_ONCE ? room : AT_ONCE);
    if (n <= 0)
        cf->has_read = false;
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    for (ssize_t i = 0; i < n; i++)
        if (cf->line[cf->n + (size_t)i] == '\0')
            cf->line[cf->n + (size_t)i] = '?';
    cf->n += (size_t)n;
    return n > 0;
}

static int parse(const char *line, enum control_verb *verb, char *rest, struct err *err) {
    char shown[64];
    size_t len = strcspn(line, " \t");
    const char *more = line + len + strspn(line + len, " \t");
    for (int i = 0; i < CONTROL_VERBS; i++) {
        if (strlen(verbs[i].word) != len || strncmp(line, verbs[i].word, len) != 0)
            continue;
        if ((verbs[i].needs_rest && !*more) || (!verbs[i].takes_rest && *more))
            return err_set(err, -EINVAL, "control: \"%s\" %s; known are %s", verbs[i].word,
                           *more ? "stands alone" : "needs a name", known);
        *verb = (enum control_verb)i;
        str_copy(rest, CONTROL_LINE, more);
        return 1;
    }
    return err_set(err, -EINVAL, "control: \"%s\" is no command; known are %s",
                   str_safe(shown, sizeof(shown), line), known);
}

int control_fifo_next(struct control_fifo *cf, enum control_verb *verb, char *rest,
                      struct err *err) {
    char line[CONTROL_LINE];
    for (;;) {
        while (!take_line(cf, line)) {
            int rc = fill(cf);
            if (rc < 0)
                return err_set(err, rc, "control: reading %s: %s; commands are not heard any more",
                               cf->path, strerror(-rc));
            if (rc == 0)
                return 0;
        }
        if (cf->too_long) {
            cf->too_long = false;
            return err_set(err, -EINVAL, "control: a line is longer than %d bytes; make it shorter",
                           CONTROL_LINE - 1);
        }
        const char *text = line + strspn(line, " \t");
        if (*text && *text != '#')
            return parse(text, verb, rest, err);
    }
}

bool control_take(struct control_fifo *cf, struct screen *sc) {
    enum control_verb verb;
    char rest[CONTROL_LINE];
    struct err err;
    bool any = false;
    while (!sc->quit) {
        int rc = control_fifo_next(cf, &verb, rest, &err);
        if (rc == 0)
            break;
        any = true;
        bool broken = rc < 0 && rc != -EINVAL;
        if (rc > 0)
            rc = verbs[verb].act(sc, rest, &err);
        if (rc < 0)
            screen_say(sc, "%s", err.text);
        if (broken) {
            control_fifo_close(cf);
            break;
        }
    }
    return any;
}

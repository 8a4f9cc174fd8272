#include "cli/verb/publish.h"

#include "base/clock.h"
#include "base/door.h"
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* DIR/tdtop-redis-server.prom: as many targets as there are names go into one folder. */
static int choose_file(struct publish *p, const char *dir, const char *what, struct err *err) {
    char name[96];
    struct stat st;
    if (stat(dir, &st) < 0 || !S_ISDIR(st.st_mode))
        return err_set(err, -ENOTDIR,
                       "--textfile %s: it is no folder; give that of node_exporter's "
                       "--collector.textfile.directory",
                       dir);
    str_copy(name, sizeof(name), what);
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) ? *c : '-';
    const size_t room = sizeof(p->path) - sizeof(name) - sizeof("/tdtop-.prom");
    if (strlen(dir) > room)
        return err_set(err, -ENAMETOOLONG, "--textfile: the name of the folder is too long");
    snprintf(p->path, sizeof(p->path), "%s/tdtop-%s.prom", dir, name);
    snprintf(p->temporary, sizeof(p->temporary), "%s.%d", p->path, (int)getpid());
    return 0;
}

int publish_check(const struct publish_to *to, struct err *err) {
    struct publish p;
    return to->textfile ? choose_file(&p, to->textfile, "", err) : 0;
}

int publish_open(struct publish *p, struct exposition *e, const struct publish_to *to,
                 const char *name, struct err *err) {
    *p = (struct publish){.e = e, .change = exposition_change(e)};
    int rc = to->textfile ? choose_file(p, to->textfile, name, err) : 0;
    if (rc < 0 || !to->listen)
        return rc;
    rc = metrics_page_open(&p->page, e, to->listen, to->insecure, err);
    if (rc < 0)
        p->path[0] = '\0';
    else
        cli_note("http://%.*s:%d/metrics", (int)(strrchr(to->listen, ':') - to->listen), to->listen,
                 metrics_page_port(p->page));
    return rc;
}

/* Readers, who are others, see the old file or the new one. */
static void write_file(struct publish *p, const char *text, size_t n) {
    FILE *out = door_create(p->temporary);
    bool ok = out && fwrite(text, 1, n, out) == n;
    ok = out && fclose(out) == 0 && ok;
    ok = ok && chmod(p->temporary, 0644) == 0 && rename(p->temporary, p->path) == 0;
    if (!ok && !p->lacks)
        cli_note("--textfile %s: %s; tried again with the next interval", p->path, strerror(errno));
    if (!ok)
        unlink(p->temporary);
    if (ok && p->lacks)
        cli_note("--textfile %s: written again", p->path);
    p->lacks = !ok;
    p->wrote |= ok;
}

int publish_turn(struct publish *p) {
    const uint64_t now = clock_now_ns();
    if (!p->path[0])
        return -1;
    const unsigned long long change = exposition_change(p->e);
    if (now >= p->due_ns && change != p->change) {
        size_t n = 0;
        char *text = exposition_text(p->e, false, &n);
        if (text)
            write_file(p, text, n);
        free(text);
        p->change = change;
        p->due_ns = now + NS_PER_S;
    }
    return now < p->due_ns ? (int)((p->due_ns - now) / NS_PER_MS) + 1 : 1000;
}

void publish_close(struct publish *p) {
    metrics_page_close(p->page);
    if (p->wrote)
        unlink(p->path);
    *p = (struct publish){0};
}

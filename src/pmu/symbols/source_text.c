#include "pmu/symbols/source_text.h"

#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int cut(struct source_text *s, size_t n) {
    size_t lines = 1;
    for (size_t i = 0; i < n; i++)
        lines += s->text[i] == '\n';
    s->line = calloc(lines, sizeof(*s->line));
    if (!s->line)
        return -ENOMEM;
    for (size_t at = 0; at < n;) {
        char *end = memchr(s->text + at, '\n', n - at);
        const size_t next = end ? (size_t)(end - s->text) + 1 : n;
        s->text[end ? next - 1 : n] = '\0';
        if (next - at > 1 && s->text[next - 2] == '\r')
            s->text[next - 2] = '\0';
        str_clean(s->text + at, "\t");
        s->line[s->n_line++] = (uint32_t)at;
        at = next;
    }
    return 0;
}

int source_text_read(const struct places *p, pid_t pid, const char *path, struct source_text *out,
                     struct err *err) {
    struct bytes b;
    *out = (struct source_text){0};
    if (path[0] != '/')
        return err_set(err, -ENOENT, "%s: the debug information does not say in which folder it is",
                       path[0] ? path : "the source");
    int rc = pid > 0 ? file_open_of(p, pid, path, &b) : -ENOENT;
    if (rc < 0)
        rc = file_open_of(p, 0, path, &b);
    if (rc < 0)
        return err_set(err, rc, "%s: %s", path,
                       rc == -EINVAL ? "not a regular file" : strerror(-rc));
    if (b.size > SOURCE_TEXT_MAX)
        rc = -EFBIG;
    else if (!(out->text = malloc(b.size + 1)))
        rc = -ENOMEM;
    else {
        const size_t n = file_read_some(&b, 0, out->text, b.size);
        out->text[n] = '\0';
        rc = cut(out, n);
    }
    file_close(&b);
    if (rc < 0) {
        source_text_destroy(out);
        return err_set(err, rc < 0 ? rc : 0, "%s: %s", path, strerror(-rc));
    }
    return 0;
}

const char *source_text_line(const struct source_text *s, uint32_t number) {
    return number > 0 && number <= s->n_line ? s->text + s->line[number - 1] : NULL;
}

void source_text_destroy(struct source_text *s) {
    free(s->text);
    free(s->line);
    *s = (struct source_text){0};
}

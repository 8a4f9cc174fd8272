#include "cli/config/config_save.h"

#include "base/folder.h"
#include "base/str.h"
#include "base/toml.h"
#include "cli/config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 20, VALUE_MAX = 4200 };

/* ---- one value ---- */

/* A basic string of TOML. */
static void quote(struct strbuf *sb, const char *s) {
    strbuf_add(sb, "\"");
    for (; *s; s++)
        if (*s == '"' || *s == '\\')
            strbuf_add(sb, "\\%c", *s);
        else if ((unsigned char)*s < 0x20 || *s == 0x7f)
            strbuf_add(sb, "\\u%04X", (unsigned char)*s);
        else
            strbuf_add(sb, "%c", *s);
    strbuf_add(sb, "\"");
}

int config_toml(const char *key, const char *value, char *out, size_t cap, struct err *err) {
    const struct setting *s = config_setting(key);
    char line[VALUE_MAX + 64];
    struct err why = {0};
    if (!s)
        return err_set(err, -ENOENT, "there is no setting '%s'", key);
    bool bare = s->type == SETTING_INT || s->type == SETTING_REAL || s->type == SETTING_BOOL;
    struct strbuf sb = strbuf_on(out, cap);
    if (bare)
        strbuf_add(&sb, "%s", value);
    else
        quote(&sb, value);
    /* A bare value could be anything: a line end, a second key. */
    if (bare && (!*value || strpbrk(value, "\n\r#=")))
        return err_set(err, -EINVAL, "%s: \"%s\" is not one of its values; it takes %s", key, value,
                       s->help);
    snprintf(line, sizeof(line), "%s = %s\n", key, out);
    if (config_check(line, strlen(line), key, &why) == 0)
        return 0;
    return err_set(err, -EINVAL, "%s: \"%s\" is not one of its values; it takes %s", key, value,
                   s->help);
}

/* ---- the text ---- */

/* Begin of a line, counted from 1; len if there are fewer. */
static size_t line_begin(const char *text, size_t len, int line) {
    size_t at = 0;
    for (int i = 1; i < line && at < len; i++) {
        const char *end = memchr(text + at, '\n', len - at);
        at = end ? (size_t)(end - text) + 1 : len;
    }
    return at;
}

/* The end of a quoted string that begins at `at`; 0 if it is not over in its line. */
static size_t quoted_end(const char *text, size_t at, size_t len) {
    const char q = text[at];
    if (at + 2 < len && text[at + 1] == q && text[at + 2] == q)
        return 0; /* it may go over several lines */
    for (size_t i = at + 1; i < len && text[i] != '\n'; i++) {
        if (q == '"' && text[i] == '\\')
            i++;
        else if (text[i] == q)
            return i + 1;
    }
    return 0;
}

/* Where the value of "key = value # words" lies; false if it is more than a line. */
static bool find_value(const char *text, size_t len, size_t line, size_t *from, size_t *to) {
    const char *eq = memchr(text + line, '=', len - line);
    if (!eq)
        return false;
    size_t at = (size_t)(eq - text) + 1;
    while (at < len && (text[at] == ' ' || text[at] == '\t'))
        at++;
    *from = at;
    if (at < len && (text[at] == '"' || text[at] == '\'')) {
        *to = quoted_end(text, at, len);
        return *to > 0;
    }
    while (at < len && !strchr("#\r\n", text[at]))
        at++;
    while (at > *from && (text[at - 1] == ' ' || text[at - 1] == '\t'))
        at--;
    *to = at;
    return at > *from && !strchr("[{", text[*from]);
}

static bool is_comment(const char *text, size_t line) {
    while (text[line] == ' ' || text[line] == '\t')
        line++;
    return text[line] == '#';
}

/* Nothing is open there: no string or list goes over this place. */
static bool is_whole(const char *text, size_t len) {
    struct toml_doc doc;
    const int rc = toml_parse(&doc, text, len, "", NULL);
    toml_free(&doc);
    return rc == 0;
}

/* Above the comment that stands above the table; a string's last lines may look like one. */
static size_t before_comment(const char *text, size_t table) {
    size_t at = table;
    while (at > 0) {
        size_t above = at - 1;
        while (above > 0 && text[above - 1] != '\n')
            above--;
        if (!is_comment(text, above))
            break;
        at = above;
    }
    return is_whole(text, at) ? at : table;
}

/* text with [from, to) exchanged, malloc'ed. */
static char *exchange(const char *text, size_t len, size_t from, size_t to, const char *with) {
    size_t n = strlen(with);
    char *out = malloc(len - (to - from) + n + 1);
    if (!out)
        return NULL;
    memcpy(out, text, from);
    memcpy(out + from, with, n);
    memcpy(out + from + n, text + to, len - to);
    out[len - (to - from) + n] = '\0';
    return out;
}

static char *add_line(const struct toml_doc *doc, const char *text, size_t len, const char *key,
                      const char *value) {
    const char *nl = memchr(text, '\n', len);
    const char *end = nl && nl > text && nl[-1] == '\r' ? "\r\n" : "\n";
    char line[VALUE_MAX + 96];
    const bool table = doc->header_line > 0;
    const size_t at = table ? before_comment(text, line_begin(text, len, doc->header_line)) : len;
    bool open_line = at > 0 && text[at - 1] != '\n'; /* the last line has no end */
    snprintf(line, sizeof(line), "%s%s = %s%s%s", open_line ? end : "", key, value, end,
             table ? end : "");
    return exchange(text, len, at, at, line);
}

static int change_one(const char *text, size_t len, const char *name,
                      const struct config_change *ch, char **out, struct err *err) {
    struct toml_doc doc;
    char value[VALUE_MAX];
    size_t from, to;
    int rc = config_toml(ch->key, ch->value, value, sizeof(value), err);
    if (rc < 0)
        return rc;
    rc = toml_parse(&doc, text, len, name, err);
    if (rc < 0)
        return rc;
    const struct toml *old = toml_get(doc.root, ch->key);
    if (!old)
        *out = add_line(&doc, text, len, ch->key, value);
    else if (find_value(text, len, line_begin(text, len, old->line), &from, &to))
        *out = exchange(text, len, from, to, value);
    else
        rc = toml_err(&doc, old, err, -EINVAL,
                      "%s is written in a way that only you can change: over several lines, or as "
                      "a list; write %s = %s",
                      ch->key, ch->key, value);
    if (rc == 0 && !*out)
        rc = err_set(err, -ENOMEM, "out of memory");
    toml_free(&doc);
    return rc;
}

int config_edit(const char *text, size_t len, const char *name, const struct config_change *at,
                int n, char **out, struct err *err) {
    const size_t bom = str_bom(text, len); /* stays in front of whatever comes first */
    char *now = exchange(text + bom, len - bom, 0, 0, "");
    int rc = now ? 0 : err_set(err, -ENOMEM, "out of memory");
    for (int i = 0; i < n && rc == 0; i++) {
        char *next = NULL;
        rc = change_one(now, strlen(now), name, &at[i], &next, err);
        if (rc == 0) {
            free(now);
            now = next;
        }
    }
    if (rc == 0) /* what is written can be read again, or nothing is written */
        rc = config_check(now, strlen(now), name, err);
    if (rc < 0) {
        free(now);
        return rc;
    }
    *out = bom ? exchange(now, strlen(now), 0, 0, "\xEF\xBB\xBF") : now;
    if (bom)
        free(now);
    return *out ? 0 : err_set(err, -ENOMEM, "out of memory");
}

/* ---- the file ---- */

static int write_all(int fd, const char *text, size_t len) {
    while (len > 0) {
        ssize_t n = write(fd, text, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        text += n;
        len -= (size_t)n;
    }
    return fsync(fd) < 0 ? -errno : 0;
}

/* Beside the file, then in its place; with the rights that it had. */
static int replace(const char *path, const char *text) {
    char beside[PATH_MAX + 32];
    struct stat st;
    bool was = stat(path, &st) == 0;
    snprintf(beside, sizeof(beside), "%s.%d.new", path, (int)getpid());
    int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, was ? st.st_mode & 0777 : 0644);
    if (fd < 0)
        return -errno;
    int rc = 0;
    if (was && (fchmod(fd, st.st_mode & 0777) < 0 ||
                (st.st_uid != geteuid() && fchown(fd, st.st_uid, st.st_gid) < 0)))
        rc = -errno; /* under sudo it stays the user's */
    if (rc == 0)
        rc = write_all(fd, text, strlen(text));
    if (close(fd) < 0 && rc == 0)
        rc = -errno;
    if (rc == 0 && rename(beside, path) < 0)
        rc = -errno;
    if (rc < 0)
        unlink(beside);
    return rc;
}

static int not_saved(int rc, const char *path, struct err *err) {
    return err_set(err, rc,
                   "%s: %s; the settings are not saved, see its rights and those of its "
                   "folder",
                   path, strerror(-rc));
}

int config_save(const char *path, const struct config_change *at, int n, struct err *err) {
    char *text = NULL, *edited = NULL, real[PATH_MAX];
    size_t len = 0;
    if (!path || !*path)
        return err_set(err, -ENOENT,
                       "settings: there is no place for them; set HOME, or name a file with "
                       "--config");
    if (!realpath(path, real)) /* the file is not there yet */
        str_copy(real, sizeof(real), path);
    int rc = str_read_file(real, FILE_MAX, &text, &len, err);
    if (rc < 0 && rc != -ENOENT)
        return rc;
    rc = config_edit(text ? text : "", len, path, at, n, &edited, err);
    free(text);
    if (rc < 0) {
        err_prefix(err, "not saved");
        return rc;
    }
    rc = folder_make(real, NULL, 0);
    if (rc == 0)
        rc = replace(real, edited);
    free(edited);
    if (rc < 0)
        return not_saved(rc, path, err);
    if (err)
        *err = (struct err){0};
    return 0;
}

#include "ui/popup/save_screen.h"

#include "base/str.h"
#include "ui/term/term_style.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_ansi(const struct canvas *c, const struct save_options *opt, FILE *out) {
    return save_ansi(c, opt, out, "\n");
}

static const struct {
    const char *ending, *other;
    int (*write)(const struct canvas *c, const struct save_options *opt, FILE *out);
} formats[SAVE_N] = {[SAVE_TEXT] = {".txt", ".text", save_text},
                     [SAVE_ANSI] = {".ansi", ".ans", write_ansi},
                     [SAVE_SVG] = {".svg", ".svg", save_svg},
                     [SAVE_CAST] = {".cast", ".cast", save_cast},
                     [SAVE_CARD] = {".md", ".md", save_card}};

int save_format_of(const char *path, enum save_format *f, struct err *err) {
    for (*f = 0; *f < SAVE_N; (*f)++)
        if (str_ends(path, formats[*f].ending) || str_ends(path, formats[*f].other))
            return 0;
    return err_set(
        err, -EINVAL,
        "%s: the ending says what is written, and this one says nothing; end it in .svg "
        "(a picture), .ansi (text with colours), .txt, .cast (asciinema: the last minute) or "
        ".md (for a pull request)",
        path);
}

char *save_name(char *buf, size_t cap, time_t when, enum save_format f) {
    struct tm tm;
    char stamp[32] = "";
    if (localtime_r(&when, &tm))
        strftime(stamp, sizeof(stamp), "-%Y%m%d-%H%M%S", &tm);
    snprintf(buf, cap, "tdtop%s%s", stamp, formats[f].ending);
    return buf;
}

/* ---- text ---- */

static void put_char(FILE *out, uint32_t cp) {
    char bytes[4];
    fwrite(bytes, 1, str_encode(cp, bytes), out);
}

/* A blank of which nothing would be seen. */
static bool is_void(const struct term_style *l, uint32_t cp) {
    return cp == ' ' && l->bg < 0 && !l->reverse && !l->underline;
}

/* Columns up to the last that shows something. */
static int row_end(const struct cell *row, int w, const struct save_options *opt, int colors) {
    int end = w;
    while (end > 0) {
        const uint32_t cp = cell_char(row, w, end - 1, colors <= 0, opt->ascii);
        const struct term_style l = cell_style(opt->theme, &row[end - 1], colors);
        if (!(colors > 0 ? is_void(&l, cp) : cp == ' '))
            break;
        end--;
    }
    return end;
}

int save_text(const struct canvas *c, const struct save_options *opt, FILE *out) {
    for (int y = 0; y < c->h; y++) {
        const struct cell *row = c->at + (size_t)y * (size_t)c->w;
        const int end = row_end(row, c->w, opt, 0);
        for (int x = 0; x < end; x++) {
            const uint32_t cp = cell_char(row, c->w, x, true, opt->ascii);
            if (cp)
                put_char(out, cp);
        }
        fputc('\n', out);
    }
    return 0;
}

/* ---- text with colours: SGR, ECMA-48 8.3.117; 38;5 and 38;2 as xterm's ctlseqs has them ---- */

static void put_color(FILE *out, int color, int colors, bool ground) {
    const int base = ground ? 40 : 30;
    if (color < 0)
        return;
    if (colors >= DIRECT_COLORS)
        fprintf(out, ";%d;2;%d;%d;%d", base + 8, color >> 16 & 255, color >> 8 & 255, color & 255);
    else if (color >= 16)
        fprintf(out, ";%d;5;%d", base + 8, color);
    else
        fprintf(out, ";%d", color < 8 ? base + color : base + 60 + color - 8);
}

static bool same_look(const struct term_style *a, const struct term_style *b) {
    return a->fg == b->fg && a->bg == b->bg && a->bold == b->bold && a->dim == b->dim &&
           a->underline == b->underline && a->reverse == b->reverse;
}

static void put_look(FILE *out, const struct term_style *l, int colors) {
    fputs("\033[0", out);
    fputs(l->bold ? ";1" : "", out);
    fputs(l->dim ? ";2" : "", out);
    fputs(l->underline ? ";4" : "", out);
    fputs(l->reverse ? ";7" : "", out);
    put_color(out, l->fg, colors, false);
    put_color(out, l->bg, colors, true);
    fputc('m', out);
}

/* Each row begins and ends plain, so that single rows can be cut out. */
int save_ansi(const struct canvas *c, const struct save_options *opt, FILE *out, const char *end) {
    static const struct term_style plain = {.fg = -1, .bg = -1};
    for (int y = 0; y < c->h; y++) {
        const struct cell *row = c->at + (size_t)y * (size_t)c->w;
        const int upto = row_end(row, c->w, opt, opt->colors);
        struct term_style now = plain;
        for (int x = 0; x < upto; x++) {
            const uint32_t cp = cell_char(row, c->w, x, opt->colors <= 0, opt->ascii);
            const struct term_style l = cell_style(opt->theme, &row[x], opt->colors);
            if (cp == 0)
                continue;
            if (!same_look(&l, &now) && !(is_void(&l, cp) && is_void(&now, ' ')))
                put_look(out, &l, opt->colors);
            now = is_void(&l, cp) && is_void(&now, ' ') ? now : l;
            put_char(out, cp);
        }
        fputs(same_look(&now, &plain) ? "" : "\033[0m", out);
        fputs(end, out);
    }
    return 0;
}

int save_write(const struct canvas *c, const struct save_options *opt, enum save_format f,
               FILE *out) {
    /* Pictures have their ground once; where text is shown is not known. */
    struct theme bare = *opt->theme;
    struct save_options with = *opt;
    bare.paints = false;
    with.theme = &bare;
    with.colors = theme_has_colors(&bare) ? opt->colors : 0;
    return formats[f].write(c, &with, out);
}

/* ---- the file ---- */

static int cannot(const char *path, int rc, struct err *err) {
    switch (-rc) {
    case ENOENT:
    case ENOTDIR:
        return err_set(err, rc, "%s: its folder is not there; make it, or name another file", path);
    case EACCES:
    case EPERM:
    case EROFS:
        return err_set(err, rc, "%s: cannot be written: %s; name a file in a folder of yours", path,
                       strerror(-rc));
    case EEXIST:
        return err_set(err, rc, "%s: is there already, and stays as it is; name another file",
                       path);
    default:
        return err_set(err, rc, "%s: cannot be written: %s", path, strerror(-rc));
    }
}

/* The file under its name. A name that appears meanwhile is not overwritten either. */
static int put_in_place(const char *draft, const char *path, bool overwrite) {
    if (overwrite)
        return rename(draft, path) < 0 ? -errno : 0;
    if (renameat2(AT_FDCWD, draft, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -errno;
    /* NFS and old kernels know no RENAME_NOREPLACE */
    if (link(draft, path) < 0)
        return -errno;
    unlink(draft);
    return 0;
}

static int fill(int fd, const struct canvas *c, const struct save_options *opt,
                enum save_format f) {
    FILE *out = fdopen(fd, "w");
    if (!out) {
        close(fd);
        return -ENOMEM;
    }
    errno = 0;
    int rc = save_write(c, opt, f, out);
    rc = rc < 0 ? rc : fflush(out) != 0 || ferror(out) ? -(errno ? errno : EIO) : 0;
    if (rc == 0 && fsync(fd) < 0 && errno != EINVAL && errno != EROFS)
        rc = -errno;
    if (fclose(out) != 0 && rc == 0)
        rc = -errno;
    return rc;
}

int save_screen(const struct canvas *c, const struct save_options *opt, const char *path,
                bool overwrite, struct err *err) {
    enum save_format f;
    char draft[4096];
    struct stat st;
    int rc = save_format_of(path, &f, err);
    if (rc < 0)
        return rc;
    if (!overwrite && lstat(path, &st) == 0)
        return cannot(path, -EEXIST, err);
    if ((size_t)snprintf(draft, sizeof(draft), "%s.%d.part", path, (int)getpid()) >= sizeof(draft))
        return cannot(path, -ENAMETOOLONG, err);
    const int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return cannot(path, errno == EEXIST ? -EBUSY : -errno, err);
    rc = fill(fd, c, opt, f);
    if (rc == 0)
        rc = put_in_place(draft, path, overwrite);
    if (rc < 0) {
        unlink(draft);
        return cannot(path, rc, err);
    }
    return 0;
}

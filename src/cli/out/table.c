#include "cli/out/table.h"

#include "base/door.h"
#include "base/str.h"

#include <langinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { GAP = 2, COLUMNS_MAX = 32 };

/* ---- filling ---- */

void table_init(struct table *t, const struct table_column *column, int n_column) {
    *t = (struct table){.column = column,
                        .n_column = n_column < COLUMNS_MAX ? n_column : COLUMNS_MAX};
}

static void add_owned(struct table *t, char *text) {
    if (text && array_push(&t->cell, text) == 0)
        return;
    free(text);
    t->failed = true;
}

/* Newlines and tabs are shown as "\\n" and "\\t", in one line; malloc'ed. */
static char *in_one_line(const char *text) {
    char *out = malloc(2 * strlen(text) + 1), *at = out;
    for (; out && *text; text++)
        if (*text == '\n' || *text == '\t')
            at = stpcpy(at, *text == '\n' ? "\\n" : "\\t");
        else
            *at++ = *text;
    if (out)
        *at = '\0';
    return out;
}

/* Made safe here, so that its width is that of what is printed. */
void table_add(struct table *t, const char *text) {
    char *line = in_one_line(text);
    const size_t cap = line ? strlen(line) + 1 : 0; /* no sign gets longer */
    char *safe = line ? malloc(cap) : NULL;
    add_owned(t, safe ? str_safe(safe, cap, line) : NULL);
    free(line);
}

void table_addf(struct table *t, const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    table_add(t, text);
}

void table_heading(struct table *t, const char *text) {
    if (array_push(&t->cell, NULL) < 0)
        t->failed = true;
    table_add(t, text);
    for (int i = 2; i < t->n_column; i++)
        table_add(t, "");
}

size_t table_rows(const struct table *t) {
    return t->n_column ? t->cell.n / (size_t)t->n_column : 0;
}

void table_free(struct table *t) {
    for (size_t i = 0; i < t->cell.n; i++)
        free(t->cell.at[i]);
    array_free(&t->cell);
}

/* ---- widths ---- */

int table_terminal(FILE *out) {
    struct winsize ws;
    if (!isatty(door_fd(out)) || ioctl(door_fd(out), TIOCGWINSZ, &ws) < 0)
        return 0;
    return ws.ws_col;
}

static const char *cell(const struct table *t, size_t row, int column) {
    return t->cell.at[row * (size_t)t->n_column + (size_t)column];
}

/* Widths as the text wants them; 0: an empty column. */
static void measure(const struct table *t, int *width) {
    for (int c = 0; c < t->n_column; c++)
        width[c] = 0;
    for (size_t r = 0; r < table_rows(t); r++)
        for (int c = 0; c < t->n_column && cell(t, r, 0); c++) {
            const int w = str_width(cell(t, r, c));
            width[c] = w > width[c] ? w : width[c];
        }
    for (int c = 0; c < t->n_column; c++) {
        const int title = str_width(t->column[c].title);
        if (width[c] && title > width[c])
            width[c] = title;
    }
}

static int sum(const int *width, int n) {
    int all = 0;
    for (int c = 0; c < n; c++)
        all += width[c] ? width[c] + (all ? GAP : 0) : 0;
    return all;
}

/* What is too wide is taken from the widest of the columns that may be cut. */
static void fit(const struct table *t, int *width, int limit) {
    while (sum(width, t->n_column) > limit) {
        int widest = -1;
        for (int c = 0; c < t->n_column; c++)
            if (t->column[c].least && width[c] > t->column[c].least &&
                (widest < 0 || width[c] > width[widest]))
                widest = c;
        if (widest < 0)
            return;
        width[widest]--;
    }
}

/* ---- printing ---- */

struct line {
    FILE *out;
    int at, limit; /* columns written; 0: no limit */
    bool utf8;
};

/* Bytes of the longest begin of text that is at most so wide. */
static size_t part_of(const char *text, int width, int *is) {
    size_t n = 0, used;
    *is = 0;
    while (text[n]) {
        const int w = str_cp_width(str_decode(text + n, &used));
        if (*is + w > width)
            break;
        *is += w;
        n += used;
    }
    return n;
}

static void spaces(struct line *l, int n) {
    for (; n > 0 && (!l->limit || l->at < l->limit); n--, l->at++)
        fputc(' ', l->out);
}

/* Text in at most so many columns; a sign stands for what was cut. */
static void put(struct line *l, const char *text, int width) {
    const int left = l->limit ? l->limit - l->at : width;
    const bool cut = str_width(text) > (width < left ? width : left);
    const int room = (width < left ? width : left) - cut;
    int is = 0;
    if (room < 0 || (room == 0 && cut && left <= 0))
        return;
    fwrite(text, 1, part_of(text, room, &is), l->out);
    if (cut)
        fputs(l->utf8 ? "…" : "~", l->out);
    l->at += is + cut;
}

static void put_row(const struct table *t, struct line *l, const int *width,
                    const char *(*text)(const struct table *, size_t, int), size_t row) {
    int pad = 0; /* due before the next text, so that lines do not end in spaces */
    l->at = 0;
    for (int c = 0; c < t->n_column; c++) {
        if (!width[c])
            continue;
        const char *s = text(t, row, c);
        const int w = str_width(s), free_ = w < width[c] ? width[c] - w : 0;
        pad += t->column[c].right ? free_ : 0;
        if (*s) {
            spaces(l, pad);
            put(l, s, width[c]);
            pad = 0;
        }
        pad += GAP + (t->column[c].right ? 0 : free_);
    }
    fputc('\n', l->out);
}

static const char *title(const struct table *t, size_t row, int column) {
    (void)row;
    return t->column[column].title;
}

int table_print(const struct table *t, FILE *out) {
    if (t->failed)
        return -ENOMEM;
    int width[COLUMNS_MAX];
    struct line l = {.out = out, .limit = table_terminal(out)};
    l.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    measure(t, width);
    if (l.limit)
        fit(t, width, l.limit);
    put_row(t, &l, width, title, 0);
    for (size_t r = 0; r < table_rows(t); r++) {
        l.at = 0;
        if (cell(t, r, 0)) {
            put_row(t, &l, width, cell, r);
        } else {
            put(&l, cell(t, r, 1), l.limit ? l.limit : str_width(cell(t, r, 1)));
            fputc('\n', out);
        }
    }
    return 0;
}

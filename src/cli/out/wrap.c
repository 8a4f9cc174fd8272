#include "cli/out/wrap.h"

#include "base/door.h"
#include "base/str.h"
#include "cli/out/table.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 100, WIDTH_MIN = 40, WIDTH_MAX = 120, ROOM_MIN = 20 };
enum { LIST_WIDTH = 10000 }; /* longer than any row */

/* 0: not known. */
static int columns_of(FILE *out) {
    const char *said = getenv("COLUMNS");
    const int w = table_terminal(out);
    if (w > 0)
        return w;
    const long n = said ? strtol(said, NULL, 10) : 0;
    return n > 0 && n < LIST_WIDTH ? (int)n : 0;
}

int wrap_width(FILE *out) {
    const int n = columns_of(out);
    if (n == 0)
        return WIDTH;
    return n < WIDTH_MIN ? WIDTH_MIN : n > WIDTH_MAX ? WIDTH_MAX : n;
}

int wrap_list_width(FILE *out) {
    return isatty(door_fd(out)) || columns_of(out) ? wrap_width(out) : LIST_WIDTH;
}

/* Columns of the next word, which ends at a blank; its bytes in *len. */
static int word_width(const char *text, size_t *len) {
    char word[256];
    *len = strcspn(text, " \n");
    str_copy(word, *len + 1 < sizeof(word) ? *len + 1 : sizeof(word), text);
    return *len + 1 < sizeof(word) ? str_width(word) : (int)*len;
}

void wrap_put(FILE *out, int width, int used, const char *text) {
    const int room = width - used > ROOM_MIN ? width - used : ROOM_MIN;
    int col = 0;
    for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
        size_t len;
        const int w = word_width(text, &len);
        if (col > 0 && col + 1 + w > room) {
            fprintf(out, "\n%*s", used, "");
            col = 0;
        } else if (col > 0) {
            fputc(' ', out);
            col++;
        }
        fwrite(text, 1, len, out);
        col += w;
        text += len;
    }
    fputc('\n', out);
}

void wrap_row(FILE *out, int width, int indent, int name_w, const char *name, const char *text) {
    const int at = indent + name_w + 1;
    if (width - at >= ROOM_MIN && str_width(name) <= name_w) {
        fprintf(out, "%*s%-*s ", indent, "", name_w, name);
        wrap_put(out, width, at, text);
        return;
    }
    fprintf(out, "%*s%s\n%*s", indent, "", name, indent + 2, "");
    wrap_put(out, width, indent + 2, text);
}

void wrap_pair(FILE *out, int width, int indent, int label_w, const char *label, const char *text) {
    if (!text || !text[0])
        return;
    const int w = (int)strlen(label) < label_w ? label_w : (int)strlen(label) + 1;
    fprintf(out, "%*s%-*s", indent, "", w, label);
    wrap_put(out, width, indent + w, text);
}

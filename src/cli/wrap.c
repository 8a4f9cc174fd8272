#include "cli/wrap.h"

#include "base/str.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH = 100, WIDTH_MIN = 60, WIDTH_MAX = 120, ROOM_MIN = 30 };

int wrap_width(FILE *out) {
    struct winsize ws;
    if (!isatty(fileno(out)) || ioctl(fileno(out), TIOCGWINSZ, &ws) < 0 || ws.ws_col == 0)
        return WIDTH;
    return ws.ws_col < WIDTH_MIN ? WIDTH_MIN : ws.ws_col > WIDTH_MAX ? WIDTH_MAX : ws.ws_col;
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

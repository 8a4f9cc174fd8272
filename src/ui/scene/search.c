#include "ui/scene/search.h"

#include "base/str.h"
#include "ui/draw/widget.h"

#include <stdio.h>
#include <string.h>

/* Where the text is in a name: offset and length in bytes. */
static bool find(const struct search *se, const char *name, size_t *at, size_t *len) {
    if (!se->text[0])
        return false;
    const char *hit = strcasestr(name, se->text);
    if (!hit)
        return false;
    *at = (size_t)(hit - name);
    *len = strlen(se->text);
    return true;
}

bool search_has(const struct search *se, const char *name) {
    size_t at, len;
    return find(se, name, &at, &len);
}

int search_draw(const struct search *se, struct canvas *c, struct rect clip, int x, int y, int w,
                enum style st, const char *name) {
    const int used = widget_text(c, clip, x, y, w, st, name);
    char part[256];
    size_t at, len;
    if (!find(se, name, &at, &len))
        return used;
    snprintf(part, sizeof(part), "%.*s", (int)at, name);
    const int from = str_width(part);
    snprintf(part, sizeof(part), "%.*s", (int)len, name + at);
    if (from < w)
        widget_text(c, clip, x + from, y, w - from, STYLE_MATCH, part);
    return used;
}

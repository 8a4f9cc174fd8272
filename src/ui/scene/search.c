#include "ui/scene/search.h"

#include <string.h>

bool search_hit(const struct search *se, const char *name, size_t *at, size_t *len) {
    if (!se->text[0])
        return false;
    const char *hit = strcasestr(name, se->text);
    if (!hit)
        return false;
    *at = (size_t)(hit - name);
    *len = strlen(se->text);
    return true;
}

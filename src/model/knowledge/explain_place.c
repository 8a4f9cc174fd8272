#include "model/knowledge/explain_place.h"

#include "base/str.h"

#include <string.h>

static const char *name_at(size_t i) {
    return explain_place_names + explain_places[i].name;
}

const struct explain_place *explain_place_find(const char *name) {
    size_t low = 0, high = explain_n_places; /* the first that is not before it */
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (str_order_names(name_at(mid), name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    const struct explain_place *found = NULL;
    for (; low < explain_n_places && str_same_name(name_at(low), name); low++)
        if (!found || strcmp(name_at(low), name) == 0)
            found = &explain_places[low];
    return found;
}

#include "model/load/name_set.h"

#include "model/load/model.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum { NAME_CAP = 256 }; /* of names that are asked for: twice what any model has, and more */

static void fold(char *out, const char *name, size_t len) {
    for (size_t i = 0; i < len; i++)
        out[i] = name[i] == '-' ? '_' : (char)tolower((unsigned char)name[i]);
    out[len] = '\0';
}

static int add(struct name_set *s, const char *name, size_t len) {
    char *copy = arena_text(&s->arena_, name, len);
    if (!copy)
        return -ENOMEM;
    fold(copy, name, len);
    return dict_put(&s->dict_, copy, 0) == -ENOMEM ? -ENOMEM : 0; /* a second time is no error */
}

static int add_groups(struct name_set *s, const char *groups) {
    int rc = 0;
    for (const char *g = groups; g && *g && rc == 0; g += strspn(g, "; ")) {
        const size_t len = strcspn(g, "; ");
        rc = len ? add(s, g, len) : 0;
        g += len;
    }
    return rc;
}

int name_set_init(struct name_set *s, const struct model *m) {
    int rc = 0;
    *s = (struct name_set){0};
    for (uint32_t i = 0; i < m->n_metric && rc == 0; i++) {
        rc = add(s, m->metric[i].name, strlen(m->metric[i].name));
        if (rc == 0)
            rc = add_groups(s, m->metric[i].groups);
    }
    if (rc < 0)
        name_set_destroy(s);
    return rc;
}

void name_set_destroy(struct name_set *s) {
    dict_free(&s->dict_);
    arena_free(&s->arena_);
    *s = (struct name_set){0};
}

bool name_set_has(const struct name_set *s, const char *name, size_t len) {
    char text[NAME_CAP];
    if (len >= sizeof(text))
        return false;
    fold(text, name, len);
    return dict_get(&s->dict_, text) >= 0;
}

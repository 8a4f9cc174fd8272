#include "pmu/symbols/demangle.h"

#include "base/str.h"
#include "pmu/symbols/apart.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MANGLED_MAX = 2048,
    /* A reference to an earlier part may double the text: 16 of them give 400 times its length at
     * most, thousands of them more than there is memory. */
    REFERENCES_MAX = 16,
    TEXT_MAX = 4096,
    APART_MS = 1000,
};

/* S_, S0_, T_, T0_ of C++, B_, B0_ of Rust; G0_ of Rust, lifetimes that are written one by one, of
 * which a number of more digits is as bad: also what only looks like one. */
static int references(const char *s) {
    const char *kinds = s[1] == 'R' ? "BG" : "ST";
    int n = 0;
    for (; *s; s++)
        if (strchr(kinds, *s)) {
            const size_t digits = strspn(s + 1, "0123456789abcdefghijklmnopqrstuvwxyz"
                                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
            if (s[1 + digits] == '_')
                n += *s == 'G' && digits > 1 ? REFERENCES_MAX + 1 : 1;
        }
    return n;
}

/* Rust's older names are C++'s with a hash, which is cut. */
static char *read_name(const char *mangled) {
    char *text = rust_demangle(mangled, DMGL_NO_OPTS);
    return text ? text : cplus_demangle_v3(mangled, DMGL_PARAMS | DMGL_ANSI);
}

static void put_apart(void *user, int fd) {
    char *text = read_name(user);
    const size_t n = text ? strlen(text) : 0;
    if (write(fd, text ? text : "", n < TEXT_MAX ? n : TEXT_MAX) < 0)
        _exit(1);
}

static char *demangled(char *mangled) {
    char *text = NULL;
    size_t n;
    if (references(mangled) <= REFERENCES_MAX)
        return read_name(mangled);
    if (apart_run(put_apart, mangled, APART_MS, TEXT_MAX, &text, &n, NULL) < 0 || n == 0) {
        free(text);
        return NULL;
    }
    return text;
}

char *demangle(char *dst, size_t cap, const char *name) {
    char mangled[MANGLED_MAX], whole[TEXT_MAX + 64];
    if (strlen(name) >= sizeof(mangled) || (!str_starts(name, "_Z") && !str_starts(name, "_R")))
        return str_safe(dst, cap, name);
    str_copy(mangled, sizeof(mangled), name);
    const size_t n_base = strcspn(mangled, "@"); /* "@plt", "@@VERSION" */
    mangled[n_base] = '\0';
    char *text = demangled(mangled);
    if (!text)
        return str_safe(dst, cap, name);
    struct strbuf sb = strbuf_on(whole, sizeof(whole));
    strbuf_add(&sb, "%s%s", text, name + n_base);
    free(text);
    return str_safe(dst, cap, whole);
}

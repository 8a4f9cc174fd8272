#include "pmu/symbols/demangle.h"

#include "base/str.h"
#include "pmu/symbols/apart.h"
#include "pmu/symbols/demangle_rust.h"
#include "pmu/symbols/libraries.h"

#include <ctype.h>
#include <pthread.h>
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

/* Itanium C++ ABI, "abi::__cxa_demangle". */
typedef char *demangler(const char *mangled, char *buf, size_t *n, int *status);
static demangler *cxa_demangle;

static void load(void) {
    static const struct library_function f = {"__cxa_demangle", &cxa_demangle};
    library_load(LIBRARY_STDCXX, &f, 1, NULL);
}

/* S_, S0_, T_, T0_: also what only looks like one. */
static int references(const char *s) {
    int n = 0;
    for (; *s; s++)
        if (*s == 'S' || *s == 'T') {
            const char *end = s + 1;
            while (isdigit((unsigned char)*end) || isupper((unsigned char)*end))
                end++;
            n += *end == '_';
        }
    return n;
}

static void put_apart(void *user, int fd) {
    int status;
    char *text = cxa_demangle(user, NULL, NULL, &status);
    const size_t n = text ? strlen(text) : 0;
    if (write(fd, text ? text : "", n < TEXT_MAX ? n : TEXT_MAX) < 0)
        _exit(1);
}

static char *demangled(char *mangled) {
    char *text = NULL;
    size_t n;
    int status;
    if (references(mangled) <= REFERENCES_MAX)
        return cxa_demangle(mangled, NULL, NULL, &status);
    if (apart_run(put_apart, mangled, APART_MS, TEXT_MAX, &text, &n, NULL) < 0 || n == 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* "::h" and 16 hexadecimal digits at the end: where it begins, or NULL. */
static char *rust_hash(char *s) {
    const size_t n = strlen(s), n_hash = 19;
    if (n <= n_hash || !str_starts(s + n - n_hash, "::h"))
        return NULL;
    return strspn(s + n - 16, "0123456789abcdef") == 16 ? s + n - n_hash : NULL;
}

/* What Rust put in the place of characters that C++ names cannot have. */
static void undo_rust(char *s) {
    static const char *const marks[][2] = {
        {"$SP$", "@"}, {"$BP$", "*"}, {"$RF$", "&"}, {"$LT$", "<"}, {"$GT$", ">"},
        {"$LP$", "("}, {"$RP$", ")"}, {"$C$", ","},  {"..", "::"},
    };
    char *to = s;
    const char *from = s;
    if (from[0] == '_' && from[1] == '$')
        from++;
    while (*from) {
        size_t used = 0;
        for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]) && !used; i++)
            if (str_starts(from, marks[i][0])) {
                used = strlen(marks[i][0]);
                memcpy(to, marks[i][1], strlen(marks[i][1]));
                to += strlen(marks[i][1]);
            }
        if (!used && from[0] == '$' && from[1] == 'u') {
            char *end;
            const unsigned long cp = strtoul(from + 2, &end, 16);
            if (*end == '$' && cp >= ' ' && cp < 0x7F) {
                *to++ = (char)cp;
                used = end + 1 - from;
            }
        }
        if (!used && from > s && from[-1] == ':' && from[0] == '_' && from[1] == '$')
            used = 1;
        if (!used) {
            *to++ = *from;
            used = 1;
        }
        from += used;
    }
    *to = '\0';
}

char *demangle(char *dst, size_t cap, const char *name) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char mangled[MANGLED_MAX];
    const size_t n = strlen(name);
    if (str_starts(name, "_R") && demangle_rust(mangled, sizeof(mangled), name))
        return str_safe(dst, cap, mangled);
    if (n >= sizeof(mangled) || !str_starts(name, "_Z"))
        return str_safe(dst, cap, name);
    pthread_once(&once, load);
    str_copy(mangled, sizeof(mangled), name);
    const size_t n_base = strcspn(mangled, "@"); /* "@plt", "@@VERSION" */
    mangled[n_base] = '\0';
    char *text = cxa_demangle ? demangled(mangled) : NULL;
    if (!text)
        return str_safe(dst, cap, name);
    char *hash = rust_hash(text);
    if (hash) {
        *hash = '\0';
        undo_rust(text);
    }
    char whole[TEXT_MAX + 64];
    struct strbuf sb = strbuf_on(whole, sizeof(whole));
    strbuf_add(&sb, "%s%s", text, name + n_base);
    free(text);
    return str_safe(dst, cap, whole);
}

#include "pmu/symbols/demangle_rust.h"

#include "base/str.h"

#include <stdint.h>
#include <string.h>

/* A reference goes back to what was read before and may be in it many times: steps are counted. */
enum { DEPTH_MAX = 64, STEPS_MAX = 20000 };

struct rust {
    const char *s; /* behind "_R" */
    size_t at, n;
    struct strbuf out;
    int depth, steps;
    bool broken, quiet; /* quiet: read, but not written */
    unsigned bound;     /* lifetimes that are bound around here */
};

static void path(struct rust *r, bool value);
static void type(struct rust *r);

static char peek(const struct rust *r) {
    return r->at < r->n ? r->s[r->at] : '\0';
}

static bool take(struct rust *r, char c) {
    if (r->broken || peek(r) != c)
        return false;
    r->at++;
    return true;
}

static char next(struct rust *r) {
    const char c = peek(r);
    if (!c || ++r->steps > STEPS_MAX)
        r->broken = true;
    else
        r->at++;
    return r->broken ? '\0' : c;
}

static void put(struct rust *r, const char *text) {
    if (!r->quiet)
        strbuf_add(&r->out, "%s", text);
}

/* In base 62, ended by '_': 0 for "_" alone, else one more than its digits say. */
static uint64_t base62(struct rust *r) {
    uint64_t v = 0;
    if (take(r, '_'))
        return 0;
    for (char c; !r->broken && (c = next(r)) != '_';) {
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'z' ? c - 'a' + 10
                          : c >= 'A' && c <= 'Z' ? c - 'A' + 36
                                                 : -1;
        if (digit < 0 || v > (UINT64_MAX - 62) / 62)
            r->broken = true;
        else
            v = v * 62 + digit;
    }
    return v + 1;
}

/* s_ and the like: tells things of one name apart. */
static uint64_t disambiguator(struct rust *r) {
    return take(r, 's') ? base62(r) + 1 : 0;
}

struct ident {
    const char *at;
    size_t n;
    bool puny;
};

static struct ident identifier(struct rust *r) {
    struct ident id = {.puny = take(r, 'u')};
    const char first = next(r);
    if (first < '0' || first > '9')
        r->broken = true;
    size_t n = r->broken ? 0 : (size_t)(first - '0');
    while (n > 0 && !r->broken && peek(r) >= '0' && peek(r) <= '9')
        if ((n = n * 10 + (size_t)(next(r) - '0')) > r->n)
            r->broken = true;
    take(r, '_');
    if (r->broken || n > r->n - r->at) {
        r->broken = true;
        return (struct ident){0};
    }
    id.at = r->s + r->at;
    id.n = n;
    r->at += n;
    return id;
}

static void put_ident(struct rust *r, struct ident id) {
    if (!r->quiet)
        strbuf_add(&r->out, id.puny ? "punycode{%.*s}" : "%.*s", (int)id.n, id.at ? id.at : "");
}

/* Goes on at an earlier place, once the way back is known. */
static bool back(struct rust *r, size_t from, size_t *here) {
    const uint64_t to = base62(r);
    if (r->broken || to >= from || r->depth > DEPTH_MAX)
        r->broken = true;
    *here = r->at;
    if (!r->broken)
        r->at = (size_t)to;
    return !r->broken;
}

static void lifetime(struct rust *r, uint64_t index) {
    char text[32] = "'_";
    if (index > r->bound)
        r->broken = true;
    else if (index > 0) {
        const uint64_t depth = r->bound - index;
        struct strbuf sb = strbuf_on(text, sizeof(text));
        strbuf_add(&sb, depth < 26 ? "'%c" : "'_%u", depth < 26 ? 'a' + (int)depth : (int)depth);
    }
    put(r, text);
}

/* for<'a, 'b> in front of a function or a trait object; whoever reads it ends it. */
static void binder(struct rust *r) {
    const uint64_t n = take(r, 'G') ? base62(r) + 1 : 0;
    if (n > 64)
        r->broken = true;
    for (uint64_t i = 0; i < n && !r->broken; i++) {
        put(r, i == 0 ? "for<" : ", ");
        r->bound++;
        lifetime(r, 1);
    }
    put(r, n > 0 ? "> " : "");
}

static void constant(struct rust *r) {
    size_t here;
    const size_t from = r->at;
    if (take(r, 'B')) {
        if (back(r, from, &here)) {
            r->depth++;
            constant(r);
            r->depth--;
            r->at = here;
        }
        return;
    }
    if (take(r, 'p')) {
        put(r, "_");
        return;
    }
    const char kind = next(r);
    const bool negative = take(r, 'n');
    uint64_t v = 0;
    const size_t begin = r->at;
    for (char c; !r->broken && (c = next(r)) != '_';) {
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        r->broken |= digit < 0;
        v = v << 4 | (uint64_t)(digit & 15);
    }
    if (r->broken || !kind)
        return;
    const int n = (int)(r->at - 1 - begin);
    if (!strchr("ahilmnostxyjbc", kind))
        r->broken = true;
    else if (r->quiet)
        return;
    else if (kind == 'b')
        put(r, v ? "true" : "false");
    else if (kind == 'c')
        strbuf_add(&r->out, v >= 0x20 && v < 0x7F ? "'%c'" : "'\\u{%x}'", (unsigned)v);
    else if (n > 16)
        strbuf_add(&r->out, "%s0x%.*s", negative ? "-" : "", n, r->s + begin);
    else
        strbuf_add(&r->out, "%s%llu", negative ? "-" : "", (unsigned long long)v);
}

static void generic_args(struct rust *r) {
    for (int i = 0; !r->broken && !take(r, 'E'); i++) {
        put(r, i > 0 ? ", " : "");
        if (take(r, 'L'))
            lifetime(r, base62(r));
        else if (take(r, 'K'))
            constant(r);
        else
            type(r);
    }
}

static void nested(struct rust *r, bool value) {
    const char space = next(r);
    path(r, value);
    const uint64_t number = disambiguator(r);
    const struct ident id = identifier(r);
    if (space >= 'A' && space <= 'Z') {
        put(r, "::{");
        put(r, space == 'C' ? "closure" : space == 'S' ? "shim" : (const char[]){space, '\0'});
        if (id.n > 0) {
            put(r, ":");
            put_ident(r, id);
        }
        if (!r->quiet)
            strbuf_add(&r->out, "#%llu}", (unsigned long long)number);
    } else if (id.n > 0) {
        put(r, "::");
        put_ident(r, id);
    }
}

/* Where the impl itself is, which is not shown. */
static void impl_path(struct rust *r) {
    const bool was = r->quiet;
    disambiguator(r);
    r->quiet = true;
    path(r, false);
    r->quiet = was;
}

static void path(struct rust *r, bool value) {
    size_t here;
    const size_t from = r->at;
    if (++r->depth > DEPTH_MAX)
        r->broken = true;
    const char tag = next(r);
    switch (tag) {
    case 'C':
        disambiguator(r);
        put_ident(r, identifier(r));
        break;
    case 'N':
        nested(r, value);
        break;
    case 'M':
    case 'X':
    case 'Y':
        if (tag != 'Y')
            impl_path(r);
        put(r, "<");
        type(r);
        if (tag != 'M') {
            put(r, " as ");
            path(r, false);
        }
        put(r, ">");
        break;
    case 'I':
        path(r, value);
        put(r, value ? "::<" : "<");
        generic_args(r);
        put(r, ">");
        break;
    case 'B':
        if (back(r, from, &here)) {
            path(r, value);
            r->at = here;
        }
        break;
    default:
        r->broken = true;
    }
    r->depth--;
}

static const char *basic(char c) {
    static const char *const names[26] = {"i8",   "bool",  "char",  "f64", "str", "f32", NULL,
                                          "u8",   "isize", "usize", NULL,  "i32", "u32", "i128",
                                          "u128", "_",     NULL,    NULL,  "i16", "u16", "()",
                                          "...",  NULL,    "i64",   "u64", "!"};
    return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

static void list(struct rust *r, const char *open, const char *close, bool tuple) {
    int n = 0;
    for (put(r, open); !r->broken && !take(r, 'E'); n++) {
        put(r, n > 0 ? ", " : "");
        type(r);
    }
    put(r, tuple && n == 1 ? "," : "");
    put(r, close);
}

static void function(struct rust *r) {
    const unsigned bound = r->bound;
    binder(r);
    put(r, take(r, 'U') ? "unsafe " : "");
    if (take(r, 'K')) {
        put(r, "extern \"");
        if (take(r, 'C'))
            put(r, "C");
        else
            put_ident(r, identifier(r));
        put(r, "\" ");
    }
    list(r, "fn(", ")", false);
    if (!take(r, 'u')) {
        put(r, " -> ");
        type(r);
    }
    r->bound = bound;
}

/* Its names of associated types stand in the angle brackets of the trait. */
static void trait_object(struct rust *r) {
    const unsigned bound = r->bound;
    put(r, "dyn ");
    binder(r);
    for (int i = 0; !r->broken && !take(r, 'E'); i++) {
        put(r, i > 0 ? " + " : "");
        const bool generic = take(r, 'I');
        bool open = generic;
        path(r, false);
        put(r, generic ? "<" : "");
        if (generic)
            generic_args(r);
        while (take(r, 'p')) {
            put(r, open ? ", " : "<");
            open = true;
            put_ident(r, identifier(r));
            put(r, " = ");
            type(r);
        }
        put(r, open ? ">" : "");
    }
    r->bound = bound;
    if (!take(r, 'L'))
        r->broken = true;
    const uint64_t index = base62(r);
    if (index > 0) {
        put(r, " + ");
        lifetime(r, index);
    }
}

static void type(struct rust *r) {
    size_t here;
    const size_t from = r->at;
    if (++r->depth > DEPTH_MAX)
        r->broken = true;
    const char tag = next(r);
    if (basic(tag))
        put(r, basic(tag));
    else
        switch (tag) {
        case 'R':
        case 'Q':
            put(r, "&");
            if (take(r, 'L')) {
                const uint64_t index = base62(r);
                if (index > 0) {
                    lifetime(r, index);
                    put(r, " ");
                }
            }
            put(r, tag == 'Q' ? "mut " : "");
            type(r);
            break;
        case 'P':
        case 'O':
            put(r, tag == 'P' ? "*const " : "*mut ");
            type(r);
            break;
        case 'A':
        case 'S':
            put(r, "[");
            type(r);
            if (tag == 'A') {
                put(r, "; ");
                constant(r);
            }
            put(r, "]");
            break;
        case 'T':
            list(r, "(", ")", true);
            break;
        case 'F':
            function(r);
            break;
        case 'D':
            trait_object(r);
            break;
        case 'B':
            if (back(r, from, &here)) {
                type(r);
                r->at = here;
            }
            break;
        default:
            r->at = from;
            path(r, false);
        }
    r->depth--;
}

bool demangle_rust(char *dst, size_t cap, const char *name) {
    if (!str_starts(name, "_R") || !(name[2] >= 'A' && name[2] <= 'Z'))
        return false;
    struct rust r = {.s = name + 2, .n = strcspn(name + 2, ".@$"), .out = strbuf_on(dst, cap)};
    path(&r, true);
    if (!r.broken && r.at < r.n) { /* the crate that made this instance of it */
        r.quiet = true;
        path(&r, false);
    }
    return !r.broken && r.at == r.n;
}

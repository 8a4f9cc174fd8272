#include "ui/draw/label_text.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

/* One character of a word, with what quotes and backslashes around it mean. */
struct scan {
    char quote;
    bool plain; /* the next one, after a backslash */
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* True if c belongs to the word's text; *end if the word is over before c. */
static bool step(struct scan *s, char c, bool *end) {
    *end = false;
    if (s->plain) {
        s->plain = false;
        return true;
    }
    if (c == '\\') {
        s->plain = true;
        return false;
    }
    if (s->quote ? c == s->quote : c == '"' || c == '\'') {
        s->quote = s->quote ? '\0' : c;
        return false;
    }
    *end = !s->quote && is_blank(c);
    return !*end;
}

bool label_text_next(const char **text, char *out, size_t cap) {
    const char *p = *text;
    struct scan s = {0};
    size_t n = 0;
    while (is_blank(*p))
        p++;
    if (!*p)
        return false;
    for (bool end; *p; p++) {
        bool takes = step(&s, *p, &end);
        if (end)
            break;
        if (takes && n + 1 < cap)
            out[n++] = *p;
    }
    out[n] = '\0';
    *text = p;
    return true;
}

size_t label_text_word(const char *text, size_t at) {
    struct scan s = {0};
    size_t from = 0;
    for (size_t i = 0; i < at && text[i]; i++) {
        bool end;
        step(&s, text[i], &end);
        if (end)
            from = i + 1;
    }
    return from;
}

/* What begins with a quote that nobody closed would be one value to the end of the line. */
static int check_quotes(const char *text, struct err *err) {
    struct scan s = {0};
    char shown[64];
    size_t from = 0;
    for (size_t i = 0; text[i]; i++) {
        bool end, open = s.quote != '\0';
        step(&s, text[i], &end);
        if (!open && s.quote)
            from = i;
    }
    if (s.quote)
        return err_set(err, -EINVAL,
                       "labels: the quote before \"%.40s\" is not closed; close it, or put a "
                       "backslash before it",
                       str_safe(shown, sizeof(shown), text + from + 1));
    if (s.plain)
        return err_set(err, -EINVAL,
                       "labels: the backslash at the end stands before nothing; take it away, or "
                       "write it twice");
    return 0;
}

int label_text_set(const char *text, struct run *r, struct err *err) {
    char word[4096 + 128];
    int rc = check_quotes(text, err);
    while (rc == 0 && label_text_next(&text, word, sizeof(word)))
        rc = run_label_set_text(r, word, err);
    return rc;
}

bool label_text_add(char *text, size_t cap, const char *key, const char *value) {
    size_t n = strlen(text), was = n;
    struct strbuf sb = strbuf_on(text + n, cap - n);
    bool quoted = strpbrk(value, " \t\"'\\") != NULL || !*value;
    strbuf_add(&sb, "%s%s=%s", n && !is_blank(text[n - 1]) ? " " : "", key, quoted ? "\"" : "");
    for (const char *p = value; *p; p++)
        strbuf_add(&sb, "%s%c", *p == '"' || *p == '\\' ? "\\" : "", *p);
    strbuf_add(&sb, "%s", quoted ? "\"" : "");
    if (sb.n + 1 < sb.cap)
        return true;
    text[was] = '\0';
    return false;
}

/*
 * The same words with other numbers. A number is what begins with a digit behind a blank; digits in
 * names (L3_Bound) are words.
 */
#include "model/knowledge/advice_impl.h"

#include <ctype.h>
#include <string.h>

/* The clauses of one part of a text. */
struct part {
    const char *text;
    const struct advice_clause *c;
    int n;
};

/* A clause without the punctuation that joins it to the one before. */
struct span {
    const char *at;
    size_t n, joint;
};

static struct span span_of(const struct part *p, int i) {
    const char *at = p->text + p->c[i].at;
    size_t joint = strspn(at, " ,;:");
    joint = joint < p->c[i].len ? joint : p->c[i].len;
    return (struct span){at + joint, p->c[i].len - joint, joint};
}

/* Bytes of the number that begins at i, or 0. */
static size_t number_at(struct span s, size_t i) {
    size_t n = i + 1 < s.n && s.at[i] == '-' ? 1 : 0;
    if ((i > 0 && s.at[i - 1] != ' ') || i + n >= s.n || !isdigit((unsigned char)s.at[i + n]))
        return 0;
    while (i + n < s.n && (isdigit((unsigned char)s.at[i + n]) || s.at[i + n] == '.'))
        n++;
    return n;
}

static bool has_number(struct span s) {
    for (size_t i = 0; i < s.n; i++)
        if (number_at(s, i))
            return true;
    return false;
}

/* But for numbers; where one is the first of its text its first letter is a capital. */
static bool same_words(struct span a, struct span b) {
    size_t i = 0, k = 0;
    while (i < a.n && k < b.n) {
        const size_t n = number_at(a, i), m = number_at(b, k);
        const bool same = i == 0 && k == 0
                              ? tolower((unsigned char)a.at[0]) == tolower((unsigned char)b.at[0])
                              : a.at[i] == b.at[k];
        if (!n != !m || (!n && !same))
            return false;
        i += n ? n : 1;
        k += m ? m : 1;
    }
    return i == a.n && k == b.n;
}

static int find(const struct part *now, const struct part *was, int i) {
    for (int k = 0; k < now->n; k++)
        if (now->c[k].keep == was->c[i].keep && same_words(span_of(was, i), span_of(now, k)))
            return k;
    return -1;
}

static bool is_tied(const struct part *p, int i) {
    return p->c[i].flags & CLAUSE_TIED;
}

/* What the part is about: the clause that would be kept to the last. */
static int subject(const struct part *p) {
    int best = -1;
    for (int i = 0; i < p->n; i++)
        if (best < 0 || p->c[i].keep > p->c[best].keep)
            best = i;
    return best;
}

/* Adds clause i of `was`, from `now` where it has it (k >= 0). False if there is no room. */
static bool add(struct strbuf *sb, const struct part *was, int i, const struct part *now, int k,
                struct advice_clause *out) {
    const struct span old = span_of(was, i), s = k < 0 ? old : span_of(now, k);
    const size_t joint = sb->n ? old.joint : 0, from = sb->n;
    if (!s.n || from + joint + s.n >= sb->cap)
        return false;
    const bool capital = !from && !(was->c[i].flags & CLAUSE_NAME);
    const char first = capital ? (char)toupper((unsigned char)old.at[0]) : old.at[0];
    strbuf_add(sb, "%.*s%c%.*s", (int)joint, old.at - old.joint, number_at(s, 0) ? s.at[0] : first,
               (int)s.n - 1, s.at + 1);
    *out = was->c[i];
    out->at = (uint16_t)from;
    out->len = (uint16_t)(sb->n - from);
    return true;
}

static bool refresh(const struct part *was, const struct part *now, char *text, size_t cap,
                    struct advice_clause *c, uint8_t *n) {
    struct strbuf sb = strbuf_on(text, cap);
    bool anchor = true;
    text[0] = '\0';
    *n = 0;
    for (int i = 0; i < was->n; i++) {
        const int k = find(now, was, i);
        bool stays = (k >= 0 || !has_number(span_of(was, i))) && (anchor || !is_tied(was, i));
        stays = stays && add(&sb, was, i, now, k, &c[*n]);
        *n = (uint8_t)(*n + stays);
        if (!is_tied(was, i))
            anchor = stays;
        if (!stays && i == subject(was))
            return false;
    }
    return true;
}

bool advice_refresh(struct advice_text *t, const struct advice_text *now) {
    struct advice_text out = *t;
    const struct part seen = {t->seen, t->seen_, t->n_seen_},
                      next = {t->next, t->next_, t->n_next_};
    const struct part seen_now = {now->seen, now->seen_, now->n_seen_};
    const struct part next_now = {now->next, now->next_, now->n_next_};
    if (!refresh(&seen, &seen_now, out.seen, sizeof(out.seen), out.seen_, &out.n_seen_) ||
        !refresh(&next, &next_now, out.next, sizeof(out.next), out.next_, &out.n_next_))
        return false;
    *t = out;
    return true;
}

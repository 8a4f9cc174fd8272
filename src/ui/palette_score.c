/* How well a few typed letters fit the name of an action. */
#include "ui/palette.h"

#include <string.h>

enum {
    QUERY_MAX = 32,
    NAME_MAX = 64,
    HIT = 16,        /* a letter */
    IN_A_ROW = 14,   /* the letter before it is the one before */
    WORD_BEGIN = 12, /* of name, or behind a dash */
    FIRST = 8,       /* of the name */
    WHOLE = 60,      /* nothing is left over */
    LEAST_EACH = 14, /* letters strewn over a name by chance have less */
    NEVER = -10000,
};

int palette_fold(int c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 'a';
    return c == '_' || c == ' ' ? '-' : c;
}

static int bonus(const char *name, int i) {
    if (i == 0)
        return WORD_BEGIN + FIRST;
    return palette_fold(name[i - 1]) == '-' ? WORD_BEGIN : 0;
}

/* The letters of the query; what is blank at its ends does not count. */
static int letters(const char *query, char *out) {
    int n = 0;
    while (*query == ' ')
        query++;
    for (; *query && n < QUERY_MAX; query++)
        out[n++] = (char)palette_fold((unsigned char)*query);
    while (n > 0 && out[n - 1] == '-')
        n--;
    return n;
}

/*
 * best[i][j]: of the first i letters, the last of them at place j of the name. A gap costs a little
 * for each character, so that of two places the nearer wins.
 */
int palette_score(const char *query, const char *name, uint64_t *marks) {
    int best[QUERY_MAX][NAME_MAX], from[QUERY_MAX][NAME_MAX];
    char q[QUERY_MAX];
    int n = letters(query, q), m = (int)strlen(name);
    m = m < NAME_MAX ? m : NAME_MAX;
    if (marks)
        *marks = 0;
    if (n == 0)
        return 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            best[i][j] = NEVER;
            if (palette_fold((unsigned char)name[j]) != q[i])
                continue;
            int gain = HIT + bonus(name, j);
            if (i == 0) {
                best[0][j] = gain - (j < 8 ? j : 8);
                continue;
            }
            for (int k = i - 1; k < j; k++) {
                int gap = j - k - 1;
                int sum = best[i - 1][k] + gain + (gap == 0 ? IN_A_ROW : -(gap < 8 ? gap : 8));
                if (best[i - 1][k] > NEVER && sum > best[i][j]) {
                    best[i][j] = sum;
                    from[i][j] = k;
                }
            }
        }
    int end = -1;
    for (int j = 0; j < m; j++)
        if (best[n - 1][j] > NEVER && (end < 0 || best[n - 1][j] > best[n - 1][end]))
            end = j;
    if (end < 0)
        return 0;
    int score = best[n - 1][end] + (n == m ? WHOLE : 0) - m / 8;
    if (score < n * LEAST_EACH)
        return 0;
    for (int i = n - 1, j = end; marks && i >= 0; i--) {
        *marks |= 1ULL << j;
        j = i > 0 ? from[i][j] : j;
    }
    return score;
}

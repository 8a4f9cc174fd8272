/* How well a few typed letters fit the name of an action. */
#include "ui/popup/palette.h"

#include <stdbool.h>
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
    GAP_MAX = 8,     /* what the widest gap costs */
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

/* All letters are in the name, in order. */
static bool has_all(const char *q, int n, const char *name, int m) {
    int i = 0;
    for (int j = 0; j < m && i < n; j++)
        i += palette_fold((unsigned char)name[j]) == q[i];
    return i == n;
}

/*
 * best[i][j]: of the first i letters, the last of them at place j of the name. A gap costs a little
 * for each character up to GAP_MAX, so that of two places the nearer wins; of those farther away
 * the best is carried along. So it takes n * m steps.
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
    if (!has_all(q, n, name, m))
        return 0;
    for (int i = 0; i < n; i++) {
        int far = -1; /* the best place of the letter before, wider than GAP_MAX away */
        for (int j = 0; j < m; j++) {
            const int left = j - 1 - GAP_MAX; /* the newest of these */
            if (i > 0 && left >= 0 && best[i - 1][left] > NEVER &&
                (far < 0 || best[i - 1][left] > best[i - 1][far]))
                far = left;
            best[i][j] = NEVER;
            if (palette_fold((unsigned char)name[j]) != q[i])
                continue;
            int gain = HIT + bonus(name, j);
            if (i == 0) {
                best[0][j] = gain - (j < GAP_MAX ? j : GAP_MAX);
                continue;
            }
            if (far >= 0) {
                best[i][j] = best[i - 1][far] + gain - GAP_MAX;
                from[i][j] = far;
            }
            for (int k = left < 0 ? 0 : left + 1; k < j; k++) {
                int gap = j - k - 1;
                int sum = best[i - 1][k] + gain + (gap == 0 ? IN_A_ROW : -gap);
                if (best[i - 1][k] > NEVER && sum > best[i][j]) {
                    best[i][j] = sum;
                    from[i][j] = k;
                }
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

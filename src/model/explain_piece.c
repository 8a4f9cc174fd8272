#include "model/explain_piece.h"

#include <string.h>

static const char entry_table[] = "[entry.";

/* The name of "[entry.NAME]"; NULL for other lines, "[entry.NAME.also]" among them. */
static const char *entry_name(const char *line, size_t *len) {
    if (strncmp(line, entry_table, sizeof(entry_table) - 1) != 0)
        return NULL;
    const char *name = line + sizeof(entry_table) - 1;
    *len = strcspn(name, ".]\n");
    return name[*len] == ']' ? name : NULL;
}

static const char *next_line(const char *line) {
    line += strcspn(line, "\n");
    return *line ? line + 1 : line;
}

bool explain_piece_next(const char *from, struct explain_piece *piece) {
    size_t len;
    const char *end = from;
    do
        end = next_line(end);
    while (*end && !entry_name(end, &len));
    *piece = (struct explain_piece){from, (size_t)(end - from)};
    return end > from;
}

/* The key of a line of an `also` table; its length 0 for comments and empty lines. */
static size_t key_length(const char *line) {
    return *line == '#' ? 0 : strcspn(line, " \t=\r\n");
}

bool explain_piece_wanted(const struct explain_piece *piece,
                          bool (*is_wanted)(const void *user, const char *name, size_t len),
                          const void *user) {
    const char *end = piece->text + piece->len;
    size_t len;
    const char *name = entry_name(piece->text, &len);
    if (!name || is_wanted(user, name, len))
        return true;
    bool also = false;
    for (const char *line = next_line(piece->text); line < end; line = next_line(line)) {
        if (*line == '[')
            also = strncmp(line + strcspn(line, "]") - 5, ".also]", 6) == 0;
        else if (also && key_length(line) && is_wanted(user, line, key_length(line)))
            return true;
    }
    return false;
}

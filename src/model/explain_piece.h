/*
 * The texts of the knowledge base, cut into entries before they are parsed: a screen needs those of
 * one model, which are a part of them. Relies on how the files are laid out: each table begins with
 * its line, at the line's begin and with bare keys: "[entry.NAME]", then those below it,
 * "[entry.NAME.also]" and "[entry.NAME.notes]".
 */
#ifndef TDTOP_MODEL_EXPLAIN_PIECE_H
#define TDTOP_MODEL_EXPLAIN_PIECE_H

#include <stdbool.h>
#include <stddef.h>

struct explain_piece {
    const char *text; /* from its first line on */
    size_t len;
};

/* What begins at `from` in a text that ends with a NUL: what stands before the first entry, or an
 * entry with its tables. False at the end. */
bool explain_piece_next(const char *from, struct explain_piece *piece);
/* Calls is_wanted with each name that the piece explains (not NUL terminated); true if one is
 * wanted, or if it is what stands before the entries. */
bool explain_piece_wanted(const struct explain_piece *piece,
                          bool (*is_wanted)(const void *user, const char *name, size_t len),
                          const void *user);

#endif

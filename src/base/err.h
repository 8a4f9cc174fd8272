/*
 * One error, as the user will read it.
 *
 * Functions that can fail in a way the user can act on take a `struct err *` as
 * their last parameter (NULL is allowed) and return the same negative errno that
 * they store here. The text names the thing, then the cause, then the remedy.
 */
#ifndef TDTOP_BASE_ERR_H
#define TDTOP_BASE_ERR_H

struct err {
    int code;       /* 0 or a negative errno */
    char text[768]; /* one sentence, no trailing newline; cut if longer */
};

/* Stores code and text (err may be NULL). Returns code, so `return err_set(...)` is the idiom. */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " in front of a stored text, to name the thing one level up. */
void err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif

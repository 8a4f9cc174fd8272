/* Labels as one types them: key=value, with blanks between them; quotes hold blanks in a value. */
#ifndef TDTOP_UI_LABEL_TEXT_H
#define TDTOP_UI_LABEL_TEXT_H

#include "model/run/run.h"

/*
 * Takes the next word off *text into out: quotes (" and ') are taken away, a backslash makes the
 * next character plain. Returns false at the end.
 */
bool label_text_next(const char **text, char *out, size_t cap);
/* Sets all labels of a text as the user's own. 0, -ENOMEM, or -EINVAL with words: also where a
 * quote is not closed. */
int label_text_set(const char *text, struct run *r, struct err *err);
/* Appends "key=value" to a text, in quotes where it needs them. False: no room. */
bool label_text_add(char *text, size_t cap, const char *key, const char *value);
/* Where the word begins that the byte `at` is in or behind. */
size_t label_text_word(const char *text, size_t at);

#endif

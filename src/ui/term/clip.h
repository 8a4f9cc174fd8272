/*
 * Copying to the clipboard through the terminal: the bytes of OSC 52 (xterm's ctlseqs, "Manipulate
 * Selection Data"), which work over ssh too. Plain arithmetic: who sends them is the caller.
 */
#ifndef TDTOP_UI_CLIP_H
#define TDTOP_UI_CLIP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum clip_way {
    CLIP_PLAIN,
    CLIP_TMUX,   /* to tmux itself, and through it to the terminal around it */
    CLIP_SCREEN, /* through GNU screen, in pieces that it takes */
    CLIP_NEVER,  /* the terminal would show the bytes as letters */
};

enum {
    CLIP_MAX =
        74994, /* bytes of text: 100,000 with base64 and frame, what terminals take at least */
};

/* From $TERM, $TMUX and $STY; each may be NULL. */
enum clip_way clip_way_of(const char *term, const char *tmux, const char *sty);

/* Room for the bytes of n bytes of text, any way. */
size_t clip_room(size_t n);

/*
 * Writes the bytes for text [n] into out (clip_room(n) of them; nothing is allocated). Returns how
 * many, or with words: -EPERM if copying is switched off, -ENOTSUP for CLIP_NEVER, -E2BIG beyond
 * CLIP_MAX, -ENODATA for nothing at all (an empty copy would clear the clipboard), -ENOBUFS.
 */
long clip_bytes(bool on, enum clip_way way, const char *text, size_t n, char *out, size_t cap,
                struct err *err);

#endif

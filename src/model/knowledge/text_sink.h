/* A page of plain text, part after part: who tells it need not know whether it is drawn or printed.
 */
#ifndef TDTOP_MODEL_TEXT_SINK_H
#define TDTOP_MODEL_TEXT_SINK_H

/* Takes the parts of a page in order. Texts are valid during the call only. */
struct text_sink {
    void (*heading)(void *user, const char *text);
    void (*summary)(void *user, const char *text); /* the first line of all */
    void (*text)(void *user, const char *text);    /* a paragraph */
    void (*item)(void *user, const char *text);    /* a row of a list */
    void *user;
};

#endif

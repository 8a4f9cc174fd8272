#include "ui/screen/choose.h"

#include "base/str.h"
#include "ui/draw/form.h"
#include "ui/screen/screen.h"
#include "ui/term/term.h"

#include <stdlib.h>
#include <string.h>

struct choose *choose_of(const struct screen *sc) {
    return screen_popup(sc, &popup_choose);
}

static void empty(struct choose *c) {
    for (uint32_t i = 0; i < c->all.n; i++) {
        free(c->all.at[i].text);
        free(c->all.at[i].words);
    }
    c->all.n = c->shown.n = 0;
    c->list = (struct list){.wheel = 1};
    c->typed[0] = '\0';
}

void choose_free(void *choose) {
    struct choose *c = choose;
    empty(c);
    array_free(&c->all);
    array_free(&c->shown);
    *c = (struct choose){0};
}

void choose_begin(struct screen *sc, const char *title,
                  void (*done)(struct screen *sc, const char *text, int at)) {
    struct choose *c = choose_of(sc);
    empty(c);
    str_copy(c->title, sizeof(c->title), title);
    c->done = done;
}

void choose_add(struct screen *sc, const char *text, const char *words, bool on) {
    struct choose *c = choose_of(sc);
    char safe[2][512];
    struct choice new = {strdup(str_safe(safe[0], sizeof(safe[0]), text)),
                         strdup(str_safe(safe[1], sizeof(safe[1]), words)), on};
    if (new.text &&new.words && array_push(&c->shown, 0) == 0 && array_push(&c->all, new) == 0)
        return;
    free(new.text);
    free(new.words);
}

/* 0: what was typed; 1: begins so; 2: has it; 3: has it not. */
static int likeness(const char *text, const char *typed) {
    const char *at = strcasestr(text, typed);
    return !at ? 3 : at > text ? 2 : strlen(text) > strlen(typed);
}

static void narrow(struct choose *c) {
    int n = 0;
    for (int like = 0; like < 3; like++)
        for (uint32_t i = 0; i < c->all.n; i++)
            if ((c->typed[0] ? likeness(c->all.at[i].text, c->typed) : 2) == like)
                c->shown.at[n++] = i;
    list_reset(&c->list);
    c->list.n = n;
}

bool choose_open(struct screen *sc) {
    struct choose *c = choose_of(sc);
    if (c->all.n == 0)
        return false;
    narrow(c);
    for (uint32_t i = 0; i < c->all.n; i++)
        if (c->all.at[i].on) {
            list_select(&c->list, (int)i);
            break;
        }
    list_reset(&sc->text);
    sc->popup = &popup_choose;
    return true;
}

void choose_cancel(struct screen *sc) {
    sc->popup = NULL;
}

void choose_accept(struct screen *sc) {
    struct choose *c = choose_of(sc);
    char text[sizeof(c->typed)];
    const int at = c->list.n ? (int)c->shown.at[c->list.at] : -1;
    str_copy(text, sizeof(text), at >= 0 ? c->all.at[at].text : c->typed);
    sc->popup = NULL;
    c->done(sc, text, at);
}

void choose_type(struct screen *sc, uint32_t key) {
    struct choose *c = choose_of(sc);
    if (form_end_key(c->typed, sizeof(c->typed), key))
        narrow(c);
}

bool choose_paste(struct screen *sc, const char *text) {
    struct choose *c = choose_of(sc);
    if (form_end_paste(c->typed, sizeof(c->typed), text))
        narrow(c);
    return true;
}

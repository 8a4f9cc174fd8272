/* A list to choose from, with what is typed above it (ui/screen/choose.h). */
#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/popup/popup.h"
#include "ui/screen/choose.h"
#include "ui/screen/keys.h"
#include "ui/screen/screen.h"

#include <stdio.h>

enum { WIDTH = 72, TEXT_LEAST = 16, ABOVE = 1 /* lines over the list */ };

static int box_lines(const struct choose *ch, struct rect r) {
    const int h = (int)ch->all.n + ABOVE, most = r.h >= 8 ? r.h - 2 : r.h;
    return h < most ? h : most;
}

static struct rect rows_in(struct rect in) {
    return (struct rect){in.x, in.y + ABOVE, in.w, in.h - ABOVE};
}

static struct rect inner(const struct choose *ch, struct rect r) {
    return popup_inner(r, WIDTH, box_lines(ch, r));
}

static void prepare(struct screen *sc, struct rect r) {
    struct choose *ch = choose_of(sc);
    list_fit(&ch->list, rows_in(inner(ch, r)).h);
}

static int text_width(const struct choose *ch, int room) {
    int w = TEXT_LEAST;
    for (uint32_t i = 0; i < ch->all.n; i++) {
        const int own = str_width(ch->all.at[i].text);
        w = own > w ? own : w;
    }
    return w < room * 2 / 3 ? w : room * 2 / 3;
}

static void draw_row(const struct choice *it, struct canvas *c, struct rect r, int w) {
    const int x = r.x + 3 + w + 2;
    canvas_text(c, r, r.x + 1, r.y, STYLE_VALUE, it->on ? "●" : "");
    widget_text(c, r, r.x + 3, r.y, w, STYLE_POPUP, it->text);
    if (x < r.x + r.w)
        widget_text(c, r, x, r.y, r.x + r.w - x, STYLE_LABEL, it->words);
}

static void draw_typed(const struct choose *ch, struct canvas *c, struct rect r) {
    char more[32], words[64];
    int x = r.x;
    x += canvas_text(c, r, x, r.y, STYLE_KEY, "/");
    x += widget_text(c, r, x, r.y, r.w - 24, STYLE_VALUE, ch->typed);
    canvas_put(c, r, x, r.y, STYLE_SELECTED, ' ');
    list_more(&ch->list, more, sizeof(more));
    if (ch->list.n == 0 && ch->typed[0])
        keys_in_words("{choose-accept} takes the text", words, sizeof(words));
    else
        str_copy(words, sizeof(words), more);
    widget_right(c, r, x + 2, r.y, r.x + r.w - x - 2, STYLE_LABEL, words);
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    const struct choose *ch = choose_of(sc);
    const struct page p = popup_begin(sc, c, r, WIDTH, box_lines(ch, r), ch->title);
    const int w = text_width(ch, p.r.w);
    struct rect line;
    draw_typed(ch, c, p.r);
    for (int i = 0, at; list_line(&ch->list, rows_in(p.r), i, &line, &at); i++) {
        draw_row(&ch->all.at[ch->shown.at[at]], c, line, w);
        if (at == ch->list.at)
            list_mark(c, line, line.x);
    }
}

static struct list *list(struct screen *sc) {
    return &choose_of(sc)->list;
}

static void mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    struct choose *ch = choose_of(sc);
    const enum list_did did = list_mouse(&ch->list, rows_in(inner(ch, r)), m);
    if (did == LIST_AGAIN || did == LIST_DOUBLE)
        choose_accept(sc);
}

const struct overlay popup_choose = {.name = "choose",
                                     .context = IN_CHOOSE,
                                     .own_keys = true,
                                     .state_size = sizeof(struct choose),
                                     .destroy = choose_free,
                                     .prepare = prepare,
                                     .draw = draw,
                                     .mouse = mouse,
                                     .list = list,
                                     .type = choose_type,
                                     .paste = choose_paste,
                                     .twice = true};

#include "ui/snapshot_offer.h"

#include "base/str.h"
#include "ui/label_text.h"
#include "ui/snapshot.h"

#include <stdio.h>
#include <string.h>

enum { RECENT_RUNS = 12 };

static struct store *store_of(struct snapshots *sn) {
    if (!sn->store_tried)
        sn->has_store = store_open(&sn->store, sn->db, STORE_READ, NULL) == 0;
    sn->store_tried = true;
    return sn->has_store ? &sn->store : NULL;
}

static void add(struct snapshots *sn, const char *text) {
    if (sn->n_offer == OFFERS_MAX || strlen(text) >= OFFER_LEN)
        return;
    for (int i = 0; i < sn->n_offer; i++)
        if (strcmp(sn->offer[i], text) == 0)
            return;
    str_copy(sn->offer[sn->n_offer++], OFFER_LEN, text);
}

static void add_label(struct snapshots *sn, const char *key, const char *value) {
    char text[OFFER_LEN + 8] = "";
    if (label_text_add(text, sizeof(text), key, value))
        add(sn, text);
}

/* The users' labels of the newest runs. */
static void offer_recent(struct snapshots *sn, struct store *st) {
    const struct run_query q = {.limit = RECENT_RUNS, .without_top = true};
    struct run_list list;
    if (store_list(st, &q, &list, NULL) < 0)
        return;
    for (size_t i = 0; i < list.n; i++)
        for (size_t k = 0; k < list.row[i].n_label; k++)
            if (!list.row[i].label[k].automatic)
                add_label(sn, list.row[i].label[k].key, list.row[i].label[k].value);
    run_list_free(&list);
}

/* key NULL: keys, with the '=' that follows. */
static void offer_known(struct snapshots *sn, struct store *st, const char *key,
                        const char *prefix) {
    char **words = NULL, text[OFFER_LEN + 8];
    if (store_words(st, key, prefix, OFFERS_MAX, &words, NULL) < 0)
        return;
    for (int i = 0; words && words[i]; i++) {
        if (key) {
            add_label(sn, key, words[i]);
            continue;
        }
        snprintf(text, sizeof(text), "%.*s=", OFFER_LEN, words[i]);
        add(sn, text);
    }
    store_words_free(words);
}

/* The word at the cursor, without quotes. */
static void word_at(const struct snapshots *sn, char *out, size_t cap) {
    char part[FORM_CAP];
    size_t from = label_text_word(sn->labels.text, sn->labels.at);
    snprintf(part, sizeof(part), "%.*s", (int)(sn->labels.at - from), sn->labels.text + from);
    const char *at = part;
    if (!label_text_next(&at, out, cap))
        out[0] = '\0';
}

void offer_words(struct snapshots *sn) {
    char word[FORM_CAP];
    struct store *st = store_of(sn);
    sn->n_offer = 0;
    sn->offered = -1;
    if (!st)
        return;
    word_at(sn, word, sizeof(word));
    char *value = strchr(word, '=');
    if (!word[0])
        offer_recent(sn, st);
    else if (!value)
        offer_known(sn, st, NULL, word);
    else {
        *value = '\0';
        offer_known(sn, st, word, value + 1);
    }
}

void offer_next(struct snapshots *sn) {
    if (sn->n_offer == 0)
        return;
    sn->offered = (sn->offered + 1) % sn->n_offer;
    form_replace(&sn->labels, label_text_word(sn->labels.text, sn->labels.at),
                 sn->offer[sn->offered]);
    if (sn->n_offer > 1)
        return;
    const char *text = sn->offer[0];
    if (text[strlen(text) - 1] != '=') /* it is whole */
        form_replace(&sn->labels, sn->labels.at, " ");
    offer_words(sn);
}

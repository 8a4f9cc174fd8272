#include "ui/popup/snapshot_offer.h"

#include "base/str.h"
#include "ui/draw/label_text.h"
#include "ui/popup/snapshot.h"

#include <stdio.h>
#include <string.h>

enum { RECENT_RUNS = 12 };

/* The screen does not stand still for what is only offered. */
static bool wait_no_longer(void *user, double waited_s) {
    (void)user;
    (void)waited_s;
    return false;
}

static struct store *store_of(struct snapshots *sn) {
    if (!sn->store_tried)
        sn->has_store =
            store_open_waiting(&sn->store, sn->db, STORE_READ, wait_no_longer, NULL, NULL) == 0;
    sn->store_tried = true;
    return sn->has_store ? &sn->store : NULL;
}

/* What cannot be read now is not tried again with every key. */
static bool can_read(struct snapshots *sn, int rc) {
    if (rc < 0 && sn->has_store) {
        store_close(&sn->store);
        sn->has_store = false;
    }
    return rc >= 0;
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

/* True if the text has a label of that key. */
static bool has_key(const struct snapshots *sn, const char *key) {
    const char *at = sn->labels.text;
    char word[FORM_CAP];
    size_t n = strlen(key);
    while (label_text_next(&at, word, sizeof(word)))
        if (strncmp(word, key, n) == 0 && word[n] == '=')
            return true;
    return false;
}

/* True if runs of the list have other values of that label. */
static bool has_others(const struct run_list *list, const char *key, const char *value) {
    for (size_t i = 0; i < list->n; i++)
        for (size_t k = 0; k < list->row[i].n_label; k++)
            if (strcmp(list->row[i].label[k].key, key) == 0 &&
                strcmp(list->row[i].label[k].value, value) != 0)
                return true;
    return false;
}

/* The users' labels of the newest runs: first those that tell them apart. */
static void offer_recent(struct snapshots *sn, struct store *st) {
    const struct run_query q = {.limit = RECENT_RUNS, .without_top = true};
    struct run_list list;
    if (!can_read(sn, store_list(st, &q, &list, NULL)))
        return;
    for (int others = 1; others >= 0; others--)
        for (size_t i = 0; i < list.n; i++)
            for (size_t k = 0; k < list.row[i].n_label; k++) {
                const struct run_label *l = &list.row[i].label[k];
                if (!l->automatic && !has_key(sn, l->key) &&
                    has_others(&list, l->key, l->value) == others)
                    add_label(sn, l->key, l->value);
            }
    run_list_free(&list);
}

/* key NULL: keys, with the '=' that follows. */
static void offer_known(struct snapshots *sn, struct store *st, const char *key,
                        const char *prefix) {
    char **words = NULL, text[OFFER_LEN + 8];
    if (!can_read(sn, store_words(st, key, prefix, OFFERS_MAX, &words, NULL)))
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

static bool is_blank(const char *text) {
    return text[strspn(text, " \t")] == '\0';
}

void offer_changed(struct snapshots *sn) {
    sn->offered = -1;
    sn->offer_stale = true;
}

void offer_settle(struct snapshots *sn) {
    char word[FORM_CAP];
    struct store *st;
    if (!sn->offer_stale)
        return;
    sn->offer_stale = false;
    sn->n_offer = 0;
    word_at(sn, word, sizeof(word));
    if (!word[0] && is_blank(sn->labels.text) && sn->last_labels[0])
        add(sn, sn->last_labels); /* all of the last snapshot, at once */
    st = store_of(sn);
    if (!st)
        return;
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

/* ---- Tab ---- */

bool offer_is_meant(const struct snapshots *sn) {
    size_t from = label_text_word(sn->labels.text, sn->labels.at);
    bool at_word = from < sn->labels.at;
    return sn->n_offer > 0 && (at_word || sn->offered >= 0 || is_blank(sn->labels.text));
}

bool offer_is_whole(const struct snapshots *sn) {
    if (sn->offered < 0)
        return false;
    const char *text = sn->offer[sn->offered];
    return text[strlen(text) - 1] != '=';
}

/* Bytes that all begin with, whole characters. */
static size_t common(const struct snapshots *sn) {
    const char *first = sn->offer[0];
    size_t n = strlen(first);
    for (int i = 1; i < sn->n_offer; i++) {
        size_t k = 0;
        while (k < n && first[k] == sn->offer[i][k])
            k++;
        n = k;
    }
    while (n > 0 && ((unsigned char)first[n] & 0xc0) == 0x80)
        n--;
    return n;
}

static void put(struct snapshots *sn, size_t from, const char *text) {
    form_replace(&sn->labels, from, text);
}

/* The only one: a value is followed by a blank, a key by its values. */
static bool take_only(struct snapshots *sn, size_t from) {
    const char *text = sn->offer[0];
    size_t len = strlen(text);
    if (sn->labels.at - from == len && strncmp(sn->labels.text + from, text, len) == 0)
        return false; /* it is there already */
    put(sn, from, text);
    if (text[len - 1] != '=')
        put(sn, sn->labels.at, " ");
    offer_changed(sn);
    return true;
}

static bool cycle(struct snapshots *sn, size_t from, int step) {
    sn->offered = sn->offered < 0 ? 0 : (sn->offered + step + sn->n_offer) % sn->n_offer;
    put(sn, from, sn->offer[sn->offered]);
    return true;
}

bool offer_complete(struct snapshots *sn, int step) {
    offer_settle(sn);
    if (!offer_is_meant(sn) || (step < 0 && sn->offered < 0))
        return false;
    size_t from = label_text_word(sn->labels.text, sn->labels.at), typed = sn->labels.at - from;
    if (sn->n_offer == 1 && sn->offered < 0)
        return take_only(sn, from);
    size_t n = common(sn);
    if (sn->offered >= 0 || n <= typed || strncmp(sn->offer[0], sn->labels.text + from, typed) != 0)
        return cycle(sn, from, step);
    char text[OFFER_LEN];
    str_copy(text, n + 1, sn->offer[0]);
    put(sn, from, text);
    offer_changed(sn);
    return true;
}

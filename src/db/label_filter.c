/* Conditions on labels, from text. */
#include "db/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The longer spelling of two that begin alike comes first. */
static const struct {
    const char *sign;
    enum label_op op;
} signs[] = {{"!=", LABEL_IS_NOT}, {"=", LABEL_IS}, {"~", LABEL_HAS}};

/* Keys hold none of the characters of the signs, so the first sign is the one that is meant. */
static size_t find_sign(const char *text, enum label_op *op, size_t *len) {
    const size_t at = strcspn(text, "!=~");
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        if (strncmp(text + at, signs[i].sign, strlen(signs[i].sign)) == 0) {
            *op = signs[i].op;
            *len = strlen(signs[i].sign);
            return at;
        }
    *op = LABEL_EXISTS;
    *len = 0;
    return strlen(text);
}

int label_filter_parse(const char *text, struct label_filter *f, struct err *err) {
    *f = (struct label_filter){0};
    enum label_op op;
    size_t len;
    const char *key = text[0] == '!' ? text + 1 : text;
    const size_t n = find_sign(key, &op, &len);
    if (text[0] == '!' && op != LABEL_EXISTS)
        return err_set(err, -EINVAL,
                       "%s: a filter begins with a key; '!' before it asks for runs "
                       "without the label and takes no value",
                       text);
    f->op = text[0] == '!' ? LABEL_MISSING : op;
    f->key = strndup(key, n);
    f->value = strdup(key + n + len);
    if (!f->key || !f->value) {
        label_filter_free(f);
        return err_set(err, -ENOMEM, "%s: out of memory", text);
    }
    const int rc = run_label_check(f->key, f->value, err);
    if (rc < 0) {
        err_prefix(err, "filter %s: key=value, key!=value, key~text, key or !key", text);
        label_filter_free(f);
    }
    return rc;
}

void label_filter_free(struct label_filter *f) {
    free(f->key);
    free(f->value);
    *f = (struct label_filter){0};
}

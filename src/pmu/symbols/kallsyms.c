#include "pmu/symbols/kallsyms.h"

#include "base/sort.h"
#include "base/str.h"
#include "pmu/symbols/module_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int put_text(struct kallsyms *k, const char *s, size_t n, uint32_t *at) {
    if (k->n_text + n + 1 > k->cap_text) {
        const size_t cap = k->cap_text ? 2 * k->cap_text : 1 << 20;
        char *more = cap <= KALLSYMS_TEXT_MAX ? realloc(k->text, cap) : NULL;
        if (!more)
            return -ENOMEM;
        k->text = more;
        k->cap_text = cap;
    }
    *at = (uint32_t)k->n_text;
    memcpy(k->text + k->n_text, s, n);
    k->text[k->n_text + n] = '\0';
    k->n_text += n + 1;
    return 0;
}

/* "ffffffffc0a01000 t xfs_buf_rele\t[xfs]"; *module: the last one's name, mostly this one's too. */
static int take_line(struct kallsyms *k, char *line, uint32_t *module) {
    char *at = line;
    const uint64_t address = strtoull(line, &at, 16);
    if (at == line || at[0] != ' ' || !strchr("tTwW", at[1]) || !at[1] || at[2] != ' ')
        return 0;
    const char *name = at + 3;
    const size_t n = strcspn(name, "\t \n");
    uint32_t of = 0;
    struct kallsyms_symbol s = {.at = address};
    const char *bracket = strchr(name + n, '[');
    if (bracket) {
        const size_t n_module = strcspn(bracket + 1, "]");
        const char *last = k->text + *module;
        if (*module == 0 || strncmp(last, bracket + 1, n_module) != 0 || last[n_module] != '\0') {
            if (put_text(k, bracket + 1, n_module, module) < 0)
                return -ENOMEM;
        }
        of = *module;
    }
    s.module = of;
    if (n == 0 || k->n >= KALLSYMS_SYMBOLS_MAX)
        return 0;
    if (put_text(k, name, n, &s.name) < 0)
        return -ENOMEM;
    if (k->n == k->cap) {
        const size_t cap = k->cap ? 2 * k->cap : 1 << 16;
        struct kallsyms_symbol *more = realloc(k->symbol, cap * sizeof(*more));
        if (!more)
            return -ENOMEM;
        k->symbol = more;
        k->cap = cap;
    }
    k->symbol[k->n++] = s;
    return 0;
}

static int compare(const void *a, const void *b) {
    const struct kallsyms_symbol *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : (x->name < y->name ? -1 : x->name > y->name);
}

static int refused(const char *proc, struct err *err) {
    char path[4096], value[16];
    snprintf(path, sizeof(path), "%s/sys/kernel/kptr_restrict", proc);
    if (str_read_small(path, value, sizeof(value)) < 0)
        str_copy(value, sizeof(value), "not 0");
    return err_set(err, -EACCES,
                   "the kernel does not tell its addresses (kernel.kptr_restrict is %s): run as "
                   "root, or sysctl kernel.kptr_restrict=0 and kernel.perf_event_paranoid=1",
                   value);
}

int kallsyms_read(struct kallsyms *k, const char *proc, struct err *err) {
    char line[1024];
    struct bytes b;
    uint32_t module = 0;
    *k = (struct kallsyms){0};
    const int rc_open = file_open(proc, "kallsyms", &b);
    FILE *f = rc_open < 0 ? NULL : fdopen(b.fd, "re");
    if (!f) {
        const int rc = rc_open < 0 ? rc_open : -errno;
        file_close(&b);
        return err_set(err, rc, "%s/kallsyms: %s", proc, strerror(-rc));
    }
    int rc = put_text(k, "", 0, &module);
    module = 0;
    while (rc == 0 && fgets(line, sizeof(line), f))
        rc = take_line(k, line, &module);
    fclose(f);
    if (rc == 0 && k->n > 0)
        qsort(k->symbol, k->n, sizeof(*k->symbol), compare);
    if (rc == 0 && (k->n == 0 || k->symbol[k->n - 1].at == 0))
        rc = refused(proc, err);
    else if (rc < 0)
        err_set(err, rc, "%s/kallsyms: no memory for it", proc);
    if (rc < 0) {
        kallsyms_destroy(k);
        return rc;
    }
    void *less = realloc(k->symbol, k->n * sizeof(*k->symbol));
    k->symbol = less ? less : k->symbol;
    less = realloc(k->text, k->n_text);
    k->text = less ? less : k->text;
    k->cap = k->n;
    k->cap_text = k->n_text;
    return 0;
}

void kallsyms_destroy(struct kallsyms *k) {
    free(k->symbol);
    free(k->text);
    *k = (struct kallsyms){0};
}

const struct kallsyms_symbol *kallsyms_find(const struct kallsyms *k, uint64_t address,
                                            uint64_t *end) {
    size_t next;
    SORT_FIRST(next, k->n, k->symbol[next].at > address);
    if (next == 0)
        return NULL;
    /* the last one reaches as far as perf lets it: to the next page, and one more */
    const struct kallsyms_symbol *s = &k->symbol[next - 1];
    *end = next < k->n ? k->symbol[next].at : ((s->at + 4095) & ~UINT64_C(4095)) + 4096;
    return address < *end ? s : NULL;
}

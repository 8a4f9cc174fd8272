#include "pmu/symbols/kallsyms.h"

#include "base/sort.h"
#include "base/str.h"
#include "pmu/symbols/module_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int put_text(struct kallsyms *k, const char *s, size_t n, uint32_t *at) {
    *at = (uint32_t)k->text.n;
    if (k->text.n + n + 1 > KALLSYMS_TEXT_MAX || array_append(&k->text, s, n) < 0)
        return -ENOMEM;
    return array_push(&k->text, '\0');
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
        const char *last = k->text.at + *module;
        if (*module == 0 || strncmp(last, bracket + 1, n_module) != 0 || last[n_module] != '\0') {
            if (put_text(k, bracket + 1, n_module, module) < 0)
                return -ENOMEM;
        }
        of = *module;
    }
    s.module = of;
    if (n == 0 || k->symbol.n >= KALLSYMS_SYMBOLS_MAX)
        return 0;
    if (put_text(k, name, n, &s.name) < 0)
        return -ENOMEM;
    return array_push(&k->symbol, s);
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
    if (rc == 0 && k->symbol.n > 0)
        qsort(k->symbol.at, k->symbol.n, sizeof(*k->symbol.at), compare);
    if (rc == 0 && (k->symbol.n == 0 || k->symbol.at[k->symbol.n - 1].at == 0))
        rc = refused(proc, err);
    else if (rc < 0)
        err_set(err, rc, "%s/kallsyms: no memory for it", proc);
    if (rc < 0) {
        kallsyms_destroy(k);
        return rc;
    }
    array_trim(&k->symbol);
    array_trim(&k->text);
    return 0;
}

void kallsyms_destroy(struct kallsyms *k) {
    array_free(&k->symbol);
    array_free(&k->text);
}

const struct kallsyms_symbol *kallsyms_find(const struct kallsyms *k, uint64_t address,
                                            uint64_t *end) {
    size_t next;
    SORT_FIRST(next, k->symbol.n, k->symbol.at[next].at > address);
    if (next == 0)
        return NULL;
    /* the last one reaches as far as perf lets it: to the next page, and one more */
    const struct kallsyms_symbol *s = &k->symbol.at[next - 1];
    *end = next < k->symbol.n ? k->symbol.at[next].at : ((s->at + 4095) & ~UINT64_C(4095)) + 4096;
    return address < *end ? s : NULL;
}

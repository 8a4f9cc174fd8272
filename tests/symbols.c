/*
 * symbols functions|lines|code|lack|cost FILE [ADDRESS...]: what the names of src/pmu/symbols are,
 * for symbols_test.sh; FILE: a path, pid:PID (code made at run time), kernel, vdso. Offsets of the
 * module in hexadecimal, from standard input if none is given. --debug, --root DIR: other folders.
 */
#include "pmu/symbols/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

static struct names *names;
static struct module module;

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void functions(const uint64_t *at, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct function f;
        const int rc = names_function(names, &module, at[i], &f);
        if (rc < 0)
            printf("%" PRIx64 " ? 0 %s\n", at[i], strerror(-rc));
        else
            printf("%" PRIx64 " %" PRIx64 " %" PRIx64 " %s\t%s\n", at[i], f.start, f.size, f.raw,
                   f.name);
    }
}

static int lines(const uint64_t *at, size_t n) {
    struct line_table t;
    struct err err;
    if (names_lines(names, &module, at, n, &t, &err) < 0) {
        printf("%s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < n; i++) {
        printf("%" PRIx64 "\n", at[i]);
        for (uint32_t k = t.first[i]; k < t.first[i + 1]; k++)
            printf("  %s\t%s:%u\n", t.frame[k].function, t.frame[k].file, t.frame[k].line);
    }
    line_table_destroy(&t);
    return 0;
}

static int code(const uint64_t *at, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct listing *l;
        struct err err;
        if (names_listing(names, &module, at[i], &l, &err) < 0) {
            printf("%s\n", err.text);
            return 1;
        }
        printf("function %s file %s lines %zu\n", l->function.raw, l->file, l->text.n_line);
        printf("lack %s|%s|%s\n", l->code_lack, l->lines_lack, l->text_lack);
        for (size_t k = 0; k < l->code.n; k++) {
            const struct instruction *in = &l->code.at[k];
            uint32_t line = 0;
            if (k < l->lines.n && l->lines.first[k] < l->lines.first[k + 1])
                line = l->lines.frame[l->lines.first[k + 1] - 1].line;
            printf("%" PRIx64 "\t%u\t%" PRIx64 "\t%u\t%s\n", in->at, in->length, in->target, line,
                   l->code.text.at + in->text);
        }
        listing_free(l);
    }
    return 0;
}

/* Resident memory beside the mapped files, in kB. */
static long memory_kb(void) {
    char line[256];
    long kb = 0;
    FILE *f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "RssAnon: %ld", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb;
}

static void cost(const uint64_t *at, size_t n) {
    const double from = now_s();
    const long before = memory_kb();
    for (size_t i = 0; i < n; i++) {
        struct function f;
        names_function(names, &module, at[i], &f);
    }
    printf("%.0f ms %zu kB anonymous %ld kB\n", (now_s() - from) * 1e3, names_bytes(names) >> 10,
           memory_kb() - before);
}

int main(int argc, char **argv) {
    struct names_options opt = {0};
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2)
        if (strcmp(argv[i], "--debug") == 0)
            opt.places.debug = argv[i + 1];
        else
            opt.places.root = argv[i + 1];
    if (i + 2 > argc || names_open(&names, &opt) < 0)
        return 2;
    const char *what = argv[i], *file = argv[i + 1];
    struct stat st;
    module = (struct module){.kind = MODULE_FILE, .path = file};
    if (sscanf(file, "pid:%d", &module.pid) == 1)
        module.kind = MODULE_JIT;
    else if (strcmp(file, "kernel") == 0)
        module.kind = MODULE_KERNEL;
    else if (strcmp(file, "vdso") == 0)
        module.kind = MODULE_VDSO;
    else if (stat(file, &st) == 0 && !opt.places.root) {
        module.dev_major = major(st.st_dev);
        module.dev_minor = minor(st.st_dev);
        module.ino = st.st_ino;
    }
    static uint64_t at[1 << 18];
    size_t n = 0;
    for (int k = i + 2; k < argc; k++)
        at[n++] = strtoull(argv[k], NULL, 16);
    for (; i + 2 == argc && n < sizeof(at) / sizeof(at[0]) && scanf("%" SCNx64, &at[n]) == 1;)
        n++;
    int rc = 0;
    if (strcmp(what, "functions") == 0)
        functions(at, n);
    else if (strcmp(what, "lines") == 0)
        rc = lines(at, n);
    else if (strcmp(what, "code") == 0)
        rc = code(at, n);
    else if (strcmp(what, "cost") == 0)
        cost(at, n);
    else {
        struct function f;
        char lack[NAMES_LACK];
        names_function(names, &module, n ? at[0] : 0, &f);
        printf("%s\n", names_lack(names, &module, lack, sizeof(lack)));
    }
    names_close(names);
    return rc;
}

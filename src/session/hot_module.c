#include "session/hot_module.h"

#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {
    [MODULE_FILE] = "file",      [MODULE_KERNEL] = "kernel", [MODULE_KMODULE] = "kernel module",
    [MODULE_VDSO] = "vdso",      [MODULE_JIT] = "jit",       [MODULE_BPF] = "bpf",
    [MODULE_UNKNOWN] = "unknown"};

const char *hot_module_kind(enum module_kind kind) {
    return kinds[kind];
}

static enum module_kind kind_of(const char *text) {
    for (int i = 0; i < MODULE_UNKNOWN; i++)
        if (!strcmp(kinds[i], text))
            return (enum module_kind)i;
    return MODULE_UNKNOWN;
}

bool hot_module_is_kernel(const struct hot_module *m) {
    const enum module_kind kind = kind_of(m->kind);
    return kind == MODULE_KERNEL || kind == MODULE_KMODULE || kind == MODULE_BPF;
}

static bool read_id(const char *text, struct module *m) {
    unsigned byte;
    for (; m->n_build_id < BUILD_ID_MAX && sscanf(text, "%2x", &byte) == 1; text += 2)
        m->build_id[m->n_build_id++] = (uint8_t)byte;
    return m->n_build_id > 0;
}

int hot_module_now(const struct hot_module *is, struct module *m) {
    *m = (struct module){.kind = kind_of(is->kind), .path = is->path, .deleted = is->deleted};
    return read_id(is->build_id, m) || m->kind == MODULE_KERNEL || m->kind == MODULE_KMODULE
               ? 0
               : -ENOENT;
}

bool hot_is_same(uint64_t start, const char *name, const struct listing *l) {
    char now[HOT_NAME];
    return l->function.start == start &&
           !strcmp(str_copy(now, sizeof(now), l->function.name), name);
}

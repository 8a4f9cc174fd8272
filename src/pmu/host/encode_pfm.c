/*
 * The only file that includes libpfm4, whose headers bring a perf_event_attr of their own. It is
 * loaded when an event asks for it: its tables take 2 MB of memory to relocate, and most models
 * have the codes of all their events.
 */
#include "pmu/host/encode.h"

#include "base/log.h"
#include "base/str.h"

#include <ctype.h>
#include <dlfcn.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool ready;

static const char library[] = "libpfm.so.4";
static struct {
    __typeof__(pfm_initialize) *initialize;
    __typeof__(pfm_strerror) *error_text;
    __typeof__(pfm_get_pmu_info) *pmu_info;
    __typeof__(pfm_get_os_event_encoding) *encode;
    char release[32]; /* "4.13.0"; "" = not known */
} pfm;

/*
 * The library's own word for its version is that of its interface, 4.0, in every release; its file
 * says more: libpfm.so.4.13.0.
 */
static void find_release(void) {
    static const char middle[] = "libpfm.so.";
    Dl_info info;
    void *symbol;
    char *path = NULL, *at = NULL;
    memcpy(&symbol, &pfm.initialize, sizeof(symbol));
    if (dladdr(symbol, &info) && info.dli_fname)
        path = realpath(info.dli_fname, NULL);
    if (path && (at = strstr(path, middle)) && strchr(at + sizeof(middle) - 1, '.'))
        str_copy(pfm.release, sizeof(pfm.release), at + sizeof(middle) - 1);
    free(path);
}

/* It stays loaded: events may be asked for until the end. */
static bool load(void) {
    const struct {
        const char *name;
        void *at;
    } functions[] = {{"pfm_initialize", &pfm.initialize},
                     {"pfm_strerror", &pfm.error_text},
                     {"pfm_get_pmu_info", &pfm.pmu_info},
                     {"pfm_get_os_event_encoding", &pfm.encode}};
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    bool all = handle != NULL;
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]) && all; i++) {
        void *symbol = dlsym(handle, functions[i].name);
        all = symbol != NULL;
        memcpy(functions[i].at, &symbol,
               sizeof(symbol)); /* a function's address, as POSIX has it */
    }
    if (!all)
        log_line("encode: %s", dlerror());
    else
        find_release();
    return all;
}

/*
 * On a hybrid CPU a bare name means the first PMU that knows it: in half of the cases the wrong
 * one. 4.13.0 knows no hybrid CPU, later versions Alder Lake.
 */
static struct {
    const char *kind, *pmu;
    bool present;
} hybrids[] = {{"core", "adl_glc", false}, {"atom", "adl_grt", false}};

enum { N_HYBRID = sizeof(hybrids) / sizeof(hybrids[0]) };

static bool is_present(const char *pmu) {
    for (int i = 0; i < PFM_PMU_MAX; i++) {
        pfm_pmu_info_t info = {.size = sizeof(info)};
        if (pfm.pmu_info((pfm_pmu_t)i, &info) == PFM_SUCCESS && info.is_present &&
            strcmp(info.name, pmu) == 0)
            return true;
    }
    return false;
}

static void initialize(void) {
    if (!load())
        return;
    int rc = pfm.initialize();
    ready = rc == PFM_SUCCESS;
    for (size_t i = 0; ready && i < N_HYBRID; i++)
        hybrids[i].present = is_present(hybrids[i].pmu);
    if (!ready)
        log_line("encode: libpfm4: %s", pfm.error_text(rc));
}

static bool is_ready(void) {
    pthread_once(&once, initialize);
    return ready;
}

/* These change who is counted, or how counts are added up: attributes, not codes. */
static bool is_no_code(const char *mod, size_t n) {
    static const char *const words[] = {"SUP", "sup", "USER", "user", "percore", "perf_metrics"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strlen(words[i]) == n && strncmp(words[i], mod, n) == 0)
            return true;
    return false;
}

/*
 * Modifiers that both spell by one letter and a number. The others cannot be said by name: libpfm4
 * has no `eq`, and its umasks are names.
 */
static bool add_modifier(struct strbuf *sb, const char *mod, size_t n) {
    if (is_no_code(mod, n))
        return true;
    if (n < 2 || !strchr("cei", mod[0]))
        return false;
    for (size_t i = 1; i < n; i++)
        if (!isdigit((unsigned char)mod[i]))
            return false;
    strbuf_add(sb, ":%c=%.*s", mod[0], (int)n - 1, mod + 1);
    return true;
}

bool encode_pfm_name(const struct event *ev, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    const char *dot = strchr(ev->base, '.');
    size_t base = strlen(ev->base);
    if (dot)
        strbuf_add(&sb, "%.*s:%s", (int)(dot - ev->base), ev->base, dot + 1);
    else
        strbuf_add(&sb, "%s", ev->base);
    for (const char *p = ev->name + base; *p == ':';) {
        size_t n = strcspn(p + 1, ":");
        if (!add_modifier(&sb, p + 1, n))
            return false;
        p += 1 + n;
    }
    return sb.n + 1 < cap;
}

/* libpfm4's PMU for one kind of core of this machine; NULL: it has none. */
static const char *pmu_of_kind(const char *kind) {
    for (size_t i = 0; i < N_HYBRID; i++)
        if (hybrids[i].present && strcmp(hybrids[i].kind, kind) == 0)
            return hybrids[i].pmu;
    return NULL;
}

bool encode_from_pfm(const char *kind, const struct event *ev, unsigned long long c[2]) {
    char name[160], full[192];
    struct perf_event_attr attr = {0};
    pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof(arg)};
    if (!encode_pfm_name(ev, name, sizeof(name)) || !is_ready())
        return false;
    const char *pmu = kind[0] ? pmu_of_kind(kind) : NULL;
    if (kind[0] && !pmu)
        return false;
    snprintf(full, sizeof(full), "%s%s%s", pmu ? pmu : "", pmu ? "::" : "", name);
    int rc = pfm.encode(full, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
    /* Names that mean one of perf's generic events, or another PMU, are not what was asked for; a
     * hybrid's PMU has a type of its own. */
    if (rc != PFM_SUCCESS || (attr.type != PERF_TYPE_RAW && !pmu))
        return false;
    c[0] = attr.config;
    c[1] = attr.config1;
    return true;
}

bool encode_pfm_version(char *version, size_t cap, char *pmu, size_t pmu_cap) {
    str_copy(version, cap, "");
    str_copy(pmu, pmu_cap, "");
    if (!is_ready())
        return false;
    str_copy(version, cap, pfm.release);
    for (int i = 0; i < PFM_PMU_MAX; i++) {
        pfm_pmu_info_t info = {.size = sizeof(info)};
        if (pfm.pmu_info((pfm_pmu_t)i, &info) == PFM_SUCCESS && info.is_present &&
            info.type == PFM_PMU_TYPE_CORE) {
            str_copy(pmu, pmu_cap, info.desc);
            return true;
        }
    }
    return true;
}

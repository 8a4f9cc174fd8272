/* What is shown of one function: read when it is opened, kept by who opened it. */
#include "base/str.h"
#include "pmu/symbols/names_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MS = 10000, ASKED_FOR_FILE = 256 };

#if defined(__x86_64__)
static const uint16_t own_machine = EM_X86_64;
#elif defined(__aarch64__)
static const uint16_t own_machine = EM_AARCH64;
#else
static const uint16_t own_machine = EM_NONE;
#endif

/* How offsets of the module and addresses of its code belong together. */
struct mapping {
    uint16_t machine;
    struct elf_load load[ELF_LOADS_MAX];
    int n_load; /* 0: they are the same */
};

static bool to_address(const struct mapping *map, uint64_t offset, uint64_t *address) {
    *address = offset;
    return map->n_load == 0 || elf_to_address(map->load, map->n_load, offset, address);
}

static uint64_t to_offset(const struct mapping *map, uint64_t address) {
    uint64_t offset = address;
    return map->n_load == 0 || elf_to_offset(map->load, map->n_load, address, &offset) ? offset : 0;
}

static void map_image(struct mapping *map, const struct elf_image *e) {
    map->machine = e->machine;
    map->n_load = e->n_load;
    memcpy(map->load, e->load, sizeof(map->load));
}

/* ---- instructions ---- */

/* Memory of the process, or of the kernel by /proc/kcore, an ELF file of all of it: how many bytes,
 * 0 with words. */
static size_t read_memory(const struct places *p, const struct module *m, uint64_t at, uint8_t *buf,
                          size_t n, struct err *err) {
    const bool process = m->kind == MODULE_JIT || m->kind == MODULE_UNKNOWN;
    struct bytes b;
    struct elf_image e;
    char path[32] = "kcore";
    size_t got = 0;
    if (process)
        snprintf(path, sizeof(path), "%d/mem", m->pid);
    int rc = file_open(p->proc, path, &b);
    if (rc >= 0 && process)
        got = file_read_some(&b, at, buf, n);
    else if (rc >= 0 && (rc = elf_image_open(&e, b, NULL)) == 0) {
        uint64_t offset;
        if (elf_to_offset(e.load, e.n_load, at, &offset))
            got = file_read_some(&b, offset, buf, n);
        elf_image_close(&e);
    }
    file_close(&b);
    if (got == 0)
        err_set(err, rc < 0 ? rc : -ENOENT, "instructions are read from %s/%s: %s", p->proc, path,
                rc == -EACCES || rc == -EPERM ? "run as root"
                : rc < 0                      ? strerror(-rc)
                                              : "it does not have them");
    return got;
}

/* The bytes of the function: how many, 0 with words. */
static size_t read_bytes(const struct places *p, const struct module *m, const struct function *f,
                         struct mapping *map, uint8_t *buf, size_t n, struct err *err) {
    struct elf_image e;
    size_t got = 0;
    *map = (struct mapping){.machine = own_machine};
    if (m->kind == MODULE_FILE) {
        struct bytes b;
        if (file_open_module(p, m, elf_is_module, &b, err) < 0)
            return 0;
        if (elf_image_open(&e, b, err) == 0) {
            map_image(map, &e);
            got = file_read_some(&b, f->start, buf, n);
            elf_image_close(&e);
        }
        file_close(&b);
    } else if (m->kind == MODULE_VDSO) {
        uint8_t *all;
        size_t n_all;
        if (vdso_read(p, m, &all, &n_all) == 0) {
            const struct bytes b = {.fd = -1, .at = all, .size = n_all};
            if (elf_image_open(&e, b, err) == 0) {
                map_image(map, &e);
                got = file_read_some(&b, f->start, buf, n);
                elf_image_close(&e);
            }
            free(all);
        }
    } else
        return read_memory(p, m, f->start, buf, n, err);
    if (got == 0 && !(err && err->text[0]))
        err_set(err, -ENOENT, "the instructions of %s cannot be read", f->name);
    return got;
}

static int read_code(struct names *n, const struct module *m, struct listing *l,
                     struct mapping *map, struct err *err) {
    const struct function *f = &l->function;
    const size_t size = f->size < CODE_BYTES_MAX ? f->size : CODE_BYTES_MAX;
    uint8_t *buf = malloc(size + 1);
    if (!buf)
        return err_set(err, -ENOMEM, "no memory for the instructions");
    uint64_t address;
    const size_t got = read_bytes(&n->opt.places, m, f, map, buf, size, err);
    int rc = -ENOENT;
    if (got > 0 && to_address(map, f->start, &address))
        rc = code_read(map->machine, n->opt.intel, buf, got, address, &l->code, err);
    free(buf);
    if (rc == 0 && f->size > CODE_BYTES_MAX)
        snprintf(l->code_lack, sizeof(l->code_lack), "only the first MB of %llu bytes is decoded",
                 (unsigned long long)f->size);
    return rc;
}

static void make_offsets(struct code *c, const struct mapping *map) {
    for (size_t i = 0; i < c->n; i++) {
        c->at[i].at = to_offset(map, c->at[i].at);
        c->at[i].target = c->at[i].target ? to_offset(map, c->at[i].target) : 0;
    }
}

/* ---- what file it is ---- */

int names_build_id(struct names *n, const struct module *m, uint8_t id[BUILD_ID_MAX]) {
    struct elf_image e;
    struct bytes b;
    int count = m->n_build_id < BUILD_ID_MAX ? m->n_build_id : BUILD_ID_MAX;
    memcpy(id, m->build_id, (size_t)count);
    if (count || m->kind != MODULE_FILE ||
        file_open_module(&n->opt.places, m, elf_is_module, &b, NULL) < 0)
        return count;
    if (elf_image_open(&e, b, NULL) == 0) {
        count = e.n_build_id;
        memcpy(id, e.build_id, (size_t)count);
        elf_image_close(&e);
    }
    file_close(&b);
    return count;
}

int names_build_id_known(struct names *n, const struct module *m, uint8_t id[BUILD_ID_MAX]) {
    struct module_key key;
    int count = m->n_build_id < BUILD_ID_MAX ? m->n_build_id : BUILD_ID_MAX;
    memcpy(id, m->build_id, (size_t)count);
    module_key_init(&key, m);
    pthread_mutex_lock(&n->lock);
    const struct loaded *l = count ? NULL : names_loaded(n, &key);
    if (l) {
        count = l->n_build_id;
        memcpy(id, l->build_id, (size_t)count);
    }
    pthread_mutex_unlock(&n->lock);
    return count;
}

/* ---- lines ---- */

int names_lines(struct names *n, const struct module *m, const uint64_t *offset, size_t n_offset,
                struct line_table *out, struct err *err) {
    const struct places *p = &n->opt.places;
    struct module_files f;
    *out = (struct line_table){0};
    if (m->kind != MODULE_FILE)
        return err_set(err, -ENOENT, "lines are known of code in files only");
    int rc = module_files_open(&f, p, m, err);
    if (rc < 0)
        return rc;
    uint64_t *address = malloc((n_offset ? n_offset : 1) * sizeof(*address));
    const bool own = lines_has(&f.image);
    if (!address)
        rc = err_set(err, -ENOMEM, "no memory for lines");
    else if (!own && f.debug.fd < 0) {
        char name[256], remedy[NAMES_LACK] = "";
        loaded_remedy(remedy, sizeof(remedy), p, m, &f.image);
        rc = err_set(err, -ENOENT, "%s has no lines (debug information): %s",
                     str_safe(name, sizeof(name), str_base_name(m->path)), remedy);
    } else {
        for (size_t i = 0; i < n_offset; i++)
            if (!elf_to_address(f.image.load, f.image.n_load, offset[i], &address[i]))
                address[i] = UINT64_MAX;
        rc = lines_read(own ? &f.file : &f.debug, address, n_offset, LINES_MS, out, err);
    }
    free(address);
    module_files_close(&f);
    return rc;
}

/* The function's own file at an instruction, not that of what is inlined there; "" if not known. */
static const char *file_at(const struct line_table *t, size_t i) {
    return t->first[i] < t->first[i + 1] ? t->frame[t->first[i + 1] - 1].file : "";
}

/* The file that most instructions are of, by some of them. */
static char *main_file(const struct line_table *t) {
    const size_t step = t->n / ASKED_FOR_FILE + 1;
    const char *best = "";
    size_t most = 0;
    for (size_t i = 0; i < t->n && 2 * most * step <= t->n; i += step) {
        const char *file = file_at(t, i);
        size_t count = 0;
        for (size_t k = i; file[0] && k < t->n; k += step)
            count += strcmp(file_at(t, k), file) == 0;
        if (count > most) {
            most = count;
            best = file;
        }
    }
    return strdup(best);
}

static int read_lines(struct names *n, const struct module *m, struct listing *l, struct err *err) {
    uint64_t *offset = calloc(l->code.n + 1, sizeof(*offset));
    if (!offset)
        return err_set(err, -ENOMEM, "no memory for lines");
    for (size_t i = 0; i < l->code.n; i++)
        offset[i] = l->code.at[i].at;
    if (l->code.n == 0)
        offset[0] = l->function.start; /* without instructions, still the file */
    const int rc = names_lines(n, m, offset, l->code.n ? l->code.n : 1, &l->lines, err);
    free(offset);
    return rc;
}

int names_listing(struct names *n, const struct module *m, uint64_t offset, struct listing **out,
                  struct err *err) {
    struct err lack = {0};
    struct mapping map = {0};
    *out = NULL;
    struct listing *l = calloc(1, sizeof(*l));
    if (!l)
        return err_set(err, -ENOMEM, "no memory for the function");
    int rc = names_function(n, m, offset, &l->function);
    if (rc < 0) {
        char why[NAMES_LACK];
        names_lack(n, m, why, sizeof(why));
        listing_free(l);
        return err_set(err, rc, "%s", why[0] ? why : "no function is known there");
    }
    if (read_code(n, m, l, &map, &lack) == 0)
        make_offsets(&l->code, &map);
    else
        str_safe(l->code_lack, sizeof(l->code_lack), lack.text);
    if (read_lines(n, m, l, &lack) < 0)
        str_safe(l->lines_lack, sizeof(l->lines_lack), lack.text);
    l->file = main_file(&l->lines);
    if (!l->file) {
        listing_free(l);
        return err_set(err, -ENOMEM, "no memory for the function");
    }
    if (l->file[0] && source_text_read(&n->opt.places, m->pid, l->file, &l->text, &lack) < 0)
        str_safe(l->text_lack, sizeof(l->text_lack), lack.text);
    *out = l;
    return 0;
}

void listing_free(struct listing *l) {
    if (!l)
        return;
    code_destroy(&l->code);
    line_table_destroy(&l->lines);
    source_text_destroy(&l->text);
    free(l->file);
    free(l);
}

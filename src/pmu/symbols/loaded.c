#include "pmu/symbols/loaded.h"

#include "base/str.h"
#include "pmu/symbols/debug_file.h"
#include "pmu/symbols/lines.h"
#include "pmu/symbols/package.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

enum { VDSO_MAX = 64 << 10 };

void module_key_init(struct module_key *k, const struct module *m) {
    memset(k, 0, sizeof(*k));
    k->kind = m->kind;
    switch (m->kind) {
    case MODULE_KERNEL:
    case MODULE_KMODULE:
    case MODULE_BPF:
        k->kind = MODULE_KERNEL;
        break;
    case MODULE_JIT:
        k->pid = m->pid;
        break;
    case MODULE_FILE:
        if (m->n_build_id > 0 && m->n_build_id <= BUILD_ID_MAX) {
            k->n_build_id = m->n_build_id;
            memcpy(k->build_id, m->build_id, m->n_build_id);
            break;
        }
        k->dev_major = m->dev_major;
        k->dev_minor = m->dev_minor;
        k->ino = m->ino;
        k->ino_generation = m->ino_generation;
        if (m->ino == 0 && m->path) { /* FNV-1a */
            k->path = UINT64_C(0xcbf29ce484222325);
            for (const char *s = m->path; *s; s++)
                k->path = (k->path ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
        }
        break;
    default:
        break;
    }
}

static const char *short_name(const struct module *m) {
    return m->path ? str_base_name(m->path) : "?";
}

void loaded_remedy(char *buf, size_t cap, const struct places *p, const struct module *m,
                   const struct elf_image *e) {
    char package[128], id[2 * BUILD_ID_MAX + 1], path[128];
    const size_t n = strlen(buf);
    struct strbuf sb = strbuf_on(buf + n, cap - n);
    const bool known = m->path && package_of(p, m->pid, m->path, package, sizeof(package)) == 0;
    if (known)
        strbuf_add(&sb, "install %s-dbgsym (from Debian's debug archive)", package);
    if (e->n_build_id > 1) {
        debug_file_id_text(id, sizeof(id), e->build_id, e->n_build_id);
        debug_file_id_path(path, sizeof(path), e->build_id, e->n_build_id);
        strbuf_add(&sb,
                   "%sput its debug file at %s/%s, or let debuginfod-find debuginfo %s fetch it "
                   "(DEBUGINFOD_URLS; tdtop itself asks no server)",
                   known ? ", or " : "", p->debug, path, id);
    } else if (!known)
        strbuf_add(&sb, "build it with -g and do not strip it");
}

/* "redis-check-rdb has no symbols of its own, only 4,296 exported ones: install ..." */
static void say_stripped(struct loaded *l, const struct places *p, const struct module *m,
                         const struct elf_image *e, bool small, const char *why) {
    char name[256];
    struct strbuf sb = strbuf_on(l->lack, sizeof(l->lack));
    strbuf_add(&sb, "%s has no symbol table", str_safe(name, sizeof(name), short_name(m)));
    if (small)
        strbuf_add(&sb, " but a small one (.gnu_debugdata)");
    else if (l->symtab.n > 0)
        strbuf_add(&sb, ", only %zu exported or imported names", l->symtab.n);
    if (why && why[0])
        strbuf_add(&sb, "; %s", why);
    strbuf_add(&sb, ": ");
    loaded_remedy(l->lack, sizeof(l->lack), p, m, e);
}

/* What there is of symbols elsewhere. */
enum separate { NOTHING, SMALL, ALL };

static int add_debug_data(struct loaded *l, const struct elf_image *e, size_t max,
                          struct err *err) {
    struct elf_image d;
    uint8_t *data;
    size_t size;
    int rc = debug_data_read(e, &data, &size, err);
    if (rc < 0)
        return rc;
    rc = elf_image_open(&d, (struct bytes){.fd = -1, .at = data, .size = size}, err);
    if (rc == 0) {
        const Elf64_Shdr *s = elf_image_section(&d, ".symtab");
        rc = s ? symtab_add(&l->symtab, &d, s, STRINGS_SYMTAB, max) : -ENOENT;
        elf_image_close(&d);
    }
    free(data);
    return rc;
}

/* .symtab of the file with debug information, else the small table; why: what is wrong with that.
 */
static int add_separate(struct loaded *l, const struct places *p, const struct module *m,
                        const struct elf_image *e, size_t max, enum separate *has, char *why,
                        size_t n_why) {
    struct bytes b;
    struct elf_image d;
    struct err err = {0};
    int rc = -ENOENT;
    *has = NOTHING;
    if (debug_file_open(p, m, e, &b, NULL) == 0) {
        if (elf_image_open(&d, b, NULL) == 0) {
            const Elf64_Shdr *s = elf_image_section(&d, ".symtab");
            if (s && s->sh_type == SHT_SYMTAB)
                rc = symtab_add(&l->symtab, &d, s, STRINGS_SYMTAB, max);
            elf_image_close(&d);
        }
        file_close(&b);
        *has = rc == 0 ? ALL : NOTHING;
        if (rc == 0 || rc == -EFBIG || rc == -ENOMEM)
            return rc;
    }
    rc = add_debug_data(l, e, max, &err);
    *has = rc == 0 ? SMALL : NOTHING;
    if (rc < 0 && elf_image_section(e, ".gnu_debugdata"))
        str_copy(why, n_why, err.text);
    return rc == -EFBIG || rc == -ENOMEM ? rc : 0;
}

static int add_all(struct loaded *l, const struct places *p, const struct module *m,
                   const struct elf_image *e, size_t max) {
    const Elf64_Shdr *own = elf_image_section(e, ".symtab"), *dyn = elf_image_section(e, ".dynsym");
    enum separate has = ALL;
    char why[256] = "";
    int rc = 0;
    symtab_init(&l->symtab, e);
    if (own && own->sh_type == SHT_SYMTAB)
        rc = symtab_add(&l->symtab, e, own, STRINGS_SYMTAB, max);
    else
        rc = add_separate(l, p, m, e, max, &has, why, sizeof(why));
    if (rc == 0 && has != ALL && dyn) /* elsewhere it is a part of the others */
        rc = symtab_add(&l->symtab, e, dyn, STRINGS_DYNSYM, max);
    if (rc == 0)
        rc = symtab_add_plt(&l->symtab, e);
    if (has != ALL)
        say_stripped(l, p, m, e, has == SMALL, why);
    symtab_seal(&l->symtab);
    return rc;
}

static void read_file(struct loaded *l, const struct places *p, const struct module *m,
                      size_t max) {
    struct err err = {0};
    struct bytes b;
    struct elf_image e;
    l->rc = file_open_module(p, m, elf_is_module, &b, &err);
    if (l->rc == 0) {
        l->rc = elf_image_open(&e, b, &err);
        if (l->rc == 0) {
            l->n_build_id = e.n_build_id;
            memcpy(l->build_id, e.build_id, e.n_build_id);
            l->rc = add_all(l, p, m, &e, max);
            if (l->rc < 0)
                err_set(&err, l->rc, "%s: its symbols: %s", m->path, strerror(-l->rc));
            elf_image_close(&e);
        } else
            err_prefix(&err, "%s", m->path);
        file_close(&b);
    }
    if (l->rc < 0)
        str_safe(l->lack, sizeof(l->lack), err.text);
}

/* From the process that maps it, else our own: all of one kind of program have the same. */
int vdso_read(const struct places *p, const struct module *m, uint8_t **out, size_t *n) {
    char path[32];
    *n = 0;
    *out = malloc(VDSO_MAX);
    for (int own = m->pid > 0 && m->start > 0 ? 0 : 1; *out && own < 2 && *n == 0; own++) {
        struct bytes b;
        snprintf(path, sizeof(path), "%d/mem", m->pid);
        const uint64_t at = own ? getauxval(AT_SYSINFO_EHDR) : m->start;
        if (at > 0 && file_open(own ? "/proc" : p->proc, own ? "self/mem" : path, &b) >= 0) {
            *n = file_read_some(&b, at, *out, VDSO_MAX); /* ends where nothing is mapped */
            file_close(&b);
        }
    }
    if (*n > 0)
        return 0;
    const int rc = *out ? -ENOENT : -ENOMEM;
    free(*out);
    *out = NULL;
    return rc;
}

static void read_vdso(struct loaded *l, const struct places *p, const struct module *m,
                      size_t max) {
    struct elf_image e;
    uint8_t *buf;
    size_t n;
    l->rc = vdso_read(p, m, &buf, &n);
    if (l->rc == 0)
        l->rc = elf_image_open(&e, (struct bytes){.fd = -1, .at = buf, .size = n}, NULL);
    if (l->rc == 0) {
        const Elf64_Shdr *s = elf_image_section(&e, ".dynsym");
        symtab_init(&l->symtab, &e);
        l->rc = s ? symtab_add(&l->symtab, &e, s, STRINGS_DYNSYM, max) : -ENOENT;
        symtab_seal(&l->symtab);
        elf_image_close(&e);
    }
    free(buf);
    if (l->rc < 0)
        str_copy(l->lack, sizeof(l->lack), "the vDSO cannot be read");
}

void loaded_read(struct loaded *l, const struct places *p, const struct module *m,
                 size_t tables_max, const struct loaded *old) {
    struct err err = {0};
    for (int i = 0; i < STRINGS; i++)
        l->symtab.strings[i].from.fd = -1;
    module_key_init(&l->key, m);
    l->pid = m->pid;
    switch (l->key.kind) {
    case MODULE_FILE:
        read_file(l, p, m, tables_max);
        return;
    case MODULE_VDSO:
        read_vdso(l, p, m, tables_max);
        return;
    case MODULE_KERNEL:
        l->rc = kallsyms_read(&l->kernel, p->proc, &err);
        break;
    case MODULE_JIT:
        l->rc = old ? jit_copy(&l->jit, &old->jit) : 0;
        if (l->rc == 0)
            l->rc = jit_read(&l->jit, p, m->pid, &err);
        break;
    default:
        l->rc = err_set(&err, -ENOENT, "memory that belongs to no file");
        break;
    }
    if (l->rc < 0)
        str_safe(l->lack, sizeof(l->lack), err.text);
}

bool loaded_grew(const struct loaded *l, const struct places *p, const struct module *m) {
    return l->key.kind != MODULE_JIT || jit_grew(&l->jit, p, m->pid);
}

void loaded_destroy(struct loaded *l) {
    symtab_destroy(&l->symtab);
    kallsyms_destroy(&l->kernel);
    jit_destroy(&l->jit);
}

size_t loaded_bytes(const struct loaded *l) {
    return sizeof(*l) + symtab_bytes(&l->symtab) +
           l->kernel.symbol.cap * sizeof(*l->kernel.symbol.at) + l->kernel.text.cap +
           l->jit.symbol.cap * sizeof(*l->jit.symbol.at) + l->jit.text.cap;
}

static bool find_kernel(const struct kallsyms *k, uint64_t offset, struct found *out) {
    uint64_t end;
    const struct kallsyms_symbol *s = kallsyms_find(k, offset, &end);
    if (s)
        *out = (struct found){.start = s->at,
                              .size = end - s->at,
                              .inexact = true,
                              .name = k->text.at + s->name,
                              .module = s->module ? k->text.at + s->module : NULL};
    return s;
}

static bool find_jit(const struct jit *j, uint64_t offset, struct found *out) {
    const struct jit_symbol *s = jit_find(j, offset);
    if (s)
        *out = (struct found){
            .start = s->at, .size = s->size, .seq = s->seq + 1, .name = j->text.at + s->name};
    return s;
}

bool loaded_find(const struct loaded *l, uint64_t offset, struct found *out) {
    if (l->key.kind == MODULE_KERNEL)
        return find_kernel(&l->kernel, offset, out);
    if (l->key.kind == MODULE_JIT)
        return find_jit(&l->jit, offset, out);
    const struct symtab *t = &l->symtab;
    uint64_t address, end, start;
    if (!elf_to_address(t->load, t->n_load, offset, &address))
        return false;
    const struct symbol *s = symtab_find(t, address, &end);
    if (!s || !elf_to_offset(t->load, t->n_load, t->base + s->at, &start))
        return false;
    *out = (struct found){
        .start = start, .size = end - (t->base + s->at), .inexact = !s->sized, .symbol = s};
    return true;
}

int module_files_open(struct module_files *f, const struct places *p, const struct module *m,
                      struct err *err) {
    *f = (struct module_files){.file = {.fd = -1}, .debug = {.fd = -1}};
    int rc = file_open_module(p, m, elf_is_module, &f->file, err);
    if (rc < 0)
        return rc;
    rc = elf_image_open(&f->image, f->file, err);
    if (rc < 0) {
        file_close(&f->file);
        return rc;
    }
    if (!lines_has(&f->image))
        debug_file_open(p, m, &f->image, &f->debug, NULL);
    return 0;
}

void module_files_close(struct module_files *f) {
    elf_image_close(&f->image);
    file_close(&f->file);
    file_close(&f->debug);
}

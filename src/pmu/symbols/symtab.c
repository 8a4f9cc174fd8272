#include "pmu/symbols/symtab.h"

#include "base/sort.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

enum {
    CHUNK = 4096,           /* symbols that are read at a time */
    STRINGS_KEPT = 1 << 20, /* bytes of names that are kept in memory rather than in the file */
    NESTED = 64,   /* functions in front of an address that are asked whether they hold it */
    ALIASES = 256, /* names of one address that are compared */
    SIZE_MAX_26 = (1 << 26) - 1,
};

void symtab_init(struct symtab *t, const struct elf_image *mapped) {
    *t = (struct symtab){.n_load = mapped->n_load, .machine = mapped->machine};
    memcpy(t->load, mapped->load, sizeof(t->load));
    t->base = UINT64_MAX;
    for (int i = 0; i < t->n_load; i++)
        t->base = MIN(t->base, t->load[i].address);
    for (int i = 0; i < STRINGS; i++)
        t->strings[i].from.fd = -1;
}

void symtab_destroy(struct symtab *t) {
    for (int i = 0; i < STRINGS; i++) {
        file_close(&t->strings[i].from);
        free(t->strings[i].memory);
        t->strings[i].memory = NULL;
    }
    free(t->symbol);
    t->symbol = NULL;
    t->n = t->cap = 0;
}

size_t symtab_bytes(const struct symtab *t) {
    size_t n = sizeof(*t) + t->cap * sizeof(*t->symbol);
    for (int i = 0; i < STRINGS; i++)
        n += t->strings[i].memory ? t->strings[i].size : 0;
    return n;
}

static bool executed(const struct symtab *t, uint64_t address, uint64_t *end) {
    for (int i = 0; i < t->n_load; i++)
        if (address - t->load[i].address < t->load[i].size) {
            *end = t->load[i].address + t->load[i].size;
            return true;
        }
    return false;
}

/* Without a size a function reaches to the next one, but not out of its section. */
static int add(struct symtab *t, uint64_t address, uint64_t size, bool sized, struct symbol s,
               size_t max) {
    uint64_t end;
    if (!executed(t, address, &end) || address - t->base > UINT32_MAX)
        return 0;
    if (t->n == t->cap) {
        const size_t cap = t->cap ? t->cap + t->cap / 2 : 256;
        if (cap * sizeof(s) > max)
            return -EFBIG;
        struct symbol *at = realloc(t->symbol, cap * sizeof(s));
        if (!at)
            return -ENOMEM;
        t->symbol = at;
        t->cap = cap;
    }
    size = MIN(size, end - address);
    s.at = (uint32_t)(address - t->base);
    s.size = (uint32_t)MIN(size, SIZE_MAX_26) & SIZE_MAX_26;
    s.sized = sized;
    t->symbol[t->n++] = s;
    return 0;
}

static int keep_strings(struct symtab *t, const struct elf_image *e, const Elf64_Shdr *names,
                        int which) {
    struct strings *s = &t->strings[which];
    if (s->memory || s->from.fd >= 0)
        return -EEXIST;
    s->size = names->sh_size;
    if (e->from.fd < 0 || names->sh_size <= STRINGS_KEPT) {
        s->memory = elf_image_read(e, names, UINT32_MAX);
        s->from = (struct bytes){.fd = -1, .at = s->memory, .size = s->size};
        return s->memory ? 0 : -ENOEXEC;
    }
    s->offset = names->sh_offset;
    s->from = (struct bytes){.fd = fcntl(e->from.fd, F_DUPFD_CLOEXEC, 0), .size = e->from.size};
    return s->from.fd < 0 ? -errno : 0;
}

static const char *read_name(const struct symtab *t, const struct symbol *s, char *buf,
                             size_t cap) {
    const struct strings *in = &t->strings[s->strings];
    size_t n = 0;
    if (s->name < in->size) {
        n = MIN(cap - 1, in->size - s->name);
        n = file_read_some(&in->from, in->offset + s->name, buf, n);
    }
    buf[n] = '\0';
    n = strlen(buf);
    if (s->plt && n > 0 && n + sizeof("@plt") <= cap)
        strcpy(buf + n, "@plt");
    return buf;
}

/* What perf takes for one: a function, or a label of code that is no mark of the assembler's. */
static bool is_function(const struct elf_image *e, const Elf64_Sym *y) {
    const int type = ELF64_ST_TYPE(y->st_info);
    if (y->st_shndx == SHN_UNDEF || y->st_name == 0)
        return false;
    if (type == STT_FUNC || type == STT_GNU_IFUNC)
        return true;
    const int seen = ELF64_ST_VISIBILITY(y->st_other);
    return type == STT_NOTYPE && y->st_shndx < e->n_section && seen != STV_HIDDEN &&
           seen != STV_INTERNAL && (e->section[y->st_shndx].sh_flags & SHF_EXECINSTR);
}

static bool is_arm_mark(const struct symtab *t, const struct symbol *s) {
    char name[2];
    return t->machine == EM_AARCH64 && read_name(t, s, name, sizeof(name))[0] == '$';
}

int symtab_add(struct symtab *t, const struct elf_image *e, const Elf64_Shdr *symbols, int strings,
               size_t max) {
    if (symbols->sh_link >= e->n_section)
        return -ENOEXEC;
    int rc = keep_strings(t, e, &e->section[symbols->sh_link], strings);
    Elf64_Sym *chunk = rc == 0 ? malloc(CHUNK * sizeof(*chunk)) : NULL;
    if (!chunk)
        return rc < 0 ? rc : -ENOMEM;
    size_t got;
    for (uint64_t n = 1; rc == 0; n += got) { /* the first one is none */
        got = elf_image_symbols(e, symbols, n, chunk, CHUNK);
        if (got == 0)
            break;
        for (size_t i = 0; rc == 0 && i < got; i++) {
            const Elf64_Sym *y = &chunk[i];
            if (!is_function(e, y))
                continue;
            const int bind = ELF64_ST_BIND(y->st_info);
            const bool label = ELF64_ST_TYPE(y->st_info) == STT_NOTYPE;
            const unsigned rank = (label ? 0u : 4u) + (bind == STB_GLOBAL ? 2u
                                                       : bind == STB_WEAK ? 0u
                                                                          : 1u);
            const struct symbol s = {
                .rank = rank & 7u, .strings = strings & 1u, .name = y->st_name};
            uint64_t size = y->st_size;
            if (size == 0 && y->st_shndx < e->n_section) {
                const Elf64_Shdr *in = &e->section[y->st_shndx];
                size = in->sh_size - (y->st_value - in->sh_addr);
                size = y->st_value - in->sh_addr < in->sh_size ? size : 0;
            }
            if (!label || !is_arm_mark(t, &s))
                rc = add(t, y->st_value, size, y->st_size > 0, s, max);
        }
    }
    free(chunk);
    return rc;
}

/* How stubs lie in .plt: on x86-64 16 bytes each, the first of .plt (not of .plt.sec, which is in
 * its place where jumps are checked) for the linker itself; on arm64 16 after a first of 32. */
static int add_stubs(struct symtab *t, const struct elf_image *e, const Elf64_Shdr *plt,
                     const Elf64_Shdr *rel, uint64_t first) {
    const uint64_t size = e->is_64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rel);
    if (!e->is_64 || rel->sh_type != SHT_RELA || rel->sh_link >= e->n_section)
        return 0;
    const Elf64_Shdr *dynsym = &e->section[rel->sh_link];
    const uint64_t n = MIN(rel->sh_size / size, 1u << 20);
    int rc = 0;
    for (uint64_t i = 0; rc == 0 && i < n && first + i * 16 + 16 <= plt->sh_size; i++) {
        Elf64_Rela r;
        Elf64_Sym y;
        if (!file_read(&e->from, rel->sh_offset + i * size, &r, sizeof(r)))
            break;
        if (ELF64_R_SYM(r.r_info) == 0 || !elf_image_symbol(e, dynsym, ELF64_R_SYM(r.r_info), &y))
            continue;
        const struct symbol s = {.strings = STRINGS_DYNSYM, .plt = 1, .name = y.st_name};
        rc = add(t, plt->sh_addr + first + i * 16, 16, true, s, SIZE_MAX);
    }
    return rc;
}

int symtab_add_plt(struct symtab *t, const struct elf_image *e) {
    const Elf64_Shdr *rel = elf_image_section(e, ".rela.plt");
    const Elf64_Shdr *sec = elf_image_section(e, ".plt.sec");
    const Elf64_Shdr *plt = elf_image_section(e, ".plt");
    if (!rel || !(sec || plt) || rel->sh_link >= e->n_section)
        return 0;
    const uint32_t names = e->section[rel->sh_link].sh_link;
    const int rc =
        names < e->n_section ? keep_strings(t, e, &e->section[names], STRINGS_DYNSYM) : -ENOEXEC;
    if (rc < 0 && rc != -EEXIST) /* those of .dynsym may be there */
        return 0;
    if (sec)
        return add_stubs(t, e, sec, rel, 0);
    return e->machine == EM_X86_64    ? add_stubs(t, e, plt, rel, 16)
           : e->machine == EM_AARCH64 ? add_stubs(t, e, plt, rel, 32)
                                      : 0;
}

static int compare(const void *a, const void *b) {
    const struct symbol *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->sized != y->sized) /* the best one last */
        return x->sized ? 1 : -1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

void symtab_seal(struct symtab *t) {
    if (t->n > 0)
        qsort(t->symbol, t->n, sizeof(*t->symbol), compare);
    struct symbol *at = t->n > 0 ? realloc(t->symbol, t->n * sizeof(*at)) : NULL;
    if (at) {
        t->symbol = at;
        t->cap = t->n;
    }
}

/* True if name a is shown rather than b, of symbols that are equally good. */
static bool better(const char *a, const char *b) {
    const size_t under_a = strspn(a, "_"), under_b = strspn(b, "_");
    return under_a != under_b ? under_a < under_b : strlen(a) >= strlen(b);
}

/* Of several that are equally good, whose names decide, s is the last one. */
static const struct symbol *best(const struct symtab *t, const struct symbol *s) {
    char name[2][SYMBOL_NAME_MAX];
    int own = -1;
    const struct symbol *last = s;
    for (const struct symbol *o = s; o-- > t->symbol && last - o < ALIASES;) {
        if (o->at != s->at || o->sized != s->sized || o->rank != s->rank)
            break;
        if (own < 0) {
            own = 0;
            read_name(t, s, name[own], sizeof(name[own]));
        }
        read_name(t, o, name[!own], sizeof(name[!own]));
        if (better(name[!own], name[own])) {
            s = o;
            own = !own;
        }
    }
    return s;
}

const char *symtab_name(const struct symtab *t, const struct symbol *s, char *buf, size_t cap) {
    return read_name(t, best(t, s), buf, cap);
}

const struct symbol *symtab_find(const struct symtab *t, uint64_t address, uint64_t *end) {
    if (address < t->base || address - t->base > UINT32_MAX)
        return NULL;
    const uint32_t at = (uint32_t)(address - t->base);
    size_t next;
    SORT_FIRST(next, t->n, t->symbol[next].at > at);
    size_t low = next;
    for (int tries = 0; low > 0 && tries < NESTED; tries++) {
        const size_t last = low - 1;
        const struct symbol *s = &t->symbol[last];
        for (low = last; low > 0 && t->symbol[low - 1].at == s->at;)
            low--;
        if (at - s->at >= s->size || (!s->sized && last + 1 < next))
            continue; /* an unsized one ends where the next one begins */
        *end = t->base + s->at + s->size;
        if (!s->sized && next < t->n)
            *end = MIN(*end, t->base + t->symbol[next].at);
        return s;
    }
    return NULL;
}

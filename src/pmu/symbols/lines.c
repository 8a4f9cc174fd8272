#include "pmu/symbols/lines.h"

#include "base/libraries.h"
#include "base/str.h"
#include "pmu/symbols/apart.h"
#include "pmu/symbols/demangle.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <libelf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_MAX = 32 << 20, DEPTH_MAX = 256, NAME_MAX_BYTES = 4096 };

static struct {
    __typeof__(elf_version) *version;
    __typeof__(elf_begin) *begin;
    __typeof__(dwarf_begin_elf) *dwarf;
    __typeof__(dwarf_addrdie) *addrdie;
    __typeof__(dwarf_nextcu) *nextcu;
    __typeof__(dwarf_offdie) *offdie;
    __typeof__(dwarf_getsrc_die) *getsrc;
    __typeof__(dwarf_lineno) *lineno;
    __typeof__(dwarf_linesrc) *linesrc;
    __typeof__(dwarf_child) *child;
    __typeof__(dwarf_siblingof) *sibling;
    __typeof__(dwarf_tag) *tag;
    __typeof__(dwarf_haspc) *haspc;
    __typeof__(dwarf_attr_integrate) *attr;
    __typeof__(dwarf_formstring) *string;
    __typeof__(dwarf_formudata) *udata;
    __typeof__(dwarf_getsrcfiles) *files;
    __typeof__(dwarf_filesrc) *filesrc;
} dw;

static int load(struct err *err) {
    static const struct library_function elf[] = {{"elf_version", &dw.version},
                                                  {"elf_begin", &dw.begin}};
    static const struct library_function dwarf[] = {
        {"dwarf_begin_elf", &dw.dwarf},   {"dwarf_addrdie", &dw.addrdie},
        {"dwarf_nextcu", &dw.nextcu},     {"dwarf_offdie", &dw.offdie},
        {"dwarf_getsrc_die", &dw.getsrc}, {"dwarf_lineno", &dw.lineno},
        {"dwarf_linesrc", &dw.linesrc},   {"dwarf_child", &dw.child},
        {"dwarf_siblingof", &dw.sibling}, {"dwarf_tag", &dw.tag},
        {"dwarf_haspc", &dw.haspc},       {"dwarf_attr_integrate", &dw.attr},
        {"dwarf_formstring", &dw.string}, {"dwarf_formudata", &dw.udata},
        {"dwarf_getsrcfiles", &dw.files}, {"dwarf_filesrc", &dw.filesrc}};
    static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
    static bool loaded;
    pthread_mutex_lock(&loading);
    int rc = 0;
    if (!loaded)
        rc = library_load(LIBRARY_ELF, elf, sizeof(elf) / sizeof(elf[0]), err);
    if (!loaded && rc == 0)
        rc = library_load(LIBRARY_DW, dwarf, sizeof(dwarf) / sizeof(dwarf[0]), err);
    loaded = rc == 0;
    pthread_mutex_unlock(&loading);
    return rc;
}

bool lines_has(const struct elf_image *e) {
    for (size_t i = 1; i < e->n_section; i++) {
        const Elf64_Shdr *s = &e->section[i];
        if (s->sh_type != SHT_NOBITS && s->sh_name < e->n_section_names &&
            (strcmp(e->section_names + s->sh_name, ".debug_info") == 0 ||
             strcmp(e->section_names + s->sh_name, ".zdebug_info") == 0))
            return true;
    }
    return false;
}

/* ---- in the child ---- */

struct job {
    int fd;
    const uint64_t *address;
    size_t n;
};

static void put_frame(FILE *out, const char *function, const char *file, uint64_t line) {
    char name[NAME_MAX_BYTES], path[NAME_MAX_BYTES];
    fprintf(out, "F%llu\t%s\t%s\n", (unsigned long long)line,
            demangle(name, sizeof(name), function ? function : ""),
            str_safe(path, sizeof(path), file ? file : ""));
}

static uint64_t number_of(Dwarf_Die *die, unsigned what) {
    Dwarf_Attribute a;
    Dwarf_Word v = 0;
    return dw.attr(die, what, &a) && dw.udata(&a, &v) == 0 ? v : 0;
}

static const char *name_of(Dwarf_Die *die) {
    static const unsigned names[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name};
    Dwarf_Attribute a;
    for (int i = 0; i < 3; i++)
        if (dw.attr(die, names[i], &a))
            return dw.string(&a);
    return NULL;
}

/* The functions around pc below a DIE, inlined ones too, the outermost first: how many. */
static int chain_below(Dwarf_Die *from, Dwarf_Addr pc, Dwarf_Die *chain, int room, int depth) {
    Dwarf_Die die;
    if (room == 0 || depth >= DEPTH_MAX || dw.child(from, &die) != 0)
        return 0;
    do {
        int n = 0;
        switch (dw.tag(&die)) {
        case DW_TAG_subprogram:
        case DW_TAG_inlined_subroutine:
            if (dw.haspc(&die, pc) <= 0)
                break;
            chain[0] = die;
            return 1 + chain_below(&die, pc, chain + 1, room - 1, depth + 1);
        case DW_TAG_lexical_block:
        case DW_TAG_try_block:
        case DW_TAG_catch_block:
            if (dw.haspc(&die, pc) > 0)
                n = chain_below(&die, pc, chain, room, depth + 1);
            break;
        case DW_TAG_namespace:
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
            n = chain_below(&die, pc, chain, room, depth + 1);
            break;
        default:
            break;
        }
        if (n > 0)
            return n;
    } while (dw.sibling(&die, &die) == 0);
    return 0;
}

/* Without .debug_aranges (clang writes none) every unit is asked. */
static bool unit_of(Dwarf *dwarf, Dwarf_Addr pc, Dwarf_Die *cu) {
    if (dw.addrdie(dwarf, pc, cu))
        return true;
    Dwarf_Off at = 0, next;
    size_t header;
    while (dw.nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
        if (dw.offdie(dwarf, at + header, cu) && dw.haspc(cu, pc) > 0)
            return true;
        at = next;
    }
    return false;
}

/* Neighbours share their unit and their function, which are looked for first where they were. */
struct place {
    Dwarf_Die cu, function;
    bool has_cu, has_function;
};

static void put_address(FILE *out, Dwarf *dwarf, Dwarf_Addr pc, struct place *at) {
    Dwarf_Die chain[LINE_FRAMES_MAX];
    int n = 0;
    if (!at->has_cu || dw.haspc(&at->cu, pc) <= 0) {
        *at = (struct place){0};
        at->has_cu = unit_of(dwarf, pc, &at->cu);
    }
    if (!at->has_cu)
        return;
    if (at->has_function && dw.haspc(&at->function, pc) > 0) {
        chain[0] = at->function;
        n = 1 + chain_below(&at->function, pc, chain + 1, LINE_FRAMES_MAX - 1, 0);
    } else {
        n = chain_below(&at->cu, pc, chain, LINE_FRAMES_MAX, 0);
        at->has_function = n > 0;
        if (n > 0)
            at->function = chain[0];
    }
    Dwarf_Line *row = dw.getsrc(&at->cu, pc);
    int line = 0;
    const char *file = row ? dw.linesrc(row, NULL, NULL) : NULL;
    if (row)
        dw.lineno(row, &line);
    if (n == 0 && !file)
        return;
    put_frame(out, n > 0 ? name_of(&chain[n - 1]) : NULL, file, line > 0 ? line : 0);
    Dwarf_Files *files = NULL;
    size_t n_files = 0;
    for (int i = n - 1; i > 0; i--) {
        const uint64_t index = number_of(&chain[i], DW_AT_call_file);
        if (!files && dw.files(&at->cu, &files, &n_files) != 0)
            n_files = 0;
        put_frame(out, name_of(&chain[i - 1]),
                  index < n_files ? dw.filesrc(files, index, NULL, NULL) : NULL,
                  number_of(&chain[i], DW_AT_call_line));
    }
}

static void work(void *user, int fd) {
    const struct job *job = user;
    struct place at = {0};
    FILE *out = fdopen(fd, "we");
    dw.version(EV_CURRENT);
    Elf *elf = dw.begin(job->fd, ELF_C_READ_MMAP, NULL);
    Dwarf *dwarf = elf ? dw.dwarf(elf, DWARF_C_READ, NULL) : NULL;
    if (!out || !dwarf)
        _exit(2);
    for (size_t i = 0; i < job->n; i++) {
        fputs("A\n", out);
        put_address(out, dwarf, job->address[i], &at);
    }
    if (fflush(out) != 0)
        _exit(3);
}

/* ---- here ---- */

int lines_parse(struct line_table *t, char *text, size_t n_address) {
    size_t n_frame = 0, at = 0, cap = 0;
    for (const char *s = text; (s = strchr(s, '\n')); s++)
        cap++;
    t->frame = calloc(cap + 1, sizeof(*t->frame));
    t->first = calloc(n_address + 1, sizeof(*t->first));
    if (!t->frame || !t->first)
        return -ENOMEM;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        if (line[0] == 'A') {
            if (at >= n_address)
                return -EBADMSG;
            t->first[at++] = (uint32_t)n_frame;
        }
        char *function = line[0] == 'F' ? strchr(line, '\t') : NULL;
        char *file = function ? strchr(function + 1, '\t') : NULL;
        if (!file || at == 0)
            continue;
        *function++ = *file++ = '\0';
        str_clean(function, "");
        str_clean(file, "");
        const unsigned long number = strtoul(line + 1, NULL, 10);
        t->frame[n_frame++] =
            (struct line_frame){.function = function,
                                .file = file,
                                .line = number <= UINT32_MAX ? (uint32_t)number : 0};
    }
    for (; at <= n_address; at++)
        t->first[at] = (uint32_t)n_frame;
    t->n_frame = n_frame;
    t->n = n_address;
    return 0;
}

int lines_read(const struct bytes *file, const uint64_t *address, size_t n, int ms,
               struct line_table *out, struct err *err) {
    struct job job = {file->fd, address, n};
    size_t n_text;
    *out = (struct line_table){0};
    if (n > LINE_ADDRESSES_MAX)
        return err_set(err, -EFBIG, "%zu addresses: too many at a time", n);
    int rc = load(err);
    if (rc < 0)
        return rc;
    rc = apart_run(work, &job, ms, TEXT_MAX, &out->text, &n_text, err);
    if (rc == 0 && (rc = lines_parse(out, out->text, n)) < 0)
        err_set(err, rc, "reading the debug information failed");
    if (rc < 0)
        line_table_destroy(out);
    return rc;
}

const struct line_frame *line_table_own(const struct line_table *t, size_t i) {
    if (i >= t->n || t->first[i] == t->first[i + 1])
        return NULL;
    const struct line_frame *last = &t->frame[t->first[i + 1] - 1];
    for (const struct line_frame *f = &t->frame[t->first[i]]; f < last; f++)
        if (strcmp(f->file, last->file) == 0)
            return f;
    return last;
}

void line_table_destroy(struct line_table *t) {
    free(t->frame);
    free(t->first);
    free(t->text);
    *t = (struct line_table){0};
}

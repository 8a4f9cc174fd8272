/* The symbols of one module, from wherever they could be had. */
#ifndef TDTOP_PMU_SYMBOLS_LOADED_H
#define TDTOP_PMU_SYMBOLS_LOADED_H

#include "pmu/symbols/jit.h"
#include "pmu/symbols/kallsyms.h"
#include "pmu/symbols/symtab.h"

/* What makes two modules the same; compared as memory, so all of it is set. */
struct module_key {
    uint32_t kind; /* modules of the kernel are the kernel */
    uint32_t dev_major, dev_minor;
    int32_t pid; /* code made at run time */
    uint64_t ino, ino_generation;
    uint64_t path; /* hash of the path, where neither inode nor build id is known */
    uint8_t build_id[BUILD_ID_MAX];
    uint32_t n_build_id;
};

void module_key_init(struct module_key *k, const struct module *m);

enum { LOADED_LACK = 768 };

struct loaded {
    struct module_key key;
    uint32_t id;                                /* never used again */
    uint64_t used;                              /* when it was asked last: a count */
    uint64_t read_ns;                           /* when it was read */
    pid_t pid;                                  /* of the module it was read for */
    int rc;                                     /* 0: what there is is read; else why nothing is */
    uint8_t n_build_id, build_id[BUILD_ID_MAX]; /* of the file that was read */
    struct symtab symtab;                       /* files, the vDSO */
    struct kallsyms kernel;
    struct jit jit;
    char lack[LOADED_LACK]; /* "": nothing is missing */
};

/* Reads the symbols of the module. Takes seconds at most; holds nothing open but files of names.
 * What could not be read is in rc and lack. tables_max: bytes; old: what was read of it before, or
 * NULL. */
void loaded_read(struct loaded *l, const struct places *p, const struct module *m,
                 size_t tables_max, const struct loaded *old);
/* Whether reading it again can bring more; files of code made at run time mostly did not grow. */
bool loaded_grew(const struct loaded *l, const struct places *p, const struct module *m);
void loaded_destroy(struct loaded *l);
size_t loaded_bytes(const struct loaded *l);

/* What there is at an offset of the module. */
struct found {
    uint64_t start, size;
    bool inexact;
    uint32_t seq;                /* tells functions of one address that came one after the other */
    const struct symbol *symbol; /* its name is in the file: symtab_name */
    const char *name;            /* or here */
    const char *module;          /* of a module of the kernel: its name */
};
bool loaded_find(const struct loaded *l, uint64_t offset, struct found *out);

/* The vDSO as malloc'ed memory, of n bytes. 0 or a negative errno. */
int vdso_read(const struct places *p, const struct module *m, uint8_t **out, size_t *n);

/* Opens the file of the module and that with its debug information, -1 where there is none. 0 or a
 * negative errno with words. */
struct module_files {
    struct bytes file, debug;
    struct elf_image image; /* of file */
};
int module_files_open(struct module_files *f, const struct places *p, const struct module *m,
                      struct err *err);
void module_files_close(struct module_files *f);

/* What would bring debug information: a package of Debian, a file, debuginfod. Appended to buf. */
void loaded_remedy(char *buf, size_t cap, const struct places *p, const struct module *m,
                   const struct elf_image *e);

#endif

/* What a kind of store does. store.c finds it and asks: store_sqlite.c is one in a file,
 * store_postgres.c one on a server. */
#ifndef TDTOP_DB_STORE_OPS_H
#define TDTOP_DB_STORE_OPS_H

#include "db/store.h"

struct store_ops {
    const char *name;
    /* address: a path, whose folder is there where mode is STORE_WRITE, or a server's. name: the
     * same for people, without a password; borrowed until close. *impl is closed by close. */
    int (*open)(void **impl, const char *address, const char *name, enum store_mode mode,
                bool (*wait)(void *user, double waited_s), void *user, struct err *err);
    void (*close)(void *impl);
    void (*on_wait)(void *impl, bool (*wait)(void *user, double waited_s), void *user);
    /* The others are as in store.h; what they are given was checked there. */
    int (*save)(void *impl, const struct run *r, struct err *err);
    int (*grow)(void *impl, const struct run *r, enum store_grow how, struct store_growth *g,
                struct err *err);
    /* each NULL: the rows are in `out`. */
    int (*list)(void *impl, const struct run_query *q, run_each *each, void *user,
                struct run_list *out, struct err *err);
    /* Those that have the label, in any order, and the total of the query. */
    int (*groups)(void *impl, const struct run_query *q, const char *key,
                  struct run_group_list *out, struct err *err);
    int (*place)(void *impl, const struct run_query *q, const char *id, uint64_t *place,
                 struct err *err);
    int (*find)(void *impl, const char *prefix, bool deleted, char id[RUN_ID_LEN + 1],
                struct err *err);
    int (*load)(void *impl, const char *id, unsigned parts, struct run *out, struct err *err);
    int (*batch_begin)(void *impl, struct err *err);
    int (*batch_end)(void *impl, int rc, struct err *err);
    int (*edit)(void *impl, const char *id, const struct label_change *change, size_t n,
                const char *note, struct err *err);
    int (*mark_deleted)(void *impl, const char *id, bool deleted, struct err *err);
    int (*words)(void *impl, const char *key, const char *prefix, size_t limit, char ***words,
                 struct err *err);
    int (*sql)(void *impl, const char *sql, const struct store_rows *to, struct err *err);
    int (*stats)(void *impl, struct store_stats *out, struct err *err);
    int (*check)(void *impl, void (*problem)(void *user, const char *text), void *user,
                 struct err *err);
    int (*vacuum)(void *impl, struct err *err);
    int (*prune)(void *impl, int64_t older_than_ns, bool dry_run, struct store_prune *out,
                 struct err *err);
    /* NULL: nothing is ever on its way. */
    int (*send)(void *impl, struct err *err);
    void (*outbox)(void *impl, struct store_outbox *out);
    /* Another number after any change of what is stored; NULL: the file tells. */
    int (*stamp)(void *impl, int64_t *stamp, struct err *err);
};

extern const struct store_ops store_sqlite, store_postgres;

/* The file of path NULL, whatever server is named. 0 or -ENOENT with words. */
int store_file(char *out, size_t cap, struct err *err);
/* The address of a server without its password. 0, or negative errno with words. */
int store_server_name(const char *dsn, char *out, size_t cap, struct err *err);

#endif

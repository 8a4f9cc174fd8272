/* Parts of a model as text: an event as perf takes it, an expression as it is written. */
#ifndef TDTOP_MODEL_MODEL_TEXT_H
#define TDTOP_MODEL_MODEL_TEXT_H

#include "base/str.h"
#include "model/load/expr.h"
#include "model/load/model.h"

/*
 * An event as `perf stat -e` takes it: "cpu/event=0xa6,umask=0x21,cmask=0x5/", "task-clock",
 * "uncore_cha/event=0x35,umask=0xc816fe01/". "" for what perf cannot count, or where nothing but a
 * name is known. Returns buf.
 */
char *model_event_text(const struct model *m, const struct event *e, char *buf, size_t cap);

/* The kernel's PMU of a model's core events: "cpu", "cpu_atom", "armv8_pmuv3_0". */
const char *model_core_pmu(const struct model *m);

/* Appends an expression as model files write it, with no more parentheses than it needs. */
void model_expr_text(const struct model *m, const struct ast *ast, struct strbuf *sb);

/* How an expression is written otherwise; each may be NULL. */
struct expr_style {
    /* What is written in the place of a node: itself, or one below it. */
    const struct ast *(*pick)(void *user, const struct ast *ast);
    /* Writes a leaf other than a number. */
    void (*leaf)(void *user, const struct ast *leaf, struct strbuf *sb);
    void *user;
};
void model_expr_text_as(const struct model *m, const struct ast *ast,
                        const struct expr_style *style, struct strbuf *sb);

/* The number that a metric's own threshold compares it with; NAN if its rule is not that simple. */
double model_threshold(const struct model *m, int metric);

/* Name of the constant with this AST_CONST index: "SMT_ON", "EVENT:retire_latency". Returns buf. */
char *model_const_text(const struct model *m, int index, char *buf, size_t cap);

/* An event to sample as perf record takes it: those that the vendor has as precise with ":pp",
 * which names the very instruction. Returns buf. */
char *model_sample_text(const char *event, char *buf, size_t cap);

/* The next of a metric's groups ("A;B; C"): *list goes behind it. False at the end. */
bool model_group_next(const char **list, const char **name, size_t *n);
/* True if `name` is one of a metric's groups; if it is one of some metric's. */
bool model_in_group(const struct metric *mt, const char *name);
bool model_has_group(const struct model *m, const char *name);

#endif

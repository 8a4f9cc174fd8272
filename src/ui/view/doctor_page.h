/*
 * What is said about the machine, tdtop itself and the model, in parts: for the pop-up
 * (popup_doctor.c) and the view (view_doctor.c).
 */
#ifndef TDTOP_UI_DOCTOR_PAGE_H
#define TDTOP_UI_DOCTOR_PAGE_H

#include "ui/draw/list.h"
#include "ui/draw/page.h"

#include <stdbool.h>

struct scene;

/* What view_doctor keeps: the lines that are seen. */
struct doctor_state {
    struct list text;
};

/* The checks: what is wrong first, each with effect, remedy and what works without it. */
void doctor_checks(const struct scene *sc, struct page *p);
/* "1 failed, 3 warnings, 14 ok". Returns buf. */
const char *doctor_summary(const struct scene *sc, char *buf, size_t cap);
/* What tdtop itself costs: the lines, and the same with a heading. */
void doctor_cost_lines(const struct scene *sc, struct page *p);
void doctor_cost(const struct scene *sc, struct page *p);
/* The model in use and how it was chosen; the others there are; what it and tdtop cannot do. */
void doctor_model(const struct scene *sc, struct page *p);
void doctor_models(const struct scene *sc, struct page *p);
void doctor_limits(const struct scene *sc, struct page *p);

#endif

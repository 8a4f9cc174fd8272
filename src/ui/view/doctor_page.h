/*
 * What is said about the machine, tdtop itself and the model, in parts: for the pop-up
 * (popup_doctor.c) and the view (view_doctor.c).
 */
#ifndef TDTOP_UI_DOCTOR_PAGE_H
#define TDTOP_UI_DOCTOR_PAGE_H

#include "ui/draw/page.h"

#include <stdbool.h>

struct screen;

/* The checks: what is wrong first, each with effect, remedy and what works without it. */
void doctor_checks(struct screen *sc, struct page *p);
/* "1 failed, 3 warnings, 14 ok". Returns buf. */
const char *doctor_summary(const struct screen *sc, char *buf, size_t cap);
/* What tdtop itself costs (popup_cost.c). */
void doctor_cost(struct screen *sc, struct page *p);
/* The model in use and how it was chosen; the others there are; what it and tdtop cannot do. */
void doctor_model(struct screen *sc, struct page *p);
void doctor_models(struct screen *sc, struct page *p);
void doctor_limits(struct screen *sc, struct page *p);

/* The view: a row of views.c leads here. */
void doctor_enter(struct screen *sc);
void doctor_go_by(struct screen *sc, int lines);
void doctor_end(struct screen *sc, bool last);
int doctor_page(const struct screen *sc);

#endif

/* What the checks of the doctor share. */
#ifndef TDTOP_PMU_DOCTOR_IMPL_H
#define TDTOP_PMU_DOCTOR_IMPL_H

#include "pmu/host/doctor.h"

#include <stddef.h>

struct patient {
    const struct machine *mc;
    const char *root;
};

/* Length of a small file, or a negative errno; buf is always a text. */
int doctor_read(const struct patient *p, const char *path, char *buf, size_t cap);
/* -1 where the file is absent: none of those read here is ever negative. */
long doctor_read_long(const struct patient *p, const char *path);

void doctor_found(struct check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What is wrong, and what to do about it. */
void doctor_blame(struct check *c, enum check_state state, const char *effect, const char *fix);

/* Checks that the environment of a session makes, too. */
void doctor_paranoid(const struct patient *p, struct check *c);
void doctor_watchdog(const struct patient *p, struct check *c);
void doctor_mux(const struct patient *p, struct check *c);

/* The checks of doctor_system.c. */
void doctor_perf_users(const struct patient *p, struct check *c);
void doctor_smt(const struct patient *p, struct check *c);
void doctor_hypervisor(const struct patient *p, struct check *c);
void doctor_steal(const struct patient *p, struct check *c);
void doctor_governor(const struct patient *p, struct check *c);
void doctor_turbo(const struct patient *p, struct check *c);
void doctor_clock(const struct patient *p, struct check *c);
void doctor_throttle(const struct patient *p, struct check *c);
void doctor_run_queue(const struct patient *p, struct check *c);
void doctor_kptr(const struct patient *p, struct check *c);

#endif

/*
 * A flight recorder: rules are watched on all sessions of a measurement, and what they point at is
 * kept: the time before and behind it, as runs with a mark. One that fires while another is kept
 * keeps its own.
 */
#ifndef TDTOP_SESSION_FLIGHT_H
#define TDTOP_SESSION_FLIGHT_H

#include "model/compare/rule.h"
#include "session/hybrid.h"

enum { FLIGHT_RULES = 16, FLIGHT_KEPT = 16 };
#define FLIGHT_SPAN_NS 60000000000ull /* before and behind, where nothing is said */

struct flight_kept {
    int rule, type; /* of flight.rule; the session in which it fired */
    char rule_text[RULE_TEXT];
    uint64_t t_ns; /* session time of the firing */
    uint64_t t0_ns, t1_ns;
    char id[RUN_ID_LEN + 1]; /* that the run (of the first session) will have; "": it is not kept */
    char found[256];         /* rule_found */
};

struct flight { /* zeroed at first; no memory of its own */
    struct rule rule[FLIGHT_RULES];
    int n_rule;
    uint64_t before_ns, behind_ns;
    struct rule_watch watch[FLIGHT_RULES][SESSIONS_MAX];
    struct flight_kept kept[FLIGHT_KEPT]; /* that are waited for, in the order of time */
    int n_kept;
    uint64_t n_fired;
};

/* One more rule, of sessions that are open (all NULL: bound later). 0, or -EINVAL, -E2BIG with
 * words: as before. base may be NULL. */
int flight_add(struct flight *fl, const char *text, const struct sessions *all,
               const struct run *base, struct err *err);
/* All rules, of sessions that were opened (again). As rule_bind. */
int flight_bind(struct flight *fl, const struct sessions *all, const struct run *base,
                struct err *err);
/* The newest interval of a session, behind session_take. Calls fired for each rule that does, which
 * is marked and waited for by then, or not kept if FLIGHT_KEPT are already. A rule that another
 * core type found in that time is marked alone: its run has all types. */
void flight_take(struct flight *fl, const struct sessions *all, int type,
                 void (*fired)(void *user, const struct flight_kept *k), void *user);
/* The next whose time behind is over, or (over) which is waited for; false: none is. */
bool flight_due(struct flight *fl, const struct sessions *all, bool over, struct flight_kept *out);
/* Its run of a session, with the label trigger=RULE and what it found as a note; first: it gets
 * k->id. As session_draft. */
int flight_draft(const struct flight_kept *k, const struct session *s, bool first,
                 struct session_draft *out, struct err *err);

#endif

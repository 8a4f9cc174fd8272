/* Changes of level, while intervals come (session.c). What others ask of spans is in session.h. */
#ifndef TDTOP_SESSION_SPANS_H
#define TDTOP_SESSION_SPANS_H

struct session;

/* The newest interval was recorded: is it of another level? */
void session_follow_changes(struct session *s);

#endif

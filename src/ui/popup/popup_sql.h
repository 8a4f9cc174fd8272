/* `:sql SELECT ...`: what was measured in the last hour as rows, as `tdtop sql` has stored runs. */
#ifndef TDTOP_UI_POPUP_SQL_H
#define TDTOP_UI_POPUP_SQL_H

struct screen;

/* Asks for a statement, with one to begin from. */
void sql_ask(struct screen *sc);
/* Shows its rows, or says why there are none. "": nothing is done. */
void sql_show(struct screen *sc, const char *sql);

#endif

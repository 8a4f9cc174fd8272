/* What comes through --control, done to the screen. */
#ifndef TDTOP_UI_CONTROL_H
#define TDTOP_UI_CONTROL_H

#include "ui/app/control_fifo.h"

struct screen;

/*
 * Takes the commands that wait, as many as a turn of the main loop allows. What goes wrong is said
 * on the screen and stops nothing; where reading itself fails the FIFO is closed. Returns true if
 * the screen changed.
 */
bool control_take(struct control_fifo *cf, struct screen *sc);

#endif

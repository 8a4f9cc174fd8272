#include "cli/pager.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int pager_begin(struct pager *p) {
    *p = (struct pager){0};
    p->out = open_memstream(&p->text_, &p->len_);
    return p->out ? 0 : -ENOMEM;
}

/* The line with the prompt needs a row too. */
static bool fits_screen(const struct pager *p) {
    struct winsize ws;
    int lines = 1;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) < 0 || ws.ws_row == 0)
        return true;
    for (size_t i = 0; i < p->len_; i++)
        lines += p->text_[i] == '\n';
    return lines <= ws.ws_row;
}

/* False if there is no such program: then nothing was shown. */
static bool page(const struct pager *p) {
    const char *program = getenv("PAGER");
    if (!program || !program[0])
        program = "command -v less >/dev/null && exec less -FRX; exec more";
    void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* q before the end is no error */
    FILE *to = popen(program, "w");
    int rc = -1;
    if (to) {
        fwrite(p->text_, 1, p->len_, to);
        rc = pclose(to);
    }
    signal(SIGPIPE, before);
    return rc != -1 && rc != 127 << 8; /* the shell's "not found" */
}

void pager_end(struct pager *p) {
    if (fclose(p->out) == 0 && p->text_ && (fits_screen(p) || !page(p)))
        fwrite(p->text_, 1, p->len_, stdout);
    free(p->text_);
    *p = (struct pager){0};
}

#include "cli/out/pager.h"

#include "base/door.h"
#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int no_memory(void) {
    cli_note("a text for the pager: out of memory; free some");
    return -ENOMEM;
}

int pager_begin(struct pager *p) {
    *p = (struct pager){0};
    p->out = open_memstream(&p->text_, &p->len_);
    return p->out ? 0 : no_memory();
}

/* The rows that a terminal of that many columns makes of it. */
static size_t rows_of(const struct pager *p, size_t cols) {
    size_t rows = 1, col = 0; /* the line with the prompt needs a row too */
    for (size_t i = 0; i < p->len_; i++) {
        const bool ends = p->text_[i] == '\n', continued = (p->text_[i] & 0xc0) == 0x80;
        rows += ends || (!continued && col > 0 && col % cols == 0);
        col = ends ? 0 : col + !continued;
    }
    return rows;
}

static bool fits_screen(const struct pager *p) {
    struct winsize ws;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) < 0 || ws.ws_row == 0)
        return true;
    return rows_of(p, ws.ws_col ? ws.ws_col : 80) <= ws.ws_row;
}

/* What is pressed in the pager is the pager's, and q before the end is no error. Set when it runs
 * already: it begins with the signals as they were. */
static const int ignored[] = {SIGPIPE, SIGINT, SIGQUIT};
enum { N_IGNORED = sizeof(ignored) / sizeof(ignored[0]) };

/* Returns its exit status. */
static int feed(FILE *to, const struct pager *p) {
    void (*before[N_IGNORED])(int);
    for (int i = 0; i < N_IGNORED; i++)
        before[i] = signal(ignored[i], SIG_IGN);
    const int fd = dup(fileno(to)); /* not every pager minds what it shows */
    FILE *out = fd >= 0 ? door_open(fd) : NULL;
    if (out) {
        fwrite(p->text_, 1, p->len_, out);
        fclose(out);
    } else if (fd >= 0) {
        close(fd);
    }
    const int status = pclose(to);
    for (int i = 0; i < N_IGNORED; i++)
        signal(ignored[i], before[i]);
    return status;
}

/* False if it could not be started: then nothing was shown. */
static bool page(const struct pager *p) {
    enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 }; /* the shell's words for it */
    const char *program = getenv("PAGER");
    if (!program)
        program = "command -v less >/dev/null && exec less -FRX; exec more";
    if (!program[0])
        return false; /* so that nothing pages */
    FILE *to = popen(program, "w");
    if (!to)
        return false;
    const int status = feed(to, p);
    return status != -1 && !(WIFEXITED(status) && (WEXITSTATUS(status) == NOT_EXECUTABLE ||
                                                   WEXITSTATUS(status) == NOT_FOUND));
}

int pager_end(struct pager *p) {
    int rc = 0;
    if (fclose(p->out) != 0)
        rc = no_memory();
    else if (fits_screen(p) || !page(p))
        fwrite(p->text_, 1, p->len_, stdout);
    free(p->text_);
    *p = (struct pager){0};
    return rc;
}

/*
 * Text and lines of a file of /proc that is read again and again. Not by stdio: after a rewind it
 * may go on with what it has in its buffer, and then the numbers stand still.
 */
#ifndef TDTOP_PMU_PROC_LINES_H
#define TDTOP_PMU_PROC_LINES_H

#include <stddef.h>
#include <sys/types.h>

/* Length read from `at` on, or a negative errno. A negative fd is one, too. buf is terminated. */
int proc_read_at(int fd, char *buf, size_t cap, off_t at);

struct proc_lines {
    int fd;
    char *buf;
    int cap;   /* of buf; the file may be longer */
    int n, at; /* private: bytes in the buffer, and where the next line begins */
    off_t off; /* private: of the next read */
};

/* From the beginning of the file. A negative fd has no lines. */
struct proc_lines proc_lines_of(int fd, char *buf, size_t cap);

/* The next line, terminated; NULL at the end. A line longer than the buffer is cut into pieces. */
char *proc_lines_next(struct proc_lines *l);

/* "cpu12 34 56 ...": the number of the CPU, and where its numbers begin; -1 for other lines. */
int proc_lines_cpu(const char *line, const char **numbers);

#endif

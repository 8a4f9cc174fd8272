/*
 * Text and lines of a file of /proc that is read again and again. Not by stdio: after a rewind it
 * may go on with what it has in its buffer, and then the numbers stand still.
 */
#ifndef TDTOP_PMU_PROC_LINES_H
#define TDTOP_PMU_PROC_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

/* The n-th number (from 0) of a text of numbers; false: there is none. */
bool proc_number(const char *text, int n, uint64_t *out);

/* Fields of /proc/PID/stat, by their numbers in proc(5). */
enum {
    STAT_STATE = 3, /* a character */
    STAT_PPID = 4,
    STAT_FLAGS = 9,
    STAT_MINFLT = 10,
    STAT_MAJFLT = 12,
    STAT_UTIME = 14,
    STAT_STIME = 15,
    STAT_THREADS = 20,
    STAT_START = 22,
    STAT_RSS = 24,
    STAT_CPU = 39,
    STAT_EXIT_CODE = 52,
    STAT_N,
};
/* Reads the fields up to `last` of such a text, which it cuts; comm (NULL: not wanted) is made
 * safe. False: it has less. */
bool proc_stat(char *text, int last, int64_t field[STAT_N], char *comm, size_t cap);

/* "cpu12 34 56 ...": the number of the CPU, and where its numbers begin; -1 for other lines. */
int proc_lines_cpu(const char *line, const char **numbers);

#endif

#include "pmu/host/proc_lines.h"

#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int proc_read_at(int fd, char *buf, size_t cap, off_t at) {
    if (fd < 0)
        return fd;
    ssize_t n;
    do
        n = pread(fd, buf, cap - 1, at);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return -errno;
    buf[n] = '\0';
    return (int)n;
}

bool proc_number(const char *text, int n, uint64_t *out) {
    char *end;
    for (;; n--, text = end) {
        *out = strtoull(text, &end, 10);
        if (end == text || n == 0)
            return end > text;
    }
}

/* comm may hold anything, so fields count from the last ')'. */
bool proc_stat(char *text, int last, int64_t field[STAT_N], char *comm, size_t cap) {
    char *name = strchr(text, '('), *at = strrchr(text, ')'), *end;
    if (!name || !at || at < name || at[1] != ' ' || !at[2])
        return false;
    *at = '\0';
    if (comm)
        str_safe(comm, cap, name + 1);
    field[STAT_STATE] = at[2];
    at += 3;
    for (int i = STAT_STATE + 1; i <= last; i++, at = end) {
        field[i] = strtoll(at, &end, 10);
        if (end == at)
            return false;
    }
    return true;
}

struct proc_lines proc_lines_of(int fd, char *buf, size_t cap) {
    return (struct proc_lines){.fd = fd, .buf = buf, .cap = (int)cap};
}

char *proc_lines_next(struct proc_lines *l) {
    char *end = memchr(l->buf + l->at, '\n', (size_t)(l->n - l->at));
    if (!end) {
        memmove(l->buf, l->buf + l->at, (size_t)(l->n - l->at));
        l->n -= l->at;
        l->at = 0;
        int got = proc_read_at(l->fd, l->buf + l->n, (size_t)(l->cap - l->n), l->off);
        if (got > 0) {
            l->n += got;
            l->off += got;
        }
        end = memchr(l->buf, '\n', (size_t)l->n);
        if (!end && l->n == 0)
            return NULL;
        if (!end)
            end = l->buf + l->n - (l->n == l->cap - 1);
    }
    char *line = l->buf + l->at;
    *end = '\0';
    l->at = (int)(end - l->buf) + 1 < l->n ? (int)(end - l->buf) + 1 : l->n;
    return line;
}

int proc_lines_cpu(const char *line, const char **numbers) {
    char *end;
    if (strncmp(line, "cpu", 3) != 0 || line[3] < '0' || line[3] > '9')
        return -1;
    long cpu = strtol(line + 3, &end, 10);
    *numbers = end;
    return (int)cpu;
}

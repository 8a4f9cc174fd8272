/*
 * truth - how long a program was in each of its phases, to the microsecond
 *
 *	truth PHASES QUICK-us SLOW-us TYPE COMMAND...
 *
 * A child keeps a CPU busy.  The PMU of that type counts the ns that it spends in
 * each phase of the rates file (../vpmu/vpmu.c); from these follows what any event
 * should have counted.  COMMAND runs meanwhile, with the child's process id for the word
 * PID.  Of the lines that it prints those with "enabled_ms" (of any event: how
 * long it was enabled in the line's interval) get a line after them:
 *
 *	{"truth":[...],"gap":MS}
 *
 * the ns in each phase in that very time, and for how long the child was off its
 * CPU about when that time began or ended: it is not known when exactly, so that
 * much of the truth is a guess.  A line with "summary" stands for all before it.
 *
 * The clock is that of the child's counters, so that it does not matter when the
 * command got round to reading them.  It begins at 0 for both: the child sleeps
 * until the first line has come.  Between two reads the phases are found as the
 * PMU finds them (../vpmu/vpmu.c), by the time that it goes by.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PHASES = 8, LINES = 512, SNAPS = 30000 };

#define PHASE	0xfffffffffffff000ULL
#define CLOCK	UINT64_MAX
#define TICK_S	0.004

/* The ns in each phase when the events had been enabled for that long, in ms. */
struct snap {
	double enabled;
	uint64_t clock, count[PHASES];
};

struct line {
	char *text;
	double from, to;		/* of the enabled time since the first line; from < 0: none */
};

static struct snap snaps[SNAPS];
static struct line lines[LINES];
static uint64_t quick_ns, slow_ns;
static double start;		/* the child's enabled time when it was let go */
static int nr_phases, nr_snaps, nr_lines, leader = -1, go = -1;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		err(2, "CPU %d", cpu);
}

static pid_t start_busy(void)
{
	int wait[2];
	pid_t pid;
	char c;

	if (pipe(wait) < 0 || (pid = fork()) < 0)
		err(2, "fork");
	go = wait[1];
	if (pid)
		return pid;
	pin(0);
	close(wait[1]);
	if (read(wait[0], &c, 1) < 1)
		_exit(1);
	for (;;)
		__asm__ volatile("");
}

static void open_events(int type, pid_t pid)
{
	struct perf_event_attr attr = {
		.type = type, .size = sizeof(attr), .pinned = 1,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED,
	};

	for (int i = -1; i < nr_phases; i++) {
		int fd;

		attr.config = i < 0 ? CLOCK : PHASE + i;
		fd = syscall(SYS_perf_event_open, &attr, pid, -1, leader, 0);
		if (fd < 0)
			err(2, "phase %d", i);
		if (leader < 0)
			leader = fd;
		attr.pinned = 0;
	}
}

static void take_snap(void)
{
	struct { uint64_t nr, enabled, clock, value[PHASES]; } now;
	ssize_t size = (3 + nr_phases) * sizeof(uint64_t);
	struct snap *s = &snaps[nr_snaps];

	if (nr_snaps == SNAPS)
		errx(2, "the command takes too long");
	if (read(leader, &now, size) != size)
		err(2, "read");
	s->enabled = now.enabled / 1e6;
	s->clock = now.clock;
	for (int i = 0; i < nr_phases; i++)
		s->count[i] = now.value[i];
	if (!nr_snaps || s->enabled > s[-1].enabled)
		nr_snaps++;
}

static pid_t start_command(char **argv, pid_t target, int *from)
{
	int out[2];
	char text[16];
	pid_t pid;

	snprintf(text, sizeof(text), "%d", target);
	for (char **arg = argv; *arg; arg++)
		if (!strcmp(*arg, "PID"))
			*arg = text;
	if (pipe(out) < 0 || (pid = fork()) < 0)
		err(2, "fork");
	if (!pid) {
		dup2(out[1], 1);
		close(out[0]);
		close(out[1]);
		execvp(*argv, argv);
		err(127, "%s", *argv);
	}
	close(out[1]);
	*from = out[0];
	return pid;
}

static void keep_line(const char *text)
{
	static const char enabled[] = "\"enabled_ms\":";
	static double sum;
	struct line *l = &lines[nr_lines];
	const char *ms = strstr(text, enabled);

	if (nr_lines++ == LINES)
		errx(2, "too many lines");
	*l = (struct line){ .text = strdup(text), .from = -1 };
	if (!ms)
		return;
	l->from = strstr(text, "\"summary\":true") ? 0 : sum;
	l->to = l->from + atof(ms + sizeof(enabled) - 1);
	if (l->to > sum)
		sum = l->to;
}

/* Takes in what there is; returns false at the end. */
static bool take_lines(int from)
{
	static char buf[1 << 20];
	static size_t n;
	ssize_t got = read(from, buf + n, sizeof(buf) - n - 1);
	char *begin = buf, *end;

	if (got <= 0)
		return got < 0 && errno == EINTR;
	n += got;
	buf[n] = '\0';
	while ((end = strchr(begin, '\n'))) {
		*end = '\0';
		keep_line(begin);
		begin = end + 1;
	}
	n -= begin - buf;
	memmove(buf, begin, n);
	return true;
}

/* The snap at or before a time; never the last one. */
static int find_snap(double enabled)
{
	int i = 0;

	while (i < nr_snaps - 2 && snaps[i + 1].enabled <= enabled)
		i++;
	return i;
}

static uint64_t hash(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static int phase_at(uint64_t clock)
{
	uint64_t h = hash(clock / quick_ns);

	if (h & 1)
		h = hash(~(clock / slow_ns));
	return (uint32_t)(h >> 32) % nr_phases;
}

/* Adds the ns in each phase up to an enabled time, or takes them away. */
static void add_phases(double enabled, double sign, double *ns)
{
	const struct snap *s = &snaps[find_snap(enabled)];
	uint64_t at = s->clock, end = at + (uint64_t)((enabled > s->enabled ? enabled - s->enabled : 0) * 1e6);

	for (int p = 0; p < nr_phases; p++)
		ns[p] += sign * s->count[p];
	while (at < end) {
		uint64_t next = (at / quick_ns + 1) * quick_ns;

		next = next < end ? next : end;
		ns[phase_at(at)] += sign * (next - at);
		at = next;
	}
}

/* ms that the child was off its CPU between the reads around a time. */
static double gap_at(double enabled)
{
	const struct snap *a = &snaps[find_snap(enabled)], *b = a + 1;

	return a->enabled > 0 ? (b->clock - a->clock) / 1e6 - (b->enabled - a->enabled) : 0;
}

static void print_truth(const struct line *l)
{
	double ns[PHASES] = {0}, from = start + l->from, to = start + l->to,
	       begin = l->from > 0 ? gap_at(from) : 0, end = gap_at(to);

	add_phases(from, -1, ns);
	add_phases(to, 1, ns);
	printf("{\"truth\":[");
	for (int p = 0; p < nr_phases; p++)
		printf("%s%.1f", p ? "," : "", ns[p]);
	printf("],\"gap\":%.2f}\n", begin > end ? begin : end);
}

static void print_lines(void)
{
	for (int i = 0; i < nr_lines; i++) {
		puts(lines[i].text);
		if (lines[i].from >= 0)
			print_truth(&lines[i]);
	}
}

static void let_go(void)
{
	take_snap();
	start = snaps[nr_snaps - 1].enabled;	/* 0 if it slept before it was counted */
	if (write(go, "", 1) < 1)
		err(2, "pipe");
	close(go);
	go = -1;
}

int main(int argc, char **argv)
{
	struct sched_param first = { .sched_priority = 1 };
	pid_t busy, command;
	int from, status;
	bool more = true;

	nr_phases = argc > 5 ? atoi(argv[1]) : 0;
	if (nr_phases < 1 || nr_phases > PHASES)
		errx(2, "usage: truth PHASES QUICK SLOW TYPE COMMAND...");
	quick_ns = atoll(argv[2]) * 1000;
	slow_ns = atoll(argv[3]) * 1000;
	busy = start_busy();
	open_events(atoi(argv[4]), busy);
	pin(1);
	take_snap();
	command = start_command(argv + 5, busy, &from);
	sched_setscheduler(0, SCHED_RR, &first);	/* the command does not delay it */
	for (double next = now(); more; ) {
		struct pollfd in = { .fd = from, .events = POLLIN };
		double left = next - now();
		struct timespec t = { .tv_nsec = left > 0 ? (long)(left * 1e9) : 0 };

		if (ppoll(&in, 1, &t, NULL) > 0)
			more = take_lines(from);
		if (nr_lines && go >= 0)
			let_go();
		if (now() < next)
			continue;
		take_snap();
		next += TICK_S;
		if (next < now())
			next = now() + TICK_S;
	}
	take_snap();
	kill(busy, SIGKILL);
	waitpid(command, &status, 0);
	print_lines();
	fprintf(stderr, "truth: %d snaps in %.1f s\n", nr_snaps, snaps[nr_snaps - 1].enabled / 1e3);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/*
 * becomes - a program that calls exec again and again: becomes ROUNDS SECONDS [thread]
 *
 * Each round works for SECONDS under a name of its own (round-9, round-8 ...), then execs itself.
 * With "thread" it is a second thread that does so while the first sleeps: it takes the number of
 * the process along. It stops itself first: kill -CONT lets it go.
 */
#define _GNU_SOURCE
#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static int rounds;
static char **args;

static void work(double seconds)
{
	struct timespec t;
	double end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	end = t.tv_sec + t.tv_nsec / 1e9 + seconds;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while (t.tv_sec + t.tv_nsec / 1e9 < end);
}

static void *one_round(void *seconds)
{
	char left[16];

	work(*(double *)seconds);
	if (rounds <= 0)
		exit(0);
	snprintf(left, sizeof(left), "%d", rounds - 1);
	args[1] = left;
	execv("/proc/self/exe", args);
	err(1, "exec");
}

int main(int argc, char **argv)
{
	char name[16];
	pthread_t thread;
	double seconds;

	if (argc < 3)
		errx(2, "usage: becomes ROUNDS SECONDS [thread]");
	args = argv;
	rounds = atoi(argv[1]);
	seconds = atof(argv[2]);
	if (!getenv("BECOMES")) {
		setenv("BECOMES", "1", 1);
		raise(SIGSTOP);
	}
	snprintf(name, sizeof(name), "round-%d", rounds);
	prctl(PR_SET_NAME, name);
	if (argc == 3)
		one_round(&seconds);
	pthread_create(&thread, NULL, one_round, &seconds);
	for (;;)
		pause();
}

/*
 * storm - threads are born and gone: storm SECONDS PER-SECOND [fork]
 *
 * It stops itself first (kill -CONT lets it go), so that whoever counts it can be there before
 * anything happens, and again when all are gone. Each thread works for 4 ms. One in 8 starts a
 * thread of its own before, that does the same; one in 16 works again each 20 ms and lives for more
 * than half a second. With "fork" it is processes that come and go. How many were born it says on
 * standard error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORK_US = 4000, PARENTS = 8, LASTING = 16, ROUNDS = 25, PAUSE_US = 20000 };
enum { PARENT = 1, LASTS = 2 };

static atomic_int alive, born;
static bool forks;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void work(void)
{
	struct timespec t;
	double end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	end = t.tv_sec + t.tv_nsec / 1e9 + WORK_US / 1e6;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while (t.tv_sec + t.tv_nsec / 1e9 < end);
}

static void *one(void *kind);

static void start_thread(long kind)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 65536);
	alive++;
	if (pthread_create(&thread, &attr, one, (void *)kind) == 0)
		born++;
	else
		alive--;
	pthread_attr_destroy(&attr);
}

static void *one(void *kind)
{
	pthread_setname_np(pthread_self(), "drop");
	if ((long)kind & PARENT)
		start_thread(0);
	work();
	for (int i = 0; (long)kind & LASTS && i < ROUNDS; i++) {
		usleep(PAUSE_US);
		work();
	}
	alive--;
	return NULL;
}

static void start_process(long kind)
{
	pid_t pid = fork();

	if (pid == 0) {
		pid_t child = kind & PARENT ? fork() : -1;

		work();
		if (child > 0)
			waitpid(child, NULL, 0);
		_exit(0);
	}
	born += pid > 0 ? 1 + (kind & PARENT) : 0;
}

/* Threads that exist. One that has done its work is there until the kernel has taken it down: on busy CPUs that may be long. */
static int threads(void)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "re");
	int n = 0;

	while (f && fgets(line, sizeof line, f) && sscanf(line, "Threads: %d", &n) != 1)
		;
	if (f)
		fclose(f);
	return n;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1, rate = argc > 2 ? atof(argv[2]) : 100;
	double begin, next;
	int n = 0;

	forks = argc > 3 && !strcmp(argv[3], "fork");
	raise(SIGSTOP);
	begin = next = now();
	while (now() - begin < seconds) {
		double wait = next - now();

		if (wait > 0)
			usleep(wait * 1e6);
		long kind = (n % PARENTS == 0 ? PARENT : 0) | (n % LASTING == 5 ? LASTS : 0);

		n++;
		if (forks)
			start_process(kind);
		else
			start_thread(kind);
		while (forks && waitpid(-1, NULL, WNOHANG) > 0)
			;
		next = begin + born / rate;
	}
	while (alive || threads() != 1 || (forks && (wait(NULL) > 0 || errno == EINTR)))
		usleep(1000);
	fprintf(stderr, "storm: %d born in %.1f s\n", born, now() - begin);
	raise(SIGSTOP);
	return 0;
}

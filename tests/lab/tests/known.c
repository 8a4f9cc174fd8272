/*
 * known - functions with known shares of the time: known SECONDS [THREADS]
 *
 * rates/where says how often an event happens in each of them, so that the share of its samples
 * that a function has is known as well: time * rate, of the sum. The time is the CPU time of each
 * thread: the function that is furthest behind its share runs next, for a fraction of a millisecond
 * that follows no rhythm. Samples a millisecond apart are independent then.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LOOPS 5000

static void loops(unsigned long n)
{
#ifdef __aarch64__
	__asm__ volatile("1: nop\n nop\n subs %0, %0, #1\n b.ne 1b" : "+r"(n) : : "cc");
#else
	__asm__ volatile("1: nop\n nop\n dec %0\n jnz 1b" : "+r"(n) : : "cc");
#endif
}

/* Each has the loop in itself. */
#define FUNCTION(name)                                                                             \
	__attribute__((noinline, used)) void name(void)                                            \
	{                                                                                          \
		loops(LOOPS);                                                                      \
	}
#pragma GCC optimize("no-ipa-icf")
FUNCTION(walk)
FUNCTION(jump)
FUNCTION(fetch)
FUNCTION(plain)

/* What rates/where says that they access, and whom it says to have called them. */
__attribute__((used, aligned(64))) char table[4096], counters[64], shared[64];
__attribute__((noinline, used)) void middle(void)
{
	loops(1);
}
__attribute__((noinline, used)) void outer(void)
{
	loops(2);
}

static const struct {
	void (*run)(void);
	double share;
} functions[] = {{walk, 0.1}, {jump, 0.2}, {fetch, 0.3}, {plain, 0.4}};
enum { N = sizeof(functions) / sizeof(functions[0]) };

static double seconds;

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void *run(void *seed)
{
	double spent[N] = {0}, all = 0, end = now(CLOCK_MONOTONIC) + seconds;
	uint64_t x = 88172645463325252u + (uintptr_t)seed;

	while (now(CLOCK_MONOTONIC) < end) {
		double begin = now(CLOCK_THREAD_CPUTIME_ID), at = begin, most;
		int i = 0, k;

		for (k = 1; k < N; k++)
			if (functions[k].share * all - spent[k] > functions[i].share * all - spent[i])
				i = k;
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		most = (100 + x % 256) / 1e6;
		while (at - begin < most) {
			functions[i].run();
			at = now(CLOCK_THREAD_CPUTIME_ID);
		}
		spent[i] += at - begin;
		all += at - begin;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[64];
	long i, n = argc > 2 ? atol(argv[2]) : 1;

	seconds = argc > 1 ? atof(argv[1]) : 1;
	for (i = 1; i < n && i < 64; i++)
		pthread_create(&thread[i], NULL, run, (void *)i);
	run(NULL);
	while (--i > 0)
		pthread_join(thread[i], NULL);
	return 0;
}

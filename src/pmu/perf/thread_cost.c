#include "pmu/perf/thread_cost.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "pmu/host/perf_open.h"
#include "pmu/perf/perf_list.h"

#include <linux/perf_event.h>
#include <unistd.h>

enum { COUNTERS = 64, ROUNDS = 8 };

/* ---- what a counter costs ---- */

static void *nothing(void *arg) {
    return arg;
}

/* The least CPU time that one of some threads took, from its creation until its end. */
static uint64_t thread_ns(void) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        const uint64_t begin = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
        if (thread_start(&thread, "tdtop-thread_cost", nothing, NULL))
            return 0;
        pthread_join(thread, NULL);
        const uint64_t ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
        least = ns < least ? ns : least;
    }
    return least;
}

/* Counters of this thread that count nothing, in groups as those of a program. */
static int open_counters(int *fd) {
    enum { GROUP = 8 };
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof(attr),
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .read_format = PERF_FORMAT_GROUP,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1,
                                   .disabled = 1,
                                   .inherit = 1};
    int n = 0;
    for (; n < COUNTERS; n++) {
        attr.disabled = n % GROUP == 0;
        fd[n] = perf_open_fd(&attr, 0, -1, n % GROUP ? fd[n - n % GROUP] : -1);
        if (fd[n] < 0)
            break;
    }
    return n;
}

void thread_cost_measure(struct thread_cost *b) {
    int fd[COUNTERS];
    thread_ns(); /* the first allocates */
    const uint64_t without = thread_ns();
    int n = open_counters(fd);
    const uint64_t with = n == COUNTERS ? thread_ns() : 0;
    while (n > 0)
        close(fd[--n]);
    b->counter_ns = without && with > without ? (with - without) / COUNTERS : 0;
    log_line("perf: a new thread costs %llu ns of the program for each counter",
             (unsigned long long)b->counter_ns);
}

/* ---- how many there are ---- */

/* The words change when the number has doubled or halved. */
void thread_cost_update(struct thread_cost *b) {
    enum { AT_LEAST_S = 2 };
    const uint64_t now_ns = clock_now_ns();
    if (b->at_ns && now_ns < b->at_ns + AT_LEAST_S * NS_PER_S)
        return;
    const uint64_t newest = perf_list_newest();
    if (b->at_ns && newest >= b->newest) { /* else numbers have begun again */
        const double per_s =
            (double)(newest - b->newest) * (double)NS_PER_S / (double)(now_ns - b->at_ns);
        if (per_s > 2 * b->per_s || per_s < b->per_s / 2)
            b->per_s = per_s;
    }
    b->newest = newest;
    b->at_ns = now_ns;
}

void thread_cost_format(const struct thread_cost *b, uint32_t n_counter, uint32_t n_pending,
                        struct strbuf *sb) {
    const double LEAST = 0.005; /* of a CPU */
    const double each_ns = (double)b->counter_ns * n_counter;
    const double share = each_ns * b->per_s / (double)NS_PER_S;
    if (n_pending == 0 || share < LEAST)
        return;
    strbuf_add(sb,
               "a new thread costs the program %.2f ms for %u counters, at most %.1f%% of a CPU "
               "at %.0f new tasks a second; --focus auto, --nodes or -l need fewer; ",
               each_ns / 1e6, n_counter, share * 100, b->per_s);
}

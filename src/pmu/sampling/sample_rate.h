/*
 * How often to sample: toward a budget of samples per second in all and of a share of one CPU. The
 * kernel is told a frequency for each CPU, and on how many the target runs shows by what comes.
 */
#ifndef TDTOP_PMU_SAMPLE_RATE_H
#define TDTOP_PMU_SAMPLE_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct sample_rate {
    uint64_t freq; /* per CPU, in Hz */
    uint64_t most; /* that it begins with and may come back to */
    double rate_hz, cpu_share;
    int in_vain;                  /* private: steps that lowered it and changed nothing */
    uint64_t at_ns, seen, cpu_ns; /* private: of the last step */
};

enum rate_answer {
    RATE_STAYS,
    RATE_CHANGES, /* freq is another */
    RATE_IN_VAIN, /* it is too much, though it was lowered before: who samples does not hear of it
                   */
};

/* The default where one is 0: 1,000 per second, 1 %. */
void sample_rate_init(struct sample_rate *p, double rate_hz, double cpu_share);

/* Often; does something every 200 ms. seen: samples in all; cpu_ns: CPU time that they took. */
enum rate_answer sample_rate_step(struct sample_rate *p, uint64_t now_ns, uint64_t seen,
                                  uint64_t cpu_ns);

#endif

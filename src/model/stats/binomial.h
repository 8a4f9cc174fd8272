/* How sure a share of counted things is. */
#ifndef TDTOP_MODEL_BINOMIAL_H
#define TDTOP_MODEL_BINOMIAL_H

struct binomial {
    double low, high; /* 0..1 */
};

/*
 * The interval in which the true share lies with the confidence that belongs to z (1.96: 95 %),
 * where a share 0..1 was seen in n independent things. n need not be whole: things of unequal
 * weight are worth fewer. All of 0..1 if n is not above 0. E. B. Wilson, "Probable Inference, the
 * Law of Succession, and Statistical Inference", JASA 22 (1927), 209-212.
 */
struct binomial binomial_wilson(double share, double n, double z);

#endif

#include "ui/draw/pace.h"

#include <limits.h>

void pace_drawn(struct pace *p, uint64_t now_ns) {
    *p = (struct pace){.drawn_ns = now_ns};
}

bool pace_sample(struct pace *p, uint64_t now_ns) {
    if (now_ns - p->drawn_ns >= PACE_NS)
        return true;
    p->due_ns = now_ns + PACE_NS; /* the next sample comes before that, or there is a pause */
    return false;
}

bool pace_due(const struct pace *p, uint64_t now_ns) {
    return p->due_ns && now_ns >= p->due_ns;
}

int pace_timeout_ms(uint64_t a_ns, uint64_t b_ns, uint64_t now_ns) {
    uint64_t until = !a_ns || (b_ns && b_ns < a_ns) ? b_ns : a_ns;
    if (!until)
        return -1;
    if (now_ns >= until)
        return 0;
    uint64_t ms = (until - now_ns) / NS_PER_MS + 1;
    return ms > INT_MAX ? INT_MAX : (int)ms; /* poll() takes 24 days at most; it is asked again */
}

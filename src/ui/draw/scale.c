#include "ui/draw/scale.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { CALM = 8, ROWS_A_NUMBER = 2, NUMBERS_MOST = 5, CELLS_BETWEEN = 3 };

/* Beyond these a number is no measurement, and powers of ten leave what a double can hold. */
static const double tiny = 1e-12, huge = 1e30;

/* ---- values ---- */

double scale_nice(double v) {
    static const double nice[] = {1, 1.5, 2, 3, 4, 5, 6, 8, 10};
    if (!(v > tiny))
        return tiny;
    if (v > huge)
        return huge;
    const double unit = pow(10, floor(log10(v)));
    for (size_t i = 0; i < COUNT(nice); i++)
        if (v <= nice[i] * unit * (1 + 1e-9))
            return nice[i] * unit;
    return 10 * unit;
}

/* The smallest step of 1, 2, 2.5, 5 times a power of ten that is at least v. */
static double round_step(double v) {
    static const double nice[] = {1, 2, 2.5, 5, 10};
    const double unit = pow(10, floor(log10(v)));
    for (size_t i = 0; i < COUNT(nice); i++)
        if (v <= nice[i] * unit * (1 + 1e-9))
            return nice[i] * unit;
    return 10 * unit;
}

struct ends {
    double low, top;
};

static struct ends ends_of_loose(double min, double max) {
    const double span = max - min > tiny ? max - min : fmax(fabs(max) * 0.1, 1e-9);
    const double step = round_step(span / 4);
    struct ends e = {floor(min / step) * step, ceil(max / step) * step};
    if (e.top - e.low < step)
        e.top = e.low + step;
    return e;
}

static struct ends ends_of(double min, double max, const struct scale_rule *rule) {
    if (rule->loose)
        return ends_of_loose(min, max);
    struct ends e = {0, scale_nice(fmax(max, rule->least))};
    if (min < 0)
        e.low = -scale_nice(-min);
    if (max <= 0 && rule->least <= 0)
        e.top = min < 0 ? -e.low / 4 : 1;
    if (rule->most > 0 && max <= rule->most && e.top > rule->most)
        e.top = rule->most;
    return e;
}

static double within(double v) {
    return v > huge ? huge : v < -huge ? -huge : v;
}

/* True when the axis would be less than half as long if it were made for these values. */
static bool is_empty(const struct scale *s, struct ends want) {
    return want.top - want.low < 0.5 * (s->top - s->low) * (1 - 1e-9);
}

void scale_fit(struct scale *s, double min, double max, const struct scale_rule *rule) {
    const bool fresh = !(s->low < s->top) || s->what != rule->what || s->share != rule->share;
    const bool known = min <= max;
    if (!known && !fresh)
        return;
    const struct ends want = ends_of(known ? within(min) : 0, known ? within(max) : 0, rule);
    s->what = rule->what;
    s->share = rule->share;
    const bool fits = want.low >= s->low && want.top <= s->top;
    const bool again = rule->when && rule->when == s->when;
    s->when = rule->when;
    s->empty = !fresh && fits && is_empty(s, want) ? s->empty + !again : 0;
    if (!fresh && fits && s->empty < (rule->calm > 0 ? rule->calm : CALM))
        return;
    s->empty = 0;
    if (fresh || fits || rule->loose) {
        s->low = want.low;
        s->top = want.top;
    } else { /* growing at one end is no reason to shrink at the other */
        s->low = fmin(s->low, want.low);
        s->top = fmax(s->top, want.top);
    }
}

/* The ends carry numbers where that is possible: steps that divide the upper one are preferred. */
double scale_step(const struct scale *s, int rows) {
    const double span = s->top - s->low;
    int most = (rows - 1) / ROWS_A_NUMBER;
    if (most > NUMBERS_MOST)
        most = NUMBERS_MOST;
    if (!(span > 0) || most < 1)
        return span > 0 ? span : 1;
    const double least = span / most;
    double step = round_step(least);
    for (int i = 0; i < 4; i++, step = round_step(step * 1.01)) {
        const double parts = s->top / step;
        if (fabs(parts - round(parts)) < 1e-6 && step <= span * (1 + 1e-9))
            return step;
    }
    if (s->low >= 0)
        return span; /* the ends alone */
    return round_step(least);
}

double scale_first(const struct scale *s, double step) {
    return step < s->top - s->low ? ceil(s->low / step - 1e-9) * step : s->low;
}

/* One prefix for the whole axis, by its greater end. */
static const char *prefix_of(const struct scale *s, double *unit) {
    static const struct {
        double unit;
        const char *name;
    } prefixes[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"},  {1e6, "M"},
                    {1e3, "k"},  {1e-2, ""},  {1e-5, "m"}, {1e-8, "u"}};
    const double end = fmax(fabs(s->low), fabs(s->top)) * (1 + 1e-9);
    for (size_t i = 0; i < COUNT(prefixes); i++)
        if (end >= prefixes[i].unit) {
            *unit = i < 5 ? prefixes[i].unit : i == 5 ? 1 : i == 6 ? 1e-3 : 1e-6;
            return prefixes[i].name;
        }
    *unit = 1e-9;
    return "n";
}

/* Decimals that write the step without a rest. */
static int decimals_of(double step) {
    int n = 0;
    while (n < 4 && fabs(step - round(step)) > 1e-6 * fabs(step)) {
        step *= 10;
        n++;
    }
    return n;
}

const char *scale_label(char *buf, size_t cap, const struct scale *s, double step, double v) {
    double unit = 0.01;
    const char *sign = s->share ? "%" : prefix_of(s, &unit);
    const double end = fmax(fabs(s->low), fabs(s->top)) / unit;
    if (fabs(v) < 1e-9 * (s->top - s->low))
        snprintf(buf, cap, "0%s", s->share ? "%" : "");
    else if (end >= 1e5) /* nothing that is measured; but it must not be wider than its place */
        snprintf(buf, cap, "%.0e", v);
    else
        snprintf(buf, cap, "%.*f%s", decimals_of(step / unit), v / unit, sign);
    return buf;
}

int scale_part(const struct scale *s, double v, int n) {
    const double part = (v - s->low) / (s->top - s->low) * n;
    if (!(part > 0))
        return 0;
    return part >= n ? n - 1 : (int)part;
}

bool scale_above(const struct scale *s, double v) {
    return v > s->top + 1e-9 * (s->top - s->low);
}

bool scale_below(const struct scale *s, double v) {
    return v < s->low - 1e-9 * (s->top - s->low);
}

/* ---- time ---- */

struct scale_time scale_time_until(uint64_t now_ns, uint64_t cell_ns, int cells, int parts) {
    struct scale_time t = {0, cell_ns ? cell_ns : 1, cells > 0 ? cells : 0, 0};
    uint64_t jump = parts > 0 ? (uint64_t)t.cells / (uint64_t)parts : 1;
    if (jump == 0)
        jump = 1;
    const uint64_t used = now_ns / t.cell_ns + (now_ns % t.cell_ns != 0); /* columns since 0 */
    const uint64_t edge = (used + jump - 1) / jump * jump;
    if (edge > (uint64_t)t.cells)
        t.from_ns = (edge - (uint64_t)t.cells) * t.cell_ns;
    return t;
}

struct scale_time scale_time_right(uint64_t now_ns, uint64_t cell_ns, int cells, int jump) {
    const uint64_t cell = cell_ns ? cell_ns : 1, by = jump > 1 ? (uint64_t)jump : 1;
    const uint64_t used = (now_ns / cell + (now_ns % cell != 0) + by - 1) / by * by;
    struct scale_time t = scale_time_until(used * cell, cell, cells, 0);
    if (used < (uint64_t)t.cells)
        t.blank = t.cells - (int)used;
    return t;
}

int scale_time_x(const struct scale_time *t, uint64_t at_ns) {
    if (at_ns == 0 && t->from_ns == 0)
        return t->blank < t->cells ? t->blank : -1;
    if (at_ns <= t->from_ns)
        return -1;
    const uint64_t x = (at_ns - t->from_ns - 1) / t->cell_ns + (uint64_t)t->blank;
    return x < (uint64_t)t->cells ? (int)x : -1;
}

uint64_t scale_time_begin(const struct scale_time *t, int x) {
    return x <= t->blank ? t->from_ns : t->from_ns + (uint64_t)(x - t->blank) * t->cell_ns;
}

uint64_t scale_time_at(const struct scale_time *t, int x) {
    const int at = x >= t->cells ? t->cells - 1 : x;
    return scale_time_begin(t, (at < 0 ? 0 : at) + 1);
}

/* Session time as "0:45", "1:02:00"; with tenths where ticks are closer than a second. */
static void elapsed_text(char *buf, size_t cap, uint64_t t_ns, uint64_t step_ns) {
    const unsigned long long s = t_ns / NS_PER_S, tenth = t_ns / (NS_PER_S / 10) % 10;
    if (s >= 3600)
        snprintf(buf, cap, "%llu:%02llu:%02llu", s / 3600, s / 60 % 60, s % 60);
    else if (step_ns < NS_PER_S)
        snprintf(buf, cap, "%llu:%02llu.%llu", s / 60, s % 60, tenth);
    else
        snprintf(buf, cap, "%llu:%02llu", s / 60, s % 60);
}

static void ago_text(char *buf, size_t cap, uint64_t t_ns, uint64_t step_ns) {
    static const struct {
        uint64_t s;
        char unit;
    } units[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
    for (size_t i = 0; i < COUNT(units); i++)
        if (step_ns % (units[i].s * NS_PER_S) == 0) {
            snprintf(buf, cap, "-%llu%c", (unsigned long long)(t_ns / (units[i].s * NS_PER_S)),
                     units[i].unit);
            return;
        }
    snprintf(buf, cap, "-%.1fs", (double)t_ns / (double)NS_PER_S);
}

static void clock_text(char *buf, size_t cap, uint64_t t_ns, uint64_t step_ns) {
    const unsigned s = (unsigned)(t_ns / NS_PER_S % 86400);
    if (step_ns % (60 * NS_PER_S) == 0)
        snprintf(buf, cap, "%02u:%02u", s / 3600, s / 60 % 60);
    else if (step_ns >= NS_PER_S)
        snprintf(buf, cap, "%02u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(buf, cap, "%02u:%02u:%02u.%u", s / 3600, s / 60 % 60, s % 60,
                 (unsigned)(t_ns / (NS_PER_S / 10) % 10));
}

/* Times as they are counted: from the session's begin, from midnight, or back from the edge. */
struct counted {
    uint64_t from_ns, to_ns;
    void (*text)(char *buf, size_t cap, uint64_t t_ns, uint64_t step_ns);
};

static struct counted count_times(const struct scale_time *t, enum scale_words words,
                                  int64_t clock_s) {
    const int cells = words == SCALE_AGO ? t->cells : t->cells - t->blank;
    const uint64_t width = (uint64_t)cells * t->cell_ns;
    const uint64_t day = 86400 * NS_PER_S;
    const uint64_t midnight = (uint64_t)((clock_s % 86400 + 86400) % 86400) * NS_PER_S;
    switch (words) {
    case SCALE_AGO:
        return (struct counted){0, width, ago_text};
    case SCALE_CLOCK:
        return (struct counted){t->from_ns % day + midnight, t->from_ns % day + midnight + width,
                                clock_text};
    default:
        return (struct counted){t->from_ns, t->from_ns + width, elapsed_text};
    }
}

/* The shortest round time in which the text has room. 0: there is none. */
static uint64_t tick_step(const struct scale_time *t, const struct counted *k) {
    static const uint32_t tenths[] = {1,     2,      5,      10,     20,      50,     100,   150,
                                      300,   600,    1200,   3000,   6000,    9000,   18000, 36000,
                                      72000, 216000, 432000, 864000, 1728000, 6048000};
    for (size_t i = 0; i < COUNT(tenths); i++) {
        const uint64_t step = tenths[i] * (NS_PER_S / 10);
        char text[16];
        k->text(text, sizeof(text), k->to_ns / step * step, step);
        int columns = CELLS_BETWEEN;
        while (text[columns - CELLS_BETWEEN])
            columns++;
        if (step / t->cell_ns >= (uint64_t)columns)
            return step;
    }
    return 0;
}

static int text_columns(const char *text) {
    int n = 0;
    while (text[n])
        n++;
    return n;
}

int scale_time_ticks(const struct scale_time *t, enum scale_words words, int64_t clock_s,
                     struct scale_tick *out, int cap) {
    const struct counted k = count_times(t, words, clock_s);
    const uint64_t step = t->cells > 0 ? tick_step(t, &k) : 0;
    if (!step)
        return 0;
    const bool back = words == SCALE_AGO;
    const uint64_t first = back ? k.to_ns / step * step : (k.from_ns + step - 1) / step * step;
    int n = 0, end = -1;
    for (uint64_t at = first; n < cap && (back ? at > 0 : at < k.to_ns);
         at = back ? at - step : at + step) {
        struct scale_tick tick = {.x = (int)((back ? k.to_ns - at : at - k.from_ns) / t->cell_ns)};
        tick.x += back ? 0 : t->blank;
        k.text(tick.text, sizeof(tick.text), at, step);
        const int last = tick.x + text_columns(tick.text);
        if (tick.x <= end || last >= t->cells)
            continue;
        end = last;
        out[n++] = tick;
    }
    return n;
}

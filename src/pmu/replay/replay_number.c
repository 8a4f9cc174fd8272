/* The small words of a recording: numbers, times, counts and the names of aggregates. */
#include "pmu/replay/replay_rows.h"

#include "base/clock.h"
#include "base/str.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                              1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

/*
 * strtod would follow LC_NUMERIC, which a screen may have set. Up to 18 digits the number is an
 * integer divided by a power of ten: rounded once, as a good strtod would.
 */
bool replay_number(const char *s, char decimal, double *out) {
    uint64_t digits = 0;
    int n = 0, behind = 0, beyond = 0;
    bool point = false, any = false;
    for (; *s; s++) {
        if (*s == decimal && !point) {
            point = true;
            continue;
        }
        if (*s < '0' || *s > '9')
            return false;
        any = true;
        if (n < 18) {
            digits = digits * 10 + (uint64_t)(*s - '0');
            n += digits > 0;
            behind += point;
        } else {
            beyond += !point;
        }
    }
    if (!any || beyond > 4)
        return false;
    double v = (double)digits;
    *out = behind ? v / (behind <= 18 ? tens[behind] : INFINITY) : v * tens[beyond];
    return true;
}

bool replay_time(const char *s, uint64_t *ns) {
    uint64_t sec = 0, frac = 0;
    int n_frac = 0;
    if (!isdigit((unsigned char)*s))
        return false;
    for (; isdigit((unsigned char)*s); s++) {
        if (sec > 1000000000)
            return false;
        sec = sec * 10 + (uint64_t)(*s - '0');
    }
    if (*s++ != '.')
        return false;
    for (; isdigit((unsigned char)*s) && n_frac < 9; s++, n_frac++)
        frac = frac * 10 + (uint64_t)(*s - '0');
    if (*s || n_frac < 6) /* counts have two decimals, times have nine */
        return false;
    for (; n_frac < 9; n_frac++)
        frac *= 10;
    *ns = sec * NS_PER_S + frac;
    return true;
}

bool replay_value(const char *s, char decimal, struct replay_row *row) {
    row->value = NAN;
    if (strcmp(s, "<not counted>") == 0)
        row->state = COUNT_NOT_COUNTED;
    else if (strcmp(s, "<not supported>") == 0)
        row->state = COUNT_NOT_SUPPORTED;
    else if (replay_number(s, decimal, &row->value))
        row->state = COUNT_OK;
    else
        return false;
    return true;
}

/* perf has multiplied by the scale that the kernel names beside the event. */
void replay_apply_unit(struct replay_row *row) {
    static const struct {
        const char *unit;
        double counts;
    } units[] = {
        {"msec", (double)NS_PER_MS}, /* models count ns, as the kernel does */
        {"Joules", 0x1p32},          /* power/events/energy-*.scale */
        {"MiB", 16384},              /* uncore_imc/events/cas_count_*.scale: lines of 64 bytes */
    };
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(row->unit, units[i].unit) == 0)
            row->value = round(row->value * units[i].counts);
}

/* "S0-D0-C1" against "S#-D#-C#". */
static bool has_shape(const char *s, const char *shape) {
    for (; *shape; shape++) {
        if (*shape != '#') {
            if (*s++ != *shape)
                return false;
            continue;
        }
        if (!isdigit((unsigned char)*s))
            return false;
        while (isdigit((unsigned char)*s))
            s++;
    }
    return *s == '\0';
}

enum replay_agg replay_agg_kind(const char *s) {
    static const struct {
        const char *shape;
        enum replay_agg kind;
    } shapes[] = {
        {"CPU#", AGG_CPU},
        {"S#-D#-C#", AGG_CORE},
        {"S#", AGG_SOCKET},
        {"S#-D#", AGG_DIE},
        {"N#", AGG_NODE},
        {"S#-D#-L#-ID#", AGG_CACHE},
        {"S#-D#-CLS#", AGG_CLUSTER},
        {"S#-D#-CLS#-C#", AGG_CORE},
    };
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        if (has_shape(s, shapes[i].shape))
            return shapes[i].kind;
    const char *dash = strrchr(s, '-'); /* "comm-tid"; comm may hold anything, dashes too */
    return dash && dash > s && has_shape(dash, "-#") ? AGG_THREAD : AGG_NONE;
}

/* What would measure a metric that is not known. The reason itself is why_text's. */
#include "base/str.h"
#include "model/eval/sample.h"
#include "ui/scene/app.h"
#include "ui/view/metrics.h"

static const char *const by_state[COUNT_STATES] = {
    [COUNT_STALE] =
        "a longer interval ({slower}), or less in focus ({focus}), gives its counters a turn",
    [COUNT_NOT_COUNTED] = "it is counted as soon as the target runs while its counters are on",
    [COUNT_NOT_SUPPORTED] =
        "a newer kernel, or the machine itself instead of a guest, may have it: see Doctor",
    [COUNT_NOT_PERMITTED] =
        "root, CAP_PERFMON or sysctl kernel.perf_event_paranoid=0 would permit it: see Doctor",
    [COUNT_NO_EVENT] = "a newer kernel or libpfm4 may know the event: see Doctor",
    [COUNT_ABSENT] = "a new recording with this event: perf stat -e takes what {explain} shows",
    [COUNT_UNCORE] = "tdtop -a, as root, counts what is outside the core",
    [COUNT_NOT_PLANNED] = "start without --level, or name it: --nodes +NAME",
    [COUNT_NOT_FOCUSED] = "focus off ({focus}) counts everything in turn",
    [COUNT_NO_FDS] = "a higher limit (ulimit -n), or fewer threads at a time",
    [COUNT_LOST] = "start tdtop anew: its counter went away while it was read",
    [COUNT_NOT_SIMULATED] = "a real machine: tdtop -a, as root",
    [COUNT_ELSEWHERE] = "{next-core-type} shows the other core type",
    [COUNT_HELD] = "end the other user of the counters: see Doctor",
};

const char *metrics_remedy(struct why why, bool asked, char *buf, size_t cap) {
    const char *words = NULL;
    if (why.kind == WHY_EVENT && why.code < COUNT_STATES)
        words = why.code == COUNT_NOT_FOCUSED && asked ? "asked for now: the next interval has it"
                                                       : by_state[why.code];
    else if (why.kind == WHY_DIV_ZERO)
        words = "it is known as soon as that happens";
    else if (why.kind == WHY_UNAVAILABLE)
        words = "nothing: this model cannot have it here";
    else if (why.kind == WHY_PART)
        words = by_state[COUNT_NO_FDS];
    return keys_in_words(words ? words : "", buf, cap);
}

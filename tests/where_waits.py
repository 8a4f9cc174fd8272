"""Where threads block, beside what the kernel says of each: time that is neither on a CPU nor waiting for one (see
where_test.sh). Writes "passed failed" to TMP/sums."""
import json, os, re, subprocess, sys, time

TDTOP, TMP, CC = sys.argv[1:4]
SECONDS = 6
passed = failed = 0

# Two threads that sleep and wait for a pipe, two that take turns at a lock, one that works, one that never wakes up.
PROG = r"""
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static int ends[2], never[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void nap(long ms) {
    struct timespec t = {0, ms * 1000000};
    nanosleep(&t, NULL);
}
static void *take(void *arg) {
    char c;
    for (;;)
        (void)!read(arg ? never[0] : ends[0], &c, 1);
    return NULL;
}
static void *locked(void *arg) {
    for (;;) {
        pthread_mutex_lock(&lock);
        nap(30);
        pthread_mutex_unlock(&lock);
        (void)!write(never[1], "", 0);
        for (volatile int i = 0; i < 20000; i++)
            ;
    }
    return arg;
}
static void *works(void *arg) {
    for (;;)
        ;
    return arg;
}
int main(void) {
    pthread_t t;
    void *(*const run[])(void *) = {take, locked, locked, works};
    if (pipe(ends) || pipe(never))
        return 1;
    for (int i = 0; i < 4; i++)
        pthread_create(&t, NULL, run[i], NULL);
    pthread_create(&t, NULL, take, &t);
    for (;;) {
        nap(20);
        (void)!write(ends[1], "", 1);
    }
}
"""


def check(name, ok, words=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(("ok      " if ok else "FAILED  ") + f"{name}: {words}")


def run_and_queue(pid):
    """Seconds of each thread on a CPU, and waiting for one (Documentation/scheduler/sched-stats.rst)."""
    out = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        run, queue, _ = open(f"/proc/{pid}/task/{tid}/schedstat").read().split()
        out[int(tid)] = (int(run) + int(queue)) / 1e9
    return out


def switches(pid):
    """Of all threads, those that they asked for themselves."""
    status = (open(f"/proc/{pid}/task/{tid}/status").read() for tid in os.listdir(f"/proc/{pid}/task"))
    return sum(int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", s, re.M)[1]) for s in status)


open(f"{TMP}/waits.c", "w").write(PROG)
subprocess.run([CC, "-O0", "-fno-omit-frame-pointer", "-pthread", "-o", f"{TMP}/waits", f"{TMP}/waits.c"], check=True)
p = subprocess.Popen([f"{TMP}/waits"])
time.sleep(0.3)
w = subprocess.Popen([TDTOP, "where", "-j", "-p", str(p.pid), "off-cpu", "-d", f"{SECONDS}s"], stdout=subprocess.PIPE,
                     stderr=subprocess.PIPE, text=True)
time.sleep(1.5) # amid the time that is sampled, which costs the program some, too
n, before, t0 = switches(p.pid), run_and_queue(p.pid), time.monotonic()
time.sleep(SECONDS - 2)
n, after, t1 = switches(p.pid) - n, run_and_queue(p.pid), time.monotonic()
out, err = w.communicate()
if "not permitted" in err:
    print("SKIP where_waits:", err.strip())
else:
    d = json.loads(out)
    names = {f["name"]: f for f in d["functions"]}
    total = sum(f["weight"] for f in d["functions"]) / 1e9
    # Waiting for a CPU after one was woken is in it, as the kernel's own record ends with the CPU: little here.
    want = sum(t1 - t0 - (after[t] - before[t]) for t in after) / (t1 - t0)
    check("as much as the kernel says", abs(total / d["seconds"] / want - 1) < 0.04, f"{total / d['seconds']:.3f} s each second, {want:.3f} s of /proc")
    check("each wait is one", abs(d["samples"] / d["seconds"] / n * (t1 - t0) - 1) < 0.1, f"{d['samples'] / d['seconds']:.0f} waits each second, {n / (t1 - t0):.0f} switches of /proc")
    check("nothing is lost", d["lost"] == 0 and d["unknown_samples"] == 0, f"{d['samples']} waits")
    longest = max(f["weight"] for f in d["functions"] if "pipe_read" in f["name"]) / 1e9
    check("a thread that blocks all the time is in it", longest > 1.7 * d["seconds"], f"{longest:.2f} s of reading pipes in {d['seconds']:.1f} s")
    known = any(n.endswith("nanosleep") for n in names) and not any("schedule" in n for n in names)
    if d["functions"] and d["functions"][0]["file"] == "[kernel]":
        check("by what it waits for", known and any("pipe_read" in n for n in names) and any("futex" in n for n in names), list(names))
        share = sum(f["share"] or 0 for n, f in names.items() if "futex" in n)
        # of five threads that block: two, one of which waits for the lock while the other sleeps with it
        check("the lock has its part", 0.15 < share < 0.35, f"{100 * share:.1f} %")
    d = json.loads(subprocess.run([TDTOP, "where", "-j", "-p", str(p.pid), "--user", "off-cpu", "-d", "2s"], capture_output=True, text=True).stdout)
    check("--user: by what calls the kernel", d["samples"] > 50 and all(f["kind"] == "file" for f in d["functions"]), [f["name"] for f in d["functions"]])
    folded = subprocess.run([TDTOP, "where", "--folded", "-p", str(p.pid), "off-cpu", "-d", "2s"], capture_output=True, text=True).stdout
    check("stacks begin in the program", re.search(r"^waits;.*;(take|main)[;+].* \d+$", folded, re.M) and ";locked;" in folded, folded[:300])
p.kill()
with open(f"{TMP}/sums", "w") as f:
    f.write(f"{passed} {failed}")

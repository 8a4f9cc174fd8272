"""Slow programs that are not known; redis, and programs of other languages, beside perf (see where_test.sh): the hot line is found, shares agree. Writes
"passed failed" to TMP/sums."""
import collections, json, math, os, pwd, re, shutil, socket, subprocess, sys, time

TDTOP, TMP, CC = sys.argv[1:4]
SECONDS = int(os.environ.get("WHERE_SECONDS", "4"))
passed = failed = 0


def check(name, ok, words=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(("ok      " if ok else "FAILED  ") + f"{name}: {words}")


# Each says "ready" when it is slow. The line that is looked for ends in "hot"; what is on it is not to be guessed from names.
PROGRAMS = {
    "false sharing": r"""
#include <pthread.h>
#include <stdio.h>
static struct { volatile long a, b; } shared;
static void *left(void *arg) {
    for (;;)        // hot
        shared.a++; // hot
    return arg;
}
static void *right(void *arg) {
    for (;;)        // hot
        shared.b++; // hot
    return arg;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, left, NULL);
    pthread_create(&t[1], NULL, right, NULL);
    puts("ready");
    fflush(stdout);
    pthread_join(t[0], NULL);
}
""",
    "a list of 200 MB": r"""
#include <stdio.h>
#include <stdlib.h>
struct item { struct item *next; long value; char rest[48]; };
static long add_up(const struct item *at) {
    long sum = 0;
    for (; at; // hot
         at = at->next) // hot
        sum += at->value; // hot
    return sum;
}
int main(void) {
    enum { N = 200000000 / sizeof(struct item) };
    struct item *all = malloc(N * sizeof(*all));
    unsigned *order = malloc(N * sizeof(*order));
    unsigned long x = 1;
    for (unsigned i = 0; i < N; i++)
        order[i] = i;
    for (unsigned i = N - 1; i > 0; i--) {
        x = x * 6364136223846793005ul + 1442695040888963407ul;
        const unsigned k = (unsigned)(x >> 33) % (i + 1), was = order[i];
        order[i] = order[k];
        order[k] = was;
    }
    for (unsigned i = 0; i < N; i++)
        all[order[i]] = (struct item){i + 1 < N ? &all[order[i + 1]] : NULL, (long)i, ""};
    puts("ready");
    fflush(stdout);
    for (long sum = 0;;) {
        sum += add_up(&all[order[0]]);
        if (sum == 1)
            puts("");
    }
}
""",
    "a branch that cannot be predicted": r"""
#include <stdio.h>
#include <stdlib.h>
static unsigned char byte[1 << 16];
static long count(void) {
    long n = 0;
    for (int i = 0; i < 1 << 16; i++) // hot
        if (byte[i] > 127) // hot
            n += byte[i] * n + 3; // hot
        else
            n ^= byte[i]; // hot
    return n;
}
int main(void) {
    unsigned long x = 1;
    for (int i = 0; i < 1 << 16; i++) {
        x = x * 6364136223846793005ul + 1442695040888963407ul;
        byte[i] = (unsigned char)(x >> 56);
    }
    puts("ready");
    fflush(stdout);
    for (long sum = 0;;) {
        sum += count();
        if (sum == 1)
            puts("");
    }
}
""",
}


def where(*words):
    out = subprocess.run([TDTOP, "where", "-j", *words], capture_output=True, text=True)
    return json.loads(out.stdout) if out.returncode == 0 else {"functions": [], "error": out.stderr}


def slow_programs():
    for number, (name, text) in enumerate(PROGRAMS.items()):
        hot = {i for i, l in enumerate(text.split("\n"), 1) if l.endswith("// hot")} # of the loop: an instruction apart
        path = f"{TMP}/slow{number}"
        open(path + ".c", "w").write(text)
        subprocess.run([CC, "-O1", "-g", "-pthread", "-o", path, path + ".c"], check=True)
        p = subprocess.Popen([path], stdout=subprocess.PIPE, text=True)
        p.stdout.readline()
        d = where("-p", str(p.pid), "-d", "2s")
        p.kill()
        p.wait()
        first = [f for f in d["functions"] if f["kind"] == "file"][:2 if name == "false sharing" else 1]
        share = sum(f["share"] or 0 for f in first)
        check(name, share > 0.8 and all(f["line"] in hot for f in first),
              f"{[(f['name'], f.get('line'), round(f['share'], 3)) for f in first]}, lines of the loop: {sorted(hot)}")


# ---- redis beside perf ----

def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def redis():
    port = str(free_port())
    server = subprocess.Popen(["redis-server", "--port", port, "--save", "", "--appendonly", "no", "--dir", TMP],
                              stdout=subprocess.DEVNULL)
    for _ in range(100):
        if subprocess.run(["redis-cli", "-p", port, "ping"], capture_output=True, text=True).stdout.strip() == "PONG":
            break
        time.sleep(0.1)
    load = subprocess.Popen(["redis-benchmark", "-p", port, "-q", "-t", "set,get", "-r", "100000", "-n", "100000000", "-P", "8"],
                            stdout=subprocess.DEVNULL)
    return server, load


def perf_functions(path):
    """Samples by function as perf names it, else by file."""
    text = subprocess.run(["perf", "script", "-i", path, "-F", "ip,sym,dso"], capture_output=True, text=True).stdout
    sums = collections.Counter()
    for line in text.splitlines():
        m = re.match(r"\s*[0-9a-f]+ (.*) \((.*)\)$", line)
        if m:
            sums[m[1] if m[1] != "[unknown]" else "in " + os.path.basename(m[2])] += 1
    return sums


def our_functions(d, theirs):
    """The same; perf leaves the parameters of C++ away."""
    sums = collections.Counter()
    for f in d["functions"]:
        known = not re.search(r"\+0x[0-9a-f]+$", f["name"])
        bare = re.sub(r"\((?:[^()]|\([^()]*\))*\)(?: const)?$", "", f["name"])
        sums[(bare if bare in theirs else f["name"]) if known else "in " + os.path.basename(f["file"])] += f["samples"]
    return sums


def first_of_aliases(pid):
    """Functions with the same instructions may be one, with several names, of which either shows one."""
    names = collections.defaultdict(list)
    for line in subprocess.run(["nm", "-C", f"/proc/{pid}/exe"], capture_output=True, text=True).stdout.splitlines():
        words = line.split(" ", 2)
        if len(words) == 3:
            names[words[0]].append(words[2])
    return {n: min(same) for same in names.values() for n in same if len(same) > 1}


def merged(sums, first):
    out = collections.Counter()
    for name, n in sums.items():
        out[first.get(name, name)] += n
    return out


def expect_same(name, pid, seconds, least=1):
    """Starts perf record and tdtop on a process; what it returns waits for them and compares."""
    data = f"{TMP}/{name}.data"
    first = first_of_aliases(pid)
    perf = subprocess.Popen(["perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-o", data, "-p", str(pid), "--", "sleep",
                             str(seconds)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    where = subprocess.Popen([TDTOP, "where", "-j", "-n", "0", "-p", str(pid), "-d", f"{seconds}s"], stdout=subprocess.PIPE, text=True)

    def compare():
        out = where.communicate()[0]
        theirs = perf_functions(data) if perf.wait() == 0 else {}
        if not theirs:
            print(f"SKIP where_test: perf record makes no samples of {name} here")
            return
        d = json.loads(out)
        ours, theirs = merged(our_functions(d, theirs), first), merged(theirs, first)
        n, m = d["samples"], sum(theirs.values())
        largest = [f for f, k in (ours + theirs).most_common(20) if k >= 20]
        z = {}
        for f in largest:
            p = (ours[f] + theirs[f]) / (n + m)
            z[f] = (ours[f] / n - theirs[f] / m) / math.sqrt(max(p * (1 - p), 1e-4) * (1 / n + 1 / m))
        off = [f for f in largest if abs(z[f]) > 1.96]
        words = [(f, round(100 * ours[f] / n, 1), round(100 * theirs[f] / m, 1)) for f in off]
        # One in twenty is off by chance; more than four are in one of 400 runs.
        check(f"{name} beside perf", n > 200 and len(largest) >= least and len(off) <= max(2, len(largest) // 5),
              f"{len(largest)} largest of {n} and {m} samples; not within 95 %: {words}")
        check(f"{name}: names are those of perf", all(ours[f] and theirs[f] for f in largest[:10]),
              f"{[(f[:60], ours[f], theirs[f]) for f in largest[:10]]}")
    return compare


def redis_beside_perf():
    if not shutil.which("redis-server") or not shutil.which("redis-benchmark"):
        print("SKIP where_test: redis-server or redis-benchmark is not installed")
        return
    server, load = redis()
    time.sleep(1)
    compare = expect_same("redis", server.pid, 2 * SECONDS, least=15)
    compare()
    for p in (load, server):
        p.kill()
        p.wait()


# ---- other languages, beside perf ----

C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned table[1 << 12];
__attribute__((noinline)) static void mix(unsigned seed) {
    for (unsigned i = 0; i < 1 << 12; i++)
        table[i] = table[i] * 1664525u + seed;
}
__attribute__((noinline)) static unsigned add_up(void) {
    unsigned sum = 0;
    for (unsigned k = 0; k < 3; k++)
        for (unsigned i = 0; i < 1 << 12; i++)
            sum ^= table[i] % (k + 7);
    return sum;
}
static int order(const void *a, const void *b) {
    return *(const unsigned *)a < *(const unsigned *)b ? -1 : 1;
}
int main(void) {
    char text[64];
    for (unsigned n = 0;; n++) {
        mix(n + (unsigned)rand());
        snprintf(text, sizeof(text), "%u %g", add_up(), rand() / 7.0);
        qsort(table, 256 + strlen(text), sizeof(*table), order);
    }
}
"""
GO = r"""
package main

import ("crypto/sha256"; "fmt"; "sort"; "strings")

type shelf struct{ of map[string]int }

func (s *shelf) put(n int) { s.of[fmt.Sprint("k", n%5000)] += n }

func main() {
	s := shelf{map[string]int{}}
	list := make([]int, 2000)
	for n := 0; ; n++ {
		for i := 0; i < 200; i++ { s.put(n + i*7919) }
		for i := range list { list[i] = (i*7919 + n) % 4001 }
		sort.Ints(list)
		sum := sha256.Sum256([]byte(strings.Repeat("x", 500)))
		list[0] = int(sum[0])
	}
}
"""
RUST = r"""
use std::collections::{BTreeMap, HashMap};
trait Shape { fn area(&self, k: u64) -> u64; }
struct Square(u64);
struct Ring(Vec<u64>);
impl Shape for Square { #[inline(never)] fn area(&self, k: u64) -> u64 { (0..k % 500).fold(self.0, |a, i| a.rotate_left(5) ^ i) } }
impl Shape for Ring { #[inline(never)] fn area(&self, k: u64) -> u64 { self.0.iter().map(|x| x ^ k).max().unwrap() } }
#[inline(never)]
fn fill<T: Ord + Clone>(m: &mut BTreeMap<T, u64>, key: T) { *m.entry(key).or_insert(0) += 1; }
fn main() {
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(3)), Box::new(Ring((0..300).collect()))];
    let (mut m, mut h) = (BTreeMap::new(), HashMap::new());
    for n in 0u64.. {
        let a: u64 = shapes.iter().map(|s| s.area(n)).sum();
        fill(&mut m, format!("{}", a % 3000));
        *h.entry(a % 1000).or_insert(0u64) += n;
    }
}
"""
PYTHON = r"""
import json
def shelf(n):
    return {str(i): [i * n % 7, i / 3] for i in range(200)}
n = 0
while True:
    n += 1
    sorted(json.dumps(shelf(n)).split(","))
"""
NODE = r"""
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function primes(n) { let k = 0; for (let i = 2; i < n; i++) { let p = true; for (let j = 2; j * j <= i; j++) if (i % j == 0) { p = false; break; } k += p; } return k; }
function words(n) { const m = new Map(); for (let i = 0; i < n; i++) m.set("k" + i % 97, i); return [...m.keys()].sort().join(); }
function round() { return fib(18) + primes(3000) + words(2000).length; }
for (let s = 0, told = false;;) { // told when its code has been optimized
    s += round();
    if (!told && process.cpuUsage().user > 3e6) { told = true; require("fs").writeSync(1, "ready\n"); }
}
"""


def built(name, text, *argv, tool, env=None):
    """The program that a compiler makes of a text; None, said: it is not there."""
    source = f"{TMP}/other-{name}"
    path = source.rsplit(".", 1)[0] + "-" + name.rsplit(".", 1)[1]
    open(source, "w").write(text)
    if not shutil.which(tool):
        print(f"SKIP where_test: {tool} is not installed")
        return None
    p = subprocess.run([tool, *argv, "-o", path, source], env=env, capture_output=True, text=True)
    if p.returncode:
        print(f"SKIP where_test: {tool} makes no program: {p.stderr.strip().splitlines()[:1]}")
        return None
    return path


def run(*argv):
    return subprocess.Popen(argv, stdout=subprocess.DEVNULL, cwd=TMP)


def programs():
    """(name, what runs) of each that can be had here."""
    go = built("prog.go", GO, "build", tool="go", env=dict(os.environ, GOCACHE=f"{TMP}/go", GO111MODULE="off", CGO_ENABLED="0"))
    rust = built("prog.rs", RUST, "-O", "-g", "--crate-name", "other", tool="rustc",
                 env=dict(os.environ, HOME=pwd.getpwuid(os.getuid()).pw_dir)) # where rustup has it
    static = built("static.c", C, "-O1", "-g", "-static", tool=CC)
    plain = built("plain.c", C, "-O1", "-g", tool=CC)
    stripped = built("stripped.c", C, "-O1", "-s", tool=CC)
    for name, path in (("Go", go), ("Rust", rust), ("a static program", static), ("a stripped program", stripped)):
        if path:
            yield name, run(path)
    yield "Python", run(sys.executable, "-c", PYTHON)
    if shutil.which("node"):
        node = subprocess.Popen(["node", "--perf-basic-prof", "-e", NODE], stdout=subprocess.PIPE, cwd=TMP)
        node.stdout.readline()
        yield "node", node
    else:
        print("SKIP where_test: node is not installed")
    # Its path is of a file system that only it has.
    hidden = f"{TMP}/hidden"
    os.mkdir(hidden)
    inside = f"mount -t tmpfs none {hidden} && cp {plain} {hidden}/prog && exec {hidden}/prog"
    if plain and subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", hidden], capture_output=True).returncode == 0:
        yield "a mount namespace", run("unshare", "-m", "sh", "-c", inside)
    else:
        print("SKIP where_test: no mount namespace can be made here")


def others_beside_perf():
    started = []
    try:
        for one in programs():
            started.append(one)
        time.sleep(1)
        for compare in [expect_same(name, p.pid, 3 * SECONDS) for name, p in started]:
            compare()
    finally:
        for name, p in started:
            p.kill()
            p.wait()
            if name == "node":
                os.unlink(f"/tmp/perf-{p.pid}.map")


slow_programs()
if shutil.which("perf"):
    redis_beside_perf()
    others_beside_perf()
else:
    print("SKIP where_test: perf is not installed")
with open(f"{TMP}/sums", "w") as f:
    f.write(f"{passed} {failed}")

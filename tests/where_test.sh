#!/bin/sh
# where_test.sh TDTOP: samples of real processes. Shares of functions of known size, against perf record over the same seconds
# where perf is there; stacks; threads, processes and files that come and go. Ends with "where: N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
tdtop=$(realpath "${1:-build/release/tdtop}")
. tests/lib.sh
skip() {
    echo "SKIP where_test: $1"
    over where
    exit 0
}
cc=$(command -v cc || command -v gcc || command -v clang) || skip "no C compiler"
command -v nm >/dev/null && command -v python3 >/dev/null || skip "nm (binutils) or python3 is not installed"

# Functions that take 70, 20 and 10 % of the time, below two others. MODE: run; late: 20 % in a thread that begins later;
# fork: in a child. Without optimization leaves have frame pointers, too: then its stacks are whole.
cat >"$tmp/prog.c" <<'C'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define WORK(name) \
    __attribute__((noinline)) uint64_t name(long n) { \
        uint64_t x = (uint64_t)n; \
        for (long i = 0; i < n * 1000; i++) \
            x = x * 2862933555777941757ull + 3037000493ull; \
        __asm__ volatile("" ::"r"(x)); /* no tail call, nothing left out */ \
        return x; \
    }
WORK(seventy)
WORK(twenty)
WORK(ten)
WORK(in_a_thread)
static volatile uint64_t sink;
static long part; /* by chance, or the loop might run in step with the samples */
__attribute__((noinline)) void inner(void) {
    sink += seventy(7 * part);
    sink += twenty(2 * part);
    __asm__ volatile("");
}
__attribute__((noinline)) void outer(void) {
    part = 5 + rand() % 11;
    inner();
    sink += ten(part);
    __asm__ volatile("");
}
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
static double end;
static void *later(void *arg) {
    (void)arg;
    while (now() < end)
        sink += in_a_thread(100);
    return NULL;
}
int main(int argc, char **argv) {
    pthread_t t;
    const char *mode = argc > 2 ? argv[2] : "run";
    end = now() + atof(argv[1]);
    if (strcmp(mode, "fork") == 0 && fork() > 0) {
        wait(NULL);
        return 0;
    }
    const double begin = now();
    for (int started = 0; now() < end;) {
        if (strcmp(mode, "late") == 0 && !started && now() > begin + 1) {
            started = 1;
            if (pthread_create(&t, NULL, later, NULL))
                return 1;
        }
        outer();
    }
    return 0;
}
C
"$cc" -O0 -g -fno-omit-frame-pointer -pthread -o "$tmp/prog" "$tmp/prog.c" || skip "the C compiler makes no program"
"$tdtop" where -d 100ms -C 0 -j >/dev/null 2>&1 || "$tdtop" where -p $$ -d 100ms -j >/dev/null 2>&1 || skip "nothing may be sampled here"

python3 tests/where.py "$tdtop" "$tmp" || fail=$((fail + 1))
set -- $(cat "$tmp/sums" 2>/dev/null)
pass=$((pass + ${1:-0})) fail=$((fail + ${2:-1}))

# ---- programs that are not known, and redis ----
rm -f "$tmp/sums"
python3 tests/where_real.py "$tdtop" "$tmp" "$cc" || fail=$((fail + 1))
set -- $(cat "$tmp/sums" 2>/dev/null)
pass=$((pass + ${1:-0})) fail=$((fail + ${2:-1}))

# ---- where threads block ----
rm -f "$tmp/sums"
python3 tests/where_waits.py "$tdtop" "$tmp" "$cc" || fail=$((fail + 1))
set -- $(cat "$tmp/sums" 2>/dev/null)
pass=$((pass + ${1:-0})) fail=$((fail + ${2:-1}))

# ---- words ----
"$tmp/prog" 600 & # until at_exit
pid=$!
at_exit() { kill $pid 2>/dev/null; }
want 0 '^# cpu-clock, by time only: a share is one of CPU time; |^# cycles, (precise|may be a few instructions late): ' "$tdtop" where -p $pid -d 300ms
want 0 '^ *[0-9.]+% +[0-9.]+ - [0-9.]+ +[0-9]+  seventy +prog.c:[0-9]+ +[^ ]*/prog$' "$tdtop" where -p $pid -d 1s
want 0 ' 0 samples|no sample' "$tdtop" where -p $$ -d 200ms
want 2 'no target' "$tdtop" where
want 2 'no such node' "$tdtop" where -p $pid NoSuchNode
want 2 'exclude each other' "$tdtop" where -p $pid -j --folded
want 2 'exclude each other' "$tdtop" where -p $pid --csv --folded
want 0 '^# (no branch records: [a-z]|branch records of [0-9]+ samples: )' "$tdtop" where -p $pid -d 300ms --branches
if "$tdtop" where -p $pid -d 300ms --accesses >"$tmp/a" 2>&1; then
	want 0 "^# (data from|no sample says which address)" cat "$tmp/a"
else
	want 0 "^tdtop: --accesses: (there is no PMU|no event of this CPU).* tdtop where -p PID shows functions$" cat "$tmp/a"
fi
want 0 '^[0-9.]+,[0-9.]+,[0-9.]+,[0-9]+,[0-9]+,seventy,.*prog.c,[0-9]+,[^ ]*/prog$' "$tdtop" where -p $pid -d 1s --csv
want 1 'no such process' "$tdtop" where -p 4194303
want 0 '^prog;.*;main;outer;inner;seventy [0-9]+$' "$tdtop" where -p $pid -d 300ms --folded
"$tdtop" where -p $pid -d 300ms -o "$tmp/x.folded" >"$tmp/out" && ok "-o FILE.folded is folded, and nothing else is printed" \
    sh -c "grep -q '^prog;' '$tmp/x.folded' && ! [ -s '$tmp/out' ]"
"$tdtop" where -p $pid -d 500ms -o "$tmp/x.svg" && "$tdtop" where -p $pid -d 500ms -o "$tmp/x.speedscope.json" &&
    "$tdtop" where -p $pid -d 500ms -o "$tmp/x.pprof" && ok "files of other tools hold the shares" python3 tests/where_files.py "$tmp"
holds 'd["events"][0]["of"] and d["cpu_s"] < 0.1 and d["lost"] == 0' "$tdtop" where -p $pid -d 500ms -j
# It does not come to its rings until it is over: no record tells of what was lost last.
case $(uname -r) in [0-5].*) echo "SKIP where_test: before Linux 6.0 what is lost last is not told" ;;
*)
    "$tdtop" where -p $pid -d 2s -j >"$tmp/lost.json" &
    where=$!
    sleep 1
    kill -STOP $where
    sleep 6
    kill -CONT $where
    wait $where
    holds 'd["lost"] > 0 or d["samples"] < 3000' cat "$tmp/lost.json" ;; # fewer have room
esac
node=$("$tdtop" models --here 2>/dev/null | grep -qi '^software' && echo CPUs_Utilized || echo Retiring)
want 0 '^# [a-z-]+.*' "$tdtop" where -p $pid -d 200ms "$node"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    cp "$tdtop" "$tmp/tdtop" && chmod 755 "$tmp" "$tmp/tdtop"
    want 1 'belongs to another user|not permitted' setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/tdtop" where -p $pid -d 200ms
else
    echo "SKIP where_test: only root can be another user"
fi
kill $pid

# ---- kept in a run, shown without the program ----
cp "$tmp/prog" "$tmp/gone"
run=$("$tdtop" collect --where cpu-clock -- "$tmp/gone" 2 2>/dev/null)
rm "$tmp/gone"
want 0 '^ *[67][0-9.]+% .* seventy +prog.c:[0-9]+ +[^ ]*/gone$' "$tdtop" where "$run"
holds 'd["asked"] == "cpu-clock" and abs(d["functions"][0]["share"] - 0.7) < 0.1 and d["functions"][0]["name"] == "seventy"' "$tdtop" where "$run" cpu-clock -j
for x in svg speedscope.json; do "$tdtop" export "$run" -o "$tmp/x.$x" || fail=$((fail + 1)); done
"$tdtop" where "$run" -o "$tmp/x.pprof" && ok "files made of a run hold the shares" python3 tests/where_files.py "$tmp"
"$tdtop" where "$run" -o "$tmp/a.folded" && "$tdtop" where "$run" --folded >"$tmp/b.folded" && "$tdtop" export "$run" -o "$tmp/c.folded" &&
    ok "folded stacks of a run are the same wherever they go" sh -c "cmp '$tmp/a.folded' '$tmp/b.folded' && cmp '$tmp/a.folded' '$tmp/c.folded'"
want 0 '^\| [67][0-9.]+% \| [0-9.]+ - [0-9.]+ \| seventy \| prog.c:[0-9]+ \|' "$tdtop" export "$run" --markdown
want 1 'no samples of L3_Bound, but of cpu-clock' "$tdtop" where "$run" L3_Bound
want 0 '^ok$' "$tdtop" db check
want 0 'gone: (No such file|.*replaced)' "$tdtop" annotate "$run" seventy
want 0 '^ *[0-9.]+% +[0-9]+ +[0-9a-f]+ +gone [0-9]+$' "$tdtop" annotate "$run" seventy
cp "$tmp/prog" "$tmp/gone"
want 0 '^100.0% +[0-9]+ +[0-9]+  WORK\(seventy' "$tdtop" annotate "$run" seventy
want 0 '^ *[0-9.]+% +[0-9]+ +[0-9a-f]+  [a-z]+ [^ ]+.* +prog.c:[0-9]+$' "$tdtop" annotate "$run" seventy
want 0 ' [0-9a-f]+  jl 0x[0-9a-f]+ +prog.c:[0-9]+$' "$tdtop" annotate "$run" seventy
holds 'abs(sum(i["samples"] for i in d["instructions"]) - d["samples"]) == 0 and sum(l["samples"] for l in d["lines"]) == d["samples"]' "$tdtop" annotate "$run" seventy -j
cp /bin/sleep "$tmp/gone" # another program of the name: its code is not shown
want 0 'gone was replaced' "$tdtop" annotate "$run" seventy
holds 'd["places"] and "instructions" not in d' "$tdtop" annotate "$run" seventy -j
rm "$tmp/gone"
want 1 'no function of that name has a sample' "$tdtop" annotate "$run" eighty
want 2 'give RUN FUNCTION' "$tdtop" annotate "$run"
"$tmp/prog" 60 &
pid=$!
run=$("$tdtop" collect -p $pid -d 3s --where cpu-clock,CPUs_Utilized 2>/dev/null)
"$tdtop" annotate -p $pid seventy -d 1s -j >"$tmp/seventy.json" && objdump -d --no-show-raw-insn "$tmp/prog" >"$tmp/objdump" 2>/dev/null &&
    ok "instructions are those of objdump" python3 - "$tmp" <<'P'
import json, re, sys
d = json.load(open(sys.argv[1] + "/seventy.json"))
text = open(sys.argv[1] + "/objdump").read()
theirs = {int(a, 16): m for a, m in re.findall(r"^ *([0-9a-f]+):\t(\S+)", text[text.index("<seventy>:"):], re.M)}
ours = [(int(i["offset"], 16), i["text"].split()[0]) for i in d["instructions"]]
same = lambda a, b: a == b or a.rstrip("qlwb") == b.rstrip("qlwb") or a.startswith("movabs")
wrong = [(o, m, theirs.get(o)) for o, m in ours if not same(m, theirs.get(o, ""))]
hot = max(d["instructions"], key=lambda i: i["samples"])
sys.exit(f"{wrong}" if wrong or len(ours) < 10 or not 0.1 < hot["share"] < 0.9 else 0)
P
holds '1.2 < d["seconds"] < 1.9' "$tdtop" where "$run" cpu-clock -j
holds '0.5 < d["seconds"] < 4 and d["asked"] == "CPUs_Utilized"' "$tdtop" where "$run" cpus_utilized -j
auto=$("$tdtop" collect -p $pid -d 5s --where auto 2>/dev/null)
holds '4 < d["seconds"] < 5.5 and d["functions"][0]["name"] == "seventy" and "prog.c" in d["functions"][0]["source"] and 0.6 < d["functions"][0]["share"] < 0.8' "$tdtop" where "$auto" -j
holds 'len({e["event"] for e in d["events"]}) == 1 and d["asked"]' "$tdtop" where "$auto" -j
plain=$("$tdtop" collect -p $pid -d 300ms -I 100ms 2>/dev/null)
want 1 'has no samples; tdtop collect --where NODE keeps them' "$tdtop" where "$plain"
want 1 'has no samples' "$tdtop" export "$plain" -o "$tmp/none.svg"
ok "no file is made of no samples" [ ! -e "$tmp/none.svg" ]
want 2 'give -d TIME' "$tdtop" collect -p $pid --where cpu-clock,CPUs_Utilized
want 2 'no such node, and no event' "$tdtop" collect -p $pid -d 1s --where NoSuch
want 2 'simulated' "$tdtop" collect --demo -d 1s --where cpu-clock
want 1 "^tdtop: no target, and: run 'L3_Bound': not an id" "$tdtop" where L3_Bound
kill $pid

# ---- two runs ----
a=$("$tdtop" collect --where cpu-clock -- "$tmp/prog" 2 2>/dev/null)
b=$("$tdtop" collect --where cpu-clock -- "$tmp/prog" 4 2>/dev/null)
c=$("$tdtop" collect --where cpu-clock -- python3 -c 'sum(range(50000000))' 2>/dev/null)
# One comparison in twenty is sure of something; on a busy host samples are not quite independent. Never of much.
holds 'd["functions"] and not any(f["sure"] and (f["low"] > 0.05 or f["high"] < -0.05) for f in d["functions"] if f["name"] in ("seventy", "twenty", "ten"))' "$tdtop" compare --where "$a" "$b" -j
holds '[f for f in d["functions"] if f["name"] == "seventy"][0]["sure"] and [f for f in d["functions"] if f["name"] == "seventy"][0]["high"] < -0.5' "$tdtop" compare --where "$a" "$c" -j
want 0 '^ *-[67][0-9.]+ +-[0-9.]+ - -[0-9.]+ +[67][0-9.]+% +0.0%  seventy ' "$tdtop" compare --where "$a" "$c"
want 1 'has no samples' "$tdtop" compare --where "$a" "$plain"
want 2 'name two runs' "$tdtop" compare --where "$a"
over where

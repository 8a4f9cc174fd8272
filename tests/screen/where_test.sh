#!/bin/sh
# From a node to the code of a real process: functions, source, instructions, stacks; nothing is open afterwards.
cd "$(dirname "$0")/../.." || exit 2
. tests/screen/lib.sh

cc=$(command -v cc || command -v gcc || command -v clang) || { echo "SKIP where_test: no C compiler"; exit 0; }
cat >"$dir/tdtop-spin.c" <<'C'
#include <stdint.h>
static volatile uint64_t sink;
__attribute__((noinline)) static void spins_here(long n) {
    for (long i = 0; i < n; i++)
        sink = sink * 7; // hot
}
int main(void) {
    for (;;)
        spins_here(100000);
}
C
"$cc" -O0 -g -fno-omit-frame-pointer -o "$dir/tdtop-spin" "$dir/tdtop-spin.c" || exit 2
"$dir/tdtop-spin" &
spin=$!
trap 'kill $spin 2>/dev/null; tmx kill-server 2>/dev/null; rm -rf "$dir"' EXIT
"$TDTOP" where -p $spin -d 100ms -j >/dev/null 2>&1 || { echo "SKIP where_test: nothing may be sampled here"; exit 0; }

samples() { # is a thread at it?
    cat /proc/"$(cat "$dir/pid")"/task/*/comm | grep -q tdtop-where
}
samples_not() {
    ! samples
}
events() {
    find /proc/"$(cat "$dir/pid")"/fd -lname '*perf_event*' | wc -l
}
has_events() { # so many
    [ "$(events)" -eq "$1" ]
}

start 120x40 "$TDTOP -p $spin"
until_text LIVE
until_text 'CPUs 0.'
check 'nothing is sampled before' "$(samples; echo $?)" 1
before=$(events)
keys h
until_text 'spins_here'
check 'a thread takes samples' "$(samples; echo $?)" 0
until_text ' samples · '
keys Enter
until_text '// hot'
until_text 'instructions'
until_text 'tdtop-spin.c:'
keys l
until_text 'lines'
until_text 'tdtop-spin.c:5'
keys l
until_text 'functions'
keys O
until_text 'blocked time'
until_text ' waits · '
check 'a thread takes waits' "$(samples; echo $?)" 0
keys O
until_text 'spins_here'
until_text ' samples · '
keys s
until_text 'labels'
keys Enter
until_text 'saved as'
TDTOP_DB="$dir/home/.local/share/tdtop/runs.db" "$TDTOP" where @0 >"$dir/kept" && grep -q 'spins_here  *tdtop-spin.c:' "$dir/kept" && pass || fail "the snapshot has no samples: $(cat "$dir/kept")"
keys f
until_text 'flame graph'
until_text 'spins_here'
keys Down Down Down Enter
until_text '‹ main'
keys Escape Escape Escape
until_gone 'functions'
if poll samples_not; then pass; else fail 'it is sampled although nobody looks'; fi
if poll has_events "$before"; then pass; else fail "$(events) events are open, not $before"; fi
keys -l :where
keys Enter
until_text 'spins_here'
kill $spin
until_text 'ended'
keys q
wait_end 'q in the view' 0

rm "$dir/tdtop-spin" # shown without the program
start 120x40 "$TDTOP runs"
until_text 'tdtop-spin'
keys Enter
until_text 'WHOLE RUN'
keys h
until_text 'spins_here'
until_text ' samples · '
keys Enter
until_text 'is not there any more'
keys Escape f
until_text 'flame graph'
until_text 'main'
keys q
until_text "1 run"
keys q
wait_end 'q of the runs' 0

start 80x24 "$TDTOP demo --seed 1"
until_text SIMULATED
keys h
until_text 'a simulated core runs no code'
keys q
wait_end 'q of the demo' 0
finish

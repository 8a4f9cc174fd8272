#!/bin/sh
# Without a target tdtop shows the processes; the one that is chosen is measured as if it had been named.
cd "$(dirname "$0")/../.." || exit 2
. tests/screen/lib.sh

cp "$(command -v sleep)" "$dir/tdtop-pick-me" || exit 2
"$dir/tdtop-pick-me" 1000 &
sleeper=$!
trap 'kill $sleeper 2>/dev/null; tmx kill-server 2>/dev/null; rm -rf "$dir"' EXIT

start 160x24 "$TDTOP"
until_text 'Which process?'
until_text 'Enter measure'
until_text 'CPU%▾'
check 'the other screen' "$(flag alternate_on)" 1
keys /
keys -l 'pick-me 10'
until_text "$dir/tdtop-pick-me 1000"
keys Enter
until_text "tdtop-pick-me $sleeper · 1 thread"
until_text LIVE
check 'still the other screen' "$(flag alternate_on)" 1
keys D
until_text 'perf_event_paranoid'
keys Escape q
wait_end 'q after a choice' 0
check 'the screen of before' "$(flag alternate_on)" 0
check 'modes of the terminal' "$(cat "$dir/stty.after")" "$(cat "$dir/stty.before")"

start 80x24 "$TDTOP"
until_text 'Which process?'
resize 40x8
until_text 'q quit'
resize 120x40
until_text 'a whole machine'
resize 80x24
until_text 'q quit'
keys -l 'q'
wait_end 'q without a choice' 0
check 'the screen of before' "$(flag alternate_on)" 0
until_text 'what was here before'
check 'modes of the terminal' "$(cat "$dir/stty.after")" "$(cat "$dir/stty.before")"

for sig in TERM HUP INT; do
    start 80x24 "$TDTOP"
    until_text 'Which process?'
    signal $sig
    wait_end "SIG$sig" 0
    check "SIG$sig: the screen of before" "$(flag alternate_on)" 0
done

# What is chosen may not be measurable: the terminal is given back, and it is said why.
start 80x24 "$TDTOP --model no-such-model"
until_text 'Which process?'
keys Enter
wait_end 'a model that does not exist' 1
check 'the screen of before' "$(flag alternate_on)" 0
until_text 'no-such-model'
finish

#!/bin/sh
# Without a target tdtop shows the processes; the one that is chosen is measured as if it had been named.
cd "$(dirname "$0")/../.." || exit 2
. tests/screen/lib.sh

cp "$(command -v sleep)" "$dir/tdtop-pick-me" || exit 2
"$dir/tdtop-pick-me" 1000 &
sleeper=$! parent=
trap 'kill $sleeper $parent 2>/dev/null; tmx kill-server 2>/dev/null; rm -rf "$dir"' EXIT

start 160x24 "$TDTOP"
until_text 'Which process?'
until_text 'Enter measure'
until_text 'CPU%▾'
check 'the other screen' "$(flag alternate_on)" 1
keys -l 'pick-me 10'
until_text "$dir/tdtop-pick-me 1000"
keys Enter
until_text "tdtop-pick-me $sleeper · 1 thread"
until_text LIVE
check 'still the other screen' "$(flag alternate_on)" 1
keys D
until_text 'perf_event_paranoid'
# Esc closes what is open, then goes back to the list, where it does not end the program; q ends it.
keys Escape
until_gone 'perf_event_paranoid'
keys Escape
until_text 'Which process?'
check 'still the other screen after Esc' "$(flag alternate_on)" 1
keys Escape
until_text "$sleeper"
keys Enter
until_text "tdtop-pick-me $sleeper · 1 thread"
keys q
wait_end 'q after a choice' 0
check 'the screen of before' "$(flag alternate_on)" 0
check 'modes of the terminal' "$(cat "$dir/stty.after")" "$(cat "$dir/stty.before")"

start 80x24 "$TDTOP"
until_text 'Which process?'
resize 40x8
until_text 'Ctrl-C quit'
resize 120x40
until_text 'Ctrl-A whole machine'
resize 80x24
until_text 'Ctrl-C quit'
keys -l 'q'
until_text '/q_'
keys Escape
until_text 'a-z search'
keys C-c
wait_end 'Ctrl-C without a choice' 0
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

# -P waits for a process on the screen; other keys than those that end it do nothing.
cp "$dir/tdtop-pick-me" "$dir/tdtop-late"
for how in q C-c; do
    start 100x30 "$TDTOP -P tdtop-late"
    until_text 'waiting for a process named tdtop-late ...'
    until_text WAITING
    keys 2 e : s Down
    keys $how
    wait_end "$how while it waits" 0
    check "$how: the screen of before" "$(flag alternate_on)" 0
    check "$how: modes of the terminal" "$(cat "$dir/stty.after")" "$(cat "$dir/stty.before")"
done
start 100x30 "$TDTOP -P tdtop-late"
until_text 'waiting for a process named tdtop-late ...'
resize 120x40
kill $sleeper
# Its parent does not ask how it ends: what the kernel keeps of that is there until the parent has gone.
sh -c '"$1" 1000 & echo $! >"$2"; exec sleep 1000' sh "$dir/tdtop-late" "$dir/late" &
parent=$!
while [ ! -s "$dir/late" ]; do sleep 0.05; done
sleeper=$(cat "$dir/late")
until_text "tdtop-late $sleeper · 1 thread"
until_text LIVE
until_gone 'waiting for a process'
# It ends and another one begins: counting goes on.
kill $sleeper
until_text 'was ended by signal 15'
kill $parent
until_text WAITING
keys 3
until_text WAITING
keys 4
until_text WAITING
"$dir/tdtop-late" 1000 &
sleeper=$!
until_text "tdtop-late $sleeper · 1 thread"
until_text LIVE
until_gone 'waiting for a process'
keys 1
until_text CPUs_Utilized
keys q
wait_end 'q after it came' 0
start 100x30 "$TDTOP -P tdtop-never -d 1s"
until_text WAITING
wait_end '-d ends the waiting' 0

# What is chosen may not be measurable: the terminal is given back, and it is said why.
start 80x24 "$TDTOP --model no-such-model"
until_text 'Which process?'
keys Enter
wait_end 'a model that does not exist' 1
check 'the screen of before' "$(flag alternate_on)" 0
until_text 'no-such-model'
finish

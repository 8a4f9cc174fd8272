#!/bin/sh
# The whole program on a terminal: the same seed at the same moment gives the same screen, at every size; and a
# model file or a recording drives the same screen.
. "$(dirname "$0")/lib.sh"
for size in 80x24 120x40 200x60 40x6; do
    start "$size" "$TDTOP demo --seed 1 --at 42s --no-mouse"
    expect "demo_$size.txt"
    keys q
    wait_end "demo at $size" 0
done
start 120x40 "$TDTOP demo --seed 1 --at 42s --no-mouse"
until_text ENDED
keys e
expect demo_explain_120x40.txt
keys Escape 6 /
keys -l Local_MEM
keys Enter
expect demo_search_120x40.txt
keys q
wait_end 'demo after a search' 0
# Other vendors: five roots and two levels; shares of stalls and the groups that a node leads to; limits.
for model in zen4 neoverse-v3; do
    start 120x40 "$TDTOP demo --model $model --seed 1 --at 42s --no-mouse"
    until_text ENDED
    expect "demo_${model}_120x40.txt"
    keys B e
    until_text 'the vendor calls it'
    keys End
    until_text 'cannot see'
    keys F10
    wait_end "demo of $model" 0
done
# Rows of threads and CPUs: the last interval before the end. Which of their numbers have just moved depends on when the view
# was opened, so that arrows are not compared here, but in tests/unit/test_rows.c.
capture() {
    tmx capture-pane -p | LC_ALL=C sed 's/↑/ /g; s/↓/ /g; s/ *$//'
}
for size in 80x24 120x40 200x60; do
    for view in t:threads c:cpus; do
        start "$size" "$TDTOP demo --seed 1 --at 13s --speed 8 --no-mouse"
        until_text IPC
        keys "${view%:*}"
        until_text ENDED
        expect "demo_${view#*:}_$size.txt"
        keys q
        wait_end "demo of ${view#*:} at $size" 0
    done
done
capture() {
    tmx capture-pane -p | sed 's/ *$//'
}
# Two core types: side by side where there is room, else one of them and a line for the other; the key goes to the next.
for size in 80x24 120x40; do
    start "$size" "$TDTOP demo --model adl-glc,adl-grt --seed 1 --at 42s --no-mouse"
    until_text ENDED
    expect "hybrid_$size.txt"
    keys o
    expect "hybrid_other_$size.txt"
    keys q
    wait_end "two core types at $size" 0
done
start 80x24 "$TDTOP replay tests/data/perf/6.1.187-interval-busy.csv --speed 0"
until_text ENDED
until_text 'CPUs'
keys q
wait_end 'a recording' 0
# What the screen leaves behind, in the user's terminal; nothing with --quiet.
start 120x40 "$TDTOP demo --seed 1 --at 42s --no-mouse"
until_text ENDED
keys s
until_text 'Enter'
keys Enter
until_text 'saved as'
keys q
until_text 'simulated core · 00:00:42 · Intel Sapphire Rapids · SIMULATED'
until_text 'phases      0:00 L3_Bound, 0:21 Fetch_Latency'
until_text 'bottleneck  Backend_Bound > Memory_Bound 21.6%'
until_text 'kept        1 run, the newest is'
wait_end 'a run kept' 0
start 120x40 "$TDTOP demo --seed 1 --at 42s --no-mouse"
until_text ENDED
keys s
until_text 'labels'
keys C-c
until_text 'not kept    a snapshot: its form was still open'
wait_end 'with the form open' 0
start 120x40 "$TDTOP demo --seed 1 --at 42s --no-mouse --quiet"
until_text ENDED
keys q
until_text 'what comes after'
check 'quiet' "$(tmx capture-pane -p | grep -cE 'phases|bottleneck')" 0
wait_end 'quiet' 0
finish

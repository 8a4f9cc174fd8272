#!/bin/sh
# The stored runs on a terminal: a list without runs, help of its own, removed and brought back, groups compared, a run
# opened and left again.
. "$(dirname "$0")/lib.sh"
db=$dir/runs.db
start 80x24 "$TDTOP runs --db $db"
until_text 'no runs yet'
until_text 'tdtop collect --demo'
keys q
wait_end 'an empty list' 0

for i in 1 2 3 4 5 6; do
    "$TDTOP" collect --demo -d 5s --db "$db" -L "build=b$((i % 2))" -L "n=$i" >/dev/null 2>&1 || fail "collect $i"
done
id() { # N: the first digits of the N-th newest run
    "$TDTOP" list --db "$db" --csv | sed -n "$(($1 + 2))s/^\(........\).*/\1/p"
}
second=$(id 1)
third=$(id 2)
start 80x24 "$TDTOP runs --db $db"
until_text '6 runs'
until_text 'D remove'
keys '?'
until_text 'Here: Runs'
until_text 'mark as A or B'
keys '?'
until_gone 'Here: Runs'
keys Down D y
until_text "removed $second; u undoes"
until_text '5 runs'
keys i
until_text "Run $third"
keys Escape
until_gone "Run $third"
keys X
until_text '1 removed run'
keys Enter
until_text "run $second is removed: u brings it back"
keys u
until_text "run $second is back"
keys X
until_text '6 runs'
# Two runs against each other: no session, so no state of one, no panes of one, no keys of one.
keys Home Space Space d
until_text '  A  '
until_text '268 others'
for nothing in OPENING 00:00:00 '1Tree' '╱' 'Space freeze' 'snapshot' 'baseline' 'interval' ',. time' 'd compare' 'restart B' 'pin as A'; do
    if capture | grep -qF -- "$nothing"; then fail "two runs compared: the screen has '$nothing': $(capture)"; else pass; fi
done
keys 2
until_text 'nothing is measured here'
keys c
until_text 'nothing is measured here'
keys Escape
until_text '6 runs'
keys Home Space Space
# Found while typing: what a row of the list shows, and the note below it.
"$TDTOP" label @0 --note 'huge pages' --db "$db"
keys /
for found in 'build=b0:3 runs' 'build:6 runs' 'n=4:1 run' 'memory_bound:6 runs' 'spr:6 runs' 'huge p:1 run' 'nothing:0 runs'; do
    keys C-u
    keys -l "${found%:*}"
    until_text "${found#*:} · with \"${found%:*}\""
done
keys Escape
until_text 'SIMULATED 6 runs · demo'
keys g
keys -l build
keys Enter
until_text 'build=b0  3 '
keys Space Space d
until_text 'build=b0'
until_text '3 runs ·'
keys Escape
until_text '2 groups'
keys D
until_text 'remove the 3 runs of this group? y:'
keys Escape Escape
until_text 'SIMULATED 6 runs · demo'
check 'none is gone' "$("$TDTOP" list --db "$db" --csv | grep -c demo)" 6
keys Home Down Enter
until_text 'WHOLE RUN'
until_text '◀'
for view in 2Funnel 3History 4Threads 5CPUs 6Metrics 9Doctor 1Tree; do # all of what was measured then
    keys "${view%%[A-Z]*}"
    until_text "[$view]"
done
keys Escape
until_text '6 runs'
until_text '2 of 6'
keys q
wait_end 'after all' 0
is_restored 'after all'

# One of a group that is not like the others is named where groups are compared.
other=$dir/other.db
for i in 1 2 3 4 5; do
    "$TDTOP" collect --demo -d 5s --seed $i --db "$other" -L set=x >/dev/null 2>&1 || fail "collect $i"
done
"$TDTOP" collect --demo -d 70s --seed 6 --db "$other" -L set=x >/dev/null 2>&1
for i in 7 8 9; do
    "$TDTOP" collect --demo -d 5s --seed $i --db "$other" -L set=y >/dev/null 2>&1 || fail "collect $i"
done
odd=$("$TDTOP" list --db "$other" --csv -L set=x | sed -n '2s/^\(........\).*/\1/p')
start 120x40 "$TDTOP runs --db $other"
until_text '9 runs'
keys g Enter
until_text 'set=x'
keys d
until_text "$odd apart: IPC"
keys q
finish

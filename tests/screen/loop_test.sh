#!/bin/sh
# The tuning loop on a terminal: a benchmark that speaks through a FIFO, snapshots, a stored run as the baseline, the bench,
# and the way through time while counting goes on.
. "$(dirname "$0")/lib.sh"
fifo=$dir/control
db=$dir/runs.db
tell() {
    echo "$*" >"$fifo"
}
start 120x40 "$TDTOP demo --seed 1 --speed 5 --control $fifo --db $db"
until_text Retiring
poll test -p "$fifo" || fail 'the FIFO was not made'
tell mark warm
until_text 'control: marked warm'
tell 'no such thing'
until_text 'is no command; known are'
tell 'snapshot build=old threads="1 2"'
until_text 'saved as'
check 'the stored labels' "$("$TDTOP" list --db "$db" --filter build=old --filter 'threads=1 2' --csv | grep -c old)" 1
tell pause
until_text PAUSED
tell resume
until_gone PAUSED
keys , ,
until_text ' ago '
keys L
until_gone ' ago '
tell quit
wait_end 'quit through the FIFO' 0
check 'the FIFO is gone' "$([ -e "$fifo" ] && echo there)" ''

start 120x40 "$TDTOP demo --seed 2 --speed 5 --db $db --baseline @0"
until_text 'Δ base'
until_text 'against'
until_text Retiring
keys d
until_text '─ live ─'
keys d b
until_gone 'Δ base'
keys s
until_text 'Tab:  build=old  threads="1 2"'
keys -l 'bu'
keys Tab
keys -l 'new'
keys Enter
until_text 'saved as'
keys q
wait_end 'after a snapshot' 0
check 'two runs' "$("$TDTOP" list --db "$db" --csv | grep -c demo)" 2

# The baseline, the form and stored runs: what is pinned is said and changes nothing that s stores; the difference follows the time
# cursor; Tab goes on where there is nothing to complete; an opened run is stored already, but for a span of it.
"$TDTOP" collect --demo -d 20s --db "$db" >/dev/null 2>&1 || fail 'collect'
start 120x40 "$TDTOP demo --seed 1 --speed 5 --db $db"
until_text Retiring
sleep 1
keys b
until_text 'b unpins'
until_text 'Δ: the last'
keys s
until_text '(•) the last'
keys -l 'x=1'
keys Tab
until_text '▸ note'
keys BTab
until_text '▸ labels'
keys Escape , ,
until_text 'Δ: this moment against'
keys L r
until_text 'Runs'
keys Enter
until_text 'WHOLE RUN'
until_text '◀'
keys s
until_text 'this run is stored, as'
keys , , '[' ']' s
until_text '(•) the marked span'
keys Enter
until_text 'saved as'
keys q
until_text 'Runs'
keys q q
wait_end 'after a span of a stored run' 0
check 'four runs' "$("$TDTOP" list --db "$db" --csv | grep -c demo)" 4

# From a pin to a kept run with a verdict: b 8 0 s Enter, all of them in the key line or on the screen.
start 120x40 "$TDTOP demo --seed 1 --speed 5 --db $db"
until_text 'phase: Redis GET'
sleep 0.8
keys 0
sleep 3
keys b
until_text 'b unpins'
keys 8
until_text '0 restart B'
until_text 'phase: working set'
sleep 0.8
keys 0
until_text 'WORSE'
until_text 'more cycles; the added cost is'
keys Down
until_text 's snapshot'
keys s
until_text 'labels'
keys -l 'pipe=32'
keys Enter
until_text 'saved as'
until_text '│  pipe=32 '
keys b
until_text 'B begins with the next interval'
keys u
until_text 'A and B are as they were'
keys q
wait_end 'after the bench' 0
check 'five runs' "$("$TDTOP" list --db "$db" --csv | grep -c demo)" 5
check 'B has its labels' "$("$TDTOP" list --db "$db" --filter pipe=32 --csv | grep -c demo)" 1

# What cannot be stored is kept, and goes elsewhere.
mkdir "$dir/folder"
start 80x24 "$TDTOP demo --seed 1 --speed 5 --db $dir/folder"
until_text '  running '
keys s Enter
until_text 'Nothing is lost'
keys Escape q
until_text 'q again quits without'
keys s
until_text 'Nothing is lost'
keys -l .db
keys Enter
until_text 'saved as'
keys q
wait_end 'after a snapshot elsewhere' 0
check 'the run is elsewhere' "$("$TDTOP" list --db "$dir/folder.db" --csv | grep -c demo)" 1

# The first numbers do not wait for the end of the first interval, which is what can be kept.
start 120x40 "$TDTOP -I 60s --db $db -- sh -c \"while :; do :; done\""
until_text '  running '
until_gone 'for the first interval'
keys s Enter
until_text 'wait for an interval'
keys Escape q
wait_end 'before the first interval is over' 0
finish

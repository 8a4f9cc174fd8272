#!/bin/sh
# Terminals too small for anything: tdtop goes on with every key, through resizes from and to them, and gives each back.
cd "$(dirname "$0")/../.." || exit 2
. tests/screen/lib.sh

demo="$TDTOP demo --seed 1 -I 50ms --speed 5 --db $dir/runs.db"

# At the size at which it is to be read; some lines of the shell's output do not fit the small ones.
readable() {
    resize 80x24
    sleep 0.1
}

ends() { # what, exit status...
    what=$1
    shift
    wait_end "$what" "$@"
    readable
    is_restored "$what"
}

# Only what is still there gets another key: one that comes later is the shell's, which shows it.
has_ended() {
    [ -e "$dir/rc" ] || [ "$(flag alternate_on)" = 0 ]
}

# Everything that opens is opened and closed.
all_keys() {
    for _k in s r d b '?'; do
        keys "$_k"
        sleep 0.03
        keys Tab Down Escape
    done
    keys t c Tab Tab e Escape x Escape D Escape W Escape / L 3 Enter m a Enter , , '[' . ']' L
}

for size in 1x1 2x1 1x6 3x2 5x5 10x3 20x2 20x6 39x5 40x5 39x6; do
    start "$size" "$demo"
    sleep 0.15
    all_keys
    sleep 0.05
    [ -e "$dir/rc" ] && fail "$size: it ended with status $(cat "$dir/rc")"
    keys Escape Escape q
    ends "$size: every key, then q" 0
done

# The way it ends, at the smallest and at the one that was seen to fail.
for size in 1x1 10x3; do
    for how in 'keys C-c:0 130' 'signal TERM:0 143' 'signal SEGV:139'; do
        start "$size" "$demo"
        sleep 0.15
        ${how%:*}
        # shellcheck disable=SC2086 # several statuses
        ends "$size: ${how%:*}" ${how#*:}
    done
done

# From a size that has room to one that has none, with something open, and back; and so the other way round.
for key in s r d b '?' t c e; do
    start 80x24 "$demo"
    poll shows SIMULATED || fail "$key: tdtop did not draw"
    keys b "$key"
    for size in 10x3 1x1 80x24 20x6 2x50 120x40 10x3; do
        told_size "$size"
        sleep 0.05
        keys Down
    done
    keys Escape Escape q
    for _i in 1 2 3 4 5 6 7 8 9 10; do has_ended || sleep 0.1; done
    has_ended || keys q # a form took the first
    ends "opened with $key, through sizes, q at 10x3" 0
done
finish

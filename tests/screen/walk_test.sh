#!/bin/sh
# A walk through the whole program, by keyboard alone and by mouse alone: every view, pop-up, the palette, settings,
# themes, a snapshot, runs, differences, help, saving, and out again, with the terminal as it was. Short in `make check`;
# WALK_LONG=1 goes both ways at both sizes on every terminal.
. "$(dirname "$0")/lib.sh"
cd "$dir/home" || exit 2 # P writes a file here

begin() { # size
    rm -rf "$dir/home/.config" "$dir/runs.db"
    start "$1" "$TDTOP demo --seed 1 -I 100ms --db $dir/runs.db ${MORE:-}"
    until_text 'Backend_Bound'
    until_view '1 Tree'
}

end() { # what: after q
    wait_end "$1" 0
    if [ -z "${SCREEN_IN:-}" ]; then
        is_restored "$1"
    else # which has modes of its own, but passes on those of the mouse
        poll shows 'what comes after' || fail "$1: the shell does not go on"
        check "$1: stty" "$(cat "$dir/stty.after")" "$(cat "$dir/stty.before")"
        check "$1: the mouse" "$(flag mouse_any_flag)" 0
    fi
}

matches() { # pattern
    capture | grep -q -- "$1"
}

until_match() {
    if poll matches "$1"; then pass; else
        fail "'$1' did not appear; the screen:"
        capture
    fi
}

# The name of a view stands between brackets; narrow screens put no blank behind its digit.
until_view() { # '2 Funnel'
    until_match "\\[${1%% *} \\{0,1\\}${1#* }\\]"
}

# A key, and what is to be seen then.
sees() { # key, text
    keys "$1"
    until_text "$2"
}

escapes() { # text that goes away
    keys Escape
    until_gone "$1"
}

commands() { # what is typed into the palette
    keys :
    until_text 'Palette'
    keys -l "$1"
    keys Enter
}

# ---- by keyboard ----

keyboard_tree() {
    keys Down Down Up PageDown PageUp End Home
    sees e 'Esc close'
    keys Tab Enter BSpace PageDown
    escapes 'Esc close'
    sees x 'this value'
    escapes 'this value'
    keys '*' '*' '(' ')' Left Right Enter Enter
    keys / && keys -l 'L3_Bou' && keys Enter
    until_match '[›>] .*L3_Bound'
    keys n N B
    sees Space 'FROZEN'
    keys Space
    until_gone 'FROZEN'
    sees , ' ago'
    keys .
    sees '[' 'span'
    keys , , ']'
    keys L
    until_gone ' ago'
    keys m && keys -l 'here' && keys Enter
    keys F u u
}

keyboard_views() {
    keys 2
    until_view '2 Funnel'
    keys Down Right Enter BSpace
    keys 3
    until_view '3 History'
    keys z Z Left Left '<' '>' L
    keys 4
    until_view '4 Threads'
    until_text 'tid'
    until_text 'redis-server'
    keys '>' I Down
    keys 5
    until_view '5 CPUs'
    keys '>' Right Down
    keys 6
    until_view '6 Metrics'
    until_text 'by group'
    keys / && keys -l 'ghz' && keys Enter
    until_text 'GHz'
    keys Escape '>' '<' '*'
    keys 9
    until_view '9 Doctor'
    until_text 'on this machine'
    keys End
    keys Tab
    until_view '1 Tree'
    keys BTab
    until_view '9 Doctor'
    keys 1
}

keyboard_popups() {
    sees '?' 'Help'
    keys Right PageDown
    keys / && keys -l 'snapshot' && keys Enter
    until_text 'store a snapshot'
    keys Escape Escape
    until_gone 'store a snapshot'
    sees W 'What tdtop costs'
    escapes 'What tdtop costs'
    sees D 'on this machine'
    keys Escape 1
    sees F2 'Settings'
    keys Down Down Right w
    until_text 'saved in'
    keys Escape
    until_gone 'Settings'
    commands 'themes'
    until_text ' Theme '
    keys Down Down
    escapes ' Theme '
    commands 'view-cp'
    until_view '5 CPUs'
    keys 1
}

keyboard_runs() {
    sees s 'Automatic labels, unless you'
    keys -l 'walk=1'
    keys Enter
    until_text 'saved as'
    keys 7
    until_view '7 Runs'
    until_text 'walk=1'
    sees i 'Run '
    keys Escape
    sees Enter 'WHOLE RUN'
    keys Escape
    until_gone 'WHOLE RUN'
    sees T 'IPC'
    keys Escape Escape 1
    until_view '1 Tree'
    keys b
    until_text 'pinned:'
    keys 8
    until_view '8 Bench'
    keys Down 1
    until_view '1 Tree'
    keys b
    sees P 'save the screen as'
    keys Enter
    until_text 'saved: tdtop-'
    check 'pictures' "$(ls "$dir"/home/tdtop-*.svg 2>/dev/null | wc -l)" 1
    rm -f "$dir"/home/tdtop-*.svg
}

by_keyboard() { # size
    begin "$1"
    keyboard_tree
    keyboard_views
    keyboard_popups
    keyboard_runs
    keys q
    end "by keyboard at $1 on $SCREEN_TERM"
}

# ---- by mouse ----

# Where a text is: row and column of its first character, from 1; the last row that has it, for the key line is there.
where() { # text
    _line=$(capture | grep -nF -- "$1" | tail -1)
    _row=${_line%%:*}
    _line=${_line#*:}
    _column=$(($(printf '%s' "${_line%%"$1"*}" | LC_ALL=C.UTF-8 wc -m) + 1))
    [ -n "$_row" ]
}

mouse() { # button, column, row, M or m
    keys -l "$(printf '\033[<%d;%d;%d%s' "$1" "$2" "$3" "$4")"
}

at() { # column, row: press and release
    mouse 0 "$1" "$2" M
    mouse 0 "$1" "$2" m
    sleep 0.05
}

click() { # text
    if poll where "$1"; then
        at "$_column" "$_row"
    else
        fail "'$1' is not there to be clicked; the screen:"
        capture
    fi
}

clicks() { # text, what is to be seen then
    click "$1"
    until_text "$2"
}

where_name() { # of a view; "of 1.65 CPUs" is none
    { where " $1" || where " ${1%% *}${1#* }"; } && _column=$((_column + 1))
}

click_name() { # of a view
    if poll where_name "$1"; then
        at "$_column" "$_row"
    else
        fail "'$1' is not there to be clicked"
    fi
}

goes() { # to a view, by its name
    click_name "$1"
    until_view "$1"
}

double_click() { # text
    poll where "$1" || fail "no '$1'"
    at "$_column" "$_row"
    at "$_column" "$_row"
}

wheel() { # text that it is over: down, down, up
    poll where "$1" || fail "no '$1'"
    for _b in 65 65 64; do mouse $_b "$_column" "$_row" M; done
}

drag() { # column, row, column, row
    mouse 0 "$1" "$2" M
    mouse 32 "$3" "$4" M
    mouse 0 "$3" "$4" m
    sleep 0.05
}

mouse_tree() {
    keys Space # rows stand still between looking and clicking
    until_text 'FROZEN'
    double_click 'quiet  Branch_Mispredicts' # opens the row of quiet siblings
    until_gone 'quiet  Branch_Mispredicts'
    sleep 0.45
    click 'Branch_Mispredicts           '
    until_match '[›>] .*Branch_Mispredicts'
    until_gone 'Other_Mispredicts  '
    sleep 0.45 # longer than between the halves of a double click, which opens it
    double_click 'Branch_Mispredicts           '
    until_text 'Other_Mispredicts  '
    keys Space
    until_gone 'FROZEN'
    wheel 'Branch_Mispredicts           '
    clicks 'e explain' 'Esc close'
    wheel 'Esc close'
    click 'Esc close'
    until_gone 'Esc close'
    clicks '? help' 'Help'
    click 'Esc close'
    until_gone 'Esc close'
    clicks 'Space freeze' 'FROZEN'
    click 'Space freeze' # at once: two clicks on a key are two presses
    until_gone 'FROZEN'
}

mouse_views() {
    goes '2 Funnel'
    click 'Retiring'
    wheel 'Retiring'
    goes '3 History'
    poll where ' 0% '
    at $((_column + 15)) $((_row - 1))
    until_text ' ago'
    wheel ' 0% '
    keys L
    goes '4 Threads'
    until_text 'redis-server'
    click 'IPC '
    wheel 'redis-server'
    goes '5 CPUs'
    clicks ': commands' 'Palette'
    wheel 'Palette'
    click 'Esc close'
    until_gone 'Palette'
    goes '6 Metrics'
    wheel 'by group'
    goes '7 Runs'
    goes '9 Doctor'
    wheel 'on this machine'
    click_name '8 Bench'
    until_text 'pins what is shown as A'
    goes '1 Tree'
    mouse 65 3 "$_row" M # the wheel over the names goes through them
    until_view '2 Funnel'
    mouse 64 3 "$_row" M
    until_view '1 Tree'
}

# What there is only on a large screen: borders that are dragged, the plots beside the tree.
mouse_large() {
    where ' level 1 '
    _top=$_row
    drag 20 "$_row" 20 $((_row - 5))
    where ' level 1 '
    check 'the border follows the mouse' "$_row" $((_top - 5))
    clicks 's snapshot' 'Automatic labels, unless you'
    clicks 'Enter save' 'saved as'
    click 'saved as' # what lies over the keys is taken away, and no key is pressed
    until_gone 'saved as'
    goes '7 Runs'
    clicks 'Enter open' 'WHOLE RUN'
    click 'Esc goes back'
    until_gone 'Esc goes back'
    click 'q quit'
    until_gone 'WHOLE RUN'
    goes '1 Tree'
}

by_mouse() { # size
    begin "$1"
    mouse_tree
    mouse_views
    [ "${1%x*}" -lt 150 ] || mouse_large
    mouse 0 1000 1000 M # where there is no screen
    poll where 'q quit' || fail 'no q quit'
    at "$_column" "$_row"
    end "by mouse at $1 on $SCREEN_TERM"
}

# ---- on every terminal ----

by_glance() { # size: in, a view, a pop-up, out
    begin "$1"
    keys 3
    until_view '3 History'
    sees '?' 'Help'
    escapes 'Help'
    keys q
    end "a glance at $1 on $SCREEN_TERM"
}

if [ -n "${WALK_LONG:-}" ]; then
    for SCREEN_TERM in xterm-256color tmux-256color screen linux vt100; do
        for size in 80x24 200x60; do
            by_keyboard $size
            by_mouse $size
        done
    done
    if command -v screen >/dev/null; then
        SCREEN_TERM=xterm-256color
        SCREEN_IN="env SCREENDIR=$dir/sockets screen -c /dev/null"
        mkdir -m 700 "$dir/sockets"
        for size in 80x24 200x60; do
            MORE=--no-mouse # GNU screen holds Esc back, until the next key, where a program has the mouse
            by_keyboard $size
            MORE=
            by_mouse $size
        done
        SCREEN_IN=
    else
        echo 'SKIP the walk in GNU screen: it is not installed'
    fi
else
    by_keyboard 80x24
    by_mouse 200x60
    for SCREEN_TERM in tmux-256color screen linux vt100; do by_glance 80x24; done
fi
finish

#!/bin/sh
# However tdtop ends, the terminal is as it was: modes, screen, cursor, mouse, keypad, and what had been written before.
cd "$(dirname "$0")/../.." || exit 2
. tests/screen/lib.sh

demo="$TDTOP demo --seed 1"

# The last line of the screen is drawn.
is_up() {
    shows SIMULATED && shows 'q quit'
}

# With a terminal that has them: while tdtop runs they are on, so that finding them off later says something.
is_taken() {
    check "$1: alternate screen while it runs" "$(flag alternate_on)" 1
    check "$1: cursor while it runs" "$(flag cursor_flag)" 0
    check "$1: mouse while it runs" "$(flag mouse_any_flag)" 1
    check "$1: keypad while it runs" "$(flag keypad_flag)" 1
}

ends() { # what, how (a command), exit status...
    what=$1 how=$2
    shift 2
    start 80x24 "$demo"
    if ! poll is_up; then
        fail "$what: tdtop did not draw; the screen:"
        capture
        return
    fi
    case $SCREEN_TERM in xterm*) is_taken "$what" ;; esac
    $how
    wait_end "$what" "$@"
    is_restored "$what"
    case $SCREEN_TERM in xterm*) until_text 'what was here before' ;; esac
}

# A press of the left button on "q quit"; the release comes when the finger is up again.
click_quit() {
    _line=$(capture | grep -n 'q quit' | tail -1)
    _words=${_line#*:}
    _at="$(($(printf '%s' "${_words%%q quit*}" | LC_ALL=C.UTF-8 wc -m) + 1));${_line%%:*}"
    keys -l "$(printf '\033[<0;%sM' "$_at")"
    sleep 0.1
    keys -l "$(printf '\033[<0;%sm' "$_at")"
}

ends 'q' 'keys q' 0
ends 'a click on q' click_quit 0
sleep 0.1
check 'the release is not typed into the shell' "$(capture | grep -c '\[<0')" 0
ends 'Ctrl-C' 'keys C-c' 0 130
ends 'SIGTERM' 'signal TERM' 0 143
ends 'SIGHUP' 'signal HUP' 0 129
ends 'SIGINT' 'signal INT' 0 130
ends 'SIGQUIT' 'signal QUIT' 0 131
ends 'SIGSEGV' 'signal SEGV' 139
ends 'SIGBUS' 'signal BUS' 135
ends 'SIGABRT' 'signal ABRT' 134
ends 'SIGFPE' 'signal FPE' 136
ends 'SIGILL' 'signal ILL' 132

# Terminals that know less: without an alternate screen, without colours.
for SCREEN_TERM in screen linux vt100; do
    ends "q on $SCREEN_TERM" 'keys q' 0
    ends "SIGSEGV on $SCREEN_TERM" 'signal SEGV' 139
done
SCREEN_TERM=xterm-256color

# Ctrl-Z gives the terminal to the shell, fg takes it back. (cat stands for what the shell would do: it reads in cooked mode.)
start 80x24 'sh -i'
keys -l "PS1='> '; $demo"
keys Enter
if poll is_up; then pass; else fail 'Ctrl-Z: tdtop did not draw'; fi
keys C-z
poll shows Stopped || fail 'Ctrl-Z: the shell does not say that it stopped'
check 'stopped: alternate screen' "$(flag alternate_on)" 0
check 'stopped: cursor' "$(flag cursor_flag)" 1
check 'stopped: mouse' "$(flag mouse_any_flag)" 0
keys -l fg
keys Enter
if poll is_up; then pass; else fail 'fg: the screen does not come back'; fi
is_taken 'after fg'
keys q
poll shows_not Funnel || fail 'q after fg: the screen stays'
check 'q after fg: alternate screen' "$(flag alternate_on)" 0
check 'q after fg: cursor' "$(flag cursor_flag)" 1

# Terminals that cannot be drawn on: words and a status, and nothing else is touched.
for SCREEN_TERM in dumb no-such-terminal; do
    start 80x24 "$demo"
    wait_end "TERM=$SCREEN_TERM" 1
    until_text 'rows of text'
    check "TERM=$SCREEN_TERM: stty" "$(cat "$dir/stty.after")" "$(cat "$dir/stty.before")"
done
finish

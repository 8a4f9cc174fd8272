# Golden screens: a program in a terminal of its own, driven and compared as text. To be sourced:
#
#   . "$(dirname "$0")/lib.sh"
#   start 80x24 "$TDTOP demo --seed 1"
#   expect tree                 # the screen becomes that of golden/tree within TIMEOUT seconds, else the diff is shown
#   keys Down Enter             # tmux's names of keys; text is typed with: keys -l 'redis'
#   until_text 'L3_Bound'       # until_gone, resize 120x40, flag alternate_on, signal TERM, wait_end
#   finish                      # prints "screen: N passed, M failed"; its status is that of the test
#
# BLESS=1 rewrites what expect compares with. The tmux server, HOME and the XDG folders are private; TERM, the locale and the
# time zone are pinned; nothing of the user's settings is read.

: "${TDTOP:=$PWD/build/release/tdtop}"
: "${TIMEOUT:=5}"
SCREEN_TERM=${SCREEN_TERM:-xterm-256color}
GOLDEN=$(cd "$(dirname "$0")" && pwd)/golden
passed=0 failed=0

if ! command -v tmux >/dev/null; then
    echo "SKIP $(basename "$0"): tmux is not installed"
    exit 0
fi

if [ ! -x "$TDTOP" ]; then
    echo "$(basename "$0"): $TDTOP is not there; build it, or set TDTOP"
    exit 2
fi

dir=$(mktemp -d "${TMPDIR:-/tmp}/tdtop-screen.XXXXXX") || exit 2
server=0
socket=$dir/tmux0
trap 'tmx kill-server 2>/dev/null; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$dir/home"

tmx() {
    tmux -S "$socket" "$@"
}

pass() {
    passed=$((passed + 1))
}

fail() { # words
    failed=$((failed + 1))
    echo "FAILED $(basename "$0"): $*"
}

check() { # what, got, want
    if [ "$2" = "$3" ]; then pass; else fail "$1: got '$2', want '$3'"; fi
}

# Repeats a command every 0.05 s until it succeeds; fails after TIMEOUT seconds.
poll() {
    _n=$((TIMEOUT * 20))
    until "$@" >/dev/null 2>&1; do
        _n=$((_n - 1))
        [ $_n -gt 0 ] || return 1
        sleep 0.05
    done
}

# start WIDTHxHEIGHT COMMAND: ends what ran before. The command's exit status lands in $dir/rc, its pid in $dir/pid.
# SCREEN_IN is a program with options that all of it runs in.
start() {
    tmx kill-server 2>/dev/null
    server=$((server + 1)) # an old server may still be on its way out
    socket=$dir/tmux$server
    rm -f "$dir/rc" "$dir/pid" "$dir/stty.before" "$dir/stty.after"
    cat >"$dir/run" <<END
trap : INT QUIT # Ctrl-C is for the program, not for this script
cd "$PWD"
stty -g >"$dir/stty.before" # the modes, but not the size
echo 'what was here before'
sh -c 'echo \$\$ >"$dir/pid"; exec $2'
rc=\$?
stty -g >"$dir/stty.after"
echo 'what comes after'
echo \$rc >"$dir/rc.new" && mv "$dir/rc.new" "$dir/rc"
exec sleep 1000
END
    env -i PATH="$PATH" HOME="$dir/home" XDG_CONFIG_HOME="$dir/home/.config" XDG_DATA_HOME="$dir/home/.local/share" \
        XDG_STATE_HOME="$dir/home/.local/state" LC_ALL="${SCREEN_LOCALE:-C.UTF-8}" TZ=UTC SHELL=/bin/sh TDTOP="$TDTOP" \
        tmux -S "$socket" -f /dev/null start-server \; set -g default-terminal "$SCREEN_TERM" \; set -g status off \; \
        set -s escape-time 0 \; \
        new-session -d -x "${1%x*}" -y "${1#*x}" "exec ${SCREEN_IN:-} sh '$dir/run'"
    poll test -s "$dir/pid" && return
    fail "start: $2 did not start"
    finish
    exit 1
}

keys() {
    tmx send-keys "$@"
}

resize() { # WIDTHxHEIGHT
    tmx resize-window -x "${1%x*}" -y "${1#*x}"
}

# The size that the program is told, at once; tmux's own follows by and by, and not through every one.
told_size() { # WIDTHxHEIGHT
    stty -F "$(flag pane_tty)" cols "${1%x*}" rows "${1#*x}"
}

# The screen as text, without trailing blanks.
capture() {
    tmx capture-pane -p | sed 's/ *$//'
}

flag() { # alternate_on, cursor_flag, mouse_any_flag, keypad_flag ...
    tmx display-message -p "#{$1}"
}

signal() { # TERM, SEGV ...
    kill -s "$1" "$(cat "$dir/pid")"
}

shows() {
    capture | grep -qF -- "$1"
}

shows_not() {
    ! shows "$1"
}

until_text() {
    if poll shows "$1"; then
        pass
    else
        fail "'$1' did not appear; the screen:"
        capture
    fi
}

until_gone() {
    if poll shows_not "$1"; then pass; else fail "'$1' did not go away"; fi
}

# Waits for the end of the program; its exit status must be one of those given.
wait_end() { # what, status...
    _what=$1
    shift
    if ! poll test -e "$dir/rc"; then
        fail "$_what: still running after $TIMEOUT s"
        return
    fi
    _rc=$(cat "$dir/rc")
    for _want; do
        if [ "$_rc" = "$_want" ]; then
            pass
            return
        fi
    done
    fail "$_what: exit status $_rc, want one of: $*"
}

# However it ended: modes, screen, cursor, mouse, keypad and colours are as before.
is_restored() { # what
    poll shows 'what comes after' || fail "$1: the shell does not go on"
    check "$1: stty" "$(cat "$dir/stty.after")" "$(cat "$dir/stty.before")"
    for f in alternate_on:0 cursor_flag:1 mouse_any_flag:0 mouse_sgr_flag:0 keypad_flag:0 keypad_cursor_flag:0 insert_flag:0 \
        origin_flag:0 wrap_flag:1 scroll_region_upper:0; do
        check "$1: ${f%:*}" "$(flag "${f%:*}")" "${f#*:}"
    done
    # A capture begins with plain attributes; the line above may end in others, so back to plain is none. Any other was left on.
    check "$1: colours" "$(tmx capture-pane -pe | grep 'what comes after' | tr '\033' '^' | sed 's/\^\[\(0\|39\|49\)*m//g')" \
        'what comes after'
}

is_golden() {
    capture | cmp -s - "$GOLDEN/$1"
}

is_stable() {
    _was=$(capture)
    sleep 0.2
    [ "$(capture)" = "$_was" ]
}

expect() { # NAME
    if [ "${BLESS:-0}" != 0 ]; then
        poll is_stable || fail "$1: the screen does not come to rest"
        mkdir -p "$GOLDEN"
        capture >"$GOLDEN/$1"
        echo "blessed $1"
    elif poll is_golden "$1"; then
        pass
    else
        fail "$1: the screen differs from tests/screen/golden/$1 (-; BLESS=1 accepts it) after $TIMEOUT s:"
        capture | diff -u "$GOLDEN/$1" - | sed 1,2d
    fi
}

finish() {
    echo "screen: $passed passed, $failed failed"
    [ "$failed" = 0 ]
}

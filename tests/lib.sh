# What the tests of the command line share: . tests/lib.sh, from the top of the sources, with $tdtop set. Makes $tmp, which is
# gone at the end, and a user without settings or runs there. Counts $pass and $fail; `over NAME` prints them and is the last.
tmp=$(mktemp -d) || exit 2
at_exit() { :; } # a test may do more
trap 'at_exit; rm -rf "$tmp"' EXIT
export HOME="$tmp" XDG_CONFIG_HOME="$tmp/config" LC_ALL=C.UTF-8 TZ=UTC TDTOP_DB="$tmp/runs.db"
unset NO_COLOR TDTOP_LOG XDG_DATA_HOME
pass=0 fail=0
bad() { # what, output
    fail=$((fail + 1))
    printf 'FAILED: %.300s\n' "$1"
    [ -z "$2" ] || printf '%s\n' "$2" | head -8 | cut -c1-250 | sed 's/^/  | /'
}
# How `want` runs its words: as a command. A test may put the program before them.
try() { "$@"; }
# want EXIT 'extended regular expression' COMMAND...: standard output and error together must match
want() {
    rc=$1 re=$2
    shift 2
    out=$(try "$@" 2>&1 </dev/null)
    got=$?
    if [ "$got" = "$rc" ] && printf '%s\n' "$out" | grep -qE -- "$re"; then
        pass=$((pass + 1))
    else
        bad "$* (exit $got, wanted $rc; text wanted: $re)" "$out"
    fi
}
# holds 'python expression over d, the JSON that came out' COMMAND...
holds() {
    expr=$1
    shift
    if "$@" 2>"$tmp/err" </dev/null | python3 -c "
import json, sys
d = json.load(sys.stdin)
sys.exit(0 if ($expr) else 1)" 2>>"$tmp/err"; then
        pass=$((pass + 1))
    else
        bad "$*: does not hold: $expr" "$(cat "$tmp/err")"
    fi
}
ok() { # what, command...
    what=$1
    shift
    if "$@"; then
        pass=$((pass + 1))
    else
        bad "$what"
    fi
}
over() {
    echo "$1: $pass passed, $fail failed"
    [ "$fail" = 0 ]
}

#!/bin/sh
# The knowledge base against models and command line; manual pages and completions as their tables make them.
# Ends with "knowledge: N passed, N failed".
cd "$(dirname "$0")/../.." || exit 2
: "${TDTOP:=$PWD/build/release/tdtop}"
pass=0 fail=0
tmp=$(mktemp -d "${TMPDIR:-/tmp}/tdtop-knowledge.XXXXXX") || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

python3 tests/models/explain.py --tdtop "$TDTOP" >"$tmp/entries"
grep '^FAILED' "$tmp/entries"
sums=$(sed -nE 's/^knowledge: ([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$tmp/entries")
[ "$sums" ] || { echo "FAILED explain.py said no sum"; sums='0 1'; }
pass=$((pass + ${sums% *})) fail=$((fail + ${sums#* }))

"${TDTOP%/*}/tables" >"$tmp/tables" && tools/docs.py "$tmp" <"$tmp/tables" || { echo "FAILED tools/docs.py"; fail=$((fail + 1)); }
for f in docs/tdtop.1 docs/tdtop-models.5 completions/tdtop.bash completions/_tdtop completions/tdtop.fish; do
    if diff -u "$f" "$tmp/$f" >"$tmp/diff" 2>&1; then
        pass=$((pass + 1))
    else
        fail=$((fail + 1))
        echo "FAILED $f is not what the tables make; make docs-made writes it anew:"
        head -20 "$tmp/diff"
    fi
done

# What reads them finds no fault: only where it is installed.
reads() { # program, what is run...
    if ! command -v "$1" >/dev/null; then
        echo "SKIP $1: not installed"
        return
    fi
    shift
    if "$@" >"$tmp/said" 2>&1 && [ ! -s "$tmp/said" ]; then
        pass=$((pass + 1))
    else
        fail=$((fail + 1))
        echo "FAILED $*: $(head -3 "$tmp/said")"
    fi
}
reads bash bash -n completions/tdtop.bash
reads zsh zsh -n completions/_tdtop
reads fish fish -n completions/tdtop.fish
page() { # groff's warnings are faults
    man -l --warnings -E UTF-8 -Tutf8 -Z "$1" 2>&1 >/dev/null
}
reads man page docs/tdtop.1
reads man page docs/tdtop-models.5
# A manual page is copied from: newer groffs print these signs as others of Unicode unless they are escaped.
signs() {
    ! grep -nE "[~^']" "$1"
}
reads grep signs docs/tdtop.1
reads grep signs docs/tdtop-models.5

# bash offers what there is, and runs none of it: anybody may give a process a name.
offers() { # what is offered, words typed...
    want=$1
    shift
    bash -c '
        . completions/tdtop.bash
        ps() { printf "  %s\n" "redis-server" "\$(touch $0/made)" "two words"; }
        tdtop() { '"'$TDTOP'"' "$@"; }
        COMP_WORDS=(tdtop "$@") COMP_CWORD=$#
        _tdtop
        printf "%s\n" "${COMPREPLY[@]}"' "$tmp" "$@" >"$tmp/offered" 2>&1
    if grep -qE -- "^($want)\$" "$tmp/offered" && [ ! -e "$tmp/made" ]; then
        pass=$((pass + 1))
    else
        fail=$((fail + 1))
        echo "FAILED completion of tdtop $*: wanted $want, got $(head -3 "$tmp/offered")"
    fi
    rm -f "$tmp/made"
}
if command -v bash >/dev/null; then
    export TDTOP_DB="$tmp/runs.db"
    "$TDTOP" collect --demo -d 1s >/dev/null 2>&1
    mkdir "$tmp/a folder"
    offers redis-server -P re
    offers 'two\\ words' -P ''
    offers '[0-9a-f]{8}' query ''
    offers "$tmp/a folder" --model-dir "$tmp/a"
    offers explain e
    offers L3_Bound explain L3
    offers L3_Bound explain l3_b
    offers tma_L3_Bound explain tma_l3
    offers Backend_Bound.Memory_Bound explain Backend_Bound.Mem
    offers Memory_Bound/L3_Bound explain Memory_Bound/l3
    offers L3_Bound models spr L3_
    offers spr models sp
    offers Backend_Bound compare --fail-on Back
    offers auto --focus = a
    offers auto --focus =
    offers slots guide ''
    offers --markdown explain --m
    offers ls -p 1 -- l
fi
echo "knowledge: $pass passed, $fail failed"
[ "$fail" = 0 ]

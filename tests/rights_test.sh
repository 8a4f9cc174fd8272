#!/bin/sh
# rights_test.sh TDTOP: with the capabilities that the doctor advises for the program file, files that
# the user names are opened with the user's own rights, and events with those of the file.
# Needs root, setcap and setpriv. Ends with "rights: N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
here=$PWD
tmp=$(mktemp -d) || exit 2
trap 'kill $target 2>/dev/null; rm -rf "$tmp"' EXIT
pass=0 fail=0
skip() {
    echo "rights: skipped: $1"
    echo "rights: 0 passed, 0 failed"
    exit 0
}
[ "$(id -u)" = 0 ] || skip "only root can give capabilities to a file and be another user"
command -v setcap >/dev/null && command -v setpriv >/dev/null || skip "needs setcap (libcap2-bin) and setpriv (util-linux)"
cp "${1:-build/release/tdtop}" "$tmp/tdtop" && chmod 755 "$tmp" "$tmp/tdtop"
setcap cap_perfmon,cap_sys_ptrace+ep "$tmp/tdtop" 2>/dev/null || skip "files under $tmp take no capabilities"
nobody() { # anything, as a user without rights
    (cd "$tmp/own" && HOME="$tmp/own" XDG_CONFIG_HOME='' XDG_DATA_HOME='' setpriv --reuid 65534 --regid 65534 --clear-groups "$@")
}
mkdir "$tmp/own" "$tmp/roots" && chown 65534:65534 "$tmp/own" && chmod 700 "$tmp/roots"
nobody "$tmp/tdtop" version >/dev/null 2>&1 || skip "a file with capabilities cannot be run from $tmp"

ok() {
    pass=$((pass + 1))
}
bad() { # what, output
    fail=$((fail + 1))
    printf 'FAILED: %s\n' "$1"
    printf '%s\n' "$2" | head -5 | sed 's/^/  | /'
}
# A process of root's, whose threads are born while it is counted.
python3 -c '
import threading, time
time.sleep(0.5)
end = time.time() + 60
def work():
    while time.time() < end: sum(range(20000)); time.sleep(0.001)
while time.time() < end:
    if threading.active_count() < 6: threading.Thread(target=work, daemon=True).start()
    time.sleep(0.1)' &
target=$!

# keeps WORDS...: tdtop with them must fail, and say nothing but that it may not
keeps() {
    out=$(nobody timeout 20 "$tmp/tdtop" "$@" 2>&1 </dev/null)
    rc=$?
    case $rc:$out in
    0:* | 124:* | *"=hidden="* | *[0-9a-f]-[0-9a-f]*" r"[-w]*) bad "$caps: tdtop $* (exit $rc)" "$out" ;;
    *[Pp]ermission\ denied* | *"not permitted"* | *"unable to open"*) ok ;;
    *) bad "$caps: tdtop $* (exit $rc): not refused for want of rights" "$out" ;;
    esac
}

"$tmp/tdtop" collect --demo -n 3 --db "$tmp/roots/runs.db" >/dev/null 2>&1
"$tmp/tdtop" export @0 --db "$tmp/roots/runs.db" -o "$tmp/roots/run.json" >/dev/null 2>&1
printf 'hidden = "=hidden="\n' >"$tmp/roots/secret.toml"
printf '=hidden=,words\n' >"$tmp/roots/secret.csv"
mkdir "$tmp/roots/models"
chmod -R go= "$tmp/roots"
# What is advised; and what would open every file if it stayed effective.
for caps in cap_perfmon cap_perfmon,cap_sys_ptrace cap_sys_admin,cap_perfmon,cap_sys_ptrace,cap_dac_override,cap_dac_read_search; do
    setcap "$caps+ep" "$tmp/tdtop"
    for file in "/proc/$target/maps" "/proc/$target/environ" "$tmp/roots/secret.csv" "$tmp/roots/run.json"; do
        keeps replay "$file" -b
        keeps import "$file"
        keeps models --check "$file"
        keeps demo -b -n 1 --config "$file"
        keeps compare "$file" "$file"
    done
    keeps list --db "$tmp/roots/runs.db"
    keeps db check --db "$tmp/roots/runs.db"
    keeps export @0 --db "$tmp/roots/runs.db"
    keeps demo -b -n 1 -o "$tmp/roots/out"
    keeps demo --at 1 --save "$tmp/roots/out.svg"
    keeps collect --demo -n 1 --log "$tmp/roots/log"
    keeps demo -b -n 1 --model "$tmp/roots/secret.toml"
    keeps models "$tmp/roots/secret.toml"
    [ -z "$(ls -A "$tmp/roots" | grep -vE '^(runs\.db(-wal|-shm)?|run\.json|secret\.toml|secret\.csv|models)$')" ] && ok ||
        bad "$caps: a file appeared where only root may write" "$(ls -A "$tmp/roots")"

    # A process of another user, and threads that it makes later.
    out=$(nobody timeout 60 "$tmp/tdtop" -p "$target" -j --per-thread -I 300ms -n 6 2>&1)
    if printf '%s\n' "$out" | python3 -c '
import json, sys
rows = [json.loads(l) for l in sys.stdin if l.startswith("{")]
switches = [r["nodes"]["Context_Switches_Per_S"]["value"] for r in rows]
sys.exit(not (len(rows) == 6 and max(r.get("threads", 1) for r in rows) >= 4 and max(x or 0 for x in switches) > 100))'; then
        ok
    else
        bad "$caps: counting a process of root's, and its new threads" "$out"
    fi
    # No thread keeps them while it counts.
    nobody "$tmp/tdtop" -p "$target" -b -x , -n 40 -I 100ms >"$tmp/out" 2>/dev/null &
    runs=$!
    for _ in $(seq 160); do # its second row: it counts
        [ "$(wc -l <"$tmp/out")" -ge 3 ] && break
        sleep 0.05
    done
    pid=$(pgrep -P "$runs" tdtop || echo "$runs")
    out=$(cat /proc/"$pid"/task/*/status 2>/dev/null | grep -E '^(Cap(Prm|Eff)|Name)')
    kill "$runs" "$pid" 2>/dev/null
    wait "$runs" 2>/dev/null
    if [ "$(printf '%s\n' "$out" | grep -c '^CapEff:[[:space:]]*0*$')" -ge 1 ] &&
        ! printf '%s\n' "$out" | grep -q '^CapEff:.*[1-9a-f]' && printf '%s\n' "$out" | grep -q '^CapPrm:.*[1-9a-f]'; then
        ok
    else
        bad "$caps: effective while it counts" "$out"
    fi
    out=$(nobody "$tmp/tdtop" doctor 2>&1)
    case $out in
    *"we have CAP_PERFMON"*) ok ;;
    *) bad "$caps: doctor knows of them" "$out" ;;
    esac
done
cd "$here" || exit 2
echo "rights: $pass passed, $fail failed"
[ "$fail" = 0 ]

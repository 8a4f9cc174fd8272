#!/bin/sh
# symbols_test.sh [SYMBOLS]: that names, lines and instructions of programs of several kinds are those of readelf, addr2line and objdump.
# Ends with "symbols: N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
symbols=$(realpath "${1:-build/release/symbols}")
. tests/lib.sh
for tool in readelf addr2line objdump objcopy; do
    command -v $tool >/dev/null || { echo "SKIP symbols: $tool (binutils) is not installed"; over symbols; exit; }
done
same() { # what, file, count, symbols of
    want 0 '^(same|different): [0-9]+' python3 tests/symbols.py "$symbols" "$@"
}
# Debian's debug file of a program, if there is one, else the program
debug_of() {
    id=$(readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p' | head -1)
    f=/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug
    if ! readelf -SW "$1" | grep -q ' \.symtab ' && [ -n "$id" ] && [ -r "$f" ]; then echo "$f"; else echo "$1"; fi
}

# ---- of the system ----
for f in /usr/bin/redis-server /usr/bin/python3 /lib/*/libc.so.6 /lib/*/libstdc++.so.6; do
    [ -r "$f" ] || { echo "SKIP symbols of $f: not installed"; continue; }
    f=$(realpath "$f")
    same names "$f" 2000 "$(debug_of "$f")"
    same code "$f" 5
done
want 0 '__vdso_clock_gettime|__kernel_clock_gettime' "$symbols" functions vdso $(seq 1536 64 8000 | xargs printf "%x\n")
if [ "$(cat /proc/sys/kernel/kptr_restrict)" = 0 ] && [ "$(id -u)" = 0 ]; then
    want 0 ' (__x64_sys|__arm64_sys|ksys)_' "$symbols" functions kernel "$(awk '/ (__x64_sys|__arm64_sys|ksys)_write$/ {print $1}' /proc/kallsyms | head -1)"
fi

# ---- a program of ours: C and C++, static, stripped, with debug information in another file ----
cat >"$tmp/prog.c" <<'E2'
#include <stdio.h>
#include <stdlib.h>
static int inner(int x) { return x * 7 % 13; }
static inline int twice(int x) { return inner(x) + inner(x + 1); }
__attribute__((noinline)) static int local_one(int n) { int s = 0; for (int i = 0; i < n; i++) s += twice(i); return s; }
__attribute__((noinline)) int global_one(int n) { return local_one(n) + twice(n); }
__attribute__((weak, alias("global_one"))) int weak_one(int n);
__attribute__((alias("global_one"))) int _other_one(int n);
int main(int argc, char **argv) { printf("%d %s\n", global_one(argc * 100), argv[0]); return atoi("0"); }
E2
cat >"$tmp/prog.cc" <<'E2'
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>
namespace app {
template <class T> struct Ring {
    std::vector<T> items;
    void push(const T &t) { items.push_back(t); if (items.size() > 64) items.erase(items.begin()); }
    T sum() const { T s{}; for (auto &i : items) s += i; return s; }
};
namespace { int hidden(int x) { return x * 7 % 13; } }
static inline int twice(int x) { return hidden(x) + hidden(x + 1); }
struct Base { virtual ~Base() = default; virtual int work(int) = 0; };
struct One : Base { Ring<long> r; int work(int x) override { r.push(twice(x)); return (int)r.sum(); } };
struct Two : Base { std::map<std::string, int> m; int work(int x) override { m[std::to_string(x % 50)] += twice(x); return (int)m.size(); } };
int operator+(const One &a, int b) { return (int)a.r.sum() + b; }
}
int main(int argc, char **argv) {
    app::One a; app::Two b; long s = 0;
    auto f = [&](int i) { return a.work(i) + b.work(i) + (a + i); };
    for (int i = 0; i < 1000 * argc; i++) s += f(i);
    std::vector<int> v; for (int i = 0; i < 1000; i++) v.push_back((i * 7919) % 1009);
    std::sort(v.begin(), v.end(), [](int x, int y) { return x > y; });
    printf("%ld %d %s\n", s, v[0], argv[0]);
}
E2
gcc -gdwarf-4 -O2 -Wl,--build-id -o "$tmp/c" "$tmp/prog.c" || bad "gcc"
made=c
if command -v g++ >/dev/null; then
    g++ -gdwarf-4 -O2 -Wl,--build-id -o "$tmp/cxx" "$tmp/prog.cc" && made="$made cxx"
    g++ -gdwarf-4 -O0 -o "$tmp/cxx0" "$tmp/prog.cc" && made="$made cxx0"
    g++ -g -O2 -o "$tmp/cxx5" "$tmp/prog.cc" && five=cxx5
else
    echo "SKIP symbols of C++: g++ is not installed"
fi
gcc -gdwarf-4 -O2 -static -o "$tmp/static" "$tmp/prog.c" 2>/dev/null && made="$made static"
for f in $made; do
    same names "$tmp/$f" 2000
    same lines "$tmp/$f" 10
    same code "$tmp/$f" 10
done
# binutils 2.40 mistakes files of DWARF 5: another reader is asked
if command -v llvm-symbolizer >/dev/null; then
    command -v clang >/dev/null && clang -g -O2 -o "$tmp/clang" "$tmp/prog.c" && five="$five clang"
    for f in $five; do same llvm "$tmp/$f" 10; done
else
    echo "SKIP lines of DWARF 5: llvm-symbolizer is not installed"
fi
at() { nm "$tmp/c" | sed -n "s/^0*\([0-9a-f]*\) [tTwW] $1\$/\1/p"; }
want 0 ' global_one	global_one$' "$symbols" functions "$tmp/c" "$(at global_one)"
want 0 "^function local_one file $tmp/prog.c lines 9" "$symbols" code "$tmp/c" "$(at local_one)"
want 0 'inner	.*prog.c:3$' "$symbols" lines "$tmp/c" $(for i in $(seq 0 2 80); do printf "%x " $((0x$(at local_one) + i)); done)

cp "$tmp/c" "$tmp/stripped" && strip "$tmp/stripped"
want 0 'stripped has no symbol table, only .*: put its debug file at /usr/lib/debug/.build-id/.*debuginfod-find debuginfo [0-9a-f]{40} .*DEBUGINFOD_URLS' \
    "$symbols" lack "$tmp/stripped"
same names "$tmp/stripped" 500
# by build id
objcopy --only-keep-debug "$tmp/c" "$tmp/c.debug"
id=$(readelf -n "$tmp/c" | sed -n 's/.*Build ID: //p')
dir=$tmp/debug/.build-id/$(echo "$id" | cut -c1-2)
mkdir -p "$dir" && cp "$tmp/c.debug" "$dir/$(echo "$id" | cut -c3-).debug"
want 0 ' local_one	local_one$' "$symbols" --debug "$tmp/debug" functions "$tmp/stripped" "$(at local_one)"
want 0 '^$' "$symbols" --debug "$tmp/debug" lack "$tmp/stripped"
want 0 'prog.c:[0-9]+$' "$symbols" --debug "$tmp/debug" lines "$tmp/stripped" "$(at local_one)"
# a file of another build under that name is not taken
[ -z "$five" ] || { cp "$tmp/cxx0" "$dir/$(echo "$id" | cut -c3-).debug"
    want 0 'stripped has no symbol table' "$symbols" --debug "$tmp/debug" lack "$tmp/stripped"; }
# by .gnu_debuglink, without a build id: by its checksum
gcc -gdwarf-4 -O2 -Wl,--build-id=none -o "$tmp/linked" "$tmp/prog.c"
objcopy --only-keep-debug "$tmp/linked" "$tmp/linked.dbg"
strip "$tmp/linked" && objcopy --add-gnu-debuglink="$tmp/linked.dbg" "$tmp/linked"
want 0 ' local_one	local_one$' "$symbols" functions "$tmp/linked" "$(nm "$tmp/linked.dbg" | awk '$3 == "local_one" {print $1}')"
echo more >>"$tmp/linked.dbg"
want 0 'linked has no symbol table.*build it with -g and do not strip it' "$symbols" lack "$tmp/linked"
# the small table of Fedora's programs
if command -v xz >/dev/null; then
    objcopy -S --remove-section .gnu_debuglink --remove-section .comment "$tmp/c.debug" "$tmp/mini" 2>/dev/null
    objcopy --only-keep-debug "$tmp/c" "$tmp/mini" && strip -g "$tmp/mini" && xz -f "$tmp/mini"
    objcopy --add-section .gnu_debugdata="$tmp/mini.xz" "$tmp/stripped" "$tmp/small"
    want 0 ' local_one	local_one$' "$symbols" functions "$tmp/small" "$(at local_one)"
    want 0 'small has no symbol table but a small one' "$symbols" lack "$tmp/small"
    head -c 100 "$tmp/mini.xz" >"$tmp/cut.xz"
    objcopy --add-section .gnu_debugdata="$tmp/cut.xz" "$tmp/stripped" "$tmp/broken"
    want 0 'gnu_debugdata is damaged' "$symbols" lack "$tmp/broken"
else
    echo "SKIP .gnu_debugdata: xz is not installed"
fi
# what is Debian's
if [ -x /usr/bin/redis-server ] && ! readelf -SW /usr/bin/redis-server | grep -q ' \.symtab '; then
    want 0 'has no symbol table, only [0-9]+ exported or imported names: install redis-(server|tools)-dbgsym' "$symbols" lack "$(realpath /usr/bin/redis-server)"
fi
# what is no program
printf '\177ELF' >"$tmp/none"
mkfifo "$tmp/pipe"
want 0 'not an ELF file' "$symbols" lack "$tmp/none"
want 0 'Invalid argument' timeout 10 "$symbols" lack "$tmp/pipe"
want 0 'Invalid argument' timeout 10 "$symbols" lack /dev/null

# ---- code made at run time ----
if command -v node >/dev/null; then
    cat >"$tmp/hot.js" <<'E2'
function hotFunction(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
let t = 0; for (let k = 0; k < 3000; k++) t += hotFunction(20000);
console.log("ready", t); setTimeout(() => {}, 20000);
E2
    (cd "$tmp" && exec node --perf-basic-prof hot.js) >"$tmp/node.out" 2>&1 & # it leaves a log where it runs
    node=$!
    at_exit() { kill $node 2>/dev/null; rm -f "/tmp/perf-$node.map"; }
    for _ in $(seq 100); do grep -q ready "$tmp/node.out" && break; sleep 0.1; done
    line=$(grep 'hotFunction' "/tmp/perf-$node.map" | tail -1)
    want 0 'hotFunction' "$symbols" functions "pid:$node" "${line%% *}"
    # of all of the map, newest first, the names are the map's
    python3 - "/tmp/perf-$node.map" >"$tmp/asked" <<'E2'
import sys
rows = [l.rstrip("\n").split(" ", 2) for l in open(sys.argv[1])]
for a, s, n in rows[-2000:]:
    print("%x" % (int(a, 16) + int(s, 16) // 2))
E2
    "$symbols" functions "pid:$node" <"$tmp/asked" >"$tmp/said"
    cat >"$tmp/map.py" <<'E2'
import sys
rows = [l.rstrip("\n").split(" ", 2) for l in open(sys.argv[1])]
rows = [(int(a, 16), int(a, 16) + int(s, 16), n) for a, s, n in rows]
wrong = total = 0
for line in open(sys.argv[2]):
    at, start, size, rest = line.split(" ", 3)
    at = int(at, 16)
    want = [n for a, e, n in rows if a <= at < e][-1]
    total += 1
    wrong += rest.split("\t")[0] != want
print("wrong %d of %d" % (wrong, total))
E2
    want 0 '^wrong 0 of [0-9]+' python3 "$tmp/map.py" "/tmp/perf-$node.map" "$tmp/said"
    [ "$(id -u)" = 0 ] && want 0 '	(push|mov|cmp|lea|sub)' "$symbols" code "pid:$node" "${line%% *}"
    kill $node 2>/dev/null
    wait $node 2>/dev/null
else
    echo "SKIP names of a JIT: node is not installed"
fi
want 0 'process 1 made at run time has no names: it writes no /tmp/perf-1.map' "$symbols" lack pid:1

over symbols

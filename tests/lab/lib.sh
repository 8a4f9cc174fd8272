# What every part of check.sh uses: a guest is run, its rows or its words are held against what is known.
# shellcheck shell=sh disable=SC2154

verdict() { # name, what is wrong (nothing: it passed)
	if [ -z "$2" ]; then
		passed=$((passed + 1))
		echo "ok: $1"
	else
		failed=$((failed + 1))
		echo "FAILED: $1"
		echo "$2" | head -12 | sed 's/^/    /'
		[ ! -s "$tmp/err" ] || head -5 "$tmp/err" | sed 's/^/    stderr: /'
	fi
}

wanted() { # name
	case $1 in *"$only"*) return 0 ;; *) return 1 ;; esac
}

# Builds tdtop for Arm, with the libraries that ./setup has put aside; leaves its tree.
arm_ready() {
	[ ! -d "$tmp/tree-arm" ] || return 0
	( # others may want it at the same time
		flock 9
		arm_build
	) 9>cache/arm.lock || return 1
	mkdir "$tmp/tree-arm"
	cp "${arm:-../../build/arm64/tdtop}" "$tmp/tree-arm/tdtop"
	cp tests/arm/spin "$tmp/tree-arm/spin"
}

arm_build() {
	./setup arm || return 1
	root=$PWD/cache/arm64/sysroot
	[ -n "$arm" ] || CPPFLAGS="-isystem $root/usr/include" \
		LDFLAGS="-static -L$root/usr/lib/aarch64-linux-gnu" \
		make -s -j2 -C ../.. MODE=arm64 CC=aarch64-linux-gnu-gcc-12 OPT_arm64=-O1 build/arm64/tdtop >/dev/null
}

wanted_arm() { # name
	wanted "$1" || return 1
	[ "$arm" != none ] || { echo "skipped (TDTOP_ARM=none): $1"; return 1; }
	arm_ready && return 0
	verdict "$1" "no tdtop for Arm could be built"
	return 1
}

guest() { # options of lab-x86 ... -- command...: leaves out, err and rc
	on x86 "$tmp/tree" "$@"
}

guest_arm() {
	on arm "$tmp/tree-arm" "$@"
}

on() { # machine, tree, options ... -- command...
	machine=$1
	tree=$2
	shift 2
	options=
	while [ "$1" != -- ]; do
		options="$options '$1'"
		shift
	done
	shift
	command=
	for word; do command="$command '$word'"; done
	eval "./lab-$machine --timeout 180 $options '$tree' $command" >"$tmp/out" 2>"$tmp/err"
	rc=$?
}

rows() { # name, expected exit status, expectations...
	name=$1
	status=$2
	shift 2
	wrong=$(./expect.py "$@" <"$tmp/out" 2>&1)
	[ "$rc" = "$status" ] || wrong="exit status $rc, not $status
$wrong"
	verdict "$name" "$wrong"
}

says() { # name, expected exit status, words that standard error or output must have...
	name=$1
	status=$2
	shift 2
	wrong=
	[ "$rc" = "$status" ] || wrong="exit status $rc, not $status"
	for words; do
		grep -qF -e "$words" "$tmp/out" "$tmp/err" || wrong="$wrong
no word of \"$words\""
	done
	[ -z "$wrong" ] || wrong="$wrong
the last it said: $(tail -n 3 "$tmp/out" | cut -c1-700)"
	verdict "$name" "$wrong"
}

# A guest's script about samples (where.py) from standard input; in it `samples` prints what the kernel has sampled so far.
where_script() { # machine, tree
	cp "tests/$1/known" "$2/known"
	{
		echo "samples() { sed 's/^/sampled /' /sys/module/vpmu/parameters/samples; }"
		cat <<-'EOF'
			taken() { awk '{ n += $NF } END { print n }' /sys/module/vpmu/parameters/samples; }
			until_more() { # samples of the kernel; a minute at most
				local most=$(($(taken) + $1)) tries=0
				while [ "$(taken)" -lt "$most" ] && [ $((tries += 1)) -lt 600 ]; do sleep 0.1; done
			}
		EOF
		cat
	} >"$2/where.sh"
}

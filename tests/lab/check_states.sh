# Who may count what, CPUs that go, targets that end and change; a part of check.sh.
# shellcheck shell=sh disable=SC2154

for file in beside hotplug lives screens toggle users; do cp "tests/$file" "$tmp/tree"; done
for file in becomes grant storm; do cp "tests/x86/$file" "$tmp/tree"; done
tmux=$(command -v tmux || :)
perf=$(command -v perf || :)

# Does the guest have what a check needs? Else it is said.
with() { # name, path or nothing, what it is
	wanted "$1" || return 1
	[ -n "$2" ] && return 0
	echo "skipped (no $3 on this machine): $1"
	return 1
}

# What the guest has put behind <<MARK>>.
section() {
	awk -v mark="<<$1>>" '/^<</ { on = $0 == mark; next } on' "$tmp/out"
}

fits() { # mark, expectations of its rows...
	mark=$1
	shift
	found=$(section "$mark" | ./expect.py "$@" 2>&1)
	[ -z "$found" ] || wrong="$wrong
$mark: $found"
}

has() { # mark, words...
	mark=$1
	shift
	section "$mark" >"$tmp/section"
	for words; do
		grep -qaF -e "$words" "$tmp/section" || wrong="$wrong
$mark: no word of \"$words\": $(grep -a . "$tmp/section" | cut -c1-300 | head -1)"
	done
}

lacks() { # mark, words...
	mark=$1
	shift
	section "$mark" >"$tmp/section"
	for words; do
		! grep -qaF -e "$words" "$tmp/section" || wrong="$wrong
$mark: says \"$words\""
	done
}

counts() { # mark, what counts.py is to look at...
	mark=$1
	shift
	found=$(section "$mark" | ./counts.py "$@" 2>&1) || wrong="$wrong
$mark: $found"
}

begin() { # what the guest has ended with is wrong unless it is 0
	wrong=
	[ "$rc" = 0 ] || wrong="exit status $rc"
}

level1="model=spr source=perf Frontend_Bound=0.15 Bad_Speculation=0.10 Backend_Bound=0.50 Retiring=0.25"
name="users: paranoid -1"
if with "$name" "$tmux" tmux; then
	guest --cpu spr --rates spr --add "$tmux" -- ./users -1 own all
	begin
	for mark in "tdtop own" "tdtop all" "tdtop-cap own" "tdtop-cap all"; do
		# shellcheck disable=SC2086
		fits "$mark" $level1
		has "$mark" "exit 0"
		lacks "$mark" '"note":'
	done
	has screen "50.0" "LIVE"
	lacks screen "paranoid"
	verdict "$name" "$wrong"
fi

name="users: paranoid 2, user space of one's own; all with cap_perfmon"
if with "$name" "$tmux" tmux; then
	guest --cpu spr --rates spr --add "$tmux" -- ./users 2 own foreign all
	begin
	for mark in "tdtop-cap own" "tdtop-cap foreign" "tdtop-cap all"; do
		# shellcheck disable=SC2086
		fits "$mark" $level1
		has "$mark" "exit 0"
		lacks "$mark" '"note":'
	done
	# shellcheck disable=SC2086
	fits "tdtop own" $level1
	has "tdtop own" '"note":"user space only: perf_event_paranoid is 2' "kernel.perf_event_paranoid=1" "exit 0"
	has "tdtop foreign" "belongs to another user" "cap_perfmon" "exit 1"
	has "tdtop all" "not permitted" "setcap cap_perfmon+ep" "kernel.perf_event_paranoid=0" "it is 2 now" "exit 1"
	has screen "50.0" "LIVE" "user space only: perf_event_paranoid is 2"
	verdict "$name" "$wrong"
fi

# Debian's kernel wants CAP_SYS_ADMIN then: cap_perfmon must not be the advice.
name="users: paranoid 3, nothing, and what would help"
if with "$name" "$tmux" tmux; then
	guest --cpu spr --rates spr --add "$tmux" -- ./users 3 own foreign all
	begin
	for mark in "tdtop own" "tdtop foreign" "tdtop all" "tdtop-cap own" "tdtop-cap foreign" "tdtop-cap all"; do
		has "$mark" "not permitted" "as root" "kernel.perf_event_paranoid=" "it is 3 now" \
			"setcap cap_sys_admin+ep" "does not accept cap_perfmon" "exit 1"
	done
	has screen "not permitted" "it is 3 now"
	verdict "$name" "$wrong"
fi

name="a CPU goes offline and comes back: the whole system"
if with "$name" "$tmux" tmux; then
	guest --cpu spr --rates spr --add "$tmux" -- ./hotplug -a
	begin
	counts rows cpus 2,1,2
	counts rows rates INST_RETIRED.ANY=4500 CPU_CLK_UNHALTED.THREAD=3000
	# shellcheck disable=SC2086
	fits rows $level1 Retiring.state=exact
	has rows '"note":"CPU 1 offline, not counted"'
	lacks before offline
	has gone "CPU 1 offline, not counted" "50.0" "LIVE"
	lacks back offline
	has back "50.0" "LIVE"
	counts comes cpus 1,2
	counts comes rates INST_RETIRED.ANY=4500
	has comes '"target":"the only CPU"' '"target":"all 2 CPUs"'
	verdict "$name" "$wrong"
fi

name="a CPU goes offline and comes back: a process, beside perf stat"
if with "$name" "$perf" perf; then
	guest --cpu spr --rates spr --add "$perf" -- ./beside -l 2 -I 500 -- ./toggle ./spin 3 one two
	begin
	wrong="$wrong$(./counts.py same 0 <"$tmp/out" 2>&1)"
	verdict "$name" "$wrong"
fi

name="targets that end: how, when, and what was last"
if with "$name" "$tmux" tmux; then
	guest --cpu spr --rates spr --add "$tmux" -- ./lives
	begin
	has counted "50.0" "LIVE" "3 threads"
	has killed "GONE" "50.0" "3 threads"
	grep -qa "spin [0-9]* · 3 threads .*GONE" "$tmp/out" || wrong="$wrong
the header of the killed one is another"
	has "command killed" "GONE" "was ended by signal 9 (Killed)" "50.0"
	has "after exec" "(was sh)" "50.0" "LIVE"
	# shellcheck disable=SC2086
	fits rows $level1
	has rows "tdtop: spin" "ended" "exit 0"
	# shellcheck disable=SC2086
	fits "command rows" $level1
	has "command rows" "exit 143"
	verdict "$name" "$wrong"
fi

name="exec: counting goes on under the new name, beside perf stat"
if with "$name" "$perf" perf; then
	guest --cpu spr --rates spr --add "$perf" -- ./beside -l 2 -I 300 -- ./becomes 6 0.3
	begin
	wrong="$wrong$(./counts.py same 0 <"$tmp/out" 2>&1)"
	for round in 5 3; do
		grep -q "\"target\":\"round-$round [0-9]* (was becomes)" "$tmp/out" || wrong="$wrong
no row with the name round-$round"
	done
	verdict "$name" "$wrong"
fi

name="exec by a second thread, which takes the number of the process along"
if with "$name" "$perf" perf; then
	guest --cpu spr --rates spr --add "$perf" -- ./beside -l 2 -I 300 -- ./becomes 6 0.3 thread
	begin
	wrong="$wrong$(./counts.py same 0 <"$tmp/out" 2>&1)"
	verdict "$name" "$wrong"
fi

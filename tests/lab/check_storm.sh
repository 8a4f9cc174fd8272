# Threads and processes by the hundred, born and gone, beside perf stat; a part of check.sh.
# shellcheck shell=sh disable=SC2154

# perf stat and tdtop have each a counter of their own on the same tasks, so they count in the same
# nanoseconds: the sums are equal to the last event. (With inherit the PMU rounds down once per child,
# but for both alike.)
name="a storm of threads: 100 born and gone per second for 20 s"
if with "$name" "$perf" perf; then
	guest --cpu spr --rates spr --add "$perf" -- ./beside -l 2 -I 1000 -- ./storm 20 100
	begin
	wrong="$wrong$(./counts.py same 0 <"$tmp/out" 2>&1)"
	grep '"threads"' "$tmp/out" | grep -v '"Retiring":{"value":null' >"$tmp/busy"
	# shellcheck disable=SC2086
	wrong="$wrong$(./expect.py $level1 Retiring.state=exact <"$tmp/busy" 2>&1)"
	verdict "$name" "$wrong"
fi

name="a storm of processes"
if with "$name" "$perf" perf; then
	guest --cpu spr --rates spr --add "$perf" -- ./beside -l 2 -I 500 -- ./storm 4 100 fork
	begin
	wrong="$wrong$(./counts.py same 0 <"$tmp/out" 2>&1)"
	verdict "$name" "$wrong"
fi

# In the program's own time, too, which is what it costs. How many come a second is known after some seconds.
name="what counting everything costs new threads is said"
if with "$name" "$perf" perf; then
	guest --cpu spr --rates spr --add "$perf" -- ./beside --focus off -I 1000 -- ./storm 12 64
	begin
	wrong="$wrong$(./counts.py same 0.001 <"$tmp/out" 2>&1)"
	grep -q '"note":"[^"]*a new thread costs the program [0-9.]* ms for [23][0-9][0-9] counters, at most [0-9.]*% of a CPU at [0-9]* new tasks a second; --focus auto' "$tmp/out" || wrong="$wrong
no row says what new threads cost"
	verdict "$name" "$wrong"
	name="levels 1 and 2 cost them little"
	guest --cpu spr --rates spr --add "$perf" -- ./beside -l 2 -I 1000 -- ./storm 6 4
	begin
	! grep -q 'a new thread costs the program' "$tmp/out" || wrong="$wrong
$(grep -o 'a new thread costs[^"]*' "$tmp/out" | head -n 1)"
	verdict "$name" "$wrong"
fi

# With rows each thread has counters of its own, and its creators get new ones without it; until then it
# is counted by them. Where threads come faster than counters can be opened (about 30 ms each here,
# where all is emulated), that remains so, without a row. So rows of single threads are not asked for
# here, only their view. The group of slots cannot be counted twice at a time: for the moment between
# the two (microseconds; here, on a busy host, some ms) it is scaled by the time, hence not 0.
for rate in 4 100; do
	name="a storm of threads while the view of threads is open: $rate per second"
	if with "$name" "$perf" perf; then
		printf '1 keys t\n' >"$tmp/tree/keys-t"
		guest --cpu spr --rates spr --add "$perf" -- ./beside -s keys-t -l 2 -I 500 -- ./storm 8 $rate
		begin
		wrong="$wrong$(./counts.py same 0.01 <"$tmp/out" 2>&1)"
		grep -qa "CPU %" "$tmp/out" || wrong="$wrong
the view of threads was not open"
		verdict "$name" "$wrong"
	fi
done

# Where the CPUs have other work, threads stand still anywhere: in the middle of a clone, or between two
# readings of ours. Then rows wait rather than that a count is lost.
for rate in 4 20; do
	name="a storm of threads on busy CPUs while the view of threads is open: $rate per second"
	if with "$name" "$perf" perf; then
		printf '1 keys t\n' >"$tmp/tree/keys-t"
		guest --cpu spr --rates spr --timeout 150 --add "$perf" -- ./beside -b 2 -s keys-t -l 2 -I 500 -- ./storm 12 $rate
		begin
		wrong="$wrong$(./counts.py same 0.002 <"$tmp/out" 2>&1)"
		verdict "$name" "$wrong"
	fi
done

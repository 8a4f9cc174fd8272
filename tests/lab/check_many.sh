# Many threads on a machine with a PMU: the cost of opening beside perf stat, and what is said when descriptors are short;
# a part of check.sh.
# shellcheck shell=sh disable=SC2154

# 60 events of the cores with codes that any general counter takes; eight to a group for tdtop, each by itself for perf.
sixty() {
	echo 'name = "sixty"
title = "60 events"
origin = "check_many.sh"
rung = "generic"
vendor = "Intel"
scope = "events"
counters = { general = 8 }
[event]'
	code=144
	while [ $code -lt 204 ]; do
		echo "\"e$code\" = { code = $code, umask = 1 }"
		code=$((code + 1))
	done
	code=144
	while [ $code -lt 204 ]; do
		echo "[metric.M$code]
formula = \"e$code / e$((code < 203 ? code + 1 : 144))\""
		code=$((code + 1))
	done
}
sixty_perf() {
	code=144
	while [ $code -lt 204 ]; do
		printf 'r01%x' $code
		code=$((code + 1))
		[ $code = 204 ] || printf ,
	done
}

# A guest's script from standard input; in it `threads N BUSY CPUS` starts a process of so many threads, which is $pid then.
many_script() {
	program=$(dirname "$tdtop")/bench/threads
	[ -x "$program" ] || { verdict "$name" "$program is not built (make programs)"; return 1; }
	cp "$program" "$tmp/tree/threads"
	{
		cat <<-'EOF'
			threads() {
				mkfifo /tmp/ready
				./threads "$@" >/tmp/ready &
				pid=$!
				read -r word </tmp/ready
				[ "$word" = ready ] || exit 1
			}
		EOF
		cat
	} >"$tmp/tree/many.sh"
}

# Of CPU time: the guest's clock stands still now and then. MANY=1000 takes a minute and a half.
name="many threads, 60 events: opening costs at most 1.5 times what it costs perf stat"
if wanted "$name" && many_script <<EOF
	ulimit -n 200000
	threads ${MANY:-60} 5 0.1
	for i in 1 2; do
		time -f 'cost perf %U %S' perf stat -x, -o /tmp/perf -e $(sixty_perf) -p \$pid sleep 0.01
		time -f 'cost tdtop %U %S' ./tdtop -bj -I $((${MANY:-60} * 6 + 1500)) -n 1 --model ./sixty.toml -p \$pid >/tmp/row
		grep -c ,r01 /tmp/perf
		grep -o '"M[0-9]*":{' /tmp/row | grep -c .
		grep -o '"note":"opening' /tmp/row
	done
EOF
then
	sixty >"$tmp/tree/sixty.toml"
	guest --cpu spr --rates spr --mem 2048 --timeout 240 --add /usr/bin/perf -- sh ./many.sh
	wrong=$(awk '
		$1 == "cost" { cpu[$2] += $3 + $4 }
		$1 == 60 { runs++ }
		/opening/ { late++ }
		END {
			cost = "CPU: " cpu["tdtop"] " s, perf stat " cpu["perf"] " s"
			if (runs != 4 || late) print "runs with 60 events: " runs + 0 " of 4; not all open: " late + 0
			if (!(cpu["tdtop"] <= 1.5 * cpu["perf"])) print cost
			else print "    " cost >"/dev/stderr"
		}' "$tmp/out" "$tmp/err")
	verdict "$name" "$wrong"
fi

name="few descriptors: levels 1 and 2, then level 1, then fewer threads, and each is said"
if wanted "$name" && many_script <<'EOF'
	threads 99 5 0.1
	for n in 8000 2500 700; do
		(ulimit -n $n
		./tdtop -bj -I 500 -n 2 -p $pid 2>/dev/null | tail -n 1 | sed "s/\"target\":\"/&limit $n /")
	done
EOF
then
	guest --cpu icx --rates spr --mem 1024 -- sh ./many.sh
	# shellcheck disable=SC2086
	wrong=$(./expect.py ${level1#* } <"$tmp/out" 2>&1)
	for words in 'limit 8000 .*"levels 1 and 2 only: descriptor limit; ulimit -n ' \
		'limit 2500 .*"level 1 only: descriptor limit; ulimit -n ' \
		'limit 700 .*"counting [0-9]* of 100 threads: descriptor limit; level 1 only'; do
		grep -q "$words" "$tmp/out" || wrong="$wrong
no $words"
	done
	verdict "$name" "$wrong"
fi

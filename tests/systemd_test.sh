#!/usr/bin/env bash
# systemd_test.sh TDTOP: the unit of `tdtop install-service` really run: a Debian with systemd as its first process, in a container
# of systemd-nspawn. The agent is no root there, counts, is told to read its file again, and stops. Needs root, the package
# registry, debootstrap and systemd-container; else it says SKIP. Ends with "systemd: N passed, N failed".
set -u
tdtop=$(realpath "${1:-build/release/tdtop}")
tmp=$(mktemp -d)
trap 'rm -rf --one-file-system "$tmp"' EXIT
tree=$tmp/tree passed=0 failed=0
skip() { echo "SKIP systemd: $1"; echo "systemd: 0 passed, 0 failed"; exit 0; }
[ "$(id -u)" = 0 ] || skip "it needs root"
for program in debootstrap systemd-nspawn; do command -v $program >/dev/null || skip "$program is not installed"; done
timeout 300 debootstrap --variant=minbase \
	--include=systemd,systemd-sysv,dbus,procps,libncursesw6,libsqlite3-0,libjansson4,libmicrohttpd12 bookworm "$tree" >"$tmp/log" 2>&1 ||
	skip "debootstrap: $(tail -1 "$tmp/log")"
cp "$tdtop" "$tree/usr/bin/tdtop"
cp /bin/sleep "$tree/usr/bin/sleeper"
mkdir -p "$tree/srv/textfile" "$tree/etc/tdtop" "$tree/etc/systemd/system/multi-user.target.wants"
chmod 2775 "$tree/srv/textfile"
chown root:60 "$tree/srv/textfile" # games
cat >"$tree/etc/tdtop/agent.toml" <<'END'
listen = "127.0.0.1:9464"
textfile = "/srv/textfile"
[[target]]
cgroup = "go.service"
interval = "200ms"
[[target]]
process = "sleeper"
duration = "1s"
interval = "200ms"
[[target]]
all = true
duration = "1s"
every = "3s"
END
cat >"$tree/root/go" <<'END'
#!/bin/sh
exec >/root/said 2>&1
sleeper 1000 &
tdtop install-service
systemctl daemon-reload
systemctl enable --now tdtop-agent && echo started
pid=$(systemctl show -P MainPID tdtop-agent)
sleep 6
echo "series $(bash -c 'exec 3<>/dev/tcp/127.0.0.1/9464 && printf "GET /metrics HTTP/1.0\r\n\r\n" >&3 && cat <&3' | grep -a -o 'intervals_total{.*')"
echo "file $(ls -l /srv/textfile) $(grep -c . /srv/textfile/tdtop-agent.prom)"
echo "uid $(stat -c %u /proc/$pid)" "$(grep CapEff /proc/$pid/status)"
systemctl reload tdtop-agent && echo reloaded
sleep 2
echo "state $(systemctl is-active tdtop-agent)"
systemctl stop tdtop-agent && echo stopped
tdtop list --db /var/lib/private/tdtop/runs.db
journalctl -u tdtop-agent --no-pager -p 3 -o cat
echo "result $(systemctl show -P Result tdtop-agent)"
poweroff
END
chmod +x "$tree/root/go"
printf '[Unit]\nAfter=multi-user.target dbus.service\n[Service]\nExecStart=/root/go\n' >"$tree/etc/systemd/system/go.service"
ln -s ../go.service "$tree/etc/systemd/system/multi-user.target.wants/go.service"
timeout 120 systemd-nspawn -D "$tree" --boot --register=no --keep-unit --capability=CAP_PERFMON \
	--system-call-filter=perf_event_open >"$tmp/boot" 2>&1
said=$tree/root/said
[ -s "$said" ] || skip "no container could be started: $(tail -1 "$tmp/boot")"
check() { # what, words that it must have said
	if grep -qE "$2" "$said"; then passed=$((passed + 1)); else
		failed=$((failed + 1))
		echo "FAILED: $1"
		last=$said
	fi
}
check "it starts" '^started'
check "it is no root, and may only count" '^uid 6[0-9]{4} CapEff:.*0000004000000000$'
check "what it measures can be scraped" 'intervals_total\{target="sleeper".* [1-9]'
check "a cgroup has its path" 'cgroup="/.*go.service".* [1-9]'
check "and is in the file for node_exporter" 'rw-r--r--.* tdtop-agent.prom [1-9][0-9]+$'
check "it reads its file again" '^reloaded'
check "it goes on" '^state active'
check "it stops" '^stopped'
check "runs of a process of another user" ' sleeper '
check "runs of the system" ' system '
check "without a fault" '^result success'
[ -z "${last:-}" ] || tail -20 "$last" | cut -c1-200
echo "systemd: $passed passed, $failed failed"
[ $failed = 0 ]

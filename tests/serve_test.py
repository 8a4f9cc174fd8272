#!/usr/bin/env python3
"""serve_test.py TDTOP: what `tdtop serve` tells Prometheus, by HTTP and as a file: well formed (promtool), the same level 1 as
a stored run of the same seconds, and so of two hosts that a real Prometheus scrapes and adds up; what is refused; slow, many
and hostile clients. Parts whose programs are not installed say SKIP. Ends with "serve: N passed, N failed"."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

from lib import ask, check, over, prometheus, promtool, run, series, tdtop, tmp, value, wait_for

CATEGORIES = "frontend_bound", "bad_speculation", "backend_bound", "retiring"


def refused(code, words, *args):
    p = subprocess.run([tdtop, "serve", *args], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=20)
    check(" ".join(args), p.returncode == code and re.search(words, p.stderr), f"exit {p.returncode}: {p.stderr}")


class Serve:
    """A server on a free port; its end is awaited."""

    def __init__(self, *args):
        self.p = subprocess.Popen([tdtop, "serve", *args], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True)
        self.url = None
        if "--listen" in args:
            m = re.search(r"http://\S+", self.p.stderr.readline())
            self.url = m and m[0]

    def get(self, path=None, accept=None, method="GET"):
        url = self.url if path is None else self.url.replace("/metrics", path)
        r = urllib.request.Request(url, method=method, headers={"Accept": accept} if accept else {})
        try:
            with urllib.request.urlopen(r, timeout=10) as a:
                return a.status, a.headers, a.read().decode()
        except urllib.error.HTTPError as e:
            return e.code, e.headers, e.read().decode()

    def page(self, least=2):
        """The text once there are so many intervals."""
        def get():
            status, _, text = self.get()
            return text if status == 200 and value(text, "tdtop_intervals_total") >= least else None
        return wait_for(get) or ""

    def end(self):
        began = time.monotonic()
        self.p.send_signal(signal.SIGTERM)
        code = self.p.wait(20)
        return code, time.monotonic() - began


def level1(text):
    slots = {c: value(text, "tdtop_slots_total", category=c) for c in CATEGORIES}
    total = sum(slots.values())
    return {c: n / total for c, n in slots.items()} if total else {}


def near(a, b, by):
    return len(a) == len(b) == len(CATEGORIES) and all(abs(a[c] - b[c]) <= by for c in CATEGORIES)


# ---- what is refused ----
refused(2, "no target", "--textfile", tmp)
refused(2, "give ADDRESS:PORT", "--demo", "--listen", "nowhere")
refused(2, "is no address", "--demo", "--listen", "example.org:9464")
refused(2, "neither passwords nor TLS.*--insecure-listen", "--demo", "--listen", "0.0.0.0:0")
refused(2, "neither passwords nor TLS", "--demo", "--listen", "[::]:0")
refused(1, "is no folder", "--demo", "--textfile", f"{tmp}/none")
refused(2, "give NAME=VALUE", "--demo", "-L", "a-b=c")
refused(2, "tdtop gives that label itself", "--demo", "-L", "event=c")
refused(2, "given twice", "--demo", "-L", "a=b", "-L", "a=c")
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    s.listen()
    refused(1, "in use", "--demo", "--listen", f"127.0.0.1:{s.getsockname()[1]}")

# ---- by HTTP ----
web = Serve("--demo", "-I", "100ms", "--seed", "1", "--listen", "127.0.0.1:0", "-L", 'host=web "1"\\', "-L", "rack=a")
if not web.url:
    print(f"SKIP serve over HTTP: {web.p.stderr.read().strip()}")
    web.p.wait()
else:
    text = web.page(3)
    status, headers, _ = web.get()
    check("text format", headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8", headers)
    _, headers, more = web.get(accept="application/openmetrics-text; version=1.0.0")
    check("OpenMetrics", headers["Content-Type"].startswith("application/openmetrics-text") and more.endswith("\n# EOF\n"))
    check("units in OpenMetrics", "# UNIT tdtop_measured_seconds seconds\n" in more and
          "# TYPE tdtop_slots counter\n" in more and "\ntdtop_slots_total{" in more)
    check("labels are escaped", 'host="web \\"1\\"\\\\",rack="a"' in text, text[:300])
    check("simulated numbers say so", text.count('simulated="true"') == len(re.findall(r"^tdtop_", text, re.M)))
    check("each series once", len(set(re.findall(r"^(tdtop_\S*\{.*\}) ", text, re.M))) == len(re.findall(r"^tdtop_", text, re.M)))
    shares = {c: value(text, "tdtop_share_ratio", level="1", node=c.title().replace("_b", "_B").replace("_s", "_S")) for c in CATEGORIES}
    check("shares of level 1 add up", abs(sum(shares.values()) - 1) < 1e-6, shares)
    check("slots are those that were counted", abs(sum(series(text, "tdtop_slots_total").values()) /
          value(text, "tdtop_events_total", event="TOPDOWN.SLOTS:perf_metrics") - 1) < 0.01, level1(text))
    check("time on a counter", all(0 <= v <= value(text, "tdtop_event_enabled_seconds_total", event=dict(k)["event"]) + 1e-9
                                   for k, v in series(text, "tdtop_event_running_seconds_total").items()))
    later = web.page(6)
    check("counters never fall", all(series(later, n).get(k, 0) >= v for n in ("tdtop_slots_total", "tdtop_events_total",
          "tdtop_measured_seconds_total") for k, v in series(text, n).items()))
    check("a HEAD", web.get(method="HEAD")[0] == 200)
    check("nothing else is there", web.get("/etc/passwd")[0] == 404 and web.get("/")[0] == 200)
    check("nothing is taken", web.get(method="POST")[0] == 405 and web.get(method="DELETE")[0] == 405)
    host, port = re.search(r"//(.*):(\d+)/", web.url).groups()
    for hostile in (b"GET " + b"/" * 100000 + b" HTTP/1.1\r\n\r\n", b"\0\xff" * 5000, b"GET /metrics HTTP/1.1\r\nX: " + b"a" * 1000000):
        with socket.create_connection((host, int(port)), 5) as c:
            try:
                c.sendall(hostile)
                c.settimeout(1)
                c.recv(100)
            except OSError:
                pass
    slow = [socket.create_connection((host, int(port)), 5) for _ in range(20)]  # who never asks
    for c in slow:
        c.sendall(b"GET /metrics HTTP/1.1\r\n")
    errors = []

    def scrape():
        for _ in range(250):
            try:
                if web.get()[0] != 200:
                    errors.append("status")
            except OSError as e:
                errors.append(e)
    threads = [threading.Thread(target=scrape) for _ in range(4)]
    before = value(web.page(1), "tdtop_intervals_total")
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check("1,000 scrapes beside 20 clients that wait", not errors, errors[:3])
    check("measuring goes on meanwhile", value(web.page(before + 1), "tdtop_intervals_total") > before)
    for c in slow:
        c.close()
    promtool("text", text)
    promtool("OpenMetrics of a moment later", later)
    code, took = web.end()
    check("SIGTERM ends it", code == 0 and took < 3, f"exit {code} after {took:.1f} s")

# ---- the dashboard uses what there is ----
board = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../docs/grafana.json")))
asked = set(re.findall(r"\btdtop_\w+", json.dumps(board))) - {"tdtop"}
if web.url:
    given = set(re.findall(r"^(tdtop_\w+)\{", later, re.M))
    check("the dashboard asks for series that there are", len(asked) >= 6 and asked <= given, asked - given)

# ---- as a file: the level 1 of a run of the same intervals ----
folder = f"{tmp}/textfile"
os.mkdir(folder)
one = Serve("--demo", "-I", "200ms", "--seed", "7", "-n", "10", "--textfile", folder)
path, pages = f"{folder}/tdtop-demo.prom", {}
while one.p.poll() is None:
    try:
        with open(path) as f:
            text = f.read()
        pages[int(value(text, "tdtop_intervals_total"))] = text
    except OSError:
        pass
    time.sleep(0.02)
check("it ends by itself, without a word", one.p.returncode == 0 and not one.p.stderr.read())
check("each file is whole", pages and all(p.endswith("\n") and level1(p) for p in pages.values()))
check("the file goes with what was measured", os.listdir(folder) == [], os.listdir(folder))
n = max(pages, default=0)
run = subprocess.run([tdtop, "collect", "--demo", "--seed", "7", "-I", "200ms", "-n", str(n)], capture_output=True, text=True).stdout.strip()
whole = json.loads(subprocess.run([tdtop, "export", run], capture_output=True, text=True).stdout or "{}")
stored = {m["path"].lower(): m["value"] for m in whole.get("nodes", []) if m["path"].lower() in CATEGORIES}
check(f"level 1 of {n} intervals is that of the stored run", near(level1(pages.get(n, "")), stored, 1e-6), (level1(pages.get(n, "")), stored))
os.chmod(folder, 0o500)
if os.geteuid() != 0:
    two = Serve("--demo", "-I", "100ms", "-n", "3", "--textfile", folder)
    words = two.p.communicate(timeout=20)[1]
    check("a folder that cannot be written is said once", two.p.returncode == 0 and words.count("tried again") == 1, words)
os.chmod(folder, 0o700)

# ---- a real process ----
spin = subprocess.Popen([sys.executable, "-c", "while True: pass"])
real = Serve("-p", str(spin.pid), "-I", "100ms", "--textfile", folder)
text = wait_for(lambda: next((t for t in (open(f"{folder}/{f}").read() for f in os.listdir(folder) if f.endswith(".prom"))
                              if value(t, "tdtop_intervals_total") >= 3), None)) or ""
check("a real process", "simulated" not in text and value(text, "tdtop_target_up") == 1 and
      re.search(r'^tdtop_model_info\{target="python3[^"]*",model="', text, re.M), text[:300])
spin.kill()
spin.wait()
code = real.p.wait(20)
check("it ends with the process, and the file is gone", code == 0 and not os.listdir(folder), (code, os.listdir(folder)))


# ---- two hosts, scraped and added up ----
if web.url and shutil.which("prometheus"):
    servers = [Serve("--demo", "-I", "200ms", "--seed", seed, "--listen", "127.0.0.1:0", "-L", f"host=h{seed}") for seed in "12"]
    with prometheus([s.url for s in servers]) as port:
        query = "sum by (category) (tdtop_slots_total) / ignoring (category) group_left sum(tdtop_slots_total)"
        up = wait_for(lambda: len(ask(port, "tdtop_intervals_total > 8")) == 2, 60)
        check("Prometheus scrapes both", up, ask(port, "up"))
        got = {r["metric"]["category"]: float(r["value"][1]) for r in ask(port, query)}
        both = "\n".join(s.page(1) for s in servers)
        check("its sum over hosts is the level 1 of both", near(got, level1(both), 0.02), (got, level1(both)))
        rate = "sum by (category) (rate(tdtop_slots_total[10s])) / ignoring (category) group_left sum(rate(tdtop_slots_total[10s]))"
        got = {r["metric"]["category"]: float(r["value"][1]) for r in wait_for(lambda: ask(port, rate)) or []}
        check("rates add up to 1", len(got) == 4 and abs(sum(got.values()) - 1) < 1e-6, got)
        for panel in board["panels"]:
            for t in panel["targets"]:
                e = t["expr"].replace("$__rate_interval", "10s").replace("$target", ".*").replace("$instance", ".*")
                check(f"the dashboard: {panel['title']}", wait_for(lambda: ask(port, e)), e)
        check("hosts are told apart", {r["metric"]["host"] for r in ask(port, "tdtop_target_up")} == {"h1", "h2"})
        servers[0].end()
        check("what has ended is not up any more", wait_for(lambda: [r for r in ask(port, "up") if r["value"][1] == "0"], 20))
    servers[1].end()
else:
    print("SKIP a real Prometheus: not installed (package prometheus), or no HTTP")

over("serve")

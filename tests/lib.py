"""What the Python tests of the command line share: from lib import *. A user without settings or runs in a folder of its own."""
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

tdtop = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/release/tdtop")
tmp = tempfile.mkdtemp()
os.environ.update(HOME=tmp, XDG_CONFIG_HOME=f"{tmp}/config", TDTOP_DB=f"{tmp}/runs.db", TMPDIR=tmp, LC_ALL="C.UTF-8", TZ="UTC")
count = {True: 0, False: 0}


def check(what, ok, words=""):
    count[bool(ok)] += 1
    if not ok:
        print(f"FAILED: {what}: {str(words)[:900]}")


def run(*args, **more):
    return subprocess.run([tdtop, *args], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, **more)


def wait_for(what, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        got = what()
        if got:
            return got
        time.sleep(0.05)
    return what()


# ---- series for Prometheus ----
def fetch(url, accept=None):
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": accept} if accept else {}), timeout=10) as a:
        return a.read().decode()


def series(text, name):
    """{labels as a tuple: value}"""
    out = {}
    for m in re.finditer(rf"^{name}\{{(.*)\}} (\S+)$", text, re.M):
        out[tuple(sorted(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', m[1])))] = float(m[2])
    return out


def value(text, name, **labels):
    return sum(v for k, v in series(text, name).items() if set(labels.items()) <= set(k))


def promtool(what, text):
    if not shutil.which("promtool"):
        print("SKIP promtool: not installed (package prometheus)")
        return
    p = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
    check(f"promtool check metrics: {what}", text and p.returncode == 0 and not p.stdout + p.stderr, p.stdout + p.stderr)


@contextlib.contextmanager
def prometheus(urls):
    """A real one that scrapes them twice a second, while it lasts: its port; None: it is not installed."""
    if not shutil.which("prometheus"):
        yield None
        return
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    with open(f"{tmp}/prometheus.yml", "w") as f:
        json.dump({"global": {"scrape_interval": "500ms"}, "scrape_configs": [
            {"job_name": "tdtop", "static_configs": [{"targets": [re.search(r"//([^/]*)/", url)[1] for url in urls]}]}]}, f)
    p = subprocess.Popen(["prometheus", f"--config.file={tmp}/prometheus.yml", f"--storage.tsdb.path={tmp}/tsdb",
                          f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield port
    finally:
        p.terminate()
        p.wait(20)


def ask(port, query):
    url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
    try:
        return json.loads(fetch(url))["data"]["result"]
    except OSError:
        return []


def over(name):
    shutil.rmtree(tmp, ignore_errors=True)
    print(f"{name}: {count[True]} passed, {count[False]} failed")
    sys.exit(count[False] > 0)

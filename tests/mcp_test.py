#!/usr/bin/env python3
"""mcp_test.py TDTOP [--sdk]: `tdtop mcp`: every revision of the protocol, every tool and resource, against what the verbs print; what
is wrong or hostile; pages. With --sdk the clients of npm's @modelcontextprotocol/sdk and .../client, and its inspector, speak
with it; without npm or the registry they say SKIP. Ends with "mcp: N passed, N failed"."""
import atexit
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

from lib import check, over, run, tdtop, tmp, wait_for

here = os.path.dirname(os.path.abspath(__file__))
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
TOOLS = {"list_profiling_runs", "query_bottlenecks", "query_by_bottleneck", "get_funnel", "compare_runs", "compare_by_labels",
         "explain_metric", "where_in_code"}


def talk(*lines, args=()):
    """What is answered to these lines, of which each is a text or an object."""
    text = "".join((m if isinstance(m, str) else json.dumps(m)) + "\n" for m in lines)
    p = subprocess.run([tdtop, "mcp", *args], input=text, capture_output=True, text=True, timeout=120)
    check("exit, and nothing on standard error", p.returncode == 0 and not p.stderr, p.stderr)
    return [json.loads(line) for line in p.stdout.splitlines()]


def ask(method, params=None, id=1, **more):
    return {"jsonrpc": "2.0", "id": id, "method": method, **({"params": params} if params is not None else {}), **more}


def call(tool, /, modern=False, args=(), **arguments):
    params = {"name": tool, "arguments": arguments, **({"_meta": MODERN} if modern else {})}
    return talk(ask("tools/call", params), args=args)[0]["result"]


def revisions():
    for version in ("2025-11-25", "2025-06-18", "2024-11-05"):
        a = talk(ask("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
                 {"jsonrpc": "2.0", "method": "notifications/initialized"}, ask("ping", id="two"))
        check(f"initialize {version}", len(a) == 2 and a[0]["result"]["protocolVersion"] == version and
              a[0]["result"]["serverInfo"]["name"] == "tdtop" and a[1] == {"jsonrpc": "2.0", "id": "two", "result": {}}, a)
    a = talk(ask("initialize", {"protocolVersion": "2099-01-01", "capabilities": {}}))
    check("initialize: another revision gets the newest of its kind", a[0]["result"]["protocolVersion"] == "2025-11-25", a)
    r = talk(ask("server/discover", {"_meta": MODERN}))[0]["result"]
    check("server/discover", r["supportedVersions"] == ["2026-07-28"] and r["resultType"] == "complete" and
          r["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "tdtop" and "tools" in r["capabilities"], r)
    a = talk(ask("initialize", {"_meta": MODERN, "protocolVersion": "2025-11-25"}), ask("ping", {"_meta": MODERN}),
             ask("tools/list", {"_meta": {**MODERN, "io.modelcontextprotocol/protocolVersion": "2027-01-01"}}))
    check("stateless: what is gone", [m["error"]["code"] for m in a] == [-32601, -32601, -32022] and
          "2026-07-28" in a[2]["error"]["data"]["supported"] and a[2]["error"]["data"]["requested"] == "2027-01-01", a)


def tools():
    for s in range(3):
        run("collect", "--demo", "-d", "30", "--seed", str(s), "-L", "build=old")
        run("collect", "--demo", "-d", "90", "--seed", str(s + 10), "-L", "build=new")
    listed = talk(ask("tools/list"))[0]["result"]["tools"]
    check("tools", {t["name"] for t in listed} == TOOLS and all(t["annotations"]["readOnlyHint"] for t in listed), listed)
    check("tools: schemas", all(t["inputSchema"]["type"] == "object" and t["inputSchema"]["additionalProperties"] is False and
                                all(f["description"] for f in t["inputSchema"]["properties"].values()) for t in listed), listed)
    r = call("query_bottlenecks", modern=True)
    s = r["structuredContent"]
    direct = json.loads(run("query", "--bottlenecks", "-j").stdout)
    same = [(e["metric_name"], round(e["value"], 2)) for e in s["entries"]] == [(e["metric_name"], round(e["value"], 2)) for e in direct["entries"]]
    check("query_bottlenecks: as the verb", same and json.loads(r["content"][0]["text"]) == s and r["resultType"] == "complete", s["entries"][:2])
    check("query_bottlenecks: ±, duty, what is ruled out, what would decide", all("err" in e and "duty" in e for e in s["entries"]) and
          any(re.match(r"Bad_Speculation: [\d.]+% ± [\d.]+, below its threshold of \d+%$", w) for w in s["ruled_out"]) and
          s["open"] == [] and s["not_known"] == [] and
          any("explain_metric" in w for w in s["next"]) and any("compare_by_labels" in w for w in s["next"]), (s["ruled_out"], s["next"]))
    r = call("get_funnel", run="@1", level=1)["structuredContent"]
    check("get_funnel", [e["level"] for e in r["entries"]] == [1] * 4, r)
    r = call("list_profiling_runs", filter=["build=old"], limit=2)["structuredContent"]
    check("list_profiling_runs", len(r["items"]) == 2 and all(i["labels"]["build"] == "old" for i in r["items"]), r)
    for what, none in (("such", call("list_profiling_runs", process="nobody")),
                       ("store", call("list_profiling_runs", args=["--db", f"{tmp}/none.db"]))):
        check(f"list_profiling_runs: no {what}", none["structuredContent"] == {"items": []} and not none["isError"], none)
    ids = [i["run_id"] for i in call("list_profiling_runs")["structuredContent"]["items"]]
    r = call("compare_runs", a=ids[0], b=ids[1])
    check("compare_runs", not r["isError"] and "verdicts" in r["structuredContent"] and
          all(m["verdict"] != "noise" for m in r["structuredContent"]["metrics"]), r)
    r = call("compare_by_labels", labels_a=["build=old"], labels_b=["build=new"], metric=["IPC"])["structuredContent"]
    check("compare_by_labels", r["run_a"]["runs"] == r["run_b"]["runs"] == 3 and [m["metric_name"] for m in r["metrics"]] == ["IPC"], r)
    r = call("query_by_bottleneck", node="Backend_Bound", min_pct=1)
    check("query_by_bottleneck", not r["isError"] and len(json.dumps(r)) > 500, r)
    r = call("explain_metric", name="L3_Bound")
    check("explain_metric", not r["isError"] and "L3" in r["content"][0]["text"], r)
    r = call("where_in_code", run="@0")
    check("where_in_code: without samples it says so", r["isError"] and "where" in r["content"][0]["text"], r)
    r = call("collect_topdown", all=True, duration="1s")
    check("collect_topdown: only when it is allowed", r["isError"] and "--allow-collect" in r["content"][0]["text"], r)
    r = call("collect_topdown", args=["--allow-collect"], all=True, duration="1s", page=2)
    check("collect_topdown: its answer is not measured again for another page", r["isError"] and "no argument page" in r["content"][0]["text"], r)
    n = len(json.loads(run("list", "-n", "0", "-j").stdout))
    r = call("collect_topdown", args=["--allow-collect"], all=True, duration="1s", labels=["by=mcp"])
    check("collect_topdown", not r["isError"] and r["structuredContent"]["labels"]["by"] == "mcp" and "next" in r["structuredContent"] and
          len(json.loads(run("list", "-n", "0", "-j").stdout)) == n + 1, r)


def wrong():
    for words, name, arguments in (("name: it is missing", "explain_metric", {}), ("begins with -", "explain_metric", {"name": "--all"}),
                                   ("give a text", "explain_metric", {"name": 5}), ("no argument x", "get_funnel", {"x": 1}),
                                   ("give a number", "get_funnel", {"level": "all"}), ("give a list", "compare_by_labels", {"labels_a": "a=b", "labels_b": []}),
                                   ("no run", "get_funnel", {"run": "ffffffff"}), ("page: there are 1", "get_funnel", {"level": 1, "page": 9})):
        r = call(name, **arguments)
        check(f"{name} {arguments}", r["isError"] and words in r["content"][0]["text"], r)
    for code, line in ((-32700, "{"), (-32700, "nul"), (-32600, "[]"), (-32600, "{}"), (-32600, '{"id":[],"method":"ping"}'),
                       (-32601, ask("prompts/list")), (-32602, ask("tools/call", {})), (-32602, ask("tools/call", {"name": "nope"})),
                       (-32602, ask("tools/call", {"name": "x" * 79 + "\u00e9"})), (-32601, ask("y" * 99 + "\u00e9")),
                       (-32602, ask("ping", [])), (-32602, ask("resources/read", {})), (-32002, ask("resources/read", {"uri": "file:///etc/passwd"})),
                       (-32002, ask("resources/read", {"uri": "tdtop://explanations/--all"})), (-32002, ask("resources/read", {"uri": "tdtop://runs/a b"})),
                       (-32602, ask("ping", {"_meta": {"io.modelcontextprotocol/protocolVersion": 1}})), (-32700, '{"a":1,"a":2}'),
                       (-32700, '{"a":"\\u0000"}'), (-32700, "[" * 100000)):
        a = talk(line)
        check(f"{str(line)[:60]}", len(a) == 1 and a[0]["error"]["code"] == code, a)
    check("answers and notifications are not answered", talk({"jsonrpc": "2.0", "method": "notifications/cancelled"}, "", "  \r",
                                                             {"jsonrpc": "2.0", "id": 1, "result": {}}) == [])
    a = talk("x" * (100 << 20), ask("ping", id=7))
    check("100 MB, then it goes on", a[0]["error"]["code"] == -32600 and a[1]["id"] == 7, a)
    p = subprocess.Popen([tdtop, "mcp", "--allow-collect"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    p.stdin.write(json.dumps(ask("tools/call", {"name": "collect_topdown", "arguments": {"all": True, "duration": "60s"}})) + "\n")
    p.stdin.flush()
    time.sleep(0.5)
    p.stdin.close()
    p.stdout.close()
    begin = time.monotonic()
    p.wait(timeout=20)
    check("a client that goes ends what was begun for it", time.monotonic() - begin < 5, time.monotonic() - begin)


def resources():
    a = talk(ask("resources/list"), ask("resources/templates/list"))
    uris = [r["uri"] for r in a[0]["result"]["resources"]]
    check("resources", uris == ["tdtop://runs", "tdtop://models", "tdtop://explanations"] and
          [t["uriTemplate"] for t in a[1]["result"]["resourceTemplates"]] == [f"{u}/{{name}}" for u in uris], a)
    for uri in uris + ["tdtop://runs/@0", "tdtop://models/spr", "tdtop://explanations/DRAM_Bound"]:
        r = talk(ask("resources/read", {"uri": uri, "_meta": MODERN}))[0]["result"]
        c = r["contents"][0]
        whole = json.loads(c["text"]) if c["mimeType"] == "application/json" else len(c["text"]) > 100
        check(uri, c["uri"] == uri and whole and r["cacheScope"] == "private" and r["ttlMs"] >= 0, c["text"][:200])


def pages():
    first = call("compare_runs", a="@0", b="@1", metric=[])
    whole = call("get_funnel", level=0, run="@1")
    if "structuredContent" in whole:
        text = run("query", "@1", "--funnel", "-l", "0", "-j").stdout
        check("an answer of one page is whole", len(json.dumps(whole["structuredContent"])) < 61440 * 2 and text, len(text))
        return
    got, page = "", 1
    while True:
        r = call("get_funnel", level=0, run="@1", page=page)
        got += r["content"][0]["text"]
        if f"of {page};" in r["content"][1]["text"]:
            break
        page += 1
    check("pages: all of them are the whole", json.loads(got)["run_id"] and page > 1, (page, got[:100]))
    check("pages: none is larger than 60 kB", len(whole["content"][0]["text"].encode()) <= 61440 + 4, len(whole["content"][0]["text"]))
    return first


def http_live(post, usual, port):
    """Who listens over HTTP has a stream of events. Returns one that is open, and what it is of."""
    p, uri = probe(own, stopped=True), f"tdtop://live/{own}"
    headers = {**usual, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"}

    def listen(*uris):
        c = HTTPConnection("127.0.0.1", port, timeout=20)
        c.request("POST", "/mcp", body=json.dumps(ask("subscriptions/listen", {"_meta": MODERN, "notifications": {"resourceSubscriptions": uris}}, id="s")), headers=headers)
        return c, c.getresponse()

    def event(r):
        line = r.readline()
        while not line.startswith(b"data:"):
            line = r.readline()
        return json.loads(line[5:])

    status, a = post(ask("resources/subscribe", {"uri": uri}))
    check("http: resources/subscribe has no way back", a["error"]["code"] == -32601 and "2026-07-28" in a["error"]["message"] and
          post(ask("initialize", {"protocolVersion": "2025-11-25"}))[1]["result"]["capabilities"]["resources"] == {}, a)
    c, r = listen("tdtop://runs")
    check("http: nothing to listen to", r.getheader("Content-Type") == "application/json" and json.loads(r.read())["error"]["code"] == -32602)
    c, r = listen(uri)
    check("http: a stream", r.status == 200 and r.getheader("Content-Type") == "text/event-stream" and r.getheader("X-Accel-Buffering") == "no")
    check("http: acknowledged", event(r)["params"]["notifications"] == {"resourceSubscriptions": [uri]})
    check("http: a change", event(r)["params"]["uri"] == uri)
    os.kill(p.pid, signal.SIGCONT)
    check("http: the verdict changes", event(r)["method"] == "notifications/resources/updated" and
          json.loads(post(ask("resources/read", {"uri": uri}))[1]["result"]["contents"][0]["text"])["verdict"] != "mostly idle")
    c2, r2 = listen(uri)
    event(r2)
    measured = lambda: json.loads(post(ask("resources/read", {"uri": "tdtop://live"}))[1]["result"]["contents"][0]["text"])["targets"]
    r.close()
    c.close()
    r2.close()
    c2.close()
    check("http: who goes listens no more", wait_for(lambda: not measured()[0]["subscribed"]), measured())
    c, r = listen(uri)
    event(r)
    return r, p


def sdk():
    if "--sdk" not in sys.argv:
        return
    if not shutil.which("npm") or not shutil.which("node"):
        print("SKIP mcp: npm is not installed")
        return
    for name in ("before.mjs", "stateless.mjs", "http.mjs", "live.mjs"):
        shutil.copy(f"{here}/mcp/{name}", tmp)
    p = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "@modelcontextprotocol/sdk", "@modelcontextprotocol/client",
                        "@modelcontextprotocol/inspector"], cwd=tmp, capture_output=True, text=True, timeout=300)
    if p.returncode:
        print("SKIP mcp: npm could not install the clients:", p.stderr[-200:].replace("\n", " "))
        return
    got = {}
    for name in ("before", "stateless"):
        p = subprocess.run(["node", f"{name}.mjs", tdtop], cwd=tmp, capture_output=True, text=True, timeout=120)
        got[name] = {m["what"]: m["value"] for m in map(json.loads, p.stdout.splitlines())}
        check(f"sdk: {name}", p.returncode == 0 and got[name], p.stderr)
    b, s = got["before"], got["stateless"]
    check("sdk: initialize", b.get("server", {}).get("name") == "tdtop" and set(b["tools"]) == TOOLS | {"collect_topdown"} and
          b["call"]["structuredContent"]["next"] and not b["collect"]["isError"] and b["none"] == -32002 and
          "L3" in b["read"]["contents"][0]["text"], b)
    check("sdk: stateless", s.get("revision") == "2026-07-28" and set(s["tools"]) == TOOLS and
          len(s["call"]["structuredContent"]["entries"]) == 4 and s["read"]["contents"][0]["uri"] == "tdtop://runs", s)
    with open(f"{tmp}/token", "w") as f:
        f.write("0123456789abcdef0123\n")
    os.chmod(f"{tmp}/token", 0o600)
    server = subprocess.Popen([tdtop, "mcp", "--listen", "127.0.0.1:0", "--token-file", f"{tmp}/token"], stderr=subprocess.PIPE, text=True)
    url = re.search(r"http://\S+", server.stderr.readline())[0]
    p = subprocess.run(["node", "http.mjs", url, "0123456789abcdef0123"], cwd=tmp, capture_output=True, text=True, timeout=120)
    server.terminate()
    h = {m["what"]: m["value"] for m in map(json.loads, p.stdout.splitlines())}
    check("sdk: http", p.returncode == 0 and set(h["tools"]) == TOOLS and h["call"]["structuredContent"]["next"], p.stderr[-600:])
    check("sdk: http, stateless", h.get("revision") == "2026-07-28" and len(h["funnel"]["structuredContent"]["entries"]) == 4 and
          h["read"]["contents"][0]["uri"] == "tdtop://runs", (h.get("revision"), p.stderr[-600:]))
    check("sdk: http, without a token", "Bearer TOKEN" in h.get("refused", ""), h.get("refused"))
    server = subprocess.Popen([tdtop, "mcp", "--allow-collect", "--listen", "127.0.0.1:0", "--token-file", f"{tmp}/token"], stderr=subprocess.PIPE, text=True)
    url, busy = re.search(r"http://\S+", server.stderr.readline())[0], probe(own)
    uri = f"tdtop://live/{own}"
    p = subprocess.run(["node", "live.mjs", tdtop, uri, url, "0123456789abcdef0123"], cwd=tmp, capture_output=True, text=True, timeout=120)
    server.terminate()
    kill(busy)
    v = {m["what"]: m["value"] for m in map(json.loads, p.stdout.splitlines())}
    check("sdk: subscribe, a message, read, unsubscribe", p.returncode == 0 and v["before"]["can"] == {"subscribe": True} and v["before"]["told"] == uri and
          v["before"]["read"]["state"] == "measured" and v["before"]["left"] == {} and not v["free"]["targets"][0]["subscribed"], (v, p.stderr[-600:]))
    for name in ("stateless", "http"):
        check(f"sdk: listen, {name}", v[name]["heard"] == {"resourceSubscriptions": [uri]} and v[name]["told"] == uri and v[name]["read"]["level1"] and
              not v[name]["free"]["targets"][0]["subscribed"], v.get(name))
    p = subprocess.run(["npx", "@modelcontextprotocol/inspector", "--cli", tdtop, "mcp", "--method", "tools/list"], cwd=tmp,
                       capture_output=True, text=True, timeout=120)
    check("inspector", p.returncode == 0 and {t["name"] for t in json.loads(p.stdout)["tools"]} == TOOLS, p.stderr + p.stdout[:300])


def cancelled():
    """A request that is cancelled is not answered, ends what it began, and keeps nobody else waiting."""
    p = subprocess.Popen([tdtop, "mcp", "--allow-collect"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tell(*messages):
        p.stdin.write("".join(json.dumps(m) + "\n" for m in messages))
        p.stdin.flush()

    def cancel(id):
        tell({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id, "reason": "test"}})

    children = lambda: subprocess.run(["pgrep", "-P", str(p.pid)], capture_output=True, text=True).stdout
    tell(ask("tools/call", {"name": "collect_topdown", "arguments": {"all": True, "duration": "100s"}}, id="long"), ask("ping", id=2), ask("ping", id=3))
    check("cancel: it measures", wait_for(children))
    begun = time.monotonic()
    cancel("another")
    cancel(3)
    cancel("long")
    check("cancel: the next is answered", json.loads(p.stdout.readline()) == {"jsonrpc": "2.0", "id": 2, "result": {}} and time.monotonic() - begun < 8)
    check("cancel: what it began has ended", wait_for(lambda: not children()))
    tell(ask("ping", id=4))
    check("cancel: one that waited is not answered either", json.loads(p.stdout.readline())["id"] == 4)
    cancel(4)
    tell(ask("ping", id=4))
    check("cancel: one that is over changes nothing", json.loads(p.stdout.readline())["id"] == 4)
    p.stdin.close()
    check("cancel: the end", p.wait(20) == 0)


class Server:
    """A server that goes on while it is spoken with: what it says is read as it comes."""

    def __init__(self, *args):
        self.p = subprocess.Popen([tdtop, "mcp", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.heard = queue.Queue()
        threading.Thread(target=lambda: [self.heard.put(json.loads(line)) for line in self.p.stdout], daemon=True).start()
        self.told = []  # messages that answer nothing

    def tell(self, *messages):
        self.p.stdin.write("".join(json.dumps(m) + "\n" for m in messages))
        self.p.stdin.flush()

    def ask(self, method, params=None, id=1, seconds=30):
        self.tell(ask(method, params, id=id))
        return self.until(lambda m: m.get("id") == id, seconds)

    def until(self, fits, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                m = self.heard.get(timeout=0.2)
            except queue.Empty:
                continue
            if fits(m):
                return m
            self.told.append(m)
        return None

    def read(self, uri, **meta):
        r = self.ask("resources/read", {"uri": uri, **meta})
        return json.loads(r["result"]["contents"][0]["text"]) if "result" in r else r["error"]

    def changed(self, uri, seconds=30):
        fits = lambda m: m.get("method") == "notifications/resources/updated" and m["params"]["uri"] == uri
        found = [m for m in self.told if fits(m)]
        self.told = [m for m in self.told if not fits(m)]
        return found[0] if found else self.until(fits, seconds)

    def end(self, what):
        begun = time.monotonic()
        if what == "SIGTERM":
            self.p.terminate()
        else:
            self.p.stdin.close()
        code = self.p.wait(20)
        took = time.monotonic() - begun
        check(f"live: {what} ends it within a second", code == 0 and took < (1 if "release" in tdtop else 5), (code, took))


own = f"mcp{os.getpid()}"  # before the names of processes, of which others may have the same


def probe(name, stopped=False):
    """A process of that name that is busy, once it is let go."""
    path = f"{tmp}/{name}"
    if not os.path.exists(path):
        shutil.copy("/bin/sh", path)
    p = subprocess.Popen([path, "-c", ("kill -STOP $$; " if stopped else "") + "while :; do :; done"])
    atexit.register(p.kill)
    name_of = lambda: open(f"/proc/{p.pid}/stat").read().split()[1:3]
    wait_for(lambda: name_of()[0] == f"({name})" and (not stopped or name_of()[1] == "T"))
    return p


def kill(*processes):
    for p in processes:
        p.kill()
        p.wait()


def live():
    """What limits a process now; and that it is told when that changes."""
    a = talk(ask("resources/list"), ask("initialize", {"protocolVersion": "2025-11-25"}), ask("resources/read", {"uri": "tdtop://live/sh"}),
             ask("resources/read", {"uri": "tdtop://live"}), ask("resources/subscribe", {"uri": "tdtop://live/sh"}),
             ask("subscriptions/listen", {"_meta": MODERN, "notifications": {"resourceSubscriptions": ["tdtop://live/sh"]}}))
    check("live: not without --allow-collect", "live" not in json.dumps(a[0]) and a[1]["result"]["capabilities"]["resources"] == {} and
          all("--allow-collect" in m["error"]["message"] for m in a[2:]) and [m["error"]["code"] for m in a[2:]] == [-32002, -32002, -32601, -32601], a)
    a = talk(ask("resources/list"), ask("resources/templates/list"), ask("initialize", {"protocolVersion": "2024-11-05"}),
             ask("server/discover", {"_meta": MODERN}), args=["--allow-collect"])
    check("live: offered", a[0]["result"]["resources"][3]["uri"] == "tdtop://live" and a[1]["result"]["resourceTemplates"][3]["uriTemplate"] == "tdtop://live/{target}" and
          all(m["result"]["capabilities"]["resources"] == {"subscribe": True} for m in a[2:]), a)
    p = probe(own, stopped=True)
    s, uri = Server("--allow-collect"), f"tdtop://live/{own}"
    begun = time.monotonic()
    r = s.read(uri)
    check("live: the first interval", r["state"] == "measured" and r["live"] == own and 0.9 < time.monotonic() - begun < 10 and
          0.5 < r["duration"] < 3 and 1 <= r["samples"] <= 3 and str(p.pid) in r["target"] and r["model"] and "run_id" not in r, r)
    check("live: as query_bottlenecks, of level 1 and of the path", all("err" in e and "duty" in e and "reason" in e for e in r["level1"]) and len(r["level1"]) >= 4 and
          {"entries", "path", "ruled_out", "open", "not_known", "next"} <= set(r) and "CPUs_Utilized" in [v["metric_name"] for v in r["vital_signs"]], r)
    check("live: idle", r["verdict"] == "mostly idle", r["verdict"])
    check("live: subscribe", s.ask("resources/subscribe", {"uri": uri})["result"] == {} and s.ask("resources/subscribe", {"uri": uri})["result"] == {})
    check("live: what is measured", s.read("tdtop://live")["targets"] == [{"live": own, "state": "measured", "subscribed": True}])
    m = s.changed(uri, 5)
    check("live: the first message", m == {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}, m)
    os.kill(p.pid, signal.SIGCONT)
    for _ in range(4): # beside other tests it may not be over a threshold at once
        m = s.changed(uri, 12)
        r = s.read(uri)
        if r["path"]:
            break
    check("live: the verdict changes", m and r["verdict"] != "mostly idle" and r["path"] and r["path"][-1]["path"] == r["bottleneck"] == r["verdict"], (m, r["verdict"]))
    other = "tdtop://live/" + "".join(f"%{b:02x}" for b in own.encode())
    check("live: a name with escapes is the same", s.read(other)["live"] == own and len(s.read("tdtop://live")["targets"]) == 1)
    kill(p)
    check("live: it has ended", s.changed(uri, 8))
    r = s.read(uri)
    check("live: that is told, without a verdict of what is gone", r == {"live": own, "state": "not there"}, r)
    p = probe(own)
    check("live: it has come again", s.changed(uri, 8))
    r = s.read(uri)
    check("live: and is measured, without what was before", r["state"] == "measured" and str(p.pid) in r["target"] and r["duration"] < 6, r)
    check("live: unsubscribe", s.ask("resources/unsubscribe", {"uri": uri})["result"] == {} and
          s.read("tdtop://live")["targets"][0]["subscribed"] is False and s.ask("resources/unsubscribe", {"uri": "tdtop://live/x"})["result"] == {})
    s.told.clear()
    kill(p)
    check("live: silent then", s.changed(uri, 3) is None)
    check("live: one that has ended goes once that was told", s.read(uri)["state"] == "not there" and wait_for(lambda: not s.read("tdtop://live")["targets"]))
    e = s.read(uri)
    check("live: absent", e["code"] == -32002 and "no process of that name" in e["message"], e)
    s.end("end of input")


def live_many():
    """Four targets at once; what is nonsense; a client that does not read."""
    names = [f"{own}-{i}" for i in range(5)]
    all_of = [probe(n, stopped=True) for n in names]
    s = Server("--allow-collect")
    for i, p in enumerate(all_of[:4]):
        s.ask("resources/subscribe", {"uri": f"tdtop://live/{p.pid if i % 2 else names[i]}"})
    e = s.ask("resources/subscribe", {"uri": f"tdtop://live/{own}-4"})
    check("live: no fifth", e["error"]["code"] == -32602 and "4 targets are measured already" in e["error"]["message"] and f"{own}-0" in e["error"]["message"], e)
    check("live: nor by a read", "4 targets" in s.read(f"tdtop://live/{own}-4")["message"])
    for uri in ("tdtop://live", "tdtop://live/", "tdtop://runs", "tdtop://runs/@0", "x", "", "tdtop://live/%", "tdtop://live/%zz", "tdtop://live/%00", "tdtop://live/a%0ab",
                "tdtop://live/" + "x" * 600, "tdtop://live/%ff", "file:///etc/passwd", "tdtop://live/\u202e"):
        e = s.ask("resources/subscribe", {"uri": uri})
        check(f"live: subscribe to {uri[:40]!r}", "only tdtop://live/TARGET" in e.get("error", {}).get("message", ""), e)
    check("live: uri is no text", s.ask("resources/subscribe", {"uri": 5})["error"]["code"] == -32602 and s.ask("resources/subscribe", {})["error"]["code"] == -32602)
    begun = time.monotonic()
    for i in range(10000):
        s.tell(ask("resources/subscribe", {"uri": f"tdtop://live/{'nobody-%d' % i if i % 2 else 4000000 + i}"}, id=i + 10))
    got = [s.until(lambda m, i=i: m.get("id") == i + 10) for i in range(10000)]
    check("live: 10,000 subscriptions", all("4 targets" in m["error"]["message"] for m in got) and time.monotonic() - begun < (20 if "release" in tdtop else 200), time.monotonic() - begun)
    check("live: and as many to one", len([s.tell(ask("resources/subscribe", {"uri": f"tdtop://live/{own}-0"}, id=i + 10)) for i in range(10000)]) == 10000 and
          s.ask("ping", id="last")["result"] == {} and len(s.read("tdtop://live")["targets"]) == 4)
    p = subprocess.run(["ps", "-o", "rss=", "-p", str(s.p.pid)], capture_output=True, text=True)
    check("live: memory", int(p.stdout) < (60000 if "release" in tdtop else 2000000), p.stdout)
    s.end("SIGTERM")

    s = Server("--allow-collect")
    e = s.ask("resources/subscribe", {"uri": "tdtop://live/4194399"})
    check("live: a pid that there is not", "no such process" in e["error"]["message"], e)
    check("live: a name that is to come", s.ask("resources/subscribe", {"uri": f"tdtop://live/{own}-c"})["result"] == {} and s.read(f"tdtop://live/{own}-c") == {"live": f"{own}-c", "state": "not there"})
    late = probe(f"{own}-c")
    check("live: it has come", s.changed(f"tdtop://live/{own}-c", 8) and s.read(f"tdtop://live/{own}-c")["state"] == "measured")
    s.tell(ask("resources/read", {"uri": f"tdtop://live/{own}-1"}, id="slow"), {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}}, ask("ping", id="after"))
    begun = time.monotonic()
    check("live: a read that waits is cancelled", s.until(lambda m: m.get("id") in ("slow", "after"))["id"] == "after" and time.monotonic() - begun < 0.9)
    s.end("SIGTERM")

    p = subprocess.Popen([tdtop, "mcp", "--allow-collect"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    p.stdin.write((json.dumps(ask("resources/subscribe", {"uri": f"tdtop://live/{own}-c"})) + "\n" + (json.dumps(ask("resources/list")) + "\n") * 200).encode())
    p.stdin.flush()
    time.sleep(3)  # its pipe is full
    cpu = lambda: sum(map(int, open(f"/proc/{p.pid}/stat").read().rsplit(")", 1)[1].split()[11:13]))
    before = cpu()
    time.sleep(2)
    check("live: who does not read costs nothing", cpu() - before < 40, cpu() - before)
    begun = time.monotonic()
    p.terminate()
    check("live: who does not read keeps nothing from its end", p.wait(20) == 0 and time.monotonic() - begun < (1 if "release" in tdtop else 5), time.monotonic() - begun)
    p.stdout.read(10)
    kill(late, *all_of)


def listening():
    """Revision 2026-07-28: a request whose answer is the end of what it listens to."""
    p = probe(own, stopped=True)
    uri, key = f"tdtop://live/{own}", "io.modelcontextprotocol/subscriptionId"
    listen = lambda id, **what: ask("subscriptions/listen", {"_meta": MODERN, "notifications": what}, id=id)
    s = Server("--allow-collect")
    s.tell(listen("one", toolsListChanged=True, resourceSubscriptions=[uri, "tdtop://runs", "tdtop://live/4194399"]), listen(2))
    m = s.until(lambda m: True)
    check("listen: acknowledged first, what can be", m == {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                                                         "params": {"notifications": {"resourceSubscriptions": [uri]}, "_meta": {key: "one"}}}, m)
    m = s.until(lambda m: m["method"].endswith("acknowledged"))
    check("listen: to nothing", m["params"] == {"notifications": {}, "_meta": {key: 2}}, m)
    m = s.changed(uri, 5)
    check("listen: a change", m["params"] == {"uri": uri, "_meta": {key: "one"}}, m)
    check("listen: the same id again", "listens already" in s.ask("subscriptions/listen", {"_meta": MODERN, "notifications": {}}, id="one")["error"]["message"])
    for what, params in (("no filter", {}), ("a list", {"notifications": []}), ("no URIs", {"notifications": {"resourceSubscriptions": uri}}),
                         ("numbers", {"notifications": {"resourceSubscriptions": [1]}}), ("none that there is", {"notifications": {"resourceSubscriptions": ["tdtop://runs"]}}),
                         ("too many", {"notifications": {"resourceSubscriptions": [uri] * 65}})):
        e = s.ask("subscriptions/listen", {"_meta": MODERN, **params}, id="wrong")
        check(f"listen: {what}", e["error"]["code"] == -32602, e)
    check("listen: what is gone", s.ask("resources/subscribe", {"_meta": MODERN, "uri": uri})["error"]["code"] == -32601 and
          s.ask("subscriptions/listen", {"notifications": {}})["error"]["code"] == -32601)
    s.tell(listen(3, resourceSubscriptions=[uri]), {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}})
    s.tell({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "one"}})
    s.ask("ping", id="x")
    s.told.clear()
    os.kill(p.pid, signal.SIGCONT)
    check("listen: cancelled", s.changed(uri, 4) is None and not any(t["subscribed"] for t in s.read("tdtop://live")["targets"]))
    for i in range(100):
        s.tell(listen(f"many-{i}"))
    s.ask("ping", id="y")
    refused = [m for m in s.told if "error" in m and "64 streams" in m["error"]["message"]]
    check("listen: at most 64", len(refused) == 37, len(refused))
    s.end("end of input")
    ends = []
    while not s.heard.empty():
        ends.append(s.heard.get())
    check("listen: a stream ends with its answer", {m["id"] for m in ends if m.get("result", {}).get("_meta") == {key: m["id"]}} >= {2, "many-0", "many-62"}, ends[:3])
    kill(p)


def http():
    """The same over HTTP: for who has the token, and comes from here."""
    token = f"{tmp}/token"
    with open(token, "w") as f:
        f.write("0123456789abcdef0123\n")
    os.chmod(token, 0o600)
    p = subprocess.Popen([tdtop, "mcp", "--listen", "127.0.0.1:0", "--token-file", token, "--allow-collect"], stderr=subprocess.PIPE, text=True)
    port = int(re.search(r"http://127.0.0.1:(\d+)/mcp", p.stderr.readline())[1])
    usual = {"Authorization": "Bearer 0123456789abcdef0123", "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

    def post(body, method="POST", path="/mcp", **change):
        c = HTTPConnection("127.0.0.1", port, timeout=60)
        headers = {k: v for k, v in {**usual, **change}.items() if v is not None}
        c.request(method, path, body=body if isinstance(body, (str, bytes)) else json.dumps(body), headers=headers)
        r = c.getresponse()
        text = r.read().decode()
        c.close()
        return r.status, json.loads(text) if text.startswith("{") else text

    status, a = post(ask("tools/list"))
    check("http: tools", status == 200 and {t["name"] for t in a["result"]["tools"]} == TOOLS | {"collect_topdown"}, a)
    check("http: as on a line", post(ask("tools/call", {"name": "get_funnel", "arguments": {}}))[1] ==
          talk(ask("tools/call", {"name": "get_funnel", "arguments": {}}))[0])
    for what, want, change in (("no token", 401, {"Authorization": None}), ("another token", 401, {"Authorization": "Bearer 0123456789abcdef0124"}),
                               ("a longer one", 401, {"Authorization": "Bearer 0123456789abcdef01234"}), ("another scheme", 401, {"Authorization": "Basic x"}),
                               ("another site", 403, {"Origin": "https://evil.example"}), ("a site that begins so", 403, {"Origin": "http://localhost.evil.example"}),
                               ("a file's page", 403, {"Origin": "null"}), ("a name that was made to point here", 403, {"Host": "evil.example"}),
                               ("a page from here", 200, {"Origin": "http://localhost:3000"}), ("no JSON", 415, {"Content-Type": "text/plain"}),
                               ("another path", 404, {"path": "/x"}), ("GET", 405, {"method": "GET"}), ("DELETE", 405, {"method": "DELETE"})):
        check(f"http: {what}", post(ask("ping"), **change)[0] == want, post(ask("ping"), **change))
    check("http: a notification", post({"jsonrpc": "2.0", "method": "notifications/initialized"}) == (202, ""))
    check("http: no message", post("{")[1]["error"]["code"] == -32700)
    try:
        status = post("x" * (5 << 20))[0]
    except OSError:  # it was not read to its end
        status = 413
    check("http: too long", status == 413 and post(ask("ping"))[0] == 200)
    modern = {"name": "get_funnel", "arguments": {}, "_meta": MODERN}
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "get_funnel"}
    check("http: stateless", post(ask("tools/call", modern), **headers)[1]["result"]["resultType"] == "complete")
    for lie in ({"Mcp-Method": "tools/list"}, {"Mcp-Method": None}, {"Mcp-Name": "list_profiling_runs"}, {"Mcp-Name": None}, {"MCP-Protocol-Version": "2025-11-25"}):
        status, a = post(ask("tools/call", modern), **{**headers, **lie})
        check(f"http: headers that say something else: {lie}", status == 400 and a["error"]["code"] == -32020, a)
    status, a = post(ask("tools/list", {"_meta": {**MODERN, "io.modelcontextprotocol/protocolVersion": "2027-01-01"}}))
    check("http: another revision", status == 400 and a["error"]["code"] == -32022, a)
    with ThreadPoolExecutor(12) as pool:
        begun = time.monotonic()
        slow = pool.submit(post, ask("tools/call", {"name": "collect_topdown", "arguments": {"all": True, "duration": "12s"}}))
        quick = list(pool.map(lambda i: post(ask("ping", id=i))[1]["id"], range(40)))
        check("http: nobody waits for another", quick == list(range(40)) and time.monotonic() - begun < 8)
        check("http: what takes long is answered", slow.result()[1]["result"]["isError"] is False, slow.result())
    c = HTTPConnection("127.0.0.1", port)
    c.request("POST", "/mcp", body=json.dumps(ask("tools/call", {"name": "collect_topdown", "arguments": {"all": True, "duration": "100s"}})), headers=usual)
    children = lambda: subprocess.run(["pgrep", "-P", str(p.pid)], capture_output=True, text=True).stdout
    check("http: it measures", wait_for(children))
    c.close()
    check("http: who goes ends what was asked", wait_for(lambda: not children()))
    events, target = http_live(post, usual, port)
    c = HTTPConnection("127.0.0.1", port)
    c.request("POST", "/mcp", body=json.dumps(ask("tools/call", {"name": "collect_topdown", "arguments": {"all": True, "duration": "100s"}})), headers=usual)
    wait_for(children)
    begun = time.monotonic()
    p.terminate()
    check("http: SIGTERM", p.wait(20) == 0 and time.monotonic() - begun < 8, time.monotonic() - begun)
    last = [line for line in events if line.startswith(b"data:")][-1]
    check("http: a stream ends with its answer", json.loads(last[5:])["result"]["resultType"] == "complete", last)
    kill(target)
    for what, words, args in (("no token file", "--token-file FILE", []), ("an absent one", "absent", ["--token-file", f"{tmp}/absent"]),
                              ("others", "others can reach it", ["--token-file", token, "--listen", "0.0.0.0:0"])):
        q = run("mcp", *args, *([] if "--listen" in args else ["--listen", "127.0.0.1:0"]))
        check(f"http: {what}", q.returncode in (1, 2) and words in q.stderr, q.stderr)
    os.chmod(token, 0o644)
    q = run("mcp", "--listen", "127.0.0.1:0", "--token-file", token)
    check("http: a token that others may read", q.returncode == 1 and "chmod 600" in q.stderr, q.stderr)
    with open(token, "w") as f:
        f.write("short\n")
    os.chmod(token, 0o600)
    q = run("mcp", "--listen", "127.0.0.1:0", "--token-file", token)
    check("http: a short token", q.returncode in (1, 2) and "openssl rand" in q.stderr, q.stderr)


parts = (revisions, tools, resources, wrong, pages, cancelled, live, live_many, listening, http, sdk)
for part in parts:
    part()
over("mcp")

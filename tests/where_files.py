"""Reads TMP/x.svg, x.speedscope.json and x.pprof as other tools do: `seventy` has about 70 % in each. Exit 1 with words if not."""
import collections, json, re, sys, xml.etree.ElementTree as xml

tmp = sys.argv[1]


def fail(words):
    sys.exit(f"where_files: {words}")


def check(what, share, stack):
    if not 0.5 < share < 0.9:
        fail(f"{what}: {share:.2f} is not about 0.7")
    if stack != ["main", "outer", "inner", "seventy"]:
        fail(f"{what}: {stack}")


def svg(path):
    text = open(path, encoding="utf-8").read()
    root = xml.fromstring(text)
    ns = "{http://www.w3.org/2000/svg}"
    boxes = [(g.get("data-n"), float(g.get("data-x")), float(g.get("data-w")), int(g.get("data-d"))) for g in root.iter(ns + "g")]
    if re.search(r'(href|src)=|url\(|https?://(?!www\.w3\.org/2000/svg")', text):
        fail("svg: it needs another file")
    if not root.find(ns + "script").text.strip() or boxes[0][0] != "all" or boxes[0][2] != 1200:
        fail("svg: no script, or no root")
    for n, x, w, d in boxes[1:]:
        if not any(d2 == d - 1 and x2 - 1e-3 <= x and x + w <= x2 + w2 + 1e-3 for _, x2, w2, d2 in boxes):
            fail(f"svg: {n} lies over nothing")
    n, x, w, d = max((b for b in boxes if b[0] == "seventy"), key=lambda b: b[2])
    above = sorted((b for b in boxes if b[3] < d and b[1] <= x + 1e-3 and b[1] + b[2] >= x + w - 1e-3), key=lambda b: b[3])
    check("svg", w / 1200, [b[0] for b in above][-3:] + [n])


def speedscope(path):
    d = json.load(open(path))
    p = d["profiles"][0]
    names = [f["name"] for f in d["shared"]["frames"]]
    if d["$schema"] != "https://www.speedscope.app/file-format-schema.json" or p["type"] != "sampled":
        fail("speedscope: not that format")
    if len(p["samples"]) != len(p["weights"]) or abs(p["endValue"] - sum(p["weights"])) > 1 or p["startValue"] != 0:
        fail("speedscope: samples and weights are not of one length and sum")
    best = max(range(len(p["samples"])), key=lambda i: p["weights"][i])
    check("speedscope", p["weights"][best] / p["endValue"], [names[i] for i in p["samples"][best]][-4:])


def fields(b):
    """(number, value) of a message: varints and bytes."""
    at = 0

    def varint():
        nonlocal at
        v = shift = 0
        while True:
            v |= (b[at] & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if not b[at - 1] & 0x80:
                return v

    while at < len(b):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            n = varint()
            yield key >> 3, b[at:at + n]
            at += n
        else:
            fail(f"pprof: kind {key & 7}")


def pprof(path):
    all_ = collections.defaultdict(list)
    for n, v in fields(open(path, "rb").read()):
        all_[n].append(v)
    texts = [t.decode() for t in all_[6]]
    if texts[0] != "":
        fail("pprof: the first text is not empty")
    function = {(d := dict(fields(f)))[1]: texts[d[2]] for f in all_[5]}
    mapping = {dict(fields(m))[1] for m in all_[3]}
    location = {}
    for raw in all_[4]:
        d = dict(fields(raw))
        if d[2] not in mapping or not d[1]:
            fail(f"pprof: location {d}")
        location[d[1]] = function[dict(fields(d[4]))[1]]
    kinds = [tuple(texts[v] for _, v in fields(t)) for t in all_[1]]
    best, sums = None, [0, 0]
    for raw in all_[2]:
        f = list(fields(raw))
        stack, values = [v for n, v in f if n == 1], [v for n, v in f if n == 2]
        if len(values) != len(kinds):
            fail("pprof: values and their types differ in number")
        sums = [a + b for a, b in zip(sums, values)]
        best = max(best or (values, stack), (values, stack), key=lambda s: s[0][1])
    if kinds[0] != ("samples", "count"):
        fail(f"pprof: {kinds}")
    check("pprof", best[0][1] / sums[1], [location[i] for i in reversed(best[1])][-4:])


svg(f"{tmp}/x.svg")
speedscope(f"{tmp}/x.speedscope.json")
pprof(f"{tmp}/x.pprof")

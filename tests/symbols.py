#!/usr/bin/env python3
"""symbols.py SYMBOLS names|lines|llvm|code FILE [COUNT [SYMBOLS_OF]]: holds what build/MODE/symbols says of a program against readelf,
addr2line (llvm-symbolizer) and objdump. names: of COUNT random addresses, by the symbols of SYMBOLS_OF (FILE). Ends with "same: N" or what differs."""
import bisect, os, random, re, subprocess, sys

TOOL, WHAT, FILE = sys.argv[1:4]
COUNT = int(sys.argv[4]) if len(sys.argv) > 4 else 2000
OF = sys.argv[5] if len(sys.argv) > 5 else FILE
random.seed(os.path.basename(FILE))


def run(*words, text=None, check=True):
    return subprocess.run(words, input=text, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=check,
                          errors="replace").stdout


def loads(path):
    """What is executed: (address, offset, size)."""
    rows = []
    for line in run("readelf", "-lW", path).splitlines():
        m = re.match(r"\s+LOAD\s+(0x\w+) (0x\w+) 0x\w+ (0x\w+) 0x\w+ (.*) 0x", line)
        if m and "E" in m[4]:
            rows.append((int(m[2], 16), int(m[1], 16), int(m[3], 16)))
    return rows


LOADS = loads(FILE)


def to_address(offset):
    for a, o, s in LOADS:
        if o <= offset < o + s:
            return offset - o + a


def to_offset(address):
    for a, o, s in LOADS:
        if a <= address < a + s:
            return address - a + o


def symbols():
    """The functions of readelf, {start: the best one}, by perf's order (tools/perf/util/symbol.c, choose_best_symbol)."""
    sections = {}
    for line in run("readelf", "-SW", OF).splitlines():
        m = re.match(r"\s+\[ *(\d+)\] (\S*)\s+\S+\s+(\w{16}) \w+ (\w+) \w\w\s+(.*?)\s+\d+\s+\d+\s+\d+$", line)
        if m:
            sections[m[1]] = (int(m[3], 16), int(m[4], 16), "X" in m[5])
    best = {}
    versioned = OF != FILE or " .symtab " in run("readelf", "-SW", FILE) # there the version is a part of the name
    for line in run("readelf", "-sW", OF).splitlines():
        m = re.match(r"\s*\d+: (\w{16})\s+(\w+) (\w+)\s+(\w+)\s+(\w+)\s+(?:\[.*?\]\s+)?(\w+) (\S+)", line)
        if not m or m[6] in ("UND",) or m[3] not in ("FUNC", "IFUNC", "NOTYPE"):
            continue
        start, size, name = int(m[1], 16), int(m[2], 0), m[7]
        if m[3] == "NOTYPE" and (not sections.get(m[6], (0, 0, False))[2] or m[5] in ("HIDDEN", "INTERNAL")):
            continue
        if not any(a <= start < a + s for a, _, s in LOADS):
            continue
        if not versioned:
            name = name.split("@")[0]
        key = (size > 0, m[3] != "NOTYPE", m[4] != "WEAK", m[4] == "GLOBAL", -len(name) + len(name.lstrip("_")), len(name))
        end = start + size
        if size == 0 and m[6] in sections:
            end = sections[m[6]][0] + sections[m[6]][1]
        if start not in best or key > best[start][0]:
            best[start] = (key, {name}, end)
        elif key == best[start][0]:
            best[start][1].add(name) # constructors C1 and C2: perf takes the first in the file's order
    return best


def names():
    best = symbols()
    starts = sorted(best)
    ends = [e for _, _, e in (best[s] for s in starts)]
    for i, s in enumerate(starts[:-1]):
        if not best[s][0][0]:
            ends[i] = min(ends[i], starts[i + 1])
    asked = []
    while len(asked) < COUNT:
        if random.random() < 0.7 and starts:
            i = random.randrange(len(starts))
            asked.append(random.randrange(starts[i], max(ends[i], starts[i] + 1)))
        else:
            a, _, s = random.choice(LOADS)
            asked.append(random.randrange(a, a + s))
    asked = [a for a in asked if to_offset(a) is not None]
    out = run(TOOL, "functions", FILE, text="\n".join("%x" % to_offset(a) for a in asked)).splitlines()
    assert len(out) == len(asked), (len(out), len(asked))
    wrong = unknown = 0
    stubs = set()
    for a, line in zip(asked, out):
        raw = line.split("\t")[0].split(" ", 3)
        i = bisect.bisect_right(starts, a) - 1
        want = None
        for k in range(i, max(-1, i - 64), -1):
            if a < ends[k]:
                want = best[starts[k]][1] # names
                break
        got = None if raw[1] == "?" else raw[3]
        if got and got.endswith("@plt"):
            stubs = stubs or set(re.findall(r"<(.*@plt)>:", run("objdump", "-d", "-j.plt", "-j.plt.sec", FILE, check=False)))
            if got in stubs and not want:
                continue
        unknown += want is None
        if got is not want and not (got and want and got.split("@")[0] in [w.split("@")[0] for w in want]):
            wrong += 1
            if wrong < 10:
                print("%x: wanted %s, got %s" % (a, want, got))
    print("%d of %d unknown to both" % (unknown, len(asked)))
    return len(asked), wrong


def functions_of(n):
    """Random functions that have a size: (start, end) as addresses."""
    best = symbols()
    rows = [(s, e) for s, (key, _, e) in best.items() if key[0] and 16 < e - s < 6000]
    return random.sample(rows, min(n, len(rows)))


def lines():
    total = wrong = 0
    for start, end in functions_of(COUNT):
        asked = sorted(random.sample(range(start, end), min(100, end - start)))
        words = ["addr2line", "-a", "-i", "-f", "-C"] if WHAT == "lines" else ["llvm-symbolizer", "-a", "--output-style=GNU", "--inlines", "-C"]
        truth = run(*words, "-e", OF, text="\n".join("0x%x" % a for a in asked)).splitlines()
        if WHAT != "lines":
            truth = [t if not re.fullmatch(r"0x[0-9a-f]+", t) else "0x%016x" % int(t, 16) for t in truth if t]
        chains, at = [], None
        for line in truth:
            if re.fullmatch(r"0x[0-9a-f]{16}", line):
                at = []
                chains.append(at)
            else:
                at.append(line)
        out = run(TOOL, "lines", FILE, text="\n".join("%x" % to_offset(a) for a in asked))
        ours = re.split(r"(?m)^[0-9a-f]+\n", out)[1:]
        assert len(ours) == len(chains), out[:300]
        for a, want, got in zip(asked, chains, ours):
            w = [(want[i], clean(want[i + 1])) for i in range(0, len(want), 2)]
            w = [x for x in w if not x[1].startswith("??") and not (WHAT == "lines" and len(want) == 2 and x[1].endswith(":0"))]
            g = [(f, clean(p)) for f, p in (row.strip().split("\t") for row in got.splitlines() if row.strip())]
            total += 1
            # the innermost function is the symbol's for addr2line; DWARF has templates in another spelling than the linker
            if [p for _, p in w] != [p for _, p in g] or WHAT == "lines" and any(
                    bare(x) != bare(y) for (x, _), (y, _) in zip(w[1:-1], g[1:-1])):
                wrong += 1
                if wrong < 6:
                    print("%x: wanted %s, got %s" % (a, w, g))
    return total, wrong


def bare(name):
    name = re.sub(r"\(.*", "", name.replace("(anonymous namespace)", "anon").replace("operator()", "call"))
    while "<" in name and re.search(r"<[^<>]*>", name):
        name = re.sub(r"<[^<>]*>", "", name)
    return name.split(" ")[-1].split("::")[-1].split("@")[0]


def clean(place):
    path, line = re.sub(r" \(discriminator.*", "", place).rsplit(":", 1)
    line = line.split(":")[0].replace("?", "0") if line.isdigit() or "?" in line else line
    path = os.path.normpath(path)
    return (path if path[0] == "/" else os.path.basename(path)) + ":" + line


def number(m):
    return str(int(m[0], 0) & 0xFFFFFFFF)


def normal(text, targets):
    """One spelling for both: no suffixes of size, numbers in decimal, no zero displacement, no scale of 1."""
    text = re.sub(r"\s*(#.*|<.*)", "", text.strip().lower())
    text = re.sub(r"\b(notrack|bnd|data16|cs|rex\.\w+|rex)\s+", "", text)
    word, _, rest = text.partition(" ")
    if word in ("rep", "repz", "repe", "repnz", "repne", "lock"):
        second, _, rest = rest.strip().partition(" ")
        word = {"repe": "repz", "repne": "repnz", "rep": "repz"}.get(word, word) + " " + second
    if word.startswith("nop") or text == "xchg   %ax,%ax" or text == "xchg %ax, %ax":
        return "nop"
    word = "mov" if word in ("movd", "movq") else word
    word = word.rstrip("bwlq") if not word.startswith("j") else word
    rest = rest.replace(" ", "")
    rest = rest.replace("%es:", "")
    word = {"jmpq": "jmp", "wait": "fwait"}.get(word, word)
    if targets and re.fullmatch(r"[0-9a-f]+", rest):
        rest = "0x" + rest
    rest = re.sub(r"-?0x[0-9a-f]+|(?<![\w.%])-?\d+\b", number, rest)
    rest = re.sub(r"(?<![\d])0\(", "(", rest).replace(",1)", ")").replace("%st(0)", "%st")
    rest = re.sub(r"^\$1,(?=[^,]+$)", "", rest) if word in ("sh", "sa", "sar", "shr", "ro", "ror", "rc", "rcr") else rest
    if word in ("test", "xchg"):
        rest = ",".join(sorted(rest.split(",")))
    return (word + " " + rest).strip()


def code():
    total = wrong = shape = unknown = 0
    for start, end in functions_of(COUNT):
        truth = []
        for line in run("objdump", "-d", "--no-show-raw-insn", "--start-address=0x%x" % start, "--stop-address=0x%x" % end, FILE).splitlines():
            m = re.match(r"\s*([0-9a-f]+):\t(.*)", line)
            if m:
                truth.append((int(m[1], 16), m[2]))
        rows = [r.split("\t") for r in run(TOOL, "code", FILE, "%x" % to_offset(start)).splitlines()[2:]]
        ours = [(to_address(int(r[0], 16)), r[4], int(r[2], 16)) for r in rows]
        if [a for a, _ in truth] != [a for a, _, _ in ours]:
            both = set(a for a, _ in truth) & set(a for a, _, _ in ours)
            shape += len(truth) - len(both)
        have = {a: (t, target) for a, t, target in ours}
        for a, text in truth:
            if a not in have:
                continue
            mine, target = have[a]
            if mine.startswith(".byte") and re.match(r"[vk]", text):
                unknown += 1 # AVX-512 is not in capstone 4
                continue
            total += 1
            m = re.match(r"(?:bnd )?(?:j\w+|call)\s+([0-9a-f]+)\b", text)
            branch = m and to_offset(int(m[1], 16)) or 0
            if normal(text, True) != normal(mine, False) or (branch and branch != target):
                wrong += 1
                if wrong < 12:
                    print("%x: wanted %s, got %s (%s, %s)" % (a, normal(text, True), normal(mine, False), text, mine))
    print("%d instructions that only objdump has there, %d that capstone does not know" % (shape, unknown))
    return total, wrong + shape


total, wrong = {"names": names, "lines": lines, "llvm": lines, "code": code}[WHAT]()
print("same: %d" % total if not wrong else "different: %d of %d" % (wrong, total))
sys.exit(wrong > total * (0.002 if WHAT == "code" else 0.001 if WHAT in ("lines", "llvm") else 0) or total == 0)

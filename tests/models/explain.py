#!/usr/bin/env python3
"""The knowledge base against the models: every name resolves, every entry is whole, nothing is said twice.

usage: explain.py [--missing] [--tdtop BINARY] [FILE...]    (FILE: complaints about these files only)
"""
import collections
import functools
import glob
import os
import re
import subprocess
import sys
import tomllib

FOLDER = "src/model/explain"
TEXTS = {"summary": (12, 100), "description": (80, 900), "counts": (40, 600), "healthy": (9, 240), "worrying": (9, 240),
         "values_from": (8, 200)}
LISTS = {"causes": (3, 6), "hints": (3, 6), "confirm": (1, 5), "related": (1, 8), "references": (1, 5)}
TABLES = ("also", "notes")
VENDORS = ("intel", "ecore", "amd", "arm")
# Files of the folder that hold no entries.
OTHERS = ("references",)
EVENT = re.compile(r"\b(?:[A-Z][A-Z0-9]*_[A-Z0-9_]*(?:\.[A-Z0-9_]+)+|[A-Z][A-Z0-9]+(?:\.[A-Z][A-Z0-9_]+)+)")
METRIC = re.compile(r"\b[A-Z][A-Za-z0-9]*_[A-Za-z0-9_]*[a-z][A-Za-z0-9_]*\b")
SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+")


def key_of(name):
    return name.lower().replace("-", "_")


class Models:
    """Names that the models have: metrics, groups, events."""

    def __init__(self):
        self.metrics = collections.defaultdict(set)
        self.groups = collections.defaultdict(set)
        self.events = set()
        self.names = set()
        self.intel = set()
        for path in sorted(glob.glob("src/model/cpu/*.toml")):
            whole = subprocess.run(["awk", "-f", "tools/model_whole.awk", path], check=True, capture_output=True, text=True)
            self.take(tomllib.loads(whole.stdout))
        for path in sorted(glob.glob("src/model/shared/*.toml")):
            self.take({**tomllib.load(open(path, "rb")), "name": "spr"})  # every model has these

    def take(self, doc):
        model = doc["name"]
        self.names.add(model)
        if doc.get("vendor") == "Intel":
            self.intel.add(model)
        for section in ("node", "bottleneck", "metric"):
            for name, table in doc.get(section, {}).items():
                self.metrics[name].add(model)
                for group in (table.get("groups") or "").split(";"):
                    if group:
                        self.groups[group].add(model)
                for event in table.get("locate", []):
                    self.events.add(event.split(":")[0])
        for event in doc.get("event", {}):
            self.events.add(event.split(":")[0])

    def shown(self):
        return {**self.metrics, **self.groups}

    @functools.cache
    def shown_by(self, model):
        """Keys of the metrics and groups of one model."""
        return {key_of(n) for names in (self.metrics, self.groups) for n, of in names.items() if model in of}

    @functools.cache
    def keys(self):
        return {key_of(n) for n in self.shown()}


def load(complain):
    """The entries: name -> (file, table), and who answers for which name."""
    entries, owner = {}, {}
    for path in sorted(glob.glob(FOLDER + "/*.toml")):
        base = os.path.basename(path)[:-5]
        if base in OTHERS:
            continue
        try:
            doc = tomllib.load(open(path, "rb"))
        except tomllib.TOMLDecodeError as e:
            complain(path, str(e))
            continue
        for name, table in doc.get("entry", {}).items():
            entries[name] = (path, table)
            for each in [name, *table.get("also", {})]:
                if each in owner:
                    complain(path, f"{each}: also explained by {owner[each]}")
                owner[each] = name
    return entries, owner


def check_fields(name, table, say):
    for key, (low, high) in TEXTS.items():
        text = table.get(key)
        if not isinstance(text, str):
            say(f"{name}: no text '{key}'")
        elif not low <= len(text) <= high:
            say(f"{name}: '{key}' has {len(text)} characters; expected {low} to {high}")
    for key, (low, high) in LISTS.items():
        rows = table.get(key)
        if not isinstance(rows, list):
            say(f"{name}: no list '{key}'")
        elif not low <= len(rows) <= high:
            say(f"{name}: '{key}' has {len(rows)} rows; expected {low} to {high}")
    for key in table:
        if key not in TEXTS and key not in LISTS and key not in TABLES:
            say(f"{name}: unknown key '{key}'")
    sentences = len(re.findall(r"[.!?](?=\s|$)", table.get("description", "")))
    if not 2 <= sentences <= 5:
        say(f"{name}: the description has {sentences} sentences; expected 2 to 5")
    for key in ("description", "counts"):
        if not table.get(key, ".").endswith("."):
            say(f"{name}: '{key}' ends without a full stop")
    if "experience" in table.get("values_from", ""):
        say(f"{name}: 'values_from' calls on experience that nobody can look up; a rule of thumb is one")
    for other, text in table.get("also", {}).items():
        if not TEXTS["summary"][0] <= len(text) <= TEXTS["summary"][1]:
            say(f"{name}: the summary of {other} has {len(text)} characters")


def texts_of(table):
    for value in table.values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from value
        elif isinstance(value, dict):
            yield from value.values()


def check_names(name, table, models, owner, references, say):
    known = {key_of(n) for n in models.shown()}
    exact = set(models.shown())
    for each in [name, *table.get("also", {})]:
        if each not in exact:
            say(f"{each}: no model has it spelt so")
    for each in table.get("related", []):
        if each not in exact:
            say(f"{name}: related '{each}' is in no model")
        elif each == name:
            say(f"{name}: related to itself")
    for each in table.get("references", []):
        if each.split(":")[0] not in references:
            say(f"{name}: reference '{each}' has no key in references.toml")
    for key in table.get("notes", {}):
        for glob in key.split() if key not in VENDORS else ():
            if not any(re.fullmatch(glob.replace("*", ".*"), m) for m in models.names):
                say(f"{name}: note for '{glob}': no vendor ({', '.join(VENDORS)}) and no model")
    for key, value in table.items():
        if key in ("references", "related"):
            continue
        for text in texts_of({key: value}):
            for event in EVENT.findall(text):
                if event not in models.events and not re.search(r"\.(C|H|TOML|ORG)$", event):
                    say(f"{name}: event {event} is in no model")
            for metric in METRIC.findall(text):
                if key_of(metric) not in known:
                    say(f"{name}: '{metric}' is no metric and no group of a model")


def row_fits(row, model, models):
    """Whether tdtop shows the row for the model: no metric that it lacks, no event of another vendor."""
    shown = models.shown_by(model)
    if model not in models.intel and any(event in models.events for event in EVENT.findall(row)):
        return False
    return all(key_of(m) in shown for m in METRIC.findall(row) if key_of(m) in models.keys())


def check_models(name, table, models, say):
    """In every model that has a metric there is something to go on to, and something to do."""
    for each in [name, *table.get("also", {})]:
        for model in sorted(models.metrics.get(each, ())):
            shown = models.shown_by(model)
            if not any(key_of(r) in shown and r != each for r in table.get("related", [])):
                say(f"{each}: nothing of 'related' is in model {model}")
            for key in ("hints", "confirm"):
                if table.get(key) and not any(row_fits(row, model, models) for row in table[key]):
                    say(f"{each}: every row of '{key}' names what model {model} lacks")


def verbs_of(binary):
    """What tdtop can be told: {verb: {options}}, '' for the live screen."""
    def options(*args):
        text = subprocess.run([binary, *args, "--help"], capture_output=True, text=True).stdout
        return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text))
    top = subprocess.run([binary, "--help"], capture_output=True, text=True).stdout
    verbs = set(re.findall(r"^\s*(?:tdtop )?([a-z]+)\b", top, re.M))
    return {"": options(), **{v: options(v) for v in verbs}}


COMMAND = re.compile(r"\btdtop((?: +[^\s,;.()'\"]+(?:\.[^\s,;()'\"]+)?)+)")


def check_commands(name, table, verbs, say):
    for text in texts_of(table):
        for match in COMMAND.finditer(text):
            words = match.group(1).split()
            verb = words[0] if re.fullmatch(r"[a-z]+", words[0]) and words[0] in verbs else ""
            for word in words:
                if re.match(r"--?[a-zA-Z]", word) and word.split("=")[0] not in verbs[verb]:
                    say(f"{name}: tdtop has no option {word} ({text[:50]}...)")


def check_sentences(entries, say_of):
    """No two entries share a sentence of more than eight words."""
    seen = {}
    for name, (path, table) in entries.items():
        for text in texts_of({k: v for k, v in table.items() if k not in ("references", "related", "values_from")}):
            for sentence in SENTENCE_END.split(text):
                words = re.findall(r"\w+", sentence.lower())
                if len(words) <= 8:
                    continue
                other = seen.setdefault(tuple(words), name)
                if other != name:
                    say_of(path, f"{name}: shares a sentence with {other}: '{sentence[:60]}'")


def main(argv):
    binary = argv[argv.index("--tdtop") + 1] if "--tdtop" in argv else None
    only = [a for a in argv if a.endswith(".toml")]
    complaints = collections.defaultdict(list)

    def complain(path, text):
        complaints[path].append(text)
    models = Models()
    entries, owner = load(complain)
    references = tomllib.load(open(FOLDER + "/references.toml", "rb"))["reference"]
    verbs = verbs_of(binary) if binary else None
    for name, (path, table) in entries.items():
        def say(text, path=path):
            complain(path, text)
        check_fields(name, table, say)
        check_names(name, table, models, owner, references, say)
        check_models(name, table, models, say)
        if verbs:
            check_commands(name, table, verbs, say)
    check_sentences(entries, complain)
    missing = sorted(n for n in models.shown() if n not in owner)
    if "--missing" in argv:
        print("\n".join(missing))
        return 0
    failed = 0
    for path, texts in sorted(complaints.items()):
        if only and not any(path.endswith(o) for o in only):
            continue
        for text in texts:
            failed += 1
            print(f"FAILED {os.path.basename(path)}: {text}")
    if not only:
        for name in missing:
            failed += 1
            print(f"FAILED {name}: no entry explains it")
    print(f"explain: {len(entries)} entries for {len(models.shown())} names; {len(missing)} without")
    passed = len(entries) + len(models.shown()) - len(missing)
    print(f"knowledge: {passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""The pages for people: every command line parses, every link leads somewhere, every file and function that is named exists.

usage: tests/pages_test.py BUILD        BUILD: the folder with the program `tables`, build/release
Ends with "pages: N passed, N failed".
"""
import glob
import json
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PAGES = ["README.md", "CONTRIBUTING.md"] + sorted(glob.glob("docs/*.md", root_dir=ROOT))
# Options of other programs that a page names.
OTHERS = {"--cap-add", "--security-opt", "--help"}
# Stand for a name of the reader's own in a path.
PLACES = re.compile(r"NAME|MODE|\bX\b|_X\b|N-")

passed = failed = 0


def judge(what, wrong):
    global passed, failed
    if wrong:
        failed += 1
        print(f"FAILED {what}: {wrong}")
    else:
        passed += 1


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


# --- command lines ---


def command_error(words, verbs, options, is_named):
    """What tdtop would not understand of these words; None. In a sentence an option may be named without its value."""
    verb = words[0] if words and words[0] in verbs else "live"
    words = words[verb != "live":]
    mine = {}
    for o in options:
        if verb in o["verbs"]:
            mine["--" + o["name"]] = o
            if o["letter"]:
                mine["-" + o["letter"]] = o
    while words:
        word = words.pop(0)
        if word == "--" or word.startswith((">", "|")):
            return None
        if not word.startswith("-") or word == "-":
            if verb == "live":
                return f"{word} is no verb"
            continue
        name, _, value = word.partition("=")
        if name not in mine:
            return f"{verb} has no option {name}"
        if mine[name]["arg"] and not value:
            if not words and is_named:
                return None
            if not words:
                return f"{name} wants {mine[name]['arg']}"
            words.pop(0)
    return None


def check_commands(page, text, tables):
    verbs, options = {v["name"] for v in tables["verbs"]}, tables["options"]
    names = {"--" + o["name"] for o in options}
    lines = re.findall(r"^    (tdtop\b.*?)(?:\s#.*|;.*)?$", text, re.M)
    named = [" ".join(x.split()) for x in re.findall(r"(?<!`)`(tdtop(?:\s[^`]*)?)`", text)]
    for line in lines + named:
        try:
            words = shlex.split(re.sub(r"[\[\]]", "", line).replace("$(", "'$(").replace(")", ")'"))
        except ValueError as e:
            words = None
            judge(f"{page}: {line}", str(e))
        if words:
            judge(f"{page}: {line}", command_error(words[1:], verbs, options, line in named))
    for option in re.findall(r"(?<!`)`(--[a-z][a-z-]*)", text):
        judge(f"{page}: {option}", None if option in names | OTHERS else "no verb has it")


# --- links and names ---


def anchors(text):
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in heads}


def check_links(page, text):
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        full = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        wrong = None if os.path.exists(os.path.join(ROOT, full)) else "is not there"
        if not wrong and anchor and anchor not in anchors(read(full)):
            wrong = f"{full} has no heading of that name"
        judge(f"{page}: link {link}", wrong)


def check_paths(page, text):
    named = set(re.findall(r"(?<![\w./-])((?:src|tests|docs|tools|themes|completions)/[\w./*-]*[\w*])", text))
    named |= {"tests/unit/" + x for x in re.findall(r"`(test_\w+\.c)`", text)}
    for path in sorted(named):
        while PLACES.search(path):
            path = os.path.dirname(path)
        judge(f"{page}: {path}", None if glob.glob(path, root_dir=ROOT) else "is not there")


def check_functions(page, text):
    words = set()
    for folder, _, files in os.walk(os.path.join(ROOT, "src")):
        for name in files:
            if name.endswith((".c", ".h")):
                words |= set(re.findall(r"\w+", read(os.path.join(folder, name))))
    for code in sorted(set(re.findall(r"`((?:struct )?[a-z_]+(?:\.[a-z_]+)?)`", text))):
        lost = [w for w in re.findall(r"\w+", code) if w not in words]
        if "_" in code or lost:
            judge(f"{page}: {code}", f"nothing in src is called {lost[0]}" if lost and not code.endswith((".c", ".h")) else None)


def main():
    tables = json.loads(subprocess.run([os.path.join(sys.argv[1], "tables")], capture_output=True, check=True).stdout)
    for page in PAGES:
        text = read(page)
        check_commands(page, text, tables)
        check_links(page, text)
        check_paths(page, text)
    check_paths("NOTICE", read("NOTICE"))
    check_functions("docs/ARCHITECTURE.md", read("docs/ARCHITECTURE.md"))
    rule = read("Makefile").split("\ninstall:")[1].split("\n\n")[0].split()
    for page in PAGES:
        judge(f"make install: {page}", None if page in rule or os.path.dirname(page) + "/*.md" in rule else "is not installed")
    print(f"pages: {passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())

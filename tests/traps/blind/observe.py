"""Runs each scripted agent's code in a copy of the workspace and says what it gives.

    VENV/bin/python tests/traps/blind/observe.py [--helpers FOLDER] [--write] [NAME...]

VENV holds pandas and statsmodels, which are loaded once: each script runs in a fork of
this process, as `__main__`, in its own folder. R scripts run with Rscript. Besides the run itself it tries crude versions of what a judge could try: the data
gone, the focal column permuted, a tenth of the rows dropped, nothing changed. No part
of reprise is called. `--write` puts the figures into `[observed]` of `trap.toml`.
"""

import argparse
import atexit
import csv
import json
import os
import pathlib
import random
import re
import runpy
import shutil
import statistics
import subprocess
import sys
import tempfile
import tomllib
import traceback

import pandas  # noqa: F401 (loaded once for all forks)
import scipy.stats  # noqa: F401
import statsmodels.api  # noqa: F401
import statsmodels.formula.api  # noqa: F401

HERE = pathlib.Path(__file__).resolve().parent
STUDIES = HERE.parents[2] / "studies"
DATA = {"crime-1993": "statecrime.csv", "duncan-1961": "Prestige.csv"}
MARK = "# Measured by observe.py"


class Fault(Exception):
    """An agent that does not run as its trap.toml says."""


class Workspace:
    """A copy of what an agent's code sees: data, work/, helpers/, the claim."""

    def __init__(self, folder, trap, arguments):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="trap-"))
        self.trap, self.arguments = trap, arguments
        study = STUDIES / trap["study"] / "input"
        shutil.copytree(study / "replication_data", self.root / "replication_data")
        shutil.copy(study / "initial_details.txt", self.root)
        shutil.copytree(arguments.helpers, self.root / "helpers", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(folder / "work", self.root / "work")

    def data(self):
        return self.root / "replication_data" / DATA[self.trap["study"]]

    def overlay(self, folder):
        shutil.copytree(folder / "work", self.root / "work", dirs_exist_ok=True)

    def execute(self):
        """The entries in order: (exit code of the last, all output, recorded lines)."""
        results = self.root / "work" / "results.jsonl"
        results.write_text("")
        environment = dict(os.environ, PYTHONPATH=str(self.root / "helpers"), REPRISE_RESULTS=str(results))
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        output, code = "", 0
        for entry in self.trap["entry"]:
            name = pathlib.PurePath(entry).name
            if entry.endswith(".R"):
                done = subprocess.run(
                    ["Rscript", "--vanilla", name], cwd=self.root / "work", env=environment,
                    capture_output=True, text=True, timeout=300,
                )
                output, code = output + done.stdout + done.stderr, done.returncode
            else:
                code = self.fork(name, environment)
                output += (self.root / "output").read_text()
            if code:
                break
        lines = [json.loads(line) for line in results.read_text().splitlines() if line.strip()]
        return code, output, lines

    def fork(self, name, environment):
        """Runs a Python script in a fork of this process; its exit code."""
        child = os.fork()
        if child:
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        code = 1
        try:
            os.chdir(self.root / "work")
            os.environ.update(environment)
            sys.path[0] = str(self.root / "work")
            sys.path.insert(1, str(self.root / "helpers"))
            sys.argv = [name]
            target = os.open(self.root / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(target, 1)
            os.dup2(target, 2)
            sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
            sys.stderr = open(2, "w", encoding="utf-8", closefd=False)
            sys.dont_write_bytecode = True
            try:
                runpy.run_path(name, run_name="__main__")
                code = 0
            except SystemExit as stop:
                code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
                if isinstance(stop.code, str):
                    print(stop.code, file=sys.stderr)
            except BaseException:
                traceback.print_exc()
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)

    def remove(self):
        shutil.rmtree(self.root)


def printed(output, term):
    """Estimate, SE and p of the last printed line that begins with the term."""
    found = {}
    for line in output.splitlines():
        match = re.match(rf"(?:FOCAL )?{re.escape(term)}\b:?\s+(.*)", line)
        if not match:
            continue
        rest = match[1]
        named = {
            "estimate": re.search(r"estimate ([-\d.e]+)", rest),
            "se": re.search(r"(?:std_error|SE) ([-\d.e]+)", rest),
            "p": re.search(r"\bp ([-\d.e]+)", rest),
        }
        if named["estimate"]:
            found = {name: float(one[1].rstrip(".")) for name, one in named.items() if one}
            continue
        numbers = [float(one) for one in re.findall(r"(?<![\w.])-?\d[\d.]*(?:e-?\d+)?", rest)]
        if len(numbers) == 5:
            numbers = numbers[1:]
        found = dict(zip(("estimate", "se", "statistic", "p"), numbers))
        found.pop("statistic", None)
    return found


def focal(run, term):
    """Estimate, SE and p of the focal term, from the record or else from the output."""
    code, output, lines = run
    if code:
        return {}
    for line in lines:
        if line.get("term") == term:
            p = line.get("p") or {}
            statistic = line.get("statistic") or {}
            return {
                "estimate": line.get("estimate"), "se": line.get("se"), "p": p.get("value"),
                "relation": p.get("relation", "="), "statistic": statistic.get("value"), "n": line.get("n"),
            }
    return printed(output, term)


def statistic(one):
    """The focal statistic: as recorded, else estimate over SE, else the estimate."""
    if one.get("statistic") is not None:
        return one["statistic"]
    if one.get("estimate") is None:
        return None
    return one["estimate"] / one["se"] if one.get("se") else one["estimate"]


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def write(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def permute(path, column, seed):
    header, *rows = read(path)
    at = header.index(column)
    values = [row[at] for row in rows]
    random.Random(seed).shuffle(values)
    write(path, [header, *(row[:at] + [value] + row[at + 1 :] for row, value in zip(rows, values))])


def drop(path, seed):
    header, *rows = read(path)
    gone = set(random.Random(seed).sample(range(len(rows)), len(rows) // 10))
    write(path, [header, *(row for at, row in enumerate(rows) if at not in gone)])


def final(folder, trap, arguments):
    """A workspace with the code as the last retry leaves it."""
    workspace = Workspace(folder, trap, arguments)
    for retry in retries(folder):
        workspace.overlay(retry)
    return workspace


def retries(folder):
    return sorted(folder.glob("retry-*"), key=lambda path: int(path.name.split("-")[1]))


def rerun(folder, trap, arguments, change):
    workspace = final(folder, trap, arguments)
    try:
        change(workspace.data())
        return focal(workspace.execute(), trap["observed"]["term"])
    finally:
        workspace.remove()


def spread(ones):
    numbers = [number for number in map(statistic, ones) if number is not None]
    if len(numbers) < 2:
        return f"{len(numbers)} of {len(ones)} gave a number"
    note = f"statistic mean {statistics.mean(numbers):.3g}, SD {statistics.stdev(numbers):.3g}"
    p = [one["p"] for one in ones if one.get("p") is not None]
    if p:
        note += f", p < .05 in {sum(one < 0.05 for one in p)} of {len(p)}"
    return note + ("" if len(numbers) == len(ones) else f" ({len(ones) - len(numbers)} gave none)")


def observe(folder, arguments):
    trap = tomllib.loads((folder / "trap.toml").read_text())
    term, column = trap["observed"]["term"], trap["observed"]["column"]
    workspace = Workspace(folder, trap, arguments)
    runs = [workspace.execute()]
    for retry in retries(folder):
        workspace.overlay(retry)
        runs.append(workspace.execute())
    workspace.remove()
    last = runs[-1]
    if last[0]:
        raise Fault(f"{folder.name}: the last run failed\n{last[1][-2000:]}")
    result = focal(last, term)
    for finding in trap["report"].get("finding", []) if trap["report"]["from"] == "stdout" else []:
        for text in finding.values():
            if text not in last[1]:
                raise Fault(f"{folder.name}: {text!r} was not printed\n{last[1][-1500:]}")
    seeds = range(arguments.permutations)
    noted = {
        "estimate": result.get("estimate"), "se": result.get("se"), "p": result.get("p"),
        "p_relation": result.get("relation") if result.get("relation") != "=" else None,
        "n": result.get("n"), "recorded_lines": len(last[2]),
        "earlier_runs": [f"exit {run[0]}, p {focal(run, term).get('p', 'none')}" for run in runs[:-1]] or None,
        "without_data": describe(rerun(folder, trap, arguments, lambda path: path.unlink())),
        "permuted": spread([rerun(folder, trap, arguments, lambda path: permute(path, column, seed)) for seed in seeds]),
        "dropped": spread([rerun(folder, trap, arguments, lambda path: drop(path, seed)) for seed in range(5)]),
        "unchanged": describe(rerun(folder, trap, arguments, lambda path: None)),
    }
    return {name: value for name, value in noted.items() if value is not None}


def describe(one):
    number = statistic(one)
    return "no number" if number is None else f"statistic {number:.4g}"


def note(folder, noted):
    path = folder / "trap.toml"
    text = path.read_text().split(MARK)[0].rstrip("\n")
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in noted.items()]
    path.write_text("\n".join([text, MARK, *lines]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--helpers", type=pathlib.Path, default=HERE.parents[2] / "helpers")
    parser.add_argument("--permutations", type=int, default=20)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    folders = [HERE / name for name in arguments.names] or sorted(path.parent for path in HERE.glob("*/trap.toml"))
    faults = 0
    for folder in folders:
        try:
            noted = observe(folder, arguments)
        except Fault as fault:
            faults += 1
            print(fault, file=sys.stderr, flush=True)
            continue
        print(folder.name, json.dumps(noted, ensure_ascii=False), flush=True)
        if arguments.write:
            note(folder, noted)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

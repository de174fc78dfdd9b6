#!/usr/bin/env python3
"""Grading of capsule reports beside the same arithmetic in Python, as processes of their own.

    cargo build --release && python3 tests/perf/capsule_grades.py [REPORTS] [PROGRAM] [PYTHON]

Reports are the gold of CORE-Bench's training tasks with some answers changed. Both sides read
the task file and every report, grade them as CORE-Bench does, and say how many tasks are
solved; the counts have to agree. CPU seconds of the processes, the best of three. PYTHON is one that
has numpy and scipy, which the published graders call for each number: its grading is timed as well.
"""

import json
import math
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("REPRISE_SHARED", ROOT.parent / "shared"))
TASKS = SHARED / "data/core/core_train.json"
PROGRAM = ROOT / "target/release/reprise"
T = 4.302652729911275


def peer(reports):
    """The same arithmetic: what a grader in Python has to do at least."""
    gold = {task["capsule_id"]: task["results"] for task in json.loads(TASKS.read_text())}
    solved = 0
    for path in reports:
        runs = gold[Path(path).stem]
        report = json.loads(Path(path).read_text())
        right = 0
        for question, first in runs[0].items():
            answer = report.get(question)
            if isinstance(first, (int, float)):
                values = [run[question] for run in runs]
                mean = sum(values) / len(values)
                spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
                half = T * spread * math.sqrt(1 + 1 / len(values))
                try:
                    answer = float(answer.replace("%", "")) if isinstance(answer, str) else answer
                    right += mean - half <= answer <= mean + half
                except (TypeError, ValueError):
                    pass
            elif isinstance(first, list):
                right += answer == first
            else:
                right += str(answer).lower() == str(first).lower()
        solved += right == len(runs[0])
    print(solved)


def published(reports):
    """The same with the libraries that the published graders call for each number."""
    import time

    import numpy as np
    from scipy.stats import t

    begin = time.process_time()
    gold = {task["capsule_id"]: task["results"] for task in json.loads(TASKS.read_text())}
    solved = 0
    for path in reports:
        runs = gold[Path(path).stem]
        report = json.loads(Path(path).read_text())
        right = 0
        for question, first in runs[0].items():
            answer = report.get(question)
            if isinstance(first, (int, float)):
                values = [run[question] for run in runs]
                count = len(values)
                half = t.ppf(0.975, count - 1) * np.std(values, ddof=1) * np.sqrt(1 + 1 / count)
                try:
                    answer = float(answer.replace("%", "")) if isinstance(answer, str) else answer
                    right += bool(np.mean(values) - half <= answer <= np.mean(values) + half)
                except (TypeError, ValueError):
                    pass
            elif isinstance(first, list):
                right += answer == first
            else:
                right += str(answer).lower() == str(first).lower()
        solved += right == len(runs[0])
    print(solved)
    print(time.process_time() - begin)


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, out


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    program = sys.argv[2] if len(sys.argv) > 2 else str(PROGRAM)
    tasks = json.loads(TASKS.read_text())
    with tempfile.TemporaryDirectory() as place:
        reports = []
        for number in range(count):
            task = tasks[number % len(tasks)]
            answers = dict(task["results"][number % 3])
            if number % 2:
                question = next(iter(answers))
                answers[question] = "no answer"
            folder = Path(place) / str(number)
            folder.mkdir()
            path = folder / f"{task['capsule_id']}.json"
            path.write_text(json.dumps(answers))
            reports.append(str(path))
        ours = [program, "capsule", "grade", "--tasks", str(TASKS), "--grader", "original", "--json", *reports]
        theirs = [sys.executable, __file__, "--peer", *reports]
        best = {}
        for _ in range(3):
            for name, command in [("reprise", ours), ("python", theirs)]:
                taken, out = seconds(command)
                best[name] = min(best.get(name, math.inf), taken)
                if name == "reprise":
                    counted = json.loads(out)["accuracy"][0]["tasks"]["hits"]
                else:
                    assert counted == int(out), f"{counted} tasks solved here, {out} in Python"
        print(f"{count} reports, {counted} solved by both")
        if len(sys.argv) > 3:
            out = subprocess.run([sys.argv[3], __file__, "--published", *reports], check=True, capture_output=True, text=True)
            told, taken = out.stdout.split()
            assert int(told) == counted, f"{counted} tasks solved here, {told} with numpy and scipy"
            print(f"numpy and scipy {float(taken):.3f} s of CPU without their import: {float(taken) / best['reprise']:.1f} times")
        print(f"reprise {best['reprise']:.3f} s, python {best['python']:.3f} s of CPU: {best['python'] / best['reprise']:.1f} times")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        peer(sys.argv[2:])
    elif sys.argv[1:2] == ["--published"]:
        published(sys.argv[2:])
    else:
        main()

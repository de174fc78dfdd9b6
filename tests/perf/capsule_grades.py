#!/usr/bin/env python3
"""Grading of capsule reports beside the same arithmetic in Python, as processes of their own.

    cargo build --release && python3 tests/perf/capsule_grades.py [REPORTS] [PROGRAM] [PYTHON] [LIBRARY]

Reports are the gold of CORE-Bench's training tasks with some answers changed. Both sides read
the task file and every report, grade them as CORE-Bench does, and say how many tasks are
solved; the counts have to agree. CPU seconds of the processes, the best of three. PYTHON is one that
has numpy and scipy, which the published graders call for each number: its grading is timed as well.
LIBRARY is what `cargo bench --bench capsule_grades --no-run` makes: a process that has read the reports
before it parses and grades them, beside Python doing the same.
"""

import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("REPRISE_SHARED", ROOT.parent / "shared"))
TASKS = SHARED / "data/core/core_train.json"
PROGRAM = ROOT / "target/release/reprise"
T = 4.302652729911275


def grade(reports, bounds):
    """How many tasks the reports, pairs of a task and a text, solve: what a grader in Python has to do at least."""
    gold = {task["capsule_id"]: task["results"] for task in json.loads(TASKS.read_text())}
    solved = 0
    for task, text in reports:
        runs = gold[task]
        report = json.loads(text)
        right = 0
        for question, first in runs[0].items():
            answer = report.get(question)
            if isinstance(first, (int, float)):
                lower, upper = bounds([run[question] for run in runs])
                try:
                    answer = float(answer.replace("%", "")) if isinstance(answer, str) else answer
                    right += bool(lower <= answer <= upper)
                except (TypeError, ValueError):
                    pass
            elif isinstance(first, list):
                right += answer == first
            else:
                right += str(answer).lower() == str(first).lower()
        solved += right == len(runs[0])
    return solved


def by_hand(values):
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    half = T * spread * math.sqrt(1 + 1 / len(values))
    return mean - half, mean + half


def by_libraries():
    """The same with the libraries that the published graders call for each number."""
    import numpy as np
    from scipy.stats import t

    def bounds(values):
        count = len(values)
        half = t.ppf(0.975, count - 1) * np.std(values, ddof=1) * np.sqrt(1 + 1 / count)
        return np.mean(values) - half, np.mean(values) + half

    return bounds


def in_memory(reports, bounds):
    """Prints how many tasks are solved and the seconds of grading alone, the least of three."""
    read = [(Path(path).stem, Path(path).read_text()) for path in reports]
    taken = []
    for _ in range(3):
        begun = time.process_time()
        solved = grade(read, bounds)
        taken.append(time.process_time() - begun)
    print(solved, min(taken))


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
        print(f"reprise {best['reprise']:.3f} s, python {best['python']:.3f} s of CPU: {best['python'] / best['reprise']:.1f} times")
        rows = {"python": [sys.executable, __file__, "--in-memory", *reports]}
        if len(sys.argv) > 3:
            rows["numpy and scipy"] = [sys.argv[3], __file__, "--libraries", *reports]
        if len(sys.argv) > 4:
            rows["reprise, the library"] = [sys.argv[4], str(TASKS), *reports]
        for name, command in rows.items():
            solved, taken = seconds(command)[1].split()
            assert int(solved) == counted, f"{counted} tasks solved here, {solved} by {name}"
            print(f"reports that are read already, {name}: {1e3 * float(taken):.1f} ms of CPU")


if __name__ == "__main__":
    match sys.argv[1:2]:
        case ["--peer"]:
            print(grade(((Path(path).stem, Path(path).read_text()) for path in sys.argv[2:]), by_hand))
        case ["--in-memory"]:
            in_memory(sys.argv[2:], by_hand)
        case ["--libraries"]:
            in_memory(sys.argv[2:], by_libraries())
        case _:
            main()


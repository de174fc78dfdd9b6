#!/usr/bin/env python3
"""What a bench of many cells takes: the page of made-up cells, the folding of real ones, cells that are begun anew.

  python3 tests/perf/bench.py --program target/release/reprise
  python3 tests/perf/bench.py --program target/debug/reprise --cells 100 1000 --runs 10 100
  python3 tests/perf/bench.py --program target/release/reprise --cells --turns 100 1000 --server-python VENV/bin/python

--cells: so many made-up lines of cells.jsonl, 10 agents by tasks; `bench report` writes the page, the best of three counts.
--runs: so many cells of a bundled capsule by its recording, in one process, then folded again by `bench collect`; CPU, wall and
peak memory of each, and a cell's part of it. The load of the machine stands beside: on a busy one read ratios.
--turns: so many cells of a stage that asks a scripted server (of shared/perf, by a Python with uvicorn) 21 times, with a call of
a tool each but for the last, which answers nothing that the stage takes: CPU, wall and peak memory without the server's. With
--peer VENV as many samples by the Inspect AI of that environment stand beside, against a server of the same kind.
"""
import argparse, json, os, pathlib, random, shutil, subprocess, tempfile, time

import inspect_runs
import scripted_server

parser = argparse.ArgumentParser()
parser.add_argument("--program", required=True)
parser.add_argument("--cells", type=int, nargs="*", default=[100, 1000, 10000])
parser.add_argument("--runs", type=int, nargs="*", default=[])
parser.add_argument("--turns", type=int, nargs="*", default=[])
parser.add_argument("--parallel", type=int, default=2)
parser.add_argument("--latency-ms", type=int, default=200)
parser.add_argument("--port", type=int, default=8198)
parser.add_argument("--server-python", default="python3")
parser.add_argument("--peer", help="a virtual environment with inspect-ai")
arguments = parser.parse_args()
program = str(pathlib.Path(arguments.program).resolve())
repository = pathlib.Path(__file__).resolve().parents[2]


def call(folder, *what, statuses=(0,)):
    """Wall seconds, CPU seconds and peak kilobytes of a call."""
    started = time.time()
    process = subprocess.Popen([program, *what], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.time() - started
    if os.waitstatus_to_exitcode(status) not in statuses:
        raise SystemExit(f"{what}: exit code {os.waitstatus_to_exitcode(status)}: {error.decode()[-2000:]}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def asking(folder, count):
    """A bench of one study and one stage, in which a scripted model calls a tool 20 times."""
    shutil.copytree(repository / "tests/fixtures/slope", folder / "slope")
    stage = folder / "stages/search"
    stage.mkdir(parents=True)
    (stage / "stage.toml").write_text(
        "stage = 'search'\nschema = 'search_results'\ntools = ['list_files']\nturns = 21\noutput_tokens = 1000\nrepairs = 0\n"
    )
    shutil.copy(repository / "stages/search/prompt.md", stage)
    (folder / "bench.toml").write_text(
        f"name = 'asking'\nrepeats = {count}\n[settings]\napprove = 'auto'\nstages = 'search'\nstages-dir = 'stages'\n"
        "[[studies]]\npaths = ['slope']\n[[agents]]\nname = 'scripted'\n"
        f"settings = {{ model = 'openai-api/127.0.0.1:{arguments.port}/v1/mock-20' }}\n"
    )


def made_up(folder, count):
    random.seed(1)
    agents = 10
    lines, plan = [], []
    for at in range(count):
        task, agent = at // agents, at % agents
        solved = random.random() < 0.4 + agent / 30
        cell = {
            "cell": f"{at:012x}", "kind": "capsule", "task": f"capsule-{task:07d}", "agent": f"agent {agent}",
            "arm": {"level": ["easy", "hard"][task % 2]}, "repeat": 1, "attempt": 1, "folder": f"cells/{at}",
            "result": "solved" if solved else "not_solved", "words": "score 1.000" if solved else "score 0.500",
            "score": 1.0 if solved else 0.5, "tokens": random.randrange(10**5), "cost": random.randrange(10**6),
            "seconds": random.random() * 1000,
            "details": {"field": ["Computer Science", "Medical"][task % 2], "language": ["Python", "R"][task % 3 % 2],
                        "level": ["easy", "hard"][task % 2],
                        "stages": [{"stage": "reproduce", "seconds": 10.0, "tokens": 1000, "turns": 20}]},
        }
        lines.append(json.dumps(cell))
        plan.append({key: cell[key] for key in ("cell", "kind", "task", "agent", "arm", "repeat", "attempt", "folder")} | {"options": []})
    bench = folder / "bench"
    bench.mkdir()
    (bench / "cells.jsonl").write_text("\n".join(lines) + "\n")
    (bench / "bench.json").write_text(json.dumps({"name": "made up", "version": "0", "cells": plan}))


print(f"load {os.getloadavg()[0]:.1f}")
for count in arguments.cells:
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        made_up(folder, count)
        best = min(call(folder, "bench", "report", "bench") for _ in range(3))
        size = (folder / "bench/index.html").stat().st_size
        print(f"page of {count} made-up cells: {best[0]:.2f} s wall, {best[1]:.2f} s CPU, {best[2] / 1024:.0f} MB, {size / 1e6:.1f} MB of HTML")
for count in arguments.runs:
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        shutil.copytree(repository / "capsules/sunspots", folder / "sunspots")
        (folder / "bench.toml").write_text(
            f"name = 'many'\nrepeats = {count}\nsettings = {{ approve = 'auto', sandbox = 'local' }}\n"
            "[[capsules]]\nfiles = ['sunspots/task.json']\nsettings.level = 'hard'\n"
        )
        ran = call(folder, "bench", "bench.toml", "--quiet", "--parallel", str(arguments.parallel))
        again = call(folder, "bench", "collect", "bench.toml")
        for name, (wall, cpu, peak) in (("run", ran), ("folded", again)):
            print(f"{count} cells {name}: {wall:.2f} s wall, {cpu:.2f} s CPU ({1e3 * cpu / count:.1f} ms a cell), {peak / 1024:.0f} MB peak")


def cells_that_ask(count):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        asking(folder, count)
        # The last answer is none, and there is no other one: every cell ends at its limit.
        wall, cpu, peak = call(folder, "bench", "bench.toml", "--quiet", "--parallel", str(arguments.parallel), statuses=(6,))
        for lines in folder.rglob("cells.jsonl"):
            lines.unlink()
        for how in ("all journals", "no journal, since none has changed"):
            folded = call(folder, "bench", "collect", "bench.toml")
            print(f"{count} cells of 21 answers collected by folding {how}: {folded[0]:.2f} s wall, {folded[1]:.2f} s CPU, {folded[2] / 1024:.0f} MB peak")
    return wall, cpu, peak / 1024


def samples_that_ask(count):
    base = f"http://127.0.0.1:{arguments.port}/v1"
    row = inspect_runs.measure(f"{arguments.peer}/bin/python", base, count, 20, arguments.parallel)
    return row["wall_s"], row["cpu_s"], row["peak_rss_mb"]


for count in arguments.turns:
    for name, ask in [("cells", cells_that_ask)] + ([("samples of Inspect AI", samples_that_ask)] if arguments.peer else []):
        server = scripted_server.serve(arguments.server_python, arguments.port, arguments.latency_ms)
        try:
            wall, cpu, peak = ask(count)
            asked = scripted_server.stats(arguments.port)
        finally:
            server.kill()
            server.wait()
        assert asked["requests"] == 21 * count, asked
        print(
            f"{count} {name} of 21 answers, {arguments.parallel} at once: {wall:.2f} s wall, {cpu:.2f} s CPU "
            f"({1e3 * cpu / asked['requests']:.2f} ms an answer), {peak:.0f} MB peak, "
            f"at most {asked['max_in_flight']} requests at once",
            flush=True,
        )

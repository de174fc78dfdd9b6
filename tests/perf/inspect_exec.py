#!/usr/bin/env python3
"""Commands in Inspect AI's docker sandbox, as capsule_serve.py gives them to episodes of ours.

    python3 -m venv /tmp/inspect && /tmp/inspect/bin/pip install inspect-ai
    tests/perf/inspect_docker.sh up          # and set what it prints
    /tmp/inspect/bin/python tests/perf/inspect_exec.py [--steps 200] [--episodes 100]

Inspect AI wants Docker 24 and compose 2.21, which Debian has from trixie on; DOCKER_HOST names such a
daemon, which capsule_serve.py is given as well. A step of Inspect's starts a shell of its own, one of an
episode is typed into a shell that lasts. Printed are milliseconds of `true` in one sandbox, the median,
and with as many samples as episodes, each with a container of its own: seconds until all are open, the
median of 5 steps of each, made together once all are open, seconds for all, and for each the most
resident memory of the process with the clients that it starts, beyond what it had before.
"""

import argparse
import asyncio
import os
import statistics
import tempfile
import threading
import time
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.solver import solver
from inspect_ai.util import sandbox

COMPOSE = """services:
  default:
    image: python:3.11-slim
    x-local: true
    init: true
    command: sleep infinity
    network_mode: none
    cpus: 1.0
    mem_limit: 4gb
"""


def kilobytes(process):
    try:
        lines = (process / "status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS")), 0)


def resident():
    """Megabytes of this process and of those that it has started."""
    parents = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(process.name)] = int((process / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    ours = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(kilobytes(Path(f"/proc/{process}")) for process in ours) / 1024


class Peak(threading.Thread):
    """The most memory, looked at ten times a second."""

    def __init__(self):
        super().__init__(daemon=True)
        self.over, self.megabytes = threading.Event(), 0.0

    def run(self):
        while not self.over.wait(0.1):
            self.megabytes = max(self.megabytes, resident())


def run(samples, steps, word):
    taken, opened = [], []
    everybody = asyncio.Event()

    @solver
    def act():
        async def solve(state, generate):
            # The container is there; nobody begins before the others'.
            opened.append(time.perf_counter())
            if len(opened) == samples:
                everybody.set()
            await everybody.wait()
            for number in range(steps):
                begin = time.perf_counter()
                done = await sandbox().exec(["sh", "-c", word.format(number)])
                taken.append(1000 * (time.perf_counter() - begin))
                assert done.success, done
            return state

        return solve

    with tempfile.TemporaryDirectory() as folder:
        compose = Path(folder) / "compose.yaml"
        compose.write_text(COMPOSE)
        dataset = [Sample(input=f"sample {number}") for number in range(samples)]
        task = Task(dataset=dataset, solver=act(), sandbox=("docker", str(compose)))
        before, peak = resident(), Peak()
        peak.start()
        begin = time.perf_counter()
        logs = eval(
            task,
            model="mockllm/model",
            max_samples=samples,
            max_sandboxes=samples,
            max_subprocesses=samples,
            display="none",
            log_dir=str(Path(folder) / "logs"),
        )
        seconds = time.perf_counter() - begin
        peak.over.set()
        peak.join()
    assert logs[0].status == "success", logs[0].error
    assert len(taken) == samples * steps, f"{samples * steps - len(taken)} of the steps failed"
    return statistics.median(taken), max(opened) - begin, seconds, (peak.megabytes - before) / samples


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--episodes", type=int, default=100)
    args = parser.parse_args()
    one, _, _, _ = run(1, args.steps, "true")
    print(f"one sandbox: a step {one:.1f} ms")
    if args.episodes:
        many, opened, seconds, memory = run(args.episodes, 5, "echo {}")
        print(
            f"{args.episodes} sandboxes at once: all open after {opened:.1f} s, over after {seconds:.1f} s, "
            f"a step {many:.1f} ms, {memory:.2f} MB of the process and its clients a sandbox"
        )


if __name__ == "__main__":
    main()

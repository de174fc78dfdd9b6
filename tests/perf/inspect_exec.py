#!/usr/bin/env python3
"""Commands in Inspect AI's docker sandbox, as capsule_serve.py gives them to episodes of ours.

    python3 -m venv /tmp/inspect && /tmp/inspect/bin/pip install inspect-ai
    /tmp/inspect/bin/python tests/perf/inspect_exec.py [--steps 200] [--episodes 100]

Inspect AI wants Docker 24 and compose 2.21, which Debian has from trixie on; DOCKER_HOST names such a
daemon, which capsule_serve.py can be given as well. It has to have the image python:3.11-slim
(tests/images/make). Printed are milliseconds of `true` in one sandbox, the median, and with as many
samples as episodes, each with a container of its own and 5 steps at once: the median of a step, seconds
for all, and the resident memory of the process for each.
"""

import argparse
import statistics
import tempfile
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


def resident():
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def run(samples, steps, word):
    taken, peak = [], [0.0]

    @solver
    def act():
        async def solve(state, generate):
            for number in range(steps):
                begin = time.perf_counter()
                done = await sandbox().exec(["sh", "-c", word.format(number)])
                taken.append(1000 * (time.perf_counter() - begin))
                assert done.success, done
            peak[0] = max(peak[0], resident())
            return state

        return solve

    with tempfile.TemporaryDirectory() as folder:
        compose = Path(folder) / "compose.yaml"
        compose.write_text(COMPOSE)
        dataset = [Sample(input=f"sample {number}") for number in range(samples)]
        task = Task(dataset=dataset, solver=act(), sandbox=("docker", str(compose)))
        before, begin = resident(), time.perf_counter()
        logs = eval(
            task,
            model="mockllm/model",
            max_samples=samples,
            max_sandboxes=samples,
            display="none",
            log_dir=str(Path(folder) / "logs"),
        )
        seconds = time.perf_counter() - begin
    assert logs[0].status == "success", logs[0].error
    assert len(taken) == samples * steps, f"{samples * steps - len(taken)} of the steps failed"
    return statistics.median(taken), seconds, (peak[0] - before) / samples


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--episodes", type=int, default=100)
    args = parser.parse_args()
    one, _, _ = run(1, args.steps, "true")
    print(f"one sandbox: a step {one:.1f} ms")
    if args.episodes:
        many, seconds, memory = run(args.episodes, 5, "echo {}")
        print(
            f"{args.episodes} sandboxes at once: a step {many:.1f} ms, over after {seconds:.1f} s, "
            f"{memory:.2f} MB of the process a sandbox"
        )


if __name__ == "__main__":
    main()

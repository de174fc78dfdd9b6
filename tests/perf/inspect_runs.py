"""Inspect AI against the scripted model server, by the runner of shared/perf, for the scripts beside this file."""

import json
import os
import subprocess
import tempfile
import time

from scripted_server import PERF


def last_json(output):
    return json.loads([line for line in output.decode().splitlines() if line.startswith("{")][-1])


def measure(python, base, runs, turns, connections):
    """Wall, CPU and peak memory of so many samples, all of them open at once, by a Python with inspect-ai."""
    logs = tempfile.mkdtemp()
    command = [python, PERF / "run_inspect.py", "--provider", "http", "--base-url", base, "--samples", runs,
               "--turns", turns, "--max-connections", connections, "--max-samples", runs, "--log-dir", logs]
    started = time.time()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    output = process.stdout.read()
    _, _, usage = os.wait4(process.pid, 0)
    cpu = usage.ru_utime + usage.ru_stime
    answers = runs * (turns + 1)
    last_json(output)  # it finished
    return {"engine": "inspect-ai", "wall_s": round(time.time() - started, 3), "cpu_s": round(cpu, 3),
            "cpu_ms_per_turn": round(1000 * cpu / answers, 3), "peak_rss_mb": round(usage.ru_maxrss / 1024, 1)}

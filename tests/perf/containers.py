#!/usr/bin/env python3
"""What one confined execution costs: reprise beside `docker run --rm`, in turns, in one run.

  python3 tests/perf/containers.py [--runs 20] [--parallel 20] [--image debian:bookworm-slim] [--profile bench]

Each kind creates a container, starts it, runs `true` in it and removes it. Prints a table and ratios.
"""
import argparse, json, os, pathlib, statistics, subprocess

parser = argparse.ArgumentParser()
parser.add_argument("--runs", type=int, default=20)
parser.add_argument("--parallel", type=int, default=20)
parser.add_argument("--image", default="debian:bookworm-slim")
parser.add_argument("--profile", default="bench", help="the cargo profile: `dev` needs no further build")
arguments = parser.parse_args()

repository = pathlib.Path(__file__).resolve().parents[2]
command = ["cargo", "bench", "--profile", arguments.profile, "--bench", "containers", "--quiet", "--"]
command += ["--runs", str(arguments.runs), "--parallel", str(arguments.parallel), "--image", arguments.image]
load = os.getloadavg()[0]
output = subprocess.run(command, cwd=repository, check=True, stdout=subprocess.PIPE).stdout.decode()
found = json.loads([line for line in output.splitlines() if line.startswith("{")][-1])

plain = statistics.median(found["docker_run"])
print(f"one after another, n={found['runs']} of each, load {load:.1f} at the start (ms)")
print(f"{'':34}{'median':>8}{'min':>8}{'max':>8}{'ratio':>8}")
for name, key in [
    ("docker run --rm", "docker_run"),
    ("docker run --rm, as confined", "docker_run_confined"),
    ("reprise", "reprise"),
]:
    times = found[key]
    median = statistics.median(times)
    print(f"{name:34}{median:8.0f}{min(times):8.0f}{max(times):8.0f}{median / plain:8.2f}")
print("\nmaking an environment (ms)")
for name, time in sorted(found["rebuilds"].items()):
    print(f"{name[2:]:34}{time:8.0f}")
print(f"\n{found['parallel']} at once (ms until all are removed)")
for name, key in [("docker run --rm", "docker_run_at_once"), ("reprise", "reprise_at_once")]:
    print(f"{name:34}{found[key]:8.0f}{found[key] / found['docker_run_at_once']:24.2f}")

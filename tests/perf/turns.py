#!/usr/bin/env python3
"""What a turn costs: reprise beside Inspect AI, against one scripted server, in one run.

  python3 tests/perf/turns.py                 # reprise alone
  python3 tests/perf/turns.py --peer VENV     # VENV has inspect-ai, openai, aiohttp, uvicorn installed
  python3 tests/perf/turns.py --debug         # without a release build, for a look in between

The server and the peer's runner are in $REPRISE_SHARED/perf. For each latency and each number of
connections it prints wall time beside the ideal, CPU a turn and peak memory, and the ratios; then one
small run of two turns. The load of the machine stands beside each: on a busy one read ratios. Build first
with `cargo bench --bench turns --no-run`.
"""
import argparse, json, os, pathlib, subprocess, sys

import inspect_runs
from scripted_server import serve

parser = argparse.ArgumentParser()
parser.add_argument("--runs", type=int, default=200)
parser.add_argument("--turns", type=int, default=20)
parser.add_argument("--latency-ms", type=int, nargs="*", default=[0, 200])
parser.add_argument("--connections", type=int, nargs="*", default=[10, 50, 200])
parser.add_argument("--peer-connections", type=int, nargs="*", help="those that the peer is measured with [default: all]")
parser.add_argument("--debug", action="store_true", help="measure a debug build")
parser.add_argument("--program", help="the bench, where it is built already")
parser.add_argument("--port", type=int, default=8199)
parser.add_argument("--peer", help="a virtual environment with inspect-ai")
parser.add_argument("--server-python", help="a Python with uvicorn", default=None)
arguments = parser.parse_args()

repository = pathlib.Path(__file__).resolve().parents[2]
python = arguments.server_python or (f"{arguments.peer}/bin/python" if arguments.peer else sys.executable)
base = f"http://127.0.0.1:{arguments.port}/v1"


def binary():
    """The bench itself: started by cargo it would inherit cargo's peak memory."""
    build = ["test"] if arguments.debug else ["bench"]
    command = ["cargo", *build, "--bench", "turns", "--no-run", "--message-format", "json"]
    messages = subprocess.run(command, cwd=repository, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    built = [json.loads(line) for line in messages.splitlines() if line.startswith(b"{")]
    return [message["executable"] for message in built if message.get("target", {}).get("name") == "turns"][-1]


def ours(runs, turns, connections):
    command = [program, "--base-url", base, "--runs", str(runs), "--turns", str(turns), "--connections", str(connections)]
    return inspect_runs.last_json(subprocess.run(command, cwd=repository, check=True, stdout=subprocess.PIPE).stdout)


def theirs(runs, turns, connections):
    return inspect_runs.measure(python, base, runs, turns, connections)


def compare(runs, turns, latency, connections):
    rows = []
    peers = arguments.peer_connections or arguments.connections + [1]
    for measure in [ours] + ([theirs] if arguments.peer and connections in peers else []):
        server = serve(python, arguments.port, latency)
        try:
            rows.append(measure(runs, turns, connections))
        finally:
            server.kill()
            server.wait()
    # Every call waits for the latency, and so many are under way at once; a run's own come in turn.
    ideal = latency / 1000 * (turns + 1) * max(1.0, runs / connections)
    load = os.getloadavg()[0]
    print(f"\n{runs} runs x {turns + 1} turns at {latency} ms, {connections} connections (ideal wall {ideal:.1f} s; load {load:.1f})")
    for row in rows:
        slow = f" ({row['wall_s'] / ideal:4.2f} x ideal)" if ideal else ""
        print(f"  {row['engine']:<11} wall {row['wall_s']:8.2f} s{slow}   cpu {row['cpu_ms_per_turn']:7.3f} ms/turn   peak {row['peak_rss_mb']:7.1f} MB")
    if len(rows) == 2:
        ratio = {key: rows[1][key] / rows[0][key] for key in ("wall_s", "cpu_ms_per_turn", "peak_rss_mb")}
        print(f"  peer / ours  wall {ratio['wall_s']:8.1f} x   cpu {ratio['cpu_ms_per_turn']:7.1f} x        peak {ratio['peak_rss_mb']:7.1f} x", flush=True)


program = arguments.program or binary()
for latency in arguments.latency_ms:
    for connections in arguments.connections:
        compare(arguments.runs, arguments.turns, latency, connections)
compare(1, 1, 0, 1)

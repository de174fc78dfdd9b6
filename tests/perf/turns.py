#!/usr/bin/env python3
"""What a turn costs: reprise beside Inspect AI, against one scripted server, in one run.

  python3 tests/perf/turns.py                 # reprise alone
  python3 tests/perf/turns.py --peer VENV     # VENV has inspect-ai, openai, aiohttp, uvicorn installed

The server and the peer's runner are in $REPRISE_SHARED/perf. Prints a table and ratios; build first with
`cargo bench --bench turns --no-run`.
"""
import argparse, json, os, pathlib, subprocess, sys, tempfile, time, urllib.request

parser = argparse.ArgumentParser()
parser.add_argument("--runs", type=int, default=200)
parser.add_argument("--turns", type=int, default=20)
parser.add_argument("--latency-ms", type=int, nargs="*", default=[0, 200])
parser.add_argument("--port", type=int, default=8199)
parser.add_argument("--peer", help="a virtual environment with inspect-ai")
parser.add_argument("--server-python", help="a Python with uvicorn", default=None)
arguments = parser.parse_args()

repository = pathlib.Path(__file__).resolve().parents[2]
perf = pathlib.Path(os.environ.get("REPRISE_SHARED", repository.parent / "shared")) / "perf"
python = arguments.server_python or (f"{arguments.peer}/bin/python" if arguments.peer else sys.executable)
base = f"http://127.0.0.1:{arguments.port}/v1"


def serve(latency):
    server = subprocess.Popen(
        [python, perf / "mock_server.py", "--port", str(arguments.port), "--latency-ms", str(latency), "--tool", "list_files"],
        stderr=subprocess.DEVNULL,
    )
    deadline = time.time() + 30
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{arguments.port}/stats", timeout=1).read()
            return server
        except OSError:
            if time.time() > deadline:
                server.kill()
                sys.exit("the scripted server did not start: does this Python have uvicorn?")
            time.sleep(0.1)


def last_json(output):
    return json.loads([line for line in output.decode().splitlines() if line.startswith("{")][-1])


def binary():
    """The bench itself: started by cargo it would inherit cargo's peak memory."""
    command = ["cargo", "bench", "--bench", "turns", "--no-run", "--message-format", "json"]
    messages = subprocess.run(command, cwd=repository, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    built = [json.loads(line) for line in messages.splitlines() if line.startswith(b"{")]
    return [message["executable"] for message in built if message.get("target", {}).get("name") == "turns"][-1]


def ours():
    command = [binary(), "--base-url", base, "--runs", str(arguments.runs), "--turns", str(arguments.turns)]
    return last_json(subprocess.run(command, cwd=repository, check=True, stdout=subprocess.PIPE).stdout)


def theirs():
    logs = tempfile.mkdtemp()
    command = [python, perf / "run_inspect.py", "--provider", "http", "--base-url", base, "--samples", arguments.runs,
               "--turns", arguments.turns, "--max-connections", arguments.runs, "--max-samples", arguments.runs, "--log-dir", logs]
    started = time.time()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    output = process.stdout.read()
    _, _, usage = os.wait4(process.pid, 0)
    cpu = usage.ru_utime + usage.ru_stime
    turns = arguments.runs * (arguments.turns + 1)
    last_json(output)  # it finished
    return {"engine": "inspect-ai", "wall_s": round(time.time() - started, 3), "cpu_s": round(cpu, 3),
            "cpu_ms_per_turn": round(1000 * cpu / turns, 3), "peak_rss_mb": round(usage.ru_maxrss / 1024, 1)}


for latency in arguments.latency_ms:
    rows = []
    for measure in [ours] + ([theirs] if arguments.peer else []):
        server = serve(latency)
        try:
            rows.append(measure())
        finally:
            server.kill()
            server.wait()
    ideal = latency / 1000 * (arguments.turns + 1)
    print(f"\n{arguments.runs} runs x {arguments.turns + 1} turns at {latency} ms (ideal wall {ideal:.1f} s)")
    for row in rows:
        print(f"  {row['engine']:<11} wall {row['wall_s']:8.2f} s   cpu {row['cpu_ms_per_turn']:7.3f} ms/turn   peak {row['peak_rss_mb']:7.1f} MB")
    if len(rows) == 2:
        ratio = {key: rows[1][key] / rows[0][key] for key in ("wall_s", "cpu_ms_per_turn", "peak_rss_mb")}
        print(f"  peer / ours  wall {ratio['wall_s']:8.1f} x   cpu {ratio['cpu_ms_per_turn']:7.1f} x        peak {ratio['peak_rss_mb']:7.1f} x")

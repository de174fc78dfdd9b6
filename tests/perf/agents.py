#!/usr/bin/env python3
"""What programs of others take as agents: processors, memory and time of an attempt at a capsule.

    cargo build --release && python3 tests/perf/agents.py [--program PROGRAM] [--rounds COUNT] [AGENT...]

Each agent attempts `capsules/sunspots` in the local sandbox against the scripted server of shared/agents, which has it run
three commands that take nothing (`ls`, `true`, an answer that is written), so that what is measured is the agent, its calls
and the engine about it. Besides, as what an attempt takes without them, the fake agent of the tests (Python's standard
library) with the same calls. Files of agents are fetched into --cache. Needs root and control groups of either version, in
which each attempt is put: medians over the rounds, which alternate, of the seconds of the processors of everything that was
started and of the wall, and the most resident memory that all processes but the engine's had together, looked at 20 times a
second.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("REPRISE_SHARED", ROOT.parent / "shared"))
COMMANDS = ["ls", "true", "echo '{}' > report.json"]
CHAT = ("openai-api/127.0.0.1:{port}/v1/scripted", {"REPRISE_MODEL_KEY": "k"})
MODELS = {
    "command": CHAT,
    "codex": ("openai/gpt-5", {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://127.0.0.1:{port}/v1"}),
    "gemini": ("gemini/gemini-2.5-pro", {"GEMINI_API_KEY": "k", "GEMINI_BASE_URL": "http://127.0.0.1:{port}/v1beta/openai"}),
    "opencode": CHAT,
    "mini-swe-agent": CHAT,
}


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def serve(place):
    port = free_port()
    words = [sys.executable, SHARED / "agents/mock_agents_server.py", "--port", port, "--log", place / "requests.jsonl"]
    for command in COMMANDS:
        words += ["--cmd", command]
    server = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return server, port
        except ConnectionRefusedError:
            time.sleep(0.05)


class Group:
    """A control group for one attempt: its CPU, and the processes in it."""

    def __init__(self, program):
        self.program = program
        both = Path("/sys/fs/cgroup/cgroup.controllers").exists()
        self.folder = Path("/sys/fs/cgroup" if both else "/sys/fs/cgroup/cpuacct", f"reprise-perf-{os.getpid()}")
        self.clock = ("cpu.stat", "usage_usec", 1e6) if both else ("cpuacct.usage", None, 1e9)
        self.folder.mkdir()
        self.most = 0.0
        self.over = threading.Event()
        self.looking = threading.Thread(target=self.look)

    def join(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def __enter__(self):
        self.looking.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.looking.join()
        while (self.folder / "cgroup.procs").read_text():
            time.sleep(0.1)
        self.folder.rmdir()

    def cpu(self):
        name, key, unit = self.clock
        text = (self.folder / name).read_text()
        value = text if key is None else next(line.split()[1] for line in text.splitlines() if line.startswith(key))
        return int(value) / unit

    def look(self):
        page = os.sysconf("SC_PAGE_SIZE")
        while not self.over.wait(0.05):
            together = 0
            for pid in (self.folder / "cgroup.procs").read_text().split():
                try:
                    if os.path.samefile(f"/proc/{pid}/exe", self.program):
                        continue
                    together += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * page
                except (OSError, IndexError):
                    pass  # it is gone
            self.most = max(self.most, together / 1e6)


def attempt(options, name):
    """Seconds of the processors, megabytes and seconds of wall of one attempt, and the calls that were answered."""
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        server, port = serve(place)
        try:
            model, variables = MODELS[name]
            words = [options.program, "capsule", "run", ROOT / "capsules/sunspots/task.json", "--approve", "auto", "--sandbox",
                     "local", "--network", "none", "--allow-unpriced", "--quiet", "--out", "run", "--agent", name, "--model",
                     model.format(port=port)]
            if name == "command":
                words += ["--agent-files", ROOT / "tests/agents/clients", "--", "python3", "/agent/agent.py", "chat"]
            with Group(options.program) as group:
                begun = time.time()
                run = subprocess.run([str(word) for word in words], cwd=place, capture_output=True, text=True,
                                     preexec_fn=group.join,
                                     env={**os.environ, "REPRISE_CACHE": options.cache, "HOME": str(place),
                                          **{key: value.format(port=port) for key, value in variables.items()}})
                wall, cpu = time.time() - begun, group.cpu()
            journal = place / "run/journal.jsonl"
            if not journal.exists():
                sys.exit(f"{name} was not started:\n{run.stdout}{run.stderr}")
            events = [json.loads(line)["event"] for line in journal.read_text().splitlines()]
            ended = [event for event in events if event["kind"] == "program_ended"]
            calls = sum(event["kind"] == "model_answered" for event in events)
            if not ended or calls < len(COMMANDS):
                sys.exit(f"{name} made {calls} calls:\n{run.stderr}\n{ended}")
            return {"cpu": cpu, "wall": wall, "memory": group.most, "calls": calls, "ended": ended[-1]["ending"]}
        finally:
            server.kill()
            server.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("agents", nargs="*", default=list(MODELS))
    parser.add_argument("--program", default=str(ROOT / "target/release/reprise"))
    parser.add_argument("--cache", default=str(ROOT / "target/tmp/real-agents/cache"))
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    options.program = str(Path(options.program).resolve())
    for name in options.agents:
        if name != "command":
            subprocess.run([options.program, "agents", "add", name], check=True, stdout=subprocess.DEVNULL,
                           env={**os.environ, "REPRISE_CACHE": options.cache})
    found = {name: [] for name in options.agents}
    for _ in range(options.rounds):
        for name in options.agents:
            found[name].append(attempt(options, name))
    print(f"load {os.getloadavg()[0]:.1f}")
    for name, rows in found.items():
        cpu, memory, wall, calls = (statistics.median(row[key] for row in rows) for key in ("cpu", "memory", "wall", "calls"))
        print(f"{name:<16} {cpu:6.2f} s of CPU, {memory:6.0f} MB, {wall:6.2f} s of wall, {calls:.0f} calls, "
              f"ended {rows[-1]['ended']}", flush=True)


main()

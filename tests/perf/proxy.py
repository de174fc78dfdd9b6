#!/usr/bin/env python3
"""Calls of a program through the model proxy beside the same calls through a bare forwarder, in one run.

    cargo build --release && python3 tests/perf/proxy.py [--program PROGRAM] [--calls COUNT] [--rounds COUNT]

A scripted provider on loopback answers chat completions at once. One client makes the same calls three times: to the
provider itself, through a forwarder that moves bytes unread (splice, a thread a connection), and in the sandbox of an
attempt at a capsule, through the proxy. For each size of body (5, 50 and 500 kB; each call another body that begins as the
one before, as agents' calls do):

- CPU per call beyond that of the client and the provider: of the forwarder from its own account; of the proxy as the
  difference between an attempt with all calls and one with a single call, divided by the calls between, so that neither the
  start of the run nor its end counts. The attempt's figure holds its journal, with every sync.
- first byte: from the last byte of the request to the first of the answer, median and 95th percentile; beside it what one
  sync of the disk takes in the run's folder, by writing as much.

The goal: CPU within 3 times the forwarder's, and a first byte within 5 ms beyond one sync. Rounds alternate; medians over them.
"""

import argparse
import http.client
import http.server
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SIZES = [5_000, 50_000, 500_000]
ANSWER = json.dumps({
    "id": "c", "object": "chat.completion", "created": 1, "model": "scripted",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "done " * 40}}],
    "usage": {"prompt_tokens": 1000, "completion_tokens": 40, "total_tokens": 1040},
}).encode()


class Provider(http.server.BaseHTTPRequestHandler):
    """Reads the request whole, and answers at once."""

    protocol_version = "HTTP/1.1"
    # Head and body leave in two writes: held back, the second waits 40 ms for an answer to the first.
    disable_nagle_algorithm = True

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    def log_message(self, *_):
        pass


def serve_provider():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()


def move(source, target):
    """Moves bytes from a socket to another through a pipe, unread."""
    read, write = os.pipe()
    try:
        while count := os.splice(source.fileno(), write, 1 << 20):
            while count:
                count -= os.splice(read, target.fileno(), count)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass
    finally:
        os.close(read)
        os.close(write)


def forward(port):
    """The bare forwarder; tells its CPU seconds for each line on standard input."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    print(listener.getsockname()[1], flush=True)

    def accept():
        while True:
            client, _ = listener.accept()
            upstream = socket.create_connection(("127.0.0.1", port))
            for one in (client, upstream):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for ends in ((client, upstream), (upstream, client)):
                threading.Thread(target=move, args=ends, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    for _ in sys.stdin:
        print(cpu(resource.RUSAGE_SELF), flush=True)


def client(base, key, model, size, calls):
    """Makes the calls, and tells its CPU seconds and the milliseconds to each first byte."""
    address = base.split("//", 1)[1]
    host, _, path = address.partition("/")
    first = []
    filler = "x" * size
    for number in range(calls):
        body = json.dumps({"model": model, "max_tokens": 100, "messages": [
            {"role": "user", "content": filler}, {"role": "user", "content": f"call {number}"}]}).encode()
        connection = http.client.HTTPConnection(host, timeout=120)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.request("POST", f"/{path}/chat/completions", body, {
            "content-type": "application/json", "authorization": f"Bearer {key}"})
        begun = time.perf_counter()
        connection.sock.recv(1, socket.MSG_PEEK)
        first.append(1000 * (time.perf_counter() - begun))
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        assert answer.status == 200, text
    return {"cpu": cpu(resource.RUSAGE_SELF), "first": first}


def in_sandbox(size, calls):
    told = client(os.environ["OPENAI_BASE_URL"], os.environ["OPENAI_API_KEY"], os.environ["REPRISE_MODEL"], size, calls)
    Path("measured.json").write_text(json.dumps(told))
    Path(os.environ["REPRISE_ANSWER_FILE"]).write_text("{}")


def cpu(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def started(*words):
    child = subprocess.Popen([sys.executable, __file__, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             text=True)
    return child, int(child.stdout.readline())


def told_cpu(forwarder):
    forwarder.stdin.write("\n")
    forwarder.stdin.flush()
    return float(forwarder.stdout.readline())


def attempt(program, port, size, calls):
    """An attempt whose agent makes the calls: the CPU of everything but the agent, its first bytes, and one sync."""
    with tempfile.TemporaryDirectory() as place:
        agent = Path(place, "agent")
        agent.mkdir()
        (agent / "client.py").write_text(Path(__file__).read_text())
        words = [program, "capsule", "run", ROOT / "capsules/sunspots/task.json", "--approve", "auto", "--sandbox", "local",
                 "--network", "none", "--allow-unpriced", "--quiet", "--out", "run", "--model",
                 f"openai-api/127.0.0.1:{port}/v1/scripted", "--agent", "command", "--agent-files", agent, "--",
                 "python3", "/agent/client.py", "--in-sandbox", size, calls]
        before = cpu(resource.RUSAGE_CHILDREN)
        # The answers are none, so the attempt fails its stage: what is measured is done by then.
        run = subprocess.run([str(word) for word in words], cwd=place, capture_output=True, text=True,
                             env={**os.environ, "REPRISE_MODEL_KEY": "none", "REPRISE_CACHE": place + "/cache"})
        used = cpu(resource.RUSAGE_CHILDREN) - before
        found = Path(place, "run/workspace/work/measured.json")
        if not found.exists():
            sys.exit(f"the attempt measured nothing:\n{run.stdout}{run.stderr}")
        told = json.loads(found.read_text())
        return used - told["cpu"], told["first"], sync(place, size)


def sync(place, size):
    """Milliseconds that a write of so many bytes takes with its sync."""
    begun = time.perf_counter()
    with open(place + "/synced", "wb") as file:
        file.write(b"x" * size)
        file.flush()
        os.fdatasync(file.fileno())
    return 1000 * (time.perf_counter() - begun)


def spread(values):
    values = sorted(values)
    return f"{statistics.median(values):7.2f} {values[int(0.95 * (len(values) - 1))]:7.2f}"


def measure(options, size, port, forwarder, through):
    found = {"direct": [], "forwarder": [], "proxy": [], "forwarder_cpu": [], "proxy_cpu": [], "sync": []}
    for _ in range(options.rounds):
        found["direct"] += client(f"http://127.0.0.1:{port}/v1", "none", "scripted", size, options.calls)["first"]
        before = told_cpu(forwarder)
        found["forwarder"] += client(f"http://127.0.0.1:{through}/v1", "none", "scripted", size, options.calls)["first"]
        found["forwarder_cpu"].append((told_cpu(forwarder) - before) / options.calls)
        single, _, _ = attempt(options.program, port, size, 1)
        whole, first, synced = attempt(options.program, port, size, options.calls)
        found["proxy_cpu"].append((whole - single) / (options.calls - 1))
        found["proxy"] += first
        found["sync"].append(synced)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=str(ROOT / "target/release/reprise"))
    parser.add_argument("--calls", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.calls < 2:
        parser.error("--calls: at least 2, since one call is the measure of everything else")
    options.program = str(Path(options.program).resolve())
    provider, port = started("--provider")
    forwarder, through = started("--forwarder", port)
    try:
        print(f"{options.rounds} rounds of {options.calls} calls with {options.program}")
        print("body kB   CPU ms a call: forwarder, proxy, ratio   first byte ms (median, 95 %): direct, forwarder, proxy   sync")
        for size in SIZES:
            found = measure(options, size, port, forwarder, through)
            bare, own = (1000 * statistics.median(found[name]) for name in ("forwarder_cpu", "proxy_cpu"))
            print(f"{size / 1000:7.0f}   {bare:9.2f} {own:9.2f} {own / bare if bare else float('nan'):7.1f}"
                  f"   {spread(found['direct'])}  {spread(found['forwarder'])}  {spread(found['proxy'])}"
                  f"   {statistics.median(found['sync']):6.2f}")
    finally:
        for child in (forwarder, provider):
            child.kill()
            child.wait()


if sys.argv[1:2] == ["--provider"]:
    serve_provider()
elif sys.argv[1:2] == ["--forwarder"]:
    forward(int(sys.argv[2]))
elif sys.argv[1:2] == ["--in-sandbox"]:
    in_sandbox(int(sys.argv[2]), int(sys.argv[3]))
else:
    main()

#!/usr/bin/env python3
"""Episodes of capsules: resets from the warm pool, many episodes at once, and what a step costs.

    cargo build --release
    python3 tests/perf/capsule_serve.py [--sandbox local|docker] [--episodes 100] [--megabytes 10] [--files mounted|copied]

A capsule with a data file of --megabytes is made and served. Printed are
  resets    milliseconds to a reset's answer with an episode waiting: median and 95th percentile of 40; and
            what making an episode ready took, and what it has on disk, which are the refill's cost
  steps     milliseconds of `true` in one shell, median of 200, and how often one takes longer than 100;
            with --sandbox docker beside a plain `docker exec CONTAINER true` in the same run
  at once   episodes open at once, each with 5 steps: seconds, the median of a step, and the server's
            resident memory per episode; with --sandbox docker beside as many containers with 5
            `docker exec` each at once, and the most memory that one of these processes has
"""

import argparse
import http.client
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "Report the number of lines."


def make_capsule(folder, megabytes):
    capsule = folder / "capsule-9000077"
    for name in ("code", "data", "results", "environment"):
        (capsule / name).mkdir(parents=True)
    (capsule / "code/run.py").write_text("print(sum(1 for _ in open('../data/lines.txt')))\n")
    (capsule / "REPRODUCING.md").write_text("Run `python3 code/run.py`.\n")
    (capsule / "environment/Dockerfile").write_text("FROM python:3.11-slim\n")
    line = "x" * 1023 + "\n"
    with (capsule / "data/lines.txt").open("w") as data:
        for _ in range(megabytes * 1024):
            data.write(line)
    task = {
        "field": "Computer Science",
        "language": "Python",
        "capsule_title": "Lines",
        "capsule_id": "capsule-9000077",
        "task_prompt": "Run 'run.py'.",
        "results": [{QUESTION: megabytes * 1024}] * 3,
        "capsule_doi": "https://doi.org/10.24433/CO.9000077.v1",
    }
    tasks = folder / "tasks.json"
    tasks.write_text(json.dumps([task]))
    return tasks


class Server:
    def __init__(self, program, tasks, out, sandbox, warm, episodes, files="mounted"):
        command = [program, "capsule", "serve", tasks, "--port", "0", "--json", "--sandbox", sandbox, "--files", files]
        command += ["--out", out, "--warm", str(warm), "--episodes", str(episodes), "--queue-time", "600"]
        self.process = subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.PIPE, stderr=sys.stderr, text=True
        )
        said = ""
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"the server did not start: {said}")
            said += line
            try:
                told = json.loads(said)
                break
            except ValueError:
                continue
        self.address = told["address"].replace("http://", "")
        self.token = told.get("token") or ""

    def client(self):
        return Client(self.address, self.token)

    def resident(self):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        return 0.0

    def stop(self):
        self.process.send_signal(2)
        self.process.wait(600)


class Client:
    def __init__(self, address, token):
        self.connection = http.client.HTTPConnection(address, timeout=900)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def post(self, path, body):
        self.connection.request("POST", path, json.dumps(body), self.headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status} {text[:300]!r}")
        return json.loads(text)

    def refills(self):
        self.connection.request("GET", "/metadata")
        told = json.loads(self.connection.getresponse().read())
        return next(iter(told["pools"].values()))["refills"]

    def reset(self):
        return self.post("/reset", {})["observation"]["episode_id"]

    def step(self, episode, command):
        return self.post("/step", {"episode_id": episode, "action": {"command": command}})

    def close(self, episode):
        self.post("/close", {"episode_id": episode})


def milliseconds(act):
    begin = time.perf_counter()
    result = act()
    return 1000 * (time.perf_counter() - begin), result


def resets(server, count):
    client, taken = server.client(), []
    for _ in range(count):
        # The refill is not part of the reset: it has its time.
        time.sleep(1.0)
        took, episode = milliseconds(client.reset)
        taken.append(took)
        client.close(episode)
    taken.sort()
    return statistics.median(taken), taken[int(0.95 * (len(taken) - 1))], client.refills()


def on_disk(folder):
    """Kilobytes of each episode's folder, the median."""
    runs = sorted(folder.glob("*/episode-*"))
    sizes = [int(subprocess.run(["du", "-sk", run], capture_output=True, text=True).stdout.split()[0]) for run in runs]
    return statistics.median(sizes)


def steps(server, count):
    client = server.client()
    episode = client.reset()
    taken = [milliseconds(lambda: client.step(episode, "true"))[0] for _ in range(count)]
    client.close(episode)
    return statistics.median(taken), sum(1 for took in taken if took > 100)


def plain_exec(count):
    name = f"reprise-perf-{os.getpid()}"
    subprocess.run(
        ["docker", "run", "--rm", "--detach", "--name", name, "python:3.11-slim", "sleep", "600"],
        check=True,
        capture_output=True,
    )
    try:
        one = ["docker", "exec", name, "true"]
        taken = [milliseconds(lambda: subprocess.run(one, check=True))[0] for _ in range(count)]
    finally:
        subprocess.run(["docker", "kill", name], capture_output=True)
    return statistics.median(taken)


def plain_at_once(count):
    """As many containers, each with 5 `docker exec` at once: the median of one, and the most memory of its process."""
    names = [f"reprise-perf-{os.getpid()}-{number}" for number in range(count)]
    run = ["docker", "run", "--rm", "--detach", "--name"]
    taken = []
    try:
        for name in names:
            subprocess.run([*run, name, "python:3.11-slim", "sleep", "3600"], check=True, capture_output=True)

        def one(name):
            for number in range(5):
                act = ["docker", "exec", name, "echo", str(number)]
                took, done = milliseconds(lambda: subprocess.run(act, check=True, capture_output=True, text=True))
                assert done.stdout == f"{number}\n", done
                taken.append(took)

        threads = [threading.Thread(target=one, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        subprocess.run(["docker", "rm", "--force", *names], capture_output=True)
    assert len(taken) == 5 * count, f"{5 * count - len(taken)} of the steps failed"
    return statistics.median(taken), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def at_once(server, count):
    before = server.resident()
    ready, peak = threading.Barrier(count + 1), 0.0
    failures, taken = [], []

    def one():
        try:
            client = server.client()
            episode = client.reset()
            ready.wait()
            for number in range(5):
                took, told = milliseconds(lambda: client.step(episode, f"echo {number}"))
                taken.append(took)
                assert f"{number}\n" in told["observation"]["text"], told
            client.close(episode)
        except BaseException as error:  # noqa: BLE001 - told below, whatever it is
            failures.append(error)
            ready.abort()

    begin = time.perf_counter()
    threads = [threading.Thread(target=one) for _ in range(count)]
    for thread in threads:
        thread.start()
    ready.wait()
    open_after = time.perf_counter() - begin
    peak = server.resident()
    for thread in threads:
        thread.join()
    if failures:
        raise SystemExit(f"an episode failed: {failures[0]!r}")
    return open_after, time.perf_counter() - begin, statistics.median(taken), (peak - before) / count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sandbox", choices=["local", "docker"], default="local")
    parser.add_argument("--episodes", type=int, default=100)
    parser.add_argument("--megabytes", type=int, default=10)
    parser.add_argument("--files", choices=["mounted", "copied"], default="mounted")
    parser.add_argument("--resets", type=int, default=40)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--program", default=ROOT / "target/release/reprise")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        tasks = make_capsule(folder, args.megabytes)
        server = Server(args.program, tasks, folder / "few", args.sandbox, 2, 8, args.files)
        try:
            time.sleep(10)
            median, late, refills = resets(server, args.resets)
            print(
                f"resets ({args.megabytes} MB, {args.files}): median {median:.1f} ms, 95th percentile {late:.1f} ms; "
                f"made ready in {refills['median_ms']} ms, {refills['p95_ms']} ms; "
                f"{on_disk(folder / 'few'):.0f} kB on disk"
            )
            median, long = steps(server, args.steps)
            print(f"steps: median {median:.1f} ms, {long} of {args.steps} longer than 100 ms")
            if args.sandbox == "docker":
                print(f"docker exec: median {plain_exec(args.steps // 4):.1f} ms")
        finally:
            server.stop()
        if args.episodes:
            server = Server(args.program, tasks, folder / "many", args.sandbox, 0, args.episodes, args.files)
            try:
                opened, whole, median, memory = at_once(server, args.episodes)
                print(
                    f"{args.episodes} episodes at once: all open after {opened:.1f} s, over after {whole:.1f} s, "
                    f"a step {median:.1f} ms, {memory:.2f} MB of the server's memory an episode"
                )
            finally:
                server.stop()
            if args.sandbox == "docker":
                median, memory = plain_at_once(args.episodes)
                print(f"{args.episodes} times docker exec at once: {median:.1f} ms, {memory:.1f} MB a process")


if __name__ == "__main__":
    main()

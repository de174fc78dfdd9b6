#!/usr/bin/env python3
"""What an environment costs, in a cache of its own.

  python3 tests/perf/environments.py                        # target/release/reprise
  python3 tests/perf/environments.py --program target/debug/reprise --repeats 3

Each row is one process of `reprise run` on a bundled study that asks for numpy and scipy, answered by its
recording. It is killed by its own `REPRISE_DIE_AFTER_EVENT` when the start of the first execution is in the
journal, so that wall and CPU are those up to the first execution; `making` is the wall time of making the
environment alone, as the journal has it. The last rows go to the run's end, with the compiling that follows
the first execution. CPU is that of the process and of all that it started, as the kernel counts it; the
smallest of the repeats stands. On a busy machine read CPU, not wall.
"""
import argparse, json, os, pathlib, shutil, subprocess, sys, tempfile, time

repository = pathlib.Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser()
parser.add_argument("--program", type=pathlib.Path, default=repository / "target/release/reprise")
parser.add_argument("--study", type=pathlib.Path, default=repository / "studies/crime-1993")
parser.add_argument("--repeats", type=int, default=3)
ROWS = ["cold", "there", "warm", "dated", "end"]
parser.add_argument("--rows", nargs="*", choices=ROWS, default=ROWS)
parser.add_argument("--json", action="store_true")
arguments = parser.parse_args()
if not arguments.program.is_file():
    sys.exit(f"{arguments.program} is not there: build it with `cargo build --release`, or name one with --program")
place = pathlib.Path(tempfile.mkdtemp(prefix="reprise-perf-"))
runs = 0


def call(cache, study=None, die=None, more=()):
    """One run; its wall and CPU seconds, its journal."""
    global runs
    runs += 1
    out = place / f"run-{runs}"
    environment = dict(os.environ, REPRISE_CACHE=str(cache), HOME=str(place))
    environment.pop("REPRISE_DIE_AFTER_EVENT", None)
    if die is not None:
        environment["REPRISE_DIE_AFTER_EVENT"] = str(die)
    command = [arguments.program.resolve(), "run", study or arguments.study, "--code-access", "data-only", "--approve", "auto",
               "--sandbox", "local", "--no-probe", "--quiet", "--out", out, *more]
    began = time.time()
    process = subprocess.Popen([str(word) for word in command], cwd=place, env=environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    complaint = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.time() - began
    killed = os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) in (134, 137)
    if die is None and status != 0 or die is not None and not killed:
        sys.exit(f"{' '.join(map(str, command))} ended with {status}: {complaint}")
    journal = [json.loads(line) for line in (out / "journal.jsonl").read_text().splitlines()]
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "journal": journal}


def events(run, kind):
    return [record for record in run["journal"] if record["event"]["kind"] == kind]


def row(name, make_cache, study=None, die=None, more=()):
    best = None
    for _ in range(arguments.repeats):
        run = call(make_cache(), study, die, more)
        built = events(run, "built")[0]["event"]
        one = {"case": name, "installer": built["result"]["ready"]["versions"].get("installed by", "?"),
               "wall_s": round(run["wall"], 2), "cpu_s": round(run["cpu"], 2),
               "making_s": round(built["wall_ms"] / 1000, 2), "built": built["result"]["ready"]["built"],
               "load": round(os.getloadavg()[0], 1)}
        best = one if best is None or one["cpu_s"] < best["cpu_s"] else best
    rows.append(best)
    if not arguments.json:
        made = "made" if best["built"] else "there"
        print(f"{name:<52} {best['installer']:<12.12} {best['wall_s']:8.2f} s wall {best['cpu_s']:8.2f} s CPU   "
              f"{best['making_s']:7.2f} s making ({made}; load {best['load']})", flush=True)
    return best


def other_study():
    """The same study with one package less, so that its environment is another one."""
    study = place / "other"
    shutil.copytree(arguments.study, study)
    recording = study / "recordings/data-only.json"
    text = recording.read_text()
    other = text.replace("scipy>=1.14,<2", "scipy>=1.13,<2").replace("numpy>=2.0,<3", "numpy>=1.26,<3")
    if other == text:
        sys.exit(f"{recording} asks for other packages than this program knows how to change")
    recording.write_text(other)
    # What the plan says is quoted to the model, so that the recording has to be asked anew.
    made = subprocess.run([arguments.program.resolve(), "replay", "refresh", study], cwd=place, capture_output=True,
                          env=dict(os.environ, REPRISE_CACHE=str(place / "uv"), HOME=str(place)))
    if made.returncode != 0:
        sys.exit(f"refresh-recordings: {made.stderr.decode()}")
    return study


def new_cache():
    new_cache.count += 1
    return place / f"cache-{new_cache.count}"


new_cache.count = 0
rows = []
try:
    first = call(place / "uv")
    started = events(first, "execution_started")[0]["seq"]

    def warm():
        # What another study's environment left, and not its environment.
        cache = place / "uv"
        shutil.rmtree(cache / "environments", ignore_errors=True)
        return cache

    if "cold" in arguments.rows:
        row("no cache, to the first execution", new_cache, die=started)
    if "there" in arguments.rows:
        row("an environment that exists, to the first execution", lambda: place / "uv", die=started)
    if "warm" in arguments.rows:
        row("another environment, warm cache", warm, study=other_study(), die=started)
    if "dated" in arguments.rows:
        # A run of a day holds its files to digests; its lock is an event more.
        day = ["--as-of", time.strftime("%Y-%m-%d", time.gmtime())]
        call(place / "uv", die=started + 1, more=day)
        row("an environment of a day, held to digests, warm cache", warm, die=started + 1, more=day)
    if "end" in arguments.rows:
        row("no cache, to the run's end", new_cache)
    if arguments.json:
        print(json.dumps({"format": "reprise-perf-environments/1", "rows": rows}))
finally:
    shutil.rmtree(place, ignore_errors=True)

"""The scripted model server of shared/perf, for the scripts beside this file."""

import json
import os
import pathlib
import subprocess
import time
import urllib.request

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PERF = pathlib.Path(os.environ.get("REPRISE_SHARED", REPOSITORY.parent / "shared")) / "perf"


def stats(port):
    """What the server counts."""
    return json.loads(urllib.request.urlopen(f"http://127.0.0.1:{port}/stats", timeout=5).read())


def serve(python, port, latency):
    """Starts it by a Python with uvicorn, with milliseconds to each answer; the model calls `list_files`."""
    command = [python, PERF / "mock_server.py", "--port", port, "--latency-ms", latency, "--tool", "list_files"]
    server = subprocess.Popen([str(word) for word in command], stderr=subprocess.DEVNULL)
    deadline = time.time() + 30
    while True:
        try:
            stats(port)
            return server
        except OSError:
            if time.time() > deadline:
                server.kill()
                raise SystemExit("the scripted server did not start: does this Python have uvicorn?")
            time.sleep(0.1)

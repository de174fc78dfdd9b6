"""Evaluates a scripted model on an episode by the `openenv` taskset of PyPI's `verifiers`, and holds the rewards
that it records: 1 for the right answers, 0 for one that is wrong.

    verifiers_client.py ADDRESS ANSWERS
"""

import http.server
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

ADDRESS, ANSWERS = sys.argv[1], json.loads(sys.argv[2])
WRONG = dict(ANSWERS, **{next(iter(ANSWERS)): -1})
CONFIG = """
model = "scripted"
num_rollouts = 1
push = false
output_dir = "{name}"
[client]
base_url = "http://127.0.0.1:{port}/v1"
api_key_var = "SCRIPTED_KEY"
# The environment is the taskset's own: an `id` of `openenv` there would be found as the client's package.
[env.taskset]
id = "openenv"
base_url = "{address}"
resets = [{{ task_id = "capsule-9000001" }}]
# A model without tools, in a process of this machine: its default is a box of its maker's.
[env.player.harness]
id = "null"
[env.player.runtime]
type = "subprocess"
"""


class Player(http.server.BaseHTTPRequestHandler):
    """A model that types a command, looks at what it says, and reports."""

    report = ANSWERS
    seen = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.seen.append(body["messages"])
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        action = [{"command": "X=7; echo $((X * 6))"}, {"report": self.report}][turn]
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
        said = {"role": "assistant", "content": json.dumps(action)}
        events = [
            dict(chunk, choices=[{"index": 0, "delta": said, "finish_reason": None}]),
            dict(chunk, choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}]),
            dict(chunk, choices=[], usage={"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}),
        ]
        text = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def rewarded(name, report):
    """The reward of an episode whose model reports this."""
    Player.report, Player.seen = report, []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Player)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    config = Path(f"{name}.toml")
    config.write_text(CONFIG.format(name=name, port=server.server_port, address=ADDRESS), encoding="utf-8")
    program = Path(sys.executable).with_name("vf-eval")
    subprocess.run([program, "@", config, "--no-rich"], env={**os.environ, "SCRIPTED_KEY": "k"}, check=True)
    server.shutdown()
    assert len(Player.seen) == 2, Player.seen
    shown = json.loads(Player.seen[1][-1]["content"])
    assert "42" in shown["observation"]["text"], shown
    assert "report" in json.dumps(shown["action_schema"]), shown
    (traces,) = Path(name).glob("*/traces.jsonl")
    (episode,) = [json.loads(line) for line in traces.read_text(encoding="utf-8").splitlines()]
    assert episode["ok"] and not episode["errors"], episode
    return episode["traces"][0]["rewards"]["openenv_reward"]["score"]


assert rewarded("right", ANSWERS) == 1
assert rewarded("wrong", WRONG) == 0
print("verifiers: two episodes, rewards 1 and 0")

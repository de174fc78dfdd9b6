"""A fake agent in HAL's form: asks the model once for each command, runs it, and returns what it wrote."""
import json
import os
import subprocess
import urllib.request


def run(input, **kwargs):
    assert len(input) == 1 and kwargs["max_steps"] == 6 and kwargs["careful"] is True, kwargs
    task, given = next(iter(input.items()))
    assert any(name.endswith("sunspots.csv") for name in given["files"]), given["files"]
    messages = [{"role": "user", "content": given["prompt"]}]
    tools = [{"type": "function", "function": {"name": "bash", "parameters": {
        "type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}}}]
    for _ in range(kwargs["max_steps"]):
        body = {"model": kwargs["model_name"], "messages": messages, "tools": tools, "max_tokens": 400}
        request = urllib.request.Request(
            os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode(),
            {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "content-type": "application/json"})
        message = json.loads(urllib.request.urlopen(request, timeout=600).read())["choices"][0]["message"]
        calls = message.get("tool_calls") or []
        if not calls:
            break
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        for call in calls:
            command = json.loads(call["function"]["arguments"])["command"]
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": done.stdout + done.stderr})
    with open("environment/report.json") as file:
        return {task: {"answer": file.read(), "metrics": {"cost": 0}}}

"""An agent of a hundred lines: asks a model in one dialect, runs the commands that it names, until it has no more.

agent.py DIALECT [streamed] [forged] [ever] [hasty] [detour] [secretly] [asking] [freeform] [large] [quiet SECONDS]
"""

import datetime
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid

DIALECT = sys.argv[1]
MODEL = os.environ["REPRISE_MODEL"]
STREAMED = "streamed" in sys.argv
TASK = open(os.environ["REPRISE_PROMPT_FILE"]).read()
# What real agents put into their prompts: another text with every start.
SYSTEM = f"You are an agent. Today is {datetime.date.today():%Y-%m-%d}; session {uuid.uuid4()}."
PARAMETERS = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
# The same as generateContent writes it.
OPEN_API = {"type": "OBJECT", "properties": {"command": {"type": "STRING"}}, "required": ["command"]}


def url_and_key():
    if DIALECT in ("chat", "responses"):
        path = "/chat/completions" if DIALECT == "chat" else "/responses"
        return os.environ["OPENAI_BASE_URL"] + path, {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    if DIALECT == "messages":
        return os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", {
            "x-api-key": os.environ["ANTHROPIC_API_KEY"], "anthropic-version": "2023-06-01"}
    act = "streamGenerateContent?alt=sse" if STREAMED else "generateContent"
    base = os.environ["GOOGLE_GEMINI_BASE_URL"]
    return f"{base}/v1beta/models/{MODEL}:{act}", {"x-goog-api-key": os.environ["GEMINI_API_KEY"]}


def request(history):
    """The body of the next call: the task, then each command with what came of it."""
    if DIALECT == "chat":
        # 400 kB that no request before it had.
        noise = os.urandom(200_000).hex() if "large" in sys.argv else ""
        messages = [{"role": "system", "content": SYSTEM + noise}, {"role": "user", "content": TASK}]
        for number, (command, output) in enumerate(history):
            call = {"id": f"c{number}-{uuid.uuid4()}", "type": "function",
                    "function": {"name": "bash", "arguments": json.dumps({"command": command})}}
            messages += [{"role": "assistant", "content": None, "tool_calls": [call]},
                         {"role": "tool", "tool_call_id": call["id"], "content": output}]
        tools = [{"type": "function", "function": {"name": "bash", "parameters": PARAMETERS}}]
        return {"model": MODEL, "messages": messages, "tools": tools, "max_tokens": 400, "stream": STREAMED}
    if DIALECT == "responses":
        items = [{"role": "developer", "content": SYSTEM}, {"role": "user", "content": TASK}]
        for number, (command, output) in enumerate(history):
            call = f"c{number}"
            items += [{"type": "function_call", "id": f"fc_{uuid.uuid4()}", "call_id": call, "name": "bash",
                       "arguments": json.dumps({"command": command})},
                      {"type": "function_call_output", "call_id": call, "output": output}]
        tools = [{"type": "function", "name": "bash", "parameters": PARAMETERS}, {"type": "web_search"}]
        if "freeform" in sys.argv:
            tools.append({"type": "custom", "name": "apply_patch", "description": "Patches files."})
        return {"model": MODEL, "input": items, "tools": tools, "max_output_tokens": 400, "stream": STREAMED,
                "store": False, "client_metadata": {"installation": str(uuid.uuid4())}}
    if DIALECT == "messages":
        messages = [{"role": "user", "content": TASK}]
        for number, (command, output) in enumerate(history):
            messages += [{"role": "assistant", "content": [
                {"type": "tool_use", "id": f"toolu_{number}", "name": "bash", "input": {"command": command}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": output}]}]
        tools = [{"name": "bash", "input_schema": PARAMETERS}]
        return {"model": MODEL, "system": SYSTEM, "messages": messages, "tools": tools, "max_tokens": 400,
                "stream": STREAMED, "metadata": {"user_id": str(uuid.uuid4())}}
    contents = [{"role": "user", "parts": [{"text": TASK}]}]
    for command, output in history:
        contents += [{"role": "model", "parts": [{"functionCall": {"name": "bash", "args": {"command": command}}}]},
                     {"role": "user", "parts": [
                         {"functionResponse": {"name": "bash", "response": {"output": output}}}]}]
    return {"systemInstruction": {"parts": [{"text": SYSTEM}]}, "contents": contents,
            "tools": [{"functionDeclarations": [{"name": "bash", "parameters": OPEN_API}]}, {"googleSearch": {}}],
            "generationConfig": {"maxOutputTokens": 400}}


def post(body, headers=None):
    url, key = url_and_key()
    sent = {**key, "content-type": "application/json", "x-session-id": str(uuid.uuid4()), **(headers or {})}
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), sent), timeout=600) as answer:
        text = answer.read().decode()
    if not STREAMED:
        return [json.loads(text)]
    lines = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
    return [json.loads(line) for line in lines if line.startswith("{")]


def command_in(value, found):
    """The arguments of the one call in an answer, however its dialect nests and cuts them."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in ("arguments", "partial_json", "delta") and isinstance(inner, str):
                found.append(inner)
            elif name in ("args", "input") and isinstance(inner, dict) and "command" in inner:
                found.append(json.dumps(inner))
            else:
                command_in(inner, found)
    elif isinstance(value, list):
        for inner in value:
            command_in(inner, found)
    return found


def command(events):
    pieces = command_in(events, [])
    for text in [*pieces, "".join(pieces)]:
        try:
            return json.loads(text)["command"]
        except (ValueError, KeyError, TypeError):
            pass
    return None


def forged():
    """What must not get through: another token, another host."""
    url, key = url_and_key()
    name = list(key)[0]
    for headers in ({name: "Bearer reprise-forged" if name == "authorization" else "reprise-forged"}, {"Host": "api.openai.com"}):
        try:
            post(request([]), headers)
            print("got through:", headers)
        except urllib.error.HTTPError as error:
            print("refused:", error.code)


def refusal(wanted):
    """The words of the engine's refusal of a command; None where it may be run."""
    url, key = url_and_key()
    body = json.dumps({"command": wanted, "directory": "environment"}).encode()
    place = url.split("/v1")[0] + "/reprise/command"
    try:
        urllib.request.urlopen(urllib.request.Request(place, body, key), timeout=600).close()
        return None
    except urllib.error.HTTPError as error:
        return error.read().decode()


def main():
    if "forged" in sys.argv:
        forged()
    if "secretly" in sys.argv:
        subprocess.run(["sleep", "0.4"])
    if "quiet" in sys.argv:
        time.sleep(float(sys.argv[sys.argv.index("quiet") + 1]))
    history = []
    failed = 0
    while True:
        try:
            wanted = command(post(request(history)))
        except urllib.error.HTTPError as error:
            print("the model says", error.code, error.read().decode()[:300], flush=True)
            failed += 1
            if "hasty" in sys.argv and failed < 1100:
                continue
            if "ever" not in sys.argv:
                return 3
            time.sleep(0.2)
            continue
        if wanted is None:
            print("done after", len(history), "commands", flush=True)
            return 0
        if "detour" in sys.argv and not history:
            wanted += "; echo another course"
        refused = refusal(wanted) if "asking" in sys.argv else None
        if refused is not None:
            history.append((wanted, refused))
            continue
        done = subprocess.run(["bash", "-c", wanted], capture_output=True, text=True)
        history.append((wanted, done.stdout + done.stderr))
        print("ran", len(history), "with status", done.returncode, flush=True)


sys.exit(main())

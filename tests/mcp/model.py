"""A model that has its client call tools of an MCP server, one a turn, by the scripted server of the shared data.

    model.py SERVER PORT LOG CALLS

CALLS is a JSON file: a list of {"tool": NAME, "arguments": {...}}. A tool is found among those that the request offers, by
the name that its client gives it; one that is not offered is told in the log as `lacking`.
"""

import argparse
import importlib.util
import json
import sys

SERVER, PORT, LOG, CALLS = sys.argv[1:]
specification = importlib.util.spec_from_file_location("scripted", SERVER)
scripted = importlib.util.module_from_spec(specification)
specification.loader.exec_module(scripted)
with open(CALLS) as file:
    calls = json.load(file)

# The server, as clients are told of it.
CAPSULE = "capsule"
NAMESPACE = f"mcp__{CAPSULE}"


def offered(dialect, body):
    """Each tool of the server that a request offers, with the name that a call has for it."""
    found = {}
    for tool in body.get("tools") or []:
        if tool.get("type") == "namespace" and tool.get("name") == NAMESPACE:
            found |= {inner["name"]: inner["name"] for inner in tool["tools"]}
    for name, _, _ in scripted.tools_of(dialect, body):
        for prefix in (f"{CAPSULE}_", f"mcp_{CAPSULE}_", f"mcp__{CAPSULE}__"):
            if name.startswith(prefix):
                found[name.removeprefix(prefix)] = name
    return found


def plan(dialect, body):
    tools = offered(dialect, body)
    turn = scripted.turn_of(dialect, body)
    if not tools:
        # A title, a summary, or a client that has not been given the server.
        return False, turn, "There is nothing to call.", None
    if turn >= len(calls):
        return True, turn, "The answers are handed in.", None
    call = calls[turn]
    if call["tool"] not in tools:
        return True, turn, f"There is no tool {call['tool']}.", None
    return True, turn, f"Turn {turn}.", (tools[call["tool"]], call["arguments"], "function")


def in_namespace(dialect):
    """Responses whose calls name the group that the tool was offered in."""

    def answer(*told):
        whole, events = dialect(*told)
        plain, grouped = '"type": "function_call"', f'"type": "function_call", "namespace": "{NAMESPACE}"'
        return whole, [event.replace(plain, grouped) for event in events]

    return answer


scripted.plan = plan
scripted.DIALECTS["responses"] = in_namespace(scripted.DIALECTS["responses"])
scripted.A = argparse.Namespace(fault=[], latency_ms=0, models_shape="openai")
scripted.LOG = open(LOG, "a")
with scripted.TCP(("127.0.0.1", int(PORT)), scripted.Handler) as server:
    print("ready", server.server_address[1], flush=True)
    server.serve_forever()

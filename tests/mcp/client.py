"""Carries the run of a capsule by the client of PyPI (`mcp`): each handshake over standard input and output, the same
over HTTP, progress, a call that times out, and the answers.

    client.py PROGRAM ARGUMENTS...
"""

import asyncio
import json
import subprocess
import sys
import time

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

PROGRAM, ARGUMENTS = sys.argv[1], sys.argv[2:]


def structured(result):
    assert not result.is_error, result
    return result.structured_content


async def carried(where, mode, turn):
    """A connection: the tools, a command, and what the run holds of earlier ones."""
    async with Client(where, mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names[:3] == ["task", "bash", "submit"], names
        task = structured(await client.call_tool("task", {}))
        assert task["turn"] == turn, task
        told = structured(await client.call_tool("bash", {"command": "echo line >> log; wc -l < log"}))
        # The first reply of a run says what confines it.
        assert told["exit_status"] == 0 and f"{turn + 1}\n[exit status 0]" in told["text"], told
        print(mode, client.protocol_version, "over http" if turn > 1 else "over stdio")
        return client.protocol_version


async def over_stdio():
    server = StdioServerParameters(command=PROGRAM, args=ARGUMENTS)
    assert await carried(stdio_client(server), "auto", 0) == "2026-07-28"
    assert await carried(stdio_client(server), "legacy", 1) == "2025-11-25"


async def over_http():
    words = [PROGRAM, *ARGUMENTS, "--http", "127.0.0.1:0", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        try:
            told = ""
            while "}" not in told:
                told += server.stdout.readline()
            told = json.loads(told)
            await with_token(told["url"], told["token"])
        finally:
            server.terminate()


async def with_token(url, token):
    import httpx2 as http
    from mcp.client.streamable_http import streamable_http_client

    def where():
        client = http.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=600)
        return streamable_http_client(url, http_client=client)

    await carried(where(), "auto", 2)
    await carried(where(), "legacy", 3)
    async with Client(where(), mode="legacy") as client:
        seen = []

        async def progress(done, total, message):
            seen.append(message)

        await client.call_tool("bash", {"command": "sleep 4"}, progress_callback=progress)
        assert seen, "no sign of life"
        begun = time.monotonic()
        try:
            await asyncio.wait_for(client.call_tool("bash", {"command": "sleep 300", "seconds": 600}), 1)
            raise AssertionError("a call that was given up came to something")
        except TimeoutError:
            pass
        told = structured(await client.call_tool("bash", {"command": "cat log | wc -l"}))
        assert told["text"].split()[0] == "4" and time.monotonic() - begun < 60, told
        questions = structured(await client.call_tool("task", {}))["questions"]
        taken = structured(await client.call_tool("submit", {"answers": {question: 1 for question in questions}}))
        assert taken["accepted"] and "score" not in json.dumps(taken), taken
        print("handed in behind", len(seen), "signs of life")


asyncio.run(over_stdio())
asyncio.run(over_http())

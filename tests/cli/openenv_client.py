"""Carries episodes by the client of PyPI (`openenv-core`), async and sync: a reset by task, commands, one that takes
longer than the client waits for an answer, acts that are none, rewards, and another reset.

    openenv_client.py ADDRESS ANSWERS
"""

import asyncio
import json
import sys
import time

from openenv.core.generic_client import GenericEnvClient

ADDRESS, ANSWERS = sys.argv[1], json.loads(sys.argv[2])
TASK = "capsule-9000001"


async def by_async():
    async with GenericEnvClient(base_url=ADDRESS) as env:
        begun = await env.reset(task_id=TASK)
        assert begun.reward is None and not begun.done, begun
        assert len(begun.observation["questions"]) == len(ANSWERS), begun
        told = await env.step({"command": "X=7; echo $X"})
        assert "7\n" in told.observation["text"] and told.reward is None, told
        # The client gives an answer up behind 60 seconds.
        before = time.monotonic()
        running = await env.step({"command": "sleep 75"})
        waited = time.monotonic() - before
        assert "still runs" in running.observation["text"] and waited < 60, (waited, running)
        await env.step({"control": "interrupt"})
        for action in ({"nonsense": 1}, {"command": "ls", "report": {}}):
            try:
                raise AssertionError(await env.step(action))
            except RuntimeError as error:
                assert "exactly one" in str(error), error
        # A fault has closed nothing.
        told = await env.step({"command": "echo $X"})
        assert "7\n" in told.observation["text"], told
        state = await env.state()
        assert state["step_count"] == 4, state
        wrong = dict(ANSWERS, **{next(iter(ANSWERS)): -1})
        over = await env.step({"report": wrong})
        assert over.done and over.reward == 0, over
        begun = await env.reset(task_id=TASK)
        assert not begun.done, begun
        over = await env.step({"report": ANSWERS})
        assert over.done and over.reward == 1, over
        print("async: two episodes, rewards 0 and 1; a command of 75 s was told as running behind %.0f s" % waited)


def by_sync():
    with GenericEnvClient(base_url=ADDRESS).sync() as env:
        env.reset()
        told = env.step({"command": "echo $((6 * 7))"})
        assert "42\n" in told.observation["text"], told
        over = env.step({"report": ANSWERS})
        assert over.done and over.reward == 1, over
        print("sync: one episode, reward 1")


asyncio.run(by_async())
by_sync()

"""Reads a task folder by Harbor's own model of tasks, and prints what it makes of it.

    harbor_reader.py FOLDER
"""

import sys
import typing

# Harbor wants Python 3.12 for this decorator, which says something to checkers alone.
typing.override = getattr(typing, "override", lambda method: method)

from harbor.models.task.config import NetworkMode
from harbor.models.task.task import Task
from harbor.models.task.verifier_mode import resolve_verifier_environment_definition, task_has_any_shared_verifier

assert Task.is_valid_dir(sys.argv[1])
task = Task(sys.argv[1])
config = task.config
assert config.artifacts == ["/workspace/report.json"], config.artifacts
assert not task_has_any_shared_verifier(config), "the verifier would run in the agent's container"
verifier = resolve_verifier_environment_definition(config, task.paths)
assert verifier.bundled_tests and verifier.directory == task.paths.tests_dir, verifier
assert verifier.config.network_mode == NetworkMode.NO_NETWORK, verifier
assert config.agent.network_mode == NetworkMode.ALLOWLIST and "pypi.org" in config.agent.allowed_hosts, config.agent
assert config.metadata["reprise"]["capsule"] == "capsule-9000001", config.metadata
assert "/workspace/report.json" in task.instruction
print("harbor:", task.name, config.schema_version, verifier.directory.name)

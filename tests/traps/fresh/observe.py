"""Runs the agents of this folder as `../blind/observe.py` runs those of its own.

    VENV/bin/python tests/traps/fresh/observe.py [--helpers FOLDER] [--write] [NAME...]

An agent with threads runs in a process of its own, whose end they can wait for.
"""

import importlib.util
import math
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def blind():
    spec = importlib.util.spec_from_file_location("observe_blind", HERE.parent / "blind" / "observe.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


observe = blind()
observe.HERE = HERE
forked = observe.Workspace.fork
stated = observe.statistic


def finite(one):
    """The focal statistic, where it is a number."""
    value = stated(one)
    return value if value is not None and math.isfinite(value) else None


def executed(self, name, environment):
    """The exit code of a Python script; its output stands in the workspace."""
    if "import threading" not in (self.root / "work" / name).read_text():
        return forked(self, name, environment)
    with open(self.root / "output", "w", encoding="utf-8") as output:
        return subprocess.run(
            [sys.executable, name], cwd=self.root / "work", env=environment, stdout=output, stderr=output, timeout=300
        ).returncode


observe.Workspace.fork = executed
observe.statistic = finite

if __name__ == "__main__":
    observe.main()

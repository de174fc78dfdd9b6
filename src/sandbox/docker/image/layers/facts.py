"""Prints Python's version and those of all distributions, a name and a version a line."""

import platform
import re
from importlib import metadata

print("python\t" + platform.python_version())
for found in metadata.distributions():
    name, version = found.metadata["Name"], found.version
    if name and version:
        print(re.sub(r"[-_.]+", "-", name).lower() + "\t" + version)

"""Prints Python's version and those of all distributions, a name and a version a line."""

import platform
import re

try:
    from importlib import metadata
except ImportError:  # Python 3.7 and older
    metadata = None


def distributions():
    """Names and versions, by whatever this Python has for it."""
    if metadata:
        return [(found.metadata["Name"], found.version) for found in metadata.distributions()]
    import pkg_resources

    return [(found.project_name, found.version) for found in pkg_resources.working_set]


print("python\t" + platform.python_version())
for name, version in distributions():
    if name and version:
        print(re.sub(r"[-_.]+", "-", name).lower() + "\t" + version)

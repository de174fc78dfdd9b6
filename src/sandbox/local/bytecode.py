"""Compiles the modules below a folder into another folder of the same shape.

Arguments: the folder of modules, the folder for what is compiled, how many processes compile. What
cannot be compiled is passed over. No module is imported, and the compiled files are taken whatever the
times of their sources.
"""

import importlib.util
import os
import py_compile
import sys

source, target = sys.argv[1:3]
workers = int(sys.argv[3])
wanted = []
for folder, folders, names in os.walk(source):
    folders[:] = sorted(name for name in folders if name != "__pycache__")
    below = os.path.relpath(folder, source)
    there = os.path.join(folder, "__pycache__")
    for name in sorted(names):
        if not name.endswith(".py"):
            continue
        path = os.path.join(folder, name)
        compiled = os.path.basename(importlib.util.cache_from_source(path))
        if not os.path.exists(os.path.join(there, compiled)):
            wanted.append((path, os.path.normpath(os.path.join(target, below, "__pycache__", compiled))))


def compile_all(files):
    for path, compiled in files:
        try:
            py_compile.compile(
                path,
                compiled,
                doraise=True,
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
                quiet=2,
            )
        except (py_compile.PyCompileError, OSError, ValueError, RecursionError, MemoryError):
            pass


children = []
for worker in range(1, workers):
    child = os.fork()
    if child == 0:
        compile_all(wanted[worker::workers])
        os._exit(0)
    children.append(child)
compile_all(wanted[::workers])
sys.exit(max((os.waitpid(child, 0)[1] for child in children), default=0) != 0)

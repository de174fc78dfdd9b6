"""Compiles the modules of a folder beside their sources, so that equal sources give equal files.

Arguments: the folder of modules, the name that it has in tracebacks, how many processes compile. Printed are the
files that were written and their bytes. A module that cannot be compiled is passed over, and none is imported.
"""

import importlib.util
import marshal
import os
import sys

# Of this form of marshal no byte depends on what else the process holds, as the later ones' references do.
FORM = 2
# Taken without a look at the source, whose times an archive does not keep.
UNCHECKED_HASH = (1).to_bytes(4, "little")

root, shown, workers = sys.argv[1], sys.argv[2], int(sys.argv[3])
wanted = []
for folder, folders, names in os.walk(root):
    folders[:] = sorted(name for name in folders if name != "__pycache__")
    wanted += [os.path.join(folder, name) for name in sorted(names) if name.endswith(".py")]


def compiled_place(path):
    return importlib.util.cache_from_source(path)


def compile_all(files):
    for path in files:
        with open(path, "rb") as file:
            source = file.read()
        name = os.path.join(shown, os.path.relpath(path, root))
        try:
            code = compile(source, name, "exec", dont_inherit=True, optimize=0)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        place = compiled_place(path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        parts = (importlib.util.MAGIC_NUMBER, UNCHECKED_HASH, importlib.util.source_hash(source), marshal.dumps(code, FORM))
        with open(place, "wb") as file:
            file.write(b"".join(parts))


children = []
for worker in range(1, workers):
    child = os.fork()
    if child == 0:
        status = 1
        try:
            compile_all(wanted[worker::workers])
            status = 0
        finally:
            os._exit(status)
    children.append(child)
compile_all(wanted[::workers])
if any([os.waitpid(child, 0)[1] for child in children]):
    sys.exit("a process that compiled ended early")
sizes = [os.path.getsize(place) for place in map(compiled_place, wanted) if os.path.exists(place)]
print(len(sizes), sum(sizes))

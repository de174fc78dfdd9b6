"""Compiles the modules below a folder into another folder of the same shape.

Arguments: the folder of modules, the folder for what is compiled, how many processes compile, and names of
modules. With names only these modules are compiled, and those that importing them imports; without any,
all. What cannot be compiled is passed over. No module is imported, and the compiled files are taken
whatever the times of their sources.
"""

import dis
import importlib.util
import marshal
import os
import py_compile
import sys

source, target = sys.argv[1:3]
workers = int(sys.argv[3])
names = sys.argv[4:]
# Before Python 3.7 a compiled module was held to its source's time alone.
modes = getattr(py_compile, "PycInvalidationMode", None)
mode = {"invalidation_mode": modes.UNCHECKED_HASH} if modes else {}
header = 16 if modes else 12


def compiled_beside(path):
    """Where Python looks for the compiled module of a source."""
    return os.path.join(os.path.dirname(path), "__pycache__", os.path.basename(importlib.util.cache_from_source(path)))


def compiled_here(path):
    """The same in the folder for what is compiled."""
    return os.path.join(target, os.path.relpath(compiled_beside(path), source))


def compile_each(paths):
    for path in paths:
        try:
            py_compile.compile(path, compiled_here(path), doraise=True, **mode)
        except (py_compile.PyCompileError, OSError, ValueError, RecursionError, MemoryError):
            pass


def compile_all(paths):
    """Compiles in several processes; false where one of them broke."""
    wanted = [path for path in paths if not os.path.exists(compiled_beside(path))]
    children = []
    for worker in range(1, min(workers, len(wanted))):
        child = os.fork()
        if child == 0:
            compile_each(wanted[worker::workers])
            os._exit(0)
        children.append(child)
    compile_each(wanted[::workers])
    return all(os.waitpid(child, 0)[1] == 0 for child in children)


def every_source():
    for folder, folders, files in os.walk(source):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            if name.endswith(".py"):
                yield os.path.join(folder, name)


def sources_of(name):
    """The sources that are run when a module is imported: those of its packages, and its own."""
    folder = source
    for part in name.split("."):
        module = os.path.join(folder, part + ".py")
        folder = os.path.join(folder, part)
        package = os.path.join(folder, "__init__.py")
        if os.path.isfile(package):
            yield package
        elif os.path.isfile(module):
            yield module
        if not os.path.isdir(folder):
            return


def imports_of(path):
    """The names that a source imports when it is run, not those that its functions import later."""
    for compiled in (compiled_beside(path), compiled_here(path)):
        try:
            with open(compiled, "rb") as file:
                code = marshal.loads(file.read()[header:])
            break
        except (OSError, EOFError, ValueError, TypeError):
            continue
    else:
        return
    parts = os.path.relpath(path, source)[: -len(".py")].split(os.sep)
    # A module stands in the package of its folder, and `__init__` stands for its folder.
    package = parts[:-1]
    constants = []
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME" and len(constants) >= 2:
            level, taken = constants[-2:]
            above = package[: len(package) - level + 1] if isinstance(level, int) and level else []
            module = ".".join(above + ([step.argval] if step.argval else []))
            yield module
            if isinstance(taken, tuple):
                for name in taken:
                    yield module + "." + name
        if step.opname.startswith("LOAD_"):
            constants.append(step.argval)


def compile_imported(names):
    """Compiles modules and what they import, all that are known at once; false where a process broke."""
    seen = set()
    fine = True
    while names:
        paths = {path for name in names for path in sources_of(name)} - seen
        seen |= paths
        fine = compile_all(sorted(paths)) and fine
        names = {name for path in paths for name in imports_of(path)}
    return fine


fine = compile_imported(set(names)) if names else compile_all(list(every_source()))
sys.exit(not fine)

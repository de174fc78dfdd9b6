"""Installs what requirements.txt lists, and notes which of it cannot be.

Exits with 9 where compilers are worth a try. Arguments: our folder, and
`compilers` once they are there.
"""

import os
import re
import shutil
import subprocess
import sys

HOME = sys.argv[1]
COMPILERS = sys.argv[2:] == ["compilers"]
FAILURES = os.path.join(HOME, "record", "failures")
LIST = os.path.join(HOME, "requirements.txt")
DETAILS = "/dev/shm/reprise/pip.log"
KEPT = 80
# The release of uv that installs, held to its digest; empty where pip is to.
UV_LIST = os.path.join(HOME, "uv.txt")
UV_FOLDER = "/tmp/reprise-uv"
INSTALLER = os.path.join(HOME, "record", "installer")
UNREACHED = re.compile(
    r"Retrying \(Retry\(|Could not fetch URL.*(resolution|refused|timed out|unreachable|certificate|SSL|Proxy)"
)
UNBUILT = re.compile(
    r"Failed building wheel|Failed to build|metadata-generation-failed|subprocess-exited-with-error"
)


def pip(*arguments):
    """Runs pip, shows what it says, and returns its status and its lines."""
    command = [sys.executable, "-I", "-m", "pip", "install", "--no-input", "--no-cache-dir"]
    command += ["--disable-pip-version-check", "--root-user-action=ignore", "--progress-bar=off"]
    command += ["--log", DETAILS, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = []
    for raw in process.stdout:
        line = raw.decode("utf-8", "replace").rstrip()
        print(line, flush=True)
        lines.append(line)
        del lines[:-2000]
    status = process.wait()
    try:
        with open(DETAILS, encoding="utf-8", errors="replace") as details:
            # pip does not say at its usual level which index it could not reach.
            unreached = [line.rstrip()[:500] for line in details if "Could not fetch URL" in line]
        lines += unreached[:3]
        os.remove(DETAILS)
    except OSError:
        pass
    return status, lines


def installed_by(name):
    """Keeps what installed the packages, for the list of versions."""
    with open(INSTALLER, "w", encoding="utf-8") as file:
        file.write(name + "\n")


def uv_program():
    """The program uv, fetched for this layer alone; None where pip is to install, or it cannot be had."""
    if not os.path.exists(UV_LIST) or not os.path.getsize(UV_LIST):
        return None
    options = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--retries", "1", "--timeout", "20"]
    command = [sys.executable, "-I", "-m", "pip", "install", "--no-input", "--no-cache-dir", "--quiet"]
    command += ["--disable-pip-version-check", *options, "--target", UV_FOLDER, "-r", UV_LIST]
    fetched = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    program = os.path.join(UV_FOLDER, "bin", "uv")
    if fetched.returncode or not os.path.exists(program):
        print("uv could not be fetched: pip installs", flush=True)
        return None
    return program


def uv_settings():
    """The settings of pip that a build is given, in the words of uv, which reads none of pip's."""
    words = {
        "PIP_INDEX_URL": "UV_DEFAULT_INDEX",
        "PIP_EXTRA_INDEX_URL": "UV_INDEX",
        "PIP_TRUSTED_HOST": "UV_INSECURE_HOST",
    }
    settings = {name: value for name, value in os.environ.items() if not name.startswith("UV_")}
    for name, other in words.items():
        value = " ".join(os.environ.get(name, "").split())
        if value:
            settings[other] = value
    return settings


def uv_installs(held):
    """Whether uv has installed the requirements, of which no code was built for it."""
    program = uv_program()
    if program is None:
        return False
    command = [program, "pip", "install", "--python", sys.executable, "--no-config", "--no-python-downloads"]
    command += ["--no-build", "--index-strategy=unsafe-best-match", "--link-mode=copy", "--no-cache"]
    command += ["--compile-bytecode", "--no-progress", "--color=never"]
    command += (["--require-hashes"] if held else []) + ["-r", LIST]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=uv_settings()
    )
    for raw in process.stdout:
        print(raw.decode("utf-8", "replace").rstrip(), flush=True)
    if process.wait():
        print("uv gave up: pip installs", flush=True)
        return False
    version = subprocess.run([program, "--version"], stdout=subprocess.PIPE).stdout.decode().split()
    installed_by("uv " + (version[1] if len(version) > 1 else ""))
    return True


def note(name, lines):
    """Notes a failure; an empty name means all requirements together."""
    path = os.path.join(FAILURES, "%04d" % len(os.listdir(FAILURES)))
    with open(path, "w", encoding="utf-8") as file:
        file.write("python\t%s\n" % name)
        file.write("\n".join(lines[-KEPT:]) + "\n")


def alone(requirement):
    """The lines of what is wrong with one requirement by itself; none if nothing is."""
    lines = []
    for choice in ("--only-binary=:all:", "--prefer-binary"):
        status, lines = pip("--dry-run", "--no-deps", choice, "--", requirement)
        # An old pip cannot try without installing: then nothing is known.
        if status == 0 or any("no such option" in line for line in lines):
            return []
        if any(UNREACHED.search(line) for line in lines):
            break
    return lines


def main():
    with open(LIST, encoding="utf-8") as file:
        listed = [line.strip() for line in file if line.strip()]
    # A digest stands behind its requirement, where a lock has one of each.
    requirements = [line.split(" --hash=")[0].strip() for line in listed]
    if not requirements:
        return 0
    checking = bool(os.listdir(FAILURES))
    if not checking and not COMPILERS and uv_installs(listed != requirements):
        return 0
    lines = []
    # A source distribution runs its author's code to build itself; it gets its
    # chance only when there is no wheel.
    for choice in () if checking else ("--only-binary=:all:", "--prefer-binary"):
        status, lines = pip(choice, "-r", LIST)
        if status == 0:
            installed_by("pip")
            return 0
        if status < 0:
            return 1
        if any(UNREACHED.search(line) for line in lines):
            note("", lines)
            return 0
    if not checking:
        unbuilt = any(UNBUILT.search(line) for line in lines)
        if unbuilt and not COMPILERS and not shutil.which("gcc"):
            return 9
        if unbuilt or len(requirements) == 1:
            note("", lines)
            if len(requirements) == 1:
                return 0
    found = False
    for requirement in requirements:
        wrong = alone(requirement)
        if wrong:
            found = True
            note(requirement, wrong)
            if any(UNREACHED.search(line) for line in wrong):
                break
    if not found and not checking and not unbuilt:
        note("", lines)
    return 0


sys.exit(main())

HOST = [
    ("the host's shadow passwords", "/etc/shadow"), ("the host's sudo rules", "/etc/sudoers"),
    ("root's shell settings", "/root/.bashrc"), ("the kernel's memory", "/proc/kcore"),
    ("physical memory", "/dev/mem"), ("the kernel's log", "/dev/kmsg"), ("the host's disk", "/dev/vda"),
    ("a loop device", "/dev/loop0"), ("a canary beside the workspace", outside + "/canary"),
    ("another run's workspace", outside + "/other-run/workspace/work/secret"),
    ("another run's journal", outside + "/other-run/journal.jsonl"),
    ("the study's folder", outside + "/study/input/original_paper.pdf"),
    ("the reference answers", outside + "/study/gt/expected.json"),
    ("a canary in the operator's home", os.environ["TEST_HOME"] + "/.reprise-" + mark),
    ("a canary in the host's shared memory", "/dev/shm/reprise-" + mark),
    ("a canary in the host's temporary folder", "/var/tmp/reprise-" + mark),
    ("the engine's environment", f"/proc/{engine}/environ"), ("the engine's memory", f"/proc/{engine}/mem"),
    ("the canary through process 1", "/proc/1/root" + outside + "/canary"),
    ("the canary through process 1's folder", "/proc/1/cwd" + outside + "/canary"),
    ("the canary by climbing", "../" * 40 + outside.lstrip("/") + "/canary"),
    ("the canary above the workspace", "../../canary"),
]
for name, path in HOST:
    attempt("host files", "read " + name)(lambda path=path: read(path))


def listing(path):
    found = os.listdir(path)
    # The way to Python and to the workspace consists of empty folders of the new root.
    ways = [sys.prefix, sys.base_prefix, workspace, os.environ["TMPDIR"]]
    other = [name for name in found if not any((way + "/").startswith(path.rstrip("/") + "/" + name + "/")
                                               for way in ways)]
    if any(mark in name for name in found):
        return found
    if not other:
        raise FileNotFoundError(errno.ENOENT, "empty")
    # A canary of the host's lies in each of these, and it is not here.
    raise Contained("the sandbox's own folder")


for name, path in [("the operator's home", os.environ["TEST_HOME"]), ("the host's /var/tmp", "/var/tmp"),
                   ("the host's shared memory", "/dev/shm"), ("the folder beside the workspace", outside),
                   ("another run's folder", outside + "/other-run"), ("the study's folder", outside + "/study")]:
    attempt("host files", "list " + name)(lambda path=path: listing(path))


@attempt("host files", "ask whether a file of the host exists")
def _():
    os.stat(outside + "/canary")
    if tier == "Landlock":
        raise Open("whether a file or a process of the host exists")


@attempt("host files", "find the canary in any open descriptor")
def _():
    for number in range(3, 256):
        try:
            os.fstat(number)
        except OSError:
            continue
        return number
    refuse("none is open")


for name, path in [("the canary", outside + "/canary"), ("another run's work", outside + "/other-run/workspace/work/new"),
                   ("the list of users", "/etc/passwd"), ("the programs", "/usr/bin/new"),
                   ("the local programs", "/usr/local/bin/new"), ("the root", "/new"), ("the devices", "/dev/new"),
                   ("Python's settings", sys.prefix + "/pyvenv.cfg"), ("Python's library", sys.prefix + "/lib/evil.py"),
                   ("the loader's cache", "/etc/ld.so.cache"), ("the scheduled jobs", "/etc/cron.d/new"),
                   ("the operator's home", os.environ["TEST_HOME"] + "/.profile-" + mark)]:
    attempt("host files", "write " + name)(lambda path=path: write(path))

for name, path in [("the kernel's core pattern", "/proc/sys/kernel/core_pattern"),
                   ("the host's name", "/proc/sys/kernel/hostname"), ("the magic keys", "/proc/sysrq-trigger"),
                   ("the kernel's modprobe", "/proc/sys/kernel/modprobe"),
                   ("the network's settings", "/proc/sys/net/ipv4/ip_forward"),
                   ("the engine's chance of being killed", f"/proc/{engine}/oom_score_adj"),
                   ("the interrupts", "/proc/irq/default_smp_affinity"),
                   ("the hotplug helper", "/sys/kernel/uevent_helper"),
                   ("the power state", "/sys/power/state"), ("the kernel's debug files", "/sys/kernel/debug/new"),
                   ("the security module", "/sys/fs/selinux/load")]:
    attempt("/proc and /sys", "write " + name)(lambda path=path: write(path))


@attempt("/proc and /sys", "leave the cgroup by its release agent")
def _():
    tried = PermissionError(errno.EPERM, "none")
    for folder, _, files in os.walk("/sys/fs/cgroup"):
        for name in ["release_agent", "notify_on_release", "cgroup.procs", "memory.limit_in_bytes", "pids.max"]:
            try:
                write(folder + "/" + name, b"0")
                return folder + "/" + name
            except OSError as error:
                tried = error
    raise tried


@attempt("/proc and /sys", "lower the own chance of being killed")
def _():
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("-1000")


@attempt("/proc and /sys", "read other processes' environments")
def _():
    found = 0
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                text = file.read()
        except OSError:
            continue
        found += 1
        if mark.encode() in text and b"TEST_HOME" not in text:
            return name
    raise Contained(f"{found} processes, all of the sandbox") if found else PermissionError(errno.EPERM, "none")


@attempt("environment secrets", "find the operator's keys")
def _():
    names = [name for name in os.environ if "KEY" in name or "CARGO" in name or "SECRET" in name or "PROXY" in name]
    if names or any(mark in value for value in os.environ.values()):
        return names
    refuse("none")


@attempt("environment secrets", "find them in the first process")
def _():
    text = read("/proc/1/environ") + read("/proc/1/cmdline")
    if mark.encode() in text or b"CARGO" in text:
        return text
    raise Contained("the sandbox's own first process")

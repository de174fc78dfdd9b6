import ctypes, errno, json, os, socket, sys

outside, workspace, tier = sys.argv[1:4]
libc = ctypes.CDLL(None, use_errno=True)
results = {}


def attempt(name):
    def run(action):
        try:
            value = action()
            results[name] = "DONE" if value is None else "DONE " + repr(value)[:80]
        except OSError as error:
            results[name] = "refused " + (errno.errorcode.get(error.errno) or str(error))
        except Exception as error:
            results[name] = "refused " + type(error).__name__
        return action

    return run


def call(number, *arguments):
    if libc.syscall(number, *arguments) == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def read(path):
    with open(path, "rb") as file:
        return file.read(64)


def write(path):
    with open(path, "ab") as file:
        file.write(b"x")


for path in ["/etc/shadow", "/etc/sudoers", "/root/.bashrc", "/proc/1/environ",
             "/proc/sys/kernel/core_pattern.x", "/var/lib/dpkg/status", "/var/run/docker.sock",
             outside + "/canary", outside + "/other-run/secret", "/proc/1/root" + outside + "/canary",
             "/proc/1/cwd" + outside + "/canary", "/work/BRIEF.md"]:
    attempt("read " + path)(lambda path=path: read(path))
def listing(path):
    # The way to Python and to the workspace consists of empty folders of the new root.
    ways = [sys.prefix, sys.base_prefix, workspace]
    other = [name for name in os.listdir(path) if not any(way.startswith(path + "/" + name) for way in ways)]
    if not other:
        raise FileNotFoundError(errno.ENOENT, "nothing of the host")
    return other


for path in ["/root", "/home", "/var", outside, outside + "/other-run", "/run"]:
    attempt("list " + path)(lambda path=path: listing(path))
for path in [outside + "/canary", workspace + "/paper.txt", workspace + "/replication_data/a.csv",
             workspace + "/new", "/etc/passwd", "/usr/bin/new", "/usr/local/bin/new", "/new", "/dev/new",
             "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sysrq-trigger",
             "/sys/kernel/uevent_helper", "/proc/self/oom_score_adj.x", sys.prefix + "/pyvenv.cfg",
             sys.prefix + "/lib/evil.py"]:
    attempt("write " + path)(lambda path=path: write(path))


@attempt("symlink out")
def _():
    os.symlink(outside + "/canary", "link-out")
    write("link-out")


@attempt("symlink to the data")
def _():
    os.symlink(workspace + "/paper.txt", "link-in")
    write("link-in")


@attempt("hard link of the data")
def _():
    os.link(workspace + "/paper.txt", "hard-in")
    write("hard-in")


@attempt("hard link of a host file")
def _():
    os.link("/etc/passwd", "hard-passwd")


@attempt("rename the data")
def _():
    os.rename(workspace + "/replication_data/a.csv", "stolen.csv")


@attempt("remove the data")
def _():
    os.remove(workspace + "/replication_data/a.csv")


@attempt("truncate the data")
def _():
    os.truncate(workspace + "/replication_data/a.csv", 0)


@attempt("empty the data while reading")
def _():
    os.close(os.open(workspace + "/replication_data/a.csv", os.O_RDONLY | os.O_TRUNC))


def mode(path):
    before = os.stat(path).st_mode
    os.chmod(path, 0o4777)
    if os.stat(path).st_mode == before:
        raise PermissionError(errno.EPERM, "pretended")


for path in [workspace + "/paper.txt", outside + "/canary", "/usr/bin/env"]:
    attempt("chmod " + path)(lambda path=path: mode(path))

for name, family, kind in [("tcp", socket.AF_INET, socket.SOCK_STREAM), ("udp", socket.AF_INET, socket.SOCK_DGRAM),
                           ("tcp6", socket.AF_INET6, socket.SOCK_STREAM), ("raw", socket.AF_INET, socket.SOCK_RAW),
                           ("packet", socket.AF_PACKET, socket.SOCK_RAW),
                           ("netlink", socket.AF_NETLINK, socket.SOCK_RAW),
                           ("vsock", 40, socket.SOCK_STREAM), ("alg", 38, socket.SOCK_SEQPACKET)]:
    attempt("socket " + name)(lambda family=family, kind=kind: socket.socket(family, kind).fileno())

attempt("name lookup")(lambda: socket.getaddrinfo("pypi.org", 443))
attempt("metadata service")(lambda: socket.create_connection(("169.254.169.254", 80), 2).fileno())
attempt("loopback service")(lambda: socket.create_connection(("127.0.0.1", 22), 2).fileno())


@attempt("docker socket")
def _():
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    peer.connect("/var/run/docker.sock")


@attempt("abstract socket of the host")
def _():
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    peer.connect("\0reprise-canary-" + os.path.basename(outside))


attempt("mount")(lambda: call(165, b"none", b"/tmp", b"tmpfs", 0, None))
attempt("ptrace")(lambda: call(101, 16, os.getppid(), 0, 0))
attempt("unshare user")(lambda: call(272, 0x10000000))
attempt("clone into namespaces")(lambda: call(56, 0x10000000 | 17, 0, 0, 0, 0))
attempt("setns")(lambda: call(308, 0, 0))
attempt("bpf")(lambda: call(321, 0, 0, 0))
attempt("keyctl")(lambda: call(250, 0, 0, 0))
attempt("io_uring")(lambda: call(425, 1, 0))
attempt("perf")(lambda: call(298, 0, 0, 0, 0, 0))
attempt("open by handle")(lambda: call(304, 0, 0, 0))
attempt("x32 ptrace")(lambda: call(0x40000000 + 521, 16, os.getppid(), 0, 0))
attempt("setuid 0")(lambda: os.setuid(0))
attempt("setgroups")(lambda: os.setgroups([0]))
attempt("chroot")(lambda: os.chroot("/tmp"))
attempt("mknod")(lambda: os.mknod("disk", 0o60666, os.makedev(254, 0)))
attempt("kill the parent's parent")(lambda: os.kill(int(os.environ["ENGINE"]), 0))
attempt("kill process 1")(lambda: os.kill(1, 9))
attempt("nice below zero")(lambda: os.nice(-5) and None)


@attempt("set-user-id program")
def _():
    import subprocess
    answer = subprocess.run(["su", "-c", "id -u"], capture_output=True, stdin=subprocess.DEVNULL)
    if answer.stdout.strip() != b"0":
        raise PermissionError(errno.EPERM, "no")


status = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\t" in line) \
    if tier == "Namespaces" else {}
facts = {
    "uid": os.getuid(), "groups": os.getgroups(), "environment": sorted(os.environ),
    "capabilities": [status.get(name) for name in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]],
    "no_new_privs": status.get("NoNewPrivs"), "seccomp": status.get("Seccomp"),
    "host": socket.gethostname(), "core": __import__("resource").getrlimit(4),
    "descriptors": sorted(fd for fd in range(3, 64) if __import__("os").path.exists(f"/proc/self/fd/{fd}"))
    if tier == "Namespaces" else [],
    "root": sorted(os.listdir("/")) if tier == "Namespaces" else [],
}
# What must work, or the confinement is useless.
with open("result.txt", "w") as file:
    file.write("written")
with open(os.path.join(os.environ["TMPDIR"], "scratch"), "w") as file:
    file.write("written")
import shutil, subprocess
shutil.copy(workspace + "/paper.txt", "copy.txt")
assert subprocess.run(["sh", "-c", "exit 7"]).returncode == 7
assert open(workspace + "/replication_data/a.csv").read() == "x\n1\n", "the data was changed"
os.makedirs("deep/er")
os.chmod("result.txt", 0o4755)
json.dump({"results": results, "facts": facts}, sys.stdout)

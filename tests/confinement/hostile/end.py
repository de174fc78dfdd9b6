status = {}
if tier != "Landlock":
    with open("/proc/self/status") as file:
        status = dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)
facts = {
    "uid": os.getuid(), "groups": [group for group in os.getgroups() if group != os.getgid()],
    "capabilities": [status.get(name) for name in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]],
    "no_new_privs": status.get("NoNewPrivs"), "seccomp": status.get("Seccomp"),
    "host": socket.gethostname(), "core": resource.getrlimit(resource.RLIMIT_CORE),
}

# What must work, or the confinement is useless.
with open(os.path.join(os.environ["TMPDIR"], "scratch"), "w") as file:
    file.write("written")
shutil.copy(paper, "copy.txt")
assert subprocess.run(["sh", "-c", "exit 7"]).returncode == 7
with open(data) as file:
    assert file.read() == "x\n1\n", "the data was changed"
os.makedirs("deep/er")
for kind in [signal.SIGUSR1, signal.SIGTERM]:
    signal.signal(kind, signal.SIG_IGN)
os.chmod("result.txt", 0o6755)
shutil.copy("/bin/sh", "shell")
os.chmod("shell", 0o6755)
json.dump({"results": results, "facts": facts}, sys.stdout)

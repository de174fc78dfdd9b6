buffer = ctypes.create_string_buffer

attempt("mounts", "mount a file system")(lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, None))
attempt("mounts", "make the data writable again")(
    lambda: call("mount", None, workspace.encode(), None, 0x20 | 0x1000, None))
attempt("mounts", "unmount the data")(lambda: call("umount2", workspace.encode(), 2))
attempt("mounts", "open a file system")(lambda: call("fsopen", b"tmpfs", 0))
attempt("mounts", "clone a mount")(lambda: call("open_tree", -100, b"/", 1))
attempt("mounts", "change the root by pivot")(lambda: call("pivot_root", b".", b"."))
attempt("mounts", "change the root")(lambda: os.chroot("/tmp"))
attempt("mounts", "make a user namespace")(lambda: call("unshare", 0x10000000))
attempt("mounts", "make a mount namespace")(lambda: call("unshare", 0x00020000))
attempt("mounts", "clone into a user namespace")(lambda: call("clone", 0x10000000 | 17, 0, 0, 0, 0))
attempt("mounts", "make a disk by its number")(lambda: os.mknod("disk", 0o60666, os.makedev(254, 0)))
attempt("mounts", "make a memory device")(lambda: os.mknod("mem", 0o20666, os.makedev(1, 1)))


@attempt("mounts", "clone into a user namespace by the new call")
def _():
    arguments = struct.pack("11Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0)
    if call("clone3", buffer(arguments, 88), 88) == 0:
        os._exit(0)


@attempt("mounts", "enter process 1's namespaces")
def _():
    tried = FileNotFoundError(errno.ENOENT, "none")
    for name in ["user", "mnt", "pid", "net"]:
        try:
            call("setns", os.open("/proc/1/ns/" + name, os.O_RDONLY), 0)
            return name
        except OSError as error:
            tried = error
    raise tried


@attempt("mounts", "open a host file by its handle")
def _():
    handle = struct.pack("Ii8s", 8, 1, b"\x02\0\0\0\0\0\0\0")
    call("open_by_handle_at", os.open(workspace, os.O_RDONLY), buffer(handle, 128), os.O_RDONLY)


attempt("privileges", "become root")(lambda: os.setuid(0))
attempt("privileges", "become root's group")(lambda: os.setgid(0))
attempt("privileges", "become another user")(lambda: os.setresuid(1, 1, 1))
attempt("privileges", "join groups")(lambda: os.setgroups([0]))
attempt("privileges", "go before other processes")(lambda: os.nice(-5) and None)
attempt("privileges", "run in real time")(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)))
for name in ["su", "sudo", "newgrp", "mount"]:
    @attempt("privileges", f"run the set-user-id program {name}")
    def _(name=name):
        command = {"su": ["su", "-c", "id -u"], "sudo": ["sudo", "-n", "id", "-u"],
                   "newgrp": ["newgrp", "root"], "mount": ["mount", "-t", "tmpfs", "none", "/tmp"]}[name]
        answer = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=10)
        if answer.returncode != 0 or (name in ("su", "sudo") and answer.stdout.strip() != b"0"):
            refuse("no")


@attempt("privileges", "raise the own limits")
def _():
    for kind in [resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_CORE]:
        _, hard = resource.getrlimit(kind)
        if hard == resource.RLIM_INFINITY:
            return f"limit {kind} is infinite"
        try:
            resource.setrlimit(kind, (hard + 1, hard + 1))
            return f"limit {kind} was raised"
        except ValueError:
            pass
    refuse("none can be raised")


@attempt("privileges", "raise a capability to the ambient set")
def _():
    for capability in range(0, 40):
        if libc.prctl(47, 2, capability, 0, 0) == 0:
            return capability
    refuse("none")


@attempt("privileges", "leave the call filter")
def _():
    # Asks for no filter at all; a process that is filtered cannot go back.
    if libc.prctl(22, 0, 0, 0, 0) == 0:
        return
    if libc.prctl(21, 0, 0, 0, 0) == 0:
        return "there is no filter"
    refuse("filtered")


attempt("kernel calls", "load a program into the kernel")(lambda: call("bpf", 0, buffer(struct.pack("IIII", 2, 4, 8, 1), 128), 72))
attempt("kernel calls", "read the session's keys")(lambda: call("keyctl", 0, -3, 0))
attempt("kernel calls", "add a key")(lambda: call("add_key", b"user", b"x", b"x", 1, -3))
attempt("kernel calls", "make an I/O ring")(lambda: call("io_uring_setup", 1, buffer(120)))
attempt("kernel calls", "count the machine's events")(
    lambda: call("perf_event_open", buffer(struct.pack("IIQ", 1, 128, 0), 128), -1, 0, -1, 0))
attempt("kernel calls", "handle the own page faults")(lambda: call("userfaultfd", 0o2000000 | 1))
attempt("kernel calls", "watch every file")(lambda: call("fanotify_init", 0, 0))
attempt("kernel calls", "load another kernel")(lambda: call("kexec_load", 0, 0, None, 0))
attempt("kernel calls", "load a module")(lambda: call("init_module", buffer(16), 16, b""))
attempt("kernel calls", "remove a module")(lambda: call("delete_module", b"reprise_none", 0o4000))
attempt("kernel calls", "read the kernel's log")(lambda: call("syslog", 3, buffer(64), 64))
attempt("kernel calls", "change the restart keys")(lambda: call("reboot", 0xfee1dead, 672274793, 0, None))
attempt("kernel calls", "swap to a file")(lambda: call("swapon", b"result.txt", 0))
attempt("kernel calls", "keep accounts in a file")(lambda: call("acct", b"result.txt"))
attempt("kernel calls", "change quotas")(lambda: call("quotactl", 0x80000300, b"/dev/vda", 0, None))
attempt("kernel calls", "hang the terminal up")(lambda: call("vhangup"))
attempt("kernel calls", "type into the operator's terminal")(
    lambda: __import__("fcntl").ioctl(os.open("/dev/tty", os.O_RDWR), 0x5412, b"x"))
attempt("clock and name", "set the clock")(lambda: call("clock_settime", 0, buffer(struct.pack("qq", 1, 0))))
attempt("clock and name", "set the time of day")(lambda: call("settimeofday", buffer(struct.pack("qq", 1, 0)), None))
attempt("clock and name", "set the host's name")(lambda: call("sethostname", b"evil", 4))
if platform.machine() == "x86_64":
    @attempt("kernel calls", "trace by the x32 interface")
    def _():
        # A filter may end whoever speaks a foreign interface.
        child = os.fork()
        if child == 0:
            try:
                call(0x40000000 + 521, 0x4206, os.getppid(), 0, 0)
                os._exit(0)
            except OSError as error:
                os._exit(error.errno)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            refuse("ended")
        if os.WEXITSTATUS(status):
            raise OSError(os.WEXITSTATUS(status), "refused")

    attempt("kernel calls", "reach the ports")(lambda: call(172, 3))

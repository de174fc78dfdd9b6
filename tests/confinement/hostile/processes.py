import signal

attempt("other processes", "signal the engine")(lambda: os.kill(engine, 0))
attempt("other processes", "read the engine's memory by a call")(
    lambda: call("process_vm_readv", engine, buffer(16), 1, buffer(16), 1, 0))


@attempt("other processes", "signal the engine by a descriptor")
def _():
    call("pidfd_send_signal", call("pidfd_open", engine, 0), 0, None, 0)


@attempt("other processes", "ask whether the engine runs")
def _():
    os.close(call("pidfd_open", engine, 0))
    if tier == "Landlock":
        raise Open("whether a file or a process of the host exists")


@attempt("other processes", "end the first process")
def _():
    os.kill(1, signal.SIGKILL)
    if tier != "Landlock":
        # The first process of a namespace is deaf to signals from inside it.
        os.kill(1, 0)
        raise Contained("the sandbox's own first process, which is deaf to it")


@attempt("other processes", "signal whoever can be signalled")
def _():
    found = []
    for process in range(1, 1 << 16):
        try:
            os.kill(process, 0)
            found.append(process)
        except OSError:
            pass
    if found not in ([os.getpid()], [1, os.getpid()]):
        return found
    raise Contained("nobody but itself and the first process")


@attempt("other processes", "trace the first process")
def _():
    call("ptrace", 0x4206, 1, None, None)
    if tier == "Docker":
        raise Contained("the container's own first process")


attempt("other processes", "trace the engine")(lambda: call("ptrace", 0x4206, engine, None, None))
attempt("other processes", "trace the parent")(
    lambda: call("ptrace", 0x4206, os.getppid(), None, None) if os.getppid() > 1 else refuse("it is the first process"))


@attempt("other processes", "take a descriptor of the first process")
def _():
    holder = call("pidfd_open", 1, 0)
    for number in range(3, 32):
        try:
            return os.readlink(f"/proc/self/fd/{call('pidfd_getfd', holder, number, 0)}")
        except OSError as error:
            if error.errno != errno.EBADF:
                raise
    raise Contained("it has none but its output")


@attempt("other processes", "look into the first process's descriptors")
def _():
    links = [os.readlink("/proc/1/fd/" + name) for name in os.listdir("/proc/1/fd")]
    if any(not link.startswith(("pipe:", "/dev/null", "/proc/1/fd")) for link in links):
        return links
    raise Contained("nothing but its output")


@attempt("other processes", "lower another's limits")
def _():
    resource.prlimit(engine, resource.RLIMIT_NOFILE, (1, 1))

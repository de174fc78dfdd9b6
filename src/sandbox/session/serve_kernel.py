# Serves one kernel of IPython, which lives from cell to cell. Arguments: the folder of the exchange,
# and a mark of this session. The kernel is spoken to over Jupyter's protocol by sockets in a
# private folder; the engine over the same files as a shell's (`serve.sh`).
import json
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

# The ends of a cell beside the status of its last command, which is at most 255.
RAISED = 256
INTERRUPTED = 257
# The bytes of a cell's output that are kept.
MOST = 1 << 30

# Starts the kernel. As it comes it opens a port for the output of processes that are forked off it.
LAUNCH = r"""
import sys
if sys.path[0] == "":
    del sys.path[0]
from ipykernel import iostream, kernelapp
class WithoutPort(iostream.IOPubThread):
    def __init__(self, socket, pipe=False, **more):
        super().__init__(socket, pipe=False, **more)
kernelapp.IOPubThread = WithoutPort
kernelapp.launch_new_instance()
"""

# Runs in the kernel before the first cell. Commands have no terminal and no input; their output
# arrives as it is written; an interruption reaches them and what they started.
BEGIN = r"""
def _reprise_begin():
    import codecs, os, signal, subprocess, sys, time
    shell = get_ipython()
    shell._reprise_status = None
    def begin_cell(info):
        shell._reprise_status = None
    shell.events.register("pre_run_cell", begin_cell)
    def forked():
        # Its threads are gone that would send what it prints; what it writes to a descriptor is sent.
        sys.stdout, sys.stderr = (os.fdopen(os.dup(number), "w", buffering=1) for number in (1, 2))
    os.register_at_fork(after_in_child=forked)
    def system(command):
        command = shell.var_expand(command, depth=1)
        program = subprocess.Popen(
            ["/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh", "-c", command],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        ends = None
        stage = 0
        while True:
            try:
                if stage and time.monotonic() > ends:
                    stage += 1
                    ends = time.monotonic() + 1
                    os.killpg(program.pid, signal.SIGTERM if stage == 2 else signal.SIGKILL)
                    if stage > 3:
                        break
                part = os.read(program.stdout.fileno(), 65536) if readable(program.stdout) else None
                if part:
                    sys.stdout.write(decoder.decode(part))
                    sys.stdout.flush()
                elif part == b"" or program.poll() is not None and not readable(program.stdout):
                    break
            except KeyboardInterrupt:
                if not stage:
                    stage = 1
                    ends = time.monotonic() + 2
                    try:
                        os.killpg(program.pid, signal.SIGINT)
                    except ProcessLookupError:
                        pass
            except ProcessLookupError:
                break
        code = program.wait()
        program.stdout.close()
        if code < 0:
            code = 128 - code
        shell._reprise_status = code
        shell.user_ns["_exit_code"] = code
        if stage:
            raise KeyboardInterrupt
    def readable(pipe):
        import select
        return bool(select.select([pipe], [], [], 0.1)[0])
    shell.system = shell.system_piped = shell.system_raw = system
_reprise_begin()
del _reprise_begin
"""

folder, mark = os.path.abspath(sys.argv[1]), sys.argv[2]
os.umask(0o022)


def place(name):
    return os.path.join(folder, name)


def put(name, text):
    with open(place(name + ".part"), "w") as file:
        file.write(text)
    os.replace(place(name + ".part"), place(name))


def pipe(name):
    try:
        os.unlink(place(name))
    except FileNotFoundError:
        pass
    os.mkfifo(place(name), 0o600)
    # Held open for writing as well, so that it never ends.
    return os.fdopen(os.open(place(name), os.O_RDWR), "r", buffering=1)


def lines(file, take):
    for line in file:
        take(line.strip())


class Kernel:
    def __init__(self):
        self.sockets = tempfile.mkdtemp(prefix="k")
        self.manager = None
        self.client = None
        self.late = []

    def start(self):
        here = lambda name: os.path.join(self.sockets, name)
        environment = dict(os.environ, IPYTHONDIR=here("ipython"), JUPYTER_RUNTIME_DIR=self.sockets,
                           PYDEVD_DISABLE_FILE_VALIDATION="1")
        search = environment.pop("REPRISE_PATH", "")
        if search:
            environment["PATH"] = search + os.pathsep + environment.get("PATH", "")
        os.makedirs(here("kernels/own"))
        with open(here("kernels/own/kernel.json"), "w") as file:
            json.dump({"argv": [sys.executable, "-c", LAUNCH, "-f", "{connection_file}"], "display_name": "Python",
                       "language": "python"}, file)
        kinds = KernelSpecManager(kernel_dirs=[here("kernels")], ensure_native_kernel=False)
        self.manager = KernelManager(kernel_name="own", kernel_spec_manager=kinds, transport="ipc", ip=here("s"),
                                     connection_file=here("kernel.json"))
        self.log = open(here("log"), "ab")
        self.manager.start_kernel(env=environment, cwd=os.getcwd(), stdin=subprocess.DEVNULL, stdout=self.log,
                                  stderr=self.log, extra_arguments=["--HistoryManager.enabled=False"])
        self.client = self.manager.blocking_client()
        self.client.start_channels(stdin=False, hb=False)
        self.client.wait_for_ready(timeout=55)
        self.client.execute(BEGIN, silent=True, store_history=False, allow_stdin=False, reply=True, timeout=30)

    def stop(self):
        try:
            self.client.stop_channels()
            self.manager.shutdown_kernel(now=True)
        except Exception:
            pass
        self.log.close()

    def said(self):
        """The end of what the kernel itself wrote."""
        with open(os.path.join(self.sockets, "log"), errors="replace") as file:
            return file.read()[-300:].strip()

    def interrupt(self):
        try:
            self.manager.interrupt_kernel()
        except Exception:
            pass

    def end(self):
        try:
            os.killpg(self.manager.provisioner.process.pid, signal.SIGKILL)
        except Exception:
            pass

    def late_output(self):
        # What threads print between two cells is told with the next.
        while True:
            try:
                message = self.client.get_iopub_msg(timeout=0)
            except queue.Empty:
                return
            text = shown(message)
            if text and sum(map(len, self.late)) < 1 << 20:
                self.late.append(text)

    def run(self, cell, write):
        """Executes a cell and returns its end; None where the kernel died under it."""
        for text in self.late:
            write(text)
        self.late = []
        request = self.client.execute(cell, allow_stdin=False,
                                      user_expressions={"status": "get_ipython()._reprise_status"})
        raised = None
        while True:
            try:
                message = self.client.get_iopub_msg(timeout=0.2)
            except queue.Empty:
                if not self.manager.is_alive():
                    return None
                continue
            own = message["parent_header"].get("msg_id") == request
            kind, content = message["msg_type"], message["content"]
            if own and kind == "error":
                raised = content.get("ename")
            if own and kind == "status" and content["execution_state"] == "idle":
                break
            text = shown(message)
            if text:
                write(text)
        while True:
            try:
                reply = self.client.get_shell_msg(timeout=5)
            except queue.Empty:
                return RAISED if raised else 0
            if reply["parent_header"].get("msg_id") == request:
                break
        if raised == "KeyboardInterrupt":
            return INTERRUPTED
        if raised or reply["content"].get("status") != "ok":
            return RAISED
        status = reply["content"].get("user_expressions", {}).get("status", {})
        found = re.fullmatch(r"\d+", status.get("data", {}).get("text/plain", "")) if status else None
        return int(found.group()) if found else 0


def shown(message):
    """The text that is seen of a message: streams, results and errors."""
    kind, content = message["msg_type"], message["content"]
    if kind == "stream":
        return content["text"]
    if kind == "execute_result":
        return content["data"].get("text/plain", "")
    if kind == "error":
        trace = "\n".join(content["traceback"])
        return "Error/Traceback: %s: %s\n%s\n" % (content["ename"], content["evalue"], trace)
    return ""


class Output:
    """The file of a cell's output, to a cap."""

    def __init__(self, name):
        self.file = open(place(name), "wb", buffering=0)
        self.kept = 0
        self.dropped = 0

    def write(self, text):
        data = text.encode("utf-8", "replace")
        try:
            if self.kept + len(data) > MOST:
                raise OSError
            self.kept += self.file.write(data)
        except OSError:
            self.dropped += len(data)

    def close(self):
        self.file.close()


ask, control = pipe("ask"), pipe("control")
numbers = queue.Queue()
kernel = Kernel()
try:
    socket.socket(socket.AF_UNIX).close()
except PermissionError:
    sys.exit("a kernel needs local sockets, and this sandbox (Landlock alone) has none: use containers, or a machine "
             "with namespaces")
try:
    kernel.start()
except Exception as error:
    sys.exit("the kernel does not start: %r %s" % (error, kernel.said()))


def steer(word):
    if word in ("interrupt", "kill"):
        kernel.interrupt()
    elif word == "end":
        kernel.end()


# The kernel gets an interruption by itself; this process must not end by one.
signal.signal(signal.SIGINT, signal.SIG_IGN)
for file, take in ((ask, numbers.put), (control, steer)):
    threading.Thread(target=lines, args=(file, take), daemon=True).start()
put("ready", mark + "\n")
while True:
    try:
        number = numbers.get(timeout=0.2)
    except queue.Empty:
        if kernel.manager.is_alive():
            kernel.late_output()
        continue
    if not re.fullmatch(r"\d{1,9}", number):
        continue
    output = Output(number + ".out")
    ending = None
    try:
        with open(place(number + ".sh"), encoding="utf-8", errors="replace") as file:
            cell = file.read()
        if kernel.manager.is_alive():
            ending = kernel.run(cell, output.write)
    finally:
        if output.dropped:
            put(number + ".dropped", "%d\n" % output.dropped)
        output.close()
    if ending is None:
        code = kernel.manager.provisioner.process.poll()
        kernel.stop()
        kernel = Kernel()
        kernel.start()
        put(number + ".end", "gone %d\n" % (code if code is not None else -1))
    else:
        put(number + ".end", "ended %d\n" % ending)

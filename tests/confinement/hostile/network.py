def own_network():
    """Whether nothing but the loopback of an empty network can be seen from here."""
    return [name for _, name in socket.if_nameindex()] in (["lo"], [])


for name, family, kind in [("TCP", socket.AF_INET, socket.SOCK_STREAM), ("UDP", socket.AF_INET, socket.SOCK_DGRAM),
                           ("TCP over IPv6", socket.AF_INET6, socket.SOCK_STREAM),
                           ("netlink", socket.AF_NETLINK, socket.SOCK_RAW)]:
    @attempt("network", "make a socket for " + name)
    def _(family=family, kind=kind):
        socket.socket(family, kind)
        if own_network():
            raise Contained("of a network with no way out")

for name, family, kind in [("raw packets", socket.AF_INET, socket.SOCK_RAW), ("frames", socket.AF_PACKET, socket.SOCK_RAW),
                           ("raw packets over IPv6", socket.AF_INET6, socket.SOCK_RAW),
                           ("the hypervisor", 40, socket.SOCK_STREAM), ("the kernel's ciphers", 38, socket.SOCK_SEQPACKET),
                           ("Bluetooth", 31, socket.SOCK_RAW), ("CAN", 29, socket.SOCK_RAW)]:
    attempt("network", "make a socket for " + name)(lambda family=family, kind=kind: socket.socket(family, kind).fileno())

attempt("network", "look a name up")(lambda: socket.getaddrinfo("pypi.org", 443))
attempt("network", "reach the metadata service")(lambda: socket.create_connection(("169.254.169.254", 80), 2).fileno())
for name, address in [("loopback", "127.0.0.1"), ("IPv6 loopback", "::1"), ("Docker gateway", "172.17.0.1"),
                      ("own address", os.environ["TEST_ADDRESS"])]:
    attempt("network", f"reach a listener on the host's {name}")(
        lambda address=address: socket.create_connection((address, port), 2).fileno())


@attempt("network", "ask a public name server")
def _():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"\0" * 12, ("9.9.9.9", 53))


@attempt("network", "send a datagram to the host")
def _():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(mark.encode(), ("172.17.0.1", port))


@attempt("network", "give the loopback an address of the host's network")
def _():
    import fcntl
    peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    request = struct.pack("16sHH4s8x", b"lo", socket.AF_INET, 0, socket.inet_aton("172.17.0.99"))
    fcntl.ioctl(peer, 0x8916, request)


for path in ["/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock",
             "/run/dbus/system_bus_socket", outside + "/engine.sock"]:
    @attempt("network", "connect to " + path.replace(outside, "[outside]"))
    def _(path=path):
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(path)


@attempt("network", "connect to an abstract socket of the host")
def _():
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect("\0reprise-" + mark)


@attempt("network", "send to an abstract socket of the host")
def _():
    left, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    left.sendto(b"x", "\0reprise-datagram-" + mark)

"""An https index with a password, and a proxy with another, on loopback.

Arguments: certificate, key, file for the log, password of the index (or empty), of the proxy.
Prints the ports of index and proxy.
"""

import base64
import io
import re
import socket
import ssl
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CERTIFICATE, KEY, LOG, INDEX_PASSWORD, PROXY_PASSWORD = sys.argv[1:6]
lock = threading.Lock()


def log(line):
    with lock, open(LOG, "a") as file:
        file.write(line + "\n")


def basic(password):
    return "Basic " + base64.b64encode(("me:" + password).encode()).decode()


def wheel():
    content = io.BytesIO()
    info = "chain_pkg-1.0.dist-info/"
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("chain_pkg.py", "WORD = 'came through'\n")
        archive.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: chain-pkg\nVersion: 1.0\n")
        archive.writestr(info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(info + "RECORD", "")
    return content.getvalue()


class Index(BaseHTTPRequestHandler):
    def do_GET(self):
        kind, body, status, ranged = "text/html", b"none", 404, None
        if INDEX_PASSWORD and self.headers.get("Authorization") != basic(INDEX_PASSWORD):
            status = 401
        elif self.path.startswith("/simple/chain-pkg/"):
            link = "https://index.test:%d/files/chain_pkg-1.0-py3-none-any.whl" % index.server_port
            body, status = ('<a href="%s">chain_pkg-1.0-py3-none-any.whl</a>' % link).encode(), 200
        elif self.path.startswith("/files/chain_pkg-1.0-py3-none-any.whl"):
            kind, body, status = "application/octet-stream", wheel(), 200
            whole, wanted = len(body), re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range") or "")
            if wanted:
                first, last = wanted.groups()
                begin = int(first) if first else max(0, whole - int(last))
                end = min(whole, int(last) + 1) if first and last else whole
                body, status = body[begin:end], 206
                ranged = "bytes %d-%d/%d" % (begin, end - 1, whole)
        log("index %s %d" % (self.path, status))
        if self.command == "HEAD":
            log("index looked at the head of %s" % self.path)
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.send_header("accept-ranges", "bytes")
        if ranged:
            self.send_header("content-range", ranged)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *arguments):
        pass


class Proxy(BaseHTTPRequestHandler):
    def do_CONNECT(self):
        if self.headers.get("Proxy-Authorization") != basic(PROXY_PASSWORD):
            log("proxy %s 407" % self.path)
            self.send_error(407)
            return
        log("proxy %s 200" % self.path)
        # Nobody else knows the index's name.
        there = socket.create_connection(("127.0.0.1", index.server_port))
        self.send_response(200)
        self.end_headers()
        self.wfile.flush()
        back = threading.Thread(target=pump, args=(there, self.connection), daemon=True)
        back.start()
        pump(self.connection, there)
        back.join()
        self.close_connection = True

    def log_message(self, *arguments):
        pass


def pump(source, target):
    try:
        while piece := source.recv(65536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


index = ThreadingHTTPServer(("127.0.0.1", 0), Index)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(CERTIFICATE, KEY)
index.socket = context.wrap_socket(index.socket, server_side=True)
proxy = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
threading.Thread(target=index.serve_forever, daemon=True).start()
print(index.server_port, proxy.server_port, flush=True)
proxy.serve_forever()

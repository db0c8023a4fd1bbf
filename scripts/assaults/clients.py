"""Servers of the program, and clients that talk to them through plain sockets."""

import json
import re
import socket
import time

from . import processes
from .harness import Defect

ADDRESS = re.compile(rb"http://127\.0\.0\.1:(\d+)(/\w{16})?")


class Server:
    """A server of the program that is ready: the origin, the gallery or the playground."""

    def __init__(self, case, *arguments, seconds=20, **options):
        self.case = case
        self.process = case.start(*arguments, **options)
        limit = time.monotonic() + seconds
        while not (found := ADDRESS.search(processes.head(self.process.output))):
            ended = self.process.poll()
            if ended:
                case.judge(ended, {0})
            if ended or time.monotonic() > limit:
                raise Defect(f"did not print its address within {seconds} s: {self.process.command}")
            time.sleep(0.01)
        self.port = int(found[1])
        # The start of every path, with a secret.
        self.start = (found[2] or b"").decode()

    def check_alive(self, limit=512 << 20):
        """Checks that the server lives, and uses no more than `limit` bytes of memory."""
        ended = self.process.poll()
        if ended:
            raise Defect(f"the server ended with {ended.code}: {ended.command}\n{ended.said[:600]}")
        used = self.process.resident()
        if used > limit:
            raise Defect(f"the server uses {used >> 20} MiB: {self.process.command}")

    def get(self, path, seconds=10, headers=()):
        """Returns status and body of a good client's request."""
        return request(self.port, "GET", path, seconds=seconds, headers=headers)

    def post(self, path, value, seconds=10):
        """Posts bytes or a JSON value, and returns status and body."""
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        return request(self.port, "POST", path, body=body, seconds=seconds)


def origin(case, trace, **options):
    return Server(case, "origin", trace, **options)


def gallery(case, folder, output, *arguments):
    return Server(case, "record", "gallery", folder, "--thumbnails", "off", "--output", output, *arguments)


def play(case, trace):
    return Server(case, "play", trace)


def request(port, method, path, body=b"", headers=(), seconds=10):
    """Sends a well-formed request, and returns status and body.

    Raises `Defect` if no whole response arrives within `seconds`.
    """
    lines = [f"{method} {path} HTTP/1.1", *headers, "Connection: close"]
    if not any(line.lower().startswith("host:") for line in lines):
        lines.insert(1, f"Host: 127.0.0.1:{port}")
    if body or method == "POST":
        lines.append(f"Content-Length: {len(body)}")
    answer = exchange(port, "\r\n".join(lines).encode() + b"\r\n\r\n" + body, seconds)
    parsed = response(answer)
    if parsed is None:
        raise Defect(f"no whole response to {method} {path} within {seconds} s, but {answer[:80]!r}")
    return parsed


def response(answer):
    """Returns status and body of a whole response, or None."""
    head, end, body = answer.partition(b"\r\n\r\n")
    status = re.match(rb"HTTP/1\.[01] (\d{3}) ", head)
    if not end or not status:
        return None
    length = re.search(rb"(?mi)^content-length: *(\d+)\r?$", head)
    if length and len(body) < int(length[1]):
        return None
    return int(status[1]), body[: int(length[1])] if length else body


def exchange(port, data, seconds=10, then_close=False):
    """Sends bytes, and returns what arrives until the server closes the connection or the time is over."""
    limit = time.monotonic() + seconds
    received = bytearray()
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
            connection.settimeout(seconds)
            try:
                connection.sendall(data)
                if then_close:
                    connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # The server may refuse before it has read everything; its answer can still be read.
            while time.monotonic() < limit:
                connection.settimeout(max(0.01, limit - time.monotonic()))
                part = connection.recv(65_536)
                if not part:
                    break
                received += part
    except OSError:
        pass
    return bytes(received)


def connect(case, port, count):
    """Opens connections that the end of the case closes. Fewer are returned if the server refuses some."""
    made = []
    for _ in range(count):
        try:
            connection = socket.create_connection(("127.0.0.1", port), timeout=2)
        except OSError:
            continue
        connection.setblocking(False)
        made.append(connection)
    case.sockets += made
    return made


def send(connection, data):
    """Sends what the system takes at once. Returns false if the connection is closed."""
    try:
        connection.send(data)
    except BlockingIOError:
        pass
    except OSError:
        return False
    return True

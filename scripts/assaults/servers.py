"""Hostile clients of the origin, the gallery and the playground. A good client must be served afterwards."""

import json
import re
import signal
import time

from . import clients, samples
from .harness import Campaign, Defect

campaign = Campaign("servers")

KINDS = ["origin", "gallery", "play"]
PATHS = {"origin": "/run/0", "gallery": "/full/0", "play": "/base.js"}
SLOW_CLIENTS = 1_000


def inputs(folder, random):
    """Makes the trace and the pictures that are served. Object 0 is small, object 1 has 20 MB."""
    text = samples.session(random, objects=4, requests=20, size=4_000)
    (folder / "trace.jsonl").write_text(
        re.sub(r'("key": "https://pictures.test/1.jpg", "bytes": )\d+', r"\g<1>20000000", text)
    )
    samples.pictures(folder / "pictures")


class Target:
    """A server under attack, and its good client."""

    def __init__(self, case, kind):
        folder, _ = case.shared("server-inputs", inputs)
        self.case, self.kind = case, kind
        self.trace = case.work / "session.jsonl"
        trace = folder / "trace.jsonl"
        if kind == "gallery":
            self.server = clients.gallery(case, folder / "pictures", self.trace)
        elif kind == "play":
            self.server = clients.play(case, trace)
        else:
            self.server = clients.origin(case, trace)
        self.port = self.server.port
        self.path = self.server.start + PATHS[kind]
        self.body = self.serve()

    def serve(self, seconds=10):
        """Makes a good client's request, which must be answered."""
        status, body = self.server.get(self.path, seconds)
        if status != 200 or not body or getattr(self, "body", body) != body:
            raise Defect(f"a good client of the {self.kind} receives status {status}, {len(body)} bytes")
        self.server.check_alive()
        return body

    def finish(self, seconds=20):
        """Ends the server, whose recording must be valid."""
        self.serve(seconds)
        for connection in self.case.sockets:
            connection.close()
        self.server.process.send(signal.SIGINT)
        ended = self.server.process.wait(20)
        self.case.judge(ended, {0, 130})
        if self.kind != "origin" and self.trace.exists():
            self.case.run("validate", "--syntax", self.trace, expect={0, 65})


def against_each(name, seconds=2.0, once=False, kinds=KINDS):
    """Adds an attack as one scenario for each server. It receives the case and the target."""

    def add(attack):
        for kind in kinds:

            def run(case, kind=kind):
                target = Target(case, kind)
                attack(case, target)
                target.finish()

            campaign.scenario(f"{kind}: {name}", seconds, once)(run)
        return attack

    return add


# Slow and many clients


@against_each("1,000 idle clients", seconds=5, once=True)
def idle(case, target):
    """New clients are served at once while a thousand connections say nothing."""
    for _ in range(4):
        clients.connect(case, target.port, SLOW_CLIENTS // 4)
        target.serve(5)


@against_each("1,000 slow clients", seconds=6, once=True)
def slow(case, target):
    """New clients are served while a thousand send their requests byte by byte."""
    request = f"GET {target.path} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\nX: {'y' * 200}\r\n\r\n".encode()
    connections = clients.connect(case, target.port, SLOW_CLIENTS)
    for at in range(4):
        for connection in connections:
            clients.send(connection, request[at : at + 1])
        target.serve(5)
        time.sleep(0.2)


@against_each("clients that read nothing", seconds=4, once=True)
def readers(case, target):
    """Responses for clients that do not read them do not fill the memory."""
    path = "/run/1" if target.kind == "origin" else target.path
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n\r\n".encode()
    for connection in clients.connect(case, target.port, 40):
        clients.send(connection, request * 200)
    for _ in range(4):
        target.serve()
        time.sleep(0.3)


@against_each("flood of connections", seconds=3)
def flood(case, target):
    """Connections that come and go at once, with half a request, with a reset, or with a whole request."""
    request = f"GET {target.path} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n\r\n".encode()
    for _ in range(600):
        for connection in clients.connect(case, target.port, 1):
            clients.send(connection, request[: case.random.choice([0, 1, len(request) // 2, len(request)])])
            connection.close()
            case.sockets.remove(connection)
    target.serve()


@against_each("flood of requests", seconds=2)
def pipeline(case, target):
    """Many requests in one connection are answered in order, or the connection is closed."""
    request = f"GET {target.path} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n\r\n".encode()
    answer = clients.exchange(target.port, request * 300, 3, then_close=True)
    case.check(answer.count(b"HTTP/1.1 ") <= 300, "more responses than requests")


# Malformed requests


def malformed(target):
    """Requests that no server may take for a good one, by what is wrong with them."""
    host = f"Host: 127.0.0.1:{target.port}\r\n".encode()
    line = f"GET {target.path} HTTP/1.1\r\n".encode()
    post = b"POST /events HTTP/1.1\r\n" + host
    return {
        "nothing": b"",
        "line breaks": b"\r\n" * 1000,
        "zero bytes": b"\0" * 5000,
        "noise": b"\x16\x03\x01\x02\x00\x01\xfc" * 50,
        "TLS": bytes.fromhex("16030100a5010000a10303") + b"a" * 160,
        "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "HTTP/0.9": b"GET /\r\n",
        "HTTP/9": b"GET / HTTP/9.9\r\n" + host + b"\r\n",
        "no version": b"GET /\r\n" + host + b"\r\n",
        "no host": line + b"\r\n",
        "two hosts": line + host * 2 + b"\r\n",
        "two different hosts": line + host + b"Host: evil.example\r\n\r\n",
        "empty host": line + b"Host:\r\n\r\n",
        "huge path": b"GET /" + b"a" * 2_000_000 + b" HTTP/1.1\r\n" + host + b"\r\n",
        "huge header": line + host + b"X: " + b"y" * 2_000_000 + b"\r\n\r\n",
        "many headers": line + host + b"".join(b"X-%d: y\r\n" % n for n in range(50_000)) + b"\r\n",
        "space before a colon": line + host + b"Content-Length : 5\r\n\r\nhello",
        "folded header": line + host + b"X: a\r\n b\r\n\r\n",
        "header without a colon": line + host + b"nonsense\r\n\r\n",
        "zero byte in a header": line + host + b"X: a\0b\r\n\r\n",
        "bare line feeds": line.replace(b"\r", b"") + b"Host: a\n\n",
        "bare carriage return": line + host + b"X: a\rY: b\r\n\r\n",
        "negative length": post + b"Content-Length: -1\r\n\r\n",
        "huge length": post + b"Content-Length: 99999999999999999999\r\n\r\n",
        "length with a sign": post + b"Content-Length: +5\r\n\r\nhello",
        "list of lengths": post + b"Content-Length: 5, 6\r\n\r\nhello",
        "two lengths": post + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        "length and chunks": post + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "unknown encoding": post + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "huge chunk": post + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nhello",
        "bad chunk": post + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
        "endless chunk extension": post + b"Transfer-Encoding: chunked\r\n\r\n5;" + b"a" * 500_000,
        "CONNECT": b"CONNECT evil.example:443 HTTP/1.1\r\n" + host + b"\r\n",
        "TRACE": b"TRACE / HTTP/1.1\r\n" + host + b"\r\n",
        "asterisk": b"OPTIONS * HTTP/1.1\r\n" + host + b"\r\n",
        "unknown method": b"\x80BREW / HTTP/1.1\r\n" + host + b"\r\n",
        "absolute target": b"GET http://evil.example/ HTTP/1.1\r\n" + host + b"\r\n",
        "escape sequences": b"GET /\x1b[31m HTTP/1.1\r\n" + host + b"\r\n",
    }


# HTTP allows these to be answered.
HARMLESS = set(
    "nothing, empty host, line breaks, folded header, bare line feeds, "
    "asterisk, unknown method, endless chunk extension, TRACE, HTTP/9, many headers".split(", ")
)


@against_each("malformed requests", seconds=8)
def malformed_requests(case, target):
    """Malformed requests are refused with a status, or their connection is closed; the server goes on."""
    every = malformed(target)
    for name in case.random.sample(sorted(every), 12):
        answer = clients.exchange(target.port, every[name], 1.5, then_close=True)
        status = re.match(rb"HTTP/1\.\d (\d{3})", answer)
        case.check(not answer or status, f"{name}: the {target.kind} answers {answer[:60]!r}")
        accepted = status and status[1] in (b"200", b"204")
        case.check(not accepted or name in HARMLESS, f"{name}: the {target.kind} accepts the request")
        target.serve()


@against_each("random bytes", seconds=3)
def noise(case, target):
    request = (
        f"GET {target.path} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\nA: b\r\nContent-Length: 3\r\n\r\nabc".encode()
    )
    for _ in range(30):
        content = bytearray(request * case.random.choice([1, 3]))
        for _ in range(case.random.randint(1, 5)):
            content[case.random.randrange(len(content))] = case.random.randrange(256)
        clients.exchange(target.port, bytes(content), 0.3, then_close=True)
    target.serve()


# Hosts and origins


@against_each("foreign hosts and sites", seconds=2, once=True)
def hosts(case, target):
    """Web pages cannot reach a server on loopback: names that are not local and foreign sites are refused."""
    port = target.port
    for host in (
        "evil.example",
        "localhost.evil.example",
        f"evil.example:{port}",
        "127.0.0.1.evil.example",
        "a b",
        "évil",
        "user@localhost",
        "localhost/evil.example",
        "[::1",
        "2130706433.evil",
    ):
        status = attempt(target, f"Host: {host}\r\n")
        case.check(400 <= status < 500, f"the {target.kind} answers Host '{host}' with {status}")
    for head, wrong in (
        (f"Host: localhost:{port}\r\nHost: localhost:{port}\r\n", "two Host fields"),
        ("", "no Host field"),
    ):
        status = attempt(target, head)
        case.check(400 <= status < 500, f"the {target.kind} answers {wrong} with {status}")
    for origin in ("http://evil.example", "https://evil.example:8080", "null", f"http://localhost.evil.example:{port}"):
        status = attempt(target, f"Host: 127.0.0.1:{port}\r\nOrigin: {origin}\r\n")
        case.check(400 <= status < 500, f"the {target.kind} answers Origin '{origin}' with {status}")
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}", "127.0.0.1"):
        status = attempt(target, f"Host: {host}\r\n")
        case.check(status == 200, f"the {target.kind} answers Host '{host}' with {status}")
    status = attempt(target, f"Host: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n")
    case.check(status == 200, f"the {target.kind} answers a page of its own with {status}")


@against_each("the address of an emulator's host", seconds=1, once=True, kinds=["origin"])
def emulator(case, target):
    """Android's emulator reaches its host as 10.0.2.2."""
    status = attempt(target, f"Host: 10.0.2.2:{target.port}\r\n")
    case.check(status == 200, f"the {target.kind} answers Host '10.0.2.2' with {status}")


def attempt(target, head):
    """Requests the good client's path with some header fields, and returns the status; 400 for a closed connection."""
    text = f"GET {target.path} HTTP/1.1\r\n{head}Connection: close\r\n\r\n"
    parsed = clients.response(clients.exchange(target.port, text.encode(), 5))
    return parsed[0] if parsed else 400


# The questions of the playground


@campaign.scenario("play: forged questions", seconds=4)
def forged_questions(case):
    """Questions of other pages are refused, forged ones have a reason, and none starts a program or ends the server."""
    target = Target(case, "play")
    port, start = target.port, target.server.start
    own = [f"Origin: http://127.0.0.1:{port}", f"Host: 127.0.0.1:{port}"]
    window = ["Content-Type: application/json", "X-Play-Window: w", "X-Play-Turn: 1"]

    def ask(path, body, headers):
        return clients.request(port, "POST", path, body=body, headers=headers)[0]

    mark = case.work / "started"
    program = {"base": f"own=/usr/bin/touch {mark}", "rules": {}, "network": "auto"}
    question = {"session": "trace", "caches": [program], "a": 0, "b": 0, "warnings": [], "decode": True, "seed": 1}
    for path in ("/figures", "/report", "/start", f"/{'a' * 16}/figures"):
        case.check(ask(path, b"{}", own + window) == 404, f"{path} is answered without the secret")
    for headers in (window, [*window, "Origin: http://evil.example"], [*window, "Sec-Fetch-Site: cross-site"], own):
        status = ask(start + "/figures", b"{}", headers)
        case.check(400 <= status < 500, f"a question of another page is answered with {status}")
    bodies = [b"", b"{", b"[" * 30_000, b"null", b"{}", b"\xff" * 100, b"1e999", json.dumps(question).encode()]
    for path in ("figures", "curve", "moves", "film", "bound", "people", "export", "report"):
        body = case.random.choice(bodies)
        status = ask(f"{start}/{path}", body, own + window)
        case.check(status == 422, f"{path} answers {body[:40]!r} with {status}")
    case.check(not mark.exists(), "a question has started a program")
    target.finish()


# The gallery's reports and files


@campaign.scenario("gallery: forged reports", seconds=3)
def forged_reports(case):
    """Forged reports are refused, and leave the recording of a good visitor as it is."""
    target = Target(case, "gallery")
    server = target.server
    visit = {"visit": "goodvisit1", "sequence": 1, "events": []}
    case.check(server.post("/hello", {"client": "goodclient", "batches": [visit]})[0] == 200, "a visit is refused")
    event = {"t": 5, "e": "appear", "n": 0, "variant": "full"}
    batch = {"visit": "goodvisit1", "sequence": 2, "events": [event]}
    case.check(server.post("/events", {"client": "goodclient", "batches": [batch]})[0] == 204, "an event is refused")
    wrong = [
        b"",
        b"{",
        b"[" * 100_000,
        b"null",
        b'{"client":5}',
        b'{"client":"goodclient","client":"x"}',
        b"\xff" * 100,
        {"client": "../../../etc", "batches": []},
        {"client": "stranger99", "batches": [batch]},
        report({"e": "appear", "n": 99_999}),
        report({"e": "appear", "n": -1}),
        report({"t": -5}),
        report({"t": 1 << 62}),
        report({"t": 10**30}),
        report({"e": "fetch"}),
        report({"e": "appear\u001b[31m"}),
        report({"key": "x"}),
        report({"e": "scroll", "phase": "dragged", "offset": 1e308, "velocity": float("inf")}),
        {"client": "goodclient", "batches": [{"visit": "goodvisit1", "sequence": 0, "events": []}]},
        {"client": "goodclient", "batches": [{"visit": "goodvisit1", "sequence": 1 << 40, "events": []}]},
        {"client": "goodclient", "batches": [visit] * 500},
        {"client": "goodclient", "batches": [{"visit": "goodvisit1", "sequence": 9, "events": [event] * 30_000}]},
        b'{"client":"goodclient","batches":[' + b" " * 2_000_000,
    ]
    for value in case.random.sample(wrong, 12):
        path = case.random.choice(["/events", "/events", "/hello"])
        try:
            status = server.post(path, value)[0]
        except Defect:
            status = 400  # The connection was closed while the body was sent.
        shown = repr(value)[:80]
        allowed = isinstance(value, dict) and value.get("batches") in ([], [batch]) and path == "/hello"
        case.check(status >= 400 or allowed, f"{path} answers {shown} with {status}")
        server.check_alive()
    for number in range(80):
        server.post("/hello", {"client": f"visitor{number:04}", "batches": [visit]})
    case.check(len(list(case.work.glob("*.jsonl"))) <= 40, "forged visitors create files without a limit")
    target.finish()
    recorded = target.trace.read_text()
    case.check(recorded.count('"appear"') == 1, "the recording does not have exactly the good visitor's appearance")
    case.succeed("validate", "--syntax", target.trace)


def report(changes):
    """A report of the good visitor with one changed event."""
    event = {"t": 6, "e": "appear", "n": 1, "variant": "full"} | changes
    if "n" not in changes and event["e"] == "scroll":
        del event["n"]
    return {"client": "goodclient", "batches": [{"visit": "goodvisit1", "sequence": 7, "events": [event]}]}


@campaign.scenario("gallery: links and paths", seconds=2)
def links(case):
    """Nothing outside of the folder is served: neither through links nor through paths."""
    secret = samples.png(31, 31, 7) + b"secret"
    (case.work / "secret.png").write_bytes(secret)
    (case.work / "outside").mkdir()
    (case.work / "outside" / "hidden.png").write_bytes(secret)
    folder = samples.pictures(case.work / "pictures", 3)
    (folder / "link.png").symlink_to(case.work / "secret.png")
    (folder / "relative.png").symlink_to("../secret.png")
    (folder / "folder").symlink_to(case.work / "outside")
    (folder / "loop").symlink_to(folder)
    (folder / "self.png").symlink_to("self.png")
    (folder / "passwords.png").symlink_to("/etc/passwd")
    server = clients.gallery(case, folder, case.work / "session.jsonl")
    catalogue = server.get("/images")[1]
    paths = (
        [f"/full/{number}" for number in range(12)]
        + [f"/thumb/{number}" for number in range(12)]
        + "/../secret.png /full/../../secret.png /%2e%2e/secret.png /..%2fsecret.png /full/..%2f..%2fsecret.png".split()
        + "/full/0/../../../secret.png //etc/passwd /full/-1 /full/99999999999999999999".split()
        + "/full/0x0 /full/%30 /full/0%00.png /\\..\\secret.png /full/٠ /etc/passwd /session.jsonl /full/+0 /full/00".split()
    )
    for path in paths:
        answer = clients.exchange(
            server.port,
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode(),
            5,
        )
        case.check(b"secret" not in answer and b"root:" not in answer, f"{path} serves a file outside of the folder")
    # A picture that becomes a link after the start is not followed.
    (folder / "picture-0.png").unlink()
    (folder / "picture-0.png").symlink_to(case.work / "secret.png")
    for number in range(3):
        status, body = server.get(f"/full/{number}")
        case.check(b"secret" not in body, "a picture that became a link is followed")
    case.check(b"secret" not in catalogue, "the catalogue lists a file outside of the folder")
    server.check_alive()


@campaign.scenario("origin: paths and queries", seconds=1)
def origin_paths(case):
    target = Target(case, "origin")
    for path in (
        "/",
        "//",
        "/run",
        "/run/",
        "/run/-1",
        "/run/4",
        "/run/99999999999999999999",
        "/../../etc/passwd",
        "/-/stats",
        "/-/stats/" + "x" * 5000,
        "/run/0?status=999",
        "/run/0?status=-1",
        "/run/0?bytes=-5&status=500",
        "/run/٣",
        "/%00/0",
        "/run/0/1",
        "/run/0?" + "&" * 5000,
    ):
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\nConnection: close\r\n\r\n"
        answer = clients.exchange(target.port, head.encode(), 2)
        case.check(not answer or answer.startswith(b"HTTP/1.1 "), f"{path[:40]} is answered by {answer[:60]!r}")
        target.server.check_alive()
    for number in range(300):  # Names of runs are counted, but their number is a client's choice.
        target.server.get(f"/run-{number}/0")
    clients.connect(case, target.port, 5)
    for connection in case.sockets:
        clients.send(
            connection,
            f"GET /run/1?bytes=9000000000000&status=500 HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n\r\n".encode(),
        )
    time.sleep(0.3)
    target.finish()

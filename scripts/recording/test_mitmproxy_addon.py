"""Requests pictures of a server of this machine through mitmproxy with `mitmproxy_addon.py`.

    PYTHON scripts/recording/test_mitmproxy_addon.py FOLDER

PYTHON is that of an environment with mitmproxy; curl and openssl are needed too. Each part of the test leaves the
session that the addon wrote in FOLDER, as NAME.jsonl, and what the server saw, as NAME.json: for each request its
method, path, protocol, connection and status, the bytes of its body that were sent, and whether these were all.
"""

import asyncio
import http.client
import json
import signal
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path

import h2.config
import h2.connection
import h2.events

PNG = b"\x89PNG\r\n\x1a\n" + bytes([0, 0, 0, 13]) + b"IHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big")
IMAGE = {"content-type": "image/png", "etag": '"1"', "cache-control": "max-age=9", "x-other": "1"}
SIZES = {"/plain.png": 50_000, "/thumb/1?token=a": 3_000, "/opaque": 70_000, "/slow": 900, "/2.png": 120_000,
         "/late": 800}
PATIENCE = 120  # seconds, so that a test that fails ends
# The announced length, and the bytes before the connection (of HTTP/2: the stream) breaks, or nothing more comes.
BROKEN = {"/broken.png": (5_000, 2_000, "break"), "/endless.png": (5_000, 1_500, "hold")}


def answer(path, headers, address):
    """The status, header fields and body of a response; and what happens in place of the rest of its body."""
    if path in BROKEN:
        announced, sent, end = BROKEN[path]
        return 200, IMAGE | {"content-length": str(announced)}, PNG.ljust(sent, b"\0"), end
    if path == "/mute.png":
        return None, {}, b"", "break"
    if path == "/moved.png":
        return 302, {"location": f"{address}/plain.png", "content-length": "0"}, b"", None
    if path in SIZES and "if-none-match" in headers:
        return 304, {"etag": '"1"'}, b"", None
    if path in SIZES:
        return 200, IMAGE | {"content-length": str(SIZES[path])}, PNG.ljust(SIZES[path], b"\0"), None
    if path == "/whole.png":  # without an announced length
        return 200, IMAGE, PNG.ljust(40_000, b"\0"), None
    if path == "/packed.svg":
        return 200, {"content-type": "image/svg+xml", "content-encoding": "gzip"}, b"packed" * 20, None
    if path == "/page.jpg":
        return 200, {"content-type": "text/html"}, b"page", None
    return (503, {"content-type": "text/html"}, b"busy", None) if path == "/busy.webp" else (404, {}, b"missing", None)


class Origin:
    """A server with HTTP/1.1 and HTTP/2 over TLS, which notes what it has answered."""

    def __init__(self, folder):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "key.pem", "-out",
             folder / "certificate.pem"],
            check=True, stderr=subprocess.DEVNULL)
        self.saw, self.connections, self.is_late, self.loop = [], 0, False, asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
        context.set_alpn_protocols(["h2", "http/1.1"])
        start = asyncio.start_server(self.serve, "localhost", 0, ssl=context)
        port = asyncio.run_coroutine_threadsafe(start, self.loop).result().sockets[0].getsockname()[1]
        self.address = f"https://localhost:{port}"

    async def serve(self, reader, writer):
        self.connections += 1
        is_new = writer.get_extra_info("ssl_object").selected_alpn_protocol() == "h2"
        try:
            await (self.serve_http2 if is_new else self.serve_http1)(reader, writer, self.connections)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        writer.close()

    def note(self, method, path, protocol, connection, status, body, end):
        self.saw.append({"method": method, "path": path, "protocol": protocol, "connection": connection,
                         "status": status or 0, "sent": len(body), "whole": end is None})

    async def serve_http1(self, reader, writer, connection):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            method, path, _ = head[0].split(" ")
            fields = {line.split(":")[0].lower(): line.split(":")[1].strip() for line in head[1:] if line}
            await reader.readexactly(int(fields.get("content-length", 0)))
            status, headers, body, end = answer(path, fields, self.address)
            body = b"" if method == "HEAD" else body
            self.note(method, path, "http/1.1", connection, status, body, end)
            await asyncio.sleep(0.3 if path == "/slow" else 0)
            while path == "/late" and self.is_late:
                await asyncio.sleep(0.01)
            if status:
                has_length = "content-length" in headers or status == 304
                fields = headers if has_length else headers | {"transfer-encoding": "chunked"}
                lines = [f"HTTP/1.1 {status} Status", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
                chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
                writer.write("\r\n".join(lines).encode() + (body if has_length else chunked))
                await writer.drain()
            if end == "hold":
                await reader.read()
            if end:
                return

    async def serve_http2(self, reader, writer, connection):
        http2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        http2.initiate_connection()
        waiting = {}  # the rest of the body of each stream, and its end
        while True:
            for stream, (body, end) in list(waiting.items()):
                while body and (room := http2.local_flow_control_window(stream)):
                    piece = body[: min(room, http2.max_outbound_frame_size)]
                    http2.send_data(stream, piece)
                    body = body[len(piece):]
                waiting[stream] = (body, end)
                if not body and end != "hold":
                    http2.reset_stream(stream) if end else http2.end_stream(stream)
                    del waiting[stream]
            writer.write(http2.data_to_send())
            await writer.drain()
            if not (data := await reader.read(1 << 16)):
                return
            for event in http2.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    fields = dict(event.headers)
                    status, headers, body, end = answer(fields[":path"], fields, self.address)
                    self.note(fields[":method"], fields[":path"], "h2", connection, status, body, end)
                    if status:
                        http2.send_headers(event.stream_id, [(":status", str(status)), *headers.items()])
                    waiting[event.stream_id] = (body, end)
                elif isinstance(event, h2.events.StreamReset):
                    waiting.pop(event.stream_id, None)


class Recording:
    """mitmproxy with the addon, which records NAME.jsonl. Its end writes NAME.json."""

    def __init__(self, folder, name, origin, *options):
        self.folder, self.name, self.origin = folder, name, origin
        origin.saw.clear()
        script = Path(__file__).parent / "mitmproxy_addon.py"
        settings = ["listen_port=0", f"confdir={folder}/conf", f"session={folder / name}.jsonl",
                    f"ssl_verify_upstream_trusted_ca={folder}/certificate.pem", *options]
        self.process = subprocess.Popen(
            [Path(sys.executable).parent / "mitmdump", "--listen-host", "127.0.0.1", "-s", script,
             *(word for setting in settings for word in ("--set", setting))],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said = []
        for line in self.process.stdout:
            self.said.append(line)
            if "listening at" in line:
                self.port = int(line.strip().rstrip(".").rpartition(":")[2])
            if "Control-C ends it" in line:
                break
        else:
            sys.exit(f"{name}: mitmproxy did not start: {''.join(self.said)}")
        threading.Thread(target=lambda: self.said.extend(self.process.stdout), daemon=True).start()

    def end(self, how=signal.SIGINT):
        self.process.send_signal(how)
        self.process.wait(PATIENCE)
        saw = {"address": self.origin.address, "status": self.process.returncode, "requests": self.origin.saw}
        (self.folder / f"{self.name}.json").write_text(json.dumps(saw))

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def get(self, path, connection=None, method="GET", **fields):
        """Sends a request, and returns the response; None if it ends early."""
        connection = connection or self.connect()
        try:
            connection.request(method, path, headers={name.replace("_", "-"): value for name, value in fields.items()})
            response = connection.getresponse()
            response.read()
            return response
        except (http.client.HTTPException, ConnectionError):
            return None

    def get_both(self, slow, quick, fetches=0):
        """Sends the second request while the first one waits for its response, and for a number of recorded fetches."""
        self.origin.is_late = True
        waiting = threading.Thread(target=self.get, args=(slow,))
        waiting.start()
        while not any(request["path"] == slow for request in self.origin.saw):
            time.sleep(0.01)
        self.get(quick)
        self.wait_for(fetches)
        self.origin.is_late = False
        waiting.join()

    def leave_early(self, path, count):
        """Sends a request, and closes the connection after `count` bytes of the body."""
        connection = self.connect()
        connection.request("GET", path)
        response = connection.getresponse()
        read = response.read(count)
        response.close()
        connection.close()
        return len(read)

    def curl(self, *arguments, output="/dev/null", until=None):
        """Requests pictures over HTTP/2, with mitmproxy as the proxy of the device. Ends curl after some bytes."""
        command = ["curl", "--silent", "--no-buffer", "--http2", "--proxy", f"http://127.0.0.1:{self.port}",
                   "--noproxy", "", "--cacert", f"{self.folder}/conf/mitmproxy-ca-cert.pem", "--output", output,
                   *arguments]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        if until:
            while process.poll() is None and not (Path(output).exists() and Path(output).stat().st_size >= until):
                time.sleep(0.01)
            process.terminate()
        return process.wait(PATIENCE)

    def wait_for(self, count):
        """Waits until the file has this number of fetches."""
        path, deadline = self.folder / f"{self.name}.jsonl", time.monotonic() + PATIENCE
        while path.read_text().count('"e":"fetch"') < count and time.monotonic() < deadline:
            time.sleep(0.02)


def record_http1(folder, origin):
    run = Recording(folder, "http1", origin, f"mode=reverse:{origin.address}", "session_thumbnails=/thumb/",
                    f"session_bodies={folder}/bodies", "session_title=Feed")
    kept = run.connect()
    for path in ("/plain.png", "/thumb/1?token=a", "/plain.png"):
        run.get(path, kept)
    moved = run.get("/moved.png")
    assert moved.status == 302 and moved.getheader("location") == "/plain.png", moved.headers
    assert run.get("/plain.png", if_none_match='"1"').status == 304
    for path in ("/opaque", "/whole.png", "/packed.svg", "/page.jpg", "/busy.webp", "/gone.png", "/api"):
        assert run.get(path) is not None, path
    run.get("/plain.png", method="HEAD")
    run.get("/page.jpg", method="POST")
    assert run.get("/broken.png") is None, "a broken body looks complete"
    assert run.get("/mute.png").status == 502
    assert run.leave_early("/endless.png", 1_500) == 1_500
    run.wait_for(12)
    run.get_both("/slow", "/2.png")
    run.end()


def record_http2(folder, origin):
    run = Recording(folder, "http2", origin, "session_all=true", "session_strip_query=true")
    paths = ("/plain.png", "/thumb/1?token=a", "/2.png", "/whole.png", "/page.jpg")
    outputs = ["--output", "/dev/null"] * (len(paths) - 1)
    assert run.curl("--parallel", *outputs, *(origin.address + path for path in paths)) == 0
    assert run.curl("--location", f"{origin.address}/moved.png") == 0
    assert run.curl("--header", 'If-None-Match: "1"', f"{origin.address}/plain.png") == 0
    assert run.curl(f"{origin.address}/busy.webp") == 0
    assert run.curl(f"{origin.address}/broken.png") != 0
    assert run.curl(f"{origin.address}/endless.png", output=str(folder / "beginning"), until=1_500) != 0
    run.wait_for(11)
    run.end()


def record_ends(folder, origin):
    """Ctrl-C, kills, a server that is gone, a late response, no image, and a file that exists."""
    for name, how in (("interrupted", signal.SIGINT), ("terminated", signal.SIGTERM), ("killed", signal.SIGKILL)):
        run = Recording(folder, name, origin, f"mode=reverse:{origin.address}")
        run.get("/plain.png")
        connection = run.connect()
        connection.request("GET", "/endless.png")
        connection.getresponse().read(1_500)
        run.wait_for(1)
        run.end(how)
    run = Recording(folder, "gone", origin, "mode=reverse:https://localhost:1")
    assert run.get("/plain.png").status == 502
    assert run.get("/api").status == 502
    run.end()
    run = Recording(folder, "late", origin, f"mode=reverse:{origin.address}")
    run.get_both("/late", "/2.png", fetches=1)
    run.end()
    run = Recording(folder, "empty", origin, f"mode=reverse:{origin.address}")
    run.get("/page.jpg")
    run.end()
    taken = subprocess.run([Path(sys.executable).parent / "mitmdump", "--listen-port", "0", "--set",
                            f"confdir={folder}/conf", "--set", f"session={folder}/gone.jsonl", "-s",
                            Path(__file__).parent / "mitmproxy_addon.py"],
                           timeout=PATIENCE, capture_output=True, text=True)
    assert taken.returncode == 1 and "gone.jsonl" in taken.stdout + taken.stderr, taken


def main():
    signal.pthread_sigmask(signal.SIG_SETMASK, [])  # what the starter of this script blocks would not reach mitmproxy
    folder = Path(sys.argv[1]).resolve()
    origin = Origin(folder)
    for part in (record_http1, record_http2, record_ends):
        part(folder, origin)


if __name__ == "__main__":
    main()

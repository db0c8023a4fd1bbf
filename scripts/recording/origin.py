"""A loopback HTTP origin with the response times of a mobile network."""

import hashlib
import math
import random
import threading
import time
from collections import Counter
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PAGE = Path(__file__).parent / "page"
TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript",
         ".json": "application/json", ".jpg": "image/jpeg", ".png": "image/png"}
LIFETIMES = {"thumb": 7 * 86_400, "full": 86_400}  # seconds, sent as max-age

# An LTE-like link. Time to first byte is log-normal: median 62 ms, nine in ten between 40 and 95 ms; one request
# in fifty has a radio wake-up or a retransmission. Each response has a rate of 1 to 2 MB/s.
FASTEST_FIRST_BYTE = 0.035
MEDIAN_FIRST_BYTE = 0.062
SPREAD_OF_FIRST_BYTE = 0.26
SHARE_OF_STALLS = 0.02
STALL = (0.2, 0.6)
BYTES_PER_SECOND = (1.0e6, 2.0e6)
CHUNK = 8_192


class Origin:
    """Serves `folder` and the page on a free port of 127.0.0.1 while its `with` block runs."""

    def __init__(self, folder, seed):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.folder = folder
        self.server.network = Network(seed)
        self.port = self.server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Network:
    """Draws the network of each response from the seed, the path and its number of requests, independent of the order."""

    def __init__(self, seed):
        self.seed = seed
        self.asked = Counter()
        self.lock = threading.Lock()

    def weather(self, path):
        """Returns the seconds to the first byte, and the bytes per second after it."""
        with self.lock:
            self.asked[path] += 1
            draw = random.Random(f"{self.seed} {path} {self.asked[path]}")
        first_byte = max(FASTEST_FIRST_BYTE, draw.lognormvariate(math.log(MEDIAN_FIRST_BYTE), SPREAD_OF_FIRST_BYTE))
        if draw.random() < SHARE_OF_STALLS:
            first_byte += draw.uniform(*STALL)
        return first_byte, draw.uniform(*BYTES_PER_SECOND)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server_version = "photo-feed"

    def do_GET(self):
        path = self.path.partition("?")[0]
        file = self.file(path)
        if file is None:
            self.send_error(404)
            return
        first_byte, rate = self.server.network.weather(path)
        started = time.monotonic()
        body = file.read_bytes()
        sleep_until(started + first_byte)
        self.send_response(200)
        self.send_header("Content-Type", TYPES[file.suffix])
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Last-Modified", formatdate(file.stat().st_mtime, usegmt=True))
        self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()[:16]}"')
        self.send_header("Cache-Control", cache_control(path))
        self.end_headers()
        started = time.monotonic()
        for offset in range(0, len(body), CHUNK):
            chunk = body[offset:offset + CHUNK]
            self.wfile.write(chunk)
            sleep_until(started + (offset + len(chunk)) / rate)

    def file(self, path):
        if path == "/favicon.ico":
            return None
        folder = self.server.folder if path.startswith(("/thumb/", "/full/", "/feed.json")) else PAGE
        file = folder / (path.lstrip("/") or "index.html")
        return file if file.is_file() and ".." not in path else None

    def log_message(self, *_):
        pass


def cache_control(path):
    seconds = LIFETIMES.get(path.split("/")[1])
    return f"public, max-age={seconds}" if seconds else "no-cache"


def sleep_until(moment):
    time.sleep(max(0, moment - time.monotonic()))

"""Records the images that an app requests through mitmproxy as a session. `cachereplay record --help` has the commands.

A request for an image is an `appear` and a `fetch` event, at the time at which its head has arrived. `bytes` are those
of the body as transferred. `connect_us` is name lookup, TCP and TLS, for the first request of a connection. A fetch
that failed, or that the app cancelled, has status 0 and the bytes that arrived. The file always ends with a whole line.
"""

import asyncio
import logging
import os
import re
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

from mitmproxy import ctx, version
from recorded_images import PROBE, Bodies, as_lines, facts, is_image

PATIENCE = 1_000_000  # microseconds that appearances wait until it is known if an earlier request is for an image


class Visit:
    """A GET request, and what has arrived of its response."""

    def __init__(self, flow, key, at):
        self.flow, self.key, self.at, self.arrived = flow, key, at, time.time()
        self.is_wanted = None  # until it is known whether the request is for an image
        self.appeared, self.fetch, self.facts = False, None, {}
        self.bytes, self.body, self.limit = 0, bytearray(), PROBE

    def receive(self, data):
        self.bytes += len(data)
        self.body += data[: max(0, self.limit - len(self.body))]
        return data


class Session:
    def __init__(self):
        self.file, self.last, self.size = None, 0, 0
        self.requests = self.recorded = self.lost = 0
        self.visits, self.waiting, self.objects, self.numbers = {}, [], {}, {}
        self.images, self.connections = set(), set()

    def load(self, loader):
        loader.add_option("session", str, "", "The session to write, a new file. (default: named after the time)")
        loader.add_option("session_title", str, "", "The session's title.")
        loader.add_option("session_thumbnails", str, "", "The text that the URLs of thumbnails contain.")
        loader.add_option("session_all", bool, False, "Record every GET request, not only those for images.")
        loader.add_option("session_bodies", str, "", "Keep the received bodies in this folder, each content once.")
        loader.add_option("session_strip_query", bool, False, "Write URLs without ?query, which can contain tokens.")

    def running(self):
        """Creates the file when mitmproxy listens. It replaces none, because a recording cannot be made again."""
        self.path = Path(ctx.options.session or f"app-{datetime.now():%Y%m%d-%H%M%S}.jsonl")
        try:
            self.bodies = Bodies(Path(ctx.options.session_bodies)) if ctx.options.session_bodies else None
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        except OSError as error:
            return logging.error("%s: %s. Choose a new file.", error.filename or "session_bodies", error.strerror)
        self.begun = time.monotonic()
        title = {"title": ctx.options.session_title} if ctx.options.session_title else {}
        self.write({"cachereplay_trace": 1, **title, "recorder": f"mitmproxy {version.VERSION}",
                    "started": f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ}", "synthetic": False})
        if ctx.options.mode[0].startswith("reverse:"):
            # The first request opens the connection to the server, so that its failure is that of a request.
            ctx.options.update(connection_strategy="lazy")
        self.releasing = asyncio.get_running_loop().create_task(self.release_often())
        logging.info("Recording into %s; Control-C ends it.", self.path)

    def now(self):
        return int((time.monotonic() - self.begun) * 1e6)

    async def release_often(self):
        while True:
            await asyncio.sleep(PATIENCE / 4e6)
            self.release()

    def requestheaders(self, flow):
        flow.request.stream = True  # passes on what arrives, as without mitmproxy
        self.requests += 1
        if flow.request.method == "GET" and self.file is not None:
            is_reverse = flow.client_conn.proxy_mode.type_name == "reverse"
            url = re.sub("^([a-z]+://)[^/?#]*@", r"\1", flow.request.url if is_reverse else flow.request.pretty_url)
            key = re.split("[?#]", url)[0] if ctx.options.session_strip_query else url
            visit = self.visits[flow.id] = Visit(flow, key, self.now())
            visit.is_wanted = True if ctx.options.session_all or key in self.images else None
            self.waiting.append(visit)
            self.release()

    def responseheaders(self, flow):
        flow.response.stream = True
        place, own = flow.response.headers.get("location", ""), flow.request.url.removesuffix(flow.request.path)
        if flow.client_conn.proxy_mode.type_name == "reverse" and place.startswith(own + "/"):
            # The app resolves a path at mitmproxy, by whatever name it knows it.
            flow.response.headers["location"] = re.sub("^//", "/.//", place.removeprefix(own))
        if visit := self.visits.get(flow.id):
            self.decide(visit)
            if self.bodies and visit.is_wanted and flow.response.status_code == 200:
                visit.limit = sys.maxsize  # keeps the whole body
            flow.response.stream = visit.receive

    def response(self, flow):
        self.end(flow, is_whole=True)

    def error(self, flow):
        self.end(flow, is_whole=False)

    def done(self):
        if self.file is None:
            return
        self.releasing.cancel()
        for visit in list(self.visits.values()):
            self.end(visit.flow, is_whole=False)
        logging.info("%d of %d requests recorded. Those that the app's own cache answered are not among them.",
                     self.recorded, self.requests)
        if self.lost:
            logging.error("%s: %d lines could not be written.", self.path, self.lost)
        if not self.recorded:
            os.unlink(self.path)

    def decide(self, visit):
        """Decides whether a request is recorded, when its response comes, or when it is known that none comes."""
        is_known = visit.key in self.images
        visit.is_wanted = ctx.options.session_all or is_image(visit.flow.request, visit.flow.response, is_known)
        self.release()

    def end(self, flow, is_whole):
        visit, response = self.visits.pop(flow.id, None), flow.response
        if visit and not response:
            self.decide(visit)
        if not visit or not visit.is_wanted:
            return
        visit.fetch = {"status": response.status_code if is_whole else 0, "bytes": visit.bytes}
        if response:
            visit.fetch |= self.timing(visit)
        if is_whole:
            visit.facts = facts(response, visit)
        if visit.fetch["status"] == 200:
            self.images.add(visit.key)
        self.recorded += 1
        if visit.appeared:
            self.append(visit, visit.at, "fetch", visit.fetch, visit.facts)
        self.release()
        if visit.fetch["status"] == 200 and self.bodies:
            self.bodies.keep(visit.key, visit.body, response.headers)

    def timing(self, visit):
        response, server = visit.flow.response, visit.flow.server_conn
        opened = server.timestamp_tls_setup or server.timestamp_tcp_setup or visit.arrived
        asked, first = max(opened, visit.arrived), response.timestamp_start
        parts = {"ttfb_us": first - asked, "transfer_us": (response.timestamp_end or time.time()) - first}
        if server.id not in self.connections:
            parts = {"connect_us": opened - (server.timestamp_start or opened), **parts}
        elif opened > visit.arrived:
            parts = {"queued_us": opened - visit.arrived, **parts}
        self.connections.add(server.id)
        protocol = {b"h2": "h2", b"h3": "h3"}.get(server.alpn, "http/1.1")
        return {name: max(0, int(seconds * 1e6)) for name, seconds in parts.items()} | {"protocol": protocol}

    def release(self):
        """Writes appearances in the order of the requests. None waits for earlier ones beyond `PATIENCE`."""
        late = []
        while self.waiting and (self.waiting[0].is_wanted is not None or self.waiting[0].at + PATIENCE < self.now()):
            visit = self.waiting.pop(0)
            if visit.is_wanted is None:
                late.append(visit)
            elif visit.is_wanted:
                self.last = max(self.last, visit.at)
                is_thumbnail = (ctx.options.session_thumbnails or "\n") in visit.flow.request.url
                self.append(visit, self.last, "appear", {"variant": "thumbnail"} if is_thumbnail else {})
                visit.appeared = True
                if visit.fetch:
                    self.append(visit, visit.at, "fetch", visit.fetch, visit.facts)
        self.waiting[:0] = late

    def append(self, visit, at, kind, fields, facts=None):
        """Appends an event, after the line of its object if that is new, with one write."""
        known, number = self.objects.get(visit.key), self.numbers.setdefault(visit.key, len(self.numbers))
        learnt = (facts or {}) | (known or {})
        lines = [] if learnt == known else [{"e": "object", "o": number, "key": visit.key, **learnt}]
        if self.write(*lines, {"t": at, "e": kind, "o": number, **fields}):
            self.objects[visit.key] = learnt

    def write(self, *lines):
        data = as_lines(*lines)
        try:
            if os.write(self.file, data) == len(data):
                self.size += len(data)
                return True
        except OSError as error:
            logging.error("%s: %s", self.path, error.strerror)
        os.ftruncate(self.file, self.size)  # no part of a line stays
        self.lost += len(lines)
        return False


addons = [Session()]

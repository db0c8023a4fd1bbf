"""Plays a recording of rrweb in Chromium, with rrweb's own player, and without any network."""

import base64
import contextlib
import hashlib
import http.client
import json
import mimetypes
import queue
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import zipfile
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from devtools import Chromium, Failure, chromium

PROJECT = Path(__file__).resolve().parent.parent.parent
# Its wheel has rrweb-player 0.7.14 with the player of rrweb 1.1.3, both under the licence MIT.
PACKAGE, VERSION = "django-rrweb", "4.0.5"
SCRIPT = "django_rrweb/static/django-rrweb/rrweb-player-0-7-14.js"
CHECKSUM = "b9f1dffae83d505791d51aad06785a5b8aac5b70c166b38999b220e9333dde84"
ADDRESS = "https://replay.invalid/"  # reserved by RFC 2606; answered below
TITLE = "Replay"
POLICY = ("default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:; font-src data:; "
          "frame-src 'none'; form-action 'none'; base-uri 'none'")
CHUNK = 2_000_000  # characters of events at a time
PATIENCE = 60  # seconds within which a server sends an image; after them, the image is missing
THREADS = 6  # images that are fetched at the same time
OPTIONS = [
    # Two walls beside the policy and the interception of every request: no name has an address, and no proxy is there.
    "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=socks5://127.0.0.1:9", "--proxy-bypass-list=<-loopback>",
    "--disable-features=Translate,MediaRouter", "--hide-scrollbars", "--mute-audio",
    # Frames follow as fast as they are made.
    "--disable-frame-rate-limit", "--disable-gpu-vsync",
]


def player():
    """The source of rrweb's player, from the wheel that pip downloads once."""
    folder = PROJECT / ".build" / "rrweb" / VERSION
    file = folder / "rrweb-player.js"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            done = subprocess.run(
                [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                 "--only-binary", ":all:", "--dest", scratch, f"{PACKAGE}=={VERSION}"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            wheels = list(Path(scratch).glob("*.whl"))
            if done.returncode != 0 or not wheels:
                reason = (done.stderr.strip().splitlines() or ["no reason"])[-1]
                raise Failure(f"pip could not download {PACKAGE} {VERSION} with rrweb's player from pypi.org: {reason}")
            with zipfile.ZipFile(wheels[0]) as wheel:
                data = wheel.read(SCRIPT)
        if hashlib.sha256(data).hexdigest() != CHECKSUM:
            raise Failure(f"{PACKAGE} {VERSION} has another player than the one that was checked, {SCRIPT}")
        file.write_bytes(data)
    return file.read_text()


class Pictures:
    """The images that may be shown to the player: bodies of a HAR, files of a folder, or those of a server."""

    def __init__(self, places, bodies):
        self.folders = [Path(place) for place in places if not place.startswith(("http://", "https://"))]
        self.servers = [place for place in places if place.startswith(("http://", "https://"))]
        self.bodies = bodies
        self.known, self.slow = {}, set()

    def __call__(self, url):
        """The type and the bytes of an image, or None."""
        if url not in self.known:
            self.known[url] = self.bodies.get(url) or self.look(url)
        return self.known[url]

    def look(self, url):
        parts = urlsplit(url)
        path = unquote(parts.path).lstrip("/")
        for folder in self.folders:
            for name in (f"{parts.hostname}/{path}", path, path.rsplit("/", 1)[-1]):
                file = (folder / name).resolve()
                if name and file.is_relative_to(folder.resolve()) and file.is_file():
                    return mimetypes.guess_type(file.name)[0] or "application/octet-stream", file.read_bytes()
        # An address that is a part of another one's path cannot name another server.
        address = "./" + parts.path.lstrip("/") + (f"?{parts.query}" if parts.query else "")
        for server in self.servers:
            end = time.monotonic() + PATIENCE
            try:
                with urllib.request.urlopen(urljoin(server, address), timeout=PATIENCE) as answer:
                    data = bytearray()
                    while piece := answer.read1(1 << 16):
                        data += piece
                        if time.monotonic() > end:
                            raise TimeoutError
                    return answer.headers.get_content_type(), bytes(data)
            except (OSError, ValueError, http.client.HTTPException) as error:
                if TimeoutError in (type(error), type(getattr(error, "reason", None))):
                    self.slow.add(url)
        return None


class Replayer(Chromium):
    """A browser that gets every answer from here."""

    def __init__(self, profile, pictures, width, height, ratio):
        executable = chromium()
        if not executable:
            raise Failure("Chromium is missing: scripts/install chromium")
        self.pictures, self.blocked, self.asked = pictures, 0, queue.SimpleQueue()
        source = player()
        super().__init__(executable, profile, OPTIONS)
        for _ in range(THREADS):
            threading.Thread(target=self.serve, daemon=True).start()
        self.send("Fetch.enable", patterns=[{"urlPattern": "*"}])
        # The screen of the recording lies within that of the browser, which never cuts it off.
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio,
                  mobile=False)
        self.send("Page.navigate", url=ADDRESS)
        self.wait(f"location.href === {json.dumps(ADDRESS)} && document.readyState === 'complete'")
        for script in (source, (PROJECT / "scripts" / "recording" / "replay" / "page.js").read_text()):
            self.evaluate(f"{script}\n;0")

    def event(self, method, parameters):
        if method != "Fetch.requestPaused":
            return
        request, identifier = parameters["request"], parameters["requestId"]
        if request["url"] == ADDRESS:
            self.answer(identifier, "text/html", b"<!doctype html><meta charset=utf-8><link rel=icon href=data:,>"
                        b"<title>" + TITLE.encode() + b"</title>",
                        [{"name": "Content-Security-Policy", "value": POLICY}])
        elif parameters.get("resourceType") == "Image":
            self.asked.put((identifier, request["url"].split("#")[0]))
        else:
            self.blocked += 1
            self.answer(identifier)

    def serve(self):
        """Answers requests of images."""
        while True:
            identifier, url = self.asked.get()
            try:
                found = self.pictures(url)
            except (OSError, ValueError):  # not a path, or not readable
                found = None
            with contextlib.suppress(OSError):  # the browser has ended
                self.answer(identifier, *found or ())

    def answer(self, identifier, kind=None, data=None, fields=()):
        if data is None:
            self.post("Fetch.failRequest", requestId=identifier, errorReason="BlockedByClient")
            return
        self.post("Fetch.fulfillRequest", requestId=identifier, responseCode=200, body=base64.b64encode(data).decode(),
                  responseHeaders=[{"name": "Content-Type", "value": kind}, *fields])

    def play(self, events, keys, variant, size, progress):
        """Plays the events, texts of JSON in order, and returns what the page has noted."""
        options = {"keys": keys, "variant": variant, "width": size[0], "height": size[1],
                   "patience": PATIENCE * 1000}
        sandbox = self.evaluate(f"convert.start({json.dumps(options)})")
        if sandbox != "allow-same-origin":
            raise Failure(f"the frame of rrweb's player may do more than expected: {sandbox}")
        chunk, length, done = [], 0, 0
        for text in events:
            done += 1
            if not text:
                continue
            chunk.append(text)
            length += len(text)
            if length >= CHUNK or len(chunk) >= 500:
                self.chunk(chunk)
                progress(done)
                chunk, length = [], 0
        self.chunk(chunk)
        noted = self.evaluate("convert.finish()")
        # The title is what a script of the recording could change most easily.
        if self.evaluate("document.title") != TITLE:
            raise Failure("a script of the recording ran, which the frame of rrweb's player should prevent")
        return noted

    def chunk(self, events):
        if events:
            # A text, and not a literal of JavaScript, in which a field __proto__ would be more than a field.
            self.evaluate(f"convert.play({json.dumps('[' + ','.join(events) + ']')})")

"""Reads session replays of rrweb: JSON arrays, JSON Lines, pieces, gzip, whole or cut off."""

import json
import sys
import zlib
from pathlib import Path

LARGEST = 200_000_000  # bytes of a recording, decompressed: it is kept in memory twice
READ = 1 << 20
IMAGES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif", ".heic", ".svg", ".bmp", ".jxl")
MOBILE = ("It is a recording of an app as wireframes (PostHog or Datadog for phones), not of a page. No conversion is "
          "needed: `cachereplay replay` and `cachereplay trace info` read the file itself.")
sys.setrecursionlimit(5_000)  # elements within elements, two levels of JSON each


class Unreadable(Exception):
    """A file that has no recording in it, with the remedy."""


class Recording:
    """The events of a session in order of time, each as the text of its JSON."""

    def __init__(self, paths):
        self.events = []  # (milliseconds since 1970, text)
        self.foreign = 0  # values that are no events
        self.packed = 0  # events that rrweb has packed into texts
        self.cut = []  # files that end within an event
        self.late = 0  # events behind a later one
        self.snapshots = 0
        self.width = self.height = 0
        self.requests = []
        for path in paths:
            text, whole = decompressed(path)
            self.read(path, text, whole)
        last = float("-inf")
        for time, _ in self.events:
            self.late += time < last
            last = max(last, time)
        self.events.sort(key=lambda event: event[0])
        names = ", ".join(path.name for path in paths)
        if not self.events:
            if self.packed:
                raise Unreadable(f"{names}: its events are packed. Unpack them with `unpack` of rrweb, and save them.")
            raise Unreadable(f"{names}: not a recording of rrweb. Expected an array of events with `type`, `data` and "
                             "`timestamp`, or one event in each line.")
        if not self.snapshots:
            raise Unreadable(f"{names}: {counted(len(self.events), 'event')}, but no full snapshot (type 2), so "
                             "nothing is known of the page. Add the piece of the recording before this one.")
        if not self.width:
            raise Unreadable(f"{names}: the size of the screen is missing (an event of type 4 with `width` and "
                             "`height`). Add the piece of the recording before this one.")

    def read(self, path, text, whole):
        """Adds the events of a text. Arrays are read element by element, so that a cut-off one gives what it has."""
        decoder = json.JSONDecoder()
        position, depth, found = 0, 0, len(self.events) + self.foreign + self.packed
        while True:
            while position < len(text) and text[position] in " \t\r\n,\ufeff":
                position += 1
            if position == len(text):
                break
            if text[position] == "[":
                depth, position = depth + 1, position + 1
                continue
            if text[position] == "]" and depth:
                depth, position = depth - 1, position + 1
                continue
            try:
                value, after = decoder.raw_decode(text, position)
            except RecursionError:
                raise Unreadable(f"{path}: an event has elements that are nested too deeply, from byte {position} on.")
            except ValueError:
                if len(self.events) + self.foreign + self.packed == found:
                    raise Unreadable(f"{path}: not JSON at character {position}. Expected an array of events of rrweb.")
                self.cut.append(path.name)
                return
            self.add(path, value, text[position:after])
            position = after
        if depth or not whole:
            self.cut.append(path.name)

    def add(self, path, value, text):
        if isinstance(value, str):
            self.packed += 1
            return
        if not isinstance(value, dict):
            self.foreign += 1
            return
        for name in ("events", "snapshots", "records"):
            if isinstance(value.get(name), list) and "timestamp" not in value:
                for event in value[name]:
                    self.add(path, event, json.dumps(event))
                return
        kind, data, time = value.get("type"), value.get("data"), value.get("timestamp")
        if "wireframes" in (data if isinstance(data, dict) else {}) or kind in (10, 11) and isinstance(data, dict):
            raise Unreadable(f"{path}: {MOBILE}")
        number = isinstance(time, (int, float)) and not isinstance(time, bool) and 0 <= time < 1e14
        if not (isinstance(kind, int) and number):
            self.foreign += 1
            return
        if isinstance(data, str):
            self.packed += 1
            return
        if not isinstance(data, dict):
            data = {}
        if kind in (2, 3, 4) and not data:
            self.foreign += 1
            return
        if kind in (5, 6):  # these hold requests, and nothing of the page
            self.requests += list(requests(value, data))
            self.events.append((time, ""))
            return
        if kind == 2:
            if not isinstance(data.get("node"), dict):
                self.foreign += 1
                return
            self.snapshots += 1
        if kind == 4 or kind == 3 and data.get("source") == 4:
            self.width = max(self.width, size(data.get("width")))
            self.height = max(self.height, size(data.get("height")))
        self.events.append((time, text))


def size(value):
    """A width or a height that a screen may have, or 0."""
    return int(value) if isinstance(value, (int, float)) and 0 < value <= 20_000 else 0


def counted(number, word, words=None):
    return f"{number:,} {word if number == 1 else words or word + 's'}"


def decompressed(path):
    """The text of a file, decompressed if it is gzip, and whether it is whole."""
    decoder, pieces, length, whole = None, [], 0, True
    with Path(path).open("rb") as file:
        while data := file.read(READ):
            if not pieces and decoder is None and data[:2] == b"\x1f\x8b":
                decoder = zlib.decompressobj(31)
            parts = [data]
            if decoder:
                parts = []
                try:
                    while data:
                        parts.append(decoder.decompress(data, LARGEST + 1 - length))
                        length += len(parts[-1])
                        if length > LARGEST:
                            break
                        data = decoder.unconsumed_tail
                        if decoder.eof and decoder.unused_data:  # the next member of the file
                            data, decoder = decoder.unused_data, zlib.decompressobj(31)
                except zlib.error:
                    whole = False
            else:
                length += len(data)
            pieces += parts
            if length > LARGEST:
                raise Unreadable(f"{path}: over {LARGEST // 1_000_000} MB of JSON. Cut it at a full snapshot (type 2) "
                                 "and convert the pieces one by one.")
            if not whole:
                break
    if decoder and not decoder.eof:
        whole = False
    return b"".join(pieces).decode("utf-8", "replace"), whole


def requests(event, data):
    """The requests in an event of rrweb/network@1 (PostHog), or in a performance span (Sentry)."""
    payload = data.get("payload")
    if not isinstance(payload, dict):
        return
    if str(data.get("plugin", "")).startswith("rrweb/network"):
        listed = payload.get("requests")
        for entry in listed if isinstance(listed, list) else []:
            if isinstance(entry, dict) and isinstance(entry.get("name"), str):
                yield from timed(entry)
    elif data.get("tag") == "performanceSpan" and str(payload.get("op", "")).startswith("resource."):
        details = payload.get("data") if isinstance(payload.get("data"), dict) else {}
        start, end = number(payload.get("startTimestamp")), number(payload.get("endTimestamp"))
        unit = 1 if start > 1e11 else 1000  # the SDK for iOS writes milliseconds
        if isinstance(payload.get("description"), str) and start:
            yield {"url": payload["description"], "time": start * unit, "first": None, "end": end * unit,
                   "status": int(number(details.get("statusCode"))) or 200, "cached": False, "type": None,
                   "image": payload["op"] == "resource.img",
                   "bytes": body(details, "decodedBodySize", "encodedBodySize", "size")}


def timed(entry):
    """A request in the fields of Resource Timing."""
    origin = number(entry.get("timeOrigin"))
    if not origin:
        origin = number(entry.get("timestamp")) - number(entry.get("startTime"))
    start = number(entry.get("requestStart")) or number(entry.get("startTime"))
    first = number(entry.get("responseStart"))
    end = number(entry.get("responseEnd")) or start + number(entry.get("duration"))
    kind = entry.get("contentType") if isinstance(entry.get("contentType"), str) else None
    if origin > 0:
        yield {"url": entry["name"], "time": origin + start, "first": origin + first if first else None,
               "end": origin + end, "status": int(number(entry.get("responseStatus"))) or 200, "type": kind,
               "image": entry.get("initiatorType") in ("img", "image") or (kind or "").startswith("image/"),
               "cached": number(entry.get("transferSize")) == 0 and number(entry.get("decodedBodySize")) > 0,
               "bytes": body(entry, "decodedBodySize", "encodedBodySize", "transferSize")}


def body(entry, *names):
    """The first size above 0, or None."""
    return next((int(value) for name in names if 0 < (value := number(entry.get(name))) < 2**40), None)


def number(value):
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15 else 0


def archived(path):
    """The requests of a HAR, and the bodies of its images by URL."""
    import base64
    from datetime import datetime

    text, whole = decompressed(path)
    try:
        entries = json.loads(text)["log"]["entries"]
    except (ValueError, KeyError, TypeError, RecursionError):
        reason = "not a HAR" if whole else "cut off"
        raise Unreadable(f'{path}: {reason}. Expected {{"log": {{"entries": […]}}}}.')
    found, bodies = [], {}
    for entry in entries:
        try:
            url, response, timings = entry["request"]["url"], entry["response"], entry.get("timings") or {}
            start = datetime.fromisoformat(entry["startedDateTime"].replace("Z", "+00:00")).timestamp() * 1000
            content = response.get("content") or {}
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
        if not url.startswith(("http://", "https://")):
            continue
        before = sum(max(0, number(timings.get(name))) for name in ("blocked", "dns", "connect"))
        wait = sum(max(0, number(timings.get(name))) for name in ("send", "wait"))
        kind = content.get("mimeType") or ""
        found.append({
            "url": url, "time": start + before, "first": start + before + wait, "type": kind.split(";")[0] or None,
            "end": start + before + wait + max(0, number(timings.get("receive"))),
            "cached": bool(entry.get("_fromCache")), "status": int(number(response.get("status"))),
            "image": kind.startswith("image/"),
            "bytes": body(content, "size") or body(response, "bodySize")})
        if kind.startswith("image/") and isinstance(content.get("text"), str):
            try:
                data = content["text"]
                bodies[url] = (kind, base64.b64decode(data) if content.get("encoding") == "base64" else data.encode())
            except ValueError:
                continue
    return found, bodies

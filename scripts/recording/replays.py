"""Reads session replays of rrweb, PostHog, Datadog and Sentry: arrays, lines, exports, pieces, gzip, cut-off files."""

import base64
import codecs
import json
import re
import sys
import zlib
from datetime import datetime
from pathlib import Path

LARGEST = 200_000_000  # characters of one value, and of the events that the player gets: they are kept in memory
READ = 1 << 20
AHEAD = 1 << 16  # characters within which the start of an object tells what it is
LATEST = 2**53 / 1000  # milliseconds since 1970; a trace has no later time
DAY = 86_400_000  # a time that an event states differs by no more from that of the event
TAG, VERSION = "cachereplay", 1  # of the custom events in which an app states appearances
PARTS = ("texts", "adds", "removes", "attributes")  # of a change, which PostHog compresses one by one
LISTS = ("events", "snapshots", "records", "data")
KEY = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:\s*')
# The start of an object that holds a list of events, such as an export of PostHog or a segment of Datadog.
MEMBER = r'(?:(?!"(?:type|timestamp)")"[^"\\]*"\s*:\s*(?:"[^"\\]*"|[\w.+-]+|\{[^{}\[\]]*\})\s*,\s*)*'
ENVELOPE = re.compile(rf'\{{\s*{MEMBER}(?P<data>"data"\s*:\s*\{{\s*{MEMBER})?"(?:events|snapshots|records)"\s*:\s*\[')
sys.setrecursionlimit(5_000)  # elements within elements, two levels of JSON each


class Unreadable(Exception):
    """A file that has no recording in it, with the remedy."""


class Recording:
    """The events of a session in order of time, each as the text of its JSON if the player needs it."""

    def __init__(self, paths):
        self.events = []  # (milliseconds since 1970, text)
        self.foreign = 0  # values that are no events
        self.packed = 0  # events that rrweb has packed into texts
        self.cut = []  # files that end within an event
        self.late = 0  # events behind a later one
        self.unknown = 0  # events of types that no recorder has yet
        self.snapshots = 0  # of pages
        self.wireframes = 0  # snapshots of apps
        self.invalid = 0  # custom events with another payload than that of an appearance
        self.width = self.height = 0
        self.size = 0  # characters of the texts in `events`
        self.appearances = []  # (milliseconds since 1970, payload)
        self.requests = []
        self.positions = {}  # id of a list: [(milliseconds since 1970, offset)]
        self.touches = []  # (milliseconds since 1970, whether a finger is down)
        self.names = ", ".join(str(path) for path in paths)
        for path in paths:
            self.read(Text(path))
        last = float("-inf")
        for time, _ in self.events:
            self.late += time < last
            last = max(last, time)
        for timed_list in (self.events, self.appearances, self.touches, *self.positions.values()):
            timed_list.sort(key=lambda item: item[0])
        if not self.events:
            if self.packed:
                raise Unreadable(f"{self.names}: its events are packed. Unpack them with `unpack` of rrweb, and save "
                                 "them.")
            what = "damaged, or it ends early" if self.cut else "not a session replay"
            raise Unreadable(f"{self.names}: {what}. Expected events with `type`, `data` and `timestamp` "
                             "in an array, in an object with `events`, `snapshots` or `records`, or one in each line.")

    def route(self, requests):
        """How appearances are found: by `custom events`, by the player of a `page`, or by `requests alone`."""
        if any(payload["e"] == "appear" for _, payload in self.appearances):
            return "custom events"
        if self.snapshots and self.size > LARGEST:
            raise Unreadable(f"{self.names}: over {LARGEST // 1_000_000} MB of changes of a page. Cut it at a full "
                             "snapshot (type 2) and convert the pieces one by one.")
        if self.snapshots and not self.width:
            raise Unreadable(f"{self.names}: the size of the screen is missing (an event of type 4 with `width` and "
                             "`height`). Add the piece of the recording before this one.")
        if self.snapshots:
            return "page"
        if requests:
            return "requests alone"
        found = f"{self.names}: {counted(len(self.events), 'event')}"
        if self.invalid:
            raise Unreadable(f"{found}, of which {self.invalid:,} with the tag `{TAG}` have another version than "
                             f"{VERSION}, or no valid `e` and `key`. Record again with the snippet of this version, in "
                             "Examples/SessionReplays.")
        if self.wireframes:
            raise Unreadable(f"{found} of an app as wireframes (PostHog or Datadog), without requests. Wireframes do "
                             "not tell when which image was on the screen: record appearances as custom events with "
                             "the snippet in Examples/SessionReplays.")
        raise Unreadable(f"{found}, but no full snapshot (type 2), so nothing is known of the page, no custom events "
                         f"with the tag `{TAG}`, and no requests. Add the piece of the recording before this one.")

    def read(self, text):
        """Adds the events of a text. Lists are read element by element, so that a cut-off one gives what it has."""
        depth, found = 0, self.count
        try:
            while here := text.next():
                if here in "]}" and depth:
                    depth, text.at = depth - 1, text.at + 1
                elif here == "[":
                    depth, text.at = depth + 1, text.at + 1
                elif match := ENVELOPE.match(text.text, text.at, text.at + AHEAD):
                    depth, text.at = depth + (3 if match["data"] else 2), match.end()
                elif depth and here == '"' and (match := KEY.match(text.text, text.at, text.at + AHEAD)):
                    text.at = match.end()  # a member behind the list of an envelope
                    if match[1] not in LISTS or text.next() != "[":
                        text.value()
                else:
                    self.add(*text.value())
        except RecursionError:
            raise Unreadable(f"{text.place}: an event has elements that are nested too deeply.")
        except ValueError as error:
            if self.count == found or not text.is_cut(error):
                raise Unreadable(f"{text.place}: not JSON. Expected events of a session replay, compressed by gzip or "
                                 "not.")
            text.whole = False
        if depth or not text.whole:
            self.cut.append(text.path.name)

    @property
    def count(self):
        return len(self.events) + self.foreign + self.packed

    def add(self, value, text=None):
        if isinstance(value, str):  # recordings of PostHog have the name of a window before each event
            self.packed += len(value) > 64
        elif isinstance(value, list):
            for event in value:
                self.add(event)
        elif isinstance(value, dict) and any(is_number(value.get(name)) for name in ("type", "timestamp")):
            self.event(value, text)
        elif isinstance(value, dict) and any(isinstance(value.get(name), (list, dict)) for name in LISTS):
            for name in LISTS:
                if isinstance(value.get(name), (list, dict)):
                    self.add(value[name])
        else:
            self.foreign += 1

    def event(self, value, text):
        kind, data, time = value.get("type"), value.get("data"), value.get("timestamp")
        is_timed = type(kind) is int and is_number(time) and 0 <= time <= LATEST
        if value.get("cv"):
            data, text = self.unpacked(data), None
            value = {**value, "data": data}
        if is_timed and isinstance(data, str):
            self.packed += 1
            return
        data = data if isinstance(data, dict) else {}
        is_page, is_app = isinstance(data.get("node"), dict), "wireframes" in data
        if not is_timed or not data and kind in (2, 3, 4) or kind == 2 and not is_page and not is_app:
            self.foreign += 1
            return
        self.unknown += not 0 <= kind <= 11  # 0 to 6 are those of rrweb, and the others are Datadog's
        self.snapshots += kind == 2 and is_page
        self.wireframes += kind in (2, 10) and is_app
        if kind == 4 or kind == 3 and data.get("source") == 4:
            self.width = max(self.width, size(data.get("width")))
            self.height = max(self.height, size(data.get("height")))
        elif kind == 3:
            self.scroll(time, data)
        elif kind in (5, 6):  # these hold appearances and requests, and nothing of the page
            self.custom(time, value, data)
        if kind in (5, 6) or self.appearances or self.wireframes or self.size > LARGEST:
            text = ""  # not for the player
        elif text is None:
            text = json.dumps(value)
        self.size += len(text)
        self.events.append((time, text))

    def unpacked(self, data):
        """The data of an event of PostHog with `cv`: the data or its members are JSON, by gzip, as text in Latin-1."""
        if isinstance(data, dict):
            return {name: self.unpacked(part) if name in PARTS else part for name, part in data.items()}
        if not isinstance(data, str):
            return data
        decoder = zlib.decompressobj(31)
        try:
            plain = decoder.decompress(data.encode("latin-1"), LARGEST)
            if not decoder.eof:
                raise ValueError(f"over {LARGEST // 1_000_000} MB, or cut off")
            return json.loads(plain)
        except (ValueError, zlib.error, RecursionError) as error:
            raise Unreadable(f"{self.names}: the `data` of an event that PostHog has compressed (`cv`) cannot be "
                             f"unpacked: {error}. Export the recording as JSON from PostHog's player, which unpacks "
                             'it, or unpack each text yourself: gzip.decompress(text.encode("latin-1")) in Python.')

    def scroll(self, time, data):
        source, place = data.get("source"), data.get("y")
        if source == 3 and isinstance(data.get("id"), int) and is_number(place) and abs(place) < 1e9:
            self.positions.setdefault(data["id"], []).append((time, place))
        elif source == 2 and data.get("type") in (7, 9, 10):
            self.touches.append((time, data["type"] == 7))

    def custom(self, time, value, data):
        for request in requests(value, data):
            if abs(request["time"] - time) > DAY:  # another clock
                shift = time - request["time"]
                for name in ("time", "first", "end"):
                    request[name] = request[name] and request[name] + shift
            self.requests.append(request)
        tag, payload = data.get("tag"), data.get("payload")
        if tag == "breadcrumb" and isinstance(payload, dict) and payload.get("category") == TAG:  # Sentry
            tag, payload = TAG, payload.get("data")
        if tag != TAG:
            return
        if not is_appearance(payload):
            self.invalid += 1
            return
        if not self.appearances:  # the player is not needed
            self.events, self.size = [(time, "") for time, _ in self.events], 0
        stated = number(payload.get("t"))
        self.appearances.append((stated if stated > 0 and abs(stated - time) <= DAY else time, payload))


def is_appearance(payload):
    return (isinstance(payload, dict) and payload.get("v") == VERSION and payload.get("e") in ("appear", "disappear")
            and isinstance(payload.get("key"), str) and payload["key"] != ""
            and (not isinstance(payload.get("variant"), str) or payload["variant"] in ("full", "thumbnail")))


class Text:
    """The text of a file, decompressed if it is gzip, of which a part is in memory."""

    decoder = json.JSONDecoder()

    def __init__(self, path):
        self.path, self.whole = Path(path), True
        self.pieces = self.decompressed()
        self.text, self.at = "", 0  # what is in memory, and the place of the next character in it
        self.before = 0  # characters before what is in memory

    @property
    def place(self):
        return f"{self.path}: character {self.before + self.at + 1:,}"

    def more(self):
        """Takes as much again into memory as is there. Returns whether there was more."""
        parts, length = [self.text[self.at:]], 0
        self.before, self.at = self.before + self.at, 0
        wanted = max(READ, len(parts[0]))
        if len(parts[0]) > LARGEST:
            raise Unreadable(f"{self.place}: a value of over {LARGEST // 1_000_000} MB. Cut the recording.")
        while length < wanted and (piece := next(self.pieces, None)) is not None:
            parts.append(piece)
            length += len(piece)
        self.text = "".join(parts)
        return length > 0

    def next(self):
        """The next character that is neither white space nor a comma, or nothing at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in " \t\r\n,\ufeff":
                self.at += 1
            if len(self.text) - self.at >= AHEAD or not self.more():
                return self.text[self.at:self.at + 1]

    def value(self):
        """The next value and its text."""
        while True:
            try:
                value, after = self.decoder.raw_decode(self.text, self.at)
            except ValueError as error:
                if not self.is_cut(error) or not self.more():
                    raise
                continue
            if after < len(self.text) or self.text[-1] in ']}"' or not self.more():
                text, self.at = self.text[self.at:after], after
                return value, text

    def is_cut(self, error):
        """Whether an error of the decoder can come from the end of what is in memory."""
        message = getattr(error, "msg", "")
        return message.startswith("Unterminated") or bool(message) and error.pos > len(self.text) - 16

    def all(self):
        while self.more():
            pass
        return self.text

    def decompressed(self):
        decoder, decode = None, codecs.getincrementaldecoder("utf-8")("replace").decode
        with self.path.open("rb") as file:
            data = file.read(READ)
            if data[:2] == b"\x1f\x8b":
                decoder = zlib.decompressobj(31)
            while data:
                piece = data
                if decoder:
                    if decoder.eof:  # the next member of the file
                        decoder = zlib.decompressobj(31)
                    try:
                        piece = decoder.decompress(data, READ)
                    except zlib.error:
                        self.whole = False
                        return
                    data = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
                else:
                    data = b""
                yield decode(piece)
                data = data or file.read(READ)
        yield decode(decoder.flush() if decoder and not decoder.eof else b"", final=True)
        self.whole = not decoder or decoder.eof


def size(value):
    """A width or a height that a screen may have, or 0."""
    return int(value) if isinstance(value, (int, float)) and 0 < value <= 20_000 else 0


def counted(number, word, words=None):
    return f"{number:,} {word if number == 1 else words or word + 's'}"


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
        if isinstance(payload.get("description"), str) and start > 0:
            yield {"url": payload["description"], "time": start * unit, "first": None, "end": end * unit,
                   "status": status(details.get("statusCode")), "type": None,
                   # Sentry's `size` is the transferSize of Resource Timing.
                   "cached": details.get("size") == 0 and number(details.get("decodedBodySize")) > 0,
                   "image": payload["op"] == "resource.img",
                   "bytes": body(details, "decodedBodySize", "encodedBodySize", "size")}


def timed(entry):
    """A request in the fields of Resource Timing. The SDK of PostHog for iOS writes only `timestamp` and `duration`."""
    origin = number(entry.get("timeOrigin"))
    if not origin:
        origin = number(entry.get("timestamp")) - number(entry.get("startTime"))
    start = number(entry.get("requestStart")) or number(entry.get("startTime"))
    first = number(entry.get("responseStart"))
    end = number(entry.get("responseEnd")) or start + number(entry.get("duration"))
    kind = entry.get("contentType") if isinstance(entry.get("contentType"), str) else None
    if origin > 0:
        yield {"url": entry["name"], "time": origin + start, "first": origin + first if first else None,
               "end": origin + end, "status": status(entry.get("responseStatus", entry.get("status"))), "type": kind,
               "image": entry.get("initiatorType") in ("img", "image") or (kind or "").startswith("image/"),
               "cached": entry.get("transferSize") == 0 and number(entry.get("decodedBodySize")) > 0,
               "bytes": body(entry, "decodedBodySize", "encodedBodySize", "transferSize")}


def status(value):
    return int(value) if 100 <= number(value) < 1000 else 200


def body(entry, *names):
    """The first size above 0, or None."""
    return next((int(value) for name in names if 0 < (value := number(entry.get(name))) < 2**40), None)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def number(value):
    return value if is_number(value) and abs(value) < 1e15 else 0


def archived(path):
    """The requests of a HAR, and the bodies of its images by URL."""
    text = Text(path)
    try:
        entries = json.loads(text.all())["log"]["entries"]
    except (ValueError, KeyError, TypeError, RecursionError):
        entries = None
    if not isinstance(entries, list):
        reason = "not a HAR" if text.whole else "cut off"
        raise Unreadable(f'{path}: {reason}. Expected {{"log": {{"entries": […]}}}}.')
    found, bodies = [], {}
    for entry in entries:
        try:
            request, kind, content = archived_request(entry)
            if not request["url"].startswith(("http://", "https://")):
                continue
            found.append(request)
            if request["image"] and isinstance(data := content.get("text"), str):
                data = base64.b64decode(data) if content.get("encoding") == "base64" else data.encode()
                bodies[request["url"]] = (kind, data)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            continue
    return found, bodies


def archived_request(entry):
    """The request of an entry, its type, and its content."""
    response, timings = entry["response"], entry.get("timings") or {}
    start = datetime.fromisoformat(entry["startedDateTime"].replace("Z", "+00:00")).timestamp() * 1000
    content = response.get("content") or {}
    before = sum(max(0, number(timings.get(name))) for name in ("blocked", "dns", "connect"))
    wait = sum(max(0, number(timings.get(name))) for name in ("send", "wait"))
    kind = content.get("mimeType") or ""
    request = {
        "url": entry["request"]["url"], "time": start + before, "first": start + before + wait,
        "type": kind.split(";")[0] or None,
        "end": start + before + wait + max(0, number(timings.get("receive"))),
        "cached": bool(entry.get("_fromCache")), "status": int(number(response.get("status"))),
        "image": kind.startswith("image/"), "bytes": body(content, "size") or body(response, "bodySize")}
    return request, kind, content

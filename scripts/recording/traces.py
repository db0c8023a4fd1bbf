"""Makes the trace of a session replay: the lines of the native format."""

import math
from datetime import datetime, timedelta

from replays import is_number, number

LATEST = 2**53  # microseconds, of any time in a trace
RESTS = 150  # milliseconds without a position after which a list is at rest
PIXELS = 1 << 20  # of a side of an image
VIEW = 65_535  # pixels of a side of a view
UNKNOWN = "image/*"  # the type of an image if none is recorded
DISAPPEAR, APPEAR, FETCH, SCROLL = range(4)  # the order of events of the player that have the same time


class Trace:
    """The objects and events of a trace. Times are milliseconds since 1970."""

    def __init__(self, key_pattern, is_by_variant):
        self.key_pattern = key_pattern  # takes the key and the variant from the address of a request
        self.is_by_variant = is_by_variant  # whether the variant is a part of the key
        self.facts = {}  # of objects, by key
        self.events = []  # (microseconds since 1970, order, event)

    def add(self, time, order, **event):
        self.events.append((microseconds(time), order, event))

    def named(self, key, variant):
        return f"{variant}/{key}" if self.is_by_variant else key

    def keyed(self, url):
        """The key of an object and the variant of a request."""
        found = self.key_pattern.search(url) if self.key_pattern else None
        if not found:
            return self.named(url, "full"), "full"
        variant = found["variant"] if "variant" in self.key_pattern.groupindex else None
        variant = "thumbnail" if (variant or "").startswith("thumb") else "full"
        return self.named(found["key"], variant), variant

    def add_requests(self, requests, are_appearances):
        for request in requests:
            key, variant = self.keyed(request["url"])
            fact = self.facts.setdefault(key, {})
            if request["status"] in range(200, 300):
                if request["bytes"] is not None:
                    fact.setdefault("bytes", request["bytes"])
                if request["type"]:
                    fact.setdefault("type", request["type"])
            if are_appearances:
                self.add(request["time"], APPEAR, e="appear", key=key, **named_variant(variant))
            self.add(request["time"], FETCH, e="fetch", key=key, **fetch(request, variant))

    def add_played(self, appearances):
        """Adds what the player has noted."""
        for appearance in appearances:
            variant = named_variant(appearance["variant"])
            key = self.named(appearance["key"], appearance["variant"])
            self.add(appearance["from"], APPEAR, e="appear", key=key, **variant)
            if appearance["to"] is not None:
                self.add(appearance["to"], DISAPPEAR, e="disappear", key=key, **variant)

    def add_custom(self, appearances):
        """Adds what the app itself has stated, in its order."""
        for time, payload in appearances:
            variant, view = named_variant(payload.get("variant")), {}
            fact = self.facts.setdefault(payload["key"], {})
            if is_number(payload.get("bytes")) and 0 <= payload["bytes"] <= 2**40:
                fact.setdefault("bytes", int(payload["bytes"]))
            if isinstance(payload.get("type"), str):
                fact.setdefault("type", payload["type"])
            sides = pixels(payload, "width", "height", PIXELS)
            if sides and "width" not in fact:
                fact |= sides
            if payload["e"] == "appear":
                sides = pixels(payload, "viewWidth", "viewHeight", PIXELS)
                view = sides if sides and max(sides.values()) <= VIEW else {}
            self.add(time, APPEAR, e=payload["e"], key=payload["key"], **variant, **view)

    def add_scrolling(self, positions, touches):
        """Adds the movements of the list that scrolls most: dragged while a finger is down."""
        found = max(positions.values(), key=len, default=[])
        down, index, last = False, 0, None
        for time, offset in found:
            if last and time - last[0] > RESTS:
                self.add(last[0] + RESTS, SCROLL, e="scroll", phase="at_rest", offset=last[1], velocity=0)
                last = None
            while index < len(touches) and touches[index][0] <= time:
                down = touches[index][1]
                index += 1
            speed = (offset - last[1]) / (time - last[0]) * 1000 if last and time - last[0] > 0.001 else 0
            self.add(time, SCROLL, e="scroll", phase="dragged" if down else "decelerating", offset=offset,
                     velocity=round(speed, 1))
            last = (time, offset)
        if last:
            self.add(last[0] + RESTS, SCROLL, e="scroll", phase="at_rest", offset=last[1], velocity=0)

    def lines(self, title, recorder, start=None):
        """The lines of the file.

        `start` is the time of the beginning; without it, that of the first event is.
        """
        self.events.sort(key=lambda event: event[:2])
        begin = self.events[0][0] if start is None else microseconds(start)
        started = (datetime(1970, 1, 1) + timedelta(microseconds=begin)).isoformat(
            timespec="microseconds" if begin % 1000 else "milliseconds")
        yield {"cachereplay_trace": 1, "title": title, "recorder": recorder, "started": f"{started}Z",
               "synthetic": False}
        numbers = {}
        for moment, _, event in self.events:
            key = event.pop("key", None)
            if key is not None and key not in numbers:
                numbers[key] = len(numbers)
                yield {"e": "object", "o": numbers[key], "key": key, **self.facts.get(key, {})}
            line = {"t": max(0, moment - begin), "e": event.pop("e")}
            if key is not None:
                line["o"] = numbers[key]
            yield {**line, **event}


def microseconds(milliseconds):
    return math.floor(min(max(milliseconds * 1000, 0), LATEST) + 0.5)


def named_variant(variant):
    return {"variant": "thumbnail"} if variant == "thumbnail" else {}


def pixels(payload, width, height, largest):
    """The sides of an image or a view, or nothing."""
    sides = [number(payload.get(name)) for name in (width, height)]
    if not all(1 <= side <= largest for side in sides):
        return {}
    return dict(zip(("width", "height"), (math.floor(side + 0.5) for side in sides)))


def fetch(request, variant):
    """The status, the bytes and the times of a request."""
    answer = {"status": request["status"], **named_variant(variant)}
    if request["cached"]:
        return {**answer, "bytes": 0}
    if request["bytes"] is not None:
        answer["bytes"] = request["bytes"]
    first = request["first"]
    if first and first >= request["time"]:
        return {**answer, "ttfb_us": microseconds(first - request["time"]),
                "transfer_us": microseconds(request["end"] - first)}
    return {**answer, "ttfb_us": microseconds(request["end"] - request["time"])}

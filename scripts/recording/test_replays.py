"""Tests of scripts/convert-replay with small, broken and hostile recordings.

    python3 scripts/recording/test_replays.py                 all; some need Chromium and take a few seconds each
    python3 scripts/recording/test_replays.py ReadingTests StatedTests SharedDataTests     those that need no browser
"""

import contextlib
import gzip
import io
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.machinery import SourceFileLoader
from pathlib import Path
from unittest import mock

import replayer
import replays
from replays import Recording, Unreadable

SCRIPT = Path(__file__).resolve().parent.parent / "convert-replay"
SHARED = SCRIPT.parent.parent.parent / "shared" / "data" / "session-replays"
START = 1_795_524_852_000
sys.dont_write_bytecode = True
convert = SourceFileLoader("convert_replay", str(SCRIPT)).load_module()


def element(number, tag, attributes=None, children=()):
    return {"type": 2, "id": number, "tagName": tag, "attributes": attributes or {}, "childNodes": list(children)}


def page(body, head=()):
    html = element(2, "html", {}, [element(3, "head", {}, head), element(4, "body", {"style": "margin:0"}, body)])
    kind = {"type": 1, "name": "html", "publicId": "", "systemId": "", "id": 5}
    return {"type": 0, "id": 1, "childNodes": [kind, html]}


def recording(body, *events, head=()):
    snapshot = {"node": page(body, head), "initialOffset": {"left": 0, "top": 0}}
    return [
        {"type": 4, "data": {"href": "http://photos.test/", "width": 400, "height": 800}, "timestamp": START},
        {"type": 2, "data": snapshot, "timestamp": START + 10},
        *events]


def event(after, source, **data):
    return {"type": 3, "data": {"source": source, **data}, "timestamp": START + after}


def mutation(after, adds=(), removes=(), attributes=()):
    return event(after, 0, adds=list(adds), removes=list(removes), attributes=list(attributes), texts=[])


def picture(number, name, **attributes):
    sizes = {"width": "400", "height": "600", "style": "display:block"}
    return element(number, "img", {"src": f"http://photos.test/{name}.jpg", **sizes, **attributes})


def custom(time, **payload):
    return {"type": 5, "timestamp": time, "data": {"tag": "cachereplay", "payload": {"v": 1, **payload}}}


def network(time, *requests):
    return {"type": 6, "timestamp": time, "data": {"plugin": "rrweb/network@1", "payload": {"requests": requests}}}


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def read(self, *contents):
        paths = []
        for number, content in enumerate(contents):
            path = self.folder / f"{number}.json"
            path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
            paths.append(path)
        return Recording(paths)

    def refused(self, *contents):
        with self.assertRaises(Unreadable) as caught:
            recording = self.read(*contents)
            recording.route(recording.requests)
        self.assertIn("0.json", str(caught.exception))
        return str(caught.exception)

    def convert(self, *contents):
        """The header, the objects by key, the events with their keys in place of numbers, and the warnings."""
        recording = self.read(*contents)
        requests = [request for request in recording.requests if convert.is_image(request, None)]
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            route = recording.route(recording.requests)
            trace = convert.Trace(None, False)
            header, *lines = convert.stated(recording, route, requests, recording.requests, trace, "visit")
        json.dumps([header, *lines], allow_nan=False)
        objects = [line for line in lines if line["e"] == "object"]
        events = [{**line, "o": objects[line["o"]]["key"]} if "o" in line else line
                  for line in lines if line["e"] != "object"]
        self.assertEqual([event["t"] for event in events], sorted(event["t"] for event in events))
        return header, {line["key"]: line for line in objects}, events, errors.getvalue()

    @staticmethod
    def moments(events):
        return [f"{event['t'] // 1000} {'+' if event['e'] == 'appear' else '-'}{event['o']}"
                for event in events if event["e"] in ("appear", "disappear")]


class ReadingTests(Scratch):
    def test_arrays_lines_objects_and_pieces(self):
        events = recording([picture(10, "a")], mutation(20))
        lines = "\n".join(json.dumps(event) for event in events).encode()
        for contents in [(events,), (lines,), ({"events": events},), (gzip.compress(lines),), (events[:2], events[2:]),
                         (gzip.compress(lines[:60]) + gzip.compress(lines[60:]),)]:
            read = self.read(*contents)
            self.assertEqual((len(read.events), read.snapshots, read.width, read.cut), (3, 1, 400, []))

    def test_events_are_put_in_order(self):
        events = recording([picture(10, "a")], mutation(40), mutation(30))
        read = self.read(events)
        self.assertEqual((read.late, [time - START for time, _ in read.events]), (1, [0, 10, 30, 40]))

    def test_files_that_end_early_give_what_they_have(self):
        text = json.dumps(recording([picture(10, "a")], *(mutation(20 + number) for number in range(500)))).encode()
        self.assertEqual(self.read(text[:-30]).cut, ["0.json"])
        packed = gzip.compress(text)
        cut = self.read(packed[:-20])
        self.assertEqual(cut.cut, ["0.json"])
        self.assertGreater(len(cut.events), 100)

    def test_what_is_no_recording_is_refused_with_a_remedy(self):
        whole = recording([picture(10, "a")])
        for contents, words in [
            (b"\x1f\x8b\x08", "ends early"), (b"hello", "0.json: character 1: not JSON"),
            (b"", "not a session replay"), (b"[]", "not a session replay"),
            ([1, None, {}, "a"], "not a session replay"), ([{**whole[1], "data": "H4sI"}], "Unpack them"),
            (whole[:1], "no full snapshot"), (whole[1:], "the size of the screen is missing"),
            ([{"type": 2, "data": {"wireframes": []}, "timestamp": START}], "as custom events"),
            ({"records": [{"type": 10, "data": {"wireframes": []}, "timestamp": START}]}, "as custom events"),
            (b'[{"type":2,"data":' + b'{"node":' * 100_000, "nested too deeply"),
            (b'[{"type":7,"timestamp":1},{"type":' + b"9" * 5_000 + b"}," + b" " * 99 + b"]", "character 27: not JSON"),
            (b'{"type":7,"timestamp":1}\n{"a"}\n' + json.dumps(whole).encode(), "character 26: not JSON"),
            ([custom(1, e="appear", key="a", v=2)], "have another version than 1"),
            ([custom(1, e="appear", key="")], "no valid `e` and `key`"),
            ([{**whole[1], "data": "\x1f\x8b\x08", "cv": "2024-10"}], "unpack each text yourself"),
        ]:
            self.assertIn(words, self.refused(contents))

    def test_values_that_are_no_events_are_counted(self):
        odd = [7, {"type": "2", "data": {}, "timestamp": START}, {"type": 3, "data": [], "timestamp": START},
               {"type": 3, "data": {}, "timestamp": float("nan")}, {"type": 2, "data": {"node": 4}, "timestamp": START}]
        self.assertEqual(self.read(recording([picture(10, "a")]) + odd).foreign, 5)

    def test_events_that_posthog_has_compressed_are_unpacked(self):
        def packed(value):
            return gzip.compress(json.dumps(value).encode()).decode("latin-1")

        meta, page, change = recording([picture(10, "é")], mutation(20, attributes=[{"id": 10, "attributes": {}}]))
        parts = {name: packed(part) if isinstance(part, list) else part for name, part in change["data"].items()}
        read = self.read([meta, {**page, "data": packed(page["data"]), "cv": "2024-10"},
                          {**change, "data": parts, "cv": "2024-10"}])
        self.assertEqual((read.snapshots, read.packed, read.route([])), (1, 0, "page"))
        self.assertEqual([json.loads(text)["data"] for _, text in read.events],
                         [one["data"] for one in (meta, page, change)])
        with mock.patch.object(replays, "LARGEST", 20_000):
            self.assertIn("over 0 MB", self.refused([{**page, "data": packed("a" * 30_000), "cv": "2024-10"}]))

    def test_requests_of_posthog_and_sentry(self):
        plain = {"name": "http://photos.test/a.jpg", "initiatorType": "img", "startTime": 5, "requestStart": 6,
                 "responseStart": 50, "responseEnd": 70, "timeOrigin": START, "decodedBodySize": 900,
                 "transferSize": 950}
        hidden = {**plain, "decodedBodySize": 0, "transferSize": 0, "encodedBodySize": 0}
        span = {"op": "resource.img", "description": "http://photos.test/b.jpg", "startTimestamp": START / 1000 + 1,
                "endTimestamp": START / 1000 + 2, "data": {"size": 400, "statusCode": 200}}
        stored = {**span, "data": {"size": 0, "encodedBodySize": 400, "decodedBodySize": 400, "statusCode": 200}}
        read = self.read(recording([picture(10, "a")],
            {"type": 6, "data": {"plugin": "rrweb/network@1", "payload": {"requests": [plain, hidden, 3]}},
             "timestamp": START},
            {"type": 5, "data": {"tag": "performanceSpan", "payload": span}, "timestamp": START},
            {"type": 5, "data": {"tag": "performanceSpan", "payload": stored}, "timestamp": START}))
        self.assertEqual([request["bytes"] for request in read.requests], [900, None, 400, 400])
        self.assertEqual([request["time"] - START for request in read.requests], [6, 6, 1000, 1000])
        self.assertEqual([request["cached"] for request in read.requests], [False, False, False, True])

    def test_pieces_of_any_size_give_the_same(self):
        events = [*recording([picture(10, "é")], mutation(20)), custom(START + 1, e="appear", key="é"),
                  network(START + 2, {"name": "http://photos.test/a.jpg", "timestamp": START})]
        text = json.dumps({"version": "1", "data": {"id": "x", "snapshots": events}, "more": ["]", {"a": 1}]}).encode()
        for content in (text, gzip.compress(text[:90]) + gzip.compress(text[90:]), b"\n".join([text, text])):
            whole = vars(self.read(content))
            for size in (2, 7, 64):
                with mock.patch.multiple(replays, READ=size, AHEAD=200):
                    self.assertEqual(vars(self.read(content)), whole)

    def test_a_value_and_a_page_that_are_too_large_are_refused(self):
        events = recording([picture(10, "a")])
        with mock.patch.multiple(replays, READ=16, AHEAD=16, LARGEST=100):
            self.assertIn("a value of over", self.refused(events))
        with mock.patch.multiple(replays, READ=64, AHEAD=64, LARGEST=600):
            self.assertIn("Cut it at a full snapshot", self.refused([*events, *events]))
            self.assertEqual(self.read([*events, *events, custom(1, e="appear", key="a")]).route([]), "custom events")


    def test_entries_of_a_har_that_are_none_are_passed_over(self):
        sound = {"startedDateTime": "2026-01-01T00:00:00Z", "request": {"url": "https://a/1.png"}, "response": {
            "status": 200, "content": {"mimeType": "image/png", "encoding": "base64", "text": "YQ==", "size": 1}}}
        response = sound["response"]
        odd = [7, None, [], {}, {**sound, "request": {"url": 5}}, {**sound, "timings": [1]}, {**sound, "response": 3},
               {**sound, "startedDateTime": "yesterday"}, {**sound, "startedDateTime": 5},
               {**sound, "response": {**response, "content": [1]}},
               {**sound, "response": {**response, "content": {"mimeType": 5}}}]
        path = self.folder / "0.har"
        path.write_text(json.dumps({"log": {"entries": [*odd, sound]}}))
        found, bodies = replays.archived(path)
        self.assertEqual(([request["url"] for request in found], bodies),
                         (["https://a/1.png"], {"https://a/1.png": ("image/png", b"a")}))
        for text in ('{"log":{"entries":5}}', "[]", "hello", ""):
            path.write_text(text)
            with self.assertRaisesRegex(Unreadable, "0.har: not a HAR"):
                replays.archived(path)


class StatedTests(Scratch):
    """Custom events and requests, of which the trace is made without a browser."""

    EVENTS = [
        custom(1000, e="appear", key="a", t=1000.25, bytes=9, width=30, height=40),
        custom(1500, e="appear", key="b", variant="thumbnail"),
        {"type": 5, "timestamp": 1600, "data": {"tag": "breadcrumb", "payload": {
            "category": "cachereplay", "data": {"v": 1, "e": "disappear", "key": "a"}}}},
        {"type": 3, "timestamp": 1700, "data": {"source": 3, "id": 4, "x": 0, "y": 120}}]

    def test_custom_events_are_exact_in_any_envelope_and_go_before_pages(self):
        events, page = self.EVENTS, {**recording([picture(10, "a")])[1], "timestamp": 1001}
        lines = "\n".join(json.dumps(event) for event in events).encode()
        windows = "\n".join(json.dumps(["window", event]) for event in events).encode()
        exported = {"version": "1", "data": {"id": "x", "snapshots": events}, "sessions": [1, {"a": "]"}]}
        segment = {"source": "ios", "view": {"id": "v"}, "records": events, "records_count": 4}
        for contents in [(events,), (lines,), (windows,), ({"events": events},), (exported,), (segment,), ([segment],),
                         (events[2:], events[:2]), (json.dumps(segment).encode()[:-5],), ({"data": events},),
                         ([page, *events],)]:
            header, objects, found, _ = self.convert(*contents)
            self.assertEqual(self.moments(found), ["0 +a", "499 +b", "599 -a"], contents)
            self.assertEqual((header["started"], header["recorder"]),
                             ("1970-01-01T00:00:01.000250Z", "session replay, by custom events"))
            self.assertEqual(objects["a"], {"e": "object", "o": 0, "key": "a", "bytes": 9, "width": 30, "height": 40,
                                            "type": "image/*"})
            self.assertEqual([event.get("variant") for event in found if event["e"] == "appear"], [None, "thumbnail"])
            self.assertIn("scroll", [event["e"] for event in found])

    def test_sizes_of_views_are_those_of_both_sides_within_limits(self):
        sizes = [{"viewWidth": 240.4, "viewHeight": 180}, {}, {"viewWidth": 240},
                 {"viewWidth": 70_000, "viewHeight": 2}]
        _, _, events, _ = self.convert([custom(1000 + place, e="appear", key="a", width=30, height=40, **size)
                                        for place, size in enumerate(sizes)])
        self.assertEqual([(event.get("width"), event.get("height")) for event in events],
                         [(240, 180), (None, None), (None, None), (None, None)])

    def test_requests_stand_for_appearances_if_there_is_nothing_else(self):
        # The first one is what PostHog writes on iOS. The last one is of another clock.
        _, objects, events, errors = self.convert([
            {"type": 2, "data": {"wireframes": []}, "timestamp": 1000},
            network(1130, {"name": "https://a/1", "timestamp": 1090, "duration": 40, "transferSize": 500},
                    {"name": "https://a/2", "timestamp": 1095, "startTime": 10, "responseStart": 13, "responseEnd": 30,
                     "decodedBodySize": 7, "transferSize": 0, "status": 200}),
            network(1200, {"name": "https://a/1", "timestamp": 9e11, "duration": 1e300, "responseStatus": 404})])
        self.assertEqual(self.moments(events), ["0 +https://a/1", "5 +https://a/2", "110 +https://a/1"])
        self.assertEqual([image.get("bytes") for image in objects.values()], [500, 7])
        self.assertEqual([{name: value for name, value in event.items() if name not in ("t", "e", "o")}
                          for event in events if event["e"] == "fetch"],
                         [{"status": 200, "bytes": 500, "ttfb_us": 40_000}, {"status": 200, "bytes": 0},
                          {"status": 404, "ttfb_us": 0}])
        for words in ["3 appearances by requests alone", "without a request is missing", "All count as such"]:
            self.assertIn(words, errors)

    def test_damaged_recordings_are_converted_or_refused_by_name(self):
        span = {"op": "resource.img", "description": "http://photos.test/b.jpg", "startTimestamp": 1, "endTimestamp": 2}
        sound = json.dumps([*self.EVENTS, network(1130, {"name": "https://a/1", "timestamp": 1090, "duration": 40}),
                            {"type": 5, "data": {"tag": "performanceSpan", "payload": span}, "timestamp": 1}]).encode()
        words = [b"null", b"[]", b"{}", b"1e999", b"-1", b"NaN", b'"\\ud800"', b"true", b"9" * 5_000, b"1e300", b'""']
        values = [match.span() for match in replays.re.finditer(rb'(?<=: )("[^"]*"|[\d.]+)', sound)]
        draw, converted = random.Random(1), 0
        for case in range(600):
            start, end = draw.choice(values)
            damaged = sound[:start] + draw.choice(words) + sound[end:]
            if case % 3 == 0:
                place = draw.randrange(len(damaged))
                damaged = damaged[:place] + draw.choice([b"", bytes([draw.randrange(256)])]) + damaged[place + 1:]
            try:
                self.convert(damaged)
                converted += 1
            except Unreadable as reason:
                self.assertIn("0.json", str(reason))
        self.assertGreater(converted, 300)


@unittest.skipUnless(SHARED.is_dir(), "the recordings of shared/data are missing")
class SharedDataTests(Scratch):
    """A visit of the gallery that the gallery and recorders recorded at the same time; see the README of the data."""

    BEGIN = 1_795_524_852_603.6  # milliseconds since 1970 at which the gallery's trace begins

    def truth(self):
        """The appearances, disappearances and fetches: (microseconds, kind, object, event)."""
        lines = [json.loads(line) for line in (SHARED / "feed.truth.jsonl").read_text().splitlines()]
        objects = {line["o"]: line for line in lines if line.get("e") == "object"}
        return [(line["t"], line["e"], objects[line["o"]], line) for line in lines
                if line.get("e") in ("appear", "disappear", "fetch")]

    def test_custom_events_have_the_appearances_of_the_gallery_to_the_microsecond(self):
        events = []
        for moment, kind, image, event in self.truth():
            time, name = self.BEGIN + moment / 1000, f"https://photos.test/{image['key']}"
            if kind == "fetch":
                duration = (event.get("ttfb_us", 0) + event.get("transfer_us", 0)) / 1000
                events.append(network(int(time), {"name": name, "initiatorType": "img", "timestamp": time,
                                                  "duration": duration, "transferSize": event.get("bytes", 0)}))
            else:
                events.append(custom(int(time), e=kind, key=name, t=time, bytes=image["bytes"]))
        _, objects, found, _ = self.convert(events)
        expected = [(moment, kind, f"https://photos.test/{image['key']}") for moment, kind, image, _ in self.truth()]
        first = min(moment for moment, _, _ in expected)
        for kinds in (("appear", "disappear"), ("fetch",)):
            times = [(event["t"], event["e"], event["o"]) for event in found if event["e"] in kinds]
            exact = sorted((what for what in expected if what[1] in kinds), key=lambda what: what[0])
            self.assertEqual([what[1:] for what in times], [what[1:] for what in exact])
            self.assertLess(max(abs(a[0] + first - b[0]) for a, b in zip(times, exact)), 10)
        self.assertTrue(all("bytes" in image for image in objects.values()))

    def test_masked_recordings_of_posthog_have_their_requests(self):
        _, objects, events, _ = self.convert((SHARED / "feed.posthog-mobile.json.gz").read_bytes())
        self.assertEqual((len(objects), sum("bytes" in image for image in objects.values())), (120, 120))
        truth = sorted(moment / 1000 for moment, kind, _, _ in self.truth() if kind == "appear")
        begin = 1_795_524_852_627 - self.BEGIN
        found = [begin + event["t"] / 1000 for event in events if event["e"] == "appear"]
        self.assertEqual(len(found), 453)
        near = 0
        for time in truth:
            while found and found[0] < time - 100:
                found.pop(0)
            if found and found[0] <= time + 100:
                found.pop(0)
                near += 1
        self.assertGreater(near / len(truth), 0.98)

    def test_wireframes_without_requests_are_refused(self):
        self.assertIn("as wireframes", self.refused((SHARED / "feed.datadog-mobile.json.gz").read_bytes()))


class PlayingTests(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def convert(self, events, *options):
        path = self.folder / "visit.rrweb.json"
        path.write_text(json.dumps(events))
        done = subprocess.run([SCRIPT, path, *options], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        keys = {line["o"]: line["key"].rpartition("/")[2] for line in lines if line.get("e") == "object"}
        moments = [(round(line["t"] / 1000), line["e"], keys[line["o"]]) for line in lines
                   if line.get("e") in ("appear", "disappear")]
        return done.returncode, moments, done.stderr, lines

    def test_scrolling_shows_and_hides(self):
        status, moments, errors, _ = self.convert(recording(
            [picture(10, "a"), picture(11, "b"), picture(12, "c")], event(1000, 3, id=1, x=0, y=0),
            event(1100, 3, id=1, x=0, y=500), event(1200, 3, id=1, x=0, y=1000), mutation(2000)))
        self.assertEqual(status, 0, errors)
        self.assertEqual([what[1:] for what in moments],
                         [("appear", "a.jpg"), ("appear", "b.jpg"), ("appear", "c.jpg"), ("disappear", "a.jpg")])
        # c comes at offset 400, and a goes at 600: both between the recorded positions.
        self.assertAlmostEqual(moments[2][0], 1080, delta=20)
        self.assertAlmostEqual(moments[3][0], 1120, delta=20)

    def test_another_snapshot_is_no_appearance_and_a_removed_source_ends_one(self):
        body = [picture(10, "a"), picture(11, "b")]
        again = {**recording(body)[1], "timestamp": START + 500}
        status, moments, errors, _ = self.convert(recording(
            body, again, mutation(900, attributes=[{"id": 10, "attributes": {"src": None}}]),
            mutation(1500, removes=[{"parentId": 4, "id": 11}])))
        self.assertEqual(status, 0, errors)
        self.assertEqual(moments, [(10, "appear", "a.jpg"), (10, "appear", "b.jpg"), (900, "disappear", "a.jpg"),
                                   (1500, "disappear", "b.jpg")])

    def test_a_moved_image_stays(self):
        status, moments, errors, _ = self.convert(recording(
            [element(20, "div", {}, [picture(10, "a")]), element(21, "div")],
            mutation(300, removes=[{"parentId": 20, "id": 10}], adds=[
                {"parentId": 21, "nextId": None, "node": picture(10, "a")}]), mutation(900)))
        self.assertEqual((status, moments), (0, [(10, "appear", "a.jpg")]), errors)

    def test_incomplete_layouts_are_refused(self):
        bare = element(10, "img", {"src": "http://photos.test/a.jpg"})
        sheet = element(30, "link", {"rel": "stylesheet", "href": "http://photos.test/a.css"})
        for events, words in [(recording([bare]), "1 image that cannot be loaded"),
                              (recording([picture(10, "a")], head=[sheet]), "1 style sheet that the recording lacks"),
                              (recording([picture(10, "a")], head=[element(30, "link")]), "lacks (node 30)"),
                              (recording([picture(10, "a"), *(element(number, "p", {"class": "a"})
                                                              for number in range(30, 40))]), "whose elements have"),
                              (recording([picture(10, "a")], event(50, 15, id=1, styleIds=[1])), "1 style sheet")]:
            status, _, errors, _ = self.convert(events)
            self.assertEqual(status, 65)
            self.assertIn(words, errors)
            self.assertIn("no figure can be trusted", errors)
            status, _, _, lines = self.convert(events, "--allow-incomplete")
            self.assertEqual(status, 0)
            self.assertIn(words, lines[0]["title"])

    def serve(self, answer):
        """Starts a server. `answer` has the path of a request, and returns a body or None."""
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                body = answer(self.path)
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "image/svg+xml")
                self.end_headers()
                with contextlib.suppress(BrokenPipeError):
                    self.wfile.write(body or b"")

            log_message = mock.Mock()

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}"

    SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="300" height="500"><rect width="9" height="9"/></svg>'

    def test_slow_servers_are_waited_for_and_missing_images_are_counted(self):
        address = self.serve(lambda path: path in ("/a.svg?of=1", "/b%20b.svg") and (time.sleep(3) or self.SVG))
        images = [element(10, "img", {"src": "http://photos.test/a.svg?of=1", "loading": "lazy"}),
                  element(11, "img", {"src": "http://photos.test/b b.svg", "crossorigin": ""}), picture(12, "c")]
        runs = [self.convert(recording(images), "--images", address) for _ in range(2)]
        self.assertEqual((runs[0][0], [key for _, _, key in runs[0][1]]), (0, ["a.svg?of=1", "b%20b.svg"]), runs[0][2])
        self.assertEqual(runs[0], runs[1])
        with mock.patch.object(replayer, "PATIENCE", 0.1):
            pictures = replayer.Pictures([address], {})
            self.assertEqual((pictures("http://photos.test/a.svg?of=1"), len(pictures.slow)), (None, 1))

    def test_recorded_frames_are_a_part_of_the_page_and_others_are_counted(self):
        def attached(after, *body, head=()):
            html = element(51, "html", {"rr_scrollTop": 600}, [
                element(52, "head", {}, head), element(53, "body", {"style": "margin:0"}, body)])
            node = {"type": 0, "id": 50, "rootId": 50, "childNodes": [{**html, "rootId": 50}]}
            return event(after, 0, isAttachIframe=True, adds=[{"parentId": 20, "nextId": None, "node": node}])

        frame = {"style": "display:block;border:0;height:300px", "sandbox": ""}
        page = [element(25, "div", {"style": "height:700px"}), element(20, "iframe", frame),
                element(21, "iframe", {"rr_src": "https://ads.test/"}), element(22, "iframe")]
        body = [picture(60, "a"), picture(61, "b"), picture(62, "c")]
        # The frame shows a part of b, until it scrolls to c, and the page has 100 pixels of the frame.
        status, moments, errors, _ = self.convert(recording(
            page, attached(20, *body), event(500, 3, id=50, x=0, y=1150), mutation(800),
            {**recording(page)[1], "timestamp": START + 900}, attached(905, *body),
            event(910, 3, id=50, x=0, y=1150), mutation(1100), mutation(1500, removes=[{"parentId": 4, "id": 20}])))
        self.assertEqual(status, 0, errors)
        self.assertIn("Frames whose document the recording lacks, such as frames of other origins: 2.", errors)
        self.assertEqual(moments, [(20, "appear", "b.jpg"), (500, "appear", "c.jpg"), (1500, "disappear", "b.jpg"),
                                   (1500, "disappear", "c.jpg")])
        sheet = element(54, "link", {"rel": "stylesheet", "href": "http://photos.test/a.css"})
        status, _, errors, _ = self.convert(recording(page, attached(20, *body, head=[sheet])))
        self.assertEqual(status, 65)
        self.assertIn("1 style sheet that the recording lacks (http://photos.test/a.css)", errors)

    def test_served_images_have_their_size(self):
        bare = element(10, "img", {"src": "http://photos.test/a.svg"})
        (self.folder / "a.svg").write_bytes(self.SVG)
        status, moments, errors, _ = self.convert(
            recording([bare, picture(11, "b"), picture(12, "c")]), "--images", str(self.folder))
        self.assertEqual((status, [key for _, _, key in moments]), (0, ["a.svg", "b.jpg"]), errors)

    def test_what_is_masked_or_foreign_is_counted(self):
        status, moments, errors, _ = self.convert(recording([
            element(10, "img", {"class": "rr-block", "rr_width": "100px", "rr_height": "100px"}),
            element(11, "div", {"class": "rr-block", "rr_width": "100px", "rr_height": "100px"}),
            element(12, "iframe", {"rr_src": "https://ads.test/"}), picture(13, "a")]))
        self.assertEqual((status, len(moments)), (0, 1), errors)
        for words in ["Masked images: 1.", "Masked areas of the page: 1.", "such as frames of other origins: 1."]:
            self.assertIn(words, errors)

    def test_hostile_snapshots_run_nothing_and_reach_nothing(self):
        reached = []
        address = self.serve(reached.append)
        run = f"top.document.title='run';parent.document.title='run';new Image().src='{address}/run'"
        hostile = [
            element(20, "script", {"src": f"{address}/script.js"}),
            element(21, "script", {}, [{"type": 3, "id": 22, "textContent": run}]),
            element(23, "img", {"src": f"{address}/x.jpg", "onerror": run, "width": "9", "height": "9"}),
            element(24, "iframe", {"src": f"javascript:{run}"}),
            element(25, "iframe", {"srcdoc": f"<script>{run}</script>"}),
            element(26, "iframe", {"src": f"{address}/frame"}), element(27, "a", {"href": f"javascript:{run}"}),
            element(28, "object", {"data": f"{address}/object"}), element(29, "embed", {"src": f"{address}/embed"}),
            element(30, "form", {"action": f"{address}/form", "oninput": run}),
            element(31, "video", {"src": f"{address}/video", "poster": f"{address}/poster", "autoplay": ""}),
            element(32, "svg", {"onload": run}), element(33, "base", {"href": f"{address}/base/", "target": "_top"}),
            element(34, "div", {"style": f"background:url({address}/background)", "__proto__x": "y"}),
            element(35, "style", {}, [{
                "type": 3, "id": 36, "isStyle": True,
                "textContent": f"@font-face{{font-family:x;src:url({address}/font)}}*{{font-family:x}}"}])]
        head = [element(40, "meta", {"http-equiv": "refresh", "content": f"0;url={address}/refresh"}),
                element(41, "meta", {"HTTP-EQUIV": "Refresh", "content": f"0;url={address}/refresh"}),
                element(42, "link", {"rel": "prefetch", "href": f"{address}/prefetch"}),
                element(43, "link", {"rel": "preconnect", "href": address}),
                element(44, "link", {"rel": "icon", "href": f"{address}/icon"})]
        status, moments, errors, _ = self.convert(recording(
            [picture(10, "a"), *hostile],
            mutation(100, attributes=[{"id": 10, "attributes": {"onload": run, "onerror": run}}]),
            mutation(200, adds=[{"parentId": 4, "nextId": None, "node": hostile[1]}]),
            mutation(250, adds=[{"parentId": 26, "nextId": None, "node": {"type": 0, "id": 50, "childNodes": [
                element(51, "html", {"onload": run}, [element(52, "body", {}, [
                    element(53, "script", {}, [{"type": 3, "id": 54, "textContent": run}]),
                    element(55, "iframe", {"src": f"{address}/inner"})])])]}}]),
            event(300, 10, family="x", fontSource=f"url({address}/font2)", buffer=False, descriptors={}),
            mutation(2000), head=head))
        self.assertEqual(status, 0, errors)
        self.assertIn("a.jpg", [key for _, _, key in moments])
        self.assertIn("Attributes with scripts or navigations: ", errors)
        self.assertEqual(reached, [])


if __name__ == "__main__":
    sys.exit(unittest.main())

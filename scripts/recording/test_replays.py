"""Tests of scripts/convert-replay with small, broken and hostile recordings.

    python3 scripts/recording/test_replays.py                 all; some need Chromium and take a few seconds each
    python3 scripts/recording/test_replays.py ReadingTests    those that need no browser
"""

import gzip
import json
import subprocess
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from replays import Recording, Unreadable

SCRIPT = Path(__file__).resolve().parent.parent / "convert-replay"
START = 1_795_524_852_000


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


class ReadingTests(unittest.TestCase):
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
            self.read(*contents)
        return str(caught.exception)

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
            (b"hello", "not JSON"), (b"", "not a recording of rrweb"), (b"[]", "not a recording of rrweb"),
            ([1, None, {}], "not a recording of rrweb"), (["packed", "packed"], "Unpack them"),
            (whole[:1], "no full snapshot"), (whole[1:], "the size of the screen is missing"),
            ([{"type": 2, "data": {"wireframes": []}, "timestamp": START}], "No conversion is needed"),
            ({"records": [{"type": 10, "data": {"wireframes": []}, "timestamp": START}]}, "No conversion is needed"),
            (b'[{"type":2,"data":' + b'{"node":' * 100_000, "nested too deeply"),
        ]:
            self.assertIn(words, self.refused(contents))

    def test_values_that_are_no_events_are_counted(self):
        odd = [7, {"type": "2", "data": {}, "timestamp": START}, {"type": 3, "data": [], "timestamp": START},
               {"type": 3, "data": {}, "timestamp": float("nan")}, {"type": 2, "data": {"node": 4}, "timestamp": START}]
        self.assertEqual(self.read(recording([picture(10, "a")]) + odd).foreign, 5)

    def test_requests_of_posthog_and_sentry(self):
        plain = {"name": "http://photos.test/a.jpg", "initiatorType": "img", "startTime": 5, "requestStart": 6,
                 "responseStart": 50, "responseEnd": 70, "timeOrigin": START, "decodedBodySize": 900,
                 "transferSize": 950}
        hidden = {**plain, "decodedBodySize": 0, "transferSize": 0, "encodedBodySize": 0}
        span = {"op": "resource.img", "description": "http://photos.test/b.jpg", "startTimestamp": START / 1000 + 1,
                "endTimestamp": START / 1000 + 2, "data": {"size": 400, "statusCode": 200}}
        read = self.read(recording([picture(10, "a")],
            {"type": 6, "data": {"plugin": "rrweb/network@1", "payload": {"requests": [plain, hidden, 3]}},
             "timestamp": START},
            {"type": 5, "data": {"tag": "performanceSpan", "payload": span}, "timestamp": START}))
        self.assertEqual([request["bytes"] for request in read.requests], [900, None, 400])
        self.assertEqual([request["time"] - START for request in read.requests], [6, 6, 1000])


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
                              (recording([picture(10, "a")], event(50, 15, id=1, styleIds=[1])), "1 style sheet")]:
            status, _, errors, _ = self.convert(events)
            self.assertEqual(status, 65)
            self.assertIn(words, errors)
            self.assertIn("no figure can be trusted", errors)
            status, _, _, lines = self.convert(events, "--allow-incomplete")
            self.assertEqual(status, 0)
            self.assertIn(words, lines[0]["title"])

    def test_served_images_have_their_size(self):
        bare = element(10, "img", {"src": "http://photos.test/a.svg"})
        (self.folder / "a.svg").write_text(
            '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="500"><rect width="9" height="9"/></svg>')
        status, moments, errors, _ = self.convert(
            recording([bare, picture(11, "b"), picture(12, "c")]), "--images", str(self.folder))
        self.assertEqual((status, [key for _, _, key in moments]), (0, ["a.svg", "b.jpg"]), errors)

    def test_what_is_masked_or_foreign_is_counted(self):
        status, moments, errors, _ = self.convert(recording([
            element(10, "img", {"class": "rr-block", "rr_width": "100px", "rr_height": "100px"}),
            element(11, "div", {"class": "rr-block", "rr_width": "100px", "rr_height": "100px"}),
            element(12, "iframe", {"rr_src": "https://ads.test/"}), picture(13, "a")]))
        self.assertEqual((status, len(moments)), (0, 1), errors)
        for words in ["Masked images: 1.", "Masked areas of the page: 1.", "Cross-origin frames: 1."]:
            self.assertIn(words, errors)

    def test_hostile_snapshots_run_nothing_and_reach_nothing(self):
        reached = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                reached.append(self.path)
                self.send_error(404)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        address = f"http://127.0.0.1:{server.server_port}"
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
            event(300, 10, family="x", fontSource=f"url({address}/font2)", buffer=False, descriptors={}),
            mutation(2000), head=head))
        self.assertEqual(status, 0, errors)
        self.assertIn("a.jpg", [key for _, _, key in moments])
        self.assertIn("Attributes with scripts or navigations: ", errors)
        self.assertEqual(reached, [])


if __name__ == "__main__":
    sys.exit(unittest.main())

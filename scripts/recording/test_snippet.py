"""Tests of Examples/SessionReplays/appearances.js in Chromium, on a page whose images have known places.

    python3 scripts/recording/test_snippet.py
"""

import functools
import struct
import sys
import tempfile
import threading
import unittest
import zlib
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from devtools import Chromium, chromium

SNIPPET = Path(__file__).resolve().parent.parent.parent / "Examples/SessionReplays/appearances.js"
# Each image and the cell are 600 pixels high, and the screen has 844.
PAGE = """<!doctype html><body style="margin:0"><div id="list"></div><script type="module">
import { recordAppearances } from "./appearances.js";
const list = document.getElementById("list");
for (let i = 0; i < 4; i++)
  list.insertAdjacentHTML("beforeend", `<img src="${i}.png" style="display:block;width:300px;height:600px">`);
list.insertAdjacentHTML("beforeend", `<div data-image="cell" style="height:600px"><img src="5.png"></div>`);
window.events = [];
let awaited = { count: 0, resolve: () => {} };
const add = (tag, payload) => {
  const count = window.events.push({ type: 5, timestamp: Date.now(), data: { tag, payload } });
  if (count >= awaited.count) awaited.resolve();
};
const events = (count) => new Promise((resolve) => {
  awaited = { count, resolve };
  if (window.events.length >= count) resolve();
});
recordAppearances(add, { hashed: location.hash === "#hashed" });
async function visit() {
  await events(2); window.moment = performance.timeOrigin + performance.now(); scrollTo(0, 700);
  await events(4); document.images[1].src = "4.png";
  await events(6); document.images[2].remove();
  await events(8); scrollTo(0, 1e6);
  await events(10); window.done = true;
}
addEventListener("load", visit);
</script>"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def picture(shade):
    """A PNG of 4 x 3 pixels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes([shade] * 12) for _ in range(3))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 3, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@unittest.skipUnless(chromium(), "Chromium is not installed")
class SnippetTests(unittest.TestCase):
    def visit(self, fragment=""):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            (Path(folder) / "appearances.js").write_bytes(SNIPPET.read_bytes())
            (Path(folder) / "page.html").write_text(PAGE)
            for shade in range(6):
                (Path(folder) / f"{shade}.png").write_bytes(picture(shade))
            server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
            threading.Thread(target=server.serve_forever, daemon=True).start()
            browser = Chromium(chromium(), folder + "/profile", ["--window-size=390,844"])
            try:
                screen = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False}
                browser.send("Emulation.setDeviceMetricsOverride", **screen)
                browser.send("Page.navigate", url=f"http://127.0.0.1:{server.server_port}/page.html{fragment}")
                browser.wait("window.done", 30)
                return browser.evaluate("window.events"), browser.evaluate("window.moment")
            finally:
                browser.close()
                server.shutdown()
                server.server_close()

    def test_scrolling_another_source_and_removal(self):
        events, moment = self.visit()
        payloads = [event["data"]["payload"] for event in events]
        self.assertEqual({event["data"]["tag"] for event in events}, {"cachereplay"})
        seen = [(payload["e"], payload["key"].rpartition("/")[2]) for payload in payloads]
        # At 700, the screen has 700 to 1,544: the images 1 and 2. Without 2, 3 takes its place. At the end of the page,
        # the screen has 1,556 to 2,400: the images 3, at its lower part, and the cell.
        self.assertEqual(sorted(seen[:2]), [("appear", "0.png"), ("appear", "1.png")])
        self.assertEqual(sorted(seen[2:4]), [("appear", "2.png"), ("disappear", "0.png")])
        self.assertEqual(seen[4:6], [("disappear", "1.png"), ("appear", "4.png")])
        self.assertEqual(sorted(seen[6:8]), [("appear", "3.png"), ("disappear", "2.png")])
        self.assertEqual(sorted(seen[8:]), [("appear", "cell"), ("disappear", "4.png")])
        for event in events[2:4]:
            # The first is rounded down.
            self.assertTrue(moment - 1 <= event["data"]["payload"]["t"] <= event["timestamp"] + 1, (moment, event))
        last = next(payload for payload in payloads if payload["key"].endswith("3.png"))
        self.assertEqual((last["v"], last["width"], last["height"]), (1, 4, 3))
        self.assertEqual((last["viewWidth"], last["viewHeight"]), (300, 600))
        self.assertEqual(last["bytes"], len(picture(3)))

    def test_hashed_keys(self):
        events, _ = self.visit("#hashed")
        keys = [event["data"]["payload"]["key"] for event in events]
        self.assertEqual(len(keys), 10)
        self.assertTrue(all(len(key) == 64 and set(key) <= set("0123456789abcdef") for key in keys), keys)


if __name__ == "__main__":
    sys.exit(unittest.main())

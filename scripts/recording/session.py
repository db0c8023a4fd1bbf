"""The simulated session: flicks through the feed, dwells, opens pictures, returns to some of them and to the top."""

import random
import sys
import time

from finger import Finger, phone
from playwright.sync_api import sync_playwright

SITE = "http://photos.test"  # reserved by RFC 6761; the browser maps it to the origin, so that keys have no port
BACK = (50, 30)
TITLE_BAR = (195, 22)


def record(port, pictures, har, seed):
    """Records one session, and returns the appearances that the page has logged: (milliseconds since 1970, path)."""
    har.parent.mkdir(parents=True, exist_ok=True)
    har.unlink(missing_ok=True)
    with sync_playwright() as playwright:
        browser, context = phone(playwright, f"--host-resolver-rules=MAP photos.test:80 127.0.0.1:{port}",
                                 record_har_path=har, record_har_content="omit")
        page = context.new_page()
        devtools = context.new_cdp_session(page)
        # Without the browser's cache, every appearance is a request, as for a recorder in an app's image loader.
        devtools.send("Network.enable")
        devtools.send("Network.setCacheDisabled", {"cacheDisabled": True})
        page.goto(SITE)
        page.wait_for_selector("body[data-ready]")
        started = time.monotonic()
        Person(page, devtools, random.Random(seed)).look_around()
        page.wait_for_function("loading === 0")
        print(f"Scrolled through {pictures} pictures for {time.monotonic() - started:.0f} s in Chromium {browser.version}")
        appearances = page.evaluate("appearances")
        context.close()  # writes the HAR
        browser.close()
    return appearances


class Person(Finger):
    def __init__(self, page, devtools, draw):
        super().__init__(page, devtools, draw)
        self.liked = []  # (scroll offset, x, y) of pictures that were opened

    def look_around(self):
        self.pause(1.5, 2.5)  # the first screen
        self.browse(to=0.42)
        self.browse(to=0.20, curious=0.2)
        self.reopen()
        self.browse(to=0.75)
        self.return_to_top()
        self.browse(to=0.45, hurried=True, curious=0.0)
        self.reopen()
        self.browse(to=1.0)
        self.browse(to=0.88, curious=0.2)
        self.pause(1.0, 2.0)

    def browse(self, to, hurried=False, curious=0.3):
        """Flicks to the share `to` of the feed, and opens a picture occasionally."""
        extent = self.page.evaluate("document.documentElement.scrollHeight - innerHeight")
        target = to * extent
        direction = 1 if target > self.offset() else -1
        while (left := (target - (before := self.offset())) * direction) > 60:
            self.flick(direction, hurried, at_most=left)
            if self.offset() == before:
                sys.exit("The page does not scroll: this Chromium ignores the touches that Playwright sends.")
            if hurried:
                self.pause(0.1, 0.35)
            elif self.draw.random() < 0.15:
                self.pause(0.9, 1.8)  # something caught the eye
            else:
                self.pause(0.15, 0.55)
            if self.draw.random() < curious:
                self.open_one()

    def open_one(self):
        x, y = self.draw.choice((65, 195, 325)), self.draw.randint(150, 700)
        self.liked.append((self.offset(), x, y))
        self.view(x, y)

    def reopen(self):
        """Returns to one of the pictures opened before, and opens it again."""
        offset, x, y = min(self.liked[:-1] or self.liked, key=lambda one: abs(one[0] - self.offset()), default=(0, 65, 300))
        self.page.evaluate("top => scrollTo({ top, behavior: 'smooth' })", offset)
        self.settle()
        self.pause(0.4, 0.8)
        self.view(x, y)

    def view(self, x, y):
        self.settle()
        self.tap(x, y)
        self.pause(0.7, 1.6)
        self.tap(*BACK)
        self.pause(0.2, 0.5)

    def return_to_top(self):
        self.tap(*TITLE_BAR)
        self.settle()
        self.pause(0.6, 1.2)

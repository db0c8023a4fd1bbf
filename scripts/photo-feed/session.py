"""What the person does: flicks through the feed, dwells, opens pictures, goes back to some, returns to the top."""

import os
import random
import sys
import time

from playwright.sync_api import sync_playwright

CHROMIUM = "/usr/bin/chromium"
SITE = "http://photos.test"  # reserved by RFC 6761; the browser maps it to the origin, so that no port is in the keys
PHONE = {"width": 390, "height": 844}
THUMB = (195, 660)  # where the finger lands, in CSS pixels
TOUCH_RATE = 60  # touch samples per second
BACK = (50, 30)
TITLE_BAR = (195, 22)


def record(port, pictures, har, seed):
    """Records one session and returns the page's own list of appearances: (milliseconds since 1970, path)."""
    har.parent.mkdir(parents=True, exist_ok=True)
    har.unlink(missing_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=[f"--host-resolver-rules=MAP photos.test:80 127.0.0.1:{port}"],
            chromium_sandbox=os.geteuid() != 0)  # Chromium refuses to run as root with its sandbox
        context = browser.new_context(viewport=PHONE, device_scale_factor=3, is_mobile=True, has_touch=True,
                                      record_har_path=har, record_har_content="omit")
        page = context.new_page()
        devtools = context.new_cdp_session(page)
        # Without the browser's cache every appearance is a request, as a recorder at an app's image loader would see it.
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


class Person:
    def __init__(self, page, devtools, draw):
        self.page = page
        self.devtools = devtools
        self.draw = draw
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
        """Flicks until the share `to` of the feed is reached; opens a picture now and then."""
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

    def flick(self, direction, hurried, at_most):
        """One touch drag, quick enough that the browser adds its own momentum."""
        distance = min(at_most, self.draw.uniform(360, 520) if hurried else self.draw.uniform(160, 460))
        seconds = distance / (self.draw.uniform(2_000, 3_500) if hurried else self.draw.uniform(900, 2_200))
        x = THUMB[0] + self.draw.randint(-40, 40)
        y = THUMB[1] if direction > 0 else PHONE["height"] - THUMB[1]
        moves = max(4, round(seconds * TOUCH_RATE))
        self.touch("touchStart", x, y)
        started = time.monotonic()
        for move in range(1, moves + 1):
            time.sleep(max(0, started + move / TOUCH_RATE - time.monotonic()))
            self.touch("touchMove", x, y - direction * distance * move / moves)
        self.touch("touchEnd")

    def touch(self, kind, *point):
        points = [{"x": point[0], "y": point[1]}] if point else []
        self.devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def open_one(self):
        x, y = self.draw.choice((65, 195, 325)), self.draw.randint(150, 700)
        self.liked.append((self.offset(), x, y))
        self.view(x, y)

    def reopen(self):
        """Looks for one of the pictures opened before, and opens it again."""
        offset, x, y = min(self.liked[:-1] or self.liked, key=lambda one: abs(one[0] - self.offset()), default=(0, 65, 300))
        self.page.evaluate("top => scrollTo({ top, behavior: 'smooth' })", offset)
        self.settle()
        self.pause(0.4, 0.8)
        self.view(x, y)

    def view(self, x, y):
        self.settle()
        self.page.touchscreen.tap(x, y)
        self.pause(0.7, 1.6)
        self.page.touchscreen.tap(*BACK)
        self.pause(0.2, 0.5)

    def return_to_top(self):
        self.page.touchscreen.tap(*TITLE_BAR)
        self.settle()
        self.pause(0.6, 1.2)

    def settle(self):
        """Waits until the list is at rest."""
        self.page.evaluate("""() => new Promise(resolve => {
            let last = -1;
            const check = () => { if (scrollY === last) return resolve(); last = scrollY; setTimeout(check, 60); };
            check();
        })""")

    def offset(self):
        return self.page.evaluate("scrollY")

    def pause(self, shortest, longest):
        time.sleep(self.draw.uniform(shortest, longest))

"""A finger on an emulated phone's screen, over Chromium's DevTools protocol: real touch events, the browser's momentum."""

import os
import time

CHROMIUM = "/usr/bin/chromium"
PHONE = {"width": 390, "height": 844}
RESTING_PLACE = (195, 660)  # where the finger lands, in CSS pixels
TOUCH_RATE = 60  # touch samples per second


def phone(playwright, *arguments, **options):
    """Returns a browser and a context that emulates a phone."""
    browser = playwright.chromium.launch(
        executable_path=CHROMIUM, args=list(arguments),
        chromium_sandbox=os.geteuid() != 0)  # Chromium refuses to run as root with its sandbox
    return browser, browser.new_context(viewport=PHONE, device_scale_factor=3, is_mobile=True, has_touch=True, **options)


class Finger:
    """Sends touches and pauses, and reads the offset of a list. `draw` is a seeded random generator."""

    position = "scrollY"  # JavaScript: how far the list is scrolled

    def __init__(self, page, devtools, draw):
        self.page = page
        self.devtools = devtools
        self.draw = draw

    def flick(self, direction, hurried=False, at_most=10_000):
        """Performs a touch drag, fast enough that the browser adds momentum."""
        distance = min(at_most, self.draw.uniform(360, 520) if hurried else self.draw.uniform(160, 460))
        seconds = distance / (self.draw.uniform(2_000, 3_500) if hurried else self.draw.uniform(900, 2_200))
        x = RESTING_PLACE[0] + self.draw.randint(-40, 40)
        y = RESTING_PLACE[1] if direction > 0 else PHONE["height"] - RESTING_PLACE[1]
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

    def tap(self, x, y):
        self.page.touchscreen.tap(x, y)

    def settle(self):
        """Waits until the list is at rest."""
        self.page.evaluate(f"""() => new Promise(resolve => {{
            let last = -1;
            const check = () => {{
                const now = {self.position};
                if (now === last) return resolve();
                last = now;
                setTimeout(check, 60);
            }};
            check();
        }})""")

    def offset(self):
        return self.page.evaluate(self.position)

    def pause(self, shortest, longest):
        time.sleep(self.draw.uniform(shortest, longest))

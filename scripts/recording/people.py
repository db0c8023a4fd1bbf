"""Visitors of the recording gallery who move as the model of people does: `cachereplay trace synthesize --model`.

Gestures, pauses, bursts, opened pictures and searches are drawn with the parameters of the model. Time is not
compressed. A pause runs from a release to the next touch.
"""

import json
import math
import random
import re
import subprocess
import time
from functools import partial

from finger import PHONE
from playwright.sync_api import TimeoutError
from visitor import MIDDLE, Visitor

SCREEN = PHONE["height"]  # points
FOREGROUND = (375, 110)  # seconds of the two visits
TOP, BOTTOM = 150, 740  # where fingers land and lift, in CSS pixels: below the title, above the tabs
SAMPLES = 60  # touches per second
TAPS = 5  # on a control that does not confirm

# How far lists of Android go that are released at a speed, in points: `FlingPhysics` of the module TraceSynthesis.
FRICTION = 0.015 * 9.80665 * 39.37 * 160 * 0.84
EXPONENT = math.log(0.78) / math.log(0.9)

# Chromium 156 on Linux slows a list down by so many points per second in each second, and by at most so many points.
# Measured with released speeds from 2,000 to 9,000 points per second and drags from 0.07 to 0.2 s.
DECELERATION = 6_620
FARTHEST = 6_300


def people_model(command):
    """Returns the values of the model's parameters by name."""
    printed = subprocess.run(
        [command, "trace", "synthesize", "--model", "--json"], check=True, capture_output=True, text=True)
    return {parameter["name"]: parameter["value"] for parameter in json.loads(printed.stdout)["parameters"]}


class Person(Visitor):
    """The median person of the model: the one whose factor on all pauses is 1."""

    def __init__(self, page, devtools, seed, model):
        super().__init__(page, devtools, random.Random(seed))
        self.model = model
        self.went_back = False
        self.end = time.monotonic()

    def drawn(self, name, spread=None):
        """Draws from a log-normal distribution with this median."""
        return self.draw.lognormvariate(math.log(self.model[name]), self.model[spread or f"{name}-spread"])

    def chance(self, name):
        return self.draw.random() < self.model[name]

    @property
    def is_over(self):
        return time.monotonic() >= self.end

    def wait(self, seconds):
        """Waits, at most until the end of the visit."""
        time.sleep(max(0, min(seconds, self.end - time.monotonic())))

    def begin(self, seconds):
        self.end = time.monotonic() + seconds
        self.wait(self.drawn("pause"))

    def burst(self):
        """Makes gestures in one direction, and the pause after the last one."""
        offset, farthest = self.page.evaluate(
            "(() => { const view = document.querySelector('.view:not([hidden])');"
            "return [view.scrollTop, view.scrollHeight - view.clientHeight]; })()")
        back = self.chance("back-after-back" if self.went_back else "back-after-forward")
        back = (back and offset > 0) or (offset >= farthest > 0)
        self.went_back = back
        count = 1
        while count < 50 and not self.chance("one-gesture"):
            count += 1
        if back:
            exact = count * self.model["back-factor"]
            count = max(1, int(exact) + (self.draw.random() < exact % 1))
        for number in range(1, count + 1):
            if self.is_over:
                return
            self.gesture(-1 if back else 1)
            self.wait(self.drawn("pause") if number == count else self.drawn("gap-in-burst"))

    def gesture(self, direction):
        """Drags the list and stops, or flings it as far as Android's lists go at the drawn speed."""
        if self.chance("drag-only-share"):
            seconds = self.drawn("drag-only-time", "drag-spread")
            distance = min(0.8, self.drawn("drag-only-distance", "drag-only-spread")) * SCREEN
            return self.drag(direction, min(distance, BOTTOM - TOP), seconds, lambda share: share * (2 - share))
        seconds = self.drawn("drag")
        drawn = self.drawn("hard-speed" if self.chance("hard-share") else "release-speed")
        speed = min(self.model["fastest-release"], drawn)
        distance = FRICTION * (speed * 0.35 / FRICTION) ** (EXPONENT / (EXPONENT - 1))
        released = math.sqrt(2 * DECELERATION * min(FARTHEST, distance))
        # The finger accelerates evenly, and stays on the screen.
        seconds = min(seconds, 2 * (BOTTOM - TOP) / released)
        self.drag(direction, released * seconds / 2, seconds, lambda share: share * share)

    def drag(self, direction, distance, seconds, place):
        """Moves a finger by `distance`; `place` is the share of the way at a share of the time.

        The browser takes its speed from the times that touches state, so that it does not depend on the machine's load.
        """
        x = MIDDLE + self.draw.randint(-60, 60)
        y = self.draw.uniform(TOP + distance, BOTTOM) if direction > 0 else self.draw.uniform(TOP, BOTTOM - distance)
        moves = max(4, round(seconds * SAMPLES))
        began, stated = time.monotonic(), time.time()
        self.touch_at("touchStart", stated, x, y)
        for move in range(1, moves + 1):
            passed = seconds * move / moves
            late = time.monotonic() - began - passed
            if late > seconds / moves and move < moves:
                continue  # the browser is busy; touches of real screens are joined then too
            time.sleep(max(0, -late))
            self.touch_at("touchMove", stated + passed, x, y - direction * distance * place(move / moves))
        self.touch_at("touchEnd", stated + seconds)

    def touch_at(self, kind, stated, *point):
        points = [{"x": point[0], "y": point[1]}] if point else []
        self.devtools.send("Input.dispatchTouchEvent", {"type": kind, "timestamp": stated, "touchPoints": points})

    def look(self):
        """Opens a visible picture, looks at it, and closes it."""
        self.settle()
        image = self.page.evaluate(
            "([top, bottom]) => [...document.querySelectorAll('.view:not([hidden]) .cell:not([hidden])')]"
            ".map(cell => cell.getBoundingClientRect()).filter(one => one.top > top && one.bottom < bottom)"
            ".map(one => [one.left + one.width / 2, one.top + one.height / 2])", [TOP, BOTTOM])
        if not image:
            return
        self.tap(*self.draw.choice(image))
        time.sleep(self.drawn("look"))
        if not self.page.evaluate("document.getElementById('detail').hidden"):
            if self.draw.random() < 0.5:
                self.page.tap("#detail .close")
            else:
                self.swipe_away()
            self.page.wait_for_selector("#detail", state="hidden")

    def browse(self, until, opens):
        """Scrolls until a time, which is one of `time.monotonic()`."""
        while time.monotonic() < min(until, self.end):
            self.burst()
            if opens and not self.is_over and self.chance("open-chance"):
                self.look()

    def warn(self):
        """Records a memory warning by the control of the page.

        The control confirms with a colour. A tap on a list that moves, or that a fling holds at its end, only stops it,
        so the person taps again.
        """
        self.settle()
        for _ in range(TAPS):
            self.page.tap("#warn")
            try:
                self.page.wait_for_selector("#warn.recorded", timeout=1_000)
                return
            except TimeoutError:
                continue
        raise RuntimeError("the control of the gallery's page records no memory warning")

    def words(self):
        """Returns the words of the names of all pictures."""
        catalogue = self.page.evaluate("fetch('images').then(answer => answer.json())")
        names = " ".join(image["name"].split(".")[0] for image in catalogue["images"])
        return sorted(set(re.findall(r"[a-z]{4,}", names)))

    def search(self, word):
        """Types the beginning of a word over the text of the field; each letter changes the results."""
        letters = 1
        while letters < len(word) and self.draw.random() < 1 - 1 / self.model["search-keystrokes"]:
            letters += 1
        self.settle()
        field = self.page.locator("#search input")
        self.page.evaluate("document.getElementById('search').scrollTo(0, 0)")
        field.tap()
        field.select_text()
        for letter in word[:letters]:
            field.press(letter)
            time.sleep(self.draw.uniform(0.15, 0.45))


def scroll(person, seconds, warned, opens):
    """Scrolls through a list for some seconds, with a memory warning in the middle if `warned`."""
    person.begin(seconds)
    person.browse(person.end - seconds / 2, opens)
    if warned:
        person.warn()
    person.browse(person.end, opens)


def feed(person, seconds, warned):
    """Scrolls through the endless feed, whose pictures cannot be opened."""
    scroll(person, seconds, warned, opens=False)


def grid(person, seconds, warned):
    """Scrolls through the thumbnails, and opens some."""
    scroll(person, seconds, warned, opens=True)


def search(person, seconds, warned):
    """Searches as often as in visits of the median length, and scrolls through the results."""
    words = person.words()
    earlier = []
    count = max(1, round(seconds * person.model["search-queries"] / person.model["visit-length"]))
    person.begin(seconds)
    for number in range(1, count + 1):
        word = person.draw.choice(earlier if earlier and person.chance("search-again") else words)
        earlier.append(word)
        person.search(word)
        person.wait(person.drawn("pause"))
        person.browse(person.end - seconds * (count - number) / count, True)
        if warned and number == (count + 1) // 2:
            person.warn()


def visits(view, model):
    """Returns the visits to a view, the name of one of the functions above. The first one has a memory warning."""
    def visit(seconds, warned, page, devtools, seed):
        globals()[view](Person(page, devtools, seed, model), seconds, warned)

    return [partial(visit, seconds, number == 0) for number, seconds in enumerate(FOREGROUND)]

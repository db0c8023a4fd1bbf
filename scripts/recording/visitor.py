"""The simulated visitor of the recording gallery: the actions of each recorded session."""

import random
import re

from finger import PHONE, Finger

MIDDLE = PHONE["width"] / 2


class Visitor(Finger):
    position = "document.querySelector('.view:not([hidden])').scrollTop"

    def go_to(self, view):
        self.page.tap(f"nav a[href='#{view}']")
        self.pause(0.6, 1.2)

    def open_one(self):
        """Opens a visible picture, and closes it with its button or a swipe after a while."""
        self.settle()
        self.tap(self.draw.choice((65, 195, 325)), self.draw.randint(160, 640))
        self.pause(0.8, 2.2)
        if not self.page.evaluate("document.getElementById('detail').hidden"):
            if self.draw.random() < 0.5:
                self.page.tap("#detail .close")
            else:
                self.swipe_away()
            self.page.wait_for_selector("#detail", state="hidden")
        self.pause(0.2, 0.6)

    def swipe_away(self):
        self.touch("touchStart", MIDDLE, 380)
        for move in range(1, 9):
            self.touch("touchMove", MIDDLE, 380 + 22 * move)
        self.touch("touchEnd")

    def look_through(self, flicks, direction=1, hurried=False, curious=0.0, dwell=(0.2, 0.7)):
        for _ in range(flicks):
            self.flick(direction, hurried)
            if self.draw.random() < 0.12 and not hurried:
                self.pause(1.0, 2.2)  # something caught the eye
            else:
                self.pause(*dwell)
            if self.draw.random() < curious:
                self.open_one()

    def type(self, text):
        """Types as on a phone, with intermediate results, and deletes the text again."""
        field = self.page.locator("#search input")
        field.tap()
        field.press_sequentially(text, delay=self.draw.randint(140, 320))
        self.pause(0.5, 1.4)

    def rub_out(self, letters):
        field = self.page.locator("#search input")
        for _ in range(letters):
            field.press("Backspace", delay=self.draw.randint(60, 160))
        self.pause(0.2, 0.5)


def feed(visitor):
    """Scrolls down an endless feed, slowly and fast, and back up."""
    visitor.pause(1.5, 2.5)
    for _ in range(4):
        visitor.look_through(22)
        visitor.look_through(10, hurried=True, dwell=(0.05, 0.2))
        visitor.look_through(visitor.draw.randint(5, 9), direction=-1)


def steady(visitor):
    """Scrolls down the feed at a pace at which most images arrive while they are visible."""
    visitor.pause(1.5, 2.5)
    visitor.look_through(36, dwell=(0.5, 1.1))


def grid(visitor):
    """Scrolls through thumbnails, opens some, returns to the beginning, and opens some again."""
    visitor.go_to("grid")
    visitor.look_through(14, curious=0.45)
    visitor.look_through(8, direction=-1, curious=0.3)
    visitor.go_to("grid")  # a tap on the tab that is open scrolls to the top
    visitor.settle()
    visitor.look_through(16, curious=0.4)
    visitor.look_through(10, direction=-1, curious=0.4)


def search(visitor):
    """Searches for one word after the other; scrolls through most results, and opens some pictures."""
    visitor.go_to("search")
    catalogue = visitor.page.evaluate("fetch('images').then(answer => answer.json())")
    names = " ".join(image["name"] for image in catalogue["images"])
    words = sorted(set(re.findall(r"[a-z]{4,}", names)) - {"jpeg"})
    for _ in range(34):
        word = visitor.draw.choice(words)
        visitor.type(word)
        if visitor.draw.random() < 0.5:
            visitor.look_through(visitor.draw.randint(1, 3))
        if visitor.draw.random() < 0.35:
            visitor.open_one()
        visitor.rub_out(len(word) if visitor.draw.random() < 0.7 else len(word) - 2)
        if visitor.page.input_value("#search input"):
            visitor.rub_out(2)


def flicks(visitor):
    """Flicks fast back and forth: more cells than the network can load."""
    visitor.go_to("grid")
    for _ in range(9):
        visitor.look_through(visitor.draw.randint(5, 8), hurried=True, dwell=(0.02, 0.12))
        visitor.pause(0.3, 1.0)
        visitor.look_through(visitor.draw.randint(4, 7), direction=-1, hurried=True, dwell=(0.02, 0.12))
        visitor.pause(0.3, 1.0)


def first_visit(visitor):
    visitor.pause(1.0, 2.0)
    visitor.look_through(14)
    visitor.go_to("grid")
    visitor.look_through(10, curious=0.4)


def second_visit(visitor):
    """Shows many images of the first visit again: the feed's beginning, and the grid."""
    visitor.pause(0.8, 1.5)
    visitor.look_through(12)
    visitor.go_to("grid")
    visitor.look_through(12, curious=0.3)
    visitor.look_through(6, direction=-1)


def visit(act, page, devtools, seed):
    """Makes a visit, one of the functions above."""
    act(Visitor(page, devtools, random.Random(seed)))

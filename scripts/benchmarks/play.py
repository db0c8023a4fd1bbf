"""Measures the page of `cachereplay play` in a real Chromium, as a person sees it.

    scripts/bench play

Prints one row for each figure as CSV: from the command to the first picture, from a slider to the figures of four
caches and a session of 2,000 requests, the curve of 64 limits, a population of 60 people, frames while the phones
play, and a whole question from the command to its answer. Takes the picture that README shows, Results/bench/play.png.
The page measures the times of its answers (performance.measure); frames are counted by the browser's own clock.
"""

import base64
import csv
import json
import os
import signal
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from growth import session

PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "scripts" / "recording"))
from devtools import Chromium, Failure, chromium

PEOPLE = 60
CACHES = ["nuke-13", "kingfisher-8", "sdwebimage-5", "nuke-13; memory: 48MB"]
STARTS, POSITIONS, CURVES, PLAYED = 5, 120, 5, 3  # the last one in seconds
UNAVAILABLE = 69


class Play:
    """The program, from its command on."""

    def __init__(self, binary, arguments, folder):
        self.began = time.time()
        self.process = subprocess.Popen(
            [binary, "play", *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )
        self.address = None
        for line in self.process.stdout:
            words = [word.strip(".,") for word in line.split() if word.startswith("http://")]
            if words:
                self.address = words[0]
                return
        raise Failure(f"cachereplay play printed no address and ended with {self.process.wait()}")

    def close(self):
        self.process.send_signal(signal.SIGINT)
        self.process.stdout.close()
        self.process.wait()


def opened(browser, play):
    browser.send("Page.navigate", url=play.address)
    browser.wait("location.href.startsWith('http') && performance.getEntriesByName('play:first-picture').length")


def first_picture(browser, binary, arguments, folder):
    """The seconds from the command until the figures of the first question are on the screen."""
    play = Play(binary, arguments, folder)
    try:
        opened(browser, play)
        moment = browser.evaluate(
            "performance.timeOrigin + performance.getEntriesByName('play:first-picture')[0].startTime")
        return moment / 1000 - play.began
    finally:
        play.close()


# Resolves with the durations of measures of a name, in seconds, as soon as there are so many.
MEASURES = """
const measured = (name, count) => new Promise(done => {
  const look = () => {
    const found = performance.getEntriesByName(`play:${name}`);
    if (found.length >= count) done(found.map(({ duration }) => duration / 1000)); else setTimeout(look, 2);
  };
  look();
});
"""


def sliding(browser, *, waits):
    """The seconds from each move of the memory slider to its figures. It moves when the figures of the last move are
    there, or 60 times a second as under a finger."""
    return browser.evaluate(f"""(async () => {{ {MEASURES}
      performance.clearMeasures('play:figures');
      const range = document.querySelector('#controls input[type=range]');
      for (let step = 0; step < {POSITIONS}; step++) {{
        range.value = {waits and '(step * 37 + 5) % 160' or 'step + 20'};
        range.dispatchEvent(new Event('input'));
        if ({json.dumps(waits)}) await measured('figures', step + 1);
        else await new Promise(done => setTimeout(done, 16));
      }}
      await new Promise(done => setTimeout(done, 500));
      return await measured('figures', 1);
    }})()""")


def curves(browser):
    return browser.evaluate(f"""(async () => {{ {MEASURES}
      performance.clearMeasures('play:curve');
      for (let step = 0; step < {CURVES}; step++) {{
        setRule('connections', String(2 + step));
        await measured('curve', step + 1);
      }}
      return await measured('curve', {CURVES});
    }})()""")


def frames(browser):
    """Frames per second while the phones play."""
    return browser.evaluate(f"""(async () => {{
      const button = document.querySelector('.moment button'), range = document.querySelector('.moment input');
      range.value = 0;
      range.dispatchEvent(new Event('input'));
      button.click();
      const next = () => new Promise(requestAnimationFrame);
      const began = await next();
      let count = 0, now = began;
      while (now < began + {PLAYED * 1000}) {{ now = await next(); count += 1; }}
      if (button.textContent === 'Pause') button.click();
      return count / (now - began) * 1000;
    }})()""")


def people(browser):
    """The seconds to the first people of a population and to the last one."""
    return browser.evaluate(f"""(async () => {{ {MEASURES}
      const crowd = page.start.sessions.find(({{ people }}) => people > 0);
      change(question => {{ question.session = crowd.name; }});
      const [first] = await measured('people-first', 1);
      const [last] = await measured('people', 1);
      return [first, last];
    }})()""")


def answered(browser, binary):
    """The seconds from the command to the answer of a question: 48 MB in place of 64 MB, with two rows of prefetching,
    over LTE. A person rests for half a second before each of the three actions. Takes the picture that README shows."""
    caches = ["--cache", "nuke-13; memory: 64MB", "--cache", "nuke-13"]
    play = Play(binary, ["Traces/recorded/feed.jsonl", *caches], PROJECT)
    try:
        opened(browser, play)
        select = """
            const list = [...document.querySelectorAll('#controls select')]
              .find(list => [...list.options].some(option => option.value === wanted));
            list.value = wanted;
            list.dispatchEvent(new Event('change'));"""
        actions = ["setRule('memory', '48MB');"] + [
            f"const wanted = {json.dumps(value)};{select}" for value in ["rows(2)", "lte"]
        ]
        for action in actions:
            time.sleep(0.5)
            browser.evaluate(
                f"(async () => {{ {MEASURES} performance.clearMeasures(); {action}"
                " await measured('figures', 1); await new Promise(requestAnimationFrame); })()")
        seconds = time.time() - play.began
        browser.wait("document.querySelector('.moment button') && document.querySelector('#curve svg')")
        browser.wait("performance.getEntriesByName('play:curve').length && "
                     "performance.getEntriesByName('play:film').length")
        time.sleep(1)  # Bars and phones of the last answer are drawn.
        picture = browser.send("Page.captureScreenshot", format="png")["data"]
        (PROJECT / "Results" / "bench" / "play.png").write_bytes(base64.b64decode(picture))
        return seconds
    finally:
        play.close()


def p95(values):
    return sorted(values)[max(0, -(-len(values) * 95 // 100) - 1)]


def population(folder):
    """60 people in a folder: those of the bundled archive, and some of them twice."""
    folder.mkdir()
    with tarfile.open(PROJECT / "Traces" / "people-feed.tar.xz") as archive:
        files = sorted((entry for entry in archive if entry.isfile()), key=lambda entry: entry.name)
        for number in range(PEOPLE):
            source = archive.extractfile(files[number % len(files)])
            (folder / f"person-{number + 1:04}.jsonl").write_bytes(source.read())


def main():
    binary = os.path.abspath(sys.argv[1])
    executable = chromium()
    if not executable:
        print("scripts/bench play: Chromium is missing; install it: scripts/install chromium", file=sys.stderr)
        return UNAVAILABLE
    caches = [word for cache in CACHES for word in ("--cache", cache)]
    what = "session of 2,000 requests, 4 caches, in Chromium"
    writer = csv.writer(sys.stdout, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow(["benchmark", "metric", "unit", "ours", "peer_name", "peer", "ratio"])

    def row(benchmark, metric, ours, goal, unit="s"):
        ratio = ours / goal if unit == "1/s" else goal / ours
        writer.writerow([benchmark, metric, unit, f"{ours:.3f}", "the bar set for it", f"{goal:.3f}", f"{ratio:.2f}"])
        sys.stdout.flush()

    # Chromium may write to its profile for a moment after its end.
    with tempfile.TemporaryDirectory(prefix="cachereplay-play-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        session(folder / "session.jsonl", 4_200)
        population(folder / "people")
        browser = Chromium(executable, folder / "profile", ["--window-size=1440,900"])
        try:
            alone = ["session.jsonl", *caches]
            first_picture(browser, binary, alone, folder)  # The program and the page are then in the page cache.
            starts = [first_picture(browser, binary, alone, folder) for _ in range(STARTS)]
            row(what, "from the command to the first picture, median", statistics.median(starts), 0.3)
            # The command without arguments opens the bundled traces, which are named from the root of the project.
            first_picture(browser, binary, [], PROJECT)
            starts = [first_picture(browser, binary, [], PROJECT) for _ in range(STARTS)]
            row("bundled sessions and people, in Chromium", "from the command to the first picture, median",
                statistics.median(starts), 0.3)
            play = Play(binary, ["session.jsonl", "people", *caches], folder)
            try:
                opened(browser, play)
                browser.wait("document.querySelector('.moment button') && document.querySelector('#curve svg')")
                row(what, "slider to figures, 95th percentile", p95(sliding(browser, waits=True)), 0.1)
                row(what, "slider to figures while it moves, 95th percentile", p95(sliding(browser, waits=False)), 0.1)
                row(what, "curve of 64 limits for 2 caches, median", statistics.median(curves(browser)), 0.5)
                browser.wait("document.querySelector('.moment button')")
                row(what, "frames while the phones play", frames(browser), 60, unit="1/s")
                first, last = people(browser)
                crowd = f"population of {PEOPLE} people, 4 caches, in Chromium"
                row(crowd, "first estimate", first, 0.2)
                row(crowd, "all people", last, 2)
            finally:
                play.close()
            what = "48 MB for 64 MB, two rows prefetched, LTE: recorded feed, in Chromium"
            row(what, "from the command to the answer, three pauses of 0.5 s", answered(browser, binary), 5)
        finally:
            browser.close()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"scripts/bench play: {failure}", file=sys.stderr)
        sys.exit(1)

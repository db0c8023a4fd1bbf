"""Checks that a recorded HAR contains every appearance that the page has logged, with sizes and times."""

import json
import statistics
import sys
from collections import Counter
from datetime import datetime
from urllib.parse import urlsplit

LEAST_REQUESTS = 300
LEAST_SECONDS = 60
REPEATS = (0.40, 0.75)
WORST_CLOCK_DIFFERENCE = 50  # milliseconds, median, between the page's clock and the HAR's


def check(har, appearances):
    """Prints a summary of the HAR, and exits with status 1 and the reasons if the recording is invalid."""
    entries = json.loads(har.read_text())["log"]["entries"]
    images = [entry for entry in entries if urlsplit(entry["request"]["url"]).path.startswith(("/thumb/", "/full/"))]
    images.sort(key=begun)
    asked = Counter(path(entry) for entry in images)
    seconds = begun(images[-1]) - begun(images[0]) if images else 0
    repeats = 1 - len(asked) / len(images) if images else 0
    waits = [entry["timings"]["wait"] for entry in images]
    size = sum(entry["response"]["bodySize"] for entry in images)
    print(f"{har}: {len(images)} image requests over {seconds:.1f} s for {len(asked)} objects, repeat ratio {repeats:.0%}, "
          f"{sum(name.startswith('/full/') for name in asked.elements())} full images, {size / 1e6:.1f} MB")
    if waits:
        print(f"Time to first byte: median {statistics.median(waits):.0f} ms, worst {max(waits):.0f} ms")

    wrong = []
    if len(images) < LEAST_REQUESTS or seconds < LEAST_SECONDS:
        wrong.append(f"needs at least {LEAST_REQUESTS} image requests over {LEAST_SECONDS} s")
    if not REPEATS[0] <= repeats <= REPEATS[1]:
        wrong.append(f"the repeat ratio should lie between {REPEATS[0]:.0%} and {REPEATS[1]:.0%}")
    if asked != Counter(name for _, name in appearances):
        wrong.append(f"the page asked for {len(appearances)} images: not the same as in the HAR")
    else:
        difference = clock_difference(images, appearances)
        print(f"The HAR's start times differ from the page's own by {difference:.1f} ms (median)")
        if difference > WORST_CLOCK_DIFFERENCE:
            wrong.append("the HAR's start times are not when the page asked")
    incomplete = [path(entry) for entry in images if not whole(entry)]
    if incomplete:
        wrong.append(f"{len(incomplete)} entries without status 200, type, size or timings, the first: {incomplete[0]}")
    if wrong:
        sys.exit("Not a good recording: " + "; ".join(wrong) + ". Record again.")


def whole(entry):
    response, timings = entry["response"], entry["timings"]
    return (response["status"] == 200 and response["content"]["mimeType"].startswith("image/")
            and response["content"]["size"] == response["bodySize"] > 0
            and timings["wait"] > 0 and timings["receive"] >= 0)


def clock_difference(images, appearances):
    """Returns the median difference in milliseconds, with each path's requests in order."""
    def by_path_and_time(moments):
        return sorted((name, moment) for moment, name in moments)
    recorded = by_path_and_time((begun(entry) * 1000, path(entry)) for entry in images)
    noted = by_path_and_time((moment, name) for moment, name in appearances)
    return statistics.median(abs(one[1] - other[1]) for one, other in zip(recorded, noted))


def begun(entry):
    """Returns seconds since 1970."""
    return datetime.fromisoformat(entry["startedDateTime"].replace("Z", "+00:00")).timestamp()


def path(entry):
    return urlsplit(entry["request"]["url"]).path

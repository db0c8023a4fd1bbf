"""Compares a converted session replay with the recording of the same visit by the gallery itself.

    python3 scripts/recording/agreement.py TRUTH CONVERTED --binary .build/release/cachereplay [--names images.json]

Says how many appearances of each trace have one in the other, of the same image, at most 100 ms apart, one to one. Then
replays both with three caches in modelled timing, and prints the first sentence of each: the finding. The clocks are
aligned by the fetches, or by the appearances if one trace has none. Exit status 1: less than 99 % of the appearances
have a counterpart, or the findings differ.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

WITHIN = 100_000  # microseconds
CACHES = ["nuke-13", "kingfisher-8", "lru(8MB)"]


def moments(path, names=None):
    """The times of appearances, disappearances and fetches, by kind and key."""
    keys, found = {}, {"appear": {}, "disappear": {}, "fetch": {}}
    for text in path.read_text().splitlines():
        line = json.loads(text)
        if line.get("e") == "object":
            keys[line["o"]] = line["key"]
        elif line.get("e") in found:
            key = keys[line["o"]]
            if names is not None:
                # full/3 or 3: the third name.
                folder, _, number = key.rpartition("/")
                key = f"{folder or line.get('variant', 'full')}/{names[int(number)]}" if number.isdigit() else key
            found[line["e"]].setdefault(key, []).append(line["t"])
    return found


def matched(true, other):
    """Pairs of times of one key, one to one, at most `WITHIN` apart, the earliest first."""
    pairs, position = [], 0
    for time in sorted(true):
        while position < len(other) and other[position] < time - WITHIN:
            position += 1
        if position < len(other) and other[position] <= time + WITHIN:
            pairs.append((time, other[position]))
            position += 1
    return pairs


def difference(truth, converted):
    """By how many microseconds the clock of the converted trace is behind."""
    for kind in ("fetch", "appear"):
        differences = [one - two for key, times in truth[kind].items()
                       if len(times) == len(converted[kind].get(key, []))
                       for one, two in zip(sorted(times), sorted(converted[kind][key]))]
        if differences:
            return round(statistics.median(differences))
    sys.exit("agreement: the traces have no image in common. Are the names right?")


def agree(truth, converted, kind):
    """The share of the truth's moments with a converted one, and the reverse. Prints both."""
    behind = difference(truth, converted)
    pairs, every, other, missing = [], 0, 0, []
    for key in truth[kind].keys() | converted[kind].keys():
        times = sorted(time + behind for time in converted[kind].get(key, []))
        mine = matched(truth[kind].get(key, []), times)
        pairs += mine
        every += len(truth[kind].get(key, []))
        other += len(times)
        hit, got = {one for one, _ in mine}, {two for _, two in mine}
        missing += [(time, "not converted", key) for time in truth[kind].get(key, []) if time not in hit]
        missing += [(time, "not in the truth", key) for time in times if time not in got]
    errors = sorted(abs(one - two) for one, two in pairs) or [0]
    print(f"{kind}: {len(pairs) / max(1, every):.1%} of {every} have a converted one within 100 ms, "
          f"{len(pairs) / max(1, other):.1%} of {other} converted ones are true; "
          f"median error {statistics.median(errors) / 1000:.1f} ms, "
          f"95 % within {errors[len(errors) * 95 // 100] / 1000:.1f} ms")
    return len(pairs) / max(1, every), sorted(missing)


def finding(binary, path, name):
    with tempfile.TemporaryDirectory() as folder:
        caches = [word for cache in CACHES for word in ("--cache", cache)]
        done = subprocess.run(
            [binary, "replay", f"{name}={path}", *caches, "--timing", "modelled", "--no-charts", "--width", "1000",
             "--output", f"{folder}/results"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"agreement: cachereplay replay {path} ended with {done.returncode}:\n{done.stderr}")
    return next(line[2:] for line in (done.stdout + done.stderr).splitlines() if line.startswith("* "))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truth", type=Path)
    parser.add_argument("converted", type=Path)
    parser.add_argument("--names", type=Path, help="an array of JSON: the names of numbered images")
    parser.add_argument("--binary", type=Path, required=True, help="the built cachereplay")
    parser.add_argument("--missing", action="store_true", help="list the moments without a counterpart")
    options = parser.parse_args()
    names = json.loads(options.names.read_text()) if options.names else None
    truth, converted = moments(options.truth), moments(options.converted, names)
    share, missing = agree(truth, converted, "appear")
    agree(truth, converted, "disappear")
    if options.missing:
        for time, what, key in missing:
            print(f"  {time / 1e6:.3f} s: {key}, {what}")
    said = [finding(options.binary.resolve(), path, "session") for path in (options.truth, options.converted)]
    print(f"truth:     {said[0]}\nconverted: {said[1]}")
    # The same caches lead; the figures of the sentence may differ.
    leads = [re.split(r" on session", sentence)[0] for sentence in said]
    print("The findings are the same." if leads[0] == leads[1] else "The findings differ.")
    sys.exit(0 if share >= 0.99 and leads[0] == leads[1] else 1)


if __name__ == "__main__":
    main()

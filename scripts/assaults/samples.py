"""Inputs of the campaigns: sessions, traces of requests, pictures."""

import json
import struct
import zlib

MEMORY_AND_DISK = "memory: lru(30%); disk: lru(60%)"
CACHES = [MEMORY_AND_DISK, "fifo(40%)", "memory: sieve(20 objects); disk: ttl(lru(1MB), lifetime: 7s)", "kingfisher-8"]


def session(random, objects=40, requests=200, interval=40_000, size=20_000, title="Session", pixels=lambda: (400, 300)):
    """A session in the native format: cells appear, are fetched, and disappear. `interval` is in microseconds.

    - `pixels`: returns the width and the height of an image.
    """
    sizes = [max(1, int(random.lognormvariate(0, 0.5) * size)) for _ in range(objects)]
    shapes = [pixels() for _ in range(objects)]
    lines = [(-1, {"cachereplay_trace": 1, "title": title, "synthetic": True})]
    lines += [
        (
            -1,
            {
                "e": "object",
                "o": o,
                "key": f"https://pictures.test/{o}.jpg",
                "bytes": sizes[o],
                "type": "image/jpeg",
                "width": shapes[o][0],
                "height": shapes[o][1],
            },
        )
        for o in range(objects)
    ]
    lines += [(0, {"t": 0, "e": "list", "o": o, "position": o, "row": o // 3}) for o in range(objects)]
    visible_until = {}
    moment = 0
    for _ in range(requests):
        moment += int(random.expovariate(1 / interval)) + 1
        o = min(int(random.paretovariate(0.6)) - 1, objects - 1)
        if visible_until.get(o, -1) >= moment:
            continue
        fetch = {"status": 200, "bytes": sizes[o], "ttfb_us": random.randint(500, 9_000), "transfer_us": sizes[o] // 8}
        visible_until[o] = moment + 5 * interval
        lines.append((moment, {"t": moment, "e": "appear", "o": o, "variant": "full"}))
        lines.append((moment, {"t": moment, "e": "fetch", "o": o} | fetch))
        source = ("memory", "disk", "network")[o % 3]
        lines.append((moment + 1, {"t": moment + 1, "e": "served", "o": o, "from": source}))
        lines.append((visible_until[o], {"t": visible_until[o], "e": "disappear", "o": o}))
    lines.sort(key=lambda line: line[0])
    return "".join(json.dumps(line) + "\n" for _, line in lines)


def write_session(path, random, **options):
    """Writes a session to a file, and returns its path."""
    path.write_text(session(random, **options))
    return path


def requests(count, random, objects=1000):
    """Records of oracleGeneral without known next accesses."""
    record = struct.Struct("<IQIq")
    return b"".join(
        record.pack(number // 100, int(random.paretovariate(0.7)) % objects, 100 + number % 900, -1)
        for number in range(count)
    )


def png(width, height, shade):
    """A PNG of one shade of grey."""

    def chunk(kind, content):
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    row = b"\0" + bytes([shade]) * width
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(row * height))
        + chunk(b"IEND", b"")
    )


def pictures(folder, count=6):
    """Writes images into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        (folder / f"picture-{number}.png").write_bytes(png(200 + number, 150, 30 * number % 256))
    return folder

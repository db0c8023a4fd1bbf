"""What `mitmproxy_addon.py` knows of images: which requests are for them, their facts, and the folder of bodies."""

import fcntl
import hashlib
import json
import math
import re
import struct

ENDINGS = tuple(".jpg .jpeg .png .gif .webp .avif .heic .heif .svg .bmp .ico .jxl .tif .tiff .apng".split())
CACHING = ("cache-control", "etag", "expires", "last-modified", "age", "vary")
PROBE = 256 << 10  # bytes at the beginning of an image, in which nearly all have their size


def is_image(request, response, is_known):
    """Decides by the response or, if it does not tell, by the request and by what is known of its URL."""
    status, kind = (response.status_code, response.headers.get("content-type", "").lower()) if response else (0, "")
    if 300 <= status < 400 and status != 304:
        return False  # the app requests the target next
    path, accept = re.split("[?#]", request.url)[0].lower(), request.headers.get("accept", "").lower()
    is_likely = is_known or path.endswith(ENDINGS) or accept.startswith("image/")
    is_vague = not kind or kind.startswith("application/octet-stream") or not 200 <= status < 300
    return kind.startswith("image/") or is_vague and is_likely


def facts(response, visit):
    """What a whole response says of its image; nothing if it is an error, which is no image."""
    status, headers = response.status_code, response.headers
    if status >= 400:
        return {}
    total = {200: str(visit.bytes), 206: headers.get("content-range", "").rpartition("/")[2]}.get(status, "")
    known = {"bytes": int(total)} if total.isdecimal() else {}
    if "content-type" in headers:
        known["type"] = headers["content-type"]
    size = pixels(bytes(visit.body)) if status == 200 and "content-encoding" not in headers else None
    if size and all(0 < side <= 1 << 20 for side in size):
        known |= {"width": size[0], "height": size[1]}
    caching = {name: headers[name] for name in CACHING if name in headers}
    return known | ({"headers": caching} if caching and (200 <= status < 300 or status == 304) else {})


def pixels(data):
    """The width and height of an image, from its beginning; None if they are not there."""
    try:
        if data.startswith(b"\x89PNG"):
            return struct.unpack_from(">II", data, 16)
        if data.startswith(b"GIF8"):
            return struct.unpack_from("<HH", data, 6)
        if data[8:16] == b"WEBPVP8X":
            return [1 + int.from_bytes(data[place:place + 3], "little") for place in (24, 27)]
        if data[8:16] == b"WEBPVP8L":
            return [1 + (struct.unpack_from("<I", data, 21)[0] >> bits & 0x3FFF) for bits in (0, 14)]
        if data[8:16] == b"WEBPVP8 ":
            return [side & 0x3FFF for side in struct.unpack_from("<HH", data, 26)]
        if data[4:11] == b"ftypavi":
            boxes = [struct.unpack_from(">II", data, box.end() + 4) for box in re.finditer(b"ispe", data)]
            return max(boxes, key=math.prod)
        place = 2 if data.startswith(b"\xFF\xD8") else len(data)
        while (marker := struct.unpack_from(">H", data, place)[0]) > 0xFF00:
            if 0xFFC0 <= marker <= 0xFFCF and marker not in (0xFFC4, 0xFFC8, 0xFFCC):
                return struct.unpack_from(">HH", data, place + 5)[::-1]
            place += 1 if marker == 0xFFFF else 2 + struct.unpack_from(">H", data, place + 2)[0]
    except (struct.error, ValueError):
        pass
    return None


def as_lines(*values):
    texts = [json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n" for value in values]
    return "".join(texts).encode("utf-8", "replace")


class Bodies:
    """The folder that `cachereplay replay --bodies` reads: contents, named by their SHA-256, and an index."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.index = open(folder / "index.jsonl", "a+b", buffering=0)
        fcntl.flock(self.index, fcntl.LOCK_EX | fcntl.LOCK_NB)  # one recording at a time
        self.index.seek(0)
        whole, newline, _ = self.index.read().rpartition(b"\n")
        self.index.truncate(len(whole + newline))  # without the part of a line that a killed recording has left
        self.known = set((whole + newline).splitlines(keepends=True))

    def keep(self, key, body, headers):
        name = hashlib.sha256(body).hexdigest()
        path = self.folder / name[:2] / name[2:4] / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.with_suffix(".part").write_bytes(body)
            path.with_suffix(".part").rename(path)
        entry = {"key": key, "sha256": name, "bytes": len(body)}
        for field, header in (("type", "content-type"), ("encoding", "content-encoding")):
            entry |= {field: headers[header]} if header in headers else {}
        line = as_lines(entry)
        if line not in self.known:
            self.index.write(line)
            self.known.add(line)

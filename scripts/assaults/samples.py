"""Inputs that the campaigns damage or replay: sessions, traces of every format, settings, images, results."""

import gzip
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


COSTS = "disk_read: 50us\ndisk_read_rate: 2GB/s\njpeg_decode_rate: 300MP/s\n"

CONFIGURATION = """\
# Caches of every form.
traces: [session.jsonl]
repeat: 2
caches:
  plain: {memory: lru(20%)}
  ours:
    memory: "split(thumbnail: lru(100 objects), full: lru(20 objects))"
    disk: {policy: "ttl(lru(1MB), lifetime: 7d)", layout: md5-fanout}
    pipeline: {connections: 1, coalesce: true, store: memoryAndDisk}
  preset: {preset: kingfisher-8, ram: 4GB}
"""

HAR = json.dumps(
    {
        "log": {
            "creator": {"name": "T", "version": "1"},
            "pages": [{"id": "page_1", "title": "P", "startedDateTime": "2026-01-01T00:00:00Z"}],
            "entries": [
                {
                    "pageref": "page_1",
                    "startedDateTime": f"2026-01-01T00:00:0{n}.5Z",
                    "time": 12.5,
                    "request": {"method": "GET", "url": f"https://a/{n % 2}.png", "headers": []},
                    "response": {
                        "status": 200,
                        "headers": [{"name": "Content-Length", "value": "5"}],
                        "bodySize": 5,
                        "content": {"size": 5, "mimeType": "image/png", "text": "aGVsbG8=", "encoding": "base64"},
                    },
                    "cache": {},
                    "timings": {"blocked": -1, "dns": 1, "connect": 2, "ssl": 1, "send": 0, "wait": 3, "receive": 4},
                }
                for n in range(4)
            ],
        }
    }
).encode()


def lcs():
    """A libCacheSim trace that describes itself, of one record."""
    header = bytearray(1024)

    def put(offset, content):
        header[offset : offset + len(content)] = content

    put(0, struct.pack("<Q", 0x123456789ABCDEF0))
    put(8, b"<IQIq")
    put(248, bytes([2, 3, 1, 0, 4, 0, 0, 0, 0]))
    put(488, struct.pack("<4q", 1, 1, 100, 100))
    put(1000, struct.pack("<IIQQ", 4, 24, 1, 0x123456789ABCDEF0))
    return bytes(header) + struct.pack("<IQIq", 1, 7, 100, -1)


TWITTER = struct.pack("<IQII", 5, 9, 17 << 22 | 213, 1 << 24 | 60)

# A small file of each format. The campaign checks that the program reads each of them, and that none is missing.
FORMATS = {
    "har": HAR,
    "session-replay": b'[{"type":4,"timestamp":9,"data":{"width":9,"height":9}},{"type":2,"timestamp":9,"data":'
    b'{"wireframes":[{"id":1,"x":0,"y":0,"width":5,"height":5,"type":"image","base64":"aGVsbG8="}]}}]',
    "oracleGeneral": struct.pack("<IQIq", 1, 7, 100, 2) + struct.pack("<IQIq", 2, 7, 100, -1),
    "oracleGeneralOpNS": struct.pack("<IQIBHq", 1, 7, 100, 1, 7, -1),
    "vscsi": struct.pack("<IIIHHQQ", 1, 512, 1, 0x2A, 0x0100, 9, 5),
    "lcs": lcs(),
    "twr": TWITTER * 2,
    "twrNS": (TWITTER + struct.pack("<H", 1)) * 2,
    "twitter": b"0,q:1:8W,17,213,4,get,0\n1,k,1,0,4,gets,0\n2,k,1,9,4,set,60\n",
    "meta-kv": b"key,op,size,op_count,key_size\n9,GET,10,2,4\n8,SET,1,1,1\n8,GET_LEASE,0,1,1\n",
    "meta-block": b"# block_id io_offset io_size op_time op_name user\n4 131072 131073 10.5 1 u\n4 0 9 11 3 u\n",
    "lirs": b"5\r\n*\r\n\r\n7\r\n5\r\n",
    "arc": b"10 3 0 1\n11 1 0 2\n",
    "webcachesim": b"1 7 100\n2 8 50\n3 7 120\n",
    "address": b"s 0x1FFF 1\nl 0x10 2\n",
    "cache2k": struct.pack(">3I", 1, 0xFFFFFFFE, 1),
    "corda": struct.pack(">2Q", 1 << 63 | 1, 2),
    "w3c": b"#Version: 1.0\n#Fields: date time cs-method cs(Host) cs-uri-stem sc-status sc-bytes time-taken\n"
    b"2018-11-07\t00:12:08\tGET\td.e\t/a.png\t200\t376\t0.394\n",
    "elb": b'https 2020-01-01T00:00:01.5Z app/my/1 1.2.3.4:1 10.0.0.1:80 0.001 0.099 0.400 200 200 225 24950 "GET '
    b'https://e.x:443/a.png HTTP/1.1" "A" - -\n',
    "squid": b"1286536308.779    180 192.168.0.224 TCP_MISS/200 411 GET http://e.x/a.png - DIRECT/1.2.3.4 image/png\n",
    "wikimedia": b"s.w.org 17 2010-12-01T21:57:22.331 31 1.2.3.4 TCP_MEM_HIT/200 13208 "
    b"GET http://e.x/a.png NONE/- a/b - - M\n",
    "s3": b'79a5 pics [06/Feb/2019:00:00:38 +0000] 192.0.2.3 79a5 3E57 REST.GET.OBJECT a/1.png "GET /pics/a/1.png '
    b'HTTP/1.1" 206 - 100 2326 70 10 "-" "S3" - s9lz= SigV4\n',
    "haproxy": b"Feb  6 12:14:14 localhost haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in "
    b'static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "GET /a.png HTTP/1.1"\n',
    "common": b'::1 - - [10/Oct/2000:13:55:38 -0700] "GET /b.png HTTP/1.1" 200 12\n'
    b'cdn:443 10.0.0.1 - - [10/Oct/2000:13:55:39 -0700] "GET /a.png?x=1 HTTP/1.1" 200 5 "-" "Agent"\n',
    "json-log": b'{"time_iso8601":"2020-01-01T00:00:01+00:00","request":"GET /a.png HTTP/1.1","status":"200",'
    b'"body_bytes_sent":"10","request_time":"0.250","host":"e.x"}\n',
    "csv": b'time,key,size\n1,"a""b",3\n2.5,c,8\n',
    "text": b"cat.jpg\n dog.jpg \ncat.jpg\n",
}


def compressed(content):
    """The content as gzip."""
    return gzip.compress(content, mtime=0)

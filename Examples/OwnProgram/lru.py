#!/usr/bin/env python3
"""An LRU cache as a program: cachereplay replay … --timing modelled --cache "own: python3 lru.py 20000000".

It reads a line for each call, and answers with a line. The page "Caches of your own" describes the lines.
"""
import sys
from collections import OrderedDict

limit = int(sys.argv[1])
images = OrderedDict()  # Key to image and cost, the least recently used first.
held = 0

for line in sys.stdin:
    call, *fields = line.rstrip("\n").split("\t")
    if call == "get":
        key = fields[0]
        if key in images:
            images.move_to_end(key)
            answer = f"hit\t{images[key][0]}"
        else:
            answer = "miss"
    else:
        if call == "put":
            key, image, cost = fields[0], fields[1], int(fields[2])
            held -= images.pop(key, ("", 0))[1]
            if cost <= limit:
                images[key] = (image, cost)
                held += cost
            while held > limit:
                held -= images.popitem(last=False)[1][1]
        elif call == "remove":
            held -= images.pop(fields[0], ("", 0))[1]
        elif call in ("warning", "relaunch"):
            images.clear()
            held = 0
        answer = f"ok\t{held}"
    print(answer, flush=True)

"""Records a simulated visitor of `cachereplay record gallery` in Chromium."""

import re
import signal
import subprocess
import sys
import time

from finger import phone
from playwright.sync_api import sync_playwright



def record(command, folder, output, title, network, visits, seed, view="feed", closed=20):
    """Records visits in Chromium, and writes `output`.

    A visit is a function of a page, its DevTools session, and a text as seed. Each begins at `view`. The page is closed
    for `closed` seconds between them. `network` are options of the gallery.
    """
    gallery = subprocess.Popen(
        [command, "record", "gallery", folder, "--output", output, "--title", title, "--scripted",
         "--seed", str(seed), *network],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        address = address_printed(gallery)
        with sync_playwright() as playwright:
            browser, context = phone(playwright)
            for number, visit in enumerate(visits):
                if number > 0:
                    time.sleep(closed)
                page = context.new_page()
                page.goto(f"{address}#{view}")
                page.wait_for_selector("body[data-ready]")
                visit(page, context.new_cdp_session(page), f"{seed} {output.stem} {number}")
                page.goto("about:blank")  # leaves the page as a person does: what it has still to tell goes out behind it
                page.close()
            browser.close()
    finally:
        gallery.send_signal(signal.SIGINT)
        rest = gallery.communicate()[0]
    print(rest, end="", flush=True)
    if gallery.returncode not in (0, 130):
        sys.exit(f"cachereplay record gallery ended with status {gallery.returncode}")


def address_printed(gallery):
    for line in gallery.stdout:
        if found := re.search(r"https?://\S+", line):
            return found.group()
    sys.exit("cachereplay record gallery ended before it printed its address")

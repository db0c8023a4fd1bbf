"""Drives Chromium by the DevTools protocol, without a library."""

import json
import os
import shutil
import subprocess
import threading
import time

CHROMIUM = ["chromium", "chromium-browser", "google-chrome"]


def chromium():
    """The path of the browser, or None."""
    return next((found for name in CHROMIUM if (found := shutil.which(name))), None)


class Failure(Exception):
    """The program or the browser did not do what is measured."""


class Chromium:
    """A headless browser with one page. Messages of the DevTools protocol are JSON, each ended by a zero."""

    def __init__(self, executable, profile, options=()):
        commands, self.to = os.pipe()
        self.back, replies = os.pipe()
        options = [
            *options, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={profile}", "--no-first-run",
            "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
        ] + (["--no-sandbox"] if os.geteuid() == 0 else [])
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$0" "$@" 3<&{commands} 4>&{replies}', executable, *options],
            pass_fds=(commands, replies), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(replies)
        self.number, self.rest, self.session, self.lock = 0, b"", None, threading.Lock()
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def post(self, method, **parameters):
        """Sends a message without waiting for its answer. Returns its number. Any thread may post."""
        message = {"method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        with self.lock:
            self.number += 1
            data = json.dumps({"id": self.number, **message}).encode() + b"\0"
            while data:
                data = data[os.write(self.to, data) :]
            return self.number

    def send(self, method, **parameters):
        """Sends a message, and returns its answer. Events that arrive meanwhile go to `event`."""
        number = self.post(method, **parameters)
        while True:
            while b"\0" not in self.rest:
                piece = os.read(self.back, 1 << 20)
                if not piece:
                    raise Failure("Chromium has ended")
                self.rest += piece
            text, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") != number:
                if "method" in answer:
                    self.event(answer["method"], answer["params"])
                continue
            if "error" in answer:
                raise Failure(f"{method}: {answer['error'].get('message')}")
            return answer["result"]

    def event(self, method, parameters):
        """An event of the browser. It may `post`, and must not `send`."""

    def evaluate(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Failure(f"{expression[:120]}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.evaluate(f"(() => {{ try {{ return !!({expression}); }} catch {{ return false; }} }})()"):
                    return
            except Failure as failure:
                # A page that is replaced meanwhile loses the expression.
                if self.process.poll() is not None:
                    raise failure
            time.sleep(0.005)
        raise Failure(f"{expression}: not within {seconds} s")

    def close(self):
        self.process.terminate()
        self.process.wait()

"""Policies as classes of Python, which the command drives through its protocol for programs (OwnCaches.md).

The objects stay in the process of the caller: the command starts a relay, which hands over its standard input and
output. Each run of a replay has an object and a thread of its own.
"""

from __future__ import annotations

import os
import shlex
import socket
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from ._errors import BadDataError


class Policy(ABC):
    """A cache policy in Python, for study: it decides which objects stay. It holds no payload and reads no clock.

    A subclass has `lookup`, `admit`, `remove` and `clear`. Keys are texts; that of a thumbnail ends in "#thumbnail".
    Each run makes an object of its own, so a policy is given as a class or another callable that makes one.
    """

    #: The bytes that the policy holds; None if it does not count them. The peak of memory follows from it.
    held: int | None = None

    @abstractmethod
    def lookup(self, key: str) -> bool:
        """Records an access, and returns whether the object is held."""

    @abstractmethod
    def admit(self, key: str, size: int) -> None:
        """Offers an object that was fetched. It may stay, and others may leave for it."""

    @abstractmethod
    def remove(self, key: str) -> None:
        """Removes an object, which need not be held."""

    @abstractmethod
    def clear(self) -> None:
        """Removes all objects. The app starts again, or the system has little memory."""

    def memory_warning(self) -> None:
        """The system has little memory. By default, nothing stays."""
        self.clear()

    def background(self) -> None:
        """The app enters the background. By default, all stays."""


#: What makes a policy for a run: a class without arguments, or a function.
MakesPolicy = Callable[[], Policy]


class Host:
    """Answers the command for policies, from threads of this process."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._threads: list[threading.Thread] = []
        self._listeners: list[socket.socket] = []
        self._lock = threading.Lock()
        #: What the first policy raised that failed.
        self.failure: BaseException | None = None

    def add(self, make: MakesPolicy) -> str:
        """Returns the path of a program that stands for a policy."""
        number = len(self._listeners)
        path = os.path.join(self._folder, f"policy-{number}")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path + ".socket")
        listener.listen(64)
        self._listeners.append(listener)
        relay = str(Path(__file__).with_name("_relay.py"))
        words = [sys.executable, "-I", "-S", relay, path + ".socket"]
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexec " + " ".join(shlex.quote(word) for word in words) + "\n")
        os.chmod(path, 0o700)
        self._start(self._accept, listener, make)
        return path

    def close(self) -> None:
        """Ends the threads. The command has ended before."""
        for listener in self._listeners:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        for thread in self._threads:
            thread.join(10)

    def _start(self, target: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        with self._lock:
            self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket, make: MakesPolicy) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return  # Closed.
            self._start(self._serve, connection, make)

    def _serve(self, connection: socket.socket, make: MakesPolicy) -> None:
        with connection:
            _, descriptors, _, _ = socket.recv_fds(connection, 1, 2)
            if len(descriptors) != 2:
                return
            with (
                open(descriptors[0], encoding="utf-8", errors="surrogateescape", newline="\n") as questions,
                open(descriptors[1], "w", encoding="utf-8", errors="surrogateescape", newline="\n") as answers,
            ):
                try:
                    serve(make(), questions, answers)
                except (BrokenPipeError, ConnectionError):
                    pass  # The command has ended.
                except BaseException as failure:
                    with self._lock:
                        self.failure = self.failure or failure


def serve(policy: Policy, questions: TextIO, answers: TextIO) -> None:
    """Answers the lines of the protocol until they end.

    Raises:
        BadDataError: If the policy holds an object that it was never offered.
    """
    if not isinstance(policy, Policy):
        raise BadDataError(f"A cache is a {type(policy).__name__}; expected an object of a subclass of Policy.", 65)
    images: dict[str, str] = {}
    for line in questions:
        call, *fields = line.rstrip("\n").split("\t")
        key = _unescaped(fields[0]) if fields else ""
        if call == "get":
            if policy.lookup(key):
                if key not in images:
                    raise BadDataError(f"The policy says that it holds {key!r}, which it was not offered.", 65)
                answers.write(f"hit\t{images[key]}\n")
            else:
                answers.write("miss\n")
            answers.flush()
            continue
        if call == "put":
            images[key] = fields[1]
            policy.admit(key, int(fields[2]))
        elif call == "remove":
            images.pop(key, None)
            policy.remove(key)
        elif call == "warning":
            policy.memory_warning()
        elif call == "background":
            policy.background()
        elif call == "relaunch":
            images.clear()
            policy.clear()
        held = policy.held
        answers.write("ok\n" if held is None else f"ok\t{held}\n")
        answers.flush()


_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    parts = text.split("\\")
    result, place = parts[0], 1
    while place < len(parts):
        part = parts[place]
        if part:
            result += _ESCAPES.get(part[0], part[0]) + part[1:]
            place += 1
        else:  # Two backslashes.
            result += "\\" + (parts[place + 1] if place + 1 < len(parts) else "")
            place += 2
    return result

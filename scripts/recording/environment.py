"""Shared parts of the recording scripts: the environment with Playwright, the built command, and error handling."""

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
VENV = PROJECT / ".venv-recording"
REQUIREMENTS = ["playwright==1.65.2", "pillow==13.0.0"]
PACKAGES = ["chromium", "chromium-sandbox", "libatomic1", "python3-venv",  # libatomic1: for Playwright's own Node
            "plasma-workspace-wallpapers", "lomiri-wallpapers-16.04", "tuxpaint-stamps-default"]
UNAVAILABLE = 69  # the exit status where something needed is missing


def enter_environment(*packages):
    """Installs missing packages, and restarts the script in the virtual environment with Playwright."""
    if Path(sys.prefix) == VENV:
        return
    run(PROJECT / "scripts" / "install", *PACKAGES, *packages)
    python = VENV / "bin" / "python"
    stamp = VENV / "requirements.txt"
    wanted = "\n".join(REQUIREMENTS)
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"Installing {', '.join(REQUIREMENTS)} into {VENV.name}", flush=True)
        # Debian's Python, so that the environment does not depend on which other Pythons are on PATH.
        run("/usr/bin/python3", "-m", "venv", "--clear", VENV)
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *REQUIREMENTS,
            remedy="pip could not install them; its reason stands above. Is pypi.org within reach?")
        stamp.write_text(wanted)
    os.execv(python, [str(python), sys.argv[0], *sys.argv[1:]])


def built_command():
    """Returns the built `cachereplay`, preferably the release build; None if there is none."""
    built = (PROJECT / ".build" / configuration / "cachereplay" for configuration in ("release", "debug"))
    return next((path for path in built if path.exists()), None)


def run(*command, remedy=None):
    """Runs a command that reports its own errors. Exits with its status if it fails, and prints the remedy."""
    status = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL).returncode
    if status != 0 and remedy:
        print(f"{Path(sys.argv[0]).name}: {remedy}", file=sys.stderr)
        sys.exit(UNAVAILABLE)
    if status != 0:
        sys.exit(status)

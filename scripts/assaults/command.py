"""The command line of `scripts/assault`: builds the binary, divides the time, and prints the table."""

import argparse
import ctypes
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

from . import faults, harness, kills, names, processes, servers

CAMPAIGNS = {"kills": kills.campaign, "faults": faults.campaign, "servers": servers.campaign, "names": names.campaign}
# Campaigns that run one after the other, in two lanes side by side, and their shares of the time. Many cases wait.
LANES = [{"kills": 60, "names": 40}, {"faults": 60, "servers": 40}]
FREE_SPACE = 4 << 30  # bytes on the scratch disk, below which nothing starts


def main():
    options = parse()
    if not 0 <= options.seed or options.minutes <= 0:
        raise SystemExit("assault: --seed is at least 0, and --minutes above 0.")
    chosen = list(CAMPAIGNS) if "all" in options.campaigns else list(dict.fromkeys(options.campaigns))
    if options.case is not None and len(chosen) != 1:
        raise SystemExit("assault: --case needs a single campaign.")
    binary = options.binary.resolve() if options.binary else built_binary()
    # Ends by signals take the way of errors, so that processes and files are removed.
    # A shell without job control starts background commands with SIGINT ignored, and programs would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    # A thousand clients need as many descriptors. The program keeps the limit that it would have without this script.
    processes.DESCRIPTORS, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    scratch = Path(tempfile.mkdtemp(prefix="assault-", dir=options.scratch))
    scratch.chmod(0o755)
    try:
        sys.exit(run(options, chosen, binary, scratch))
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        processes.end_all()
        if options.keep and any(scratch.iterdir()):
            print(f"Kept: {scratch}")
        else:
            harness.remove(scratch)


def parse():
    parser = argparse.ArgumentParser(
        prog="assault",
        description="Attacks the release binary, prints a table of cases, and exits with 1 on a defect.",
        epilog="Cases that need root (mounts, other users) or a tool are skipped, which the table shows.",
    )
    parser.add_argument(
        "campaigns",
        nargs="*",
        default="all",
        choices=[*CAMPAIGNS, "all"],
        metavar="CAMPAIGN",
        help=f"{', '.join(CAMPAIGNS)} or all (default)",
    )
    parser.add_argument("--minutes", type=float, default=10, help="the time of the whole assault (default: 10)")
    parser.add_argument("--seed", type=int, default=1, help="every random choice follows from it (default: 1)")
    parser.add_argument("--case", type=int, help="repeat only this case of a campaign")
    parser.add_argument("--binary", type=Path, help="the binary; by default the release build of this repository")
    parser.add_argument("--scratch", type=Path, help="the folder for temporary files (default: the system's)")
    parser.add_argument("--keep", action="store_true", help="keep the folders of cases with defects")
    return parser.parse_args()


def run(options, chosen, binary, scratch):
    """Runs the chosen campaigns, prints the table, and returns the exit code."""
    if shutil.disk_usage(scratch).free < FREE_SPACE:
        raise SystemExit(f"assault: {scratch} has less than {FREE_SPACE >> 30} GiB free; choose another --scratch.")
    started = time.monotonic()
    # A copy stays the same if the project is built meanwhile, and users without rights can run it.
    copy = scratch / "cachereplay"
    shutil.copy2(binary, copy)
    copy.chmod(0o755)
    assault = harness.Assault(copy, scratch, options.seed, options.minutes * 60, options.keep, enter_mount_namespace())
    assault.again = "scripts/assault" + (f" --binary {shlex.quote(str(options.binary))}" if options.binary else "")
    assault.again += f" --minutes {options.minutes:g}"
    if options.case is None:
        lanes = [[(name, weight) for name, weight in lane.items() if name in chosen] for lane in LANES]
        lanes = [
            Lane(assault, lane, options.minutes * 60, scratch / f"lane-{n}") for n, lane in enumerate(lanes) if lane
        ]
        try:
            is_whole = all([lane.wait() for lane in lanes])
        finally:
            for lane in lanes:
                lane.end()
    else:
        campaign = CAMPAIGNS[chosen[0]]
        campaign.scenarios = [campaign.attempt(assault, options.case)]
        is_whole = True
    done = [CAMPAIGNS[name] for name in chosen]
    seconds = time.monotonic() - started
    defects = sum(len(scenario.defects) for campaign in done for scenario in campaign.scenarios)
    cases = sum(scenario.count for campaign in done for scenario in campaign.scenarios)
    print(f"\n{harness.table(done)}\n")
    print(
        f"{cases:,} cases with {processes.Process.count:,} processes in {seconds:.0f} s, seed {options.seed}: "
        f"{'no defects' if defects == 0 else f'{defects} defects'}"
    )
    return 1 if defects or not is_whole else 0


class Lane:
    """A process that runs campaigns one after the other. Time that a campaign leaves over is for the next ones."""

    def __init__(self, assault, campaigns, seconds, path):
        self.names, self.path, self.status = [name for name, _ in campaigns], path, None
        sys.stdout.flush()
        self.id = os.fork()
        if self.id:
            return
        code = 1
        try:
            self.run(assault, campaigns, seconds)
            code = 0
        except (KeyboardInterrupt, SystemExit):
            pass
        except BaseException:
            traceback.print_exc()
        finally:
            processes.end_all()
            sys.stdout.flush()
            os._exit(code)

    def run(self, assault, campaigns, seconds):
        """Runs the campaigns, and writes their outcomes to a file."""
        started = time.monotonic()
        weights = sum(weight for _, weight in campaigns)
        for name, weight in campaigns:
            assault.seconds = max(0, (seconds - (time.monotonic() - started)) * weight / weights)
            weights -= weight
            print(f"{name}: {assault.seconds:.0f} seconds", flush=True)
            CAMPAIGNS[name].run(assault, assault.seconds)
        outcomes = {name: [(s.count, s.skipped, s.defects) for s in CAMPAIGNS[name].scenarios] for name in self.names}
        self.path.write_text(json.dumps([processes.Process.count, outcomes]))

    def wait(self):
        """Waits for the process, and takes over its outcomes. Returns false if it failed."""
        _, self.status = os.waitpid(self.id, 0)
        if self.status != 0:
            return False
        count, outcomes = json.loads(self.path.read_text())
        processes.Process.count += count
        for name, rows in outcomes.items():
            for scenario, row in zip(CAMPAIGNS[name].scenarios, rows, strict=True):
                scenario.count, scenario.skipped, scenario.defects = row
        return True

    def end(self):
        """Ends the process, which ends everything that it started."""
        if self.status is None:
            os.kill(self.id, signal.SIGTERM)
            _, self.status = os.waitpid(self.id, 0)


def built_binary():
    """Returns the release binary, which is built if it is missing or older than the sources."""
    binary = harness.PROJECT / ".build/release/cachereplay"
    sources = [path for path in (harness.PROJECT / "Sources").rglob("*") if path.suffix in (".swift", ".c", ".h")]
    newest = max(path.stat().st_mtime for path in [*sources, harness.PROJECT / "Package.swift"])
    if not binary.exists() or binary.stat().st_mtime < newest:
        command = ["swift", "build", "-c", "release", "--product", "cachereplay"]
        print(f"Building: {' '.join(command)}", flush=True)
        if subprocess.run(command, cwd=harness.PROJECT).returncode != 0:
            raise SystemExit("assault: the build failed.")
    return binary.resolve()


def enter_mount_namespace():
    """Gives this process mounts of its own, which end with it. Returns whether that is possible."""
    if os.geteuid() != 0 or not sys.platform.startswith("linux"):
        return False
    new_namespace = 0x00020000  # CLONE_NEWNS
    if ctypes.CDLL(None).unshare(new_namespace) != 0:
        return False
    made = subprocess.run(["mount", "--make-rprivate", "/"], stdin=subprocess.DEVNULL, capture_output=True)
    return made.returncode == 0

"""Faults of the system around the program: disks, permissions, limits, memory, clocks, signals, streams, children."""

import os
import resource
import shutil
import signal
import subprocess
import time

from . import clients, processes, results, samples
from .harness import Campaign, Skipped, remove

campaign = Campaign("faults")

NOBODY = 65534
CACHES = ["--cache", samples.MEMORY_AND_DISK, "--cache", "memory: lru(10%); disk: lru(1MB); layout: sqlite"]
MODELLED = ["--timing", "modelled", "--no-charts", "-q"]
MEASURED = ["--no-charts", "-q", "--jobs", "2"]


def inputs(folder, random):
    """Makes the traces that the commands read."""
    samples.write_session(folder / "feed.jsonl", random, requests=400, title="Feed")
    (folder / "requests.oracleGeneral").write_bytes(samples.requests(20_000, random))
    samples.pictures(folder / "pictures", 4)


def feed(case, name="feed.jsonl"):
    """The path of a shared trace."""
    return case.shared("fault-inputs", inputs)[0] / name


def reference(case):
    """The results of modelled and measured replays without faults, and the seconds of the latter."""

    def make(folder, _):
        trace = feed(case)
        case.succeed("replay", trace, *CACHES, *MODELLED, "--output", folder / "modelled")
        started = time.monotonic()
        case.succeed("replay", trace, *CACHES, *MEASURED, "--output", folder / "measured")
        (folder / "seconds").write_text(str(time.monotonic() - started))

    folder, _ = case.shared("fault-reference", make)
    return folder, float((folder / "seconds").read_text())


def writers(case, output):
    """The commands that write, with their outputs: files or folders of the given names in `output`."""
    trace = feed(case)
    return [
        (["replay", trace, *CACHES, *MODELLED, "--output", output / "out"], "out"),
        (["replay", trace, *CACHES, *MEASURED, "--output", output / "out"], "out"),
        (["replay", trace, "--cache", "lru(5%)", "--timing", "modelled", "-q", "--output", output / "out"], "out"),
        (["simulate", trace, "--policy", "lru,fifo", "--capacity", "5%,20%", "--output", output / "out"], "out"),
        (["trace", "convert", feed(case, "requests.oracleGeneral"), output / "out.csv"], "out.csv"),
        (["trace", "compile", feed(case, "requests.oracleGeneral"), output / "out.crtrace"], "out.crtrace"),
        (
            ["trace", "synthesize", "--requests", "30000", "--output", output / "out.oracleGeneral.bin"],
            "out.oracleGeneral.bin",
        ),
    ]


def mount(case, folder, size):
    """Mounts a small file system on a new folder."""
    if not case.assault.can_mount:
        raise Skipped("mounts need root")
    folder.mkdir(exist_ok=True)
    arguments = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=1777", "assault", str(folder)]
    if subprocess.run(arguments, capture_output=True).returncode != 0:
        raise Skipped("tmpfs cannot be mounted")


def remount(folder, options):
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True, capture_output=True)


def unmount(folder):
    subprocess.run(["umount", "-l", str(folder)], capture_output=True)


# Disks and permissions


@campaign.scenario("full disk for the output", seconds=4)
def full_output(case):
    """A command on a full disk says so. With more room, it succeeds, and leaves nothing else behind."""
    small = case.folder / "small"
    mount(case, small, f"{case.random.choice([4, 16, 64, 200, 500])}k")
    try:
        arguments, name = case.random.choice(writers(case, small))
        ended = case.run(*arguments, expect={0, 73, 74})
        says_space = any(word in ended.said.lower() for word in ("space", "full", "disk"))
        case.check(
            ended.code == 0 or says_space, f"does not say that the disk is full: {ended.command}\n{ended.said[:500]}"
        )
        remount(small, "size=64m")
        again = ["--resume"] if arguments[0] in ("replay", "simulate") and (small / name).exists() else []
        case.succeed(*arguments, *again)
        if (small / name).is_dir():
            results.whole(small / name)
        case.no_leftovers(small)
    finally:
        unmount(small)


@campaign.scenario("full disk for temporary files", seconds=3)
def full_scratch(case):
    small = case.folder / "small"
    mount(case, small, f"{case.random.choice([4, 16, 64, 256])}k")
    try:
        arguments, _ = case.random.choice(writers(case, case.work))
        ended = case.run(*arguments, environment={"TMPDIR": str(small)}, expect={0, 73, 74})
        is_named = str(small) in ended.said
        case.check(ended.code == 0 or is_named, f"does not name the full folder {small}: {ended.said[:500]}")
        case.check(not any(small.iterdir()), f"leftovers: {list(small.iterdir())[:5]}")
    finally:
        unmount(small)


@campaign.scenario("read-only disk", seconds=2)
def read_only(case):
    small = case.folder / "small"
    mount(case, small, "8m")
    try:
        for part in ("out", "tmp"):
            (small / part).mkdir()
        remount(small, "ro")
        arguments, _ = case.random.choice(writers(case, small))
        ended = case.run(*arguments, expect={73, 74})
        case.check(str(small) in ended.said, f"does not name the folder: {ended.said[:500]}")
        arguments, _ = writers(case, case.work)[case.random.choice([0, 1])]
        case.run(*arguments, expect={0, 73, 74}, environment={"TMPDIR": str(small / "tmp")})
    finally:
        unmount(small)


@campaign.scenario("no permission", seconds=2)
def no_permission(case):
    """As another user: outputs in foreign folders, and traces that may not be read."""
    if not case.assault.is_root:
        raise Skipped("another user needs root")
    allowed, foreign = case.work / "allowed", case.work / "foreign"
    for folder in (allowed, foreign):
        folder.mkdir()
    os.chown(allowed, NOBODY, NOBODY)
    os.chown(case.tmp, NOBODY, NOBODY)
    foreign.chmod(case.random.choice([0o755, 0o700, 0o555]))
    secret = allowed / "secret.jsonl"
    shutil.copy(feed(case), secret)
    os.chown(secret, 0, 0)
    secret.chmod(0o600)
    arguments, _ = case.random.choice(writers(case, foreign))
    ended = case.run(*arguments, user=NOBODY, expect={73, 74})
    case.check("foreign" in ended.said, f"does not name the folder: {ended.said[:500]}")
    command = case.random.choice(
        [["trace", "info"], ["validate", "--syntax"], ["simulate", "--policy", "lru", "--capacity", "5%"], ["origin"]]
    )
    ended = case.run(*command, secret, user=NOBODY, folder=allowed, expect={65, 66, 74})
    case.check("secret.jsonl" in ended.said, f"does not name the file: {ended.said[:500]}")
    locked = case.work / "locked"
    shutil.copytree(reference(case)[0] / "modelled", locked)
    locked.chmod(0o700)
    for command in (["chart", locked], ["compare", locked, locked], ["record", "gallery", locked]):
        ended = case.run(*command, user=NOBODY, folder=allowed)
        case.check(ended.code in (65, 66, 73, 74), f"exit code {ended.code}: {ended.command}\n{ended.said[:500]}")
        says = ("ermission" in ended.said or "may read" in ended.said) and "locked" in ended.said
        case.check(says, f"does not say that permission is missing: {ended.command}\n{ended.said[:500]}")


@campaign.scenario("folders that vanish", seconds=3)
def deleted_folders(case):
    """The output folder or the temporary files are deleted while a replay runs."""
    _, seconds = reference(case)
    output = case.work / "out"
    process = case.start("replay", feed(case), *CACHES, *MEASURED, "--repeat", "3", "--output", output)
    time.sleep(case.random.random() * seconds * 2)
    remove(case.random.choice([output, case.tmp, output / "runs"]))
    case.judge(process.wait(60), {0, 66, 73, 74})
    case.no_survivors(process)


@campaign.scenario("bit flips in cached files", seconds=4)
def bit_flips(case):
    """Damaged files of a disk tier are counted, and never delivered."""
    _, seconds = reference(case)
    output = case.work / "out"
    process = case.start("replay", feed(case), *CACHES, *MEASURED, "--repeat", "4", "--output", output)
    limit = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < limit:
        flip_bits(case.random, output, "/disk")
        time.sleep(0.002)
    case.judge(process.wait(1), {0, 74})
    if process.ended.code == 0:
        results.outcomes_add_up(output / "summary.csv")
        results.whole(output)


@campaign.scenario("bit flips in temporary files", seconds=4)
def temporary_bit_flips(case):
    """Damage in compiled traces and results of runs is an error, or harmless; it crashes no command.

    A flipped bit can change the path or the specification in the task of a run, so any documented exit code is right.
    """
    _, seconds = reference(case)
    output = case.work / "out"
    process = case.start("replay", feed(case), *CACHES, *MEASURED, "--repeat", "3", "--output", output)
    end = time.monotonic() + seconds * 3 * case.random.random()
    while process.poll() is None and time.monotonic() < end:
        flip_bits(case.random, case.random.choice([case.tmp, output]), "")
        time.sleep(case.random.choice([0.005, 0.1]))
    case.judge(process.wait(60))
    case.no_survivors(process)


def flip_bits(random, top, part):
    """Flips a bit in some of the files below a folder whose paths have a part."""
    for folder, _, names in os.walk(top):
        for name in names:
            if part not in folder or random.random() > 0.1:
                continue
            try:
                with open(f"{folder}/{name}", "r+b") as file:
                    offset = random.randrange(os.fstat(file.fileno()).st_size)
                    file.seek(offset)
                    byte = file.read(1)
                    file.seek(offset)
                    file.write(bytes([byte[0] ^ 1 << random.randrange(8)]))
            except (OSError, IndexError, ValueError):
                pass  # The file has been evicted meanwhile, or is empty.


# Limits


@campaign.scenario("few file descriptors", seconds=3)
def descriptors(case):
    limit = case.random.randint(6, 64)
    commands = writers(case, case.work)
    arguments, _ = case.random.choice([commands[0], commands[1], commands[1], commands[2], commands[3], commands[5]])
    jobs = ["--jobs", "4"] if arguments[0] == "replay" and "2" not in arguments else []
    ended = case.run(*arguments, *jobs, limits={resource.RLIMIT_NOFILE: limit}, seconds=90)
    says = any(word in ended.said.lower() for word in ("open files", "descriptor", "ulimit"))
    case.check(ended.code == 0 or says, f"at {limit}: does not mention open files: {ended.command}\n{ended.said[:500]}")
    case.no_leftovers(case.work)


@campaign.scenario("few file descriptors of servers", seconds=3)
def server_descriptors(case):
    """A server without free descriptors refuses connections, and serves again when they are free."""
    server = clients.origin(case, feed(case), limits={resource.RLIMIT_NOFILE: case.random.randint(24, 64)})
    connections = clients.connect(case, server.port, 150)
    time.sleep(0.3)
    server.check_alive()
    for connection in connections:
        connection.close()
    time.sleep(0.3)
    status, _ = server.get("/run/0")
    case.check(status == 200, f"status {status} after the connections were closed")
    server.check_alive()


@campaign.scenario("limit of the size of files", seconds=3)
def file_size(case):
    limit = case.random.choice([2_000, 4_096, 20_000, 100_000, 400_000])  # Messages go to files too.
    arguments, name = case.random.choice(writers(case, case.work))
    case.run(*arguments, limits={resource.RLIMIT_FSIZE: limit}, expect={0, 73, 74})
    case.no_leftovers(case.work)
    again = ["--resume"] if arguments[0] in ("replay", "simulate") and (case.work / name).exists() else []
    case.succeed(*arguments, *again)


@campaign.scenario("low memory", seconds=4)
def low_memory(case):
    """Without memory a process may end by a signal, but leaves neither torn files nor processes, and does not hang."""
    limit = int(case.random.choice([150, 250, 400, 800, 1_500]) * case.random.uniform(0.8, 1.2)) << 20
    arguments, name = case.random.choice(writers(case, case.work))
    process = case.start(*arguments, limits={resource.RLIMIT_AS: limit})
    ended = process.wait(45)
    case.check(not ended.timed_out, f"hung with {limit >> 20} MiB: {ended.command}")
    case.no_survivors(process)
    made = case.work / name
    if made.is_dir():
        results.whole(made)
    again = ["--resume"] if arguments[0] in ("replay", "simulate") and made.exists() else []
    case.succeed(*arguments, *again)
    case.no_leftovers(case.work)


# Clocks

JUMPING_CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

/* The wall clock jumps by up to two hours, forward or back, every few calls. The monotonic clock does not. */
static long jump(void) {
    static __thread unsigned calls, state = 12345;
    static __thread long offset;
    if (calls++ % 5 == 0) { state = state * 1103515245u + 12345u; offset = (long)(state >> 8) % 14400 - 7200; }
    return offset;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int code = real(clock, time);
    if (clock == CLOCK_REALTIME) time->tv_sec += jump();
    return code;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
"""


@campaign.scenario("wall clock that jumps", seconds=3)
def clock_jumps(case):
    """Jumps of the wall clock change no figure, and no run waits for them."""
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        raise Skipped("there is no C compiler")

    def make(folder, _):
        (folder / "clock.c").write_text(JUMPING_CLOCK)
        arguments = [compiler, "-shared", "-fPIC", "-O1", "-o", "clock.so", "clock.c", "-ldl"]
        if subprocess.run(arguments, cwd=folder, capture_output=True).returncode != 0:
            raise Skipped("the clock cannot be compiled")

    library, _ = case.shared("clock", make)
    expected, _ = reference(case)
    environment = {"LD_PRELOAD": str(library / "clock.so")}
    output = case.work / "out"
    kind, options = case.random.choice([("modelled", MODELLED), ("measured", MEASURED)])
    case.succeed("replay", feed(case), *CACHES, *options, "--output", output, environment=environment)
    results.same(expected / kind, output, None if kind == "modelled" else results.IDENTITY)
    results.outcomes_add_up(output / "summary.csv")


@campaign.scenario("machine that has run for years", seconds=3)
def clock_offset(case):
    """The monotonic clock begins at a large value."""
    prefix = ["unshare", "--time", "--monotonic", "300000000", "--boottime", "300000000", "--"]
    if (
        not case.assault.is_root
        or not shutil.which("unshare")
        or subprocess.run([*prefix, "true"], capture_output=True).returncode != 0
    ):
        raise Skipped("clocks of its own need root and unshare")
    expected, _ = reference(case)
    output = case.work / "out"
    case.succeed("replay", feed(case), *CACHES, *MODELLED, "--output", output, prefix=prefix)
    results.same(expected / "modelled", output)
    case.succeed("replay", feed(case), *CACHES, *MEASURED, "--output", case.work / "measured", prefix=prefix)
    results.outcomes_add_up(case.work / "measured" / "summary.csv")


# Children and signals


def wait_for_child(case, process, word, seconds=10):
    """Returns the id of a child whose command line has a word."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit and process.poll() is None:
        found = [id for id in process.relatives() if word in processes.arguments_of(id)]
        if found:
            return case.random.choice(found)
        time.sleep(0.002)
    raise Skipped(f"there was no child '{word.decode()}'")


@campaign.scenario("killed children and origins", seconds=4)
def killed_children(case):
    """A replay whose child or origin is killed says so, and can be resumed."""
    expected, _ = reference(case)
    output = case.work / "out"
    arguments = ["replay", feed(case), *CACHES, *MEASURED, "--output", output]
    process = case.start(*arguments)
    victim = wait_for_child(case, process, case.random.choice([b"replay-run", b"origin"]))
    time.sleep(case.random.random() * 0.1)
    number = case.random.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
    try:
        os.kill(victim, number)
    except ProcessLookupError:
        pass
    case.judge(process.wait(90), {0, 74, 129, 130, 143})
    case.no_survivors(process)
    case.succeed(*arguments, *(["--resume"] if output.exists() else []))
    results.same(expected / "measured", output, results.IDENTITY)
    case.no_leftovers(case.work)


@campaign.scenario("stopped children and origins", seconds=5)
def stopped_children(case):
    """A replay survives that a child or an origin stands still for a second."""
    expected, _ = reference(case)
    output = case.work / "out"
    process = case.start("replay", feed(case), *CACHES, *MEASURED, "--output", output)
    victim = wait_for_child(case, process, case.random.choice([b"replay-run", b"origin"]))
    time.sleep(case.random.random() * 0.1)
    try:
        os.kill(victim, signal.SIGSTOP)
        time.sleep(1)
        os.kill(victim, signal.SIGCONT)
    except ProcessLookupError:
        pass
    case.judge(process.wait(90), {0})
    results.same(expected / "measured", output, results.IDENTITY)


@campaign.scenario("interrupt while a child stands still", seconds=6)
def interrupt_with_stopped(case):
    """The replay ends nevertheless, and the child when it is continued."""
    output = case.work / "out"
    process = case.start("replay", feed(case), *CACHES, *MEASURED, "--output", output)
    victim = wait_for_child(case, process, case.random.choice([b"replay-run", b"origin"]))
    try:
        os.kill(victim, signal.SIGSTOP)
    except ProcessLookupError:
        pass
    time.sleep(0.2)
    process.send(signal.SIGINT)
    case.judge(process.wait(20), {0, 130})
    if victim in process.relatives():
        os.kill(victim, signal.SIGCONT)
    case.no_survivors(process)


@campaign.scenario("SIGINT, SIGTERM, SIGHUP", seconds=3)
def end_signals(case):
    """Each command ends soon, with the signal's code, from its first moment on."""
    number = case.random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    commands = writers(case, case.work) + [
        (["calibrate", "--output", case.work / "costs.yaml", feed(case)], "costs.yaml"),
        (
            [
                "replay",
                feed(case, "slow.jsonl"),
                "--cache",
                "lru(10%)",
                "--repeat",
                "1000",
                "--no-charts",
                "--output",
                case.work / "out",
            ],
            "out",
        ),
        (["validate", feed(case)], "out"),
    ]
    arguments, name = case.random.choice(commands)
    process = case.start(*arguments)
    time.sleep(case.random.choice([0, 0.002, 0.01, 0.03, 0.1, 0.3, 1]) * case.random.random())
    if case.random.random() < 0.3:
        time.sleep(0.2)
    # Until the loader has started the program, the signal itself ends the process.
    has_begun = process.catches(number)
    process.send(number)
    ended = process.wait(20)
    if has_begun or ended.code != -number:
        case.judge(ended, {0, 128 + number})
    case.no_survivors(process)
    if (case.work / name).is_dir():
        results.whole(case.work / name)
    case.no_leftovers(case.work)


@campaign.scenario("SIGINT, SIGTERM, SIGHUP to servers", seconds=3)
def server_signals(case):
    number = case.random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    kind = case.random.choice(["origin", "gallery", "play"])
    trace = case.work / "session.jsonl"
    if kind == "origin":
        server = clients.origin(case, feed(case))
    elif kind == "play":
        server = clients.play(case, feed(case))
    else:
        server = clients.gallery(case, feed(case).parent / "pictures", trace)
    clients.connect(case, server.port, case.random.choice([0, 5]))
    if kind == "origin":
        server.get("/run/1")
    server.process.send(number)
    ended = server.process.wait(20)
    case.judge(ended, {0, 128 + number})
    if trace.exists():
        case.run("validate", "--syntax", trace, expect={0, 65})


# Streams


def output_commands(case):
    """Commands that print much."""
    trace = feed(case)
    return [
        ["trace", "head", trace, "-n", "100000"],
        ["trace", "info", trace],
        ["list", "policies"],
        ["list", "caches"],
        ["list", "rules"],
        ["list", "formats", "--json"],
        ["simulate", trace, "--policy", "lru,fifo", "--capacity", "1%,2%,3%,5%"],
        ["replay", trace, *CACHES, *MODELLED, "--output", case.work / "out"],
        ["validate", "--syntax", trace],
        ["trace", "synthesize", "--model"],
        ["--help"],
        ["replay", "--help"],
        ["compare", reference(case)[0] / "modelled", reference(case)[0] / "modelled"],
    ]


@campaign.scenario("reader that closes the pipe", seconds=2)
def closed_pipe(case):
    """SIGPIPE ends no command: an early end of the reader is no error, or one with a documented code."""
    reader, writer = os.pipe()
    process = case.start(*case.random.choice(output_commands(case)), streams={"stdout": writer})
    os.close(writer)
    os.read(reader, case.random.choice([1, 100]))
    os.close(reader)
    case.judge(process.wait(60))


@campaign.scenario("full streams", seconds=2)
def full_streams(case):
    """Half a table is not taken for a whole one: a full standard output is an error. So is nothing else."""
    command = case.random.choice(output_commands(case))
    with open("/dev/full", "wb") as full:
        if case.random.random() < 0.7:
            ended = case.run(*command, streams={"stdout": full})
            case.check(ended.code == 74, f"exit code {ended.code} with a full standard output: {ended.command}")
        else:
            case.run(*command, streams={"stderr": full}, expect={0})


@campaign.scenario("closed streams", seconds=3)
def closed_streams(case):
    """With closed streams, no file of the output receives text of the command."""
    closed = [descriptor for descriptor in (0, 1, 2) if case.random.random() < 0.6] or [1]
    expected, _ = reference(case)
    kind, options = case.random.choice([("modelled", MODELLED), ("measured", MEASURED)])
    output = case.work / "out"
    case.succeed("replay", feed(case), *CACHES, *options, "--output", output, closed=closed)
    results.same(expected / kind, output, None if kind == "modelled" else results.IDENTITY)
    case.run(*case.random.choice(output_commands(case)[:7]), closed=closed, expect={0, 74})


@campaign.scenario("two commands, one output", seconds=4)
def one_output(case):
    """The second of two commands with one output folder is refused, and the first one's rows are kept."""
    expected, _ = reference(case)
    output = case.work / "out"
    arguments = ["replay", feed(case), *CACHES, "--no-charts", "-q", "--output", output]
    first = case.start(*arguments)
    limit = time.monotonic() + 10
    while not (output / "run.json").exists() and first.poll() is None and time.monotonic() < limit:
        time.sleep(0.002)
    second = case.start(*arguments, *case.random.choice([[], ["--resume"]]))
    case.judge(first.wait(60), {0})
    case.judge(second.wait(60), {0, 73})
    results.same(expected / "measured", output, results.IDENTITY)

"""Programs of ours, started and awaited by their output."""

import atexit
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time

# Only a very late line is a failure: the machine may be busy.
PATIENCE = 300
CHECKOUT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../.."))


def program(name):
    """The built program: SEALEDPUSH, SEALEDPUSHD, SEALEDPUSH_SIDECAR or SEALEDPUSH_BLOBS in the environment, or what
    `scripts/swift build` made."""
    variable = name.upper().replace("-", "_")
    path = os.environ.get(variable) or os.path.join(CHECKOUT, ".build/debug", name)
    if not os.access(path, os.X_OK):
        sys.exit(f"no program '{path}': run 'scripts/swift build --product {name}', or set {variable}")
    return path


def run(*words, **options):
    """Its output; its failure is ours."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, **options)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(words[:3])} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def shifted_clock(seconds):
    """Variables of a program whose wall clock is so many seconds ahead."""
    library = os.path.join(CHECKOUT, ".build/shift_clock.so")
    source = os.path.join(CHECKOUT, "Tests/Tools/InAnotherYear/shift_clock.c")
    if not os.path.exists(library) or os.path.getmtime(library) < os.path.getmtime(source):
        os.makedirs(os.path.dirname(library), exist_ok=True)
        run("clang", "-shared", "-fPIC", "-O1", "-o", library, source)
    return {"LD_PRELOAD": library, "SHIFT_CLOCK_SECONDS": str(int(seconds))}


def set_clock(seconds):
    """Programs started from now on have this wall clock, in seconds since 1970."""
    os.environ.update(shifted_clock(seconds - time.time()))


def await_true(found, what):
    """The first true answer of `found`, asked again and again; only a very late one is a failure."""
    until = time.monotonic() + PATIENCE
    while not (answer := found()):
        if time.monotonic() > until:
            sys.exit(f"{what} did not come in {PATIENCE} s")
        time.sleep(0.05)
    return answer


class Child:
    """A process whose lines of JSON are kept and can be awaited."""

    def __init__(self, name, words, **options):
        self.name = name
        self.lines = []
        self.errors = b""
        self.change = threading.Condition()
        self.process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
        )
        # A failed check leaves no process behind.
        atexit.register(self.process.kill)
        self.readers = [
            threading.Thread(target=self.read, daemon=True),
            threading.Thread(target=self.read_errors, daemon=True),
        ]
        for reader in self.readers:
            reader.start()

    def read(self):
        for line in self.process.stdout:
            with self.change:
                self.lines.append(line)
                self.change.notify_all()
        with self.change:
            self.lines.append(None)
            self.change.notify_all()

    def read_errors(self):
        self.errors = self.process.stderr.read()

    def await_event(self, found, what):
        """The first line, from the first one on, of which `found` is true."""
        position = 0
        while True:
            with self.change:
                if not self.change.wait_for(lambda: len(self.lines) > position, PATIENCE):
                    sys.exit(f"{self.name}: {what} did not come in {PATIENCE} s")
                line = self.lines[position]
            position += 1
            if line is None:
                self.readers[1].join()
                sys.exit(f"{self.name} ended before {what} came:\n{self.errors.decode(errors='replace')}")
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if found(event):
                return event

    def await_named(self, name):
        return self.await_event(lambda event: event.get("event") == name, f"the event '{name}'")

    def events(self, name):
        with self.change:
            lines = [line for line in self.lines if line]
        parsed = []
        for line in lines:
            try:
                parsed.append(json.loads(line))
            except ValueError:
                pass
        return [event for event in parsed if event.get("event") == name]

    def output(self):
        """All of its output, after its end."""
        for reader in self.readers:
            reader.join()
        with self.change:
            return b"".join(line for line in self.lines if line) + self.errors

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self):
        """Terminates it. Returns its end."""
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            sys.exit(f"{self.name} did not end")

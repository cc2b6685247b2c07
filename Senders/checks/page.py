"""The commands of docs/senders.md and docs/service.md, run by a shell as a reader types them."""

import os
import re
import socket
import subprocess
import sys
import threading
from collections import Counter

from black_box.programs import PATIENCE

from . import CHECKOUT, environment

# What a reader does with two screens and two hands: a phone's screen is a pipe of its own, and a printed key is kept. A
# busy machine needs more than the limits of an extension.
HANDS = r"""
set -euo pipefail
trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT
trap exit TERM
sealedpush() {
    case $1 in
    device) exec sealedpush "$@" --time-limit 120 --memory-limit 200 >screen ;;
    simulate) exec sealedpush "$@" ;;
    *) command sealedpush "$@" ;;
    esac
}
sealedpushd() {
    case $1 in
    --config) exec sealedpushd "$@" ;;
    make-api-key) command sealedpushd "$@" | tee made-key ;;
    *) command sealedpushd "$@" ;;
    esac
}
"""
# Sent when all else has been shown: what came before it and is not there will not come.
LAST = "Good night"
END = f"""
printf '\\n== sent\\n'
read -r
sealed=$(sed 's/"body": "[^"]*"/"body": "{LAST}"/' lines.json |
    sealedpush seal --lines --sealed-only --sender-key sender/sender.key --topic com.example.chat --pins pins)
submit
read -r || true
"""
KEPT = {"key=spk_…": "key=$(sed -n 's/^key *//p' made-key)", "hash=…": "hash=$(sed -n 's/^hash *//p' made-key)"}


def blocks(page, section):
    """The section's indented blocks: pairs of the bold words before it, or "", and its lines."""
    with open(os.path.join(CHECKOUT, "docs", page), encoding="utf-8") as file:
        text = file.read()
    found = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    if not found:
        sys.exit(f"docs/{page} has no section '{section}': write it, or correct the name in Senders/checks/page.py")
    heading, result = "", []
    for paragraph in re.split(r"\n\n+(?=\S)|(?<=\S)\n\n+", found[1].strip("\n")):
        lines = paragraph.split("\n")
        if all(line.startswith("    ") or not line for line in lines):
            result.append((heading, "\n".join(line[4:] for line in lines)))
        elif paragraph.startswith("**"):
            heading = paragraph[2:].partition("**")[0]
    return result


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Page:
    """The blocks, in one shell. Its programs run until `end`."""

    def __init__(self, folder, path, replaced=()):
        relay = [block for _, block in blocks("service.md", "In ten minutes")]
        ways = blocks("senders.md", "Ten minutes")
        start = next(i for i, block in enumerate(relay) if "-X PUT" in block)
        common = [block for heading, block in ways if not heading]
        # The first block says where the repository is: this one.
        parts = relay[: start + 1] + common[1:] + [f"printf '\\n== {h}\\n'\n{b}" for h, b in ways if h]
        self.ways = list(dict.fromkeys(heading for heading, _ in ways if heading))
        text = "\n".join([HANDS, *parts, END])
        for old, new in [*KEPT.items(), *replaced]:
            if old not in text:
                sys.exit(f"the blocks of service.md and senders.md have no '{old}': correct Senders/checks/page.py")
            text = text.replace(old, new)
        for port in ("2197", "5223", "8443"):
            text = re.sub(rf"\b{port}\b", str(free_port()), text)
        self.folder, self.output, self.screen = folder, [], []
        self.change = threading.Condition()
        script = os.path.join(folder, "page.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(text)
        os.mkfifo(os.path.join(folder, "screen"))
        values = {"GOCACHE": f"{CHECKOUT}/.build/go-cache", "GOPATH": f"{CHECKOUT}/.build/go", "GOPROXY": "off"}
        self.shell = subprocess.Popen(
            ["bash", script],
            cwd=folder,
            env=environment(checkout=CHECKOUT, PATH=path, PYTHONDONTWRITEBYTECODE="1", **values),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        # Opened for both: it ends with this process alone, whether a phone comes or not.
        pipe = os.fdopen(os.open(os.path.join(folder, "screen"), os.O_RDWR), "rb")
        self.has_ended = False
        self.reader = threading.Thread(target=self.read, args=(self.output, self.shell.stdout), daemon=True)
        self.reader.start()
        threading.Thread(target=self.read, args=(self.screen, pipe), daemon=True).start()

    def read(self, lines, source):
        for line in source:
            with self.change:
                lines.append(line.decode(errors="replace").rstrip("\n"))
                self.change.notify_all()
        # The shell's output ends when its last program has ended.
        with self.change:
            self.has_ended = True
            self.change.notify_all()

    def wait(self, found, what):
        """Until `found` is true of output and screen."""
        with self.change:
            self.change.wait_for(lambda: found() or self.has_ended, PATIENCE)
            if found():
                return
        self.fail(f"the commands ended before {what} came" if self.has_ended else f"{what} did not come")

    def fail(self, what):
        self.close()
        self.reader.join(PATIENCE)
        head = f"ways: {what}. The last lines of the commands, and the screen:"
        sys.exit("\n".join([head, *self.output[-15:], "--", *self.screen]))

    def shown(self):
        """How often each body is on the screen. Its first line is the title, its last one the device's own."""
        lines = [line for line in self.screen if not line.startswith(("ready:", "("))]
        if lines[::2] != ["Anna"] * len(lines[::2]):
            self.fail("the screen has another title than 'Anna'")
        return Counter(lines[1::2])

    def send_last(self):
        self.shell.stdin.write(b"\n")
        self.shell.stdin.flush()

    def close(self):
        # Its trap ends the programs.
        self.shell.terminate()
        self.shell.wait(PATIENCE)

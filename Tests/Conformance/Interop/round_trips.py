"""Both programs seal for each other, and agree about what is wrong. Started by `run`; README.md has the options."""
import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import time

import regex

import attachments
import commands
import runner_test
import self_test
from bad_bundles import bad_bundle
from forgeries import FAMILIES, every_deviation
from lines import open_line, seal_line
from messages import ALL_RIGHTS, NOW, TOPIC, World, all_rights_show, lifetime, message, public_bytes
from sealedpush_py import bundle
from sealedpush_py.device import State, shortest_decimal
from sealedpush_py.encoding import ALERT, PUSH_CLASSES
from sealedpush_py.json_strict import compact
from sealedpush_py.seal import Sender

HERE, ROOT = pathlib.Path(__file__).parent, pathlib.Path(__file__).parents[3]
PEERS = {"swift": [ROOT / ".build/debug/sealedpush-vectors"], "python": [sys.executable, "-B", HERE / "lines.py"]}
FAILURES = ROOT / ".build/interop-failures.jsonl"  # the lines that the two disagreed about


class Tally:
    """Counts, and the first few failures in words. Every failed line is kept in FAILURES."""

    def __init__(self):
        self.passed = self.failed = 0

    def expect(self, holds, name, line=None, **found):
        self.passed += bool(holds)
        self.failed += not holds
        if holds:
            return
        if line is not None:
            with FAILURES.open("a") as file:
                file.write(json.dumps({"name": name, "line": line, **found}) + "\n")
        if self.failed <= 20:
            print(f"FAILED: {name}" + "".join(f"\n  {who}: {what}" for who, what in found.items()))


def ask(peer, verb, requests):
    """The peer's answers, one line for each request."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    result = subprocess.run([*map(str, PEERS[peer]), verb], input=lines.encode(), capture_output=True, cwd=ROOT)
    answers = result.stdout.decode().removesuffix("\n").split("\n")  # not splitlines: a text may hold U+2028
    if result.returncode or len(answers) != len(requests):
        sys.exit(f"{verb}: exit {result.returncode}, {len(answers)} answers to {len(requests)} lines\n"
                 + result.stderr.decode(errors="replace")[-2_000:])
    return answers


def canonical(answer):
    """A text for comparisons: in Python True equals 1, and 1.0 too."""
    return json.dumps(answer, sort_keys=True)


def is_whole_or_beginning(sent, shows):
    """True if all sent content came through; of a shortened text, a beginning of whole grapheme clusters."""
    expected = all_rights_show(sent)
    for name in expected.keys() & {"relevance-score", "sound-volume"}:
        expected[name] = shortest_decimal(expected[name])
    if not shows or not shows.pop("truncated", False):
        return canonical(shows) == canonical(expected) and len(compact(sent)) <= ALERT.body_room
    whole, part = expected.pop("body"), shows.pop("body", "")
    ends = {match.end() for match in regex.finditer(r"\X", whole)}
    return (canonical(shows) == canonical(expected) and whole != part and whole.startswith(part) and len(part) in ends
            and len(part.encode()) + len(compact(sent.get("attachments", []))) > ALERT.body_room / 2)


def peer_to_python(tally, world, peer, count):
    requests = [world.seal_request(message(world.generator)) for _ in range(count)]
    for i, (request, payload) in enumerate(zip(requests, ask(peer, "seal-lines", requests), strict=True)):
        answer = open_line(world.open_request(payload), collections.defaultdict(State))
        good = answer["expect"] == "opened" and is_whole_or_beginning(request["message"], dict(answer["shows"]))
        tally.expect(good, f"message {i}, sealed by {peer}, opened by Python", request, payload=payload, python=answer)


def python_to_peer(tally, world, peer, count):
    g, requests, sent = world.generator, [], []
    verified = bundle.verify(world.bundle(), public_bytes(world.identity), TOPIC.encode(), NOW)
    for i in range(count):
        members = message(g)
        key, contact = g.choice(world.contacts) if i % 2 else world.contacts[0]
        push = PUSH_CLASSES["voip" if i % 8 == 0 else "alert"]
        sender = Sender(key, TOPIC.encode(), g.choice((1, 2)), push)
        payload = sender.seal(members, verified, NOW, lifetime(g, members), g.randbytes(16))
        requests.append(world.open_request(payload, push_class=push.name))
        sent.append((members, contact, push))
    kinds = collections.Counter()
    for i, (request, line) in enumerate(zip(requests, ask(peer, "open-lines", requests), strict=True)):
        members, contact, push = sent[i]
        theirs, ours = json.loads(line), open_line(request, collections.defaultdict(State))
        kinds[ours["expect"]] += 1
        good = canonical(theirs) == canonical(ours) and ours["expect"] in ("opened", "not-permitted")
        if contact == ALL_RIGHTS and push is ALERT:
            good = good and ours["expect"] == "opened" and is_whole_or_beginning(members, dict(theirs["shows"]))
        tally.expect(good, f"message {i}, sealed by Python, opened by {peer}", request, peer=theirs, python=ours)
    tally.expect(kinds["opened"] * 10 > count * 7, "most of what Python seals opens", kinds=dict(kinds))


def compare_forgeries(tally, world, peer, count):
    requests, families = list(every_deviation(world)), 0
    names, count = ["every deviation"] * len(requests), len(requests) + count
    while len(requests) < count:
        family = FAMILIES[families % len(FAMILIES)]
        families += 1
        for request in family(world):
            requests.append(request)
            names.append(family.__name__)
    kinds, windows = collections.Counter(), collections.defaultdict(State)
    for name, request, line in zip(names, requests, ask(peer, "open-lines", requests), strict=True):
        theirs = json.loads(line)
        ours = open_line(request, windows if "window" in request else collections.defaultdict(State))
        kinds[ours["expect"]] += 1
        good = canonical(theirs) == canonical(ours)
        tally.expect(good, f"{name}: {peer} and Python agree", request, peer=theirs, python=ours)
    print(f"{len(requests)} forgeries: " + ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items())))


def compare_bundles(tally, world, peer, count):
    requests = []
    for i in range(count):
        changes = {"bundle": bad_bundle(world), "class": 2 if i % 9 == 0 else 1}
        requests.append(world.seal_request({"body": "b"}, **changes))
    kinds = collections.Counter()
    for request, line in zip(requests, ask(peer, "seal-lines", requests), strict=True):
        theirs, ours = (json.loads(answer).get("refused", "sealed") for answer in (line, seal_line(request)))
        kinds[ours] += 1
        tally.expect(theirs == ours, f"bundle: {peer} and Python agree", request, peer=theirs, python=ours)
    print("bundles: " + ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items())))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    arguments.add_argument("count", type=int, nargs="?", default=1_000, help="of messages each way")
    arguments.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    arguments.add_argument("--peer", choices=PEERS, default="swift", help="python: this implementation against itself")
    a, start = arguments.parse_args(), time.monotonic()
    for program in (PEERS[a.peer][0], commands.SWIFT) if a.peer == "swift" else ():
        if not program.exists():
            sys.exit(f"no {program.relative_to(ROOT)}: 'make build' makes it")
    print(f"seed {a.seed}")
    FAILURES.parent.mkdir(exist_ok=True)
    FAILURES.unlink(missing_ok=True)
    tally, world = Tally(), World(random.Random(a.seed))
    self_test.check(tally)
    runner_test.check(tally)
    peer_to_python(tally, world, a.peer, a.count)
    python_to_peer(tally, world, a.peer, a.count)
    compare_forgeries(tally, world, a.peer, 3 * a.count)
    compare_bundles(tally, world, a.peer, a.count // 2)
    attachments.check(tally, world.generator, a.count // 10, lambda verb, requests: ask(a.peer, verb, requests))
    if a.peer == "swift":
        commands.check(tally, world.generator)
    print(f"{a.count} messages each way, {3 * a.count} random forgeries, {a.count // 2} bundles, {a.peer} and Python, "
          f"seed {a.seed}, {time.monotonic() - start:.0f} s: {tally.passed} passed, {tally.failed} failed")
    sys.exit(1 if tally.failed else 0)


if __name__ == "__main__":
    main()

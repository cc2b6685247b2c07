"""How much code one request passes: the files of Sources that run, and the calls between modules.

Callgrind records every call of a debug build while one `POST /v1/notifications` goes from socket to settled, and while
one sealed push is opened by a service extension. A file counts if a function of it ran. A hand-over is a pair of functions
in two modules of which one called the other, however often; a lock's module does not count.

    Benchmarks/path            prints the figures
    Benchmarks/path --list     prints the files, too
"""

import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
CHECKOUT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(CHECKOUT, "Tests/Conformance/Service"))

from black_box.programs import Child, program, run  # noqa: E402
from black_box.service import APP, Sender, Service, Simulator  # noqa: E402

DEVICE = ("Envelope Platform Localization Primitives AttachmentStream HPKE Keys WebPush Opening NotificationCore "
          "NotificationServiceExtension").split()
SOURCE = re.compile(r"Sources/(\w+)/(.+\.swift)$")


class Recording:
    """A program under callgrind, which records only between `start` and `stop`."""

    def __init__(self, folder, name):
        self.program = program(name)
        self.output = os.path.join(folder, "callgrind." + name)
        self.pipes = "--vgdb-prefix=" + os.path.join(folder, "vgdb")
        self.wrapper = os.path.join(folder, name)
        # Valgrind 3.19 cannot read the debug sections that Swift 6.3 writes; addresses and names stay.
        bare = self.wrapper + ".bare"
        run("objcopy", "--strip-debug", self.program, bare)
        # Nor does it bear the sigsuspend in which dispatchMain leaves the main thread; nothing here runs on that.
        still = self.wrapper + ".so"
        run("clang", "-shared", "-fPIC", "-o", still, "-x", "c", "-",
            input="#include <unistd.h>\nvoid dispatch_main(void) { for (;;) pause(); }\n")
        with open(self.wrapper, "w") as file:
            file.write(f"#!/bin/sh\nLD_PRELOAD={still} exec valgrind {self.pipes} --tool=callgrind --quiet --instr-atstart=no "
                       f'--callgrind-out-file={self.output} {bare} "$@"\n')
        os.chmod(self.wrapper, 0o700)

    def start(self):
        self.control("-i", "on")

    def stop(self, wake):
        """The files that ran since, and pairs of functions in two modules.

        A process that has nothing to do writes nothing either: `wake` gives it something, which is not recorded.
        """
        self.control("-d")
        wake()
        ran, calls = parse(self.output + ".1")
        homes = self.homes(ran)
        modules = {home[0] for home in homes.values()} - {"Platform"}
        pairs = {tuple((module(name), name) for name in call) for call in calls}
        return set(homes.values()), {
            (caller, callee) for caller, callee in pairs if caller[0] != callee[0] and {caller[0], callee[0]} <= modules}

    def control(self, *words):
        number = run("pgrep", "--full", "callgrind-out-file=" + self.output).split()[0]
        run("callgrind_control", self.pipes, *words, number)

    def homes(self, names):
        """Each function's module and file, for those that stand in Sources."""
        addresses = {}
        for line in run("nm", self.program).splitlines():
            address, _, name = line.rpartition(" ")
            if name in names:
                addresses[name] = "0x" + address.split(" ")[0]
        places = run("llvm-symbolizer", "--functions=none", "--no-inlines", "--obj=" + self.program,
                     input="\n".join(addresses.values()) + "\n").split("\n\n")
        found = {name: SOURCE.search(place.strip().rpartition("/")[0] + "/" + place.strip().rpartition("/")[2].split(":")[0])
                 for name, place in zip(addresses, places)}
        return {name: place.groups() for name, place in found.items() if place}


def module(name):
    """The module that a function belongs to, by its mangled name. One function of many may be made by any module: none."""
    match = re.match(r"\$s(\d+)", name)
    return name[match.end():][:int(match[1])] if match and not re.search(r"WO[a-z]$|W[a-z]$|w[a-z]{2}$", name) else None


def parse(path):
    """Callgrind's profile format, without files: a name is given a number at its first use, and is that number later."""
    names, ran, calls = {}, set(), set()
    function, is_call = None, False

    def name(text):
        number, _, rest = text.partition(" ")
        if rest:
            names[number] = rest.partition("'")[0]
        return names[number]

    with open(path) as lines:
        for line in lines:
            key, _, text = line.rstrip("\n").partition("=")
            if key == "fn":
                function = name(text)
            elif key == "cfn":
                calls.add((function, name(text)))
            elif key == "calls":
                is_call = True
            elif function and line[:1] in "0123456789+-*":
                if not is_call:
                    ran.add(function)
                is_call = False
    return ran, calls


def post(folder):
    """One notification to one device, from the socket until APNs has answered and the row is settled."""
    recording = Recording(folder, "sealedpushd")
    simulator, sender = Simulator(folder), Sender(folder)
    service = Service(folder, simulator)
    service.program = recording.wrapper
    service.start()
    service.expect(201, "PUT", "/v1/devices/d1", {
        "token": simulator.enrol()[1], "topic": APP, "environment": "sandbox", "bundle": sender.bundle})

    def send(number):
        recipient = {"device": "d1", "sealed": sender.seal(f"number {number}")}
        service.expect(202, "POST", "/v1/notifications", {"topic": APP, "class": "normal", "recipients": [recipient]})
        service.await_attempts(number)

    # Connections, caches and statements are made by the first.
    send(1)
    send(2)
    recording.start()
    send(3)
    result = recording.stop(wake=lambda: send(4))
    service.child.stop()
    simulator.child.stop()
    return result


def push(folder):
    """One sealed push in the extension's process: the device core's part of it."""
    recording = Recording(folder, "EndToEndExtension")
    simulator, sender = Simulator(folder), Sender(folder)
    token = os.path.join(folder, "token")
    words = ["device", "--json", "--extension", recording.wrapper, "--memory-limit", "4000", "--device-key", os.path.join(sender.folder, "device.key"),
             "--senders", os.path.join(sender.folder, "sender.pub"), "--token-out", token,
             "--server", f"localhost:{simulator.ready['device-port']}",
             "--ca", os.path.join(simulator.folder, "ca.pem")]
    child = Child("device", [program("sealedpush"), *words])
    child.await_named("ready")

    def send(number):
        payload = os.path.join(folder, "push.json")
        with open(payload, "w") as file:
            file.write(run(
                program("sealedpush"), "seal", "-", "--topic", APP,
                "--sender-key", os.path.join(sender.folder, "sender.key"),
                "--bundle", os.path.join(sender.folder, "device.bundle"),
                "--identity", os.path.join(sender.folder, "identity.pub"), input='{"body": "number %d"}' % number))
        run(program("sealedpush"), "send", payload, "--topic", APP, "--to-file", token,
            "--server", f"localhost:{simulator.ready['push-port']}", "--ca", os.path.join(simulator.folder, "ca.pem"),
            "--provider-key", os.path.join(simulator.folder, "provider.p8"),
            "--key-id", simulator.keys["key-id"], "--team-id", simulator.keys["team-id"])
        child.await_event(lambda _: len(child.events("shown")) >= number, f"push {number}")

    send(1)
    recording.start()
    send(2)
    files, pairs = recording.stop(wake=lambda: send(3))
    child.stop()
    simulator.child.stop()
    return ({file for file in files if file[0] in DEVICE},
            {pair for pair in pairs if pair[0][0] in DEVICE and pair[1][0] in DEVICE})


def main():
    for what, record, aims in (("one POST", post, (120, 60)), ("one push", push, (90, None))):
        with tempfile.TemporaryDirectory() as folder:
            files, pairs = record(folder)
        print(f"{what}: {len(files)} files (aim {aims[0]}), {len(pairs)} hand-overs"
              + (f" (aim {aims[1]})" if aims[1] else ""))
        if "--list" in sys.argv:
            for module in sorted({file[0] for file in files}):
                print(f"  {module}: " + " ".join(sorted(file[1] for file in files if file[0] == module)))
            for (caller, function), (target, callee) in sorted(pairs):
                print(f"  {caller} -> {target}: {function} -> {callee}")


main()

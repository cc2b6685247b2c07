import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

from sealedpush import Announcement, SenderKey
from sealedpush.encoding import base64url, now
from tests.device import TOPIC, Device
from tests.server import KEY, Server

FOLDER = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))


class Readme(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.sender = SenderKey()
        self.sender.save(self.path("sender.key"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_example(self, name, url=""):
        environment = dict(os.environ, PYTHONPATH=FOLDER, RELAY_URL=url, RELAY_KEY=KEY)
        words = [sys.executable, "-B", os.path.join(FOLDER, "examples", name)]
        done = subprocess.run(words, cwd=self.folder, env=environment, check=True, stdout=subprocess.PIPE, text=True)
        return done.stdout.splitlines()

    def test_its_examples_are_the_files(self):
        with open(os.path.join(FOLDER, "README.md")) as file:
            blocks = re.findall(r"```python\n(.*?)```\n", file.read(), re.DOTALL)
        for name in sorted(os.listdir(os.path.join(FOLDER, "examples"))):
            with open(os.path.join(FOLDER, "examples", name)) as file:
                self.assertIn(file.read(), blocks, f"README.md does not have examples/{name} byte for byte")

    def test_the_example_of_a_group_says_what_became_of_each_device(self):
        devices = {f"d{index}": Device() for index in range(4)}
        today = now()
        # Another device in the place of d2.
        bundled = dict(devices, d2=Device())
        entries = [device.entry(not_before=today, not_after=today + 10**9) for device in bundled.values()]
        bundles = {
            name: base64url(device.bundle(today, today, [entry]))
            for (name, device), entry in zip(bundled.items(), entries)
        }
        with open(self.path("group.json"), "w") as file:
            json.dump({name: device.identity.text for name, device in devices.items()}, file)
        problem = {"type": "about:blank", "title": "Gone", "status": 422, "detail": "Let the app register it."}

        def found(body):
            self.assertEqual([one["device"] for one in body["devices"]], list(devices))
            states = [
                {"device": name, "state": "current", "etag": "t", "bundle": bundles[name]}
                if body["devices"][index].get("etag") != "t"
                else {"device": name, "state": "unchanged"}
                for index, name in enumerate(devices)
            ]
            return 200, {}, {"bundles": states[:3] + [{"device": "d3", "state": "missing"}]}

        def taken(body):
            self.assertEqual([one["device"] for one in body["recipients"]], ["d0", "d1"])
            rejected = [{"index": 1, "device": "d1", "problem": problem}]
            return 202, {}, {"notifications": [{"device": "d0", "id": "one", "trace": "t"}], "rejected": rejected}

        with Server(found, taken, found, taken) as server:
            for _ in range(2):
                lines = self.run_example("group.py", server.url)
                self.assertEqual(lines[:3], ["d2: other-identity", "d3: the relay does not have it", "d0: one"])
                self.assertRegex(lines[3], "^d1: 422 .*Let the app register it")
            self.assertEqual(len(server.requests), 4)
        tags = [one.get("etag") for one in json.loads(server.requests[2][3])["devices"]]
        self.assertEqual(tags, ["t", "t", "t", None])

    def test_the_example_of_a_new_key_announces_it(self):
        self.assertEqual(self.run_example("new_key.py"), [])
        successor = SenderKey.load(self.path("sender-new.key"))
        with open(self.path("succession"), "rb") as file:
            succession = file.read()
        at = int.from_bytes(succession[34:42], "big")
        self.assertEqual(succession, Announcement.succession(self.sender, successor, TOPIC, at).data)
        with open(self.path("revocation"), "rb") as file:
            self.assertEqual(len(file.read()), 107 + len(TOPIC))

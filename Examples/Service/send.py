"""A chat back end's part: registers a device, seals a message for it, sends it, waits until Apple has it.

In the environment: SEALEDPUSH_URL and SEALEDPUSH_KEY of the relay, TOPIC; DEVICE_TOKEN, DEVICE_BUNDLE and
DEVICE_IDENTITY from the app; SENDER_KEY, a file of `sealedpush keygen sender`; PINS, a folder that outlives the process.
The package is that of Senders/python.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Senders/python"))

from sealedpush import FilePins, IdentityKey, Message, RelayClient, SenderKey, prepare, seal  # noqa: E402


class BackEnd:
    """What a back end asks of the relay beside sending."""

    def __init__(self, url, key):
        self.url, self.key = url, key

    def call(self, method, path, body=None):
        """The answer's JSON. A refusal says in `detail` and `errors` what to mend."""
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Authorization", f"Bearer {self.key}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            sys.exit(f"{method} {path}: {error.code} {error.read().decode()}")

    def register(self, device, token, topic, bundle):
        """At each launch of the app; saying the same again costs nothing."""
        body = {"token": token, "topic": topic, "environment": "sandbox", "bundle": bundle}
        self.call("PUT", f"/v1/devices/{device}", body)

    def await_end(self, notification):
        """Its final state. A real back end takes the webhook instead of polling."""
        while True:
            state = self.call("GET", f"/v1/notifications/{notification}")
            if state["state"] not in ("queued", "sending", "parked"):
                return state
            time.sleep(0.2)


def send(device, topic, identity, text):
    """The notification's id. The package repeats a request under one idempotency key: nothing is sent twice."""
    relay = RelayClient(os.environ["SEALEDPUSH_URL"], os.environ["SEALEDPUSH_KEY"])
    sender = SenderKey.load(os.environ["SENDER_KEY"])
    recipient = FilePins(os.environ["PINS"]).recipient(relay.bundle(device), identity, topic)
    sealed = seal(sender, prepare(Message(title="Anna", body=text)), recipient)
    return relay.send([(device, sealed)], topic=topic)[0].id


def main():
    e = os.environ
    back_end = BackEnd(e["SEALEDPUSH_URL"], e["SEALEDPUSH_KEY"])
    back_end.register("example-python", e["DEVICE_TOKEN"], e["TOPIC"], e["DEVICE_BUNDLE"])
    identity = IdentityKey.from_text(e["DEVICE_IDENTITY"])
    notification = send("example-python", e["TOPIC"], identity, "See you at eight")
    state = back_end.await_end(notification)
    print(notification, state["state"], state.get("status", ""), state.get("reason", ""))


if __name__ == "__main__":
    main()

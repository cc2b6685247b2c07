"""A chat back end's part: registers a device, sends it one sealed message, waits until Apple has it.

SEALEDPUSH_URL, SEALEDPUSH_KEY, TOPIC, DEVICE_TOKEN, DEVICE_BUNDLE and SEALED are in the environment: token and bundle
come from the app, SEALED from `sealedpush seal` or another sender; the back end itself has no key that opens it.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid


class PushService:
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

    def send(self, device, topic, sealed, order):
        """The notification's id. A call repeated with the same `order` sends nothing twice."""
        recipient = {"device": device, "sealed": sealed}
        body = {"topic": topic, "class": "normal", "idempotency-key": order, "recipients": [recipient]}
        return self.call("POST", "/v1/notifications", body)["notifications"][0]["id"]

    def await_end(self, notification):
        """Its final state. A real back end takes the webhook instead of polling."""
        while True:
            state = self.call("GET", f"/v1/notifications/{notification}")
            if state["state"] not in ("queued", "sending", "parked"):
                return state
            time.sleep(0.2)


def main():
    e = os.environ
    service = PushService(e["SEALEDPUSH_URL"], e["SEALEDPUSH_KEY"])
    service.register("example-python", e["DEVICE_TOKEN"], e["TOPIC"], e["DEVICE_BUNDLE"])
    notification = service.send("example-python", e["TOPIC"], e["SEALED"], str(uuid.uuid4()))
    state = service.await_end(notification)
    print(notification, state["state"], state.get("status", ""), state.get("reason", ""))


if __name__ == "__main__":
    main()

"""Pushes with httpx and PyJWT. The simulator's address, the key and a device token are in the environment."""

import os
import ssl
import sys
import time
import uuid
from dataclasses import dataclass

import httpx
import jwt


@dataclass
class Answer:
    status: int
    apns_id: str
    reason: str = ""
    timestamp: int | None = None  # of a 410, in milliseconds since 1970


class Provider:
    """One for the life of the process: Apple takes many connections for an attack."""

    def __init__(self, server, authority, key, key_id, team_id, topic):
        trust = ssl.create_default_context(cafile=authority)
        self.client = httpx.Client(http2=True, verify=trust, base_url=f"https://{server}")
        self.key, self.key_id, self.team_id, self.topic = key, key_id, team_id, topic
        self.issued_at = 0

    def token(self):
        """Apple takes it for an hour, and wants a new one every 20 minutes at most."""
        now = int(time.time())
        if now - self.issued_at > 40 * 60:
            claims = {"iss": self.team_id, "iat": now}
            self.bearer = jwt.encode(claims, self.key, "ES256", headers={"kid": self.key_id})
            self.issued_at = now
        return self.bearer

    def push(self, device_token, payload):
        response = self.client.post(
            f"/3/device/{device_token}",
            json=payload,
            headers={
                "authorization": f"bearer {self.token()}",
                "apns-id": str(uuid.uuid4()),
                "apns-push-type": "alert",
                "apns-topic": self.topic,
            },
        )
        answer = Answer(response.status_code, response.headers["apns-id"])
        if response.content:
            body = response.json()
            answer.reason, answer.timestamp = body["reason"], body.get("timestamp")
        return answer


def act_on(answer):
    """A back end's action for an answer."""
    if answer.status == 200:
        return "accepted"
    if answer.status == 410:
        return f"the app is gone: delete the token, unless it was registered after {answer.timestamp}"
    if answer.reason == "BadDeviceToken":
        return "not a token of this environment: do not send again"
    return "not expected"


def main():
    e = os.environ
    with open(e["APNS_KEY"]) as file:
        key = file.read()
    provider = Provider(
        e["APNS_SERVER"], e["APNS_AUTHORITY"], key, e["APNS_KEY_ID"], e["APNS_TEAM_ID"], e["APNS_TOPIC"]
    )
    payload = {"aps": {"alert": {"title": "Hello", "body": "from Python"}, "sound": "default"}}
    tries = [(e["DEVICE_TOKEN"], 200, ""), ("ab" * 32, 400, "BadDeviceToken")]
    if e.get("GONE_TOKEN"):
        tries.append((e["GONE_TOKEN"], 410, "Unregistered"))
    for device_token, status, reason in tries:
        answer = provider.push(device_token, payload)
        print(answer.status, "apns-id", answer.apns_id, answer.reason, act_on(answer))
        if (answer.status, answer.reason) != (status, reason):
            sys.exit(f"expected {status} {reason}")


if __name__ == "__main__":
    main()
